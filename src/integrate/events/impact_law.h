// The law of an impact with Coulomb friction, for impulses p and rates u of the rows that take part:
//   u = W p + b,   W = G inverse(M) G', symmetric and semidefinite, where other constraints hold          (1)
// The rows form groups. A contact has a normal N and tangents T (one in the plane, two in space, none without
// friction); a friction has one tangent alone, with an impulse that is bounded:
//   contact:   0 <= p_N - l  perpendicular to  u_N >= 0,   |p_T| <= r,   r = mu p_N,
//              p_T = -r u_T/|u_T| if u_T is not 0                                                         (2)
//   friction:  the same for T, with r given                                                               (3)
// l = 0 but in the expansion of Poisson's law.
#ifndef TMLI_INTEGRATE_EVENTS_IMPACT_LAW_H
#define TMLI_INTEGRATE_EVENTS_IMPACT_LAW_H

#include "base/base.h"

typedef struct tmli_impact_group {
    int first;     // its first row: N, if it has one
    int normals;   // 1, or 0: friction alone
    int tangents;  // 0 to 2
    double mu;     // [-]
    double least;  // l [N s or N m s]
    double bound;  // r of (3)
    double kept;   // l before it is scaled
} tmli_impact_group;

typedef struct tmli_impact_law {
    const tml_env *env;
    int rows, groups;          // that take part
    tmli_impact_group *group;  // (max_groups)
    double *W;                 // (rows x rows)
    double *b, *p, *u;         // (rows)
    double error;              // [-] violation that is allowed, over the largest rate; LAW_ERROR at first
    double outside;            // [-] what b may be beyond the range of W, over its terms; 0 at first
    double *terms;             // (rows) the terms of b, added without their signs: they leave its round-off
    // scratch, all in units in which W has a diagonal of about 1
    double *scale;     // (rows) sqrt of the mean diagonal of a group
    double *radius;    // (groups) damping of a group by the others
    double *J;         // (rows x rows)
    double *kept;      // (rows x rows) W before it is scaled
    double *step, *x;  // (rows)
    double allowed;    // violation that is round-off
    double noise;      // what b may be beyond the range of W by round-off
} tmli_impact_law;

tml_status tmli_impact_law_create(const tml_env *env, int max_rows, tmli_impact_law *s, tml_error *err);
void tmli_impact_law_clear(tmli_impact_law *s);
/** p and u by (1) to (3), from W, b and the groups. False: no solution is found, though one exists if all l
 * are 0 and b is that of a motion. expands: the errors allowed are those of the solution before. */
bool tmli_impact_law_solve(tmli_impact_law *s, bool expands);

#endif
