// The files of a command: nothing that it writes may be something that it reads, or that it has written
// already.
//
// The register is in the environment, which everybody who opens a file has: base/file.c and the other readers
// report there what they open, base/target.c asks before it gives a file its name. Who reads an older file of
// an output, as of an earlier run, has no register in its environment.
//
// Files are the same by device and inode, so links do not deceive; files that do not exist yet by their name
// in their folder. Devices and pipes may be named repeatedly. It may be used by several threads.
#ifndef TMLI_BASE_REGISTER_H
#define TMLI_BASE_REGISTER_H

#include "base/base.h"

#include <pthread.h>
#include <sys/stat.h>

typedef enum tmli_use {
    TMLI_USE_READ,
    TMLI_USE_WRITTEN,  // once
    TMLI_USE_KEPT      // again and again, and perhaps read before: a checkpoint, the table of a study
} tmli_use;

typedef struct tmli_used_file {
    tmli_use use;
    bool known;      // these are its device and inode: it was read, or has been written
    bool published;  // by this command
    uint64_t dev, ino;
    char *path, *what;
} tmli_used_file;

struct tml_files {
    pthread_mutex_t lock;
    int count, room;
    tmli_used_file *item;
};

void tmli_files_begin(struct tml_files *f);
void tmli_files_clear(struct tml_files *f);
/** Add a file that will be read or written. what: in messages, "--out" or "the model". TML_ERR_ARG: *other is
 * a copy of what is known of the same file, and one of the two is written; TML_ERR_NOMEM. Whatever is
 * returned, the caller clears *other. */
tml_status tmli_files_add(struct tml_files *f, tmli_use use, const char *what, const char *path,
                          tmli_used_file *other);
/** The file of this path, which is read, is one that the command goes on with: it is kept. */
void tmli_files_continue(struct tml_files *f, const char *path);
/** Only that comparison. TML_OK: nothing is in the way. */
tml_status tmli_files_find(struct tml_files *f, tmli_use use, const char *path, tmli_used_file *other);
void tmli_used_file_clear(tmli_used_file *file);

/** A regular file has been opened to be read. TML_ERR_IO: it is one that will be written, and `reason` (of
 * `room` bytes) says by what; TML_ERR_NOMEM. env may be NULL. */
tml_status tmli_files_read(const tml_env *env, const char *path, const struct stat *info, char *reason,
                           size_t room);
/** A file is to be written (info NULL), or has been and gets this name now (info: of the new file). final:
 * the name without links. TML_ERR_IO: it is read by this command, or has been written. env may be NULL. */
tml_status tmli_files_write(const tml_env *env, const char *path, const char *final, const struct stat *info,
                            tml_error *err);

#endif
