// Units of motions and velocities, in which those of translations and rotations are compared.
#ifndef TMLI_SYSTEM_STATE_UNITS_H
#define TMLI_SYSTEM_STATE_UNITS_H

#include <math.h>
#include <trammel/system.h>

/** Unit of coordinate j: the model length of a translation, 1 (rad) of the others. */
static inline double tmli_coordinate_unit(const tml_system *sys, int j)
{
    return sys->kind[j] == TML_COORDINATE_TRANSLATION ? sys->length : 1;
}

/** The largest of the first n of motions or velocities d [model lengths or rad]. */
static inline double tmli_largest_motion(const tml_system *sys, int n, const double *d)
{
    double largest = 0;
    for (int j = 0; j < n; j++) largest = fmax(largest, fabs(d[j]) / tmli_coordinate_unit(sys, j));
    return largest;
}

#endif
