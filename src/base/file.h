// Whole files in memory. All readers use this, so that none of them waits for a pipe, reads a device without
// end, takes more memory than its limit, or leaves the folders that it is limited to. Other files than this
// one, target.c and those that tests/tools/check_includes lists open none.
#ifndef TMLI_BASE_FILE_H
#define TMLI_BASE_FILE_H

#include "base/base.h"

enum { TMLI_FILE_REASON = 160 };

/** The bytes of a file and a zero byte after them. */
typedef struct tmli_bytes {
    char *data;  // freed by the caller with the environment of the call; NULL after a failure
    size_t length;
    uint64_t dev, ino;  // identity on disk; both 0: a pipe
} tmli_bytes;

typedef enum tmli_file_kind {
    TMLI_FILE_REGULAR,  // nothing else
    TMLI_FILE_STREAM,   // also terminals and pipes that are written: the caller has named the file himself
} tmli_file_kind;

/** Folders in or below which a file must be, after symbolic links are followed. A model is often somebody
 * else's, and the files that it names are limited to these. */
typedef struct tmli_places {
    bool limited;  // false: any file
    int count;
    char **folder;  // (count) as of realpath
} tmli_places;

/** What is in a file. */
typedef struct tmli_digest {
    bool there;       // else there is no such file
    uint64_t length;  // [bytes]
    uint64_t hash;    // tmli_checksum of them
} tmli_digest;

/** Read a file of at most `most` bytes; places NULL: any file. The register of env gets it (register.h).
 * TML_ERR_IO: `reason` tells why ("No such file or directory", "it is not a regular file", "it is larger than
 * 64 MB", "it is outside of ...", "--out would overwrite it"); TML_ERR_NOMEM: so does it. */
tml_status tmli_file_load(const char *path, const tmli_places *places, size_t most, tmli_file_kind kind,
                          const tml_env *env, tmli_bytes *out, char reason[TMLI_FILE_REASON]);
/** The digest of a file that is loaded later. One that is not there is no error. */
tml_status tmli_file_digest(const char *path, const tmli_places *places, size_t most, const tml_env *env,
                            tmli_digest *out, char reason[TMLI_FILE_REASON]);
/** The rest of a path below one of the places, after symbolic links are followed, in `out`, and the number of
 * the place; -1: it is in none of them, and *there tells whether there is such a file at all. */
int tmli_file_find(const char *path, const tmli_places *places, char *out, size_t room, bool *there);
/** The first bytes of a regular file, at most `room`; returns their number, 0: it cannot be read. For what is
 * opened again, by a reader that reports it. */
size_t tmli_file_head(const char *path, char *out, size_t room);

#endif
