// The generated pages in docs/ are those of the schema, and the schema is consistent in itself.
#include "page.h"
#include "support.h"

#include "spec/schema.h"

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
        assert_true(s->nfields <= 128);  // the reader holds the keys of all types in an array of 128
        for (int type = 0; type < 32; type++) {
            int own = 0;
            for (int k = 0; k < s->nfields; k++) own += (int)(s->fields[k].types >> type & 1u);
            assert_true(own <= 48);  // and the marks of one entry, with those of components, in one of 64
        }
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
