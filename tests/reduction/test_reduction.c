// The state-space reduction: dependent coordinates, accelerations, interpolation and derivatives.
#include "reduction/fixture.h"

static void for_all(void (*test)(rig *s, const subject *k, rng *r))
{
    for (int i = 0; i < SUBJECTS; i++)
        for (int tangent = 0; tangent < 2; tangent++) {
            rng r = rng_seed((uint64_t)(71 + i));
            rig *s =
                rig_open(&subjects[i], tangent ? TML_COORDINATES_TANGENT : TML_COORDINATES_PARTITION, false);
            rig_random(s, &r, 0.03, 1);
            test(s, &subjects[i], &r);
            rig_close(s);
        }
}

static void begin(rig *s, const subject *k)
{
    bool changed = false;
    OK(tmli_reduction_begin(s->red, s->x, &changed, err));
    assert_true(changed);
    if (tmli_reduction_dof(s->red) != k->dof)
        fail_msg("%s: %d degrees of freedom, expected %d", s->name, tmli_reduction_dof(s->red), k->dof);
    tml_state_copy(s->y, s->x);
}

// ---- dependent coordinates --------------------------------------------------------------------------------

static void check_solve_dependent(rig *s, const subject *k, rng *r)
{
    begin(s, k);
    double v[16], vd[16], v2[16], vd2[16], position, velocity;
    for (int round = 0; round < 6; round++) {
        const double size = round == 0 ? 0 : 0.05 * pow(0.1, round % 3);
        tmli_reduction_velocity(s->red, s->x, vd);
        for (int i = 0; i < k->dof; i++) {
            v[i] = rng_range(r, -size, size) * s->sys->length;
            vd[i] += rng_range(r, -1, 1) * (round > 0);
        }
        const double t = s->x->t + 0.01 * round;
        OK(tmli_reduction_solve_dependent(s->red, t, v, vd, s->y, err));
        rig_residuals(s, s->y, &position, &velocity);
        if (position > 3e-14 * (1 + s->sys->length) || velocity > 3e-12)
            fail_msg("%s, round %d: residuals %g and %g", s->name, round, position, velocity);
        locate(s->red, s->y, v2, vd2);
        for (int i = 0; i < k->dof; i++) {
            CHECK_CLOSE(v2[i], v[i], 1e-14 * (1 + s->sys->length));
            CHECK_CLOSE(vd2[i], vd[i], 1e-12);
        }
    }
}

static void solve_dependent(void **state)
{
    (void)state;
    for_all(check_solve_dependent);
}

// Accelerations satisfy the equations, and a is the second derivative of v along the motion.
static void check_accelerate(rig *s, const subject *k, rng *r)
{
    (void)r;
    begin(s, k);
    double v[16], vd[16], a[16], a2[16];
    tmli_reduction_velocity(s->red, s->x, vd);
    for (int i = 0; i < k->dof; i++) v[i] = 0.02 * s->sys->length * cos(3 * i + 1);
    OK(tmli_reduction_solve_dependent(s->red, 0.013, v, vd, s->y, err));
    OK(tmli_reduction_accelerate(s->red, s->y, a, err));
    tmli_reduction_acceleration_of(s->red, s->y, a2);
    // (1) and (4)
    double *motion = calloc((size_t)(s->n + 2 * s->m + 1), sizeof *motion), *phi = motion + s->n,
           *gamma = phi + s->m;
    double *rows = calloc((size_t)s->sys->rowptr[s->m] + 1, sizeof *rows), force = 0, most = 0;
    OK(s->sys->ops->dynamics(s->sys->self, s->work, s->y, motion, gamma, err));
    for (int j = 0; j < s->n; j++) most = fmax(most, fabs(motion[j]));
    OK(s->sys->ops->residual_rows(s->sys->self, s->work, s->y, NULL, motion, phi, rows, err));
    for (int j = 0; j < s->n; j++) force = fmax(force, fabs(motion[j]));
    for (int i = 0; i < s->m; i++) most = fmax(most, fabs(s->y->lambda[i]));
    CHECK_SMALL(force, 1e-11 * (1 + most));
    for (int i = 0; i < s->m; i++) {
        double sum = -gamma[i];
        for (int e = s->sys->rowptr[i]; e < s->sys->rowptr[i + 1]; e++)
            sum += rows[e] * s->y->udot[s->sys->rowcol[e]];
        CHECK_SMALL(sum, 1e-8 * (1 + fabs(gamma[i])));
    }
    // a is the second derivative of v along the motion with u and udot, by differences
    double vp[16], vm[16], dp[16], dm[16];
    const double h = 1e-4;
    for (int side = -1; side <= 1; side += 2) {
        double *d = calloc((size_t)s->n, sizeof *d);
        tml_state_copy(s->x, s->y);
        for (int j = 0; j < s->n; j++) {
            d[j] = side * h * s->y->u[j] + h * h / 2 * s->y->udot[j];
            s->x->u[j] += side * h * s->y->udot[j];
        }
        s->sys->ops->retract(s->sys->self, s->y->q, d, s->x->q);
        locate(s->red, s->x, side < 0 ? vm : vp, side < 0 ? dm : dp);
        free(d);
    }
    double speed = 1;
    for (int j = 0; j < s->n; j++) speed = fmax(speed, fabs(s->y->u[j]));
    for (int i = 0; i < k->dof; i++) {
        CHECK_CLOSE(a2[i], a[i], 1e-12 * (1 + fabs(a[i])));
        CHECK_CLOSE((vp[i] - vm[i]) / (2 * h), vd[i], 1e-7 * pow(speed, 3));
        CHECK_CLOSE((dp[i] - dm[i]) / (2 * h), a[i], 1e-7 * (1 + fabs(a[i])) * pow(speed, 3));
    }
    free(motion);
    free(rows);
}

// The interpolation between two states has their increments, rates and accelerations at its ends, and its
// rate is the derivative of its increment. Dependent coordinates are found near their own increment, and a
// solution far from the predicted one is rejected.
static void check_between(rig *s, const subject *k, rng *r)
{
    (void)r;
    begin(s, k);
    const size_t n = (size_t)s->n;
    const double h = 0.013, e = 1e-4;
    double v[16], vd[16], a[16], *end = calloc(9 * n, sizeof *end), *at[3];
    for (int i = 0; i < 3; i++) at[i] = end + (3 + 2 * (size_t)i) * n;
    tmli_reduction_velocity(s->red, s->x, vd);
    for (int i = 0; i < k->dof; i++) v[i] = 0.02 * s->sys->length * cos(3 * i + 1);
    OK(tmli_reduction_solve_dependent(s->red, s->x->t + h, v, vd, s->y, err));
    OK(tmli_reduction_accelerate(s->red, s->y, a, err));
    tmli_reduction_increment(s->red, s->y, end, end + n, end + 2 * n);
    double size = 1;
    for (size_t j = 0; j < n; j++) size = fmax(size, fmax(fabs(end[2 * n + j]), fabs(s->x->udot[j])));
    for (int i = 0; i < 5; i++) {
        const double theta = 0.25 * i;
        for (int side = -1; side <= 1; side++)
            tmli_reduction_between(s->red, s->x, s->y, theta + side * e, at[side + 1], at[side + 1] + n);
        for (size_t j = 0; j < n; j++) {
            const double slope = (at[2][j] - at[0][j]) / (2 * e * h),
                         second = (at[2][n + j] - at[0][n + j]) / (2 * e * h), *middle = at[1];
            CHECK_CLOSE(slope, middle[n + j], 1e-6 * size);
            if (i % 4 != 0) continue;
            CHECK_CLOSE(middle[j], i == 0 ? 0 : end[j], 1e-12);
            CHECK_CLOSE(middle[n + j], i == 0 ? s->x->u[j] : end[n + j], 1e-11 * size);
            CHECK_CLOSE(second, i == 0 ? s->x->udot[j] : end[2 * n + j], 1e-3 * size);
        }
    }
    if (s->m > 0) {
        assert_true(tmli_reduction_solve_dependent_near(s->red, s->x->t + h, v, vd, end, end + n, s->x));
        for (size_t j = 0; j < n; j++) CHECK_CLOSE(s->x->u[j], s->y->u[j], 1e-9 * size);
        for (size_t j = 0; j < n; j++) end[j] += 0.4;
        assert_false(tmli_reduction_solve_dependent_near(s->red, s->x->t + h, v, vd, end, end + n, s->x));
    }
    free(end);
}

static void between(void **state)
{
    (void)state;
    for_all(check_between);
}

static void accelerate(void **state)
{
    (void)state;
    for_all(check_accelerate);
}

// B H y = 0 and V+ H y = y.
static void check_lift(rig *s, const subject *k, rng *r)
{
    begin(s, k);
    double *full = calloc((size_t)(s->n + s->m + 1), sizeof *full), y[16], z[16];
    double *rows = calloc((size_t)s->sys->rowptr[s->m] + 1, sizeof *rows);
    for (int i = 0; i < k->dof; i++) y[i] = rng_range(r, -1, 1);
    tmli_reduction_lift(s->red, y, full);
    OK(s->sys->ops->rows(s->sys->self, s->work, s->x, rows, err));
    for (int i = 0; i < s->m; i++) {
        double sum = 0;
        for (int e = s->sys->rowptr[i]; e < s->sys->rowptr[i + 1]; e++)
            sum += rows[e] * full[s->sys->rowcol[e]];
        CHECK_SMALL(sum, 1e-12);
    }
    for (int j = 0; j < s->n; j++) s->y->u[j] = full[j];
    tmli_reduction_velocity(s->red, s->y, z);
    for (int i = 0; i < k->dof; i++) CHECK_CLOSE(z[i], y[i], 1e-13);
    free(full);
    free(rows);
}

static void lift(void **state)
{
    (void)state;
    for_all(check_lift);
}

// ---- derivatives ------------------------------------------------------------------------------------------

static double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static void check_jacobian_of(rig *s, int dof)
{
    double exact[2][144], rough[2][144], by_t[16];
    tmli_reduction *pair[2] = {NULL, NULL};  // both new, with the same basis
    bool changed;
    for (int i = 0; i < 2; i++) {
        s->opt.run.jacobian = i == 0 ? TML_JACOBIAN_EXACT : TML_JACOBIAN_DIFFERENCES;
        OK(tmli_reduction_create(s->sys, &s->opt, true, &s->count, &pair[i], err));
        OK(tmli_reduction_begin(pair[i], s->x, &changed, err));
        double *by_v = i == 0 ? exact[0] : rough[0], *by_vd = i == 0 ? exact[1] : rough[1];
        OK(tmli_reduction_jacobian(pair[i], s->x, by_v, by_vd, by_t, err));
        tmli_reduction_destroy(pair[i]);
    }
    for (int part = 0; part < 2; part++) {
        const double size = largest(exact[0], dof * dof) * (part == 0) + largest(exact[1], dof * dof) + 1;
        for (int i = 0; i < dof * dof; i++)
            if (!(fabs(exact[part][i] - rough[part][i]) <= 3e-8 * size))
                fail_msg("%s: derivative %d (%d, %d) is %.12g, by differences %.12g", s->name, part, i % dof,
                         i / dof, exact[part][i], rough[part][i]);
    }
}

static void check_jacobian(rig *s, const subject *k, rng *r)
{
    begin(s, k);
    for (int round = 0; round < 4; round++) {
        check_jacobian_of(s, k->dof);
        rig_random(s, r, 0.03, 1.5);
    }
}

static void jacobian(void **state)
{
    (void)state;
    for_all(check_jacobian);
}

// M, D and K from assemble_parts are those from assemble.
static void check_parts(rig *s, const subject *k, rng *r)
{
    (void)k, (void)r;
    const tml_pattern *p = s->sys->pattern;
    const size_t nnz = (size_t)p->colptr[p->n];
    double *part = calloc(4 * nnz, sizeof *part), *one = part + 3 * nnz;
    if (!s->sys->ops->assemble_parts) fail_msg("no parts");
    for (size_t e = 0; e < 3 * nnz; e++) part[e] = NAN;
    OK(s->sys->ops->assemble_parts(s->sys->self, s->work, s->x, part, part + nnz, part + 2 * nnz, err));
    for (int i = 0; i < 3; i++) {
        const tml_assembly a = {.cm = i == 0, .cd = i == 1, .ck = i == 2};
        OK(s->sys->ops->assemble(s->sys->self, s->work, s->x, &a, one, err));
        for (int j = 0; j < p->n; j++)
            for (int e = p->colptr[j]; e < p->colptr[j + 1]; e++)
                CHECK_CLOSE(part[(size_t)i * nnz + (size_t)e], j < s->n && p->rowind[e] < s->n ? one[e] : 0,
                            1e-12 * (1 + fabs(one[e])));
    }
    free(part);
}

static void parts(void **state)
{
    (void)state;
    for_all(check_parts);
}

static void jacobian_on_se3(void **state)
{
    (void)state;
    for (int i = 0; i < SUBJECTS; i++)
        for (int tangent = 0; tangent < 2; tangent++) {
            rng r = rng_seed((uint64_t)(171 + i));
            rig_cayley = (i + tangent) % 2;
            rig *s =
                rig_open(&subjects[i], tangent ? TML_COORDINATES_TANGENT : TML_COORDINATES_PARTITION, true);
            rig_random(s, &r, 0.03, 1);
            check_jacobian(s, &subjects[i], &r);
            rig_close(s);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solve_dependent), cmocka_unit_test(accelerate),      cmocka_unit_test(lift),
        cmocka_unit_test(jacobian),        cmocka_unit_test(jacobian_on_se3), cmocka_unit_test(parts),
        cmocka_unit_test(between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
