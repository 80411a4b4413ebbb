// The curves of a model: its tables, and those of its forces and roads.
#include "model/model.h"

#include <stdio.h>

#include "model/constants.h"

tml_status tmli_model_add_curve(tml_model *m, const char *what, const char *name, tml_mark at, int count,
                                const double *points, tml_table_style style, const tmli_curve **out,
                                tml_error *err)
{
    tmli_table *more = tmli_grown(&m->env, m->table, m->ntables, &m->table_room, 8, sizeof *more);
    if (!more) return tmli_no_memory(err, "model");
    m->table = more;
    tmli_table t = {.what = what,
                    .name = tmli_arena_strdup(&m->arena, name),
                    .low = points[0],
                    .high = points[2 * count - 2],
                    .interpolation = style.interpolation};
    tml_error why = {0};
    if (!t.name) return tmli_no_memory(err, "model");
    const tml_status st = tmli_curve_create(&m->env, count, points, style, &t.curve, &why);
    if (st == TML_ERR_NOMEM) return tmli_no_memory(err, "model");
    if (st != TML_OK) return tmli_fail_at(err, TML_ERR_MODEL, at, "%s '%s': %s", what, name, why.msg);
    m->table[m->ntables++] = t;
    *out = t.curve;
    return TML_OK;
}

bool tmli_table_describe_overshoot(const tml_model *m, int table, char *text, size_t size)
{
    const tmli_table *t = &m->table[table];
    double x, y, other_x, other_y;
    const double beyond = tmli_curve_overshoot(t->curve, &x, &y);
    if (!(beyond > NOTE_OVERSHOOT)) return false;
    for (int i = 0; i < table; i++)  // a table that forces and roads use is mentioned once
        if (tmli_curve_overshoot(m->table[i].curve, &other_x, &other_y) == beyond && other_x == x &&
            other_y == y)
            return false;
    snprintf(text, size,
             "the spline of %s '%s' leaves the range of its points by %.0f %% of that range: it is %g at %g; "
             "'interpolation: monotone' stays within the points",
             t->what, t->name, 100 * beyond, y, x);
    return true;
}
