// The tables of the modules of the core.
#ifndef TMLI_LOAD_CORE_TABLES_H
#define TMLI_LOAD_CORE_TABLES_H

#include "import/xml/xml.h"
#include "linalg/eigen/arnoldi.h"
#include "load/module.h"
#include "result/reader.h"
#include "result/writer.h"
#include <trammel/study.h>

/** HDF5: room result/hdf5. */
typedef struct tmli_module_hdf5 {
    tmli_module_head head;
    tml_status (*writer)(const tmli_writer_ops **ops, tml_error *err);
    tml_status (*read)(const char *path, const tml_env *env, tmli_result **out, tml_error *err);
    tml_status (*open)(const char *path, const tml_env *env, tmli_result **out, tml_error *err);
    tml_status (*attachment)(const char *path, const tml_env *env, void **data, size_t *size, tml_error *err);
} tmli_module_hdf5;

/** ARPACK: room linalg/eigen. */
typedef struct tmli_module_arpack {
    tmli_module_head head;
    tml_status (*solve)(const tmli_arnoldi_def *def, const tml_env *env, double complex *values,
                        double complex *vectors, int *found, tml_error *err);
} tmli_module_arpack;

/** expat: room import/xml. */
typedef struct tmli_module_xml {
    tmli_module_head head;
    tml_status (*parse)(const char *text, size_t length, const char *name, tmli_arena *arena, tmli_xml **out,
                        tml_error *err);
} tmli_module_xml;

/** MPI: processes of one study, started by mpirun. The command loads it, and only there. */
typedef struct tmli_module_mpi {
    tmli_module_head head;
    tml_status (*open)(tml_study_ranks *out, tml_error *err);
    void (*close)(void);
} tmli_module_mpi;

/** NLopt: the search of an optimum. The command loads it, and only there. */
typedef struct tmli_module_nlopt {
    tmli_module_head head;
    tml_study_minimizer minimize;
} tmli_module_nlopt;

#endif
