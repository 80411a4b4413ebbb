// Archives in memory, and files that are written as a whole; see archive.h.
#define _POSIX_C_SOURCE 200809L
#include "base/archive.h"

#include "base/file.h"

#include <stdio.h>
#include <string.h>

#define FILE_BYTES ((size_t)1 << 32)  // a saved simulation of a million bodies has some GB

enum { FORMAT = 18, BYTE_ORDER_MARK = 0x01020304, VERSION_SIZE = 16, FIRST_CAPACITY = 1 << 14 };

// Neither text nor the start of another common format; the line ends show a transfer as text.
static const unsigned char MAGIC[8] = {0x89, 'T', 'M', 'L', '\r', '\n', 0x1a, '\n'};

typedef struct header {
    unsigned char magic[8];
    uint32_t format, byte_order;
    uint64_t size, checksum;
    char version[VERSION_SIZE];
} header;
_Static_assert(sizeof(header) == 48, "the header has no padding");

typedef enum item_type {
    ITEM_DOUBLE = 1,
    ITEM_INT,
    ITEM_LONG,
    ITEM_BOOL,
    ITEM_TEXT,
    ITEM_MARK,
    ITEM_BYTES
} item_type;

// FNV-1a of 64 bits, by words of 8 bytes (items are padded to them), and by bytes for the rest.
uint64_t tmli_checksum(const void *bytes, size_t size)
{
    const unsigned char *data = bytes;
    uint64_t hash = 14695981039346656037u, word;
    for (; size >= sizeof word; data += sizeof word, size -= sizeof word) {
        memcpy(&word, data, sizeof word);
        hash = (hash ^ word) * 1099511628211u;
        hash ^= hash >> 32;  // the high bits of a word reach all others
    }
    for (; size > 0; size--) hash = (hash ^ *data++) * 1099511628211u;
    return hash;
}

// ---- begin and end ----------------------------------------------------------------------------------------

tml_status tmli_archive_begin(tml_archive *a, const tml_env *env, tml_error *err)
{
    *a = (tml_archive){.env = env, .capacity = FIRST_CAPACITY, .size = sizeof(header)};
    a->data = tmli_calloc(env, a->capacity, 1);
    return a->data ? TML_OK : tmli_no_memory(err, "archive");
}

tml_status tmli_archive_end(tml_archive *a, tml_error *err)
{
    if (a->err.status != TML_OK) {
        if (err) *err = a->err;
        return a->err.status;
    }
    const size_t size = a->size - sizeof(header);
    header h = {.format = FORMAT,
                .byte_order = BYTE_ORDER_MARK,
                .size = size,
                .checksum = tmli_checksum(a->data + sizeof(header), size)};
    memcpy(h.magic, MAGIC, sizeof MAGIC);
    snprintf(h.version, sizeof h.version, "%s", tml_version());
    memcpy(a->data, &h, sizeof h);
    return TML_OK;
}

tml_status tmli_archive_open(tml_archive *a, const void *data, size_t size, tml_error *err)
{
    header h;
    *a = (tml_archive){.reading = true, .data = (unsigned char *)(uintptr_t)data, .size = size};
    a->at = sizeof h;
    if (size < sizeof MAGIC || memcmp(data, MAGIC, sizeof MAGIC) != 0)
        return tmli_fail(err, TML_ERR_IO, "this is not a saved simulation");
    if (size < sizeof h)
        return tmli_fail(err, TML_ERR_IO, "the saved simulation is truncated: %zu bytes", size);
    memcpy(&h, data, sizeof h);
    h.version[VERSION_SIZE - 1] = 0;
    if (h.byte_order != BYTE_ORDER_MARK)
        return tmli_fail(err, TML_ERR_IO, "the simulation was saved by a machine of another byte order");
    if (h.format != FORMAT)
        return tmli_fail(err, TML_ERR_IO, "the saved simulation has format %u; this library reads format %d",
                         (unsigned)h.format, FORMAT);
    if (h.size != size - sizeof h)
        return tmli_fail(err, TML_ERR_IO, "the saved simulation is %s: %zu bytes instead of %llu",
                         size - sizeof h < h.size ? "truncated" : "too long", size,
                         (unsigned long long)h.size + sizeof h);
    if (h.checksum != tmli_checksum((const unsigned char *)data + sizeof h, size - sizeof h))
        return tmli_fail(err, TML_ERR_IO, "the saved simulation is damaged: its checksum is wrong");
    if (strcmp(h.version, tml_version()) != 0)
        return tmli_fail(err, TML_ERR_IO, "the simulation was saved by version %s; this library is %s",
                         h.version, tml_version());
    return TML_OK;
}

tml_status tmli_archive_close(tml_archive *a, tml_error *err)
{
    if (a->err.status == TML_OK && a->at != a->size)
        tml_archive_fail(a, TML_ERR_IO, "the saved simulation has more items than expected");
    if (a->err.status != TML_OK && err) *err = a->err;
    return a->err.status;
}

void tmli_archive_clear(tml_archive *a)
{
    if (!a->reading) tmli_free(a->env, a->data);
    *a = (tml_archive){0};
}

// ---- items ------------------------------------------------------------------------------------------------

bool tml_archive_reading(const tml_archive *a) { return a && a->reading; }

tml_status tml_archive_status(const tml_archive *a) { return a ? a->err.status : TML_ERR_ARG; }

void tml_archive_fail(tml_archive *a, tml_status status, const char *message)
{
    if (a && a->err.status == TML_OK)
        tmli_fail(&a->err, status, "%s", message ? message : "the archive is of no use");
}

// Room for `bytes` more, rounded up to 8; NULL: out of memory.
static unsigned char *extend(tml_archive *a, size_t bytes)
{
    const size_t needed = a->size + (bytes + 7) / 8 * 8;
    if (needed > a->capacity) {
        const size_t capacity = needed > 2 * a->capacity ? needed : 2 * a->capacity;
        unsigned char *more = tmli_regrow(a->env, a->data, a->size, capacity, 1);
        if (!more) {
            tmli_no_memory(&a->err, "archive");
            return NULL;
        }
        a->data = more;
        a->capacity = capacity;
    }
    unsigned char *at = a->data + a->size;
    a->size = needed;
    return at;
}

// The place of an item's values, to be written or read; NULL: none, or there are none.
static unsigned char *item(tml_archive *a, item_type type, const void *x, size_t count, size_t width)
{
    if (!a || a->err.status != TML_OK) return NULL;
    if (!x && count > 0) {
        tml_archive_fail(a, TML_ERR_ARG, "an item of the archive is NULL");
        return NULL;
    }
    if (count > UINT32_MAX || count * width > SIZE_MAX - 64) {
        tml_archive_fail(a, TML_ERR_ARG, "an item of the archive is too long");
        return NULL;
    }
    uint32_t head[2] = {(uint32_t)type, (uint32_t)count};
    const size_t bytes = count * width, padded = (bytes + 7) / 8 * 8;
    if (!a->reading) {
        unsigned char *at = extend(a, sizeof head + bytes);
        if (!at) return NULL;
        memset(at, 0, sizeof head + padded);
        memcpy(at, head, sizeof head);
        return at + sizeof head;
    }
    uint32_t found[2] = {0};
    if (a->size - a->at >= sizeof found) memcpy(found, a->data + a->at, sizeof found);
    if (memcmp(head, found, sizeof head) != 0 || a->size - a->at - sizeof head < padded) {
        tmli_fail(&a->err, TML_ERR_IO,
                  "the saved simulation does not fit: item of type %u with %u values instead of type %u with "
                  "%u; it was saved with another model, method or build",
                  (unsigned)found[0], (unsigned)found[1], (unsigned)head[0], (unsigned)head[1]);
        return NULL;
    }
    unsigned char *at = a->data + a->at + sizeof head;
    a->at += sizeof head + padded;
    return at;
}

void tml_archive_doubles(tml_archive *a, double *x, size_t count)
{
    unsigned char *at = item(a, ITEM_DOUBLE, x, count, sizeof *x);
    if (!at || !count) return;
    if (a->reading) memcpy(x, at, count * sizeof *x);
    else memcpy(at, x, count * sizeof *x);
}

void tml_archive_ints(tml_archive *a, int *x, size_t count)
{
    unsigned char *at = item(a, ITEM_INT, x, count, sizeof(int32_t));
    for (size_t i = 0; at && i < count; i++, at += sizeof(int32_t)) {
        int32_t value = a->reading ? 0 : (int32_t)x[i];
        if (a->reading) memcpy(&value, at, sizeof value);
        else memcpy(at, &value, sizeof value);
        x[i] = (int)value;
    }
}

void tml_archive_indices(tml_archive *a, int *x, size_t count, int least, int most)
{
    unsigned char *at = item(a, ITEM_INT, x, count, sizeof(int32_t));
    for (size_t i = 0; at && i < count; i++, at += sizeof(int32_t)) {
        int32_t value = a->reading ? 0 : (int32_t)x[i];
        if (a->reading) memcpy(&value, at, sizeof value);
        else memcpy(at, &value, sizeof value);
        if (a->reading && (value < least || value > most)) {
            tml_archive_fail(a, TML_ERR_IO, "the saved simulation is damaged: a number is out of its range");
            return;
        }
        x[i] = (int)value;
    }
}

void tml_archive_longs(tml_archive *a, long *x, size_t count)
{
    unsigned char *at = item(a, ITEM_LONG, x, count, sizeof(int64_t));
    for (size_t i = 0; at && i < count; i++, at += sizeof(int64_t)) {
        int64_t value = a->reading ? 0 : (int64_t)x[i];
        if (a->reading) memcpy(&value, at, sizeof value);
        else memcpy(at, &value, sizeof value);
        x[i] = (long)value;
    }
}

void tml_archive_bools(tml_archive *a, bool *x, size_t count)
{
    unsigned char *at = item(a, ITEM_BOOL, x, count, 1);
    for (size_t i = 0; at && i < count; i++) {
        if (a->reading) x[i] = at[i] != 0;
        else at[i] = x[i];
    }
}

void tml_archive_text(tml_archive *a, char *text, size_t size)
{
    unsigned char *at = item(a, ITEM_TEXT, text, size, 1);
    if (!at || !size) return;
    if (a->reading) {
        memcpy(text, at, size);
        text[size - 1] = 0;
    } else {
        memcpy(at, text, strnlen(text, size - 1));
    }
}

void tmli_archive_bytes(tml_archive *a, void *data, size_t size)
{
    unsigned char *at = item(a, ITEM_BYTES, data, size, 1);
    if (!at || !size) return;
    if (a->reading) memcpy(data, at, size);
    else memcpy(at, data, size);
}

size_t tmli_archive_rest(const tml_archive *a)
{
    return a->reading && a->err.status == TML_OK ? a->size - a->at : 0;
}

void tmli_archive_mark(tml_archive *a, const char *name)
{
    const size_t length = strlen(name);
    unsigned char *at = item(a, ITEM_MARK, name, length, 1);
    if (!at) return;
    if (!a->reading) memcpy(at, name, length);
    else if (memcmp(at, name, length) != 0)
        tml_archive_fail(a, TML_ERR_IO, "the saved simulation does not fit: its parts are in another order");
}

void tmli_archive_same(tml_archive *a, long value, const char *what)
{
    long found = value;
    tml_archive_longs(a, &found, 1);
    if (a->err.status == TML_OK && found != value)
        tmli_fail(&a->err, TML_ERR_ARG, "the saved simulation has %ld %s, this one %ld", found, what, value);
}

// ---- files ------------------------------------------------------------------------------------------------

tml_status tmli_file_read(const char *path, const tml_env *env, unsigned char **data, size_t *size,
                          tml_error *err)
{
    tmli_bytes file;
    char reason[TMLI_FILE_REASON];
    const tml_status st = tmli_file_load(path, NULL, FILE_BYTES, TMLI_FILE_REGULAR, env, &file, reason);
    *data = (unsigned char *)file.data;
    *size = file.length;
    if (st == TML_ERR_NOMEM) return tmli_no_memory(err, "archive");
    return st == TML_OK ? st : tmli_fail(err, st, "cannot read '%s': %s", path, reason);
}
