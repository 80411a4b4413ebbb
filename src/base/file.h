// Whole files in memory. All readers use this, so that none of them waits for a pipe, reads a device without
// end, or takes more memory than its limit.
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
    TMLI_FILE_STREAM,   // also pipes and terminals: the caller has named the file himself
} tmli_file_kind;

/** Read a file of at most `most` bytes. TML_ERR_IO: `reason` tells why ("No such file or directory", "it is
 * not a regular file", "it is larger than 64 MB"); TML_ERR_NOMEM: so does it. */
tml_status tmli_file_load(const char *path, size_t most, tmli_file_kind kind, const tml_env *env,
                          tmli_bytes *out, char reason[TMLI_FILE_REASON]);

#endif
