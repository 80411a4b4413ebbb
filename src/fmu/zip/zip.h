// Archives in the format ZIP (PKWARE's application note 6.3, RFC 1951), with the same bytes for the same
// files: the time of every entry is the first that the format knows, 1 January 1980.
#ifndef TMLI_FMU_ZIP_H
#define TMLI_FMU_ZIP_H

#include "base/base.h"

#include <stdio.h>

/** Zero-initialize and set `out`. */
typedef struct tmli_zip {
    FILE *out;
    const tml_env *env;
    uint32_t at;  // bytes written
    struct tmli_zip_entry *entry;
    int count, room;
} tmli_zip;

/** Add a file. name: its path in the archive, with '/'. executable: a program or library. Errors:
 * TML_ERR_NOMEM, TML_ERR_ARG (more than the format can hold). What the stream says is for its owner to see.
 * */
tml_status tmli_zip_add(tmli_zip *z, const char *name, const void *data, size_t size, bool executable,
                        tml_error *err);
/** Write the directory, and free everything; returns `st`, that of the entries. */
tml_status tmli_zip_end(tmli_zip *z, tml_status st);

/** Compress (deflate); the caller frees *out with env. */
tml_status tmli_deflate(const unsigned char *data, size_t size, const tml_env *env, unsigned char **out,
                        size_t *length, tml_error *err);

#endif
