// Reports of commands: each number is said once, for text, JSON and pages.
//
// A report is a list of entries. An entry is a format of printf, in which braces give values a key:
//
//     cli_entry(r, "  {bodies %d body|bodies} of {mass %.3g} kg{-t %g}, %g m\n", 3, 0.25, 1.5, 7.0);
//
// is "  3 bodies of 0.25 kg, 7 m" in a text, and "bodies": 3, "mass": 0.25, "t": 1.5 in JSON:
//   {key %d}                 a member of JSON, and a value of the text
//   {key %d body|bodies}     followed by a noun in the text; {key %d row} has the plural "rows"
//   {-key %g}                a member of JSON alone
//   {%d row}, %g, words      of the text alone
//   {%ld,}, {key %ld, row}   digits in groups of three, "1,234 rows"
// Conversions are %s, %d, %ld, %lld, %zu, %u, %g, %e and %f with flags, width and precision. In JSON numbers
// have all digits; %i is null if it is negative, %u is true or false, a NULL of %s and what is not finite is
// null. The compiler checks values against the format. A function that lists entries serves all three; where
// JSON and text say different things, entries of the one kind stand beside those of the other.
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "base/json.h"

#include <stddef.h>
#include <stdio.h>
#include <trammel/model.h>
#include <trammel/result.h>

typedef enum cli_report_kind {
    CLI_REPORT_TEXT,
    CLI_REPORT_JSON,
    CLI_REPORT_PAGE  // lines are rows of a table of HTML (html.h)
} cli_report_kind;

typedef struct cli_report {
    cli_report_kind kind;
    bool silent;  // no text for the time being: what only --all shows
    FILE *out;
    tmli_json j;
} cli_report;

cli_report cli_report_text(FILE *out);  ///< NULL: nothing is written
/** Begin JSON: its outermost object with the members trammel, command, model (NULL: none), status,
 * exit_status and error (NULL: none). */
cli_report cli_report_json(FILE *out, const char *command, const char *model, tml_status st, int exit_status,
                           const tml_error *err);
/** What a command prints: JSON, or text. */
cli_report cli_report_begin(bool json, const char *command, const char *model, tml_status st, int exit_status,
                            const tml_error *err);
/** The same without that object. */
cli_report cli_report_bare(bool json);
/** The end of JSON; nothing otherwise. */
void cli_report_end(cli_report *r);

void cli_entry(cli_report *r, const char *format, ...) TML_PRINTF(2, 3);
void cli_label(const cli_report *r, const char *label);  ///< "  label        "; "": continues the lines above
/** An entry after a label, and a line end. */
void cli_line(cli_report *r, const char *label, const char *format, ...) TML_PRINTF(3, 4);
/** An entry as an object of JSON; key NULL: in an array. */
void cli_object(cli_report *r, const char *key, const char *format, ...) TML_PRINTF(3, 4);
/** Text alone, broken into lines after a label. */
void cli_sentence(cli_report *r, const char *label, const char *text);
/** The same after other text that ends at `column`; further lines begin at `indent`. */
void cli_wrapped(cli_report *r, const char *text, int indent, int column);

// JSON alone: see base/json.h.
void cli_open(cli_report *r, const char *key, char bracket);
void cli_close(cli_report *r, char bracket);
void cli_text(cli_report *r, const char *key, const char *text);  // NULL: null
void cli_number(cli_report *r, const char *key, double x);
void cli_texts(cli_report *r, const char *key, const char *const *text, int count);
void cli_numbers(cli_report *r, const char *key, const double *x, int count);

enum { CLI_LABEL = 15 };  // columns before the text of a line

/** Columns of the longest text that is a member of the structs of an array, at least so many. */
int cli_widest(int least, const void *array, int count, size_t size, size_t offset);
#define CLI_WIDEST(least, array, count, type, member) \
    cli_widest(least, array, count, sizeof(type), offsetof(type, member))

/** A text that others have made: characters that a terminal would obey, or that turn the direction of
 * writing, become blanks, but for `keep`. Values of entries are written so. */
void cli_put_visible(const char *text, size_t length, char keep, FILE *out);
/** The same for one line of printf, of a text that is shorter than `text`, such as the path of a file: no
 * character is kept. */
typedef struct cli_visible_text {
    char text[4096];
} cli_visible_text;
const char *cli_visible(const char *text, cli_visible_text *room);
#define CLI_VISIBLE(text) cli_visible(text, &(cli_visible_text){0})
/** Title of the model, or the name of its file. */
const char *cli_title(const tml_model *model, const char *file);
/** Close a result; st: of what was written. NULL: there is none. */
tml_status cli_writer_close(tml_writer *writer, tml_status st, tml_error *err);

#endif
