// Report on the last matrix and iteration of the stage equations; see integrate/newton/iteration_record.h.
//
// The unknowns of the factored matrices are combinations of the stages, with real and imaginary parts
// separate; with all stages in one matrix they are those of the stages. In units of the model the largest
// over the stages is recorded.
#include "integrate/radau/stages.h"

#include <math.h>

double tmli_stages_condition(tmli_stages *s)
{
    double worst = 0;
    const bool coupled = s->coupled.on && s->coupled.known;
    if ((s->factor_h == 0 && !coupled) || !s->solver->rcond) return 0;
    for (int i = 0; i < (coupled ? 1 : s->table->eigenvalues); i++) {
        const double rcond = s->solver->rcond(coupled ? s->coupled.lin : s->matrix[i].lin);
        worst = fmax(worst, rcond > 0 ? 1 / rcond : INFINITY);
    }
    return worst;
}

// Add the unknowns of a matrix: `times` per unknown of the system, `parts` of them for each field.
static void add_scaled(const tmli_stages *s, tmli_record *to, const double *x, int times, int parts,
                       bool measured)
{
    const int n = s->sys->n;
    for (int i = 0; i < n + s->sys->m; i++)
        for (int c = 0; c < times; c++) {
            const int field = i >= n ? 2 : c / parts % s->fields;
            tmli_record_add(to, field, x[i * times + c] / (measured ? s->measure[i] : 1), 0);
        }
}

bool tmli_stages_record(tmli_stages *s, double h)
{
    const tml_system *sys = s->sys;
    const tmli_radau_table *t = s->table;
    tmli_record *to = s->record[s->coupled.on];
    tmli_record_open(to);
    if (s->coupled.on) add_scaled(s, to, s->coupled.rhs, t->stages * s->fields, 1, false);
    for (int e = 0; e < t->eigenvalues && !s->coupled.on; e++)
        add_scaled(s, to, s->matrix[e].rhs, s->matrix[e].times, t->eigen[e].pair ? 2 : 1, true);
    for (int i = 0; i < t->stages; i++) {
        for (int j = 0; j < sys->n; j++) {
            double du = s->fields == 2 ? s->motion[1][i][j] : 0;
            for (int l = 0; l < t->stages && s->fields == 1; l++)
                du += t->inverse[i][l] * s->motion[0][l][j] / h;
            tmli_record_add(to, 0, 0, s->motion[0][i][j]);
            tmli_record_add(to, 1, s->fields == 2 ? 0 : NAN, du);
        }
        for (int r = 0; r < sys->m; r++) tmli_record_add(to, 2, 0, s->phi[s->fields - 1][i][r]);
    }
    return tmli_record_close(to);
}

void tmli_stages_conditioning(tmli_stages *s, tml_conditioning *out)
{
    const bool coupled = s->coupled.on && s->coupled.known;
    tmli_record *from = s->record[coupled];
    const tmli_stage_matrix *a = coupled ? &s->coupled.factor : &s->matrix[s->table->eigenvalues - 1];
    const tml_pattern *pattern = coupled ? s->coupled.wide : a->wide ? a->wide : s->sys->pattern;
    if (from && coupled) tmli_record_conditions(from, pattern, s->coupled.values, s->solver, s->coupled.lin);
    else if (from && s->factor_h > 0) tmli_record_conditions(from, pattern, a->values, s->solver, a->lin);
    tmli_record_report(from, s->e, cabs(a->reaction[s->fields - 1]), s->sys->m, pattern->n,
                       s->newton.iterations, out);
}
