// The inside of a check, shared by its files: check.c computes, check_notes.c puts it into sentences.
#ifndef TMLI_CHECK_H
#define TMLI_CHECK_H

#include "analysis/linearize.h"
#include "analysis/rank.h"
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
    bool failed;  // memory ran out while taking notes
} tmli_checker;

/** Add a note; text as of printf. */
void tmli_check_note(tmli_checker *k, tml_log_level level, const char *fmt, ...) TML_PRINTF(3, 4);
/** All notes that follow from the numbers of the check. */
void tmli_check_judge(tmli_checker *k);
/** Arena copy of a text. NULL: memory. */
const char *tmli_check_text(tmli_checker *k, const char *text);

#endif
