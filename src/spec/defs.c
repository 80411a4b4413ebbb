// Adding definitions: check one definition, register its name, copy it with its texts into the spec. A failed
// call changes nothing visible (texts may stay in the arena until the spec is destroyed). One function serves
// all kinds of entries: the schema says where a definition has its texts and tables.
#include "spec/names.h"
#include "spec/schema.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static tml_status no_memory(const tmli_check *c)
{
    return tmli_fail(c->err, TML_ERR_NOMEM, "No memory for %s '%s'.", c->schema->name,
                     c->name ? c->name : "");
}

// Arrays grow when their count reaches a power of two >= 8, so the capacity needs no field of its own.
static void *grown(const tml_spec *spec, void *items, int count, size_t size)
{
    if (items && (count < 8 || (count & (count - 1)) != 0)) return items;
    return tmli_regrow(&spec->env, items, (size_t)count, count < 8 ? 8 : 2 * (size_t)count, size);
}

static tml_status check_size(const tmli_check *c, const void *def, size_t found)
{
    const size_t want = c->schema->def_size;
    if (def && found == want) return TML_OK;
    return tmli_fail(c->err, TML_ERR_ARG,
                     "The %s definition has size %zu, expected %zu: start from tml_%s_def_default().",
                     c->schema->name, found, want, c->schema->name);
}

static tml_status check_free(const tmli_check *c, const tml_spec *spec, tmli_name_space space,
                             const char *name, const char *second)
{
    const tmli_taken *t = tmli_names_find(spec, space, name, second);
    if (!t) return TML_OK;
    const tml_mark at = c->entry ? c->entry->at : (tml_mark){0};
    char label[128];
    snprintf(label, sizeof label, "%.60s%s%.60s", name, second ? "." : "", second ? second : "");
    if (t->at.line == 0)
        return tmli_fail_at(c->err, TML_ERR_NAME, at, "The name '%s' is already used by a %s.", label,
                            t->what);
    if (t->at.file && at.file && strcmp(t->at.file, at.file) != 0)
        return tmli_fail_at(c->err, TML_ERR_NAME, at, "The name '%s' is already used by the %s at %s:%d.",
                            label, t->what, t->at.file, t->at.line);
    return tmli_fail_at(c->err, TML_ERR_NAME, at, "The name '%s' is already used by the %s in line %d.",
                        label, t->what, t->at.line);
}

static bool copy_text(tml_spec *spec, const char **text)
{
    if (!*text) return true;
    *text = tmli_arena_strdup(&spec->arena, *text);
    return *text != NULL;
}

static bool copy_entry(tml_spec *spec, const tmli_entry *from, tmli_entry *to)
{
    *to = (tmli_entry){0};
    if (!from) return true;
    to->at = from->at;
    if (from->nfields == 0) return true;
    tmli_field_mark *marks = tmli_arena_alloc(&spec->arena, (size_t)from->nfields, sizeof *marks);
    if (!marks) return false;
    memcpy(marks, from->fields, (size_t)from->nfields * sizeof *marks);
    to->fields = marks;
    to->nfields = from->nfields;
    return true;
}

// width: numbers of a row
static bool copy_table(tml_spec *spec, int width, int count, const double **table)
{
    if (count == 0) {
        *table = NULL;
        return true;
    }
    const size_t size = (size_t)width * (size_t)count;
    double *rows = tmli_arena_alloc(&spec->arena, size, sizeof *rows);
    if (rows) memcpy(rows, *table, size * sizeof *rows);
    *table = rows;
    return rows != NULL;
}

// Texts and tables of the fields of a definition or of a map in it.
static bool copy_fields(tml_spec *spec, const tmli_schema *s, char *def)
{
    bool ok = true;
    for (int i = 0; i < s->nfields && ok; i++) {
        const tmli_field *f = &s->fields[i];
        const char **texts = (const char **)(void *)(def + f->offset);
        for (int k = 0; k < tmli_field_stored(f).texts && ok; k++) ok = copy_text(spec, &texts[k]);
        if (tmli_field_width(f) > 0)
            ok = copy_table(spec, tmli_field_width(f), *(const int *)(void *)(def + f->flag),
                            (const double **)(void *)(def + f->offset));
        if (f->kind == TMLI_FIELD_BLOCK && f->sub->def_size > 0 && ok)
            ok = copy_fields(spec, f->sub, def + f->offset);
    }
    return ok;
}

// Copy the texts and tables to which a definition points.
static bool copy_contents(tml_spec *spec, const tmli_schema *s, char *def)
{
    bool ok = copy_text(spec, (const char **)(void *)(def + s->entry->name));
    if (s->entry->owner) ok = ok && copy_text(spec, (const char **)(void *)(def + s->entry->owner));
    for (int i = 0; i < s->entry->ntexts && ok; i++)
        ok = copy_text(spec, (const char **)(void *)(def + s->entry->texts) + i);
    return ok && copy_fields(spec, s, def);
}

static tml_status check_type(tmli_check *c, const char *def)
{
    const tmli_schema *s = c->schema;
    if (!s->types) return TML_OK;
    const int type = *(const int *)(const void *)(def + tmli_schema_find(s, "type", -1)->offset);
    for (const tmli_key_choice *t = s->types; t->name; t++)
        if (t->value == type) {
            c->type = type;
            return TML_OK;
        }
    return tmli_check_fail(c, TML_ERR_ARG, "type", "'type' is %d, which is not a type of %s.", type, s->name);
}

tml_status tmli_spec_add(tml_spec *spec, const tmli_schema *s, const void *def, const tmli_entry *entry,
                         tml_error *err)
{
    const tmli_entry_ops *ops = s->entry;
    tmli_check c = {s, 0, NULL, entry, spec->planar, &spec->env, err};
    tmli_any_def fallback;
    tml_status st = check_size(&c, def, def ? *(const size_t *)def : 0);
    if (st != TML_OK) return st;
    tmli_any_entry e = {0};
    char *const copy = (char *)&e.def;
    memcpy(copy, def, s->def_size);
    const char **const name = (const char **)(void *)(copy + ops->name);
    const char **const owner = ops->owner ? (const char **)(void *)(copy + ops->owner) : NULL;
    c.name = *name;
    if (owner && (!*owner || !tmli_is_identifier(*owner, strlen(*owner))))
        return tmli_check_fail(&c, TML_ERR_NAME, "body",
                               "'body' is '%s', expected the name of a body or ground.",
                               *owner ? *owner : "");
    ops->start(&fallback, NULL);
    st = tmli_check_name(&c, *name);
    if (st == TML_OK) st = check_type(&c, copy);
    if (st == TML_OK) st = check_free(&c, spec, ops->space, owner ? *owner : *name, owner ? *name : NULL);
    if (st == TML_OK) st = tmli_check_def(&c, copy, &fallback);
    if (st == TML_OK && ops->check) st = ops->check(&c, copy);
    if (st == TML_OK) st = tmli_names_reserve(spec, err);
    if (st != TML_OK) return st;

    void **const items = (void **)(void *)((char *)spec + ops->items);
    int *const count = (int *)(void *)((char *)spec + ops->count);
    const size_t size = offsetof(tmli_any_entry, def) + s->def_size;
    void *const more = grown(spec, *items, *count, size);
    if (more) *items = more;
    if (!more || !copy_contents(spec, s, copy) || !copy_entry(spec, entry, &e.at)) return no_memory(&c);
    tmli_names_put(spec, &(tmli_taken){owner ? *owner : *name, owner ? *name : NULL, s->name, e.at.at,
                                       ops->space, *count});
    e.at.derived = spec->expanding > 0;
    e.at.first_state = spec->nstates;
    memcpy((char *)more + (size_t)(*count)++ * size, &e, size);
    if (!ops->expand) return TML_OK;
    spec->expanding++;
    st = ops->expand(spec, copy, entry, err);
    spec->expanding--;
    return st;
}

// The factor of a scaling by hand: without a part it would be 0, and the constraints would vanish.
static tml_status check_scale(const tmli_check *c, const tml_run_def *def)
{
    const double part[3] = {def->scale.k, def->scale.d, def->scale.m};
    char a[32];
    if (def->scaling != TML_SCALING_GIVEN) return TML_OK;
    for (int i = 0; i < 3; i++)
        if (!(part[i] >= 0 && isfinite(part[i])))
            return tmli_check_fail(c, TML_ERR_MODEL, "scaling",
                                   "'%c' of 'scaling' is %s, expected a number >= 0.", "kdm"[i],
                                   tmli_dtoa(part[i], a));
    if (part[0] + part[1] + part[2] > 0) return TML_OK;
    return tmli_check_fail(c, TML_ERR_MODEL, "scaling",
                           "the factor of 'scaling' is 0: give k, d or m of s = k + d/h + m/h^2, such as "
                           "{k: 1e3, m: 1}.");
}

tml_status tmli_spec_set_run(tml_spec *spec, const tml_run_def *def, const tmli_entry *entry, tml_error *err)
{
    const tmli_check c = {&tmli_schema_run, 0, NULL, entry, spec->planar, &spec->env, err};
    const tml_run_def fallback = tml_run_def_default();
    char a[32], b[32];
    tml_status st = check_size(&c, def, def ? def->size : 0);
    if (st == TML_OK) st = tmli_check_def(&c, def, &fallback);
    if (st == TML_OK && !(def->end > def->start))
        st = tmli_check_fail(&c, TML_ERR_MODEL, "end", "'end' is %s, expected a time after 'start', %s.",
                             tmli_dtoa(def->end, a), tmli_dtoa(def->start, b));
    if (st == TML_OK && def->max_step > 0 && def->min_step > def->max_step)
        st = tmli_check_fail(&c, TML_ERR_MODEL, "min_step", "'min_step' is %s, more than 'max_step', %s.",
                             tmli_dtoa(def->min_step, a), tmli_dtoa(def->max_step, b));
    if (st == TML_OK && !isnan(def->control_from) && !(def->step > 0))
        st = tmli_check_fail(&c, TML_ERR_MODEL, "control_from",
                             "'control_from' ends the fixed steps of 'step', which is not given.");
    if (st == TML_OK) st = check_scale(&c, def);
    if (st != TML_OK) return st;
    const char *key = isnan(def->rtol) ? "tol" : "rtol";
    const double rtol = isnan(def->rtol) ? def->tol : def->rtol;
    if (rtol >= 1)
        return tmli_check_fail(&c, TML_ERR_MODEL, key, "'%s' is %s, expected less than 1.", key,
                               tmli_dtoa(rtol, a));
    const double rows = def->output_step > 0 ? (def->end - def->start) / def->output_step : 0;
    if (rows > TMLI_ROWS)
        return tmli_check_fail(&c, TML_ERR_MODEL, "output_step",
                               "'output_step' is %s, which makes %.3g rows; at most %g are allowed.",
                               tmli_dtoa(def->output_step, a), rows, TMLI_ROWS);
    tml_run_def run = *def;
    tmli_entry at;
    if (!copy_text(spec, &run.method) || !copy_text(spec, &run.solver) || !copy_text(spec, &run.record) ||
        !copy_entry(spec, entry, &at))
        return no_memory(&c);
    spec->run = run;
    spec->run_at = at;
    return TML_OK;
}

tml_status tmli_spec_add_parameter(tml_spec *spec, const char *name, double value, tml_error *err)
{
    const tmli_check c = {NULL, 0, name, NULL, spec->planar, &spec->env, err};
    tml_status st = tmli_check_name(&c, name);
    if (st == TML_OK) st = check_free(&c, spec, TMLI_SPACE_PARAMETERS, name, NULL);
    if (st == TML_OK) st = tmli_names_reserve(spec, err);
    if (st != TML_OK) return st;
    const char **names = grown(spec, (void *)spec->param_names, spec->nparams, sizeof *names);
    if (names) spec->param_names = names;
    double *values = names ? grown(spec, spec->param_values, spec->nparams, sizeof *values) : NULL;
    if (values) spec->param_values = values;
    const char *copy = values ? tmli_arena_strdup(&spec->arena, name) : NULL;
    if (!copy) return tmli_fail(err, TML_ERR_NOMEM, "No memory for parameter '%s'.", name);
    tmli_names_put(spec, &(tmli_taken){copy, NULL, "parameter", {0}, TMLI_SPACE_PARAMETERS, spec->nparams});
    spec->param_names[spec->nparams] = copy;
    spec->param_values[spec->nparams++] = value;
    return TML_OK;
}

// The public function of each kind.
#define ADD(kind)                                                                               \
    tml_status tml_spec_add_##kind(tml_spec *spec, const tml_##kind##_def *def, tml_error *err) \
    {                                                                                           \
        if (!spec || !def) return tmli_null_argument(err, "tml_spec_add_" #kind);               \
        return tmli_spec_add(spec, &tmli_schema_##kind, def, NULL, err);                        \
    }

ADD(body)
ADD(frame)
ADD(beam)
ADD(modal)
ADD(joint)
ADD(road)
ADD(force)
ADD(shape)
ADD(contact)
ADD(output)
ADD(event)
ADD(state)
ADD(input)
ADD(table)
