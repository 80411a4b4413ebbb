// Constraints of a model: rows, their derivatives, reactions. The sums are over the measures phi_k of a row,
// with gradient g_k and second derivative N_k (element/joint/measure.h).
//   Phi_r  = sum coef phi_k - target_r(t)                                              (1)
//   B_r    = sum coef g_k,        N_r = sum coef N_k                                   (2)
//   Phidot = B u - target',       gamma = target'' - u'N u                             (3)
// A row at velocity level has target' in place of target, and Phidot of (3) is its residual.
#include "system/multibody/multibody.h"

static void term_poses(const tml_model *m, const tmli_work *w, const tmli_row_term *k,
                       const tmli_measure_use **use, const tmli_pose **A, const tmli_pose **B)
{
    *use = &m->measure_use[k->use];
    *A = tmli_pose_of(w->pose, (*use)->node[0]);
    *B = tmli_pose_of(w->pose, (*use)->node[1]);
}

static void node_velocities(const tml_model *m, const double *u, const tmli_measure_use *use, double u12[12])
{
    tmli_node_velocity(m, u, use->node[0], u12);
    tmli_node_velocity(m, u, use->node[1], u12 + 6);
}

// out (6 per slot) += coef * g at the slots of the term
static void add_to_slots(const tmli_row_term *k, const double g[12], double coef, double *out)
{
    for (int side = 0; side < 2; side++) {
        if (k->slot[side] < 0) continue;
        double *o = out + 6 * k->slot[side];
        for (int c = 0; c < 6; c++) o[c] += coef * g[6 * side + c];
    }
}

void tmli_mb_row_time(const tmli_constraint *c, const tml_state *x, int r, double jet[3])
{
    jet[0] = jet[1] = jet[2] = 0;
    const double one = 1;
    if (!c->motion || !c->motion[r].expr) return;
    tmli_expr_jet2_mode(c->motion[r].expr, &x->t, &one, NULL, tmli_modes(x, c->motion[r].mode), jet);
    if (!c->rate[r]) return;
    jet[2] = jet[1];  // the motion is a velocity
    jet[1] = jet[0];
    jet[0] = 0;
}

// The motion of row r at time t, with the modes of x.
static double motion_at(const tmli_constraint *c, int r, const tml_state *x, double t)
{
    return tmli_expr_eval_mode(c->motion[r].expr, &t, tmli_modes(x, c->motion[r].mode));
}

// -target of (1)
static inline void begin_value(const tmli_constraint *c, const tml_state *x, double *phi)
{
    for (int r = 0; r < c->nrows; r++) phi[r] = -c->target[r];
    for (int r = 0; c->motion && r < c->nrows; r++) phi[r] -= motion_at(c, r, x, x->t);
}

// The contribution of term k to its row: the measure, or its rate in rows at velocity level.
static double term_value(const tml_model *m, const tmli_work *w, const tml_state *x, const tmli_constraint *c,
                         const tmli_row_term *k)
{
    if (!c->rate[k->row]) return k->coef * tmli_mb_measure_value(m, w, x, k->use, NULL);
    const tmli_measure_use *use;
    const tmli_pose *A, *B;
    double g[12], u12[12], sum = 0;
    term_poses(m, w, k, &use, &A, &B);
    tmli_measure_grad(&use->measure, A, B, g);
    node_velocities(m, x->u, use, u12);
    for (int i = 0; i < 12; i++) sum += g[i] * u12[i];
    return k->coef * sum;
}

void tmli_mb_rows_at(const tml_model *m, tmli_work *w, const tml_state *x, const tmli_constraint *c)
{
    tmli_mb_constraint_rows(m, w, c);
    if (tmli_is_released(c, x)) tmli_mb_clear_rows(c, w->B);
}

void tmli_mb_constraint_value(const tml_model *m, const tmli_work *w, const tml_state *x,
                              const tmli_constraint *c, double *phi)
{
    if (c->pin) {
        tmli_mb_pin_value(m, w, c, phi);
        return;
    }
    if (tmli_is_released(c, x)) {
        phi[0] = 0;
        return;
    }
    begin_value(c, x, phi);
    for (int k = 0; k < c->nterms; k++) phi[c->term[k].row] += term_value(m, w, x, c, &c->term[k]);  // (1)
}

void tmli_mb_constraint_value_rows(const tml_model *m, tmli_work *w, const tml_state *x,
                                   const tmli_constraint *c, double *phi)
{
    const int width = 6 * c->plan.nslots;
    if (c->pin) {
        tmli_mb_pin_rows(m, w, c, phi);
        return;
    }
    tmli_mb_clear_rows(c, w->B);
    if (tmli_is_released(c, x)) {
        phi[0] = 0;
        return;
    }
    begin_value(c, x, phi);
    if (c->ball) tmli_mb_ball_rows(m, w, c, phi);
    for (int k = c->ball ? 3 : 0; k < c->nterms; k++) {
        const tmli_measure_use *use;
        const tmli_pose *A, *B;
        double g[12];
        term_poses(m, w, &c->term[k], &use, &A, &B);
        double value = tmli_counted_angle(use, x, tmli_measure_grad(&use->measure, A, B, g));
        if (c->rate[c->term[k].row]) {
            double u12[12];
            value = 0;
            node_velocities(m, x->u, use, u12);
            for (int i = 0; i < 12; i++) value += g[i] * u12[i];
        }
        phi[c->term[k].row] += c->term[k].coef * value;                                // (1)
        add_to_slots(&c->term[k], g, c->term[k].coef, w->B + c->term[k].row * width);  // (2)
    }
}

tml_status tmli_mb_constraint_branch(const tmli_work *w, double t, const tmli_constraint *c, tml_error *err)
{
    const tmli_pose *A = tmli_pose_of(w->pose, c->marker[0].body),
                    *B = tmli_pose_of(w->pose, c->marker[1].body);
    double sum = 0;
    for (int k = 0; k < c->branch.count; k++) sum += tmli_measure_value(&c->branch.dot[k], A, B);
    if (c->branch.count == 0 || c->branch_sign * sum >= c->branch.least) return TML_OK;
    return tmli_fail(
        err, TML_RETRY,
        "joint '%s': at t = %g s its equations are satisfied by axes turned by about half a turn, "
        "where the joint cannot get",
        c->name, t);
}

// The angle `change` [rad] with the full turns that bring it nearest to `near`.
static double with_turns(double change, double near)
{
    const double two_pi = 6.28318530717958647692;
    return change + two_pi * round((near - change) / two_pi);
}

void tmli_mb_constraint_increment(const tml_model *m, const tmli_work *w, const tml_state *x0,
                                  const tmli_constraint *c, const double *d, double t1, double *dphi)
{
    static const tmli_pose_increment none = {.s = 1, .c = 0.5};  // rotation of the ground
    for (int r = 0; r < c->nrows; r++) dphi[r] = 0;
    if (c->pin) {
        tmli_mb_pin_increment(m, w, c, d, dphi);
        return;
    }
    for (int r = 0; c->motion && r < c->nrows; r++)
        if (!c->rate[r]) dphi[r] = motion_at(c, r, x0, x0->t) - motion_at(c, r, x0, t1);
    for (int k = 0; k < c->nterms; k++) {
        const tmli_measure_use *use;
        const tmli_pose *A, *B;
        if (c->rate[c->term[k].row]) continue;
        term_poses(m, w, &c->term[k], &use, &A, &B);
        const tmli_pose_increment *tA = use->node[0] < 0 ? &none : &w->increment[use->node[0]];
        const tmli_pose_increment *tB = use->node[1] < 0 ? &none : &w->increment[use->node[1]];
        const double change = tmli_measure_increment(&use->measure, A, B, tA, tB);
        dphi[c->term[k].row] +=
            c->term[k].coef * (use->angle < 0 ? change : with_turns(change, w->turned[use->angle]));
    }
}

void tmli_mb_constraint_rows(const tml_model *m, tmli_work *w, const tmli_constraint *c)
{
    const int width = 6 * c->plan.nslots;
    if (c->pin) {
        tmli_mb_pin_rows(m, w, c, NULL);
        return;
    }
    tmli_mb_clear_rows(c, w->B);
    if (c->ball) tmli_mb_ball_rows(m, w, c, NULL);
    for (int k = c->ball ? 3 : 0; k < c->nterms; k++) {
        const tmli_measure_use *use;
        const tmli_pose *A, *B;
        double g[12];
        term_poses(m, w, &c->term[k], &use, &A, &B);
        tmli_measure_grad(&use->measure, A, B, g);
        add_to_slots(&c->term[k], g, c->term[k].coef, w->B + c->term[k].row * width);  // (2)
    }
}

void tmli_mb_constraint_hessian(const tml_model *m, tmli_work *w, const tmli_constraint *c, const double *mu)
{
    const int width = 6 * c->plan.nslots;
    for (int k = 0; k < c->nterms; k++) {
        const tmli_row_term *term = &c->term[k];
        const double weight = term->coef * mu[term->row];
        const tmli_measure_use *use;
        const tmli_pose *A, *B;
        term_poses(m, w, term, &use, &A, &B);
        if (c->plan.nslots == 2 && term->slot[0] == 0 && term->slot[1] == 1) {
            tmli_measure_add_hessian(&use->measure, A, B, weight, w->H);
            continue;
        }
        double N[144] = {0};
        tmli_measure_add_hessian(&use->measure, A, B, weight, N);
        for (int si = 0; si < 2; si++)
            for (int sj = 0; sj < 2; sj++) {
                if (term->slot[si] < 0 || term->slot[sj] < 0) continue;
                for (int i = 0; i < 6; i++)
                    for (int j = 0; j < 6; j++)
                        w->H[(6 * term->slot[si] + i) * width + 6 * term->slot[sj] + j] +=
                            N[12 * (6 * si + i) + 6 * sj + j];
            }
    }
}

void tmli_mb_constraint_rows_times(const tml_model *m, tmli_work *w, const tmli_constraint *c,
                                   const double *v, double *out)
{
    const int width = 6 * c->plan.nslots;
    tmli_mb_clear_rows(c, out);
    for (int k = 0; k < c->nterms; k++) {
        const tmli_measure_use *use;
        const tmli_pose *A, *B;
        double u12[12], row[12];
        term_poses(m, w, &c->term[k], &use, &A, &B);
        node_velocities(m, v, use, u12);
        tmli_measure_row(&use->measure, A, B, u12, row);
        add_to_slots(&c->term[k], row, c->term[k].coef, out + c->term[k].row * width);
    }
}

void tmli_mb_constraint_gamma(const tml_model *m, tmli_work *w, const tml_state *x, const tmli_constraint *c,
                              double *gamma)
{
    for (int r = 0; r < c->nrows; r++) {
        double jet[3];
        tmli_mb_row_time(c, x, r, jet);
        gamma[r] = jet[2];
    }
    for (int k = 0; k < c->nterms && !tmli_is_released(c, x); k++) {
        const tmli_measure_use *use;
        const tmli_pose *A, *B;
        double u12[12];
        term_poses(m, w, &c->term[k], &use, &A, &B);
        node_velocities(m, x->u, use, u12);
        gamma[c->term[k].row] -= c->term[k].coef * tmli_measure_quad(&use->measure, A, B, u12);  // (3)
    }
}

void tmli_mb_constraint_gamma_derivatives(const tml_model *m, tmli_work *w, const tml_state *x,
                                          const tmli_constraint *c, double *by_d, double *by_u)
{
    const int width = 6 * c->plan.nslots;
    tmli_mb_clear_rows(c, by_d);
    tmli_mb_clear_rows(c, by_u);
    for (int k = 0; k < c->nterms && !tmli_is_released(c, x); k++) {
        const tmli_measure_use *use;
        const tmli_pose *A, *B;
        double u12[12], g[12], N[144] = {0}, both[12] = {0};
        term_poses(m, w, &c->term[k], &use, &A, &B);
        node_velocities(m, x->u, use, u12);
        tmli_measure_quad_grad(&use->measure, A, B, u12, g);
        add_to_slots(&c->term[k], g, -c->term[k].coef, by_d + c->term[k].row * width);
        tmli_measure_add_hessian(&use->measure, A, B, 1, N);
        for (int i = 0; i < 12; i++)
            for (int j = 0; j < 12; j++) both[j] += u12[i] * (N[12 * i + j] + N[12 * j + i]);
        add_to_slots(&c->term[k], both, -c->term[k].coef, by_u + c->term[k].row * width);
    }
}

// The generalized force of the rows on body b is -B_b' lambda: force in the inertial frame, moment about the
// centre of mass in body axes. If b is the ground it has no slot, so the columns are computed from the
// measures.
void tmli_mb_reaction(const tml_model *m, tmli_work *w, const tml_state *x, const tmli_constraint *c,
                      double out[6])
{
    double Q[6] = {0};
    for (int k = 0; k < c->nterms; k++) {
        const tmli_measure_use *use;
        const tmli_pose *A, *B;
        double g[12];
        term_poses(m, w, &c->term[k], &use, &A, &B);
        tmli_measure_grad(&use->measure, A, B, g);
        const double lambda = x->lambda[c->first + c->term[k].row] * c->term[k].coef;
        for (int i = 0; i < 6; i++) Q[i] -= lambda * g[6 + i];
    }
    const tmli_pose *B = tmli_pose_of(w->pose, c->node_b);
    const vec3 force = v3_from(Q);
    const vec3 arm = m3_mulv(&B->R, c->s_b);
    const vec3 moment = v3_sub(m3_mulv(&B->R, v3_from(Q + 3)), v3_cross(arm, force));
    v3_store(force, out);
    v3_store(moment, out + 3);
}
