// JSON Schema (draft 2020-12) of a model file, from the schema. Required keys are not required here, since
// defaults may give them; names with {...} and expressions are plain texts for an editor.
#include "spec/pages/text.h"

#include <string.h>

static const char definitions[] =
    "    \"number\": {\"type\": [\"number\", \"string\"]},\n"
    "    \"expression\": {\"type\": [\"number\", \"string\"]},\n"
    "    \"numbers\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}},\n"
    "    \"vector\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}, \"minItems\": 2, "
    "\"maxItems\": 3},\n";

// Text inside a JSON string.
static void put_escaped(const tmli_text_out *o, const char *text)
{
    for (const char *p = text; *p; p++) {
        const char piece[3] = {*p == '"' || *p == '\\' ? '\\' : *p, *p == '"' || *p == '\\' ? *p : 0, 0};
        tmli_text_put(o, piece, NULL);
    }
}

static void put_quoted(const tmli_text_out *o, const char *text)
{
    tmli_text_put(o, "\"", NULL);
    put_escaped(o, text);
    tmli_text_put(o, "\"", NULL);
}

// What an editor shows of a field: its meaning, [unit], and whether it must be given or what holds without
// it. type < 0: of any type.
static void put_description(const tmli_text_out *o, const tmli_field *f, int type)
{
    const bool required = type >= 0 ? f->required >> type & 1u : f->required != 0;
    tmli_text_put(o, "\"description\": \"", NULL);
    put_escaped(o, f->doc);
    if (f->unit[0]) tmli_text_put(o, " [", f->unit, "]", NULL);
    if (required) {
        tmli_text_put(o, " (required)", NULL);
    } else if (f->fallback[0] && strcmp(f->fallback, "none") != 0) {
        tmli_text_put(o, " (default: ", NULL);
        put_escaped(o, f->fallback);
        tmli_text_put(o, ")", NULL);
    }
    tmli_text_put(o, "\"", NULL);
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

static void put_named(const tmli_text_out *o, const char *ref)
{
    tmli_text_put(o, "\"type\": \"object\", \"additionalProperties\": {\"$ref\": \"#/$defs/", ref, "\"}",
                  NULL);
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

// Arrays of n numbers.
static void put_array(const tmli_text_out *o, const char *n)
{
    tmli_text_put(o, "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/number\"}, \"minItems\": ", n,
                  ", \"maxItems\": ", n, NULL);
}

static void put_value(const tmli_text_out *o, const tmli_field *f)
{
    switch (f->kind) {
    case TMLI_FIELD_TEXT:
    case TMLI_FIELD_WORD:
    case TMLI_FIELD_REFERENCE:
    case TMLI_FIELD_BODY:
    case TMLI_FIELD_ROAD:
    case TMLI_FIELD_COORDINATE:
    case TMLI_FIELD_SEQUENCE: tmli_text_put(o, "\"type\": \"string\"", NULL); return;
    case TMLI_FIELD_EXPRESSION: tmli_text_put(o, "\"$ref\": \"#/$defs/expression\"", NULL); return;
    case TMLI_FIELD_COORDINATES:
        tmli_text_put(o, "\"type\": [\"array\", \"string\"], \"items\": {\"type\": \"string\"}", NULL);
        return;
    case TMLI_FIELD_FORCE3:
    case TMLI_FIELD_TORQUE3:
        tmli_text_put(
            o, "\"type\": [\"array\", \"number\", \"string\"], \"items\": {\"$ref\": \"#/$defs/expression\"}",
            NULL);
        return;
    case TMLI_FIELD_NUMBER:
    case TMLI_FIELD_LOAD:
    case TMLI_FIELD_INTEGER:
        tmli_text_put(o, "\"type\": [\"number\", \"string\"]", number_limits(f->range), NULL);
        return;
    case TMLI_FIELD_AUGMENT:
        tmli_text_put(o, "\"type\": [\"number\", \"string\", \"boolean\"]", NULL);
        return;
    case TMLI_FIELD_BOOL: tmli_text_put(o, "\"type\": \"boolean\"", NULL); return;
    case TMLI_FIELD_CHOICE:
    case TMLI_FIELD_BOOL_CHOICE: put_enum(o, f->choices); return;
    case TMLI_FIELD_SCALING:
        tmli_text_put(o, "\"anyOf\": [{", NULL);
        put_enum(o, f->choices);
        tmli_text_put(o, "}, {\"$ref\": \"#/$defs/", f->sub->name, "\"}]", NULL);
        return;
    case TMLI_FIELD_VECTOR:
    case TMLI_FIELD_AXIS: tmli_text_put(o, "\"$ref\": \"#/$defs/vector\"", NULL); return;
    case TMLI_FIELD_SPIN:
    case TMLI_FIELD_GRAVITY:
        tmli_text_put(o, "\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"$ref\": \"#/$defs/vector\"}]", NULL);
        return;
    case TMLI_FIELD_INERTIA:
        tmli_text_put(o, "\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"$ref\": \"#/$defs/numbers\"}]",
                      NULL);
        return;
    case TMLI_FIELD_ANGLES: put_array(o, "3"); return;
    case TMLI_FIELD_QUATERNION: put_array(o, "4"); return;
    case TMLI_FIELD_VECTOR6: put_array(o, "6"); return;
    case TMLI_FIELD_ROTATION:
        tmli_text_put(o, "\"anyOf\": [{\"$ref\": \"#/$defs/number\"}, {\"$ref\": \"#/$defs/orientation\"}]",
                      NULL);
        return;
    case TMLI_FIELD_MATRIX6:
        tmli_text_put(o,
                      "\"type\": \"array\", \"minItems\": 6, \"maxItems\": 6, \"items\": {\"anyOf\": "
                      "[{\"$ref\": \"#/$defs/number\"}, "
                      "{\"$ref\": \"#/$defs/numbers\"}]}",
                      NULL);
        return;
    case TMLI_FIELD_TABLE:
        tmli_text_put(o, f->sub ? "\"type\": [\"array\", \"string\"]" : "\"type\": \"array\"", NULL);
        tmli_text_put(o, ", \"minItems\": 2, \"items\": {\"$ref\": \"#/$defs/numbers\"}", NULL);
        return;
    case TMLI_FIELD_LIST: tmli_text_put(o, "\"$ref\": \"#/$defs/numbers\"", NULL); return;
    case TMLI_FIELD_POINTS:
        tmli_text_put(o, "\"type\": \"array\", \"minItems\": 2, \"items\": {\"$ref\": \"#/$defs/vector\"}",
                      NULL);
        return;
    case TMLI_FIELD_GRID:
        tmli_text_put(o, "\"type\": \"array\", \"minItems\": 2, \"items\": {\"$ref\": \"#/$defs/numbers\"}",
                      NULL);
        return;
    case TMLI_FIELD_FILES:
        tmli_text_put(o, "\"type\": [\"string\", \"array\"], \"items\": {\"type\": \"string\"}", NULL);
        return;
    case TMLI_FIELD_NUMBERS: put_named(o, "number"); return;
    case TMLI_FIELD_EXPRESSIONS:
        if (!f->sub) put_named(o, "expression");
        else
            tmli_text_put(o,
                          "\"type\": \"object\", \"additionalProperties\": {\"anyOf\": [{\"$ref\": "
                          "\"#/$defs/expression\"}, {\"$ref\": \"#/$defs/",
                          f->sub->name, "\"}]}", NULL);
        return;
    case TMLI_FIELD_FRAMES:
        tmli_text_put(
            o,
            "\"type\": \"object\", \"additionalProperties\": {\"anyOf\": [{\"$ref\": \"#/$defs/vector\"}, "
            "{\"$ref\": \"#/$defs/frame\"}]}",
            NULL);
        return;
    case TMLI_FIELD_SHAPES:
        tmli_text_put(o,
                      "\"anyOf\": [{\"$ref\": \"#/$defs/shape\"}, {\"type\": \"array\", \"items\": "
                      "{\"$ref\": \"#/$defs/shape\"}}]",
                      NULL);
        return;
    case TMLI_FIELD_ENTRIES: put_named(o, f->sub->name); return;
    case TMLI_FIELD_BLOCK: tmli_text_put(o, "\"$ref\": \"#/$defs/", f->sub->name, "\"", NULL); return;
    case TMLI_FIELD_BLOCKS:
        tmli_text_put(o, "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/", f->sub->name, "\"}", NULL);
        return;
    case TMLI_FIELD_PARTIAL: tmli_text_put(o, "\"type\": \"object\"", NULL); return;
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
