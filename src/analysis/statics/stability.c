// Stability of an equilibrium.
//
// If the loads have a potential, the tangent stiffness K is symmetric, and small motions grow if and only if
// K is not positive on the motions that the constraints permit: one of them for each negative eigenvalue,
// damped or not (Kelvin, Tait, Chetaev). Their number is found without eigenvalues, which round-off of the
// stiffest ones would drown: the factorization L D L' of
//   A = [ K  B' ; B  0 ]                                                                                  (1)
// has one negative pivot for each row of B and one for each negative eigenvalue of K on the null space of B
// (Sylvester). Redundant rows are left out: -1 on the diagonal takes their place.
// Otherwise the roots of the linearized motion decide: a follower load makes a column flutter. Where
// round-off of the fastest hides slow ones (thin beams), these are found one by one from the sparse
// equations.
#include "analysis/statics/stability.h"
#include "analysis/modes/large.h"
#include "analysis/modes/linearize.h"
#include "analysis/rank/rank.h"
#include "linalg/dense/lapack.h"
#include "linalg/dense/routines.h"
#include "linalg/pattern/pattern.h"

#include <math.h>

#include "analysis/statics/constants.h"

typedef struct matrix {
    int n;
    double *A;       // (n x n) (1)
    double *values;  // (nnz)
    double *scale;   // (n)
    double *work;    // (n WORK)
    int *pivot;      // (n)
} matrix;

enum { WORK = 64, SWEEPS = 4 };  // SWEEPS of the scaling

static double *entry(const matrix *a, int i, int j) { return a->A + (size_t)j * (size_t)a->n + (size_t)i; }

// A of (1), scaled so that the largest entries of all rows are near 1. False: it cannot be evaluated, or is
// not symmetric.
static bool fill(const tml_system *s, void *work, const tml_state *x, const tmli_rank *rank, matrix *a)
{
    const tml_pattern *p = s->pattern;
    const tml_assembly stiff = {.ck = 1};
    if (s->ops->assemble(s->self, work, x, &stiff, a->values, NULL) != TML_OK) return false;
    for (int j = 0; j < a->n; j++)
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++) *entry(a, p->rowind[k], j) = a->values[k];
    for (int k = rank->rank; k < s->m; k++) {
        const int r = s->n + rank->order[k];
        for (int j = 0; j < a->n; j++) *entry(a, r, j) = *entry(a, j, r) = 0;
        *entry(a, r, r) = -1;
    }
    for (int i = 0; i < a->n; i++) a->scale[i] = 1;
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int j = 0; j < a->n; j++) {
            double most = 0;
            for (int i = 0; i < a->n; i++)
                most = fmax(most, fmax(fabs(*entry(a, i, j)), fabs(*entry(a, j, i))) * a->scale[i]);
            if (most > 0) a->scale[j] = sweep == 0 ? 1 / sqrt(most) : sqrt(a->scale[j] / most);
        }
    for (int j = 0; j < a->n; j++)
        for (int i = 0; i < a->n; i++) *entry(a, i, j) *= a->scale[i] * a->scale[j];
    for (int j = 0; j < a->n; j++)
        for (int i = 0; i < j; i++)
            if (!(fabs(*entry(a, i, j) - *entry(a, j, i)) <= SYMMETRIC)) return false;
    return true;
}

// Negative pivots of the factorization; those at round-off count as zero. Where some motion is known to have
// no stiffness, forces that are not balanced give it some, of either sign; else the softest motion of a
// slender structure must not be lost.
static int count_negative(const matrix *a, double imbalance)
{
    const double zero = imbalance > 0 ? fmax(a->n * ZERO_PIVOT, NEUTRAL_PIVOT * imbalance) : ZERO_PIVOT;
    int count = 0;
    for (int i = 0; i < a->n; i++) {
        const double d = *entry(a, i, i);
        if (a->pivot[i] > 0) {
            count += d < -zero;
            continue;
        }
        const double e = *entry(a, i + 1, i), f = *entry(a, i + 1, i + 1);  // a block of two
        // Its entries may be round-off: a motion without stiffness. The eigenvalue that is smaller in size is
        // det over the other one, without cancellation.
        const double det = d * f - e * e, mean = (d + f) / 2;
        const double larger = mean + copysign(hypot((d - f) / 2, e), mean);
        count += (larger < -zero) + (larger != 0 && det / larger < -zero);
        i++;
    }
    return count;
}

// *unstable: of a conservative system; -1: it is not.
static tml_status count_by_stiffness(const tml_system *s, void *work, const tml_state *x,
                                     const tmli_rank *rank, double imbalance, int *unstable, tml_error *err)
{
    const int n = s->n + s->m, size = n * WORK;
    *unstable = -1;
    if (s->nz > 0 || n > TMLI_LINEARIZE_COORDINATES) return TML_OK;
    for (int i = 0; i < s->m && s->level; i++)
        if (s->level[i] == TML_LEVEL_VELOCITY) return TML_OK;
    const size_t N = (size_t)n, nnz = (size_t)tmli_pattern_nnz(s->pattern);
    matrix a = {.n = n};
    const bool room = tmli_calloc_block(&s->env, TMLI_ARRAY(a.A, N * N), TMLI_ARRAY(a.values, nnz),
                                        TMLI_ARRAY(a.scale, N), TMLI_ARRAY(a.work, N * WORK + 1));
    a.pivot = tmli_calloc(&s->env, N + 1, sizeof *a.pivot);
    tml_status st = room && a.pivot ? tmli_lapack_load(err) : tmli_no_memory(err, "statics");
    if (st == TML_OK) {
        if (fill(s, work, x, rank, &a)) {
            int info = 0;  // > 0: a pivot is exactly 0, which counts as such
            tmli_dsytrf("L", &n, a.A, &n, a.pivot, a.work, &size, &info, 1);
            *unstable = count_negative(&a, imbalance) - s->m;
        }
        if (*unstable < 0) *unstable = -1;
    }
    tmli_free_all(&s->env, a.A, a.pivot);
    return st;
}

// Does this root grow? Round-off changes s^2 by up to noise^2: s of a simple root by some noise^2/|s|, but s
// of two that meet (onset of flutter), or near that, by up to `noise`.
typedef enum growth { DOES_NOT_GROW, MAY_GROW, GROWS } growth;

static growth growth_of(double complex root, double noise)
{
    const double size = cabs(root), simple = SIMPLE_ROOTS * noise * noise / size;
    if (!(creal(root) > fmax(GROWING_ROOT * size, fmin(simple, noise)))) return DOES_NOT_GROW;
    return creal(root) > noise ? GROWS : MAY_GROW;
}

// *unstable: growing motions among the slowest roots of an equilibrium, as many as s counts as zero and some
// more, and those of s; -1: unknown.
static tml_status count_slowest(const tml_system *sys, void *work, const tml_state *x, const tmli_spectrum *s,
                                int *unstable, tml_error *err)
{
    const tmli_roots_def want = {.count = s->zeros + 1};
    tmli_roots roots = {0};
    tmli_spectrum about = {0};
    const tml_status st = tmli_large_roots(sys, NULL, work, x, &want, &about, &roots, err);
    *unstable = -1;
    if (st == TML_OK && about.motion == TMLI_MOTION_REST) {
        int doubtful = 0, count = 0;
        for (int i = s->zeros; i < s->count; i++) count += s->re[i] > GROWING_SHARE * s->fastest;
        for (int i = 0; i < roots.count; i++) {
            const double complex root = roots.s[i];
            if (!(cabs(root) < (1 - GROWING_ROOT) * s->slowest)) continue;  // one of s
            const growth g = growth_of(root, roots.noise[i]);
            if (g == GROWS) count += cimag(root) != 0 ? 2 : 1;
            doubtful += g == MAY_GROW;
        }
        if (count > 0 || doubtful == 0) *unstable = count;
    }
    tmli_roots_clear(&roots);
    return st;
}

tml_status tmli_equilibrium_stability(const tml_system *sys, const tml_model *model, void *work, tml_state *x,
                                      double imbalance, int *unstable, tml_error *err)
{
    tmli_spectrum s = {0};
    tmli_rank rank = {0};
    *unstable = -1;
    if (sys->n > TMLI_LINEARIZE_COORDINATES) return TML_OK;
    tml_status st = tmli_rank_calc(sys, work, x, &rank, err);
    if (st == TML_OK && !model) st = count_by_stiffness(sys, work, x, &rank, imbalance, unstable, err);
    if (st == TML_OK && *unstable < 0) st = tmli_linearize(sys, model, work, &rank, x, &s, err);
    if (st == TML_OK && *unstable < 0 && (!model || s.motion == TMLI_MOTION_STEADY)) {
        *unstable = 0;
        for (int i = s.zeros; i < s.count; i++) *unstable += s.re[i] > GROWING_SHARE * s.fastest;
        const bool doubtful = s.zeros > 0 && s.resolved > TMLI_DOUBTFUL_ZERO * s.slowest;
        if (*unstable == 0 && doubtful && !model) st = count_slowest(sys, work, x, &s, unstable, err);
    }
    tmli_rank_clear(&rank);
    tmli_spectrum_clear(&s);
    return tmli_is_shortage(st) ? st : TML_OK;
}
