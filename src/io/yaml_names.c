// Names in numbers: parameters of the model and indices of repeat blocks.
//
// Parameters may use each other in any order. They are evaluated on first use; a cycle is detected when a
// parameter is used while its own value is being computed.
#include "io/yaml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tml_status param_value(tmli_reader *r, tmli_param *p);

static tml_status no_memory(const tmli_reader *r)
{
    return tmli_fail(r->err, TML_ERR_NOMEM, "No memory for the parameters.");
}

tml_status tmli_params_collect(tmli_reader *r, const tmli_yaml_node *map)
{
    const tml_status st = tmli_entry_expect_map(r, map, "parameters");
    if (st != TML_OK) return st;
    tmli_param *all = tmli_regrow(r->env, r->params, (size_t)r->nparams,
                                  (size_t)r->nparams + (size_t)map->count, sizeof *all);
    if (!all) return no_memory(r);
    r->params = all;
    for (int i = 0; i < map->count; i++) {
        const tmli_yaml_node *key = map->items[2 * i];
        const tmli_entry at = {.at = key->at};
        const tmli_check c = {.name = key->text, .entry = &at, .err = r->err};
        const tml_status ok = tmli_check_name(&c, key->text);
        if (ok != TML_OK) return ok;
        r->params[r->nparams++] =
            (tmli_param){.name = key->text, .value = map->items[2 * i + 1], .at = key->at};
    }
    return TML_OK;
}

static int by_name(const void *x, const void *y)
{
    const tmli_param *a = *(tmli_param *const *)x, *b = *(tmli_param *const *)y;
    const int order = strcmp(a->name, b->name);
    return order ? order : (a > b) - (a < b);  // equal names keep the order of their files
}

tml_status tmli_params_sort(tmli_reader *r)
{
    const size_t n = (size_t)r->nparams;
    if (!tmli_arena_alloc_all(&r->arena, TMLI_ARRAY(r->sorted, n + 1), TMLI_ARRAY(r->param_names, n + 1)))
        return no_memory(r);
    for (size_t i = 0; i < n; i++) r->sorted[i] = &r->params[i];
    if (n) qsort((void *)r->sorted, n, sizeof *r->sorted, by_name);
    for (size_t i = 0; i < n; i++) {
        const tmli_param *p = r->sorted[i], *before = i ? r->sorted[i - 1] : NULL;
        if (before && strcmp(p->name, before->name) == 0)
            return tmli_fail_at(r->err, TML_ERR_NAME, p->at,
                                "The parameter '%s' is already defined at %s:%d.", p->name, before->at.file,
                                before->at.line);
        r->param_names[i] = p->name;
    }
    return TML_OK;
}

tmli_param *tmli_params_find(const tmli_reader *r, const char *name)
{
    size_t lo = 0, hi = r->sorted ? (size_t)r->nparams : 0;
    while (lo < hi) {
        const size_t mid = (lo + hi) / 2;
        const int order = strcmp(name, r->sorted[mid]->name);
        if (order == 0) return r->sorted[mid];
        if (order < 0) hi = mid;
        else lo = mid + 1;
    }
    return NULL;
}

static bool is_input(const tmli_reader *r, const char *name)
{
    for (int i = 0; i < r->nfiles; i++)
        if (tmli_yaml_node_get(tmli_yaml_node_get(r->files[i].root, "inputs"), name)) return true;
    return false;
}

tml_status tmli_params_override(tmli_reader *r, const tml_parameter *overrides, int count)
{
    for (int i = 0; i < count; i++) {
        if (!overrides[i].name || !overrides[i].text)
            return tmli_fail(r->err, TML_ERR_ARG,
                             "Parameter value %d of the overrides has no name or no text.", i + 1);
        tmli_param *p = tmli_params_find(r, overrides[i].name);
        if (!p) {
            tmli_fail(r->err, TML_ERR_NAME, "The model has no parameter '%s'%s.", overrides[i].name,
                      tmli_hint_list(overrides[i].name, r->param_names, (size_t)r->nparams).text);
            if (is_input(r, overrides[i].name))
                tmli_error_append(r->err, "(It is an input: its 'value' stands under 'inputs', and programs "
                                          "set it.)");
            return TML_ERR_NAME;
        }
        if (p->override)
            return tmli_fail(r->err, TML_ERR_ARG, "The parameter '%s' is overridden twice.", p->name);
        p->override = overrides[i].text;
    }
    return TML_OK;
}

tml_status tmli_params_finish(tmli_reader *r)
{
    for (int i = 0; i < r->nparams; i++) {
        tml_status st = param_value(r, &r->params[i]);
        if (st == TML_OK) st = tmli_spec_add_parameter(r->spec, r->params[i].name, r->params[i].x, r->err);
        if (st != TML_OK) return st;
    }
    return TML_OK;
}

tml_status tmli_params_list_unused(tmli_reader *r)
{
    tml_mark *unused = tmli_arena_alloc(&r->spec->arena, (size_t)r->nparams + 1, sizeof *unused);
    if (!unused) return no_memory(r);
    for (int i = 0; i < r->nparams; i++)
        if (!r->params[i].used) unused[i] = r->params[i].at;
    r->spec->param_unused = unused;
    return TML_OK;
}

static tml_status cycle(tmli_reader *r, const tmli_param *p)
{
    char chain[256];
    size_t used = 0;
    int first = r->nbusy - 1;
    while (first > 0 && r->busy[first] != p) first--;
    for (int i = first; i < r->nbusy && used < sizeof chain; i++) {
        const int n = snprintf(chain + used, sizeof chain - used, "%s -> ", r->busy[i]->name);
        if (n < 0) break;
        used += (size_t)n;
    }
    return tmli_fail_at(r->err, TML_ERR_MODEL, p->at, "The parameter '%s' depends on itself: %s%s.", p->name,
                        chain, p->name);
}

static tml_status param_value(tmli_reader *r, tmli_param *p)
{
    if (p->state == TMLI_PARAM_DONE) return TML_OK;
    if (p->state == TMLI_PARAM_BUSY) return cycle(r, p);
    if (r->nbusy == TMLI_PARAMETER_DEPTH)
        return tmli_fail_at(r->err, TML_ERR_MODEL, p->at,
                            "Parameter definitions are nested deeper than %d levels.", TMLI_PARAMETER_DEPTH);
    r->busy[r->nbusy++] = p;
    p->state = TMLI_PARAM_BUSY;
    const tmli_index *index = r->index;
    const int64_t scope = r->scope;
    r->scope = 0;
    r->index = NULL;  // parameters cannot use the indices of repeat blocks
    tml_status st = TML_OK;
    if (p->override) {
        const int depth = r->nbusy;
        st = tmli_names_eval(r, p->override, (tml_mark){0}, &p->x);
        if (st == TML_OK && !isfinite(p->x))
            st = tmli_fail(r->err, TML_ERR_MODEL, "'%s' is not a finite number.", p->override);
        if (st != TML_OK && depth == r->nbusy)
            tmli_error_append(r->err, "(In the override '%s' of parameter '%s'.)", p->override, p->name);
    } else {
        const tmli_where w = {"parameter", p->name, NULL};
        st = tmli_value_number(r, p->value, &w, &p->x);
    }
    r->index = index;
    r->scope = scope;
    if (st != TML_OK) return st;
    p->state = TMLI_PARAM_DONE;
    r->nbusy--;
    return TML_OK;
}

static tmli_symbol_kind scope_name(const char *name, double *value, int *slot, void *user)
{
    tmli_reader *r = user;
    (void)slot;
    for (const tmli_index *k = r->index; k; k = k->outer) {
        if (strcmp(k->name, name) != 0) continue;
        *value = k->value;
        r->index_uses++;
        return TMLI_SYMBOL_CONSTANT;
    }
    tmli_param *p = tmli_params_find(r, name);
    if (!p) return TMLI_SYMBOL_UNKNOWN;
    if (r->failed_inside || param_value(r, p) != TML_OK) {
        r->failed_inside = true;
        return TMLI_SYMBOL_UNKNOWN;
    }
    *value = p->x;
    p->used = true;
    return TMLI_SYMBOL_CONSTANT;
}

static size_t scope_names(const char *const **names, void *user)
{
    const tmli_reader *r = user;
    *names = r->param_names;
    return (size_t)r->nparams;
}

tml_status tmli_names_eval(tmli_reader *r, const char *text, tml_mark at, double *out)
{
    const tmli_scope scope = {.name = scope_name, .names = scope_names, .advice = TMLI_OWN_NAMES, .user = r};
    tml_error own = {0};
    const tml_status st = tmli_expr_constant(text, at, &scope, r->env, out, &own);
    if (st == TML_OK) return TML_OK;
    if (r->failed_inside) return r->err->status;  // the error of the parameter is more specific
    *r->err = own;
    // "unknown name 'rod.mass'"
    const char *name = strchr(own.msg, '\''), *dot = name ? strchr(name, '.') : NULL;
    if (st == TML_ERR_NAME && dot && dot < strrchr(own.msg, '\''))
        tmli_error_append(r->err, "(Numbers use parameters, not values of bodies or joints.)");
    else if (st == TML_ERR_NAME && name && (strncmp(name, "'t'", 3) == 0 || strncmp(name, "'time'", 6) == 0))
        tmli_error_append(r->err, "(Numbers do not vary in time; motions, forces and outputs may.)");
    return st;
}

static const char *plain_number(double x, char buf[32])
{
    if (x != floor(x) || fabs(x) >= 1e15) return tmli_dtoa(x, buf);
    char digits[16];
    int count = 0, used = 0;
    for (int64_t rest = (int64_t)fabs(x); rest > 0 || count == 0; rest /= 10)
        digits[count++] = (char)('0' + rest % 10);
    if (x < 0) buf[used++] = '-';
    while (count > 0) buf[used++] = digits[--count];
    buf[used] = 0;
    return buf;
}

// Value of the expression between braces; open points to '{'.
static tml_status brace_value(tmli_reader *r, const char *open, const char *close, tml_mark at,
                              char number[32])
{
    const size_t n = (size_t)(close - open - 1);
    char inner[256];
    if (n >= sizeof inner)
        return tmli_fail_at(r->err, TML_ERR_SYNTAX, at,
                            "The expression in braces is longer than %zu characters.", sizeof inner - 1);
    memcpy(inner, open + 1, n);
    inner[n] = 0;
    double x = 0;
    tml_mark inside = at;
    if (inside.line) inside.col++;
    const tml_status st = tmli_names_eval(r, inner, inside, &x);
    if (st != TML_OK) return st;
    if (!isfinite(x)) return tmli_fail_at(r->err, TML_ERR_MODEL, at, "'{%s}' is not a finite number.", inner);
    plain_number(x, number);
    return TML_OK;
}

tml_status tmli_names_expand(tmli_reader *r, const char *text, tml_mark at, const char **out)
{
    *out = text;
    if (!strpbrk(text, "{}")) return TML_OK;
    size_t braces = 0;
    for (const char *p = text; *p; p++) braces += *p == '{';
    const size_t room = strlen(text) + 32 * braces + 1;
    r->bytes += room;
    if (r->bytes > TMLI_TEXT_BYTES)
        return tmli_fail_at(r->err, TML_ERR_MODEL, at, "The repeat blocks generate more than %d MB of text.",
                            TMLI_TEXT_BYTES >> 20);
    char *copy = tmli_arena_alloc(&r->scratch, room, 1);
    if (!copy) return tmli_fail(r->err, TML_ERR_NOMEM, "No memory for a text of %zu bytes.", room);
    size_t used = 0;
    for (const char *p = text; *p; p++) {
        tml_mark here = at;
        if (here.line) here.col += (int)(p - text);
        if (*p == '}')
            return tmli_fail_at(r->err, TML_ERR_SYNTAX, here, "'}' has no '{' before it in '%.60s'.", text);
        if (*p != '{') {
            copy[used++] = *p;
            continue;
        }
        const char *close = strpbrk(p + 1, "{}");
        if (!close || *close != '}')
            return tmli_fail_at(r->err, TML_ERR_SYNTAX, here, "'{' has no '}' after it in '%.60s'.", text);
        char number[32];
        const tml_status st = brace_value(r, p, close, here, number);
        if (st != TML_OK) return st;
        memcpy(copy + used, number, strlen(number));
        used += strlen(number);
        p = close;
    }
    copy[used] = 0;
    *out = copy;
    return TML_OK;
}
