// Epsilon by the allowed displacement of the motion; see epsilon.h.
#include "integrate/regularized/epsilon.h"
#include "system/state/fields.h"
#include "system/state/first_order.h"
#include "system/state/move.h"

#include <float.h>
#include <limits.h>
#include <math.h>

#include "integrate/regularized/constants.h"

static const tmli_fields FIELDS = {
    "epsilon", offsetof(tmli_epsilon_control, memory),
    (const tmli_span[]){TMLI_NUMBERS(tmli_epsilon_control, wanted, load),
                        TMLI_INDICES(tmli_epsilon_control, evaluations, evaluations, 0, TMLI_BY_ONE, INT_MAX),
                        TMLI_SCRATCH_STATES(tmli_epsilon_control, probe, probe),
                        TMLI_SCRATCH(tmli_epsilon_control, c, c, TMLI_BY_M, 1),
                        TMLI_SCRATCH(tmli_epsilon_control, d, moved, TMLI_BY_N, 1),
                        {0}}};

void tmli_epsilon_control_clear(tmli_epsilon_control *s)
{
    if (!s->eq) return;
    tmli_index1_clear(&s->matrix);
    tmli_object_clear(&FIELDS, s->eq->sys, s);
    *s = (tmli_epsilon_control){0};
}

tml_status tmli_epsilon_control_create(const tmli_regular_eq *eq, const tmli_weights *weights, double most,
                                       const tml_linsolver_ops *solver, tmli_epsilon_control *s,
                                       tml_error *err)
{
    const tml_system *sys = eq->sys;
    *s = (tmli_epsilon_control){.eq = eq, .weights = weights, .most = most};
    tml_status st = tmli_index1_create(sys, solver, &s->matrix, err);
    if (st == TML_OK) st = tmli_object_create(&FIELDS, sys, s, err);
    if (st != TML_OK) {
        tmli_epsilon_control_clear(s);
        return st;
    }
    tmli_index1_allow_massless(&s->matrix);
    return TML_OK;
}

// d := (3) at the probe, for an epsilon of 1. False: the constraints are dependent there.
static bool solve_displacement(tmli_epsilon_control *s)
{
    const tmli_regular_eq *eq = s->eq;
    if (tmli_index1_factor(&s->matrix, s->probe, 0, 0, NULL) != TML_OK) return false;
    for (int r = 0; r < eq->m; r++) s->c[r] = s->probe->lambda[r] / eq->e[r];  // (1)
    if (eq->trust) {
        tmli_index1_solve(&s->matrix, NULL, s->c, s->d, s->c);  // B d = c, M d + B' y = 0: y = - inv(S) c
        for (int r = 0; r < eq->m; r++) s->c[r] /= -eq->e[r];   // (2)
    }
    // without feedback of positions a row gives way by a velocity, which adds up over the run
    for (int r = 0; r < eq->m; r++) {
        const double k0 = tmli_regular_position_gain(eq, r);
        s->c[r] /= k0 > 0 ? k0 : tmli_regular_rate_gain(eq) / s->weights->duration;
    }
    tmli_index1_solve(&s->matrix, NULL, s->c, s->d, NULL);  // (3)
    return true;
}

static double largest_load(const tmli_epsilon_control *s, const tml_state *x)
{
    double most = 0;
    for (int r = 0; r < s->eq->m; r++) most = fmax(most, fabs(x->lambda[r]) * s->eq->unit[s->eq->n + r]);
    return most;
}

// Largest of v (n) [lengths or rad].
static double largest(const tmli_epsilon_control *s, const double *v)
{
    double most = 0;
    for (int j = 0; j < tmli_mechanical(s->eq->sys); j++)
        most = fmax(most, fabs(v[j]) / tmli_weights_unit(s->weights, j));
    return most;
}

// Growth of the largest multiplier since it was `before`, if that is a surge; else 1. Where time drives the
// motion, multipliers also grow at singular configurations, and epsilon must stay to pass them; elsewhere the
// constraint monitor passes them, and a small growth comes before. An evaluation without loads says nothing.
static double surge(const tmli_epsilon_control *s, double before, double now)
{
    return s->eq->sys->autonomous && before > 0 && now > LOAD_SURGE * before ? now / before : 1;
}

static void evaluate(tmli_epsilon_control *s, double load)
{
    const tml_system *sys = s->eq->sys;
    double worst = 0;
    if (!solve_displacement(s)) return;
    sys->ops->local(sys->self, s->weights->q_start, s->probe->q, s->moved);
    for (int j = 0; j < sys->n; j++) {
        const double rate = s->eq->gamma * fabs(s->d[j]);  // (4)
        worst = fmax(worst, fabs(s->d[j]) / tmli_weights_position(s->weights, j, s->moved));
        worst = fmax(worst, rate / tmli_weights_velocity(s->weights, j));
    }
    if (!isfinite(worst)) return;
    const int at = s->evaluations++ % TMLI_EPSILON_EVALUATIONS;
    s->wanted[at] = worst > 0 ? fmin(DISPLACEMENT_SHARE / worst, DBL_MAX) : DBL_MAX;
    s->loads[at] = load;
}

// The smallest but one: a single evaluation at a singular configuration, in passing, must not decide. The
// displacement is proportional to the loads, which between evaluations may grow by orders of magnitude.
static double choose(const tmli_epsilon_control *s, double load)
{
    const int count = s->evaluations < TMLI_EPSILON_EVALUATIONS ? s->evaluations : TMLI_EPSILON_EVALUATIONS;
    double least[2] = {s->most, s->most};
    for (int i = 0; i < count; i++) {
        const double wanted = s->wanted[i] / surge(s, s->loads[i], load);
        if (wanted < least[0]) {
            least[1] = least[0];
            least[0] = wanted;
        } else if (wanted < least[1]) {
            least[1] = wanted;
        }
    }
    return least[count > 1];
}

double tmli_epsilon_control_start(tmli_epsilon_control *s, const tml_state *x)
{
    const tml_system *sys = s->eq->sys;
    const double rate = tmli_weights_rate(s->weights);
    // at rest the accelerations give the direction of the motion
    const double *direction = largest(s, x->u) > REST_SPEED * rate ? x->u : x->udot;
    const double length = largest(s, direction);
    s->evaluations = 0;
    s->path = s->time = 0;
    s->load = largest_load(s, x);
    tmli_index1_rows_changed(&s->matrix);
    for (int i = length > 0 ? 0 : 2; i < 3; i++) {  // back, ahead, here
        tml_state_copy(s->probe, x);
        for (int j = 0; j < sys->n; j++)
            s->d[j] = i < 2 ? (2 * i - 1) * EVALUATION_DISTANCE / length * direction[j] : 0;
        tmli_state_move(sys, x, s->d, s->probe);
        evaluate(s, s->load);
    }
    return choose(s, s->load);
}

double tmli_epsilon_control_update(tmli_epsilon_control *s, const tml_state *x, double h)
{
    const double now = s->eq->epsilon, load = largest_load(s, x);
    s->path += largest(s, x->u) * h;
    s->time += tmli_weights_rate(s->weights) * h;
    const bool loaded = load > LOAD_GROWTH * s->load;
    if (s->path >= EVALUATION_DISTANCE || (loaded && s->time > EVALUATION_DISTANCE)) {
        s->path = s->time = 0;
        s->load = load;
        tml_state_copy(s->probe, x);
        evaluate(s, load);
    }
    const double wanted = choose(s, load);
    return now > EPSILON_TOO_LARGE * wanted || now < wanted / EPSILON_TOO_SMALL ? wanted : now;
}

void tmli_epsilon_control_archive(tmli_epsilon_control *s, tml_archive *a)
{
    tmli_index1_archive(&s->matrix, a);
    tmli_object_archive(&FIELDS, s->eq->sys, s, a);
}
