// Sizes of shapes; see shape.h.
#include "element/shape/shape.h"

#include "element/shape/constants.h"

double tmli_shape_bound(const tmli_shape *s)
{
    switch (s->type) {
    case TML_SHAPE_SPHERE: return s->radius;
    case TML_SHAPE_BOX: return v3_norm(v3(s->half[0], s->half[1], s->half[2]));
    case TML_SHAPE_CYLINDER: return hypot(s->radius, s->half[2]);
    case TML_SHAPE_CAPSULE: return s->radius + s->half[2];
    case TML_SHAPE_MESH: return s->core->bound + s->core->rounding;
    case TML_SHAPE_PROFILE: return s->outline->bound;
    case TML_SHAPE_HEIGHT_FIELD: return s->terrain->bound;
    case TML_SHAPE_PLANE:
    case TML_SHAPE_CONE:  // these touch nothing
    case TML_SHAPE_TORUS:
    case TML_SHAPE_TYPES: break;
    }
    return INFINITY;
}

double tmli_shape_curvature_radius(const tmli_shape *s)
{
    return s->type == TML_SHAPE_SPHERE || s->type == TML_SHAPE_CAPSULE ? s->radius : 0;
}

tml_status tmli_shape_set_core(tmli_shape *s, tmli_arena *a, tml_error *err)
{
    const bool long_ = s->type == TML_SHAPE_CAPSULE || s->type == TML_SHAPE_CYLINDER;
    if (s->type != TML_SHAPE_BOX && !long_) return TML_OK;
    tmli_polytope *core = tmli_arena_alloc(a, 2, sizeof *core);
    if (!core) return tmli_no_memory(err, "shape");
    s->core = core;
    if (s->type == TML_SHAPE_BOX) return tmli_polytope_box(s->half, s->flat, a, core, err);
    if (s->type == TML_SHAPE_CAPSULE) return tmli_polytope_segment(s->half[2], s->radius, a, core, err);
    s->axis = core + 1;
    tml_status st = tmli_polytope_prism(s->radius, s->half[2], a, core, err);
    if (st == TML_OK) st = tmli_polytope_segment(s->half[2] - core->rounding, s->radius, a, core + 1, err);
    if (st == TML_OK) core[1].edge->taper = fmin(TAPER * s->radius, s->half[2] / 2);
    return st;
}

tml_status tmli_shape_set_samples(tmli_shape *s, double cell, double hollow, tmli_arena *a, tml_error *err)
{
    const bool round = s->type == TML_SHAPE_CYLINDER;  // its side has circles
    if (!s->core) return TML_OK;
    vec3 *p = tmli_arena_alloc(a, TMLI_POLYTOPE_SAMPLES, sizeof *p);
    if (!p) return tmli_no_memory(err, "shape");
    s->sample = p;
    s->nsamples = tmli_polytope_samples(s->core, cell, round, p);
    if (round && s->radius * hollow < FITTING_CIRCLE)
        s->ncircles = 1 + (int)fmin(fmax(ceil(2 * s->half[2] / cell), 1), CIRCLES);
    return TML_OK;
}
