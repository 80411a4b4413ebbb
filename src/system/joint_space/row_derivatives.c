// Derivatives of the rows of the loops and of their right sides gamma; columns H, U_d, A_d, A_u as in
// columns.c.
#include "system/joint_space/columns.h"

#include <string.h>

// values (rows of the loop) += factor * local rows (constraint's rows x 6 slots) times the columns `which`
// (0: H, 1: U, 2: A, 3: A_u) of the bodies at its slots.
static void add_rows_columns(const tmli_joint_space *s, const tmli_joint_space_work *w, const tmli_loop *p,
                             const double *rows, int which, double factor, double *values)
{
    const tmli_plan *plan = &s->model->constraint[p->constraint].plan;
    const size_t n6 = 6 * (size_t)s->n;
    for (int k = 0; k < plan->nslots; k++) {
        const double *c = w->product + (size_t)(4 * k + which) * n6;
        for (int at = p->slot[k]; at >= 0; at = p->up[at]) {
            const tmli_tree_joint *b = &s->joint[p->path[at]];
            for (int r = 0; r < p->nrows; r++) {
                const double *row = rows + (p->keep + r) * 6 * plan->nslots + 6 * k;
                for (int j = 0; j < b->nu; j++)
                    values[r * p->width + p->at[at] + j] += factor * tmli_dot6(row, c + 6 * (b->first + j));
            }
        }
    }
}

static void slot_columns(const tmli_joint_space *s, tmli_joint_space_work *w, const tmli_loop *p,
                         const double *u, bool all)
{
    const tmli_plan *plan = &s->model->constraint[p->constraint].plan;
    const size_t n6 = 6 * (size_t)s->n;
    for (int k = 0; k < plan->nslots; k++) {
        double *c = w->product + (size_t)(4 * k) * n6;
        const tmli_motion_columns to = {c, c + n6, all ? c + 2 * n6 : NULL, all ? c + 3 * n6 : NULL};
        tmli_joint_space_set_columns(s, w, p->path[p->slot[k]], u, NULL, &to);
    }
}

tml_status tmli_joint_space_rows_times(const void *self, void *work, const tml_state *x, const double *v,
                                       double *values, tml_error *err)
{
    const tmli_joint_space *s = self;
    tmli_joint_space_work *w = work;
    if (!s->matrix) return tmli_joint_space_no_matrix(err);
    tmli_joint_space_velocities(s, w, x->q, v);  // (H v)_d is U_d with u = v; H v is w->bu
    memset(values, 0, (size_t)s->row_entries * sizeof *values);
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        const tmli_constraint *c = &s->model->constraint[p->constraint];
        slot_columns(s, w, p, v, false);
        tmli_mb_constraint_rows_times(s->model, w->base, c, w->bu, w->base->B);
        add_rows_columns(s, w, p, w->base->B, 0, 1, values + p->offset);
        tmli_mb_constraint_rows(s->model, w->base, c);
        add_rows_columns(s, w, p, w->base->B, 1, 1, values + p->offset);
    }
    return TML_OK;
}

// gamma_q,d = gamma_d H + gamma_u U_d - (B h)_d H - B A_d, gamma_q,u = gamma_u H - B A_u, at udot = 0: A = h
tml_status tmli_joint_space_gamma_derivatives(const void *self, void *work, const tml_state *x, double *by_d,
                                              double *by_u, tml_error *err)
{
    const tmli_joint_space *s = self;
    tmli_joint_space_work *w = work;
    tmli_work *base = w->base;
    if (!s->matrix) return tmli_joint_space_no_matrix(err);
    tmli_joint_space_velocities(s, w, x->q, x->u);
    tmli_joint_space_accelerations(s, w, NULL, w->budot);
    const tml_state y = tmli_joint_space_base_state(s, w, x, false);
    memset(by_d, 0, (size_t)s->row_entries * sizeof *by_d);
    memset(by_u, 0, (size_t)s->row_entries * sizeof *by_u);
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        const tmli_constraint *c = &s->model->constraint[p->constraint];
        double *second = base->B + c->nrows * 6 * c->plan.nslots;
        slot_columns(s, w, p, x->u, true);
        tmli_mb_constraint_gamma_derivatives(s->model, base, &y, c, base->B, second);
        add_rows_columns(s, w, p, base->B, 0, 1, by_d + p->offset);
        add_rows_columns(s, w, p, second, 1, 1, by_d + p->offset);
        add_rows_columns(s, w, p, second, 0, 1, by_u + p->offset);
        tmli_mb_constraint_rows_times(s->model, base, c, w->budot, base->B);
        add_rows_columns(s, w, p, base->B, 0, -1, by_d + p->offset);
        tmli_mb_constraint_rows(s->model, base, c);
        add_rows_columns(s, w, p, base->B, 2, -1, by_d + p->offset);
        add_rows_columns(s, w, p, base->B, 3, -1, by_u + p->offset);
    }
    return TML_OK;
}
