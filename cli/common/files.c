// The files of a command; see the header.
#define _POSIX_C_SOURCE 200809L
#include "files.h"

#include "base/base.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static tml_status refuse(const tmli_used_file *written, const tmli_used_file *other, tml_error *err)
{
    if (strcmp(other->what, "the model") == 0 && tmli_ends_with(other->path, ".h5"))
        return tmli_fail(err, TML_ERR_ARG, "'%.300s' is a result, expected a model file (YAML or JSON).",
                         other->path);
    if (strcmp(other->what, "the robot") == 0 && tmli_ends_with(other->path, ".yaml"))
        return tmli_fail(err, TML_ERR_ARG, "'%.300s' is a model already, expected a robot (URDF, MJCF).",
                         other->path);
    if (other->use == TMLI_USE_READ)
        return tmli_fail(err, TML_ERR_ARG, "%s: '%.300s' would overwrite %s%s.", written->what, written->path,
                         other->what, strcmp(written->path, other->path) == 0 ? "" : ", by a link");
    return tmli_fail(err, TML_ERR_ARG, "%s and %s name the same file '%.300s'.", other->what, written->what,
                     written->path);
}

static tml_status refuse_pair(const tmli_used_file *new, const tmli_used_file *old, tml_error *err)
{
    return new->use == TMLI_USE_READ ? refuse(old, new, err) : refuse(new, old, err);
}

// What the register says of a file; `other` is cleared.
static tml_status answer(tml_status st, const tmli_used_file *own, tmli_used_file *other, tml_error *err)
{
    if (st == TML_ERR_ARG) st = refuse_pair(own, other, err);
    else if (st != TML_OK) tmli_fail(err, st, "No memory for the names of files.");
    tmli_used_file_clear(other);
    return st;
}

static tml_status add(cli_files *f, cli_file use, const char *what, const char *path, tml_error *err)
{
    if (!path || use == CLI_FILE_NONE || (use != CLI_FILE_READ && strcmp(path, "none") == 0)) return TML_OK;
    const tmli_use uses[] = {[CLI_FILE_READ] = TMLI_USE_READ,
                             [CLI_FILE_WRITTEN] = TMLI_USE_WRITTEN,
                             [CLI_FILE_KEPT] = TMLI_USE_KEPT};
    const tmli_used_file own = {
        .use = uses[use], .path = (char *)(uintptr_t)path, .what = (char *)(uintptr_t)what};
    tmli_used_file other;
    return answer(tmli_files_add(f, uses[use], what, path, &other), &own, &other, err);
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
    return st == TML_OK && path && use != CLI_FILE_READ ? refuse_link(what, path, err) : st;
}

tml_status cli_files_check(cli_files *f, const char *what, const char *path, tml_error *err)
{
    const tmli_used_file own = {
        .use = TMLI_USE_WRITTEN, .path = (char *)(uintptr_t)path, .what = (char *)(uintptr_t)what};
    tmli_used_file other;
    const tml_status st = answer(tmli_files_find(f, own.use, path, &other), &own, &other, err);
    return st == TML_OK ? refuse_link(what, path, err) : st;
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
        st = cli_files_check(f, "--out", name, err);
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

char *cli_stem(const char *path, const char *ending)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    const size_t n = dot && dot != base ? (size_t)(dot - base) : strlen(base), size = n + strlen(ending) + 1;
    char *name = malloc(size);
    if (name) snprintf(name, size, "%.*s%s", (int)n, base, ending);
    return name;
}
