// Error estimate of bdf and its choice of order and step; equation numbers as in bdf.c.
#include "integrate/bdf/bdf.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Aim of the estimate after a change of step: half of what is allowed leaves room to keep the step for a
// while.
static const double AIM = 0.5;
// Another order must promise this much larger steps.
static const double ORDER_GAIN = 1.15;
// Smaller growth of the step is not worth the disturbance; larger growth in one step not trusted.
static const double GROWTH_LEAST = 1.15, GROWTH_MOST = 2;

void tmli_bdf_defects(tmli_bdf *b, int k)
{
    const tmli_history *y = &b->history;
    const double h = b->h_trial, share = 1 / (h + y->age[k]);
    const int n = b->sys->n;
    double p[TMLI_BDF_POINTS];
    tmli_history_value(y, k + 1, h, p);
    for (int j = 0; j < n; j++) {
        b->along[j] = b->D[j];
        b->eu[j] = b->trial->u[j] - y->u[0][j];
    }
    for (int i = 1; i <= k; i++)
        for (int j = 0; j < n; j++) {
            b->along[j] -= p[i] * y->X[i][j];
            b->eu[j] -= p[i] * (y->u[i][j] - y->u[0][j]);
        }
    for (int j = 0; j < n; j++) {
        b->along[j] *= share;
        b->eu[j] *= share;
    }
    // the increment is seen from the start of the step, velocities from its end
    if (b->flat) memcpy(b->ex, b->along, (size_t)n * sizeof(double));
    else b->sys->ops->tangent(b->sys->self, b->D, b->along, b->ex);
}

tml_status tmli_bdf_force(tmli_bdf *b, const double *du, const double *dudot, double ratio, tml_error *err)
{
    const tml_system *s = b->sys;
    tml_state *y = b->probe;
    double largest = DBL_MIN;
    for (int j = 0; j < s->n; j++)
        largest = fmax(largest, fabs(dudot[j]) / tmli_weights_unit(&b->weights, j));
    const double rate = tmli_weights_rate(&b->weights);
    // the bound keeps it finite where there is no error at all: constant forces are integrated exactly
    const double scale = fmin(fmax(1, 1e-3 * rate * rate * ratio / largest), 1e100);
    tml_state_copy(y, b->trial);
    for (int j = 0; j < s->n; j++) {
        if (du) y->u[j] += scale * du[j];
        y->udot[j] += scale * (du ? b->a1 * du[j] : dudot[j]);
    }
    b->count.residuals++;
    tml_status st = s->ops->residual(s->self, b->kernel.work, y, NULL, b->force, b->kernel.dphi, err);
    for (int j = 0; j < s->n; j++) b->force[j] /= scale;
    return st;
}

// d := answer of the increment to them.
static tml_status answer(tmli_bdf *b, const double *du, const double *dudot, double ratio, double *d,
                         tml_error *err)
{
    tml_status st = tmli_bdf_force(b, du, dudot, ratio, err);
    if (st == TML_OK) tmli_kernel_respond(&b->kernel, b->force, d);
    return st;
}

// (6)
double tmli_bdf_multiplier_error(const tmli_bdf *b, int k)
{
    const tmli_history *y = &b->history;
    if (b->opt.control != TML_CONTROL_ALL || y->multipliers < k) return 0;
    // round-off in multipliers grows as the step falls: one much shorter than the last cannot cure them
    if (b->h_trial < 0.1 * y->age[1]) return 0;
    double p[TMLI_BDF_POINTS], worst = 0;
    tmli_history_value(y, k, b->h_trial, p);
    for (int r = 0; r < b->sys->m; r++) {
        double d = b->trial->lambda[r];
        for (int i = 0; i < k; i++) d -= p[i] * y->lambda[i][r];
        worst =
            fmax(worst, 2.0 / (k + 1) * fabs(d) / tmli_weights_multiplier(&b->weights, r, b->kernel.unit));
    }
    return worst;
}

tml_status tmli_bdf_estimate_index3(tmli_bdf *b, int k, int sweeps, double *error, tml_error *err)
{
    const int n = b->sys->n;
    const double h = b->h_trial, a1 = b->a1, share = tmli_weights_budget(&b->weights, h);
    double worst = tmli_bdf_multiplier_error(b, k), bound = 0;
    tmli_bdf_defects(b, k);
    for (int i = 0; i < sweeps; i++) {
        tml_status st = answer(b, NULL, b->eu, 1, b->along, err);
        if (st != TML_OK) return st;
        for (int j = 0; j < n; j++) b->eu[j] = a1 * a1 * b->along[j];
    }
    for (int j = 0; j < n; j++)
        worst = fmax(worst, h * fabs(b->eu[j]) / tmli_weights_step_velocity(&b->weights, j, h));
    // positions need to be looked at only if they could matter
    for (int j = 0; j < n; j++) {
        bound = fmax(bound, h * fabs(b->ex[j]) / (tmli_weights_position(&b->weights, j, b->moved) * share));
        bound = fmax(bound, fabs(b->ex[j]) / tmli_weights_velocity(&b->weights, j));
    }
    *error = worst;
    if (bound <= worst) return TML_OK;
    tml_status st = answer(b, b->ex, b->ex, h * tmli_weights_rate(&b->weights), b->along, err);
    if (st != TML_OK) return st;
    for (int j = 0; j < n; j++) {
        worst =
            fmax(worst, h * a1 * fabs(b->along[j]) / tmli_weights_step_position(&b->weights, j, b->moved, h));
        // what the constraints (and stiff forces) keep the positions from: a standing error of the velocity
        const double allowed = tmli_weights_across(&b->weights, j, h, b->kernel.gyration_ratio, b->trial->t);
        worst = fmax(worst, fabs(b->ex[j] + a1 * b->along[j]) / allowed);
    }
    *error = worst;
    return TML_OK;
}

// Step ratio that order k promises for its estimate: error per unit step is of order h^k.
static double promise(double error, int k) { return pow(AIM / fmax(error, 1e-10), 1.0 / k); }

// Estimate of another order; one that cannot be made speaks against it.
static double estimated(tmli_bdf *b, int k)
{
    double error;
    return b->estimate(b, k, 1, &error, NULL) == TML_OK ? error : INFINITY;
}

static double after_rejection(tmli_bdf *b, double h, double error)
{
    const int k = b->order;
    double best = promise(error, k);
    b->failures++;
    if (b->failures > 1 && k > b->lowest) {
        const double r = promise(estimated(b, k - 1), k - 1);
        if (r > best) {
            best = r;
            b->order = k - 1;
            b->since = 0;
        }
    }
    if (b->failures > 8) b->restart = true;
    return h * fmin(0.8, fmax(0.25, 0.9 * best));
}

double tmli_bdf_next_step(void *self, double h, double error, bool accepted)
{
    tmli_bdf *b = self;
    if (!accepted) return after_rejection(b, h, error);
    const int k = b->order;
    double best = promise(error, k);
    int order = k;
    // other orders are looked at when the history is all of this one, then once in a while, and before the
    // step shrinks
    if (b->since >= k && ((b->since - k) % (k + 1) == 0 || best < 0.9)) {
        if (k > b->lowest) {
            const double e = estimated(b, k - 1), r = promise(e, k - 1);
            // terms that do not fall with the order: the history is not smooth, or the formula not stable
            if (e <= error || r > ORDER_GAIN * best) {
                best = e <= error ? fmax(r, 1) : r;
                order = k - 1;
            }
        }
        if (k < b->highest && b->history.count > k + 1 && order == k) {
            const double e = estimated(b, k + 1), r = promise(e, k + 1);
            if (e < error && r > ORDER_GAIN * best) {
                best = r;
                order = k + 1;
            }
        }
    }
    if (order != k) {
        b->order = order;
        b->since = -1;
    }
    if (best > 0.9 && best < GROWTH_LEAST) return h;
    return h * fmin(GROWTH_MOST, fmax(0.5, best));
}

double tmli_bdf_first_step(void *self)
{
    tmli_bdf *b = self;
    const tml_system *s = b->sys;
    const double T = b->opt.duration;
    const int k = b->order;
    double h = T / 100;
    for (int j = 0; j < s->n; j++) {
        const double unit = tmli_weights_unit(&b->weights, j);
        // (4) with the last derivative known, and from there on falling by the rate of the motion, or by that
        // of a vibration as large as the velocities: a force that has just set in shows only in its
        // derivatives
        const double *d = b->derivative[k < 3 ? k : 2];
        const double speed = tmli_weights_velocity(&b->weights, j) / fmax(b->opt.atol, b->opt.rtol);
        const double jerk = fabs(b->derivative[1][j]), w = sqrt(jerk / speed);
        const double next = fmax(fabs(d[j]) * fmax(b->rate, w), jerk * w * w);
        const double defect = (k < 3 ? fabs(d[j]) : next) / (k + 1) + DBL_MIN;
        h = fmin(h, pow(0.1 * tmli_weights_velocity(&b->weights, j) / (T * defect), 1.0 / k));
        h = fmin(h, pow(0.1 * b->opt.atol * unit /
                            (T * fabs(b->derivative[k < 3 ? k - 1 : 2][j]) / (k + 1) + DBL_MIN),
                        1.0 / k));
        // the force must not change the velocity out of scale within the step
        h = fmin(h, 0.1 * sqrt(unit / (fabs(b->x->udot[j]) + DBL_MIN)));
    }
    return h;
}
