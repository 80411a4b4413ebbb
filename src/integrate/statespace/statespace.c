// The frame of the one-step methods for reduced equations: creation, start, a step with its error, step size.
#include "integrate/statespace/statespace.h"
#include "consistency/scaling.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Wanted value of the error of a step in units of what is allowed; a step is rejected above 1.
static const double SETPOINT = 0.5;
// Wanted relative error of velocities at fixed steps: round-off, if the step is as long as the motion allows.
static const double FIXED = 1e-13;
// Half-way through a step the dense output may miss the constraints by this many tolerances, before it is
// projected. It is the only bound where all motion is driven; elsewhere the error of the motion is much
// stricter.
static const double BETWEEN = 0.1;
// J1 and J2 are evaluated anew before the next step where Newton's method contracts worse than this. Lower:
// more evaluations of derivatives, fewer iterations. An evaluation costs about as much as five iterations.
static const double KEEP = 0.05;
// Changes of the step size below this share are not made where they cost a sparse factorization. Higher:
// fewer of these, and errors that scatter more about their wanted value.
static const double KEEP_STEP = 0.1;

// ---- creation ---------------------------------------------------------------------------------------------

void tmli_statespace_destroy(void *self)
{
    tmli_statespace *s = self;
    if (!s) return;
    const tml_system *sys = s->sys;
    tmli_reduction_destroy(s->red);
    tmli_weights_clear(&s->weights);
    tml_state_destroy(s->x, sys);
    tml_state_destroy(s->previous, sys);
    tml_state_destroy(s->trial, sys);
    tml_state_destroy(s->probe, sys);
    if (s->work) sys->ops->destroy_work(s->work);
    tmli_free(&sys->env, s->J1);
    tmli_free(&sys->env, s->pivot);
    tmli_free(&sys->env, s->block);
    tmli_free(&sys->env, s);
}

static double *take(double **block, size_t count)
{
    double *p = *block;
    *block += count;
    return p;
}

static tml_status create_arrays(tmli_statespace *s, tml_error *err)
{
    const tml_system *sys = s->sys;
    const size_t n = (size_t)sys->n, m = (size_t)sys->m, entries = (size_t)sys->rowptr[sys->m];
    s->block = tmli_calloc(&sys->env, n * (30 + 2 * TMLI_DIRK_STAGES) + entries + n + 2 * m, sizeof(double));
    if (!s->block) return tmli_no_memory(err, s->scheme->name);
    double *p = s->block;
    double **const vectors[] = {&s->vd0,
                                &s->a0,
                                &s->a_before,
                                &s->a_half,
                                &s->v,
                                &s->vd,
                                &s->e1,
                                &s->e2,
                                &s->dz,
                                &s->known,
                                &s->reach,
                                &s->Jt,
                                &s->wq,
                                &s->wu,
                                &s->full,
                                &s->other,
                                &s->moved,
                                &s->d,
                                &s->d1,
                                &s->d2,
                                &s->poly[0],
                                &s->poly[1],
                                &s->poly[2],
                                &s->poly[3],
                                &s->poly_trial[0],
                                &s->poly_trial[1],
                                &s->poly_trial[2],
                                &s->poly_trial[3],
                                &s->smooth,
                                &s->smooth_trial};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = take(&p, n);
    for (int i = 0; i < TMLI_DIRK_STAGES; i++) {
        s->z[i] = take(&p, n);
        s->k[i] = take(&p, n);
    }
    s->rows = take(&p, entries);
    s->unit = take(&p, n + m);
    s->phi = take(&p, m);
    return TML_OK;
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
    tml_status st = create_arrays(s, err);
    if (st == TML_OK) st = tml_state_create(sys, &s->x, err);
    if (st == TML_OK) st = tml_state_create(sys, &s->previous, err);
    if (st == TML_OK) st = tml_state_create(sys, &s->trial, err);
    if (st == TML_OK) st = tml_state_create(sys, &s->probe, err);
    if (st == TML_OK) st = tmli_weights_create(sys, opt, &s->weights, err);
    if (st == TML_OK) st = tmli_reduction_create(sys, opt, &s->count, &s->red, err);
    if (st == TML_OK && !(s->work = sys->ops->create_work(sys->self, &sys->env)))
        st = tmli_no_memory(err, scheme->name);
    if (st != TML_OK) {
        tmli_statespace_destroy(s);
        return st;
    }
    *self = s;
    return TML_OK;
}

// ---- the chart --------------------------------------------------------------------------------------------

// Put the chart at x, once for all trials from there. What is kept of J goes with a change of basis.
static tml_status centre(tmli_statespace *s, tml_error *err)
{
    if (s->centred) return TML_OK;
    bool changed = false;
    tml_status st = tmli_reduction_begin(s->red, s->x, &changed, err);
    if (st != TML_OK) return st;
    const int dof = tmli_reduction_dof(s->red);
    const bool carried = s->known_J && dof == s->dof && !s->scheme->descriptor;
    if (changed && carried) {
        s->known_J =
            tmli_reduction_transform_matrix(s->red, s->J1) && tmli_reduction_transform_matrix(s->red, s->J2);
        s->factored = 0;
    }
    if (dof != s->dof && !s->scheme->descriptor) s->known_J = false;
    s->dof = dof;
    st = tmli_statespace_reserve(s, err);
    if (st != TML_OK) return st;
    tmli_reduction_velocity(s->red, s->x, s->vd0);
    tmli_statespace_acceleration(s, s->x, s->a0);
    if (s->h_last > 0) tmli_statespace_look_back(s);
    if (s->sys->m > 0 && !s->opt.fixed_step) {
        st = s->sys->ops->rows(s->sys->self, s->work, s->x, s->rows, err);
        if (st != TML_OK) return st;
        tmli_kernel_units(s->sys, s->rows, s->unit);
    }
    s->fresh = false;
    s->centred = true;
    return TML_OK;
}

// ---- start ------------------------------------------------------------------------------------------------

// Accelerations a time e after the start, on the motion that begins there; lifted to all coordinates.
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

// Rate of the motion at a start: the typical one, or what the k-th derivatives of the velocity, k = 2 and 3,
// say about a vibration as large as the velocities, (derivative/velocity)^(1/k). A force that has just set in
// shows only there. Differences to later times, since a law of force need not have values before its begin.
static void find_rate(tmli_statespace *s)
{
    double *near = s->full, *far = s->other, *here = s->moved;
    s->rate = tmli_weights_rate(&s->weights);
    const double e = 1e-4 / s->rate;
    if (!accelerations_after(s, e, near) || !accelerations_after(s, 2 * e, far)) return;
    tmli_reduction_lift(s->red, s->a0, here);
    double fastest = s->rate;
    for (int j = 0; j < s->sys->n; j++) {
        const double speed = tmli_weights_velocity(&s->weights, j) / fmax(s->opt.atol, s->opt.rtol);
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
    s->h_limit = INFINITY;
    s->centred = false;
    s->stale = true;
    s->ageing = 1;
    for (int i = 0; i < TMLI_DIRK_STAGES; i++) s->eta[i] = 1;
    tmli_weights_start(&s->weights, x);
    tml_status st = centre(s, err);
    // the sparse matrix gets its memory here; steps make it anew
    if (st == TML_OK && s->scheme->descriptor && !s->known_J)
        st = tmli_reduction_descriptor_factor(s->red, s->x, 0, 0, err);
    if (st == TML_OK && !s->opt.fixed_step) find_rate(s);
    return st;
}

// All of the motion at its rate, and a part of the step that gives: growing is cheaper than a rejection.
double tmli_statespace_first_step(void *self)
{
    tmli_statespace *s = self;
    const double T = s->opt.duration, w = s->rate, tol = fmax(s->opt.atol, s->opt.rtol);
    const double wh = pow(0.6 * tol / (s->scheme->constant * w * T), 1.0 / s->scheme->order);
    return fmin(T / 100, 0.25 * fmin(wh, 1) / w);
}

// ---- step -------------------------------------------------------------------------------------------------

// What corrections and errors of a step of size h are judged by.
static void allow(tmli_statespace *s, double h)
{
    const tml_system *sys = s->sys;
    const double rate = tmli_weights_rate(&s->weights);
    sys->ops->local(sys->self, s->weights.q_start, s->x->q, s->moved);
    for (int j = 0; j < sys->n; j++) {
        const double unit = tmli_weights_unit(&s->weights, j);
        s->wq[j] = s->opt.fixed_step ? FIXED * unit : tmli_weights_step_position(&s->weights, j, s->moved, h);
        s->wu[j] = s->opt.fixed_step ? FIXED * unit * rate : tmli_weights_step_velocity(&s->weights, j, h);
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

// e1 and e2, filtered, over the tolerance, and from that the error over what the step may use.
static tml_status judge(tmli_statespace *s, double h, double *error, tml_error *err)
{
    const tmli_scheme *c = s->scheme;
    const bool same = c->estimate_order == c->order + 1;
    const double tol = fmax(s->opt.atol, s->opt.rtol), budget = tmli_weights_budget(&s->weights, h);
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
    *error = c->safety * worst;
    if (!same)
        *error =
            c->safety * c->convert * pow(worst * tol, (c->order + 1.0) / c->estimate_order) / (tol * budget);
    if (s->defect > *error) *error = s->defect;
    if (!isnan(*error)) return TML_OK;
    return tmli_fail(err, TML_RETRY, "the error estimate is not finite at t = %g s", s->x->t + h);
}

tml_status tmli_statespace_step(void *self, double h, double *error, tml_error *err)
{
    tmli_statespace *s = self;
    s->h_trial = h;
    tml_status st = centre(s, err);
    if (st != TML_OK) return st;
    allow(s, h);
    st = s->scheme->advance(s, h, err);
    if (st != TML_OK) s->h_limit = 0.6 * h;
    if (st != TML_OK) return st;
    *error = 0;
    tmli_statespace_set_dense(s);
    if (s->opt.fixed_step) return TML_OK;
    double miss = 0;
    st = judge(s, h, error, err);
    if (st == TML_OK) st = tmli_statespace_between(s, &miss, err);
    // of the power 6 of h: brought to that of errors per unit step
    miss = pow(miss / (BETWEEN * fmax(s->opt.atol, s->opt.rtol)), s->scheme->order / 6.0);
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
    s->h_limit *= 1.05;
    s->centred = false;
    s->age++;
    if (s->contraction > KEEP) s->stale = true;
    tmli_weights_track(&s->weights, s->x);
    s->count.steps++;
}

// Error per unit step is of the power `order` of h. A defect changes its sign along the motion and vanishes
// there: that of the step before counts as well.
double tmli_statespace_next_step(void *self, double h, double error, bool accepted)
{
    tmli_statespace *s = self;
    const double before = s->h_defect > 0 ? s->last_defect * pow(h / s->h_defect, s->scheme->order) : 0;
    const double factor = pow(SETPOINT / fmax(fmax(error, before), 1e-8), 1.0 / s->scheme->order);
    if (accepted) {
        s->last_defect = s->defect;
        s->h_defect = h;
    }
    if (!accepted) return h * fmin(0.7, fmax(0.2, factor));
    // a factorization is worth more; as much below as above, or errors stay below what they should be
    if (s->scheme->descriptor && factor > 1 - KEEP_STEP && factor < 1 + KEEP_STEP) return h;
    return fmin(h * fmin(4, fmax(0.3, factor)), s->h_limit);
}

const tml_state *tmli_statespace_state(const void *self) { return ((const tmli_statespace *)self)->x; }
const tml_counters *tmli_statespace_counters(const void *self)
{
    return &((const tmli_statespace *)self)->count;
}
