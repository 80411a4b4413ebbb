// Whole files in memory; see the header.
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
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

// The size of a pipe is not known in advance, and that of a file may change: read in pieces.
static tml_status read_all(int fd, size_t first, size_t most, const tml_env *env, tmli_bytes *out,
                           char *reason)
{
    size_t room = first, used = 0;
    char *data = tmli_calloc(env, room, 1);
    while (data) {
        const ssize_t n = read(fd, data + used, room - used - 1);
        if (n < 0 && errno == EINTR) continue;
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

tml_status tmli_file_load(const char *path, size_t most, tmli_file_kind kind, const tml_env *env,
                          tmli_bytes *out, char reason[TMLI_FILE_REASON])
{
    *out = (tmli_bytes){0};
    const bool regular = kind == TMLI_FILE_REGULAR;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (regular ? O_NONBLOCK : 0));
    if (fd < 0) return fail(reason, strerror(errno));
    struct stat info;
    tml_status st = TML_OK;
    if (fstat(fd, &info) != 0) st = fail(reason, strerror(errno));
    else if (S_ISDIR(info.st_mode)) st = fail(reason, "it is a directory");
    else if (regular && !S_ISREG(info.st_mode)) st = fail(reason, "it is not a regular file");
    else if (S_ISREG(info.st_mode) && (uintmax_t)info.st_size > most) st = fail_size(reason, most);
    else {
        const size_t size = S_ISREG(info.st_mode) ? (size_t)info.st_size : 0;
        st = read_all(fd, size > 0 ? size + 2 : FIRST_ROOM, most, env, out, reason);
    }
    if (st == TML_OK && S_ISREG(info.st_mode)) {
        out->dev = (uint64_t)info.st_dev;
        out->ino = (uint64_t)info.st_ino;
    }
    close(fd);
    return st;
}
