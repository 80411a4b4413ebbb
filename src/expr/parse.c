// Compiling an expression: recursive descent over the tokens, which emits the nodes.
//
// Operators, loosest first: or | and | not | < <= > >= == != | + - | * / | sign | ^ (right associative).
// Examples: -2^2 = -4, 2^-3 = 1/8, not a < b = not (a < b). Comparisons do not chain. The unit `deg` binds
// tightest. The depth of the recursion is bounded by MAX_DEPTH; large buffers are in the parser, not on the
// stack of each level.
#include "expr/function.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

enum {
    MAX_DEPTH = 200,
    MAX_CALL_ARGS = 16  // of functions that the scope provides
};

typedef struct parser {
    tmli_source src;
    const tmli_scope *scope;
    tmli_builder build;
    tmli_token tok;  // the next token
    tml_status st;
    int depth;
    char name[TMLI_EXPR_MAX_NAME];      // the name just read, until the next one
    char args[2 * TMLI_EXPR_MAX_NAME];  // arguments of a call for the scope, one after the other
    tmli_hint hint;
    tml_error better;  // message of the scope about a call
} parser;

// All return a node, or -1 with p->st set (TML_OK if memory is exhausted).
static int parse_binary(parser *p, int least);
static int parse_prefix(parser *p, int least);
static int parse_primary(parser *p);
static int parse_unit(parser *p, int node);
static int parse_name(parser *p);
static int parse_call(parser *p, const tmli_function *f, const tmli_token *name);
static int parse_table(parser *p, const tmli_curve *curve, bool located, const tmli_token *name);
static int parse_scope_call(parser *p, const char *function, const tmli_token *name);
static bool is_of_scope(parser *p, const char *function);
static const char *near_function(const char *word);
static int unknown_call(parser *p, const char *function, const tmli_token *name);
static int find_name(parser *p, const char *name, const tmli_token *tok);
static const char *advice_after_operand(parser *p, const tmli_token *tok);
static int misplaced(parser *p, const char *expected);
static bool advance(parser *p);
static int stop(parser *p, tml_status st);

// The last node of the expression in *root.
static tml_status parse(parser *p, const char *text, tml_mark at, int *root)
{
    p->src.text = text;
    p->src.at = at;
    int length = 0;
    while (text[length] && length <= TMLI_EXPR_MAX_TEXT) length++;
    if (length > TMLI_EXPR_MAX_TEXT)
        return tmli_source_fail(&p->src, 0, TML_ERR_SYNTAX, "the expression has more than %d characters",
                                TMLI_EXPR_MAX_TEXT);
    *root = -1;
    if (advance(p)) {
        if (p->tok.kind == TMLI_TOK_END)
            *root = stop(p, tmli_source_fail(&p->src, 0, TML_ERR_SYNTAX, "the expression is empty"));
        else *root = parse_binary(p, TMLI_PREC_OR);
        if (*root >= 0 && p->tok.kind != TMLI_TOK_END)
            *root = misplaced(p, "an operator or the end of the expression");
    }
    if (*root < 0 && p->st == TML_OK) p->st = tmli_fail(p->src.err, TML_ERR_NOMEM, "expression: no memory");
    return p->st;
}

static tml_status compile(parser *p, const char *text, tml_mark at, tmli_expr **out)
{
    int root;
    tml_status st = parse(p, text, at, &root);
    if (st == TML_OK) st = tmli_build_finish(&p->build, root, &p->src, out);
    tmli_build_clear(&p->build);
    return st;
}

tml_status tmli_expr_compile(const char *text, tml_mark at, const tmli_scope *scope, const tml_env *env,
                             tmli_expr **out, tml_error *err)
{
    *out = NULL;
    parser p = {.src = {.err = err}, .scope = scope, .build = {.env = env}};
    return compile(&p, text, at, out);
}

tml_status tmli_expr_constant(const char *text, tml_mark at, const tmli_scope *scope, const tml_env *env,
                              double *out, tml_error *err)
{
    tmli_expr *e = NULL;
    int root;
    parser p = {.src = {.err = err}, .scope = scope, .build = {.env = env}};
    tml_status st = parse(&p, text, at, &root);
    const bool known =
        st == TML_OK && tmli_build_is_const(&p.build, root) && isfinite(p.build.nodes[root].imm);
    if (known) *out = p.build.nodes[root].imm;
    else if (st == TML_OK) st = tmli_build_finish(&p.build, root, &p.src, &e);
    tmli_build_clear(&p.build);
    if (st != TML_OK || known) return st;
    for (int i = 0; i < e->n && st == TML_OK; i++) {
        if (e->nodes[i].op != TMLI_OP_VAR) continue;
        tmli_token tok;
        char buf[TMLI_EXPR_SHOW];
        st = tmli_lex(&p.src, e->nodes[i].at, &tok);
        if (st == TML_OK)
            st = tmli_source_fail(&p.src, tok.at, TML_ERR_NAME,
                                  "%s varies in time; expected an expression of numbers and parameters",
                                  tmli_token_show(&p.src, &tok, buf));
    }
    if (st == TML_OK) *out = tmli_expr_eval(e, NULL);
    tmli_expr_destroy(e);
    return st;
}

void tmli_expr_destroy(tmli_expr *e)
{
    if (!e) return;
    const tml_env env = e->env;
    tmli_free_all(&env, e->discontinuities, e->poles, e->slots, e->nodes, e);
}

int tmli_expr_nvars(const tmli_expr *e) { return e->nvars; }
int tmli_expr_slot(const tmli_expr *e, int k) { return e->slots[k]; }

// An operand followed by binary operators that bind at least as tightly as `least`.
static int parse_binary(parser *p, int least)
{
    if (p->depth == MAX_DEPTH)
        return stop(p, tmli_source_fail(&p->src, p->tok.at, TML_ERR_SYNTAX,
                                        "the expression is nested more than %d levels deep", MAX_DEPTH));
    p->depth++;
    int left = parse_prefix(p, least);
    while (left >= 0 && p->tok.kind == TMLI_TOK_OPERATOR && p->tok.precedence >= least) {
        const tmli_token sign = p->tok;
        const int right_least = sign.precedence == TMLI_PREC_POWER ? TMLI_PREC_SIGN : sign.precedence + 1;
        const int right = advance(p) ? parse_binary(p, right_least) : -1;
        if (right < 0) return -1;
        if (sign.precedence == TMLI_PREC_COMPARE && p->tok.kind == TMLI_TOK_OPERATOR &&
            p->tok.precedence == TMLI_PREC_COMPARE)
            return stop(p, tmli_source_fail(&p->src, p->tok.at, TML_ERR_SYNTAX,
                                            "comparisons cannot be chained; write (a < b) and (b < c)"));
        left = tmli_build_op(&p->build, (tmli_op)sign.op, left, right, sign.at);
    }
    p->depth--;
    return left;
}

static int parse_prefix(parser *p, int least)
{
    const tmli_token tok = p->tok;
    if (tok.kind == TMLI_TOK_NOT) {
        if (least > TMLI_PREC_NOT)
            return stop(p, tmli_source_fail(&p->src, tok.at, TML_ERR_SYNTAX,
                                            "'not' after an operator needs parentheses: (not a)"));
        const int node = advance(p) ? parse_binary(p, TMLI_PREC_NOT) : -1;
        return tmli_build_op(&p->build, TMLI_OP_NOT, node, node, tok.at);
    }
    if (tok.kind == TMLI_TOK_OPERATOR && (tok.op == TMLI_OP_SUB || tok.op == TMLI_OP_ADD)) {
        const int node = advance(p) ? parse_binary(p, TMLI_PREC_SIGN) : -1;
        return tok.op == TMLI_OP_ADD ? node : tmli_build_op(&p->build, TMLI_OP_NEG, node, node, tok.at);
    }
    return parse_primary(p);
}

static int parse_primary(parser *p)
{
    const tmli_token tok = p->tok;
    if (tok.kind == TMLI_TOK_NAME) return parse_name(p);
    if (tok.kind == TMLI_TOK_NUMBER) {
        if (!advance(p)) return -1;
        return parse_unit(p, tmli_build_const(&p->build, tok.number, tok.at));
    }
    if (tok.kind != TMLI_TOK_OPEN) return misplaced(p, "a number, a name or '('");
    const int node = advance(p) ? parse_binary(p, TMLI_PREC_OR) : -1;
    if (node < 0) return -1;
    if (p->tok.kind == TMLI_TOK_END)
        return stop(p, tmli_source_fail(&p->src, p->tok.at, TML_ERR_SYNTAX,
                                        "missing ')': the '(' %d characters before is not closed",
                                        p->tok.at - tok.at));
    if (p->tok.kind != TMLI_TOK_CLOSE) return misplaced(p, "an operator or ')'");
    return advance(p) ? parse_unit(p, node) : -1;
}

// After a number or ')': the unit, if there is one.
static int parse_unit(parser *p, int node)
{
    const tmli_token tok = p->tok;
    if (tok.kind != TMLI_TOK_NAME || !tmli_token_is(&p->src, &tok, "deg")) return node;
    if (!advance(p)) return -1;
    return tmli_build_op(&p->build, TMLI_OP_MUL, node, tmli_build_const(&p->build, PI / 180, tok.at), tok.at);
}

static int parse_name(parser *p)
{
    const tmli_token tok = p->tok;
    char *name = p->name;
    memcpy(name, p->src.text + tok.at, (size_t)tok.len);  // the lexer has checked the length
    name[tok.len] = 0;
    if (!advance(p)) return -1;
    if (p->tok.kind != TMLI_TOK_OPEN) return find_name(p, name, &tok);
    const tmli_function *f = tmli_function_find(name);
    const tmli_curve *curve = NULL;
    int located = 0, node;
    if (f) node = parse_call(p, f, &tok);
    else if (p->scope && p->scope->table && p->scope->table(name, &curve, &located, p->scope->user))
        node = parse_table(p, curve, tmli_curve_smoothness(curve) < located, &tok);
    else node = parse_scope_call(p, name, &tok);
    return node < 0 ? -1 : parse_unit(p, node);
}

// A call of a table: one argument.
static int parse_table(parser *p, const tmli_curve *curve, bool located, const tmli_token *name)
{
    char table[TMLI_EXPR_SHOW];
    tmli_token_show(&p->src, name, table);  // p->name is overwritten by names in the argument
    const int x = advance(p) ? parse_binary(p, TMLI_PREC_OR) : -1;
    if (x < 0) return -1;
    if (p->tok.kind == TMLI_TOK_COMMA)
        return stop(p, tmli_source_fail(&p->src, p->tok.at, TML_ERR_SYNTAX, "the table %s takes one argument",
                                        table));
    if (p->tok.kind != TMLI_TOK_CLOSE) return misplaced(p, "an operator or ')'");
    return advance(p) ? tmli_build_table(&p->build, curve, located, x, name->at) : -1;
}

static int parse_call(parser *p, const tmli_function *f, const tmli_token *name)
{
    int args[TMLI_FUNCTION_MAX_ARGS] = {0}, n = 0;
    if (!advance(p)) return -1;
    while (p->tok.kind != TMLI_TOK_CLOSE || n > 0) {
        const int node = parse_binary(p, TMLI_PREC_OR);
        if (node < 0) return -1;
        if (n > 0 && f->form == TMLI_FORM_CHAIN)
            args[0] = tmli_build_op(&p->build, f->op, args[0], node, name->at);
        else if (n < TMLI_FUNCTION_MAX_ARGS) args[n] = node;
        if (args[0] < 0) return -1;
        n++;
        if (p->tok.kind == TMLI_TOK_CLOSE) break;
        if (p->tok.kind == TMLI_TOK_END)
            return stop(p, tmli_source_fail(&p->src, p->tok.at, TML_ERR_SYNTAX,
                                            "missing ')' at the end of the call of '%s'", f->name));
        if (p->tok.kind != TMLI_TOK_COMMA) return misplaced(p, "an operator, ',' or ')'");
        if (!advance(p)) return -1;
    }
    if (f->form == TMLI_FORM_CHAIN ? n < f->nargs : n != f->nargs)
        return stop(p, tmli_source_fail(&p->src, name->at, TML_ERR_SYNTAX,
                                        "%s(%s) takes %s%d argument%s, found %d", f->name, f->arguments,
                                        f->form == TMLI_FORM_CHAIN ? "at least " : "", f->nargs,
                                        f->nargs == 1 ? "" : "s", n));
    if (!advance(p)) return -1;
    return tmli_function_build(f, &p->build, args, name->at, &p->src, &p->st);
}

// A call of a function of the scope; its arguments are plain names.
static int parse_scope_call(parser *p, const char *function, const tmli_token *name)
{
    if (!p->scope || !p->scope->call) return unknown_call(p, function, name);
    const char *argv[MAX_CALL_ARGS];
    int argc = 0;
    size_t used = 0;
    if (!advance(p)) return -1;
    while (p->tok.kind != TMLI_TOK_CLOSE || argc > 0) {
        const tmli_token tok = p->tok;
        char buf[TMLI_EXPR_SHOW];
        if (tok.kind == TMLI_TOK_NAME && !advance(p)) return -1;
        if (tok.kind != TMLI_TOK_NAME || (p->tok.kind != TMLI_TOK_COMMA && p->tok.kind != TMLI_TOK_CLOSE)) {
            if (!is_of_scope(p, function)) return unknown_call(p, function, name);
            tmli_token_show(&p->src, &p->tok, buf);
            return stop(
                p, tmli_source_fail(&p->src, p->tok.at, TML_ERR_SYNTAX,
                                    "the arguments of '%s' must be plain names separated by ',', found %s",
                                    function, buf));
        }
        if (argc == MAX_CALL_ARGS || used + (size_t)tok.len >= sizeof p->args)
            return stop(p, tmli_source_fail(&p->src, tok.at, TML_ERR_SYNTAX,
                                            "'%s' has more than %d arguments", function, argc));
        argv[argc++] = p->args + used;
        memcpy(p->args + used, p->src.text + tok.at, (size_t)tok.len);
        p->args[used + (size_t)tok.len] = 0;
        used += (size_t)tok.len + 1;
        if (p->tok.kind == TMLI_TOK_CLOSE) break;
        if (!advance(p)) return -1;
    }
    int slot = -1;
    p->better = (tml_error){0};
    const tmli_symbol_kind kind = p->scope->call(function, argc, argv, &slot, p->scope->user, &p->better);
    if (kind == TMLI_SYMBOL_VARIABLE && slot >= 0)
        return advance(p) ? tmli_build_var(&p->build, slot, name->at) : -1;
    if (!p->better.msg[0]) return unknown_call(p, function, name);
    const tml_status st = p->better.status < 0 ? p->better.status : TML_ERR_NAME;
    return stop(p, tmli_source_fail(&p->src, name->at, st, "%s", p->better.msg));
}

// Whether the scope has a function of two frames of that name, of which it then says that these are unknown.
static bool is_of_scope(parser *p, const char *function)
{
    const char *const none[] = {"", ""};
    tml_error why = {0};
    int slot = -1;
    const tmli_symbol_kind kind = p->scope->call(function, 2, none, &slot, p->scope->user, &why);
    return kind != TMLI_SYMBOL_UNKNOWN || why.msg[0];
}

static const char *near_function(const char *word)
{
    size_t n = 0;
    while (tmli_expr_functions[n]) n++;
    return tmli_nearest(word, tmli_expr_functions, n);
}

// The function or constant of a name of Python or C++, such as math.sin, or NULL.
static const char *of_module(const char *word)
{
    static const char *const modules[] = {"math.", "np.", "numpy.", "std.", "Math."};
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        const size_t n = strlen(modules[i]);
        if (strncmp(word, modules[i], n) != 0) continue;
        if (strcmp(word + n, "pi") == 0) return "pi";
        return tmli_function_find(word + n) ? word + n : near_function(word + n);
    }
    return NULL;
}

// The valid name nearest to a word, or "". A word without a call is compared with pi, not with functions.
static const char *hint(parser *p, const char *word, bool called)
{
    const char *bare = of_module(word);
    if (bare) {
        p->hint = tmli_hint_of(bare, &bare, 1);
        return p->hint.text;
    }
    static const char *const number = "pi";
    const char *near[2] = {called ? near_function(word) : tmli_nearest(word, &number, 1), NULL};
    if (p->scope && p->scope->names) {
        const char *const *names = NULL;
        const size_t count = p->scope->names(&names, p->scope->user);
        near[1] = names ? tmli_nearest(word, names, count) : NULL;
        // of a name like pi, a value of the element that is called so
        const size_t n = strlen(word);
        if (near[1] && strncmp(near[1], word, n) == 0 && near[1][n] == '.') near[0] = NULL;
    }
    p->hint = tmli_hint_of(word, near, 2);
    return p->hint.text;
}

static int unknown_call(parser *p, const char *function, const tmli_token *name)
{
    double value;
    int slot;
    const tmli_scope *s = p->scope;
    if (strcmp(function, "pi") == 0 ||
        (s && s->name && s->name(function, &value, &slot, s->user) != TMLI_SYMBOL_UNKNOWN))
        return stop(p, tmli_source_fail(&p->src, name->at, TML_ERR_NAME,
                                        "'%s' is a value, not a function; write a product as %s*(...)",
                                        function, function));
    const char *instead = tmli_function_instead(function);
    return stop(p, tmli_source_fail(&p->src, name->at, TML_ERR_NAME, "unknown function '%s'%s%s", function,
                                    instead ? "; " : "", instead ? instead : hint(p, function, true)));
}

// A name that is not called: a constant is folded, a variable becomes a node.
static int find_name(parser *p, const char *name, const tmli_token *tok)
{
    if (strcmp(name, "pi") == 0) return tmli_build_const(&p->build, PI, tok->at);
    double value = NAN;
    int slot = -1;
    const tmli_scope *s = p->scope;
    const tmli_symbol_kind kind = s && s->name ? s->name(name, &value, &slot, s->user) : TMLI_SYMBOL_UNKNOWN;
    if (kind == TMLI_SYMBOL_CONSTANT) {
        const int node = tmli_build_const(&p->build, value, tok->at);
        if (node >= 0) p->build.nodes[node].named = 1;
        return node;
    }
    if (kind == TMLI_SYMBOL_VARIABLE && slot >= 0) return tmli_build_var(&p->build, slot, tok->at);
    const tmli_function *f = tmli_function_find(name);
    if (f)
        return stop(p, tmli_source_fail(&p->src, tok->at, TML_ERR_NAME,
                                        "'%s' is a function and needs its arguments: %s(%s)", name, name,
                                        f->arguments));
    const char *instead = tmli_value_instead(name), *near = instead ? "" : hint(p, name, false);
    const char *advice = instead ? instead : !near[0] && s && !strchr(name, '.') ? s->advice : NULL;
    return stop(p, tmli_source_fail(&p->src, tok->at, TML_ERR_NAME, "unknown name '%s'%s%s%s", name, near,
                                    advice ? "; " : "", advice ? advice : ""));
}

// A name that could be a factor, not the unit of a number.
static bool is_known(parser *p, const tmli_token *tok)
{
    char name[TMLI_EXPR_SHOW];
    double value;
    int slot = -1;
    const tmli_scope *s = p->scope;
    if (tok->len >= TMLI_EXPR_SHOW) return true;
    memcpy(name, p->src.text + tok->at, (size_t)tok->len);
    name[tok->len] = 0;
    return strcmp(name, "pi") == 0 || tmli_function_find(name) ||
           (s && s->name && s->name(name, &value, &slot, s->user) != TMLI_SYMBOL_UNKNOWN);
}

// What is meant by a token where an operator is expected, as a rule.
static const char *advice_after_operand(parser *p, const tmli_token *tok)
{
    static const struct {
        const char *word, *say;
    } words[] = {
        {"deg",
         "; 'deg' follows a number or ')' and makes radians of it; 'unit: deg' of an output gives degrees"},
        {"degree", "; write deg, as in 30 deg"},
        {"degrees", "; write deg, as in 30 deg"},
        {"Deg", "; write deg, as in 30 deg"},
        {"rad", "; an angle without a unit is in radians"},
        {"if", "; write if(condition, a, b)"},
        {"in", "; 'unit' of an output converts its value"},
        {"to", "; 'unit' of an output converts its value"},
    };
    const char before = tok->at > 0 ? p->src.text[tok->at - 1] : 0, first = p->src.text[tok->at];
    const bool number_before = before >= '0' && before <= '9';
    if (tok->kind == TMLI_TOK_NAME) {
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (tmli_token_is(&p->src, tok, words[i].word)) return words[i].say;
        if (first == '_') return "; the digits of a number stand together";
        return is_known(p, tok) ? "; write a product with '*'"
                                : "; numbers are in SI units, and units are not written, except deg";
    }
    if (tok->kind == TMLI_TOK_NUMBER && (number_before || before == '.') && first == '.')
        return "; a number has one '.'";
    if (tok->kind == TMLI_TOK_NUMBER || tok->kind == TMLI_TOK_OPEN) return "; write a product with '*'";
    if (tok->kind == TMLI_TOK_CLOSE) return "; it has no matching '('";
    if (tok->kind != TMLI_TOK_COMMA) return "";
    const char after = p->src.text[tok->at + 1];
    return number_before && after >= '0' && after <= '9' ? "; the decimal sign is '.'"
                                                         : "; an expression is one value";
}

// Error for a token that cannot follow: what was expected, and a hint at what the user may have meant.
static int misplaced(parser *p, const char *expected)
{
    const tmli_token tok = p->tok;
    char buf[TMLI_EXPR_SHOW];
    tmli_token_show(&p->src, &tok, buf);
    const bool after_operand = strncmp(expected, "an operator", 11) == 0;
    const char *advice = after_operand ? advice_after_operand(p, &tok) : "";
    return stop(p, tmli_source_fail(&p->src, tok.at, TML_ERR_SYNTAX, "expected %s, found %s%s", expected, buf,
                                    advice));
}

static bool advance(parser *p)
{
    p->st = tmli_lex(&p->src, p->tok.at + p->tok.len, &p->tok);
    return p->st == TML_OK;
}

static int stop(parser *p, tml_status st)
{
    p->st = st;
    return -1;
}
