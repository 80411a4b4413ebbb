// Normal forces of contacts; equations in normal.h.
#include "element/law/normal.h"
#include "base/modes.h"

#include <math.h>

#include "element/law/constants.h"

// Modes: open, pressed since an impact at the speed v0: PRESSED + v0, relaxing: RELAXING - v0 or - energy.
enum { PRESSED = 1, OPEN = -1, RELAXING = -2 };

static bool is_relaxing(double mode) { return mode <= RELAXING; }
static double kept_number(double mode)
{
    return !tmli_mode_fixes_branch(mode) || mode == OPEN ? 0
           : mode >= PRESSED                             ? mode - PRESSED
                                                         : RELAXING - mode;
}

// The root of a function that falls with x
static double solve_falling(double (*f)(double x, double e), double e, double low, double high)
{
    for (int i = 0; i < 200 && high - low > 1e-16 * high; i++) {
        const double x = (low + high) / 2;
        if (f(x, e) > 0) low = x;
        else high = x;
    }
    return (low + high) / 2;
}

// (2)
static double restitution_excess(double zeta, double e)
{
    double ratio = 1;  // a/tan(a), 1 at a = 0
    if (zeta < 1) ratio = acos(zeta) * zeta / sqrt(1 - zeta * zeta);
    if (zeta > 1) ratio = acosh(zeta) * zeta / sqrt(zeta * zeta - 1);
    return -2 * ratio - log(e);
}

double tmli_restitution_damping(double e)
{
    double high = 1;
    if (e >= 1) return 0;
    while (restitution_excess(high, e) > 0) high *= 2;
    return solve_falling(restitution_excess, e, 0, high);
}

// (3) with x = e D < 1: both sides are x/e - ln(1 + x/e) and -x - ln(1 - x)
static double crossley_excess(double x, double e) { return x / e - log1p(x / e) + x + log1p(-x); }

double tmli_restitution_crossley(double e)
{
    if (e >= 1) return 0;
    if (e > NEARLY_ELASTIC) return 1.5 * (1 - e * e) / (1 + e * e * e);  // first terms of the series in D
    // near x = 0 the excess is (x/e)^2/2 - x^2/2 > 0; it falls to -infinity at x = 1
    return solve_falling(crossley_excess, e, 0, 1) / e;
}

// chi of hunt-crossley, c of the others
static double damping_of(const tmli_normal_law *l, double mode)
{
    return l->D > 0 ? l->D / fmax(kept_number(mode), l->speed) : l->c;
}

// N of (1), also where it pulls; the power laws end at d = 0
static tmli_normal_force raw_force(const tmli_normal_law *l, double mode, double d, double v)
{
    const double damping = damping_of(l, mode);
    tmli_normal_force f = {.touches = true};
    if (l->law == TML_CONTACT_LINEAR) {
        f.spring = l->k * d;
        f.energy = f.spring * d / 2;
        f.N = f.spring + damping * v;
        f.N_d = l->k;
        f.N_v = damping;
    } else if (d > 0) {
        f.spring = l->k * pow(d, l->n);
        f.energy = f.spring * d / (l->n + 1);
        const double rate = l->law == TML_CONTACT_HERTZ ? damping * pow(d, l->p) : damping * f.spring;
        f.N = f.spring + rate * v;
        f.N_d = (l->n * f.spring + l->p * rate * v) / fmax(d, LEAST_DEPTH);
        f.N_v = rate;
    }
    return f;
}

// The sign of N as a smooth function [m]: for hertz N/(k d^(1/4)), for hunt-crossley N/(k d^n).
static double push_of(const tmli_normal_law *l, double mode, double d, double v)
{
    const double damping = damping_of(l, mode);
    if (l->law == TML_CONTACT_HUNT_CROSSLEY) return l->unit * (1 + damping * v);
    if (damping == 0) return d;
    const double spring = l->law == TML_CONTACT_LINEAR ? d : copysign(pow(fabs(d), l->n - l->p), d);
    return spring + damping / l->k * v;
}

tmli_normal_force tmli_normal_eval(const tmli_normal_law *l, double mode, double d, double v)
{
    const tmli_normal_force none = {0};
    const bool fixed = tmli_mode_fixes_branch(mode);
    const bool crossley = l->law == TML_CONTACT_HUNT_CROSSLEY;
    if (fixed && is_relaxing(mode)) return (tmli_normal_force){.energy = crossley ? 0 : kept_number(mode)};
    if (fixed ? mode == OPEN : d <= l->begin) return none;
    tmli_normal_force f = raw_force(l, mode, d, v);
    if (!fixed && f.N < 0) f.N = f.N_d = f.N_v = 0;
    return f;
}

double tmli_normal_spring(const tmli_normal_law *l, double d)
{
    return l->law == TML_CONTACT_LINEAR ? l->k * d * d / 2 : l->k * pow(d, l->n + 1) / (l->n + 1);
}

tmli_normal_law tmli_normal_of_mode(const tmli_normal_law *l, double mode)
{
    tmli_normal_law own = *l;
    own.c = damping_of(l, mode);
    own.D = 0;
    // a pair that has just closed may be apart by the round-off of its place: dampers act at once
    if (tmli_mode_fixes_branch(mode)) own.begin = mode == OPEN ? INFINITY : -LEAST_DEPTH;
    return own;
}

double tmli_normal_pair_event(double mode, double d)
{
    return !tmli_mode_fixes_branch(mode) ? INFINITY : mode == OPEN ? -d : d;
}

double tmli_normal_pair_mode(double mode, double d, double v)
{
    if (d < 0 || (d == 0 && v <= 0)) return OPEN;
    const bool began = tmli_mode_fixes_branch(mode) && mode != OPEN;
    return began ? mode : PRESSED + fmax(v, 0);
}

bool tmli_normal_is_open(double mode) { return mode == OPEN; }

double tmli_normal_event(const tmli_normal_law *l, double mode, double d, double v)
{
    if (!tmli_mode_fixes_branch(mode)) return INFINITY;
    if (mode == OPEN) return -d;
    const double push = push_of(l, mode, d, v);
    if (is_relaxing(mode)) return fmin(d, -push);
    // a damped contact of the first two laws relaxes before its depth is 0
    return l->law == TML_CONTACT_HUNT_CROSSLEY || damping_of(l, mode) == 0 ? fmin(d, push) : push;
}

double tmli_normal_mode(const tmli_normal_law *l, double mode, double d, double v)
{
    if (d < 0 || (d == 0 && v <= 0)) return OPEN;
    const bool began = tmli_mode_fixes_branch(mode) && mode != OPEN,
               crossley = l->law == TML_CONTACT_HUNT_CROSSLEY;
    const double speed = !began ? fmax(v, 0) : crossley ? kept_number(mode) : 0;
    if (push_of(l, PRESSED + speed, d, v) >= 0) return PRESSED + speed;
    return RELAXING - (crossley ? speed : raw_force(l, mode, d, v).energy);
}

bool tmli_normal_is_at_end(const tmli_normal_law *l, double mode, double d, double v)
{
    return d == 0 || (d > 0 && push_of(l, mode, d, v) == 0);
}
