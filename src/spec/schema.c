// The tables of the file format, in the order of the reference page. Those of bodies, joints, forces and runs
// stand in files of their own.
#include "spec/schema_tables.h"

#include <stdio.h>
#include <string.h>

static const tmli_key_choice direction_choices[] = {
    {"up", 1, "only from negative to positive"},
    {"down", -1, "only from positive to negative"},
    {"both", 0, "every crossing"},
    {NULL, 0, NULL},
};
static const tmli_field output_fields[] = {
    TYPED("value", EXPRESSION, ANY, "", "", ALL, ALL, offsetof(tml_output_def, value),
          "expression of t, states, joint coordinates, accelerations (`body.ax`, `body.frame.ax`, "
          "`body.alx`, `joint.angle_acceleration`), reactions, distances"),
    FIELD("unit", TEXT, ANY, "", "inferred", offsetof(tml_output_def, unit),
          "unit of the value, for results; an angle with `deg`, a length with `mm` and the like (`cm`, `km`, "
          "`in`, `ft`, `deg/s`, `rpm`, `km/h`, `mph`, `ms`, `kN`, `lbf`, `kN m`, `lbf ft`, `N/mm`, `MPa`, "
          "`bar`, `psi`, `kJ`, `kW`) are converted to it; a parameter as a factor is a number there. A "
          "warning tells where the unit of the value is another one, or not known. Without it, that of the "
          "expression, if it has no parameter as a factor"),
};
const tmli_schema tmli_schema_output = SCHEMA(
    EXPRESSION, "output", NULL, output_fields, sizeof(tml_output_def), &tmli_kind_output,
    "A named expression, written as a column of the results. `NAME: expression` is short for a value alone.");

static const tmli_field event_fields[] = {
    TYPED("when", EXPRESSION, ANY, "", "", ALL, ALL, offsetof(tml_event_def, when),
          "the run stops where this expression crosses zero, or where this condition (`a.x > 2 and t > 1`) "
          "becomes true"),
    FIELD("direction", CHOICE, ANY, "", "both", offsetof(tml_event_def, direction),
          "direction of the crossing; of a condition, down: where it becomes false",
          .choices = direction_choices),
};
const tmli_schema tmli_schema_event =
    SCHEMA(ENTRY, "event", NULL, event_fields, sizeof(tml_event_def), &tmli_kind_event,
           "Stops the run when an expression crosses zero, or a condition becomes true.");

#define STATE(m) offsetof(tml_state_def, m)
static const tmli_field state_fields[] = {
    TYPED("rate", EXPRESSION, ANY, "unit/s", "", ALL, ALL, STATE(rate),
          "rate of change as an expression of t, states, inputs and motion"),
    FIELD("start", NUMBER, ANY, "unit", "0", STATE(start), "value at the start"),
    FIELD("scale", NUMBER, POSITIVE, "unit", "1", STATE(scale),
          "nominal magnitude, for the absolute tolerance"),
    FIELD("unit", TEXT, ANY, "", "1", STATE(unit), "unit of the value, for results"),
};
const tmli_schema tmli_schema_state =
    SCHEMA(ENTRY, "state", NULL, state_fields, sizeof(tml_state_def), &tmli_kind_state,
           "A first-order state, integrated with the motion by every method: controllers, actuators, "
           "filters. Expressions use it by its name.");

#define INPUT(m) offsetof(tml_input_def, m)
static const tmli_field input_fields[] = {
    FIELD("value", NUMBER, ANY, "unit", "0", INPUT(value),
          "value at the start; the command keeps it, a program changes it between steps"),
    FIELD("unit", TEXT, ANY, "", "1", INPUT(unit), "unit of the value, for results"),
};
const tmli_schema tmli_schema_input =
    SCHEMA(ENTRY, "input", NULL, input_fields, sizeof(tml_input_def), &tmli_kind_input,
           "A number that a program which uses the library sets between steps (`tml_sim_set_input`). "
           "Expressions of forces, states, outputs and events use it by its name. Nothing else changes "
           "during a run: parameters are fixed when the model is built. A stiffness that is to change is an "
           "input in the expression of an applied force, as in `force: [\"-k*cart.x\", 0]` with `inputs: {k: "
           "{value: 300, unit: N/m}}`; then `tml_sim_set_parameter(sim, \"k\", 450, &err)` sets it.");

const tmli_key_choice tmli_interpolations[] = {
    {"monotone", TML_INTERPOLATION_MONOTONE,
     "cubics that rise and fall with the points and never leave their range; the second derivative jumps at "
     "the "
     "points"},
    {"linear", TML_INTERPOLATION_LINEAR, "straight lines; the slope jumps at the points"},
    {"spline", TML_INTERPOLATION_SPLINE,
     "natural cubic spline: two continuous derivatives, but it may swing beyond the points"},
    {NULL, 0, NULL},
};
const tmli_key_choice tmli_outsides[] = {
    {"extend", TML_OUTSIDE_EXTEND, "straight lines with the slopes at the ends"},
    {"hold", TML_OUTSIDE_HOLD, "the values at the ends"},
    {NULL, 0, NULL},
};

#define TABLE(m) offsetof(tml_table_def, m)
static const tmli_field table_fields[] = {
    FIELD("points", TABLE, ANY, "", "those of `file`", TABLE(points), "rows [x, y], x ascending",
          .flag = TABLE(count)),
    FIELD("file", TEXT, ANY, "", "none", TABLE(file),
          "a CSV file with the points; its path is relative to the model file"),
    FIELD("x", TEXT, ANY, "", "1", TABLE(x),
          "column of the argument: its name in the first line of the file, or its number from 1"),
    FIELD("y", TEXT, ANY, "", "2", TABLE(y), "column of the values"),
    FIELD("interpolation", CHOICE, ANY, "", "monotone", TABLE(style.interpolation),
          "the curve between the points", .choices = tmli_interpolations),
    FIELD("outside", CHOICE, ANY, "", "extend", TABLE(style.outside),
          "the curve before the first and after the last point", .choices = tmli_outsides),
};
const tmli_schema tmli_schema_table =
    SCHEMA(ENTRY, "table", NULL, table_fields, sizeof(tml_table_def), &tmli_kind_table,
           "A function of one argument, given by points: `NAME(x)` in any expression of the run, or `table: "
           "NAME` of a force or road. See [tables](tables.md).");

static const tmli_field ground_fields[] = {
    FIELD("frames", FRAMES, ANY, "", "none", 0, "named points with axes on the ground, in the inertial frame",
          .sub = &tmli_schema_frame),
};
const tmli_schema tmli_schema_ground =
    SCHEMA(GROUND, "ground", NULL, ground_fields, 0, NULL, "Frames fixed in the inertial frame.");

static const tmli_field defaults_fields[] = {
    FIELD("bodies", PARTIAL, ANY, "", "none", 0, "values for fields that a body does not give",
          .sub = &tmli_schema_body),
    FIELD("beams", PARTIAL, ANY, "", "none", 0, "values for fields that a beam does not give",
          .sub = &tmli_schema_beam),
    FIELD("modal_bodies", PARTIAL, ANY, "", "none", 0, "values for fields that a modal body does not give",
          .sub = &tmli_schema_modal),
    FIELD("joints", PARTIAL, ANY, "", "none", 0,
          "values for fields that a joint does not give, if they apply to its type",
          .sub = &tmli_schema_joint),
    FIELD("forces", PARTIAL, ANY, "", "none", 0,
          "values for fields that a force does not give, if they apply to its type",
          .sub = &tmli_schema_force),
    FIELD("shapes", PARTIAL, ANY, "", "none", 0,
          "values for fields that a shape does not give, if they apply to its type",
          .sub = &tmli_schema_shape),
    FIELD("contacts", PARTIAL, ANY, "", "none", 0, "values for fields that a contact does not give",
          .sub = &tmli_schema_contact),
};
const tmli_schema tmli_schema_defaults = SCHEMA(
    BLOCK, "defaults", NULL, defaults_fields, 0, NULL,
    "Values for fields that an entry of this file does not give. They do not apply to included files.");

// clang-format off
#define SECTION(key, KIND, fallback, schema, doc) \
    FIELD(key, KIND, ANY, "", fallback, 0, doc, .sub = &tmli_schema_##schema)
#define SECTIONS \
    SECTION("ground", BLOCK, "", ground, "frames fixed in the inertial frame"), \
    SECTION("bodies", ENTRIES, "none", body, "rigid bodies by name"), \
    SECTION("beams", ENTRIES, "none", beam, "flexible beams by name"), \
    SECTION("modal_bodies", ENTRIES, "none", modal, "elastic parts of modes, by name"), \
    SECTION("joints", ENTRIES, "none", joint, "joints by name"), \
    SECTION("roads", ENTRIES, "none", road, "roads for tyres, by name"), \
    SECTION("forces", ENTRIES, "none", force, "force elements by name"), \
    SECTION("shapes", ENTRIES, "none", shape, "shapes of bodies, for contacts, by name"), \
    SECTION("contacts", ENTRIES, "none", contact, "contacts between shapes by name"), \
    SECTION("states", ENTRIES, "none", state, "first-order states by name"), \
    SECTION("inputs", ENTRIES, "none", input, "inputs by name"), \
    SECTION("outputs", EXPRESSIONS, "none", output, \
            "extra columns of the results, `NAME: expression`"), \
    SECTION("events", ENTRIES, "none", event, "conditions that stop the run, by name"), \
    SECTION("repeat", BLOCKS, "none", repeat, \
            "blocks of entries generated for each value of an index")
// clang-format on

static const tmli_field repeat_fields[] = {
    TYPED("index", WORD, ANY, "", "", ALL, ALL, 0, "name of the index"),
    FIELD("from", INTEGER, ANY, "", "1", 0, "first value of the index"),
    TYPED("to", INTEGER, ANY, "", "", ALL, ALL, 0,
          "last value of the index; nothing is generated if `from` is beyond it"),
    FIELD("step", INTEGER, NONZERO, "", "1", 0, "difference between successive values"),
    SECTIONS,
};
const tmli_schema tmli_schema_repeat =
    SCHEMA(BLOCK, "repeat", NULL, repeat_fields, 0, NULL,
           "A block of entries generated once for each value of the index. In names and in every text of the "
           "block `{...}` is replaced by the value of the expression inside (whole numbers without a decimal "
           "point). Numbers may also use the index by its name; expressions evaluated during the run (law, "
           "motion, outputs, when, force, torque) can use it only as `{i}`.");

const tmli_schema tmli_schema_include = {
    .kind = TMLI_SCHEMA_BLOCK,
    .name = "include",
    .doc = "The entries of an included file precede those of the including file. Paths are relative to the "
           "including file; the files are in or below the folder of the model file, of its project (the "
           "nearest folder above with an empty file `trammel.project`), or of `--allow-path`. A file that is "
           "included twice is read once; a file that includes itself is an error. Only one of the files may "
           "give title, planar, gravity and run; parameters are common to all."};

static const tmli_field model_fields[] = {
    FIELD("title", TEXT, ANY, "", "none", 0, "title of the model, one line"),
    FIELD("description", TEXT, ANY, "", "none", 0, "text for readers of the file; it has no effect"),
    FIELD("planar", BOOL, ANY, "", "false", 0,
          "motion in the x-y plane: vectors may be written with two numbers, orientations and angular "
          "velocities with one"),
    FIELD("gravity", GRAVITY, ANY, "m/s^2", "0", 0,
          "inertial frame; one number (>= 0) means downwards: -y in planar models, else -z"),
    FIELD("parameters", NUMBERS, ANY, "", "none", 0,
          "named numbers; they may use each other in any order, and the command can replace them (`--set`)"),
    FIELD("include", FILES, ANY, "", "none", 0, "a file or a list of files to read before this one",
          .sub = &tmli_schema_include),
    FIELD("defaults", BLOCK, ANY, "", "none", 0, "values for fields that entries do not give",
          .sub = &tmli_schema_defaults),
    SECTION("tables", ENTRIES, "none", table, "functions given by points, by name"),
    SECTIONS,
    FIELD("run", BLOCK, ANY, "", "", 0, "settings of the run", .sub = &tmli_schema_run),
};
const tmli_schema tmli_schema_model =
    SCHEMA(MODEL, "model", NULL, model_fields, 0, NULL, "The file is a map with these keys, in any order.");

const tmli_schema *const tmli_schemas[TMLI_SCHEMA_COUNT] = {
    &tmli_schema_model,   &tmli_schema_body,  &tmli_schema_frame,   &tmli_schema_rotation,
    &tmli_schema_ground,  &tmli_schema_beam,  &tmli_schema_joint,   &tmli_schema_road,
    &tmli_schema_force,   &tmli_schema_state, &tmli_schema_input,   &tmli_schema_output,
    &tmli_schema_event,   &tmli_schema_run,   &tmli_schema_repeat,  &tmli_schema_defaults,
    &tmli_schema_include, &tmli_schema_table, &tmli_schema_limits,  &tmli_schema_friction,
    &tmli_schema_motor,   &tmli_schema_shape, &tmli_schema_contact, &tmli_schema_modal,
    &tmli_schema_scale,   &tmli_schema_magic};

#define TEXTS(count)                       \
    {                                      \
        count, 0, (count) * sizeof(char *) \
    }
#define NUMBERS(count)                     \
    {                                      \
        0, count, (count) * sizeof(double) \
    }
tmli_stored tmli_field_stored(const tmli_field *f)
{
    static const tmli_stored of_kind[TMLI_FIELD_PARTIAL + 1] = {
        [TMLI_FIELD_TEXT] = TEXTS(1),
        [TMLI_FIELD_WORD] = TEXTS(1),
        [TMLI_FIELD_REFERENCE] = TEXTS(1),
        [TMLI_FIELD_BODY] = TEXTS(1),
        [TMLI_FIELD_ROAD] = TEXTS(1),
        [TMLI_FIELD_COORDINATE] = TEXTS(1),
        [TMLI_FIELD_COORDINATES] = TEXTS(TML_ACTUATORS),
        [TMLI_FIELD_EXPRESSION] = TEXTS(1),
        [TMLI_FIELD_FORCE3] = TEXTS(3),
        [TMLI_FIELD_TORQUE3] = TEXTS(3),
        [TMLI_FIELD_NUMBER] = NUMBERS(1),
        [TMLI_FIELD_AUGMENT] = NUMBERS(1),
        [TMLI_FIELD_LOAD] = NUMBERS(1),
        [TMLI_FIELD_VECTOR] = NUMBERS(3),
        [TMLI_FIELD_AXIS] = NUMBERS(3),
        [TMLI_FIELD_SPIN] = NUMBERS(3),
        [TMLI_FIELD_GRAVITY] = NUMBERS(3),
        [TMLI_FIELD_ANGLES] = NUMBERS(3),
        [TMLI_FIELD_QUATERNION] = NUMBERS(4),
        [TMLI_FIELD_ROTATION] = NUMBERS(4),
        [TMLI_FIELD_INERTIA] = NUMBERS(6),
        [TMLI_FIELD_VECTOR6] = NUMBERS(6),
        [TMLI_FIELD_MATRIX6] = NUMBERS(36),
        [TMLI_FIELD_INTEGER] = {0, 0, sizeof(int)},
        [TMLI_FIELD_CHOICE] = {0, 0, sizeof(int)},
        [TMLI_FIELD_SCALING] = {0, 0, sizeof(int)},
        [TMLI_FIELD_BOOL] = {0, 0, sizeof(bool)},
        [TMLI_FIELD_BOOL_CHOICE] = {0, 0, sizeof(bool)},
    };
    return of_kind[f->kind];
}

const tmli_field *tmli_schema_find(const tmli_schema *s, const char *key, int type)
{
    for (int i = 0; i < s->nfields; i++) {
        const tmli_field *f = &s->fields[i];
        if (strcmp(f->key, key) == 0 && (type < 0 || (f->types >> type & 1u))) return f;
    }
    return NULL;
}

const char *tmli_schema_type_name(const tmli_schema *s, int type)
{
    if (!s->types || type < 0) return "";
    for (const tmli_key_choice *t = s->types; t->name; t++)
        if (t->value == type) return t->name;
    return "";
}

int tmli_schema_keys(const tmli_schema *s, int type, const char **keys, int room)
{
    int n = 0;
    for (int i = 0; i < s->nfields && n < room; i++) {
        const tmli_field *f = &s->fields[i];
        if (type >= 0 && !(f->types >> type & 1u)) continue;
        if (tmli_schema_find(s, f->key, type) == f) keys[n++] = f->key;
    }
    return n;
}

const char *tmli_schema_owners(const tmli_schema *s, const char *key, char *buf, size_t size)
{
    size_t used = 0;
    buf[0] = 0;
    for (const tmli_key_choice *t = s->types; t && t->name; t++) {
        if (!tmli_schema_find(s, key, t->value)) continue;
        const int n = snprintf(buf + used, size - used, "%s%s", used ? ", " : "", t->name);
        if (n < 0 || (size_t)n >= size - used) break;
        used += (size_t)n;
    }
    return buf;
}
