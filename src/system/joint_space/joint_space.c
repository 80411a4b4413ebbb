// The system in joint coordinates: the functions of the contract that follow from
//   U = H(q) u,   A = H udot + h(q, u)            velocities and accelerations of the bodies            (1)
//   M_q = H'M H,  f_q = H'(f - M h),  B_q = B H,  gamma_q = gamma - B h                                  (2)
// with M, f, B, gamma of the model; B without the rows of tree joints. H and H' are never formed: they are
// recursions from parents to children and back (kinematics.c).
#include "linalg/pattern/pattern.h"
#include "system/joint_space/internal.h"
#include "system/state/inactive.h"

#include <string.h>

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
    tmli_mb_add_forces(m, w->base, &y, s->is_scalar, wrench);
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *loop = &s->loop[i];
        const tmli_constraint *c = &m->constraint[loop->constraint];
        double value[TMLI_JOINT_ROWS];
        tmli_mb_constraint_value_rows(m, w->base, &y, c, value);
        for (int r = 0; r < loop->nrows; r++) {
            const int j = loop->first + r;
            const double *row = w->base->B + (loop->keep + r) * 6 * c->plan.nslots;
            phi[j] = value[loop->keep + r];
            const double mu = x->lambda[j] + (p ? tmli_active_penalty(x, p, j) * phi[j] : 0);
            for (int k = 0; k < c->plan.nact; k++) wrench[c->plan.global[k]] += row[c->plan.act[k]] * mu;
        }
        if (rows) tmli_joint_space_row_values(s, w, loop, w->base->B, rows + loop->offset);
    }
    tmli_joint_space_project(s, w, wrench, motion);
    tmli_joint_space_add_along(s, w, x, &y, false, 1, motion);
    if (m->has_inertia) tmli_joint_space_add_armature(s, x->udot, motion);
    if (tmli_joint_space_all_finite(motion, s->n) && tmli_joint_space_all_finite(phi, s->m)) return TML_OK;
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
        tmli_joint_space_rows_planar(s, w, x, values);
        return TML_OK;
    }
    tmli_joint_space_positions(s, w, x->q);
    for (int i = 0; i < s->nloops; i++) {
        tmli_mb_rows_at(s->model, w->base, x, &s->model->constraint[s->loop[i].constraint]);
        tmli_joint_space_row_values(s, w, &s->loop[i], w->base->B, values + s->loop[i].offset);
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
        tmli_mb_rows_at(s->model, w->base, x, c);
        for (int r = 0; r < p->nrows; r++) {
            double jet[3];
            tmli_mb_row_time(c, x, p->keep + r, jet);
            double sum = -jet[1];
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
    if (m->loads) tmli_joint_space_set_multipliers(s, w, x);
    double *wrench = w->force;
    memset(wrench, 0, (size_t)m->n * sizeof *wrench);
    tmli_mb_add_inertia(m, &y, wrench);
    tmli_mb_add_forces(m, w->base, &y, s->is_scalar, wrench);
    tmli_joint_space_project(s, w, wrench, f);
    tmli_joint_space_add_along(s, w, x, &y, false, 1, f);
    for (int j = 0; j < s->n; j++) f[j] = -f[j];
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        const tmli_constraint *c = &m->constraint[p->constraint];
        double value[TMLI_JOINT_ROWS];
        tmli_mb_constraint_gamma(m, w->base, &y, c, value);
        tmli_mb_rows_at(m, w->base, x, c);
        for (int r = 0; r < p->nrows; r++) {
            const double *row = w->base->B + (p->keep + r) * 6 * c->plan.nslots;
            double sum = value[p->keep + r];
            for (int k = 0; k < c->plan.nact; k++) sum -= row[c->plan.act[k]] * w->budot[c->plan.global[k]];
            gamma[p->first + r] = sum;
        }
    }
    if (tmli_joint_space_all_finite(f, s->n) && tmli_joint_space_all_finite(gamma, s->m)) return TML_OK;
    return tmli_joint_space_report_nonfinite(s, w, x, -1, err);
}

// Counted angles that are coordinates of the tree need no counting.
static void accept(const void *self, void *work, tml_state *x)
{
    const tmli_joint_space *s = self;
    tmli_joint_space_work *w = work;
    const tml_model *m = s->model;
    if (s->ncounted > 0) tmli_joint_space_positions(s, w, x->q);
    for (int i = 0; i < s->njoints; i++)
        for (int k = 0; k < 2; k++)
            if (s->joint[i].counted_angle[k] >= 0)
                x->angle[m->measure_use[s->joint[i].counted_angle[k]].angle] =
                    x->q[s->joint[i].firstq + s->joint[i].nslide + k];
    for (int k = 0; k < s->ncounted; k++)
        x->angle[m->measure_use[s->counted[k].use].angle] =
            tmli_mb_measure_value(m, w->base, x, s->counted[k].use, NULL);
}

// Tree joints are on their branch in all coordinates.
static tml_status check_branch(const void *self, void *work, const tml_state *x, tml_error *err)
{
    const tmli_joint_space *s = self;
    tmli_joint_space_work *w = work;
    tml_status st = TML_OK;
    bool any = false;
    for (int i = 0; i < s->nloops; i++)
        any = any || s->model->constraint[s->loop[i].constraint].branch.count > 0;
    if (!any) return TML_OK;
    tmli_joint_space_positions(s, w, x->q);
    for (int i = 0; i < s->nloops && st == TML_OK; i++)
        st = tmli_mb_constraint_branch(w->base, x->t, &s->model->constraint[s->loop[i].constraint], err);
    return st;
}

static tml_status energy(const void *self, void *work, const tml_state *x, double *kinetic, double *potential,
                         double *power, tml_error *err)
{
    const tmli_joint_space *s = self;
    tmli_joint_space_work *w = work;
    tmli_joint_space_velocities(s, w, x->q, x->u);
    const tml_state y = tmli_joint_space_base_state(s, w, x, false);
    tmli_joint_space_set_multipliers(s, w, x);
    tmli_joint_space_set_known(s, w, x);
    w->base->poses_given = true;
    const tml_status st = s->base->ops->energy(s->base->self, w->base, &y, kinetic, potential, power, err);
    w->base->poses_given = false;
    return st;
}

// The base's state at x with poses and measures, without q. Elements that act along coordinates need no
// poses. Rows that come and go are judged by accelerations and multipliers.
static tml_state posed_base_state(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                                  bool poses)
{
    if (poses) tmli_joint_space_velocities(s, w, x->q, x->u);
    tmli_joint_space_set_known(s, w, x);
    return tmli_joint_space_base_state(s, w, x, s->system.switches_rows);
}

static void input_change(const void *self, void *work, const tml_state *x, const tml_state *with, double *out)
{
    const tmli_joint_space *s = self;
    tmli_joint_space_work *w = work;
    tml_state y = tmli_joint_space_base_state(s, w, x, false);
    memset(out, 0, (size_t)s->n * sizeof *out);
    if (s->input_wrenches) {
        tmli_joint_space_velocities(s, w, x->q, x->u);
        memset(w->force, 0, (size_t)s->model->n * sizeof *w->force);
        tmli_mb_add_input_change(s->model, w->base, &y, with, s->is_scalar, w->force);
        tmli_joint_space_project(s, w, w->force, out);
    }
    tmli_joint_space_add_along(s, w, x, &y, true, -1, out);
    y.input = with->input;
    y.input_t = with->input_t;
    tmli_joint_space_add_along(s, w, x, &y, true, 1, out);
}

static tml_status power_of(const void *self, void *work, const tml_state *x, double *power, tml_error *err)
{
    const tmli_joint_space *s = self;
    tmli_joint_space_work *w = work;
    const tml_state y = posed_base_state(s, w, x, s->nscalar < s->model->nforces);
    tmli_joint_space_set_multipliers(s, w, x);
    w->base->poses_given = true;
    const tml_status st = s->base->ops->power(s->base->self, w->base, &y, power, err);
    w->base->poses_given = false;
    return st;
}

static void power_parts(const void *work, double *supplied, double *touching)
{
    tmli_mb_power_parts(((const tmli_joint_space_work *)work)->base, supplied, touching);
}

// ---- discontinuities --------------------------------------------------------------------------------------

static void event_values(const void *self, void *work, const tml_state *x, double *values)
{
    const tmli_joint_space *s = self;
    tmli_joint_space_work *w = work;
    const tml_state y = posed_base_state(s, w, x, !s->events_along);
    w->base->poses_given = true;
    s->base->ops->event_values(s->base->self, w->base, &y, values);
    w->base->poses_given = false;
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
    tml_state y = posed_base_state(s, w, x, true);
    w->base->poses_given = true;
    const int changed = s->base->ops->switch_modes(s->base->self, w->base, &y, later ? &next : NULL, all,
                                                   constraint ? &row : NULL);
    w->base->poses_given = false;
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
    tmli_symbolic_clear(&s->schedule);
    tmli_pattern_destroy(s->pattern);
    tmli_arena_clear(&s->arena);
    tmli_free(&env, s);
}

const tml_system_ops tmli_joint_space_ops = {
    .create_work = tmli_joint_space_create_work,
    .destroy_work = tmli_joint_space_destroy_work,
    .residual = tmli_joint_space_residual,
    .residual_rows = residual_rows,
    .increment = tmli_joint_space_increment,
    .assemble = tmli_joint_space_assemble,
    .assemble_parts = tmli_joint_space_assemble_parts,
    .velocity = velocity,
    .dynamics = dynamics,
    .accelerate = tmli_joint_space_accelerate,
    .diagonals = tmli_joint_space_diagonals,
    .rows = rows,
    .rows_times = tmli_joint_space_rows_times,
    .gamma_derivatives = tmli_joint_space_gamma_derivatives,
    .retract = tmli_joint_space_retract,
    .local = tmli_joint_space_local,
    .tangent_inverse = tmli_joint_space_tangent_inverse,
    .tangent = tmli_joint_space_tangent,
    .tangent_rate = tmli_joint_space_tangent_rate,
    .tangent_derivatives = tmli_joint_space_tangent_derivatives,
    .compose = tmli_joint_space_compose,
    .count = tmli_joint_space_count,
    .add_turns = tmli_joint_space_add_turns,
    .check_branch = check_branch,
    .accept = accept,
    .energy = energy,
    .input_change = input_change,
    .power = power_of,
    .power_parts = power_parts,
    .event_values = event_values,
    .event_of_time = event_of_time,
    .switch_modes = switch_modes,
    .soft_mode = soft_mode,
    .destroy = destroy,
};
