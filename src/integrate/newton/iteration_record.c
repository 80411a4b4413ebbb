// Corrections by field and condition numbers; see iteration_record.h.
#include "integrate/newton/iteration_record.h"
#include "base/layout.h"
#include "linalg/pattern/condest.h"

#include <math.h>

tml_status tmli_record_create(const tml_pattern *pattern, const tml_env *env, tmli_record **out,
                              tml_error *err)
{
    *out = NULL;
    tmli_record *r = tmli_calloc(env, 1, sizeof *r);
    if (!r) return tmli_no_memory(err, "report");
    r->env = *env;
    r->work = tmli_calloc(env, 3 * (size_t)pattern->n, sizeof(double));
    tml_status st = r->work ? TML_OK : tmli_no_memory(err, "report");
    if (st == TML_OK && pattern->n <= TMLI_SVD_MAX) st = tmli_svd_create(pattern, env, &r->svd, err);
    if (st != TML_OK) {
        tmli_record_destroy(r);
        return st;
    }
    r->kept.unknowns = pattern->n;
    tmli_record_begin(r);
    *out = r;
    return TML_OK;
}

void tmli_record_destroy(tmli_record *r)
{
    if (!r) return;
    const tml_env env = r->env;
    if (r->svd.memory) tmli_svd_clear(&r->svd);
    tmli_free(&env, r->work);
    tmli_free(&env, r);
}

void tmli_record_begin(tmli_record *r)
{
    r->traced = 0;
    r->kept.correction = INFINITY;
    for (int i = 0; i < 3; i++) r->kept.scaled[i] = r->kept.physical[i] = NAN;
}

void tmli_record_open(tmli_record *r)
{
    r->norm = 0;
    for (int i = 0; i < 3; i++) r->scaled[i] = r->physical[i] = 0;
}

void tmli_record_add(tmli_record *r, int field, double scaled, double physical)
{
    if (isnan(scaled)) r->scaled[field] = NAN;
    else r->scaled[field] = fmax(r->scaled[field], fabs(scaled));
    if (!isnan(scaled)) r->norm = hypot(r->norm, scaled);
    r->physical[field] = fmax(r->physical[field], fabs(physical));
}

bool tmli_record_close(tmli_record *r)
{
    if (r->traced < TMLI_TRACE) r->trace[r->traced++] = r->norm;
    if (!(r->norm < r->kept.correction)) return false;
    r->kept.correction = r->norm;
    for (int i = 0; i < 3; i++) {
        r->kept.scaled[i] = r->scaled[i];
        r->kept.physical[i] = r->physical[i];
    }
    return true;
}

static double norm_inf(const tml_pattern *p, const double *values, double *sums)
{
    double norm = 0;
    for (int32_t i = 0; i < p->n; i++) sums[i] = 0;
    for (int32_t k = 0; k < p->colptr[p->n]; k++) sums[p->rowind[k]] += fabs(values[k]);
    for (int32_t i = 0; i < p->n; i++) norm = fmax(norm, sums[i]);
    return norm;
}

static double reciprocal(double rcond) { return rcond > 0 ? 1 / rcond : (double)INFINITY; }

void tmli_record_conditions(tmli_record *r, const tml_pattern *pattern, const double *values,
                            const tml_linsolver_ops *solver, void *lin)
{
    tml_conditioning *c = &r->kept;
    c->condition_1 = c->condition_inf = c->condition_2 = c->growth = NAN;
    if (r->svd.memory) {
        double exact[3];
        tmli_svd_conditions(&r->svd, pattern, values, exact);
        c->condition_1 = exact[0];
        c->condition_2 = exact[1];
        c->condition_inf = exact[2];
    } else if (solver->rcond) {
        c->condition_1 = reciprocal(solver->rcond(lin));
    }
    if (!r->svd.memory && solver->solve_transposed) {
        const double norm = norm_inf(pattern, values, r->work);
        // |inv(A)|_inf = |inv(A')|_1
        c->condition_inf =
            reciprocal(tmli_condest(pattern->n, norm, solver->solve_transposed, solver->solve, lin, r->work));
    }
    if (solver->info) {
        tml_linsolver_info info;
        solver->info(lin, &info);
        if (info.growth > 0) c->growth = info.growth;
    }
}

void tmli_record_report(const tmli_record *r, const double *scale, double unit, int m, int unknowns,
                        int iterations, tml_conditioning *out)
{
    const double no = NAN;
    double least = INFINITY, most = 0;
    *out = r ? r->kept
             : (tml_conditioning){.condition_1 = no,
                                  .condition_inf = no,
                                  .condition_2 = no,
                                  .growth = no,
                                  .correction = no,
                                  .scaled = {no, no, no},
                                  .physical = {no, no, no}};
    for (int i = 0; i < m; i++) {
        least = fmin(least, unit * scale[i]);
        most = fmax(most, unit * scale[i]);
    }
    out->scale_min = m > 0 ? least : no;
    out->scale_max = m > 0 ? most : no;
    out->unknowns = unknowns;
    out->iterations = iterations;
}

static const tmli_sizes NONE;
static const tmli_span FIELDS[] = {TMLI_INDICES(tmli_record, traced, traced, 0, TMLI_BY_ONE, TMLI_TRACE),
                                   TMLI_NUMBERS(tmli_record, norm, physical),
                                   TMLI_NUMBERS(tmli_record, kept.scale_min, kept.growth),
                                   TMLI_NUMBERS(tmli_record, kept.iterations, kept.iterations),
                                   TMLI_NUMBERS(tmli_record, kept.correction, kept.physical),
                                   {0}};

void tmli_record_archive(tmli_record *r, tml_archive *a)
{
    if (r) tmli_spans_archive(FIELDS, &NONE, r, a);
}
