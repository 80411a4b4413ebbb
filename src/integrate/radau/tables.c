// Coefficients of Radau IIA; E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd ed., IV.5
// and IV.8.
//
// The decimals were computed with 50 digits from the exact matrices (docs/theory/radau.md);
// tests/integrate/radau/test_radau.c checks them against the conditions that define them.
#include "integrate/radau/tables.h"

static const tmli_radau_table tables[] = {
    {.stages = 2,
     .c = {1.0 / 3, 1},
     .inverse = {{1.5, 0.5}, {-4.5, 2.5}},
     .eigenvalues = 1,
     .eigen = {{.pair = true,
                .mu = 2 + 1.4142135623730950488 * I,
                .right = {1.0 / 9 - 0.31426968052735445529 * I, 1},
                .left = {1.5909902576697319299 * I, 0.5 - 0.1767766952966368811 * I}}},
     .g0 = 0.40824829046386301637,  // 1/|mu|
     .estimate = {-4.5, 0.5},
     .back_u = {-3, -1},
     .back_d = {-0.5, -0.5},
     .order = 4,
     .estimate_order = 3,
     .loss = 1.0 / 72,
     .convert = 0.721},  // (1/216) / (g0/18)^(4/3)
    {.stages = 3,
     .c = {0.15505102572168219018, 0.64494897427831780982, 1},
     .inverse = {{3.2247448713915890491, 1.1678400846904054949, -0.25319726474218082619},
                 {-3.5678400846904054949, 0.7752551286084109509, 1.0531972647421808262},
                 {5.5319726474218082619, -7.5319726474218082619, 5}},
     .eigenvalues = 2,
     .eigen = {{.pair = false,
                .mu = 3.6378342527444957322,
                .right = {0.094438762488975241487, 0.25021312296533331138, 1},
                .left = {4.1787185915519047273, 0.32768282076106238708, 0.52337644549944954804}},
               {.pair = true,
                .mu = 2.6810828736277521339 + 3.0504301992474105694 * I,
                .right = {-0.14125529502095420843 + 0.030029194105147424492 * I,
                          0.204129352293799932 - 0.3829421127572619378 * I, 1},
                .left = {-2.0893592957759523637 - 0.25143631747289343798 * I,
                         -0.16384141038053119354 + 1.2859634749278027146 * I,
                         0.23831177725027522598 - 0.29801960241411246248 * I}}},
     .g0 = 0.27488882959567736775,  // 1/mu of the real one
     .estimate = {-10.048809399827415562, 1.3821427331607488958, -1.0 / 3},
     .back_u = {-6.4494897427831780982, -1.5505102572168219018, -1},
     .back_d = {-1.0 / 3, -1.0 / 3, -1.0 / 3},
     .order = 6,
     .estimate_order = 4,
     .loss = 1.0 / 1800,
     .convert = 3.58},  // (1/7200) / (g0/240)^(3/2)
};

const tmli_radau_table *tmli_radau_find(int stages) { return stages == 2 ? &tables[0] : &tables[1]; }

// Lagrange weights on the nodes c_i, and on 0 if `zero`; value and derivative at theta.
static void lagrange(const tmli_radau_table *r, bool zero, double theta, double *value, double *slope)
{
    for (int i = 0; i < r->stages; i++) {
        double p = 1, d = 0;  // product, and its derivative
        for (int j = zero ? -1 : 0; j < r->stages; j++) {
            if (j == i) continue;
            const double node = j < 0 ? 0 : r->c[j], k = 1 / (r->c[i] - node);
            d = d * (theta - node) * k + p * k;
            p *= (theta - node) * k;
        }
        if (value) value[i] = p;
        if (slope) slope[i] = d;
    }
}

void tmli_radau_value(const tmli_radau_table *r, double theta, double *weight)
{
    lagrange(r, true, theta, weight, (double *)0);
}

void tmli_radau_slope(const tmli_radau_table *r, double theta, double *weight)
{
    lagrange(r, true, theta, (double *)0, weight);
}

void tmli_radau_inner(const tmli_radau_table *r, double theta, double *weight)
{
    lagrange(r, false, theta, weight, (double *)0);
}
