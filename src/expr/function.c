// The functions of the expression language, and the composition of those that need several operations.
//
//   clamp(x, lo, hi)          = min(max(x, lo), hi)
//   step(x, x0, h0, x1, h1)   = (1 - u) h0 + u h1,  u = s^2 (3 - 2 s),  s = (x - x0)/(x1 - x0) cut to [0, 1]
// This form of step gives exactly h0 and h1 outside the transition. x0 > x1 is allowed.
#include "expr/function.h"

#include <string.h>

static const tmli_function functions[] = {
    {"sin", "x", 1, TMLI_FORM_OP, TMLI_OP_SIN},
    {"cos", "x", 1, TMLI_FORM_OP, TMLI_OP_COS},
    {"tan", "x", 1, TMLI_FORM_OP, TMLI_OP_TAN},
    {"asin", "x", 1, TMLI_FORM_OP, TMLI_OP_ASIN},
    {"acos", "x", 1, TMLI_FORM_OP, TMLI_OP_ACOS},
    {"atan", "x", 1, TMLI_FORM_OP, TMLI_OP_ATAN},
    {"atan2", "y, x", 2, TMLI_FORM_OP, TMLI_OP_ATAN2},
    {"sinh", "x", 1, TMLI_FORM_OP, TMLI_OP_SINH},
    {"cosh", "x", 1, TMLI_FORM_OP, TMLI_OP_COSH},
    {"tanh", "x", 1, TMLI_FORM_OP, TMLI_OP_TANH},
    {"exp", "x", 1, TMLI_FORM_OP, TMLI_OP_EXP},
    {"log", "x", 1, TMLI_FORM_OP, TMLI_OP_LOG},
    {"log10", "x", 1, TMLI_FORM_OP, TMLI_OP_LOG10},
    {"sqrt", "x", 1, TMLI_FORM_OP, TMLI_OP_SQRT},
    {"cbrt", "x", 1, TMLI_FORM_OP, TMLI_OP_CBRT},
    {"abs", "x", 1, TMLI_FORM_OP, TMLI_OP_ABS},
    {"sign", "x", 1, TMLI_FORM_OP, TMLI_OP_SIGN},
    {"min", "a, b, ...", 2, TMLI_FORM_CHAIN, TMLI_OP_MIN},
    {"max", "a, b, ...", 2, TMLI_FORM_CHAIN, TMLI_OP_MAX},
    {"pow", "x, y", 2, TMLI_FORM_OP, TMLI_OP_POW},
    {"hypot", "x, y", 2, TMLI_FORM_OP, TMLI_OP_HYPOT},
    {"mod", "a, b", 2, TMLI_FORM_OP, TMLI_OP_MOD},
    {"floor", "x", 1, TMLI_FORM_OP, TMLI_OP_FLOOR},
    {"ceil", "x", 1, TMLI_FORM_OP, TMLI_OP_CEIL},
    {"round", "x", 1, TMLI_FORM_OP, TMLI_OP_ROUND},
    {"clamp", "x, lo, hi", 3, TMLI_FORM_CLAMP, 0},
    {"step", "x, x0, h0, x1, h1", 5, TMLI_FORM_STEP, 0},
    {"if", "condition, a, b", 3, TMLI_FORM_IF, 0},
};

const char *const tmli_expr_functions[] = {"sin",   "cos",   "tan",  "asin", "acos",  "atan", "atan2", "sinh",
                                           "cosh",  "tanh",  "exp",  "log",  "log10", "sqrt", "cbrt",  "abs",
                                           "sign",  "min",   "max",  "pow",  "hypot", "mod",  "floor", "ceil",
                                           "round", "clamp", "step", "if",   "pi",    NULL};

static int build_clamp(tmli_builder *b, const int *args, int at, const tmli_source *src, tml_status *st);
static int build_step(tmli_builder *b, const int *args, int at, const tmli_source *src, tml_status *st);

const tmli_function *tmli_function_find(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0) return &functions[i];
    return NULL;
}

int tmli_function_build(const tmli_function *f, tmli_builder *b, const int *args, int at,
                        const tmli_source *src, tml_status *st)
{
    switch (f->form) {
    case TMLI_FORM_CHAIN: return args[0];  // done while the arguments were read
    case TMLI_FORM_IF: return tmli_build_select(b, args[0], args[1], args[2], at);
    case TMLI_FORM_CLAMP: return build_clamp(b, args, at, src, st);
    case TMLI_FORM_STEP: return build_step(b, args, at, src, st);
    case TMLI_FORM_OP: break;
    }
    return tmli_build_op(b, f->op, args[0], f->nargs > 1 ? args[1] : args[0], at);
}

static int build_clamp(tmli_builder *b, const int *args, int at, const tmli_source *src, tml_status *st)
{
    const int lo = args[1], hi = args[2];
    if (tmli_build_is_const(b, lo) && tmli_build_is_const(b, hi) && b->nodes[lo].imm > b->nodes[hi].imm) {
        char low[32], high[32];
        *st = tmli_source_fail(src, at, TML_ERR_SYNTAX, "clamp(x, lo, hi): lo = %s is greater than hi = %s",
                               tmli_dtoa(b->nodes[lo].imm, low), tmli_dtoa(b->nodes[hi].imm, high));
        return -1;
    }
    return tmli_build_op(b, TMLI_OP_MIN, tmli_build_op(b, TMLI_OP_MAX, args[0], lo, at), hi, at);
}

static int build_step(tmli_builder *b, const int *args, int at, const tmli_source *src, tml_status *st)
{
    const int x = args[0], x0 = args[1], h0 = args[2], x1 = args[3], h1 = args[4];
    if (tmli_build_is_const(b, x0) && tmli_build_is_const(b, x1) && b->nodes[x0].imm == b->nodes[x1].imm) {
        char text[32];
        *st = tmli_source_fail(src, at, TML_ERR_SYNTAX,
                               "step(x, x0, h0, x1, h1): x0 and x1 are both %s; "
                               "the transition needs a width (write a jump with 'if')",
                               tmli_dtoa(b->nodes[x0].imm, text));
        return -1;
    }
    const int s = tmli_build_op(b, TMLI_OP_DIV, tmli_build_op(b, TMLI_OP_SUB, x, x0, at),
                                tmli_build_op(b, TMLI_OP_SUB, x1, x0, at), at);
    const int u = tmli_build_op(b, TMLI_OP_RAMP, s, s, at);
    const int rise = tmli_build_op(b, TMLI_OP_MUL, h1, u, at);
    if (tmli_build_is_const(b, h0) && b->nodes[h0].imm == 0) return rise;
    const int rest = tmli_build_op(b, TMLI_OP_SUB, tmli_build_const(b, 1, at), u, at);
    return tmli_build_op(b, TMLI_OP_ADD, tmli_build_op(b, TMLI_OP_MUL, h0, rest, at), rise, at);
}
