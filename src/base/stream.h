// Streams into memory, markup in streams.
#ifndef TMLI_BASE_STREAM_H
#define TMLI_BASE_STREAM_H

#include <stdio.h>

#include "base/base.h"

/** A stream that keeps its text in memory of env (may be NULL: malloc). fclose sets *text, terminated by 0
 * and to be freed by the caller, and *size; it returns EOF if memory was exhausted, and *text is NULL then.
 * NULL if there is no memory for the stream. */
FILE *tmli_memory_stream(const tml_env *env, char **text, size_t *size);

/** A text as HTML, SVG and other XML need it (tmli_markup). */
void tmli_put_markup(FILE *out, const char *text);

#endif
