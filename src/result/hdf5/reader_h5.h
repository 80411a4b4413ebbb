// What the readers of the two HDF5 layouts share.
#ifndef TMLI_RESULT_HDF5_READER_H5_H
#define TMLI_RESULT_HDF5_READER_H5_H

#include "result/hdf5/h5.h"
#include "result/reader.h"

enum {
    TMLI_H5_RATIO = 1100,   // a compressed dataset unpacks to at most this times its size (deflate: 1032)
    TMLI_H5_LABEL = 65536,  // bytes of a name or a list of units
    TMLI_H5_TRIES = 5,      // to read a file that changes meanwhile; the last one is taken, up to a gap
    TMLI_H5_FAILURES = 50,  // the same, as long as what comes together is no result
};

typedef struct tmli_h5_reading {
    const char *path;
    const tml_env *env;
    tmli_result *r;
    hid_t file;
    bool rows_later;  // the values stay in the file
    tml_status st;
    tml_error *err;
} tmli_h5_reading;

/** Set and return w->st: the object `name` of the file is not as it should be. */
tml_status tmli_h5_bad(tmli_h5_reading *w, const char *name, const char *what);
tml_status tmli_h5_no_memory(tmli_h5_reading *w);
/** Size of fixed-length strings of a type; 0: they are none. */
size_t tmli_h5_string_size(hid_t type);
/** Add the note `name` with the text of the dataset id. Other datasets are ignored. */
void tmli_h5_take_note(tmli_h5_reading *w, hid_t id, const char *name);
/** Let w->r read its rows from the dataset `values` of w->file when they are asked for. */
tml_status tmli_h5_keep_rows(tmli_h5_reading *w, hid_t values);
/** Read w->values from columns 0 .. width-1 of a dataset into the columns from `first` on. */
tml_status tmli_h5_read_columns(tmli_h5_reading *w, hid_t id, int width, int first);

/** Layout 1: every dataset with the attribute "columns", in the order of the attribute "channel". */
tml_status tmli_h5_read_layout1(tmli_h5_reading *w);

#endif
