// Patterns of names.
#include "patterns.h"

#include <stddef.h>

bool cli_matches(const char *pattern, size_t length, const char *text)
{
    const char *end = pattern + length, *star = NULL, *retry = NULL;
    while (*text) {
        if (pattern < end && *pattern == '*') {
            star = ++pattern;
            retry = text;
        } else if (pattern < end && (*pattern == *text || *pattern == '?')) {
            pattern++;
            text++;
        } else if (star) {  // one more character for the last star
            pattern = star;
            text = ++retry;
        } else {
            return false;
        }
    }
    while (pattern < end && *pattern == '*') pattern++;
    return pattern == end;
}
