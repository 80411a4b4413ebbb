// A library to be preloaded (LD_PRELOAD) that makes system calls and allocations fail, for the tests of the
// command. What it does is in the environment:
//   FAULT_KILL=k    the process is killed (SIGKILL) in place of its k-th change of a file: write, pwrite,
//                   ftruncate, rename, unlink; k from 1
//   FAULT_TORN=1    with FAULT_KILL: the first pages of the write are done; the kernel copies page by page,
//                   and a process may be killed between two of them
//   FAULT_SIGNAL=n  with FAULT_KILL: signal n in place of SIGKILL; the change is made if the process goes on
//   FAULT_FULL=n    writes fail with ENOSPC after n bytes on new pages, those that a file has not had before;
//                   the one at the limit is short
//   FAULT_ALLOC=k   the k-th malloc, calloc, realloc, ... fails; k+: all later ones, too
//   FAULT_TICK=s    the monotonic clock advances by so many seconds at every look, and otherwise stands
//   FAULT_JUMP=k    all clocks jump by FAULT_BY seconds (may be negative) at the k-th look at any of them
//   FAULT_LOG=file  how many calls there were, "changes N allocations M looks K", at the end of the process,
//                   and which library wanted the memory that it did not get; "leaked L": blocks that the
//                   program itself has allocated and not freed
// Only for glibc.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *p);

static long changes, allocations, bytes, looks;
static long kill_at, kill_signal, full_at = -1, alloc_at, jump_at, jump_by;
static bool torn, alloc_on, ready;
static double tick;
static const char *log_file;
static const void *program;  // where the program itself is in memory

static void log_text(const char *text, size_t size)
{
    if (!log_file) return;
    const int fd = (int)syscall(SYS_openat, AT_FDCWD, log_file, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (fd < 0) return;
    syscall(SYS_write, fd, text, size);
    syscall(SYS_close, fd);
}

static long number(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : otherwise;
}

// ---- blocks of the program --------------------------------------------------------------------------------

enum { SLOTS = 1 << 18 };
static void *live[SLOTS];
static const char gone;  // its address marks a slot whose block was freed

static size_t slot_of(const void *p) { return ((size_t)p >> 4) * 2654435761u % SLOTS; }

static long tracked;
static bool busy;

static void lock(void)
{
    while (__atomic_test_and_set(&busy, __ATOMIC_ACQUIRE)) continue;
}

static void unlock(void) { __atomic_clear(&busy, __ATOMIC_RELEASE); }

static void live_add(void *p)
{
    lock();
    tracked++;
    size_t i = slot_of(p);
    while (live[i] && live[i] != (const void *)&gone) i = (i + 1) % SLOTS;
    live[i] = p;
    unlock();
}

static void live_remove(const void *p)
{
    if (!p || tracked == 0) return;
    lock();
    size_t i = slot_of(p);
    while (live[i] && live[i] != p) i = (i + 1) % SLOTS;
    if (live[i]) live[i] = (void *)(size_t)&gone;
    unlock();
}

static long live_count(void)
{
    long count = 0;
    for (size_t i = 0; i < SLOTS; i++) count += live[i] && live[i] != (const void *)&gone;
    return count;
}

__attribute__((constructor)) static void begin(void)
{
    const char *alloc = getenv("FAULT_ALLOC"), *seconds = getenv("FAULT_TICK");
    kill_at = number("FAULT_KILL", 0);
    kill_signal = number("FAULT_SIGNAL", SIGKILL);
    full_at = number("FAULT_FULL", -1);
    alloc_at = number("FAULT_ALLOC", 0);
    alloc_on = alloc && strchr(alloc, '+');
    torn = number("FAULT_TORN", 0) != 0;
    tick = seconds ? strtod(seconds, NULL) : 0;
    jump_at = number("FAULT_JUMP", 0);
    jump_by = number("FAULT_BY", 0);
    log_file = getenv("FAULT_LOG");
    Dl_info info;
    void *entry = dlsym(RTLD_DEFAULT, "main");
    program = entry && dladdr(entry, &info) ? info.dli_fbase : NULL;
    if (!program && dladdr((void *)getauxval(AT_ENTRY), &info)) program = info.dli_fbase;
    void *frame;
    backtrace(&frame, 1);  // which allocates when it is first called
    allocations = changes = looks = 0;
    ready = true;
}

__attribute__((destructor)) static void end(void)
{
    char text[100];
    ready = false;
    const int n = snprintf(text, sizeof text, "changes %ld allocations %ld looks %ld leaked %ld\n", changes,
                           allocations, looks, live_count());
    if (n > 0) log_text(text, (size_t)n);
}

// ---- files ------------------------------------------------------------------------------------------------

static void die(void) { syscall(SYS_kill, syscall(SYS_getpid), kill_signal); }

static bool is_last(void) { return ready && ++changes == kill_at; }

// Terminals and pipes are not files that are changed.
static bool is_file(int fd) { return ready && fd > 2; }

// The bytes that may be written; -1: none, and errno is set.
static ssize_t admitted(size_t size)
{
    if (full_at < 0) return (ssize_t)size;
    const long left = full_at - bytes;
    if (left <= 0) {
        errno = ENOSPC;
        return -1;
    }
    return (long)size < left ? (ssize_t)size : left;
}

// The same for a write to a place in a file: on pages that the file has there is room.
static ssize_t admitted_at(int fd, off_t offset, size_t size, size_t *fresh)
{
    const off_t page = 4096, at = full_at < 0 ? 0 : lseek(fd, 0, SEEK_CUR);
    size_t done = 0;
    while (full_at >= 0 && done < size) {
        const off_t next = ((offset + (off_t)done) / page + 1) * page;
        const size_t left = (size_t)(next - offset) - done, part = left < size - done ? left : size - done;
        if (lseek(fd, offset + (off_t)done, SEEK_DATA) != offset + (off_t)done) {
            if (bytes + (long)(*fresh + part) > full_at) break;
            *fresh += part;
        }
        done += part;
    }
    if (full_at < 0) return (ssize_t)size;
    lseek(fd, at, SEEK_SET);
    errno = ENOSPC;
    return done > 0 ? (ssize_t)done : -1;
}

// The bytes up to the page boundary in the middle of a write; 0: it is within a page.
static size_t first_pages(off_t offset, size_t size)
{
    const off_t page = 4096, boundary = (offset + (off_t)size / 2 + page - 1) / page * page;
    return boundary < offset + (off_t)size ? (size_t)(boundary - offset) : 0;
}

ssize_t write(int fd, const void *data, size_t size)
{
    if (!is_file(fd)) return syscall(SYS_write, fd, data, size);
    if (is_last()) {
        const off_t at = (off_t)syscall(SYS_lseek, fd, 0, SEEK_CUR);
        if (torn) syscall(SYS_write, fd, data, first_pages(at, size));
        die();
    }
    const ssize_t n = admitted(size);
    if (n < 0) return n;
    const ssize_t done = syscall(SYS_write, fd, data, n);
    bytes += done > 0 ? done : 0;
    return done;
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
    if (is_last()) {
        if (torn) syscall(SYS_pwrite64, fd, data, first_pages(offset, size), offset);
        die();
    }
    size_t fresh = 0;
    const ssize_t n = admitted_at(fd, offset, size, &fresh);
    if (n < 0) return n;
    const ssize_t done = syscall(SYS_pwrite64, fd, data, n, offset);
    bytes += done > 0 ? (long)fresh : 0;
    return done;
}
ssize_t pwrite64(int fd, const void *data, size_t size, off_t offset)
{
    return pwrite(fd, data, size, offset);
}

int ftruncate(int fd, off_t length)
{
    if (is_last()) die();
    return (int)syscall(SYS_ftruncate, fd, length);
}
int ftruncate64(int fd, off_t length) { return ftruncate(fd, length); }

int rename(const char *from, const char *to)
{
    if (is_last()) die();
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlink(const char *path)
{
    if (is_last()) die();
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    const long look = __atomic_add_fetch(&looks, 1, __ATOMIC_RELAXED);
    if (tick <= 0 || clock != CLOCK_MONOTONIC) {
        const int failed = (int)syscall(SYS_clock_gettime, clock, now);
        if (jump_at > 0 && look >= jump_at) now->tv_sec += jump_by;
        return failed;
    }
    const double t = tick * (double)look;
    now->tv_sec = (time_t)t;
    now->tv_nsec = (long)(1e9 * (t - (double)now->tv_sec));
    return 0;
}

int gettimeofday(struct timeval *now, void *zone)
{
    struct timespec t;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &t);
    *now = (struct timeval){.tv_sec = t.tv_sec, .tv_usec = t.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *out)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    if (out) *out = t.tv_sec;
    return t.tv_sec;
}

// ---- memory -----------------------------------------------------------------------------------------------

// The file name of the library that called an allocation; the one that called the C library, if that did.
static const char *library_of(const void *caller)
{
    enum { FRAMES = 32 };
    void *frames[FRAMES];
    const int count = backtrace(frames, FRAMES);
    const char *name = "?";
    bool found = false;
    for (int i = 0; i < count; i++) {
        Dl_info info;
        found = found || frames[i] == caller;
        if (!found || !dladdr(frames[i], &info) || !info.dli_fname) continue;
        const char *slash = strrchr(info.dli_fname, '/');
        name = slash ? slash + 1 : info.dli_fname;
        if (strncmp(name, "libc.so", 7) != 0) return name;
    }
    return name;
}

static bool fails(const void *caller)
{
    if (!ready) return false;
    const long k = __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
    if (alloc_at == 0 || k < alloc_at || (k > alloc_at && !alloc_on)) return false;
    if (k == alloc_at) {
        ready = false;
        const char *name = library_of(caller);
        log_text("failed in ", 10);
        log_text(name, strlen(name));
        log_text("\n", 1);
        ready = true;
    }
    errno = ENOMEM;
    return true;
}

static void *owned(void *p, const void *caller)
{
    Dl_info info;
    if (!ready || !p || !log_file || !program) return p;
    if (dladdr(caller, &info) && info.dli_fbase == program) live_add(p);
    return p;
}

void *malloc(size_t size)
{
    const void *caller = __builtin_return_address(0);
    return fails(caller) ? NULL : owned(__libc_malloc(size), caller);
}

void *calloc(size_t count, size_t size)
{
    const void *caller = __builtin_return_address(0);
    return fails(caller) ? NULL : owned(__libc_calloc(count, size), caller);
}

void *realloc(void *old, size_t size)
{
    const void *caller = __builtin_return_address(0);
    if (fails(caller)) return NULL;
    void *p = __libc_realloc(old, size);
    if (p || size == 0) live_remove(old);
    return owned(p, caller);
}

void free(void *p)
{
    live_remove(p);
    __libc_free(p);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (fails(__builtin_return_address(0))) return ENOMEM;
    void *p = __libc_memalign(alignment, size);
    if (!p) return ENOMEM;
    *out = p;
    return 0;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}
