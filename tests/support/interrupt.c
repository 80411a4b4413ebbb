// Runs a program under ptrace and disturbs one of its system calls, for the tests of the command.
//
// usage: tml_interrupt COUNT-FILE WHAT K PROGRAM ARGUMENTS...
//
// WHAT is done at the K-th call that it applies to, K from 1; 0: nothing, the calls are counted:
//   kill   SIGKILL before the call; any call
//   term   SIGTERM before the call; any call; int, hup: SIGINT, SIGHUP
//   torn   SIGKILL after half of a write
//   full   a call that changes a file fails with ENOSPC: write, pwrite, writev, ftruncate, fallocate, fsync,
//          rename, link, mkdir, and open for writing
//   broken a call that reads a file, or opens or examines one, fails with EIO; close, too
//   short  a write or read transfers half of its bytes, at least one
//   again  a blocking call is interrupted: read, write and open fail with EINTR
//   denied a call about names, rights and descriptors fails with EACCES: unlink, readlink, access, getcwd,
//          flock, fcntl, dup, chmod, ...
//   memory a call for memory or a thread fails with ENOMEM: mmap, mremap, mprotect, brk, clone; not for
//          128 MB and more, which OpenBLAS would ask for again, for ever
// and with a + behind it (full+) at all later calls, too; with the name of a call (broken:close) only these
// count. COUNT-FILE gets the number of calls that WHAT applies to and the one that was disturbed, as "n
// name", and behind it the file whose code a fatal signal ended ("n name libhdf5.so"). The calls of the
// loader before main are not counted: what is disturbed begins with the first open of a file that is not a
// library of the system or of the loader. Exit status: that of the program, 128 + signal if a signal ended
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

enum { WRITES = 1, READS = 2, OPENS = 4, NAMES = 8, CLOSES = 16, RIGHTS = 32, MEMORY = 64 };
enum { MAX_TASKS = 64, FAILED = 125 };

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
    {"unlinkat", SYS_unlinkat, RIGHTS, -1},
    {"readlinkat", SYS_readlinkat, RIGHTS, -1},
    {"faccessat", SYS_faccessat, RIGHTS, -1},
#ifdef SYS_faccessat2
    {"faccessat2", SYS_faccessat2, RIGHTS, -1},
#endif
#ifdef SYS_openat2
    {"openat2", SYS_openat2, RIGHTS, -1},
#endif
    {"fchmod", SYS_fchmod, RIGHTS, -1},
    {"fchmodat", SYS_fchmodat, RIGHTS, -1},
    {"statx", SYS_statx, RIGHTS, -1},
    {"getcwd", SYS_getcwd, RIGHTS, -1},
    {"getdents", SYS_getdents64, RIGHTS, -1},
    {"flock", SYS_flock, RIGHTS, -1},
    {"fcntl", SYS_fcntl, RIGHTS, -1},
    {"ioctl", SYS_ioctl, RIGHTS, -1},
    {"dup", SYS_dup, RIGHTS, -1},
    {"mmap", SYS_mmap, MEMORY, -1},
    {"mremap", SYS_mremap, MEMORY, -1},
    {"mprotect", SYS_mprotect, MEMORY, -1},
    {"brk", SYS_brk, MEMORY, -1},
    {"clone", SYS_clone, MEMORY, -1},
#ifdef SYS_clone3
    {"clone3", SYS_clone3, MEMORY, -1},
#endif
#ifdef SYS_rename
    {"unlink", SYS_unlink, RIGHTS, -1},
    {"rmdir", SYS_rmdir, RIGHTS, -1},
    {"readlink", SYS_readlink, RIGHTS, -1},
    {"access", SYS_access, RIGHTS, -1},
    {"chmod", SYS_chmod, RIGHTS, -1},
    {"rename", SYS_rename, NAMES, -1},
    {"link", SYS_link, NAMES, -1},
    {"mkdir", SYS_mkdir, NAMES, -1},
    {"open", SYS_open, OPENS, -1},
    {"stat", SYS_stat, READS, -1},
#endif
};

static const struct fault {
    const char *name;
    int kinds;   // of calls that it applies to; 0: any call
    int signal;  // or
    int error;   // the call is not made and fails
} faults[] = {
    {"kill", 0, SIGKILL, 0},
    {"term", 0, SIGTERM, 0},
    {"int", 0, SIGINT, 0},
    {"hup", 0, SIGHUP, 0},
    {"torn", WRITES, SIGKILL, 0},
    {"full", WRITES | NAMES | OPENS, 0, ENOSPC},
    {"broken", READS | CLOSES | OPENS, 0, EIO},
    {"short", WRITES | READS, 0, 0},
    {"again", WRITES | READS | OPENS, 0, EINTR},
    {"denied", RIGHTS, 0, EACCES},
    {"memory", MEMORY, 0, ENOMEM},
};

static const struct fault *find_fault(const char *name)
{
    const size_t length = strcspn(name, "+:");
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        if (strlen(faults[i].name) == length && strncmp(faults[i].name, name, length) == 0) return &faults[i];
    return NULL;
}

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
    int signal;  // comes after the present call
} task;

typedef struct tracer {
    const struct fault *fault;
    bool on;           // all later calls, too
    const char *only;  // calls of this name; NULL: all that it applies to
    long at, count;
    char disturbed[40], died[80];
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

// The loader opens its cache and libraries only; those of Trammel are opened later, when they are needed.
static bool is_of_loader(pid_t pid, const struct call *c, const struct __ptrace_syscall_info *s)
{
    char path[512];
    if (!c || c->kind != OPENS) return true;
    read_text(pid, s->entry.args[strcmp(c->name, "openat") == 0 ? 1 : 0], path, sizeof path);
    if (strstr(path, "/trammel-")) return false;
    return strstr(path, ".so") || strncmp(path, "/etc/ld", 7) == 0 || strncmp(path, "/proc", 5) == 0 ||
           strncmp(path, "/usr/lib/locale", 15) == 0 || strncmp(path, "/sys", 4) == 0;
}

static bool applies(const tracer *t, const struct call *c, const struct __ptrace_syscall_info *s)
{
    const struct fault *f = t->fault;
    if (t->only && (!c || strcmp(c->name, t->only) != 0)) return false;
    if (f->kinds == 0) return true;
    if (!c || !(c->kind & f->kinds)) return false;
    // a message about what lasts can be written
    if (t->on && (c->kind & (WRITES | READS | CLOSES)) && s->entry.args[0] == STDERR_FILENO) return false;
    if (f->error == ENOSPC && c->kind == OPENS) return opens_for_writing(c, s);
    if (f->error == EIO) return !opens_for_writing(c, s);
    if (c->number == SYS_mmap && s->entry.args[1] >= (128u << 20)) return false;
    if (f->error == EINTR) return c->size_argument >= 0 || c->kind == OPENS;
    // half of the bytes
    return f->error != 0 || (c->size_argument >= 0 && s->entry.args[2] > 1);
}

static void disturb(tracer *t, task *k, const struct call *c, const struct __ptrace_syscall_info *s)
{
    const struct fault *f = t->fault;
    if (!t->disturbed[0]) snprintf(t->disturbed, sizeof t->disturbed, "%s", c ? c->name : "other");
    if (f->kinds == 0) kill(k->pid, f->signal);
    else if (f->error == 0) {
        set_size(k->pid, s->entry.args[2] / 2);
        k->signal = f->signal;
    } else {
        k->forge = true;
        // brk returns an address
        k->result = c->number == SYS_brk ? 0 : -f->error;
        // a file that is closed with an error is closed
        if (c->kind != CLOSES) skip_call(k->pid);
    }
}

static void look_at_call(tracer *t, pid_t pid)
{
    task *k = task_of(t, pid);
    struct __ptrace_syscall_info s;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof s, &s) <= 0) return;
    if (s.op == PTRACE_SYSCALL_INFO_EXIT) {
        if (k->forge) set_result(pid, k->result);
        if (k->signal) kill(pid, k->signal);
        k->forge = false;
        k->signal = 0;
    }
    if (s.op != PTRACE_SYSCALL_INFO_ENTRY) return;
    const struct call *c = find_call((long)s.entry.nr);
    t->begun = t->begun || !is_of_loader(pid, c, &s);
    if (!t->begun || !applies(t, c, &s)) return;
    t->count++;
    if (t->count == t->at || (t->on && t->at > 0 && t->count > t->at)) disturb(t, k, c, &s);
}

// The file that the present instruction is of, by the table of the process
static void note_place(tracer *t, pid_t pid)
{
    char name[40], line[512];
    struct user_regs_struct r;
    snprintf(name, sizeof name, "/proc/%ld/maps", (long)pid);
    FILE *maps = registers(pid, &r, false) ? fopen(name, "r") : NULL;
#ifdef __x86_64__
    const unsigned long long at = r.rip;
#else
    const unsigned long long at = r.pc;
#endif
    while (maps && fgets(line, sizeof line, maps)) {
        char *end = line;
        const unsigned long long from = strtoull(line, &end, 16), to = strtoull(end + 1, NULL, 16);
        const char *file = strrchr(line, '/');
        if (at >= from && at < to && file)
            snprintf(t->died, sizeof t->died, "%.*s", (int)strcspn(file + 1, "\n"), file + 1);
    }
    if (maps) fclose(maps);
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
        if (pass_on == SIGSEGV || pass_on == SIGABRT || pass_on == SIGBUS) note_place(t, pid);
        ptrace(PTRACE_SYSCALL, pid, NULL, (void *)(size_t)pass_on);
    }
    return result;
}

int main(int argc, char **argv)
{
    const struct fault *fault = argc < 5 ? NULL : find_fault(argv[2]);
    if (!fault) {
        fprintf(stderr, "usage: tml_interrupt COUNT-FILE WHAT K PROGRAM ARGUMENTS...\n");
        return FAILED;
    }
    const char *only = strchr(argv[2], ':');
    tracer t = {.fault = fault,
                .on = strchr(argv[2], '+') != NULL,
                .only = only ? only + 1 : NULL,
                .at = atol(argv[3])};
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
    fprintf(f, "%ld %s %s\n", t.count, t.disturbed, t.died);
    return fclose(f) ? FAILED : result;
}
