// Points of a table from a file of columns (CSV).
//
// Empty lines and lines that begin with # or % are skipped. The first other line separates its fields by ';',
// else by ',', else by tabs, else by blanks, and all lines do the same. If none of its fields is a number, it
// is a line of names; a name may be followed by its unit: `s [m]` is the column `s`. Fields may be quoted
// ("..."). Numbers have a decimal point. Columns that are not used may hold anything.
#include "io/yaml.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { AXES = 2 };  // x and y

/** One field of a line. */
typedef struct field {
    const char *text;
    size_t length;
    int column;  // in characters from 1, for messages
} field;

typedef struct csv {
    tmli_reader *r;
    const tml_table_def *def;
    const char *path;
    const char *line;  // the present one; it ends with a new line or with 0
    const char *end;   // of the file
    int number;        // of the line
    char separator;    // ' ': blanks
    int index[AXES];   // columns of x and y from 0
    double *points;
    int count, room;
} csv;

const tmli_table_entry *tmli_csv_find_table(const tmli_reader *r, const char *name)
{
    for (int i = 0; i < r->spec->ntables; i++)
        if (strcmp(r->spec->tables[i].def.name, name) == 0) return &r->spec->tables[i];
    return NULL;
}

// ---- lines and fields -------------------------------------------------------------------------------------

static size_t line_length(const csv *c)
{
    const char *stop = memchr(c->line, '\n', (size_t)(c->end - c->line));
    size_t length = (size_t)((stop ? stop : c->end) - c->line);
    if (length > 0 && c->line[length - 1] == '\r') length--;
    return length;
}

static bool is_blank(char x) { return x == ' ' || x == '\t'; }

// The next line with fields; false: there is none.
static bool next_line(csv *c)
{
    for (;;) {
        if (c->number > 0) {
            const char *stop = memchr(c->line, '\n', (size_t)(c->end - c->line));
            if (!stop) return false;
            c->line = stop + 1;
        }
        c->number++;
        if (c->line >= c->end) return false;
        const size_t length = line_length(c);
        size_t i = 0;
        while (i < length && is_blank(c->line[i])) i++;
        if (i < length && c->line[i] != '#' && c->line[i] != '%') return true;
    }
}

static char find_separator(const csv *c)
{
    const size_t length = line_length(c);
    static const char separators[] = {';', ',', '\t'};
    for (size_t i = 0; i < sizeof separators; i++)
        if (memchr(c->line, separators[i], length)) return separators[i];
    return ' ';
}

// Field `index` (from 0) of the line; false: the line has fewer.
static bool find_field(const csv *c, int index, field *out)
{
    const size_t length = line_length(c);
    size_t at = 0;
    for (int k = 0;; k++) {
        while (at < length && is_blank(c->line[at]) && c->line[at] != c->separator) at++;
        while (c->separator == ' ' && at < length && is_blank(c->line[at])) at++;
        if (at >= length && (k > 0 || length == 0)) return false;
        const bool quoted = at < length && c->line[at] == '"';
        const size_t first = at + quoted;
        at = first;
        while (at < length && (quoted                ? c->line[at] != '"'
                               : c->separator == ' ' ? !is_blank(c->line[at])
                                                     : c->line[at] != c->separator))
            at++;
        size_t last = at;
        while (!quoted && last > first && is_blank(c->line[last - 1])) last--;
        if (k == index) {
            *out = (field){c->line + first, last - first, (int)first + 1};
            return true;
        }
        while (at < length && c->separator != ' ' && c->line[at] != c->separator) at++;
        if (at >= length) return false;
        at += c->separator != ' ';
    }
}

static tml_mark mark_of(const csv *c, int column) { return (tml_mark){c->path, c->number, column}; }

static bool field_number(const field *f, double *out)
{
    char text[64];
    const char *end = NULL;
    if (f->length == 0 || f->length >= sizeof text) return false;
    memcpy(text, f->text, f->length);
    text[f->length] = 0;
    *out = tmli_strtod(text, &end);
    return end == text + f->length;
}

// ---- columns ----------------------------------------------------------------------------------------------

static const char *axis_name(int axis) { return axis == 0 ? "x" : "y"; }

static bool has_names(const csv *c)
{
    field f;
    double value;
    for (int k = 0; find_field(c, k, &f); k++)
        if (field_number(&f, &value)) return false;
    return true;
}

// True if the name of the column is `name`, or `name` followed by a blank or a unit.
static bool is_named(const field *f, const char *name)
{
    const size_t length = strlen(name);
    if (f->length < length || memcmp(f->text, name, length) != 0) return false;
    return f->length == length || is_blank(f->text[length]) || f->text[length] == '[' ||
           f->text[length] == '(';
}

static tml_status fail_name(const csv *c, int axis, const char *name, tml_mark at)
{
    char list[400] = "";
    size_t used = 0;
    field f;
    for (int k = 0; find_field(c, k, &f) && used + f.length + 3 < sizeof list; k++) {
        if (k > 0) memcpy(list + used, ", ", 2), used += 2;
        memcpy(list + used, f.text, f.length);
        used += f.length;
        list[used] = 0;
    }
    return tmli_fail_at(c->r->err, TML_ERR_NAME, at,
                        "'%s' of table '%s': '%s' has no column '%.80s'; it has: %s.", axis_name(axis),
                        c->def->name, c->path, name, list);
}

// The column of an axis; header: the present line has names
static tml_status find_column(csv *c, const tmli_entry *entry, int axis, bool header)
{
    const char *name = axis == 0 ? c->def->x : c->def->y, *end = NULL;
    c->index[axis] = axis;
    if (!name) return TML_OK;
    const tml_mark at = tmli_entry_mark(entry, axis_name(axis));
    field f;
    for (int k = 0; header && find_field(c, k, &f); k++)
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
        axis_name(axis), c->def->name, name, c->path);
}

// ---- points -----------------------------------------------------------------------------------------------

static tml_status read_point(csv *c, double point[AXES])
{
    for (int axis = 0; axis < AXES; axis++) {
        field f;
        if (!find_field(c, c->index[axis], &f))
            return tmli_fail_at(c->r->err, TML_ERR_SYNTAX, mark_of(c, (int)line_length(c) + 1),
                                "The line ends before column %d, which has the values '%s' of table '%s'.",
                                c->index[axis] + 1, axis_name(axis), c->def->name);
        if (!field_number(&f, &point[axis]) || !isfinite(point[axis]))
            return tmli_fail_at(c->r->err, TML_ERR_SYNTAX, mark_of(c, f.column),
                                "Column %d is '%.*s', expected a finite number.", c->index[axis] + 1,
                                (int)(f.length < 60 ? f.length : 60), f.text);
    }
    if (c->count == 0 || point[0] > c->points[2 * c->count - 2]) return TML_OK;
    field f;
    char a[32], b[32];
    (void)find_field(c, c->index[0], &f);
    return tmli_fail_at(c->r->err, TML_ERR_MODEL, mark_of(c, f.column),
                        "Column %d is %s after %s, expected ascending values.", c->index[0] + 1,
                        tmli_dtoa(point[0], a), tmli_dtoa(c->points[2 * c->count - 2], b));
}

static tml_status add_point(csv *c)
{
    double point[AXES];
    const tml_status st = read_point(c, point);
    if (st != TML_OK) return st;
    if (c->count == c->room) {
        const int room = c->room ? 2 * c->room : 256;  // bounded by the size of the file
        double *more =
            tmli_regrow(c->r->env, c->points, AXES * (size_t)c->count, AXES * (size_t)room, sizeof *more);
        if (!more) return tmli_fail(c->r->err, TML_ERR_NOMEM, "No memory for a table of %d points.", room);
        c->points = more;
        c->room = room;
    }
    memcpy(c->points + AXES * (size_t)c->count++, point, sizeof point);
    return TML_OK;
}

static tml_status read_points(csv *c, const tmli_entry *entry)
{
    const char mark[] = "\xEF\xBB\xBF";  // some programs begin a file with it
    if ((size_t)(c->end - c->line) >= 3 && memcmp(c->line, mark, 3) == 0) c->line += 3;
    if (!next_line(c))
        return tmli_fail_at(c->r->err, TML_ERR_SYNTAX, mark_of(c, 1), "The file has no lines with numbers.");
    c->separator = find_separator(c);
    const bool header = has_names(c);
    tml_status st = find_column(c, entry, 0, header);
    if (st == TML_OK) st = find_column(c, entry, 1, header);
    if (st == TML_OK && !header) st = add_point(c);
    while (st == TML_OK && next_line(c)) st = add_point(c);
    if (st == TML_OK && c->count < 2)
        st = tmli_fail_at(c->r->err, TML_ERR_SYNTAX, mark_of(c, 1),
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
    tmli_model_text text;
    tml_status st =
        tmli_read_file(r, where, at->at.file ? at->at.file : "", def->file, TMLI_FILE_BYTES, &text);
    if (st != TML_OK) return st;
    c.path = text.path;
    c.line = text.bytes;
    c.end = text.bytes + text.length;
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
