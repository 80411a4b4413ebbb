// Difference quotients of the functions of systems of callbacks; formulas (7), (8) and steps in evaluate.c.
#include "system/callbacks/differences.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Weights of (7): of F(h) - F(-h) and F(2h) - F(-2h), over h.
static const double FIRST_WEIGHT[2] = {2.0 / 3, -1.0 / 12};

// The power of two with the smallest ratio to x.
static double power_step(double x)
{
    int exponent;
    const double fraction = frexp(x, &exponent);  // in [1/2, 1)
    return ldexp(1, fraction * fraction < 0.5 ? exponent - 1 : exponent);
}

// Size of u_j, or of q_j.
static double argument_size(const tmli_callback_system *s, bool by_u, int j, double value)
{
    const bool state = by_u && j >= s->def.n;
    return fmax(fabs(value), state ? s->def.state_scale[j - s->def.n] : s->def.length);
}

// out (rows x columns) += dF/dq or dF/du by (7), column by column.
tml_status tmli_callback_add_columns(const tmli_callback_system *s, tmli_callback_work *w,
                                     tmli_difference_buffers *lv, tmli_callback_field *F, double t,
                                     const double *q, const double *u, bool by_u, int columns, double factor,
                                     int rows, double *out, tml_error *err)
{
    const double *base = by_u ? u : q;
    memcpy(lv->x, base, (size_t)(by_u ? s->sys.n : s->def.n) * sizeof *base);
    const double *q_at = by_u ? q : lv->x, *u_at = by_u ? lv->x : u;
    for (int j = 0; j < columns; j++) {
        const double h = power_step(factor * argument_size(s, by_u, j, base[j]));
        for (int k = 1; k <= 2; k++) {
            lv->x[j] = base[j] + k * h;
            tml_status st = F(s, w, t, q_at, u_at, lv->plus, err);
            if (st != TML_OK) return st;
            lv->x[j] = base[j] - k * h;
            st = F(s, w, t, q_at, u_at, lv->minus, err);
            if (st != TML_OK) return st;
            for (int i = 0; i < rows; i++)
                out[(size_t)i * (size_t)columns + (size_t)j] +=
                    FIRST_WEIGHT[k - 1] * (lv->plus[i] - lv->minus[i]) / h;
        }
        lv->x[j] = base[j];
    }
    return TML_OK;
}

// The step along a line: a power of two, not smaller than the last digit of t, so that t + tau differs from
// t.
double tmli_callback_line_step(const tmli_callback_system *s, const tml_state *x, const double *v,
                               bool in_time, double factor)
{
    double size = in_time ? 1 : DBL_MAX;
    for (int i = 0; v && i < s->def.n; i++) {
        const double reach = fmax(fabs(x->q[i]), s->def.length);
        if (fabs(v[i]) * size > reach) size = reach / fabs(v[i]);
    }
    if (size == DBL_MAX) size = 1;  // v = 0
    return power_step(in_time ? fmax(factor * size, 2 * DBL_EPSILON * fabs(x->t)) : factor * size);
}

static tml_status line_eval(const tmli_callback_system *s, tmli_callback_work *w, const tml_state *x,
                            const tmli_callback_line *l, double k, tmli_callback_field *F, double *out,
                            tml_error *err)
{
    double *q = w->outer.x;
    for (int i = 0; i < s->def.n; i++) q[i] = l->v ? x->q[i] + k * l->tau * l->v[i] : x->q[i];
    return F(s, w, x->t + k * l->tau * l->rate, q, x->u, out, err);
}

// out (count) = D F along the line, (7).
tml_status tmli_callback_line_first(const tmli_callback_system *s, tmli_callback_work *w, const tml_state *x,
                                    const tmli_callback_line *l, tmli_callback_field *F, int count,
                                    double *out, tml_error *err)
{
    double *plus = w->outer.plus, *minus = w->outer.minus;
    tmli_callback_zero(out, count, 1);
    for (int k = 1; k <= 2; k++) {
        tml_status st = line_eval(s, w, x, l, k, F, plus, err);
        if (st == TML_OK) st = line_eval(s, w, x, l, -k, F, minus, err);
        if (st != TML_OK) return st;
        for (int i = 0; i < count; i++) out[i] += FIRST_WEIGHT[k - 1] * (plus[i] - minus[i]) / l->tau;
    }
    return TML_OK;
}

// out (count) = D^2 F along the line, (8).
tml_status tmli_callback_line_second(const tmli_callback_system *s, tmli_callback_work *w, const tml_state *x,
                                     const tmli_callback_line *l, tmli_callback_field *F, int count,
                                     double *out, tml_error *err)
{
    static const double point[4] = {1, -1, 2, -2}, weight[4] = {16, 16, -1, -1};
    double *centre = w->outer.plus, *value = w->outer.minus;
    tml_status st = line_eval(s, w, x, l, 0, F, centre, err);
    if (st != TML_OK) return st;
    tmli_callback_zero(out, count, 1);
    for (int k = 0; k < 4; k++) {
        st = line_eval(s, w, x, l, point[k], F, value, err);
        if (st != TML_OK) return st;
        for (int i = 0; i < count; i++) out[i] += weight[k] * (value[i] - centre[i]);
    }
    for (int i = 0; i < count; i++) out[i] /= 12 * l->tau * l->tau;
    return TML_OK;
}
