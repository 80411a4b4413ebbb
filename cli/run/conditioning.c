// Rows of the conditioning report. Numbers are written as in the result files; unknown ones are empty.
#include "conditioning.h"

#include "base/csv.h"

#include <string.h>

static const char columns[] =
    "t,h,scale_min,scale_max,unknowns,condition_1,condition_inf,condition_2,growth,iterations,correction,"
    "position_scaled,velocity_scaled,multiplier_scaled,position,velocity,multiplier\n";

tml_status cli_conditioning_open(tmli_draft *file, const char *path, const tml_env *env, tml_error *err)
{
    const tml_status st = tmli_draft_open(file, path, env, err);
    if (st == TML_OK) fputs(columns, file->out);
    return st;
}

void cli_conditioning_row(const tmli_draft *draft, tml_sim *sim, double t, double h)
{
    FILE *const file = draft->out;
    tml_conditioning c;
    if (!tml_sim_get_conditioning(sim, &c)) {  // a method without such a matrix: time and size of the step
        tmli_csv_put_known(file, t, ',');
        tmli_csv_put_known(file, h, ',');
        for (const char *at = strchr(strchr(columns, ',') + 1, ',') + 1; (at = strchr(at, ',')); at++)
            fputc(',', file);
        fputc('\n', file);
        return;
    }
    const double left[] = {t, h, c.scale_min, c.scale_max};
    const double middle[] = {c.condition_1, c.condition_inf, c.condition_2, c.growth};
    for (int i = 0; i < 4; i++) tmli_csv_put_known(file, left[i], ',');
    fprintf(file, "%d,", c.unknowns);
    for (int i = 0; i < 4; i++) tmli_csv_put_known(file, middle[i], ',');
    fprintf(file, "%d,", c.iterations);
    tmli_csv_put_known(file, c.correction, ',');
    for (int i = 0; i < 3; i++) tmli_csv_put_known(file, c.scaled[i], ',');
    for (int i = 0; i < 3; i++) tmli_csv_put_known(file, c.physical[i], i < 2 ? ',' : '\n');
}
