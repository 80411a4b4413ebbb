// Damping of normal forces by the restitution of an impact, equations (2) and (3) of normal.h.
#include "element/law/normal.h"
#include "support/support.h"

// D of hunt-crossley makes both ends of (3) the same; towards e = 1 it is 3/2 (1 - e), by the cubes of D.
static void crossley(void **state)
{
    (void)state;
    for (double e = 0.07; e < 0.97; e += 0.07) {
        const double D = tmli_restitution_crossley(e);
        CHECK_CLOSE(D - log1p(D), -e * D - log1p(-e * D), 1e-15 * D / (1 - e * D));  // round-off of 1 - e D
    }
    for (double lost = 1e-2; lost > 1e-9; lost /= 3)  // with an error of the next power
        CHECK_CLOSE(tmli_restitution_crossley(1 - lost), 1.5 * lost, 3 * lost * lost);
    CHECK_SMALL(tmli_restitution_crossley(1), 0);
}

// The oscillator of (2), below and beyond zeta = 1; towards e = 1 it loses pi zeta.
static void oscillator(void **state)
{
    (void)state;
    for (double e = 1e-3; e < 0.999; e *= 1.3) {
        const double zeta = tmli_restitution_damping(e),
                     ratio = zeta < 1 ? acos(zeta) / tan(acos(zeta)) : acosh(zeta) / tanh(acosh(zeta));
        CHECK_CLOSE(exp(-2 * ratio), e, 1e-9 * e);
    }
    CHECK_CLOSE(tmli_restitution_damping(1 - 1e-6), 1e-6 / acos(-1.0), 1e-11);
    CHECK_SMALL(tmli_restitution_damping(1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(crossley), cmocka_unit_test(oscillator)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
