// A virtual file driver for the HDF5 writer: a file that can be read after every write, and a full disk.
//
// The library writes the pieces of its metadata one by one, in an order that leaves files unreadable in
// between: the index of a table may name a block of rows beyond the end that the superblock gives. This
// driver keeps the metadata of a flush and writes it in an order in which each piece refers to earlier ones
// only: new pieces, the superblock (with the end of the file), the nodes of the index from the root on,
// object headers (with the number of rows). A process that is killed between any two of them leaves a file
// with the rows before or after the flush.
//
// If a write fails with the drivers of HDF5, the library cannot close the file any more: it keeps memory and
// handles, and prints messages when the process ends. This driver records the first failure, ignores all
// later writes and reports success to the library; the writer checks for the failure after each block. Since
// the rows of a block are written before the metadata that make them visible, a file on a full disk usually
// stays readable up to the last complete block.
#ifndef TMLI_RESULT_HDF5_H5SINK_H
#define TMLI_RESULT_HDF5_H5SINK_H

#include "base/target.h"
#include "result/hdf5/h5.h"

/** Room for the metadata of a flush: a few hundred bytes, and a node of 2.6 KB for every 4 MB of rows. If it
 * is full, as it may be while a file with long notes is made, all is written at once. */
enum { TMLI_H5_PIECES = 256, TMLI_H5_BYTES = 128 * 1024 };

/** A piece of metadata that waits for the end of a flush. */
typedef struct tmli_h5_piece {
    haddr_t address;
    size_t size;
    int rank;  // in the order of writing
    unsigned char *bytes;
} tmli_h5_piece;

typedef struct tmli_h5_sink {
    tmli_h5_file file;  // must be first
    tmli_target target;
    int fault;  // errno of the first failed operation; 0: none
    bool open;  // in use by the library
    hid_t driver;
    haddr_t committed;     // end of the file after the last commit
    tmli_h5_piece *piece;  // (TMLI_H5_PIECES)
    size_t pieces;
    unsigned char *bytes;  // (TMLI_H5_BYTES) of the pieces
    size_t used;
} tmli_h5_sink;

/** Open a new file. The sink can be closed in any case. */
tml_status tmli_h5_sink_open(tmli_h5_sink *sink, const char *path, const tml_env *env, tml_error *err);
/** Open a file of an earlier run. */
tml_status tmli_h5_sink_reopen(tmli_h5_sink *sink, const char *path, const tml_env *env, tml_error *err);
/** Set the sink as the driver of a file access list; the sink must not be moved in memory. */
bool tmli_h5_sink_use(tmli_h5_sink *sink, hid_t access);
/** Write what waits, after a flush of the library. False: a write has failed. */
bool tmli_h5_sink_commit(tmli_h5_sink *sink);
/** Close the sink after the library has closed its file. Error: the recorded failure, or that of closing. */
tml_status tmli_h5_sink_close(tmli_h5_sink *sink, tml_error *err);

#endif
