// Memory, chart and residual of the regularized equations; see regularized.h.
#include "integrate/regularized/regularized.h"

#include "consistency/scaling.h"
#include "integrate/core/chart.h"
#include "linalg/solver/archive.h"
#include "system/state/move.h"

#include <math.h>
#include <string.h>

// ---- memory -----------------------------------------------------------------------------------------------

// T does not couple nodes: coordinates at the same index of their nodes are differenced together.
static void set_colours(tmli_regular_eq *e)
{
    e->colours = 1;
    for (int j = 0; j < e->n; j++) {
        const bool begins = j == 0 || e->sys->node[j] != e->sys->node[j - 1];
        e->first[j] = begins ? j : e->first[j - 1];
        e->colour[j] = j - e->first[j];
        if (e->colour[j] >= e->colours) e->colours = e->colour[j] + 1;
    }
}

static tml_status create_arrays(tmli_regular_eq *e, tml_error *err)
{
    const tml_system *s = e->sys;
    const size_t n = (size_t)e->n, m = (size_t)e->m, tangent = n * (size_t)e->colours;
    const size_t entries = m ? (size_t)s->rowptr[m] : 0, nnz = (size_t)tmli_pattern_nnz(s->pattern);
    const size_t length[] = {m,   n + m,   n,       n,       m,       m,     n,
                             m,   entries, entries, entries, entries, 3 * n, nnz,
                             nnz, tangent, tangent, n,       n,       n,     tangent + 2 * n};
    double **const part[] = {&e->e,        &e->unit,   &e->inertia, &e->motion, &e->phi,  &e->phidot,
                             &e->f,        &e->gamma2, &e->rows,    &e->by_d,   &e->by_u, &e->times,
                             &e->diagonal, &e->values, &e->other,   &e->T,      &e->J,    &e->v,
                             &e->w,        &e->w2,     &e->gathered};
    size_t total = 0;
    for (size_t i = 0; i < sizeof length / sizeof *length; i++) total += length[i];
    e->block_size = total;
    e->block = tmli_calloc(&s->env, total, sizeof(double));
    if (!e->block) return tmli_no_memory(err, "integrator");
    double *at = e->block;
    for (size_t i = 0; i < sizeof length / sizeof *length; at += length[i++]) *part[i] = at;
    return TML_OK;
}

tml_status tmli_regular_init(const tml_system *sys, tml_regularization kind, const tml_linsolver_ops *solver,
                             tmli_regular_eq *e, tml_error *err)
{
    const bool trust = kind == TML_REGULARIZATION_TRUST_REGION && sys->m > 0;
    *e = (tmli_regular_eq){
        .sys = sys, .kind = kind, .index = 3, .trust = trust, .n = sys->n, .m = sys->m, .at_l = 2 * sys->n};
    e->at_z = trust ? e->at_l + e->m : -1;
    e->at_r = trust ? e->at_z + e->n : -1;
    e->size = trust ? e->at_r + e->m : e->at_l + e->m;
    e->colour = tmli_calloc(&sys->env, 3 * (size_t)e->n, sizeof(int));
    if (!e->colour) return tmli_no_memory(err, "integrator");
    e->first = e->colour + e->n;
    e->pivot = e->first + e->n;
    set_colours(e);
    tml_status st = create_arrays(e, err);
    if (st == TML_OK) st = tml_state_create(sys, &e->x, err);
    if (st == TML_OK) st = tml_state_create(sys, &e->centre, err);
    if (st == TML_OK) st = tmli_regular_layout(e, solver, err);
    if (st != TML_OK) return st;
    e->curved = !tmli_chart_is_flat(sys, e->v, e->w, e->w2);
    e->work = sys->ops->create_work(sys->self, &sys->env);
    return e->work ? TML_OK : tmli_no_memory(err, "integrator");
}

void tmli_regular_clear(tmli_regular_eq *e)
{
    const tml_system *sys = e->sys;
    if (!sys) return;
    if (e->work) sys->ops->destroy_work(e->work);
    tml_state_destroy(e->x, sys);
    tml_state_destroy(e->centre, sys);
    tmli_regular_layout_clear(e);
    tmli_free(&sys->env, e->block);
    tmli_free(&sys->env, e->colour);
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
    tml_status st = s->ops->assemble(s->self, e->work, e->x, &mass, e->other, err);
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
    tml_status st = s->ops->residual_rows(s->self, e->work, x, NULL, out + n, e->phi, e->rows, err);
    if (st == TML_OK && e->m > 0) st = s->ops->velocity(s->self, e->work, x, e->phidot, err);
    if (st == TML_OK && e->m > 0) st = s->ops->dynamics(s->self, e->work, x, e->f, e->gamma2, err);
    if (st != TML_OK) return st;
    s->ops->tangent(s->self, y, yp, out);
    for (int j = 0; j < n; j++) out[j] -= y[n + j];  // (1)
    add_feedback(e, yp + n);
    if (e->trust) return evaluate_trust_region(e, y, out, err);
    const double epsilon = e->kind == TML_REGULARIZATION_DIRECT ? e->epsilon : 0;
    for (int r = 0; r < e->m; r++) out[e->at_l + r] = e->phi[r] - epsilon * y[e->at_l + r] / e->e[r];
    return TML_OK;
}

// ---- archive ----------------------------------------------------------------------------------------------

void tmli_regular_archive(tmli_regular_eq *e, tml_archive *a)
{
    bool spare = e->spare != NULL;
    const bool had = spare;
    double *const numbers[] = {&e->gamma, &e->epsilon, &e->cj, &e->row_scale};
    tmli_archive_mark(a, "regular");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) tml_archive_doubles(a, numbers[i], 1);
    tml_state_archive(e->x, a);
    tml_state_archive(e->centre, a);
    tml_archive_doubles(a, e->block, e->block_size);
    tml_archive_indices(a, e->pivot, (size_t)e->n, 0, e->n);
    tml_archive_doubles(a, e->matrix, (size_t)tmli_pattern_nnz(e->pattern));
    tml_archive_bools(a, &spare, 1);
    if (had && !spare) tmli_regular_use_spare(e);
    tmli_linsolver_archive(e->solver, e->lin, a);
}
