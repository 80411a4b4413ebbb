// What a multibody model calls its coordinates, rows and modes, in the words of the model file.
#include "system/multibody/multibody.h"

#include <stdio.h>
#include <string.h>

const char *tmli_mb_coordinate_name(const tml_system *sys, int i, char *buf, size_t size)
{
    static const char *const names[6] = {"x", "y", "z", "rx", "ry", "rz"};
    const tml_model *m = sys->self;
    const tmli_node *node = &m->node[m->node_of[i]];
    const int k = m->node_of[i];
    if (k >= m->nbodies && k < tmli_model_state_node(m, 0))
        snprintf(buf, size, "%s.%s", node->name, names[i - node->first]);
    else if (k >= m->nbodies) snprintf(buf, size, "%s", node->name);
    else snprintf(buf, size, "%s.%s", node->name, names[node->local[i - node->first]]);
    return buf;
}

const char *tmli_mb_row_name(const tml_system *sys, int r, char *buf, size_t size)
{
    const tml_model *m = sys->self;
    const tmli_constraint *c = &m->constraint[m->row_owner[r]];
    if (c->stick && strcmp(c->stick, "friction") == 0) snprintf(buf, size, "friction '%s' (stick)", c->name);
    else if (c->stick) snprintf(buf, size, "%s '%s'", c->stick, c->name);
    else if (c->nrows > 1)
        snprintf(buf, size, "joint '%s' (row %d of %d)", c->name, r - c->first + 1, c->nrows);
    else snprintf(buf, size, "joint '%s'", c->name);
    return buf;
}

// "m" if a measure of the row is a length: racks and screws combine lengths and angles.
const char *tmli_mb_row_unit(const tml_system *sys, int r)
{
    const tml_model *m = sys->self;
    const tmli_constraint *c = &m->constraint[m->row_owner[r]];
    for (int k = 0; k < c->nterms; k++) {
        const tmli_measure_kind kind = m->measure_use[c->term[k].use].measure.kind;
        if (c->term[k].row == r - c->first && kind != TMLI_DOT1 && kind != TMLI_ANGLE &&
            kind != TMLI_ARCSINE && kind != TMLI_SINE)
            return "m";
    }
    return "rad";
}

const char *tmli_mb_mode_name(const tml_system *sys, int i, char *buf, size_t size)
{
    const tml_model *m = sys->self;
    const tmli_discontinuity *s = &m->discontinuity[m->mode_owner[i]];
    if (s->force >= 0)
        snprintf(buf, size, "%s '%s'", s->force < m->nuser_forces ? "force" : "state",
                 m->force[s->force].name);
    else snprintf(buf, size, "joint '%s'", m->constraint[s->constraint].name);
    return buf;
}
