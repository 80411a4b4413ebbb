// Results: named channels with units over time, written row by row to a CSV or HDF5 file, and read from it.
#ifndef TRAMMEL_RESULT_H
#define TRAMMEL_RESULT_H

#include <stdbool.h>
#include <trammel/base.h>

TML_C_BEGIN

/** A channel: one number per output time. Components 0 .. width-1 of one quantity are adjacent. */
typedef struct tml_channel {
    const char *name;     ///< column name: "crank.x", "pin.angle", "energy.kinetic", "t"
    const char *unit;     ///< "m", "rad/s", "N", "1", ...
    const char *dataset;  ///< group, owner and quantity: "/bodies/crank/position", "/outputs/x", "/t"
    int component;        ///< of the quantity, if it is a vector
    int width;            ///< number of its components
    /** Reactions: "unique", "shared" or "indeterminate" (tml_reaction_kind); NULL for other channels. */
    const char *determined;
    /** No motion of the model can change it, by its structure: what points out of the plane of a planar
     * model, impulses of drivers that move smoothly. The command leaves it out unless it is asked for. */
    bool fixed;
    /** For few uses: accelerations of joint coordinates, the contact forces of many pairs. The command leaves
     * it out unless it is asked for. */
    bool detail;
} tml_channel;

/** A named text stored with the results (attribute or dataset of the HDF5 root): title, model, options,
 * version. */
typedef struct tml_result_note {
    const char *name;
    const char *text;
} tml_result_note;

typedef struct tml_writer tml_writer;

/** Open a file for writing. The extension selects the format: .csv, or .h5/.hdf5. Channels and notes are
 * copied; env may be NULL.
 *
 * The file has a temporary name until its header is whole; then it takes the place of an older file. A file
 * that another program writes is refused.
 *
 * CSV: one header line, a comment with the units ("# [s],[m],..."), then rows of numbers in the shortest
 * exact decimal form; flushed about once per second. HDF5: "/values", rows of all channels; "/channels", a
 * record per channel with its name, unit, group ("bodies"), owner ("crank"), quantity ("position"), component
 * and, for reactions, "determined"; "/meta", the notes. Rows are buffered and written in blocks with a flush
 * after each, so that a run that is killed leaves a readable file up to its last block. Errors: TML_ERR_ARG
 * (extension, invalid channel or note), TML_ERR_NAME (channel name not unique), TML_ERR_IO, TML_ERR_NOMEM. */
TML_API tml_status tml_writer_create(const char *path, const tml_channel *channels, int channel_count,
                                     const tml_result_note *notes, int note_count, const tml_env *env,
                                     tml_writer **out, tml_error *err);
/** Open the file of an earlier run to append to it: its channels must be the same, and row `rows` - 1 (the
 * last one that is kept) must be `last` to the bit; later rows are cut off, also an incomplete line. Errors
 * as of tml_writer_create, and TML_ERR_ARG: it is the file of another run or has fewer rows. */
TML_API tml_status tml_writer_continue(const char *path, const tml_channel *channels, int channel_count,
                                       size_t rows, const double *last, const tml_env *env, tml_writer **out,
                                       tml_error *err);
/** Write one row; x: one value per channel. Allocates nothing itself. Error: TML_ERR_IO. */
TML_API tml_status tml_writer_row(tml_writer *w, const double *x, tml_error *err);
/** Store a text that is known only after the rows, such as the closing report. A CSV file has no place for
 * it: nothing is written. Errors: TML_ERR_ARG (name), TML_ERR_IO. */
TML_API tml_status tml_writer_note(tml_writer *w, const tml_result_note *note, tml_error *err);
/** Write buffered rows to the file, for what reads it now. Error: TML_ERR_IO. */
TML_API tml_status tml_writer_flush(tml_writer *w, tml_error *err);
/** Write buffered rows, close the file and destroy the writer, also on failure. w may be NULL. Error:
 * TML_ERR_IO. */
TML_API tml_status tml_writer_close(tml_writer *w, tml_error *err);

// ---- reading ----------------------------------------------------------------------------------------------

/** A result in memory, of a file or of a simulation that records: rows of values, one per channel. */
typedef struct tml_result tml_result;

/** Read a file (.csv, .h5 or .hdf5) as a whole; env may be NULL. The file of a run that was killed has the
 * rows that all of its channels have. Errors: TML_ERR_ARG (extension), TML_ERR_IO, TML_ERR_SYNTAX,
 * TML_ERR_NOMEM. */
TML_API tml_status tml_result_open(const char *path, const tml_env *env, tml_result **out, tml_error *err);
/** The same for files that may be larger than memory: the values of an HDF5 file stay there, and
 * tml_result_read_rows() reads them; tml_result_row() is NULL, tml_result_value() and tml_result_time() are
 * NAN. (CSV files and HDF5 files of the first layout are read as a whole.) */
TML_API tml_status tml_result_open_rows(const char *path, const tml_env *env, tml_result **out,
                                        tml_error *err);
TML_API void tml_result_close(tml_result *r);  ///< accepts NULL

TML_API int tml_result_channel_count(const tml_result *r);
TML_API const char *tml_result_channel_name(const tml_result *r, int channel);  ///< NULL: out of range
/** "m", "rad/s", ...; "" if it is not known, as in CSV files without a line of units. */
TML_API const char *tml_result_channel_unit(const tml_result *r, int channel);
/** The channel with this name; -1: there is none, and err (TML_ERR_NAME) gives the nearest name. */
TML_API int tml_result_channel_index(const tml_result *r, const char *name, tml_error *err);
TML_API size_t tml_result_row_count(const tml_result *r);
/** (channels) values of a row; borrowed; NULL: out of range. */
TML_API const double *tml_result_row(const tml_result *r, size_t row);
/** Copy rows first .. first + count - 1 to rows (count x channels), from memory or from the file. Errors:
 * TML_ERR_ARG (rows that are not there), TML_ERR_IO: also if the file has changed since it was opened. */
TML_API tml_status tml_result_read_rows(const tml_result *r, size_t first, size_t count, double *rows,
                                        tml_error *err);
/** Time of a row [s]; NAN: out of range, or there is no channel "t". */
TML_API double tml_result_time(const tml_result *r, size_t row);
/** One value; NAN: out of range. */
TML_API double tml_result_value(const tml_result *r, size_t row, int channel);
/** A text stored with the results of an HDF5 file: "title", "model", "settings", ...; NULL: there is none. */
TML_API const char *tml_result_note_text(const tml_result *r, const char *name);

/** Write the rows that a simulation has recorded (tml_sim_recorded) to a file, with notes, as
 * tml_writer_create, tml_writer_row and tml_writer_close do. Errors: theirs, and TML_ERR_ARG: the result was
 * read from a file. */
TML_API tml_status tml_result_write(const tml_result *r, const char *path, const tml_result_note *notes,
                                    int note_count, tml_error *err);

TML_C_END
#endif
