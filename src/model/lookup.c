// Look-up of bodies, roads and frames by name, and helper functions for building a model.
#include "model/model.h"
#include "spec/names.h"

#include <string.h>

enum { MAX_LISTED = 8 };  // names that a message lists

// Append the nearest of the valid names to the message, or all of them if they are few.
static void suggest(tml_error *err, const char *wrong, const char *have, const char *prefix,
                    const char *const *names, size_t count)
{
    const char *near = tmli_nearest(wrong, names, count);
    if (near) tmli_error_append(err, "(is it '%s%s'?)", prefix, near);
    for (size_t i = 0; i < count && count <= MAX_LISTED && !near; i++)
        tmli_error_append(err, "%s%s%s%s", i ? "" : have, prefix, names[i], i + 1 < count ? "," : ")");
}

tml_status tmli_model_find_body(const tml_spec *spec, const char *name, tml_mark at, int *body,
                                tml_error *err)
{
    if (strcmp(name, "ground") == 0) {
        *body = -1;
        return TML_OK;
    }
    const tmli_taken *taken = tmli_names_find(spec, TMLI_SPACE_ENTRIES, name, NULL);
    if (taken && strcmp(taken->what, "body") == 0) {
        *body = taken->index;
        return TML_OK;
    }
    if (taken && strcmp(taken->what, "beam") == 0)
        return tmli_fail_at(
            err, TML_ERR_NAME, at,
            "'%s' is a beam: give one of its frames, %s.start, %s.mid or %s.end, or a node, %s_0, "
            "%s_1, ...",
            name, name, name, name, name, name);
    if (taken && strcmp(taken->what, "modal") == 0)
        return tmli_fail_at(err, TML_ERR_NAME, at,
                            "'%s' is a modal body: give one of its nodes, %s.NODE as a frame, %s_NODE as a "
                            "body",
                            name, name, name);
    tmli_fail_at(err, TML_ERR_NAME, at, "body '%s' not found", name);
    const char *const ground = "ground";  // words for it, such as world
    const tmli_hint word = tmli_hint_word(name, &ground, 1);
    if (word.text[0]) {
        tmli_error_append(err, "%s", word.text + 1);
        return TML_ERR_NAME;
    }
    const char **names = err ? tmli_calloc(&spec->env, (size_t)spec->nbodies + 1, sizeof *names) : NULL;
    if (names) {
        names[0] = "ground";
        for (int i = 0; i < spec->nbodies; i++) names[i + 1] = spec->bodies[i].def.name;
        suggest(err, name, "(there are ", "", names, (size_t)spec->nbodies + 1);
    }
    tmli_free(&spec->env, names);
    return TML_ERR_NAME;
}

tml_status tmli_model_find_road(const tml_spec *spec, const char *name, tml_mark at, int *road,
                                tml_error *err)
{
    const tmli_taken *taken = tmli_names_find(spec, TMLI_SPACE_ENTRIES, name, NULL);
    if (taken && strcmp(taken->what, "road") == 0) {
        *road = taken->index;
        return TML_OK;
    }
    tmli_fail_at(err, TML_ERR_NAME, at, "road '%s' not found", name);
    const char **names = err ? tmli_calloc(&spec->env, (size_t)spec->nroads + 1, sizeof *names) : NULL;
    for (int i = 0; i < spec->nroads && names; i++) names[i] = spec->roads[i].def.name;
    if (spec->nroads == 0) tmli_error_append(err, "(the model has no 'roads')");
    else if (names) suggest(err, name, "(there are ", "", names, (size_t)spec->nroads);
    tmli_free(&spec->env, names);
    return TML_ERR_NAME;
}

static tml_status frame_not_found(const tml_spec *spec, const char *body, const char *name, tml_mark at,
                                  tml_error *err)
{
    tmli_fail_at(err, TML_ERR_NAME, at, "frame '%s' not found on '%s'", name, body);
    const char **names = err ? tmli_calloc(&spec->env, (size_t)spec->nframes + 1, sizeof *names) : NULL;
    size_t count = 0;
    for (int i = 0; i < spec->nframes && names; i++)
        if (strcmp(spec->frames[i].def.body, body) == 0) names[count++] = spec->frames[i].def.name;
    tmli_arena scratch = {.env = &spec->env};
    const char *prefix = count > 0 ? tmli_arena_format(&scratch, "%s.", body) : NULL;
    if (prefix) suggest(err, name, "(it has ", prefix, names, count);
    else if (count == 0) tmli_error_append(err, "(it has no frames)");
    tmli_arena_clear(&scratch);
    tmli_free(&spec->env, names);
    return TML_ERR_NAME;
}

static mat3 quat_matrix_of(const double *p) { return q_matrix(q_normalize(q_from(p))); }

// frame: its name on the body; NULL: the frame of the body.
static tml_status find_frame(const tml_spec *spec, const char *body, const char *frame, tml_mark at,
                             tmli_marker *out, tml_error *err)
{
    *out = (tmli_marker){.C = m3_identity()};
    const tmli_taken *taken = frame ? tmli_names_find(spec, TMLI_SPACE_FRAMES, body, frame) : NULL;
    // a frame of a beam is on one of its nodes
    tml_status st =
        tmli_model_find_body(spec, taken ? spec->frames[taken->index].def.body : body, at, &out->body, err);
    if (st != TML_OK || !frame) return st;
    if (!taken) return frame_not_found(spec, body, frame, at, err);
    const tml_frame_def *f = &spec->frames[taken->index].def;
    out->s = v3_from(f->position);
    out->C = quat_matrix_of(f->orientation);
    return TML_OK;
}

tml_status tmli_model_find_frame(const tml_spec *spec, const tml_model *m, const char *reference, tml_mark at,
                                 tmli_marker *out, tml_error *err)
{
    const char *dot = strchr(reference, '.');
    tmli_arena scratch = {.env = &spec->env};
    const char *body =
        dot ? tmli_arena_format(&scratch, "%.*s", (int)(dot - reference), reference) : reference;
    const tml_status st =
        body ? find_frame(spec, body, dot ? dot + 1 : NULL, at, out, err) : tmli_no_memory(err, "model");
    if (st == TML_OK && m && out->body < 0) out->s = v3_sub(out->s, m->origin);
    tmli_arena_clear(&scratch);
    return st;
}

tmli_pose tmli_node_start_pose(const tml_model *m, int node)
{
    if (node < 0) return (tmli_pose){.R = m3_identity()};
    const double *q = m->node[node].q0;
    return (tmli_pose){.r = v3_from(q), .R = q_matrix(q_from(q + 3))};
}

tml_mark tmli_model_keep_mark(tml_model *m, tml_mark at)
{
    if (at.file) at.file = tmli_arena_strdup(&m->arena, at.file);
    return at;
}

// The list of a pair of nodes, 0 .. room-1; room is a power of two. The factors are odd and irregular
// (Knuth's multiplicative hashing), so that neighbours, the usual pairs, spread.
static int pair_list(int node_a, int node_b, int room)
{
    const uint32_t low = (uint32_t)(node_a < node_b ? node_a : node_b),
                   high = (uint32_t)(node_a < node_b ? node_b : node_a);
    const uint32_t key = (low * 2654435761u) ^ (high * 2246822519u);
    return (int)((key ^ key >> 15) & (uint32_t)(room - 1));
}

int tmli_model_first_use(const tml_model *m, int node_a, int node_b)
{
    return m->measure_use_room ? m->pair[pair_list(node_a, node_b, m->measure_use_room)] : -1;
}

static void enlist_use(const tml_model *m, int index)
{
    tmli_measure_use *use = &m->measure_use[index];
    int *head = &m->pair[pair_list(use->node[0], use->node[1], m->measure_use_room)];
    use->next = *head;
    *head = index;
}

bool tmli_model_reserve_uses(tml_model *m, int count)
{
    if (count <= m->measure_use_room) return true;
    int room = m->measure_use_room ? 2 * m->measure_use_room : 64;
    while (room < count) room *= 2;
    int *pair = tmli_calloc(&m->env, (size_t)room, sizeof *pair);
    tmli_measure_use *more =
        pair ? tmli_regrow(&m->env, m->measure_use, (size_t)m->nmeasure_uses, (size_t)room, sizeof *more)
             : NULL;
    if (!more) {
        tmli_free(&m->env, pair);
        return false;
    }
    tmli_free(&m->env, m->pair);
    m->pair = pair;
    m->measure_use = more;
    m->measure_use_room = room;
    for (int i = 0; i < room; i++) pair[i] = -1;
    for (int i = 0; i < m->nmeasure_uses; i++) enlist_use(m, i);
    return true;
}

int tmli_model_add_measure_use(tml_model *m, tmli_measure measure, int node_a, int node_b)
{
    if (!tmli_model_reserve_uses(m, m->nmeasure_uses + 1)) return -1;
    const int index = m->nmeasure_uses;
    tmli_measure_use *use = &m->measure_use[index];
    *use = (tmli_measure_use){.measure = measure, .node = {node_a, node_b}, .angle = -1};
    if (measure.kind == TMLI_ANGLE) {
        use->angle = m->nangles++;
        tmli_model_stated_start(m, use, &use->start);
    }
    enlist_use(m, index);
    m->nmeasure_uses++;
    return index;
}

int tmli_plan_slot(tmli_plan *p, int node)
{
    if (node < 0) return -1;
    for (int i = 0; i < p->nslots; i++)
        if (p->node[i] == node) return i;
    p->node[p->nslots] = node;
    return p->nslots++;
}
