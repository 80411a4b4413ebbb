// LAPACK with BLAS, and KLU, by the modules 'lapack' and 'klu', loaded at their first call. OpenBLAS has some
// ten thousand addresses to look up when it is loaded, KLU stands on four libraries more: this takes as long
// as a small run that needs none of their routines.
//
// The functions have the names of the routines, so that the rooms that call them do not know of the modules,
// but for one question before the first call (linalg/dense/routines.h), whose answer is the failure of a
// missing module. A routine that is called without that question can only end the command. The command alone
// has these functions. They are not visible outside of it, so that the modules find the routines of the
// libraries, not these.
#include "linalg/dense/routines.h"
#include "load/core/klu.h"
#include "load/core/lapack.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "cli/common/cli.h"

// [bytes] Work memory that OpenBLAS takes at its first factorization and keeps: 128 MB and a page. It asks
// again, for ever, when it does not get it: it is made to take it while there is known to be enough.
enum { OPENBLAS_RESERVE = (128 << 20) + 65536 };

typedef struct module {
    const char *name;
    size_t size;                       // of its table
    size_t reserve;                    // memory that its first call needs
    void (*begin)(const void *table);  // makes this call; NULL: none
    _Atomic(const void *) *loaded;     // NULL: not yet
} module;

// *table of a module. Threads of a study may be the first at the same time: then each loads it, and finds the
// same table.
static tml_status load(const module *m, const void **table, tml_error *err)
{
    *table = atomic_load_explicit(m->loaded, memory_order_acquire);
    if (*table) return TML_OK;
    const tml_status st = tmli_module_table(m->name, m->size, table, err);
    if (st != TML_OK) return st;
    if (!tmli_spare(m->reserve))
        return tmli_fail(err, TML_ERR_NOMEM, "There is no memory for the module '%s'.", m->name);
    if (m->begin) m->begin(*table);
    atomic_store_explicit(m->loaded, *table, memory_order_release);
    return TML_OK;
}

static const void *table_of(const module *m)
{
    tml_error err = {0};
    const void *table;
    if (load(m, &table, &err) == TML_OK) return table;
    cli_print_error(&err);
    exit(CLI_EXIT_FAILED);
}

static _Atomic(const void *) lapack_table, klu_table;

static void take_work_memory(const void *table)
{
    const int one = 1;
    int pivot, info;
    double a = 1;
    ((const tmli_module_lapack *)table)->dgetrf(&one, &one, &a, &one, &pivot, &info);
}

static const module lapack = {"lapack", sizeof(tmli_module_lapack), OPENBLAS_RESERVE, take_work_memory,
                              &lapack_table};
static const module klu = {"klu", sizeof(tmli_module_klu), 65536, NULL, &klu_table};

tml_status tmli_lapack_load(tml_error *err)
{
    const void *table;
    if (atomic_load_explicit(&lapack_table, memory_order_acquire)) return TML_OK;
    tmli_library_enter();  // for its first call
    const tml_status st = load(&lapack, &table, err);
    tmli_library_leave();
    return st;
}

tml_status tmli_klu_load(tml_error *err)
{
    const void *table;
    return load(&klu, &table, err);
}

#define ROUTINE(name, parameters, arguments) \
    void name##_ parameters { ((const tmli_module_lapack *)table_of(&lapack))->name arguments; }
TMLI_LAPACK(ROUTINE)

#define FUNCTION(type, name, parameters, arguments) \
    type name parameters { return ((const tmli_module_klu *)table_of(&klu))->name arguments; }
TMLI_KLU(FUNCTION)
