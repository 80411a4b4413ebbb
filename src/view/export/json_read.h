// JSON as a tree, for the scene of a result: objects, arrays, texts, numbers, words.
#ifndef TMLI_VIEW_EXPORT_JSON_READ_H
#define TMLI_VIEW_EXPORT_JSON_READ_H

#include "base/base.h"

typedef enum tmli_json_node_kind {
    TMLI_JSON_NULL,
    TMLI_JSON_BOOL,
    TMLI_JSON_NUMBER,
    TMLI_JSON_TEXT,
    TMLI_JSON_ARRAY,
    TMLI_JSON_OBJECT
} tmli_json_node_kind;

typedef struct tmli_json_node {
    tmli_json_node_kind kind;
    const char *key;   // of a member of an object; NULL otherwise
    const char *text;  // TMLI_JSON_TEXT
    double number;     // TMLI_JSON_NUMBER; 1 of true
    int count;         // of children
    struct tmli_json_node *child, *next;
} tmli_json_node;

enum { TMLI_JSON_DEPTH = 32 };

/** The tree is in the arena. Errors: TML_ERR_SYNTAX, TML_ERR_NOMEM. */
tml_status tmli_json_parse(const char *text, tmli_arena *arena, tmli_json_node **out, tml_error *err);
/** The member of an object; NULL: none, also of NULL. */
const tmli_json_node *tmli_json_node_member(const tmli_json_node *object, const char *key);
/** A number of an object, or what it is otherwise. */
double tmli_json_node_number(const tmli_json_node *object, const char *key, double otherwise);
const char *tmli_json_node_text(const tmli_json_node *object, const char *key);  ///< NULL: none
/** The numbers of an array, `count` of them; false if there are not so many. */
bool tmli_json_node_numbers(const tmli_json_node *array, double *out, int count);

#endif
