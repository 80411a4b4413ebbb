// The axis of a beam without stress: position and section axes by the length s along it.
//
//   constant twist and curvatures k:  R(s) = R0 exp(s k~),  r(s) = r0 + R0 T(-s k) e_x s                  (1)
//   through points: the cubic spline with the lengths of the chords as its parameter, twice continuously
//   differentiable and, at the second and the last but one point, three times ("not a knot"); x along it, and
//   the section turns about x as little as possible, plus the given twist                                 (2)
#ifndef TMLI_SPEC_BEAM_CURVE_H
#define TMLI_SPEC_BEAM_CURVE_H

#include "math/math3.h"
#include "spec/spec.h"

typedef struct tmli_beam_curve {
    const tml_beam_def *d;
    double length;
    // of (2), NULL for (1)
    double *u;        // (points) parameter
    double *slope;    // (points x 3) dr/du
    double *reached;  // (pieces + 1) length at the ends of the pieces of each span
    double *frame;    // (pieces + 1 x 4) section axes there, without the given twist
} tmli_beam_curve;

/** The curve of d, whose definition is complete (orientation: of the start). */
tml_status tmli_beam_curve_init(tmli_beam_curve *c, const tml_beam_def *d, const tml_env *env,
                                tml_error *err);
void tmli_beam_curve_clear(tmli_beam_curve *c, const tml_env *env);
/** Position (inertial frame) and orientation of the section at the length s. */
void tmli_beam_curve_at(const tmli_beam_curve *c, double s, vec3 *r, quat *p);
/** Direction of the curve at its first point, unit vector. */
vec3 tmli_beam_curve_start(const tmli_beam_curve *c);

#endif
