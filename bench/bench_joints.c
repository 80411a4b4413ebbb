// Cost of one evaluation of the accelerations: joint coordinates (recursion over the tree, loops by their own
// matrix) compared with the model's own coordinates (assemble, factor by blocks, solve). Times are CPU time
// per evaluation, the smallest of some batches. Run from the top of the tree, or give the folder of the
// models.
#define _POSIX_C_SOURCE 199309L
#include "linalg/pattern/pattern.h"
#include "system/joint_space/joint_space.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <trammel/linsolver.h>
#include <trammel/model.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const char *name, const tml_error *err)
{
    fprintf(stderr, "%s: %s\n", name, err->msg);
    exit(1);
}

typedef struct subject {
    char name[40];
    const tml_system *base;
    tml_system *joints;
    tml_state *x, *y;  // of base, of joints
    void *base_work, *joints_work;
} subject;

// ---- the two ways -----------------------------------------------------------------------------------------

typedef struct matrix_way {
    void *lin;
    double *values, *rhs, *e;
} matrix_way;

static void by_matrix(subject *s, matrix_way *w)
{
    const tml_system *b = s->base;
    tml_error err = {0};
    const tml_assembly a = {.cm = 1, .cp = 1, .r = w->e, .p = w->e};
    tml_status st = b->ops->assemble(b->self, s->base_work, s->x, &a, w->values, &err);
    if (st == TML_OK) st = tml_linsolver_block.factor(w->lin, w->values, &err);
    if (st == TML_OK) st = b->ops->dynamics(b->self, s->base_work, s->x, w->rhs, w->rhs + b->n, &err);
    if (st != TML_OK) fail(s->name, &err);
    tml_linsolver_block.solve(w->lin, w->rhs);
    memcpy(s->x->udot, w->rhs, (size_t)b->n * sizeof(double));
}

static void by_joints(subject *s, matrix_way *w)
{
    tml_error err = {0};
    (void)w;
    s->y->q[0] += 1e-9;  // another configuration: nothing is kept from the last
    if (s->joints->ops->accelerate(s->joints->self, s->joints_work, s->y, &err) != TML_OK)
        fail(s->name, &err);
}

// Microseconds per call.
static double time_of(subject *s, matrix_way *w, void (*way)(subject *, matrix_way *))
{
    long count = 1;
    double best = INFINITY;
    for (int batch = 0; batch < 6;) {
        const double begin = now();
        for (long k = 0; k < count; k++) way(s, w);
        const double used = now() - begin;
        if (used < 0.02) {
            count *= 2;
            continue;
        }
        best = fmin(best, used / (double)count);
        batch++;
    }
    return 1e6 * best;
}

// ---- one subject ------------------------------------------------------------------------------------------

static void measure(tml_spec *spec, const char *name)
{
    tml_error err = {0};
    tml_model *model = NULL;
    subject s = {.base = NULL};
    matrix_way w = {.lin = NULL};
    snprintf(s.name, sizeof s.name, "%s", name);
    tml_status st = tml_model_build(spec, &model, &err);
    if (st != TML_OK) fail(name, &err);
    s.base = tml_model_system(model);
    const double before = now();
    st = tmli_joint_space_create(s.base, false, INFINITY, &s.joints, &err);
    const double create = now() - before;
    if (st == TML_OK) st = tml_state_create(s.base, &s.x, &err);
    if (st == TML_OK) st = tml_state_create(s.joints, &s.y, &err);
    if (st == TML_OK) st = tml_linsolver_block.create(s.base->pattern, NULL, &w.lin, &err);
    if (st != TML_OK) fail(name, &err);
    s.base_work = s.base->ops->create_work(s.base->self, NULL);
    s.joints_work = s.joints->ops->create_work(s.joints->self, NULL);
    const size_t nm = (size_t)(s.base->n + s.base->m);
    w.values = calloc((size_t)tmli_pattern_nnz(s.base->pattern), sizeof(double));
    w.rhs = calloc(nm, sizeof(double));
    w.e = calloc(nm, sizeof(double));
    if (!s.base_work || !s.joints_work || !w.values || !w.rhs || !w.e) exit(1);
    for (size_t i = 0; i < nm; i++) w.e[i] = 1;
    tml_model_start(model, tml_model_run(model)->start, s.x);
    if (tmli_joint_space_from_base(s.joints, s.joints_work, s.x, s.y, &err) != TML_OK) fail(name, &err);
    const double joints = time_of(&s, &w, by_joints), matrix = time_of(&s, &w, by_matrix);
    const tmli_joint_space_info info = tmli_joint_space_describe(s.joints);
    printf("%s,%d,%d,%d,%d,%d,%.3f,%.3f,%.2f,%.1f,%.2f\n", s.name, info.bodies, info.depth, s.joints->n,
           info.loops, info.rows, joints, joints / info.bodies, matrix, matrix / joints, 1e3 * create);
    fflush(stdout);
    free(w.values);
    free(w.rhs);
    free(w.e);
    tml_linsolver_block.destroy(w.lin);
    s.base->ops->destroy_work(s.base_work);
    s.joints->ops->destroy_work(s.joints_work);
    tml_state_destroy(s.x, s.base);
    tml_state_destroy(s.y, s.joints);
    tml_system_destroy(s.joints);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
}

static void measure_file(const char *folder, const char *file, const tml_parameter *p, const char *name)
{
    char path[600];
    tml_error err = {0};
    tml_spec *spec = NULL;
    snprintf(path, sizeof path, "%s/%s.yaml", folder, file);
    if (tml_spec_read(path, p, p ? 1 : 0, NULL, &spec, &err) != TML_OK) fail(path, &err);
    measure(spec, name);
}

static void measure_text(const char *text, const char *n, const char *name)
{
    tml_error err = {0};
    tml_spec *spec = NULL;
    const tml_parameter p = {"N", n};
    if (tml_spec_parse(text, strlen(text), name, &p, 1, NULL, &spec, &err) != TML_OK) fail(name, &err);
    measure(spec, name);
}

// N + 1 vertical cranks on the ground, N couplers at height 1: N loops in a row.
static const char four_bars[] =
    "planar: true\n"
    "gravity: 9.81\n"
    "parameters: {N: 1}\n"
    "defaults:\n"
    "  bodies: {mass: 1, inertia: 1/12}\n"
    "  joints: {type: revolute}\n"
    "repeat:\n"
    "  - {index: i, from: 0, to: N, bodies: {\"crank{i}\": {position: [i, 0.5], velocity: [0.5, 0], "
    "angular_velocity: -1}},\n"
    "     joints: {\"foot{i}\": {a: ground, b: \"crank{i}\", point: [i, 0]}}}\n"
    "  - {index: i, from: 1, to: N, bodies: {\"coupler{i}\": {position: [i - 0.5, 1], velocity: [1, 0]}},\n"
    "     joints: {\"left{i}\": {a: \"crank{i-1}\", b: \"coupler{i}\", point: [i - 1, 1]},\n"
    "              \"right{i}\": {a: \"coupler{i}\", b: \"crank{i}\", point: [i, 1]}}}\n";

// N boxes on hinges whose axes are crosswise: a spatial chain.
static const char spatial_chain[] =
    "gravity: 9.81\n"
    "parameters: {N: 5}\n"
    "defaults:\n"
    "  bodies: {mass: 1, inertia: [0.02, 0.09, 0.08]}\n"
    "  joints: {type: revolute}\n"
    "joints:\n"
    "  hinge1: {a: ground, b: link1, point: [0, 0, 0], axis: [0, 1, 0]}\n"
    "repeat:\n"
    "  - {index: i, from: 1, to: N, bodies: {\"link{i}\": {position: [i - 0.5, 0, 0]}}}\n"
    "  - {index: i, from: 2, to: N, joints: {\"hinge{i}\": {a: \"link{i-1}\", b: \"link{i}\", point: [i - 1, "
    "0, 0],\n"
    "     axis: [0, sin(i), cos(i)]}}}\n";

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "models";
    static const char *const sizes[] = {"5", "50", "200", "1000"}, *const bars[] = {"1", "10", "40"};
    char name[40];
    puts("model,bodies,depth,coordinates,loops,rows,joints_us,joints_us_per_body,matrix_us,ratio,create_ms");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const tml_parameter p = {"N", sizes[i]};
        snprintf(name, sizeof name, "chain %s", sizes[i]);
        measure_file(folder, "chain", &p, name);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        snprintf(name, sizeof name, "spatial chain %s", sizes[i]);
        measure_text(spatial_chain, sizes[i], name);
    }
    for (size_t i = 0; i < sizeof bars / sizeof *bars; i++) {
        snprintf(name, sizeof name, "four-bars %s", bars[i]);
        measure_text(four_bars, bars[i], name);
    }
    static const char *const files[] = {"andrews",      "governor",  "suspension",
                                        "slider_crank", "heavy_top", "stiff_double_pendulum"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) measure_file(folder, files[i], NULL, files[i]);
    return 0;
}
