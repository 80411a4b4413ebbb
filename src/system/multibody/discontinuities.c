// Discontinuities of a multibody model, of the system contract. model/build/discontinuities.c assigns the
// modes.
#include "element/force/along.h"
#include "system/multibody/multibody.h"

#include <math.h>

// What rests is at the end of the branches of `v > 0`: there the round-off of its velocity has no side.
static double without_roundoff(const tmli_view *v, const tmli_discontinuity *s, const tmli_var *var,
                               double value)
{
    const int use = var->kind == TMLI_VAR_RATE                           ? var->use
                    : var->kind == TMLI_VAR_LOCAL && var->component == 1 ? v->m->force[s->force].use
                                                                         : -1;
    const bool turns = var->kind == TMLI_VAR_OMEGA;
    return (turns || use >= 0) && fabs(value) <= tmli_along_rest(v->m, use) ? 0 : value;
}

// Values of the variables of an expression with discontinuities.
static void set_variables(const tmli_view *v, const tmli_discontinuity *s, double *values)
{
    values[0] = v->x->t;
    if (!s->vars) return;  // a motion
    const tmli_force *f = &v->m->force[s->force];
    double local[TMLI_FORCE_LOCALS];
    if (f->ops->locals) f->ops->locals(f, v, local);
    for (int k = 0; k < s->vars->nvars; k++) {
        const tmli_var *var = &s->vars->var[k];
        values[k] = without_roundoff(v, s, var, tmli_variable_value(v, var, local));
    }
}

void tmli_mb_event_values(const void *self, void *work, const tml_state *x, double *out)
{
    const tml_model *m = self;
    tmli_work *w = work;
    const tmli_view v = {.m = m, .x = x, .pose = w->pose, .w = w, .known = w->known};
    double values[TMLI_MAX_VARS];
    tmli_mb_begin(m, w, x);
    for (int i = 0; i < m->ndiscontinuities; i++) {
        const tmli_discontinuity *s = &m->discontinuity[i];
        if (!s->expr) {
            const tmli_force *f = &m->force[s->force];
            f->ops->event_values(f, &v, x->mode + s->first, out + s->first);
            continue;
        }
        set_variables(&v, s, values);
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

// How far closed unilateral constraints have drifted [model lengths or rad].
static double largest_drift(const tmli_view *v)
{
    const tml_model *m = v->m;
    double most = 0;
    for (int i = 0; i < m->ndiscontinuities; i++) {
        const tmli_force *f = m->discontinuity[i].expr ? NULL : &m->force[m->discontinuity[i].force];
        if (f && f->ops->drift) most = fmax(most, f->ops->drift(f, v));
    }
    return most;
}

int tmli_mb_switch_modes(const void *self, void *work, tml_state *x, const tml_state *later, bool all,
                         int *constraint)
{
    const tml_model *m = self;
    tmli_work *w = work;
    tmli_view v = {.m = m, .x = x, .pose = w->pose, .w = w};
    const tmli_view v_later = {.m = m, .x = later, .pose = w->later, .w = w};
    double values[TMLI_MAX_VARS], after[TMLI_MAX_VARS];
    int changed = 0;
    if (constraint) *constraint = -1;
    tmli_mb_set_poses(m, w, x->q);
    v.drift = largest_drift(&v);
    if (later) tmli_mb_poses(m, later->q, w->later);
    for (int i = 0; i < m->ndiscontinuities; i++) {
        const tmli_discontinuity *s = &m->discontinuity[i];
        double *const mode = x->mode + s->first;
        if (!s->expr) {
            const tmli_force *f = &m->force[s->force];
            const int n = f->ops->update_modes(f, &v, later ? &v_later : NULL, all, mode);
            changed += n;
            // a row that begins to hold a coordinate removes what is left of its rate; a motion that jumps
            // counts before it
            for (int k = 0; k < f->nmodes && n > 0 && f->stick >= 0 && constraint && *constraint < 0; k++)
                if (m->switches[s->first + k].kind == TML_SWITCH_FRICTION && mode[k] == TML_SWITCH_HELD)
                    *constraint = m->constraint[f->stick + k].first;
            continue;
        }
        if (later) set_variables(&v_later, s, after);
        set_variables(&v, s, values);
        const int n = tmli_expr_update_modes(s->expr, values, later ? after : NULL, all, mode);
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

void tmli_mb_pole_values(const tml_model *m, tmli_work *w, const tml_state *x, double *out)
{
    const tmli_view v = {.m = m, .x = x, .pose = w->pose, .w = w};
    double values[TMLI_MAX_VARS];
    tmli_mb_set_poses(m, w, x->q);
    for (int i = 0; i < m->npoles; i++) {
        const tmli_discontinuity *s = &m->pole[i];
        set_variables(&v, s, values);
        tmli_expr_pole_values(s->expr, values, tmli_modes(x, s->mode), out + s->first);
    }
}

double tmli_mb_pole_law(const tml_model *m, tmli_work *w, const tml_state *x, int i)
{
    const tmli_view v = {.m = m, .x = x, .pose = w->pose, .w = w};
    double values[TMLI_MAX_VARS];
    tmli_mb_set_poses(m, w, x->q);
    set_variables(&v, &m->pole[i], values);
    return tmli_expr_eval_mode(m->pole[i].expr, values, tmli_modes(x, m->pole[i].mode));
}

bool tmli_mb_has_sunk(const tml_model *m, tmli_work *w, const tml_state *x, int i, char *text, size_t size)
{
    const tmli_view v = {.m = m, .x = x, .pose = w->pose, .w = w};
    const tmli_force *f = &m->force[i];
    if (!f->ops->sunk) return false;
    tmli_mb_set_poses(m, w, x->q);
    return f->ops->sunk(f, &v, text, size);
}

bool tmli_mb_starts_beyond(const tml_model *m, tmli_work *w, const tml_state *x, int i, char *text,
                           size_t size)
{
    const tmli_view v = {.m = m, .x = x, .pose = w->pose, .w = w};
    const tmli_force *f = &m->force[i];
    tmli_mb_set_poses(m, w, x->q);
    return f->ops->violated && f->ops->violated(f, &v, text, size);
}
