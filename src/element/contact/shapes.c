// The shapes of a contact: by their names, with what contacts need of them.
#include "element/contact/naming.h"
#include "spec/mass/mesh.h"

#include <math.h>
#include <string.h>

#include "element/contact/constants.h"

bool tmli_shape_is_named(const tml_shape_def *d, const char *name)
{
    return strcmp(d->name, name) == 0 || (d->group && strcmp(d->group, name) == 0);
}

static tml_status not_found(const tmli_naming *n, const char *key, const char *name)
{
    const tml_spec *spec = n->b->spec;
    tml_error *err = n->b->err;
    tmli_fail_at(err, TML_ERR_NAME, tmli_entry_mark(&n->e->at, key),
                 "contact '%s': there is no shape or group '%s'", n->e->def.name, name);
    const char **names = err ? tmli_calloc(&spec->env, 2 * (size_t)spec->nshapes + 1, sizeof *names) : NULL;
    size_t count = 0;
    for (int i = 0; i < spec->nshapes && names; i++) {
        names[count++] = spec->shapes[i].def.name;
        if (spec->shapes[i].def.group) names[count++] = spec->shapes[i].def.group;
    }
    const tmli_hint near = tmli_hint_list(name, names, count);
    if (near.text[0]) tmli_error_append(err, "%s", near.text + 1);
    else if (spec->nshapes == 0) tmli_error_append(err, "(the model has no 'shapes')");
    tmli_free(&spec->env, names);
    return TML_ERR_NAME;
}

// What contacts do not see of a mesh.
static void note_loss(const tmli_naming *n, const char *name, double size, const tmli_hull_loss *loss)
{
    const tml_env *env = &n->b->m->env;
    if (loss->beyond > 0)
        tmli_log(
            env, TML_LOG_WARNING,
            "contact '%s': mesh '%s' has more than %d corners; the hull that touches has %d, and the mesh "
            "is up to %.3g m beyond it",
            n->e->def.name, name, TMLI_POLYTOPE_VERTICES, TMLI_POLYTOPE_VERTICES, loss->beyond);
    if (loss->hollow > HOLLOW * size)
        tmli_log(env, TML_LOG_WARNING,
                 "contact '%s': mesh '%s' is not convex; its convex hull touches, up to %.3g m from it",
                 n->e->def.name, name, loss->hollow);
}

// What a saved simulation must find again.
static tml_status note_surface(const tmli_naming *n, const tml_shape_def *d, uint64_t hash)
{
    tmli_arena *arena = &n->b->m->arena;
    tmli_surface *s = tmli_arena_alloc(arena, 1, sizeof *s);
    if (!s) return tmli_no_memory(n->b->err, "model");
    *s = (tmli_surface){.shape = tmli_arena_strdup(arena, d->name),
                        .file = tmli_arena_strdup(arena, d->file),
                        .hash = hash,
                        .next = n->b->m->surfaces};
    n->b->m->surfaces = s;
    return s->shape && s->file ? TML_OK : tmli_no_memory(n->b->err, "model");
}

// The core of a mesh is the hull of its points. The centre of the hull becomes that of the shape.
static tml_status build_mesh(const tmli_naming *n, const tmli_shape_entry *e, tmli_shape *s)
{
    tmli_arena *arena = &n->b->m->arena;
    const tml_env *env = &n->b->m->env;
    tmli_mesh_data mesh = {0};
    tml_error why = {0};
    tmli_hull_loss loss = {0};
    vec3 centre = v3(0, 0, 0), *point = NULL;
    tmli_polytope *core = tmli_arena_alloc(arena, 1, sizeof *core);
    if (!core) return tmli_no_memory(n->b->err, "model");
    tml_status st = tmli_mesh_of_spec(n->b->spec, e->def.file, env, &mesh, &why);
    if (st == TML_OK) {
        point = tmli_calloc(env, (size_t)mesh.vertex_count, sizeof *point);
        if (!point) st = tmli_no_memory(&why, "model");
    }
    for (int i = 0; i < mesh.vertex_count && st == TML_OK; i++)
        point[i] =
            v3_scale(e->def.scale, v3(mesh.vertex[3 * i], mesh.vertex[3 * i + 1], mesh.vertex[3 * i + 2]));
    if (st == TML_OK) st = tmli_polytope_hull(point, mesh.vertex_count, arena, core, &centre, &loss, &why);
    const uint64_t hash = mesh.hash;
    tmli_free(env, point);
    tmli_mesh_data_clear(&mesh, env);
    if (st != TML_OK)
        return tmli_fail_at(n->b->err, st, tmli_entry_mark(&e->at, "file"),
                            "contact '%s': mesh '%s' cannot touch: %s", n->e->def.name, e->def.name, why.msg);
    s->core = core;
    s->s = v3_add(s->s, m3_mulv(&s->C, centre));
    note_loss(n, e->def.name, core->bound, &loss);
    return note_surface(n, &e->def, hash);
}

static tml_status build_profile(const tmli_naming *n, const tmli_shape_entry *e, tmli_shape *s)
{
    tml_error why = {0};
    tmli_outline *outline = tmli_arena_alloc(&n->b->m->arena, 1, sizeof *outline);
    if (!outline) return tmli_no_memory(n->b->err, "model");
    const tml_status st = tmli_outline_of(&e->def, &n->b->m->arena, outline, &why);
    s->outline = outline;
    if (st == TML_OK) return TML_OK;
    return tmli_fail_at(n->b->err, st, tmli_entry_mark(&e->at, "points"), "profile '%s': %s", e->def.name,
                        why.msg);
}

static tml_status build_terrain(const tmli_naming *n, const tmli_shape_entry *e, tmli_shape *s)
{
    tmli_terrain *terrain = tmli_arena_alloc(&n->b->m->arena, 1, sizeof *terrain);
    if (!terrain) return tmli_no_memory(n->b->err, "model");
    s->terrain = terrain;
    const tml_status st = tmli_terrain_of(&e->def, &n->b->m->arena, terrain, n->b->err);
    if (st == TML_OK && terrain->overshoot > OVERSHOOT)
        tmli_log(&n->b->m->env, TML_LOG_WARNING,
                 "contact '%s': the surface of height field '%s' leaves the range of its heights by %.0f %% "
                 "of it; it swings where steep and level parts meet, more points there help",
                 n->e->def.name, e->def.name, 100 * terrain->overshoot);
    if (st != TML_OK || !e->def.file) return st;
    return note_surface(n, &e->def,
                        tmli_checksum(e->def.heights, (size_t)e->def.height_count * sizeof *e->def.heights));
}

static tml_status build_shape(const tmli_naming *n, const tmli_shape_entry *e, tmli_shape *s)
{
    const tml_spec *spec = n->b->spec;
    const tml_shape_def *d = &e->def;
    tmli_marker at;
    tml_status st = tmli_model_find_frame(spec, n->b->m, d->at ? d->at : d->name,
                                          tmli_entry_mark(&e->at, "at"), &at, n->b->err);
    if (st != TML_OK && !d->at) tmli_error_append(n->b->err, "(shape '%s' has no 'at')", d->name);
    if (st != TML_OK) return st;
    mat3 own = m3_identity();
    if (d->type == TML_SHAPE_PLANE) own = m3_axes_along(v3_from(d->normal));
    if (d->type == TML_SHAPE_CYLINDER || d->type == TML_SHAPE_CAPSULE) own = m3_axes_along(v3_from(d->axis));
    const bool round =
        d->type == TML_SHAPE_SPHERE || d->type == TML_SHAPE_CYLINDER || d->type == TML_SHAPE_CAPSULE;
    *s = (tmli_shape){.name = tmli_arena_strdup(&n->b->m->arena, d->name),
                      .type = d->type,
                      .body = at.body,
                      .s = at.s,
                      .C = m3_mul(&at.C, &own),
                      .radius = round ? d->radius : 0,
                      .flat = spec->planar,
                      .youngs_modulus = d->youngs_modulus,
                      .poisson = d->poisson};
    if (!s->name) return tmli_no_memory(n->b->err, "model");
    for (int k = 0; k < 3 && d->type == TML_SHAPE_BOX; k++) s->half[k] = d->edges[k] / 2;
    if (round && d->type != TML_SHAPE_SPHERE) s->half[2] = d->length / 2;
    if (d->type == TML_SHAPE_MESH && spec->planar)
        return tmli_fail_at(n->b->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "type"),
                            "contact '%s': mesh '%s' cannot touch in a planar model; spheres, boxes and "
                            "capsules can",
                            n->e->def.name, d->name);
    if (d->type == TML_SHAPE_PROFILE) st = build_profile(n, e, s);
    else if (d->type == TML_SHAPE_MESH) st = build_mesh(n, e, s);
    else if (d->type == TML_SHAPE_HEIGHT_FIELD) st = build_terrain(n, e, s);
    else st = tmli_shape_set_core(s, &n->b->m->arena, n->b->err);
    if (st != TML_OK) return st;
    s->bound = tmli_shape_bound(s);
    const tml_body_def *body = at.body < 0 ? NULL : &spec->bodies[at.body].def;
    if (body && body->mass > 0) s->inverse_mass = 1 / body->mass;
    const bool off_centre = d->type != TML_SHAPE_SPHERE || v3_norm(at.s) > 0 || n->e->def.has_friction;
    if (body && body->point && off_centre)
        return tmli_fail_at(n->b->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "at"),
                            "shape '%s': '%s' is a point mass and cannot take a torque; it may have a sphere "
                            "about it and contacts without friction",
                            d->name, body->name);
    return TML_OK;
}

// The points of shapes that touch height fields, if there are any.
static tml_status build_samples(const tmli_naming *n, tmli_contact_set *c)
{
    double cell = INFINITY, hollow = 0;
    tml_status st = TML_OK;
    for (int i = 0; i < c->nshapes; i++) {
        const tmli_terrain *t = c->shape[i].terrain;
        if (!t) continue;
        cell = fmin(cell, fmin(t->cell[0], t->cell[1]));
        hollow = fmax(hollow, t->hollow);
    }
    for (int i = 0; i < c->nshapes && isfinite(cell) && st == TML_OK; i++)
        st = tmli_shape_set_samples(&c->shape[i], cell, hollow, &n->b->m->arena, n->b->err);
    return st;
}

tml_status tmli_contact_set_shapes(const tmli_force_builder *b, const tmli_contact_entry *e,
                                   tmli_contact_set *c)
{
    const tmli_naming n = {b, e};
    const tml_spec *spec = b->spec;
    const tml_contact_def *d = &e->def;
    const size_t room = (size_t)spec->nshapes + 1;
    if (!tmli_arena_alloc_all(&b->m->arena, TMLI_ARRAY(c->shape, room), TMLI_ARRAY(c->slot, room),
                              TMLI_ARRAY(c->side, room)))
        return tmli_no_memory(b->err, "model");
    int found[2] = {0, 0};
    for (int i = 0; i < spec->nshapes; i++) {
        const tml_shape_def *s = &spec->shapes[i].def;
        const int side =
            (tmli_shape_is_named(s, d->a) ? 1 : 0) | (d->b && tmli_shape_is_named(s, d->b) ? 2 : 0);
        if (side == 0) continue;
        found[0] += side & 1;
        found[1] += side >> 1;
        c->side[c->nshapes] = side;
        const tml_status st = build_shape(&n, &spec->shapes[i], &c->shape[c->nshapes++]);
        if (st != TML_OK) return st;
    }
    const tml_status st = build_samples(&n, c);
    if (st != TML_OK) return st;
    c->one_group = !d->b || strcmp(d->a, d->b) == 0;
    if (found[0] == 0) return not_found(&n, "a", d->a);
    if (d->b && found[1] == 0) return not_found(&n, "b", d->b);
    return TML_OK;
}

// ---- height fields at the start --------------------------------------------------------------------------

// Height fields: nothing starts below one, and a warning names what starts beyond the edges of all.
tml_status tmli_contact_check_fields(const tmli_naming *n, const tmli_contact_set *c)
{
    const tml_model *m = n->b->m;
    bool endless = false;  // a plane may hold what leaves a field
    for (int i = 0; i < c->nshapes; i++) endless |= c->shape[i].type == TML_SHAPE_PLANE;
    for (int i = 0; i < c->nshapes && c->nshapes <= CHECKED_SHAPES; i++) {
        const tmli_shape *s = &c->shape[i], *field = NULL;
        double beyond = INFINITY;  // of its centre, from the nearest field
        for (int j = 0; j < c->nshapes; j++) {
            const tmli_shape *f = &c->shape[j];
            if (!f->terrain || s->terrain || !tmli_contact_set_is_pair(c, i, j)) continue;
            const tmli_pose A = tmli_node_start_pose(m, f->body), B = tmli_node_start_pose(m, s->body);
            const tmli_place x = tmli_shape_place(f, &A), y = tmli_shape_place(s, &B);
            const vec3 own = m3_tmulv(&x.A, v3_sub(y.c, x.c));
            const double away = tmli_terrain_outside(f->terrain, own),
                         below = tmli_terrain_height(f->terrain, own.x, own.y) - own.z;
            if (away == 0 && below > s->bound)
                return tmli_fail_at(n->b->err, TML_ERR_MODEL, tmli_entry_mark(&n->e->at, "a"),
                                    "contact '%s': '%s' starts below the height field '%s', its centre "
                                    "%.3g m under the surface, at x = %.3g, y = %.3g of the field",
                                    n->e->def.name, s->name, f->name, below, own.x, own.y);
            if (away < beyond) field = f;
            beyond = fmin(beyond, away);
        }
        if (field && beyond > 0 && !endless)
            tmli_log(
                &m->env, TML_LOG_WARNING,
                "contact '%s': '%s' starts %.3g m beyond the edge of the height field '%s', where nothing "
                "holds it",
                n->e->def.name, s->name, beyond, field->name);
    }
    return TML_OK;
}
