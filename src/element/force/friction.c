// Dry friction along a coordinate x (a measure with gradient g and second derivative N) with the rate v:
//   Q = -F g,   F = s (Fc + (Fs - Fc) exp(-(v/vs)^2)) + c v,      s = +-1: the direction of slip         (1)
//   -Q_d = F N + g F_v (u'N)',   -Q_u = g F_v g',   F_v = c - 2 s v (Fs - Fc) exp(-(v/vs)^2)/vs^2        (2)
// A regularized law has s = tanh(v/vc), smooth at rest, where it creeps. LuGre friction has bristles with the
// deflection z, a first-order state (Canudas de Wit et al., IEEE Trans. Autom. Control 40 (1995) 419):
//   zdot = v - z |v|/G(v),  G = (Fc + (Fs - Fc) exp(-(v/vs)^2))/s0,   F = s0 z + s1 zdot + c v            (4)
//
// Coulomb's law has a mode: RELEASED with the sign of the slip, or HELD, it sticks (switches.h). While it
// sticks, its stick row v = 0 is in force (model.h), F is the multiplier of the row, and (1) is 0. It slips
// when |F| exceeds Fs, in the direction sign(F) of the forces that it cannot hold; it sticks when v passes
// zero. Whether it can hold is seen at once by the multiplier, and then it slips in the other direction;
// where others move the coordinate in spite of the row, it slips with their motion.
// DRIVEN, with the sign of the slip, is friction that never sticks, because all motion is prescribed.
//   event function:   s v + v0 in slip,   Fs - |F| in stick                                               (3)
// v0 is a speed of round-off: what others hold, such as a closed limit, does not turn round without end. Fs
// has the room of round-off, too: where a slider without mass stops, the force is that of slip, and falls
// from there on.
//
// With the load of the joint itself (load.h), Fc and Fs in all of this are N times what a unit of load gives,
// and (4) has F = N (s0 z + s1 zdot) + c v: bristles per unit of load, whose deflection is independent of it.
// N is a function of lambda: the equations of motion are no longer linear in the multipliers, and
//   -Q_d, -Q_lambda += g F_N N_d, g F_N N_lambda                                                          (5)
#include "element/force/along.h"
#include "element/force/load.h"
#include "element/force/unilateral.h"

#include <math.h>

#include "base/tolerances.h"

typedef struct friction {
    int slot[2];
    bool smooth;       // regularized
    int bristle;       // lugre: node of z; -1: none
    int bristle_slot;  // its slot
    double s0, s1;     // lugre: stiffness and damping of the bristles
    double Fc, Fs;     // [N or N m]; with the load of a joint: per unit of it [1 or m]
    double vs;         // [m/s or rad/s]; 0: the force falls from Fs to Fc at once
    double viscous;    // c
    double creep;      // vc
    double rest;       // [m/s or rad/s] a speed that is zero but for round-off
    double stop;       // [m/s or rad/s] a speed that is zero but for the error of a located state
    double noise;      // [m/s^2 per N or rad/s^2 per N m] as in along.h
} friction;

// The forces of friction, given directly or by a coefficient.
static tml_status set_forces(const tmli_force_builder *b, const tmli_force_entry *e, bool angle, friction *d)
{
    const tml_friction_def *f = &e->def.friction;
    const bool by_load = !isnan(f->coefficient) || !isnan(f->static_coefficient);
    if (!by_load && isnan(f->coulomb))
        return tmli_fail_at(b->err, TML_ERR_MODEL, e->at.at,
                            "friction '%s' has no force: give 'coulomb', or 'coefficient' and 'load'",
                            e->def.name);
    if (by_load && (!isnan(f->coulomb) || !isnan(f->static_force)))
        return tmli_fail_at(
            b->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "coefficient"),
            "friction '%s' has both forces and coefficients; give 'coulomb' and 'static', or 'coefficient', "
            "'static_coefficient' and 'load'",
            e->def.name);
    if (by_load && isnan(f->coefficient))
        return tmli_fail_at(b->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "static_coefficient"),
                            "friction '%s': 'coefficient' is missing", e->def.name);
    if (by_load && isnan(f->load) && !f->load_of_reaction)
        return tmli_fail_at(b->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "coefficient"),
                            "friction '%s' has a coefficient without a load: give 'load' in N, or 'load: "
                            "reaction' for that of the joint",
                            e->def.name);
    if (!by_load && (!isnan(f->load) || f->load_of_reaction))
        return tmli_fail_at(b->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "load"),
                            "friction '%s': 'load' belongs to 'coefficient'", e->def.name);
    if (by_load && angle && isnan(f->radius))
        return tmli_fail_at(b->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "coefficient"),
                            "friction '%s' acts along an angle: give the 'radius' at which the load acts",
                            e->def.name);
    const double load = f->load_of_reaction ? 1 : f->load,
                 unit = by_load ? load * (angle ? f->radius : 1) : 1;
    d->Fc = unit * (by_load ? f->coefficient : f->coulomb);
    d->Fs = unit * (by_load ? f->static_coefficient : f->static_force);
    if (isnan(d->Fs)) d->Fs = d->Fc;
    if (d->Fs < d->Fc)
        return tmli_fail_at(
            b->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, by_load ? "static_coefficient" : "static"),
            "friction '%s': the static force %g is less than that of slip, %g", e->def.name, d->Fs, d->Fc);
    return TML_OK;
}

// f->load, if the reaction of the joint is the load
static tml_status find_load(const tmli_force_builder *b, const tmli_force_entry *e, tmli_force *f)
{
    if (!e->def.friction.load_of_reaction) return TML_OK;
    f->load = tmli_load_find_joint(b->m, f->use);
    f->nloads = 1;
    if (f->load >= 0) return TML_OK;
    return tmli_fail_at(b->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "load"),
                        "friction '%s': '%s' is not the coordinate of a joint whose reaction is a load (a "
                        "revolute, prismatic, cylindrical, universal, planar or point-on-line joint); give "
                        "'load' in N",
                        e->def.name, e->def.of);
}

// Its state NAME_bristle is added by spec/along.c.
static tml_status build_bristle(const tmli_force_builder *b, const tmli_force_entry *e, tmli_force *f,
                                friction *d)
{
    const tml_model *m = b->m;
    const tml_friction_def *def = &e->def.friction;
    d->s0 = def->bristle_stiffness;
    d->s1 = def->bristle_damping;
    if (isnan(d->s0))
        return tmli_fail_at(b->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "law"),
                            "friction '%s': the law lugre needs 'bristle_stiffness'", e->def.name);
    if (!(d->Fc > 0))
        return tmli_fail_at(b->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "coulomb"),
                            "friction '%s': the law lugre needs a force > 0", e->def.name);
    d->bristle = tmli_model_state_node(m, e->at.first_state);
    const int *node = m->measure_use[f->use].node, all[3] = {node[0], node[1], d->bristle};
    int slot[3];
    const tml_status st = tmli_force_plan(b, f, 3, all, slot);
    d->slot[0] = slot[0];
    d->slot[1] = slot[1];
    d->bristle_slot = slot[2];
    return st;
}

static tml_status build(const tmli_force_builder *b, const tmli_force_entry *e, tmli_force *f)
{
    friction *d = f->data;
    tml_model *m = b->m;
    const tml_friction_def *def = &e->def.friction;
    tml_status st =
        tmli_model_find_coordinate(b->spec, m, e->def.of, tmli_entry_mark(&e->at, "of"), &f->use, b->err);
    if (st != TML_OK) return st;
    const tmli_measure_use *use = &m->measure_use[f->use];
    st = set_forces(b, e, use->measure.kind == TMLI_ANGLE, d);
    if (st == TML_OK) st = find_load(b, e, f);
    if (st != TML_OK) return st;
    d->smooth = def->law == TML_FRICTION_REGULARIZED;
    d->vs = isnan(def->stribeck) ? 0 : def->stribeck;
    d->viscous = def->viscous;
    d->creep = def->creep;
    if (d->smooth && isnan(d->creep))
        return tmli_fail_at(b->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "law"),
                            "friction '%s': a regularized law needs 'creep', the speed of creep",
                            e->def.name);
    if (!d->smooth && !isnan(d->creep))
        return tmli_fail_at(b->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "creep"),
                            "friction '%s': 'creep' belongs to the law regularized", e->def.name);
    if (def->law != TML_FRICTION_LUGRE && !isnan(def->bristle_stiffness))
        return tmli_fail_at(b->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "bristle_stiffness"),
                            "friction '%s': 'bristle_stiffness' belongs to the law lugre", e->def.name);
    d->bristle = -1;
    if (def->law == TML_FRICTION_LUGRE) return build_bristle(b, e, f, d);
    f->is_scalar = f->load < 0;
    d->rest = tmli_along_rest(m, f->use);
    d->stop = tmli_along_stop(m, f->use);
    f->nmodes = !d->smooth;
    d->noise = tmli_along_noise_of(m, f->use);
    return tmli_force_plan(b, f, 2, use->node, d->slot);
}

// A force along the coordinate with its derivatives by the rate and by the load.
typedef struct scalar {
    double F, F_v, F_N;
} scalar;

// N of the joint; 1 if the forces are given. by_lambda, by_d: as in load.h.
static double load_of(const tmli_force *f, const tmli_view *w, double *by_lambda, double *by_d)
{
    return f->load < 0 ? 1 : tmli_load_of(w, f->load, by_lambda, by_d);
}

// (1); sticking friction has no force of its own.
static scalar law(const friction *d, double mode, double N, double v)
{
    double s = tmli_mode_fixes_branch(mode) ? copysign(1, mode) : v > 0 ? 1 : v < 0 ? -1 : 0, s_v = 0;
    if (mode == TML_SWITCH_HELD) return (scalar){0};
    if (d->smooth) {
        s = tanh(v / d->creep);
        s_v = (1 - s * s) / d->creep;
    }
    const double ratio = d->vs > 0 ? v / d->vs : 0,
                 fall = d->vs > 0 ? (d->Fs - d->Fc) * exp(-ratio * ratio) : 0;
    double slope = s_v * (d->Fc + fall);
    if (d->vs > 0) slope -= 2 * s * fall * ratio / d->vs;
    return (scalar){.F = s * N * (d->Fc + fall) + d->viscous * v,
                    .F_v = N * slope + d->viscous,
                    .F_N = s * (d->Fc + fall)};
}

static double mode_of(const tmli_force *f, const tmli_view *w)
{
    const double *mode = tmli_modes(w->x, f->mode);
    return mode ? mode[0] : TML_SWITCH_UNSET;
}

// (4): F and zdot, and their derivatives by v, z and N
typedef struct bristles {
    double F, F_v, F_z, F_N, rate, rate_v, rate_z;
} bristles;

static bristles bristles_of(const tmli_force *f, const tmli_view *w, double N, double v)
{
    const friction *d = f->data;
    const double z = w->x->u[w->m->node[d->bristle].first], ratio = d->vs > 0 ? v / d->vs : 0,
                 fall = d->vs > 0 ? (d->Fs - d->Fc) * exp(-ratio * ratio) : 0, G = (d->Fc + fall) / d->s0,
                 G_v = d->vs > 0 ? -2 * fall * ratio / (d->vs * d->s0) : 0,
                 s = v > 0   ? 1
                     : v < 0 ? -1
                             : 0;
    bristles b;
    b.rate = v - z * fabs(v) / G;
    b.rate_v = 1 - z * s / G + z * fabs(v) * G_v / (G * G);
    b.rate_z = -fabs(v) / G;
    b.F_N = d->s0 * z + d->s1 * b.rate;
    b.F = N * b.F_N + d->viscous * v;
    b.F_v = N * d->s1 * b.rate_v + d->viscous;
    b.F_z = N * (d->s0 + d->s1 * b.rate_z);
    return b;
}

static scalar scalar_force(const tmli_force *f, const tmli_view *w, double N, double v)
{
    const friction *d = f->data;
    if (d->bristle < 0) return law(d, mode_of(f, w), N, v);
    const bristles b = bristles_of(f, w, N, v);
    return (scalar){b.F, b.F_v, b.F_N};
}

// Without the load of a joint.
static double unloaded_force(const tmli_force *f, const tmli_view *w, double x, double v, double by[2])
{
    (void)x;
    const scalar k = scalar_force(f, w, 1, v);
    if (by) by[0] = 0, by[1] = k.F_v;
    return k.F;
}

static void force(const tmli_force *f, const tmli_view *w, double *Q)
{
    const friction *d = f->data;
    tmli_along k;
    tmli_along_of(w, f->use, &k);
    const double N = load_of(f, w, NULL, NULL), F = scalar_force(f, w, N, k.v).F;
    if (d->bristle >= 0) Q[6 * d->bristle_slot] += bristles_of(f, w, N, k.v).rate;
    for (int side = 0; side < 2; side++) tmli_add_slot(Q, d->slot[side], k.g + 6 * side, -F);
}

static void tangent(const tmli_force *f, const tmli_view *w, double *H, double *D)
{
    const friction *d = f->data;
    const int width = 6 * f->plan.nslots;
    tmli_along k;
    double row[12], N_d[12] = {0}, second[144] = {0};
    tmli_along_of(w, f->use, &k);
    const double N = load_of(f, w, NULL, N_d);
    const scalar by = scalar_force(f, w, N, k.v);
    tmli_measure_row(k.measure, k.A, k.B, k.u, row);
    tmli_measure_add_hessian(k.measure, k.A, k.B, by.F, second);
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12 && d->slot[i / 6] >= 0; j++) {  // (2), (5)
            if (d->slot[j / 6] < 0) continue;
            const int at = (6 * d->slot[i / 6] + i % 6) * width + 6 * d->slot[j / 6] + j % 6;
            H[at] += second[12 * i + j] + k.g[i] * (by.F_v * row[j] + by.F_N * N_d[j]);
            D[at] += by.F_v * k.g[i] * k.g[j];
        }
    if (d->bristle < 0) return;
    const bristles b = bristles_of(f, w, N, k.v);
    const int z = 6 * d->bristle_slot;
    D[z * width + z] -= b.rate_z;
    for (int i = 0; i < 12; i++) {
        if (d->slot[i / 6] < 0) continue;
        const int at = 6 * d->slot[i / 6] + i % 6;
        D[at * width + z] += k.g[i] * b.F_z;
        D[z * width + at] -= b.rate_v * k.g[i];
        H[z * width + at] -= b.rate_v * row[i];
    }
}

// (5)
static void by_multipliers(const tmli_force *f, const tmli_view *w, double *C)
{
    const friction *d = f->data;
    const int rows = w->m->constraint[f->load].nrows;
    double N_lambda[TMLI_JOINT_ROWS];
    tmli_along k;
    tmli_along_of(w, f->use, &k);
    const double N = load_of(f, w, N_lambda, NULL), F_N = scalar_force(f, w, N, k.v).F_N;
    for (int r = 0; r < rows; r++)
        for (int side = 0; side < 2; side++)
            tmli_add_slot(C + r * 6 * f->plan.nslots, d->slot[side], k.g + 6 * side, F_N * N_lambda[r]);
}

static void energy(const tmli_force *f, const tmli_view *w, double *potential, double power[TMLI_WORK_KINDS])
{
    double v;
    (void)potential;
    tmli_along_values(w, f->use, NULL, &v);
    power[f->work] -= scalar_force(f, w, load_of(f, w, NULL, NULL), v).F * v;
}

static double stick_force(const tmli_force *f, const tmli_view *w)
{
    return w->x->lambda[w->m->constraint[f->stick].first];
}

static void channels(const tmli_force *f, const tmli_view *w, double *values)
{
    tmli_along k;
    tmli_along_of(w, f->use, &k);
    const bool sticks = mode_of(f, w) == TML_SWITCH_HELD;
    values[0] = sticks ? stick_force(f, w) : scalar_force(f, w, load_of(f, w, NULL, NULL), k.v).F;
    values[1] = sticks;
}

// ---- stick and slip ---------------------------------------------------------------------------------------

// Acceleration of the coordinate, 0 unless other constraints move it in spite of the row.
static double acceleration(const tmli_force *f, const tmli_view *w, const tmli_along *k, double N)
{
    const friction *d = f->data;
    return tmli_along_acceleration(w, f->use, k, d->noise, N * d->Fs);
}

// A closed limit of the coordinate holds it: its rate is 0 but for the errors of a method.
static bool is_stopped(const tmli_force *f, const tmli_view *w)
{
    for (int i = f->stop; i >= 0; i = w->m->force[i].stop)
        if (mode_of(&w->m->force[i], w) == TML_SWITCH_HELD) return true;
    return false;
}

// (3). Slip that a limit has stopped, with more force than friction has, has no end before the limit opens.
static void event_values(const tmli_force *f, const tmli_view *w, const double *mode, double *values)
{
    const friction *d = f->data;
    tmli_along k;
    values[0] = INFINITY;
    if (!tmli_mode_fixes_branch(mode[0])) return;
    if (mode[0] != TML_SWITCH_HELD && is_stopped(f, w)) return;
    tmli_along_of(w, f->use, &k);
    if (mode[0] != TML_SWITCH_HELD) values[0] = copysign(k.v, mode[0] * k.v) + d->rest;
    else {
        const double N = load_of(f, w, NULL, NULL),
                     least = f->load >= 0 ? tmli_unilateral_least(w->m, f->use) : 0,
                     Fs = N * d->Fs * (1 + TMLI_ROUNDOFF) + least;
        values[0] = acceleration(f, w, &k, N) != 0 ? -fmax(Fs, 1) : Fs - fabs(stick_force(f, w));
    }
}

static double slip_along(double v) { return v > 0 ? TML_SWITCH_RELEASED : -TML_SWITCH_RELEASED; }

static int update_modes(const tmli_force *f, const tmli_view *w, const tmli_view *later, bool all,
                        double *mode)
{
    const friction *d = f->data;
    const double before = mode[0];
    double value;
    tmli_along k;
    (void)later;
    if (!tmli_mode_is_watched(mode[0])) return 0;
    tmli_along_of(w, f->use, &k);
    event_values(f, w, mode, &value);
    if (mode[0] != TML_SWITCH_HELD) value -= d->rest;  // what has stopped with others changes with them
    if (all || mode[0] == TML_SWITCH_UNSET)
        mode[0] = fabs(k.v) <= d->rest ? TML_SWITCH_HELD : slip_along(k.v);
    else if (value < 0 && tmli_mode_is_driven(mode[0])) mode[0] = -mode[0];
    else if (value < 0 && mode[0] != TML_SWITCH_HELD) mode[0] = TML_SWITCH_HELD;
    else if (value < 0) {
        const double moved = acceleration(f, w, &k, load_of(f, w, NULL, NULL));
        const double along = moved == 0 ? stick_force(f, w) : fabs(k.v) > d->stop ? k.v : moved;
        mode[0] = slip_along(along);
    }
    return mode[0] != before;
}

static double creep(const tmli_force *f)
{
    const friction *d = f->data;
    return d->smooth ? d->creep : 0;
}

static const tmli_force_channel friction_channels[] = {{"force", "N or N m", TMLI_CHANNEL_VALUE, true},
                                                       {"sticks", "1", TMLI_CHANNEL_VALUE, true}};

const tmli_force_ops tmli_force_friction = {
    .work = TMLI_WORK_DAMPED,
    .size = sizeof(friction),
    .nchannels = 2,
    .channel = friction_channels,
    .build = build,
    .scalar_force = unloaded_force,
    .force = force,
    .tangent = tangent,
    .by_multipliers = by_multipliers,
    .energy = energy,
    .channels = channels,
    .event_values = event_values,
    .update_modes = update_modes,
    .creep = creep,
    .touch = tmli_along_touch,
};
