// The file below HDF5 while a result is written: a virtual file driver that survives a full disk.
//
// If a write fails under the drivers that come with HDF5, the library cannot close the file any more: it
// keeps memory and handles, and prints when the process ends. Ours notes the first failure, drops every later
// write and lets the library believe that all is well; the writer asks for the failure after each burst.
// Since the rows of a burst go out before the metadata that make them visible, a file on a full disk mostly
// stays readable up to the last burst.
#ifndef TMLI_RESULT_H5SINK_H
#define TMLI_RESULT_H5SINK_H

#include <hdf5.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include "base/base.h"

typedef struct tmli_h5_sink {
    H5FD_t pub;  // must be first: the library's part
    int fd;      // < 0: closed
    int fault;   // errno of the first failed operation; 0: none
    bool open;   // in use by the library
    haddr_t eoa, eof;
    hid_t driver;
} tmli_h5_sink;

/** Open or create the file, lock it as HDF5 does (against readers and other writers), empty it. Returns 0 or
 * errno; sink may be closed in either case. */
int tmli_h5_sink_open(tmli_h5_sink *sink, const char *path);
/** Make a file access list use the sink, which must stay where it is. */
bool tmli_h5_sink_use(tmli_h5_sink *sink, hid_t access);
/** After the library closed its file; returns the fault, or errno of closing, or 0. */
int tmli_h5_sink_close(tmli_h5_sink *sink);

#endif
