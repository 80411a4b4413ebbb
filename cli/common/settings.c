// Settings of a run: options from the schema of the run block, and the block overridden by the given options.
#include "settings.h"

#include "base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/integrator.h>
#include <trammel/linsolver.h>

// ---- exceptions from the schema ---------------------------------------------------------------------------

typedef struct special {
    const char *key;
    cli_group group;
    const char *arg;                 // NULL: by the kind
    const tmli_key_choice *aliases;  // words in addition to those of the schema
    bool no_option;                  // a command has an option of its own for it
    bool positive;                   // 0, which means "not given" in a file, is not allowed
    const char *doc;                 // NULL: the schema's, with the unit
} special;

static const tmli_key_choice scaling_aliases[] = {
    {"on", TML_SCALING_PHYSICAL, NULL}, {"off", TML_SCALING_NONE, NULL}, {NULL, 0, NULL}};
static const tmli_key_choice augment_words[] = {{"on", 1, NULL}, {"off", 0, NULL}, {NULL, 0, NULL}};

static const special specials[] = {
    {.key = "start", .group = CLI_GROUP_TIME, .arg = "T"},
    {.key = "end", .group = CLI_GROUP_TIME, .arg = "T"},
    {.key = "output_step",
     .group = CLI_GROUP_OUTPUT,
     .arg = "DT",
     .positive = true,
     .doc = "time between two rows of the results [s]"},
    {.key = "record", .no_option = true},
    {.key = "method",
     .group = CLI_GROUP_METHOD,
     .arg = "NAME",
     .doc = "integration method; 'trammel methods' lists them; auto chooses by the model"},
    {.key = "tol",
     .group = CLI_GROUP_ACCURACY,
     .doc = "tolerance: sets --rtol and --atol, which control the step size"},
    {.key = "rtol", .group = CLI_GROUP_ACCURACY},
    {.key = "atol", .group = CLI_GROUP_ACCURACY},
    {.key = "step",
     .group = CLI_GROUP_ACCURACY,
     .arg = "H",
     .positive = true,
     .doc = "fixed step size [s] instead of a tolerance"},
    {.key = "control_from", .group = CLI_GROUP_ACCURACY, .arg = "T"},
    {.key = "max_step", .group = CLI_GROUP_STEPS, .arg = "H", .positive = true},
    {.key = "min_step", .group = CLI_GROUP_STEPS, .arg = "H", .positive = true},
    {.key = "control", .group = CLI_GROUP_STEPS, .arg = "WHAT"},
    {.key = "switches",
     .group = CLI_GROUP_STEPS,
     .doc = "locate the jumps and kinks of expressions and end steps there; off leaves them to the error "
            "control"},
    {.key = "repeat_steps", .group = CLI_GROUP_STEPS},
    {.key = "contacts",
     .group = CLI_GROUP_STEPS,
     .arg = "HOW",
     .doc = "impacts of rigid contacts: located, or captured by steps of the size --step"},
    {.key = "rho", .group = CLI_GROUP_FORMULA},
    {.key = "alpha", .group = CLI_GROUP_FORMULA},
    {.key = "placement", .group = CLI_GROUP_FORMULA, .arg = "WHERE"},
    {.key = "constraint_point", .group = CLI_GROUP_FORMULA, .arg = "WHERE"},
    {.key = "max_order", .group = CLI_GROUP_FORMULA, .arg = "K"},
    {.key = "gamma", .group = CLI_GROUP_FORMULA, .arg = "X"},
    {.key = "epsilon", .group = CLI_GROUP_FORMULA, .arg = "X"},
    {.key = "index", .group = CLI_GROUP_FORMULA, .arg = "N"},
    {.key = "redundancy", .group = CLI_GROUP_FORMULA, .arg = "BY"},
    {.key = "coordinates", .group = CLI_GROUP_FORMULA},
    {.key = "jacobian", .group = CLI_GROUP_FORMULA, .arg = "FROM"},
    {.key = "estimate", .group = CLI_GROUP_FORMULA},
    {.key = "solver", .group = CLI_GROUP_EQUATIONS, .arg = "NAME"},
    {.key = "scaling",
     .group = CLI_GROUP_EQUATIONS,
     .arg = "KIND|k=X,d=X,m=X",
     .aliases = scaling_aliases,
     .doc = "scaling of Newton's equations"},
    {.key = "augment",
     .group = CLI_GROUP_EQUATIONS,
     .arg = "on|off|X",
     .doc = "augmented-Lagrangian penalty in units of the scaling; on: 1"},
    {.key = "fields", .group = CLI_GROUP_EQUATIONS, .arg = "N"},
    {.key = "iterate", .group = CLI_GROUP_EQUATIONS, .arg = "UNTIL"},
};

static special special_of(const tmli_field *f)
{
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (strcmp(specials[i].key, f->key) == 0) return specials[i];
    return (special){.key = f->key, .group = CLI_GROUP_EQUATIONS};
}

// ---- options ----------------------------------------------------------------------------------------------

// Name and text of one option, derived from its key.
typedef struct option_text {
    char name[40], doc[400];
} option_text;

// The expanded table and its texts, one block of memory.
typedef struct expansion {
    option_text texts[CLI_SETTINGS_MAX];
    int ntexts, count;
    cli_option options[];
} expansion;

static cli_option_kind kind_of(const tmli_field *f)
{
    switch (f->kind) {
    case TMLI_FIELD_NUMBER:
    case TMLI_FIELD_AUGMENT: return CLI_NUMBER;
    case TMLI_FIELD_INTEGER: return CLI_INTEGER;
    case TMLI_FIELD_BOOL: return CLI_SWITCH;
    case TMLI_FIELD_CHOICE: return CLI_CHOICE;
    case TMLI_FIELD_SCALING: return CLI_FACTORS;
    default: return CLI_TEXT;
    }
}

static const char *arg_of(cli_option_kind kind)
{
    switch (kind) {
    case CLI_NUMBER: return "X";
    case CLI_INTEGER: return "N";
    case CLI_SWITCH: return "on|off";
    case CLI_CHOICE: return "KIND";
    default: return "NAME";
    }
}

// "true" becomes "on", "0: no limit" becomes "no limit".
static const char *fallback_of(const tmli_field *f)
{
    if (f->kind == TMLI_FIELD_BOOL || f->kind == TMLI_FIELD_AUGMENT)
        return strcmp(f->fallback, "true") == 0 ? "on" : "off";
    if (strncmp(f->fallback, "0: ", 3) == 0) return f->fallback + 3;
    return f->fallback[0] ? f->fallback : NULL;
}

void cli_settings_option(const char *key, char *out, size_t size)
{
    snprintf(out, size, "--%s", key);
    for (char *c = out + 2; *c; c++)
        if (*c == '_') *c = '-';
}

static void write_doc(const tmli_field *f, char *out, size_t size)
{
    snprintf(out, size, f->unit[0] ? "%s [%s]" : "%s", f->doc, f->unit);
    for (char *c = out; *c; c++)
        if (*c == '`') *c = '\'';
}

static cli_option make_option(int index, const cli_option *row, option_text *text)
{
    const tmli_field *f = &tmli_schema_run.fields[index];
    const special own = special_of(f);
    const cli_option_kind kind = kind_of(f);
    cli_settings_option(f->key, text->name, sizeof text->name);
    write_doc(f, text->doc, sizeof text->doc);
    return (cli_option){
        .name = text->name,
        .kind = kind,
        .range = own.positive ? TMLI_RANGE_POSITIVE : f->range,
        .offset = row->offset + offsetof(cli_settings, def) + f->offset,
        .part = row->offset + offsetof(cli_settings, def) + f->flag,
        .given = row->offset + offsetof(cli_settings, given) + (size_t)index * sizeof(bool),
        .arg = own.arg ? own.arg : arg_of(kind),
        .words = f->kind == TMLI_FIELD_AUGMENT ? augment_words : f->choices,
        .aliases = own.aliases,
        .fallback = row->doc ? NULL : fallback_of(f),  // the text of the command gives it
        .doc = row->doc  ? row->doc
               : own.doc ? own.doc
                         : text->doc,
        .brief = row->brief,
    };
}

static bool named_in(const cli_table *table, const char *name)
{
    for (int i = 0; i < table->count; i++)
        if (table->options[i].kind == CLI_SETTING && strcmp(table->options[i].name, name) == 0) return true;
    return false;
}

// Append the options that a row of the table stands for.
static void expand_row(expansion *e, const cli_table *table, const cli_option *row)
{
    for (int i = 0; i < tmli_schema_run.nfields; i++) {
        char name[sizeof e->texts->name];
        cli_settings_option(tmli_schema_run.fields[i].key, name, sizeof name);
        const bool wanted =
            row->kind == CLI_SETTING
                ? strcmp(row->name, name) == 0
                : (int)special_of(&tmli_schema_run.fields[i]).group == row->group && !named_in(table, name);
        if (wanted && !special_of(&tmli_schema_run.fields[i]).no_option)
            e->options[e->count++] = make_option(i, row, &e->texts[e->ntexts++]);
    }
}

tml_status cli_settings_expand(const cli_table *table, cli_table *out, tml_error *err)
{
    *out = (cli_table){0};
    const size_t room = (size_t)table->count + CLI_SETTINGS_MAX;
    if (tmli_schema_run.nfields > CLI_SETTINGS_MAX)
        return tmli_fail(err, TML_ERR_ARG, "The run block has more than %d keys.", CLI_SETTINGS_MAX);
    expansion *e = calloc(1, sizeof *e + room * sizeof *e->options);
    if (!e) return tmli_fail(err, TML_ERR_NOMEM, "No memory for the options.");
    for (int i = 0; i < table->count; i++) {
        const cli_option *row = &table->options[i];
        if (row->kind == CLI_SETTING || row->kind == CLI_SETTINGS) expand_row(e, table, row);
        else e->options[e->count++] = *row;
    }
    *out = (cli_table){e->options, e->count, e};
    return TML_OK;
}

// ---- checks -----------------------------------------------------------------------------------------------

static int index_of(const char *key)
{
    for (int i = 0; i < tmli_schema_run.nfields; i++)
        if (strcmp(tmli_schema_run.fields[i].key, key) == 0) return i;
    return -1;
}

bool cli_settings_given(const cli_settings *s, const char *key)
{
    const int i = index_of(key);
    return i >= 0 && s->given[i];
}

const char *cli_settings_other(const cli_settings *s, const char *key)
{
    for (int i = 0; i < tmli_schema_run.nfields; i++)
        if (s->given[i] && strcmp(tmli_schema_run.fields[i].key, key) != 0)
            return tmli_schema_run.fields[i].key;
    return NULL;
}

static tml_status check_name(const char *option, const char *name, const char *const *names, size_t count,
                             tml_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(name, names[i]) == 0) return TML_OK;
    const tmli_hint near = tmli_hint_word(name, names, count);
    return tmli_fail(err, TML_ERR_NAME, "%s: '%.60s' is unknown%s.", option, name,
                     near.text[0] ? near.text : "; 'trammel methods' lists what there is");
}

static tml_status check_names(const cli_settings *s, tml_error *err)
{
    enum { NAMES_MAX = 64 };
    const char *names[NAMES_MAX] = {"auto"};
    size_t count = 1;
    tml_status st = TML_OK;
    for (int i = 0; tml_methods[i] && count < NAMES_MAX; i++) names[count++] = tml_methods[i]->name;
    // a method that is not part of this build is found here; its creation fails with the reason
    if (cli_settings_given(s, "method") && !tml_method_find(s->def.method))
        st = check_name("--method", s->def.method, names, count, err);
    count = 1;
    for (int i = 0; tml_linsolvers[i] && count < NAMES_MAX; i++) names[count++] = tml_linsolvers[i]->name;
    if (st == TML_OK && cli_settings_given(s, "solver"))
        st = check_name("--solver", s->def.solver, names, count, err);
    return st;
}

static bool has_tolerance(const cli_settings *s)
{
    return cli_settings_given(s, "tol") || cli_settings_given(s, "rtol") || cli_settings_given(s, "atol");
}

static tml_status check(const cli_settings *s, cli_steps steps, tml_error *err)
{
    const tml_status st = check_names(s, err);
    if (st != TML_OK || !cli_settings_given(s, "step")) return st;
    if (steps == CLI_STEPS_CHOSEN && has_tolerance(s) && !cli_settings_given(s, "control_from"))
        return tmli_fail(err, TML_ERR_ARG,
                         "--step (fixed steps) and a tolerance (step-size control) exclude each other; give "
                         "only one of them, or --control-from T for control from a time on.");
    if (cli_settings_given(s, "max_step"))
        return tmli_fail(err, TML_ERR_ARG, "--max-step has no effect with --step.");
    if (cli_settings_given(s, "min_step"))
        return tmli_fail(err, TML_ERR_ARG, "--min-step has no effect with --step.");
    return TML_OK;
}

// ---- the run block overridden -----------------------------------------------------------------------------

static size_t size_of(const tmli_field *f)
{
    switch (kind_of(f)) {
    case CLI_NUMBER: return sizeof(double);
    case CLI_SWITCH: return sizeof(bool);
    case CLI_INTEGER:
    case CLI_FACTORS:
    case CLI_CHOICE: return sizeof(int);
    default: return sizeof(const char *);
    }
}

// A tolerance replaces the tolerances and the fixed step of the file, but for contacts that are captured by
// steps, which need it. A fixed step replaces the limits of the step size.
static void override(const cli_settings *s, tml_run_def *run)
{
    if (cli_settings_given(s, "tol")) run->rtol = run->atol = NAN;
    const tml_contacts contacts = cli_settings_given(s, "contacts") ? s->def.contacts : run->contacts;
    if (has_tolerance(s) && isnan(run->control_from) && contacts != TML_CONTACTS_CAPTURED) run->step = 0;
    if (cli_settings_given(s, "step")) run->max_step = run->min_step = 0;
    if (cli_settings_given(s, "scaling")) run->scale = s->def.scale;
    for (int i = 0; i < tmli_schema_run.nfields; i++) {
        const tmli_field *f = &tmli_schema_run.fields[i];
        if (s->given[i]) memcpy((char *)run + f->offset, (const char *)&s->def + f->offset, size_of(f));
    }
}

static tml_status override_run(tml_spec *spec, const cli_settings *s, tml_error *err)
{
    tml_run_def run = *tml_spec_run(spec);
    override(s, &run);
    const char *time = cli_settings_given(s, "end") ? "end" : "start";
    if (cli_settings_given(s, time) && !(run.end > run.start))
        return tmli_fail(err, TML_ERR_ARG, "--%s: the end time %g s is not after the start time %g s.", time,
                         run.end, run.start);
    const bool largest = cli_settings_given(s, "max_step"), smallest = cli_settings_given(s, "min_step");
    if ((largest || smallest) && run.max_step > 0 && run.min_step > run.max_step)
        return tmli_fail(err, TML_ERR_ARG, "--%s: the largest step, %g s, is less than the smallest, %g s.",
                         largest ? "max-step" : "min-step", run.max_step, run.min_step);
    return tml_spec_set_run(spec, &run, err);
}

tml_status cli_input_load(const cli_input *in, cli_steps steps, const tml_env *env, tml_spec **spec,
                          tml_model **model, tml_error *err)
{
    tml_spec *own = NULL;
    tml_status st = check(&in->settings, steps, err);
    if (st == TML_OK) st = cli_read_model(in->model, &in->set, &in->folders, in->files, env, &own, err);
    if (st == TML_OK) st = override_run(own, &in->settings, err);
    if (st == TML_OK) st = tml_model_build(own, model, err);
    if (spec) *spec = own;
    else tml_spec_destroy(own);
    return st;
}

// ---- settings in use --------------------------------------------------------------------------------------

static const char *word_of(const tmli_field *f, const tml_run_def *run)
{
    const int value = *(const int *)(const void *)((const char *)run + f->offset);
    for (const tmli_key_choice *k = f->choices; k->name; k++)
        if (k->value == value) return k->name;
    return "?";
}

const char *cli_settings_word(const tml_run_def *run, const char *key)
{
    return word_of(&tmli_schema_run.fields[index_of(key)], run);
}

void cli_settings_json(tmli_json *j, const tml_run_def *run)
{
    static const char *const elsewhere[] = {"method", "solver", "tol"};
    for (int i = 0; i < tmli_schema_run.nfields; i++) {
        const tmli_field *f = &tmli_schema_run.fields[i];
        const void *value = (const char *)run + f->offset;
        bool skip = false;
        for (size_t k = 0; k < sizeof elsewhere / sizeof *elsewhere; k++)
            skip |= strcmp(elsewhere[k], f->key) == 0;
        if (skip) continue;
        switch (kind_of(f)) {
        case CLI_INTEGER: tmli_json_number(j, f->key, *(const int *)value); break;
        case CLI_NUMBER:
            if (!isnan(*(const double *)value)) tmli_json_number(j, f->key, *(const double *)value);
            break;
        case CLI_SWITCH: tmli_json_bool(j, f->key, *(const bool *)value); break;
        case CLI_FACTORS:
        case CLI_CHOICE: tmli_json_text(j, f->key, word_of(f, run)); break;
        default: tmli_json_text(j, f->key, *(const char *const *)value); break;
        }
    }
}

void cli_settings_report(cli_report *r, const tml_run_def *run)
{
    if (r->kind != CLI_REPORT_JSON) return;
    cli_open(r, "settings", '{');
    cli_settings_json(&r->j, run);
    cli_close(r, '}');
}
