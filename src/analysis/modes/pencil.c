// Assembly, factorization and products of the pencil; see pencil.h for the equations.
//
// Redundant rows make P(s) singular. A small negative diagonal in the block of the multipliers gives them a
// pivot, and a step of iterative refinement with the matrix as it is removes its effect: the right-hand side
// of rows is 0, which redundant rows can satisfy.
#include "analysis/modes/pencil.h"
#include "linalg/dense/routines.h"
#include "linalg/pattern/pattern.h"
#include "system/state/units.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <suitesparse/klu.h>

#include "analysis/modes/constants.h"

enum { BLOCK = 6 };  // coordinates of a body, at most

struct tmli_pencil_factors {
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    int *colptr, *rowind;  // KLU takes pointers to non-const
    double *values;        // (2 nnz) complex
};

static void *alloc(tmli_pencil *p, size_t count, size_t size)
{
    return tmli_arena_alloc(&p->arena, count + 1, size);
}

static bool is_state(const tmli_pencil *p, int j) { return j >= p->n - p->sys->nz; }

// ---- assembly ---------------------------------------------------------------------------------------------

static tml_status allocate(tmli_pencil *p, tml_error *err)
{
    const size_t n = (size_t)p->n + 1, nnz = (size_t)tmli_pattern_nnz(p->sys->pattern) + 1;
    const bool rate = p->sys->level != NULL,
               all = tmli_arena_alloc_all(
                   &p->arena, TMLI_ARRAY(p->unit, n), TMLI_ARRAY(p->M, nnz), TMLI_ARRAY(p->D, nnz),
                   TMLI_ARRAY(p->K, nnz), TMLI_ARRAY(p->resistance, nnz), TMLI_ARRAY(p->other, nnz),
                   TMLI_ARRAY(p->rows, nnz), TMLI_ARRAY(p->T, n * BLOCK), TMLI_ARRAY(p->g, n * BLOCK),
                   TMLI_ARRAY(p->first, n), TMLI_ARRAY(p->P, nnz), TMLI_ARRAY(p->X, nnz),
                   TMLI_ARRAY(p->work, 3 * (n + (size_t)p->m)), TMLI_ARRAY(p->factors, 1));
    if (rate) p->rate_rows = alloc(p, nnz, sizeof *p->rate_rows);
    return all && (!rate || p->rate_rows) ? TML_OK : tmli_no_memory(err, "modes");
}

// Entries of the coordinates in units; those of rows and multipliers in units of their coordinate
static tml_status assemble(tmli_pencil *p, tml_assembly what, double *values, tml_error *err)
{
    const tml_system *s = p->sys;
    const tml_pattern *a = s->pattern;
    const bool motion = what.cm != 0 || what.cd != 0 || what.ck != 0;  // else rows
    tml_status st = s->ops->assemble(s->self, p->w, p->x, &what, values, err);
    for (int j = 0; j < p->n + p->m && st == TML_OK; j++)
        for (int32_t k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
            const int i = a->rowind[k];
            if (!isfinite(values[k]))
                return tmli_fail(err, TML_ERR_NAN, "the linearized system is not finite at t = %g s",
                                 p->x->t);
            values[k] *= (i < p->n ? p->unit[i] : 1) * (j < p->n ? p->unit[j] : 1);
            if (motion && (i >= p->n || j >= p->n)) values[k] = 0;
        }
    return st;
}

// Gyroscopic forces have a symmetric part, too, in axes of the bodies: so without velocities. moves: x has
// some.
static tml_status assemble_resistance(tmli_pencil *p, bool moves, tml_error *err)
{
    const tml_pattern *a = p->sys->pattern;
    const tml_state *const x = p->x;
    const int motions = p->n - p->sys->nz;
    tml_state *still = NULL;
    tml_status st = moves ? tml_state_create(p->sys, &still, err) : TML_OK;
    if (st == TML_OK && moves) {
        tml_state_copy(still, x);
        memset(still->u, 0, (size_t)motions * sizeof *still->u);
        p->x = still;
    }
    if (st == TML_OK) st = assemble(p, (tml_assembly){.cd = 1}, p->other, err);
    p->x = x;
    tml_state_destroy(still, p->sys);
    for (int j = 0; j < motions && st == TML_OK; j++)
        for (int32_t k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
            if (a->rowind[k] >= motions) continue;
            const int32_t across = tmli_pattern_find(a, j, a->rowind[k]);
            p->resistance[k] = (p->other[k] + (across >= 0 ? p->other[across] : 0)) / 2;
        }
    return st;
}

// rows: B diag(unit) with rows of largest entry 1, and its transpose
static tml_status assemble_rows(tmli_pencil *p, tml_error *err)
{
    const tml_pattern *a = p->sys->pattern;
    double *size = alloc(p, (size_t)p->m, sizeof *size);
    if (!size) return tmli_no_memory(err, "modes");
    tml_status st = assemble(p, (tml_assembly){0}, p->rows, err);
    if (st == TML_OK && p->rate_rows) st = assemble(p, (tml_assembly){.cv = 1}, p->rate_rows, err);
    if (st != TML_OK) return st;
    for (int j = 0; j < p->n; j++)
        for (int32_t k = a->colptr[j]; k < a->colptr[j + 1]; k++)
            if (a->rowind[k] >= p->n)
                size[a->rowind[k] - p->n] = fmax(size[a->rowind[k] - p->n], fabs(p->rows[k]));
    for (int j = 0; j < p->n + p->m; j++)
        for (int32_t k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
            const int i = a->rowind[k], row = i >= p->n ? i - p->n : j - p->n;
            if (p->rate_rows) p->rate_rows[k] -= p->rows[k];
            if ((i < p->n) == (j < p->n)) p->rows[k] = 0;
            else if (size[row] > 0) p->rows[k] /= size[row];
            if (!p->rate_rows) continue;
            if (i < p->n || j >= p->n || p->sys->level[row] != TML_LEVEL_VELOCITY) p->rate_rows[k] = 0;
            else if (size[row] > 0) p->rate_rows[k] /= size[row];
        }
    return TML_OK;
}

// T = -C: C d = (T(h d)^-1 u - T(-h d)^-1 u)/h as in variation.c, for one coordinate of every body at a time
static tml_status differentiate_tangent(tmli_pencil *p, tml_error *err)
{
    const tml_system *s = p->sys;
    const size_t n = (size_t)p->n;
    double *d = alloc(p, n, sizeof *d), *plus = alloc(p, n, sizeof *d), *minus = alloc(p, n, sizeof *d);
    if (!d || !plus || !minus) return tmli_no_memory(err, "modes");
    const double e = cbrt(DBL_EPSILON);
    for (int c = 0; c < BLOCK; c++) {
        for (int sign = 1; sign >= -1; sign -= 2) {
            for (int j = 0; j < p->n; j++) d[j] = j - p->first[j] == c ? sign * e * p->unit[j] : 0;
            s->ops->tangent_inverse(s->self, d, p->x->u, sign > 0 ? plus : minus);
        }
        for (int j = 0; j < p->n; j++) {
            const int column = p->first[j] + c;
            if (column < p->n && p->first[column] == p->first[j])
                p->T[(size_t)column * BLOCK + (size_t)(j - p->first[j])] =
                    -(plus[j] - minus[j]) / e / p->unit[j];
        }
    }
    return TML_OK;
}

tml_status tmli_pencil_init(tmli_pencil *p, const tml_system *sys, void *w, const tml_state *x,
                            tml_error *err)
{
    *p = (tmli_pencil){
        .sys = sys, .w = w, .x = x, .arena = {.env = &sys->env}, .n = sys->n, .m = sys->m, .size = 1};
    tml_status st = tmli_lapack_load(err);  // for the spectrum and the axes
    if (st == TML_OK) st = allocate(p, err);
    if (st != TML_OK) return st;
    bool moves = false;
    for (int j = 0; j < p->n; j++) {
        p->unit[j] = tmli_coordinate_unit(sys, j);
        p->first[j] = j > 0 && sys->node[j] == sys->node[j - 1] ? p->first[j - 1] : j;
        moves = moves || (!is_state(p, j) && x->u[j] != 0);
        if (j - p->first[j] >= BLOCK)
            return tmli_fail(err, TML_ERR_ARG, "modes: a node has more than %d coordinates", BLOCK);
    }
    st = assemble(p, (tml_assembly){.cm = 1}, p->M, err);
    if (st == TML_OK) st = assemble(p, (tml_assembly){.cd = 1}, p->D, err);
    if (st == TML_OK) st = assemble(p, (tml_assembly){.ck = 1}, p->K, err);
    if (st == TML_OK) st = assemble_resistance(p, moves, err);
    if (st == TML_OK) st = assemble_rows(p, err);
    if (st == TML_OK && moves) st = differentiate_tangent(p, err);
    return st;
}

void tmli_pencil_set_axes(tmli_pencil *p, const tmli_steady *axes)
{
    for (size_t i = 0; i < (size_t)p->n * BLOCK; i++) {
        p->T[i] -= p->g[i];
        p->g[i] = 0;
    }
    for (int i = 0; i < axes->count; i++) {
        const tmli_turn *t = &axes->turn[i];
        for (int c = 0; c < 3; c++) {  // column of the cross product
            const vec3 axis = v3(c == 0, c == 1, c == 2);
            double to[3];
            v3_store(v3_cross(t->rate, axis), to);
            for (int k = 0; k < 3; k++)
                if (t->at[c] >= 0 && t->at[k] >= 0) {
                    const size_t at = (size_t)t->at[c] * BLOCK + (size_t)(t->at[k] - p->first[t->at[k]]);
                    p->g[at] += to[k];
                    p->T[at] += to[k];
                }
        }
    }
}

static void swap_damping(tmli_pencil *p)
{
    double *const D = p->D;
    p->D = p->other;
    p->other = D;
}

bool tmli_pencil_remove_damping(tmli_pencil *p)
{
    const int32_t nnz = p->sys->pattern->colptr[p->n + p->m];
    bool any = false;
    for (int32_t k = 0; k < nnz; k++) {
        p->other[k] = p->D[k] - p->resistance[k];
        any = any || p->resistance[k] != 0;
    }
    if (any) swap_damping(p);
    return any;
}

void tmli_pencil_restore_damping(tmli_pencil *p) { swap_damping(p); }

// ---- products ---------------------------------------------------------------------------------------------

// out (nnz) := A (shift + E), E block diagonal (n x 6), in the columns of coordinates and the rows of
// coordinates (or of multipliers)
static void times_blocks(const tmli_pencil *p, const double *A, const double complex *Z, double complex shift,
                         const double *E, bool multipliers, double complex *out)
{
    const tml_pattern *a = p->sys->pattern;
    for (int j = 0; j < p->n; j++) {
        const int32_t begin = a->colptr[j], count = a->colptr[j + 1] - begin;
        for (int32_t k = 0; k < count; k++) {
            if ((a->rowind[begin + k] >= p->n) != multipliers) continue;
            double complex sum = shift * (A ? A[begin + k] : Z[begin + k]);
            for (int c = 0; c < BLOCK; c++) {
                const double e = E[(size_t)j * BLOCK + (size_t)c];
                if (e == 0) continue;
                const int32_t at = a->colptr[p->first[j] + c] + k;  // columns of a block have the same rows
                sum += e * (A ? A[at] : Z[at]);
            }
            out[begin + k] += sum;
        }
    }
}

// y (n + m) := A x, x (n + m); coordinates and multipliers
static void multiply(const tml_pattern *a, const double complex *A, const double complex *x,
                     double complex *y)
{
    memset(y, 0, (size_t)a->n * sizeof *y);
    for (int j = 0; j < a->n; j++)
        for (int32_t k = a->colptr[j]; k < a->colptr[j + 1]; k++) y[a->rowind[k]] += A[k] * x[j];
}

// out (n) := (shift + T) x
static void times_rate(const tmli_pencil *p, double complex shift, const double complex *x,
                       double complex *out)
{
    for (int j = 0; j < p->n; j++) out[j] = shift * x[j];
    for (int j = 0; j < p->n; j++)
        for (int c = 0; c < BLOCK; c++)
            if (p->T[(size_t)j * BLOCK + (size_t)c] != 0)
                out[p->first[j] + c] += p->T[(size_t)j * BLOCK + (size_t)c] * x[j];
}

// ---- factorization ----------------------------------------------------------------------------------------

static void fill_matrix(tmli_pencil *p, double complex h)
{
    const tml_pattern *a = p->sys->pattern;
    const size_t nnz = (size_t)tmli_pattern_nnz(a);
    for (size_t k = 0; k < nnz; k++) p->X[k] = p->D[k];
    times_blocks(p, p->M, NULL, h, p->g, false, p->X);
    for (size_t k = 0; k < nnz; k++) p->P[k] = p->K[k];
    times_blocks(p, NULL, p->X, h, p->T, false, p->P);
    if (p->rate_rows) times_blocks(p, p->rows, NULL, h, p->T, true, p->P);
    p->size = 0;
    for (int j = 0; j < p->n; j++)
        for (int32_t k = a->colptr[j]; k < a->colptr[j + 1]; k++)
            if (a->rowind[k] < p->n) {
                if (is_state(p, j)) p->P[k] = p->X[k];
                p->size = fmax(p->size, cabs(p->P[k]));
            }
    if (!(p->size > 0)) p->size = 1;
    for (int j = 0; j < p->n + p->m; j++)
        for (int32_t k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
            const int i = a->rowind[k];
            if (i < p->n && j < p->n) continue;
            const bool rate = i >= p->n && p->rate_rows && p->sys->level[i - p->n] == TML_LEVEL_VELOCITY;
            if (i >= p->n && j >= p->n) p->P[k] = 0;
            else if (rate) p->P[k] = p->size / cabs(h) * (p->P[k] + p->rate_rows[k]);
            else p->P[k] = p->size * p->rows[k];
        }
}

void tmli_pencil_polynomial(tmli_pencil *p, double *P0, double *P1, double *P2)
{
    const tml_pattern *a = p->sys->pattern;
    const int32_t nnz = a->colptr[a->n];
    for (int32_t k = 0; k < nnz; k++) p->X[k] = p->D[k];
    times_blocks(p, p->M, NULL, 0, p->g, false, p->X);  // D + M g
    for (int32_t k = 0; k < nnz; k++) p->P[k] = p->K[k];
    times_blocks(p, NULL, p->X, 0, p->T, false, p->P);
    for (int32_t k = 0; k < nnz; k++) P0[k] = creal(p->P[k]);
    for (int32_t k = 0; k < nnz; k++) p->P[k] = p->X[k];
    times_blocks(p, p->M, NULL, 0, p->T, false, p->P);
    for (int j = 0; j < p->n; j++)
        for (int32_t k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
            const bool state = is_state(p, j);
            if (state) P0[k] = creal(p->X[k]);
            P1[k] = state ? p->M[k] : creal(p->P[k]);
            P2[k] = state ? 0 : p->M[k];
        }
}

static tml_status analyse(tmli_pencil *p, tml_error *err)
{
    struct tmli_pencil_factors *f = p->factors;
    const tml_status st = tmli_klu_load(err);
    if (st != TML_OK) return st;
    const tml_pattern *a = p->sys->pattern;
    const size_t N = (size_t)a->n, nnz = (size_t)a->colptr[a->n];
    f->colptr = alloc(p, N + 1, sizeof(int));
    f->rowind = alloc(p, nnz, sizeof(int));
    f->values = alloc(p, 2 * nnz, sizeof(double));
    if (!f->colptr || !f->rowind || !f->values) return tmli_no_memory(err, "modes");
    for (size_t i = 0; i <= N; i++) f->colptr[i] = a->colptr[i];
    for (size_t i = 0; i < nnz; i++) f->rowind[i] = a->rowind[i];
    klu_defaults(&f->common);
    f->symbolic = klu_analyze(a->n, f->colptr, f->rowind, &f->common);
    return f->symbolic ? TML_OK : tmli_no_memory(err, "modes");
}

tml_status tmli_pencil_factor(tmli_pencil *p, double complex shift, tml_error *err)
{
    struct tmli_pencil_factors *f = p->factors;
    const tml_pattern *a = p->sys->pattern;
    tml_status st = f->symbolic ? TML_OK : analyse(p, err);
    if (st != TML_OK) return st;
    p->shift = shift;
    fill_matrix(p, shift);
    for (int32_t k = 0; k < a->colptr[a->n]; k++) {
        f->values[2 * k] = creal(p->P[k]);
        f->values[2 * k + 1] = cimag(p->P[k]);
    }
    for (int i = p->n; i < p->n + p->m; i++)
        f->values[2 * tmli_pattern_find(a, i, i)] -= PENCIL_REGULARIZATION * p->size;
    if (f->numeric) klu_z_free_numeric(&f->numeric, &f->common);
    f->numeric = klu_z_factor(f->colptr, f->rowind, f->values, f->symbolic, &f->common);
    if (f->numeric && f->common.status == KLU_OK) return TML_OK;
    if (f->common.status == KLU_OUT_OF_MEMORY) return tmli_no_memory(err, "modes");
    return tmli_fail(err, TML_ERR_SINGULAR,
                     "the linearized system is singular: a part without mass can move without resistance");
}

static void solve_factors(tmli_pencil *p, double complex *x)
{
    struct tmli_pencil_factors *f = p->factors;
    klu_z_solve(f->symbolic, f->numeric, p->n + p->m, 1, (double *)x, &f->common);
}

// x (n + m): right-hand side in, solution out, with one step of refinement. Uses the first 2 (n + m) of work.
static void solve(tmli_pencil *p, double complex *x)
{
    const size_t N = (size_t)(p->n + p->m);
    double complex *const b = p->work, *const r = p->work + N;
    memcpy(b, x, N * sizeof *b);
    solve_factors(p, x);
    multiply(p->sys->pattern, p->P, x, r);
    for (size_t i = 0; i < N; i++) r[i] = b[i] - r[i];
    solve_factors(p, r);
    for (size_t i = 0; i < N; i++) x[i] += r[i];
}

void tmli_pencil_solve(tmli_pencil *p, double complex *x)
{
    double complex *const y = p->work + 2 * (size_t)(p->n + p->m);
    memcpy(y, x, (size_t)p->n * sizeof *y);
    memset(y + p->n, 0, (size_t)p->m * sizeof *y);
    solve(p, y);
    memcpy(x, y, (size_t)p->n * sizeof *y);
}

void tmli_pencil_apply(const double complex *x, double complex *y, void *user)
{
    tmli_pencil *p = user;
    const tml_pattern *a = p->sys->pattern;
    const size_t n = (size_t)p->n;
    const double rate = cabs(p->shift);
    const double complex *d = x, *e = x + n;  // e is measured in rate
    double complex *const b = p->work + 2 * (n + (size_t)p->m);
    memset(b, 0, (n + (size_t)p->m) * sizeof *b);
    for (int j = 0; j < p->n; j++)
        for (int32_t k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
            const int i = a->rowind[k];
            if (i < p->n) b[i] -= rate * p->M[k] * e[j] + p->X[k] * (is_state(p, j) ? 0 : d[j]);
            else if (p->rate_rows && p->sys->level[i - p->n] == TML_LEVEL_VELOCITY)
                b[i] -= p->size / rate * p->rows[k] * d[j];
        }
    solve(p, b);
    times_rate(p, p->shift, b, y + n);
    for (int j = 0; j < p->n; j++) {
        const bool state = is_state(p, j);
        y[j] = state ? 0 : b[j];
        y[n + (size_t)j] = (state ? b[j] : d[j] + y[n + (size_t)j]) / rate;
    }
}

double tmli_pencil_noise(const tmli_pencil *p, const double complex *d)
{
    const tml_pattern *a = p->sys->pattern;
    double terms = 0, inertia = 0;
    for (int j = 0; j < p->n; j++)
        for (int32_t k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
            const int i = a->rowind[k];
            if (i >= p->n || is_state(p, i) || is_state(p, j)) continue;
            terms += cabs(d[i]) * fabs(p->K[k]) * cabs(d[j]);
            inertia += creal(conj(d[i]) * p->M[k] * d[j]);
        }
    return inertia > 0 ? sqrt(16 * DBL_EPSILON * terms / inertia) : 0;
}

double tmli_pencil_fastest(const tmli_pencil *p)
{
    const tml_pattern *a = p->sys->pattern;
    double fastest = 0;
    for (int j = 0; j < p->n - p->sys->nz; j++) {
        const int32_t k = tmli_pattern_find(a, j, j);
        if (p->M[k] > 0) fastest = fmax(fastest, fabs(p->K[k]) / p->M[k]);
    }
    return sqrt(fastest);
}

void tmli_pencil_clear(tmli_pencil *p)
{
    struct tmli_pencil_factors *f = p->factors;
    if (f && f->numeric) klu_z_free_numeric(&f->numeric, &f->common);
    if (f && f->symbolic) klu_free_symbolic(&f->symbolic, &f->common);
    tmli_arena_clear(&p->arena);
    *p = (tmli_pencil){0};
}
