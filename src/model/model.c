// The start values of a model, and its destruction.
#include "model/model.h"
#include "part/part.h"

#include <string.h>

static void destroy_vars(tmli_expr_vars *v) { tmli_expr_destroy(v->expr); }

void tml_model_destroy(tml_model *m)
{
    if (!m) return;
    for (int i = 0; i < m->nconstraints; i++)
        for (int r = 0; m->constraint[i].motion && r < TMLI_JOINT_ROWS; r++)
            tmli_expr_destroy(m->constraint[i].motion[r].expr);
    for (int i = 0; i < m->ntables; i++) tmli_curve_destroy(&m->env, m->table[i].curve);
    tmli_free(&m->env, m->table);
    for (int i = 0; i < m->nforces; i++) {
        const tmli_force *f = &m->force[i];
        for (int k = 0; k < f->nlaws; k++) destroy_vars(&f->law[k]);
        if (f->destroy) f->destroy(&m->env, f->data);
    }
    for (int i = 0; i < m->noutputs; i++) destroy_vars(&m->output[i].value);
    for (int i = 0; i < m->nevents; i++) {
        destroy_vars(&m->event[i].when);
        destroy_vars(&m->event[i].condition);
    }
    tmli_pattern_destroy(m->pattern);
    tmli_free_all(&m->env, m->measure_use, m->pair);
    tmli_arena_clear(&m->arena);
    const tml_env env = m->env;
    tmli_free(&env, m);
}

void tml_model_start(const tml_model *m, double t, tml_state *x)
{
    if (!m || !x) return;
    x->t = t;
    v3_store(m->origin, x->origin);
    memset(x->udot, 0, (size_t)m->n * sizeof(double));
    memset(x->lambda, 0, (size_t)m->m * sizeof(double));
    for (int i = 0; i < m->nmodes; i++) x->mode[i] = 0;
    x->input_t = t;
    for (int i = 0; i < m->ninputs; i++) {
        x->input[2 * i] = m->input[i].value;
        x->input[2 * i + 1] = 0;
    }
    for (int i = 0; i < m->nnodes; i++) {
        const tmli_node *node = &m->node[i];
        memcpy(x->q + 7 * i, node->q0, sizeof node->q0);
        for (int k = 0; k < node->ncoords; k++) x->u[node->first + k] = node->u0[node->local[k]];
    }
    for (int i = 0; i < m->nmeasure_uses; i++) {
        const tmli_measure_use *use = &m->measure_use[i];
        if (use->angle >= 0) x->angle[use->angle] = use->start;
    }
}

int tmli_model_amplitude_nodes(const tml_force_def *def)
{
    const bool modal = def->type == TML_FORCE_MODAL && def->modal && def->modal->part;
    return modal ? (def->modal->part->nmodes + 2) / 3 : 0;
}
