// Which reactions of a model are unique: flags of the channels, and sentences for the report.
//
// A component of a reaction is a sum over the rows of its joint, w' lambda. If rows depend on each other,
// lambda is unique up to the null vectors of dependence.h; the component is unique if w is orthogonal to all
// of them. A flag holds for the whole run, so it is derived from the start and from a nearby configuration:
//   start       nearby      flag
//   unique      unique      unique
//   not unique  not unique  shared; indeterminate if the row has no effect
//   not unique  unique      indeterminate: the start is singular; but unique if it is so ahead
//   unique      not unique  shared: the component is unique at the start by coincidence
#include "analysis/assembly/assembly.h"
#include "analysis/assembly/nearby.h"
#include "analysis/rank/redundancy.h"
#include "sim/queries/sim.h"
#include "system/state/units.h"

#include <math.h>
#include <string.h>

enum { COMPONENTS = 6 };

// w (6 x nrows): components of the joint's reaction per multiplier, in the poses set in sim->work; w[0] alone
// for joints without a wrench. spare: a state whose lambda is overwritten.
static void find_weights(const tml_sim *sim, const tmli_constraint *c, tml_state *spare,
                         double w[COMPONENTS][TMLI_JOINT_ROWS])
{
    for (int r = 0; r < c->nrows; r++) {
        double out[COMPONENTS] = {r == 0}, size[2] = {0};
        if (c->has_reaction) {
            memset(spare->lambda + c->first, 0, (size_t)c->nrows * sizeof(double));
            spare->lambda[c->first + r] = 1;
            tmli_mb_reaction(sim->model, sim->work, spare, c, out);
        }
        for (int i = 0; i < COMPONENTS; i++) size[i / 3] = fmax(size[i / 3], fabs(out[i]));
        size[1] = fmax(size[1], size[0] * sim->sys->length);
        for (int i = 0; i < COMPONENTS; i++)
            w[i][r] = fabs(out[i]) > TMLI_NEARLY_DEPENDENT * size[i / 3] ? out[i] : 0;
    }
}

// unique (6 per joint): whether the reaction components are unique in the configuration q.
static void find_unique(const tml_sim *sim, const tmli_dependence *d, const double *q, bool *unique)
{
    const tml_model *m = sim->model;
    double w[COMPONENTS][TMLI_JOINT_ROWS];
    tmli_mb_set_poses(m, sim->work, q);
    for (int k = 0; k < m->njoints; k++) {
        const tmli_constraint *c = &m->constraint[k];
        find_weights(sim, c, sim->scratch, w);
        for (int i = 0; i < COMPONENTS; i++)
            unique[COMPONENTS * k + i] = tmli_reaction_is_unique(d, c->first, c->nrows, w[i]);
    }
}

// True if a row that contributes to the component, in the poses set in sim->work, is indeterminate.
static bool has_indeterminate_row(const tml_sim *sim, const tmli_constraint *c, int component,
                                  const tml_reaction_kind *kind)
{
    double w[COMPONENTS][TMLI_JOINT_ROWS];
    find_weights(sim, c, sim->scratch, w);
    for (int r = 0; r < c->nrows; r++)
        if (w[component][r] != 0 && kind[c->first + r] == TML_REACTION_INDETERMINATE) return true;
    return false;
}

// Copy the flags (6 per joint, one for a joint without a wrench) to the channels.
static void set_flags(tml_sim *sim, const tml_reaction_kind *kind)
{
    for (int i = 0; i < sim->ngroups; i++) {
        const tmli_channel_group *g = &sim->group[i];
        for (int k = 0; k < g->count && tmli_sim_is_reaction(g); k++)
            sim->channel[g->first + k].determined =
                tmli_reaction_words[kind ? kind[COMPONENTS * g->element + k] : TML_REACTION_UNIQUE];
    }
}

// unique (6 per joint): the same at a configuration ahead, along the start velocity; all false if the
// velocity is zero or the assembly fails there. Uses sim->scratch.
static tml_status find_unique_ahead(tml_sim *sim, const double *weight, bool *unique, tml_error *err)
{
    const tml_system *s = sim->sys;
    tml_state *y = sim->scratch;
    tmli_dependence there = {0};
    double fastest = 0;
    for (int j = 0; j < s->n - s->nz; j++)
        fastest = fmax(fastest, fabs(sim->out->u[j]) / tmli_coordinate_unit(s, j));
    if (!(fastest > 0)) return TML_OK;
    tml_state_copy(y, sim->out);
    for (int j = 0; j < s->n; j++) y->u[j] *= TMLI_NEARBY_DISTANCE / fastest;
    s->ops->retract(s->self, sim->out->q, y->u, y->q);
    memset(y->u, 0, (size_t)s->n * sizeof *y->u);
    tml_error why = {0};
    tml_status st = tmli_assemble(s, weight, y, NULL, NULL, &why);
    if (st == TML_OK) st = tmli_dependence_calc(s, sim->work, y, &there, &why);
    if (st == TML_OK) find_unique(sim, &there, y->q, unique);
    tmli_dependence_clear(&there);
    if (!tmli_is_shortage(st)) return TML_OK;
    if (err) *err = why;
    return st;
}

// Friction that is loaded by a force of a joint which is not unique: its size follows from how the force is
// shared, not from the model. The motion has the friction of its own multipliers, 0 in redundant rows;
// results show these then, and no others: by those of least norm it would be another friction.
static void keep_open_loads(tml_sim *sim, const tml_reaction_kind *kind)
{
    const tml_model *m = sim->model;
    for (int i = 0; i < m->nforces; i++) {
        const tmli_force *f = &m->force[i];
        if (f->load < 0 || f->load >= m->njoints || f->tangents > 0) continue;
        bool unique = true;
        for (int k = 0; k < COMPONENTS / 2; k++)
            unique = unique && kind[COMPONENTS * f->load + k] == TML_REACTION_UNIQUE;
        if (unique) continue;
        tmli_log(
            &sim->env, TML_LOG_WARNING,
            "force '%s' is loaded by the reaction of joint '%s', which redundant constraints leave open: "
            "its friction is that of one of many ways to share it, with no reaction in redundant rows; give "
            "the load as a force, or remove the constraints that are redundant ('trammel check' lists them)",
            f->name, m->constraint[f->load].name);
        tmli_minimum_norm_clear(&sim->minimum_norm);
    }
}

static tml_status flag_components(tml_sim *sim, const tmli_dependence *here, const tmli_dependence *nearby,
                                  const double *weight, tml_error *err)
{
    const tml_model *m = sim->model;
    const size_t count = (size_t)m->njoints * COMPONENTS;
    bool *unique = tmli_calloc(&sim->env, count, sizeof *unique),
         *near_by = tmli_calloc(&sim->env, count, sizeof *near_by),
         *ahead = tmli_calloc(&sim->env, count, sizeof *ahead);
    tml_reaction_kind *of_row = tmli_calloc(&sim->env, (size_t)here->m, sizeof *of_row),
                      *kind = tmli_calloc(&sim->env, count, sizeof *kind);
    tml_status st = unique && near_by && ahead && of_row && kind ? TML_OK : tmli_no_memory(err, "simulation");
    if (st == TML_OK && nearby) {
        find_unique(sim, nearby, sim->scratch->q, near_by);
        if (nearby->rank > here->rank) st = find_unique_ahead(sim, weight, ahead, err);
    }
    if (st == TML_OK) {
        tmli_reactions_classify(here, nearby, of_row);
        find_unique(sim, here, sim->out->q, unique);
        for (size_t i = 0; i < count; i++) {
            const tmli_constraint *c = &m->constraint[i / COMPONENTS];
            const bool later = nearby ? near_by[i] : unique[i];
            if (unique[i]) kind[i] = later ? TML_REACTION_UNIQUE : TML_REACTION_SHARED;
            else if (later && ahead[i]) kind[i] = TML_REACTION_UNIQUE;
            else
                kind[i] = later || has_indeterminate_row(sim, c, (int)(i % COMPONENTS), of_row)
                              ? TML_REACTION_INDETERMINATE
                              : TML_REACTION_SHARED;
        }
        set_flags(sim, kind);
        keep_open_loads(sim, kind);
    }
    tmli_free_all(&sim->env, unique, near_by, ahead, of_row, kind);
    return st;
}

static tml_status describe_redundant_joints(tml_sim *sim, const tmli_dependence *here,
                                            const tmli_dependence *nearby, tml_error *err)
{
    const char **list = tmli_arena_alloc(&sim->arena, (size_t)here->count + 1, sizeof *list);
    int count = 0, previous = -1;
    bool room = list != NULL;
    for (int d = 0; d < here->count && room; d++) {
        const int joint = sim->model->row_owner[here->row[d]];
        char buf[900];
        if (joint == previous) continue;  // rows of a joint are neighbours
        previous = joint;
        room = tmli_redundancy_sentence(sim->model, here, nearby, joint, sim->minimum_norm.sys, buf,
                                        sizeof buf) &&
               (list[count++] = tmli_arena_strdup(&sim->arena, buf)) != NULL;
    }
    if (!room) return tmli_no_memory(err, "simulation");
    sim->report.sentences = list;
    sim->report.sentence_count = count;
    return TML_OK;
}

tml_status tmli_sim_flag_reactions(tml_sim *sim, bool dependent, tml_error *err)
{
    tmli_dependence here = {0}, nearby = {0};
    double *weight = NULL;
    bool found = false;
    set_flags(sim, NULL);
    if (!dependent) return TML_OK;
    tml_status st = tmli_dependence_calc(sim->sys, sim->work, sim->out, &here, err);
    if (st == TML_OK && !tmli_assembly_weights(sim->model, &weight)) st = tmli_no_memory(err, "simulation");
    if (st == TML_OK)
        st =
            tmli_dependence_nearby(sim->sys, sim->work, sim->out, weight, sim->scratch, &nearby, &found, err);
    if (st == TML_OK) st = flag_components(sim, &here, found ? &nearby : NULL, weight, err);
    if (st == TML_OK) st = describe_redundant_joints(sim, &here, found ? &nearby : NULL, err);
    tmli_free(&sim->env, weight);
    tmli_dependence_clear(&here);
    tmli_dependence_clear(&nearby);
    return st;
}
