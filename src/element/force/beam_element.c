// The beam element: internal forces and exact tangents.
//
// Local coordinates are x = (y_i, psi_i) of the nodes other than the reference node k. Their variations, with
// S = inverse(T(psi_i)) and S exp(psi_i)' = S', are
//   dy_i = R_k'(dr_i - dr_k) + y_i~ dth_k,     dpsi_i = S_i dth_i - S_i' dth_k                            (1)
// Forces f_i = dU/dy_i and g_i = dU/dpsi_i become
//   on r_i: R_k f_i;  on th_i: S_i'g_i;  on r_k: -sum R_k f_i;  on th_k: sum f_i x y_i - S_i g_i          (2)
#include "element/force/beam_element.h"
#include "element/force/beam_strain.h"
#include "math/lagrange.h"

#include <stdbool.h>
#include <string.h>

enum { ALL = 6 * TMLI_BEAM_NODES, POINT = 9 };

#define G2 0.57735026918962576451  // 1/sqrt(3)
#define G3 0.77459666924148337704  // sqrt(3/5)
static const double gauss_point[TMLI_BEAM_POINTS + 1][TMLI_BEAM_POINTS] = {{0}, {0}, {-G2, G2}, {-G3, 0, G3}};
static const double gauss_weight[TMLI_BEAM_POINTS + 1][TMLI_BEAM_POINTS] = {
    {0}, {2}, {1, 1}, {5 / 9.0, 8 / 9.0, 5 / 9.0}};

// ---- local coordinates ------------------------------------------------------------------------------------

typedef struct shape {
    vec3 y[TMLI_BEAM_NODES], psi[TMLI_BEAM_NODES];        // (1) of beam_element.h; 0 at the reference node
    vec3 ydot[TMLI_BEAM_NODES], psidot[TMLI_BEAM_NODES];  // if `moving`
    mat3 S[TMLI_BEAM_NODES];                              // of (1)
    bool moving;
} shape;

static void shape_of(const tmli_beam *b, const tmli_pose *node, const double *u, shape *s)
{
    const int k = b->reference;
    const mat3 Rt = m3_transpose(&node[k].R);
    s->moving = u && b->eta > 0;
    for (int i = 0; i < b->nodes; i++) {
        if (i == k) {
            s->y[i] = s->psi[i] = s->ydot[i] = s->psidot[i] = v3(0, 0, 0);
            continue;
        }
        const mat3 P = m3_mul(&Rt, &node[i].R);
        s->y[i] = m3_mulv(&Rt, v3_sub(node[i].r, node[k].r));
        s->psi[i] = tmli_so3_log(tmli_quat_from_matrix(&P));
        s->S[i] = tmli_so3_tangent_inverse(s->psi[i]);
        if (!s->moving) continue;
        const vec3 w = v3_from(u + 6 * k + 3), v = v3_sub(v3_from(u + 6 * i), v3_from(u + 6 * k));
        s->ydot[i] = v3_add(m3_mulv(&Rt, v), v3_cross(s->y[i], w));
        s->psidot[i] = v3_sub(m3_mulv(&s->S[i], v3_from(u + 6 * i + 3)), m3_tmulv(&s->S[i], w));
    }
}

// ---- one Gauss point --------------------------------------------------------------------------------------

typedef struct section {
    tmli_kernel kernel;
    vec3 dpsi, dy;                         // psi', y' by xi
    vec3 psidot, dpsidot, dydot;           // their rates
    mat3 G[2];                             // of (3) of beam_strain.h
    double strain[6], rate[6], stress[6];  // e - e0, edot, s
} section;

static void multiply6(const double *C, const double *x, double *y)
{
    for (int i = 0; i < 6; i++) {
        double sum = 0;
        for (int k = 0; k < 6; k++) sum += C[6 * i + k] * x[k];
        y[i] = sum;
    }
}

static void section_at(const tmli_beam *b, int g, const shape *s, section *c)
{
    vec3 psi = v3(0, 0, 0);
    c->dpsi = c->dy = c->psidot = c->dpsidot = c->dydot = psi;
    for (int i = 0; i < b->nodes; i++) {
        psi = v3_axpy(b->N[g][i], s->psi[i], psi);
        c->dpsi = v3_axpy(b->dN[g][i], s->psi[i], c->dpsi);
        c->dy = v3_axpy(b->dN[g][i], s->y[i], c->dy);
    }
    c->kernel = tmli_kernel_at(psi);
    c->G[0] = tmli_kernel_matrix(&c->kernel, 0);
    c->G[1] = tmli_kernel_matrix(&c->kernel, 1);
    v3_store(m3_mulv(&c->G[0], c->dy), c->strain);
    v3_store(m3_mulv(&c->G[1], c->dpsi), c->strain + 3);
    for (int k = 0; k < 6; k++) {
        c->strain[k] = c->strain[k] / b->j[g] - b->e0[g][k];
        c->rate[k] = 0;
    }
    if (s->moving) {
        for (int i = 0; i < b->nodes; i++) {
            c->psidot = v3_axpy(b->N[g][i], s->psidot[i], c->psidot);
            c->dpsidot = v3_axpy(b->dN[g][i], s->psidot[i], c->dpsidot);
            c->dydot = v3_axpy(b->dN[g][i], s->ydot[i], c->dydot);
        }
        const mat3 A = tmli_kernel_rate(&c->kernel, 0, c->psidot),
                   B = tmli_kernel_rate(&c->kernel, 1, c->psidot);
        v3_store(v3_add(m3_mulv(&A, c->dy), m3_mulv(&c->G[0], c->dydot)), c->rate);
        v3_store(v3_add(m3_mulv(&B, c->dpsi), m3_mulv(&c->G[1], c->dpsidot)), c->rate + 3);
        for (int k = 0; k < 6; k++) c->rate[k] /= b->j[g];
    }
    double total[6];
    for (int k = 0; k < 6; k++) total[k] = c->strain[k] + b->eta * c->rate[k];
    multiply6(b->C, total, c->stress);
}

static void put_block(double *A, int width, int row, int col, const mat3 *M, double f)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) A[(row + i) * width + col + k] += f * M->m[3 * i + k];
}

// E (6 x 9): j times the derivatives of the strains by (psi, psi', y').
static void strain_derivatives(const section *c, double *E)
{
    const mat3 a = tmli_kernel_by_psi(&c->kernel, 0, c->dy), b = tmli_kernel_by_psi(&c->kernel, 1, c->dpsi);
    memset(E, 0, 6 * POINT * sizeof *E);
    put_block(E, POINT, 0, 0, &a, 1);
    put_block(E, POINT, 0, 6, &c->G[0], 1);
    put_block(E, POINT, 3, 0, &b, 1);
    put_block(E, POINT, 3, 3, &c->G[1], 1);
}

// p (9) = E'stress
static void point_force(const double *E, const double *stress, double *p)
{
    for (int k = 0; k < POINT; k++) {
        double sum = 0;
        for (int i = 0; i < 6; i++) sum += E[POINT * i + k] * stress[i];
        p[k] = sum;
    }
}

// A (9 x 9) += f E'C W with W (6 x 9)
static void add_product(const double *C, const double *E, const double *W, double f, double *A)
{
    double CW[6 * POINT];
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < POINT; k++) {
            double sum = 0;
            for (int r = 0; r < 6; r++) sum += C[6 * i + r] * W[POINT * r + k];
            CW[POINT * i + k] = f * sum;
        }
    for (int i = 0; i < POINT; i++)
        for (int k = 0; k < POINT; k++) {
            double sum = 0;
            for (int r = 0; r < 6; r++) sum += E[POINT * r + i] * CW[POINT * r + k];
            A[POINT * i + k] += sum;
        }
}

// K, V (9 x 9): derivatives of j E'stress by (psi, psi', y') and by their rates.
static void point_tangent(const tmli_beam *b, int g, const section *c, bool moving, double *K, double *V)
{
    const double j = b->j[g];
    const vec3 n = v3_from(c->stress), m = v3_from(c->stress + 3);
    double E[6 * POINT];
    strain_derivatives(c, E);
    memset(K, 0, POINT * POINT * sizeof *K);
    memset(V, 0, POINT * POINT * sizeof *V);
    add_product(b->C, E, E, 1 / j, K);
    const mat3 by_psi[2] = {tmli_kernel_hessian(&c->kernel, 0, c->dy, n),
                            tmli_kernel_hessian(&c->kernel, 1, c->dpsi, m)};
    const mat3 mixed[2] = {tmli_kernel_transposed_by_psi(&c->kernel, 0, n),
                           tmli_kernel_transposed_by_psi(&c->kernel, 1, m)};
    const mat3 turned[2] = {m3_transpose(&mixed[0]), m3_transpose(&mixed[1])};
    put_block(K, POINT, 0, 0, &by_psi[0], 1);
    put_block(K, POINT, 0, 0, &by_psi[1], 1);
    put_block(K, POINT, 6, 0, &mixed[0], 1);
    put_block(K, POINT, 0, 6, &turned[0], 1);
    put_block(K, POINT, 3, 0, &mixed[1], 1);
    put_block(K, POINT, 0, 3, &turned[1], 1);
    if (b->eta == 0) return;
    add_product(b->C, E, E, b->eta / j, V);
    if (!moving) return;
    double W[6 * POINT] = {0};  // j times the derivatives of edot by (psi, psi', y')
    const mat3 first = tmli_kernel_rate_by_psi(&c->kernel, 0, c->dy, c->psidot),
               second = tmli_kernel_by_psi(&c->kernel, 0, c->dydot),
               third = tmli_kernel_rate_by_psi(&c->kernel, 1, c->dpsi, c->psidot),
               fourth = tmli_kernel_by_psi(&c->kernel, 1, c->dpsidot);
    const mat3 rate[2] = {tmli_kernel_rate(&c->kernel, 0, c->psidot),
                          tmli_kernel_rate(&c->kernel, 1, c->psidot)};
    put_block(W, POINT, 0, 0, &first, 1);
    put_block(W, POINT, 0, 0, &second, 1);
    put_block(W, POINT, 3, 0, &third, 1);
    put_block(W, POINT, 3, 0, &fourth, 1);
    put_block(W, POINT, 0, 6, &rate[0], 1);
    put_block(W, POINT, 3, 3, &rate[1], 1);
    add_product(b->C, E, W, b->eta / j, K);
}

// ---- from the Gauss points to the local coordinates -------------------------------------------------------

// f (6 per node: dU/dy, dU/dpsi) += the forces of one Gauss point.
static void spread_force(const tmli_beam *b, int g, const double *p, double *f)
{
    for (int i = 0; i < b->nodes; i++)
        for (int k = 0; k < 3; k++) {
            f[6 * i + k] += b->weight[g] * b->dN[g][i] * p[6 + k];
            f[6 * i + 3 + k] += b->weight[g] * (b->N[g][i] * p[k] + b->dN[g][i] * p[3 + k]);
        }
}

// A (ALL x ALL, in 6 x 6 blocks of nodes) += the tangent P (9 x 9) of one Gauss point.
static void spread_tangent(const tmli_beam *b, int g, const double *P, double *A)
{
    for (int r = 0; r < b->nodes; r++) {
        if (r == b->reference) continue;
        const double Nr = b->weight[g] * b->N[g][r], dr = b->weight[g] * b->dN[g][r];
        double row[6][POINT];  // rows of P for (y_r, psi_r)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < POINT; k++) {
                row[i][k] = dr * P[POINT * (6 + i) + k];
                row[3 + i][k] = Nr * P[POINT * i + k] + dr * P[POINT * (3 + i) + k];
            }
        for (int c = 0; c < b->nodes; c++) {
            if (c == b->reference) continue;
            const double Nc = b->N[g][c], dc = b->dN[g][c];
            for (int i = 0; i < 6; i++) {
                double *out = A + (6 * r + i) * ALL + 6 * c;
                for (int k = 0; k < 3; k++) {
                    out[k] += dc * row[i][6 + k];
                    out[3 + k] += Nc * row[i][k] + dc * row[i][3 + k];
                }
            }
        }
    }
}

// ---- from local coordinates to nodes ----------------------------------------------------------------------

// F += forces (2) of f.
static void to_nodes(const tmli_beam *b, const tmli_pose *node, const shape *s, const double *f, double *F)
{
    const int k = b->reference;
    vec3 force = v3(0, 0, 0), moment = force;
    for (int i = 0; i < b->nodes; i++) {
        if (i == k) continue;
        const vec3 fi = v3_from(f + 6 * i), gi = v3_from(f + 6 * i + 3);
        const vec3 on_r = m3_mulv(&node[k].R, fi), on_th = m3_tmulv(&s->S[i], gi);
        v3_store(v3_add(v3_from(F + 6 * i), on_r), F + 6 * i);
        v3_store(v3_add(v3_from(F + 6 * i + 3), on_th), F + 6 * i + 3);
        force = v3_add(force, on_r);
        moment = v3_add(moment, v3_sub(v3_cross(fi, s->y[i]), m3_mulv(&s->S[i], gi)));
    }
    v3_store(v3_sub(v3_from(F + 6 * k), force), F + 6 * k);
    v3_store(v3_add(v3_from(F + 6 * k + 3), moment), F + 6 * k + 3);
}

// out (3 columns from `to`) += f A(:, from) M for `rows` rows; all of width ALL.
static void columns_times(const double *A, int rows, int from, const mat3 *M, double f, double *out, int to)
{
    for (int i = 0; i < rows; i++) {
        const double *a = A + i * ALL + from;
        double *o = out + i * ALL + to;
        for (int k = 0; k < 3; k++) o[k] += f * (a[0] * M->m[k] + a[1] * M->m[3 + k] + a[2] * M->m[6 + k]);
    }
}

// out (3 rows from `to`) += f M' A(from, :) for `cols` columns.
static void rows_times(const double *A, int cols, int from, const mat3 *M, double f, double *out, int to)
{
    for (int i = 0; i < 3; i++) {
        const double m0 = f * M->m[i], m1 = f * M->m[3 + i], m2 = f * M->m[6 + i];
        const double *a = A + from * ALL;
        double *o = out + (to + i) * ALL;
        for (int k = 0; k < cols; k++) o[k] += m0 * a[k] + m1 * a[ALL + k] + m2 * a[2 * ALL + k];
    }
}

// out (6 nodes square, of width ALL) += L'A J: the columns of A (local) become those of nodes by the
// variation (1), its rows those of the forces (2).
static void transform(const tmli_beam *b, const tmli_pose *node, const shape *s, const double *A, double *out)
{
    const int k = b->reference, n = 6 * b->nodes;
    const mat3 Rt = m3_transpose(&node[k].R);
    double half[ALL * ALL];
    memset(half, 0, (size_t)(n * ALL) * sizeof *half);
    for (int i = 0; i < b->nodes; i++) {
        if (i == k) continue;
        const mat3 y = m3_skew(s->y[i]), St = m3_transpose(&s->S[i]);
        columns_times(A, n, 6 * i, &Rt, 1, half, 6 * i);
        columns_times(A, n, 6 * i, &Rt, -1, half, 6 * k);
        columns_times(A, n, 6 * i, &y, 1, half, 6 * k + 3);
        columns_times(A, n, 6 * i + 3, &s->S[i], 1, half, 6 * i + 3);
        columns_times(A, n, 6 * i + 3, &St, -1, half, 6 * k + 3);
    }
    for (int i = 0; i < b->nodes; i++) {
        if (i == k) continue;
        const mat3 y = m3_skew(s->y[i]), St = m3_transpose(&s->S[i]);
        rows_times(half, n, 6 * i, &Rt, 1, out, 6 * i);
        rows_times(half, n, 6 * i, &Rt, -1, out, 6 * k);
        rows_times(half, n, 6 * i, &y, 1, out, 6 * k + 3);
        rows_times(half, n, 6 * i + 3, &s->S[i], 1, out, 6 * i + 3);
        rows_times(half, n, 6 * i + 3, &St, -1, out, 6 * k + 3);
    }
}

// H += derivative of (2) by increments at constant f, with dy and dpsi of (1).
static void add_geometric(const tmli_beam *b, const tmli_pose *node, const shape *s, const double *f,
                          double *H)
{
    const int k = b->reference;
    const mat3 *R = &node[k].R, Rt = m3_transpose(R);
    for (int i = 0; i < b->nodes; i++) {
        if (i == k) continue;
        const vec3 fi = v3_from(f + 6 * i), gi = v3_from(f + 6 * i + 3);
        const mat3 skew = m3_skew(fi), Rf = m3_mul(R, &skew);  // d(R f) = -R f~ dth_k
        put_block(H, ALL, 6 * i, 6 * k + 3, &Rf, -1);
        put_block(H, ALL, 6 * k, 6 * k + 3, &Rf, 1);
        // d(f x y) = f~ dy
        const mat3 fR = m3_mul(&skew, &Rt), y = m3_skew(s->y[i]), fy = m3_mul(&skew, &y);
        put_block(H, ALL, 6 * k + 3, 6 * i, &fR, 1);
        put_block(H, ALL, 6 * k + 3, 6 * k, &fR, -1);
        put_block(H, ALL, 6 * k + 3, 6 * k + 3, &fy, 1);
        // d(S'g) and -d(S g) by dpsi
        const mat3 a = tmli_so3_tangent_inverse_tmulv_dx(s->psi[i], gi),
                   c = tmli_so3_tangent_inverse_mulv_dx(s->psi[i], gi);
        const mat3 St = m3_transpose(&s->S[i]);
        const mat3 aS = m3_mul(&a, &s->S[i]), aSt = m3_mul(&a, &St), cS = m3_mul(&c, &s->S[i]),
                   cSt = m3_mul(&c, &St);
        put_block(H, ALL, 6 * i + 3, 6 * i + 3, &aS, 1);
        put_block(H, ALL, 6 * i + 3, 6 * k + 3, &aSt, -1);
        put_block(H, ALL, 6 * k + 3, 6 * i + 3, &cS, -1);
        put_block(H, ALL, 6 * k + 3, 6 * k + 3, &cSt, 1);
    }
}

// The local rates change with the nodes at constant velocities u:
//   d(ydot_i) = (R_k'v)~ dth_k - w_k~ dy_i,   d(psidot_i) = d(S w_i - S'w_k)/dpsi dpsi_i                  (3)
// with v = v_i - v_k. Q := V dxdot/dx is added to K in local columns; the part by dth_k goes to `turn`
// (rows local, 3 columns of width ALL at th_k).
static void add_rate_changes(const tmli_beam *b, const tmli_pose *node, const shape *s, const double *u,
                             const double *V, double *K, double *turn)
{
    const int k = b->reference, n = 6 * b->nodes;
    const mat3 Rt = m3_transpose(&node[k].R);
    const vec3 w = v3_from(u + 6 * k + 3);
    const mat3 spin = m3_skew(w);
    for (int i = 0; i < b->nodes; i++) {
        if (i == k) continue;
        const mat3 v = m3_skew(m3_mulv(&Rt, v3_sub(v3_from(u + 6 * i), v3_from(u + 6 * k))));
        const mat3 own = tmli_so3_tangent_inverse_mulv_dx(s->psi[i], v3_from(u + 6 * i + 3)),
                   other = tmli_so3_tangent_inverse_tmulv_dx(s->psi[i], w);
        columns_times(V, n, 6 * i, &spin, -1, K, 6 * i);
        columns_times(V, n, 6 * i + 3, &own, 1, K, 6 * i + 3);
        columns_times(V, n, 6 * i + 3, &other, -1, K, 6 * i + 3);
        columns_times(V, n, 6 * i, &v, 1, turn, 6 * k + 3);
    }
}

// ---- the element ------------------------------------------------------------------------------------------

double tmli_beam_init(tmli_beam *b, int nodes, const tmli_pose *start)
{
    const int points = nodes - 1;
    shape s;
    b->nodes = nodes;
    b->reference = (nodes - 1) / 2;
    shape_of(b, start, NULL, &s);
    double least = INFINITY, largest = 0;
    for (int g = 0; g < points; g++) {
        section c;
        tmli_lagrange(nodes, tmli_lobatto_point[nodes], gauss_point[points][g], b->N[g], b->dN[g]);
        b->weight[g] = gauss_weight[points][g];
        b->j[g] = 1;
        memset(b->e0[g], 0, sizeof b->e0[g]);
        section_at(b, g, &s, &c);
        b->j[g] = v3_norm(c.dy);
        least =
            fmin(least, c.strain[0]);  // along the axis of the section: negative where the curve is folded
        largest = fmax(largest, b->j[g]);
        section_at(b, g, &s, &c);
        memcpy(b->e0[g], c.strain, sizeof b->e0[g]);
    }
    return least / largest;
}

void tmli_beam_force(const tmli_beam *b, const tmli_pose *node, const double *u, double *F)
{
    double f[ALL] = {0};
    shape s;
    shape_of(b, node, u, &s);
    for (int g = 0; g < b->nodes - 1; g++) {
        section c;
        double E[6 * POINT], p[POINT];
        section_at(b, g, &s, &c);
        strain_derivatives(&c, E);
        point_force(E, c.stress, p);
        spread_force(b, g, p, f);
    }
    to_nodes(b, node, &s, f, F);
}

static void add_square(int n, const double *A, double *out)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) out[i * n + k] += A[i * ALL + k];
}

void tmli_beam_tangent(const tmli_beam *b, const tmli_pose *node, const double *u, double *H, double *D)
{
    const int n = 6 * b->nodes;
    const size_t size = (size_t)(n * ALL) * sizeof(double);
    double f[ALL] = {0}, A[ALL * ALL], B[ALL * ALL], V[ALL * ALL];
    shape s;
    shape_of(b, node, u, &s);
    memset(A, 0, size);
    if (b->eta > 0) memset(V, 0, size);
    for (int g = 0; g < b->nodes - 1; g++) {
        section c;
        double E[6 * POINT], p[POINT], K[POINT * POINT], W[POINT * POINT];
        section_at(b, g, &s, &c);
        strain_derivatives(&c, E);
        point_force(E, c.stress, p);
        spread_force(b, g, p, f);
        point_tangent(b, g, &c, s.moving, K, W);
        spread_tangent(b, g, K, A);
        if (b->eta > 0) spread_tangent(b, g, W, V);
    }
    memset(B, 0, size);
    if (s.moving) {
        double turn[ALL * ALL];
        memset(turn, 0, size);
        add_rate_changes(b, node, &s, u, V, A, turn);
        // rows of `turn` to the nodes; its columns are already those of th_k
        const mat3 Rt = m3_transpose(&node[b->reference].R);
        const int k = b->reference;
        for (int i = 0; i < b->nodes; i++) {
            if (i == k) continue;
            const mat3 y = m3_skew(s.y[i]), St = m3_transpose(&s.S[i]);
            rows_times(turn, n, 6 * i, &Rt, 1, B, 6 * i);
            rows_times(turn, n, 6 * i, &Rt, -1, B, 6 * k);
            rows_times(turn, n, 6 * i, &y, 1, B, 6 * k + 3);
            rows_times(turn, n, 6 * i + 3, &s.S[i], 1, B, 6 * i + 3);
            rows_times(turn, n, 6 * i + 3, &St, -1, B, 6 * k + 3);
        }
    }
    transform(b, node, &s, A, B);
    add_geometric(b, node, &s, f, B);
    add_square(n, B, H);
    if (b->eta == 0) return;
    memset(B, 0, size);
    transform(b, node, &s, V, B);
    add_square(n, B, D);
}

double tmli_beam_energy(const tmli_beam *b, const tmli_pose *node, const double *u, double *dissipated)
{
    shape s;
    double sum = 0;
    *dissipated = 0;
    shape_of(b, node, u, &s);
    for (int g = 0; g < b->nodes - 1; g++) {
        section c;
        double stress[6];
        section_at(b, g, &s, &c);
        multiply6(b->C, c.strain, stress);
        for (int k = 0; k < 6; k++) sum += b->weight[g] * b->j[g] * stress[k] * c.strain[k] / 2;
        if (!s.moving) continue;
        multiply6(b->C, c.rate, stress);
        for (int k = 0; k < 6; k++) *dissipated += b->eta * b->weight[g] * b->j[g] * stress[k] * c.rate[k];
    }
    return sum;
}

void tmli_beam_resultants(const tmli_beam *b, const tmli_pose *node, const double *u, double xi,
                          double strain[6], double stress[6])
{
    const int points = b->nodes - 1;
    double N[TMLI_BEAM_POINTS], slope[TMLI_BEAM_POINTS];
    shape s;
    shape_of(b, node, u, &s);
    tmli_lagrange(points, gauss_point[points], xi, N, slope);
    memset(strain, 0, 6 * sizeof *strain);
    memset(stress, 0, 6 * sizeof *stress);
    for (int g = 0; g < points; g++) {
        section c;
        section_at(b, g, &s, &c);
        for (int k = 0; k < 6; k++) {
            strain[k] += N[g] * c.strain[k];
            stress[k] += N[g] * c.stress[k];
        }
    }
}
