// The extent of a model at the start: its length and its origin.
//
// Positions are floating-point numbers: at a distance R from the coordinate origin they are multiples of
// DBL_EPSILON R or half of it, however small the mechanism is. States therefore count positions from an
// origin near the model, r = x - O. O is 0 for all models that do not stand far away, compared with their
// length; for others it is the middle of the model, rounded to a multiple of a power of two so that x - O is
// exact. Everything on the ground has a place relative to O (tmli_model_find_frame). Expressions, results,
// and force callbacks use x = r + O.
#include "model/build/build.h"

#include <math.h>

#include "model/build/constants.h"

typedef struct box {
    double low[3], high[3];
} box;

static void include_point(box *b, const double p[3])
{
    for (int k = 0; k < 3; k++) {
        b->low[k] = fmin(b->low[k], p[k]);
        b->high[k] = fmax(b->high[k], p[k]);
    }
}

// The box around all bodies, frames and joint points at the start; bodies are at x.
static box find_box(const tml_model *m, const tml_spec *spec)
{
    box b = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < m->nbodies; i++) include_point(&b, m->node[i].q0);
    for (int i = 0; i < spec->nframes; i++) {
        const tml_frame_def *f = &spec->frames[i].def;
        int body;
        double p[3];
        if (tmli_model_find_body(spec, f->body, (tml_mark){0}, &body, NULL) != TML_OK) continue;
        const tmli_pose x = tmli_node_start_pose(m, body);
        v3_store(v3_add(x.r, m3_mulv(&x.R, v3_from(f->position))), p);
        include_point(&b, p);
    }
    for (int j = 0; j < spec->njoints; j++)
        if (spec->joints[j].def.has_point) include_point(&b, spec->joints[j].def.point);
    return b;
}

// The length of the model [m]: half the diagonal of the box. It is the unit of the absolute tolerances, for
// which a rough value is sufficient. If the box is a point: the radius of gyration of the bodies, or 1 m.
static double length_of(const tml_model *m, const box *b)
{
    const double *hi = b->high, *lo = b->low;
    const double diagonal = v3_norm(v3(hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]));
    if (diagonal > 0) return diagonal / 2;

    double mass = 0, inertia = 0;
    for (int i = 0; i < m->nbodies; i++) {
        mass += m->node[i].mass;
        inertia += m->node[i].J.m[0] + m->node[i].J.m[4] + m->node[i].J.m[8];
    }
    return mass > 0 && inertia > 0 ? sqrt(inertia / mass) : 1;
}

void tmli_model_set_extent(const tml_spec *spec, tml_model *m)
{
    const box b = find_box(m, spec);
    m->length = length_of(m, &b);
    double middle[3], origin[3], grid = exp2(ceil(log2(m->length)));
    for (int k = 0; k < 3; k++) middle[k] = b.low[k] / 2 + b.high[k] / 2;
    if (!(v3_norm(v3_from(middle)) > NEAR_ORIGIN * m->length)) return;
    for (int k = 0; k < 3; k++) origin[k] = grid * round(middle[k] / grid);
    if (!isfinite(origin[0] + origin[1] + origin[2])) return;  // no number is near such a place
    m->origin = v3_from(origin);
    for (int i = 0; i < m->nbodies; i++) v3_store(v3_sub(v3_from(m->node[i].q0), m->origin), m->node[i].q0);
}
