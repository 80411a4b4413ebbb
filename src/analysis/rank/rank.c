// The rank of the constraint Jacobian by a QR factorization with column pivoting,
//   C = diag(1/norm) B diag(unit),      C' P = Q R        (1)
// B (m x n); unit: the model's length for translations, 1 for rotations, so that columns are pure numbers
// times a unit of the row; norm: the Euclidean norm of each row, which takes that unit away. |R_11| = 1 >=
// |R_22| >= ...
//
// Rows whose pivot is below TMLI_BUILT_TOLERANCE depend on the others.
#include "analysis/rank/rank.h"
#include "linalg/dense/lapack.h"
#include "linalg/dense/routines.h"
#include "system/state/units.h"

#include <math.h>

void tmli_rank_clear(tmli_rank *k)
{
    const tml_env env = k->env;
    tmli_free_all(&env, k->unit, k->norm, k->pivot, k->qr, k->tau, k->order);
    *k = (tmli_rank){0};
}

static tml_status allocate(tmli_rank *k, const tml_system *sys)
{
    const size_t n = (size_t)sys->n, m = (size_t)sys->m, least = n < m ? n : m;
    k->env = sys->env;
    k->n = sys->n;
    k->m = sys->m;
    return tmli_calloc_all(&k->env, TMLI_ARRAY(k->unit, n), TMLI_ARRAY(k->norm, m),
                           TMLI_ARRAY(k->pivot, least), TMLI_ARRAY(k->qr, n * m), TMLI_ARRAY(k->tau, least),
                           TMLI_ARRAY(k->order, m))
               ? TML_OK
               : TML_ERR_NOMEM;
}

// qr = C' of (1)
static tml_status fill(tmli_rank *k, const tml_system *sys, void *w, const tml_state *x, tml_error *err)
{
    double *rows = tmli_calloc(&k->env, (size_t)sys->rowptr[sys->m], sizeof(double));
    if (!rows) return tmli_no_memory(err, "check");
    tml_status st = sys->ops->rows(sys->self, w, x, rows, err);
    double largest = 0;
    for (int j = 0; j < k->n; j++) k->unit[j] = tmli_coordinate_unit(sys, j);
    for (int r = 0; r < k->m && st == TML_OK; r++) {
        double sum = 0;
        for (int i = sys->rowptr[r]; i < sys->rowptr[r + 1]; i++) {
            rows[i] *= k->unit[sys->rowcol[i]];
            sum += rows[i] * rows[i];
        }
        k->norm[r] = sqrt(sum);
        largest = fmax(largest, k->norm[r]);
        if (!isfinite(sum)) {
            char name[160];
            st = tmli_fail(err, TML_ERR_NAN, "the derivatives of %s are not finite at t = %g s",
                           sys->row_name(sys, r, name, sizeof name), x->t);
        }
    }
    for (int r = 0; r < k->m && st == TML_OK; r++) {
        const bool vanishes = k->norm[r] <= TMLI_ROUNDOFF * largest;
        if (vanishes) k->norm[r] = 1;
        for (int i = sys->rowptr[r]; i < sys->rowptr[r + 1] && !vanishes; i++)
            k->qr[(size_t)r * (size_t)k->n + (size_t)sys->rowcol[i]] = rows[i] / k->norm[r];
    }
    tmli_free(&k->env, rows);
    return st;
}

static tml_status factor(tmli_rank *k, tml_error *err)
{
    const int least = k->n < k->m ? k->n : k->m, query = -1;
    int info = 0;
    double size = 0;
    if (least == 0) return TML_OK;
    const tml_status st = tmli_lapack_load(err);
    if (st != TML_OK) return st;
    tmli_dgeqp3(&k->n, &k->m, k->qr, &k->n, k->order, k->tau, &size, &query, &info);
    const int lwork = (int)size;
    double *work = tmli_calloc(&k->env, (size_t)lwork, sizeof(double));
    if (!work) return tmli_no_memory(err, "check");
    tmli_dgeqp3(&k->n, &k->m, k->qr, &k->n, k->order, k->tau, work, &lwork, &info);
    tmli_free(&k->env, work);
    for (int i = 0; i < k->m; i++) k->order[i]--;
    for (int i = 0; i < least; i++) {
        k->pivot[i] = fabs(k->qr[(size_t)i * (size_t)(k->n + 1)]);
        if (k->pivot[i] > TMLI_BUILT_TOLERANCE * k->pivot[0]) k->rank = i + 1;
    }
    return TML_OK;
}

tml_status tmli_rank_calc(const tml_system *sys, void *w, const tml_state *x, tmli_rank *out, tml_error *err)
{
    *out = (tmli_rank){0};
    if (sys->m > TMLI_RANK_ROWS || sys->n > 2 * TMLI_RANK_ROWS)
        return tmli_fail(err, TML_ERR_ARG,
                         "the rank of %d rows by %d columns is not computed: at most %d by %d", sys->m,
                         sys->n, TMLI_RANK_ROWS, 2 * TMLI_RANK_ROWS);
    tml_status st = allocate(out, sys);
    if (st != TML_OK) st = tmli_no_memory(err, "check");
    if (st == TML_OK) st = fill(out, sys, w, x, err);
    if (st == TML_OK) st = factor(out, err);
    if (st != TML_OK) tmli_rank_clear(out);
    return st;
}
