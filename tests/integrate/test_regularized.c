// The methods baumgarte, trust-region and direct-reg: derivatives of the regularized equations, accuracy, drift, redundant
// constraints, and what they refuse.
#include "fixture.h"

#include "integrate/regularized.h"

static const tml_regularization KIND[3] = {TML_REGULARIZATION_BAUMGARTE, TML_REGULARIZATION_TRUST_REGION,
                                           TML_REGULARIZATION_DIRECT};
static const char *const METHOD[3] = {"baumgarte", "trust-region", "direct-reg"};

// ---- derivatives -----------------------------------------------------------------------------------------------------------

// Newton's equations undo the differences of the residual: |inv(A) (F(y + d x) - F(y - d x)) / 2 d - x| over |x|.
static double matrix_error(tmli_regular_eq *e, double t, double cj, double *y, double *yp, rng *r)
{
    const int size = e->size;
    const double d = 1e-6;
    double *x = calloc(3 * (size_t)size, sizeof *x), *plus = x + size, *minus = plus + size, worst = 0,
           largest = 0;
    OK(tmli_regular_factor(e, t, cj, y, yp, err));
    for (int trial = 0; trial < 20; trial++) {
        for (int i = 0; i < size; i++) x[i] = rng_range(r, -1, 1);
        for (int side = 1; side >= -1; side -= 2) {
            const double s = side > 0 ? d : -2 * d;
            for (int i = 0; i < size; i++) {
                y[i] += s * x[i];
                yp[i] += cj * s * x[i];
            }
            OK(tmli_regular_residual(e, t, y, yp, side > 0 ? plus : minus, err));
        }
        for (int i = 0; i < size; i++) {
            y[i] += d * x[i];
            yp[i] += cj * d * x[i];
            plus[i] = (plus[i] - minus[i]) / (2 * d);
        }
        tmli_regular_solve(e, plus);
        for (int i = 0; i < size; i++) {
            worst = fmax(worst, fabs(plus[i] - x[i]));
            largest = fmax(largest, fabs(x[i]));
        }
    }
    free(x);
    return worst / largest;
}

// Anywhere near the start; z and r are 0, as the matrix leaves out what is multiplied by them.
static void matrix_of(const char *name)
{
    rng r = rng_seed(7);
    for (int k = 0; k < 3; k++) {
        tml_model *model = model_read(name, NULL, 0);
        const tml_system *sys = tml_model_system(model);
        tmli_regular_eq e;
        OK(tmli_regular_init(sys, KIND[k], &tml_linsolver_klu, &e, err));
        tml_state *x = NULL;
        OK(tml_state_create(sys, &x, err));
        tml_model_start(model, 0, x);
        double *y = calloc(2 * (size_t)e.size, sizeof *y), *yp = y + e.size;
        OK(tmli_regular_centre(&e, x, y, yp, err));
        e.gamma = 7.3;
        e.epsilon = 0.021;
        for (int i = 0; i < 2 * e.n + e.m; i++) {
            y[i] += rng_range(&r, -0.3, 0.3);
            yp[i] += rng_range(&r, -1, 1);
        }
        const double worst = matrix_error(&e, 0.2, 31.7, y, yp, &r);
        printf("%-16s %-13s %.1e\n", name, METHOD[k], worst);
        CHECK_SMALL(worst, 1e-3);  // differences are good to 1e-9, and the condition number is some 1e4; a wrong entry: 0.1
        free(y);
        tml_state_destroy(x, sys);
        tmli_regular_clear(&e);
        tml_model_destroy(model);
    }
}

static void matrix_is_the_derivative(void **state)
{
    (void)state;
    static const char *const name[] = {"four_bar", "slider_crank", "governor", "heavy_top", "suspension"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) matrix_of(name[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(matrix_is_the_derivative)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
