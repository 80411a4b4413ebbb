// The inside of a check, shared by its files: check.c computes, check_rows.c looks at dependent rows,
// check_sweep.c at singular positions on the way, check_notes.c puts it into sentences.
#ifndef TMLI_ANALYSIS_CHECK_CHECK_H
#define TMLI_ANALYSIS_CHECK_CHECK_H

#include "analysis/assembly/conflict.h"
#include "analysis/modes/linearize.h"
#include "analysis/rank/dependence.h"
#include "analysis/rank/rank.h"
#include <trammel/check.h>

typedef struct tmli_checker {
    tml_check check;  // first: a tml_check pointer is one to this
    tml_env env;
    tmli_arena arena;
    const tml_model *model;  // NULL for systems of callbacks
    const tml_system *sys;
    void *work;
    tml_state *given, *x;  // as given; assembled
    tml_check_note *notes;
    int note_room;
    bool failed;              // memory ran out while taking notes
    tml_check_joint *joints;  // those of the check, to be filled in; NULL for systems of callbacks
    tml_check_row *row_list;
    tmli_dependence dependence;  // of the assembled start
    const char *gaps;            // who contradicts whom in what it leaves open; NULL: nothing to speak of
} tmli_checker;

/** Add a note; text as of printf. */
void tmli_check_note(tmli_checker *k, tml_log_level level, const char *fmt, ...) TML_PRINTF(3, 4);
/** Rows with their components. */
tml_status tmli_check_list_rows(tmli_checker *k, tml_error *err);
/** Degrees of freedom, dependent rows, sets, reactions. nearby: of a configuration close by, NULL if it is
 * not known. */
tml_status tmli_check_dependence(tmli_checker *k, const tmli_dependence *nearby, tml_error *err);
/** How near the mechanism comes to singular positions when it moves; after the dependent rows. */
tml_status tmli_check_sweeps(tmli_checker *k, tml_error *err);
/** Who contradicts whom. */
tml_status tmli_check_conflicts(tmli_checker *k, const tmli_conflicts *found, tml_error *err);
/** All notes that follow from the numbers of the check. */
void tmli_check_judge(tmli_checker *k);
/** True if the joints of rows in sets that stay redundant all have their axes parallel: hinges, and slides
 * across them. */
bool tmli_check_is_plane(const tmli_checker *k);
/** True if every redundant set is made of joints that join the same bodies. */
bool tmli_check_joins_same(const tmli_checker *k);
/** Arena copy of a text. NULL: memory. */
const char *tmli_check_text(tmli_checker *k, const char *text);

#endif
