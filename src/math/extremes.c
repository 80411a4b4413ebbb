// Extremes of curves; see extremes.h.
#include "math/extremes.h"

#include <math.h>

// A curve bends alike at neighbouring rows. Where it bends this much more, it has a kink or a jump, and no
// parabola follows it.
static const double KINK = 3;

// Half of the second derivative at row i; NAN: there is none.
static double bend(const double *t, const double *x, size_t rows, size_t i)
{
    if (i == 0 || i + 1 >= rows || !(t[i] > t[i - 1] && t[i + 1] > t[i])) return NAN;
    return ((x[i + 1] - x[i]) / (t[i + 1] - t[i]) - (x[i] - x[i - 1]) / (t[i] - t[i - 1])) /
           (t[i + 1] - t[i - 1]);
}

// The top of the parabola through rows i - 1, i and i + 1, if it lies between them and the curve is smooth:
//   x(t) = x1 + b (t - t1) + a (t - t1)^2, extreme at t1 - b/(2 a)
static void refine(const double *times, const double *values, size_t rows, size_t i, double *value,
                   double *at)
{
    const double a0 = bend(times, values, rows, i), before = i ? bend(times, values, rows, i - 1) : NAN,
                 after = bend(times, values, rows, i + 1);
    if (isnan(a0)) return;  // an end of the curve, or rows at the same time
    if (a0 * before < 0 || a0 * after < 0 || fabs(a0) > KINK * fmin(fabs(before), fabs(after))) return;
    const double *const t = times + i - 1, *const x = values + i - 1;
    const double h0 = t[0] - t[1], h2 = t[2] - t[1];
    const double s0 = (x[0] - x[1]) / h0, s2 = (x[2] - x[1]) / h2, a = (s2 - s0) / (h2 - h0), b = s0 - a * h0,
                 d = -b / (2 * a);
    if (!(isfinite(d) && d >= h0 && d <= h2)) return;
    *at = t[1] + d;
    *value = x[1] + b * d + a * d * d;
}

tmli_extremes tmli_find_extremes(const double *t, const double *x, size_t rows)
{
    tmli_extremes e = {.least = NAN, .least_at = NAN, .most = NAN, .most_at = NAN, .mean = NAN, .rms = NAN};
    if (rows == 0) return e;
    e.first = x[0];
    e.last = x[rows - 1];
    size_t low = 0, high = 0;
    double sum = 0, squares = 0, span = 0;
    for (size_t i = 0; i < rows; i++) {
        if (!isfinite(x[i])) continue;
        if (!(x[i] >= e.least)) e.least = x[low = i];
        if (!(x[i] <= e.most)) e.most = x[high = i];
        if (i == 0 || !isfinite(x[i - 1])) continue;
        const double h = t[i] - t[i - 1], a = x[i - 1], b = x[i];
        span += h;
        sum += h * (a + b) / 2;
        squares += h * (a * a + a * b + b * b) / 3;  // of the line between the rows
    }
    e.least_at = isnan(e.least) ? NAN : t[low];
    e.most_at = isnan(e.most) ? NAN : t[high];
    if (span > 0) {
        e.mean = sum / span;
        e.rms = sqrt(squares / span);
    }
    refine(t, x, rows, low, &e.least, &e.least_at);
    refine(t, x, rows, high, &e.most, &e.most_at);
    return e;
}
