// Writes archives; see zip.h. An entry is a head, its name and its bytes; the directory at the end repeats
// the heads with the places of the entries.
#include "fmu/zip/zip.h"

#include <string.h>

typedef struct tmli_zip_entry {
    char *name;
    uint32_t at, crc, packed, size;
    bool stored, executable;
} tmli_zip_entry;

enum {
    DATE = 33,  // 1 January 1980
    VERSION = 20,
    MADE_BY_UNIX = 3 << 8,
    UTF8_NAME = 1 << 11,
    ENTRIES_MOST = 65535
};

// CRC-32 of the bytes.
static uint32_t crc32_of(const unsigned char *data, size_t size)
{
    uint32_t table[256], crc = 0xFFFFFFFFu;
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int k = 0; k < 8; k++) table[i] = table[i] >> 1 ^ (table[i] & 1u ? 0xEDB88320u : 0);
    }
    for (size_t i = 0; i < size; i++) crc = crc >> 8 ^ table[(crc ^ data[i]) & 0xFFu];
    return ~crc;
}

static void put(tmli_zip *z, const void *data, size_t size)
{
    fwrite(data, 1, size, z->out);
    z->at += (uint32_t)size;
}

static void put16(tmli_zip *z, unsigned x) { put(z, (unsigned char[]){x & 255u, x >> 8 & 255u}, 2); }

static void put32(tmli_zip *z, uint32_t x)
{
    put16(z, x & 0xFFFFu);
    put16(z, x >> 16);
}

// What entry and directory have in common.
static void put_head(tmli_zip *z, const tmli_zip_entry *e)
{
    put16(z, VERSION);
    put16(z, UTF8_NAME);
    put16(z, e->stored ? 0 : 8);
    put16(z, 0);  // the time of the day
    put16(z, DATE);
    put32(z, e->crc);
    put32(z, e->packed);
    put32(z, e->size);
    put16(z, (unsigned)strlen(e->name));
    put16(z, 0);  // no more fields
}

static tmli_zip_entry *new_entry(tmli_zip *z, const char *name, tml_error *err)
{
    if (z->count == ENTRIES_MOST || strlen(name) > 65535) {
        tmli_fail(err, TML_ERR_ARG, "The archive has too many files, or too long names.");
        return NULL;
    }
    tmli_zip_entry *more = tmli_grown(z->env, z->entry, z->count, &z->room, 16, sizeof *more);
    if (!more) {
        tmli_no_memory(err, "archive");
        return NULL;
    }
    z->entry = more;
    char *copy = tmli_strdup(z->env, name);
    if (!copy) {
        tmli_no_memory(err, "archive");
        return NULL;
    }
    z->entry[z->count] = (tmli_zip_entry){.name = copy, .at = z->at};
    return &z->entry[z->count++];
}

tml_status tmli_zip_add(tmli_zip *z, const char *name, const void *data, size_t size, bool executable,
                        tml_error *err)
{
    unsigned char *packed = NULL;
    size_t length = 0;
    tml_status st = tmli_deflate(data, size, z->env, &packed, &length, err);
    if (st != TML_OK) return st;
    tmli_zip_entry *e = NULL;
    if ((uint64_t)z->at + size + 65536 > UINT32_MAX / 2)
        st = tmli_fail(err, TML_ERR_ARG, "The archive has 2 GB and more.");
    else if (!(e = new_entry(z, name, err))) st = TML_ERR_NOMEM;
    if (st == TML_OK) {
        e->stored = length >= size;
        e->executable = executable;
        e->crc = crc32_of(data, size);
        e->size = (uint32_t)size;
        e->packed = (uint32_t)(e->stored ? size : length);
        put32(z, 0x04034B50u);
        put_head(z, e);
        put(z, name, strlen(name));
        put(z, e->stored ? data : packed, e->packed);
    }
    tmli_free(z->env, packed);
    return st;
}

tml_status tmli_zip_end(tmli_zip *z, tml_status st)
{
    const uint32_t directory = z->at;
    for (int i = 0; i < z->count && st == TML_OK; i++) {
        const tmli_zip_entry *e = &z->entry[i];
        put32(z, 0x02014B50u);
        put16(z, MADE_BY_UNIX | VERSION);
        put_head(z, e);
        put16(z, 0);                                            // no comment
        put16(z, 0);                                            // first disk
        put16(z, 0);                                            // bytes
        put32(z, (e->executable ? 0100755u : 0100644u) << 16);  // as of chmod
        put32(z, e->at);
        put(z, e->name, strlen(e->name));
    }
    if (st == TML_OK) {
        const uint32_t size = z->at - directory;
        put32(z, 0x06054B50u);
        put32(z, 0);  // one disk
        put16(z, (unsigned)z->count);
        put16(z, (unsigned)z->count);
        put32(z, size);
        put32(z, directory);
        put16(z, 0);  // no comment
    }
    for (int i = 0; i < z->count; i++) tmli_free(z->env, z->entry[i].name);
    tmli_free(z->env, z->entry);
    *z = (tmli_zip){0};
    return st;
}
