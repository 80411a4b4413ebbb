// Sobol's sequence: points that fill a cube more evenly than random ones.
//
// Component j of point i is the sum (exclusive or) of direction numbers v_k over the bits k of i. Those of
// component 0 are powers of 1/2. Those of the others follow from a primitive polynomial over GF(2),
//   x^s + a_1 x^(s-1) + ... + a_(s-1) x + 1,
// and s odd start values m_1, ..., m_s, m_k < 2^k, by
//   m_k = 2 a_1 m_(k-1) ^ 4 a_2 m_(k-2) ^ ... ^ 2^s m_(k-s) ^ m_(k-s),   v_k = m_k/2^k        (1)
// (Sobol 1967). The start values are those of S. Joe and F. Y. Kuo, SIAM J. Sci. Comput. 30 (2008), which
// make the projections on pairs of components even.
#include "study/file/study.h"

typedef struct direction {
    uint8_t degree;  // s
    uint8_t a;       // a_1 .. a_(s-1), the first one leading
    uint8_t m[7];    // m_1 .. m_s
} direction;

static const direction directions[TMLI_SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

uint32_t tmli_sobol(uint32_t index, int dimension)
{
    uint32_t m[32], point = 0;
    const direction *d = dimension > 0 ? &directions[dimension - 1] : NULL;
    for (int k = 0; k < 32 && index >> k; k++) {
        if (!d) {
            m[k] = 1;
        } else if (k < d->degree) {
            m[k] = d->m[k];
        } else {  // (1)
            const int s = d->degree;
            m[k] = m[k - s] ^ m[k - s] << s;
            for (int i = 1; i < s; i++)
                if (d->a >> (s - 1 - i) & 1) m[k] ^= m[k - i] << i;
        }
        if (index >> k & 1) point ^= m[k] << (31 - k);
    }
    return point;
}
