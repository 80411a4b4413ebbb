// Building the nodes of an expression: constant folding, identities, removal of unused nodes.
//
// Folding itself never fails: a division by zero in the branch of an `if` that is never used does no harm.
// All constants that remain in the finished program must be finite; otherwise the operation that produced the
// value is reported.
#include "expr/program.h"

#include <math.h>

#define BIT TMLI_OP_BIT
// Operations with two arguments, and those whose values are piecewise constant.
static const uint64_t BINARY = TMLI_OPS_COMPARE | TMLI_OPS_EXTREME | BIT(ADD) | BIT(SUB) | BIT(MUL) |
                               BIT(DIV) | BIT(POW) | BIT(AND) | BIT(OR) | BIT(ATAN2) | BIT(HYPOT) | BIT(MOD);
static const uint64_t STEPS =
    TMLI_OPS_COMPARE | TMLI_OPS_ROUND | BIT(CONST) | BIT(AND) | BIT(OR) | BIT(NOT) | BIT(SIGN);

static int add_node(tmli_builder *b, tmli_expr_node node);
static bool is_value(const tmli_builder *b, int node, double value);
static int simplify(tmli_builder *b, tmli_op op, int x, int y, int at);
static void mark_needed(const tmli_builder *b, int root, int32_t *number);
static tml_status check_needed(const tmli_builder *b, int root, const tmli_source *src, const int32_t *number,
                               int *n, int *nvars);
static void copy_needed(const tmli_builder *b, int root, int32_t *number, tmli_expr *e);
static bool is_flat(const tmli_expr *e, const tmli_expr_node *node);
static tml_status fail_nonfinite(const tmli_expr_node *node, const tmli_source *src);

int tmli_build_const(tmli_builder *b, double value, int at)
{
    return add_node(b, (tmli_expr_node){.op = TMLI_OP_CONST, .imm = value, .at = at, .from = TMLI_OP_CONST});
}

int tmli_build_var(tmli_builder *b, int slot, int at)
{
    for (int i = 0; i < b->count; i++)
        if (b->nodes[i].op == TMLI_OP_VAR && b->nodes[i].c == slot) return i;
    return add_node(b, (tmli_expr_node){.op = TMLI_OP_VAR, .c = slot, .at = at});
}

int tmli_build_op(tmli_builder *b, tmli_op op, int x, int y, int at)
{
    if (!tmli_op_is_in(BINARY, op)) y = x;
    if (x < 0 || y < 0) return -1;
    if (tmli_build_is_const(b, x) && tmli_build_is_const(b, y)) {
        const tmli_expr_node p = b->nodes[x], q = b->nodes[y];
        tmli_expr_node node = {.op = TMLI_OP_CONST, .at = at, .from = (int32_t)op};
        node.imm = tmli_op_value(op, 0, p.imm, q.imm);
        node.named = p.named || q.named;
        if (!isfinite(p.imm)) node.at = p.at, node.from = p.from;  // report the first cause
        else if (!isfinite(q.imm)) node.at = q.at, node.from = q.from;
        return add_node(b, node);
    }
    const int simple = simplify(b, op, x, y, at);
    if (simple >= 0) return simple;
    if (op == TMLI_OP_POW && tmli_build_is_const(b, y) && isfinite(b->nodes[y].imm))
        return add_node(
            b, (tmli_expr_node){.op = TMLI_OP_POWC, .imm = b->nodes[y].imm, .a = x, .b = x, .at = at});
    return add_node(b, (tmli_expr_node){.op = (int32_t)op, .a = x, .b = y, .at = at});
}

int tmli_build_table(tmli_builder *b, const tmli_curve *curve, bool located, int x, int at)
{
    if (x < 0) return -1;
    if (!tmli_build_is_const(b, x))
        return add_node(
            b, (tmli_expr_node){
                   .op = TMLI_OP_TABLE, .a = x, .b = x, .at = at, .curve = curve, .located = located});
    const tmli_expr_node p = b->nodes[x];
    tmli_expr_node node = {.op = TMLI_OP_CONST, .at = at, .from = TMLI_OP_TABLE};
    node.imm = tmli_curve_eval(curve, p.imm, NULL, NULL);
    node.named = 1;
    if (!isfinite(p.imm)) node.at = p.at, node.from = p.from;  // report the first cause
    return add_node(b, node);
}

int tmli_build_select(tmli_builder *b, int condition, int x, int y, int at)
{
    if (condition < 0 || x < 0 || y < 0) return -1;
    if (tmli_build_is_const(b, condition) && isfinite(b->nodes[condition].imm))
        return b->nodes[condition].imm != 0 ? x : y;
    return add_node(b, (tmli_expr_node){.op = TMLI_OP_SELECT, .a = condition, .b = x, .c = y, .at = at});
}

bool tmli_build_is_const(const tmli_builder *b, int node)
{
    return node >= 0 && b->nodes[node].op == TMLI_OP_CONST;
}

void tmli_build_clear(tmli_builder *b)
{
    tmli_free(b->env, b->nodes);
    *b = (tmli_builder){.env = b->env};
}

tml_status tmli_build_finish(const tmli_builder *b, int root, const tmli_source *src, tmli_expr **out)
{
    *out = NULL;
    // 1 for nodes that are needed, later their new index + 1
    int32_t *number = tmli_calloc(b->env, (size_t)root + 1, sizeof *number);
    if (!number) return tmli_fail(src->err, TML_ERR_NOMEM, "expression: no memory");
    mark_needed(b, root, number);
    int n = 0, nvars = 0;
    tml_status st = check_needed(b, root, src, number, &n, &nvars);
    tmli_expr *e = st == TML_OK ? tmli_calloc(b->env, 1, sizeof *e) : NULL;
    if (e) {
        if (b->env) e->env = *b->env;
        e->slots = tmli_calloc(b->env, (size_t)nvars, sizeof *e->slots);
        e->nodes = tmli_calloc(b->env, (size_t)n, sizeof *e->nodes);
        e->discontinuities = tmli_calloc(b->env, (size_t)n, sizeof *e->discontinuities);
        e->poles = tmli_calloc(b->env, (size_t)n, sizeof *e->poles);
    }
    if (st == TML_OK && (!e || !e->slots || !e->nodes || !e->discontinuities || !e->poles)) {
        tmli_expr_destroy(e);
        st = tmli_fail(src->err, TML_ERR_NOMEM, "expression: no memory for %d nodes", n);
    } else if (st == TML_OK) {
        copy_needed(b, root, number, e);
        tmli_expr_find_poles(e);
        *out = e;
    }
    tmli_free(b->env, number);
    return st;
}

static int add_node(tmli_builder *b, tmli_expr_node node)
{
    // bounded by the length of the text
    tmli_expr_node *nodes = tmli_grown(b->env, b->nodes, b->count, &b->room, 32, sizeof *nodes);
    if (!nodes) return -1;
    b->nodes = nodes;
    b->nodes[b->count] = node;
    return b->count++;
}

static bool is_value(const tmli_builder *b, int node, double value)
{
    return tmli_build_is_const(b, node) && b->nodes[node].imm == value;
}

// A name whose value is 1 has a unit, and stays for it.
static bool is_one(const tmli_builder *b, int node) { return is_value(b, node, 1) && !b->nodes[node].named; }

// An existing node with the same value, or -1. Products with 0 are kept, so that infinities are not hidden.
static int simplify(tmli_builder *b, tmli_op op, int x, int y, int at)
{
    switch (op) {
    case TMLI_OP_ADD: return is_value(b, x, 0) ? y : is_value(b, y, 0) ? x : -1;
    case TMLI_OP_SUB:
        if (is_value(b, y, 0)) return x;
        return is_value(b, x, 0) ? tmli_build_op(b, TMLI_OP_NEG, y, y, at) : -1;
    case TMLI_OP_MUL: return is_one(b, x) ? y : is_one(b, y) ? x : -1;
    case TMLI_OP_DIV: return is_one(b, y) ? x : -1;
    case TMLI_OP_POW: return is_value(b, y, 1) ? x : is_value(b, y, 0) ? tmli_build_const(b, 1, at) : -1;
    case TMLI_OP_NEG: return b->nodes[x].op == TMLI_OP_NEG ? b->nodes[x].a : -1;
    default: return -1;
    }
}

static void mark_needed(const tmli_builder *b, int root, int32_t *number)
{
    number[root] = 1;
    for (int i = root; i >= 0; i--) {
        const tmli_expr_node *node = &b->nodes[i];
        if (!number[i] || node->op == TMLI_OP_CONST || node->op == TMLI_OP_VAR) continue;
        number[node->a] = number[node->b] = 1;
        if (node->op == TMLI_OP_SELECT) number[node->c] = 1;
    }
}

static tml_status check_needed(const tmli_builder *b, int root, const tmli_source *src, const int32_t *number,
                               int *n, int *nvars)
{
    for (int i = 0; i <= root; i++) {
        if (!number[i]) continue;
        const tmli_expr_node *node = &b->nodes[i];
        if (node->op == TMLI_OP_CONST && !isfinite(node->imm)) return fail_nonfinite(node, src);
        if (*n == TMLI_EXPR_MAX_NODES)
            return tmli_source_fail(src, node->at, TML_ERR_SYNTAX,
                                    "the expression has more than %d operations and values; split it",
                                    TMLI_EXPR_MAX_NODES);
        ++*n;
        *nvars += node->op == TMLI_OP_VAR;
    }
    return TML_OK;
}

static void copy_needed(const tmli_builder *b, int root, int32_t *number, tmli_expr *e)
{
    for (int i = 0; i <= root; i++) {
        if (!number[i]) continue;
        tmli_expr_node node = b->nodes[i];
        if (node.op == TMLI_OP_VAR) {
            node.a = node.b = e->nvars;
            e->slots[e->nvars++] = node.c;
        } else if (node.op != TMLI_OP_CONST) {
            node.a = number[node.a] - 1;
            node.b = number[node.b] - 1;
            if (node.op == TMLI_OP_SELECT) node.c = number[node.c] - 1;
        }
        node.flat = is_flat(e, &node);
        if (node.op != TMLI_OP_VAR && node.op != TMLI_OP_SELECT) {
            const bool flat_arguments =
                node.op == TMLI_OP_CONST || (e->nodes[node.a].flat && e->nodes[node.b].flat);
            node.c = tmli_node_has_branches(&node) && !flat_arguments ? e->ndiscontinuities++ : -1;
            if (node.c >= 0) e->discontinuities[node.c] = e->n;
        }
        number[i] = e->n + 1;
        e->nodes[e->n++] = node;
    }
}

// True if the value is piecewise constant: comparisons, signs, roundings, and operations on such values
// alone. A comparison of such values is no discontinuity of its own: it changes only when one of them does.
static bool is_flat(const tmli_expr *e, const tmli_expr_node *node)
{
    if (node->op == TMLI_OP_VAR) return false;
    if (tmli_op_is_in(STEPS, (tmli_op)node->op)) return true;
    return e->nodes[node->op == TMLI_OP_SELECT ? node->c : node->a].flat && e->nodes[node->b].flat;
}

static tml_status fail_nonfinite(const tmli_expr_node *node, const tmli_source *src)
{
    const char *value = isnan(node->imm) ? "not a number" : "infinite";
    tmli_token tok;
    char buf[TMLI_EXPR_SHOW];
    // not reached: the token was read before
    if (tmli_lex(src, node->at, &tok) != TML_OK) return TML_ERR_SYNTAX;
    tmli_token_show(src, &tok, buf);
    if (node->from == TMLI_OP_CONST)
        return tmli_source_fail(src, node->at, TML_ERR_SYNTAX, "the value of %s is %s", buf, value);
    if (node->from == TMLI_OP_DIV)
        return tmli_source_fail(src, node->at, TML_ERR_SYNTAX,
                                "this division of constants is %s; is the divisor 0?", value);
    return tmli_source_fail(src, node->at, TML_ERR_SYNTAX,
                            "the result of %s is %s for the constants given; expected a finite number", buf,
                            value);
}
