// Sizes of bodies and joints for which the elimination is compiled with constants.
#ifndef TMLI_LINALG_TOPOLOGY_ARTICULATED_SIZES_H
#define TMLI_LINALG_TOPOLOGY_ARTICULATED_SIZES_H

#include "linalg/dense/small.h"

/** call(k, n, np) of a step x with its numbers as constants where they are common: bodies in space and in the
 * plane on another body of the same kind or on ground, and points in the plane (the loops of a few turns that
 * a compiler makes for any number cost more than what they compute). */
#define TMLI_ARTICULATED_SIZES(x, call)                      \
    if ((x)->n == 6 && (x)->np == 6 && (x)->k <= 6) {        \
        TMLI_SMALL((x)->k, call, 6, 6)                       \
    } else if ((x)->n == 6 && (x)->np == 0 && (x)->k <= 6) { \
        TMLI_SMALL((x)->k, call, 6, 0)                       \
    } else if ((x)->n == 3 && (x)->np == 3 && (x)->k <= 3) { \
        TMLI_ARTICULATED_PLANE((x)->k, call, 3, 3)           \
    } else if ((x)->n == 3 && (x)->np == 0 && (x)->k <= 3) { \
        TMLI_ARTICULATED_PLANE((x)->k, call, 3, 0)           \
    } else if ((x)->n == 2 && (x)->np == 0 && (x)->k == 1) { \
        call(1, 2, 0);                                       \
    } else {                                                 \
        call((x)->k, (x)->n, (x)->np);                       \
    }

#define TMLI_ARTICULATED_PLANE(k, call, ...) \
    switch (k) {                             \
    case 1: call(1, __VA_ARGS__); break;     \
    case 2: call(2, __VA_ARGS__); break;     \
    case 3: call(3, __VA_ARGS__); break;     \
    default: call(k, __VA_ARGS__); break;    \
    }

#endif
