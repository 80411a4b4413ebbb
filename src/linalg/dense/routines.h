// Whether the routines of LAPACK with BLAS, and of KLU, can be called. The libraries are linked with them.
// The command loads them as modules when they are first needed (cli/routines.c), which can fail, and the
// routines of LAPACK cannot say so: who calls a routine asks here first, where a failure has a way out. A
// second question costs nothing.
#ifndef TMLI_LINALG_DENSE_ROUTINES_H
#define TMLI_LINALG_DENSE_ROUTINES_H

#include "base/base.h"

/** Error: TML_ERR_IO (the module is not installed or cannot be loaded). */
tml_status tmli_lapack_load(tml_error *err);
tml_status tmli_klu_load(tml_error *err);  // the same for KLU

#endif
