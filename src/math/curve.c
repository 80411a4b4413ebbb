// Curves through the points (x_i, y_i), i = 0 .. n-1, of a table. On [x_i, x_i+1] with t = x - x_i, h_i =
// x_i+1 - x_i and the secant s_i = (y_i+1 - y_i)/h_i:
//
//   y = y_i + b_i t + c_i t^2 + d_i t^3                                                                 (1)
//
// Linear: b = s, c = d = 0.
//
// Spline (natural cubic): the second derivatives M_i at the points make the slope continuous, and vanish at
// both ends:
//   c_i = M_i/2,  d_i = (M_i+1 - M_i)/(6 h_i),  b_i = s_i - h_i (2 M_i + M_i+1)/6                        (2)
//   h_i-1 M_i-1 + 2 (h_i-1 + h_i) M_i + h_i M_i+1 = 6 (s_i - s_i-1)                                      (3)
// (3) is diagonally dominant, so it is solved without pivoting.
//
// Monotone (M. Steffen, Astronomy and Astrophysics 239 (1990) 443-450): cubics of Hermite with the slopes m_i
// of the parabola through three points, limited so that the curve rises and falls with the points:
//   m_i = (sign s_i-1 + sign s_i) min(|s_i-1|, |s_i|, |p_i|/2),
//   p_i = (s_i-1 h_i + s_i h_i-1)/(h_i-1 + h_i)                                                         (4)
//   at an end: p = s_0 (1 + h_0/(h_0 + h_1)) - s_1 h_0/(h_0 + h_1), 0 if p s_0 <= 0, at most 2 |s_0|     (5)
//   b = m_i,  c = (3 s_i - 2 m_i - m_i+1)/h_i,  d = (m_i + m_i+1 - 2 s_i)/h_i^2                          (6)
// Its extreme values are those of points. It depends on four neighbours only, and needs no choice of a mean
// as that of Fritsch and Carlson does.
//
// Outside: straight lines with the slope at the end, or slope 0. Units are those of the table.
#include "math/curve.h"
#include "base/tolerances.h"

#include <math.h>

typedef struct piece {
    double x, y, b, c, d;  // (1)
    double area;           // integral from the first point to x
} piece;

struct tmli_curve {
    int count;
    int smoothness;
    bool ends_only;   // derivatives jump at the ends of the table alone
    double left;      // slope on the left of the table
    double slope[2];  // at the ends of the table
    double area0;     // integral from the first point to 0
    piece piece[];    // (count) the last one is the straight line on the right
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

static double width(const piece *p, int i) { return p[i + 1].x - p[i].x; }

static double secant(const piece *p, int i) { return (p[i + 1].y - p[i].y) / width(p, i); }

// ---- interpolation ----------------------------------------------------------------------------------------

static void fill_linear(int n, piece *p)
{
    for (int i = 0; i < n - 1; i++) p[i].b = secant(p, i);
}

// (3) by elimination. Uses b for the eliminated super-diagonal and c for the right-hand side; leaves M in c.
static void solve_curvatures(int n, piece *p)
{
    p[0].b = p[0].c = p[n - 1].b = p[n - 1].c = 0;
    for (int i = 1; i < n - 1; i++) {
        const double h0 = width(p, i - 1), h1 = width(p, i);
        const double pivot = 2 * (h0 + h1) - h0 * p[i - 1].b;
        p[i].b = h1 / pivot;
        p[i].c = (6 * (secant(p, i) - secant(p, i - 1)) - h0 * p[i - 1].c) / pivot;
    }
    for (int i = n - 2; i >= 1; i--) p[i].c -= p[i].b * p[i + 1].c;
}

static void fill_spline(int n, piece *p)
{
    solve_curvatures(n, p);
    for (int i = 0; i < n - 1; i++) {
        const double h = width(p, i), M0 = p[i].c, M1 = p[i + 1].c;
        p[i].b = secant(p, i) - h * (2 * M0 + M1) / 6;  // (2)
        p[i].c = M0 / 2;
        p[i].d = (M1 - M0) / (6 * h);
    }
}

// (5): s0, h0 of the interval at the end, s1, h1 of its neighbour
static double end_slope(double s0, double s1, double h0, double h1)
{
    const double share = h0 / (h0 + h1), slope = s0 * (1 + share) - s1 * share;
    if (slope * s0 <= 0) return 0;
    return fabs(slope) > 2 * fabs(s0) ? 2 * s0 : slope;
}

static double limited_slope(const piece *p, int i)  // (4)
{
    const double s0 = secant(p, i - 1), s1 = secant(p, i), h0 = width(p, i - 1), h1 = width(p, i);
    if (s0 * s1 <= 0) return 0;
    const double parabola = fabs(s0 * (h1 / (h0 + h1)) + s1 * (h0 / (h0 + h1)));
    return copysign(2 * fmin(fmin(fabs(s0), fabs(s1)), parabola / 2), s0);
}

static void fill_monotone(int n, piece *p)
{
    if (n == 2) {
        fill_linear(n, p);
        return;
    }
    p[0].b = end_slope(secant(p, 0), secant(p, 1), width(p, 0), width(p, 1));
    for (int i = 1; i < n - 1; i++) p[i].b = limited_slope(p, i);
    p[n - 1].b = end_slope(secant(p, n - 2), secant(p, n - 3), width(p, n - 2), width(p, n - 3));
    for (int i = 0; i < n - 1; i++) {  // (6)
        const double h = width(p, i), s = secant(p, i);
        p[i].c = (3 * s - 2 * p[i].b - p[i + 1].b) / h;
        p[i].d = (p[i].b + p[i + 1].b - 2 * s) / (h * h);
    }
}

// ---- evaluation -------------------------------------------------------------------------------------------

static double eval_piece(const piece *p, double x, double *slope, double *curvature)
{
    const double t = x - p->x;
    if (slope) *slope = p->b + t * (2 * p->c + 3 * t * p->d);
    if (curvature) *curvature = 2 * p->c + 6 * t * p->d;
    return p->y + t * (p->b + t * (p->c + t * p->d));
}

static double eval_line(const piece *p, double b, double x, double *slope, double *curvature)
{
    if (slope) *slope = b;
    if (curvature) *curvature = 0;
    return p->y + b * (x - p->x);
}

static double piece_area(const piece *p, double t)
{
    return p->area + t * (p->y + t * (p->b / 2 + t * (p->c / 3 + t * p->d / 4)));
}

// largest i with x_i <= x, or 0
static int find(const tmli_curve *c, double x)
{
    int lo = 0, hi = c->count;
    while (hi - lo > 1) {
        const int mid = lo + (hi - lo) / 2;
        if (c->piece[mid].x <= x) lo = mid;
        else hi = mid;
    }
    return lo;
}

static double area_to(const tmli_curve *c, double x)
{
    const piece *p = &c->piece[find(c, x)];
    const double t = x - p->x;
    return t < 0 ? t * (p->y + t * c->left / 2) : piece_area(p, t);
}

double tmli_curve_eval(const tmli_curve *c, double x, double *slope, double *curvature)
{
    const piece *p = &c->piece[find(c, x)];
    return x < p->x ? eval_line(p, c->left, x, slope, curvature) : eval_piece(p, x, slope, curvature);
}

double tmli_curve_integral(const tmli_curve *c, double x) { return area_to(c, x) - c->area0; }

// ---- branches ---------------------------------------------------------------------------------------------

int tmli_curve_smoothness(const tmli_curve *c) { return c->smoothness; }

int tmli_curve_branch_count(const tmli_curve *c)
{
    return c->smoothness == 2 ? 1 : c->ends_only ? 3 : c->count + 1;
}

int tmli_curve_branch(const tmli_curve *c, double x)
{
    if (c->smoothness == 2) return 0;
    const int k = x < c->piece[0].x ? 0 : find(c, x) + 1;
    return c->ends_only && k > 0 ? 1 + (k == c->count) : k;
}

void tmli_curve_branch_ends(const tmli_curve *c, int branch, double *low, double *high)
{
    const int last = tmli_curve_branch_count(c) - 1;
    const piece *p = c->piece;
    *low = branch == 0 ? -INFINITY : c->ends_only ? p[branch == 1 ? 0 : c->count - 1].x : p[branch - 1].x;
    *high = branch == last ? INFINITY : c->ends_only ? p[branch == 0 ? 0 : c->count - 1].x : p[branch].x;
}

double tmli_curve_eval_branch(const tmli_curve *c, int branch, double x, double *slope, double *curvature)
{
    const piece *last = &c->piece[c->count - 1];
    if (branch < 0 || c->smoothness == 2) return tmli_curve_eval(c, x, slope, curvature);
    if (branch == 0) return eval_line(c->piece, c->left, x, slope, curvature);
    if (branch == tmli_curve_branch_count(c) - 1) return eval_line(last, last->b, x, slope, curvature);
    if (!c->ends_only) return eval_piece(&c->piece[branch - 1], x, slope, curvature);
    if (x < c->piece[0].x) return eval_line(c->piece, c->slope[0], x, slope, curvature);
    if (x > last->x) return eval_line(last, c->slope[1], x, slope, curvature);
    return tmli_curve_eval(c, fmin(x, nextafter(last->x, c->piece[0].x)), slope, curvature);
}

// Continuous derivatives at point i
static int smoothness_at(const tmli_curve *c, int i)
{
    const piece *p = &c->piece[i];
    double b = c->left, curvature = 0;
    if (i > 0) (void)eval_piece(p - 1, p->x, &b, &curvature);
    // rounding is relative to the terms of the differences: the values over the width of an interval
    const piece *q = i > 0 ? p - 1 : p;
    const double h = width(q, 0), noise = TMLI_ROUNDOFF * (fabs(q[0].y) + fabs(q[1].y)) / h;
    if (fabs(b - p->b) > TMLI_AGREEMENT * (fabs(b) + fabs(p->b)) + noise) return 0;
    const double next = 2 * p->c, steep = (fabs(b) + fabs(p->b)) / h;
    const double allowed = TMLI_AGREEMENT * (fabs(curvature) + fabs(next) + steep) + noise / h;
    return fabs(curvature - next) > allowed ? 1 : 2;
}

static void find_smoothness(tmli_curve *c)
{
    int inside = 2;
    for (int i = 1; i < c->count - 1; i++) {
        const int here = smoothness_at(c, i);
        if (here < inside) inside = here;
    }
    const int first = smoothness_at(c, 0), last = smoothness_at(c, c->count - 1);
    c->ends_only = inside == 2;
    c->smoothness = first < last ? first : last;
    if (inside < c->smoothness) c->smoothness = inside;
}

// ---- creation ---------------------------------------------------------------------------------------------

static void finish(tmli_curve *c, tml_outside outside)
{
    const int n = c->count;
    piece *const p = c->piece;
    for (int i = 0; i < n - 1; i++) p[i + 1].area = piece_area(&p[i], width(p, i));
    c->slope[0] = p[0].b;
    (void)eval_piece(&p[n - 2], p[n - 1].x, &c->slope[1], NULL);
    c->left = outside == TML_OUTSIDE_HOLD ? 0 : c->slope[0];
    p[n - 1].b = outside == TML_OUTSIDE_HOLD ? 0 : c->slope[1];
    p[n - 1].c = p[n - 1].d = 0;
    c->area0 = area_to(c, 0);
    find_smoothness(c);
}

tml_status tmli_curve_create(const tml_env *env, int count, const double *table, tml_table_style style,
                             tmli_curve **out, tml_error *err)
{
    *out = NULL;
    const tml_status st = check_table(count, table, err);
    if (st != TML_OK) return st;
    const size_t n = (size_t)count;
    if (n > (SIZE_MAX - sizeof(tmli_curve)) / sizeof(piece))
        return tmli_fail(err, TML_ERR_NOMEM, "Out of memory.");
    tmli_curve *c = tmli_calloc(env, 1, sizeof *c + n * sizeof(piece));
    if (!c) return tmli_fail(err, TML_ERR_NOMEM, "Out of memory.");
    c->count = count;
    for (int i = 0; i < count; i++) {
        c->piece[i].x = table[2 * i];
        c->piece[i].y = table[2 * i + 1];
    }
    if (style.interpolation == TML_INTERPOLATION_LINEAR) fill_linear(count, c->piece);
    else if (style.interpolation == TML_INTERPOLATION_SPLINE) fill_spline(count, c->piece);
    else fill_monotone(count, c->piece);
    finish(c, style.outside);
    for (int i = 0; i < count; i++) {
        const piece *p = &c->piece[i];
        if (isfinite(p->b) && isfinite(p->c) && isfinite(p->d) && isfinite(p->area)) continue;
        tmli_curve_destroy(env, c);
        return tmli_fail(err, TML_ERR_ARG, "The table is too steep near point %d: its curve overflows.",
                         i + 1);
    }
    *out = c;
    return TML_OK;
}

void tmli_curve_destroy(const tml_env *env, tmli_curve *c) { tmli_free(env, c); }

// ---- overshoot --------------------------------------------------------------------------------------------

double tmli_curve_overshoot(const tmli_curve *c, double *x, double *y)
{
    double low = INFINITY, high = -INFINITY, most = 0;
    for (int i = 0; i < c->count; i++) {
        low = fmin(low, c->piece[i].y);
        high = fmax(high, c->piece[i].y);
    }
    *x = c->piece[0].x;
    *y = c->piece[0].y;
    for (int i = 0; i < c->count - 1; i++) {
        const piece *p = &c->piece[i];
        const double disc = p->c * p->c - 3 * p->d * p->b;
        if (!(disc > 0)) continue;
        const double q =
            -(p->c + copysign(sqrt(disc), p->c));  // both roots of b + 2 c t + 3 d t^2, no cancellation
        const double root[2] = {p->d != 0 ? q / (3 * p->d) : INFINITY, q != 0 ? p->b / q : INFINITY};
        for (int k = 0; k < 2; k++) {
            if (!(root[k] > 0 && root[k] < width(c->piece, i))) continue;
            const double value = eval_piece(p, p->x + root[k], NULL, NULL);
            const double beyond = fmax(value - high, low - value);
            if (beyond <= most) continue;
            most = beyond;
            *x = p->x + root[k];
            *y = value;
        }
    }
    const double range = high - low;
    if (most <= TMLI_ROUNDOFF * (fabs(high) + fabs(low))) return 0;
    return range > 0 ? most / range : INFINITY;
}
