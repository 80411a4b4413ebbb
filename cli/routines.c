// LAPACK with BLAS, and KLU, by the modules 'lapack' and 'klu', loaded at their first call. OpenBLAS has some
// ten thousand addresses to look up when it is loaded, KLU stands on four libraries more: this takes as long
// as a small run that needs none of their routines.
//
// The functions have the names of the routines, so that the rooms that call them do not know of the modules.
// The command alone has them: without their module those of LAPACK can only end it. Those of KLU fail as if
// memory were exhausted, which may be the reason. They are not visible outside of the command, so that the
// modules find the routines of the libraries, not these.
#include "load/core/klu.h"
#include "load/core/lapack.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"

// Threads of a study may be the first at the same time: then each loads it, and finds the same table. NULL:
// it cannot be loaded; said once.
static const void *load(_Atomic(const void *) *loaded, const char *name, size_t size)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    tml_error err = {0};
    const void *table;
    if (tmli_module_table(name, size, &table, &err) != TML_OK) {
        if (!atomic_flag_test_and_set(&said)) fprintf(stderr, "trammel: %s\n", err.msg);
        return NULL;
    }
    atomic_store_explicit(loaded, table, memory_order_release);
    return table;
}

static const tmli_module_lapack *lapack(void)
{
    static _Atomic(const void *) loaded;
    const void *table = atomic_load_explicit(&loaded, memory_order_acquire);
    if (!table) table = load(&loaded, "lapack", sizeof(tmli_module_lapack));
    if (!table) exit(CLI_EXIT_FAILED);
    return table;
}

static const tmli_module_klu *klu(void)
{
    static _Atomic(const void *) loaded;
    const void *table = atomic_load_explicit(&loaded, memory_order_acquire);
    return table ? table : load(&loaded, "klu", sizeof(tmli_module_klu));
}

#define ROUTINE(name, parameters, arguments) \
    void name parameters { lapack()->name arguments; }
TMLI_LAPACK(ROUTINE)

#define FUNCTION(type, name, parameters, arguments) \
    type name parameters                            \
    {                                               \
        const tmli_module_klu *table = klu();       \
        if (table) return table->name arguments;    \
        common->status = KLU_OUT_OF_MEMORY;         \
        return 0;                                   \
    }
TMLI_KLU(FUNCTION)
