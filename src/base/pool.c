// A pool of threads and the lock of libraries; see pool.h.
#define _POSIX_C_SOURCE 200809L
#include "base/pool.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

enum { MAX_THREADS = 64, MAX_AUTOMATIC = 8 };

typedef struct worker {
    struct tmli_pool *pool;
    int index;
    pthread_t thread;
} worker;

struct tmli_pool {
    tml_env env;
    int threads;  // including that of the caller
    worker worker[MAX_THREADS];
    pthread_mutex_t lock;
    pthread_cond_t start, end;
    long round;  // number of the current loop
    int busy;    // workers that have not finished it
    bool closing;
    void (*task)(void *arg, int worker);
    void *arg;
};

static void *work(void *self)
{
    worker *w = self;
    tmli_pool *p = w->pool;
    long round = 0;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (p->round == round && !p->closing) pthread_cond_wait(&p->start, &p->lock);
        if (p->closing) break;
        round = p->round;
        pthread_mutex_unlock(&p->lock);
        p->task(p->arg, w->index);
        pthread_mutex_lock(&p->lock);
        if (--p->busy == 0) pthread_cond_signal(&p->end);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

tml_status tmli_pool_create(int threads, const tml_env *env, tmli_pool **out, tml_error *err)
{
    *out = NULL;
    if (threads == 0) {
        const long processors = sysconf(_SC_NPROCESSORS_ONLN);
        threads = processors < 1 ? 1 : processors > MAX_AUTOMATIC ? MAX_AUTOMATIC : (int)processors;
    }
    if (threads > MAX_THREADS) threads = MAX_THREADS;
    tmli_pool *p = tmli_calloc(env, 1, sizeof *p);
    if (!p) return tmli_no_memory(err, "threads");
    if (env) p->env = *env;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->start, NULL);
    pthread_cond_init(&p->end, NULL);
    for (p->threads = 1; p->threads < threads; p->threads++) {
        worker *w = &p->worker[p->threads];
        *w = (worker){.pool = p, .index = p->threads};
        if (pthread_create(&w->thread, NULL, work, w) != 0) break;
    }
    *out = p;
    return TML_OK;
}

void tmli_pool_destroy(tmli_pool *p)
{
    if (!p) return;
    pthread_mutex_lock(&p->lock);
    p->closing = true;
    pthread_cond_broadcast(&p->start);
    pthread_mutex_unlock(&p->lock);
    for (int i = 1; i < p->threads; i++) pthread_join(p->worker[i].thread, NULL);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->start);
    pthread_cond_destroy(&p->end);
    const tml_env env = p->env;
    tmli_free(&env, p);
}

int tmli_pool_threads(const tmli_pool *p) { return p ? p->threads : 1; }

void tmli_pool_run(tmli_pool *p, void (*task)(void *arg, int worker), void *arg)
{
    if (!p || p->threads == 1) {
        task(arg, 0);
        return;
    }
    pthread_mutex_lock(&p->lock);
    p->task = task;
    p->arg = arg;
    p->busy = p->threads - 1;
    p->round++;
    pthread_cond_broadcast(&p->start);
    pthread_mutex_unlock(&p->lock);
    task(arg, 0);
    pthread_mutex_lock(&p->lock);
    while (p->busy > 0) pthread_cond_wait(&p->end, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

static pthread_mutex_t library_lock = PTHREAD_MUTEX_INITIALIZER;

void tmli_library_enter(void) { pthread_mutex_lock(&library_lock); }
void tmli_library_leave(void) { pthread_mutex_unlock(&library_lock); }

double tmli_wall_time(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
