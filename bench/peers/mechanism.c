// The problems of the comparison; see mechanism.h.
#define _POSIX_C_SOURCE 200809L
#include "mechanism.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const double PI = 3.14159265358979323846;

static void *need(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (p) return p;
    fputs("no memory\n", stderr);
    exit(1);
}

double cpu_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void size(mechanism *m, int bodies, int pins)
{
    m->bodies = bodies;
    m->pins = pins;
    m->body = need((size_t)bodies, sizeof *m->body);
    m->pin = need((size_t)pins, sizeof *m->pin);
}

// n rods of 1 m and 1 kg in a row, from the origin along x, at rest.
static void chain(mechanism *m)
{
    size(m, m->n, m->n);
    m->gravity = 9.81;
    m->end = 1;
    m->sample = 0.1;
    for (int i = 0; i < m->n; i++) {
        m->body[i] = (mech_body){.mass = 1, .inertia = 1.0 / 12, .x = i + 0.5};
        m->pin[i] = (mech_pin){.a = i - 1, .b = i, .sa = {i ? 0.5 : 0, 0}, .sb = {-0.5, 0}};
    }
}

// Cranks 0 .. n stand on the ground at (i, 0), couplers n+1 .. 2n join the tips of neighbours. One degree of
// freedom: all cranks turn alike, all couplers translate.
static void four_bars(mechanism *m)
{
    const int n = m->n;
    size(m, 2 * n + 1, 3 * n + 1);
    m->gravity = 9.81;
    m->end = 1;
    m->sample = 0.1;
    mech_pin *next = m->pin;
    for (int i = 0; i <= n; i++) {
        m->body[i] = (mech_body){
            .mass = 1, .inertia = 1.0 / 12, .x = i, .y = 0.5, .angle = PI / 2, .vx = 0.5, .w = -1};
        *next++ = (mech_pin){.a = -1, .b = i, .sa = {i, 0}, .sb = {-0.5, 0}};
        if (i == n) break;
        const int coupler = n + 1 + i;
        m->body[coupler] = (mech_body){.mass = 1, .inertia = 1.0 / 12, .x = i + 0.5, .y = 1, .vx = 1};
        *next++ = (mech_pin){.a = i, .b = coupler, .sa = {0.5, 0}, .sb = {-0.5, 0}};
        *next++ = (mech_pin){.a = i + 1, .b = coupler, .sa = {0.5, 0}, .sb = {0.5, 0}, .loop = true};
    }
}

// Data: Hairer & Wanner, Solving Ordinary Differential Equations II, sect. VII.7. Bodies K1 .. K7 as in
// models/andrews.yaml; the tree is that of the classical seven angles.
static void andrews(mechanism *m)
{
    const double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, ss = 0.035,
                 sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04,
                 ua = 0.01228, ub = 0.00449, zf = 0.02, zt = 0.04, fa = 0.01421;
    const double A[2] = {-0.06934, -0.00227}, B[2] = {-0.03635, 0.03273};
    const double be = -0.0617138900142764496, th = 0, ga = 0.455279819163070380, ph = 0.222668390165885885,
                 de = 0.487364979543842550, om = -0.222668390165885885, ep = 1.23054744454982119;
    enum { K1, K2, K3, K4, K5, K6, K7 };
    size(m, 7, 10);
    m->end = 0.03;
    m->sample = 3e-3;
    const double F[2] = {rr * cos(be), rr * sin(be)}, G[2] = {A[0] + zt * cos(de), A[1] + zt * sin(de)},
                 H[2] = {A[0] + u * sin(ep), A[1] - u * cos(ep)};
    const mech_body bodies[] = {
        {0.04325, 2.194e-6, ra * cos(be), ra * sin(be), be, 0, 0, 0},
        {0.00365, 4.410e-7, F[0] - da * cos(be + th), F[1] - da * sin(be + th), be + th, 0, 0, 0},
        {0.02373, 5.255e-6, B[0] + sa * sin(ga) + sb * cos(ga), B[1] - sa * cos(ga) + sb * sin(ga), ga, 0, 0,
         0},
        {0.00706, 5.667e-7, G[0] + (e - ea) * sin(ph + de), G[1] - (e - ea) * cos(ph + de), ph + de, 0, 0, 0},
        {0.07050, 1.169e-5, A[0] + ta * cos(de) - tb * sin(de), A[1] + ta * sin(de) + tb * cos(de), de, 0, 0,
         0},
        {0.00706, 5.667e-7, H[0] + (zf - fa) * cos(om + ep), H[1] + (zf - fa) * sin(om + ep), om + ep, 0, 0,
         0},
        {0.05498, 1.912e-5, A[0] + ua * sin(ep) + ub * cos(ep), A[1] - ua * cos(ep) + ub * sin(ep), ep, 0, 0,
         0},
    };
    const mech_pin pins[] = {
        {-1, K1, {0, 0}, {-ra, 0}, false},
        {K1, K2, {rr - ra, 0}, {da, 0}, false},
        {-1, K3, {B[0], B[1]}, {-sb, sa}, false},
        {-1, K5, {A[0], A[1]}, {-ta, -tb}, false},
        {K5, K4, {zt - ta, -tb}, {0, e - ea}, false},
        {-1, K7, {A[0], A[1]}, {-ub, ua}, false},
        {K7, K6, {-ub, ua - u}, {fa - zf, 0}, false},
        {K2, K3, {da - d, 0}, {-sb, sa - ss}, true},
        {K2, K4, {da - d, 0}, {0, -ea}, true},
        {K2, K6, {da - d, 0}, {fa, 0}, true},
    };
    for (int i = 0; i < m->bodies; i++) m->body[i] = bodies[i];
    for (int i = 0; i < m->pins; i++) m->pin[i] = pins[i];
    m->springs = 1;
    m->spring[0] = (mech_spring){
        .b = K3, .sa = {0.014, 0.072}, .sb = {sd - sb, sa - sc}, .stiffness = 4530, .rest = 0.07785};
    m->torque[0] = 0.033;
}

// D. Negrut's thesis, sect. 5.1, with the printed rate of 10 rad/s of the second rod at the start.
static void stiff_pendulum(mechanism *m)
{
    const double l1 = 1, l2 = 1.5, t1 = 2 * PI, t2 = 23 * PI / 12, w2 = 10;
    size(m, 2, 2);
    m->gravity = 9.81;
    m->end = 2;
    m->sample = 0.1;
    m->body[0] = (mech_body){.mass = 3, .inertia = 1, .x = l1, .angle = t1};
    m->body[1] = (mech_body){.mass = 0.3,
                             .inertia = 0.3 * 4 * l2 * l2 / 12,
                             .x = 2 * l1 + l2 * cos(t2),
                             .y = l2 * sin(t2),
                             .angle = t2,
                             .vx = -w2 * l2 * sin(t2),
                             .vy = w2 * l2 * cos(t2),
                             .w = w2};
    m->pin[0] = (mech_pin){.a = -1, .b = 0, .sb = {-l1, 0}};
    m->pin[1] = (mech_pin){.a = 0, .b = 1, .sa = {l1, 0}, .sb = {-l2, 0}};
    m->torsions = 2;
    m->torsion[0] = (mech_torsion){0, 400, 15, 3 * PI / 2};
    m->torsion[1] = (mech_torsion){1, 3e5, 5e4, 0};
}

mechanism *mechanism_create(problem_kind kind, int n)
{
    mechanism *m = need(1, sizeof *m);
    m->kind = kind;
    m->n = n;
    switch (kind) {
    case CHAIN:
        snprintf(m->name, sizeof m->name, "P1 chain N=%d", n);
        chain(m);
        break;
    case FOUR_BARS:
        snprintf(m->name, sizeof m->name, "P2 four-bars N=%d", n);
        four_bars(m);
        break;
    case ANDREWS:
        snprintf(m->name, sizeof m->name, "P3 Andrews");
        andrews(m);
        break;
    case STIFF_PENDULUM:
        snprintf(m->name, sizeof m->name, "P4 stiff pendulum");
        stiff_pendulum(m);
        break;
    }
    return m;
}

void mechanism_destroy(mechanism *m)
{
    if (!m) return;
    free(m->body);
    free(m->pin);
    free(m);
}

samples samples_create(const mechanism *m)
{
    samples s = {.bodies = m->bodies, .room = (int)lround(m->end / m->sample) + 1};
    s.pose = need(3 * (size_t)s.bodies * (size_t)s.room, sizeof *s.pose);
    return s;
}

double *samples_next(samples *s)
{
    if (s->rows == s->room) return NULL;
    return s->pose + 3 * (size_t)s->bodies * (size_t)s->rows++;
}

double samples_distance(const samples *a, const samples *b)
{
    if (a->rows != b->rows || a->bodies != b->bodies) return INFINITY;
    double worst = 0;
    const size_t count = 3 * (size_t)a->bodies * (size_t)a->rows;
    for (size_t i = 0; i < count; i++) {
        double off = a->pose[i] - b->pose[i];
        if (i % 3 == 2) off = remainder(off, 2 * PI);
        if (!isfinite(off)) return INFINITY;
        worst = fmax(worst, fabs(off));
    }
    return worst;
}
