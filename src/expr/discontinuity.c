// Discontinuities of expressions: fixed branches, event functions, changes of mode; see expr.h.
//
//   operation        mode                            value on the branch          event function
//   < <= > >=        s = +1, -1: sign of a - b       that of the comparison       s (a - b)
//   min, max         s, as above                     b or a                       s (a - b)
//   abs              s: sign of a                    s a                          s a
//   sign             s: sign of a;  AT_ZERO          s;  0                        s a;  -|a|
//   atan2(a, b)      s: sign of a                    s pi/2 + atan2(-s b, s a)    s a
//   floor, ceil      2 k + 1                         k                            distance to the nearer end
//   round            2 k + 1                         k                            of the interval of k
//   mod(a, b)        2 k + 1, k = floor(a/b)         a - b k                      the same for a/b
//   step             1, 2, 3: before, within, past   0, s^2 (3 - 2 s), 1          -s;  min(s, 1 - s);  s - 1
//   table            k + 1: branch k of its curve    the curve on branch k        distance to the nearer end
//
// Sliding. If the branches on both sides of a jump drive the motion back to the jump, the motion slides along
// it, and the jump takes the value between its two sides that keeps the motion there. A smoothed jump (mode
// SMOOTHED + e, width w = 2^e of the compared quantity z) has this value as a function of z: sign becomes
// tanh(z/w), a comparison (1 +- tanh(z/w))/2. Operations on comparisons follow: `and` is a product, `not` is
// 1 - a, and `if` blends its branches. A smoothed jump ends at |z| = SMOOTHED_JUMP_END w.
//
// On a fixed branch atan2 is smooth beyond a = 0 for either sign of b. Crossing the positive half axis, where
// atan2 has no jump, only changes the mode.
#include "expr/program.h"

#include <math.h>

#include "expr/constants.h"

static const double HALF_PI = 1.57079632679489661923;
static const double AT_ZERO = 3;                // mode of sign
static const double SMOOTHED = 2000;            // offset of the modes of smoothed jumps
enum { SMOOTHED_EXPONENT = 1000 };              // |e| is at most this
enum { LARGEST_OTHER_MODE = 100 };              // modes of jumps that are not smoothed are below this
enum { BEFORE_RAMP = 1, ON_RAMP, AFTER_RAMP };  // modes of a ramp; of sign, jumps and kinks 1 and -1

static bool is_jump(tmli_op op) { return tmli_op_is_in(TMLI_OPS_ORDER | TMLI_OP_BIT(SIGN), op); }

// Width of a smoothed jump; 0: it is not smoothed.
static double smoothed_width(tmli_op op, double mode)
{
    return is_jump(op) && mode > LARGEST_OTHER_MODE && isfinite(mode) ? exp2(mode - SMOOTHED) : 0;
}

double tmli_expr_soft_mode(const tmli_expr *e, int k, double width)
{
    if (!is_jump((tmli_op)e->nodes[e->discontinuities[k]].op) || !(width > 0) || !isfinite(width))
        return TML_SWITCH_UNWATCHED;
    return SMOOTHED + fmin(fmax(ceil(log2(width)), -SMOOTHED_EXPONENT), SMOOTHED_EXPONENT);
}

// Value of a smoothed jump as a function of z/w.
static double smoothed_value(tmli_op op, double z)
{
    const double s = tanh(z);
    if (op == TMLI_OP_SIGN) return s;
    return op == TMLI_OP_LT || op == TMLI_OP_LE ? (1 - s) / 2 : (1 + s) / 2;
}

// The number k of the branch that mode = 2 k + 1 fixes.
static double branch_number(double mode) { return (mode - 1) / 2; }

static bool compares_difference(tmli_op op) { return tmli_op_is_in(TMLI_OPS_ORDER | TMLI_OPS_EXTREME, op); }

// The quantity z whose value decides the branch: a - b, a, or a/b.
static double compared_quantity(tmli_op op, double a, double b)
{
    return compares_difference(op) ? a - b : op == TMLI_OP_MOD ? a / b : a;
}

// ---- values and derivatives on a branch -------------------------------------------------------------------

double tmli_mode_value(const tmli_expr_node *n, double mode, double a, double b)
{
    const tmli_op op = (tmli_op)n->op;
    const double width = smoothed_width(op, mode);
    if (width > 0) return smoothed_value(op, compared_quantity(op, a, b) / width);
    switch (op) {
    case TMLI_OP_LT:
    case TMLI_OP_LE: return mode < 0;
    case TMLI_OP_GT:
    case TMLI_OP_GE: return mode > 0;
    case TMLI_OP_MIN: return mode > 0 ? b : a;
    case TMLI_OP_MAX: return mode > 0 ? a : b;
    case TMLI_OP_ABS: return mode * a;
    case TMLI_OP_SIGN: return mode == AT_ZERO ? 0 : mode;
    case TMLI_OP_ATAN2: return mode * HALF_PI + atan2(-mode * b, mode * a);
    case TMLI_OP_MOD: return a - b * branch_number(mode);
    case TMLI_OP_FLOOR:
    case TMLI_OP_CEIL:
    case TMLI_OP_ROUND: return branch_number(mode);
    case TMLI_OP_RAMP: return mode == BEFORE_RAMP ? 0 : mode == AFTER_RAMP ? 1 : a * a * (3 - 2 * a);
    case TMLI_OP_TABLE: return tmli_curve_eval_branch(n->curve, (int)mode - 1, a, NULL, NULL);
    default: return NAN;
    }
}

void tmli_mode_first(const tmli_expr_node *n, double mode, double a, double b, double *fa, double *fb)
{
    const tmli_op op = (tmli_op)n->op;
    const double width = smoothed_width(op, mode);
    if (width > 0) {
        const double s = tanh(compared_quantity(op, a, b) / width), slope = (1 - s) * (1 + s) / width;
        *fa = op == TMLI_OP_SIGN ? slope : op == TMLI_OP_LT || op == TMLI_OP_LE ? -slope / 2 : slope / 2;
        if (op != TMLI_OP_SIGN) *fb = -*fa;
        return;
    }
    switch (op) {
    case TMLI_OP_MIN: *(mode > 0 ? fb : fa) = 1; break;
    case TMLI_OP_MAX: *(mode > 0 ? fa : fb) = 1; break;
    case TMLI_OP_ABS: *fa = mode; break;
    case TMLI_OP_MOD:
        *fa = 1;
        *fb = -branch_number(mode);
        break;
    case TMLI_OP_RAMP: *fa = mode == ON_RAMP ? 6 * a * (1 - a) : 0; break;
    case TMLI_OP_TABLE: (void)tmli_curve_eval_branch(n->curve, (int)mode - 1, a, fa, NULL); break;
    case TMLI_OP_ATAN2: {
        const double r = hypot(a, b);
        if (r == 0) break;
        *fa = b / r / r;
        *fb = -a / r / r;
        break;
    }
    default: break;  // constant
    }
}

void tmli_mode_second(const tmli_expr_node *n, double mode, double a, double b, double *faa, double *fab,
                      double *fbb)
{
    const tmli_op op = (tmli_op)n->op;
    if (op == TMLI_OP_TABLE) (void)tmli_curve_eval_branch(n->curve, (int)mode - 1, a, NULL, faa);
    if (op == TMLI_OP_RAMP && mode == ON_RAMP) *faa = 6 - 12 * a;
    const double r = hypot(a, b);
    if (op != TMLI_OP_ATAN2 || r == 0) return;
    const double s = a / r, k = b / r;
    *faa = -2 * s * k / r / r;
    *fbb = -*faa;
    *fab = (s - k) * (s + k) / r / r;
}

// ---- event functions --------------------------------------------------------------------------------------

// Ends of the interval of the compared quantity on a branch.
static void branch_interval(const tmli_expr_node *n, double mode, double *low, double *high)
{
    const tmli_op op = (tmli_op)n->op;
    const double k = branch_number(mode);
    *low = -INFINITY;
    *high = INFINITY;
    switch (op) {
    case TMLI_OP_FLOOR:
    case TMLI_OP_MOD: *low = k, *high = k + 1; break;
    case TMLI_OP_CEIL: *low = k - 1, *high = k; break;
    case TMLI_OP_ROUND: *low = k - 0.5, *high = k + 0.5; break;
    case TMLI_OP_RAMP:
        if (mode != BEFORE_RAMP) *low = mode - ON_RAMP;
        if (mode != AFTER_RAMP) *high = mode - BEFORE_RAMP;
        break;
    case TMLI_OP_TABLE: tmli_curve_branch_ends(n->curve, (int)mode - 1, low, high); break;
    default:
        if (mode == AT_ZERO) *low = *high = 0;
        else if (mode > 0) *low = 0;
        else *high = 0;
        break;
    }
}

static double event_value(const tmli_expr_node *n, double mode, double z)
{
    const tmli_op op = (tmli_op)n->op;
    double low, high;
    if (!tmli_mode_fixes_branch(mode) || isnan(z)) return INFINITY;
    const double width = smoothed_width(op, mode);
    if (width > 0) return SMOOTHED_JUMP_END * width - fabs(z);
    branch_interval(n, mode, &low, &high);
    return fmin(z - low, high - z);
}

// Mark the nodes on which the value depends with the current branches. It does not depend on the other branch
// of an `if`, on the second operand of an `and` whose first is false, or on a factor of a product whose other
// factor is 0.
void tmli_expr_mark_live(const tmli_expr *e, const double *v, bool *live)
{
    for (int i = 0; i < e->n; i++) live[i] = false;
    live[e->n - 1] = true;
    for (int i = e->n - 1; i >= 0; i--) {
        const tmli_expr_node *n = &e->nodes[i];
        if (!live[i] || n->op == TMLI_OP_CONST || n->op == TMLI_OP_VAR) continue;
        bool a = true, b = true;
        if (n->op == TMLI_OP_SELECT) {
            live[n->a] = true;
            live[v[n->a] != 0 ? n->b : n->c] = true;
            continue;
        }
        if (n->op == TMLI_OP_AND) b = v[n->a] != 0;
        if (n->op == TMLI_OP_OR) b = v[n->a] == 0;
        if (n->op == TMLI_OP_MUL && e->nodes[n->a].flat && v[n->a] == 0) b = false;
        else if (n->op == TMLI_OP_MUL && e->nodes[n->b].flat && v[n->b] == 0) a = false;
        if (a) live[n->a] = true;
        if (b) live[n->b] = true;
    }
}

int tmli_expr_ndiscontinuities(const tmli_expr *e) { return e->ndiscontinuities; }

bool tmli_expr_discontinuity_uses(const tmli_expr *e, int k, int var)
{
    bool uses[TMLI_EXPR_MAX_NODES];
    for (int i = 0; i <= e->discontinuities[k]; i++) {
        const tmli_expr_node *n = &e->nodes[i];
        if (n->op == TMLI_OP_CONST) uses[i] = false;
        else if (n->op == TMLI_OP_VAR) uses[i] = n->a == var;
        else uses[i] = uses[n->a] || uses[n->b] || (n->op == TMLI_OP_SELECT && uses[n->c]);
    }
    return uses[e->discontinuities[k]];
}

void tmli_expr_event_values(const tmli_expr *e, const double *x, const double *mode, double *out)
{
    double v[TMLI_EXPR_MAX_NODES];
    bool live[TMLI_EXPR_MAX_NODES];
    if (e->ndiscontinuities == 0) return;
    tmli_expr_forward(e, x, mode, v);
    tmli_expr_mark_live(e, v, live);
    for (int k = 0; k < e->ndiscontinuities; k++) {
        const tmli_expr_node *n = &e->nodes[e->discontinuities[k]];
        const double z = compared_quantity((tmli_op)n->op, v[n->a], v[n->b]);
        out[k] = live[e->discontinuities[k]] ? event_value(n, mode[k], z) : INFINITY;
    }
}

void tmli_expr_event_jet(const tmli_expr *e, int k, bool live, const double *x, const double *xd,
                         const double *mode, double out[3])
{
    double v[TMLI_EXPR_MAX_NODES], v1[TMLI_EXPR_MAX_NODES], v2[TMLI_EXPR_MAX_NODES];
    const tmli_expr_node *n = &e->nodes[e->discontinuities[k]];
    const tmli_op op = (tmli_op)n->op;
    double low, high;
    out[0] = INFINITY;
    out[1] = out[2] = 0;
    tmli_expr_forward(e, x, mode, v);
    const double b = v[n->b], z = compared_quantity(op, v[n->a], b);
    if (!tmli_mode_fixes_branch(mode[k]) || isnan(z)) return;
    if (live) {
        bool needed[TMLI_EXPR_MAX_NODES];
        tmli_expr_mark_live(e, v, needed);
        if (!needed[e->discontinuities[k]]) return;
    }
    tmli_expr_forward_jet(e, xd, NULL, mode, v, v1, v2);
    double z1 = v1[n->a], z2 = v2[n->a];
    if (op == TMLI_OP_MOD) {
        z1 = (z1 - z * v1[n->b]) / b;
        z2 = (z2 - 2 * z1 * v1[n->b] - z * v2[n->b]) / b;
    } else if (compares_difference(op)) {
        z1 -= v1[n->b];
        z2 -= v2[n->b];
    }
    branch_interval(n, mode[k], &low, &high);
    const double sign = z - low < high - z ? 1 : -1;
    out[0] = fmin(z - low, high - z);
    out[1] = sign * z1;
    out[2] = sign * z2;
}

// ---- changes of mode --------------------------------------------------------------------------------------

// True if z is exactly at the end of a branch.
static bool at_branch_end(const tmli_expr_node *n, double z)
{
    double low, high;
    switch ((tmli_op)n->op) {
    case TMLI_OP_FLOOR:
    case TMLI_OP_CEIL:
    case TMLI_OP_MOD: return z == floor(z);
    case TMLI_OP_ROUND: return z + 0.5 == floor(z + 0.5);
    case TMLI_OP_RAMP: return z == 0 || z == 1;
    case TMLI_OP_TABLE:
        tmli_curve_branch_ends(n->curve, tmli_curve_branch(n->curve, z), &low, &high);
        return z == low;
    default: return z == 0;
    }
}

// 2 k + 1 is exact up to 2^53; the branch of a larger k is not fixed.
static double mode_of_branch(double k) { return fabs(k) < 0x1p52 ? 2 * k + 1 : 0; }

// The mode of the branch that contains z; at the end of a branch: the one the operation itself selects.
static double mode_at(const tmli_expr_node *n, double z)
{
    if (isnan(z)) return 0;
    switch ((tmli_op)n->op) {
    case TMLI_OP_FLOOR:
    case TMLI_OP_MOD: return mode_of_branch(floor(z));
    case TMLI_OP_CEIL: return mode_of_branch(ceil(z));
    case TMLI_OP_ROUND: return mode_of_branch(round(z));
    case TMLI_OP_RAMP: return z <= 0 ? BEFORE_RAMP : z >= 1 ? AFTER_RAMP : ON_RAMP;
    case TMLI_OP_TABLE: return 1 + tmli_curve_branch(n->curve, z);
    case TMLI_OP_SIGN: return z > 0 ? 1 : z < 0 ? -1 : AT_ZERO;
    case TMLI_OP_LE:
    case TMLI_OP_GT:
    case TMLI_OP_MIN: return z > 0 ? 1 : -1;
    default: return z >= 0 ? 1 : -1;
    }
}

int tmli_expr_update_modes(const tmli_expr *e, const double *x, const double *later, bool all, double *mode)
{
    double v[TMLI_EXPR_MAX_NODES], l[TMLI_EXPR_MAX_NODES];
    int changed = 0;
    for (int i = 0; i < e->n; i++) {
        const tmli_expr_node *n = &e->nodes[i];
        const tmli_op op = (tmli_op)n->op;
        const int k = tmli_expr_node_discontinuity(n);
        if (k >= 0 && tmli_mode_is_watched(mode[k])) {
            double z = compared_quantity(op, v[n->a], v[n->b]);
            bool stays = false;  // at the end of a branch: there the operation itself decides
            if (later && at_branch_end(n, z)) {
                const double next = compared_quantity(op, l[n->a], l[n->b]);
                stays = next == z;
                z = next;
            }
            if (all || stays || mode[k] == TML_SWITCH_UNSET || event_value(n, mode[k], z) < 0) {
                const double next = mode_at(n, z);
                changed += next != mode[k];
                mode[k] = next;
            }
        }
        for (int side = 0; side < (later ? 2 : 1); side++) {
            const double *xs = side ? later : x;
            double *y = side ? l : v;
            if (op == TMLI_OP_CONST) y[i] = n->imm;
            else if (op == TMLI_OP_VAR) y[i] = xs[n->a];
            else if (tmli_expr_node_blends(e, n, y)) y[i] = tmli_blend(n, y);
            else if (op == TMLI_OP_SELECT) y[i] = y[y[n->a] != 0 ? n->b : n->c];
            else if (k >= 0 && tmli_mode_fixes_branch(mode[k]))
                y[i] = tmli_mode_value(n, mode[k], y[n->a], y[n->b]);
            else y[i] = tmli_node_value(n, y[n->a], y[n->b]);
        }
    }
    return changed;
}
