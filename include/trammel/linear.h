// The linear system of small motions about a state, with named states, inputs and outputs (docs/modes.md).
//
//   x' = A x + B u,   y = C x + D u
//
// where x, u, y are deviations from the state at hand.
#ifndef TRAMMEL_LINEAR_H
#define TRAMMEL_LINEAR_H

#include <stdbool.h>
#include <trammel/base.h>
#include <trammel/sim.h>

TML_C_BEGIN

/** A quantity of a linear system. */
typedef struct tml_linear_quantity {
    const char *name;  ///< "arm.rz", "arm.rz'", "force", "tip"
    const char *unit;  ///< "rad", "m/s", ...; "" if it is not known
    double value;      ///< at the state: of inputs and outputs; 0 for states
} tml_linear_quantity;

/** A linear system. It owns all arrays; matrices are row-major.
 *
 * States are minimal coordinates: displacements x, y, z of bodies [m] (inertial axes) and small rotations rx,
 * ry, rz [rad] about their axes, as many as there are degrees of freedom; then the velocities of as many
 * coordinates ("arm.rz'"); then first-order states. They are chosen so that the others follow from them. In
 * steady motion, vectors are seen in `axes`. */
typedef struct tml_linear {
    double t;          ///< [s]
    bool rest;         ///< the state is an equilibrium
    bool steady;       ///< it moves, and the matrices are constant along the motion
    const char *axes;  ///< steady: the axes in which vectors are seen; else ""
    int state_count, input_count, output_count;
    const tml_linear_quantity *states, *inputs, *outputs;
    const double *A;  ///< (states x states) exact derivatives
    const double *B;  ///< (states x inputs) difference quotients, exact where inputs act linearly
    const double *C;  ///< (outputs x states) difference quotients
    const double *D;  ///< (outputs x inputs) difference quotients
} tml_linear;

/** Linearize a model at a consistent state x of its simulation. Inputs and outputs are those of the model.
 * The simulation is not advanced. The caller destroys *out. Errors: TML_ERR_ARG (too large, a system of
 * callbacks), TML_ERR_SINGULAR (a motion without inertia), TML_ERR_NAN, TML_ERR_NOMEM. */
TML_API tml_status tml_linear_create(tml_sim *sim, const tml_state *x, tml_linear **out, tml_error *err);
TML_API void tml_linear_destroy(tml_linear *linear);  ///< accepts NULL

TML_C_END
#endif
