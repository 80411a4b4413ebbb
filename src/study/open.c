// The model of a study, built once with the values of its file: every name and expression of the study is
// checked against it, with positions in the study file.
#include "io/parsed.h"
#include "spec/spec.h"
#include "study/study.h"

#include <math.h>
#include <string.h>

// ---- settings ---------------------------------------------------------------------------------------------

static bool given(const tmli_study_settings *s, const char *key)
{
    for (int i = 0; i < tmli_schema_run.nfields; i++)
        if (s->given >> i & 1 && strcmp(tmli_schema_run.fields[i].key, key) == 0) return true;
    return false;
}

static size_t size_of(const tmli_field *f)
{
    switch (f->kind) {
    case TMLI_FIELD_NUMBER:
    case TMLI_FIELD_AUGMENT: return sizeof(double);
    case TMLI_FIELD_BOOL:
    case TMLI_FIELD_BOOL_CHOICE: return sizeof(bool);
    case TMLI_FIELD_WORD: return sizeof(const char *);
    default: return sizeof(int);
    }
}

// As the options of the command do: a tolerance replaces a fixed step, and the other way round.
void tmli_study_override(const tmli_study_settings *s, tml_run_def *run)
{
    const bool tolerance = given(s, "tol") || given(s, "rtol") || given(s, "atol");
    if (given(s, "tol")) run->rtol = run->atol = NAN;
    if (tolerance && isnan(run->control_from)) run->step = 0;
    if (given(s, "step")) run->max_step = run->min_step = 0;
    if (given(s, "scaling")) run->scale = s->def.scale;
    for (int i = 0; i < tmli_schema_run.nfields; i++) {
        const tmli_field *f = &tmli_schema_run.fields[i];
        if (s->given >> i & 1) memcpy((char *)run + f->offset, (const char *)&s->def + f->offset, size_of(f));
    }
}

// ---- names ------------------------------------------------------------------------------------------------

static tml_status unknown_parameter(const tml_study *s, const tmli_study_parameter *p, tml_error *err)
{
    const tml_spec *spec = s->spec;
    const size_t count = (size_t)spec->nparams + (size_t)spec->ninputs;
    const char **names = tmli_calloc(&s->env, count + 1, sizeof *names);
    for (int i = 0; i < spec->nparams && names; i++) names[i] = spec->param_names[i];
    for (int i = 0; i < spec->ninputs && names; i++) names[spec->nparams + i] = spec->inputs[i].def.name;
    tmli_fail_at(err, TML_ERR_NAME, p->at, "The model %s has no parameter or input '%s'%s.", s->model,
                 p->name, tmli_hint_list(p->name, names, count).text);
    tmli_free(&s->env, (void *)names);
    return TML_ERR_NAME;
}

static tml_status find_parameters(tml_study *s, tml_error *err)
{
    const tml_spec *spec = s->spec;
    s->in_place = tml_spec_run(spec)->begin == TML_BEGIN_GIVEN;
    for (int i = 0; i < s->nparameters; i++) {
        tmli_study_parameter *p = &s->parameter[i];
        bool found = false;
        for (int k = 0; k < spec->ninputs; k++)
            if (strcmp(spec->inputs[k].def.name, p->name) == 0) p->input = k;
        for (int k = 0; k < spec->nparams; k++) found |= strcmp(spec->param_names[k], p->name) == 0;
        if (!found && p->input < 0) return unknown_parameter(s, p, err);
        for (int k = 0; k < s->nset; k++)
            if (strcmp(s->set[k].name, p->name) == 0)
                return tmli_fail_at(err, TML_ERR_NAME, p->at,
                                    "The parameter '%s' is also in 'set', where it has one value.", p->name);
        s->in_place &= p->input >= 0;
    }
    return TML_OK;
}

// ---- expressions ------------------------------------------------------------------------------------------

typedef struct scope_data {
    tml_study *s;
    const tml_sim *sim;
    bool of_table;       // an expression of parameters and quantities, else of parameters and channels
    int quantities;      // so many of them may be used
    const char **names;  // for hints
    size_t count;
} scope_data;

// The number of a channel among those used; a new one is added. There is room for all.
static int use_channel(scope_data *d, int channel)
{
    tml_study *s = d->s;
    for (int i = 0; i < s->nused; i++)
        if (s->used_index[i] == channel) return i;
    s->used_index[s->nused] = channel;
    s->used[s->nused] = tmli_arena_strdup(&s->arena, tml_sim_channels(d->sim)[channel].name);
    return s->nused++;
}

static tmli_symbol_kind find_name(const char *name, double *value, int *slot, void *user)
{
    scope_data *d = user;
    const tml_study *s = d->s;
    (void)value;
    for (int i = 0; i < s->nparameters; i++)
        if (strcmp(s->parameter[i].name, name) == 0) {
            *slot = TMLI_SLOT_PARAMETER + i;
            return TMLI_SYMBOL_VARIABLE;
        }
    if (d->of_table) {
        for (int i = 0; i < d->quantities; i++)
            if (strcmp(s->quantity[i].name, name) == 0) {
                *slot = TMLI_SLOT_QUANTITY + i;
                return TMLI_SYMBOL_VARIABLE;
            }
        return TMLI_SYMBOL_UNKNOWN;
    }
    const int channel = tml_sim_channel_index(d->sim, name, NULL);
    if (channel < 0) return TMLI_SYMBOL_UNKNOWN;
    *slot = TMLI_SLOT_CHANNEL + use_channel(d, channel);
    return TMLI_SYMBOL_VARIABLE;
}

static size_t list_names(const char *const **names, void *user)
{
    scope_data *d = user;
    const tml_study *s = d->s;
    d->count = 0;
    for (int i = 0; i < s->nparameters; i++) d->names[d->count++] = s->parameter[i].name;
    for (int i = 0; i < d->quantities && d->of_table; i++) d->names[d->count++] = s->quantity[i].name;
    for (int i = 0; i < tml_sim_channel_count(d->sim) && !d->of_table; i++)
        d->names[d->count++] = tml_sim_channels(d->sim)[i].name;
    *names = d->names;
    return d->count;
}

static tml_status compile_optimize(tml_study *s, const tmli_scope *scope, tml_error *err)
{
    tmli_study_optimize *o = &s->optimize;
    if (!o->wanted) return TML_OK;
    tml_status st =
        tmli_expr_compile(o->minimize ? o->minimize : o->maximize, o->at, scope, &s->env, &o->expr, err);
    for (int i = 0; i < o->nconstraints && st == TML_OK; i++) {
        tmli_study_constraint *c = &o->constraint[i];
        st = tmli_expr_compile(c->text, c->at, scope, &s->env, &c->expr, err);
    }
    return st;
}

// A channel in an expression of quantities.
static void add_advice(tml_status st, bool of_table, tml_error *err)
{
    if (st == TML_ERR_NAME && of_table && err && !strstr(err->msg, "(is it"))
        tmli_error_append(err, "(A quantity of a channel is {of: CHANNEL, take: max}.)");
}

static tml_status compile(tml_study *s, const tml_sim *sim, tml_error *err)
{
    const size_t channels = (size_t)tml_sim_channel_count(sim);
    scope_data d = {.s = s, .sim = sim};
    if (!tmli_arena_alloc_all(&s->arena,
                              TMLI_ARRAY(d.names, channels + (size_t)(s->nparameters + s->nquantities) + 1),
                              TMLI_ARRAY(s->used, channels + 1), TMLI_ARRAY(s->used_index, channels + 1)))
        return tmli_no_memory(err, "study");
    const tmli_scope scope = {.name = find_name, .names = list_names, .user = &d};
    for (int i = 0; i < s->nquantities; i++) {
        tmli_study_quantity *q = &s->quantity[i];
        d.of_table = q->take == TMLI_TAKE_VALUE;
        d.quantities = i;
        const tml_status st =
            q->of ? tmli_expr_compile(q->of, q->of_at, &scope, &s->env, &q->expr, err) : TML_OK;
        if (st != TML_OK) {
            tmli_error_append(err, "(In quantity '%s'.)", q->name);
            add_advice(st, d.of_table, err);
            return st;
        }
        s->needs_modes |= TMLI_TAKES_ROOTS >> q->take & 1;
    }
    for (int i = 0; i < s->nused; i++)
        if (!s->used[i]) return tmli_no_memory(err, "study");
    d.of_table = true;
    d.quantities = s->nquantities;
    const tml_status st = compile_optimize(s, &scope, err);
    add_advice(st, true, err);
    return st;
}

static tml_status check_events(const tml_study *s, tml_error *err)
{
    const tml_spec *spec = s->spec;
    for (int i = 0; i < s->nquantities; i++) {
        const tmli_study_quantity *q = &s->quantity[i];
        bool found = !q->event && (q->take != TMLI_TAKE_EVENT_TIME || spec->nevents > 0);
        tmli_hint near = {""};
        for (int k = 0; k < spec->nevents && q->event; k++) {
            const char *name = spec->events[k].def.name;
            found |= strcmp(name, q->event) == 0;
            if (!near.text[0]) near = tmli_hint_of(q->event, &name, 1);
        }
        if (!found)
            return tmli_fail_at(err, TML_ERR_NAME, q->at, "quantity '%s': the model has no event%s%s%s%s.",
                                q->name, q->event ? " '" : "", q->event ? q->event : "", q->event ? "'" : "",
                                near.text);
    }
    return TML_OK;
}

// ---- the model --------------------------------------------------------------------------------------------

static tml_status read_model(tml_study *s, tml_error *err)
{
    tml_read_def def = tml_read_def_default();
    char *study = tmli_arena_strdup(&s->arena, s->path);
    if (!study) return tmli_no_memory(err, "study");
    char *slash = strrchr(study, '/');
    if (slash) slash[1] = 0;
    const char *folder = slash ? study : ".";  // of the study file, which the user has named
    def.path = s->model;
    def.parameters = s->set;
    def.parameter_count = s->nset;
    def.folders = &folder;
    def.folder_count = 1;
    tml_status st = tml_spec_read_def(&def, &s->env, &s->spec, err);
    if (st != TML_OK && err && !err->line) {  // a wrong name in `set`, a file that is not there
        const tml_error own = *err;
        tmli_fail_at(err, st, s->model_at, "%s", own.msg);
    }
    if (st != TML_OK) return st;
    for (int i = 0; i < tml_spec_source_count(s->spec); i++) {
        const tml_source *source = tml_spec_source(s->spec, i);
        s->signature = source->text
                           ? tmli_study_hash(s->signature, source->text, source->length)
                           : tmli_study_hash(s->signature, (const char *)&source->hash, sizeof source->hash);
    }
    s->signature = tmli_study_hash(s->signature, tml_version(), strlen(tml_version()));
    tml_run_def run = *tml_spec_run(s->spec);
    tmli_study_override(&s->settings, &run);
    return tml_spec_set_run(s->spec, &run, err);
}

// The files of the model once more, from memory.
static tml_status parse_again(tml_study *s, tml_error *err)
{
    tml_read_def def = tml_read_def_default();
    def.path = s->model;
    def.sources = tml_spec_source(s->spec, 0);
    def.source_count = tml_spec_source_count(s->spec);
    return tmli_parsed_create(&def, &s->env, &s->parsed, err);
}

// Read and build the model of the study, and compile the expressions.
static tml_status open_model(tml_study *s, tml_error *err)
{
    tml_sim *sim = NULL;
    tml_status st = read_model(s, err);
    if (st == TML_OK) st = find_parameters(s, err);
    if (st == TML_OK && !s->in_place) st = parse_again(s, err);
    if (st == TML_OK) st = check_events(s, err);
    if (st == TML_OK) st = tml_model_build(s->spec, &s->built, err);
    if (st == TML_OK) st = tml_sim_create(s->built, NULL, &sim, err);
    if (st == TML_OK) st = compile(s, sim, err);
    if (st == TML_OK) st = tmli_study_find_units(s, sim, err);
    tml_sim_destroy(sim);
    return st;
}

tml_status tml_study_read(const char *path, const tml_env *env, tml_study **out, tml_error *err)
{
    if (out) *out = NULL;
    if (!path || !out) return tmli_null_argument(err, "tml_study_read");
    tml_study *s = tmli_calloc(env, 1, sizeof *s);
    if (!s) return tmli_no_memory(err, "study");
    if (env) s->env = *env;
    s->arena.env = s->nodes.env = s->scratch.env = &s->env;
    tml_status st = tmli_study_parse(path, s, err);
    if (st == TML_OK) st = open_model(s, err);
    if (st == TML_OK) *out = s;
    else tml_study_destroy(s);
    return st;
}

void tml_study_destroy(tml_study *s)
{
    if (!s) return;
    const tml_env env = s->env;
    for (int i = 0; i < s->nquantities; i++) tmli_expr_destroy(s->quantity[i].expr);
    tmli_expr_destroy(s->optimize.expr);
    for (int i = 0; i < s->optimize.nconstraints; i++) tmli_expr_destroy(s->optimize.constraint[i].expr);
    tml_model_destroy(s->built);
    tmli_parsed_destroy(s->parsed);
    tml_spec_destroy(s->spec);
    tmli_arena_clear(&s->arena);
    tmli_arena_clear(&s->nodes);
    tmli_arena_clear(&s->scratch);
    tmli_free(&env, s);
}

const char *tml_study_title(const tml_study *s) { return s ? s->title : ""; }

const tml_spec *tml_study_spec(const tml_study *s) { return s ? s->spec : NULL; }
long tml_study_member_count(const tml_study *s) { return s ? s->members : 0; }
int tml_study_parameter_count(const tml_study *s) { return s ? s->nparameters : 0; }
int tml_study_quantity_count(const tml_study *s) { return s ? s->nquantities : 0; }
bool tml_study_in_place(const tml_study *s) { return s && s->in_place; }

const char *tml_study_parameter_name(const tml_study *s, int index)
{
    return s && index >= 0 && index < s->nparameters ? s->parameter[index].name : NULL;
}

const char *tml_study_quantity_name(const tml_study *s, int index)
{
    return s && index >= 0 && index < s->nquantities ? s->quantity[index].name : NULL;
}

tml_status tml_study_parameters(const tml_study *s, long member, double *values, tml_error *err)
{
    if (!s || !values) return tmli_null_argument(err, "tml_study_parameters");
    if (member < 0 || member >= s->members)
        return tmli_fail(err, TML_ERR_ARG, "there is no member %ld; the study has %ld, from 0 on", member,
                         s->members);
    if (s->optimize.wanted)
        return tmli_fail(err, TML_ERR_ARG, "the members of a search follow from those before them");
    tmli_sample(s, member, values);
    return TML_OK;
}

bool tml_study_optimizes(const tml_study *s) { return s && s->optimize.wanted; }
