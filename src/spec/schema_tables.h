// Words of the tables of the file format (schema_*.c).
#ifndef TMLI_SPEC_SCHEMA_TABLES_H
#define TMLI_SPEC_SCHEMA_TABLES_H

#include "spec/schema.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))
#define ALL UINT32_MAX  // every type

/** A field of a table: its key, kind and range of the value, its unit, the default in words, where it is
 * stored, what it means; then by name what few have: .flag, .choices, .sub. */
#define FIELD(name, KIND, RANGE, unit, fallback, place, ...)                                           \
    {                                                                                                  \
        .key = name, TMLI_FIELD_##KIND, TMLI_RANGE_##RANGE, unit, fallback, ALL, 0, place, __VA_ARGS__ \
    }
/** The same, for some types of entries only, or required for some. */
#define TYPED(name, KIND, RANGE, unit, fallback, types, required, place, ...)                       \
    {                                                                                               \
        .key = name, TMLI_FIELD_##KIND, TMLI_RANGE_##RANGE, unit, fallback, types, required, place, \
        __VA_ARGS__                                                                                 \
    }
/** types: NULL: one only; size: of the definition, 0: it has none; entry: how entries are made; NULL: not in
 * a section. */
#define SCHEMA(KIND, name, types, fields, size, entry, doc)                      \
    {                                                                            \
        TMLI_SCHEMA_##KIND, name, doc, types, COUNT(fields), fields, size, entry \
    }

/** Choices of the keys `interpolation` and `outside`. */
extern const tmli_key_choice tmli_interpolations[], tmli_outsides[];

#endif
