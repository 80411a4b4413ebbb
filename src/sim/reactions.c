// Which reactions of a model are unique: marks on the channels, and sentences for the report.
//
// A component of a reaction is a sum over the rows of its joint, w' lambda. Where rows depend on each other
// lambda is known up to the null vectors of dependence.h only; the component is unique if w is orthogonal to
// all of them. A mark holds for a whole run, so both the start and a configuration close by are asked:
//   start       close by
//   unique      unique      unique
//   several     several     shared; indeterminate if the row has no effect on anything
//   several     unique      indeterminate: the start is singular; but unique if it is so ahead, where the start velocity leads
//   unique      several     shared: the axes of the start just happen to separate it
#include "analysis/assembly/assembly.h"
#include "analysis/assembly/nearby.h"
#include "analysis/rank/redundancy.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

// Weight of a row beside its others that is as good as none: joints as built are aligned up to
// TMLI_DEPENDENT.
static const double NEGLIGIBLE = 1e-4;

// How far ahead [lengths, rad] a singular start is left behind, as in tmli_dependence_nearby.
static const double AHEAD = 0.02;

enum { COMPONENTS = 6 };

// w (6 x nrows): components of the joint's reaction by its multipliers, in the present poses of the work
// space; w[0] alone for the multiplier of joints without a wrench. lambda: of a state to spare.
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
        for (int i = 0; i < COMPONENTS; i++) w[i][r] = fabs(out[i]) > NEGLIGIBLE * size[i / 3] ? out[i] : 0;
    }
}

// Marks of all reactions in one configuration, q: unique or not.
static void ask(const tml_sim *sim, const tmli_dependence *d, const double *q, bool *unique)
{
    const tml_model *m = sim->model;
    double w[COMPONENTS][TMLI_JOINT_ROWS];
    tmli_mb_set_poses(m, sim->work, q);
    for (int k = 0; k < m->nconstraints; k++) {
        const tmli_constraint *c = &m->constraint[k];
        find_weights(sim, c, sim->probe, w);
        for (int i = 0; i < COMPONENTS; i++)
            unique[COMPONENTS * k + i] = tmli_reaction_is_unique(d, c->first, c->nrows, w[i]);
    }
}

// True if a row that the component is made of in the present poses is indeterminate.
static bool hangs(const tml_sim *sim, const tmli_constraint *c, int component, const tml_reaction_kind *kind)
{
    double w[COMPONENTS][TMLI_JOINT_ROWS];
    find_weights(sim, c, sim->probe, w);
    for (int r = 0; r < c->nrows; r++)
        if (w[component][r] != 0 && kind[c->first + r] == TML_REACTION_INDETERMINATE) return true;
    return false;
}

// word (6 per joint, one for a joint without a wrench): into the channels, whose order is that of channels.c.
static void mark_channels(tml_sim *sim, const char *const *word)
{
    const tml_model *m = sim->model;
    tml_channel *at = sim->channel + 1 + 13 * m->nnodes;
    for (int k = 0; k < m->nconstraints; k++) {
        const tmli_constraint *c = &m->constraint[k];
        at += c->ncoords;
        for (int i = 0; i < (c->has_reaction ? COMPONENTS : 1); i++)
            (at++)->determined = word ? word[COMPONENTS * k + i] : "unique";
    }
}

// Marks a little further on along the start velocity; all false if there is none, or no place there. Uses
// sim->probe.
static tml_status ask_ahead(tml_sim *sim, const double *weight, bool *unique, tml_error *err)
{
    const tml_system *s = sim->sys;
    tml_state *y = sim->probe;
    tmli_dependence there = {0};
    double fastest = 0;
    for (int j = 0; j < s->n; j++)
        fastest =
            fmax(fastest, fabs(sim->out->u[j]) / (s->kind[j] == TML_COORDINATE_TRANSLATION ? s->length : 1));
    if (!(fastest > 0)) return TML_OK;
    tml_state_copy(y, sim->out);
    for (int j = 0; j < s->n; j++) y->u[j] *= AHEAD / fastest;
    s->ops->retract(s->self, sim->out->q, y->u, y->q);
    memset(y->u, 0, (size_t)s->n * sizeof *y->u);
    tml_status st = tmli_assemble(s, weight, y, NULL, NULL, NULL);
    if (st == TML_OK) st = tmli_dependence_calc(s, sim->work, y, &there, NULL);
    if (st == TML_OK) ask(sim, &there, y->q, unique);
    tmli_dependence_clear(&there);
    return st == TML_ERR_NOMEM ? tmli_no_memory(err, "simulation") : TML_OK;
}

static tml_status mark(tml_sim *sim, const tmli_dependence *here, const tmli_dependence *nearby,
                       const double *weight, tml_error *err)
{
    const tml_model *m = sim->model;
    const size_t count = (size_t)m->nconstraints * COMPONENTS;
    bool *unique = tmli_calloc(&sim->env, count, sizeof *unique),
         *near_by = tmli_calloc(&sim->env, count, sizeof *near_by),
         *ahead = tmli_calloc(&sim->env, count, sizeof *ahead);
    const char **word = tmli_calloc(&sim->env, count, sizeof *word);
    tml_reaction_kind *kind = tmli_calloc(&sim->env, (size_t)here->m, sizeof *kind);
    tml_status st = unique && near_by && ahead && word && kind ? TML_OK : tmli_no_memory(err, "simulation");
    if (st == TML_OK && nearby) {
        ask(sim, nearby, sim->probe->q, near_by);
        if (nearby->rank > here->rank) st = ask_ahead(sim, weight, ahead, err);
    }
    if (st == TML_OK) {
        tmli_reactions_classify(here, nearby, kind);
        ask(sim, here, sim->out->q, unique);
        for (size_t i = 0; i < count; i++) {
            const tmli_constraint *c = &m->constraint[i / COMPONENTS];
            const bool later = nearby ? near_by[i] : unique[i];
            if (unique[i]) word[i] = later ? "unique" : "shared";
            else if (later && ahead[i]) word[i] = "unique";
            else word[i] = later || hangs(sim, c, (int)(i % COMPONENTS), kind) ? "indeterminate" : "shared";
        }
        mark_channels(sim, word);
    }
    tmli_free(&sim->env, unique);
    tmli_free(&sim->env, near_by);
    tmli_free(&sim->env, ahead);
    tmli_free(&sim->env, (void *)word);
    tmli_free(&sim->env, kind);
    return st;
}

static tml_status write_sentences(tml_sim *sim, const tmli_dependence *here, const tmli_dependence *nearby,
                                  tml_error *err)
{
    const char **list = tmli_arena_alloc(&sim->arena, (size_t)here->count + 1, sizeof *list);
    int count = 0, previous = -1;
    bool room = list != NULL;
    for (int d = 0; d < here->count && room; d++) {
        const int joint = sim->model->row_owner[here->row[d]];
        char buf[900];
        if (joint == previous) continue;  // rows of a joint are neighbours
        previous = joint;
        room = tmli_redundancy_sentence(sim->model, here, nearby, joint, buf, sizeof buf) &&
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
    mark_channels(sim, NULL);
    if (!dependent) return TML_OK;
    tml_status st = tmli_dependence_calc(sim->sys, sim->work, sim->out, &here, err);
    if (st == TML_OK && !tmli_assembly_weights(sim->model, &weight)) st = tmli_no_memory(err, "simulation");
    if (st == TML_OK)
        st = tmli_dependence_nearby(sim->sys, sim->work, sim->out, weight, sim->probe, &nearby, &found, err);
    if (st == TML_OK) st = mark(sim, &here, found ? &nearby : NULL, weight, err);
    if (st == TML_OK) st = write_sentences(sim, &here, found ? &nearby : NULL, err);
    tmli_free(&sim->env, weight);
    tmli_dependence_clear(&here);
    tmli_dependence_clear(&nearby);
    return st;
}
