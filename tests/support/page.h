// Comparison of a generated page of docs/ with its generator.
#ifndef TEST_PAGE_H
#define TEST_PAGE_H

#include "support.h"

#include "spec/schema.h"

typedef struct text {
    char *bytes;
    size_t used, room;
} text;

static inline void append(const char *piece, void *user)
{
    text *t = user;
    const size_t n = strlen(piece);
    if (t->used + n + 1 > t->room) {
        t->room = 2 * (t->used + n + 1);
        t->bytes = realloc(t->bytes, t->room);
        assert_non_null(t->bytes);
    }
    memcpy(t->bytes + t->used, piece, n + 1);
    t->used += n;
}

/** TRAMMEL_WRITE_PAGES in the environment: write it first. */
static inline void check_page(const char *name, void (*generate)(tmli_text_sink *, void *))
{
    const char *root = getenv("TRAMMEL_SOURCE_DIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/docs/%s", root ? root : ".", name);
    text made = {0};
    generate(append, &made);
    if (getenv("TRAMMEL_WRITE_PAGES")) {
        FILE *out = fopen(path, "wb");
        if (!out || fwrite(made.bytes, 1, made.used, out) != made.used || fclose(out) != 0)
            fail_msg("%s cannot be written", path);
    }
    FILE *f = fopen(path, "rb");
    if (!f) fail_msg("%s is missing", path);
    text page = {0};
    char piece[1024];
    for (size_t n; (n = fread(piece, 1, sizeof piece - 1, f)) > 0;) {
        piece[n] = 0;
        append(piece, &page);
    }
    fclose(f);
    if (page.used != made.used || memcmp(page.bytes, made.bytes, made.used) != 0)
        fail_msg("%s is not what the schema generates: run this test with TRAMMEL_WRITE_PAGES=1", path);
    free(page.bytes);
    free(made.bytes);
}

#endif
