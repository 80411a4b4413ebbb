// Measures: value, gradient, N and the velocity products, all exact.
//
// COORD, DOT1, DOT2 and DIST2 are bilinear in x_A = R_A v_A, x_B = R_B v_B (v fixed in the body), r_A and
// r_B. Along a motion with constant u = (rdot_A, w_A, rdot_B, w_B) every such vector x = R v has the
// derivatives
//   x^(k) = R v_k,   v_0 = v,  v_1 = w x v,  v_2 = w x (w x v),                                      (1)
// each of which is again fixed in the body while u is constant. Since phi^(1) = g.u and phi^(2) = u'N u
// there,
//   value, g.u, u'N u  =  phi^(n)            n = 0, 1, 2                                              (2)
//   g, u'N, (u'N u)_d  =  d phi^(n) / dd     n = 0, 1, 2                                              (3)
// A covector f on x = R v gives  f . dx = f . R (dth x v) = dth . (v x R'f), so with f the factor of x in phi
//   d phi^(n) / dth = sum_k binomial(n, k)  v_k x R' f^(n-k)                                          (4)
// and the row of r_B is f_r^(n), that of r_A its negative (only r_B - r_A enters). The factors:
//            v_A   f_A       v_B   f_B      f_r
//   COORD    s_A   -e        s_B   e        e          all constant
//   DOT1     a     R_B b     b     R_A a    0
//   DOT2     a     D         s_B   R_A a    R_A a      D = r_B + R_B s_B - r_A;  phi = (R_A a).D - a.s_A
//   DIST2    s_A   -d/l0     s_B   d/l0     d/l0
// In DOT2, D replaces d: s_A does not enter the derivatives, because (R_A a).(R_A s_A) is constant.
//
// N, with P = d(R_A v_A)/dth_A = -R_A v_A~, Q = d(R_B v_B)/dth_B:  from (4), d(R'f) = (R'f)~ dth, so
//   (th_A, th_A):  v_A~ (R_A' f_A)~,   same for B;   DIST2 adds  P'P/l0 = -v_A~ v_A~ / l0             (5)
//   (th_A, th_B):  P'Q (DOT1, DOT2),  -P'Q/l0 (DIST2),  0 (COORD);   (th_B, th_A): its transpose      (6)
//   r against r and th: DOT2 and DIST2, written out below                                             (7)
//
// LENGTH, ANGLE and ARCSINE follow by the chain rule:
//   l = sqrt(2 psi), psi = d.d/2:    l' = 1/l, l'' = -1/l^3, l''' = 3/l^5  by psi                      (8)
//   ang = Im log z, z = c + i s:     derivatives of log by z:  y, -y^2, 2 y^3  with y = 1/z            (9)
//   asin s, c = sqrt(1 - s^2):       derivatives by s:  1/c, s/c^3, (1 + 2 s^2)/c^5                    (10)
//   s = sqrt(1 - c^2):               s' = -c/s, s'' = -1/s^3, s''' = -3 c/s^5  by c                     (11)
// SLIP is no function of the poses; slip.c has its derivatives.
#include "element/joint/measure.h"
#include "base/inline.h"
#include "element/joint/slip.h"

#include <string.h>

// The order n of a derivative is a constant wherever it is asked for. What follows is inlined, so that the
// loops over orders disappear.

// The factors of (4) up to the order asked for. [k]: k-th derivative along the motion.
typedef struct form {
    vec3 vA[3], vB[3];   // body frames
    vec3 fA[3], fB[3];   // inertial
    vec3 fr[3];          // inertial
    double phi[3];       // (2)
    bool constant;       // f_A, f_B, f_r do not depend on the pose (and only [0] is filled)
    double self, cross;  // the factors of P'P in (5) and P'Q in (6)
} form;

static const double at_rest[12] = {0};

// (1): v_k in the body frame, x_k = R v_k.
TMLI_INLINE void jet(const mat3 *R, vec3 v, const double *w, int n, vec3 vk[3], vec3 xk[3])
{
    vk[0] = v;
    xk[0] = m3_mulv(R, v);
    for (int k = 1; k <= n; k++) {
        vk[k] = v3_cross(v3_from(w), vk[k - 1]);
        xk[k] = m3_mulv(R, vk[k]);
    }
}

// x += r_B - r_A and its derivatives
TMLI_INLINE void add_origins(const tmli_pose *A, const tmli_pose *B, const double *u, int n, vec3 x[3])
{
    x[0] = v3_add(x[0], v3_sub(B->r, A->r));
    if (n >= 1) x[1] = v3_add(x[1], v3_sub(v3_from(u + 6), v3_from(u)));
}

TMLI_INLINE double product_rule(const vec3 p[3], const vec3 q[3], int n)
{
    if (n == 0) return v3_dot(p[0], q[0]);
    if (n == 1) return v3_dot(p[1], q[0]) + v3_dot(p[0], q[1]);
    return v3_dot(p[2], q[0]) + 2 * v3_dot(p[1], q[1]) + v3_dot(p[0], q[2]);
}

// d = x_B - x_A and its derivatives, the arms v_A and v_B.
TMLI_INLINE void separation(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B, const double *u,
                            int n, form *q, vec3 d[3])
{
    vec3 xA[3];
    jet(&A->R, m->s_A, u + 3, n, q->vA, xA);
    jet(&B->R, m->s_B, u + 9, n, q->vB, d);
    for (int k = 0; k <= n; k++) d[k] = v3_sub(d[k], xA[k]);
    add_origins(A, B, u, n, d);
}

TMLI_INLINE void coord_init(form *q, const tmli_measure *m, const tmli_pose *A, const tmli_pose *B,
                            const double *u, int n)
{
    vec3 d[3];
    separation(m, A, B, u, n, q, d);
    q->constant = true;
    q->self = q->cross = 0;
    q->fB[0] = q->fr[0] = m->a;
    q->fA[0] = v3_scale(-1, m->a);
    for (int k = 0; k <= n; k++) q->phi[k] = v3_dot(m->a, d[k]);
}

TMLI_INLINE void dot1_init(form *q, vec3 a, vec3 b, const tmli_pose *A, const tmli_pose *B, const double *u,
                           int n)
{
    jet(&A->R, a, u + 3, n, q->vA, q->fB);
    jet(&B->R, b, u + 9, n, q->vB, q->fA);
    q->constant = false;
    q->self = 0;
    q->cross = 1;
    for (int k = 0; k <= n; k++) {
        q->fr[k] = v3(0, 0, 0);
        q->phi[k] = product_rule(q->fB, q->fA, k);
    }
}

TMLI_INLINE void dot2_init(form *q, const tmli_measure *m, const tmli_pose *A, const tmli_pose *B,
                           const double *u, int n)
{
    jet(&A->R, m->a, u + 3, n, q->vA, q->fB);
    jet(&B->R, m->s_B, u + 9, n, q->vB, q->fA);
    add_origins(A, B, u, n, q->fA);
    q->constant = false;
    q->self = 0;
    q->cross = 1;
    for (int k = 0; k <= n; k++) {
        q->fr[k] = q->fB[k];
        q->phi[k] = product_rule(q->fB, q->fA, k);
    }
    q->phi[0] -= v3_dot(m->a, m->s_A);
}

TMLI_INLINE void dist2_init(form *q, const tmli_measure *m, double l0, const tmli_pose *A, const tmli_pose *B,
                            const double *u, int n)
{
    vec3 d[3];
    separation(m, A, B, u, n, q, d);
    q->constant = false;
    q->self = 1 / l0;
    q->cross = -q->self;
    for (int k = 0; k <= n; k++) {
        q->fB[k] = q->fr[k] = v3_scale(q->self, d[k]);
        q->fA[k] = v3_scale(-1, q->fB[k]);
        q->phi[k] = 0.5 * product_rule(d, q->fB, k);
    }
}

// LENGTH gives the form of psi, ANGLE and ARCSINE that of the sine, SINE that of the cosine.
TMLI_INLINE void form_init(form *q, const tmli_measure *m, const tmli_pose *A, const tmli_pose *B,
                           const double *u, int n)
{
    switch (m->kind) {
    case TMLI_COORD: coord_init(q, m, A, B, u, n); break;
    case TMLI_DOT1:
    case TMLI_SINE:
    case TMLI_ANGLE:
    case TMLI_ARCSINE: dot1_init(q, m->a, m->b, A, B, u, n); break;
    case TMLI_DOT2: dot2_init(q, m, A, B, u, n); break;
    case TMLI_DIST2: dist2_init(q, m, m->l0, A, B, u, n); break;
    case TMLI_LENGTH:
    default: dist2_init(q, m, 1, A, B, u, n); break;
    }
}

// (4) for one body
TMLI_INLINE vec3 turn(const mat3 *R, const vec3 v[3], const vec3 f[3], bool constant, int n)
{
    vec3 g = v3_cross(v[n], m3_tmulv(R, f[0]));
    if (constant || n == 0) return g;
    g = v3_add(g, v3_cross(v[0], m3_tmulv(R, f[n])));
    if (n == 2) g = v3_axpy(2, v3_cross(v[1], m3_tmulv(R, f[1])), g);
    return g;
}

// (3) of order n
TMLI_INLINE void form_grad(const form *q, const tmli_pose *A, const tmli_pose *B, int n, double out[12])
{
    const vec3 fr = q->constant && n > 0 ? v3(0, 0, 0) : q->fr[n];
    v3_store(v3_scale(-1, fr), out);
    v3_store(turn(&A->R, q->vA, q->fA, q->constant, n), out + 3);
    v3_store(fr, out + 6);
    v3_store(turn(&B->R, q->vB, q->fB, q->constant, n), out + 9);
}

// ---- chain rules -----------------------------------------------------------------------------------------

typedef struct cplx {
    double re, im;
} cplx;

static inline cplx c_mul(cplx a, cplx b)
{
    return (cplx){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static inline double im_mul(cplx a, double re, double im) { return a.re * im + a.im * re; }

// 1/(c + i s); 0 where the angle is undefined
static inline cplx inverse(double c, double s)
{
    const double n = c * c + s * s;
    return n > 0 ? (cplx){c / n, -s / n} : (cplx){0, 0};
}

// entry i of the six increments of rotation
static inline int rot(int i) { return i < 3 ? 3 + i : 6 + i; }

// (3) for ANGLE: Im of  y z_d,  y z1_d - y^2 z1 z_d,  y z2_d - 2 y^2 z1 z1_d + (2 y^3 z1^2 - y^2 z2) z_d
// where zn is the n-th derivative of z along the motion and _d its gradient.
static void angle_grad(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B, const double *u, int n,
                       form *s, double out[12])
{
    form c;
    double gc[3][12], gs[3][12];
    dot1_init(s, m->a, m->b, A, B, u, n);
    dot1_init(&c, m->a2, m->b2, A, B, u, n);
    for (int k = 0; k <= n; k++) {
        form_grad(s, A, B, k, gs[k]);
        form_grad(&c, A, B, k, gc[k]);
    }
    const cplx y = inverse(c.phi[0], s->phi[0]), yy = c_mul(y, y);
    cplx w[3] = {{0, 0}, {0, 0}, {0, 0}};  // weights of the gradients of order 0, 1, 2
    w[n] = y;
    if (n >= 1) {
        const cplx z1 = {c.phi[1], s->phi[1]}, yyz1 = c_mul(yy, z1);
        w[n - 1] = (cplx){-n * yyz1.re, -n * yyz1.im};
        if (n == 2) {
            const cplx cube = c_mul(yyz1, c_mul(y, z1)), z2 = {c.phi[2], s->phi[2]}, yyz2 = c_mul(yy, z2);
            w[0] = (cplx){2 * cube.re - yyz2.re, 2 * cube.im - yyz2.im};
        }
    }
    memset(out, 0, 12 * sizeof *out);
    for (int k = 0; k <= n; k++)
        for (int i = 0; i < 6; i++) out[rot(i)] += im_mul(w[k], gc[k][rot(i)], gs[k][rot(i)]);
}

// (3) for LENGTH by (8), psi in q; written with g/l, which stays bounded for short lengths.
static void length_grad(const form *q, const tmli_pose *A, const tmli_pose *B, int n, double out[12])
{
    const double l = sqrt(2 * q->phi[0]);
    if (!(l > 0)) {
        memset(out, 0, 12 * sizeof *out);
        return;
    }
    form_grad(q, A, B, n, out);
    for (int i = 0; i < 12; i++) out[i] /= l;
    if (n == 0) return;
    const double rate = q->phi[1] / l;  // ldot
    double g[12];
    form_grad(q, A, B, 0, g);
    if (n == 1) {
        for (int i = 0; i < 12; i++) out[i] -= rate / (l * l) * g[i];
        return;
    }
    double row[12];
    form_grad(q, A, B, 1, row);
    const double wg = (3 * rate * rate - q->phi[2]) / (l * l * l), wr = -2 * rate / (l * l);
    for (int i = 0; i < 12; i++) out[i] += wg * g[i] + wr * row[i];
}

// (10): derivatives of asin by s; 0 where they do not exist.
static void arcsine_jet(double s, double f[3])
{
    const double cc = (1 - s) * (1 + s), c = cc > 0 ? sqrt(cc) : 0;
    f[0] = c > 0 ? 1 / c : 0;
    f[1] = c > 0 ? s / (cc * c) : 0;
    f[2] = c > 0 ? (1 + 2 * s * s) / (cc * cc * c) : 0;
}

// (3) for ARCSINE by (10), the sine in q.
static void arcsine_grad(const form *q, const tmli_pose *A, const tmli_pose *B, int n, double out[12])
{
    double f[3], g[12], weight[3] = {0};  // weights of the gradients of order 0, 1, 2
    arcsine_jet(q->phi[0], f);
    weight[n] = f[0];
    if (n == 1) weight[0] = f[1] * q->phi[1];
    if (n == 2) {
        weight[1] = 2 * f[1] * q->phi[1];
        weight[0] = f[1] * q->phi[2] + f[2] * q->phi[1] * q->phi[1];
    }
    memset(out, 0, 12 * sizeof *out);
    for (int k = 0; k <= n; k++) {
        form_grad(q, A, B, k, g);
        for (int i = 0; i < 12; i++) out[i] += weight[k] * g[i];
    }
}

// (11): the first three derivatives of the sine by the cosine c; not finite where the vectors are parallel
static void sine_derivatives(double c, double f[3])
{
    const double s = sqrt(1 - c * c);
    f[0] = -c / s;
    f[1] = -1 / (s * s * s);
    f[2] = 3 * f[1] * c / (s * s);
}

// (3) for SINE by (11), the cosine in q.
static void sine_grad(const form *q, const tmli_pose *A, const tmli_pose *B, int n, double out[12])
{
    double f[3], g[12], row[12];
    sine_derivatives(q->phi[0], f);
    form_grad(q, A, B, n, out);
    for (int i = 0; i < 12; i++) out[i] *= f[0];
    if (n == 0) return;
    const double rate = q->phi[1];
    form_grad(q, A, B, 0, g);
    if (n == 2) form_grad(q, A, B, 1, row);
    for (int i = 0; i < 12; i++)
        out[i] += n == 1 ? f[1] * rate * g[i]
                         : 2 * f[1] * rate * row[i] + (f[2] * rate * rate + f[1] * q->phi[2]) * g[i];
}

// (3) for every kind; q is filled (with psi, the sine, the cosine for LENGTH, ANGLE and ARCSINE, SINE).
TMLI_INLINE void measure_grad(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B, const double *u,
                              int n, form *q, double out[12])
{
    if (m->kind == TMLI_ANGLE) {
        angle_grad(m, A, B, u, n, q, out);
        return;
    }
    if (m->kind == TMLI_SLIP) {
        q->phi[0] = 0;
        if (n == 0) tmli_slip_grad(m, A, B, out);
        else if (n == 1) tmli_slip_row(m, A, B, u, out);
        else tmli_slip_quad_grad(m, A, B, u, out);
        return;
    }
    form_init(q, m, A, B, u, n);
    if (m->kind == TMLI_LENGTH) length_grad(q, A, B, n, out);
    else if (m->kind == TMLI_ARCSINE) arcsine_grad(q, A, B, n, out);
    else if (m->kind == TMLI_SINE) sine_grad(q, A, B, n, out);
    else form_grad(q, A, B, n, out);
}

// ---- entry points ----------------------------------------------------------------------------------------

static double value_of(const tmli_measure *m, const form *q, const tmli_pose *A, const tmli_pose *B)
{
    if (m->kind == TMLI_LENGTH) return sqrt(2 * q->phi[0]);
    if (m->kind == TMLI_SINE) return sqrt(1 - q->phi[0] * q->phi[0]);
    if (m->kind == TMLI_ARCSINE) return asin(fmax(-1, fmin(q->phi[0], 1)));
    if (m->kind != TMLI_ANGLE) return q->phi[0];
    return atan2(q->phi[0], v3_dot(m3_mulv(&A->R, m->a2), m3_mulv(&B->R, m->b2)));
}

double tmli_measure_value(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B)
{
    form q;
    if (m->kind == TMLI_SLIP) return 0;
    form_init(&q, m, A, B, at_rest, 0);
    return value_of(m, &q, A, B);
}

double tmli_measure_grad(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B, double g[12])
{
    form q;
    measure_grad(m, A, B, at_rest, 0, &q, g);
    return value_of(m, &q, A, B);
}

double tmli_measure_rate(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B, const double u[12],
                         double *rate)
{
    if (m->kind != TMLI_ANGLE) {
        double g[12];
        const double value = tmli_measure_grad(m, A, B, g);
        *rate = 0;
        for (int i = 0; i < 12; i++) *rate += g[i] * u[i];
        return value;
    }
    form s, c;
    dot1_init(&s, m->a, m->b, A, B, u, 1);
    dot1_init(&c, m->a2, m->b2, A, B, u, 1);
    *rate = im_mul(inverse(c.phi[0], s.phi[0]), c.phi[1], s.phi[1]);  // (9)
    return atan2(s.phi[0], c.phi[0]);
}

void tmli_measure_row(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B, const double u[12],
                      double out[12])
{
    form q;
    measure_grad(m, A, B, u, 1, &q, out);
}

void tmli_measure_quad_grad(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B, const double u[12],
                            double out[12])
{
    form q;
    measure_grad(m, A, B, u, 2, &q, out);
}

double tmli_measure_quad(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B, const double u[12])
{
    form q;
    if (m->kind == TMLI_SLIP) return tmli_slip_quad(m, A, B, u);
    form_init(&q, m, A, B, u, 2);
    if (m->kind == TMLI_SINE) {
        double f[3];
        sine_derivatives(q.phi[0], f);
        return f[0] * q.phi[2] + f[1] * q.phi[1] * q.phi[1];
    }
    if (m->kind == TMLI_LENGTH) {
        const double l = sqrt(2 * q.phi[0]), rate = l > 0 ? q.phi[1] / l : 0;
        return l > 0 ? (q.phi[2] - rate * rate) / l : 0;
    }
    if (m->kind == TMLI_ARCSINE) {
        double f[3];
        arcsine_jet(q.phi[0], f);
        return f[0] * q.phi[2] + f[1] * q.phi[1] * q.phi[1];
    }
    if (m->kind != TMLI_ANGLE) return q.phi[2];
    form c;
    dot1_init(&c, m->a2, m->b2, A, B, u, 2);
    const cplx y = inverse(c.phi[0], q.phi[0]), r = c_mul(y, (cplx){c.phi[1], q.phi[1]});
    return im_mul(y, c.phi[2], q.phi[2]) - 2 * r.re * r.im;  // Im(y z2 - (y z1)^2)
}

// ---- N: blocks of 3 x 3 added into H ---------------------------------------------------------------------

// w M at (i, j) and w M' at (j, i)
static inline void add_pair(double *H, int i, int j, double w, const mat3 *M)
{
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            const double x = w * M->m[3 * a + b];
            H[12 * (i + a) + j + b] += x;
            H[12 * (j + b) + i + a] += x;
        }
}

// w v~ h~ = w (h v' - (v.h) I) on the diagonal block i
static inline void add_turn(double *H, int i, double w, vec3 v, vec3 h)
{
    const double s = w * v3_dot(v, h), vw[3] = {w * v.x, w * v.y, w * v.z}, hh[3] = {h.x, h.y, h.z};
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++) H[12 * (i + a) + i + b] += hh[a] * vw[b];
        H[13 * (i + a)] -= s;
    }
}

// d(R v)/dth = -R v~: row i is v x (row i of R)
static inline mat3 arm(const mat3 *R, vec3 v)
{
    mat3 P;
    for (int i = 0; i < 3; i++) v3_store(v3_cross(v, v3_from(R->m + 3 * i)), P.m + 3 * i);
    return P;
}

static inline mat3 m3_tmul(const mat3 *P, const mat3 *Q)
{
    mat3 C;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            C.m[3 * i + j] = P->m[i] * Q->m[j] + P->m[3 + i] * Q->m[3 + j] + P->m[6 + i] * Q->m[6 + j];
    return C;
}

static void form_add_hessian(const form *q, bool origins, const tmli_pose *A, const tmli_pose *B, double w,
                             double *H)
{
    const vec3 hA = v3_axpy(-q->self, q->vA[0], m3_tmulv(&A->R, q->fA[0]));
    const vec3 hB = v3_axpy(-q->self, q->vB[0], m3_tmulv(&B->R, q->fB[0]));
    add_turn(H, 3, w, q->vA[0], hA);  // (5)
    add_turn(H, 9, w, q->vB[0], hB);
    if (q->constant) return;
    const mat3 P = arm(&A->R, q->vA[0]), Q = arm(&B->R, q->vB[0]), PQ = m3_tmul(&P, &Q);
    add_pair(H, 3, 9, w * q->cross, &PQ);  // (6)
    if (!origins) return;
    add_pair(H, 0, 3, -w * q->cross, &P);  // (7): f_r depends on R_A v_A with the factor `cross`,
    add_pair(H, 6, 3, w * q->cross, &P);
    if (q->self == 0) return;
    const double s = w * q->self;  // and for DIST2 on r_B - r_A + R_B v_B with the factor 1/l0
    add_pair(H, 0, 9, -s, &Q);
    add_pair(H, 6, 9, s, &Q);
    for (int i = 0; i < 3; i++) {
        H[13 * i] += s;
        H[13 * (6 + i)] += s;
        H[12 * i + 6 + i] -= s;
        H[12 * (6 + i) + i] -= s;
    }
}

static void angle_add_hessian(const form *s, const tmli_measure *m, const tmli_pose *A, const tmli_pose *B,
                              double w, double *H)
{
    form c;
    double gc[12], gs[12];
    dot1_init(&c, m->a2, m->b2, A, B, at_rest, 0);
    form_grad(s, A, B, 0, gs);
    form_grad(&c, A, B, 0, gc);
    const cplx y = inverse(c.phi[0], s->phi[0]), yy = c_mul(y, y);
    form_add_hessian(&c, false, A, B, w * y.im, H);  // Im(y N_z)
    form_add_hessian(s, false, A, B, w * y.re, H);
    for (int i = 0; i < 6; i++) {  // - Im(y^2 z_d z_d')
        const cplx yyz = c_mul(yy, (cplx){gc[rot(i)], gs[rot(i)]});
        for (int j = 0; j < 6; j++) H[12 * rot(i) + rot(j)] -= w * im_mul(yyz, gc[rot(j)], gs[rot(j)]);
    }
}

static void sine_add_hessian(const form *q, const tmli_pose *A, const tmli_pose *B, double w, double *H)
{
    double f[3], g[12];
    sine_derivatives(q->phi[0], f);
    form_grad(q, A, B, 0, g);
    form_add_hessian(q, false, A, B, w * f[0], H);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) H[12 * rot(i) + rot(j)] += w * f[1] * g[rot(i)] * g[rot(j)];
}

void tmli_measure_add_hessian(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B, double w,
                              double *H)
{
    form q;
    if (m->kind == TMLI_SLIP) {
        tmli_slip_add_hessian(m, A, B, w, H);
        return;
    }
    form_init(&q, m, A, B, at_rest, 0);
    if (m->kind == TMLI_SINE) {
        sine_add_hessian(&q, A, B, w, H);
        return;
    }
    if (m->kind == TMLI_ANGLE) {
        angle_add_hessian(&q, m, A, B, w, H);
        return;
    }
    if (m->kind != TMLI_LENGTH && m->kind != TMLI_ARCSINE) {
        form_add_hessian(&q, m->kind != TMLI_DOT1, A, B, w, H);
        return;
    }
    // f' N + f'' g g' of (8) and (10)
    const bool length = m->kind == TMLI_LENGTH;
    const double l = length ? sqrt(2 * q.phi[0]) : 0;
    double g[12], f[3] = {0};
    if (length && l > 0) f[0] = 1 / l, f[1] = -1 / (l * l * l);
    if (!length) arcsine_jet(q.phi[0], f);
    if (!(f[0] > 0)) return;
    form_grad(&q, A, B, 0, g);
    form_add_hessian(&q, length, A, B, w * f[0], H);
    for (int i = 0; i < 12; i++) {
        const double wi = w * f[1] * g[i];
        for (int j = 0; j < 12; j++) H[12 * i + j] += wi * g[j];
    }
}
