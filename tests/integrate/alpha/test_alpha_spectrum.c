// The amplification matrices of the schemes, taken from their steps (amplification.h), against what is known
// about them.
#include "integrate/amplification.h"
#include "integrate/fixture.h"

// Spectral radius, period elongation [%] and algorithmic damping of generalized-alpha; computed from the
// formulas of Chung and Hulbert with 45 digits. What Figures 1 to 3 of the Dymore manual show.
static const struct {
    double rho, h_over_T, radius, elongation, damping;
} KNOWN[] = {
    {0.0, 0.01, 0.99999233, 0.17962666, 0.00012232}, {0.0, 0.1, 0.96970817, 12.32057196, 0.05490498},
    {0.0, 1, 0.33922581, 269.09939499, 0.53610101},  {0.0, 10, 0.06588417, 3012.57208784, 0.80300069},
    {0.4, 0.01, 0.99999939, 0.06002986, 0.00000973}, {0.4, 0.1, 0.99556971, 5.51585995, 0.00745627},
    {0.4, 1, 0.66413014, 178.36828015, 0.17841556},  {0.4, 10, 0.44992926, 2035.85126088, 0.26200692},
    {0.8, 0.01, 0.99999999, 0.03471694, 0.00000017}, {0.8, 0.1, 0.99990442, 3.38284060, 0.00015727},
    {0.8, 1, 0.95627926, 154.86193788, 0.01813062},  {0.8, 10, 0.84640945, 1976.46383940, 0.05502464},
    {1.0, 0.01, 1.00000000, 0.03289003, 0.00000000}, {1.0, 0.1, 1.00000000, 3.20749106, 0.00000000},
    {1.0, 1, 1.00000000, 148.81394247, 0.00000000},  {1.0, 10, 1.00000000, 1941.35248755, 0.00000000}};

static amplification calc(const char *method, double rho, double alpha, tml_placement placement,
                          double h_over_T)
{
    tml_integrator_options opt = tml_integrator_options_default();
    amplification a;
    opt.run.rho = rho;
    opt.run.alpha = alpha;
    opt.run.placement = placement;
    OK(amplification_calc(tml_method_find(method), &opt, h_over_T, &a, err));
    return a;
}

// The last digit printed; the elongation is a ratio of angles whose round-off Z^-1 magnifies by 1/(w h)^2.
static void generalized_alpha_has_the_spectrum_of_its_formulas(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        for (int place = 0; place < 2; place++) {
            const amplification a =
                calc("genalpha", KNOWN[i].rho, NAN, (tml_placement)place, KNOWN[i].h_over_T);
            CHECK_CLOSE(a.radius, KNOWN[i].radius, 2e-8);
            CHECK_CLOSE(100 * a.period_elongation, KNOWN[i].elongation, 2e-8 + 1e-9 * KNOWN[i].elongation);
            CHECK_CLOSE(a.damping, KNOWN[i].damping, 2e-8);
        }
}

// Near infinite frequency: the triple root -rho is off by the cube root of 1/(w h)^2 = 2.5e-6. (For rho = 0 a
// step forgets so much that its matrix cannot be seen; h/T = 10 above shows it.)
static void damping_at_infinity_is_what_was_asked_for(void **state)
{
    (void)state;
    for (double rho = 0.25; rho < 1.05; rho += 0.25) {
        CHECK_CLOSE(calc("genalpha", rho, NAN, TML_PLACEMENT_NODES, 1e2).radius, rho, 0.03);
        CHECK_CLOSE(calc("newmark", rho, NAN, TML_PLACEMENT_NODES, 1e2).radius, rho, 0.03);
    }
    for (double alpha = -1.0 / 3; alpha < 0.01; alpha += 1.0 / 9)
        CHECK_CLOSE(calc("hht", NAN, fmin(alpha, 0), TML_PLACEMENT_NODES, 1e3).radius,
                    (1 + alpha) / (1 - alpha), 0.03);
}

// Between, all are stable, and inner placement is the same as nodes on a linear system.
static void schemes_are_stable(void **state)
{
    (void)state;
    static const char *const names[] = {"genalpha", "hht", "newmark", "midpoint"};
    for (int m = 0; m < 4; m++)
        for (double x = 1e-2; x < 2e2; x *= 3) {
            const amplification a = calc(names[m], NAN, NAN, TML_PLACEMENT_NODES, x);
            const amplification b = calc(names[m], NAN, NAN, TML_PLACEMENT_INNER, x);
            assert_true(a.radius < 1 + 1e-9);
            if (m >= 2) CHECK_CLOSE(a.radius, 1, 1e-9);
            if (m >= 2) assert_int_equal(a.size, 2);
            CHECK_CLOSE(a.radius, b.radius, 1e-7);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generalized_alpha_has_the_spectrum_of_its_formulas),
        cmocka_unit_test(damping_at_infinity_is_what_was_asked_for),
        cmocka_unit_test(schemes_are_stable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
