// One entry of a section: check its keys against the schema, read its fields, add the definition to the spec.
#include "io/yaml.h"
#include "spec/mass/mesh.h"

#include <stdio.h>
#include <string.h>

// Fields of one entry, and keys of all types together; the tests compare them with the longest schema.
enum { MARKS = 64, KEYS = 128 };

/** Positions of the fields of one entry while it is read. */
typedef struct marks {
    tmli_field_mark items[MARKS];
    int count;
} marks;

tml_status tmli_entry_expect_map(tmli_reader *r, const tmli_yaml_node *n, const char *key)
{
    char label[64];
    if (n->kind == TMLI_NODE_MAP) return TML_OK;
    tmli_fail_at(r->err, TML_ERR_SYNTAX, n->at, "'%s' is %s, expected a map.", key,
                 tmli_yaml_node_label(n, label));
    if (n->kind == TMLI_NODE_LIST)
        tmli_error_append(r->err, "(Entries have names: 'NAME: ...' in place of '- ...'.)");
    return TML_ERR_SYNTAX;
}

tml_status tmli_entry_count(tmli_reader *r, tml_mark at)
{
    if (++r->entries <= TMLI_ENTRIES) return TML_OK;
    return tmli_fail_at(r->err, TML_ERR_MODEL, at,
                        "The model has more than %d entries (check the repeat blocks).", TMLI_ENTRIES);
}

static const char *list_keys(const char *const *keys, int count, char *buf, size_t size)
{
    size_t used = 0;
    buf[0] = 0;
    for (int i = 0; i < count && used < size; i++) {
        const int n = snprintf(buf + used, size - used, "%s%s", i ? ", " : "", keys[i]);
        if (n > 0) used += (size_t)n;
    }
    return buf;
}

// "type:revolute" is one word: the valid key before its ':', or NULL.
static const char *joined_key(const tmli_schema *s, int type, const char *text)
{
    const char *keys[KEYS], *colon = strchr(text, ':');
    const int count = colon ? tmli_schema_keys(s, type, keys, KEYS) : 0;
    for (int i = 0; i < count; i++)
        if (strncmp(keys[i], text, (size_t)(colon - text)) == 0 && !keys[i][colon - text]) return keys[i];
    return NULL;
}

static void add_joined(tml_error *err, const char *key, const char *text)
{
    tmli_error_append(err, "(A blank must follow the ':': '%s: %.60s'.)", key, strchr(text, ':') + 1);
}

// The section whose entries have a type of this name; NULL: none has.
static const char *section_of(const char *type)
{
    static const tmli_schema *const typed[] = {&tmli_schema_joint, &tmli_schema_force, &tmli_schema_shape,
                                               &tmli_schema_beam, &tmli_schema_road};
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++)
        for (const tmli_key_choice *c = typed[i]->types; c->name; c++)
            if (strcmp(c->name, type) == 0) return typed[i]->entry->section;
    return NULL;
}

// `value` is that of the key, or NULL.
static tml_status unknown_key(tmli_reader *r, const tmli_schema *s, int type, const char *owner,
                              const tmli_yaml_node *key, const tmli_yaml_node *value)
{
    const char *keys[KEYS], *type_name = tmli_schema_type_name(s, type);
    const char *joined = joined_key(s, type, key->text), *section = NULL;
    char list[600];
    if (tmli_schema_find(s, key->text, -1))
        return tmli_fail_at(r->err, TML_ERR_NAME, key->at,
                            "'%s' does not apply to %s %s %s; it belongs to: %s.", key->text,
                            type_name[0] == 'a' ? "an" : "a", type_name, s->name,
                            tmli_schema_owners(s, key->text, list, sizeof list));
    if (tmli_is_rest_of_text(key->text))
        return tmli_fail_at(r->err, TML_ERR_NAME, key->at, "Unknown key '%.80s' in %s.%s", key->text, owner,
                            TMLI_QUOTE_COMMA);
    if (!s->types && s->entry && strcmp(key->text, "type") == 0 && value->kind == TMLI_NODE_SCALAR)
        section = section_of(value->text);
    if (joined || section) {
        tmli_fail_at(r->err, TML_ERR_NAME, key->at, "Unknown key '%.80s' in %s.", key->text, owner);
        if (joined) add_joined(r->err, joined, key->text);
        else
            tmli_error_append(r->err, "('%.40s' belongs to '%s': is the line '%s:' missing before it?)",
                              value->text, section, section);
        return TML_ERR_NAME;
    }
    const int count = tmli_schema_keys(s, type, keys, KEYS);
    const tmli_hint near = tmli_hint_word(key->text, keys, (size_t)count);
    if (near.text[0])
        return tmli_fail_at(r->err, TML_ERR_NAME, key->at, "Unknown key '%.80s' in %s%s.", key->text, owner,
                            near.text);
    return tmli_fail_at(r->err, TML_ERR_NAME, key->at, "Unknown key '%.80s' in %s; expected: %s.", key->text,
                        owner, list_keys(keys, count, list, sizeof list));
}

// A section that stands inside another one, whose entry it would be.
static void add_section(tmli_reader *r, const tmli_schema *s, const char *name)
{
    if (s->entry && name && tmli_schema_find(&tmli_schema_model, name, -1))
        tmli_error_append(r->err, "('%.40s' is a section of the model: is it indented too far?)", name);
}

tml_status tmli_entry_check_keys(tmli_reader *r, const tmli_schema *s, int type, const char *name,
                                 const tmli_yaml_node *map)
{
    int i = 0;
    while (i < map->count && tmli_schema_find(s, map->items[2 * i]->text, type)) i++;
    if (i == map->count) return TML_OK;
    char owner[160];
    if (name)
        snprintf(owner, sizeof owner, s->kind == TMLI_SCHEMA_VALUE ? "%s of '%.80s'" : "%s '%.80s'", s->name,
                 name);
    else snprintf(owner, sizeof owner, s->kind == TMLI_SCHEMA_MODEL ? "the %s" : "'%s'", s->name);
    const tml_status st = unknown_key(r, s, type, owner, map->items[2 * i], map->items[2 * i + 1]);
    add_section(r, s, name);
    return st;
}

static void add_mark(marks *m, const char *key, tml_mark at)
{
    if (m->count < MARKS) m->items[m->count++] = (tmli_field_mark){key, at};
}

// Components of force and torque have their own marks ("force[0]"), for the position of an error.
static void add_component_marks(marks *m, const tmli_field *f, const tmli_yaml_node *n)
{
    static const char *const keys[2][3] = {{"force[0]", "force[1]", "force[2]"},
                                           {"torque[0]", "torque[1]", "torque[2]"}};
    const char *const *names = keys[f->kind == TMLI_FIELD_TORQUE3];
    if (n->kind == TMLI_NODE_SCALAR) add_mark(m, names[2], n->at);
    for (int i = 0; i < n->count && i < 3; i++) add_mark(m, names[i], n->items[i]->at);
}

// The interpolation of the table that a field names; keys that follow may replace it.
static void copy_style(tmli_reader *r, const tmli_schema *s, const tmli_yaml_node *n, void *def)
{
    const tmli_table_entry *table = tmli_csv_find_table(r, n->text);
    const tmli_field *interpolation = tmli_schema_find(s, "interpolation", -1),
                     *outside = tmli_schema_find(s, "outside", -1);
    if (!table || !interpolation || !outside) return;
    *(int *)(void *)((char *)def + interpolation->offset) = (int)table->def.style.interpolation;
    *(int *)(void *)((char *)def + outside->offset) = (int)table->def.style.outside;
}

static bool is_structural(tmli_field_kind kind)
{
    return kind == TMLI_FIELD_FRAMES || kind == TMLI_FIELD_SHAPES;
}

// Whether the first coordinate of a joint, which a torque can drive, or that of a force along one is an
// angle.
static bool is_along_angle(const tmli_schema *s, int type, const tmli_yaml_node *entry)
{
    static const char angle[] = ".angle";
    const tmli_field *torque = tmli_schema_find(s, "torque", type);
    if (torque && torque->kind == TMLI_FIELD_EXPRESSION) return true;
    const tmli_yaml_node *of = tmli_schema_find(s, "of", type) ? tmli_yaml_node_get(entry, "of") : NULL;
    const size_t n = of && of->kind == TMLI_NODE_SCALAR ? strlen(of->text) : 0;
    return n >= sizeof angle && strcmp(of->text + n - (sizeof angle - 1), angle) == 0;
}

// Read all fields of the entry, or of the defaults if the entry does not give them, into def.
static tml_status read_fields(tmli_reader *r, const tmli_schema *s, int type, const char *name,
                              const tmli_yaml_node *entry, const tmli_yaml_node *defaults, void *def,
                              marks *m)
{
    tml_status st = tmli_entry_check_keys(r, s, type, name, entry);
    r->along_angle = is_along_angle(s, type, entry);
    for (int i = 0; i < s->nfields && st == TML_OK; i++) {
        const tmli_field *f = &s->fields[i];
        if (!(f->types >> type & 1u) || is_structural(f->kind)) continue;
        const tmli_yaml_node *n = tmli_yaml_node_get(entry, f->key);
        if (!n) n = tmli_yaml_node_get(defaults, f->key);
        const tmli_where w = {s->name, name, f->key};
        if (n) {
            st = tmli_value_field(r, f, n, &w, def);
            add_mark(m, f->key, n->at);
            if (f->kind == TMLI_FIELD_TABLE && n->kind == TMLI_NODE_SCALAR) copy_style(r, s, n, def);
            if (f->kind == TMLI_FIELD_FORCE3 || f->kind == TMLI_FIELD_TORQUE3) add_component_marks(m, f, n);
        } else if (f->required >> type & 1u) {
            st = tmli_fail_at(r->err, TML_ERR_SYNTAX, entry->at, "%s '%.80s' lacks the key '%s': %s.",
                              s->name, name ? name : "", f->key, f->doc);
        }
    }
    return st;
}

// An entry that is no map: what it may have been meant for.
static tml_status expect_fields(tmli_reader *r, const tmli_schema *s, const tmli_yaml_node *value,
                                const tmli_where *w)
{
    char example[160] = "a map of its fields";
    for (int i = 0; i < s->nfields; i++) {
        const tmli_field *f = &s->fields[i];
        if (!(f->required & 1u) || f->kind != TMLI_FIELD_EXPRESSION || value->kind != TMLI_NODE_SCALAR)
            continue;
        snprintf(example, sizeof example, "a map of its fields, such as {%s: %.60s}", f->key, value->text);
        break;
    }
    if (value->kind == TMLI_NODE_LIST && s == &tmli_schema_table)
        snprintf(example, sizeof example, "a map of its fields, such as {points: [[0, 0], [1, 2]]}");
    const tml_status st = tmli_value_fail(r, value, w, example);
    add_section(r, s, w->name);
    return st;
}

// The type is read first, since the other keys depend on it.
static tml_status read_type(tmli_reader *r, const tmli_schema *s, const char *name,
                            const tmli_yaml_node *entry, const tmli_yaml_node *defaults, int *type)
{
    *type = 0;
    if (!s->types) return TML_OK;
    const tmli_field *f = tmli_schema_find(s, "type", -1);
    const tmli_yaml_node *n = tmli_yaml_node_get(entry, "type");
    if (!n) n = tmli_yaml_node_get(defaults, "type");
    const tmli_where w = {s->name, name, "type"};
    if (n) {
        tmli_field at_zero = *f;
        at_zero.offset = 0;
        return tmli_value_field(r, &at_zero, n, &w, type);
    }
    for (int i = 0; i < entry->count; i++)
        if (joined_key(s, -1, entry->items[2 * i]->text)) return tmli_entry_check_keys(r, s, -1, name, entry);
    const char *names[KEYS];
    char list[400];
    int count = 0;
    for (const tmli_key_choice *c = s->types; c->name; c++) names[count++] = c->name;
    return tmli_fail_at(r->err, TML_ERR_SYNTAX, entry->at,
                        "%s '%.80s' lacks the key 'type'; expected one of: %s.", s->name, name,
                        list_keys(names, count, list, sizeof list));
}

// The path of a mesh or height field as seen from the folder of the model file. A mesh is read by those who
// need its triangles.
static tml_status place_shape_file(tmli_reader *r, const tmli_entry *at, tml_shape_def *d)
{
    if (!d->file) return TML_OK;
    // the text that a robot becomes is that of the model file, whatever is said in messages
    const char *base = r->translated ? r->main : at->at.file ? at->at.file : "";
    const char *path = tmli_relative_path(r, base, d->file);
    if (!path) return tmli_fail(r->err, TML_ERR_NOMEM, "No memory for the name of a file.");
    const tml_status st = d->type == TML_SHAPE_HEIGHT_FIELD
                              ? tmli_csv_read_heights(r, at, d)
                              : tmli_note_mesh(r, tmli_entry_mark(at, "file"), path);
    d->file = path;
    return st;
}

// A body has a mass or a density; that of the defaults is for bodies which have neither.
static tml_status check_density(tmli_reader *r, const char *name, const tmli_yaml_node *entry,
                                const tmli_yaml_node *defaults, tml_body_def *d)
{
    static const char *const keys[] = {"mass", "inertia"};
    const tmli_yaml_node *own = tmli_yaml_node_get(entry, "density"),
                         *mass = tmli_yaml_node_get(entry, keys[0]);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const tmli_yaml_node *n = tmli_yaml_node_get(entry, keys[i]);
        if (own && n)
            return tmli_fail_at(r->err, TML_ERR_MODEL, n->at,
                                "body '%.80s' has 'density' and '%s': with a density its shapes give the "
                                "mass and the inertia.",
                                name, keys[i]);
    }
    if (own && !(d->density > 0))
        return tmli_fail_at(r->err, TML_ERR_MODEL, own->at, "'density' of body '%.80s' is %g, expected > 0.",
                            name, d->density);
    if (!mass && !own) mass = tmli_yaml_node_get(defaults, keys[0]);
    if (!mass && !(d->density > 0))
        return tmli_fail_at(r->err, TML_ERR_SYNTAX, entry->at,
                            "body '%.80s' lacks the key 'mass' [kg], or 'density' [kg/m^3] with shapes.",
                            name);
    if (mass) d->density = 0;
    else memset(d->inertia, 0, sizeof d->inertia);  // of the defaults
    if (!mass) d->mass = 0;
    return TML_OK;
}

// An entry of a section, or a shape of a body or frame: then `place` is its `at`.
static tml_status read_entry(tmli_reader *r, const tmli_schema *s, const char *name, tml_mark key_at,
                             const tmli_yaml_node *value, const char *place)
{
    const tmli_yaml_node *defaults = tmli_yaml_node_get(r->defaults, s->entry->section);
    const tmli_where w = {s->name, name, NULL};
    tmli_any_def d;
    marks m = {.count = 0};
    int type = 0;
    tml_status st = value->kind != TMLI_NODE_MAP ? expect_fields(r, s, value, &w)
                                                 : read_type(r, s, name, value, defaults, &type);
    if (st != TML_OK) return st;
    s->entry->start(&d, name);
    st = read_fields(r, s, type, name, value, defaults, &d, &m);
    const tmli_entry at = {.at = key_at, .nfields = m.count, .fields = m.items};
    if (place && st == TML_OK) d.shape.at = place;
    if (st == TML_OK && s == &tmli_schema_shape) st = place_shape_file(r, &at, &d.shape);
    if (st == TML_OK && s == &tmli_schema_body) st = check_density(r, name, value, defaults, &d.body);
    if (st == TML_OK && s == &tmli_schema_table) st = tmli_csv_read_table(r, &at, &d.table);
    if (st == TML_OK && s == &tmli_schema_modal) st = tmli_read_part(r, &at, &d.modal);
    if (st == TML_OK) st = tmli_spec_add(r->spec, s, &d, &at, r->err);
    return st;
}

// The shape, or the shapes, of a body or of one of its frames (frame NULL: of the body).
static tml_status read_shapes(tmli_reader *r, const char *body, const char *frame, const tmli_yaml_node *n)
{
    const bool list = n->kind == TMLI_NODE_LIST;
    const char *place = tmli_arena_format(&r->scratch, "%s%s%s", body, frame ? "." : "", frame ? frame : "");
    tml_status st = place ? TML_OK : tmli_no_memory(r->err, "shape");
    for (int i = 0; i < (list ? n->count : 1) && st == TML_OK; i++) {
        const tmli_yaml_node *one = list ? n->items[i] : n, *at = tmli_yaml_node_get(one, "at");
        if (at)
            return tmli_fail_at(r->err, TML_ERR_NAME, at->at,
                                "The shape of '%.120s' is fixed to it: 'at' belongs to the section 'shapes'.",
                                place);
        char number[24] = "";
        if (i > 0) snprintf(number, sizeof number, "_%d", i + 1);
        const char *name =
            tmli_arena_format(&r->scratch, "%s%s%s%s", body, frame ? "_" : "", frame ? frame : "", number);
        st = name ? tmli_entry_count(r, one->at) : tmli_no_memory(r->err, "shape");
        if (st == TML_OK) st = read_entry(r, &tmli_schema_shape, name, one->at, one, place);
    }
    return st;
}

tml_status tmli_entry_read(tmli_reader *r, const tmli_schema *s, const tmli_yaml_node *key,
                           const tmli_yaml_node *value)
{
    const tmli_yaml_node *defaults = tmli_yaml_node_get(r->defaults, s->entry->section);
    const tmli_where w = {s->name, key->text, NULL};
    const char *name = NULL;
    tmli_arena_reset(&r->scratch);
    tml_status st = tmli_entry_count(r, key->at);
    if (st == TML_OK && value->kind != TMLI_NODE_MAP) st = expect_fields(r, s, value, &w);
    if (st == TML_OK) st = tmli_value_text(r, key, &w, &name);
    if (st == TML_OK) st = read_entry(r, s, name, key->at, value, NULL);
    if (st != TML_OK || !s->entry->has_frames) return st;
    const tmli_yaml_node *frames = tmli_yaml_node_get(value, "frames"),
                         *shape = tmli_yaml_node_get(value, "shape");
    if (!frames) frames = tmli_yaml_node_get(defaults, "frames");
    if (!shape) shape = tmli_yaml_node_get(defaults, "shape");
    if (frames) st = tmli_entry_frames(r, name, frames);
    return st == TML_OK && shape ? read_shapes(r, name, NULL, shape) : st;
}

// body == NULL: check only.
static tml_status read_frame(tmli_reader *r, const char *body, const tmli_yaml_node *key,
                             const tmli_yaml_node *value)
{
    tml_frame_def d = tml_frame_def_default();
    marks m = {.count = 0};
    const tmli_where w = {"frame", key->text, NULL};
    d.body = body;
    tml_status st = tmli_entry_count(r, key->at);
    if (st == TML_OK) st = tmli_value_text(r, key, &w, &d.name);
    if (st != TML_OK) return st;
    if (value->kind == TMLI_NODE_LIST) {
        st = tmli_value_vector(r, value, &w, d.position);
        add_mark(&m, "position", value->at);
    } else if (value->kind == TMLI_NODE_MAP) {
        st = read_fields(r, &tmli_schema_frame, 0, d.name, value, NULL, &d, &m);
    } else {
        st = tmli_value_fail(r, value, &w, "a position [x, y, z], or a map with position and orientation");
    }
    const tmli_entry at = {.at = key->at, .nfields = m.count, .fields = m.items};
    if (st == TML_OK && body) st = tmli_spec_add(r->spec, &tmli_schema_frame, &d, &at, r->err);
    const tmli_yaml_node *shape = tmli_yaml_node_get(value, "shape");
    return st == TML_OK && body && shape ? read_shapes(r, body, d.name, shape) : st;
}

tml_status tmli_entry_frames(tmli_reader *r, const char *body, const tmli_yaml_node *frames)
{
    tml_status st = tmli_entry_expect_map(r, frames, "frames");
    for (int i = 0; st == TML_OK && i < frames->count; i++)
        st = read_frame(r, body, frames->items[2 * i], frames->items[2 * i + 1]);
    return st;
}

tml_status tmli_entry_check_frames(tmli_reader *r, const tmli_yaml_node *frames)
{
    return tmli_entry_frames(r, NULL, frames);
}

tml_status tmli_entry_output(tmli_reader *r, const tmli_yaml_node *key, const tmli_yaml_node *value)
{
    tml_output_def d = tml_output_def_default();
    const tmli_where w = {"output", key->text, NULL};
    if (value->kind == TMLI_NODE_MAP) return tmli_entry_read(r, &tmli_schema_output, key, value);
    tmli_arena_reset(&r->scratch);
    tml_status st = tmli_entry_count(r, key->at);
    if (st == TML_OK) st = tmli_value_text(r, key, &w, &d.name);
    if (st == TML_OK && value->kind != TMLI_NODE_SCALAR)
        st = tmli_value_fail(r, value, &w, "an expression or a map");
    if (st == TML_OK) st = tmli_value_text(r, value, &w, &d.value);
    if (st != TML_OK) return st;
    const tmli_field_mark mark = {"value", value->at};
    const tmli_entry at = {.at = key->at, .nfields = 1, .fields = &mark};
    return tmli_spec_add(r->spec, &tmli_schema_output, &d, &at, r->err);
}

tml_status tmli_entry_run(tmli_reader *r, const tmli_yaml_node *value)
{
    tml_run_def d = tml_run_def_default();
    marks m = {.count = 0};
    tml_status st = tmli_entry_expect_map(r, value, "run");
    if (st == TML_OK) st = read_fields(r, &tmli_schema_run, 0, NULL, value, NULL, &d, &m);
    const tmli_entry at = {.at = value->at, .nfields = m.count, .fields = m.items};
    bool ends = false;
    for (int i = 0; i < m.count; i++) ends = ends || strcmp(m.items[i].key, "end") == 0;
    if (!ends) d.end += d.start;
    return st == TML_OK ? tmli_spec_set_run(r->spec, &d, &at, r->err) : st;
}
