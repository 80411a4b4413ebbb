// A hash table with open addressing and linear probing, at most half full.
#include "spec/names.h"

#include <string.h>

struct tmli_names {
    size_t used, size;  // size is a power of two
    tmli_taken *slots;  // name == NULL: empty
};

// FNV-1a over the space and both names.
static uint64_t hash(tmli_name_space space, const char *name, const char *second)
{
    uint64_t h = 0xCBF29CE484222325u ^ (uint64_t)space;
    for (const char *p = name; *p; p++) h = (h ^ (unsigned char)*p) * 0x100000001B3u;
    h = (h ^ '.') * 0x100000001B3u;
    if (second)
        for (const char *p = second; *p; p++) h = (h ^ (unsigned char)*p) * 0x100000001B3u;
    return h ^ h >> 29;
}

static bool same(const tmli_taken *t, tmli_name_space space, const char *name, const char *second)
{
    if (t->space != space || strcmp(t->name, name) != 0) return false;
    return !t->second == !second && (!second || strcmp(t->second, second) == 0);
}

static tmli_taken *slot(const struct tmli_names *n, tmli_name_space space, const char *name,
                        const char *second)
{
    size_t i = (size_t)hash(space, name, second) & (n->size - 1);
    while (n->slots[i].name && !same(&n->slots[i], space, name, second)) i = (i + 1) & (n->size - 1);
    return &n->slots[i];
}

const tmli_taken *tmli_names_find(const tml_spec *spec, tmli_name_space space, const char *name,
                                  const char *second)
{
    if (!spec->names) return NULL;
    const tmli_taken *t = slot(spec->names, space, name, second);
    return t->name ? t : NULL;
}

tml_status tmli_names_reserve(tml_spec *spec, tml_error *err)
{
    struct tmli_names *n = spec->names;
    if (!n) {
        n = tmli_calloc(&spec->env, 1, sizeof *n);
        if (!n) return tmli_fail(err, TML_ERR_NOMEM, "No memory for the table of names.");
        spec->names = n;
    }
    if (2 * (n->used + 1) <= n->size) return TML_OK;
    struct tmli_names bigger = {n->used, n->size ? 2 * n->size : 64, NULL};
    bigger.slots = tmli_calloc(&spec->env, bigger.size, sizeof *bigger.slots);
    if (!bigger.slots)
        return tmli_fail(err, TML_ERR_NOMEM, "No memory for the table of %zu names.", bigger.size);
    for (size_t i = 0; i < n->size; i++) {
        const tmli_taken *t = &n->slots[i];
        if (t->name) *slot(&bigger, t->space, t->name, t->second) = *t;
    }
    tmli_free(&spec->env, n->slots);
    *n = bigger;
    return TML_OK;
}

void tmli_names_put(tml_spec *spec, const tmli_taken *taken)
{
    *slot(spec->names, taken->space, taken->name, taken->second) = *taken;
    spec->names->used++;
}

void tmli_names_destroy(tml_spec *spec)
{
    if (spec->names) tmli_free(&spec->env, spec->names->slots);
    tmli_free(&spec->env, spec->names);
    spec->names = NULL;
}
