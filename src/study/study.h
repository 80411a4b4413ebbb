// The inside of a study, which study/file has read. Files of this room:
//   open.c        the model of a study, built once: names and expressions checked, whether parameters change
//                 in place
//   curves.c      expressions of channels over the steps of a run (curves.h)
//   quantities.c  what a run gives: curves and states to numbers
//   worker.c      runs members one after the other
//   recycle.c     memory of a worker, used again for the next member
//   journal.c     the file to which members are appended as they end
//   table.c       rows of a journal in order; CSV and HDF5
//   summary.c     statistics, correlations, Sobol indices
//   optimize.c    the search of an optimum, each evaluation a member
//   units.c       units of columns
//   crew.c        the hand-out of members
//   ranks.c       members on many processes
//   run.c         all members; parts put together
#ifndef TMLI_STUDY_STUDY_H
#define TMLI_STUDY_STUDY_H

#include "study/file/study.h"

// open.c
/** Settings of a run with those of the study. */
void tmli_study_override(const tmli_study_settings *s, tml_run_def *run);

// units.c
/** Infer the units of columns that are not given. sim: of the model, whose channels the quantities use. */
tml_status tmli_study_find_units(tml_study *s, const tml_sim *sim, tml_error *err);

// worker.c
/** As tml_study_worker_run, with parameters that are given in `values`. */
tml_status tmli_worker_run_at(tml_study_worker *w, double *values, tml_error *err);

// recycle.c
/** Memory that is given back is kept for the next request of its size: members that need the same take
 * nothing from the system after the first. One thread at a time. */
typedef struct tmli_recycler tmli_recycler;
tmli_recycler *tmli_recycler_create(void);
void tmli_recycler_destroy(tmli_recycler *r);
/** An environment with this memory and the files of another one, and without a log. */
tml_env tmli_recycler_env(tmli_recycler *r, const tml_env *of);

// journal.c
typedef struct tmli_journal tmli_journal;
typedef enum tmli_journal_mode {
    TMLI_JOURNAL_NEW,       // there must be none
    TMLI_JOURNAL_RESUME,    // continue one, or begin it
    TMLI_JOURNAL_OVERWRITE  // begin, also if there is one
} tmli_journal_mode;
/** Open the journal of a study for writing. The members of one that is continued are added to the table; its
 * last line is cut off if it is not whole, lines that were changed since do not count, and the log tells. It
 * is locked against other processes. */
tml_status tmli_journal_open(const tml_study *s, const char *path, tmli_journal_mode mode, tml_study_table *t,
                             tmli_journal **out, tml_error *err);
/** Append lines of tmli_journal_line; one write. */
tml_status tmli_journal_append(tmli_journal *j, const char *text, size_t length, tml_error *err);
void tmli_journal_close(tmli_journal *j);  // accepts NULL
/** One member as a row of the table; returns its length, at most `room`. values: parameters and quantities.
 */
size_t tmli_study_row(const tml_study *s, long member, const double *values, const char *message, char *out,
                      size_t room);
/** The same with a checksum. */
size_t tmli_journal_line(const tml_study *s, long member, const double *values, const char *message,
                         char *out, size_t room);
size_t tmli_journal_room(const tml_study *s);  // of the longest line

// table.c
typedef struct tmli_table_row {
    long member;
    long place;     // of its values
    char *message;  // NULL: none
} tmli_table_row;
struct tml_study_table {
    tml_env env;
    int width;  // parameters and quantities
    long count, room;
    tmli_table_row *row;
    double *values;  // (room, width)
};
tml_status tmli_table_create(const tml_study *s, tml_study_table **out, tml_error *err);
tml_status tmli_table_add(tml_study_table *t, long member, const double *values, const char *message,
                          tml_error *err);
/** Sort by members; of equal rows one is kept. TML_ERR_ARG: two rows of a member differ. */
tml_status tmli_table_sort(tml_study_table *t, tml_error *err);

// run.c
/** NAME of the results and an extension; the caller frees it. NULL: no memory. */
char *tmli_study_file(const tml_study *s, const tml_study_run_def *def, const char *extension);
tmli_journal_mode tmli_study_mode(const tml_study_run_def *def);
/** The tables of a journal with `done` members. TML_ERR_IO: it does not have them. */
tml_status tmli_study_write_tables(const tml_study *s, const tml_study_run_def *def, const char *journal,
                                   long done, tml_error *err);

#endif
