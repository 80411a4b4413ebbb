// Starting and asking the program of a peer; see remote.h.
#define _POSIX_C_SOURCE 200809L
#include "remote.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// In the child: the pipes become descriptors 3 and 4, what the simulator prints goes nowhere.
static void become(const char *path, int in, int out)
{
    const int from = fcntl(in, F_DUPFD, 10), to = fcntl(out, F_DUPFD, 10),
              nowhere = open("/dev/null", O_WRONLY);
    if (from < 0 || to < 0 || nowhere < 0) _exit(127);
    dup2(from, 3);
    dup2(to, 4);
    dup2(nowhere, 1);
    dup2(nowhere, 2);
    for (int i = 5; i < 64; i++) close(i);
    execl(path, path, (char *)NULL);
    _exit(127);
}

static bool start(remote *r)
{
    int question[2], answer[2];
    if (r->pid > 0) return true;
    if (pipe(question) != 0) return false;
    if (pipe(answer) != 0) {
        close(question[0]);
        close(question[1]);
        return false;
    }
    r->pid = fork();
    if (r->pid == 0) become(r->path, question[0], answer[1]);
    close(question[0]);
    close(answer[1]);
    r->ask = question[1];
    r->hear = answer[0];
    if (r->pid > 0) return true;
    r->pid = 0;
    close(r->ask);
    close(r->hear);
    return false;
}

void remote_close(remote *r)
{
    if (r->pid <= 0) return;
    close(r->ask);
    close(r->hear);
    waitpid(r->pid, NULL, 0);
    r->pid = 0;
}

static bool hear(remote *r, void *to, size_t size)
{
    for (char *p = to; size > 0;) {
        const ssize_t got = read(r->hear, p, size);
        if (got <= 0) return false;
        p += got;
        size -= (size_t)got;
    }
    return true;
}

// False if the program has ended instead of answering.
static bool ask(remote *r, const peer_request *q, samples *out)
{
    bool ok =
        start(r) && write(r->ask, q, sizeof *q) == (ssize_t)sizeof *q && hear(r, &r->reply, sizeof r->reply);
    if (ok && r->reply.rows > 0) {
        ok = out && r->reply.rows <= out->room;
        if (ok) ok = hear(r, out->pose, 3 * (size_t)r->reply.rows * (size_t)out->bodies * sizeof *out->pose);
    }
    if (out) out->rows = ok ? r->reply.rows : 0;
    if (!ok) remote_close(r);
    else {
        // a program that was started again counts from nothing
        r->spent += r->reply.spent - (r->reply.spent >= r->counted ? r->counted : 0);
        r->counted = r->reply.spent;
    }
    return ok;
}

bool remote_open(remote *r, const char *name, const char *folder, const char *program)
{
    *r = (remote){.name = name};
    snprintf(r->path, sizeof r->path, "%s/%s", folder, program);
    signal(SIGPIPE, SIG_IGN);
    if (access(r->path, X_OK) != 0) return false;
    const peer_request q = {.question = ASK_PEER, .kind = CHAIN, .n = 1};
    if (!ask(r, &q, NULL)) return false;
    snprintf(r->version, sizeof r->version, "%.63s", r->reply.text);
    r->first = r->reply.first;
    r->factor = r->reply.factor;
    return true;
}

bool remote_setting(remote *r, const mechanism *m, bool quick, int i, char *buf, size_t size)
{
    const peer_request q = {
        .question = ASK_SETTING, .kind = m->kind, .n = m->n, .setting = i, .quick = quick};
    if (!ask(r, &q, NULL) || !r->reply.ok) return false;
    snprintf(buf, size, "%s", r->reply.text);
    return true;
}

const char *remote_run(remote *r, const mechanism *m, int setting, double accuracy, double limit,
                       samples *out, peer_result *result)
{
    const peer_request q = {.question = ASK_RUN,
                            .kind = m->kind,
                            .n = m->n,
                            .setting = setting,
                            .accuracy = accuracy,
                            .limit = limit};
    if (!ask(r, &q, out)) {
        *result = (peer_result){.steps = 1};
        return "crashes";
    }
    *result = (peer_result){r->reply.setup, r->reply.seconds, r->reply.steps, r->reply.note};
    return r->reply.ok ? NULL : r->reply.text;
}
