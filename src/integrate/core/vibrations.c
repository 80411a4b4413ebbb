// Time scale and energy of the motion; equation numbers as in vibrations.h.
#include "integrate/core/vibrations.h"
#include "base/layout.h"

#include <math.h>

#include "integrate/core/constants.h"

void tmli_vibrations_start(tmli_vibrations *v, double t)
{
    if (isnan(v->t_start)) v->t_start = t;
    v->t_last = v->t_begin = t;
}

void tmli_vibrations_track(tmli_vibrations *v, double t, double uMu, double aMa, double loss)
{
    const double h = t - v->t_last;
    v->t_last = t;
    v->energy = fmax(v->energy, uMu / 2);
    v->speed += h * uMu;
    v->acceleration += h * aMa;
    v->spent += loss;
}

double tmli_vibrations_time_scale(const tmli_vibrations *v, double rate)
{
    const double tau = sqrt(v->speed / v->acceleration);  // NAN: no motion yet, which fmin ignores
    return TIME_SCALE_SHARE * fmin(fmin(tau, 1 / rate), v->t_last - v->t_begin);
}

double tmli_vibrations_allowed_loss(const tmli_vibrations *v, double h)
{
    const double whole = v->tol * v->energy, T = v->duration;
    const double rest = whole * (0.5 + (v->t_last - v->t_start) / (2 * T)) - v->spent;
    return fmax(whole * h / (2 * T), LOSS_OF_REST * rest);
}

static const tmli_span FIELDS[] = {TMLI_NUMBERS(tmli_vibrations, t_start, spent), {0}};

void tmli_vibrations_archive(tmli_vibrations *v, tml_archive *a) { tmli_spans_archive(FIELDS, NULL, v, a); }
