// A peer seen from bench_peers: the program that runs it, started when it is first asked and again if it has
// crashed.
#ifndef PEERS_REMOTE_H
#define PEERS_REMOTE_H

#include "peer.h"

#include <sys/types.h>

typedef struct remote {
    const char *name;  // for people
    char path[1024];
    pid_t pid;  // 0: not running
    int ask, hear;
    double spent;    // processor time of the program, over all its starts [s]
    double counted;  // of its present start, at the last reply
    char version[64];
    double first, factor;
    peer_reply reply;  // the last one
} remote;

/** False if there is no such program beside this one, or it does not start. */
bool remote_open(remote *r, const char *name, const char *folder, const char *program);
void remote_close(remote *r);
bool remote_setting(remote *r, const mechanism *m, bool quick, int i, char *buf, size_t size);
/** As peer.run; the text lives until the next call. */
const char *remote_run(remote *r, const mechanism *m, int setting, double accuracy, double limit,
                       samples *out, peer_result *result);

#endif
