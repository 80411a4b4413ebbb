// Memory and log of the environment of the caller.
#include "base/base.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *tmli_calloc(const tml_env *env, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size) return NULL;
    size_t bytes = count * size;
    if (bytes == 0) bytes = 1;
    if (!env || !env->alloc) return calloc(1, bytes);  // large blocks come as zeros from the system
    void *p = env->alloc(bytes, env->user);
    if (p) memset(p, 0, bytes);
    return p;
}

// Pointers to any type have one representation.
static bool put(const tmli_array *a, void *made)
{
    memcpy(a->place, &made, sizeof made);
    return made != NULL;
}

bool tmli_calloc_each(const tml_env *env, const tmli_array *arrays, size_t count)
{
    bool all = true;
    for (const tmli_array *a = arrays; a < arrays + count; a++)
        all = put(a, tmli_calloc(env, a->count, a->size)) && all;
    return all;
}

static size_t bytes_of(const tmli_array *a) { return (a->count * a->size + 7) / 8 * 8; }

bool tmli_calloc_parts(const tml_env *env, const tmli_array *arrays, size_t count)
{
    size_t bytes = 0;
    bool fits = true;
    for (size_t i = 0; i < count && fits; i++) {
        fits = bytes < SIZE_MAX / 4 && arrays[i].count <= SIZE_MAX / 4 / arrays[i].size;
        if (fits) bytes += bytes_of(&arrays[i]);
    }
    char *const block = fits ? tmli_calloc(env, bytes, 1) : NULL, *at = block;
    for (size_t i = 0; i < count; i++) {
        put(&arrays[i], at);
        if (block) at += bytes_of(&arrays[i]);
    }
    return block != NULL;
}

void tmli_free(const tml_env *env, void *ptr)
{
    if (!ptr) return;
    if (env && env->free) env->free(ptr, env->user);
    else free(ptr);
}

void tmli_free_each(const tml_env *env, void *const blocks[], size_t count)
{
    for (size_t i = 0; i < count; i++) tmli_free(env, blocks[i]);
}

char *tmli_strndup(const tml_env *env, const char *text, size_t n)
{
    char *p = tmli_calloc(env, n + 1, 1);
    if (p) memcpy(p, text, n);
    return p;
}

char *tmli_strdup(const tml_env *env, const char *text) { return tmli_strndup(env, text, strlen(text)); }

void *tmli_regrow(const tml_env *env, void *old, size_t old_count, size_t new_count, size_t size)
{
    void *p = tmli_calloc(env, new_count, size);
    if (!p) return NULL;
    if (old && old_count) memcpy(p, old, (old_count < new_count ? old_count : new_count) * size);
    tmli_free(env, old);
    return p;
}

void *tmli_grown(const tml_env *env, void *items, int count, int *room, int first, size_t size)
{
    if (count < *room) return items;
    const int more = *room ? 2 * *room : first;
    void *grown = tmli_regrow(env, items, (size_t)count, (size_t)more, size);
    if (grown) *room = more;
    return grown;
}

bool tmli_spare(size_t bytes)
{
    void *volatile block = malloc(bytes);  // volatile: else the compiler leaves out both calls
    const bool had = block != NULL;
    free(block);
    return had;
}

void tmli_log(const tml_env *env, tml_log_level level, const char *fmt, ...)
{
    if (!env || !env->log) return;
    char text[1024];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    env->log(level, text, env->user);
}

struct tmli_arena_block {
    struct tmli_arena_block *next;
    size_t used, size;
    alignas(max_align_t) unsigned char data[];
};

void *tmli_arena_alloc(tmli_arena *a, size_t count, size_t size)
{
    if (size && count > (SIZE_MAX - 4096) / size) return NULL;
    const size_t unit = alignof(max_align_t);
    const size_t bytes = (count * size + unit - 1) / unit * unit;
    struct tmli_arena_block *b = a->head;
    if (!b || b->size - b->used < bytes) {
        const size_t room = bytes > 16384 ? bytes : 16384;
        b = tmli_calloc(a->env, 1, sizeof *b + room);
        if (!b) return NULL;
        b->size = room;
        b->next = a->head;
        a->head = b;
    }
    void *p = b->data + b->used;
    b->used += bytes;
    return p;
}

bool tmli_arena_alloc_each(tmli_arena *arena, const tmli_array *arrays, size_t count)
{
    bool all = true;
    for (const tmli_array *a = arrays; a < arrays + count; a++)
        all = put(a, tmli_arena_alloc(arena, a->count, a->size)) && all;
    return all;
}

char *tmli_arena_strdup(tmli_arena *a, const char *text)
{
    const size_t n = strlen(text) + 1;
    char *p = tmli_arena_alloc(a, n, 1);
    if (p) memcpy(p, text, n);
    return p;
}

char *tmli_arena_format(tmli_arena *a, const char *fmt, ...)
{
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    char *p = n >= 0 ? tmli_arena_alloc(a, (size_t)n + 1, 1) : NULL;
    if (p) vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    return p;
}

void tmli_arena_reset(tmli_arena *a)
{
    while (a->head && a->head->next) {
        struct tmli_arena_block *next = a->head->next;
        tmli_free(a->env, a->head);
        a->head = next;
    }
    if (!a->head) return;
    memset(a->head->data, 0, a->head->used);
    a->head->used = 0;
}

void tmli_arena_clear(tmli_arena *a)
{
    while (a->head) {
        struct tmli_arena_block *next = a->head->next;
        tmli_free(a->env, a->head);
        a->head = next;
    }
}
