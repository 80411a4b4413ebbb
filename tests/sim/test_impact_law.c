// Random single impacts satisfy the law that they claim. Bodies with feet (spheres) that all touch planes at
// the start, on several of them the same plane, with joints between bodies, get random velocities; those feet
// that approach are struck. With the impulses P_N, P_T of the feet and the rates u_N, u_T after the impact:
//   M du + B' lambda = 0,   P_N >= 0,   |P_T| <= mu P_N,   u_N >= 0                                       (1)
//   u_T is opposite to P_T where |P_T| = mu P_N                                                           (2)
//   Newton: u_N >= -e u_N before, equal where P_N > 0;  u_T = 0 where |P_T| < mu P_N                      (3)
//   Poisson: P_N >= (1 + e) times that of compression, equal where u_N > 0                                (4)
//   the kinetic energy does not grow                                                                      (5)
#include "sim/queries/sim.h"
#include "sim_fixture.h"

#include <string.h>

enum { FEET = 6, STATES = 20 };

typedef struct scene {
    bool planar, poisson, same;  // same: one coefficient of restitution
    int feet, bodies;
    double mu, e[FEET];
} scene;

// ---- models -----------------------------------------------------------------------------------------------

static void random_direction(rng *r, bool planar, double n[3])
{
    for (int k = 0; k < 3; k++) n[k] = planar && k == 2 ? 0 : rng_range(r, -1, 1);
    const double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 3; k++) n[k] /= size;
}

static void put_vector(char **at, bool planar, const double v[3])
{
    *at += planar ? sprintf(*at, "[%.17g, %.17g]", v[0], v[1])
                  : sprintf(*at, "[%.17g, %.17g, %.17g]", v[0], v[1], v[2]);
}

// Feet with their planes: some stand on the plane of the foot before, also on that of another body.
static void put_contacts(char **at, rng *r, const scene *s, double (*foot)[3], const double *radius)
{
    double n[FEET][3], on[FEET][3];
    for (int i = 0; i < s->feet; i++) {
        random_direction(r, s->planar, n[i]);
        for (int k = 0; k < 3; k++) on[i][k] = foot[i][k] - radius[i] * n[i][k];
    }
    *at += sprintf(*at, "ground:\n  frames:\n");
    for (int i = 0; i < s->feet; i++) {
        *at += sprintf(*at, "    p%d: ", i);
        put_vector(at, s->planar, on[i]);
        *at += sprintf(*at, "\n");
    }
    *at += sprintf(*at, "shapes:\n");
    for (int i = 0; i < s->feet; i++) {
        *at += sprintf(*at,
                       "  foot%d: {type: sphere, at: b%d.f%d, radius: %.17g}\n"
                       "  plane%d: {type: plane, at: ground.p%d, normal: ",
                       i, i % s->bodies, i, radius[i], i, i);
        put_vector(at, s->planar, n[i]);
        *at += sprintf(*at, "}\n");
    }
    *at += sprintf(*at, "contacts:\n");
    for (int i = 0; i < s->feet; i++)
        *at += sprintf(*at,
                       "  hit%d: {a: foot%d, b: plane%d, law: rigid, impact: %s, restitution: %.17g,\n"
                       "    friction: {coefficient: %.17g}}\n",
                       i, i, i, s->poisson ? "poisson" : "newton", s->e[i], s->mu);
}

// Redundant feet of one body: on one plane, z = 0 (planar: y = 0).
static void put_standing(char **at, const scene *s, const double *radius)
{
    *at += sprintf(*at, "shapes:\n  plane: {type: plane, at: ground}\n");
    for (int i = 0; i < s->feet; i++)
        *at += sprintf(*at, "  foot%d: {type: sphere, at: b%d.f%d, radius: %.17g}\n", i, i % s->bodies, i,
                       radius[i]);
    *at += sprintf(*at, "contacts:\n");
    for (int i = 0; i < s->feet; i++)
        *at += sprintf(*at,
                       "  hit%d: {a: foot%d, b: plane, law: rigid, impact: %s, restitution: %.17g,\n"
                       "    friction: {coefficient: %.17g}}\n",
                       i, i, s->poisson ? "poisson" : "newton", s->e[i], s->mu);
}

// elastic: with restitution; false: e = 0
static void write_model(char *at, uint64_t seed, scene *s, bool elastic)
{
    rng r = rng_seed(seed);
    double position[3][3], foot[FEET][3], radius[FEET];
    const bool standing = rng_range(&r, 0, 1) < 0.5, joints = rng_range(&r, 0, 1) < 0.5;
    const double e = rng_range(&r, 0, 1);
    *s = (scene){.planar = rng_range(&r, 0, 1) < 0.5,
                 .poisson = rng_range(&r, 0, 1) < 0.5,
                 .same = rng_range(&r, 0, 1) < 0.7,
                 .feet = 1 + (int)rng_range(&r, 0, FEET),
                 .mu = rng_range(&r, 0, 1) < 0.1 ? 0 : rng_range(&r, 0, 2)};
    s->bodies = 1 + (int)rng_range(&r, 0, s->feet < 3 ? s->feet : 3);
    for (int i = 0; i < s->feet; i++) {
        const double own = rng_range(&r, 0, 1);
        s->e[i] = !elastic ? 0 : s->same ? e : own;
        radius[i] = rng_range(&r, 0.05, 0.2);
    }
    const int up = s->planar ? 1 : 2;
    at += sprintf(at, "%sbodies:\n", s->planar ? "planar: true\n" : "");
    for (int b = 0; b < s->bodies; b++) {
        const double mass = exp(rng_range(&r, -1, 1)), J = mass * rng_range(&r, 0.02, 0.2);
        for (int k = 0; k < 3; k++) position[b][k] = s->planar && k == 2 ? 0 : rng_range(&r, -1, 1);
        at += sprintf(at, "  b%d: {mass: %.17g, inertia: ", b, mass);
        at += s->planar ? sprintf(at, "%.17g", J) : sprintf(at, "[%.17g, %.17g, %.17g]", J, 1.1 * J, 1.4 * J);
        at += sprintf(at, ", position: ");
        put_vector(&at, s->planar, position[b]);
        at += sprintf(at, ", frames: {");
        for (int i = b; i < s->feet; i += s->bodies) {
            double local[3];
            for (int k = 0; k < 3; k++) local[k] = s->planar && k == 2 ? 0 : rng_range(&r, -0.5, 0.5);
            if (standing) local[up] = radius[i] - position[b][up];
            for (int k = 0; k < 3; k++) foot[i][k] = position[b][k] + local[k];
            at += sprintf(at, "%sf%d: ", i > b ? ", " : "", i);
            put_vector(&at, s->planar, local);
        }
        at += sprintf(at, ", pin: ");
        double local[3] = {0};
        for (int k = 0; k < 3 && b > 0; k++) local[k] = position[0][k] - position[b][k];
        put_vector(&at, s->planar, local);
        at += sprintf(at, "}}\n");
    }
    if (joints && s->bodies > 1) {
        at += sprintf(at, "joints:\n");
        for (int b = 1; b < s->bodies; b++)
            at += sprintf(at, "  j%d: {type: %s, a: b0.pin, b: b%d.pin}\n", b,
                          s->planar ? "revolute" : "spherical", b);
    }
    if (standing) put_standing(&at, s, radius);
    else put_contacts(&at, &r, s, foot, radius);
    sprintf(at, "run: {end: 1}\n");
}

// ---- one impact -------------------------------------------------------------------------------------------

typedef struct outcome {
    double before[FEET], after[FEET];        // u_N
    double slip[FEET][2];                    // u_T after the impact
    double push[FEET], tangential[FEET][2];  // P_N, P_T
    double compression[FEET];                // P_N before the greatest compression, by Poisson's law
    double energy[2];
    int count;
    bool other_law, locks;
} outcome;

// Modes of the feet and their friction
static int foot_mode(const tml_sim *sim, int i) { return sim->model->force[i].mode - 1; }

static void set_all(const tml_sim *sim, tml_state *x, double mode)
{
    for (int i = 0; i < sim->sys->nmode; i++) x->mode[i] = mode;
}

static double kinetic(tml_sim *sim, const tml_state *x)
{
    double T, V, P;
    tml_error err = {0};
    OK(sim->sys->ops->energy(sim->sys->self, sim->work, x, &T, &V, &P, &err));
    return T;
}

// (1), the first: M du + B' lambda with all rows in force, where no other force depends on lambda
static void check_momentum(tml_sim *sim, tml_state *x, const double *du, const double *impulse)
{
    const tml_system *s = sim->sys;
    double *motion = calloc((size_t)(2 * s->n + s->m), sizeof *motion), *none = motion + s->n,
           *phi = none + s->n, size = 0;
    tml_error err = {0};
    set_all(sim, x, TML_SWITCH_HELD);
    memset(x->udot, 0, (size_t)s->n * sizeof *x->udot);
    memset(x->lambda, 0, (size_t)s->m * sizeof *x->lambda);
    OK(s->ops->residual(s->self, sim->work, x, NULL, none, phi, &err));
    memcpy(x->udot, du, (size_t)s->n * sizeof *x->udot);
    OK(s->ops->residual(s->self, sim->work, x, NULL, motion, phi, &err));
    for (int j = 0; j < s->n; j++) size = fmax(size, fabs(motion[j] - none[j]));
    memcpy(x->lambda, impulse, (size_t)s->m * sizeof *x->lambda);
    OK(s->ops->residual(s->self, sim->work, x, NULL, motion, phi, &err));
    for (int j = 0; j < s->n; j++) CHECK_SMALL(motion[j] - none[j], 1e-10 * size + 1e-14);
    free(motion);
}

// The rates of all feet, and of their slip (may be NULL)
static void rates_of(tml_sim *sim, const scene *c, tml_state *x, double *normal, double (*slip)[2])
{
    const tml_system *s = sim->sys;
    double *rate = calloc((size_t)s->m + 1, sizeof *rate);
    tml_error err = {0};
    set_all(sim, x, TML_SWITCH_HELD);
    OK(s->ops->velocity(s->self, sim->work, x, rate, &err));
    for (int i = 0; i < c->feet; i++) {
        const int mode = foot_mode(sim, i);
        normal[i] = rate[s->switches[mode].row];
        for (int k = 0; slip && k < 2; k++)
            slip[i][k] = c->mu > 0 && k < (c->planar ? 1 : 2) ? rate[s->switches[mode + 1 + k].row] : 0;
    }
    free(rate);
}

// A state with random velocities that the joints allow, in which those feet that approach are struck.
static bool set_state(tml_sim *sim, const scene *c, rng *r, tml_state *x, double *before)
{
    tml_error err = {0};
    bool any = false;
    tml_state_copy(x, tml_sim_state(sim));
    set_all(sim, x, TML_SWITCH_RELEASED);
    for (int j = 0; j < sim->sys->n; j++) x->u[j] = rng_range(r, -1, 1);
    tmli_consistent_rows_changed(&sim->consistent);
    OK(tmli_consistent_project(&sim->consistent, x, &err));
    rates_of(sim, c, x, before, NULL);
    set_all(sim, x, TML_SWITCH_RELEASED);
    for (int i = 0; i < c->feet; i++) {
        if (before[i] < 0) x->mode[foot_mode(sim, i)] = TML_SWITCH_STRUCK;
        any = any || before[i] < 0;
    }
    return any;
}

static outcome strike(tml_sim *sim, const scene *c, const tml_state *from)
{
    const tml_system *s = sim->sys;
    outcome o = {.count = 0};
    tml_error err = {0};
    tml_state *x = NULL;
    tmli_impulse_work done;
    OK(tml_state_create(s, &x, &err));
    tml_state_copy(x, from);
    sim->impacts.told_law = sim->impacts.told_share = false;
    o.energy[0] = kinetic(sim, x);
    // TML_RETRY: the forces after the impact lock themselves (Painleve), whatever its impulses
    const tml_status st = tmli_impacts_apply(&sim->impacts, x, false, &o.count, &done, &err);
    if (st != TML_OK && st != TML_RETRY) fail_msg("%s", err.msg);
    o.locks = st == TML_RETRY;
    o.other_law = sim->impacts.told_law || sim->impacts.told_share;
    o.energy[1] = kinetic(sim, x);
    // the work of the impulses explains the change of the energy, to the round-off of its largest part
    if (!o.locks) {
        const double largest = fmax(fmax(o.energy[0], fabs(done.struck)), fabs(done.rubbed));
        CHECK_CLOSE(done.unexplained, 0, 1e-11 * largest);
        CHECK_CLOSE(done.struck + done.rubbed + done.friction - done.driven, o.energy[0] - o.energy[1],
                    1e-11 * largest);
    }
    for (int i = 0; i < c->feet; i++) {
        const int mode = foot_mode(sim, i);
        o.push[i] = sim->impacts.impulse[mode];
        for (int k = 0; c->mu > 0 && k < (c->planar ? 1 : 2); k++)
            o.tangential[i][k] = -sim->impacts.row_impulse[s->switches[mode + 1 + k].row];
    }
    for (int k = 0; k < sim->impacts.rows.law.groups; k++)
        for (int i = 0; i < c->feet; i++)
            if (sim->impacts.rows.owner[k] == foot_mode(sim, i))
                o.compression[i] = sim->impacts.rows.compression[sim->impacts.rows.law.group[k].first];
    rates_of(sim, c, x, o.after, o.slip);
    for (int j = 0; j < s->n; j++) x->udot[j] = x->u[j] - from->u[j];
    double *du = calloc((size_t)s->n, sizeof *du);
    memcpy(du, x->udot, (size_t)s->n * sizeof *du);
    tml_state_copy(x, from);
    check_momentum(sim, x, du, sim->impacts.row_impulse);
    free(du);
    tml_state_destroy(x, s);
    return o;
}

// ---- the law ----------------------------------------------------------------------------------------------

// Rates are of the size 1, impulses too; both are solved for to 1e-11 of that, times a condition number.
#define TOL 1e-8

static void check_cone(const scene *c, const outcome *o, bool newton)
{
    for (int i = 0; i < c->feet; i++) {
        const double *T = o->tangential[i], *v = o->slip[i], size = hypot(T[0], T[1]),
                     slip = hypot(v[0], v[1]), cone = c->mu * o->push[i];
        if (!(o->push[i] >= 0)) fail_msg("foot %d pulls with %g", i, o->push[i]);
        if (!(o->after[i] >= -TOL)) fail_msg("foot %d approaches with %g", i, o->after[i]);
        if (!(size <= cone + TOL)) fail_msg("foot %d: %g is not within the cone of %g", i, size, cone);
        // in one phase an impulse inside the cone means stick; the sum of two phases may slip
        for (int k = 0; k < 2 && newton; k++) CHECK_SMALL(T[k] * slip + cone * v[k], TOL);
        if (size >= cone * (1 - 1e-12) && size > 1e-6 && slip > 1e-6)
            CHECK_CLOSE((T[0] * v[0] + T[1] * v[1]) / (size * slip), -1, 1e-5);
    }
    assert_true(o->energy[1] <= o->energy[0] * (1 + 1e-10));
}

// (3), (4)
static void check_restitution(const scene *c, const outcome *o, bool newton, const double *before)
{
    for (int i = 0; i < c->feet; i++) {
        if (before[i] >= 0) continue;
        if (!newton) {
            const double wanted = (1 + c->e[i]) * o->compression[i];
            assert_true(o->push[i] >= wanted - TOL);
            if (o->after[i] > 1e-6) CHECK_CLOSE(o->push[i], wanted, TOL);
        } else {
            assert_true(o->after[i] >= -c->e[i] * before[i] - TOL);
            if (o->push[i] > 1e-6) CHECK_CLOSE(o->after[i], -c->e[i] * before[i], TOL);
        }
    }
}

static void random_impacts(void **state)
{
    (void)state;
    const int models = less_if_slow("most models") ? 20 : 360;
    int impacts = 0, other = 0, locked = 0;
    for (int k = 0; k < models; k++) {
        char text[8000];
        scene c;
        tml_error err = {0};
        tml_model *model[2];
        tml_sim *sim[2];
        for (int e = 0; e < 2; e++) {  // without and with restitution
            write_model(text, 1000 + (uint64_t)k, &c, e == 1);
            sim[e] = sim_of_text(text, "erk8", 0, &model[e]);
        }
        rng r = rng_seed(77 + (uint64_t)k);
        tml_state *x = NULL, *y = NULL;
        OK(tml_state_create(sim[1]->sys, &x, &err));
        OK(tml_state_create(sim[0]->sys, &y, &err));
        for (int i = 0; i < STATES; i++) {
            double before[FEET];
            if (!set_state(sim[1], &c, &r, x, before)) continue;
            tml_state_copy(y, x);
            const outcome o = strike(sim[1], &c, x), dead = strike(sim[0], &c, y);
            const bool newton = !c.poisson && !o.other_law;
            impacts += 2;
            other += o.other_law;
            locked += o.locks + dead.locks;
            check_cone(&c, &dead, true);
            check_cone(&c, &o, newton);
            if (newton || c.same) check_restitution(&c, &o, newton, before);
            assert_false(c.poisson && c.same && o.other_law);
            assert_false(dead.other_law);
        }
        tml_state_destroy(x, sim[1]->sys);
        tml_state_destroy(y, sim[0]->sys);
        for (int e = 0; e < 2; e++) end_sim(sim[e], model[e]);
    }
    print_message("%d impacts, %d by another law than given, %d lock after it\n", impacts, other, locked);
    assert_true(impacts > 28 * models);
}

// ---- round-off --------------------------------------------------------------------------------------------

// Impulses of `contacts` points of something with `freedoms` degrees of freedom, W = g g' and b = g v with
// relative errors of `noise`.
static void strike_with_noise(tmli_impact_law *law, int contacts, int freedoms, uint64_t seed, double noise)
{
    const int n = law->rows = 3 * contacts;
    double g[9][2], v[2];
    rng r = rng_seed(seed), e = rng_seed(seed + 1);
    law->groups = contacts;
    for (int k = 0; k < contacts; k++)
        law->group[k] = (tmli_impact_group){.first = 3 * k, .normals = 1, .tangents = 2, .mu = 0.47};
    for (int j = 0; j < freedoms; j++) v[j] = rng_range(&r, -1, 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < freedoms; j++) g[i][j] = rng_range(&r, -1, 1);
    for (int i = 0; i < n; i++) {
        double rate = 0, sign = 1;
        for (int j = 0; j < freedoms; j++) rate += g[i][j] * v[j];
        if (i % 3 == 0 && rate > 0) sign = -1;  // normals point against the motion
        for (int j = 0; j < freedoms; j++) g[i][j] *= sign;
        law->terms[i] = fabs(rate);
        law->b[i] = sign * rate * (1 + noise * rng_range(&e, -1, 1));
        for (int k = 0; k <= i; k++) {
            law->W[i * n + k] = 0;
            for (int j = 0; j < freedoms; j++) law->W[i * n + k] += g[i][j] * g[k][j];
            law->W[k * n + i] = law->W[i * n + k] *= 1 + noise * rng_range(&e, -1, 1);
        }
    }
    assert_true(tmli_impact_law_solve(law, false));
}

// Where rows depend on each other many impulses stop the motion. Which of them are found shows in Poisson's
// law, by the expansion, and must not be a matter of round-off, also that of equations with mass ratios of
// 1e6. It is amplified by the condition of the rows that do not depend on others.
static void round_off_selects_no_impulses(void **state)
{
    (void)state;
    const tml_env env = {0};
    tmli_impact_law one, two;
    tml_error err = {0};
    OK(tmli_impact_law_create(&env, 9, &one, &err));
    OK(tmli_impact_law_create(&env, 9, &two, &err));
    for (uint64_t seed = 1; seed <= 600; seed++) {
        const int contacts = 1 + (int)(seed % 3), freedoms = 1 + (int)(seed / 3 % 2);
        const double noise = seed % 2 ? 4e-16 : 1e-11;
        double largest = 0;
        strike_with_noise(&one, contacts, freedoms, 5 * seed, 0);
        strike_with_noise(&two, contacts, freedoms, 5 * seed, noise);
        for (int i = 0; i < one.rows; i++) largest = fmax(largest, fabs(one.p[i]));
        for (int i = 0; i < one.rows; i++) CHECK_CLOSE(one.p[i], two.p[i], 1e-5 * largest);
    }
    tmli_impact_law_clear(&one);
    tmli_impact_law_clear(&two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_impacts),
                                       cmocka_unit_test(round_off_selects_no_impulses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
