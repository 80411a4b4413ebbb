// Fields of an object, said once: one table gives the places of its arrays, numbers and flags; creation,
// release and archive follow from it.
//
// A row of the table is a span: neighbouring members of one type, from the first to the last that it names. A
// member that is added between them is created, released and archived with them. All arrays of an object
// stand in one block, which its member `memory` points to. The lengths of arrays are multiples of sizes that
// the object has at run time:
//   static const tmli_fields FIELDS = {"history", offsetof(history, memory),
//                                      (const tmli_span[]){TMLI_KEPT(history, value, rate, TMLI_BY_N, 1),
//                                                          TMLI_SCRATCH(history, moved, moved, TMLI_BY_N, 1),
//                                                          TMLI_NUMBERS(history, h_last, h_trial),
//                                                          {0}}};
#ifndef TMLI_BASE_LAYOUT_H
#define TMLI_BASE_LAYOUT_H

#include "base/archive.h"

#include <stddef.h>

/** What lengths of arrays are multiples of. */
typedef enum tmli_by {
    TMLI_BY_ONE,      // lengths and limits that are numbers
    TMLI_BY_N,        // velocity coordinates
    TMLI_BY_M,        // constraint rows
    TMLI_BY_NM,       // both
    TMLI_BY_NQ,       // position coordinates
    TMLI_BY_ENTRIES,  // of the constraint rows
    TMLI_BY_NNZ,      // of the matrix
    TMLI_BY_OWN,      // sizes of the object itself
    TMLI_BY_OWN2,
    TMLI_BY_OWN3,
    TMLI_BY_OWN4,
    TMLI_BY_COUNT
} tmli_by;

typedef struct tmli_sizes {
    const tml_env *env;
    const void *system;  // that objects of a kind belong to
    size_t of[TMLI_BY_COUNT];
} tmli_sizes;

/** Objects of a later room that members point to. */
typedef struct tmli_object_kind {
    tml_status (*create)(const void *system, void **out, tml_error *err);
    void (*destroy)(void *object, const void *system);  // accepts NULL
    void (*archive)(void *object, tml_archive *a);      // NULL: never kept
} tmli_object_kind;

typedef enum tmli_element {
    TMLI_ELEMENT_OTHER,  // plain bytes
    TMLI_ELEMENT_DOUBLE,
    TMLI_ELEMENT_INT,
    TMLI_ELEMENT_LONG,
    TMLI_ELEMENT_BOOL
} tmli_element;

/** Members from one to another; made by the macros below. */
typedef struct tmli_span {
    size_t offset, bytes;  // of the members in the object; bytes = 0 ends a table
    tmli_element element;
    size_t width;  // of an element [bytes]
    bool array;    // the members point to arrays; else they are the values
    bool kept;     // in archives
    int by, times;
    int first;   // only the first sizes.of[first] members; 0: all
    bool index;  // values from `least` to `most` more than sizes.of[by] only
    int least, most;
    const tmli_object_kind *kind;   // the members point to objects
    const struct tmli_span *parts;  // the members are structs of this table
} tmli_span;

typedef struct tmli_fields {
    const char *name;        // mark of its archive; of an object without memory in messages
    size_t memory;           // offset of its member `memory`, a void *
    const tmli_span *spans;  // up to one without bytes
} tmli_fields;

#define TMLI_MEMBER(T, m) (((T *)0)->m)
#define TMLI_RANGE(T, first, last) \
    .offset = offsetof(T, first),  \
    .bytes = offsetof(T, last) + sizeof TMLI_MEMBER(T, last) - offsetof(T, first)
#define TMLI_ELEMENT(T, m) \
    _Generic(TMLI_MEMBER(T, m),                                                                              \
        double: TMLI_ELEMENT_DOUBLE,                                                                         \
        double *: TMLI_ELEMENT_DOUBLE,                                                                       \
        double **: TMLI_ELEMENT_DOUBLE,                                                                      \
        int: TMLI_ELEMENT_INT,                                                                               \
        int *: TMLI_ELEMENT_INT,                                                                             \
        long: TMLI_ELEMENT_LONG,                                                                             \
        bool: TMLI_ELEMENT_BOOL,                                                                             \
        bool *: TMLI_ELEMENT_BOOL,                                                                           \
        default: TMLI_ELEMENT_OTHER)
#define TMLI_ARRAYS(T, first, last, by_, times_)                                                           \
    TMLI_RANGE(T, first, last), .element = TMLI_ELEMENT(T, first), .width = sizeof *TMLI_MEMBER(T, first), \
                                .array = true, .by = by_, .times = times_

#define TMLI_SPAN(...) \
    {                  \
        __VA_ARGS__    \
    }

/** Arrays of times sizes.of[by] elements each. */
#define TMLI_KEPT(T, first, last, by_, times_) \
    TMLI_SPAN(TMLI_ARRAYS(T, first, last, by_, times_), .kept = true)
#define TMLI_SCRATCH(T, first, last, by_, times_) TMLI_SPAN(TMLI_ARRAYS(T, first, last, by_, times_))
/** Arrays of sizes.of[by] int, of values from 0 to sizes.of[by]. */
#define TMLI_KEPT_INDICES(T, first, last, by_) \
    TMLI_SPAN(TMLI_ARRAYS(T, first, last, by_, 1), .kept = true, .index = true)
/** Arrays of the first sizes.of[first] members of an array of pointers. */
#define TMLI_KEPT_FIRST(T, member, first_, by_, times_) \
    TMLI_SPAN(TMLI_ARRAYS(T, member, member, by_, times_), .kept = true, .first = first_)
/** Members that are numbers or flags, or arrays of such: double, int, long or bool. */
#define TMLI_NUMBERS(T, first, last) \
    TMLI_SPAN(TMLI_RANGE(T, first, last), .element = TMLI_ELEMENT(T, first), .kept = true)
/** Members of type int whose values an archive may not have outside of least .. sizes.of[by] + most. */
#define TMLI_INDICES(T, first, last, least_, by_, most_)                                            \
    TMLI_SPAN(TMLI_RANGE(T, first, last), .element = TMLI_ELEMENT_INT, .kept = true, .index = true, \
              .by = by_, .least = least_, .most = most_)
/** Members that point to objects of a kind. */
#define TMLI_OBJECTS(T, first, last, kind_, kept_) \
    TMLI_SPAN(TMLI_RANGE(T, first, last), .kind = kind_, .kept = kept_)
/** Members that are structs with a table of their own; of an array of such: from member[0] to member. */
#define TMLI_PARTS(T, first, last, spans) \
    TMLI_SPAN(TMLI_RANGE(T, first, last), .width = sizeof TMLI_MEMBER(T, first), .parts = spans, .kept = true)

/** Create all arrays (zeros) and objects. Error: TML_ERR_NOMEM or that of an object; tmli_fields_clear then
 * releases what there is. */
tml_status tmli_fields_create(const tmli_fields *f, const tmli_sizes *sizes, void *object, tml_error *err);
void tmli_fields_clear(const tmli_fields *f, const tmli_sizes *sizes, void *object);
/** A mark, and all that is kept. */
void tmli_fields_archive(const tmli_fields *f, const tmli_sizes *sizes, void *object, tml_archive *a);
/** The same without a mark, of a struct of numbers alone: sizes may be NULL. */
void tmli_spans_archive(const tmli_span *s, const tmli_sizes *sizes, void *object, tml_archive *a);

#endif
