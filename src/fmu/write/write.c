// Writes the archive of a unit; see write.h.
#include "fmu/write/write.h"

#include "base/file.h"
#include "base/json.h"
#include "base/target.h"
#include "fmu/unit/list.h"
#include "fmu/zip/zip.h"
#include "spec/spec.h"

#include <string.h>

enum { BINARY_BYTES = 256 << 20 };  // largest library or mesh

// What stands inside the libraries, by their licences.
static const char contents[] =
    "The libraries of this unit contain\n"
    "  Trammel " TRAMMEL_VERSION " (Apache-2.0)\n"
    "  LAPACK and BLAS of the reference (BSD-3-Clause)\n"
    "  KLU and BTF of SuiteSparse (LGPL-2.1-or-later), AMD, CAMD and COLAMD (BSD-3-Clause)\n"
    "  libfyaml (MIT)\n"
    "  IDA of SUNDIALS (BSD-3-Clause)\n"
    "as Debian distributes them; their texts are in /usr/share/doc/*/copyright there. Trammel builds the\n"
    "library again from sources, with other versions of these parts if wanted (docs/fmu.md).\n";

// ---- files of the model -----------------------------------------------------------------------------------

// Files are named as a model in the working directory would name them: without the folder of the model file.
static const char *shown_path(const tml_spec *spec, const char *path)
{
    const char *main = tml_spec_source(spec, 0)->path, *slash = strrchr(main, '/');
    const size_t folder = slash ? (size_t)(slash - main) + 1 : 0;
    return strncmp(path, main, folder) == 0 ? path + folder : path;
}

// Whether a path leads to a place below a folder, on any machine.
static bool is_plain(const char *path)
{
    bool plain = path[0] != '/' && path[0] != '.' && path[0] && !strstr(path, "/.") && !strstr(path, "//");
    for (const char *c = path; *c; c++) plain = plain && (unsigned char)*c >= ' ' && !strchr("\\:", *c);
    return plain;
}

// The place of a file in the archive: its path if that is a plain one, else a number with its ending.
static const char *place_of(tmli_arena *arena, const char *path, int index)
{
    if (is_plain(path)) return tmli_arena_format(arena, "model/%s", path);
    const char *dot = strrchr(path, '.');
    return tmli_arena_format(arena, "model/file_%d%s", index,
                             dot && strlen(dot) < 8 && is_plain(dot + 1) ? dot : "");
}

static const char *set_of(const tmli_fmu_def *def, const char *name)
{
    const char *text = NULL;
    for (int i = 0; i < def->set_count; i++)
        if (strcmp(def->set[i].name, name) == 0) text = def->set[i].text;
    return text;
}

static void list_names(tmli_json *j, const char *key, const tmli_fmu_variables *v, tmli_fmu_role role)
{
    tmli_json_open(j, key, '[');
    for (int i = 0; i < v->count; i++)
        if (v->item[i].role == role) tmli_json_text(j, NULL, v->item[i].own);
    tmli_json_close(j, ']');
}

// unit.json; the caller frees it with env.
static char *make_list(const tmli_fmu_def *def, const tmli_fmu_variables *v, const char *token,
                       const char *const *place, const tml_env *env)
{
    tmli_json j = {.env = env, .style = TMLI_JSON_TIGHT};
    tmli_json_open(&j, NULL, '{');
    tmli_json_integer(&j, "format", TMLI_FMU_FORMAT);
    tmli_json_text(&j, "token", token);
    tmli_json_open(&j, "files", '[');
    for (int i = 0; i < tml_spec_source_count(def->spec); i++) {
        const tml_source *s = tml_spec_source(def->spec, i);
        if (s->text) tmli_json_object(&j, NULL, "path %s file %s", shown_path(def->spec, s->path), place[i]);
    }
    tmli_json_close(&j, ']');
    list_names(&j, "inputs", v, TMLI_ROLE_INPUT);
    list_names(&j, "outputs", v, TMLI_ROLE_OUTPUT);
    tmli_json_open(&j, "parameters", '[');
    for (int i = 0; i < v->count; i++) {
        if (v->item[i].role != TMLI_ROLE_PARAMETER) continue;
        const char *set = set_of(def, v->item[i].own);
        if (set) tmli_json_object(&j, NULL, "name %s set %s", v->item[i].own, set);
        else tmli_json_object(&j, NULL, "name %s", v->item[i].own);
    }
    tmli_json_close(&j, ']');
    tmli_json_close(&j, '}');
    return tmli_json_take(&j);
}

// ---- token ------------------------------------------------------------------------------------------------

static void mix(uint64_t h[2], const void *data, size_t size)
{
    for (int i = 0; i < 2; i++) {
        const uint64_t pair[3] = {h[i], tmli_checksum(data, size), (uint64_t)size + (uint64_t)i};
        h[i] = tmli_checksum(pair, sizeof pair);
    }
}

// A number of 128 bits that follows from the description, the list and the files, in the form of a GUID.
static tml_status make_token(const tmli_fmu_def *def, const tmli_fmu_variables *v, const char *const *place,
                             const tml_env *env, char out[40], tml_error *err)
{
    uint64_t h[2] = {1, 2};
    char *page = NULL, *list = make_list(def, v, "", place, env);
    size_t size = 0;
    tml_status st =
        list ? tmli_fmu_describe(def, v, "", env, &page, &size, err) : tmli_no_memory(err, "unit");
    if (st == TML_OK) {
        mix(h, page, size);
        mix(h, list, strlen(list));
        for (int i = 0; i < tml_spec_source_count(def->spec); i++) {
            const tml_source *s = tml_spec_source(def->spec, i);
            mix(h, s->text ? s->text : (const char *)&s->hash, s->text ? s->length : sizeof s->hash);
        }
        snprintf(out, 40, "{%08x-%04x-%04x-%04x-%012llx}", (unsigned)(h[0] >> 32),
                 (unsigned)(h[0] >> 16 & 0xFFFF), (unsigned)(h[0] & 0xFFFF), (unsigned)(h[1] >> 48),
                 (unsigned long long)(h[1] & 0xFFFFFFFFFFFFu));
    }
    tmli_free_all(env, page, list);
    return st;
}

// ---- the archive ------------------------------------------------------------------------------------------

static tml_status add_binaries(tmli_zip *z, const tmli_fmu_def *def, tmli_arena *arena, tml_error *err)
{
    tml_status st = TML_OK;
    for (int i = 0; i < def->binary_count && st == TML_OK; i++) {
        char reason[TMLI_FILE_REASON];
        tmli_bytes bytes = {0};
        const tmli_fmu_binary *b = &def->binary[i];
        st = tmli_file_load(b->path, NULL, BINARY_BYTES, TMLI_FILE_REGULAR, z->env, &bytes, reason);
        if (st != TML_OK) return tmli_fail(err, st, "Cannot read '%s': %s.", b->path, reason);
        const char *name = tmli_arena_format(arena, "binaries/%s/%s.so", b->folder, def->identifier);
        st = name ? tmli_zip_add(z, name, bytes.data, bytes.length, true, err) : tmli_no_memory(err, "unit");
        tmli_free(z->env, bytes.data);
    }
    return st;
}

static tml_status add_files(tmli_zip *z, const tmli_fmu_def *def, const char *const *place, tmli_arena *arena,
                            tml_error *err)
{
    tml_status st = TML_OK;
    for (int i = 0; i < tml_spec_source_count(def->spec) && st == TML_OK; i++) {
        const tml_source *s = tml_spec_source(def->spec, i);
        if (!s->text) continue;  // a mesh
        const char *name = tmli_arena_format(arena, "resources/%s", place[i]);
        st = name ? tmli_zip_add(z, name, s->text, s->length, false, err) : tmli_no_memory(err, "unit");
    }
    return st;
}

static bool is_added(const tml_spec *spec, int shape)
{
    const char *file = spec->shapes[shape].def.file;
    for (int i = 0; i < shape; i++)
        if (spec->shapes[i].def.file && strcmp(spec->shapes[i].def.file, file) == 0) return true;
    return false;
}

// Meshes of shapes, which models read from their folder. One that is to be seen only may be missing.
static tml_status add_meshes(tmli_zip *z, const tmli_fmu_def *def, tmli_arena *arena, tml_error *err)
{
    const tml_spec *spec = def->spec;
    tml_status st = TML_OK;
    for (int i = 0; i < spec->nshapes && st == TML_OK; i++) {
        const tmli_shape_entry *e = &spec->shapes[i];
        char reason[TMLI_FILE_REASON];
        tmli_bytes bytes = {0};
        if (e->def.type != TML_SHAPE_MESH || !e->def.file || is_added(spec, i)) continue;
        const char *path = shown_path(spec, e->def.file);
        if (!is_plain(path))
            return tmli_fail_at(err, TML_ERR_MODEL, e->at.at,
                                "The mesh '%s' is not below the folder of the model: a unit cannot hold it.",
                                e->def.file);
        if (tmli_file_load(e->def.file, &spec->places, BINARY_BYTES, TMLI_FILE_REGULAR, z->env, &bytes,
                           reason) != TML_OK)
            continue;
        const char *name = tmli_arena_format(arena, "resources/model/%s", path);
        st = name ? tmli_zip_add(z, name, bytes.data, bytes.length, false, err) : tmli_no_memory(err, "unit");
        tmli_free(z->env, bytes.data);
    }
    return st;
}

static tml_status put_all(FILE *out, const tmli_fmu_def *def, const tmli_fmu_variables *v,
                          const char *const *place, tmli_arena *arena, tml_error *err)
{
    tmli_zip z = {.out = out, .env = arena->env};
    char token[40], *page = NULL, *list = NULL;
    size_t size = 0;
    tml_status st = make_token(def, v, place, arena->env, token, err);
    if (st == TML_OK) st = tmli_fmu_describe(def, v, token, arena->env, &page, &size, err);
    if (st == TML_OK && !(list = make_list(def, v, token, place, arena->env)))
        st = tmli_no_memory(err, "unit");
    if (st == TML_OK) st = tmli_zip_add(&z, "modelDescription.xml", page, size, false, err);
    if (st == TML_OK)
        st = tmli_zip_add(&z, "documentation/licenses/contents.txt", contents, strlen(contents), false, err);
    if (st == TML_OK) st = tmli_zip_add(&z, "resources/unit.json", list, strlen(list), false, err);
    if (st == TML_OK) st = add_files(&z, def, place, arena, err);
    if (st == TML_OK) st = add_meshes(&z, def, arena, err);
    if (st == TML_OK) st = add_binaries(&z, def, arena, err);
    tmli_free(arena->env, page);
    tmli_free(arena->env, list);
    return tmli_zip_end(&z, st);
}

tml_status tmli_fmu_write(const tmli_fmu_def *def, const char *path, const tml_env *env, tmli_fmu_counts *out,
                          tml_error *err)
{
    tmli_arena arena = {.env = env};
    tmli_fmu_variables v = {0};
    tmli_draft d = {0};
    const int files = tml_spec_source_count(def->spec);
    const char **place = tmli_arena_alloc(&arena, (size_t)files + 1, sizeof *place);
    tml_status st = place ? tmli_fmu_variables_list(def, &arena, &v, err) : tmli_no_memory(err, "unit");
    if (st == TML_OK && files == 0)
        st = tmli_fail(err, TML_ERR_ARG, "The model was not read from a file: there is nothing to put in.");
    for (int i = 0; i < files && st == TML_OK; i++) {
        place[i] = place_of(&arena, shown_path(def->spec, tml_spec_source(def->spec, i)->path), i);
        for (int k = 0; k < i && place[i]; k++)
            if (strcmp(place[k], place[i]) == 0) place[i] = tmli_arena_format(&arena, "model/file_%d", i);
        if (!place[i]) st = tmli_no_memory(err, "unit");
    }
    if (st == TML_OK) st = tmli_draft_open(&d, path, env, err);
    if (st == TML_OK) st = put_all(d.out, def, &v, place, &arena, err);
    st = tmli_draft_close(&d, st, err);
    *out = (tmli_fmu_counts){v.inputs, v.outputs, v.parameters, files};
    tmli_arena_clear(&arena);
    return st;
}
