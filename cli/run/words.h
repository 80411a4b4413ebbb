// Numbers in fewer bytes: words of 8 bytes that repeat earlier ones, as in matrices and in the histories of
// coordinates that stay at rest. Some thousand words per 10 us; a saved simulation takes about a third.
//
// The packed words are sequences: a head with the number of new words (16 bits), the number of words that are
// repeated (16 bits) and how far back these begin (32 bits, in words), then the new words. At last come the
// bytes behind the last whole word.
#ifndef CLI_WORDS_H
#define CLI_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/** Each packed byte stands for at most this many. */
enum { CLI_WORDS_GAIN = 64 };

/** The packed bytes, freed by the caller with free(); NULL: memory is exhausted. */
unsigned char *cli_words_pack(const void *data, size_t size, size_t *length);
/** The reverse; data has room for `size` bytes. False: these are not the packed form of so many. */
bool cli_words_unpack(const void *packed, size_t length, void *data, size_t size);

#endif
