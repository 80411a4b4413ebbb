// What it takes to continue a run: model, settings and state, and how far its result file is.
//
// A run stores it in the file RESULT.resume beside its result, at its start and then at intervals; the file
// is replaced as a whole, after the rows that it counts are in the result. An HDF5 result takes it in when
// the run ends ("/resume"), and the file is deleted.
#ifndef CLI_CHECKPOINT_H
#define CLI_CHECKPOINT_H

#include "base/base.h"

#include <stdbool.h>
#include <trammel/sim.h>

typedef struct cli_checkpoint {
    bool kinematics;  // of `trammel kinematics`
    bool finished;    // the run has reached its end; continued to a later one, it gives up rows near this one
    double end;       // of the run [s]
    long rows;        // of the result that are valid
    const char *channels;  // of --channels; "": all that can change
    int channel_count;
    const double *last;  // (channel_count) the last of these rows
    int parameter_count;
    const tml_parameter *parameters;  // of --set
    int source_count;
    const tml_source *sources;  // files of the model, the main one first
    const void *sim;            // saved simulation
    size_t sim_size;
    tmli_arena arena;  // owns all this after reading
} cli_checkpoint;

/** One block of bytes, freed by the caller with free(). Errors: TML_ERR_NOMEM. */
tml_status cli_checkpoint_pack(const cli_checkpoint *c, void **data, size_t *size, tml_error *err);
/** The caller clears *out, also after an error. Errors: TML_ERR_IO (damaged, of another version),
 * TML_ERR_NOMEM. */
tml_status cli_checkpoint_unpack(const void *data, size_t size, cli_checkpoint *out, tml_error *err);
void cli_checkpoint_clear(cli_checkpoint *c);

/** The file RESULT.resume, beside the file that a symbolic link names; NULL: the result is no regular file,
 * or memory is exhausted. Freed by the caller with free(). */
char *cli_checkpoint_path(const char *result);
/** Read the checkpoint of a result file: from the file beside it, else from an HDF5 file. *found false and
 * TML_OK: there is none. The caller clears *out. Errors as of cli_checkpoint_unpack. */
tml_status cli_checkpoint_find(const char *result, cli_checkpoint *out, bool *found, tml_error *err);

#endif
