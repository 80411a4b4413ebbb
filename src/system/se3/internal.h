// Shared by the files of the system on SE(3): its parts, scratch memory, and conversions.
#ifndef TMLI_SYSTEM_SE3_INTERNAL_H
#define TMLI_SYSTEM_SE3_INTERNAL_H

#include "math/se3.h"
#include "system/multibody/multibody.h"
#include "system/se3/se3.h"

#include <string.h>

/** Rows of a common point along the inertial axes; in the frame of a body they rotate with it. row[k] < 0:
 * no such row. */
typedef struct tmli_se3_point {
    int node, row[3];
} tmli_se3_point;

typedef struct tmli_se3 {
    tml_system system;  // handed out by tmli_se3_create
    const tml_system *base;
    const tml_model *model;
    const tmli_se3_map *map;
    bool *on_se3;  // (nodes) moves on SE(3); false: a point mass
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
    tmli_se3_frame *frame;           // (nodes); of nodes on SE(3) only
    double *u, *udot;                // (n) of the base
    double *later_u, *later_udot;    // (n) of a later state of the base
    double *motion;                  // (n)
    double *phi, *zero;              // (m); zero is never written
    double *penalty, *mu;            // (m) penalties, multipliers with those of rows at velocity level
    double *damping, *values;        // (entries of the pattern) D of the base; a matrix
    double *rows, *row_derivatives;  // (entries of B)
} tmli_se3_work;

/** Entries of one row at one node from and to six numbers: translation, rotation. */
static inline void tmli_se3_load_node(const tmli_node *node, const double *from, double six[6])
{
    memset(six, 0, 6 * sizeof(double));
    for (int k = 0; k < node->ncoords; k++) six[node->local[k]] = from[k];
}
static inline void tmli_se3_store_node(const tmli_node *node, const double six[6], double *to)
{
    for (int k = 0; k < node->ncoords; k++) to[k] = six[node->local[k]];
}

static inline void tmli_se3_store_coordinates(const tmli_node *node, const double six[6], double *x)
{
    for (int k = 0; k < node->ncoords; k++) x[node->first + k] = six[node->local[k]];
}

static inline mat3 tmli_se3_attitude(const double *q, int node) { return q_matrix(q_from(q + 7 * node + 3)); }

/** Translations of x (n) times R, or R' if `back`; rotations are copied. out may be x. */
void tmli_se3_rotate(const tmli_se3 *s, const double *q, bool back, const double *x, double *out);
/** z (n) = (w x v, 0) in the body frame, or in inertial axes. */
void tmli_se3_convective(const tmli_se3 *s, const tml_state *x, bool inertial, double *z);

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
tml_status tmli_se3_rows(const void *self, void *work, const tml_state *x, double *values, tml_error *err);
tml_status tmli_se3_residual_rows(const void *self, void *work, const tml_state *x, const double *p,
                                  double *motion, double *phi, double *values, tml_error *err);
tml_status tmli_se3_rows_times(const void *self, void *work, const tml_state *x, const double *v,
                               double *values, tml_error *err);
tml_status tmli_se3_gamma_derivatives(const void *self, void *work, const tml_state *x, double *by_d,
                                      double *by_u, tml_error *err);
void tmli_se3_system_retract(const void *self, const double *q, const double *d, double *out);
void tmli_se3_system_local(const void *self, const double *q0, const double *q1, double *d);
void tmli_se3_system_tangent_inverse(const void *self, const double *d, const double *u, double *out);
void tmli_se3_system_tangent_rate(const void *self, const double *d, const double *v, double *out);
void tmli_se3_system_tangent_derivatives(const void *self, const double *x, const double *u, double *first,
                                         double *second);
void tmli_se3_system_count(const void *self, const tml_state *x0, const double *d, double *angle);
void tmli_se3_system_add_turns(const void *self, const double *near, double *d);
void tmli_se3_system_transform_rows(const void *self, const double *q0, const double *q1, double *rows);

#endif
