// Roots s of small motions exp(s t) with their shapes: the wanted ones among those that a solver finds.
#ifndef TMLI_ANALYSIS_MODES_ROOTS_H
#define TMLI_ANALYSIS_MODES_ROOTS_H

#include "base/base.h"

#include <complex.h>

typedef struct tmli_roots_def {
    int count;      // wanted roots with im >= 0, zeros counted once per shape
    double near;    // [rad/s] those nearest to i near
    bool undamped;  // of the motions without what dissipates
} tmli_roots_def;

typedef enum tmli_shape_part { TMLI_SHAPE_REAL, TMLI_SHAPE_IMAGINARY } tmli_shape_part;

typedef struct tmli_roots {
    tml_env env;
    int n, room, count;
    double near;
    double complex *s;  // (room) sorted by `distance`; of a pair the one with im > 0
    double *distance;   // (room) from i near [1/s]
    /** (n x room) positions d of columns, first-order states for the last coordinates; translations in model
     * lengths. Of length 1. */
    double complex *d;
    double *noise;  // (room) |s| that round-off may produce [1/s]
    double *error;  // (room) of s by round-off [1/s]
} tmli_roots;

/** A root for the list; fields as above. */
typedef struct tmli_root {
    double complex s;
    double distance, noise, error;
    bool again;  // of a further search: it counts if the list has no such shape of this root
} tmli_root;

/** An empty list. The caller clears it, also after an error. */
tml_status tmli_roots_init(tmli_roots *r, const tml_env *env, int n, const tmli_roots_def *want,
                           tml_error *err);
/** |s - i near| */
double tmli_roots_distance(const tmli_roots *r, double complex s);
/** False: the list is full of nearer ones. */
bool tmli_roots_wants(const tmli_roots *r, double distance);
/** Error of the i-th of `count` roots by round-off, which changes s^2 by up to noise^2: s of a simple root by
 * noise^2/|s|. Two equal ones become two on both sides of the imaginary axis, apart by up to noise, or the
 * square root of TMLI_ROUNDOFF. */
double tmli_root_error(const double complex *s, int count, int i, double noise);
/** Add a root if it is wanted; its shape is re + i im, im may be NULL. A root 0 counts once for each
 * independent shape: round-off splits it, and motions that grow linearly repeat its shape. */
void tmli_roots_add(tmli_roots *r, tmli_root root, const double *re, const double *im);
void tmli_roots_clear(tmli_roots *r);  // accepts a zeroed one

#endif
