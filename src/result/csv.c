// CSV results: a line with the names of the channels, one with their units, then one line per row, with
// numbers that read back to the same bits.
//
// The file gets its name when its header is written. The buffer always holds whole lines and is written by a
// single call, so that a killed run leaves whole lines but for the last one, which readers drop. Names with
// commas or quotes are quoted as in RFC 4180. The units are a comment, "# [s],[m],...": in brackets none of
// them begins like a formula. The format has no notes.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/csv.h"
#include "base/target.h"
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
    off_t end;       // of the whole lines in the file
    double flushed;  // wall time of the last write [s]
} csv;

static size_t header_size(const tmli_writer_def *def);
static void put_names(csv *s, const tmli_writer_def *def);
static void put_units(csv *s, const tmli_writer_def *def);
static void put_row(csv *s, const double *x);
static tml_status flush(csv *s, tml_error *err);

static void csv_free(csv *s)
{
    tmli_target_close(&s->target, NULL);
    tmli_free_all(s->env, s->buffer, s->path, s);
}

static tml_status csv_allocate(const tmli_writer_def *def, csv **out, tml_error *err)
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
    *out = s;
    return TML_OK;
}

static tml_status csv_create(const tmli_writer_def *def, void **self, tml_error *err)
{
    csv *s = NULL;
    tml_status st = csv_allocate(def, &s, err);
    if (st != TML_OK) return st;
    st = tmli_target_open(&s->target, s->path, O_WRONLY | O_APPEND, s->env, err);
    if (st == TML_OK) {
        put_names(s, def);
        put_units(s, def);
        st = flush(s, err);
    }
    if (st == TML_OK && def->ready) st = def->ready(def->user, err);
    if (st == TML_OK) st = tmli_target_publish(&s->target, err);
    if (st != TML_OK) {
        csv_free(s);
        return st;
    }
    *self = s;
    return TML_OK;
}

// ---- continuing -------------------------------------------------------------------------------------------

static tml_status other_run(const csv *s, const char *what, tml_error *err)
{
    return tmli_fail(err, TML_ERR_ARG, "Cannot continue result file '%s': %s.", s->path, what);
}

// Read up to `size` bytes; fewer at the end of the file. -1: errno tells why.
static ssize_t read_at(int fd, char *to, size_t size, off_t from)
{
    size_t done = 0;
    while (done < size) {
        const ssize_t n = pread(fd, to + done, size - done, from + (off_t)done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return -1;
        if (n == 0) break;
        done += (size_t)n;
    }
    return (ssize_t)done;
}

// The offset after `lines` more lines from `from` on, and the beginning of the last of them; < 0: there are
// fewer.
static off_t skip_lines(const csv *s, off_t from, size_t lines, off_t *last)
{
    off_t at = from, begin = from;
    while (lines > 0) {
        const ssize_t n = read_at(s->target.fd, s->buffer, s->capacity, at);
        if (n <= 0) return -1;
        const char *p = s->buffer, *end = s->buffer + n;
        for (const char *stop; lines > 0 && (stop = memchr(p, '\n', (size_t)(end - p))); lines--) {
            if (lines == 1) *last = begin;
            p = stop + 1;
            begin = at + (p - s->buffer);
        }
        if (lines == 0) return begin;
        at += n;
    }
    *last = from;
    return from;
}

static bool begins_with_buffer(const csv *s, char *found)
{
    return read_at(s->target.fd, found, s->used, 0) == (ssize_t)s->used &&
           memcmp(found, s->buffer, s->used) == 0;
}

// The header must be that of these channels, and the last row the given one.
static tml_status find_end(csv *s, const tmli_writer_def *def, tml_error *err)
{
    char *found = tmli_calloc(s->env, s->capacity, 1);
    if (!found) return tmli_fail(err, TML_ERR_NOMEM, "Result file '%s': no memory to continue it.", s->path);
    put_names(s, def);
    const bool headed = begins_with_buffer(s, found);
    off_t row = 0, head = (off_t)s->used;
    put_units(s, def);
    if (begins_with_buffer(s, found)) head = (off_t)s->used;  // earlier versions wrote no units
    const off_t end = headed ? skip_lines(s, head, def->rows, &row) : -1;
    s->used = 0;
    put_row(s, def->last);
    const bool same = end >= 0 && end - row == (off_t)s->used &&
                      read_at(s->target.fd, found, s->used, row) == (ssize_t)s->used &&
                      memcmp(found, s->buffer, s->used) == 0;
    s->used = 0;
    s->end = end;
    tmli_free(s->env, found);
    if (!headed) return other_run(s, "its channels are not those of the run", err);
    if (end < 0) return other_run(s, "it has fewer rows than the run had written", err);
    return same ? TML_OK : other_run(s, "its rows are not those of the run", err);
}

static tml_status csv_reopen(const tmli_writer_def *def, void **self, tml_error *err)
{
    csv *s = NULL;
    tml_status st = csv_allocate(def, &s, err);
    if (st != TML_OK) return st;
    st = tmli_target_reopen(&s->target, s->path, s->env, err);
    if (st == TML_OK) st = find_end(s, def, err);
    if (st == TML_OK && (ftruncate(s->target.fd, s->end) != 0 || fcntl(s->target.fd, F_SETFL, O_APPEND) != 0))
        st = tmli_fail(err, TML_ERR_IO, "Cannot continue result file '%s': %s.", s->path, strerror(errno));
    if (st != TML_OK) {
        csv_free(s);
        return st;
    }
    tmli_target_wrote(&s->target, s->end);
    s->flushed = tmli_wall_time();
    *self = s;
    return TML_OK;
}

// ---- rows -------------------------------------------------------------------------------------------------

static tml_status csv_row(void *self, const double *x, tml_error *err)
{
    csv *s = self;
    if (s->capacity - s->used < (size_t)s->n * NUMBER_MAX) {
        const tml_status st = flush(s, err);
        if (st != TML_OK) return st;
    }
    put_row(s, x);
    return tmli_wall_time() - s->flushed >= FLUSH_INTERVAL ? flush(s, err) : TML_OK;
}

static tml_status csv_flush(void *self, tml_error *err) { return flush(self, err); }

static tml_status csv_close(void *self, bool keep, tml_error *err)
{
    csv *s = self;
    tml_status st = keep ? flush(s, err) : TML_OK;
    const tml_status closed = tmli_target_close(&s->target, st == TML_OK ? err : NULL);
    if (st == TML_OK) st = closed;
    csv_free(s);
    return st;
}

const tmli_writer_ops tmli_writer_csv = {"csv", csv_create, csv_reopen, csv_row,
                                         NULL,  csv_flush,  NULL,       csv_close};

static size_t header_size(const tmli_writer_def *def)
{
    size_t size = 0;
    for (int i = 0; i < def->nchannels; i++)
        size += 2 * strlen(def->channels[i].name) + 3 + strlen(def->channels[i].unit) + 3;
    return size + 2;  // all quotes doubled
}

static void put_names(csv *s, const tmli_writer_def *def)
{
    char *p = s->buffer;
    for (int i = 0; i < s->n; i++) {
        p += tmli_csv_print(def->channels[i].name, TMLI_CSV_IF_NEEDED, p,
                            (size_t)(s->buffer + s->capacity - p));
        *p++ = i + 1 < s->n ? ',' : '\n';
    }
    s->used = (size_t)(p - s->buffer);
}

static void put_units(csv *s, const tmli_writer_def *def)
{
    char *p = s->buffer + s->used;
    *p++ = '#';
    *p++ = ' ';
    for (int i = 0; i < s->n; i++) {
        const size_t length = strlen(def->channels[i].unit);
        *p++ = '[';
        memcpy(p, def->channels[i].unit, length);
        p += length;
        *p++ = ']';
        *p++ = i + 1 < s->n ? ',' : '\n';
    }
    s->used = (size_t)(p - s->buffer);
}

static void put_row(csv *s, const double *x)
{
    char *p = s->buffer + s->used;
    for (int i = 0; i < s->n; i++) {
        p += tmli_print_double(x[i], p);
        *p++ = i + 1 < s->n ? ',' : '\n';
    }
    s->used = (size_t)(p - s->buffer);
}

// Keep the whole lines among the first `done` bytes of the buffer. What cannot be cut off is left out by
// readers.
static void cut_line(csv *s, size_t done)
{
    while (done > 0 && s->buffer[done - 1] != '\n') done--;
    if (ftruncate(s->target.fd, s->end + (off_t)done) == 0) s->end += (off_t)done;
}

// Lines are appended, so that a file which another program has cut stays short of them.
static tml_status flush(csv *s, tml_error *err)
{
    const tml_status st = tmli_target_check(&s->target, err);
    if (st != TML_OK) return st;
    for (size_t done = 0; done < s->used;) {
        const ssize_t n = write(s->target.fd, s->buffer + done, s->used - done);
        if (n > 0) {
            done += (size_t)n;
        } else if (n == 0 || errno != EINTR) {
            const int number = n == 0 ? EIO : errno;
            cut_line(s, done);
            return tmli_fail(err, TML_ERR_IO, "Cannot write result file '%s': %s.", s->path,
                             strerror(number));
        }
    }
    s->end += (off_t)s->used;
    tmli_target_wrote(&s->target, s->end);
    s->used = 0;
    s->flushed = tmli_wall_time();
    return TML_OK;
}
