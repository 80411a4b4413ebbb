// The generated pages in docs/ are those of the schema, and the schema is consistent in itself.
#include "support.h"

#include "spec/schema.h"

typedef struct text {
    char *bytes;
    size_t used, room;
} text;

static void append(const char *piece, void *user)
{
    text *t = user;
    const size_t n = strlen(piece);
    if (t->used + n + 1 > t->room) {
        t->room = 2 * (t->used + n + 1);
        t->bytes = realloc(t->bytes, t->room);
        assert_non_null(t->bytes);
    }
    memcpy(t->bytes + t->used, piece, n + 1);
    t->used += n;
}

static void check_page(const char *name, void (*generate)(tmli_text_sink *, void *))
{
    const char *root = getenv("TRAMMEL_SOURCE_DIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/docs/%s", root ? root : ".", name);
    text made = {0};
    generate(append, &made);
    if (getenv("TRAMMEL_WRITE_PAGES")) {
        FILE *out = fopen(path, "wb");
        if (!out || fwrite(made.bytes, 1, made.used, out) != made.used || fclose(out) != 0)
            fail_msg("%s cannot be written", path);
    }
    FILE *f = fopen(path, "rb");
    if (!f) fail_msg("%s is missing", path);
    text page = {0};
    char piece[1024];
    for (size_t n; (n = fread(piece, 1, sizeof piece - 1, f)) > 0;) {
        piece[n] = 0;
        append(piece, &page);
    }
    fclose(f);
    if (page.used != made.used || memcmp(page.bytes, made.bytes, made.used) != 0)
        fail_msg("%s is not what the schema generates: run this test with TRAMMEL_WRITE_PAGES=1", path);
    free(page.bytes);
    free(made.bytes);
}

static void pages(void **state)
{
    (void)state;
    check_page("model-file.md", tmli_schema_markdown);
    check_page("trammel.schema.json", tmli_schema_json);
}

static void consistent(void **state)
{
    (void)state;
    for (int i = 0; i < TMLI_SCHEMA_COUNT; i++) {
        const tmli_schema *s = tmli_schemas[i];
        assert_true(s->nfields <= 48);  // the reader holds the marks of one entry in an array of 64
        for (int k = 0; k < s->nfields; k++) {
            const tmli_field *f = &s->fields[k];
            assert_true(f->key[0] && f->doc[0]);
            assert_int_equal(f->required & ~f->types, 0);
            assert_true(s->def_size == 0 || f->offset < s->def_size);
            for (int m = 0; m < k; m++)  // one key, one meaning per type
                assert_true(strcmp(s->fields[m].key, f->key) != 0 || (s->fields[m].types & f->types) == 0);
        }
    }
    assert_string_equal(tmli_schema_type_name(&tmli_schema_joint, TML_JOINT_CONSTANT_VELOCITY),
                        "constant-velocity");
    assert_int_equal(tmli_schema_find(&tmli_schema_force, "stiffness", TML_FORCE_BUSHING)->kind,
                     TMLI_FIELD_MATRIX6);
    assert_null(tmli_schema_find(&tmli_schema_joint, "pitch", TML_JOINT_REVOLUTE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pages), cmocka_unit_test(consistent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
