// What the expressions of a model do during a run: splines that swing beyond their points, tables used
// outside the range of these, and forces and motions that grow without bound.
//
// Near a pole, f = A/(t* - t), the change of a velocity over a step does not fall with its size, and its
// estimated error depends on where in the step the pole is. Some step has an error of nearly zero by chance:
// it leads across, to a motion that means nothing, since the integral of f does not exist. After every step
// the quantities whose zeros may be poles (expr.h) are therefore compared with those before it. Where one has
// changed its sign, its zero is bisected to t*, x*, and the expression f is evaluated at distances d, d/10,
// d/100, d/1000 on both sides, for the state moved with its velocity and acceleration. Its differences
//   D_k = f(d/10^k) - f(d/10^(k-1)),   |D_(k+1)/D_k| -> 10^p  for  f = A/d^p + a smooth function          (1)
// tell the order p of the pole whatever its size A. With p < 1 the integral exists; with p >= 1 the run ends.
#include "sim/queries/sim.h"
#include "system/state/move.h"

#include <math.h>
#include <string.h>

#include "sim/queries/constants.h"

// ---- tables ----------------------------------------------------------------------------------------------

tml_status tmli_sim_watch_tables(tml_sim *sim, tml_error *err)
{
    const int count = sim->model ? sim->model->ntables : 0;
    sim->table_left = tmli_arena_alloc(&sim->arena, (size_t)count + 1, sizeof *sim->table_left);
    if (!sim->table_left) return tmli_no_memory(err, "simulation");
    for (int i = 0; i < count; i++) {
        char text[400];
        if (tmli_table_describe_overshoot(sim->model, i, text, sizeof text))
            tmli_log(&sim->env, TML_LOG_WARNING, "%s", text);
    }
    return TML_OK;
}

typedef struct visit {
    tml_sim *sim;
    double t;
} visit;

static void note_range(const tmli_curve *curve, double x, void *user)
{
    const visit *v = user;
    for (int i = 0; i < v->sim->model->ntables; i++) {
        const tmli_table *t = &v->sim->model->table[i];
        if (t->curve != curve || v->sim->table_left[i] || (x >= t->low && x <= t->high)) continue;
        double slope;
        (void)tmli_curve_eval(curve, x, &slope, NULL);
        v->sim->table_left[i] = true;
        tmli_log(&v->sim->env, slope == 0 ? TML_LOG_INFO : TML_LOG_WARNING,
                 "t = %g s: %s '%s' is used at %g, outside of its points, %g to %g; its %s", v->t, t->what,
                 t->name, x, t->low, t->high,
                 slope == 0 ? "last value is held"
                            : "end is extended by a straight line ('outside: hold' holds it)");
    }
}

void tmli_sim_note_table_range(tml_sim *sim, const tml_state *x)
{
    if (!sim->model || sim->model->ntables == 0) return;
    visit v = {sim, x->t};
    tmli_mb_visit_tables(sim->model, sim->work, x, note_range, &v);
}

// ---- poles -----------------------------------------------------------------------------------------------

tml_status tmli_sim_create_poles(tml_sim *sim, tml_error *err)
{
    const size_t count = sim->model ? (size_t)sim->model->npole_values : 0;
    sim->pole_value = tmli_arena_alloc(&sim->arena, 2 * count + 1, sizeof *sim->pole_value);
    return sim->pole_value ? TML_OK : tmli_no_memory(err, "simulation");
}

// out := x moved on by dt [s].
static void move_on(const tml_sim *sim, const tml_state *x, double dt, tml_state *out)
{
    const tml_system *s = sim->sys;
    double *d = out->udot;
    tml_state_copy(out, x);
    for (int j = 0; j < s->n; j++) d[j] = dt * (x->u[j] + dt / 2 * x->udot[j]);
    tmli_state_move(s, x, d, out);
    for (int j = 0; j < s->n; j++) out->u[j] = x->u[j] + dt * x->udot[j];
    memcpy(out->udot, x->udot, (size_t)s->n * sizeof *out->udot);
    out->t = x->t + dt;
}

// A motion that is searched for poles: the last step up to t_reached, or the one ahead of a state.
typedef struct path {
    const tml_state *from;  // NULL: the last step
    double t, span;         // begins at t, and takes this long [s]
} path;

// sim->out := the state at the share s of the path.
static void go_to(tml_sim *sim, const path *p, double s)
{
    const tmli_driver *d = &sim->driver;
    const tml_state *x = tmli_sim_state(sim);
    const double theta = p->from ? 0 : 1 - (x->t - (p->t + s * p->span)) / (x->t - p->t);
    if (p->from) move_on(sim, p->from, s * p->span, sim->out);
    else if (theta >= 1) tml_state_copy(sim->out, x);
    else d->method->interpolate(d->self, fmax(theta, 0), sim->out);
}

// The values of the present sim->out.
static double *evaluate(tml_sim *sim, double *values)
{
    tmli_mb_pole_values(sim->model, sim->work, sim->out, values);
    return values;
}

static bool changes_sign(double a, double b) { return (a < 0 && b >= 0) || (a > 0 && b <= 0); }

// sim->out := the first state on the path, beyond `low`, where value k is as at `high`.
static void locate(tml_sim *sim, const path *p, int k, double low, double a, double high)
{
    double *const values = sim->pole_value + sim->model->npole_values;
    for (;;) {
        const double s = low + (high - low) / 2;
        if (s <= low || s >= high || p->t + s * p->span == p->t + low * p->span) break;
        go_to(sim, p, s);
        if (changes_sign(a, evaluate(sim, values)[k])) high = s;
        else low = s;
    }
    go_to(sim, p, high);
}

// Order (1) of the pole of expression i at sim->out, within d [s] on one side; 0: none. A pole that is a
// small part of the value at the least distance has no effect there.
static double order_of(tml_sim *sim, int i, double d)
{
    double f[POLE_DISTANCES], order = INFINITY;
    for (int k = 0; k < POLE_DISTANCES; k++) {
        move_on(sim, sim->out, d, sim->scratch);
        f[k] = tmli_mb_pole_law(sim->model, sim->work, sim->scratch, i);
        if (isinf(f[k])) return k > 0 ? order : 0;
        if (isnan(f[k])) return 0;
        d /= 10;
        if (k > 1) order = fmin(order, log10(fabs((f[k] - f[k - 1]) / (f[k - 1] - f[k - 2]))));
    }
    const double last = f[POLE_DISTANCES - 1];
    return fabs(last - f[POLE_DISTANCES - 2]) > POLE_SHARE * fabs(last) ? order : 0;
}

static bool is_pole(tml_sim *sim, int i, double span)
{
    const double d = POLE_DISTANCE * fmax(span, POLE_SPAN * (sim->run.end - sim->run.start));
    return fmax(order_of(sim, i, d), order_of(sim, i, -d)) > POLE_ORDER;
}

// True: the path passes a pole of expression *i, at sim->out.
static bool find_pole(tml_sim *sim, const path *p, int parts, int *i)
{
    const tml_model *m = sim->model;
    double *const before = sim->pole_value, *const now = before + m->npole_values;
    go_to(sim, p, 0);
    evaluate(sim, before);
    for (int part = 1; part <= parts; part++) {
        const double low = (part - 1.0) / parts, high = (double)part / parts;
        go_to(sim, p, high);
        evaluate(sim, now);
        for (*i = 0; *i < m->npoles; ++*i) {
            const int first = m->pole[*i].first;
            for (int k = first; k < first + m->pole[*i].count; k++) {
                if (!changes_sign(before[k], now[k])) continue;
                locate(sim, p, k, low, before[k], high);
                if (is_pole(sim, *i, p->span)) return true;
                go_to(sim, p, high);
                evaluate(sim, now);
            }
        }
        memcpy(before, now, (size_t)m->npole_values * sizeof *before);
    }
    return false;
}

static tml_status fail_at_pole(const tml_sim *sim, int i, tml_error *err)
{
    const tml_model *m = sim->model;
    const tmli_discontinuity *p = &m->pole[i];
    const bool joint = p->force < 0;
    const char *what = joint                        ? "the motion of joint"
                       : p->force < m->nuser_forces ? "force"
                                                    : "the rate of state";
    const tml_status st =
        tmli_fail_at(err, TML_ERR_STEP, joint ? m->constraint[p->constraint].at : m->force[p->force].at,
                     "%s '%s' grows without bound at t = %.8g s: an expression has a pole there, which no "
                     "motion passes. End the run before, or limit the expression",
                     what, joint ? m->constraint[p->constraint].name : m->force[p->force].name, sim->out->t);
    if (err) err->t = sim->out->t;
    return st;
}

tml_status tmli_sim_check_poles(tml_sim *sim, double t0, tml_error *err)
{
    int i;
    if (!sim->model || sim->model->npoles == 0) return TML_OK;
    const path step = {.t = t0, .span = sim->t_reached - t0};
    if (!find_pole(sim, &step, EVENT_PARTS, &i)) return TML_OK;
    const tml_status st = fail_at_pole(sim, i, err);
    tmli_driver *d = &sim->driver;  // the step is undone
    if (tmli_consistent_accelerations(&sim->consistent, sim->step_start, NULL) == TML_OK)
        (void)d->method->start(d->self, sim->step_start, NULL);
    sim->restart_pending = false;
    sim->t_reached = t0;
    sim->last_step = sim->last_step_used = 0;
    return st;
}

bool tmli_sim_explain_pole(tml_sim *sim, const tml_state *x, tml_error *err)
{
    const double spans[] = {SUDDEN_SPAN * SUDDEN_SPAN, SUDDEN_SPAN, COLLAPSE_SPAN};
    int i;
    if (!sim->model || sim->model->npoles == 0) return false;
    for (size_t k = 0; k < sizeof spans / sizeof *spans; k++) {
        const path ahead = {.from = x, .t = x->t, .span = spans[k] * (sim->run.end - sim->run.start)};
        if (!find_pole(sim, &ahead, 1, &i)) continue;
        fail_at_pole(sim, i, err);
        return true;
    }
    return false;
}
