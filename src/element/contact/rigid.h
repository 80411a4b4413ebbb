// Data of a rigid contact, for its two files: rigid.c, the normals, and rigid_slip.c, friction.
#ifndef TMLI_ELEMENT_CONTACT_RIGID_H
#define TMLI_ELEMENT_CONTACT_RIGID_H

#include "element/contact/contact.h"
#include "element/force/along.h"
#include "element/force/unilateral.h"

// Modes and rows: those of the normals of all points, then `tangents` of each point.
typedef struct tmli_rigid {
    int count;
    const tmli_rigid_point *point;  // (count)
    tmli_unilateral roundoff;
    int tangents;     // rows of friction per point
    double friction;  // coefficient
    const int *slot;  // (2 count) slots of the nodes of the points
    double stop;      // [m/s] a speed of slip that ends
    double noise;     // [m/s^2 per N] as in along.h
    const int *pair;  // (count) the pair of shapes of each point
} tmli_rigid;

// ---- friction ---------------------------------------------------------------------------------------------

/** Q += force of the points that slip. */
void tmli_rigid_slip_force(const tmli_force *f, const tmli_view *v, double *Q);
void tmli_rigid_slip_tangent(const tmli_force *f, const tmli_view *v, double *H, double *D);
void tmli_rigid_slip_by_multipliers(const tmli_force *f, const tmli_view *v, double *C);
/** Size of the forces of friction of all points. */
double tmli_rigid_slip_size(const tmli_force *f, const tmli_view *v);
/** The force of friction of point i on its second node; inertial axes. */
vec3 tmli_rigid_slip_vector(const tmli_force *f, const tmli_view *v, int i);
/** Event functions of the modes of friction, and their update; arguments as in force.h. */
void tmli_rigid_slip_events(const tmli_force *f, const tmli_view *v, const double *mode, double *values);
int tmli_rigid_slip_update(const tmli_force *f, const tmli_view *v, bool all, double *mode);

#endif
