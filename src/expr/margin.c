// Conditions as functions that cross zero: positive where the condition is true, negative where it is false,
//   a < b: b - a;   a > b: a - b;   p and q: min(p, q);   p or q: max(p, q);   not p: -p            (1)
// so that the crossing is found within a step as that of any other function. a == b: a - b, which is zero
// where it holds.
#include "expr/program.h"

#include <math.h>

static bool is_condition(const tmli_expr_node *n)
{
    return tmli_op_is_in(TMLI_OPS_COMPARE | TMLI_OP_BIT(AND) | TMLI_OP_BIT(OR) | TMLI_OP_BIT(NOT),
                         (tmli_op)n->op);
}

// (1) of node k; false: it is a number, or holds at points only.
static bool replace(tmli_expr_node *nodes, int k)
{
    tmli_expr_node *n = &nodes[k];
    const tmli_op op = (tmli_op)n->op;
    if (op == TMLI_OP_CONST) {
        n->imm = n->imm != 0 ? INFINITY : -INFINITY;
        return true;
    }
    if (!is_condition(n) || op == TMLI_OP_EQ || op == TMLI_OP_NE) return false;
    const bool below = op == TMLI_OP_LT || op == TMLI_OP_LE;
    const int a = below ? n->b : n->a, b = below ? n->a : n->b;
    const bool compares = tmli_op_is_in(TMLI_OPS_ORDER, op);
    n->op = compares            ? TMLI_OP_SUB
            : op == TMLI_OP_AND ? TMLI_OP_MIN
            : op == TMLI_OP_OR  ? TMLI_OP_MAX
                                : TMLI_OP_NEG;
    n->a = a;
    n->b = b;
    n->c = -1;
    n->flat = 0;
    return compares || (replace(nodes, a) && (b == a || replace(nodes, b)));
}

tmli_margin tmli_expr_make_margin(tmli_expr *e)
{
    tmli_expr_node *value = &e->nodes[e->n - 1];
    if (!is_condition(value)) return TMLI_MARGIN_NUMBER;
    e->ndiscontinuities = 0;
    if (value->op == TMLI_OP_EQ) {
        value->op = TMLI_OP_SUB;
        value->c = -1;
        value->flat = 0;
        return TMLI_MARGIN_EQUAL;
    }
    return replace(e->nodes, e->n - 1) ? TMLI_MARGIN_CONDITION : TMLI_MARGIN_NONE;
}
