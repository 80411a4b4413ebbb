// JSON as a tree; see json.h.
#include "base/json.h"

#include <string.h>

typedef struct reader {
    const char *at;
    tmli_arena *arena;
    size_t left;  // values that may follow
    tml_status st;
} reader;

static tmli_json_node *read_value(reader *r, int depth);

static void skip(reader *r) { r->at += strspn(r->at, " \t\r\n"); }

static void *fail(reader *r, tml_status st)
{
    if (r->st == TML_OK) r->st = st;
    return NULL;
}

// Nothing else moves behind a character without having seen it: the zero at the end is never passed.
static bool read_word(reader *r, const char *word)
{
    const size_t n = strlen(word);
    if (strncmp(r->at, word, n) != 0) return false;
    r->at += n;
    return true;
}

static int hex(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// Four hexadecimal digits; -1: they are none.
static long read_code(const char *p)
{
    long code = 0;
    for (int k = 0; k < 4; k++) {
        if (hex(p[k]) < 0) return -1;
        code = 16 * code + hex(p[k]);
    }
    return code;
}

static char *put_utf8(char *to, unsigned long c)
{
    if (c < 0x80) {
        *to++ = (char)c;
    } else if (c < 0x800) {
        *to++ = (char)(0xC0 | c >> 6);
        *to++ = (char)(0x80 | (c & 63));
    } else if (c < 0x10000) {
        *to++ = (char)(0xE0 | c >> 12);
        *to++ = (char)(0x80 | (c >> 6 & 63));
        *to++ = (char)(0x80 | (c & 63));
    } else {
        *to++ = (char)(0xF0 | c >> 18);
        *to++ = (char)(0x80 | (c >> 12 & 63));
        *to++ = (char)(0x80 | (c >> 6 & 63));
        *to++ = (char)(0x80 | (c & 63));
    }
    return to;
}

// What follows a backslash; moves both.
static bool read_escape(reader *r, char **to)
{
    static const char letters[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    const char *found = *r->at ? strchr(letters, *r->at) : NULL;
    if (found) {
        *(*to)++ = values[found - letters];
        r->at++;
        return true;
    }
    if (*r->at != 'u') return false;
    long code = read_code(r->at + 1);
    if (code <= 0) return false;
    r->at += 5;
    if (code >= 0xD800 && code < 0xDC00) {
        const long low = r->at[0] == '\\' && r->at[1] == 'u' ? read_code(r->at + 2) : -1;
        if (low < 0xDC00 || low > 0xDFFF) return false;
        code = 0x10000 + (code - 0xD800) * 1024 + (low - 0xDC00);
        r->at += 6;
    }
    *to = put_utf8(*to, (unsigned long)code);
    return true;
}

static char *read_text(reader *r)
{
    if (*r->at != '"') return fail(r, TML_ERR_SYNTAX);
    size_t length = 0;
    for (const char *p = r->at + 1; *p && *p != '"'; p++, length++)
        if (*p == '\\' && p[1]) p++, length++;
    char *text = tmli_arena_alloc(r->arena, length + 1, 1), *to = text;
    if (!text) return fail(r, TML_ERR_NOMEM);
    r->at++;
    while (*r->at && *r->at != '"') {
        const char c = *r->at++;
        if (c != '\\') *to++ = c;
        else if (!read_escape(r, &to)) return fail(r, TML_ERR_SYNTAX);
    }
    if (!read_word(r, "\"")) return fail(r, TML_ERR_SYNTAX);
    *to = 0;
    return text;
}

static void read_members(reader *r, tmli_json_node *n, int depth)
{
    const bool object = n->kind == TMLI_JSON_OBJECT;
    const char end = object ? '}' : ']';
    tmli_json_node **last = &n->child;
    r->at++;
    skip(r);
    if (*r->at == end) {
        r->at++;
        return;
    }
    for (;;) {
        skip(r);
        const char *key = object ? read_text(r) : NULL;
        skip(r);
        if (r->st == TML_OK && object && !read_word(r, ":")) fail(r, TML_ERR_SYNTAX);
        tmli_json_node *value = r->st == TML_OK ? read_value(r, depth + 1) : NULL;
        if (!value) return;
        value->key = key;
        *last = value;
        last = &value->next;
        n->count++;
        skip(r);
        const char c = *r->at;
        if (c != ',' && c != end) {
            fail(r, TML_ERR_SYNTAX);
            return;
        }
        r->at++;
        if (c == end) break;
    }
    if (object) return;
    n->item = tmli_arena_alloc(r->arena, (size_t)n->count, sizeof *n->item);
    if (!n->item) fail(r, TML_ERR_NOMEM);
    int i = 0;
    for (tmli_json_node *c = n->child; c && n->item; c = c->next) n->item[i++] = c;
}

static tmli_json_node *read_value(reader *r, int depth)
{
    if (depth > TMLI_JSON_DEPTH) return fail(r, TML_ERR_SYNTAX);
    if (r->left-- == 0) return fail(r, TML_ERR_ARG);
    tmli_json_node *n = tmli_arena_alloc(r->arena, 1, sizeof *n);
    if (!n) return fail(r, TML_ERR_NOMEM);
    skip(r);
    if (*r->at == '{' || *r->at == '[') {
        n->kind = *r->at == '{' ? TMLI_JSON_OBJECT : TMLI_JSON_ARRAY;
        read_members(r, n, depth);
    } else if (*r->at == '"') {
        n->kind = TMLI_JSON_TEXT;
        n->text = read_text(r);
    } else if (read_word(r, "true")) {
        *n = (tmli_json_node){.kind = TMLI_JSON_BOOL, .number = 1};
    } else if (read_word(r, "false")) {
        n->kind = TMLI_JSON_BOOL;
    } else if (!read_word(r, "null")) {
        const char *end;
        n->kind = TMLI_JSON_NUMBER;
        n->number = tmli_strtod(r->at, &end);
        if (end == r->at || (*r->at != '-' && !(*r->at >= '0' && *r->at <= '9')))
            return fail(r, TML_ERR_SYNTAX);
        r->at = end;
    }
    return r->st == TML_OK ? n : NULL;
}

tml_status tmli_json_parse(const char *text, const char *what, size_t most, tmli_arena *arena,
                           tmli_json_node **out, tml_error *err)
{
    reader r = {.at = text, .arena = arena, .left = most};
    *out = read_value(&r, 0);
    if (*out) skip(&r);
    if (*out && *r.at) fail(&r, TML_ERR_SYNTAX);
    if (r.st == TML_OK) return TML_OK;
    *out = NULL;
    if (r.st == TML_ERR_NOMEM) return tmli_no_memory(err, "JSON");
    if (r.st == TML_ERR_ARG) return tmli_fail(err, r.st, "%s has more than %zu values.", what, most);
    return tmli_fail(err, r.st, "%s is no JSON: error after %td bytes.", what, r.at - text);
}

const tmli_json_node *tmli_json_member(const tmli_json_node *object, const char *key)
{
    for (const tmli_json_node *n = object && object->kind == TMLI_JSON_OBJECT ? object->child : NULL; n;
         n = n->next)
        if (strcmp(n->key, key) == 0) return n;
    return NULL;
}

const tmli_json_node *tmli_json_array(const tmli_json_node *object, const char *key)
{
    const tmli_json_node *n = tmli_json_member(object, key);
    return n && n->kind == TMLI_JSON_ARRAY ? n : NULL;
}

double tmli_json_number_of(const tmli_json_node *object, const char *key, double otherwise)
{
    const tmli_json_node *n = tmli_json_member(object, key);
    return n && (n->kind == TMLI_JSON_NUMBER || n->kind == TMLI_JSON_BOOL) ? n->number : otherwise;
}

const char *tmli_json_text_of(const tmli_json_node *object, const char *key)
{
    const tmli_json_node *n = tmli_json_member(object, key);
    return n && n->kind == TMLI_JSON_TEXT ? n->text : NULL;
}

bool tmli_json_numbers_of(const tmli_json_node *array, double *out, int count)
{
    if (!array || array->kind != TMLI_JSON_ARRAY || array->count < count) return false;
    for (int i = 0; i < count; i++) {
        if (array->item[i]->kind != TMLI_JSON_NUMBER) return false;
        out[i] = array->item[i]->number;
    }
    return true;
}
