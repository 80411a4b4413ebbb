// One problem with all that runs on it: which setting of a peer reaches an error at the least time.
#ifndef PEERS_CONTEST_H
#define PEERS_CONTEST_H

#include "reference.h"
#include "remote.h"

enum { LEVELS = 2, MAX_POINTS = 40, MAX_ENTRIES = 160 };
extern const double LEVEL[LEVELS];  // errors at which times are compared

/** What is timed: the integration loop with its samples; the same with all that comes before it. */
typedef enum timing { LOOP, WHOLE, TIMINGS } timing;

typedef struct point {
    double accuracy, error;
    double seconds[TIMINGS];  // the least of its runs
    long steps;
    int runs;
    char note[32];
} point;

/** One setting of a peer. Points from loose to tight. */
typedef struct entry {
    remote *p;
    int index;
    char name[64];
    int count;
    point point[MAX_POINTS];
    bool closed;
    double next, cost;  // accuracy to try next; processor time of the last run [s]
    int failures;
    double late;       // [s] in which a run did not finish, at an accuracy that it would have needed; 0: none
    double failed_at;  // accuracy of the first run that failed, 0: none
    char failure[160];
} entry;

typedef struct contest_options {
    bool quick;    // fewer settings
    bool all;      // follow every setting to the smallest error, to see where it fails
    double limit;  // [s] of one run
    double cell;   // [s] of processor time in which a peer must have found its fastest settings of a problem
    int repeats;   // of the fastest runs, at least
} contest_options;

typedef struct contest {
    const mechanism *m;
    const reference *ref;
    contest_options opt;
    samples work;
    double stop;  // time of the present peer (remote.spent) at which its search ends
    int count;
    entry *entry;  // (MAX_ENTRIES)
} contest;

contest *contest_create(const mechanism *m, const reference *ref, const contest_options *opt);
void contest_destroy(contest *c);

/** Every setting from loose to tight until it reaches the smallest error, fails, or cannot win any more, or
 * the time of the peer is spent; then the fastest again. keep: settings that are followed to the smallest
 * error even when they cannot win (the first so many). hopeless: settings to leave out. */
void contest_measure(contest *c, remote *p, int keep, const bool hopeless[MAX_ENTRIES]);
/** The settings that took more than 1.5 times the fastest one's time at every level. */
void contest_find_hopeless(contest *c, const remote *p, bool hopeless[MAX_ENTRIES]);
/** Times the fastest runs of all again, in turn, so that what else the machine does meets all of them. */
void contest_race(contest *c);
/** The fastest point at a level among the entries of a peer; only: an entry's index, -1: any. NULL: none
 * reaches it. */
const point *contest_best(const contest *c, const remote *p, int only, int level, timing by,
                          const entry **of);
/** [s] in which no run of a peer reached a level; 0: it was not for the time that none did. */
double contest_late(const contest *c, const remote *p, int only);

#endif
