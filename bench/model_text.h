// A model file that a bench writes into memory, line by line.
#ifndef BENCH_MODEL_TEXT_H
#define BENCH_MODEL_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct text {
    char *at;
    size_t length, room;
} text;

static inline void put(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline void put(text *t, const char *format, ...)
{
    if (t->room - t->length < 400) {
        t->room = 2 * t->room + 4096;
        t->at = realloc(t->at, t->room);
        if (!t->at) exit(1);
    }
    va_list args;
    va_start(args, format);
    t->length += (size_t)vsnprintf(t->at + t->length, t->room - t->length, format, args);
    va_end(args);
}

#endif
