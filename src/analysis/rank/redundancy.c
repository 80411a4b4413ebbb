// Sentences about redundant constraints; see redundancy.h.
#include "analysis/rank/redundancy.h"
#include "model/component.h"

#include <stdio.h>
#include <string.h>

enum { NAMED = 6 };  // joints named in a sentence; of more joints only the number is given

typedef struct text {
    char *buf;
    size_t size;
} text;

static void append(text *t, const char *s)
{
    const size_t used = strlen(t->buf);
    snprintf(t->buf + used, t->size - used, "%s", s);
}

// "pin_A, pin_B and pin_C", or "... and 17 more"
static void append_joints(text *t, const tml_model *m, const bool *mark, int count)
{
    const int shown = count <= NAMED + 1 ? count : NAMED;
    int done = 0;
    for (int i = 0; i < m->nconstraints && done < shown; i++) {
        if (!mark[i]) continue;
        append(t, done == 0 ? "" : done + 1 < count ? ", " : " and ");
        append(t, m->constraint[i].name);
        done++;
    }
    if (shown == count) return;
    char more[40];
    snprintf(more, sizeof more, " and %d more", count - shown);
    append(t, more);
}

// Mark the joints on which dependent rows of `joint` depend: all of their sets if these are few, otherwise
// those with coefficients in the dependent rows. mark (joints), in (sets): zeroed on entry. Returns the
// number of marks.
static int mark_joints(const tml_model *m, const tmli_dependence *d, int joint, bool *mark, bool *in)
{
    int count = 0;
    for (int k = 0; k < d->count; k++)
        if (m->row_owner[d->row[k]] == joint) in[d->set[d->row[k]]] = true;
    for (int r = 0; r < d->m; r++) {
        const int owner = m->row_owner[r];
        if (d->set[r] < 0 || !in[d->set[r]] || owner == joint || mark[owner]) continue;
        mark[owner] = true;
        count++;
    }
    if (count <= NAMED) return count;
    memset(mark, 0, (size_t)m->nconstraints * sizeof *mark);
    count = 0;
    for (int k = 0; k < d->count; k++)
        for (int i = d->start[k]; i < d->start[k + 1] && m->row_owner[d->row[k]] == joint; i++) {
            const int owner = m->row_owner[d->at[i]];
            count += owner != joint && !mark[owner];
            mark[owner] = mark[owner] || owner != joint;
        }
    return count;
}

// Components of the dependent rows of a joint. *empty: none of them has an effect; *here: some are dependent
// in this configuration only.
static int list_components(const tml_model *m, const tmli_dependence *d, const tmli_dependence *nearby,
                           int joint, tmli_component *list, bool *empty, bool *here)
{
    int rows = 0;
    *empty = true;
    *here = false;
    for (int k = 0; k < d->count; k++) {
        const int r = d->row[k];
        if (m->row_owner[r] != joint || rows == TMLI_JOINT_ROWS) continue;
        list[rows++] = tmli_row_component(m, r);
        *empty = *empty && d->start[k] == d->start[k + 1];
        *here = *here || (nearby && nearby->set[r] < 0);
    }
    return rows;
}

bool tmli_redundancy_sentence(const tml_model *model, const tmli_dependence *here,
                              const tmli_dependence *nearby, int joint, bool least, char *buf, size_t size)
{
    tmli_component list[TMLI_JOINT_ROWS];
    bool empty, only_here;
    char what[200];
    text t = {buf, size};
    buf[0] = 0;
    const int rows = list_components(model, here, nearby, joint, list, &empty, &only_here);
    if (rows == 0) return true;
    bool *mark = tmli_calloc(&here->env, (size_t)model->nconstraints + (size_t)here->sets + 1, sizeof *mark);
    if (!mark) return false;
    const int count = mark_joints(model, here, joint, mark, mark + model->nconstraints);
    const bool many = tmli_component_text(list, rows, what, sizeof what) > 1;
    append(&t, model->constraint[joint].name);
    append(&t, ": ");
    append(&t, what);
    if (empty) append(&t, many ? " have no effect" : " has no effect");
    else append(&t, many ? " are redundant with " : " is redundant with ");
    if (!empty && count == 0) append(&t, "other rows of this joint");
    else if (!empty) append_joints(&t, model, mark, count);
    if (only_here) append(&t, " in this configuration; their reactions are indeterminate here");
    else if (empty) append(&t, "; the reaction is indeterminate");
    else {
        append(&t, count > 0 ? "; their reactions are shared " : "; its reactions are shared ");
        append(&t, least ? "(minimum-norm values)" : "(redundant rows have none)");
    }
    tmli_free(&here->env, mark);
    return true;
}
