// A constraint that loses rank during the motion: the slider-crank with equal arms of L. R. Petzold, Y. Ren,
// T. Maly, SIAM J. Sci. Comput. 18 (1997) 753-774, with all equations given by callbacks.
//
//   M(theta) theta'' = f(theta, theta') - G' lambda
//   0 = g = -cos theta1 - cos theta2,   G = (sin theta1, sin theta2)
//
// Released at theta = (pi/4, 3 pi/4), the mechanism reaches (0, pi) after 1.03 s. There G vanishes, and the
// motion could continue on two branches. The trust-region regularization stays on the branch theta2 = pi -
// theta1, on which the energy E = (3 + 2 cos 2 theta1) theta1'^2 / 2 - 9.8 cos theta1 is constant. Expected
// after 5 s and two such passages: theta1 = 0.166790060261. Exit status 0 if this holds to 1e-3.
#include <math.h>
#include <stdio.h>
#include <trammel/hessenberg.h>

static tml_status mass(double t, const double *X, double *M, void *user)
{
    (void)t, (void)user;
    M[0] = 2;
    M[1] = M[2] = cos(X[1] - X[0]);
    M[3] = 1;
    return TML_OK;
}

static tml_status force(double t, const double *X, double *f, void *user)
{
    (void)t, (void)user;
    const double s = sin(X[1] - X[0]);  // X = theta1, theta2, theta1', theta2'
    f[0] = s * X[3] * X[3] - 19.6 * sin(X[0]);
    f[1] = -s * X[2] * X[2] - 9.8 * sin(X[1]);
    return TML_OK;
}

static tml_status input(double t, const double *X, double *B, void *user)
{
    (void)t, (void)user;
    B[0] = sin(X[0]);
    B[1] = sin(X[1]);
    return TML_OK;
}

static tml_status constraint(double t, const double *X, double *g, void *user)
{
    (void)t, (void)user;
    g[0] = -cos(X[0]) - cos(X[1]);
    return TML_OK;
}

int main(void)
{
    const double pi = 3.14159265358979, start[4] = {pi / 4, 3 * pi / 4, 0, 0};
    tml_error err;
    tml_hessenberg *h = NULL;
    if (!tml_hessenberg_available()) {
        puts("This build has no SUNDIALS, which this example needs.");
        return 0;
    }

    tml_hessenberg_def def = tml_hessenberg_def_default();  // trust region, gamma 1e3, epsilon 1e-6
    def.order = 2;
    def.nx = 2;
    def.ny = 1;
    def.mass = mass;
    def.force = force;
    def.input = input;
    def.constraint = constraint;
    def.rtol = def.atol = 1e-6;
    def.judged = 2;  // error test of positions and velocities
    def.x0 = start;

    tml_status st = tml_hessenberg_create(&def, NULL, &h, &err);
    for (double t = 0.5; t < 5.1 && st == TML_OK; t += 0.5) {
        st = tml_hessenberg_run(h, t, &err);
        const double *X = tml_hessenberg_x(h),
                     E = (3 + 2 * cos(2 * X[0])) * X[2] * X[2] / 2 - 9.8 * cos(X[0]);
        printf("t = %.1f s: theta = (%+.5f, %.5f), off the branch by %+.1e, energy %.5f J, lambda %.4f\n", t,
               X[0], X[1], X[0] + X[1] - pi, E, tml_hessenberg_y(h)[0]);
    }
    const int good = st == TML_OK && fabs(tml_hessenberg_x(h)[0] - 0.166790060261) < 1e-3;
    if (st != TML_OK) fprintf(stderr, "t = %g s: %s\n", err.t, err.msg);
    else if (!good) fprintf(stderr, "the crank is not where it should be\n");
    tml_hessenberg_destroy(h);
    return good ? 0 : 1;
}
