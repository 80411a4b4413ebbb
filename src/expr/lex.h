// Tokens of the expression language, and errors with a position in the text.
#ifndef TMLI_EXPR_LEX_H
#define TMLI_EXPR_LEX_H

#include "base/base.h"

enum {
    TMLI_EXPR_MAX_TEXT = 16384,  // characters of one expression
    TMLI_EXPR_MAX_NAME = 1024,   // bytes of a name with its final 0
    TMLI_EXPR_SHOW = 72          // bytes of a token shown in a message
};

/** The text of an expression and its position in a file. */
typedef struct tmli_source {
    const char *text;
    tml_mark at;  // of text[0]; line 0: unknown
    tml_error *err;
} tmli_source;

typedef enum tmli_token_kind {
    TMLI_TOK_END,
    TMLI_TOK_NUMBER,
    TMLI_TOK_NAME,
    TMLI_TOK_OPEN,
    TMLI_TOK_CLOSE,
    TMLI_TOK_COMMA,
    TMLI_TOK_NOT,
    TMLI_TOK_OPERATOR  // a binary operator
} tmli_token_kind;

/** Precedence of operators, lowest first. */
typedef enum tmli_precedence {
    TMLI_PREC_OR = 1,
    TMLI_PREC_AND,
    TMLI_PREC_NOT,
    TMLI_PREC_COMPARE,
    TMLI_PREC_SUM,
    TMLI_PREC_PRODUCT,
    TMLI_PREC_SIGN,
    TMLI_PREC_POWER
} tmli_precedence;

typedef struct tmli_token {
    tmli_token_kind kind;
    int at, len;     // in bytes of the text
    double number;   // NUMBER
    int op;          // OPERATOR: tmli_op
    int precedence;  // OPERATOR
} tmli_token;

/** The token at or after text[from]. TML_ERR_SYNTAX for characters and numbers outside the language. */
tml_status tmli_lex(const tmli_source *src, int from, tmli_token *tok);
bool tmli_token_is(const tmli_source *src, const tmli_token *tok, const char *word);
/** The token as "'x'", "number 2.5" or "the end of the expression", shortened if long. */
const char *tmli_token_show(const tmli_source *src, const tmli_token *tok, char buf[TMLI_EXPR_SHOW]);
/** Fill src->err with the column of text[offset]. Without a position in a file the message gives the
 * character number. */
tml_status tmli_source_fail(const tmli_source *src, int offset, tml_status status, const char *fmt, ...)
    TML_PRINTF(4, 5);

#endif
