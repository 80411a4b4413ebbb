// Step loop around a method: try a step, test its error, accept it or retry with a smaller one.
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
    bool below_minimum;  // the last step fell below h_min for no reason that the method knows
    bool cut;  // the last step was cut to land on a time, and its error allows one of four times its size
} tmli_driver;

/** Set h to the first step that the method proposes, at least `least` and at most h_max. A method that
 * proposes less than h_min where a run begins has not failed yet; within a run it has. */
void tmli_driver_begin(tmli_driver *d, double least);
/** Make one accepted step towards t_end. A step may land on t_end exactly and never passes it. A failed
 * trial is repeated: first the method renews its iteration matrix, then the step shrinks, down to h_min.
 * Below h_min the call fails with TML_ERR_STEP and the last cause. A step of fixed size fails at its first
 * failed trial. */
tml_status tmli_driver_step(tmli_driver *d, double t_end, tml_error *err);
/** Whether t_end shortens the next step from the time t, or the step reaches it. */
bool tmli_driver_is_near(const tmli_driver *d, double t, double t_end);
/** With its method. */
void tmli_driver_archive(tmli_driver *d, tml_archive *a);

#endif
