// Shared by `trammel compare` and `trammel verify`.
#define _POSIX_C_SOURCE 200809L
#include "compare.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- messages ---------------------------------------------------------------------------------------------

void compare_ui_init(compare_ui *ui, bool progress_wanted)
{
    memset(ui, 0, sizeof *ui);
    pthread_mutex_init(&ui->lock, NULL);
    cli_progress_init(&ui->progress, progress_wanted, 0, 1);
}

void compare_ui_clear(compare_ui *ui)
{
    cli_progress_clear(&ui->progress);
    pthread_mutex_destroy(&ui->lock);
}

static void print_log(tml_log_level level, const char *text, void *user)
{
    compare_ui *ui = user;
    if (level != TML_LOG_WARNING) return;
    pthread_mutex_lock(&ui->lock);
    bool known = ui->nseen == COMPARE_WARNINGS;
    for (int i = 0; i < ui->nseen; i++) known |= strncmp(ui->seen[i], text, sizeof ui->seen[i] - 1) == 0;
    if (!known) {
        snprintf(ui->seen[ui->nseen++], sizeof ui->seen[0], "%s", text);
        cli_progress_clear(&ui->progress);
        fprintf(stderr, "trammel: warning: %s\n", CLI_VISIBLE(text));
    }
    pthread_mutex_unlock(&ui->lock);
}

tml_env compare_ui_env(compare_ui *ui, cli_files *files)
{
    return (tml_env){.log = print_log, .user = ui, .files = files};
}

tml_status compare_ui_progress(const tml_compare_progress *p, void *user)
{
    compare_ui *ui = user;
    if (cli_interrupted()) return TML_ERR_STOPPED;
    pthread_mutex_lock(&ui->lock);
    if (cli_progress_due(&ui->progress)) {
        const double fine = p->step > 0 ? p->step : p->tol;
        fprintf(stderr, "\r\033[K%d of %d runs; %s %s at %.2g: %d %%", p->done, p->total, p->what, p->method,
                fine, (int)(100 * p->part));
        fflush(stderr);
        ui->progress.shown = true;
    }
    pthread_mutex_unlock(&ui->lock);
    return TML_OK;
}

// ---- values of options ------------------------------------------------------------------------------------

enum { VALUES_MAX = 200, DECADES_MAX = 30 };

static tml_status parse_one(const char *option, const char *text, size_t n, double *out, tml_error *err)
{
    char buf[64];
    const char *end;
    if (n == 0) return tmli_fail(err, TML_ERR_ARG, "%s: a value is missing.", option);
    snprintf(buf, sizeof buf, "%.*s", n < sizeof buf ? (int)n : (int)sizeof buf - 1, text);
    *out = tmli_strtod(buf, &end);
    if (end == buf || *end || n >= sizeof buf)
        return tmli_fail(err, TML_ERR_ARG, "%s: '%s' is not a number.", option, buf);
    if (!(*out > 0) || !isfinite(*out))
        return tmli_fail(err, TML_ERR_ARG, "%s: %s is not greater than 0 and finite.", option, buf);
    return TML_OK;
}

// from, from/10, ... to (or upwards)
static tml_status expand(const char *option, double from, double to, double *out, int *count, tml_error *err)
{
    const double decades = log10(from / to);
    const int n = (int)lround(fabs(decades));
    if (from == to)
        return tmli_fail(err, TML_ERR_ARG, "%s: the range %g..%g has one value only.", option, from, to);
    if (n == 0 || fabs(fabs(decades) - n) > 1e-6)
        return tmli_fail(err, TML_ERR_ARG,
                         "%s: %g..%g is not a whole number of decades; write a list: %g,%g.", option, from,
                         to, from, to);
    if (n > DECADES_MAX)
        return tmli_fail(err, TML_ERR_ARG, "%s: %g..%g spans %d decades; the maximum is %d.", option, from,
                         to, n, DECADES_MAX);
    for (int i = 0; i <= n; i++) {
        char buf[32];
        const char *end;
        const double x = i == n ? to : from * pow(10, decades > 0 ? -i : i);
        snprintf(buf, sizeof buf, "%.12g", x);  // 1e-3, not 1.0000000000000002e-3
        out[(*count)++] = tmli_strtod(buf, &end);
    }
    return TML_OK;
}

tml_status compare_parse_values(const char *option, const char *text, double **out, int *count,
                                tml_error *err)
{
    double *values = malloc((VALUES_MAX + DECADES_MAX + 2) * sizeof *values);
    *out = NULL;
    *count = 0;
    tml_status st = values ? TML_OK : tmli_fail(err, TML_ERR_NOMEM, "No memory for %s.", option);
    for (const char *s = text; st == TML_OK; s++) {
        const size_t n = strcspn(s, ",");
        const char *dots = strstr(s, "..");
        const bool range = dots && dots < s + n;
        double a = 0, b = 0;
        if (range && dots[2] == '.') {  // 1e-2...1e-3 would end at 1e-4
            st = tmli_fail(err, TML_ERR_ARG, "%s: '%.*s' is not a range; write it with two dots.", option,
                           (int)n, s);
            break;
        }
        st = parse_one(option, s, range ? (size_t)(dots - s) : n, &a, err);
        if (st == TML_OK && range) st = parse_one(option, dots + 2, (size_t)(s + n - dots - 2), &b, err);
        if (st == TML_OK && range) st = expand(option, a, b, values, count, err);
        else if (st == TML_OK) values[(*count)++] = a;
        if (st == TML_OK && *count > VALUES_MAX)
            st = tmli_fail(err, TML_ERR_ARG, "%s: more than %d values.", option, VALUES_MAX);
        s += n;
        if (!*s) break;
    }
    if (st == TML_OK) *out = values;
    else free(values);
    return st;
}

tml_status compare_jobs(int value, int *out, tml_error *err)
{
    enum { JOBS_MAX = 64 };
    *out = 0;
    if (value < 0) return TML_OK;
    if (value > JOBS_MAX) return tmli_fail(err, TML_ERR_ARG, "--jobs: %d is more than %d.", value, JOBS_MAX);
    *out = value;
    return TML_OK;
}
