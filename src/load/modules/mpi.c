// The table of the module 'mpi': messages between the processes of a study.
#include "load/core/tables.h"

#include <limits.h>
#include <mpi.h>

enum { TAG = 7 };

static tml_status send_bytes(int to, const void *data, size_t size, void *user, tml_error *err)
{
    (void)user;
    if (size > INT_MAX) return tmli_fail(err, TML_ERR_ARG, "A message of %zu bytes is too long.", size);
    return MPI_Send(data, (int)size, MPI_BYTE, to, TAG, MPI_COMM_WORLD) == MPI_SUCCESS
               ? TML_OK
               : tmli_fail(err, TML_ERR_IO, "MPI: a message to process %d was not sent.", to);
}

static bool probe(int *from, size_t *size, void *user)
{
    MPI_Status status;
    int waits = 0, count = 0;
    (void)user;
    if (MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &waits, &status) != MPI_SUCCESS || !waits)
        return false;
    MPI_Get_count(&status, MPI_BYTE, &count);
    *from = status.MPI_SOURCE;
    *size = (size_t)count;
    return true;
}

static tml_status receive(int from, void *data, size_t size, void *user, tml_error *err)
{
    (void)user;
    return MPI_Recv(data, (int)size, MPI_BYTE, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS
               ? TML_OK
               : tmli_fail(err, TML_ERR_IO, "MPI: a message of process %d was not received.", from);
}

// A program that has started MPI itself, as mpi4py does, also ends it.
static tml_status open_world(tml_study_ranks *out, tml_error *err)
{
    int provided = 0, started = 0;
    *out = (tml_study_ranks){.send = send_bytes, .probe = probe, .receive = receive};
    MPI_Initialized(&started);
    const int st =
        started ? MPI_Query_thread(&provided) : MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
    if (st != MPI_SUCCESS || provided < MPI_THREAD_FUNNELED)
        return tmli_fail(err, TML_ERR_IO, "MPI could not be started with threads.");
    MPI_Comm_rank(MPI_COMM_WORLD, &out->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &out->count);
    return TML_OK;
}

static void close_world(void)
{
    int ended = 0;
    MPI_Finalized(&ended);
    if (!ended) MPI_Finalize();
}

extern const tmli_module_mpi tml_module_mpi;
TMLI_MODULE_EXPORT const tmli_module_mpi tml_module_mpi = {
    {TRAMMEL_VERSION, sizeof tml_module_mpi}, open_world, close_world};
