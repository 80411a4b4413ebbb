// glTF 2.0 (Khronos Group, ISO/IEC 12113): a scene of nodes, each with a transformation and perhaps a mesh,
// in JSON; numbers are in buffers, which accessors describe. A .glb file holds both,
//
//   "glTF", version, length | length, "JSON", text | length, "BIN\0", bytes        (uint32, little endian)
//
// a .gltf file the text with buffers in base64. Points, lines, materials and animations are left out. Buffers
// in other files and compressed meshes are refused.
#include "spec/mass/gltf.h"

#include "base/json.h"

#include <math.h>
#include <string.h>

enum {
    MOST_VALUES = 1 << 22,  // in the text of a file; their tree takes some 300 MB
    DEEPEST_NODE = 64,
    GLB_HEAD = 12,
    GLB_CHUNK = 8
};

typedef struct bytes {
    const unsigned char *data;
    size_t size;
    unsigned char *own;  // decoded here; NULL: of the file
} bytes;

typedef struct reader {
    const tml_env *env;
    const char *name;
    tml_error *err;
    tmli_gltf_triangle *triangle;
    void *user;
    tmli_arena arena;
    tmli_json_node *top;  // of the text; NULL: not read
    bytes binary;
    const tmli_json_node *nodes, *meshes, *accessors, *views, *buffers;  // arrays; NULL: none
    bytes *buffer;                                                       // (of buffers)
    bool *visited;                                                       // (of nodes)
} reader;

static tml_status bad(const reader *r, const char *what)
{
    return tmli_fail(r->err, TML_ERR_SYNTAX, "The mesh '%s' is no valid glTF 2.0: %s.", r->name, what);
}

static tml_status no_memory(const reader *r)
{
    return tmli_fail(r->err, TML_ERR_NOMEM, "No memory for the mesh '%s'.", r->name);
}

static uint32_t u32(const unsigned char *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static float f32(const unsigned char *b)
{
    const uint32_t bits = u32(b);
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// ---- the file ---------------------------------------------------------------------------------------------

bool tmli_gltf_is(const char *text, size_t length)
{
    if (length >= GLB_HEAD && memcmp(text, "glTF", 4) == 0) return true;
    return text[strspn(text, " \t\r\n")] == '{';
}

static tml_status read_json(reader *r, const char *text, size_t length)
{
    char *const copy = tmli_strndup(r->env, text, length);
    if (!copy) return no_memory(r);
    const tml_status st = tmli_json_parse(copy, "glTF", MOST_VALUES, &r->arena, &r->top, NULL);
    tmli_free(r->env, copy);
    if (st == TML_ERR_NOMEM) return no_memory(r);
    if (st == TML_ERR_ARG) return bad(r, "it has too many parts");
    return st == TML_OK ? TML_OK : bad(r, "its text is not JSON");
}

static tml_status open_file(reader *r, const char *text, size_t length)
{
    const unsigned char *b = (const unsigned char *)text;
    if (length < GLB_HEAD || memcmp(text, "glTF", 4) != 0) return read_json(r, text, length);
    if (u32(b + 4) != 2) return bad(r, "its version is not 2");
    tml_status st = TML_OK;
    for (size_t at = GLB_HEAD; at + GLB_CHUNK <= length && st == TML_OK;) {
        const size_t size = u32(b + at), begin = at + GLB_CHUNK;
        if (size > length - begin) return bad(r, "it is cut short");
        if (memcmp(b + at + 4, "JSON", 4) == 0 && !r->top) st = read_json(r, text + begin, size);
        if (memcmp(b + at + 4, "BIN", 4) == 0 && !r->binary.data) r->binary = (bytes){b + begin, size, NULL};
        at = begin + size;
    }
    return st == TML_OK && !r->top ? bad(r, "it has no JSON chunk") : st;
}

static const tmli_json_node *item_of(const tmli_json_node *array, long index)
{
    return array && index >= 0 && index < array->count ? array->item[index] : NULL;
}

static int count_of(const tmli_json_node *array) { return array ? array->count : 0; }

// ---- buffers ----------------------------------------------------------------------------------------------

static int base64_value(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static tml_status decode(const reader *r, const char *text, size_t length, bytes *out)
{
    unsigned char *data = tmli_calloc(r->env, length / 4 * 3 + 4, 1);
    if (!data) return no_memory(r);
    uint32_t bits = 0;
    int held = 0;
    size_t size = 0;
    for (size_t i = 0; i < length && text[i] != '='; i++) {
        const int v = base64_value(text[i]);
        if (v < 0) {
            tmli_free(r->env, data);
            return bad(r, "a buffer is not base64");
        }
        bits = bits << 6 | (uint32_t)v;
        held += 6;
        if (held < 8) continue;
        held -= 8;
        data[size++] = (unsigned char)(bits >> held);
    }
    *out = (bytes){data, size, data};
    return TML_OK;
}

static tml_status read_buffers(reader *r)
{
    const int count = count_of(r->buffers);
    r->buffer = tmli_calloc(r->env, (size_t)count + 1, sizeof *r->buffer);
    if (!r->buffer) return no_memory(r);
    tml_status st = TML_OK;
    for (int i = 0; i < count && st == TML_OK; i++) {
        const char *uri = tmli_json_text_of(r->buffers->item[i], "uri");
        const char *comma = uri && strncmp(uri, "data:", 5) == 0 ? strchr(uri, ',') : NULL;
        if (!uri) r->buffer[i] = r->binary;
        else if (comma) st = decode(r, comma + 1, strlen(comma + 1), &r->buffer[i]);
        else
            st = tmli_fail(r->err, TML_ERR_SYNTAX,
                           "The mesh '%s' has its numbers in another file, '%.80s': export it as one file, "
                           ".glb.",
                           r->name, uri);
    }
    return st;
}

/** Elements of an accessor. */
typedef struct span {
    const unsigned char *data;
    size_t count, stride;
    long component;  // 5121, 5123, 5125: unsigned integers of 1, 2, 4 bytes; 5126: float
} span;

static size_t component_size(long component)
{
    return component == 5121 ? 1 : component == 5123 ? 2 : component == 5125 || component == 5126 ? 4 : 0;
}

// An index that may be missing and is then `fallback`; -1: it is not one.
static long index_of(const tmli_json_node *value, long fallback)
{
    if (!value) return fallback;
    const double x = value->kind == TMLI_JSON_NUMBER ? value->number : -1;
    return x >= 0 && x <= 2147483647 && x == floor(x) ? (long)x : -1;
}

static long index_or(const tmli_json_node *object, const char *name, long fallback)
{
    return index_of(tmli_json_member(object, name), fallback);
}

// The accessor with elements of `width` components.
static tml_status read_accessor(const reader *r, long index, const char *type, size_t width, span *out)
{
    const tmli_json_node *a = item_of(r->accessors, index), *view;
    const char *of = tmli_json_text_of(a, "type");
    if (!of || strcmp(of, type) != 0) return bad(r, "an accessor is missing or has another type");
    view = item_of(r->views, index_or(a, "bufferView", -1));
    if (!view || tmli_json_member(a, "sparse"))
        return bad(r, "it has meshes without plain numbers (compressed or sparse ones are not read)");
    const long buffer = index_or(view, "buffer", -1), offset = index_or(view, "byteOffset", 0),
               length = index_or(view, "byteLength", -1), stride = index_or(view, "byteStride", 0),
               first = index_or(a, "byteOffset", 0), count = index_or(a, "count", -1);
    out->component = index_or(a, "componentType", -1);
    const size_t size = width * component_size(out->component);
    if (buffer < 0 || buffer >= count_of(r->buffers) || offset < 0 || length < 0 || stride < 0 || first < 0 ||
        count < 1 || size == 0)
        return bad(r, "an accessor or its view has a wrong number");
    const bytes *b = &r->buffer[buffer];
    out->stride = stride ? (size_t)stride : size;
    out->count = (size_t)count;
    const uint64_t end = (uint64_t)first + (out->count - 1) * (uint64_t)out->stride + size;
    if (end > (uint64_t)length || (uint64_t)offset + (uint64_t)length > b->size)
        return bad(r, "an accessor reaches beyond its buffer");
    out->data = b->data + offset + first;
    return TML_OK;
}

static size_t index_at(const span *s, size_t i)
{
    const unsigned char *b = s->data + i * s->stride;
    return s->component == 5121 ? b[0] : s->component == 5123 ? (size_t)b[0] | (size_t)b[1] << 8 : u32(b);
}

// ---- meshes -----------------------------------------------------------------------------------------------

/** x -> A x + b; A by columns. */
typedef struct affine {
    double m[12];
} affine;

static void transform(const affine *t, const unsigned char *p, float out[3])
{
    const double x[3] = {f32(p), f32(p + 4), f32(p + 8)};
    for (int k = 0; k < 3; k++)
        out[k] = (float)(t->m[k] * x[0] + t->m[3 + k] * x[1] + t->m[6 + k] * x[2] + t->m[9 + k]);
}

static double determinant(const double *m)
{
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[3] * (m[1] * m[8] - m[2] * m[7]) +
           m[6] * (m[1] * m[5] - m[2] * m[4]);
}

static tml_status read_primitive(const reader *r, const tmli_json_node *p, const affine *at)
{
    span points, corners = {0};
    const long mode = index_or(p, "mode", 4);
    if (mode >= 0 && mode < 4) return TML_OK;  // points and lines
    if (mode != 4) return bad(r, "strips and fans of triangles are not read");
    const tmli_json_node *positions = tmli_json_member(tmli_json_member(p, "attributes"), "POSITION"),
                         *indices = tmli_json_member(p, "indices");
    tml_status st = read_accessor(r, index_of(positions, -1), "VEC3", 3, &points);
    if (st == TML_OK && indices) st = read_accessor(r, index_of(indices, -1), "SCALAR", 1, &corners);
    if (st != TML_OK) return st;
    if (points.component != 5126 || (indices && corners.component == 5126))
        return bad(r, "positions are not floats, or indices are no whole numbers");
    const size_t count = indices ? corners.count : points.count;
    const bool mirrored = determinant(at->m) < 0;  // keeps the outside outside
    for (size_t i = 0; i + 3 <= count && st == TML_OK; i += 3) {
        float corner[3][3];
        for (size_t k = 0; k < 3; k++) {
            const size_t v = indices ? index_at(&corners, i + k) : i + k;
            if (v >= points.count) return bad(r, "an index is beyond the last vertex");
            transform(at, points.data + v * points.stride, corner[mirrored ? 2 - k : k]);
        }
        st = r->triangle((const float(*)[3])corner, r->user);
    }
    return st;
}

static tml_status read_mesh(const reader *r, const tmli_json_node *mesh, const affine *at)
{
    const tmli_json_node *primitives = tmli_json_array(mesh, "primitives");
    tml_status st = TML_OK;
    for (int i = 0; i < count_of(primitives) && st == TML_OK; i++)
        st = read_primitive(r, primitives->item[i], at);
    return st;
}

// ---- nodes ------------------------------------------------------------------------------------------------

// Numbers of a list of exactly n; false: it is none, out is unchanged.
static bool read_numbers(const tmli_json_node *object, const char *name, double *out, int n)
{
    const tmli_json_node *list = tmli_json_array(object, name);
    if (count_of(list) != n) return false;
    for (int i = 0; i < n; i++)
        out[i] = list->item[i]->kind == TMLI_JSON_NUMBER ? list->item[i]->number : NAN;
    return true;
}

// A matrix (4 x 4, by columns), or a scale, a rotation (x, y, z, w) and a translation, in this order.
static affine own_transform(const tmli_json_node *node)
{
    double m[16], t[3] = {0}, q[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
    affine out;
    if (read_numbers(node, "matrix", m, 16)) {
        for (int c = 0; c < 4; c++) memcpy(out.m + 3 * c, m + 4 * c, 3 * sizeof *m);
        return out;
    }
    read_numbers(node, "translation", t, 3);
    read_numbers(node, "rotation", q, 4);
    read_numbers(node, "scale", s, 3);
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    const double R[9] = {1 - 2 * (y * y + z * z), 2 * (x * y + z * w),     2 * (x * z - y * w),
                         2 * (x * y - z * w),     1 - 2 * (x * x + z * z), 2 * (y * z + x * w),
                         2 * (x * z + y * w),     2 * (y * z - x * w),     1 - 2 * (x * x + y * y)};
    for (int i = 0; i < 9; i++) out.m[i] = R[i] * s[i / 3];
    memcpy(out.m + 9, t, sizeof t);
    return out;
}

static affine multiply(const affine *a, const affine *b)
{
    affine out;
    for (int c = 0; c < 4; c++)
        for (int k = 0; k < 3; k++) {
            out.m[3 * c + k] = c == 3 ? a->m[9 + k] : 0;
            for (int i = 0; i < 3; i++) out.m[3 * c + k] += a->m[3 * i + k] * b->m[3 * c + i];
        }
    return out;
}

static tml_status read_nodes(reader *r, const tmli_json_node *indices, const affine *parent, int depth);

static tml_status read_node(reader *r, long index, const affine *parent, int depth)
{
    const tmli_json_node *node = item_of(r->nodes, index);
    if (!node) return bad(r, "there is no such node");
    if (r->visited[index] || depth > DEEPEST_NODE) return bad(r, "its nodes are no tree");
    r->visited[index] = true;
    const affine own = own_transform(node), at = multiply(parent, &own);
    tml_status st = TML_OK;
    if (tmli_json_member(node, "mesh")) {
        const tmli_json_node *mesh = item_of(r->meshes, index_or(node, "mesh", -1));
        st = mesh ? read_mesh(r, mesh, &at) : bad(r, "there is no such mesh");
    }
    return st == TML_OK ? read_nodes(r, tmli_json_array(node, "children"), &at, depth + 1) : st;
}

static tml_status read_nodes(reader *r, const tmli_json_node *indices, const affine *parent, int depth)
{
    tml_status st = TML_OK;
    for (int i = 0; i < count_of(indices) && st == TML_OK; i++)
        st = read_node(r, index_of(indices->item[i], -1), parent, depth);
    return st;
}

// The scene that the file names, or the first one; without scenes all meshes as they are.
static tml_status read_scene(reader *r)
{
    const affine identity = {{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}};
    const tmli_json_node *scene = item_of(tmli_json_array(r->top, "scenes"), index_or(r->top, "scene", 0));
    if (scene) return read_nodes(r, tmli_json_array(scene, "nodes"), &identity, 0);
    tml_status st = TML_OK;
    for (int i = 0; i < count_of(r->meshes) && st == TML_OK; i++)
        st = read_mesh(r, r->meshes->item[i], &identity);
    return st;
}

tml_status tmli_gltf_parse(const char *text, size_t length, const char *name, const tml_env *env,
                           tmli_gltf_triangle *triangle, void *user, tml_error *err)
{
    reader r = {
        .env = env, .name = name, .err = err, .triangle = triangle, .user = user, .arena = {env, NULL}};
    tml_status st = open_file(&r, text, length);
    r.nodes = tmli_json_array(r.top, "nodes");
    r.meshes = tmli_json_array(r.top, "meshes");
    r.accessors = tmli_json_array(r.top, "accessors");
    r.views = tmli_json_array(r.top, "bufferViews");
    r.buffers = tmli_json_array(r.top, "buffers");
    if (st == TML_OK) st = read_buffers(&r);
    if (st == TML_OK) r.visited = tmli_calloc(env, (size_t)count_of(r.nodes) + 1, sizeof *r.visited);
    if (st == TML_OK && !r.visited) st = no_memory(&r);
    if (st == TML_OK) st = read_scene(&r);
    for (int i = 0; r.buffer && i < count_of(r.buffers); i++) tmli_free(env, r.buffer[i].own);
    tmli_free(env, r.buffer);
    tmli_free(env, r.visited);
    tmli_arena_clear(&r.arena);
    return st;
}
