// Shapes: place, size and look. z of the place is the normal of a plane and the axis of a round shape.
#include "view/scene/scene.h"

#include "element/outline/outline.h"
#include "element/terrain/terrain.h"

#include <math.h>

// as they are drawn
static const char *const shape_types[TML_SHAPE_TYPES] = {"sphere", "plane", "box",  "cylinder", "capsule",
                                                         "cone",   "torus", "mesh", "profile",  "mesh"};

static tml_status put_mesh(tmli_json *j, const tml_spec *spec, const tmli_shape_entry *e, tml_error *err)
{
    tmli_mesh_data mesh = {0};
    const tml_status st = tmli_mesh_of_spec(spec, e->def.file, &spec->env, &mesh, err);
    if (st != TML_OK) {
        if (err && e->at.at.file) {
            char text[TML_ERROR_MSG];
            const size_t n = sizeof text;
            for (size_t i = 0; i < n; i++) text[i] = err->msg[i];
            return tmli_fail_at(err, st, tmli_entry_mark(&e->at, "file"), "%.*s", (int)n - 1, text);
        }
        return st;
    }
    tmli_json_open(j, "vertices", '[');
    for (int i = 0; i < 3 * mesh.vertex_count; i++)
        tmli_json_rounded(j, NULL, (double)mesh.vertex[i] * e->def.scale, 7);
    tmli_json_close(j, ']');
    tmli_json_open(j, "triangles", '[');
    for (int i = 0; i < 3 * mesh.triangle_count; i++) tmli_json_integer(j, NULL, mesh.triangle[i]);
    tmli_json_close(j, ']');
    tmli_mesh_data_clear(&mesh, &spec->env);
    return TML_OK;
}

static void put_node(tmli_json *j, const tmli_terrain *t, int i, int k, int fine)
{
    const double x = i * t->cell[0] / fine - t->half[0], y = k * t->cell[1] / fine - t->half[1];
    tmli_json_rounded(j, NULL, x, 7);
    tmli_json_rounded(j, NULL, y, 7);
    tmli_json_rounded(j, NULL, tmli_terrain_height(t, x, y), 7);
}

// The surface of a height field as triangles; each cell is divided if there are few.
static tml_status put_terrain(tmli_json *j, const tml_spec *spec, const tmli_shape_entry *e, tml_error *err)
{
    enum { FEW = 10000, FINE = 4 };
    tmli_arena arena = {.env = &spec->env};
    tmli_terrain t;
    const tml_status st = tmli_terrain_of(&e->def, &arena, &t, err);
    if (st == TML_OK) {
        const int fine = (double)t.nx * t.ny * FINE * FINE <= FEW ? FINE : 1;
        const int nx = (t.nx - 1) * fine + 1, ny = (t.ny - 1) * fine + 1;
        tmli_json_open(j, "vertices", '[');
        for (int k = 0; k < nx * ny; k++) put_node(j, &t, k % nx, k / nx, fine);
        tmli_json_close(j, ']');
        tmli_json_open(j, "triangles", '[');
        for (int k = 0; k < (nx - 1) * (ny - 1); k++) {
            const int at = k / (nx - 1) * nx + k % (nx - 1), corner[6] = {0, 1, nx + 1, 0, nx + 1, nx};
            for (int i = 0; i < 6; i++) tmli_json_integer(j, NULL, at + corner[i]);
        }
        tmli_json_close(j, ']');
    }
    tmli_arena_clear(&arena);
    return st;
}

// The outline of a profile as a polygon: x and y of its points, counter-clockwise.
static tml_status put_outline(tmli_json *j, const tml_spec *spec, const tmli_shape_entry *e, tml_error *err)
{
    tmli_arena arena = {.env = &spec->env};
    tmli_outline outline;
    tml_error why = {0};
    const tml_status st = tmli_outline_of(&e->def, &arena, &outline, &why);
    if (st == TML_OK) {
        tmli_json_open(j, "outline", '[');
        for (int i = 0; i < outline.nparts; i++) {
            tmli_json_rounded(j, NULL, outline.at[i].x, 7);
            tmli_json_rounded(j, NULL, outline.at[i].y, 7);
        }
        tmli_json_close(j, ']');
    } else {
        tmli_fail_at(err, st, tmli_entry_mark(&e->at, "points"), "profile '%s': %s", e->def.name, why.msg);
    }
    tmli_arena_clear(&arena);
    return st;
}

static tml_status put_shape(tmli_json *j, const tml_spec *spec, const tml_model *model,
                            const tmli_shape_entry *e, tml_error *err)
{
    const tml_shape_def *d = &e->def;
    tmli_marker at;
    tml_status st =
        tmli_model_find_frame(spec, model, d->at ? d->at : d->name, tmli_entry_mark(&e->at, "at"), &at, err);
    if (st != TML_OK) return st;
    const bool plane = d->type == TML_SHAPE_PLANE,
               axial = d->type != TML_SHAPE_BOX && d->type != TML_SHAPE_MESH && d->type != TML_SHAPE_SPHERE &&
                       d->type != TML_SHAPE_PROFILE && d->type != TML_SHAPE_HEIGHT_FIELD;
    if (axial) {
        const mat3 own = m3_axes_along(v3_from(plane ? d->normal : d->axis));
        at.C = m3_mul(&at.C, &own);
    }
    tmli_json_open(j, NULL, '{');
    tmli_json_members(j, "name %s type %s", d->name, shape_types[d->type]);
    tmli_scene_place(j, "at", &at);
    if (isfinite(d->radius)) tmli_json_rounded(j, "radius", d->radius, 7);
    if (isfinite(d->length)) tmli_json_rounded(j, "length", d->length, 7);
    if (isfinite(d->tube)) tmli_json_rounded(j, "tube", d->tube, 7);
    if (d->type == TML_SHAPE_BOX) tmli_json_place(j, "size", d->edges, 3);
    if (d->colour) tmli_json_text(j, "colour", d->colour);
    if (d->opacity < 1) tmli_json_rounded(j, "opacity", d->opacity, 7);
    if (d->type == TML_SHAPE_MESH) st = put_mesh(j, spec, e, err);
    if (d->type == TML_SHAPE_PROFILE) st = put_outline(j, spec, e, err);
    if (d->type == TML_SHAPE_HEIGHT_FIELD) {
        tmli_json_bool(j, "terrain", true);
        st = put_terrain(j, spec, e, err);
    }
    tmli_json_close(j, '}');
    return st;
}

tml_status tmli_scene_shapes(tmli_json *j, const tml_spec *spec, const tml_model *model, tml_error *err)
{
    tml_status st = TML_OK;
    tmli_json_open(j, "shapes", '[');
    for (int i = 0; i < spec->nshapes && st == TML_OK; i++)
        if (!spec->shapes[i].def.hidden) st = put_shape(j, spec, model, &spec->shapes[i], err);
    tmli_json_close(j, ']');
    return st;
}
