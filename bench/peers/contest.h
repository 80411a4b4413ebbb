// One problem with all that runs on it: which setting of a peer reaches an error at the least time.
#ifndef PEERS_CONTEST_H
#define PEERS_CONTEST_H

#include "reference.h"
#include "remote.h"

enum { LEVELS = 2, MAX_POINTS = 40, MAX_ENTRIES = 160 };
extern const double LEVEL[LEVELS];  // errors at which times are compared

typedef struct point {
    double accuracy, error, seconds;  // seconds: the least of its runs
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
    double failed_at;  // accuracy of the first run that failed, 0: none
    char failure[160];
} entry;

typedef struct contest_options {
    bool quick;    // fewer settings
    bool all;      // follow every setting to the smallest error, to see where it fails
    double limit;  // [s] of one run
    int repeats;
} contest_options;

typedef struct contest {
    const mechanism *m;
    const reference *ref;
    contest_options opt;
    samples work;
    int count;
    entry *entry;  // (MAX_ENTRIES)
} contest;

contest *contest_create(const mechanism *m, const reference *ref, const contest_options *opt);
void contest_destroy(contest *c);

/** Every setting from loose to tight until it reaches the smallest error, fails, or cannot win any more; then
 * the fastest again. keep: settings that are followed to the smallest error even when they cannot win (the
 * first so many). hopeless: settings to leave out. */
void contest_measure(contest *c, remote *p, int keep, const bool hopeless[MAX_ENTRIES]);
/** The settings that took more than 1.5 times the fastest one's time at every level. */
void contest_find_hopeless(contest *c, const remote *p, bool hopeless[MAX_ENTRIES]);
/** The fastest point at a level among the entries of a peer; only: an entry's index, -1: any. NULL: none
 * reaches it. */
const point *contest_best(const contest *c, const remote *p, int only, int level, const entry **of);

#endif
