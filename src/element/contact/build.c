// Contacts of a spec to the set of their pairs: what cannot touch, laws, the start. Shapes are in shapes.c.
#include "element/contact/naming.h"
#include "element/contact/resultant.h"

#include <math.h>

#include "element/contact/constants.h"

// ---- pairs ------------------------------------------------------------------------------------------------

const char *tmli_shape_type_name(tml_shape_type type)
{
    static const char *const names[TML_SHAPE_TYPES] = {"sphere", "plane", "box",  "cylinder", "capsule",
                                                       "cone",   "torus", "mesh", "profile",  "height field"};
    return names[type];
}

static tml_status check_pair(const tmli_naming *n, const tmli_contact_set *c, int i, int j,
                             tmli_contact_pair *out)
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
    const bool curved = first->type == TML_SHAPE_PROFILE || second->type == TML_SHAPE_PROFILE ||
                        first->type == TML_SHAPE_HEIGHT_FIELD;
    if (!(k > 0 && isfinite(k)) || (isnan(c->law.k) && curved))
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

void tmli_contact_set_sort(tmli_contact_set *c)
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
static tml_status check_samples(const tmli_naming *n, tmli_contact_set *c)
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
static tml_status visit_pairs(const tmli_naming *n, tmli_contact_set *c, tmli_contact_pair *list)
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

static tml_status build_pairs(const tmli_naming *n, tmli_contact_set *c)
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
    tmli_contact_set_sort(c);
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

static void build_laws(const tmli_naming *n, tmli_contact_set *c)
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
    for (int k = 0; k < count; k++)
        if (point[k].fade.v < 1) depth = fmax(depth, -point[k].gap);
    return depth > START_OVERLAP * size ? depth : 0;
}

static void warn_of_overlap(const tmli_naming *n, const tmli_contact_set *c)
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
static tml_status build_plan(const tmli_naming *n, tmli_contact_set *c, tmli_force *f, int first_state)
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
    tmli_free_all(&m->env, node, slot);
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
    const tmli_naming n = {b, e};
    tmli_contact_set *c = f->data;
    tml_status st = tmli_contact_set_shapes(b, e, c);
    if (st != TML_OK) return st;
    build_laws(&n, c);
    st = build_pairs(&n, c);
    if (st == TML_OK) st = tmli_contact_check_fields(&n, c);
    if (st == TML_OK) st = build_plan(&n, c, f, first_state);
    if (st != TML_OK) return st;
    f->nmodes = c->swept ? 0 : c->nmodes;
    f->diagonal_tangent = c->swept;
    f->scratch = c->swept ? tmli_contact_set_scratch(c) : 0;
    warn_of_overlap(&n, c);
    f->has_friction = c->tangential.slides;
    return c->swept ? TML_OK : tmli_resultant_name(b, f, c->npairs, name_pair);
}

int tmli_contact_mode_count(const tml_spec *spec, const tml_contact_def *d)
{
    const char *other = d->b ? d->b : d->a;
    int count = 0;
    for (int i = 0; i < spec->nshapes; i++)
        for (int j = 0; j < i && count <= LISTED_POINTS; j++) {  // more are refused
            const tml_shape_def *s[2] = {&spec->shapes[i].def, &spec->shapes[j].def};
            const bool meet = (tmli_shape_is_named(s[0], d->a) && tmli_shape_is_named(s[1], other)) ||
                              (tmli_shape_is_named(s[0], other) && tmli_shape_is_named(s[1], d->a));
            tmli_marker at[2];
            bool swap, known = meet;
            for (int k = 0; k < 2 && known; k++)
                known = tmli_model_find_frame(spec, NULL, s[k]->at ? s[k]->at : s[k]->name, (tml_mark){0},
                                              &at[k], NULL) == TML_OK;
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
