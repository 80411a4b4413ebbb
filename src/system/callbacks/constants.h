// Steps of the difference quotients of systems of callbacks; see base/constants.h. Steps are relative to
// the size of the argument and rounded to a power of two. eps = 2^-52.
#ifndef TMLI_SYSTEM_CALLBACKS_CONSTANTS_H
#define TMLI_SYSTEM_CALLBACKS_CONSTANTS_H

#include "base/constants.h"

// [-] Step of a first difference of a callback.
// Origin: eps^(1/3) minimizes the error h^2 + eps/h of a central difference.
TMLI_CONSTANT(STEP_FIRST, 6.055454452393343e-06)

// [-] Step of a first difference of a first difference, and of that inner difference.
// Origin: eps^(1/4) = 2^-13 minimizes h^2 + e/h with the error e = g^2 + eps/g of the inner difference, g
// = h.
TMLI_CONSTANT(STEP_FIRST_NESTED, 1.220703125e-04)

// [-] Step of a second difference of a callback.
// Origin: eps^(1/6) minimizes the error h^4 + eps/h^2 of the five-point formula.
TMLI_CONSTANT(STEP_SECOND, 2.460783300575925e-03)

// [-] Step of a second difference of a first difference, whose own step is STEP_FIRST_NESTED.
// Origin: eps^(1/8) minimizes h^4 + e/h^2 with the error e = eps^(1/2) of the inner difference.
TMLI_CONSTANT(STEP_SECOND_NESTED, 1.1048543456039805e-02)

#endif
