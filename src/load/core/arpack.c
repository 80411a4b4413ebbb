// Eigenvalues of large operators by the module 'arpack'.
#include "load/core/tables.h"

#ifdef TRAMMEL_HAVE_ARPACK  // without it linalg/eigen is part of the core, and says that there is none

bool tmli_arnoldi_available(void)
{
    const void *table;
    return tmli_module_table("arpack", sizeof(tmli_module_arpack), &table, NULL) == TML_OK;
}

tml_status tmli_arnoldi_solve(const tmli_arnoldi_def *def, const tml_env *env, double complex *values,
                              double complex *vectors, int *found, tml_error *err)
{
    const void *table;
    *found = 0;
    const tml_status st = tmli_module_table("arpack", sizeof(tmli_module_arpack), &table, err);
    const tmli_module_arpack *module = table;
    return st == TML_OK ? module->solve(def, env, values, vectors, found, err) : st;
}

#endif
