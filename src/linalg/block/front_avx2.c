// The kernels on fronts for x86-64 processors with AVX2 and FMA: compiled with these instructions, whatever
// the rest of the library is compiled for (CMakeLists.txt), and chosen at run time (kernels.c).
#define TMLI_FRONT_AVX2
#include "linalg/block/front.h"

#if defined(__AVX2__) && defined(__FMA__)
#include "linalg/block/front.c"
#include "linalg/block/front_solve.c"
#endif
