// A binary glTF 2.0 file (.glb): a header, a chunk of JSON, a chunk of bytes.
//
// Every part is a node with a mesh; translations and rotations of those that move are samplers of one
// animation. Springs, rods and segments of beams are a common bar of length 1 along z, which is also scaled.
// glTF has y upwards: a root node turns what has z upwards.
#include "base/target.h"
#include "view/export/export.h"

#include "base/json.h"

#include <math.h>
#include <string.h>

enum {
    GL_FLOAT = 5126,
    GL_UNSIGNED = 5125,
    GL_ARRAY = 34962,
    GL_ELEMENTS = 34963,
    GLB_MAGIC = 0x46546C67,
    GLB_JSON = 0x4E4F534A,
    GLB_BYTES = 0x004E4942
};

// The bytes, and what is said about them in JSON: parts of the arrays `bufferViews` and `accessors`.
typedef struct writer {
    tmli_figure *f;
    const tmli_times *times;
    unsigned char *bytes;
    size_t size, room;
    bool failed;
    tmli_json views, accessors, nodes, meshes, materials, samplers, channels;
    int view_count, accessor_count, node_count, mesh_count, sampler_count;
} writer;

static void put_bytes(writer *w, const void *data, size_t size)
{
    if (w->size + size > w->room && !w->failed) {
        const size_t room = 2 * (w->size + size);
        unsigned char *bigger = tmli_calloc(&w->f->env, room, 1);
        if (bigger && w->size > 0) memcpy(bigger, w->bytes, w->size);
        tmli_free(&w->f->env, w->bytes);
        w->bytes = bigger;
        w->room = room;
        w->failed = !bigger;
    }
    if (w->failed) return;
    memcpy(w->bytes + w->size, data, size);
    w->size += size;
}

// An accessor of numbers; target 0: of an animation. Positions and times need their range.
static int put_array(writer *w, const void *data, size_t count, int width, int type, int target, bool range)
{
    static const char *const names[] = {"", "SCALAR", "", "VEC3", "VEC4"};
    const size_t offset = w->size, size = count * (size_t)width * 4;
    put_bytes(w, data, size);
    tmli_json_open(&w->views, NULL, '{');
    tmli_json_members(&w->views, "buffer %d byteOffset %zu byteLength %zu", 0, offset, size);
    if (target) tmli_json_integer(&w->views, "target", target);
    tmli_json_close(&w->views, '}');
    tmli_json *j = &w->accessors;
    tmli_json_open(j, NULL, '{');
    tmli_json_members(j, "bufferView %d componentType %d count %zu type %s", w->view_count++, type, count,
                      names[width]);
    for (int most = 0; most < 2 && range; most++) {
        const float *x = data;
        tmli_json_open(j, most ? "max" : "min", '[');
        for (int k = 0; k < width; k++) {
            float best = x[k];
            for (size_t i = 1; i < count; i++) {
                const float y = x[i * (size_t)width + (size_t)k];
                if (most ? y > best : y < best) best = y;
            }
            tmli_json_number(j, NULL, (double)best);
        }
        tmli_json_close(j, ']');
    }
    tmli_json_close(j, '}');
    return w->accessor_count++;
}

static int put_mesh(writer *w, const tmli_surface *s, const char *name, const double colour[3])
{
    const int position = put_array(w, s->vertex, (size_t)s->vertices, 3, GL_FLOAT, GL_ARRAY, true);
    const int normal = put_array(w, s->normal, (size_t)s->vertices, 3, GL_FLOAT, GL_ARRAY, false);
    const int index = put_array(w, s->triangle, 3 * (size_t)s->triangles, 1, GL_UNSIGNED, GL_ELEMENTS, false);
    const double rgba[4] = {colour[0], colour[1], colour[2], 1};
    tmli_json *j = &w->materials;
    tmli_json_open(j, NULL, '{');
    tmli_json_open(j, "pbrMetallicRoughness", '{');
    tmli_json_place(j, "baseColorFactor", rgba, 4);
    tmli_json_members(j, "metallicFactor %.7g roughnessFactor %.7g", 0.1, 0.6);
    tmli_json_close(j, '}');
    tmli_json_close(j, '}');
    j = &w->meshes;
    tmli_json_open(j, NULL, '{');
    tmli_json_text(j, "name", name);
    tmli_json_open(j, "primitives", '[');
    tmli_json_open(j, NULL, '{');
    tmli_json_object(j, "attributes", "POSITION %d NORMAL %d", position, normal);
    tmli_json_members(j, "indices %d material %d", index, w->mesh_count);
    tmli_json_close(j, '}');
    tmli_json_close(j, ']');
    tmli_json_close(j, '}');
    return w->mesh_count++;
}

static void put_track(writer *w, int times, const float *values, int width, const char *path)
{
    const int output = put_array(w, values, w->times->count, width, GL_FLOAT, 0, false);
    tmli_json *j = &w->samplers;
    tmli_json_object(j, NULL, "input %d output %d interpolation %s", times, output, "LINEAR");
    j = &w->channels;
    tmli_json_open(j, NULL, '{');
    tmli_json_integer(j, "sampler", w->sampler_count++);
    tmli_json_object(j, "target", "node %d path %s", w->node_count, path);
    tmli_json_close(j, '}');
}

static void store3(float *to, vec3 x) { to[0] = (float)x.x, to[1] = (float)x.y, to[2] = (float)x.z; }

// glTF: the scalar last; the sign of the one before, so that viewers turn the shorter way.
static void store4(float *to, quat q, const float *before)
{
    const double x[4] = {q.e1, q.e2, q.e3, q.e0};
    double dot = 0;
    for (int k = 0; before && k < 4; k++) dot += x[k] * (double)before[k];
    for (int k = 0; k < 4; k++) to[k] = (float)(dot < 0 ? -x[k] : x[k]);
}

static void put_node(writer *w, const char *name, int mesh)
{
    tmli_json_object(&w->nodes, NULL, "name %s mesh %d", name, mesh);
    w->node_count++;
}

static void put_part(writer *w, const tmli_part *p, int times, float *track)
{
    const int mesh = put_mesh(w, &p->surface, p->name, p->colour);
    const size_t n = w->times->count;
    float *turn = track + 3 * n;
    for (size_t i = 0; i < n && p->body >= 0; i++) {
        tmli_figure_set_time(w->f, w->times->t[i]);
        store3(track + 3 * i, w->f->pose[p->body].p);
        store4(turn + 4 * i, w->f->pose[p->body].q, i > 0 ? turn + 4 * (i - 1) : NULL);
    }
    if (p->body >= 0) {
        put_track(w, times, track, 3, "translation");
        put_track(w, times, turn, 4, "rotation");
    }
    put_node(w, p->name, mesh);
}

static void put_link(writer *w, const tmli_link *l, int mesh, int times, float *track)
{
    const size_t n = w->times->count;
    float *turn = track + 3 * n, *scale = turn + 4 * n;
    for (size_t i = 0; i < n; i++) {
        vec3 end[2];
        tmli_figure_set_time(w->f, w->times->t[i]);
        tmli_figure_ends(w->f, l, end);
        const vec3 d = v3_sub(end[1], end[0]);
        const double length = fmax(v3_norm(d), 1e-9);
        const mat3 R = m3_axes_along(v3_scale(1 / length, d));
        store3(track + 3 * i, end[0]);
        store4(turn + 4 * i, tmli_quat_from_matrix(&R), i > 0 ? turn + 4 * (i - 1) : NULL);
        store3(scale + 3 * i, (vec3){l->radius, l->radius, length});
    }
    put_track(w, times, track, 3, "translation");
    put_track(w, times, turn, 4, "rotation");
    put_track(w, times, scale, 3, "scale");
    put_node(w, l->name, mesh);
}

static tml_status put_scene(writer *w, tml_error *err)
{
    const size_t n = w->times->count;
    float *t = tmli_calloc(&w->f->env, n + 1, sizeof *t), *track = tmli_calloc(&w->f->env, 10 * n + 1, 4);
    tmli_surface bar = {.env = &w->f->env};
    tml_status st = t && track ? TML_OK : tmli_no_memory(err, "animation");
    if (st == TML_OK) {
        for (size_t i = 0; i < n; i++) t[i] = (float)(w->times->t[i] - w->times->t[0]);
        const int times = put_array(w, t, n, 1, GL_FLOAT, 0, true);
        for (int i = 0; i < w->f->parts; i++) put_part(w, &w->f->part[i], times, track);
        if (w->f->links > 0) {
            tmli_surface_bar(&bar, (vec3){0, 0, 0}, (vec3){0, 0, 1}, 1);
            if (bar.failed) w->failed = true;
            else {
                const int mesh = put_mesh(w, &bar, "bar", w->f->link[0].colour);
                for (int i = 0; i < w->f->links; i++) put_link(w, &w->f->link[i], mesh, times, track);
            }
        }
    }
    tmli_surface_clear(&bar);
    tmli_free_all(&w->f->env, t, track);
    return st == TML_OK && w->failed ? tmli_no_memory(err, "animation") : st;
}

static void put_list(tmli_json *j, const char *key, const tmli_json *items)
{
    tmli_json_open(j, key, '[');
    tmli_json_value(j, NULL, items->text ? items->text : "");
    tmli_json_close(j, ']');
}

static void put_json(const writer *w, tmli_json *j)
{
    const double upright[4] = {-sqrt(0.5), 0, 0, sqrt(0.5)};
    tmli_json_open(j, NULL, '{');
    tmli_json_object(j, "asset", "version %s generator %s", "2.0", "Trammel");
    tmli_json_integer(j, "scene", 0);
    tmli_json_open(j, "scenes", '[');
    tmli_json_open(j, NULL, '{');
    tmli_json_open(j, "nodes", '[');
    tmli_json_integer(j, NULL, w->node_count);
    tmli_json_close(j, ']');
    tmli_json_close(j, '}');
    tmli_json_close(j, ']');
    tmli_json_open(j, "nodes", '[');
    tmli_json_value(j, NULL, w->nodes.text ? w->nodes.text : "");
    tmli_json_open(j, NULL, '{');
    tmli_json_text(j, "name", "mechanism");
    if (!w->f->planar) tmli_json_place(j, "rotation", upright, 4);
    tmli_json_open(j, "children", '[');
    for (int i = 0; i < w->node_count; i++) tmli_json_integer(j, NULL, i);
    tmli_json_close(j, ']');
    tmli_json_close(j, '}');
    tmli_json_close(j, ']');
    put_list(j, "meshes", &w->meshes);
    put_list(j, "materials", &w->materials);
    if (w->sampler_count > 0) {
        tmli_json_open(j, "animations", '[');
        tmli_json_open(j, NULL, '{');
        tmli_json_text(j, "name", "motion");
        put_list(j, "samplers", &w->samplers);
        put_list(j, "channels", &w->channels);
        tmli_json_close(j, '}');
        tmli_json_close(j, ']');
    }
    put_list(j, "accessors", &w->accessors);
    put_list(j, "bufferViews", &w->views);
    tmli_json_open(j, "buffers", '[');
    tmli_json_object(j, NULL, "byteLength %zu", w->size);
    tmli_json_close(j, ']');
    tmli_json_close(j, '}');
}

static void put_word(FILE *out, size_t x)
{
    for (int k = 0; k < 4; k++) fputc((int)(x >> 8 * k & 255), out);
}

static tml_status write_file(const writer *w, const tmli_json *j, const char *path, tml_error *err)
{
    const size_t text = (j->length + 3) / 4 * 4;  // chunks end at multiples of 4; all arrays have such sizes
    tmli_draft d;
    const tml_status st = tmli_draft_open(&d, path, &w->f->env, err);
    if (st != TML_OK) return st;
    FILE *const out = d.out;
    put_word(out, GLB_MAGIC);
    put_word(out, 2);
    put_word(out, 12 + 8 + text + 8 + w->size);
    put_word(out, text);
    put_word(out, GLB_JSON);
    fwrite(j->text, 1, j->length, out);
    for (size_t i = j->length; i < text; i++) fputc(' ', out);
    put_word(out, w->size);
    put_word(out, GLB_BYTES);
    fwrite(w->bytes, 1, w->size, out);
    return tmli_draft_close(&d, TML_OK, err);
}

tml_status tmli_export_gltf(tmli_figure *f, const tmli_times *times, const char *path, tml_error *err)
{
    const tmli_json empty = {.env = &f->env};
    writer w = {.f = f, .times = times};
    tmli_json *const lists[] = {&w.views,     &w.accessors, &w.nodes,   &w.meshes,
                                &w.materials, &w.samplers,  &w.channels};
    enum { LISTS = sizeof lists / sizeof *lists };
    for (int i = 0; i < LISTS; i++) *lists[i] = empty;
    tmli_json all = empty;
    tml_status st = put_scene(&w, err);
    if (st == TML_OK) put_json(&w, &all);
    for (int i = 0; i < LISTS; i++) w.failed |= lists[i]->failed;
    if (st == TML_OK && (w.failed || all.failed)) st = tmli_no_memory(err, "animation");
    if (st == TML_OK) st = write_file(&w, &all, path, err);
    for (int i = 0; i < LISTS; i++) tmli_json_clear(lists[i]);
    tmli_json_clear(&all);
    tmli_free(&f->env, w.bytes);
    return st;
}
