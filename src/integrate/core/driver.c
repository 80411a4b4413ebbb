// The step loop; see driver.h.
#include "integrate/core/driver.h"

#include <math.h>

// The next step towards t_end: cut to land on it, and halved if what would remain were a tiny step.
static double fit(const tmli_driver *d, double t, double t_end)
{
    const double left = t_end - t;
    if (d->fixed) return d->h >= left * (1 - 1e-9) ? left : d->h;
    if (d->h >= left * (1 - 1e-9)) return left;
    return d->h > left / 1.9 && d->h < left ? left / 2 : d->h;
}

// fell: the estimated error was smaller at smaller steps, as it is where a force changes suddenly, and not
// where it is round-off.
static tml_status too_small(const tmli_driver *d, double t, double h, bool fell, tml_error *err)
{
    tml_error cause = err ? *err : (tml_error){0};
    tml_status st =
        tmli_fail(err, TML_ERR_STEP, "the step fell to %g s at t = %g s (minimum %g s).", h, t, d->h_min);
    if (cause.msg[0]) tmli_error_append(err, "Last cause: %s.", cause.msg);
    tmli_error_append(
        err, fell
                 ? "Try a looser tolerance, or look for a sudden change of force or a locked mechanism there."
                 : "It does not fall with the step: the tolerance is below what round-off allows here.");
    if (err) err->t = t;
    return st;
}

tml_status tmli_driver_step(tmli_driver *d, double t_end, tml_error *err)
{
    tml_error local, *e = err ? err : &local;
    double first = 0, last = 0;  // estimated errors of rejected trials
    for (;;) {
        const double t = d->method->state(d->self)->t;
        const double h = fit(d, t, t_end);
        double error = 0;
        e->msg[0] = 0;
        tml_status st = d->method->step(d->self, h, &error, e);
        if (st == TML_OK && error <= 1) {
            // a step cut to hit t_end says little about the next one
            const double wish = d->fixed ? d->h : d->method->next_step(d->self, h, error, true);
            d->method->accept(d->self, h == t_end - t ? t_end : t + h);
            if (h < d->h_low || d->h_low == 0) d->h_low = h;
            if (h > d->h_high) d->h_high = h;
            d->h = fmin(h < d->h ? fmax(wish, d->h) : wish, d->h_max);
            if (d->fixed) d->h = wish;
            return TML_OK;
        }
        double next;
        if (st == TML_OK) {
            d->rejected_error++;
            if (first == 0) first = error;
            last = error;
            next = d->method->next_step(d->self, h, error, false);
            tmli_fail(e, TML_RETRY, "the estimated error is %.3g times the tolerance", error);
        } else if (st == TML_RETRY || st == TML_ERR_NAN || st == TML_ERR_SINGULAR) {
            d->rejected_newton++;
            if (d->fixed) {
                tmli_error_append(e, "The step is fixed at %g s; try a smaller one, or step-size control.",
                                  d->h);
                e->status = st == TML_RETRY ? TML_ERR_STEP : st;
                e->t = t;
                return e->status;
            }
            next = h / 4;
        } else {
            e->t = t;
            return st;
        }
        if (next < d->h_min || t + next == t) {
            if (st == TML_ERR_SINGULAR || st == TML_ERR_NAN) {
                e->t = t;
                return st;
            }
            return too_small(d, t, next, st != TML_OK || last < 0.1 * first, err);
        }
        d->h = next;
    }
}
