// Error estimate of bdf and choice of its order and step; equation numbers as in bdf.c.
#include "integrate/bdf/bdf.h"
#include "integrate/core/step_control.h"
#include "system/state/first_order.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "integrate/bdf/constants.h"

void tmli_bdf_set_defects(tmli_bdf *b, int k)
{
    const tmli_history *y = &b->history;
    const double h = b->h_trial, share = 1 / (h + y->age[k]);
    const int n = b->sys->n;
    const double *p = b->through[k];
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
    // the increment is measured at the start of the step, velocities at its end
    if (b->flat) memcpy(b->ex, b->along, (size_t)n * sizeof(double));
    else b->sys->ops->tangent(b->sys->self, b->D, b->along, b->ex);
}

tml_status tmli_bdf_probe_force(tmli_bdf *b, const double *du, const double *dudot, double ratio,
                                tml_error *err)
{
    const tml_system *s = b->sys;
    tml_state *y = b->probe;
    double largest = DBL_MIN;
    for (int j = 0; j < s->n; j++)
        largest = fmax(largest, fabs(dudot[j]) / tmli_weights_unit(&b->weights, j));
    const double rate = tmli_weights_rate(&b->weights);
    // the bound keeps the factor finite where there is no error: constant forces are integrated exactly
    const double scale = fmin(fmax(1, PROBE_SIZE * rate * rate * ratio / largest), 1 / DBL_EPSILON);
    tml_state_copy(y, b->trial);
    for (int j = 0; j < s->n; j++) {
        if (du) y->u[j] += scale * du[j];
        y->udot[j] += scale * (du ? b->a1 * du[j] : dudot[j]);
    }
    b->count.residuals++;
    tml_status st = tmli_active_residual(s, b->kernel.work, y, NULL, b->force, b->kernel.dphi, err);
    for (int j = 0; j < s->n; j++) b->force[j] /= scale;
    return st;
}

// y (m) := what the defect du (n) of positions is in rows at velocity level, over a1; 0 in others: their
// velocities are exact, so that the increment takes up all of it.
static tml_status velocity_row_defects(tmli_bdf *b, const double *du, double *y, tml_error *err)
{
    const tml_system *s = b->sys;
    const tml_status st = tmli_active_rows(s, b->kernel.work, b->trial, b->kernel.rows, err);
    for (int r = 0; r < s->m && st == TML_OK; r++) {
        y[r] = 0;
        for (int i = s->rowptr[r]; i < s->rowptr[r + 1] && s->level[r] == TML_LEVEL_VELOCITY; i++)
            y[r] += b->kernel.rows[i] * du[s->rowcol[i]] / b->a1;
    }
    return st;
}

// d (n) := change of the step's increment by these errors, see tmli_bdf_probe_force.
static tml_status respond(tmli_bdf *b, const double *du, const double *dudot, double ratio, double *d,
                          tml_error *err)
{
    const bool rows = du && b->sys->level;
    tml_status st = tmli_bdf_probe_force(b, du, dudot, ratio, err);
    if (st == TML_OK && rows) st = velocity_row_defects(b, du, b->kernel.dphi, err);
    if (st == TML_OK) tmli_kernel_force_response(&b->kernel, b->force, rows ? b->kernel.dphi : NULL, d);
    return st;
}

// (6)
double tmli_bdf_multiplier_error(const tmli_bdf *b, int k)
{
    const tmli_history *y = &b->history;
    if (b->opt.run.control != TML_CONTROL_ALL || y->multipliers < k) return 0;
    // the round-off of multipliers grows as the step falls: a step much shorter than the last one cannot
    // reduce it
    if (b->h_trial < TMLI_SMALLEST_RATIO * y->age[1]) return 0;
    const double *p = b->through[k - 1];
    double worst = 0;
    for (int r = 0; r < b->sys->m; r++) {
        double d = b->trial->lambda[r];
        for (int i = 0; i < k; i++) d -= p[i] * y->lambda[i][r];
        worst =
            fmax(worst, 2.0 / (k + 1) * fabs(d) / tmli_weights_multiplier(&b->weights, r, b->kernel.unit));
    }
    return worst;
}

// Allowed error of velocity j in the step: its share of the tolerance or, if that is less, in a step that
// would be rejected, the round-off that damping passes on. Shorter steps would not reduce it.
static double allowed_velocity(const tmli_bdf *b, int j)
{
    const double share = tmli_weights_step_velocity(&b->weights, j, b->h_trial),
                 unit = tmli_weights_unit(&b->weights, j);
    if (!b->lenient || j >= tmli_mechanical(b->sys)) return share;
    return fmax(share, tmli_kernel_passed_roundoff(&b->kernel, j, unit, b->h_trial));
}

tml_status tmli_bdf_estimate_index3(tmli_bdf *b, int k, int sweeps, double *error, tml_error *err)
{
    const int n = b->sys->n;
    const double h = b->h_trial, a1 = b->a1, share = tmli_weights_budget(&b->weights, h);
    double worst = tmli_bdf_multiplier_error(b, k), bound = 0;
    tmli_bdf_set_defects(b, k);
    for (int i = 0; i < sweeps; i++) {
        tml_status st = respond(b, NULL, b->eu, 1, b->along, err);
        if (st != TML_OK) return st;
        for (int j = 0; j < n; j++) b->eu[j] = a1 * a1 * b->along[j];
    }
    for (int j = 0; j < n; j++) worst = fmax(worst, h * fabs(b->eu[j]) / allowed_velocity(b, j));
    // positions are judged only if a bound of their error says that they could decide
    for (int j = 0; j < n; j++) {
        bound = fmax(bound, h * fabs(b->ex[j]) / (tmli_weights_position(&b->weights, j, b->moved) * share));
        bound = fmax(bound, fabs(b->ex[j]) / tmli_weights_velocity(&b->weights, j));
    }
    *error = worst;
    if (bound <= worst) return TML_OK;
    tml_status st = respond(b, b->ex, b->ex, h * tmli_weights_rate(&b->weights), b->along, err);
    if (st != TML_OK) return st;
    for (int j = 0; j < n; j++) {
        worst =
            fmax(worst, h * a1 * fabs(b->along[j]) / tmli_weights_step_position(&b->weights, j, b->moved, h));
        // what the constraints (and stiff forces) keep out of the positions: a standing error of the
        // velocity
        const double allowed =
            tmli_weights_velocity_across(&b->weights, j, h, b->kernel.gyration_ratio, b->trial->t);
        worst = fmax(worst, fabs(b->ex[j] + a1 * b->along[j]) / allowed);
    }
    *error = worst;
    return TML_OK;
}

tml_status tmli_bdf_judge_vibrations(tmli_bdf *b, double *error, tml_error *err)
{
    const tml_system *s = b->sys;
    const double h = b->h_trial;
    double less = *error, across = 0;
    if (!b->vibrations.elastic || b->solve != tmli_bdf_solve_index3 || !(*error > TMLI_WANTED_ERROR))
        return TML_OK;
    tml_status st = tmli_active_rows(s, b->kernel.work, b->trial, b->kernel.rows, err);
    if (st != TML_OK) return st;
    tmli_bdf_set_defects(b, 2);
    tmli_kernel_project(&b->kernel, false, b->eu, b->along);
    tmli_kernel_project(&b->kernel, true, b->ex, b->along);
    for (int j = 0; j < s->n; j++) {
        const double allowed =
            tmli_weights_velocity_across(&b->weights, j, h, b->kernel.gyration_ratio, b->trial->t);
        across = fmax(across, fabs(b->along[j]) / allowed);
        b->ex[j] *= h;
        b->along[j] = h * b->eu[j];
        b->force[j] = b->trial->udot[j] - b->x->udot[j];
    }
    const tmli_vibration_trial trial = {.start = b->x,
                                        .end = b->trial,
                                        .h = h,
                                        .ed = b->ex,
                                        .eu = b->along,
                                        .dv = b->force,
                                        .moved = b->moved,
                                        .loss = LOSS_OF_ORDER_2,
                                        .bounded = true};
    st = tmli_vibration_test_judge(&b->vibrations, &trial, &less, err);
    *error = fmin(*error, fmax(less, across));
    return st;
}

// Estimated error of another order; INFINITY if it cannot be computed.
static double estimate_order(tmli_bdf *b, int k)
{
    double error;
    return b->estimate(b, k, 1, &error, NULL) == TML_OK ? error : INFINITY;
}

// Whether order 2 promises a ratio of the steps larger than *best because the vibrations that decide the
// error need not be resolved: at higher orders they would grow, since these are not stable near the imaginary
// axis. *best becomes that ratio. Where it does not, the matrices of the test are a waste: it is made more
// and more seldom.
static bool prefers_order_2(tmli_bdf *b, double error, double *best)
{
    double other = INFINITY;
    if (b->order <= 2 || b->lowest > 2 || !(error > TMLI_WANTED_ERROR)) return false;
    if (b->refused++ < b->refusals) return false;
    b->refused = 0;
    if (tmli_bdf_judge_vibrations(b, &other, NULL) != TML_OK) return false;
    const double ratio = tmli_step_ratio(&b->control, other, 2);
    const bool prefers = b->vibrations.loses && ratio > ORDER_2_GAIN * *best;
    tmli_vibration_test_begin(&b->vibrations);  // the step under trial is not of order 2
    b->refusals = prefers ? 0 : 2 * b->refusals + 1;
    if (b->refusals > MOST_REFUSALS) b->refusals = MOST_REFUSALS;
    if (prefers) *best = ratio;
    return prefers;
}

static double after_rejection(tmli_bdf *b, double h, double error)
{
    const int k = b->order;
    double best = tmli_step_ratio(&b->control, error, k);
    b->failures++;
    if (prefers_order_2(b, error, &best)) {
        b->order = 2;
        b->since = 0;
    }
    if (b->failures > REJECTIONS_BEFORE_LOWER_ORDER && k > b->lowest && b->order == k) {
        const double r = tmli_step_ratio(&b->control, estimate_order(b, k - 1), k - 1);
        if (r > best) {
            best = r;
            b->order = k - 1;
            b->since = 0;
        }
    }
    // a large jump has derivatives, too, which the history does not know
    if (b->failures > REJECTIONS_BEFORE_RESTART || b->jumped) b->restart = true;
    return tmli_step_bound(&b->control, h, best, false);
}

double tmli_bdf_next_step(void *self, double h, double error, bool accepted)
{
    tmli_bdf *b = self;
    if (!accepted) return after_rejection(b, h, error);
    const int k = b->order;
    double best = tmli_step_ratio(&b->control, error, k);
    int order = k;
    // other orders are considered when all of the history is of this one, then periodically, and before the
    // step shrinks
    if (b->since >= k && ((b->since - k) % (k + 1) == 0 || best < TMLI_KEEP_ABOVE)) {
        if (prefers_order_2(b, error, &best)) order = 2;
        if (k > b->lowest && order == k) {
            const double e = estimate_order(b, k - 1), r = tmli_step_ratio(&b->control, e, k - 1);
            // errors that do not fall with the order: the history is not smooth, or the formula is not
            // stable
            if (e <= error || r > ORDER_GAIN * best) {
                best = e <= error ? fmax(r, 1) : r;
                order = k - 1;
            }
        }
        if (k < b->highest && b->history.count > k + 1 && order == k) {
            const double e = estimate_order(b, k + 1), r = tmli_step_ratio(&b->control, e, k + 1);
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
    return tmli_step_bound(&b->control, h, best, true);
}

double tmli_bdf_first_step(void *self)
{
    tmli_bdf *b = self;
    const tml_system *s = b->sys;
    const double T = b->opt.duration;
    const int k = b->order;
    double h = T / TMLI_FIRST_STEPS_PER_RUN;
    for (int j = 0; j < s->n; j++) {
        const double unit = tmli_weights_unit(&b->weights, j);
        // (4) with the last known derivative; higher ones follow from it by the rate of the motion, or by
        // the rate of a vibration as large as the velocities: a force that has just set in shows only in
        // its derivatives
        const double *d = b->derivative[k < 3 ? k : 2];
        const double speed = tmli_weights_velocity(&b->weights, j) / fmax(b->opt.run.atol, b->opt.run.rtol);
        const double jerk = fabs(b->derivative[1][j]), w = sqrt(jerk / speed);
        const double next = fmax(fabs(d[j]) * fmax(b->rate, w), jerk * w * w);
        const double defect = (k < 3 ? fabs(d[j]) : next) / (k + 1) + DBL_MIN;
        h = fmin(h,
                 pow(TMLI_FIRST_STEP_SHARE * tmli_weights_velocity(&b->weights, j) / (T * defect), 1.0 / k));
        if (s->kind[j] == TML_COORDINATE_STATE) continue;
        h = fmin(h, pow(TMLI_FIRST_STEP_SHARE * b->opt.run.atol * unit /
                            (T * fabs(b->derivative[k < 3 ? k - 1 : 2][j]) / (k + 1) + DBL_MIN),
                        1.0 / k));
        // the force must not change the velocity out of scale within the step
        h = fmin(h, TMLI_FIRST_STEP_OF_ACCELERATION * sqrt(unit / (fabs(b->x->udot[j]) + DBL_MIN)));
    }
    return fmin(h, TMLI_FIRST_STEP_OF_ACCELERATION / (b->weights.state_rate + DBL_MIN));
}
