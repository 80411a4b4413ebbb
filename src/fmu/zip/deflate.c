// Compression by RFC 1951 in blocks of fixed codes: earlier bytes are found again by a table of the places of
// three bytes, of which chains are followed for some way. Half of what a program for it reaches, in a hundred
// lines; archives hold a library of some megabytes and small texts.
#include "fmu/zip/zip.h"

enum {
    WINDOW = 32768,
    MATCH_LEAST = 3,
    MATCH_MOST = 258,
    HASH_BITS = 15,
    CHAIN = 32  // places that are tried
};

typedef struct writer {
    unsigned char *out;
    size_t length;
    uint32_t bits;
    int count;  // of bits
} writer;

static void put(writer *w, uint32_t value, int count)  // low bits first
{
    w->bits |= value << w->count;
    w->count += count;
    while (w->count >= 8) {
        w->out[w->length++] = (unsigned char)w->bits;
        w->bits >>= 8;
        w->count -= 8;
    }
}

static void put_code(writer *w, uint32_t code, int count)  // high bits first
{
    uint32_t turned = 0;
    for (int i = 0; i < count; i++) turned |= (code >> i & 1u) << (count - 1 - i);
    put(w, turned, count);
}

// The fixed code of a literal or a length (RFC 1951, 3.2.6).
static void put_symbol(writer *w, uint32_t s)
{
    if (s < 144) put_code(w, 0x30 + s, 8);
    else if (s < 256) put_code(w, 0x190 + s - 144, 9);
    else if (s < 280) put_code(w, s - 256, 7);
    else put_code(w, 0xC0 + s - 280, 8);
}

// Lengths and distances are codes with further bits (3.2.5): `base` grows by 2^extra, and extra by one after
// every `group` codes.
static void put_match(writer *w, uint32_t length, uint32_t distance)
{
    uint32_t base = MATCH_LEAST, code = 257;
    int extra = 0;
    if (length == MATCH_MOST) put_symbol(w, 285);
    else {
        for (uint32_t n = 0; length >= base + (1u << extra); n++) {
            base += 1u << extra;
            code++;
            if (n >= 7 && (n - 7) % 4 == 0) extra++;
        }
        put_symbol(w, code);
        put(w, length - base, extra);
    }
    base = 1;
    code = 0;
    extra = 0;
    for (uint32_t n = 0; distance >= base + (1u << extra); n++) {
        base += 1u << extra;
        code++;
        if (n >= 3 && (n - 3) % 2 == 0) extra++;
    }
    put_code(w, code, 5);
    put(w, distance - base, extra);
}

static uint32_t hash(const unsigned char *p)
{
    return ((uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2]) * 2654435761u >> (32 - HASH_BITS);
}

// The longest match at `at`; 0: none. Places are numbered from 1.
static uint32_t longest(const unsigned char *data, size_t size, size_t at, const uint32_t *head,
                        const uint32_t *before, uint32_t *distance)
{
    const size_t most = size - at < MATCH_MOST ? size - at : MATCH_MOST;
    uint32_t best = 0, place = head[hash(data + at)];
    for (int i = 0; i < CHAIN && place > 0 && at - (place - 1) <= WINDOW; i++) {
        const unsigned char *a = data + place - 1, *b = data + at;
        size_t n = 0;
        if (best == 0 || a[best] == b[best])
            while (n < most && a[n] == b[n]) n++;
        if (n > best) {
            best = (uint32_t)n;
            *distance = (uint32_t)(at - (place - 1));
            if (n == most) break;
        }
        place = before[(place - 1) % WINDOW];
    }
    return best >= MATCH_LEAST ? best : 0;
}

tml_status tmli_deflate(const unsigned char *data, size_t size, const tml_env *env, unsigned char **out,
                        size_t *length, tml_error *err)
{
    *out = NULL;
    if (size > INT32_MAX) return tmli_fail(err, TML_ERR_ARG, "A file of 2 GB and more does not fit.");
    // nine bits for a byte at most, and the ends
    writer w = {.out = tmli_calloc(env, size + size / 8 + 16, 1)};
    uint32_t *head = tmli_calloc(env, (size_t)1 << HASH_BITS, sizeof *head),
             *before = tmli_calloc(env, WINDOW, sizeof *before);
    if (w.out && head && before) {
        put(&w, 1, 1);  // the last block
        put(&w, 1, 2);  // of fixed codes
        for (size_t at = 0; at < size;) {
            uint32_t distance = 0,
                     n = size - at < MATCH_LEAST ? 0 : longest(data, size, at, head, before, &distance);
            if (n > 0) put_match(&w, n, distance);
            else put_symbol(&w, data[at]);
            for (n = n > 0 ? n : 1; n > 0; n--, at++) {
                if (size - at < MATCH_LEAST) continue;
                uint32_t *place = &head[hash(data + at)];
                before[at % WINDOW] = *place;
                *place = (uint32_t)at + 1;
            }
        }
        put_symbol(&w, 256);
        put(&w, 0, 7);  // the last bits
        *out = w.out;
        *length = w.length;
    } else tmli_free(env, w.out);
    tmli_free_all(env, head, before);
    return *out ? TML_OK : tmli_no_memory(err, "archive");
}
