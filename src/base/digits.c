// The shortest decimal text that reads back to the same double.
//
// R. Giulietti, "The Schubfach way to render doubles" (2020): x = c 2^q is the middle of the interval of
// reals that round to x. With 10^k just below the length of the interval, there are one or two multiples of
// 10^k in it, and at most one of 10^(k+1), which has a digit less. All is decided by three products of
// integers with 10^-k, which is known to 128 bits; what they lack is kept as a sticky last bit.
#define _POSIX_C_SOURCE 200809L  // stpcpy
#include "base/base.h"
#include "base/powers_of_ten.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

enum { FRACTION_BITS = 52, EXPONENT_BIAS = 1075, LEAST_EXPONENT = -1074 };

typedef struct decimal {
    uint64_t digits;
    int exponent;  // x = digits 10^exponent
} decimal;

// floor(e log10(2)), floor(log10(3/4 2^e)) and floor(e log2(10)) for the exponents of doubles.
static int floor_log10_pow2(int e) { return (int)(((int64_t)e * 661971961083) >> 41); }
static int floor_log10_three_quarters_pow2(int e)
{
    return (int)(((int64_t)e * 661971961083 - 274743187321) >> 41);
}
static int floor_log2_pow10(int e) { return (int)(((int64_t)e * 913124641741) >> 38); }

// 10^k by its 128 leading bits, rounded up.
static wide power_of_ten(int k)
{
    const uint64_t *c = tmli_powers_of_ten[(k - TMLI_LEAST_POWER) / TMLI_POWER_STEP];
    const uint64_t f = tmli_powers_of_five[(k - TMLI_LEAST_POWER) % TMLI_POWER_STEP];
    const wide low = (wide)c[2] * f, middle = (wide)c[1] * f + (uint64_t)(low >> 64);
    const wide high = (wide)c[0] * f + (uint64_t)(middle >> 64), rest = middle << 64 | (uint64_t)low;
    return high >> 127 ? high + (rest > 0) : (high << 1 | rest >> 127) + (rest << 1 > 0);
}

// Upper word of c times a power of ten; the last bit is set if anything follows.
static uint64_t scaled(wide power, uint64_t c)
{
    const wide low = (wide)(uint64_t)power * c, high = (power >> 64) * c + (uint64_t)(low >> 64);
    return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

static decimal shortest(uint64_t c, int q)
{
    const bool even = (c & 1) == 0;
    // below a power of two the interval has half the length
    const bool narrow = c == (uint64_t)1 << FRACTION_BITS && q > LEAST_EXPONENT;
    const int k = narrow ? floor_log10_three_quarters_pow2(q) : floor_log10_pow2(q);
    const int h = q + floor_log2_pow10(-k) + 1;
    const wide power = power_of_ten(-k);
    const uint64_t middle = scaled(power, (4 * c) << h), odd = even ? 0 : 1;
    const uint64_t lower = scaled(power, (4 * c - (narrow ? 1 : 2)) << h) + odd;
    const uint64_t upper = scaled(power, (4 * c + 2) << h) - odd;
    const uint64_t s = middle / 4;
    if (s >= 10) {
        const uint64_t tens = s / 10;
        const bool below = lower <= 40 * tens, above = 40 * tens + 40 <= upper;
        if (below != above) return (decimal){tens + above, k + 1};
    }
    const bool below = lower <= 4 * s, above = 4 * s + 4 <= upper;
    if (below != above) return (decimal){s + above, k};
    const bool up = middle > 4 * s + 2 || (middle == 4 * s + 2 && (s & 1));
    return (decimal){s + up, k};
}

static decimal without_zeros(decimal d)
{
    while (d.digits % 100000000 == 0) {
        d.digits /= 100000000;
        d.exponent += 8;
    }
    while (d.digits % 10 == 0) {
        d.digits /= 10;
        d.exponent++;
    }
    return d;
}

// The digits of a number, most significant first; returns their count.
static int put_digits(uint64_t x, char out[20])
{
    char text[20];
    int n = 0;
    for (; x >= 10; x /= 10) text[n++] = (char)('0' + x % 10);
    text[n++] = (char)('0' + x);
    for (int i = 0; i < n; i++) out[i] = text[n - 1 - i];
    return n;
}

size_t tmli_print_double(double x, char buf[32])
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    char *p = buf;
    if (isnan(x)) return (size_t)(stpcpy(buf, "nan") - buf);
    if (bits >> 63) *p++ = '-';
    if (isinf(x)) return (size_t)(stpcpy(p, "inf") - buf);
    const int biased = (int)(bits >> FRACTION_BITS & 0x7ff);
    const uint64_t fraction = bits & (((uint64_t)1 << FRACTION_BITS) - 1);
    if (biased == 0 && fraction == 0) {
        *p++ = '0';
        *p = 0;
        return (size_t)(p - buf);
    }
    const uint64_t c = biased ? fraction | (uint64_t)1 << FRACTION_BITS : fraction;
    const int q = biased ? biased - EXPONENT_BIAS : LEAST_EXPONENT;
    const bool whole = q <= 0 && q > -FRACTION_BITS - 1 && (c & (((uint64_t)1 << -q) - 1)) == 0;
    const decimal d = without_zeros(whole ? (decimal){c >> -q, 0} : shortest(c, q));

    char digits[20];
    const int n = put_digits(d.digits, digits),
              first = n + d.exponent - 1;  // power of ten of the first digit
    if (first < -4 || first >= 17 || (first >= 15 && n < first)) {
        *p++ = digits[0];
        if (n > 1) {
            *p++ = '.';
            memcpy(p, digits + 1, (size_t)n - 1);
            p += n - 1;
        }
        *p++ = 'e';
        *p++ = first < 0 ? '-' : '+';
        const unsigned size = (unsigned)(first < 0 ? -first : first);
        if (size >= 100) *p++ = (char)('0' + size / 100);
        *p++ = (char)('0' + size / 10 % 10);
        *p++ = (char)('0' + size % 10);
    } else if (first < 0) {
        *p++ = '0';
        *p++ = '.';
        for (int i = first + 1; i < 0; i++) *p++ = '0';
        memcpy(p, digits, (size_t)n);
        p += n;
    } else {
        const int before = first + 1 < n ? first + 1 : n;
        memcpy(p, digits, (size_t)before);
        p += before;
        for (int i = n; i <= first; i++) *p++ = '0';
        if (before < n) {
            *p++ = '.';
            memcpy(p, digits + before, (size_t)(n - before));
            p += n - before;
        }
    }
    *p = 0;
    return (size_t)(p - buf);
}
