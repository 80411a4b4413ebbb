// Archive of a linear solver behind its table.
#ifndef TMLI_LINALG_SOLVER_ARCHIVE_H
#define TMLI_LINALG_SOLVER_ARCHIVE_H

#include "base/archive.h"
#include <trammel/linsolver.h>

/** The factors of `lin`. A solver without the function cannot be saved. */
static inline void tmli_linsolver_archive(const tml_linsolver_ops *solver, void *lin, tml_archive *a)
{
    tmli_archive_mark(a, solver->name);
    if (solver->archive) solver->archive(lin, a);
    else tml_archive_fail(a, TML_ERR_ARG, "the linear solver has no function `archive`: it cannot be saved");
}

#endif
