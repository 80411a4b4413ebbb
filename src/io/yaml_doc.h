// YAML text to a tree of nodes with their positions. Only yaml_doc.c uses the YAML library.
#ifndef TMLI_IO_YAML_DOC_H
#define TMLI_IO_YAML_DOC_H

#include "base/base.h"

typedef enum tmli_yaml_node_kind {
    TMLI_NODE_NULL,
    TMLI_NODE_SCALAR,
    TMLI_NODE_LIST,
    TMLI_NODE_MAP
} tmli_yaml_node_kind;

/** The value of an expression, kept by a reader that has the nodes for itself. */
typedef struct tmli_yaml_number {
    int64_t scope;  // in which it is valid, plus 1; 0: not known
    double x;
} tmli_yaml_number;

/** A node. With aliases it may have several parents; nodes do not change after parsing, but for *number. */
typedef struct tmli_yaml_node {
    tmli_yaml_node_kind kind;
    bool plain;                           // scalar: written without quotes
    tml_mark at;                          // of the first character of the content (inside the quotes)
    const char *text;                     // scalar: terminated by 0, without 0 inside
    tmli_yaml_number *number;             // scalar
    int count;                            // list: items, map: pairs
    const struct tmli_yaml_node **items;  // list: (count), map: (2 count) key, value, key, value...
} tmli_yaml_node;

/** The value of a key; NULL if the map does not have it. */
const tmli_yaml_node *tmli_yaml_node_get(const tmli_yaml_node *map, const char *key);
/** "a map", "a list", "nothing" or the scalar itself in quotes, shortened; for messages. */
const char *tmli_yaml_node_label(const tmli_yaml_node *n, char buf[64]);

/** Parse one document. Nodes live in the arena; `file` is borrowed by their marks. Keys are scalars and
 * unique in their map; merge keys (<<) are resolved. An empty document gives a NULL node. */
tml_status tmli_yaml_parse(const char *text, size_t length, const char *file, tmli_arena *arena,
                           const tmli_yaml_node **out, tml_error *err);

#endif
