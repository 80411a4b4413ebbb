// Results: named channels with units over time, written row by row to CSV or HDF5.
#ifndef TRAMMEL_RESULT_H
#define TRAMMEL_RESULT_H

#include <trammel/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One number per output time. Channels of one dataset are neighbours, component 0 .. width-1. */
typedef struct tml_channel {
    const char *name;     ///< column name: "crank.x", "pin.angle", "energy.kinetic", "t"
    const char *unit;     ///< "m", "rad/s", "N", "1", ...
    const char *dataset;  ///< HDF5 path: "/bodies/crank/position", "/t"
    int component;        ///< column in the dataset
    int width;            ///< columns of the dataset; 1: one-dimensional
    const char
        *determined;  ///< of reactions: "unique", "shared" or "indeterminate" (tml_reaction_kind); else NULL
} tml_channel;

/** A named text stored with the result (HDF5 attribute or dataset of the root): title, model, options,
 * version. */
typedef struct tml_result_note {
    const char *name;
    const char *text;
} tml_result_note;

typedef struct tml_writer tml_writer;

/** Open path for writing; the ending decides: .csv or .h5/.hdf5. Channels and notes are copied. CSV: one
 * header line, then rows with the shortest exact decimal form; flushed about every second. HDF5: chunked
 * extendable datasets with the attributes "unit" and, of reactions, "determined" by columns; rows are
 * gathered and written in blocks, each followed by a flush, so that a killed run leaves a readable file up
 * to its last block. */
TML_API tml_status tml_writer_create(const char *path, const tml_channel *channels, int nchannels,
                                     const tml_result_note *notes, int nnotes, const tml_env *env,
                                     tml_writer **out, tml_error *err);
/** x: one value per channel. No heap allocation by us. */
TML_API tml_status tml_writer_row(tml_writer *w, const double *x, tml_error *err);
/** Write what is pending and close; the writer is gone also if this fails. w may be NULL. */
TML_API tml_status tml_writer_close(tml_writer *w, tml_error *err);

#ifdef __cplusplus
}
#endif
#endif
