// JSON (RFC 8259): written to a file or to memory, read as a tree. What is written is valid for any input.
#ifndef TMLI_BASE_JSON_H
#define TMLI_BASE_JSON_H

#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>

enum { TMLI_JSON_DEPTH = 64 };  // of nested objects and arrays

// ---- writing ----------------------------------------------------------------------------------------------

typedef enum tmli_json_style {
    TMLI_JSON_TIGHT,  // one line without blanks, plain ASCII; '<', '>', '&' and ' are escaped, so that it may
                      // stand inside an HTML page: no name of a model can end the element that holds it
    TMLI_JSON_LINE,   // one line, UTF-8
    TMLI_JSON_LINES   // a line for each member, UTF-8
} tmli_json_style;

/** Start with {.env = env} or {.out = file, .style = ...}. */
typedef struct tmli_json {
    FILE *out;  // NULL: it is written to `text`, which tmli_json_clear frees
    tmli_json_style style;
    const tml_env *env;
    char *text;  // ends with 0; NULL: nothing written
    size_t length, room;
    int depth;
    bool filled[TMLI_JSON_DEPTH];  // the object or array at this depth has members
    bool failed;                   // memory is exhausted, or nothing is wanted: what follows is dropped
} tmli_json;

void tmli_json_clear(tmli_json *j);
char *tmli_json_take(tmli_json *j);  // the text, then of the caller; NULL: memory is exhausted
// key: NULL inside arrays and for the outermost value
void tmli_json_open(tmli_json *j, const char *key, char bracket);  // '{' or '['
void tmli_json_close(tmli_json *j, char bracket);                  // '}' or ']'
void tmli_json_value(tmli_json *j, const char *key,
                     const char *json);  // JSON already; NULL: null; "": nothing
void tmli_json_text(tmli_json *j, const char *key, const char *text);  // NULL: null; not UTF-8: U+FFFD
void tmli_json_number(tmli_json *j, const char *key, double x);  // shortest exact digits; not finite: null
void tmli_json_integer(tmli_json *j, const char *key, long long x);
void tmli_json_bool(tmli_json *j, const char *key, bool x);
void tmli_json_rounded(tmli_json *j, const char *key, double x, int digits);
void tmli_json_numbers(tmli_json *j, const char *key, const double *x, int count);  // an array, exact
void tmli_json_place(tmli_json *j, const char *key, const double *x, int count);    // the same, 7 digits
void tmli_json_texts(tmli_json *j, const char *key, const char *const *text, int count);
/** Several members: a list of keys with conversions of printf that say what their values are,
 * "name %s mass %g". %s: text or NULL; %g: exact number, %.7g: rounded; %d, %ld, %lld, %zu: integers; %i: an
 * integer, null if it is negative; %u: true or false. */
void tmli_json_members(tmli_json *j, const char *format, ...) TML_PRINTF(2, 3);
/** The same as an object. */
void tmli_json_object(tmli_json *j, const char *key, const char *format, ...) TML_PRINTF(3, 4);

/** A conversion of printf with its value. Flags, width and precision stay in the format, a star of a width is
 * replaced, and integers are long long: fprintf(out, v.format, v.integer). */
typedef struct tmli_value {
    char format[32];
    char kind;  // 's': text; 'g', 'e', 'f': number; 'd', 'i', 'u': integer
    const char *text;
    double number;
    long long integer;
} tmli_value;

/** Read the conversion at `format` with its value; returns what follows it. */
const char *tmli_value_take(const char *format, va_list *values, tmli_value *v);
/** A member as tmli_json_members writes it, exact. */
void tmli_json_put(tmli_json *j, const char *key, const tmli_value *v);

// ---- reading ----------------------------------------------------------------------------------------------

typedef enum tmli_json_kind {
    TMLI_JSON_NULL,
    TMLI_JSON_BOOL,
    TMLI_JSON_NUMBER,
    TMLI_JSON_TEXT,
    TMLI_JSON_ARRAY,
    TMLI_JSON_OBJECT
} tmli_json_kind;

typedef struct tmli_json_node {
    tmli_json_kind kind;
    const char *key;   // of a member of an object; NULL otherwise
    const char *text;  // TMLI_JSON_TEXT
    double number;     // TMLI_JSON_NUMBER; 1 of true
    int count;         // of children
    struct tmli_json_node *child, *next;
    struct tmli_json_node **item;  // TMLI_JSON_ARRAY: (count) the children by index
} tmli_json_node;

/** The tree is in the arena, which takes some 80 bytes for a value. what: begins the message, "The scene of
 * the result". most: number of values. Errors: TML_ERR_SYNTAX, TML_ERR_ARG (more values), TML_ERR_NOMEM. */
tml_status tmli_json_parse(const char *text, const char *what, size_t most, tmli_arena *arena,
                           tmli_json_node **out, tml_error *err);
/** The member of an object; NULL: none, also of NULL. */
const tmli_json_node *tmli_json_member(const tmli_json_node *object, const char *key);
/** The array that is a member of an object; NULL: none. */
const tmli_json_node *tmli_json_array(const tmli_json_node *object, const char *key);
/** A number of an object, or what it is otherwise. */
double tmli_json_number_of(const tmli_json_node *object, const char *key, double otherwise);
const char *tmli_json_text_of(const tmli_json_node *object, const char *key);  ///< NULL: none
/** The numbers of an array, `count` of them; false if there are not so many. */
bool tmli_json_numbers_of(const tmli_json_node *array, double *out, int count);

#endif
