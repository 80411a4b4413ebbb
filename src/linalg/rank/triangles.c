// Solves with factors of KLU; see triangles.h.
#include "linalg/rank/triangles.h"

void tmli_triangles_clear(tmli_triangles *t, klu_common *common)
{
    // KLU may not be loaded if nothing was taken
    if (t->indices) klu_free(t->indices, t->index_room, sizeof *t->indices, common);
    if (t->numbers) klu_free(t->numbers, t->number_room, sizeof *t->numbers, common);
    *t = (tmli_triangles){0};
}

static bool reserve(tmli_triangles *t, klu_common *common, size_t indices, size_t numbers)
{
    if (indices <= t->index_room && numbers <= t->number_room) return true;
    tmli_triangles_clear(t, common);
    t->index_room = indices;
    t->number_room = numbers;
    t->indices = klu_malloc(indices, sizeof *t->indices, common);
    t->numbers = klu_malloc(numbers, sizeof *t->numbers, common);
    if (t->indices && t->numbers) return true;
    tmli_triangles_clear(t, common);
    return false;
}

bool tmli_triangles_take(tmli_triangles *t, klu_symbolic *symbolic, klu_numeric *numeric, klu_common *common)
{
    const size_t n = (size_t)symbolic->n, l = (size_t)numeric->lnz, u = (size_t)numeric->unz,
                 f = (size_t)numeric->nzoff;
    if (!reserve(t, common, 6 * n + 4 + l + u + f, 2 * n + l + u + f)) return false;
    t->n = symbolic->n;
    t->blocks = symbolic->nblocks;
    t->first = t->indices;
    t->row = t->first + n + 1;
    t->column = t->row + n;
    t->Lp = t->column + n;
    t->Up = t->Lp + n + 1;
    t->Fp = t->Up + n + 1;
    t->Li = t->Fp + n + 1;
    t->Ui = t->Li + l;
    t->Fi = t->Ui + u;
    t->x = t->numbers;
    t->scale = t->x + n;
    t->Lx = t->scale + n;
    t->Ux = t->Lx + l;
    t->Fx = t->Ux + u;
    if (!klu_extract(numeric, symbolic, t->Lp, t->Li, t->Lx, t->Up, t->Ui, t->Ux, t->Fp, t->Fi, t->Fx, t->row,
                     t->column, t->scale, t->first, common))
        return false;
    for (int k = 0; k < t->n; k++) {
        t->scale[k] = 1 / t->scale[k];
        t->Ux[t->Up[k + 1] - 1] = 1 / t->Ux[t->Up[k + 1] - 1];
    }
    return true;
}

// x -= y times the entries begin .. end - 1 of a column, which are not in row k of y = x[k]
static inline void subtract_column(int begin, int end, const int *index, const double *entry, double y,
                                   double *x)
{
    for (int p = begin; p < end; p++) x[index[p]] -= entry[p] * y;
}

void tmli_triangles_solve(const tmli_triangles *t, double *b)
{
    double *x = t->x;
    for (int k = 0; k < t->n; k++) x[k] = b[t->row[k]] * t->scale[k];
    for (int block = t->blocks - 1; block >= 0; block--) {
        const int begin = t->first[block], end = t->first[block + 1];
        for (int k = begin; k + 1 < end; k++)
            subtract_column(t->Lp[k] + 1, t->Lp[k + 1], t->Li, t->Lx, x[k], x);
        for (int k = end - 1; k >= begin; k--) {
            const int diagonal = t->Up[k + 1] - 1;
            x[k] *= t->Ux[diagonal];
            subtract_column(t->Up[k], diagonal, t->Ui, t->Ux, x[k], x);
        }
        for (int k = begin; k < end; k++) subtract_column(t->Fp[k], t->Fp[k + 1], t->Fi, t->Fx, x[k], x);
    }
    for (int k = 0; k < t->n; k++) b[t->column[k]] = x[k];
}

void tmli_triangles_solve_transposed(const tmli_triangles *t, double *b)
{
    double *x = t->x;
    for (int k = 0; k < t->n; k++) x[k] = b[t->column[k]];
    for (int block = 0; block < t->blocks; block++) {
        const int begin = t->first[block], end = t->first[block + 1];
        for (int k = begin; k < end; k++)
            for (int p = t->Fp[k]; p < t->Fp[k + 1]; p++) x[k] -= t->Fx[p] * x[t->Fi[p]];
        for (int k = begin; k < end; k++) {
            const int diagonal = t->Up[k + 1] - 1;
            for (int p = t->Up[k]; p < diagonal; p++) x[k] -= t->Ux[p] * x[t->Ui[p]];
            x[k] *= t->Ux[diagonal];
        }
        for (int k = end - 2; k >= begin; k--)
            for (int p = t->Lp[k] + 1; p < t->Lp[k + 1]; p++) x[k] -= t->Lx[p] * x[t->Li[p]];
    }
    for (int k = 0; k < t->n; k++) b[t->row[k]] = x[k] * t->scale[k];
}
