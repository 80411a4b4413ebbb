// Amplitude spectra. The curve is taken at n equidistant times t_j = t_0 + j h (n: the different times of its
// rows), its mean removed, weighted with Hann's window and transformed with zeros behind it:
//
//   w_j = (1 - cos(2 pi j/n))/2,   m = sum w_j x_j / sum w_j                                            (1)
//   X_k = sum_j w_j (x_j - m) exp(-2 pi i j k/N),   f_k = k/(N h)                                       (2)
//   A_k = 2 |X_k| / sum w_j,   A_N/2 = |X_N/2| / sum w_j                                                (3)
//
// (3) is one-sided: half of the amplitude of a real oscillation is at -f. N is a power of two and at least
// PADDING n. A frequency that is d/(n h) from the next f_k has the peak sinc(d)/(1 - d^2) of its amplitude
// there (F. J. Harris, Proceedings of the IEEE 66 (1978) 51-83): d = 1/16 loses 0.25 %, without the zeros d =
// 1/2 would lose 15 %.
//
// Between rows the curve is the cubic of Hermite with the slopes of parabolas through three rows, of the same
// side where a time occurs twice. At equidistant rows this gives the values of the rows.
#include "math/amplitudes.h"

#include <math.h>

enum { PADDING = 8, LEAST_TIMES = 8 };
static const double two_pi = 6.28318530717958647692;
static const size_t most_times = (size_t)1 << 27;  // amplitudes are counted by int when they are drawn

// ---- equidistant values -----------------------------------------------------------------------------------

static tml_status check_rows(const double *t, const double *x, size_t rows, size_t *times, tml_error *err)
{
    *times = rows > 0;
    for (size_t i = 0; i < rows; i++) {
        if (!isfinite(t[i]) || !isfinite(x[i]))
            return tmli_fail(err, TML_ERR_ARG, "A spectrum needs finite values; at t = %g there is %g.", t[i],
                             x[i]);
        if (i > 0 && t[i] < t[i - 1])
            return tmli_fail(err, TML_ERR_ARG, "A spectrum needs times that rise; %g follows on %g.", t[i],
                             t[i - 1]);
        *times += i > 0 && t[i] > t[i - 1];
    }
    if (*times < LEAST_TIMES)
        return tmli_fail(err, TML_ERR_ARG, "A spectrum needs at least %d times, not %zu.", LEAST_TIMES,
                         *times);
    if (*times > most_times)
        return tmli_fail(err, TML_ERR_ARG, "A spectrum of %zu times: at most %zu can be.", *times,
                         most_times);
    return TML_OK;
}

static double secant(const double *t, const double *x, size_t i)
{
    return (x[i + 1] - x[i]) / (t[i + 1] - t[i]);
}

// Slope at row `at`, an end of the interval i (row i to i + 1, of positive length), seen from this interval.
static double slope(const double *t, const double *x, size_t rows, size_t i, size_t at)
{
    const size_t other = at == i ? i - 1 : i + 1;  // the interval on the other side
    const double s = secant(t, x, i), h = t[i + 1] - t[i];
    const bool ends = at == 0 || at == rows - 1 || !(t[other + 1] > t[other]);
    if (!ends) {
        const double h2 = t[other + 1] - t[other];
        return (s * h2 + secant(t, x, other) * h) / (h + h2);
    }
    // the parabola through this interval and the next one inwards; a straight line if there is none
    if (at == i ? i + 2 >= rows : i == 0) return s;
    const size_t next = at == i ? i + 1 : i - 1;
    const double h2 = t[next + 1] - t[next];
    return h2 > 0 ? s + (s - secant(t, x, next)) * h / (h + h2) : s;
}

// Values at n equidistant times from the first row to the last one.
static void resample(const double *t, const double *x, size_t rows, size_t n, double *out)
{
    const double length = t[rows - 1] - t[0];
    size_t i = 0;
    for (size_t j = 0; j < n; j++) {
        const double at = t[0] + length * ((double)j / (double)(n - 1));
        while (i + 2 < rows && (t[i + 1] <= at || !(t[i + 1] > t[i]))) i++;
        while (i > 0 && !(t[i + 1] > t[i])) i--;  // the last time occurs twice
        const double h = t[i + 1] - t[i], u = fmin(fmax((at - t[i]) / h, 0), 1), v = 1 - u;
        const double a = slope(t, x, rows, i, i) * h, b = slope(t, x, rows, i, i + 1) * h;
        out[j] = v * v * (1 + 2 * u) * x[i] + u * u * (1 + 2 * v) * x[i + 1] + u * v * (v * a - u * b);
    }
}

// Equation (1); returns the sum of the weights.
static double weigh(double *x, size_t n)
{
    double sum = 0, mean = 0;
    for (size_t j = 0; j < n; j++) {
        const double w = (1 - cos(two_pi * (double)j / (double)n)) / 2;
        sum += w;
        mean += w * x[j];
    }
    mean /= sum;
    for (size_t j = 0; j < n; j++) x[j] = (x[j] - mean) * (1 - cos(two_pi * (double)j / (double)n)) / 2;
    return sum;
}

// ---- transform --------------------------------------------------------------------------------------------

typedef struct complex_number {
    double re, im;
} complex_number;

static void reverse_bits(complex_number *z, size_t n)
{
    for (size_t i = 1, j = 0; i < n; i++) {
        size_t bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) {
            const complex_number keep = z[i];
            z[i] = z[j];
            z[j] = keep;
        }
    }
}

// z_k = sum_j z_j exp(-2 pi i j k/n) in place (Cooley and Tukey, radix 2). root (n/2): exp(-2 pi i k/n).
static void transform(complex_number *z, const complex_number *root, size_t n)
{
    reverse_bits(z, n);
    for (size_t half = 1; half < n; half *= 2)
        for (size_t start = 0; start < n; start += 2 * half)
            for (size_t k = 0; k < half; k++) {
                const complex_number w = root[k * (n / 2 / half)], a = z[start + k], b = z[start + half + k];
                const complex_number c = {w.re * b.re - w.im * b.im, w.re * b.im + w.im * b.re};
                z[start + k] = (complex_number){a.re + c.re, a.im + c.im};
                z[start + half + k] = (complex_number){a.re - c.re, a.im - c.im};
            }
}

tml_status tmli_amplitudes_find(const double *t, const double *x, size_t rows, const tml_env *env,
                                tmli_amplitudes *out, tml_error *err)
{
    *out = (tmli_amplitudes){0};
    size_t times, n = 2;
    const tml_status st = check_rows(t, x, rows, &times, err);
    if (st != TML_OK) return st;
    while (n < PADDING * times) n *= 2;
    const size_t count = n / 2 + 1;
    complex_number *z = tmli_calloc(env, n, sizeof *z), *root = tmli_calloc(env, n / 2, sizeof *root);
    double *value = tmli_calloc(env, count, sizeof *value);  // first the curve, then the amplitudes
    if (z && root && value) {
        resample(t, x, rows, times, value);
        const double sum = weigh(value, times);
        for (size_t j = 0; j < times; j++) z[j].re = value[j];
        for (size_t k = 0; k < n / 2; k++) {
            const double angle = two_pi * (double)k / (double)n;
            root[k] = (complex_number){cos(angle), -sin(angle)};
        }
        transform(z, root, n);
        for (size_t k = 0; k < count; k++) value[k] = (k + 1 < count ? 2 : 1) * hypot(z[k].re, z[k].im) / sum;
        const double h = (t[rows - 1] - t[0]) / (double)(times - 1);
        *out = (tmli_amplitudes){.count = count, .step = 1 / ((double)n * h), .value = value};
    }
    tmli_free_all(env, z, root);
    if (out->value) return TML_OK;
    tmli_free(env, value);
    return tmli_no_memory(err, "spectrum");
}

void tmli_amplitudes_clear(const tml_env *env, tmli_amplitudes *s)
{
    tmli_free(env, s->value);
    *s = (tmli_amplitudes){0};
}
