// The table of linear solvers.
#include <stddef.h>
#include <string.h>
#include <trammel/linsolver.h>

#define ADDRESS(name) &tml_linsolver_##name,
const tml_linsolver_ops *const tml_linsolvers[] = {TML_LINSOLVER_LIST(ADDRESS) NULL};
#undef ADDRESS

const tml_linsolver_ops *tml_linsolver_find(const char *name)
{
    if (!name) return NULL;
    for (int i = 0; tml_linsolvers[i]; i++)
        if (strcmp(tml_linsolvers[i]->name, name) == 0) return tml_linsolvers[i];
    return NULL;
}
