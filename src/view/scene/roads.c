// Roads as lines of points (s, z): the profile itself, not the path of a wheel's centre.
#include "element/tyre/road.h"
#include "view/scene/scene.h"

#include <math.h>

enum { ARC_POINTS = 33, WAVE_POINTS = 24, WAVES_MAX = 50, RANDOM_POINTS = 4000 };
// [m] Of a random road, before and after its position
static const double RANDOM_LENGTH = 250;

static void put_point(tmli_json *j, double s, double z)
{
    tmli_json_rounded(j, NULL, s, 7);
    tmli_json_rounded(j, NULL, z, 7);
}

static void put_bump(tmli_json *j, const tml_road_def *d)
{
    const double r = d->diameter / 2, pi = acos(-1);
    for (int i = 0; i < ARC_POINTS; i++) {
        const double a = pi * i / (ARC_POINTS - 1);
        put_point(j, d->position - r * cos(a), i == 0 || i == ARC_POINTS - 1 ? 0 : r * sin(a));
    }
}

// The ramp is (4) of element/tyre/road.c.
static void put_step(tmli_json *j, const tml_road_def *d)
{
    put_point(j, d->position, 0);
    for (int i = 1; i < WAVE_POINTS && d->length > 0; i++) {
        const double x = (double)i / WAVE_POINTS;
        put_point(j, d->position + x * d->length, d->height * x * x * (3 - 2 * x));
    }
    put_point(j, d->position + d->length, d->height);
}

static void put_sine(tmli_json *j, const tml_road_def *d)
{
    const bool endless = isnan(d->waves);
    const double waves = endless ? WAVES_MAX : fmin(d->waves, WAVES_MAX),
                 from = endless ? -WAVES_MAX / 2.0 : 0, pi = acos(-1);
    const int count = (int)ceil(waves * WAVE_POINTS);
    for (int i = 0; i <= count; i++) {
        const double x = from + waves * i / count;
        put_point(j, d->position + x * d->wavelength, d->amplitude * sin(2 * pi * x));
    }
}

static void put_table(tmli_json *j, const tml_road_def *d, const tmli_curve *curve)
{
    double slope, curvature;
    for (int i = 0; i < d->table_count; i++) {
        const double s = d->table[2 * i], next = i + 1 < d->table_count ? d->table[2 * i + 2] : s;
        put_point(j, s, d->table[2 * i + 1]);
        for (int k = 1; k < 4 && next > s && curve; k++) {
            const double at = s + k * (next - s) / 4;
            put_point(j, at, tmli_curve_eval(curve, at, &slope, &curvature));
        }
    }
}

static void put_random(tmli_json *j, const tml_road_def *d)
{
    tmli_profile p;
    const double from = d->length > 0 ? d->position : d->position - RANDOM_LENGTH,
                 step = (d->position + RANDOM_LENGTH - from) / RANDOM_POINTS;
    tmli_profile_init(d, NULL, 1, &p);
    for (int i = 0; i <= RANDOM_POINTS; i++) {
        const double s = from + i * step;
        double jet[3];
        tmli_profile_eval(&p, tmli_profile_piece(&p, s), s, jet);
        put_point(j, s, jet[0]);
    }
}

void tmli_scene_roads(tmli_json *j, const tml_spec *spec, const tml_model *model)
{
    tmli_json_open(j, "roads", '[');
    for (int i = 0; i < model->nroads; i++) {
        const tml_road_def *d = &spec->roads[i].def;  // with its points
        tmli_json_open(j, NULL, '{');
        tmli_json_text(j, "name", model->road[i].name);
        double origin[3];
        v3_store(v3_sub(v3_from(d->origin), model->origin), origin);
        tmli_json_place(j, "origin", origin, 3);
        tmli_json_place(j, "direction", d->direction, 3);
        tmli_json_place(j, "up", d->up, 3);
        tmli_json_open(j, "profile", '[');
        switch (d->type) {
        case TML_ROAD_BUMP: put_bump(j, d); break;
        case TML_ROAD_STEP: put_step(j, d); break;
        case TML_ROAD_SINE: put_sine(j, d); break;
        case TML_ROAD_TABLE: put_table(j, d, model->road[i].table); break;
        case TML_ROAD_RANDOM: put_random(j, d); break;
        case TML_ROAD_FLAT:
        case TML_ROAD_TYPES: break;
        }
        tmli_json_close(j, ']');
        tmli_json_close(j, '}');
    }
    tmli_json_close(j, ']');
}
