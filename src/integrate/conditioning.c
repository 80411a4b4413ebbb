// What a kernel's last matrix and iteration looked like, for reports.
#include "integrate/kernel.h"

#include <math.h>

void tmli_kernel_conditioning(tmli_kernel *k, tml_conditioning *out)
{
    const double no = NAN;
    if (k->record) {
        if (k->factor_b != 0) tmli_record_conditions(k->record, k->pattern, k->factored, k->solver, k->lin);
        *out = k->record->kept;
    } else {
        *out = (tml_conditioning){.condition_1 = no,
                                  .condition_inf = no,
                                  .condition_2 = no,
                                  .growth = no,
                                  .correction = no,
                                  .scaled = {no, no, no},
                                  .physical = {no, no, no}};
    }
    double least = INFINITY, most = 0;
    for (int r = 0; r < k->sys->m; r++) {
        least = fmin(least, k->column[r]);
        most = fmax(most, k->column[r]);
    }
    out->scale_min = k->sys->m > 0 ? least : no;
    out->scale_max = k->sys->m > 0 ? most : no;
    out->unknowns = k->pattern->n;
    out->iterations = k->iterations;
}
