// Internal form of an expression: a list of nodes, each of which refers to earlier nodes only. Values and
// derivatives along a curve are loops from the first node to the last, gradients loops from the last to the
// first.
#ifndef TMLI_EXPR_PROGRAM_H
#define TMLI_EXPR_PROGRAM_H

#include "base/modes.h"
#include "expr/expr.h"
#include "expr/lex.h"

enum {
    TMLI_EXPR_MAX_NODES = 2048  // evaluation keeps up to three doubles per node on the C stack: 48 KiB
};

/** An operation on one, two or (SELECT) three earlier nodes. */
typedef enum tmli_op {
    TMLI_OP_CONST,   // imm
    TMLI_OP_VAR,     // variable number a, caller's slot c
    TMLI_OP_SELECT,  // a != 0 ? b : c
    TMLI_OP_ADD,
    TMLI_OP_SUB,
    TMLI_OP_MUL,
    TMLI_OP_DIV,
    TMLI_OP_POW,
    TMLI_OP_POWC,  // a to the constant power imm
    TMLI_OP_NEG,
    TMLI_OP_LT,
    TMLI_OP_LE,
    TMLI_OP_GT,
    TMLI_OP_GE,
    TMLI_OP_EQ,
    TMLI_OP_NE,
    TMLI_OP_AND,
    TMLI_OP_OR,
    TMLI_OP_NOT,
    TMLI_OP_SIN,
    TMLI_OP_COS,
    TMLI_OP_TAN,
    TMLI_OP_ASIN,
    TMLI_OP_ACOS,
    TMLI_OP_ATAN,
    TMLI_OP_ATAN2,
    TMLI_OP_SINH,
    TMLI_OP_COSH,
    TMLI_OP_TANH,
    TMLI_OP_EXP,
    TMLI_OP_LOG,
    TMLI_OP_LOG10,
    TMLI_OP_SQRT,
    TMLI_OP_CBRT,
    TMLI_OP_HYPOT,
    TMLI_OP_ABS,
    TMLI_OP_SIGN,
    TMLI_OP_MIN,
    TMLI_OP_MAX,
    TMLI_OP_MOD,
    TMLI_OP_FLOOR,
    TMLI_OP_CEIL,
    TMLI_OP_ROUND,
    TMLI_OP_RAMP,  // s^2 (3 - 2 s) for 0 < s < 1, 0 below, 1 above
    TMLI_OP_TABLE  // curve(a)
} tmli_op;

/** Sets of operations: a bit for each. */
#define TMLI_OP_BIT(op) ((uint64_t)1 << TMLI_OP_##op)
static inline bool tmli_op_is_in(uint64_t set, tmli_op op) { return set >> op & 1; }
#define TMLI_OPS_ORDER (TMLI_OP_BIT(LT) | TMLI_OP_BIT(LE) | TMLI_OP_BIT(GT) | TMLI_OP_BIT(GE))
#define TMLI_OPS_COMPARE (TMLI_OPS_ORDER | TMLI_OP_BIT(EQ) | TMLI_OP_BIT(NE))
#define TMLI_OPS_ROUND (TMLI_OP_BIT(FLOOR) | TMLI_OP_BIT(CEIL) | TMLI_OP_BIT(ROUND))
#define TMLI_OPS_EXTREME (TMLI_OP_BIT(MIN) | TMLI_OP_BIT(MAX))
/** Operations with branches that a mode can fix. Such a one is a discontinuity unless its arguments are
 * piecewise constant. */
#define TMLI_OPS_BRANCHES                                                                         \
    (TMLI_OPS_ORDER | TMLI_OPS_ROUND | TMLI_OPS_EXTREME | TMLI_OP_BIT(ATAN2) | TMLI_OP_BIT(ABS) | \
     TMLI_OP_BIT(SIGN) | TMLI_OP_BIT(MOD) | TMLI_OP_BIT(RAMP))

typedef struct tmli_expr_node {
    double imm;
    int32_t op;  // tmli_op
    // Indices of earlier nodes; b = a if an operation has one argument. In a finished program, c of an
    // operation other than VAR and SELECT is the index of its discontinuity, -1: none.
    int32_t a, b, c;
    int32_t at;               // offset in the text, for messages
    int32_t from;             // CONST: the operation it was folded from, or CONST for a number or name
    int32_t flat;             // in a finished program: 1 if the value is piecewise constant
    int32_t located;          // TABLE: its points are discontinuities
    int32_t named;            // CONST: the value of a name is in it
    const tmli_curve *curve;  // TABLE: borrowed
} tmli_expr_node;

struct tmli_expr {
    tml_env env;
    int n, nvars;
    int *slots;             // (nvars)
    tmli_expr_node *nodes;  // (n), the last one is the value
    int ndiscontinuities;
    int *discontinuities;  // (ndiscontinuities) indices of their nodes, ascending
    int npoles;
    int *poles;  // (npoles) indices of the nodes whose zeros may be poles; of a tangent: that of its own node
};

/** Value of an operation other than CONST, VAR, SELECT, TABLE. */
double tmli_op_value(tmli_op op, double imm, double a, double b);
/** Value of a node of such an operation, or of TABLE. */
static inline double tmli_node_value(const tmli_expr_node *n, double a, double b)
{
    return n->op == TMLI_OP_TABLE ? tmli_curve_eval(n->curve, a, NULL, NULL)
                                  : tmli_op_value((tmli_op)n->op, n->imm, a, b);
}
/** True if the node has branches that a mode can fix. */
static inline bool tmli_node_has_branches(const tmli_expr_node *n)
{
    return n->op == TMLI_OP_TABLE ? n->located : tmli_op_is_in(TMLI_OPS_BRANCHES, (tmli_op)n->op);
}
/** Value and derivatives of an operation on the branch that mode fixes; outputs of derivatives are 0 on
 * entry. */
double tmli_mode_value(const tmli_expr_node *n, double mode, double a, double b);
void tmli_mode_first(const tmli_expr_node *n, double mode, double a, double b, double *fa, double *fb);
void tmli_mode_second(const tmli_expr_node *n, double mode, double a, double b, double *faa, double *fab,
                      double *fbb);
/** True if an operand of the operation and, or, not or if is a smoothed jump with a value between 0 and 1. */
static inline bool tmli_expr_node_blends(const tmli_expr *e, const tmli_expr_node *n, const double *v)
{
    if (n->op != TMLI_OP_SELECT && n->op != TMLI_OP_AND && n->op != TMLI_OP_OR && n->op != TMLI_OP_NOT)
        return false;
    const bool a = e->nodes[n->a].flat && v[n->a] > 0 && v[n->a] < 1;
    return a || (n->op != TMLI_OP_SELECT && e->nodes[n->b].flat && v[n->b] > 0 && v[n->b] < 1);
}
/** Value of such an operation from the values of its arguments. */
static inline double tmli_blend(const tmli_expr_node *n, const double *v)
{
    const double a = v[n->a], b = v[n->b];
    if (n->op == TMLI_OP_SELECT) return a * b + (1 - a) * v[n->c];
    return n->op == TMLI_OP_AND ? a * b : n->op == TMLI_OP_OR ? a + b - a * b : 1 - a;
}
/** Values of all nodes; mode NULL: as written. */
void tmli_expr_forward(const tmli_expr *e, const double *x, const double *mode, double *v);
/** Derivatives of all nodes along a curve, from their values. */
void tmli_expr_forward_jet(const tmli_expr *e, const double *xd, const double *xdd, const double *mode,
                           const double *v, double *v1, double *v2);
/** Mark the nodes on which the value depends with the current branches, from the values v of all nodes. */
void tmli_expr_mark_live(const tmli_expr *e, const double *v, bool *live);
/** Find the poles of a finished list of nodes (pole.c); the memory is there. */
void tmli_expr_find_poles(tmli_expr *e);
/** Index of the discontinuity of a node, or -1. */
static inline int tmli_expr_node_discontinuity(const tmli_expr_node *n)
{
    return n->op == TMLI_OP_CONST || n->op == TMLI_OP_VAR || n->op == TMLI_OP_SELECT ? -1 : n->c;
}

/** A list of nodes under construction. The functions return the index of a node, or -1 if memory is exhausted
 * or an argument is -1. They fold constants and return an existing node if nothing has to be computed
 * (x*1). */
typedef struct tmli_builder {
    const tml_env *env;
    tmli_expr_node *nodes;
    int count, room;
} tmli_builder;
int tmli_build_const(tmli_builder *b, double value, int at);
int tmli_build_var(tmli_builder *b, int slot, int at);
int tmli_build_op(tmli_builder *b, tmli_op op, int x, int y, int at);  // y: ignored if op takes one argument
int tmli_build_table(tmli_builder *b, const tmli_curve *curve, bool located, int x, int at);
int tmli_build_select(tmli_builder *b, int condition, int x, int y, int at);
bool tmli_build_is_const(const tmli_builder *b, int node);
void tmli_build_clear(tmli_builder *b);
/** Keep the nodes that the root needs, number the variables, check the size and that all constants are
 * finite. */
tml_status tmli_build_finish(const tmli_builder *b, int root, const tmli_source *src, tmli_expr **out);

#endif
