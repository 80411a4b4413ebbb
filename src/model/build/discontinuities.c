// The discontinuities of a model: jumps and kinks in the expressions of forces and motions, and those of
// forces themselves, such as the lift-off of tyres. Each gets an index in state.mode. Outputs and events have
// none: they are evaluated as written. The same expressions may have poles.
#include "model/build/build.h"

#include <math.h>

static void add_poles(tml_model *m, const tmli_expr *e, const tmli_expr_vars *v, int force, int constraint,
                      int mode)
{
    const int count = e ? tmli_expr_npoles(e) : 0;
    if (count == 0) return;
    m->pole[m->npoles++] = (tmli_discontinuity){.expr = e,
                                                .vars = v,
                                                .count = count,
                                                .force = force,
                                                .constraint = constraint,
                                                .first = m->npole_values,
                                                .mode = mode};
    m->npole_values += count;
}

// *mode: 1 + index of the first mode.
static void add_modes(tml_model *m, const tmli_expr *e, const tmli_expr_vars *v, int force, int constraint,
                      int *mode)
{
    const int count = e ? tmli_expr_ndiscontinuities(e) : 0;
    if (count == 0) return;
    tmli_discontinuity *s = &m->discontinuity[m->ndiscontinuities++];
    *s = (tmli_discontinuity){
        .expr = e, .vars = v, .count = count, .force = force, .constraint = constraint, .first = m->nmodes};
    s->only_time = true;
    for (int i = 0; v && i < v->nvars; i++) s->only_time = s->only_time && v->var[i].kind == TMLI_VAR_TIME;
    m->nmodes += count;
    *mode = s->first + 1;
}

static void add_expression(tml_model *m, const tmli_expr *e, const tmli_expr_vars *v, int force,
                           int constraint, int *mode)
{
    add_modes(m, e, v, force, constraint, mode);
    add_poles(m, e, v, force, constraint, *mode);
}

// Discontinuities of a force besides those of its laws.
static void add_own(tml_model *m, int force)
{
    tmli_force *f = &m->force[force];
    if (f->nmodes == 0) return;
    m->discontinuity[m->ndiscontinuities++] =
        (tmli_discontinuity){.count = f->nmodes, .force = force, .constraint = -1, .first = m->nmodes};
    f->mode = m->nmodes + 1;
    for (int k = 0; k < f->nmodes && f->stick >= 0; k++) m->constraint[f->stick + k].stick_mode = f->mode + k;
    m->nmodes += f->nmodes;
}

tml_status tmli_model_number_modes(tml_model *m, tml_error *err)
{
    size_t room = 1;
    for (int i = 0; i < m->nforces; i++) room += (size_t)m->force[i].nlaws + 1;
    for (int i = 0; i < m->nconstraints; i++) room += (size_t)m->constraint[i].nrows;
    m->discontinuity = tmli_arena_alloc(&m->arena, room, sizeof *m->discontinuity);
    m->pole = tmli_arena_alloc(&m->arena, room, sizeof *m->pole);
    if (!m->discontinuity || !m->pole) return tmli_no_memory(err, "model");
    for (int i = 0; i < m->nforces; i++) {
        tmli_force *f = &m->force[i];
        m->loads = m->loads || f->load >= 0;
        size_t rows = 0;
        for (int l = 0; f->load >= 0 && l < f->nloads; l++) rows += (size_t)m->constraint[f->load + l].nrows;
        const size_t entries = rows * 6 * (size_t)f->plan.nslots;
        m->load_entries = entries > m->load_entries ? entries : m->load_entries;
        for (int k = 0; k < f->nlaws; k++)
            add_expression(m, f->law[k].expr, &f->law[k], i, -1, &f->law[k].mode);
        add_own(m, i);
    }
    for (int i = 0; i < m->nconstraints; i++) {
        tmli_constraint *c = &m->constraint[i];
        for (int r = 0; c->motion && r < c->nrows; r++)
            add_expression(m, c->motion[r].expr, NULL, -1, i, &c->motion[r].mode);
    }
    m->mode_of_time = tmli_arena_alloc(&m->arena, (size_t)m->nmodes + 1, sizeof *m->mode_of_time);
    m->mode_owner = tmli_arena_alloc(&m->arena, (size_t)m->nmodes + 1, sizeof *m->mode_owner);
    m->mode_of_force = tmli_arena_alloc(&m->arena, (size_t)m->nmodes + 1, sizeof *m->mode_of_force);
    m->restitution = tmli_arena_alloc(&m->arena, (size_t)m->nmodes + 1, sizeof *m->restitution);
    m->mode_row = tmli_arena_alloc(&m->arena, (size_t)m->nmodes + 1, sizeof *m->mode_row);
    m->poisson = tmli_arena_alloc(&m->arena, (size_t)m->nmodes + 1, sizeof *m->poisson);
    m->loaded_by = tmli_arena_alloc(&m->arena, (size_t)m->nmodes + 1, sizeof *m->loaded_by);
    if (!m->mode_of_time || !m->mode_owner || !m->mode_of_force || !m->restitution || !m->mode_row ||
        !m->poisson || !m->loaded_by)
        return tmli_no_memory(err, "model");
    for (int i = 0; i < m->ndiscontinuities; i++) {
        const tmli_discontinuity *s = &m->discontinuity[i];
        for (int k = 0; k < s->count; k++) {
            bool time = s->expr != NULL;
            for (int j = 0; s->vars && j < s->vars->nvars; j++)
                time = time && (s->vars->var[j].kind == TMLI_VAR_TIME ||
                                !tmli_expr_discontinuity_uses(s->expr, k, j));
            m->mode_of_time[s->first + k] = time;
            m->mode_owner[s->first + k] = i;
            const tmli_force *owner = s->expr ? NULL : &m->force[s->force];
            m->mode_of_force[s->first + k] = owner && owner->stick >= 0;
            const int tangents = owner ? owner->tangents : 0, normals = s->count / (1 + tangents);
            const bool unilateral = owner && !isnan(owner->restitution) && k < normals;
            m->restitution[s->first + k] = unilateral ? owner->restitution : NAN;
            m->poisson[s->first + k] = unilateral && owner->poisson;
            m->loaded_by[s->first + k] = !owner || owner->load < 0 || unilateral ? -1
                                         : tangents > 0 ? s->first + (k - normals) / tangents
                                                        : m->nmodes;
            m->mode_row[s->first + k] =
                owner && owner->stick >= 0 ? m->constraint[owner->stick + k].first : -1;
            m->unilateral = m->unilateral || unilateral;
        }
    }
    return TML_OK;
}
