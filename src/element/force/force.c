// The catalogue of force types, and what their build functions share.
#include "element/force/force.h"

#include <float.h>
#include <math.h>

#define DECLARE(NAME, name) extern const tmli_force_ops tmli_force_##name;
TML_FORCE_TYPE_LIST(DECLARE)
#undef DECLARE

const tmli_force_ops *tmli_force_type(tml_force_type type)
{
#define ENTRY(NAME, name) [TML_FORCE_##NAME] = &tmli_force_##name,
    static const tmli_force_ops *const types[TML_FORCE_TYPES] = {TML_FORCE_TYPE_LIST(ENTRY)};
#undef ENTRY
    return types[type];
}

void tmli_force_increments(const tmli_force *f, const tmli_step_view *s, double *d)
{
    for (int k = 0; k < f->plan.nslots; k++)
        tmli_node_velocity(s->middle.m, s->d, f->plan.node[k], d + 6 * k);
}

double tmli_force_arm(int nslots, const double *g)
{
    double force = 0, moment = 0;
    for (int i = 0; i < 6 * nslots; i++) *(i % 6 < 3 ? &force : &moment) += g[i] * g[i];
    return force > 0 ? sqrt(moment / force) : 1;
}

// The force c (d_r - mean), c arm^2 d_th does the work c (|d_r - mean|^2 + arm^2 |d_th|^2).
void tmli_force_add_work(int nslots, const double *d, double arm, bool relative, double work, double terms,
                         double *Q)
{
    if (fabs(work) <= 4 * DBL_EPSILON * terms) return;
    double mean[3] = {0}, square = 0;
    for (int i = 0; i < 6 * nslots && relative; i++)
        if (i % 6 < 3) mean[i % 6] += d[i] / nslots;
    for (int i = 0; i < 6 * nslots; i++) {
        const double along = i % 6 < 3 ? d[i] - mean[i % 6] : arm * d[i];
        square += along * along;
    }
    if (!(square > 0)) return;  // nothing moves
    for (int i = 0; i < 6 * nslots; i++)
        Q[i] += work / square * (i % 6 < 3 ? d[i] - mean[i % 6] : arm * arm * d[i]);
}

tml_status tmli_force_find_frames(const tmli_force_builder *b, const tmli_force_entry *e, tmli_marker at[2])
{
    tml_status st =
        tmli_model_find_frame(b->spec, b->m, e->def.a, tmli_entry_mark(&e->at, "a"), &at[0], b->err);
    if (st == TML_OK)
        st = tmli_model_find_frame(b->spec, b->m, e->def.b, tmli_entry_mark(&e->at, "b"), &at[1], b->err);
    if (st == TML_OK && at[0].body == at[1].body)
        st = tmli_fail_at(b->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "b"),
                          "force '%s' connects '%s' to itself", e->def.name,
                          at[0].body < 0 ? "ground" : b->spec->bodies[at[0].body].def.name);
    return st;
}

tml_status tmli_force_check_moves(const tmli_force_builder *b, const tmli_force_entry *e, const char *key,
                                  int body)
{
    if (body >= 0) return TML_OK;
    return tmli_fail_at(b->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, key),
                        "force '%s' acts on the ground, which cannot move", e->def.name);
}

tml_status tmli_force_check_torque(const tmli_force_builder *b, const tmli_force_entry *e, int body)
{
    if (body < 0 || !b->spec->bodies[body].def.point) return TML_OK;
    return tmli_fail_at(b->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "torque"),
                        "force '%s': '%s' is a point mass and cannot take a torque", e->def.name,
                        b->spec->bodies[body].def.name);
}

tml_status tmli_force_table(const tmli_force_builder *b, const tmli_force_entry *e, const tmli_curve **out)
{
    *out = NULL;
    if (e->def.table_count == 0) return TML_OK;
    return tmli_model_add_curve(b->m, "force", e->def.name, tmli_entry_mark(&e->at, "table"),
                                e->def.table_count, e->def.table, e->def.table_style, out, b->err);
}

tml_status tmli_force_alloc_laws(const tmli_force_builder *b, tmli_force *f, int count)
{
    f->law = tmli_arena_alloc(&b->m->arena, (size_t)count, sizeof *f->law);
    if (!f->law) return tmli_no_memory(b->err, "model");
    f->nlaws = count;
    return TML_OK;
}

tml_status tmli_force_compile(const tmli_force_builder *b, const tmli_force_entry *e, tmli_force *f, int k,
                              const char *text, const char *key, const char *const *local)
{
    if (!text) return TML_OK;
    return tmli_model_compile(b->spec, b->m, text, tmli_entry_mark(&e->at, key), TMLI_SCOPE_STATE, local,
                              &f->law[k], b->err);
}

bool tmli_force_laws_are_own(const tmli_force *f)
{
    for (int i = 0; i < f->nlaws; i++)
        for (int k = 0; k < f->law[i].nvars; k++) {
            const tmli_var_kind kind = f->law[i].var[k].kind;
            if (kind != TMLI_VAR_TIME && kind != TMLI_VAR_INPUT && kind != TMLI_VAR_LOCAL) return false;
        }
    return true;
}

// ---- plan -------------------------------------------------------------------------------------------------

static void add_law_slots(const tml_model *m, const tmli_expr_vars *law, tmli_plan *p)
{
    for (int k = 0; k < law->nvars; k++) {
        tmli_var *var = &law->var[k];
        if (var->kind == TMLI_VAR_MEASURE || var->kind == TMLI_VAR_RATE) {
            var->slot[0] = tmli_plan_slot(p, m->measure_use[var->use].node[0]);
            var->slot[1] = tmli_plan_slot(p, m->measure_use[var->use].node[1]);
        } else if (var->kind == TMLI_VAR_OMEGA || var->kind == TMLI_VAR_ATTITUDE ||
                   var->kind == TMLI_VAR_STATE) {
            var->slot[0] = tmli_plan_slot(p, var->node);
        }
    }
}

tml_status tmli_force_plan(const tmli_force_builder *b, tmli_force *f, int count, const int *node, int *slot)
{
    size_t room = (size_t)count + 1;
    for (int k = 0; k < f->nlaws; k++) room += 2 * (size_t)f->law[k].nvars;
    f->plan.node = tmli_arena_alloc(&b->m->arena, room, sizeof(int));
    if (!f->plan.node) return tmli_no_memory(b->err, "model");
    for (int k = 0; k < count; k++) slot[k] = tmli_plan_slot(&f->plan, node[k]);
    for (int k = 0; k < f->nlaws; k++) add_law_slots(b->m, &f->law[k], &f->plan);
    return TML_OK;
}
