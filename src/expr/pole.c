// Poles of expressions; see expr.h.
//
// A value grows without bound where a divisor, the base of a negative power, or the cosine under a tangent
// is zero. A divisor is searched for the factors that can change their sign there:
//   a b: both;   a/b: a;   -a, |a|, sqrt(a), cbrt(a), a^c with c > 0: a;   all others: themselves
// so that 1/(t - a)^2 and 1/|t - a| show their pole by a change of sign, too. Such a zero need not be a pole:
// sin(x)/x has none, and a branch of `if` may not be in use. What the value does beside it decides.
#include "expr/program.h"

#include <math.h>

static void mark_factors(const tmli_expr *e, int node, bool *marked)
{
    const tmli_expr_node *n = &e->nodes[node];
    if (n->flat) return;  // it jumps, which is a discontinuity, or is constant
    switch ((tmli_op)n->op) {
    case TMLI_OP_MUL:
        mark_factors(e, n->b, marked);
        mark_factors(e, n->a, marked);
        break;
    case TMLI_OP_DIV:
    case TMLI_OP_NEG:
    case TMLI_OP_ABS:
    case TMLI_OP_SQRT:
    case TMLI_OP_CBRT: mark_factors(e, n->a, marked); break;
    case TMLI_OP_POWC:
        if (n->imm > 0) mark_factors(e, n->a, marked);
        break;
    default: marked[node] = true; break;
    }
}

void tmli_expr_find_poles(tmli_expr *e)
{
    bool marked[TMLI_EXPR_MAX_NODES] = {false};
    for (int i = 0; i < e->n; i++) {
        const tmli_expr_node *n = &e->nodes[i];
        if (n->op == TMLI_OP_DIV) mark_factors(e, n->b, marked);
        if (n->op == TMLI_OP_POWC && n->imm < 0) mark_factors(e, n->a, marked);
        if (n->op == TMLI_OP_TAN && !n->flat) marked[i] = true;
    }
    for (int i = 0; i < e->n; i++)
        if (marked[i]) e->poles[e->npoles++] = i;
}

int tmli_expr_npoles(const tmli_expr *e) { return e->npoles; }

void tmli_expr_pole_values(const tmli_expr *e, const double *x, const double *mode, double *out)
{
    double v[TMLI_EXPR_MAX_NODES];
    bool live[TMLI_EXPR_MAX_NODES];
    if (e->npoles == 0) return;
    tmli_expr_forward(e, x, e->ndiscontinuities > 0 ? mode : NULL, v);
    tmli_expr_mark_live(e, v, live);
    for (int k = 0; k < e->npoles; k++) {
        const tmli_expr_node *n = &e->nodes[e->poles[k]];
        // tan a and 1/tan a have poles where cos a or sin a is zero
        const double z = n->op == TMLI_OP_TAN ? sin(2 * v[n->a]) : v[e->poles[k]];
        out[k] = live[e->poles[k]] ? z : NAN;
    }
}
