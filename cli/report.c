// Rows of the conditioning report. Numbers are written as in the result files; unknown ones are empty.
#include "report.h"

#include "base/base.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const char columns[] =
    "t,h,scale_min,scale_max,unknowns,condition_1,condition_inf,condition_2,growth,iterations,correction,"
    "position_scaled,velocity_scaled,multiplier_scaled,position,velocity,multiplier\n";

static tml_status write_error(const char *path, tml_error *err)
{
    return tmli_fail(err, TML_ERR_IO, "The report '%s' cannot be written: %s.", path, strerror(errno));
}

FILE *cli_report_open(const char *path, tml_error *err)
{
    FILE *file = fopen(path, "w");
    if (file && fputs(columns, file) >= 0) return file;
    write_error(path, err);
    if (file) fclose(file);
    return NULL;
}

static void put(FILE *file, double x, char after)
{
    char text[32];
    if (!isnan(x)) fputs(tmli_dtoa(x, text), file);
    fputc(after, file);
}

tml_status cli_report_row(FILE *file, const char *path, tml_sim *sim, double t, double h, tml_error *err)
{
    tml_conditioning c;
    if (!tml_sim_get_conditioning(sim, &c)) {
        tml_sim_report report;
        tml_sim_get_report(sim, &report);
        return tmli_fail(err, TML_ERR_ARG, "--report: method '%s' does not report its conditioning.",
                         report.method);
    }
    const double left[] = {t, h, c.scale_min, c.scale_max};
    const double middle[] = {c.condition_1, c.condition_inf, c.condition_2, c.growth};
    for (int i = 0; i < 4; i++) put(file, left[i], ',');
    fprintf(file, "%d,", c.unknowns);
    for (int i = 0; i < 4; i++) put(file, middle[i], ',');
    fprintf(file, "%d,", c.iterations);
    put(file, c.correction, ',');
    for (int i = 0; i < 3; i++) put(file, c.scaled[i], ',');
    for (int i = 0; i < 3; i++) put(file, c.physical[i], i < 2 ? ',' : '\n');
    return ferror(file) ? write_error(path, err) : TML_OK;
}

tml_status cli_report_close(FILE *file, const char *path, tml_error *err)
{
    if (!file) return TML_OK;
    const int bad = ferror(file);
    return fclose(file) != 0 || bad ? write_error(path, err) : TML_OK;
}
