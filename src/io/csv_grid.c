// Heights of a height field from a file of columns (csv.h): a row of the grid per line, without names.
#include "io/csv.h"

#include <math.h>
#include <string.h>

/** Numbers as they are read. */
typedef struct grid {
    double *values;
    int count, room, columns;
} grid;

static tml_status add_number(tmli_reader *r, const tmli_csv *c, const tmli_csv_field *f, int column, grid *g)
{
    double value;
    if (!tmli_csv_number(f, &value) || !isfinite(value))
        return tmli_fail_at(r->err, TML_ERR_SYNTAX, tmli_csv_mark(c, f->column),
                            "Column %d is '%.*s', expected a finite number.", column,
                            (int)(f->length < 60 ? f->length : 60), f->text);
    // bounded by the size of the file
    double *more = tmli_grown(r->env, g->values, g->count, &g->room, 1024, sizeof *more);
    if (!more) return tmli_fail(r->err, TML_ERR_NOMEM, "No memory for %d heights.", g->count + 1);
    g->values = more;
    g->values[g->count++] = value;
    return TML_OK;
}

static tml_status add_row(tmli_reader *r, const tmli_csv *c, grid *g)
{
    int column = 0;
    size_t at = 0;
    tmli_csv_field f;
    tml_status st = TML_OK;
    while (st == TML_OK && tmli_csv_walk(c, &at, &f)) st = add_number(r, c, &f, ++column, g);
    if (st != TML_OK) return st;
    if (g->columns == 0) g->columns = column;
    if (g->columns < 2)
        return tmli_fail_at(r->err, TML_ERR_SYNTAX, tmli_csv_mark(c, 1),
                            "The line has %d number, expected at least 2 heights.", column);
    if (column == g->columns) return TML_OK;
    return tmli_fail_at(r->err, TML_ERR_SYNTAX, tmli_csv_mark(c, (int)c->length + 1),
                        "The line has %d number%s, and the first one has %d.", column, tmli_plural(column),
                        g->columns);
}

tml_status tmli_csv_read_heights(tmli_reader *r, const tmli_entry *at, tml_shape_def *def)
{
    tmli_csv c;
    grid g = {0};
    if (def->height_count > 0)
        return tmli_fail_at(r->err, TML_ERR_MODEL, tmli_entry_mark(at, "file"),
                            "shape '%s' has both 'heights' and 'file'.", def->name);
    tml_status st = tmli_csv_open(r, at, def->file, &c);
    if (st != TML_OK) return st;
    do st = add_row(r, &c, &g);
    while (st == TML_OK && tmli_csv_next(&c));
    if (st == TML_OK && g.count == g.columns)
        st = tmli_fail_at(r->err, TML_ERR_SYNTAX, (tml_mark){c.path, 1, 1},
                          "The file has 1 line with numbers, expected at least 2 rows of heights.");
    if (st == TML_OK) {
        double *values = tmli_arena_alloc(&r->scratch, (size_t)g.count, sizeof *values);
        if (values) memcpy(values, g.values, (size_t)g.count * sizeof *values);
        else st = tmli_fail(r->err, TML_ERR_NOMEM, "No memory for %d heights.", g.count);
        def->heights = values;
        def->height_count = g.count;
        def->columns = g.columns;
    }
    tmli_free(r->env, g.values);
    return st;
}
