// The values of a result as bytes.
//
// Channels that never change are one number. The others are 32-bit numbers, or 64-bit numbers if they are far
// from zero, compared with their range; if they do not fit, 16-bit codes
// of the range of each channel; if these do not fit either, every n-th row is kept. The errors that this
// causes are measured here, not estimated: that of a value, and that of a row that is left out if it is
// interpolated between its neighbours, as the page does.
//
// The rows are gone through twice, block by block, so that a result need not be in memory: for the ranges,
// and for the codes.
#include "view/page/page.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { CODES = 65534, CODE_NAN = 65535 };

// Size of numbers over their range above which 32 bits show less than 16-bit codes of the range would.
enum { LARGEST_OFFSET = 1 << 8 };

// Bytes of rows that are read at once: some chunks of a file, and little memory.
enum { BLOCK_BYTES = 1 << 23 };

void tmli_packed_clear(tmli_packed *p, const tml_env *env)
{
    tmli_free_all(env, p->channel, p->bytes);
    *p = (tmli_packed){0};
}

static size_t row_at(const tmli_packed *p, size_t kept)
{
    return kept + 1 == p->kept ? p->rows - 1 : kept * p->stride;
}

static size_t count_rows(size_t rows, size_t stride) { return rows < 2 ? rows : (rows - 2) / stride + 2; }

static size_t code_size(tmli_coding coding)
{
    static const size_t bytes[] = {0, 8, 4, 2};
    return bytes[coding];
}

// Rows of a result, block by block: where they are in memory, or read into a buffer.
typedef struct blocks {
    const tml_result *r;
    size_t channels, rows;  // rows: of the buffer
    double *buffer;         // NULL: the result is in memory
} blocks;

static tml_status blocks_open(blocks *b, const tml_result *r, size_t rows, const tml_env *env, tml_error *err)
{
    *b = (blocks){.r = r, .channels = (size_t)tml_result_channel_count(r), .rows = rows};
    if (tml_result_row(r, 0)) return TML_OK;
    b->buffer = tmli_calloc(env, rows * b->channels + 1, sizeof *b->buffer);
    return b->buffer ? TML_OK : tmli_no_memory(err, "page");
}

static tml_status blocks_read(const blocks *b, size_t first, size_t count, const double **rows,
                              tml_error *err)
{
    *rows = b->buffer ? b->buffer : tml_result_row(b->r, first);
    return b->buffer ? tml_result_read_rows(b->r, first, count, b->buffer, err) : TML_OK;
}

static size_t least_size(size_t a, size_t b) { return a < b ? a : b; }

// As many rows as fill a block.
static size_t block_rows(const tmli_packed *p)
{
    return BLOCK_BYTES / sizeof(double) / ((size_t)p->channels + 1) + 1;
}

static void widen_ranges(tmli_packed *p, const double *x)
{
    for (int c = 0; c < p->channels; c++) {
        tmli_packed_channel *k = &p->channel[c];
        if (isfinite(x[c])) {
            k->least = fmin(k->least, x[c]);
            k->most = fmax(k->most, x[c]);
        }
        // bits: a NaN among numbers is a change
        if (memcmp(&x[c], &k->first, sizeof(double)) != 0) k->coding = TMLI_CODE_FLOAT;
    }
}

static tml_status find_ranges(const tml_result *r, tmli_packed *p, const tml_env *env, tml_error *err)
{
    const size_t most = least_size(block_rows(p), p->rows), n = (size_t)p->channels;
    blocks b;
    tml_status st = blocks_open(&b, r, most, env, err);
    for (size_t i = 0; st == TML_OK && i < p->rows; i += most) {
        const double *x;
        const size_t count = least_size(most, p->rows - i);
        st = blocks_read(&b, i, count, &x, err);
        for (int c = 0; st == TML_OK && i == 0 && c < p->channels; c++)
            p->channel[c] = (tmli_packed_channel){.least = NAN, .most = NAN, .first = x[c]};
        for (size_t k = 0; st == TML_OK && k < count; k++) widen_ranges(p, x + k * n);
    }
    tmli_free(env, b.buffer);
    if (p->time >= 0) p->channel[p->time].coding = TMLI_CODE_DOUBLE;
    for (int c = 0; c < p->channels; c++) {  // far from zero, floats would show steps
        tmli_packed_channel *k = &p->channel[c];
        const bool coarse = fmax(fabs(k->least), fabs(k->most)) > LARGEST_OFFSET * (k->most - k->least);
        if (k->coding == TMLI_CODE_FLOAT && coarse) k->coding = TMLI_CODE_DOUBLE;
    }
    return st;
}

static size_t row_size(const tmli_packed *p)
{
    size_t size = 0;
    for (int c = 0; c < p->channels; c++) size += code_size(p->channel[c].coding);
    return size;
}

static void choose_coding(tmli_packed *p, size_t room)
{
    p->stride = 1;
    p->kept = count_rows(p->rows, 1);
    if (row_size(p) * p->kept <= room) return;
    for (int c = 0; c < p->channels; c++)
        if (p->channel[c].coding == TMLI_CODE_FLOAT ||
            (p->channel[c].coding == TMLI_CODE_DOUBLE && c != p->time))
            p->channel[c].coding = TMLI_CODE_SHORT;
    const size_t size = row_size(p);
    while (p->kept > 2 && size * p->kept > room) {
        // the least stride that fits, by the count of rows without the last one
        const size_t fits = room / size > 2 ? room / size - 1 : 1;
        const size_t stride = (p->rows - 1 + fits - 1) / fits;
        p->stride = stride > p->stride ? stride : p->stride + 1;
        p->kept = count_rows(p->rows, p->stride);
    }
}

// 0: no number of the channel is large enough for a float to hold it
static double largest(const tmli_packed_channel *k)
{
    const double most = fmax(fabs(k->least), fabs(k->most));
    return most > FLT_MIN ? most : 0;
}

static void put_little_endian(unsigned char *out, uint64_t bits, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) out[i] = (unsigned char)(bits >> (8 * i));
}

// Write a value; returns what a reader gets.
static double encode(const tmli_packed_channel *k, double x, unsigned char *out)
{
    if (k->coding == TMLI_CODE_DOUBLE) {
        uint64_t bits;
        memcpy(&bits, &x, sizeof bits);
        put_little_endian(out, bits, 8);
        return x;
    }
    if (k->coding == TMLI_CODE_FLOAT) {
        const double largest = 3.4e38;
        const float y = (float)(isfinite(x) ? fmin(fmax(x, -largest), largest) : NAN);
        uint32_t bits;
        memcpy(&bits, &y, sizeof bits);
        put_little_endian(out, bits, 4);
        return (double)y;
    }
    const double range = k->most - k->least;
    const long code = !isfinite(x) ? CODE_NAN : range > 0 ? lround((x - k->least) / range * CODES) : 0;
    put_little_endian(out, (uint64_t)code, 2);
    return code == CODE_NAN ? NAN : k->least + (double)code / CODES * range;
}

// Largest distances of the rows between two kept ones, the first and the last of `rows`, from the line
// between them.
static void measure_between(tmli_packed *p, const double *rows, size_t count, size_t from)
{
    const size_t n = (size_t)p->channels;
    const double *const a = rows, *const b = rows + (count - 1) * n;
    const double ta = p->time < 0 ? (double)from : a[p->time],
                 tb = p->time < 0 ? (double)(from + count - 1) : b[p->time];
    for (size_t i = 1; i + 1 < count; i++) {
        const double *x = rows + i * n;
        const double t = p->time < 0 ? (double)(from + i) : x[p->time];
        const double share = tb > ta ? (t - ta) / (tb - ta) : 0;
        for (size_t c = 0; c < n; c++) {
            const double d = fabs(x[c] - (a[c] + share * (b[c] - a[c])));
            if (d > p->channel[c].between) p->channel[c].between = d;
        }
    }
}

// Row `kept` of the page: one code for each channel.
static void write_row(tmli_packed *p, size_t kept, const double *x)
{
    for (int c = 0; c < p->channels; c++) {
        const tmli_packed_channel *k = &p->channel[c];
        if (k->coding == TMLI_CODE_CONSTANT) continue;
        const double y = encode(k, x[c], p->bytes + k->offset + kept * code_size(k->coding));
        if (isfinite(x[c]) && largest(k) > 0)
            p->value_error = fmax(p->value_error, fabs(y - x[c]) / largest(k));
    }
}

// Blocks begin and end with rows that are kept.
static tml_status write_rows(const tml_result *r, tmli_packed *p, const tml_env *env, tml_error *err)
{
    const size_t n = (size_t)p->channels, at_once = block_rows(p) / p->stride + 1;
    blocks b;
    tml_status st = blocks_open(&b, r, least_size(at_once * p->stride + 1, p->rows), env, err);
    for (size_t kept = 0; st == TML_OK && kept < p->kept; kept += at_once) {
        const size_t last = least_size(kept + at_once, p->kept - 1), first = row_at(p, kept);
        const double *x;
        st = blocks_read(&b, first, row_at(p, last) - first + 1, &x, err);
        for (size_t i = kept; st == TML_OK && i <= last; i++) {
            write_row(p, i, x + (row_at(p, i) - first) * n);
            if (i > kept)
                measure_between(p, x + (row_at(p, i - 1) - first) * n, row_at(p, i) - row_at(p, i - 1) + 1,
                                row_at(p, i - 1));
        }
    }
    tmli_free(env, b.buffer);
    return st;
}

static void find_worst_between(tmli_packed *p)
{
    for (int c = 0; c < p->channels; c++) {
        const tmli_packed_channel *k = &p->channel[c];
        if (k->coding == TMLI_CODE_CONSTANT || !(largest(k) > 0)) continue;
        if (k->between / largest(k) > p->between_error) {
            p->between_error = k->between / largest(k);
            p->between_channel = c;
        }
    }
}

// Memory for the codes, channel by channel.
static tml_status place_channels(tmli_packed *p, const tml_env *env, tml_error *err)
{
    for (int c = 0; c < p->channels; c++) {
        p->channel[c].offset = p->size;
        p->size += p->kept * code_size(p->channel[c].coding);
    }
    p->bytes = tmli_calloc(env, p->size + 1, 1);
    return p->bytes ? TML_OK : tmli_no_memory(err, "page");
}

tml_status tmli_pack(const tml_result *r, size_t room, const tml_env *env, tmli_packed *out, tml_error *err)
{
    *out = (tmli_packed){.channels = tml_result_channel_count(r),
                         .rows = tml_result_row_count(r),
                         .time = tml_result_channel_index(r, "t", NULL),
                         .between_channel = -1};
    out->channel = tmli_calloc(env, (size_t)out->channels + 1, sizeof *out->channel);
    tml_status st = out->channel ? find_ranges(r, out, env, err) : tmli_no_memory(err, "page");
    if (st == TML_OK) {
        choose_coding(out, room);
        st = place_channels(out, env, err);
    }
    if (st == TML_OK) st = write_rows(r, out, env, err);
    if (st != TML_OK) {
        tmli_packed_clear(out, env);
        return st;
    }
    find_worst_between(out);
    return TML_OK;
}
