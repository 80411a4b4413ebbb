// Appendix A of D. Negrut, On the implicit integration of differential-algebraic equations of multibody
// dynamics, thesis, University of Iowa, 1998: the columns of the integration Jacobian on p processors, by the
// algorithm of its Table 31, model by model. The thesis has not implemented it and prints no numbers.
//   1      factor the augmented matrix (A.13), by the solver `reduced` (Algorithm 3)
//   2      evaluate the basic derivatives
//   3      factor Phi_u
//   4-12   two solutions per degree of freedom: a column of J1 and one of J2
// Each step is measured on one processor. On p of them steps 1 to 3 are distributed, and every processor
// computes ceil(ndof/p) columns. `at once` is what a run does instead with few degrees of freedom: all
// columns by matrix products (docs/theory/reduction.md (14)). Both must be the same matrices. usage:
// papers_004_parallel [--out DIR], from the top of the tree. Takes half a minute.
#include "paper_run.h"

#include "base/pool.h"
#include "consistency/consistent.h"
#include "reduction/internal.h"
#include "system/joint_space/joint_space.h"

enum { STEPS = 4, PROCESSORS = 4, ROUNDS = 40 };

static const int PROCESSOR[PROCESSORS] = {2, 4, 8, 16};
static const double ROUND_SECONDS = 0.5;  // [s] of a measurement
static const double LATER = 0.1;          // [s] from the start of the models

typedef struct subject {
    const char *name, *model, *n;  // n: parameter N; NULL: none
    bool joints;                   // joint coordinates, else those of the bodies
} subject;

static const subject SUBJECTS[] = {{"stiff double pendulum", "stiff_double_pendulum", NULL, false},
                                   {"seven-body", "andrews", NULL, false},
                                   {"vehicle", "hmmwv", NULL, false},
                                   {"vehicle, joint coordinates", "hmmwv", NULL, true},
                                   {"chain", "chain", "50", false},
                                   {"chain", "chain", "100", false},
                                   {"chain", "chain", "200", false},
                                   {"chain", "chain", "400", false}};
enum { COUNT = sizeof SUBJECTS / sizeof *SUBJECTS };

typedef struct setup {
    tml_model *model;
    tml_system *joints;  // owned; NULL: the model's own
    const tml_system *sys;
    tml_state *x;
    tml_counters count;
    tmli_reduction *columns, *at_once;
    double *J[4];  // J1, J2 by columns and at once
} setup;

typedef struct result {
    int dof;
    double step[STEPS];  // [s]
    double at_once;      // [s]; NAN: not used for so many degrees of freedom
    double difference;   // of the matrices, relative to their largest entry
} result;

// ---- the system -------------------------------------------------------------------------------------------

// x (bodies) after LATER: at the start a chain is straight and at rest, and its derivatives are zero.
static tml_status move(const tml_model *model, tml_state *x, tml_error *err)
{
    tml_sim *sim = NULL;
    const paper_case c = {.method = "for-sdirk", .tol = 1e-3, .end = LATER};
    const tml_run_def run = paper_run_def(model, &c);
    tml_status st = tml_sim_create(model, &run, &sim, err);
    if (st == TML_OK) st = tml_sim_run(sim, LATER, err);
    if (st == TML_OK) tml_state_copy(x, tml_sim_state(sim));
    tml_sim_destroy(sim);
    return st;
}

static tml_status find_state(setup *s, const subject *what, const tml_integrator_options *opt, tml_error *err)
{
    const tml_system *base = tml_model_system(s->model);
    tml_state *x = NULL;
    tmli_consistent start = {0};
    tml_status st = tml_state_create(base, &x, err);
    if (st == TML_OK) st = move(s->model, x, err);
    s->sys = base;
    if (st == TML_OK && what->joints) {
        st = tmli_joint_space_create(base, true, INFINITY, &s->joints, err);
        if (st == TML_OK) s->sys = s->joints;
    }
    if (st == TML_OK) st = tml_state_create(s->sys, &s->x, err);
    void *work = st == TML_OK ? s->sys->ops->create_work(s->sys->self, &s->sys->env) : NULL;
    if (st == TML_OK && what->joints) st = tmli_joint_space_from_base(s->joints, work, x, s->x, err);
    else if (st == TML_OK) tml_state_copy(s->x, x);
    if (work) s->sys->ops->destroy_work(work);
    if (st == TML_OK) st = tmli_consistent_create(s->sys, opt->solver, &start, err);
    if (st == TML_OK) st = tmli_consistent_project(&start, s->x, err);
    tmli_consistent_clear(&start);
    tml_state_destroy(x, base);
    return st;
}

static tml_model *read_model(const subject *what, tml_error *err)
{
    char path[128];
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    const tml_parameter set = {.name = "N", .text = what->n};
    snprintf(path, sizeof path, "models/%s.yaml", what->model);
    if (tml_spec_read(path, &set, what->n ? 1 : 0, NULL, &spec, err) == TML_OK)
        tml_model_build(spec, &model, err);
    tml_spec_destroy(spec);
    return model;
}

static tml_status prepare(setup *s, const subject *what, tml_error *err)
{
    tml_integrator_options opt = tml_integrator_options_default();
    opt.solver = tml_linsolver_find("reduced");
    bool changed;
    s->model = read_model(what, err);
    tml_status st = s->model ? find_state(s, what, &opt, err) : err->status;
    tmli_reduction **const both[2] = {&s->columns, &s->at_once};
    for (int i = 0; i < 2 && st == TML_OK; i++) {
        st = tmli_reduction_create(s->sys, &opt, true, &s->count, both[i], err);
        if (st == TML_OK) st = tmli_reduction_begin(*both[i], s->x, &changed, err);
    }
    const size_t dof = st == TML_OK ? (size_t)tmli_reduction_dof(s->columns) : 0;
    for (int i = 0; i < 4 && st == TML_OK; i++)
        if (!(s->J[i] = calloc(dof * dof, sizeof(double)))) st = TML_ERR_NOMEM;
    return st;
}

static void put_away(setup *s)
{
    for (int i = 0; i < 4; i++) free(s->J[i]);
    tmli_reduction_destroy(s->columns);
    tmli_reduction_destroy(s->at_once);
    tml_state_destroy(s->x, s->sys);
    if (s->joints) tml_system_destroy(s->joints);
    tml_model_destroy(s->model);
}

// ---- measurements -----------------------------------------------------------------------------------------

static tml_status take_step(setup *s, int step, tml_error *err)
{
    tmli_reduction *r = s->columns;
    tmli_thread_work *tw = &r->main_work;
    const size_t dof = (size_t)r->dof;
    switch (step) {
    case 0: return tmli_index1_factor(&tw->dynamics, s->x, 0, 0, err);
    case 1: return tmli_reduction_element_derivatives(r, s->x, err);
    case 2:
        return r->sys->m == 0 || tmli_columns_factor(&tw->centre_factor, r->B_scaled) ? TML_OK : TML_RETRY;
    case 3:
        for (size_t k = 0; k < dof; k++)
            tmli_reduction_exact_column(r, tw, s->x, (int)k, s->J[0] + k * dof, s->J[1] + k * dof);
        return TML_OK;
    default: return tmli_reduction_jacobian(s->at_once, s->x, s->J[2], s->J[3], NULL, err);
    }
}

// Least processor time of a step [s].
static tml_status time_step(setup *s, int step, double *seconds, tml_error *err)
{
    const double begin = paper_now();
    tml_status st = TML_OK;
    *seconds = INFINITY;
    for (int i = 0; i < ROUNDS && st == TML_OK && (i < 3 || paper_now() - begin < ROUND_SECONDS); i++) {
        const double start = paper_now();
        st = take_step(s, step, err);
        *seconds = fmin(*seconds, paper_now() - start);
    }
    return st;
}

static double largest_difference(const setup *s, int dof)
{
    double most = 0, size = 0;
    for (size_t i = 0; i < (size_t)dof * (size_t)dof; i++)
        for (int k = 0; k < 2; k++) {
            most = fmax(most, fabs(s->J[k][i] - s->J[2 + k][i]));
            size = fmax(size, fabs(s->J[2 + k][i]));
        }
    return most / size;
}

static bool measure(paper *p, const subject *what, result *out)
{
    setup s = {0};
    tml_error err = {0};
    tml_status st = prepare(&s, what, &err);
    for (int step = 0; step < STEPS && st == TML_OK; step++) st = time_step(&s, step, &out->step[step], &err);
    if (st == TML_OK) st = time_step(&s, STEPS, &out->at_once, &err);
    if (st == TML_OK) {
        out->dof = s.columns->dof;
        out->difference = largest_difference(&s, out->dof);
        if (!s.at_once->dense_memory) out->at_once = (double)NAN;
    } else {
        paper_fail(p, what->name, err.msg);
    }
    put_away(&s);
    return st == TML_OK;
}

// Time on p processors [s]: steps 1 to 3 by the best distribution, then ceil(ndof/p) columns.
static double time_on(const result *r, int processors)
{
    const double *t = r->step;
    const double all = t[0] + t[1] + t[2], most = fmax(t[0], fmax(t[1], t[2]));
    const double first = processors == 1 ? all : processors == 2 ? fmax(most, all - most) : most;
    return first + t[3] / r->dof * ((r->dof + processors - 1) / processors);
}

// Processor time of waking p threads and waiting for them [s].
static void nothing(void *arg, int worker) { (void)arg, (void)worker; }

static double wake_up(int threads)
{
    tmli_pool *pool = NULL;
    const tml_env env = {0};
    double least = INFINITY;
    if (tmli_pool_create(threads, &env, &pool, NULL) != TML_OK) return (double)NAN;
    for (int i = 0; i < 200; i++) {
        const double start = paper_now();
        tmli_pool_run(pool, nothing, NULL);
        least = fmin(least, paper_now() - start);
    }
    tmli_pool_destroy(pool);
    return least;
}

// ---- tables -----------------------------------------------------------------------------------------------

static void print_steps(paper *p, const result *r)
{
    double off = 0;
    paper_part("steps", "exact exact time", NULL);
    puts("| | degrees of freedom | 1: factor | 2: derivatives | 3: Phi_u | 4-12: columns | together | a "
         "column |");
    puts("|---|---|---|---|---|---|---|---|");
    for (int i = 0; i < COUNT; i++) {
        const double *t = r[i].step;
        printf("| %s | %d | %.1f | %.1f | %.1f | %.1f | %.1f | %.2f |\n", SUBJECTS[i].name, r[i].dof,
               1e6 * t[0], 1e6 * t[1], 1e6 * t[2], 1e6 * t[3], 1e6 * time_on(&r[i], 1),
               1e6 * t[3] / r[i].dof);
        if (!(r[i].difference <= off)) off = r[i].difference;
    }
    // two ways of solving with a condition number of up to 1e6
    paper_within(p, "columns as those of a run: largest relative difference", off, 0, 1e-8);
}

static void print_processors(const result *r)
{
    paper_part("processors", "exact exact time", NULL);
    paper_no_law("times");
    puts(
        "| | degrees of freedom | p = 2 | 4 | 8 | 16 | ndof | at once, one processor | processors that equal "
        "it |");
    puts("|---|---|---|---|---|---|---|---|---|");
    for (int i = 0; i < COUNT; i++) {
        const double one = time_on(&r[i], 1);
        int equal = 1;
        while (equal < r[i].dof && time_on(&r[i], equal) > r[i].at_once) equal++;
        printf("| %s | %d |", SUBJECTS[i].name, r[i].dof);
        for (int k = 0; k < PROCESSORS; k++) printf(" %.2f |", one / time_on(&r[i], PROCESSOR[k]));
        printf(" %.2f |", one / time_on(&r[i], r[i].dof));
        if (isnan(r[i].at_once)) puts(" | |");
        else if (time_on(&r[i], equal) > r[i].at_once) printf(" %.2f | none |\n", one / r[i].at_once);
        else printf(" %.2f | %d |\n", one / r[i].at_once, equal);
    }
}

// Whole runs of `for-rosen`, which evaluates the Jacobian in every step, on threads. A thread waits without
// using its processor, so that the time of the first one is that of the run if every thread has a processor;
// but for waiting for LAPACK, which one thread calls at a time.
static bool timed_run(const tml_model *model, double end, int threads, double *seconds, tml_state *last,
                      tml_error *err)
{
    tml_sim *sim = NULL;
    const paper_case c = {
        .method = "for-rosen", .tol = 1e-3, .end = end, .kinematics = TML_KINEMATICS_JOINTS};
    tml_run_def run = paper_run_def(model, &c);
    run.threads = threads;
    tml_status st = tml_sim_create(model, &run, &sim, err);
    const double begin = paper_now();
    if (st == TML_OK) st = tml_sim_run(sim, end, err);
    *seconds = paper_now() - begin;
    if (st == TML_OK) tml_state_copy(last, tml_sim_state(sim));
    tml_sim_destroy(sim);
    return st == TML_OK;
}

static void print_run(paper *p, const subject *what, double end)
{
    static const int THREADS[4] = {1, 2, 4, 8};
    tml_error err = {0};
    tml_state *x[2] = {NULL, NULL};
    double seconds[4];
    char law[128];
    tml_model *model = read_model(what, &err);
    bool good = model != NULL, same = true;
    for (int i = 0; i < 2 && good; i++)
        good = tml_state_create(tml_model_system(model), &x[i], &err) == TML_OK;
    for (int i = 0; i < 4 && good; i++) {
        good = timed_run(model, end, THREADS[i], &seconds[i], x[i > 0], &err);
        if (good && i > 0) same = same && memcmp(x[0]->q, x[1]->q, (size_t)x[0]->nq * sizeof(double)) == 0;
    }
    if (good) {
        printf("| %s%s%s | %g | %.1f |", what->name, what->n ? " " : "", what->n ? what->n : "", end,
               1e3 * seconds[0]);
        for (int i = 1; i < 4; i++) printf(" %.2f |", seconds[0] / seconds[i]);
        snprintf(law, sizeof law, "%s %s: the same bits on any number of threads", what->name,
                 what->n ? what->n : "");
        same = paper_law(p, law, same);
        printf(" %s |\n", same ? "yes" : "NO");
    }
    if (!good) paper_fail(p, what->name, err.msg);
    for (int i = 0; i < 2; i++)
        if (model) tml_state_destroy(x[i], tml_model_system(model));
    tml_model_destroy(model);
}

static void write_csv(paper *p, const result *r)
{
    FILE *f = paper_open(p, "004_parallel.csv");
    if (!f) return;
    fprintf(f, "model,dof,factor,derivatives,phi_u,columns,at_once\n");
    for (int i = 0; i < COUNT; i++) {
        fprintf(f, "\"%s\",%d", SUBJECTS[i].name, r[i].dof);
        for (int k = 0; k < STEPS; k++) fprintf(f, ",%.4g", r[i].step[k]);
        fprintf(f, ",%.4g\n", r[i].at_once);
    }
    paper_close(p, f, "004_parallel.csv");
}

int main(int argc, char **argv)
{
    paper p;
    static result r[COUNT];
    if (!paper_arguments(&p, argc, argv)) return 2;
    bool good = true;
    for (int i = 0; i < COUNT; i++) good = measure(&p, &SUBJECTS[i], &r[i]) && good;
    if (good) {
        print_steps(&p, r);
        print_processors(r);
        paper_part("threads", "exact", "time");
        paper_no_law("times");
        printf("Waking two threads and waiting for them takes %.1f us of processor time, eight %.1f us.\n",
               1e6 * wake_up(2), 1e6 * wake_up(8));
        paper_part("runs", "exact exact time time time time exact", NULL);
        puts("| | length [s] | one thread [ms] | 2 threads | 4 | 8 | same bits "
             "|\n|---|---|---|---|---|---|---|");
        for (int i = 3; i < COUNT; i++) print_run(&p, &SUBJECTS[i], i == 3 ? 1 : 0.02);
        write_csv(&p, r);
    }
    return paper_end(&p);
}
