// Words of a text file, line by line, with their positions.
#ifndef TMLI_PART_LINES_H
#define TMLI_PART_LINES_H

#include "base/base.h"

enum { TMLI_WORD = 256 };

/** A text file: on disk, or its bytes in memory. */
typedef struct tmli_text {
    const char *path;   // for messages, too
    const char *bytes;  // followed by a zero byte; NULL: the file is read
    size_t length;
} tmli_text;

typedef struct tmli_lines {
    tml_env env;
    const char *path;
    char *own;             // bytes that were read from the file
    const char *at, *end;  // within the present line
    const char *begin;     // of the present line
    const char *next;      // the rest of the file
    int line;
    tml_error *err;
} tmli_lines;

/** Read the whole file; bytes in memory are borrowed. The caller closes it, also after an error. */
tml_status tmli_lines_open(tmli_lines *l, const tmli_text *text, const tml_env *env, tml_error *err);
void tmli_lines_close(tmli_lines *l);
/** The next line that has words and does not begin with `comment`; false: the file ends. */
bool tmli_lines_next(tmli_lines *l, char comment);
/** The next word of the line; words are separated by blanks and, if it is not 0, by `separator` (then an
 * empty word is "" between two of them, and a word may stand in quotes). False: the line ends. */
bool tmli_lines_word(tmli_lines *l, char separator, char word[TMLI_WORD], tml_mark *at);
/** The next word as a number; anything else is an error that calls it `what`. */
tml_status tmli_lines_number(tmli_lines *l, const char *what, double *x);
tml_status tmli_lines_integer(tmli_lines *l, const char *what, long low, long high, long *x);
/** Position of the next character. */
tml_mark tmli_lines_mark(const tmli_lines *l);

#endif
