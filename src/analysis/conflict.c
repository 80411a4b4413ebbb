// Contradicting constraints; see conflict.h.
#include "analysis/conflict.h"
#include "system/multibody.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TAKES_PART = 1e-3;  // of the largest residual; the rest is what the iteration left
static const double SAME = 0.4;         // gaps this close are told once
enum { NAMED = 4 };                     // members named in a sentence

void tmli_conflicts_clear(tmli_conflicts *c)
{
    const tml_env env = c->env;
    tmli_free(&env, c->list);
    *c = (tmli_conflicts){0};
}

bool tmli_conflict_is_length(const tml_system *s, const double *rows, int row)
{
    double translation = 0, largest = 0;
    for (int i = s->rowptr[row]; i < s->rowptr[row + 1]; i++) {
        const double x = fabs(rows[i]);
        largest = fmax(largest, x);
        if (s->kind[s->rowcol[i]] == TML_COORDINATE_TRANSLATION) translation = fmax(translation, x);
    }
    return largest == 0 || translation > 1e-12 * largest;
}

static int root_of(int *parent, int i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

// The member that a row belongs to, a new one if need be. Rows of a joint are neighbours.
static tmli_conflict *member_of(tmli_conflicts *c, int joint, int row, bool length)
{
    for (int i = c->count - 1; i >= 0 && joint >= 0 && c->list[i].joint == joint; i--)
        if (c->list[i].length == length) return &c->list[i];
    c->list[c->count] = (tmli_conflict){.joint = joint, .row = row, .length = length};
    return &c->list[c->count++];
}

static int by_group_and_size(const void *a, const void *b)
{
    const tmli_conflict *x = a, *y = b;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    if (fabs(x->size - y->size) > 1e-6 * (x->size + y->size)) return x->size > y->size ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

// Members that share a body are of one group; groups are numbered from 0.
static bool find_groups(const tml_system *s, tmli_conflicts *c)
{
    int nodes = 0;
    for (int j = 0; j < s->n; j++) nodes = s->node[j] >= nodes ? s->node[j] + 1 : nodes;
    int *parent = tmli_calloc(&c->env, 2 * (size_t)nodes + 1, sizeof *parent), *number = parent + nodes;
    if (!parent) return false;
    for (int i = 0; i < nodes; i++) {
        parent[i] = i;
        number[i] = -1;
    }
    for (int k = 0; k < c->count; k++) {
        const int row = c->list[k].row, first = s->node[s->rowcol[s->rowptr[row]]];
        for (int i = s->rowptr[row]; i < s->rowptr[row + 1]; i++)
            parent[root_of(parent, s->node[s->rowcol[i]])] = root_of(parent, first);
    }
    for (int k = 0; k < c->count; k++) {
        const int row = c->list[k].row, root = root_of(parent, s->node[s->rowcol[s->rowptr[row]]]);
        if (number[root] < 0) number[root] = c->groups++;
        c->list[k].group = number[root];
    }
    tmli_free(&c->env, parent);
    return true;
}

// By how much a member is open: |Phi| of its rows; of a rod the difference of lengths, since Phi = (d^2 - l^2)/(2 l).
static double open_by(const tml_model *model, const tmli_conflict *m, const double *phi, const double *r)
{
    const tmli_constraint *c = model ? &model->constraint[m->joint] : NULL;
    if (!c || c->type != TML_JOINT_DISTANCE) return m->size / r[m->row];
    const double l = model->link[c->term[0].link].measure.l0;
    return fabs(sqrt(fmax(l * l + 2 * l * phi[m->row], 0)) - l);
}

// (2), and where all members count alike the sum of what is open, which is the same and holds for large gaps too
static void set_gaps(const tml_model *model, tmli_conflicts *c, const double *phi, const double *r)
{
    for (int g = 0; g < c->groups; g++) {
        double sum = 0, total = 0, low = INFINITY, high = 0;
        bool length = false, angle = false;
        for (int k = 0; k < c->count; k++) {
            tmli_conflict *m = &c->list[k];
            if (m->group == g) sum += m->size * m->size;
        }
        for (int k = 0; k < c->count; k++) {
            tmli_conflict *m = &c->list[k];
            if (m->group != g) continue;
            m->gap = sum / (r[m->row] * m->size);
            total += open_by(model, m, phi, r);
            low = fmin(low, m->gap);
            high = fmax(high, m->gap);
            length = length || m->length;
            angle = angle || !m->length;
        }
        for (int k = 0; k < c->count && high - low < SAME * high && !(length && angle); k++)
            if (c->list[k].group == g) c->list[k].gap = total;
    }
}

tml_status tmli_conflicts_find(const tml_system *sys, const double *phi, const double *r, const double *rows,
                               bool rate, tmli_conflicts *out, tml_error *err)
{
    const tml_model *model = tmli_mb_model(sys);
    *out = (tmli_conflicts){.env = sys->env, .rate = rate};
    out->list = tmli_calloc(&out->env, (size_t)sys->m + 1, sizeof *out->list);
    if (!out->list) return tmli_no_memory(err, "assembly");
    double largest = 0;
    for (int i = 0; i < sys->m; i++) largest = fmax(largest, r[i] * fabs(phi[i]));
    for (int i = 0; i < sys->m; i++) {
        const double size = r[i] * fabs(phi[i]);
        if (!(size > TAKES_PART * largest) || sys->rowptr[i] == sys->rowptr[i + 1]) continue;
        tmli_conflict *m =
            member_of(out, model ? model->row_owner[i] : -1, i, tmli_conflict_is_length(sys, rows, i));
        if (size > r[m->row] * fabs(phi[m->row])) m->row = i;
        m->size = hypot(m->size, size);
    }
    if (!find_groups(sys, out)) {
        tmli_conflicts_clear(out);
        return tmli_no_memory(err, "assembly");
    }
    set_gaps(model, out, phi, r);
    qsort(out->list, (size_t)out->count, sizeof *out->list, by_group_and_size);
    return TML_OK;
}

// ---- sentences ----------------------------------------------------------------------------------------------------

static const char *name_of(const tml_system *sys, const tmli_conflict *m, char *buf, size_t size)
{
    const tml_model *model = tmli_mb_model(sys);
    if (!model) return sys->row_name(sys, m->row, buf, size);
    snprintf(buf, size, "joint '%s'", model->constraint[m->joint].name);
    return buf;
}

static void gap_of(const tmli_conflicts *c, const tmli_conflict *m, char *buf, size_t size)
{
    const double degree = 57.29577951308232;
    snprintf(buf, size, "%.4g %s%s", m->length ? m->gap : m->gap * degree, m->length ? "m" : "deg",
             c->rate ? "/s" : "");
}

static void put(char *buf, size_t size, const char *a, const char *b)
{
    const size_t used = strlen(buf);
    snprintf(buf + used, size - used, "%s%s", a, b);
}

static const char *glue(int i, int count) { return i == 0 ? "" : i + 1 < count ? ", " : " and "; }

// Distinct joints among the members first .. last - 1: the lengths and the angles of one may both be there.
static int joints_of(const tmli_conflict *list, int first, int last, int *at)
{
    int count = 0;
    for (int i = first; i < last; i++) {
        int k = first;
        while (k < i && (list[i].joint < 0 || list[k].joint != list[i].joint)) k++;
        if (k == i && count < NAMED + 1) at[count++] = i;
        else if (k == i) count++;
    }
    return count;
}

void tmli_conflict_text(const tml_system *sys, const tmli_conflicts *c, int group, char *buf, size_t size)
{
    int first = 0, last, at[NAMED + 1] = {0};
    while (first < c->count && c->list[first].group != group) first++;
    for (last = first; last < c->count && c->list[last].group == group;) last++;
    const int joints = joints_of(c->list, first, last, at), named = joints <= NAMED + 1 ? joints : NAMED;
    const int parts = named + (joints > named);
    char text[200];
    bool same = true;
    for (int i = first; i < last; i++)
        same = same && c->list[i].length == c->list[first].length &&
               fabs(c->list[i].gap - c->list[first].gap) <= SAME * c->list[first].gap;
    buf[0] = 0;
    for (int i = 0; i < named; i++)
        put(buf, size, glue(i, parts), name_of(sys, &c->list[at[i]], text, sizeof text));
    snprintf(text, sizeof text, " and %d more", joints - named);
    if (joints > named) put(buf, size, text, "");
    put(buf, size, joints == 1 ? " contradicts itself" : " contradict each other", "");
    if (same) {
        gap_of(c, &c->list[first], text, sizeof text);
        put(buf, size, " by ", text);
        return;
    }
    put(buf, size, ": if the others were closed, ", "");
    const int told = last - first < NAMED ? last - first : NAMED;
    for (int i = 0; i < told; i++) {
        put(buf, size, glue(i, told), name_of(sys, &c->list[first + i], text, sizeof text));
        gap_of(c, &c->list[first + i], text, sizeof text);
        put(buf, size, i ? " by " : " would be off by ", text);
    }
}

void tmli_conflicts_text(const tml_system *sys, const tmli_conflicts *c, char *buf, size_t size)
{
    buf[0] = 0;
    for (int g = 0; g < c->groups; g++) {
        char clause[700];
        if (g == NAMED) {
            snprintf(clause, sizeof clause, "; and %d conflicts more", c->groups - g);
            put(buf, size, clause, "");
            break;
        }
        tmli_conflict_text(sys, c, g, clause, sizeof clause);
        put(buf, size, g ? "; " : "", clause);
    }
}
