// The check's sweeps: which ways a mechanism is moved, and what is said about the singular positions it
// meets.
//
// Driven: by its drivers over the time of the run. Else along its freedom, both ways; with several freedoms
// along the start velocity, or, from rest, each of the first joint coordinates as fast as the constraints
// allow for the motion of all bodies.
#include "analysis/check/check.h"
#include "analysis/check/sweep.h"
#include "system/joint_space/joint_space.h"
#include "system/multibody/multibody.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DIRECTIONS = 4 };                 // joint coordinates that are tried
enum { STEPS = 400, LEAST_STEPS = 40 };  // of a sweep: of a small mechanism, of a very large one
static const double WORK = 4e5;          // steps times unknowns of a sweep
static const double RANGE = 20;          // how far [model lengths, rad]: a turn of several bodies
static const double ROUND = 1e-5;        // [rad] what the search for a singular position leaves of a zero
static const double TELLING =
    0.5;  // a singular value that falls to this share of the one at the start is told of
static const double TURNS_BACK = 1.05;  // range of a coordinate over what it changed by in the end
static const double NOTHING =
    1e-3;  // rate of a joint coordinate, of that of the bodies, that tells no motion
static const double FOLLOWS =
    0.3;  // a joint coordinate that changes this fast, of the fastest, tells the motion

typedef struct follower {  // a coordinate of the model as it changes along a path
    const tmli_checker *k;
    int link;
} follower;

static double follow(void *user, const tml_state *x)
{
    const follower *f = user;
    if (f->link < 0) return 0;
    tmli_mb_set_poses(f->k->model, f->k->work, x->q);
    return tmli_mb_measure_value(f->k->model, f->k->work, x, f->link, NULL);
}

static void gradient(const tmli_checker *k, int link, double *g);

static void follow_gradient(void *user, const tml_state *x, double *g)
{
    const follower *f = user;
    tmli_mb_set_poses(f->k->model, f->k->work, x->q);
    gradient(f->k, f->link, g);
}

static tml_status no_memory(tml_error *err) { return tmli_no_memory(err, "check"); }

// ---- which ways -------------------------------------------------------------------------------------------

// Gradient (n) of a link; poses are set.
static void gradient(const tmli_checker *k, int link, double *g)
{
    const tml_model *m = k->model;
    const tmli_mbwork *w = k->work;
    const tmli_measure_use *l = &m->measure_use[link];
    const tmli_pose ground = {.R = m3_identity()};
    double local[12];
    memset(g, 0, (size_t)m->n * sizeof *g);
    tmli_measure_grad(&l->measure, tmli_pose_of(w, &ground, l->node[0]), tmli_pose_of(w, &ground, l->node[1]),
                      local);
    for (int side = 0; side < 2; side++) {
        if (l->node[side] < 0) continue;
        const tmli_node *node = &m->node[l->node[side]];
        for (int c = 0; c < node->ncoords; c++) g[node->first + c] += local[6 * side + node->local[c]];
    }
}

// The joint coordinate that tells best how far the mechanism has moved along v (n): the first of those that
// change fast. *name becomes "crank.angle"; -1: none.
static int best_coordinate(tmli_checker *k, const double *v, double *g, const char **name, const char **unit)
{
    const tml_model *m = k->model;
    double fastest = 0, speed = 0;
    int best = -1;
    for (int j = 0; j < m->n; j++)
        speed =
            fmax(speed, fabs(v[j]) / (k->sys->kind[j] == TML_COORDINATE_TRANSLATION ? k->sys->length : 1));
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < m->nconstraints && best < 0; i++) {
            const tmli_constraint *c = &m->constraint[i];
            for (int a = 0; a < c->ncoords && best < 0; a++) {
                double rate = 0;
                const bool length = strcmp(c->coord_unit[a], "m") == 0;
                gradient(k, c->coord[a], g);
                for (int j = 0; j < m->n; j++) rate += g[j] * v[j];
                rate = fabs(rate) / (length ? k->sys->length : 1);
                if (pass == 0) fastest = fmax(fastest, rate);
                if (pass == 0 || rate < FOLLOWS * fastest || rate < NOTHING * speed) continue;
                char text[200];
                snprintf(text, sizeof text, "%s.%s", c->name, c->coord_suffix[a]);
                *name = tmli_check_text(k, text);
                *unit = c->coord_unit[a];
                best = c->coord[a];
            }
        }
    return best;
}

// True if constraints can come to depend on each other at all: closed loops, rods, gears, drivers.
static tml_status has_loops(tmli_checker *k, bool *loops, tml_error *err)
{
    *loops = k->sys->m > 0;
    if (!*loops || !tmli_joint_space_possible(k->sys)) return TML_OK;
    tml_system *joints = NULL;
    const tml_status st = tmli_joint_space_create(k->sys, false, &joints, NULL);
    if (st == TML_OK) *loops = joints->m > 0;
    if (joints) tml_system_destroy(joints);
    return st == TML_ERR_NOMEM ? no_memory(err) : TML_OK;
}

// ---- sentences --------------------------------------------------------------------------------------------

static void value_text(double x, const char *unit, char *buf, size_t size)
{
    const double degree = 57.29577951308232;
    if (strcmp(unit, "rad") == 0) snprintf(buf, size, "%.4g deg", fabs(x) < ROUND ? 0 : x * degree);
    else
        snprintf(buf, size, "%.4g%s%s", x, *unit == '1' ? "" : " ",
                 *unit == '1' ? " (model lengths, rad)" : unit);
}

static void describe(tmli_checker *k, tml_check_sweep *s)
{
    char from[64], at[64], away[64], to[64], low[64], high[64], head[400], where[200] = "", tail[800];
    // it turns back on the way
    const bool rocks = s->highest - s->lowest > TURNS_BACK * fabs(s->last - s->start);
    value_text(s->start, s->unit, from, sizeof from);
    value_text(s->least, s->unit, at, sizeof at);
    value_text(fabs(s->least - s->start), s->unit, away, sizeof away);
    value_text(s->last, s->unit, to, sizeof to);
    value_text(s->lowest, s->unit, low, sizeof low);
    value_text(s->highest, s->unit, high, sizeof high);
    // where it is smallest is worth telling if it is much smaller there
    const bool telling = s->sigma < TELLING * s->sigma_start;
    const char *least = telling ? "comes down to" : "stays above";
    if (telling && s->driven) snprintf(where, sizeof where, " at t = %.4g s (%s)", s->t_least, at);
    else if (telling) snprintf(where, sizeof where, " at %s", at);
    if (s->singular && s->driven)
        snprintf(head, sizeof head, "driven by '%s', at t = %.4g s (%s)", s->along, s->t_least, at);
    else if (s->singular) snprintf(head, sizeof head, "%s = %s, %s from the start", s->along, at, away);
    else if (s->driven) snprintf(head, sizeof head, "driven by '%s' to t = %.4g s", s->along, s->t_last);
    else if (rocks && s->closed) snprintf(head, sizeof head, "%s between %s and %s", s->along, low, high);
    else if (rocks)
        snprintf(head, sizeof head, "%s from %s to %s, between %s and %s", s->along, from, to, low, high);
    else snprintf(head, sizeof head, "%s from %s to %s", s->along, from, to);
    if (s->singular && s->passes)
        snprintf(tail, sizeof tail,
                 "%s: singular, rank %d -> %d; motion goes on smoothly, but other ways branch off", head,
                 s->rank_before, s->rank_there);
    else if (s->singular)
        snprintf(tail, sizeof tail, "%s: limit of travel, the constraints allow no motion beyond%s", head,
                 s->driven ? "; the run will lock up there" : "");
    else
        snprintf(tail, sizeof tail, "%s%s: nothing singular; the smallest singular value %s %.2g%s", head,
                 s->closed    ? rocks ? " (there and back)" : " (a full cycle)"
                 : s->extreme ? " (its extreme)"
                              : "",
                 least, s->sigma, where);
    s->text = tmli_check_text(k, tail);
}

// ---- doing them -------------------------------------------------------------------------------------------

static tml_status add(tmli_checker *k, tmli_sweep_def *def, const char *along, const char *unit, int link,
                      tml_check_sweep *list, tml_error *err)
{
    follower f = {k, link};
    tmli_sweep_result r;
    tml_error why = {0};
    bool moved = false;
    def->coordinate = follow;
    def->user = &f;
    def->range = RANGE;
    def->steps = (int)fmax(LEAST_STEPS, fmin(STEPS, WORK / (k->sys->n + k->sys->m)));
    const tml_status st = tmli_sweep(k->sys, &k->dependence, k->x, def, &r, &moved, &why);
    if (st == TML_ERR_NOMEM) return no_memory(err);
    if (st != TML_OK || !moved)
        return TML_OK;  // a place that cannot be evaluated: nothing is said about this way
    const bool named = link >= 0;
    tml_check_sweep *s = &list[k->check.sweep_count++];
    *s = (tml_check_sweep){.along = along,
                           .unit = unit,
                           .driven = def->driven,
                           .start = named ? r.start.coordinate : 0,
                           .least = named ? r.least.coordinate : r.least.way,
                           .last = named ? r.last.coordinate : r.last.way,
                           .lowest = named ? r.lowest : 0,
                           .highest = named ? r.highest : r.last.way,
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
    describe(k, s);
    return TML_OK;
}

static tml_status driven(tmli_checker *k, const tmli_constraint *driver, tml_check_sweep *list,
                         tml_error *err)
{
    const int link = driver->term[0].use;
    tmli_sweep_def def = {.driven = true, .end = k->model->run.end};
    if (!(def.end > k->x->t)) def.end = k->x->t + 1;
    return add(k, &def, driver->name, k->model->measure_use[link].measure.kind == TMLI_ANGLE ? "rad" : "m", link,
               list, err);
}

// Both ways along v (n), followed by the coordinate that changes best. g (2 n): scratch. *tells: false if no
// joint moves, the mechanism as a whole does; nothing is done then.
static tml_status both_ways(tmli_checker *k, double *v, double *g, tml_check_sweep *list, bool *tells,
                            tml_error *err)
{
    const tml_check *c = &k->check;
    const char *name = "path", *unit = "1";
    int link = -1;
    tml_status st = TML_OK;
    if (k->model) {
        double *allowed = g + k->sys->n;
        st = tmli_sweep_allowed(k->sys, &k->dependence, k->x, v, allowed, err);
        tmli_mb_set_poses(k->model, k->work, k->x->q);
        if (st == TML_OK) link = best_coordinate(k, allowed, g, &name, &unit);
    }
    *tells = link >= 0 || c->freedoms == 1 || !k->model;
    for (int way = 0; way < 2 && st == TML_OK && *tells; way++) {
        tmli_sweep_def def = {.direction = v};
        const int before = k->check.sweep_count;
        st = add(k, &def, name, unit, link, list, err);
        if (k->check.sweep_count > before && list[before].closed) break;  // the other way is the same
        for (int j = 0; j < k->sys->n; j++) v[j] = -v[j];
    }
    return st;
}

// Several freedoms from rest: along joint coordinates, both ways.
static tml_status along_joints(tmli_checker *k, const double *v, tml_check_sweep *list, tml_error *err)
{
    const tml_model *m = k->model;
    tml_status st = TML_OK;
    int tried = 0;
    for (int i = 0; i < m->nconstraints && st == TML_OK && tried < DIRECTIONS; i++) {
        const tmli_constraint *c = &m->constraint[i];
        if (c->ncoords == 0 || !c->has_reaction || c->type == TML_JOINT_DISTANCE) continue;
        char name[200];
        snprintf(name, sizeof name, "%s.%s", c->name, c->coord_suffix[0]);
        const char *along = tmli_check_text(k, name);
        for (int way = 0; way < 2 && st == TML_OK; way++) {
            tmli_sweep_def def = {.gradient = follow_gradient, .sign = way ? -1 : 1, .direction = v};
            if (along) st = add(k, &def, along, c->coord_unit[0], c->coord[0], list, err);
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
        if (!s->singular || away >= nearest) continue;
        nearest = away;
        c->nearest = i;
    }
}

tml_status tmli_check_sweeps(tmli_checker *k, tml_error *err)
{
    tml_check *c = &k->check;
    const tml_system *s = k->sys;
    const size_t n = (size_t)s->n;
    const tmli_constraint *driver = NULL;
    tml_status st = has_loops(k, &c->loops, err);
    if (st != TML_OK || !c->loops || c->rank == 0) return st;
    if (c->rank_nearby > c->rank) return TML_OK;  // the start is singular itself
    double *v = tmli_arena_alloc(&k->arena, 3 * n + 1, sizeof *v);
    tml_check_sweep *list = tmli_arena_alloc(&k->arena, 2 * DIRECTIONS + 2, sizeof *list);
    if (!v || !list) return no_memory(err);
    c->sweeps = list;
    for (int i = 0; k->model && i < k->model->nconstraints && !driver; i++)
        if (k->model->constraint[i].motion) driver = &k->model->constraint[i];
    double speed = 0;
    for (size_t j = 0; j < n; j++) speed = fmax(speed, fabs(k->x->u[j]));
    memcpy(v, k->x->u, n * sizeof *v);
    for (size_t j = 0; j < n && speed == 0; j++)
        v[j] = sin(0.7 + 2.39996 * (double)j);  // any direction will do
    bool tells = false;
    if (driver) st = driven(k, driver, list, err);
    else if (c->freedoms == 1 || (c->freedoms > 1 && speed > 0))
        st = both_ways(k, v, v + n, list, &tells, err);
    if (st == TML_OK && !driver && !tells && c->freedoms > 1 && k->model) st = along_joints(k, v, list, err);
    if (st == TML_OK) find_nearest(c);
    return st;
}
