// Diagonally implicit Runge-Kutta methods for reduced equations, in z-form.
//
// Stage i has velocity vd0 + z_i and position v_i, with g = h gamma:
//   z_i = h sum_{j<i} a_ij k_j + g k_i,      v_i = h sum_{j<i} a_ij (vd0 + z_j) + g (vd0 + z_i)           (1)
// The accelerations k_i are solved for and never evaluated at the solution: k_i = (z_i - h sum ...)/g. In
// very fast modes this is exact where an evaluation would enlarge the error that Newton's method left.
//   state-space form        the independent accelerations k_i themselves are corrected, Mr S dk = -psi, with
//                           the residual psi of the equations of the independent coordinates; all other
//                           accelerations and multipliers follow from the constraints and from the
//                           equations of the dependent coordinates (reduction/independent.c). Thesis (4.3),
//                           (3.46), (3.47). Rows at velocity level leave no such equations: then as next
//   first-order reduction   S dz = h sum ... + g a(t_i, v_i, vd0 + z_i) - z_i, with S dense and accelerations
//                           solved exactly
//   descriptor form         the sparse matrix corrects all accelerations and multipliers; (1) gives the new
//                           z_i from the independent accelerations. With `jacobian: full` all derivatives
//                           of thesis 3.3 are in the matrix (independent.c (18))
// All have the same solution. psi is Mr (k_i - a), so that with the same Mr on both sides the first and the
// second are one iteration (thesis, proposition 1); here psi has the mass of the iterate and the matrix that
// of the start.
//
// Stopping (Hairer, Wanner IV.8; thesis 4.5.2): with the rate th of the corrections and eta = th/(1 - th),
// the remaining error is eta |dz|. It may be a small share of the allowed error of the step. The first
// correction is judged by the eta of the stage in its last solve. An iteration that would not converge
// within the limit is ended early. Rates are means over two iterations, because errors of slow modes go
// over into fast ones in one and vanish in the next. (The monitor of the other methods, newton/convergence.h,
// knows nothing of the age of the matrix. With it the first correction is trusted too often: SDIRK4/15 takes
// 14 % more steps, or 8 % more iterations with a fifth of the share. In steps of fixed size its level of
// round-off is below the noise of callbacks without derivatives.)
//
// Estimate: (b - bhat) A^-1 times the z_i, or for the trapezoidal rule its leading error, from the
// accelerations at both ends of the step and one before (at a start: evaluated in the middle):
//   e1 = -h^3/12 y''',   e2 = -h^3/12 y''''                                                               (2)
//
// The distance of an embedded method, converted to the order of the method by the constants of a vibration,
// does not show how the terms of order 5 add up where a motion is strongly curved: those of SDIRK4/15 are
// up to seven times that of a vibration, those of SDIRK4/16 up to fifty times. Both therefore also compute
// the defect of the velocities against Lobatto's rule of order 6, with accelerations evaluated on the
// polynomial of degree 5 through both ends,
//   e = vd1 - vd0 - h/12 (a0 + 5 a(t + x h) + 5 a(t + (1 - x) h) + a1),    x = (1 - sqrt(1/5))/2          (3)
// It is the error of vd1 itself up to h^7. (Simpson's rule, with one evaluation, has an error of h^5/2880 of
// the sixth derivative of y, which is of the same power and size as that of the method.) It is filtered too.
// In fast modes it is the error of the polynomial, not of the method; the filtered defect counts times a
// power of the share that the filter leaves.
#include "integrate/statespace/statespace.h"
#include "system/state/first_order.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "integrate/statespace/constants.h"

// Set the parts of (1) that earlier stages give.
static void set_known(tmli_statespace *s, int i, double h)
{
    const tmli_dirk_table *t = s->scheme->table;
    for (int q = 0; q < s->dof; q++) s->known_z[q] = s->known_v[q] = 0;
    for (int j = 0; j < i; j++) {
        const double a = h * t->A[i][j];
        for (int q = 0; q < s->dof; q++) {
            s->known_z[q] += a * s->k[j][q];
            s->known_v[q] += a * (s->vd0[q] + s->z[j][q]);
        }
    }
}

// The polynomial through accelerations at `count` instants, at tau.
static double extrapolate(int count, const double *instant, const double *value, double tau)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        double weight = 1;
        for (int j = 0; j < count; j++)
            if (j != i) weight *= (tau - instant[j]) / (instant[i] - instant[j]);
        sum += weight * value[i];
    }
    return sum;
}

// Predict z_i: from the earlier stages by the table, where there are enough; else from the last step.
static void predict(tmli_statespace *s, int i, double h)
{
    const tmli_dirk_table *t = s->scheme->table;
    const double g = h * t->gamma, b = s->h_last, tau = t->c[i] * h;
    const bool back = b > 0 && TMLI_SMALLEST_RATIO * h <= b;
    double *z = s->z[i];
    for (int q = 0; q < s->dof; q++) {
        if (t->explicit_first) {
            const double jerk = back ? (s->a0[q] - s->a_before[q]) / b : 0;
            z[q] = s->known_z[q] + g * (s->a0[q] + jerk * tau);
        } else if (back && i < 2) {
            const double instant[4] = {-b, -b / 2, 0, t->c[0] * h};
            const double value[4] = {s->a_before[q], s->a_half[q], s->a0[q], s->k[0][q]};
            z[q] = s->known_z[q] + g * extrapolate(3 + i, instant, value, tau);
        } else if (i == 0) {
            z[q] = g * s->a0[q];
        } else {
            z[q] = t->beta[i] * h * s->a0[q];
            for (int j = 0; j < i; j++) z[q] += t->alpha[i][j] * s->z[j][q];
        }
    }
}

static void set_stage(tmli_statespace *s, int i, double g)
{
    for (int q = 0; q < s->dof; q++) {
        s->vd[q] = s->vd0[q] + s->z[i][q];
        s->v[q] = s->known_v[q] + g * s->vd[q];
    }
}

// dz of the stage whose state is y, in either form; *size: over the allowed error. In descriptor form *size
// also counts g times the change of all accelerations, since those of dependent coordinates contribute to
// the remaining error.
static tml_status correct_stage(tmli_statespace *s, int i, double g, tml_state *y, double *size,
                                tml_error *err)
{
    double *dz = s->dz;
    tml_status st;
    if (s->independent) {
        st = tmli_reduction_independent_residual(s->red, y, s->k[i], dz, err);
        if (st != TML_OK) return st;
        tmli_statespace_solve_independent(s, dz);
        for (int q = 0; q < s->dof; q++) {
            s->k[i][q] -= dz[q];
            dz[q] = s->known_z[q] + g * s->k[i][q] - s->z[i][q];
        }
        tmli_reduction_lift(s->red, dz, s->full);
        *size = tmli_statespace_size(s, g, s->full);
        return TML_OK;
    }
    if (s->descriptor) {
        memcpy(s->other, y->udot, (size_t)s->sys->n * sizeof(double));
        double *more = s->d1;  // v'' of the accelerations, less that of z
        if (!s->sparse) tmli_reduction_acceleration_of(s->red, y, more);
        st = tmli_reduction_descriptor_correct(s->red, y, dz, err);
        if (st != TML_OK) return st;
        if (!s->sparse) {
            for (int q = 0; q < s->dof; q++) dz[q] += more[q] - (s->z[i][q] - s->known_z[q]) / g;
            tmli_statespace_solve(s, dz);
            tmli_reduction_full_correction(s->red, dz, g, g * g, y);
        }
        for (int j = 0; j < s->sys->n; j++) s->other[j] = fabs(y->udot[j] - s->other[j]);
        if (s->sys->level) tmli_reduction_add_reaction_change(s->red, s->other);
        for (int j = 0; j < s->sys->n; j++) s->other[j] *= g;
        if (s->sparse) {
            tmli_reduction_acceleration_of(s->red, y, dz);
            for (int q = 0; q < s->dof; q++) dz[q] = s->known_z[q] + g * dz[q] - s->z[i][q];
        } else {
            for (int q = 0; q < s->dof; q++) dz[q] *= g;
        }
        tmli_reduction_lift(s->red, dz, s->full);
        *size = fmax(tmli_statespace_size(s, g, s->other), tmli_statespace_size(s, g, s->full));
        return TML_OK;
    }
    st = tmli_reduction_accelerate(s->red, y, dz, err);
    if (st != TML_OK) return st;
    for (int q = 0; q < s->dof; q++) dz[q] = s->known_z[q] + g * dz[q] - s->z[i][q];
    tmli_statespace_solve(s, dz);
    tmli_reduction_lift(s->red, dz, s->full);
    *size = tmli_statespace_size(s, g, s->full);
    return TML_OK;
}

static tml_status no_convergence(const tmli_statespace *s, double t, const char *what, tml_error *err)
{
    return tmli_fail(err, TML_RETRY, "%s: Newton's method %s at t = %g s", s->scheme->name, what, t);
}

// Accelerations of all coordinates for the predicted z_i, from those of the stage before: the start of the
// descriptor form.
static void start_accelerations(tmli_statespace *s, int i, double g, tml_state *y)
{
    const double *before = i > 0 ? s->k[i - 1] : s->a0;
    for (int q = 0; q < s->dof; q++) s->dz[q] = (s->z[i][q] - s->known_z[q]) / g - before[q];
    tmli_reduction_lift(s->red, s->dz, s->full);
    for (int j = 0; j < s->sys->n; j++) y->udot[j] += s->full[j];
}

// eta before it is measured: that of the stage in the last step, or the one expected from the age of the
// matrix.
static double expected_eta(const tmli_statespace *s, int i)
{
    return pow(fmax(fmax(s->eta[i], s->ageing * (double)s->age), DBL_EPSILON), 0.8);  // Hairer, Wanner, IV.8
}

// Share of the allowed error of a step that Newton's method may leave in stage i. What it leaves in z_i is in
// k_i over g, and enters the last stage, which is the end of the step, times h a_si/g by (1): up to 31 times
// with SDIRK4/16, and 11 times with SDIRK4/15.
static double newton_share(const tmli_dirk_table *t, int i)
{
    const int last = t->stages - 1;
    return i < last ? TMLI_NEWTON_SHARE / fmax(1, fabs(t->A[last][i]) / t->gamma) : TMLI_NEWTON_SHARE;
}

static tml_status solve_stage(tmli_statespace *s, int i, double h, tml_error *err)
{
    const tmli_dirk_table *table = s->scheme->table;
    const double g = h * table->gamma, t = s->x->t + table->c[i] * h;
    tml_state *y = s->trial;
    const int most = s->opt.fixed_step ? MAX_ITERATIONS_FIXED : MAX_ITERATIONS;
    const double roundoff = s->opt.fixed_step ? ROUNDOFF_FIXED : 1, share = newton_share(table, i);
    double first = 0, last = 0, ratio = 0, rate = 0, size = 0, eta = expected_eta(s, i);
    set_known(s, i, h);
    predict(s, i, h);
    if (s->descriptor) start_accelerations(s, i, g, y);
    for (int q = 0; q < s->dof && s->independent; q++) s->k[i][q] = (s->z[i][q] - s->known_z[q]) / g;
    int iteration = 1, renewed = 0;
    for (;; iteration++) {
        set_stage(s, i, g);
        const char *failure = NULL;
        tml_status st = tmli_reduction_solve_dependent(s->red, t, s->v, s->vd, y, err);
        if (st == TML_OK) st = correct_stage(s, i, g, y, &size, err);
        if (st != TML_OK) return st;
        s->count.iterations++;
        for (int q = 0; q < s->dof; q++) s->z[i][q] += s->dz[q];
        if (!isfinite(size)) return no_convergence(s, t, "meets numbers that are not finite", err);
        if (iteration == 1) first = size;
        if (iteration > 1) {
            const double now = size / last;
            if (now > TMLI_STALLED_RATE && size <= roundoff) break;
            if (now >= (iteration == 2 ? TMLI_NEWTON_DIVERGENCE : 1)) failure = "diverges";
            rate = iteration > 2 ? sqrt(now * ratio) : fmin(now, LARGEST_RATE);
            ratio = now;
            eta = rate / (1 - rate);
            if (iteration == 2) s->eta[i] = eta;
            if (iteration == 2 && s->age > 0) s->ageing = eta / (double)s->age;
        }
        if (eta * size <= share && !failure) break;
        if (iteration > 2 && !failure && pow(rate, most - iteration) / (1 - rate) * size > share)
            failure = "converges too slowly";
        if (iteration == most && !failure) failure = "does not converge";
        // a fixed step cannot become smaller: the matrix moves to where the iteration is
        if (failure && (!s->opt.fixed_step || renewed++ == most)) return no_convergence(s, t, failure, err);
        if (failure) {
            st = tmli_statespace_renew_matrix(s, y, g, err);
            if (st != TML_OK) return st;
            iteration = 0;
        }
        last = size;
    }
    if (iteration == 1) s->eta[i] = eta;  // not measured: it grows from step to step until it is
    if (iteration > 1 && first > 0)
        s->contraction = fmax(s->contraction, pow(size / first, 1.0 / (iteration - 1)));
    for (int q = 0; q < s->dof && !s->independent; q++) s->k[i][q] = (s->z[i][q] - s->known_z[q]) / g;
    return TML_OK;
}

// The end of the step: the state at the corrected last stage, its accelerations with the last correction.
static tml_status finish(tmli_statespace *s, double h, tml_error *err)
{
    const tmli_dirk_table *t = s->scheme->table;
    const int last = t->stages - 1;
    const double g = h * t->gamma;
    set_stage(s, last, g);
    tml_status st = tmli_reduction_solve_dependent(s->red, s->x->t + h, s->v, s->vd, s->trial, err);
    if (st != TML_OK) return st;
    tmli_reduction_acceleration_of(s->red, s->trial, s->dz);
    for (int q = 0; q < s->dof; q++) s->dz[q] = s->k[last][q] - s->dz[q];
    tmli_reduction_lift(s->red, s->dz, s->full);
    for (int j = 0; j < s->sys->n; j++) s->trial->udot[j] += s->full[j];
    return TML_OK;
}

// h^2 times the second derivative of the accelerations, into e2.
static tml_status second_difference(tmli_statespace *s, double h, tml_error *err)
{
    const double *a0 = s->a0, *a1 = s->k[1], b = s->h_last;
    if (b > 0) {
        for (int q = 0; q < s->dof; q++)
            s->e2[q] = 2 * h * h * ((a1[q] - a0[q]) / h - (a0[q] - s->a_before[q]) / b) / (h + b);
        return TML_OK;
    }
    double *v = s->known_z, *vd = s->known_v;
    for (int q = 0; q < s->dof; q++) {
        v[q] = s->v[q] / 2 - h / 8 * s->z[1][q];
        vd[q] = s->vd0[q] + s->z[1][q] / 2 + h / 8 * (a0[q] - a1[q]);
    }
    tml_status st = tmli_reduction_solve_dependent(s->red, s->x->t + h / 2, v, vd, s->probe, err);
    if (st == TML_OK) st = tmli_reduction_accelerate(s->red, s->probe, s->dz, err);
    for (int q = 0; q < s->dof; q++) s->e2[q] = 4 * (a0[q] - 2 * s->dz[q] + a1[q]);
    return st;
}

static tml_status estimate(tmli_statespace *s, double h, tml_error *err)
{
    const tmli_dirk_table *t = s->scheme->table;
    if (t->explicit_first && s->embedded) {  // backward Euler from the same stage, thesis 4.1.2
        for (int q = 0; q < s->dof; q++) {
            s->e1[q] = -h / 2 * s->z[1][q];
            s->e2[q] = -h / 2 * (s->k[1][q] - s->a0[q]);
        }
        return TML_OK;
    }
    if (t->explicit_first) {  // (2)
        tml_status st = second_difference(s, h, err);
        for (int q = 0; q < s->dof; q++) {
            s->e1[q] = -h * h / 12 * (s->k[1][q] - s->a0[q]);
            s->e2[q] *= -h / 12;
        }
        return st;
    }
    memset(s->e1, 0, (size_t)s->dof * sizeof(double));
    memset(s->e2, 0, (size_t)s->dof * sizeof(double));
    for (int i = 0; i < t->stages; i++) {
        // weight of z_i in the estimate of v, with v_j = c_j h vd0 + h sum_i a_ji z_i; the sum of
        // estimate_j c_j is 0
        double weight = 0;
        for (int j = i; j < t->stages; j++) weight += h * t->estimate[j] * t->A[j][i];
        for (int q = 0; q < s->dof; q++) {
            s->e1[q] += weight * s->z[i][q];
            s->e2[q] += t->estimate[i] * s->z[i][q];
        }
    }
    return TML_OK;
}

// Size of the defect e (dof) over the allowed error of the step. First-order states of the descriptor form
// do not count: where they are stiff, (3) is the error of the polynomial, and steps that follow it are no
// better.
static double defect_size(tmli_statespace *s, const double *e)
{
    tmli_reduction_lift(s->red, e, s->full);
    for (int j = tmli_mechanical(s->sys); j < s->sys->n && s->descriptor; j++) s->full[j] = 0;
    return tmli_statespace_size(s, 0, s->full);
}

// a (dof) := acceleration at x h after the start of the step, on the polynomial of degree 5 that has
// position, velocity and acceleration of both ends.
static tml_status acceleration_inside(tmli_statespace *s, double h, double x, double *a, tml_error *err)
{
    const double *a0 = s->a0, *a1 = s->k[s->scheme->table->stages - 1];
    const double y = 1 - x, x2 = x * x, y2 = y * y;
    double *v = s->known_z, *vd = s->known_v;
    for (int q = 0; q < s->dof; q++) {
        v[q] = x2 * x * (10 - 15 * x + 6 * x2) * s->v[q] +
               h * x * y * (y2 * (1 + 3 * x) * s->vd0[q] - x2 * (1 + 3 * y) * s->vd[q]) +
               h * h / 2 * x2 * y2 * (y * a0[q] + x * a1[q]);
        vd[q] = 30 * x2 * y2 / h * s->v[q] + y2 * (1 - 3 * x) * (1 + 5 * x) * s->vd0[q] +
                x2 * (1 - 3 * y) * (1 + 5 * y) * s->vd[q] +
                h / 2 * x * y * (y * (2 - 5 * x) * a0[q] - x * (2 - 5 * y) * a1[q]);
    }
    tml_status st = tmli_reduction_solve_dependent(s->red, s->x->t + x * h, v, vd, s->probe, err);
    return st == TML_OK ? tmli_reduction_accelerate(s->red, s->probe, a, err) : st;
}

// s->defect := (3) over the allowed error of the step.
static tml_status find_defect(tmli_statespace *s, double h, tml_error *err)
{
    const double *a0 = s->a0, *a1 = s->k[s->scheme->table->stages - 1], x = (1 - sqrt(0.2)) / 2;
    double *e = s->dz, *a = s->e1;  // free until the estimate
    tml_status st = acceleration_inside(s, h, x, e, err);
    if (st == TML_OK) st = acceleration_inside(s, h, 1 - x, a, err);
    if (st != TML_OK) return st;
    for (int q = 0; q < s->dof; q++)
        e[q] = s->vd[q] - s->vd0[q] - h / 12 * (a0[q] + 5 * (e[q] + a[q]) + a1[q]);
    const double raw = defect_size(s, e);
    tmli_statespace_filter_velocity(s, h * s->scheme->table->gamma, e);
    const double filtered = defect_size(s, e);
    s->defect = raw > 0 ? filtered * pow(fmin(1, filtered / raw), DEFECT_FILTER_POWER) : 0;
    return TML_OK;
}

static tml_status solve_stages(tmli_statespace *s, double h, tml_error *err)
{
    const tmli_dirk_table *t = s->scheme->table;
    tml_state_copy(s->trial, s->x);
    tml_state_copy(s->probe, s->x);
    s->contraction = 0;
    if (s->dof == 0) {  // all motion is driven
        tml_status st = tmli_reduction_solve_dependent(s->red, s->x->t + h, s->v, s->vd, s->trial, err);
        return st == TML_OK ? tmli_reduction_accelerate(s->red, s->trial, s->dz, err) : st;
    }
    if (t->explicit_first) {
        memset(s->z[0], 0, (size_t)s->dof * sizeof(double));
        memcpy(s->k[0], s->a0, (size_t)s->dof * sizeof(double));
    }
    const long before = s->count.iterations;
    tml_status st = TML_OK;
    for (int i = t->explicit_first; i < t->stages && st == TML_OK; i++) st = solve_stage(s, i, h, err);
    const int used = (int)(s->count.iterations - before);
    if (used > s->count.max_iterations) s->count.max_iterations = used;
    return st == TML_OK ? finish(s, h, err) : st;
}

// A step of fixed size without a solution. The one that continues the motion, which tends to the start of the
// step as h does, may turn back before h (docs/theory/state-space.md, known limits); an iteration then ends
// where dependent coordinates have no values, if not at a solution far away.
static tml_status no_solution(const tmli_statespace *s, double h, tml_error *err)
{
    const tml_error cause = err ? *err : (tml_error){0};
    return tmli_fail(
        err, TML_RETRY,
        "%s: no solution of the step of %g s at t = %g s was found; the equations of a long step "
        "need not have one that continues the motion. Last: %s",
        s->scheme->name, h, s->x->t, cause.msg);
}

tml_status tmli_dirk_advance(tmli_statespace *s, double h, tml_error *err)
{
    const double g = h * s->scheme->table->gamma;
    tml_status st = tmli_statespace_matrix(s, g, false, err);
    if (st == TML_OK) st = solve_stages(s, h, err);
    if ((st == TML_RETRY || st == TML_ERR_NAN) && !s->fresh) {
        st = tmli_statespace_matrix(s, g, true, err);
        if (st == TML_OK) st = solve_stages(s, h, err);
    }
    if (st == TML_RETRY && s->opt.fixed_step) return no_solution(s, h, err);
    if (st != TML_OK || s->opt.fixed_step) return st;
    s->defect = 0;
    if (!s->scheme->table->explicit_first && !s->embedded) st = find_defect(s, h, err);
    if (st == TML_OK) st = estimate(s, h, err);
    if (st != TML_OK || s->embedded) return st;
    tmli_statespace_filter(s, g);
    // the velocity of a stiff spring that follows a slow motion is off by h^2/6 y''' with alternating sign,
    // which does not accumulate
    const bool twice = s->scheme->table->explicit_first && !s->sparse;  // else it would add noise
    if (twice) tmli_statespace_filter(s, g);
    return TML_OK;
}
