// One full step of each method of the family against a dense implementation of D. Negrut's thesis
// (University of Iowa, 1998), written here from its equations: a double pendulum of two rods in the plane,
// six coordinates (x, y and angle of each), four constraints, torsion springs with dampers in both pins, the
// second one stiff. Nothing of the library is used but the step under test. Numbers in parentheses are those
// of the thesis.
#include "integrate/core/error_weights.h"
#include "integrate/fixture.h"

enum { N = 6, M = 4, F = 2, ALL = N + M };

static const double L1 = 1, L2 = 1.5, M1 = 3, M2 = 0.3, G = 9.81, K1 = 400, C1 = 15, K2 = 9e3, C2 = 300;
static const double START[F] = {0.3, 0.29}, RATE[F] = {1.5, 1.3};  // [rad], [rad/s]
static const int U[M] = {0, 1, 3, 4}, V[F] = {2, 5};  // dependent and independent coordinates: angles (3.1)

static const char MODEL[] =
    "title: double pendulum\nplanar: true\ngravity: 9.81\n"
    "parameters: {L1: 1, L2: 1.5, t1: 0.3, t2: 0.29, w1: 1.5, w2: 1.3}\n"
    "bodies:\n"
    "  rod1: {mass: 3, inertia: 1, position: [L1*cos(t1), L1*sin(t1)], orientation: t1,\n"
    "    velocity: [-L1*w1*sin(t1), L1*w1*cos(t1)], angular_velocity: w1,\n"
    "    frames: {root: [-L1, 0], tip: [L1, 0]}}\n"
    "  rod2: {mass: 0.3, inertia: 0.225, orientation: t2, angular_velocity: w2, frames: {root: [-L2, 0]},\n"
    "    position: [2*L1*cos(t1) + L2*cos(t2), 2*L1*sin(t1) + L2*sin(t2)],\n"
    "    velocity: [-2*L1*w1*sin(t1) - L2*w2*sin(t2), 2*L1*w1*cos(t1) + L2*w2*cos(t2)]}\n"
    "joints:\n"
    "  pin1: {type: revolute, a: ground, b: rod1.root, angle: t1}\n"
    "  pin2: {type: revolute, a: rod1.tip, b: rod2.root}\n"
    "forces:\n"
    "  spring1: {type: torsion, a: ground, b: rod1.root, stiffness: 400, damping: 15, angle: 0}\n"
    "  spring2: {type: torsion, a: rod1.tip, b: rod2.root, stiffness: 9e3, damping: 300, angle: 0}\n"
    "run: {end: 1}\n";

// ---- dense algebra ----------------------------------------------------------------------------------------

// x := inverse(A) x, A (n x n) by rows.
static void solve(int n, const double *A, double *x)
{
    double copy[ALL * ALL];
    memcpy(copy, A, (size_t)(n * n) * sizeof *copy);
    dense_solve(n, copy, x);
}

// ---- the equations of the pendulum ------------------------------------------------------------------------

static const double MASS[N] = {3, 3, 1, 0.3, 0.3, 0.225};

static void constraint(const double *q, double *phi)
{
    phi[0] = q[0] - L1 * cos(q[2]);
    phi[1] = q[1] - L1 * sin(q[2]);
    phi[2] = q[3] - q[0] - L1 * cos(q[2]) - L2 * cos(q[5]);
    phi[3] = q[4] - q[1] - L1 * sin(q[2]) - L2 * sin(q[5]);
}

static void jacobian(const double *q, double B[M][N])
{
    const double s1 = L1 * sin(q[2]), c1 = L1 * cos(q[2]), s2 = L2 * sin(q[5]), c2 = L2 * cos(q[5]);
    const double rows[M][N] = {{1, 0, s1}, {0, 1, -c1}, {-1, 0, s1, 1, 0, s2}, {0, -1, -c1, 0, 1, -c2}};
    memcpy(B, rows, sizeof rows);
}

// tau of (3.9): B qdd = tau
static void right_side(const double *q, const double *u, double *tau)
{
    const double a = u[2] * u[2], b = u[5] * u[5];
    tau[0] = -L1 * cos(q[2]) * a;
    tau[1] = -L1 * sin(q[2]) * a;
    tau[2] = -L1 * cos(q[2]) * a - L2 * cos(q[5]) * b;
    tau[3] = -L1 * sin(q[2]) * a - L2 * sin(q[5]) * b;
}

static void force(const double *q, const double *u, double *Q)
{
    const double m1 = -K1 * q[2] - C1 * u[2], m2 = -K2 * (q[5] - q[2]) - C2 * (u[5] - u[2]);
    const double f[N] = {0, -M1 * G, m1 - m2, 0, -M2 * G, m2};
    memcpy(Q, f, sizeof f);
}

// Matrix of B's dependent columns, by rows; transposed for the multipliers.
static void dependent(double B[M][N], bool transposed, double *A)
{
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) A[transposed ? j * M + i : i * M + j] = B[i][U[j]];
}

// q and u of the independent coordinates: (3.7) by Newton's method, (3.8).
static void recover(const double *v, const double *vd, double *q, double *u)
{
    double B[M][N], A[M * M], r[M];
    for (int k = 0; k < F; k++) q[V[k]] = v[k], u[V[k]] = vd[k];
    for (int it = 0; it < 20; it++) {
        constraint(q, r);
        jacobian(q, B);
        dependent(B, false, A);
        solve(M, A, r);
        for (int i = 0; i < M; i++) q[U[i]] -= r[i];
    }
    jacobian(q, B);
    dependent(B, false, A);
    for (int i = 0; i < M; i++) r[i] = -B[i][V[0]] * vd[0] - B[i][V[1]] * vd[1];
    solve(M, A, r);
    for (int i = 0; i < M; i++) u[U[i]] = r[i];
}

// f of (3.85): independent accelerations from [M B'; B 0].
static void accelerate(const double *v, const double *vd, double *a)
{
    double q[N] = {L1, 0, 0, 2 * L1 + L2}, u[N], B[M][N], Q[N], tau[M], A[ALL * ALL] = {0}, x[ALL];
    recover(v, vd, q, u);
    jacobian(q, B);
    force(q, u, Q);
    right_side(q, u, tau);
    for (int j = 0; j < N; j++) {
        A[j * ALL + j] = MASS[j];
        x[j] = Q[j];
        for (int i = 0; i < M; i++) A[j * ALL + N + i] = A[(N + i) * ALL + j] = B[i][j];
    }
    memcpy(x + N, tau, sizeof tau);
    solve(ALL, A, x);
    for (int k = 0; k < F; k++) a[k] = x[V[k]];
}

// ---- Newton's method --------------------------------------------------------------------------------------

/** A system psi(x) = 0 of n unknowns for one stage: v = v_known + beta a, v' = vd_known + gamma a. */
typedef struct stage {
    double v[F], vd[F], gamma, beta;  // gamma h and beta h^2 of (3.21), (3.23)
} stage;

static void stage_motion(const stage *s, const double *a, double *v, double *vd)
{
    for (int k = 0; k < F; k++) {
        v[k] = s->v[k] + s->beta * a[k];
        vd[k] = s->vd[k] + s->gamma * a[k];
    }
}

// (3.30), (4.3): residual of the independent equations; dependent accelerations by (3.9), multipliers by
// (3.6).
static void state_space(const stage *s, const double *a, double *psi)
{
    double v[F], vd[F], q[N] = {L1, 0, 0, 2 * L1 + L2}, u[N], B[M][N], Q[N], A[M * M], udot[N], r[M];
    stage_motion(s, a, v, vd);
    recover(v, vd, q, u);
    jacobian(q, B);
    force(q, u, Q);
    right_side(q, u, r);
    for (int i = 0; i < M; i++) r[i] -= B[i][V[0]] * a[0] + B[i][V[1]] * a[1];
    dependent(B, false, A);
    solve(M, A, r);
    for (int i = 0; i < M; i++) udot[U[i]] = r[i];
    for (int k = 0; k < F; k++) udot[V[k]] = a[k];
    for (int i = 0; i < M; i++) r[i] = Q[U[i]] - MASS[U[i]] * udot[U[i]];
    dependent(B, true, A);
    solve(M, A, r);
    for (int k = 0; k < F; k++) {
        psi[k] = MASS[V[k]] * udot[V[k]] - Q[V[k]];
        for (int i = 0; i < M; i++) psi[k] += B[i][V[k]] * r[i];
    }
}

// (3.76): x = (qdd, lambda)
static void descriptor(const stage *s, const double *x, double *psi)
{
    const double a[F] = {x[V[0]], x[V[1]]};
    double v[F], vd[F], q[N] = {L1, 0, 0, 2 * L1 + L2}, u[N], B[M][N], Q[N], tau[M];
    stage_motion(s, a, v, vd);
    recover(v, vd, q, u);
    jacobian(q, B);
    force(q, u, Q);
    right_side(q, u, tau);
    for (int j = 0; j < N; j++) {
        psi[j] = MASS[j] * x[j] - Q[j];
        for (int i = 0; i < M; i++) psi[j] += B[i][j] * x[N + i];
    }
    for (int i = 0; i < M; i++) {
        psi[N + i] = -tau[i];
        for (int j = 0; j < N; j++) psi[N + i] += B[i][j] * x[j];
    }
}

// (3.25): x = a, accelerations by the index-1 equations.
static void first_order(const stage *s, const double *a, double *psi)
{
    double v[F], vd[F], f[F];
    stage_motion(s, a, v, vd);
    accelerate(v, vd, f);
    for (int k = 0; k < F; k++) psi[k] = a[k] - f[k];
}

typedef void (*equations)(const stage *s, const double *x, double *psi);

// Newton's method with a matrix of differences, until the corrections are round-off.
static void newton(equations psi, int n, const stage *s, double *x)
{
    double J[ALL * ALL], up[ALL], down[ALL], y[ALL], r[ALL];
    for (int it = 0; it < 30; it++) {
        for (int c = 0; c < n; c++) {
            const double d = 1e-6 * (1 + fabs(x[c]));
            memcpy(y, x, (size_t)n * sizeof *y);
            y[c] = x[c] + d;
            psi(s, y, up);
            y[c] = x[c] - d;
            psi(s, y, down);
            for (int i = 0; i < n; i++) J[i * n + c] = (up[i] - down[i]) / (2 * d);
        }
        psi(s, x, r);
        solve(n, J, r);
        for (int i = 0; i < n; i++) x[i] -= r[i];
    }
}

// Accelerations of a stage in the form of the method.
static void solve_stage(equations psi, const stage *s, const double *guess, double *a)
{
    double x[ALL] = {0};
    const bool all = psi == descriptor;
    for (int k = 0; k < F; k++) x[all ? V[k] : k] = guess[k];
    newton(psi, all ? ALL : F, s, x);
    for (int k = 0; k < F; k++) a[k] = x[all ? V[k] : k];
}

// ---- the methods ------------------------------------------------------------------------------------------

// (4.1), (4.2)
// e: distance of backward Euler with the same end (4.1.2).
static void trapezoidal(equations psi, double h, const double *v0, const double *vd0, double *v, double *vd,
                        double *e)
{
    double a0[F], a1[F];
    accelerate(v0, vd0, a0);
    stage s = {.gamma = h / 2, .beta = h * h / 4};
    for (int k = 0; k < F; k++) {
        s.v[k] = v0[k] + h * vd0[k] + h * h / 4 * a0[k];
        s.vd[k] = vd0[k] + h / 2 * a0[k];
    }
    solve_stage(psi, &s, a0, a1);
    stage_motion(&s, a1, v, vd);
    for (int k = 0; k < F; k++) {
        e[k] = v[k] - (v0[k] + h * vd[k]);
        e[F + k] = vd[k] - (vd0[k] + h * a1[k]);
    }
}

// Table 13, and section 4.5.1 with b as the last row
static const double SDIRK16[5][5] = {{1.0 / 4},
                                     {1.0 / 2, 1.0 / 4},
                                     {17.0 / 50, -1.0 / 25, 1.0 / 4},
                                     {371.0 / 1360, -137.0 / 2720, 15.0 / 544, 1.0 / 4},
                                     {25.0 / 24, -49.0 / 48, 125.0 / 16, -85.0 / 12, 1.0 / 4}};
static const double SDIRK15[5][5] = {
    {4.0 / 15},
    {1.0 / 2, 4.0 / 15},
    {51069.0 / 144200, -7809.0 / 144200, 4.0 / 15},
    {12047244770625658.0 / 141474406359725325.0, -3057890203562191.0 / 47158135453241775.0,
     2239631894905804.0 / 28294881271945065.0, 4.0 / 15},
    {181513.0 / 86430, -89074.0 / 116015, 83636.0 / 34851, -69863904375173.0 / 23297141763930.0, 4.0 / 15}};

// Weights of the embedded formulas: Table 13 and (4.83)
static const double HAT16[5] = {59.0 / 48, -17.0 / 96, 225.0 / 32, -85.0 / 12},
                    HAT15[5] = {33665407.0 / 11668050, -2284766.0 / 15662025, 11244716.0 / 4704885,
                                -96203066666797.0 / 23297141763930.0};

// (3.68) - (3.71) with (3.62): stage values v'' from stage to stage, then (3.49); e: distance of (4.5).
static void sdirk(equations psi, const double A[5][5], const double hat[5], double h, const double *v0,
                  const double *vd0, double *v, double *vd, double *e)
{
    double k[5][F], rate[5][F], guess[F];
    accelerate(v0, vd0, guess);
    for (int i = 0; i < 5; i++) {
        stage s = {.gamma = A[i][i] * h, .beta = A[i][i] * A[i][i] * h * h};
        for (int c = 0; c < F; c++) {
            double row = A[i][i];
            s.v[c] = v0[c];
            s.vd[c] = vd0[c];
            for (int j = 0; j < i; j++) {
                double mu = 0;  // (3.62)
                for (int l = j; l <= i; l++) mu += A[i][l] * A[l][j];
                row += A[i][j];
                s.v[c] += h * h * mu * k[j][c];
                s.vd[c] += h * A[i][j] * k[j][c];
            }
            s.v[c] += h * row * vd0[c];
        }
        solve_stage(psi, &s, i > 0 ? k[i - 1] : guess, k[i]);
        for (int c = 0; c < F; c++) rate[i][c] = s.vd[c] + s.gamma * k[i][c];
    }
    for (int c = 0; c < F; c++) {
        v[c] = v0[c] + h * vd0[c];
        vd[c] = vd0[c];
        for (int i = 0; i < 5; i++) {
            double p = 0;  // phi_i of 3.3.2
            for (int j = i; j < 5; j++) p += A[4][j] * A[j][i];
            v[c] += h * h * p * k[i][c];
            vd[c] += h * A[4][i] * k[i][c];
        }
        e[c] = e[F + c] = 0;
        for (int i = 0; i < 5; i++) {
            e[c] += h * (A[4][i] - hat[i]) * rate[i][c];
            e[F + c] += h * (A[4][i] - hat[i]) * k[i][c];
        }
    }
}

// (4.17) with (4.70) on w' = g(w), w = (v, v'), the diagonal e as the root of 1/24 - 2/3 e + 3 e^2 - 4 e^3 +
// e^4 to all digits and the coefficients that follow from it by (4.55) - (4.68); the transformed (4.49) -
// (4.54) are not used.
static void rosenbrock(double h, const double *v0, const double *vd0, double *v, double *vd, double *estimate)
{
    static const double e = 0.57281606248213485541,
                        E[4][4] = {{0},
                                   {-2.341993140193055730036843},
                                   {-0.02733376295952041617303721, 0.2138116454795061115780729},
                                   {-0.2590838420596372039851963, -0.1905958069857625228583001,
                                    -0.2280310396446018914802191}},
                        A[4][4] = {{0},
                                   {1.145632124964269710816003},
                                   {0.5209207899536038755064629, 0.1342941872088631605657549},
                                   {0.5209207899536038755064629, 0.1342941872088631605657549}},
                        b[4] = {0.3245347085467616968589287, 0.04908654336835674160932332, 0,
                                0.6263787480848815615317479},
                        hat[4] = {0.5209207899536038755064629, 0.1445497126133814867225760,  // (4.71)
                                  0.1245596865184505429154190, 0.2099698109145640948555421};
    enum { W = 2 * F };
    double J[W * W] = {0}, k[4][W], S[W * W];
    for (int c = 0; c < W; c++) {  // fourth-order differences of g
        double d[W] = {0};
        for (int side = 0; side < 4; side++) {
            static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1};
            const double step = 1e-3;
            double x[F], xd[F], a[F];
            for (int i = 0; i < F; i++) {
                x[i] = v0[i] + (c == i ? at[side] * step : 0);
                xd[i] = vd0[i] + (c == F + i ? at[side] * step : 0);
            }
            accelerate(x, xd, a);
            for (int i = 0; i < F; i++) {
                d[i] += weight[side] / (12 * step) * xd[i];
                d[F + i] += weight[side] / (12 * step) * a[i];
            }
        }
        for (int i = 0; i < W; i++) J[i * W + c] = d[i];
    }
    for (int i = 0; i < W; i++)
        for (int j = 0; j < W; j++) S[i * W + j] = (i == j) - h * e * J[i * W + j];
    for (int i = 0; i < 4; i++) {
        double x[F], xd[F], a[F], sum[W] = {0};
        for (int c = 0; c < F; c++) {
            x[c] = v0[c];
            xd[c] = vd0[c];
            for (int j = 0; j < i; j++) {
                x[c] += A[i][j] * k[j][c];
                xd[c] += A[i][j] * k[j][F + c];
            }
        }
        accelerate(x, xd, a);
        for (int c = 0; c < W; c++)
            for (int j = 0; j < i; j++) sum[c] += E[i][j] * k[j][c];
        for (int c = 0; c < W; c++) {
            k[i][c] = h * (c < F ? xd[c] : a[c - F]);
            for (int l = 0; l < W; l++) k[i][c] += h * J[c * W + l] * sum[l];
        }
        solve(W, S, k[i]);
    }
    for (int c = 0; c < F; c++) {
        v[c] = v0[c];
        vd[c] = vd0[c];
        for (int i = 0; i < 4; i++) {
            v[c] += b[i] * k[i][c];
            vd[c] += b[i] * k[i][F + c];
        }
    }
    for (int c = 0; c < W; c++) {
        estimate[c] = 0;
        for (int i = 0; i < 4; i++) estimate[c] += (b[i] - hat[i]) * k[i][c];
    }
}

// The step of the thesis' method that `method` implements: v, v' at its end, and e.
static void make_step(const char *method, double h, double *v, double *vd, double *e)
{
    if (!strcmp(method, "ssp-trap")) trapezoidal(state_space, h, START, RATE, v, vd, e);
    else if (!strcmp(method, "ssp-sdirk")) sdirk(state_space, SDIRK16, HAT16, h, START, RATE, v, vd, e);
    else if (!strcmp(method, "infl-trap")) trapezoidal(descriptor, h, START, RATE, v, vd, e);
    else if (!strcmp(method, "infl-sdirk")) sdirk(descriptor, SDIRK16, HAT16, h, START, RATE, v, vd, e);
    else if (!strcmp(method, "for-sdirk")) sdirk(first_order, SDIRK15, HAT15, h, START, RATE, v, vd, e);
    else rosenbrock(h, START, RATE, v, vd, e);
}

// ---- comparison -------------------------------------------------------------------------------------------

// Largest difference of a state from (v, v') recovered, in all six coordinates and velocities.
static double distance(const tml_state *x, const double *v, const double *vd)
{
    double q[N] = {L1, 0, 0, 2 * L1 + L2}, u[N], most = 0;
    recover(v, vd, q, u);
    for (int b = 0; b < 2; b++) {
        const double *at = x->q + (size_t)7 * (size_t)b;  // a body has x, y, z and a quaternion
        const double is[3] = {at[0], at[1], 2 * atan2(at[6], at[3])};
        for (int j = 0; j < 3; j++) most = fmax(most, fabs(is[j] - q[3 * b + j]));
    }
    for (int j = 0; j < N; j++) most = fmax(most, fabs(x->u[j] - u[j]));
    return most;
}

static void one_step(void **state)
{
    (void)state;
    static const struct {
        const char *method, *what;
        tml_jacobian jacobian;
    } cases[] = {
        {"ssp-trap", "SspTrap", TML_JACOBIAN_EXACT},     {"ssp-sdirk", "SspSDIRK", TML_JACOBIAN_EXACT},
        {"infl-trap", "InflTrap", TML_JACOBIAN_EXACT},   {"infl-trap", "InflTrap, full", TML_JACOBIAN_FULL},
        {"infl-sdirk", "InflSDIRK", TML_JACOBIAN_EXACT}, {"infl-sdirk", "InflSDIRK, full", TML_JACOBIAN_FULL},
        {"for-sdirk", "ForSDIRK", TML_JACOBIAN_EXACT},   {"for-rosen", "ForRosen", TML_JACOBIAN_EXACT}};
    const double h = 0.01;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        plan p = plan_default();
        p.method = cases[c].method;
        p.jacobian = cases[c].jacobian;
        p.h = h;
        ride r;
        ride_model(&r, model_parse(MODEL, NULL, 0), &p);
        CHECK_SMALL(distance(r.x0, START, RATE), 1e-14);
        ride_steps(&r, 1);
        double v[F], vd[F], e[2 * F];
        make_step(p.method, h, v, vd, e);
        const double off = distance(ride_state(&r), v, vd);
        printf("%-16s differs by %.1e after a step of %g s, motion %.2g\n", cases[c].what, off, h,
               fabs(vd[1] - RATE[1]));
        CHECK_SMALL(off, 1e-12);
        ride_end(&r);
    }
}

// Option estimate: embedded. The error of a trial step is (4.7) with the scales (4.6) of the library's
// weights.
static void one_estimate(void **state)
{
    (void)state;
    static const char *const METHODS[] = {"ssp-trap",   "ssp-sdirk", "infl-trap",
                                          "infl-sdirk", "for-sdirk", "for-rosen"};
    const double h = 0.01;
    for (size_t c = 0; c < sizeof METHODS / sizeof *METHODS; c++) {
        plan p = plan_default();
        p.method = METHODS[c];
        p.estimate = TML_ESTIMATE_EMBEDDED;
        p.tol = 1e-10;  // Newton's method leaves little
        ride r;
        ride_model(&r, model_parse(MODEL, NULL, 0), &p);
        double v[F], vd[F], e[2 * F], error, sum = 0;
        OK(r.driver.method->step(r.driver.self, h, &error, err));
        make_step(p.method, h, v, vd, e);
        tml_integrator_options opt = tml_integrator_options_default();
        opt.run.rtol = opt.run.atol = p.tol;
        opt.duration = p.duration;
        tmli_weights w;
        OK(tmli_weights_create(r.sys, &opt, &w, err));
        tmli_weights_start(&w, r.x0);
        for (int k = 0; k < F; k++) {
            const double scale[2] = {p.tol, tmli_weights_velocity(&w, V[k])};  // angles: atol
            sum += pow(e[k] / scale[0], 2) + pow(e[F + k] / scale[1], 2);
        }
        tmli_weights_clear(&w);
        const double want = sqrt(sum / (2 * F));  // (4.7)
        printf("%-12s error %.9g, thesis %.9g\n", p.method, error, want);
        CHECK_CLOSE(error, want, 1e-6 * want);
        ride_end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_step), cmocka_unit_test(one_estimate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
