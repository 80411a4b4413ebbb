// Natural cubic spline. On [x_i, x_i+1] with t = x - x_i, h_i = x_i+1 - x_i:
//
//   y = y_i + b_i t + c_i t^2 + d_i t^3                                                                 (1)
//   c_i = M_i/2,  d_i = (M_i+1 - M_i)/(6 h_i),  b_i = (y_i+1 - y_i)/h_i - h_i (2 M_i + M_i+1)/6          (2)
//
// The second derivatives M_i at the points make the slope continuous; they vanish at both ends:
//
//   h_i-1 M_i-1 + 2 (h_i-1 + h_i) M_i + h_i M_i+1 = 6 ((y_i+1 - y_i)/h_i - (y_i - y_i-1)/h_i-1)           (3)
//
// (3) is diagonally dominant, so it is solved without pivoting. Because M vanishes at the ends, the straight
// lines outside (c = d = 0) continue value, slope and curvature. Units are those of the table.
#include "math/spline.h"

#include <math.h>

typedef struct piece {
    double x, y, b, c, d;  // (1)
    double area;           // integral from the first point to x
} piece;

struct tmli_spline {
    int count;
    double area0;   // integral from the first point to 0
    piece piece[];  // count; the last one is the straight line on the right
};

static tml_status check_table(int count, const double *table, tml_error *err)
{
    if (count < 2 || !table)
        return tmli_fail(err, TML_ERR_ARG, "A table needs at least two points, found %d.", count);
    for (int i = 0; i < 2 * count; i++)
        if (!isfinite(table[i]))
            return tmli_fail(err, TML_ERR_ARG, "Point %d of the table is not finite.", i / 2 + 1);
    for (int i = 1; i < count; i++) {
        const double step = table[2 * i] - table[2 * i - 2];
        if (!(step > 0) || !isfinite(step)) {
            char a[32], b[32];
            return tmli_fail(err, TML_ERR_ARG,
                             "The first column of a table must ascend: point %d is at %s, after %s.", i + 1,
                             tmli_dtoa(table[2 * i], a), tmli_dtoa(table[2 * i - 2], b));
        }
    }
    return TML_OK;
}

// (3) by elimination. Uses b for the eliminated super-diagonal and c for the right-hand side; leaves M in c.
static void solve_curvatures(int n, piece *p)
{
    p[0].b = p[0].c = p[n - 1].b = p[n - 1].c = 0;
    for (int i = 1; i < n - 1; i++) {
        const double h0 = p[i].x - p[i - 1].x, h1 = p[i + 1].x - p[i].x;
        const double rhs = 6 * ((p[i + 1].y - p[i].y) / h1 - (p[i].y - p[i - 1].y) / h0);
        const double pivot = 2 * (h0 + h1) - h0 * p[i - 1].b;
        p[i].b = h1 / pivot;
        p[i].c = (rhs - h0 * p[i - 1].c) / pivot;
    }
    for (int i = n - 2; i >= 1; i--) p[i].c -= p[i].b * p[i + 1].c;
}

static inline double piece_area(const piece *p, double t)
{
    return p->area + t * (p->y + t * (p->b / 2 + t * (p->c / 3 + t * p->d / 4)));
}

// the linear continuation to the left of the first point
static inline double left_area(const piece *p, double t) { return t * (p->y + t * p->b / 2); }

static void fill_pieces(int n, piece *p)
{
    for (int i = 0; i < n - 1; i++) {
        const double h = p[i + 1].x - p[i].x, M0 = p[i].c, M1 = p[i + 1].c;
        p[i].b = (p[i + 1].y - p[i].y) / h - h * (2 * M0 + M1) / 6;  // (2)
        p[i].c = M0 / 2;
        p[i].d = (M1 - M0) / (6 * h);
        p[i + 1].area = piece_area(&p[i], h);
    }
    const piece *e = &p[n - 2];
    const double h = p[n - 1].x - e->x;
    p[n - 1].b = e->b + h * (2 * e->c + 3 * h * e->d);
    p[n - 1].c = p[n - 1].d = 0;
}

// largest i with x_i <= x, or 0
static inline const piece *find(const tmli_spline *s, double x)
{
    int lo = 0, hi = s->count;
    while (hi - lo > 1) {
        const int mid = lo + (hi - lo) / 2;
        if (s->piece[mid].x <= x) lo = mid;
        else hi = mid;
    }
    return &s->piece[lo];
}

static double area_to(const tmli_spline *s, double x)
{
    const piece *p = find(s, x);
    return x < p->x ? left_area(p, x - p->x) : piece_area(p, x - p->x);
}

tml_status tmli_spline_create(const tml_env *env, int count, const double *table, tmli_spline **out,
                              tml_error *err)
{
    *out = NULL;
    const tml_status st = check_table(count, table, err);
    if (st != TML_OK) return st;
    const size_t n = (size_t)count;
    if (n > (SIZE_MAX - sizeof(tmli_spline)) / sizeof(piece))
        return tmli_fail(err, TML_ERR_NOMEM, "Out of memory.");
    tmli_spline *s = tmli_calloc(env, 1, sizeof *s + n * sizeof(piece));
    if (!s) return tmli_fail(err, TML_ERR_NOMEM, "Out of memory.");
    s->count = count;
    for (int i = 0; i < count; i++) {
        s->piece[i].x = table[2 * i];
        s->piece[i].y = table[2 * i + 1];
    }
    solve_curvatures(count, s->piece);
    fill_pieces(count, s->piece);
    s->area0 = area_to(s, 0);
    for (int i = 0; i < count; i++) {
        const piece *p = &s->piece[i];
        if (isfinite(p->b) && isfinite(p->c) && isfinite(p->d) && isfinite(p->area)) continue;
        tmli_spline_destroy(env, s);
        return tmli_fail(err, TML_ERR_ARG, "The table is too steep near point %d: its spline overflows.",
                         i + 1);
    }
    *out = s;
    return TML_OK;
}

void tmli_spline_destroy(const tml_env *env, tmli_spline *s) { tmli_free(env, s); }

double tmli_spline_eval(const tmli_spline *s, double x, double *slope, double *curvature)
{
    const piece *p = find(s, x);
    const double t = x - p->x;
    const double c = t < 0 ? 0 : p->c, d = t < 0 ? 0 : p->d;  // t < 0: left of the table
    if (slope) *slope = p->b + t * (2 * c + 3 * t * d);
    if (curvature) *curvature = 2 * c + 6 * t * d;
    return p->y + t * (p->b + t * (c + t * d));
}

double tmli_spline_integral(const tmli_spline *s, double x) { return area_to(s, x) - s->area0; }
