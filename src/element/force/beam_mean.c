// Mean forces of the beam element over a step, and their tangents (docs/theory/decay.md). Equation numbers as
// in section.h.
#include "element/beam/section.h"
#include "element/force/force.h"

#include <string.h>

enum { ALL = 6 * TMLI_BEAM_NODES, POINT = 9 };

typedef tmli_beam_shape shape;
typedef tmli_beam_section section;

static void multiply6(const double *C, const double *x, double *y)
{
    for (int i = 0; i < 6; i++) {
        double sum = 0;
        for (int k = 0; k < 6; k++) sum += C[6 * i + k] * x[k];
        y[i] = sum;
    }
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

// K (9 x 9): derivatives of j E'stress by (psi, psi', y') at constant stress.
static void point_tangent(const section *c, double *K)
{
    const vec3 n = v3_from(c->stress), m = v3_from(c->stress + 3);
    memset(K, 0, POINT * POINT * sizeof *K);
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
}

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

// out (6 nodes square, of width ALL) += A J: the columns of A (local) become those of nodes by (1).
static void columns_to_nodes(const tmli_beam *b, const tmli_pose *node, const shape *s, const double *A,
                             double *out)
{
    const int k = b->reference, n = 6 * b->nodes;
    const mat3 Rt = m3_transpose(&node[k].R);
    for (int i = 0; i < b->nodes; i++) {
        if (i == k) continue;
        const mat3 y = m3_skew(s->y[i]), St = m3_transpose(&s->S[i]);
        columns_times(A, n, 6 * i, &Rt, 1, out, 6 * i);
        columns_times(A, n, 6 * i, &Rt, -1, out, 6 * k);
        columns_times(A, n, 6 * i, &y, 1, out, 6 * k + 3);
        columns_times(A, n, 6 * i + 3, &s->S[i], 1, out, 6 * i + 3);
        columns_times(A, n, 6 * i + 3, &St, -1, out, 6 * k + 3);
    }
}

// out += L'A: the rows of A (local) become those of the forces (2).
static void rows_to_nodes(const tmli_beam *b, const tmli_pose *node, const shape *s, const double *A,
                          double *out)
{
    const int k = b->reference, n = 6 * b->nodes;
    const mat3 Rt = m3_transpose(&node[k].R);
    for (int i = 0; i < b->nodes; i++) {
        if (i == k) continue;
        const mat3 y = m3_skew(s->y[i]), St = m3_transpose(&s->S[i]);
        rows_times(A, n, 6 * i, &Rt, 1, out, 6 * i);
        rows_times(A, n, 6 * i, &Rt, -1, out, 6 * k);
        rows_times(A, n, 6 * i, &y, 1, out, 6 * k + 3);
        rows_times(A, n, 6 * i + 3, &s->S[i], 1, out, 6 * i + 3);
        rows_times(A, n, 6 * i + 3, &St, -1, out, 6 * k + 3);
    }
}

// out += L'A J
static void transform(const tmli_beam *b, const tmli_pose *node, const shape *s, const double *A, double *out)
{
    double half[ALL * ALL];
    memset(half, 0, (size_t)(6 * b->nodes * ALL) * sizeof *half);
    columns_to_nodes(b, node, s, A, half);
    rows_to_nodes(b, node, s, half, out);
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

static void add_square(int n, const double *A, double *out)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) out[i * n + k] += A[i * ALL + k];
}

// ---- means over a step ------------------------------------------------------------------------------------

// The shapes of a step, and the mean stress at a Gauss point.
typedef struct step_shape {
    shape start, middle, end;
} step_shape;

static void step_shape_of(const tmli_beam *b, const tmli_beam_step *s, step_shape *k)
{
    tmli_beam_shape_of(b, s->start, NULL, &k->start);
    tmli_beam_shape_of(b, s->end, NULL, &k->end);
    tmli_beam damped = *b;  // so that rates are computed
    damped.eta = 1;
    tmli_beam_shape_of(&damped, s->middle, s->u, &k->middle);
}

// c, last: sections at the middle and at the end. The stress of c becomes the mean one. Returns its work
// over the step by the strains less that by their derivatives at the middle [J/m]. *terms (may be NULL): that
// of strains of 1 and curvatures of 1 over the size of the element, of which these are differences.
static double mean_section(const tmli_beam *b, int g, const tmli_beam_step *s, const step_shape *k,
                           section *c, section *last, double *terms)
{
    section first;
    double strain[6], damping[6], work = 0;
    tmli_beam_section_at(b, g, &k->start, &first);
    tmli_beam_section_at(b, g, &k->middle, c);
    tmli_beam_section_at(b, g, &k->end, last);
    for (int i = 0; i < 6; i++) {
        const double change = last->strain[i] - first.strain[i];
        strain[i] = (first.strain[i] + last->strain[i]) / 2 + s->decay * change;
    }
    multiply6(b->C, strain, c->stress);
    for (int i = 0; i < 6; i++)
        work += c->stress[i] * (last->strain[i] - first.strain[i] - s->h * c->rate[i]);
    for (int i = 0; i < 6 && terms; i++) *terms += fabs(c->stress[i]) * (i < 3 ? b->j[g] : 1) * b->weight[g];
    multiply6(b->C, c->rate, damping);
    for (int i = 0; i < 6; i++) c->stress[i] += b->eta * damping[i];
    return work;
}

void tmli_beam_mean_force(const tmli_beam *b, const tmli_beam_step *s, double *F)
{
    double f[ALL] = {0}, work = 0, terms = 0, length = 0;
    step_shape k;
    step_shape_of(b, s, &k);
    for (int g = 0; g < b->nodes - 1; g++) {
        section c, last;
        double E[6 * POINT], p[POINT];
        work += b->weight[g] * b->j[g] * mean_section(b, g, s, &k, &c, &last, &terms);
        length += b->weight[g] * b->j[g];
        strain_derivatives(&c, E);
        point_force(E, c.stress, p);
        spread_force(b, g, p, f);
    }
    to_nodes(b, s->middle, &k.middle, f, F);
    tmli_force_add_work(b->nodes, s->d, length, true, work, terms, F);
}

void tmli_beam_mean_tangent(const tmli_beam *b, const tmli_beam_step *s, double *H_end, double *H, double *D)
{
    const int n = 6 * b->nodes;
    const size_t size = (size_t)(n * ALL) * sizeof(double);
    double f[ALL] = {0}, A[ALL * ALL], B[ALL * ALL], V[ALL * ALL], half[ALL * ALL];
    step_shape k;
    step_shape_of(b, s, &k);
    memset(A, 0, size);
    memset(V, 0, size);
    memset(half, 0, size);
    double material[ALL * ALL];
    memset(material, 0, size);
    for (int g = 0; g < b->nodes - 1; g++) {
        section c, last;
        double E[6 * POINT], E_end[6 * POINT], p[POINT], K[POINT * POINT] = {0}, W[POINT * POINT];
        mean_section(b, g, s, &k, &c, &last, NULL);
        strain_derivatives(&c, E);
        strain_derivatives(&last, E_end);
        point_force(E, c.stress, p);
        spread_force(b, g, p, f);
        add_product(b->C, E, E_end, (0.5 + s->decay) / b->j[g], K);
        spread_tangent(b, g, K, material);
        point_tangent(&c, K);
        spread_tangent(b, g, K, A);
        if (b->eta == 0) continue;
        memset(W, 0, sizeof W);
        add_product(b->C, E, E, b->eta / b->j[g], W);
        spread_tangent(b, g, W, V);
    }
    columns_to_nodes(b, s->end, &k.end, material, half);
    memset(B, 0, size);
    rows_to_nodes(b, s->middle, &k.middle, half, B);
    add_square(n, B, H_end);
    memset(B, 0, size);
    transform(b, s->middle, &k.middle, A, B);
    add_geometric(b, s->middle, &k.middle, f, B);
    add_square(n, B, H);
    if (b->eta == 0) return;
    memset(B, 0, size);
    transform(b, s->middle, &k.middle, V, B);
    add_square(n, B, D);
}
