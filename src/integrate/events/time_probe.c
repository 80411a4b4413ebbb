// Samples of forces and prescribed motions within a step; see time_probe.h.
#include "integrate/events/time_probe.h"
#include "system/active_rows/active_rows.h"

#include <math.h>
#include <string.h>

#include "integrate/events/constants.h"

tml_status tmli_time_probe_create(const tml_system *sys, double spacing, double tol, double duration,
                                  tmli_time_probe *p, tml_error *err)
{
    *p = (tmli_time_probe){.spacing = spacing, .least_rate = tol / duration};
    if (sys->autonomous || !(spacing > 0)) return TML_OK;
    const size_t n = (size_t)sys->n, size = n + (size_t)sys->m;
    p->sys = sys;
    tml_status st = tml_state_create(sys, &p->x, err);
    const bool room =
        tmli_calloc_block(&sys->env, TMLI_ARRAY(p->sample, size), TMLI_ARRAY(p->low, size),
                          TMLI_ARRAY(p->high, size), TMLI_ARRAY(p->mass, n), TMLI_ARRAY(p->unused, 2 * n));
    if (st == TML_OK) p->work = sys->ops->create_work(sys->self, &sys->env);
    if (st == TML_OK && (!room || !p->work)) st = tmli_no_memory(err, "simulation");
    if (st != TML_OK) tmli_time_probe_clear(p);
    return st;
}

void tmli_time_probe_clear(tmli_time_probe *p)
{
    if (!p->sys) return;
    tml_state_destroy(p->x, p->sys);
    if (p->work) p->sys->ops->destroy_work(p->work);
    tmli_free(&p->sys->env, p->sample);
    *p = (tmli_time_probe){0};
}

static bool evaluate(tmli_time_probe *p, double t)
{
    const tml_system *s = p->sys;
    p->x->t = t;
    return tmli_active_time_parts(s, p->work, p->x, p->sample, p->sample + s->n, NULL) == TML_OK;
}

// low, high := range of the samples that a method sees, PROBE_REFERENCES from t to t + h.
static bool find_range(tmli_time_probe *p, double t, double h)
{
    const int size = p->sys->n + p->sys->m;
    for (int i = 0; i < PROBE_REFERENCES; i++) {
        if (!evaluate(p, t + h * i / (PROBE_REFERENCES - 1))) return false;
        for (int k = 0; k < size; k++) {
            p->low[k] = i == 0 ? p->sample[k] : fmin(p->low[k], p->sample[k]);
            p->high[k] = i == 0 ? p->sample[k] : fmax(p->high[k], p->sample[k]);
        }
    }
    return true;
}

// Distance of sample k from its range, if that is more than the size of the range; else 0.
static double beyond_range(const tmli_time_probe *p, int k)
{
    const double off = fmax(p->low[k] - p->sample[k], p->sample[k] - p->high[k]);
    return off > p->high[k] - p->low[k] ? off : 0;
}

static bool is_beyond(const tmli_time_probe *p)
{
    for (int k = 0; k < p->sys->n + p->sys->m; k++)
        if (beyond_range(p, k) > 0) return true;
    return false;
}

// Whether the sample, acting for the time dt [s], changes a velocity that nothing else shows.
static bool counts(tmli_time_probe *p, double dt)
{
    const tml_system *s = p->sys;
    if (!is_beyond(p) ||
        s->ops->diagonals(s->self, p->work, p->x, p->mass, p->unused, p->unused + s->n, NULL) != TML_OK)
        return false;
    for (int j = 0; j < s->n; j++) {
        const int z = j - (s->n - s->nz);
        const bool rotation = s->kind && s->kind[j] == TML_COORDINATE_ROTATION;
        const double scale = s->state_scale && z >= 0 ? s->state_scale[z] : 1;
        const double unit = z >= 0 ? scale : rotation ? 1 : s->length;
        if (beyond_range(p, j) * dt > p->least_rate * unit * p->mass[j] && p->mass[j] > 0) return true;
    }
    for (int r = 0; r < s->m; r++)  // accelerations that drivers prescribe [m/s^2 or rad/s^2]
        if (beyond_range(p, s->n + r) * dt > p->least_rate * fmax(s->length, 1)) return true;
    return false;
}

double tmli_time_probe_limit(tmli_time_probe *p, const tml_state *x, double h, double t_end)
{
    const double length = fmin(h, t_end - x->t);
    if (!p->sys || !(length > 2 * p->spacing)) return t_end;
    const int count = (int)ceil(fmin(length / p->spacing, MAX_PROBE_SAMPLES));
    const double dt = length / count;
    tml_state_copy(p->x, x);
    if (!find_range(p, x->t, length)) return t_end;
    for (int i = 1; i < count; i++)
        if (evaluate(p, x->t + i * dt) && counts(p, dt)) return x->t + (i > 1 ? i - 1 : 1) * dt;
    return t_end;
}
