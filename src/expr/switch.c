// Switches of expressions: branches held, margins, changes of branch; see expr.h.
//
//   operation         held by mode                   value on the branch             margin
//   < <= > >=         s = +1, -1: sign of a - b      the comparison's                s (a - b)
//   min, max          s, as above                    b or a                          s (a - b)
//   abs               s: sign of a                   s a                             s a
//   sign              s: sign of a;  AT_ZERO         s;  0                           s a;  -|a|
//   atan2(a, b)       s: sign of a                   s pi/2 + atan2(-s b, s a)       s a
//   floor, ceil       2 k + 1                        k                               distance to the nearer end of the
//   round             2 k + 1                        k                               interval in which it is k
//   mod(a, b)         2 k + 1, k = floor(a/b)        a - b k                         the same, of a/b
//   step              1, 2, 3: before, within, past  0, s^2 (3 - 2 s), 1             -s;  min(s, 1 - s);  s - 1
//
// Sliding. Where the branches on both sides of a jump drive back to it the motion stays on the border, and
// the jump takes the value between its sides that keeps it there. A soft switch (mode SOFT + e, width w = 2^e
// of the watched quantity z) has that value as a function: sign becomes tanh(z/w), a comparison (1 +-
// tanh(z/w))/2; what is computed from comparisons goes along: `and` is a product, `not` 1 - a, and `if`
// blends its branches. It ends at |z| = SOFT_END w, where tanh is 1 up to 4e-9.
//
// The value of atan2 is smooth beyond a = 0 for either sign of b, so that a passage of the positive half
// axis, where it has no jump, only costs a change of mode.
#include "expr/program.h"

#include <math.h>

static const double HALF_PI = 1.57079632679489661923;
static const double AT_ZERO = 3;  // mode of sign
static const double SOFT = 2000;  // e is in -1000 .. 1000
static const double SOFT_END = 10;
static const double LARGEST_K = 1e15;  // integers beyond lose their neighbours: not held

bool tmli_op_can_switch(tmli_op op)
{
    switch (op) {
    case TMLI_OP_LT:
    case TMLI_OP_LE:
    case TMLI_OP_GT:
    case TMLI_OP_GE:
    case TMLI_OP_ATAN2:
    case TMLI_OP_ABS:
    case TMLI_OP_SIGN:
    case TMLI_OP_MIN:
    case TMLI_OP_MAX:
    case TMLI_OP_MOD:
    case TMLI_OP_FLOOR:
    case TMLI_OP_CEIL:
    case TMLI_OP_ROUND:
    case TMLI_OP_RAMP: return true;
    default: return false;
    }
}

bool tmli_mode_holds(double mode) { return mode != 0 && mode != TMLI_MODE_FREE; }

static bool is_jump(tmli_op op)
{
    return op == TMLI_OP_SIGN || op == TMLI_OP_LT || op == TMLI_OP_LE || op == TMLI_OP_GT || op == TMLI_OP_GE;
}

// Width of a soft switch; 0: it is not soft.
static double soft_width(tmli_op op, double mode)
{
    return is_jump(op) && mode > 100 && isfinite(mode) ? exp2(mode - SOFT) : 0;
}

double tmli_expr_soft_mode(const tmli_expr *e, int k, double width)
{
    if (!is_jump((tmli_op)e->nodes[e->switches[k]].op) || !(width > 0) || !isfinite(width))
        return TMLI_MODE_FREE;
    return SOFT + fmin(fmax(ceil(log2(width)), -1000), 1000);
}

// A soft jump as a function of z/w.
static double soft_value(tmli_op op, double z)
{
    const double s = tanh(z);
    if (op == TMLI_OP_SIGN) return s;
    return op == TMLI_OP_LT || op == TMLI_OP_LE ? (1 - s) / 2 : (1 + s) / 2;
}

static double count_of(double mode) { return (mode - 1) / 2; }

static bool of_difference(tmli_op op)
{
    return op == TMLI_OP_LT || op == TMLI_OP_LE || op == TMLI_OP_GT || op == TMLI_OP_GE ||
           op == TMLI_OP_MIN || op == TMLI_OP_MAX;
}

// The quantity that a switch watches: a - b, a, or a/b.
static double watched(tmli_op op, double a, double b)
{
    return of_difference(op) ? a - b : op == TMLI_OP_MOD ? a / b : a;
}

// ---- values and derivatives on a branch -------------------------------------------------------------------

double tmli_mode_value(tmli_op op, double mode, double a, double b)
{
    const double width = soft_width(op, mode);
    if (width > 0) return soft_value(op, watched(op, a, b) / width);
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
    case TMLI_OP_MOD: return a - b * count_of(mode);
    case TMLI_OP_FLOOR:
    case TMLI_OP_CEIL:
    case TMLI_OP_ROUND: return count_of(mode);
    case TMLI_OP_RAMP: return mode == 1 ? 0 : mode == 3 ? 1 : a * a * (3 - 2 * a);
    default: return NAN;
    }
}

void tmli_mode_first(tmli_op op, double mode, double a, double b, double *fa, double *fb)
{
    const double width = soft_width(op, mode);
    if (width > 0) {
        const double s = tanh(watched(op, a, b) / width), slope = (1 - s) * (1 + s) / width;
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
        *fb = -count_of(mode);
        break;
    case TMLI_OP_RAMP: *fa = mode == 2 ? 6 * a * (1 - a) : 0; break;
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

void tmli_mode_second(tmli_op op, double mode, double a, double b, double *faa, double *fab, double *fbb)
{
    if (op == TMLI_OP_RAMP && mode == 2) *faa = 6 - 12 * a;
    const double r = hypot(a, b);
    if (op != TMLI_OP_ATAN2 || r == 0) return;
    const double s = a / r, k = b / r;
    *faa = -2 * s * k / r / r;
    *fbb = -*faa;
    *fab = (s - k) * (s + k) / r / r;
}

// ---- margins ----------------------------------------------------------------------------------------------

// Ends of the interval of the watched quantity on a branch.
static void interval(tmli_op op, double mode, double *low, double *high)
{
    const double k = count_of(mode);
    *low = -INFINITY;
    *high = INFINITY;
    switch (op) {
    case TMLI_OP_FLOOR:
    case TMLI_OP_MOD: *low = k, *high = k + 1; break;
    case TMLI_OP_CEIL: *low = k - 1, *high = k; break;
    case TMLI_OP_ROUND: *low = k - 0.5, *high = k + 0.5; break;
    case TMLI_OP_RAMP:
        if (mode >= 2) *low = mode - 2;
        if (mode <= 2) *high = mode - 1;
        break;
    default:
        if (mode == AT_ZERO) *low = *high = 0;
        else if (mode > 0) *low = 0;
        else *high = 0;
        break;
    }
}

static double margin_of(tmli_op op, double mode, double z)
{
    double low, high;
    if (!tmli_mode_holds(mode) || isnan(z)) return INFINITY;
    const double width = soft_width(op, mode);
    if (width > 0) return SOFT_END * width - fabs(z);
    interval(op, mode, &low, &high);
    return fmin(z - low, high - z);
}

// Which nodes the value depends on, as the branches are: not on the branch of an `if` not taken, the other
// side of an `and` that fails, a factor of zero.
static void mark_live(const tmli_expr *e, const double *v, bool *live)
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

int tmli_expr_nswitches(const tmli_expr *e) { return e->nswitches; }

bool tmli_expr_switch_uses(const tmli_expr *e, int k, int var)
{
    bool uses[TMLI_EXPR_MAX_NODES];
    for (int i = 0; i <= e->switches[k]; i++) {
        const tmli_expr_node *n = &e->nodes[i];
        if (n->op == TMLI_OP_CONST) uses[i] = false;
        else if (n->op == TMLI_OP_VAR) uses[i] = n->a == var;
        else uses[i] = uses[n->a] || uses[n->b] || (n->op == TMLI_OP_SELECT && uses[n->c]);
    }
    return uses[e->switches[k]];
}

void tmli_expr_event_values(const tmli_expr *e, const double *x, const double *mode, double *margin)
{
    double v[TMLI_EXPR_MAX_NODES];
    bool live[TMLI_EXPR_MAX_NODES];
    if (e->nswitches == 0) return;
    tmli_expr_forward(e, x, mode, v);
    mark_live(e, v, live);
    for (int k = 0; k < e->nswitches; k++) {
        const tmli_expr_node *n = &e->nodes[e->switches[k]];
        const double z = watched((tmli_op)n->op, v[n->a], v[n->b]);
        margin[k] = live[e->switches[k]] ? margin_of((tmli_op)n->op, mode[k], z) : INFINITY;
    }
}

void tmli_expr_event_jet(const tmli_expr *e, int k, bool live, const double *x, const double *xd,
                         const double *mode, double out[3])
{
    double v[TMLI_EXPR_MAX_NODES], v1[TMLI_EXPR_MAX_NODES], v2[TMLI_EXPR_MAX_NODES];
    const tmli_expr_node *n = &e->nodes[e->switches[k]];
    const tmli_op op = (tmli_op)n->op;
    double low, high;
    out[0] = INFINITY;
    out[1] = out[2] = 0;
    tmli_expr_forward(e, x, mode, v);
    const double b = v[n->b], z = watched(op, v[n->a], b);
    if (!tmli_mode_holds(mode[k]) || isnan(z)) return;
    if (live) {
        bool needed[TMLI_EXPR_MAX_NODES];
        mark_live(e, v, needed);
        if (!needed[e->switches[k]]) return;
    }
    tmli_expr_forward_jet(e, xd, NULL, mode, v, v1, v2);
    double z1 = v1[n->a], z2 = v2[n->a];
    if (op == TMLI_OP_MOD) {
        z1 = (z1 - z * v1[n->b]) / b;
        z2 = (z2 - 2 * z1 * v1[n->b] - z * v2[n->b]) / b;
    } else if (of_difference(op)) {
        z1 -= v1[n->b];
        z2 -= v2[n->b];
    }
    interval(op, mode[k], &low, &high);
    const double sign = z - low < high - z ? 1 : -1;
    out[0] = fmin(z - low, high - z);
    out[1] = sign * z1;
    out[2] = sign * z2;
}

// ---- changes of branch ------------------------------------------------------------------------------------

// True if z stands exactly on a border between branches.
static bool on_border(tmli_op op, double z)
{
    switch (op) {
    case TMLI_OP_FLOOR:
    case TMLI_OP_CEIL:
    case TMLI_OP_MOD: return z == floor(z);
    case TMLI_OP_ROUND: return z + 0.5 == floor(z + 0.5);
    case TMLI_OP_RAMP: return z == 0 || z == 1;
    default: return z == 0;
    }
}

static double mode_of_count(double k) { return fabs(k) <= LARGEST_K ? 2 * k + 1 : 0; }

// The branch on which z is; z on the border: as the operation is written.
static double branch(tmli_op op, double z)
{
    if (isnan(z)) return 0;
    switch (op) {
    case TMLI_OP_FLOOR:
    case TMLI_OP_MOD: return mode_of_count(floor(z));
    case TMLI_OP_CEIL: return mode_of_count(ceil(z));
    case TMLI_OP_ROUND: return mode_of_count(round(z));
    case TMLI_OP_RAMP: return z <= 0 ? 1 : z >= 1 ? 3 : 2;
    case TMLI_OP_SIGN: return z > 0 ? 1 : z < 0 ? -1 : AT_ZERO;
    case TMLI_OP_LE:
    case TMLI_OP_GT:
    case TMLI_OP_MIN: return z > 0 ? 1 : -1;
    default: return z >= 0 ? 1 : -1;
    }
}

int tmli_expr_switch(const tmli_expr *e, const double *x, const double *later, bool all, double *mode)
{
    double v[TMLI_EXPR_MAX_NODES], l[TMLI_EXPR_MAX_NODES];
    int changed = 0;
    for (int i = 0; i < e->n; i++) {
        const tmli_expr_node *n = &e->nodes[i];
        const tmli_op op = (tmli_op)n->op;
        const int k = tmli_expr_node_switch(n);
        if (k >= 0 && mode[k] != TMLI_MODE_FREE) {
            double z = watched(op, v[n->a], v[n->b]);
            if (later && on_border(op, z)) z = watched(op, l[n->a], l[n->b]);
            if (all || mode[k] == 0 || margin_of(op, mode[k], z) < 0) {
                const double next = branch(op, z);
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
            else if (k >= 0 && tmli_mode_holds(mode[k]))
                y[i] = tmli_mode_value(op, mode[k], y[n->a], y[n->b]);
            else y[i] = tmli_op_value(op, n->imm, y[n->a], y[n->b]);
        }
    }
    return changed;
}
