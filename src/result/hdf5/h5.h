// Functions of the HDF5 writer and reader: suppress the error output of HDF5, and get its reason as a text.
#ifndef TMLI_RESULT_HDF5_H5_H
#define TMLI_RESULT_HDF5_H5_H

#include <hdf5.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

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

/** What begins the files of virtual drivers: sizes that the library has allocated, and of the file. */
typedef struct tmli_h5_file {
    H5FD_t pub;  // must be first: part of the library
    haddr_t eoa, eof;
} tmli_h5_file;
haddr_t tmli_h5_get_eoa(const H5FD_t *file, H5FD_mem_t type);
herr_t tmli_h5_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t address);
haddr_t tmli_h5_get_eof(const H5FD_t *file, H5FD_mem_t type);
/** What their classes have in common. number: any one above those of the library and below its limit. */
#ifdef H5FD_CLASS_VERSION
#define TMLI_H5_VERSION(number) .version = H5FD_CLASS_VERSION, .value = (H5FD_class_value_t)(number),
#else
#define TMLI_H5_VERSION(number)
#endif
#define TMLI_H5_CLASS(number)                                                            \
    TMLI_H5_VERSION(number).maxaddr = ((haddr_t)1 << (8 * sizeof(off_t) - 1)) - 1,       \
    .fc_degree = H5F_CLOSE_WEAK, .get_eoa = tmli_h5_get_eoa, .set_eoa = tmli_h5_set_eoa, \
    .get_eof = tmli_h5_get_eof, .fl_map = H5FD_FLMAP_DICHOTOMY

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
