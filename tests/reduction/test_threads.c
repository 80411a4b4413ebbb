// Derivatives computed column by column on threads: bitwise equal for any number of threads.
#include "reduction/fixture.h"
#include "reduction/internal.h"

enum { MAX_DOF = 130 };

// %d: number of rods
static const char chain[] =
    "title: chain\nplanar: true\ngravity: 9.81\n"
    "parameters: {N: %d}\n"
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
    double by_v[MAX_DOF * MAX_DOF], by_vd[MAX_DOF * MAX_DOF], by_t[MAX_DOF];
} derivatives;

// Derivatives at three consecutive states, since the history of the solvers may matter.
static void derive(rig *s, int dof, int threads, tml_jacobian jacobian, derivatives *out)
{
    tmli_reduction *one = NULL;
    tml_counters count = {0};
    bool changed;
    double a[MAX_DOF], v[MAX_DOF], vd[MAX_DOF];
    s->opt.run.threads = threads;
    s->opt.run.jacobian = jacobian;
    OK(tmli_reduction_create(s->sys, &s->opt, true, &count, &one, err));
    tml_state_copy(s->y, s->x);
    for (int round = 0; round < 3; round++) {
        OK(tmli_reduction_begin(one, s->y, &changed, err));
        OK(tmli_reduction_accelerate(one, s->y, a, err));
        OK(tmli_reduction_jacobian(one, s->y, out->by_v, out->by_vd, out->by_t, err));
        tmli_reduction_velocity(one, s->y, vd);
        const double h = 0.02;
        for (int i = 0; i < dof; i++) {
            v[i] = h * vd[i] + h * h / 2 * a[i];
            vd[i] += h * a[i];
        }
        OK(tmli_reduction_solve_dependent(one, s->y->t + h, v, vd, s->y, err));
        OK(tmli_reduction_accelerate(one, s->y, a, err));
    }
    tmli_reduction_destroy(one);
}

static void check_threads(int dof, tml_coordinates coordinates, const tml_linsolver_ops *solver,
                          tml_jacobian jacobian)
{
    char text[sizeof chain + 16];
    snprintf(text, sizeof text, chain, dof);
    const subject k = {"chain", text, dof};
    derivatives *d = calloc(2, sizeof *d);
    rig *s = rig_open(&k, coordinates, false);
    s->opt.solver = solver;
    rig_project(s, s->x);
    derive(s, dof, 1, jacobian, &d[0]);
    for (int threads = 2; threads <= 3; threads++) {
        derive(s, dof, threads, jacobian, &d[1]);
        assert_memory_equal(&d[0], &d[1], sizeof d[1]);
    }
    rig_close(s);
    free(d);
}

// Explicit methods have no memory for derivatives, which would be the square of the number of coordinates;
// the accelerations have the same bits.
static void without_derivatives(void **state)
{
    (void)state;
    char text[sizeof chain + 16];
    snprintf(text, sizeof text, chain, MAX_DOF);
    const subject k = {"chain", text, MAX_DOF};
    rig *s = rig_open(&k, TML_COORDINATES_PARTITION, false);
    rig_project(s, s->x);
    double a[2][MAX_DOF];
    for (int i = 0; i < 2; i++) {
        tmli_reduction *one = NULL;
        tml_counters count = {0};
        bool changed;
        OK(tmli_reduction_create(s->sys, &s->opt, i > 0, &count, &one, err));
        tml_state_copy(s->y, s->x);
        OK(tmli_reduction_begin(one, s->y, &changed, err));
        OK(tmli_reduction_accelerate(one, s->y, a[i], err));
        assert_true((one->dense_memory || one->helper_work) == (i > 0));
        tmli_reduction_destroy(one);
    }
    assert_memory_equal(a[0], a[1], sizeof a[0]);
    rig_close(s);
}

static void exact(void **state)
{
    (void)state;
    check_threads(130, TML_COORDINATES_PARTITION, &tml_linsolver_klu, TML_JACOBIAN_EXACT);
    check_threads(130, TML_COORDINATES_PARTITION, &tml_linsolver_block, TML_JACOBIAN_EXACT);
    check_threads(130, TML_COORDINATES_TANGENT, &tml_linsolver_klu, TML_JACOBIAN_EXACT);
}

static void differences(void **state)
{
    (void)state;
    check_threads(33, TML_COORDINATES_PARTITION, &tml_linsolver_klu, TML_JACOBIAN_DIFFERENCES);
    check_threads(33, TML_COORDINATES_TANGENT, &tml_linsolver_block, TML_JACOBIAN_DIFFERENCES);
}

// Exact derivatives of a short chain (all columns at once) and of a long one (column by column) agree with
// differences.
static void exact_agrees_with_differences(void **state)
{
    (void)state;
    for (int size_case = 0; size_case < 2; size_case++) {
        const int dof = size_case == 0 ? 20 : MAX_DOF;
        char text[sizeof chain + 16];
        snprintf(text, sizeof text, chain, dof);
        const subject k = {"chain", text, dof};
        derivatives *d = calloc(2, sizeof *d);
        rig *s = rig_open(&k, TML_COORDINATES_PARTITION, false);
        rig_project(s, s->x);
        derive(s, dof, 1, TML_JACOBIAN_EXACT, &d[0]);
        derive(s, dof, 2, TML_JACOBIAN_DIFFERENCES, &d[1]);
        double size = 1;
        for (int i = 0; i < dof * dof; i++) size = fmax(size, fabs(d[0].by_v[i]));
        for (int i = 0; i < dof * dof; i++) {
            CHECK_CLOSE(d[0].by_v[i], d[1].by_v[i], 1e-6 * size);
            CHECK_CLOSE(d[0].by_vd[i], d[1].by_vd[i], 1e-6 * size);
        }
        rig_close(s);
        free(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_derivatives),
        cmocka_unit_test(exact),
        cmocka_unit_test(differences),
        cmocka_unit_test(exact_agrees_with_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
