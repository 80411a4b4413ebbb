// Reports as text: lines with a label before them, widths of columns, and the end of tables in files.
#ifndef CLI_PRINT_H
#define CLI_PRINT_H

#include <stddef.h>
#include <stdio.h>
#include <trammel/model.h>
#include <trammel/result.h>

enum { CLI_LABEL = 15 };  // columns before the text of a line

/** A text that others have made: characters that a terminal would obey, or that turn the direction of
 * writing, become blanks, but for `keep`. */
void cli_put_visible(const char *text, size_t length, char keep, FILE *out);
void cli_label(FILE *out, const char *label);  // "  label        "; "" continues the lines above
/** A line with its label; the text ends without a line end. */
void cli_fact(FILE *out, const char *label, const char *format, ...) TML_PRINTF(3, 4);
/** The same, broken into lines. */
void cli_sentence(FILE *out, const char *label, const char *text);
/** Columns of the longest text that is a member of the structs of an array, at least so many. */
int cli_widest(int least, const void *array, int count, size_t size, size_t offset);
#define CLI_WIDEST(least, array, count, type, member) \
    cli_widest(least, array, count, sizeof(type), offsetof(type, member))

/** Title of the model, or the name of its file. */
const char *cli_title(const tml_model *model, const char *file);
/** A line with it. */
void cli_put_title(const tml_model *model, const char *file, FILE *out);
/** Close a result; st: of what was written. NULL: there is none. */
tml_status cli_writer_close(tml_writer *writer, tml_status st, tml_error *err);

#endif
