// Variation of thresholds by an environment variable, to measure their influence; see constants.h.
#include "base/constants.h"

#ifdef TRAMMEL_VARY_CONSTANTS

#include <stdlib.h>
#include <string.h>

static double changed(enum tmli_threshold_kind kind, double value, double factor)
{
    switch (kind) {
    case TMLI_KIND_SHARE: return factor * value / (1 - value + factor * value);  // odds times the factor
    case TMLI_KIND_GROWTH: return 1 + factor * (value - 1);
    default: return factor * value;
    }
}

double tmli_vary(const char *file, const char *name, enum tmli_threshold_kind kind, double value)
{
    const char *const wanted = getenv("TRAMMEL_VARY"), *const colon = wanted ? strchr(wanted, ':') : NULL;
    const char *const equals = colon ? strchr(colon, '=') : NULL;
    if (!equals) return value;
    const size_t path = (size_t)(colon - wanted), length = strlen(file), word = (size_t)(equals - colon - 1);
    if (length < path || strncmp(file + length - path, wanted, path) != 0) return value;
    if (strlen(name) != word || strncmp(name, colon + 1, word) != 0) return value;
    return changed(kind, value, strtod(equals + 1, NULL));
}

#else

typedef int tmli_constants_are_fixed;  // a translation unit is not empty

#endif
