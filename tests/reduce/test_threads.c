// Columns of the derivatives on threads: the same bits for any number of them.
#include "reduce/fixture.h"

enum { DOF = 40 };

static const char chain[] =
    "title: chain\nplanar: true\ngravity: 9.81\n"
    "parameters: {N: 40}\n"
    "defaults:\n"
    "  bodies: {mass: 1, inertia: 1/12, frames: {left: [-0.5, 0], right: [0.5, 0]}}\n"
    "  joints: {type: revolute}\n"
    "joints:\n"
    "  pin1: {a: ground, b: rod1.left}\n"
    "repeat:\n"
    "  - {index: i, from: 1, to: N, bodies: {\"rod{i}\": {position: [i - 0.5, 0]}}}\n"
    "  - {index: i, from: 2, to: N, joints: {\"pin{i}\": {a: \"rod{i-1}.right\", b: \"rod{i}.left\"}}}\n"
    "forces:\n"
    "  wind: {type: drag, body: rod7, linear: 0.4}\n"
    "run: {end: 1}\n";

typedef struct derivatives {
    double by_v[DOF * DOF], by_vd[DOF * DOF], by_t[DOF];
} derivatives;

// At some states after one another, as the history of the solvers may matter.
static void derive(rig *s, int threads, tml_jacobian jacobian, derivatives *out)
{
    tmli_reduction *one = NULL;
    tml_counters count = {0};
    bool changed;
    double a[DOF], v[DOF], vd[DOF];
    s->opt.threads = threads;
    s->opt.jacobian = jacobian;
    OK(tmli_reduction_create(s->sys, &s->opt, &count, &one, err));
    tml_state_copy(s->y, s->x);
    for (int round = 0; round < 4; round++) {
        OK(tmli_reduction_begin(one, s->y, &changed, err));
        OK(tmli_reduction_accelerate(one, s->y, a, err));
        OK(tmli_reduction_jacobian(one, s->y, out->by_v, out->by_vd, out->by_t, err));
        tmli_reduction_velocity(one, s->y, vd);
        const double h = 0.02;
        for (int i = 0; i < DOF; i++) {
            v[i] = h * vd[i] + h * h / 2 * a[i];
            vd[i] += h * a[i];
        }
        OK(tmli_reduction_place(one, s->y->t + h, v, vd, s->y, err));
        OK(tmli_reduction_accelerate(one, s->y, a, err));
    }
    tmli_reduction_destroy(one);
}

static double worst(const double *a, const double *b, int n)
{
    double most = 0, size = 1;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(a[i]));
    for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
    return most / size;
}

static void repeatable(void **state)
{
    (void)state;
    static const tml_linsolver_ops *const solvers[] = {&tml_linsolver_klu, &tml_linsolver_block};
    const subject k = {"chain", chain, DOF};
    const int most = getenv("TRAMMEL_SLOW_BUILD") ? 2 : 4;  // memory and races show with two
    derivatives *d = calloc(3, sizeof *d);
    for (int tangent = 0; tangent < 2; tangent++)
        for (int solver = 0; solver < 2; solver++) {
            rig *s = rig_open(&k, tangent ? TML_COORDINATES_TANGENT : TML_COORDINATES_PARTITION, false);
            s->opt.solver = solvers[solver];
            rig_project(s, s->x);
            for (int way = 0; way < 2; way++) {
                const tml_jacobian jacobian = way == 0 ? TML_JACOBIAN_EXACT : TML_JACOBIAN_DIFFERENCES;
                derive(s, 1, jacobian, &d[way]);
                for (int threads = 2; threads <= most; threads++) {
                    derive(s, threads, jacobian, &d[2]);
                    assert_memory_equal(&d[way], &d[2], sizeof d[2]);
                }
            }
            CHECK_SMALL(worst(d[0].by_v, d[1].by_v, DOF * DOF), 1e-7);
            CHECK_SMALL(worst(d[0].by_vd, d[1].by_vd, DOF * DOF), 1e-7);
            rig_close(s);
        }
    free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(repeatable)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
