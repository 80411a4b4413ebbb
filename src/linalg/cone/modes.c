// The points of an island solved at once, for given modes: open, sticking, or slipping in a direction t,
//   open   r = 0       stick   u_N = b, u_T = 0       slip   u_N = b, r_T = -mu r_N t                    (1)
// Points of a face are redundant, and the matrix of (1) is singular. With a small shift e of its diagonal it
// has a solution of nearly least size, and refinement removes the shift from the velocities:
//   (A + e) dr = -(u - b)   in the rows of (1),   r += dr                                                (2)
// Points that pull open, open ones that would close stick, those beyond the cone slip against their force,
// those whose slip has turned round stick; directions follow the slip. The result counts if the residual of
// all points is less than before.
#include "linalg/cone/internal.h"

#include <math.h>
#include <string.h>

#include "linalg/cone/constants.h"

static void set_impulse(tmli_cone *c, tmli_cone_point *p, const double r[3])
{
    const double dr[3] = {r[0] - p->r[0], r[1] - p->r[1], r[2] - p->r[2]};
    tmli_cone_push(c, p, dr);
    memcpy(p->r, r, sizeof p->r);
}

static void set_slip(tmli_cone_mode *m, double x, double y)
{
    const double size = hypot(x, y);
    m->kind = TMLI_CONE_SLIP;
    m->t[0] = size > 0 ? x / size : 1;
    m->t[1] = size > 0 ? y / size : 0;
}

// The mode of a point by its impulse.
static void first_mode(const tmli_cone_point *p, tmli_cone_mode *m)
{
    const double size = hypot(p->r[1], p->r[2]);
    *m = (tmli_cone_mode){.kind = TMLI_CONE_OPEN};
    if (!(p->r[0] > 0)) return;
    m->kind = TMLI_CONE_STICK;
    if (p->mu == 0) {
        m->kind = TMLI_CONE_SLIP;  // without a direction
        return;
    }
    if (size < p->mu * p->r[0] * (1 - INSIDE_CONE)) return;
    set_slip(m, -p->r[1], -p->r[2]);
}

// The mode that follows from a solution; true: it is another one, or its direction has turned.
static bool next_mode(const tmli_cone *c, const tmli_cone_point *p, double slow, tmli_cone_mode *m)
{
    double u[3];
    const tmli_cone_mode before = *m;
    tmli_cone_velocity(c, p, u);
    if (m->kind == TMLI_CONE_OPEN) {
        if (u[0] < p->b - slow) m->kind = p->mu > 0 ? TMLI_CONE_STICK : TMLI_CONE_SLIP;
    } else if (!(p->r[0] > 0)) {
        m->kind = TMLI_CONE_OPEN;
    } else if (m->kind == TMLI_CONE_STICK) {
        if (hypot(p->r[1], p->r[2]) > p->mu * p->r[0]) set_slip(m, -p->r[1], -p->r[2]);
    } else if (p->mu > 0 && hypot(u[1], u[2]) > slow) {
        if (u[1] * m->t[0] + u[2] * m->t[1] < 0) m->kind = TMLI_CONE_STICK;
        else set_slip(m, u[1], u[2]);
    }
    return m->kind != before.kind || m->t[0] != before.t[0] || m->t[1] != before.t[1];
}

// c->dense (n x n) := A + e of (2)
static void assemble(tmli_cone *c, const int *order, int count, int n)
{
    double trace = 0, W[9], *const A = c->dense;
    for (int i = 0, row = 0; i < count; row += tmli_cone_rows(&c->mode[i++]))
        for (int j = 0, column = 0; j < count; column += tmli_cone_rows(&c->mode[j++])) {
            const tmli_cone_point *p = &c->point[order[i]], *q = &c->point[order[j]];
            const tmli_cone_mode *m = &c->mode[j];
            if (tmli_cone_rows(&c->mode[i]) == 0 || tmli_cone_rows(m) == 0) continue;
            tmli_cone_block(c, p, q, W);
            for (int a = 0; a < tmli_cone_rows(&c->mode[i]); a++) {
                double *const out = A + (row + a) * n + column;
                if (m->kind == TMLI_CONE_STICK) memcpy(out, W + 3 * a, 3 * sizeof *out);
                else *out = W[3 * a] - q->mu * (W[3 * a + 1] * m->t[0] + W[3 * a + 2] * m->t[1]);
            }
        }
    for (int i = 0; i < n; i++) trace += A[i * n + i];
    for (int i = 0; i < n; i++) A[i * n + i] += DIRECT_SHIFT * trace / n;
}

// LU with partial pivoting in place; false: singular.
static bool factor(double *A, int *pivot, int n)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
        pivot[k] = best;
        if (A[best * n + k] == 0) return false;
        for (int j = 0; j < n && best != k; j++) {
            const double kept = A[k * n + j];
            A[k * n + j] = A[best * n + j];
            A[best * n + j] = kept;
        }
        for (int i = k + 1; i < n; i++) {
            const double l = A[i * n + k] /= A[k * n + k];
            if (l == 0) continue;
            for (int j = k + 1; j < n; j++) A[i * n + j] -= l * A[k * n + j];
        }
    }
    return true;
}

static void solve(const double *A, const int *pivot, int n, double *x)
{
    for (int k = 0; k < n; k++) {
        const double kept = x[pivot[k]];
        x[pivot[k]] = x[k];
        x[k] = kept;
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++) x[i] -= A[i * n + k] * x[k];
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) x[i] -= A[i * n + k] * x[k];
        x[i] /= A[i * n + i];
    }
}

// (2) from the impulse 0 on.
static void refine(tmli_cone *c, const int *order, int count, int n)
{
    double *const x = c->rhs, u[3];
    for (int pass = 0; pass < DIRECT_PASSES; pass++) {
        for (int i = 0, row = 0; i < count; i++) {
            const tmli_cone_point *p = &c->point[order[i]];
            tmli_cone_velocity(c, p, u);
            u[0] -= p->b;
            for (int k = 0; k < tmli_cone_rows(&c->mode[i]); k++) x[row++] = -u[k];
        }
        if (c->bodies.n > 0) tmli_cone_bodies_solve(c, order, count, x);
        else solve(c->dense, c->pivot, n, x);
        for (int i = 0, row = 0; i < count; i++) {
            tmli_cone_point *p = &c->point[order[i]];
            const tmli_cone_mode *m = &c->mode[i];
            double r[3] = {p->r[0], p->r[1], p->r[2]};
            for (int k = 0; k < tmli_cone_rows(m); k++) r[k] += x[row++];
            if (m->kind == TMLI_CONE_SLIP)
                for (int k = 0; k < 2; k++) r[1 + k] = -p->mu * r[0] * m->t[k];
            if (m->kind != TMLI_CONE_OPEN) set_impulse(c, p, r);
        }
    }
}

static bool factor_modes(tmli_cone *c, const int *order, int count, int n)
{
    if (c->bodies.n > 0) return tmli_cone_bodies_factor(c, order, count, DIRECT_SHIFT);
    assemble(c, order, count, n);
    return factor(c->dense, c->pivot, n);
}

// Points that bear hardly anything beside others where all stick may as well be open: then others bear it.
static void open_idle(tmli_cone *c, const int *order, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++) most = fmax(most, c->point[order[i]].r[0]);
    for (int i = 0; i < count; i++)
        if (c->point[order[i]].r[0] < LIGHT_LOAD * most) c->mode[i].kind = TMLI_CONE_OPEN;
}

double tmli_cone_at_once(tmli_cone *c, const int *order, int count, bool stick, double residual,
                         double wanted)
{
    static const double none[3] = {0};
    tmli_cone_keep(c, order, count);
    for (int i = 0; i < count; i++) {
        first_mode(&c->point[order[i]], &c->mode[i]);
        if (stick) c->mode[i].kind = c->point[order[i]].mu > 0 ? TMLI_CONE_STICK : TMLI_CONE_SLIP;
        set_impulse(c, &c->point[order[i]], none);
    }
    tmli_cone_copy_velocities(c, order, count, c->v, c->free);
    // large islands over points have fewer trials, as many as small ones would have for the same time
    const double part = DIRECT_USUAL / (double)count;
    const int most =
        part < 1 && c->bodies.n == 0 ? (int)ceil(DIRECT_TRIALS * part * part * part) : DIRECT_TRIALS;
    for (int trial = 0; trial < most && residual > wanted; trial++) {
        int n = 0;
        bool changed = false;
        tmli_cone_copy_velocities(c, order, count, c->free, c->v);
        for (int i = 0; i < count; i++) {
            n += tmli_cone_rows(&c->mode[i]);
            memset(c->point[order[i]].r, 0, sizeof c->point->r);
        }
        if (n > 0) {
            if (!factor_modes(c, order, count, n)) break;
            refine(c, order, count, n);
        }
        const double found = tmli_cone_island_residual(c, order, count);
        if (found < residual) {
            residual = found;
            tmli_cone_keep(c, order, count);
        }
        for (int i = 0; i < count; i++)
            changed = next_mode(c, &c->point[order[i]], wanted, &c->mode[i]) || changed;
        if (!changed) break;
        if (trial == 0 && stick) open_idle(c, order, count);
    }
    tmli_cone_restore(c, order, count);
    return residual;
}
