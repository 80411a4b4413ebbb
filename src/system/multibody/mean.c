// Means of forces and constraint rows over a step that balance its energy exactly (docs/theory/decay.md).
//
// A step moves every node from start to end by the increment d; its middle is q0 (+) d/2 with u = d/h. With
// the potential U of an element, the power P of its other forces, and the rows B of a constraint,
//   Q^ = Q - [U1 - U0 - h P + Q.d] w,        w.d = 1                                                     (1)
//   B^ = B + [Phi(q1) - Phi(q0) - B d] w'                                                                (2)
// all else at the middle: then Q^.d = U0 - U1 + h P and B^ d = Phi(q1) - Phi(q0). w is along d. The brackets
// are of third order in d. Elements may have their own means (`mean` of force.h).
//
// Rotation of a body: J (w1 - w0)/h + g w x J w, w = d/h. The gyroscopic moment does no work. With d = h (w0
// + w1)/2 and g = tan(a/2)/(a/2), a = |d|, a free body keeps its angular momentum R J w as well:
//   R1 J w1 - R0 J w0 = R0 (1 - c~/2)^-1 [J (w1 - w0) + c x J (w0 + w1)/2],   c = 2 tan(a/2) d/a         (3)
// because R0'R1 = (1 - c~/2)^-1 (1 + c~/2).
#include "system/multibody/multibody.h"

#include <math.h>
#include <string.h>

static tmli_view view_of(const tml_model *m, tmli_work *w, const tml_state *x, const tmli_pose *pose)
{
    return (tmli_view){.m = m, .x = x, .pose = pose, .w = w};
}

tmli_step_view tmli_mb_step_view(const tml_model *m, tmli_work *w, const tml_step *step)
{
    tmli_mb_poses(m, step->start->q, w->before);
    tmli_mb_poses(m, step->end->q, w->later);
    tmli_mb_set_increments(m, w, step->start, step->d);
    return (tmli_step_view){.start = view_of(m, w, step->start, w->before),
                            .middle = view_of(m, w, step->middle, w->pose),
                            .end = view_of(m, w, step->end, w->later),
                            .d = step->d,
                            .h = step->h,
                            .decay = step->decay};
}

// ---- forces -----------------------------------------------------------------------------------------------

// Q (6 nslots) += (1)
static void add_corrected(const tmli_force *f, const tmli_step_view *s, double *Q)
{
    double *const d = s->middle.w->gd;
    double U[2] = {0}, at_middle = 0, work = 0;
    double P[TMLI_WORK_KINDS] = {0}, none[TMLI_WORK_KINDS] = {0}, power = 0;
    if (f->ops->force) f->ops->force(f, &s->middle, Q);
    if (!f->ops->energy) return;
    const double arm = tmli_force_arm(f->plan.nslots, Q);
    f->ops->energy(f, &s->start, &U[0], none);
    f->ops->energy(f, &s->end, &U[1], none);
    f->ops->energy(f, &s->middle, &at_middle, P);
    for (int kind = 0; kind < TMLI_WORK_KINDS; kind++) power += P[kind];
    tmli_force_increments(f, s, d);
    for (int i = 0; i < 6 * f->plan.nslots; i++) work += Q[i] * d[i];
    tmli_force_add_work(f->plan.nslots, d, arm, false, s->h * power - (U[1] - U[0]) - work,
                        fabs(U[0]) + fabs(U[1]) + fabs(work), Q);
}

static void add_forces(const tml_model *m, tmli_work *w, const tmli_step_view *s, double *motion)
{
    for (int i = 0; i < m->nforces; i++) {
        const tmli_force *f = &m->force[i];
        double *const Q = w->B;  // not in use here, and large enough
        memset(Q, 0, 6 * (size_t)f->plan.nslots * sizeof(double));
        if (f->ops->mean) f->ops->mean(f, s, Q);
        else add_corrected(f, s, Q);
        for (int k = 0; k < f->plan.nact; k++) motion[f->plan.global[k]] -= Q[f->plan.act[k]];
    }
}

// (3): g - 1. Beyond a quarter turn per step no such scheme follows the rotation.
static void add_gyroscopic(const tml_model *m, const tml_step *step, double *motion)
{
    const double quarter_turn = 1.57079632679489661923;
    for (int i = 0; i < m->nbodies && !m->planar; i++) {
        const tmli_node *node = &m->node[i];
        double d[6], u[6], out[6] = {0};
        if (node->ncoords != 6) continue;
        tmli_node_velocity(m, step->d, i, d);
        tmli_node_velocity(m, step->middle->u, i, u);
        const double half = fmin(v3_norm(v3_from(d + 3)), quarter_turn) / 2;
        const vec3 om = v3_from(u + 3);
        const double factor = half > 0 ? tan(half) / half - 1 : 0;
        v3_store(v3_scale(factor, v3_cross(om, m3_mulv(&node->J, om))), out + 3);
        for (int k = 3; k < 6; k++) motion[node->first + k] += out[k];
    }
}

// ---- constraints ------------------------------------------------------------------------------------------

static bool touches_ground(const tmli_constraint *c)
{
    for (int k = 0; k < c->nterms; k++)
        if (c->term[k].slot[0] < 0 || c->term[k].slot[1] < 0) return true;
    return false;
}

// motion += B^'lambda, (2); the increments of the step are set. Rows at velocity level have no change of Phi
// that B^ could give: they are those of the middle.
static void add_constraints(const tml_model *m, tmli_work *w, const tml_step *step, double *motion)
{
    double *const d = w->gd;
    for (int i = 0; i < m->nconstraints; i++) {
        const tmli_constraint *c = &m->constraint[i];
        const int width = 6 * c->plan.nslots;
        const bool relative = !touches_ground(c);
        tmli_pose *const middle = w->pose;
        double change[TMLI_JOINT_ROWS];
        if (tmli_is_released(c, step->middle)) continue;
        w->pose = w->before;  // changes are from the start
        tmli_mb_constraint_increment(m, w, step->start, c, step->d, step->start->t, change);
        w->pose = middle;
        tmli_mb_constraint_rows(m, w, c);
        for (int s = 0; s < c->plan.nslots; s++) tmli_node_velocity(m, step->d, c->plan.node[s], d + 6 * s);
        for (int r = 0; r < c->nrows; r++) {
            double *row = w->B + r * width, rest = change[r];
            const double lambda = step->middle->lambda[c->first + r],
                         arm = tmli_force_arm(c->plan.nslots, row);
            for (int k = 0; k < width; k++) rest -= row[k] * d[k];
            if (!c->rate[r]) tmli_force_add_work(c->plan.nslots, d, arm, relative, rest, 0, row);
            for (int k = 0; k < c->plan.nact; k++) motion[c->plan.global[k]] += lambda * row[c->plan.act[k]];
        }
    }
}

tml_status tmli_mb_mean_residual(const void *self, void *work, const tml_step *step, double *motion,
                                 tml_error *err)
{
    const tml_model *m = self;
    tmli_work *w = work;
    memset(motion, 0, (size_t)m->n * sizeof(double));
    tmli_mb_set_poses(m, w, step->middle->q);
    const tmli_step_view view = tmli_mb_step_view(m, w, step);
    tmli_mb_add_inertia(m, step->middle, motion);
    add_gyroscopic(m, step, motion);
    add_forces(m, w, &view, motion);
    add_constraints(m, w, step, motion);
    double sum = 0;
    for (int j = 0; j < m->n; j++) sum += motion[j] * 0;  // NaN if any entry is not finite
    if (sum == 0) return TML_OK;
    return tmli_fail(err, TML_ERR_NAN, "mean forces over a step are not finite at t = %g s", step->middle->t);
}
