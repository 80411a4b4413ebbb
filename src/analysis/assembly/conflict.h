// Constraints that contradict each other: which, and by how much.
//
// If no configuration satisfies all constraints, the assembly ends at one with the least sum of squares,
//   B' r^2 Phi = 0       r: row units                                                     (1)
// so the rows with a residual are in conflict, and all others do not take part. If all members of a conflict
// but one were satisfied, this one would be off by
//   gap = sum |r Phi|^2 / (r |r Phi|)        sum over the conflict                        (2)
// (for two rods between the same points: the difference of their lengths).
#ifndef TMLI_ANALYSIS_ASSEMBLY_CONFLICT_H
#define TMLI_ANALYSIS_ASSEMBLY_CONFLICT_H

#include "base/base.h"
#include <trammel/system.h>

/** One side of a conflict: the lengths or the angles of a joint, or a row of a system of callbacks. */
typedef struct tmli_conflict {
    int joint;    // of the model; -1: systems of callbacks
    int row;      // its worst row
    int group;    // members of one group contradict each other
    double gap;   // (2) [m, rad; per second if `rate`]
    bool length;  // else an angle
    double size;  // |r Phi|
    bool odd;     // the others of its group agree with each other
    bool flat;    // the row has no gradient
} tmli_conflict;

typedef struct tmli_conflicts {
    tml_env env;
    int count, groups;
    bool rate;            // of velocities
    tmli_conflict *list;  // by group, in each the largest first
} tmli_conflicts;

/** Members from residuals phi (m) in units r (m) and the values of B. */
tml_status tmli_conflicts_find(const tml_system *sys, const double *phi, const double *r, const double *rows,
                               bool rate, tmli_conflicts *out, tml_error *err);
void tmli_conflicts_clear(tmli_conflicts *c);  // accepts a zeroed one

/** "joint 'rod1' and joint 'rod2' contradict each other by 0.1 m": a clause per group. Of three joints or
 * more, if the others agree without one of them: "joint 'middle' contradicts joint 'low' and joint 'high',
 * which agree with each other: ...". */
void tmli_conflicts_text(const tml_system *sys, const tmli_conflicts *c, char *buf, size_t size);
/** at: indices in the list of the first members of the joints of a group, at most `room`. Returns the number
 * of joints. */
int tmli_conflict_joints(const tmli_conflicts *c, int group, int *at, int room);
/** The joint of member i contradicts the others of its group, which agree: it becomes the first of them. phi
 * (m), rows: at a configuration that satisfies all others, so that its residual is the gap. */
void tmli_conflict_set_odd(const tml_system *sys, tmli_conflicts *c, int i, const double *phi,
                           const double *rows);
/** True if a row has no gradient: it gives no direction of correction. False for systems of callbacks, whose
 * rows may be of any size. */
bool tmli_conflict_is_flat(const tml_system *sys, const double *rows, int row);
/** True if a row is a length, false for an angle, which does not depend on translations. The distance of
 * coincident points has no derivative and is a length. rows: B of sys. */
bool tmli_conflict_is_length(const tml_system *sys, const double *rows, int row);

#endif
