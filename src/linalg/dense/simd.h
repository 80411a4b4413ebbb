// Four doubles at a time, for dense kernels.
//
// The same source runs on the vector units of AArch64 and x86-64 and, as a fall-back, on plain doubles. A
// multiplication and subtraction is fused where the target has it, so results differ between targets in the
// last bits, on x86-64 also between processors with and without FMA, never between runs on one machine.
#ifndef TMLI_LINALG_DENSE_SIMD_H
#define TMLI_LINALG_DENSE_SIMD_H

#if defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
typedef struct v4 {
    float64x2_t lo, hi;
} v4;
static inline v4 v4_load(const double *p) { return (v4){vld1q_f64(p), vld1q_f64(p + 2)}; }
static inline void v4_store(double *p, v4 a)
{
    vst1q_f64(p, a.lo);
    vst1q_f64(p + 2, a.hi);
}
static inline v4 v4_all(double s) { return (v4){vdupq_n_f64(s), vdupq_n_f64(s)}; }
static inline v4 v4_mul(v4 a, v4 b) { return (v4){vmulq_f64(a.lo, b.lo), vmulq_f64(a.hi, b.hi)}; }
static inline v4 v4_nma(v4 c, v4 a, v4 b)  // c - a b
{
    return (v4){vfmsq_f64(c.lo, a.lo, b.lo), vfmsq_f64(c.hi, a.hi, b.hi)};
}
static inline v4 v4_abs(v4 a) { return (v4){vabsq_f64(a.lo), vabsq_f64(a.hi)}; }
static inline v4 v4_add(v4 a, v4 b) { return (v4){vaddq_f64(a.lo, b.lo), vaddq_f64(a.hi, b.hi)}; }
static inline v4 v4_sub(v4 a, v4 b) { return (v4){vsubq_f64(a.lo, b.lo), vsubq_f64(a.hi, b.hi)}; }
static inline v4 v4_max(v4 a, v4 b) { return (v4){vmaxq_f64(a.lo, b.lo), vmaxq_f64(a.hi, b.hi)}; }
#elif defined(__AVX__) && defined(__FMA__)
#include <immintrin.h>
typedef __m256d v4;
static inline v4 v4_load(const double *p) { return _mm256_loadu_pd(p); }
static inline void v4_store(double *p, v4 a) { _mm256_storeu_pd(p, a); }
static inline v4 v4_all(double s) { return _mm256_set1_pd(s); }
static inline v4 v4_mul(v4 a, v4 b) { return _mm256_mul_pd(a, b); }
static inline v4 v4_nma(v4 c, v4 a, v4 b) { return _mm256_fnmadd_pd(a, b, c); }
static inline v4 v4_abs(v4 a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }
static inline v4 v4_add(v4 a, v4 b) { return _mm256_add_pd(a, b); }
static inline v4 v4_sub(v4 a, v4 b) { return _mm256_sub_pd(a, b); }
static inline v4 v4_max(v4 a, v4 b) { return _mm256_max_pd(a, b); }
#elif defined(__SSE2__)
#include <emmintrin.h>
typedef struct v4 {
    __m128d lo, hi;
} v4;
static inline v4 v4_load(const double *p) { return (v4){_mm_loadu_pd(p), _mm_loadu_pd(p + 2)}; }
static inline void v4_store(double *p, v4 a)
{
    _mm_storeu_pd(p, a.lo);
    _mm_storeu_pd(p + 2, a.hi);
}
static inline v4 v4_all(double s) { return (v4){_mm_set1_pd(s), _mm_set1_pd(s)}; }
static inline v4 v4_mul(v4 a, v4 b) { return (v4){_mm_mul_pd(a.lo, b.lo), _mm_mul_pd(a.hi, b.hi)}; }
static inline v4 v4_nma(v4 c, v4 a, v4 b)
{
    return (v4){_mm_sub_pd(c.lo, _mm_mul_pd(a.lo, b.lo)), _mm_sub_pd(c.hi, _mm_mul_pd(a.hi, b.hi))};
}
static inline v4 v4_abs(v4 a)
{
    return (v4){_mm_andnot_pd(_mm_set1_pd(-0.0), a.lo), _mm_andnot_pd(_mm_set1_pd(-0.0), a.hi)};
}
static inline v4 v4_add(v4 a, v4 b) { return (v4){_mm_add_pd(a.lo, b.lo), _mm_add_pd(a.hi, b.hi)}; }
static inline v4 v4_sub(v4 a, v4 b) { return (v4){_mm_sub_pd(a.lo, b.lo), _mm_sub_pd(a.hi, b.hi)}; }
static inline v4 v4_max(v4 a, v4 b) { return (v4){_mm_max_pd(a.lo, b.lo), _mm_max_pd(a.hi, b.hi)}; }
#else
typedef struct v4 {
    double x[4];
} v4;
static inline v4 v4_load(const double *p) { return (v4){{p[0], p[1], p[2], p[3]}}; }
static inline void v4_store(double *p, v4 a)
{
    for (int i = 0; i < 4; i++) p[i] = a.x[i];
}
static inline v4 v4_all(double s) { return (v4){{s, s, s, s}}; }
static inline v4 v4_mul(v4 a, v4 b)
{
    return (v4){{a.x[0] * b.x[0], a.x[1] * b.x[1], a.x[2] * b.x[2], a.x[3] * b.x[3]}};
}
static inline v4 v4_nma(v4 c, v4 a, v4 b)
{
    for (int i = 0; i < 4; i++) c.x[i] -= a.x[i] * b.x[i];
    return c;
}
static inline v4 v4_abs(v4 a)
{
    for (int i = 0; i < 4; i++) a.x[i] = a.x[i] < 0 ? -a.x[i] : a.x[i];
    return a;
}
static inline v4 v4_add(v4 a, v4 b)
{
    for (int i = 0; i < 4; i++) a.x[i] += b.x[i];
    return a;
}
static inline v4 v4_sub(v4 a, v4 b)
{
    for (int i = 0; i < 4; i++) a.x[i] -= b.x[i];
    return a;
}
static inline v4 v4_max(v4 a, v4 b)
{
    for (int i = 0; i < 4; i++) a.x[i] = a.x[i] > b.x[i] ? a.x[i] : b.x[i];
    return a;
}
#endif

#endif
