// Lines and fields of a file of columns (CSV).
//
// Empty lines and lines that begin with # or % are skipped. The first other line separates its fields by ';',
// else by ',', else by tabs, else by blanks, and all lines do the same. Fields may be quoted ("..."). Numbers
// have a decimal point.
#ifndef TMLI_IO_CSV_H
#define TMLI_IO_CSV_H

#include "io/yaml.h"

/** One field of a line. */
typedef struct tmli_csv_field {
    const char *text;
    size_t length;
    int column;  // in characters from 1, for messages
} tmli_csv_field;

typedef struct tmli_csv {
    const char *path;
    const char *line;  // the present one; it ends with a new line or with 0
    size_t length;     // of the line
    const char *end;   // of the file
    int number;        // of the line
    char separator;    // ' ': blanks
} tmli_csv;

/** The lines of a file, at the first one with fields; a failure is at the key `file` of the entry. */
tml_status tmli_csv_open(tmli_reader *r, const tmli_entry *at, const char *file, tmli_csv *c);
/** Go to the next line with fields; false: there is none. */
bool tmli_csv_next(tmli_csv *c);
/** The field at *position, which goes on to the next one; 0 at the first. False: there is none. */
bool tmli_csv_walk(const tmli_csv *c, size_t *position, tmli_csv_field *out);
/** Field `index` (from 0) of the line; false: the line has fewer. */
bool tmli_csv_find(const tmli_csv *c, int index, tmli_csv_field *out);
/** The number in a field; false: it is none. */
bool tmli_csv_number(const tmli_csv_field *f, double *out);
/** True if no field of the line is a number. */
bool tmli_csv_has_names(const tmli_csv *c);
/** Place of a column, in characters from 1, of the present line. */
tml_mark tmli_csv_mark(const tmli_csv *c, int column);

#endif
