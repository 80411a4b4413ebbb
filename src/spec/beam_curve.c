// Axes of beams; see beam_curve.h.
#include "spec/beam_curve.h"

enum { PIECES = 16 };  // of a span between points: lengths and frames are kept at their ends
enum { GAUSS = 5 };
static const double gauss_point[GAUSS] = {-0.906179845938663992798, -0.538469310105683091036, 0,
                                          0.538469310105683091036, 0.906179845938663992798};
static const double gauss_weight[GAUSS] = {0.236926885056189087514, 0.478628670499366468041,
                                           0.568888888888888888889, 0.478628670499366468041,
                                           0.236926885056189087514};

void tmli_beam_curve_clear(tmli_beam_curve *c, const tml_env *env)
{
    tmli_free(env, c->u);
    c->u = NULL;
}

// ---- the spline -------------------------------------------------------------------------------------------

// Slopes at the points, component by component: a tridiagonal system. One parabola through three points, a
// straight line through two.
static void set_slopes(const tmli_beam_curve *c, double *diagonal, double *right)
{
    const int n = c->d->point_count;
    const double *u = c->u;
    for (int k = 0; k < 3; k++) {
        const double *y = c->d->points + k;
        double *m = c->slope + k;
#define STEP(i) (u[(i) + 1] - u[i])
#define RISE(i) ((y[3 * ((i) + 1)] - y[3 * (i)]) / STEP(i))
        if (n == 2) {
            m[0] = m[3] = RISE(0);
            continue;
        }
        if (n == 3) {
            const double second = (RISE(1) - RISE(0)) / (u[2] - u[0]);
            for (int i = 0; i < 3; i++) m[3 * i] = RISE(0) + second * (2 * u[i] - u[0] - u[1]);
            continue;
        }
        const double first = u[2] - u[0], last = u[n - 1] - u[n - 3], a = STEP(0), b = STEP(1),
                     e = STEP(n - 2), f = STEP(n - 3);
        diagonal[0] = b;
        right[0] = first;
        m[0] = ((a + 2 * first) * b * RISE(0) + a * a * RISE(1)) / first;
        for (int i = 1; i < n; i++) {  // forward elimination
            const bool end = i == n - 1;
            const double left = end ? last : STEP(i), here = end ? f : 2 * (STEP(i - 1) + STEP(i));
            const double value = end ? (e * e * RISE(n - 3) + (2 * last + e) * f * RISE(n - 2)) / last
                                     : 3 * (STEP(i) * RISE(i - 1) + STEP(i - 1) * RISE(i));
            const double factor = left / diagonal[i - 1];
            right[i] = end ? 0 : STEP(i - 1);
            diagonal[i] = here - factor * right[i - 1];
            m[3 * i] = value - factor * m[3 * (i - 1)];
        }
        m[3 * (n - 1)] /= diagonal[n - 1];
        for (int i = n - 2; i >= 0; i--) m[3 * i] = (m[3 * i] - right[i] * m[3 * (i + 1)]) / diagonal[i];
#undef STEP
#undef RISE
    }
}

// Position and derivative by u on span i at the share t of it.
static void spline_at(const tmli_beam_curve *c, int i, double t, vec3 *r, vec3 *rate)
{
    const double h = c->u[i + 1] - c->u[i], t2 = t * t, t3 = t2 * t;
    const vec3 a = v3_from(c->d->points + 3 * i), b = v3_from(c->d->points + 3 * i + 3),
               ma = v3_from(c->slope + 3 * i), mb = v3_from(c->slope + 3 * i + 3);
    const double to_b = 3 * t2 - 2 * t3, by_a = h * (t - 2 * t2 + t3), by_b = h * (t3 - t2);
    const double to_b1 = 6 * (t - t2) / h, by_a1 = 1 - 4 * t + 3 * t2, by_b1 = 3 * t2 - 2 * t;
    const vec3 ab = v3_sub(b, a);
    if (r) *r = v3_add(v3_axpy(to_b, ab, a), v3_axpy(by_a, ma, v3_scale(by_b, mb)));
    if (rate) *rate = v3_axpy(to_b1, ab, v3_axpy(by_a1, ma, v3_scale(by_b1, mb)));
}

// Length of span i from share t0 to t1.
static double length_between(const tmli_beam_curve *c, int i, double t0, double t1)
{
    const double h = c->u[i + 1] - c->u[i], half = (t1 - t0) / 2;
    double sum = 0;
    for (int g = 0; g < GAUSS; g++) {
        vec3 rate;
        spline_at(c, i, t0 + half * (1 + gauss_point[g]), NULL, &rate);
        sum += gauss_weight[g] * v3_norm(rate);
    }
    return sum * half * h;
}

static vec3 direction(const tmli_beam_curve *c, int i, double t)
{
    vec3 rate;
    spline_at(c, i, t, NULL, &rate);
    return v3_scale(1 / v3_norm(rate), rate);
}

vec3 tmli_beam_curve_start(const tmli_beam_curve *c) { return direction(c, 0, 0); }

// The axes R at the direction x of a curve, turned to the direction `to` with the least rotation.
static quat turned_to(quat p, vec3 x, vec3 to)
{
    const vec3 axis = v3_cross(x, to);
    const quat turn = q_normalize((quat){1 + v3_dot(x, to), axis.x, axis.y, axis.z});
    return q_normalize(q_mul(turn, p));
}

tml_status tmli_beam_curve_init(tmli_beam_curve *c, const tml_beam_def *d, const tml_env *env, tml_error *err)
{
    *c = (tmli_beam_curve){.d = d, .length = d->length};
    const size_t n = (size_t)d->point_count, pieces = n > 0 ? (n - 1) * PIECES : 0;
    if (n == 0) return TML_OK;
    double *scratch;
    if (!tmli_calloc_block(env, TMLI_ARRAY(c->u, n), TMLI_ARRAY(c->slope, 3 * n),
                           TMLI_ARRAY(c->reached, pieces + 1), TMLI_ARRAY(c->frame, 4 * (pieces + 1)),
                           TMLI_ARRAY(scratch, 2 * n)))
        return tmli_no_memory(err, "beam");
    for (size_t i = 1; i < n; i++)
        c->u[i] = c->u[i - 1] + v3_norm(v3_sub(v3_from(d->points + 3 * i), v3_from(d->points + 3 * i - 3)));
    set_slopes(c, scratch, scratch + n);
    quat p = q_from(d->orientation);
    vec3 x = direction(c, 0, 0);
    q_store(p, c->frame);
    for (size_t k = 0; k < pieces; k++) {
        const int i = (int)(k / PIECES);
        const double t0 = (double)(k % PIECES) / PIECES, t1 = t0 + 1.0 / PIECES;
        c->reached[k + 1] = c->reached[k] + length_between(c, i, t0, t1);
        const vec3 to = direction(c, i, t1);
        p = turned_to(p, x, to);
        x = to;
        q_store(p, c->frame + 4 * (k + 1));
    }
    c->length = c->reached[pieces];
    return TML_OK;
}

// ---- positions and axes -----------------------------------------------------------------------------------

static void spline_section(const tmli_beam_curve *c, double s, vec3 *r, quat *p)
{
    const int pieces = (c->d->point_count - 1) * PIECES;
    int k = 0;
    while (k < pieces - 1 && c->reached[k + 1] < s) k++;
    const int i = k / PIECES;
    const double t0 = (double)(k % PIECES) / PIECES, h = c->u[i + 1] - c->u[i], wanted = s - c->reached[k];
    double t = t0 + wanted / (c->reached[k + 1] - c->reached[k]) / PIECES;
    for (int pass = 0; pass < 5; pass++) {  // Newton's method for the length
        vec3 rate;
        spline_at(c, i, t, NULL, &rate);
        t -= (length_between(c, i, t0, t) - wanted) / (h * v3_norm(rate));
    }
    spline_at(c, i, t, r, NULL);
    *p = turned_to(q_from(c->frame + 4 * k), direction(c, i, t0), direction(c, i, t));
    *p = q_mul(*p, tmli_so3_exp(v3(s * c->d->curvature[0], 0, 0)));
}

void tmli_beam_curve_at(const tmli_beam_curve *c, double s, vec3 *r, quat *p)
{
    if (c->u) {
        spline_section(c, s, r, p);
        return;
    }
    const mat3 R0 = q_matrix(q_from(c->d->orientation));
    const vec3 turn = v3_scale(s, v3_from(c->d->curvature));
    const mat3 T = tmli_so3_tangent(v3_scale(-1, turn));
    const vec3 along = m3_mulv(&R0, v3_scale(s, m3_mulv(&T, v3(1, 0, 0))));
    *r = v3_add(v3_from(c->d->position), along);
    *p = q_mul(q_from(c->d->orientation), tmli_so3_exp(turn));
}
