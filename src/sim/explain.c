// Why a run has stopped: what the state at its end shows beyond the message of the method.
//
// Where a mechanism reaches the end of its range, or links without mass straighten, velocities grow like
// 1/sqrt(time left). Where joints leave a body without mass a motion of its own, nothing determines its
// acceleration. No step is small enough then, and the tolerance has nothing to do with it.
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>

#include "sim/constants.h"

static bool is_rotation(const tml_system *s, int j)
{
    return s->kind && s->kind[j] == TML_COORDINATE_ROTATION;
}

// The body without mass that coordinate j belongs to; NULL: none.
static const tmli_node *massless_node(const tml_sim *sim, int j)
{
    const tml_model *m = sim->model;
    const tmli_node *node = m ? &m->node[m->node_of[j]] : NULL;
    return node && node->mass == 0 && m->node_of[j] < m->nbodies ? node : NULL;
}

// The coordinate with the largest velocity, or acceleration over the length of the run, among those whose
// velocity changes by its own size in a small part of the run; -1: none that explains anything.
static int find_sudden(const tml_sim *sim, const tml_state *x)
{
    const tml_system *s = sim->sys;
    const double duration = sim->run.end - sim->run.start, span = SUDDEN_SPAN * duration;
    double largest = 0;
    int found = -1;
    for (int j = 0; j < s->n - s->nz; j++) {
        const double unit = is_rotation(s, j) ? 1 : s->length;
        const double u = fabs(x->u[j]) / unit, a = fabs(x->udot[j]) / unit;  // [lengths or rad]
        const bool fast = u * duration > SUDDEN_MOTION && x->u[j] * x->udot[j] > 0;
        const bool undetermined =
            massless_node(sim, j) && a * duration * duration > SUDDEN_MOTION * SUDDEN_MOTION;
        if (u >= span * a || !(fast || undetermined)) continue;
        if (fmax(u, span * a) <= largest) continue;
        largest = fmax(u, span * a);
        found = j;
    }
    return found;
}

void tmli_sim_explain_stop(tml_sim *sim, tml_error *err)
{
    const tml_system *s = sim->sys;
    tml_state *x = sim->scratch;
    char name[160];
    if (!err) return;
    tml_state_copy(x, tmli_sim_state(sim));
    tmli_consistent_project(&sim->consistent, x,
                            NULL);  // as far as it gets: some methods let velocities drift
    if (tmli_consistent_accelerations(&sim->consistent, x, NULL) != TML_OK) return;
    const int j = find_sudden(sim, x);
    if (j < 0) return;
    const double t = err->t;
    const char *unit = is_rotation(s, j) ? "rad" : "m";
    tmli_fail(err, TML_ERR_STEP,
              "smooth motion ends at t = %.8g s: '%s' has the velocity %.2g %s/s and the acceleration "
              "%.2g %s/s^2.",
              x->t, s->coordinate_name(s, j, name, sizeof name), x->u[j], unit, x->udot[j], unit);
    err->t = t;
    if (massless_node(sim, j))
        tmli_error_append(err,
                          "Body '%s' has no mass: its joints straighten, reach the end of their range, or "
                          "leave it a motion that nothing determines. Give it mass and inertia, or end the "
                          "run before.",
                          massless_node(sim, j)->name);
    else
        tmli_error_append(
            err, "The mechanism reaches the end of its range, where its velocity grows without bound.");
}
