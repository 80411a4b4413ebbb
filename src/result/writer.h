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
    size_t rows;         // of a file that is continued: those that are kept
    const double *last;  // (nchannels) the last of them; NULL: a new file
    /** Called when a new file is whole but for its rows, before it takes its name. NULL: nothing to do. */
    tml_status (*ready)(void *user, tml_error *err);
    void *user;
    bool selected;   // some components of vectors may be missing
    bool resumable;  // an HDF5 file has a place for tmli_writer_attach
} tmli_writer_def;

/** As tml_writer_create (last NULL) or tml_writer_continue. */
tml_status tmli_writer_begin(const tmli_writer_def *given, tml_writer **out, tml_error *err);

/** Whether the file can hold what it takes to continue the run. */
bool tmli_writer_can_attach(const tml_writer *w);
/** Store it; size 0: there is none. complete: the run has reached its end. Error: TML_ERR_IO. */
tml_status tmli_writer_attach(tml_writer *w, const void *data, size_t size, bool complete, tml_error *err);

/** Whether a run has reached its end, in the first bytes of an HDF5 file (tmli_result_is_complete). */
#define TMLI_RUN_COMPLETE "trammel run complete"
#define TMLI_RUN_OPEN "trammel run open"

/** One file format. After a failed row only close is called, with keep = false: buffered rows are
 * discarded. Whole rows that were written stay. */
typedef struct tmli_writer_ops {
    const char *name;
    tml_status (*create)(const tmli_writer_def *def, void **self, tml_error *err);
    tml_status (*reopen)(const tmli_writer_def *def, void **self, tml_error *err);
    tml_status (*row)(void *self, const double *x, tml_error *err);
    tml_status (*note)(void *self, const tml_result_note *note, tml_error *err);  // NULL: notes are dropped
    tml_status (*flush)(void *self, tml_error *err);
    /** Store bytes in the file, in place of earlier ones; NULL: the format cannot. */
    tml_status (*attach)(void *self, const void *data, size_t size, bool complete, tml_error *err);
    tml_status (*close)(void *self, bool keep, tml_error *err);  // destroys self, also on failure
} tmli_writer_ops;

extern const tmli_writer_ops tmli_writer_csv;

/** The table of the HDF5 format. Where HDF5 is in a module (load/hdf5.c), it is loaded by this call. Error:
 * TML_ERR_IO (there is no such module). */
tml_status tmli_writer_hdf5(const tmli_writer_ops **ops, tml_error *err);

#endif
