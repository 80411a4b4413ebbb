// Points of a table from a file of columns (csv.h).
//
// If none of the fields of the first line is a number, it is a line of names; a name may be followed by its
// unit: `s [m]` is the column `s`. Columns that are not used may hold anything.
#include "io/csv.h"

#include <math.h>
#include <string.h>

enum { AXES = 2 };  // x and y

typedef struct csv {
    tmli_reader *r;
    const tml_table_def *def;
    tmli_csv in;
    int index[AXES];  // columns of x and y from 0
    double *points;
    int count, room;
} csv;

tmli_table_entry *tmli_csv_find_table(const tmli_reader *r, const char *name)
{
    for (int i = 0; i < r->spec->ntables; i++)
        if (strcmp(r->spec->tables[i].def.name, name) == 0) return &r->spec->tables[i];
    return NULL;
}

// ---- columns ----------------------------------------------------------------------------------------------

static const char *axis_name(int axis) { return axis == 0 ? "x" : "y"; }

// True if the name of the column is `name`, or `name` followed by a blank or a unit.
static bool is_named(const tmli_csv_field *f, const char *name)
{
    const size_t length = strlen(name);
    if (f->length < length || memcmp(f->text, name, length) != 0) return false;
    return f->length == length || f->text[length] == ' ' || f->text[length] == '\t' ||
           f->text[length] == '[' || f->text[length] == '(';
}

static tml_status fail_name(const csv *c, int axis, const char *name, tml_mark at)
{
    char list[400] = "";
    size_t used = 0;
    tmli_csv_field f;
    for (int k = 0; tmli_csv_find(&c->in, k, &f) && used + f.length + 3 < sizeof list; k++) {
        if (k > 0) memcpy(list + used, ", ", 2), used += 2;
        memcpy(list + used, f.text, f.length);
        used += f.length;
        list[used] = 0;
    }
    return tmli_fail_at(c->r->err, TML_ERR_NAME, at,
                        "'%s' of table '%s': '%s' has no column '%.80s'; it has: %s.", axis_name(axis),
                        c->def->name, c->in.path, name, list);
}

// The column of an axis; header: the present line has names
static tml_status find_column(csv *c, const tmli_entry *entry, int axis, bool header)
{
    const char *name = axis == 0 ? c->def->x : c->def->y, *end = NULL;
    c->index[axis] = axis;
    if (!name) return TML_OK;
    const tml_mark at = tmli_entry_mark(entry, axis_name(axis));
    tmli_csv_field f;
    for (int k = 0; header && tmli_csv_find(&c->in, k, &f); k++)
        if (is_named(&f, name)) {
            c->index[axis] = k;
            return TML_OK;
        }
    const double number = tmli_strtod(name, &end);
    if (end != name && !*end && number >= 1 && number <= 10000 && number == floor(number)) {
        c->index[axis] = (int)number - 1;
        return TML_OK;
    }
    if (header) return fail_name(c, axis, name, at);
    return tmli_fail_at(
        c->r->err, TML_ERR_NAME, at,
        "'%s' of table '%s' is '%.80s', but '%s' has no line of names; give the number of the "
        "column.",
        axis_name(axis), c->def->name, name, c->in.path);
}

// ---- points -----------------------------------------------------------------------------------------------

static tml_status read_point(csv *c, double point[AXES])
{
    for (int axis = 0; axis < AXES; axis++) {
        tmli_csv_field f;
        if (!tmli_csv_find(&c->in, c->index[axis], &f))
            return tmli_fail_at(c->r->err, TML_ERR_SYNTAX, tmli_csv_mark(&c->in, (int)c->in.length + 1),
                                "The line ends before column %d, which has the values '%s' of table '%s'.",
                                c->index[axis] + 1, axis_name(axis), c->def->name);
        if (!tmli_csv_number(&f, &point[axis]) || !isfinite(point[axis]))
            return tmli_fail_at(c->r->err, TML_ERR_SYNTAX, tmli_csv_mark(&c->in, f.column),
                                "Column %d is '%.*s', expected a finite number.", c->index[axis] + 1,
                                (int)(f.length < 60 ? f.length : 60), f.text);
    }
    if (c->count == 0 || point[0] > c->points[2 * c->count - 2]) return TML_OK;
    tmli_csv_field f;
    char a[32], b[32];
    (void)tmli_csv_find(&c->in, c->index[0], &f);
    return tmli_fail_at(c->r->err, TML_ERR_MODEL, tmli_csv_mark(&c->in, f.column),
                        "Column %d is %s after %s, expected ascending values.", c->index[0] + 1,
                        tmli_dtoa(point[0], a), tmli_dtoa(c->points[2 * c->count - 2], b));
}

static tml_status add_point(csv *c)
{
    double point[AXES];
    const tml_status st = read_point(c, point);
    if (st != TML_OK) return st;
    // bounded by the size of the file
    double *more = tmli_grown(c->r->env, c->points, c->count, &c->room, 256, AXES * sizeof *more);
    if (!more)
        return tmli_fail(c->r->err, TML_ERR_NOMEM, "No memory for a table of %d points.", c->count + 1);
    c->points = more;
    memcpy(c->points + AXES * (size_t)c->count++, point, sizeof point);
    return TML_OK;
}

static tml_status read_points(csv *c, const tmli_entry *entry)
{
    const bool header = tmli_csv_has_names(&c->in);
    tml_status st = find_column(c, entry, 0, header);
    if (st == TML_OK) st = find_column(c, entry, 1, header);
    if (st == TML_OK && !header) st = add_point(c);
    while (st == TML_OK && tmli_csv_next(&c->in)) st = add_point(c);
    if (st == TML_OK && c->count < 2)
        st = tmli_fail_at(c->r->err, TML_ERR_SYNTAX, tmli_csv_mark(&c->in, 1),
                          "The file has %d line%s with numbers, expected at least 2.", c->count,
                          tmli_plural(c->count));
    return st;
}

tml_status tmli_csv_read_table(tmli_reader *r, const tmli_entry *at, tml_table_def *def)
{
    static const char *const columns[] = {"x", "y"};
    for (int k = 0; k < 2 && !def->file; k++)
        if (k == 0 ? def->x : def->y)
            return tmli_fail_at(r->err, TML_ERR_MODEL, tmli_entry_mark(at, columns[k]),
                                "'%s' of table '%s' is a column of a 'file', which is not given.", columns[k],
                                def->name);
    if (!def->file) return TML_OK;
    const tml_mark where = tmli_entry_mark(at, "file");
    if (def->count > 0)
        return tmli_fail_at(r->err, TML_ERR_MODEL, where, "Table '%s' has both 'points' and 'file'.",
                            def->name);
    csv c = {.r = r, .def = def};
    tml_status st = tmli_csv_open(r, at, def->file, &c.in);
    if (st != TML_OK) return st;
    st = read_points(&c, at);
    double *points = NULL;
    if (st == TML_OK) {
        points = tmli_arena_alloc(&r->scratch, AXES * (size_t)c.count, sizeof *points);
        if (points) memcpy(points, c.points, AXES * (size_t)c.count * sizeof *points);
        else st = tmli_fail(r->err, TML_ERR_NOMEM, "No memory for a table of %d points.", c.count);
        def->points = points;
        def->count = c.count;
    }
    tmli_free(r->env, c.points);
    return st;
}
