// Many runs at once: threads share one model, each run has a simulation of its own.
//
// A model is constant once it is built, so that threads need no lock. Here 8 runs of a pendulum differ in the
// velocity at the start, which is changed in the start state of the model. A simulation is created once per
// thread and restarted for its next run, which takes no memory. Expected: each pendulum keeps its energy, and
// the fastest one turns over. Exit status 0 if this holds.
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <trammel/trammel.h>

enum { RUNS = 8, THREADS = 3 };

typedef struct ensemble {
    const tml_model *model;
    int next;  // next run, taken under the lock
    pthread_mutex_t lock;
    double angle[RUNS], error[RUNS];  // largest angle [rad], relative change of the energy
    tml_status status[RUNS];
} ensemble;

static int take(ensemble *e)
{
    pthread_mutex_lock(&e->lock);
    const int run = e->next < RUNS ? e->next++ : -1;
    pthread_mutex_unlock(&e->lock);
    return run;
}

typedef struct watch {
    double *row;
    int angle, kinetic, potential;  // channels
    double most, first, last;       // angle, energies
} watch;

static tml_status look(const tml_sim *sim, const tml_state *x, void *user)
{
    watch *w = (watch *)user;
    const tml_status st = tml_sim_channel_values(sim, x, w->row, NULL);
    w->most = fmax(w->most, fabs(w->row[w->angle] - 0));
    w->last = w->row[w->kinetic] + w->row[w->potential];
    if (isnan(w->first)) w->first = w->last;
    return st;
}

static tml_status simulate(ensemble *e, int run, tml_sim *sim, tml_state *x, watch *w)
{
    tml_model_start(e->model, 0, x);
    const tml_body_layout at = tml_model_body_layout(e->model, 0);
    for (int k = 0; k < at.u_count; k++)  // spin about the pivot, 0.7 m away: made consistent by the restart
        if (at.component[k] == TML_BODY_WZ) x->u[at.u + k] = 1.0 + run;
        else x->u[at.u + k] = at.component[k] == TML_BODY_VX ? 0.7 * (1.0 + run) : 0;
    w->most = 0;
    w->first = NAN;
    tml_status st = tml_sim_restart(sim, x, NULL);
    if (st == TML_OK) st = tml_sim_run(sim, 4, NULL);
    e->angle[run] = w->most;
    e->error[run] = fabs(w->last - w->first) / fabs(w->first);
    return st;
}

static void *work(void *user)
{
    ensemble *e = (ensemble *)user;
    tml_sim *sim = NULL;
    tml_state *x = NULL;
    double row[64];
    watch w = {row, 0, 0, 0, 0, 0, 0};
    tml_status st = tml_sim_create(e->model, NULL, &sim, NULL);
    if (st == TML_OK) st = tml_state_create(tml_model_system(e->model), &x, NULL);
    w.angle = tml_sim_channel_index(sim, "pin.angle", NULL);
    w.kinetic = tml_sim_channel_index(sim, "energy.kinetic", NULL);
    w.potential = tml_sim_channel_index(sim, "energy.potential", NULL);
    const tml_sim_hooks hooks = {.on_output = look, .user = &w, .motion_only = true};
    tml_sim_set_hooks(sim, &hooks);
    for (int run = take(e); run >= 0; run = take(e))
        e->status[run] = st == TML_OK ? simulate(e, run, sim, x, &w) : st;
    tml_state_destroy(x, tml_model_system(e->model));
    tml_sim_destroy(sim);
    return NULL;
}

static const char *const TEXT = "planar: true\n"
                                "gravity: 9.81\n"
                                "bodies: {rod: {mass: 2, inertia: 0.3, position: [0, -0.7]}}\n"
                                "joints: {pin: {type: revolute, a: ground, b: rod, point: [0, 0]}}\n"
                                "run: {end: 4, tol: 1e-6, method: erk8}\n";

int main(void)
{
    static ensemble e;
    tml_error err;
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_status st = tml_spec_parse(TEXT, strlen(TEXT), "rod.yaml", NULL, 0, NULL, &spec, &err);
    if (st == TML_OK) st = tml_model_build(spec, &model, &err);
    if (st != TML_OK) {
        fprintf(stderr, "%s\n", err.msg);
        return 1;
    }
    e.model = model;
    pthread_mutex_init(&e.lock, NULL);
    pthread_t thread[THREADS];
    int started = 0;
    while (started < THREADS && pthread_create(&thread[started], NULL, work, &e) == 0) started++;
    if (started == 0) work(&e);
    for (int i = 0; i < started; i++) pthread_join(thread[i], NULL);

    int good = 1;
    for (int i = 0; i < RUNS; i++) {
        printf("%.0f rad/s at the start: up to %.3f rad, energy error %.1e\n", 1.0 + i, e.angle[i],
               e.error[i]);
        if (e.status[i] != TML_OK || !(e.error[i] < 1e-4)) good = 0;
    }
    good = good && e.angle[0] < 1 && e.angle[RUNS - 1] > 7;
    if (!good) fprintf(stderr, "the pendulums do not move as they should\n");
    pthread_mutex_destroy(&e.lock);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
    return good ? 0 : 1;
}
