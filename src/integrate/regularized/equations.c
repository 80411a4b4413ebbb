// Memory, chart and residual of the regularized equations; see regularized.h.
#include "integrate/regularized/regularized.h"
#include "system/active_rows/active_rows.h"

#include "consistency/scaling.h"
#include "integrate/core/chart.h"
#include "linalg/pattern/expand.h"
#include "linalg/solver/archive.h"
#include "system/state/fields.h"
#include "system/state/move.h"

#include <math.h>
#include <string.h>

// ---- memory -----------------------------------------------------------------------------------------------

static const tmli_fields FIELDS = {
    "regular", offsetof(tmli_regular_eq, memory),
    (const tmli_span[]){TMLI_NUMBERS(tmli_regular_eq, gamma, row_scale),
                        TMLI_WORK(tmli_regular_eq, work),
                        TMLI_KEPT_STATES(tmli_regular_eq, x, centre),
                        TMLI_KEPT(tmli_regular_eq, e, gamma2, TMLI_BY_M, 1),
                        TMLI_KEPT(tmli_regular_eq, unit, unit, TMLI_BY_NM, 1),
                        TMLI_KEPT(tmli_regular_eq, inertia, w2, TMLI_BY_N, 1),
                        TMLI_KEPT(tmli_regular_eq, rows, times, TMLI_BY_ENTRIES, 1),
                        TMLI_KEPT(tmli_regular_eq, diagonal, diagonal, TMLI_BY_N, 3),
                        TMLI_KEPT(tmli_regular_eq, values, other, TMLI_BY_NNZ, 1),
                        TMLI_KEPT(tmli_regular_eq, T, J, TMLI_BY_OWN, 1),
                        TMLI_KEPT(tmli_regular_eq, gathered, gathered, TMLI_BY_OWN2, 1),
                        TMLI_KEPT(tmli_regular_eq, matrix, matrix, TMLI_BY_OWN3, 1),
                        TMLI_SCRATCH(tmli_regular_eq, right, right, TMLI_BY_OWN4, 1),
                        TMLI_SCRATCH(tmli_regular_eq, colour, first, TMLI_BY_N, 1),
                        TMLI_KEPT_INDICES(tmli_regular_eq, pivot, pivot, TMLI_BY_N),
                        TMLI_SCRATCH(tmli_regular_eq, once, twice, TMLI_BY_NM, 1),
                        TMLI_SCRATCH(tmli_regular_eq, uu, zz, TMLI_BY_NNZ, 1),
                        TMLI_SCRATCH(tmli_regular_eq, ul, lz, TMLI_BY_ENTRIES, 1),
                        TMLI_SCRATCH(tmli_regular_eq, uz, uz, TMLI_BY_N, 1),
                        TMLI_SCRATCH(tmli_regular_eq, ll, rr, TMLI_BY_M, 1),
                        {0}}};

static tmli_sizes sizes_of(const tmli_regular_eq *e)
{
    tmli_sizes sizes = tmli_sizes_of(e->sys);
    sizes.of[TMLI_BY_OWN] = (size_t)e->n * (size_t)e->colours;
    sizes.of[TMLI_BY_OWN2] = sizes.of[TMLI_BY_OWN] + 2 * (size_t)e->n;
    sizes.of[TMLI_BY_OWN3] = (size_t)tmli_pattern_nnz(e->pattern);
    sizes.of[TMLI_BY_OWN4] = (size_t)e->pattern->n;
    return sizes;
}

// T does not couple nodes: coordinates at the same index of their nodes are differenced together.
static int count_colours(const tml_system *sys)
{
    int colours = 1;
    for (int j = 1, index = 0; j < sys->n; j++) {
        index = sys->node[j] == sys->node[j - 1] ? index + 1 : 0;
        if (index >= colours) colours = index + 1;
    }
    return colours;
}

static void set_colours(tmli_regular_eq *e)
{
    for (int j = 0; j < e->n; j++) {
        const bool begins = j == 0 || e->sys->node[j] != e->sys->node[j - 1];
        e->first[j] = begins ? j : e->first[j - 1];
        e->colour[j] = j - e->first[j];
    }
}

tml_status tmli_regular_init(const tml_system *sys, tmli_regularization kind, const tml_linsolver_ops *solver,
                             tmli_regular_eq *e, tml_error *err)
{
    const bool trust = kind == TMLI_REGULARIZATION_TRUST_REGION && sys->m > 0;
    *e = (tmli_regular_eq){
        .sys = sys, .kind = kind, .index = 3, .trust = trust, .n = sys->n, .m = sys->m, .at_l = 2 * sys->n};
    e->at_z = trust ? e->at_l + e->m : -1;
    e->at_r = trust ? e->at_z + e->n : -1;
    e->size = trust ? e->at_r + e->m : e->at_l + e->m;
    e->pattern = sys->pattern;
    e->colours = count_colours(sys);
    tml_status st = trust ? tmli_pattern_expand(sys->pattern, 2, &sys->env, &e->doubled, err) : TML_OK;
    if (st != TML_OK) return st;
    if (trust) e->pattern = e->doubled;
    const tmli_sizes sizes = sizes_of(e);
    st = tmli_fields_create(&FIELDS, &sizes, e, err);
    if (st != TML_OK) return st;
    set_colours(e);
    e->curved = !tmli_chart_is_flat(sys, e->v, e->w, e->w2);
    return tmli_regular_layout(e, solver, err);
}

void tmli_regular_clear(tmli_regular_eq *e)
{
    if (!e->sys) return;
    if (e->lin) e->solver->destroy(e->lin);
    if (e->lin_spare) e->spare->destroy(e->lin_spare);
    tmli_object_clear(&FIELDS, e->sys, e);
    tmli_pattern_destroy(e->doubled);
    *e = (tmli_regular_eq){0};
}

// ---- chart ------------------------------------------------------------------------------------------------

tml_status tmli_regular_centre(tmli_regular_eq *e, const tml_state *x, double *y, double *yp, tml_error *err)
{
    const tml_system *s = e->sys;
    const size_t n = (size_t)e->n, m = (size_t)e->m;
    tml_state_copy(e->x, x);
    tml_state_copy(e->centre, x);
    memset(y, 0, (size_t)e->size * sizeof *y);
    memset(yp, 0, (size_t)e->size * sizeof *yp);
    memcpy(y + n, x->u, n * sizeof *y);
    memcpy(y + e->at_l, x->lambda, m * sizeof *y);
    memcpy(yp, x->u, n * sizeof *y);
    memcpy(yp + n, x->udot, n * sizeof *y);
    double gyration_ratio;
    tml_status st = tmli_scale_rows(s, e->work, TML_SCALING_PHYSICAL, x, 0, 0, 0, e->diagonal, e->rows,
                                    e->unit, e->e, &gyration_ratio, err);
    for (int j = 0; j < e->n; j++)  // massless coordinates get the mean inertia of their kind
        e->inertia[j] = e->diagonal[j] > 0 ? 0 : e->diagonal[2 * e->n + j];
    return st;
}

void tmli_regular_state(const tmli_regular_eq *e, double t, const double *y, const double *yp, tml_state *out)
{
    const tml_system *s = e->sys;
    out->t = t;
    tmli_state_move(s, e->centre, y, out);
    memcpy(out->u, y + e->n, (size_t)e->n * sizeof *y);
    memcpy(out->udot, yp + e->n, (size_t)e->n * sizeof *y);
    memcpy(out->lambda, y + e->at_l, (size_t)e->m * sizeof *y);
}

double tmli_regular_rotation(const tmli_regular_eq *e, const double *y)
{
    double most = 0, square = 0;
    for (int j = 0; j < e->n && e->curved; j++) {
        if (e->first[j] == j) square = 0;
        if (e->sys->kind[j] == TML_COORDINATE_ROTATION) square += y[j] * y[j];
        most = fmax(most, square);
    }
    return sqrt(most);
}

// ---- residual ---------------------------------------------------------------------------------------------

// phi := c of (3); needs rows, gamma2, phidot, and Phi in phi.
static void add_feedback(tmli_regular_eq *e, const double *udot)
{
    const tml_system *s = e->sys;
    const double k1 = tmli_regular_rate_gain(e);
    for (int r = 0; r < e->m; r++) {
        double sum = k1 * e->phidot[r] + tmli_regular_position_gain(e, r) * e->phi[r] - e->gamma2[r];
        for (int i = s->rowptr[r]; i < s->rowptr[r + 1]; i++) sum += e->rows[i] * udot[s->rowcol[i]];
        e->phi[r] = sum;
    }
}

// w := M v, with the added inertia of massless coordinates.
static tml_status times_mass(tmli_regular_eq *e, const double *v, double *w, tml_error *err)
{
    const tml_system *s = e->sys;
    const tml_pattern *p = s->pattern;
    const tml_assembly mass = {.cm = 1};
    tml_status st = tmli_active_assemble(s, e->work, e->x, &mass, e->other, err);
    for (int j = 0; j < e->n; j++) w[j] = e->inertia[j] * v[j];
    for (int j = 0; j < e->n; j++)
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1] && p->rowind[k] < e->n; k++)
            w[p->rowind[k]] += e->other[k] * v[j];
    return st;
}

// out := residuals of (7), rows of lambda, z and r.
static tml_status evaluate_trust_region(tmli_regular_eq *e, const double *y, double *out, tml_error *err)
{
    const tml_system *s = e->sys;
    const double *lambda = y + e->at_l, *z = y + e->at_z, *rest = y + e->at_r;
    tml_status st = times_mass(e, z, out + e->at_z, err);
    for (int r = 0; r < e->m; r++) {
        double sum = -lambda[r];
        for (int i = s->rowptr[r]; i < s->rowptr[r + 1]; i++) {
            sum += e->rows[i] * e->e[r] * z[s->rowcol[i]];
            out[e->at_z + s->rowcol[i]] -= e->rows[i] * e->e[r] * rest[r];
        }
        out[e->at_l + r] = sum;
        out[e->at_r + r] = e->phi[r] - e->epsilon * rest[r];
    }
    return st;
}

tml_status tmli_regular_residual(tmli_regular_eq *e, double t, const double *y, const double *yp, double *out,
                                 tml_error *err)
{
    const tml_system *s = e->sys;
    tml_state *x = e->x;
    const int n = e->n;
    tmli_regular_state(e, t, y, yp, x);
    tml_status st = tmli_active_residual_rows(s, e->work, x, NULL, out + n, e->phi, e->rows, err);
    if (st == TML_OK && e->m > 0) st = tmli_active_velocity(s, e->work, x, e->phidot, err);
    if (st == TML_OK && e->m > 0) st = tmli_active_dynamics(s, e->work, x, e->f, e->gamma2, err);
    if (st != TML_OK) return st;
    s->ops->tangent(s->self, y, yp, out);
    for (int j = 0; j < n; j++) out[j] -= y[n + j];  // (1)
    add_feedback(e, yp + n);
    if (e->trust) return evaluate_trust_region(e, y, out, err);
    const double epsilon = e->kind == TMLI_REGULARIZATION_DIRECT ? e->epsilon : 0;
    for (int r = 0; r < e->m; r++) out[e->at_l + r] = e->phi[r] - epsilon * y[e->at_l + r] / e->e[r];
    return TML_OK;
}

// ---- archive ----------------------------------------------------------------------------------------------

void tmli_regular_archive(tmli_regular_eq *e, tml_archive *a)
{
    bool spare = e->spare != NULL;
    const bool had = spare;
    const tmli_sizes sizes = sizes_of(e);
    tmli_fields_archive(&FIELDS, &sizes, e, a);
    tml_archive_bools(a, &spare, 1);
    if (had && !spare) tmli_regular_use_spare(e);
    tmli_linsolver_archive(e->solver, e->lin, a);
}
