// Exact tangents of the beam element. Equation numbers as in section.h.
//
// Matrices are kept as 3 x 3 blocks: of a Gauss point by (psi, psi', y'), of the element by (y_i, psi_i). The
// stiffness without damping is symmetric in local coordinates; then half of the blocks are computed.
#include "element/beam/section.h"

#include <string.h>

enum { NODES = TMLI_BEAM_NODES, ALL = 6 * NODES };
enum { PSI, DPSI, DY };  // coordinates of a Gauss point
enum { Y, TURN };        // local coordinates of a node: y, psi

/** Derivatives of (gamma, kappa), times j, by the coordinates of a Gauss point. */
typedef struct strain_rows {
    mat3 psi[2];    // of gamma, of kappa
    mat3 dy, dpsi;  // of gamma by y', of kappa by psi'
} strain_rows;

typedef mat3 point_blocks[3][3];
typedef mat3 local_blocks[NODES][NODES][2][2];

// out += A B
static inline void add_mul(const mat3 *A, const mat3 *B, mat3 *out)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out->m[3 * i + k] +=
                A->m[3 * i] * B->m[k] + A->m[3 * i + 1] * B->m[3 + k] + A->m[3 * i + 2] * B->m[6 + k];
}

// out += A'B
static inline void add_tmul(const mat3 *A, const mat3 *B, mat3 *out)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out->m[3 * i + k] += A->m[i] * B->m[k] + A->m[3 + i] * B->m[3 + k] + A->m[6 + i] * B->m[6 + k];
}

static inline void add_scaled(double f, const mat3 *A, mat3 *out)
{
    for (int i = 0; i < 9; i++) out->m[i] += f * A->m[i];
}

// ---- one Gauss point --------------------------------------------------------------------------------------

// f C(rows of part r, columns of part c) M; parts 0: forces, 1: moments
static mat3 stiffness_times(const tmli_beam *b, int r, int c, double f, const mat3 *M)
{
    mat3 out = {{0}};
    for (int i = 0; i < 3; i++) {
        const double *C = b->C + 6 * (3 * r + i) + 3 * c;
        for (int k = 0; k < 3; k++)
            out.m[3 * i + k] = b->diagonal ? f * C[i] * M->m[3 * i + k]
                                           : f * (C[0] * M->m[k] + C[1] * M->m[3 + k] + C[2] * M->m[6 + k]);
    }
    return out;
}

// K += f E'C W
static void add_product(const tmli_beam *b, const strain_rows *E, const strain_rows *W, double f,
                        point_blocks K)
{
    mat3 by_psi[2];
    const mat3 force = stiffness_times(b, 0, 0, f, &W->dy), moment = stiffness_times(b, 1, 1, f, &W->dpsi);
    for (int r = 0; r < 2; r++) {
        by_psi[r] = stiffness_times(b, r, r, f, &W->psi[r]);
        if (b->diagonal) continue;
        const mat3 other = stiffness_times(b, r, 1 - r, f, &W->psi[1 - r]);
        by_psi[r] = m3_add(&by_psi[r], &other);
    }
    for (int r = 0; r < 2; r++) add_tmul(&E->psi[r], &by_psi[r], &K[PSI][PSI]);
    add_tmul(&E->dpsi, &by_psi[1], &K[DPSI][PSI]);
    add_tmul(&E->dy, &by_psi[0], &K[DY][PSI]);
    add_tmul(&E->psi[1], &moment, &K[PSI][DPSI]);
    add_tmul(&E->dpsi, &moment, &K[DPSI][DPSI]);
    add_tmul(&E->psi[0], &force, &K[PSI][DY]);
    add_tmul(&E->dy, &force, &K[DY][DY]);
    if (b->diagonal) return;
    const mat3 moment_dy = stiffness_times(b, 1, 0, f, &W->dy),
               force_dpsi = stiffness_times(b, 0, 1, f, &W->dpsi);
    add_tmul(&E->psi[1], &moment_dy, &K[PSI][DY]);
    add_tmul(&E->dpsi, &moment_dy, &K[DPSI][DY]);
    add_tmul(&E->psi[0], &force_dpsi, &K[PSI][DPSI]);
    add_tmul(&E->dy, &force_dpsi, &K[DY][DPSI]);
}

// K += second derivatives of the strains times the stress.
static void add_curvature(const tmli_beam_section *c, point_blocks K)
{
    const vec3 n = v3_from(c->stress), m = v3_from(c->stress + 3);
    const mat3 by_psi[2] = {tmli_kernel_hessian(&c->kernel, 0, c->dx, n),
                            tmli_kernel_hessian(&c->kernel, 1, c->dpsi, m)};
    const mat3 mixed[2] = {tmli_kernel_transposed_by_psi(&c->kernel, 0, n),
                           tmli_kernel_transposed_by_psi(&c->kernel, 1, m)};
    const mat3 turned[2] = {m3_transpose(&mixed[0]), m3_transpose(&mixed[1])};
    add_scaled(1, &by_psi[0], &K[PSI][PSI]);
    add_scaled(1, &by_psi[1], &K[PSI][PSI]);
    add_scaled(1, &mixed[0], &K[DY][PSI]);
    add_scaled(1, &turned[0], &K[PSI][DY]);
    add_scaled(1, &mixed[1], &K[DPSI][PSI]);
    add_scaled(1, &turned[1], &K[PSI][DPSI]);
}

// j times the derivatives of the strain rates by the coordinates of the Gauss point.
static strain_rows rate_rows(const tmli_beam_section *c)
{
    strain_rows W;
    const mat3 first = tmli_kernel_rate_by_psi(&c->kernel, 0, c->dx, c->psidot),
               second = tmli_kernel_by_psi(&c->kernel, 0, c->dxdot),
               third = tmli_kernel_rate_by_psi(&c->kernel, 1, c->dpsi, c->psidot),
               fourth = tmli_kernel_by_psi(&c->kernel, 1, c->dpsidot);
    W.psi[0] = m3_add(&first, &second);
    W.psi[1] = m3_add(&third, &fourth);
    W.dy = tmli_kernel_rate(&c->kernel, 0, c->psidot);
    W.dpsi = tmli_kernel_rate(&c->kernel, 1, c->psidot);
    return W;
}

// K, V: derivatives of the forces of the Gauss point by its coordinates and by their rates.
static void point_tangent(const tmli_beam *b, int g, const tmli_beam_section *c, bool moving, point_blocks K,
                          point_blocks V)
{
    const double f = 1 / b->j[g];
    const strain_rows E = {
        {tmli_kernel_by_psi(&c->kernel, 0, c->dx), tmli_kernel_by_psi(&c->kernel, 1, c->dpsi)},
        c->G[0],
        c->G[1]};
    memset(K, 0, sizeof(point_blocks));
    add_product(b, &E, &E, f, K);
    add_curvature(c, K);
    if (b->eta == 0) return;
    memset(V, 0, sizeof(point_blocks));
    add_product(b, &E, &E, b->eta * f, V);
    if (!moving) return;
    const strain_rows W = rate_rows(c);
    add_product(b, &E, &W, b->eta * f, K);
}

// A += the tangent P of Gauss point g; symmetric: only the blocks r <= c.
static void spread(const tmli_beam *b, int g, point_blocks P, bool symmetric, local_blocks A)
{
    for (int r = 0; r < b->nodes; r++) {
        if (r == b->reference) continue;
        const double Nr = b->weight[g] * b->N[g][r], dr = b->weight[g] * b->dN[g][r];
        for (int c = symmetric ? r : 0; c < b->nodes; c++) {
            if (c == b->reference) continue;
            const double Nc = b->N[g][c], dc = b->dN[g][c];
            const double NN = Nr * Nc, Nd = Nr * dc, dN = dr * Nc, dd = dr * dc;
            mat3 *const yy = &A[r][c][Y][Y], *const yt = &A[r][c][Y][TURN], *const ty = &A[r][c][TURN][Y],
                        *const tt = &A[r][c][TURN][TURN];
            for (int i = 0; i < 9; i++) {
                yy->m[i] += dd * P[DY][DY].m[i];
                yt->m[i] += dN * P[DY][PSI].m[i] + dd * P[DY][DPSI].m[i];
                ty->m[i] += Nd * P[PSI][DY].m[i] + dd * P[DPSI][DY].m[i];
                tt->m[i] += NN * P[PSI][PSI].m[i] + Nd * P[PSI][DPSI].m[i] + dN * P[DPSI][PSI].m[i] +
                            dd * P[DPSI][DPSI].m[i];
            }
        }
    }
}

static void mirror(const tmli_beam *b, local_blocks A)
{
    for (int r = 0; r < b->nodes; r++)
        for (int c = r + 1; c < b->nodes; c++)
            for (int i = 0; i < 2; i++)
                for (int k = 0; k < 2; k++) A[c][r][k][i] = m3_transpose(&A[r][c][i][k]);
}

// ---- from local coordinates to nodes ----------------------------------------------------------------------

// H (`width` wide) += f M at (row, col)
static inline void put(double *H, int width, int row, int col, double f, const mat3 *M)
{
    double *out = H + row * width + col;
    for (int i = 0; i < 3; i++, out += width)
        for (int k = 0; k < 3; k++) out[k] += f * M->m[3 * i + k];
}

// The same, and its transpose at (col, row).
static inline void put_both(double *H, int width, int row, int col, double f, const mat3 *M)
{
    const mat3 T = m3_transpose(M);
    put(H, width, row, col, f, M);
    put(H, width, col, row, f, &T);
}

// The change of the forces (2) at node i with (r_c, th_c), c != k, given the columns of A by (dr_c, dth_c).
static void put_pair(const tmli_beam *b, const mat3 *R, const tmli_beam_shape *s, int i, int c,
                     mat3 column[2][2], double *H)
{
    const int n = 6 * b->nodes, k = b->reference;
    mat3 rr = {{0}}, rt = {{0}}, tr = {{0}}, tt = {{0}};
    add_mul(R, &column[Y][0], &rr);
    add_mul(R, &column[Y][1], &rt);
    add_tmul(&s->S[i], &column[TURN][0], &tr);
    add_tmul(&s->S[i], &column[TURN][1], &tt);
    put(H, n, 6 * i, 6 * c, 1, &rr);
    put(H, n, 6 * i, 6 * k, -1, &rr);
    put(H, n, 6 * k, 6 * c, -1, &rr);
    put(H, n, 6 * k, 6 * k, 1, &rr);
    put(H, n, 6 * i, 6 * c + 3, 1, &rt);
    put(H, n, 6 * k, 6 * c + 3, -1, &rt);
    put(H, n, 6 * i + 3, 6 * c, 1, &tr);
    put(H, n, 6 * i + 3, 6 * k, -1, &tr);
    put(H, n, 6 * i + 3, 6 * c + 3, 1, &tt);
}

// H += J'A J with the variation J of (1). turn (may be NULL): further columns of A by dth_k. A symmetric
// matrix gives symmetric blocks, and the rows of th_k are the columns.
static void transform(const tmli_beam *b, const tmli_pose *node, const tmli_beam_shape *s, local_blocks A,
                      mat3 (*turn)[2], bool symmetric, double *H)
{
    const int n = 6 * b->nodes, k = b->reference;
    const mat3 *R = &node[k].R, Rt = m3_transpose(R);
    mat3 y[NODES], minus_S[NODES], minus_St[NODES], corner = {{0}};
    for (int i = 0; i < b->nodes; i++) {
        if (i == k) continue;
        y[i] = m3_skew(s->y[i]);
        minus_S[i] = m3_scale(-1, &s->S[i]);
        minus_St[i] = m3_transpose(&minus_S[i]);
    }
    for (int i = 0; i < b->nodes; i++) {
        if (i == k) continue;
        mat3 by_turn[2] = {{{0}}, {{0}}};
        for (int c = 0; c < b->nodes; c++) {
            if (c == k) continue;
            mat3 column[2][2] = {{{{0}}, {{0}}}, {{{0}}, {{0}}}};
            for (int a = 0; a < 2; a++) {
                add_mul(&A[i][c][a][Y], &y[c], &by_turn[a]);
                add_mul(&A[i][c][a][TURN], &minus_St[c], &by_turn[a]);
                add_mul(&A[i][c][a][Y], &Rt, &column[a][0]);
                add_mul(&A[i][c][a][TURN], &s->S[c], &column[a][1]);
            }
            put_pair(b, R, s, i, c, column, H);
            if (symmetric) continue;
            for (int a = 0; a < 2; a++) {  // rows of th_k: y_i~' = -y_i~
                mat3 row = {{0}};
                add_tmul(&y[i], &column[Y][a], &row);
                add_mul(&minus_S[i], &column[TURN][a], &row);
                put(H, n, 6 * k + 3, 6 * c + 3 * a, 1, &row);
                if (a == 0) put(H, n, 6 * k + 3, 6 * k, -1, &row);
            }
        }
        for (int a = 0; a < 2 && turn; a++) add_scaled(1, &turn[i][a], &by_turn[a]);
        mat3 on_r = {{0}}, on_th = {{0}};
        add_mul(R, &by_turn[Y], &on_r);
        add_tmul(&s->S[i], &by_turn[TURN], &on_th);
        add_tmul(&y[i], &by_turn[Y], &corner);
        add_mul(&minus_S[i], &by_turn[TURN], &corner);
        void (*const store)(double *, int, int, int, double, const mat3 *) = symmetric ? put_both : put;
        store(H, n, 6 * i, 6 * k + 3, 1, &on_r);
        store(H, n, 6 * k, 6 * k + 3, -1, &on_r);
        store(H, n, 6 * i + 3, 6 * k + 3, 1, &on_th);
    }
    put(H, n, 6 * k + 3, 6 * k + 3, 1, &corner);
}

// The local rates change with the nodes at constant velocities u:
//   d(ydot_i) = (R_k'v)~ dth_k - w_k~ dy_i,   d(psidot_i) = d(S w_i - S'w_k)/dpsi dpsi_i                  (3)
// with v = v_i - v_k. V dxdot/dx is added to K in local columns, the part by dth_k to `turn`.
static void add_rate_changes(const tmli_beam *b, const tmli_pose *node, const tmli_beam_shape *s,
                             const double *u, local_blocks V, local_blocks K, mat3 (*turn)[2])
{
    const int k = b->reference;
    const mat3 Rt = m3_transpose(&node[k].R);
    const vec3 w = v3_from(u + 6 * k + 3);
    const mat3 spin = m3_skew(v3_scale(-1, w));
    for (int c = 0; c < b->nodes; c++) {
        if (c == k) continue;
        const mat3 v = m3_skew(m3_mulv(&Rt, v3_sub(v3_from(u + 6 * c), v3_from(u + 6 * k))));
        const mat3 own = tmli_so3_tangent_inverse_mulv_dx(s->psi[c], v3_from(u + 6 * c + 3)),
                   other = tmli_so3_tangent_inverse_tmulv_dx(s->psi[c], v3_scale(-1, w));
        const mat3 by_psi = m3_add(&own, &other);
        for (int i = 0; i < b->nodes; i++)
            for (int a = 0; a < 2 && i != k; a++) {
                add_mul(&V[i][c][a][Y], &spin, &K[i][c][a][Y]);
                add_mul(&V[i][c][a][TURN], &by_psi, &K[i][c][a][TURN]);
                add_mul(&V[i][c][a][Y], &v, &turn[i][a]);
            }
    }
}

void tmli_beam_tangent(const tmli_beam *b, const tmli_pose *node, const double *u, double *H, double *D)
{
    if (b->motion) {
        tmli_beam_dense_tangent(b, node, u, H, D);
        return;
    }
    if (b->planar) {
        tmli_beam_planar_tangent(b, node, u, H, D);
        return;
    }
    double f[ALL] = {0};
    local_blocks K, V;
    mat3 turn[NODES][2];
    tmli_beam_shape s;
    tmli_beam_shape_of(b, node, u, &s);
    memset(K, 0, sizeof K);
    if (b->eta > 0) memset(V, 0, sizeof V);
    for (int g = 0; g < b->nodes - 1; g++) {
        tmli_beam_section c;
        point_blocks P, W;
        tmli_beam_section_at(b, g, &s, &c);
        tmli_beam_add_section_force(b, g, &c, f);
        point_tangent(b, g, &c, s.moving, P, W);
        spread(b, g, P, !s.moving, K);
        if (b->eta > 0) spread(b, g, W, true, V);
    }
    if (!s.moving) mirror(b, K);
    if (b->eta > 0) mirror(b, V);
    memset(turn, 0, sizeof turn);
    if (s.moving) add_rate_changes(b, node, &s, u, V, K, turn);
    transform(b, node, &s, K, s.moving ? turn : NULL, !s.moving, H);
    tmli_beam_add_geometric(b, node, &s, f, 6 * b->nodes, H);
    if (b->eta > 0) transform(b, node, &s, V, NULL, true, D);
}
