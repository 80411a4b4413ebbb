// The main program of a peer: answers questions until there are no more; see peer.h.
#define _POSIX_C_SOURCE 200809L
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool get(void *to, size_t size)
{
    for (char *p = to; size > 0;) {
        const ssize_t got = read(3, p, size);
        if (got <= 0) return false;
        p += got;
        size -= (size_t)got;
    }
    return true;
}

static bool give(const void *from, size_t size)
{
    for (const char *p = from; size > 0;) {
        const ssize_t put = write(4, p, size);
        if (put <= 0) return false;
        p += put;
        size -= (size_t)put;
    }
    return true;
}

static bool answer(const peer_request *q, const mechanism *m, samples *s)
{
    peer_reply r = {.ok = true, .first = the_peer.first, .factor = the_peer.factor};
    s->rows = 0;
    switch (q->question) {
    case ASK_PEER: snprintf(r.text, sizeof r.text, "%s", the_peer.version()); break;
    case ASK_SETTING: r.ok = the_peer.setting(m, q->quick, q->setting, r.text, sizeof r.text); break;
    case ASK_RUN: {
        peer_result result = {0};
        const char *wrong = the_peer.run(m, q->setting, q->accuracy, q->limit, s, &result);
        r.ok = !wrong;
        r.setup = result.setup;
        r.seconds = result.seconds;
        r.steps = result.steps;
        snprintf(r.text, sizeof r.text, "%s", wrong ? wrong : "");
        snprintf(r.note, sizeof r.note, "%s", result.note ? result.note : "");
        break;
    }
    }
    r.rows = s->rows;
    r.spent = cpu_now();
    return give(&r, sizeof r) && give(s->pose, 3 * (size_t)s->rows * (size_t)s->bodies * sizeof *s->pose);
}

int main(void)
{
    mechanism *m = NULL;
    samples s = {0};
    peer_request q;
    while (get(&q, sizeof q)) {
        if (!m || m->kind != q.kind || m->n != q.n) {
            mechanism_destroy(m);
            free(s.pose);
            m = mechanism_create(q.kind, q.n);
            s = samples_create(m);
        }
        if (!answer(&q, m, &s)) break;
    }
    free(s.pose);
    mechanism_destroy(m);
    return 0;
}
