// Time stepping with captured contacts: the scheme of Moreau and Jean (Comput. Methods Appl. Mech. Engrg. 177
// (1999) 235), with impacts at the start of a step and constraints of positions kept.
//
// A step from q0, u0 to q1, u1 (docs/theory/captured-contacts.md):
//   impacts    u0 -> u0' by the law of impact, for points that would be passed within the step            (1)
//   motion     (M + h th D + h^2 th^2 K)(u1 - u0') + B' p = h f + G' r,  at q0 (+) h th u0'
//              B (th u1 + (1 - th) u0') = nu                                                              (2)
//   contacts   0 <= u_N1 - b  _|_  r_N >= 0,  r in the cone of friction
//              b = min(0, -(g0/h + (1 - th) u_N0')/th): slow points close their gaps exactly             (3)
//   positions  q1 = q0 (+) h (th u1 + (1 - th) u0') (+) U,   M U = B'k + G_N'k_N,  Phi = 0,
//              0 <= g _|_ k_N >= 0                                                                        (4)
//   constraints of velocities at q1
// with th = 1/(1 + rho), 1/2 to 1. Forces are linearly implicit. Bodies on which nothing acts but gravity and
// contacts are solved one by one.
#ifndef TMLI_INTEGRATE_NONSMOOTH_MOREAU_H
#define TMLI_INTEGRATE_NONSMOOTH_MOREAU_H

#include "consistency/consistent.h"
#include "linalg/cone/cone.h"
#include "system/multibody/multibody.h"

enum {
    TMLI_WARM = 7
};  // numbers of a stored impulse: pair (two), feature, impulse in space, its normal part

typedef struct tmli_moreau {
    const tml_system *sys;
    const tml_model *m;
    double theta;
    double h_trial, h_last;  // [s]
    tmli_consistent consistent;
    tmli_index1 matrix;  // of the motion of coupled bodies
    bool free;           // there are none
    tml_counters count;
    tml_contact_counters contacts, trial_contacts;
    tmli_captured_point *found;
    tmli_cone cone;
    double *inverse;  // (36 per body) of the mass matrix of bodies that are not coupled
    int *coupled;     // (n) 1 + index among the coupled coordinates; 0: it is not
    void *memory;
    void *work;
    tml_state *x, *previous;  // last accepted, and the one before
    tml_state *trial, *middle;
    double *struck, *lift;              // (n) u0', U of the last step
    double *trial_struck, *trial_lift;  // (n) of the step under trial
    double *f, *load, *change;          // (n)
    double *phi, *lambda;               // (m)
    double *blow, *trial_blow;          // (m) impulses of prescribed motions by the blows of the last step
    bool blows, trial_blows;            // there are some
    bool *acted;                        // (n)
    int warm_count;
    double *warm, *trial_warm;  // (TMLI_WARM room) impulses of the last step
    int trial_warm_count;
    double *strike;  // (6 room) velocities before impacts, impulses of compression
} tmli_moreau;

// ---- points.c ---------------------------------------------------------------------------------------------

/** Find the points of contact at x that may touch within h, as points of s->cone, without answers. */
tml_status tmli_moreau_find(tmli_moreau *s, const tml_state *x, double h, tml_error *err);
/** Set the answers of all points; matrix: of the coupled coordinates, factored. rows: 1 for normals alone. */
tml_status tmli_moreau_answer(tmli_moreau *s, int rows, tml_error *err);
/** True if a point touches coupled coordinates. */
bool tmli_moreau_touches_coupled(const tmli_moreau *s);
/** Solve s->cone, and count; TML_RETRY if its residual is above the bound. */
tml_status tmli_moreau_solve(tmli_moreau *s, tmli_cone_result *r, tml_error *err);
/** Count what a solution has cost, and its residual if it is one. */
void tmli_moreau_count(tmli_moreau *s, const tmli_cone_result *r);
/** Impulses of the last step as start values, and their effect on s->cone.v. */
void tmli_moreau_recall(tmli_moreau *s);
/** out (n): the impulses of contacts on coupled coordinates, added. */
void tmli_moreau_add_impulses(const tmli_moreau *s, double *out);
/** Work of prescribed motions by the impulses s->lambda of constraints [J], with their rates at x. */
double tmli_moreau_driven(const tmli_moreau *s, const tml_state *x);
/** Keep the impulses of the present step for the next one. */
void tmli_moreau_keep(tmli_moreau *s);

/** Loads of a captured contact in the last step; see contact_loads of tml_method_ops. */
void tmli_moreau_loads(const tmli_moreau *s, int contact, double out[3]);

// ---- impacts.c --------------------------------------------------------------------------------------------

/** (1): s->cone.v, the velocities at x. h: of the step. */
tml_status tmli_moreau_strike(tmli_moreau *s, const tml_state *x, double h, tml_error *err);

// ---- positions.c ------------------------------------------------------------------------------------------

/** (4), and the constraints of velocities: s->trial. */
tml_status tmli_moreau_set_positions(tmli_moreau *s, tml_error *err);

#endif
