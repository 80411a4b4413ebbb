// Volume integrals of shapes. With the volume V, the centre c and S = integral of x x' about the centre:
//
//   about another point, c from it:  integral of x x' = S + V c c'                                  (1)
//   moments of inertia over the density:  J = tr(S) 1 - S,  S_xx = (J_yy + J_zz - J_xx)/2            (2)
//
// A round shape with the unit vector n along its axis, a across it: S = S_aa 1 + (S_nn - S_aa) n n'. (3)
// A mesh is the sum of the tetrahedra of the origin and its triangles a, b, c, with signs:
//
//   D = a . (b x c),  s = a + b + c
//   V = sum D/6,  first moment = sum D s/24,  integral of x x' = sum D (a a' + b b' + c c' + s s')/120  (4)
//
// If all triangles are turned inwards V is negative, and the signs change.
#include "spec/mass/integrals.h"

#include <stdlib.h>

static const double pi = 3.14159265358979323846;

// Of a round shape by (3): centre at c along the axis.
static tmli_integrals round_shape(const double *axis, double volume, double across, double along, double c)
{
    const vec3 n = v3_from(axis);
    tmli_integrals x = {.volume = volume, .first = v3_scale(volume * c, n)};
    const mat3 one = m3_identity(), outer = m3_outer(n, n), a = m3_scale(across, &one),
               b = m3_scale(along - across + volume * c * c, &outer);
    x.second = m3_add(&a, &b);
    return x;
}

static tmli_integrals box(const double *edges, int dimensions)
{
    tmli_integrals x = {.volume = 1};
    for (int k = 0; k < dimensions; k++) x.volume *= edges[k];
    for (int k = 0; k < dimensions; k++) x.second.m[4 * k] = x.volume * edges[k] * edges[k] / 12;
    return x;
}

// Discs, rectangles, and rectangles with half discs at the ends.
static bool planar_shape(const tml_shape_def *d, tmli_integrals *out)
{
    const double r = d->radius, L = d->length, disc = pi * r * r;
    if (d->type == TML_SHAPE_BOX) *out = box(d->edges, 2);
    else if (d->type == TML_SHAPE_SPHERE) {
        *out = (tmli_integrals){.volume = disc};
        out->second.m[0] = out->second.m[4] = disc * r * r / 4;
    } else if (d->type == TML_SHAPE_CAPSULE) {
        // half discs: their centres are 4 r/(3 pi) beyond the ends of the rectangle, r^2/4 about these ends
        const double bar = 2 * r * L, h = 4 * r / (3 * pi);
        const double along = bar * L * L / 12 + disc * (r * r / 4 + L * L / 4 + L * h);
        const double across = bar * r * r / 3 + disc * r * r / 4;
        *out = round_shape(d->axis, bar + disc, across, along, 0);
        out->second.m[8] = 0;  // there is no extent along z
    } else return false;
    return true;
}

bool tmli_integrals_of_shape(const tml_shape_def *d, bool planar, tmli_integrals *out)
{
    const double r = d->radius, L = d->length, square = r * r;
    if (planar) return planar_shape(d, out);
    switch (d->type) {
    case TML_SHAPE_BOX: *out = box(d->edges, 3); return true;
    case TML_SHAPE_SPHERE: {
        const double V = 4.0 / 3 * pi * r * square;
        *out = round_shape((const double[]){0, 0, 1}, V, V * square / 5, V * square / 5, 0);
        return true;
    }
    case TML_SHAPE_CYLINDER: {
        const double V = pi * square * L;
        *out = round_shape(d->axis, V, V * square / 4, V * L * L / 12, 0);
        return true;
    }
    case TML_SHAPE_CAPSULE: {
        // half spheres with their centres 3 r/8 beyond the ends of the cylinder, r^2/5 about these ends
        const double bar = pi * square * L, ball = 4.0 / 3 * pi * r * square;
        *out = round_shape(d->axis, bar + ball, bar * square / 4 + ball * square / 5,
                           bar * L * L / 12 + ball * (square / 5 + L * L / 4 + 3 * L * r / 8), 0);
        return true;
    }
    case TML_SHAPE_CONE: {
        // its middle is at the origin, its centre a quarter of the length from the base
        const double V = pi * square * L / 3;
        *out = round_shape(d->axis, V, 3 * V * square / 20, 3 * V * L * L / 80, -L / 4);
        return true;
    }
    case TML_SHAPE_TORUS: {
        const double a = d->tube * d->tube, V = 2 * pi * pi * r * a;
        *out = round_shape(d->axis, V, V * (square / 2 + 3 * a / 8), V * a / 4, 0);
        return true;
    }
    default: return false;
    }
}

// By Green's theorem along the outline, which goes counter-clockwise:
//   area = int x dy,  int x = int x^2/2 dy,  int y = int x y dy,
//   int x^2 = int x^3/3 dy,  int x y = int x^2 y/2 dy,  int y^2 = int x y^2 dy
// with the six points of Gauss in each part, exact for cubics: degrees up to 3*3 + 2 = 11.
tmli_integrals tmli_integrals_of_outline(const tmli_outline *o)
{
    static const double node[3] = {0.23861918608319690863, 0.66120938646626451366, 0.93246951420315202781},
                        weight[3] = {0.46791393457269104739, 0.36076157304813860757, 0.17132449237917034504};
    tmli_integrals out = {0};
    for (int k = 0; k < o->nparts; k++)
        for (int i = 0; i < 6; i++) {
            const double at = (1 + (i % 2 ? node[i / 2] : -node[i / 2])) / 2;
            const tmli_outline_place p = tmli_outline_at(o, k + at);
            const double x = p.c.x, y = p.c.y, dy = weight[i / 2] / 2 * p.n.x * p.speed;
            out.volume += x * dy;
            out.first.x += x * x / 2 * dy;
            out.first.y += x * y * dy;
            out.second.m[0] += x * x * x / 3 * dy;
            out.second.m[1] += x * x * y / 2 * dy;
            out.second.m[4] += x * y * y * dy;
        }
    out.second.m[3] = out.second.m[1];
    return out;
}

void tmli_integrals_add(tmli_integrals *sum, const tmli_integrals *part, const mat3 *C, vec3 r)
{
    const vec3 f = m3_mulv(C, part->first);
    const mat3 Ct = m3_transpose(C), half = m3_mul(&part->second, &Ct), turned = m3_mul(C, &half);
    const mat3 rf = m3_outer(r, f), fr = m3_outer(f, r), rr = m3_outer(r, r),
               shift = m3_scale(part->volume, &rr);
    mat3 x = m3_add(&turned, &rf);
    x = m3_add(&x, &fr);
    x = m3_add(&x, &shift);
    sum->second = m3_add(&sum->second, &x);
    sum->first = v3_add(sum->first, v3_axpy(part->volume, r, f));
    sum->volume += part->volume;
}

// ---- meshes -----------------------------------------------------------------------------------------------

// An edge from the lower to the higher vertex; way: 1, or -1 if its triangle runs the other way.
typedef struct edge {
    int low, high, way;
} edge;

static int compare_edges(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    return x->high < y->high ? -1 : x->high > y->high;
}

static tml_status check_closed(const tmli_mesh_data *mesh, const tml_env *env, tml_error *err)
{
    const size_t count = 3 * (size_t)mesh->triangle_count;
    edge *e = tmli_calloc(env, count + 1, sizeof *e);
    if (!e) return tmli_no_memory(err, "mesh");
    for (size_t i = 0; i < count; i++) {
        const int a = mesh->triangle[i], b = mesh->triangle[i % 3 == 2 ? i - 2 : i + 1];
        e[i] = a < b ? (edge){a, b, 1} : (edge){b, a, -1};
    }
    qsort(e, count, sizeof *e, compare_edges);
    long open = 0;
    for (size_t i = 0, next; i < count; i = next) {
        int sum = 0;
        for (next = i; next < count && compare_edges(&e[i], &e[next]) == 0; next++) sum += e[next].way;
        open += e[i].low != e[i].high && sum != 0;
    }
    tmli_free(env, e);
    if (open == 0 && count > 0) return TML_OK;
    return tmli_fail(
        err, TML_ERR_MODEL,
        "the mesh is not closed: %ld of its edges have not as many triangles on one side as on the "
        "other",
        open);
}

tml_status tmli_integrals_of_mesh(const tmli_mesh_data *mesh, double scale, const tml_env *env,
                                  tmli_integrals *out, tml_error *err)
{
    *out = (tmli_integrals){0};
    const tml_status st = check_closed(mesh, env, err);
    if (st != TML_OK) return st;
    for (int i = 0; i < mesh->triangle_count; i++) {
        vec3 p[3], s = {0};
        for (int k = 0; k < 3; k++) {
            const float *v = mesh->vertex + 3 * (size_t)mesh->triangle[3 * i + k];
            p[k] = v3_scale(scale, v3((double)v[0], (double)v[1], (double)v[2]));
            s = v3_add(s, p[k]);
        }
        const double D = v3_dot(p[0], v3_cross(p[1], p[2]));  // (4)
        out->volume += D / 6;
        out->first = v3_axpy(D / 24, s, out->first);
        mat3 x = m3_outer(s, s);
        for (int k = 0; k < 3; k++) {
            const mat3 y = m3_outer(p[k], p[k]);
            x = m3_add(&x, &y);
        }
        x = m3_scale(D / 120, &x);
        out->second = m3_add(&out->second, &x);
    }
    if (out->volume < 0) {
        out->volume = -out->volume;
        out->first = v3_scale(-1, out->first);
        out->second = m3_scale(-1, &out->second);
    }
    return out->volume > 0 ? TML_OK : tmli_fail(err, TML_ERR_MODEL, "the mesh has no volume");
}
