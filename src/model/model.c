// Access to the parts of a model, its start values, and its destruction.
#include "model/model.h"

#include <string.h>

static void destroy_vars(tmli_expr_vars *v) { tmli_expr_destroy(v->expr); }

void tml_model_destroy(tml_model *m)
{
    if (!m) return;
    for (int i = 0; i < m->nconstraints; i++) tmli_expr_destroy(m->constraint[i].motion);
    for (int i = 0; i < m->nroads; i++) tmli_spline_destroy(&m->env, m->road[i].table);
    for (int i = 0; i < m->nforces; i++) {
        destroy_vars(&m->force[i].law);
        for (int k = 0; k < 6; k++) destroy_vars(&m->force[i].wrench[k]);
        tmli_spline_destroy(&m->env, m->force[i].table);
    }
    for (int i = 0; i < m->noutputs; i++) destroy_vars(&m->output[i].value);
    for (int i = 0; i < m->nevents; i++) destroy_vars(&m->event[i].when);
    tmli_pattern_destroy(m->pattern);
    tmli_free(&m->env, m->measure_use);
    tmli_arena_clear(&m->arena);
    const tml_env env = m->env;
    tmli_free(&env, m);
}

const tml_run_def *tml_model_run(const tml_model *model) { return &model->run; }
const char *tml_model_title(const tml_model *model) { return model->title; }
int tml_model_body_count(const tml_model *model) { return model->nnodes; }
const char *tml_model_body_name(const tml_model *model, int body) { return model->node[body].name; }
int tml_model_joint_count(const tml_model *model) { return model->nconstraints; }
const char *tml_model_joint_name(const tml_model *model, int joint) { return model->constraint[joint].name; }
int tml_model_joint_rows(const tml_model *model, int joint) { return model->constraint[joint].nrows; }
int tml_model_force_count(const tml_model *model) { return model->nforces; }
const char *tml_model_force_name(const tml_model *model, int force) { return model->force[force].name; }

void tml_model_start(const tml_model *m, double t, tml_state *x)
{
    x->t = t;
    memset(x->udot, 0, (size_t)m->n * sizeof(double));
    memset(x->lambda, 0, (size_t)m->m * sizeof(double));
    for (int i = 0; i < m->nmodes; i++) x->mode[i] = 0;
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
