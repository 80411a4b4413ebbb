// The Radau methods: start, steps, dense output; equation numbers as in radau.h.
#include "integrate/radau/radau.h"
#include "integrate/core/methods.h"
#include "system/state/accepted.h"
#include "system/state/fields.h"
#include "system/state/inactive.h"
#include "system/state/move.h"

#include <math.h>
#include <string.h>

#include "integrate/radau/constants.h"

static const tmli_fields FIELDS = {
    "radau", offsetof(tmli_radau, memory),
    (const tmli_span[]){TMLI_NUMBERS(tmli_radau, rate, error_last),
                        TMLI_NUMBERS(tmli_radau, inputs_new, elastic),
                        TMLI_KEPT_STATES(tmli_radau, x, trial),
                        TMLI_KEPT(tmli_radau, end, slow, TMLI_BY_N, 1),
                        TMLI_KEPT(tmli_radau, phi, phi, TMLI_BY_M, 1),
                        TMLI_KEPT_FIRST(tmli_radau, V, TMLI_BY_OWN, TMLI_BY_N, 1),
                        TMLI_KEPT_FIRST(tmli_radau, lambda, TMLI_BY_OWN, TMLI_BY_M, 1),
                        {0}}};

static tmli_sizes sizes_of(const tmli_radau *r)
{
    tmli_sizes sizes = tmli_sizes_of(r->sys);
    sizes.of[TMLI_BY_OWN] = (size_t)r->table->stages;
    return sizes;
}

static void destroy(void *self)
{
    tmli_radau *r = self;
    if (!r) return;
    const tmli_sizes sizes = sizes_of(r);
    tmli_stages_clear(&r->stages);
    tmli_weights_clear(&r->weights);
    tmli_vibrations_clear(&r->vibrations);
    tmli_consistent_clear(&r->consistent);
    tmli_fields_clear(&FIELDS, &sizes, r);
    tmli_free(sizes.env, r);
}

// Not rigid ones: these are constraints.
static bool has_contact_laws(const tml_system *sys)
{
    bool any = false;
    for (int i = 0; i < sys->nmode; i++)
        any = any || !(sys->switches[i].of_time || sys->switches[i].row >= 0);
    return any;
}

static tml_status create(const tml_system *sys, const tml_integrator_options *opt, int stages, int fields,
                         void **self, tml_error *err)
{
    *self = NULL;
    tmli_radau *r = tmli_calloc(&sys->env, 1, sizeof *r);
    if (!r) return tmli_no_memory(err, "radau");
    r->sys = sys;
    r->opt = *opt;
    r->table = tmli_radau_find(stages);
    r->touches = has_contact_laws(sys);
    r->control = (tmli_step_control){
        .wanted = WANTED_ERROR, .growth = 1 / TMLI_SMALLEST_RATIO, .keeps = true, .one_step = true};
    const tmli_sizes sizes = sizes_of(r);
    tml_status st = tmli_fields_create(&FIELDS, &sizes, r, err);
    if (st == TML_OK) st = tmli_stages_create(sys, opt, stages, fields, &r->count, &r->stages, err);
    if (st == TML_OK) st = tmli_weights_create(sys, opt, &r->weights, err);
    if (st == TML_OK) st = tmli_vibrations_create(sys, opt, &r->vibrations, err);
    if (st == TML_OK && !opt->fixed_step)
        st = tmli_consistent_create_shared(sys, opt->solver, opt->shared_workspace, &r->consistent, err);
    if (st != TML_OK) {
        destroy(r);
        return st;
    }
    r->stages.weights = &r->weights;
    *self = r;
    return TML_OK;
}

// Accelerations at time e after the start x, on the motion that begins there; false: they cannot be computed.
static bool accelerations_after(tmli_radau *r, double e, double *udot)
{
    const tml_system *sys = r->sys;
    const tml_state *x = r->x;
    tml_state *y = r->trial;
    tml_state_copy(y, x);
    y->t = x->t + e;
    for (int j = 0; j < sys->n; j++) {
        y->u[j] = x->u[j] + e * x->udot[j];
        r->moved[j] = e * x->u[j] + e * e / 2 * x->udot[j];
    }
    tmli_state_move(sys, x, r->moved, y);
    if (tmli_consistent_accelerations(&r->consistent, y, NULL) != TML_OK) return false;
    memcpy(udot, y->udot, (size_t)sys->n * sizeof(double));
    return true;
}

// Rate of the motion at a start: the typical one, or the one that the k-th derivatives of the velocity, k =
// 2 and 3, give for a vibration as large as the velocities, (derivative/velocity)^(1/k). A force that has
// just set in shows only there. Differences use later times only, since a law of force need not have values
// before its start.
static void find_rate(tmli_radau *r)
{
    double *near = r->ed, *far = r->eu;
    r->rate = tmli_weights_with_states(&r->weights, tmli_weights_rate(&r->weights));
    const double e = TMLI_START_DIFFERENCE / r->rate;
    if (!accelerations_after(r, e, near) || !accelerations_after(r, 2 * e, far)) return;
    tmli_weights_set_massless(&r->weights, tmli_consistent_massless(&r->consistent));
    double fastest = r->rate;
    for (int j = 0; j < r->sys->n; j++) {
        const double a = r->x->udot[j];
        const double speed = tmli_weights_velocity(&r->weights, j) / fmax(r->opt.run.atol, r->opt.run.rtol);
        const double second = (4 * near[j] - far[j] - 3 * a) / (2 * e),
                     third = (far[j] - 2 * near[j] + a) / (e * e);
        fastest = fmax(fastest, fmax(sqrt(fabs(second) / speed), cbrt(fabs(third) / speed)));
    }
    if (isfinite(fastest)) r->rate = fastest;
}

// There is no motion along the constraints, but for rows that come and go: they determine positions and
// velocities.
static bool is_determined(const tmli_radau *r)
{
    const tml_system *s = r->sys;
    int rows = 0;
    for (int i = 0; i < s->m; i++)
        rows += !tmli_is_row_off(s, r->x, i) && !(s->switch_of_row && s->switch_of_row[i] >= 0);
    return rows >= s->n;
}

static tml_status start(void *self, const tml_state *x, tml_error *err)
{
    tmli_radau *r = self;
    (void)err;
    tml_state_copy(r->x, x);
    tml_state_copy(r->previous, x);
    r->h_last = 0;
    r->error_last = 1;
    r->h_short = 0;
    r->inputs_new = r->elastic = false;
    tmli_step_start(&r->control);
    r->stages.coupled.always = r->stages.coupled.given_up = false;
    r->stages.stale = true;
    r->stages.t_rows = NAN;
    tmli_weights_start(&r->weights, x);
    tmli_vibrations_start(&r->vibrations, r->stages.work, x);
    return TML_OK;
}

// Stages and estimate begin with the motion, which is continuous. The acceleration at x serves prediction and
// dense output only: the step finds it.
static tml_status inputs_changed(void *self, const tml_state *x, tml_error *err)
{
    tmli_radau *r = self;
    (void)err;
    tmli_state_copy_inputs(r->x, x);
    r->inputs_new = true;
    return TML_OK;
}

// The step whose error by (1) is allowed if all of the motion has this rate, and a part of it: growing is
// cheaper than a rejection.
static double first_step(void *self)
{
    tmli_radau *r = self;
    find_rate(r);
    const double w = r->rate, T = r->opt.duration, p = r->table->order;
    const double constant = p == 6 ? 7200 : 216;
    const double wh =
        pow(TMLI_STEP_SHARE * constant * fmax(r->opt.run.atol, r->opt.run.rtol) / (w * T), 1 / (p - 1));
    return fmin(T / TMLI_FIRST_STEPS_PER_RUN, FIRST_STEP_PART * fmin(wh, 1) / w);
}

// ---- step -------------------------------------------------------------------------------------------------

// X(theta) - theta h u0 of (2) for a step h from x.
void tmli_radau_deviation(const tmli_radau *r, const tml_state *x, double *const S[3], double h, double theta,
                          double *out)
{
    const double a = theta * theta * h * h / 2, b = theta * theta * theta, d = theta - 1;
    for (int j = 0; j < r->sys->n; j++)
        out[j] = a * x->udot[j] + b * (S[0][j] + d * (S[1][j] + d / 2 * S[2][j]));
}

// Predict Z, V and multipliers of the stages by continuing the last step, or by the accelerations at a
// start.
static void predict(tmli_radau *r, double h)
{
    const tml_system *sys = r->sys;
    tmli_stages *s = &r->stages;
    const tml_state *x = r->x;
    const int stages = r->table->stages;
    const bool known = r->h_last > 0 && TMLI_SMALLEST_RATIO * h <= r->h_last;
    for (int i = 0; i < stages; i++) {
        const double c = r->table->c[i] * h;
        double weight[TMLI_RADAU_STAGES];
        for (int j = 0; j < sys->n && !known; j++) {
            s->Z[i][j] = c * c / 2 * x->udot[j];
            s->V[i][j] = c * x->udot[j];
        }
        memcpy(s->stage[i]->lambda, x->lambda, (size_t)sys->m * sizeof(double));
        memset(s->eta[i], 0, (size_t)sys->m * sizeof(double));
        if (!known) continue;
        const double theta = 1 + c / r->h_last;
        tmli_radau_deviation(r, r->previous, r->S, r->h_last, theta, r->ed);
        for (int j = 0; j < sys->n; j++) {
            r->ed[j] += theta * r->h_last * r->previous->u[j];
            r->eu[j] = -r->end[j];
        }
        sys->ops->compose(sys->self, r->eu, r->ed,
                          s->Z[i]);  // increment from x, not from the start of the last step
        for (int j = 0; j < sys->n; j++) s->Z[i][j] -= c * x->u[j];
        tmli_radau_value(r->table, theta, weight);
        for (int j = 0; j < sys->n; j++) {
            s->V[i][j] = r->previous->u[j] - x->u[j];
            for (int l = 0; l < stages; l++) s->V[i][j] += weight[l] * r->V[l][j];
        }
        tmli_radau_inner(r->table, theta, weight);
        for (int p = 0; p < sys->m; p++) {
            s->stage[i]->lambda[p] = 0;
            for (int l = 0; l < stages; l++) s->stage[i]->lambda[p] += weight[l] * r->lambda[l][p];
        }
    }
}

// The acceleration at the start of the step under trial with its new inputs: the slope of the collocation's
// polynomial there, of the power s of h. Stiff forces do not enlarge its error, as they would if it were
// evaluated. The estimate of the stabilized form needs the multipliers there, too; with one field they drop
// out.
static void set_start(tmli_radau *r)
{
    double weight[TMLI_RADAU_STAGES];
    if (!r->inputs_new) return;
    tmli_radau_inner(r->table, 0, weight);
    for (int p = 0; p < r->sys->m && r->stages.fields == 2; p++) {
        r->x->lambda[p] = 0;
        for (int i = 0; i < r->table->stages; i++)
            r->x->lambda[p] += weight[i] * r->stages.stage[i]->lambda[p];
    }
    tmli_radau_slope(r->table, 0, weight);
    for (int j = 0; j < r->sys->n; j++) {
        r->x->udot[j] = 0;
        for (int i = 0; i < r->table->stages; i++)
            r->x->udot[j] += weight[i] * r->stages.V[i][j] / r->h_trial;
    }
}

// Set S of (2) for the step under trial. X' at its end is u0 + W, W of stages.h; X'' = inverse(T) udot + d
// inverse(T)/dt u, the latter by a central difference over a small part of the step.
static void set_dense(tmli_radau *r)
{
    const tml_system *sys = r->sys;
    const tmli_stages *s = &r->stages;
    const int last = r->table->stages - 1;
    const double h = r->h_trial, e = CHART_DIFFERENCE;
    const tml_state *x0 = r->x, *x1 = r->trial;
    double *W = r->S_trial[1], *second = r->S_trial[2], *const end = s->D[last], *near = r->ed,
           *ahead = r->eu, *back = r->moved;
    for (int j = 0; j < sys->n; j++) {
        W[j] = 0;
        for (int l = 0; l <= last; l++) W[j] += r->table->inverse[last][l] * s->Z[l][j] / h;
        near[j] = end[j] + e * h * (x0->u[j] + W[j]);
    }
    sys->ops->tangent_inverse(sys->self, end, x1->udot, second);
    sys->ops->tangent_inverse(sys->self, near, x1->u, ahead);
    for (int j = 0; j < sys->n; j++) near[j] = end[j] - e * h * (x0->u[j] + W[j]);
    sys->ops->tangent_inverse(sys->self, near, x1->u, back);
    for (int j = 0; j < sys->n; j++) {
        const double y0 = s->Z[last][j] - h * h / 2 * x0->udot[j];
        const double y1 = h * W[j] - h * h * x0->udot[j];
        const double y2 = h * h * (second[j] + (ahead[j] - back[j]) / (2 * e * h) - x0->udot[j]);
        r->S_trial[0][j] = y0;
        r->S_trial[1][j] = y1 - 3 * y0;
        r->S_trial[2][j] = y2 - 6 * y1 + 12 * y0;
    }
}

// Wanted error of Z [lengths]; at small fixed steps in proportion to h^2. It stays below the error that steps
// have, not only below what they may have: where steps are long because little happens, as at rest, stiff
// springs would show in their forces what the iteration leaves. Between the ticks of a controller steps are
// short and not at rest.
static double newton_tolerance(const tmli_radau *r, double h)
{
    const double x = h * tmli_weights_rate(&r->weights);
    if (r->opt.fixed_step) return FIXED_STEP_NEWTON_ERROR * fmin(1, x * x);
    const double used = r->inputs_new ? 1 : fmax(NEWTON_LEAST_SHARE, fmin(1, r->error_last));
    const double share = NEWTON_SHARE * (r->elastic ? ELASTIC_NEWTON_SHARE : 1);
    const double tol = share * used * tmli_weights_newton_tolerance(&r->weights, h);
    // the error of Phi that is left appears in the multipliers of the next step, divided by its h^2
    return r->opt.run.control == TML_CONTROL_ALL
               ? fmin(tol, MULTIPLIER_NEWTON_SHARE * r->opt.run.rtol * fmin(1, x * x))
               : tol;
}

// The equations of a step of size h could not be solved. If sizes like this one fail wherever they are tried,
// one matrix for all stages does not serve them: where a stiff spring turns by the angle a within the step,
// corrections fall by a k w only, w its frequency. Stages are coupled then, and nothing limits their steps.
// If sizes fail again, others than the matrix are at fault, and coupled stages only cost more.
static void note_failure(tmli_radau *r, double h)
{
    tmli_coupled *c = &r->stages.coupled;
    tmli_step_failed(&r->control, h);
    if (!r->control.by_size || !c->lin || c->given_up || r->stages.newton.unscaled) return;
    c->given_up = c->always;
    c->always = !c->always;
    if (c->always) tmli_step_start(&r->control);
}

static tml_status step(void *self, double h, double *error, tml_error *err)
{
    tmli_radau *r = self;
    r->h_trial = h;
    r->fades = false;
    r->loses = false;
    predict(r, h);
    const int last = r->table->stages - 1;
    const bool may_skip = r->inputs_new && r->h_last > 0 && TMLI_SMALLEST_RATIO * h <= r->h_last;
    memcpy(r->ed, r->stages.Z[last], (size_t)r->sys->n * sizeof *r->ed);
    memcpy(r->eu, r->stages.V[last], (size_t)r->sys->n * sizeof *r->eu);
    tml_status st = tmli_stages_solve(&r->stages, r->x, h, tmli_weights_feedback(&r->weights, h),
                                      newton_tolerance(r, h), err);
    for (int i = 0; i < r->table->stages && st == TML_OK; i++)
        st = tmli_state_check_branch(r->sys, r->stages.work, r->stages.stage[i], err);
    if (st != TML_OK) note_failure(r, h);
    if (st != TML_OK) return st;
    tml_state_copy(r->trial, r->stages.stage[last]);
    *error = 0;
    const bool predicted =
        may_skip && !r->opt.fixed_step && !is_determined(r) && tmli_radau_is_predicted(r, h, error);
    set_start(r);
    set_dense(r);
    if (r->opt.fixed_step) return TML_OK;
    double missed = 0;
    if (!is_determined(r) && !predicted) st = tmli_radau_estimate(r, h, error, err);
    const double estimated = *error;
    if (st == TML_OK && r->opt.run.control == TML_CONTROL_ALL)
        st = tmli_radau_estimate_multipliers(r, h, error, err);
    if (st == TML_OK && !predicted && *error <= 1) st = tmli_radau_check_passed_on(r, h, error, err);
    if (st == TML_OK && !predicted && *error <= 1) st = tmli_radau_check_velocity(r, h, error, err);
    if (st == TML_OK && !predicted && *error <= 1) st = tmli_radau_check_dense_output(r, h, &missed, err);
    if (st == TML_OK) *error = fmax(*error, missed);
    if (*error > estimated) r->fades = false;
    return st;
}

static void track_vibrations(tmli_radau *r, double t)
{
    double *const Mw = r->slow;
    const double aMa = tmli_stages_square(&r->stages, r->x->udot, Mw);
    tmli_vibrations_set_change(&r->vibrations, r->x);
    tmli_stages_square(&r->stages, r->vibrations.change, Mw);
    tmli_vibrations_track(&r->vibrations, t, Mw, aMa, r->loses);
    if (!r->loses) return;
    const double above = cabs(r->table->eigen[0].mu) / (6.283185307179586 * r->h_last);
    tml_counters *c = &r->count;
    c->damped_above = c->damped_above > 0 ? fmin(c->damped_above, above) : above;
    c->damped_position = fmax(c->damped_position, r->damped[0]);
    c->damped_velocity = fmax(c->damped_velocity, r->damped[1]);
    c->damped_energy = r->vibrations.lost;
}

static void accept(void *self, double t)
{
    tmli_radau *r = self;
    const tml_system *sys = r->sys;
    tmli_stages *s = &r->stages;
    const size_t n = (size_t)sys->n, m = (size_t)sys->m;
    r->trial->t = t;
    if (sys->ops->accept) sys->ops->accept(sys->self, s->work, r->trial);
    memcpy(r->end, s->D[r->table->stages - 1], n * sizeof(double));
    for (int i = 0; i < r->table->stages; i++) {
        memcpy(r->V[i], s->V[i], n * sizeof(double));
        memcpy(r->lambda[i], s->stage[i]->lambda, m * sizeof(double));
    }
    for (int i = 0; i < 3; i++) {
        double *S = r->S[i];
        r->S[i] = r->S_trial[i];
        r->S_trial[i] = S;
    }
    tml_state *oldest = r->previous;
    r->previous = r->x;
    r->x = r->trial;
    r->trial = oldest;
    r->h_last = r->h_trial;
    r->inputs_new = false;
    // Without motion along the constraints nothing but their residuals is in error. Long steps leave large
    // ones in the velocities, which a short step would have to remove.
    if (!r->opt.fixed_step && is_determined(r)) tmli_consistent_project(&r->consistent, r->x, NULL);
    tmli_weights_track(&r->weights, r->x);
    if (!r->opt.fixed_step) track_vibrations(r, t);
    r->count.steps++;
}

// Error per unit step is of the power order - 1 of h.
static double next_step(void *self, double h, double error, bool accepted)
{
    tmli_radau *r = self;
    const double next = tmli_step_next(&r->control, h, error, r->table->order - 1, accepted);
    if (accepted) {
        r->error_last = error;
        r->h_short = 0;
        return next;
    }
    const bool longer = r->fades && (r->h_short == 0 || error < r->error_long);  // (4)
    r->h_short = r->h_short > 0 ? fmin(r->h_short, next) : next;
    r->error_long = longer ? error : 0;
    return longer ? h / TMLI_SMALLEST_RATIO : r->h_short;
}

// ---- dense output -----------------------------------------------------------------------------------------

static void interpolate(void *self, double theta, tml_state *out)
{
    const tmli_radau *r = self;
    const tml_system *sys = r->sys;
    const tml_state *a = r->previous;
    tml_state_copy(out, r->x);
    if (r->h_last == 0) return;
    const double h = r->h_last, d = theta - 1;
    double weight[TMLI_RADAU_STAGES];
    tmli_state_copy_accepted(out, a);
    out->t = a->t + theta * h;
    double *X = out->u, *rate = out->udot;  // scratch until the results are stored there
    tmli_radau_deviation(r, a, r->S, h, theta, X);
    for (int j = 0; j < sys->n; j++) {
        const double S = r->S[0][j] + d * (r->S[1][j] + d / 2 * r->S[2][j]),
                     slope = r->S[1][j] + d * r->S[2][j];
        X[j] += theta * h * a->u[j];
        rate[j] = a->u[j] + theta * h * a->udot[j] + theta * theta / h * (3 * S + theta * slope);
    }
    tmli_state_move(sys, a, X, out);
    sys->ops->tangent(sys->self, X, rate, out->u);
    tmli_radau_slope(r->table, theta, weight);
    for (int j = 0; j < sys->n; j++) {
        out->udot[j] = 0;
        for (int i = 0; i < r->table->stages; i++) out->udot[j] += weight[i] * r->V[i][j] / h;
    }
    tmli_radau_inner(r->table, theta, weight);
    for (int p = 0; p < sys->m; p++) {
        out->lambda[p] = 0;
        for (int i = 0; i < r->table->stages; i++) out->lambda[p] += weight[i] * r->lambda[i][p];
    }
}

static const tml_state *state(const void *self) { return ((const tmli_radau *)self)->x; }
static void counters(const void *self, tml_counters *out) { *out = ((const tmli_radau *)self)->count; }
static double condition(void *self) { return tmli_stages_condition(&((tmli_radau *)self)->stages); }

static void conditioning(void *self, tml_conditioning *out)
{
    tmli_stages_conditioning(&((tmli_radau *)self)->stages, out);
}

static void archive(void *self, tml_archive *a)
{
    tmli_radau *r = self;
    const tmli_sizes sizes = sizes_of(r);
    tmli_fields_archive(&FIELDS, &sizes, r, a);
    tml_counters_archive(&r->count, a);
    tmli_stages_archive(&r->stages, a);
    if (!r->opt.fixed_step) tmli_consistent_archive(&r->consistent, a);
    tmli_weights_archive(&r->weights, &r->consistent, a);
    tmli_step_archive(&r->control, a);
    tmli_vibrations_archive(&r->vibrations, a);
}

TMLI_CREATE_METHOD(create3, create(sys, opt, 2, 1, self, err))
TMLI_CREATE_METHOD(create5, create(sys, opt, 3, 1, self, err))
TMLI_CREATE_METHOD(create_ggl3, create(sys, opt, 2, 2, self, err))
TMLI_CREATE_METHOD(create_ggl5, create(sys, opt, 3, 2, self, err))

#define RADAU(NAME, SUMMARY, FORM, CITATION, ORDER, CREATE, INDEX)                                          \
    {                                                                                                       \
        .name = NAME, .summary = SUMMARY, .form = FORM, .stability = "L-stable, stiffly accurate",          \
        .citation = CITATION, .order = ORDER, .equations = TML_EQUATIONS_INDEX##INDEX,                      \
        .mass_weighted = INDEX == 2, .exact_if_driven = true, .one_step = true, .create = CREATE,           \
        .start = start, .first_step = first_step, .step = step, .next_step = next_step, .accept = accept,   \
        .interpolate = interpolate, .state = state, .counters = counters, .condition = condition,           \
        .destroy = destroy, .conditioning = conditioning, .inputs_changed = inputs_changed, .smooth = true, \
        .archive = archive                                                                                  \
    }

const tml_method_ops tmli_method_radau3 =
    RADAU("radau3", "Radau IIA collocation, 2 stages; orders of positions, velocities, multipliers: 3, 2, 1",
          "index 3", "Hairer & Wanner 1996", 3, create3, 3);
const tml_method_ops tmli_method_radau5 =
    RADAU("radau5", "Radau IIA collocation, 3 stages; orders of positions, velocities, multipliers: 5, 3, 2",
          "index 3", "Hairer & Wanner 1996", 5, create5, 3);
const tml_method_ops tmli_method_ggl_radau3 =
    RADAU("ggl-radau3", "Radau IIA, 2 stages, with position and velocity constraints", "stabilized index 2",
          "Gear, Gupta & Leimkuhler 1985; Hairer & Wanner 1996", 3, create_ggl3, 2);
const tml_method_ops tmli_method_ggl_radau5 =
    RADAU("ggl-radau5", "Radau IIA, 3 stages, with position and velocity constraints", "stabilized index 2",
          "Gear, Gupta & Leimkuhler 1985; Hairer & Wanner 1996", 5, create_ggl5, 2);
