// Included files and classes of defaults: after both, an element says all about itself.
#define _DEFAULT_SOURCE  // PATH_MAX
#include "import/mjcf.h"
#include "import/values.h"

#include <limits.h>
#include <string.h>

enum { INCLUDED = 100 };             // files in each other or in all
enum { INCLUDED_BYTES = 64 << 20 };  // of one file

// ---- includes ---------------------------------------------------------------------------------------------

typedef struct including {
    const tmli_mjcf *m;
    const char *file[INCLUDED];  // all that have been included, with their depth
    int count, depth;
} including;

static tml_status expand(including *n, tmli_xml *e);

// The path of a file that another one names, relative to its folder.
static const char *beside(const tmli_robot *r, const char *file, const char *name)
{
    const char *slash = strrchr(file, '/');
    const int length = slash && name[0] != '/' ? (int)(slash - file) + 1 : 0;
    return tmli_arena_format(r->arena, "%.*s%s", length, file, name);
}

static tml_status load(including *n, const tmli_xml *e, const char *name, tmli_xml **out)
{
    const tmli_robot *r = n->m->r;
    char reason[TMLI_FILE_REASON], found[PATH_MAX];
    tmli_bytes bytes = {0};
    const char *path = beside(r, r->def->path, name);
    bool there = false;
    if (path && tmli_file_find(path, r->places, found, sizeof found, &there) < 0 && !there)
        path = beside(r, e->at.file, name);  // beside the file that names it
    if (!path) return tmli_no_memory(r->err, "file");
    for (int i = 0; i < n->count; i++)
        if (strcmp(n->file[i], path) == 0)
            return tmli_fail_at(r->err, TML_ERR_SYNTAX, e->at, "'%.200s' is included twice, or by itself.",
                                name);
    if (n->count == INCLUDED)
        return tmli_fail_at(r->err, TML_ERR_SYNTAX, e->at, "More than %d files are included.", INCLUDED);
    n->file[n->count++] = path;
    tml_status st =
        tmli_file_load(path, r->places, INCLUDED_BYTES, TMLI_FILE_REGULAR, r->arena->env, &bytes, reason);
    if (st != TML_OK) return tmli_fail_at(r->err, st, e->at, "Cannot read '%.200s': %s.", name, reason);
    st = tmli_xml_parse(bytes.data, bytes.length, path, r->arena, out, r->err);
    tmli_free(r->arena->env, bytes.data);
    if (st != TML_OK) return st;
    return strncmp((*out)->tag, "mujoco", 6) == 0
               ? TML_OK
               : tmli_fail_at(r->err, TML_ERR_SYNTAX, (*out)->at,
                              "The file holds <%.60s>, expected <mujocoinclude> or <mujoco>.", (*out)->tag);
}

static tml_status expand(including *n, tmli_xml *e)
{
    tmli_xml *before = NULL;
    tml_status st = TML_OK;
    for (tmli_xml *c = e->first; c && st == TML_OK;) {
        if (strcmp(c->tag, "include") != 0) {
            st = expand(n, c);
            before = c;
            c = c->next;
            continue;
        }
        const char *name = NULL;
        tmli_xml *file = NULL, *after = c->next;
        st = tmli_xml_text(c, "file", &name, n->m->r->err);
        if (st == TML_OK) st = load(n, c, name, &file);
        if (st == TML_OK) st = expand(n, file);
        if (st != TML_OK) return st;
        tmli_xml *first = file->first ? file->first : after;
        if (file->last) file->last->next = after;
        if (before) before->next = first;
        else e->first = first;
        if (!after) e->last = file->last ? file->last : before;
        if (file->last) before = file->last;
        c = after;
    }
    return st;
}

tml_status tmli_mjcf_include(const tmli_mjcf *m, tmli_xml *e)
{
    including n = {.m = m, .file = {m->r->def->path}, .count = 1};
    return expand(&n, e);
}

// ---- defaults ---------------------------------------------------------------------------------------------

static const char *const actuators[] = {"general",  "motor",  "position", "velocity", "intvelocity", "damper",
                                        "cylinder", "muscle", "adhesion", "plugin",   NULL};

static bool is_among(const char *word, const char *const *list)
{
    while (*list && strcmp(*list, word) != 0) list++;
    return *list != NULL;
}

/** A class with the classes around it, the outermost last. */
typedef struct class_chain {
    const tmli_xml *at[100];
    int count;
} class_chain;

static bool find_class(const tmli_xml *d, const char *name, class_chain *out)
{
    const char *own = tmli_xml_get(d, "class");
    bool found = own ? strcmp(own, name) == 0 : strcmp(name, "main") == 0;
    out->count = 0;
    for (const tmli_xml *c = tmli_xml_find(d, "default"); c && !found; c = tmli_xml_next(c))
        found = find_class(c, name, out);
    if (found) out->at[out->count++] = d;
    return found;
}

// Add attributes of `from` that e does not have; common: only those that all actuators share.
static tml_status add_missing(const tmli_mjcf *m, tmli_xml *e, const tmli_xml *from, bool common)
{
    static const char *const shared[] = {"ctrlrange", "forcerange", "ctrllimited", "forcelimited", "gear",
                                         "group",     "actlimited", "actrange",    "lengthrange",  NULL};
    const char **all =
        tmli_arena_alloc(m->r->arena, 2 * (size_t)(e->nattributes + from->nattributes) + 1, sizeof *all);
    if (!all) return tmli_no_memory(m->r->err, "attributes");
    memcpy(all, e->attributes, 2 * (size_t)e->nattributes * sizeof *all);
    int n = e->nattributes;
    for (int i = 0; i < from->nattributes; i++) {
        const char *key = from->attributes[2 * i];
        if (tmli_xml_get(e, key) || (common && !is_among(key, shared))) continue;
        all[2 * n] = key;
        all[2 * n++ + 1] = from->attributes[2 * i + 1];
    }
    e->attributes = all;
    e->nattributes = n;
    return TML_OK;
}

static tml_status complete(const tmli_mjcf *m, tmli_xml *e, const char *tag, const char *class_name)
{
    tml_status st = TML_OK;
    class_chain chain;
    bool found = false;
    for (const tmli_xml *d = tmli_xml_find(m->root, "default"); d && !found; d = tmli_xml_next(d))
        found = find_class(d, class_name, &chain);
    if (!found && strcmp(class_name, "main") != 0)
        return tmli_fail_at(m->r->err, TML_ERR_NAME, e->at, "There is no class '%.80s' of defaults.",
                            class_name);
    for (int i = 0; found && i < chain.count && st == TML_OK; i++) {
        for (const tmli_xml *c = chain.at[i]->first; c && st == TML_OK; c = c->next)
            if (strcmp(c->tag, tag) == 0) st = add_missing(m, e, c, false);
        for (const tmli_xml *c = chain.at[i]->first; c && st == TML_OK && is_among(tag, actuators);
             c = c->next)
            if (strcmp(c->tag, tag) != 0 && is_among(c->tag, actuators)) st = add_missing(m, e, c, true);
    }
    return st;
}

// The tag in <default> for an element; NULL: it has no defaults.
static const char *tag_of_defaults(const tmli_xml *e, const tmli_xml *around)
{
    static const char *const own[] = {"joint", "geom",     "site", "camera", "light",
                                      "mesh",  "material", "pair", NULL};
    if (strcmp(around->tag, "actuator") == 0) return e->tag;
    if (strcmp(around->tag, "tendon") == 0) return "tendon";
    if (strcmp(around->tag, "equality") == 0) return "equality";
    const bool part = strcmp(around->tag, "fixed") == 0 || strcmp(around->tag, "spatial") == 0;
    return !part && is_among(e->tag, own) ? e->tag : NULL;
}

static tml_status walk(const tmli_mjcf *m, tmli_xml *around, const char *child_class)
{
    tml_status st = TML_OK;
    for (tmli_xml *e = around->first; e && st == TML_OK; e = e->next) {
        const char *tag = tag_of_defaults(e, around), *own = tmli_xml_get(e, "class"),
                   *below = tmli_xml_get(e, "childclass");
        if (strcmp(e->tag, "default") == 0) continue;
        if (tag) st = complete(m, e, tag, own ? own : child_class);
        if (st == TML_OK) st = walk(m, e, below ? below : child_class);
    }
    return st;
}

tml_status tmli_mjcf_defaults(const tmli_mjcf *m) { return walk(m, m->root, "main"); }
