// Diagonally implicit Runge-Kutta methods on reduced equations, in z-form.
//
// Stage i has velocity vd0 + z_i and position v_i:
//   z_i = h sum_{j<i} a_ij k_j + g k_i,      v_i = h sum_{j<i} a_ij (vd0 + z_j) + g (vd0 + z_i),      g = h gamma       (1)
// k_i the accelerations, which are solved for and never evaluated at the solution: k_i = (z_i - h sum ...)/g.
// In very fast modes that is exact where an evaluation would enlarge what Newton's method has left over.
//   first-order reduction   S dz = h sum ... + g a(t_i, v_i, vd0 + z_i) - z_i       accelerations solved exactly, S dense
//   descriptor form         the correction of all accelerations and multipliers by the sparse matrix; its part of v''
//                           gives the new z_i by (1)
// The state-space form of the thesis (3.2) corrects v'' by the inverse of M^ S times the residual of the
// equations of the independent coordinates, M^ (v'' - a): that is the first of these, as g v'' = z_i - h sum
// ...
//
// Stopping (Hairer, Wanner IV.8; thesis 4.5.2): with the rate th of the corrections and eta = th/(1 - th),
// eta |dz| is what remains. It may be a small share of what the step is allowed. The first correction is
// judged by the eta of the stage when it was solved last. An iteration that would not get there in time is
// given up. Rates are means over two iterations: errors of slow modes go over into fast ones in one and
// vanish in the next.
//
// Estimate: (b - bhat) A^-1 times the z_i, or for the trapezoidal rule its leading error, from accelerations
// at both ends of the step and one before (at a start: in the middle, evaluated):
//   e1 = -h^3/12 y''',   e2 = -h^3/12 y''''                                                               (2)
//
// The distance of an embedded method, converted to the order of the method by the constants of a vibration,
// does not tell how the terms of order 5 add up where a motion is strongly curved: those of SDIRK4/15 are up
// to seven times that of a vibration. So first-order reduction also looks at the defect of the velocities
// against Simpson's rule, with the acceleration evaluated in the middle of the polynomial of degree 5 through
// both ends,
//   e = vd1 - vd0 - h/6 (a0 + 4 a(t + h/2) + a1)                                                          (3)
// the error of vd1 itself, up to h^5/2880 of the sixth derivative of y. It is filtered, too. In fast modes it
// is that of the polynomial, not of the method; what the filter leaves of it counts times a power of the
// share that is left.
#include "integrate/statespace/statespace.h"

#include <float.h>
#include <math.h>
#include <string.h>

// What Newton's method may leave of a step's allowed error. With a fifth the errors of runs begin to show it.
static const double SHARE = 0.1;
// Iterations of a stage; steps of fixed size are iterated to round-off and cannot become smaller.
enum { MAX_ITERATIONS = 10, MAX_FIXED = 40 };
// A prediction further out than this many lengths of the last step is not tried.
static const double FAR = 3;
// Corrections that do not get smaller any more are taken for round-off below this many allowed errors, with
// steps of fixed size below 1e-8 of the speed: callbacks without derivatives have no more digits.
static const double ROUNDOFF = 1, ROUNDOFF_FIXED = 1e5;
// Power of the share that the filter leaves of (3). Lower: smaller steps where fast modes are at work. Of 0,
// 2 and 4, tried on the bundled models, the vehicle took about twice the steps with 0 and 5 to 20 % more with
// 2, for errors far below the tolerance.
static const double SLOW = 4;

// The parts of (1) that are known before the stage.
static void set_known(tmli_statespace *s, int i, double h)
{
    const tmli_dirk_table *t = s->scheme->table;
    for (int q = 0; q < s->dof; q++) s->known[q] = s->reach[q] = 0;
    for (int j = 0; j < i; j++) {
        const double a = h * t->A[i][j];
        for (int q = 0; q < s->dof; q++) {
            s->known[q] += a * s->k[j][q];
            s->reach[q] += a * (s->vd0[q] + s->z[j][q]);
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

// z_i to begin with: from the stages before by the table, where there are enough; else from the step before.
static void predict(tmli_statespace *s, int i, double h)
{
    const tmli_dirk_table *t = s->scheme->table;
    const double g = h * t->gamma, b = s->h_last, tau = t->c[i] * h;
    const bool back = b > 0 && h < FAR * b;
    double *z = s->z[i];
    for (int q = 0; q < s->dof; q++) {
        if (t->explicit_first) {
            const double jerk = back ? (s->a0[q] - s->a_before[q]) / b : 0;
            z[q] = s->known[q] + g * (s->a0[q] + jerk * tau);
        } else if (back && i < 2) {
            const double instant[4] = {-b, -b / 2, 0, t->c[0] * h};
            const double value[4] = {s->a_before[q], s->a_half[q], s->a0[q], s->k[0][q]};
            z[q] = s->known[q] + g * extrapolate(3 + i, instant, value, tau);
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
        s->v[q] = s->reach[q] + g * s->vd[q];
    }
}

// dz for the stage as it is placed in y, by either form; *size: what is to get smaller. In descriptor form
// that is also g times the change of all accelerations: those of dependent coordinates have their part in
// what is left over.
static tml_status correction(tmli_statespace *s, int i, double g, tml_state *y, double *size, tml_error *err)
{
    double *dz = s->dz;
    tml_status st;
    if (s->scheme->descriptor) {
        memcpy(s->other, y->udot, (size_t)s->sys->n * sizeof(double));
        st = tmli_reduction_descriptor_correct(s->red, y, dz, err);
        if (st != TML_OK) return st;
        for (int j = 0; j < s->sys->n; j++) s->other[j] = g * (y->udot[j] - s->other[j]);
        tmli_reduction_acceleration_of(s->red, y, dz);
        for (int q = 0; q < s->dof; q++) dz[q] = s->known[q] + g * dz[q] - s->z[i][q];
        tmli_reduction_lift(s->red, dz, s->full);
        *size = fmax(tmli_statespace_size(s, g, s->other), tmli_statespace_size(s, g, s->full));
        return TML_OK;
    }
    st = tmli_reduction_accelerate(s->red, y, dz, err);
    if (st != TML_OK) return st;
    for (int q = 0; q < s->dof; q++) dz[q] = s->known[q] + g * dz[q] - s->z[i][q];
    tmli_statespace_solve(s, dz);
    tmli_reduction_lift(s->red, dz, s->full);
    *size = tmli_statespace_size(s, g, s->full);
    return TML_OK;
}

static tml_status no_convergence(const tmli_statespace *s, double t, const char *what, tml_error *err)
{
    return tmli_fail(err, TML_RETRY, "%s: Newton's method %s at t = %g s", s->scheme->name, what, t);
}

// Full accelerations that belong to the predicted z_i, from those of the stage before: what the descriptor
// form starts from.
static void start_accelerations(tmli_statespace *s, int i, double g, tml_state *y)
{
    const double *before = i > 0 ? s->k[i - 1] : s->a0;
    for (int q = 0; q < s->dof; q++) s->dz[q] = (s->z[i][q] - s->known[q]) / g - before[q];
    tmli_reduction_lift(s->red, s->dz, s->full);
    for (int j = 0; j < s->sys->n; j++) y->udot[j] += s->full[j];
}

// eta before it is known: that of the stage in the step before, or what the age of the matrix lets expect.
static double expected(const tmli_statespace *s, int i)
{
    return pow(fmax(fmax(s->eta[i], s->ageing * (double)s->age), DBL_EPSILON), 0.8);
}

static tml_status solve_stage(tmli_statespace *s, int i, double h, tml_error *err)
{
    const tmli_dirk_table *table = s->scheme->table;
    const double g = h * table->gamma, t = s->x->t + table->c[i] * h;
    tml_state *y = s->trial;
    const int most = s->opt.fixed_step ? MAX_FIXED : MAX_ITERATIONS;
    const double noise = s->opt.fixed_step ? ROUNDOFF_FIXED : ROUNDOFF;
    double first = 0, last = 0, ratio = 0, rate = 0, size = 0, eta = expected(s, i);
    set_known(s, i, h);
    predict(s, i, h);
    if (s->scheme->descriptor) start_accelerations(s, i, g, y);
    int iteration = 1;
    for (;; iteration++) {
        set_stage(s, i, g);
        tml_status st = tmli_reduction_solve_dependent(s->red, t, s->v, s->vd, y, err);
        if (st == TML_OK) st = correction(s, i, g, y, &size, err);
        if (st != TML_OK) return st;
        s->count.iterations++;
        for (int q = 0; q < s->dof; q++) s->z[i][q] += s->dz[q];
        if (!isfinite(size)) return no_convergence(s, t, "meets numbers that are not finite", err);
        if (iteration == 1) first = size;
        if (iteration > 1) {
            const double now = size / last;
            if (now > 0.5 && size <= noise) break;
            if (now >= (iteration == 2 ? 2 : 1)) return no_convergence(s, t, "diverges", err);
            rate = iteration > 2 ? sqrt(now * ratio) : fmin(now, 0.99);
            ratio = now;
            eta = rate / (1 - rate);
            if (iteration == 2) s->eta[i] = eta;
            if (iteration == 2 && s->age > 0) s->ageing = eta / (double)s->age;
        }
        if (eta * size <= SHARE) break;
        if (iteration > 2 && pow(rate, most - iteration) / (1 - rate) * size > SHARE)
            return no_convergence(s, t, "converges too slowly", err);
        if (iteration == most) return no_convergence(s, t, "does not converge", err);
        last = size;
    }
    if (iteration == 1) s->eta[i] = eta;  // not measured: it grows from step to step, until it is
    if (iteration > 1 && first > 0)
        s->contraction = fmax(s->contraction, pow(size / first, 1.0 / (iteration - 1)));
    for (int q = 0; q < s->dof; q++) s->k[i][q] = (s->z[i][q] - s->known[q]) / g;
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
    double *v = s->known, *vd = s->reach;
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
        double reach = 0;  // of v_j = c_j h vd0 + h sum_i a_ji z_i; the sum of estimate_j c_j is 0
        for (int j = i; j < t->stages; j++) reach += h * t->estimate[j] * t->A[j][i];
        for (int q = 0; q < s->dof; q++) {
            s->e1[q] += reach * s->z[i][q];
            s->e2[q] += t->estimate[i] * s->z[i][q];
        }
    }
    return TML_OK;
}

// (3) over what the step is allowed.
static tml_status find_defect(tmli_statespace *s, double h, tml_error *err)
{
    const double *a0 = s->a0, *a1 = s->k[s->scheme->table->stages - 1];
    double *v = s->known, *vd = s->reach, *e = s->dz;
    for (int q = 0; q < s->dof; q++) {
        v[q] = s->v[q] / 2 + 5 * h / 32 * (s->vd0[q] - s->vd[q]) + h * h / 64 * (a0[q] + a1[q]);
        vd[q] = 15 / (8 * h) * s->v[q] - 7.0 / 16 * (s->vd0[q] + s->vd[q]) + h / 32 * (a1[q] - a0[q]);
    }
    tml_status st = tmli_reduction_solve_dependent(s->red, s->x->t + h / 2, v, vd, s->probe, err);
    if (st == TML_OK) st = tmli_reduction_accelerate(s->red, s->probe, e, err);
    if (st != TML_OK) return st;
    for (int q = 0; q < s->dof; q++) e[q] = s->vd[q] - s->vd0[q] - h / 6 * (a0[q] + 4 * e[q] + a1[q]);
    tmli_reduction_lift(s->red, e, s->full);
    const double raw = tmli_statespace_size(s, 0, s->full);
    tmli_statespace_solve(s, e);
    tmli_reduction_lift(s->red, e, s->full);
    const double filtered = tmli_statespace_size(s, 0, s->full);
    s->defect = raw > 0 ? filtered * pow(fmin(1, filtered / raw), SLOW) : 0;
    return TML_OK;
}

static tml_status stages(tmli_statespace *s, double h, tml_error *err)
{
    const tmli_dirk_table *t = s->scheme->table;
    tml_state_copy(s->trial, s->x);
    tml_state_copy(s->probe, s->x);
    s->contraction = 0;
    if (s->dof == 0) {  // time alone moves the system
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

tml_status tmli_dirk_advance(tmli_statespace *s, double h, tml_error *err)
{
    const double g = h * s->scheme->table->gamma;
    tml_status st = tmli_statespace_matrix(s, g, false, err);
    if (st == TML_OK) st = stages(s, h, err);
    if ((st == TML_RETRY || st == TML_ERR_NAN) && !s->fresh) {
        st = tmli_statespace_matrix(s, g, true, err);
        if (st == TML_OK) st = stages(s, h, err);
    }
    if (st != TML_OK || s->opt.fixed_step) return st;
    s->defect = 0;
    if (!s->scheme->descriptor && !s->scheme->table->explicit_first) st = find_defect(s, h, err);
    if (st == TML_OK) st = estimate(s, h, err);
    if (st != TML_OK) return st;
    tmli_statespace_filter(s, g);
    // the velocity of a stiff spring that follows a slow motion is off by h^2/6 y''' in turn up and down,
    // which does not add up
    const bool twice =
        s->scheme->table->explicit_first && !s->scheme->descriptor;  // there it would add noise
    if (twice) tmli_statespace_filter(s, g);
    return TML_OK;
}
