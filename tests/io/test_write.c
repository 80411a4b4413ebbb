// A spec that is written and read again is the same: every field of every entry of the bundled models.
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include "io/write.h"
#include "spec/schema.h"
#include "spec/spec.h"

#include <glob.h>
#include <math.h>
#include <trammel/import.h>
#include <unistd.h>

static const char *now;  // what is compared, for messages

static void same_text(const char *a, const char *b, const char *key)
{
    if (!a != !b || (a && strcmp(a, b) != 0))
        fail_msg("%s: %s is '%s', written and read '%s'", now, key, a ? a : "(none)", b ? b : "(none)");
}

// Unit quaternions and directions are normalized when they are read: once more makes a rounding.
static void same_numbers(const double *a, const double *b, int count, const char *key)
{
    for (int i = 0; i < count; i++)
        if (!(fabs(a[i] - b[i]) <= 4e-16 * fabs(a[i])) && !(isnan(a[i]) && isnan(b[i])))
            fail_msg("%s: %s[%d] is %.17g, written and read %.17g", now, key, i, a[i], b[i]);
}

static int width_of(tmli_field_kind kind)
{
    switch (kind) {
    case TMLI_FIELD_NUMBER:
    case TMLI_FIELD_AUGMENT:
    case TMLI_FIELD_LOAD: return 1;
    case TMLI_FIELD_VECTOR:
    case TMLI_FIELD_AXIS:
    case TMLI_FIELD_SPIN: return 3;
    case TMLI_FIELD_ROTATION: return 4;
    case TMLI_FIELD_INERTIA:
    case TMLI_FIELD_VECTOR6: return 6;
    case TMLI_FIELD_MATRIX6: return 36;
    default: return 0;
    }
}

// Compare a field and clear it, so that what is no field can be compared as bytes.
static void same_field(const tmli_field *f, char *a, char *b)
{
    char *p = a + f->offset, *q = b + f->offset;
    const int n = width_of(f->kind);
    int texts = 0;
    if (n > 0) {
        same_numbers((double *)(void *)p, (double *)(void *)q, n, f->key);
        memset(p, 0, (size_t)n * sizeof(double));
        memset(q, 0, (size_t)n * sizeof(double));
        return;
    }
    if (tmli_field_width(f) > 0) {
        const int count = *(int *)(void *)(a + f->flag);
        assert_int_equal(count, *(int *)(void *)(b + f->flag));
        const double **x = (const double **)(void *)p, **y = (const double **)(void *)q;
        same_numbers(*x, *y, count * tmli_field_width(f), f->key);
        *x = *y = NULL;
        return;
    }
    switch (f->kind) {
    case TMLI_FIELD_TEXT:
    case TMLI_FIELD_WORD:
    case TMLI_FIELD_REFERENCE:
    case TMLI_FIELD_BODY:
    case TMLI_FIELD_ROAD:
    case TMLI_FIELD_COORDINATE:
    case TMLI_FIELD_EXPRESSION: texts = 1; break;
    case TMLI_FIELD_FORCE3:
    case TMLI_FIELD_TORQUE3: texts = 3; break;
    case TMLI_FIELD_COORDINATES: texts = TML_ACTUATORS; break;
    default: break;
    }
    const char **x = (const char **)(void *)p, **y = (const char **)(void *)q;
    for (int i = 0; i < texts; i++) {
        const bool zero = f->kind == TMLI_FIELD_FORCE3 || f->kind == TMLI_FIELD_TORQUE3;
        same_text(x[i] || !zero ? x[i] : "0", y[i] || !zero ? y[i] : "0", f->key);
        x[i] = y[i] = NULL;
    }
}

static void same_def(const tmli_schema *s, const void *one, const void *two)
{
    static tmli_any_def x, y;
    char *a = (char *)&x, *b = (char *)&y;
    memcpy(a, one, s->def_size);
    memcpy(b, two, s->def_size);
    if (s == &tmli_schema_table) x.table.file = x.table.x = x.table.y = NULL;  // its rows are written
    if (s == &tmli_schema_shape && x.shape.height_count > 0) x.shape.file = NULL;
    for (int i = 0; i < s->nfields; i++)
        if (s->fields[i].kind != TMLI_FIELD_FRAMES && s->fields[i].kind != TMLI_FIELD_SHAPES)
            same_field(&s->fields[i], a, b);
    if (!s->entry) return;
    const char **names[2] = {(const char **)(void *)(a + s->entry->name),
                             (const char **)(void *)(b + s->entry->name)};
    same_text(*names[0], *names[1], "name");
    if (s == &tmli_schema_frame) same_text(x.frame.body, y.frame.body, "body");
}

static const void *def_of(const tml_spec *spec, const tmli_schema *s, int i)
{
    const char *items = *(char *const *)(const void *)((const char *)spec + s->entry->items);
    return items + (size_t)i * (offsetof(tmli_any_entry, def) + s->def_size) + offsetof(tmli_any_entry, def);
}

static bool is_named(const tmli_schema *s, const void *one, const void *two)
{
    const char *a = *(const char *const *)(const void *)((const char *)one + s->entry->name),
               *b = *(const char *const *)(const void *)((const char *)two + s->entry->name);
    const bool frame = s == &tmli_schema_frame;
    return strcmp(a, b) == 0 &&
           (!frame || strcmp(((const tml_frame_def *)one)->body, ((const tml_frame_def *)two)->body) == 0);
}

// Sections have an order of their own, and with it bodies of beams among others: find entries by name.
static void same_entry(const tml_spec *spec, const tmli_schema *s, const void *def, int guess)
{
    const int count = *(const int *)(const void *)((const char *)spec + s->entry->count);
    for (int i = -1; i < count; i++) {
        const void *other = def_of(spec, s, i < 0 ? guess : i);
        if (!is_named(s, def, other)) continue;
        same_def(s, def, other);
        return;
    }
    fail_msg("%s: %s '%s' is gone", now, s->name,
             *(const char *const *)(const void *)((const char *)def + s->entry->name));
}

static void same_spec(const tml_spec *a, const tml_spec *b)
{
    same_text(a->title, b->title, "title");
    assert_int_equal(a->planar, b->planar);
    same_numbers(a->gravity, b->gravity, 3, "gravity");
    same_def(&tmli_schema_run, &a->run, &b->run);
    assert_int_equal(a->nparams, b->nparams);
    same_numbers(a->param_values, b->param_values, a->nparams, "parameters");
    for (int k = 0; k < TMLI_SCHEMA_COUNT; k++) {
        const tmli_schema *s = tmli_schemas[k];
        if (!s->entry) continue;
        const int count = *(const int *)(const void *)((const char *)a + s->entry->count);
        if (count != *(const int *)(const void *)((const char *)b + s->entry->count))
            fail_msg("%s: %d entries of %s, written and read %d", now, count, s->entry->section,
                     *(const int *)(const void *)((const char *)b + s->entry->count));
        for (int i = 0; i < count; i++) same_entry(b, s, def_of(a, s, i), i);
    }
}

static void round_trip(const char *path)
{
    tml_spec *a = NULL, *b = NULL;
    tml_error err = {0};
    char *text = NULL, *again = NULL;
    size_t length = 0, size = 0;
    now = path;
    if (tml_spec_read(path, NULL, 0, NULL, &a, &err) != TML_OK) fail_msg("%s: %s", path, err.msg);
    const char *slash = strrchr(path, '/');
    char folder[4096];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 0, path);
    if (tmli_yaml_write(a, NULL, folder, &text, &length, &err) != TML_OK) fail_msg("%s: %s", path, err.msg);
    if (tml_spec_parse(text, length, path, NULL, 0, NULL, &b, &err) != TML_OK)
        fail_msg("%s: %d:%d: %s\n%s", path, err.line, err.col, err.msg, text);
    same_spec(a, b);
    assert_int_equal(tmli_yaml_write(b, NULL, folder, &again, &size, &err), TML_OK);
    free(text);
    free(again);
    tml_spec_destroy(a);
    tml_spec_destroy(b);
}

static void models(void **state)
{
    (void)state;
    static const char *const patterns[] = {"models/*.yaml", "models/*/*.yaml", "tests/io/good/*.yaml"};
    glob_t found;
    int count = 0;
    for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++) {
        if (glob(patterns[k], 0, NULL, &found) != 0) continue;
        for (size_t i = 0; i < found.gl_pathc; i++, count++) round_trip(found.gl_pathv[i]);
        globfree(&found);
    }
    assert_true(count > 50);
}

static void texts(void **state)
{
    (void)state;
    tml_spec *a = NULL, *b = NULL;
    tml_error err = {0};
    assert_int_equal(tml_spec_create(NULL, &a, &err), TML_OK);
    tml_spec_set_title(a, "true: \"x\" \\ # {a}\n\t[1], '", &err);
    char *text = NULL;
    size_t length = 0;
    assert_int_equal(tmli_yaml_write(a, "head", "", &text, &length, &err), TML_OK);
    tml_body_def d = tml_body_def_default();
    d.name = "no";
    assert_int_equal(tml_spec_add_body(a, &d, &err), TML_OK);
    free(text);
    assert_int_equal(tmli_yaml_write(a, "head", "", &text, &length, &err), TML_OK);
    if (tml_spec_parse(text, length, "text", NULL, 0, NULL, &b, &err) != TML_OK)
        fail_msg("%s\n%s", err.msg, text);
    now = "texts";
    same_spec(a, b);
    free(text);
    tml_spec_destroy(a);
    tml_spec_destroy(b);
}

static void push(double t, const tml_frame_motion *frame, double *wrench, void *user)
{
    (void)t, (void)frame, (void)wrench, (void)user;
}

// A function of a program has no place in a file; nothing is written.
static void functions(void **state)
{
    (void)state;
    tml_spec *a = NULL;
    tml_error err = {0};
    tml_force_def f = tml_force_def_default();
    f.name = "push";
    f.type = TML_FORCE_CALLBACK;
    f.frame_count = 1;
    f.frame[0] = "ground";
    f.function = push;
    assert_int_equal(tml_spec_create(NULL, &a, &err), TML_OK);
    assert_int_equal(tml_spec_add_force(a, &f, &err), TML_OK);
    assert_int_equal(tml_spec_write(a, "/tmp/no-such-folder/x.yaml", &err), TML_ERR_MODEL);
    assert_non_null(strstr(err.msg, "function of a program"));
    tml_spec_destroy(a);
}

static int enter(void **state)
{
    (void)state;
    const char *root = getenv("TRAMMEL_SOURCE_DIR");
    return chdir(root ? root : ".");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(models), cmocka_unit_test(texts),
                                       cmocka_unit_test(functions)};
    return cmocka_run_group_tests(tests, enter, NULL);
}
