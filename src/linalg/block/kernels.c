// The choice of the kernels on fronts by what the processor can do.
#include "linalg/block/front.h"

#if defined(TRAMMEL_AVX2)
int32_t tmli_front_factor_avx2(const tmli_front *f, const tmli_front_work *w);
void tmli_front_forward_avx2(const tmli_front *f, const tmli_index_run *run, const double *L,
                             const int32_t *row, double *t, double *y);
void tmli_front_backward_avx2(const tmli_front *f, const tmli_index_run *run, const double *U,
                              const double *d, double *t, double *y);
#endif

const tmli_front_kernels *tmli_front_kernels_of(int number)
{
    static const tmli_front_kernels kernels[] = {
        {tmli_front_factor, tmli_front_forward, tmli_front_backward},
#if defined(TRAMMEL_AVX2)
        {tmli_front_factor_avx2, tmli_front_forward_avx2, tmli_front_backward_avx2},
#endif
    };
    int count = 1;
#if defined(TRAMMEL_AVX2)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) count = 2;
#endif
    return number >= 0 && number < count ? &kernels[number] : NULL;
}
