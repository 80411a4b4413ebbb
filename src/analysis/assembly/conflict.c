// Contradicting constraints; see conflict.h.
#include "analysis/assembly/conflict.h"
#include "system/multibody/multibody.h"
#include "system/state/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/assembly/constants.h"

enum { NAMED = 4 };  // joints named in a sentence

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
    return largest == 0 || translation > TMLI_ROUNDOFF * largest;
}

bool tmli_conflict_is_flat(const tml_system *s, const double *rows, int row)
{
    double largest = 0;
    for (int i = s->rowptr[row]; i < s->rowptr[row + 1]; i++)
        largest = fmax(largest, fabs(rows[i]) * tmli_coordinate_unit(s, s->rowcol[i]));
    return largest < TMLI_AMPLIFIED_TOLERANCE * fmin(s->length, 1) && tmli_mb_model(s);
}

static int root_of(int *parent, int i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

// The member that a row belongs to; creates it if needed. Rows of a joint are adjacent.
static tmli_conflict *find_member(tmli_conflicts *c, int joint, int row, bool length)
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
    if (x->odd != y->odd) return x->odd ? -1 : 1;
    if (fabs(x->size - y->size) > TMLI_INPUT_ERROR * (x->size + y->size)) return x->size > y->size ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

// Members with a common body form a group; groups are numbered from 0.
static bool find_groups(const tml_system *s, tmli_conflicts *c)
{
    int nodes = 0;
    for (int j = 0; j < s->n; j++) nodes = s->node[j] >= nodes ? s->node[j] + 1 : nodes;
    int *parent = tmli_calloc(&c->env, 2 * (size_t)nodes + 1, sizeof *parent);
    if (!parent) return false;
    int *const number = parent + nodes;
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

// By how much a rod is too long: Phi = (d^2 - l^2)/(2 l).
static double rod_error(const tml_model *model, const tmli_constraint *c, double phi)
{
    const double l = model->measure_use[c->term[0].use].measure.l0;
    return fabs(sqrt(fmax(l * l + 2 * l * phi, 0)) - l);
}

// Residual of a member: |Phi| of its rows; of a rod the difference of lengths.
static double residual_of(const tml_model *model, const tmli_conflict *m, bool rate, const double *phi,
                          const double *r)
{
    const tmli_constraint *c = model ? &model->constraint[m->joint] : NULL;
    if (!c || !c->ops->rod || rate) return m->size / r[m->row];
    return rod_error(model, c, phi[m->row]);
}

// (2); if it is about the same for all members, the sum of their residuals, which holds for large gaps too
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
            total += residual_of(model, m, c->rate, phi, r);
            low = fmin(low, m->gap);
            high = fmax(high, m->gap);
            length = length || m->length;
            angle = angle || !m->length;
        }
        for (int k = 0; k < c->count && high - low < SAME_GAP * high && !(length && angle); k++)
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
        if (!(size > CONFLICT_RESIDUAL * largest) || sys->rowptr[i] == sys->rowptr[i + 1]) continue;
        tmli_conflict *m =
            find_member(out, model ? model->row_owner[i] : -1, i, tmli_conflict_is_length(sys, rows, i));
        if (size > r[m->row] * fabs(phi[m->row])) m->row = i;
        m->size = hypot(m->size, size);
        m->flat = m->flat || tmli_conflict_is_flat(sys, rows, i);
    }
    if (!find_groups(sys, out)) {
        tmli_conflicts_clear(out);
        return tmli_no_memory(err, "assembly");
    }
    set_gaps(model, out, phi, r);
    qsort(out->list, (size_t)out->count, sizeof *out->list, by_group_and_size);
    return TML_OK;
}

void tmli_conflict_set_odd(const tml_system *sys, tmli_conflicts *c, int i, const double *phi,
                           const double *rows)
{
    const tml_model *model = tmli_mb_model(sys);
    const tmli_conflict which = c->list[i];
    for (int k = 0; k < c->count; k++) {
        tmli_conflict *m = &c->list[k];
        m->odd = m->group == which.group && m->joint == which.joint && (m->joint >= 0 || m->row == which.row);
        if (!m->odd) continue;
        m->gap = model ? 0 : fabs(phi[m->row]);
        for (int r = 0; model && r < sys->m; r++)
            if (model->row_owner[r] == m->joint && tmli_conflict_is_length(sys, rows, r) == m->length)
                m->gap = hypot(m->gap, phi[r]);
        if (model && model->constraint[m->joint].ops->rod && !c->rate)
            m->gap = rod_error(model, &model->constraint[m->joint], phi[m->row]);
    }
    qsort(c->list, (size_t)c->count, sizeof *c->list, by_group_and_size);
}

// ---- sentences --------------------------------------------------------------------------------------------

static const char *name_of(const tml_system *sys, const tmli_conflict *m, char *buf, size_t size)
{
    const tml_model *model = tmli_mb_model(sys);
    if (!model) return sys->row_name(sys, m->row, buf, size);
    snprintf(buf, size, "joint '%s'", model->constraint[m->joint].name);
    return buf;
}

static void format_gap(const tmli_conflicts *c, const tmli_conflict *m, char *buf, size_t size)
{
    const double degree = 57.29577951308232;
    snprintf(buf, size, "%.4g %s%s", m->length ? m->gap : m->gap * degree, m->length ? "m" : "deg",
             c->rate ? "/s" : "");
}

static void append(char *buf, size_t size, const char *a, const char *b)
{
    const size_t used = strlen(buf);
    snprintf(buf + used, size - used, "%s%s", a, b);
}

static const char *separator(int i, int count) { return i == 0 ? "" : i + 1 < count ? ", " : " and "; }

// Members of a group are adjacent: *first .. *last - 1.
static void find_range(const tmli_conflicts *c, int group, int *first, int *last)
{
    *first = 0;
    while (*first < c->count && c->list[*first].group != group) ++*first;
    for (*last = *first; *last < c->count && c->list[*last].group == group;) ++*last;
}

// The lengths and the angles of a joint may both be there.
int tmli_conflict_joints(const tmli_conflicts *c, int group, int *at, int room)
{
    int first, last, count = 0;
    find_range(c, group, &first, &last);
    for (int i = first; i < last; i++) {
        int k = first;
        while (k < i && (c->list[i].joint < 0 || c->list[k].joint != c->list[i].joint)) k++;
        if (k < i) continue;
        if (count < room) at[count] = i;
        count++;
    }
    return count;
}

// "joint 'a', joint 'b' and 3 more", of joints `from` to the last
static void append_names(const tml_system *sys, const tmli_conflicts *c, const int *at, int from, int joints,
                         char *buf, size_t size)
{
    const int named = joints <= NAMED + 1 ? joints : NAMED, parts = named + (joints > named);
    char text[200];
    for (int i = from; i < named; i++)
        append(buf, size, separator(i - from, parts - from),
               name_of(sys, &c->list[at[i]], text, sizeof text));
    snprintf(text, sizeof text, " and %d more", joints - named);
    if (joints > named) append(buf, size, text, "");
}

// Rows without a gradient: no other row opposes them, and they move nothing.
static bool describe_flat_rows(const tml_system *sys, const tmli_conflicts *c, int first, int last, char *buf,
                               size_t size)
{
    for (int i = first; i < last; i++) {
        const tmli_conflict *m = &c->list[i];
        char name[200], gap[60];
        if (!m->flat) continue;
        append(buf, size, buf[0] ? ", and " : "", name_of(sys, m, name, sizeof name));
        format_gap(c, m, gap, sizeof gap);
        if (c->rate) append(buf, size, " has no direction in which to move by ", gap);
        else append(buf, size, " cannot be satisfied: it is off by ", gap);
        append(buf, size, c->rate ? ", since " : " where ",
               m->length ? "its two points coincide" : "its axes are parallel");
    }
    if (buf[0] && c->rate) append(buf, size, ": start with them apart", "");
    return buf[0] != 0;
}

static void conflict_text(const tml_system *sys, const tmli_conflicts *c, int group, char *buf, size_t size)
{
    int first, last, at[NAMED + 1] = {0};
    char text[200];
    bool same = true;
    find_range(c, group, &first, &last);
    const int joints = tmli_conflict_joints(c, group, at, NAMED + 1);
    const bool odd = c->list[first].odd;
    for (int i = first; i < last; i++)
        same = same && c->list[i].length == c->list[first].length &&
               fabs(c->list[i].gap - c->list[first].gap) <= SAME_GAP * c->list[first].gap;
    buf[0] = 0;
    if (describe_flat_rows(sys, c, first, last, buf, size)) return;
    if (c->rate) append(buf, size, joints == 1 || odd ? "the velocity of " : "the velocities of ", "");
    if (odd) {
        append(buf, size, name_of(sys, &c->list[first], text, sizeof text),
               c->rate ? " contradicts those of " : " contradicts ");
        append_names(sys, c, at, 1, joints, buf, size);
        append(buf, size, ", which agree with each other: it is off by ", "");
        format_gap(c, &c->list[first], text, sizeof text);
        append(buf, size, text, "");
        return;
    }
    append_names(sys, c, at, 0, joints, buf, size);
    append(buf, size, joints == 1 ? " contradicts itself" : " contradict each other", "");
    if (same) {
        format_gap(c, &c->list[first], text, sizeof text);
        append(buf, size, " by ", text);
        return;
    }
    append(buf, size, ": if the others were satisfied, ", "");
    const int listed = last - first < NAMED ? last - first : NAMED;
    for (int i = 0; i < listed; i++) {
        append(buf, size, separator(i, listed), name_of(sys, &c->list[first + i], text, sizeof text));
        format_gap(c, &c->list[first + i], text, sizeof text);
        append(buf, size, i ? " by " : " would be off by ", text);
    }
}

void tmli_conflicts_text(const tml_system *sys, const tmli_conflicts *c, char *buf, size_t size)
{
    buf[0] = 0;
    for (int g = 0; g < c->groups; g++) {
        char clause[700];
        if (g == NAMED) {
            snprintf(clause, sizeof clause, "; and %d more conflict%s", c->groups - g,
                     tmli_plural(c->groups - g));
            append(buf, size, clause, "");
            break;
        }
        conflict_text(sys, c, g, clause, sizeof clause);
        append(buf, size, g ? "; " : "", clause);
    }
}
