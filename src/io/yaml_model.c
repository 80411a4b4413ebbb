// The sections of a model: settings, parameters, then the entries of all files in order, with defaults and
// repeat blocks.
#include "io/yaml.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static tml_status read_sections(tmli_reader *r, const tmli_schema *s, const tmli_yaml_node *map);

// ---- settings that only one file may give -----------------------------------------------------------------

// The value of a root key; an error if two files have it.
static tml_status find_setting(tmli_reader *r, const char *key, const tmli_yaml_node **out)
{
    *out = NULL;
    for (int i = 0; i < r->nfiles; i++) {
        const tmli_yaml_node *n = tmli_yaml_node_get(r->files[i].root, key);
        if (!n) continue;
        if (*out)
            return tmli_fail_at(r->err, TML_ERR_NAME, n->at, "'%s' is already given at %s:%d.", key,
                                (*out)->at.file, (*out)->at.line);
        *out = n;
    }
    return TML_OK;
}

static tml_status read_title(tmli_reader *r)
{
    const tmli_yaml_node *title = NULL;
    tml_status st = find_setting(r, "title", &title);
    const tmli_where w = {"the model", NULL, "title"}, wd = {"the model", NULL, "description"};
    if (st == TML_OK && title && title->kind != TMLI_NODE_SCALAR)
        st = tmli_value_fail(r, title, &w, "a text");
    if (st == TML_OK && title) st = tml_spec_set_title(r->spec, title->text, r->err);
    for (int i = 0; i < r->nfiles && st == TML_OK; i++) {
        const tmli_yaml_node *n = tmli_yaml_node_get(r->files[i].root, "description");
        if (n && n->kind != TMLI_NODE_SCALAR) st = tmli_value_fail(r, n, &wd, "a text");
    }
    return st;
}

static tml_status read_planar(tmli_reader *r)
{
    const tmli_yaml_node *n = NULL;
    const tmli_where w = {"the model", NULL, "planar"};
    bool planar = false;
    tml_status st = find_setting(r, "planar", &n);
    tmli_field f = *tmli_schema_find(&tmli_schema_model, "planar", -1);
    if (st == TML_OK && n) st = tmli_value_field(r, &f, n, &w, &planar);
    if (st == TML_OK) tml_spec_set_planar(r->spec, planar);
    return st;
}

static tml_status read_gravity(tmli_reader *r)
{
    const tmli_yaml_node *n = NULL;
    const tmli_where w = {"the model", NULL, "gravity"};
    double g[3] = {0, 0, 0};
    tml_status st = find_setting(r, "gravity", &n);
    const tmli_field *f = tmli_schema_find(&tmli_schema_model, "gravity", -1);
    if (st == TML_OK && n) st = tmli_value_field(r, f, n, &w, g);
    if (st == TML_OK && r->spec->planar && g[2] != 0)
        return tmli_fail_at(r->err, TML_ERR_MODEL, n->at,
                            "The z entry of 'gravity' is %g, expected 0 in a planar model.", g[2]);
    if (st == TML_OK) tml_spec_set_gravity(r->spec, g);
    return st;
}

// ---- defaults ---------------------------------------------------------------------------------------------

// A default value must be valid for one of the fields with its key, even if it is not used.
static tml_status check_default(tmli_reader *r, const tmli_schema *s, const tmli_yaml_node *key,
                                const tmli_yaml_node *value)
{
    union {
        tml_body_def body;
        tml_joint_def joint;
        tml_force_def force;
        tml_shape_def shape;
        tml_contact_def contact;
    } d;
    const tmli_where w = {"defaults of", s->name, key->text};
    tml_error first = {0};
    for (int i = 0; i < s->nfields; i++) {
        const tmli_field *f = &s->fields[i];
        if (strcmp(f->key, key->text) != 0) continue;
        if (f->kind == TMLI_FIELD_FRAMES) return tmli_entry_check_frames(r, value);
        if (f->kind == TMLI_FIELD_SHAPES) return TML_OK;  // read with the body
        memset(&d, 0, sizeof d);
        const tml_status st = tmli_value_field(r, f, value, &w, &d);
        if (st == TML_OK || st == TML_ERR_NOMEM) return st;
        if (first.status == TML_OK) first = *r->err;
    }
    *r->err = first;
    return first.status;
}

static tml_status check_defaults(tmli_reader *r, const tmli_yaml_node *defaults)
{
    tml_status st = tmli_entry_expect_map(r, defaults, "defaults");
    if (st == TML_OK) st = tmli_entry_check_keys(r, &tmli_schema_defaults, -1, NULL, defaults);
    for (int i = 0; st == TML_OK && i < defaults->count; i++) {
        const tmli_yaml_node *key = defaults->items[2 * i], *map = defaults->items[2 * i + 1];
        const tmli_schema *s = tmli_schema_find(&tmli_schema_defaults, key->text, -1)->sub;
        char owner[48];
        snprintf(owner, sizeof owner, "%s of 'defaults'", key->text);
        st = tmli_entry_expect_map(r, map, key->text);
        if (st == TML_OK) st = tmli_entry_check_keys(r, s, -1, NULL, map);
        if (st != TML_OK) tmli_error_append(r->err, "(In the %s.)", owner);
        for (int k = 0; st == TML_OK && k < map->count; k++) {
            tmli_arena_reset(&r->scratch);
            st = check_default(r, s, map->items[2 * k], map->items[2 * k + 1]);
        }
    }
    return st;
}

// ---- repeat -----------------------------------------------------------------------------------------------

typedef struct range {
    double from, to, step;
    int64_t count;
} range;

static tml_status read_range(tmli_reader *r, const tmli_yaml_node *block, range *out)
{
    static const char *const keys[] = {"from", "to", "step"};
    double x[3] = {1, 1, 1};
    for (int i = 0; i < 3; i++) {
        const tmli_yaml_node *n = tmli_yaml_node_get(block, keys[i]);
        const tmli_where w = {"repeat", NULL, keys[i]};
        const tml_status st = n ? tmli_value_integer(r, n, &w, &x[i]) : TML_OK;
        if (st != TML_OK) return st;
        if (!n && i == 1)
            return tmli_fail_at(r->err, TML_ERR_SYNTAX, block->at, "The repeat block lacks the key 'to'.");
    }
    if (x[2] == 0)
        return tmli_fail_at(r->err, TML_ERR_MODEL, tmli_yaml_node_get(block, "step")->at,
                            "'step' of repeat is 0, expected a whole number other than 0.");
    const double count = floor((x[1] - x[0]) / x[2]) + 1;
    if (count > TMLI_ENTRIES)
        return tmli_fail_at(r->err, TML_ERR_MODEL, tmli_yaml_node_get(block, "to")->at,
                            "The repeat block has %.0f iterations; at most %d are allowed.", count,
                            TMLI_ENTRIES);
    *out = (range){x[0], x[1], x[2], count > 0 ? (int64_t)count : 0};
    return TML_OK;
}

static tml_status read_index_name(tmli_reader *r, const tmli_yaml_node *block, const char **out)
{
    const tmli_yaml_node *n = tmli_yaml_node_get(block, "index");
    const tmli_where w = {"repeat", NULL, "index"};
    if (!n) return tmli_fail_at(r->err, TML_ERR_SYNTAX, block->at, "The repeat block lacks the key 'index'.");
    if (n->kind != TMLI_NODE_SCALAR) return tmli_value_fail(r, n, &w, "a name");
    const tmli_entry at = {.at = n->at};
    const tmli_check c = {.name = n->text, .entry = &at, .err = r->err};
    const tml_status st = tmli_check_name(&c, n->text);
    if (st != TML_OK) return st;
    for (const tmli_index *k = r->index; k; k = k->outer)
        if (strcmp(k->name, n->text) == 0)
            return tmli_fail_at(r->err, TML_ERR_NAME, n->at,
                                "The index '%s' is already used by the enclosing repeat block.", n->text);
    if (tmli_params_find(r, n->text))
        return tmli_fail_at(r->err, TML_ERR_NAME, n->at,
                            "The index '%s' is the name of a parameter; choose another name.", n->text);
    *out = n->text;
    return TML_OK;
}

static tml_status read_repeat(tmli_reader *r, const tmli_yaml_node *block)
{
    const char *name = NULL;
    range k = {0};
    tml_status st = tmli_entry_expect_map(r, block, "repeat");
    if (st == TML_OK) st = tmli_entry_check_keys(r, &tmli_schema_repeat, -1, NULL, block);
    if (st == TML_OK) st = read_index_name(r, block, &name);
    if (st == TML_OK) st = read_range(r, block, &k);
    if (st != TML_OK) return st;
    tmli_index index = {name, 0, r->index};
    const int64_t scope = r->scope;
    r->index = &index;
    r->scope = ++r->scopes;
    for (int64_t i = 0; i < k.count && st == TML_OK; i++) {
        index.value = k.from + (double)i * k.step;
        st = tmli_entry_count(r, block->at);  // counts iterations too: nested empty blocks would run forever
        if (st == TML_OK) st = read_sections(r, &tmli_schema_repeat, block);
        if (st != TML_OK) tmli_error_append(r->err, "(Repeat block with %s = %.0f.)", name, index.value);
    }
    r->index = index.outer;
    r->scope = scope;
    return st;
}

// ---- sections ---------------------------------------------------------------------------------------------

static tml_status read_ground(tmli_reader *r, const tmli_yaml_node *ground)
{
    tml_status st = tmli_entry_expect_map(r, ground, "ground");
    if (st == TML_OK) st = tmli_entry_check_keys(r, &tmli_schema_ground, -1, NULL, ground);
    const tmli_yaml_node *frames = st == TML_OK ? tmli_yaml_node_get(ground, "frames") : NULL;
    tmli_arena_reset(&r->scratch);
    return frames ? tmli_entry_frames(r, "ground", frames) : st;
}

static tml_status read_section(tmli_reader *r, const tmli_field *f, const tmli_yaml_node *n)
{
    tml_status st = TML_OK;
    char label[64];
    switch (f->kind) {
    case TMLI_FIELD_BLOCK: return f->sub->kind == TMLI_SCHEMA_GROUND ? read_ground(r, n) : TML_OK;
    case TMLI_FIELD_ENTRIES:
    case TMLI_FIELD_EXPRESSIONS:
        st = tmli_entry_expect_map(r, n, f->key);
        for (int i = 0; st == TML_OK && i < n->count; i++)
            st = f->kind == TMLI_FIELD_ENTRIES
                     ? tmli_entry_read(r, f->sub, n->items[2 * i], n->items[2 * i + 1])
                     : tmli_entry_output(r, n->items[2 * i], n->items[2 * i + 1]);
        return st;
    case TMLI_FIELD_BLOCKS:
        if (n->kind != TMLI_NODE_LIST)
            return tmli_fail_at(r->err, TML_ERR_SYNTAX, n->at,
                                "'%s' is %s, expected a list of blocks. ('- {index: i, to: 3, ...}' is one.)",
                                f->key, tmli_yaml_node_label(n, label));
        for (int i = 0; st == TML_OK && i < n->count; i++) st = read_repeat(r, n->items[i]);
        return st;
    default: return TML_OK;  // settings, parameters, include: read before
    }
}

// Tables first: other entries may refer to those of any file.
static tml_status read_tables(tmli_reader *r)
{
    const tmli_field *f = tmli_schema_find(&tmli_schema_model, "tables", -1);
    tml_status st = TML_OK;
    r->defaults = NULL;
    for (int i = 0; st == TML_OK && i < r->nfiles; i++) {
        const tmli_yaml_node *n = tmli_yaml_node_get(r->files[i].root, "tables");
        if (n) st = read_section(r, f, n);
    }
    return st;
}

static tml_status read_sections(tmli_reader *r, const tmli_schema *s, const tmli_yaml_node *map)
{
    tml_status st = TML_OK;
    for (int i = 0; st == TML_OK && i < map->count; i++) {
        const tmli_field *f = tmli_schema_find(s, map->items[2 * i]->text, -1);
        if (f->sub != &tmli_schema_table) st = read_section(r, f, map->items[2 * i + 1]);
    }
    return st;
}

tml_status tmli_model_read(tmli_reader *r, const tml_parameter *overrides, int count)
{
    tml_status st = read_title(r);
    if (st == TML_OK) st = read_planar(r);
    for (int i = 0; st == TML_OK && i < r->nfiles; i++) {
        const tmli_yaml_node *n = tmli_yaml_node_get(r->files[i].root, "parameters");
        if (n) st = tmli_params_collect(r, n);
    }
    if (st == TML_OK) st = tmli_params_sort(r);
    if (st == TML_OK) st = tmli_params_override(r, overrides, count);
    if (st == TML_OK) st = tmli_params_finish(r);
    if (st == TML_OK) st = read_gravity(r);
    const tmli_yaml_node *run = NULL;
    if (st == TML_OK) st = find_setting(r, "run", &run);
    if (st == TML_OK && run) st = tmli_entry_run(r, run);
    if (st == TML_OK) st = read_tables(r);
    for (int i = 0; st == TML_OK && i < r->nfiles; i++) {
        r->defaults = tmli_yaml_node_get(r->files[i].root, "defaults");
        if (r->defaults) st = check_defaults(r, r->defaults);
        if (st == TML_OK) st = read_sections(r, &tmli_schema_model, r->files[i].root);
    }
    if (st == TML_OK) st = tmli_params_list_unused(r);
    return st == TML_OK ? tml_spec_weigh(r->spec, r->err) : st;
}
