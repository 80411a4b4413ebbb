// The explicit methods compared with the Adams methods of CVODE on the same ordinary differential equations:
// evaluations and processor time at equal error.
//
//   bench_cvode [--csv FILE]
//
// Problems in minimal coordinates, all smooth: a chain of five rods released from the horizontal (1 s), three
// swinging pendulums (6 s), a Kepler orbit of eccentricity 0.3 (5 turns), two coupled oscillators of van der
// Pol (20 s; forces that depend on velocities). The error is the largest of the coordinates at the end
// against erk8 at 1e-13. Every method runs at tolerances from 1e-2 to 1e-11, three per decade; at an error
// the cheapest run that is no worse counts. CVODE solves by fixed-point iteration, as it recommends for
// problems that are not stiff, with rtol = atol = tol. CVODE calls the right side directly; Trammel calls it
// through a system of callbacks whose mass matrix a general solver factors. Compare evaluations first. Times
// are medians of five.
#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include <time.h>
#include <trammel/sim.h>

enum { MAX_N = 5, TOLERANCES = 28, LEVELS = 4, METHODS = 5, REPEATS = 5 };
static const double LEVEL[LEVELS] = {1e-3, 1e-5, 1e-7, 1e-9};
static const char *const METHOD[METHODS] = {"cvode", "adams", "erk8", "erk5", "bdf"};

typedef struct problem {
    const char *name;
    int n;
    double end;
    double q[MAX_N], u[MAX_N];
    tml_status (*mass)(double t, const double *q, double *M, void *user);
    tml_status (*force)(double t, const double *q, const double *u, double *f, void *user);
    long evaluations;  // of CVODE
} problem;

typedef struct outcome {
    double error, seconds;
    long evaluations, steps;
} outcome;

// ---- problems ---------------------------------------------------------------------------------------------

// Rods of length 1 with a unit mass at the end of each, angles from the vertical.
static tml_status rods_mass(double t, const double *q, double *M, void *user)
{
    const int n = ((const problem *)user)->n;
    (void)t;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) M[i * n + j] = (n - (i > j ? i : j)) * cos(q[i] - q[j]);
    return TML_OK;
}

static tml_status rods_force(double t, const double *q, const double *u, double *f, void *user)
{
    const int n = ((const problem *)user)->n;
    (void)t;
    for (int i = 0; i < n; i++) {
        f[i] = -(n - i) * 9.81 * sin(q[i]);
        for (int j = 0; j < n; j++) f[i] -= (n - (i > j ? i : j)) * sin(q[i] - q[j]) * u[j] * u[j];
    }
    return TML_OK;
}

static tml_status unit_mass(double t, const double *q, double *M, void *user)
{
    (void)t, (void)q, (void)user;
    M[0] = M[3] = 1;
    M[1] = M[2] = 0;
    return TML_OK;
}

static tml_status gravitation(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t, (void)u, (void)user;
    const double r = hypot(q[0], q[1]);
    f[0] = -q[0] / (r * r * r);
    f[1] = -q[1] / (r * r * r);
    return TML_OK;
}

static tml_status oscillators(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t, (void)user;
    f[0] = (1 - q[0] * q[0]) * u[0] - q[0] + 0.2 * q[1];
    f[1] = (1 - q[1] * q[1]) * u[1] - 2 * q[1] + 0.2 * q[0];
    return TML_OK;
}

#define RIGHT 1.5707963267948966
static problem PROBLEMS[] = {
    {"chain of 5 rods", 5, 1, {RIGHT, RIGHT, RIGHT, RIGHT, RIGHT}, {0}, rods_mass, rods_force, 0},
    {"3 pendulums", 3, 6, {0.5, 0.4, 0.6}, {0}, rods_mass, rods_force, 0},
    {"Kepler orbit", 2, 31.4, {0.7, 0}, {0, 1.3627702877}, unit_mass, gravitation, 0},
    {"van der Pol", 2, 20, {1, 0.5}, {0, 0.3}, unit_mass, oscillators, 0}};

// ---- runs -------------------------------------------------------------------------------------------------

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void need(bool good, const char *what)
{
    if (good) return;
    fprintf(stderr, "bench_cvode: %s\n", what);
    exit(1);
}

static double distance(const problem *p, const double *q, const double *exact)
{
    double worst = 0;
    for (int i = 0; i < p->n && exact; i++) worst = fmax(worst, fabs(q[i] - exact[i]));
    return worst;
}

// inverse(M) f by elimination; M is definite.
static void solve(int n, double *M, double *f)
{
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            const double l = M[i * n + k] / M[k * n + k];
            for (int j = k; j < n; j++) M[i * n + j] -= l * M[k * n + j];
            f[i] -= l * f[k];
        }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) f[k] -= M[k * n + j] * f[j];
        f[k] /= M[k * n + k];
    }
}

static int right_side(realtype t, N_Vector y, N_Vector rate, void *user)
{
    problem *p = user;
    const double *x = N_VGetArrayPointer(y);
    double M[MAX_N * MAX_N], *d = N_VGetArrayPointer(rate);
    p->mass(t, x, M, p);
    p->force(t, x, x + p->n, d + p->n, p);
    solve(p->n, M, d + p->n);
    memcpy(d, x + p->n, (size_t)p->n * sizeof(double));
    p->evaluations++;
    return 0;
}

static outcome run_cvode(problem *p, double tol, const double *exact)
{
    SUNContext context;
    need(SUNContext_Create(NULL, &context) == 0, "no context of SUNDIALS");
    N_Vector y = N_VNew_Serial(2 * p->n, context);
    double *x = N_VGetArrayPointer(y), t;
    memcpy(x, p->q, (size_t)p->n * sizeof(double));
    memcpy(x + p->n, p->u, (size_t)p->n * sizeof(double));
    void *c = CVodeCreate(CV_ADAMS, context);
    SUNNonlinearSolver fixed_point = SUNNonlinSol_FixedPoint(y, 0, context);
    need(CVodeInit(c, right_side, 0, y) == 0 && CVodeSStolerances(c, tol, tol) == 0 &&
             CVodeSetUserData(c, p) == 0 && CVodeSetNonlinearSolver(c, fixed_point) == 0 &&
             CVodeSetMaxNumSteps(c, 1000000) == 0 && CVodeSetStopTime(c, p->end) == 0,
         "CVODE cannot be set up");
    outcome o = {0};
    p->evaluations = 0;
    const double begin = cpu_seconds();
    need(CVode(c, p->end, y, &t, CV_NORMAL) >= 0, "CVODE fails");
    o.seconds = cpu_seconds() - begin;
    o.evaluations = p->evaluations;
    CVodeGetNumSteps(c, &o.steps);
    o.error = distance(p, x, exact);
    CVodeFree(&c);
    SUNNonlinSolFree(fixed_point);
    N_VDestroy(y);
    SUNContext_Free(&context);
    return o;
}

static outcome run_ours(problem *p, const char *method, double tol, const double *exact, double *end)
{
    tml_error err = {0};
    tml_user_system_def def = tml_user_system_def_default();
    tml_system *sys = NULL;
    tml_state *x = NULL;
    tml_sim *sim = NULL;
    def.n = p->n;
    def.mass = p->mass;
    def.force = p->force;
    def.user = p;
    need(tml_system_create_user(&def, NULL, &sys, &err) == TML_OK &&
             tml_state_create(sys, &x, &err) == TML_OK,
         err.msg);
    memcpy(x->q, p->q, (size_t)p->n * sizeof(double));
    memcpy(x->u, p->u, (size_t)p->n * sizeof(double));
    tml_run_def run = tml_run_def_default();
    run.method = method;
    run.solver = "dense";
    run.end = p->end;
    run.tol = tol;
    need(tml_sim_create_system(sys, x, &run, &sim, &err) == TML_OK, err.msg);
    outcome o = {0};
    const double begin = cpu_seconds();
    while (tml_sim_time(sim) < p->end) need(tml_sim_step(sim, p->end, &err) == TML_OK, err.msg);
    o.seconds = cpu_seconds() - begin;
    tml_sim_report report;
    tml_sim_get_report(sim, &report);
    o.evaluations = report.count.residuals;
    o.steps = report.count.steps;
    o.error = distance(p, tml_sim_state(sim)->q, exact);
    if (end) memcpy(end, tml_sim_state(sim)->q, (size_t)p->n * sizeof(double));
    tml_sim_destroy(sim);
    tml_state_destroy(x, sys);
    tml_system_destroy(sys);
    return o;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static outcome repeated(problem *p, int method, double tol, const double *exact)
{
    double seconds[REPEATS];
    outcome o = {0};
    for (int i = 0; i < REPEATS; i++) {
        o = method == 0 ? run_cvode(p, tol, exact) : run_ours(p, METHOD[method], tol, exact, NULL);
        seconds[i] = o.seconds;
    }
    qsort(seconds, REPEATS, sizeof *seconds, ascending);
    o.seconds = seconds[REPEATS / 2];
    return o;
}

// ---- tables -----------------------------------------------------------------------------------------------

static void contest(problem *p, FILE *csv)
{
    double exact[MAX_N];
    outcome run[METHODS][TOLERANCES];
    run_ours(p, "erk8", 1e-13, NULL, exact);
    for (int m = 0; m < METHODS; m++)
        for (int i = 0; i < TOLERANCES; i++) {
            const double tol = pow(10, -2 - i / 3.0);
            const outcome o = run[m][i] = repeated(p, m, tol, exact);
            if (csv)
                fprintf(csv, "%s,%s,%.2e,%.2e,%ld,%ld,%.6f\n", p->name, METHOD[m], tol, o.error, o.steps,
                        o.evaluations, 1e3 * o.seconds);
        }
    for (int m = 0; m < METHODS; m++) {
        printf("| %s | %s |", p->name, METHOD[m]);
        for (int l = 0; l < LEVELS; l++) {
            outcome best = {.evaluations = 0, .seconds = INFINITY};
            for (int i = 0; i < TOLERANCES; i++) {
                const outcome *o = &run[m][i];
                if (o->error > LEVEL[l]) continue;
                if (best.evaluations == 0 || o->evaluations < best.evaluations)
                    best.evaluations = o->evaluations;
                best.seconds = fmin(best.seconds, o->seconds);
            }
            if (best.evaluations > 0) printf(" %ld | %.3f |", best.evaluations, 1e3 * best.seconds);
            else printf(" - | - |");
        }
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    FILE *csv = NULL;
    if (argc == 3 && strcmp(argv[1], "--csv") == 0) csv = fopen(argv[2], "w");
    if (argc > 1 && !csv) {
        fprintf(stderr, "usage: bench_cvode [--csv FILE]\n");
        return 2;
    }
    if (csv) fprintf(csv, "problem,method,tolerance,error,steps,evaluations,milliseconds\n");
    printf("| problem | method |");
    for (int l = 0; l < LEVELS; l++) printf(" %.0e | time [ms] |", LEVEL[l]);
    printf("\n|---|---|");
    for (int l = 0; l < 2 * LEVELS; l++) printf("---|");
    printf("\n");
    for (size_t i = 0; i < sizeof PROBLEMS / sizeof *PROBLEMS; i++) contest(&PROBLEMS[i], csv);
    if (csv) fclose(csv);
    return 0;
}
