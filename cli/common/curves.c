// Curves of a result; see curves.h.
#include "curves.h"
#include "patterns.h"

#include "base/base.h"
#include "base/tolerances.h"
#include "expr/expr.h"

#include <float.h>
#include <math.h>
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

// A name such as arm_e2.Mz: an element of a beam, whose nodes arm_0, arm_1, ... have channels.
static bool is_element(const lookup *l, const char *name, const char *dot)
{
    const char *at = dot;
    while (at > name && at[-1] >= '0' && at[-1] <= '9') at--;
    if (at == dot || at - name < 3 || at[-1] != 'e' || at[-2] != '_') return false;
    const size_t stem = (size_t)(at - 1 - name);  // with its '_'
    for (size_t i = 0; i < l->count; i++)
        if (strncmp(l->names[i], name, stem) == 0 && strncmp(l->names[i] + stem, "0.", 2) == 0) return true;
    return false;
}

// What to do about a name that no channel has, or a text that is no expression.
static void advise(const lookup *l, const char *text, tml_status st, tml_error *err)
{
    static const char has[] = "unknown name '";
    const char *name = strstr(err->msg, has), *end = name ? strchr(name + sizeof has - 1, '\'') : NULL;
    if (st == TML_ERR_SYNTAX && strchr(text, ','))
        tmli_error_append(err, "(Lines are arguments of their own, with blanks between them.)");
    if (st != TML_ERR_NAME || !end) return;
    name += sizeof has - 1;
    const char *dot = memchr(name, '.', (size_t)(end - name));
    bool owner = false;  // something that moves has this name, and no channel for the value
    for (size_t i = 0; i < l->count && dot; i++)
        owner |= strncmp(l->names[i], name, (size_t)(dot + 1 - name)) == 0;
    const bool of_frame = owner && memchr(dot + 1, '.', (size_t)(end - dot - 1));
    if (strncmp(name, "time'", 5) == 0) tmli_error_append(err, "(The time is 't'.)");
    else if (of_frame || (dot && is_element(l, name, dot)))
        tmli_error_append(err,
                          "(What the run has not written is an entry of 'outputs' of the model: "
                          "'NAME: %.*s'.)",
                          (int)(end - name), name);
    else if (!strstr(err->msg, "(is it"))
        tmli_error_append(err, "('trammel stats RESULT' lists the channels)");
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
        if (st != TML_OK && err) advise(&l, text, st, err);
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

// Patterns have '*' or '?' and are no expressions.
static bool is_pattern(const tml_result *r, const char *text)
{
    cli_curve curve;
    if (!text[strcspn(text, "*?")] || cli_curve_eval(r, text, &curve, NULL) == TML_ERR_NOMEM) return false;
    const bool expression = curve.value != NULL;
    free(curve.value);
    return !expression;
}

tml_status cli_curve_names(const tml_result *r, const cli_list *texts, cli_list *out, tml_error *err)
{
    const int channels = tml_result_channel_count(r);
    *out = (cli_list){0};
    for (int i = 0; i < texts->count; i++) {
        const char *text = texts->items[i];
        const bool pattern = is_pattern(r, text);
        const char **items =
            realloc((void *)out->items, (size_t)(out->count + channels + 1) * sizeof *out->items);
        if (!items) {
            free((void *)out->items);
            *out = (cli_list){0};
            return tmli_fail(err, TML_ERR_NOMEM, "No memory for the names of channels.");
        }
        out->items = items;
        const int before = out->count;
        for (int k = 0; k < channels && pattern; k++) {
            const char *name = tml_result_channel_name(r, k);
            if (strcmp(name, "t") != 0 && cli_matches(text, strlen(text), name)) items[out->count++] = name;
        }
        if (out->count == before) items[out->count++] = text;
    }
    return TML_OK;
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

bool cli_is_beyond(double t, double limit, int side)
{
    return side * (t - limit) > TMLI_ULPS * DBL_EPSILON * fmax(fabs(t), fabs(limit));
}
