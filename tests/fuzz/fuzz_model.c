// Models made of the tables of the schema, through two steps: every byte of the input is a decision. So the
// fuzzer meets all keys, types and choices, also new ones, with values of the right kind and with wrong ones,
// instead of texts that are no YAML. With FUZZ_PRINT in the environment the texts are printed.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "fuzz/simulate.h"
#include "spec/schema.h"

enum { DEPTH = 4, ROOM = 8192 };

typedef struct input {
    const uint8_t *data;
    size_t size;
    bool planar;
    char text[ROOM];
    size_t used;
} input;

// A decision between n > 0 alternatives; 0 at the end of the input.
static int choose(input *in, int n)
{
    if (in->size == 0) return 0;
    in->size--;
    return *in->data++ % n;
}

static void put(input *in, const char *text)
{
    const size_t n = strlen(text);
    if (in->used + n >= ROOM) return;
    memcpy(in->text + in->used, text, n);
    in->used += n;
}

static void put_number(input *in, tmli_range range)
{
    static const char *const odd[] = {"1e-9", "1e300", ".inf", "x y", "0", "-L", "1e8", "-1"};
    static const char *const any[] = {"0", "1", "-1", "0.731", "-0.37", "2.5", "L", "0"};
    static const char *const positive[] = {"1", "0.731", "2.5", "0.02", "40", "L", "1e-3", "3"};
    if (choose(in, 16) == 15) put(in, odd[choose(in, 8)]);  // rarely: else no model would start
    else if (range == TMLI_RANGE_UNIT) put(in, choose(in, 2) ? "0.3" : "0.9");
    else put(in, range == TMLI_RANGE_ANY ? any[choose(in, 8)] : positive[choose(in, 8)]);
}

static void put_list(input *in, int count, tmli_range range)
{
    put(in, "[");
    for (int i = 0; i < count; i++) {
        if (i) put(in, ", ");
        put_number(in, range);
    }
    put(in, "]");
}

static void put_rows(input *in, int width)
{
    const int rows = 1 + choose(in, 5);
    char x[32];
    put(in, "[");
    for (int i = 0; i < rows; i++) {
        snprintf(x, sizeof x, "%s[%d", i ? ", " : "", i);  // tables ascend
        put(in, x);
        for (int k = 1; k < width; k++) {
            put(in, ", ");
            put_number(in, TMLI_RANGE_ANY);
        }
        put(in, "]");
    }
    put(in, "]");
}

static void put_map(input *in, const tmli_schema *s, int depth);

// Names of things that the model has, and of one that it has not.
static void put_name(input *in)
{
    static const char *const names[] = {"b0", "ground", "b1", "b0.f", "b1.f", "b2", "ground.f", "gone"};
    put(in, names[choose(in, 8)]);
}

static void put_expression(input *in)
{
    static const char *const some[] = {"1",          "'sin(t)'",    "'-4*b0.x'", "'if(t > 0.1, 1, 0)'",
                                       "'b1.vx*L'",  "'j0.angle'",  "'u0'",      "'s0 - 0.5'",
                                       "'sqrt(-t)'", "'1/(t - t)'", "'b0.x +'",  "'abs(b0.vy)'"};
    put(in, some[choose(in, 12)]);
}

static void put_choice(input *in, const tmli_key_choice *choices)
{
    int n = 0;
    while (choices && choices[n].name) n++;
    put(in, n ? choices[choose(in, n)].name : "true");
}

static void put_entries(input *in, const tmli_schema *s, char letter, int depth)
{
    const int count = 1 + choose(in, 3);
    put(in, "{");
    for (int i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "%s%c%d: ", i ? ", " : "", letter, i);
        put(in, name);
        put_map(in, s, depth - 1);
    }
    put(in, "}");
}

static void put_simple(input *in, const tmli_field *f)
{
    switch (f->kind) {
    case TMLI_FIELD_REFERENCE:
    case TMLI_FIELD_BODY: put_name(in); break;
    case TMLI_FIELD_EXPRESSION:
    case TMLI_FIELD_TORQUE3: put_expression(in); break;
    case TMLI_FIELD_FORCE3: put(in, choose(in, 2) ? "['-3*b0.vx', 1]" : "[0, u0, 't']"); break;
    case TMLI_FIELD_NUMBER:
    case TMLI_FIELD_AUGMENT:
    case TMLI_FIELD_LOAD: put_number(in, f->range); break;
    case TMLI_FIELD_INTEGER: put(in, choose(in, 2) ? "2" : "1"); break;
    case TMLI_FIELD_BOOL: put(in, choose(in, 2) ? "true" : "false"); break;
    case TMLI_FIELD_CHOICE:
    case TMLI_FIELD_SCALING:
    case TMLI_FIELD_BOOL_CHOICE: put_choice(in, f->choices); break;
    case TMLI_FIELD_QUATERNION: put_list(in, 4, f->range); break;
    case TMLI_FIELD_MATRIX6:
    case TMLI_FIELD_VECTOR6: put_list(in, 6, f->range); break;
    case TMLI_FIELD_TABLE: put_rows(in, 2); break;
    case TMLI_FIELD_GRID:
    case TMLI_FIELD_POINTS: put_rows(in, 2 + choose(in, 2)); break;
    case TMLI_FIELD_LIST: put_list(in, 1 + choose(in, 4), f->range); break;
    case TMLI_FIELD_COORDINATE:
    case TMLI_FIELD_COORDINATES: put(in, choose(in, 2) ? "j0.angle" : "j0.distance"); break;
    case TMLI_FIELD_SEQUENCE: put(in, "zyx"); break;
    case TMLI_FIELD_SPIN:
    case TMLI_FIELD_INERTIA:
    case TMLI_FIELD_ROTATION:
        if (in->planar || choose(in, 2)) put_number(in, f->range);
        else put_list(in, 3, f->range);
        break;
    case TMLI_FIELD_TEXT:
    case TMLI_FIELD_WORD:
    case TMLI_FIELD_ROAD: put_name(in); break;
    default: put_list(in, in->planar == (choose(in, 16) != 15) ? 2 : 3, f->range);
    }
}

static void put_value(input *in, const tmli_field *f, int depth)
{
    const bool nested = f->sub && depth > 0;
    if (f->kind == TMLI_FIELD_FRAMES) put(in, "{f: [0.3, 0.1]}");
    else if (f->kind == TMLI_FIELD_NUMBERS) put(in, "{L: 1.3}");
    else if (f->kind == TMLI_FIELD_EXPRESSIONS) put(in, "{o0: 't*b0.x'}");
    else if (f->kind == TMLI_FIELD_SHAPES) put_map(in, &tmli_schema_shape, depth - 1);
    else if (f->kind == TMLI_FIELD_ENTRIES && nested) put_entries(in, f->sub, f->key[0], depth);
    else if ((f->kind == TMLI_FIELD_BLOCK || f->kind == TMLI_FIELD_PARTIAL) && nested)
        put_map(in, f->sub, depth - 1);
    else put_simple(in, f);
}

// A map with the type, what this requires, and some of the other keys.
static void put_map(input *in, const tmli_schema *s, int depth)
{
    int ntypes = 0;
    while (s->types && s->types[ntypes].name) ntypes++;
    const int type = ntypes ? s->types[choose(in, ntypes)].value : 0;
    bool first = true;
    put(in, "{");
    if (ntypes && depth >= 0) {
        put(in, "type: ");
        put(in, tmli_schema_type_name(s, type));
        first = false;
    }
    const int rarity = 2 + choose(in, 6);
    for (int i = 0; i < s->nfields && depth >= 0; i++) {
        const tmli_field *f = &s->fields[i];
        if (f->kind == TMLI_FIELD_FILES || strcmp(f->key, "type") == 0) continue;
        const bool required = f->required >> type & 1, applies = f->types >> type & 1;
        if (required ? choose(in, 32) == 31 : choose(in, applies ? rarity : 16 * rarity) != 1) continue;
        put(in, first ? "" : ", ");
        put(in, f->key);
        put(in, ": ");
        put_value(in, f, depth);
        first = false;
    }
    put(in, "}");
}

static void put_model(input *in)
{
    const int parts = choose(in, 128);
    in->planar = parts & 1;
    put(in, in->planar ? "planar: true\n" : "");
    put(in, "parameters: {L: 1.3}\ngravity: 9.81\nrun: {end: 1}\nground: {frames: {f: [0.5, 0.1]}}\n");
    put(in, choose(in, 8) == 7 ? "" : "defaults: {bodies: {mass: 0.7, inertia: 0.02}}\n");
    put(in, "bodies: ");
    put_entries(in, &tmli_schema_body, 'b', DEPTH - 1);
    put(in, "\n");
    static const struct {
        const char *key;
        const tmli_schema *schema;
    } sections[] = {{"joints: ", &tmli_schema_joint},     {"forces: ", &tmli_schema_force},
                    {"contacts: ", &tmli_schema_contact}, {"events: ", &tmli_schema_event},
                    {"states: ", &tmli_schema_state},     {"inputs: ", &tmli_schema_input}};
    static const char letters[] = "jfcesu";
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        if (!(parts >> (i + 1) & 1)) continue;
        put(in, sections[i].key);
        put_entries(in, sections[i].schema, letters[i], DEPTH - 1);
        put(in, "\n");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {.data = data, .size = size};
    put_model(&in);
    if (getenv("FUZZ_PRINT")) fwrite(in.text, 1, in.used, stdout);
    run_text(in.text, in.used);
    return 0;
}
