// JSON writer with indentation, commas and escapes; the output is valid JSON for any input.
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stdio.h>
#include <trammel/base.h>

enum { CLI_JSON_DEPTH = 16 };

/** Start with {.out = file}; .compact: all in one line. key: NULL inside arrays and for the outermost value.
 */
typedef struct cli_json {
    FILE *out;
    bool compact;
    int depth;
    bool filled[CLI_JSON_DEPTH];  // the object or array at this depth has members
} cli_json;

void cli_json_open(cli_json *j, const char *key, char bracket);  // '{' or '['
void cli_json_close(cli_json *j, char bracket);                  // '}' or ']'; a line end after the outermost
void cli_json_text(cli_json *j, const char *key, const char *text);  // NULL: null; bytes not UTF-8: U+FFFD
void cli_json_number(cli_json *j, const char *key, double x);        // shortest exact form; not finite: null
void cli_json_integer(cli_json *j, const char *key, long long x);
void cli_json_bool(cli_json *j, const char *key, bool x);
void cli_json_null(cli_json *j, const char *key);
/** Member "error": null if err->status is TML_OK, else status, message, file, line, column (null if unknown)
 * and t. */
void cli_json_error(cli_json *j, const tml_error *err);

#endif
