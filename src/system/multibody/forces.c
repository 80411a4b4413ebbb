// Forces of a model and their exact tangents.
//
// Spring and torsion: a scalar force F along a measure x (length or angle) with gradient g and second
// derivative N:
//   F = k (x - x0) + c xdot + law + table(x - x0),      Q = -F g                              (1)
//   -Q_d = F N + g (F_x g + F_v u'N + law_d)',          -Q_u = g (F_v g + law_u)'             (2)
// where law_d and law_u are the derivatives of the law by other variables of the state.
// Applied wrench at point s of a body: force f, torque tau by expressions,
//   inertial axes: Q = (f, s x R'f + R'tau);    frame axes C: Q = (R C f, s x C f + C tau)    (3)
// Tyre: element/force/tyre.h. Drag: Q = -(c1 + c2 |v|) v for the velocity of the centre of mass, and in the
// same form for the angular velocity (body frame).
#include "system/multibody/multibody.h"

#include <string.h>

static const tmli_pose ground = {.R = {{1, 0, 0, 0, 1, 0, 0, 0, 1}}};

// ---- tyre -------------------------------------------------------------------------------------------------

static const tmli_pose *tyre_at(const tml_model *m, const tmli_mbwork *w, const tml_state *x,
                                const tmli_force *f, double u[6], tmli_tyre_state *s)
{
    const tmli_pose *B = &w->pose[f->at.body];
    tmli_mb_node_velocity(m, x->u, f->at.body, u);
    tmli_tyre_at(&f->tyre, B, u, tmli_modes(x, f->tyre_mode), s);
    return B;
}

static void tyre_tangent(const tml_model *m, tmli_mbwork *w, const tml_state *x, const tmli_force *f)
{
    double u[6];
    tmli_tyre_state s;
    const tmli_pose *B = tyre_at(m, w, x, f, u, &s);
    const int width = 6 * f->plan.nslots, first = 6 * f->slot[1] * (width + 1);
    tmli_tyre_tangent(&f->tyre, B, u, &s, width, w->H + first, w->D + first);
}

double tmli_mb_tyre_compression(const tml_model *m, const tmli_mbwork *w, const tml_state *x,
                                const tmli_force *f)
{
    double u[6];
    tmli_tyre_state s;
    tyre_at(m, w, x, f, u, &s);
    return s.compression;
}

// ---- variables of expressions -----------------------------------------------------------------------------

static double var_value(const tml_model *m, tmli_mbwork *w, const tml_state *x, const tmli_var *v,
                        double local_x, double local_v)
{
    double u12[12], g[12];
    switch (v->kind) {
    case TMLI_VAR_TIME: return x->t;
    case TMLI_VAR_MEASURE: return tmli_mb_measure_value(m, w, x, v->use, NULL);
    case TMLI_VAR_RATE: {
        const tmli_measure_use *use = &m->measure_use[v->use];
        double rate = 0;
        tmli_mb_measure_value(m, w, x, v->use, u12);
        tmli_measure_grad(&use->measure, tmli_pose_of(w, &ground, use->node[0]),
                          tmli_pose_of(w, &ground, use->node[1]), g);
        for (int i = 0; i < 12; i++) rate += g[i] * u12[i];
        return rate;
    }
    case TMLI_VAR_OMEGA: tmli_mb_node_velocity(m, x->u, v->node, u12); return u12[3 + v->component];
    case TMLI_VAR_QUAT: return x->q[7 * v->node + 3 + v->component];
    case TMLI_VAR_REACTION: {
        double reaction[6];
        tmli_mb_reaction(m, w, x, &m->constraint[v->element], reaction);
        return reaction[v->component];
    }
    case TMLI_VAR_MULTIPLIER: {
        const tmli_constraint *c = &m->constraint[v->element];
        return c->nrows ? x->lambda[c->first] : 0;
    }
    case TMLI_VAR_FORCE: return tmli_mb_scalar_force(m, w, x, &m->force[v->element]);
    case TMLI_VAR_TYRE: {
        tmli_tyre_state s;
        tyre_at(m, w, x, &m->force[v->element], u12, &s);
        return v->component == 0 ? s.compression : s.road[0];
    }
    case TMLI_VAR_LOCAL_X: return local_x;
    case TMLI_VAR_LOCAL_V: return local_v;
    }
    return 0;
}

static double law_value(const tml_model *m, tmli_mbwork *w, const tml_state *x, const tmli_expr_vars *v,
                        double local_x, double local_v)
{
    double values[TMLI_MAX_VARS];  // not w->vx: a variable FORCE (outputs) evaluates another law in between
    for (int k = 0; k < v->nvars; k++) values[k] = var_value(m, w, x, &v->var[k], local_x, local_v);
    return tmli_expr_eval_mode(v->expr, values, tmli_modes(x, v->mode));
}

double tmli_mb_expression(const tml_model *m, tmli_mbwork *w, const tml_state *x, const tmli_expr_vars *v)
{
    return law_value(m, w, x, v, 0, 0);
}

static void add_slot(double *out, int slot, const double *g, double weight)
{
    if (slot < 0) return;
    for (int c = 0; c < 6; c++) out[6 * slot + c] += weight * g[c];
}

// gd, gu (6 per slot) += derivatives of one variable
static void add_var_derivative(const tml_model *m, const tmli_mbwork *w, const tml_state *x,
                               const tmli_var *v, double weight, double *gd, double *gu)
{
    if (v->kind == TMLI_VAR_OMEGA) {
        if (v->slot[0] >= 0) gu[6 * v->slot[0] + 3 + v->component] += weight;
        return;
    }
    if (v->kind != TMLI_VAR_MEASURE && v->kind != TMLI_VAR_RATE) return;
    const tmli_measure_use *use = &m->measure_use[v->use];
    const tmli_pose *A = tmli_pose_of(w, &ground, use->node[0]), *B = tmli_pose_of(w, &ground, use->node[1]);
    double g[12], u12[12], row[12];
    tmli_measure_grad(&use->measure, A, B, g);
    double *by_value = v->kind == TMLI_VAR_MEASURE ? gd : gu;
    for (int side = 0; side < 2; side++) add_slot(by_value, v->slot[side], g + 6 * side, weight);
    if (v->kind == TMLI_VAR_MEASURE) return;
    tmli_mb_measure_value(m, w, x, v->use, u12);
    tmli_measure_row(&use->measure, A, B, u12, row);
    for (int side = 0; side < 2; side++) add_slot(gd, v->slot[side], row + 6 * side, weight);
}

// Value of an expression. Its derivatives by the coordinate of the element and its rate are added to local[0]
// and local[1], those by the rest of the state to w->gd and w->gu.
static double law_gradient(const tml_model *m, tmli_mbwork *w, const tml_state *x, const tmli_expr_vars *v,
                           double local_x, double local_v, double local[2])
{
    for (int k = 0; k < v->nvars; k++) w->vx[k] = var_value(m, w, x, &v->var[k], local_x, local_v);
    const double value = tmli_expr_grad_mode(v->expr, w->vx, tmli_modes(x, v->mode), w->vg);
    for (int k = 0; k < v->nvars; k++) {
        if (v->var[k].kind == TMLI_VAR_LOCAL_X) local[0] += w->vg[k];
        else if (v->var[k].kind == TMLI_VAR_LOCAL_V) local[1] += w->vg[k];
        else add_var_derivative(m, w, x, &v->var[k], w->vg[k], w->gd, w->gu);
    }
    return value;
}

// ---- spring and torsion -----------------------------------------------------------------------------------

// the measure of a spring or torsion at a state: value x, rate v, gradient g, velocities u
typedef struct scalar {
    const tmli_measure_use *use;
    const tmli_pose *A, *B;
    double x, v, g[12], u[12];
} scalar;

static void scalar_at(const tml_model *m, const tmli_mbwork *w, const tml_state *x, const tmli_force *f,
                      scalar *s)
{
    s->use = &m->measure_use[f->use];
    s->A = tmli_pose_of(w, &ground, s->use->node[0]);
    s->B = tmli_pose_of(w, &ground, s->use->node[1]);
    s->x = tmli_mb_measure_value(m, w, x, f->use, s->u);
    tmli_measure_grad(&s->use->measure, s->A, s->B, s->g);
    s->v = 0;
    for (int i = 0; i < 12; i++) s->v += s->g[i] * s->u[i];
}

static double scalar_force(const tml_model *m, tmli_mbwork *w, const tml_state *x, const tmli_force *f,
                           const scalar *s)
{
    const double e = s->x - f->free;
    double F = f->stiffness * e + f->damping * s->v;  // (1)
    if (f->law.expr) F += law_value(m, w, x, &f->law, s->x, s->v);
    if (f->table) F += tmli_spline_eval(f->table, e, NULL, NULL);
    return F;
}

double tmli_mb_scalar_force(const tml_model *m, tmli_mbwork *w, const tml_state *x, const tmli_force *f)
{
    if (f->type == TML_FORCE_TYRE) {
        double u[6];
        tmli_tyre_state at;
        tyre_at(m, w, x, f, u, &at);
        return at.force;
    }
    scalar s;
    scalar_at(m, w, x, f, &s);
    return scalar_force(m, w, x, f, &s);
}

void tmli_mb_law_variables(const tml_model *m, tmli_mbwork *w, const tml_state *x, const tmli_force *f,
                           const tmli_expr_vars *v, double *values)
{
    scalar s = {0};
    if (v == &f->law) scalar_at(m, w, x, f, &s);
    for (int k = 0; k < v->nvars; k++) values[k] = var_value(m, w, x, &v->var[k], s.x, s.v);
}

static void scalar_tangent(const tml_model *m, tmli_mbwork *w, const tml_state *x, const tmli_force *f)
{
    scalar s;
    scalar_at(m, w, x, f, &s);
    const int width = 6 * f->plan.nslots;
    const double e = s.x - f->free;
    double by[2] = {f->stiffness, f->damping}, row[12];
    double F = f->stiffness * e + f->damping * s.v;
    memset(w->gd, 0, (size_t)width * sizeof(double));
    memset(w->gu, 0, (size_t)width * sizeof(double));
    if (f->law.expr) F += law_gradient(m, w, x, &f->law, s.x, s.v, by);
    if (f->table) {
        double slope;
        F += tmli_spline_eval(f->table, e, &slope, NULL);
        by[0] += slope;
    }
    tmli_measure_row(&s.use->measure, s.A, s.B, s.u, row);
    for (int side = 0; side < 2; side++) {
        add_slot(w->gd, f->slot[side], s.g + 6 * side, by[0]);
        add_slot(w->gd, f->slot[side], row + 6 * side, by[1]);
        add_slot(w->gu, f->slot[side], s.g + 6 * side, by[1]);
    }
    double N[144] = {0};
    tmli_measure_add_hessian(&s.use->measure, s.A, s.B, F, N);
    for (int si = 0; si < 2; si++) {
        if (f->slot[si] < 0) continue;
        for (int i = 0; i < 6; i++) {
            const int at = (6 * f->slot[si] + i) * width;
            for (int j = 0; j < width; j++) {
                w->H[at + j] += s.g[6 * si + i] * w->gd[j];  // (2)
                w->D[at + j] += s.g[6 * si + i] * w->gu[j];
            }
            for (int sj = 0; sj < 2; sj++)
                for (int j = 0; j < 6 && f->slot[sj] >= 0; j++)
                    w->H[at + 6 * f->slot[sj] + j] += N[12 * (6 * si + i) + 6 * sj + j];
        }
    }
}

// ---- applied wrench ---------------------------------------------------------------------------------------

// Generalized force (6) of a unit of component k of the wrench.
static void wrench_direction(const tmli_force *f, const tmli_pose *P, int k, double d[6])
{
    const vec3 e = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    const vec3 body = f->body_axes ? m3_mulv(&f->at.C, e) : m3_tmulv(&P->R, e);
    const vec3 world = f->body_axes ? m3_mulv(&P->R, body) : e;
    v3_store(k < 3 ? world : v3(0, 0, 0), d);
    v3_store(k < 3 ? v3_cross(f->at.s, body) : body, d + 3);
}

static void applied_force(const tml_model *m, tmli_mbwork *w, const tml_state *x, const tmli_force *f,
                          double *Q)
{
    const tmli_pose *P = &w->pose[f->at.body];
    for (int k = 0; k < 6; k++) {
        if (!f->wrench[k].expr) continue;
        double d[6];
        wrench_direction(f, P, k, d);
        add_slot(Q, f->slot[1], d, law_value(m, w, x, &f->wrench[k], 0, 0));  // (3)
    }
}

static void applied_tangent(const tml_model *m, tmli_mbwork *w, const tml_state *x, const tmli_force *f)
{
    const tmli_pose *P = &w->pose[f->at.body];
    const int width = 6 * f->plan.nslots, slot = f->slot[1];
    for (int k = 0; k < 6; k++) {
        if (!f->wrench[k].expr) continue;
        double d[6], none[2] = {0};
        memset(w->gd, 0, (size_t)width * sizeof(double));
        memset(w->gu, 0, (size_t)width * sizeof(double));
        const double value = law_gradient(m, w, x, &f->wrench[k], 0, 0, none);
        wrench_direction(f, P, k, d);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < width; j++) {
                w->H[(6 * slot + i) * width + j] -= d[i] * w->gd[j];
                w->D[(6 * slot + i) * width + j] -= d[i] * w->gu[j];
            }
        // over a rotation dth of the body, R'e changes by (R'e)~ dth and R c by -R c~ dth
        const vec3 e = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
        mat3 turn;
        int row = 3;
        if (f->body_axes) {
            if (k >= 3) continue;
            const mat3 c = m3_skew(m3_mulv(&f->at.C, e));
            turn = m3_mul(&P->R, &c);
            turn = m3_scale(-1, &turn);
            row = 0;
        } else {
            turn = m3_skew(m3_tmulv(&P->R, e));
            const mat3 arm = m3_skew(f->at.s);
            if (k < 3) turn = m3_mul(&arm, &turn);
        }
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                w->H[(6 * slot + row + i) * width + 6 * slot + 3 + j] -= value * turn.m[3 * i + j];
    }
}

// ---- drag -------------------------------------------------------------------------------------------------

static void drag_force(const tml_model *m, const tml_state *x, const tmli_force *f, double *Q)
{
    double v[6];
    tmli_mb_node_velocity(m, x->u, f->at.body, v);
    for (int part = 0; part < 2; part++) {
        const vec3 p = v3_from(v + 3 * part);
        const double c = f->drag[2 * part] + f->drag[2 * part + 1] * v3_norm(p);
        for (int i = 0; i < 3; i++) Q[6 * f->slot[1] + 3 * part + i] -= c * v[3 * part + i];
    }
}

static void drag_tangent(const tml_model *m, tmli_mbwork *w, const tml_state *x, const tmli_force *f)
{
    double v[6];
    const int width = 6 * f->plan.nslots;
    tmli_mb_node_velocity(m, x->u, f->at.body, v);
    for (int part = 0; part < 2; part++) {
        const double speed = v3_norm(v3_from(v + 3 * part));
        const double c = f->drag[2 * part] + f->drag[2 * part + 1] * speed;
        const double rank1 = speed > 0 ? f->drag[2 * part + 1] / speed : 0;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                w->D[(6 * f->slot[1] + 3 * part + i) * width + 6 * f->slot[1] + 3 * part + j] +=
                    (i == j ? c : 0) + rank1 * v[3 * part + i] * v[3 * part + j];
    }
}

// ---- bushing ----------------------------------------------------------------------------------------------

static void bushing_at(const tml_model *m, const tmli_mbwork *w, const tml_state *x, const tmli_force *f,
                       const tmli_pose **A, const tmli_pose **B, double u12[12])
{
    const int a = f->slot[0] < 0 ? -1 : f->plan.node[f->slot[0]],
              b = f->slot[1] < 0 ? -1 : f->plan.node[f->slot[1]];
    *A = tmli_pose_of(w, &ground, a);
    *B = tmli_pose_of(w, &ground, b);
    tmli_mb_node_velocity(m, x->u, a, u12);
    tmli_mb_node_velocity(m, x->u, b, u12 + 6);
}

static void bushing_tangent(const tml_model *m, tmli_mbwork *w, const tml_state *x, const tmli_force *f)
{
    const tmli_pose *A, *B;
    double u12[12], H[144] = {0}, D[144] = {0};
    bushing_at(m, w, x, f, &A, &B, u12);
    tmli_bushing_tangent(&f->bushing, A, B, u12, 1, H, 1, D);
    const int width = 6 * f->plan.nslots;
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) {
            const int si = f->slot[i / 6], sj = f->slot[j / 6];
            if (si < 0 || sj < 0) continue;
            const int at = (6 * si + i % 6) * width + 6 * sj + j % 6;
            w->H[at] += H[12 * i + j];
            w->D[at] += D[12 * i + j];
        }
}

// ---- all kinds --------------------------------------------------------------------------------------------

void tmli_mb_force(const tml_model *m, tmli_mbwork *w, const tml_state *x, const tmli_force *f, double *Q)
{
    switch (f->type) {
    case TML_FORCE_SPRING:
    case TML_FORCE_TORSION: {
        scalar s;
        scalar_at(m, w, x, f, &s);
        const double F = scalar_force(m, w, x, f, &s);
        for (int side = 0; side < 2; side++) add_slot(Q, f->slot[side], s.g + 6 * side, -F);
        break;
    }
    case TML_FORCE_BUSHING: {
        const tmli_pose *A, *B;
        double u12[12], Q12[12];
        bushing_at(m, w, x, f, &A, &B, u12);
        tmli_bushing_eval(&f->bushing, A, B, u12, Q12);
        for (int side = 0; side < 2; side++) add_slot(Q, f->slot[side], Q12 + 6 * side, 1);
        break;
    }
    case TML_FORCE_APPLIED: applied_force(m, w, x, f, Q); break;
    case TML_FORCE_DRAG: drag_force(m, x, f, Q); break;
    case TML_FORCE_TYRE: {
        double u[6];
        tmli_tyre_state s;
        const tmli_pose *B = tyre_at(m, w, x, f, u, &s);
        tmli_tyre_eval(&f->tyre, B, &s, Q + 6 * f->slot[1]);
        break;
    }
    case TML_FORCE_TYPES: break;
    }
}

void tmli_mb_force_tangent(const tml_model *m, tmli_mbwork *w, const tml_state *x, const tmli_force *f)
{
    switch (f->type) {
    case TML_FORCE_SPRING:
    case TML_FORCE_TORSION: scalar_tangent(m, w, x, f); break;
    case TML_FORCE_BUSHING: bushing_tangent(m, w, x, f); break;
    case TML_FORCE_APPLIED: applied_tangent(m, w, x, f); break;
    case TML_FORCE_DRAG: drag_tangent(m, w, x, f); break;
    case TML_FORCE_TYRE: tyre_tangent(m, w, x, f); break;
    case TML_FORCE_TYPES: break;
    }
}

void tmli_mb_force_energy(const tml_model *m, tmli_mbwork *w, const tml_state *x, const tmli_force *f,
                          double *potential, double *power)
{
    if (f->type == TML_FORCE_SPRING || f->type == TML_FORCE_TORSION) {
        scalar s;
        scalar_at(m, w, x, f, &s);
        const double e = s.x - f->free;
        *potential += f->stiffness * e * e / 2 + (f->table ? tmli_spline_integral(f->table, e) : 0);
        *power -= f->damping * s.v * s.v;
        if (f->law.expr) *power -= law_value(m, w, x, &f->law, s.x, s.v) * s.v;
        return;
    }
    if (f->type == TML_FORCE_BUSHING) {
        const tmli_pose *A, *B;
        double u12[12];
        bushing_at(m, w, x, f, &A, &B, u12);
        double z[6], zdot[6];
        *potential += tmli_bushing_energy(&f->bushing, A, B);
        *power -= tmli_bushing_dissipation(&f->bushing, A, B, u12);
        tmli_bushing_deflection(&f->bushing, A, B, u12, z, zdot);
        for (int i = 0; i < 6; i++)  // the skew part of the stiffness has no potential
            for (int j = 0; j < 6; j++)
                *power -= zdot[i] * (f->bushing.K[6 * i + j] - f->bushing.K[6 * j + i]) / 2 * z[j];
        return;
    }
    double v[6];
    if (f->type == TML_FORCE_TYRE) {
        tmli_tyre_state s;
        const tmli_pose *B = tyre_at(m, w, x, f, v, &s);
        tmli_tyre_energy(&f->tyre, B, v, &s, potential, power);
        return;
    }
    const int width = 6 * f->plan.nslots;
    memset(w->gd, 0, (size_t)width * sizeof(double));
    tmli_mb_force(m, w, x, f, w->gd);
    tmli_mb_node_velocity(m, x->u, f->at.body, v);
    for (int c = 0; c < 6; c++) *power += w->gd[6 * f->slot[1] + c] * v[c];
}
