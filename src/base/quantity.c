// Quantities by their units; see quantity.h.
#include "base/quantity.h"

#include <stddef.h>
#include <string.h>

tmli_quantity tmli_quantity_of(const char *unit)
{
    static const struct {
        const char *unit;
        tmli_quantity quantity;
    } known[] = {{"m", TMLI_QUANTITY_LENGTH},
                 {"rad", TMLI_QUANTITY_ANGLE},
                 {"N", TMLI_QUANTITY_FORCE},
                 {"N m", TMLI_QUANTITY_MOMENT}};
    for (size_t i = 0; unit && i < sizeof known / sizeof *known; i++)
        if (strcmp(unit, known[i].unit) == 0) return known[i].quantity;
    return TMLI_QUANTITY_OTHER;
}
