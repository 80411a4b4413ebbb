// The loop around a method's steps: try, judge, accept or retry smaller.
#ifndef TMLI_INTEGRATE_CORE_DRIVER_H
#define TMLI_INTEGRATE_CORE_DRIVER_H

#include "base/base.h"
#include <trammel/integrator.h>

typedef struct tmli_driver {
    const tml_method_ops *method;
    void *self;
    bool fixed;
    double h;              // size of the next step [s]
    double h_min, h_max;   // limits of step-size control
    double h_low, h_high;  // smallest and largest accepted step so far
    long rejected_error, rejected_newton;
} tmli_driver;

/** One accepted step towards t_end, which is hit exactly and never passed. A failed trial is repeated along a
 * ladder: the kernel renews its matrix, then the step shrinks to a quarter, down to h_min; then TML_ERR_STEP
 * with the last cause. With a fixed step the ladder ends at the first failure. */
tml_status tmli_driver_step(tmli_driver *d, double t_end, tml_error *err);

#endif
