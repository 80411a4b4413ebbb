// Values and exact derivatives of expressions.
//
// A node computes v = f(a, b) from earlier nodes. With the partial derivatives fa, fb, faa, fab, fbb:
//   along a curve, first node to last (dots: derivatives in tau)
//     v'  = fa a' + fb b'                                                    (1)
//     v'' = fa a'' + fb b'' + faa a'^2 + 2 fab a' b' + fbb b'^2              (2)
//   gradient, last node to first, with the adjoint w = d(result)/dv
//     w_a += fa w,   w_b += fb w                                             (3)
// In (1)-(3) zero times anything is zero: a constant operand, or the unused branch of an `if`, contributes
// nothing even if the formula of its derivative has a pole.
//
// Values used where a derivative does not exist: 0 for abs, sign, hypot and atan2 at the origin; the
// derivative by the first argument for min and max of equal arguments; 0 for comparisons and roundings
// everywhere; the outer value 0 for the second derivative of step at its ends. mod(a, b) = a - b floor(a/b)
// has the sign of b.
#include "expr/program.h"

#include <math.h>
#include <string.h>

static void first_derivatives(const tmli_expr_node *n, double a, double b, double v, double *fa, double *fb);
static void second_derivatives(const tmli_expr_node *n, double a, double b, double v, double *faa,
                               double *fab, double *fbb);
static double modulo(double a, double b);
static double product(double c, double d);
static bool branch_is_fixed(const tmli_expr_node *n, const double *mode);
static void blend_adjoint(const tmli_expr_node *n, const double *v, double d, double *w);
static void evaluate_nodes(const tmli_expr *e, const double *x, const double **mode, double *v);

double tmli_expr_eval(const tmli_expr *e, const double *x) { return tmli_expr_eval_mode(e, x, NULL); }

double tmli_expr_eval_mode(const tmli_expr *e, const double *x, const double *mode)
{
    double v[TMLI_EXPR_MAX_NODES];
    if (e->n == 1 && e->nodes[0].op == TMLI_OP_VAR) return x[e->nodes[0].a];
    evaluate_nodes(e, x, &mode, v);
    return v[e->n - 1];
}

double tmli_expr_grad_mode(const tmli_expr *e, const double *x, const double *mode, double *grad)
{
    double v[TMLI_EXPR_MAX_NODES], w[TMLI_EXPR_MAX_NODES];
    evaluate_nodes(e, x, &mode, v);
    memset(w, 0, (size_t)e->n * sizeof *w);
    w[e->n - 1] = 1;
    for (int i = e->n - 1; i >= 0; i--) {
        const tmli_expr_node *n = &e->nodes[i];
        if (n->op == TMLI_OP_VAR) {
            grad[n->a] = w[i];
        } else if (w[i] == 0 || n->op == TMLI_OP_CONST) {
            continue;
        } else if (mode && tmli_expr_node_blends(e, n, v)) {
            blend_adjoint(n, v, w[i], w);
        } else if (n->op == TMLI_OP_SELECT) {
            w[v[n->a] != 0 ? n->b : n->c] += w[i];
        } else {
            double fa = 0, fb = 0;
            if (branch_is_fixed(n, mode)) tmli_mode_first(n, mode[n->c], v[n->a], v[n->b], &fa, &fb);
            else first_derivatives(n, v[n->a], v[n->b], v[i], &fa, &fb);
            w[n->a] += product(fa, w[i]);  // (3)
            w[n->b] += product(fb, w[i]);
        }
    }
    return v[e->n - 1];
}

void tmli_expr_jet2_mode(const tmli_expr *e, const double *x, const double *xd, const double *xdd,
                         const double *mode, double out[3])
{
    double v[TMLI_EXPR_MAX_NODES], v1[TMLI_EXPR_MAX_NODES], v2[TMLI_EXPR_MAX_NODES];
    evaluate_nodes(e, x, &mode, v);
    tmli_expr_forward_jet(e, xd, xdd, mode, v, v1, v2);
    out[0] = v[e->n - 1];
    out[1] = v1[e->n - 1];
    out[2] = v2[e->n - 1];
}

void tmli_expr_forward_jet(const tmli_expr *e, const double *xd, const double *xdd, const double *mode,
                           const double *v, double *v1, double *v2)
{
    for (int i = 0; i < e->n; i++) {
        const tmli_expr_node *n = &e->nodes[i];
        v1[i] = v2[i] = 0;
        if (n->op == TMLI_OP_CONST) continue;
        if (n->op == TMLI_OP_VAR) {
            v1[i] = xd ? xd[n->a] : 0;
            v2[i] = xdd ? xdd[n->a] : 0;
        } else if (n->op == TMLI_OP_SELECT) {
            const int chosen = v[n->a] != 0 ? n->b : n->c;
            v1[i] = v1[chosen];
            v2[i] = v2[chosen];
        } else {
            const double a = v[n->a], a1 = v1[n->a], a2 = v2[n->a], b = v[n->b], b1 = v1[n->b], b2 = v2[n->b];
            if (a1 == 0 && a2 == 0 && b1 == 0 && b2 == 0) continue;
            double fa = 0, fb = 0, faa = 0, fab = 0, fbb = 0;
            if (branch_is_fixed(n, mode)) {
                tmli_mode_first(n, mode[n->c], a, b, &fa, &fb);
                tmli_mode_second(n, mode[n->c], a, b, &faa, &fab, &fbb);
            } else {
                first_derivatives(n, a, b, v[i], &fa, &fb);
                second_derivatives(n, a, b, v[i], &faa, &fab, &fbb);
            }
            v1[i] = product(fa, a1) + product(fb, b1);                                   // (1)
            v2[i] = product(fa, a2) + product(fb, b2) + product(faa, product(a1, a1)) +  // (2)
                    2 * product(fab, product(a1, b1)) + product(fbb, product(b1, b1));
        }
    }
}

double tmli_op_value(tmli_op op, double imm, double a, double b)
{
    switch (op) {
    case TMLI_OP_CONST:
    case TMLI_OP_VAR:
    case TMLI_OP_SELECT:
    case TMLI_OP_TABLE: break;  // handled by the caller
    case TMLI_OP_ADD: return a + b;
    case TMLI_OP_SUB: return a - b;
    case TMLI_OP_MUL: return a * b;
    case TMLI_OP_DIV: return a / b;
    case TMLI_OP_POW: return pow(a, b);
    case TMLI_OP_POWC: return imm == 2 ? a * a : pow(a, imm);
    case TMLI_OP_NEG: return -a;
    case TMLI_OP_LT: return a < b;
    case TMLI_OP_LE: return a <= b;
    case TMLI_OP_GT: return a > b;
    case TMLI_OP_GE: return a >= b;
    case TMLI_OP_EQ: return a == b;
    case TMLI_OP_NE: return a != b;
    case TMLI_OP_AND: return a != 0 && b != 0;
    case TMLI_OP_OR: return a != 0 || b != 0;
    case TMLI_OP_NOT: return a == 0;
    case TMLI_OP_SIN: return sin(a);
    case TMLI_OP_COS: return cos(a);
    case TMLI_OP_TAN: return tan(a);
    case TMLI_OP_ASIN: return asin(a);
    case TMLI_OP_ACOS: return acos(a);
    case TMLI_OP_ATAN: return atan(a);
    case TMLI_OP_ATAN2: return atan2(a, b);
    case TMLI_OP_SINH: return sinh(a);
    case TMLI_OP_COSH: return cosh(a);
    case TMLI_OP_TANH: return tanh(a);
    case TMLI_OP_EXP: return exp(a);
    case TMLI_OP_LOG: return log(a);
    case TMLI_OP_LOG10: return log10(a);
    case TMLI_OP_SQRT: return sqrt(a);
    case TMLI_OP_CBRT: return cbrt(a);
    case TMLI_OP_HYPOT: return hypot(a, b);
    case TMLI_OP_ABS: return fabs(a);
    case TMLI_OP_SIGN: return isnan(a) ? a : (double)((a > 0) - (a < 0));
    case TMLI_OP_MIN: return a <= b || isnan(a) ? a : b;  // NaN in, NaN out: fmin would hide it
    case TMLI_OP_MAX: return a >= b || isnan(a) ? a : b;
    case TMLI_OP_MOD: return modulo(a, b);
    case TMLI_OP_FLOOR: return floor(a);
    case TMLI_OP_CEIL: return ceil(a);
    case TMLI_OP_ROUND: return round(a);
    case TMLI_OP_RAMP: return a <= 0 ? 0 : a >= 1 ? 1 : a * a * (3 - 2 * a);
    }
    return NAN;
}

void tmli_expr_forward(const tmli_expr *e, const double *x, const double *mode, double *v)
{
    for (int i = 0; i < e->n; i++) {
        const tmli_expr_node *n = &e->nodes[i];
        if (n->op == TMLI_OP_CONST) v[i] = n->imm;
        else if (n->op == TMLI_OP_VAR) v[i] = x[n->a];
        else if (mode && tmli_expr_node_blends(e, n, v)) v[i] = tmli_blend(n, v);
        else if (n->op == TMLI_OP_SELECT) v[i] = v[v[n->a] != 0 ? n->b : n->c];
        else if (branch_is_fixed(n, mode)) v[i] = tmli_mode_value(n, mode[n->c], v[n->a], v[n->b]);
        else v[i] = tmli_node_value(n, v[n->a], v[n->b]);
    }
}

void tmli_expr_visit_tables(const tmli_expr *e, const double *x, const double *mode, tmli_table_visit *visit,
                            void *user)
{
    double v[TMLI_EXPR_MAX_NODES];
    bool any = false;
    for (int i = 0; i < e->n && !any; i++) any = e->nodes[i].op == TMLI_OP_TABLE;
    if (!any) return;
    evaluate_nodes(e, x, &mode, v);
    for (int i = 0; i < e->n; i++)
        if (e->nodes[i].op == TMLI_OP_TABLE) visit(e->nodes[i].curve, v[e->nodes[i].a], user);
}

static bool branch_is_fixed(const tmli_expr_node *n, const double *mode)
{
    return mode && n->c >= 0 && tmli_mode_fixes_branch(mode[n->c]);
}

// Values of all nodes. *mode becomes NULL if no branch can be fixed: no discontinuities, or no finite value
// on the branches.
static void evaluate_nodes(const tmli_expr *e, const double *x, const double **mode, double *v)
{
    if (e->ndiscontinuities == 0) *mode = NULL;
    tmli_expr_forward(e, x, *mode, v);
    if (!*mode || isfinite(v[e->n - 1])) return;
    *mode = NULL;
    tmli_expr_forward(e, x, NULL, v);
}

// (3) for a node that blends smoothed jumps, with the adjoint d.
static void blend_adjoint(const tmli_expr_node *n, const double *v, double d, double *w)
{
    const double a = v[n->a], b = v[n->b];
    if (n->op == TMLI_OP_SELECT) {
        w[n->a] += product(b - v[n->c], d);
        w[n->b] += product(a, d);
        w[n->c] += product(1 - a, d);
    } else if (n->op == TMLI_OP_NOT) {
        w[n->a] -= d;
    } else {
        w[n->a] += product(n->op == TMLI_OP_AND ? b : 1 - b, d);
        w[n->b] += product(n->op == TMLI_OP_AND ? a : 1 - a, d);
    }
}

// First derivatives; *fa and *fb are 0 before. v is the value of the node.
static void first_derivatives(const tmli_expr_node *n, double a, double b, double v, double *fa, double *fb)
{
    const double c = n->imm;
    switch ((tmli_op)n->op) {
    case TMLI_OP_ADD:
        *fa = 1;
        *fb = 1;
        break;
    case TMLI_OP_SUB:
        *fa = 1;
        *fb = -1;
        break;
    case TMLI_OP_MUL:
        *fa = b;
        *fb = a;
        break;
    case TMLI_OP_DIV:
        *fa = 1 / b;
        *fb = -v / b;
        break;
    case TMLI_OP_POW:
        *fa = b == 0 ? 0 : b * pow(a, b - 1);
        *fb = v == 0 ? 0 : v * log(a);  // limit for a -> 0, b > 0
        break;
    case TMLI_OP_POWC: *fa = c == 2 ? 2 * a : c * pow(a, c - 1); break;
    case TMLI_OP_NEG: *fa = -1; break;
    case TMLI_OP_SIN: *fa = cos(a); break;
    case TMLI_OP_COS: *fa = -sin(a); break;
    case TMLI_OP_TAN: *fa = 1 + v * v; break;
    case TMLI_OP_ASIN: *fa = 1 / sqrt((1 - a) * (1 + a)); break;
    case TMLI_OP_ACOS: *fa = -1 / sqrt((1 - a) * (1 + a)); break;
    case TMLI_OP_ATAN: *fa = 1 / (1 + a * a); break;
    case TMLI_OP_ATAN2: {
        const double r = hypot(a, b);
        if (r == 0) break;
        *fa = b / r / r;
        *fb = -a / r / r;
        break;
    }
    case TMLI_OP_SINH: *fa = cosh(a); break;
    case TMLI_OP_COSH: *fa = sinh(a); break;
    case TMLI_OP_TANH: *fa = (1 - v) * (1 + v); break;
    case TMLI_OP_EXP: *fa = v; break;
    case TMLI_OP_LOG: *fa = 1 / a; break;
    case TMLI_OP_LOG10: *fa = 1 / (a * log(10.0)); break;
    case TMLI_OP_SQRT: *fa = 0.5 / v; break;
    case TMLI_OP_CBRT: *fa = 1 / (3 * v * v); break;
    case TMLI_OP_HYPOT:
        if (v == 0) break;
        *fa = a / v;
        *fb = b / v;
        break;
    case TMLI_OP_ABS: *fa = (double)((a > 0) - (a < 0)); break;
    case TMLI_OP_MIN: *(a <= b || isnan(a) ? fa : fb) = 1; break;
    case TMLI_OP_MAX: *(a >= b || isnan(a) ? fa : fb) = 1; break;
    case TMLI_OP_MOD:
        *fa = 1;
        *fb = -round((a - v) / b);
        break;
    case TMLI_OP_RAMP: *fa = a > 0 && a < 1 ? 6 * a * (1 - a) : 0; break;
    case TMLI_OP_TABLE: (void)tmli_curve_eval(n->curve, a, fa, NULL); break;
    default: break;  // piecewise constant
    }
}

// Second derivatives; the outputs are 0 before.
static void second_derivatives(const tmli_expr_node *n, double a, double b, double v, double *faa,
                               double *fab, double *fbb)
{
    const double c = n->imm;
    switch ((tmli_op)n->op) {
    case TMLI_OP_MUL: *fab = 1; break;
    case TMLI_OP_DIV:
        *fab = -1 / (b * b);
        *fbb = 2 * v / (b * b);
        break;
    case TMLI_OP_POW: {
        const double p = pow(a, b - 1);
        *faa = b == 0 || b == 1 ? 0 : b * (b - 1) * pow(a, b - 2);
        *fab = p == 0 ? 0 : b == 0 ? p : p * (1 + b * log(a));
        *fbb = v == 0 ? 0 : v * log(a) * log(a);
        break;
    }
    case TMLI_OP_POWC: *faa = c == 2 ? 2 : c * (c - 1) * pow(a, c - 2); break;
    case TMLI_OP_SIN:
    case TMLI_OP_COS: *faa = -v; break;
    case TMLI_OP_TAN: *faa = 2 * v * (1 + v * v); break;
    case TMLI_OP_ASIN: *faa = a / pow((1 - a) * (1 + a), 1.5); break;
    case TMLI_OP_ACOS: *faa = -a / pow((1 - a) * (1 + a), 1.5); break;
    case TMLI_OP_ATAN: *faa = -2 * a / (1 + a * a) / (1 + a * a); break;
    case TMLI_OP_ATAN2: {
        const double r = hypot(a, b);
        if (r == 0) break;
        const double s = a / r, k = b / r;  // sine and cosine of the angle
        *faa = -2 * s * k / r / r;
        *fbb = -*faa;
        *fab = (s - k) * (s + k) / r / r;
        break;
    }
    case TMLI_OP_SINH:
    case TMLI_OP_COSH:
    case TMLI_OP_EXP: *faa = v; break;
    case TMLI_OP_TANH: *faa = -2 * v * (1 - v) * (1 + v); break;
    case TMLI_OP_LOG: *faa = -1 / (a * a); break;
    case TMLI_OP_LOG10: *faa = -1 / (a * a * log(10.0)); break;
    case TMLI_OP_SQRT: *faa = -0.25 / (v * v * v); break;
    case TMLI_OP_CBRT: *faa = -2 / (9 * v * v * v * v * v); break;
    case TMLI_OP_HYPOT: {
        if (v == 0) break;
        const double s = a / v, k = b / v;
        *faa = k * k / v;
        *fab = -s * k / v;
        *fbb = s * s / v;
        break;
    }
    case TMLI_OP_RAMP: *faa = a > 0 && a < 1 ? 6 - 12 * a : 0; break;
    case TMLI_OP_TABLE: (void)tmli_curve_eval(n->curve, a, NULL, faa); break;
    default: break;  // linear or piecewise linear
    }
}

static double modulo(double a, double b)
{
    const double r = fmod(a, b);
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

static double product(double c, double d) { return c == 0 || d == 0 ? 0 : c * d; }
