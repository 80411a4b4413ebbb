// Splitting an expression into tokens.
//
// A name is [A-Za-z_] followed by letters, digits, '_' and single dots between them; `and`, `or`, `not` are
// operators. A number too large for a double, or not zero but too small for one, is an error.
#include "expr/lex.h"

#include "expr/program.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Character classes of ASCII; those of ctype.h depend on the locale.
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_word(char c) { return is_letter(c) || is_digit(c); }
static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static tml_status lex_number(const tmli_source *src, tmli_token *tok);
static tml_status lex_name(const tmli_source *src, tmli_token *tok);
static tml_status lex_sign(const tmli_source *src, tmli_token *tok);
static tml_status bad_character(const tmli_source *src, int at);

tml_status tmli_lex(const tmli_source *src, int from, tmli_token *tok)
{
    while (is_space(src->text[from])) from++;
    *tok = (tmli_token){.kind = TMLI_TOK_END, .at = from};
    const char *p = src->text + from;
    if (!*p) return TML_OK;
    if (is_digit(*p) || (*p == '.' && is_digit(p[1]))) return lex_number(src, tok);
    if (is_letter(*p)) return lex_name(src, tok);
    return lex_sign(src, tok);
}

bool tmli_token_is(const tmli_source *src, const tmli_token *tok, const char *word)
{
    return (size_t)tok->len == strlen(word) && memcmp(src->text + tok->at, word, (size_t)tok->len) == 0;
}

const char *tmli_token_show(const tmli_source *src, const tmli_token *tok, char buf[TMLI_EXPR_SHOW])
{
    enum { KEEP = 48 };
    const char *text = src->text + tok->at;
    const int n = tok->len > KEEP ? KEEP : tok->len;
    const char *more = tok->len > KEEP ? "..." : "";
    if (tok->kind == TMLI_TOK_END) snprintf(buf, TMLI_EXPR_SHOW, "the end of the expression");
    else if (tok->kind == TMLI_TOK_NUMBER) snprintf(buf, TMLI_EXPR_SHOW, "number %.*s%s", n, text, more);
    else snprintf(buf, TMLI_EXPR_SHOW, "'%.*s%s'", n, text, more);
    return buf;
}

tml_status tmli_source_fail(const tmli_source *src, int offset, tml_status status, const char *fmt, ...)
{
    char msg[TML_ERROR_MSG - 128];  // leaves room for the position
    va_list args;
    va_start(args, fmt);
    vsnprintf(msg, sizeof msg, fmt, args);
    va_end(args);
    if (src->at.line > 0) {
        const tml_mark at = {src->at.file, src->at.line, src->at.col + offset};
        return tmli_fail_at(src->err, status, at, "%s", msg);
    }
    char shown[64];
    size_t n = 0;
    for (; n + 1 < sizeof shown && src->text[n]; n++) {
        const char c = src->text[n];
        shown[n] = is_space(c) ? ' ' : c > ' ' && c < 127 ? c : '?';
    }
    shown[n] = 0;
    return tmli_fail(src->err, status, "%s (character %d of \"%s%s\")", msg, offset + 1, shown,
                     src->text[n] ? "..." : "");
}

static tml_status lex_number(const tmli_source *src, tmli_token *tok)
{
    const char *p = src->text + tok->at, *end = p;
    const double x = tmli_strtod(p, &end);
    tok->kind = TMLI_TOK_NUMBER;
    tok->len = (int)(end - p);
    tok->number = x;
    if (isnan(x)) return tmli_source_fail(src, tok->at, TML_ERR_NOMEM, "no memory for a number");
    char buf[TMLI_EXPR_SHOW];
    if (isinf(x))
        return tmli_source_fail(src, tok->at, TML_ERR_SYNTAX,
                                "%s is too large (the largest is about 1.8e308)",
                                tmli_token_show(src, tok, buf));
    if (x == 0) {
        for (const char *c = p; c < end && *c != 'e' && *c != 'E'; c++)
            if (*c >= '1' && *c <= '9')
                return tmli_source_fail(src, tok->at, TML_ERR_SYNTAX,
                                        "%s is too small (the smallest above 0 is about 5e-324)",
                                        tmli_token_show(src, tok, buf));
    }
    return TML_OK;
}

static tml_status lex_name(const tmli_source *src, tmli_token *tok)
{
    const char *p = src->text + tok->at, *end = p;
    while (is_word(*end) || (*end == '.' && is_word(end[1]))) end++;
    tok->kind = TMLI_TOK_NAME;
    tok->len = (int)(end - p);
    char buf[TMLI_EXPR_SHOW];
    if (*end == '.')
        return tmli_source_fail(src, (int)(end - src->text), TML_ERR_SYNTAX,
                                "the '.' after %s must be followed by a letter or digit, as in pin.angle",
                                tmli_token_show(src, tok, buf));
    if (tok->len >= TMLI_EXPR_MAX_NAME)
        return tmli_source_fail(src, tok->at, TML_ERR_SYNTAX,
                                "the name %s has %d characters, at most %d are allowed",
                                tmli_token_show(src, tok, buf), tok->len, TMLI_EXPR_MAX_NAME - 1);
    if (tmli_token_is(src, tok, "not")) {
        tok->kind = TMLI_TOK_NOT;
    } else if (tmli_token_is(src, tok, "and")) {
        *tok = (tmli_token){TMLI_TOK_OPERATOR, tok->at, tok->len, 0, TMLI_OP_AND, TMLI_PREC_AND};
    } else if (tmli_token_is(src, tok, "or")) {
        *tok = (tmli_token){TMLI_TOK_OPERATOR, tok->at, tok->len, 0, TMLI_OP_OR, TMLI_PREC_OR};
    }
    return TML_OK;
}

// Longer signs precede their prefixes. Signs with a hint are those of other languages, which this one writes
// differently.
static const struct sign {
    const char *text;
    tmli_token_kind kind;
    tmli_op op;
    tmli_precedence precedence;
    const char *hint;
} signs[] = {
    {"**", TMLI_TOK_OPERATOR, TMLI_OP_POW, TMLI_PREC_POWER, NULL},
    {"<=", TMLI_TOK_OPERATOR, TMLI_OP_LE, TMLI_PREC_COMPARE, NULL},
    {">=", TMLI_TOK_OPERATOR, TMLI_OP_GE, TMLI_PREC_COMPARE, NULL},
    {"==", TMLI_TOK_OPERATOR, TMLI_OP_EQ, TMLI_PREC_COMPARE, NULL},
    {"!=", TMLI_TOK_OPERATOR, TMLI_OP_NE, TMLI_PREC_COMPARE, NULL},
    {"&&", TMLI_TOK_END, 0, 0, "'and'"},
    {"||", TMLI_TOK_END, 0, 0, "'or'"},
    {"^", TMLI_TOK_OPERATOR, TMLI_OP_POW, TMLI_PREC_POWER, NULL},
    {"*", TMLI_TOK_OPERATOR, TMLI_OP_MUL, TMLI_PREC_PRODUCT, NULL},
    {"/", TMLI_TOK_OPERATOR, TMLI_OP_DIV, TMLI_PREC_PRODUCT, NULL},
    {"+", TMLI_TOK_OPERATOR, TMLI_OP_ADD, TMLI_PREC_SUM, NULL},
    {"-", TMLI_TOK_OPERATOR, TMLI_OP_SUB, TMLI_PREC_SUM, NULL},
    {"<", TMLI_TOK_OPERATOR, TMLI_OP_LT, TMLI_PREC_COMPARE, NULL},
    {">", TMLI_TOK_OPERATOR, TMLI_OP_GT, TMLI_PREC_COMPARE, NULL},
    {"(", TMLI_TOK_OPEN, 0, 0, NULL},
    {")", TMLI_TOK_CLOSE, 0, 0, NULL},
    {",", TMLI_TOK_COMMA, 0, 0, NULL},
    {"=", TMLI_TOK_END, 0, 0, "'==' to compare"},
    {"!", TMLI_TOK_END, 0, 0, "'not'"},
    {"&", TMLI_TOK_END, 0, 0, "'and'"},
    {"|", TMLI_TOK_END, 0, 0, "'or', or abs(x)"},
    {"%", TMLI_TOK_END, 0, 0, "mod(a, b)"},
    {"?", TMLI_TOK_END, 0, 0, "if(condition, a, b)"},
    {"[", TMLI_TOK_END, 0, 0, "'('"},
    {"]", TMLI_TOK_END, 0, 0, "')'"},
    {"$", TMLI_TOK_END, 0, 0, "the name alone"},
    {";", TMLI_TOK_END, 0, 0, "',' between arguments"},
};

static tml_status lex_sign(const tmli_source *src, tmli_token *tok)
{
    const char *p = src->text + tok->at;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const struct sign *s = &signs[i];
        const size_t n = strlen(s->text);
        if (strncmp(p, s->text, n) != 0) continue;
        if (s->hint)
            return tmli_source_fail(src, tok->at, TML_ERR_SYNTAX, "'%s' is not used in expressions; write %s",
                                    s->text, s->hint);
        *tok = (tmli_token){s->kind, tok->at, (int)n, 0, (int)s->op, (int)s->precedence};
        return TML_OK;
    }
    return bad_character(src, tok->at);
}

static tml_status bad_character(const tmli_source *src, int at)
{
    const unsigned char c = (unsigned char)src->text[at];
    static const char *const foreign[][3] = {{"\u00b0", "degree sign", "deg, as in 30 deg"},
                                             {"\u2212", "minus sign", "-"},
                                             {"\u2013", "dash", "-"},
                                             {"\u00d7", "multiplication sign", "*"},
                                             {"\u00b7", "dot", "*"},
                                             {"\u22c5", "dot", "*"},
                                             {"\u00b2", "superscript 2", "^2"},
                                             {"\u00b3", "superscript 3", "^3"},
                                             {"\u03c0", "Greek letter", "pi"},
                                             {"\u221a", "root sign", "sqrt(x)"},
                                             {"\u2264", "sign", "<="},
                                             {"\u2265", "sign", ">="},
                                             {"\u00a0", "no-break space", "a plain one"}};
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (strncmp(src->text + at, foreign[i][0], strlen(foreign[i][0])) == 0)
            return tmli_source_fail(src, at, TML_ERR_SYNTAX, "this %s is not used in expressions; write %s",
                                    foreign[i][1], foreign[i][2]);
    if (c >= 128)
        return tmli_source_fail(src, at, TML_ERR_SYNTAX,
                                "the character that begins with byte 0x%02X is not ASCII; "
                                "expressions are written in plain letters, digits and + - * / ^ ( )",
                                c);
    if (c < ' ' || c == 127)
        return tmli_source_fail(src, at, TML_ERR_SYNTAX, "control character 0x%02X in the expression", c);
    if (c == '.') return tmli_source_fail(src, at, TML_ERR_SYNTAX, "'.' begins neither a number nor a name");
    return tmli_source_fail(src, at, TML_ERR_SYNTAX, "the character '%c' is not used in expressions", c);
}
