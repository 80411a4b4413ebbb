// Members on many processes. Process 0 hands them out in chunks and writes the journal; the others run them.
//
// A process has two chunks: the one it runs and the next one, so that it does not wait for an answer. The
// lines of a chunk come back together. A chunk lasts CHUNK_SECONDS by the mean time of members so far, which
// keeps process 0 free; towards the end it is a share of what is left, so that all end together.
//
//   process r to 0:  report, then lines of members; each is answered by
//   process 0 to r:  count, members; count 0: no more
#define _POSIX_C_SOURCE 200809L
#include "study/crew.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "study/constants.h"

typedef struct report {
    double seconds;   // that the chunk took
    int64_t members;  // lines that follow
    int64_t failed;   // of them
    int64_t lacking;  // members that could not be run
    int64_t lack;     // status of the last of them
    int64_t stop;     // 1: the process was asked to stop, or failed
} report;

typedef struct answer {
    int64_t count;
    int64_t member[TMLI_STUDY_CHUNK];
} answer;

static void nap(void)
{
    const struct timespec t = {0, TMLI_STUDY_NAP_NS};
    nanosleep(&t, NULL);
}

int tmli_ranks_chunk(double mean, long left, int ranks)
{
    const double by_time = mean > 0 ? CHUNK_SECONDS / mean : 1;
    const double by_share = ceil((double)left / (TMLI_STUDY_SHARES * ranks));
    return (int)fmax(1, fmin(fmin(by_time, by_share), TMLI_STUDY_CHUNK));
}

// ---- process 0 --------------------------------------------------------------------------------------------

static int chunk_size(tmli_crew *c)
{
    pthread_mutex_lock(&c->lock);
    const double mean = c->busy_members ? c->busy_seconds / (double)c->busy_members : 0;
    const long left = c->progress.members - c->progress.done;
    pthread_mutex_unlock(&c->lock);
    return tmli_ranks_chunk(mean, left, c->def->ranks->count);
}

static void take_report(tmli_crew *c, const char *data, size_t size)
{
    report r;
    memcpy(&r, data, sizeof r);
    pthread_mutex_lock(&c->lock);
    c->busy_seconds += r.seconds;
    c->busy_members += (long)r.members;
    if (r.stop) c->stopped = true;
    pthread_mutex_unlock(&c->lock);
    if (r.lacking) {
        tml_error err = {0};
        tmli_fail(&err, (tml_status)r.lack, "%s",
                  r.lack == TML_ERR_NOMEM ? "memory is exhausted" : "a file cannot be read");
        tmli_crew_lack(c, (long)r.lacking, &err);
    }
    if (r.members) tmli_crew_finish(c, data + sizeof r, size - sizeof r, (long)r.members, (long)r.failed);
}

void tmli_ranks_serve(tmli_crew *c)
{
    const tml_study_ranks *ranks = c->def->ranks;
    const tml_env *env = &c->study->env;
    int open = 2 * (ranks->count - 1);  // chunks that will be asked for
    char *data = NULL;
    size_t room = 0;
    tml_error err = {0};
    tml_status st = TML_OK;
    while (open > 0 && st == TML_OK) {
        int from = 0;
        size_t size = 0;
        long members[TMLI_STUDY_CHUNK];
        answer a = {0};
        if (!ranks->probe(&from, &size, ranks->user)) {
            nap();
            continue;
        }
        if (size > room) {
            tmli_free(env, data);
            data = tmli_calloc(env, room = 2 * size, 1);
            if (!data) st = tmli_no_memory(&err, "study");
        }
        if (st == TML_OK) st = ranks->receive(from, data, size, ranks->user, &err);
        if (st != TML_OK) break;
        if (size >= sizeof(report)) take_report(c, data, size);
        a.count = tmli_crew_take(c, chunk_size(c), members);
        for (int i = 0; i < a.count; i++) a.member[i] = members[i];
        if (a.count == 0) open--;
        st = ranks->send(from, &a, sizeof a.count + (size_t)a.count * sizeof *a.member, ranks->user, &err);
    }
    tmli_free(env, data);
    if (st != TML_OK) tmli_crew_stop(c, &err);
}

// ---- the others -------------------------------------------------------------------------------------------

typedef struct hand {
    const tml_study *s;
    const tml_study_run_def *def;
    tml_study_worker *worker;
    double *values;
    char *data;  // a report and its lines
    size_t room;
    bool stopped;
} hand;

static bool wants_stop(hand *h)
{
    const tml_study_progress none = {0};
    if (h->def->progress && !h->def->progress(&none, h->def->user)) h->stopped = true;
    return h->stopped;
}

// Run a chunk and report it.
static tml_status run_chunk(hand *h, const answer *a, tml_error *err)
{
    const tml_study_ranks *ranks = h->def->ranks;
    report r = {0};
    size_t used = sizeof r;
    const double began = tmli_wall_time();
    for (int i = 0; i < a->count && !wants_stop(h); i++) {
        bool failed;
        tml_error own;
        const size_t length =
            tmli_member_line(h->worker, h->s, (long)a->member[i], h->values, h->data + used, &failed, &own);
        used += length;
        r.members += length > 0;
        r.failed += failed && length > 0;
        r.lacking += length == 0;
        if (length == 0) r.lack = own.status;
    }
    r.seconds = tmli_wall_time() - began;
    r.stop = h->stopped;
    memcpy(h->data, &r, sizeof r);
    return ranks->send(0, h->data, used, ranks->user, err);
}

static tml_status receive(const tml_study_ranks *ranks, answer *a, tml_error *err)
{
    int from = 0;
    size_t size = 0;
    while (!ranks->probe(&from, &size, ranks->user)) nap();
    if (size < sizeof a->count || size > sizeof *a)
        return tmli_fail(err, TML_ERR_IO, "A message between processes has %zu bytes.", size);
    return ranks->receive(from, a, size, ranks->user, err);
}

tml_status tmli_ranks_work(const tml_study *s, const tml_study_run_def *def, tml_error *err)
{
    const tml_study_ranks *ranks = def->ranks;
    hand h = {.s = s, .def = def, .room = sizeof(report) + TMLI_STUDY_CHUNK * tmli_journal_room(s)};
    h.data = tmli_calloc(&s->env, h.room, 1);
    h.values = tmli_calloc(&s->env, (size_t)(s->nparameters + s->nquantities) + 1, sizeof *h.values);
    tml_status ready = h.data && h.values ? TML_OK : tmli_no_memory(err, "study");
    if (ready == TML_OK) ready = tml_study_worker_create(s, &h.worker, err);
    const report hello = {.stop = ready != TML_OK};
    tml_status st = TML_OK;
    for (int i = 0; i < 2 && st == TML_OK; i++) st = ranks->send(0, &hello, sizeof hello, ranks->user, err);
    for (int open = 2; open > 0 && st == TML_OK;) {
        answer a = {0};
        st = receive(ranks, &a, err);
        if (st != TML_OK) break;
        if (a.count == 0) open--;
        else if (ready == TML_OK) st = run_chunk(&h, &a, err);
        else st = ranks->send(0, &hello, sizeof hello, ranks->user, err);
    }
    tml_study_worker_destroy(h.worker);
    tmli_free_all(&s->env, h.data, h.values);
    return ready != TML_OK ? ready : st;
}
