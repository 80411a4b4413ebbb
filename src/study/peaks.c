// Zeros and peaks of a curve within the last step, located on its dense output; see curves.h.
#include "sim/queries/step_observer.h"
#include "study/curves.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "study/constants.h"

enum { PEAK_TRIALS = 12, ZERO_TRIALS = 60 };  // samples for one of them, at most

static double sample_one(tmli_curve_search *s, double t)
{
    if (s->st == TML_OK) s->st = tmli_curves_sample(s->c, s->sim, t, s->err);
    return s->st == TML_OK ? tmli_curves_evaluate(s->c, s->k->expr, NULL) : NAN;
}

// ---- zeros ------------------------------------------------------------------------------------------------

// The change of sign between a and b, where the curve has the values fa and fb: false position, in which an
// end that stays counts half (Illinois).
static double find_zero(tmli_curve_search *s, double a, double fa, double b, double fb)
{
    int kept = 0;
    for (int i = 0; i < ZERO_TRIALS && fabs(b - a) > 4 * DBL_EPSILON * fmax(fabs(a), fabs(b)); i++) {
        const double t = b - fb * (b - a) / (fb - fa);
        if (!(t > fmin(a, b) && t < fmax(a, b))) break;
        const double f = sample_one(s, t);
        if (f == 0) return t;
        if (!isfinite(f)) break;
        if ((f < 0) == (fb < 0)) {
            if (kept == 1) fa /= 2;
            kept = 1;
        } else {
            a = b;
            fa = fb;
            kept = 0;
        }
        const bool arrived = fabs(t - b) <= 4 * DBL_EPSILON * fabs(t);
        b = t;
        fb = f;
        if (arrived) break;
    }
    return b;
}

void tmli_curve_look_for_zero(tmli_curve_search *s, double t0, double f0, double t1, double f1)
{
    tmli_study_curve *k = s->k;
    if (!k->zero || !isnan(k->zero_at)) return;
    if (!k->left_zero) {
        const double least = tmli_curve_unseen(s->c, k);
        k->left_zero = fabs(f0) > least || fabs(f1) > least;
        if (!(fabs(f0) > least)) return;
    }
    if (f0 == 0) k->zero_at = t0;
    else if (f1 == 0) k->zero_at = t1;
    else if (f0 * f1 < 0) k->zero_at = find_zero(s, t0, f0, t1, f1);
}

// ---- peaks ------------------------------------------------------------------------------------------------

static bool beats(const tmli_study_peak *p, double sign, double f) { return !(sign * f <= sign * p->value); }

// Note the value f at t as the peak, if it is one.
static void note_peak(tmli_curve_search *s, int side, double t, double f)
{
    tmli_study_peak *p = &s->k->peak[side];
    if (!isfinite(f) || !beats(p, side ? -1 : 1, f)) return;
    p->value = f;
    p->at = t;
    if (!s->c->rows) tmli_sim_sample(s->sim, t, true, p->x);
}

// The top of the parabola through three points: its distance from t[1]; NAN: it is none, or outside of them.
static double top_of(const double t[3], const double f[3], double sign)
{
    const double h0 = t[0] - t[1], h2 = t[2] - t[1];
    const double s0 = (f[0] - f[1]) / h0, s2 = (f[2] - f[1]) / h2, a = (s2 - s0) / (h2 - h0);
    const double d = -(s0 - a * h0) / (2 * a);
    return sign * a < 0 && d > h0 && d < h2 ? d : NAN;
}

// Replace one of three points, of which the middle one is the largest, by a new one between them.
static void narrow(double t[3], double f[3], double tn, double fn, double sign)
{
    const bool right = tn > t[1], better = sign * fn > sign * f[1];
    const int dropped = better == right ? 0 : 2;  // the end on the other side of the larger of the two
    if (better) {
        t[dropped] = t[1];
        f[dropped] = f[1];
        t[1] = tn;
        f[1] = fn;
    } else {
        t[dropped] = tn;
        f[dropped] = fn;
    }
}

// Climb from three points with a top between them, by parabolas; note what is found.
static void climb(tmli_curve_search *s, int side, double t[3], double f[3])
{
    const double sign = side ? -1 : 1, near = PEAK_TIME_SHARE * (t[2] - t[0]);
    for (int i = 0; i < PEAK_TRIALS; i++) {
        const double d = top_of(t, f, sign);
        if (isnan(d) || fabs(d) <= near) break;
        const double tn = t[1] + d, fn = sample_one(s, tn);
        if (!isfinite(fn)) break;
        const bool between = sign * f[1] >= sign * f[0] && sign * f[1] >= sign * f[2];
        if (!between && !(sign * fn >= sign * f[0] && sign * fn >= sign * f[2])) break;
        if (between) {
            narrow(t, f, tn, fn, sign);
        } else {  // the first top, near an end of the three
            t[1] = tn;
            f[1] = fn;
        }
    }
    note_peak(s, side, t[1], f[1]);
}

void tmli_curve_look_for_peak(tmli_curve_search *s, int side, const double *t, const double *f, int n)
{
    const double sign = side ? -1 : 1;
    const tmli_study_peak *p = &s->k->peak[side];
    int best = -1;
    for (int i = 0; i < n; i++)
        if (isfinite(f[i]) && !(best >= 0 && sign * f[i] <= sign * f[best])) best = i;
    if (!p->wanted || best < 0) return;
    const int middle = best < 1 ? 1 : best > n - 2 ? n - 2 : best;
    double t3[3], f3[3];
    memcpy(t3, t + middle - 1, sizeof t3);
    memcpy(f3, f + middle - 1, sizeof f3);
    const double d = top_of(t3, f3, sign);
    if (!isnan(d)) {
        const double h0 = t3[0] - t3[1], h2 = t3[2] - t3[1];
        const double s0 = (f3[0] - f3[1]) / h0, s2 = (f3[2] - f3[1]) / h2, a = (s2 - s0) / (h2 - h0);
        const double top = f3[1] - a * d * d;
        if (beats(p, sign, top) && fabs(top - f[best]) > CURVE_NOISE * tmli_curve_range(s->k))
            climb(s, side, t3, f3);
    }
    note_peak(s, side, t[best], f[best]);
}

void tmli_curve_look_for_top(tmli_curve_search *s, int side, const double t[3], const double f[3])
{
    const tmli_study_peak *p = &s->k->peak[side];
    if (!p->wanted) return;
    const double d = top_of(t, f, side ? -1 : 1);
    if (d > 0 && (side ? fmin(f[1], f[2]) <= p->value : fmax(f[1], f[2]) >= p->value))
        note_peak(s, side, t[1] + d, sample_one(s, t[1] + d));
    note_peak(s, side, t[2], f[2]);
}
