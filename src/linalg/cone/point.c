// A single point of contact; see cone.h.
//
// With S = W_TT - W_TN W_NT/W_NN and d = q_T - W_TN q_N/W_NN the impulses for which u_N = 0 and the point
// slips against r_T, u_T = -s r_T, are
//   r_T(s) = -(S + s)^-1 d,   r_N(s) = -(q_N + W_NT r_T)/W_NN,   s >= 0                                  (1)
// s = 0 sticks. Where that is beyond the cone, |r_T| - mu r_N has a zero, because it is positive at s = 0 and
// mu q_N/W_NN < 0 for s to infinity. In the axes of S it is found by Newton's method within a bracket.
#include "linalg/cone/internal.h"

#include <math.h>

#include "linalg/cone/constants.h"

// Velocities and impulses of contacts do not overflow: hypot would cost most of a solution.
static double size_of(double x, double y) { return sqrt(x * x + y * y); }

// The problem in the principal axes of S.
typedef struct slipping {
    double l[2];        // eigenvalues of S
    double d[2], c[2];  // d and W_NT along the axes
    double axis[2];     // the first axis
    double WNN, qN, mu;
} slipping;

static slipping slipping_of(const double W[6], double mu, const double q[3])
{
    slipping p = {.WNN = W[0], .qN = q[0], .mu = mu};
    const double a = W[3] - W[1] * W[1] / W[0], b = W[4] - W[1] * W[2] / W[0], c = W[5] - W[2] * W[2] / W[0];
    const double d[2] = {q[1] - W[1] * q[0] / W[0], q[2] - W[2] * q[0] / W[0]};
    const double half = (a - c) / 2, root = size_of(half, b), mean = (a + c) / 2;
    p.l[0] = fmax(mean + root, 0);
    p.l[1] = fmax(mean - root, 0);
    double x = b, y = root - half;  // (a - l0) x + b y = 0
    if (half > 0) {
        x = root + half;
        y = b;
    }
    const double size = size_of(x, y);
    p.axis[0] = size > 0 ? x / size : 1;
    p.axis[1] = size > 0 ? y / size : 0;
    p.d[0] = p.axis[0] * d[0] + p.axis[1] * d[1];
    p.d[1] = p.axis[0] * d[1] - p.axis[1] * d[0];
    p.c[0] = p.axis[0] * W[1] + p.axis[1] * W[2];
    p.c[1] = p.axis[0] * W[2] - p.axis[1] * W[1];
    return p;
}

// (1); returns |r_T| - mu r_N and its derivative by s.
static double at_slip(const slipping *p, double s, double t[2], double *rN, double *slope)
{
    double by_T = 0, by_N = 0, load = p->qN;
    for (int k = 0; k < 2; k++) {
        const double l = p->l[k] + s;
        t[k] = l > 0 ? -p->d[k] / l : 0;
        load += p->c[k] * t[k];
        if (l > 0) {
            by_T -= t[k] * t[k] / l;
            by_N += p->c[k] * t[k] / l / p->WNN;
        }
    }
    *rN = -load / p->WNN;
    const double size = size_of(t[0], t[1]);
    *slope = (size > 0 ? by_T / size : 0) - p->mu * by_N;
    return size - p->mu * *rN;
}

static void slip(const slipping *p, double t[2], double *rN)
{
    // from s = 0 on, where the function is mostly convex: Newton's method then stays below the zero
    double low = 0, high = INFINITY, slope, s = 0;
    for (int i = 0; i < SLIP_ITERATIONS; i++) {
        const double value = at_slip(p, s, t, rN, &slope);
        if (value > 0) low = s;
        else high = s;
        const double next = s - value / slope;
        const double other = isfinite(high) ? (low + high) / 2 : 4 * (low + p->l[0] + p->WNN);
        const double to = next > low && next < high ? next : other;
        if (fabs(to - s) <= SLIP_ACCURACY * to) break;
        s = to;
    }
    const double size = size_of(t[0], t[1]), most = p->mu * fmax(*rN, 0);
    for (int k = 0; k < 2 && size > most; k++) t[k] *= most / size;  // within the cone to the last digit
}

bool tmli_cone_is_round(const double W[6])
{
    const double most = ROUND_COUPLING * W[0];
    return fabs(W[1]) < most && fabs(W[2]) < most && fabs(W[4]) < most && fabs(W[3] - W[5]) < most;
}

void tmli_cone_local(const double W[6], double mu, const double q[3], double r[3])
{
    r[0] = r[1] = r[2] = 0;
    if (!(q[0] < 0) || !(W[0] > 0)) return;
    r[0] = -q[0] / W[0];
    if (mu == 0) return;
    if (tmli_cone_is_round(W)) {
        const double stick = size_of(q[1], q[2]) / W[3], most = mu * r[0],
                     part = stick > most ? most / stick : 1;
        r[1] = -part * q[1] / W[3];
        r[2] = -part * q[2] / W[3];
        return;
    }
    const slipping p = slipping_of(W, mu, q);
    double t[2], slope;
    if (at_slip(&p, 0, t, &r[0], &slope) > 0) slip(&p, t, &r[0]);
    r[1] = p.axis[0] * t[0] - p.axis[1] * t[1];
    r[2] = p.axis[1] * t[0] + p.axis[0] * t[1];
}

double tmli_cone_residual(const tmli_cone_point *p, const double u[3])
{
    const double trace = p->W[0] + p->W[3] + p->W[5], s = 3 / trace;
    const double z[3] = {p->r[0] - s * (u[0] - p->b + p->mu * size_of(u[1], u[2])), p->r[1] - s * u[1],
                         p->r[2] - s * u[2]};
    const double size = size_of(z[1], z[2]);
    double f[3] = {p->r[0], p->r[1], p->r[2]};  // less the projection of z
    if (p->mu == 0) return fabs(f[0] - fmax(z[0], 0)) / s;
    if (size <= p->mu * z[0]) {
        for (int k = 0; k < 3; k++) f[k] -= z[k];
    } else if (p->mu * size > -z[0]) {
        const double load = (z[0] + p->mu * size) / (1 + p->mu * p->mu);
        f[0] -= load;
        f[1] -= p->mu * load * z[1] / size;
        f[2] -= p->mu * load * z[2] / size;
    }
    return sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]) / s;
}
