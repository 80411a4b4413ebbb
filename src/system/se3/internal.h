// Shared by the files of the system on SE(3): its parts, scratch memory, and conversions.
#ifndef TMLI_SYSTEM_SE3_INTERNAL_H
#define TMLI_SYSTEM_SE3_INTERNAL_H

#include "math/se3.h"
#include "system/multibody/multibody.h"
#include "system/se3/se3.h"

#include <string.h>

/** Rows of a common point along the inertial axes: in the frame of a body they turn with it. row[k] < 0: no
 * such row. */
typedef struct tmli_se3_point {
    int node, row[3];
} tmli_se3_point;

typedef struct tmli_se3 {
    tml_system system;  // the one handed out
    const tml_system *base;
    const tml_model *model;
    const tmli_se3_map *map;
    bool *moves;  // (nodes) on SE(3)
    int npoints;
    tmli_se3_point *point;
} tmli_se3;

typedef struct tmli_se3_frame {
    mat3 R, A, C;  // attitude, and the blocks of T
    vec3 v, w, a;  // velocities and acceleration, body frame
} tmli_se3_frame;

typedef struct tmli_se3_work {
    tml_env env;
    const tml_system *system;  // of the base
    void *base;
    tmli_se3_frame *frame;     // (nodes); of nodes on SE(3) only
    double *u, *udot;          // (n) of the base
    double *motion;            // (n)
    double *phi, *zero;        // (m); zero stays zero
    double *damping, *values;  // (entries of the pattern) D of the base; a matrix
    double *rows, *turning;    // (entries of B)
} tmli_se3_work;

// Entries of one row at one node, between their places and six.
static inline void tmli_se3_take(const tmli_node *node, const double *from, double six[6])
{
    memset(six, 0, 6 * sizeof(double));
    for (int k = 0; k < node->ncoords; k++) six[node->local[k]] = from[k];
}
static inline void tmli_se3_give(const tmli_node *node, const double six[6], double *to)
{
    for (int k = 0; k < node->ncoords; k++) to[k] = six[node->local[k]];
}

/** The base's state of x; u and udot live in w. */
tml_state tmli_se3_base_state(const tmli_se3 *s, tmli_se3_work *w, const tml_state *x);
/** w->frame at x; T at the increment, the identity if that is NULL. */
void tmli_se3_set_frames(const tmli_se3 *s, tmli_se3_work *w, const tml_state *x, const double *increment);

// As in the system's table.
tml_status tmli_se3_residual(const void *self, void *work, const tml_state *x, const double *p,
                             double *motion, double *phi, tml_error *err);
tml_status tmli_se3_assemble(const void *self, void *work, const tml_state *x, const tml_assembly *a,
                             double *values, tml_error *err);
tml_status tmli_se3_diagonals(const void *self, void *work, const tml_state *x, double *dm, double *dd,
                              double *dk, tml_error *err);

#endif
