// Creation, release and archive of the fields of an object by their table; see layout.h.
#include "base/layout.h"

#include <string.h>

static const size_t WIDTH[] = {[TMLI_ELEMENT_DOUBLE] = sizeof(double),
                               [TMLI_ELEMENT_INT] = sizeof(int),
                               [TMLI_ELEMENT_LONG] = sizeof(long),
                               [TMLI_ELEMENT_BOOL] = sizeof(bool)};

static size_t width_of(const tmli_span *s) { return s->element ? WIDTH[s->element] : s->width; }

static size_t length_of(const tmli_span *s, const tmli_sizes *sizes)
{
    return (size_t)s->times * (s->by == TMLI_BY_ONE ? 1 : sizes->of[s->by]);
}

// Bytes of one array; the next one is aligned for any type of elements.
static size_t bytes_of(const tmli_span *s, const tmli_sizes *sizes)
{
    return (length_of(s, sizes) * width_of(s) + 7) / 8 * 8;
}

static size_t members_of(const tmli_span *s, const tmli_sizes *sizes)
{
    const size_t all = s->bytes / sizeof(void *);
    return s->first && sizes->of[s->first] < all ? sizes->of[s->first] : all;
}

// The i-th pointer of a span; pointers to any type have one representation.
static void *get(const tmli_span *s, const void *object, size_t i)
{
    void *p;
    memcpy(&p, (const char *)object + s->offset + i * sizeof p, sizeof p);
    return p;
}

static void set(const tmli_span *s, void *object, size_t i, void *p)
{
    memcpy((char *)object + s->offset + i * sizeof p, &p, sizeof p);
}

static void **memory_of(const tmli_fields *f, void *object) { return (void **)((char *)object + f->memory); }

// The i-th struct of a span that has a table of its own.
static void *part(const tmli_span *s, void *object, size_t i)
{
    return (char *)object + s->offset + i * s->width;
}
static size_t parts_of(const tmli_span *s) { return s->parts ? s->bytes / s->width : 0; }

static size_t size_of(const tmli_span *s, const tmli_sizes *sizes)
{
    size_t size = 0;
    for (; s->bytes > 0; s++) {
        if (s->array) size += members_of(s, sizes) * bytes_of(s, sizes);
        else if (s->parts) size += parts_of(s) * size_of(s->parts, sizes);
    }
    return size;
}

// at: where the next array begins.
static tml_status create(const tmli_span *s, const tmli_sizes *sizes, void *object, char **at, tml_error *err)
{
    tml_status st = TML_OK;
    for (; s->bytes > 0 && st == TML_OK; s++) {
        for (size_t i = 0; s->kind && i < members_of(s, sizes) && st == TML_OK; i++) {
            void *made = NULL;
            st = s->kind->create(sizes->system, &made, err);
            set(s, object, i, made);
        }
        for (size_t i = 0; s->array && i < members_of(s, sizes); i++, *at += bytes_of(s, sizes))
            set(s, object, i, *at);
        for (size_t i = 0; i < parts_of(s) && st == TML_OK; i++)
            st = create(s->parts, sizes, part(s, object, i), at, err);
    }
    return st;
}

tml_status tmli_fields_create(const tmli_fields *f, const tmli_sizes *sizes, void *object, tml_error *err)
{
    char *at = *memory_of(f, object) = tmli_calloc(sizes->env, size_of(f->spans, sizes), 1);
    return at ? create(f->spans, sizes, object, &at, err) : tmli_no_memory(err, f->name);
}

static void clear(const tmli_span *s, const tmli_sizes *sizes, void *object)
{
    for (; s->bytes > 0; s++) {
        for (size_t i = 0; s->kind && i < s->bytes / sizeof(void *); i++) {
            s->kind->destroy(get(s, object, i), sizes->system);
            set(s, object, i, NULL);
        }
        for (size_t i = 0; i < parts_of(s); i++) clear(s->parts, sizes, part(s, object, i));
    }
}

void tmli_fields_clear(const tmli_fields *f, const tmli_sizes *sizes, void *object)
{
    clear(f->spans, sizes, object);
    tmli_free(sizes->env, *memory_of(f, object));
    *memory_of(f, object) = NULL;
}

static void archive_elements(const tmli_span *s, const tmli_sizes *sizes, void *x, size_t count,
                             tml_archive *a)
{
    switch (s->element) {
    case TMLI_ELEMENT_DOUBLE: tml_archive_doubles(a, x, count); return;
    case TMLI_ELEMENT_INT:
        if (s->index) tml_archive_indices(a, x, count, s->least, s->most + (int)sizes->of[s->by]);
        else tml_archive_ints(a, x, count);
        return;
    case TMLI_ELEMENT_LONG: tml_archive_longs(a, x, count); return;
    case TMLI_ELEMENT_BOOL: tml_archive_bools(a, x, count); return;
    case TMLI_ELEMENT_OTHER: tmli_archive_bytes(a, x, count * s->width); return;
    }
}

void tmli_spans_archive(const tmli_span *s, const tmli_sizes *sizes, void *object, tml_archive *a)
{
    for (; s->bytes > 0; s++) {
        if (!s->kept) continue;
        for (size_t i = 0; (s->array || s->kind) && i < members_of(s, sizes); i++) {
            if (s->kind) s->kind->archive(get(s, object, i), a);
            else archive_elements(s, sizes, get(s, object, i), length_of(s, sizes), a);
        }
        for (size_t i = 0; i < parts_of(s); i++) tmli_spans_archive(s->parts, sizes, part(s, object, i), a);
        if (!s->array && !s->kind && !s->parts)
            archive_elements(s, sizes, (char *)object + s->offset, s->bytes / width_of(s), a);
    }
}

void tmli_fields_archive(const tmli_fields *f, const tmli_sizes *sizes, void *object, tml_archive *a)
{
    tmli_archive_mark(a, f->name);
    tmli_spans_archive(f->spans, sizes, object, a);
}
