// All members of a study: threads of this process, and other processes if there are some.
#define _POSIX_C_SOURCE 200809L
#include "base/pool.h"
#include "study/crew.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool has_ranks(const tml_study_run_def *def) { return def->ranks && def->ranks->count > 1; }

// Thread 0 of a study on many processes hands members out to them; the others run members here.
static void work(void *arg, int index)
{
    tmli_crew *c = arg;
    if (has_ranks(c->def) && index == 0) tmli_ranks_serve(c);
    else tmli_crew_work(c);
}

// ---- files ------------------------------------------------------------------------------------------------

char *tmli_study_file(const tml_study *s, const tml_study_run_def *def, const char *extension)
{
    const size_t room = strlen(def->out) + 64;
    char *path = tmli_calloc(&s->env, room, 1);
    if (path && def->parts > 1)
        snprintf(path, room, "%s.part%dof%d%s", def->out, def->part, def->parts, extension);
    else if (path) snprintf(path, room, "%s%s", def->out, extension);
    return path;
}

tml_status tmli_study_write_tables(const tml_study *s, const tml_study_run_def *def, const char *journal,
                                   long done, tml_error *err)
{
    tml_study_table *t = NULL;
    tml_status st = tml_study_table_read(s, journal, &t, err);
    if (st == TML_OK && tml_study_table_count(t) != done)
        st = tmli_fail(err, TML_ERR_IO,
                       "'%s' has %ld members in place of %ld: another program has changed it. --resume runs "
                       "those that it lacks.",
                       journal, tml_study_table_count(t), done);
    static const char *const extensions[] = {".csv", ".h5"};
    for (int i = 0; i < 2 && st == TML_OK; i++) {
        char *path = tmli_study_file(s, def, extensions[i]);
        st = path ? tml_study_table_write(s, t, path, err) : tmli_no_memory(err, "study");
        tmli_free(&s->env, path);
    }
    tml_study_table_destroy(t);
    return st;
}

// Members that the journal has.
static tml_status note_done(tmli_crew *c, tml_study_table *t, tml_error *err)
{
    const int parts = c->def->parts > 1 ? c->def->parts : 1, part = parts > 1 ? c->def->part - 1 : 0;
    const tml_status st = tmli_table_sort(t, err);
    for (long i = 0; i < t->count && st == TML_OK; i++) {
        const long member = tml_study_table_member(t, i);
        c->done[member] = 1;
        if (member % parts != part) continue;
        c->progress.done++;
        c->progress.failed += tml_study_table_message(t, i)[0] != 0;
    }
    c->progress.members = (c->study->members - part + parts - 1) / parts;
    return st;
}

static tml_status run_threads(tmli_crew *c, tml_error *err)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN), left = c->progress.members - c->progress.done;
    long threads = c->def->threads > 0 ? c->def->threads : processors > 0 ? processors : 1;
    if (has_ranks(c->def)) threads = 2;
    else if (threads > left) threads = left > 0 ? left : 1;
    tmli_pool *pool = NULL;
    const tml_status st = tmli_pool_create((int)threads, &c->study->env, &pool, err);
    if (st != TML_OK) return st;
    tmli_pool_run(pool, work, c);
    tmli_pool_destroy(pool);
    if (c->err.status != TML_OK) {
        if (err) *err = c->err;
        return c->err.status;
    }
    if (c->stopped)
        return tmli_fail(err, TML_ERR_STOPPED, "The study was stopped after %ld of %ld members.",
                         c->progress.done, c->progress.members);
    if (!c->lacking) return TML_OK;
    return tmli_fail(err, c->lack.status, "%ld of %ld members could not be run (%s); --resume runs them.",
                     c->lacking, c->progress.members, c->lack.msg);
}

tml_study_run_def tml_study_run_def_default(void)
{
    return (tml_study_run_def){.size = sizeof(tml_study_run_def)};
}

tmli_journal_mode tmli_study_mode(const tml_study_run_def *def)
{
    return def->resume ? TMLI_JOURNAL_RESUME : def->overwrite ? TMLI_JOURNAL_OVERWRITE : TMLI_JOURNAL_NEW;
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
    if (s->optimize.wanted)
        return tmli_fail(err, TML_ERR_ARG, "the study searches an optimum: tml_study_optimize");
    tml_status st = check_def(def, err);
    if (st != TML_OK) return st;
    if (def->ranks && def->ranks->rank > 0) return tmli_ranks_work(s, def, err);
    tmli_crew c = {.study = s, .def = def, .began = tmli_wall_time()};
    tml_study_table *earlier = NULL;
    char *journal = tmli_study_file(s, def, ".journal");
    c.done = tmli_calloc(&s->env, (size_t)s->members + 1, 1);
    pthread_mutex_init(&c.lock, NULL);
    if (!journal || !c.done) st = tmli_no_memory(err, "study");
    if (st == TML_OK) st = tmli_table_create(s, &earlier, err);
    if (st == TML_OK) st = tmli_journal_open(s, journal, tmli_study_mode(def), earlier, &c.journal, err);
    if (st == TML_OK) st = note_done(&c, earlier, err);
    const long before = tml_study_table_count(earlier);
    tml_study_table_destroy(earlier);
    if (st == TML_OK && c.progress.done < c.progress.members) {
        st = run_threads(&c, err);
    } else if (has_ranks(def)) {  // nothing to do, or a failure: send the others home
        c.stopped = true;
        tmli_ranks_serve(&c);
    }
    tmli_journal_close(c.journal);
    if (c.journal && (st == TML_OK || st == TML_ERR_STOPPED || c.lacking)) {
        const tml_status written =
            tmli_study_write_tables(s, def, journal, before + c.progress.here, st == TML_OK ? err : NULL);
        if (st == TML_OK) st = written;
    }
    if (out) *out = c.progress;
    pthread_mutex_destroy(&c.lock);
    tmli_free_all(&s->env, c.done, journal);
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
    char *line = tmli_calloc(&s->env, room, 1), *path = tmli_study_file(s, &def, ".journal");
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
    if (st == TML_OK) st = tmli_study_write_tables(s, &def, path, p.done, err);
    if (out) *out = p;
    tml_study_table_destroy(none);
    tml_study_table_destroy(all);
    tmli_free_all(&s->env, line, path);
    return st;
}
