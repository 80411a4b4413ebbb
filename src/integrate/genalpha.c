// The generalized-alpha scheme for constrained systems on R^3 x SO(3), index 3, after Arnold and Bruels.
//
//   D      = h u_i + h^2 [(1/2 - beta) a_i + beta a_f],     q_f = q_i (+) D               (1)
//   u_f    = u_i + h [(1 - gamma) a_i + gamma a_f]                                        (2)
//   (1 - am) a_f + am a_i = (1 - af) udot_f + af udot_i                                   (3)
//   M udot_f + B'lambda_f = f,  Phi(q_f) = 0    at t + h                                  (4)
//   am = (2 rho - 1)/(rho + 1),  af = rho/(rho + 1),  gamma = 1/2 - am + af,  beta = (gamma + 1/2)^2/4
//
// Eliminating a_f by (3) gives D and u_f as affine functions of udot_f with slopes c8 and c7 (Dymore manual, eqs. 9-13),
// hence a0 = 1/c8, a1 = c7/c8 in the kernel.
//
// `a` is not udot: it approximates udot at t + (am - af) h. So it starts as udot_0 + (am - af) h jerk_0 (else the
// multipliers are first order in a start-up transient), and when h changes its distance from udot changes in proportion.
// The jerk at the start comes from central differences of the index-1 accelerations along the motion.
//
// In the constrained directions the velocities carry a standing error: (1) reaches the constraint although its own error
// is Cq h^3 v', so B u - nu = Cq h^2 B v' while h is constant. When h changes to h', this must become h'^2/h^2 times what
// it was, else the accelerations have to make up for it by (h^2 - h'^2)/h' v', which upsets multipliers and error
// estimate. So a step of a new size starts from u + P y with B P y = y = (h'^2/h^2 - 1)(B u - nu), and the first step from
// y = h^2 B (Cq jerk_0 + c/12): the perturbed starting values of Arnold, Bruels and Cardona, the last term being the part
// of D of third order that comes from the retraction and (1) has not.                                     (7)
//
// Local error, for smooth accelerations v = udot, theta = am - af:
//   D: Cq h^3 v' + h^3 c/12,   Cq = 1/6 - theta/2 - beta,  c = [u, v] + 4 Q(u, u, u)      (5)
//      from D' = inverse(T(D)) u with inverse(T(x)) y = y + [x, y]/2 + Q(x, x, y) + ...: exponential map of SO(3):
//      c = w x wdot, Q(u, u, u) = 0; Cayley's map has Q(w, w, w) = |w|^2 w/4: a turn by a is 2 tan(a/2), not a
//   u: Cu h^3 v'',  Cu = 1/6 - theta^2/2 - kappa - gamma (1 + 2 theta)/2                  (6)
//      kappa = [(1 - af) - (1 - am)(1 + 2 theta) - theta^2]/2   (second-order part of a)
// with v', v'' from divided differences of the accelerations. A step is accepted if both are within the tolerance
// times h/duration (error per unit step): then the error at the end is proportional to the tolerance.
//
// References: M. Arnold, O. Bruels, Multibody Syst. Dyn. 18 (2007) 185-202; O. Bruels, A. Cardona, M. Arnold, Mech.
// Mach. Theory 48 (2012) 121-137; J. Chung, G. Hulbert, J. Appl. Mech. 60 (1993) 371-375.
#include "integrate/consistent.h"
#include "integrate/kernel.h"
#include "integrate/methods.h"
#include "integrate/weights.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct genalpha {
    const tml_system *sys;
    tml_integrator_options opt;
    tml_counters count;
    tmli_kernel kernel;
    tmli_consistent consistent;
    tmli_weights weights;
    double am, af, beta, gamma;       // of the scheme
    double cq, cu;                    // (5), (6)
    double h_last;                    // size of the last accepted step; 0 after a start
    double h_trial;                   // of the step under trial (not t1 - t0, which is rounded)
    double h_dense;                   // of the last accepted step, for the dense output
    tml_state *x, *trial, *previous;  // accepted, under trial, and the one before (for dense output)
    double *shift;                    // (n) (a - udot)/h at x
    double *trial_shift;
    double *jerk;      // (n) v' over the last step (at a start: at x)
    double *jounce;    // (n) v'' at a start
    double *standing;  // (n) P (B u - nu) of (7) at x; at a start: P B (Cq jerk + c/12)
    bool standing_known;
    double *D, *D_last;                            // (n) increment of the trial and of the last accepted step
    double error_last;                             // of the last accepted step
    double *lambda_rate;                           // (m) over the last step, to predict
    double *phi, *along, *first, *second, *taken;  // (m), then (n): scratch
} genalpha;

static void destroy(void *self)
{
    genalpha *g = self;
    if (!g) return;
    const tml_system *sys = g->sys;
    tmli_kernel_clear(&g->kernel);
    tmli_consistent_clear(&g->consistent);
    tmli_weights_clear(&g->weights);
    tml_state_destroy(g->x, sys);
    tml_state_destroy(g->trial, sys);
    tml_state_destroy(g->previous, sys);
    tmli_free(&sys->env, g->shift);
    tmli_free(&sys->env, g);
}

static void set_scheme(genalpha *g)
{
    const double rho = g->opt.rho;
    g->am = (2 * rho - 1) / (rho + 1);
    g->af = rho / (rho + 1);
    g->gamma = 0.5 - g->am + g->af;
    g->beta = (g->gamma + 0.5) * (g->gamma + 0.5) / 4;
    const double theta = g->am - g->af;
    const double kappa = ((1 - g->af) - (1 - g->am) * (1 + 2 * theta) - theta * theta) / 2;
    g->cq = 1.0 / 6 - theta / 2 - g->beta;
    g->cu = 1.0 / 6 - theta * theta / 2 - kappa - g->gamma * (1 + 2 * theta) / 2;
}

static tml_status create(const tml_system *sys, const tml_integrator_options *opt, void **self, tml_error *err)
{
    *self = NULL;
    if (!isnan(opt->rho) && !(opt->rho >= 0 && opt->rho <= 1))
        return tmli_fail(err, TML_ERR_ARG, "rho = %g is outside of its range 0 .. 1", opt->rho);
    genalpha *g = tmli_calloc(&sys->env, 1, sizeof *g);
    if (!g) return tmli_no_memory(err, "genalpha");
    g->sys = sys;
    g->opt = *opt;
    if (isnan(opt->rho)) g->opt.rho = 0.8;
    set_scheme(g);
    const size_t n = (size_t)sys->n;
    g->shift = tmli_calloc(&sys->env, 11 * n + 2 * (size_t)sys->m, sizeof(double));
    tml_status st = g->shift ? TML_OK : tmli_no_memory(err, "genalpha");
    if (st == TML_OK) st = tml_state_create(sys, &g->x, err);
    if (st == TML_OK) st = tml_state_create(sys, &g->trial, err);
    if (st == TML_OK) st = tml_state_create(sys, &g->previous, err);
    if (st == TML_OK) st = tmli_kernel_create(sys, opt, &g->count, &g->kernel, err);
    if (st == TML_OK) st = tmli_consistent_create(sys, opt->solver, &g->consistent, err);
    if (st == TML_OK) st = tmli_weights_create(sys, opt, &g->weights, err);
    if (st != TML_OK) {
        destroy(g);
        return st;
    }
    g->trial_shift = g->shift + n;
    g->jerk = g->trial_shift + n;
    g->jounce = g->jerk + n;
    g->D = g->jounce + n;
    g->D_last = g->D + n;
    g->standing = g->D_last + n;
    g->lambda_rate = g->standing + n;
    g->phi = g->lambda_rate + sys->m;
    g->along = g->phi + sys->m;
    g->second = g->along + n;
    g->taken = g->second + n;
    g->first = g->taken + n;
    *self = g;
    return TML_OK;
}

// ---- start ---------------------------------------------------------------------------------------------------------------

// Accelerations a little later or earlier on the motion: at x (+) (e u + e^2/2 udot).
static tml_status accelerations_near(genalpha *g, double e, double *udot, tml_error *err)
{
    const tml_system *s = g->sys;
    const tml_state *x = g->x;
    tml_state *y = g->trial;
    for (int j = 0; j < s->n; j++) g->D[j] = e * x->u[j] + e * e / 2 * x->udot[j];
    tml_state_copy(y, x);
    y->t = x->t + e;
    s->ops->retract(s->self, x->q, g->D, y->q);
    for (int j = 0; j < s->n; j++) y->u[j] = x->u[j] + e * x->udot[j];
    tml_status st = tmli_consistent_accelerations(&g->consistent, y, err);
    if (st == TML_OK) memcpy(udot, y->udot, (size_t)s->n * sizeof(double));
    return st;
}

// B v for the rows at x: the velocity residual is affine in u.
static tml_status rows_times(genalpha *g, const double *v, double *out, tml_error *err)
{
    const tml_system *s = g->sys;
    tml_state *y = g->trial;
    tml_state_copy(y, g->x);
    memset(y->u, 0, (size_t)s->n * sizeof(double));
    tml_status st = s->ops->velocity(s->self, g->kernel.work, y, g->kernel.rhs, err);
    memcpy(y->u, v, (size_t)s->n * sizeof(double));
    if (st == TML_OK) st = s->ops->velocity(s->self, g->kernel.work, y, out, err);
    for (int r = 0; r < s->m; r++) out[r] -= g->kernel.rhs[r];
    return st;
}

// c of (5): the bracket is twice the odd part of inverse(T), Q its even part. x = u/size keeps the arguments of T small.
static void retraction_term(const genalpha *g, double *c)
{
    const tml_system *s = g->sys;
    const double *u = g->x->u, *v = g->x->udot;
    double *x = g->along, *part = g->taken, size = 1;
    for (int j = 0; j < s->n; j++) size = fmax(size, fabs(u[j]) / tmli_weights_unit(&g->weights, j));
    memset(c, 0, (size_t)s->n * sizeof(double));
    for (int sign = 1; sign >= -1; sign -= 2) {
        for (int j = 0; j < s->n; j++) x[j] = sign * u[j] / size;
        s->ops->tangent_inverse(s->self, x, v, part);
        for (int j = 0; j < s->n; j++) c[j] += sign * size * part[j];
        s->ops->tangent_inverse(s->self, x, u, part);
        for (int j = 0; j < s->n; j++) c[j] += 2 * size * size * (part[j] - u[j]);
    }
}

static tml_status standing_at_start(genalpha *g, tml_error *err)
{
    const tml_system *s = g->sys;
    memset(g->standing, 0, (size_t)s->n * sizeof(double));
    g->standing_known = true;
    if (s->m == 0) return TML_OK;
    double *w = g->second;
    retraction_term(g, w);
    for (int j = 0; j < s->n; j++) w[j] = g->cq * g->jerk[j] + w[j] / 12;
    tml_status st = rows_times(g, w, g->phi, err);
    if (st == TML_OK) tmli_consistent_constrain(&g->consistent, g->phi, g->standing);
    return st;
}

// Jerk, shift and standing error at x from the equations alone, as at a start.
static tml_status begin(genalpha *g, tml_error *err)
{
    const tml_system *s = g->sys;
    const tml_state *x = g->x;
    memset(g->lambda_rate, 0, (size_t)s->m * sizeof(double));
    g->h_last = 0;
    g->kernel.stale = true;
    double rate = 1 / g->opt.duration;
    for (int j = 0; j < s->n; j++)
        rate = fmax(rate, fmax(fabs(x->u[j]) / tmli_weights_unit(&g->weights, j),
                               sqrt(fabs(x->udot[j]) / tmli_weights_unit(&g->weights, j))));
    const double e = 1e-4 / rate;  // truncation e^2, round-off 1e-16/e^2 relative: balanced
    double *later = g->jerk, *earlier = g->jounce;
    tml_status st = accelerations_near(g, e, later, err);
    if (st == TML_OK) st = accelerations_near(g, -e, earlier, err);
    if (st != TML_OK) return st;
    for (int j = 0; j < s->n; j++) {
        const double p = later[j], m = earlier[j];
        g->jerk[j] = (p - m) / (2 * e);
        g->jounce[j] = (p - 2 * x->udot[j] + m) / (e * e);
        g->shift[j] = (g->am - g->af) * g->jerk[j];
    }
    return standing_at_start(g, err);
}

static tml_status start(void *self, const tml_state *x, tml_error *err)
{
    genalpha *g = self;
    tml_state_copy(g->x, x);
    tml_state_copy(g->previous, x);
    memset(g->D_last, 0, (size_t)g->sys->n * sizeof(double));
    g->error_last = 1;
    g->h_dense = 0;
    tmli_weights_start(&g->weights, x);
    return begin(g, err);
}

static double first_step(void *self)
{
    genalpha *g = self;
    const tml_system *s = g->sys;
    const double T = g->opt.duration;
    double h = T / 100;
    for (int j = 0; j < s->n; j++) {
        const double w = g->opt.atol * tmli_weights_unit(&g->weights, j);
        h = fmin(h, sqrt(0.1 * w / (T * fabs(g->cq * g->jerk[j]) + DBL_MIN)));
        h = fmin(
            h, sqrt(0.1 * tmli_weights_velocity(&g->weights, j) / (T * fabs(g->cu * g->jounce[j]) + DBL_MIN)));
        // the force must not change the velocity out of scale within the step
        h = fmin(h, 0.1 * sqrt(tmli_weights_unit(&g->weights, j) / (fabs(g->x->udot[j]) + DBL_MIN)));
    }
    return h;
}

// ---- step ----------------------------------------------------------------------------------------------------------------

// Size of (5) and (6) in units of what the tolerance allows, along the constraints: across them the positions are held
// anyway, the velocities carry (7), and accelerations there carry the round-off of the positions divided by h^2. `leak` is the share of what
// was taken out that may have got through the projection and is not counted.
static tml_status estimate(genalpha *g, double h, double leak, double *error, tml_error *err)
{
    const tml_system *s = g->sys;
    const tml_state *x = g->x, *y = g->trial;
    double *v1 = g->first, *v2 = g->second, *taken = g->taken, *moved = g->along;
    // second difference: with the step before, or with the jerk at a start
    const double span = g->h_last > 0 ? h + g->h_last : h;
    retraction_term(g, v1);
    for (int j = 0; j < s->n; j++) {
        const double jerk = (y->udot[j] - x->udot[j]) / h;
        v2[j] = 2 * (jerk - g->jerk[j]) / span;
        v1[j] = g->cq * jerk + v1[j] / 12;
    }
    tml_status st = s->ops->rows(s->self, g->kernel.work, y, g->kernel.rows, err);
    if (st != TML_OK) return st;
    double worst = 0;
    const double share = tmli_weights_budget(&g->weights, h);
    tmli_kernel_project(&g->kernel, v2, taken);
    for (int j = 0; j < s->n; j++) {
        const double eu = fabs(g->cu) * (fabs(v2[j]) - leak * fabs(taken[j])) * h * h * h;
        worst = fmax(worst, eu / (tmli_weights_velocity(&g->weights, j) * share));
    }
    tmli_kernel_project(&g->kernel, v1, taken);
    s->ops->local(s->self, g->weights.q_start, y->q, moved);
    for (int j = 0; j < s->n; j++) {
        const double eq = (fabs(v1[j]) - leak * fabs(taken[j])) * h * h * h;
        worst = fmax(worst, (eq - DBL_EPSILON * tmli_weights_unit(&g->weights, j)) /
                                (tmli_weights_position(&g->weights, j, moved) * share));
        // (7): the standing error of the velocity across the constraints; it does not add up, so it has no share
        worst = fmax(worst, fabs(taken[j]) * h * h / tmli_weights_velocity(&g->weights, j));
    }
    *error = worst;
    return TML_OK;
}

// Factor of `standing` to be added to the velocities for a step of size h (7).
static tml_status standing_factor(genalpha *g, double h, double a0, double a1, double *factor, tml_error *err)
{
    const tml_system *s = g->sys;
    *factor = 0;
    if (s->m == 0 || h == g->h_last) return TML_OK;
    if (!g->standing_known) {
        // P must be up to date: a wrong direction would be an error of order h^2 along the constraints
        tml_status st = tmli_kernel_refresh(&g->kernel, a0, a1, g->x, err);
        if (st == TML_OK) st = s->ops->velocity(s->self, g->kernel.work, g->x, g->phi, err);
        if (st != TML_OK) return st;
        tmli_kernel_constrain(&g->kernel, g->phi, g->standing);
        g->standing_known = true;
    }
    *factor = g->h_last == 0 ? h * h : h * h / (g->h_last * g->h_last) - 1;
    return TML_OK;
}

static tml_status step(void *self, double h, double *error, tml_error *err)
{
    genalpha *g = self;
    const tml_system *s = g->sys;
    const tml_state *x = g->x;
    tml_state *y = g->trial;
    const double k = 1 / (1 - g->am);
    const double c5 = g->af * k, c6 = -g->am * k, c9 = (1 - g->af) * k;
    const double c1 = g->beta * c5 * h * h, c2 = (0.5 - g->beta * k) * h * h, c8 = g->beta * c9 * h * h;
    const double c3 = g->gamma * c5 * h, c4 = (1 - g->gamma * k) * h, c7 = g->gamma * c9 * h;
    double factor;
    tml_status st = TML_OK;
    // a step cut short to hit a time leaves differences over too small a span: begin anew
    if (g->h_last > 0 && h > 4 * g->h_last) st = begin(g, err);
    if (st == TML_OK) st = standing_factor(g, h, 1 / c8, c7 / c8, &factor, err);
    if (st != TML_OK) return st;
    g->h_trial = h;
    tml_state_copy(y, x);
    y->t = x->t + h;
    for (int j = 0; j < s->n; j++) {
        const double u = x->u[j] + factor * g->standing[j];
        const double v = x->udot[j], a = v + h * g->shift[j], guess = v + h * g->jerk[j];
        y->udot[j] = guess;
        y->u[j] = u + c3 * v + c4 * a + c7 * guess;
        g->D[j] = h * u + c1 * v + c2 * a + c8 * guess;
    }
    for (int r = 0; r < s->m; r++) y->lambda[r] = x->lambda[r] + h * g->lambda_rate[r];
    const tmli_stage stage = {.a0 = 1 / c8, .a1 = c7 / c8, .theta = 1};
    st = tmli_kernel_solve(&g->kernel, x, &stage, tmli_weights_feedback(&g->weights, h),
                           tmli_weights_newton(&g->weights, h), g->D, y, err);
    if (st != TML_OK) return st;
    for (int j = 0; j < s->n; j++) {
        const double a = c5 * x->udot[j] + c6 * (x->udot[j] + h * g->shift[j]) + c9 * y->udot[j];  // (3)
        g->trial_shift[j] = (a - y->udot[j]) / h;
    }
    *error = 0;
    if (g->opt.fixed_step) return TML_OK;
    st = estimate(g, h, 0, error, err);
    if (st != TML_OK || *error <= 1 || s->m == 0) return st;
    // before rejecting, make sure that it is not noise let through by an old matrix
    st = tmli_kernel_refresh(&g->kernel, 1 / c8, c7 / c8, y, err);
    return st == TML_OK ? estimate(g, h, 0.03, error, err) : st;
}

static void accept(void *self, double t)
{
    genalpha *g = self;
    g->trial->t = t;
    const tml_system *s = g->sys;
    const double h = g->h_trial;
    if (s->ops->accept) s->ops->accept(s->self, g->kernel.work, g->trial);
    for (int j = 0; j < s->n; j++) g->jerk[j] = (g->trial->udot[j] - g->x->udot[j]) / h;
    for (int r = 0; r < s->m; r++) g->lambda_rate[r] = (g->trial->lambda[r] - g->x->lambda[r]) / h;
    memcpy(g->shift, g->trial_shift, (size_t)s->n * sizeof(double));
    memcpy(g->D_last, g->D, (size_t)s->n * sizeof(double));
    tml_state *oldest = g->previous;
    g->previous = g->x;
    g->x = g->trial;
    g->trial = oldest;
    g->h_last = g->h_dense = h;
    g->standing_known = false;
    tmli_weights_track(&g->weights, g->x);
    g->count.steps++;
}

// Error per unit step is of order h^2. Proportional-integral control; small changes are not worth the disturbance.
// A disturbance of `a` decays by rho per step and grows with the step (shift), so steps must not grow faster than 1/rho.
static double next_step(void *self, double h, double error, bool accepted)
{
    genalpha *g = self;
    const double e = fmax(error, 1e-6);
    if (!accepted) return h * fmin(0.8, fmax(0.2, 0.8 / sqrt(e)));
    const double factor = 0.85 * pow(e, -0.35) * pow(g->error_last, 0.1);
    g->error_last = e;
    if (factor > 0.95 && factor < 1.15) return h;
    return h * fmin(fmin(2, 0.95 / fmax(g->opt.rho, 0.1)), fmax(0.3, factor));
}

// ---- dense output --------------------------------------------------------------------------------------------------------

// Cubic Hermite of the increment and of the velocities over the last step; the rest linear.
static void interpolate(const void *self, double theta, tml_state *out)
{
    const genalpha *g = self;
    const tml_system *s = g->sys;
    const tml_state *a = g->previous, *b = g->x;
    if (g->h_dense == 0) {
        tml_state_copy(out, b);
        return;
    }
    const double h = g->h_dense, t1 = 1 - theta;
    const double h01 = theta * theta * (3 - 2 * theta), h10 = theta * t1 * t1 * h, h11 = -theta * theta * t1 * h;
    tml_state_copy(out, b);
    memcpy(out->angle, a->angle, (size_t)s->na * sizeof(double));
    out->t = a->t + theta * h;
    double *rate = out->udot, *D = out->u;  // scratch until they get their values
    s->ops->tangent_inverse(s->self, g->D_last, b->u, rate);
    for (int j = 0; j < s->n; j++) D[j] = h01 * g->D_last[j] + h10 * a->u[j] + h11 * rate[j];
    s->ops->retract(s->self, a->q, D, out->q);
    for (int j = 0; j < s->n; j++) {
        out->u[j] = (1 - h01) * a->u[j] + h01 * b->u[j] + h10 * a->udot[j] + h11 * b->udot[j];
        out->udot[j] = t1 * a->udot[j] + theta * b->udot[j];
    }
    for (int r = 0; r < s->m; r++) out->lambda[r] = t1 * a->lambda[r] + theta * b->lambda[r];
}

static const tml_state *state(const void *self) { return ((const genalpha *)self)->x; }
static const tml_counters *counters(const void *self) { return &((const genalpha *)self)->count; }
static double condition(void *self) { return tmli_kernel_condition(&((genalpha *)self)->kernel); }

const tml_method_ops tmli_method_genalpha = {
    .name = "genalpha",
    .summary = "generalized-alpha with adjustable numerical damping (rho)",
    .form = "index 3",
    .stability = "A-stable, spectral radius rho at infinity",
    .citation = "Arnold & Bruels 2007; Chung & Hulbert 1993",
    .order = 2,
    .create = create,
    .start = start,
    .first_step = first_step,
    .step = step,
    .next_step = next_step,
    .accept = accept,
    .interpolate = interpolate,
    .state = state,
    .counters = counters,
    .condition = condition,
    .destroy = destroy,
};
