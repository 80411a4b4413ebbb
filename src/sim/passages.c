// Singular positions that a motion passes; see passages.h.
#include "sim/passages.h"

#include <math.h>
#include <string.h>

// How far the motion goes [lengths or rad] from one look to the next: a share of s, within limits. Vectors from further away tell
// nothing.
static const double SHARE = 0.4, LEAST = 0.02, MOST = 0.3, FAR = 1;
enum { MOST_PARTS = 8 };
// Pivots that vanish at the position found, which is a prediction back from where the motion has come to.
static const double VANISH = 0.03;

void tmli_passages_clear(tmli_passages *p)
{
    if (!p->sys) return;
    tmli_free(&p->sys->env, p->n);
    tml_state_destroy(p->probe, p->sys);
    *p = (tmli_passages){0};
}

tml_status tmli_passages_create(const tml_system *sys, tmli_passages *p, tml_error *err)
{
    *p = (tmli_passages){0};
    if (!sys->loops) return TML_OK;
    const size_t n = (size_t)sys->n, m = (size_t)sys->m;
    p->sys = sys;
    p->n = tmli_calloc(&sys->env, 3 * m + 2 * n + (size_t)sys->rowptr[sys->m], sizeof(double));
    tml_status st = p->n ? tml_state_create(sys, &p->probe, err) : tmli_no_memory(err, "simulation");
    if (st != TML_OK) {
        tmli_passages_clear(p);
        return st;
    }
    p->test = p->n + m;
    p->v = p->test + m;
    p->w = p->v + m;
    p->x = p->w + n;
    p->rows = p->x + n;
    for (size_t r = 0; r < m; r++) p->test[r] = 0.5 + fmod(0.6180339887498949 * (double)(r + 1), 1);
    return TML_OK;
}

static double unit_of(const tmli_consistent *c, int i) { return c->rows.unit[i]; }

// n' B w at x, of the rows at work
static double product(tmli_passages *p, tmli_consistent *c, const tml_state *x)
{
    const tml_system *s = c->sys;
    double sum = 0;
    if (s->ops->rows(s->self, c->matrix.work, x, p->rows, NULL) != TML_OK) return NAN;
    for (int r = 0; r < s->m; r++) {
        double row = 0;
        for (int k = s->rowptr[r]; k < s->rowptr[r + 1]; k++)
            row += p->rows[k] * unit_of(c, s->rowcol[k]) * p->w[s->rowcol[k]];
        sum += p->n[r] * row / unit_of(c, s->n + r);
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

// The vectors at x, from those before.
static void renew(tmli_passages *p, tmli_consistent *c, const tml_state *x)
{
    const tml_system *s = c->sys;
    p->known = tmli_consistent_factor(c, x, NULL) == TML_OK && !c->passing;
    if (!p->known) return;
    for (int r = 0; r < s->m; r++) p->v[r] = unit_of(c, s->n + r) * (p->n[r] + 0.3 * p->test[r]);
    tmli_index1_solve(&c->matrix, NULL, p->v, p->w, p->n);  // B w = v, M w + B'n = 0
    for (int r = 0; r < s->m; r++) p->n[r] *= unit_of(c, s->n + r);
    for (int j = 0; j < s->n; j++) p->w[j] /= unit_of(c, j);
    p->known = normalize(p->n, s->m) && normalize(p->w, s->n);
    p->s = product(p, c, x);
    if (p->s < 0)
        for (int r = 0; r < s->m; r++) p->n[r] = -p->n[r];
    p->s = fabs(p->s);
    p->t = x->t;
}

// Rank of the constraints at the time t just before x.
static int rank_at(tmli_passages *p, tmli_consistent *c, const tml_state *x, double t)
{
    const tml_system *s = p->sys;
    const double h = t - x->t;
    tml_state_copy(p->probe, x);
    for (int j = 0; j < s->n; j++) p->x[j] = h * x->u[j] + h * h / 2 * x->udot[j];
    s->ops->retract(s->self, x->q, p->x, p->probe->q);
    p->probe->t = t;
    const tml_status st = tmli_dependent_find(&c->rows, p->probe, VANISH, TMLI_HELD_ALIKE, NULL);
    return st == TML_OK ? c->rows.choice.rank : s->m;
}

static void notice(tmli_passages *p, tmli_consistent *c, const tml_state *x, double after)
{
    const double t = p->t + (x->t - p->t) * p->s / (p->s - after);
    const int usual = p->sys->m - tmli_masked_count(c->rows.system), rank = rank_at(p, c, x, t);
    if (rank >= usual) {  // only the rows at work are dependent, others could take their place
        c->searched = false;
        return;
    }
    if (p->count++ == 0) p->first = t;
    p->last = t;
    p->rank[0] = usual;
    p->rank[1] = rank;
    tmli_log(&p->sys->env, TML_LOG_INFO,
             "singular position at t = %.6g s: rank %d -> %d, the smooth branch is kept", t, usual, rank);
}

static double fastest(const tml_system *s, const tml_state *x)
{
    double most = 0;
    for (int j = 0; j < s->n; j++)
        most = fmax(most, fabs(x->u[j]) / (s->kind[j] == TML_COORDINATE_TRANSLATION ? s->length : 1));
    return most;
}

int tmli_passages_parts(const tmli_passages *p, const tml_state *x, double h)
{
    return 1 + (int)fmin(fastest(p->sys, x) * h / MOST, MOST_PARTS - 1);
}

void tmli_passages_look(tmli_passages *p, tmli_consistent *c, const tml_state *x)
{
    if (!p->sys || !c->rows.base) return;
    const double moved = fastest(p->sys, x) * (x->t - p->t);
    if (p->known && moved < fmin(fmax(SHARE * p->s, LEAST), MOST)) return;
    const double now = p->known && moved < FAR ? product(p, c, x) : 0;
    if (now < 0) notice(p, c, x, now);
    renew(p, c, x);
}
