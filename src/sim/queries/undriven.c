// What is free in a mechanism that drivers should move completely: bodies and joint coordinates, in words.
//
// With C' P = Q R (analysis/rank/rank.h), the columns of Q beyond the rank span the free motions, in units of
// the model. A joint coordinate is free if it changes along one of them; as many as there are degrees of
// freedom are proposed to be driven, each the one that changes most along what the others leave.
#include "analysis/rank/rank.h"
#include "sim/queries/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "consistency/tolerances.h"

enum { NAMES = 6 };  // names in a message, at most

typedef struct freedom {
    const tml_sim *sim;
    int n, dof;
    double *motion;  // (n x dof) free motions, column-major, in units
    double *unit;    // (n)
} freedom;

// Column `rank + k` of Q.
static void free_motion(const tmli_rank *r, int k, double *v)
{
    memset(v, 0, (size_t)r->n * sizeof *v);
    v[r->rank + k] = 1;
    for (int i = r->rank - 1; i >= 0; i--) {
        const double *w = r->qr + (size_t)i * (size_t)r->n;
        double sum = v[i];
        for (int j = i + 1; j < r->n; j++) sum += w[j] * v[j];
        v[i] -= r->tau[i] * sum;
        for (int j = i + 1; j < r->n; j++) v[j] -= r->tau[i] * sum * w[j];
    }
}

typedef struct word_list {
    char text[400];
    int count;
} word_list;

static void put(word_list *l, const char *word)
{
    const size_t used = strlen(l->text), room = sizeof l->text - used;
    if (l->count < NAMES) snprintf(l->text + used, room, "%s'%.50s'", l->count ? ", " : "", word);
    else if (l->count == NAMES) snprintf(l->text + used, room, ", ...");
    l->count++;
}

static void list_bodies(const freedom *f, word_list *out)
{
    const tml_model *m = f->sim->model;
    for (int i = 0; i < m->nbodies; i++) {
        double most = 0;
        for (int c = 0; c < m->node[i].ncoords; c++)
            for (int k = 0; k < f->dof; k++)
                most = fmax(most, fabs(f->motion[k * f->n + m->node[i].first + c]));
        if (most > TMLI_NEARLY_DEPENDENT) put(out, m->node[i].name);
    }
}

// rate (dof): change of the measure along the free motions, in units.
static void rates_of(const freedom *f, int index, double *rate)
{
    const tml_model *m = f->sim->model;
    const tmli_work *w = f->sim->work;
    const tmli_measure_use *use = &m->measure_use[index];
    const bool angle = use->measure.kind == TMLI_ANGLE || use->measure.kind == TMLI_ARCSINE;
    double g[12];
    tmli_measure_grad(&use->measure, tmli_pose_of(w->pose, use->node[0]), tmli_pose_of(w->pose, use->node[1]),
                      g);
    for (int k = 0; k < f->dof; k++) {
        rate[k] = 0;
        for (int side = 0; side < 2; side++) {
            const tmli_node *node = use->node[side] < 0 ? NULL : &m->node[use->node[side]];
            for (int c = 0; node && c < node->ncoords; c++) {
                const int j = node->first + c;
                rate[k] += g[6 * side + node->local[c]] * f->unit[j] * f->motion[k * f->n + j];
            }
        }
        if (!angle) rate[k] /= f->sim->sys->length;
    }
}

// Joint coordinates that change independently of each other, at most dof. basis (dof x dof): scratch.
static void list_coordinates(const freedom *f, double *basis, word_list *out)
{
    const tml_model *m = f->sim->model;
    double *rate = basis + f->dof * f->dof, *best_rate = rate + f->dof;
    for (int found = 0; found < f->dof; found++) {
        double best = TMLI_NEAR_SINGULAR;
        char name[300] = "";
        for (int i = 0; i < m->nconstraints; i++)
            for (int c = 0; c < m->constraint[i].ncoords; c++) {
                double size = 0;
                rates_of(f, m->constraint[i].coord[c], rate);
                for (int b = 0; b < found; b++) {  // what the others leave
                    double dot = 0;
                    for (int k = 0; k < f->dof; k++) dot += rate[k] * basis[b * f->dof + k];
                    for (int k = 0; k < f->dof; k++) rate[k] -= dot * basis[b * f->dof + k];
                }
                for (int k = 0; k < f->dof; k++) size = hypot(size, rate[k]);
                if (!(size > best)) continue;
                best = size;
                memcpy(best_rate, rate, (size_t)f->dof * sizeof *rate);
                snprintf(name, sizeof name, "%.120s.%.120s", m->constraint[i].name,
                         m->constraint[i].coord_suffix[c]);
            }
        if (!name[0]) return;
        for (int k = 0; k < f->dof; k++) basis[found * f->dof + k] = best_rate[k] / best;
        put(out, name);
    }
}

tml_status tmli_sim_fail_undriven(tml_sim *sim, const char *who, tml_error *err)
{
    const tml_system *s = sim->sys;
    tmli_rank rank = {0};
    if (!sim->model)
        return tmli_fail(err, TML_ERR_MODEL, "%s: the system has degrees of freedom; integrate it", who);
    if (s->nz > 0)
        return tmli_fail(err, TML_ERR_MODEL,
                         "%s: the first-order state '%s' must be integrated; use 'trammel run'", who,
                         sim->model->node[tmli_model_state_node(sim->model, 0)].name);
    tml_status st = tmli_rank_calc(s, sim->work, sim->out, &rank, err);
    if (st != TML_OK) return st;
    freedom f = {.sim = sim, .n = s->n, .dof = s->n - rank.rank, .unit = rank.unit};
    const size_t n = (size_t)f.n, dof = (size_t)f.dof;
    f.motion = tmli_calloc(&sim->env, n * dof + dof * dof + 2 * dof + 1, sizeof(double));
    if (!f.motion) {
        tmli_rank_clear(&rank);
        return tmli_no_memory(err, "simulation");
    }
    word_list bodies = {0}, coordinates = {0};
    for (int k = 0; k < f.dof; k++) free_motion(&rank, k, f.motion + (size_t)k * n);
    tmli_mb_set_poses(sim->model, sim->work, sim->out->q);
    list_bodies(&f, &bodies);
    list_coordinates(&f, f.motion + n * dof, &coordinates);
    st = tmli_fail(err, TML_ERR_MODEL, "%s: %d degree%s of freedom %s not driven: %s can move.", who, f.dof,
                   f.dof == 1 ? "" : "s", f.dof == 1 ? "is" : "are", bodies.text);
    if (coordinates.count > 0)
        tmli_error_append(err, "Add drivers, for instance of %s, or integrate the motion with 'trammel run'.",
                          coordinates.text);
    else tmli_error_append(err, "Add a driver or a pose, or integrate the motion with 'trammel run'.");
    tmli_free(&sim->env, f.motion);
    tmli_rank_clear(&rank);
    return st;
}
