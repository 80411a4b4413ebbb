// Typed values: convert a node according to a field of the schema and store it in a definition.
#include "io/yaml.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *tmli_where_text(const tmli_where *w, char buf[160])
{
    if (w->key && w->name) snprintf(buf, 160, "'%s' of %s '%.80s'", w->key, w->what, w->name);
    else if (w->key) snprintf(buf, 160, "'%s' of %s", w->key, w->what);
    else snprintf(buf, 160, "%s '%.80s'", w->what, w->name ? w->name : "");
    return buf;
}

bool tmli_is_rest_of_text(const char *key)
{
    int depth = 0, least = 0;
    for (const char *c = key; *c; c++) {
        depth += (*c == '(') - (*c == ')');
        if (depth < least) least = depth;
    }
    return least < 0 || (key[0] >= '0' && key[0] <= '9');
}

tml_status tmli_value_fail(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, const char *expected)
{
    char where[160], label[64];
    const bool split = n->kind == TMLI_NODE_NULL && w->name && tmli_is_rest_of_text(w->name);
    return tmli_fail_at(r->err, TML_ERR_SYNTAX, n->at, "%s is %s, expected %s.%s", tmli_where_text(w, where),
                        tmli_yaml_node_label(n, label), expected, split ? TMLI_QUOTE_COMMA : "");
}

static tml_status visit(tmli_reader *r, const tmli_yaml_node *n)
{
    if (++r->values <= TMLI_VALUES) return TML_OK;
    return tmli_fail_at(r->err, TML_ERR_MODEL, n->at, "The model expands to more than %d values.",
                        TMLI_VALUES);
}

// An expression. Without an index of a repeat block its value is the same in all rounds of the block, and in
// all entries that it is a default of: it is kept. In another block a name may be that of an index.
static tml_status evaluate(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, double *x)
{
    char where[160];
    const char *text = NULL;
    const int64_t uses = r->index_uses;
    if (r->keeps_numbers && n->number->scope == r->scope + 1) {
        *x = n->number->x;
        return TML_OK;
    }
    tml_status st = tmli_names_expand(r, n->text, n->at, &text);
    if (st == TML_OK && !text[strspn(text, " \t")]) return tmli_value_fail(r, n, w, "a number");
    if (st == TML_OK) st = tmli_names_eval(r, text, n->at, x);
    if (st == TML_OK && r->keeps_numbers && r->index_uses == uses)
        *n->number = (tmli_yaml_number){r->scope + 1, *x};
    if (st != TML_OK && !r->failed_inside) tmli_error_append(r->err, "(In %s.)", tmli_where_text(w, where));
    return st;
}

tml_status tmli_value_number(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, double *out)
{
    char where[160], buf[32];
    tml_status st = visit(r, n);
    if (st != TML_OK) return st;
    if (n->kind != TMLI_NODE_SCALAR) return tmli_value_fail(r, n, w, "a number");
    static const char *const not_finite[] = {".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF"};
    const char *unsigned_text = n->text + (n->text[0] == '-' || n->text[0] == '+');
    for (size_t i = 0; i < sizeof not_finite / sizeof *not_finite; i++)
        if (strcmp(unsigned_text, not_finite[i]) == 0) return tmli_value_fail(r, n, w, "a finite number");
    static const char *const switches[] = {"true", "false", "yes", "no", "on", "off"};
    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        if (n->plain && strcmp(n->text, switches[i]) == 0 && !tmli_params_find(r, n->text))
            return tmli_value_fail(r, n, w, "a number");
    const char *end = NULL;
    double x = tmli_strtod(n->text, &end);
    if (end == n->text || *end) st = evaluate(r, n, w, &x);  // not a plain number
    if (st != TML_OK) return st;
    if (!isfinite(x))
        return tmli_fail_at(r->err, TML_ERR_MODEL, n->at, "%s is '%.60s' = %s, expected a finite number.",
                            tmli_where_text(w, where), n->text, tmli_dtoa(x, buf));
    *out = x;
    return TML_OK;
}

// Angles are in rad. A number of more than a turn that is written without a unit was meant in degrees, as a
// rule, and so is a whole or half number that an expression gives.
void tmli_value_note_degrees(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, double x)
{
    static const double turn = 6.283185307179586;
    char where[160], buf[32];
    const char *end = NULL;
    if (fabs(x) <= turn || n->kind != TMLI_NODE_SCALAR || n == r->noted || r->translated) return;
    tmli_strtod(n->text, &end);
    const bool bare = end != n->text && !*end, half = 2 * x == floor(2 * x);
    if (!bare && (!half || strstr(n->text, "deg"))) return;
    r->noted = n;
    tmli_dtoa(x, buf);
    tmli_log(r->env, TML_LOG_WARNING,
             "%s:%d:%d: %s is %s rad, more than a turn; angles are in rad: for degrees write '%.60s%s%s deg'",
             n->at.file, n->at.line, n->at.col, tmli_where_text(w, where), buf, bare ? "" : "(", n->text,
             bare ? "" : ")");
}

tml_status tmli_value_integer(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, double *out)
{
    char where[160], buf[32];
    const tml_status st = tmli_value_number(r, n, w, out);
    if (st != TML_OK) return st;
    if (*out == floor(*out) && fabs(*out) <= 1e15) return TML_OK;
    return tmli_fail_at(r->err, TML_ERR_MODEL, n->at, "%s is %s, expected a whole number.",
                        tmli_where_text(w, where), tmli_dtoa(*out, buf));
}

tml_status tmli_value_numbers(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, int count,
                              double *out)
{
    char expected[48], where[160];
    if (n->kind != TMLI_NODE_LIST) {
        snprintf(expected, sizeof expected, "a list of %d numbers", count);
        return tmli_value_fail(r, n, w, expected);
    }
    if (n->count != count)
        return tmli_fail_at(r->err, TML_ERR_SYNTAX, n->at, "%s is a list of %d, expected %d numbers.",
                            tmli_where_text(w, where), n->count, count);
    for (int i = 0; i < count; i++) {
        const tml_status st = tmli_value_number(r, n->items[i], w, &out[i]);
        if (st != TML_OK) return st;
    }
    return TML_OK;
}

// The name of an axis, such as -y, in place of its components.
static void add_direction(tml_error *err, const tmli_yaml_node *n)
{
    static const char letters[] = "xyz";
    const char *text = n->kind == TMLI_NODE_SCALAR ? n->text : "", *letter = text + (text[0] == '-');
    const char *at = letter[0] && !letter[1] ? strchr(letters, letter[0] | 0x20) : NULL;  // or of capitals
    if (!at) return;
    const int one = text[0] == '-' ? -1 : 1;
    tmli_error_append(err, "(Is it [%d, %d, %d]?)", at == letters ? one : 0, at == letters + 1 ? one : 0,
                      at == letters + 2 ? one : 0);
}

tml_status tmli_value_vector(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, double out[3])
{
    char where[160];
    const bool planar = r->spec->planar;
    if (n->kind != TMLI_NODE_LIST) {
        const tml_status st =
            tmli_value_fail(r, n, w, planar ? "a list of 2 or 3 numbers" : "a list of 3 numbers");
        add_direction(r->err, n);
        return st;
    }
    if (n->count == 3 || (planar && n->count == 2)) {
        out[2] = 0;
        return tmli_value_numbers(r, n, w, n->count, out);
    }
    const tml_status st =
        tmli_fail_at(r->err, TML_ERR_SYNTAX, n->at, "%s is a list of %d, expected %s numbers.",
                     tmli_where_text(w, where), n->count, planar ? "2 or 3" : "3");
    bool semicolon = false;
    for (int i = 0; i < n->count; i++)
        semicolon = semicolon || (n->items[i]->text && strchr(n->items[i]->text, ';'));
    if (semicolon) tmli_error_append(r->err, "(Separate them by commas.)");
    else if (n->count == 2) tmli_error_append(r->err, "(A model in the plane has 'planar: true'.)");
    return st;
}

tml_status tmli_value_text(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, const char **out)
{
    tml_status st = visit(r, n);
    if (st != TML_OK) return st;
    if (n->kind != TMLI_NODE_SCALAR) return tmli_value_fail(r, n, w, "a text");
    st = tmli_names_expand(r, n->text, n->at, out);
    if (st == TML_OK) {
        r->bytes += strlen(*out);
        if (r->bytes > TMLI_TEXT_BYTES)
            return tmli_fail_at(r->err, TML_ERR_MODEL, n->at, "The model generates more than %d MB of text.",
                                TMLI_TEXT_BYTES >> 20);
        return TML_OK;
    }
    char where[160];
    if (!r->failed_inside) tmli_error_append(r->err, "(In %s.)", tmli_where_text(w, where));
    return st;
}

static tml_status value_bool(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, bool *out)
{
    const tml_status st = visit(r, n);
    if (st != TML_OK) return st;
    static const char *const words[] = {"false", "true", "False", "True", "FALSE", "TRUE"};
    if (n->kind == TMLI_NODE_SCALAR && n->plain)
        for (int i = 0; i < 6; i++)
            if (strcmp(n->text, words[i]) == 0) {
                *out = i % 2 == 1;
                return TML_OK;
            }
    return tmli_value_fail(r, n, w, "true or false");
}

static tml_status value_choice(tmli_reader *r, const tmli_field *f, const tmli_yaml_node *n,
                               const tmli_where *w, int *out)
{
    const char *text = NULL, *names[32];
    if (n->kind == TMLI_NODE_SCALAR) {
        const tml_status st = tmli_value_text(r, n, w, &text);
        if (st != TML_OK) return st;
    }
    for (const tmli_key_choice *c = f->choices; text && c->name; c++)
        if (strcmp(text, c->name) == 0) {
            *out = c->value;
            return TML_OK;
        }
    size_t count = 0, used = 0;
    char list[320] = "", where[160];
    for (const tmli_key_choice *c = f->choices; c->name && count < 32; c++) {
        names[count++] = c->name;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", c->name);
        if (used >= sizeof list) used = sizeof list - 1;
    }
    if (!text) {
        char label[64];
        return tmli_fail_at(r->err, TML_ERR_SYNTAX, n->at, "%s is %s, expected one of: %s.",
                            tmli_where_text(w, where), tmli_yaml_node_label(n, label), list);
    }
    const tmli_hint near = tmli_hint_word(text, names, count);
    return tmli_fail_at(r->err, TML_ERR_NAME, n->at, "%s is '%.60s'%s%s expected one of: %s.",
                        tmli_where_text(w, where), text, near.text, near.text[0] ? ";" : ",", list);
}

static tml_status value_inertia(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, double out[6])
{
    memset(out, 0, 6 * sizeof *out);
    if (n->kind == TMLI_NODE_SCALAR) {
        const tml_status st = tmli_value_number(r, n, w, &out[2]);
        if (!r->spec->planar) out[0] = out[1] = out[2];
        return st;
    }
    if (n->kind == TMLI_NODE_LIST && (n->count == 3 || n->count == 6) &&
        n->items[0]->kind == TMLI_NODE_SCALAR)
        return tmli_value_numbers(r, n, w, n->count, out);
    return tmli_value_fail(r, n, w,
                           "a number, a list of 3 (Jxx, Jyy, Jzz) or of 6 numbers (... Jxy, Jxz, Jyz)");
}

static tml_status value_matrix6(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, double out[36])
{
    memset(out, 0, 36 * sizeof *out);
    if (n->kind != TMLI_NODE_LIST || n->count != 6)
        return tmli_value_fail(r, n, w, "6 numbers or 6 rows of 6 numbers");
    const bool rows = n->items[0]->kind == TMLI_NODE_LIST;
    for (int i = 0; i < 6; i++) {
        const tml_status st = rows ? tmli_value_numbers(r, n->items[i], w, 6, out + 6 * i)
                                   : tmli_value_number(r, n->items[i], w, &out[7 * i]);
        if (st != TML_OK) return st;
    }
    return TML_OK;
}

// The points of a table of the model.
static tml_status named_table(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, int *count,
                              const double **out)
{
    tmli_table_entry *table = tmli_csv_find_table(r, n->text);
    char where[160];
    if (table) {
        table->at.used = true;
        *count = table->def.count;
        *out = table->def.points;
        return TML_OK;
    }
    const tml_spec *spec = r->spec;
    const tml_status st = tmli_fail_at(r->err, TML_ERR_NAME, n->at, "%s is '%.80s', which is not a table",
                                       tmli_where_text(w, where), n->text);
    const char **names = tmli_arena_alloc(&r->scratch, (size_t)spec->ntables + 1, sizeof *names);
    for (int i = 0; i < spec->ntables && names; i++) names[i] = spec->tables[i].def.name;
    if (!tmli_error_hint(r->err, n->text, names, (size_t)spec->ntables) && spec->ntables == 0)
        tmli_error_append(r->err, "(the model has no 'tables')");
    return st;
}

static tml_status value_table(tmli_reader *r, const tmli_field *f, const tmli_yaml_node *n,
                              const tmli_where *w, int *count, const double **out)
{
    if (n->kind == TMLI_NODE_SCALAR && f->sub) return named_table(r, n, w, count, out);
    if (n->kind != TMLI_NODE_LIST || n->count < 2)
        return tmli_value_fail(r, n, w,
                               f->sub ? "a list of at least 2 rows of 2 numbers, or the name of a table"
                                      : "a list of at least 2 rows of 2 numbers");
    double *rows = tmli_arena_alloc(&r->scratch, 2 * (size_t)n->count, sizeof *rows);
    if (!rows) return tmli_fail(r->err, TML_ERR_NOMEM, "No memory for a table of %d rows.", n->count);
    for (int i = 0; i < n->count; i++) {
        const tml_status st = tmli_value_numbers(r, n->items[i], w, 2, rows + 2 * i);
        if (st != TML_OK) return st;
    }
    *count = n->count;
    *out = rows;
    return TML_OK;
}

static tml_status value_list(tmli_reader *r, const tmli_field *f, const tmli_yaml_node *n,
                             const tmli_where *w, int *count, const double **out)
{
    const bool points = f->kind == TMLI_FIELD_POINTS;
    if (n->kind != TMLI_NODE_LIST || n->count < (points ? 2 : 1))
        return tmli_value_fail(r, n, w, points ? "a list of at least 2 points" : "a list of numbers");
    const size_t size = (size_t)tmli_field_width(f) * (size_t)n->count;
    double *values = tmli_arena_alloc(&r->scratch, size, sizeof *values);
    if (!values) return tmli_fail(r->err, TML_ERR_NOMEM, "No memory for a list of %d entries.", n->count);
    *count = n->count;
    *out = values;
    if (!points) return tmli_value_numbers(r, n, w, n->count, values);
    for (int i = 0; i < n->count; i++) {
        const tml_status st = tmli_value_vector(r, n->items[i], w, values + 3 * i);
        if (st != TML_OK) return st;
    }
    return TML_OK;
}

// size: count and columns
static tml_status value_grid(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, int size[2],
                             const double **out)
{
    static const char expected[] = "a list of at least 2 rows of 2 numbers or more";
    if (n->kind != TMLI_NODE_LIST || n->count < 2 || n->items[0]->kind != TMLI_NODE_LIST ||
        n->items[0]->count < 2)
        return tmli_value_fail(r, n, w, expected);
    const int columns = n->items[0]->count;
    double *values = tmli_arena_alloc(&r->scratch, (size_t)columns * (size_t)n->count, sizeof *values);
    if (!values) return tmli_fail(r->err, TML_ERR_NOMEM, "No memory for a list of %d rows.", n->count);
    for (int i = 0; i < n->count; i++) {
        const tmli_yaml_node *row = n->items[i];
        char where[160];
        if (row->kind == TMLI_NODE_LIST && row->count != columns)
            return tmli_fail_at(
                r->err, TML_ERR_SYNTAX, row->at, "%s: row %d has %d number%s, and the first one has %d.",
                tmli_where_text(w, where), i + 1, row->count, tmli_plural(row->count), columns);
        const tml_status st = tmli_value_numbers(r, row, w, columns, values + (size_t)columns * (size_t)i);
        if (st != TML_OK) return st;
    }
    size[0] = columns * n->count;
    size[1] = columns;
    *out = values;
    return TML_OK;
}

// Component k of a force or torque that must vanish in a planar model. Only the literal 0 is accepted, since
// the text is not evaluated here.
static tml_status expect_zero(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w)
{
    const char *end = NULL;
    if (n->kind == TMLI_NODE_SCALAR && tmli_strtod(n->text, &end) == 0 && end != n->text && !*end)
        return TML_OK;
    return tmli_value_fail(r, n, w, "0 for components out of the plane of a planar model");
}

static tml_status value_components(tmli_reader *r, const tmli_field *f, const tmli_yaml_node *n,
                                   const tmli_where *w, const char *out[3])
{
    const bool planar = r->spec->planar, torque = f->kind == TMLI_FIELD_TORQUE3;
    if (planar && torque && n->kind == TMLI_NODE_SCALAR) return tmli_value_text(r, n, w, &out[2]);
    const bool two = planar && !torque && n->kind == TMLI_NODE_LIST && n->count == 2;
    if (n->kind != TMLI_NODE_LIST || !(n->count == 3 || two)) {
        const tml_status st = tmli_value_fail(r, n, w,
                                              !planar  ? "a list of 3 expressions"
                                              : torque ? "one expression (about z) or a list of 3"
                                                       : "a list of 2 or 3 expressions");
        bool call = false;  // without quotes, step(t, 0, 1, 2, 3) is split at its commas
        for (int i = 0; i < n->count && n->kind == TMLI_NODE_LIST; i++)
            call = call || (n->items[i]->kind == TMLI_NODE_SCALAR && strchr(n->items[i]->text, '('));
        if (call) tmli_error_append(r->err, "(Quote an expression with commas inside [ ].)");
        return st;
    }
    for (int i = 0; i < n->count; i++) {
        if (planar && (torque ? i < 2 : i == 2)) {
            const tml_status st = expect_zero(r, n->items[i], w);
            if (st != TML_OK) return st;
            continue;
        }
        const tml_status st = tmli_value_text(r, n->items[i], w, &out[i]);
        if (st != TML_OK) return st;
    }
    return TML_OK;
}

// What a text of a field is.
static const char *text_of(const tmli_field *f, const tmli_where *w)
{
    const bool channels = w->what && strcmp(w->what, "run") == 0 && strcmp(f->key, "record") == 0;
    switch (f->kind) {
    case TMLI_FIELD_REFERENCE: return "a frame: ground, body, ground.frame or body.frame";
    case TMLI_FIELD_BODY: return "the name of a body";
    case TMLI_FIELD_ROAD: return "the name of a road";
    case TMLI_FIELD_COORDINATE: return "a coordinate, such as pin.angle";
    case TMLI_FIELD_EXPRESSION: return "one expression";
    default: return channels ? "one text such as 'pin.*, bob.y'" : "a text";
    }
}

// A list of coordinates, or one of them.
static tml_status value_coordinates(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, int *count,
                                    const char *out[TML_ACTUATORS])
{
    *count = 0;
    if (n->kind == TMLI_NODE_SCALAR) {
        *count = 1;
        return tmli_value_text(r, n, w, &out[0]);
    }
    char want[80];
    snprintf(want, sizeof want, "a joint coordinate or a list of 1 to %d of them", TML_ACTUATORS);
    if (n->kind != TMLI_NODE_LIST || n->count < 1 || n->count > TML_ACTUATORS)
        return tmli_value_fail(r, n, w, want);
    tml_status st = TML_OK;
    for (int i = 0; i < n->count && st == TML_OK; i++) st = tmli_value_text(r, n->items[i], w, &out[i]);
    *count = n->count;
    return st;
}

static tml_status value_augment(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, double *out)
{
    static const char *const words[] = {"false", "true", "off", "on"};
    for (int i = 0; i < 4; i++)
        if (n->kind == TMLI_NODE_SCALAR && strcmp(n->text, words[i]) == 0) {
            *out = i % 2;
            return TML_OK;
        }
    if (n->kind != TMLI_NODE_SCALAR) return tmli_value_fail(r, n, w, "a number, true or false");
    return tmli_value_number(r, n, w, out);
}

static tml_status value_load(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, bool *of_reaction,
                             double *out)
{
    *of_reaction = n->kind == TMLI_NODE_SCALAR && strcmp(n->text, "reaction") == 0;
    if (*of_reaction) return TML_OK;
    if (n->kind != TMLI_NODE_SCALAR) return tmli_value_fail(r, n, w, "a number or reaction");
    return tmli_value_number(r, n, w, out);
}

static tml_status value_spin(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, double out[3])
{
    if (r->spec->planar && n->kind == TMLI_NODE_SCALAR) {
        out[0] = out[1] = 0;
        return tmli_value_number(r, n, w, &out[2]);
    }
    if (r->spec->planar && n->kind != TMLI_NODE_LIST)
        return tmli_value_fail(r, n, w, "a number (about z) or a list of 3 numbers");
    return tmli_value_numbers(r, n, w, 3, out);
}

static tml_status value_gravity(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, double out[3])
{
    if (n->kind != TMLI_NODE_SCALAR) return tmli_value_vector(r, n, w, out);
    double g = 0;
    const tml_status st = tmli_value_number(r, n, w, &g);
    if (st == TML_OK && g < 0) {
        char buf[32];
        return tmli_fail_at(r->err, TML_ERR_MODEL, n->at,
                            "'gravity' is %s, expected a number >= 0: one number is the acceleration "
                            "downwards, along %s. Give the components for another direction, such as %s.",
                            tmli_dtoa(g, buf), r->spec->planar ? "-y" : "-z",
                            r->spec->planar ? "[0, -9.81]" : "[0, 0, -9.81]");
    }
    out[0] = out[1] = out[2] = 0;
    out[r->spec->planar ? 1 : 2] = g == 0 ? 0 : -g;
    return st;
}

static tml_status value_count(tmli_reader *r, const tmli_yaml_node *n, const tmli_where *w, int *out)
{
    char where[160], buf[32];
    double x = 0;
    const tml_status st = tmli_value_integer(r, n, w, &x);
    if (st != TML_OK) return st;
    if (fabs(x) > INT_MAX)
        return tmli_fail_at(r->err, TML_ERR_MODEL, n->at, "%s is %s, which is too large.",
                            tmli_where_text(w, where), tmli_dtoa(x, buf));
    *out = (int)x;
    return TML_OK;
}

// A map with the fields of f->sub, into the structure p.
static tml_status value_block(tmli_reader *r, const tmli_field *f, const tmli_yaml_node *n,
                              const tmli_where *w, void *p)
{
    if (n->kind != TMLI_NODE_MAP) {
        char want[320] = "a map with";
        size_t used = strlen(want);
        for (int i = 0; i < f->sub->nfields && used < sizeof want; i++)
            used += (size_t)snprintf(want + used, sizeof want - used, "%s %s", i ? "," : "",
                                     f->sub->fields[i].key);
        return tmli_value_fail(r, n, w, want);
    }
    tml_status st = tmli_entry_check_keys(r, f->sub, -1, w->name, n);
    for (int i = 0; i < f->sub->nfields && st == TML_OK; i++) {
        const tmli_field *inner = &f->sub->fields[i];
        const tmli_yaml_node *value = tmli_yaml_node_get(n, inner->key);
        const tmli_where at = {f->sub->name, w->name, inner->key};
        if (value) st = tmli_value_field(r, inner, value, &at, p);
        else if (inner->required)
            st = tmli_fail_at(r->err, TML_ERR_SYNTAX, n->at, "%s of '%.80s' lacks the key '%s': %s.",
                              f->sub->name, w->name, inner->key, inner->doc);
    }
    return st;
}

// A word, or a map with the fields of f->sub; the last of the words stands for the map.
static tml_status value_scaling(tmli_reader *r, const tmli_field *f, const tmli_yaml_node *n,
                                const tmli_where *w, void *def)
{
    int *const out = (int *)(void *)((char *)def + f->offset);
    if (n->kind != TMLI_NODE_MAP) return value_choice(r, f, n, w, out);
    const tmli_key_choice *given = f->choices;
    while (given[1].name) given++;
    *out = given->value;
    return value_block(r, f, n, w, (char *)def + f->flag);
}

tml_status tmli_value_field(tmli_reader *r, const tmli_field *f, const tmli_yaml_node *n, const tmli_where *w,
                            void *def)
{
    void *p = (char *)def + f->offset;
    tml_status st = TML_OK;
    if (tmli_field_stored(f).texts == 1) {
        if (n->kind != TMLI_NODE_SCALAR) return tmli_value_fail(r, n, w, text_of(f, w));
        return tmli_value_text(r, n, w, p);
    }
    switch (f->kind) {
    case TMLI_FIELD_COORDINATES: return value_coordinates(r, n, w, (int *)(void *)((char *)def + f->flag), p);
    case TMLI_FIELD_FORCE3:
    case TMLI_FIELD_TORQUE3: return value_components(r, f, n, w, p);
    case TMLI_FIELD_NUMBER:
        st = tmli_value_number(r, n, w, p);
        if (st == TML_OK &&
            (strcmp(f->unit, "rad") == 0 || (r->along_angle && strcmp(f->unit, "m or rad") == 0)))
            tmli_value_note_degrees(r, n, w, *(double *)p);
        return st;
    case TMLI_FIELD_INTEGER: return value_count(r, n, w, p);
    case TMLI_FIELD_AUGMENT: return value_augment(r, n, w, p);
    case TMLI_FIELD_LOAD: return value_load(r, n, w, (bool *)(void *)((char *)def + f->flag), p);
    case TMLI_FIELD_BOOL: return value_bool(r, n, w, p);
    case TMLI_FIELD_SCALING: return value_scaling(r, f, n, w, def);
    case TMLI_FIELD_CHOICE: return value_choice(r, f, n, w, p);
    case TMLI_FIELD_BOOL_CHOICE: {
        int value = 0;
        st = value_choice(r, f, n, w, &value);
        *(bool *)p = value != 0;
        return st;
    }
    case TMLI_FIELD_VECTOR:
    case TMLI_FIELD_AXIS: st = tmli_value_vector(r, n, w, p); break;
    case TMLI_FIELD_SPIN: return value_spin(r, n, w, p);
    case TMLI_FIELD_GRAVITY: return value_gravity(r, n, w, p);
    case TMLI_FIELD_QUATERNION:
    case TMLI_FIELD_VECTOR6: return tmli_value_numbers(r, n, w, tmli_field_stored(f).numbers, p);
    case TMLI_FIELD_ROTATION: return tmli_value_rotation(r, n, w, p);
    case TMLI_FIELD_INERTIA: return value_inertia(r, n, w, p);
    case TMLI_FIELD_MATRIX6: return value_matrix6(r, n, w, p);
    case TMLI_FIELD_BLOCK: st = value_block(r, f, n, w, p); break;
    case TMLI_FIELD_TABLE: return value_table(r, f, n, w, (int *)(void *)((char *)def + f->flag), p);
    case TMLI_FIELD_LIST:
    case TMLI_FIELD_POINTS: return value_list(r, f, n, w, (int *)(void *)((char *)def + f->flag), p);
    case TMLI_FIELD_GRID: return value_grid(r, n, w, (int *)(void *)((char *)def + f->flag), p);
    default: return tmli_value_fail(r, n, w, "a supported value");
    }
    if (st == TML_OK && f->flag) *(bool *)((char *)def + f->flag) = true;
    return st;
}
