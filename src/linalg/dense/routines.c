// The routines of LAPACK and KLU are linked: there is nothing to load. The command has functions of the same
// names in place of these.
#include "linalg/dense/routines.h"

tml_status tmli_lapack_load(tml_error *err)
{
    (void)err;
    return TML_OK;
}

tml_status tmli_klu_load(tml_error *err)
{
    (void)err;
    return TML_OK;
}
