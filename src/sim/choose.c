// Choosing a method and its unknowns. A setting that only some method has asks for it. Else the candidates
// and what speaks for them (docs/methods.md has the measurements):
//   genalpha   one cheap solve per step and damping that does not depend on the step: for steps of a fixed size
//   erk8       accelerations alone, in joint coordinates, at high order: for open chains without stiff forces
//   adams      the same with few evaluations, for closed loops in the plane: each has to find dependent positions, which in
//              space costs too much
//   bdf        one real matrix per step, few iterations: for large stiff models, and for loops and rods in space. It and adams
//              pass positions where constraints come to depend on each other, before which methods of one step may halt
//   radau5     begins each step anew and is stable for any oscillation: where switches would make bdf start over and over
//              with small steps of low order, for fast vibrations of little damping, where orders 3 to 5 of bdf are not
//              stable, and for stiff models whose joints leave few unknowns
//   for-sdirk  integrates the degrees of freedom alone: where there are none, its steps are as long as outputs allow
// Implicit methods get joint coordinates where these are fewer and the tree is not deep: a row of their
// matrix couples a body with all that carry it, which costs the square of the depth.
#include "sim/choose.h"
#include "analysis/modes/linearize.h"
#include "analysis/rank/dependence.h"
#include "analysis/rank/rank.h"
#include "system/joint_space/joint_space.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SMALL = 150 };  // coordinates up to which the spectrum is looked at: some milliseconds
enum { DEEP = 16 };    // bodies in a row from which on implicit methods are faster on bodies than on joints
// A vibration counts if it turns this often within the run, is this much faster than the motion, and keeps
// this much of the damping that makes it decay within a period.
static const double TURNS = 50, FASTER = 10, WEAK = 0.2;
// Fastest rate over that of the motion from which on stability, not accuracy, would limit explicit steps, by
// so much that implicit ones are cheaper.
static const double STIFF = 20;

typedef struct facts {
    bool rates;       // the next two are known
    double vibrates;  // fastest weakly damped vibration [rad/s]; 0: none that matters
    double stiff;     // fastest rate over that of the motion
    bool joints;      // joint coordinates are open to choice, and fewer than those of bodies
    bool
        accelerates;  // all parts have inertia, and constraints that are left are cheap: for explicit methods
    int depth;        // bodies in a row, if joints
    int rows;         // constraints that are left
} facts;

// The fastest weakly damped vibration [rad/s]; 0: none that matters.
static double vibration(const tmli_spectrum *s, double motion, double duration)
{
    double fastest = 0;
    for (int i = 0; i < s->count; i++) {
        const double w = fabs(s->im[i]), size = hypot(s->re[i], s->im[i]);
        if (w * duration > TURNS * 6.283185307179586 && w > FASTER * motion && -s->re[i] < WEAK * size &&
            s->re[i] <= 0)
            fastest = fmax(fastest, w);
    }
    return fastest;
}

// Typical rate of the motion at x [1/s]: speeds over lengths, or what the accelerations will make of them.
static double motion_rate(const tml_system *s, const tml_state *x)
{
    double rate = 0;
    for (int j = 0; j < s->n; j++) {
        const double unit = s->kind[j] == TML_COORDINATE_TRANSLATION ? s->length : 1;
        rate = fmax(rate, fmax(fabs(x->u[j]) / unit, sqrt(fabs(x->udot[j]) / unit)));
    }
    return rate;
}

// Rates from the equations linearized about x. TML_ERR_NOMEM, or OK: any other failure is a fact that cannot
// be had.
static tml_status look_at_spectrum(const tml_sim *sim, const tml_state *x, double motion, facts *f,
                                   tml_error *err)
{
    const tml_system *s = sim->sys;
    tmli_rank rank = {0};
    tmli_spectrum spectrum = {0};
    tml_state *y = NULL;
    tml_error local = {0};
    tml_status st = tmli_rank_calc(s, sim->work, x, &rank, &local);
    if (st == TML_OK) st = tml_state_create(s, &y, &local);
    if (st == TML_OK) {
        tml_state_copy(y, x);
        st = tmli_linearize(s, sim->work, &rank, y, &spectrum, &local);
    }
    if (st == TML_OK) {
        f->rates = true;
        f->vibrates = vibration(&spectrum, motion, sim->run.end - sim->run.start);
        f->stiff = spectrum.fastest / motion;
    }
    tmli_spectrum_clear(&spectrum);
    tml_state_destroy(y, s);
    tmli_rank_clear(&rank);
    if (st != TML_ERR_NOMEM) return TML_OK;
    if (err) *err = local;
    return st;
}

// The same for a large model from its diagonals: sqrt(K/M) and D/M of every coordinate by itself. Constraints
// add inertia and make these slower, so they are rather too large; vibrations are not told.
static tml_status look_at_diagonals(const tml_sim *sim, const tml_state *x, double motion, facts *f,
                                    tml_error *err)
{
    const tml_system *s = sim->sys;
    const size_t n = (size_t)s->n;
    double *m = tmli_calloc(&sim->env, 3 * n, sizeof *m), *d = m + n, *k = d + n, fastest = 0;
    if (!m) return tmli_no_memory(err, "simulation");
    f->rates = s->ops->diagonals(s->self, sim->work, x, m, d, k, NULL) == TML_OK;
    for (size_t j = 0; j < n && f->rates; j++)
        if (d[j] > 0 || k[j] > 0) fastest = fmax(fastest, fmax(sqrt(k[j] / m[j]), d[j] / m[j]));
    f->stiff = fastest / motion;
    tmli_free(&sim->env, m);
    return TML_OK;
}

// How fast the forces answer. Nothing but gravity and inertia is not stiff.
static tml_status look_at_rates(const tml_sim *sim, const tml_state *x, facts *f, tml_error *err)
{
    const double duration = sim->run.end - sim->run.start,
                 motion = fmax(motion_rate(sim->sys, x), 1 / duration);
    if (sim->model && sim->model->nforces == 0) {
        f->rates = true;
        return TML_OK;
    }
    return sim->sys->n <= SMALL ? look_at_spectrum(sim, x, motion, f, err)
                                : look_at_diagonals(sim, x, motion, f, err);
}

// Settings about Newton's iteration on bodies, or what moves within a step: neither the unknowns nor an
// explicit method may make them idle.
static bool newton_matters(const tml_run_def *run)
{
    return run->group != TML_GROUP_R3SO3 || run->scaling != TML_SCALING_PHYSICAL || run->augment != 1 ||
           run->control != TML_CONTROL_MOTION || (run->solver && strcmp(run->solver, "auto") != 0);
}

// What joint coordinates leave of the model.
static tml_status look_at_joints(const tml_sim *sim, facts *f, tml_error *err)
{
    const tml_system *s = sim->sys;
    const bool given = sim->run.kinematics == TML_KINEMATICS_BODIES;
    tml_error local = {0};
    tml_system *joints = NULL;
    f->rows = s->m;
    f->accelerates = s->m == 0 && !sim->model && !newton_matters(&sim->run) && !sim->floating;
    if (given || !tmli_joint_space_possible(s) || newton_matters(&sim->run)) return TML_OK;
    tml_status st = tmli_joint_space_create(s, false, &joints, &local);
    bool inertia = false;
    if (st == TML_OK) st = tmli_joint_space_inertia(joints, &inertia, &local);
    if (st == TML_OK) {
        f->rows = joints->m;
        f->depth = tmli_joint_space_describe(joints).depth;
        f->joints = joints->n < s->n;
        f->accelerates = inertia && (f->rows == 0 || (f->joints && sim->model->planar));
    }
    if (joints) tml_system_destroy(joints);
    if (st != TML_ERR_NOMEM) return TML_OK;
    if (err) *err = local;
    return st;
}

// The method that a setting of the run belongs to; NULL: all are open.
static const char *asked_for(const tml_run_def *run, char *reason, size_t size)
{
    const char *setting = NULL, *method = NULL;
    if (!isnan(run->rho)) setting = "rho", method = "genalpha";
    else if (!isnan(run->alpha)) setting = "alpha", method = "hht";
    else if (run->placement == TML_PLACEMENT_INNER) setting = "placement", method = "genalpha";
    else if (run->max_order > 0) setting = "max_order", method = "bdf";
    else if (run->gamma > 0) setting = "gamma", method = "trust-region";
    else if (run->epsilon > 0) setting = "epsilon", method = "trust-region";
    if (setting) snprintf(reason, size, "%s is given, a setting of this method", setting);
    if (setting || run->step > 0) return method;
    // radau5 has a Newton iteration of its own, explicit methods have none
    if (run->report) setting = "a report on conditioning";
    else if (run->fields == TML_FIELDS_THREE) setting = "fields: three";
    else if (run->iterate == TML_ITERATE_SATURATED) setting = "iterate: saturated";
    if (!setting) return NULL;
    snprintf(reason, size, "%s, which radau5 does not support", setting);
    return "bdf";
}

// Takes a method into the choice, and for an implicit one the unknowns that suit it.
static void take(const tml_sim *sim, const facts *f, const char *method, tmli_sim_choice *out)
{
    out->method = tml_method_find(method);
    const bool open = sim->run.kinematics == TML_KINEMATICS_AUTO && !tml_method_is_explicit(out->method);
    out->kinematics = open && f->joints && f->depth <= DEEP ? TML_KINEMATICS_JOINTS : sim->run.kinematics;
}

// Switches whose times are not known beforehand: there may be many of them.
static int open_switches(const tml_sim *sim)
{
    int open = 0;
    for (int i = 0; i < sim->sys->nmode && sim->run.switches; i++) open += !sim->sys->mode_of_time[i];
    return open;
}

static void by_rates(const tml_sim *sim, const facts *f, bool implicit, tmli_sim_choice *out)
{
    char *reason = out->reason;
    const size_t size = sizeof out->reason;
    const bool stiff = f->rates && f->stiff > STIFF;
    if (f->vibrates > 0) {
        take(sim, f, "radau5", out);
        snprintf(reason, size,
                 "weakly damped vibration of %.3g Hz: the method is stable for it at full order",
                 f->vibrates / 6.283185307179586);
    } else if (f->rates && !stiff && f->accelerates && f->rows == 0 && !implicit) {
        take(sim, f, "erk8", out);
        snprintf(
            reason, size,
            "smooth, not stiff and without closed loops: an explicit method of high order is the cheapest");
    } else if (f->rates && !stiff && f->accelerates && !implicit) {
        take(sim, f, "adams", out);
        snprintf(reason, size,
                 "smooth, not stiff, with closed loops in the plane: an explicit method with few evaluations "
                 "is the cheapest");
    } else if (stiff && f->joints && f->depth <= DEEP) {
        take(sim, f, "radau5", out);
        snprintf(
            reason, size,
            "stiff (time scales differ by a factor of %.2g) with few unknowns: the method takes long steps",
            f->stiff);
    } else {
        take(sim, f, "bdf", out);
        if (stiff)
            snprintf(reason, size, "smooth and stiff (time scales differ by a factor of %.2g)", f->stiff);
        else if (f->rows > 0)
            snprintf(reason, size,
                     "smooth, with closed loops or rods: the method passes singular configurations");
        else if (sim->sys->n > SMALL)
            snprintf(reason, size, "smooth and large (%d coordinates): one real matrix per step",
                     sim->sys->n);
        else snprintf(reason, size, "smooth: few evaluations per step");
    }
}

// Is no freedom left? Rows that repeat others take none.
static tml_status all_driven(const tml_sim *sim, const tml_state *x, bool *driven, tml_error *err)
{
    const tml_system *s = sim->sys;
    *driven = false;
    if (!sim->model || s->m < s->n) return TML_OK;
    bool *dependent = tmli_calloc(&sim->env, (size_t)s->m, sizeof *dependent), any = false;
    if (!dependent) return tmli_no_memory(err, "simulation");
    int rank = 0;
    const tml_status st = tmli_dependent_rows(s, sim->work, x, dependent, &any, NULL);
    for (int r = 0; r < s->m; r++) rank += !dependent[r];
    *driven = st == TML_OK && rank == s->n;
    tmli_free(&sim->env, dependent);
    return st == TML_ERR_NOMEM ? tmli_no_memory(err, "simulation") : TML_OK;
}

tml_status tmli_sim_choose(const tml_sim *sim, const tml_state *x, bool implicit, tmli_sim_choice *out,
                           tml_error *err)
{
    char *reason = out->reason;
    const size_t size = sizeof out->reason;
    facts f = {0};
    const char *asked = asked_for(&sim->run, reason, size);
    if (!asked && sim->run.step > 0) {
        snprintf(reason, size, "fixed steps: one solve per step, and numerical damping keeps it stable");
        asked = "genalpha";
    }
    if (asked) {  // on bodies, as the settings that ask for it mean
        take(sim, &f, asked, out);
        return TML_OK;
    }
    tml_status st = look_at_joints(sim, &f, err);
    if (st != TML_OK) return st;
    const int open = open_switches(sim);
    if (open > 0) {
        take(sim, &f, "radau5", out);
        snprintf(reason, size, "%d discontinuit%s in the forces: the method restarts at full order", open,
                 open == 1 ? "y" : "ies");
        return TML_OK;
    }
    bool driven = false;
    st = all_driven(sim, x, &driven, err);
    if (st != TML_OK) return st;
    if (driven && !newton_matters(&sim->run)) {
        take(sim, &f, "for-sdirk", out);
        snprintf(reason, size,
                 sim->sys->autonomous ? "no degree of freedom: the mechanism cannot move"
                                      : "no degree of freedom: the drivers prescribe all motion");
        return TML_OK;
    }
    st = look_at_rates(sim, x, &f, err);
    if (st == TML_OK) by_rates(sim, &f, implicit, out);
    return st;
}
