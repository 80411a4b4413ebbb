// Estimates |inv(A)|_1 by maximizing the convex function f(x) = |inv(A) x|_1 over the unit ball |x|_1 <= 1.
//
// W. W. Hager, SIAM J. Sci. Stat. Comput. 5 (1984) 311-316; N. J. Higham, ACM Trans. Math. Softw. 14 (1988)
// 381-396. The maximum lies in a vertex e_j. From a start x = (1/n, ..., 1/n):
//   y = inv(A) x,  s = sign(y),  z = inv(A') s                           (1)   z is a subgradient of f at x
//   |z|_inf <= z'x: x is a local maximum; else x = e_j, |z_j| = |z|_inf  (2)
// ends when the estimate or the sign vector repeats. Higham's extra vector
//   x_i = (-1)^i (1 + i/(n-1)),  |inv(A)|_1 >= 2 |inv(A) x|_1 / (3 n)    (3)
// guards against matrices for which (2) stops too early by cancellation.
#include "linalg/pattern/condest.h"

#include "linalg/dense/simd.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static double norm1(int32_t n, const double *x);
static int32_t largest_index(int32_t n, const double *x);
static bool is_balanced(double largest);

double tmli_condest(int32_t n, double anorm, tmli_solve_fn solve, tmli_solve_fn solve_transposed, void *self,
                    double *work)
{
    double *x = work, *sign = work + n, *z = work + 2 * (size_t)n;
    if (!(anorm > 0)) return 0;
    for (int32_t i = 0; i < n; i++) x[i] = 1.0 / n;
    double best = 0;
    int32_t last = -1;
    for (int32_t i = 0; i < n; i++) sign[i] = 0;
    for (int32_t round = 0; round <= n; round++) {  // each round has another x; two are usual
        solve(self, x);                             // (1)
        const double estimate = norm1(n, x);
        if (!isfinite(estimate)) return 0;
        const int repeats = round > 0 && estimate <= best;
        if (estimate > best) best = estimate;
        if (repeats || n == 1) break;
        int same = 1;
        for (int32_t i = 0; i < n; i++) {
            const double s = signbit(x[i]) ? -1.0 : 1.0;
            if (s != sign[i]) same = 0;
            sign[i] = s;
        }
        if (same) break;
        memcpy(z, sign, (size_t)n * sizeof *z);
        solve_transposed(self, z);
        const int32_t j = largest_index(n, z);
        if (last >= 0 && fabs(z[j]) <= fabs(z[last])) break;  // (2): x = e_last, so z'x = z[last]
        memset(x, 0, (size_t)n * sizeof *x);
        x[j] = 1;
        last = j;
    }
    for (int32_t i = 0; i < n; i++) x[i] = (i % 2 ? -1.0 : 1.0) * (1 + (n > 1 ? (double)i / (n - 1) : 0.0));
    solve(self, x);  // (3)
    const double other = 2 * norm1(n, x) / (3.0 * n);
    if (!isfinite(other)) return 0;
    if (other > best) best = other;
    const double rcond = 1 / best / anorm;
    return rcond < 1 ? rcond : 1;
}

double tmli_matrix_norm(const tml_pattern *p, const double *values, double *largest)
{
    double norm = 0, part[4], big = 0;
    v4 bigs = v4_all(0);
    for (int32_t col = 0; col < p->n; col++) {
        const double *v = values + p->colptr[col];
        const int32_t count = p->colptr[col + 1] - p->colptr[col];
        v4 sums = v4_all(0);
        double total = 0;
        int32_t i = 0;
        for (; i + 4 <= count; i += 4) {
            const v4 a = v4_abs(v4_load(v + i));
            sums = v4_add(sums, a);
            bigs = v4_max(bigs, a);
        }
        for (; i < count; i++) {
            const double a = fabs(v[i]);
            total += a;
            big = a > big ? a : big;
        }
        v4_store(part, sums);
        total += (part[0] + part[1]) + (part[2] + part[3]);
        if (!(total <= norm)) norm = total;  // also if total is NaN
        if (!isfinite(total)) break;
    }
    v4_store(part, bigs);
    for (int q = 0; q < 4; q++) big = part[q] > big ? part[q] : big;
    *largest = big;
    return norm;
}

// D. Ruiz, RAL-TR-2001-034: rows and columns are divided repeatedly by the roots of their largest moduli.
// After the first sweep the moduli are at most 1, and each sweep halves their logarithms: any double is above
// 1/2 after eleven more.
double tmli_equilibrate(const tml_pattern *p, const double *values, double *row, double *col, double *work)
{
    const int32_t n = p->n;
    double *rowmax = work, *colmax = work + n, norm = 0;
    for (int32_t i = 0; i < n; i++) row[i] = col[i] = 1;
    for (bool balanced = false;;) {
        for (int32_t i = 0; i < n; i++) rowmax[i] = colmax[i] = 0;
        norm = 0;
        for (int32_t j = 0; j < n; j++) {
            double sum = 0;
            for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
                const int32_t i = p->rowind[k];
                const double a = row[i] * fabs(values[k]) * col[j];
                rowmax[i] = fmax(rowmax[i], a);
                colmax[j] = fmax(colmax[j], a);
                sum += a;
            }
            norm = fmax(norm, sum);
        }
        if (balanced) return norm;
        balanced = true;
        for (int32_t i = 0; i < n; i++) {
            balanced = balanced && is_balanced(rowmax[i]) && is_balanced(colmax[i]);
            if (rowmax[i] > 0) row[i] /= sqrt(rowmax[i]);
            if (colmax[i] > 0) col[i] /= sqrt(colmax[i]);
        }
    }
}

static double norm1(int32_t n, const double *x)
{
    double sum = 0;
    for (int32_t i = 0; i < n; i++) sum += fabs(x[i]);
    return sum;
}

static int32_t largest_index(int32_t n, const double *x)
{
    int32_t j = 0;
    for (int32_t i = 1; i < n; i++)
        if (fabs(x[i]) > fabs(x[j])) j = i;
    return j;
}

// Largest modulus of a row or column: within a factor 2 of 1. Empty ones cannot be scaled.
static bool is_balanced(double largest) { return !(largest > 0) || (largest > 0.5 && largest < 2); }
