// Files written beside their name; see the header.
#define _GNU_SOURCE  // flock, realpath, O_TMPFILE
#include "base/target.h"

#include "base/register.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NAMES = 100, NAME_ROOM = 40 };   // temporary names that are tried, and what they add to a name
enum { LOOKS = 20, PAUSE = 10000000 };  // at a file that is in use, and [ns] between two of them

static tml_status fail(const tmli_target *t, int number, tml_error *err)
{
    return tmli_fail(err, TML_ERR_IO, "Cannot write '%s': %s.", t->path, strerror(number));
}

static tml_status no_memory(const char *path, tml_error *err)
{
    return tmli_fail(err, TML_ERR_NOMEM, "Cannot write '%s': no memory for its name.", path);
}

// Whether another program writes the file; file systems without locks cannot tell. One that is written in one
// go, as a checkpoint, is free after a moment.
static bool is_in_use(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool used = fd >= 0;
    for (int k = 0; k < LOOKS && used; k++) {
        if (k > 0) nanosleep(&(struct timespec){.tv_nsec = PAUSE}, NULL);
        used = flock(fd, LOCK_SH | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EAGAIN);
    }
    if (fd < 0) return false;
    close(fd);
    return used;
}

static tml_status refuse_if_in_use(const tmli_target *t, tml_error *err)
{
    if (!is_in_use(t->final)) return TML_OK;
    return tmli_fail(err, TML_ERR_IO, "Cannot write '%s': another program is writing it.", t->path);
}

// A link that leads nowhere is no name for a file: what is written in its place would not be where it leads.
static tml_status follow_links(tmli_target *t, const char *path, tml_error *err)
{
    char real[PATH_MAX];
    struct stat info;
    const bool there = realpath(path, real) != NULL;
    t->path = tmli_strdup(&t->env, path);
    t->final = tmli_strdup(&t->env, there ? real : path);
    if (!t->path || !t->final) return no_memory(path, err);
    if (there || lstat(path, &info) != 0 || !S_ISLNK(info.st_mode)) return TML_OK;
    return tmli_fail(err, TML_ERR_IO, "Cannot write '%s': it is a link to a file that is not there.", path);
}

// Give the file a temporary name beside its own: by `name_it`, which fails with EEXIST if the name is taken.
static bool take_temporary_name(tmli_target *t, bool (*name_it)(tmli_target *t, int access), int access)
{
    for (int k = 0; k < NAMES && !t->named; k++) {
        snprintf(t->temporary, strlen(t->final) + NAME_ROOM, "%s.part-%ld-%d", t->final, (long)getpid(), k);
        t->named = name_it(t, access);
        if (!t->named && errno != EEXIST) break;
    }
    return t->named;
}

static bool create(tmli_target *t, int access)
{
    t->fd = open(t->temporary, access | O_CREAT | O_EXCL | O_CLOEXEC, t->mode);
    return t->fd >= 0;
}

static bool link_to(const tmli_target *t, const char *name)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/self/fd/%d", t->fd);
    return linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

static bool link_temporary(tmli_target *t, int access)
{
    (void)access;
    return link_to(t, t->temporary);
}

// A file without a name in the folder of the target, which vanishes with the program; fd < 0: this file
// system, or one without /proc, has none.
static void open_nameless(tmli_target *t, int access)
{
#ifdef O_TMPFILE
    struct stat info;
    char *slash = strrchr(t->temporary, '/');
    if (stat("/proc/self/fd", &info) != 0) return;
    if (slash) *(slash == t->temporary ? slash + 1 : slash) = 0;
    t->fd = open(slash ? t->temporary : ".", access | O_TMPFILE | O_CLOEXEC, t->mode);
#else
    (void)t, (void)access;
#endif
}

static tml_status open_temporary(tmli_target *t, int access, tml_error *err)
{
    const size_t size = strlen(t->final) + NAME_ROOM;
    t->temporary = tmli_calloc(&t->env, size, 1);
    if (!t->temporary) return no_memory(t->path, err);
    memcpy(t->temporary, t->final, strlen(t->final));
    open_nameless(t, access);
    if (t->fd >= 0 || take_temporary_name(t, create, access)) return TML_OK;
    const int number = errno;
    tmli_free(&t->env, t->temporary);
    t->temporary = NULL;
    return fail(t, number, err);
}

// The group and permissions of the older file, so that nobody reads the new one who could not read that; file
// systems without them keep what they have. Another group than that gets no permission.
static void keep_access(const tmli_target *t, const struct stat *older)
{
    struct stat info;
    if (fstat(t->fd, &info) != 0) return;
    const bool same = info.st_gid == older->st_gid || fchown(t->fd, (uid_t)-1, older->st_gid) == 0;
    fchmod(t->fd, same ? t->mode : t->mode & ~(mode_t)S_IRWXG);
}

tml_status tmli_target_open(tmli_target *t, const char *path, int access, const tml_env *env, tml_error *err)
{
    *t = (tmli_target){.fd = -1, .env = env ? *env : (tml_env){0}, .mode = 0666};
    tml_status st = follow_links(t, path, err);
    if (st != TML_OK) return st;
    struct stat info;
    const bool exists = stat(t->final, &info) == 0;
    if (exists && S_ISDIR(info.st_mode)) return fail(t, EISDIR, err);
    if (exists && !S_ISREG(info.st_mode)) {
        t->fd = open(t->final, access | O_CLOEXEC);
        return t->fd >= 0 ? TML_OK : fail(t, errno, err);
    }
    st = tmli_files_write(&t->env, path, t->final, NULL, err);
    if (st != TML_OK) return st;
    if (exists && faccessat(AT_FDCWD, t->final, W_OK, 0) != 0) return fail(t, errno, err);
    if (exists) t->mode = info.st_mode & 0777;
    st = exists ? refuse_if_in_use(t, err) : TML_OK;
    if (st == TML_OK) st = open_temporary(t, access, err);
    if (st == TML_OK && exists) keep_access(t, &info);
    if (st == TML_OK) flock(t->fd, LOCK_EX | LOCK_NB);  // it is new: this fails only if there are no locks
    return st;
}

tml_status tmli_target_reopen(tmli_target *t, const char *path, const tml_env *env, tml_error *err)
{
    *t = (tmli_target){.fd = -1, .env = env ? *env : (tml_env){0}};
    const tml_status st = follow_links(t, path, err);
    if (st != TML_OK) return st;
    struct stat info;
    t->fd = open(t->final, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (t->fd < 0 || fstat(t->fd, &info) != 0) return fail(t, errno, err);
    if (!S_ISREG(info.st_mode))
        return tmli_fail(err, TML_ERR_IO, "Cannot continue result file '%s': it is not a regular file.",
                         path);
    if (flock(t->fd, LOCK_EX | LOCK_NB) != 0 && (errno == EWOULDBLOCK || errno == EAGAIN))
        return tmli_fail(err, TML_ERR_IO, "Cannot continue result file '%s': another program is writing it.",
                         path);
    return TML_OK;
}

// The name of an older file goes to the new one: by a rename from a temporary name, if need be one that it
// has for this moment. Signals wait, so that none ends the program between the two.
static bool replace(tmli_target *t)
{
    if (!t->named && link_to(t, t->final)) return true;
    if (!t->named && errno != EEXIST) return false;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool done =
        (t->named || take_temporary_name(t, link_temporary, 0)) && rename(t->temporary, t->final) == 0;
    const int number = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = number;
    return done;
}

tml_status tmli_target_publish(tmli_target *t, tml_error *err)
{
    struct stat info;
    if (!t->temporary) return TML_OK;
    tml_status st = refuse_if_in_use(t, err);
    if (st == TML_OK && fstat(t->fd, &info) != 0) st = fail(t, errno, err);
    if (st == TML_OK) st = tmli_files_write(&t->env, t->path, t->final, &info, err);
    if (st != TML_OK) return st;
    if (!replace(t)) return fail(t, errno, err);
    tmli_free(&t->env, t->temporary);
    t->temporary = NULL;
    return TML_OK;
}

void tmli_target_look(tmli_target *t)
{
    struct stat info;
    if (fstat(t->fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_size < t->extent) t->cut = true;
}

tml_status tmli_target_check(const tmli_target *t, tml_error *err)
{
    struct stat info;
    if (t->fd < 0 || fstat(t->fd, &info) != 0 || !S_ISREG(info.st_mode)) return TML_OK;
    if (!t->temporary && info.st_nlink == 0)
        return tmli_fail(err, TML_ERR_IO,
                         "Result file '%s' was deleted or replaced while it was written: its rows are lost.",
                         t->path);
    if (!t->cut && info.st_size >= t->extent) return TML_OK;
    return tmli_fail(err, TML_ERR_IO,
                     "Result file '%s' was cut by another program while it was written: rows are lost.",
                     t->path);
}

tml_status tmli_target_close(tmli_target *t, tml_error *err)
{
    tml_status st = tmli_target_check(t, err);
    if (t->fd >= 0 && close(t->fd) != 0 && st == TML_OK) st = fail(t, errno, err);
    if (t->temporary && t->named) unlink(t->temporary);
    tmli_free_all(&t->env, t->temporary, t->final, t->path);
    *t = (tmli_target){.fd = -1};
    return st;
}

// ---- drafts -----------------------------------------------------------------------------------------------

// Where the stream of a draft goes. stdio tells at the end that something was not written, not why.
typedef struct tmli_sink {
    int fd;    // of the target
    int code;  // errno of the first write that failed; 0: none has
} tmli_sink;

static ssize_t put(void *cookie, const char *data, size_t n)
{
    tmli_sink *s = cookie;
    size_t done = 0;
    while (done < n && !s->code) {
        const ssize_t more = write(s->fd, data + done, n - done);
        if (more >= 0) done += (size_t)more;
        else if (errno != EINTR) s->code = errno;
    }
    return (ssize_t)done;  // less: the stream has an error from here on
}

static int seek(void *cookie, off64_t *offset, int whence)
{
    const tmli_sink *s = cookie;
    const off_t at = lseek(s->fd, (off_t)*offset, whence);
    if (at >= 0) *offset = at;
    return at >= 0 ? 0 : -1;
}

tml_status tmli_draft_open(tmli_draft *d, const char *path, const tml_env *env, tml_error *err)
{
    *d = (tmli_draft){0};
    tml_status st = tmli_target_open(&d->target, path, O_WRONLY, env, err);
    if (st == TML_OK && !(d->sink = tmli_calloc(env, 1, sizeof *d->sink))) st = no_memory(path, err);
    if (st == TML_OK) {
        d->sink->fd = d->target.fd;
        d->out = fopencookie(d->sink, "w", (cookie_io_functions_t){.write = put, .seek = seek});
        if (!d->out) st = no_memory(path, err);
    }
    if (st == TML_OK) return st;
    tmli_free(env, d->sink);
    tmli_target_close(&d->target, NULL);
    return st;
}

tml_status tmli_draft_close(tmli_draft *d, tml_status st, tml_error *err)
{
    if (!d->out) return st;
    bool whole = fflush(d->out) == 0;
    whole = !ferror(d->out) && whole;
    whole = fclose(d->out) == 0 && whole;
    const int number = d->sink->code ? d->sink->code : EIO;
    tmli_free(&d->target.env, d->sink);
    d->out = NULL;
    d->sink = NULL;
    if (st == TML_OK && !whole) st = fail(&d->target, number, err);
    if (st == TML_OK) st = tmli_target_publish(&d->target, err);
    const tml_status closed = tmli_target_close(&d->target, st == TML_OK ? err : NULL);
    return st == TML_OK ? closed : st;
}

tml_status tmli_file_write(const char *path, const void *data, size_t size, bool sync, const tml_env *env,
                           tml_error *err)
{
    tmli_draft d;
    tml_status st = tmli_draft_open(&d, path, env, err);
    if (st != TML_OK) return st;
    if (size > 0) fwrite(data, 1, size, d.out);
    if (sync && fflush(d.out) == 0 && fsync(d.target.fd) != 0 && errno != EINVAL)  // EINVAL: a pipe
        st = fail(&d.target, errno, err);
    return tmli_draft_close(&d, st, err);
}
