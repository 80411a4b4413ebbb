// Differences and coefficients of an Adams method; see adams_history.h.
#include "integrate/explicit/adams_history.h"

#include <math.h>
#include <string.h>

#include "integrate/explicit/constants.h"

const tmli_span tmli_adams_history_spans[] = {
    TMLI_INDICES(tmli_adams_history, count, count, 0, TMLI_BY_ONE, TMLI_ADAMS_POINTS),
    TMLI_NUMBERS(tmli_adams_history, age, gg),
    TMLI_KEPT(tmli_adams_history, phi, part, TMLI_BY_N, 1),
    TMLI_KEPT(tmli_adams_history, q, q, TMLI_BY_NQ, 1),
    {0}};

// Largest rotation of a body from q0 to q1 [rad] where increments depend on it. Rotations about one axis add,
// and T is the identity for any number of turns.
static double largest_rotation(const tmli_adams_history *y, const double *q0, const double *q1)
{
    const tml_system *s = y->sys;
    double most = 0;
    s->ops->local(s->self, q0, q1, y->d);
    for (int j = 0; j < s->n;) {
        const int node = s->node[j];
        double square = 0;
        int axes = 0;
        for (; j < s->n && s->node[j] == node; j++)
            if (s->kind[j] == TML_COORDINATE_ROTATION) {
                square += y->d[j] * y->d[j];
                axes++;
            }
        if (axes > 1) most = fmax(most, square);
    }
    return sqrt(most);
}

static void store_state(tmli_adams_history *y, const tml_state *x)
{
    if (!y->states) return;
    const size_t n = (size_t)y->sys->n;
    memcpy(y->q[0], x->q, (size_t)y->sys->nq * sizeof(double));
    memcpy(y->u[0], x->u, n * sizeof(double));
    memcpy(y->udot[0], x->udot, n * sizeof(double));
}

void tmli_adams_history_begin(tmli_adams_history *y, const tml_state *x, const double *a, int dof)
{
    y->count = 1;
    y->age[0] = 0;
    memcpy(y->phi[0], a, (size_t)dof * sizeof(double));
    store_state(y, x);
}

// ---- coefficients -----------------------------------------------------------------------------------------

// g_i and gg_i are the first two of w_q = (q-1)! times the q-fold integral of c_i, q = 1, 2, ...; c_0 = 1
// has w_q = 1/q. With c_i(s) = c_{i-1}(s) (s h + psi_{i-1}(n))/psi_i integration by parts gives those of
// c_i from those of c_{i-1}.
void tmli_adams_history_trial(tmli_adams_history *y, int k, double h)
{
    double w[TMLI_ADAMS_POINTS + 2];
    for (int q = 0; q < k + 2; q++) w[q] = 1.0 / (q + 1);
    y->g[0] = 1;
    y->gg[0] = 0.5;
    for (int i = 1; i <= k; i++) {
        const double share = h / (h + y->age[i - 1]);
        for (int q = 0; q < k + 2 - i; q++) w[q] -= share * w[q + 1];
        y->g[i] = w[0];
        y->gg[i] = w[1];
    }
    y->beta[0] = 1;
    for (int i = 1; i < y->count; i++) y->beta[i] = y->beta[i - 1] * (h + y->age[i - 1]) / y->age[i];
}

void tmli_adams_history_dense(const tmli_adams_history *y, int k, double s, double *g, double *gg)
{
    double w[TMLI_ADAMS_POINTS + 2];
    for (int q = 0; q < k + 1; q++) w[q] = 1.0 / (q + 1);
    g[0] = 1;
    gg[0] = 0.5;
    for (int i = 1; i < k; i++) {
        const double on = (s + y->age[i - 1]) / y->age[i], off = s / y->age[i];
        for (int q = 0; q < k + 1 - i; q++) w[q] = on * w[q] - off * w[q + 1];
        g[i] = w[0];
        gg[i] = w[1];
    }
}

// ---- points -----------------------------------------------------------------------------------------------

static void rotate_pointers(double *list[TMLI_ADAMS_POINTS])
{
    double *last = list[TMLI_ADAMS_POINTS - 1];
    for (int i = TMLI_ADAMS_POINTS - 1; i > 0; i--) list[i] = list[i - 1];
    list[0] = last;
}

// phi_{i+1}(n+1) = phi_i(n+1) - beta_i phi_i(n)
void tmli_adams_history_append(tmli_adams_history *y, const tml_state *x, const double *a, int dof, double h)
{
    const int kept = y->count < TMLI_ADAMS_POINTS ? y->count : TMLI_ADAMS_POINTS - 1;
    // the last difference is formed in the free row, then the rows move up by one
    double *next = y->phi[kept];
    memcpy(next, a, (size_t)dof * sizeof(double));
    for (int i = 0; i < kept; i++) {
        double *phi = y->phi[i];
        const double beta = y->beta[i];
        for (int j = 0; j < dof; j++) {
            const double now = next[j];
            next[j] = now - beta * phi[j];
            phi[j] = now;
        }
    }
    for (int i = kept; i > 0; i--) y->age[i] = y->age[i - 1] + h;
    y->count = kept + 1;
    if (!y->states) return;
    const double rotated = largest_rotation(y, y->q[0], x->q);
    for (int i = kept; i > 0; i--) y->rotated[i] = y->rotated[i - 1] + rotated;
    rotate_pointers(y->q);
    rotate_pointers(y->u);
    rotate_pointers(y->udot);
    store_state(y, x);
}

// a (dof): second derivative of v at the point i, in the chart of e whose centre is the latest point.
static void acceleration(tmli_adams_history *y, tmli_explicit *e, int i, double *a)
{
    const tml_system *s = y->sys;
    s->ops->local(s->self, y->q[0], y->q[i], y->d);
    s->ops->tangent_inverse(s->self, y->d, y->u[i], y->rate);
    memset(y->part, 0, (size_t)s->n * sizeof(double));
    if (s->ops->tangent_rate) s->ops->tangent_rate(s->self, y->d, y->rate, y->part);
    for (int j = 0; j < s->n; j++) y->part[j] = y->udot[i][j] - y->part[j];
    s->ops->tangent_inverse(s->self, y->d, y->part, e->stage->u);
    tmli_reduction_velocity(e->reduction, e->stage, a);
}

void tmli_adams_history_move(tmli_adams_history *y, tmli_explicit *e, const double *a)
{
    const int dof = e->dof;
    memcpy(y->phi[0], a, (size_t)dof * sizeof(double));
    while (y->count > 1 && y->rotated[y->count - 1] > TMLI_CHART_ROTATION) y->count--;
    for (int i = 1; i < y->count; i++) acceleration(y, e, i, y->phi[i]);
    // differences between neighbours, then between those: a row i is finished with the i-th sweep
    for (int i = 1; i < y->count; i++)
        for (int l = y->count - 1; l >= i; l--) {
            const double span = 1 / (y->age[l] - y->age[l - i]);
            for (int j = 0; j < dof; j++) y->phi[l][j] = (y->phi[l - 1][j] - y->phi[l][j]) * span;
        }
    double product = 1;
    for (int i = 1; i < y->count; i++) {
        product *= y->age[i];
        for (int j = 0; j < dof; j++) y->phi[i][j] *= product;
    }
}

// Differences of a constant vanish: only phi_0 changes.
void tmli_adams_history_add_jump(tmli_adams_history *y, const double *dudot, const double *a, int dof)
{
    memcpy(y->phi[0], a, (size_t)dof * sizeof(double));
    for (int i = 0; i < y->count && y->states; i++)
        for (int j = 0; j < y->sys->n; j++) y->udot[i][j] += dudot[j];
}
