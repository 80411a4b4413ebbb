// The arguments with which a model uses its tables at a state.
#include "system/multibody/multibody.h"

static void visit_law(const tmli_view *v, const tmli_expr_vars *law, const double *local,
                      tmli_table_visit *visit, void *user)
{
    double values[TMLI_MAX_VARS];
    if (!law->expr) return;
    for (int k = 0; k < law->nvars; k++) values[k] = tmli_variable_value(v, &law->var[k], local);
    tmli_expr_visit_tables(law->expr, values, tmli_modes(v->x, law->mode), visit, user);
}

void tmli_mb_visit_tables(const tml_model *m, tmli_work *w, const tml_state *x, tmli_table_visit *visit,
                          void *user)
{
    const tmli_view v = {.m = m, .x = x, .pose = w->pose, .w = w};
    tmli_mb_set_poses(m, w, x->q);
    for (int i = 0; i < m->nconstraints; i++) {
        const tmli_constraint *c = &m->constraint[i];
        for (int r = 0; c->motion && r < c->nrows; r++)
            tmli_expr_visit_tables(c->motion[r].expr, &x->t, tmli_modes(x, c->motion[r].mode), visit, user);
    }
    for (int i = 0; i < m->nforces; i++) {
        const tmli_force *f = &m->force[i];
        double local[TMLI_FORCE_LOCALS] = {0};
        if (f->ops->tables) f->ops->tables(f, &v, visit, user);
        if (f->ops->locals && f->nlaws > 0) f->ops->locals(f, &v, local);
        for (int k = 0; k < f->nlaws; k++) visit_law(&v, &f->law[k], local, visit, user);
    }
}
