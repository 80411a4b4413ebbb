// The beam element with all derivatives as full matrices: for elements whose motions are interpolated, and
// for means over a step (element/force/beam_mean.c). tangent.c has the fast form of the plain element.
// Equation numbers as in section.h. If motions are interpolated, the coordinates (d_i, psi_i) of a node
// follow from (y_i, psi_i) by
//   dd_i = S_i'dy_i + B_i dpsi_i                                                                          (3)
#include "element/beam/section.h"

#include <float.h>
#include <string.h>

enum { ALL = TMLI_BEAM_ALL, POINT = TMLI_BEAM_POINT };
enum { PSI = 0, DPSI = 3, X = 6, DX = 9 };  // coordinates of a point

static void put_block(double *A, int width, int row, int col, const mat3 *M, double f)
{
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) A[(row + i) * width + col + k] += f * M->m[3 * i + k];
}

// M at (row, col) and its transpose at (col, row)
static void put_both(double *A, int width, int row, int col, const mat3 *M)
{
    const mat3 T = m3_transpose(M);
    put_block(A, width, row, col, M, 1);
    put_block(A, width, col, row, &T, 1);
}

// ---- one Gauss point --------------------------------------------------------------------------------------

void tmli_beam_point_rows(const tmli_beam *b, const tmli_beam_section *c, double *E)
{
    const tmli_kernel *g = &c->kernel;
    const mat3 by_psi = tmli_kernel_by_psi(g, 1, c->dpsi);
    memset(E, 0, 6 * POINT * sizeof *E);
    put_block(E, POINT, 3, PSI, &by_psi, 1);
    put_block(E, POINT, 3, DPSI, &c->G[1], 1);
    if (!b->motion) {
        const mat3 turn = tmli_kernel_by_psi(g, 0, c->dx);
        put_block(E, POINT, 0, PSI, &turn, 1);
        put_block(E, POINT, 0, DX, &c->G[0], 1);
        return;
    }
    // (2) of motion.c
    const mat3 turn = tmli_kernel_rate_by_psi(g, 1, c->dpsi, c->d), other = tmli_kernel_by_psi(g, 1, c->dx),
               along = tmli_kernel_rate(g, 1, c->d);
    put_block(E, POINT, 0, PSI, &turn, 1);
    put_block(E, POINT, 0, PSI, &other, 1);
    put_block(E, POINT, 0, DPSI, &along, 1);
    put_block(E, POINT, 0, X, &by_psi, 1);
    put_block(E, POINT, 0, DX, &c->G[1], 1);
}

void tmli_beam_point_curvature(const tmli_beam *b, const tmli_beam_section *c, double *K)
{
    const tmli_kernel *g = &c->kernel;
    const vec3 n = v3_from(c->stress), m = v3_from(c->stress + 3);
    memset(K, 0, POINT * POINT * sizeof *K);
    const mat3 bent = tmli_kernel_hessian(g, 1, c->dpsi, m), mixed = tmli_kernel_transposed_by_psi(g, 1, m);
    put_block(K, POINT, PSI, PSI, &bent, 1);
    put_both(K, POINT, DPSI, PSI, &mixed);
    if (!b->motion) {
        const mat3 strained = tmli_kernel_hessian(g, 0, c->dx, n),
                   crossed = tmli_kernel_transposed_by_psi(g, 0, n);
        put_block(K, POINT, PSI, PSI, &strained, 1);
        put_both(K, POINT, DX, PSI, &crossed);
        return;
    }
    const mat3 moved = tmli_kernel_hessian_rate(g, c->dpsi, n, c->d),
               strained = tmli_kernel_hessian(g, 1, c->dx, n), by_d = tmli_kernel_hessian(g, 1, c->dpsi, n),
               along = tmli_kernel_transposed_rate_by_psi(g, 1, n, c->d),
               crossed = tmli_kernel_transposed_by_psi(g, 1, n);
    put_block(K, POINT, PSI, PSI, &moved, 1);
    put_block(K, POINT, PSI, PSI, &strained, 1);
    put_both(K, POINT, DPSI, PSI, &along);
    put_both(K, POINT, X, PSI, &by_d);
    put_both(K, POINT, DPSI, X, &crossed);
    put_both(K, POINT, DX, PSI, &crossed);
}

void tmli_beam_point_product(const double *C, const double *E, const double *W, double f, double *A)
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

void tmli_beam_spread_force(const tmli_beam *b, int g, const double *E, const double *stress, double *f)
{
    double p[POINT];
    for (int k = 0; k < POINT; k++) {
        double sum = 0;
        for (int i = 0; i < 6; i++) sum += E[POINT * i + k] * stress[i];
        p[k] = b->weight[g] * sum;
    }
    for (int i = 0; i < b->nodes; i++)
        for (int k = 0; k < 3; k++) {
            f[6 * i + k] += b->N[g][i] * p[X + k] + b->dN[g][i] * p[DX + k];
            f[6 * i + 3 + k] += b->N[g][i] * p[PSI + k] + b->dN[g][i] * p[DPSI + k];
        }
}

void tmli_beam_spread_tangent(const tmli_beam *b, int g, const double *P, double *A)
{
    for (int r = 0; r < b->nodes; r++) {
        if (r == b->reference) continue;
        const double Nr = b->weight[g] * b->N[g][r], dr = b->weight[g] * b->dN[g][r];
        double row[6][POINT];  // rows of P for (x_r, psi_r)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < POINT; k++) {
                row[i][k] = Nr * P[POINT * (X + i) + k] + dr * P[POINT * (DX + i) + k];
                row[3 + i][k] = Nr * P[POINT * (PSI + i) + k] + dr * P[POINT * (DPSI + i) + k];
            }
        for (int c = 0; c < b->nodes; c++) {
            if (c == b->reference) continue;
            const double Nc = b->N[g][c], dc = b->dN[g][c];
            for (int i = 0; i < 6; i++) {
                double *out = A + (6 * r + i) * ALL + 6 * c;
                for (int k = 0; k < 3; k++) {
                    out[k] += Nc * row[i][X + k] + dc * row[i][DX + k];
                    out[3 + k] += Nc * row[i][PSI + k] + dc * row[i][DPSI + k];
                }
            }
        }
    }
}

// ---- from coordinates of nodes to nodes -------------------------------------------------------------------

// f on (d, psi) becomes f on (y, psi) by (3).
static void forces_of_motion(const tmli_beam *b, const tmli_beam_shape *s, const double *f, double *out)
{
    memcpy(out, f, (size_t)(6 * b->nodes) * sizeof *out);
    for (int i = 0; i < b->nodes; i++) {
        if (i == b->reference) continue;
        const vec3 on_d = v3_from(f + 6 * i);
        v3_store(m3_mulv(&s->S[i], on_d), out + 6 * i);
        v3_store(v3_add(v3_from(f + 6 * i + 3), m3_tmulv(&s->B[i], on_d)), out + 6 * i + 3);
    }
}

static void add_forces(const tmli_beam *b, const tmli_pose *node, const tmli_beam_shape *s, const double *f,
                       double *F)
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

void tmli_beam_to_nodes(const tmli_beam *b, const tmli_pose *node, const tmli_beam_shape *s, const double *f,
                        double *F)
{
    double g[ALL];
    if (b->motion) {
        forces_of_motion(b, s, f, g);
        f = g;
    }
    add_forces(b, node, s, f, F);
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

typedef void product(const double *A, int count, int from, const mat3 *M, double f, double *out, int to);

// out += A J (times = columns_times) or J'A (rows_times) with J of (1), by (y, psi).
static void apply_turns(const tmli_beam *b, const tmli_pose *node, const tmli_beam_shape *s, product *times,
                        const double *A, double *out)
{
    const int k = b->reference, n = 6 * b->nodes;
    const mat3 Rt = m3_transpose(&node[k].R);
    for (int i = 0; i < b->nodes; i++) {
        if (i == k) continue;
        const mat3 y = m3_skew(s->y[i]), St = m3_transpose(&s->S[i]);
        times(A, n, 6 * i, &Rt, 1, out, 6 * i);
        times(A, n, 6 * i, &Rt, -1, out, 6 * k);
        times(A, n, 6 * i, &y, 1, out, 6 * k + 3);
        times(A, n, 6 * i + 3, &s->S[i], 1, out, 6 * i + 3);
        times(A, n, 6 * i + 3, &St, -1, out, 6 * k + 3);
    }
}

// out = A with its columns or rows by (d, psi) made columns or rows by (y, psi), (3).
static void apply_motion(const tmli_beam *b, const tmli_beam_shape *s, product *times, const double *A,
                         double *out)
{
    const int n = 6 * b->nodes;
    memset(out, 0, (size_t)(n * ALL) * sizeof *out);
    for (int i = 0; i < b->nodes; i++) {
        if (i == b->reference) continue;
        const mat3 St = m3_transpose(&s->S[i]), one = m3_identity();
        times(A, n, 6 * i, &St, 1, out, 6 * i);
        times(A, n, 6 * i, &s->B[i], 1, out, 6 * i + 3);
        times(A, n, 6 * i + 3, &one, 1, out, 6 * i + 3);
    }
}

static void to_nodes(const tmli_beam *b, const tmli_pose *node, const tmli_beam_shape *s, product *times,
                     const double *A, double *out)
{
    double local[ALL * ALL];
    if (b->motion) {
        apply_motion(b, s, times, A, local);
        A = local;
    }
    apply_turns(b, node, s, times, A, out);
}

void tmli_beam_columns_to_nodes(const tmli_beam *b, const tmli_pose *node, const tmli_beam_shape *s,
                                const double *A, double *out)
{
    to_nodes(b, node, s, columns_times, A, out);
}

void tmli_beam_rows_to_nodes(const tmli_beam *b, const tmli_pose *node, const tmli_beam_shape *s,
                             const double *A, double *out)
{
    to_nodes(b, node, s, rows_times, A, out);
}

// A (by (y, psi)) += the change of the forces of (3), f_y = S f_d and f_psi + B'f_d, at constant f.
static void add_change_of_motion(const tmli_beam *b, const tmli_beam_shape *s, const double *f, double *A)
{
    for (int i = 0; i < b->nodes; i++) {
        if (i == b->reference) continue;
        const vec3 on_d = v3_from(f + 6 * i);
        const tmli_kernel inverse = tmli_kernel_inverse_at(s->psi[i]);
        const mat3 mixed = tmli_so3_tangent_inverse_mulv_dx(s->psi[i], on_d),
                   turned = tmli_kernel_hessian(&inverse, 0, s->y[i], on_d);
        put_both(A, ALL, 6 * i, 6 * i + 3, &mixed);
        put_block(A, ALL, 6 * i + 3, 6 * i + 3, &turned, 1);
    }
}

void tmli_beam_add_geometric(const tmli_beam *b, const tmli_pose *node, const tmli_beam_shape *s,
                             const double *f, int width, double *H)
{
    const int k = b->reference;
    const mat3 *R = &node[k].R, Rt = m3_transpose(R);
    double g[ALL];
    if (b->motion) {
        double A[ALL * ALL] = {0}, half[ALL * ALL] = {0};
        add_change_of_motion(b, s, f, A);
        apply_turns(b, node, s, columns_times, A, half);
        memset(A, 0, sizeof A);
        apply_turns(b, node, s, rows_times, half, A);
        for (int i = 0; i < 6 * b->nodes; i++)
            for (int c = 0; c < 6 * b->nodes; c++) H[i * width + c] += A[i * ALL + c];
        forces_of_motion(b, s, f, g);
        f = g;
    }
    for (int i = 0; i < b->nodes; i++) {
        if (i == k) continue;
        const vec3 fi = v3_from(f + 6 * i), gi = v3_from(f + 6 * i + 3);
        const mat3 skew = m3_skew(fi), Rf = m3_mul(R, &skew);  // d(R f) = -R f~ dth_k
        put_block(H, width, 6 * i, 6 * k + 3, &Rf, -1);
        put_block(H, width, 6 * k, 6 * k + 3, &Rf, 1);
        // d(f x y) = f~ dy
        const mat3 fR = m3_mul(&skew, &Rt), y = m3_skew(s->y[i]), fy = m3_mul(&skew, &y);
        put_block(H, width, 6 * k + 3, 6 * i, &fR, 1);
        put_block(H, width, 6 * k + 3, 6 * k, &fR, -1);
        put_block(H, width, 6 * k + 3, 6 * k + 3, &fy, 1);
        // d(S'g) and -d(S g) by dpsi
        const mat3 a = tmli_so3_tangent_inverse_tmulv_dx(s->psi[i], gi),
                   c = tmli_so3_tangent_inverse_mulv_dx(s->psi[i], gi);
        const mat3 St = m3_transpose(&s->S[i]);
        const mat3 aS = m3_mul(&a, &s->S[i]), aSt = m3_mul(&a, &St), cS = m3_mul(&c, &s->S[i]),
                   cSt = m3_mul(&c, &St);
        put_block(H, width, 6 * i + 3, 6 * i + 3, &aS, 1);
        put_block(H, width, 6 * i + 3, 6 * k + 3, &aSt, -1);
        put_block(H, width, 6 * k + 3, 6 * i + 3, &cS, -1);
        put_block(H, width, 6 * k + 3, 6 * k + 3, &cSt, 1);
    }
}

// ---- forces and tangents ----------------------------------------------------------------------------------

void tmli_beam_dense_force(const tmli_beam *b, const tmli_pose *node, const double *u, double *F)
{
    double f[ALL] = {0}, E[6 * POINT];
    tmli_beam_shape s;
    tmli_beam_shape_of(b, node, u, &s);
    for (int g = 0; g < b->nodes - 1; g++) {
        tmli_beam_section c;
        tmli_beam_section_at(b, g, &s, &c);
        tmli_beam_point_rows(b, &c, E);
        tmli_beam_spread_force(b, g, E, c.stress, f);
    }
    tmli_beam_to_nodes(b, node, &s, f, F);
}

// W (6 x 12): derivatives of E times the rates of the point, by its coordinates. Second derivatives commute:
// they are the derivative of E along the rates, here a central difference. Its error, some 1e-10, is of no
// importance for Newton's method.
static void rate_rows(const tmli_beam *b, const tmli_beam_section *c, double *W)
{
    const double rate = v3_norm(c->psidot) + v3_norm(c->dpsidot) +
                        (v3_norm(c->ddot) + v3_norm(c->dxdot)) / (DBL_MIN + v3_norm(c->dx));
    memset(W, 0, 6 * POINT * sizeof *W);
    if (!(rate > 0)) return;
    const double step = cbrt(DBL_EPSILON) / rate;
    for (int side = -1; side <= 1; side += 2) {
        tmli_beam_section moved = *c;
        double E[6 * POINT];
        moved.kernel = tmli_kernel_at(v3_axpy(side * step, c->psidot, c->kernel.psi));
        for (int k = 0; k < 2; k++) moved.G[k] = tmli_kernel_matrix(&moved.kernel, k);
        moved.d = v3_axpy(side * step, c->ddot, c->d);
        moved.dpsi = v3_axpy(side * step, c->dpsidot, c->dpsi);
        moved.dx = v3_axpy(side * step, c->dxdot, c->dx);
        tmli_beam_point_rows(b, &moved, E);
        for (int i = 0; i < 6 * POINT; i++) W[i] += side / (2 * step) * E[i];
    }
}

// The rates of the nodes change with the nodes at constant velocities u, with v = v_i - v_k:
//   d(ydot_i) = (R_k'v)~ dth_k - w_k~ dy_i,   d(psidot_i) = d(S w_i - S'w_k)/dpsi dpsi_i
//   d(ddot_i) = S'd(ydot_i) + B d(psidot_i) + (S'ydot_i + B psidot_i changed by dy_i, dpsi_i)
// out (columns of increments) += V times these.
static void add_rate_changes(const tmli_beam *b, const tmli_pose *node, const tmli_beam_shape *s,
                             const double *u, const double *V, double *out)
{
    const int k = b->reference, n = 6 * b->nodes;
    const mat3 Rt = m3_transpose(&node[k].R);
    const vec3 w = v3_from(u + 6 * k + 3);
    const mat3 spin = m3_skew(v3_scale(-1, w));
    double local[ALL * ALL], A[ALL * ALL] = {0};
    const double *by_y = V;
    if (b->motion) {
        apply_motion(b, s, columns_times, V, local);
        by_y = local;
    }
    for (int i = 0; i < b->nodes; i++) {
        if (i == k) continue;
        const mat3 v = m3_skew(m3_mulv(&Rt, v3_sub(v3_from(u + 6 * i), v3_from(u + 6 * k))));
        const mat3 own = tmli_so3_tangent_inverse_mulv_dx(s->psi[i], v3_from(u + 6 * i + 3)),
                   other = tmli_so3_tangent_inverse_tmulv_dx(s->psi[i], v3_scale(-1, w));
        columns_times(by_y, n, 6 * i, &spin, 1, A, 6 * i);
        columns_times(by_y, n, 6 * i + 3, &own, 1, A, 6 * i + 3);
        columns_times(by_y, n, 6 * i + 3, &other, 1, A, 6 * i + 3);
        columns_times(by_y, n, 6 * i, &v, 1, out, 6 * k + 3);
        if (!b->motion) continue;
        const tmli_kernel inverse = tmli_kernel_inverse_at(s->psi[i]);
        const mat3 by_dy = tmli_kernel_rate(&inverse, 0, s->psidot[i]),
                   first = tmli_kernel_by_psi(&inverse, 0, s->ydot[i]),
                   second = tmli_kernel_rate_by_psi(&inverse, 0, s->y[i], s->psidot[i]);
        columns_times(V, n, 6 * i, &by_dy, 1, A, 6 * i);
        columns_times(V, n, 6 * i, &first, 1, A, 6 * i + 3);
        columns_times(V, n, 6 * i, &second, 1, A, 6 * i + 3);
    }
    apply_turns(b, node, s, columns_times, A, out);
}

static void add_square(int n, const double *A, double *out)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) out[i * n + k] += A[i * ALL + k];
}

void tmli_beam_dense_tangent(const tmli_beam *b, const tmli_pose *node, const double *u, double *H, double *D)
{
    double f[ALL] = {0}, K[ALL * ALL] = {0}, V[ALL * ALL] = {0}, half[ALL * ALL] = {0}, out[ALL * ALL] = {0};
    tmli_beam_shape s;
    tmli_beam_shape_of(b, node, u, &s);
    for (int g = 0; g < b->nodes - 1; g++) {
        tmli_beam_section c;
        double E[6 * POINT], W[6 * POINT], P[POINT * POINT];
        tmli_beam_section_at(b, g, &s, &c);
        tmli_beam_point_rows(b, &c, E);
        tmli_beam_spread_force(b, g, E, c.stress, f);
        tmli_beam_point_curvature(b, &c, P);
        tmli_beam_point_product(b->C, E, E, 1 / b->j[g], P);
        if (s.moving) {
            rate_rows(b, &c, W);
            tmli_beam_point_product(b->C, E, W, b->eta / b->j[g], P);
        }
        tmli_beam_spread_tangent(b, g, P, K);
        if (b->eta == 0) continue;
        memset(P, 0, sizeof P);
        tmli_beam_point_product(b->C, E, E, b->eta / b->j[g], P);
        tmli_beam_spread_tangent(b, g, P, V);
    }
    tmli_beam_columns_to_nodes(b, node, &s, K, half);
    if (s.moving) add_rate_changes(b, node, &s, u, V, half);
    tmli_beam_rows_to_nodes(b, node, &s, half, out);
    tmli_beam_add_geometric(b, node, &s, f, ALL, out);
    add_square(6 * b->nodes, out, H);
    if (b->eta == 0) return;
    memset(half, 0, sizeof half);
    memset(out, 0, sizeof out);
    tmli_beam_columns_to_nodes(b, node, &s, V, half);
    tmli_beam_rows_to_nodes(b, node, &s, half, out);
    add_square(6 * b->nodes, out, D);
}
