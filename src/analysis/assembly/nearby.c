// Dependent constraint rows at a nearby configuration; see nearby.h.
#include "analysis/assembly/nearby.h"
#include "analysis/assembly/assembly.h"
#include "system/state/units.h"

#include <math.h>
#include <string.h>

tml_status tmli_dependence_nearby(const tml_system *sys, void *w, const tml_state *x, const double *weight,
                                  tml_state *y, tmli_dependence *out, bool *found, tml_error *err)
{
    *found = false;
    *out = (tmli_dependence){0};
    double *d = tmli_calloc(&sys->env, (size_t)sys->n + 1, sizeof *d);
    if (!d) return tmli_no_memory(err, "check");
    for (int j = 0; j < sys->n; j++)  // pseudo-random, the same on every machine
        d[j] = TMLI_NEARBY_DISTANCE * tmli_coordinate_unit(sys, j) * sin(1.7 + 2.39996 * j);
    tml_state_copy(y, x);
    sys->ops->retract(sys->self, x->q, d, y->q);
    memset(y->u, 0, (size_t)sys->n * sizeof(double));
    tmli_free(&sys->env, d);
    tml_error why = {0};
    tml_status st = tmli_assemble(sys, weight, y, NULL, NULL, &why);
    if (st == TML_OK) st = tmli_dependence_calc(sys, w, y, out, &why);
    *found = st == TML_OK;
    if (!tmli_is_shortage(st)) return TML_OK;
    if (err) *err = why;
    return st;
}
