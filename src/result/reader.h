// Reading results: names, units, notes and all values of a CSV or HDF5 file.
#ifndef TMLI_RESULT_READER_H
#define TMLI_RESULT_READER_H

#include "base/base.h"
#include <trammel/result.h>

/** Largest file of numbers that is read, or table of an HDF5 file. */
#define TMLI_RESULT_BYTES ((size_t)1 << 33)

/** Rows that stay in their file until they are asked for. */
typedef struct tmli_row_source {
    void *self;
    tml_status (*read)(void *self, size_t first, size_t count, double *rows, tml_error *err);
    void (*close)(void *self);
} tmli_row_source;

typedef struct tml_result tmli_result;
struct tml_result {
    int ncols;
    size_t nrows;
    const char **names;  // (ncols)
    const char **units;  // (ncols); NULL if the file has none
    double *values;      // (nrows x ncols), row after row; NULL: they are in `source`
    tmli_row_source source;
    int nnotes;
    const char **note_names, **note_texts;  // (nnotes)
    const tml_channel *channels;            // (ncols) of rows that a simulation records; NULL: of a file
    tml_env env;
    tmli_arena arena;  // owns all texts
};

/** Read a CSV file: a header line with names, then lines with the same number of values (also nan, inf,
 * -inf). Names may be quoted, and lines may end with a carriage return. Lines that begin with '#' are
 * comments; "# [s],[m],..." gives the units. Errors have file and line. */
tml_status tmli_result_read_csv(const char *path, const tml_env *env, tmli_result **out, tml_error *err);

/** The same of `size` bytes in memory, which are changed; data[size] is 0. path: for messages. */
tml_status tmli_result_parse_csv(const char *path, char *data, size_t size, const tml_env *env,
                                 tmli_result **out, tml_error *err);

/** Read an HDF5 file of our writer, also of earlier versions: all channels and notes. Of a run that was
 * killed during a write, the rows that it announced and did not write are left out. */
tml_status tmli_result_read_hdf5(const char *path, const tml_env *env, tmli_result **out, tml_error *err);

/** The same without the values: `source` reads them. Files of layout 1 are read as a whole. */
tml_status tmli_result_open_hdf5(const char *path, const tml_env *env, tmli_result **out, tml_error *err);

/** What it takes to continue the run of an HDF5 file; the caller frees *data with env. *data NULL and TML_OK:
 * it has none. */
tml_status tmli_result_attachment(const char *path, const tml_env *env, void **data, size_t *size,
                                  tml_error *err);

/** True if the first bytes of an HDF5 file say that its run has reached its end. False: it has not, or they
 * do not say. It costs much less than to open the file by HDF5. */
bool tmli_result_is_complete(const char *path);

/** The column of a name, or -1. */
int tmli_result_column(const tmli_result *r, const char *name);
/** The text of a note, or NULL. */
const char *tmli_result_note(const tmli_result *r, const char *name);
void tmli_result_destroy(tmli_result *r);  // accepts NULL

/** Characters of names and units that a terminal would obey, or that turn the direction of writing, become
 * blanks: a result is often somebody else's. All readers end with this. */
void tmli_result_clean(tmli_result *r);
/** An empty result for the readers, with the environment set; NULL if memory is exhausted. */
tmli_result *tmli_result_create(const tml_env *env);

#endif
