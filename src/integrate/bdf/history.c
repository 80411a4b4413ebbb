// History of a multistep method; see history.h.
#include "integrate/bdf/history.h"
#include "integrate/core/chart.h"

#include <string.h>

#include "integrate/bdf/constants.h"

const tmli_span tmli_history_spans[] = {
    TMLI_INDICES(tmli_history, count, multipliers, 0, TMLI_BY_ONE, TMLI_BDF_POINTS),
    TMLI_NUMBERS(tmli_history, age, age),
    TMLI_KEPT(tmli_history, X, u, TMLI_BY_N, 1),
    TMLI_KEPT(tmli_history, lambda, lambda, TMLI_BY_M, 1),
    TMLI_SCRATCH(tmli_history, scratch, scratch, TMLI_BY_N, 5),
    {0}};

void tmli_history_set_up(tmli_history *y, const tml_system *sys)
{
    y->sys = sys;
    y->flat = tmli_chart_is_flat(sys, y->scratch, y->scratch + sys->n, y->scratch + 2 * sys->n);
}

void tmli_history_begin(tmli_history *y, const tml_state *x)
{
    const size_t n = (size_t)y->sys->n;
    y->count = y->multipliers = 1;
    y->age[0] = 0;
    memset(y->X[0], 0, n * sizeof(double));
    memcpy(y->u[0], x->u, n * sizeof(double));
    memcpy(y->lambda[0], x->lambda, (size_t)y->sys->m * sizeof(double));
}

// u + s d_1 + s^2/2 d_2 + ...
static void velocity_at(const tmli_history *y, const double *const *derivative, int terms, double s,
                        double *u)
{
    double f = 1;
    memcpy(u, y->u[0], (size_t)y->sys->n * sizeof(double));
    for (int i = 0; i < terms; i++) {
        f *= s / (i + 1);
        for (int j = 0; j < y->sys->n; j++) u[j] += f * derivative[i][j];
    }
}

void tmli_history_add_jump(tmli_history *y, const double *dudot, const double *dlambda)
{
    for (int i = 1; i < y->count; i++) {
        const double age = y->age[i];
        for (int j = 0; j < y->sys->n; j++) {
            y->u[i][j] -= age * dudot[j];
            y->X[i][j] += age * age / 2 * dudot[j];
        }
    }
    for (int i = 0; i < y->multipliers; i++)
        for (int r = 0; r < y->sys->m; r++) y->lambda[i][r] += dlambda[r];
}

void tmli_history_path(const tmli_history *y, const double *const *derivative, int terms, double from,
                       double s, double *X, double *u)
{
    const tml_system *sys = y->sys;
    const int n = sys->n;
    const double h = s - from;
    // the classical Runge-Kutta method for X' = inverse(T(X)) u(t)
    static const double at[4] = {0, 0.5, 0.5, 1}, share[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    double *sum = y->scratch, *slope = sum + n, *stage_X = slope + n;
    memcpy(sum, X, (size_t)n * sizeof(double));
    for (int stage = 0; stage < 4; stage++) {
        for (int j = 0; j < n; j++) stage_X[j] = stage == 0 ? X[j] : X[j] + at[stage] * h * slope[j];
        velocity_at(y, derivative, terms, from + at[stage] * h, u);
        sys->ops->tangent_inverse(sys->self, stage_X, u, slope);
        for (int j = 0; j < n; j++) sum[j] += share[stage] * h * slope[j];
    }
    memcpy(X, sum, (size_t)n * sizeof(double));
}

void tmli_history_extend(tmli_history *y, int count, double delta, const double *const *derivative, int terms)
{
    const size_t n = (size_t)y->sys->n;
    for (int j = 1; j < count; j++) {
        memcpy(y->X[j], y->X[j - 1], n * sizeof(double));
        for (int part = 0; part < PATH_PARTS; part++)
            tmli_history_path(y, derivative, terms, -delta * (j - 1 + (double)part / PATH_PARTS),
                              -delta * (j - 1 + (double)(part + 1) / PATH_PARTS), y->X[j], y->u[j]);
        y->age[j] = j * delta;
    }
    y->count = count;
}

static void rotate(double *row[TMLI_BDF_POINTS])
{
    double *last = row[TMLI_BDF_POINTS - 1];
    for (int j = TMLI_BDF_POINTS - 1; j > 0; j--) row[j] = row[j - 1];
    row[0] = last;
}

void tmli_history_append(tmli_history *y, const tml_state *x, double h, const double *D)
{
    const tml_system *s = y->sys;
    const size_t n = (size_t)s->n;
    double *back = y->scratch;
    for (int j = 0; j < s->n; j++) back[j] = -D[j];
    if (y->count < TMLI_BDF_POINTS) y->count++;
    if (y->multipliers < TMLI_BDF_POINTS) y->multipliers++;
    rotate(y->X);
    rotate(y->u);
    rotate(y->lambda);
    for (int j = y->count - 1; j > 1; j--) {
        if (!y->flat) s->ops->compose(s->self, back, y->X[j], y->X[j]);
        for (int i = 0; i < s->n && y->flat; i++) y->X[j][i] += back[i];
        y->age[j] = y->age[j - 1] + h;
    }
    memcpy(y->X[1], back, n * sizeof(double));
    y->age[1] = h;
    memset(y->X[0], 0, n * sizeof(double));
    memcpy(y->u[0], x->u, n * sizeof(double));
    memcpy(y->lambda[0], x->lambda, (size_t)s->m * sizeof(double));
}

void tmli_history_values(const tmli_history *y, int points, double h,
                         double p[TMLI_BDF_POINTS][TMLI_BDF_POINTS])
{
    p[0][0] = 1;
    for (int i = 1; i < points; i++) {
        const double s = h + y->age[i];
        double own = 1;
        for (int j = 0; j < i; j++) {
            const double apart = y->age[i] - y->age[j];
            p[i][j] = p[i - 1][j] * (s / apart);
            own *= (h + y->age[j]) / -apart;
        }
        p[i][i] = own;
    }
}

double tmli_history_slope(const tmli_history *y, int k, double h, const double p[TMLI_BDF_POINTS],
                          double w[TMLI_BDF_POINTS])
{
    double a = 0;
    for (int j = 0; j < k; j++) {
        a += 1 / (h + y->age[j]);
        w[j] = p[j] / -(h + y->age[j]);
    }
    return a;
}

void tmli_history_rate(const tmli_history *y, int points, double h, double d[TMLI_BDF_POINTS])
{
    for (int j = 0; j < points; j++) {
        double product = 1;  // of the factors up to i, and d[j] its derivative
        d[j] = 0;
        for (int i = 0; i < points; i++) {
            if (i == j) continue;
            const double slope = 1 / (y->age[i] - y->age[j]), factor = (h + y->age[i]) * slope;
            d[j] = d[j] * factor + product * slope;
            product *= factor;
        }
    }
}
