// Bodies, joints and arms of a pattern; see saddle.h.
#include "linalg/topology/saddle.h"

#include "linalg/pattern/pattern.h"

#include <string.h>

static bool allocate(tmli_saddle *s, const tml_pattern *p, int32_t *edges);
static void number_parts(tmli_saddle *s, const tml_pattern *p, int32_t *number);
static void find_arms(tmli_saddle *s, const tml_pattern *p, const int32_t *number);
static void list_by_body(tmli_saddle *s, int32_t *next);
static bool is_zero(const double *values, const tmli_coupling *c);
static bool is_symmetric(const double *values, const tmli_part *part);
static bool arm_is_symmetric(const double *values, const tmli_part *joint, const tmli_part *body,
                             const tmli_arm *arm);
static bool read_inactive_rows(tmli_saddle *s, const double *values, int32_t j);

static int32_t size_of(const tml_pattern *p, int32_t b) { return p->blockptr[b + 1] - p->blockptr[b]; }

tml_status tmli_saddle_init(tmli_saddle *s, const tml_pattern *p, const tml_env *env, tml_error *err)
{
    if (env) s->env = *env;
    int32_t *number = tmli_calloc(env, 2 * (size_t)p->nblocks, sizeof *number);
    int32_t edges = 0;
    if (!number || !allocate(s, p, &edges)) {
        tmli_free(env, number);
        return tmli_fail(err, TML_ERR_NOMEM, "linear solver: no memory for a graph of %d blocks",
                         (int)p->nblocks);
    }
    number_parts(s, p, number);
    find_arms(s, p, number);
    list_by_body(s, number + p->nblocks);
    tmli_free(env, number);
    return TML_OK;
}

void tmli_saddle_clear(tmli_saddle *s)
{
    const tml_env env = s->env;
    tmli_free_all(&env, s->body, s->joint, s->armptr, s->arm, s->bodyptr, s->bodyarm, s->coupling,
                  s->inactive);
    *s = (tmli_saddle){0};
}

static bool allocate(tmli_saddle *s, const tml_pattern *p, int32_t *edges)
{
    for (int32_t b = 0; b < p->nblocks; b++) {
        const int32_t col = p->blockptr[b];
        if (p->multiplier[b]) s->njoints++;
        else s->nbodies++;
        for (int32_t k = p->colptr[col]; k < p->colptr[col + 1]; ++*edges)
            k += size_of(p, tmli_pattern_block_of(p, p->rowind[k]));
    }
    const size_t bodies = (size_t)s->nbodies, joints = (size_t)s->njoints, most = (size_t)*edges;
    return tmli_calloc_all(&s->env, TMLI_ARRAY(s->body, bodies), TMLI_ARRAY(s->joint, joints),
                           TMLI_ARRAY(s->armptr, joints + 1), TMLI_ARRAY(s->arm, most),
                           TMLI_ARRAY(s->bodyptr, bodies + 1), TMLI_ARRAY(s->bodyarm, most),
                           TMLI_ARRAY(s->coupling, most), TMLI_ARRAY(s->inactive, (size_t)p->n));
}

static void number_parts(tmli_saddle *s, const tml_pattern *p, int32_t *number)
{
    int32_t count[2] = {0, 0};
    for (int32_t b = 0; b < p->nblocks; b++) {
        const int32_t first = p->blockptr[b], kind = p->multiplier[b] ? 1 : 0;
        tmli_part *part = kind ? &s->joint[count[1]] : &s->body[count[0]];
        *part = (tmli_part){.block = b,
                            .first = first,
                            .size = size_of(p, b),
                            .switched = p->multiplier[b] == TMLI_SWITCHED_BLOCK,
                            .stride = p->colptr[first + 1] - p->colptr[first],
                            .at = tmli_pattern_find(p, first, first)};
        number[b] = count[kind]++;
        if (kind) s->rows += part->size;
    }
}

// Lists the arms joint by joint, and the blocks that couple two bodies or two joints and must be zero.
static void find_arms(tmli_saddle *s, const tml_pattern *p, const int32_t *number)
{
    for (int32_t b = 0; b < p->nblocks; b++) {
        const int32_t col = p->blockptr[b];
        for (int32_t k = p->colptr[col]; k < p->colptr[col + 1];) {
            const int32_t a = tmli_pattern_block_of(p, p->rowind[k]);
            if (a != b && !p->multiplier[a] == !p->multiplier[b])
                s->coupling[s->ncouplings++] =
                    (tmli_coupling){k, p->colptr[col + 1] - p->colptr[col], size_of(p, a), size_of(p, b)};
            if (p->multiplier[b] && !p->multiplier[a])
                s->arm[s->narms++] = (tmli_arm){.joint = number[b],
                                                .body = number[a],
                                                .row = k,
                                                .mirror = tmli_pattern_find(p, col, p->blockptr[a])};
            k += size_of(p, a);
        }
        if (p->multiplier[b]) s->armptr[number[b] + 1] = s->narms;
    }
}

static void list_by_body(tmli_saddle *s, int32_t *next)
{
    for (int32_t k = 0; k < s->narms; k++) s->bodyptr[s->arm[k].body + 1]++;
    for (int32_t b = 0; b < s->nbodies; b++) s->bodyptr[b + 1] += s->bodyptr[b];
    for (int32_t b = 0; b < s->nbodies; b++) next[b] = s->bodyptr[b];
    for (int32_t k = 0; k < s->narms; k++) s->bodyarm[next[s->arm[k].body]++] = k;
}

bool tmli_saddle_read(tmli_saddle *s, const double *values, bool trusted)
{
    s->any_inactive = false;
    for (int32_t k = 0; k < s->ncouplings && !trusted; k++)
        if (!is_zero(values, &s->coupling[k])) return false;
    for (int32_t b = 0; b < s->nbodies && !trusted; b++)
        if (!is_symmetric(values, &s->body[b])) return false;
    for (int32_t k = 0; k < s->narms && !trusted; k++)
        if (!arm_is_symmetric(values, &s->joint[s->arm[k].joint], &s->body[s->arm[k].body], &s->arm[k]))
            return false;
    for (int32_t j = 0; j < s->njoints; j++) {
        const tmli_part *x = &s->joint[j];
        const tmli_coupling E = {x->at, x->stride, x->size, x->size};
        if (!is_zero(values, &E) && !read_inactive_rows(s, values, j)) return false;
    }
    return true;
}

// By the bits, without the sign: integers are added in any order, so this runs on vectors. Not zero if an
// entry is not a number.
static bool is_zero(const double *values, const tmli_coupling *c)
{
    uint64_t any = 0;
    for (int32_t j = 0; j < c->columns; j++) {
        const double *v = values + c->at + j * c->stride;
        for (int32_t i = 0; i < c->rows; i++) {
            uint64_t bits;
            memcpy(&bits, &v[i], sizeof bits);
            any |= bits << 1;
        }
    }
    return any == 0;
}

static bool is_symmetric(const double *values, const tmli_part *part)
{
    const double *A = values + part->at;
    bool same = true;
    for (int32_t j = 0; j < part->size; j++)
        for (int32_t i = 0; i <= j; i++) same &= A[j * part->stride + i] == A[i * part->stride + j];
    return same;
}

static bool arm_is_symmetric(const double *values, const tmli_part *joint, const tmli_part *body,
                             const tmli_arm *arm)
{
    bool same = true;
    for (int32_t r = 0; r < joint->size; r++)
        for (int32_t c = 0; c < body->size; c++)
            same &= values[arm->row + r * joint->stride + c] == values[arm->mirror + c * body->stride + r];
    return same;
}

// E is not zero: true if it has inactive rows only. Other rows of the joint have 0 on the diagonal.
static bool read_inactive_rows(tmli_saddle *s, const double *values, int32_t j)
{
    const tmli_part *x = &s->joint[j];
    if (!s->any_inactive)
        for (int32_t i = 0; i < s->njoints; i++)
            for (int32_t r = 0; r < s->joint[i].size; r++) s->inactive[s->joint[i].first + r] = 0;
    s->any_inactive = true;
    for (int32_t r = 0; r < x->size; r++) {
        const double *column = values + x->at + r * x->stride;
        for (int32_t i = 0; i < x->size; i++)
            if (i != r && column[i] != 0) return false;
        s->inactive[x->first + r] = column[r];
        for (int32_t k = s->armptr[j]; k < s->armptr[j + 1] && column[r] != 0; k++) {
            const double *row = values + s->arm[k].row + r * x->stride;
            for (int32_t c = 0; c < s->body[s->arm[k].body].size; c++)
                if (row[c] != 0) return false;
        }
    }
    return true;
}

void tmli_saddle_archive(tmli_saddle *s, int32_t n, tml_archive *a)
{
    tml_archive_bools(a, &s->any_inactive, 1);
    tml_archive_doubles(a, s->inactive, (size_t)n);
}
