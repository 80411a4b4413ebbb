// A virtual file driver for the HDF5 writer that handles a full disk.
//
// If a write fails with the drivers of HDF5, the library cannot close the file any more: it keeps memory and
// handles, and prints messages when the process ends. This driver records the first failure, ignores all
// later writes and reports success to the library; the writer checks for the failure after each block. Since
// the rows of a block are written before the metadata that make them visible, a file on a full disk usually
// stays readable up to the last complete block.
#ifndef TMLI_RESULT_HDF5_H5SINK_H
#define TMLI_RESULT_HDF5_H5SINK_H

#include <hdf5.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include "base/base.h"
#include "result/target.h"

typedef struct tmli_h5_sink {
    H5FD_t pub;  // must be first: part of the library
    tmli_target target;
    int fault;  // errno of the first failed operation; 0: none
    bool open;  // in use by the library
    haddr_t eoa, eof;
    hid_t driver;
} tmli_h5_sink;

/** Open a new file. The sink can be closed in any case. */
tml_status tmli_h5_sink_open(tmli_h5_sink *sink, const char *path, const tml_env *env, tml_error *err);
/** Set the sink as the driver of a file access list; the sink must not be moved in memory. */
bool tmli_h5_sink_use(tmli_h5_sink *sink, hid_t access);
/** Close the sink after the library has closed its file. Error: the recorded failure, or that of closing. */
tml_status tmli_h5_sink_close(tmli_h5_sink *sink, tml_error *err);

#endif
