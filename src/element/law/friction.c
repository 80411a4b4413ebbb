// Laws of friction at a point of contact; equations in friction.h.
#include "element/law/friction.h"

tmli_slope tmli_saturation(double s, double c)
{
    const double x = s / c;
    // near 0 tanh(x)/x = 1 - x^2/3 + 2 x^4/15, where the quotient of the slope has no digits
    if (fabs(x) < 1e-3) return (tmli_slope){(1 - x * x / 3) / c, (-2.0 / 3 + 8.0 / 15 * x * x) / (c * c * c)};
    const double t = tanh(x), h = t / x;
    return (tmli_slope){h / c, (1 - t * t - h) / (x * x) / (c * c * c)};
}

tmli_slope tmli_friction_coefficient(const tmli_tangential_law *l, double s)
{
    if (!(l->stribeck > 0)) return (tmli_slope){l->mu, 0};
    const double ratio = s / l->stribeck, fall = l->more * exp(-ratio * ratio);
    return (tmli_slope){l->mu + fall, -2 * fall / (l->stribeck * l->stribeck)};
}

tmli_slope tmli_friction_regularized(const tmli_tangential_law *l, double s)
{
    const tmli_slope m = tmli_friction_coefficient(l, s), t = tmli_saturation(s, l->creep);
    return (tmli_slope){m.h * t.h + l->viscous, m.h_s * t.h + m.h * t.h_s};
}

tmli_slope tmli_bristle_wear(const tmli_tangential_law *l, double s, bool loaded)
{
    const tmli_slope m = tmli_friction_coefficient(l, s);
    const double d = m.h + (loaded ? 0 : l->s1 * s);
    return (tmli_slope){l->s0 * s / d, s > 0 ? l->s0 * (m.h - s * s * m.h_s) / (d * d * s) : 0};
}
