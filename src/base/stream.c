// A stream that keeps what is printed to it in memory. In place of open_memstream: that of glibc 2.36 leaves
// out pieces when it cannot grow, and neither ferror nor fclose says so.
#define _GNU_SOURCE  // fopencookie
#include "base/stream.h"

#include <string.h>

typedef struct kept {
    const tml_env *env;
    char **text;
    size_t *size;
    char *data;
    size_t used, room;  // of data; one byte more is there for the end of the text
    bool lost;          // something was not kept
} kept;

static ssize_t keep(void *cookie, const char *data, size_t n)
{
    kept *k = cookie;
    if (!k->lost && n > k->room - k->used) {
        const size_t room = 2 * (k->used + n);
        char *grown = tmli_regrow(k->env, k->data, k->used, room + 1, 1);
        k->lost = !grown;
        if (grown) {
            k->data = grown;
            k->room = room;
        }
    }
    if (k->lost) return 0;  // the stream has an error from here on
    memcpy(k->data + k->used, data, n);
    k->used += n;
    return (ssize_t)n;
}

static int end(void *cookie)
{
    kept *k = cookie;
    const bool lost = k->lost;
    if (lost) tmli_free(k->env, k->data);
    *k->text = lost ? NULL : k->data;
    *k->size = lost ? 0 : k->used;
    if (!lost) k->data[k->used] = 0;
    tmli_free(k->env, k);
    return lost ? EOF : 0;
}

FILE *tmli_memory_stream(const tml_env *env, char **text, size_t *size)
{
    enum { ROOM = 1024 };
    *text = NULL;
    *size = 0;
    kept *k = tmli_calloc(env, 1, sizeof *k);
    char *data = k ? tmli_calloc(env, ROOM + 1, 1) : NULL;
    FILE *f = NULL;
    if (data) {
        *k = (kept){.env = env, .text = text, .size = size, .data = data, .room = ROOM};
        f = fopencookie(k, "w", (cookie_io_functions_t){.write = keep, .close = end});
    }
    if (f) return f;
    tmli_free(env, data);
    tmli_free(env, k);
    return NULL;
}

void tmli_put_markup(FILE *out, const char *text)
{
    char one[TMLI_MARKUP];
    while (*text) {
        text += tmli_markup(text, one);
        fputs(one, out);
    }
}
