// Surfaces of triangles; see the header. A body of revolution has a profile in the half plane r >= 0, z from
// top to bottom, with its normals; corners of the profile are two points with two normals.
#include "view/export/surface.h"

#include <math.h>
#include <string.h>

enum { SIDES = 24, ARC = 8, MOST = 4 * ARC + 4 };

static const double PI = 3.14159265358979323846;

typedef struct profile_point {
    double r, z, nr, nz;
} profile_point;

void tmli_surface_clear(tmli_surface *s)
{
    tmli_free_all(s->env, s->vertex, s->normal, s->triangle);
    *s = (tmli_surface){.env = s->env};
}

static void *grow(tmli_surface *s, void *old, size_t used, size_t room)
{
    void *bigger = tmli_calloc(s->env, room, 1);
    if (bigger && used > 0) memcpy(bigger, old, used);
    tmli_free(s->env, old);
    s->failed |= !bigger;
    return bigger;
}

static void reserve(tmli_surface *s, int vertices, int triangles)
{
    const size_t each = 3 * sizeof(float), three = 3 * sizeof(int);
    if (!s->failed && s->vertices + vertices > s->vertex_room) {
        const int room = 2 * (s->vertices + vertices);
        s->vertex = grow(s, s->vertex, (size_t)s->vertices * each, (size_t)room * each);
        s->normal = grow(s, s->normal, (size_t)s->vertices * each, (size_t)room * each);
        s->vertex_room = room;
    }
    if (!s->failed && s->triangles + triangles > s->triangle_room) {
        const int room = 2 * (s->triangles + triangles);
        s->triangle = grow(s, s->triangle, (size_t)s->triangles * three, (size_t)room * three);
        s->triangle_room = room;
    }
}

static void put_vertex(tmli_surface *s, const tmli_spot *at, vec3 p, vec3 n)
{
    const vec3 x = v3_add(at->p, m3_mulv(&at->R, p)), m = m3_mulv(&at->R, n);
    float *v = s->vertex + 3 * s->vertices, *u = s->normal + 3 * s->vertices++;
    v[0] = (float)x.x, v[1] = (float)x.y, v[2] = (float)x.z;
    u[0] = (float)m.x, u[1] = (float)m.y, u[2] = (float)m.z;
}

static void put_triangle(tmli_surface *s, int a, int b, int c)
{
    int *t = s->triangle + 3 * s->triangles++;
    t[0] = a, t[1] = b, t[2] = c;
}

static void revolve(tmli_surface *s, const tmli_spot *at, const profile_point *p, int count)
{
    reserve(s, count * (SIDES + 1), 2 * (count - 1) * SIDES);
    if (s->failed) return;
    const int first = s->vertices;
    for (int k = 0; k < count; k++)
        for (int i = 0; i <= SIDES; i++) {
            const double c = cos(2 * PI * i / SIDES), d = sin(2 * PI * i / SIDES);
            put_vertex(s, at, (vec3){p[k].r * c, p[k].r * d, p[k].z},
                       (vec3){p[k].nr * c, p[k].nr * d, p[k].nz});
        }
    for (int k = 0; k + 1 < count; k++)
        for (int i = 0; i < SIDES; i++) {
            const int a = first + k * (SIDES + 1) + i, b = a + SIDES + 1;
            if (p[k].r > 0) put_triangle(s, a, b, a + 1);
            if (p[k + 1].r > 0) put_triangle(s, b, b + 1, a + 1);
        }
}

// An arc of the profile about (r, z), from angle `from` to `to` above the radius.
static int put_arc(profile_point *p, double r, double z, double radius, double from, double to, int steps)
{
    for (int i = 0; i <= steps; i++) {
        const double a = from + (to - from) * i / steps;
        double across = r + radius * cos(a);
        if (fabs(across) < 1e-12 * radius) across = 0;  // the pole
        p[i] = (profile_point){across, z + radius * sin(a), cos(a), sin(a)};
    }
    return steps + 1;
}

void tmli_surface_sphere(tmli_surface *s, const tmli_spot *at, double radius)
{
    profile_point p[MOST];
    revolve(s, at, p, put_arc(p, 0, 0, radius, PI / 2, -PI / 2, 2 * ARC));
}

void tmli_surface_capsule(tmli_surface *s, const tmli_spot *at, double radius, double length)
{
    profile_point p[MOST];
    int n = put_arc(p, 0, length / 2, radius, PI / 2, 0, ARC);
    n += put_arc(p + n, 0, -length / 2, radius, 0, -PI / 2, ARC);
    revolve(s, at, p, n);
}

void tmli_surface_torus(tmli_surface *s, const tmli_spot *at, double radius, double tube)
{
    profile_point p[MOST];
    revolve(s, at, p, put_arc(p, radius, 0, tube, PI, -PI, 2 * ARC));
}

void tmli_surface_cylinder(tmli_surface *s, const tmli_spot *at, double radius, double length)
{
    const double h = length / 2;
    const profile_point p[] = {{0, h, 0, 1},       {radius, h, 0, 1},   {radius, h, 1, 0},
                               {radius, -h, 1, 0}, {radius, -h, 0, -1}, {0, -h, 0, -1}};
    revolve(s, at, p, 6);
}

void tmli_surface_cone(tmli_surface *s, const tmli_spot *at, double radius, double length)
{
    const double h = length / 2, n = hypot(radius, length);
    const double tip = 1e-9 * radius;  // not 0: the triangles beside it are needed
    const profile_point p[] = {{tip, h, length / n, radius / n},
                               {radius, -h, length / n, radius / n},
                               {radius, -h, 0, -1},
                               {0, -h, 0, -1}};
    revolve(s, at, p, 4);
}

void tmli_surface_box(tmli_surface *s, const tmli_spot *at, const double size[3])
{
    reserve(s, 24, 12);
    if (s->failed) return;
    for (int axis = 0; axis < 3; axis++)
        for (int side = -1; side <= 1; side += 2) {
            const int first = s->vertices, u = (axis + 1) % 3, v = (axis + 2) % 3;
            double n[3] = {0};
            n[axis] = side;
            for (int k = 0; k < 4; k++) {
                double x[3];
                x[axis] = side * size[axis] / 2;
                x[u] = (k == 1 || k == 2 ? 1 : -1) * side * size[u] / 2;
                x[v] = (k > 1 ? 1 : -1) * size[v] / 2;
                put_vertex(s, at, v3_from(x), v3_from(n));
            }
            put_triangle(s, first, first + 1, first + 2);
            put_triangle(s, first, first + 2, first + 3);
        }
}

void tmli_surface_bar(tmli_surface *s, vec3 a, vec3 b, double radius)
{
    const vec3 d = v3_sub(b, a);
    const double length = v3_norm(d);
    if (!(length > 0)) return;
    const tmli_spot at = {.R = m3_axes_along(v3_scale(1 / length, d)), .p = v3_scale(0.5, v3_add(a, b))};
    tmli_surface_cylinder(s, &at, radius, length);
}

void tmli_surface_triangle(tmli_surface *s, const tmli_spot *at, const vec3 point[3])
{
    const vec3 n = v3_cross(v3_sub(point[1], point[0]), v3_sub(point[2], point[0]));
    const double area = v3_norm(n);
    reserve(s, 3, 1);
    if (s->failed || !(area > 0)) return;
    for (int k = 0; k < 3; k++) put_vertex(s, at, point[k], v3_scale(1 / area, n));
    put_triangle(s, s->vertices - 3, s->vertices - 2, s->vertices - 1);
}
