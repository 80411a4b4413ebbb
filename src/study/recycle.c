// Memory of a worker: freed blocks wait in lists by size class for the next request.
//
// A member that builds its model asks for the same sizes as the one before it. Classes are powers of 2 with
// three steps between, so that a block is at most a quarter larger than the request.
#include "study/study.h"

#include <stdlib.h>

enum { CLASSES = 256, HEAD = 32 };  // HEAD: keeps the alignment of malloc, and the class of a block

typedef struct block {
    struct block *next;
    size_t class;
} block;
_Static_assert(sizeof(block) <= HEAD, "the head of a block holds it");

struct tmli_recycler {
    block *free[CLASSES];
};

// The class of a size, and the bytes of its blocks.
static size_t class_of(size_t bytes, size_t *size)
{
    size_t base = 64, class = 0;
    while (base < SIZE_MAX / 4 && class < CLASSES - 8) {
        for (size_t quarter = 0; quarter < 4; quarter++, class ++) {
            *size = base + quarter * base / 4;
            if (bytes <= *size) return class;
        }
        base *= 2;
    }
    *size = bytes;
    return CLASSES - 1;
}

static void *take(size_t bytes, void *user)
{
    tmli_recycler *r = user;
    size_t size;
    const size_t class = class_of(bytes, &size);
    block *b = class < CLASSES - 1 ? r->free[class] : NULL;
    if (b) {
        r->free[class] = b->next;
    } else {
        b = size <= SIZE_MAX - HEAD ? malloc(HEAD + size) : NULL;
        if (!b) return NULL;
        b->class = class;
    }
    return (char *)b + HEAD;
}

static void give_back(void *ptr, void *user)
{
    tmli_recycler *r = user;
    block *b = (block *)(void *)((char *)ptr - HEAD);
    if (b->class == CLASSES - 1) {
        free(b);
        return;
    }
    b->next = r->free[b->class];
    r->free[b->class] = b;
}

tmli_recycler *tmli_recycler_create(void) { return calloc(1, sizeof(tmli_recycler)); }

void tmli_recycler_destroy(tmli_recycler *r)
{
    for (int i = 0; r && i < CLASSES; i++)
        for (block *b = r->free[i], *next; b; b = next) {
            next = b->next;
            free(b);
        }
    free(r);
}

tml_env tmli_recycler_env(tmli_recycler *r, const tml_env *of)
{
    return (tml_env){.alloc = take, .free = give_back, .user = r, .files = of->files};
}
