// Shared part of the one-step methods for reduced equations: creation, start, a step with its error, step
// size.
#include "integrate/statespace/statespace.h"
#include "consistency/scaling.h"
#include "integrate/core/step_control.h"
#include "system/state/accepted.h"
#include "system/state/fields.h"
#include "system/state/first_order.h"
#include "system/state/move.h"

#include <math.h>
#include <string.h>

#include "integrate/statespace/constants.h"

// ---- creation ---------------------------------------------------------------------------------------------

static const tmli_fields FIELDS = {
    "statespace", offsetof(tmli_statespace, memory),
    (const tmli_span[]){TMLI_INDICES(tmli_statespace, dof, dof, 0, TMLI_BY_N, 0),
                        TMLI_NUMBERS(tmli_statespace, centred, stale),
                        TMLI_NUMBERS(tmli_statespace, age, age),
                        TMLI_NUMBERS(tmli_statespace, rate, eta),
                        TMLI_WORK(tmli_statespace, work),
                        TMLI_KEPT_STATES(tmli_statespace, x, probe),
                        TMLI_KEPT(tmli_statespace, vd0, d2, TMLI_BY_N, 1),
                        TMLI_KEPT(tmli_statespace, unit, unit, TMLI_BY_NM, 1),
                        TMLI_SCRATCH(tmli_statespace, rows, rows, TMLI_BY_ENTRIES, 1),
                        TMLI_SCRATCH(tmli_statespace, phi, phi, TMLI_BY_M, 1),
                        {0}}};

void tmli_statespace_destroy(void *self)
{
    tmli_statespace *s = self;
    if (!s) return;
    const tml_env *env = &s->sys->env;
    tmli_reduction_destroy(s->red);
    tmli_weights_clear(&s->weights);
    tmli_object_clear(&FIELDS, s->sys, s);
    tmli_free_all(env, s->J1, s->pivot, s);
}

tml_status tmli_statespace_create(const tml_system *sys, const tml_integrator_options *opt,
                                  const tmli_scheme *scheme, void **self, tml_error *err)
{
    *self = NULL;
    tmli_statespace *s = tmli_calloc(&sys->env, 1, sizeof *s);
    if (!s) return tmli_no_memory(err, scheme->name);
    s->sys = sys;
    s->scheme = scheme;
    s->opt = *opt;
    s->descriptor = scheme->iteration == TMLI_ITERATION_DESCRIPTOR;
    s->sparse = s->descriptor && opt->run.jacobian != TML_JACOBIAN_FULL;
    s->embedded = opt->run.estimate == TML_ESTIMATE_EMBEDDED;
    s->control = (tmli_step_control){
        .wanted = TMLI_WANTED_ERROR, .growth = 1 / TMLI_SMALLEST_RATIO, .keeps = s->sparse, .one_step = true};
    tml_status st = tmli_object_create(&FIELDS, sys, s, err);
    if (st == TML_OK) st = tmli_weights_create(sys, opt, &s->weights, err);
    if (st == TML_OK) st = tmli_reduction_create(sys, opt, true, &s->count, &s->red, err);
    if (st == TML_OK && s->descriptor && !s->sparse && !tmli_reduction_is_exact(s->red))
        st = tmli_fail(err, TML_ERR_ARG,
                       "jacobian full needs the derivatives of the constraints, which this system does not "
                       "give: use jacobian exact");
    s->independent = st == TML_OK && scheme->iteration == TMLI_ITERATION_STATE_SPACE &&
                     tmli_reduction_has_independent_equations(s->red);
    if (st != TML_OK) {
        tmli_statespace_destroy(s);
        return st;
    }
    *self = s;
    return TML_OK;
}

// ---- the chart --------------------------------------------------------------------------------------------

// Set the chart at x, once for all trials from there. J1 and J2 are transformed if the basis changes.
static tml_status centre_chart(tmli_statespace *s, tml_error *err)
{
    if (s->centred) return TML_OK;
    bool changed = false;
    tml_status st = tmli_reduction_begin(s->red, s->x, &changed, err);
    if (st != TML_OK) return st;
    const int dof = tmli_reduction_dof(s->red);
    const bool transformable = s->known_J && dof == s->dof && !s->descriptor && !s->independent;
    if (changed && transformable) {
        s->known_J =
            tmli_reduction_transform_matrix(s->red, s->J1) && tmli_reduction_transform_matrix(s->red, s->J2);
        s->factored = 0;
    }
    if ((dof != s->dof || (changed && !transformable)) && !s->sparse) s->known_J = false;
    s->dof = dof;
    st = tmli_statespace_reserve(s, err);
    if (st != TML_OK) return st;
    tmli_reduction_velocity(s->red, s->x, s->vd0);
    tmli_statespace_acceleration(s, s->x, s->a0);
    if (s->h_last > 0) tmli_statespace_transform_last_step(s);
    if (s->sys->m > 0 && !s->opt.fixed_step) {
        st = tmli_active_rows(s->sys, s->work, s->x, s->rows, err);
        if (st != TML_OK) return st;
        tmli_kernel_units(s->sys, s->rows, s->unit);
    }
    s->fresh = false;
    s->centred = true;
    return TML_OK;
}

// ---- start ------------------------------------------------------------------------------------------------

// Accelerations at time e after the start, on the motion that begins there, lifted to all coordinates.
static bool accelerations_after(tmli_statespace *s, double e, double *out)
{
    for (int i = 0; i < s->dof; i++) {
        s->v[i] = e * s->vd0[i] + e * e / 2 * s->a0[i];
        s->vd[i] = s->vd0[i] + e * s->a0[i];
    }
    tml_state *y = s->trial;
    tml_state_copy(y, s->x);
    if (tmli_reduction_solve_dependent(s->red, s->x->t + e, s->v, s->vd, y, NULL) != TML_OK) return false;
    if (tmli_reduction_accelerate(s->red, y, s->dz, NULL) != TML_OK) return false;
    tmli_reduction_lift(s->red, s->dz, out);
    return true;
}

// Rate of the motion at a start: the typical one, or the one that the k-th derivatives of the velocity, k =
// 2 and 3, give for a vibration as large as the velocities, (derivative/velocity)^(1/k). A force that has
// just set in shows only there. Differences use later times only, since a law of force need not have values
// before its start.
static void find_rate(tmli_statespace *s)
{
    double *near = s->full, *far = s->other, *here = s->moved;
    s->rate = tmli_weights_with_states(&s->weights, tmli_weights_rate(&s->weights));
    const double e = TMLI_START_DIFFERENCE / s->rate;
    if (!accelerations_after(s, e, near) || !accelerations_after(s, 2 * e, far)) return;
    tmli_reduction_lift(s->red, s->a0, here);
    double fastest = s->rate;
    for (int j = 0; j < s->sys->n; j++) {
        const double speed = tmli_weights_velocity(&s->weights, j) / fmax(s->opt.run.atol, s->opt.run.rtol);
        const double second = (4 * near[j] - far[j] - 3 * here[j]) / (2 * e),
                     third = (far[j] - 2 * near[j] + here[j]) / (e * e);
        fastest = fmax(fastest, fmax(sqrt(fabs(second) / speed), cbrt(fabs(third) / speed)));
    }
    if (isfinite(fastest)) s->rate = fastest;
}

tml_status tmli_statespace_start(void *self, const tml_state *x, tml_error *err)
{
    tmli_statespace *s = self;
    tml_state_copy(s->x, x);
    tml_state_copy(s->previous, x);
    tml_state_copy(s->trial, x);
    tml_state_copy(s->probe, x);
    memset(s->smooth, 0, (size_t)s->sys->n * sizeof(double));
    s->h_last = 0;
    s->defect = s->last_defect = s->h_defect = 0;
    s->distance = s->last_distance = 0;
    tmli_step_start(&s->control);
    s->centred = false;
    s->stale = true;
    s->ageing = 1;
    for (int i = 0; i < TMLI_DIRK_STAGES; i++) s->eta[i] = 1;
    tmli_weights_start(&s->weights, x);
    tml_status st = centre_chart(s, err);
    // the sparse matrix gets its memory here; steps evaluate it anew
    if (st == TML_OK && s->descriptor && !s->known_J)
        st = tmli_reduction_descriptor_factor(s->red, s->x, 0, 0, err);
    if (st == TML_OK && !s->opt.fixed_step) find_rate(s);
    return st;
}

// The accelerations at x and, for prediction and estimate, those of the last step jump with the inputs.
// Errors of x in very fast modes are enlarged alike with old and new inputs and cancel in the jump.
tml_status tmli_statespace_inputs_changed(void *self, const tml_state *x, tml_error *err)
{
    tmli_statespace *s = self;
    tml_state *y = s->trial, *before = s->probe;
    double *jump = s->known_z;
    tml_status st = centre_chart(s, err);
    if (st != TML_OK) return st;
    memset(s->v, 0, (size_t)s->dof * sizeof(double));
    tml_state_copy(y, s->x);
    st = tmli_reduction_solve_dependent(s->red, s->x->t, s->v, s->vd0, y, err);
    if (st == TML_OK) st = tmli_reduction_accelerate(s->red, y, s->dz, err);
    tml_state_copy(before, y);
    tmli_state_copy_inputs(s->x, x);
    tmli_state_copy_inputs(y, x);
    if (st == TML_OK) st = tmli_reduction_accelerate(s->red, y, jump, err);
    if (st != TML_OK) return st;
    for (int q = 0; q < s->dof; q++) {
        jump[q] -= s->dz[q];
        s->a0[q] += jump[q];
        s->a_before[q] += jump[q];
        s->a_half[q] += jump[q];
    }
    for (int j = 0; j < s->sys->n; j++) s->x->udot[j] += y->udot[j] - before->udot[j];
    for (int r = 0; r < s->sys->m; r++) s->x->lambda[r] += y->lambda[r] - before->lambda[r];
    return TML_OK;
}

// The step whose error is allowed if all of the motion has this rate, and a part of it: growing is cheaper
// than a rejection.
double tmli_statespace_first_step(void *self)
{
    tmli_statespace *s = self;
    const double T = s->opt.duration, w = s->rate, tol = fmax(s->opt.run.atol, s->opt.run.rtol);
    const double wh = pow(TMLI_STEP_SHARE * tol / (s->scheme->constant * w * T), 1.0 / s->scheme->order);
    return fmin(T / TMLI_FIRST_STEPS_PER_RUN, TMLI_FIRST_STEP_PART * fmin(wh, 1) / w);
}

// ---- step -------------------------------------------------------------------------------------------------

// Set the allowed errors of a step of size h.
static void set_allowed_errors(tmli_statespace *s, double h)
{
    const tml_system *sys = s->sys;
    const double rate = tmli_weights_rate(&s->weights);
    sys->ops->local(sys->self, s->weights.q_start, s->x->q, s->moved);
    for (int j = 0; j < sys->n; j++) {
        const double unit = tmli_weights_unit(&s->weights, j);
        const bool judged = sys->kind[j] != TML_COORDINATE_STATE;
        s->wq[j] = s->opt.fixed_step && judged ? FIXED_STEP_ERROR * unit
                                               : tmli_weights_step_position(&s->weights, j, s->moved, h);
        s->wu[j] = s->opt.fixed_step ? FIXED_STEP_ERROR * unit * rate
                                     : tmli_weights_step_velocity(&s->weights, j, h);
    }
}

double tmli_statespace_size(const tmli_statespace *s, double g, const double *du)
{
    double worst = 0;
    for (int j = 0; j < s->sys->n; j++) {
        const double size = fabs(du[j]) * fmax(1 / s->wu[j], g / s->wq[j]);
        if (!(size <= worst)) worst = size;
    }
    return worst;
}

// Option estimate: embedded. The distance of the embedded formula as it is, a root mean square over the
// independent positions and velocities relative to atol + rtol times their size (thesis (4.6), (4.7)), all of
// the tolerance for every step. With tangent coordinates over all coordinates.
static double embedded_error(tmli_statespace *s)
{
    const bool partition = s->dof > 0 && tmli_reduction_column(s->red, 0) >= 0;
    const int count = partition ? s->dof : s->sys->n;
    double sum = 0;
    tmli_reduction_lift(s->red, s->e1, s->full);
    tmli_reduction_lift(s->red, s->e2, s->other);
    for (int k = 0; k < count; k++) {
        const int j = partition ? tmli_reduction_column(s->red, k) : k;
        const double q = s->full[j] / tmli_weights_position(&s->weights, j, s->moved),
                     u = s->other[j] / tmli_weights_velocity(&s->weights, j);
        sum += q * q + u * u;
    }
    return count > 0 ? sqrt(sum / (2 * count)) : 0;
}

// Power of h of the error that the step controller sees: per unit step, or that of the embedded formula.
static int error_power(const tmli_statespace *s)
{
    if (!s->embedded) return s->scheme->order;
    return s->scheme->table && s->scheme->table->explicit_first ? 2 : s->scheme->estimate_order;
}

// Error of the step over its allowed error, from e1 and e2 (filtered) and the defect.
static tml_status estimate_error(tmli_statespace *s, double h, double *error, tml_error *err)
{
    if (s->embedded) {
        *error = embedded_error(s);
        return isfinite(*error)
                   ? TML_OK
                   : tmli_fail(err, TML_RETRY, "the error estimate is not finite at t = %g s", s->x->t + h);
    }
    const tmli_scheme *c = s->scheme;
    const bool same = c->estimate_order == c->order + 1;
    const double tol = fmax(s->opt.run.atol, s->opt.run.rtol), budget = tmli_weights_budget(&s->weights, h);
    double worst = 0;
    tmli_reduction_lift(s->red, s->e1, s->full);
    tmli_reduction_lift(s->red, s->e2, s->other);
    for (int j = 0; j < s->sys->n; j++) {
        const double wq = same ? s->wq[j] : tmli_weights_position(&s->weights, j, s->moved);
        const double wu = same ? s->wu[j] : tmli_weights_velocity(&s->weights, j);
        const double q = fabs(s->full[j]) / wq, u = fabs(s->other[j]) / wu;
        if (!(q <= worst)) worst = q;
        if (!(u <= worst)) worst = u;
    }
    // stages of a Rosenbrock method are filtered already: a second filter hides the errors of stiff states
    for (int j = tmli_mechanical(s->sys); j < s->sys->n; j++)
        worst =
            fmax(worst, fabs(s->unfiltered[j]) / (same ? s->wu[j] : tmli_weights_velocity(&s->weights, j)));
    *error = c->safety * worst;
    if (!same)
        *error =
            c->safety * c->convert * pow(worst * tol, (c->order + 1.0) / c->estimate_order) / (tol * budget);
    s->distance = *error;
    if (s->defect > *error) *error = s->defect;
    if (!isnan(*error)) return TML_OK;
    return tmli_fail(err, TML_RETRY, "the error estimate is not finite at t = %g s", s->x->t + h);
}

tml_status tmli_statespace_step(void *self, double h, double *error, tml_error *err)
{
    tmli_statespace *s = self;
    s->h_trial = h;
    tml_status st = centre_chart(s, err);
    if (st != TML_OK) return st;
    set_allowed_errors(s, h);
    st = s->scheme->advance(s, h, err);
    if (st == TML_OK) st = tmli_state_check_branch(s->sys, s->work, s->trial, err);
    if (st == TML_OK) st = tmli_reduction_project_velocity(s->red, s->trial, err);
    if (st != TML_OK) tmli_step_failed(&s->control, h);
    if (st != TML_OK) return st;
    *error = 0;
    tmli_statespace_set_dense(s);
    if (s->opt.fixed_step) return TML_OK;
    double miss = 0;
    st = estimate_error(s, h, error, err);
    if (st != TML_OK || s->embedded) return st;
    st = tmli_statespace_check_dense(s, &miss, err);
    // of the power 6 of h, converted to that of errors per unit step
    miss = pow(miss / (DENSE_OUTPUT_ERROR * fmax(s->opt.run.atol, s->opt.run.rtol)), s->scheme->order / 6.0);
    if (st == TML_OK) *error = fmax(*error, miss);
    return st;
}

void tmli_statespace_accept(void *self, double t)
{
    tmli_statespace *s = self;
    const tml_system *sys = s->sys;
    s->trial->t = t;
    if (sys->ops->accept) sys->ops->accept(sys->self, s->work, s->trial);
    tml_state *oldest = s->previous;
    s->previous = s->x;
    s->x = s->trial;
    s->trial = oldest;
    double *smooth = s->smooth;
    s->smooth = s->smooth_trial;
    s->smooth_trial = smooth;
    for (int i = 0; i < 4; i++) {
        double *poly = s->poly[i];
        s->poly[i] = s->poly_trial[i];
        s->poly_trial[i] = poly;
    }
    s->h_last = s->h_trial;
    s->centred = false;
    s->age++;
    if (s->contraction > EVALUATE_RATE) s->stale = true;
    tmli_weights_track(&s->weights, s->x);
    s->count.steps++;
}

// The defect of the last accepted step as it would be in this one. Errors per unit step are of the power
// `order` of h. Where motion decays they fall although steps grow: the distance of the embedded method, which
// is converted to the same power, shows it.
static double last_defect_now(const tmli_statespace *s, double h)
{
    if (s->h_defect == 0) return 0;
    const double grown = pow(h / s->h_defect, s->scheme->order);
    return s->last_defect * (s->last_distance > 0 ? fmin(grown, s->distance / s->last_distance) : grown);
}

// A defect changes its sign along the motion and vanishes there, so that of the last step counts as well.
double tmli_statespace_next_step(void *self, double h, double error, bool accepted)
{
    tmli_statespace *s = self;
    const double before = last_defect_now(s, h);
    if (accepted) {
        s->last_defect = s->defect;
        s->last_distance = s->distance;
        s->h_defect = h;
    }
    return tmli_step_next(&s->control, h, fmax(error, before), error_power(s), accepted);
}

const tml_state *tmli_statespace_state(const void *self) { return ((const tmli_statespace *)self)->x; }
void tmli_statespace_counters(const void *self, tml_counters *out)
{
    *out = ((const tmli_statespace *)self)->count;
}

// The matrices, in the memory that the archived number of degrees of freedom needs.
static void archive_matrices(tmli_statespace *s, tml_archive *a)
{
    int capacity = (int)s->capacity;
    const int dof = s->dof;
    tml_error err = {0};
    tml_archive_indices(a, &capacity, 1, 0, s->sys->n);
    if (tml_archive_reading(a) && tml_archive_status(a) == TML_OK) {
        s->dof = capacity;
        if (tmli_statespace_reserve(s, &err) != TML_OK) tml_archive_fail(a, err.status, err.msg);
        s->dof = dof;
    }
    if (tml_archive_status(a) != TML_OK) return;
    tml_archive_doubles(a, s->J1, 4 * s->capacity * s->capacity);  // with J2, S and Mr
    tml_archive_indices(a, s->pivot, s->capacity, 0, (int)s->capacity);
}

void tmli_statespace_archive(void *self, tml_archive *a)
{
    tmli_statespace *s = self;
    archive_matrices(s, a);  // new ones are neither known nor factored: flags follow
    tmli_object_archive(&FIELDS, s->sys, s, a);
    tml_counters_archive(&s->count, a);
    tmli_reduction_archive(s->red, a);
    tmli_weights_archive(&s->weights, NULL, a);
    tmli_step_archive(&s->control, a);
}
