// Patterns of names.
#ifndef CLI_PATTERNS_H
#define CLI_PATTERNS_H

#include <stdbool.h>
#include <stddef.h>

/** Whether a text is as the first `length` characters of a pattern: `*` stands for any characters, `?` for
 * one. */
bool cli_matches(const char *pattern, size_t length, const char *text);

#endif
