// All members of a study, by threads of one process. Members are handed out one at a time under a lock: a
// fraction of a microsecond beside runs of a millisecond and more.
#define _POSIX_C_SOURCE 200809L
#include "base/pool.h"
#include "study/study.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct crew {
    const tml_study *study;
    const tml_study_run_def *def;
    tmli_journal *journal;
    tml_study_worker **worker;  // (threads)
    unsigned char *done;        // (members) bits would save memory that runs do not miss
    pthread_mutex_t lock;       // guards what follows
    long next;                  // member that is handed out next
    bool stopped;
    tml_study_progress progress;
    double began;
    tml_error err;  // the first failure that is not a member's own
} crew;

static double wall_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// "member 17 ..." needs the place of an error too, as the command prints it.
static void message_of(const tml_error *err, char *out, size_t room)
{
    if (err->file[0] && err->line)
        snprintf(out, room, "%s:%d:%d: %s", err->file, err->line, err->col, err->msg);
    else if (err->t != 0) snprintf(out, room, "%s (at t = %.6g s)", err->msg, err->t);
    else snprintf(out, room, "%s", err->msg[0] ? err->msg : tml_status_name(err->status));
}

// The next member of this part that is not done; -1: none.
static long take_member(crew *c)
{
    const int parts = c->def->parts > 1 ? c->def->parts : 1, part = parts > 1 ? c->def->part - 1 : 0;
    pthread_mutex_lock(&c->lock);
    while (c->next < c->study->members && (c->next % parts != part || c->done[c->next])) c->next++;
    const long member = c->stopped || c->next >= c->study->members ? -1 : c->next++;
    pthread_mutex_unlock(&c->lock);
    return member;
}

static void finish_member(crew *c, const char *line, size_t length, bool failed)
{
    pthread_mutex_lock(&c->lock);
    tml_study_progress *p = &c->progress;
    if (c->err.status == TML_OK && tmli_journal_append(c->journal, line, length, &c->err) == TML_OK) {
        p->done++;
        p->failed += failed;
        p->here++;
        p->seconds = wall_clock() - c->began;
        p->rate = p->seconds > 0 ? (double)p->here / p->seconds : 0;
    }
    if (c->err.status != TML_OK) c->stopped = true;
    if (!c->stopped && c->def->progress && !c->def->progress(p, c->def->user)) c->stopped = true;
    pthread_mutex_unlock(&c->lock);
}

static void work(void *arg, int index)
{
    crew *c = arg;
    const tml_study *s = c->study;
    const size_t room = tmli_journal_room(s);
    char *line = tmli_calloc(&s->env, room + TML_ERROR_MSG + TML_ERROR_FILE + 64, 1);
    double *values = tmli_calloc(&s->env, (size_t)(s->nparameters + s->nquantities) + 1, sizeof *values);
    tml_error err = {0};
    tml_status st = line && values ? TML_OK : tmli_no_memory(&err, "study");
    if (st == TML_OK) st = tml_study_worker_create(s, &c->worker[index], &err);
    for (long member; st == TML_OK && (member = take_member(c)) >= 0;) {
        char *message = line + room;
        tml_error own = {0};
        const tml_status failed = tml_study_worker_run(c->worker[index], member, values, &own);
        message[0] = 0;
        if (failed != TML_OK) message_of(&own, message, TML_ERROR_MSG + TML_ERROR_FILE + 64);
        finish_member(c, line, tmli_journal_line(s, member, values, message, line, room), failed != TML_OK);
    }
    if (st != TML_OK) {
        pthread_mutex_lock(&c->lock);
        if (c->err.status == TML_OK) c->err = err;
        c->stopped = true;
        pthread_mutex_unlock(&c->lock);
    }
    tmli_free(&s->env, line);
    tmli_free(&s->env, values);
}

// ---- files ------------------------------------------------------------------------------------------------

/** NAME and an extension; the caller frees it. NULL: no memory. */
static char *file_name(const tml_study *s, const tml_study_run_def *def, const char *extension)
{
    const size_t room = strlen(def->out) + 64;
    char *path = tmli_calloc(&s->env, room, 1);
    if (path && def->parts > 1)
        snprintf(path, room, "%s.part%dof%d%s", def->out, def->part, def->parts, extension);
    else if (path) snprintf(path, room, "%s%s", def->out, extension);
    return path;
}

static tml_status write_tables(const tml_study *s, const tml_study_run_def *def, const char *journal,
                               tml_error *err)
{
    tml_study_table *t = NULL;
    tml_status st = tml_study_table_read(s, journal, &t, err);
    static const char *const extensions[] = {".csv", ".h5"};
    for (int i = 0; i < 2 && st == TML_OK; i++) {
        char *path = file_name(s, def, extensions[i]);
        st = path ? tml_study_table_write(s, t, path, err) : tmli_no_memory(err, "study");
        tmli_free(&s->env, path);
    }
    tml_study_table_destroy(t);
    return st;
}

// Members that the journal has.
static tml_status note_done(crew *c, tml_study_table *t, tml_error *err)
{
    const int parts = c->def->parts > 1 ? c->def->parts : 1, part = parts > 1 ? c->def->part - 1 : 0;
    const tml_status st = tmli_table_sort(t, err);
    for (long i = 0; i < t->count && st == TML_OK; i++) {
        c->done[tml_study_table_member(t, i)] = 1;
        c->progress.done++;
        c->progress.failed += tml_study_table_message(t, i)[0] != 0;
    }
    c->progress.members = (c->study->members - part + parts - 1) / parts;
    return st;
}

static tml_status run_threads(crew *c, tml_error *err)
{
    const tml_study *s = c->study;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN), left = c->progress.members - c->progress.done;
    long threads = c->def->threads > 0 ? c->def->threads : processors > 0 ? processors : 1;
    if (threads > left) threads = left > 0 ? left : 1;
    tmli_pool *pool = NULL;
    tml_status st = tmli_pool_create((int)threads, &s->env, &pool, err);
    if (st != TML_OK) return st;
    const int count = tmli_pool_threads(pool);
    c->worker = tmli_calloc(&s->env, (size_t)count, sizeof(tml_study_worker *));
    if (c->worker) tmli_pool_run(pool, work, c);
    else st = tmli_no_memory(err, "study");
    for (int i = 0; i < count && c->worker; i++) tml_study_worker_destroy(c->worker[i]);
    tmli_free(&s->env, (void *)c->worker);
    tmli_pool_destroy(pool);
    if (st == TML_OK && c->err.status != TML_OK) {
        st = c->err.status;
        if (err) *err = c->err;
    } else if (st == TML_OK && c->stopped) {
        st = tmli_fail(err, TML_ERR_STOPPED, "The study was stopped after %ld of %ld members.",
                       c->progress.done, c->progress.members);
    }
    return st;
}

tml_study_run_def tml_study_run_def_default(void)
{
    return (tml_study_run_def){.size = sizeof(tml_study_run_def)};
}

static tml_status check_def(const tml_study_run_def *def, tml_error *err)
{
    if (def->threads < 0)
        return tmli_fail(err, TML_ERR_ARG, "%d threads were asked for, expected 0 or more.", def->threads);
    if (def->parts > 1 && (def->part < 1 || def->part > def->parts))
        return tmli_fail(err, TML_ERR_ARG, "There is no part %d of %d.", def->part, def->parts);
    return TML_OK;
}

tml_status tml_study_run(const tml_study *s, const tml_study_run_def *def, tml_study_progress *out,
                         tml_error *err)
{
    if (out) *out = (tml_study_progress){0};
    if (!s || !def || !def->out) return tmli_null_argument(err, "tml_study_run");
    tml_status st = check_def(def, err);
    if (st != TML_OK) return st;
    const tmli_journal_mode mode = def->resume      ? TMLI_JOURNAL_RESUME
                                   : def->overwrite ? TMLI_JOURNAL_OVERWRITE
                                                    : TMLI_JOURNAL_NEW;
    crew c = {.study = s, .def = def, .began = wall_clock()};
    tml_study_table *earlier = NULL;
    char *journal = file_name(s, def, ".journal");
    c.done = tmli_calloc(&s->env, (size_t)s->members + 1, 1);
    pthread_mutex_init(&c.lock, NULL);
    if (!journal || !c.done) st = tmli_no_memory(err, "study");
    if (st == TML_OK) st = tmli_table_create(s, &earlier, err);
    if (st == TML_OK) st = tmli_journal_open(s, journal, mode, earlier, &c.journal, err);
    if (st == TML_OK) st = note_done(&c, earlier, err);
    tml_study_table_destroy(earlier);
    if (st == TML_OK && c.progress.done < c.progress.members) st = run_threads(&c, err);
    tmli_journal_close(c.journal);
    if (c.journal && (st == TML_OK || st == TML_ERR_STOPPED)) {
        const tml_status written = write_tables(s, def, journal, st == TML_OK ? err : NULL);
        if (st == TML_OK) st = written;
    }
    if (out) *out = c.progress;
    pthread_mutex_destroy(&c.lock);
    tmli_free(&s->env, c.done);
    tmli_free(&s->env, journal);
    return st;
}

// ---- parts ------------------------------------------------------------------------------------------------

tml_status tml_study_merge(const tml_study *s, const char *name, const char *const *journals, int count,
                           tml_study_progress *out, tml_error *err)
{
    if (out) *out = (tml_study_progress){0};
    if (!s || !name || (count > 0 && !journals)) return tmli_null_argument(err, "tml_study_merge");
    tml_study_run_def def = tml_study_run_def_default();
    def.out = name;
    tml_study_table *all = NULL;
    tmli_journal *journal = NULL;
    const size_t room = tmli_journal_room(s);
    char *line = tmli_calloc(&s->env, room, 1), *path = file_name(s, &def, ".journal");
    tml_status st = line && path ? tmli_table_create(s, &all, err) : tmli_no_memory(err, "study");
    for (int i = 0; i < count && st == TML_OK; i++) {
        tml_study_table *t = NULL;
        st = tml_study_table_read(s, journals[i], &t, err);
        for (long k = 0; k < tml_study_table_count(t) && st == TML_OK; k++)
            st = tmli_table_add(all, tml_study_table_member(t, k), tml_study_table_values(t, k),
                                tml_study_table_message(t, k), err);
        tml_study_table_destroy(t);
    }
    if (st == TML_OK) st = tmli_table_sort(all, err);
    tml_study_table *none = NULL;
    if (st == TML_OK) st = tmli_table_create(s, &none, err);
    if (st == TML_OK) st = tmli_journal_open(s, path, TMLI_JOURNAL_OVERWRITE, none, &journal, err);
    tml_study_progress p = {.members = s->members};
    for (long i = 0; i < tml_study_table_count(all) && st == TML_OK; i++) {
        const char *message = tml_study_table_message(all, i);
        const size_t n = tmli_journal_line(s, tml_study_table_member(all, i), tml_study_table_values(all, i),
                                           message, line, room);
        st = tmli_journal_append(journal, line, n, err);
        p.done++;
        p.failed += message[0] != 0;
    }
    tmli_journal_close(journal);
    if (st == TML_OK) st = write_tables(s, &def, path, err);
    if (out) *out = p;
    tml_study_table_destroy(none);
    tml_study_table_destroy(all);
    tmli_free(&s->env, line);
    tmli_free(&s->env, path);
    return st;
}
