// Functions that are inlined wherever they are called, so that constant arguments simplify them.
#ifndef TMLI_BASE_INLINE_H
#define TMLI_BASE_INLINE_H

#if defined(__GNUC__)
#define TMLI_INLINE static inline __attribute__((always_inline))
#else
#define TMLI_INLINE static inline
#endif

#endif
