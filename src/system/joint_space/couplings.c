// Pairs of bodies that elements of a model couple. Stiffness and damping are summed in one block per pair
// before they are expressed in joint coordinates.
#include "system/joint_space/internal.h"

static void mark_pairs(const tmli_joint_space *s, const tmli_plan *p, int kind, int *table)
{
    for (int b = 0; b < p->nslots; b++)
        for (int a = 0; a < p->nslots; a++) {
            int *at = &table[s->joint_of_node[p->node[b]] * s->njoints + s->joint_of_node[p->node[a]]];
            *at = *at > kind ? *at : kind;
        }
}

static int *list_blocks(const tmli_joint_space *s, const tmli_plan *p, const int *table, int *out)
{
    for (int a = 0; a < p->nslots; a++)
        for (int b = 0; b < p->nslots; b++)
            *out++ = table[s->joint_of_node[p->node[b]] * s->njoints + s->joint_of_node[p->node[a]]];
    return out;
}

static const tmli_plan *loop_plan(const tmli_joint_space *s, int i)
{
    return &s->model->constraint[s->loop[i].constraint].plan;
}

enum { NOTHING, GYROSCOPIC, STIFF, DAMPED };

// table (njoints x njoints): NOTHING or a kind on entry, then the number of the block
static bool number_blocks(tmli_joint_space *s, tmli_body_blocks *b, int *table)
{
    const int nl = s->njoints;
    for (int i = 0; i < nl; i++) table[i * (nl + 1)] = GYROSCOPIC;
    for (int i = 0; i < s->model->nforces; i++)
        if (!s->is_scalar[i]) mark_pairs(s, &s->model->force[i].plan, DAMPED, table);
    for (int i = 0; i < s->nloops; i++) mark_pairs(s, loop_plan(s, i), STIFF, table);
    size_t count = 0;
    for (size_t k = 0; k < (size_t)nl * (size_t)nl; k++) count += table[k] != NOTHING;
    b->row = tmli_arena_alloc(&s->arena, count + 1, sizeof *b->row);
    b->damped = tmli_arena_alloc(&s->arena, count + 1, sizeof *b->damped);
    b->start = tmli_arena_alloc(&s->arena, (size_t)nl + 1, sizeof *b->start);
    b->stiff = tmli_arena_alloc(&s->arena, count + 1, sizeof *b->stiff);
    if (!b->row || !b->stiff || !b->damped || !b->start) return false;
    for (int j = 0; j < nl; j++) {
        for (int i = 0; i < nl; i++) {
            if (table[j * nl + i] == NOTHING) continue;
            b->row[b->count] = i;
            b->stiff[b->count] = table[j * nl + i] != GYROSCOPIC;
            b->damped[b->count] = table[j * nl + i] == DAMPED || i == j;
            table[j * nl + i] = b->count++;
        }
        b->start[j + 1] = b->count;
    }
    return true;
}

tml_status tmli_joint_space_plan_blocks(tmli_joint_space *s, tml_error *err)
{
    const tml_model *m = s->model;
    tmli_body_blocks *b = &s->blocks;
    const size_t nl = (size_t)s->njoints;
    size_t entries = 0;
    for (int i = 0; i < m->nforces; i++)
        entries += (size_t)(m->force[i].plan.nslots * m->force[i].plan.nslots);
    for (int i = 0; i < s->nloops; i++)
        entries += (size_t)(loop_plan(s, i)->nslots * loop_plan(s, i)->nslots);
    b->of = tmli_arena_alloc(&s->arena, entries + 1, sizeof *b->of);
    b->force = tmli_arena_alloc(&s->arena, (size_t)m->nforces + 1, sizeof *b->force);
    b->loop = tmli_arena_alloc(&s->arena, (size_t)s->nloops + 1, sizeof *b->loop);
    int *table = tmli_calloc(&s->env, nl * nl + 1, sizeof *table);
    const bool ok = table && b->of && b->force && b->loop && number_blocks(s, b, table);
    int *next = b->of;
    for (int i = 0; i < m->nforces && ok; i++) {
        b->force[i] = next;
        next = list_blocks(s, &m->force[i].plan, table, next);
    }
    for (int i = 0; i < s->nloops && ok; i++) {
        b->loop[i] = next;
        next = list_blocks(s, loop_plan(s, i), table, next);
    }
    tmli_free(&s->env, table);
    return ok ? TML_OK : tmli_no_memory(err, "joint coordinates");
}
