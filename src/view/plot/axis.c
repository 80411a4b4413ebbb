// Axes: limits, ticks and their labels.
//
// Linear: ticks at multiples of 1, 2 or 5 times a power of ten, with four or one minor ticks between them;
// limits from the data are moved outwards to ticks. Logarithmic: one tick per decade, labelled 10^n (every
// k-th decade if there are many), with minor ticks at 2 .. 9; if fewer than two decades are visible, some
// minor ticks have labels too. Limits from the data keep some distance from the data. Labels do not depend on
// the locale.
#include "view/plot/plot.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MINUS "\xE2\x88\x92"  // U+2212
#define TIMES "\xC3\x97"      // U+00D7

bool tmli_axis_drawable(tml_axis_kind kind, double value)
{
    return isfinite(value) && (kind == TML_AXIS_LINEAR || value > 0);
}

double tmli_axis_place(const tmli_axis *a, double value)
{
    const double part = a->kind == TML_AXIS_LOG
                            ? (log10(value) - log10(a->min)) / (log10(a->max) - log10(a->min))
                            : (value - a->min) / (a->max - a->min);
    return a->from + part * (a->to - a->from);
}

static void add_tick(tmli_axis *a, double value, bool major, const char *label)
{
    if (a->count >= TMLI_TICKS) return;
    tmli_tick *t = &a->tick[a->count++];
    t->value = value;
    t->major = major;
    snprintf(t->label, sizeof t->label, "%s", label);
}

// ---- linear -----------------------------------------------------------------------------------------------

// k * m * 10^e with `decimals` digits behind the point; all numbers are small integers.
static void linear_label(char *buf, size_t size, long long k, int m, int e)
{
    long long digits = (k < 0 ? -k : k) * m, unit = 1;
    for (; e > 0; e--) digits *= 10;
    const int decimals = -e;
    for (int i = 0; i < decimals; i++) unit *= 10;
    const char *sign = k < 0 ? MINUS : "";
    char fraction[32];  // all 18 digits that a long long can have; the last `decimals` of them count
    snprintf(fraction, sizeof fraction, "%018lld", digits % unit);
    if (digits == 0) snprintf(buf, size, "0");
    else if (decimals == 0) snprintf(buf, size, "%s%lld", sign, digits);
    else snprintf(buf, size, "%s%lld.%s", sign, digits / unit, fraction + strlen(fraction) - decimals);
}

// The smallest step m 10^e, m = 1, 2, 5, that is at least `least`.
static double nice_step(double least, int *m, int *e)
{
    static const int steps[] = {1, 2, 5, 10};
    *e = (int)floor(log10(least));
    const double unit = pow(10, *e);
    int i = 0;
    while (i < 3 && steps[i] * unit < least * (1 - 1e-9)) i++;
    *m = steps[i];
    if (*m == 10) *m = 1, ++*e;
    return *m * pow(10, *e);
}

static void linear_ticks(tmli_axis *a, int m, int e, double step)
{
    const double largest = fmax(fabs(a->min), fabs(a->max));
    const int order = (int)floor(log10(largest) + 1e-9);
    a->exponent = order >= 5 || order < -2 ? order : 0;
    const int parts = m == 2 ? 4 : 5;
    const double first = ceil(a->min / step * parts - 1e-6), last = floor(a->max / step * parts + 1e-6);
    for (double k = first; k <= last && a->count < TMLI_TICKS; k++) {
        const long long n = (long long)k;
        const bool major = n % parts == 0;
        char label[48] = "";
        // beyond 15 digits adjacent ticks cannot be distinguished
        if (major && e - a->exponent >= -15) linear_label(label, sizeof label, n / parts, m, e - a->exponent);
        add_tick(a, k / parts * step, major, label);
    }
}

static void linear_init(tmli_axis *a, const tml_axis_def *def, double lo, double hi, double length,
                        double spacing)
{
    a->min = isnan(def->min) ? lo : def->min;
    a->max = isnan(def->max) ? hi : def->max;
    if (!(a->max > a->min)) {  // one value, or a limit beyond all data: extend the range
        const double room = fmax(fabs(a->min), fabs(a->max)) > 0 ? 0.5 * fmax(fabs(a->min), fabs(a->max)) : 1;
        if (isnan(def->min)) a->min = fmin(a->min, a->max) - room;
        if (isnan(def->max)) a->max = a->min + 2 * room;
    }
    const double labels = fmax(2, floor(length / spacing));
    // limits so far apart, or so close, that their difference has no meaning; steps that are no normal number
    const double close = fmax(1e-13 * fmax(fabs(a->min), fabs(a->max)), 16 * DBL_MIN);
    const double least = fmax(a->max / labels - a->min / labels, close);
    int m, e;
    const double step = nice_step(least, &m, &e);
    const double below = floor(a->min / step + 1e-6) * step, above = ceil(a->max / step - 1e-6) * step;
    if (isnan(def->min) && isfinite(below)) a->min = below;
    if (isnan(def->max) && isfinite(above)) a->max = above;
    if (!(a->max > a->min)) a->max = a->min + step;  // values that are no normal numbers
    if (isfinite(step)) linear_ticks(a, m, e, step);
}

// ---- logarithmic ------------------------------------------------------------------------------------------

static void decade_label(char *buf, size_t size, int digit, int n)
{
    char power[24];
    snprintf(power, sizeof power, "10^{%s%d}", n < 0 ? MINUS : "", n < 0 ? -n : n);
    if (digit == 1) snprintf(buf, size, "%s", power);
    else snprintf(buf, size, "%d" TIMES "%s", digit, power);
}

static int decades_inside(const tmli_axis *a)
{
    return (int)(floor(log10(a->max) + 1e-9) - ceil(log10(a->min) - 1e-9)) + 1;
}

static void log_ticks(tmli_axis *a, double length, double spacing)
{
    const double per_decade = length / (log10(a->max) - log10(a->min));  // [px]
    const int inside = decades_inside(a), lowest = (int)ceil(log10(a->min) - 1e-9);
    int every = 1, phase = 0;
    while (every * per_decade < spacing && every < 1000) every++;
    // at least two labels: start at the first decade, with a smaller distance, if multiples of `every` give
    // one
    if (inside >= 2 && inside < 2 * every) {
        every = every < inside ? every : inside - 1;
        phase = lowest;
    }
    const int first = (int)floor(log10(a->min) - 1e-9), last = (int)ceil(log10(a->max) + 1e-9);
    const bool minor = per_decade > 22, few = inside < 2;
    const double slack = 1e-9;
    for (int n = first; n <= last; n++)
        for (int digit = 1; digit <= 9; digit++) {
            const double value = digit * pow(10, n);
            if (digit > 1 && !minor) break;
            if (value < a->min * (1 - slack) || value > a->max * (1 + slack)) continue;
            const bool named = digit == 1 ? (n - phase) % every == 0
                                          : few && (per_decade > 9 * spacing || digit == 2 || digit == 5);
            char label[48] = "";
            if (named) decade_label(label, sizeof label, digit, n);
            add_tick(a, value, digit == 1 && (n - phase) % every == 0, label);
        }
}

static void log_init(tmli_axis *a, const tml_axis_def *def, double lo, double hi, double length,
                     double spacing)
{
    // in decades; subnormal numbers have no power of ten of their own
    const double low = log10(fmax(lo, 1e-300)), high = log10(fmin(fmax(hi, 1e-300), 1e300));
    const double margin = 0.04 * (high - low) + 0.06;
    a->min = isnan(def->min) ? pow(10, low - margin) : def->min;
    a->max = isnan(def->max) ? pow(10, high + margin) : def->max;
    if (!(a->max > a->min)) {
        if (isnan(def->min)) a->min = a->max / 10;
        else a->max = a->min * 10;
    }
    if (decades_inside(a) < 2) {  // whole decades at least at the free ends
        if (isnan(def->min)) a->min = pow(10, floor(log10(a->min) + 1e-9));
        if (isnan(def->max)) a->max = pow(10, ceil(log10(a->max) - 1e-9));
    }
    log_ticks(a, length, spacing);
}

void tmli_axis_init(tmli_axis *a, const tml_axis_def *def, double lo, double hi, double length,
                    double spacing)
{
    memset(a, 0, sizeof *a);
    a->kind = def->kind;
    if (!(lo <= hi)) {
        lo = def->kind == TML_AXIS_LOG ? 1 : 0;
        hi = def->kind == TML_AXIS_LOG ? 10 : 1;
    }
    if (def->kind == TML_AXIS_LOG) log_init(a, def, lo, hi, length, spacing);
    else linear_init(a, def, lo, hi, length, spacing);
}
