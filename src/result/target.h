// The file that a writer of results writes: it appears under its name when its head is whole.
//
// Until then it has a temporary name beside it, so that a run that is killed while it starts leaves an older
// file of this name untouched, and never one that cannot be read. Symbolic links are followed. The file is
// locked while it is written: a second run on the same path is refused. Devices and pipes are written
// directly.
#ifndef TMLI_RESULT_TARGET_H
#define TMLI_RESULT_TARGET_H

#include "base/base.h"

typedef struct tmli_target {
    int fd;  // < 0: closed
    const tml_env *env;
    char *path;       // for messages
    char *final;      // without symbolic links
    char *temporary;  // NULL: the file has its name
} tmli_target;

/** Open a new file for `path`. access: O_WRONLY or O_RDWR. env outlives the target. The caller closes it,
 * also after an error. Errors: TML_ERR_IO, TML_ERR_NOMEM. */
tml_status tmli_target_open(tmli_target *t, const char *path, int access, const tml_env *env, tml_error *err);
/** Open the file of an earlier run to continue it. Errors: TML_ERR_IO (also a device or a file that another
 * program writes), TML_ERR_NOMEM. */
tml_status tmli_target_reopen(tmli_target *t, const char *path, const tml_env *env, tml_error *err);
/** Give the file its name, in place of an older file. Error: TML_ERR_IO. */
tml_status tmli_target_publish(tmli_target *t, tml_error *err);
/** Close the file; one without its name is deleted. Error: TML_ERR_IO, also if it has lost its name since. */
tml_status tmli_target_close(tmli_target *t, tml_error *err);

#endif
