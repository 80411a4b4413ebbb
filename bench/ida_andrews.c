// The seven angles of Andrews' mechanism; see ida_andrews.h. With be th ga ph de om ep = q and bt = be + th,
// pd = ph + de, oe = om + ep:
//   M udot + B' lambda = f,   Phi(q) = 0                                                   (1)
//   Phi_1 = rr cos be - d cos bt - ss sin ga - xb
//   Phi_2 = rr sin be - d sin bt + ss cos ga - yb
//   Phi_3 = rr cos be - d cos bt - e sin pd - zt cos de - xa
//   Phi_4 = rr sin be - d sin bt + e cos pd - zt sin de - ya
//   Phi_5 = rr cos be - d cos bt - zf cos oe - u sin ep - xa
//   Phi_6 = rr sin be - d sin bt - zf sin oe + u cos ep - ya
#include "ida_andrews.h"

#include <math.h>
#include <string.h>

enum { BE, TH, GA, PH, DE, OM, EP };

static const double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050, m6 = 0.00706,
                    m7 = 0.05498;
static const double i1 = 2.194e-6, i2 = 4.410e-7, i3 = 5.255e-6, i4 = 5.667e-7, i5 = 1.169e-5, i6 = 5.667e-7,
                    i7 = 1.912e-5;
static const double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072;
static const double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, ss = 0.035,
                    sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04,
                    ua = 0.01228, ub = 0.00449, zf = 0.02, zt = 0.04, fa = 0.01421;
static const double c0 = 4530, l0 = 0.07785, mom = 0.033;

const double andrews_start[ANDREWS_N] = {-0.0617138900142764496, 0,
                                         0.455279819163070380,   0.222668390165885885,
                                         0.487364979543842550,   -0.222668390165885885,
                                         1.23054744454982119};
const double andrews_reference[ANDREWS_N] = {1.581077119515370709711939e+01, -1.575637105841183946972775e+01,
                                             4.082224011964580485828232e-02, -5.347301163420795937701850e-01,
                                             5.244099658799540693716558e-01, 5.347301163420795937701850e-01,
                                             1.048080741041937873068515e+00};

// Sines and cosines that (1) is made of.
typedef struct trig {
    double sbe, cbe, sbt, cbt, sth, cth, sga, cga, spd, cpd, sph, cph, sde, cde, soe, coe, som, com, sep, cep;
} trig;

static trig trig_of(const double *q)
{
    const double bt = q[BE] + q[TH], pd = q[PH] + q[DE], oe = q[OM] + q[EP];
    return (trig){sin(q[BE]), cos(q[BE]), sin(bt),    cos(bt),    sin(q[TH]), cos(q[TH]), sin(q[GA]),
                  cos(q[GA]), sin(pd),    cos(pd),    sin(q[PH]), cos(q[PH]), sin(q[DE]), cos(q[DE]),
                  sin(oe),    cos(oe),    sin(q[OM]), cos(q[OM]), sin(q[EP]), cos(q[EP])};
}

// ---- parts of the equations -------------------------------------------------------------------------------

static void mass_of(const trig *t, double *M)
{
    const double p = e - ea, o = zf - fa;
    M[0] = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * t->cth + da * da) + i1 + i2;
    M[1] = M[7] = m2 * (da * da - da * rr * t->cth) + i2;
    M[8] = m2 * da * da + i2;
    M[16] = m3 * (sa * sa + sb * sb) + i3;
    M[24] = m4 * p * p + i4;
    M[25] = M[31] = m4 * (p * p + zt * p * t->sph) + i4;
    M[32] = m4 * (zt * zt + 2 * zt * p * t->sph + p * p) + m5 * (ta * ta + tb * tb) + i4 + i5;
    M[40] = m6 * o * o + i6;
    M[41] = M[47] = m6 * (o * o - u * o * t->som) + i6;
    M[48] = m6 * (o * o - 2 * u * o * t->som + u * u) + m7 * (ua * ua + ub * ub) + i6 + i7;
}

static void force_of(const trig *t, const double *v, double *f)
{
    const double k2 = m2 * da * rr, k4 = m4 * zt * (e - ea), k6 = m6 * u * (zf - fa);
    const double x = xb + sc * t->sga + sd * t->cga - xc, y = yb - sc * t->cga + sd * t->sga - yc;
    const double l = sqrt(x * x + y * y), pull = -c0 * (l - l0) / l;
    f[BE] = mom - k2 * v[TH] * (v[TH] + 2 * v[BE]) * t->sth;
    f[TH] = k2 * v[BE] * v[BE] * t->sth;
    f[GA] = pull * (x * (sc * t->cga - sd * t->sga) + y * (sd * t->cga + sc * t->sga));
    f[PH] = k4 * v[DE] * v[DE] * t->cph;
    f[DE] = -k4 * v[PH] * (v[PH] + 2 * v[DE]) * t->cph;
    f[OM] = -k6 * v[EP] * v[EP] * t->com;
    f[EP] = k6 * v[OM] * (v[OM] + 2 * v[EP]) * t->com;
}

static void closures(const trig *t, double *phi)
{
    const double x = rr * t->cbe - d * t->cbt, y = rr * t->sbe - d * t->sbt;
    phi[0] = x - ss * t->sga - xb;
    phi[1] = y + ss * t->cga - yb;
    phi[2] = x - e * t->spd - zt * t->cde - xa;
    phi[3] = y + e * t->cpd - zt * t->sde - ya;
    phi[4] = x - zf * t->coe - u * t->sep - xa;
    phi[5] = y - zf * t->soe + u * t->cep - ya;
}

static void rows_of(const trig *t, double *B)
{
    for (int r = 0; r < ANDREWS_M; r++) {
        const bool odd = r % 2;
        B[7 * r + BE] = odd ? rr * t->cbe - d * t->cbt : -rr * t->sbe + d * t->sbt;
        B[7 * r + TH] = odd ? -d * t->cbt : d * t->sbt;
    }
    B[GA] = -ss * t->cga;
    B[7 + GA] = -ss * t->sga;
    B[14 + PH] = -e * t->cpd;
    B[14 + DE] = -e * t->cpd + zt * t->sde;
    B[21 + PH] = -e * t->spd;
    B[21 + DE] = -e * t->spd - zt * t->cde;
    B[28 + OM] = zf * t->soe;
    B[28 + EP] = zf * t->soe - u * t->cep;
    B[35 + OM] = -zf * t->coe;
    B[35 + EP] = -zf * t->coe - u * t->sep;
}

// ---- callbacks --------------------------------------------------------------------------------------------

static tml_status mass(double time, const double *q, double *M, void *user)
{
    (void)time, (void)user;
    const trig t = trig_of(q);
    mass_of(&t, M);
    return TML_OK;
}

static tml_status force(double time, const double *q, const double *v, double *f, void *user)
{
    (void)time, (void)user;
    const trig t = trig_of(q);
    force_of(&t, v, f);
    return TML_OK;
}

static tml_status constraint(double time, const double *q, double *phi, void *user)
{
    (void)time, (void)user;
    const trig t = trig_of(q);
    closures(&t, phi);
    return TML_OK;
}

static tml_status jacobian(double time, const double *q, double *B, void *user)
{
    (void)time, (void)user;
    const trig t = trig_of(q);
    rows_of(&t, B);
    return TML_OK;
}

static tml_status force_by_q(double time, const double *q, const double *v, double *fq, void *user)
{
    (void)time, (void)user;
    const double k2 = m2 * da * rr, k4 = m4 * zt * (e - ea), k6 = m6 * u * (zf - fa);
    const trig t = trig_of(q);
    fq[7 * BE + TH] = -k2 * v[TH] * (v[TH] + 2 * v[BE]) * t.cth;
    fq[7 * TH + TH] = k2 * v[BE] * v[BE] * t.cth;
    fq[7 * PH + PH] = -k4 * v[DE] * v[DE] * t.sph;
    fq[7 * DE + PH] = k4 * v[PH] * (v[PH] + 2 * v[DE]) * t.sph;
    fq[7 * OM + OM] = k6 * v[EP] * v[EP] * t.som;
    fq[7 * EP + OM] = -k6 * v[OM] * (v[OM] + 2 * v[EP]) * t.som;
    // the spring: f = -c0 (1 - l0/l) s with s = (D - C).D', l' = s/l
    const double x = xb + sc * t.sga + sd * t.cga - xc, y = yb - sc * t.cga + sd * t.sga - yc;
    const double dx = sc * t.cga - sd * t.sga, dy = sd * t.cga + sc * t.sga;
    const double l = sqrt(x * x + y * y), s = x * dx + y * dy;
    const double rise = dx * dx + dy * dy + x * (-sc * t.sga - sd * t.cga) + y * (sc * t.cga - sd * t.sga);
    fq[7 * GA + GA] = -c0 * ((1 - l0 / l) * rise + l0 * s * s / (l * l * l));
    return TML_OK;
}

static tml_status force_by_u(double time, const double *q, const double *v, double *fu, void *user)
{
    (void)time, (void)user;
    const double k2 = m2 * da * rr * sin(q[TH]), k4 = m4 * zt * (e - ea) * cos(q[PH]),
                 k6 = m6 * u * (zf - fa) * cos(q[OM]);
    fu[7 * BE + BE] = -2 * k2 * v[TH];
    fu[7 * BE + TH] = -2 * k2 * (v[TH] + v[BE]);
    fu[7 * TH + BE] = 2 * k2 * v[BE];
    fu[7 * PH + DE] = 2 * k4 * v[DE];
    fu[7 * DE + PH] = -2 * k4 * (v[PH] + v[DE]);
    fu[7 * DE + DE] = -2 * k4 * v[PH];
    fu[7 * OM + EP] = -2 * k6 * v[EP];
    fu[7 * EP + OM] = 2 * k6 * (v[OM] + v[EP]);
    fu[7 * EP + EP] = 2 * k6 * v[OM];
    return TML_OK;
}

// d/dq [M a + B' mu]; the second part is symmetric
static tml_status stiffness(double time, const double *q, const double *a, const double *mu, double *K,
                            void *user)
{
    (void)time, (void)user;
    const trig t = trig_of(q);
    const double P = mu[0] + mu[2] + mu[4], Q = mu[1] + mu[3] + mu[5];
    const double turn = d * (P * t.cbt + Q * t.sbt);
    K[7 * BE + BE] = turn - rr * (P * t.cbe + Q * t.sbe);
    K[7 * BE + TH] = K[7 * TH + BE] = K[7 * TH + TH] = turn;
    K[7 * GA + GA] = ss * (mu[0] * t.sga - mu[1] * t.cga);
    K[7 * PH + PH] = K[7 * PH + DE] = K[7 * DE + PH] = e * (mu[2] * t.spd - mu[3] * t.cpd);
    K[7 * DE + DE] = K[7 * PH + PH] + zt * (mu[2] * t.cde + mu[3] * t.sde);
    K[7 * OM + OM] = K[7 * OM + EP] = K[7 * EP + OM] = zf * (mu[4] * t.coe + mu[5] * t.soe);
    K[7 * EP + EP] = K[7 * OM + OM] + u * (mu[4] * t.sep - mu[5] * t.cep);
    const double k2 = m2 * da * rr * t.sth, k4 = m4 * zt * (e - ea) * t.cph, k6 = -m6 * u * (zf - fa) * t.com;
    K[7 * BE + TH] += k2 * (2 * a[BE] + a[TH]);
    K[7 * TH + TH] += k2 * a[BE];
    K[7 * PH + PH] += k4 * a[DE];
    K[7 * DE + PH] += k4 * (a[PH] + 2 * a[DE]);
    K[7 * OM + OM] += k6 * a[EP];
    K[7 * EP + OM] += k6 * (a[OM] + 2 * a[EP]);
    return TML_OK;
}

static tml_status gamma_of(double time, const double *q, const double *v, double *gamma, void *user)
{
    (void)time, (void)user;
    double rows[ANDREWS_M * ANDREWS_N];
    memset(rows, 0, sizeof rows);
    andrews_rows_times(q, v, rows);
    for (int r = 0; r < ANDREWS_M; r++)
        for (int j = 0; j < ANDREWS_N; j++) gamma[r] -= rows[7 * r + j] * v[j];
    return TML_OK;
}

tml_user_system_def andrews_user(void)
{
    tml_user_system_def def = tml_user_system_def_default();
    def.n = ANDREWS_N;
    def.m = ANDREWS_M;
    def.mass = mass;
    def.force = force;
    def.constraint = constraint;
    def.constraint_jacobian = jacobian;
    def.force_by_q = force_by_q;
    def.force_by_u = force_by_u;
    def.stiffness = stiffness;
    def.gamma = gamma_of;
    return def;
}

// ---- for IDA ----------------------------------------------------------------------------------------------

void andrews_evaluate(const tml_state *x, double *motion, double *phi, double *rows)
{
    double M[ANDREWS_N * ANDREWS_N];
    const trig t = trig_of(x->q);
    memset(M, 0, sizeof M);
    memset(rows, 0, ANDREWS_M * ANDREWS_N * sizeof *rows);
    mass_of(&t, M);
    force_of(&t, x->u, motion);
    closures(&t, phi);
    rows_of(&t, rows);
    for (int i = 0; i < ANDREWS_N; i++) {
        double sum = -motion[i];
        for (int j = 0; j < ANDREWS_N; j++) sum += M[7 * i + j] * x->udot[j];
        for (int r = 0; r < ANDREWS_M; r++) sum += rows[7 * r + i] * x->lambda[r];
        motion[i] = sum;
    }
}

void andrews_rows_times(const double *q, const double *v, double *out)
{
    const trig t = trig_of(q);
    const double w = v[BE] + v[TH], p = v[PH] + v[DE], o = v[OM] + v[EP];
    for (int r = 0; r < ANDREWS_M; r++) {
        const bool odd = r % 2;
        out[7 * r + TH] = d * (odd ? t.sbt : t.cbt) * w;
        out[7 * r + BE] = out[7 * r + TH] - rr * (odd ? t.sbe : t.cbe) * v[BE];
    }
    out[GA] = ss * t.sga * v[GA];
    out[7 + GA] = -ss * t.cga * v[GA];
    out[14 + PH] = e * t.spd * p;
    out[14 + DE] = e * t.spd * p + zt * t.cde * v[DE];
    out[21 + PH] = -e * t.cpd * p;
    out[21 + DE] = -e * t.cpd * p + zt * t.sde * v[DE];
    out[28 + OM] = zf * t.coe * o;
    out[28 + EP] = zf * t.coe * o + u * t.sep * v[EP];
    out[35 + OM] = zf * t.soe * o;
    out[35 + EP] = zf * t.soe * o - u * t.cep * v[EP];
}

double andrews_error(const double *q, bool of_bodies)
{
    double off[ANDREWS_N], worst = 0;
    if (!of_bodies) {
        for (int i = 0; i < ANDREWS_N; i++) off[i] = q[i] - andrews_reference[i];
    } else {  // K1 .. K7 turn by be, bt, ga, pd, de, oe, ep
        const double *r = andrews_reference;
        const double turn[ANDREWS_N] = {r[BE], r[BE] + r[TH], r[GA], r[PH] + r[DE],
                                        r[DE], r[OM] + r[EP], r[EP]};
        double body[ANDREWS_N];
        for (int i = 0; i < ANDREWS_N; i++)
            body[i] = remainder(2 * atan2(q[7 * i + 6], q[7 * i + 3]) - turn[i], 6.283185307179586477);
        const double angle[ANDREWS_N] = {body[0], body[1] - body[0], body[2], body[3] - body[4],
                                         body[4], body[5] - body[6], body[6]};
        memcpy(off, angle, sizeof off);
    }
    for (int i = 0; i < ANDREWS_N; i++)
        if (!(fabs(off[i]) <= worst)) worst = fabs(off[i]);  // NaN sticks
    return worst;
}
