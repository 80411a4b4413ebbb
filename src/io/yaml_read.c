// Includes, and the public functions.
#include "io/parsed.h"
#include "io/yaml.h"

#include <string.h>

static tml_status add_file(tmli_reader *r, const tmli_model_text *t, tml_mark from);

// ---- include ----------------------------------------------------------------------------------------------

static tml_status include_file(tmli_reader *r, const char *base, const tmli_yaml_node *n)
{
    const tmli_where w = {"the model", NULL, "include"};
    if (n->kind != TMLI_NODE_SCALAR || !n->text[0]) return tmli_value_fail(r, n, &w, "the name of a file");
    tmli_model_text t;
    const tml_status st = tmli_read_file(r, n->at, base, n->text, TMLI_FILE_BYTES, &t);
    if (st != TML_OK) return st;
    for (int i = 0; i < r->nfiles; i++) {
        const tmli_file *f = &r->files[i];
        if (!(f->dev || f->ino) || f->dev != t.dev || f->ino != t.ino) continue;
        if (!f->open) return TML_OK;  // read before
        return tmli_fail_at(r->err, TML_ERR_MODEL, n->at,
                            "Including '%s' here is circular: the file is already being read.", t.path);
    }
    return add_file(r, &t, n->at);
}

static tml_status read_includes(tmli_reader *r, const char *base, const tmli_yaml_node *root)
{
    const tmli_yaml_node *n = tmli_yaml_node_get(root, "include");
    if (!n) return TML_OK;
    if (n->kind != TMLI_NODE_LIST) return include_file(r, base, n);
    tml_status st = TML_OK;
    for (int i = 0; i < n->count && st == TML_OK; i++) st = include_file(r, base, n->items[i]);
    return st;
}

// Parse a text, check its root keys, and add the included files and then the file itself.
static tml_status add_file(tmli_reader *r, const tmli_model_text *t, tml_mark from)
{
    if (r->nfiles == TMLI_FILES)
        return tmli_fail_at(r->err, TML_ERR_MODEL, from, "More than %d files are included.", TMLI_FILES);
    if (r->depth == TMLI_INCLUDE_DEPTH)
        return tmli_fail_at(r->err, TML_ERR_MODEL, from, "Includes are nested deeper than %d files.",
                            TMLI_INCLUDE_DEPTH);
    const int me = r->nfiles++;
    r->files[me] = (tmli_file){.name = t->path, .dev = t->dev, .ino = t->ino, .open = true, .from = from};
    const tmli_yaml_node *root = NULL;
    char label[64];
    tml_status st = tmli_yaml_parse(t->bytes, t->length, t->path, &r->arena, &root, r->err);
    if (st != TML_OK) return st;
    if (root->kind == TMLI_NODE_NULL)
        return tmli_fail_at(r->err, TML_ERR_SYNTAX, root->at, "The file is empty.");
    if (root->kind != TMLI_NODE_MAP)
        return tmli_fail_at(r->err, TML_ERR_SYNTAX, root->at,
                            "The file is %s, expected a map with keys such as 'bodies'.",
                            tmli_yaml_node_label(root, label));
    if (tmli_yaml_node_get(root, "model") && tmli_yaml_node_get(root, "quantities"))
        return tmli_fail_at(r->err, TML_ERR_SYNTAX, root->at,
                            "This is the file of a study; 'trammel study' runs it, and its key 'model' names "
                            "the model.");
    st = tmli_entry_check_keys(r, &tmli_schema_model, -1, NULL, root);
    if (st != TML_OK) return st;
    r->files[me].root = root;
    r->depth++;
    st = read_includes(r, t->path, root);
    r->depth--;
    if (st != TML_OK) return st;
    // included files precede this one: move it to the end
    tmli_file self = r->files[me];
    self.open = false;
    memmove(&r->files[me], &r->files[me + 1], (size_t)(r->nfiles - me - 1) * sizeof self);
    r->files[r->nfiles - 1] = self;
    return TML_OK;
}

// ---- public functions -------------------------------------------------------------------------------------

// Append the position of the include to an error inside an included file.
static void add_include_chain(const tmli_reader *r)
{
    const char *name = r->err->file;
    for (int hops = 0; hops < 4 && *name; hops++) {
        const tmli_file *f = NULL;
        for (int i = 0; i < r->nfiles && !f; i++)
            if (strncmp(r->files[i].name, name, TML_ERROR_FILE - 1) == 0) f = &r->files[i];
        if (!f || f->from.line == 0) return;
        tmli_error_append(r->err, "(Included from %s:%d:%d.)", f->from.file, f->from.line, f->from.col);
        name = f->from.file;
    }
}

// The nodes of the model file and of those it includes.
static tml_status parse_files(tmli_reader *r, const tmli_bytes *memory)
{
    const tml_read_def *def = r->def;
    r->files = tmli_calloc(r->env, TMLI_FILES, sizeof *r->files);
    r->identity = tmli_calloc(r->env, TMLI_FILES, sizeof *r->identity);
    r->main = tmli_arena_strdup(&r->spec->arena, def->path);
    if (!r->files || !r->identity || !r->main)
        return tmli_fail(r->err, TML_ERR_NOMEM, "No memory to read '%s'.", def->path);
    r->spec->at = (tml_mark){r->main, 1, 1};
    tmli_model_text t;
    tml_status st = tmli_set_places(r);
    if (st == TML_OK) st = tmli_read_main(r, r->main, memory, &t);
    return st == TML_OK ? add_file(r, &t, (tml_mark){0}) : st;
}

static tml_status read_model(tmli_reader *r, const tmli_bytes *memory)
{
    tml_status st = parse_files(r, memory);
    if (st == TML_OK) st = tmli_model_read(r, r->def->parameters, r->def->parameter_count);
    if (st != TML_OK) add_include_chain(r);
    return st;
}

static tml_status read_spec(const tml_read_def *def, const tml_import_def *import, const tmli_bytes *memory,
                            const tml_env *env, tml_spec **out, tml_error *err)
{
    tml_error own = {0};
    tml_spec *spec = NULL;
    tml_status st = tml_spec_create(env, &spec, &own);
    if (st == TML_OK) {
        tmli_reader r = {.def = def,
                         .import = import,
                         .env = &spec->env,
                         .spec = spec,
                         .err = &own,
                         .keeps_numbers = true};
        r.arena.env = r.scratch.env = &spec->env;
        st = read_model(&r, memory);
        tmli_free_all(r.env, r.files, r.identity, r.params);
        tmli_arena_clear(&r.scratch);
        tmli_arena_clear(&r.arena);
    }
    if (st == TML_OK) {
        *out = spec;
        return TML_OK;
    }
    tml_spec_destroy(spec);
    if (err) *err = own;
    return st;
}

tml_read_def tml_read_def_default(void) { return (tml_read_def){.size = sizeof(tml_read_def)}; }

tml_status tml_spec_read_def(const tml_read_def *def, const tml_env *env, tml_spec **out, tml_error *err)
{
    if (out) *out = NULL;
    if (!def || !def->path || !out || (def->parameter_count > 0 && !def->parameters) ||
        (def->folder_count > 0 && !def->folders) || (def->source_count > 0 && !def->sources))
        return tmli_null_argument(err, "tml_spec_read_def");
    return read_spec(def, NULL, NULL, env, out, err);
}

tml_status tml_spec_read(const char *path, const tml_parameter *overrides, int count, const tml_env *env,
                         tml_spec **out, tml_error *err)
{
    if (out) *out = NULL;
    if (!path || !out || (count > 0 && !overrides)) return tmli_null_argument(err, "tml_spec_read");
    tml_read_def def = tml_read_def_default();
    def.path = path;
    def.parameters = overrides;
    def.parameter_count = count;
    return read_spec(&def, NULL, NULL, env, out, err);
}

tml_status tml_spec_import(const tml_import_def *def, const tml_env *env, tml_spec **out, tml_error *err)
{
    if (out) *out = NULL;
    if (!def || !def->path || !out || (def->folder_count > 0 && !def->folders))
        return tmli_null_argument(err, "tml_spec_import");
    if (def->size != sizeof *def)
        return tmli_fail(err, TML_ERR_ARG, "The import definition has size %zu, expected %zu.", def->size,
                         sizeof *def);
    tml_read_def read = tml_read_def_default();
    read.path = def->model ? def->model : def->path;
    read.folders = def->folders;
    read.folder_count = def->folder_count;
    return read_spec(&read, def, NULL, env, out, err);
}

tml_status tml_spec_parse(const char *text_bytes, size_t length, const char *name,
                          const tml_parameter *overrides, int count, const tml_env *env, tml_spec **out,
                          tml_error *err)
{
    if (out) *out = NULL;
    if ((!text_bytes && length) || !out || (count > 0 && !overrides))
        return tmli_null_argument(err, "tml_spec_parse");
    if (length > TMLI_FILE_BYTES) return tmli_fail(err, TML_ERR_IO, "The text is larger than 64 MB.");
    char none[1] = "";
    const tmli_bytes text = {.data = text_bytes ? (char *)(uintptr_t)text_bytes : none, .length = length};
    tml_read_def def = tml_read_def_default();
    def.path = name ? name : "(text)";
    def.parameters = overrides;
    def.parameter_count = count;
    return read_spec(&def, NULL, &text, env, out, err);
}

// ---- many specs of one text -------------------------------------------------------------------------------

struct tmli_parsed {
    tml_env env;
    tml_read_def def;
    tml_spec *spec;    // owns the texts and names of files
    tmli_arena arena;  // nodes
    tmli_file *files;
    int nfiles;
    const char *main;
};

tml_status tmli_parsed_create(const tml_read_def *def, const tml_env *env, tmli_parsed **out, tml_error *err)
{
    *out = NULL;
    tml_error own = {0};
    tmli_parsed *p = tmli_calloc(env, 1, sizeof *p);
    if (!p) return tmli_no_memory(err, "model");
    if (env) p->env = *env;
    p->def = *def;
    p->arena.env = &p->env;
    tml_status st = tml_spec_create(&p->env, &p->spec, &own);
    if (st == TML_OK) {
        tmli_reader r = {.def = &p->def, .env = &p->env, .spec = p->spec, .err = &own};
        r.arena.env = r.scratch.env = &p->env;
        st = parse_files(&r, NULL);
        p->arena = r.arena;
        p->files = r.files;
        p->nfiles = r.nfiles;
        p->main = r.main;
        tmli_free(&p->env, r.identity);
        tmli_arena_clear(&r.scratch);
    }
    if (st == TML_OK) *out = p;
    else tmli_parsed_destroy(p);
    if (st != TML_OK && err) *err = own;
    return st;
}

void tmli_parsed_destroy(tmli_parsed *p)
{
    if (!p) return;
    const tml_env env = p->env;
    tmli_free(&env, p->files);
    tmli_arena_clear(&p->arena);
    tml_spec_destroy(p->spec);
    tmli_free(&env, p);
}

tml_status tmli_parsed_read(const tmli_parsed *p, const tml_parameter *parameters, int count,
                            const tml_env *env, tml_spec **out, tml_error *err)
{
    *out = NULL;
    tml_error own = {0};
    tml_spec *spec = NULL;
    tml_status st = tml_spec_create(env, &spec, &own);
    if (st == TML_OK) {
        tmli_reader r = {.def = &p->def,
                         .main = p->main,
                         .env = &spec->env,
                         .spec = spec,
                         .files = p->files,
                         .nfiles = p->nfiles,
                         .err = &own};
        r.arena.env = r.scratch.env = &spec->env;
        spec->at = (tml_mark){r.main, 1, 1};
        r.identity = tmli_calloc(r.env, TMLI_FILES, sizeof *r.identity);
        st = r.identity ? tmli_set_places(&r) : tmli_no_memory(&own, "model");
        if (st == TML_OK) st = tmli_model_read(&r, parameters, count);
        if (st != TML_OK) add_include_chain(&r);
        tmli_free(r.env, r.identity);
        tmli_free(r.env, r.params);
        tmli_arena_clear(&r.scratch);
        tmli_arena_clear(&r.arena);
    }
    if (st == TML_OK) *out = spec;
    else tml_spec_destroy(spec);
    if (st != TML_OK && err) *err = own;
    return st;
}
