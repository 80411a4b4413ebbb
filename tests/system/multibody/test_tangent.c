// The iteration matrix and the rows of B of every joint and force, against difference quotients of the
// residual.
#include "system/multibody_fixture.h"

enum { STATES = 2 };

static void motion_of(mb *s, const tml_state *x, const void *p, double *out)
{
    double phi[MB_NM];
    tml_error err = {0};
    assert_int_equal(s->ops->residual(s->self, s->w, x, p, out, phi, &err), TML_OK);
}

static void phi_of(mb *s, const tml_state *x, const void *p, double *out)
{
    double motion[MB_N];
    tml_error err = {0};
    assert_int_equal(s->ops->residual(s->self, s->w, x, p, motion, out, &err), TML_OK);
}

// Upper left block of the assembled matrix against the derivative of the motion along (c scaled unit
// directions).
static void check_block(mb *s, const tml_assembly *a, const double *q0, const double *p, const char *what)
{
    double A[MB_NM * MB_NM], e[MB_N] = {0}, column[MB_N];
    mb_assemble_dense(s, s->x, a, A);
    const double scale = mb_largest(A, (s->n + s->m) * (s->n + s->m));
    for (int j = 0; j < s->n; j++) {
        const mb_curve c = {.q0 = q0,
                            .D = a->increment,
                            .udot = a->cm != 0 ? e : NULL,
                            .u = a->cd != 0 ? e : NULL,
                            .d = a->ck != 0 ? e : NULL};
        e[j] = 1;
        mb_derivative(s, &c, motion_of, p, s->n, column);
        e[j] = 0;
        for (int i = 0; i < s->n; i++) mb_compare(s, what, i, j, A[i * (s->n + s->m) + j], column[i], scale);
    }
}

// Rows r B T and columns B' r, and the zero block.
static void check_border(mb *s, const tml_assembly *a, const double *q0)
{
    const int nm = s->n + s->m;
    double A[MB_NM * MB_NM], e[MB_NM] = {0}, column[MB_NM];
    mb_assemble_dense(s, s->x, a, A);
    for (int j = 0; j < s->n; j++) {
        const mb_curve c = {.q0 = q0, .D = a->increment, .d = e};
        e[j] = 1;
        mb_derivative(s, &c, phi_of, NULL, s->m, column);
        e[j] = 0;
        for (int i = 0; i < s->m; i++)
            mb_compare(s, "row", i, j, A[(s->n + i) * nm + j], (a->r ? a->r[i] : 1) * column[i], 1);
    }
    for (int j = 0; j < s->m; j++) {
        const mb_curve c = {.lambda = e};
        e[j] = 1;
        mb_derivative(s, &c, motion_of, NULL, s->n, column);
        e[j] = 0;
        for (int i = 0; i < s->n; i++)
            mb_compare(s, "column", i, j, A[i * nm + s->n + j], (a->r ? a->r[j] : 1) * column[i], 1);
        for (int i = 0; i < s->m; i++) assert_true(A[(s->n + i) * nm + s->n + j] == 0);
    }
}

static void check_matrix(mb *s, const subject *k, rng *r)
{
    (void)k;
    double D[MB_N], q0[56], p[MB_NM], row[MB_NM];
    for (int round = 0; round < STATES; round++) {
        mb_random_state(s, r);
        for (int i = 0; i < s->m; i++) {
            p[i] = rng_range(r, 1, 9);
            row[i] = rng_range(r, 0.4, 3);
        }
        check_block(s, &(tml_assembly){.cm = 1}, NULL, NULL, "M");
        check_block(s, &(tml_assembly){.cd = 1}, NULL, NULL, "D");
        check_block(s, &(tml_assembly){.ck = 1, .cp = 1}, NULL, NULL, "K");
        check_block(s, &(tml_assembly){.ck = 1, .cp = 1, .p = p, .r = row}, NULL, p, "K + B'pB");
        check_border(s, &(tml_assembly){.ck = 1, .cp = 1, .p = p, .r = row}, NULL);
        // q = q0 (+) D
        double minus[MB_N];
        for (int i = 0; i < s->n; i++) D[i] = rng_range(r, -0.6, 0.6);
        for (int i = 0; i < s->n; i++) minus[i] = -D[i];
        s->ops->retract(s->self, s->x->q, minus, q0);  // (+) D leads back: one turn and its inverse
        check_block(s, &(tml_assembly){.ck = 1, .cp = 1, .p = p, .increment = D}, q0, p, "(K + B'pB) T");
        check_border(s, &(tml_assembly){.r = row, .increment = D}, q0);
    }
}

static void iteration_matrix(void **state)
{
    (void)state;
    mb_for_all(check_matrix);
}

// The factors enter linearly and apart: cm M + cd D + (ck K + cp B'pB) T.
static void check_factors(mb *s, const subject *k, rng *r)
{
    (void)k;
    double part[MB_NM * MB_NM], sum[MB_NM * MB_NM] = {0}, all[MB_NM * MB_NM], B[MB_NM * MB_N], p[MB_NM],
                                            D[MB_N];
    const int n = s->n, nm = s->n + s->m;
    const double c[4] = {0.83, -1.91, 2.37, 5.71};
    mb_random_state(s, r);
    for (int i = 0; i < s->m; i++) p[i] = rng_range(r, 1, 9);
    for (int i = 0; i < n; i++) D[i] = rng_range(r, -0.6, 0.6);
    for (int i = 0; i < 4; i++) {
        const tml_assembly one = {
            .cm = i == 0, .cd = i == 1, .ck = i == 2, .cp = i == 3, .p = p, .increment = D};
        mb_assemble_dense(s, s->x, &one, part);
        for (int j = 0; j < nm * nm; j++) sum[j] += c[i] * part[j];
    }
    mb_assemble_dense(s, s->x,
                      &(tml_assembly){.cm = c[0], .cd = c[1], .ck = c[2], .cp = c[3], .p = p, .increment = D},
                      all);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            CHECK_CLOSE(all[i * nm + j], sum[i * nm + j], 1e-12 * (1 + mb_largest(all, nm * nm)));
    mb_assemble_dense(s, s->x, &(tml_assembly){.cp = 1, .p = p}, part);
    mb_rows_dense(s, s->x, B);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double want = 0;
            for (int l = 0; l < s->m; l++) want += B[l * n + i] * p[l] * B[l * n + j];
            CHECK_CLOSE(part[i * nm + j], want, 1e-12 * (1 + fabs(want)));  // the same products, other order
        }
}

static void factors(void **state)
{
    (void)state;
    mb_for_all(check_factors);
}

static void check_diagonals(mb *s, const subject *k, rng *r)
{
    (void)k;
    const int nm = s->n + s->m;
    double m[MB_N], d[MB_N], stiff[MB_N], A[MB_NM * MB_NM];
    tml_error err = {0};
    mb_random_state(s, r);
    if (s->model->has_inertia)  // (M udot)_d is not in it
        memset(s->x->udot, 0, (size_t)s->n * sizeof(double));
    assert_int_equal(s->ops->diagonals(s->self, s->w, s->x, m, d, stiff, &err), TML_OK);
    memset(s->x->lambda, 0, (size_t)s->m * sizeof(double));
    for (int part = 0; part < 3; part++) {
        const double *got = part == 0 ? m : part == 1 ? d : stiff;
        mb_assemble_dense(s, s->x, &(tml_assembly){.cm = part == 0, .cd = part == 1, .ck = part == 2}, A);
        for (int i = 0; i < s->n; i++) CHECK_CLOSE(got[i], fabs(A[i * nm + i]), 1e-12 * (1 + fabs(got[i])));
    }
}

static void diagonals(void **state)
{
    (void)state;
    mb_for_all(check_diagonals);
}

// M, D and K at once are those that come one by one, without rows; positions alone are those of the residual.
static void check_parts(mb *s, const subject *k, rng *r)
{
    (void)k;
    const tml_pattern *p = s->sys->pattern;
    const size_t nnz = (size_t)p->colptr[p->n];
    double *part = calloc(4 * nnz + 1, sizeof *part), *single = part + 3 * nnz, motion[MB_N], phi[2][MB_NM];
    tml_error err = {0};
    assert_non_null(part);
    mb_random_state(s, r);
    for (int which = 0; which < 3 && s->ops->assemble_parts; which++) {
        const tml_assembly a = {.cm = which == 0, .cd = which == 1, .ck = which == 2};
        assert_int_equal(s->ops->assemble_parts(s->self, s->w, s->x, part, part + nnz, part + 2 * nnz, &err),
                         TML_OK);
        assert_int_equal(s->ops->assemble(s->self, s->w, s->x, &a, single, &err), TML_OK);
        double size = 1;
        for (size_t i = 0; i < nnz; i++) size = fmax(size, fabs(single[i]));
        for (int32_t j = 0; j < p->n; j++)
            for (int32_t i = p->colptr[j]; i < p->colptr[j + 1]; i++) {
                const bool inner = j < s->n && p->rowind[i] < s->n;
                CHECK_CLOSE(part[(size_t)which * nnz + (size_t)i], inner ? single[i] : 0, 1e-13 * size);
            }
    }
    free(part);
    if (!s->ops->position) return;
    assert_int_equal(s->ops->residual(s->self, s->w, s->x, NULL, motion, phi[0], &err), TML_OK);
    assert_int_equal(s->ops->position(s->self, s->w, s->x, phi[1], &err), TML_OK);
    for (int i = 0; i < s->m; i++) CHECK_CLOSE(phi[1][i], phi[0][i], 1e-14 * (1 + fabs(phi[0][i])));
}

static void parts(void **state)
{
    (void)state;
    mb_for_all(check_parts);
}

// ---- rows and their derivatives ---------------------------------------------------------------------------

static void rows_times_held(mb *s, const tml_state *x, const void *v, double *out)
{
    double B[MB_NM * MB_N];
    mb_rows_dense(s, x, B);
    for (int r = 0; r < s->m; r++) {
        out[r] = 0;
        for (int j = 0; j < s->n; j++) out[r] += B[r * s->n + j] * ((const double *)v)[j];
    }
}

static void gamma_of(mb *s, const tml_state *x, const void *context, double *out)
{
    (void)context;
    double f[MB_N];
    tml_error err = {0};
    assert_int_equal(s->ops->dynamics(s->self, s->w, x, f, out, &err), TML_OK);
}

static double entry(const mb *s, const double *values, int r, int j)
{
    for (int k = s->sys->rowptr[r]; k < s->sys->rowptr[r + 1]; k++) {
        if (k > s->sys->rowptr[r]) assert_true(s->sys->rowcol[k] > s->sys->rowcol[k - 1]);
        if (s->sys->rowcol[k] == j) return values[k];
    }
    return 0;
}

static void check_rows(mb *s, const subject *k, rng *r)
{
    (void)k;
    double B[MB_NM * MB_N], times[MB_NM * MB_N], by_d[MB_NM * MB_N], by_u[MB_NM * MB_N], v[MB_N],
        e[MB_N] = {0};
    double phi_d[MB_NM], Bv_d[MB_NM], gamma_d[MB_NM], gamma_u[MB_NM];
    tml_error err = {0};
    mb_random_state(s, r);
    for (int i = 0; i < s->n; i++) v[i] = rng_range(r, -2, 2);
    mb_rows_dense(s, s->x, B);
    assert_int_equal(s->ops->rows_times(s->self, s->w, s->x, v, times, &err), TML_OK);
    assert_int_equal(s->ops->gamma_derivatives(s->self, s->w, s->x, by_d, by_u, &err), TML_OK);
    for (int j = 0; j < s->n; j++) {
        e[j] = 1;
        mb_derivative(s, &(mb_curve){.d = e}, phi_of, NULL, s->m, phi_d);
        mb_derivative(s, &(mb_curve){.d = e}, rows_times_held, v, s->m, Bv_d);
        mb_derivative(s, &(mb_curve){.d = e}, gamma_of, NULL, s->m, gamma_d);
        mb_derivative(s, &(mb_curve){.u = e}, gamma_of, NULL, s->m, gamma_u);
        e[j] = 0;
        for (int i = 0; i < s->m; i++) {
            mb_compare(s, "B", i, j, B[i * s->n + j], phi_d[i], 1);
            mb_compare(s, "(B v)_d", i, j, entry(s, times, i, j), Bv_d[i], 1);
            mb_compare(s, "gamma_d", i, j, entry(s, by_d, i, j), gamma_d[i], 10);
            mb_compare(s, "gamma_u", i, j, entry(s, by_u, i, j), gamma_u[i], 10);
        }
    }
}

static void rows(void **state)
{
    (void)state;
    mb_for_all(check_rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(iteration_matrix), cmocka_unit_test(factors),
                                       cmocka_unit_test(diagonals), cmocka_unit_test(parts),
                                       cmocka_unit_test(rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
