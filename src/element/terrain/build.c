// The bicubic spline through a grid of heights.
//
// Along a line of nodes with the distance 1 the slopes m of the cubic spline through the values y are
//   m_(i-1) + 4 m_i + m_(i+1) = 3 (y_(i+1) - y_(i-1))                                                     (1)
// with the slopes at both ends of the cubic through the four nodes there (of fewer nodes: of the polynomial
// through all), so that the surface through heights of a polynomial of degree 3 is that polynomial:
//   m_0 = (-11 y_0 + 18 y_1 - 9 y_2 + 2 y_3)/6                                                            (2)
// (1) along x gives z_x at the nodes, along y z_y, and along y of z_x z_xy; the result does not depend on the
// order. A cell with these values at its corners is a bicubic patch. Its control points (Bernstein)
//   z + (+-z_x +- z_y)/3 +- z_xy/9 etc., with the signs towards the inside,                               (3)
// have its heights and, by their differences, its slopes between them.
//
// A border of nodes about the grid continues the surface with the slope at its edge: in units of cells
//   z := z +- z_x,  z_x := z_x,  z_y := z_y +- z_xy,  z_xy := z_xy                                        (4)
// and beyond it the cells of the border go on.
#include "element/terrain/terrain.h"

#include <math.h>

/** Values along a line of nodes: `stride` numbers apart. */
typedef struct line {
    const double *y;
    double *m;
    int count;
    size_t stride;
} line;

static double value(const line *l, int i) { return l->y[(size_t)i * l->stride]; }

// (2) at the first node, or with the signs reversed at the last
static double end_slope(const line *l, bool last)
{
    double y[4];
    const int count = l->count < 4 ? l->count : 4;
    for (int i = 0; i < count; i++) y[i] = value(l, last ? l->count - 1 - i : i);
    const double m = count == 2   ? y[1] - y[0]
                     : count == 3 ? (-3 * y[0] + 4 * y[1] - y[2]) / 2
                                  : (-11 * y[0] + 18 * y[1] - 9 * y[2] + 2 * y[3]) / 6;
    return last ? -m : m;
}

// (1) by elimination; work (count)
static void solve_slopes(const line *l, double *work)
{
    const int n = l->count;
    double *const m = l->m;
    const size_t s = l->stride;
    m[0] = end_slope(l, false);
    m[(size_t)(n - 1) * s] = end_slope(l, true);
    work[0] = 0;
    for (int i = 1; i + 1 < n; i++) {
        const double pivot = 4 - work[i - 1], right = 3 * (value(l, i + 1) - value(l, i - 1));
        work[i] = 1 / pivot;
        m[(size_t)i * s] = (right - m[(size_t)(i - 1) * s]) / pivot;
    }
    for (int i = n - 2; i >= 1; i--) m[(size_t)i * s] -= work[i] * m[(size_t)(i + 1) * s];
}

// Node (i, j) of the grid, or of the border at -1, nx, ny
static tmli_terrain_node *grid_node(const tmli_terrain *t, int i, int j)
{
    return &t->node[(j + 1) * (t->nx + 2) + i + 1];
}

// (4) along x, then along y of all columns
static void set_border(tmli_terrain *t)
{
    for (int j = 0; j < t->ny; j++)
        for (int side = -1; side <= 1; side += 2) {
            const tmli_terrain_node *edge = grid_node(t, side < 0 ? 0 : t->nx - 1, j);
            *grid_node(t, side < 0 ? -1 : t->nx, j) =
                (tmli_terrain_node){edge->z + side * edge->x, edge->x, edge->y + side * edge->xy, edge->xy};
        }
    for (int i = -1; i <= t->nx; i++)
        for (int side = -1; side <= 1; side += 2) {
            const tmli_terrain_node *edge = grid_node(t, i, side < 0 ? 0 : t->ny - 1);
            *grid_node(t, i, side < 0 ? -1 : t->ny) =
                (tmli_terrain_node){edge->z + side * edge->y, edge->x + side * edge->xy, edge->y, edge->xy};
        }
}

// (3)
static void set_bounds(tmli_terrain *t)
{
    double steepest[2] = {0, 0};
    t->low = INFINITY;
    t->high = -INFINITY;
    for (int j = 0; j < t->ny + 1; j++)
        for (int i = 0; i < t->nx + 1; i++) {
            double p[4][4];  // control points, y first
            for (int k = 0; k < 16; k++) {
                const int u = k % 4, v = k / 4;
                const tmli_terrain_node *n = &t->node[(j + v / 2) * (t->nx + 2) + i + u / 2];
                const double a = u == 1 ? 1 : u == 2 ? -1 : 0, b = v == 1 ? 1 : v == 2 ? -1 : 0;
                p[v][u] = n->z + (a * n->x + b * n->y) / 3 + a * b * n->xy / 9;
                t->low = fmin(t->low, p[v][u]);
                t->high = fmax(t->high, p[v][u]);
            }
            for (int v = 0; v < 4; v++)
                for (int u = 0; u < 3; u++) {
                    steepest[0] = fmax(steepest[0], fabs(p[v][u + 1] - p[v][u]));
                    steepest[1] = fmax(steepest[1], fabs(p[u + 1][v] - p[u][v]));
                }
        }
    t->slope = 3 * hypot(steepest[0] / t->cell[0], steepest[1] / t->cell[1]);
    t->bound = v3_norm(v3(t->half[0], t->half[1], fmax(fabs(t->low), fabs(t->high))));
}

// Greatest eigenvalue of the second derivatives, which is at least the curvature of a hollow.
static double hollow_of(const tmli_terrain_jet *j)
{
    return (j->xx + j->yy) / 2 + hypot((j->xx - j->yy) / 2, j->xy);
}

// By nodes, the middles of cells and of their sides.
static void set_range(tmli_terrain *t)
{
    double low = INFINITY, high = -INFINITY, beyond = 0;
    for (int k = 0; k < t->nx * t->ny; k++) {
        const double z = grid_node(t, k % t->nx, k / t->nx)->z;
        low = fmin(low, z);
        high = fmax(high, z);
    }
    for (int j = 0; j < 2 * t->ny - 1; j++)
        for (int i = 0; i < 2 * t->nx - 1; i++) {
            const tmli_terrain_jet at =
                tmli_terrain_at(t, i * t->cell[0] / 2 - t->half[0], j * t->cell[1] / 2 - t->half[1]);
            t->hollow = fmax(t->hollow, hollow_of(&at));
            beyond = fmax(beyond, fmax(at.z - high, low - at.z));
        }
    t->overshoot = high > low ? beyond / (high - low) : 0;
}

tml_status tmli_terrain_create(int nx, int ny, const double *heights, double scale, double length,
                               double width, tmli_arena *a, tmli_terrain *out, tml_error *err)
{
    enum { STRIDE = sizeof(tmli_terrain_node) / sizeof(double) };
    *out = (tmli_terrain){
        .nx = nx, .ny = ny, .half = {length / 2, width / 2}, .cell = {length / (nx - 1), width / (ny - 1)}};
    const size_t across = (size_t)nx + 2;
    out->node = tmli_arena_alloc(a, across * ((size_t)ny + 2), sizeof *out->node);
    double *work = tmli_arena_alloc(a, (size_t)(nx > ny ? nx : ny), sizeof *work);
    if (!out->node || !work) return tmli_no_memory(err, "height field");
    for (int k = 0; k < nx * ny; k++) grid_node(out, k % nx, k / nx)->z = scale * heights[k];
    for (int j = 0; j < ny; j++) {
        tmli_terrain_node *first = grid_node(out, 0, j);
        solve_slopes(&(line){&first->z, &first->x, nx, STRIDE}, work);
    }
    for (int i = 0; i < nx; i++) {
        tmli_terrain_node *first = grid_node(out, i, 0);
        solve_slopes(&(line){&first->z, &first->y, ny, across * STRIDE}, work);
        solve_slopes(&(line){&first->x, &first->xy, ny, across * STRIDE}, work);
    }
    set_border(out);
    set_bounds(out);
    set_range(out);
    return TML_OK;
}

tml_status tmli_terrain_of(const tml_shape_def *d, tmli_arena *a, tmli_terrain *out, tml_error *err)
{
    return tmli_terrain_create(d->columns, d->height_count / d->columns, d->heights, d->scale, d->length,
                               d->width, a, out, err);
}
