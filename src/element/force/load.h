// The load of a joint: the size of the force that it transmits,
//   N = |F|,   F = -sum lambda_r g_r                                                                      (1)
//   N_lambda = -(F/N).g_r,   N_d = -(F/N).sum lambda_r N_r                                                (2)
// g_r, N_r: gradient and second derivative of the measures of row r with respect to the translation of body b
// (element/joint/measure.h). Torques of the joint do not count.
#ifndef TMLI_ELEMENT_FORCE_LOAD_H
#define TMLI_ELEMENT_FORCE_LOAD_H

#include "element/force/force.h"

/** The joint whose coordinate is the measure `use`, if its reaction has a force; else -1. */
int tmli_load_find_joint(const tml_model *m, int use);
/** (1) of joint `constraint` at a state. by_lambda (rows of the joint), by_d (12: increments of the nodes of
 * its measures): (2); both may be NULL. */
double tmli_load_of(const tmli_view *w, int constraint, double *by_lambda, double *by_d);

#endif
