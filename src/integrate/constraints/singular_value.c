// The smallest singular value of the constraints along a motion; see singular.h.
#include "integrate/constraints/singular_value.h"
#include "linalg/dense/lapack.h"

#include <math.h>
#include <string.h>

// How far the motion goes [lengths or rad] from one look to the next: a share of s, within limits, and
// further where s has changed little on the way. Vectors from further away tell nothing.
static const double SHARE = 0.5, LEAST = 1e-4, MOST = 0.5, FAR = 1.5;
static const double CALMEST = 8, STILL = 0.05;
// A small s; inverse iteration converges fast then.
static const double SMALL = 0.1;
enum { MOST_PARTS = 8, ITERATIONS = 2, CHEAP_ITERATIONS = 8 };
// Looks that do with the vectors of an earlier one, at most: where s is small and no row is held, within so
// many times s (or the least distance), while n'Bw stays within this share of what it was at first, and its
// inverse.
enum { REUSES = 7 };
static const double NEARBY = 16, REUSED = 0.5;
// Rows up to which coupled systems use B B' instead of the matrix of accelerations.
enum { FEW_ROWS = 128 };
// Rows up to which all singular values are followed, not only the smallest.
enum { VERY_FEW_ROWS = 16 };
// They are compared whenever the motion has gone so far [lengths or rad]; after every step that is long; and
// so far at most.
static const double GLANCE = 0.6, LONG = 0.3, COMPARABLE = 1.2;
// Steps without a look, at most: a method may creep where it should not be.
enum { SKIPPED = 200 };

void tmli_singular_clear(tmli_singular *p)
{
    if (p->sys) tmli_free(&p->sys->env, p->n);
    *p = (tmli_singular){0};
}

tml_status tmli_singular_create(const tmli_redundant_rows *rows, tmli_singular *p, tml_error *err)
{
    const tml_system *sys = rows->system;
    const size_t n = (size_t)sys->n, m = (size_t)sys->m;
    *p = (tmli_singular){.sys = sys, .unit = rows->unit, .calm = 1, .rate = 1};
    p->plain = sys->coupled && sys->m <= FEW_ROWS;
    p->all = sys->m <= VERY_FEW_ROWS;
    const size_t square = p->plain || p->all ? m * m : 0, entries = (size_t)sys->rowptr[sys->m];
    p->n = tmli_calloc(&sys->env, 3 * m + 2 * n + 2 * entries + square, sizeof(double));
    if (!p->n) return tmli_no_memory(err, "integrator");
    p->test = p->n + m;
    p->v = p->test + m;
    p->w = p->v + m;
    p->row = p->w + n;
    p->rows = p->row + n;
    p->last = p->rows + entries;
    p->S = p->last + entries;
    for (size_t r = 0; r < m; r++) p->test[r] = 0.5 + fmod(0.6180339887498949 * (double)(r + 1), 1);
    return TML_OK;
}

// rows := B at x in units
static tml_status set_rows(tmli_singular *p, void *work, const tml_state *x)
{
    const tml_system *s = p->sys;
    const tml_status st = s->ops->rows(s->self, work, x, p->rows, NULL);
    for (int r = 0; r < s->m && st == TML_OK; r++) {
        const double per_unit = 1 / p->unit[s->n + r];
        for (int k = s->rowptr[r]; k < s->rowptr[r + 1]; k++) p->rows[k] *= p->unit[s->rowcol[k]] * per_unit;
    }
    return st;
}

// n' B w with the rows at hand
static double product(const tmli_singular *p)
{
    const tml_system *s = p->sys;
    double sum = 0;
    for (int r = 0; r < s->m; r++) {
        double row = 0;
        for (int k = s->rowptr[r]; k < s->rowptr[r + 1]; k++) row += p->rows[k] * p->w[s->rowcol[k]];
        sum += p->n[r] * row;
    }
    return sum;
}

// False: it has no direction, and is 0 then.
static bool normalize(double *v, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += v[i] * v[i];
    const bool can = isfinite(sum) && sum > 0;
    for (int i = 0; i < n; i++) v[i] = can ? v[i] / sqrt(sum) : 0;
    return can;
}

// w := B'n
static void turn_over(tmli_singular *p)
{
    const tml_system *s = p->sys;
    for (int j = 0; j < s->n; j++) p->w[j] = 0;
    for (int r = 0; r < s->m; r++)
        for (int k = s->rowptr[r]; k < s->rowptr[r + 1]; k++) p->w[s->rowcol[k]] += p->rows[k] * p->n[r];
}

// Inverse iteration with B B' of the rows at hand, where that is cheaper than the inertia of all joints.
// False: it is singular to the last digit.
static bool iterate_plain(tmli_singular *p, int iterations)
{
    const tml_system *s = p->sys;
    const int m = s->m, one = 1;
    int info;
    for (int r = 0; r < m; r++) {
        for (int j = 0; j < s->n; j++) p->w[j] = 0;
        for (int k = s->rowptr[r]; k < s->rowptr[r + 1]; k++) p->w[s->rowcol[k]] = p->rows[k];
        for (int i = 0; i <= r; i++) {
            double sum = 0;
            for (int k = s->rowptr[i]; k < s->rowptr[i + 1]; k++) sum += p->rows[k] * p->w[s->rowcol[k]];
            p->S[i * m + r] = sum;  // column i, row r
        }
        if (s->inactive[r]) p->S[r * m + r] = 1;
    }
    dpotrf_("L", &m, p->S, &m, &info, 1);
    if (info != 0) return false;
    for (int i = 0; i < iterations; i++) {
        for (int r = 0; r < m; r++) p->n[r] = s->inactive[r] ? 0 : p->n[r] + (i == 0 ? 0.3 * p->test[r] : 0);
        dpotrs_("L", &m, &one, p->S, &m, p->n, &m, &info, 1);
        if (!normalize(p->n, m)) return false;
    }
    turn_over(p);
    return normalize(p->w, s->n);
}

// S := A B' of two sets of rows; of those held: 1
static void multiply(tmli_singular *p, const double *A, const double *B)
{
    const tml_system *s = p->sys;
    double *row = p->row;
    for (int r = 0; r < s->m; r++) {
        for (int j = 0; j < s->n; j++) row[j] = 0;
        for (int k = s->rowptr[r]; k < s->rowptr[r + 1]; k++) row[s->rowcol[k]] = A[k];
        for (int i = 0; i < s->m; i++) {
            double sum = s->inactive[r] && i == r;
            for (int k = s->rowptr[i]; k < s->rowptr[i + 1]; k++) sum += B[k] * row[s->rowcol[k]];
            p->S[i * s->m + r] = sum;
        }
    }
}

// Have singular values passed zero between two sets of rows, whichever they are? Then it is < 0: det(A B') if
// their number is odd. Where rows repeat others two may pass at once, since those at work are not the best
// ones there: the smallest real part of an eigenvalue, as if each had kept its vectors.
static double agreement(tmli_singular *p, const double *A, const double *B)
{
    const int m = p->sys->m;
    int info;
    multiply(p, A, B);
    if (tmli_active_rows_inactive_count(p->sys) > 0) {
        double re[VERY_FEW_ROWS], im[VERY_FEW_ROWS], work[4 * VERY_FEW_ROWS], none = 0, least = INFINITY;
        const int lwork = 4 * VERY_FEW_ROWS, one = 1;
        dgeev_("N", "N", &m, p->S, &m, re, im, &none, &one, &none, &one, work, &lwork, &info, 1, 1);
        for (int i = 0; i < m && info == 0; i++) least = fmin(least, re[i]);
        return least;
    }
    int pivot[VERY_FEW_ROWS];
    double det = 1;
    dgetrf_(&m, &m, p->S, &m, pivot, &info);
    for (int i = 0; i < m; i++) det *= pivot[i] == i + 1 ? p->S[i * m + i] : -p->S[i * m + i];
    return det;
}

// Since the rows were compared last, has a singular value passed zero? NAN: no; else when. The rows at hand
// are kept for the next time.
static double crossed_by_any(tmli_singular *p, double t)
{
    const double h = t - p->t_last,
                 now = p->known && p->way_now - p->way_last < COMPARABLE ? agreement(p, p->rows, p->last) : 1;
    double crossed = NAN;
    if (now < 0) {
        const double before = agreement(p, p->last, p->last);
        crossed = p->t_last + h * before / (before - now);
    }
    p->t_last = t;
    p->way_last = p->way_now;
    memcpy(p->last, p->rows, (size_t)p->sys->rowptr[p->sys->m] * sizeof(double));
    return crossed;
}

// The vectors at x, whose rows are at hand, from those nearby.
static void renew(tmli_singular *p, tmli_consistent *c, const tml_state *x)
{
    const tml_system *s = p->sys;
    const double *row = p->unit + s->n;
    const int iterations = p->plain ? CHEAP_ITERATIONS : p->known && p->s < SMALL ? 1 : ITERATIONS;
    p->known = p->plain ? iterate_plain(p, iterations) : tmli_consistent_factor(c, x, NULL) == TML_OK;
    for (int i = 0; i < iterations && p->known && !p->plain; i++) {
        for (int r = 0; r < s->m; r++) p->v[r] = row[r] * (p->n[r] + (i == 0 ? 0.3 * p->test[r] : 0));
        tmli_index1_solve(&c->matrix, NULL, p->v, p->w, p->n);  // B w = v, M w + B'n = 0
        for (int r = 0; r < s->m; r++) p->n[r] *= row[r];
        for (int j = 0; j < s->n; j++) p->w[j] /= p->unit[j];
        p->known = normalize(p->n, s->m) && normalize(p->w, s->n);
    }
    p->first = p->known ? product(p) : INFINITY;
    for (int r = 0; r < s->m && p->first < 0; r++) p->n[r] = -p->n[r];
    p->first = fabs(p->first);
    p->reused = 0;
    p->away = 0;
}

// n'Bw = now at x, `away` from where the vectors were found; s: at the last look.
static bool will_do(const tmli_singular *p, double now, double s)
{
    if (p->plain || p->reused >= REUSES || !(s < SMALL) || tmli_active_rows_inactive_count(p->sys) > 0)
        return false;
    const double nearby = NEARBY * fmax(p->first, LEAST);
    return p->away < nearby && now > REUSED * p->first && REUSED * now < p->first;
}

// s at x; before: at the last look, `moved` away (infinite: not known).
static void take(tmli_singular *p, const tml_state *x, double s, double before, double moved)
{
    p->t = x->t;
    p->way = p->way_now;
    p->s = s;
    if (!p->known) return;
    p->rate = fmax(isfinite(before) && moved > 0 ? fabs(s - before) / moved : 0, 0.8 * p->rate);
    p->calm = fmin(fmax(0.7 / p->rate, 1), p->s < SMALL && p->rate > STILL ? 2 : CALMEST);
}

int tmli_singular_step(tmli_singular *p, const tml_state *x, double h)
{
    const double before = p->speed_now;
    p->way_step += p->speed * p->step;
    p->t_step = x->t - h;
    p->step = h;
    p->speed_now = 0;
    for (int j = 0; j < p->sys->n; j++) {  // a body turns with all joints between it and the ground
        const double rate = fabs(x->u[j]) / p->unit[j];
        p->speed_now = p->all && p->sys->coupled ? p->speed_now + rate : fmax(p->speed_now, rate);
    }
    p->speed = fmax(before, p->speed_now);
    if (p->sys->coupled && !p->all) return 1;  // a look costs as much as several accelerations
    return 1 + (int)fmin(p->speed * h / (p->all ? GLANCE : p->calm * MOST), MOST_PARTS - 1);
}

bool tmli_singular_look(tmli_singular *p, tmli_consistent *c, const tml_state *x, double *crossed)
{
    p->way_now = p->way_step + p->speed * (x->t - p->t_step);
    const double moved = p->way_now - p->way;
    *crossed = NAN;
    if (tmli_active_rows_inactive_count(p->sys) == p->sys->m) {  // no row is at work
        p->known = false;
        return false;
    }
    const bool soon =
        p->known && moved < fmax(p->calm * fmin(SHARE * p->s, MOST), LEAST) && ++p->skipped < SKIPPED;
    if (soon && !(p->all && p->way_now - p->way_last > (p->speed * p->step > LONG ? LONG : GLANCE)))
        return false;
    if (set_rows(p, c->matrix.work, x) != TML_OK) {
        p->known = false;
        return false;
    }
    const double before = p->known ? p->s : INFINITY;
    const double now = p->known && moved < p->calm * FAR ? product(p) : 0;
    if (now < 0) *crossed = p->t + (x->t - p->t) * p->s / (p->s - now);
    if (p->all) {
        *crossed = crossed_by_any(p, x->t);
        if (soon && isnan(*crossed)) return false;
    }
    p->skipped = 0;
    p->away += moved;
    const bool old = !soon && will_do(p, now, before);
    if (old) p->reused++;
    else renew(p, c, x);
    take(p, x, old ? now : p->first, before, moved);
    return true;
}

bool tmli_singular_beyond(tmli_singular *p, void *work, const tml_state *x)
{
    return set_rows(p, work, x) == TML_OK && agreement(p, p->rows, p->last) > 0;
}
