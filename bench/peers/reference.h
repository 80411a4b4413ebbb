// Reference solutions, independent of every simulator in the comparison.
#ifndef PEERS_REFERENCE_H
#define PEERS_REFERENCE_H

#include "mechanism.h"

typedef struct reference {
    samples exact;
    double halving;  // largest change of a sample when the step is halved
    // largest opening of a pin at the samples [m]; nothing but accuracy keeps the pins closed
    double closure;
    double known;  // largest deviation from what is known otherwise; NAN: nothing is
} reference;

reference *reference_create(const mechanism *m);
void reference_destroy(reference *r);
/** Accelerations (3 per body) and pin forces (2 per pin, from b on a) at the start: M u' + B' lambda = f, B:
 * of b minus a. */
void reference_start(const mechanism *m, double *acceleration, double *lambda);

#endif
