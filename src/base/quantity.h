// What a channel or coordinate measures, by its unit.
#ifndef TMLI_BASE_QUANTITY_H
#define TMLI_BASE_QUANTITY_H

typedef enum tmli_quantity {
    TMLI_QUANTITY_OTHER,
    TMLI_QUANTITY_LENGTH,  // "m"
    TMLI_QUANTITY_ANGLE,   // "rad"
    TMLI_QUANTITY_FORCE,   // "N"
    TMLI_QUANTITY_MOMENT   // "N m"
} tmli_quantity;

/** The quantity of a unit as the library writes it; unit may be NULL. */
tmli_quantity tmli_quantity_of(const char *unit);

#endif
