// What takes part in the comparison: a simulator with settings, each of which can be made more accurate step
// by step. Every peer is a program of its own (serve.c with one peer_*.c) that bench_peers starts and asks
// (remote.h): so their libraries, which define functions of the same names, do not get in each other's way,
// and one that crashes does not take the others with it.
#ifndef PEERS_PEER_H
#define PEERS_PEER_H

#include "mechanism.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer_result {
    double setup;      // processor time from the model's text (or the equations) to the first step
    double seconds;    // of the integration loop, samples taken
    long steps;        // 0 after a failure: it could not even start
    const char *note;  // e.g. the method chosen; NULL: nothing; kept by the peer until the next run
} peer_result;

typedef struct peer {
    const char *(*version)(void);
    /** Name of setting i that suits the mechanism, in buf; false beyond the last. quick: fewer of them. */
    bool (*setting)(const mechanism *m, bool quick, int i, char *buf, size_t size);
    /** The loosest accuracy to begin with (a tolerance, or a step over the time between samples), and the
     * factor from one to the next. */
    double first, factor;
    /** Simulate to m->end and take the samples. limit: seconds of processor time after which to give up.
     * NULL, or what went wrong (kept by the peer until the next run); PEER_LATE: the limit. */
    const char *(*run)(const mechanism *m, int setting, double accuracy, double limit, samples *out,
                       peer_result *result);
} peer;

#define PEER_LATE "time limit"

/** The one peer of a program. */
extern const peer the_peer;

/** What a program is asked on descriptor 3 and answers on descriptor 4. */
typedef enum peer_question { ASK_PEER, ASK_SETTING, ASK_RUN } peer_question;

typedef struct peer_request {
    peer_question question;
    problem_kind kind;
    int n, setting;
    bool quick;
    double accuracy, limit;
} peer_request;

/** Followed by `rows` rows of poses. */
typedef struct peer_reply {
    bool ok;
    char text[256];  // version, name of the setting, or what went wrong
    char note[32];
    double first, factor, setup, seconds;
    double spent;  // processor time of the program since it began [s]
    long steps;
    int rows;
} peer_reply;

#ifdef __cplusplus
}
#endif
#endif
