// Switches: the discontinuities of a system. Each has a mode, which selects one smooth branch.
#ifndef TRAMMEL_SWITCHES_H
#define TRAMMEL_SWITCHES_H

#include <math.h>
#include <stdbool.h>

/** What `restitution` of a rigid contact is the ratio of. */
typedef enum tml_impact_law {
    TML_IMPACT_NEWTON,   ///< speeds along the normal, after over before the impact
    TML_IMPACT_POISSON,  ///< normal impulses, of expansion over compression
    TML_IMPACT_LAWS
} tml_impact_law;

typedef enum tml_switch_kind {
    TML_SWITCH_BRANCH,      ///< of an expression or a law: it has no row
    TML_SWITCH_UNILATERAL,  ///< a unilateral constraint: its row pushes and does not pull
    TML_SWITCH_FRICTION     ///< its row holds as long as its multiplier is within the cone of friction
} tml_switch_kind;

/** Modes: numbers of tml_state.mode. Switches of expressions and laws have others, each of its own, beside
 * UNSET. Friction that slips may have any number that is not among these. */
typedef enum tml_switch_mode {
    TML_SWITCH_UNSET = 0,     ///< no branch is fixed
    TML_SWITCH_RELEASED = 1,  ///< open; friction slips, +1 or -1 in the direction of its coordinate
    TML_SWITCH_HELD = 2,      ///< the row is in force: closed; friction sticks
    TML_SWITCH_DRIVEN = 3,    ///< friction slips, +3 or -3, and never sticks: all motion is prescribed
    TML_SWITCH_STRUCK = 4     ///< the unilateral constraint has just closed: an impulse follows at once
} tml_switch_mode;

/** The mode of a switch of which no branch is fixed, and that is not monitored. */
#define TML_SWITCH_UNWATCHED HUGE_VAL

/** Its event function is positive while a unilateral constraint is open or moves apart, and when it is
 * closed, while it pushes; while friction sticks, as long as its multiplier, a force or an impulse, is within
 * the cone. In the mode HELD it depends on udot and lambda of the state, else on the motion. */
typedef struct tml_switch {
    tml_switch_kind kind;
    bool of_time;        ///< it depends on time alone
    int row;             ///< in force, at velocity level, in the mode HELD; -1: none
    double restitution;  ///< 0..1, of a unilateral constraint
    tml_impact_law law;  ///< of a unilateral constraint
    /** Friction has a force in proportion to multipliers, so that it takes part in impacts: the unilateral
     * constraint that loads it, or nmode, a joint; -1: it has not. */
    int loaded_by;
} tml_switch;

#endif
