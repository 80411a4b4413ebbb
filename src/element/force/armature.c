// Inertia along a coordinate x, a measure with gradient g and second derivative N: rotors behind gears that
// turn with a joint, without the inertia of their casing and without gyroscopic moments. Its energy is
//   T = J xdot^2/2,   xdot = g.u                                                                          (1)
// and with xddot = g.udot + c, c = u'N u,
//   M = J g g',   Q = -J c g                                                                              (2)
//   -Q_d = J (c N + g c_d'),   -Q_u = J g (u'N + N u)',   (M a)_d = J ((g.a) N + g (a'N)')                (3)
// J: [kg m^2] along an angle, [kg] along a distance.
#include "element/force/along.h"

#include <string.h>

typedef struct armature {
    int slot[2];
    double inertia;
} armature;

static tml_status build(const tmli_force_builder *b, const tmli_force_entry *e, tmli_force *f)
{
    armature *d = f->data;
    const tml_status st =
        tmli_model_find_coordinate(b->spec, b->m, e->def.of, tmli_entry_mark(&e->at, "of"), &f->use, b->err);
    if (st != TML_OK) return st;
    d->inertia = f->armature = e->def.armature;
    return tmli_force_plan(b, f, 2, b->m->measure_use[f->use].node, d->slot);
}

// A (6 nslots square) += w N, and += g row' if row (12) is given
static void add_matrix(const tmli_force *f, const tmli_along *k, double w, const double *row, double *A)
{
    const armature *d = f->data;
    const int width = 6 * f->plan.nslots;
    double N[144] = {0};
    if (w != 0) tmli_measure_add_hessian(k->measure, k->A, k->B, w, N);
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12 && d->slot[i / 6] >= 0; j++)
            if (d->slot[j / 6] >= 0)
                A[(6 * d->slot[i / 6] + i % 6) * width + 6 * d->slot[j / 6] + j % 6] +=
                    N[12 * i + j] + k->g[i] * row[j];
}

static void force(const tmli_force *f, const tmli_view *w, double *Q)
{
    const armature *d = f->data;
    tmli_along k;
    tmli_along_of(w, f->use, &k);
    const double c = tmli_measure_quad(k.measure, k.A, k.B, k.u);
    for (int side = 0; side < 2; side++) tmli_add_slot(Q, d->slot[side], k.g + 6 * side, -d->inertia * c);
}

static void tangent(const tmli_force *f, const tmli_view *w, double *H, double *D)
{
    const armature *d = f->data;
    double by_d[12], by_u[12], N[144] = {0};
    tmli_along k;
    tmli_along_of(w, f->use, &k);
    tmli_measure_quad_grad(k.measure, k.A, k.B, k.u, by_d);
    tmli_measure_row(k.measure, k.A, k.B, k.u, by_u);
    tmli_measure_add_hessian(k.measure, k.A, k.B, 1, N);
    for (int i = 0; i < 12; i++) {
        by_d[i] *= d->inertia;
        for (int j = 0; j < 12; j++) by_u[i] += N[12 * i + j] * k.u[j];
        by_u[i] *= d->inertia;
    }
    add_matrix(f, &k, d->inertia * tmli_measure_quad(k.measure, k.A, k.B, k.u), by_d, H);  // (3)
    add_matrix(f, &k, 0, by_u, D);
}

// g.a of accelerations (6 nslots), which are copied to own (12).
static double along(const armature *d, const tmli_along *k, const double *a, double own[12])
{
    double sum = 0;
    for (int i = 0; i < 12; i++) {
        own[i] = d->slot[i / 6] < 0 ? 0 : a[6 * d->slot[i / 6] + i % 6];
        sum += k->g[i] * own[i];
    }
    return sum;
}

static void mass(const tmli_force *f, const tmli_view *w, double *M)
{
    const armature *d = f->data;
    tmli_along k;
    double row[12];
    tmli_along_of(w, f->use, &k);
    for (int i = 0; i < 12; i++) row[i] = d->inertia * k.g[i];
    add_matrix(f, &k, 0, row, M);  // (2)
}

static void inertia(const tmli_force *f, const tmli_view *w, const double *a, double *Q)
{
    const armature *d = f->data;
    tmli_along k;
    double own[12];
    tmli_along_of(w, f->use, &k);
    const double F = d->inertia * along(d, &k, a, own);
    for (int side = 0; side < 2; side++) tmli_add_slot(Q, d->slot[side], k.g + 6 * side, -F);
}

static void mass_tangent(const tmli_force *f, const tmli_view *w, const double *a, double *H)
{
    const armature *d = f->data;
    tmli_along k;
    double own[12], row[12];
    tmli_along_of(w, f->use, &k);
    const double F = d->inertia * along(d, &k, a, own);
    tmli_measure_row(k.measure, k.A, k.B, own, row);
    for (int i = 0; i < 12; i++) row[i] *= d->inertia;
    add_matrix(f, &k, F, row, H);  // (3)
}

// Its energy is kinetic, (1), and Q belongs to the change of M.
static void energy(const tmli_force *f, const tmli_view *w, double *potential, double power[TMLI_WORK_KINDS])
{
    (void)f, (void)w, (void)potential, (void)power;
}

static bool conservative(const tmli_force *f)
{
    (void)f;
    return true;
}

const tmli_force_ops tmli_force_armature = {
    .size = sizeof(armature),
    .build = build,
    .force = force,
    .tangent = tangent,
    .energy = energy,
    .mass = mass,
    .inertia = inertia,
    .mass_tangent = mass_tangent,
    .conservative = conservative,
    .touch = tmli_along_touch,
};
