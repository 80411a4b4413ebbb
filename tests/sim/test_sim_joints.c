// Simulations in joint coordinates: accelerations of the bundled models, every method against itself in the
// model's own coordinates, turns, dependent loops, what cannot be done, memory.
#include "sim/queries/sim.h"
#include "sim_fixture.h"
#include "system/joint_space/internal.h"
#include "system/joint_space/joint_space.h"

static tml_model *load(const char *name) { return load_model(name, (tml_parameter){0}, NULL); }

// A model in joint coordinates with states of both kinds.
typedef struct twin {
    tml_model *model;
    const tml_system *base;
    tml_system *sys;
    void *work;
    tml_state *x, *y;  // of the model, in joint coordinates
} twin;

static twin twin_of(tml_model *model)
{
    tml_error err = {0};
    twin t = {.model = model, .base = tml_model_system(model)};
    OK(tmli_joint_space_create(t.base, true, INFINITY, &t.sys, &err));
    t.work = t.sys->ops->create_work(t.sys->self, NULL);
    assert_non_null(t.work);
    OK(tml_state_create(t.base, &t.x, &err));
    OK(tml_state_create(t.sys, &t.y, &err));
    return t;
}

static void twin_end(twin *t)
{
    tml_state_destroy(t->x, t->base);
    tml_state_destroy(t->y, t->sys);
    t->sys->ops->destroy_work(t->work);
    tml_system_destroy(t->sys);
    tml_model_destroy(t->model);
}

// ---- accelerations ----------------------------------------------------------------------------------------

// Both ways at states along a run: the model's matrix, factored with pivoting, and the recursion.
static void same_accelerations(const char *name, double end, double tol)
{
    tml_error err = {0};
    twin t = twin_of(load(name));
    tml_run_def run = *tml_model_run(t.model);
    run.end = end;
    run.tol = 1e-6;
    run.rtol = run.atol = NAN;
    tml_sim *sim = start_sim(t.model, &run);
    tmli_consistent exact;
    OK(tmli_consistent_create(t.base, &tml_linsolver_dense, &exact, &err));
    const tmli_joint_space *j = t.sys->self;
    double worst = 0, worst_force = 0;
    for (int k = 0; k <= 8; k++) {
        OK(tml_sim_run(sim, end * k / 8, &err));
        tml_state_copy(t.x, tml_sim_state(sim));
        OK(tmli_consistent_project(&exact, t.x, &err));
        OK(tmli_joint_space_from_base(t.sys, t.work, t.x, t.y, &err));
        memset(t.y->udot, 0, (size_t)t.y->n * sizeof(double));
        memset(t.y->lambda, 0, (size_t)t.y->m * sizeof(double));
        OK(t.sys->ops->accelerate(t.sys->self, t.work, t.y, &err));
        double *udot = calloc((size_t)(t.x->n + t.x->m), sizeof *udot), *lambda = udot + t.x->n, size = 1,
               force = 1;
        memcpy(udot, t.x->udot, (size_t)t.x->n * sizeof *udot);
        memcpy(lambda, t.x->lambda, (size_t)t.x->m * sizeof *udot);
        tmli_joint_space_to_base(t.sys, t.work, t.y, t.x);
        for (int i = 0; i < t.x->n; i++) size = fmax(size, fabs(udot[i]));
        for (int i = 0; i < t.x->m; i++) force = fmax(force, fabs(lambda[i]));
        for (int i = 0; i < t.x->n; i++) worst = fmax(worst, fabs(udot[i] - t.x->udot[i]) / size);
        for (int i = 0; i < j->nloops; i++)
            for (int r = 0; r < j->loop[i].nrows; r++) {
                const int at = t.model->constraint[j->loop[i].constraint].first + j->loop[i].keep + r;
                worst_force = fmax(worst_force, fabs(lambda[at] - t.x->lambda[at]) / force);
            }
        free(udot);
    }
    printf("%-22s %3d coordinates, %d rows: %.1e, %.1e\n", name, t.sys->n, t.sys->m, worst, worst_force);
    if (!(worst <= tol && worst_force <= tol))
        fail_msg("%s: accelerations differ by %g, multipliers by %g", name, worst, worst_force);
    tmli_consistent_clear(&exact);
    tml_sim_destroy(sim);
    twin_end(&t);
}

static void accelerations(void **state)
{
    (void)state;
    const double tol = 1e-11;
    same_accelerations("andrews", 0.01, tol);
    same_accelerations("chain", 0.5, tol);
    same_accelerations("double_pendulum", 1, tol);
    same_accelerations("four_bar", 0.3, tol);
    same_accelerations("four_bars", 0.3, tol);  // rows enough to be factored four at once
    same_accelerations("governor", 0.5, tol);
    same_accelerations("heavy_top", 0.1, tol);
    same_accelerations("impact", 0.2, tol);
    same_accelerations("pendulum", 1, tol);
    same_accelerations("slider_crank", 0.3, tol);
    same_accelerations("spring_pendulum", 0.5, tol);
    same_accelerations("stiff_double_pendulum", 0.2, 1e-10);  // forces of 1e5 N m on 1 kg m^2
    same_accelerations("suspension", 0.6, tol);
}

// ---- runs -------------------------------------------------------------------------------------------------

static double distance(const tml_system *s, const tml_state *a, const tml_state *b)
{
    double *d = calloc((size_t)s->n, sizeof *d), fastest[2] = {s->length, 1}, most = 0;
    assert_non_null(d);
    for (int j = 0; j < s->n; j++) fastest[s->kind[j]] = fmax(fastest[s->kind[j]], fabs(a->u[j]));
    s->ops->local(s->self, a->q, b->q, d);
    for (int j = 0; j < s->n; j++) {
        most = fmax(most, fabs(d[j]) / (s->kind[j] == TML_COORDINATE_TRANSLATION ? s->length : 1));
        most = fmax(most, fabs(a->u[j] - b->u[j]) / fastest[s->kind[j]]);
    }
    free(d);
    return most;
}

// Each is within its tolerance of the truth, hence within twice of each other; the estimate may be off by a
// factor of two.
static void every_method(const char *name, double end, double tol)
{
    tml_model *model = load(name);
    const tml_system *s = tml_model_system(model);
    for (int i = 0; tml_methods[i]; i++) {
        tml_state *x[2];
        for (int k = 0; k < 2; k++) {
            tml_run_def run = *tml_model_run(model);
            tml_error err = {0};
            run.method = tml_methods[i]->name;
            run.kinematics = k ? TML_KINEMATICS_JOINTS : TML_KINEMATICS_BODIES;
            run.end = end;
            run.tol = tol;
            run.rtol = run.atol = NAN;
            tml_sim *sim = start_sim(model, &run);
            OK(tml_sim_run(sim, NAN, &err));
            OK(tml_state_create(s, &x[k], &err));
            tml_state_copy(x[k], tml_sim_state(sim));
            OK(tmli_consistent_project(&sim->consistent, x[k], &err));
            for (int a = 0; k && a < s->na; a++) CHECK_CLOSE(x[1]->angle[a], x[0]->angle[a], 20 * tol);
            tml_sim_destroy(sim);
        }
        const double d = distance(s, x[0], x[1]);
        printf("%-14s %-10s distance %.1e\n", name, tml_methods[i]->name, d);
        const bool sdirk = strstr(tml_methods[i]->name, "sdirk");  // lags behind in a fast spin
        CHECK_SMALL(d, (sdirk ? 8 : 4) * tol);
        for (int k = 0; k < 2; k++) tml_state_destroy(x[k], s);
    }
    tml_model_destroy(model);
}

static void every_method_agrees(void **state)
{
    (void)state;
    every_method("slider_crank", 0.3, 1e-4);
    every_method("suspension", 0.6, 1e-4);
    every_method("governor", 0.3, 1e-5);
    every_method("andrews", 0.005, 1e-4);
    every_method("heavy_top", 0.05, 1e-4);
    every_method("impact", 0.4, 1e-4);
}

// States at output times lie between steps.
typedef struct outputs {
    int count;
    tml_state *x[32];
} outputs;

static tml_status keep(const tml_sim *sim, const tml_state *x, void *user)
{
    outputs *o = user;
    tml_error err = {0};
    assert_true(o->count < 32);
    OK(tml_state_create(tml_sim_system(sim), &o->x[o->count], &err));
    tml_state_copy(o->x[o->count++], x);
    return TML_OK;
}

static void outputs_agree(void **state)
{
    (void)state;
    static const char *const methods[] = {"radau5", "bdf", "genalpha"}, *const models[] = {"heavy_top",
                                                                                           "suspension"};
    for (int k = 0; k < 6; k++) {
        tml_model *model = load(models[k / 3]);
        const tml_system *s = tml_model_system(model);
        outputs o[2] = {{0}, {0}};
        for (int j = 0; j < 2; j++) {
            tml_run_def run = *tml_model_run(model);
            tml_error err = {0};
            run.method = methods[k % 3];
            run.kinematics = j ? TML_KINEMATICS_JOINTS : TML_KINEMATICS_BODIES;
            run.end = 0.05;
            run.output_step = 0.0026;
            run.tol = 1e-5;
            run.rtol = run.atol = NAN;
            tml_sim *sim = start_sim(model, &run);
            tml_sim_set_hooks(sim, &(tml_sim_hooks){.on_output = keep, .user = &o[j]});
            OK(tml_sim_run(sim, NAN, &err));
            tml_sim_destroy(sim);
        }
        assert_int_equal(o[0].count, o[1].count);
        for (int i = 0; i < o[0].count; i++) {
            CHECK_SMALL(distance(s, o[0].x[i], o[1].x[i]), 20e-5);
            // reactions of the joints in the tree come from the model
            for (int r = 0; r < s->m; r++)
                CHECK_CLOSE(o[0].x[i]->lambda[r], o[1].x[i]->lambda[r],
                            1e-3 * (1 + fabs(o[0].x[i]->lambda[r])));
            for (int q = 0; q < s->nq; q++)  // not the opposite quaternion
                CHECK_CLOSE(o[0].x[i]->q[q], o[1].x[i]->q[q], 1e-3);
            for (int j = 0; j < 2; j++) tml_state_destroy(o[j].x[i], s);
        }
        tml_model_destroy(model);
    }
}

// ---- trees ------------------------------------------------------------------------------------------------

static void sizes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int n, depth, loops, rows;
    } want[] = {
        {"chain", 10, 10, 0, 0},      {"four_bar", 3, 2, 1, 2},   {"andrews", 7, 2, 3, 6},
        {"slider_crank", 3, 2, 2, 3}, {"suspension", 7, 3, 3, 5}, {"governor", 4, 2, 2, 2},
        {"heavy_top", 3, 1, 0, 0},
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        twin t = twin_of(load(want[i].name));
        const tmli_joint_space_info info = tmli_joint_space_describe(t.sys);
        if (t.sys->n != want[i].n || info.depth != want[i].depth || info.loops != want[i].loops ||
            info.rows != want[i].rows)
            fail_msg("%s: %d coordinates, depth %d, %d loops, %d rows", want[i].name, t.sys->n, info.depth,
                     info.loops, info.rows);
        char name[100];
        for (int k = 0; k < t.sys->n; k++)
            assert_true(strlen(t.sys->coordinate_name(t.sys, k, name, sizeof name)) > 2);
        for (int k = 0; k < t.sys->m; k++)
            assert_true(strlen(t.sys->row_name(t.sys, k, name, sizeof name)) > 6);
        twin_end(&t);
    }
    twin t = twin_of(load("slider_crank"));
    char name[100];
    assert_string_equal(t.sys->coordinate_name(t.sys, 0, name, sizeof name), "main.angle");
    assert_string_equal(t.sys->row_name(t.sys, 2, name, sizeof name), "joint 'motor'");
    assert_string_equal(t.sys->row_unit(t.sys, 2), "rad");
    assert_string_equal(t.sys->row_unit(t.sys, 1), "m");
    twin_end(&t);
}

// A four-bar linkage in space, all axes parallel: three of its five loop rows depend on the others. Their
// multipliers are left at zero, and the motion is that of the planar model.
static const char linkage[] =
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  crank: {mass: 1, inertia: [0.1, 0.1, 0.083], position: [0.1, 0.5, 0], angular_velocity: Z}\n"
    "  coupler: {mass: 1, inertia: [0.1, 0.2, 0.12], position: [0.7, 1.1, 0]}\n"
    "  rocker: {mass: 2, inertia: [0.1, 0.1, 0.09], position: [1.2, 0.6, 0]}\n"
    "joints:\n"
    "  a: {type: revolute, a: ground, b: crank, point: [0, 0, 0]AXIS}\n"
    "  b: {type: revolute, a: crank, b: coupler, point: [0.2, 1, 0]AXIS}\n"
    "  c: {type: revolute, a: coupler, b: rocker, point: [1.2, 1.2, 0]AXIS}\n"
    "  d: {type: revolute, a: rocker, b: ground, point: [1.2, 0, 0]AXIS}\n";

static tml_model *make_linkage(bool planar)
{
    char text[1200] = "";
    const char *from = linkage;
    if (planar) strcpy(text, "planar: true\n");
    for (; *from; from++) {
        size_t at = strlen(text);
        if (strncmp(from, "AXIS", 4) == 0) {
            strcat(text, planar ? "" : ", axis: [0, 0, 1]");
            from += 3;
        } else if (strncmp(from, "Z}", 2) == 0) {
            strcat(text, planar ? "0" : "[0, 0, 0]");
        } else if (planar && strncmp(from, "inertia: [", 10) == 0) {
            strcat(text, "inertia: ");  // the last of the three
            const char *end = strchr(from, ']'), *last = end;
            while (*last != ' ') last--;
            strncat(text, last + 1, (size_t)(end - last - 1));
            from = end;
        } else {
            text[at] = *from;
            text[at + 1] = 0;
        }
    }
    return text_model(text);
}

static void dependent_loops(void **state)
{
    (void)state;
    tml_error err = {0};
    twin t[2] = {twin_of(make_linkage(false)), twin_of(make_linkage(true))};
    assert_int_equal(t[0].sys->m, 5);
    assert_int_equal(t[1].sys->m, 2);
    for (int k = 0; k < 2; k++) {
        tml_model_start(t[k].model, 0, t[k].x);
        memset(t[k].x->u, 0, (size_t)t[k].x->n * sizeof(double));
        OK(tmli_joint_space_from_base(t[k].sys, t[k].work, t[k].x, t[k].y, &err));
        OK(t[k].sys->ops->accelerate(t[k].sys->self, t[k].work, t[k].y, &err));
    }
    int zero = 0;
    for (int r = 0; r < 5; r++) zero += t[0].y->lambda[r] == 0;
    assert_int_equal(zero, 3);
    for (int j = 0; j < 3; j++) CHECK_CLOSE(fabs(t[0].y->udot[j]), fabs(t[1].y->udot[j]), 1e-12);
    assert_true(fabs(t[0].y->udot[0]) > 0.1);
    for (int k = 0; k < 2; k++) twin_end(&t[k]);
}

// A bar on n parallel cranks of 1 m at the angle `angle` [rad]: 2 (n - 1) rows, of which n - 2 depend on the
// others, and n crank angles that accelerate as one,
//   (n m/3 + M) angle'' = -(n m/2 + M) g cos(angle)
static void parallel_cranks(int n, double angle)
{
    tml_error err = {0};
    char text[8000];
    int at = snprintf(text, sizeof text,
                      "planar: true\ngravity: 9.81\nbodies:\n"
                      "  bar: {mass: 3, inertia: 1, position: [%.17g, %.17g]}\n",
                      cos(angle), sin(angle));
    for (int i = 0; i < n; i++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "  c%d: {mass: 1, inertia: 1/12, position: [%.17g, %.17g], orientation: %.17g}\n", i,
                       i + 0.5 * cos(angle), 0.5 * sin(angle), angle);
    at += snprintf(text + at, sizeof text - (size_t)at, "joints:\n");
    for (int i = 0; i < n; i++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "  g%d: {type: revolute, a: ground, b: c%d, point: [%d, 0]}\n"
                       "  j%d: {type: revolute, a: c%d, b: bar, point: [%.17g, %.17g]}\n",
                       i, i, i, i, i, i + cos(angle), sin(angle));
    twin t = twin_of(text_model(text));
    assert_int_equal(t.sys->m, 2 * (n - 1));
    tml_model_start(t.model, 0, t.x);
    OK(tmli_joint_space_from_base(t.sys, t.work, t.x, t.y, &err));
    OK(t.sys->ops->accelerate(t.sys->self, t.work, t.y, &err));
    tmli_joint_space_to_base(t.sys, t.work, t.y, t.x);
    const double expected = -(n / 2.0 + 3) * 9.81 * cos(angle) / (n / 3.0 + 3);
    for (int i = 0; i < n; i++) CHECK_CLOSE(t.x->udot[t.model->node[1 + i].first + 2], expected, 1e-10);
    int zero = 0;
    for (int r = 0; r < t.y->m; r++) zero += t.y->lambda[r] == 0;
    assert_int_equal(zero, n - 2);
    twin_end(&t);
}

// Also those that are factored four at once, with and without some that are left over.
static void many_dependent_loops(void **state)
{
    (void)state;
    for (int n = 2; n <= 16; n++) parallel_cranks(n, 0.3);
}

// ---- what cannot be done ----------------------------------------------------------------------------------

// Held by a spring alone; without it the rotation would be one that nothing can cause, and be held.
#define TWIST "forces: {twist: {type: torsion, a: a, b: pointer, stiffness: 1}}\n"

static void without_inertia(void **state)
{
    (void)state;
    tml_error err = {0};
    twin t;
    for (int planar = 0; planar < 2; planar++) {
        t = twin_of(text_model(planar ? "planar: true\n"
                                        "bodies: {a: {mass: 1, inertia: 1}, pointer: {mass: 0, inertia: 0}}\n"
                                        "joints:\n"
                                        "  hinge: {type: revolute, a: ground, b: a}\n"
                                        "  root: {type: revolute, a: a, b: pointer}\n" TWIST
                                      : "bodies: {a: {mass: 1, inertia: 1}, pointer: {mass: 0, inertia: 0}}\n"
                                        "joints:\n"
                                        "  hinge: {type: revolute, a: ground, b: a}\n"
                                        "  root: {type: revolute, a: a, b: pointer}\n" TWIST));
        double least = 1;
        OK(tmli_joint_space_least_inertia(t.sys, &least, &err));
        assert_true(least == 0);
        tml_model_start(t.model, 0, t.x);
        OK(tmli_joint_space_from_base(t.sys, t.work, t.x, t.y, &err));
        assert_int_equal(t.sys->ops->accelerate(t.sys->self, t.work, t.y, &err), TML_ERR_SINGULAR);
        assert_non_null(strstr(err.msg, "'root.angle'"));
        twin_end(&t);
    }
    t = twin_of(load("suspension"));
    double least = 0;
    OK(tmli_joint_space_least_inertia(t.sys, &least, &err));
    assert_true(least > 0.1 && least < 1);
    twin_end(&t);
}

// Two equal rods in line, pinned: M = [8/3, 5/6; 5/6, 1/3] m l^2, and free to move the second leaves
// 8/3 - (5/6)^2 3 = 7/12 of the 8/3 that both have about the first pin.
static void least_inertia(void **state)
{
    (void)state;
    for (int planar = 0; planar < 2; planar++) {
        tml_error err = {0};
        double least = 0;
        const char *const z = planar ? "" : ", 0";
        char text[500];
        snprintf(text, sizeof text,
                 "%sbodies:\n"
                 "  one: {mass: 1.7, inertia: 1.7/12, position: [0.5, 0%s]}\n"
                 "  two: {mass: 1.7, inertia: 1.7/12, position: [1.5, 0%s]}\n"
                 "joints:\n"
                 "  first: {type: revolute, a: ground, b: one, point: [0, 0%s]}\n"
                 "  second: {type: revolute, a: one, b: two, point: [1, 0%s]}\n",
                 planar ? "planar: true\n" : "", z, z, z, z);
        twin t = twin_of(text_model(text));
        OK(tmli_joint_space_least_inertia(t.sys, &least, &err));
        CHECK_CLOSE(least, 7.0 / 32, 1e-12);
        twin_end(&t);
    }
}

// A system that was created for an explicit method serves an implicit one as well.
static void matrix_added(void **state)
{
    (void)state;
    tml_error err = {0};
    twin t = twin_of(load("double_pendulum"));
    tml_system *later;
    OK(tmli_joint_space_create(t.base, false, INFINITY, &later, &err));
    const tml_pattern *with = t.sys->pattern;
    assert_int_equal(later->pattern->colptr[later->pattern->n], later->n + later->m);  // a diagonal
    OK(tmli_joint_space_add_matrix(later, &err));
    assert_int_equal(later->pattern->n, with->n);
    assert_int_equal(later->pattern->colptr[with->n], with->colptr[with->n]);
    assert_true(with->colptr[with->n] > with->n);
    assert_memory_equal(later->pattern->rowind, with->rowind,
                        (size_t)with->colptr[with->n] * sizeof *with->rowind);
    double *values = calloc(2 * (size_t)with->colptr[with->n], sizeof *values),
           *own = values + with->colptr[with->n];
    void *work = later->ops->create_work(later->self, NULL);
    const tml_assembly a = {.cm = 1};
    tml_model_start(t.model, 0, t.x);
    OK(tmli_joint_space_from_base(t.sys, t.work, t.x, t.y, &err));
    OK(t.sys->ops->assemble(t.sys->self, t.work, t.y, &a, values, &err));
    OK(later->ops->assemble(later->self, work, t.y, &a, own, &err));
    assert_true(values[0] > 0);
    assert_memory_equal(own, values, (size_t)with->colptr[with->n] * sizeof *values);
    later->ops->destroy_work(work);
    tml_system_destroy(later);
    free(values);
    twin_end(&t);
}

static void open_joints(void **state)
{
    (void)state;
    tml_error err = {0};
    twin t = twin_of(load("governor"));
    tml_model_start(t.model, 0, t.x);
    t.x->q[7 * 2] += 0.01;  // an arm leaves its hinge
    assert_int_equal(tmli_joint_space_from_base(t.sys, t.work, t.x, t.y, &err), TML_ERR_MODEL);
    assert_non_null(strstr(err.msg, "joint 'hinge1'"));
    twin_end(&t);
}

static tml_status unit_mass(double t, const double *q, double *M, void *user)
{
    (void)t, (void)q, (void)user;
    M[0] = 1;
    return TML_OK;
}
static tml_status no_force(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t, (void)q, (void)u, (void)user;
    f[0] = 0;
    return TML_OK;
}

static void other_systems(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_user_system_def def = tml_user_system_def_default();
    def.n = 1;
    def.mass = unit_mass;
    def.force = no_force;
    tml_system *sys = NULL;
    OK(tml_system_create_user(&def, NULL, &sys, &err));
    tml_integrator_options opt = tml_integrator_options_default();
    const tml_method_ops *ops;
    void *self = NULL;
    opt.run.kinematics = TML_KINEMATICS_JOINTS;
    assert_int_equal(tml_method_create(tml_method_find("bdf"), sys, &opt, &ops, &self, &err), TML_ERR_ARG);
    assert_non_null(strstr(err.msg, "kinematics joints"));
    assert_null(self);
    tml_model *model = load("pendulum");
    opt.run.group = TML_GROUP_SE3;
    assert_int_equal(
        tml_method_create(tml_method_find("bdf"), tml_model_system(model), &opt, &ops, &self, &err),
        TML_ERR_ARG);
    assert_non_null(strstr(err.msg, "group se3"));
    tml_model_destroy(model);
    tml_system_destroy(sys);
}

// ---- memory -----------------------------------------------------------------------------------------------

static void memory(void **state)
{
    (void)state;
    counter c = {0};
    const tml_env env = count_env(&c);
    tml_model *model = load_model("suspension", (tml_parameter){0}, &env);
    tml_run_def run = *tml_model_run(model);
    run.kinematics = TML_KINEMATICS_JOINTS;
    run.method = "bdf";
    memory_runs_out(&c, model, &run, 0.05);
}

// The choice of the method makes joint coordinates, and the method takes them.
static void memory_of_choice(void **state)
{
    (void)state;
    counter c = {0};
    const tml_env env = count_env(&c);
    tml_model *model = load_model("four_bar", (tml_parameter){0}, &env);
    tml_run_def run = *tml_model_run(model);
    run.method = "auto";
    memory_runs_out(&c, model, &run, 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accelerations),        cmocka_unit_test(every_method_agrees),
        cmocka_unit_test(outputs_agree),        cmocka_unit_test(sizes),
        cmocka_unit_test(dependent_loops),      cmocka_unit_test(without_inertia),
        cmocka_unit_test(least_inertia),        cmocka_unit_test(open_joints),
        cmocka_unit_test(other_systems),        cmocka_unit_test(memory),
        cmocka_unit_test(many_dependent_loops), cmocka_unit_test(memory_of_choice),
        cmocka_unit_test(matrix_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
