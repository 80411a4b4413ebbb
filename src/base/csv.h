// CSV (RFC 4180), a record per line: the fields of all files that are written, and how they are read back.
//
// A text is quoted if it needs quotes, with the quotes inside of it doubled. Ends of lines in it become
// blanks, so that no text can begin a line. Numbers read back to the same bits.
#ifndef TMLI_BASE_CSV_H
#define TMLI_BASE_CSV_H

#include "base/base.h"

#include <stdio.h>

/** When a text stands in quotes. */
typedef enum tmli_csv_quotes { TMLI_CSV_IF_NEEDED, TMLI_CSV_ALWAYS } tmli_csv_quotes;

// ---- writing: a field and what follows it, a comma or the end of the line ---------------------------------

/** A text that begins like a formula of a spreadsheet gets a ' in front, as spreadsheets have it: names of a
 * result come from anybody. */
void tmli_csv_put_text(FILE *f, const char *text, tmli_csv_quotes quotes, char after);
void tmli_csv_put_number(FILE *f, double x, char after);
void tmli_csv_put_known(FILE *f, double x, char after);  ///< the same; an empty field if it is NAN
/** A text as a field in memory: room bytes at most, >= 2, to which it is cut; all of it takes up to
 * 2 strlen(text) + 2. Returns their number. */
size_t tmli_csv_print(const char *text, tmli_csv_quotes quotes, char *out, size_t room);

// ---- reading ----------------------------------------------------------------------------------------------

/** Bytes of the mark with which some programs begin a text in UTF-8, 0 or 3. */
size_t tmli_csv_mark_length(const char *text, size_t length);
/** A number, also nan, -nan, inf and -inf; *end == p: there is none. */
double tmli_csv_read_number(const char *p, const char **end);
/** The text in quotes that begins at *p, which goes on to what follows it. out: (room), which may be the same
 * memory; it gets no zero at its end. False: it does not end in its line, or there is no room. */
bool tmli_csv_read_quoted(const char **p, char *out, size_t room, size_t *length);

#endif
