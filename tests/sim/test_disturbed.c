// Roots of small motions beside steady motion, against the propagator of disturbances in runs.
#include "analysis/check_models.h"

#include "analysis/modes/linearize.h"
#include "linalg/dense/lapack.h"
#include <trammel/sim.h>

#include <complex.h>

static tml_model *parse(const char *text)
{
    tml_spec *spec = NULL;
    OK(tml_spec_parse(text, strlen(text), "test.yaml", NULL, 0, NULL, &spec, err));
    return build(spec);
}

enum { DIRECTIONS = 24 };

typedef struct disturbed {
    const tml_model *model;
    tmli_variation v;
    tmli_steady steady;
    tml_state *x, *y;
} disturbed;

// y = x disturbed by e times direction c: a column of (Y, U) or of (0, Z)
static void disturb(disturbed *p, int c, double e)
{
    const tmli_variation *v = &p->v;
    double d[64] = {0};
    tml_state_copy(p->y, p->x);
    for (int j = 0; j < v->n; j++) {
        if (c < v->ra) d[j] = e * v->k->unit[j] * v->Y[c * v->n + j];
        p->y->u[j] += e * v->k->unit[j] * (c < v->ra ? v->U[c * v->n + j] : v->Z[(c - v->ra) * v->n + j]);
    }
    v->sys->ops->retract(v->sys->self, p->x->q, d, p->y->q);
}

static void run(disturbed *p, double time)
{
    tml_sim *sim = NULL;
    tml_run_def def = tml_run_def_default();
    def.method = "erk8";
    def.tol = 1e-12;
    def.end = time;
    OK(tml_sim_create(p->model, &def, &sim, err));
    OK(tml_sim_restart(sim, p->y, err));
    OK(tml_sim_run(sim, time, err));
    tml_state_copy(p->y, tml_sim_state(sim));
    tml_sim_destroy(sim);
}

// x = exp(g time) x by many small turns of second order: independent of turn_vector
static void turn_back(const disturbed *p, double time, double *x)
{
    double rate[64], y[64];
    const int n = p->v.n, steps = 2000;
    for (int k = 0; k < steps; k++) {
        tmli_steady_rate(&p->steady, n, x, rate);
        for (int j = 0; j < n; j++) y[j] = x[j] + time / steps / 2 * rate[j];
        tmli_steady_rate(&p->steady, n, y, rate);
        for (int j = 0; j < n; j++) x[j] += time / steps * rate[j];
    }
}

// Coordinates (a, b) of the difference of y from `end`
static void coordinates(disturbed *p, const tml_state *end, double time, double e, double *out)
{
    const tmli_variation *v = &p->v;
    double d[64], du[64];
    v->sys->ops->local(v->sys->self, end->q, p->y->q, d);
    for (int j = 0; j < v->n; j++) {
        d[j] /= e * v->k->unit[j];
        du[j] = (p->y->u[j] - end->u[j]) / (e * v->k->unit[j]);
    }
    turn_back(p, -time, d);
    turn_back(p, -time, du);
    for (int c = 0; c < v->ra + v->r; c++) {
        out[c] = 0;
        for (int j = 0; j < v->n; j++)
            out[c] += c < v->ra ? v->Y[c * v->n + j] * d[j] : v->Z[(c - v->ra) * v->n + j] * du[j];
    }
}

// The propagator of disturbances over `time`, from runs that start e apart; its eigenvalues are exp(s time).
static void compare_with_runs(const char *text, double time)
{
    disturbed p = {.model = parse(text)};
    const tml_system *sys = tml_model_system(p.model);
    tml_state *end = NULL;
    tmli_rank k;
    tmli_spectrum s;
    OK(tml_state_create(sys, &p.x, err));
    OK(tml_state_create(sys, &p.y, err));
    OK(tml_state_create(sys, &end, err));
    tml_model_start(p.model, 0, p.x);
    void *w = sys->ops->create_work(sys->self, &sys->env);
    OK(tmli_rank_calc(sys, w, p.x, &k, err));
    OK(tmli_linearize(sys, p.model, w, &k, p.x, &s, err));
    assert_int_equal(s.motion, TMLI_MOTION_STEADY);
    OK(tmli_variation_init(&p.v, sys, w, &k, p.x, true, err));
    OK(tmli_variation_dynamics(&p.v, err));
    OK(tmli_variation_reduce(&p.v, err));
    OK(tmli_steady_find(&p.v, p.model, &p.steady, err));
    const int N = p.v.ra + p.v.r;
    assert_true(N <= DIRECTIONS && p.v.n <= 64);
    double A[DIRECTIONS * DIRECTIONS], minus[DIRECTIONS], re[DIRECTIONS], im[DIRECTIONS];
    tml_state_copy(p.y, p.x);
    run(&p, time);
    tml_state_copy(end, p.y);
    const double e = 1e-4;  // errors: third order 1e-8, of the runs 1e-12/1e-4
    for (int c = 0; c < N; c++) {
        disturb(&p, c, e);
        run(&p, time);
        coordinates(&p, end, time, e, A + c * N);
        disturb(&p, c, -e);
        run(&p, time);
        coordinates(&p, end, time, e, minus);
        for (int i = 0; i < N; i++) A[c * N + i] = (A[c * N + i] - minus[i]) / 2;
    }
    double work[16 * DIRECTIONS], none = 0;
    const int lwork = 16 * DIRECTIONS, one = 1;
    int info = 0;
    dgeev_("N", "N", &N, A, &N, re, im, &none, &one, &none, &one, work, &lwork, &info, 1, 1);
    assert_int_equal(info, 0);
    assert_int_equal(s.count, N);
    for (int i = 0; i < N; i++) {
        double least = INFINITY;
        for (int j = 0; j < N; j++)
            least = fmin(least, cabs(cexp((s.re[j] + s.im[j] * I) * time) - (re[i] + im[i] * I)));
        CHECK_SMALL(least, 1e-3);  // double roots are split by the square root of 1e-7
    }
    tmli_spectrum_clear(&s);
    tmli_variation_clear(&p.v);
    tmli_rank_clear(&k);
    sys->ops->destroy_work(w);
    tml_state_destroy(p.x, sys);
    tml_state_destroy(p.y, sys);
    tml_state_destroy(end, sys);
    tml_model_destroy((tml_model *)p.model);
}

#define ROTOR(inertia, stiffness)                                                                     \
    "bodies:\n"                                                                                       \
    "  house: {mass: 2, inertia: [0.3, 0.3, 0.2], position: [0, 0, 0]}\n"                             \
    "  rotor: {mass: 3, inertia: " inertia ", position: [0, 0, 0.4], angular_velocity: [0, 0, 11]}\n" \
    "joints:\n"                                                                                       \
    "  bearing: {type: revolute, a: house, b: rotor, point: [0, 0, 0.4], axis: [0, 0, 1]}\n"          \
    "  motor: {type: driver, of: bearing.angle, motion: 11*t}\n"                                      \
    "forces:\n"                                                                                       \
    "  mount: {type: bushing, a: ground, b: house, stiffness: " stiffness ", damping: [3, 3, 2, 1, 1, 1]}\n"

static void rotors(void **state)
{
    (void)state;
    compare_with_runs(ROTOR("[0.11, 0.11, 0.2]", "[1000, 1000, 2000, 300, 300, 200]"), 0.21);
    compare_with_runs(ROTOR("[0.11, 0.11, 0.2]", "[1000, 1500, 2000, 300, 370, 200]"), 0.21);
    compare_with_runs(ROTOR("[0.07, 0.13, 0.2]", "[1000, 1000, 2000, 300, 300, 200]"), 0.21);
}

static void satellite(void **state)
{
    (void)state;
    compare_with_runs(
        "bodies:\n"
        "  hub: {mass: 10, inertia: [2, 2.4, 3], angular_velocity: [0, 0, 2]}\n"
        "  boom1: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [1, 0, 0], velocity: [0, 2, 0],\n"
        "          angular_velocity: [0, 0, 2]}\n"
        "  boom2: {mass: 1, inertia: [0.01, 0.1, 0.1], position: [-1, 0, 0], velocity: [0, -2, 0],\n"
        "          angular_velocity: [0, 0, 2]}\n"
        "joints:\n"
        "  h1: {type: revolute, a: hub, b: boom1, point: [0.5, 0, 0], axis: [0, 1, 0]}\n"
        "  h2: {type: revolute, a: hub, b: boom2, point: [-0.5, 0, 0], axis: [0, 0, 1]}\n",
        0.53);
}

// A double pendulum without gravity, stretched and turning.
static void turning_chain(void **state)
{
    (void)state;
    compare_with_runs(
        "planar: true\n"
        "bodies:\n"
        "  a: {mass: 1, inertia: 0.1, position: [0, -1], velocity: [3, 0], angular_velocity: 3}\n"
        "  b: {mass: 0.7, inertia: 0.1, position: [0, -2], velocity: [6, 0], angular_velocity: 3}\n"
        "joints:\n"
        "  p: {type: revolute, a: ground, b: a, point: [0, 0]}\n"
        "  q: {type: revolute, a: a, b: b, point: [0, -1.5]}\n",
        0.37);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotors),
        cmocka_unit_test(satellite),
        cmocka_unit_test(turning_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
