// Properties of charts; see chart.h.
#include "integrate/core/chart.h"

#include <string.h>

// T is compared with the identity at one increment that has no special values: T is either the identity
// everywhere or differs from it there.
bool tmli_chart_is_flat(const tml_system *sys, double *d, double *v, double *out)
{
    for (int j = 0; j < sys->n; j++) {
        d[j] = 0.1 + 0.01 * (j % 7);
        v[j] = 1 - 0.1 * (j % 3);
    }
    sys->ops->tangent(sys->self, d, v, out);
    return memcmp(v, out, (size_t)sys->n * sizeof(double)) == 0;
}
