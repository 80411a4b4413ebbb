// Adams methods of variable step and order on the degrees of freedom: predict, evaluate, correct, and
// evaluate again where it matters. Formulas in adams_history.h, parts shared with other explicit
// methods in explicit.h, measurements in docs/theory/explicit.md.
//
// At order k the predictor continues the polynomial P through the last k accelerations, and the corrector
// adds the acceleration at the predicted point: with y = a(t + h, v*, vd*) - P(t + h)
//   vd = vd* + h g_k y,   v = v* + h^2 gg_k y                                                             (1)
// which is of order k + 1 (local extrapolation). The same with g_{k-1} is of order k; its error is the
// distance,
//   vd: h (g_k - g_{k-1}) y,   v: h^2 (gg_k - gg_{k-1}) y                                                 (2)
// So the error of (1) is (2) with k + 1 in place of k and y_{k+1} = y - beta phi_k in place of y; that of the
// order below is (2) as it stands, that of the order above takes one more difference (3). Where there are not
// yet points enough, (2) is converted to the power of h of the error (explicit.h); a share of that also
// counts where (3) happens to vanish.
//
// The second evaluation, at the corrected point, is for stability. For y' = lambda y the response of the
// accelerations to the correction is rho = |a - a*| / |y| = g_k h |lambda|, and the region of stability ends
// on the negative axis near rho 2^k = 0.7 without and near rho 2^(k/2) = 1.6 with the second evaluation.
// Where rho 2^k is small it is omitted, and rho is measured again periodically (4).
//
// L. F. Shampine, M. K. Gordon, Computer Solution of Ordinary Differential Equations, Freeman 1975.
#include "integrate/core/methods.h"
#include "integrate/core/step_control.h"
#include "integrate/explicit/adams_history.h"
#include "system/state/first_order.h"
#include "system/state/move.h"
#include "system/state/units.h"

#include <math.h>
#include <string.h>

#include "integrate/explicit/constants.h"

typedef struct adams {
    tmli_explicit common;
    tmli_adams_history history;
    int highest;          // highest order allowed
    int order;            // order of the next step
    int dense;            // points of the polynomial of the last step, for dense output
    int since;            // accepted steps since the order changed
    int failures;         // trials rejected since the last accepted step
    int single;           // steps that may omit the second evaluation, (4)
    bool rising;          // at the start: the order rises with every step
    bool started;         // the last step was made by the starter
    bool branch_decides;  // the error of the step under trial is its branch distance, not that of the order
    double h_trial;
    double size[2];                         // (2) of the order of the step and of the one above
    double rho;                             // of the last measurement
    double constant[TMLI_ADAMS_ORDER + 2];  // of (2) at constant steps
    double *v0, *vd0;                       // (dof) at the start of the step
    double *v, *vd;                         // (dof) at its end
    double *a;                              // (dof) acceleration at its end
    double *y;                              // (dof) of (1)
    double *other, *rate;                   // (dof) scratch: of (3), of (4), of the dense output
    double *near, *slope;                   // (n) scratch of the dense output
    void *starter;                          // erk8, which makes the first points of fixed steps; NULL: none
} adams;

static const tmli_fields FIELDS = {
    "adams", offsetof(adams, common.memory),
    (const tmli_span[]){TMLI_PARTS(adams, common, common, tmli_explicit_spans),
                        TMLI_PARTS(adams, history, history, tmli_adams_history_spans),
                        TMLI_INDICES(adams, order, order, 0, TMLI_BY_ONE, TMLI_ADAMS_ORDER),
                        TMLI_INDICES(adams, dense, dense, 0, TMLI_BY_ONE, TMLI_ADAMS_POINTS),
                        TMLI_NUMBERS(adams, since, single),
                        TMLI_NUMBERS(adams, rising, started),
                        TMLI_NUMBERS(adams, h_trial, rho),
                        TMLI_KEPT(adams, v0, slope, TMLI_BY_N, 1),
                        {0}}};

static void destroy(void *self)
{
    adams *m = self;
    if (!m) return;
    tmli_method_erk8.destroy(m->starter);
    tmli_explicit_destroy(&m->common);
}

static void set_constants(adams *m)
{
    tmli_adams_history *y = &m->history;
    for (int i = 0; i <= TMLI_ADAMS_POINTS; i++) y->age[i] = i;
    y->count = 1;
    tmli_adams_history_trial(y, TMLI_ADAMS_ORDER + 1, 1);
    for (int k = 1; k <= TMLI_ADAMS_ORDER + 1; k++) m->constant[k] = fabs(y->g[k] - y->g[k - 1]);
}

static tml_status create(const tml_system *sys, const tml_integrator_options *opt, void **self,
                         tml_error *err)
{
    *self = NULL;
    const int highest = opt->run.max_order == 0 ? TMLI_ADAMS_ORDER : opt->run.max_order;
    if (highest < 1 || highest > TMLI_ADAMS_ORDER)
        return tmli_fail(err, TML_ERR_ARG, "max_order = %d is outside of its range 1 .. %d", highest,
                         TMLI_ADAMS_ORDER);
    tml_status st = tmli_explicit_create(sys, opt, &FIELDS, sizeof(adams), 0, self, err);
    adams *m = *self;
    if (st == TML_OK && opt->fixed_step) st = tmli_method_erk8.create(sys, opt, &m->starter, err);
    if (st != TML_OK) {
        destroy(m);
        *self = NULL;
        return st;
    }
    m->history.sys = sys;
    m->history.states = !m->common.flat;
    m->highest = highest;
    m->common.control = (tmli_step_control){
        .wanted = TMLI_WANTED_ERROR_EXPLICIT, .growth = TMLI_MULTISTEP_GROWTH, .keeps = true};
    set_constants(m);
    return TML_OK;
}

static tml_status start(void *self, const tml_state *x, tml_error *err)
{
    adams *m = self;
    m->history.count = 0;
    m->order = m->starter ? m->highest : 1;
    m->since = m->failures = m->single = 0;
    m->rising = true;
    m->rho = 0;
    m->started = false;
    return tmli_explicit_start(&m->common, x, err);
}

// The step of order 1 whose error is allowed if all of the motion has this rate, and a part of it.
static double first_step(void *self)
{
    adams *m = self;
    const tml_integrator_options *opt = &m->common.opt;
    const double w = tmli_explicit_rate(&m->common), T = opt->duration,
                 tol = fmax(opt->run.atol, opt->run.rtol);
    const double wh = sqrt(TMLI_STEP_SHARE * tol / (m->constant[2] * w * T));
    return fmin(T / TMLI_FIRST_STEPS_PER_RUN, TMLI_FIRST_STEP_PART * fmin(wh, 1) / w);
}

// ---- step -------------------------------------------------------------------------------------------------

// Move the chart to x, and transform the history to it.
static tml_status prepare(adams *m, tml_error *err)
{
    tmli_explicit *c = &m->common;
    if (c->centred) return TML_OK;
    tml_status st = tmli_explicit_centre(c, m->vd0, m->a, err);
    if (st != TML_OK) return st;
    memset(m->v0, 0, (size_t)c->dof * sizeof(double));
    if (m->history.count == 0) tmli_adams_history_begin(&m->history, c->x, m->a, c->dof);
    else tmli_adams_history_move(&m->history, c, m->a);
    if (m->starter) return TML_OK;
    // one more point serves the error estimate, except at the start
    const int most = m->rising || m->history.count == 1 ? m->history.count : m->history.count - 1;
    if (m->order > most) m->since = 0;
    if (m->order > most) m->order = most;
    return TML_OK;
}

// All accelerations of the history jump with that at x, so that their differences stay.
static tml_status inputs_changed(void *self, const tml_state *x, tml_error *err)
{
    adams *m = self;
    tmli_explicit *c = &m->common;
    double *jump = m->near;
    tml_status st = prepare(m, err);
    if (st != TML_OK) return st;
    memcpy(jump, c->x->udot, (size_t)c->sys->n * sizeof(double));
    st = tmli_explicit_change_inputs(c, x, m->v0, m->vd0, m->a, err);
    if (st != TML_OK) return st;
    for (int j = 0; j < c->sys->n; j++) jump[j] = c->x->udot[j] - jump[j];
    tmli_adams_history_add_jump(&m->history, jump, m->a, c->dof);
    m->started = false;  // the starter begins anew, too
    return TML_OK;
}

// v, vd := (4) of adams_history.h; y := P(t + h).
static void predict(adams *m, double h)
{
    const tmli_adams_history *p = &m->history;
    const int dof = m->common.dof;
    double *v = m->v, *vd = m->vd, *y = m->y;
    for (int j = 0; j < dof; j++) {
        v[j] = m->v0[j] + h * m->vd0[j];
        vd[j] = m->vd0[j];
        y[j] = 0;
    }
    for (int i = m->order - 1; i >= 0; i--) {
        const double *phi = p->phi[i], b = p->beta[i], once = h * p->g[i] * b, twice = h * h * p->gg[i] * b;
        for (int j = 0; j < dof; j++) {
            v[j] += twice * phi[j];
            vd[j] += once * phi[j];
            y[j] += b * phi[j];
        }
    }
}

// (2) for order k, with y of that order, over the tolerance.
static double estimate_size(adams *m, int k, const double *y)
{
    const double h = m->h_trial, *g = m->history.g, *gg = m->history.gg;
    return tmli_explicit_error(&m->common, y, h * h * fabs(gg[k] - gg[k - 1]), h * fabs(g[k] - g[k - 1]));
}

// Error (3) of order k over the allowed error of the step. size: (2) of order k; next: of the order above,
// negative: not known.
static double error_of(const adams *m, int k, double size, double next)
{
    const tmli_explicit *c = &m->common;
    const double h = m->h_trial;
    const double guess =
        tmli_explicit_convert(c, h, size, 0, k + 1, m->constant[k], k + 2, m->constant[k + 1]);
    return ADAMS_ERROR_SAFETY *
           (next < 0 ? guess
                     : fmax(next / tmli_weights_budget(&c->weights, h), CONVERTED_ERROR_SHARE * guess));
}

// other: y of order i on entry, of the order above on return.
static void raise_order(adams *m, int i)
{
    const double *phi = m->history.phi[i], b = m->history.beta[i];
    for (int j = 0; j < m->common.dof; j++) m->other[j] -= b * phi[j];
}

static void estimate_error(adams *m, double *error)
{
    const int k = m->order;
    memcpy(m->other, m->y, (size_t)m->common.dof * sizeof(double));
    m->size[0] = estimate_size(m, k, m->y);
    m->size[1] = -1;
    if (m->history.count > k) {
        raise_order(m, k);
        m->size[1] = estimate_size(m, k + 1, m->other);
    }
    *error = error_of(m, k, m->size[0], m->size[1]);
}

static double error_below(const adams *m)
{
    const double share = tmli_weights_budget(&m->common.weights, m->h_trial);
    return ADAMS_ERROR_SAFETY * m->size[0] / share;
}

// Error of the order above; uses y after the second evaluation.
static double error_above(adams *m)
{
    const int k = m->order;
    double next = -1;
    memcpy(m->other, m->y, (size_t)m->common.dof * sizeof(double));
    raise_order(m, k);
    const double size = estimate_size(m, k + 1, m->other);
    if (m->history.count > k + 1) {
        raise_order(m, k + 1);
        next = estimate_size(m, k + 2, m->other);
    }
    return error_of(m, k + 1, size, next);
}

// Make the second evaluation, and measure rho.
static tml_status evaluate_again(adams *m, double t, tml_error *err)
{
    tmli_explicit *c = &m->common;
    double answer = 0, cause = 0, *a = m->rate;
    tml_status st = tmli_explicit_evaluate(c, t, m->v, m->vd, c->trial, a, err);
    for (int j = 0; j < c->dof; j++) {
        const double change = a[j] - m->a[j];
        answer += change * change;
        cause += m->y[j] * m->y[j];
        m->y[j] += change;
    }
    m->rho = cause > 0 ? sqrt(answer / cause) : 0;
    m->rate = m->a;
    m->a = a;
    return st;
}

// Test the branch distance, explicit.h (2), with the motion of both ends up to h^4, which is less exact
// than the formulas: dependent coordinates of the trial against d = h (d0' + d')/2 + h^2 (d0'' - d'')/12.
static void check_branch(adams *m, double h, double *error)
{
    tmli_explicit *c = &m->common;
    const tml_system *s = c->sys;
    const double *u = c->x->u, *udot = c->x->udot;
    double worst = 0, *d = c->full, *rate = m->near, *second = m->slope;
    if (s->m == 0) return;
    tmli_reduction_increment(c->reduction, c->trial, d, rate, second);
    for (int j = 0; j < tmli_mechanical(s); j++) {
        const double size = tmli_coordinate_unit(s, j);
        const double off = fabs(d[j] - h / 2 * (u[j] + rate[j]) - h * h / 12 * (udot[j] - second[j])) / size;
        if (!(off <= worst)) worst = off;
    }
    m->branch_decides = c->dof == 0 || !(worst <= TMLI_BRANCH_DISTANCE);
    if (m->branch_decides)
        *error = tmli_explicit_branch_error(
            worst / (c->dof == 0 ? tmli_explicit_branch_limit(c) : TMLI_BRANCH_DISTANCE));
}

static tml_status step_of_starter(adams *m, double h, tml_error *err)
{
    double error;
    tml_status st = m->started ? TML_OK : tmli_method_erk8.start(m->starter, m->common.x, err);
    m->started = true;
    return st == TML_OK ? tmli_method_erk8.step(m->starter, h, &error, err) : st;
}

static tml_status step(void *self, double h, double *error, tml_error *err)
{
    adams *m = self;
    tmli_explicit *c = &m->common;
    *error = 0;
    m->h_trial = h;
    m->branch_decides = false;
    tml_status st = prepare(m, err);
    if (st != TML_OK) return st;
    if (m->history.count < m->order) return step_of_starter(m, h, err);
    const int k = m->order;
    const double t = c->x->t + h, *g = m->history.g, *gg = m->history.gg;
    m->started = false;
    tmli_adams_history_trial(&m->history, k + 2 < TMLI_ADAMS_POINTS ? k + 2 : TMLI_ADAMS_POINTS, h);
    predict(m, h);
    st = tmli_explicit_evaluate(c, t, m->v, m->vd, c->trial, m->a, err);
    if (st != TML_OK) return st;
    for (int j = 0; j < c->dof; j++) m->y[j] = m->a[j] - m->y[j];
    if (!c->opt.fixed_step) {
        tmli_explicit_weigh(c, h, c->trial->q);
        estimate_error(m, error);
        if (!isfinite(*error))
            return tmli_fail(err, TML_RETRY, "the error estimate is not finite at t = %g s", t);
        if (*error > 1) return TML_OK;
    }
    for (int j = 0; j < c->dof; j++) {  // (1)
        m->v[j] += h * h * gg[k] * m->y[j];
        m->vd[j] += h * g[k] * m->y[j];
    }
    if (m->single > 0 && m->failures == 0)
        st = tmli_explicit_solve_dependent(c, t, m->v, m->vd, c->trial, err);
    else st = evaluate_again(m, t, err);
    if (st == TML_OK && !c->opt.fixed_step) check_branch(m, h, error);
    if (st == TML_OK) st = tmli_state_check_branch(c->sys, c->work, c->trial, err);
    if (st == TML_OK) st = tmli_reduction_project_velocity(c->reduction, c->trial, err);
    return st;
}

static void swap(double **a, double **b)
{
    double *c = *a;
    *a = *b;
    *b = c;
}

// Take over the step of the starter; v, vd and a matter only if the chart is kept.
static void take_over_start(adams *m, double t)
{
    tmli_explicit *c = &m->common;
    tmli_method_erk8.accept(m->starter, t);
    tml_state_copy(c->trial, tmli_method_erk8.state(m->starter));
    if (c->flat) {
        const size_t bytes = (size_t)c->dof * sizeof(double);
        tmli_state_local(c->sys, c->x, c->trial, m->h_trial, m->a, m->v);
        for (int j = 0; j < c->dof; j++) m->v[j] += m->v0[j];
        memcpy(m->vd, c->trial->u, bytes);
        memcpy(m->a, c->trial->udot, bytes);
    }
    tmli_adams_history_trial(&m->history, 1, m->h_trial);
}

// (4)
static void check_stability(adams *m)
{
    if (m->started) return;
    if (m->single > 0 && m->failures == 0) {
        m->single--;
        return;
    }
    const bool calm = !m->rising && !m->starter && m->rho * ldexp(1, m->order) < OMIT_SECOND_EVALUATION;
    m->single = calm ? STEPS_PER_MEASUREMENT : 0;
    tmli_explicit_check_stiffness(&m->common, m->h_trial, m->rho * pow(2, m->order / 2.0),
                                  ADAMS_STABILITY_LIMIT);
}

static void accept(void *self, double t)
{
    adams *m = self;
    tmli_explicit *c = &m->common;
    if (m->started) take_over_start(m, t);
    check_stability(m);
    tmli_explicit_accept(c, t, m->h_trial);
    tmli_adams_history_append(&m->history, c->x, m->a, c->dof, m->h_trial);
    m->dense = m->order + 1 < m->history.count ? m->order + 1 : m->history.count;
    swap(&m->v0, &m->v);
    swap(&m->vd0, &m->vd);
    m->failures = 0;
    m->since++;
    c->centred = c->flat;
    c->v_accepted = c->flat ? m->v0 : NULL;
}

// ---- order and step ---------------------------------------------------------------------------------------

// Step ratio that order k promises for its error: per unit step it is of the power k + 1 of h.
static double promised_ratio(const adams *m, double error, int k)
{
    return tmli_step_ratio(&m->common.control, error, k + 1);
}

// Step ratio for a branch distance: its test has an error of the power h^5, whatever the order.
static double branch_ratio(const adams *m, double error)
{
    return tmli_step_ratio(&m->common.control, error, 5);
}

static double after_rejection(adams *m, double h, double error)
{
    const int k = m->order;
    double best = m->branch_decides ? branch_ratio(m, error) : promised_ratio(m, error, k);
    m->rising = false;
    m->failures++;
    if (m->branch_decides) {
        if (m->failures > REJECTIONS_BEFORE_ORDER_ONE) m->order = 1;
    } else if (k > 1) {
        const double below = promised_ratio(m, error_below(m), k - 1);
        if (below > best || m->failures > REJECTIONS_BEFORE_ORDER_ONE) {
            best = fmax(below, best);
            m->order = m->failures > REJECTIONS_BEFORE_ORDER_ONE ? 1 : k - 1;  // the history misleads
            m->since = 0;
        }
    }
    return tmli_step_bound(&m->common.control, h, best, false);
}

// Choose the order that promises the largest step; returns the step ratio. Other orders are considered
// after a step with the present one, and before the step falls.
static double choose_order(adams *m, double error)
{
    const int k = m->order;
    double best = promised_ratio(m, error, k), above = 0;
    if (m->since < 1 && best > TMLI_KEEP_ABOVE) return best;
    const double below = k > 1 && best < TMLI_MULTISTEP_GROWTH ? promised_ratio(m, error_below(m), k - 1) : 0;
    if (m->since >= 1 && k < m->highest && k < m->history.count)
        above = promised_ratio(m, error_above(m), k + 1);
    if (below > best && below >= above) m->order = k - 1;
    else if (above > best) m->order = k + 1;
    if (m->order != k) m->since = -1;
    return fmax(best, fmax(below, above));
}

static double next_step(void *self, double h, double error, bool accepted)
{
    adams *m = self;
    if (!accepted) return after_rejection(m, h, error);
    if (m->branch_decides) return tmli_step_bound(&m->common.control, h, branch_ratio(m, error), true);
    const int k = m->order;
    if (m->rising) {  // nothing is known of the order above: it comes with the next point
        const double best = promised_ratio(m, error, k),
                     below = k > 1 ? promised_ratio(m, error_below(m), k - 1) : 0;
        m->rising = k < m->highest && (best > below || best >= TMLI_MULTISTEP_GROWTH);
        if (m->rising) m->order++;
        if (m->rising) return tmli_step_bound(&m->common.control, h, best, true);
    }
    return tmli_step_bound(&m->common.control, h, choose_order(m, error), true);
}

// ---- dense output -----------------------------------------------------------------------------------------

// In the first step of a history the start is exact. Integrated back from the end, the motion would begin off
// it by the error of the step, and bounces smaller than that would not end. At the share theta of the step
// m->other, m->rate get the cubic that ends at zero and begins with what they lack there.
static void meet_start(const adams *m, double theta)
{
    const double h = m->common.h_last, left = 1 - theta;
    double g[TMLI_ADAMS_POINTS], gg[TMLI_ADAMS_POINTS];
    tmli_adams_history_dense(&m->history, m->dense, -h, g, gg);
    for (int j = 0; j < m->common.dof; j++) {
        double place = m->v[j] - (m->v0[j] - h * m->vd0[j]), speed = m->vd[j] - m->vd0[j];
        for (int i = 0; i < m->dense; i++) {
            place -= h * h * gg[i] * m->history.phi[i][j];
            speed += h * g[i] * m->history.phi[i][j];
        }
        m->other[j] += left * left * ((1 + 2 * theta) * place + theta * h * speed);
        m->rate[j] += left * (-6 * theta / h * place + (1 - 3 * theta) * speed);
    }
}

// The polynomial through the points of the last step, integrated back from its end.
static void interpolate(void *self, double theta, tml_state *out)
{
    const adams *m = self;
    const tmli_explicit *c = &m->common;
    if (c->h_last == 0 || theta >= 1) {
        tml_state_copy(out, c->x);
        return;
    }
    if (m->started) {
        tmli_method_erk8.interpolate(m->starter, theta, out);
        return;
    }
    double g[TMLI_ADAMS_POINTS], gg[TMLI_ADAMS_POINTS];
    const double s = (theta - 1) * c->h_last;
    tmli_adams_history_dense(&m->history, m->dense, s, g, gg);
    for (int j = 0; j < c->dof; j++) {
        m->other[j] = m->v0[j] + s * m->vd0[j];
        m->rate[j] = m->vd0[j];
    }
    for (int i = 0; i < m->dense; i++) {
        const double *phi = m->history.phi[i], once = s * g[i], twice = s * s * gg[i];
        for (int j = 0; j < c->dof; j++) {
            m->other[j] += twice * phi[j];
            m->rate[j] += once * phi[j];
        }
    }
    if (m->history.count == 2) meet_start(m, theta);
    if (c->sys->m > 0) tmli_reduction_between(c->reduction, c->previous, c->x, theta, m->near, m->slope);
    tmli_explicit_interpolate(c, theta, m->other, m->rate, m->near, m->slope, out);
}

static const tml_state *state(const void *self) { return ((const adams *)self)->common.x; }
static void counters(const void *self, tml_counters *out) { *out = ((const adams *)self)->common.count; }
static bool stiff(const void *self) { return ((const adams *)self)->common.stiff; }
static void archive(void *self, tml_archive *a)
{
    adams *m = self;
    tmli_explicit_archive(&m->common, a);
    if (tml_archive_reading(a)) m->common.v_accepted = m->common.flat && m->common.centred ? m->v0 : NULL;
    if (m->starter) tmli_method_erk8.archive(m->starter, a);
}

const tml_method_ops tmli_method_adams = {
    .name = "adams",
    .summary = "Adams predictor-corrector of variable order (max_order)",
    .form = "state space",
    .stability = "explicit",
    .citation = "Shampine & Gordon 1975; Krogh 1974",
    .order = TMLI_ADAMS_ORDER,
    .max_order = TMLI_ADAMS_ORDER,
    .equations = TML_EQUATIONS_STATE_SPACE,
    .is_explicit = true,
    .exact_if_driven = true,
    .quintic_inside = true,
    .create = create,
    .start = start,
    .first_step = first_step,
    .step = step,
    .next_step = next_step,
    .accept = accept,
    .interpolate = interpolate,
    .state = state,
    .counters = counters,
    .destroy = destroy,
    .stiff = stiff,
    .archive = archive,
    .inputs_changed = inputs_changed,
};
