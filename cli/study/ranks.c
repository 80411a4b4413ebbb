// The processes of a study: those that mpirun has started together.
#include "study.h"

#include "base/base.h"
#include "load/core/tables.h"

#include <stdlib.h>

// What launchers tell a process about the number of processes: Open MPI; MPICH and others.
static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};

static int processes(void)
{
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *text = getenv(variables[i]);
        const long count = text ? strtol(text, NULL, 10) : 0;
        if (count > 1) return (int)count;
    }
    return 1;
}

#ifdef TRAMMEL_HAVE_MPI
tml_status study_ranks_open(tml_study_ranks *out, tml_error *err)
{
    *out = (tml_study_ranks){.count = 1};
    if (processes() == 1) return TML_OK;
    const void *table;
    const tml_status st = tmli_module_table("mpi", sizeof(tmli_module_mpi), &table, err);
    return st == TML_OK ? ((const tmli_module_mpi *)table)->open(out, err) : st;
}

void study_ranks_close(const tml_study_ranks *ranks)
{
    const void *table;
    if (!ranks->send || tmli_module_table("mpi", sizeof(tmli_module_mpi), &table, NULL) != TML_OK) return;
    ((const tmli_module_mpi *)table)->close();
}
#else
tml_status study_ranks_open(tml_study_ranks *out, tml_error *err)
{
    *out = (tml_study_ranks){.count = 1};
    if (processes() == 1) return TML_OK;
    return tmli_fail(err, TML_ERR_ARG,
                     "This program was built without MPI, and %d processes of it would each run the whole "
                     "study: use --part I/N.",
                     processes());
}

void study_ranks_close(const tml_study_ranks *ranks) { (void)ranks; }
#endif
