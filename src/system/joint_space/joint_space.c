// The system in joint coordinates: its parts, names, and the functions of the contract that follow from
//   U = H(q) u,   A = H udot + h(q, u)            velocities and accelerations of the bodies            (1)
//   M_q = H'M H,  f_q = H'(f - M h),  B_q = B H,  gamma_q = gamma - B h                                  (2)
// with M, f, B, gamma of the model; rows of B whose joints are solved for are left out. H and H' are never
// formed: they are passages from parents to children and back (joints_kinematics.c).
#include "linalg/pattern/pattern.h"
#include "system/joint_space/internal.h"

#include <stdio.h>
#include <string.h>

// ---- scratch ----------------------------------------------------------------------------------------------

static void destroy_work(void *p)
{
    tmli_joint_space_work *w = p;
    if (!w) return;
    const tml_env env = w->env;
    if (w->base) w->system->ops->destroy_work(w->base);
    tml_state_destroy(w->later, w->system);
    tmli_free(&env, w->place);
    tmli_free(&env, w->flat);
    tmli_free(&env, w->step);
    tmli_free(&env, w->q);
    tmli_free(&env, w);
}

static double *carve(double **next, size_t count)
{
    double *p = *next;
    *next += count;
    return p;
}

static void *create_work(const void *self, const tml_env *env)
{
    const tmli_joint_space *s = self;
    const tml_model *model = s->model;
    tmli_joint_space_work *w = tmli_calloc(env, 1, sizeof *w);
    if (!w) return NULL;
    if (env) w->env = *env;
    w->system = s->base;
    const size_t n = (size_t)s->n, nq = (size_t)s->nq, m = (size_t)s->m, limbs = (size_t)s->nlimbs;
    const size_t bn = (size_t)model->n, bm = (size_t)model->m, bq = 7 * (size_t)model->nnodes;
    const size_t slots = (size_t)(model->max_slots > 2 ? model->max_slots : 2);
    const size_t blocks = 36 * (size_t)s->blocks.count;
    const size_t matrix = s->matrix ? 24 * n + 3 * n * n + 24 * slots * n + 2 * blocks + m : 0;
    w->base = s->base->ops->create_work(s->base->self, env);
    w->place = tmli_calloc(env, limbs, sizeof *w->place);
    w->flat = tmli_calloc(env, s->planar ? limbs : 1, sizeof *w->flat);
    w->step = tmli_calloc(env, s->planar ? limbs : 1, sizeof *w->step);
    w->q = tmli_calloc(env,
                       2 * nq + 5 * n + 3 * bn + bm + bq + 4 * m + (size_t)s->eps_size +
                           (size_t)s->skyline[s->m] +
                           6 * (size_t)(model->max_rows > 2 ? model->max_rows : 2) * limbs + matrix,
                       sizeof(double));
    if (tml_state_create(s->base, &w->later, NULL) != TML_OK || !w->base || !w->place || !w->flat ||
        !w->step || !w->q) {
        destroy_work(w);
        return NULL;
    }
    double *next = w->q;
    carve(&next, nq);
    w->q_step = carve(&next, nq);
    w->u = carve(&next, n);
    w->scratch = carve(&next, n);
    w->unit = carve(&next, n);
    w->inv = carve(&next, n);
    w->gen = carve(&next, n);
    w->bu = carve(&next, bn);
    w->budot = carve(&next, bn);
    w->force = carve(&next, bn);
    w->blambda = carve(&next, bm);
    w->bq = carve(&next, bq);
    w->gamma = carve(&next, m);
    w->apart = carve(&next, m);
    w->schur_inv = carve(&next, m);
    w->lambda = carve(&next, m);
    w->eps = carve(&next, (size_t)s->eps_size);
    w->schur = carve(&next, (size_t)s->skyline[s->m]);
    w->loop_f = carve(&next, 6 * (size_t)(model->max_rows > 2 ? model->max_rows : 2) * limbs);
    if (s->matrix) {
        w->Hc = carve(&next, 6 * n);
        w->dU = carve(&next, 6 * n);
        w->dA = carve(&next, 6 * n);
        w->dAu = carve(&next, 6 * n);
        w->dense = carve(&next, 3 * n * n);
        w->product = carve(&next, 24 * slots * n);
        w->blockK = carve(&next, blocks);
        w->blockD = carve(&next, blocks);
        w->zeros = carve(&next, m);
    }
    for (int i = 0; i < model->nnodes; i++) {  // poses of points and of the plane change in part only
        const tmli_pose start = tmli_node_start_pose(model, i);
        w->base->pose[i] = start;
    }
    for (int i = 0; i < s->nlimbs; i++)
        if (s->limb[i].swivel == TMLI_SWIVEL_BALL)
            for (int k = 0; k < 3; k++)
                w->place[i].motion[s->limb[i].nslide + k].w = v3(k == 0, k == 1, k == 2);
    return w;
}

tml_state tmli_joint_space_base_state(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                                      bool accelerate)
{
    const tml_model *m = s->model;
    tml_state y = {.t = x->t,
                   .nq = 7 * m->nnodes,
                   .n = m->n,
                   .m = m->m,
                   .na = x->na,
                   .nmode = x->nmode,
                   .q = w->bq,
                   .u = w->bu,
                   .udot = w->budot,
                   .lambda = w->blambda,
                   .angle = x->angle,
                   .mode = x->mode};
    if (!accelerate) return y;
    tmli_joint_space_accelerations(s, w, x->udot, w->budot);
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        const int first = m->constraint[p->constraint].first + p->keep;
        for (int r = 0; r < p->nrows; r++) w->blambda[first + r] = x->lambda[p->first + r];
    }
    return y;
}

// ---- when numbers run away --------------------------------------------------------------------------------

tml_status tmli_joint_space_report_nonfinite(const tmli_joint_space *s, tmli_joint_space_work *w,
                                             const tml_state *x, int lost, tml_error *err)
{
    tmli_joint_space_velocities(s, w, x->q, x->u);
    tmli_joint_space_base_positions(s, w);
    const tml_state y = tmli_joint_space_base_state(s, w, x, false);
    tml_status st = s->base->ops->dynamics(s->base->self, w->base, &y, w->force, w->blambda, err);
    memset(w->blambda, 0, (size_t)s->model->m * sizeof *w->blambda);
    w->placed = w->moving = w->flat_placed = w->flat_moving = false;
    if (st != TML_OK) return st;
    char name[160];
    if (lost >= 0)
        return tmli_fail(
            err, TML_ERR_SINGULAR,
            "nothing with inertia moves with joint coordinate '%s' at t = %g s; give its body mass and "
            "inertia, or use kinematics: bodies",
            s->system.coordinate_name(&s->system, lost, name, sizeof name), x->t);
    return tmli_fail(err, TML_ERR_NAN, "accelerations or multipliers are not finite at t = %g s", x->t);
}

static bool finite_all(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * 0;
    return sum == 0;
}

tml_status tmli_joint_space_check(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                                  tml_error *err)
{
    if (finite_all(x->udot, s->n) && finite_all(x->lambda, s->m)) return TML_OK;
    return tmli_joint_space_report_nonfinite(s, w, x, -1, err);
}

// ---- residuals and rows -----------------------------------------------------------------------------------

static tml_status residual_rows(const void *self, void *work, const tml_state *x, const double *p,
                                double *motion, double *phi, double *rows, tml_error *err)
{
    const tmli_joint_space *s = self;
    tmli_joint_space_work *w = work;
    const tml_model *m = s->model;
    tmli_joint_space_velocities(s, w, x->q, x->u);
    const tml_state y = tmli_joint_space_base_state(s, w, x, true);
    double *wrench = w->force;
    memset(wrench, 0, (size_t)m->n * sizeof *wrench);
    tmli_mb_add_inertia(m, &y, wrench);
    tmli_mb_add_forces(m, w->base, &y, wrench);
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *loop = &s->loop[i];
        const tmli_constraint *c = &m->constraint[loop->constraint];
        double value[TMLI_JOINT_ROWS];
        tmli_mb_constraint_value_rows(m, w->base, x, c, value);
        for (int r = 0; r < loop->nrows; r++) {
            const int j = loop->first + r;
            const double *row = w->base->B + (loop->keep + r) * 6 * c->plan.nslots;
            phi[j] = value[loop->keep + r];
            const double mu = x->lambda[j] + (p ? p[j] * phi[j] : 0);
            for (int k = 0; k < c->plan.nact; k++) wrench[c->plan.global[k]] += row[c->plan.act[k]] * mu;
        }
        if (rows) tmli_joint_space_row_values(s, w, loop, w->base->B, rows + loop->eps);
    }
    tmli_joint_space_project(s, w, wrench, motion);
    if (finite_all(motion, s->n) && finite_all(phi, s->m)) return TML_OK;
    return tmli_joint_space_report_nonfinite(s, w, x, -1, err);
}

tml_status tmli_joint_space_residual(const void *self, void *work, const tml_state *x, const double *p,
                                     double *motion, double *phi, tml_error *err)
{
    return residual_rows(self, work, x, p, motion, phi, NULL, err);
}

static tml_status rows(const void *self, void *work, const tml_state *x, double *values, tml_error *err)
{
    const tmli_joint_space *s = self;
    tmli_joint_space_work *w = work;
    (void)err;
    if (s->planar) {
        tmli_joint_space_rows_planar(s, w, x->q, values);
        return TML_OK;
    }
    tmli_joint_space_positions(s, w, x->q);
    for (int i = 0; i < s->nloops; i++) {
        tmli_mb_constraint_rows(s->model, w->base, &s->model->constraint[s->loop[i].constraint]);
        tmli_joint_space_row_values(s, w, &s->loop[i], w->base->B, values + s->loop[i].eps);
    }
    return TML_OK;
}

static tml_status velocity(const void *self, void *work, const tml_state *x, double *phidot, tml_error *err)
{
    const tmli_joint_space *s = self;
    tmli_joint_space_work *w = work;
    (void)err;
    if (s->planar) {
        tmli_joint_space_velocity_planar(s, w, x, phidot);
        return TML_OK;
    }
    tmli_joint_space_velocities(s, w, x->q, x->u);
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        const tmli_constraint *c = &s->model->constraint[p->constraint];
        double jet[3];
        tmli_mb_constraint_time(c, x, jet);
        tmli_mb_constraint_rows(s->model, w->base, c);
        for (int r = 0; r < p->nrows; r++) {
            double sum = p->keep + r == 0 ? -jet[1] : 0;
            const double *row = w->base->B + (p->keep + r) * 6 * c->plan.nslots;
            for (int k = 0; k < c->plan.nact; k++) sum += row[c->plan.act[k]] * w->bu[c->plan.global[k]];
            phidot[p->first + r] = sum;
        }
    }
    return TML_OK;
}

static tml_status dynamics(const void *self, void *work, const tml_state *x, double *f, double *gamma,
                           tml_error *err)
{
    const tmli_joint_space *s = self;
    tmli_joint_space_work *w = work;
    const tml_model *m = s->model;
    tmli_joint_space_velocities(s, w, x->q, x->u);
    tmli_joint_space_accelerations(s, w, NULL, w->budot);
    const tml_state y = tmli_joint_space_base_state(s, w, x, false);
    double *wrench = w->force;
    memset(wrench, 0, (size_t)m->n * sizeof *wrench);
    tmli_mb_add_inertia(m, &y, wrench);
    tmli_mb_add_forces(m, w->base, &y, wrench);
    tmli_joint_space_project(s, w, wrench, f);
    for (int j = 0; j < s->n; j++) f[j] = -f[j];
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        const tmli_constraint *c = &m->constraint[p->constraint];
        double value[TMLI_JOINT_ROWS];
        tmli_mb_constraint_gamma(m, w->base, &y, c, value);
        tmli_mb_constraint_rows(m, w->base, c);
        for (int r = 0; r < p->nrows; r++) {
            const double *row = w->base->B + (p->keep + r) * 6 * c->plan.nslots;
            double sum = value[p->keep + r];
            for (int k = 0; k < c->plan.nact; k++) sum -= row[c->plan.act[k]] * w->budot[c->plan.global[k]];
            gamma[p->first + r] = sum;
        }
    }
    if (finite_all(f, s->n) && finite_all(gamma, s->m)) return TML_OK;
    return tmli_joint_space_report_nonfinite(s, w, x, -1, err);
}

// ---- increments of constraints without cancellation -------------------------------------------------------

static vec3 change(const mat3 *R, const tmli_pose_increment *t, vec3 v)  // (R exp(th) - R) v
{
    const vec3 a = v3_cross(t->th, v);
    return m3_mulv(R, v3_add(v3_scale(t->s, a), v3_scale(t->c, v3_cross(t->th, a))));
}

static vec3 after(vec3 a, vec3 b)  // rotation vector of exp(a) exp(b)
{
    return tmli_so3_log(q_mul(tmli_so3_exp(a), tmli_so3_exp(b)));
}

// Turn of a limb over the increment d, in its own frame at the start; th_p: that of the parent.
static vec3 limb_turn_by(const tmli_tree_joint *b, const mat3 *Rp, const tmli_place *x, vec3 th_p,
                         const double *d)
{
    d += b->nslide;
    vec3 th = m3_tmulv(&x->R, m3_mulv(Rp, th_p));
    if (b->swivel == TMLI_SWIVEL_BALL) return after(th, v3_from(d));
    if (b->swivel == TMLI_SWIVEL_NONE) return th;
    th = after(th, m3_tmulv(&x->R, v3_scale(d[0], x->motion[b->nslide].w)));
    return b->swivel == TMLI_SWIVEL_TWO ? after(th, v3_scale(d[1], b->axis2)) : th;
}

static tml_status increment(const void *self, void *work, const tml_state *x0, const double *d, double t1,
                            double *dphi, tml_error *err)
{
    const tmli_joint_space *s = self;
    tmli_joint_space_work *w = work;
    const tml_model *m = s->model;
    (void)err;
    if (s->planar) {
        tmli_joint_space_increment_planar(s, w, x0, d, t1, dphi);
        return TML_OK;
    }
    tmli_joint_space_positions(s, w, x0->q);
    for (int i = 0; i < s->nlimbs; i++) {
        const tmli_tree_joint *b = &s->limb[i];
        const tmli_place *p = tmli_parent_place(w, b);
        tmli_place *x = &w->place[i];
        const double *di = d + b->first;
        double six[6] = {0};
        v3_store(p->dalpha, six + 3);
        const tmli_pose_increment turn = tmli_pose_increment_of(six);
        const vec3 a0 = tmli_tree_joint_arm(b, x0->q + b->firstq);
        vec3 da = {0, 0, 0};
        for (int k = 0; k < b->nslide; k++) da = v3_axpy(di[k], b->slide[k], da);
        if (b->pitch != 0) da = v3_axpy(b->pitch * di[b->nslide], b->axis, da);
        x->dacc = v3_add(p->dacc, v3_add(change(&p->R, &turn, v3_add(a0, da)), m3_mulv(&p->R, da)));
        x->dalpha = limb_turn_by(b, &p->R, x, p->dalpha, di);
        v3_store(x->dalpha, six + 3);
        const tmli_pose_increment own = tmli_pose_increment_of(six);
        v3_store(v3_sub(x->dacc, change(&x->R, &own, b->origin)), six);
        if (b->point) six[3] = six[4] = six[5] = 0;
        w->base->increment[b->node] = tmli_pose_increment_of(six);
        const tmli_node *node = &m->node[b->node];
        for (int k = 0; k < node->ncoords; k++) w->budot[node->first + k] = six[node->local[k]];
    }
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        double change_of[TMLI_JOINT_ROWS];
        tmli_mb_constraint_increment(m, w->base, x0, &m->constraint[p->constraint], w->budot, t1, change_of);
        for (int r = 0; r < p->nrows; r++) dphi[p->first + r] = change_of[p->keep + r];
    }
    return TML_OK;
}

// ---- configuration ----------------------------------------------------------------------------------------

// All coordinates but those of balls add up.
static void retract(const void *self, const double *q, const double *d, double *out)
{
    const tmli_joint_space *s = self;
    for (int i = 0; i < s->nlimbs; i++) {
        const tmli_tree_joint *b = &s->limb[i];
        const double *qi = q + b->firstq, *di = d + b->first;
        double *o = out + b->firstq;
        const int plain = b->swivel == TMLI_SWIVEL_BALL ? b->nslide : b->nu;
        for (int k = 0; k < plain; k++) o[k] = qi[k] + di[k];
        if (plain == b->nu) continue;
        q_store(q_normalize(q_mul(q_from(qi + plain), tmli_so3_exp(v3_from(di + plain)))), o + plain);
    }
}

static void local(const void *self, const double *q0, const double *q1, double *d)
{
    const tmli_joint_space *s = self;
    for (int i = 0; i < s->nlimbs; i++) {
        const tmli_tree_joint *b = &s->limb[i];
        const double *a = q0 + b->firstq, *z = q1 + b->firstq;
        double *o = d + b->first;
        const int plain = b->swivel == TMLI_SWIVEL_BALL ? b->nslide : b->nu;
        for (int k = 0; k < plain; k++) o[k] = z[k] - a[k];
        if (plain < b->nu)
            v3_store(tmli_so3_log(q_mul(q_conj(q_from(a + plain)), q_from(z + plain))), o + plain);
    }
}

typedef vec3 (*ball_function)(vec3 d, vec3 v);

// out = f(d, y) at balls, `rest` (NULL: 0) elsewhere. out may be d or y.
static void per_ball(const tmli_joint_space *s, ball_function f, const double *d, const double *y,
                     const double *rest, double *out)
{
    for (int i = 0; i < s->nlimbs; i++) {
        const tmli_tree_joint *b = &s->limb[i];
        const bool ball = b->swivel == TMLI_SWIVEL_BALL;
        const int at = b->first + b->nslide;
        if (ball) v3_store(f(v3_from(d + at), v3_from(y + at)), out + at);
        for (int k = b->first; k < (ball ? at : b->first + b->nu); k++) out[k] = rest ? rest[k] : 0;
    }
}

static vec3 tangent_of(vec3 d, vec3 v)
{
    const mat3 T = tmli_so3_tangent(d);
    return m3_mulv(&T, v);
}
static vec3 inverse_of(vec3 d, vec3 v)
{
    const mat3 T = tmli_so3_tangent_inverse(d);
    return m3_mulv(&T, v);
}
static vec3 first_of(vec3 x, vec3 u)
{
    return v3_scale(-0.5, v3_cross(x, u));
}  // T = 1 - d~/2 + d~ d~/6 - ...
static vec3 second_of(vec3 x, vec3 u) { return v3_scale(1 / 6.0, v3_cross(u, v3_cross(x, u))); }

static void tangent_inverse(const void *self, const double *d, const double *u, double *out)
{
    const tmli_joint_space *s = self;
    per_ball(s, inverse_of, d, u, u, out);
}

static void tangent(const void *self, const double *d, const double *v, double *out)
{
    const tmli_joint_space *s = self;
    per_ball(s, tangent_of, d, v, v, out);
}

static void tangent_rate(const void *self, const double *d, const double *v, double *out)
{
    const tmli_joint_space *s = self;
    per_ball(s, tmli_so3_tangent_rate, d, v, NULL, out);
}

static void tangent_derivatives(const void *self, const double *x, const double *u, double *first,
                                double *second)
{
    const tmli_joint_space *s = self;
    per_ball(s, first_of, x, u, NULL, first);
    per_ball(s, second_of, x, u, NULL, second);
}

static void compose(const void *self, const double *d1, const double *d2, double *out)
{
    const tmli_joint_space *s = self;
    for (int i = 0; i < s->nlimbs; i++) {
        const tmli_tree_joint *b = &s->limb[i];
        const int at = b->first + b->nslide;
        const bool ball = b->swivel == TMLI_SWIVEL_BALL;
        if (ball) v3_store(after(v3_from(d1 + at), v3_from(d2 + at)), out + at);
        for (int k = b->first; k < (ball ? at : b->first + b->nu); k++) out[k] = d1[k] + d2[k];
    }
}

// Counted angles that are coordinates of the tree know their turns.
static void accept(const void *self, void *work, tml_state *x)
{
    const tmli_joint_space *s = self;
    tmli_joint_space_work *w = work;
    const tml_model *m = s->model;
    if (s->ncounted > 0) tmli_joint_space_positions(s, w, x->q);
    for (int i = 0; i < s->nlimbs; i++)
        for (int k = 0; k < 2; k++)
            if (s->limb[i].link[k] >= 0)
                x->angle[m->measure_use[s->limb[i].link[k]].angle] =
                    x->q[s->limb[i].firstq + s->limb[i].nslide + k];
    for (int k = 0; k < s->ncounted; k++)
        x->angle[m->measure_use[s->counted[k]].angle] =
            tmli_mb_measure_value(m, w->base, x, s->counted[k], NULL);
}

static tml_status energy(const void *self, void *work, const tml_state *x, double *kinetic, double *potential,
                         double *power, tml_error *err)
{
    const tmli_joint_space *s = self;
    tmli_joint_space_work *w = work;
    tmli_joint_space_velocities(s, w, x->q, x->u);
    tmli_joint_space_base_positions(s, w);
    const tml_state y = tmli_joint_space_base_state(s, w, x, true);
    w->placed = w->moving = false;  // the base sets its poses itself
    return s->base->ops->energy(s->base->self, w->base, &y, kinetic, potential, power, err);
}

// ---- switches ---------------------------------------------------------------------------------------------

static tml_state whole_state(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x)
{
    tmli_joint_space_velocities(s, w, x->q, x->u);
    tmli_joint_space_base_positions(s, w);
    w->placed = w->moving = false;
    return tmli_joint_space_base_state(s, w, x, false);
}

static void event_values(const void *self, void *work, const tml_state *x, double *margin)
{
    const tmli_joint_space *s = self;
    tmli_joint_space_work *w = work;
    const tml_state y = whole_state(s, w, x);
    s->base->ops->event_values(s->base->self, w->base, &y, margin);
}

static void event_of_time(const void *self, int i, double t, const double *mode, double jet[3])
{
    const tmli_joint_space *s = self;
    s->base->ops->event_of_time(s->base->self, i, t, mode, jet);
}

static int switch_modes(const void *self, void *work, tml_state *x, const tml_state *later, bool all,
                        int *constraint)
{
    const tmli_joint_space *s = self;
    tmli_joint_space_work *w = work;
    tml_state next = {0}, *ahead = later ? w->later : NULL;
    int row = -1;
    if (later) {
        tmli_joint_space_to_base(&s->system, w, later, ahead);
        next = *ahead;
    }
    tml_state y = whole_state(s, w, x);
    const int changed = s->base->ops->switch_modes(s->base->self, w->base, &y, later ? &next : NULL, all,
                                                   constraint ? &row : NULL);
    if (!constraint) return changed;
    *constraint = -1;
    for (int i = 0; i < s->nloops && row >= 0; i++)
        if (s->model->constraint[s->loop[i].constraint].first == row) *constraint = s->loop[i].first;
    return changed;
}

static double soft_mode(const void *self, int i, double width)
{
    const tmli_joint_space *s = self;
    return s->base->ops->soft_mode(s->base->self, i, width);
}

static void destroy(void *self)
{
    tmli_joint_space *s = self;
    const tml_env env = s->env;
    tmli_pattern_destroy(s->pattern);
    tmli_arena_clear(&s->arena);
    tmli_free(&env, s);
}

const tml_system_ops tmli_joint_space_ops = {
    .create_work = create_work,
    .destroy_work = destroy_work,
    .residual = tmli_joint_space_residual,
    .residual_rows = residual_rows,
    .increment = increment,
    .assemble = tmli_joint_space_assemble,
    .assemble_parts = tmli_joint_space_assemble_parts,
    .velocity = velocity,
    .dynamics = dynamics,
    .accelerate = tmli_joint_space_accelerate,
    .diagonals = tmli_joint_space_diagonals,
    .rows = rows,
    .rows_times = tmli_joint_space_rows_times,
    .gamma_derivatives = tmli_joint_space_gamma_derivatives,
    .retract = retract,
    .local = local,
    .tangent_inverse = tangent_inverse,
    .tangent = tangent,
    .tangent_rate = tangent_rate,
    .tangent_derivatives = tangent_derivatives,
    .compose = compose,
    .accept = accept,
    .energy = energy,
    .event_values = event_values,
    .event_of_time = event_of_time,
    .switch_modes = switch_modes,
    .soft_mode = soft_mode,
    .destroy = destroy,
};
