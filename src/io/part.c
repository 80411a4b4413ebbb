// The part of a modal body, from its file or from the files of a mesh.
#include "part/part.h"
#include "io/yaml.h"

#include <string.h>

enum { MAX_INTERFACE = 200 };

static tml_status read_text(tmli_reader *r, const tmli_entry *at, const char *key, const char *name,
                            tmli_text *out)
{
    tmli_model_text file;
    const tml_status st = tmli_read_file(r, tmli_entry_mark(at, key), at->at.file ? at->at.file : "", name,
                                         TMLI_PART_BYTES, &file);
    if (st == TML_OK) *out = (tmli_text){file.path, file.bytes, file.length};
    return st;
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
    tmli_text text;
    tml_status st = read_text(r, at, "part", d->part_file, &text);
    if (st == TML_OK) st = tmli_part_read(&text, r->env, &part, r->err);
    if (st == TML_OK) st = tmli_spec_keep_part(r->spec, part, path, r->err);
    if (st == TML_OK) d->part = part;
    return st;
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
    const char *name[MAX_INTERFACE];
    tmli_text text[3];
    for (int k = 0; k < 3; k++) {
        if (!file[k])
            return tmli_fail_at(r->err, TML_ERR_MODEL, at->at, "modal '%s' lacks the key '%s'.", d->name,
                                keys[k]);
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
    tml_status st = TML_OK;
    for (int k = 0; k < 3 && st == TML_OK; k++) st = read_text(r, at, keys[k], file[k], &text[k]);
    if (st == TML_OK) st = tmli_mesh_read(&text[0], &text[1], &text[2], r->env, &mesh, r->err);
    if (st == TML_OK) st = tml_part_reduce(mesh, &def, &part, r->err);
    tml_mesh_destroy(mesh);
    if (st == TML_OK) st = tmli_spec_keep_part(r->spec, part, text[0].path, r->err);
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
