// The reference page of the file format, from the schema.
#include "expr/expr.h"
#include "expr/function.h"
#include "spec/pages/text.h"

#include <stdarg.h>

void tmli_text_put(const tmli_text_out *o, const char *piece, ...)
{
    va_list args;
    va_start(args, piece);
    for (const char *p = piece; p; p = va_arg(args, const char *)) o->sink(p, o->user);
    va_end(args);
}

static const char intro[] =
    "# The model file\n\n"
    "<!-- generated from src/spec/schema.c: do not edit by hand -->\n\n"
    "A model file is one YAML (or JSON) document in UTF-8. Units are SI, angles are in rad.\n\n"
    "- **Numbers** may be expressions of parameters: `2*L`, `30 deg`, `sqrt(2)/3`. Quote a text in `[ ]` "
    "or `{ }` that contains\n"
    "  a comma, a colon or braces.\n"
    "- **Frames** are written `body.frame` or `ground.frame`; `body` alone is the centre of mass with the "
    "axes of the body, `ground`\n"
    "  alone is the inertial frame.\n"
    "- **Expressions of the run** (driver motion, force law, applied force, output, event) may use `t`, "
    "parameters and the state: see\n"
    "  `of`, `law` and `value` below. They may jump and have kinks: `if` with comparisons, `and`, `or`, "
    "`not`; "
    "`abs`, `sign`, `min`,\n"
    "  `max`, `clamp`, `step` (a smooth transition), `floor`, `ceil`, `round`, `mod`. Steps end at such a "
    "discontinuity of a force\n"
    "  or motion and the integration restarts there (`switches` of the run), so that it does not degrade the "
    "accuracy. Example\n"
    "  of a contact force: `if(b.y < 0, -k*b.y - c*b.vy, 0)`.\n"
    "  Of two frames, `distance(a, b)` and `speed(a, b)` are their distance and its rate, `angle(a, b)` the "
    "angle about z of a,\n"
    "  `dx(a, b)`, `dy`, `dz` the coordinates of b in the frame a, and `vx(a, b)`, `vy`, `vz` their rates. "
    "Attitudes of bodies are\n"
    "  `body.roll`, `pitch`, `yaw` (turns about z, then y, then x) and `body.roll_rate`, ...\n"
    "- **Operators** are `+ - * / ^`, comparisons `< <= > >= == !=`, and `and`, `or`, `not`; "
    "**functions**:\n";

static const char intro_rest[] =
    "- **Names** consist of letters, digits and `_`. Bodies, joints, roads and forces share one set of "
    "names; "
    "words of the\n"
    "  expression language (`t`, `pi`, `deg`, `ground`, `and`, `or`, `not`) cannot be names, and of tables "
    "functions cannot either.\n"
    "- `{...}` in a name or text is replaced by the value of the expression inside, which may use parameters "
    "and, in a repeat\n"
    "  block, its index: `link{N}.tip`.\n"
    "- YAML anchors, aliases and merge keys (`<<`) are supported. A key that is not listed here is an error; "
    "nothing is ignored.\n"
    "- **Planar models** (`planar: true`) move in the x-y plane: vectors may have two entries; orientation "
    "and angular velocity\n"
    "  are one number about z.\n\n"
    "```yaml\n"
    "title: Double pendulum\n"
    "planar: true\n"
    "gravity: 9.81\n"
    "parameters: {L: 0.4}\n"
    "bodies:\n"
    "  upper: {mass: 1, inertia: L^2/12, position: [L/2, 0], frames: {root: [-L/2, 0], tip: [L/2, 0]}}\n"
    "  lower: {mass: 1, inertia: L^2/12, position: [3/2*L, 0], frames: {root: [-L/2, 0]}}\n"
    "joints:\n"
    "  shoulder: {type: revolute, a: ground, b: upper.root}\n"
    "  elbow: {type: revolute, a: upper.tip, b: lower.root}\n"
    "run: {end: 5, tol: 1e-6}\n"
    "```\n";

static const char *range_words(tmli_range range)
{
    switch (range) {
    case TMLI_RANGE_ANY: return "";
    case TMLI_RANGE_NONNEGATIVE: return " >= 0";
    case TMLI_RANGE_POSITIVE: return " > 0";
    case TMLI_RANGE_UNIT: return " from 0 to 1";
    case TMLI_RANGE_NONZERO: return ", not 0";
    }
    return "";
}

static const char *capital(const tmli_schema *s)
{
    static const struct {
        const tmli_schema *schema;
        const char *heading;
    } headings[] = {{&tmli_schema_model, "Model"},
                    {&tmli_schema_body, "Bodies"},
                    {&tmli_schema_frame, "Frames"},
                    {&tmli_schema_beam, "Beams"},
                    {&tmli_schema_modal, "Modal bodies"},
                    {&tmli_schema_joint, "Joints"},
                    {&tmli_schema_road, "Roads"},
                    {&tmli_schema_force, "Forces"},
                    {&tmli_schema_shape, "Shapes"},
                    {&tmli_schema_contact, "Contacts"},
                    {&tmli_schema_state, "States"},
                    {&tmli_schema_input, "Inputs"},
                    {&tmli_schema_table, "Tables"},
                    {&tmli_schema_output, "Outputs"},
                    {&tmli_schema_event, "Events"},
                    {&tmli_schema_run, "Run"},
                    {&tmli_schema_ground, "Ground"},
                    {&tmli_schema_defaults, "Defaults"},
                    {&tmli_schema_repeat, "Repeat blocks"},
                    {&tmli_schema_rotation, "Orientations"},
                    {&tmli_schema_limits, "Limits"},
                    {&tmli_schema_friction, "Friction"},
                    {&tmli_schema_motor, "Motors"},
                    {&tmli_schema_magic, "Magic formula"},
                    {&tmli_schema_scale, "Scaling by hand"},
                    {&tmli_schema_include, "Include"}};
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        if (headings[i].schema == s) return headings[i].heading;
    return s->name;
}

// All types of a schema, as bits.
static uint32_t known_types(const tmli_schema *s)
{
    uint32_t all = 0;
    for (const tmli_key_choice *t = s->types; t && t->name; t++) all |= 1u << t->value;
    return all;
}

static void put_types(const tmli_text_out *o, const tmli_schema *s, uint32_t types)
{
    const uint32_t all = known_types(s);
    types &= all;
    if (types == all) {
        tmli_text_put(o, "all", NULL);
        return;
    }
    int given = 0, count = 0;
    for (const tmli_key_choice *t = s->types; t->name; t++) {
        count++;
        given += (int)(types >> t->value & 1u);
    }
    const bool inverse = 2 * given > count + 3;
    const char *between = inverse ? "all but " : "";
    for (const tmli_key_choice *t = s->types; t->name; t++) {
        if ((bool)(types >> t->value & 1u) == inverse) continue;
        tmli_text_put(o, between, t->name, NULL);
        between = ", ";
    }
}

static void put_choices(const tmli_text_out *o, const tmli_key_choice *choices)
{
    tmli_text_put(o, "| word | meaning |\n|---|---|\n", NULL);
    for (const tmli_key_choice *c = choices; c->name; c++)
        tmli_text_put(o, "| `", c->name, "` | ", c->doc, " |\n", NULL);
}

// Escape bars, which would end the cell.
static void put_cell(const tmli_text_out *o, const char *text)
{
    for (const char *p = text; *p; p++) {
        const char piece[2] = {*p, 0};
        tmli_text_put(o, *p == '|' ? "\\|" : piece, NULL);
    }
}

static void put_fields(const tmli_text_out *o, const tmli_schema *s)
{
    tmli_text_put(o, "\n| key | value | unit | default |", s->types ? " types |" : "",
                  " meaning |\n|---|---|---|---|", s->types ? "---|" : "", "---|\n", NULL);
    for (int i = 0; i < s->nfields; i++) {
        const tmli_field *f = &s->fields[i];
        tmli_text_put(o, "| `", f->key, "` | ", tmli_field_words(f),
                      f->kind == TMLI_FIELD_AUGMENT ? "" : range_words(f->range), " | ", f->unit, " | ",
                      f->required ? "**required**" : f->fallback, " | ", NULL);
        if (s->types) {
            put_types(o, s, f->types);
            tmli_text_put(o, " | ", NULL);
        }
        put_cell(o, f->doc);
        tmli_text_put(o, " |\n", NULL);
    }
}

void tmli_schema_section(const char *heading, const tmli_schema *s, tmli_text_sink *sink, void *user)
{
    const tmli_text_out o = {sink, user};
    tmli_text_put(&o, "\n## ", heading, "\n\n", s->doc, "\n", NULL);
    if (s->nfields) put_fields(&o, s);
    for (int k = 0; k < s->nfields; k++) {
        const tmli_field *f = &s->fields[k];
        if (!f->choices) continue;
        tmli_text_put(&o, "\nWords for `", f->key, "`:\n\n", NULL);
        put_choices(&o, f->choices);
    }
}

static void put_functions(const tmli_text_out *o)
{
    for (const char *const *name = tmli_expr_functions; *name; name++) {
        const tmli_function *f = tmli_function_find(*name);
        if (f)
            tmli_text_put(o, name == tmli_expr_functions ? "  `" : ", `", *name, "(", f->arguments, ")`",
                          NULL);
    }
    tmli_text_put(o, "; the number `pi`.\n", NULL);
}

void tmli_schema_markdown(tmli_text_sink *sink, void *user)
{
    const tmli_text_out o = {sink, user};
    sink(intro, user);
    put_functions(&o);
    sink(intro_rest, user);
    for (int i = 0; i < TMLI_SCHEMA_COUNT; i++)
        tmli_schema_section(capital(tmli_schemas[i]), tmli_schemas[i], sink, user);
}
