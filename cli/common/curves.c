// Curves of a result; see curves.h.
#include "curves.h"

#include "base/base.h"
#include "expr/expr.h"

#include <stdlib.h>
#include <string.h>

typedef struct lookup {
    const tml_result *r;
    const char **names;  // (channels)
    size_t count;
} lookup;

static tmli_symbol_kind find_name(const char *name, double *value, int *slot, void *user)
{
    const lookup *l = user;
    (void)value;
    *slot = tml_result_channel_index(l->r, name, NULL);
    return *slot < 0 ? TMLI_SYMBOL_UNKNOWN : TMLI_SYMBOL_VARIABLE;
}

static size_t list_names(const char *const **names, void *user)
{
    const lookup *l = user;
    *names = l->names;
    return l->count;
}

static tml_status evaluate(const tml_result *r, const tmli_expr *e, double *out, tml_error *err)
{
    const int n = tmli_expr_nvars(e);
    double *x = calloc((size_t)n + 1, sizeof *x);
    if (!x) return tmli_fail(err, TML_ERR_NOMEM, "No memory for an expression.");
    for (size_t i = 0; i < tml_result_row_count(r); i++) {
        for (int k = 0; k < n; k++) x[k] = tml_result_value(r, i, tmli_expr_slot(e, k));
        out[i] = tmli_expr_eval(e, x);
    }
    free(x);
    return TML_OK;
}

tml_status cli_curve_eval(const tml_result *r, const char *text, cli_curve *out, tml_error *err)
{
    const size_t rows = tml_result_row_count(r), count = (size_t)tml_result_channel_count(r);
    lookup l = {.r = r, .names = calloc(count + 1, sizeof *l.names), .count = count};
    *out = (cli_curve){.text = text, .unit = "", .value = calloc(rows + 1, sizeof(double))};
    tml_status st =
        l.names && out->value ? TML_OK : tmli_fail(err, TML_ERR_NOMEM, "No memory for %zu rows.", rows);
    for (size_t i = 0; i < count && l.names; i++) l.names[i] = tml_result_channel_name(r, (int)i);
    const int channel = tml_result_channel_index(r, text, NULL);
    tmli_expr *e = NULL;
    if (st == TML_OK && channel >= 0) {  // also a name that is no name of expressions
        out->unit = tml_result_channel_unit(r, channel);
        for (size_t i = 0; i < rows; i++) out->value[i] = tml_result_value(r, i, channel);
    } else if (st == TML_OK) {
        const tmli_scope scope = {.name = find_name, .names = list_names, .user = &l};
        st = tmli_expr_compile(text, (tml_mark){0}, &scope, NULL, &e, err);
        if (st == TML_ERR_NAME && err && !strstr(err->msg, "(is it"))
            tmli_error_append(err, "('trammel stats RESULT' lists the channels)");
        if (st == TML_OK) st = evaluate(r, e, out->value, err);
    }
    tmli_expr_destroy(e);
    free((void *)l.names);
    if (st != TML_OK) {
        free(out->value);
        out->value = NULL;
    }
    return st;
}

double *cli_curve_times(const tml_result *r)
{
    const size_t rows = tml_result_row_count(r);
    double *t = calloc(rows + 1, sizeof *t);
    const int channel = tml_result_channel_index(r, "t", NULL);
    for (size_t i = 0; i < rows && t; i++)
        t[i] = channel < 0 ? (double)i + 1 : tml_result_value(r, i, channel);
    return t;
}
