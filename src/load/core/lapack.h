// The table of the module 'lapack': every routine of LAPACK and BLAS that is called.
#ifndef TMLI_LOAD_CORE_LAPACK_H
#define TMLI_LOAD_CORE_LAPACK_H

#include "linalg/dense/lapack.h"
#include "load/module.h"

#define TMLI_LAPACK_MEMBER(name, parameters, arguments) void(*name) parameters;
typedef struct tmli_module_lapack {
    tmli_module_head head;
    TMLI_LAPACK(TMLI_LAPACK_MEMBER)
} tmli_module_lapack;

#endif
