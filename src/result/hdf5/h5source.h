// A virtual file driver for the HDF5 reader: a file whose failures are known, and whose end cannot fail.
//
// What cannot be read looks to the callers of HDF5 like something that is not there. This driver records the
// first failure of the system, so that nothing is taken for a whole result then.
//
// If a file cannot be closed (close fails on network and user-space file systems that have gone), the drivers
// of HDF5 tell the library so. It then keeps a handle of the file whose parts it has freed, and ends the
// process with a crash when it closes all handles at exit. A file that was only read has nothing to lose.
#ifndef TMLI_RESULT_HDF5_H5SOURCE_H
#define TMLI_RESULT_HDF5_H5SOURCE_H

#include "result/hdf5/h5.h"

/** Open a regular file for reading, without locks: they exclude a second writer only (target.h). < 0: it
 * cannot be opened, and why. */
hid_t tmli_h5_source_open(const char *path, char reason[TMLI_H5_REASON]);
/** errno of the first read of an open file that failed; 0: none did. */
int tmli_h5_source_fault(hid_t file);

#endif
