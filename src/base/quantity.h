// What a channel or coordinate measures, by its unit; units of expressions.
#ifndef TMLI_BASE_QUANTITY_H
#define TMLI_BASE_QUANTITY_H

#include <stdbool.h>

typedef enum tmli_quantity {
    TMLI_QUANTITY_OTHER,
    TMLI_QUANTITY_LENGTH,  // "m"
    TMLI_QUANTITY_ANGLE,   // "rad"
    TMLI_QUANTITY_FORCE,   // "N"
    TMLI_QUANTITY_MOMENT   // "N m"
} tmli_quantity;

/** The quantity of a unit as the library writes it; unit may be NULL. */
tmli_quantity tmli_quantity_of(const char *unit);

/** The unit of a value: kg^a m^b s^c rad^d over a factor (mm: m, 1000), as far as it is known. */
typedef struct tmli_unit {
    enum {
        TMLI_UNIT_OPEN,    // nobody says it: a parameter, a table
        TMLI_UNIT_NUMBER,  // a number of an expression, `factor` is its value
        TMLI_UNIT_KNOWN
    } kind;
    int kg, m, s, rad;
    double factor;  // OPEN: 1 of a parameter, which may be a number
} tmli_unit;

/** "rad/s", "kN", "deg": OPEN if the library does not know the text. NULL is OPEN. */
tmli_unit tmli_unit_read(const char *text);
/** The text of a unit, NULL: none. Small factors (2 x, x/2) count as 1. */
const char *tmli_unit_text(const tmli_unit *u);
/** Whether the factors of two units agree, as exactly as they are typed (57.3, 57.2958). */
bool tmli_unit_is_factor(double factor, double of_unit);
/** Whether two texts are the same but for blanks and signs: "Nm" and "N*m" are "N m". */
bool tmli_unit_is_spelling(const char *given, const char *unit);
/** Whether values of the two may be added: powers alike, angles being numbers. */
bool tmli_unit_is_alike(const tmli_unit *a, const tmli_unit *b);

#endif
