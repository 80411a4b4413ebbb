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
    {"value", TMLI_FIELD_EXPRESSION, TMLI_RANGE_ANY, "", "", ALL, ALL, offsetof(tml_output_def, value), 0,
     NULL, NULL,
     "expression of t, states, joint coordinates, accelerations (`body.ax`, `body.frame.ax`, `body.alx`, "
     "`joint.angle_acceleration`), reactions, distances"},
    {"unit", TMLI_FIELD_TEXT, TMLI_RANGE_ANY, "", "inferred", ALL, 0, offsetof(tml_output_def, unit), 0, NULL,
     NULL,
     "unit of the value, for results; an angle with `deg`, a length with `mm` and the like (`deg/s`, `rpm`, "
     "`km/h`, `kN`, `kN m`, `kW`) are converted to it. Without it, that of the expression, if it has no "
     "parameter as a factor"},
};
const tmli_schema tmli_schema_output = {TMLI_SCHEMA_EXPRESSION,
                                        "output",
                                        "A named expression, written as a column of the results. `NAME: "
                                        "expression` is short for a value alone.",
                                        NULL,
                                        COUNT(output_fields),
                                        output_fields,
                                        sizeof(tml_output_def),
                                        &tmli_kind_output};

static const tmli_field event_fields[] = {
    {"when", TMLI_FIELD_EXPRESSION, TMLI_RANGE_ANY, "", "", ALL, ALL, offsetof(tml_event_def, when), 0, NULL,
     NULL, "the run stops where this expression crosses zero"},
    {"direction", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "both", ALL, 0, offsetof(tml_event_def, direction),
     0, direction_choices, NULL, "direction of the crossing"},
};
const tmli_schema tmli_schema_event = {TMLI_SCHEMA_ENTRY,
                                       "event",
                                       "Stops the run when an expression crosses zero.",
                                       NULL,
                                       COUNT(event_fields),
                                       event_fields,
                                       sizeof(tml_event_def),
                                       &tmli_kind_event};

#define STATE(m) offsetof(tml_state_def, m)
static const tmli_field state_fields[] = {
    {"rate", TMLI_FIELD_EXPRESSION, TMLI_RANGE_ANY, "unit/s", "", ALL, ALL, STATE(rate), 0, NULL, NULL,
     "rate of change as an expression of t, states, inputs and motion"},
    {"start", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "unit", "0", ALL, 0, STATE(start), 0, NULL, NULL,
     "value at the start"},
    {"scale", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "unit", "1", ALL, 0, STATE(scale), 0, NULL, NULL,
     "nominal magnitude, for the absolute tolerance"},
    {"unit", TMLI_FIELD_TEXT, TMLI_RANGE_ANY, "", "1", ALL, 0, STATE(unit), 0, NULL, NULL,
     "unit of the value, for results"},
};
const tmli_schema tmli_schema_state = {TMLI_SCHEMA_ENTRY,
                                       "state",
                                       "A first-order state, integrated with the motion by every method: "
                                       "controllers, actuators, filters. Expressions use it by its name.",
                                       NULL,
                                       COUNT(state_fields),
                                       state_fields,
                                       sizeof(tml_state_def),
                                       &tmli_kind_state};

#define INPUT(m) offsetof(tml_input_def, m)
static const tmli_field input_fields[] = {
    {"value", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "unit", "0", ALL, 0, INPUT(value), 0, NULL, NULL,
     "value at the start; the command keeps it, a program changes it between steps"},
    {"unit", TMLI_FIELD_TEXT, TMLI_RANGE_ANY, "", "1", ALL, 0, INPUT(unit), 0, NULL, NULL,
     "unit of the value, for results"},
};
const tmli_schema tmli_schema_input = {TMLI_SCHEMA_ENTRY,
                                       "input",
                                       "A number that a program which uses the library sets between steps "
                                       "(`tml_sim_set_input`). Expressions of forces, states, outputs and "
                                       "events use it by its name. Nothing else changes during a run: "
                                       "parameters are fixed when the model is built. A stiffness that is to "
                                       "change is an input in the expression of an applied force, as in "
                                       "`force: [\"-k*cart.x\", 0]` with `inputs: {k: {value: 300, unit: "
                                       "N/m}}`; then `tml_sim_set_parameter(sim, \"k\", 450, &err)` sets it.",
                                       NULL,
                                       COUNT(input_fields),
                                       input_fields,
                                       sizeof(tml_input_def),
                                       &tmli_kind_input};

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
    {"points", TMLI_FIELD_TABLE, TMLI_RANGE_ANY, "", "those of `file`", ALL, 0, TABLE(points), TABLE(count),
     NULL, NULL, "rows [x, y], x ascending"},
    {"file", TMLI_FIELD_TEXT, TMLI_RANGE_ANY, "", "none", ALL, 0, TABLE(file), 0, NULL, NULL,
     "a CSV file with the points; its path is relative to the model file"},
    {"x", TMLI_FIELD_TEXT, TMLI_RANGE_ANY, "", "1", ALL, 0, TABLE(x), 0, NULL, NULL,
     "column of the argument: its name in the first line of the file, or its number from 1"},
    {"y", TMLI_FIELD_TEXT, TMLI_RANGE_ANY, "", "2", ALL, 0, TABLE(y), 0, NULL, NULL, "column of the values"},
    {"interpolation", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "monotone", ALL, 0, TABLE(style.interpolation),
     0, tmli_interpolations, NULL, "the curve between the points"},
    {"outside", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "extend", ALL, 0, TABLE(style.outside), 0,
     tmli_outsides, NULL, "the curve before the first and after the last point"},
};
const tmli_schema tmli_schema_table = {
    TMLI_SCHEMA_ENTRY,
    "table",
    "A function of one argument, given by points: `NAME(x)` in any expression "
    "of the run, or `table: NAME` of a force or road. See [tables](tables.md).",
    NULL,
    COUNT(table_fields),
    table_fields,
    sizeof(tml_table_def),
    &tmli_kind_table};

static const tmli_field ground_fields[] = {
    {"frames", TMLI_FIELD_FRAMES, TMLI_RANGE_ANY, "", "none", ALL, 0, 0, 0, NULL, &tmli_schema_frame,
     "named points with axes on the ground, in the inertial frame"},
};
const tmli_schema tmli_schema_ground = {TMLI_SCHEMA_GROUND,
                                        "ground",
                                        "Frames fixed in the inertial frame.",
                                        NULL,
                                        COUNT(ground_fields),
                                        ground_fields,
                                        0,
                                        NULL};

static const tmli_field defaults_fields[] = {
    {"bodies", TMLI_FIELD_PARTIAL, TMLI_RANGE_ANY, "", "none", ALL, 0, 0, 0, NULL, &tmli_schema_body,
     "values for fields that a body does not give"},
    {"beams", TMLI_FIELD_PARTIAL, TMLI_RANGE_ANY, "", "none", ALL, 0, 0, 0, NULL, &tmli_schema_beam,
     "values for fields that a beam does not give"},
    {"modal_bodies", TMLI_FIELD_PARTIAL, TMLI_RANGE_ANY, "", "none", ALL, 0, 0, 0, NULL, &tmli_schema_modal,
     "values for fields that a modal body does not give"},
    {"joints", TMLI_FIELD_PARTIAL, TMLI_RANGE_ANY, "", "none", ALL, 0, 0, 0, NULL, &tmli_schema_joint,
     "values for fields that a joint does not give, if they apply to its type"},
    {"forces", TMLI_FIELD_PARTIAL, TMLI_RANGE_ANY, "", "none", ALL, 0, 0, 0, NULL, &tmli_schema_force,
     "values for fields that a force does not give, if they apply to its type"},
    {"shapes", TMLI_FIELD_PARTIAL, TMLI_RANGE_ANY, "", "none", ALL, 0, 0, 0, NULL, &tmli_schema_shape,
     "values for fields that a shape does not give, if they apply to its type"},
    {"contacts", TMLI_FIELD_PARTIAL, TMLI_RANGE_ANY, "", "none", ALL, 0, 0, 0, NULL, &tmli_schema_contact,
     "values for fields that a contact does not give"},
};
const tmli_schema tmli_schema_defaults = {
    TMLI_SCHEMA_BLOCK,
    "defaults",
    "Values for fields that an entry of this file does not give. They do not apply to included files.",
    NULL,
    COUNT(defaults_fields),
    defaults_fields,
    0,
    NULL};

// clang-format off
#define SECTION(key, kind, fallback, sub, doc) \
    {key, kind, TMLI_RANGE_ANY, "", fallback, ALL, 0, 0, 0, NULL, &tmli_schema_##sub, doc}
#define SECTIONS \
    SECTION("ground", TMLI_FIELD_BLOCK, "", ground, "frames fixed in the inertial frame"), \
    SECTION("bodies", TMLI_FIELD_ENTRIES, "none", body, "rigid bodies by name"), \
    SECTION("beams", TMLI_FIELD_ENTRIES, "none", beam, "flexible beams by name"), \
    SECTION("modal_bodies", TMLI_FIELD_ENTRIES, "none", modal, "elastic parts of modes, by name"), \
    SECTION("joints", TMLI_FIELD_ENTRIES, "none", joint, "joints by name"), \
    SECTION("roads", TMLI_FIELD_ENTRIES, "none", road, "roads for tyres, by name"), \
    SECTION("forces", TMLI_FIELD_ENTRIES, "none", force, "force elements by name"), \
    SECTION("shapes", TMLI_FIELD_ENTRIES, "none", shape, "shapes of bodies, for contacts, by name"), \
    SECTION("contacts", TMLI_FIELD_ENTRIES, "none", contact, "contacts between shapes by name"), \
    SECTION("states", TMLI_FIELD_ENTRIES, "none", state, "first-order states by name"), \
    SECTION("inputs", TMLI_FIELD_ENTRIES, "none", input, "inputs by name"), \
    SECTION("outputs", TMLI_FIELD_EXPRESSIONS, "none", output, \
            "extra columns of the results, `NAME: expression`"), \
    SECTION("events", TMLI_FIELD_ENTRIES, "none", event, "conditions that stop the run, by name"), \
    SECTION("repeat", TMLI_FIELD_BLOCKS, "none", repeat, \
            "blocks of entries generated for each value of an index")
// clang-format on

static const tmli_field repeat_fields[] = {
    {"index", TMLI_FIELD_WORD, TMLI_RANGE_ANY, "", "", ALL, ALL, 0, 0, NULL, NULL, "name of the index"},
    {"from", TMLI_FIELD_INTEGER, TMLI_RANGE_ANY, "", "1", ALL, 0, 0, 0, NULL, NULL,
     "first value of the index"},
    {"to", TMLI_FIELD_INTEGER, TMLI_RANGE_ANY, "", "", ALL, ALL, 0, 0, NULL, NULL,
     "last value of the index; nothing is generated if `from` is beyond it"},
    {"step", TMLI_FIELD_INTEGER, TMLI_RANGE_NONZERO, "", "1", ALL, 0, 0, 0, NULL, NULL,
     "difference between successive values"},
    SECTIONS,
};
const tmli_schema tmli_schema_repeat = {TMLI_SCHEMA_BLOCK,
                                        "repeat",
                                        "A block of entries generated once for each value of the index. In "
                                        "names and in every text of the block `{...}` is "
                                        "replaced by the value of the expression inside (whole numbers "
                                        "without a decimal point). Numbers may also use the index by its "
                                        "name; expressions evaluated during the run (law, motion, outputs, "
                                        "when, force, torque) can use it only as `{i}`.",
                                        NULL,
                                        COUNT(repeat_fields),
                                        repeat_fields,
                                        0,
                                        NULL};

const tmli_schema tmli_schema_include = {
    TMLI_SCHEMA_BLOCK,
    "include",
    "The entries of an included file precede those of the including file. "
    "Paths are relative to the including file; the files are in or below the folder of the model file, of "
    "its "
    "project (the nearest folder above with an empty file `trammel.project`), or of `--allow-path`. A file "
    "that is included twice is "
    "read once; a file that includes itself is an error. Only one of the files "
    "may give title, planar, gravity and run; parameters are common to all.",
    NULL,
    0,
    NULL,
    0,
    NULL};

static const tmli_field model_fields[] = {
    {"title", TMLI_FIELD_TEXT, TMLI_RANGE_ANY, "", "none", ALL, 0, 0, 0, NULL, NULL,
     "title of the model, one line"},
    {"description", TMLI_FIELD_TEXT, TMLI_RANGE_ANY, "", "none", ALL, 0, 0, 0, NULL, NULL,
     "text for readers of the file; it has no effect"},
    {"planar", TMLI_FIELD_BOOL, TMLI_RANGE_ANY, "", "false", ALL, 0, 0, 0, NULL, NULL,
     "motion in the x-y plane: vectors may be written with two numbers, orientations and angular velocities "
     "with one"},
    {"gravity", TMLI_FIELD_GRAVITY, TMLI_RANGE_ANY, "m/s^2", "0", ALL, 0, 0, 0, NULL, NULL,
     "inertial frame; one number (>= 0) means downwards: -y in planar models, else -z"},
    {"parameters", TMLI_FIELD_NUMBERS, TMLI_RANGE_ANY, "", "none", ALL, 0, 0, 0, NULL, NULL,
     "named numbers; they may use each other in any order, and the command can replace them (`--set`)"},
    {"include", TMLI_FIELD_FILES, TMLI_RANGE_ANY, "", "none", ALL, 0, 0, 0, NULL, &tmli_schema_include,
     "a file or a list of files to read before this one"},
    {"defaults", TMLI_FIELD_BLOCK, TMLI_RANGE_ANY, "", "none", ALL, 0, 0, 0, NULL, &tmli_schema_defaults,
     "values for fields that entries do not give"},
    SECTION("tables", TMLI_FIELD_ENTRIES, "none", table, "functions given by points, by name"),
    SECTIONS,
    {"run", TMLI_FIELD_BLOCK, TMLI_RANGE_ANY, "", "", ALL, 0, 0, 0, NULL, &tmli_schema_run,
     "settings of the run"},
};
const tmli_schema tmli_schema_model = {TMLI_SCHEMA_MODEL,
                                       "model",
                                       "The file is a map with these keys, in any order.",
                                       NULL,
                                       COUNT(model_fields),
                                       model_fields,
                                       0,
                                       NULL};

const tmli_schema *const tmli_schemas[TMLI_SCHEMA_COUNT] = {
    &tmli_schema_model,   &tmli_schema_body,    &tmli_schema_frame,  &tmli_schema_rotation,
    &tmli_schema_ground,  &tmli_schema_beam,    &tmli_schema_joint,  &tmli_schema_road,
    &tmli_schema_force,   &tmli_schema_state,   &tmli_schema_input,  &tmli_schema_output,
    &tmli_schema_event,   &tmli_schema_run,     &tmli_schema_repeat, &tmli_schema_defaults,
    &tmli_schema_include, &tmli_schema_table,   &tmli_schema_limits, &tmli_schema_friction,
    &tmli_schema_shape,   &tmli_schema_contact, &tmli_schema_modal,  &tmli_schema_scale,
    &tmli_schema_magic};

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
