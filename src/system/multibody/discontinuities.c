// Discontinuities of a multibody model, of the system contract; model/discontinuities.c assigns the modes.
#include "system/multibody/multibody.h"

// Pose and velocity u of the body of a wheel.
static const tmli_pose *wheel_pose(const tml_model *m, const tmli_mbwork *w, const tml_state *x,
                                   const tmli_force *f, double u[6])
{
    tmli_mb_node_velocity(m, x->u, f->at.body, u);
    return &w->pose[f->at.body];
}

// Values of the variables of an expression with discontinuities; poses are set.
static void set_variables(const tml_model *m, tmli_mbwork *w, const tml_state *x, const tmli_discontinuity *s,
                          double *values)
{
    if (s->vars) tmli_mb_law_variables(m, w, x, &m->force[s->force], s->vars, values);
    else values[0] = x->t;
}

void tmli_mb_event_values(const void *self, void *work, const tml_state *x, double *out)
{
    const tml_model *m = self;
    tmli_mbwork *w = work;
    double values[TMLI_MAX_VARS];
    tmli_mb_set_poses(m, w, x->q);
    for (int i = 0; i < m->ndiscontinuities; i++) {
        const tmli_discontinuity *s = &m->discontinuity[i];
        if (!s->expr) {
            double u[6];
            const tmli_force *f = &m->force[s->force];
            const tmli_pose *B = wheel_pose(m, w, x, f, u);
            tmli_tyre_event_values(&f->tyre, B, u, x->mode + s->first, out + s->first);
            continue;
        }
        set_variables(m, w, x, s, values);
        tmli_expr_event_values(s->expr, values, x->mode + s->first, out + s->first);
    }
}

// The discontinuity depends on t alone: the values of the other variables have no effect.
void tmli_mb_event_of_time(const void *self, int i, double t, const double *mode, double jet[3])
{
    const tml_model *m = self;
    const tmli_discontinuity *s = &m->discontinuity[m->mode_owner[i]];
    double values[TMLI_MAX_VARS] = {0}, rates[TMLI_MAX_VARS] = {0};
    for (int k = 0; k < (s->vars ? s->vars->nvars : 1); k++) {
        if (s->vars && s->vars->var[k].kind != TMLI_VAR_TIME) continue;
        values[k] = t;
        rates[k] = 1;
    }
    tmli_expr_event_jet(s->expr, i - s->first, s->only_time, values, rates, mode + s->first, jet);
}

static int update_tyre_modes(const tml_model *m, tmli_mbwork *w, tml_state *x, const tml_state *later,
                             bool all, const tmli_discontinuity *s)
{
    const tmli_force *f = &m->force[s->force];
    double u[6], u_later[6];
    tmli_pose B_later = {0};
    if (later) {
        tmli_mb_set_poses(m, w, later->q);
        B_later = *wheel_pose(m, w, later, f, u_later);
    }
    tmli_mb_set_poses(m, w, x->q);
    const tmli_pose *B = wheel_pose(m, w, x, f, u);
    return tmli_tyre_update_modes(&f->tyre, B, u, later ? &B_later : NULL, u_later, all, x->mode + s->first);
}

int tmli_mb_switch_modes(const void *self, void *work, tml_state *x, const tml_state *later, bool all,
                         int *constraint)
{
    const tml_model *m = self;
    tmli_mbwork *w = work;
    double values[TMLI_MAX_VARS], after[TMLI_MAX_VARS];
    int changed = 0;
    if (constraint) *constraint = -1;
    for (int i = 0; i < m->ndiscontinuities; i++) {
        const tmli_discontinuity *s = &m->discontinuity[i];
        if (!s->expr) {
            changed += update_tyre_modes(m, w, x, later, all, s);
            continue;
        }
        if (later) tmli_mb_set_poses(m, w, later->q);
        if (later) set_variables(m, w, later, s, after);
        tmli_mb_set_poses(m, w, x->q);
        set_variables(m, w, x, s, values);
        const int n = tmli_expr_update_modes(s->expr, values, later ? after : NULL, all, x->mode + s->first);
        changed += n;
        if (n > 0 && s->constraint >= 0 && constraint) *constraint = m->constraint[s->constraint].first;
    }
    return changed;
}

double tmli_mb_soft_mode(const void *self, int i, double width)
{
    const tml_model *m = self;
    const tmli_discontinuity *s = &m->discontinuity[m->mode_owner[i]];
    return s->expr ? tmli_expr_soft_mode(s->expr, i - s->first, width) : INFINITY;
}
