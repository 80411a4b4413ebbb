// The equations of a multibody model on SE(3), from those on R^3 x SO(3) by the chain rule.
//
// Per body Q = diag(R, 1), a = R' rddot = v' + w x v, x~ the skew matrix of x:
//   u = Q V,   udot = Q (V' + (w x v, 0)),   dq: (dr, dth) = Q d for small d = (rho, theta)               (1)
// The rows of motion are expressed in the body frame, motion_V = Q' motion. With G = [w~ -v~; 0 0], W = [0
// -v~; 0 0]:
//   M_V = Q'M Q                     B_V = B Q                    f_V = Q'(f - M Q (w x v, 0))             (2)
//   D_V = Q'D Q + M_V G             (by V: u = Q V, and udot holds w x v)                                 (3)
//   K_V = Q'K Q + Q'D Q W + M_V [0 -a~; 0 0] + [0 n~; 0 0]      n: first three of Q' motion               (4)
//         (by a rotation theta: R -> R (1 + theta~) in u, udot and in the rows)
//   gamma_V = gamma - B Q (w x v, 0)                                                                      (5)
//   (B_V y)_d = (B z)_d Q + B_V [0 -y~; 0 0],  z = Q y const, y~ of the translations of y                 (6)
//   gamma_V,d = gamma_d Q + gamma_u Q W - (B z)_d Q + B_V [0 (w x v)~; 0 0],   z = Q (w x v, 0)           (7)
//   gamma_V,V = gamma_u Q - B_V G                                                                         (8)
// The matrix of a body's M is (m 1, J): M_V = M. In a planar model R rotates about z, and (1)-(8) involve
// only x, y and rz. Columns of K and B are multiplied by the tangent operator T = [A C; 0 A] at the
// increment (math/se3.h).
#include "system/se3/se3.h"
#include "math/se3.h"
#include "system/se3/internal.h"

#include <string.h>

// ---- scratch ----------------------------------------------------------------------------------------------

static void destroy_work(void *p)
{
    tmli_se3_work *w = p;
    if (!w) return;
    const tml_env env = w->env;
    if (w->base) w->system->ops->destroy_work(w->base);
    tmli_free_all(&env, w->frame, w->u, w);
}

static void *create_work(const void *self, const tml_env *env)
{
    const tmli_se3 *s = self;
    const tml_system *b = s->base;
    tmli_se3_work *w = tmli_calloc(env, 1, sizeof *w);
    if (!w) return NULL;
    if (env) w->env = *env;
    w->system = b;
    const size_t n = (size_t)b->n, m = (size_t)b->m, nnz = (size_t)tmli_pattern_nnz(b->pattern);
    const size_t entries = (size_t)b->rowptr[b->m];
    w->base = b->ops->create_work(b->self, env);
    w->frame = tmli_calloc(env, (size_t)s->model->nnodes, sizeof *w->frame);
    const bool room = tmli_calloc_block(
        env, TMLI_ARRAY(w->u, n), TMLI_ARRAY(w->udot, n), TMLI_ARRAY(w->later_u, n),
        TMLI_ARRAY(w->later_udot, n), TMLI_ARRAY(w->motion, n), TMLI_ARRAY(w->phi, m),
        TMLI_ARRAY(w->penalty, m), TMLI_ARRAY(w->mu, m), TMLI_ARRAY(w->zero, m), TMLI_ARRAY(w->damping, nnz),
        TMLI_ARRAY(w->values, nnz), TMLI_ARRAY(w->rows, entries), TMLI_ARRAY(w->row_derivatives, entries));
    if (w->base && w->frame && room) return w;
    destroy_work(w);
    return NULL;
}

// ---- conversion of velocities -----------------------------------------------------------------------------

void tmli_se3_rotate(const tmli_se3 *s, const double *q, bool back, const double *x, double *out)
{
    if (out != x) memcpy(out, x, (size_t)s->model->n * sizeof(double));
    for (int i = 0; i < s->model->nnodes; i++) {
        if (!s->on_se3[i]) continue;
        double six[6];
        const mat3 R = tmli_se3_attitude(q, i);
        tmli_node_velocity(s->model, x, i, six);
        v3_store(back ? m3_tmulv(&R, v3_from(six)) : m3_mulv(&R, v3_from(six)), six);
        tmli_se3_store_coordinates(&s->model->node[i], six, out);
    }
}

void tmli_se3_to_base(const tml_system *sys, const double *q, const double *V, const double *Vdot, double *u,
                      double *udot)  // (1)
{
    const tmli_se3 *s = sys->self;
    const tml_model *m = s->model;
    for (int i = 0; i < m->nnodes; i++) {
        double x[6], y[6];
        tmli_node_velocity(m, V, i, x);
        tmli_node_velocity(m, Vdot, i, y);
        if (s->on_se3[i]) {
            const mat3 R = tmli_se3_attitude(q, i);
            const vec3 v = v3_from(x), a = v3_add(v3_from(y), v3_cross(v3_from(x + 3), v));
            v3_store(m3_mulv(&R, v), x);
            v3_store(m3_mulv(&R, a), y);
        }
        tmli_se3_store_coordinates(&m->node[i], x, u);
        tmli_se3_store_coordinates(&m->node[i], y, udot);
    }
}

void tmli_se3_from_base(const tml_system *sys, const double *q, const double *u, const double *udot,
                        double *V, double *Vdot)
{
    const tmli_se3 *s = sys->self;
    const tml_model *m = s->model;
    for (int i = 0; i < m->nnodes; i++) {
        double x[6], y[6];
        tmli_node_velocity(m, u, i, x);
        tmli_node_velocity(m, udot, i, y);
        if (s->on_se3[i]) {
            const mat3 R = tmli_se3_attitude(q, i);
            const vec3 v = m3_tmulv(&R, v3_from(x));
            v3_store(v, x);
            v3_store(v3_sub(m3_tmulv(&R, v3_from(y)), v3_cross(v3_from(x + 3), v)), y);
        }
        tmli_se3_store_coordinates(&m->node[i], x, V);
        tmli_se3_store_coordinates(&m->node[i], y, Vdot);
    }
}

tml_state tmli_se3_base_state(const tmli_se3 *s, tmli_se3_work *w, const tml_state *x)
{
    tml_state y = *x;
    y.u = w->u;
    y.udot = w->udot;
    tmli_se3_to_base(&s->system, x->q, x->u, x->udot, y.u, y.udot);
    return y;
}

void tmli_se3_set_frames(const tmli_se3 *s, tmli_se3_work *w, const tml_state *x, const double *increment)
{
    const tml_model *m = s->model;
    for (int i = 0; i < m->nnodes; i++) {
        if (!s->on_se3[i]) continue;
        tmli_se3_frame *f = &w->frame[i];
        double V[6], Vdot[6], d[6] = {0};
        tmli_node_velocity(m, x->u, i, V);
        tmli_node_velocity(m, x->udot, i, Vdot);
        if (increment) tmli_node_velocity(m, increment, i, d);
        f->R = tmli_se3_attitude(x->q, i);
        f->v = v3_from(V);
        f->w = v3_from(V + 3);
        f->a = v3_add(v3_from(Vdot), v3_cross(f->w, f->v));
        s->map->tangent(motion6_from(d), &f->A, &f->C);
    }
}

// ---- residuals --------------------------------------------------------------------------------------------

tml_status tmli_se3_residual(const void *self, void *work, const tml_state *x, const double *p,
                             double *motion, double *phi, tml_error *err)
{
    const tmli_se3 *s = self;
    tmli_se3_work *w = work;
    const tml_state y = tmli_se3_base_state(s, w, x);
    tml_status st = s->base->ops->residual(s->base->self, w->base, &y, p, motion, phi, err);
    if (st == TML_OK) tmli_se3_rotate(s, x->q, true, motion, motion);
    return st;
}

static tml_status increment(const void *self, void *work, const tml_state *x0, const double *d, double t1,
                            double *dphi, tml_error *err)
{
    const tmli_se3 *s = self;
    tmli_se3_work *w = work;
    for (int i = 0; i < s->model->nnodes; i++) {
        double six[6];
        tmli_node_velocity(s->model, d, i, six);
        if (s->on_se3[i]) {
            const motion6 inc = motion6_from(six);
            const mat3 R = tmli_se3_attitude(x0->q, i);
            v3_store(m3_mulv(&R, s->map->translation(inc)), six);
            v3_store(s->map->rotation_vector(inc.theta), six + 3);
        }
        tmli_se3_store_coordinates(&s->model->node[i], six, w->u);
    }
    return s->base->ops->increment(s->base->self, w->base, x0, w->u, t1, dphi, err);
}

static tml_status velocity(const void *self, void *work, const tml_state *x, double *phidot, tml_error *err)
{
    const tmli_se3 *s = self;
    tmli_se3_work *w = work;
    const tml_state y = tmli_se3_base_state(s, w, x);
    return s->base->ops->velocity(s->base->self, w->base, &y, phidot, err);
}

void tmli_se3_convective(const tmli_se3 *s, const tml_state *x, bool inertial, double *z)
{
    memset(z, 0, (size_t)s->model->n * sizeof(double));
    for (int i = 0; i < s->model->nnodes; i++) {
        if (!s->on_se3[i]) continue;
        double V[6], out[6] = {0};
        tmli_node_velocity(s->model, x->u, i, V);
        const mat3 R = tmli_se3_attitude(x->q, i);
        const vec3 c = v3_cross(v3_from(V + 3), v3_from(V));
        v3_store(inertial ? m3_mulv(&R, c) : c, out);
        tmli_se3_store_coordinates(&s->model->node[i], out, z);
    }
}

// out (m) += factor * (rows times y), rows as in rowptr
static void add_rows_times(const tml_system *b, const double *rows, double factor, const double *y,
                           double *out)
{
    for (int r = 0; r < b->m; r++) {
        double sum = 0;
        for (int k = b->rowptr[r]; k < b->rowptr[r + 1]; k++) sum += rows[k] * y[b->rowcol[k]];
        out[r] += factor * sum;
    }
}

static tml_status dynamics(const void *self, void *work, const tml_state *x, double *f, double *gamma,
                           tml_error *err)
{
    const tmli_se3 *s = self;
    tmli_se3_work *w = work;
    const tml_model *m = s->model;
    const tml_state y = tmli_se3_base_state(s, w, x);
    tml_status st = s->base->ops->dynamics(s->base->self, w->base, &y, f, gamma, err);
    if (st == TML_OK) st = s->base->ops->rows(s->base->self, w->base, &y, w->rows, err);
    if (st != TML_OK) return st;
    tmli_se3_rotate(s, x->q, true, f, f);
    tmli_se3_convective(s, x, false, w->motion);
    for (int j = 0; j < m->n; j++)
        f[j] -= m->node[m->node_of[j]].mass * w->motion[j];  // (2); zero for the rotations
    tmli_se3_convective(s, x, true, w->motion);
    add_rows_times(s->base, w->rows, -1, w->motion, gamma);  // (5)
    return TML_OK;
}

static void accept(const void *self, void *work, tml_state *x)
{
    const tmli_se3 *s = self;
    s->base->ops->accept(s->base->self, ((tmli_se3_work *)work)->base, x);  // positions only
}

static tml_status check_branch(const void *self, void *work, const tml_state *x, tml_error *err)
{
    const tmli_se3 *s = self;  // positions only
    return s->base->ops->check_branch(s->base->self, ((tmli_se3_work *)work)->base, x, err);
}

static tml_status energy(const void *self, void *work, const tml_state *x, double *kinetic, double *potential,
                         double *power, tml_error *err)
{
    const tmli_se3 *s = self;
    tmli_se3_work *w = work;
    const tml_state y = tmli_se3_base_state(s, w, x);
    return s->base->ops->energy(s->base->self, w->base, &y, kinetic, potential, power, err);
}

// ---- discontinuities --------------------------------------------------------------------------------------

// Modes are those of the base; event functions depend on the motion and on the multipliers.
static void event_values(const void *self, void *work, const tml_state *x, double *values)
{
    const tmli_se3 *s = self;
    tmli_se3_work *w = work;
    const tml_state y = tmli_se3_base_state(s, w, x);
    s->base->ops->event_values(s->base->self, w->base, &y, values);
}

static void event_of_time(const void *self, int i, double t, const double *mode, double jet[3])
{
    const tml_system *b = ((const tmli_se3 *)self)->base;
    b->ops->event_of_time(b->self, i, t, mode, jet);
}

static int switch_modes(const void *self, void *work, tml_state *x, const tml_state *later, bool all,
                        int *constraint)
{
    const tmli_se3 *s = self;
    tmli_se3_work *w = work;
    tml_state y = tmli_se3_base_state(s, w, x), z = later ? *later : y;
    if (later) {
        z.u = w->later_u;
        z.udot = w->later_udot;
        tmli_se3_to_base(&s->system, later->q, later->u, later->udot, z.u, z.udot);
    }
    return s->base->ops->switch_modes(s->base->self, w->base, &y, later ? &z : NULL, all, constraint);
}

static double reach(const void *self, const double *q)
{
    const tml_system *b = ((const tmli_se3 *)self)->base;
    return b->ops->reach(b->self, q);
}

static double soft_mode(const void *self, int i, double width)
{
    const tml_system *b = ((const tmli_se3 *)self)->base;
    return b->ops->soft_mode(b->self, i, width);
}

// ---- the system -------------------------------------------------------------------------------------------

static const char *coordinate_name(const tml_system *sys, int i, char *buf, size_t size)
{
    const tml_system *b = ((const tmli_se3 *)sys->self)->base;
    return b->coordinate_name(b, i, buf, size);
}

static const char *row_name(const tml_system *sys, int r, char *buf, size_t size)
{
    const tml_system *b = ((const tmli_se3 *)sys->self)->base;
    return b->row_name(b, r, buf, size);
}

static const char *row_unit(const tml_system *sys, int r)
{
    const tml_system *b = ((const tmli_se3 *)sys->self)->base;
    return b->row_unit(b, r);
}

static const char *mode_name(const tml_system *sys, int i, char *buf, size_t size)
{
    const tml_system *b = ((const tmli_se3 *)sys->self)->base;
    return b->mode_name(b, i, buf, size);
}

static void destroy(void *self)
{
    tmli_se3 *s = self;
    const tml_env env = s->system.env;
    tmli_free_all(&env, s->on_se3, s->point, s);
}

static const tml_system_ops se3_ops = {
    .create_work = create_work,
    .destroy_work = destroy_work,
    .residual = tmli_se3_residual,
    .residual_rows = tmli_se3_residual_rows,
    .increment = increment,
    .assemble = tmli_se3_assemble,
    .velocity = velocity,
    .dynamics = dynamics,
    .diagonals = tmli_se3_diagonals,
    .rows = tmli_se3_rows,
    .rows_times = tmli_se3_rows_times,
    .gamma_derivatives = tmli_se3_gamma_derivatives,
    .retract = tmli_se3_system_retract,
    .local = tmli_se3_system_local,
    .tangent_inverse = tmli_se3_system_tangent_inverse,
    .tangent = tmli_se3_system_tangent,
    .tangent_rate = tmli_se3_system_tangent_rate,
    .tangent_derivatives = tmli_se3_system_tangent_derivatives,
    .compose = tmli_se3_system_compose,
    .count = tmli_se3_system_count,
    .add_turns = tmli_se3_system_add_turns,
    .transform_rows = tmli_se3_system_transform_rows,
    .check_branch = check_branch,
    .accept = accept,
    .energy = energy,
    .event_values = event_values,
    .event_of_time = event_of_time,
    .switch_modes = switch_modes,
    .soft_mode = soft_mode,
    .reach = reach,
    .destroy = destroy,
};

bool tmli_se3_possible(const tml_system *sys)
{
    const tml_model *m = tmli_mb_model(sys);
    return m && !m->has_inertia;
}

// The common point of a constraint, if it has one: its first rows are single coordinates along x, y and, in
// spatial models, z.
static bool find_point(const tmli_se3 *s, const tmli_constraint *c, tmli_se3_point *out)
{
    const tml_model *m = s->model;
    const int wanted = m->planar ? 2 : 3;
    *out = (tmli_se3_point){.node = -1, .row = {-1, -1, -1}};
    for (int k = 0; k < wanted; k++) {
        const tmli_row_term *term = k < c->nterms ? &c->term[k] : NULL;
        const tmli_measure *measure = term ? &m->measure_use[term->use].measure : NULL;
        if (!term || term->row != k || term->coef != 1 || measure->kind != TMLI_COORD) return false;
        const double e[3] = {measure->a.x, measure->a.y, measure->a.z};
        if (e[k] != 1) return false;
        out->row[k] = c->first + k;
        for (int side = 0; side < 2; side++) {
            const int node = m->measure_use[term->use].node[side];
            if (node >= 0 && s->on_se3[node]) out->node = node;
        }
    }
    for (int k = wanted; k < c->nterms; k++)
        if (c->term[k].row < wanted) return false;
    return out->node >= 0 && !c->motion;
}

tml_status tmli_se3_create(const tml_system *base, bool cayley, tml_system **out, tml_error *err)
{
    *out = NULL;
    const tml_model *m = tmli_mb_model(base);
    if (!m) return tmli_fail(err, TML_ERR_ARG, "only a model of bodies can move on SE(3)");
    tmli_se3 *s = tmli_calloc(&base->env, 1, sizeof *s);
    if (s) s->on_se3 = tmli_calloc(&base->env, (size_t)m->nnodes, sizeof *s->on_se3);
    if (s) s->point = tmli_calloc(&base->env, (size_t)m->nconstraints + 1, sizeof *s->point);
    if (!s || !s->on_se3 || !s->point) {
        if (s) tmli_free(&base->env, s->on_se3);
        if (s) tmli_free(&base->env, s->point);
        tmli_free(&base->env, s);
        return tmli_no_memory(err, "system on SE(3)");
    }
    s->system = *base;
    s->system.ops = &se3_ops;
    s->system.self = s;
    s->system.coordinate_name = coordinate_name;
    s->system.row_name = row_name;
    s->system.row_unit = row_unit;
    s->system.mode_name = mode_name;
    s->system.retraction_curved = cayley;
    s->base = base;
    s->model = m;
    s->map = cayley ? &tmli_se3_cayley : &tmli_se3_exponential;
    for (int i = 0; i < m->nnodes; i++)
        for (int k = 0; k < m->node[i].ncoords; k++) s->on_se3[i] |= m->node[i].local[k] >= 3;
    for (int i = 0; i < m->nconstraints; i++)
        if (find_point(s, &m->constraint[i], &s->point[s->npoints])) s->npoints++;
    *out = &s->system;
    return TML_OK;
}
