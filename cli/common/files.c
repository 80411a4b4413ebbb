// The files of a command; see the header.
#define _POSIX_C_SOURCE 200809L
#include "files.h"

#include "base/base.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct cli_file_name {
    cli_file use;
    char *path, *what;
} cli_file_name;

// Whether the folders of two paths are the same one.
static bool is_same_folder(const char *a, const char *b)
{
    struct stat x, y;
    const char *ends[] = {strrchr(a, '/'), strrchr(b, '/')};
    char *first = ends[0] ? tmli_strndup(NULL, a, (size_t)(ends[0] - a) + 1) : tmli_strdup(NULL, "."),
         *second = ends[1] ? tmli_strndup(NULL, b, (size_t)(ends[1] - b) + 1) : tmli_strdup(NULL, ".");
    const bool same = first && second && stat(first, &x) == 0 && stat(second, &y) == 0 &&
                      x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    tmli_free(NULL, first);
    tmli_free(NULL, second);
    return same;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    const bool first = stat(a, &x) == 0, second = stat(b, &y) == 0;
    if (first && second) return S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    if (first || second) return false;
    const char *slash_a = strrchr(a, '/'), *slash_b = strrchr(b, '/');
    return strcmp(slash_a ? slash_a + 1 : a, slash_b ? slash_b + 1 : b) == 0 && is_same_folder(a, b);
}

static tml_status refuse(const cli_file_name *written, const cli_file_name *other, tml_error *err)
{
    if (strcmp(other->what, "the model") == 0 && tmli_ends_with(other->path, ".h5"))
        return tmli_fail(err, TML_ERR_ARG, "'%.300s' is a result, expected a model file (YAML or JSON).",
                         other->path);
    if (strcmp(other->what, "the robot") == 0 && tmli_ends_with(other->path, ".yaml"))
        return tmli_fail(err, TML_ERR_ARG, "'%.300s' is a model already, expected a robot (URDF, MJCF).",
                         other->path);
    if (other->use == CLI_FILE_READ)
        return tmli_fail(err, TML_ERR_ARG, "%s: '%.300s' would overwrite %s%s.", written->what, written->path,
                         other->what, strcmp(written->path, other->path) == 0 ? "" : ", by a link");
    return tmli_fail(err, TML_ERR_ARG, "%s and %s name the same file '%.300s'.", other->what, written->what,
                     written->path);
}

// Whether a file may be added.
static tml_status compare(const cli_files *f, const cli_file_name *new, tml_error *err)
{
    for (int i = 0; i < f->count; i++) {
        const cli_file_name *old = &f->item[i];
        if ((new->use == CLI_FILE_READ && old->use == CLI_FILE_READ) || !is_same_file(old->path, new->path))
            continue;
        return new->use == CLI_FILE_WRITTEN ? refuse(new, old, err) : refuse(old, new, err);
    }
    return TML_OK;
}

static tml_status add(cli_files *f, cli_file use, const char *what, const char *path, tml_error *err)
{
    if (!path || use == CLI_FILE_NONE || (use == CLI_FILE_WRITTEN && strcmp(path, "none") == 0))
        return TML_OK;
    for (int i = 0; i < f->count; i++)  // a model that is read again, for other parameters
        if (use == CLI_FILE_READ && f->item[i].use == use && strcmp(f->item[i].path, path) == 0)
            return TML_OK;
    cli_file_name *item = tmli_grown(NULL, f->item, f->count, &f->room, 8, sizeof *item);
    if (!item) return tmli_fail(err, TML_ERR_NOMEM, "No memory for the names of files.");
    f->item = item;
    item[f->count] = (cli_file_name){use, tmli_strdup(NULL, path), tmli_strdup(NULL, what)};
    const bool whole = item[f->count].path && item[f->count].what;
    const tml_status st = whole ? compare(f, &item[f->count], err)
                                : tmli_fail(err, TML_ERR_NOMEM, "No memory for the names of files.");
    f->count++;
    return st;
}

// A link that stands in the folder of somebody else's model would lead a name that nobody gave out of it.
static tml_status refuse_link(const char *what, const char *path, tml_error *err)
{
    struct stat info;
    if (lstat(path, &info) != 0 || !S_ISLNK(info.st_mode)) return TML_OK;
    return tmli_fail(err, TML_ERR_ARG,
                     "%s: '%.300s' is a link; it is followed only if an option names it (--out, --csv).",
                     what, path);
}

tml_status cli_files_add(cli_files *f, cli_file use, const char *what, const char *path, tml_error *err)
{
    const tml_status st = add(f, use, what, path, err);
    return st == TML_OK && path && use == CLI_FILE_WRITTEN ? refuse_link(what, path, err) : st;
}

// They are not compared with each other: there may be very many.
tml_status cli_files_add_series(cli_files *f, const char *path, const char *ending, size_t count,
                                tml_error *err)
{
    const size_t length = strlen(path), stem = length > 4 ? length - 4 : length, room = length + 40;
    char *name = malloc(room);
    tml_status st = name ? TML_OK : tmli_fail(err, TML_ERR_NOMEM, "No memory for the names of files.");
    for (size_t i = 0; i < count && st == TML_OK; i++) {
        snprintf(name, room, "%.*s-%04zu%s", (int)stem, path, i, ending);
        st = compare(f, &(cli_file_name){CLI_FILE_WRITTEN, name, "--out"}, err);
        if (st == TML_OK) st = refuse_link("--out", name, err);
    }
    free(name);
    return st;
}

tml_status cli_files_add_options(cli_files *f, const cli_table *table, const void *values, tml_error *err)
{
    tml_status st = TML_OK;
    for (int i = 0; i < table->count && st == TML_OK; i++) {
        const cli_option *o = &table->options[i];
        const void *value = (const char *)values + o->offset;
        char what[60];
        if (o->file == CLI_FILE_NONE) continue;
        snprintf(what, sizeof what, "%s%s", cli_option_is_named(o) ? "" : "the ", o->name);
        for (char *c = what; *c; c++) *c = (char)tolower((unsigned char)*c);  // MODEL: the model
        const cli_list *list = o->kind == CLI_LIST || o->kind == CLI_ARGUMENTS ? value : NULL;
        if (!list) st = add(f, o->file, what, *(const char *const *)value, err);
        for (int k = 0; list && k < list->count && st == TML_OK; k++)
            st = add(f, o->file, what, list->items[k], err);
    }
    return st;
}

tml_status cli_files_add_model(cli_files *f, const tml_spec *spec, tml_error *err)
{
    tml_status st = TML_OK;
    for (int i = 0; i < tml_spec_source_count(spec) && st == TML_OK; i++)
        st = cli_files_add(f, CLI_FILE_READ, i == 0 ? "the model" : "a file of the model",
                           tml_spec_source(spec, i)->path, err);
    return st;
}

void cli_files_clear(cli_files *f)
{
    for (int i = 0; i < f->count; i++) {
        tmli_free(NULL, f->item[i].path);
        tmli_free(NULL, f->item[i].what);
    }
    tmli_free(NULL, f->item);
    *f = (cli_files){0};
}

char *cli_stem(const char *path, const char *ending)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    const size_t n = dot && dot != base ? (size_t)(dot - base) : strlen(base), size = n + strlen(ending) + 1;
    char *name = malloc(size);
    if (name) snprintf(name, size, "%.*s%s", (int)n, base, ending);
    return name;
}
