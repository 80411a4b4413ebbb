// Functions of the HDF5 writer and reader: suppress the error output of HDF5, and get its reason as a text.
#ifndef TMLI_RESULT_HDF5_H5_H
#define TMLI_RESULT_HDF5_H5_H

#include <hdf5.h>

#include "base/base.h"

enum { TMLI_H5_REASON = 256 };

/** Attribute "format" of the root; the layout is described at the head of hdf5.c. */
#define TMLI_H5_FORMAT "trammel result 2"

/** HDF5 prints its error stack by default; begin disables this, end restores the setting of the caller. */
typedef struct tmli_h5_quiet {
    H5E_auto2_t function;
    void *data;
    bool saved;
} tmli_h5_quiet;
tmli_h5_quiet tmli_h5_quiet_begin(void);
void tmli_h5_quiet_end(tmli_h5_quiet quiet);

/** Before a file is opened. Error: TML_ERR_NOMEM, HDF5 would not have the memory that it needs. */
tml_status tmli_h5_ready(const char *path, tml_error *err);

/** The innermost message of the last failed HDF5 call, or only the message of the operating system that it
 * quotes. Call it before any other HDF5 function. Returns buf. */
const char *tmli_h5_reason(char buf[TMLI_H5_REASON]);

/** Open a group or dataset that is in this file: by a hard link, and not one whose values are in other files
 * (external storage, virtual datasets), which a result of anybody could name. access: of a dataset. < 0: it
 * is not there, or not in this file. */
hid_t tmli_h5_open(hid_t group, const char *name, hid_t access);

/** A fixed-length, null-terminated UTF-8 string type of size bytes, or < 0. */
hid_t tmli_h5_string_type(size_t size);

#endif
