// What a table says: statistics of columns, rank correlations, Sobol indices.
#include "study/study.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

// Quantile p of n ascending values, on the line between neighbours.
static double quantile(const double *x, long n, double p)
{
    const double at = p * (double)(n - 1), low = floor(at);
    const long i = (long)low;
    return i + 1 < n ? x[i] + (at - low) * (x[i + 1] - x[i]) : x[n - 1];
}

tml_status tml_study_table_statistics(const tml_study_table *t, int column, tml_study_statistics *out,
                                      tml_error *err)
{
    if (!t || !out) return tmli_null_argument(err, "tml_study_table_statistics");
    if (column < 0 || column >= t->width)
        return tmli_fail(err, TML_ERR_ARG, "there is no column %d; the table has %d", column, t->width);
    double *x = tmli_calloc(&t->env, (size_t)t->count + 1, sizeof *x), mean = 0, square = 0;
    if (!x) return tmli_no_memory(err, "study");
    long n = 0;
    for (long i = 0; i < t->count; i++) {
        const double value = tml_study_table_values(t, i)[column];
        if (isfinite(value)) x[n++] = value;
    }
    *out = (tml_study_statistics){n, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (n > 0) {
        for (long i = 0; i < n; i++) mean += x[i] / (double)n;
        for (long i = 0; i < n; i++) square += (x[i] - mean) * (x[i] - mean);
        qsort(x, (size_t)n, sizeof *x, by_value);
        *out = (tml_study_statistics){.count = n,
                                      .mean = mean,
                                      .deviation = n > 1 ? sqrt(square / (double)(n - 1)) : NAN,
                                      .least = x[0],
                                      .most = x[n - 1],
                                      .median = quantile(x, n, 0.5),
                                      .low = quantile(x, n, 0.05),
                                      .high = quantile(x, n, 0.95)};
    }
    tmli_free(&t->env, x);
    return TML_OK;
}

// ---- correlation ------------------------------------------------------------------------------------------

typedef struct ranked {
    double value;
    long row;
} ranked;

static int by_ranked(const void *x, const void *y)
{
    return by_value(&((const ranked *)x)->value, &((const ranked *)y)->value);
}

// Ranks from 1; equal values share the mean of theirs.
static void rank(ranked *sorted, long n, double *out)
{
    qsort(sorted, (size_t)n, sizeof *sorted, by_ranked);
    for (long i = 0, j; i < n; i = j) {
        for (j = i; j < n && sorted[j].value <= sorted[i].value; j++) continue;
        for (long k = i; k < j; k++) out[sorted[k].row] = 0.5 * (double)(i + j + 1);
    }
}

static double correlation(const double *x, const double *y, long n)
{
    double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;
    bool varies = false, follows = false;
    for (long i = 0; i < n; i++) {
        varies |= x[i] != x[0];
        follows |= y[i] != y[0];
        mx += x[i] / (double)n;
        my += y[i] / (double)n;
    }
    for (long i = 0; i < n; i++) {
        xx += (x[i] - mx) * (x[i] - mx);
        yy += (y[i] - my) * (y[i] - my);
        xy += (x[i] - mx) * (y[i] - my);
    }
    return varies && follows ? xy / sqrt(xx * yy) : NAN;
}

tml_status tml_study_table_correlation(const tml_study_table *t, int a, int b, double *out, tml_error *err)
{
    if (!t || !out) return tmli_null_argument(err, "tml_study_table_correlation");
    *out = NAN;
    if (a < 0 || a >= t->width || b < 0 || b >= t->width)
        return tmli_fail(err, TML_ERR_ARG, "there are no columns %d and %d; the table has %d", a, b,
                         t->width);
    const size_t room = (size_t)t->count + 1;
    ranked *sorted = tmli_calloc(&t->env, 2 * room, sizeof *sorted);
    double *x = tmli_calloc(&t->env, 2 * room, sizeof *x);
    tml_status st = sorted && x ? TML_OK : tmli_no_memory(err, "study");
    long n = 0;
    for (long i = 0; i < t->count && st == TML_OK; i++) {
        const double *v = tml_study_table_values(t, i);
        if (!isfinite(v[a]) || !isfinite(v[b])) continue;
        sorted[n] = (ranked){v[a], n};
        sorted[room + (size_t)n] = (ranked){v[b], n};
        n++;
    }
    if (st == TML_OK && n > 2) {
        rank(sorted, n, x);
        rank(sorted + room, n, x + room);
        *out = correlation(x, x + room, n);
    }
    tmli_free_all(&t->env, sorted, x);
    return st;
}

// ---- Sobol indices ----------------------------------------------------------------------------------------

// With f_A, f_B and f_Aj (A with parameter j from B) of the design of sample.c:
//   first order  S_j  = mean(f_B (f_Aj - f_A)) / V       (Saltelli et al. 2010, Comput. Phys. Commun. 181)
//   total        ST_j = mean((f_A - f_Aj)^2) / (2 V)     (Jansen 1999)
// V is the variance of all f_A and f_B; f_B is taken from its mean, which lessens the error of S_j. Points
// with a failed member are left out.
tml_status tml_study_sobol(const tml_study *s, const tml_study_table *t, int parameter, int quantity,
                           tml_study_indices *out, tml_error *err)
{
    if (!s || !t || !out) return tmli_null_argument(err, "tml_study_sobol");
    *out = (tml_study_indices){0, NAN, NAN};
    if (s->sampling != TMLI_SAMPLING_SALTELLI)
        return tmli_fail(err, TML_ERR_ARG, "Sobol indices need the sampling method 'saltelli'.");
    if (parameter < 0 || parameter >= s->nparameters || quantity < 0 || quantity >= s->nquantities)
        return tmli_fail(err, TML_ERR_ARG, "there is no parameter %d or quantity %d", parameter, quantity);
    const int per = s->nparameters + 2, column = s->nparameters + quantity;
    double mean = 0, square = 0, first = 0, total = 0;
    long n = 0;
    for (int pass = 0; pass < 2; pass++) {  // the mean, then deviations from it
        long row = 0;
        n = 0;
        for (long point = 0; point < s->members / per; point++) {
            const long wanted[3] = {point * per, point * per + 1, point * per + 2 + parameter};
            double f[3] = {NAN, NAN, NAN};
            for (int k = 0; k < 3; k++) {
                while (row < t->count && t->row[row].member < wanted[k]) row++;
                if (row < t->count && t->row[row].member == wanted[k])
                    f[k] = tml_study_table_values(t, row)[column];
            }
            if (!isfinite(f[0]) || !isfinite(f[1]) || !isfinite(f[2])) continue;
            n++;
            if (pass == 0) {
                mean += f[0] + f[1];
                continue;
            }
            square += (f[0] - mean) * (f[0] - mean) + (f[1] - mean) * (f[1] - mean);
            first += (f[1] - mean) * (f[2] - f[0]);
            total += (f[0] - f[2]) * (f[0] - f[2]);
        }
        if (pass == 0 && n > 0) mean /= 2 * (double)n;
    }
    const double variance = n > 0 ? square / (2 * (double)n) : 0;
    out->points = n;
    if (!(variance > 0)) return TML_OK;
    out->first = first / ((double)n * variance);
    out->total = total / (2 * (double)n * variance);
    return TML_OK;
}

bool tml_study_has_indices(const tml_study *s) { return s && s->sampling == TMLI_SAMPLING_SALTELLI; }
