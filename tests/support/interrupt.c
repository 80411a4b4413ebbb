// Runs a program under ptrace and disturbs one of its system calls, for the tests of the command.
//
// usage: tml_interrupt COUNT-FILE WHAT K PROGRAM ARGUMENTS...
//
// WHAT is done at the K-th call that it applies to, K from 1; 0: nothing, the calls are counted:
//   kill   SIGKILL before the call; any call
//   term   SIGTERM before the call; any call
//   full   a call that changes a file fails with ENOSPC: write, pwrite, writev, ftruncate, fallocate, fsync,
//          rename, link, mkdir, and open for writing
//   broken a call that reads a file, or opens or examines one, fails with EIO; close, too
//   short  a write or read transfers half of its bytes, at least one
//   again  a blocking call is interrupted: read, write and open fail with EINTR
// COUNT-FILE gets the number of calls that WHAT applies to and the one that was disturbed, as "n name". The
// calls of the loader before main are not counted: what is disturbed begins with the first open of a file
// that is not a library or of the loader. Exit status: that of the program, 128 + signal if a signal ended
// it; 125: this program has failed.
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NONE = 0, WRITES = 1, READS = 2, OPENS = 4, NAMES = 8, CLOSES = 16, MAX_TASKS = 64, FAILED = 125 };

static const struct call {
    const char *name;
    long number;
    int kind;
    int size_argument;  // -1: none
} calls[] = {
    {"write", SYS_write, WRITES, 2},
    {"pwrite", SYS_pwrite64, WRITES, 2},
    {"writev", SYS_writev, WRITES, -1},
    {"ftruncate", SYS_ftruncate, WRITES, -1},
    {"fallocate", SYS_fallocate, WRITES, -1},
    {"fsync", SYS_fsync, WRITES, -1},
    {"fdatasync", SYS_fdatasync, WRITES, -1},
    {"renameat", SYS_renameat, NAMES, -1},
    {"renameat2", SYS_renameat2, NAMES, -1},
    {"linkat", SYS_linkat, NAMES, -1},
    {"mkdirat", SYS_mkdirat, NAMES, -1},
    {"read", SYS_read, READS, 2},
    {"pread", SYS_pread64, READS, 2},
    {"fstat", SYS_fstat, READS, -1},
    {"newfstatat", SYS_newfstatat, READS, -1},
    {"lseek", SYS_lseek, READS, -1},
    {"openat", SYS_openat, OPENS, -1},
    {"close", SYS_close, CLOSES, -1},
#ifdef SYS_rename
    {"rename", SYS_rename, NAMES, -1},
    {"link", SYS_link, NAMES, -1},
    {"mkdir", SYS_mkdir, NAMES, -1},
    {"open", SYS_open, OPENS, -1},
    {"stat", SYS_stat, READS, -1},
#endif
};

static const struct call *find_call(long number)
{
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        if (calls[i].number == number) return &calls[i];
    return NULL;
}

typedef struct task {
    pid_t pid;
    bool forge;  // the result of the present call is replaced by this:
    long result;
} task;

typedef struct tracer {
    const char *what;
    long at, count;
    char disturbed[40];
    bool begun;  // the loader has finished
    task tasks[MAX_TASKS];
} tracer;

static task *task_of(tracer *t, pid_t pid)
{
    for (int i = 0; i < MAX_TASKS; i++)
        if (t->tasks[i].pid == pid || t->tasks[i].pid == 0) {
            t->tasks[i].pid = pid;
            return &t->tasks[i];
        }
    return &t->tasks[0];
}

// ---- registers --------------------------------------------------------------------------------------------

static bool registers(pid_t pid, struct user_regs_struct *r, bool set)
{
    struct iovec v = {r, sizeof *r};
    return ptrace(set ? PTRACE_SETREGSET : PTRACE_GETREGSET, pid, (void *)(size_t)NT_PRSTATUS, &v) == 0;
}

// The call is not made; its result is set when it ends.
static void skip_call(pid_t pid)
{
#ifdef __x86_64__
    struct user_regs_struct r;
    if (!registers(pid, &r, false)) return;
    r.orig_rax = (unsigned long long)-1;
    registers(pid, &r, true);
#else
    int none = -1;
    struct iovec v = {&none, sizeof none};
    ptrace(PTRACE_SETREGSET, pid, (void *)(size_t)NT_ARM_SYSTEM_CALL, &v);
#endif
}

static void set_result(pid_t pid, long value)
{
    struct user_regs_struct r;
    if (!registers(pid, &r, false)) return;
#ifdef __x86_64__
    r.rax = (unsigned long long)value;
#else
    r.regs[0] = (unsigned long long)value;
#endif
    registers(pid, &r, true);
}

// The third argument: the number of bytes of a read or write.
static void set_size(pid_t pid, unsigned long long size)
{
    struct user_regs_struct r;
    if (!registers(pid, &r, false)) return;
#ifdef __x86_64__
    r.rdx = size;
#else
    r.regs[2] = size;
#endif
    registers(pid, &r, true);
}

// ---- calls ------------------------------------------------------------------------------------------------

static bool is(const tracer *t, const char *what) { return strcmp(t->what, what) == 0; }

// Text of the child at `address`; cut to size - 1 characters
static void read_text(pid_t pid, unsigned long long address, char *text, size_t size)
{
    for (size_t i = 0; i < size; i += sizeof(long)) {
        errno = 0;
        const long word = ptrace(PTRACE_PEEKDATA, pid, (void *)(size_t)(address + i), NULL);
        if (errno) {
            text[i] = 0;
            return;
        }
        memcpy(text + i, &word, sizeof word);
        if (memchr(&word, 0, sizeof word)) return;
    }
    text[size - 1] = 0;
}

static bool opens_for_writing(const struct call *c, const struct __ptrace_syscall_info *s)
{
    const bool at = strcmp(c->name, "openat") == 0;
    return c->kind == OPENS && (s->entry.args[at ? 2 : 1] & (O_WRONLY | O_RDWR | O_CREAT));
}

// The loader opens its cache and libraries only.
static bool is_of_loader(pid_t pid, const struct call *c, const struct __ptrace_syscall_info *s)
{
    char path[512];
    if (!c || c->kind != OPENS) return true;
    read_text(pid, s->entry.args[strcmp(c->name, "openat") == 0 ? 1 : 0], path, sizeof path);
    return strstr(path, ".so") || strncmp(path, "/etc/ld", 7) == 0 || strncmp(path, "/proc", 5) == 0 ||
           strncmp(path, "/usr/lib/locale", 15) == 0 || strncmp(path, "/sys", 4) == 0;
}

static bool applies(const tracer *t, const struct call *c, const struct __ptrace_syscall_info *s)
{
    if (is(t, "kill") || is(t, "term")) return true;
    if (!c) return false;
    if (is(t, "full")) return c->kind & (WRITES | NAMES) || opens_for_writing(c, s);
    if (is(t, "broken")) return (c->kind & (READS | CLOSES | OPENS)) && !opens_for_writing(c, s);
    if (is(t, "short")) return c->size_argument >= 0 && s->entry.args[2] > 1;
    return is(t, "again") && (c->size_argument >= 0 || c->kind == OPENS);
}

static void disturb(tracer *t, task *k, const struct call *c, const struct __ptrace_syscall_info *s)
{
    snprintf(t->disturbed, sizeof t->disturbed, "%s", c ? c->name : "other");
    if (is(t, "kill")) kill(k->pid, SIGKILL);
    else if (is(t, "term")) kill(k->pid, SIGTERM);
    else if (is(t, "short")) set_size(k->pid, s->entry.args[2] / 2);
    else {
        k->forge = true;
        k->result = is(t, "full") ? -ENOSPC : is(t, "broken") ? -EIO : -EINTR;
        // a file that is closed with an error is closed
        if (c->kind != CLOSES) skip_call(k->pid);
    }
}

static void look_at_call(tracer *t, pid_t pid)
{
    task *k = task_of(t, pid);
    struct __ptrace_syscall_info s;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof s, &s) <= 0) return;
    if (s.op == PTRACE_SYSCALL_INFO_EXIT && k->forge) {
        set_result(pid, k->result);
        k->forge = false;
    }
    if (s.op != PTRACE_SYSCALL_INFO_ENTRY) return;
    const struct call *c = find_call((long)s.entry.nr);
    t->begun = t->begun || !is_of_loader(pid, c, &s);
    if (t->begun && applies(t, c, &s) && ++t->count == t->at) disturb(t, k, c, &s);
}

// Follow all tasks until the first one has ended; its status
static int follow(tracer *t, pid_t first)
{
    int status, result = FAILED;
    for (pid_t pid; (pid = waitpid(-1, &status, __WALL)) > 0;) {
        int pass_on = 0;
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            if (pid == first) result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            continue;
        }
        const int signal = WSTOPSIG(status);
        if (signal == (SIGTRAP | 0x80)) look_at_call(t, pid);
        else if (status >> 16 == 0 && signal != SIGSTOP) pass_on = signal;
        ptrace(PTRACE_SYSCALL, pid, NULL, (void *)(size_t)pass_on);
    }
    return result;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: tml_interrupt COUNT-FILE WHAT K PROGRAM ARGUMENTS...\n");
        return FAILED;
    }
    tracer t = {.what = argv[2], .at = atol(argv[3])};
    const pid_t pid = fork();
    if (pid == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        execvp(argv[4], argv + 4);
        _exit(FAILED);
    }
    int status;
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status)) return FAILED;
    const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                         PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    if (ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)options)) return FAILED;
    ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
    const int result = follow(&t, pid);
    FILE *f = fopen(argv[1], "w");
    if (!f) return FAILED;
    fprintf(f, "%ld %s\n", t.count, t.disturbed);
    return fclose(f) ? FAILED : result;
}
