// Files: reading, include, and the public functions.
#define _POSIX_C_SOURCE 200809L
#include "io/yaml.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct text {
    char *bytes;
    size_t length;
    uint64_t dev, ino;
} text;

static tml_status add_file(tmli_reader *r, const char *name, const text *t, tml_mark from);

// ---- one file ---------------------------------------------------------------------------------------------

static tml_status read_error(tmli_reader *r, tml_mark at, const char *path, const char *reason)
{
    return tmli_fail_at(r->err, TML_ERR_IO, at, "Cannot read '%s': %s.", path, reason);
}

// The size of a pipe is not known in advance, so everything is read in pieces.
static tml_status read_bytes(tmli_reader *r, tml_mark at, const char *path, int fd, text *out)
{
    size_t room = 65536, used = 0;
    char *bytes = tmli_calloc(r->env, room, 1);
    while (bytes) {
        const ssize_t n = read(fd, bytes + used, room - used - 1);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            const tml_status st = read_error(r, at, path, strerror(errno));
            tmli_free(r->env, bytes);
            return st;
        }
        if (n == 0) {
            bytes[used] = 0;
            out->bytes = bytes;
            out->length = used;
            return TML_OK;
        }
        used += (size_t)n;
        if (used > TMLI_FILE_BYTES) {
            tmli_free(r->env, bytes);
            return read_error(r, at, path, "it is larger than 64 MB");
        }
        if (used + 1 < room) continue;
        char *more = tmli_regrow(r->env, bytes, used, 2 * room, 1);
        if (!more) tmli_free(r->env, bytes);
        room *= 2;
        bytes = more;
    }
    return tmli_fail(r->err, TML_ERR_NOMEM, "No memory to read '%s'.", path);
}

// An included file must be a regular file; the main file may be a pipe.
static tml_status read_text(tmli_reader *r, tml_mark at, const char *path, bool regular, text *out)
{
    *out = (text){0};
    const int fd = open(path, O_RDONLY | O_CLOEXEC | (regular ? O_NONBLOCK : 0));
    if (fd < 0) return read_error(r, at, path, strerror(errno));
    struct stat info;
    tml_status st = TML_OK;
    if (fstat(fd, &info) != 0) st = read_error(r, at, path, strerror(errno));
    else if (S_ISDIR(info.st_mode)) st = read_error(r, at, path, "it is a directory");
    else if (regular && !S_ISREG(info.st_mode)) st = read_error(r, at, path, "it is not a regular file");
    else if (S_ISREG(info.st_mode) && info.st_size > TMLI_FILE_BYTES)
        st = read_error(r, at, path, "it is larger than 64 MB");
    else st = read_bytes(r, at, path, fd, out);
    if (st == TML_OK && S_ISREG(info.st_mode)) {
        out->dev = (uint64_t)info.st_dev;
        out->ino = (uint64_t)info.st_ino;
    }
    close(fd);
    return st;
}

// ---- include ----------------------------------------------------------------------------------------------

// `name` as seen from the folder of `base`.
char *tmli_relative_path(tmli_reader *r, const char *base, const char *name)
{
    const char *slash = strrchr(base, '/');
    const size_t folder = name[0] == '/' || !slash ? 0 : (size_t)(slash - base) + 1;
    char *path = tmli_arena_alloc(&r->spec->arena, folder + strlen(name) + 1, 1);
    if (!path) return NULL;
    memcpy(path, base, folder);
    memcpy(path + folder, name, strlen(name));
    return path;
}

tml_status tmli_read_file(tmli_reader *r, tml_mark at, const char *base, const char *name, const char **path,
                          char **bytes, size_t *length)
{
    text t;
    *path = tmli_relative_path(r, base, name);
    if (!*path) return tmli_fail(r->err, TML_ERR_NOMEM, "No memory for the name of a file.");
    const tml_status st = read_text(r, at, *path, true, &t);
    *bytes = t.bytes;
    *length = t.length;
    return st;
}

static tml_status include_file(tmli_reader *r, const char *base, const tmli_yaml_node *n)
{
    const tmli_where w = {"the model", NULL, "include"};
    if (n->kind != TMLI_NODE_SCALAR || !n->text[0]) return tmli_value_fail(r, n, &w, "the name of a file");
    char *path = tmli_relative_path(r, base, n->text);
    if (!path) return tmli_fail(r->err, TML_ERR_NOMEM, "No memory for the name of an included file.");
    text t;
    tml_status st = read_text(r, n->at, path, true, &t);
    if (st != TML_OK) return st;
    for (int i = 0; i < r->nfiles; i++) {
        const tmli_file *f = &r->files[i];
        if (!(f->dev || f->ino) || f->dev != t.dev || f->ino != t.ino) continue;
        tmli_free(r->env, t.bytes);
        if (!f->open) return TML_OK;  // read before
        return tmli_fail_at(r->err, TML_ERR_MODEL, n->at,
                            "Including '%s' here is circular: the file is already being read.", path);
    }
    st = add_file(r, path, &t, n->at);
    tmli_free(r->env, t.bytes);
    return st;
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
static tml_status add_file(tmli_reader *r, const char *name, const text *t, tml_mark from)
{
    if (r->nfiles == TMLI_FILES)
        return tmli_fail_at(r->err, TML_ERR_MODEL, from, "More than %d files are included.", TMLI_FILES);
    if (r->depth == TMLI_INCLUDE_DEPTH)
        return tmli_fail_at(r->err, TML_ERR_MODEL, from, "Includes are nested deeper than %d files.",
                            TMLI_INCLUDE_DEPTH);
    const int me = r->nfiles++;
    r->files[me] = (tmli_file){.name = name, .dev = t->dev, .ino = t->ino, .open = true, .from = from};
    const tmli_yaml_node *root = NULL;
    char label[64];
    tml_status st = tmli_yaml_parse(t->bytes, t->length, name, &r->arena, &root, r->err);
    if (st != TML_OK) return st;
    if (root->kind == TMLI_NODE_NULL)
        return tmli_fail_at(r->err, TML_ERR_SYNTAX, root->at, "The file is empty.");
    if (root->kind != TMLI_NODE_MAP)
        return tmli_fail_at(r->err, TML_ERR_SYNTAX, root->at,
                            "The file is %s, expected a map with keys such as 'bodies'.",
                            tmli_yaml_node_label(root, label));
    st = tmli_entry_check_keys(r, &tmli_schema_model, -1, NULL, root);
    if (st != TML_OK) return st;
    r->files[me].root = root;
    r->depth++;
    st = read_includes(r, name, root);
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

static tml_status read_model(tmli_reader *r, const char *name, const text *t, const tml_parameter *overrides,
                             int count)
{
    r->files = tmli_calloc(r->env, TMLI_FILES, sizeof *r->files);
    const char *own_name = tmli_arena_strdup(&r->spec->arena, name);
    char *copy = tmli_arena_alloc(&r->spec->arena, t->length + 1, 1);
    if (!r->files || !own_name || !copy)
        return tmli_fail(r->err, TML_ERR_NOMEM, "No memory to read '%s'.", name);
    memcpy(copy, t->bytes, t->length);
    r->spec->at = (tml_mark){own_name, 1, 1};
    tml_status st = add_file(r, own_name, t, (tml_mark){0});
    if (st == TML_OK) st = tmli_model_read(r, overrides, count);
    if (st == TML_OK) r->spec->text = copy;
    else add_include_chain(r);
    return st;
}

static tml_status read_spec(const char *name, const text *memory, const tml_parameter *overrides, int count,
                            const tml_env *env, tml_spec **out, tml_error *err)
{
    *out = NULL;
    tml_error own = {0};
    tml_spec *spec = NULL;
    tml_status st = tml_spec_create(env, &spec, &own);
    if (st == TML_OK) {
        tmli_reader r = {.env = &spec->env, .spec = spec, .err = &own};
        r.arena.env = r.scratch.env = &spec->env;
        text t = {0};
        if (memory) t = *memory;
        else st = read_text(&r, (tml_mark){name, 0, 0}, name, false, &t);
        if (st == TML_OK) st = read_model(&r, name, &t, overrides, count);
        if (!memory) tmli_free(r.env, t.bytes);
        tmli_free(r.env, r.files);
        tmli_free(r.env, r.params);
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

tml_status tml_spec_read(const char *path, const tml_parameter *overrides, int count, const tml_env *env,
                         tml_spec **out, tml_error *err)
{
    if (out) *out = NULL;
    if (!path || !out || (count > 0 && !overrides)) return tmli_null_argument(err, "tml_spec_read");
    return read_spec(path, NULL, overrides, count, env, out, err);
}

tml_status tml_spec_parse(const char *text_bytes, size_t length, const char *name,
                          const tml_parameter *overrides, int count, const tml_env *env, tml_spec **out,
                          tml_error *err)
{
    if (out) *out = NULL;
    if ((!text_bytes && length) || !out || (count > 0 && !overrides))
        return tmli_null_argument(err, "tml_spec_parse");
    if (length > TMLI_FILE_BYTES) {
        *out = NULL;
        return tmli_fail(err, TML_ERR_IO, "The text is larger than 64 MB.");
    }
    char none[1] = "";
    const text t = {.bytes = text_bytes ? (char *)(uintptr_t)text_bytes : none, .length = length};
    return read_spec(name ? name : "(text)", &t, overrides, count, env, out, err);
}
