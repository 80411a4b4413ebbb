// The equations of a multibody model, of the system contract.
//   body:  m rddot = m g,   J wdot + w x J w = 0                                                     (1)
// plus the generalized forces Q of the force elements and -B'lambda of the constraints. r is the centre of
// mass in the inertial frame [m], w the angular velocity in the body frame [rad/s].
#include "system/multibody/multibody.h"
#include "model/build/build.h"
#include "system/state/inactive.h"

#include <string.h>

// ---- scratch ----------------------------------------------------------------------------------------------

static void destroy_work(void *p)
{
    tmli_work *w = p;
    if (!w) return;
    const tml_env env = w->env;
    tmli_free_all(&env, w->pose, w->T, w->increment, w->H, w->turned, w->known, w->scratch, w);
}

static void *create_work(const void *self, const tml_env *env)
{
    const tml_model *m = self;
    tmli_work *w = tmli_calloc(env, 1, sizeof *w);
    if (!w) return NULL;
    if (env) w->env = *env;
    const size_t slots = (size_t)(m->max_slots > 2 ? m->max_slots : 2),
                 diagonal = (size_t)m->max_diagonal_slots;
    const size_t all = slots > diagonal ? slots : diagonal, wide = 6 * all, act = (size_t)m->max_act;
    const size_t square = 36 * (slots * slots > diagonal ? slots * slots : diagonal);
    const size_t rows = (size_t)(m->max_rows > 1 ? m->max_rows : 1), vars = (size_t)m->max_vars + 1;
    const size_t nodes = (size_t)m->nnodes;
    const bool poses = tmli_calloc_block(env, TMLI_ARRAY(w->pose, nodes), TMLI_ARRAY(w->later, nodes),
                                         TMLI_ARRAY(w->before, nodes)),
               turns = tmli_calloc_block(env, TMLI_ARRAY(w->T, nodes), TMLI_ARRAY(w->T_end, nodes)),
               blocks = tmli_calloc_block(
                   env, TMLI_ARRAY(w->H, square), TMLI_ARRAY(w->D, square), TMLI_ARRAY(w->H_end, square),
                   TMLI_ARRAY(w->B, 2 * rows * wide), TMLI_ARRAY(w->C, act * act), TMLI_ARRAY(w->gd, wide),
                   TMLI_ARRAY(w->gu, wide), TMLI_ARRAY(w->vx, vars), TMLI_ARRAY(w->vg, vars),
                   TMLI_ARRAY(w->mu, rows), TMLI_ARRAY(w->loads, m->load_entries)),
               others = tmli_calloc_all(env, TMLI_ARRAY(w->increment, nodes),
                                        TMLI_ARRAY(w->turned, (size_t)m->nangles + 1),
                                        TMLI_ARRAY(w->known, 2 * (size_t)m->nmeasure_uses + 1));
    w->scratch = tmli_calloc(env, m->scratch_bytes + 1, 1);
    if (poses && turns && blocks && others && w->scratch) return w;
    destroy_work(w);
    return NULL;
}

// ---- access to state --------------------------------------------------------------------------------------

void tmli_mb_poses(const tml_model *m, const double *q, tmli_pose *pose)
{
    for (int i = 0; i < m->nnodes; i++) tmli_mb_node_pose(q, i, pose);
}

// ---- residual ---------------------------------------------------------------------------------------------

// (1) of a body of a planar model, whose angular velocity is along z.
static void add_inertia_in_plane(const tml_model *m, const tmli_node *node, const double *udot,
                                 double *motion)
{
    const double *a = udot + node->first;  // x, y, rz
    double *out = motion + node->first;
    out[0] += node->mass * (a[0] - m->gravity.x);
    out[1] += node->mass * (a[1] - m->gravity.y);
    out[2] += node->J.m[8] * a[2];
}

void tmli_mb_add_inertia(const tml_model *m, const tml_state *x, double *motion)
{
    for (int i = 0; i < m->nnodes; i++) {
        const tmli_node *node = &m->node[i];
        if (m->planar && i < m->nbodies && node->ncoords == 3) {
            add_inertia_in_plane(m, node, x->udot, motion);
            continue;
        }
        const vec3 g = i < m->nbodies ? m->gravity : v3(0, 0, 0);
        if (tmli_node_translates(node)) {
            const double down[3] = {g.x, g.y, g.z};
            for (int k = 0; k < node->ncoords; k++)
                motion[node->first + k] += node->mass * (x->udot[node->first + k] - down[k]);  // (1)
            continue;
        }
        double v[6], a[6], out[6];
        tmli_node_velocity(m, x->u, i, v);
        tmli_node_velocity(m, x->udot, i, a);
        v3_store(v3_scale(node->mass, v3_sub(v3_from(a), g)), out);  // (1)
        const vec3 w = v3_from(v + 3);
        v3_store(v3_add(m3_mulv(&node->J, v3_from(a + 3)), v3_cross(w, m3_mulv(&node->J, w))), out + 3);
        for (int k = 0; k < node->ncoords; k++) motion[node->first + k] += out[node->local[k]];
    }
}

static inline void add_force(const tml_model *m, tmli_work *w, const tml_state *x, const tmli_force *f,
                             double *motion)
{
    double *Q = w->B;  // not in use here, and large enough
    memset(Q, 0, 6 * (size_t)f->plan.nslots * sizeof(double));
    tmli_mb_force(m, w, x, f, Q);
    for (int k = 0; k < f->plan.nact; k++) motion[f->plan.global[k]] -= Q[f->plan.act[k]];
}

void tmli_mb_add_forces(const tml_model *m, tmli_work *w, const tml_state *x, const bool *skip,
                        double *motion)
{
    for (int i = 0; i < m->nforces; i++)
        if (!(skip && skip[i])) add_force(m, w, x, &m->force[i], motion);
}

void tmli_mb_add_force(const tml_model *m, tmli_work *w, const tml_state *x, const tmli_force *f,
                       double *motion)
{
    add_force(m, w, x, f, motion);
}

bool tmli_mb_uses_inputs(const tmli_force *f)
{
    for (int i = 0; i < f->nlaws; i++)
        for (int k = 0; k < f->law[i].nvars; k++)
            if (f->law[i].var[k].kind == TMLI_VAR_INPUT) return true;
    return false;
}

void tmli_mb_add_input_change(const tml_model *m, tmli_work *w, const tml_state *x, const tml_state *with,
                              const bool *skip, double *motion)
{
    tml_state y = *x;
    y.input = with->input;
    y.input_t = with->input_t;
    for (int i = 0; i < m->nforces; i++) {
        const tmli_force *f = &m->force[i];
        if ((skip && skip[i]) || !tmli_mb_uses_inputs(f)) continue;
        for (int sign = -1; sign <= 1; sign += 2) {
            double *Q = w->B;  // not in use here, and large enough
            memset(Q, 0, 6 * (size_t)f->plan.nslots * sizeof(double));
            tmli_mb_force(m, w, sign > 0 ? &y : x, f, Q);
            for (int k = 0; k < f->plan.nact; k++) motion[f->plan.global[k]] -= sign * Q[f->plan.act[k]];
        }
    }
}

static void input_change(const void *self, void *work, const tml_state *x, const tml_state *with, double *out)
{
    const tml_model *m = self;
    tmli_mb_set_poses(m, work, x->q);
    memset(out, 0, (size_t)m->n * sizeof(double));
    tmli_mb_add_input_change(m, work, x, with, NULL, out);
}

void tmli_mb_add_element_inertia(const tml_model *m, tmli_work *w, const tml_state *x, double *motion)
{
    const tmli_view v = {.m = m, .x = x, .pose = w->pose, .w = w};
    for (int i = 0; i < m->nforces && m->has_inertia; i++) {
        const tmli_force *f = &m->force[i];
        if (!f->ops->mass) continue;
        double *const a = w->gd, *const Q = w->B;  // not in use here, and large enough
        for (int s = 0; s < f->plan.nslots; s++) tmli_node_velocity(m, x->udot, f->plan.node[s], a + 6 * s);
        memset(Q, 0, 6 * (size_t)f->plan.nslots * sizeof(double));
        f->ops->inertia(f, &v, a, Q);
        for (int k = 0; k < f->plan.nact; k++) motion[f->plan.global[k]] -= Q[f->plan.act[k]];
    }
}

void tmli_mb_constraint_mu(const tmli_constraint *c, const tml_state *x, const double *p, const double *phi,
                           double *mu)
{
    for (int r = c->first; r < c->first + c->nrows; r++, phi++, mu++)
        *mu = x->lambda[r] + (p ? tmli_active_penalty(x, p, r) * *phi : 0);
}

static void store_rows(const tmli_constraint *c, const double *rows, double *values)
{
    const int n = c->plan.nact, width = 6 * c->plan.nslots;
    for (int r = 0; r < c->nrows; r++)
        for (int k = 0; k < n; k++) values[c->csr[r * n + k]] = rows[r * width + c->plan.act[k]];
}

// motion += B'(lambda + p Phi), phi = Phi; values (may be NULL): the rows of B
static void add_constraints(const tml_model *m, tmli_work *w, const tml_state *x, const double *p,
                            double *motion, double *phi, double *values)
{
    for (int i = 0; i < m->nconstraints; i++) {
        const tmli_constraint *c = &m->constraint[i];
        const int width = 6 * c->plan.nslots;
        tmli_mb_constraint_value_rows(m, w, x, c, phi + c->first);
        tmli_mb_constraint_mu(c, x, p, phi + c->first, w->mu);
        for (int k = 0; k < c->plan.nact; k++) {
            double sum = 0;
            for (int r = 0; r < c->nrows; r++) sum += w->B[r * width + c->plan.act[k]] * w->mu[r];
            motion[c->plan.global[k]] += sum;
        }
        if (values) store_rows(c, w->B, values);
    }
}

static bool finite_all(const double *x, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * 0;  // NaN if any entry is not finite
    return sum == 0;
}

// A value is not finite: report the body, force or joint where this begins.
static tml_status report_nonfinite(const tml_model *m, tmli_work *w, const tml_state *x, tml_error *err)
{
    for (int i = 0; i < m->nnodes; i++)
        if (!finite_all(x->q + 7 * i, 7) || !finite_all(x->u + m->node[i].first, m->node[i].ncoords))
            return tmli_fail(err, TML_ERR_NAN, "%s '%s' is not finite at t = %g s",
                             i < m->nnodes - m->nz ? "position or velocity of body" : "state",
                             m->node[i].name, x->t);
    for (int i = 0; i < m->nforces; i++) {
        const tmli_force *f = &m->force[i];
        memset(w->B, 0, 6 * (size_t)f->plan.nslots * sizeof(double));
        tmli_mb_force(m, w, x, f, w->B);
        if (!finite_all(w->B, 6 * f->plan.nslots))
            return tmli_fail_at(err, TML_ERR_NAN, f->at, "%s '%s' is not finite at t = %g s",
                                i < m->nuser_forces ? "force" : "the rate of state", f->name, x->t);
    }
    for (int i = 0; i < m->nconstraints; i++) {
        const tmli_constraint *c = &m->constraint[i];
        double phi[TMLI_JOINT_ROWS];
        tmli_mb_constraint_value(m, w, x, c, phi);
        if (!finite_all(phi, c->nrows))
            return tmli_fail_at(err, TML_ERR_NAN, c->at, "joint '%s' is not finite at t = %g s", c->name,
                                x->t);
    }
    return tmli_fail(err, TML_ERR_NAN, "accelerations or multipliers are not finite at t = %g s", x->t);
}

tml_status tmli_mb_check_finite(const tml_model *m, tmli_work *w, const tml_state *x, const double *f,
                                const double *gamma, tml_error *err)
{
    return finite_all(f, m->n) && finite_all(gamma, m->m) ? TML_OK : report_nonfinite(m, w, x, err);
}

static tml_status residual_rows(const void *self, void *work, const tml_state *x, const double *p,
                                double *motion, double *phi, double *values, tml_error *err)
{
    const tml_model *m = self;
    tmli_work *w = work;
    tmli_mb_set_poses(m, w, x->q);
    memset(motion, 0, (size_t)m->n * sizeof(double));
    tmli_mb_add_inertia(m, x, motion);
    tmli_mb_add_forces(m, w, x, NULL, motion);
    tmli_mb_add_element_inertia(m, w, x, motion);
    add_constraints(m, w, x, p, motion, phi, values);
    return tmli_mb_check_finite(m, w, x, motion, phi, err);
}

static tml_status residual(const void *self, void *work, const tml_state *x, const double *p, double *motion,
                           double *phi, tml_error *err)
{
    return residual_rows(self, work, x, p, motion, phi, NULL, err);
}

void tmli_mb_set_increments(const tml_model *m, tmli_work *w, const tml_state *x0, const double *d)
{
    for (int i = 0; i < m->nnodes; i++) {
        double by[6];
        tmli_node_velocity(m, d, i, by);
        w->increment[i] = tmli_pose_increment_of(by);
    }
    const bool little = m->nangles == 0 || tmli_mb_turns_little(m, d);
    for (int i = 0; i < m->nangles; i++)
        w->turned[i] = little ? 0 : tmli_mb_turning(m, x0->q, d, &m->measure_use[m->counted[i]]);
}

static tml_status increment(const void *self, void *work, const tml_state *x0, const double *d, double t1,
                            double *dphi, tml_error *err)
{
    const tml_model *m = self;
    tmli_work *w = work;
    (void)err;
    tmli_mb_set_poses(m, w, x0->q);
    tmli_mb_set_increments(m, w, x0, d);
    for (int i = 0; i < m->nconstraints; i++)
        tmli_mb_constraint_increment(m, w, x0, &m->constraint[i], d, t1, dphi + m->constraint[i].first);
    return TML_OK;
}

// ---- velocity and acceleration level ----------------------------------------------------------------------

static tml_status position(const void *self, void *work, const tml_state *x, double *phi, tml_error *err)
{
    const tml_model *m = self;
    tmli_work *w = work;
    tmli_mb_set_poses(m, w, x->q);
    for (int i = 0; i < m->nconstraints; i++)
        tmli_mb_constraint_value(m, w, x, &m->constraint[i], phi + m->constraint[i].first);
    return finite_all(phi, m->m) ? TML_OK : report_nonfinite(m, w, x, err);
}

static tml_status velocity(const void *self, void *work, const tml_state *x, double *phidot, tml_error *err)
{
    const tml_model *m = self;
    tmli_work *w = work;
    (void)err;
    tmli_mb_set_poses(m, w, x->q);
    for (int i = 0; i < m->nconstraints; i++) {
        const tmli_constraint *c = &m->constraint[i];
        if (c->pin) {
            tmli_mb_pin_velocity(m, w, c, x->u, phidot + c->first);
            continue;
        }
        tmli_mb_rows_at(m, w, x, c);
        for (int r = 0; r < c->nrows; r++) {
            double jet[3];
            tmli_mb_row_time(c, x, r, jet);
            double sum = -jet[1];
            for (int k = 0; k < c->plan.nact; k++)
                sum += w->B[r * 6 * c->plan.nslots + c->plan.act[k]] * x->u[c->plan.global[k]];
            phidot[c->first + r] = sum;
        }
    }
    return TML_OK;
}

static tml_status dynamics(const void *self, void *work, const tml_state *x, double *f, double *gamma,
                           tml_error *err)
{
    const tml_model *m = self;
    tmli_work *w = work;
    tmli_mb_set_poses(m, w, x->q);
    memset(f, 0, (size_t)m->n * sizeof(double));
    for (int i = 0; i < m->nbodies; i++) {  // (1) without accelerations
        const tmli_node *node = &m->node[i];
        double v[6], out[6];
        tmli_node_velocity(m, x->u, i, v);
        const vec3 om = v3_from(v + 3);
        v3_store(v3_scale(node->mass, m->gravity), out);
        v3_store(v3_cross(m3_mulv(&node->J, om), om), out + 3);
        for (int k = 0; k < node->ncoords; k++) f[node->first + k] = -out[node->local[k]];
    }
    tmli_mb_add_forces(m, w, x, NULL, f);
    for (int i = 0; i < m->n; i++) f[i] = -f[i];
    for (int i = 0; i < m->nconstraints; i++)
        tmli_mb_constraint_gamma(m, w, x, &m->constraint[i], gamma + m->constraint[i].first);
    return tmli_mb_check_finite(m, w, x, f, gamma, err);
}

// udot of a model without constraints: inertia couples the coordinates of one node only.
static tml_status accelerate(const void *self, void *work, tml_state *x, tml_error *err)
{
    const tml_model *m = self;
    const tml_status st = dynamics(self, work, x, x->udot, x->lambda, err);
    for (int i = 0; i < m->nnodes && st == TML_OK; i++) {
        const tmli_node *node = &m->node[i];
        double f[6];
        tmli_node_velocity(m, x->udot, i, f);
        v3_store(v3_scale(1 / node->mass, v3_from(f)), f);
        if (m->planar) f[5] /= node->J.m[8];
        else if (node->ncoords == 6) v3_store(m3_mulv(&node->J_inverse, v3_from(f + 3)), f + 3);
        for (int k = 0; k < node->ncoords; k++) x->udot[node->first + k] = f[node->local[k]];
    }
    return st;
}

// Whether `accelerate` is possible; sets the inverse inertias.
static bool prepare_free_nodes(tml_model *m)
{
    bool possible = m->m == 0 && !m->has_inertia;
    for (int i = 0; i < m->nnodes && possible; i++) {
        tmli_node *node = &m->node[i];
        const vec3 a = m3_col(&node->J, 0), b = m3_col(&node->J, 1), c = m3_col(&node->J, 2);
        const vec3 bc = v3_cross(b, c);
        const double det = v3_dot(a, bc);
        const bool rotates = node->ncoords == 6 || (m->planar && node->ncoords == 3);
        possible = node->mass > 0 && (!rotates || (m->planar ? node->J.m[8] > 0 : det > 0));
        if (!possible || m->planar || !rotates) continue;
        const mat3 columns = m3_from_cols(bc, v3_cross(c, a), v3_cross(a, b));  // J is symmetric
        node->J_inverse = m3_scale(1 / det, &columns);
    }
    return possible;
}

static tml_status diagonals(const void *self, void *work, const tml_state *x, double *dm, double *dd,
                            double *dk, tml_error *err)
{
    const tml_model *m = self;
    tmli_work *w = work;
    (void)err;
    tmli_mb_set_poses(m, w, x->q);
    for (int i = 0; i < m->nnodes; i++) {
        double M[36], D[36];
        tmli_mb_node_blocks(m, i, x, M, D);
        for (int k = 0; k < m->node[i].ncoords; k++) {
            const int j = m->node[i].first + k, at = 7 * m->node[i].local[k];
            dm[j] = M[at];
            dd[j] = D[at];
            dk[j] = 0;
        }
    }
    for (int i = 0; i < m->nforces; i++) {
        const tmli_force *f = &m->force[i];
        const int width = 6 * f->plan.nslots;
        tmli_mb_force_tangent(m, w, x, f);
        for (int k = 0; k < f->plan.nact; k++) {
            const int own = f->plan.act[k], at = f->diagonal_tangent ? 6 * own + own % 6 : own * (width + 1);
            if (!f->rate_free) dd[f->plan.global[k]] += w->D[at];
            dk[f->plan.global[k]] += w->H[at];
        }
        if (!f->ops->mass) continue;
        memset(w->H, 0, (size_t)(width * width) * sizeof(double));
        tmli_mb_force_mass(m, w, x, f, w->H);
        // an armature is no inertia across its coordinate: scales of a body without mass must not be those of
        // the little that it has there
        for (int k = 0; k < f->plan.nact; k++)
            if (!(f->armature > 0) || dm[f->plan.global[k]] > 0)
                dm[f->plan.global[k]] += w->H[f->plan.act[k] * (width + 1)];
    }
    for (int j = 0; j < m->n; j++) {
        dd[j] = fabs(dd[j]);
        dk[j] = fabs(dk[j]);
    }
    return TML_OK;
}

// ---- rows of B and their derivatives ----------------------------------------------------------------------

static tml_status rows(const void *self, void *work, const tml_state *x, double *values, tml_error *err)
{
    const tml_model *m = self;
    tmli_work *w = work;
    (void)err;
    tmli_mb_set_poses(m, w, x->q);
    for (int i = 0; i < m->nconstraints; i++) {
        tmli_mb_rows_at(m, w, x, &m->constraint[i]);
        store_rows(&m->constraint[i], w->B, values);
    }
    return TML_OK;
}

static tml_status rows_times(const void *self, void *work, const tml_state *x, const double *v,
                             double *values, tml_error *err)
{
    const tml_model *m = self;
    tmli_work *w = work;
    (void)err;
    tmli_mb_set_poses(m, w, x->q);
    for (int i = 0; i < m->nconstraints; i++) {
        const tmli_constraint *c = &m->constraint[i];
        tmli_mb_constraint_rows_times(m, w, c, v, w->B);
        if (tmli_is_released(c, x)) tmli_mb_clear_rows(c, w->B);
        store_rows(&m->constraint[i], w->B, values);
    }
    return TML_OK;
}

static tml_status gamma_derivatives(const void *self, void *work, const tml_state *x, double *by_d,
                                    double *by_u, tml_error *err)
{
    const tml_model *m = self;
    tmli_work *w = work;
    (void)err;
    tmli_mb_set_poses(m, w, x->q);
    for (int i = 0; i < m->nconstraints; i++) {
        const tmli_constraint *c = &m->constraint[i];
        double *second = w->B + c->nrows * 6 * c->plan.nslots;
        tmli_mb_constraint_gamma_derivatives(m, w, x, c, w->B, second);
        store_rows(c, w->B, by_d);
        store_rows(c, second, by_u);
    }
    return TML_OK;
}

// ---- counted angles and energy ----------------------------------------------------------------------------

static void accept(const void *self, void *work, tml_state *x)
{
    const tml_model *m = self;
    tmli_work *w = work;
    for (int i = 0; i < m->nturning && !w->poses_given; i++) tmli_mb_node_pose(x->q, m->turning[i], w->pose);
    for (int i = 0; i < m->nangles; i++) x->angle[i] = tmli_mb_measure_value(m, w, x, m->counted[i], NULL);
}

static tml_status check_branch(const void *self, void *work, const tml_state *x, tml_error *err)
{
    const tml_model *m = self;
    tmli_work *w = work;
    tml_status st = TML_OK;
    for (int i = 0; i < m->nbranched && st == TML_OK; i++) {
        const tmli_constraint *c = &m->constraint[m->branched[i]];
        for (int side = 0; side < 2 && !w->poses_given; side++)
            if (c->marker[side].body >= 0) tmli_mb_node_pose(x->q, c->marker[side].body, w->pose);
        st = tmli_mb_constraint_branch(w, x->t, c, err);
    }
    return st;
}

static tml_status energy(const void *self, void *work, const tml_state *x, double *kinetic, double *potential,
                         double *power, tml_error *err)
{
    const tml_model *m = self;
    tmli_work *w = work;
    (void)err;
    *kinetic = *potential = *power = w->supplied = w->touching = 0;
    tmli_mb_begin(m, w, x);
    for (int i = 0; i < m->nbodies; i++) {
        const tmli_node *node = &m->node[i];
        double v[6];
        tmli_node_velocity(m, x->u, i, v);
        const vec3 om = v3_from(v + 3);
        *kinetic += node->mass * v3_dot(v3_from(v), v3_from(v)) / 2 + v3_dot(om, m3_mulv(&node->J, om)) / 2;
        *potential -= node->mass * v3_dot(m->gravity, tmli_model_place(m, w->pose[i].r));
    }
    for (int i = 0; i < m->nforces; i++) {
        tmli_mb_force_energy(m, w, x, &m->force[i], potential, power);
        if (m->force[i].ops->mass) *kinetic += tmli_mb_force_kinetic(m, w, x, &m->force[i]);
    }
    tmli_mb_add_driven_power(m, w, x, power);
    return TML_OK;
}

// ---- the system -------------------------------------------------------------------------------------------

#define MULTIBODY_OPS                                                                                       \
    .create_work = create_work, .destroy_work = destroy_work, .residual = residual,                         \
    .residual_rows = residual_rows, .increment = increment, .assemble = tmli_mb_assemble,                   \
    .assemble_parts = tmli_mb_assemble_parts, .position = position, .velocity = velocity,                   \
    .dynamics = dynamics, .time_parts = tmli_mb_time_parts, .diagonals = diagonals, .rows = rows,           \
    .rows_times = rows_times, .gamma_derivatives = gamma_derivatives, .retract = tmli_mb_retract,           \
    .local = tmli_mb_local, .tangent_inverse = tmli_mb_tangent_inverse, .tangent = tmli_mb_tangent,         \
    .tangent_rate = tmli_mb_tangent_rate, .tangent_derivatives = tmli_mb_tangent_derivatives,               \
    .compose = tmli_mb_compose, .count = tmli_mb_count, .add_turns = tmli_mb_add_turns,                     \
    .check_branch = check_branch, .accept = accept, .energy = energy, .power = tmli_mb_power,               \
    .power_parts = tmli_mb_power_parts, .input_change = input_change, .event_values = tmli_mb_event_values, \
    .event_of_time = tmli_mb_event_of_time, .switch_modes = tmli_mb_switch_modes,                           \
    .soft_mode = tmli_mb_soft_mode, .reach = tmli_mb_reach

// Means over a step need a constant mass matrix: models whose elements have inertia have none.
static const tml_system_ops multibody_ops = {MULTIBODY_OPS, .mean_residual = tmli_mb_mean_residual},
                            free_ops = {MULTIBODY_OPS, .mean_residual = tmli_mb_mean_residual,
                                        .accelerate = accelerate},
                            coupled_ops = {MULTIBODY_OPS};

const tml_model *tmli_mb_model(const tml_system *sys)
{
    const tml_system_ops *o = sys->ops;
    return o == &multibody_ops || o == &free_ops || o == &coupled_ops ? sys->self : NULL;
}

tml_status tml_model_build(const tml_spec *spec, tml_model **out, tml_error *err)
{
    if (out) *out = NULL;
    if (!spec || !out) return tmli_null_argument(err, "tml_model_build");
    tml_status st = tmli_model_build(spec, out, err);
    if (st != TML_OK) return st;
    tml_model *m = *out;
    bool loops;
    st = tmli_mb_find_loops(m, &loops, err);
    if (st == TML_OK) st = tmli_mb_list_power(m, err);
    if (st != TML_OK) {
        tml_model_destroy(m);
        *out = NULL;
        return st;
    }
    const tml_system_ops *ops = m->has_inertia          ? &coupled_ops
                                : prepare_free_nodes(m) ? &free_ops
                                                        : &multibody_ops;
    m->system = (tml_system){.ops = ops,
                             .self = m,
                             .env = m->env,
                             .nq = 7 * m->nnodes,
                             .n = m->n,
                             .m = m->m,
                             .na = m->nangles,
                             .nz = m->nz,
                             .state_scale = m->state_scale,
                             .ninput = m->ninputs,
                             .nmode = m->nmodes,
                             .switches = m->switches,
                             .switches_rows = m->nconstraints > m->njoints,
                             .switch_of_row = m->switch_of_row,
                             .unilateral = m->unilateral,
                             .autonomous = tmli_mb_is_autonomous(m),
                             .conservative = tmli_mb_is_conservative(m),
                             .coupled = m->has_inertia,
                             .loads = m->loads,
                             .loops = loops,
                             .length = m->length,
                             .origin = {m->origin.x, m->origin.y, m->origin.z},
                             .kind = m->kind,
                             .node = m->node_of,
                             .part = m->part,
                             .pattern = m->pattern,
                             .rowptr = m->rowptr,
                             .rowcol = m->rowcol,
                             .level = m->level,
                             .coordinate_name = tmli_mb_coordinate_name,
                             .row_name = tmli_mb_row_name,
                             .row_unit = tmli_mb_row_unit,
                             .mode_name = tmli_mb_mode_name};
    for (int i = 0; i < m->nconstraints; i++) {
        m->constraint[i].pin = tmli_mb_is_pin(m, &m->constraint[i]);
        m->constraint[i].ball = tmli_mb_is_ball(m, &m->constraint[i]);
    }
    return TML_OK;
}

const tml_system *tml_model_system(const tml_model *model) { return model ? &model->system : NULL; }
