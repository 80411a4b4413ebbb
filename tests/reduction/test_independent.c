// The state-space and the full descriptor form of a reduction: residual of the independent equations, its
// derivative, and corrections that are Newton's, with the error of second order.
#include "reduction/fixture.h"

enum { MAX = 16, LARGE = 128 };

// A configuration at some distance from the centre, and its accelerations by the index-1 equations.
static int displaced(rig *s, rng *r, double far, double *v, double *vd, double *a)
{
    bool changed;
    OK(tmli_reduction_begin(s->red, s->x, &changed, err));
    const int dof = tmli_reduction_dof(s->red);
    tmli_reduction_velocity(s->red, s->x, vd);
    for (int k = 0; k < dof; k++) {
        v[k] = rng_range(r, -far, far);
        vd[k] += rng_range(r, -far, far);
    }
    tml_state_copy(s->y, s->x);
    OK(tmli_reduction_solve_dependent(s->red, s->x->t, v, vd, s->y, err));
    OK(tmli_reduction_accelerate(s->red, s->y, a, err));
    return dof;
}

static double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

// At the accelerations of a configuration psi is 0, and all accelerations and multipliers are theirs.
static void check_solution(rig *s, rng *r)
{
    double v[MAX], vd[MAX], a[MAX], psi[MAX], off[MAX], udot[LARGE], lambda[LARGE];
    const int dof = displaced(s, r, 0.02, v, vd, a), n = s->sys->n, m = s->sys->m;
    assert_true(dof <= MAX && n <= LARGE && m <= LARGE);
    memcpy(udot, s->y->udot, (size_t)n * sizeof *udot);
    memcpy(lambda, s->y->lambda, (size_t)m * sizeof *lambda);
    OK(tmli_reduction_independent_residual(s->red, s->y, a, psi, err));
    const double scale = 1 + largest(udot, n), force = 1 + largest(lambda, m);
    for (int j = 0; j < n; j++) CHECK_CLOSE(s->y->udot[j], udot[j], 1e-8 * scale);
    for (int i = 0; i < m; i++) CHECK_CLOSE(s->y->lambda[i], lambda[i], 1e-7 * force);
    for (int k = 0; k < dof; k++) off[k] = a[k] + scale * rng_range(r, 0.5, 1);
    OK(tmli_reduction_independent_residual(s->red, s->y, off, off, err));
    for (int k = 0; k < dof; k++) CHECK_SMALL(psi[k], 1e-8 * (1 + largest(off, dof)));
}

// At the centre psi = Mr (a - accelerations), and Mr is symmetric.
static void check_mass(rig *s, rng *r)
{
    bool changed;
    double vd[MAX], v[MAX] = {0}, a[MAX], off[MAX], psi[MAX], Mr[MAX * MAX];
    OK(tmli_reduction_begin(s->red, s->x, &changed, err));
    const int dof = tmli_reduction_dof(s->red);
    tmli_reduction_velocity(s->red, s->x, vd);
    OK(tmli_reduction_reduced_mass(s->red, s->x, Mr, err));
    tml_state_copy(s->y, s->x);
    OK(tmli_reduction_solve_dependent(s->red, s->x->t, v, vd, s->y, err));
    OK(tmli_reduction_accelerate(s->red, s->y, a, err));
    for (int k = 0; k < dof; k++) off[k] = a[k] + rng_range(r, -1, 1) * (1 + largest(a, dof));
    OK(tmli_reduction_independent_residual(s->red, s->y, off, psi, err));
    const double scale = largest(psi, dof);
    for (int k = 0; k < dof; k++) {
        double want = 0;
        for (int l = 0; l < dof; l++) {
            want += Mr[l * dof + k] * (off[l] - a[l]);
            CHECK_CLOSE(Mr[l * dof + k], Mr[k * dof + l], 1e-9 * (1 + largest(Mr, dof * dof)));
        }
        CHECK_CLOSE(psi[k], want, 1e-8 * scale);
    }
}

// x := inverse(A) x, A (n x n) by columns.
static void solve_by_columns(int n, double *A, double *x)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            const double t = A[i * n + j];
            A[i * n + j] = A[j * n + i];
            A[j * n + i] = t;
        }
    dense_solve(n, A, x);
}

// One correction from accelerations that are off by `off` (n), with the positions and velocities that belong
// to them: what is left, over the size of the accelerations, and of the multipliers.
static double left_by_correction(rig *s, double h, const double *off, bool full)
{
    const double ck = h * h / 4, cd = h / 2;
    bool changed;
    double vd0[MAX], a[MAX], near[MAX], v[MAX], vd[MAX], da[MAX], by_v[MAX * MAX], by_vd[MAX * MAX],
        S[MAX * MAX], udot[LARGE], lambda[LARGE], left = 0, forces = 0;
    OK(tmli_reduction_begin(s->red, s->x, &changed, err));
    const int dof = tmli_reduction_dof(s->red), n = s->sys->n;
    OK(tmli_reduction_accelerate(s->red, s->x, a, err));
    tmli_reduction_velocity(s->red, s->x, vd0);
    memcpy(udot, s->x->udot, (size_t)n * sizeof *udot);
    memcpy(lambda, s->x->lambda, (size_t)s->sys->m * sizeof *lambda);
    tml_state_copy(s->y, s->x);
    for (int j = 0; j < n; j++) s->y->udot[j] += off[j];
    tmli_reduction_acceleration_of(s->red, s->y, near);
    OK(tmli_reduction_descriptor_factor(s->red, s->x, full ? 0 : cd, full ? 0 : ck, err));
    OK(tmli_reduction_jacobian(s->red, s->x, by_v, by_vd, NULL, err));
    for (int k = 0; k < dof; k++) {
        v[k] = ck * (near[k] - a[k]);
        vd[k] = vd0[k] + cd * (near[k] - a[k]);
    }
    double there[MAX];
    OK(tmli_reduction_solve_dependent(s->red, s->x->t, v, vd, s->y, err));
    tmli_reduction_acceleration_of(s->red, s->y, there);
    OK(tmli_reduction_descriptor_correct(s->red, s->y, da, err));
    if (full) {
        for (int k = 0; k < dof; k++) da[k] += there[k] - near[k];
        for (int i = 0; i < dof * dof; i++) S[i] = -cd * by_vd[i] - ck * by_v[i];
        for (int i = 0; i < dof; i++) S[i * dof + i] += 1;
        solve_by_columns(dof, S, da);
        tmli_reduction_full_correction(s->red, da, cd, ck, s->y);
    }
    for (int j = 0; j < n; j++) left = fmax(left, fabs(s->y->udot[j] - udot[j]));
    for (int i = 0; i < s->sys->m; i++) forces = fmax(forces, fabs(s->y->lambda[i] - lambda[i]));
    return fmax(left / (1 + largest(udot, n)), forces / (1 + largest(lambda, s->sys->m)));
}

// The full correction is Newton's: a tenth of the error leaves a hundredth. The cheaper one leaves a tenth.
static double check_full(rig *s, rng *r, double h)
{
    double off[LARGE], less[LARGE];
    bool changed;
    double a[MAX];
    OK(tmli_reduction_begin(s->red, s->x, &changed, err));
    OK(tmli_reduction_accelerate(s->red, s->x, a, err));
    const int n = s->sys->n;
    assert_true(n <= LARGE);
    const double scale = 1 + largest(s->x->udot, n);
    for (int j = 0; j < n; j++) {
        off[j] = 1e-2 * scale * rng_range(r, -1, 1);
        less[j] = off[j] / 10;
    }
    const double full = left_by_correction(s, h, off, true), again = left_by_correction(s, h, less, true),
                 cheap = left_by_correction(s, h, off, false),
                 cheap_again = left_by_correction(s, h, less, false);
    printf("%-24s full %.1e, %.1e; cheap %.1e, %.1e\n", s->name, full, again, cheap, cheap_again);
    if (full > 1e-9) CHECK_SMALL(again, full / 60);
    return cheap_again / fmax(again, 1e-12);
}

static void on_subjects(void **state)
{
    (void)state;
    double gain = 0;
    for (int i = 0; i < SUBJECTS; i++)
        for (int tangent = 0; tangent < 2; tangent++) {
            if (subjects[i].dof == 0) continue;
            rng r = rng_seed((uint64_t)(471 + i));
            rig *s =
                rig_open(&subjects[i], tangent ? TML_COORDINATES_TANGENT : TML_COORDINATES_PARTITION, false);
            rig_random(s, &r, 0.02, 1);
            check_solution(s, &r);
            check_mass(s, &r);
            gain = fmax(gain, check_full(s, &r, strstr(s->name, "andrews") ? 3e-4 : 1e-2));
            rig_close(s);
        }
    assert_true(gain > 100);  // the neglected terms are there
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(on_subjects)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
