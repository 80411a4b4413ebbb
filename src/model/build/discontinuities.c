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

// Friction finds the rigid limits of its coordinate as a chain.
static void link_stops(tml_model *m)
{
    for (int i = 0; i < m->nforces; i++) {
        tmli_force *f = &m->force[i];
        f->stop = -1;
        if (f->use < 0 || f->stick < 0) continue;
        for (int j = isnan(f->restitution) ? m->nforces - 1 : i - 1; j >= 0 && f->stop < 0; j--) {
            const tmli_force *g = &m->force[j];
            if (g->use == f->use && g->stick >= 0 && g->mode > 0 && !isnan(g->restitution)) f->stop = j;
        }
    }
}

static bool is_of_time(const tmli_discontinuity *s, int k)
{
    bool time = s->expr != NULL;
    for (int j = 0; s->vars && j < s->vars->nvars; j++)
        time =
            time && (s->vars->var[j].kind == TMLI_VAR_TIME || !tmli_expr_discontinuity_uses(s->expr, k, j));
    return time;
}

// Mode k of a discontinuity. Those of a rigid contact are of its points, then of their friction.
static tml_switch switch_of(const tml_model *m, const tmli_discontinuity *s, int k)
{
    tml_switch out = {.of_time = is_of_time(s, k), .row = -1, .restitution = NAN, .loaded_by = -1};
    const tmli_force *f = s->expr ? NULL : &m->force[s->force];
    if (!f || f->stick < 0) return out;
    const int normals = s->count / (1 + f->tangents);
    out.kind = !isnan(f->restitution) && k < normals ? TML_SWITCH_UNILATERAL : TML_SWITCH_FRICTION;
    out.row = m->constraint[f->stick + k].first;
    if (out.kind == TML_SWITCH_UNILATERAL) {
        out.restitution = f->restitution;
        out.law = f->impact;
    } else if (f->load >= 0)
        out.loaded_by = f->tangents > 0 ? s->first + (k - normals) / f->tangents : m->nmodes;
    return out;
}

tml_status tmli_model_number_modes(tml_model *m, tml_error *err)
{
    size_t room = 1;
    for (int i = 0; i < m->nforces; i++) room += (size_t)m->force[i].nlaws + 1;
    for (int i = 0; i < m->nconstraints; i++) room += (size_t)m->constraint[i].nrows;
    if (!tmli_arena_alloc_all(&m->arena, TMLI_ARRAY(m->discontinuity, room), TMLI_ARRAY(m->pole, room)))
        return tmli_no_memory(err, "model");
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
    link_stops(m);
    for (int i = 0; i < m->nconstraints; i++) {
        tmli_constraint *c = &m->constraint[i];
        for (int r = 0; c->motion && r < c->nrows; r++)
            add_expression(m, c->motion[r].expr, NULL, -1, i, &c->motion[r].mode);
    }
    m->switches = tmli_arena_alloc(&m->arena, (size_t)m->nmodes + 1, sizeof *m->switches);
    m->mode_owner = tmli_arena_alloc(&m->arena, (size_t)m->nmodes + 1, sizeof *m->mode_owner);
    m->switch_of_row = tmli_arena_alloc(&m->arena, (size_t)m->m + 1, sizeof *m->switch_of_row);
    if (!m->switches || !m->mode_owner || !m->switch_of_row) return tmli_no_memory(err, "model");
    for (int r = 0; r < m->m; r++) m->switch_of_row[r] = -1;
    for (int i = 0; i < m->ndiscontinuities; i++)
        for (int k = 0; k < m->discontinuity[i].count; k++) {
            const int mode = m->discontinuity[i].first + k;
            m->switches[mode] = switch_of(m, &m->discontinuity[i], k);
            m->mode_owner[mode] = i;
            m->unilateral = m->unilateral || m->switches[mode].kind == TML_SWITCH_UNILATERAL;
            if (m->switches[mode].row >= 0) m->switch_of_row[m->switches[mode].row] = mode;
        }
    return TML_OK;
}
