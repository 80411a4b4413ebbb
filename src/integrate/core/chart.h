// Properties of a system's charts that several methods use.
#ifndef TMLI_INTEGRATE_CORE_CHART_H
#define TMLI_INTEGRATE_CORE_CHART_H

#include <trammel/system.h>

/** True if the tangent operator T of the retraction is the identity: increments then add, and one chart
 * serves all configurations. d, v, out (n): scratch. */
bool tmli_chart_is_flat(const tml_system *sys, double *d, double *v, double *out);

#endif
