// LAPACK and BLAS by the module 'lapack', loaded at their first call. OpenBLAS has some ten thousand
// addresses to look up when it is loaded, which takes as long as a small run that needs none of its routines.
//
// The functions have the names of the routines, so that the rooms that call them do not know of the module.
// The command alone has them: without the module they can only end it. They are not visible outside of the
// command, so that the module finds the routines of the library, not these.
#include "load/core/lapack.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"

static const tmli_module_lapack *load(void)
{
    tml_error err = {0};
    const void *table;
    if (tmli_module_table("lapack", sizeof(tmli_module_lapack), &table, &err) == TML_OK) return table;
    fprintf(stderr, "trammel: %s\n", err.msg);
    exit(CLI_EXIT_FAILED);
}

// Threads of a study may be the first at the same time: then each loads it, and finds the same table.
static const tmli_module_lapack *lapack(void)
{
    static _Atomic(const tmli_module_lapack *) loaded;
    const tmli_module_lapack *table = atomic_load_explicit(&loaded, memory_order_acquire);
    if (table) return table;
    table = load();
    atomic_store_explicit(&loaded, table, memory_order_release);
    return table;
}

#define ROUTINE(name, parameters, arguments) \
    void name parameters { lapack()->name arguments; }
TMLI_LAPACK(ROUTINE)
