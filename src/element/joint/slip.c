// Velocity of slip at the contact of a disc, fixed to body B, with a plane, fixed to body A. With the normal
// n of the plane, the unit axis k of the disc through its centre c_B, the radius r of the circle and the
// radius t of the rounded tread around it, the contact is at
//   C = c_B - r (n - k (k.n))/sqrt(1 - (k.n)^2) - t n                                                  (1)
// the point of the disc that is lowest along n. A knife edge has r = t = 0: C = c_B. The measure is the
// velocity of the material point of B there relative to A, along a direction e of A or of B:
//   phidot = e.[ rdot_B + w_B x (C - r_B) - rdot_A - w_A x (C - r_A) ] = g.u                           (2)
//   g = ( -e,  -R_A'((C - r_A) x e),  e,  R_B'((C - r_B) x e) )                                        (3)
//
// No function of the poses has this rate, so N = dg/dd has no symmetry to use. The derivatives of (3) are
// exact: its numbers are x + a ea + b eb + ab ea eb with ea^2 = eb^2 = 0. If the poses move by eb db first
// and then by ea da, the coefficients are the derivatives along da, along db, and of the first along db.
#include "element/joint/slip.h"

#include <stddef.h>

typedef struct dual {
    double x, a, b, ab;
} dual;

typedef struct dual3 {
    dual x, y, z;
} dual3;

static inline dual add(dual p, dual q) { return (dual){p.x + q.x, p.a + q.a, p.b + q.b, p.ab + q.ab}; }
static inline dual sub(dual p, dual q) { return (dual){p.x - q.x, p.a - q.a, p.b - q.b, p.ab - q.ab}; }

static inline dual mul(dual p, dual q)
{
    return (dual){p.x * q.x, p.x * q.a + p.a * q.x, p.x * q.b + p.b * q.x,
                  p.x * q.ab + p.a * q.b + p.b * q.a + p.ab * q.x};
}

// 1/sqrt(p)
static dual inverse_root(dual p)
{
    const double f = 1 / sqrt(p.x), f1 = -f / (2 * p.x), f2 = -1.5 * f1 / p.x;
    return (dual){f, f1 * p.a, f1 * p.b, f1 * p.ab + f2 * p.a * p.b};
}

static inline dual3 add3(dual3 p, dual3 q) { return (dual3){add(p.x, q.x), add(p.y, q.y), add(p.z, q.z)}; }
static inline dual3 sub3(dual3 p, dual3 q) { return (dual3){sub(p.x, q.x), sub(p.y, q.y), sub(p.z, q.z)}; }
static inline dual3 scale3(dual f, dual3 p) { return (dual3){mul(f, p.x), mul(f, p.y), mul(f, p.z)}; }
static inline dual dot3(dual3 p, dual3 q) { return add(add(mul(p.x, q.x), mul(p.y, q.y)), mul(p.z, q.z)); }
static inline dual3 cross3(dual3 p, dual3 q)
{
    return (dual3){sub(mul(p.y, q.z), mul(p.z, q.y)), sub(mul(p.z, q.x), mul(p.x, q.z)),
                   sub(mul(p.x, q.y), mul(p.y, q.x))};
}
static inline dual3 join3(vec3 x, vec3 a, vec3 b, vec3 ab)
{
    return (dual3){{x.x, a.x, b.x, ab.x}, {x.y, a.y, b.y, ab.y}, {x.z, a.z, b.z, ab.z}};
}

// A pose and the two increments by which it moves: tr inertial, th body frame
typedef struct moving {
    const tmli_pose *pose;
    vec3 tr_a, tr_b, th_a, th_b;
} moving;

static moving moving_of(const tmli_pose *pose, const double *da, const double *db)
{
    const vec3 none = {0, 0, 0};
    return (moving){pose, da ? v3_from(da) : none, db ? v3_from(db) : none, da ? v3_from(da + 3) : none,
                    db ? v3_from(db + 3) : none};
}

static dual3 origin(const moving *p) { return join3(p->pose->r, p->tr_a, p->tr_b, v3(0, 0, 0)); }

// R v with R = R0 (1 + eb th_b~) (1 + ea th_a~)
static dual3 turned(const moving *p, vec3 v)
{
    const vec3 a = v3_cross(p->th_a, v), b = v3_cross(p->th_b, v), ab = v3_cross(p->th_b, a);
    const mat3 *R = &p->pose->R;
    return join3(m3_mulv(R, v), m3_mulv(R, a), m3_mulv(R, b), m3_mulv(R, ab));
}

// R'y
static void turned_back(const moving *p, dual3 y, double sign, dual out[3])
{
    const mat3 *R = &p->pose->R;
    const vec3 x = m3_tmulv(R, v3(y.x.x, y.y.x, y.z.x)), a = m3_tmulv(R, v3(y.x.a, y.y.a, y.z.a)),
               b = m3_tmulv(R, v3(y.x.b, y.y.b, y.z.b)), ab = m3_tmulv(R, v3(y.x.ab, y.y.ab, y.z.ab));
    // (1 - ea th_a~) (1 - eb th_b~) (x + ...)
    const vec3 b1 = v3_sub(b, v3_cross(p->th_b, x)), ab1 = v3_sub(ab, v3_cross(p->th_b, a));
    const vec3 a2 = v3_sub(a, v3_cross(p->th_a, x)), ab2 = v3_sub(ab1, v3_cross(p->th_a, b1));
    const dual3 z = join3(v3_scale(sign, x), v3_scale(sign, a2), v3_scale(sign, b1), v3_scale(sign, ab2));
    out[0] = z.x;
    out[1] = z.y;
    out[2] = z.z;
}

// (1): C - c_B
static dual3 arm_of_contact(const tmli_measure *m, const moving *A, const moving *B)
{
    const dual one = {1, 0, 0, 0}, r = {-m->l0, 0, 0, 0}, t = {-m->l1, 0, 0, 0};
    const dual3 n = turned(A, m->a2);
    dual3 arm = scale3(t, n);
    if (m->l0 > 0) {
        const dual3 k = turned(B, m->b2);
        const dual c = dot3(k, n), f = mul(r, inverse_root(sub(one, mul(c, c))));
        arm = add3(arm, scale3(f, sub3(n, scale3(c, k))));
    }
    return arm;
}

// (3), if the poses move by db and then by da (NULL: they do not)
static void coefficients(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B, const double *da,
                         const double *db, dual g[12])
{
    const moving a = moving_of(A, da, db), b = moving_of(B, da ? da + 6 : NULL, db ? db + 6 : NULL);
    const dual minus = {-1, 0, 0, 0};
    const dual3 e = add3(turned(&a, m->a), turned(&b, m->b));
    dual3 arm_b = turned(&b, m->s_B);
    if (m->l0 > 0 || m->l1 > 0) arm_b = add3(arm_b, arm_of_contact(m, &a, &b));
    const dual3 arm_a = add3(sub3(origin(&b), origin(&a)), arm_b), back = scale3(minus, e);
    g[0] = back.x;
    g[1] = back.y;
    g[2] = back.z;
    turned_back(&a, cross3(arm_a, e), -1, g + 3);
    g[6] = e.x;
    g[7] = e.y;
    g[8] = e.z;
    turned_back(&b, cross3(arm_b, e), 1, g + 9);
}

void tmli_slip_grad(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B, double g[12])
{
    dual c[12];
    coefficients(m, A, B, NULL, NULL, c);
    for (int i = 0; i < 12; i++) g[i] = c[i].x;
}

// Columns j and j + 6 at once
static void two_columns(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B, int j, dual c[12])
{
    double da[12] = {0}, db[12] = {0};
    da[j] = 1;
    db[j + 6] = 1;
    coefficients(m, A, B, da, db, c);
}

void tmli_slip_add_hessian(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B, double w, double *H)
{
    dual c[12];
    for (int j = 0; j < 6; j++) {
        two_columns(m, A, B, j, c);
        for (int i = 0; i < 12; i++) {
            H[12 * i + j] += w * c[i].a;
            H[12 * i + j + 6] += w * c[i].b;
        }
    }
}

void tmli_slip_row(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B, const double u[12],
                   double out[12])
{
    dual c[12];
    for (int j = 0; j < 6; j++) {
        two_columns(m, A, B, j, c);
        out[j] = out[j + 6] = 0;
        for (int i = 0; i < 12; i++) {
            out[j] += u[i] * c[i].a;
            out[j + 6] += u[i] * c[i].b;
        }
    }
}

double tmli_slip_quad(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B, const double u[12])
{
    dual c[12];
    double sum = 0;
    coefficients(m, A, B, u, NULL, c);
    for (int i = 0; i < 12; i++) sum += u[i] * c[i].a;
    return sum;
}

void tmli_slip_quad_grad(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B, const double u[12],
                         double out[12])
{
    dual c[12];
    for (int j = 0; j < 12; j++) {
        double db[12] = {0};
        db[j] = 1;
        coefficients(m, A, B, u, db, c);
        out[j] = 0;
        for (int i = 0; i < 12; i++) out[j] += u[i] * c[i].ab;
    }
}
