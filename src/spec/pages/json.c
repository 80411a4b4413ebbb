// JSON Schema (draft 2020-12) of a model file, from the schema, and the kinds of its values in words.
// Required keys are not required here, since defaults may give them; names with {...} and expressions are
// plain texts for an editor.
#include "base/json.h"
#include "spec/pages/text.h"

#include <string.h>

static const char definitions[] =
    "    \"number\": {\"type\": [\"number\", \"string\"]},\n"
    "    \"expression\": {\"type\": [\"number\", \"string\"]},\n"
    "    \"numbers\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}},\n"
    "    \"vector\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}, \"minItems\": 2, "
    "\"maxItems\": 3},\n";

static void put_quoted(const tmli_text_out *o, const char *text)
{
    tmli_json j = {.style = TMLI_JSON_LINE};
    tmli_json_text(&j, NULL, text);
    tmli_text_put(o, j.text ? j.text : "null", NULL);
    tmli_json_clear(&j);
}

// What an editor shows of a field: its meaning, [unit], and whether it must be given or what holds without
// it. type < 0: of any type.
static void put_description(const tmli_text_out *o, const tmli_field *f, int type)
{
    const bool required = type >= 0 ? f->required >> type & 1u : f->required != 0;
    const bool told = !required && f->fallback[0] && strcmp(f->fallback, "none") != 0;
    char text[2000];
    snprintf(text, sizeof text, "%s%s%s%s%s%s%s", f->doc, f->unit[0] ? " [" : "", f->unit,
             f->unit[0] ? "]" : "",
             required ? " (required)"
             : told   ? " (default: "
                      : "",
             told ? f->fallback : "", told ? ")" : "");
    tmli_text_put(o, "\"description\": ", NULL);
    put_quoted(o, text);
}

static void put_enum(const tmli_text_out *o, const tmli_key_choice *choices)
{
    tmli_text_put(o, "\"enum\": [", NULL);
    for (const tmli_key_choice *c = choices; c->name; c++) {
        if (c != choices) tmli_text_put(o, ", ", NULL);
        put_quoted(o, c->name);
    }
    tmli_text_put(o, "]", NULL);
}

static const char *number_limits(tmli_range range)
{
    switch (range) {
    case TMLI_RANGE_NONNEGATIVE: return ", \"minimum\": 0";
    case TMLI_RANGE_POSITIVE: return ", \"exclusiveMinimum\": 0";
    case TMLI_RANGE_UNIT: return ", \"minimum\": 0, \"maximum\": 1";
    default: return "";
    }
}

#define NUMBER "{'$ref': '#/$defs/number'}"
#define NUMBERS "{'$ref': '#/$defs/numbers'}"
#define VECTOR "{'$ref': '#/$defs/vector'}"
#define EXPRESSION "{'$ref': '#/$defs/expression'}"
#define SUB "{'$ref': '#/$defs/%'}"
#define NAMED(value) "'type': 'object', 'additionalProperties': " value
#define ROWS(value) "'minItems': 2, 'items': " value
#define TUPLE(n) "'type': 'array', 'items': " NUMBER ", 'minItems': " n ", 'maxItems': " n

// What the value of a field is: in words, and as JSON, where ' stands for ", % for the name of the schema
// below the field, @ for its words, ^ for the limits of a number.
typedef struct kind_page {
    const char *words, *json;
} kind_page;

static const kind_page kinds[] = {
    [TMLI_FIELD_TEXT] = {"text", "'type': 'string'"},
    [TMLI_FIELD_WORD] = {"word", "'type': 'string'"},
    [TMLI_FIELD_REFERENCE] = {"frame", "'type': 'string'"},
    [TMLI_FIELD_BODY] = {"body", "'type': 'string'"},
    [TMLI_FIELD_ROAD] = {"road", "'type': 'string'"},
    [TMLI_FIELD_COORDINATE] = {"joint coordinate", "'type': 'string'"},
    [TMLI_FIELD_SEQUENCE] = {"three letters", "'type': 'string'"},
    [TMLI_FIELD_EXPRESSION] = {"expression of the run", "'$ref': '#/$defs/expression'"},
    [TMLI_FIELD_COORDINATES] = {"joint coordinate or list of them",
                                "'type': ['array', 'string'], 'items': {'type': 'string'}"},
    [TMLI_FIELD_FORCE3] = {"3 expressions of the run (planar: 2)",
                           "'type': ['array', 'number', 'string'], 'items': " EXPRESSION},
    [TMLI_FIELD_TORQUE3] = {"3 expressions of the run (planar: 1)",
                            "'type': ['array', 'number', 'string'], 'items': " EXPRESSION},
    [TMLI_FIELD_NUMBER] = {"number", "'type': ['number', 'string']^"},
    [TMLI_FIELD_LOAD] = {"`reaction`, or a number", "'type': ['number', 'string']^"},
    [TMLI_FIELD_INTEGER] = {"whole number", "'type': ['number', 'string']^"},
    [TMLI_FIELD_AUGMENT] = {"number >= 0, true or false", "'type': ['number', 'string', 'boolean']"},
    [TMLI_FIELD_BOOL] = {"true or false", "'type': 'boolean'"},
    [TMLI_FIELD_CHOICE] = {"one of the words below", "@"},
    [TMLI_FIELD_BOOL_CHOICE] = {"one of the words below", "@"},
    [TMLI_FIELD_SCALING] = {"one of the words below, or a map", "'anyOf': [{@}, " SUB "]"},
    [TMLI_FIELD_VECTOR] = {"3 numbers (planar: 2)", "'$ref': '#/$defs/vector'"},
    [TMLI_FIELD_AXIS] = {"3 numbers, length > 0 (planar: 2)", "'$ref': '#/$defs/vector'"},
    [TMLI_FIELD_SPIN] = {"3 numbers (planar: 1)", "'anyOf': [" NUMBER ", " VECTOR "]"},
    [TMLI_FIELD_GRAVITY] = {"number or 3 numbers (planar: 2)", "'anyOf': [" NUMBER ", " VECTOR "]"},
    [TMLI_FIELD_INERTIA] = {"1, 3 or 6 numbers", "'anyOf': [" NUMBER ", " NUMBERS "]"},
    [TMLI_FIELD_ANGLES] = {"3 numbers", TUPLE("3")},
    [TMLI_FIELD_QUATERNION] = {"4 numbers", TUPLE("4")},
    [TMLI_FIELD_VECTOR6] = {"6 numbers", TUPLE("6")},
    [TMLI_FIELD_ROTATION] = {"orientation", "'anyOf': [" NUMBER ", {'$ref': '#/$defs/orientation'}]"},
    [TMLI_FIELD_MATRIX6] = {"6 numbers or 6 x 6 numbers",
                            "'type': 'array', 'minItems': 6, 'maxItems': 6, 'items': {'anyOf': [" NUMBER
                            ", " NUMBERS "]}"},
    [TMLI_FIELD_TABLE] = {"rows of 2 numbers", "'type': 'array', " ROWS(NUMBERS)},
    [TMLI_FIELD_LIST] = {"list of numbers", "'$ref': '#/$defs/numbers'"},
    [TMLI_FIELD_POINTS] = {"list of points of 3 numbers (planar: 2)", "'type': 'array', " ROWS(VECTOR)},
    [TMLI_FIELD_GRID] = {"at least 2 rows of as many numbers", "'type': 'array', " ROWS(NUMBERS)},
    [TMLI_FIELD_FILES] = {"file or list of files",
                          "'type': ['string', 'array'], 'items': {'type': 'string'}"},
    [TMLI_FIELD_NUMBERS] = {"map of numbers", NAMED(NUMBER)},
    [TMLI_FIELD_EXPRESSIONS] = {"map of expressions of the run", NAMED(EXPRESSION)},
    [TMLI_FIELD_FRAMES] = {"map of frames", NAMED("{'anyOf': [" VECTOR ", {'$ref': '#/$defs/frame'}]}")},
    [TMLI_FIELD_SHAPES] =
        {"shape or list of shapes, without `at`",
         "'anyOf': [{'$ref': '#/$defs/shape'}, {'type': 'array', 'items': {'$ref': '#/$defs/shape'}}]"},
    [TMLI_FIELD_ENTRIES] = {"map of entries", NAMED(SUB)},
    [TMLI_FIELD_BLOCK] = {"map", "'$ref': '#/$defs/%'"},
    [TMLI_FIELD_BLOCKS] = {"list of blocks", "'type': 'array', 'items': " SUB},
    [TMLI_FIELD_PARTIAL] = {"map", "'type': 'object'"},
};

static const kind_page with_schema[TMLI_FIELD_PARTIAL + 1] = {
    [TMLI_FIELD_TABLE] = {"rows of 2 numbers, or a table", "'type': ['array', 'string'], " ROWS(NUMBERS)},
    [TMLI_FIELD_EXPRESSIONS] = {"map of expressions of the run, or of entries",
                                NAMED("{'anyOf': [" EXPRESSION ", " SUB "]}")},
};

static const kind_page *page_of(const tmli_field *f)
{
    return f->sub && with_schema[f->kind].words ? &with_schema[f->kind] : &kinds[f->kind];
}

const char *tmli_field_words(const tmli_field *f) { return page_of(f)->words; }

static void put_value(const tmli_text_out *o, const tmli_field *f)
{
    for (const char *text = page_of(f)->json; *text; text++) {
        const char one[2] = {*text, 0};
        if (*text == '@') put_enum(o, f->choices);
        else
            tmli_text_put(o,
                          *text == '\''  ? "\""
                          : *text == '%' ? f->sub->name
                          : *text == '^' ? number_limits(f->range)
                                         : one,
                          NULL);
    }
}

// type >= 0: the fields of that type, with "type" restricted to its name.
static void put_object(const tmli_text_out *o, const tmli_schema *s, int type, const char *indent)
{
    const char *between = "";
    tmli_text_put(o, "\"type\": \"object\", \"additionalProperties\": false, \"properties\": {", NULL);
    for (int i = 0; i < s->nfields; i++) {
        const tmli_field *f = &s->fields[i];
        if (type >= 0 && !(f->types >> type & 1u)) continue;
        tmli_text_put(o, between, "\n", indent, NULL);
        between = ",";
        put_quoted(o, f->key);
        tmli_text_put(o, ": {", NULL);
        if (type >= 0 && strcmp(f->key, "type") == 0) {
            tmli_text_put(o, "\"const\": \"", tmli_schema_type_name(s, type), "\"", NULL);
        } else {
            put_value(o, f);
            tmli_text_put(o, ", ", NULL);
            put_description(o, f, type);
        }
        tmli_text_put(o, "}", NULL);
    }
    tmli_text_put(o, "}", NULL);
}

static void put_schema(const tmli_text_out *o, const tmli_schema *s)
{
    tmli_text_put(o, "\"description\": ", NULL);
    put_quoted(o, s->doc);
    tmli_text_put(o, ", ", NULL);
    if (!s->types) {
        put_object(o, s, -1, "      ");
        return;
    }
    tmli_text_put(o, "\"anyOf\": [", NULL);
    for (const tmli_key_choice *t = s->types; t->name; t++) {
        tmli_text_put(o, t == s->types ? "\n      {\"description\": " : ",\n      {\"description\": ", NULL);
        put_quoted(o, t->doc);
        tmli_text_put(o, ", ", NULL);
        put_object(o, s, t->value, "        ");
        tmli_text_put(o, "}", NULL);
    }
    tmli_text_put(o, "]", NULL);
}

void tmli_schema_json(tmli_text_sink *sink, void *user)
{
    const tmli_text_out o = {sink, user};
    tmli_text_put(&o,
                  "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n  \"title\": "
                  "\"Trammel model file\",\n  ",
                  NULL);
    put_object(&o, &tmli_schema_model, -1, "    ");
    tmli_text_put(&o, ",\n  \"$defs\": {\n", definitions, NULL);
    const char *between = "";
    for (int i = 1; i < TMLI_SCHEMA_COUNT; i++) {
        const tmli_schema *s = tmli_schemas[i];
        if (s->nfields == 0) continue;
        tmli_text_put(&o, between, "    \"", s->name, "\": {", NULL);
        put_schema(&o, s);
        tmli_text_put(&o, "}", NULL);
        between = ",\n";
    }
    tmli_text_put(&o, "\n  }\n}\n", NULL);
}
