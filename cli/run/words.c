// Repeated words; see the header. Two words in a row are looked up by a hash of where they were last.
#include "words.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORD = 8,
    MOST_NEW = UINT16_MAX,           // words after a head
    MOST_REPEATED = CLI_WORDS_GAIN,  // words of a repetition
    FEWEST_REPEATED = 2,             // one more than the head that it costs
    MOST_HASH_BITS = 15,
};

static uint64_t word_at(const unsigned char *data, size_t i)
{
    uint64_t word;
    memcpy(&word, data + WORD * i, WORD);
    return word;
}

// Of the table of places: as many as there are words, so that little data touches little memory.
static int hash_bits(size_t words)
{
    int bits = 1;
    while (bits < MOST_HASH_BITS && (size_t)1 << bits < words) bits++;
    return bits;
}

static size_t hash(const unsigned char *data, size_t i, int bits)
{
    const uint64_t odd = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
    return (size_t)((word_at(data, i) * odd ^ word_at(data, i + 1)) * odd >> (64 - bits));
}

// Words from `at` on that are also at `from`.
static size_t common(const unsigned char *data, size_t from, size_t at, size_t words)
{
    size_t n = 0;
    while (n < MOST_REPEATED && at + n < words && word_at(data, from + n) == word_at(data, at + n)) n++;
    return n;
}

static unsigned char *put(unsigned char *to, const unsigned char *data, size_t first, size_t count,
                          size_t repeated, size_t back)
{
    const uint64_t head = (uint64_t)count | (uint64_t)repeated << 16 | (uint64_t)back << 32;
    memcpy(to, &head, WORD);
    memcpy(to + WORD, data + WORD * first, WORD * count);
    return to + WORD * (1 + count);
}

unsigned char *cli_words_pack(const void *data, size_t size, size_t *length)
{
    const unsigned char *from = data;
    const size_t words = size / WORD, rest = size % WORD;
    // a head per repetition, which is longer, and per MOST_NEW words
    unsigned char *packed = malloc(size + WORD * (words / MOST_NEW + 2)), *to = packed;
    const int bits = hash_bits(words);
    uint32_t *last = calloc((size_t)1 << bits, sizeof *last);  // 1 + place of two words; 0: none
    if (!packed || !last) {
        free(packed);
        free(last);
        return NULL;
    }
    size_t first = 0;  // new words begin here
    for (size_t i = 0; i < words;) {
        size_t repeated = 0, back = 0;
        if (i + 1 < words && i < UINT32_MAX) {
            uint32_t *const place = &last[hash(from, i, bits)];
            if (*place) repeated = common(from, *place - 1, i, words);
            if (*place) back = i - (*place - 1);
            *place = (uint32_t)i + 1;
        }
        if (repeated < FEWEST_REPEATED) repeated = 0, i++;
        if (repeated == 0 && i - first < MOST_NEW && i < words) continue;
        to = put(to, from, first, i - first, repeated, repeated ? back : 0);
        first = i += repeated;
    }
    memcpy(to, from + WORD * words, rest);
    free(last);
    *length = (size_t)(to - packed) + rest;
    return packed;
}

bool cli_words_unpack(const void *packed, size_t length, void *data, size_t size)
{
    const unsigned char *from = packed;
    unsigned char *to = data;
    const size_t words = size / WORD;
    for (size_t done = 0; done < words;) {
        if (length < WORD) return false;
        const uint64_t head = word_at(from, 0);
        const size_t count = head & UINT16_MAX, repeated = head >> 16 & UINT16_MAX, back = head >> 32;
        from += WORD;
        length -= WORD;
        if (count + repeated == 0 || count + repeated > words - done || count > length / WORD) return false;
        if (repeated > MOST_REPEATED || (repeated > 0 && (back == 0 || back > done + count))) return false;
        memcpy(to + WORD * done, from, WORD * count);
        from += WORD * count;
        length -= WORD * count;
        done += count;
        for (size_t k = 0; k < repeated; k++, done++)  // word by word: it may overlap
            memcpy(to + WORD * done, to + WORD * (done - back), WORD);
    }
    if (length != size % WORD) return false;
    memcpy(to + WORD * words, from, length);
    return true;
}
