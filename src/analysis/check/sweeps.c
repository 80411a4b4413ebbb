// The sweeps of a check: along which directions the mechanism is moved, and sentences on the singular
// configurations.
//
// A driven mechanism is moved by its drivers over the time of the run. Otherwise it moves along its freedom,
// forwards and backwards; with several degrees of freedom along the start velocity or, from rest, so that
// each of the first joint coordinates changes as fast as the constraints allow for the motion of all bodies.
#include "analysis/check/check.h"
#include "analysis/check/sweep.h"
#include "base/quantity.h"
#include "system/joint_space/joint_space.h"
#include "system/multibody/multibody.h"
#include "system/state/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/check/constants.h"

typedef struct follower {  // a coordinate of the model along a path
    const tmli_checker *k;
    int use;  // index of the measure use, -1: none
} follower;

static double measure_coordinate(void *user, const tml_state *x)
{
    const follower *f = user;
    if (f->use < 0) return 0;
    tmli_mb_set_poses(f->k->model, f->k->work, x->q);
    return tmli_mb_measure_value(f->k->model, f->k->work, x, f->use, NULL);
}

static void calc_gradient(const tmli_checker *k, int use, double *g);

static void measure_gradient(void *user, const tml_state *x, double *g)
{
    const follower *f = user;
    tmli_mb_set_poses(f->k->model, f->k->work, x->q);
    calc_gradient(f->k, f->use, g);
}

// ---- directions -------------------------------------------------------------------------------------------

// Gradient (n) of a measure of the model; the poses are set.
static void calc_gradient(const tmli_checker *k, int use, double *g)
{
    const tml_model *m = k->model;
    const tmli_work *w = k->work;
    const tmli_measure_use *l = &m->measure_use[use];
    double local[12];
    memset(g, 0, (size_t)m->n * sizeof *g);
    tmli_measure_grad(&l->measure, tmli_pose_of(w->pose, l->node[0]), tmli_pose_of(w->pose, l->node[1]),
                      local);
    for (int side = 0; side < 2; side++) {
        if (l->node[side] < 0) continue;
        const tmli_node *node = &m->node[l->node[side]];
        for (int c = 0; c < node->ncoords; c++) g[node->first + c] += local[6 * side + node->local[c]];
    }
}

// The joint coordinate that describes the motion along v (n): the first one that changes fast. *name becomes
// "crank.angle"; -1: none.
static int find_best_coordinate(tmli_checker *k, const double *v, double *g, const char **name,
                                const char **unit)
{
    const tml_model *m = k->model;
    double fastest = 0, speed = 0;
    int best = -1;
    for (int j = 0; j < m->n; j++) speed = fmax(speed, fabs(v[j]) / tmli_coordinate_unit(k->sys, j));
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < m->njoints && best < 0; i++) {
            const tmli_constraint *c = &m->constraint[i];
            for (int a = 0; a < c->ncoords && best < 0; a++) {
                double rate = 0;
                const bool length = tmli_quantity_of(c->coord_unit[a]) == TMLI_QUANTITY_LENGTH;
                calc_gradient(k, c->coord[a], g);
                for (int j = 0; j < m->n; j++) rate += g[j] * v[j];
                rate = fabs(rate) / (length ? k->sys->length : 1);
                if (pass == 0) fastest = fmax(fastest, rate);
                if (pass == 0 || rate < GOOD_COORDINATE_RATE * fastest || rate < TMLI_INPUT_ERROR * speed)
                    continue;
                char text[200];
                snprintf(text, sizeof text, "%s.%s", c->name, c->coord_suffix[a]);
                *name = tmli_check_text(k, text);
                *unit = c->coord_unit[a];
                best = c->coord[a];
            }
        }
    return best;
}

// *loops: constraints can become dependent: there are closed loops, rods, gears or drivers.
static tml_status has_loops(tmli_checker *k, bool *loops, tml_error *err)
{
    *loops = k->sys->m > 0;
    if (!*loops || !tmli_joint_space_possible(k->sys)) return TML_OK;
    tml_system *joints = NULL;
    tml_error why = {0};
    const tml_status st = tmli_joint_space_create(k->sys, false, INFINITY, &joints, &why);
    if (st == TML_OK) *loops = joints->m > 0;
    if (joints) tml_system_destroy(joints);
    if (!tmli_is_shortage(st)) return TML_OK;
    if (err) *err = why;
    return st;
}

// ---- sentences --------------------------------------------------------------------------------------------

static void format_value(double x, const char *unit, char *buf, size_t size)
{
    const double degree = 57.29577951308232;
    if (tmli_quantity_of(unit) == TMLI_QUANTITY_ANGLE)
        snprintf(buf, size, "%.4g deg", fabs(x) < TMLI_BUILT_TOLERANCE ? 0 : x * degree);
    else
        snprintf(buf, size, "%.4g%s%s", x, *unit == '1' ? "" : " ",
                 *unit == '1' ? " (model lengths, rad)" : unit);
}

static void describe_sweep(tmli_checker *k, tml_check_sweep *s)
{
    char from[64], at[64], away[64], to[64], low[64], high[64], sigma[32], sigma_start[32];
    char head[400], where[200] = "", tail[800];
    format_value(s->start, s->unit, from, sizeof from);
    format_value(s->least, s->unit, at, sizeof at);
    format_value(fabs(s->least - s->start), s->unit, away, sizeof away);
    format_value(s->last, s->unit, to, sizeof to);
    format_value(s->lowest, s->unit, low, sizeof low);
    format_value(s->highest, s->unit, high, sizeof high);
    // what differs at the start and at the end, or at the smallest sigma, differs in print
    const bool turns_back = s->last > s->start ? strcmp(low, from) != 0 || strcmp(high, to) != 0
                                               : strcmp(low, to) != 0 || strcmp(high, from) != 0;
    snprintf(sigma, sizeof sigma, "%.2g", s->sigma);
    snprintf(sigma_start, sizeof sigma_start, "%.2g", s->sigma_start);
    const bool print_where = strcmp(sigma, sigma_start) != 0;
    const char *least = print_where ? "falls to" : "stays above";
    if (print_where && s->driven) snprintf(where, sizeof where, " at t = %.4g s (%s)", s->t_least, at);
    else if (print_where) snprintf(where, sizeof where, " at %s", at);
    if (s->singular && s->driven)
        snprintf(head, sizeof head, "driven by '%s', at t = %.4g s (%s)", s->along, s->t_least, at);
    else if (s->singular) snprintf(head, sizeof head, "%s = %s, %s from the start", s->along, at, away);
    else if (s->driven) snprintf(head, sizeof head, "driven by '%s' to t = %.4g s", s->along, s->t_last);
    else if (turns_back && s->closed)
        snprintf(head, sizeof head, "%s between %s and %s", s->along, low, high);
    else if (turns_back)
        snprintf(head, sizeof head, "%s from %s to %s, between %s and %s", s->along, from, to, low, high);
    else snprintf(head, sizeof head, "%s from %s to %s", s->along, from, to);
    if (s->singular && s->passes)
        snprintf(tail, sizeof tail,
                 "%s: singular, rank %d -> %d; the motion continues smoothly, but other branches start there",
                 head, s->rank_before, s->rank_there);
    else if (s->singular)
        snprintf(tail, sizeof tail, "%s: limit of travel, the constraints allow no motion beyond%s", head,
                 s->driven ? "; the run will lock up there" : "");
    else
        snprintf(tail, sizeof tail, "%s%s: not singular; the smallest singular value %s %s%s", head,
                 s->closed    ? turns_back ? " (there and back)" : " (a full cycle)"
                 : s->extreme ? " (its extreme)"
                              : "",
                 least, sigma, where);
    s->text = tmli_check_text(k, tail);
}

// ---- sweeps -----------------------------------------------------------------------------------------------

static tml_status add_sweep(tmli_checker *k, tmli_sweep_def *def, const char *along, const char *unit,
                            int use, tml_check_sweep *list, tml_error *err)
{
    follower f = {k, use};
    tmli_sweep_result r;
    tml_error why = {0};
    bool moved = false;
    def->coordinate = measure_coordinate;
    def->user = &f;
    def->range = SWEEP_LENGTH;
    def->steps = (int)fmin(SWEEP_LENGTH / MAX_STEP, SWEEP_WORK / (k->sys->n + k->sys->m));
    const tml_status st = tmli_sweep(k->sys, &k->dependence, k->x, def, &r, &moved, &why);
    if (tmli_is_shortage(st)) {
        if (err) *err = why;
        return st;
    }
    if (st != TML_OK || !moved) return TML_OK;  // the path cannot be computed: no result for this direction
    const bool named = use >= 0;
    tml_check_sweep *s = &list[k->check.sweep_count++];
    *s = (tml_check_sweep){.along = along,
                           .unit = unit,
                           .driven = def->driven,
                           .start = named ? r.start.coordinate : 0,
                           .least = named ? r.least.coordinate : r.least.length,
                           .last = named ? r.last.coordinate : r.last.length,
                           .lowest = named ? r.lowest : 0,
                           .highest = named ? r.highest : r.last.length,
                           .t_least = r.least.t,
                           .t_last = r.last.t,
                           .sigma_start = r.start.sigma,
                           .sigma = r.least.sigma,
                           .singular = r.singular,
                           .passes = r.end != TMLI_SWEEP_STUCK,
                           .rank_before = k->dependence.rank,
                           .rank_there = r.rank,
                           .closed = r.end == TMLI_SWEEP_CLOSED,
                           .extreme = r.end == TMLI_SWEEP_EXTREME};
    describe_sweep(k, s);
    return TML_OK;
}

static tml_status sweep_by_driver(tmli_checker *k, const tmli_constraint *driver, tml_check_sweep *list,
                                  tml_error *err)
{
    const int use = driver->term[0].use;
    tmli_sweep_def def = {.driven = true, .end = k->model->run.end};
    if (!(def.end > k->x->t)) def.end = k->x->t + 1;
    return add_sweep(k, &def, driver->name, k->sys->row_unit(k->sys, driver->first), use, list, err);
}

// Forwards and backwards along v (n), described by the joint coordinate that suits best. g (2 n): scratch.
// *described: false if no joint moves, only the mechanism as a whole; then there is no sweep.
static tml_status sweep_both_ways(tmli_checker *k, double *v, double *g, tml_check_sweep *list,
                                  bool *described, tml_error *err)
{
    const tml_check *c = &k->check;
    const char *name = "path", *unit = "1";
    int use = -1;
    tml_status st = TML_OK;
    if (k->model) {
        double *allowed = g + k->sys->n;
        st = tmli_sweep_allowed(k->sys, &k->dependence, k->x, v, allowed, err);
        tmli_mb_set_poses(k->model, k->work, k->x->q);
        if (st == TML_OK) use = find_best_coordinate(k, allowed, g, &name, &unit);
    }
    *described = use >= 0 || c->freedoms == 1 || !k->model;
    for (int pass = 0; pass < 2 && st == TML_OK && *described; pass++) {
        tmli_sweep_def def = {.direction = v};
        const int before = k->check.sweep_count;
        st = add_sweep(k, &def, name, unit, use, list, err);
        if (k->check.sweep_count > before && list[before].closed)
            break;  // the opposite direction gives the same path
        for (int j = 0; j < k->sys->n; j++) v[j] = -v[j];
    }
    return st;
}

// Several degrees of freedom at rest: along joint coordinates, in both directions.
static tml_status sweep_along_joints(tmli_checker *k, const double *v, tml_check_sweep *list, tml_error *err)
{
    const tml_model *m = k->model;
    tml_status st = TML_OK;
    int tried = 0;
    for (int i = 0; i < m->njoints && st == TML_OK && tried < SWEEP_COORDINATES; i++) {
        const tmli_constraint *c = &m->constraint[i];
        if (c->ncoords == 0 || !c->has_reaction || c->ops->rod) continue;
        char name[200];
        snprintf(name, sizeof name, "%s.%s", c->name, c->coord_suffix[0]);
        const char *along = tmli_check_text(k, name);
        for (int pass = 0; pass < 2 && st == TML_OK; pass++) {
            tmli_sweep_def def = {.gradient = measure_gradient, .sign = pass ? -1 : 1, .direction = v};
            if (along) st = add_sweep(k, &def, along, c->coord_unit[0], c->coord[0], list, err);
        }
        tried++;
    }
    return st;
}

static void find_nearest(tml_check *c)
{
    double nearest = INFINITY;
    for (int i = 0; i < c->sweep_count; i++) {
        const tml_check_sweep *s = &c->sweeps[i];
        const double away = s->driven ? s->t_least : fabs(s->least - s->start);
        // both ways often meet one as far from the start: then the first counts, not round-off
        if (!s->singular || away >= (1 - TMLI_INPUT_ERROR) * nearest) continue;
        nearest = away;
        c->nearest = i;
    }
}

tml_status tmli_check_sweeps(tmli_checker *k, tml_error *err)
{
    tml_check *c = &k->check;
    const tml_system *s = k->sys;
    const size_t n = (size_t)s->n, nz = (size_t)s->nz;
    const tmli_constraint *driver = NULL;
    tml_status st = has_loops(k, &c->loops, err);
    if (st != TML_OK || !c->loops || c->rank == 0) return st;
    if (c->rank_nearby > c->rank) return TML_OK;  // the start is singular
    if (k->model && s->level) return TML_OK;      // rows at velocity level define no path of positions
    double *v = tmli_arena_alloc(&k->arena, 3 * n + 1, sizeof *v);
    tml_check_sweep *list = tmli_arena_alloc(&k->arena, (size_t)(2 * SWEEP_COORDINATES + 2), sizeof *list);
    if (!v || !list) return tmli_no_memory(err, "check");
    c->sweeps = list;
    for (int i = 0; k->model && i < k->model->nconstraints && !driver; i++)
        if (k->model->constraint[i].motion) driver = &k->model->constraint[i];
    double speed = 0;
    for (size_t j = 0; j < n - nz; j++) speed = fmax(speed, fabs(k->x->u[j]));
    memcpy(v, k->x->u, (n - nz) * sizeof *v);  // first-order states do not move
    for (size_t j = 0; j < n - nz && speed == 0; j++)
        v[j] = sin(0.7 + 2.39996 * (double)j);  // any direction, the same on every machine
    bool described = false;
    if (driver) st = sweep_by_driver(k, driver, list, err);
    else if (c->freedoms == 1 || (c->freedoms > 1 && speed > 0))
        st = sweep_both_ways(k, v, v + n, list, &described, err);
    if (st == TML_OK && !driver && !described && c->freedoms > 1 && k->model)
        st = sweep_along_joints(k, v, list, err);
    if (st == TML_OK) find_nearest(c);
    return st;
}
