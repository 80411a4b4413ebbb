// The coefficients of the explicit Runge-Kutta methods: conditions of order for all rooted trees, of the
// methods, their error estimates and their dense outputs. A tree is a list of parents, every node after its
// own; most trees come up several times. Sums have terms much larger than themselves: they are held to some
// units in the last place of the terms.
#include "integrate/explicit/erk_tables.h"
#include "support/support.h"

#include <float.h>

enum { NODES = 8, METHODS = 3 };

static const tmli_erk_table *const TABLES[METHODS] = {&tmli_erk3, &tmli_erk5, &tmli_erk8};

// sum_i weight_i Phi_i of a tree and the sum of the moduli; *gamma: its density.
static double elementary(const tmli_erk_table *t, const double *weight, int nodes, const int *parent,
                         double *moduli, double *gamma)
{
    double phi[NODES][TMLI_ERK_STAGES], modulus[NODES][TMLI_ERK_STAGES];
    int size[NODES];
    const int all = t->stages + t->more;
    for (int i = 0; i < nodes; i++) {
        size[i] = 1;
        for (int s = 0; s < all; s++) phi[i][s] = modulus[i][s] = 1;
    }
    *gamma = 1;
    for (int i = nodes - 1; i > 0; i--) {
        for (int s = 0; s < all; s++) {
            double sum = 0, absolute = 0;
            for (int j = 0; j < s; j++) {
                sum += t->a[s][j] * phi[i][j];
                absolute += fabs(t->a[s][j]) * modulus[i][j];
            }
            phi[parent[i]][s] *= sum;
            modulus[parent[i]][s] *= absolute;
        }
        size[parent[i]] += size[i];
        *gamma *= size[i];
    }
    *gamma *= nodes;
    double sum = 0;
    *moduli = 0;
    for (int s = 0; s < all; s++) {
        sum += weight[s] * phi[0][s];
        *moduli += fabs(weight[s]) * modulus[0][s];
    }
    return sum;
}

// All trees with this many nodes: sum of the weights = factor/gamma. Returns the largest miss over what
// round-off may do.
static double worst_tree(const tmli_erk_table *t, const double *weight, int nodes, double factor)
{
    int parent[NODES] = {0};
    double worst = 0;
    for (;;) {
        double moduli, gamma;
        const double sum = elementary(t, weight, nodes, parent, &moduli, &gamma);
        worst = fmax(worst, fabs(sum - factor / gamma) / (moduli + 1));
        int i = nodes - 1;
        while (i > 0 && ++parent[i] == i) parent[i--] = 0;
        if (i <= 0) return worst;
    }
}

static void nodes_are_sums(void **state)
{
    (void)state;
    for (int k = 0; k < METHODS; k++)
        for (int i = 0; i < TABLES[k]->stages + TABLES[k]->more; i++) {
            double sum = 0, moduli = 1;
            for (int j = 0; j < i; j++) sum += TABLES[k]->a[i][j];
            for (int j = 0; j < i; j++) moduli += fabs(TABLES[k]->a[i][j]);
            CHECK_CLOSE(sum, TABLES[k]->c[i], DBL_EPSILON * moduli);
        }
}

static void orders(void **state)
{
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        const tmli_erk_table *t = TABLES[k];
        for (int nodes = 1; nodes <= t->order; nodes++)
            CHECK_SMALL(worst_tree(t, t->a[t->stages - 1], nodes, 1), 2 * DBL_EPSILON);
        assert_true(t->order == NODES || worst_tree(t, t->a[t->stages - 1], t->order + 1, 1) > 1e-5);
    }
}

// Orders 3 and 5: the estimate is of the power h^3 or h^5; order 8: h^6 and h^4.
static void estimates(void **state)
{
    (void)state;
    const int power[METHODS][2] = {{3, 0}, {5, 0}, {6, 4}};
    for (int k = 0; k < METHODS; k++)
        for (int e = 0; e < TABLES[k]->estimates; e++) {
            for (int nodes = 1; nodes < power[k][e]; nodes++)
                CHECK_SMALL(worst_tree(TABLES[k], TABLES[k]->e[e], nodes, 0), 2 * DBL_EPSILON);
            assert_true(worst_tree(TABLES[k], TABLES[k]->e[e], power[k][e], 0) > 1e-6);
        }
}

// The constants by which estimates are converted to errors: those of y' = i w y.
static double chain(const tmli_erk_table *t, const double *weight, int nodes)
{
    int parent[NODES + 1] = {0};
    double row[TMLI_ERK_STAGES], moduli, gamma;
    for (int i = 1; i < NODES; i++) parent[i] = i - 1;
    if (nodes <= NODES) return elementary(t, weight, nodes, parent, &moduli, &gamma);
    tmli_erk_integrate_weights(t, weight, row);
    return chain(t, row, nodes - 1);
}

static void constants(void **state)
{
    (void)state;
    const tmli_erk_table *a = &tmli_erk5, *b = &tmli_erk8, *c = &tmli_erk3;
    CHECK_CLOSE(c->estimate, fabs(chain(c, c->e[0], 3)), 1e-15);
    CHECK_CLOSE(c->error, fabs(chain(c, c->a[3], 4) - 1.0 / 24), 1e-15);
    CHECK_CLOSE(a->estimate, fabs(chain(a, a->e[0], 5)), 1e-12);
    CHECK_CLOSE(a->error, fabs(chain(a, a->a[6], 6) - 1.0 / 720), 1e-12);
    const double e5 = chain(b, b->e[0], 6), e3 = fabs(chain(b, b->e[1], 4));
    CHECK_CLOSE(b->estimate, e5 * e5 / (0.1 * e3), 1e-16);  // of 4e-7
    CHECK_CLOSE(b->second, e3, 1e-14);
    CHECK_CLOSE(b->error, fabs(chain(b, b->a[12], 9) - 1.0 / 362880), 1e-16);  // of 6e-8
}

static void dense_outputs(void **state)
{
    (void)state;
    for (int k = 0; k < METHODS; k++) {
        const tmli_erk_table *t = TABLES[k];
        double b[TMLI_ERK_STAGES];
        for (double theta = 0.13; theta < 1; theta += 0.29) {
            tmli_erk_dense(t, theta, b);
            for (int nodes = 1; nodes <= t->dense_order; nodes++)
                CHECK_SMALL(worst_tree(t, b, nodes, pow(theta, nodes)), 4 * DBL_EPSILON);
            assert_true(worst_tree(t, b, t->dense_order + 1, pow(theta, t->dense_order + 1)) > 1e-9);
            tmli_erk_cubic(t, theta, b);
            for (int nodes = 1; nodes <= 3; nodes++)
                CHECK_SMALL(worst_tree(t, b, nodes, pow(theta, nodes)), 4 * DBL_EPSILON);
        }
        tmli_erk_dense(t, 1, b);
        for (int i = 0; i < t->stages + t->more; i++)
            CHECK_CLOSE(b[i], i < t->stages - 1 ? t->a[t->stages - 1][i] : 0, 1e-15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nodes_are_sums), cmocka_unit_test(orders),
                                       cmocka_unit_test(estimates), cmocka_unit_test(constants),
                                       cmocka_unit_test(dense_outputs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
