// Notes about tables: splines that swing beyond their points, and arguments outside the range of the points.
#include "sim/sim.h"

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
