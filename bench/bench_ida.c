// Trammel's methods compared with IDA of SUNDIALS at equal achieved error: Andrews' squeezing mechanism over
// 0.03 s.
//
//   bench_ida [--csv FILE] [--limit SECONDS] [--repeats N] [--quick]
//
// Two sets of equations, each for both codes: those of models/andrews.yaml (seven bodies, ten joints) and the
// classical seven angles written by hand. IDA solves the stabilized index-2 form (ida_solver.h) with an
// analytic Jacobian. The error is the largest of the seven angles at the end against the converged solution
// [rad].
//
// First every scheme runs once at every tolerance: IDA with many settings, of which the best one counts at
// each error; Trammel's methods with every linear solver. Then the relevant runs are repeated alternately,
// IDA's and Trammel's mixed, so that disturbances of the machine affect both; the median counts. Times are
// processor time from a consistent start to the end, without creation and results, for both codes. Run from
// the top of the tree: it reads models/.
#include "ida_andrews.h"
#include "ida_curves.h"
#include "ida_solver.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_version.h>
#include <trammel/sim.h>

enum { MAX_CURVES = 160, MAX_GROUPS = 40, LEVELS = 7 };
static const double LEVEL[LEVELS] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};

typedef struct options {
    FILE *csv;
    double limit;  // [s] of one run
    int repeats;
    bool quick;  // fewer settings of IDA
} options;

/** One problem with all that runs on it. */
typedef struct contest {
    ida_problem problem;
    bool of_bodies;
    const tml_model *model;  // NULL: a user system
    int count;
    curve curve[MAX_CURVES];
    ida_setting setting[MAX_CURVES];  // of IDA's curves
    int groups;
    const char *group[MAX_GROUPS];  // our methods that can do it
} contest;

static void need(tml_status st, const tml_error *err)
{
    if (st == TML_OK) return;
    fprintf(stderr, "%s: %s\n", tml_status_name(st), err->msg);
    exit(1);
}

// ---- runs -------------------------------------------------------------------------------------------------

static tml_sim *create_sim(const contest *c, const char *method, const char *solver, double tol,
                           tml_error *err)
{
    tml_run_def run = tml_run_def_default();
    run.method = method;
    run.solver = solver;
    run.end = ANDREWS_END;
    run.output_step = ANDREWS_END;
    run.tol = tol;
    tml_sim *sim = NULL;
    if (c->model) tml_sim_create(c->model, &run, &sim, err);
    else tml_sim_create_system(c->problem.sys, c->problem.start, &run, &sim, err);
    return sim;
}

static void residuals(const tml_system *s, const tml_state *x, curve_point *p)
{
    tml_error err = {0};
    void *work = s->ops->create_work(s->self, NULL);
    double *r = calloc((size_t)(s->n + s->m), sizeof *r);
    if (!work || !r) exit(1);
    need(s->ops->residual(s->self, work, x, NULL, r, r + s->n, &err), &err);
    for (int i = 0; i < s->m; i++) p->position = fmax(p->position, fabs(r[s->n + i]));
    need(s->ops->velocity(s->self, work, x, r, &err), &err);
    for (int i = 0; i < s->m; i++) p->velocity = fmax(p->velocity, fabs(r[i]));
    free(r);
    s->ops->destroy_work(work);
}

// NULL, or why the run did not reach the end.
static const char *run_ours(const contest *c, const curve *k, double tol, double limit, curve_point *p)
{
    tml_error err = {0};
    tml_sim *sim = create_sim(c, k->group, k->label, tol, &err);
    if (!sim) return "cannot start";
    const char *wrong = NULL;
    const double begin = cpu_seconds();
    for (long i = 1; tml_sim_time(sim) < ANDREWS_END && !wrong; i++) {
        if (tml_sim_step(sim, ANDREWS_END, &err) != TML_OK) wrong = "fails on the way";
        if (i % 256 == 0 && cpu_seconds() - begin > limit) wrong = "time limit";
    }
    const double seconds = cpu_seconds() - begin;
    if (!wrong) {
        tml_sim_report report;
        tml_sim_get_report(sim, &report);
        const tml_counters *n = &report.count;
        p->error = andrews_error(tml_sim_state(sim)->q, c->of_bodies);
        p->steps = n->steps;
        p->rejected = n->rejected_error + n->rejected_newton;
        p->evaluations = n->residuals;
        p->iterations = n->iterations;
        p->factorizations = n->factorizations;
        p->position = p->velocity = 0;
        residuals(c->problem.sys, tml_sim_state(sim), p);
        curve_add_time(p, seconds);
    }
    tml_sim_destroy(sim);
    return wrong;
}

static const char *run_ida(const contest *c, int index, double tol, double limit, curve_point *p)
{
    ida_result r;
    double *q = calloc((size_t)c->problem.sys->nq, sizeof *q);
    if (!q) exit(1);
    const char *wrong = ida_run(&c->problem, &c->setting[index], tol, limit, q, &r);
    if (!wrong) {
        p->error = andrews_error(q, c->of_bodies);
        p->steps = r.steps;
        p->rejected = r.rejected;
        p->evaluations = r.evaluations;
        p->iterations = r.iterations;
        p->factorizations = r.factorizations;
        p->position = r.position;
        p->velocity = r.velocity;
        curve_add_time(p, r.seconds);
    }
    free(q);
    return wrong;
}

static bool is_ida(const curve *k) { return strcmp(k->group, "IDA") == 0; }

static const char *run_point(contest *c, int index, curve_point *p, double limit)
{
    const curve *k = &c->curve[index];
    return is_ida(k) ? run_ida(c, index, p->tol, limit, p) : run_ours(c, k, p->tol, limit, p);
}

// ---- what takes part --------------------------------------------------------------------------------------

static curve *add_curve(contest *c, const char *group, const char *label, bool plain)
{
    if (c->count == MAX_CURVES) exit(1);
    curve *k = &c->curve[c->count++];
    *k = (curve){.group = group, .plain = plain};
    snprintf(k->label, sizeof k->label, "%s", label);
    return k;
}

static void add_ida(contest *c, ida_setting s, bool plain)
{
    char name[80];
    c->setting[c->count] = s;
    add_curve(c, "IDA", ida_setting_name(&s, name, sizeof name), plain);
}

// SUNDIALS' own choices are order 5 and 0.33. KLU is ahead of the dense solver with both sets of equations,
// so the dense one is tried with the plain settings only.
static void add_all_ida(contest *c, const options *opt)
{
    static const struct {
        bool all;
        double loose;
    } control[] = {{false, 1}, {false, 1e3}, {false, 1e6}, {true, 1}, {true, 1e3}};
    static const double newton[] = {0.33, 0.1, 0.02}, speed[] = {1, 100, 1000};
    add_ida(c, (ida_setting){false, 1, 5, 0.33, 1, false}, false);
    for (int i = 0; i < 5; i++)
        for (int order = 5; order >= (opt->quick ? 5 : 4); order--)
            for (int k = 0; k < (opt->quick ? 1 : 3); k++)
                for (int l = 0; l < (opt->quick ? 2 : 3); l++) {
                    const ida_setting s = {control[i].all, control[i].loose, order,
                                           newton[k],      speed[l],         true};
                    add_ida(c, s, i == 0 && order == 5 && k == 0 && l == 0);
                }
}

static void add_all_ours(contest *c)
{
    for (int i = 0; tml_methods[i] && c->groups < MAX_GROUPS; i++) {
        const char *name = tml_methods[i]->name;
        tml_error err = {0};
        tml_sim *sim = create_sim(c, name, "auto", 1e-3, &err);
        if (!sim) {
            printf("%s: left out (%s)\n", name, err.msg);
            continue;
        }
        tml_sim_destroy(sim);
        c->group[c->groups++] = name;
        add_curve(c, name, "auto", true);
        for (int k = 0; tml_linsolvers[k]; k++) add_curve(c, name, tml_linsolvers[k]->name, false);
    }
}

// ---- measuring --------------------------------------------------------------------------------------------

// Every scheme once, loose tolerances first. A curve ends where a run fails or takes too long.
static void scan(contest *c, const options *opt)
{
    for (int i = 0; i < CURVE_POINTS; i++)
        for (int k = 0; k < c->count; k++) {
            curve *v = &c->curve[k];
            const int tolerances = is_ida(v) ? CURVE_POINTS : 9;  // ours mean what they say: down to 1e-10
            if (v->end || i >= tolerances) continue;
            curve_point *p = &v->point[v->count];
            *p = (curve_point){.tol = pow(10, -2 - i)};
            const char *wrong = run_point(c, k, p, opt->limit);
            if (!wrong) v->count++;
            // a loose tolerance may be too loose to go through; what comes after may not
            else if (v->count > 0 || i > 3 || strcmp(wrong, "time limit") == 0) v->end = wrong;
        }
}

static void want(contest *c, const char *group, bool plain, double error)
{
    double seconds;
    const int k = curve_fastest(c->curve, c->count, group, plain, false, error, &seconds);
    if (k < 0) return;
    int low, high;
    curve_time(&c->curve[k], error, &low, &high);
    c->curve[k].point[low].wanted = c->curve[k].point[high].wanted = true;
}

// What is fastest at a level of error on either side is measured again, in turn.
static void repeat(contest *c, const options *opt)
{
    for (int i = 0; i < LEVELS; i++) {
        want(c, "IDA", true, LEVEL[i]);
        want(c, "IDA", false, LEVEL[i]);
        for (int g = 0; g < c->groups; g++) {
            want(c, c->group[g], true, LEVEL[i]);
            want(c, c->group[g], false, LEVEL[i]);
        }
    }
    for (int r = 0; r < opt->repeats; r++)
        for (int i = 0; i < CURVE_POINTS; i++)
            for (int k = 0; k < c->count; k++) {
                curve_point *p = &c->curve[k].point[i];
                if (i >= c->curve[k].count || !p->wanted) continue;
                if (r == 0) p->times = 0;
                run_point(c, k, p, 10 * opt->limit);
            }
}

// ---- tables -----------------------------------------------------------------------------------------------

static void print_points(const contest *c)
{
    printf("\n%-9s %-50s %6s %8s %9s %7s %5s %7s %7s %6s %8s %8s\n", "", "setting or solver", "tol", "error",
           "time [ms]", "steps", "rej.", "eval.", "iter.", "fact.", "Phi", "B u");
    for (int k = 0; k < c->count; k++)
        for (int i = 0; i < c->curve[k].count; i++) {
            const curve_point *p = &c->curve[k].point[i];
            if (!p->wanted) continue;
            printf("%-9s %-50s %6.0e %8.1e %9.2f %7ld %5ld %7ld %7ld %6ld %8.0e %8.0e\n", c->curve[k].group,
                   c->curve[k].label, p->tol, p->error, 1e3 * p->seconds, p->steps, p->rejected,
                   p->evaluations, p->iterations, p->factorizations, p->position, p->velocity);
        }
}

static void print_line(const contest *c, const char *name, const char *group, bool plain, const double *ida)
{
    printf("%-28s", name);
    for (int i = 0; i < LEVELS; i++) {
        double seconds;
        const int k = curve_fastest(c->curve, c->count, group, plain, true, LEVEL[i], &seconds);
        if (k < 0 || (ida && isnan(ida[i]))) printf(" %8s", "-");
        else if (ida) printf(" %8.2f", seconds / ida[i]);
        else printf(" %8.2f", 1e3 * seconds);
    }
    putchar('\n');
}

static void print_ratios(const contest *c)
{
    double ida[LEVELS];
    char name[64];
    printf("\n%-28s", "error [rad]");
    for (int i = 0; i < LEVELS; i++) {
        printf(" %8.0e", LEVEL[i]);
        curve_fastest(c->curve, c->count, "IDA", false, true, LEVEL[i], &ida[i]);
    }
    puts("\n  time [ms]");
    print_line(c, "IDA, its best settings", "IDA", false, NULL);
    print_line(c, "IDA, plain", "IDA", true, NULL);
    for (int g = 0; g < c->groups; g++) print_line(c, c->group[g], c->group[g], true, NULL);
    puts("  over IDA's best time");
    for (int g = 0; g < c->groups; g++) {
        print_line(c, c->group[g], c->group[g], true, ida);
        snprintf(name, sizeof name, "%s, best solver", c->group[g]);
        print_line(c, name, c->group[g], false, ida);
    }
    print_line(c, "best of ours", NULL, false, ida);
}

static void print_winners(const contest *c)
{
    puts("");
    for (int i = 0; i < LEVELS; i++) {
        double ours, ida;
        const int k = curve_fastest(c->curve, c->count, NULL, false, true, LEVEL[i], &ours);
        const int other = curve_fastest(c->curve, c->count, "IDA", false, true, LEVEL[i], &ida);
        if (k < 0 || other < 0) {
            printf("%.0e: %s\n", LEVEL[i],
                   k < 0 ? "out of our reach within the limit" : "out of IDA's reach");
            continue;
        }
        printf("%.0e: %s with %s, %.2f of IDA's time (%s)\n", LEVEL[i], c->curve[k].group, c->curve[k].label,
               ours / ida, c->curve[other].label);
    }
}

static void write_csv(const contest *c, FILE *f)
{
    for (int k = 0; k < c->count; k++)
        for (int i = 0; i < c->curve[k].count; i++) {
            const curve_point *p = &c->curve[k].point[i];
            fprintf(f, "%s,%s,%s,%g,%.4e,%.6e,%d,%ld,%ld,%ld,%ld,%ld,%.2e,%.2e\n", c->problem.name,
                    c->curve[k].group, c->curve[k].label, p->tol, p->error, p->seconds, p->times, p->steps,
                    p->rejected, p->evaluations, p->iterations, p->factorizations, p->position, p->velocity);
        }
    fflush(f);
}

// ---- the two problems -------------------------------------------------------------------------------------

// IDA must solve the same equations: Jacobian, direct formulas and start are checked before anything is
// timed.
static void self_test(const contest *c)
{
    const ida_problem *p = &c->problem;
    const double dense = ida_check_jacobian(p, false), sparse = ida_check_jacobian(p, true);
    printf("\n%s: Jacobian against differences: dense %.0e, sparse %.0e", p->name, dense, sparse);
    bool good = dense >= 0 && sparse >= 0 &&
                fmax(dense, sparse) < 1e-6;  // differences: 1e-16/1e-6 and terms of 1e-12
    if (p->evaluate) {
        const tml_system *s = p->sys;
        double r[2][ANDREWS_N + ANDREWS_M], rows[2][ANDREWS_N * ANDREWS_M], off = 0;
        void *work = s->ops->create_work(s->self, NULL);
        tml_state *x = NULL;
        tml_error err = {0};
        need(tml_state_create(s, &x, &err), &err);
        tml_state_copy(x, p->start);
        for (int i = 0; i < ANDREWS_N; i++) x->u[i] = 10 * sin(3.0 * i);
        need(s->ops->residual_rows(s->self, work, x, NULL, r[0], r[0] + ANDREWS_N, rows[0], &err), &err);
        p->evaluate(x, r[1], r[1] + ANDREWS_N, rows[1]);
        for (int i = 0; i < ANDREWS_N + ANDREWS_M; i++) off = fmax(off, fabs(r[0][i] - r[1][i]));
        for (int i = 0; i < ANDREWS_N * ANDREWS_M; i++) off = fmax(off, fabs(rows[0][i] - rows[1][i]));
        printf("; direct formulas: %.0e", off);
        good = good && off < 1e-14;
        tml_state_destroy(x, s);
        s->ops->destroy_work(work);
    }
    // published accelerations of beta and theta at the start; the bodies turn by beta and beta + theta
    const double *a = p->start->udot;
    const double beta = c->of_bodies ? a[2] : a[0], theta = c->of_bodies ? a[5] - a[2] : a[1];
    const double off = fmax(fabs(beta / 14222.4439199541139 - 1), fabs(theta / -10666.8329399655854 - 1));
    printf("; accelerations at the start: %.0e\n", off);
    if (good && off < 1e-9) return;
    fputs("the self-test fails\n", stderr);
    exit(1);
}

static void compete(contest *c, const options *opt)
{
    self_test(c);
    fflush(stdout);
    add_all_ida(c, opt);
    add_all_ours(c);
    scan(c, opt);
    repeat(c, opt);
    for (int k = 0; k < c->count; k++) {
        const curve *v = &c->curve[k];
        if (v->plain && v->end)
            printf("%s, %s: %s below tolerance %.0e\n", v->group, v->label, v->end,
                   v->count ? v->point[v->count - 1].tol : 1);
    }
    print_points(c);
    print_ratios(c);
    print_winners(c);
    fflush(stdout);
    if (opt->csv) write_csv(c, opt->csv);
}

static void keep_start(contest *c, tml_state **start)
{
    tml_error err = {0};
    tml_sim *sim = create_sim(c, tml_methods[0]->name, "dense", 1e-3, &err);
    need(sim ? TML_OK : err.status, &err);
    need(tml_state_create(c->problem.sys, start, &err), &err);
    tml_state_copy(*start, tml_sim_state(sim));
    tml_sim_destroy(sim);
    c->problem.start = *start;
}

static void with_bodies(contest *c, const options *opt)
{
    tml_error err = {0};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_state *start = NULL;
    need(tml_spec_read("models/andrews.yaml", NULL, 0, NULL, &spec, &err), &err);
    need(tml_model_build(spec, &model, &err), &err);
    tml_spec_destroy(spec);
    *c = (contest){.model = model, .of_bodies = true};
    c->problem = (ida_problem){.name = "bodies", .sys = tml_model_system(model), .end = ANDREWS_END};
    keep_start(c, &start);
    compete(c, opt);
    tml_state_destroy(start, c->problem.sys);
    tml_model_destroy(model);
}

static void with_angles(contest *c, const options *opt)
{
    tml_error err = {0};
    tml_system *sys = NULL;
    tml_state *given = NULL, *start = NULL;
    const tml_user_system_def def = andrews_user();
    need(tml_system_create_user(&def, NULL, &sys, &err), &err);
    need(tml_state_create(sys, &given, &err), &err);
    memcpy(given->q, andrews_start, sizeof andrews_start);
    *c = (contest){0};
    c->problem = (ida_problem){.name = "angles",
                               .sys = sys,
                               .start = given,
                               .end = ANDREWS_END,
                               .evaluate = andrews_evaluate,
                               .rows_times = andrews_rows_times};
    keep_start(c, &start);
    compete(c, opt);
    tml_state_destroy(start, sys);
    tml_state_destroy(given, sys);
    tml_system_destroy(sys);
}

static int usage(void)
{
    fputs("usage: bench_ida [--csv FILE] [--limit SECONDS] [--repeats N] [--quick]\n", stderr);
    return 2;
}

int main(int argc, char **argv)
{
    options opt = {.limit = 1, .repeats = 5};
    const char *csv = NULL;
    for (int i = 1; i < argc; i++) {
        const bool more = i + 1 < argc;
        if (strcmp(argv[i], "--quick") == 0) opt.quick = true;
        else if (strcmp(argv[i], "--csv") == 0 && more) csv = argv[++i];
        else if (strcmp(argv[i], "--limit") == 0 && more) opt.limit = atof(argv[++i]);
        else if (strcmp(argv[i], "--repeats") == 0 && more) opt.repeats = atoi(argv[++i]);
        else return usage();
    }
    if (!(opt.limit > 0) || opt.repeats < 1 || opt.repeats > CURVE_REPEATS) return usage();
    if (csv && !(opt.csv = fopen(csv, "w"))) {
        perror(csv);
        return 1;
    }
    contest *c = malloc(sizeof *c);
    if (!c) return 1;
    char version[32];
    SUNDIALSGetVersion(version, sizeof version);
    printf("Andrews' squeezing mechanism to t = %g s, IDA of SUNDIALS %s, median of %d runs\n", ANDREWS_END,
           version, opt.repeats);
    if (opt.csv)
        fputs("equations,scheme,setting,tol,error,seconds,runs,steps,rejected,evaluations,iterations,"
              "factorizations,position_residual,velocity_residual\n",
              opt.csv);
    with_bodies(c, &opt);
    with_angles(c, &opt);
    free(c);
    return opt.csv && fclose(opt.csv) != 0;
}
