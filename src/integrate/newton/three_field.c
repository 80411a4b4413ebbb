// The three-field matrix: pattern, entries, solution; equation numbers as in three_field.h.
#include "integrate/newton/three_field.h"
#include "linalg/pattern/pattern.h"
#include "system/state/fields.h"

#include <string.h>

static const tmli_fields FIELDS = {
    "three fields", offsetof(tmli_three_field, memory),
    (const tmli_span[]){TMLI_KEPT(tmli_three_field, values, values, TMLI_BY_OWN, 1),
                        TMLI_KEPT(tmli_three_field, left, x, TMLI_BY_OWN2, 1),
                        TMLI_KEPT(tmli_three_field, w, du, TMLI_BY_N, 1),
                        TMLI_SCRATCH(tmli_three_field, at, at, TMLI_BY_NM, 1),
                        TMLI_SCRATCH(tmli_three_field, velocity_at, own_velocity, TMLI_BY_N, 1),
                        TMLI_SCRATCH(tmli_three_field, entry, velocity_entry, TMLI_BY_NNZ, 1),
                        {0}}};

static tmli_sizes sizes_of(const tmli_three_field *f)
{
    tmli_sizes sizes = tmli_sizes_of(f->sys);
    sizes.of[TMLI_BY_OWN] = (size_t)tmli_pattern_nnz(f->pattern);
    sizes.of[TMLI_BY_OWN2] = sizes.of[TMLI_BY_N] + sizes.of[TMLI_BY_NM];
    return sizes;
}

void tmli_three_field_destroy(tmli_three_field *f)
{
    if (!f) return;
    const tml_env *env = &f->sys->env;
    tmli_pattern_destroy(f->pattern);
    tmli_object_clear(&FIELDS, f->sys, f);
    tmli_free(env, f);
}

// Coordinate blocks are doubled, multiplier blocks stay; couplings and rules of elimination are those of
// two fields.
static tml_status build_pattern(tmli_three_field *f, tml_error *err)
{
    const tml_system *s = f->sys;
    const tml_pattern *p = s->pattern;
    const size_t nb = (size_t)p->nblocks;
    int32_t pairs = 0;
    for (int32_t b = 0; b < p->nblocks; b++)
        pairs += p->colptr[p->blockptr[b] + 1] - p->colptr[p->blockptr[b]];  // at most this many neighbours
    int32_t *sizes = tmli_calloc(&s->env, nb + 2 * (size_t)pairs, sizeof *sizes);
    if (!sizes) return tmli_no_memory(err, "three fields");
    int32_t *edges = sizes + nb, count = 0;
    for (int32_t b = 0; b < p->nblocks; b++) {
        const int32_t size = p->blockptr[b + 1] - p->blockptr[b], col = p->blockptr[b];
        sizes[b] = p->multiplier[b] ? size : 2 * size;
        for (int32_t i = p->colptr[col]; i < p->colptr[col + 1];) {
            const int32_t other = tmli_pattern_block_of(p, p->rowind[i]);
            edges[2 * count] = b;
            edges[2 * count++ + 1] = other;
            i += p->blockptr[other + 1] - p->blockptr[other];
        }
    }
    tml_status st = tmli_pattern_create(p->nblocks, sizes, p->multiplier, count, edges, p->afterptr,
                                        p->afterind, p->block_name, p->name_user, &s->env, &f->pattern, err);
    tmli_free(&s->env, sizes);
    return st;
}

static void number_unknowns(tmli_three_field *f)
{
    const tml_pattern *p = f->sys->pattern, *q = f->pattern;
    for (int32_t b = 0; b < p->nblocks; b++) {
        const int32_t first = p->blockptr[b], size = p->blockptr[b + 1] - first, start = q->blockptr[b];
        for (int32_t i = 0; i < size; i++) {
            f->at[first + i] = start + i;
            if (!p->multiplier[b]) f->velocity_at[first + i] = start + size + i;
        }
    }
}

static void find_entries(tmli_three_field *f)
{
    const tml_pattern *p = f->sys->pattern, *q = f->pattern;
    const int32_t n = f->sys->n;
    for (int32_t j = 0; j < p->n; j++) {
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            const int32_t i = p->rowind[k], row = i < n ? f->velocity_at[i] : f->at[i];
            f->entry[k] = tmli_pattern_find(q, row, f->at[j]);
            f->velocity_entry[k] = i < n && j < n ? tmli_pattern_find(q, row, f->velocity_at[j]) : -1;
        }
    }
    for (int32_t j = 0; j < n; j++) {
        f->own[j] = tmli_pattern_find(q, f->at[j], f->at[j]);
        f->own_velocity[j] = tmli_pattern_find(q, f->at[j], f->velocity_at[j]);
    }
}

tml_status tmli_three_field_create(const tml_system *sys, tmli_three_field **out, tml_error *err)
{
    *out = NULL;
    tmli_three_field *f = tmli_calloc(&sys->env, 1, sizeof *f);
    if (!f) return tmli_no_memory(err, "three fields");
    f->sys = sys;
    tml_status st = build_pattern(f, err);
    if (st == TML_OK) {
        const tmli_sizes sizes = sizes_of(f);
        st = tmli_fields_create(&FIELDS, &sizes, f, err);
    }
    if (st != TML_OK) {
        tmli_three_field_destroy(f);
        return st;
    }
    number_unknowns(f);
    find_entries(f);
    *out = f;
    return TML_OK;
}

void tmli_three_field_fill(tmli_three_field *f, double a1, const double *rest, const double *inertia)
{
    const tml_system *s = f->sys;
    const int32_t nnz = tmli_pattern_nnz(s->pattern);
    memset(f->values, 0, (size_t)tmli_pattern_nnz(f->pattern) * sizeof(double));
    for (int32_t k = 0; k < nnz; k++) {
        f->values[f->entry[k]] = rest[k];
        if (f->velocity_entry[k] >= 0) f->values[f->velocity_entry[k]] = inertia[k];
    }
    for (int j = 0; j < s->n; j++) {
        f->values[f->own[j]] = a1;
        f->values[f->own_velocity[j]] = -1;
    }
    tmli_pattern_scale_rows_columns(f->pattern, f->left, f->right, f->values);
}

void tmli_three_field_solve(tmli_three_field *f, void (*solve)(void *self, double *x), void *self,
                            bool relation, double *rhs)
{
    const tml_system *s = f->sys;
    double *x = f->x;
    for (int j = 0; j < s->n; j++) {
        x[f->at[j]] = relation ? -f->left[f->at[j]] * f->w[j] : 0;
        x[f->velocity_at[j]] = f->left[f->velocity_at[j]] * rhs[j];
    }
    for (int i = s->n; i < s->n + s->m; i++) x[f->at[i]] = f->left[f->at[i]] * rhs[i];
    solve(self, x);
    for (int i = 0; i < s->n + s->m; i++) rhs[i] = f->right[f->at[i]] * x[f->at[i]];
    for (int j = 0; j < s->n; j++) f->du[j] = f->right[f->velocity_at[j]] * x[f->velocity_at[j]];
}

void tmli_three_field_archive(tmli_three_field *f, tml_archive *a)
{
    if (!f) return;
    const tmli_sizes sizes = sizes_of(f);
    tmli_fields_archive(&FIELDS, &sizes, f, a);
}
