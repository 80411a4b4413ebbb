// CSV results: a header line with the names of the channels, then one line per row, with numbers that read
// back to the same bits.
//
// The file gets its name when its header is written. The buffer always holds whole lines and is written by a
// single call, so that a killed run leaves whole lines but for the last one, which readers drop. Names with
// commas or quotes are quoted as in RFC 4180. The format has no units and notes.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "result/target.h"
#include "result/writer.h"

#include "result/constants.h"

enum {
    NUMBER_MAX = 32,          // bytes of one number (tmli_print_double) and its separator
    BUFFER_MIN = 256 * 1024,  // bytes; some hundred lines of a medium-sized model
};

typedef struct csv {
    const tml_env *env;
    char *path;
    tmli_target target;
    int n;         // channels
    char *buffer;  // whole lines
    size_t used, capacity;
    double flushed;  // wall time of the last write [s]
} csv;

static size_t header_size(const tmli_writer_def *def);
static void put_header(csv *s, const tmli_writer_def *def);
static tml_status flush(csv *s, tml_error *err);

static void csv_free(csv *s)
{
    tmli_target_close(&s->target, NULL);
    tmli_free(s->env, s->buffer);
    tmli_free(s->env, s->path);
    tmli_free(s->env, s);
}

static tml_status csv_create(const tmli_writer_def *def, void **self, tml_error *err)
{
    csv *s = tmli_calloc(def->env, 1, sizeof *s);
    if (!s) return tmli_fail(err, TML_ERR_NOMEM, "Result file '%s': no memory for the writer.", def->path);
    s->env = def->env;
    s->target.fd = -1;
    s->n = def->nchannels;
    s->capacity = (size_t)s->n * NUMBER_MAX;
    if (s->capacity < BUFFER_MIN) s->capacity = BUFFER_MIN;
    if (s->capacity < header_size(def)) s->capacity = header_size(def);
    s->buffer = tmli_calloc(s->env, s->capacity, 1);
    s->path = tmli_strdup(s->env, def->path);
    if (!s->buffer || !s->path) {
        csv_free(s);
        return tmli_fail(err, TML_ERR_NOMEM, "Result file '%s': no memory for its buffer.", def->path);
    }
    tml_status st = tmli_target_open(&s->target, s->path, O_WRONLY, s->env, err);
    if (st == TML_OK) {
        put_header(s, def);
        st = flush(s, err);
    }
    if (st == TML_OK) st = tmli_target_publish(&s->target, err);
    if (st != TML_OK) {
        csv_free(s);
        return st;
    }
    *self = s;
    return TML_OK;
}

static tml_status csv_row(void *self, const double *x, tml_error *err)
{
    csv *s = self;
    if (s->capacity - s->used < (size_t)s->n * NUMBER_MAX) {
        const tml_status st = flush(s, err);
        if (st != TML_OK) return st;
    }
    char *p = s->buffer + s->used;
    for (int i = 0; i < s->n; i++) {
        p += tmli_print_double(x[i], p);
        *p++ = i + 1 < s->n ? ',' : '\n';
    }
    s->used = (size_t)(p - s->buffer);
    return tmli_wall_time() - s->flushed >= FLUSH_INTERVAL ? flush(s, err) : TML_OK;
}

static tml_status csv_close(void *self, bool keep, tml_error *err)
{
    csv *s = self;
    tml_status st = keep ? flush(s, err) : TML_OK;
    const tml_status closed = tmli_target_close(&s->target, st == TML_OK ? err : NULL);
    if (st == TML_OK) st = closed;
    csv_free(s);
    return st;
}

const tmli_writer_ops tmli_writer_csv = {"csv", csv_create, csv_row, NULL, csv_close};

static size_t header_size(const tmli_writer_def *def)
{
    size_t size = 0;
    for (int i = 0; i < def->nchannels; i++)
        size += 2 * strlen(def->channels[i].name) + 3;  // all quotes doubled
    return size;
}

static void put_header(csv *s, const tmli_writer_def *def)
{
    char *p = s->buffer;
    for (int i = 0; i < s->n; i++) {
        const char *name = def->channels[i].name;
        const bool quoted = strpbrk(name, ",\"") != NULL;
        if (quoted) *p++ = '"';
        for (; *name; name++) {
            if (*name == '"') *p++ = '"';
            *p++ = *name;
        }
        if (quoted) *p++ = '"';
        *p++ = i + 1 < s->n ? ',' : '\n';
    }
    s->used = (size_t)(p - s->buffer);
}

static tml_status flush(csv *s, tml_error *err)
{
    for (size_t done = 0; done < s->used;) {
        const ssize_t n = write(s->target.fd, s->buffer + done, s->used - done);
        if (n > 0) done += (size_t)n;
        else if (n == 0 || errno != EINTR)
            return tmli_fail(err, TML_ERR_IO, "Cannot write result file '%s': %s.", s->path,
                             n == 0 ? "nothing was written" : strerror(errno));
    }
    s->used = 0;
    s->flushed = tmli_wall_time();
    return TML_OK;
}
