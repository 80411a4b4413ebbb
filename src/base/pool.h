// Threads that wait for work: created once, so that a parallel loop costs two wake-ups and no creation.
#ifndef TMLI_BASE_POOL_H
#define TMLI_BASE_POOL_H

#include "base/base.h"

typedef struct tmli_pool tmli_pool;

/** threads: including the caller's; 0: as many as there are processors, at most 8. Fewer if the machine gives
 * no more. */
tml_status tmli_pool_create(int threads, const tml_env *env, tmli_pool **out, tml_error *err);
void tmli_pool_destroy(tmli_pool *p);       // accepts NULL
int tmli_pool_threads(const tmli_pool *p);  // NULL: 1
/** task(arg, worker) for worker = 0 .. threads - 1, at the same time; returns when all are done. NULL: worker
 * 0 alone. */
void tmli_pool_run(tmli_pool *p, void (*task)(void *arg, int worker), void *arg);

#endif
