// Time scale and energy of the motion; equation numbers as in vibrations.h.
#include "integrate/core/vibrations.h"
#include "base/parts.h"
#include "system/state/fields.h"
#include "system/state/first_order.h"
#include "system/state/units.h"

#include <math.h>
#include <string.h>

#include "integrate/core/constants.h"

static const tmli_fields FIELDS = {
    "vibrations", offsetof(tmli_vibrations, memory),
    (const tmli_span[]){TMLI_NUMBERS(tmli_vibrations, t_start, lost),
                        TMLI_KEPT(tmli_vibrations, u_start, spent, TMLI_BY_N, 1),
                        TMLI_SCRATCH(tmli_vibrations, loss, change, TMLI_BY_N, 1),
                        TMLI_SCRATCH(tmli_vibrations, part, part, TMLI_BY_N, 1),
                        {0}}};

// part (n) := numbers of parts: those of the system, or coordinates that entries of the pattern join. At
// first they have the name of their lowest coordinate, then negative numbers, which are no names.
static void find_parts(tmli_vibrations *v)
{
    const tml_pattern *p = v->sys->pattern;
    const int n = v->sys->n;
    for (int j = 0; j < n; j++) v->part[j] = v->sys->part ? v->sys->part[j] : j;
    for (int j = 0; j < n && !v->sys->part; j++)
        for (int i = p->colptr[j]; i < p->colptr[j + 1] && p->rowind[i] < n; i++)
            tmli_parts_join(v->part, j, p->rowind[i]);
    for (int j = 0; j < n; j++) v->part[j] = tmli_part_of(v->part, j);
    for (int j = 0; j < n; j++) v->part[j] = v->part[j] == j ? -(++v->parts) : v->part[v->part[j]];
    for (int j = 0; j < n; j++) v->part[j] = -v->part[j] - 1;
}

tml_status tmli_vibrations_create(const tml_system *sys, const tml_integrator_options *opt,
                                  tmli_vibrations *v, tml_error *err)
{
    *v = (tmli_vibrations){
        .sys = sys, .duration = opt->duration, .tol = fmax(opt->run.atol, opt->run.rtol), .t_start = NAN};
    const tml_status st = tmli_object_create(&FIELDS, sys, v, err);
    if (st == TML_OK) find_parts(v);
    return st;
}

void tmli_vibrations_clear(tmli_vibrations *v)
{
    if (v->sys) tmli_object_clear(&FIELDS, v->sys, v);
    *v = (tmli_vibrations){0};
}

// still (parts) := S_b of (6), with M at x.
static void find_still(tmli_vibrations *v, void *work, const tml_state *x)
{
    const tml_system *sys = v->sys;
    double *m = v->change, *unused[2] = {v->loss, v->still};
    const bool known = sys->ops->diagonals(sys->self, work, x, m, unused[0], unused[1], NULL) == TML_OK;
    memset(v->still, 0, (size_t)sys->n * sizeof(double));
    for (int j = 0; j < tmli_mechanical(sys) && known; j++) {
        const double unit = tmli_coordinate_unit(sys, j), speed = unit / v->duration;
        double *most = &v->still[v->part[j]];
        *most = fmax(*most, STILL_SHARE * m[j] * speed * speed / 2);
    }
    v->still_all = 0;
    for (int b = 0; b < v->parts; b++) v->still_all += v->still[b];
}

void tmli_vibrations_start(tmli_vibrations *v, void *work, const tml_state *x)
{
    if (isnan(v->t_start)) {
        v->t_start = x->t;
        memcpy(v->u_start, x->u, (size_t)v->sys->n * sizeof(double));
        find_still(v, work, x);
    }
    v->t_last = v->t_begin = x->t;
}

void tmli_vibrations_set_change(tmli_vibrations *v, const tml_state *x)
{
    for (int j = 0; j < v->sys->n; j++)
        v->change[j] = x->u[j] - (v->sys->kind[j] == TML_COORDINATE_TRANSLATION ? v->u_start[j] : 0);
}

// square (parts) := a_b'c_b of every part. Returns their sum.
static double squares(const tmli_vibrations *v, const double *a, const double *c, double *square)
{
    double sum = 0;
    memset(square, 0, (size_t)v->parts * sizeof(double));
    for (int j = 0; j < tmli_mechanical(v->sys); j++) square[v->part[j]] += a[j] * c[j];
    for (int b = 0; b < v->parts; b++) sum += square[b] = fmax(0, square[b]);
    return sum;
}

void tmli_vibrations_track(tmli_vibrations *v, double t, const double *Mw, double aMa, bool lost)
{
    const double h = t - v->t_last;
    for (int b = 0; b < v->parts && lost; b++) {
        v->spent[b] += v->loss[b];
        v->lost += v->loss[b];
    }
    v->speed += h * (squares(v, v->change, Mw, v->loss) + 2 * STILL_SHARE * v->still_all);
    for (int b = 0; b < v->parts; b++) v->energy[b] = fmax(v->energy[b], v->loss[b] / 2);
    v->acceleration += h * aMa;
    v->t_last = t;
}

double tmli_vibrations_time_scale(const tmli_vibrations *v, double rate)
{
    const double tau = sqrt(v->speed / v->acceleration);  // NAN: no motion yet, which fmin ignores
    return TIME_SCALE_SHARE * fmin(fmin(tau, 1 / rate), v->t_last - v->t_begin);
}

double tmli_vibrations_judge(tmli_vibrations *v, double h, double lost, const double *a, const double *Ma)
{
    const double T = v->duration, sum = squares(v, a, Ma, v->loss),
                 now = 0.5 + (v->t_last - v->t_start) / (2 * T);
    double mean = 0;
    for (int b = 0; b < v->parts; b++) {
        if (!(v->loss[b] > 0)) continue;
        const double whole = v->tol * fmax(v->still[b], v->energy[b]),
                     allowed = fmax(whole * h / (2 * T), LOSS_OF_REST * (whole * now - v->spent[b]));
        const double share = v->loss[b] / sum;
        v->loss[b] = share * lost;
        mean += share * v->loss[b] / allowed;
    }
    return mean;
}

void tmli_vibrations_archive(tmli_vibrations *v, tml_archive *a)
{
    tmli_object_archive(&FIELDS, v->sys, v, a);
}
