// The unit of an expression from those of its variables, and its value in another one. Numbers of the text
// have none; parameters and tables have one that nobody says: in a sum they have that of the other term, in a
// product the unit stays open. Where another unit is asked for, a parameter as a factor is a number.
#include "expr/program.h"

#include <math.h>

static bool is_ratio(const tmli_unit *u)
{
    return u->kind == TMLI_UNIT_KNOWN && !u->kg && !u->m && !u->s && !u->rad;
}

// A number of the text times a ratio may be an amplitude, 0.3*sin(t), of any unit.
static tmli_unit times(tmli_unit a, tmli_unit b, int power)
{
    const bool amplitude =
        (a.kind == TMLI_UNIT_NUMBER && is_ratio(&b)) || (b.kind == TMLI_UNIT_NUMBER && is_ratio(&a));
    if (a.kind == TMLI_UNIT_OPEN || b.kind == TMLI_UNIT_OPEN || amplitude)
        return (tmli_unit){.kind = TMLI_UNIT_OPEN};
    a.kind = a.kind == TMLI_UNIT_KNOWN ? a.kind : b.kind;
    a.kg += power * b.kg;
    a.m += power * b.m;
    a.s += power * b.s;
    a.rad += power * b.rad;
    a.factor = power > 0 ? a.factor * b.factor : a.factor / b.factor;
    return a;
}

static tmli_unit raised(tmli_unit a, double power)
{
    const int twice = (int)(2 * power);
    if (fabs(power) > 8 || 2 * power != twice || a.kind == TMLI_UNIT_OPEN)
        return (tmli_unit){.kind = TMLI_UNIT_OPEN};
    if (twice * a.kg % 2 || twice * a.m % 2 || twice * a.s % 2) return (tmli_unit){.kind = TMLI_UNIT_OPEN};
    return (tmli_unit){a.kind,          twice * a.kg / 2,  twice * a.m / 2,
                       twice * a.s / 2, twice * a.rad / 2, pow(a.factor, power)};
}

// Of a sum; clash: the two units of the first one whose units are known and differ.
static tmli_unit sum(tmli_unit a, tmli_unit b, tmli_unit clash[2])
{
    if (a.kind != TMLI_UNIT_KNOWN) return b;
    if (b.kind != TMLI_UNIT_KNOWN) return a;
    const bool alike = tmli_unit_is_alike(&a, &b);
    if (!alike && clash[0].kind != TMLI_UNIT_KNOWN) {
        clash[0] = a;
        clash[1] = b;
    }
    if (!alike || fabs(a.factor) != fabs(b.factor)) return (tmli_unit){.kind = TMLI_UNIT_OPEN};
    if (a.rad != b.rad) a.rad = 0;
    return a;
}

enum { NAMES_ARE_NUMBERS = 1, NUMBERS_ARE_ONE = 2 };  // what counts of constants

static tmli_unit of_constant(const tmli_expr_node *n, int how)
{
    if (n->named && !(how & NAMES_ARE_NUMBERS)) return (tmli_unit){.kind = TMLI_UNIT_OPEN};
    return (tmli_unit){.kind = TMLI_UNIT_NUMBER, .factor = how & NUMBERS_ARE_ONE ? 1 : n->imm};
}

static tmli_unit of_variable(const tmli_unit *u, int how)
{
    const bool parameter = u->kind == TMLI_UNIT_OPEN && u->factor == 1;
    return parameter && how & NAMES_ARE_NUMBERS ? (tmli_unit){.kind = TMLI_UNIT_NUMBER, .factor = 1} : *u;
}

static tmli_unit of_node(const tmli_expr_node *n, const tmli_unit *u, int how, tmli_unit clash[2])
{
    const tmli_unit number = tmli_unit_read("1"), angle = tmli_unit_read("rad");
    switch ((tmli_op)n->op) {
    case TMLI_OP_CONST: return of_constant(n, how);
    case TMLI_OP_MUL: return times(u[n->a], u[n->b], 1);
    case TMLI_OP_DIV: return times(u[n->a], u[n->b], -1);
    case TMLI_OP_POWC: return raised(u[n->a], n->imm);
    case TMLI_OP_SQRT: return raised(u[n->a], 0.5);
    case TMLI_OP_SELECT: return sum(u[n->b], u[n->c], clash);
    case TMLI_OP_ADD:
    case TMLI_OP_SUB:
    case TMLI_OP_HYPOT:
    case TMLI_OP_MIN:
    case TMLI_OP_MAX:
    case TMLI_OP_MOD: return sum(u[n->a], u[n->b], clash);
    case TMLI_OP_NEG:
    case TMLI_OP_ABS:
    case TMLI_OP_FLOOR:
    case TMLI_OP_CEIL:
    case TMLI_OP_ROUND: return u[n->a];
    case TMLI_OP_ASIN:
    case TMLI_OP_ACOS:
    case TMLI_OP_ATAN:
    case TMLI_OP_ATAN2: return angle;
    case TMLI_OP_VAR:
    case TMLI_OP_POW:
    case TMLI_OP_CBRT:
    case TMLI_OP_TABLE: return (tmli_unit){.kind = TMLI_UNIT_OPEN};
    default: return number;  // comparisons, sines, logarithms, signs
    }
}

// u (n): the units of all nodes; returns that of the last one.
static tmli_unit find_unit(const tmli_expr *e, const tmli_unit *var, int how, tmli_unit *u,
                           tmli_unit clash[2])
{
    clash[0] = clash[1] = (tmli_unit){.kind = TMLI_UNIT_OPEN};
    for (int i = 0; i < e->n; i++) {
        const tmli_expr_node *n = &e->nodes[i];
        u[i] = n->op == TMLI_OP_VAR ? of_variable(&var[n->a], how) : of_node(n, u, how, clash);
    }
    return u[e->n - 1];
}

// The numbers of the text by which all is multiplied: (...)*180/pi.
static double written_factor(const tmli_expr *e)
{
    double factor = 1;
    int i = e->n - 1;
    for (;;) {
        const tmli_expr_node *n = &e->nodes[i];
        const bool divides = n->op == TMLI_OP_DIV, product = n->op == TMLI_OP_MUL || divides;
        if (n->op != TMLI_OP_NEG && !product) return factor;
        const tmli_expr_node *a = &e->nodes[n->a], *b = &e->nodes[n->b];
        if (product && b->op == TMLI_OP_CONST) factor *= divides ? 1 / b->imm : b->imm;
        else if (n->op == TMLI_OP_MUL && a->op == TMLI_OP_CONST) factor *= a->imm;
        else if (product) return factor;
        i = product && b->op != TMLI_OP_CONST ? n->b : n->a;
    }
}

// Whether it has a variable besides the time whose unit is known: the value is measured.
static bool is_measured(const tmli_expr *e, const tmli_unit *var)
{
    for (int i = 0; i < e->n; i++) {
        if (e->nodes[i].op != TMLI_OP_VAR) continue;
        const tmli_unit *u = &var[e->nodes[i].a];
        const bool time = !u->kg && !u->m && !u->rad && u->s == 1;
        if (u->kind == TMLI_UNIT_KNOWN && !time) return true;
    }
    return false;
}

// A value of the units of its variables is converted, and what the numbers of the text convert is as it is.
// total: with them; plain: without.
static void convert(const tmli_unit *total, const tmli_unit *plain, const tmli_unit *want,
                    tmli_conversion *out)
{
    const char *written = tmli_unit_text(total), *own = tmli_unit_text(plain);
    if (tmli_unit_is_factor(plain->factor, want->factor) || tmli_unit_is_factor(total->factor, want->factor))
        return;
    if (written && written != own) {
        out->what = TMLI_UNIT_DIFFERS;
        return;
    }
    out->what = TMLI_UNIT_CONVERTS;
    out->factor = want->factor / fabs(plain->factor);
}

tml_status tmli_expr_unit(const tmli_expr *e, const tmli_unit *var, const tmli_unit *want,
                          tmli_conversion *out, tml_error *err)
{
    tmli_unit clash[2];
    *out = (tmli_conversion){.what = TMLI_UNIT_KEPT, .factor = 1};
    tmli_unit *u = tmli_calloc(&e->env, (size_t)e->n, sizeof *u);
    if (!u) return tmli_no_memory(err, "expression");
    out->found = find_unit(e, var, 0, u, out->clash);
    const bool sure = out->found.kind == TMLI_UNIT_KNOWN;
    const int how = sure ? 0 : NAMES_ARE_NUMBERS;
    const tmli_unit total = find_unit(e, var, how, u, clash),
                    plain = find_unit(e, var, how | NUMBERS_ARE_ONE, u, clash);
    const bool alike = total.kind == TMLI_UNIT_KNOWN && tmli_unit_is_alike(&total, want);
    if (want->kind != TMLI_UNIT_KNOWN || total.kind == TMLI_UNIT_NUMBER) out->what = TMLI_UNIT_KEPT;
    else if (alike && plain.kind == TMLI_UNIT_KNOWN) convert(&total, &plain, want, out);
    else if (sure) out->what = TMLI_UNIT_DIFFERS;
    else if (want->factor != 1 && is_measured(e, var) &&
             !tmli_unit_is_factor(written_factor(e), want->factor))
        out->what = TMLI_UNIT_UNSAID;
    if (out->what == TMLI_UNIT_DIFFERS) out->found = total;
    tmli_free(&e->env, u);
    return TML_OK;
}

tml_status tmli_expr_scale(tmli_expr *e, double factor, tml_error *err)
{
    tmli_expr_node *nodes = tmli_regrow(&e->env, e->nodes, (size_t)e->n, (size_t)e->n + 2, sizeof *nodes);
    if (!nodes) return tmli_no_memory(err, "expression");
    e->nodes = nodes;
    const tmli_expr_node *value = &nodes[e->n - 1];
    nodes[e->n] = (tmli_expr_node){.op = TMLI_OP_CONST, .imm = factor, .c = -1, .at = value->at, .flat = 1};
    nodes[e->n + 1] = (tmli_expr_node){
        .op = TMLI_OP_MUL, .a = e->n - 1, .b = e->n, .c = -1, .at = value->at, .flat = value->flat};
    e->n += 2;
    return TML_OK;
}
