// Roads: the height that the lowest point of a wheel follows, as a function of the way s along the road.
//
// A wheel is a disc of radius R. Over a sharp profile (half cylinder, edge) it rolls: its centre moves on the
// offset curve, which begins and ends with a kink but without a jump. Smooth profiles (ramp, sine, table) are
// followed by the point below the centre of the wheel, as is usual where their radius of curvature is large
// against R. z(s) below is the height of the centre minus R; it has pieces, each smooth also beyond its ends,
// with kinks (or jumps of curvature) between them.
#ifndef TMLI_ELEMENT_FORCE_ROAD_H
#define TMLI_ELEMENT_FORCE_ROAD_H

#include "element/force/spline.h"
#include <trammel/spec.h>

enum { TMLI_ROAD_BREAKS = 2 };

/** A road as a wheel of one radius feels it. */
typedef struct tmli_profile {
    tml_road_type type;
    int nbreaks;                   // pieces 0 .. nbreaks
    double at[TMLI_ROAD_BREAKS];   // ends of the pieces, ascending [m]
    double middle, radius, level;  // an arc: z = level + sqrt(radius^2 - (s - middle)^2) [m]
    double before, after;          // height of the first and the last piece [m]
    double height, scale;          // ramp: height, 1/length; sine: amplitude, 2 pi/wavelength
    bool ramp;                     // a step that is one
    const tmli_spline *table;      // borrowed; NULL: none
} tmli_profile;

/** @param road checked definition; @param table its spline, or NULL; @param radius of the wheel [m]
 * @return false if the wheel cannot roll over it: an edge as high as the radius or higher. */
bool tmli_profile_init(const tml_road_def *road, const tmli_spline *table, double radius, tmli_profile *out);
/** The piece at s; on a border the one after it. */
int tmli_profile_piece(const tmli_profile *p, double s);
/** Distance of s to the nearer end of a piece [m]; negative: beyond it. */
double tmli_profile_margin(const tmli_profile *p, int piece, double s);
/** z on a piece and, in jet, z, z', z''. Far beyond the end of an arc, where it has no value, the road as it
 * is. */
void tmli_profile_eval(const tmli_profile *p, int piece, double s, double jet[3]);

#endif
