// The measure SLIP: the velocity of slip at the contact of a disc with a plane, along one direction
// (measure.h has the meaning of g, N and the products).
#ifndef TMLI_ELEMENT_JOINT_SLIP_H
#define TMLI_ELEMENT_JOINT_SLIP_H

#include "element/joint/measure.h"

void tmli_slip_grad(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B, double g[12]);
/** H += w N. */
void tmli_slip_add_hessian(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B, double w,
                           double *H);
/** out = u'N. */
void tmli_slip_row(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B, const double u[12],
                   double out[12]);
/** u'N u. */
double tmli_slip_quad(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B, const double u[12]);
/** out = (u'N u)_d. */
void tmli_slip_quad_grad(const tmli_measure *m, const tmli_pose *A, const tmli_pose *B, const double u[12],
                         double out[12]);

#endif
