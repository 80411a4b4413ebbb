// Work of the forces without a potential, integrated over each step for the energy balance.
//
// The power is evaluated at the points of Lobatto's formulas within a step. The dense output of the explicit
// methods solves for the dependent coordinates, which would cost more than the motion itself. For them the
// state within a step is a polynomial through the states at its ends (system/state/quintic.h), of the bodies
// that the forces with power need, if these are only bodies.
#include "sim/loop.h"
#include "system/state/quintic.h"

#include <math.h>
#include <string.h>

#include "sim/constants.h"

// ---- states within a step ---------------------------------------------------------------------------------

static bool by_ends(const tml_sim *sim) { return sim->method->quintic_inside; }

// The model if the power within a step is that of few bodies, moved by the ends of the step; else NULL.
static const tml_model *powered_bodies(const tml_sim *sim)
{
    const tml_model *m = by_ends(sim) && !sim->moving ? tmli_mb_model(sim->sys) : NULL;
    return m && m->power_of_bodies ? m : NULL;
}

tml_status tmli_sim_create_power(tml_sim *sim, tml_error *err)
{
    const tml_model *m = tmli_mb_model(sim->sys);
    int kinds = 0;
    for (int i = 0; m && i < TMLI_WORK_KINDS; i++) kinds += m->works[i];
    sim->power_parts = 1;
    sim->power_end[1] = 1;
    sim->npowers = kinds > 1 && sim->sys->ops->power_parts ? TMLI_POWERS : 1;
    sim->quintic = tmli_calloc(&sim->env, TMLI_QUINTIC_SIZE(sim->sys->n) + 1, sizeof *sim->quintic);
    sim->power_fit = tmli_calloc(&sim->env, m ? tmli_mb_power_fit_size(m) + 1 : 1, sizeof *sim->power_fit);
    if (!sim->quintic || !sim->power_fit) return tmli_no_memory(err, "simulation");
    return tml_state_create(sim->sys, &sim->step_start, err);
}

void tmli_sim_begin_power(tml_sim *sim)
{
    sim->quintic_known = false;
    if (by_ends(sim) || tmli_sim_repeats_steps(sim) || (sim->model && sim->model->npoles > 0))
        tml_state_copy(sim->step_start, tmli_sim_state(sim));
}

static void interpolate_inside(tml_sim *sim, const tml_state *x, double h, double theta, tml_state *out)
{
    if (!sim->quintic_known) tmli_quintic_fit(sim->sys, sim->step_start, x, h, sim->quintic);
    sim->quintic_known = true;
    tmli_quintic_at(sim->sys, sim->step_start, x, h, theta, sim->quintic, out);
}

void tmli_sim_sample(tml_sim *sim, double t, bool exact, tml_state *out)
{
    const tml_state *x = tmli_sim_state(sim);
    const double theta = 1 - (x->t - t) / sim->last_step;
    if (theta >= 1) tml_state_copy(out, x);
    else if (by_ends(sim) && !exact) interpolate_inside(sim, x, sim->last_step, fmax(theta, 0), out);
    else sim->driver.method->interpolate(sim->driver.self, fmax(theta, 0), out);
    out->t = t;
    tmli_mb_set_poses(sim->model, sim->work, out->q);
}

static bool captures(const tml_sim *sim) { return sim->driver.method->contacts != NULL; }

// ---- power ------------------------------------------------------------------------------------------------

// Nodes of Lobatto's formulas of orders 6 and 12 on 0 .. 1. The second is for methods of high order with long
// steps. On a polynomial of degree 5 through the ends of a step the first is exact for constant forces in the
// plane, and of the order of the polynomial for others.
static const double NODES_ORDER_6[4] = {0, 0.27639320225002103036, 0.72360679774997896964, 1};
static const double NODES_ORDER_12[TMLI_POWER_NODES] = {0,   0.08488805186071653506, 0.26557560326464289310,
                                                        0.5, 0.73442439673535710690, 0.91511194813928346494,
                                                        1};

static const double WEIGHTS_ORDER_6[2] = {1.0 / 12, 5.0 / 12};  // of these nodes, from both ends on
static const double WEIGHTS_ORDER_12[4] = {1.0 / 42, 0.13841302368078297401, 0.21587269060493131171,
                                           128.0 / 525};

static int power_nodes(const tml_sim *sim, const double **node)
{
    *node = sim->many_nodes ? NODES_ORDER_12 : NODES_ORDER_6;
    return sim->many_nodes ? TMLI_POWER_NODES : 4;
}

// Lower orders do not need the second formula, but where steps are as long as prescribed motion allows, which
// has no error: is_rough.
static bool begins_with_many(const tml_sim *sim)
{
    const bool coarse = by_ends(sim) && !sim->moving;
    return sim->driver.method->order >= 6 && !coarse;
}

// The integral of a power over one of the equal parts of a step, times their number, from its values at the
// nodes, by Lobatto's formula.
static double integrate_part(const double *value, int n)
{
    const double *w = n == 4 ? WEIGHTS_ORDER_6 : WEIGHTS_ORDER_12;
    double sum = 0;
    for (int i = 0; i < n / 2; i++) sum += w[i] * (value[i] + value[n - 1 - i]);
    return n % 2 ? sum + w[n / 2] * value[n / 2] : sum;
}

// The same over the share theta of the part. The power is interpolated at the nodes by a polynomial in
// Newton's form, which Gauss' formula of four points integrates exactly.
static double integrate_share(const double *value, const double *node, int n, double theta)
{
    static const double at[4] = {0.06943184420297371239, 0.33000947820757186760, 0.66999052179242813240,
                                 0.93056815579702628761};
    static const double weight[4] = {0.17392742256872692869, 0.32607257743127307131, 0.32607257743127307131,
                                     0.17392742256872692869};
    double c[TMLI_POWER_NODES], sum = 0;
    for (int i = 0; i < n; i++) c[i] = value[i];
    for (int k = 1; k < n; k++)
        for (int i = n - 1; i >= k; i--) c[i] = (c[i] - c[i - 1]) / (node[i] - node[i - k]);
    for (int g = 0; g < 4; g++) {
        double p = c[n - 1];
        for (int i = n - 2; i >= 0; i--) p = c[i] + (theta * at[g] - node[i]) * p;
        sum += weight[g] * p;
    }
    return theta * sum;
}

double tmli_sim_mean_power(const tml_sim *sim, int power, double theta)
{
    const double *node, *value = sim->node_power[power], *end = sim->power_end;
    const int n = power_nodes(sim, &node);
    double sum = 0;
    for (int part = 0; part < sim->power_parts && theta > end[part]; part++, value += n - 1) {
        const double length = end[part + 1] - end[part], share = (theta - end[part]) / length;
        sum += length * (share >= 1 ? integrate_part(value, n) : integrate_share(value, node, n, share));
    }
    return sum;
}

// Methods of second order take small steps, except state-space methods if all motion is driven: their steps
// are as long as the dense output allows.
static bool small_steps(const tml_sim *sim)
{
    const tml_method_ops *method = sim->driver.method;
    return method->order <= 2 && (!sim->moving || method->equations == TML_EQUATIONS_INDEX3);
}

// The parts of a power that was evaluated with `work`; 0 if all work is of one kind: saved simulations hold
// them.
static void take_parts(const tml_sim *sim, const tml_system *s, const void *work, double power[TMLI_POWERS])
{
    power[TMLI_POWER_SUPPLIED] = power[TMLI_POWER_OF_CONTACTS] = 0;
    if (sim->npowers > 1)
        s->ops->power_parts(work, &power[TMLI_POWER_SUPPLIED], &power[TMLI_POWER_OF_CONTACTS]);
}

// With captured contacts the method knows the work of prescribed motions: no force at an instant has that of
// impulses.
static void leave_driven_out(const tml_sim *sim, const tml_state *x, double power[TMLI_POWERS])
{
    const tml_model *m = captures(sim) ? tmli_mb_model(sim->sys) : NULL;
    const double driven = m ? tmli_mb_driven_power(m, x, x->lambda) : 0;
    power[TMLI_POWER_OF_ALL] -= driven;
    power[TMLI_POWER_SUPPLIED] -= driven;
}

// Power [W] of the forces without a potential and of driven constraints at x.
static tml_status evaluate_power(const tml_sim *sim, const tml_system *s, void *work, const tml_state *x,
                                 double power[TMLI_POWERS], tml_error *err)
{
    double kinetic, potential;
    const tml_status st = s->ops->power ? s->ops->power(s->self, work, x, power, err)
                                        : s->ops->energy(s->self, work, x, &kinetic, &potential, power, err);
    if (st != TML_OK) return st;
    take_parts(sim, s, work, power);
    leave_driven_out(sim, x, power);
    return TML_OK;
}

tml_status tmli_sim_energy_at_start(tml_sim *sim, const tml_state *x, double *kinetic, double *potential,
                                    tml_error *err)
{
    const tml_system *s = sim->sys;
    const tml_status st = s->ops->energy(s->self, sim->work, x, kinetic, potential, sim->power_last, err);
    if (st != TML_OK) return st;
    take_parts(sim, s, sim->work, sim->power_last);
    leave_driven_out(sim, x, sim->power_last);
    return TML_OK;
}

// The same if the multipliers of x may not be good enough. If the power depends on them, they come from the
// index-1 system at the projected x: the multipliers of a method are of lower order than its motion, in
// particular within a step. With captured contacts its own have the forces of these.
static tml_status power_at(tml_sim *sim, const tml_state *x, double power[TMLI_POWERS], tml_error *err)
{
    const tml_system *s = sim->sys;
    double without[TMLI_POWERS];
    tml_status st = evaluate_power(sim, s, sim->work, x, power, err);
    const bool good = captures(sim) || (small_steps(sim) && !sim->driver.method->coarse_multipliers);
    if (st != TML_OK || good || !sim->moving) return st;
    tml_state *y = sim->out;
    tml_state_copy(y, x);
    memset(y->lambda, 0, (size_t)s->m * sizeof(double));
    st = evaluate_power(sim, s, sim->work, y, without, err);
    memcpy(y->lambda, x->lambda, (size_t)s->m * sizeof(double));
    // projection fails where constraints become dependent, or keeps what it is given: the integrator's
    // multipliers
    if (st != TML_OK || power[0] == without[0] ||
        tmli_consistent_project(tmli_sim_output_projection(sim), y, NULL) != TML_OK)
        return st;
    tmli_sim_relax(sim, x, y);
    return evaluate_power(sim, s, sim->work, y, power, err);
}

// It can be evaluated in the coordinates of the method, which costs less.
static bool has_power_inside(const tml_sim *sim)
{
    return sim->driver.method->inside && !sim->moving && !powered_bodies(sim);
}

// The same at the last accepted state.
tml_status tmli_sim_power_now(tml_sim *sim, double power[TMLI_POWERS], tml_error *err)
{
    const tmli_driver *d = &sim->driver;
    const tml_system *s = sim->sys;
    void *work = sim->work;
    const tml_state *x = tmli_sim_state(sim);
    if (has_power_inside(sim)) x = d->method->inside(d->self, 1, false, &s, &work);
    return evaluate_power(sim, s, work, x, power, err);
}

// Power [W] at the share theta of the last step, of the size h. Bodies with power: after tmli_mb_power_fit.
static tml_status power_inside(tml_sim *sim, double theta, double h, double power[TMLI_POWERS],
                               tml_error *err)
{
    const tml_state *x = tmli_sim_state(sim);
    const tml_model *m = powered_bodies(sim);
    const tmli_driver *d = &sim->driver;
    if (!m && !by_ends(sim) && has_power_inside(sim)) {
        const tml_system *s;
        void *work;
        x = d->method->inside(d->self, theta, false, &s, &work);
        return evaluate_power(sim, s, work, x, power, err);
    }
    if (m) tmli_mb_power_move(m, sim->step_start, x, h, theta, sim->power_fit, sim->scratch);
    else if (by_ends(sim)) interpolate_inside(sim, x, h, theta, sim->scratch);
    else d->method->interpolate(d->self, theta, sim->scratch);
    return power_at(sim, sim->scratch, power, err);
}

// Whether the formula of order 6 may not be enough for a step of driven motion. With z = w h, w the frequency
// of a power P, the mean of the inner nodes is off by P z^2/60, the third divided difference of the values at
// the nodes is P z^3/6, and the formula is off by P z^6/1512000, which is less than P (z^2/60)^3. The one
// does not see a power that turns round in the middle of the step, the other one with a peak there.
static bool is_rough(const tml_sim *sim, double span)
{
    const double allowed = sim->run.rtol * sim->report.energy_scale, *node = NODES_ORDER_6;
    for (int k = 0; k < sim->npowers; k++) {
        const double *p = sim->node_power[k];
        const double inner = (p[1] + p[2]) / 2 - tmli_sim_mean_power(sim, k, 1);
        double most = 0, third = 0;
        for (int i = 0; i < 4; i++) {
            double product = 1;
            for (int j = 0; j < 4; j++) product *= j == i ? 1 : node[i] - node[j];
            third += p[i] / product;
            most = fmax(most, fabs(p[i]));
        }
        if (span * fabs(inner) * (inner / most) * (inner / most) > allowed) return true;
        if (span * third * (third / most) * 36 / (60 * 60 * 60) > allowed) return true;
    }
    return false;
}

// A part of a rough step, with the powers at the nodes of the formula of order 12.
typedef struct power_part {
    double from, to;  // shares of the step
    double value[TMLI_POWERS][TMLI_POWER_NODES];
} power_part;

// The powers at the inner nodes of a part.
static tml_status fill_part(tml_sim *sim, double span, double h, power_part *part, tml_error *err)
{
    for (int i = 1; i < TMLI_POWER_NODES - 1; i++) {
        double p[TMLI_POWERS];
        const double at = part->from + NODES_ORDER_12[i] * (part->to - part->from);
        const tml_status st = power_inside(sim, at * span / h, h, p, err);
        if (st != TML_OK) return st;
        for (int k = 0; k < sim->npowers; k++) part->value[k][i] = p[k];
    }
    return TML_OK;
}

static void append_part(tml_sim *sim, const power_part *part)
{
    const int per = TMLI_POWER_NODES - 1, at = sim->power_parts * per;
    for (int k = 0; k < sim->npowers; k++)
        memcpy(&sim->node_power[k][at], part->value[k], sizeof part->value[k]);
    sim->power_end[++sim->power_parts] = part->to;
}

// Append a part to those of the step, halved as often as its work needs. reserved: places for parts after it.
static tml_status refine_part(tml_sim *sim, const power_part *whole, int reserved, double span, double h,
                              tml_error *err)
{
    const int last = TMLI_POWER_NODES - 1;
    if (sim->power_parts + 2 + reserved > TMLI_POWER_PARTS) {
        append_part(sim, whole);
        return TML_OK;
    }
    const double middle = (whole->from + whole->to) / 2;
    power_part left = {.from = whole->from, .to = middle}, right = {.from = middle, .to = whole->to};
    double p[TMLI_POWERS], change = 0;
    tml_status st = power_inside(sim, middle * span / h, h, p, err);
    for (int k = 0; k < sim->npowers && st == TML_OK; k++) {
        left.value[k][0] = whole->value[k][0];
        left.value[k][last] = right.value[k][0] = p[k];
        right.value[k][last] = whole->value[k][last];
    }
    if (st == TML_OK) st = fill_part(sim, span, h, &left, err);
    if (st == TML_OK) st = fill_part(sim, span, h, &right, err);
    if (st != TML_OK) return st;
    for (int k = 0; k < sim->npowers; k++) {
        const double halves =
            integrate_part(left.value[k], last + 1) + integrate_part(right.value[k], last + 1);
        change = fmax(change, fabs(integrate_part(whole->value[k], last + 1) - halves / 2));
    }
    if (span * (whole->to - whole->from) * change <= sim->run.rtol * sim->report.energy_scale) {
        append_part(sim, &left);
        append_part(sim, &right);
        return TML_OK;
    }
    st = refine_part(sim, &left, reserved + 1, span, h, err);
    return st == TML_OK ? refine_part(sim, &right, reserved, span, h, err) : st;
}

// A rough step in parts: sim->node_power has one, with many nodes.
static tml_status refine(tml_sim *sim, double span, double h, tml_error *err)
{
    power_part whole = {.from = 0, .to = 1};
    for (int k = 0; k < sim->npowers; k++) memcpy(whole.value[k], sim->node_power[k], sizeof whole.value[k]);
    sim->power_parts = 0;
    return refine_part(sim, &whole, 0, span, h, err);
}

// sim->node_power from the powers at the ends of the step and in its middle; evaluated: from those at the
// inner nodes.
static tml_status fill_nodes(tml_sim *sim, double span, double h, const double *begin, const double *middle,
                             const double *end, bool evaluated, tml_error *err)
{
    const double *node;
    const int last = power_nodes(sim, &node) - 1;
    tml_status st = TML_OK;
    for (int i = 0; i <= last && st == TML_OK; i++) {
        const double c = node[i];
        const bool inside = evaluated && i > 0 && i < last;
        double p[TMLI_POWERS];
        if (inside) st = power_inside(sim, c * span / h, h, p, err);
        for (int k = 0; k < sim->npowers; k++) {
            const double straight = begin[k] + c * (end[k] - begin[k]),
                         bent = 4 * c * (1 - c) * (middle[k] - (begin[k] + end[k]) / 2);
            sim->node_power[k][i] = inside ? p[k] : i == last ? end[k] : straight + bent;
        }
    }
    return st;
}

// Power [W] at the end x of a step, or of its part before a switch. Where a slip ends, the friction of a
// surface has no direction: it is that just before.
static tml_status power_at_end(tml_sim *sim, const tml_state *x, double span, double h,
                               double power[TMLI_POWERS], tml_error *err)
{
    if (x == tmli_sim_state(sim))
        return sim->moving ? power_at(sim, x, power, err) : tmli_sim_power_now(sim, power, err);
    if (small_steps(sim) || !(h > 0)) return power_at(sim, x, power, err);
    return power_inside(sim, (1 - BEFORE_SWITCH) * span / h, h, power, err);
}

// Trapezoidal rule for methods of second order. Long steps of other methods need inner points: otherwise the
// error of the quadrature would exceed that of the motion. For a step that was cut to a quarter or less of
// what its error allows Simpson's rule does, if nothing is driven and the power hardly bends over it: its
// values at the nodes are on the parabola through three. A power P that bends by b P is off by P b^2/45 then,
// of a vibration; beside methods of orders from 6 on this is below a part of the tolerance.
tml_status tmli_sim_add_power(tml_sim *sim, const tml_state *x, double span, double h, tml_error *err)
{
    if (!sim->sys->ops->energy || sim->sys->conservative) return TML_OK;
    double begin[TMLI_POWERS], end[TMLI_POWERS], middle[TMLI_POWERS];
    memcpy(begin, sim->power_last, sizeof begin);
    sim->many_nodes = begins_with_many(sim);
    sim->power_parts = 1;
    sim->power_end[1] = 1;
    bool few = sim->driver.cut && !sim->moving && !small_steps(sim);
    const double bent = sim->many_nodes ? fmin(BENT_POWER, sqrt(sim->run.rtol)) : BENT_POWER;
    const tml_model *m = small_steps(sim) ? NULL : powered_bodies(sim);
    if (m) tmli_mb_power_fit(m, sim->step_start, tmli_sim_state(sim), h, sim->power_fit);
    tml_status st = power_at_end(sim, x, span, h, end, err);
    if (st != TML_OK) return st;
    for (int k = 0; k < sim->npowers; k++) middle[k] = (begin[k] + end[k]) / 2;
    const double mean = middle[0];
    if (few) st = power_inside(sim, span / (2 * h), h, middle, err);
    if (fabs(middle[0] - mean) > bent * fmax(fabs(begin[0]), fabs(end[0]))) few = false;
    if (few) sim->many_nodes = false;
    const bool evaluated = !few && !small_steps(sim);
    if (st == TML_OK) st = fill_nodes(sim, span, h, begin, middle, end, evaluated, err);
    if (st == TML_OK && evaluated && sim->moving && !sim->many_nodes && is_rough(sim, span)) {
        sim->many_nodes = true;
        st = fill_nodes(sim, span, h, begin, middle, end, true, err);
        if (st == TML_OK) st = refine(sim, span, h, err);
    }
    if (st != TML_OK) return st;
    sim->dissipated -= span * tmli_sim_mean_power(sim, TMLI_POWER_OF_ALL, 1);
    for (int k = 1; k < sim->npowers; k++) sim->part[k] += span * tmli_sim_mean_power(sim, k, 1);
    memcpy(sim->power_last, end, sizeof end);
    return TML_OK;
}

double tmli_sim_captured_driven(const tml_sim *sim, double theta)
{
    tml_contact_counters c;
    if (!captures(sim) || !(theta > 0)) return 0;
    sim->driver.method->contacts(sim->driver.self, &c);
    return c.last_impact_driven + theta * (c.last_driven - c.last_impact_driven);
}

double tmli_sim_captured_loss(const tml_sim *sim, double theta)
{
    tml_contact_counters c;
    if (!captures(sim) || !(theta > 0)) return 0;
    sim->driver.method->contacts(sim->driver.self, &c);
    return c.last_impact_loss + theta * (c.last_loss - c.last_impact_loss);
}

// ---- the size of the energies -----------------------------------------------------------------------------

void tmli_sim_raise_energy_scale(tml_sim *sim, double kinetic, double potential, double dissipated)
{
    tml_sim_report *r = &sim->report;
    const double most = fmax(fabs(kinetic), fmax(fabs(potential - r->energy_start), fabs(dissipated)));
    r->energy_scale = fmax(r->energy_scale, most);
}

tml_status tmli_sim_look_at_energy(tml_sim *sim, tml_error *err)
{
    const tml_system *s = sim->sys;
    const long steps = tmli_sim_step_count(sim);
    if (!s->ops->energy || (steps > EVERY_STEP_UP_TO && steps % STEPS_BETWEEN != 0)) return TML_OK;
    double kinetic, potential, power;
    const tml_status st =
        s->ops->energy(s->self, sim->work, tmli_sim_state(sim), &kinetic, &potential, &power, err);
    if (st == TML_OK) tmli_sim_raise_energy_scale(sim, kinetic, potential, sim->dissipated);
    return st;
}
