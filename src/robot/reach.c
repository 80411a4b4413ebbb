// Inverse kinematics: the configuration within limits at which frames are nearest to their targets.
//
// With a small motion d of the coordinates the weighted distances and angles e of all frames change by E d.
// Each iteration makes
//   |e + E d|^2 + mu |d|^2   least,   B d = -phi,   lower <= q + d <= upper                               (1)
// (Levenberg, Marquardt), phi and B being the residuals and rows of the loops: the equations
//   [E'E + mu  B'  ] [d ]   [-E'e]
//   [B         -eps] [nu] = [-phi]                                                                        (2)
// with eps so small that it matters only where rows depend on each other. Which coordinates are at their
// limits is found by principal pivoting (J. J. Judice, F. M. Pires, Computers Oper. Res. 21 (1994) 587-596):
// with y the derivative of (1) by d, including B'nu, a coordinate that would leave its limits is set to the
// limit, and one at its limit is free again if y would move it inwards, all at once; one at a time, the last
// of them, if their number has not become less for a while. A step is taken if |e|^2 + s max |phi|
// becomes less; mu falls if that is by as much as (1) promises, and rises if it is far from it.
//
// The angle of a frame with axes R from its target R* is the rotation vector x of R*'R, which changes by
// T^-1(x) R'w dt under the angular velocity w.
#include "linalg/dense/lapack.h"
#include "linalg/dense/routines.h"
#include "robot/robot.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "robot/constants.h"

typedef struct reach {
    tml_robot *r;
    const tml_robot_target *target;
    int count, n, m, rows;   // n: without first-order states; rows: 6 per target
    double *lower, *upper;   // (n)
    double *e, *E;           // (rows), (rows x n)
    double *phi, *B;         // (m), (m x n)
    double *H, *g;           // (n x n), (n): E'E, E'e
    double *A, *b;           // ((n + m) squared, by columns), (n + m)
    double *d, *q, *motion;  // (n), (nq), (n)
    double *next;            // (nq)
    double *step;            // (n and the states, 0 there)
    int *held;               // (n) set to its lower (-1) or upper limit (1); 0: not
    int *wanted;             // (n) what held should be
    int *pivot;              // (n + m)
    double close;            // s of the merit
    tmli_arena arena;
} reach;

static tml_status allocate(reach *a, tml_error *err)
{
    const size_t n = (size_t)a->n, m = (size_t)a->m, rows = (size_t)a->rows, all = n + m,
                 nq = (size_t)a->r->sys->nq;
    const bool room = tmli_arena_alloc_all(
        &a->arena, TMLI_ARRAY(a->lower, n), TMLI_ARRAY(a->upper, n), TMLI_ARRAY(a->g, n), TMLI_ARRAY(a->d, n),
        TMLI_ARRAY(a->motion, (size_t)a->r->sys->n), TMLI_ARRAY(a->e, rows), TMLI_ARRAY(a->E, rows * n),
        TMLI_ARRAY(a->phi, m), TMLI_ARRAY(a->B, m * n), TMLI_ARRAY(a->H, n * n), TMLI_ARRAY(a->A, all * all),
        TMLI_ARRAY(a->b, all), TMLI_ARRAY(a->q, nq + 1), TMLI_ARRAY(a->next, nq + 1),
        TMLI_ARRAY(a->step, (size_t)a->r->sys->n + 1), TMLI_ARRAY(a->held, n + 1),
        TMLI_ARRAY(a->wanted, n + 1), TMLI_ARRAY(a->pivot, all + 1));
    return room ? TML_OK : tmli_no_memory(err, "inverse kinematics");
}

// ---- distances and angles ---------------------------------------------------------------------------------

static double largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static mat3 matrix_of(const double *m)
{
    mat3 o;
    memcpy(o.m, m, sizeof o.m);
    return o;
}

// Distance from its target [m], and rotation vector of R*'R.
static void deviation(const reach *a, int i, const double *q, vec3 *distance, vec3 *turn, mat3 *R)
{
    const tml_robot_target *t = &a->target[i];
    const tmli_pose x = tmli_robot_frame_pose(a->r, q, &t->frame);
    const mat3 aim = matrix_of(t->axes), back = m3_transpose(&aim), rel = m3_mul(&back, &x.R);
    *distance = v3_sub(x.r, v3_from(t->position));
    *turn = tmli_so3_log(tmli_quat_from_matrix(&rel));
    *R = x.R;
}

// s max |phi|; round-off does not count. Squares would let loops open where that brings targets nearer.
static double cost_of_opening(const reach *a)
{
    return a->close * fmax(largest(a->phi, a->m) - REACH_STEP, 0);
}

// e and phi at q; returns |e|^2 + s max |phi|.
static double measure(reach *a, const double *q)
{
    double sum = 0;
    for (int i = 0; i < a->count; i++) {
        const tml_robot_target *t = &a->target[i];
        vec3 distance, turn;
        mat3 R;
        deviation(a, i, q, &distance, &turn, &R);
        v3_store(v3_scale(t->weight, distance), a->e + 6 * i);
        v3_store(v3_scale(t->turn_weight, turn), a->e + 6 * i + 3);
    }
    for (int i = 0; i < a->rows; i++) sum += a->e[i] * a->e[i];
    if (a->m == 0) return sum;
    const tml_system *s = a->r->sys;
    tml_state y = *a->r->y;
    y.q = (double *)(uintptr_t)q;
    if (s->ops->residual(s->self, a->r->work, &y, NULL, a->motion, a->phi, NULL) != TML_OK) return INFINITY;
    return sum + cost_of_opening(a);
}

// E and B at the state of the robot; e and phi are set.
static tml_status linearize(reach *a, tml_error *err)
{
    tml_robot *r = a->r;
    const tml_system *s = r->sys;
    const size_t n = (size_t)a->n, N = (size_t)s->n;
    for (int i = 0; i < a->count; i++) {
        const tml_robot_target *t = &a->target[i];
        vec3 distance, turn;
        mat3 R;
        deviation(a, i, r->y->q, &distance, &turn, &R);
        const mat3 T = tmli_so3_tangent_inverse(turn);
        double *J = r->jacobian, *E = a->E + 6 * (size_t)i * n;
        tmli_joint_space_jacobian(s, r->work, r->y, t->frame.body, v3_from(t->frame.point), J, J + 6 * N);
        for (size_t j = 0; j < n; j++) {
            const vec3 w = v3(J[3 * N + j], J[4 * N + j], J[5 * N + j]), x = m3_mulv(&T, m3_tmulv(&R, w));
            const double change[3] = {x.x, x.y, x.z};
            for (size_t k = 0; k < 3; k++) E[k * n + j] = t->weight * J[k * N + j];
            for (size_t k = 0; k < 3; k++) E[(3 + k) * n + j] = t->turn_weight * change[k];
        }
    }
    for (size_t i = 0; i < n; i++) {
        a->g[i] = 0;
        for (int k = 0; k < a->rows; k++) a->g[i] += a->E[(size_t)k * n + i] * a->e[k];
        for (size_t j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < a->rows; k++) sum += a->E[(size_t)k * n + i] * a->E[(size_t)k * n + j];
            a->H[i * n + j] = a->H[j * n + i] = sum;
        }
    }
    return a->m > 0 ? tml_robot_rows(r, a->B, NULL, err) : TML_OK;
}

// out := q moved by d (n).
static void retract(reach *a, const double *q, const double *d, double *out)
{
    memcpy(a->step, d, (size_t)a->n * sizeof *d);
    a->r->sys->ops->retract(a->r->sys->self, q, a->step, out);
}

// ---- steps ------------------------------------------------------------------------------------------------

// (2) for the coordinates that are not held, whose d is given. False: singular.
static bool solve(reach *a, double mu, double scale)
{
    const size_t n = (size_t)a->n, m = (size_t)a->m, all = n + m;
    const int size = (int)all, one = 1;
    int info = 0;
    memset(a->A, 0, all * all * sizeof *a->A);
    for (size_t i = 0; i < n; i++) {
        a->b[i] = a->held[i] ? a->d[i] : -a->g[i];
        for (size_t j = 0; j < n && !a->held[i]; j++) a->A[j * all + i] = a->H[i * n + j];
        a->A[i * all + i] = a->held[i] ? 1 : a->A[i * all + i] + mu;
        for (size_t k = 0; k < m; k++) {
            a->A[i * all + n + k] = a->B[k * n + i];
            if (!a->held[i]) a->A[(n + k) * all + i] = a->B[k * n + i];
        }
    }
    for (size_t k = 0; k < m; k++) {
        a->A[(n + k) * all + n + k] = -REACH_PRECISION / scale;
        a->b[n + k] = -a->phi[k];
    }
    tmli_dgetrf(&size, &size, a->A, &size, a->pivot, &info);
    if (info != 0) return false;
    tmli_dgetrs("N", &size, &one, a->A, &size, a->pivot, a->b, &size, &info, 1);
    for (size_t i = 0; i < n; i++)
        if (!a->held[i]) a->d[i] = a->b[i];  // those that are held are exact
    return true;
}

// Where coordinate j should be held by the last solution: at a limit that it would leave, nowhere if it would
// leave that limit inwards.
static int wanted_hold(const reach *a, int j, double mu)
{
    const size_t n = (size_t)a->n, own = (size_t)j;
    if (a->r->coords[j].quaternion) return 0;
    const double to = a->r->y->q[a->r->coords[j].q] + a->d[j];
    if (!a->held[j]) return to < a->lower[j] ? -1 : to > a->upper[j] ? 1 : 0;
    if (a->lower[j] == a->upper[j]) return a->held[j];
    double y = a->g[j] + mu * a->d[j], size = fabs(y);
    for (size_t i = 0; i < n; i++) {
        y += a->H[own * n + i] * a->d[i];
        size += fabs(a->H[own * n + i] * a->d[i]);
    }
    for (size_t k = 0; k < (size_t)a->m; k++) {
        y += a->B[k * n + own] * a->b[n + k];
        size += fabs(a->B[k * n + own] * a->b[n + k]);
    }
    return a->held[j] * y > REACH_PRECISION * size ? 0 : a->held[j];
}

static void hold(reach *a, int j, int side)
{
    a->held[j] = side;
    if (side) a->d[j] = (side < 0 ? a->lower[j] : a->upper[j]) - a->r->y->q[a->r->coords[j].q];
}

// The step of (1) with these limits. False: singular.
static bool find_step(reach *a, double mu, double scale)
{
    int least = a->n + 1, tries = REACH_BLOCKS;
    memset(a->held, 0, (size_t)a->n * sizeof *a->held);
    for (int round = 0; round < REACH_BLOCKS * (a->n + 1); round++) {
        int count = 0, last = -1;
        if (!solve(a, mu, scale)) return false;
        for (int j = 0; j < a->n; j++) {
            a->wanted[j] = wanted_hold(a, j, mu);
            if (a->wanted[j] == a->held[j]) continue;
            count++;
            last = j;
        }
        if (count == 0) return true;
        tries = count < least ? REACH_BLOCKS : tries - 1;
        if (count < least) least = count;
        for (int j = tries > 0 ? 0 : last; j <= last; j++)
            if (a->wanted[j] != a->held[j]) hold(a, j, a->wanted[j]);
    }
    for (int j = 0; j < a->n; j++) {  // round-off decides: as near as possible
        const int side = a->held[j] ? 0 : wanted_hold(a, j, mu);
        if (side) hold(a, j, side);
    }
    return true;
}

// By how much the step should make |e|^2 + s max |phi| less.
static double expected_gain(const reach *a)
{
    const size_t n = (size_t)a->n;
    double gain = cost_of_opening(a);
    for (size_t i = 0; i < n; i++) {
        double bend = 0;
        for (size_t j = 0; j < n; j++) bend += a->H[i * n + j] * a->d[j];
        gain -= (2 * a->g[i] + bend) * a->d[i];
    }
    return gain;
}

// Close the loops at q, where d has left them open by terms of second order: motions by (2) with E'e = 0 and
// the matrix of the step, within the limits. Otherwise openings would count for more than the targets, and
// only short steps would be taken.
static void close_loops(reach *a)
{
    tml_robot *r = a->r;
    const size_t n = (size_t)a->n, m = (size_t)a->m;
    const int size = (int)(n + m), one = 1;
    double before = INFINITY;
    for (int pass = 0; pass < REACH_CLOSING_PASSES && m > 0; pass++) {
        measure(a, a->q);
        const double open = largest(a->phi, a->m);
        if (!(open < before) || open < REACH_STEP) return;
        before = open;
        int info = 0;
        for (size_t j = 0; j < n; j++) a->b[j] = 0;
        for (size_t k = 0; k < m; k++) a->b[n + k] = -a->phi[k];
        tmli_dgetrs("N", &size, &one, a->A, &size, a->pivot, a->b, &size, &info, 1);
        for (size_t j = 0; j < n; j++) {
            const double q = a->q[r->coords[j].q];
            if (!r->coords[j].quaternion) a->b[j] = fmin(fmax(q + a->b[j], a->lower[j]), a->upper[j]) - q;
        }
        retract(a, a->q, a->b, a->next);
        memcpy(a->q, a->next, (size_t)r->sys->nq * sizeof *a->q);
    }
}

// Iterations from the state of the robot; e and phi are those there.
static tml_status iterate(reach *a, tml_robot_reached *out, tml_error *err)
{
    tml_robot *r = a->r;
    const tml_system *s = r->sys;
    double sum = measure(a, r->y->q), mu = -1;
    for (; out->iterations < MAX_REACH_ITERATIONS && !out->converged; out->iterations++) {
        const tml_status st = linearize(a, err);
        if (st != TML_OK) return st;
        double scale = DBL_MIN;
        for (int j = 0; j < a->n; j++) scale = fmax(scale, a->H[(size_t)j * ((size_t)a->n + 1)]);
        if (mu < 0) mu = REACH_DAMPING * scale;
        bool taken = false;
        while (!taken && !out->converged) {
            const bool solved = find_step(a, fmax(mu, REACH_PRECISION * scale), scale);
            retract(a, r->y->q, a->d, a->q);
            const double expected = solved ? expected_gain(a) : 0;
            if (solved) close_loops(a);
            const double next = solved ? measure(a, a->q) : INFINITY;
            const double gain = sum - next;
            taken = next < sum;
            // at the least sum steps are of the size of round-off and promise no more, or none makes it less
            out->converged = solved && (largest(a->d, a->n) < REACH_STEP || mu > REACH_STIFFEST * scale ||
                                        expected <= REACH_PRECISION * sum);
            if (taken) {
                memcpy(r->y->q, a->q, (size_t)s->nq * sizeof *a->q);
                sum = next;
            }
            measure(a, r->y->q);
            if (!(gain > REACH_POOR * expected)) mu *= 10;
            else if (gain > REACH_GOOD * expected) mu /= 10;
            if (!solved && mu > REACH_STIFFEST * scale) return TML_OK;
        }
    }
    return TML_OK;
}

// ---- the call ---------------------------------------------------------------------------------------------

static tml_status check_target(const tml_robot *r, const tml_robot_target *t, int i, tml_error *err)
{
    double product[9] = {0}, frame[9];
    tml_status st = tml_robot_pose((tml_robot *)(uintptr_t)r, &t->frame, NULL, frame, err);
    if (st != TML_OK) return st;
    if (!(t->weight >= 0 && t->turn_weight >= 0 && isfinite(t->weight + t->turn_weight)))
        return tmli_fail(err, TML_ERR_ARG, "target %d: its weights must be at least 0", i);
    for (int k = 0; k < 3; k++)
        if (t->weight > 0 && !isfinite(t->position[k]))
            return tmli_fail(err, TML_ERR_ARG, "target %d: its position must be finite", i);
    for (int k = 0; k < 9; k++)
        for (int j = 0; j < 3; j++) product[k] += t->axes[3 * (k / 3) + j] * t->axes[3 * (k % 3) + j];
    for (int k = 0; k < 9; k++)
        if (t->turn_weight > 0 && !(fabs(product[k] - (k % 4 == 0)) < REACH_AXES))
            return tmli_fail(err, TML_ERR_ARG, "target %d: its axes are not orthogonal unit vectors", i);
    return TML_OK;
}

// Limits, and the start within them.
static tml_status set_limits(reach *a, const double *lower, const double *upper, tml_error *err)
{
    tml_robot *r = a->r;
    for (int j = 0; j < a->n; j++) {
        const tml_robot_coordinate *c = &r->coords[j];
        a->lower[j] = lower ? lower[j] : c->lower;
        a->upper[j] = upper ? upper[j] : c->upper;
        if (!(a->lower[j] <= a->upper[j]))
            return tmli_fail(err, TML_ERR_ARG, "'%s': its limits are %g and %g", c->name, a->lower[j],
                             a->upper[j]);
    }
    for (int j = 0; j < a->n; j++) {
        double *q = &r->y->q[r->coords[j].q];
        if (!r->coords[j].quaternion) *q = fmin(fmax(*q, a->lower[j]), a->upper[j]);
    }
    memset(r->y->u, 0, (size_t)a->n * sizeof *r->y->u);
    return TML_OK;
}

static void report(const reach *a, tml_robot_reached *out)
{
    for (int i = 0; i < a->count; i++) {
        vec3 distance, turn;
        mat3 R;
        deviation(a, i, a->r->y->q, &distance, &turn, &R);
        if (a->target[i].weight > 0) out->distance = fmax(out->distance, v3_norm(distance));
        if (a->target[i].turn_weight > 0) out->angle = fmax(out->angle, v3_norm(turn));
    }
    out->opening = largest(a->phi, a->m);
}

tml_status tml_robot_reach(tml_robot *r, const tml_robot_target *targets, int count, const double *lower,
                           const double *upper, tml_robot_reached *out, tml_error *err)
{
    if (!r || !out || (!targets && count > 0)) return tmli_null_argument(err, "tml_robot_reach");
    *out = (tml_robot_reached){0};
    reach a = {.r = r, .target = targets, .count = count, .n = r->n, .m = r->sys->m, .rows = 6 * count};
    a.arena.env = &r->env;
    tml_status st = count >= 0 ? TML_OK : tmli_fail(err, TML_ERR_ARG, "tml_robot_reach: %d targets", count);
    for (int i = 0; i < count && st == TML_OK; i++) {
        st = check_target(r, &targets[i], i, err);
        a.close = fmax(a.close, fmax(targets[i].weight, targets[i].turn_weight));
    }
    a.close = REACH_CLOSING * fmax(a.close * a.close, 1);
    if (st == TML_OK) st = tmli_lapack_load(err);
    if (st == TML_OK) st = allocate(&a, err);
    if (st == TML_OK) st = set_limits(&a, lower, upper, err);
    if (st == TML_OK) st = iterate(&a, out, err);
    if (st == TML_OK) {
        report(&a, out);
        tmli_robot_moved(r);
    }
    tmli_arena_clear(&a.arena);
    return st;
}
