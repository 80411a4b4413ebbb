// Bushing. Symbols as in bushing.h; al = C_A' dth_A and be = C_B' dth_B are the rotation increments in the
// axes of the frames.
//
// With S = E_A' R_B, Y = E_A' (P_B - r_A) = y + C_A' s_A and T = tangent operator of the rotation vector,
//   dy     = E_A' (dr_B - dr_A) - S s_B~ dth_B + Y~ al                                                   (1)
//   dtheta = inverse(T) be - inverse(T)' al                                                              (2)
// (2): E_A'E_B becomes exp(-al~) E_A'E_B exp(be~), and inverse(T(x)) R(x)' = inverse(T(-x)) = inverse(T(x))'.
// These are the rows of J = dz/dd; zdot = J u. For w = (f, n), F = E_A f:
//   J'w = ( -F,  C_A (f x Y - inverse(T) n),  F,  s_B x R_B'F + C_B inverse(T)' n )                      (3)
// The stiffness  d(J'w)/dd = J' (K J + D V) + G  has V = d(J u)/dd at constant u,
//   V_y     = (E_A' v)~ C_A' dth_A - S (w_B x s_B)~ dth_B - wa~ J_y                                      (4)
//             v = rdot_B - rdot_A + R_B (w_B x s_B)
//   V_theta = [ d(inverse(T) wb)/dtheta - d(inverse(T)' wa)/dtheta ] J_theta                             (5)
// (wa = C_A' w_A, wb = C_B' w_B) and the geometric part G = d(J'w)/dd at constant w,
//   dF = -E_A f~ al                                                                                      (6)
//   G_rA = -dF,   G_thA = C_A (f~ J_y - d(inverse(T) n)/dtheta J_theta),                                 (7)
//   G_rB =  dF,   G_thB = s_B~ ((R_B'F)~ dth_B + R_B' dF) + C_B d(inverse(T)' n)/dtheta J_theta          (8)
#include "element/force/bushing.h"
#include "element/force/force.h"

#include <math.h>
#include <string.h>

#include "element/force/constants.h"

static const double TWO_PI = 6.28318530717958647692;

typedef struct motion {
    mat3 E_A;   // axes of frame a to inertial
    mat3 S;     // E_A' R_B
    mat3 Tinv;  // inverse of the tangent operator at theta
    vec3 Y, y, theta;
    vec3 wa, wb;  // angular velocities in the axes of their frames
    vec3 v;       // E_A' v of (4)
    vec3 ydot, thetadot;
} motion;

static inline mat3 m3_tmul(const mat3 *P, const mat3 *Q)
{
    const mat3 Pt = m3_transpose(P);
    return m3_mul(&Pt, Q);
}

static inline mat3 m3_sub(const mat3 *P, const mat3 *Q)
{
    mat3 C;
    for (int i = 0; i < 9; i++) C.m[i] = P->m[i] - Q->m[i];
    return C;
}

// v~ M: column by column
static inline mat3 skew_mul(vec3 v, const mat3 *M)
{
    return m3_from_cols(v3_cross(v, m3_col(M, 0)), v3_cross(v, m3_col(M, 1)), v3_cross(v, m3_col(M, 2)));
}

// M v~: row i is (row i of M) x v
static inline mat3 mul_skew(const mat3 *M, vec3 v)
{
    mat3 C;
    for (int i = 0; i < 3; i++) v3_store(v3_cross(v3_from(M->m + 3 * i), v), C.m + 3 * i);
    return C;
}

static double component(vec3 v, int i) { return i == 0 ? v.x : i == 1 ? v.y : v.z; }

// The rotation vector theta with the sign that a branch holds.
static vec3 on_branch(vec3 theta, double branch)
{
    const double angle = sqrt(v3_dot(theta, theta));
    const bool other = branch != 0 && component(theta, (int)fabs(branch) - 1) * branch < 0;
    return other ? v3_scale(1 - TWO_PI / angle, theta) : theta;
}

static vec3 rotation(const tmli_bushing *b, const tmli_pose *A, const tmli_pose *B)
{
    const mat3 E_A = m3_mul(&A->R, &b->C_A), S = m3_tmul(&E_A, &B->R), relative = m3_mul(&S, &b->C_B);
    return tmli_so3_log(tmli_quat_from_matrix(&relative));
}

double tmli_bushing_branch(const tmli_bushing *b, const tmli_pose *A, const tmli_pose *B, double held)
{
    const vec3 shortest = rotation(b, A, B), followed = on_branch(shortest, held);
    const double angle = sqrt(v3_dot(followed, followed));
    const vec3 theta = angle > TWO_PI / 2 ? shortest : followed;
    if (angle < (held == 0 ? HELD_ROTATION : HELD_SHARE * HELD_ROTATION)) return 0;
    int largest = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(component(theta, i)) > fabs(component(theta, largest))) largest = i;
    return component(theta, largest) < 0 ? -1 - largest : 1 + largest;
}

double tmli_bushing_event(const tmli_bushing *b, const tmli_pose *A, const tmli_pose *B, double branch)
{
    const vec3 theta = on_branch(rotation(b, A, B), branch);
    const double angle = sqrt(v3_dot(theta, theta));
    if (branch == 0) return HELD_ROTATION - angle;
    const double share = fabs(component(theta, (int)fabs(branch) - 1)) / angle;
    return fmin(fmin(TWO_PI / 2 - angle, angle - HELD_SHARE * HELD_ROTATION), share - HELD_COMPONENT);
}

static void motion_init(motion *k, const tmli_bushing *b, const tmli_pose *A, const tmli_pose *B,
                        double branch, const double *u)
{
    k->E_A = m3_mul(&A->R, &b->C_A);
    k->S = m3_tmul(&k->E_A, &B->R);
    const mat3 relative = m3_mul(&k->S, &b->C_B);
    k->theta = on_branch(tmli_so3_log(tmli_quat_from_matrix(&relative)), branch);
    k->Tinv = tmli_so3_tangent_inverse(k->theta);
    k->Y = v3_add(m3_tmulv(&k->E_A, v3_sub(B->r, A->r)), m3_mulv(&k->S, b->s_B));
    k->y = v3_sub(k->Y, m3_tmulv(&b->C_A, b->s_A));
    if (!u) return;
    const vec3 w_B = v3_from(u + 9);
    k->wa = m3_tmulv(&b->C_A, v3_from(u + 3));
    k->wb = m3_tmulv(&b->C_B, w_B);
    const vec3 rdot = v3_sub(v3_from(u + 6), v3_from(u));
    k->v = v3_add(m3_tmulv(&k->E_A, rdot), m3_mulv(&k->S, v3_cross(w_B, b->s_B)));
    k->ydot = v3_add(k->v, v3_cross(k->Y, k->wa));                              // (1)
    k->thetadot = v3_sub(m3_mulv(&k->Tinv, k->wb), m3_tmulv(&k->Tinv, k->wa));  // (2)
}

static void wrench(const tmli_bushing *b, const motion *k, vec3 *f, vec3 *n)
{
    double z[6], zdot[6], w[6];
    v3_store(k->y, z);
    v3_store(k->theta, z + 3);
    v3_store(k->ydot, zdot);
    v3_store(k->thetadot, zdot + 3);
    for (int i = 0; i < 6; i++) {
        w[i] = b->preload[i];
        for (int j = 0; j < 6; j++) w[i] += b->K[6 * i + j] * z[j] + b->D[6 * i + j] * zdot[j];
    }
    *f = v3_from(w);
    *n = v3_from(w + 3);
}

void tmli_bushing_deflection(const tmli_bushing *b, const tmli_pose *A, const tmli_pose *B, double branch,
                             const double u[12], double z[6], double zdot[6])
{
    motion k;
    motion_init(&k, b, A, B, branch, zdot ? u : NULL);
    v3_store(k.y, z);
    v3_store(k.theta, z + 3);
    if (!zdot) return;
    v3_store(k.ydot, zdot);
    v3_store(k.thetadot, zdot + 3);
}

void tmli_bushing_eval(const tmli_bushing *b, const tmli_pose *A, const tmli_pose *B, double branch,
                       const double u[12], double Q[12])
{
    motion k;
    vec3 f, n;
    motion_init(&k, b, A, B, branch, u);
    wrench(b, &k, &f, &n);
    const vec3 F = m3_mulv(&k.E_A, f);
    const vec3 a = v3_sub(m3_mulv(&k.Tinv, n), v3_cross(f, k.Y));
    const vec3 on_b = v3_add(v3_cross(b->s_B, m3_tmulv(&k.S, f)), m3_mulv(&b->C_B, m3_tmulv(&k.Tinv, n)));
    v3_store(F, Q);  // (3), with the sign of Q = -J'w
    v3_store(m3_mulv(&b->C_A, a), Q + 3);
    v3_store(v3_scale(-1, F), Q + 6);
    v3_store(v3_scale(-1, on_b), Q + 9);
}

// M += s B at block (i, j) of a matrix with 12 columns
static inline void add_block(double *M, int i, int j, double s, const mat3 *B)
{
    for (int a = 0; a < 3; a++)
        for (int c = 0; c < 3; c++) M[12 * (i + a) + j + c] += s * B->m[3 * a + c];
}

// C (3 x 12) += s L R, R (3 x 12)
static inline void add_product(double *C, double s, const mat3 *L, const double *R)
{
    for (int i = 0; i < 3; i++)
        for (int m = 0; m < 3; m++) {
            const double l = s * L->m[3 * i + m];
            for (int j = 0; j < 12; j++) C[12 * i + j] += l * R[12 * m + j];
        }
}

// C (6 x 12) += L R, L (6 x 6)
static void add_product6(double *C, const double *L, const double *R)
{
    for (int i = 0; i < 6; i++)
        for (int m = 0; m < 6; m++) {
            const double l = L[6 * i + m];
            if (l == 0) continue;  // most bushings couple few directions
            for (int j = 0; j < 12; j++) C[12 * i + j] += l * R[12 * m + j];
        }
}

// H (12 x 12) += s J'W
static void add_congruence(double *H, double s, const double *J, const double *W)
{
    for (int m = 0; m < 6; m++)
        for (int i = 0; i < 12; i++) {
            const double l = s * J[12 * m + i];
            if (l == 0) continue;  // rotational deflections do not depend on translations
            for (int j = 0; j < 12; j++) H[12 * i + j] += l * W[12 * m + j];
        }
}

// (1), (2)
static void jacobian(const tmli_bushing *b, const motion *k, double J[72])
{
    memset(J, 0, 72 * sizeof *J);
    const mat3 Et = m3_transpose(&k->E_A), Ct_A = m3_transpose(&b->C_A), Ct_B = m3_transpose(&b->C_B);
    const mat3 y_A = skew_mul(k->Y, &Ct_A), y_B = mul_skew(&k->S, b->s_B);
    const mat3 t_A = m3_tmul(&k->Tinv, &Ct_A), t_B = m3_mul(&k->Tinv, &Ct_B);
    add_block(J, 0, 0, -1, &Et);
    add_block(J, 0, 3, 1, &y_A);
    add_block(J, 0, 6, 1, &Et);
    add_block(J, 0, 9, -1, &y_B);
    add_block(J, 3, 3, -1, &t_A);
    add_block(J, 3, 9, 1, &t_B);
}

// (4), (5)
static void rate_jacobian(const tmli_bushing *b, const motion *k, vec3 w_B, const double J[72], double V[72])
{
    memset(V, 0, 72 * sizeof *V);
    const mat3 Ct_A = m3_transpose(&b->C_A);
    const mat3 y_A = skew_mul(k->v, &Ct_A), y_B = mul_skew(&k->S, v3_cross(w_B, b->s_B)), wa = m3_skew(k->wa);
    add_block(V, 0, 3, 1, &y_A);
    add_block(V, 0, 9, -1, &y_B);
    add_product(V, -1, &wa, J);
    const mat3 by_b = tmli_so3_tangent_inverse_mulv_dx(k->theta, k->wb);
    const mat3 by_a = tmli_so3_tangent_inverse_tmulv_dx(k->theta, k->wa), sum = m3_sub(&by_b, &by_a);
    add_product(V + 36, 1, &sum, J + 36);
}

// H += s G
static void add_geometric(const tmli_bushing *b, const motion *k, const tmli_pose *B, const double J[72],
                          double s, double *H)
{
    vec3 f, n;
    wrench(b, k, &f, &n);
    const mat3 Ct_A = m3_transpose(&b->C_A), fC = skew_mul(f, &Ct_A);
    const mat3 minus_dF = m3_mul(&k->E_A, &fC);  // (6)
    add_block(H, 0, 3, s, &minus_dF);
    add_block(H, 6, 3, -s, &minus_dF);
    // (7)
    const mat3 f_skew = m3_skew(f), Cf = m3_mul(&b->C_A, &f_skew);
    const mat3 n_A = tmli_so3_tangent_inverse_mulv_dx(k->theta, n), Cn_A = m3_mul(&b->C_A, &n_A);
    add_product(H + 36, s, &Cf, J);
    add_product(H + 36, -s, &Cn_A, J + 36);
    // (8)
    const mat3 s_B = m3_skew(b->s_B), turned = mul_skew(&s_B, m3_tmulv(&k->S, f));
    const mat3 by_dF = m3_tmul(&B->R, &minus_dF), arm = m3_mul(&s_B, &by_dF);
    const mat3 n_B = tmli_so3_tangent_inverse_tmulv_dx(k->theta, n), Cn_B = m3_mul(&b->C_B, &n_B);
    add_block(H, 9, 9, s, &turned);
    add_block(H, 9, 3, -s, &arm);
    add_product(H + 108, s, &Cn_B, J + 36);
}

void tmli_bushing_tangent(const tmli_bushing *b, const tmli_pose *A, const tmli_pose *B, double branch,
                          const double u[12], double wH, double *H, double wD, double *Du)
{
    motion k;
    double J[72];
    motion_init(&k, b, A, B, branch, u);
    jacobian(b, &k, J);
    if (H) {
        double V[72], W[72] = {0};
        rate_jacobian(b, &k, v3_from(u + 9), J, V);
        add_product6(W, b->K, J);
        add_product6(W, b->D, V);
        add_congruence(H, wH, J, W);
        add_geometric(b, &k, B, J, wH, H);
    }
    if (Du) {
        double W[72] = {0};
        add_product6(W, b->D, J);
        add_congruence(Du, wD, J, W);
    }
}

double tmli_bushing_energy(const tmli_bushing *b, const tmli_pose *A, const tmli_pose *B, double branch)
{
    double z[6], e = 0;
    tmli_bushing_deflection(b, A, B, branch, NULL, z, NULL);
    for (int i = 0; i < 6; i++) {
        double Kz = 0;
        for (int j = 0; j < 6; j++) Kz += b->K[6 * i + j] * z[j];
        e += z[i] * (b->preload[i] + 0.5 * Kz);
    }
    return e;
}

double tmli_bushing_dissipation(const tmli_bushing *b, const tmli_pose *A, const tmli_pose *B, double branch,
                                const double u[12])
{
    double z[6], zdot[6], p = 0;
    tmli_bushing_deflection(b, A, B, branch, u, z, zdot);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) p += zdot[i] * b->D[6 * i + j] * zdot[j];
    return p;
}

// ---- the force element ------------------------------------------------------------------------------------

typedef struct bushing {
    tmli_bushing law;
    int node[2], slot[2];  // of a and b; -1: ground
} bushing;

// Whether rotations matter.
static bool turns(const tmli_bushing *b)
{
    bool any = false;
    for (int i = 0; i < 6; i++) {
        any = any || (i >= 3 && b->preload[i] != 0);
        for (int j = 0; j < 6; j++)
            any = any || ((i >= 3 || j >= 3) && (b->K[6 * i + j] != 0 || b->D[6 * i + j] != 0));
    }
    return any;
}

static tml_status build(const tmli_force_builder *b, const tmli_force_entry *e, tmli_force *f)
{
    bushing *d = f->data;
    tmli_marker at[2];
    tml_status st = tmli_force_find_frames(b, e, at);
    for (int side = 0; side < 2 && st == TML_OK; side++) {
        d->node[side] = at[side].body;
        st = tmli_force_check_torque(b, e, at[side].body);
    }
    if (st != TML_OK) return st;
    d->law = (tmli_bushing){.s_A = at[0].s, .s_B = at[1].s, .C_A = at[0].C, .C_B = at[1].C};
    memcpy(d->law.K, e->def.stiffness6, sizeof d->law.K);
    memcpy(d->law.D, e->def.damping6, sizeof d->law.D);
    memcpy(d->law.preload, e->def.preload6, sizeof d->law.preload);
    f->nmodes = turns(&d->law);
    f->rare = true;
    return tmli_force_plan(b, f, 2, d->node, d->slot);
}

static void motion_of(const bushing *d, const tmli_view *v, const tmli_pose **A, const tmli_pose **B,
                      double u12[12])
{
    *A = tmli_pose_of(v->pose, d->node[0]);
    *B = tmli_pose_of(v->pose, d->node[1]);
    tmli_node_velocity(v->m, v->x->u, d->node[0], u12);
    tmli_node_velocity(v->m, v->x->u, d->node[1], u12 + 6);
}

// Modes 1, 2 and so on hold no component, +1, -1, +2, ..; 0: none is held, and nothing is monitored.
static const double branch_of_mode[] = {0, 0, 1, -1, 2, -2, 3, -3};

static double mode_of_branch(double branch)
{
    int mode = 1;
    while (branch_of_mode[mode] != branch) mode++;
    return mode;
}

static double branch_of(const tmli_force *f, const tmli_view *v)
{
    const double *mode = tmli_modes(v->x, f->mode);
    return mode && tmli_mode_fixes_branch(*mode) ? branch_of_mode[(int)*mode] : 0;
}

static void event_values(const tmli_force *f, const tmli_view *v, const double *mode, double *values)
{
    const bushing *d = f->data;
    const tmli_pose *A = tmli_pose_of(v->pose, d->node[0]), *B = tmli_pose_of(v->pose, d->node[1]);
    values[0] = tmli_mode_fixes_branch(*mode) ? tmli_bushing_event(&d->law, A, B, branch_of_mode[(int)*mode])
                                              : INFINITY;
}

static int update_modes(const tmli_force *f, const tmli_view *v, const tmli_view *later, bool all,
                        double *mode)
{
    const bushing *d = f->data;
    const tmli_pose *A = tmli_pose_of(v->pose, d->node[0]), *B = tmli_pose_of(v->pose, d->node[1]);
    (void)later;
    if (!tmli_mode_is_watched(mode[0])) return 0;
    const double held = tmli_mode_fixes_branch(mode[0]) && !all ? branch_of_mode[(int)mode[0]] : 0;
    if (tmli_mode_fixes_branch(mode[0]) && !all && tmli_bushing_event(&d->law, A, B, held) >= 0) return 0;
    const double next = mode_of_branch(tmli_bushing_branch(&d->law, A, B, held));
    const int changed = next != mode[0];
    mode[0] = next;
    return changed;
}

static void force(const tmli_force *f, const tmli_view *v, double *Q)
{
    const bushing *d = f->data;
    const tmli_pose *A, *B;
    double u12[12], Q12[12];
    motion_of(d, v, &A, &B, u12);
    tmli_bushing_eval(&d->law, A, B, branch_of(f, v), u12, Q12);
    for (int side = 0; side < 2; side++) tmli_add_slot(Q, d->slot[side], Q12 + 6 * side, 1);
}

static void tangent(const tmli_force *f, const tmli_view *v, double *H, double *D)
{
    const bushing *d = f->data;
    const tmli_pose *A, *B;
    double u12[12], H12[144] = {0}, D12[144] = {0};
    motion_of(d, v, &A, &B, u12);
    tmli_bushing_tangent(&d->law, A, B, branch_of(f, v), u12, 1, H12, 1, D12);
    const int width = 6 * f->plan.nslots;
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) {
            const int si = d->slot[i / 6], sj = d->slot[j / 6];
            if (si < 0 || sj < 0) continue;
            const int at = (6 * si + i % 6) * width + 6 * sj + j % 6;
            H[at] += H12[12 * i + j];
            D[at] += D12[12 * i + j];
        }
}

static void energy(const tmli_force *f, const tmli_view *v, double *potential, double power[TMLI_WORK_KINDS])
{
    const bushing *d = f->data;
    const tmli_pose *A, *B;
    double u12[12], z[6], zdot[6];
    motion_of(d, v, &A, &B, u12);
    const double branch = branch_of(f, v);
    *potential += tmli_bushing_energy(&d->law, A, B, branch);
    power[f->work] -= tmli_bushing_dissipation(&d->law, A, B, branch, u12);
    tmli_bushing_deflection(&d->law, A, B, branch, u12, z, zdot);
    for (int i = 0; i < 6; i++)  // the skew part of the stiffness has no potential
        for (int j = 0; j < 6; j++)
            power[f->work] -= zdot[i] * (d->law.K[6 * i + j] - d->law.K[6 * j + i]) / 2 * z[j];
}

// No damping, and the stiffness has a potential: K = K'.
static bool conservative(const tmli_force *f)
{
    const tmli_bushing *b = &((const bushing *)f->data)->law;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            if (b->D[6 * i + j] != 0 || b->K[6 * i + j] != b->K[6 * j + i]) return false;
    return true;
}

static tmli_touch touch(const tmli_force *f, int node, vec3 *point)
{
    const bushing *d = f->data;
    (void)point;
    return d->node[0] == node || d->node[1] == node ? TMLI_TOUCH_TORQUE : TMLI_TOUCH_NONE;
}

// Deflection z and wrench w of bushing.h, in the axes of frame a.
static const tmli_force_channel bushing_channels[] = {
    {"x", "m", TMLI_CHANNEL_VALUE, false},    {"y", "m", TMLI_CHANNEL_VALUE, false},
    {"z", "m", TMLI_CHANNEL_VALUE, false},    {"rx", "rad", TMLI_CHANNEL_VALUE, false},
    {"ry", "rad", TMLI_CHANNEL_VALUE, false}, {"rz", "rad", TMLI_CHANNEL_VALUE, false},
    {"fx", "N", TMLI_CHANNEL_VALUE, false},   {"fy", "N", TMLI_CHANNEL_VALUE, false},
    {"fz", "N", TMLI_CHANNEL_VALUE, false},   {"mx", "N m", TMLI_CHANNEL_VALUE, false},
    {"my", "N m", TMLI_CHANNEL_VALUE, false}, {"mz", "N m", TMLI_CHANNEL_VALUE, false},
};

static void channels(const tmli_force *f, const tmli_view *v, double *values)
{
    const bushing *d = f->data;
    const tmli_pose *A, *B;
    double u12[12];
    vec3 force_a, moment_a;
    motion k;
    motion_of(d, v, &A, &B, u12);
    motion_init(&k, &d->law, A, B, branch_of(f, v), u12);
    wrench(&d->law, &k, &force_a, &moment_a);
    v3_store(k.y, values);
    v3_store(k.theta, values + 3);
    v3_store(force_a, values + 6);
    v3_store(moment_a, values + 9);
}

const tmli_force_ops tmli_force_bushing = {
    .size = sizeof(bushing),
    .nchannels = 12,
    .channel = bushing_channels,
    .channels = channels,
    .build = build,
    .force = force,
    .tangent = tangent,
    .energy = energy,
    .event_values = event_values,
    .update_modes = update_modes,
    .conservative = conservative,
    .touch = touch,
};
