// The part of a modal body, from its file or from the files of a mesh.
#include "io/yaml.h"

#include <stdio.h>
#include <string.h>

enum { MAX_INTERFACE = 200 };

// A file that cannot be opened has no position of its own: it is that of the key.
static tml_status place(const tmli_reader *r, tml_status st, tml_mark at)
{
    if (st != TML_ERR_IO || !r->err || r->err->line > 0) return st;
    char text[TML_ERROR_MSG];
    snprintf(text, sizeof text, "%s", r->err->msg);
    return tmli_fail_at(r->err, st, at, "%s.", text);
}

static tml_status read_part(tmli_reader *r, const tmli_entry *at, tml_modal_def *d)
{
    const char *path = tmli_relative_path(r, at->at.file ? at->at.file : "", d->part_file);
    tml_part *part = NULL;
    if (!path) return tmli_fail(r->err, TML_ERR_NOMEM, "No memory for the name of a file.");
    for (int i = 0; i < r->spec->nparts; i++)
        if (strcmp(r->spec->part_paths[i], path) == 0) {
            d->part = r->spec->parts[i];
            return TML_OK;
        }
    tml_status st = tml_part_read(path, r->env, &part, r->err);
    if (st == TML_OK) st = tmli_spec_keep_part(r->spec, part, path, r->err);
    if (st == TML_OK) d->part = part;
    return place(r, st, tmli_entry_mark(at, "part"));
}

// The names of `text`, separated by commas, in the scratch arena. Returns their number, -1: no memory.
static int split_names(tmli_reader *r, const char *text, const char **name)
{
    int count = 0;
    while (*text && count < MAX_INTERFACE) {
        while (*text == ' ' || *text == ',') text++;
        size_t length = strcspn(text, ",");
        const char *next = text + length;
        while (length > 0 && text[length - 1] == ' ') length--;
        if (length == 0) break;
        char *copy = tmli_arena_alloc(&r->scratch, length + 1, 1);
        if (!copy) return -1;
        memcpy(copy, text, length);
        name[count++] = copy;
        text = next;
    }
    return count;
}

static tml_status reduce_mesh(tmli_reader *r, const tmli_entry *at, tml_modal_def *d)
{
    static const char *const keys[3] = {"stiffness", "mass", "nodes"};
    const char *const file[3] = {d->stiffness_file, d->mass_file, d->nodes_file};
    const char *path[3], *name[MAX_INTERFACE];
    for (int k = 0; k < 3; k++) {
        if (!file[k])
            return tmli_fail_at(r->err, TML_ERR_MODEL, at->at, "modal '%s' lacks the key '%s'.", d->name,
                                keys[k]);
        path[k] = tmli_relative_path(r, at->at.file ? at->at.file : "", file[k]);
        if (!path[k]) return tmli_fail(r->err, TML_ERR_NOMEM, "No memory for the name of a file.");
    }
    if (!d->interface)
        return tmli_fail_at(r->err, TML_ERR_MODEL, at->at, "modal '%s' lacks the key 'interface'.", d->name);
    tml_mesh *mesh = NULL;
    tml_part *part = NULL;
    tml_reduce_def def = tml_reduce_def_default();
    def.interface_count = split_names(r, d->interface, name);
    def.interface = name;
    def.reference = d->reference;
    def.modes = d->modes;
    if (def.interface_count < 0) return tmli_fail(r->err, TML_ERR_NOMEM, "No memory for names of nodes.");
    tml_status st = tml_mesh_read(path[0], path[1], path[2], r->env, &mesh, r->err);
    if (st == TML_ERR_IO) st = place(r, st, tmli_entry_mark(at, "stiffness"));
    if (st == TML_OK) st = tml_part_reduce(mesh, &def, &part, r->err);
    tml_mesh_destroy(mesh);
    if (st == TML_OK) st = tmli_spec_keep_part(r->spec, part, path[0], r->err);
    if (st == TML_OK) d->part = part;
    return st;
}

tml_status tmli_read_part(tmli_reader *r, const tmli_entry *at, tml_modal_def *d)
{
    if (d->part_file && d->stiffness_file)
        return tmli_fail_at(r->err, TML_ERR_MODEL, tmli_entry_mark(at, "stiffness"),
                            "modal '%s' has both 'part' and 'stiffness'.", d->name);
    if (d->part_file) return read_part(r, at, d);
    return d->stiffness_file ? reduce_mesh(r, at, d) : TML_OK;
}
