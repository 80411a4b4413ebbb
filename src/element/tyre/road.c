// Road profiles for a wheel of radius R; x = s - position.
//
//   bump (half cylinder of radius b):  z = sqrt((b + R)^2 - x^2) - R,        |x| < sqrt(b^2 + 2 b R)      (1)
//        the centre of the disc moves on a circle of radius b + R; slope at the ends -+ sqrt(b^2 + 2 b R)/R
//   edge upwards, 0 < H < R:           z = H - R + sqrt(R^2 - x^2),          -sqrt(2 R H - H^2) < x < 0   (2)
//   edge downwards, H < 0:             z = sqrt(R^2 - x^2) - R,              0 < x < sqrt(2 R |H| - H^2)  (3)
//        the disc rotates about the edge; (2) begins with a kink, (3) ends with one
//   ramp of length L:                  z = H y^2 (3 - 2 y), y = x/L,         0 < y < 1                    (4)
//   sine:                              z = A sin(2 pi x/l)                                                (5)
//   table:                             the curve of the table (math/curve.c)                              (6)
//   random:                            z = f(x) sum a_i sin(k_i x + phase_i)                              (7)
//        Spectral density of the height over n, waves per metre, by ISO 8608: G(n) = G0 (n/n0)^-2, n0 =
//        0.1/m. The range of n is divided in equal ratios; wave i stands for n1 .. n2 with n = sqrt(n1 n2)
//        and a^2/2 = integral G = G0 n0^2 (1/n1 - 1/n2), so that heights and slopes have the variance of G.
//        f is 1, or (4) with H = 1.
#include "element/tyre/road.h"

#include <math.h>
#include <stdint.h>

static const double TWO_PI = 6.28318530717958647692;

static void set_arc(tmli_profile *p, double middle, double radius, double level, double low, double high)
{
    p->middle = middle;
    p->radius = radius;
    p->level = level;
    p->nbreaks = 2;
    p->at[0] = low;
    p->at[1] = high;
}

static bool set_step(const tml_road_def *road, double R, tmli_profile *p)
{
    const double H = road->height, x = road->position;
    p->height = p->after = H;
    if (road->length > 0) {
        p->ramp = true;
        p->middle = x;
        p->scale = 1 / road->length;
        p->nbreaks = 2;
        p->at[0] = x;
        p->at[1] = x + road->length;
        return true;
    }
    if (fabs(H) >= R) return false;
    const double reach = sqrt(fabs(H) * (2 * R - fabs(H)));
    if (H > 0) set_arc(p, x, R, H - R, x - reach, x);  // (2)
    else set_arc(p, x, R, -R, x, x + reach);           // (3)
    return true;
}

// The mixing function of the generator SplitMix64 (Steele, Lea, Flood 2014): 0 <= value < 1
static double next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static void set_waves(const tml_road_def *road, tmli_profile *p)
{
    const double n0 = 0.1, ratio = pow(road->longest / road->shortest, 1.0 / TMLI_ROAD_WAVES);
    uint64_t state = (uint64_t)road->seed;
    double n1 = 1 / road->longest;
    for (int i = 0; i < TMLI_ROAD_WAVES; i++) {
        const double n2 = n1 * ratio;
        p->wave[i] = (tmli_road_wave){.a = n0 * sqrt(2 * road->roughness * (1 / n1 - 1 / n2)),
                                      .k = TWO_PI * sqrt(n1 * n2),
                                      .phase = TWO_PI * next_random(&state)};
        n1 = n2;
    }
    p->middle = road->position;
    p->ramp = road->length > 0;
    if (!p->ramp) return;
    p->height = 1;
    p->scale = 1 / road->length;
    p->nbreaks = 2;
    p->at[0] = road->position;
    p->at[1] = road->position + road->length;
}

bool tmli_profile_init(const tml_road_def *road, const tmli_curve *table, double R, tmli_profile *p)
{
    *p = (tmli_profile){.type = road->type};
    switch (road->type) {
    case TML_ROAD_BUMP: {
        const double b = road->diameter / 2, reach = sqrt(b * (b + 2 * R));
        set_arc(p, road->position, b + R, -R, road->position - reach, road->position + reach);  // (1)
        return true;
    }
    case TML_ROAD_STEP: return set_step(road, R, p);
    case TML_ROAD_SINE:
        p->middle = road->position;
        p->height = road->amplitude;
        p->scale = TWO_PI / road->wavelength;
        if (isnan(road->waves)) return true;
        p->nbreaks = 2;
        p->at[0] = road->position;
        p->at[1] = road->position + road->waves * road->wavelength;
        p->after = road->amplitude * sin(TWO_PI * road->waves);
        return true;
    case TML_ROAD_TABLE:
        p->table = table;
        p->nbreaks = tmli_curve_branch_count(table) - 1;
        return true;
    case TML_ROAD_RANDOM: set_waves(road, p); return true;
    default: return true;
    }
}

int tmli_profile_piece(const tmli_profile *p, double s)
{
    int piece = 0;
    if (p->table) return tmli_curve_branch(p->table, s);
    while (piece < p->nbreaks && s >= p->at[piece]) piece++;
    return piece;
}

bool tmli_profile_is_near_end(const tmli_profile *p, double s, double distance)
{
    if (p->table) return fabs(tmli_profile_event_value(p, tmli_profile_piece(p, s), s)) <= distance;
    for (int i = 0; i < p->nbreaks; i++)
        if (fabs(s - p->at[i]) <= distance) return true;
    return false;
}

double tmli_profile_event_value(const tmli_profile *p, int piece, double s)
{
    double value = INFINITY;
    if (p->table) {
        double low, high;
        tmli_curve_branch_ends(p->table, piece, &low, &high);
        return fmin(s - low, high - s);
    }
    if (piece > 0) value = s - p->at[piece - 1];
    if (piece < p->nbreaks) value = fmin(value, p->at[piece] - s);
    return value;
}

static void set_jet(double jet[3], double z, double slope, double curvature)
{
    jet[0] = z;
    jet[1] = slope;
    jet[2] = curvature;
}

// (4)
static void set_ramp(const tmli_profile *p, double x, double jet[3])
{
    const double y = p->scale * x, k = 6 * p->height * p->scale;
    set_jet(jet, p->height * y * y * (3 - 2 * y), k * y * (1 - y), k * p->scale * (1 - 2 * y));
}

// (7)
static void set_random(const tmli_profile *p, int piece, double x, double jet[3])
{
    double z = 0, slope = 0, curvature = 0, f[3];
    for (int i = 0; i < TMLI_ROAD_WAVES; i++) {
        const tmli_road_wave *w = &p->wave[i];
        const double angle = w->k * x + w->phase, height = w->a * sin(angle);
        z += height;
        slope += w->a * w->k * cos(angle);
        curvature -= w->k * w->k * height;
    }
    if (p->ramp && piece == 1) {
        set_ramp(p, x, f);
        set_jet(jet, f[0] * z, f[1] * z + f[0] * slope, f[2] * z + 2 * f[1] * slope + f[0] * curvature);
    } else {
        set_jet(jet, z, slope, curvature);
    }
}

void tmli_profile_eval(const tmli_profile *p, int piece, double s, double jet[3])
{
    const double x = s - p->middle;
    if (p->table) {
        jet[0] = tmli_curve_eval_branch(p->table, piece, s, &jet[1], &jet[2]);  // (6)
    } else if (p->nbreaks > 0 && piece == 0) {
        set_jet(jet, p->before, 0, 0);
    } else if (p->type == TML_ROAD_RANDOM) {
        set_random(p, piece, x, jet);
    } else if (p->nbreaks > 0 && piece == p->nbreaks) {
        set_jet(jet, p->after, 0, 0);
    } else if (p->type == TML_ROAD_SINE) {
        const double a = p->scale * x, k = p->height * p->scale;
        set_jet(jet, p->height * sin(a), k * cos(a), -k * p->scale * sin(a));  // (5)
    } else if (p->ramp) {
        set_ramp(p, x, jet);
    } else if (p->radius > 0) {
        const double square = (p->radius - x) * (p->radius + x);
        if (!(square > 0)) {
            tmli_profile_eval(p, tmli_profile_piece(p, s), s, jet);
            return;
        }
        const double root = sqrt(square);
        set_jet(jet, p->level + root, -x / root, -(p->radius / root) * (p->radius / root) / root);  // (1)-(3)
    } else {
        set_jet(jet, 0, 0, 0);
    }
}
