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
#include "element/tyre/road.h"

#include <math.h>

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

void tmli_profile_eval(const tmli_profile *p, int piece, double s, double jet[3])
{
    const double x = s - p->middle;
    if (p->table) {
        jet[0] = tmli_curve_eval_branch(p->table, piece, s, &jet[1], &jet[2]);  // (6)
    } else if (p->nbreaks > 0 && piece == 0) {
        set_jet(jet, p->before, 0, 0);
    } else if (p->nbreaks > 0 && piece == p->nbreaks) {
        set_jet(jet, p->after, 0, 0);
    } else if (p->type == TML_ROAD_SINE) {
        const double a = p->scale * x, k = p->height * p->scale;
        set_jet(jet, p->height * sin(a), k * cos(a), -k * p->scale * sin(a));  // (5)
    } else if (p->ramp) {
        const double y = p->scale * x, k = 6 * p->height * p->scale;
        set_jet(jet, p->height * y * y * (3 - 2 * y), k * y * (1 - y), k * p->scale * (1 - 2 * y));  // (4)
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
