// Quantities by their units; see quantity.h.
#include "base/quantity.h"

#include <math.h>
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

// ---- units ------------------------------------------------------------------------------------------------

#define DEGREE (180 / 3.14159265358979323846)
#define POUND 0.45359237               // [kg]
#define POUND_FORCE (POUND * 9.80665)  // [N]

// The first of equal ones is written.
static const struct {
    const char *text;
    tmli_unit unit;
} units[] = {
    {"1", {TMLI_UNIT_KNOWN, 0, 0, 0, 0, 1}},
    {"m", {TMLI_UNIT_KNOWN, 0, 1, 0, 0, 1}},
    {"m/s", {TMLI_UNIT_KNOWN, 0, 1, -1, 0, 1}},
    {"m/s^2", {TMLI_UNIT_KNOWN, 0, 1, -2, 0, 1}},
    {"m^2", {TMLI_UNIT_KNOWN, 0, 2, 0, 0, 1}},
    {"m^2/s^2", {TMLI_UNIT_KNOWN, 0, 2, -2, 0, 1}},
    {"1/m", {TMLI_UNIT_KNOWN, 0, -1, 0, 0, 1}},
    {"rad/m", {TMLI_UNIT_KNOWN, 0, -1, 0, 1, 1}},
    {"rad", {TMLI_UNIT_KNOWN, 0, 0, 0, 1, 1}},
    {"rad/s", {TMLI_UNIT_KNOWN, 0, 0, -1, 1, 1}},
    {"rad/s^2", {TMLI_UNIT_KNOWN, 0, 0, -2, 1, 1}},
    {"s", {TMLI_UNIT_KNOWN, 0, 0, 1, 0, 1}},
    {"1/s", {TMLI_UNIT_KNOWN, 0, 0, -1, 0, 1}},
    {"kg", {TMLI_UNIT_KNOWN, 1, 0, 0, 0, 1}},
    {"N", {TMLI_UNIT_KNOWN, 1, 1, -2, 0, 1}},
    {"N m", {TMLI_UNIT_KNOWN, 1, 2, -2, 0, 1}},
    {"J", {TMLI_UNIT_KNOWN, 1, 2, -2, 0, 1}},
    {"W", {TMLI_UNIT_KNOWN, 1, 2, -3, 0, 1}},
    {"N/m", {TMLI_UNIT_KNOWN, 1, 0, -2, 0, 1}},
    {"N/m^2", {TMLI_UNIT_KNOWN, 1, -1, -2, 0, 1}},
    {"Pa", {TMLI_UNIT_KNOWN, 1, -1, -2, 0, 1}},
    {"N s", {TMLI_UNIT_KNOWN, 1, 1, -1, 0, 1}},
    {"kg m/s", {TMLI_UNIT_KNOWN, 1, 1, -1, 0, 1}},
    {"mm", {TMLI_UNIT_KNOWN, 0, 1, 0, 0, 1e3}},
    {"cm", {TMLI_UNIT_KNOWN, 0, 1, 0, 0, 1e2}},
    {"km", {TMLI_UNIT_KNOWN, 0, 1, 0, 0, 1e-3}},
    {"mm/s", {TMLI_UNIT_KNOWN, 0, 1, -1, 0, 1e3}},
    {"km/h", {TMLI_UNIT_KNOWN, 0, 1, -1, 0, 3.6}},
    {"deg", {TMLI_UNIT_KNOWN, 0, 0, 0, 1, DEGREE}},
    {"deg/s", {TMLI_UNIT_KNOWN, 0, 0, -1, 1, DEGREE}},
    {"rpm", {TMLI_UNIT_KNOWN, 0, 0, -1, 1, DEGREE / 6}},
    {"kN", {TMLI_UNIT_KNOWN, 1, 1, -2, 0, 1e-3}},
    {"kN m", {TMLI_UNIT_KNOWN, 1, 2, -2, 0, 1e-3}},
    {"N mm", {TMLI_UNIT_KNOWN, 1, 2, -2, 0, 1e3}},
    {"kW", {TMLI_UNIT_KNOWN, 1, 2, -3, 0, 1e-3}},
    {"MPa", {TMLI_UNIT_KNOWN, 1, -1, -2, 0, 1e-6}},
    {"kPa", {TMLI_UNIT_KNOWN, 1, -1, -2, 0, 1e-3}},
    {"bar", {TMLI_UNIT_KNOWN, 1, -1, -2, 0, 1e-5}},
    {"N/mm", {TMLI_UNIT_KNOWN, 1, 0, -2, 0, 1e-3}},
    {"kJ", {TMLI_UNIT_KNOWN, 1, 2, -2, 0, 1e-3}},
    {"deg/s^2", {TMLI_UNIT_KNOWN, 0, 0, -2, 1, DEGREE}},
    {"um", {TMLI_UNIT_KNOWN, 0, 1, 0, 0, 1e6}},
    {"ms", {TMLI_UNIT_KNOWN, 0, 0, 1, 0, 1e3}},
    {"in", {TMLI_UNIT_KNOWN, 0, 1, 0, 0, 1 / 0.0254}},
    {"ft", {TMLI_UNIT_KNOWN, 0, 1, 0, 0, 1 / 0.3048}},
    {"in/s", {TMLI_UNIT_KNOWN, 0, 1, -1, 0, 1 / 0.0254}},
    {"ft/s", {TMLI_UNIT_KNOWN, 0, 1, -1, 0, 1 / 0.3048}},
    {"mph", {TMLI_UNIT_KNOWN, 0, 1, -1, 0, 1 / 0.44704}},
    {"ft/s^2", {TMLI_UNIT_KNOWN, 0, 1, -2, 0, 1 / 0.3048}},
    {"lb", {TMLI_UNIT_KNOWN, 1, 0, 0, 0, 1 / POUND}},
    {"lbf", {TMLI_UNIT_KNOWN, 1, 1, -2, 0, 1 / POUND_FORCE}},
    {"lbf ft", {TMLI_UNIT_KNOWN, 1, 2, -2, 0, 1 / (0.3048 * POUND_FORCE)}},
    {"lbf in", {TMLI_UNIT_KNOWN, 1, 2, -2, 0, 1 / (0.0254 * POUND_FORCE)}},
    {"lbf/in", {TMLI_UNIT_KNOWN, 1, 0, -2, 0, 0.0254 / POUND_FORCE}},
    {"psi", {TMLI_UNIT_KNOWN, 1, -1, -2, 0, 0.0254 * 0.0254 / POUND_FORCE}},
};

tmli_unit tmli_unit_read(const char *text)
{
    for (size_t i = 0; text && i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].text, text) == 0) return units[i].unit;
    return (tmli_unit){.kind = TMLI_UNIT_OPEN};
}

bool tmli_unit_is_alike(const tmli_unit *a, const tmli_unit *b)
{
    return a->kg == b->kg && a->m == b->m && a->s == b->s;
}

bool tmli_unit_is_factor(double factor, double of_unit) { return fabs(fabs(factor) / of_unit - 1) < 1e-4; }

// Means and multiples: a factor as small as 2, 3, 4 or one over it does not convert.
static double conversion(double factor)
{
    factor = fabs(factor);
    for (int k = 1; k <= 4; k++)
        if (fabs(factor - k) < 1e-12 || fabs(factor * k - 1) < 1e-12) return 1;
    return factor;
}

const char *tmli_unit_text(const tmli_unit *u)
{
    if (u->kind != TMLI_UNIT_KNOWN) return NULL;
    const double factor = conversion(u->factor);
    const int rad = u->kg || u->m > 0 ? 0 : u->rad;  // an arc is a length
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const tmli_unit *v = &units[i].unit;
        if (tmli_unit_is_alike(u, v) && rad == v->rad && tmli_unit_is_factor(factor, v->factor))
            return units[i].text;
    }
    return NULL;
}

bool tmli_unit_is_spelling(const char *given, const char *unit)
{
    static const char signs[] = " *^.";
    for (;;) {
        given += strspn(given, signs);
        unit += strspn(unit, signs);
        if (*given != *unit) return false;
        if (!*given) return true;
        given++;
        unit++;
    }
}
