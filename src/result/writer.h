// The table of functions of a result format, and the definition of a result file.
#ifndef TMLI_RESULT_WRITER_H
#define TMLI_RESULT_WRITER_H

#include <trammel/result.h>

#include "base/base.h"

/** A result file. Checked by tml_writer_create; borrowed, valid during create only. */
typedef struct tmli_writer_def {
    const char *path;
    const tml_channel *channels;
    int nchannels;
    const tml_result_note *notes;
    int nnotes;
    const tml_env *env;  // outlives the writer
} tmli_writer_def;

/** One file format. After a failed row only close is called, with keep = false: buffered rows are
 * discarded. */
typedef struct tmli_writer_ops {
    const char *name;
    tml_status (*create)(const tmli_writer_def *def, void **self, tml_error *err);
    tml_status (*row)(void *self, const double *x, tml_error *err);
    tml_status (*note)(void *self, const tml_result_note *note, tml_error *err);  // NULL: notes are dropped
    tml_status (*close)(void *self, bool keep, tml_error *err);  // destroys self, also on failure
} tmli_writer_ops;

extern const tmli_writer_ops tmli_writer_csv;

/** The table of the HDF5 format. Where HDF5 is in a module (load/hdf5.c), it is loaded by this call. Error:
 * TML_ERR_IO (there is no such module). */
tml_status tmli_writer_hdf5(const tmli_writer_ops **ops, tml_error *err);

/** Monotonic wall time [s]. */
double tmli_wall_time(void);

#endif
