// The table of linear solvers.
#include <stddef.h>
#include <string.h>
#include <trammel/linsolver.h>

const tml_linsolver_ops *const tml_linsolvers[] = {&tml_linsolver_dense, &tml_linsolver_klu,
                                                   &tml_linsolver_block, &tml_linsolver_reduced,
                                                   &tml_linsolver_tree,  NULL};

const tml_linsolver_ops *tml_linsolver_find(const char *name)
{
    if (!name) return NULL;
    for (int i = 0; tml_linsolvers[i]; i++)
        if (strcmp(tml_linsolvers[i]->name, name) == 0) return tml_linsolvers[i];
    return NULL;
}
