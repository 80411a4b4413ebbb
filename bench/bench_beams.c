// Flying beams: time of a run with the error that it reaches; cost per element at many elements.
//
//   bench_beams             both, some minutes
//   bench_beams runs        the runs alone
//   bench_beams elements    the cost per element alone
//   bench_beams METHOD      the runs, with one method
//   bench_beams plane|space ELEMENTS TOL [METHOD [STEP]]   one run: its error, step count and time; a STEP
//                           [s] above 0 is a fixed one
//
// The error of a run is the largest deviation of a coordinate of one of the ends at any of the reference
// times, over the length of the beam. References: converged spectral elements, good to 7e-7 of the length in
// the plane and 5e-8 in space. Times are processor time of the solution; that of its preparation, with the
// choice of the method, is shown beside it. Only the tolerance is set; the method is that of `auto` unless
// one is named. Run from the top of the tree: it reads models/.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <trammel/sim.h>
#include <trammel/system.h>

enum { TIMES = 15 };
static const double LENGTH = 10;  // of the beam [m]

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(tml_status st, const tml_error *err)
{
    if (st == TML_OK) return;
    printf("%s: %s\n", tml_status_name(st), err->msg);
    exit(1);
}

// ---- runs -------------------------------------------------------------------------------------------------

// displacements of the loaded and the free end [m] every 0.5 s: x, y of both
static const double plane[TIMES][4] = {{-0.550265570579, -0.111935811642, 0.068724814791, -0.036001630377},
                                       {-1.673212367461, 0.407835136764, 0.370241059556, -0.203996629007},
                                       {-2.443638181373, 1.677172235296, 1.003059825293, -0.563537865584},
                                       {-2.292789139749, 3.243744618854, 2.041894603684, -1.129520339153},
                                       {-1.036914082251, 4.476007998295, 3.583150256198, -1.888102094746},
                                       {0.390572219455, 5.669339974793, 5.663237264215, -2.686183129467},
                                       {1.385531105656, 7.066714779893, 7.827698371401, -2.957224791285},
                                       {2.055286989624, 8.051563984026, 11.223321488105, -4.631726083405},
                                       {2.751417755520, 8.937017471739, 10.635424780470, -8.863046266665},
                                       {3.783683387242, 8.203808145897, 8.074349249758, -6.241147277176},
                                       {4.787626490766, 7.056185842462, 10.404002319313, -3.078275926686},
                                       {5.994630414942, 5.839741567964, 12.791198942229, -2.364882626918},
                                       {7.756728394182, 4.554519014798, 14.586110482463, -1.577640531708},
                                       {10.201149505831, 3.659715549029, 16.102453237854, -0.663200484614},
                                       {10.268216477923, -0.283361732210, 17.239460605613, 0.253248129437}};
// x, y, z of both
static const double space[TIMES][6] = {
    {-0.065881784483, -0.056491984685, 0.036355668184, 0.011378436999, -0.003800535599, -0.001081094937},
    {-0.417824115864, -0.281925323223, 0.196470759503, 0.118642178294, -0.025121508297, -0.016967832248},
    {-1.108607334049, -0.520650027198, 0.395340234615, 0.517773294688, -0.058172048751, -0.092860894468},
    {-1.965607024165, -0.462304628946, 0.422455087057, 1.645268729099, 0.080300867730, -0.359116777392},
    {-2.587047284552, 0.196903393034, 0.017352209154, 4.023805707870, 0.495519709595, -0.733020545765},
    {-2.532798103555, 1.395565176860, -1.060083063929, 7.985277273457, 0.422044950030, -0.463677576257},
    {-1.230755379898, 3.061763790313, -2.801476788299, 12.262976853142, -1.467517022925, 1.503395512133},
    {2.677497818497, 4.902970604074, -4.498087556880, 12.839483537909, -4.690956825479, 4.441350744584},
    {9.076107846206, 4.865055140766, -4.463852118441, 10.499005935359, -4.307829200182, 4.259321376505},
    {13.562760975953, 1.521334139621, -1.507693782501, 11.878831004466, -1.118643258864, 1.830017901522}};

typedef struct problem {
    const char *label, *model;
    int times, axes;
    const double *reference;  // (times x 2 axes)
    double wanted[2];         // [s] at errors of 1e-3 and 1e-5
} problem;

static const problem PROBLEMS[2] = {
    {"in the plane, 7.5 s", "models/beam_flying_planar.yaml", 15, 2, plane[0], {0.03, 0.3}},
    {"in space, 5 s", "models/beam_flying.yaml", 10, 3, space[0], {0.015, 0.3}},
};

typedef struct watch {
    const problem *p;
    int last;  // index of the last node
    double start[6], error;
} watch;

static tml_status look(const tml_sim *sim, const tml_state *x, void *user)
{
    (void)sim;
    watch *w = user;
    const int row = (int)lround(2 * x->t) - 1, axes = w->p->axes;
    for (int end = 0; end < 2; end++)
        for (int k = 0; k < axes; k++) {
            const double at = x->q[7 * (end ? w->last : 0) + k];
            if (row < 0) w->start[3 * end + k] = at;
            else if (row < w->p->times)
                w->error = fmax(w->error, fabs(at - w->start[3 * end + k] -
                                               w->p->reference[row * 2 * axes + end * axes + k]) /
                                              LENGTH);
        }
    return TML_OK;
}

static tml_model *load(const char *path, int elements)
{
    char text[16];
    snprintf(text, sizeof text, "%d", elements);
    const tml_parameter set = {"n", text};
    tml_error err = {0};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    need(tml_spec_read(path, &set, 1, NULL, &spec, &err), &err);
    need(tml_model_build(spec, &model, &err), &err);
    tml_spec_destroy(spec);
    return model;
}

// Time [s] of a run to the end and, *prepare, of its creation; the least of some repeats. step: 0, or that
// of fixed steps.
static double time_run(const problem *p, int elements, const char *method, double tol, double step,
                       double *prepare, double *error, tml_sim_report *report)
{
    tml_model *model = load(p->model, elements);
    tml_run_def run = *tml_model_run(model);
    double least = INFINITY, spent = 0;
    run.method = method;
    run.tol = tol;
    run.step = step;
    run.output_step = 0.5;
    for (int k = 0; k < 5 && spent < 0.5; k++) {
        tml_sim *sim = NULL;
        tml_error err = {0};
        watch w = {.p = p, .last = 3 * elements};
        const double begin = now();
        need(tml_sim_create(model, &run, &sim, &err), &err);
        const double created = now();
        *prepare = k == 0 ? created - begin : fmin(*prepare, created - begin);
        tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_output = look, .user = &w});
        if (tml_sim_run(sim, NAN, &err) != TML_OK) w.error = INFINITY;
        const double seconds = now() - created;
        least = fmin(least, seconds);
        spent += seconds;
        tml_sim_get_report(sim, report);
        *error = w.error;
        tml_sim_destroy(sim);
    }
    tml_model_destroy(model);
    return least;
}

static void bench_runs(const problem *p, const char *method)
{
    static const double TOLERANCE[] = {0.3, 0.1, 1e-2, 1e-3, 1e-4, 1e-5};
    static const int ELEMENTS[] = {2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 56, 64};
    static const double GOAL[2] = {1e-3, 1e-5};
    double best[2] = {INFINITY, INFINITY};
    int with[2][2] = {{0}};
    printf("\nflying beam %s, method %s\n", p->label, method);
    printf("%9s %8s %10s %10s %10s %8s %8s  %s\n", "elements", "tol", "create [s]", "time [s]", "error",
           "steps", "iter.", "by");
    for (size_t e = 0; e < sizeof ELEMENTS / sizeof *ELEMENTS; e++)
        for (size_t t = 0; t < sizeof TOLERANCE / sizeof *TOLERANCE; t++) {
            tml_sim_report r;
            double error, prepare;
            const double seconds = time_run(p, ELEMENTS[e], method, TOLERANCE[t], 0, &prepare, &error, &r);
            printf("%9d %8.0e %10.4f %10.4f %10.1e %8ld %8ld  %s\n", ELEMENTS[e], TOLERANCE[t], prepare,
                   seconds, error, r.count.steps, r.count.iterations, r.method);
            fflush(stdout);
            for (int g = 0; g < 2; g++)
                if (error <= GOAL[g] && seconds < best[g]) {
                    best[g] = seconds;
                    with[g][0] = ELEMENTS[e];
                    with[g][1] = (int)t;
                }
            if (seconds > 4 * p->wanted[1]) break;  // tighter tolerances take longer still
        }
    for (int g = 0; g < 2; g++)
        printf("error %.0e: %.4f s (%d elements, tolerance %.0e); wanted %.3f s\n", GOAL[g], best[g],
               with[g][0], TOLERANCE[with[g][1]], p->wanted[g]);
}

static int bench_one(int count, char **argument)
{
    if (count < 3) {
        fputs("usage: bench_beams plane|space ELEMENTS TOL [METHOD [STEP]]\n", stderr);
        return 2;
    }
    const problem *p = &PROBLEMS[strcmp(argument[0], "space") == 0];
    double prepare, error;
    tml_sim_report r;
    const double seconds =
        time_run(p, atoi(argument[1]), count > 3 ? argument[3] : "auto", strtod(argument[2], NULL),
                 count > 4 ? strtod(argument[4], NULL) : 0, &prepare, &error, &r);
    printf("error %.1e, %ld steps, %.3f s, %s\n", error, r.count.steps, seconds, r.method);
    return !isfinite(error);
}

// ---- cost per element -------------------------------------------------------------------------------------

typedef struct memory {
    size_t used, most;
} memory;

static void *count_alloc(size_t bytes, void *user)
{
    memory *m = user;
    size_t *p = malloc(bytes + 16);
    if (!p) return NULL;
    p[0] = bytes;
    m->used += bytes;
    if (m->used > m->most) m->most = m->used;
    return p + 2;
}

static void count_free(void *ptr, void *user)
{
    size_t *p = (size_t *)ptr - 2;
    ((memory *)user)->used -= p[0];
    free(p);
}

// One iteration with the matrix M + h D + h^2 K of a bent beam: residual and solution, and with a new matrix
// also assembly and factorization.
static void bench_element(const char *path, int elements)
{
    enum { ROUNDS = 7 };
    char text[16];
    snprintf(text, sizeof text, "%d", elements);
    const tml_parameter set = {"n", text};
    memory mem = {0};
    const tml_env env = {.alloc = count_alloc, .free = count_free, .user = &mem};
    tml_error err = {0};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    need(tml_spec_read(path, &set, 1, &env, &spec, &err), &err);
    need(tml_model_build(spec, &model, &err), &err);
    tml_spec_destroy(spec);
    const tml_system *s = tml_model_system(model);
    tml_state *x = NULL;
    void *lin = NULL, *w = s->ops->create_work(s->self, &env);
    need(tml_state_create(s, &x, &err), &err);
    tml_model_start(model, 0, x);
    need(tml_linsolver_block.create(s->pattern, &env, &lin, &err), &err);
    const size_t nnz = (size_t)s->pattern->colptr[s->pattern->n];
    double *values = malloc(nnz * sizeof *values), *motion = malloc((size_t)s->n * sizeof *motion);
    if (!values || !motion || !w) exit(1);
    for (int i = 0; i < s->n; i++) motion[i] = 1e-4 * sin(i);  // away from the shape without stress
    s->ops->retract(s->self, x->q, motion, x->q);
    const double h = 1e-3;
    const tml_assembly a = {.cm = 1, .cd = h, .ck = h * h};
    double least[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
    for (int r = 0; r < ROUNDS; r++) {
        double t[5] = {now()};
        need(s->ops->assemble(s->self, w, x, &a, values, &err), &err);
        t[1] = now();
        need(tml_linsolver_block.factor(lin, values, &err), &err);
        t[2] = now();
        need(s->ops->residual(s->self, w, x, NULL, motion, NULL, &err), &err);
        t[3] = now();
        tml_linsolver_block.solve(lin, motion);
        t[4] = now();
        for (int k = 0; k < 4; k++) least[k] = fmin(least[k], 1e6 * (t[k + 1] - t[k]) / elements);
    }
    printf("%9d %10.2f %10.2f %10.2f %10.2f %12.2f %12.2f %12.1f\n", elements, least[0], least[1], least[2],
           least[3], least[0] + least[1] + least[2] + least[3], least[2] + least[3],
           (double)mem.most / 1024 / elements);
    free(values);
    free(motion);
    tml_linsolver_block.destroy(lin);
    s->ops->destroy_work(w);
    tml_state_destroy(x, s);
    tml_model_destroy(model);
}

static void bench_elements(const problem *p)
{
    printf("\nflying beam %s: one iteration, microseconds per element (4 nodes), solver block\n", p->label);
    printf("%9s %10s %10s %10s %10s %12s %12s %12s\n", "elements", "tangents", "factor", "forces", "solve",
           "new matrix", "kept matrix", "kB/element");
    for (int n = 250; n <= 4000; n *= 2) bench_element(p->model, n);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "plane") == 0 || strcmp(what, "space") == 0) return bench_one(argc - 1, argv + 1);
    const int runs = strcmp(what, "elements") != 0, named = *what && strcmp(what, "runs") != 0;
    for (int i = 0; i < 2 && runs; i++) bench_runs(&PROBLEMS[i], named ? what : "auto");
    for (int i = 0; i < 2 && (!*what || !runs); i++) bench_elements(&PROBLEMS[i]);
    return 0;
}
