// JSON texts; see json.h.
#include "spec/mass/json.h"

#include <math.h>
#include <string.h>

enum { DEEPEST = 64 };

static const char *skip_space(const char *p) { return p + strspn(p, " \t\r\n"); }

// Behind the string that begins at p; NULL: it has no end.
static const char *skip_string(const char *p)
{
    for (p++; *p && *p != '"'; p++)
        if (*p == '\\' && *++p == 0) return NULL;
    return *p ? p + 1 : NULL;
}

static const char *skip_value(const char *p, int depth);

// Behind the members or elements between brackets.
static const char *skip_bracket(const char *p, char close, int depth)
{
    if (depth >= DEEPEST) return NULL;
    p = skip_space(p + 1);
    if (*p == close) return p + 1;
    for (;;) {
        if (close == '}') {
            if (*p != '"' || !(p = skip_string(p))) return NULL;
            p = skip_space(p);
            if (*p++ != ':') return NULL;
        }
        p = skip_value(skip_space(p), depth + 1);
        if (!p) return NULL;
        p = skip_space(p);
        if (*p == close) return p + 1;
        if (*p++ != ',') return NULL;
        p = skip_space(p);
    }
}

// Behind the value that begins at p; NULL: it is none.
static const char *skip_value(const char *p, int depth)
{
    if (*p == '{') return skip_bracket(p, '}', depth);
    if (*p == '[') return skip_bracket(p, ']', depth);
    if (*p == '"') return skip_string(p);
    static const char *const words[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++)
        if (strncmp(p, words[i], strlen(words[i])) == 0) return p + strlen(words[i]);
    const char *end;
    if (*p != '-' && !(*p >= '0' && *p <= '9')) return NULL;
    tmli_strtod(p, &end);
    return end > p ? end : NULL;
}

bool tmli_jsontext_check(const char *text)
{
    const char *end = skip_value(skip_space(text), 0);
    return end && *skip_space(end) == 0;
}

const char *tmli_jsontext_member(const char *value, const char *name)
{
    if (!value || *value != '{') return NULL;
    const size_t n = strlen(name);
    const char *p = skip_space(value + 1);
    while (*p == '"') {
        const bool found = strncmp(p + 1, name, n) == 0 && p[1 + n] == '"';
        p = skip_space(skip_space(skip_string(p)) + 1);  // behind the colon
        if (found) return p;
        p = skip_space(skip_value(p, 0));
        if (*p == ',') p = skip_space(p + 1);
    }
    return NULL;
}

size_t tmli_jsontext_elements(const char *value, const char **out, size_t room)
{
    size_t count = 0;
    if (!value || *value != '[') return 0;
    for (const char *p = skip_space(value + 1); *p != ']'; count++) {
        if (count < room) out[count] = p;
        p = skip_space(skip_value(p, 0));
        if (*p == ',') p = skip_space(p + 1);
    }
    return count;
}

double tmli_jsontext_number(const char *value, double fallback)
{
    const char *end;
    if (!value || (*value != '-' && !(*value >= '0' && *value <= '9'))) return fallback;
    return tmli_strtod(value, &end);
}

long tmli_jsontext_index(const char *value)
{
    const double x = tmli_jsontext_number(value, -1);
    return x >= 0 && x <= 2147483647 && x == floor(x) ? (long)x : -1;
}

const char *tmli_jsontext_string(const char *value, size_t *length)
{
    if (!value || *value != '"') return NULL;
    *length = (size_t)(skip_string(value) - value) - 2;
    return value + 1;
}

bool tmli_jsontext_is(const char *value, const char *string)
{
    size_t length;
    const char *text = tmli_jsontext_string(value, &length);
    return text && length == strlen(string) && strncmp(text, string, length) == 0;
}
