// Results: named channels with units over time, written row by row to a CSV or HDF5 file.
#ifndef TRAMMEL_RESULT_H
#define TRAMMEL_RESULT_H

#include <trammel/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A channel: one number per output time. Channels of one dataset are adjacent, components 0 .. width-1. */
typedef struct tml_channel {
    const char *name;     ///< column name: "crank.x", "pin.angle", "energy.kinetic", "t"
    const char *unit;     ///< "m", "rad/s", "N", "1", ...
    const char *dataset;  ///< HDF5 path: "/bodies/crank/position", "/t"
    int component;        ///< column in the dataset
    int width;            ///< columns of the dataset; 1: one-dimensional
    /** Reactions: "unique", "shared" or "indeterminate" (tml_reaction_kind); NULL for other channels. */
    const char *determined;
} tml_channel;

/** A named text stored with the results (attribute or dataset of the HDF5 root): title, model, options,
 * version. */
typedef struct tml_result_note {
    const char *name;
    const char *text;
} tml_result_note;

typedef struct tml_writer tml_writer;

/** Open a file for writing. The extension selects the format: .csv, or .h5/.hdf5. Channels and notes are
 * copied; env may be NULL.
 *
 * CSV: one header line, then rows of numbers in the shortest exact decimal form; flushed about once per
 * second. HDF5: chunked extendable datasets with the attribute "unit" and, for reactions, "determined" by
 * columns. Rows are buffered and written in blocks with a flush after each, so that a run that is killed
 * leaves a readable file up to its last block. Errors: TML_ERR_ARG (extension, invalid channel or note),
 * TML_ERR_NAME (channel name not unique), TML_ERR_IO, TML_ERR_NOMEM. */
TML_API tml_status tml_writer_create(const char *path, const tml_channel *channels, int nchannels,
                                     const tml_result_note *notes, int nnotes, const tml_env *env,
                                     tml_writer **out, tml_error *err);
/** Write one row; x: one value per channel. Allocates nothing itself. Error: TML_ERR_IO. */
TML_API tml_status tml_writer_row(tml_writer *w, const double *x, tml_error *err);
/** Write buffered rows, close the file and destroy the writer, also on failure. w may be NULL. Error:
 * TML_ERR_IO. */
TML_API tml_status tml_writer_close(tml_writer *w, tml_error *err);

#ifdef __cplusplus
}
#endif
#endif
