// The reduced equations of a modal body; see body.h.
#include "element/modal/body.h"

#include <string.h>

// ---- construction -----------------------------------------------------------------------------------------

// to (rows x cols) = P'X Q of an N x N matrix; P (N x rows), Q (N x cols), row-major. scratch (N x cols).
static void transform(int N, const double *X, const double *P, int rows, const double *Q, int cols,
                      double *scratch, double *to)
{
    memset(scratch, 0, (size_t)N * (size_t)cols * sizeof *scratch);
    memset(to, 0, (size_t)rows * (size_t)cols * sizeof *to);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            for (int j = 0; j < cols; j++) scratch[i * cols + j] += X[i * N + k] * Q[k * cols + j];
    for (int k = 0; k < N; k++)
        for (int i = 0; i < rows; i++) {
            const double p = P[k * rows + i];
            for (int j = 0; j < cols && p != 0; j++) to[i * cols + j] += p * scratch[k * cols + j];
        }
}

// C = E'(sum_j c_j (M phi_j)(M phi_j)')E over the elastic modes of the free part: rigid motion is not damped.
static tml_status make_damping(const tml_part *part, const tmli_modal_damping *d, const double *E,
                               const tmli_modal *b, tmli_arena *scratch, tml_error *err)
{
    const int N = part->N, nq = b->nq;
    double *w = tmli_arena_alloc(scratch, (size_t)N, sizeof *w);
    double *phi = tmli_arena_alloc(scratch, (size_t)N * (size_t)N, sizeof *phi);
    double *x = tmli_arena_alloc(scratch, (size_t)N, sizeof *x);
    if (!w || !phi || !x) return tmli_no_memory(err, "model");
    tml_status st = tmli_part_free_modes(part, w, phi, err);
    for (int j = 6; j < N && st == TML_OK; j++) {
        const int k = j - 6 < d->ratio_count ? j - 6 : d->ratio_count - 1;
        const double ratio = k >= 0 ? d->ratio[k] : 0;
        const double c = 2 * ratio * w[j] + d->alpha + d->beta * w[j] * w[j];
        memset(x, 0, (size_t)N * sizeof *x);
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int l = 0; l < N; l++) sum += part->M[i * N + l] * phi[l * N + j];
            for (int l = 0; l < nq; l++) x[l] += E[i * nq + l] * sum;
        }
        for (int i = 0; i < nq; i++)
            for (int l = 0; l < nq; l++) b->C[i * nq + l] += c * x[i] * x[l];
    }
    return st;
}

static tml_status allocate(tmli_modal *b, tmli_arena *arena, bool damped, int nstiffening, tml_error *err)
{
    const size_t n = (size_t)b->n, nq = (size_t)b->nq + 1;
    bool ok = true;
    b->M = tmli_arena_alloc(arena, n * n, sizeof(double));
    b->K = tmli_arena_alloc(arena, nq * nq, sizeof(double));
    b->C = damped ? tmli_arena_alloc(arena, nq * nq, sizeof(double)) : NULL;
    b->X = tmli_arena_alloc(arena, (size_t)b->nodes + 1, sizeof *b->X);
    for (int a = 0; a < 3; a++) {
        b->A[a] = tmli_arena_alloc(arena, n * nq, sizeof(double));
        ok = ok && b->A[a];
    }
    for (int k = 0; k < TMLI_PAIRS; k++) {
        b->S[k] = tmli_arena_alloc(arena, nq * nq, sizeof(double));
        ok = ok && b->S[k];
    }
    b->stiffening = tmli_arena_alloc(arena, (size_t)nstiffening + 1, sizeof *b->stiffening);
    for (int k = 0; k < nstiffening && b->stiffening; k++) {
        b->stiffening[k].G = tmli_arena_alloc(arena, nq * nq, sizeof(double));
        ok = ok && b->stiffening[k].G;
    }
    ok = ok && b->M && b->K && b->X && (b->C || !damped) && b->stiffening;
    return ok ? TML_OK : tmli_no_memory(err, "model");
}

// Centrifugal stiffening has the form of the last term of (1); loads on nodes that of (4).
static void add_stiffening(const tml_part *part, int reference, const double *E, double *scratch, double *G,
                           tmli_modal *b)
{
    for (int k = 0; k < part->nstiffening; k++) {
        const tmli_stiffening *s = &part->stiffening[k];
        transform(part->N, s->G, E, b->nq, E, b->nq, scratch, G);
        if (s->pair >= 0) {
            for (int i = 0; i < b->nq * b->nq; i++) b->S[s->pair][i] -= G[i];
            continue;
        }
        tmli_modal_stiffening *to = &b->stiffening[b->nstiffening++];
        to->at = s->coordinate - (s->coordinate / 6 > reference ? 6 : 0);
        memcpy(to->G, G, (size_t)b->nq * (size_t)b->nq * sizeof *G);
    }
}

static void set_matrices(const tml_part *part, int reference, const double *W, const double *E,
                         double *scratch, tmli_modal *b)
{
    const int N = part->N;
    const vec3 origin = v3_from(part->position + 3 * reference);
    for (int i = 0, k = 0; i < part->nnodes; i++)
        if (i != reference) b->X[k++] = v3_sub(v3_from(part->position + 3 * i), origin);
    transform(N, part->M, W, b->n, W, b->n, scratch, b->M);
    transform(N, part->K, E, b->nq, E, b->nq, scratch, b->K);
    for (int a = 0; a < 3; a++) transform(N, part->A[a], W, b->n, E, b->nq, scratch, b->A[a]);
    for (int k = 0; k < TMLI_PAIRS; k++) transform(N, part->B[k], E, b->nq, E, b->nq, scratch, b->S[k]);
    const double *M = b->M;
    b->mass = (M[0] + M[b->n + 1] + M[2 * b->n + 2]) / 3;
    b->s0 = v3(M[b->n + 5], M[2 * b->n + 3], M[4]);  // M_vw = -s0~
}

tml_status tmli_modal_build(const tml_part *part, int reference, const tmli_modal_damping *damping,
                            bool stiffening, tmli_arena *arena, tmli_modal *out, tml_error *err)
{
    const int N = part->N, cases = stiffening ? part->nstiffening : 0;
    const bool damped = damping->ratio_count > 0 || damping->alpha != 0 || damping->beta != 0;
    tmli_arena temporary = {.env = arena->env};
    *out = (tmli_modal){.nodes = part->nnodes - 1, .modes = part->nmodes, .nq = N - 6, .n = N};
    const size_t square = (size_t)N * (size_t)N;
    double *W = tmli_arena_alloc(&temporary, square, sizeof *W);  // nu to the coordinates of the part
    double *E = tmli_arena_alloc(&temporary, square, sizeof *E);  // q to them
    double *Z = tmli_arena_alloc(&temporary, 6 * (size_t)N, sizeof *Z);
    double *scratch = tmli_arena_alloc(&temporary, 2 * square, sizeof *scratch);
    tml_status st =
        W && E && Z && scratch ? allocate(out, arena, damped, cases, err) : tmli_no_memory(err, "model");
    if (st == TML_OK) {
        tmli_part_rigid(part, part->position + 3 * (size_t)reference, Z);
        for (int i = 0, k = 0; i < N; i++) {
            for (int a = 0; a < 6; a++) W[i * N + a] = Z[6 * i + a];
            if (i / 6 == reference) continue;
            W[i * N + 6 + k] = E[i * out->nq + k] = 1;
            k++;
        }
        set_matrices(part, reference, W, E, scratch, out);
        if (stiffening) add_stiffening(part, reference, E, scratch, scratch + square, out);
        if (damped) st = make_damping(part, damping, E, out, &temporary, err);
    }
    tmli_arena_clear(&temporary);
    return st;
}

// ---- motion -----------------------------------------------------------------------------------------------

int tmli_modal_motion_size(const tmli_modal *b) { return 9 * b->n + 18 * b->nq; }

double *tmli_modal_motion_init(const tmli_modal *b, double *memory, tmli_modal_motion *x)
{
    const int n = b->n, nq = b->nq;
    memset(memory, 0, (size_t)tmli_modal_motion_size(b) * sizeof *memory);
    *x = (tmli_modal_motion){.nu = memory, .nudot = memory + n, .f = memory + 2 * n};
    memory += 3 * n;
    for (int a = 0; a < 3; a++, memory += 2 * n) {
        x->Aq[a] = memory;
        x->Aqd[a] = memory + n;
    }
    for (int a = 0; a < 3; a++, memory += 5 * nq) {
        x->Atn[a] = memory;
        x->Atd[a] = memory + nq;
        x->SW[a] = memory + 2 * nq;
        x->SWd[a] = memory + 3 * nq;
        x->SA[a] = memory + 4 * nq;
    }
    x->q = memory;
    x->e = memory + nq;
    x->Ke = memory + 2 * nq;
    return memory + 3 * nq;
}

// y (rows) += c X x, X (rows x cols).
static void multiply(int rows, int cols, const double *X, const double *x, double c, double *y)
{
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int j = 0; j < cols; j++) sum += X[i * cols + j] * x[j];
        y[i] += c * sum;
    }
}

// y (cols) += X'x, X (rows x cols).
static void multiply_transposed(int rows, int cols, const double *X, const double *x, double *y)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols && x[i] != 0; j++) y[j] += X[i * cols + j] * x[i];
}

static double dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

// The products of matrices with q and nu that forces and derivatives use.
static void calc_products(const tmli_modal *b, tmli_modal_motion *x)
{
    const double *w = x->nu + 3, *wdot = x->nudot + 3, *qdot = x->nu + 6;
    for (int a = 0; a < 3; a++) {
        memset(x->Aq[a], 0, 2 * (size_t)b->n * sizeof(double));    // and Aqd
        memset(x->Atn[a], 0, 5 * (size_t)b->nq * sizeof(double));  // and all behind it
        multiply(b->n, b->nq, b->A[a], x->q, 1, x->Aq[a]);
        multiply(b->n, b->nq, b->A[a], qdot, 1, x->Aqd[a]);
        multiply_transposed(b->n, b->nq, b->A[a], x->nu, x->Atn[a]);
        multiply_transposed(b->n, b->nq, b->A[a], x->nudot, x->Atd[a]);
    }
    for (int k = 0; k < TMLI_PAIRS; k++) {
        double *const Sq = x->e, *const Sqd = x->Ke;  // set later
        memset(Sq, 0, (size_t)b->nq * sizeof(double));
        memset(Sqd, 0, (size_t)b->nq * sizeof(double));
        multiply(b->nq, b->nq, b->S[k], x->q, 1, Sq);
        multiply(b->nq, b->nq, b->S[k], qdot, 1, Sqd);
        const int first = tmli_pair[k][0], second = tmli_pair[k][1];
        for (int side = 0; side < (first == second ? 1 : 2); side++) {
            const int a = side ? second : first, c = side ? first : second;
            for (int i = 0; i < b->nq; i++) {
                x->SW[a][i] += w[c] * Sq[i];
                x->SWd[a][i] += w[c] * Sqd[i];
                x->SA[a][i] += wdot[c] * Sq[i];
            }
        }
    }
}

// f += (4), (5) and damping.
static void add_forces(const tmli_modal *b, tmli_modal_motion *x)
{
    double *const fq = x->f + 6;
    memcpy(x->e, x->q, (size_t)b->nq * sizeof(double));
    for (int j = 0; j < b->nstiffening; j++) {
        const tmli_modal_stiffening *s = &b->stiffening[j];
        memset(x->Ke, 0, (size_t)b->nq * sizeof(double));
        multiply(b->nq, b->nq, s->G, x->q, 1, x->Ke);
        x->e[s->at] += dot(b->nq, x->q, x->Ke) / 2;
    }
    memset(x->Ke, 0, (size_t)b->nq * sizeof(double));
    multiply(b->nq, b->nq, b->K, x->e, 1, x->Ke);
    for (int i = 0; i < b->nq; i++) fq[i] += x->Ke[i];
    for (int j = 0; j < b->nstiffening; j++)
        multiply(b->nq, b->nq, b->stiffening[j].G, x->q, x->Ke[b->stiffening[j].at], fq);
    if (b->C) multiply(b->nq, b->nq, b->C, x->nu + 6, 1, fq);
    const double g[3] = {x->g.x, x->g.y, x->g.z};
    const vec3 torque = v3_cross(tmli_modal_moments(b, x->q), x->g);
    v3_store(v3_axpy(-b->mass, x->g, v3_from(x->f)), x->f);
    v3_store(v3_sub(v3_from(x->f + 3), torque), x->f + 3);
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < b->nq; i++) fq[i] -= b->M[c * b->n + 6 + i] * g[c];
}

void tmli_modal_calc(const tmli_modal *b, tmli_modal_motion *x)
{
    const int n = b->n, nq = b->nq;
    const double *w = x->nu + 3, *wdot = x->nudot + 3, *qdot = x->nu + 6;
    double p[6] = {0};
    calc_products(b, x);
    memset(x->f, 0, (size_t)n * sizeof(double));
    multiply(n, n, b->M, x->nudot, 1, x->f);
    multiply(6, n, b->M, x->nu, 1, p);
    for (int a = 0; a < 3; a++) {
        for (int i = 0; i < n; i++) x->f[i] += wdot[a] * x->Aq[a][i] + w[a] * x->Aqd[a][i];
        for (int i = 0; i < 6; i++) p[i] += w[a] * x->Aq[a][i];
        p[3 + a] += dot(n, x->nu, x->Aq[a]) + dot(nq, x->q, x->SW[a]);
        x->f[3 + a] += dot(n, x->nudot, x->Aq[a]) + dot(n, x->nu, x->Aqd[a]) + dot(nq, x->q, x->SA[a]) +
                       2 * dot(nq, qdot, x->SW[a]);
        for (int i = 0; i < nq; i++) x->f[6 + i] -= w[a] * (x->Atn[a][i] + x->SW[a][i]);
    }
    x->P = v3_from(p);
    x->L = v3_from(p + 3);
    const vec3 om = v3_from(w), turn = v3_add(v3_cross(om, x->L), v3_cross(v3_from(x->nu), x->P));
    v3_store(v3_add(v3_from(x->f), v3_cross(om, x->P)), x->f);
    v3_store(v3_add(v3_from(x->f + 3), turn), x->f + 3);
    if (x->forces) add_forces(b, x);
}

void tmli_modal_mass(const tmli_modal *b, const tmli_modal_motion *x, double *Mr)
{
    const int n = b->n;
    memcpy(Mr, b->M, (size_t)n * (size_t)n * sizeof *Mr);
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < n; i++) {
            Mr[i * n + 3 + a] += x->Aq[a][i];
            Mr[(3 + a) * n + i] += x->Aq[a][i];
        }
    for (int k = 0; k < TMLI_PAIRS; k++) {
        const int a = tmli_pair[k][0], c = tmli_pair[k][1];
        double sum = 0;
        for (int i = 0; i < b->nq; i++) sum += x->q[i] * dot(b->nq, b->S[k] + i * b->nq, x->q);
        Mr[(3 + a) * n + 3 + c] += sum;
        if (a != c) Mr[(3 + c) * n + 3 + a] += sum;
    }
}

// ---- derivatives ------------------------------------------------------------------------------------------

// rows 0..5 of X (n x cols) += w x dP, w x dL + v x dP for dP = rows 0..2, dL = rows 3..5 of Y.
static void add_turned(const tmli_modal_motion *x, int cols, const double *Y, double *X)
{
    const vec3 v = v3_from(x->nu), w = v3_from(x->nu + 3);
    for (int j = 0; j < cols; j++) {
        const vec3 dP = v3(Y[j], Y[cols + j], Y[2 * cols + j]);
        const vec3 dL = v3(Y[3 * cols + j], Y[4 * cols + j], Y[5 * cols + j]);
        double d[6];
        v3_store(v3_cross(w, dP), d);
        v3_store(v3_add(v3_cross(w, dL), v3_cross(v, dP)), d + 3);
        for (int i = 0; i < 6; i++) X[i * cols + j] += d[i];
    }
}

// X (n x cols) at (row, col) += c A.
static void add_block(int cols, int row, int col, double c, mat3 A, double *X)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) X[(row + i) * cols + col + j] += c * A.m[3 * i + j];
}

static void derive_by_nu(const tmli_modal *b, const tmli_modal_motion *x, const double *Mr, double *X)
{
    const int n = b->n, nq = b->nq;
    const double *w = x->nu + 3, *qdot = x->nu + 6;
    memset(X, 0, (size_t)n * (size_t)n * sizeof *X);
    add_turned(x, n, Mr, X);
    add_block(n, 0, 3, -1, m3_skew(x->P), X);
    add_block(n, 3, 0, -1, m3_skew(x->P), X);
    add_block(n, 3, 3, -1, m3_skew(x->L), X);
    for (int a = 0; a < 3; a++) {
        for (int i = 0; i < n; i++) {
            X[i * n + 3 + a] += x->Aqd[a][i];    // w_a A_a qdot
            X[(3 + a) * n + i] += x->Aqd[a][i];  // nu'A_a qdot
            for (int j = 0; j < nq; j++) {
                const double wA = w[a] * b->A[a][i * nq + j];
                X[i * n + 6 + j] += wA;    // w_a A_a qdot
                X[(6 + j) * n + i] -= wA;  // w_a A_a'nu
            }
        }
        for (int j = 0; j < nq; j++) {
            const double both = x->Atn[a][j] + 2 * x->SW[a][j];
            X[(3 + a) * n + 6 + j] += both;
            X[(6 + j) * n + 3 + a] -= both;
        }
    }
    for (int k = 0; k < TMLI_PAIRS; k++) {  // 2 w_b q'S_ab qdot
        const int a = tmli_pair[k][0], c = tmli_pair[k][1];
        double sum = 0;
        for (int i = 0; i < nq; i++) sum += 2 * x->q[i] * dot(nq, b->S[k] + i * nq, qdot);
        X[(3 + a) * n + 3 + c] += sum;
        if (a != c) X[(3 + c) * n + 3 + a] += sum;
    }
    for (int i = 0; i < nq && x->forces && b->C; i++)
        for (int j = 0; j < nq; j++) X[(6 + i) * n + 6 + j] += b->C[i * nq + j];
}

// Derivative of the forces of (4), (nq x nq) into rows 6.. of X.
static void add_stiffness(const tmli_modal *b, const tmli_modal_motion *x, double *X)
{
    const int nq = b->nq;
    double *const Kq = X + 6 * nq;
    for (int i = 0; i < nq * nq; i++) Kq[i] += b->K[i];
    for (int j = 0; j < b->nstiffening; j++) {
        const tmli_modal_stiffening *s = &b->stiffening[j];
        for (int i = 0; i < nq; i++) {
            const double gi = dot(nq, s->G + i * nq, x->q);
            for (int k = 0; k < nq; k++) {
                Kq[i * nq + k] += x->Ke[s->at] * s->G[i * nq + k];
                if (gi == 0) continue;
                Kq[i * nq + k] += gi * b->K[s->at * nq + k];
                Kq[k * nq + i] += gi * b->K[s->at * nq + k];
            }
            for (int l = 0; l < b->nstiffening && gi != 0; l++) {
                const tmli_modal_stiffening *t = &b->stiffening[l];
                const double c = gi * b->K[s->at * nq + t->at];
                for (int k = 0; k < nq; k++) Kq[i * nq + k] += c * dot(nq, t->G + k * nq, x->q);
            }
        }
    }
}

static void derive_by_q(const tmli_modal *b, const tmli_modal_motion *x, double *X)
{
    const int n = b->n, nq = b->nq;
    const double *w = x->nu + 3, *wdot = x->nudot + 3;
    memset(X, 0, (size_t)n * (size_t)nq * sizeof *X);
    for (int a = 0; a < 3; a++) {  // of p of (2), then turned
        for (int i = 0; i < 6 * nq; i++) X[i] += w[a] * b->A[a][i];
        for (int j = 0; j < nq; j++) X[(3 + a) * nq + j] += x->Atn[a][j] + 2 * x->SW[a][j];
    }
    for (int j = 0; j < nq; j++) {
        const vec3 dP = v3(X[j], X[nq + j], X[2 * nq + j]);
        const vec3 dL = v3(X[3 * nq + j], X[4 * nq + j], X[5 * nq + j]), om = v3_from(w);
        double d[6];
        v3_store(v3_cross(om, dP), d);
        v3_store(v3_add(v3_cross(om, dL), v3_cross(v3_from(x->nu), dP)), d + 3);
        for (int i = 0; i < 6; i++) X[i * nq + j] = d[i];
    }
    for (int a = 0; a < 3; a++) {
        for (int i = 0; i < n * nq; i++) X[i] += wdot[a] * b->A[a][i];
        for (int j = 0; j < nq; j++) X[(3 + a) * nq + j] += x->Atd[a][j] + 2 * x->SA[a][j] + 2 * x->SWd[a][j];
    }
    for (int k = 0; k < TMLI_PAIRS; k++) {
        const int a = tmli_pair[k][0], c = tmli_pair[k][1];
        const double ww = w[a] * w[c] * (a == c ? 1 : 2);
        for (int i = 0; i < nq * nq && ww != 0; i++) X[6 * nq + i] -= ww * b->S[k][i];
    }
    if (!x->forces) return;
    add_stiffness(b, x, X);
    for (int j = 0; j < nq; j++) {  // -s x g
        const vec3 ds = v3(b->M[6 + j], b->M[n + 6 + j], b->M[2 * n + 6 + j]), d = v3_cross(x->g, ds);
        X[3 * nq + j] += d.x;
        X[4 * nq + j] += d.y;
        X[5 * nq + j] += d.z;
    }
}

void tmli_modal_derivatives(const tmli_modal *b, const tmli_modal_motion *x, const double *Mr, double *by_nu,
                            double *by_q, double *by_g)
{
    derive_by_nu(b, x, Mr, by_nu);
    derive_by_q(b, x, by_q);
    memset(by_g, 0, 3 * (size_t)b->n * sizeof *by_g);
    if (!x->forces) return;
    add_block(3, 0, 0, -b->mass, m3_identity(), by_g);
    add_block(3, 3, 0, -1, m3_skew(tmli_modal_moments(b, x->q)), by_g);
    for (int i = 0; i < b->nq; i++)
        for (int c = 0; c < 3; c++) by_g[3 * (6 + i) + c] -= b->M[c * b->n + 6 + i];
}

// ---- energies ---------------------------------------------------------------------------------------------

vec3 tmli_modal_moments(const tmli_modal *b, const double *q)
{
    double s[3] = {b->s0.x, b->s0.y, b->s0.z};
    for (int c = 0; c < 3; c++) s[c] += dot(b->nq, b->M + c * b->n + 6, q);
    return v3_from(s);
}

double tmli_modal_strain_energy(const tmli_modal *b, const tmli_modal_motion *x)
{
    return dot(b->nq, x->e, x->Ke) / 2;
}

double tmli_modal_dissipation(const tmli_modal *b, const tmli_modal_motion *x)
{
    double sum = 0;
    for (int i = 0; i < b->nq && b->C; i++) sum += x->nu[6 + i] * dot(b->nq, b->C + i * b->nq, x->nu + 6);
    return sum;
}
