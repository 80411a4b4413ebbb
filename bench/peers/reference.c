// The reference: accelerations of free bodies under pin forces,
//   M u' + B' lambda = f,   B u' = gamma        =>        (B M^-1 B') lambda = B M^-1 f - gamma        (1)
// solved by a banded Cholesky factorization and integrated in all coordinates by extrapolation of Gragg's
// modified midpoint rule (order 12) with a fixed step. Nothing projects onto the pins: that they stay closed
// tells the accuracy reached. The linkages of four-bars, where (1) is singular when they lie flat, are
// integrated in the one angle they have:
//   ((n + 1)/3 + n) phi'' = -g ((n + 1)/2 + n) cos phi                                                 (2)
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double *numbers(size_t count)
{
    double *p = calloc(count ? count : 1, sizeof *p);
    if (p) return p;
    fputs("no memory\n", stderr);
    exit(1);
}

// ---- extrapolation ----------------------------------------------------------------------------------------

typedef void rates_fn(void *self, const double *y, double *slope);
enum { ROWS = 6 };  // substeps 2, 4 .. 12: order 12

typedef struct extrapolation {
    rates_fn *rates;
    void *self;
    int n;
    double *slope0, *slope, *z[2], *table[ROWS];
} extrapolation;

static void extrapolation_init(extrapolation *e, rates_fn *rates, void *self, int n)
{
    *e = (extrapolation){.rates = rates, .self = self, .n = n};
    double **const part[] = {&e->slope0, &e->slope, &e->z[0], &e->z[1]};
    for (size_t i = 0; i < 4; i++) *part[i] = numbers((size_t)n);
    for (int i = 0; i < ROWS; i++) e->table[i] = numbers((size_t)n);
}

static void extrapolation_clear(extrapolation *e)
{
    double *const part[] = {e->slope0, e->slope, e->z[0], e->z[1]};
    for (size_t i = 0; i < 4; i++) free(part[i]);
    for (int i = 0; i < ROWS; i++) free(e->table[i]);
}

// z(h) with 2 (row + 1) substeps of the leap-frog: its error has even powers of the substep only.
static void midpoint_rule(extrapolation *e, const double *y, double h, int row)
{
    const int count = 2 * (row + 1);
    const double d = h / count;
    double *before = e->z[0], *here = e->z[1];
    for (int i = 0; i < e->n; i++) {
        before[i] = y[i];
        here[i] = y[i] + d * e->slope0[i];
    }
    for (int k = 1; k < count; k++) {
        e->rates(e->self, here, e->slope);
        for (int i = 0; i < e->n; i++) before[i] += 2 * d * e->slope[i];
        double *const swap = before;
        before = here;
        here = swap;
    }
    memcpy(e->table[row], here, (size_t)e->n * sizeof *here);
}

// One step by Neville's scheme in the squares of the substeps.
static void extrapolation_step(extrapolation *e, double *y, double h)
{
    e->rates(e->self, y, e->slope0);
    for (int row = 0; row < ROWS; row++) {
        midpoint_rule(e, y, h, row);
        for (int k = row - 1; k >= 0; k--) {
            const double ratio = (double)(row + 1) / (k + 1), factor = 1 / (ratio * ratio - 1);
            for (int i = 0; i < e->n; i++)
                e->table[k][i] = e->table[k + 1][i] + factor * (e->table[k + 1][i] - e->table[k][i]);
        }
    }
    memcpy(y, e->table[0], (size_t)e->n * sizeof *y);
}

// ---- bodies on pins ---------------------------------------------------------------------------------------

// y: x, y, angle of all bodies, then their rates
typedef struct free_bodies {
    const mechanism *m;
    int band;   // entries of a row of (1) left of the diagonal
    double *S;  // (2 pins x band + 1), the diagonal last
    double *lambda;
    double *arm;  // (pins x 4): the points from their centres of mass, turned
    double *force;
} free_bodies;

static bool share_body(const mech_pin *p, const mech_pin *q)
{
    return p->b == q->b || p->b == q->a || (p->a >= 0 && (p->a == q->a || p->a == q->b));
}

static void free_bodies_init(free_bodies *f, const mechanism *m)
{
    *f = (free_bodies){.m = m};
    int far = 0;
    for (int i = 0; i < m->pins; i++)
        for (int j = 0; j < i; j++)
            if (share_body(&m->pin[i], &m->pin[j]) && i - j > far) far = i - j;
    f->band = 2 * far + 1;
    f->S = numbers(2 * (size_t)m->pins * (size_t)(f->band + 1));
    f->lambda = numbers(2 * (size_t)m->pins);
    f->arm = numbers(4 * (size_t)m->pins);
    f->force = numbers(3 * (size_t)m->bodies);
}

static void free_bodies_clear(free_bodies *f)
{
    free(f->S);
    free(f->lambda);
    free(f->arm);
    free(f->force);
}

static void forces(free_bodies *f, const double *y)
{
    const mechanism *m = f->m;
    const double *v = y + 3 * m->bodies;
    for (int i = 0; i < m->bodies; i++) {
        f->force[3 * i] = 0;
        f->force[3 * i + 1] = -m->gravity * m->body[i].mass;
        f->force[3 * i + 2] = 0;
    }
    f->force[2] += m->torque[0];
    for (int i = 0; i < m->torsions; i++) {
        const mech_torsion *t = &m->torsion[i];
        const int a = m->pin[t->pin].a, b = m->pin[t->pin].b;
        const double angle = y[3 * b + 2] - (a < 0 ? 0 : y[3 * a + 2]);
        const double rate = v[3 * b + 2] - (a < 0 ? 0 : v[3 * a + 2]);
        const double T = -t->stiffness * (angle - t->rest) - t->damping * rate;
        f->force[3 * b + 2] += T;
        if (a >= 0) f->force[3 * a + 2] -= T;
    }
    for (int i = 0; i < m->springs; i++) {
        const mech_spring *s = &m->spring[i];
        const double *p = y + 3 * s->b, c = cos(p[2]), d = sin(p[2]);
        const double rx = c * s->sb[0] - d * s->sb[1], ry = d * s->sb[0] + c * s->sb[1];
        const double x = p[0] + rx - s->sa[0], z = p[1] + ry - s->sa[1], length = hypot(x, z);
        const double pull = -s->stiffness * (length - s->rest) / length;
        f->force[3 * s->b] += pull * x;
        f->force[3 * s->b + 1] += pull * z;
        f->force[3 * s->b + 2] += pull * (rx * z - ry * x);
    }
}

static void arms(free_bodies *f, const double *y)
{
    for (int i = 0; i < f->m->pins; i++) {
        const mech_pin *p = &f->m->pin[i];
        const int end[2] = {p->a, p->b};
        const double *s[2] = {p->sa, p->sb};
        for (int k = 0; k < 2; k++) {
            double *r = f->arm + 4 * i + 2 * k;
            const double angle = end[k] < 0 ? 0 : y[3 * end[k] + 2], c = cos(angle), d = sin(angle);
            r[0] = end[k] < 0 ? 0 : c * s[k][0] - d * s[k][1];
            r[1] = end[k] < 0 ? 0 : d * s[k][0] + c * s[k][1];
        }
    }
}

// The block of (1) of pins i and j: sum over the bodies they share. Rows of B at a body: sign [I, (-ry, rx)].
static void add_block(free_bodies *f, int i, int j)
{
    const mechanism *m = f->m;
    const int at[2][2] = {{m->pin[i].a, m->pin[i].b}, {m->pin[j].a, m->pin[j].b}};
    for (int k = 0; k < 2; k++)
        for (int l = 0; l < 2; l++) {
            const int b = at[0][k];
            if (b < 0 || b != at[1][l]) continue;
            const double sign = k == l ? 1 : -1, *r = f->arm + 4 * i + 2 * k, *s = f->arm + 4 * j + 2 * l;
            const double light = sign / m->body[b].mass, turn = sign / m->body[b].inertia;
            const double block[2][2] = {{light + turn * r[1] * s[1], -turn * r[1] * s[0]},
                                        {-turn * r[0] * s[1], light + turn * r[0] * s[0]}};
            for (int row = 0; row < 2; row++)
                for (int col = 0; col < 2; col++) {
                    const int I = 2 * i + row, J = 2 * j + col;
                    if (J <= I)
                        f->S[(size_t)I * (size_t)(f->band + 1) + (size_t)(f->band - (I - J))] +=
                            block[row][col];
                }
        }
}

// S = L L' in place, and lambda solved.
static void banded_solve(double *S, int n, int band, double *x)
{
    const size_t width = (size_t)band + 1;
    for (int i = 0; i < n; i++) {
        double *row = S + (size_t)i * width;  // row[band - (i - j)] is entry (i, j)
        const int first = i > band ? i - band : 0;
        for (int j = first; j <= i; j++) {
            const double *other = S + (size_t)j * width;
            const int from = j > band ? (j - band > first ? j - band : first) : first;
            double sum = row[band - (i - j)];
            for (int k = from; k < j; k++) sum -= row[band - (i - k)] * other[band - (j - k)];
            row[band - (i - j)] = i == j ? sqrt(sum) : sum / other[band];
        }
        for (int k = first; k < i; k++) x[i] -= row[band - (i - k)] * x[k];
        x[i] /= row[band];
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *row = S + (size_t)i * width;
        x[i] /= row[band];
        for (int k = i > band ? i - band : 0; k < i; k++) x[k] -= row[band - (i - k)] * x[i];
    }
}

static void rates_of_bodies(void *self, const double *y, double *slope)
{
    free_bodies *f = self;
    const mechanism *m = f->m;
    const int n = 3 * m->bodies;
    const double *v = y + n;
    double *a = slope + n;
    memcpy(slope, v, (size_t)n * sizeof *v);
    forces(f, y);
    arms(f, y);
    for (int i = 0; i < m->bodies; i++) {
        a[3 * i] = f->force[3 * i] / m->body[i].mass;
        a[3 * i + 1] = f->force[3 * i + 1] / m->body[i].mass;
        a[3 * i + 2] = f->force[3 * i + 2] / m->body[i].inertia;
    }
    memset(f->S, 0, 2 * (size_t)m->pins * (size_t)(f->band + 1) * sizeof *f->S);
    for (int i = 0; i < m->pins; i++) {
        const int end[2] = {m->pin[i].a, m->pin[i].b}, far = (f->band - 1) / 2;
        double rhs[2] = {0, 0};
        for (int k = 0; k < 2; k++) {
            if (end[k] < 0) continue;
            const double *r = f->arm + 4 * i + 2 * k, *u = a + 3 * end[k], w = v[3 * end[k] + 2],
                         sign = k ? 1 : -1;
            rhs[0] += sign * (u[0] - u[2] * r[1] - w * w * r[0]);
            rhs[1] += sign * (u[1] + u[2] * r[0] - w * w * r[1]);
        }
        f->lambda[2 * i] = rhs[0];
        f->lambda[2 * i + 1] = rhs[1];
        for (int j = i > far ? i - far : 0; j <= i; j++) add_block(f, i, j);
    }
    banded_solve(f->S, 2 * m->pins, f->band, f->lambda);
    for (int i = 0; i < m->pins; i++) {
        const int end[2] = {m->pin[i].a, m->pin[i].b};
        const double *l = f->lambda + 2 * i;
        for (int k = 0; k < 2; k++) {
            if (end[k] < 0) continue;
            const double *r = f->arm + 4 * i + 2 * k, sign = k ? 1 : -1;
            double *u = a + 3 * end[k];
            u[0] -= sign * l[0] / m->body[end[k]].mass;
            u[1] -= sign * l[1] / m->body[end[k]].mass;
            u[2] -= sign * (r[0] * l[1] - r[1] * l[0]) / m->body[end[k]].inertia;
        }
    }
}

static double opening(free_bodies *f, const double *y)
{
    double worst = 0;
    arms(f, y);
    for (int i = 0; i < f->m->pins; i++) {
        const mech_pin *p = &f->m->pin[i];
        for (int k = 0; k < 2; k++) {
            const double a = p->a < 0 ? p->sa[k] : y[3 * p->a + k] + f->arm[4 * i + k];
            worst = fmax(worst, fabs(y[3 * p->b + k] + f->arm[4 * i + 2 + k] - a));
        }
    }
    return worst;
}

// ---- one run ----------------------------------------------------------------------------------------------

// Steps from a sample to the next that reach some 1e-12.
static int steps_per_sample(const mechanism *m)
{
    switch (m->kind) {
    case CHAIN: return 30;
    case FOUR_BARS: return 10;
    case ANDREWS: return 60;
    default: return 6000;  // the fast mode, 1e5/s, wants short steps
    }
}

static double *start_of(const mechanism *m)
{
    const size_t n = 3 * (size_t)m->bodies;
    double *y = numbers(2 * n);
    for (int i = 0; i < m->bodies; i++) {
        const mech_body *b = &m->body[i];
        const double pose[3] = {b->x, b->y, b->angle}, rate[3] = {b->vx, b->vy, b->w};
        memcpy(y + 3 * i, pose, sizeof pose);
        memcpy(y + n + 3 * i, rate, sizeof rate);
    }
    return y;
}

void reference_start(const mechanism *m, double *acceleration, double *lambda)
{
    const size_t n = 3 * (size_t)m->bodies;
    free_bodies f;
    free_bodies_init(&f, m);
    double *y = start_of(m), *slope = numbers(2 * n);
    rates_of_bodies(&f, y, slope);
    memcpy(acceleration, slope + n, n * sizeof *slope);
    memcpy(lambda, f.lambda, 2 * (size_t)m->pins * sizeof *lambda);
    free(slope);
    free(y);
    free_bodies_clear(&f);
}

static double run_bodies(const mechanism *m, int steps, int rows, samples *out)
{
    const int n = 3 * m->bodies;
    free_bodies f;
    extrapolation e;
    free_bodies_init(&f, m);
    extrapolation_init(&e, rates_of_bodies, &f, 2 * n);
    double *y = start_of(m), worst = 0;
    out->rows = 0;
    for (int i = 0; i < rows; i++) {
        for (int k = 0; i > 0 && k < steps; k++) extrapolation_step(&e, y, m->sample / steps);
        memcpy(samples_next(out), y, (size_t)n * sizeof *y);
        worst = fmax(worst, opening(&f, y));
    }
    free(y);
    extrapolation_clear(&e);
    free_bodies_clear(&f);
    return worst;
}

static void rates_of_linkage(void *self, const double *y, double *slope)
{
    const mechanism *m = self;
    const double n = m->n;
    slope[0] = y[1];
    slope[1] = -m->gravity * ((n + 1) / 2 + n) * cos(y[0]) / ((n + 1) / 3 + n);  // (2)
}

static void run_linkage(const mechanism *m, int steps, samples *out)
{
    extrapolation e;
    mechanism copy = *m;
    extrapolation_init(&e, rates_of_linkage, &copy, 2);
    double y[2] = {m->body[0].angle, m->body[0].w};
    out->rows = 0;
    for (int i = 0; i < out->room; i++) {
        for (int k = 0; i > 0 && k < steps; k++) extrapolation_step(&e, y, m->sample / steps);
        double *p = samples_next(out);
        for (int k = 0; k < m->bodies; k++, p += 3) {
            const bool crank = k <= m->n;
            const double share = crank ? 0.5 : 1;
            p[0] = (crank ? k : k - m->n - 0.5) + share * cos(y[0]);
            p[1] = share * sin(y[0]);
            p[2] = crank ? y[0] : 0;
        }
    }
    extrapolation_clear(&e);
}

// ---- what is known otherwise ------------------------------------------------------------------------------

static double off(const samples *s, int row, int body_index, double angle)
{
    return fabs(remainder(s->pose[3 * ((size_t)row * (size_t)s->bodies + (size_t)body_index) + 2] - angle,
                          6.283185307179586477));
}

static double against_known(const mechanism *m, const samples *exact)
{
    double worst = 0;
    if (m->kind ==
        ANDREWS) {  // converged angles at the end; K1 .. K7 turn by be, be + th, ga, ph + de, de, om + ep, ep
        const double be = 15.81077119515370709711939, th = -15.75637105841183946972775,
                     ga = 0.04082224011964580485828232, ph = -0.5347301163420795937701850,
                     de = 0.5244099658799540693716558, om = 0.5347301163420795937701850,
                     ep = 1.048080741041937873068515;
        const double turn[] = {be, be + th, ga, ph + de, de, om + ep, ep};
        for (int i = 0; i < 7; i++) worst = fmax(worst, off(exact, 10, i, turn[i]));
        return worst;
    }
    if (m->kind == STIFF_PENDULUM) {  // minimal coordinates, an explicit and an implicit code at 1e-13
        static const struct {
            int row;
            double angle[2];
        } known[] = {{1, {6.0670665130322, 5.9236424396599}},
                     {5, {3.7363754783894, 3.7231547756131}},
                     {10, {5.1614397993303, 5.1609241849734}},
                     {20, {4.6404781832213, 4.6404967016885}}};
        for (size_t i = 0; i < sizeof known / sizeof *known; i++)
            for (int k = 0; k < 2; k++) worst = fmax(worst, off(exact, known[i].row, k, known[i].angle[k]));
        return worst;
    }
    if (m->kind == FOUR_BARS) {  // free bodies on pins, up to 0.5 s: well before they lie flat
        samples bodies = samples_create(m), upright = *exact;
        run_bodies(m, 2 * steps_per_sample(m), 6, &bodies);
        upright.rows = bodies.rows;
        worst = samples_distance(&upright, &bodies);
        free(bodies.pose);
        return worst;
    }
    return NAN;
}

reference *reference_create(const mechanism *m)
{
    reference *r = calloc(1, sizeof *r);
    if (!r) exit(1);
    samples coarse = samples_create(m);
    r->exact = samples_create(m);
    const int steps = steps_per_sample(m);
    if (m->kind == FOUR_BARS) {
        run_linkage(m, steps, &coarse);
        run_linkage(m, 2 * steps, &r->exact);
    } else {
        run_bodies(m, steps, coarse.room, &coarse);
        r->closure = run_bodies(m, 2 * steps, r->exact.room, &r->exact);
    }
    r->halving = samples_distance(&coarse, &r->exact);
    r->known = against_known(m, &r->exact);
    free(coarse.pose);
    return r;
}

void reference_destroy(reference *r)
{
    if (!r) return;
    free(r->exact.pose);
    free(r);
}
