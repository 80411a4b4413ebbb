// The step loop; see driver.h.
#include "integrate/core/driver.h"
#include "integrate/core/step_control.h"

#include <math.h>

#include "integrate/core/constants.h"

// Size of the next step towards t_end: cut so that it lands on t_end; two equal steps if a
// shorter one would remain.
static double fit_step(const tmli_driver *d, double t, double t_end)
{
    const double remaining = t_end - t;
    if (d->fixed) return d->h >= remaining * (1 - TMLI_TIME_SLACK) ? remaining : d->h;
    if (d->h >= remaining * (1 - TMLI_TIME_SLACK)) return remaining;
    return d->h > remaining / 2 ? remaining / 2 : d->h;
}

bool tmli_driver_is_near(const tmli_driver *d, double t, double t_end)
{
    const double h = fit_step(d, t, t_end);
    return h != d->h || !(h < t_end - t);
}

// error_decreased: smaller steps had smaller estimated errors. They do where a force changes suddenly; they
// do not where the estimate is round-off.
static tml_status fail_step_too_small(tmli_driver *d, double t, double h, bool error_decreased,
                                      tml_error *err)
{
    tml_error cause = err ? *err : (tml_error){0};
    d->below_minimum = true;
    tml_status st =
        tmli_fail(err, TML_ERR_STEP, "the step fell to %g s at t = %g s (minimum %g s).", h, t, d->h_min);
    if (cause.msg[0]) tmli_error_append(err, "Last cause: %s.", cause.msg);
    tmli_error_append(
        err,
        error_decreased
            ? "Try a looser tolerance; check for a sudden change of force or a locked mechanism at this time."
            : "The estimated error does not decrease with the step size: the tolerance is below what "
              "round-off allows.");
    if (err) err->t = t;
    return st;
}

// Accepted steps may become shorter, too: if their errors do not fall with them, without end, and time would
// stand still.
static bool stands_still(const tmli_driver *d, double t, double t_end)
{
    return !d->fixed && t < t_end && (!(d->h >= d->h_min) || t + d->h == t);
}

void tmli_driver_begin(tmli_driver *d, double least)
{
    d->h = fmin(fmax(d->method->first_step(d->self), least), d->h_max);
}

tml_status tmli_driver_step(tmli_driver *d, double t_end, tml_error *err)
{
    tml_error local, *e = err ? err : &local;
    double first = 0, last = 0;  // estimated errors of rejected trials
    int halved = 0;              // times, of a fixed step
    d->below_minimum = false;
    for (;;) {
        const double t = d->method->state(d->self)->t;
        e->msg[0] = 0;
        if (stands_still(d, t, t_end)) return fail_step_too_small(d, t, d->h, false, err);
        const double h = ldexp(fit_step(d, t, t_end), -halved);
        double error = 0;
        tml_status st = d->method->step(d->self, h, &error, e);
        if (st == TML_OK && error <= 1) {
            // a step cut to land on t_end must not reduce the next one
            const double wanted = d->fixed ? d->h : d->method->next_step(d->self, h, error, true);
            d->method->accept(d->self, h == t_end - t ? t_end : t + h);
            if (h < d->h_low || d->h_low == 0) d->h_low = h;
            if (h > d->h_high) d->h_high = h;
            d->cut = !d->fixed && h < d->h && wanted >= h / TMLI_SMALLEST_RATIO;
            d->h = fmin(h < d->h ? fmax(wanted, d->h) : wanted, d->h_max);
            if (d->fixed) d->h = wanted;
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
            if (d->fixed && halved++ < d->method->halvings) continue;
            if (d->fixed) {
                if (d->method->halvings > 0)
                    tmli_error_append(e, "It was tried with steps down to %g s; try a smaller step.", h);
                else
                    tmli_error_append(
                        e, "The step is fixed at %g s; try a smaller one, or step-size control.", d->h);
                e->status = st == TML_RETRY ? TML_ERR_STEP : st;
                e->t = t;
                return e->status;
            }
            next = TMLI_SMALLEST_RATIO * h;
        } else {
            e->t = t;
            return st;
        }
        if (!(next >= d->h_min) || t + next == t) {
            if (st == TML_ERR_SINGULAR || st == TML_ERR_NAN) {
                e->t = t;
                return st;
            }
            return fail_step_too_small(d, t, next, st != TML_OK || last < DECREASED_ERROR * first, err);
        }
        d->h = fmin(next, d->h_max);
    }
}

void tmli_driver_archive(tmli_driver *d, tml_archive *a)
{
    double *const numbers[] = {&d->h, &d->h_min, &d->h_max, &d->h_low, &d->h_high};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) tml_archive_doubles(a, numbers[i], 1);
    tml_archive_bools(a, &d->fixed, 1);
    if (!(d->h > 0 && d->h_min >= 0 && d->h_max > 0))
        tml_archive_fail(a, TML_ERR_IO, "the saved simulation is damaged: its step size is not positive");
    tml_archive_longs(a, &d->rejected_error, 1);
    tml_archive_longs(a, &d->rejected_newton, 1);
    if (d->method->archive) d->method->archive(d->self, a);
    else tml_archive_fail(a, TML_ERR_ARG, "the method has no function `archive`: it cannot be saved");
}

void tml_counters_archive(tml_counters *c, tml_archive *a)
{
    if (!c) return;
    long *const counts[] = {&c->steps,     &c->rejected_error, &c->rejected_newton, &c->iterations,
                            &c->residuals, &c->factorizations, &c->bases,           &c->singular};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) tml_archive_longs(a, counts[i], 1);
    tml_archive_ints(a, &c->max_iterations, 1);
    tml_archive_doubles(a, &c->singular_first, 1);
    tml_archive_doubles(a, &c->singular_last, 1);
    tml_archive_ints(a, &c->rank, 1);
    tml_archive_ints(a, &c->singular_rank, 1);
    double *const damped[] = {&c->damped_above, &c->damped_position, &c->damped_velocity, &c->damped_energy};
    for (size_t i = 0; i < sizeof damped / sizeof *damped; i++) tml_archive_doubles(a, damped[i], 1);
}
