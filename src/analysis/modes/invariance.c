// A state is steady in axes that turn with O if the equations of small motions are the same after any time
// (steady.c). For large systems they are compared by what they do: with pseudo-random loads b, the
// solutions of
//   P(h) d = M b   at the state,      P(h) d_s = M exp(g s) b   at the state moved by a time s     (1)
// agree, d_s = exp(g s) d, if M, D, K, B and g do, and hardly else. Accelerations agree if P(h) d = M
// (udot_s - exp(g s) udot) has no larger d than errors of the data; at s = 0, udot = g u.
//
// O is that of least size which accelerations show. They have round-off of stiff parts: if a body turns with
// nearly this O, its angular velocity is tried too.
#include "analysis/modes/invariance.h"
#include "consistency/consistent.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/modes/constants.h"

enum { LOADS = 2, TIMES = 2 };

typedef struct test {
    tmli_pencil *p;
    const tml_model *model;
    tmli_consistent consistent;
    tml_state *y;
    tmli_steady axes, moved;  // at the state, and after a time
    tmli_body_axes *body;
    double rate;
    double *a, *b, *c;                // (n)
    double complex *d, *load[LOADS];  // (n) solutions of (1) at the state
} test;

static tml_status allocate(test *t, tml_error *err)
{
    tmli_arena *arena = &t->p->arena;
    const size_t n = (size_t)t->p->n + 1, bodies = (size_t)t->model->nbodies + 1;
    bool all = tmli_arena_alloc_all(arena, TMLI_ARRAY(t->a, n), TMLI_ARRAY(t->b, n), TMLI_ARRAY(t->c, n),
                                    TMLI_ARRAY(t->d, n), TMLI_ARRAY(t->axes.turn, 2 * bodies),
                                    TMLI_ARRAY(t->moved.turn, 2 * bodies), TMLI_ARRAY(t->body, bodies));
    for (int k = 0; k < LOADS; k++) {
        t->load[k] = tmli_arena_alloc(arena, n, sizeof *t->load[k]);
        all = all && t->load[k];
    }
    if (!all) return tmli_no_memory(err, "modes");
    tml_status st = tml_state_create(t->p->sys, &t->y, err);
    if (st == TML_OK)
        st = tmli_consistent_create_redundant(t->p->sys, &tml_linsolver_klu, &t->consistent, err);
    return st;
}

static double largest_of(const tmli_pencil *p, const double *x)
{
    double largest = 0;
    for (int j = 0; j < p->n - p->sys->nz; j++) largest = fmax(largest, fabs(x[j]) / p->unit[j]);
    return largest;
}

static double largest_solution(const tmli_pencil *p, const double complex *d)
{
    double largest = 0;
    for (int j = 0; j < p->n - p->sys->nz; j++)
        if (!(cabs(d[j]) <= largest)) largest = cabs(d[j]);  // true for NAN
    return largest;
}

// d := solution of P(h) d = M a, a (n) accelerations; first-order states aside
static void solve(tmli_pencil *p, const double *a, double complex *d)
{
    const tml_pattern *s = p->sys->pattern;
    memset(d, 0, (size_t)p->n * sizeof *d);
    for (int j = 0; j < p->n - p->sys->nz; j++)
        for (int32_t k = s->colptr[j]; k < s->colptr[j + 1]; k++)
            if (s->rowind[k] < p->n) d[s->rowind[k]] += p->M[k] * a[j] / p->unit[j];
    tmli_pencil_solve(p, d);
}

// The k-th load (n), in units of the coordinates
static void fill_load(const test *t, int k, double *b)
{
    uint64_t seed = 0x2545f4914f6cdd1du + (uint64_t)k;
    for (int j = 0; j < t->p->n; j++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        b[j] = ((double)(seed >> 11) / 9007199254740992.0 - 0.5) * t->p->unit[j];
    }
}

static void set_axes(const test *t, const tml_state *x, vec3 O, tmli_steady *axes)
{
    axes->count = 0;
    axes->omega = O;
    axes->axes = v3_norm(O) > 0 ? TMLI_AXES_TURNING : TMLI_AXES_FIXED;
    for (int i = 0; i < t->model->nbodies; i++) {
        t->body[i] = (tmli_body_axes){O, O};
        tmli_steady_add(axes, t->model, x, i, O, O);
    }
}

// Accelerations at the state are those of the axes; fill the solutions of (1) there.
static tml_status test_start(test *t, bool *same, tml_error *err)
{
    tmli_pencil *p = t->p;
    tml_status st = tmli_pencil_factor(p, fmax(t->rate, 1), err);
    if (st != TML_OK) return st;
    tmli_steady_rate(&t->axes, p->n, p->x->u, t->b);
    for (int j = 0; j < p->n; j++) t->a[j] = p->x->udot[j] - t->b[j];
    solve(p, t->a, t->d);
    *same = largest_solution(p, t->d) <= TMLI_INPUT_ERROR;
    for (int k = 0; k < LOADS && *same; k++) {
        fill_load(t, k, t->a);
        solve(p, t->a, t->load[k]);
    }
    return TML_OK;
}

// x := exp(g time) x for both parts of a complex vector in units
static void turn(const test *t, double time, double complex *x)
{
    const tmli_pencil *p = t->p;
    for (int part = 0; part < 2; part++) {
        for (int j = 0; j < p->n; j++) t->c[j] = p->unit[j] * (part == 0 ? creal(x[j]) : cimag(x[j]));
        tmli_steady_turn(&t->axes, time, t->c);
        for (int j = 0; j < p->n; j++)
            x[j] =
                part == 0 ? t->c[j] / p->unit[j] + cimag(x[j]) * I : creal(x[j]) + t->c[j] / p->unit[j] * I;
    }
}

// The pencil z at y: accelerations and solutions of (1)
static tml_status compare(test *t, tmli_pencil *z, double time, bool *same, tml_error *err)
{
    const tmli_pencil *p = t->p;
    set_axes(t, t->y, t->axes.omega, &t->moved);
    tmli_pencil_set_axes(z, &t->moved);
    const tml_status st = tmli_pencil_factor(z, fmax(t->rate, 1), err);
    if (st != TML_OK) return st;
    memcpy(t->b, p->x->udot, (size_t)p->n * sizeof *t->b);
    tmli_steady_turn(&t->axes, time, t->b);
    for (int j = 0; j < p->n; j++) t->a[j] = t->y->udot[j] - t->b[j];
    solve(z, t->a, t->d);
    *same = largest_solution(p, t->d) <= TMLI_INPUT_ERROR;
    for (int k = 0; k < LOADS && *same; k++) {
        fill_load(t, k, t->a);
        tmli_steady_turn(&t->axes, time, t->a);
        solve(z, t->a, t->d);
        turn(t, -time, t->d);
        const double size = largest_solution(p, t->load[k]);
        for (int j = 0; j < p->n; j++) t->d[j] -= t->load[k][j];
        *same = largest_solution(p, t->d) <= STEADY_ERROR * size;
    }
    return TML_OK;
}

static tml_status test_moved(test *t, double time, bool *same, tml_error *err)
{
    const tml_system *sys = t->p->sys;
    tmli_pencil z = {0};
    tmli_steady_move(sys, t->model, t->body, &t->axes, t->p->x, time, t->a, t->b, t->y);
    if (sys->ops->accept) sys->ops->accept(sys->self, t->p->w, t->y);
    tml_status st = tmli_consistent_accelerations(&t->consistent, t->y, err);
    if (st == TML_OK) st = tmli_pencil_init(&z, sys, t->p->w, t->y, err);
    if (st == TML_OK) st = compare(t, &z, time, same, err);
    tmli_pencil_clear(&z);
    return st;
}

// *same: the motion is steady in axes that turn with O. The axes of the pencil are set, or 0.
static tml_status test_axes(test *t, vec3 O, bool *same, tml_error *err)
{
    tml_error why = {0};
    set_axes(t, t->p->x, O, &t->axes);
    tmli_pencil_set_axes(t->p, &t->axes);
    tml_status st = test_start(t, same, &why);
    for (int k = 1; k <= TIMES && *same && st == TML_OK; k++)
        st = test_moved(t, k * STEADY_ANGLE / fmax(t->rate, DBL_MIN), same, &why);
    if (st != TML_OK) *same = false;
    if (!tmli_is_shortage(st)) return TML_OK;
    if (err) *err = why;
    return st;
}

// Angular velocity of the body that turns nearest to O
static vec3 nearest_spin(const tml_model *m, const tml_state *x, vec3 O)
{
    vec3 best = O;
    double least = INFINITY;
    for (int i = 0; i < m->nbodies; i++) {
        if (m->node[i].ncoords <= 3 && !m->planar) continue;
        const vec3 spin = tmli_node_spin(m, x, i);
        const double apart = v3_norm(v3_sub(spin, O));
        if (apart < least) {
            least = apart;
            best = spin;
        }
    }
    return best;
}

static tml_status find_steady(tmli_pencil *p, const tml_model *model, tmli_spectrum *about, tml_error *err)
{
    test t = {.p = p, .model = model, .rate = about->velocity};
    bool same = false;
    tml_status st = allocate(&t, err);
    if (st == TML_OK) {
        const vec3 O = tmli_steady_rotation(model, p->x, NULL, 0, about->velocity, NULL);
        st = test_axes(&t, O, &same, err);
        if (st == TML_OK && !same) st = test_axes(&t, nearest_spin(model, p->x, O), &same, err);
    }
    if (st == TML_OK && same) {
        about->motion = TMLI_MOTION_STEADY;
        tmli_steady_describe(&t.axes, true, about->axes, sizeof about->axes);
    }
    if (t.consistent.sys) tmli_consistent_clear(&t.consistent);
    tml_state_destroy(t.y, p->sys);
    return st;
}

// At rest: accelerations are 0 up to errors of the data in stiff directions.
static tml_status find_rest(tmli_pencil *p, tmli_spectrum *about, tml_error *err)
{
    double complex *d = tmli_arena_alloc(&p->arena, (size_t)p->n + 1, sizeof *d);
    if (!d) return tmli_no_memory(err, "modes");
    const tml_status st = tmli_pencil_factor(p, 1, err);
    if (st != TML_OK) return st;
    solve(p, p->x->udot, d);
    if (largest_solution(p, d) <= TMLI_INPUT_ERROR) about->motion = TMLI_MOTION_REST;
    return TML_OK;
}

tml_status tmli_invariance_find(tmli_pencil *p, const tml_model *model, tmli_spectrum *about, tml_error *err)
{
    about->velocity = largest_of(p, p->x->u);
    about->acceleration = largest_of(p, p->x->udot);
    about->motion = TMLI_MOTION_CHANGING;
    if (about->velocity > TMLI_INPUT_ERROR) return model ? find_steady(p, model, about, err) : TML_OK;
    if (about->acceleration > TMLI_INPUT_ERROR) return find_rest(p, about, err);
    about->motion = TMLI_MOTION_REST;
    return TML_OK;
}
