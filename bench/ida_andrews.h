// Andrews' squeezing mechanism in its classical form: seven angles, six closures of loops, written out by
// hand.
//
// Data and equations: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, sect. VII.7; the same
// mechanism as models/andrews.yaml, which describes it by its bodies and joints.
#ifndef BENCH_IDA_ANDREWS_H
#define BENCH_IDA_ANDREWS_H

#include <trammel/model.h>
#include <trammel/system.h>

enum { ANDREWS_N = 7, ANDREWS_M = 6 };
#define ANDREWS_END 0.03  // [s]

extern const double
    andrews_start[ANDREWS_N];  // angles at t = 0 [rad]: beta theta gamma phi delta omega epsilon
extern const double andrews_reference[ANDREWS_N];  // at t = ANDREWS_END, all digits converged

/** The callbacks of the seven angles, all derivatives given. */
tml_user_system_def andrews_user(void);
/** motion (7) = M udot + B' lambda - f, phi (6), rows (6 x 7) in one pass. */
void andrews_evaluate(const tml_state *x, double *motion, double *phi, double *rows);
/** (B v)_q of a held v (7): (6 x 7). */
void andrews_rows_times(const double *q, const double *v, double *out);

/** Largest error of the seven angles at ANDREWS_END [rad]. of_bodies: q is that of models/andrews.yaml, a
 * position and a quaternion per body, angles are compared up to whole turns. */
double andrews_error(const double *q, bool of_bodies);

#endif
