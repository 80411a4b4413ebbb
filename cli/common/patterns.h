// Patterns of names, and the channels that they mean.
#ifndef CLI_PATTERNS_H
#define CLI_PATTERNS_H

#include <stdbool.h>
#include <stddef.h>
#include <trammel/result.h>

/** Whether a text is as the first `length` characters of a pattern: `*` stands for any characters, `?` for
 * one. */
bool cli_matches(const char *pattern, size_t length, const char *text);

/** Patterns of channels and where they come from. */
typedef struct cli_wanted {
    const char *patterns;  // separated by commas; empty: all channels that can change
    const char *origin;    // option or key
    tml_mark at;           // position in the model file; empty: not from there
} cli_wanted;

/** chosen: (count) the channels that are meant; the first, the time, always is. TML_ERR_NAME: no channel is
 * like a pattern. */
tml_status cli_choose_channels(const cli_wanted *w, const tml_channel *c, int count, bool *chosen,
                               tml_error *err);

#endif
