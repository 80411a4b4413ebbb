// Roads: the height of the lowest point of a wheel as a function of the distance s along the road.
//
// A wheel is a disc of radius R. On a sharp profile (half cylinder, edge) it rolls: its centre moves on the
// offset curve, which begins and ends with a kink but without a jump. On a smooth profile (ramp, sine, table,
// random)
// the point below the centre of the wheel follows the profile, the usual approximation if its radius of
// curvature is much larger than R. z(s) is the height of the centre minus R. It consists of pieces; each is
// smooth also beyond its ends, with kinks or jumps of curvature between them (tables: monotone and linear
// ones at their points).
#ifndef TMLI_ELEMENT_TYRE_ROAD_H
#define TMLI_ELEMENT_TYRE_ROAD_H

#include "math/curve.h"
#include <trammel/spec.h>

enum { TMLI_ROAD_BREAKS = 2, TMLI_ROAD_WAVES = 96 };

/** Of a random road: height a sin(k x + phase). */
typedef struct tmli_road_wave {
    double a, k, phase;
} tmli_road_wave;

/** The profile of a road for a wheel of one radius. */
typedef struct tmli_profile {
    tml_road_type type;
    int nbreaks;                           // pieces 0 .. nbreaks
    double at[TMLI_ROAD_BREAKS];           // ends of the pieces, ascending [m]
    double middle, radius, level;          // an arc: z = level + sqrt(radius^2 - (s - middle)^2) [m]
    double before, after;                  // height of the first and the last piece [m]
    double height, scale;                  // ramp: height, 1/length; sine: amplitude, 2 pi/wavelength
    bool ramp;                             // the step is a ramp
    tmli_road_wave wave[TMLI_ROAD_WAVES];  // of a random road; it fades in where it is a ramp
    const tmli_curve *table;               // borrowed; NULL: none. Its branches are the pieces
} tmli_profile;

/** road: a checked definition; table: its curve, borrowed, or NULL; radius: of the wheel [m]. False: the
 * wheel cannot roll over an edge that is as high as its radius or higher. */
bool tmli_profile_init(const tml_road_def *road, const tmli_curve *table, double radius, tmli_profile *out);
/** The piece that contains s; the second one between two pieces. */
int tmli_profile_piece(const tmli_profile *p, double s);
/** True if s is within `distance` [m] of an end of a piece. */
bool tmli_profile_is_near_end(const tmli_profile *p, double s, double distance);
/** Event function of a piece: distance of s from its nearer end [m]; negative beyond it. */
double tmli_profile_event_value(const tmli_profile *p, int piece, double s);
/** jet = (z, z', z'') of a piece at s. Where an arc ends and has no value, the piece that contains s is
 * evaluated. */
void tmli_profile_eval(const tmli_profile *p, int piece, double s, double jet[3]);

#endif
