// A study file to a study. Nodes and typed values are those of model files (io).
#include "io/yaml.h"
#include "study/file/study.h"

#include <math.h>
#include <string.h>

typedef struct reading {
    tmli_reader r;
    tml_study *s;
    const tmli_yaml_node *root;
} reading;

// ---- blocks -----------------------------------------------------------------------------------------------

// The keys of a map that apply to `type`, into def. name NULL: a block without a name of its own.
static tml_status read_block(reading *x, const tmli_schema *schema, int type, const char *name,
                             const tmli_yaml_node *map, void *def)
{
    const bool typed = schema->types != NULL;
    tml_status st = tmli_entry_expect_map(&x->r, map, name ? name : schema->name);
    if (st == TML_OK) st = tmli_entry_check_keys(&x->r, schema, typed ? type : -1, name, map);
    for (int i = 0; i < schema->nfields && st == TML_OK; i++) {
        const tmli_field *f = &schema->fields[i];
        const tmli_yaml_node *n = tmli_yaml_node_get(map, f->key);
        const tmli_where w = {schema->name, name, f->key};
        if ((typed && !(f->types >> type & 1u)) || f->kind == TMLI_FIELD_EXPRESSIONS) continue;
        if (n) {
            st = tmli_value_field(&x->r, f, n, &w, def);
            double value = f->kind == TMLI_FIELD_INTEGER  ? *(int *)(void *)((char *)def + f->offset)
                           : f->kind == TMLI_FIELD_NUMBER ? *(double *)(void *)((char *)def + f->offset)
                                                          : 1;
            const bool low = (f->range == TMLI_RANGE_POSITIVE && !(value > 0)) ||
                             (f->range == TMLI_RANGE_NONNEGATIVE && !(value >= 0));
            if (st == TML_OK && low)
                st = tmli_value_fail(&x->r, n, &w,
                                     f->range == TMLI_RANGE_POSITIVE ? "a number > 0" : "a number >= 0");
        } else if (f->required >> type & 1u) {
            st = tmli_fail_at(x->r.err, TML_ERR_SYNTAX, map->at, "%s%s%.80s%s lacks the key '%s': %s.",
                              schema->name, name ? " '" : "", name ? name : "", name ? "'" : "", f->key,
                              f->doc);
        }
    }
    return st;
}

static tml_status check_name(reading *x, const tmli_yaml_node *key)
{
    const tmli_entry at = {.at = key->at};
    const tmli_check c = {.name = key->text, .entry = &at, .err = x->r.err};
    return tmli_check_name(&c, key->text);
}

// The map of a section with at least one and at most `most` entries.
static tml_status section(reading *x, const char *key, int most, const tmli_yaml_node **out)
{
    const tmli_yaml_node *n = *out = tmli_yaml_node_get(x->root, key);
    const tmli_field *f = tmli_schema_find(&tmli_schema_study, key, -1);
    if (!n)
        return tmli_fail_at(x->r.err, TML_ERR_SYNTAX, x->root->at, "The study lacks the key '%s': %s.", key,
                            f->doc);
    const tml_status st = tmli_entry_expect_map(&x->r, n, key);
    if (st != TML_OK) return st;
    if (n->count >= 1 && n->count <= most) return TML_OK;
    return tmli_fail_at(x->r.err, TML_ERR_MODEL, n->at, "'%s' has %d entries, expected 1 to %d.", key,
                        n->count, most);
}

// ---- sections ---------------------------------------------------------------------------------------------

static tml_status read_parameters(reading *x)
{
    tml_study *s = x->s;
    const tmli_yaml_node *map = NULL;
    tml_status st = section(x, "parameters", TMLI_STUDY_PARAMETERS, &map);
    if (st != TML_OK) return st;
    s->parameter = tmli_arena_alloc(&s->arena, (size_t)map->count, sizeof *s->parameter);
    if (!s->parameter) return tmli_no_memory(x->r.err, "study");
    for (int i = 0; i < map->count && st == TML_OK; i++) {
        const tmli_yaml_node *key = map->items[2 * i], *value = map->items[2 * i + 1];
        tmli_study_parameter *p = &s->parameter[s->nparameters++];
        *p = (tmli_study_parameter){.name = key->text,
                                    .at = key->at,
                                    .from = NAN,
                                    .to = NAN,
                                    .mean = NAN,
                                    .deviation = NAN,
                                    .input = -1};
        st = check_name(x, key);
        if (st != TML_OK) break;
        if (value->kind == TMLI_NODE_LIST) {
            const tmli_where w = {"parameter", key->text, "values"};
            st = tmli_value_field(&x->r, tmli_schema_find(&tmli_schema_study_parameter, "values", -1), value,
                                  &w, p);
        } else if (value->kind != TMLI_NODE_MAP) {
            const tmli_where w = {"parameter", key->text, NULL};
            st = tmli_value_fail(&x->r, value, &w,
                                 "a map such as {from: 1, to: 2, count: 5}, or a list of values");
        } else {
            st = read_block(x, &tmli_schema_study_parameter, 0, key->text, value, p);
        }
    }
    return st;
}

static tml_status read_quantity(reading *x, const tmli_yaml_node *key, const tmli_yaml_node *value,
                                tmli_study_quantity *q)
{
    const tmli_where w = {"quantity", key->text, "take"};
    *q = (tmli_study_quantity){.name = key->text, .at = key->at, .of_at = key->at, .mode = 1};
    tml_status st = check_name(x, key);
    if (st != TML_OK) return st;
    if (value->kind == TMLI_NODE_SCALAR) {
        q->take = TMLI_TAKE_VALUE;
        q->of_at = value->at;
        return tmli_value_text(&x->r, value, &w, &q->of);
    }
    st = tmli_entry_expect_map(&x->r, value, key->text);
    const tmli_yaml_node *take = st == TML_OK ? tmli_yaml_node_get(value, "take") : NULL;
    const tmli_field *f = tmli_schema_find(&tmli_schema_study_quantity, "take", -1);
    if (take) st = tmli_value_field(&x->r, f, take, &w, q);
    if (st == TML_OK) st = read_block(x, &tmli_schema_study_quantity, (int)q->take, key->text, value, q);
    const tmli_yaml_node *of = tmli_yaml_node_get(value, "of");
    if (of) q->of_at = of->at;
    return st;
}

static tml_status read_quantities(reading *x)
{
    tml_study *s = x->s;
    const tmli_yaml_node *map = NULL;
    tml_status st = section(x, "quantities", TMLI_STUDY_QUANTITIES, &map);
    if (st != TML_OK) return st;
    s->quantity = tmli_arena_alloc(&s->arena, (size_t)map->count, sizeof *s->quantity);
    if (!s->quantity) return tmli_no_memory(x->r.err, "study");
    for (int i = 0; i < map->count && st == TML_OK; i++) {
        st = read_quantity(x, map->items[2 * i], map->items[2 * i + 1], &s->quantity[s->nquantities++]);
        for (int k = 0; k < s->nparameters && st == TML_OK; k++)
            if (strcmp(s->parameter[k].name, map->items[2 * i]->text) == 0)
                st = tmli_fail_at(x->r.err, TML_ERR_NAME, map->items[2 * i]->at,
                                  "The quantity '%s' has the name of a parameter; a table has both.",
                                  s->parameter[k].name);
    }
    return st;
}

// Expressions of the values are evaluated with the model's parameters.
static tml_status read_set(reading *x)
{
    tml_study *s = x->s;
    const tmli_yaml_node *map = tmli_yaml_node_get(x->root, "set");
    if (!map) return TML_OK;
    tml_status st = tmli_entry_expect_map(&x->r, map, "set");
    if (st != TML_OK) return st;
    s->set = tmli_arena_alloc(&s->arena, (size_t)map->count + 1, sizeof *s->set);
    if (!s->set) return tmli_no_memory(x->r.err, "study");
    for (int i = 0; i < map->count && st == TML_OK; i++) {
        const tmli_yaml_node *key = map->items[2 * i], *value = map->items[2 * i + 1];
        const tmli_where w = {"set", key->text, NULL};
        if (value->kind != TMLI_NODE_SCALAR) return tmli_value_fail(&x->r, value, &w, "a number");
        s->set[s->nset++] = (tml_parameter){key->text, value->text};
    }
    return st;
}

static tml_status read_settings(reading *x)
{
    tmli_study_settings *out = &x->s->settings;
    out->def = tml_run_def_default();
    const tmli_yaml_node *map = tmli_yaml_node_get(x->root, "settings");
    if (!map) return TML_OK;
    tml_status st = read_block(x, &tmli_schema_run, 0, NULL, map, &out->def);
    for (int i = 0; i < tmli_schema_run.nfields && st == TML_OK; i++)
        if (tmli_yaml_node_get(map, tmli_schema_run.fields[i].key)) out->given |= UINT64_C(1) << i;
    return st;
}

static tml_status read_sampling(reading *x)
{
    tmli_study_sampling d = {.seed = 1};
    const tmli_yaml_node *map = tmli_yaml_node_get(x->root, "sampling");
    tml_status st = TML_OK;
    if (map && map->kind == TMLI_NODE_SCALAR) {  // sampling: grid
        const tmli_where w = {"sampling", NULL, "method"};
        st =
            tmli_value_field(&x->r, tmli_schema_find(&tmli_schema_study_sampling, "method", -1), map, &w, &d);
    } else if (map) {
        st = read_block(x, &tmli_schema_study_sampling, 0, NULL, map, &d);
    }
    if (st == TML_OK && map && d.members < 1 && d.method != TMLI_SAMPLING_GRID &&
        d.method != TMLI_SAMPLING_LIST)
        st = tmli_fail_at(x->r.err, TML_ERR_SYNTAX, map->at,
                          "'sampling' lacks the key 'members': how many runs to make, such as {method: "
                          "random, members: 100}.");
    x->s->sampling = d.method;
    x->s->wanted = d.members;
    x->s->seed = d.seed;
    return st;
}

static tml_status read_constraints(reading *x, const tmli_yaml_node *map)
{
    tml_study *s = x->s;
    tml_status st = tmli_entry_expect_map(&x->r, map, "constraints");
    if (st != TML_OK) return st;
    tmli_study_constraint *c = tmli_arena_alloc(&s->arena, (size_t)map->count + 1, sizeof *c);
    if (!c) return tmli_no_memory(x->r.err, "study");
    s->optimize.constraint = c;
    for (int i = 0; i < map->count && st == TML_OK; i++) {
        const tmli_yaml_node *key = map->items[2 * i], *value = map->items[2 * i + 1];
        const tmli_where w = {"constraint", key->text, NULL};
        c[s->optimize.nconstraints++] = (tmli_study_constraint){.name = key->text, .at = value->at};
        st = tmli_value_text(&x->r, value, &w, &c[i].text);
    }
    return st;
}

static tml_status read_optimize(reading *x)
{
    tml_study *s = x->s;
    const tmli_yaml_node *map = tmli_yaml_node_get(x->root, "optimize"),
                         *sampling = tmli_yaml_node_get(x->root, "sampling");
    tmli_study_optimize *o = &s->optimize;
    if (!map) return TML_OK;
    if (sampling)
        return tmli_fail_at(x->r.err, TML_ERR_SYNTAX, sampling->at,
                            "A study has either 'sampling' or 'optimize', which chooses its own members.");
    if (map->kind == TMLI_NODE_SCALAR) {
        const tmli_where w = {"the study", NULL, "optimize"};
        return tmli_value_fail(&x->r, map, &w, "a map, such as {minimize: QUANTITY}");
    }
    *o = (tmli_study_optimize){
        .method = "cobyla", .evaluations = 200, .tolerance = 1e-4, .wanted = true, .at = map->at};
    tml_status st = read_block(x, &tmli_schema_study_optimize, 0, NULL, map, o);
    if (st == TML_OK && !o->minimize == !o->maximize)
        st = tmli_fail_at(x->r.err, TML_ERR_SYNTAX, map->at,
                          "'optimize' needs one of the keys 'minimize' and 'maximize'.");
    if (st != TML_OK) return st;
    const tmli_yaml_node *goal = tmli_yaml_node_get(map, o->minimize ? "minimize" : "maximize"),
                         *constraints = tmli_yaml_node_get(map, "constraints");
    o->at = goal->at;
    return constraints ? read_constraints(x, constraints) : TML_OK;
}

// The path of the model as seen from the working directory.
static tml_status place_model(reading *x, const char *model)
{
    tml_study *s = x->s;
    const char *slash = strrchr(s->path, '/');
    const size_t folder = slash && model[0] != '/' ? (size_t)(slash - s->path) + 1 : 0;
    char *path = tmli_arena_alloc(&s->arena, folder + strlen(model) + 1, 1);
    if (!path) return tmli_no_memory(x->r.err, "study");
    memcpy(path, s->path, folder);
    memcpy(path + folder, model, strlen(model) + 1);
    s->model = path;
    s->model_at = tmli_yaml_node_get(x->root, "model")->at;
    return TML_OK;
}

static tml_status read_head(reading *x)
{
    tmli_study_head head = {0};
    tml_status st = TML_OK;
    for (int i = 0; i < tmli_schema_study.nfields && st == TML_OK; i++) {
        const tmli_field *f = &tmli_schema_study.fields[i];
        const tmli_yaml_node *n = tmli_yaml_node_get(x->root, f->key);
        const tmli_where w = {"the study", NULL, f->key};
        if (f->kind == TMLI_FIELD_TEXT && n) st = tmli_value_field(&x->r, f, n, &w, &head);
    }
    if (st == TML_OK && !head.model)
        st = tmli_fail_at(x->r.err, TML_ERR_SYNTAX, x->root->at,
                          "The study lacks the key 'model': a model file.");
    if (st != TML_OK) return st;
    x->s->title = head.title ? head.title : x->s->path;
    x->s->record = head.record;
    if (head.record) x->s->record_at = tmli_yaml_node_get(x->root, "record")->at;
    return place_model(x, head.model);
}

static tml_status read_root(reading *x)
{
    tml_status st = TML_OK;
    char label[64];
    if (x->root->kind != TMLI_NODE_MAP)
        return tmli_fail_at(x->r.err, TML_ERR_SYNTAX, x->root->at,
                            "The file is %s, expected a map with keys such as 'model'.",
                            tmli_yaml_node_label(x->root, label));
    if (tmli_yaml_node_get(x->root, "bodies") && !tmli_yaml_node_get(x->root, "model"))
        return tmli_fail_at(x->r.err, TML_ERR_SYNTAX, x->root->at,
                            "This is a model file; a study is a file of its own, whose key 'model' names it "
                            "('trammel new pendulum' writes an example of both).");
    st = tmli_entry_check_keys(&x->r, &tmli_schema_study, -1, NULL, x->root);
    if (st == TML_OK) st = read_head(x);
    if (st == TML_OK) st = read_set(x);
    if (st == TML_OK) st = read_settings(x);
    if (st == TML_OK) st = read_sampling(x);
    if (st == TML_OK) st = read_optimize(x);
    if (st == TML_OK) st = read_parameters(x);
    if (st == TML_OK) st = read_quantities(x);
    if (st == TML_OK) st = tmli_sample_check(x->s, x->r.err);
    return st == TML_OK ? tmli_record_check(x->s, x->r.err) : st;
}

// FNV-1a
uint64_t tmli_study_hash(uint64_t hash, const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

tml_status tmli_study_parse(const char *path, tml_study *s, tml_error *err)
{
    char reason[TMLI_FILE_REASON];
    tml_error own = {0};
    tmli_bytes bytes = {0};
    s->path = tmli_arena_strdup(&s->arena, path);
    if (!s->path) return tmli_no_memory(err, "study");
    tml_status st = tmli_file_load(path, NULL, TMLI_FILE_BYTES, TMLI_FILE_STREAM, &s->env, &bytes, reason);
    if (st != TML_OK) return tmli_fail(err, st, "Cannot read '%s': %s.", path, reason);
    s->signature = tmli_study_hash(UINT64_C(0xcbf29ce484222325), bytes.data, bytes.length);
    tml_spec *none = NULL;  // the reader of values asks it whether the model is planar
    st = tml_spec_create(&s->env, &none, err);
    if (st == TML_OK) {
        const tml_read_def def = tml_read_def_default();
        reading x = {.r = {.def = &def, .env = &s->env, .spec = none, .err = &own}, .s = s};
        x.r.arena.env = x.r.scratch.env = &s->env;
        st = tmli_yaml_parse(bytes.data, bytes.length, s->path, &x.r.arena, &x.root, &own);
        if (st == TML_OK) st = tmli_params_sort(&x.r);
        if (st == TML_OK) st = read_root(&x);
        s->nodes = x.r.arena;  // texts of nodes and lists live as long as the study
        s->scratch = x.r.scratch;
        if (st != TML_OK && err) *err = own;
    }
    tml_spec_destroy(none);
    tmli_free(&s->env, bytes.data);
    return st;
}
