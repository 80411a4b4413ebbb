// States for results: coordinates and velocities on the loops, accelerations, and the multipliers of all
// joints of the model, by the articulated inertias of the tree.
//
// The coordinates are corrected in least energy, B d = -Phi, with the matrix of the state as given, as often
// as its error asks for, then the velocities. The reaction of a tree joint balances all that acts outward of
// it: with the wrench W of inertia, forces and loops of the bodies that the joint carries, at its child,
//   B_c' lambda = -W                                                                                      (1)
// where B_c are the columns of the child in the rows of the joint. W has no part along the coordinates of the
// joint, so (1) can be solved, and B_c has full rank in a tree joint. It is solved by the normal equations
// with moments over the length of the model: few unknowns, and the rows of a joint are nearly orthogonal.
#include "linalg/dense/small.h"
#include "system/joint_space/internal.h"
#include "system/state/first_order.h"
#include "system/state/move.h"
#include "system/state/units.h"

#include <float.h>
#include <string.h>

#include "system/joint_space/constants.h"

// ---- loops ------------------------------------------------------------------------------------------------

static void find_gaps(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *y, double *gap)
{
    tmli_joint_space_positions(s, w, y->q);
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        double value[TMLI_JOINT_ROWS];
        tmli_mb_constraint_value(s->model, w->base, y, &s->model->constraint[p->constraint], value);
        for (int r = 0; r < p->nrows; r++) gap[p->first + r] = value[p->keep + r];
    }
}

// *moved: the largest correction [model lengths or rad]. The first correction leaves its square over the
// smallest pivot, later ones fall by the observed rate.
static bool close_positions(const tmli_joint_space *s, tmli_joint_space_work *w, tml_state *y, double *moved)
{
    double last = CLOSING_PIVOT;
    for (int i = 0; i < CLOSING_ITERATIONS; i++) {
        find_gaps(s, w, y, w->rows);
        tmli_joint_space_close(s, w, w->rows, w->scratch);
        const double size = tmli_largest_motion(&s->system, tmli_mechanical(&s->system), w->scratch);
        if (!(size <= CLOSING_MOTION)) return false;
        *moved = fmax(*moved, size);
        tmli_state_move(&s->system, y, w->scratch, y);
        if (size * (size / last) < DBL_EPSILON || size < CLOSED_MOTION) return true;
        if (i > 0 && size > last) return false;
        last = size;
    }
    return false;
}

// By a matrix of a configuration `moved` away, which leaves that share of the residual.
static bool close_velocities(const tmli_joint_space *s, tmli_joint_space_work *w, tml_state *y, double moved)
{
    double left = INFINITY;
    for (int i = 0; i < CLOSING_ITERATIONS && left > CLOSED_MOTION; i++) {
        const double speed = tmli_largest_motion(&s->system, tmli_mechanical(&s->system), y->u);
        if (s->system.ops->velocity(s, w, y, w->rows, NULL) != TML_OK) return false;
        tmli_joint_space_close(s, w, w->rows, w->scratch);
        const double size = tmli_largest_motion(&s->system, tmli_mechanical(&s->system), w->scratch);
        if (!(size <= CLOSING_MOTION * speed)) return speed == 0 && size == 0;
        for (int j = 0; j < s->n; j++) y->u[j] += w->scratch[j];
        left = moved * size / speed;
    }
    return left <= CLOSED_MOTION;
}

static bool close_and_accelerate(const tmli_joint_space *s, tmli_joint_space_work *w, tml_state *y)
{
    double moved = 0;
    if (!tmli_joint_space_articulate(s, w, y)) return false;
    if (s->nloops > 0) {
        const double least = CLOSING_PIVOT * CLOSING_PIVOT;
        if (!(w->smallest_pivot > least && close_positions(s, w, y, &moved))) return false;
        if (moved > NEARBY_MOTION) {
            if (!tmli_joint_space_articulate(s, w, y)) return false;
            moved = 0;
        }
        if (!close_velocities(s, w, y, moved)) return false;
    }
    return tmli_joint_space_accelerate_nearby(s, w, y, NULL) == TML_OK;
}

// ---- tree joints ------------------------------------------------------------------------------------------

// lambda of (1); f, n: W in world axes, the moment about P.
static bool solve_joint(const tmli_joint_space *s, tmli_joint_space_work *w, const tmli_tree_joint *b,
                        const tmli_tree_body *x, vec3 f, vec3 n, double *lambda)
{
    const tmli_constraint *c = &s->model->constraint[b->constraint];
    const tmli_node *node = &s->model->node[b->node];
    const int rows = b->solved;
    double six[6], A[TMLI_JOINT_ROWS * TMLI_JOINT_ROWS], inv[TMLI_JOINT_ROWS], scale[TMLI_JOINT_ROWS];
    const vec3 moment = v3_sub(n, v3_cross(x->c, f));
    v3_store(f, six);
    v3_store(s->planar ? moment : m3_tmulv(&x->R, moment), six + 3);
    int slot = 0;
    while (c->plan.node[slot] != b->node) slot++;
    tmli_mb_constraint_rows(s->model, w->base, c);
    const double unit[2] = {1, 1 / (s->system.length * s->system.length)};
    const ptrdiff_t width = (ptrdiff_t)6 * c->plan.nslots;
    const double *B = w->base->B + (ptrdiff_t)6 * slot;
    for (int i = 0; i < rows; i++) {
        lambda[i] = 0;
        for (int k = 0; k < node->ncoords; k++)
            lambda[i] -= unit[node->local[k] >= 3] * B[i * width + node->local[k]] * six[node->local[k]];
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < node->ncoords; k++)
                sum +=
                    unit[node->local[k] >= 3] * B[i * width + node->local[k]] * B[j * width + node->local[k]];
            A[j * rows + i] = sum;
        }
        scale[i] = A[i * rows + i];
    }
    if (!tmli_small_cholesky(rows, A, inv, scale)) return false;
    tmli_small_lower(rows, A, inv, lambda);
    tmli_small_upper(rows, A, inv, lambda);
    return true;
}

// x: of the base, with q, u, udot and the multipliers of the loops; adds those of the tree joints. w->force
// has the forces.
static bool find_tree_multipliers(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *y,
                                  tml_state *x)
{
    const tml_model *m = s->model;
    const tml_state at = tmli_joint_space_base_state(s, w, y, false);
    if (m->nforces == 0) memset(w->force, 0, (size_t)m->n * sizeof *w->force);
    tmli_mb_add_inertia(m, x, w->force);
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        const tmli_constraint *c = &m->constraint[p->constraint];
        tmli_mb_constraint_rows(m, w->base, c);
        for (int r = 0; r < p->nrows; r++) {
            const double *row = w->base->B + (ptrdiff_t)(p->keep + r) * 6 * c->plan.nslots;
            for (int k = 0; k < c->plan.nact; k++)
                w->force[c->plan.global[k]] += row[c->plan.act[k]] * y->lambda[p->first + r];
        }
    }
    tmli_joint_space_wrenches(s, w, w->force);
    for (int i = 0; i < s->nscalar; i++) {  // a moment about the axis, and its reaction on the parent
        const tmli_tree_joint *b = &s->joint[s->scalar[i].joint];
        tmli_tree_body *body = &w->body[s->scalar[i].joint];
        const double F = tmli_joint_space_along_force(s, w, y, &at, i);
        const vec3 axis = body->motion[b->nslide].w;
        body->n = v3_axpy(F, axis, body->n);
        if (b->parent >= 0) w->body[b->parent].n = v3_axpy(-F, axis, w->body[b->parent].n);
    }
    for (int i = s->njoints - 1; i >= 0; i--) {
        const tmli_tree_joint *b = &s->joint[i];
        const tmli_tree_body *body = &w->body[i];
        if (b->solved > 0 &&
            !solve_joint(s, w, b, body, body->f, body->n, x->lambda + m->constraint[b->constraint].first))
            return false;
        if (b->parent >= 0) tmli_joint_space_pass_wrench(body, &w->body[b->parent]);
    }
    return tmli_joint_space_all_finite(x->lambda, x->m);
}

bool tmli_joint_space_settle(const tml_system *sys, void *work, tml_state *y)
{
    const tmli_joint_space *s = sys->self;
    const tml_model *m = s->model;
    if (m->level || m->loads || m->has_inertia) return false;
    for (int i = 0; i < s->njoints; i++)
        if (s->joint[i].point && s->joint[i].constraint >= 0) return false;
    return close_and_accelerate(s, work, y);
}

bool tmli_joint_space_complete(const tml_system *sys, void *work, const tml_state *y, tml_state *x)
{
    tmli_joint_space_to_base(sys, work, y, x);
    return find_tree_multipliers(sys->self, work, y, x);
}
