// The audit of a run: the power of all that has no potential, integrated over each step.
//
// Inner points of a step are those of Lobatto's formulas. A method whose dense output has to find dependent
// positions anew (the explicit ones) would spend more on them than on the motion; there the state between two
// steps is the polynomial of fifth degree through increments d, their rates and second derivatives at both
// ends,
//   d(0) = 0, d'(0) = u0, d''(0) = udot0;   q1 = q0 (+) d(1), u1 = T d', udot1 = T d'' + T' d'            (1)
// which is off the constraints by no more than h^6.
#include "sim/sim.h"

#include <math.h>
#include <string.h>

// ---- between the ends of a step ---------------------------------------------------------------------------

static bool by_ends(const tml_sim *sim) { return sim->method->quintic_inside; }

tml_status tmli_sim_create_power(tml_sim *sim, tml_error *err)
{
    sim->chart = tmli_calloc(&sim->env, 6 * (size_t)sim->sys->n + 1, sizeof *sim->chart);
    if (!sim->chart) return tmli_no_memory(err, "simulation");
    return tml_state_create(sim->sys, &sim->before, err);
}

void tmli_sim_begin_power(tml_sim *sim)
{
    sim->charted = false;
    if (by_ends(sim)) tml_state_copy(sim->before, tml_sim_state(sim));
}

// The coefficients of theta^3, theta^4, theta^5 in d, the rest is known at the start.
static void make_chart(tml_sim *sim, const tml_state *x, double h)
{
    const tml_system *s = sim->sys;
    const tml_state *a = sim->before;
    const int n = s->n;
    double *d = sim->chart, *d1 = d + n, *d2 = d1 + n, *rate = d2 + n;
    s->ops->local(s->self, a->q, x->q, d);
    s->ops->tangent_inverse(s->self, d, x->u, d1);
    memcpy(rate, x->udot, (size_t)n * sizeof *rate);
    if (s->ops->tangent_rate) {
        s->ops->tangent_rate(s->self, d, d1, d2);
        for (int j = 0; j < n; j++) rate[j] -= d2[j];
    }
    s->ops->tangent_inverse(s->self, d, rate, d2);
    for (int j = 0; j < n; j++) {  // what (1) leaves for the three
        const double c1 = h * a->u[j], c2 = h * h / 2 * a->udot[j];
        const double e = d[j] - c1 - c2, e1 = h * d1[j] - c1 - 2 * c2, e2 = h * h * d2[j] - 2 * c2;
        d[j] = 10 * e - 4 * e1 + e2 / 2;
        d1[j] = -15 * e + 7 * e1 - e2;
        d2[j] = 6 * e - 3 * e1 + e2 / 2;
    }
    sim->charted = true;
}

static void between(tml_sim *sim, const tml_state *x, double h, double theta, tml_state *out)
{
    const tml_system *s = sim->sys;
    const tml_state *a = sim->before;
    const int n = s->n;
    if (!sim->charted) make_chart(sim, x, h);
    const double *c3 = sim->chart, *c4 = c3 + n, *c5 = c4 + n;
    double *d = sim->chart + 3 * n, *v = d + n;
    tml_state_copy(out, a);
    out->t = a->t + theta * h;
    for (int j = 0; j < n; j++) {
        const double c1 = h * a->u[j], c2 = h * h / 2 * a->udot[j];
        d[j] = theta * (c1 + theta * (c2 + theta * (c3[j] + theta * (c4[j] + theta * c5[j]))));
        v[j] = (c1 + theta * (2 * c2 + theta * (3 * c3[j] + theta * (4 * c4[j] + 5 * theta * c5[j])))) / h;
    }
    s->ops->retract(s->self, a->q, d, out->q);
    s->ops->tangent(s->self, d, v, out->u);
    for (int r = 0; r < s->m; r++) out->lambda[r] += theta * (x->lambda[r] - a->lambda[r]);
}

// ---- power ------------------------------------------------------------------------------------------------

// Nodes of Lobatto's formulas of orders 6 and 12 on 0 .. 1. The second is for methods of high order, whose
// steps are long.
static const double FEW[4] = {0, 0.27639320225002103036, 0.72360679774997896964, 1};
static const double MANY[TMLI_POWER_NODES] = {0,   0.08488805186071653506, 0.26557560326464289310,
                                              0.5, 0.73442439673535710690, 0.91511194813928346494,
                                              1};

static int power_nodes(const tml_sim *sim, const double **node)
{
    const bool many = sim->driver.method->order > 5;
    *node = many ? MANY : FEW;
    return many ? TMLI_POWER_NODES : 4;
}

// The power as a polynomial through its values at the nodes, in Newton's form, integrated by Gauss' formula
// of four points, which is exact for it.
double tmli_sim_mean_power(const tml_sim *sim, double theta)
{
    static const double at[4] = {0.06943184420297371239, 0.33000947820757186760, 0.66999052179242813240,
                                 0.93056815579702628761};
    static const double weight[4] = {0.17392742256872692869, 0.32607257743127307131, 0.32607257743127307131,
                                     0.17392742256872692869};
    const double *node;
    const int n = power_nodes(sim, &node);
    double c[TMLI_POWER_NODES], sum = 0;
    for (int i = 0; i < n; i++) c[i] = sim->power[i];
    for (int k = 1; k < n; k++)
        for (int i = n - 1; i >= k; i--) c[i] = (c[i] - c[i - 1]) / (node[i] - node[i - k]);
    for (int g = 0; g < 4; g++) {
        double p = c[n - 1];
        for (int i = n - 2; i >= 0; i--) p = c[i] + (theta * at[g] - node[i]) * p;
        sum += weight[g] * p;
    }
    return theta * sum;
}

// Methods of second order take small steps; but those in state space, where all motion is driven, steps as
// long as dense output allows.
static bool small_steps(const tml_sim *sim)
{
    const tml_method_ops *method = sim->driver.method;
    return method->order <= 2 && (!sim->moving || method->equations == TML_EQUATIONS_INDEX3);
}

// The non-conservative power at x. Where multipliers enter, they are taken from the equations, at x brought
// onto the constraints: those of a method of high order are of a lower one than its motion, and between the
// ends of a step even more so.
static tml_status power_at(tml_sim *sim, const tml_state *x, double *power, tml_error *err)
{
    const tml_system *s = sim->sys;
    double kinetic, potential, without;
    tml_status st = s->ops->energy(s->self, sim->work, x, &kinetic, &potential, power, err);
    if (st != TML_OK || small_steps(sim) || !sim->moving) return st;
    tml_state *y = sim->out;
    tml_state_copy(y, x);
    memset(y->lambda, 0, (size_t)s->m * sizeof(double));
    st = s->ops->energy(s->self, sim->work, y, &kinetic, &potential, &without, err);
    // where the constraints become dependent the integrator's multipliers are the best there are
    if (st != TML_OK || *power == without || tmli_consistent_project(&sim->consistent, y, NULL) != TML_OK)
        return st;
    return s->ops->energy(s->self, sim->work, y, &kinetic, &potential, power, err);
}

// Integral of the non-conservative power up to x, for the audit: by trapezoids for methods of second order,
// else at inner points too, or large steps would show more in the audit than in the motion. span: of the step
// up to x, h: all of it.
tml_status tmli_sim_add_power(tml_sim *sim, const tml_state *x, double span, double h, tml_error *err)
{
    if (!sim->sys->ops->energy || sim->sys->conservative) return TML_OK;
    const tml_method_ops *method = sim->driver.method;
    const double *node;
    const int last = power_nodes(sim, &node) - 1;
    double *p = sim->power;
    p[0] = sim->power_last;
    tml_status st = power_at(sim, x, &p[last], err);
    for (int i = 1; i < last && st == TML_OK; i++) {
        p[i] = p[0] + node[i] * (p[last] - p[0]);
        if (small_steps(sim)) continue;
        if (by_ends(sim)) between(sim, tml_sim_state(sim), h, node[i] * span / h, sim->probe);
        else method->interpolate(sim->driver.self, node[i] * span / h, sim->probe);
        st = power_at(sim, sim->probe, &p[i], err);
    }
    if (st != TML_OK) return st;
    sim->work_taken -= span * tmli_sim_mean_power(sim, 1);
    sim->power_last = p[last];
    return TML_OK;
}
