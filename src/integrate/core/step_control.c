// The step controller; equation numbers as in step_control.h.
#include "integrate/core/step_control.h"
#include "base/layout.h"

#include <math.h>

#include "integrate/core/constants.h"

void tmli_step_start(tmli_step_control *c)
{
    c->last = 1;
    c->h_last = 0;
    c->rejected = false;
    c->limit = INFINITY;
    c->since = c->longest = 0;
    c->by_size = false;
}

double tmli_step_ratio(const tmli_step_control *c, double error, double power)
{
    return pow(c->wanted / error, 1 / power);
}

double tmli_step_bound(tmli_step_control *c, double h, double ratio, bool accepted)
{
    const bool repeated = c->rejected;
    c->rejected = !accepted;
    const double safety = c->one_step && !repeated ? 1 : TMLI_REJECTED_RATIO;
    if (!accepted) return h * fmax(TMLI_SMALLEST_RATIO, safety * fmin(1, ratio));  // (3)
    if (repeated && c->one_step) ratio = fmin(1, ratio);                           // (4)
    c->since += h;
    const double near = sqrt(TMLI_SMALLEST_RATIO) * c->since,
                 limit = c->by_size ? c->limit : fmax(c->limit, near);  // (5), (6)
    c->longest = fmax(c->longest, h);
    c->limit *= LIMIT_RELEASE;
    if (c->keeps && ratio > TMLI_KEEP_ABOVE && ratio < TMLI_KEEP_BELOW) return h;
    return fmin(h * fmin(c->growth, fmax(TMLI_SMALLEST_RATIO, ratio)), limit);
}

// The ratio of the next step by (2) and (7), from (1).
static double damped_ratio(tmli_step_control *c, double h, double ratio, double power)
{
    const double root = c->h_last > 0 ? c->last * c->h_last / (ratio * h) : 1;  // g^(1/p)
    double damped = pow(ratio, 0.7) * pow(c->last, -0.4);                       // (2)
    if (c->anticipates && pow(root, power) > ANTICIPATED_GROWTH)
        damped = fmin(damped, ratio * pow(root, -ANTICIPATION));
    c->last = fmin(c->growth, ratio);
    c->h_last = h;
    return damped;
}

double tmli_step_next(tmli_step_control *c, double h, double error, double power, bool accepted)
{
    double ratio = tmli_step_ratio(c, error, power);
    if (accepted && c->damped) ratio = damped_ratio(c, h, ratio, power);
    return tmli_step_bound(c, h, ratio, accepted);
}

void tmli_step_failed(tmli_step_control *c, double h)
{
    // Trials near the place of the last failure tell no more. Kept steps fall behind the limit that they met.
    const bool at_limit = c->by_size && h * TMLI_KEEP_BELOW >= c->limit;
    if (c->since > c->limit) c->by_size = at_limit || h > fmax(c->limit, c->longest);
    c->since = c->longest = 0;
    c->limit = sqrt(TMLI_SMALLEST_RATIO) * h;
}

static const tmli_span FIELDS[] = {TMLI_NUMBERS(tmli_step_control, rejected, by_size),
                                   TMLI_NUMBERS(tmli_step_control, wanted, longest),
                                   {0}};

void tmli_step_archive(tmli_step_control *c, tml_archive *a) { tmli_spans_archive(FIELDS, NULL, c, a); }

void tmli_step_name_start(double time, tml_error *err)
{
    if (time > 0)
        tmli_error_append(err,
                          "It is the first step, and accelerations at the start change within %.2g s: stiff "
                          "springs or dampers, or a driver that begins with a jump.",
                          time);
}
