// Shared parts of the explicit methods; see explicit.h.
#include "integrate/explicit/explicit.h"
#include "integrate/core/chart.h"
#include "integrate/core/step_control.h"
#include "system/state/accepted.h"

#include <math.h>
#include <string.h>

#include "integrate/explicit/constants.h"

// ---- memory -----------------------------------------------------------------------------------------------

const tmli_span tmli_explicit_spans[] = {TMLI_NUMBERS(tmli_explicit, centred, stiff),
                                         TMLI_INDICES(tmli_explicit, dof, dof, 0, TMLI_BY_N, 0),
                                         TMLI_NUMBERS(tmli_explicit, stiff_steps, nonstiff_steps),
                                         TMLI_NUMBERS(tmli_explicit, stiff_low, h_last),
                                         TMLI_KEPT_STATES(tmli_explicit, x, stage),
                                         TMLI_KEPT(tmli_explicit, centre, centre, TMLI_BY_NQ, 1),
                                         TMLI_SCRATCH(tmli_explicit, full, near, TMLI_BY_N, 1),
                                         {0}};

tml_status tmli_explicit_create(const tml_system *sys, const tml_integrator_options *opt,
                                const tmli_fields *fields, size_t size, size_t own, void **method,
                                tml_error *err)
{
    tmli_explicit *e = *method = tmli_calloc(&sys->env, 1, size);
    if (!e) return tmli_no_memory(err, "integrator");
    e->sys = sys;
    e->opt = *opt;
    e->fields = fields;
    e->sizes = tmli_sizes_of(sys);
    e->sizes.of[TMLI_BY_OWN] = own;
    tml_status st = tmli_fields_create(fields, &e->sizes, e, err);
    if (st == TML_OK) st = tmli_weights_create(sys, opt, &e->weights, err);
    if (st == TML_OK) st = tmli_reduction_create(sys, opt, false, &e->count, &e->reduction, err);
    if (st != TML_OK) {
        tmli_explicit_destroy(e);
        *method = NULL;
        return st;
    }
    e->work = tmli_reduction_work(e->reduction);
    e->flat = sys->m == 0 && tmli_chart_is_flat(sys, e->full, e->moved, e->allowed);
    return TML_OK;
}

void tmli_explicit_destroy(tmli_explicit *e)
{
    const tml_env *env = e->sizes.env;
    tmli_reduction_destroy(e->reduction);
    tmli_weights_clear(&e->weights);
    tmli_fields_clear(e->fields, &e->sizes, e);
    tmli_free(env, e);
}

tml_status tmli_explicit_start(tmli_explicit *e, const tml_state *x, tml_error *err)
{
    tml_state_copy(e->x, x);
    tml_state_copy(e->previous, x);
    tml_state_copy(e->stage, x);
    tml_state_copy(e->trial, x);
    e->h_last = 0;
    e->centred = false;
    tmli_step_start(&e->control);
    e->stiff_steps = e->nonstiff_steps = 0;
    tmli_weights_start(&e->weights, x);
    bool changed;
    return tmli_reduction_begin(e->reduction, e->x, &changed, err);  // reports a chart that cannot be built
}

// ---- the chart --------------------------------------------------------------------------------------------

tml_status tmli_explicit_centre(tmli_explicit *e, double *vd, double *a, tml_error *err)
{
    if (e->centred) return TML_OK;
    bool changed;
    tml_status st = tmli_reduction_begin(e->reduction, e->x, &changed, err);
    if (st != TML_OK) return st;
    e->dof = tmli_reduction_dof(e->reduction);
    e->centred = true;
    e->v_accepted = NULL;
    memcpy(e->centre, e->x->q, (size_t)e->sys->nq * sizeof(double));
    tmli_reduction_velocity(e->reduction, e->x, vd);
    // at the centre T is the identity and T' d' = 0: accelerations are split as velocities are
    const size_t n = (size_t)e->sys->n;
    memcpy(e->stage->u, e->x->udot, n * sizeof(double));
    tmli_reduction_velocity(e->reduction, e->stage, a);
    return TML_OK;
}

// Counted angles of x, which is v in the chart. They turn on the way from the last accepted state; if the
// chart is kept, its centre is much farther away.
static void count_angles(const tmli_explicit *e, const double *v, tml_state *x)
{
    const tml_system *s = e->sys;
    if (!e->v_accepted || !s->ops->count || x->na == 0) return;
    for (int j = 0; j < s->n; j++) e->full[j] = v[j] - e->v_accepted[j];
    s->ops->count(s->self, e->x, e->full, x->angle);
}

// Solve for the dependent coordinates. A configuration that cannot be reached from the last one may be
// within reach of the centre, where a second trial begins.
tml_status tmli_explicit_solve_dependent(const tmli_explicit *e, double t, const double *v, const double *vd,
                                         tml_state *x, tml_error *err)
{
    tml_status st = tmli_reduction_solve_dependent(e->reduction, t, v, vd, x, err);
    if (st == TML_RETRY) st = tmli_reduction_solve_dependent(e->reduction, t, v, vd, x, err);
    count_angles(e, v, x);
    return st;
}

tml_status tmli_explicit_evaluate(const tmli_explicit *e, double t, const double *v, const double *vd,
                                  tml_state *x, double *a, tml_error *err)
{
    tml_status st = tmli_explicit_solve_dependent(e, t, v, vd, x, err);
    return st == TML_OK ? tmli_reduction_accelerate(e->reduction, x, a, err) : st;
}

tml_status tmli_explicit_change_inputs(tmli_explicit *e, const tml_state *with, const double *v,
                                       const double *vd, double *a, tml_error *err)
{
    tml_state_copy(e->stage, e->x);
    tmli_state_copy_inputs(e->stage, with);
    const tml_status st = tmli_explicit_evaluate(e, e->x->t, v, vd, e->stage, a, err);
    if (st != TML_OK) return st;
    tmli_state_copy_inputs(e->x, with);
    tmli_state_copy_inputs(e->trial, with);
    memcpy(e->x->udot, e->stage->udot, (size_t)e->sys->n * sizeof(double));
    memcpy(e->x->lambda, e->stage->lambda, (size_t)e->sys->m * sizeof(double));
    return TML_OK;
}

void tmli_explicit_interpolate(const tmli_explicit *e, double theta, const double *v, const double *vd,
                               const double *d, const double *rate, tml_state *out)
{
    const tml_state *a = e->previous, *b = e->x;
    tml_state_copy(out, b);
    tmli_state_copy_accepted(out, a);
    for (int j = 0; j < e->sys->n; j++) out->udot[j] = a->udot[j] + theta * (b->udot[j] - a->udot[j]);
    for (int r = 0; r < e->sys->m; r++) out->lambda[r] = a->lambda[r] + theta * (b->lambda[r] - a->lambda[r]);
    tmli_reduction_solve_dependent_near(e->reduction, a->t + theta * e->h_last, v, vd, d, rate, out);
    count_angles(e, v, out);
}

// ---- errors -----------------------------------------------------------------------------------------------

void tmli_explicit_weigh(tmli_explicit *e, double h, const double *q)
{
    const tml_system *sys = e->sys;
    sys->ops->local(sys->self, e->weights.q_start, q, e->moved);
    const double budget = tmli_weights_budget(&e->weights, h);
    // allowed errors of the step, with round-off, as errors over the whole run
    for (int j = 0; j < sys->n; j++) {
        e->allowed[j] = tmli_weights_step_velocity(&e->weights, j, h) / budget;
        e->moved[j] = tmli_weights_step_position(&e->weights, j, e->moved, h) / budget;
    }
}

double tmli_explicit_error(tmli_explicit *e, const double *y, double p, double s)
{
    double worst = 0;
    tmli_reduction_lift(e->reduction, y, e->full);
    for (int j = 0; j < e->sys->n; j++) {
        const double size = fabs(e->full[j]);
        if (isnan(size)) return size;
        worst = fmax(worst, fmax(size * p / e->moved[j], size * s / e->allowed[j]));
    }
    return worst;
}

double tmli_explicit_convert(const tmli_explicit *e, double h, double worst, double change, int from,
                             double c_from, int to, double c_to)
{
    const double tol = fmax(e->opt.run.atol, e->opt.run.rtol);
    double x = pow(worst * tol / c_from, 1.0 / from);
    if (change > 0) x = fmax(x, fmin(1, pow(worst / (c_from * change), 1.0 / (from - 2))));
    return worst * c_to / c_from * pow(x, to - from) / tmli_weights_budget(&e->weights, h);
}

double tmli_explicit_branch_limit(const tmli_explicit *e)
{
    return BRANCH_TOLERANCES * fmax(e->opt.run.atol, e->opt.run.rtol) + BRANCH_ROUNDOFF;
}
double tmli_explicit_branch_error(double times) { return isnan(times) ? INFINITY : times; }

// ---- first steps and stiffness ----------------------------------------------------------------------------

double tmli_explicit_rate(tmli_explicit *e)
{
    const double rate = tmli_weights_with_states(&e->weights, tmli_weights_rate(&e->weights)),
                 s = TMLI_START_DIFFERENCE / rate;
    double *vd = e->near, *a = e->moved, *v = e->allowed, *later = e->full;
    e->centred = false;
    if (tmli_explicit_centre(e, vd, a, NULL) != TML_OK) return rate;
    e->centred = false;  // vd and a were not for the method
    for (int j = 0; j < e->dof; j++) {
        v[j] = s * vd[j] + s * s / 2 * a[j];
        vd[j] += s * a[j];
    }
    if (tmli_explicit_evaluate(e, e->x->t + s, v, vd, e->stage, later, NULL) != TML_OK) return rate;
    for (int j = 0; j < e->dof; j++) a[j] = (later[j] - a[j]) / s;
    tmli_reduction_lift(e->reduction, a, e->full);
    double fastest = rate;
    for (int j = 0; j < e->sys->n; j++) {
        const double speed = tmli_weights_velocity(&e->weights, j) / fmax(e->opt.run.atol, e->opt.run.rtol);
        fastest = fmax(fastest, sqrt(fabs(e->full[j]) / speed));
    }
    return isfinite(fastest) ? fastest : rate;
}

// Stability keeps steps at the same size, limit/|lambda|. Where steps shrink and grow again while h |lambda|
// is large, the motion passes a peak of the accelerations: accuracy limits them, and an implicit method would
// take the same steps or shorter ones.
void tmli_explicit_check_stiffness(tmli_explicit *e, double h, double h_lambda, double limit)
{
    if (e->stiff) return;
    if (!(h_lambda > limit)) {
        if (++e->nonstiff_steps == NONSTIFF_STEPS) e->stiff_steps = 0;
        return;
    }
    e->nonstiff_steps = 0;
    if (e->stiff_steps == 0) e->stiff_low = e->stiff_high = h;
    e->stiff_low = fmin(e->stiff_low, h);
    e->stiff_high = fmax(e->stiff_high, h);
    if (e->stiff_high > TMLI_CHANGED * e->stiff_low) {
        e->stiff_low = e->stiff_high = h;
        e->stiff_steps = 0;
    }
    if (++e->stiff_steps < STIFF_STEPS) return;
    e->stiff = true;
    if (e->opt.caller_handles_stiffness) return;
    tmli_log(
        &e->sys->env, TML_LOG_WARNING,
        "the problem looks stiff from t = %.4g s on: stability limits the steps of the explicit method to "
        "%.2g s; an implicit one, such as bdf or for-sdirk, or erk8 for fast rotors may be much faster ("
        "'trammel compare')",
        e->x->t, e->h_last);
}

void tmli_explicit_accept(tmli_explicit *e, double t, double h)
{
    const tml_system *sys = e->sys;
    tml_state *oldest = e->previous;
    e->trial->t = t;
    if (sys->ops->accept) sys->ops->accept(sys->self, e->work, e->trial);
    e->previous = e->x;
    e->x = e->trial;
    e->trial = oldest;
    e->h_last = h;
    tmli_state_copy_accepted(e->stage, e->x);
    tmli_state_copy_accepted(e->trial, e->x);
    memcpy(e->trial->mode, e->x->mode, (size_t)sys->nmode * sizeof(double));
    tmli_weights_track(&e->weights, e->x);
    e->count.steps++;
}

void tmli_explicit_archive(tmli_explicit *e, tml_archive *a)
{
    tmli_fields_archive(e->fields, &e->sizes, e, a);
    tml_counters_archive(&e->count, a);
    tmli_reduction_archive(e->reduction, a);
    tmli_weights_archive(&e->weights, NULL, a);
    tmli_step_archive(&e->control, a);
}
