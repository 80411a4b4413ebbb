// The inside of a check. Files of this room:
//   check.c   creation; assembly, bodies and joints, spectrum
//   rows.c    dependent rows, reactions, degrees of freedom
//   sweeps.c  sweeps along the freedom of the mechanism, with their sentences
//   sweep.c   one sweep: the path and its singular configurations; sweep_point.c: one configuration of it
//   notes.c   notes on the results
#ifndef TMLI_ANALYSIS_CHECK_CHECK_H
#define TMLI_ANALYSIS_CHECK_CHECK_H

#include "analysis/assembly/conflict.h"
#include "analysis/modes/linearize.h"
#include "analysis/rank/dependence.h"
#include "analysis/rank/rank.h"
#include <trammel/check.h>

typedef struct tmli_checker {
    tml_check check;  // first member: a tml_check pointer is a pointer to this
    tml_env env;
    tmli_arena arena;
    const tml_model *model;  // NULL for systems of callbacks
    const tml_system *sys;
    void *work;
    tml_state *given, *x;  // as given; assembled
    tml_check_note *notes;
    int note_room;
    bool failed;              // an allocation of a text or note has failed
    tml_check_joint *joints;  // writable view of check.joints; NULL for systems of callbacks
    tml_check_row *row_list;
    tmli_dependence dependence;  // of the assembled start
    const char *gaps;  // contradicting joints within the residual that the assembly leaves; NULL: none
} tmli_checker;

/** Add a note; text as of printf. */
void tmli_check_note(tmli_checker *k, tml_log_level level, const char *fmt, ...) TML_PRINTF(3, 4);
/** List the constraint rows with their components. */
tml_status tmli_check_list_rows(tmli_checker *k, tml_error *err);
/** Degrees of freedom, dependent rows, sets, reactions. nearby: at a nearby configuration, NULL if it is not
 * known. */
tml_status tmli_check_dependence(tmli_checker *k, const tmli_dependence *nearby, tml_error *err);
/** Search for singular configurations along the motion; after tmli_check_dependence. */
tml_status tmli_check_sweeps(tmli_checker *k, tml_error *err);
/** List contradicting constraints. */
tml_status tmli_check_conflicts(tmli_checker *k, const tmli_conflicts *found, tml_error *err);
/** Add the notes that follow from the results. */
void tmli_check_add_notes(tmli_checker *k);
/** True if all joints with redundant rows are hinges with parallel axes or slides perpendicular to them. */
bool tmli_check_is_planar(const tmli_checker *k);
/** True if the joints of every redundant set connect the same bodies. */
bool tmli_check_connects_same_bodies(const tmli_checker *k);
/** Arena copy of a text. NULL: memory. */
const char *tmli_check_text(tmli_checker *k, const char *text);

#endif
