// Derivatives of the kinematics of the tree, shared by the files that assemble matrices; equations in
// columns.c.
#ifndef TMLI_SYSTEM_JOINT_SPACE_COLUMNS_H
#define TMLI_SYSTEM_JOINT_SPACE_COLUMNS_H

#include "system/joint_space/internal.h"

/** Derivatives of the motion of one body, 6 per coordinate: H, U_d, A_d, A_u. Only coordinates on its path
 * to the ground are set. */
typedef struct tmli_motion_columns {
    double *H, *U, *A, *Au;
} tmli_motion_columns;

/** Columns of body i; U, A and Au may be NULL in c. Velocities are set; udot (NULL: 0) as in the last call of
 * tmli_joint_space_accelerations. */
void tmli_joint_space_set_columns(const tmli_joint_space *s, const tmli_joint_space_work *w, int i,
                                  const double *u, const double *udot, const tmli_motion_columns *c);

/** Unit motion of coordinate k of tree joint b: velocity of P, angular velocity. */
static inline void tmli_tree_joint_motion(const tmli_tree_joint *b, const tmli_tree_body *x, int k, vec3 *v,
                                          vec3 *w)
{
    *v = x->motion[k].v;
    *w = x->motion[k].w;
    if (b->rotation == TMLI_ROTATION_BALL && k >= b->nslide) *w = m3_col(&x->R, k - b->nslide);
}

static inline double tmli_dot6(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

/** Sets psi, psi', psi'' and psi^ of composite.c in w, for all coordinates. Velocities are set; udot as
 * above. */
void tmli_joint_space_set_motions(const tmli_joint_space *s, tmli_joint_space_work *w, const double *u,
                                  const double *udot);

/** Where parts of the matrix go, (n x n) by columns; NULL: it is not wanted. */
typedef struct tmli_parts {
    double *M, *D, *K;
} tmli_parts;

/** Adds inertia and, with K, geometric stiffness of the wrenches (as in the motion residual of the base) on
 * all bodies (composite.c). Motions are set. */
void tmli_joint_space_add_bodies(const tmli_joint_space *s, tmli_joint_space_work *w, const double *wrench,
                                 const tmli_parts *to);
/** Adds stiffness and damping between bodies from w->blockK and w->blockD, which are overwritten. Motions are
 * set. */
void tmli_joint_space_add_couplings(const tmli_joint_space *s, tmli_joint_space_work *w,
                                    const tmli_parts *to);

/** values (nrows x width) = derivative of B v by d of a loop. Velocities are set at v. */
void tmli_joint_space_loop_times(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                                 const tmli_loop *p, const double *v, double *values);

/** The error of a system created without a matrix. */
tml_status tmli_joint_space_no_matrix(tml_error *err);

#endif
