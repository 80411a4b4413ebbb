// JSON in memory: objects and arrays in one line, for the scene of a result and for pages.
//
// The text is plain ASCII. '<', '>' and '&' are escaped, so that it may stand inside an HTML page: no name of
// a model can end the element that holds it.
#ifndef TMLI_VIEW_SCENE_JSON_H
#define TMLI_VIEW_SCENE_JSON_H

#include "base/base.h"

/** Start with {.env = env}; `text` is freed by tmli_json_clear. */
typedef struct tmli_json {
    const tml_env *env;
    char *text;  // ends with 0; NULL: nothing written
    size_t length, room;
    bool comma;   // the next member needs one
    bool failed;  // memory is exhausted; what follows is dropped
} tmli_json;

void tmli_json_clear(tmli_json *j);
void tmli_json_raw(tmli_json *j, const char *text);
// key: NULL inside arrays and for the outermost value
void tmli_json_open(tmli_json *j, const char *key, char bracket);       // '{' or '['
void tmli_json_close(tmli_json *j, char bracket);                       // '}' or ']'
void tmli_json_text(tmli_json *j, const char *key, const char *text);   // NULL: null; not UTF-8: U+FFFD
void tmli_json_value(tmli_json *j, const char *key, const char *json);  // a value that is JSON already
void tmli_json_number(tmli_json *j, const char *key, double x);         // 7 digits; not finite: null
void tmli_json_exact(tmli_json *j, const char *key, double x);          // shortest exact digits
void tmli_json_integer(tmli_json *j, const char *key, long long x);
void tmli_json_bool(tmli_json *j, const char *key, bool x);
void tmli_json_numbers(tmli_json *j, const char *key, const double *x, int count);

#endif
