// The values of a result as bytes.
//
// Channels that never change are one number. The others are 32-bit numbers; if they do not fit, 16-bit codes
// of the range of each channel; if these do not fit either, every n-th row is kept. The errors that this
// causes are measured here, not estimated: that of a value, and that of a row that is left out if it is
// interpolated between its neighbours, as the page does.
#include "view/page/page.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { CODES = 65534, CODE_NAN = 65535 };

void tmli_packed_clear(tmli_packed *p, const tml_env *env)
{
    tmli_free(env, p->channel);
    tmli_free(env, p->bytes);
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

static void find_ranges(const tml_result *r, tmli_packed *p)
{
    for (int c = 0; c < p->channels; c++)
        p->channel[c] = (tmli_packed_channel){.least = NAN, .most = NAN, .first = tml_result_value(r, 0, c)};
    for (size_t i = 0; i < p->rows; i++) {
        const double *x = tml_result_row(r, i);
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
    if (p->time >= 0) p->channel[p->time].coding = TMLI_CODE_DOUBLE;
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
        if (p->channel[c].coding == TMLI_CODE_FLOAT) p->channel[c].coding = TMLI_CODE_SHORT;
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

// Largest distance of the rows between two kept ones from the line between them, over the largest value.
static double between(const tml_result *r, const tmli_packed *p, int c, size_t from, size_t to)
{
    const tmli_packed_channel *k = &p->channel[c];
    const double a = tml_result_value(r, from, c), b = tml_result_value(r, to, c);
    const double ta = p->time < 0 ? (double)from : tml_result_value(r, from, p->time),
                 tb = p->time < 0 ? (double)to : tml_result_value(r, to, p->time);
    double worst = 0;
    for (size_t i = from + 1; i < to; i++) {
        const double t = p->time < 0 ? (double)i : tml_result_value(r, i, p->time);
        const double share = tb > ta ? (t - ta) / (tb - ta) : 0, x = tml_result_value(r, i, c);
        worst = fmax(worst, fabs(x - (a + share * (b - a))) / largest(k));
    }
    return worst;
}

static void write_channel(const tml_result *r, tmli_packed *p, int c, unsigned char *out)
{
    const tmli_packed_channel *k = &p->channel[c];
    const size_t bytes = code_size(k->coding);
    for (size_t i = 0; i < p->kept; i++) {
        const size_t row = row_at(p, i);
        const double x = tml_result_value(r, row, c), y = encode(k, x, out + i * bytes);
        if (isfinite(x) && largest(k) > 0) p->value_error = fmax(p->value_error, fabs(y - x) / largest(k));
        const double error = i > 0 && largest(k) > 0 ? between(r, p, c, row_at(p, i - 1), row) : 0;
        if (error > p->between_error) {
            p->between_error = error;
            p->between_channel = c;
        }
    }
}

tml_status tmli_pack(const tml_result *r, size_t room, const tml_env *env, tmli_packed *out, tml_error *err)
{
    *out = (tmli_packed){.channels = tml_result_channel_count(r),
                         .rows = tml_result_row_count(r),
                         .time = tml_result_channel_index(r, "t", NULL),
                         .between_channel = -1};
    out->channel = tmli_calloc(env, (size_t)out->channels + 1, sizeof *out->channel);
    if (!out->channel) return tmli_no_memory(err, "page");
    find_ranges(r, out);
    choose_coding(out, room);
    out->size = row_size(out) * out->kept;
    out->bytes = tmli_calloc(env, out->size + 1, 1);
    if (!out->bytes) {
        tmli_packed_clear(out, env);
        return tmli_no_memory(err, "page");
    }
    unsigned char *at = out->bytes;
    for (int c = 0; c < out->channels; c++) {
        if (out->channel[c].coding == TMLI_CODE_CONSTANT) continue;
        write_channel(r, out, c, at);
        at += out->kept * code_size(out->channel[c].coding);
    }
    return TML_OK;
}
