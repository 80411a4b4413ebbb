// A file that is written beside its name, and gets its name when it, or its head, is whole.
//
// Until then it has no name, or a temporary one beside it where the file system needs one, so that a program
// that is killed, or a disk that is full, leaves an older file of this name untouched, and never one that
// cannot be read. Symbolic links are followed, an older file lends its permissions. The file is locked while
// it is written: a second program on the same path is refused. Devices and pipes are written directly.
//
// A target is for files that are read while they grow (results). Everything else is a draft: written by stdio
// and published at the end.
#ifndef TMLI_BASE_TARGET_H
#define TMLI_BASE_TARGET_H

#include "base/base.h"

#include <stdio.h>
#include <sys/types.h>

typedef struct tmli_target {
    int fd;  // < 0: closed
    tml_env env;
    char *path;       // for messages
    char *final;      // without symbolic links
    char *temporary;  // NULL: the file has its name
    mode_t mode;      // permissions of a new file
    bool named;       // the file has this temporary name; else none yet
    int64_t extent;   // bytes that were written up to now: a file with less was cut by another program
    bool cut;         // it was
} tmli_target;

/** Open a new file for `path`. access: O_WRONLY or O_RDWR, and O_APPEND. The caller
 * closes it, also after an error. Errors: TML_ERR_IO (also a file that this command reads, or has written
 * under another name: register.h), TML_ERR_NOMEM. */
tml_status tmli_target_open(tmli_target *t, const char *path, int access, const tml_env *env, tml_error *err);
/** Open the file of an earlier run to continue it. Errors: TML_ERR_IO (also a device or a file that another
 * program writes), TML_ERR_NOMEM. */
tml_status tmli_target_reopen(tmli_target *t, const char *path, const tml_env *env, tml_error *err);
/** Give the file its name, in place of an older file. Error: TML_ERR_IO. */
tml_status tmli_target_publish(tmli_target *t, tml_error *err);
/** TML_ERR_IO: another program has deleted, replaced or cut the file since. */
tml_status tmli_target_check(const tmli_target *t, tml_error *err);
/** Look whether the file was cut: before each write at a place of its own, which would hide it. */
void tmli_target_look(tmli_target *t);
/** Note that bytes up to `end` were written. */
static inline void tmli_target_wrote(tmli_target *t, int64_t end)
{
    t->extent = end > t->extent ? end : t->extent;
}
/** Close the file; one without its name is deleted. Errors: TML_ERR_IO, also those of tmli_target_check. */
tml_status tmli_target_close(tmli_target *t, tml_error *err);

typedef struct tmli_draft {
    FILE *out;  // NULL: closed
    struct tmli_sink *sink;
    tmli_target target;
} tmli_draft;

/** Open a draft of the file `path`. After an error nothing is open. Errors: TML_ERR_IO, TML_ERR_NOMEM. */
tml_status tmli_draft_open(tmli_draft *d, const char *path, const tml_env *env, tml_error *err);
/** Close it. It gets its name if `st`, the status of what has been written, is TML_OK and everything has
 * reached the disk; else it is deleted, and an older file of the name remains. Returns st, or TML_ERR_IO with
 * err filled. A draft that is not open: returns st. */
tml_status tmli_draft_close(tmli_draft *d, tml_status st, tml_error *err);
/** Write `size` bytes as the file `path`. sync: they are on the disk before the file has its name. */
tml_status tmli_file_write(const char *path, const void *data, size_t size, bool sync, const tml_env *env,
                           tml_error *err);

#endif
