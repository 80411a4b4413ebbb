// Reads the list of an archive; see list.h.
#include "fmu/unit/list.h"

#include "base/file.h"
#include "base/json.h"

#include <string.h>

enum {
    LIST_BYTES = 64 << 20,   // largest list
    FILE_BYTES = 256 << 20,  // largest file of a model
    LIST_VALUES = 4000000    // in it: some 80 bytes each
};

// A file below the folder: never outside of it, whatever the list says.
static tml_status load(tmli_fmu_list *l, const char *folder, const char *name, size_t most, tml_source *out,
                       tml_error *err)
{
    char reason[TMLI_FILE_REASON];
    char *path = tmli_arena_format(&l->arena, "%s/%s", folder, name);
    if (!path) return tmli_no_memory(err, "unit");
    tmli_bytes bytes = {0};
    if (name[0] == '/' || strncmp(name, "../", 3) == 0 || strstr(name, "/../"))
        return tmli_fail(err, TML_ERR_IO, "Cannot read '%s': it is outside of the archive.", name);
    const tml_status st = tmli_file_load(path, NULL, most, TMLI_FILE_REGULAR, l->arena.env, &bytes, reason);
    if (st != TML_OK) return tmli_fail(err, st, "Cannot read '%s': %s.", path, reason);
    char *copy = tmli_arena_alloc(&l->arena, bytes.length + 1, 1);
    if (copy) memcpy(copy, bytes.data, bytes.length);
    tmli_free(l->arena.env, bytes.data);
    *out = (tml_source){.text = copy, .length = bytes.length};
    return copy ? TML_OK : tmli_no_memory(err, "unit");
}

static tml_status bad(const char *what, tml_error *err)
{
    return tmli_fail(err, TML_ERR_SYNTAX, "The list of the unit (unit.json) has no valid '%s'.", what);
}

// Texts of an array: members, or their member `key`.
static tml_status read_names(tmli_fmu_list *l, const tmli_json_node *top, const char *what, const char *key,
                             const char ***out, int *count, tml_error *err)
{
    const tmli_json_node *array = tmli_json_array(top, what);
    if (!array) return bad(what, err);
    const char **name = tmli_arena_alloc(&l->arena, (size_t)array->count + 1, sizeof *name);
    if (!name) return tmli_no_memory(err, "unit");
    for (int i = 0; i < array->count; i++) {
        const tmli_json_node *item = array->item[i];
        const char *text = key ? tmli_json_text_of(item, key) : item->text;
        if (!text) return bad(what, err);
        name[i] = tmli_arena_strdup(&l->arena, text);
        if (!name[i]) return tmli_no_memory(err, "unit");
    }
    *out = name;
    *count = array->count;
    return TML_OK;
}

static tml_status read_files(tmli_fmu_list *l, const tmli_json_node *top, const char *folder, tml_error *err)
{
    const char **path = NULL, **file = NULL;
    int count = 0;
    tml_status st = read_names(l, top, "files", "path", &path, &count, err);
    if (st == TML_OK) st = read_names(l, top, "files", "file", &file, &count, err);
    if (st == TML_OK && count == 0) st = bad("files", err);
    if (st != TML_OK) return st;
    l->source = tmli_arena_alloc(&l->arena, (size_t)count, sizeof *l->source);
    if (!l->source) return tmli_no_memory(err, "unit");
    for (int i = 0; i < count && st == TML_OK; i++) {
        st = load(l, folder, file[i], FILE_BYTES, &l->source[i], err);
        l->source[i].path =
            path[i][0] == '/' ? path[i] : tmli_arena_format(&l->arena, "%s/model/%s", folder, path[i]);
        if (!l->source[i].path) st = tmli_no_memory(err, "unit");
    }
    l->sources = count;
    return st;
}

// Expressions in place of those of the model.
static tml_status read_set(tmli_fmu_list *l, const tmli_json_node *top, tml_error *err)
{
    const tmli_json_node *array = tmli_json_array(top, "parameters");
    l->set = tmli_arena_alloc(&l->arena, (size_t)l->parameters + 1, sizeof *l->set);
    if (!l->set) return tmli_no_memory(err, "unit");
    for (int i = 0; i < l->parameters; i++) {
        const char *text = tmli_json_text_of(array->item[i], "set");
        if (text && !(l->set[i] = tmli_arena_strdup(&l->arena, text))) return tmli_no_memory(err, "unit");
    }
    return TML_OK;
}

tml_status tmli_fmu_list_read(tmli_fmu_list *l, const char *folder, tml_error *err)
{
    tml_source text = {0};
    tmli_json_node *top = NULL;
    tmli_arena scratch = {.env = l->arena.env};
    tml_status st = load(l, folder, "unit.json", LIST_BYTES, &text, err);
    if (st == TML_OK)
        st = tmli_json_parse(text.text, "The list of the unit (unit.json)", LIST_VALUES, &scratch, &top, err);
    if (st == TML_OK && tmli_json_number_of(top, "format", 0) != TMLI_FMU_FORMAT) st = bad("format", err);
    const char *token = st == TML_OK ? tmli_json_text_of(top, "token") : NULL;
    if (st == TML_OK) st = token ? TML_OK : bad("token", err);
    if (st == TML_OK && !(l->token = tmli_arena_strdup(&l->arena, token))) st = tmli_no_memory(err, "unit");
    if (st == TML_OK) st = read_names(l, top, "inputs", NULL, &l->input, &l->inputs, err);
    if (st == TML_OK) st = read_names(l, top, "outputs", NULL, &l->output, &l->outputs, err);
    if (st == TML_OK) st = read_names(l, top, "parameters", "name", &l->parameter, &l->parameters, err);
    if (st == TML_OK) st = read_set(l, top, err);
    if (st == TML_OK) st = read_files(l, top, folder, err);
    tmli_arena_clear(&scratch);
    return st;
}

void tmli_fmu_list_clear(tmli_fmu_list *l)
{
    tmli_arena_clear(&l->arena);
    *l = (tmli_fmu_list){.arena = {.env = l->arena.env}};
}
