// Those who run the members of a study: threads of this process, and other processes (ranks.c). Members are
// handed out in ascending order; lines come back in any order.
#ifndef TMLI_STUDY_CREW_H
#define TMLI_STUDY_CREW_H

#include "study/study.h"

#include <pthread.h>

typedef struct tmli_crew {
    const tml_study *study;
    const tml_study_run_def *def;
    tmli_journal *journal;
    unsigned char *done;   // (members) 1: the journal has it
    pthread_mutex_t lock;  // guards what follows
    long next;             // member that is handed out next
    bool stopped;
    tml_study_progress progress;
    double began;         // [s]
    double busy_seconds;  // of members that other processes have run
    long busy_members;    // their number
    tml_error err;        // the first failure that is not a member's own
    long lacking;         // members that could not be run for lack of memory, or of a file
    tml_error lack;       // of the first of them
} tmli_crew;

/** At most `most` members that are not done; returns their number, 0: no more. */
int tmli_crew_take(tmli_crew *c, int most, long *members);
/** Append the lines of `count` members to the journal. */
void tmli_crew_finish(tmli_crew *c, const char *lines, size_t length, long count, long failed);
/** Members that could not be run: they stay undone. */
void tmli_crew_lack(tmli_crew *c, long count, const tml_error *err);
/** Hand out no more; err: why (may be TML_OK). */
void tmli_crew_stop(tmli_crew *c, const tml_error *err);
/** Run members in this thread until there are no more. */
void tmli_crew_work(tmli_crew *c);

/** Run a member; its line, of at most tmli_journal_room bytes. 0: memory or a file is lacking, which says
 * nothing about the member; err tells. */
size_t tmli_member_line(tml_study_worker *w, const tml_study *s, long member, double *values, char *line,
                        bool *failed, tml_error *err);

/** The sentence of an error with its place, as the command prints it. */
void tmli_member_message(const tml_error *err, char *out, size_t room);

// ranks.c
/** Hand members out to the other processes until all of them have been told that there are no more. */
void tmli_ranks_serve(tmli_crew *c);
/** Run members that process 0 hands out. */
tml_status tmli_ranks_work(const tml_study *s, const tml_study_run_def *def, tml_error *err);
/** Members of the next chunk. mean: of a member [s], 0: not known. */
int tmli_ranks_chunk(double mean, long left, int ranks);

#endif
