// Random numbers by counter: a number is a function of seed, member and stream. No member depends on those
// before it, so that any order, number of threads and part of a study gives the same parameters.
//
// Bits come from the finalizer of SplitMix64 (Steele, Lea, Flood 2014, OOPSLA), applied once for each key.
#include "study/file/study.h"

#include <math.h>

static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);  // 2^64 over the golden ratio
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

uint64_t tmli_random_bits(uint64_t seed, uint64_t member, uint64_t stream)
{
    return mix(mix(mix(seed) ^ member) ^ stream);
}

// 52 bits: with 53 the largest sum would be rounded to 1.
double tmli_random_unit(uint64_t bits) { return ((double)(bits >> 12) + 0.5) * 0x1p-52; }

// One round of a Feistel network on numbers of 2*half bits: a permutation, whatever the function of a round.
static uint64_t feistel(uint64_t x, int half, uint64_t seed, uint64_t stream)
{
    const uint64_t mask = (UINT64_C(1) << half) - 1;
    uint64_t left = x >> half, right = x & mask;
    for (uint64_t round = 0; round < 6; round++) {
        const uint64_t next = left ^ (tmli_random_bits(seed ^ round << 56, right, stream) & mask);
        left = right;
        right = next;
    }
    return left << half | right;
}

// The permutation of the next power of 4 is applied until the number lies below count ("cycle walking"):
// that is a permutation of 0 .. count - 1.
uint64_t tmli_random_place(uint64_t seed, uint64_t stream, uint64_t count, uint64_t index)
{
    int half = 1;
    while (half < 31 && UINT64_C(1) << 2 * half < count) half++;
    do index = feistel(index, half, seed, stream);
    while (index >= count);
    return index;
}

// x with Q(x) = erfc(x/sqrt(2))/2 = q, the upper tail: a rational start (Abramowitz and Stegun 26.2.23, error
// below 4.5e-4), then Halley's method, which leaves round-off after two steps.
double tmli_normal_quantile(double p)
{
    static const double sqrt2 = 1.4142135623730951, two_pi = 6.283185307179586;
    const double q = p < 0.5 ? p : 1 - p;
    const double s = sqrt(-2 * log(q));
    double x =
        s - (2.515517 + s * (0.802853 + s * 0.010328)) / (1 + s * (1.432788 + s * (0.189269 + s * 0.001308)));
    for (int i = 0; i < 3; i++) {
        const double e = q - 0.5 * erfc(x / sqrt2), u = e * sqrt(two_pi) * exp(x * x / 2);
        x -= u / (1 + x * u / 2);
    }
    return p < 0.5 ? -x : x;
}
