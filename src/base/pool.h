// A pool of threads, created once: a parallel loop costs two wake-ups and no creation of threads.
#ifndef TMLI_BASE_POOL_H
#define TMLI_BASE_POOL_H

#include "base/base.h"

typedef struct tmli_pool tmli_pool;

/** threads: including that of the caller; 0: one per processor, at most 8. The pool has fewer if the system
 * provides no more. Error: TML_ERR_NOMEM. */
tml_status tmli_pool_create(int threads, const tml_env *env, tmli_pool **out, tml_error *err);
void tmli_pool_destroy(tmli_pool *p);       // accepts NULL
int tmli_pool_threads(const tmli_pool *p);  // NULL: 1
/** Call task(arg, worker) for worker = 0 .. threads - 1 in parallel; returns when all have finished. p NULL:
 * worker 0 only. */
void tmli_pool_run(tmli_pool *p, void (*task)(void *arg, int worker), void *arg);

/** Around calls of libraries whose threads share memory without a lock of their own (linalg/dense/lapack.h):
 * others wait. Not recursive. */
void tmli_library_enter(void);
void tmli_library_leave(void);

#endif
