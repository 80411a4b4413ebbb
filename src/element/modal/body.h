// The reduced equations of a modal body in its floating frame (docs/theory/modal.md).
//
// The floating frame is that of the reference node. Seen from it, the other interface nodes have
// displacements y_i and rotations psi_i, and inner modes have amplitudes; together q. Its motion is nu = (v,
// w, qdot): the velocity v of the frame's origin and its angular velocity w, both in its axes. With the
// matrices of a part (part/part.h) in these coordinates,
//   T = 1/2 nu'M nu + sum_a w_a nu'A_a q + 1/2 sum_ab w_a w_b q'S_ab q                                    (1)
//   p = dT/dnu = (P, L, .) = M nu + sum_a w_a A_a q + (0, l, 0),   l_a = nu'A_a q + sum_b w_b q'S_ab q    (2)
//   f = pdot + (w x P, w x L + v x P, -dT/dq)   force for a given motion                                  (3)
//   U = 1/2 e'K e,   e = q + 1/2 sum_j i_j q'G_j q   (i_j: the unit vector of the loaded coordinate)      (4)
// Gravity g (in the axes of the frame) acts on the mass m and the first moments s = s0 + M_vq q:
//   V = -m g.r - g.s                                                                                      (5)
#ifndef TMLI_ELEMENT_MODAL_BODY_H
#define TMLI_ELEMENT_MODAL_BODY_H

#include "base/base.h"
#include "math/math3.h"
#include "part/part.h"

typedef struct tmli_modal_stiffening {
    int at;     // loaded coordinate of q
    double *G;  // (nq x nq)
} tmli_modal_stiffening;

typedef struct tmli_modal {
    int nodes;              // interface nodes beside the reference node
    int modes;              // amplitudes
    int nq, n;              // 6 nodes + modes, 6 + nq
    double *M;              // (n x n)
    double *A[3];           // (n x nq)
    double *S[TMLI_PAIRS];  // (nq x nq)
    double *K, *C;          // (nq x nq); C NULL: no damping
    vec3 *X;                // (nodes) positions from the reference node, axes of the part [m]
    int nstiffening;
    tmli_modal_stiffening *stiffening;
    double mass;  // [kg]
    vec3 s0;      // first moments about the reference node [kg m]
} tmli_modal;

/** Damping of the elastic modes of the free part: shares of critical damping (the last one counts for all
 * further modes; NULL: none), and Rayleigh's c = alpha M + beta K. */
typedef struct tmli_modal_damping {
    int ratio_count;
    const double *ratio;
    double alpha, beta;  // [1/s], [s]
} tmli_modal_damping;

/** The body of a part; its arrays are in the arena. stiffening: with geometric stiffening, if the part has
 * load cases. reference: index of the node. */
tml_status tmli_modal_build(const tml_part *part, int reference, const tmli_modal_damping *damping,
                            bool stiffening, tmli_arena *arena, tmli_modal *out, tml_error *err);

/** Motion of a body, and what is computed from it. Vectors are in the axes of the frame. */
typedef struct tmli_modal_motion {
    double *q, *nu, *nudot;  // (nq), (n), (n)
    vec3 g;                  // gravity [m/s^2]
    bool forces;             // with strain, damping and gravity
    // set by tmli_modal_calc
    double *f;                // (n) of (3), (4), (5)
    double *Aq[3], *Aqd[3];   // (n) A_a q, A_a qdot
    double *Atn[3], *Atd[3];  // (nq) A_a'nu, A_a'nudot
    double *SW[3], *SWd[3];   // (nq) sum_b w_b S_ab q, ... qdot
    double *SA[3];            // (nq) sum_b wdot_b S_ab q
    double *e, *Ke;           // (nq) of (4), K e
    vec3 P, L;
} tmli_modal_motion;

/** Numbers of scratch memory for a motion. */
int tmli_modal_motion_size(const tmli_modal *b);
/** The motion in this memory; q, nu, nudot are 0. Returns the memory behind it. */
double *tmli_modal_motion_init(const tmli_modal *b, double *memory, tmli_modal_motion *x);
/** f and all else of x from q, nu, nudot, g. */
void tmli_modal_calc(const tmli_modal *b, tmli_modal_motion *x);
/** Mr (n x n) = d(dT/dnu)/dnu, the mass matrix at q; x: tmli_modal_calc has been called. */
void tmli_modal_mass(const tmli_modal *b, const tmli_modal_motion *x, double *Mr);
/** Derivatives of f by nu (n x n), by q (n x nq) and by g (n x 3), all row-major. Mr: of tmli_modal_mass. */
void tmli_modal_derivatives(const tmli_modal *b, const tmli_modal_motion *x, const double *Mr, double *by_nu,
                            double *by_q, double *by_g);
/** Strain energy [J], dissipated power [W], potential of gravity -g.s [J] without that of the frame's
 * origin. */
double tmli_modal_strain_energy(const tmli_modal *b, const tmli_modal_motion *x);
double tmli_modal_dissipation(const tmli_modal *b, const tmli_modal_motion *x);
vec3 tmli_modal_moments(const tmli_modal *b, const double *q);

#endif
