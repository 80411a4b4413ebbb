// A JSON text that is read where it stands: values are places in it. Every text is checked once; then nothing
// here reads beyond its end.
#ifndef TMLI_SPEC_MASS_JSON_H
#define TMLI_SPEC_MASS_JSON_H

#include "base/base.h"

/** Whether the text, which ends with 0, is one JSON value, nested at most some tens of times. */
bool tmli_jsontext_check(const char *text);
/** A member of an object; NULL: there is none, or the value is no object (also NULL). */
const char *tmli_jsontext_member(const char *value, const char *name);
/** Number of elements of an array, and the places of at most `room` of them; 0: no array. */
size_t tmli_jsontext_elements(const char *value, const char **out, size_t room);
/** A number; fallback: it is none. */
double tmli_jsontext_number(const char *value, double fallback);
/** A whole number from 0 on; -1: it is none. */
long tmli_jsontext_index(const char *value);
/** Whether the value is this string, which needs no escapes. */
bool tmli_jsontext_is(const char *value, const char *string);
/** The characters of a string between its quotation marks, escapes as they are; NULL: it is none. */
const char *tmli_jsontext_string(const char *value, size_t *length);

#endif
