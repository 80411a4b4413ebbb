// Every setting of a run is the same after a simulation was saved and loaded: all keys of the block `run`, by
// its schema, each with a value that is not its default.
#include "sim_fixture.h"
#include "spec/schema.h"

#include <stdlib.h>

static const char *const METHODS[] = {"genalpha", "hht", "midpoint", "for-sdirk", "trust-region", "bdf"};
static const double NUMBERS[] = {0.3, 1.7, -0.2, 1e-9};
static const int INTEGERS[] = {2, 4};

static void *at(tml_run_def *run, const tmli_field *f) { return (char *)run + f->offset; }

static bool same_number(double x, double y) { return x == y || (isnan(x) && isnan(y)); }

static bool same_text(const char *x, const char *y) { return strcmp(x ? x : "", y ? y : "") == 0; }

// x and y have the same value of the key.
static bool same(const tmli_field *f, const void *x, const void *y)
{
    const void *a = (const char *)x + f->offset, *b = (const char *)y + f->offset;
    switch (f->kind) {
    case TMLI_FIELD_NUMBER:
    case TMLI_FIELD_AUGMENT: return same_number(*(const double *)a, *(const double *)b);
    case TMLI_FIELD_BOOL: return *(const bool *)a == *(const bool *)b;
    case TMLI_FIELD_INTEGER:
    case TMLI_FIELD_CHOICE: return *(const int *)a == *(const int *)b;
    case TMLI_FIELD_SCALING:
        for (int i = 0; i < f->sub->nfields; i++)
            if (!same(&f->sub->fields[i], (const char *)x + f->flag, (const char *)y + f->flag)) return false;
        return *(const int *)a == *(const int *)b;
    case TMLI_FIELD_TEXT:
    case TMLI_FIELD_WORD: return same_text(*(const char *const *)a, *(const char *const *)b);
    default: fail_msg("%s: a kind that this test does not know", f->key); return false;
    }
}

// Set the k-th value of the key that is worth a trial; false: there are no more.
static bool set_value(tml_run_def *run, const tmli_field *f, int k)
{
    static const char *const words[] = {"klu", "bdf"};
    static char text[301];
    memset(text, 'a', sizeof text - 1);
    switch (f->kind) {
    case TMLI_FIELD_NUMBER:
    case TMLI_FIELD_AUGMENT:
        if (k < (int)(sizeof NUMBERS / sizeof *NUMBERS)) *(double *)at(run, f) = NUMBERS[k];
        return k < (int)(sizeof NUMBERS / sizeof *NUMBERS);
    case TMLI_FIELD_INTEGER:
        if (k < 2) *(int *)at(run, f) = INTEGERS[k];
        return k < 2;
    case TMLI_FIELD_BOOL: *(bool *)at(run, f) = !*(bool *)at(run, f); return k < 1;
    case TMLI_FIELD_SCALING: run->scale = (tml_scale_factor){.k = 0.7, .d = 0.2, .m = 0.9};  // fall through
    case TMLI_FIELD_CHOICE:
        for (int i = 0; i <= k; i++)
            if (!f->choices[i].name) return false;
        *(int *)at(run, f) = f->choices[k].value;
        return true;
    case TMLI_FIELD_TEXT: *(const char **)at(run, f) = text; return k < 1;
    case TMLI_FIELD_WORD:
        if (k < 2) *(const char **)at(run, f) = words[k];
        return k < 2;
    default: fail_msg("%s: a kind that this test does not know", f->key); return false;
    }
}

// Save and load a simulation with these settings; false: there is none with them.
static bool survives(const tml_model *model, const tml_run_def *run, const char *what)
{
    tml_error err = {0};
    tml_sim *sim = NULL, *loaded = NULL;
    if (tml_sim_create(model, run, &sim, &err) != TML_OK) return false;
    size_t size = 0;
    OK(tml_sim_save_memory(sim, NULL, 0, &size, &err));
    void *data = malloc(size);
    assert_non_null(data);
    OK(tml_sim_save_memory(sim, data, size, &size, &err));
    const tml_sim_def def = {.size = sizeof def, .model = model};
    OK(tml_sim_load_memory(&def, data, size, &loaded, &err));
    const tml_run_def *x = tml_sim_settings(sim), *y = tml_sim_settings(loaded);
    for (int i = 0; i < tmli_schema_run.nfields; i++)
        if (!same(&tmli_schema_run.fields[i], x, y))
            fail_msg("%s: '%s' is another one after loading", what, tmli_schema_run.fields[i].key);
    if (x->report != y->report) fail_msg("%s: 'report' is another one after loading", what);
    free(data);
    tml_sim_destroy(sim);
    tml_sim_destroy(loaded);
    return true;
}

static void every_key_is_kept(void **state)
{
    (void)state;
    tml_model *model = load_model("double_pendulum", (tml_parameter){0}, NULL);
    const tml_run_def defaults = tml_run_def_default();
    for (int i = 0; i < tmli_schema_run.nfields; i++) {
        const tmli_field *f = &tmli_schema_run.fields[i];
        int tried = strcmp(f->key, "contacts") == 0;  // below: models are built for it
        for (int k = 0;; k++) {
            tml_run_def run = defaults;
            if (!set_value(&run, f, k)) break;
            if (same(f, &run, &defaults)) continue;
            const bool own_method = strcmp(f->key, "method") == 0;
            for (size_t m = 0; m < sizeof METHODS / sizeof *METHODS; m++) {
                if (!own_method) run.method = METHODS[m];
                if (!survives(model, &run, f->key)) continue;
                tried++;
                break;
            }
        }
        if (tried == 0) fail_msg("no simulation has a value of '%s' that is not its default", f->key);
    }
    tml_run_def run = defaults;
    run.method = "genalpha";
    run.report = true;  // not a key
    assert_true(survives(model, &run, "report"));
    tml_model_destroy(model);
}

static void captured_contacts(void **state)
{
    (void)state;
    tml_model *model = load_model("contact/captured_boxes", (tml_parameter){0}, NULL);
    assert_int_equal(tml_model_run(model)->contacts, TML_CONTACTS_CAPTURED);
    assert_true(survives(model, tml_model_run(model), "contacts"));
    tml_run_def run = *tml_model_run(model);
    run.contacts = TML_CONTACTS_LOCATED;
    assert_false(survives(model, &run, "contacts"));
    tml_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_is_kept),
        cmocka_unit_test(captured_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
