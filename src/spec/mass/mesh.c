// Files of triangles: STL, text ("solid ...", "vertex x y z") or binary (80 bytes, a count, 50 bytes per
// triangle), OBJ ("v x y z", "f a b c ..."; polygons become fans of triangles), and glTF (gltf.c).
//
// STL repeats the vertices of every triangle; equal ones are merged, so that a mesh of a page has a third of
// the numbers and normals can be smoothed.
#include "spec/mass/mesh.h"
#include "spec/mass/gltf.h"

#include <math.h>
#include <string.h>

enum {
    MESH_TRIANGLES = 1 << 20,  // most triangles
    STL_HEAD = 84,
    STL_FACE = 50  // bytes
};

typedef struct loader {
    const tml_env *env;
    const char *name;
    tmli_mesh_data *mesh;
    int vertex_room, triangle_room;
    int *slot;  // (slots) 1 + vertex of a hash, 0: free; NULL: vertices are not merged
    int slots;
    tml_error *err;
} loader;

void tmli_mesh_data_clear(tmli_mesh_data *mesh, const tml_env *env)
{
    tmli_free_all(env, mesh->vertex, mesh->triangle);
    *mesh = (tmli_mesh_data){0};
}

static tml_status no_memory(const loader *l)
{
    return tmli_fail(l->err, TML_ERR_NOMEM, "No memory for the mesh '%s'.", l->name);
}

// ---- vertices and triangles -------------------------------------------------------------------------------

static tml_status add_vertex(loader *l, const float p[3])
{
    tmli_mesh_data *m = l->mesh;
    for (int k = 0; k < 3; k++)
        if (!isfinite(p[k]))
            return tmli_fail(l->err, TML_ERR_SYNTAX,
                             "The mesh '%s' has a coordinate that is not a finite number.", l->name);
    float *more = tmli_grown(l->env, m->vertex, m->vertex_count, &l->vertex_room, 64, 3 * sizeof *more);
    if (!more) return no_memory(l);
    m->vertex = more;
    memcpy(m->vertex + 3 * m->vertex_count++, p, 3 * sizeof *p);
    return TML_OK;
}

static uint32_t hash(const float p[3])
{
    uint32_t h = 2166136261u, bits;
    for (int k = 0; k < 3; k++) {
        const float x = p[k] + 0.0f;  // -0 is 0
        memcpy(&bits, &x, sizeof bits);
        h = (h ^ bits) * 16777619u;
        h ^= h >> 15;
    }
    return h;
}

static tml_status grow_slots(loader *l)
{
    const int slots = l->slots ? 2 * l->slots : 1024;
    int *slot = tmli_calloc(l->env, (size_t)slots, sizeof *slot);
    if (!slot) return no_memory(l);
    for (int v = 0; v < l->mesh->vertex_count; v++) {
        uint32_t at = hash(l->mesh->vertex + 3 * v) & (uint32_t)(slots - 1);
        while (slot[at]) at = (at + 1) & (uint32_t)(slots - 1);
        slot[at] = v + 1;
    }
    tmli_free(l->env, l->slot);
    l->slot = slot;
    l->slots = slots;
    return TML_OK;
}

// *index: of the vertex with these coordinates, a new one if there is none.
static tml_status find_vertex(loader *l, const float p[3], int *index)
{
    if (2 * l->mesh->vertex_count >= l->slots) {
        const tml_status st = grow_slots(l);
        if (st != TML_OK) return st;
    }
    uint32_t at = hash(p) & (uint32_t)(l->slots - 1);
    for (; l->slot[at]; at = (at + 1) & (uint32_t)(l->slots - 1)) {
        const float *q = l->mesh->vertex + 3 * (l->slot[at] - 1);
        if (q[0] == p[0] && q[1] == p[1] && q[2] == p[2]) {
            *index = l->slot[at] - 1;
            return TML_OK;
        }
    }
    *index = l->mesh->vertex_count;
    l->slot[at] = *index + 1;
    return add_vertex(l, p);
}

static tml_status add_triangle(loader *l, int a, int b, int c)
{
    tmli_mesh_data *m = l->mesh;
    if (m->triangle_count >= MESH_TRIANGLES)
        return tmli_fail(l->err, TML_ERR_MODEL, "The mesh '%s' has more than %d triangles: make it coarser.",
                         l->name, MESH_TRIANGLES);
    int *more = tmli_grown(l->env, m->triangle, m->triangle_count, &l->triangle_room, 64, 3 * sizeof *more);
    if (!more) return no_memory(l);
    m->triangle = more;
    int *t = m->triangle + 3 * m->triangle_count++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
    return TML_OK;
}

// ---- formats ----------------------------------------------------------------------------------------------

static tml_status parse_binary_stl(loader *l, const unsigned char *bytes, uint32_t count)
{
    tml_status st = TML_OK;
    for (uint32_t i = 0; i < count && st == TML_OK; i++) {
        int index[3] = {0};
        for (int k = 0; k < 3 && st == TML_OK; k++) {
            float p[3];
            for (int c = 0; c < 3; c++) {
                const unsigned char *b = bytes + STL_HEAD + (size_t)i * STL_FACE + 12 + 12 * k + 4 * c;
                const uint32_t bits =
                    (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
                memcpy(&p[c], &bits, sizeof bits);
            }
            st = find_vertex(l, p, &index[k]);
        }
        if (st == TML_OK) st = add_triangle(l, index[0], index[1], index[2]);
    }
    return st;
}

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t' || *p == '\r') p++;
    return p;
}

static bool starts_with(const char *p, const char *word)
{
    const size_t n = strlen(word);
    return strncmp(p, word, n) == 0 && (p[n] == ' ' || p[n] == '\t');
}

static tml_status parse_point(const loader *l, const char *p, int line, float out[3])
{
    for (int k = 0; k < 3; k++) {
        const char *end;
        p = skip_blanks(p);
        out[k] = (float)tmli_strtod(p, &end);
        if (end == p)
            return tmli_fail(l->err, TML_ERR_SYNTAX, "The mesh '%s', line %d: expected three numbers.",
                             l->name, line);
        p = end;
    }
    return TML_OK;
}

static tml_status parse_text_stl(loader *l, const char *text)
{
    int corner[3], corners = 0, line = 1;
    tml_status st = TML_OK;
    for (const char *p = text; *p && st == TML_OK; line++) {
        const char *word = skip_blanks(p);
        if (starts_with(word, "vertex")) {
            float x[3];
            st = parse_point(l, word + 6, line, x);
            if (st == TML_OK) st = find_vertex(l, x, &corner[corners++]);
            if (st == TML_OK && corners == 3) {
                st = add_triangle(l, corner[0], corner[1], corner[2]);
                corners = 0;
            }
        }
        p += strcspn(p, "\n");
        p += *p == '\n';
    }
    return st;
}

// "f 1 2 3", "f 1/1/1 2/2/2 ...", "f -3 -2 -1"
static tml_status parse_face(loader *l, const char *p, int line)
{
    int first = 0, last = 0, count = 0;
    tml_status st = TML_OK;
    for (;; count++) {
        const char *end;
        p = skip_blanks(p);
        const double number = tmli_strtod(p, &end);
        if (end == p) break;
        const int n = l->mesh->vertex_count;
        const double index = number < 0 ? n + number : number - 1;
        if (!(index >= 0 && index < n) || index != floor(index))
            return tmli_fail(l->err, TML_ERR_SYNTAX, "The mesh '%s', line %d: there is no vertex %g.",
                             l->name, line, number);
        if (count == 0) first = (int)index;
        if (count >= 2) st = add_triangle(l, first, last, (int)index);
        if (st != TML_OK) return st;
        last = (int)index;
        p = end + strcspn(end, " \t\r\n");
    }
    if (count >= 3) return TML_OK;
    return tmli_fail(l->err, TML_ERR_SYNTAX, "The mesh '%s', line %d: a face has three vertices or more.",
                     l->name, line);
}

static tml_status parse_obj(loader *l, const char *text)
{
    tml_status st = TML_OK;
    int line = 1;
    for (const char *p = text; *p && st == TML_OK; line++) {
        const char *word = skip_blanks(p);
        float x[3];
        if (starts_with(word, "v")) {
            st = parse_point(l, word + 1, line, x);
            if (st == TML_OK) st = add_vertex(l, x);
        } else if (starts_with(word, "f")) {
            st = parse_face(l, word + 1, line);
        }
        p += strcspn(p, "\n");
        p += *p == '\n';
    }
    return st;
}

static tml_status add_corners(const float corner[3][3], void *user)
{
    loader *l = user;
    int index[3] = {0};
    tml_status st = TML_OK;
    for (int k = 0; k < 3 && st == TML_OK; k++) st = find_vertex(l, corner[k], &index[k]);
    return st == TML_OK ? add_triangle(l, index[0], index[1], index[2]) : st;
}

tml_status tmli_mesh_parse(const char *text, size_t length, const char *name, const tml_env *env,
                           tmli_mesh_data *out, tml_error *err)
{
    *out = (tmli_mesh_data){0};
    loader l = {.env = env, .name = name, .mesh = out, .err = err};
    const unsigned char *bytes = (const unsigned char *)text;
    uint32_t count = 0;
    if (length >= STL_HEAD)
        count = (uint32_t)bytes[80] | (uint32_t)bytes[81] << 8 | (uint32_t)bytes[82] << 16 |
                (uint32_t)bytes[83] << 24;
    const bool binary = length >= STL_HEAD && length == STL_HEAD + (size_t)count * STL_FACE;
    const char *word = skip_blanks(text);
    tml_status st;
    if (binary && memcmp(text, "glTF", 4) != 0) st = parse_binary_stl(&l, bytes, count);
    else if (tmli_gltf_is(text, length)) st = tmli_gltf_parse(text, length, name, env, add_corners, &l, err);
    else if (starts_with(word, "solid") || strncmp(word, "solid\n", 6) == 0) st = parse_text_stl(&l, text);
    else st = parse_obj(&l, text);
    tmli_free(env, l.slot);
    if (st == TML_OK && out->triangle_count == 0)
        st = tmli_fail(err, TML_ERR_SYNTAX, "The file '%s' has no triangles; expected STL, OBJ or glTF.",
                       name);
    if (st != TML_OK) tmli_mesh_data_clear(out, env);
    return st;
}

tml_status tmli_mesh_load(const char *path, const tmli_places *places, const tml_env *env,
                          tmli_mesh_data *out, tml_error *err)
{
    *out = (tmli_mesh_data){0};
    tmli_bytes file;
    char reason[TMLI_FILE_REASON];
    tml_status st = tmli_file_load(path, places, TMLI_MESH_BYTES, TMLI_FILE_REGULAR, env, &file, reason);
    if (st != TML_OK) return tmli_fail(err, st, "Cannot read the mesh '%s': %s.", path, reason);
    st = tmli_mesh_parse(file.data, file.length, path, env, out, err);
    out->hash = st == TML_OK ? tmli_checksum(file.data, file.length) : 0;
    tmli_free(env, file.data);
    return st;
}

tml_status tmli_mesh_of_spec(const tml_spec *spec, const char *path, const tml_env *env, tmli_mesh_data *out,
                             tml_error *err)
{
    const tml_source *then = tmli_spec_find_source(spec, path, true);
    tmli_digest now = {0};
    char reason[TMLI_FILE_REASON];
    tml_status st = tmli_mesh_load(path, &spec->places, env, out, err);
    if (!then || st == TML_ERR_NOMEM || (st == TML_OK && out->hash == then->hash)) return st;
    if (st != TML_OK &&
        (tmli_file_digest(path, &spec->places, TMLI_MESH_BYTES, env, &now, reason) != TML_OK || !now.there ||
         now.hash == then->hash)) {
        if (!now.there) tmli_error_append(err, "The model has begun with this file and needs it as it was.");
        return st;
    }
    tmli_mesh_data_clear(out, env);
    return tmli_fail(err, TML_ERR_IO,
                     "The mesh '%s' has changed since the model was read, or since the run or study began: "
                     "put the file back as it was (%zu bytes), or begin anew.",
                     path, then->length);
}
