// Archives: the fields of an object written to a saved simulation or read from it, by one function for both.
//
// A function `archive` visits, in a fixed order, every field that later steps depend on. The same calls write
// the fields when a simulation is saved and read them when it is loaded, so that the two cannot disagree.
// Every item is stored with its type and count. An archive that does not fit the object is refused at the
// first item that differs; what follows is neither read nor written, and tml_archive_status gives the error.
#ifndef TRAMMEL_ARCHIVE_H
#define TRAMMEL_ARCHIVE_H

#include <stdbool.h>
#include <trammel/base.h>

TML_C_BEGIN

typedef struct tml_archive tml_archive;

/** True while a simulation is loaded: the functions below set the fields. False: they store them. */
TML_API bool tml_archive_reading(const tml_archive *a);
TML_API void tml_archive_doubles(tml_archive *a, double *x, size_t count);
TML_API void tml_archive_ints(tml_archive *a, int *x, size_t count);
TML_API void tml_archive_longs(tml_archive *a, long *x, size_t count);
TML_API void tml_archive_bools(tml_archive *a, bool *x, size_t count);
/** Numbers that count or index something: an archive with a number outside of least .. most is refused. */
TML_API void tml_archive_indices(tml_archive *a, int *x, size_t count, int least, int most);
/** A text in an array of `size` characters. */
TML_API void tml_archive_text(tml_archive *a, char *text, size_t size);
/** Give up: the object cannot be saved or does not fit the archive. The first call decides. */
TML_API void tml_archive_fail(tml_archive *a, tml_status status, const char *message);
/** TML_OK, or the reason why the archive is of no use. */
TML_API tml_status tml_archive_status(const tml_archive *a);

TML_C_END
#endif
