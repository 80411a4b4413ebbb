// A multibody model in the motion formalism: the same equations with bodies moving on SE(3) instead of R^3 x
// SO(3).
//
// Velocities V = (v, w) = (R' rdot, w) are all in the body frame, and an increment d = (rho, theta) moves a
// body by the incremental motion of math/se3.h: r + R t(d), R R(d). Coordinates, rows, pattern and names are
// those of the model. Point masses have no attitude and keep their coordinates.
#ifndef TMLI_SYSTEM_SE3_SE3_H
#define TMLI_SYSTEM_SE3_SE3_H

#include "base/base.h"
#include <stdbool.h>
#include <trammel/system.h>

/** True if sys is the system of a model as made by tml_model_build, the only kind that can move on SE(3).
 */
bool tmli_se3_possible(const tml_system *sys);
/** The model's equations on SE(3), with the exponential or with Cayley's map. base is borrowed and must
 * outlive the system; end with tml_system_destroy. */
tml_status tmli_se3_create(const tml_system *base, bool cayley, tml_system **out, tml_error *err);

/** u and udot of the model from V and Vdot at q, and back. Outputs may be the inputs. */
void tmli_se3_to_base(const tml_system *sys, const double *q, const double *V, const double *Vdot, double *u,
                      double *udot);
void tmli_se3_from_base(const tml_system *sys, const double *q, const double *u, const double *udot,
                        double *V, double *Vdot);

/** out = T(d) v, T the tangent operator of the retraction. */
void tmli_se3_system_tangent(const void *self, const double *d, const double *v, double *out);
/** (q (+) d1) (+) d2 = q (+) out. */
void tmli_se3_system_compose(const void *self, const double *d1, const double *d2, double *out);

#endif
