// Checkpoints of runs; see the header.
#define _DEFAULT_SOURCE  // realpath
#include "checkpoint.h"

#include "base/archive.h"
#include "result/reader.h"
#include "words.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// ---- bytes ------------------------------------------------------------------------------------------------

// The number of bytes of the next item, at most what is left of the archive.
static size_t archive_size(tml_archive *a, size_t size)
{
    long count = (long)size;
    tml_archive_longs(a, &count, 1);
    if (!tml_archive_reading(a)) return size;
    if (count >= 0 && (size_t)count <= tmli_archive_rest(a)) return (size_t)count;
    tml_archive_fail(a, TML_ERR_IO, "a size is out of its range");
    return 0;
}

// A number of things of at least one byte each.
static void archive_count(tml_archive *a, int *count)
{
    const size_t n = archive_size(a, (size_t)*count);
    if (n > INT_MAX) tml_archive_fail(a, TML_ERR_IO, "a number is out of its range");
    *count = n > INT_MAX ? 0 : (int)n;
}

static void *room(cli_checkpoint *c, tml_archive *a, size_t count, size_t size)
{
    void *p = tml_archive_status(a) == TML_OK ? tmli_arena_alloc(&c->arena, count, size) : NULL;
    if (!p) tml_archive_fail(a, TML_ERR_NOMEM, "memory is exhausted");
    return p;
}

// Bytes; those that are read have a zero byte behind them.
static void archive_block(cli_checkpoint *c, const void **data, size_t *size, tml_archive *a)
{
    *size = archive_size(a, *size);
    if (!tml_archive_reading(a)) {
        tmli_archive_bytes(a, (void *)(uintptr_t)*data, *size);
        return;
    }
    char *own = room(c, a, *size + 1, 1);
    if (own) tmli_archive_bytes(a, own, *size);
    *data = own;
}

static void archive_string(cli_checkpoint *c, const char **text, tml_archive *a)
{
    const void *data = *text;
    size_t size = tml_archive_reading(a) ? 0 : strlen(*text);
    archive_block(c, &data, &size, a);
    *text = data;
}

// The saved simulation, packed.
static void archive_sim(cli_checkpoint *c, tml_archive *a)
{
    long size = (long)c->sim_size;
    size_t length = 0;
    const void *packed = NULL;
    unsigned char *own = NULL;
    tml_archive_longs(a, &size, 1);
    if (!tml_archive_reading(a)) {
        packed = own = cli_words_pack(c->sim, c->sim_size, &length);
        if (!own) tml_archive_fail(a, TML_ERR_NOMEM, "memory is exhausted");
    }
    if (tml_archive_status(a) == TML_OK) archive_block(c, &packed, &length, a);
    free(own);
    if (!tml_archive_reading(a) || tml_archive_status(a) != TML_OK) return;
    unsigned char *data = NULL;
    if (size < 0 || (size_t)size / CLI_WORDS_GAIN > length)
        tml_archive_fail(a, TML_ERR_IO, "a size is out of its range");
    else data = room(c, a, (size_t)size + 1, 1);
    if (data && !cli_words_unpack(packed, length, data, (size_t)size))
        tml_archive_fail(a, TML_ERR_IO, "the saved simulation is damaged");
    c->sim = data;
    c->sim_size = (size_t)size;
}

// The bytes of a file of the model, or the size and checksum of a mesh.
static void archive_source(cli_checkpoint *c, tml_source *s, tml_archive *a)
{
    bool kept = s->text != NULL;
    const void *text = s->text;
    tmli_archive_bool(a, &kept);
    if (kept) archive_block(c, &text, &s->length, a);
    else {
        tmli_archive_bytes(a, &s->hash, sizeof s->hash);
        uint64_t length = s->length;
        tmli_archive_bytes(a, &length, sizeof length);
        s->length = (size_t)length;
    }
    s->text = kept ? text : NULL;
}

static void archive_model(cli_checkpoint *c, tml_archive *a)
{
    archive_count(a, &c->parameter_count);
    archive_count(a, &c->source_count);
    tml_parameter *parameters = (tml_parameter *)(uintptr_t)c->parameters;
    tml_source *sources = (tml_source *)(uintptr_t)c->sources;
    if (tml_archive_reading(a)) {
        c->parameters = parameters = room(c, a, (size_t)c->parameter_count + 1, sizeof *parameters);
        c->sources = sources = room(c, a, (size_t)c->source_count + 1, sizeof *sources);
    }
    for (int i = 0; i < c->parameter_count && tml_archive_status(a) == TML_OK; i++) {
        archive_string(c, &parameters[i].name, a);
        archive_string(c, &parameters[i].text, a);
    }
    for (int i = 0; i < c->source_count && tml_archive_status(a) == TML_OK; i++) {
        archive_string(c, &sources[i].path, a);
        archive_source(c, &sources[i], a);
    }
}

static void archive_checkpoint(cli_checkpoint *c, tml_archive *a)
{
    tmli_archive_mark(a, "checkpoint");
    tmli_archive_bool(a, &c->kinematics);
    tmli_archive_bool(a, &c->finished);
    tmli_archive_double(a, &c->end);
    tml_archive_longs(a, &c->rows, 1);
    archive_string(c, &c->channels, a);
    archive_count(a, &c->channel_count);
    double *last = (double *)(uintptr_t)c->last;
    if (tml_archive_reading(a)) c->last = last = room(c, a, (size_t)c->channel_count + 1, sizeof *last);
    if (last) tml_archive_doubles(a, last, (size_t)c->channel_count);
    archive_model(c, a);
    archive_sim(c, a);
}

tml_status cli_checkpoint_pack(const cli_checkpoint *c, void **data, size_t *size, tml_error *err)
{
    *data = NULL;
    *size = 0;
    tml_archive a = {0};
    cli_checkpoint copy = *c;  // its fields are only read
    tml_status st = tmli_archive_begin(&a, NULL, err);
    if (st == TML_OK) archive_checkpoint(&copy, &a);
    if (st == TML_OK) st = tmli_archive_end(&a, err);
    if (st == TML_OK) {
        *data = a.data;
        *size = a.size;
        a.data = NULL;
    }
    tmli_archive_clear(&a);
    return st;
}

tml_status cli_checkpoint_unpack(const void *data, size_t size, cli_checkpoint *out, tml_error *err)
{
    *out = (cli_checkpoint){0};
    tml_archive a = {0};
    tml_status st = tmli_archive_open(&a, data, size, err);
    if (st != TML_OK) return st;
    archive_checkpoint(out, &a);
    st = tmli_archive_close(&a, err);
    if (st == TML_OK && (out->source_count < 1 || out->rows < 0))
        st = tmli_fail(err, TML_ERR_IO, "the checkpoint has no model");
    return st;
}

void cli_checkpoint_clear(cli_checkpoint *c)
{
    tmli_arena_clear(&c->arena);
    *c = (cli_checkpoint){0};
}

// ---- files ------------------------------------------------------------------------------------------------

char *cli_checkpoint_path(const char *result)
{
    struct stat info;
    char real[PATH_MAX];
    if (stat(result, &info) == 0 && !S_ISREG(info.st_mode)) return NULL;
    const char *base = realpath(result, real) ? real : result;
    const size_t size = strlen(base) + sizeof ".resume";
    char *path = malloc(size);
    if (path) snprintf(path, size, "%s.resume", base);
    return path;
}

tml_status cli_checkpoint_find(const char *result, cli_checkpoint *out, bool *found, tml_error *err)
{
    *out = (cli_checkpoint){0};
    *found = false;
    errno = 0;
    char *path = cli_checkpoint_path(result);
    if (!path && errno == ENOMEM) return tmli_no_memory(err, "checkpoint");
    void *data = NULL;
    size_t size = 0;
    struct stat info;
    tml_status st = TML_OK;
    if (path && stat(path, &info) == 0) {
        unsigned char *bytes = NULL;
        st = tmli_file_read(path, NULL, &bytes, &size, err);
        data = bytes;
    } else if (!tmli_ends_with(result, ".csv") && stat(result, &info) == 0) {
        st = tmli_result_attachment(result, NULL, &data, &size, err);
    }
    if (st == TML_OK && data) {
        *found = true;
        st = cli_checkpoint_unpack(data, size, out, err);
    }
    free(path);
    tmli_free(NULL, data);
    return st;
}
