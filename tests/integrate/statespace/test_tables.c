// The coefficients of the state-space family, against the conditions that define them: conditions of order
// (Hairer, Wanner II, IV.6 and IV.7), stiff accuracy, values at infinity, and what was derived from other
// coefficients.
#include "integrate/statespace/tables.h"
#include "support/support.h"

enum { MOST = 5 };
static const double ROUND = 2e-13;  // coefficients up to 30, sums of 5 products of them

typedef struct square {
    int n;
    double at[MOST][MOST];
} square;

static void times(const square *A, const double *x, double *y)
{
    for (int i = 0; i < A->n; i++) {
        y[i] = 0;
        for (int j = 0; j < A->n; j++) y[i] += A->at[i][j] * x[j];
    }
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void powers(int n, const double *c, int power, double *out)
{
    for (int i = 0; i < n; i++) out[i] = pow(c[i], power);
}

// x A = y for a lower triangular A.
static void solve_left(const square *A, const double *y, double *x)
{
    for (int j = A->n - 1; j >= 0; j--) {
        x[j] = y[j];
        for (int i = j + 1; i < A->n; i++) x[j] -= x[i] * A->at[i][j];
        x[j] /= A->at[j][j];
    }
}

static void check_dirk(const tmli_dirk_table *t, double gamma)
{
    square A = {.n = t->stages};
    double one[MOST] = {1, 1, 1, 1, 1}, c[MOST], c2[MOST] = {0}, c3[MOST] = {0}, Ac[MOST], Ac2[MOST],
           AAc[MOST], cAc[MOST];
    const double *b = t->A[t->stages - 1];
    memcpy(A.at, t->A, sizeof t->A);
    times(&A, one, c);
    for (int i = 0; i < A.n; i++) {
        CHECK_SMALL(c[i] - t->c[i], ROUND);
        CHECK_SMALL(t->A[i][i] - gamma, 0);
        for (int j = i + 1; j < A.n; j++) CHECK_SMALL(t->A[i][j], 0);
    }
    CHECK_SMALL(t->gamma - gamma, 0);
    CHECK_SMALL(c[A.n - 1] - 1, ROUND);  // the last stage is the end of the step
    powers(A.n, c, 2, c2);
    powers(A.n, c, 3, c3);
    times(&A, c, Ac);
    times(&A, c2, Ac2);
    times(&A, Ac, AAc);
    for (int i = 0; i < A.n; i++) cAc[i] = c[i] * Ac[i];
    const double *trees[] = {one, c, c2, Ac, c3, cAc, Ac2, AAc};
    const double value[] = {1, 1.0 / 2, 1.0 / 3, 1.0 / 6, 1.0 / 4, 1.0 / 8, 1.0 / 12, 1.0 / 24};
    double diff[MOST], ones = 0, infinity[MOST];
    for (int j = 0; j < A.n; j++) {  // b - bhat
        diff[j] = 0;
        for (int i = 0; i < A.n; i++) diff[j] += t->estimate[i] * t->A[i][j];
    }
    for (int k = 0; k < 8; k++) {
        CHECK_SMALL(dot(A.n, b, trees[k]) - value[k], ROUND);
        if (k < 4) CHECK_SMALL(dot(A.n, diff, trees[k]), ROUND);
    }
    assert_true(fabs(dot(A.n, diff, c3)) > 1e-3);  // the embedded method is of order 3, not 4
    CHECK_SMALL(diff[A.n - 1] - gamma, ROUND);     // and does without the last stage
    solve_left(&A, b, infinity);
    for (int i = 0; i < A.n; i++) ones += infinity[i];
    CHECK_SMALL(1 - ones, ROUND);  // R(infinity)
    // starting values: the first two powers of h for all, the third for the third and the last stage
    for (int i = 1; i < A.n; i++) {
        CHECK_SMALL(t->beta[i] + dot(i, t->alpha[i], c) - c[i], ROUND);
        CHECK_SMALL(dot(i, t->alpha[i], Ac) - Ac[i], ROUND);
        if (i == 2 || i == 4) CHECK_SMALL(dot(i, t->alpha[i], Ac2) - Ac2[i], ROUND);
    }
}

static void dirk(void **state)
{
    (void)state;
    check_dirk(&tmli_dirk_4_16, 1.0 / 4);
    check_dirk(&tmli_dirk_4_15, 4.0 / 15);
}

// The Rosenbrock method behind the table: E from c = 1/e - E^-1, then A = w E, b = s E.
typedef struct rosen {
    square E, A, beta;
    double b[MOST], diff[MOST];
} rosen;

static rosen behind(const tmli_rosen_table *t)
{
    rosen r = {.E.n = 4, .A.n = 4, .beta.n = 4};
    square inverse = {.n = 4};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j <= i; j++) inverse.at[i][j] = i == j ? 1 / t->e : -t->c[i][j];
    for (int i = 0; i < 4; i++) {
        double row[MOST] = {0};
        row[i] = 1;
        solve_left(&inverse, row, r.E.at[i]);
        solve_left(&inverse, t->w[i], r.A.at[i]);
    }
    solve_left(&inverse, t->s, r.b);
    solve_left(&inverse, t->ev, r.diff);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) r.beta.at[i][j] = r.E.at[i][j] + r.A.at[i][j];
    return r;
}

static void rosenbrock(void **state)
{
    (void)state;
    const tmli_rosen_table *t = &tmli_rosen_nystroem;
    const rosen r = behind(t);
    double one[MOST] = {1, 1, 1, 1}, a[MOST], a2[MOST], a3[MOST], be[MOST], bbe[MOST], bbbe[MOST], ba2[MOST],
           Abe[MOST], row[MOST];
    times(&r.A, one, a);
    times(&r.E, one, row);
    times(&r.beta, one, be);
    times(&r.beta, be, bbe);
    times(&r.beta, bbe, bbbe);
    powers(4, a, 2, a2);
    powers(4, a, 3, a3);
    times(&r.beta, a2, ba2);
    times(&r.A, be, Abe);
    for (int i = 0; i < 4; i++) {
        Abe[i] *= a[i];
        CHECK_SMALL(a[i] - t->a[i], ROUND);
        CHECK_SMALL(row[i] - t->row[i], ROUND);
    }
    const double *trees[] = {one, be, a2, bbe, a3, Abe, ba2, bbbe};
    const double value[] = {1, 1.0 / 2, 1.0 / 3, 1.0 / 6, 1.0 / 4, 1.0 / 8, 1.0 / 12, 1.0 / 24};
    for (int k = 0; k < 8; k++) {
        CHECK_SMALL(dot(4, r.b, trees[k]) - value[k], ROUND);
        if (k < 4) CHECK_SMALL(dot(4, r.diff, trees[k]), ROUND);
    }
    assert_true(fabs(dot(4, r.diff, a3)) > 1e-3);
    double x[MOST], sum = 0;
    solve_left(&r.beta, r.b, x);
    for (int i = 0; i < 4; i++) sum += x[i];
    CHECK_SMALL(1 - sum, ROUND);                                          // R(infinity)
    for (int j = 0; j < 2; j++) CHECK_SMALL(t->w[3][j] - t->w[2][j], 0);  // stages 3 and 4 share f
    CHECK_SMALL(t->w[3][2], 0);
}

// What (4.54) of the thesis makes of A, E and b for second-order equations.
static void nystroem(void **state)
{
    (void)state;
    const tmli_rosen_table *t = &tmli_rosen_nystroem;
    const rosen r = behind(t);
    square inverse = {.n = 4};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j <= i; j++) inverse.at[i][j] = i == j ? 1 / t->e : -t->c[i][j];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++) {
            double AAE = 0, EAE = 0;
            for (int k = 0; k < 4; k++)
                for (int l = 0; l < 4; l++) {
                    AAE += r.A.at[i][k] * r.A.at[k][l] * inverse.at[l][j];
                    EAE += r.E.at[i][k] * r.A.at[k][l] * inverse.at[l][j];
                }
            CHECK_SMALL(t->t[i][j] - (r.A.at[i][j] + AAE), ROUND);
            CHECK_SMALL(t->d[i][j] - (r.E.at[i][j] + EAE), ROUND);
        }
    for (int j = 0; j < 4; j++) {
        double p = r.b[j], ep = r.diff[j];
        for (int k = 0; k < 4; k++)
            for (int l = 0; l < 4; l++) {
                p += r.b[k] * r.A.at[k][l] * inverse.at[l][j];
                ep += r.diff[k] * r.A.at[k][l] * inverse.at[l][j];
            }
        CHECK_SMALL(t->p[j] - p, ROUND);
        CHECK_SMALL(t->ep[j] - ep, ROUND);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(dirk), cmocka_unit_test(rosenbrock),
                                       cmocka_unit_test(nystroem)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
