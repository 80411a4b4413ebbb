// Reading results: functions for all formats, and CSV.
//
// A CSV file is loaded as a whole and split in place. Every value takes at least one byte (its separator; the
// cell may be empty), so that the size of the file bounds the number of values independently of the header.
#include "result/reader.h"

#include "base/csv.h"
#include "base/file.h"
#include "result/writer.h"

#include <math.h>
#include <string.h>

typedef struct text {
    const char *path;
    char *data;  // zero-terminated
    size_t size;
    int line;
    bool units_sought;  // in the first comment after the header
} text;

static tml_status load(const char *path, const tml_env *env, text *t, tml_error *err);
static tml_status parse(text *t, tmli_result *r, tml_error *err);

tmli_result *tmli_result_create(const tml_env *env)
{
    tmli_result *r = tmli_calloc(env, 1, sizeof *r);
    if (!r) return NULL;
    if (env) r->env = *env;
    r->arena.env = &r->env;
    return r;
}

void tmli_result_destroy(tmli_result *r)
{
    if (!r) return;
    if (r->source.close) r->source.close(r->source.self);
    tmli_free(&r->env, r->values);
    tmli_arena_clear(&r->arena);
    const tml_env env = r->env;
    tmli_free(&env, r);
}

// The first object of the file has the attribute; its text is stored as it is.
bool tmli_result_is_complete(const char *path)
{
    enum { HEAD = 2048 };
    char head[HEAD];
    const size_t length = strlen(TMLI_RUN_COMPLETE);
    const size_t size = tmli_file_head(path, head, sizeof head);
    for (size_t i = 0; i + length <= size; i++)
        if (memcmp(head + i, TMLI_RUN_COMPLETE, length) == 0) return true;
    return false;
}

static void clean(const char *name)
{
    if (name) tmli_clean((char *)(uintptr_t)name);
}

void tmli_result_clean(tmli_result *r)
{
    for (int i = 0; i < r->ncols; i++) {
        clean(r->names[i]);
        if (r->units) clean(r->units[i]);
    }
}

int tmli_result_column(const tmli_result *r, const char *name)
{
    for (int i = 0; i < r->ncols; i++)
        if (strcmp(r->names[i], name) == 0) return i;
    return -1;
}

const char *tmli_result_note(const tmli_result *r, const char *name)
{
    for (int i = 0; i < r->nnotes; i++)
        if (strcmp(r->note_names[i], name) == 0) return r->note_texts[i];
    return NULL;
}

tml_status tmli_result_read_csv(const char *path, const tml_env *env, tmli_result **out, tml_error *err)
{
    *out = NULL;
    text t = {.path = path};
    tml_status st = load(path, env, &t, err);
    if (st == TML_OK) st = tmli_result_parse_csv(path, t.data, t.size, env, out, err);
    tmli_free(env, t.data);
    return st;
}

tml_status tmli_result_parse_csv(const char *path, char *data, size_t size, const tml_env *env,
                                 tmli_result **out, tml_error *err)
{
    *out = NULL;
    tmli_result *r = tmli_result_create(env);
    if (!r) return tmli_fail(err, TML_ERR_NOMEM, "Result file '%s': no memory to read it.", path);
    text t = {.path = path, .data = data, .size = size};
    const tml_status st = parse(&t, r, err);
    tmli_result_clean(r);
    if (st != TML_OK) {
        tmli_result_destroy(r);
        return st;
    }
    *out = r;
    return TML_OK;
}

static tml_status load(const char *path, const tml_env *env, text *t, tml_error *err)
{
    tmli_bytes file;
    char reason[TMLI_FILE_REASON];
    const tml_status st =
        tmli_file_load(path, NULL, TMLI_RESULT_BYTES, TMLI_FILE_REGULAR, env, &file, reason);
    if (st == TML_ERR_NOMEM) return tmli_fail(err, st, "Result file '%s': no memory to read it.", path);
    if (st != TML_OK) return tmli_fail(err, st, "Cannot read result file '%s': %s.", path, reason);
    t->data = file.data;
    t->size = file.length;
    return TML_OK;
}

static tml_mark here(const text *t) { return (tml_mark){.file = t->path, .line = t->line}; }

static tml_status no_memory(const text *t, tml_error *err)
{
    return tmli_fail(err, TML_ERR_NOMEM, "Result file '%s': no memory for its names.", t->path);
}

// '\0' only at the end, by the check in parse
static char *skip_line_end(char *p)
{
    if (p[0] == '\r' && p[1] == '\n') return p + 2;
    return *p == '\n' ? p + 1 : NULL;
}

// One name of the header at *at, unquoted in place. Leaves *at at the separator, which the end of *name may
// overwrite.
static bool parse_name(char **at, char **name, size_t *length)
{
    char *p = *at;
    if (*p != '"') {
        *name = p;
        *length = strcspn(p, ",\r\n\"");
        *at = p + *length;
        return *length > 0 && **at != '"';
    }
    const char *end = p;
    *name = p + 1;
    const bool whole = tmli_csv_read_quoted(&end, *name, SIZE_MAX, length);
    *at += end - p;
    return whole && *length > 0;
}

static tml_status parse_header(text *t, char **at, tmli_result *r, tml_error *err)
{
    size_t room = 1;
    for (const char *p = *at; *p && *p != '\n'; p++) room += *p == ',';
    if (room > (size_t)INT32_MAX)
        return tmli_fail_at(err, TML_ERR_SYNTAX, here(t), "The header has too many columns.");
    r->names = tmli_arena_alloc(&r->arena, room, sizeof *r->names);
    if (!r->names) return no_memory(t, err);
    for (char *p = *at;; p++) {
        char *name = NULL;
        size_t length = 0;
        if (!parse_name(&p, &name, &length))
            return tmli_fail_at(err, TML_ERR_SYNTAX, here(t), "Column %d of the header has no valid name.",
                                r->ncols + 1);
        char *copy = tmli_arena_alloc(&r->arena, length + 1, 1);
        if (!copy) return no_memory(t, err);
        memcpy(copy, name, length);
        r->names[r->ncols++] = copy;
        if (*p == ',') continue;
        *at = skip_line_end(p);
        if (*at) return TML_OK;
        return tmli_fail_at(err, TML_ERR_SYNTAX, here(t),
                            "After column '%s' a comma or the end of the line is missing.", copy);
    }
}

// The units of a comment "# [s],[m],..."; any other comment says nothing. False: no memory.
static bool parse_units(const char *p, tmli_result *r)
{
    const char **units = tmli_arena_alloc(&r->arena, (size_t)r->ncols, sizeof *units);
    if (!units) return false;
    p += strspn(p, "# ");
    for (int i = 0; i < r->ncols; i++) {
        const size_t length = *p == '[' ? strcspn(++p, "],\r\n") : 0;
        if (p[-1] != '[' || p[length] != ']') return true;
        char *unit = tmli_arena_alloc(&r->arena, length + 1, 1);
        if (!unit) return false;
        memcpy(unit, p, length);
        units[i] = unit;
        p += length + 1;
        if (i + 1 < r->ncols && *p++ != ',') return true;
    }
    if (*p == '\n' || *p == '\r') r->units = units;
    return true;
}

// The line after the comments at p. False: no memory.
static bool skip_comments(text *t, char **p, tmli_result *r)
{
    for (const char *end; **p == '#' && (end = strchr(*p, '\n')); t->line++) {
        if (r->ncols > 0 && !t->units_sought && !parse_units(*p, r)) return false;
        t->units_sought = r->ncols > 0;
        *p += end + 1 - *p;
    }
    return true;
}

// An empty cell is a number that is not known; the first column, the time, has none.
static double parse_number(const char *p, bool first, const char **end)
{
    *end = p;
    if (!first && (*p == ',' || *p == '\r' || *p == '\n')) return NAN;
    return tmli_csv_read_number(p, end);
}

static tml_status parse_row(text *t, char **at, tmli_result *r, double *x, tml_error *err)
{
    char *p = *at;
    for (int i = 0; i < r->ncols; i++) {
        const char *end = NULL;
        x[i] = parse_number(p, i == 0, &end);
        if (end == p && !isnan(x[i]))
            return tmli_fail_at(err, TML_ERR_SYNTAX, here(t), "Column '%s': '%.*s' is not a number.",
                                r->names[i], (int)strcspn(p, ",\r\n") < 40 ? (int)strcspn(p, ",\r\n") : 40,
                                p);
        p += end - p;
        if (i + 1 < r->ncols && *p++ != ',')
            return tmli_fail_at(err, TML_ERR_SYNTAX, here(t),
                                "A comma is missing after column '%s' (%d of %d).", r->names[i], i + 1,
                                r->ncols);
    }
    *at = skip_line_end(p);
    if (*at) return TML_OK;
    return tmli_fail_at(err, TML_ERR_SYNTAX, here(t), "The line does not end after its %d numbers.",
                        r->ncols);
}

static tml_status parse(text *t, tmli_result *r, tml_error *err)
{
    t->line = 1;
    if (t->size == 0)
        return tmli_fail_at(err, TML_ERR_SYNTAX, here(t), "The file is empty; a header line was expected.");
    if (strlen(t->data) != t->size)
        return tmli_fail_at(err, TML_ERR_SYNTAX, (tml_mark){.file = t->path},
                            "The file holds zero bytes; it is no CSV file.");
    char *p = t->data + tmli_csv_mark_length(t->data, t->size);
    if (!skip_comments(t, &p, r)) return no_memory(t, err);
    tml_status st = parse_header(t, &p, r, err);
    if (st != TML_OK) return st;

    size_t lines = 0;
    for (const char *q = p; (q = strchr(q, '\n')); q++) lines++;
    if (t->data[t->size - 1] != '\n') lines++;
    const size_t ncols = (size_t)r->ncols,
                 most = t->size + ncols;  // see the head of this file; the last row may be incomplete
    size_t room = lines > most / ncols ? most : lines * ncols;
    r->values = tmli_calloc(&r->env, room, sizeof *r->values);
    if (!r->values)
        return tmli_fail(err, TML_ERR_NOMEM, "Result file '%s': no memory for %zu values.", t->path, room);
    for (;; r->nrows++) {
        t->line++;
        if (!skip_comments(t, &p, r)) return no_memory(t, err);
        if (!*p) break;
        if (!strchr(p, '\n')) {
            tmli_log(&r->env, TML_LOG_WARNING, "Result file '%s': line %d has no end and is left out.",
                     t->path, t->line);
            break;
        }
        if (room < ncols)
            return tmli_fail_at(err, TML_ERR_SYNTAX, here(t), "The line has fewer than %d numbers.",
                                r->ncols);
        st = parse_row(t, &p, r, r->values + r->nrows * ncols, err);
        if (st != TML_OK) return st;
        room -= ncols;
    }
    return TML_OK;
}
