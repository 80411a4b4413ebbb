// Heights and feet; see terrain.h.
//
// A foot of b is a minimum of f(x, y) = ((x - b_x)^2 + (y - b_y)^2 + (z - b_z)^2)/2:
//   f_i = x_i - b_i + z_i r,   f_ij = delta_ij + z_i z_j + z_ij r,   r = z - b_z                          (1)
// Newton's method; where (1) is not positive definite, without z_ij.
#include "element/terrain/terrain.h"

#include <math.h>

#include "element/terrain/constants.h"

double tmli_terrain_outside(const tmli_terrain *t, vec3 b)
{
    return hypot(fmax(fabs(b.x) - t->half[0], 0), fmax(fabs(b.y) - t->half[1], 0));
}

// Cubics of Hermite: of the values and slopes at 0 and 1
static inline void set_values(double s, double h[4])
{
    const double r = 1 - s;
    h[0] = (1 + 2 * s) * r * r;
    h[1] = s * r * r;
    h[2] = s * s * (3 - 2 * s);
    h[3] = -s * s * r;
}

// and their first and second derivatives
static inline void set_basis(double s, double h[3][4])
{
    const double r = 1 - s;
    set_values(s, h[0]);
    h[1][0] = -6 * s * r;
    h[1][1] = r * (1 - 3 * s);
    h[1][2] = 6 * s * r;
    h[1][3] = s * (3 * s - 2);
    h[2][0] = 12 * s - 6;
    h[2][1] = 6 * s - 4;
    h[2][2] = 6 - 12 * s;
    h[2][3] = 6 * s - 2;
}

// The cell of a coordinate among those with the border, and the place in it
static int cell_of(double x, double half, double cell, int count, double *s)
{
    const double u = (x + half) / cell + 1;
    const int i = u > 0 ? (u < count ? (int)u : count) : 0;
    *s = u - i;
    return i;
}

tmli_terrain_jet tmli_terrain_at(const tmli_terrain *t, double x, double y)
{
    double u, v, a[3][4], b[3][4];
    const int i = cell_of(x, t->half[0], t->cell[0], t->nx, &u),
              j = cell_of(y, t->half[1], t->cell[1], t->ny, &v);
    set_basis(u, a);
    set_basis(v, b);
    double out[3][3] = {{0}};  // derivatives by x and y
    for (int k = 0; k < 2; k++) {
        const tmli_terrain_node *p = &t->node[(j + k) * (t->nx + 2) + i], *q = p + 1;
        for (int d = 0; d < 3; d++) {
            const double z = a[d][0] * p->z + a[d][1] * p->x + a[d][2] * q->z + a[d][3] * q->x,
                         z_y = a[d][0] * p->y + a[d][1] * p->xy + a[d][2] * q->y + a[d][3] * q->xy;
            for (int e = 0; d + e < 3; e++) out[d][e] += b[e][2 * k] * z + b[e][2 * k + 1] * z_y;
        }
    }
    const double hx = t->cell[0], hy = t->cell[1];
    return (tmli_terrain_jet){.z = out[0][0],
                              .x = out[1][0] / hx,
                              .y = out[0][1] / hy,
                              .xx = out[2][0] / (hx * hx),
                              .xy = out[1][1] / (hx * hy),
                              .yy = out[0][2] / (hy * hy)};
}

double tmli_terrain_height(const tmli_terrain *t, double x, double y)
{
    double u, v, a[4], b[4], z = 0;
    const int i = cell_of(x, t->half[0], t->cell[0], t->nx, &u),
              j = cell_of(y, t->half[1], t->cell[1], t->ny, &v);
    set_values(u, a);
    set_values(v, b);
    for (int k = 0; k < 2; k++) {
        const tmli_terrain_node *p = &t->node[(j + k) * (t->nx + 2) + i], *q = p + 1;
        z += b[2 * k] * (a[0] * p->z + a[1] * p->x + a[2] * q->z + a[3] * q->x) +
             b[2 * k + 1] * (a[0] * p->y + a[1] * p->xy + a[2] * q->y + a[3] * q->xy);
    }
    return z;
}

// The surface is nowhere steeper than `slope`.
double tmli_terrain_clearance(const tmli_terrain *t, vec3 b)
{
    return (b.z - tmli_terrain_height(t, b.x, b.y)) / sqrt(1 + t->slope * t->slope);
}

// ---- feet -------------------------------------------------------------------------------------------------

/** (1) at a place p. */
typedef struct approach {
    double p[2], f, g[2], H[3];  // f, f_i; f_xx, f_xy, f_yy
    double plain[3];             // f_ij without z_ij
} approach;

static approach approach_at(const tmli_terrain *t, vec3 b, double x, double y, tmli_terrain_jet *j)
{
    *j = tmli_terrain_at(t, x, y);
    const double r = j->z - b.z;
    approach a = {.p = {x, y},
                  .g = {x - b.x + j->x * r, y - b.y + j->y * r},
                  .plain = {1 + j->x * j->x, j->x * j->y, 1 + j->y * j->y}};
    a.f = ((x - b.x) * (x - b.x) + (y - b.y) * (y - b.y) + r * r) / 2;
    a.H[0] = a.plain[0] + j->xx * r;
    a.H[1] = a.plain[1] + j->xy * r;
    a.H[2] = a.plain[2] + j->yy * r;
    return a;
}

static void set_step(const approach *a, double step[2])
{
    const double *H = a->H;
    double det = H[0] * H[2] - H[1] * H[1];
    if (!(H[0] > 0 && det > 0)) {
        H = a->plain;
        det = H[0] * H[2] - H[1] * H[1];
    }
    step[0] = (-H[2] * a->g[0] + H[1] * a->g[1]) / det;
    step[1] = (H[1] * a->g[0] - H[0] * a->g[1]) / det;
}

static vec3 unit(vec3 a) { return v3_scale(1 / v3_norm(a), a); }

// Normal, distance and curvatures: with orthonormal tangents e_i the curvatures are
// -z_jk e_ij e_ik/sqrt(1 + |grad z|^2).
static void set_normal(tmli_terrain_foot *f, const tmli_terrain_jet *j, vec3 b)
{
    const double w = sqrt(1 + j->x * j->x + j->y * j->y);
    f->n = v3(-j->x / w, -j->y / w, 1 / w);
    f->distance = v3_dot(f->n, v3_sub(b, f->c));
    const vec3 t1 = unit(v3(1, 0, j->x)), t2 = v3_cross(f->n, t1);
    const double A = -(j->xx * t1.x * t1.x + 2 * j->xy * t1.x * t1.y + j->yy * t1.y * t1.y) / w,
                 B = -(j->xx * t1.x * t2.x + j->xy * (t1.x * t2.y + t1.y * t2.x) + j->yy * t1.y * t2.y) / w,
                 C = -(j->xx * t2.x * t2.x + 2 * j->xy * t2.x * t2.y + j->yy * t2.y * t2.y) / w;
    const double angle = atan2(2 * B, A - C) / 2, c = cos(angle), s = sin(angle);
    f->e[0] = v3_axpy(c, t1, v3_scale(s, t2));
    f->e[1] = v3_axpy(-s, t1, v3_scale(c, t2));
    f->k[0] = (A + C) / 2 + hypot((A - C) / 2, B);
    f->k[1] = (A + C) / 2 - hypot((A - C) / 2, B);
}

tmli_terrain_foot tmli_terrain_descend(const tmli_terrain *t, vec3 b, double x, double y)
{
    tmli_terrain_jet j;
    approach a = approach_at(t, b, x, y, &j);
    bool closer = true;
    for (int k = 0; k < ITERATIONS && closer; k++) {
        double step[2], size = 0;
        set_step(&a, step);
        closer = false;
        for (int h = 0; h < HALVINGS; h++) {
            size = fmax(fabs(step[0]) / t->cell[0], fabs(step[1]) / t->cell[1]);
            const approach next = approach_at(t, b, a.p[0] + step[0], a.p[1] + step[1], &j);
            closer = next.f < a.f || size < SHORT_STEP;
            if (closer) {
                a = next;
                break;
            }
            step[0] /= 2;
            step[1] /= 2;
        }
        if (size < CONVERGED) break;
    }
    if (!closer) j = tmli_terrain_at(t, a.p[0], a.p[1]);
    tmli_terrain_foot out = {.c = v3(a.p[0], a.p[1], j.z)};
    set_normal(&out, &j, b);
    return out;
}

static bool is_known(const tmli_terrain *t, const tmli_terrain_foot *list, int count, const vec3 *c)
{
    for (int i = 0; i < count; i++)
        if (fabs(list[i].c.x - c->x) < SAME_FOOT * t->cell[0] &&
            fabs(list[i].c.y - c->y) < SAME_FOOT * t->cell[1])
            return true;
    return false;
}

/** Some nodes about a point: every `stride`-th. */
typedef struct window {
    int first[2], last[2], stride[2];
} window;

static window window_about(const tmli_terrain *t, vec3 b, double reach)
{
    window w;
    for (int i = 0; i < 2; i++) {
        const double at = i == 0 ? b.x : b.y;
        const int count = i == 0 ? t->nx : t->ny, most = (int)fmin(reach / t->cell[i], count) + 1;
        const int middle = (int)fmin(fmax(floor((at + t->half[i]) / t->cell[i] + 0.5), 0), count - 1);
        w.stride[i] = most / SEARCHED_NODES + 1;
        const int steps = (most + w.stride[i] - 1) / w.stride[i];
        w.first[i] = middle - steps * w.stride[i];
        w.last[i] = middle + steps * w.stride[i];
        while (w.first[i] < 0) w.first[i] += w.stride[i];
        while (w.last[i] >= count) w.last[i] -= w.stride[i];
    }
    return w;
}

// Square of the distance of a node; INFINITY: it is outside of the window.
static double node_distance(const tmli_terrain *t, const window *w, vec3 b, int i, int j)
{
    if (i < w->first[0] || i > w->last[0] || j < w->first[1] || j > w->last[1]) return INFINITY;
    const vec3 d = v3_sub(v3(i * t->cell[0] - t->half[0], j * t->cell[1] - t->half[1],
                             t->node[(j + 1) * (t->nx + 2) + i + 1].z),
                          b);
    return v3_dot(d, d);
}

static bool is_least(const tmli_terrain *t, const window *w, vec3 b, int i, int j)
{
    const double own = node_distance(t, w, b, i, j);
    for (int k = 0; k < 9; k++)
        if (node_distance(t, w, b, i + (k % 3 - 1) * w->stride[0], j + (k / 3 - 1) * w->stride[1]) < own)
            return false;
    return true;
}

int tmli_terrain_feet(const tmli_terrain *t, vec3 b, double reach, tmli_terrain_foot out[TMLI_TERRAIN_FEET])
{
    int count = 1;
    out[0] = tmli_terrain_descend(t, b, b.x, b.y);
    const bool wide = reach > t->cell[0] || reach > t->cell[1];
    if (!wide || tmli_terrain_clearance(t, b) > reach) return count;
    const window w = window_about(t, b, reach);
    for (int j = w.first[1]; j <= w.last[1]; j += w.stride[1])
        for (int i = w.first[0]; i <= w.last[0]; i += w.stride[0]) {
            if (!is_least(t, &w, b, i, j)) continue;
            const tmli_terrain_foot f =
                tmli_terrain_descend(t, b, i * t->cell[0] - t->half[0], j * t->cell[1] - t->half[1]);
            if (is_known(t, out, count, &f.c)) continue;
            if (count < TMLI_TERRAIN_FEET && f.distance < reach) out[count++] = f;
            else if (f.distance < out[0].distance) out[0] = f;
        }
    // the first one was only next to the point below
    if (count > 1 && !(out[0].distance < reach)) out[0] = out[--count];
    int nearest = 0;
    bool below = false;
    for (int i = 0; i < count; i++) {
        below |= out[i].distance < 0;
        if (fabs(out[i].distance) < fabs(out[nearest].distance)) nearest = i;
    }
    if (!below) return count;
    out[0] = out[nearest];  // the way out
    return 1;
}
