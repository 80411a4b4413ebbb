// The extent of a model at the start: its length and its origin.
//
// Positions are floating-point numbers: at a distance R from the coordinate origin they are multiples of
// DBL_EPSILON R or half of it, however small the mechanism is. States therefore count positions from an
// origin near the model, r = x - O. O is 0 for all models that do not stand far away, compared with their
// length; for others it is the middle of the model, rounded to a multiple of a power of two so that x - O is
// exact. Everything on the ground has a place relative to O (tmli_model_find_frame). Expressions, results,
// and force callbacks use x = r + O.
#include "model/build/build.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "model/build/constants.h"

typedef struct box {
    double low[3], high[3];
    int points;
} box;

static void include_point(box *b, const double p[3])
{
    b->points++;
    for (int k = 0; k < 3; k++) {
        b->low[k] = fmin(b->low[k], p[k]);
        b->high[k] = fmax(b->high[k], p[k]);
    }
}

// The box around all bodies, frames and joint points at the start; bodies are at x.
static box find_box(const tml_model *m, const tml_spec *spec)
{
    box b = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
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

static bool is_origin(const char *frame) { return frame && strcmp(frame, "ground") == 0; }

// Whether a rod or a spring ends at the origin of the ground, which is no frame of the box.
static bool is_tied_to_origin(const tml_spec *spec)
{
    for (int j = 0; j < spec->njoints; j++) {
        const tml_joint_def *d = &spec->joints[j].def;
        if (d->type == TML_JOINT_DISTANCE && (is_origin(d->a) || is_origin(d->b))) return true;
    }
    for (int i = 0; i < spec->nforces; i++) {
        const tml_force_def *d = &spec->forces[i].def;
        if (d->type == TML_FORCE_SPRING && (is_origin(d->a) || is_origin(d->b))) return true;
    }
    return false;
}

// The length of the model [m]: half the diagonal of the box. It is the unit of the absolute tolerances, for
// which a rough value is sufficient. If the box is a point: the length of a rod or spring from there to the
// origin of the ground; else a guess, the radius of gyration of the bodies, or 1 m.
static double length_of(const tml_spec *spec, tml_model *m, const box *b)
{
    const double diagonal = v3_norm(v3_sub(v3_from(b->high), v3_from(b->low)));
    if (diagonal > 0) return diagonal / 2;
    const double link = is_tied_to_origin(spec) ? v3_norm(v3_from(b->low)) : 0;
    if (link > 0) return link;

    m->length_is_guess = true;
    double mass = 0, inertia = 0;
    for (int i = 0; i < m->nbodies; i++) {
        mass += m->node[i].mass;
        inertia += m->node[i].J.m[0] + m->node[i].J.m[4] + m->node[i].J.m[8];
    }
    return mass > 0 && inertia > 0 ? sqrt(inertia / mass) : 1;
}

// Whether the given places are exact enough for the dimensions between them.
static tml_status check_rounding(const tml_spec *spec, const tml_model *m, double distance, tml_error *err)
{
    const double share = m->rounding / m->length;
    if (!(share <= LOST_DIMENSIONS))
        return tmli_fail_at(err, TML_ERR_MODEL, spec->at,
                            "the model stands %.3g m from the coordinate origin, where positions are rounded "
                            "to %.2g m: its length of %.3g m is lost; give positions from a nearer origin",
                            distance, m->rounding, m->length);
    if (share > ROUNDED_DIMENSIONS)
        tmli_log(&m->env, TML_LOG_WARNING,
                 "the model stands %.3g m from the coordinate origin, where positions are rounded to %.2g m, "
                 "%.2g of its length: results are not more exact than that; give positions from a nearer "
                 "origin",
                 distance, m->rounding, share);
    return TML_OK;
}

tml_status tmli_model_set_extent(const tml_spec *spec, tml_model *m, tml_error *err)
{
    const box b = find_box(m, spec);
    m->length = length_of(spec, m, &b);
    m->near = NEAR_ORIGIN * m->length;
    double middle[3], origin[3];
    for (int k = 0; k < 3; k++) middle[k] = b.low[k] / 2 + b.high[k] / 2;
    const double distance = v3_norm(v3_from(middle)), grid = exp2(ceil(log2(m->length)));
    if (!(distance > m->near)) return TML_OK;
    m->rounding = DBL_EPSILON * distance;
    const tml_status st = b.points > 1 ? check_rounding(spec, m, distance, err) : TML_OK;
    for (int k = 0; k < 3; k++) origin[k] = grid * round(middle[k] / grid);
    if (!isfinite(origin[0] + origin[1] + origin[2])) return st;  // no number is near such a place
    m->origin = v3_from(origin);
    for (int i = 0; i < m->nbodies; i++) v3_store(v3_sub(v3_from(m->node[i].q0), m->origin), m->node[i].q0);
    return st;
}
