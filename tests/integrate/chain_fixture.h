// A chain of pendulums in its angles: callbacks without constraints, for methods on the degrees of freedom.
// Massless rods of length 1 m with a mass of 1 kg at the end of each; q_i: angle of rod i from the vertical
// [rad].
//   M_ij = (N - max(i, j)) cos(q_i - q_j)
//   f_i = -(N - i) g sin q_i - sum_j (N - max(i, j)) sin(q_i - q_j) u_j^2
#ifndef TEST_INTEGRATE_CHAIN_FIXTURE_H
#define TEST_INTEGRATE_CHAIN_FIXTURE_H

#include "integrate/fixture.h"

enum { CHAIN_RODS = 3 };

static inline double chain_mass_below(int i, int j) { return CHAIN_RODS - (i > j ? i : j); }

static inline tml_status chain_mass(double t, const double *q, double *M, void *user)
{
    (void)t, (void)user;
    for (int i = 0; i < CHAIN_RODS; i++)
        for (int j = 0; j < CHAIN_RODS; j++)
            M[i * CHAIN_RODS + j] = chain_mass_below(i, j) * cos(q[i] - q[j]);
    return TML_OK;
}

static inline tml_status chain_force(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t, (void)user;
    for (int i = 0; i < CHAIN_RODS; i++) {
        f[i] = -chain_mass_below(i, 0) * 9.81 * sin(q[i]);
        for (int j = 0; j < CHAIN_RODS; j++) f[i] -= chain_mass_below(i, j) * sin(q[i] - q[j]) * u[j] * u[j];
    }
    return TML_OK;
}

/** Start the chain from bent rods, in motion. */
static inline void chain_start(ride *r, const plan *p)
{
    tml_user_system_def def = tml_user_system_def_default();
    def.n = CHAIN_RODS;
    def.mass = chain_mass;
    def.force = chain_force;
    tml_system *sys = NULL;
    OK(tml_system_create_user(&def, NULL, &sys, err));
    ride_user(r, sys, (double[CHAIN_RODS]){0.71, 0.43, -0.52}, (double[CHAIN_RODS]){0.31, -0.22, 0.47}, p);
}

#endif
