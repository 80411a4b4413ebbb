// Pieces shared by the two generators of text from the schema.
#ifndef TMLI_SPEC_PAGES_TEXT_H
#define TMLI_SPEC_PAGES_TEXT_H

#include "spec/schema.h"

typedef struct tmli_text_out {
    tmli_text_sink *sink;
    void *user;
} tmli_text_out;

/** Pieces up to a NULL. */
void tmli_text_put(const tmli_text_out *o, const char *piece, ...);
/** What the value of a field is, in words. */
const char *tmli_field_words(const tmli_field *f);

#endif
