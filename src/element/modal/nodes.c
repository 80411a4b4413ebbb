// The motion of a modal body from that of its nodes; see nodes.h.
//
// Increments: a of r (inertial frame), th of the rotation (body axes). With delta the change by them,
//   delta (R'x) = (R'x)~ th   (x constant),   delta c = -d.(th_i - th)/2,   delta d = (P th_i - P'th)/2   (5)
#include "element/modal/nodes.h"

#include <string.h>

/** Motion of the reference node. */
typedef struct frame {
    mat3 R;
    vec3 r, rdot, rddot;            // inertial frame
    vec3 v, w, wdot, acceleration;  // R'rdot, w, wdot, R'rddot
} frame;

/** Motion of another node, seen from it. */
typedef struct seen {
    vec3 rho, v, acceleration;  // R'(r_i - r), R'(rdot_i - rdot), R'(rddot_i - rddot)
    vec3 ydot, yddot;
    double c, cdot;
    vec3 d, psidot, psiddot;
    vec3 wd, ws, ad, as;  // w_i - w, w_i + w, and of their rates
    mat3 P, Pt;
} seen;

static vec3 part_of(const double *x, int at) { return x ? v3_from(x + at) : v3(0, 0, 0); }

static frame frame_of(const tmli_modal_node *node)
{
    frame f = {.R = q_matrix(q_from(node->q + 3)), .r = v3_from(node->q)};
    f.rdot = part_of(node->u, 0);
    f.rddot = part_of(node->a, 0);
    f.w = part_of(node->u, 3);
    f.wdot = part_of(node->a, 3);
    f.v = m3_tmulv(&f.R, f.rdot);
    f.acceleration = m3_tmulv(&f.R, f.rddot);
    return f;
}

static seen seen_of(const frame *f, const tmli_modal_node *reference, const tmli_modal_node *node)
{
    seen s;
    const vec3 w = part_of(node->u, 3), wdot = part_of(node->a, 3);
    quat e = q_mul(q_conj(q_from(reference->q + 3)), q_from(node->q + 3));
    if (e.e0 < 0) e = (quat){-e.e0, -e.e1, -e.e2, -e.e3};
    s.c = e.e0;
    s.d = v3(e.e1, e.e2, e.e3);
    s.rho = m3_tmulv(&f->R, v3_sub(v3_from(node->q), f->r));
    s.v = m3_tmulv(&f->R, v3_sub(part_of(node->u, 0), f->rdot));
    s.acceleration = m3_tmulv(&f->R, v3_sub(part_of(node->a, 0), f->rddot));
    s.ydot = v3_sub(s.v, v3_cross(f->w, s.rho));  // (2)
    s.yddot = v3_sub(v3_sub(s.acceleration, v3_cross(f->w, s.v)),
                     v3_add(v3_cross(f->wdot, s.rho), v3_cross(f->w, s.ydot)));
    s.wd = v3_sub(w, f->w);
    s.ws = v3_add(w, f->w);
    s.ad = v3_sub(wdot, f->wdot);
    s.as = v3_add(wdot, f->wdot);
    s.cdot = -v3_dot(s.d, s.wd) / 2;
    s.psidot = v3_axpy(s.c, s.wd, v3_cross(s.d, s.ws));  // (3)
    s.psiddot = v3_add(v3_axpy(s.c, s.ad, v3_cross(s.d, s.as)),
                       v3_axpy(s.cdot, s.wd, v3_scale(0.5, v3_cross(s.psidot, s.ws))));  // (4)
    s.P = m3_skew(s.d);
    s.P.m[0] = s.P.m[4] = s.P.m[8] = s.c;
    s.Pt = m3_transpose(&s.P);
    return s;
}

void tmli_modal_see(const tmli_modal *b, const tmli_modal_node *node, const double *amplitude,
                    const double *rate, const double *acceleration, vec3 g, tmli_modal_motion *x)
{
    const frame f = frame_of(&node[0]);
    v3_store(f.v, x->nu);
    v3_store(f.w, x->nu + 3);
    v3_store(v3_sub(f.acceleration, v3_cross(f.w, f.v)), x->nudot);  // (1)
    v3_store(f.wdot, x->nudot + 3);
    x->g = m3_tmulv(&f.R, g);
    for (int i = 0; i < b->nodes; i++) {
        const seen s = seen_of(&f, &node[0], &node[1 + i]);
        const int at = 6 * i;
        v3_store(v3_sub(s.rho, b->X[i]), x->q + at);
        v3_store(v3_scale(2, s.d), x->q + at + 3);
        v3_store(s.ydot, x->nu + 6 + at);
        v3_store(s.psidot, x->nu + 9 + at);
        v3_store(s.yddot, x->nudot + 6 + at);
        v3_store(s.psiddot, x->nudot + 9 + at);
    }
    for (int j = 0, at = 6 * b->nodes; j < b->modes; j++, at++) {
        x->q[at] = amplitude[j];
        x->nu[6 + at] = rate ? rate[j] : 0;
        x->nudot[6 + at] = acceleration ? acceleration[j] : 0;
    }
}

void tmli_modal_to_nodes(const tmli_modal *b, const tmli_modal_node *node, const double *f, double *F)
{
    const frame k = frame_of(&node[0]);
    vec3 force = v3_from(f), moment = v3_from(f + 3);
    for (int i = 0; i < b->nodes; i++) {
        const seen s = seen_of(&k, &node[0], &node[1 + i]);
        const vec3 fy = v3_from(f + 6 + 6 * i), fpsi = v3_from(f + 9 + 6 * i);
        v3_store(m3_mulv(&k.R, fy), F + 6 + 6 * i);
        v3_store(m3_mulv(&s.Pt, fpsi), F + 9 + 6 * i);
        force = v3_sub(force, fy);
        moment = v3_add(moment, v3_sub(v3_cross(fy, s.rho), m3_mulv(&s.P, fpsi)));
    }
    v3_store(m3_mulv(&k.R, force), F);
    v3_store(moment, F + 3);
    memcpy(F + 6 + 6 * b->nodes, f + 6 + 6 * b->nodes, (size_t)b->modes * sizeof *F);
}

// ---- derivatives ------------------------------------------------------------------------------------------

// X (n x n) at (row, col) += c A.
static void put(const tmli_modal *b, double *X, int row, int col, double c, mat3 A)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) X[(row + i) * b->n + col + j] += c * A.m[3 * i + j];
}

static mat3 product(mat3 A, mat3 B) { return m3_mul(&A, &B); }

void tmli_modal_map(const tmli_modal *b, const tmli_modal_node *node, double *J)
{
    const frame f = frame_of(&node[0]);
    const mat3 Rt = m3_transpose(&f.R);
    memset(J, 0, (size_t)b->n * (size_t)b->n * sizeof *J);
    put(b, J, 0, 0, 1, Rt);
    put(b, J, 3, 3, 1, m3_identity());
    for (int i = 0; i < b->nodes; i++) {
        const seen s = seen_of(&f, &node[0], &node[1 + i]);
        const int at = 6 + 6 * i;
        put(b, J, at, at, 1, Rt);
        put(b, J, at, 0, -1, Rt);
        put(b, J, at, 3, 1, m3_skew(s.rho));
        put(b, J, at + 3, at + 3, 1, s.P);
        put(b, J, at + 3, 3, -1, s.Pt);
    }
    for (int j = 6 + 6 * b->nodes; j < b->n; j++) J[j * (b->n + 1)] = 1;
}

// Changes of (3) and (4) by rotations: c and d by `by_c` (row vector) and `by_d`, rotations of node and
// reference one after the other.
static void put_rotation_derivatives(const tmli_modal *b, const seen *s, int at, double *nu_by_d,
                                     double *nudot_by_d, double *nudot_by_u)
{
    const mat3 half_ws = m3_skew(v3_scale(0.5, s->ws)), half_psidot = m3_skew(v3_scale(0.5, s->psidot));
    for (int side = 0; side < 2; side++) {  // node i, reference
        const double sign = side ? -1 : 1;
        const int col = side ? 3 : at + 3;
        const mat3 P = side ? s->Pt : s->P;  // delta d = sign P th/2, delta c = -sign d.th/2
        const mat3 by_d = m3_scale(sign / 2, &P);
        mat3 first = m3_outer(s->wd, v3_scale(-sign / 2, s->d));  // of (3)
        const mat3 ws_d = product(m3_skew(s->ws), by_d);
        for (int k = 0; k < 9; k++) first.m[k] -= ws_d.m[k];
        put(b, nu_by_d, at + 3, col, 1, first);
        put(b, nudot_by_d, at + 3, col, 1, m3_outer(s->ad, v3_scale(-sign / 2, s->d)));  // of (4)
        put(b, nudot_by_d, at + 3, col, -1, product(m3_skew(s->as), by_d));
        put(b, nudot_by_d, at + 3, col, 1,
            m3_outer(s->wd, m3_tmulv(&by_d, v3_scale(-0.5, s->wd))));  // cdot = -d.wd/2
        put(b, nudot_by_d, at + 3, col, -1, product(half_ws, first));
        // (4) by w_i and w: d(wd) = sign, d(ws) = 1, d(psidot) = sign P
        put(b, nudot_by_u, at + 3, col, sign * s->cdot, m3_identity());
        put(b, nudot_by_u, at + 3, col, 1, m3_outer(s->wd, v3_scale(-sign / 2, s->d)));
        put(b, nudot_by_u, at + 3, col, 1, half_psidot);
        put(b, nudot_by_u, at + 3, col, -sign, product(half_ws, P));
    }
}

static void put_translation_derivatives(const tmli_modal *b, const frame *f, const seen *s, int at,
                                        double *nu_by_d, double *nudot_by_d, double *nudot_by_u)
{
    const mat3 Rt = m3_transpose(&f->R), w = m3_skew(f->w), wdot = m3_skew(f->wdot), rho = m3_skew(s->rho);
    const mat3 wRt = m3_mul(&w, &Rt), v = m3_skew(s->v), w_rho = m3_mul(&w, &rho);
    for (int side = 0; side < 2; side++) {  // r_i, r
        const double sign = side ? -1 : 1;
        const int col = side ? 0 : at;
        put(b, nu_by_d, at, col, -sign, wRt);
        put(b, nudot_by_d, at, col, -sign, product(wdot, Rt));
        put(b, nudot_by_d, at, col, sign, product(w, wRt));  // -w x (delta ydot)
        put(b, nudot_by_u, at, col, -2 * sign, wRt);
    }
    mat3 ydot = v;  // by th
    for (int k = 0; k < 9; k++) ydot.m[k] -= w_rho.m[k];
    put(b, nu_by_d, at, 3, 1, ydot);
    put(b, nudot_by_d, at, 3, 1, m3_skew(s->acceleration));
    put(b, nudot_by_d, at, 3, -1, product(w, v));
    put(b, nudot_by_d, at, 3, -1, product(wdot, rho));
    put(b, nudot_by_d, at, 3, -1, product(w, ydot));
    put(b, nudot_by_u, at, 3, 1, v);
    put(b, nudot_by_u, at, 3, 1, m3_skew(s->ydot));
    put(b, nudot_by_u, at, 3, -1, w_rho);
}

void tmli_modal_map_derivatives(const tmli_modal *b, const tmli_modal_node *node, double *nu_by_d,
                                double *nudot_by_d, double *nudot_by_u)
{
    const frame f = frame_of(&node[0]);
    const size_t size = (size_t)b->n * (size_t)b->n * sizeof *nu_by_d;
    const mat3 v = m3_skew(f.v), w = m3_skew(f.w), Rt = m3_transpose(&f.R);
    memset(nu_by_d, 0, size);
    memset(nudot_by_d, 0, size);
    memset(nudot_by_u, 0, size);
    put(b, nu_by_d, 0, 3, 1, v);  // (1)
    put(b, nudot_by_d, 0, 3, 1, m3_skew(f.acceleration));
    put(b, nudot_by_d, 0, 3, -1, m3_mul(&w, &v));
    put(b, nudot_by_u, 0, 0, -1, m3_mul(&w, &Rt));
    put(b, nudot_by_u, 0, 3, 1, v);
    for (int i = 0; i < b->nodes; i++) {
        const seen s = seen_of(&f, &node[0], &node[1 + i]);
        const int at = 6 + 6 * i;
        put_translation_derivatives(b, &f, &s, at, nu_by_d, nudot_by_d, nudot_by_u);
        put_rotation_derivatives(b, &s, at, nu_by_d, nudot_by_d, nudot_by_u);
    }
}

void tmli_modal_add_force_derivative(const tmli_modal *b, const tmli_modal_node *node, const double *f,
                                     double *H)
{
    const frame k = frame_of(&node[0]);
    const mat3 Rt = m3_transpose(&k.R);
    vec3 force = v3_from(f);
    for (int i = 0; i < b->nodes; i++) {
        const seen s = seen_of(&k, &node[0], &node[1 + i]);
        const int at = 6 + 6 * i;
        const vec3 fy = v3_from(f + at), fpsi = v3_from(f + at + 3);
        const mat3 fy_skew = m3_skew(fy), fpsi_skew = m3_skew(fpsi), turned = m3_mul(&fy_skew, &Rt);
        force = v3_sub(force, fy);
        put(b, H, at, 3, -1, product(k.R, fy_skew));  // R f_y
        put(b, H, 3, at, 1, turned);                  // f_y x rho
        put(b, H, 3, 0, -1, turned);
        put(b, H, 3, 3, 1, product(fy_skew, m3_skew(s.rho)));
        for (int side = 0; side < 2; side++) {  // P'f_psi on the node, -P f_psi on the reference node
            const double sign = side ? -1 : 1;
            const int col = side ? 3 : at + 3;
            const mat3 P = side ? s.Pt : s.P;
            const mat3 by_c = m3_outer(fpsi, v3_scale(-sign / 2, s.d)), turn = m3_mul(&fpsi_skew, &P);
            put(b, H, at + 3, col, 1, by_c);
            put(b, H, at + 3, col, sign / 2, turn);
            put(b, H, 3, col, -1, by_c);
            put(b, H, 3, col, sign / 2, turn);
        }
    }
    put(b, H, 0, 3, -1, product(k.R, m3_skew(force)));  // R (f_v - sum f_y)
}
