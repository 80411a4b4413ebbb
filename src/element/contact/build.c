// Contacts of a spec to the set of their shapes and pairs: names, what cannot touch, laws.
#include "element/contact/resultant.h"
#include "element/contact/set.h"
#include "spec/mass/mesh.h"

#include <math.h>
#include <string.h>

#include "element/contact/constants.h"

/** Texts of one contact for messages. */
typedef struct naming {
    const tmli_force_builder *b;
    const tmli_contact_entry *e;
} naming;

// ---- shapes -----------------------------------------------------------------------------------------------

static bool is_named(const tml_shape_def *d, const char *name)
{
    return strcmp(d->name, name) == 0 || (d->group && strcmp(d->group, name) == 0);
}

static tml_status not_found(const naming *n, const char *key, const char *name)
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
    const char *near = names ? tmli_nearest(name, names, count) : NULL;
    if (near) tmli_error_append(err, "(is it '%s'?)", near);
    else if (spec->nshapes == 0) tmli_error_append(err, "(the model has no 'shapes')");
    tmli_free(&spec->env, names);
    return TML_ERR_NAME;
}

// Axes with z along `axis`.
static mat3 axes_along(vec3 axis)
{
    const vec3 other = fabs(axis.x) < 0.8 ? v3(1, 0, 0) : v3(0, 1, 0), across = v3_cross(axis, other);
    const vec3 y = v3_scale(1 / v3_norm(across), across);
    return m3_from_cols(v3_cross(y, axis), y, axis);
}

// What contacts do not see of a mesh.
static void note_loss(const naming *n, const char *name, double size, const tmli_hull_loss *loss)
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

// The core of a mesh is the hull of its points. The centre of the hull becomes that of the shape.
static tml_status build_mesh(const naming *n, const tmli_shape_entry *e, tmli_shape *s)
{
    tmli_arena *arena = &n->b->m->arena;
    const tml_env *env = &n->b->m->env;
    tmli_mesh_data mesh = {0};
    tml_error why = {0};
    tmli_hull_loss loss = {0};
    vec3 centre = v3(0, 0, 0), *point = NULL;
    tmli_polytope *core = tmli_arena_alloc(arena, 1, sizeof *core);
    if (!core) return tmli_no_memory(n->b->err, "model");
    tml_status st = tmli_mesh_load(e->def.file, env, &mesh, &why);
    if (st == TML_OK) {
        point = tmli_calloc(env, (size_t)mesh.vertex_count, sizeof *point);
        if (!point) st = tmli_no_memory(&why, "model");
    }
    for (int i = 0; i < mesh.vertex_count && st == TML_OK; i++)
        point[i] =
            v3_scale(e->def.scale, v3(mesh.vertex[3 * i], mesh.vertex[3 * i + 1], mesh.vertex[3 * i + 2]));
    if (st == TML_OK) st = tmli_polytope_hull(point, mesh.vertex_count, arena, core, &centre, &loss, &why);
    tmli_free(env, point);
    tmli_mesh_data_clear(&mesh, env);
    if (st != TML_OK)
        return tmli_fail_at(n->b->err, st, tmli_entry_mark(&e->at, "file"),
                            "contact '%s': mesh '%s' cannot touch: %s", n->e->def.name, e->def.name, why.msg);
    s->core = core;
    s->s = v3_add(s->s, m3_mulv(&s->C, centre));
    note_loss(n, e->def.name, core->bound, &loss);
    return TML_OK;
}

static tml_status build_profile(const naming *n, const tmli_shape_entry *e, tmli_shape *s)
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

static tml_status build_shape(const naming *n, const tmli_shape_entry *e, tmli_shape *s)
{
    const tml_spec *spec = n->b->spec;
    const tml_shape_def *d = &e->def;
    tmli_marker at;
    tml_status st =
        tmli_model_find_frame(spec, d->at ? d->at : d->name, tmli_entry_mark(&e->at, "at"), &at, n->b->err);
    if (st != TML_OK && !d->at) tmli_error_append(n->b->err, "(shape '%s' has no 'at')", d->name);
    if (st != TML_OK) return st;
    mat3 own = m3_identity();
    if (d->type == TML_SHAPE_PLANE) own = axes_along(v3_from(d->normal));
    if (d->type == TML_SHAPE_CYLINDER || d->type == TML_SHAPE_CAPSULE) own = axes_along(v3_from(d->axis));
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

tml_status tmli_contact_set_shapes(const tmli_force_builder *b, const tmli_contact_entry *e,
                                   tmli_contact_set *c)
{
    const naming n = {b, e};
    const tml_spec *spec = b->spec;
    const tml_contact_def *d = &e->def;
    const size_t room = (size_t)spec->nshapes + 1;
    c->shape = tmli_arena_alloc(&b->m->arena, room, sizeof *c->shape);
    c->slot = tmli_arena_alloc(&b->m->arena, room, sizeof *c->slot);
    c->side = tmli_arena_alloc(&b->m->arena, room, sizeof *c->side);
    if (!c->shape || !c->slot || !c->side) return tmli_no_memory(b->err, "model");
    int found[2] = {0, 0};
    for (int i = 0; i < spec->nshapes; i++) {
        const tml_shape_def *s = &spec->shapes[i].def;
        const int side = (is_named(s, d->a) ? 1 : 0) | (d->b && is_named(s, d->b) ? 2 : 0);
        if (side == 0) continue;
        found[0] += side & 1;
        found[1] += side >> 1;
        c->side[c->nshapes] = side;
        const tml_status st = build_shape(&n, &spec->shapes[i], &c->shape[c->nshapes++]);
        if (st != TML_OK) return st;
    }
    c->one_group = !d->b || strcmp(d->a, d->b) == 0;
    if (found[0] == 0) return not_found(&n, "a", d->a);
    if (d->b && found[1] == 0) return not_found(&n, "b", d->b);
    return TML_OK;
}

// ---- pairs ------------------------------------------------------------------------------------------------

const char *tmli_shape_type_name(tml_shape_type type)
{
    static const char *const names[TML_SHAPE_TYPES] = {"sphere", "plane", "box",  "cylinder", "capsule",
                                                       "cone",   "torus", "mesh", "profile"};
    return names[type];
}

static tml_status check_pair(const naming *n, const tmli_contact_set *c, int i, int j, tmli_contact_pair *out)
{
    const tmli_shape *s[2] = {&c->shape[i], &c->shape[j]};
    const tml_contact_def *d = &n->e->def;
    const tml_mark at = tmli_entry_mark(&n->e->at, d->b ? "b" : "a");
    bool swap;
    const tmli_pair_type *type = tmli_pair_find(s[0]->type, s[1]->type, &swap);
    if (!type)
        return tmli_fail_at(n->b->err, TML_ERR_MODEL, at,
                            "contact '%s': %s '%s' and %s '%s' cannot touch each other; docs/contact.md "
                            "lists the pairs of shapes that can",
                            d->name, tmli_shape_type_name(s[0]->type), s[0]->name,
                            tmli_shape_type_name(s[1]->type), s[1]->name);
    *out = (tmli_contact_pair){.type = type, .shape = {swap ? j : i, swap ? i : j}};
    const tmli_shape *first = s[swap], *second = s[!swap];
    out->modes = tmli_pair_count(type, first->flat);
    out->shared = tmli_pair_is_shared(type, first->flat);
    if (!(first->inverse_mass + second->inverse_mass > 0) && c->zeta > 0)
        return tmli_fail_at(n->b->err, TML_ERR_MODEL, tmli_entry_mark(&n->e->at, "restitution"),
                            "contact '%s': 'restitution' needs the masses of the bodies, and neither that of "
                            "'%s' nor that of '%s' has any; give 'damping', or the law hunt-crossley",
                            d->name, first->name, second->name);
    const double k = tmli_contact_set_law(c, first, second).k;
    const bool profile = first->type == TML_SHAPE_PROFILE || second->type == TML_SHAPE_PROFILE;
    if (!(k > 0 && isfinite(k)) || (isnan(c->law.k) && profile))
        return tmli_fail_at(n->b->err, TML_ERR_MODEL, n->e->at.at,
                            "contact '%s' lacks 'stiffness'; it follows from 'youngs_modulus' only where "
                            "spheres or capsules touch each other or a plane, here '%s' and '%s'",
                            d->name, first->name, second->name);
    if (c->tangential.bristles && out->shared)
        return tmli_fail_at(n->b->err, TML_ERR_MODEL, tmli_entry_mark(&n->e->at, "friction"),
                            "contact '%s': bristles (lugre) are for spheres, boxes, cylinders and capsules "
                            "on a plane, here '%s' and '%s'; use the law regularized",
                            d->name, first->name, second->name);
    if (c->tangential.bristles && first->type != TML_SHAPE_PLANE)
        return tmli_fail_at(n->b->err, TML_ERR_MODEL, tmli_entry_mark(&n->e->at, "friction"),
                            "contact '%s': bristles (lugre) need a plane, and neither '%s' nor '%s' is one; "
                            "use the law regularized",
                            d->name, first->name, second->name);
    return TML_OK;
}

// Large shapes first: planes, and those beyond which cells would be too wide for the others.
static void sort_shapes(tmli_contact_set *c)
{
    double sum = 0, most = 0;
    int finite = 0;
    for (int i = 0; i < c->nshapes; i++) {
        const double bound = c->shape[i].bound;
        if (!isfinite(bound)) continue;
        sum += bound;
        finite++;
    }
    const double limit = LARGE_SHAPE * sum / (finite > 0 ? finite : 1);
    for (int i = 0; i < c->nshapes; i++) {
        const double bound = c->shape[i].bound;
        if (bound <= limit) {
            most = fmax(most, bound);
            continue;
        }
        const tmli_shape shape = c->shape[i];
        const int side = c->side[i];
        c->shape[i] = c->shape[c->nlarge];
        c->side[i] = c->side[c->nlarge];
        c->shape[c->nlarge] = shape;
        c->side[c->nlarge++] = side;
    }
    int sides = 0;
    for (int i = c->nlarge; i < c->nshapes; i++) sides |= c->side[i];
    c->small_meet = c->one_group || sides == 3;
    c->cell = 2 * most;
}

// Of very many shapes, each is checked with the first two of every type. Without stiffness all of them need
// Young's modulus.
static tml_status check_samples(const naming *n, tmli_contact_set *c)
{
    int sample[TML_SHAPE_TYPES][2], count[TML_SHAPE_TYPES] = {0};
    for (int i = 0; i < c->nshapes; i++) {
        const tmli_shape *s = &c->shape[i];
        if (isnan(c->law.k) && s->type != TML_SHAPE_PLANE && !(s->youngs_modulus > 0))
            return tmli_fail_at(n->b->err, TML_ERR_MODEL, n->e->at.at,
                                "contact '%s' lacks 'stiffness', and shape '%s' has no 'youngs_modulus'",
                                n->e->def.name, s->name);
        for (int k = 0; k < 2 * TML_SHAPE_TYPES; k++) {
            tmli_contact_pair p;
            const int type = k / 2, other = k % 2 < count[type] ? sample[type][k % 2] : -1;
            if (other < 0 || !tmli_contact_set_is_pair(c, i, other)) continue;
            const tml_status st = check_pair(n, c, other, i, &p);
            if (st != TML_OK) return st;
        }
        int *const known = &count[s->type];
        if (*known == 0 || (*known == 1 && c->shape[sample[s->type][0]].body != s->body))
            sample[s->type][(*known)++] = i;
    }
    c->npairs = 0;
    c->nmodes = c->nshapes;  // at least: they are too many to be listed
    return TML_OK;
}

// Check all pairs, and count them and their points; list: NULL or room for them.
static tml_status visit_pairs(const naming *n, tmli_contact_set *c, tmli_contact_pair *list)
{
    c->npairs = c->nmodes = 0;
    for (int i = 0; i < c->nshapes; i++)
        for (int j = 0; j < i; j++) {
            tmli_contact_pair p;
            if (!tmli_contact_set_is_pair(c, i, j)) continue;
            const tml_status st = check_pair(n, c, j, i, &p);
            if (st != TML_OK) return st;
            p.first = c->nmodes;
            c->nmodes += p.modes;
            if (list) list[c->npairs] = p;
            c->npairs++;
        }
    return TML_OK;
}

static tml_status build_pairs(const naming *n, tmli_contact_set *c)
{
    const tml_contact_def *d = &n->e->def;
    const bool few = c->nshapes <= CHECKED_SHAPES;
    const tml_status st = few ? visit_pairs(n, c, NULL) : check_samples(n, c);
    if (st != TML_OK) return st;
    if (few && c->npairs == 0)
        return tmli_fail_at(n->b->err, TML_ERR_MODEL, n->e->at.at,
                            "contact '%s' has no two shapes on different bodies: nothing can touch", d->name);
    c->swept = c->nmodes > LISTED_POINTS;
    if (!c->swept) {
        c->pair = tmli_arena_alloc(&n->b->m->arena, (size_t)c->npairs, sizeof *c->pair);
        return c->pair ? visit_pairs(n, c, c->pair) : tmli_no_memory(n->b->err, "model");
    }
    if (c->tangential.bristles)
        return tmli_fail_at(
            n->b->err, TML_ERR_MODEL, tmli_entry_mark(&n->e->at, "friction"),
            "contact '%s' has %d or more points of contact; bristles (lugre) are for at most %d", d->name,
            c->nmodes, LISTED_POINTS);
    if (c->law.D > 0 && isnan(d->speed))
        return tmli_fail_at(
            n->b->err, TML_ERR_MODEL, tmli_entry_mark(&n->e->at, "restitution"),
            "contact '%s' has %d or more points of contact, too many to keep the speed of each impact: "
            "give 'speed', at which 'restitution' is met, or the law hertz",
            d->name, c->nmodes);
    sort_shapes(c);
    return TML_OK;
}

// ---- laws -------------------------------------------------------------------------------------------------

// Speed of slow impacts [m/s]: a share of that of a fall by the length of the model, without gravity of the
// model length in a second.
static double slow_speed(const tml_model *m)
{
    const double g = v3_norm(m->gravity);
    return SLOW_IMPACT * (g > 0 ? sqrt(2 * g * m->length) : m->length);
}

static void build_laws(const naming *n, tmli_contact_set *c)
{
    const tml_contact_def *d = &n->e->def;
    const tml_friction_def *f = &d->friction;
    const bool crossley = d->law == TML_CONTACT_HUNT_CROSSLEY;
    c->law = (tmli_normal_law){.law = d->law,
                               .k = d->stiffness,
                               .n = d->law == TML_CONTACT_LINEAR      ? 1
                                    : crossley && !isnan(d->exponent) ? d->exponent
                                                                      : 1.5,
                               .c = isnan(d->damping) ? 0 : d->damping,
                               .speed = isnan(d->speed) ? slow_speed(n->b->m) : d->speed,
                               .unit = n->b->m->length};
    c->law.p = d->law == TML_CONTACT_LINEAR ? 0 : crossley ? c->law.n : 0.25;
    if (!isnan(d->restitution) && crossley) c->law.D = tmli_restitution_crossley(d->restitution);
    if (!isnan(d->restitution) && !crossley) c->zeta = tmli_restitution_damping(d->restitution);
    c->tangential = (tmli_tangential_law){.rolling = d->rolling,
                                          .drilling = d->drilling,
                                          .spin_creep = isnan(d->spin_creep) ? 0 : d->spin_creep};
    if (!d->has_friction) return;
    c->tangential.slides = true;
    c->tangential.bristles = f->law == TML_FRICTION_LUGRE;
    c->tangential.mu = f->coefficient;
    c->tangential.more = isnan(f->static_coefficient) ? 0 : f->static_coefficient - f->coefficient;
    c->tangential.stribeck = isnan(f->stribeck) ? 0 : f->stribeck;
    c->tangential.viscous = f->viscous;
    c->tangential.creep = f->creep;
    c->tangential.s0 = f->bristle_stiffness;
    c->tangential.s1 = f->bristle_damping;
}

// ---- start ------------------------------------------------------------------------------------------------

// Depth of two shapes in each other at the start, before the assembly [m]; 0: not more than one at rest.
static double overlap_of(const tml_model *m, const tmli_shape *a, const tmli_shape *b)
{
    bool swap;
    const tmli_pair_type *type = tmli_pair_find(a->type, b->type, &swap);
    const tmli_shape *s[2] = {swap ? b : a, swap ? a : b};
    const double size = fmin(a->bound, b->bound);
    tmli_place place[2];
    tmli_contact_point point[TMLI_PAIR_POINTS];
    for (int k = 0; k < 2; k++) {
        const tmli_pose B = tmli_node_start_pose(m, s[k]->body);
        place[k] = tmli_shape_place(s[k], &B);
    }
    const int count = tmli_pair_points(type, s[0], &place[0], s[1], &place[1], point);
    double depth = 0;
    for (int k = 0; k < count; k++) depth = fmax(depth, -point[k].gap);
    return depth > START_OVERLAP * size ? depth : 0;
}

static void warn_of_overlap(const naming *n, const tmli_contact_set *c)
{
    const tml_model *m = n->b->m;
    int worst[2] = {0, 0};
    double deepest = 0;
    for (int i = 0; i < c->nshapes && c->nshapes <= CHECKED_SHAPES; i++)
        for (int j = 0; j < i; j++) {
            if (!tmli_contact_set_is_pair(c, i, j)) continue;
            const double depth = overlap_of(m, &c->shape[i], &c->shape[j]);
            if (depth <= deepest) continue;
            deepest = depth;
            worst[0] = i;
            worst[1] = j;
        }
    if (deepest == 0) return;
    const tmli_shape *a = &c->shape[worst[0]], *b = &c->shape[worst[1]];
    const tmli_normal_law law = tmli_contact_set_law(c, a, b);
    const bool plane = a->type == TML_SHAPE_PLANE;
    tmli_log(&m->env, TML_LOG_WARNING,
             "contact '%s': '%s' is %.3g m deep in '%s' at the start and is pushed out with %.3g N",
             n->e->def.name, plane ? b->name : a->name, deepest, plane ? a->name : b->name,
             tmli_normal_eval(&law, 0, deepest, 0).spring);
}

// Make room for bodies and bristles, and set the slots of both.
static tml_status build_plan(const naming *n, tmli_contact_set *c, tmli_force *f, int first_state)
{
    tml_model *m = n->b->m;
    const int states = c->tangential.bristles ? 2 * c->nmodes : 0, count = c->nshapes + states;
    int *node = tmli_calloc(&m->env, (size_t)count, sizeof *node);
    int *slot = tmli_calloc(&m->env, (size_t)count, sizeof *slot);
    tml_status st = node && slot ? TML_OK : tmli_no_memory(n->b->err, "model");
    for (int i = 0; i < count && st == TML_OK; i++)
        node[i] = i < c->nshapes ? c->shape[i].body : tmli_model_state_node(m, first_state + i - c->nshapes);
    if (st == TML_OK) st = tmli_force_plan(n->b, f, count, node, slot);
    for (int i = 0; i < c->nshapes && st == TML_OK; i++) c->slot[i] = slot[i];
    c->first_bristle = states > 0 && st == TML_OK ? slot[c->nshapes] : -1;
    tmli_free(&m->env, node);
    tmli_free(&m->env, slot);
    return st;
}

static void name_pair(const tmli_force *f, int i, const char *shape[2])
{
    const tmli_contact_set *c = f->data;
    const int *pair = c->pair[i].shape, loaded = tmli_contact_set_loaded(c, pair[0], pair[1]);
    shape[0] = c->shape[loaded].name;
    shape[1] = c->shape[pair[0] == loaded ? pair[1] : pair[0]].name;
}

tml_status tmli_contact_set_build(const tmli_force_builder *b, const tmli_contact_entry *e, int first_state,
                                  tmli_force *f)
{
    const naming n = {b, e};
    tmli_contact_set *c = f->data;
    tml_status st = tmli_contact_set_shapes(b, e, c);
    if (st != TML_OK) return st;
    build_laws(&n, c);
    st = build_pairs(&n, c);
    if (st == TML_OK) st = build_plan(&n, c, f, first_state);
    if (st != TML_OK) return st;
    f->nmodes = c->swept ? 0 : c->nmodes;
    f->loose = c->swept;
    f->scratch = c->swept ? tmli_contact_set_scratch(c) : 0;
    warn_of_overlap(&n, c);
    f->rubs = c->tangential.slides;
    return c->swept ? TML_OK : tmli_resultant_name(b, f, c->npairs, name_pair);
}

int tmli_contact_mode_count(const tml_spec *spec, const tml_contact_def *d)
{
    const char *other = d->b ? d->b : d->a;
    int count = 0;
    for (int i = 0; i < spec->nshapes; i++)
        for (int j = 0; j < i && count <= LISTED_POINTS; j++) {  // more are refused
            const tml_shape_def *s[2] = {&spec->shapes[i].def, &spec->shapes[j].def};
            const bool meet = (is_named(s[0], d->a) && is_named(s[1], other)) ||
                              (is_named(s[0], other) && is_named(s[1], d->a));
            tmli_marker at[2];
            bool swap, known = meet;
            for (int k = 0; k < 2 && known; k++)
                known = tmli_model_find_frame(spec, s[k]->at ? s[k]->at : s[k]->name, (tml_mark){0}, &at[k],
                                              NULL) == TML_OK;
            const tmli_pair_type *type = known ? tmli_pair_find(s[0]->type, s[1]->type, &swap) : NULL;
            if (type && at[0].body != at[1].body) count += tmli_pair_count(type, spec->planar);
        }
    return count;
}

// Bodies are numbered before forces are built; names that are wrong are reported later.
int tmli_contact_bristle_count(const tml_spec *spec, const tml_contact_def *d)
{
    return d->has_friction && d->friction.law == TML_FRICTION_LUGRE ? 2 * tmli_contact_mode_count(spec, d)
                                                                    : 0;
}
