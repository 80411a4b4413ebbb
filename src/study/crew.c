// The hand-out of members to threads; see crew.h.
#define _POSIX_C_SOURCE 200809L
#include "study/crew.h"

#include <stdio.h>

int tmli_crew_take(tmli_crew *c, int most, long *members)
{
    const int parts = c->def->parts > 1 ? c->def->parts : 1, part = parts > 1 ? c->def->part - 1 : 0;
    int count = 0;
    pthread_mutex_lock(&c->lock);
    for (; count < most && !c->stopped && c->next < c->study->members; c->next++)
        if (c->next % parts == part && !c->done[c->next]) members[count++] = c->next;
    pthread_mutex_unlock(&c->lock);
    return count;
}

void tmli_crew_finish(tmli_crew *c, const char *lines, size_t length, long count, long failed)
{
    pthread_mutex_lock(&c->lock);
    tml_study_progress *p = &c->progress;
    if (c->err.status == TML_OK && tmli_journal_append(c->journal, lines, length, &c->err) == TML_OK) {
        p->done += count;
        p->failed += failed;
        p->here += count;
        p->seconds = tmli_wall_time() - c->began;
        p->rate = p->seconds > 0 ? (double)p->here / p->seconds : 0;
    }
    if (c->err.status != TML_OK) c->stopped = true;
    if (!c->stopped && c->def->progress && !c->def->progress(p, c->def->user)) c->stopped = true;
    pthread_mutex_unlock(&c->lock);
}

void tmli_crew_lack(tmli_crew *c, long count, const tml_error *err)
{
    pthread_mutex_lock(&c->lock);
    if (c->lacking == 0) c->lack = *err;
    c->lacking += count;
    pthread_mutex_unlock(&c->lock);
}

void tmli_crew_stop(tmli_crew *c, const tml_error *err)
{
    pthread_mutex_lock(&c->lock);
    if (c->err.status == TML_OK) c->err = *err;
    c->stopped = true;
    pthread_mutex_unlock(&c->lock);
}

void tmli_member_message(const tml_error *err, char *out, size_t room)
{
    if (err->file[0] && err->line)
        snprintf(out, room, "%s:%d:%d: %s", err->file, err->line, err->col, err->msg);
    else if (err->t != 0) snprintf(out, room, "%s (at t = %.6g s)", err->msg, err->t);
    else snprintf(out, room, "%s", err->msg[0] ? err->msg : tml_status_name(err->status));
}

size_t tmli_member_line(tml_study_worker *w, const tml_study *s, long member, double *values, char *line,
                        bool *failed, tml_error *err)
{
    char message[TML_ERROR_MSG + TML_ERROR_FILE + 64] = "";
    *err = (tml_error){0};
    const tml_status st = tml_study_worker_run(w, member, values, err);
    *failed = st != TML_OK;
    if (tmli_is_shortage(st)) return 0;
    if (*failed) tmli_member_message(err, message, sizeof message);
    return tmli_journal_line(s, member, values, message, line, tmli_journal_room(s));
}

void tmli_crew_work(tmli_crew *c)
{
    const tml_study *s = c->study;
    char *line = tmli_calloc(&s->env, tmli_journal_room(s), 1);
    double *values = tmli_calloc(&s->env, (size_t)(s->nparameters + s->nquantities) + 1, sizeof *values);
    tml_study_worker *w = NULL;
    tml_error err = {0};
    tml_status st = line && values ? TML_OK : tmli_no_memory(&err, "study");
    if (st == TML_OK) st = tml_study_worker_create(s, &w, &err);
    for (long member; st == TML_OK && tmli_crew_take(c, 1, &member);) {
        bool failed;
        const size_t length = tmli_member_line(w, s, member, values, line, &failed, &err);
        if (length) tmli_crew_finish(c, line, length, 1, failed);
        else tmli_crew_lack(c, 1, &err);
    }
    if (st != TML_OK) tmli_crew_stop(c, &err);
    tml_study_worker_destroy(w);
    tmli_free_all(&s->env, line, values);
}
