// The functions of the expression language.
#ifndef TMLI_EXPR_FUNCTION_H
#define TMLI_EXPR_FUNCTION_H

#include "expr/program.h"

typedef enum tmli_function_form {
    TMLI_FORM_OP,     // one operation on all arguments
    TMLI_FORM_CHAIN,  // f(a, b, c, ...) = f(f(a, b), c) ...
    TMLI_FORM_IF,
    TMLI_FORM_CLAMP,
    TMLI_FORM_STEP
} tmli_function_form;

enum { TMLI_FUNCTION_MAX_ARGS = 5 };

typedef struct tmli_function {
    const char *name;
    const char *arguments;  // as shown to the user
    int nargs;              // CHAIN: the smallest number
    tmli_function_form form;
    tmli_op op;  // OP, CHAIN
} tmli_function;

/** The function of that name, or NULL. */
const tmli_function *tmli_function_find(const char *name);
/** Nodes of f(args); -1 with *st set if constant arguments are invalid or memory is exhausted. */
int tmli_function_build(const tmli_function *f, tmli_builder *b, const int *args, int at,
                        const tmli_source *src, tml_status *st);
/** What to write instead of a function, or of a name without a call, of another language; NULL: unknown. */
const char *tmli_function_instead(const char *word);
const char *tmli_value_instead(const char *word);

#endif
