// Andrews' mechanism in seven angles for IDA; see ida_angles.h.
#include "ida_angles.h"
#include "../ida_andrews.h"
#include "../ida_solver.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <trammel/sim.h>

static const ida_setting SETTING[] = {
    {false, 1, 5, 0.33, 1, true},     {false, 1e3, 5, 0.33, 1, true},   {false, 1e3, 5, 0.33, 100, true},
    {false, 1e6, 5, 0.33, 100, true}, {false, 1e3, 5, 0.33, 1e3, true}, {true, 1e3, 5, 0.33, 100, true},
    {false, 1e3, 5, 0.1, 100, true},  {false, 1e3, 4, 0.33, 100, true},
};

bool ida_angles_setting(int i, char *buf, size_t size)
{
    char name[80];
    if (i >= (int)(sizeof SETTING / sizeof *SETTING)) return false;
    snprintf(buf, size, "angles %.50s", ida_setting_name(&SETTING[i], name, sizeof name));
    return true;
}

// Centres of mass and angles of K1 .. K7; lengths as in mechanism.c.
static void take(const double *q, void *user)
{
    const double da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, sa = 0.01874, sb = 0.01043,
                 ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449, zf = 0.02, zt = 0.04,
                 fa = 0.01421, xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273;
    const double be = q[0], bt = q[0] + q[1], ga = q[2], pd = q[3] + q[4], de = q[4], oe = q[5] + q[6],
                 ep = q[6];
    double *p = samples_next(user);
    if (!p) return;
    const double pose[7][3] = {
        {ra * cos(be), ra * sin(be), be},
        {rr * cos(be) - da * cos(bt), rr * sin(be) - da * sin(bt), bt},
        {xb + sa * sin(ga) + sb * cos(ga), yb - sa * cos(ga) + sb * sin(ga), ga},
        {xa + zt * cos(de) + (e - ea) * sin(pd), ya + zt * sin(de) - (e - ea) * cos(pd), pd},
        {xa + ta * cos(de) - tb * sin(de), ya + ta * sin(de) + tb * cos(de), de},
        {xa + u * sin(ep) + (zf - fa) * cos(oe), ya - u * cos(ep) + (zf - fa) * sin(oe), oe},
        {xa + ua * sin(ep) + ub * cos(ep), ya - ua * cos(ep) + ub * sin(ep), ep},
    };
    memcpy(p, pose, sizeof pose);
}

// Accelerations and multipliers at the start come from a simulation that takes no step.
static tml_status consistent_start(const tml_system *sys, tml_state *x)
{
    tml_run_def run = tml_run_def_default();
    run.method = "genalpha";
    run.end = ANDREWS_END;
    tml_sim *sim = NULL;
    memcpy(x->q, andrews_start, sizeof andrews_start);
    const tml_status st = tml_sim_create_system(sys, x, &run, &sim, NULL);
    if (st == TML_OK) tml_state_copy(x, tml_sim_state(sim));
    tml_sim_destroy(sim);
    return st;
}

const char *ida_angles_run(int setting, double accuracy, double limit, samples *out, peer_result *result)
{
    const tml_user_system_def def = andrews_user();
    tml_system *sys = NULL;
    tml_state *start = NULL;
    ida_result r = {0};
    double q[ANDREWS_N];
    const char *wrong = "the angles cannot be set up";
    if (tml_system_create_user(&def, NULL, &sys, NULL) == TML_OK &&
        tml_state_create(sys, &start, NULL) == TML_OK && consistent_start(sys, start) == TML_OK) {
        const ida_problem problem = {.name = "angles",
                                     .sys = sys,
                                     .start = start,
                                     .end = ANDREWS_END,
                                     .evaluate = andrews_evaluate,
                                     .rows_times = andrews_rows_times,
                                     .take = take,
                                     .user = out,
                                     .sample = 3e-3};
        take(start->q, out);
        const double begin = cpu_now();
        wrong = ida_run(&problem, &SETTING[setting], accuracy, limit, q, &r);
        result->setup = cpu_now() - begin - r.seconds;
        result->seconds = r.seconds;
        result->steps = wrong ? 1 : r.steps;
    }
    if (start) tml_state_destroy(start, sys);
    tml_system_destroy(sys);
    return wrong;
}
