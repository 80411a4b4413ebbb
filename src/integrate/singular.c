// The smallest singular value of the constraints along a motion; see singular.h.
#include "integrate/singular.h"
#include "linalg/lapack.h"

#include <math.h>

// How far the motion goes [lengths or rad] from one look to the next: a share of s, within limits, and further where s has changed
// little on the way. Vectors from further away tell nothing.
static const double SHARE = 0.5, LEAST = 1e-4, MOST = 0.5, FAR = 1.5;
static const double CALMEST = 8, STILL = 0.05;
// A small s; inverse iteration converges fast then.
static const double SMALL = 0.1;
enum { MOST_PARTS = 8, ITERATIONS = 2 };
// Looks that do with the vectors of an earlier one, at most: where s is small and no row is held, within so many times s (or the
// least distance), while n'Bw stays within this share of what it was at first, and its inverse.
enum { REUSES = 3 };
static const double NEARBY = 4, REUSED = 0.5;
// Rows up to which coupled systems use B B' instead of the matrix of accelerations.
enum { FEW_ROWS = 128 };
// Steps without a look, at most: a method may creep where it should not be.
enum { SKIPPED = 200 };

void tmli_singular_clear(tmli_singular *p)
{
    if (p->sys) tmli_free(&p->sys->env, p->n);
    *p = (tmli_singular){0};
}

tml_status tmli_singular_create(const tmli_dependent *rows, tmli_singular *p, tml_error *err)
{
    const tml_system *sys = rows->system;
    const size_t n = (size_t)sys->n, m = (size_t)sys->m;
    *p = (tmli_singular){.sys = sys, .unit = rows->unit, .calm = 1, .rate = 1};
    p->plain = sys->coupled && sys->m <= FEW_ROWS;
    const size_t square = p->plain ? m * m : 0;
    p->n = tmli_calloc(&sys->env, 3 * m + n + (size_t)sys->rowptr[sys->m] + square, sizeof(double));
    if (!p->n) return tmli_no_memory(err, "integrator");
    p->test = p->n + m;
    p->v = p->test + m;
    p->w = p->v + m;
    p->rows = p->w + n;
    p->S = p->rows + sys->rowptr[sys->m];
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

static bool normalize(double *v, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += v[i] * v[i];
    for (int i = 0; i < n; i++) v[i] /= sqrt(sum);
    return isfinite(sum) && sum > 0;
}

// w := B'n
static void turn_over(tmli_singular *p)
{
    const tml_system *s = p->sys;
    for (int j = 0; j < s->n; j++) p->w[j] = 0;
    for (int r = 0; r < s->m; r++)
        for (int k = s->rowptr[r]; k < s->rowptr[r + 1]; k++) p->w[s->rowcol[k]] += p->rows[k] * p->n[r];
}

// Inverse iteration with B B' of the rows at hand, where that is cheaper than the inertia of all joints. False: it is
// singular to the last digit.
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
        if (s->held[r]) p->S[r * m + r] = 1;
    }
    dpotrf_("L", &m, p->S, &m, &info, 1);
    if (info != 0) return false;
    for (int i = 0; i < iterations; i++) {
        for (int r = 0; r < m; r++) p->n[r] = s->held[r] ? 0 : p->n[r] + (i == 0 ? 0.3 * p->test[r] : 0);
        dpotrs_("L", &m, &one, p->S, &m, p->n, &m, &info, 1);
        if (!normalize(p->n, m)) return false;
    }
    turn_over(p);
    return normalize(p->w, s->n);
}

// The vectors at x, whose rows are at hand, from those nearby.
static void renew(tmli_singular *p, tmli_consistent *c, const tml_state *x)
{
    const tml_system *s = p->sys;
    const double *row = p->unit + s->n;
    const int iterations = p->known && p->s < SMALL ? 1 : ITERATIONS;
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
    if (p->reused >= REUSES || !(s < SMALL) || tmli_masked_count(p->sys) > 0) return false;
    const double nearby = NEARBY * fmax(p->first, LEAST);
    return p->away < nearby && now > REUSED * p->first && REUSED * now < p->first;
}

// s at x; before: at the last look, `moved` away (infinite: not known).
static void take(tmli_singular *p, const tml_state *x, double s, double before, double moved)
{
    p->t = x->t;
    p->s = s;
    if (!p->known) return;
    p->rate = fmax(isfinite(before) && moved > 0 ? fabs(s - before) / moved : 0, 0.8 * p->rate);
    p->calm = fmin(fmax(0.7 / p->rate, 1), p->s < SMALL && p->rate > STILL ? 2 : CALMEST);
}

int tmli_singular_step(tmli_singular *p, const tml_state *x, double h)
{
    p->speed = 0;
    for (int j = 0; j < p->sys->n; j++) p->speed = fmax(p->speed, fabs(x->u[j]) / p->unit[j]);
    if (p->sys->coupled) return 1;  // a matrix in joint coordinates costs as much as several accelerations
    return 1 + (int)fmin(p->speed * h / (p->calm * MOST), MOST_PARTS - 1);
}

bool tmli_singular_look(tmli_singular *p, tmli_consistent *c, const tml_state *x, double *crossed)
{
    const double moved = p->speed * (x->t - p->t);
    *crossed = NAN;
    const bool soon = p->known && moved < fmax(p->calm * fmin(SHARE * p->s, MOST), LEAST);
    if (soon && ++p->skipped < SKIPPED) return false;
    p->skipped = 0;
    if (set_rows(p, c->matrix.work, x) != TML_OK) {
        p->known = false;
        return false;
    }
    const double before = p->known ? p->s : INFINITY;
    const double now = p->known && moved < p->calm * FAR ? product(p) : 0;
    if (now < 0) *crossed = p->t + (x->t - p->t) * p->s / (p->s - now);
    p->away += moved;
    const bool old = !soon && will_do(p, now, before);
    if (old) p->reused++;
    else renew(p, c, x);
    take(p, x, old ? now : p->first, before, moved);
    return true;
}
