// Constraint rows in the check: their components, dependent rows, uniqueness of reactions, and why the
// degrees of freedom differ from Gruebler's count.
#include "analysis/check/check.h"
#include "analysis/rank/redundancy.h"
#include "model/component.h"
#include "system/multibody/multibody.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

tml_status tmli_check_list_rows(tmli_checker *k, tml_error *err)
{
    const tml_system *s = k->sys;
    tml_check_row *list = tmli_arena_alloc(&k->arena, (size_t)s->m + 1, sizeof *list);
    if (!list) return tmli_no_memory(err, "check");
    for (int r = 0; r < s->m; r++) {
        char text[160];
        if (k->model) {
            const tmli_component c = tmli_row_component(k->model, r);
            tmli_component_text(&c, 1, text, sizeof text);
        }
        const char *name = k->model ? text : s->row_name(s, r, text, sizeof text);
        list[r] = (tml_check_row){.joint = k->model ? k->model->row_owner[r] : -1,
                                  .component = tmli_check_text(k, name),
                                  .set = -1};
    }
    k->check.row_list = k->row_list = list;
    return TML_OK;
}

tml_status tmli_check_conflicts(tmli_checker *k, const tmli_conflicts *found, tml_error *err)
{
    static const char *const units[2][2] = {{"rad", "m"}, {"rad/s", "m/s"}};
    tml_check_conflict *list = tmli_arena_alloc(&k->arena, (size_t)found->count + 1, sizeof *list);
    if (!list) return tmli_no_memory(err, "check");
    for (int i = 0; i < found->count; i++) {
        const tmli_conflict *c = &found->list[i];
        char name[160];
        list[i] = (tml_check_conflict){
            .group = c->group,
            .joint = c->joint,
            .row = tmli_check_text(k, k->sys->row_name(k->sys, c->row, name, sizeof name)),
            .gap = c->gap,
            .unit = units[found->rate][c->length]};
    }
    k->check.conflicts = list;
    k->check.conflict_count = found->count;
    return TML_OK;
}

// ---- dependent rows ---------------------------------------------------------------------------------------

// Names of the joints (or rows of a system of callbacks) on which dependent row d depends.
static tml_status name_others(tmli_checker *k, int d, tml_check_dependency *out, tml_error *err)
{
    const tmli_dependence *dep = &k->dependence;
    const tml_system *s = k->sys;
    const int first = dep->start[d], last = dep->start[d + 1];
    int previous = -1;
    out->empty = first == last;
    const char **names = tmli_arena_alloc(&k->arena, (size_t)(last - first) + 1, sizeof *names);
    if (!names) return tmli_no_memory(err, "check");
    for (int i = first; i < last; i++) {
        char name[160];
        const int r = dep->at[i], owner = k->model ? k->model->row_owner[r] : -1;
        if (owner >= 0 && (owner == previous || owner == out->joint))
            continue;  // rows of a joint are adjacent
        previous = owner;
        names[out->other_count++] = owner >= 0 ? k->model->constraint[owner].name
                                               : tmli_check_text(k, s->row_name(s, r, name, sizeof name));
    }
    out->others = names;
    return TML_OK;
}

static tml_status list_dependencies(tmli_checker *k, tml_error *err)
{
    const tmli_dependence *dep = &k->dependence;
    const tml_system *s = k->sys;
    tml_check_dependency *list = tmli_arena_alloc(&k->arena, (size_t)dep->count + 1, sizeof *list);
    if (!list) return tmli_no_memory(err, "check");
    for (int d = 0; d < dep->count; d++) {
        char name[160];
        list[d].row = tmli_check_text(k, s->row_name(s, dep->row[d], name, sizeof name));
        list[d].joint = k->model ? k->model->row_owner[dep->row[d]] : -1;
        if (k->joints) k->joints[list[d].joint].redundant++;
        k->row_list[dep->row[d]].redundant = true;
        tml_status st = name_others(k, d, &list[d], err);
        if (st != TML_OK) return st;
    }
    k->check.dependencies = list;
    k->check.dependency_count = dep->count;
    return TML_OK;
}

// ---- sets and sentences -----------------------------------------------------------------------------------

// One sentence per joint, or per row of a system of callbacks.
static tml_status list_sentences(tmli_checker *k, const tmli_dependence *nearby, tml_error *err)
{
    const tmli_dependence *dep = &k->dependence;
    const char **list = tmli_arena_alloc(&k->arena, (size_t)dep->count + 1, sizeof *list);
    if (!list) return tmli_no_memory(err, "check");
    k->check.sentences = list;
    for (int d = 0; d < dep->count; d++) {
        const tml_check_dependency *row = &k->check.dependencies[d];
        char buf[900];
        if (d > 0 && k->model && row->joint == row[-1].joint) continue;
        if (k->model) {
            if (!tmli_redundancy_sentence(k->model, dep, nearby, row->joint, true, buf, sizeof buf))
                return tmli_no_memory(err, "check");
        } else
            snprintf(buf, sizeof buf, "%s is redundant with %s", row->row,
                     row->other_count ? row->others[0] : "nothing");
        list[k->check.sentence_count++] = tmli_check_text(k, buf);
    }
    return TML_OK;
}

static tml_status list_sets(tmli_checker *k, const tmli_dependence *nearby, tml_error *err)
{
    const tmli_dependence *dep = &k->dependence;
    tml_check_set *sets = tmli_arena_alloc(&k->arena, (size_t)dep->sets + 1, sizeof *sets);
    int *still = tmli_arena_alloc(&k->arena, (size_t)dep->sets + 1, sizeof *still);
    if (!sets || !still) return tmli_no_memory(err, "check");
    for (int r = 0; r < dep->m; r++) {
        k->row_list[r].set = dep->set[r];
        if (dep->set[r] >= 0) sets[dep->set[r]].rows++;
    }
    for (int d = 0; d < dep->count; d++) sets[dep->set[dep->row[d]]].excess++;
    for (int d = 0; nearby && d < nearby->count; d++) {  // number of dependent rows nearby, by the sets here
        const int set = dep->set[nearby->row[d]];
        if (set >= 0) still[set]++;
    }
    for (int s = 0; s < dep->sets; s++) {
        sets[s].here = nearby && still[s] < sets[s].excess;
    }
    k->check.sets = sets;
    k->check.set_count = dep->sets;
    return TML_OK;
}

// ---- reactions and mobility -------------------------------------------------------------------------------

static tml_status classify_reactions(tmli_checker *k, const tmli_dependence *nearby, tml_error *err)
{
    tml_check *c = &k->check;
    tml_reaction_kind *kind = tmli_arena_alloc(&k->arena, (size_t)k->dependence.m + 1, sizeof *kind);
    if (!kind) return tmli_no_memory(err, "check");
    tmli_reactions_classify(&k->dependence, nearby, kind);
    for (int r = 0; r < c->rows; r++) {
        k->row_list[r].reaction = kind[r];
        c->unique += kind[r] == TML_REACTION_UNIQUE;
        c->shared += kind[r] == TML_REACTION_SHARED;
        c->indeterminate += kind[r] == TML_REACTION_INDETERMINATE;
    }
    return TML_OK;
}

bool tmli_check_is_planar(const tmli_checker *k)
{
    const tml_model *m = k->model;
    tmli_work *w = k->work;
    vec3 axis = {0, 0, 0};
    tmli_mb_set_poses(m, w, k->x->q);
    for (int pass = 0; pass < 2; pass++)  // hinges give the axis, slides must be perpendicular to it
        for (int r = 0; r < m->m; r++) {
            const tmli_constraint *c = &m->constraint[m->row_owner[r]];
            const bool hinge = c->ops->planar_direction == TMLI_Z_NORMAL,
                       slide = c->ops->planar_direction == TMLI_Z_IN_PLANE;
            if (k->row_list[r].set < 0) continue;
            if (!hinge && !slide) return false;
            if (hinge != (pass == 0)) continue;
            const tmli_pose *A = tmli_pose_of(w->pose, c->marker[0].body);
            const vec3 z = m3_mulv(&A->R, m3_col(&c->marker[0].C, 2));
            if (v3_norm(axis) == 0) axis = z;
            const double tilt = hinge ? v3_norm(v3_cross(axis, z)) : fabs(v3_dot(axis, z));
            if (tilt > TMLI_NEARLY_DEPENDENT) return false;
        }
    return v3_norm(axis) > 0;
}

bool tmli_check_connects_same_bodies(const tmli_checker *k)
{
    const tml_check *c = &k->check;
    for (int s = 0; s < c->set_count; s++) {
        const char *between = NULL;
        for (int r = 0; r < c->rows; r++) {
            if (k->row_list[r].set != s) continue;
            const char *b = c->joints[k->row_list[r].joint].between;
            if (between && strcmp(between, b) != 0) return false;
            between = b;
        }
    }
    return true;
}

static const char *explain_redundancy(const tmli_checker *k)
{
    if (!k->model) return "";
    if (tmli_check_connects_same_bodies(k)) return ": several joints connect the same two bodies";
    if (!k->model->planar && tmli_check_is_planar(k))
        return ": the mechanism is planar, and every loop is constrained to its plane more than once";
    return ", because of the special dimensions of the mechanism: with others it could not move this way";
}

static void explain_mobility(tmli_checker *k)
{
    tml_check *c = &k->check;
    const int lasting = c->rank_nearby < 0 ? c->dependency_count : c->rows - c->rank_nearby,
              here = c->dependency_count - lasting;
    char text[900], first[400] = "", second[300] = "";
    if (c->dependency_count == 0) return;
    if (lasting > 0)
        snprintf(first, sizeof first, "%d of the %d rows %s redundant%s.", lasting, c->rows,
                 lasting == 1 ? "is" : "are", explain_redundancy(k));
    if (here > 0)
        snprintf(
            second, sizeof second,
            "%s%d row%s dependent only in this singular configuration; the degrees of freedom nearby are %d.",
            lasting > 0 ? " In addition, " : "", here, here > 1 ? "s are" : " is",
            c->coordinates - c->rank_nearby);
    snprintf(text, sizeof text, "Gruebler's count gives %d; %s%s", c->count_freedoms, first, second);
    c->mobility = tmli_check_text(k, text);
}

tml_status tmli_check_dependence(tmli_checker *k, const tmli_dependence *nearby, tml_error *err)
{
    tml_check *c = &k->check;
    const tmli_dependence *dep = &k->dependence;
    c->rank = dep->rank;
    c->freedoms = c->coordinates - dep->rank;
    c->rank_nearby = nearby ? nearby->rank : -1;
    c->misfit = dep->misfit;
    tml_status st = list_dependencies(k, err);
    if (st == TML_OK) st = list_sets(k, nearby, err);
    if (st == TML_OK) st = list_sentences(k, nearby, err);
    if (st == TML_OK) st = classify_reactions(k, nearby, err);
    if (st == TML_OK) explain_mobility(k);
    return st;
}
