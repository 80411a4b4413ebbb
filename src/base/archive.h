// Archives inside the library; the functions that visit fields are in include/trammel/archive.h.
//
// An archive in memory is a header and items. All numbers are in the byte order of the machine.
//   header   magic (8 bytes), format (uint32), byte order (uint32), size of the items (uint64), checksum of
//            the items (uint64), version of the library (16 characters)
//   item     type (uint32), count (uint32), values, zeros up to a multiple of 8 bytes
#ifndef TMLI_BASE_ARCHIVE_H
#define TMLI_BASE_ARCHIVE_H

#include "base/base.h"
#include <trammel/archive.h>

struct tml_archive {
    const tml_env *env;
    bool reading;
    unsigned char *data;  // owned if writing; header and items
    size_t size;          // used, or to be read
    size_t capacity;      // if writing
    size_t at;            // of the next item, if reading
    tml_error err;        // err.status TML_OK: none
};

/** Begin to write. */
tml_status tmli_archive_begin(tml_archive *a, const tml_env *env, tml_error *err);
/** Complete the header: a->data, a->size are the archive. Error: the first failure of an item. */
tml_status tmli_archive_end(tml_archive *a, tml_error *err);
/** Begin to read: check the header. data is borrowed. TML_ERR_IO: damaged, truncated, or not an archive. */
tml_status tmli_archive_open(tml_archive *a, const void *data, size_t size, tml_error *err);
/** All items must have been read. Error: the first failure of an item. */
tml_status tmli_archive_close(tml_archive *a, tml_error *err);
void tmli_archive_clear(tml_archive *a);

/** The remaining functions are for objects with fields of few types. */
static inline void tmli_archive_double(tml_archive *a, double *x) { tml_archive_doubles(a, x, 1); }
static inline void tmli_archive_bool(tml_archive *a, bool *x) { tml_archive_bools(a, x, 1); }
/** `size` bytes of any kind. */
void tmli_archive_bytes(tml_archive *a, void *data, size_t size);
/** Bytes that are not yet read: a bound of the sizes that the archive gives. */
size_t tmli_archive_rest(const tml_archive *a);
/** A mark: reading fails with a message if the archive has another one here. */
void tmli_archive_mark(tml_archive *a, const char *name);
/** A property that the archive must share with the object; what: its name in the message. */
void tmli_archive_same(tml_archive *a, long value, const char *what);

/** Read a whole file; the caller frees *data with env. */
tml_status tmli_file_read(const char *path, const tml_env *env, unsigned char **data, size_t *size,
                          tml_error *err);

#endif
