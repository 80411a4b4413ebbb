// Tyre with slip; equations in slip.h. All is computed with dual numbers by the 14 variables of the wheel:
// increments of its body, 0..5, its velocity, 6..11, and the deflections, 12 and 13.
#include "element/tyre/slip.h"

#include "element/tyre/dual.h"

#include "element/tyre/constants.h"

tmli_slip_law tmli_slip_law_of(const tml_force_def *def)
{
    const tml_magic_def *const m[2] = {&def->longitudinal, &def->lateral};
    const double stiffness[2] = {def->longitudinal_stiffness, def->cornering_stiffness};
    tmli_slip_law l = {.magic = def->slip_law == TML_SLIP_MAGIC_FORMULA,
                       .load = def->load,
                       .exponent = def->load_exponent,
                       .relaxation = {def->longitudinal_relaxation, def->lateral_relaxation},
                       .damping = def->slip_damping,
                       .trail = def->trail};
    for (int i = 0; i < 2; i++) {
        l.peak[i] = l.magic ? m[i]->D : def->coefficient;
        l.stiffness[i] = m[i]->B;
        l.shape[i] = m[i]->C;
        l.fall[i] = m[i]->E;
        l.scale[i] = l.magic ? 1 / (m[i]->B * m[i]->C) : def->coefficient * def->load / stiffness[i];
    }
    return l;
}

// ---- motion of the wheel ----------------------------------------------------------------------------------

// A vector R a of the body: it turns with the increments 3..5.
static tmli_dual3 turned(const tmli_pose *B, vec3 a, int n)
{
    tmli_dual3 r = tmli_dual3_constant(m3_mulv(&B->R, a));
    const vec3 unit[3] = {v3(1, 0, 0), v3(0, 1, 0), v3(0, 0, 1)};
    for (int j = 0; j < 3 && n > 0; j++) {
        double by[3];
        v3_store(m3_mulv(&B->R, v3_cross(unit[j], a)), by);
        for (int i = 0; i < 3; i++) r.x[i].d[3 + j] = by[i];
    }
    for (int i = 0; i < 3; i++) r.x[i].n = n;
    return r;
}

/** What the contact of a wheel depends on. */
typedef struct wheel_motion {
    tmli_dual3 arm;            // R p
    tmli_dual3 place;          // P - o
    tmli_dual3 axis, spin, v;  // a, w, v_P
    tmli_dual deflection[2];   // d
} wheel_motion;

static wheel_motion motion_of(const tmli_tyre *t, const tmli_pose *B, const double u[6], const double d[2],
                              int n)
{
    const vec3 w = v3_from(u + 3), b = v3_cross(w, t->p), unit[3] = {v3(1, 0, 0), v3(0, 1, 0), v3(0, 0, 1)};
    wheel_motion m = {.arm = turned(B, t->p, n),
                      .axis = turned(B, t->axis, n),
                      .spin = turned(B, w, n),
                      .v = turned(B, b, n)};
    const double from_origin[3] = {B->r.x - t->o.x, B->r.y - t->o.y, B->r.z - t->o.z};
    m.place = m.arm;
    for (int i = 0; i < 3; i++) {
        m.place.x[i].v += from_origin[i];
        m.v.x[i].v += u[i];
    }
    for (int j = 0; j < 3 && n > 0; j++) {
        double w_j[3], v_j[3];
        v3_store(m3_col(&B->R, j), w_j);
        v3_store(m3_mulv(&B->R, v3_cross(unit[j], t->p)), v_j);
        m.place.x[j].d[j] += 1;
        m.v.x[j].d[6 + j] += 1;
        for (int i = 0; i < 3; i++) {
            m.spin.x[i].d[9 + j] = w_j[i];
            m.v.x[i].d[9 + j] = v_j[i];
        }
    }
    for (int i = 0; i < 2; i++) {
        m.deflection[i] = (tmli_dual){.v = d[i], .n = n};
        if (n > 0) m.deflection[i].d[12 + i] = 1;
    }
    return m;
}

// ---- laws -------------------------------------------------------------------------------------------------

// Slip of a deflection, normalized, and the sizes of both forms.
typedef struct slip_of_tyre {
    tmli_dual part[2];  // t_i
    tmli_dual size;     // t
} slip_of_tyre;

// (7)
static slip_of_tyre slip_of(const tmli_slip_law *l, const tmli_dual deflection[2])
{
    slip_of_tyre s;
    for (int i = 0; i < 2; i++)
        s.part[i] = tmli_dual_scale(1 / (l->relaxation[i] * l->scale[i]), deflection[i]);
    tmli_dual r = tmli_dual_hypot(s.part[0], s.part[1]);
    if (r.v > GREATEST_SLIP) r = tmli_dual_constant(GREATEST_SLIP);
    const tmli_dual rest = tmli_dual_sum(-1, r, 1, tmli_dual_constant(1));
    for (int i = 0; i < 2; i++) s.part[i] = tmli_dual_div(s.part[i], rest);
    s.size = tmli_dual_hypot(s.part[0], s.part[1]);
    return s;
}

// (8): forces of a unit of load
static void brush(const tmli_slip_law *l, const slip_of_tyre *s, tmli_dual F[2])
{
    const double psi = s->size.v / 3;
    const tmli_dual real[2] = {tmli_dual_scale(l->scale[0], s->part[0]),
                               tmli_dual_scale(l->scale[1], s->part[1])};
    const tmli_dual size = tmli_dual_hypot(real[0], real[1]);
    const tmli_dual sticks = tmli_dual_of(psi < 1 ? (1 - psi) * (1 - psi) : 0,
                                          psi < 1 ? -2 * (1 - psi) / 3 : 0, &s->size),
                    slides = tmli_dual_of(psi < 1 ? psi * psi * (3 - 2 * psi) : 1,
                                          psi < 1 ? 2 * psi * (1 - psi) : 0, &s->size);
    for (int i = 0; i < 2; i++) {
        tmli_dual sum = tmli_dual_mul(sticks, s->part[i]);
        if (size.v > 0) sum = tmli_dual_sum(1, sum, 1, tmli_dual_mul(slides, tmli_dual_div(real[i], size)));
        F[i] = tmli_dual_scale(l->peak[i], sum);
    }
}

// (9)
static void magic_formula(const tmli_slip_law *l, const slip_of_tyre *s, tmli_dual F[2])
{
    for (int i = 0; i < 2; i++) {
        const double B = l->stiffness[i] * l->scale[i], C = l->shape[i], E = l->fall[i], D = l->peak[i];
        if (!(s->size.v > 0)) {
            F[i] = tmli_dual_scale(D, s->part[i]);  // B C D S = D
            continue;
        }
        const double x = B * s->size.v, y = x * (1 - E) + E * atan(x), y_x = 1 - E + E / (1 + x * x),
                     angle = C * atan(y), slope = D * cos(angle) * C / (1 + y * y) * y_x * B;
        const tmli_dual size = tmli_dual_of(D * sin(angle), slope, &s->size);
        F[i] = tmli_dual_mul(size, tmli_dual_div(s->part[i], s->size));
    }
}

// ---- the wheel --------------------------------------------------------------------------------------------

/** The contact with its directions. */
typedef struct contact {
    tmli_dual F, N;         // of the normal load, see slip.h
    tmli_dual3 m, x, y, q;  // (2), (3)
    tmli_dual3 push;        // n - z' e
    tmli_dual lean;         // n.a
    tmli_dual upright;      // sqrt(1 - lean^2)
    tmli_dual l;
} contact;

// Of the axis across the normal, which is not 0 unless the wheel lies flat.
static tmli_dual size_of(const tmli_dual3 *a)
{
    const tmli_dual square = tmli_dual3_dot(a, a);
    const double size = sqrt(fmax(square.v, LYING * LYING));
    return tmli_dual_of(size, 1 / (2 * size), &square);
}

static contact contact_of(const tmli_tyre *t, const wheel_motion *w, const tmli_tyre_state *state)
{
    contact k;
    const tmli_dual3 e = tmli_dual3_constant(t->e), n = tmli_dual3_constant(t->n);
    const tmli_dual s = tmli_dual3_dot(&e, &w->place), one = tmli_dual_constant(1),
                    z = tmli_dual_of(state->road[0], state->road[1], &s),
                    slope = tmli_dual_of(state->road[1], state->road[2], &s);
    k.lean = tmli_dual3_dot(&n, &w->axis);
    const double upright = tmli_tyre_upright(k.lean.v);
    k.upright = tmli_dual_of(upright, -k.lean.v / upright, &k.lean);
    tmli_dual c = tmli_dual_sum(t->radius, k.upright, 1, z);
    c = tmli_dual_sum(1, c, -1, tmli_dual3_dot(&n, &w->place));  // (1)
    k.push = tmli_dual3_axpy(tmli_dual_scale(-1, slope), &e, &n);
    const tmli_dual width = tmli_dual_hypot(one, slope);
    k.m = tmli_dual3_scale(tmli_dual_div(one, width), &k.push);
    const tmli_dual3 across = tmli_dual3_cross(&w->axis, &k.m);
    k.x = tmli_dual3_scale(tmli_dual_div(one, size_of(&across)), &across);  // (2)
    k.y = tmli_dual3_cross(&k.m, &k.x);
    k.q = tmli_dual3_cross(&k.x, &w->axis);  // (3)
    k.l = tmli_dual_constant(t->radius);
    if (state->stores) k.l = tmli_dual_sum(-1, c, 1, k.l);
    k.F = k.N = tmli_dual_constant(0);
    if (!state->presses) return k;
    // rate of (1)
    const tmli_dual3 turning = tmli_dual3_cross(&w->spin, &w->axis);
    const tmli_dual falls = tmli_dual_mul(k.lean, tmli_dual_div(tmli_dual3_dot(&n, &turning), k.upright));
    tmli_dual rate = tmli_dual_sum(-1, tmli_dual3_dot(&k.push, &w->v), -t->radius, falls);
    const tmli_dual spring = tmli_dual_of(state->spring, state->slope, &c);
    k.F = tmli_dual_sum(1, spring, t->damping, rate);
    k.N = tmli_dual_mul(k.F, width);
    return k;
}

// (6)
static void rates_of(const tmli_slip_law *l, const wheel_motion *w, const contact *k, tmli_dual rate[2])
{
    const tmli_dual3 rolling = tmli_dual3_cross(&w->spin, &k->q),
                     v = tmli_dual3_axpy(tmli_dual_scale(-1, k->l), &rolling, &w->v);
    const tmli_dual slip[2] = {tmli_dual3_dot(&k->x, &v), tmli_dual3_dot(&k->y, &v)},
                    forward = tmli_dual3_dot(&k->x, &w->v),
                    V = tmli_dual_abs(l->magic ? forward : tmli_dual_sum(1, forward, -1, slip[0])),
                    W = tmli_dual_hypot(tmli_dual_scale(1 / l->scale[0], slip[0]),
                                        tmli_dual_scale(1 / l->scale[1], slip[1])),
                    decay = tmli_dual_sum(1, V, 1, W);
    for (int i = 0; i < 2; i++)
        rate[i] = tmli_dual_sum(-1, slip[i], -1 / l->relaxation[i], tmli_dual_mul(decay, w->deflection[i]));
}

// Forces along x and y and the moment about m.
static void forces_of(const tmli_slip_law *l, const contact *k, const slip_of_tyre *s,
                      const tmli_dual rate[2], tmli_dual F[2], tmli_dual *M)
{
    const double share = k->N.v / l->load, psi = s->size.v / 3;
    const double growth = k->N.v > 0 ? pow(share, l->exponent) : 0;
    const tmli_dual L = tmli_dual_of(k->N.v * growth, (1 + l->exponent) * growth, &k->N);
    *M = tmli_dual_constant(0);
    if (l->magic) magic_formula(l, s, F);
    else brush(l, s, F);
    for (int i = 0; i < 2; i++) {
        const tmli_dual damper = tmli_dual_scale(l->damping / l->load, tmli_dual_mul(k->N, rate[i]));
        F[i] = tmli_dual_sum(1, tmli_dual_mul(L, F[i]), 1, damper);  // (10)
    }
    if (psi >= 1) return;
    const double left = 1 - psi;
    const tmli_dual fall = tmli_dual_of(left * left * left, -left * left, &s->size);
    *M = tmli_dual_scale(-l->trail * l->peak[1], tmli_dual_mul(fall, tmli_dual_mul(L, s->part[1])));  // (11)
}

void tmli_slip_eval(const tmli_tyre *t, const tmli_slip_law *l, const tmli_pose *B, const double u[6],
                    const double d[2], const double *mode, tmli_slip_state *out, double *H, double *D)
{
    const int n = H ? TMLI_DUALS : 0;
    const wheel_motion w = motion_of(t, B, u, d, n);
    tmli_tyre_at(t, B, u, mode, &out->tyre);
    const contact k = contact_of(t, &w, &out->tyre);
    const slip_of_tyre s = slip_of(l, w.deflection);
    tmli_dual rate[2], F[2], M;
    rates_of(l, &w, &k, rate);
    forces_of(l, &k, &s, rate, F, &M);

    const tmli_dual3 zero = tmli_dual3_constant(v3(0, 0, 0)), n_up = tmli_dual3_constant(t->n);
    tmli_dual3 tangential = tmli_dual3_axpy(F[0], &k.x, &zero);
    tangential = tmli_dual3_axpy(F[1], &k.y, &tangential);
    const tmli_dual3 sum = tmli_dual3_axpy(k.F, &k.push, &tangential),
                     lever = tmli_dual3_scale(tmli_dual_scale(-1, k.l), &k.q);
    // the moment about P: of friction, and of the normal force by (1), F radius lean/upright a x n
    tmli_dual3 moment = tmli_dual3_cross(&lever, &tangential), more = tmli_dual3_cross(&w.axis, &n_up);
    moment = tmli_dual3_axpy(M, &k.m, &moment);
    const tmli_dual leaning =
        tmli_dual_scale(t->radius, tmli_dual_div(tmli_dual_mul(k.F, k.lean), k.upright));
    moment = tmli_dual3_axpy(leaning, &more, &moment);
    more = tmli_dual3_cross(&w.arm, &sum);
    moment = tmli_dual3_axpy(tmli_dual_constant(1), &more, &moment);

    tmli_dual all[8];
    for (int i = 0; i < 3; i++) {
        const tmli_dual3 column = turned(B, v3(i == 0, i == 1, i == 2), n);
        all[i] = sum.x[i];
        all[3 + i] = tmli_dual3_dot(&column, &moment);
    }
    for (int i = 0; i < 2; i++) all[6 + i] = rate[i];
    for (int i = 0; i < 6; i++) out->Q[i] = all[i].v;
    for (int i = 0; i < 2; i++) {
        out->rate[i] = rate[i].v;
        out->force[i] = F[i].v;
        out->slip[i] = l->scale[i] * s.part[i].v;
    }
    const vec3 below = v3(lever.x[0].v, lever.x[1].v, lever.x[2].v);
    out->point = v3_add(v3_add(B->r, m3_mulv(&B->R, t->p)), below);
    out->normal = v3(k.m.x[0].v, k.m.x[1].v, k.m.x[2].v);
    out->friction = v3(tangential.x[0].v, tangential.x[1].v, tangential.x[2].v);
    out->load = k.N.v;
    out->moment = M.v;
    for (int i = 0; i < 8 && H; i++)
        for (int j = 0; j < 8; j++) {
            H[8 * i + j] = j < 6 ? -all[i].d[j] : 0;
            D[8 * i + j] = -all[i].d[6 + j];
        }
}
