// Whole files in memory; see the header.
#define _DEFAULT_SOURCE  // realpath
#include "base/file.h"

#include "base/near_file.h"
#include "base/register.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_ROOM = 65536 };

static tml_status fail(char reason[TMLI_FILE_REASON], const char *text)
{
    snprintf(reason, TMLI_FILE_REASON, "%s", text);
    return TML_ERR_IO;
}

static tml_status fail_size(char reason[TMLI_FILE_REASON], size_t most)
{
    const size_t mega = (size_t)1 << 20;
    if (most < mega) snprintf(reason, TMLI_FILE_REASON, "it is larger than %zu bytes", most);
    else snprintf(reason, TMLI_FILE_REASON, "it is larger than %zu MB", most / mega);
    return TML_ERR_IO;
}

// ---- opening ----------------------------------------------------------------------------------------------

static int open_at(int folder, const char *name, int more)
{
    return openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | more);
}

// `path`, which is relative and has no symbolic link, name by name: none of them is followed if one was put
// there since. (openat2 with RESOLVE_BENEATH does the same where there is one.)
static int open_below(const char *folder, const char *path)
{
    char name[NAME_MAX + 1];
    int at = open_at(AT_FDCWD, folder, O_DIRECTORY);
    while (at >= 0) {
        const size_t length = strcspn(path, "/");
        const bool last = !path[length];
        if (length >= sizeof name) errno = ENAMETOOLONG;
        else {
            memcpy(name, path, length);
            name[length] = 0;
        }
        const int next = length >= sizeof name ? -1
                         : length == 0         ? dup(at)
                                               : open_at(at, name, O_NOFOLLOW | (last ? 0 : O_DIRECTORY));
        const int number = errno;
        close(at);
        errno = number;
        at = next;
        if (last) break;
        path += length + 1;
    }
    return at;
}

// The rest of `path` below `folder`, both without symbolic links; NULL: it is not there.
static const char *rest_below(const char *path, const char *folder)
{
    const size_t length = strlen(folder);
    if (strncmp(path, folder, length) != 0) return NULL;
    if (length > 0 && folder[length - 1] == '/') return path + length;
    if (!path[length]) return path + length;
    return path[length] == '/' ? path + length + 1 : NULL;
}

int tmli_file_find(const char *path, const tmli_places *places, char *out, size_t room, bool *there)
{
    char real[PATH_MAX];
    struct stat info;
    *there = realpath(path, real) && stat(real, &info) == 0 && S_ISREG(info.st_mode);
    for (int i = 0; i < places->count && *there; i++) {
        const char *rest = rest_below(real, places->folder[i]);
        if (rest && strlen(rest) < room) {
            strcpy(out, rest);
            return i;
        }
    }
    return -1;
}

static int open_in_places(const char *path, const tmli_places *places, bool *outside)
{
    char real[PATH_MAX];
    *outside = false;
    if (!places || !places->limited) return open_at(AT_FDCWD, path, 0);
    if (!realpath(path, real)) return -1;
    for (int i = 0; i < places->count; i++) {
        const char *rest = rest_below(real, places->folder[i]);
        if (rest) return open_below(places->folder[i], rest);
    }
    *outside = true;
    return -1;
}

static tml_status open_file(const char *path, const tmli_places *places, size_t most, tmli_file_kind kind,
                            int *fd, struct stat *info, char reason[TMLI_FILE_REASON])
{
    bool outside;
    *fd = open_in_places(path, places, &outside);
    tml_status st = TML_OK;
    if (outside)
        return fail(reason,
                    "it is outside of the model's folder (an empty file 'trammel.project' in the folder "
                    "of a project admits all below it; or use --allow-path)");
    if (*fd < 0 || fstat(*fd, info) != 0) {
        const bool missing = errno == ENOENT && !places;
        st = fail(reason, strerror(errno));
        const size_t used = strlen(reason);
        if (missing) tmli_file_hint(path, reason + used, TMLI_FILE_REASON - used);
    } else if (S_ISDIR(info->st_mode)) st = fail(reason, "it is a directory");
    else if (kind == TMLI_FILE_REGULAR && !S_ISREG(info->st_mode))
        st = fail(reason, "it is not a regular file");
    else if (S_ISREG(info->st_mode) && (uintmax_t)info->st_size > most) st = fail_size(reason, most);
    else if (!S_ISFIFO(info->st_mode)) fcntl(*fd, F_SETFL, 0);  // wait for a terminal
    if (st != TML_OK && *fd >= 0) close(*fd);
    return st;
}

// ---- reading ----------------------------------------------------------------------------------------------

// The size of a pipe is not known in advance, and that of a file may change: read in pieces. A pipe does not
// wait for its first bytes: its end there means that nobody writes it.
static tml_status read_all(int fd, size_t first, size_t most, const tml_env *env, tmli_bytes *out,
                           char *reason)
{
    size_t room = first, used = 0;
    char *data = tmli_calloc(env, room, 1);
    while (data) {
        const ssize_t n = read(fd, data + used, room - used - 1);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN && fcntl(fd, F_SETFL, 0) == 0) continue;  // wait for the writer
        if (n < 0) {
            const int number = errno;
            tmli_free(env, data);
            return fail(reason, strerror(number));
        }
        if (n == 0) {
            data[used] = 0;
            out->data = data;
            out->length = used;
            return TML_OK;
        }
        used += (size_t)n;
        if (used > most) {
            tmli_free(env, data);
            return fail_size(reason, most);
        }
        if (used + 1 < room) continue;
        char *more = tmli_regrow(env, data, used, 2 * room, 1);
        if (!more) tmli_free(env, data);
        room *= 2;
        data = more;
    }
    fail(reason, "memory is exhausted");
    return TML_ERR_NOMEM;
}

tml_status tmli_file_load(const char *path, const tmli_places *places, size_t most, tmli_file_kind kind,
                          const tml_env *env, tmli_bytes *out, char reason[TMLI_FILE_REASON])
{
    *out = (tmli_bytes){0};
    int fd;
    struct stat info;
    tml_status st = open_file(path, places, most, kind, &fd, &info, reason);
    if (st != TML_OK) return st;
    const size_t size = S_ISREG(info.st_mode) ? (size_t)info.st_size : 0;
    st = tmli_files_read(env, path, &info, reason, TMLI_FILE_REASON);
    if (st == TML_OK) st = read_all(fd, size > 0 ? size + 2 : FIRST_ROOM, most, env, out, reason);
    if (st == TML_OK && S_ISFIFO(info.st_mode) && out->length == 0) {
        st = fail(reason, "it is a pipe that nobody writes");
        tmli_free(env, out->data);
        out->data = NULL;
    }
    if (st == TML_OK && S_ISREG(info.st_mode)) {
        out->dev = (uint64_t)info.st_dev;
        out->ino = (uint64_t)info.st_ino;
    }
    close(fd);
    return st;
}

tml_status tmli_file_digest(const char *path, const tmli_places *places, size_t most, const tml_env *env,
                            tmli_digest *out, char reason[TMLI_FILE_REASON])
{
    tmli_bytes bytes;
    struct stat info;
    *out = (tmli_digest){0};
    if (stat(path, &info) != 0 && (errno == ENOENT || errno == ENOTDIR)) return TML_OK;
    const tml_status st = tmli_file_load(path, places, most, TMLI_FILE_REGULAR, env, &bytes, reason);
    if (st != TML_OK) return st;
    *out = (tmli_digest){true, bytes.length, tmli_checksum(bytes.data, bytes.length)};
    tmli_free(env, bytes.data);
    return TML_OK;
}

size_t tmli_file_head(const char *path, char *out, size_t room)
{
    int fd;
    struct stat info;
    char reason[TMLI_FILE_REASON];
    size_t used = 0;
    if (open_file(path, NULL, SIZE_MAX, TMLI_FILE_REGULAR, &fd, &info, reason) != TML_OK) return 0;
    while (used < room) {
        const ssize_t n = read(fd, out + used, room - used);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        used += (size_t)n;
    }
    close(fd);
    return used;
}
