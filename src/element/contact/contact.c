// The force of a contact: the sum over its points (element/law/kernel.h), and their modes.
#include "element/contact/resultant.h"
#include "element/contact/set.h"
#include "element/force/along.h"

#include <math.h>
#include <stdio.h>

#include "element/contact/constants.h"

/** What a visit of the points of contact needs. */
typedef struct task {
    const tmli_force *f;
    const tmli_view *v;
    const double *mode;  // of the force; NULL: none
    double *Q, *H, *D;   // sums
    double potential, power;
    double *values;  // channels
} task;

static double mode_of(const task *t, const tmli_contact_here *h) { return t->mode ? t->mode[h->mode] : 0; }

// A point at the state of the task, evaluated.
static void evaluate(const task *t, const tmli_contact_here *h, tmli_contact_state *s)
{
    *s = h->state;
    for (int k = 0; k < 2 && h->bristle >= 0; k++)
        s->z[k] = t->v->x->u[t->v->m->node[t->f->plan.node[h->bristle + k]].first];
    const double mode = mode_of(t, h);
    if (!h->shared) {
        tmli_contact_eval(s, mode);
        return;
    }
    // the mode of the pair has the speed of its impact; each point is pressed by its own depth
    const tmli_normal_law own = tmli_normal_of_mode(&h->law, mode);
    s->normal = &own;
    tmli_contact_eval(s, 0);
    s->normal = &h->law;
}

static void add_force(const tmli_contact_here *h, void *user)
{
    task *t = user;
    tmli_contact_state s;
    double Q[12];
    evaluate(t, h, &s);
    for (int k = 0; k < 2 && h->bristle >= 0; k++) t->Q[6 * (h->bristle + k)] += s.bristle[k];
    if (!s.N.touches) return;
    tmli_contact_wrench(&s, Q);
    for (int side = 0; side < 2; side++) tmli_add_slot(t->Q, h->slot[side], Q + 6 * side, 1);
}

// Index of local coordinate i (of 14) in the matrices of the force; -1: it does not exist.
static int coordinate(const tmli_contact_here *h, int i)
{
    if (i >= 12) return h->bristle < 0 ? -1 : 6 * (h->bristle + i - 12);
    return h->slot[i / 6] < 0 ? -1 : 6 * h->slot[i / 6] + i % 6;
}

static void add_tangent(const tmli_contact_here *h, void *user)
{
    enum { N = TMLI_CONTACT_COORDS };
    task *t = user;
    tmli_contact_state s;
    double H[N * N], D[N * N];
    evaluate(t, h, &s);
    if (!s.N.touches && h->bristle < 0) return;
    tmli_contact_tangent(&s, H, D);
    const int width = 6 * t->f->plan.nslots;
    for (int i = 0; i < N; i++) {
        const int row = coordinate(h, i);
        for (int j = 0; j < N && row >= 0; j++) {
            const int column = coordinate(h, j);
            if (column < 0 || (t->f->diagonal_tangent && column / 6 != row / 6)) continue;
            const int at = t->f->diagonal_tangent ? 6 * row + column % 6 : row * width + column;
            t->H[at] += H[N * i + j];
            t->D[at] += D[N * i + j];
        }
    }
}

static void add_energy(const tmli_contact_here *h, void *user)
{
    task *t = user;
    tmli_contact_state s;
    evaluate(t, h, &s);
    t->potential += s.energy;
    t->power += s.power;
}

// The gap of a point; one without a force does not touch, wherever it is.
static double apparent_gap(const tmli_contact_point *k) { return k->fade.v < 1 ? k->gap : fmax(k->gap, 0); }

static void add_channels(const tmli_contact_here *h, void *user)
{
    task *t = user;
    tmli_contact_state s;
    evaluate(t, h, &s);
    t->values[0] = fmin(t->values[0], apparent_gap(&h->point));
    if (!s.N.touches || h->point.fade.v >= 1) return;
    t->values[1] += s.N.N;
    t->values[2] += v3_norm(s.T);
    t->values[3] += 1;
}

static task task_of(const tmli_force *f, const tmli_view *v)
{
    return (task){.f = f, .v = v, .mode = tmli_modes(v->x, f->mode)};
}

static void force(const tmli_force *f, const tmli_view *v, double *Q)
{
    task t = task_of(f, v);
    t.Q = Q;
    tmli_contact_set_visit(f, v, true, add_force, &t);
}

static void tangent(const tmli_force *f, const tmli_view *v, double *H, double *D)
{
    task t = task_of(f, v);
    t.H = H;
    t.D = D;
    tmli_contact_set_visit(f, v, true, add_tangent, &t);
}

static void energy(const tmli_force *f, const tmli_view *v, double *potential, double power[TMLI_WORK_KINDS])
{
    task t = task_of(f, v);
    // a contact that relaxes keeps its energy until it is open, which may be a little late
    tmli_contact_set_visit(f, v, f->nmodes == 0, add_energy, &t);
    *potential += t.potential;
    power[f->work] += t.power;
}

static void channels(const tmli_force *f, const tmli_view *v, double *values)
{
    task t = task_of(f, v);
    t.values = values;
    // of shapes that are not near it is not known
    values[0] = ((const tmli_contact_set *)f->data)->swept ? 0 : INFINITY;
    values[1] = values[2] = values[3] = 0;
    tmli_contact_set_visit(f, v, false, add_channels, &t);
}

// The forces of the pairs that are listed.
static void contacts(const tmli_force *f, const tmli_view *v, tmli_contact_force *out)
{
    const tmli_contact_set *c = f->data;
    const task t = task_of(f, v);
    tmli_contact_here here[TMLI_PAIR_POINTS];
    for (int i = 0; i < f->ncontacts; i++) {
        const tmli_contact_pair *p = &c->pair[i];
        const int count = tmli_contact_pair_points(c, v, p, here),
                  loaded = tmli_contact_set_loaded(c, p->shape[0], p->shape[1]);
        tmli_resultant sum = tmli_resultant_none();
        for (int k = 0; k < count; k++) {
            tmli_contact_state s;
            evaluate(&t, &here[k], &s);
            const bool on_Y = p->shape[!here[k].point.swapped] == loaded;
            const double sign = !s.N.touches ? 0 : on_Y ? 1 : -1;
            tmli_resultant_add(&sum, apparent_gap(&here[k].point), tmli_point_place(&here[k].point),
                               v3_scale(sign * s.N.N, here[k].point.n), v3_scale(sign, s.T));
        }
        out[i] = tmli_resultant_force(&sum, 1);
    }
}

// ---- modes ------------------------------------------------------------------------------------------------

// The deepest point of a pair with one mode
static const tmli_contact_here *deepest(const tmli_contact_here *here, int count)
{
    const tmli_contact_here *best = here;
    for (int k = 1; k < count; k++)
        if (here[k].point.gap < best->point.gap) best = &here[k];
    return best;
}

// Points of a pair that is far apart have the distance of the spheres around its shapes.
static void event_values(const tmli_force *f, const tmli_view *v, const double *mode, double *values)
{
    const tmli_contact_set *c = f->data;
    tmli_contact_here here[TMLI_PAIR_POINTS];
    for (int i = 0; i < c->npairs; i++) {
        const tmli_contact_pair *p = &c->pair[i];
        const double far = tmli_contact_bound_distance(v, &c->shape[p->shape[0]], &c->shape[p->shape[1]]);
        bool open = far > 0;
        for (int k = 0; k < p->modes && open; k++) open = tmli_normal_is_open(mode[p->first + k]);
        const int count = open ? 0 : tmli_contact_pair_points(c, v, p, here);
        if (p->shared) {
            values[p->first] =
                open ? far : tmli_normal_pair_event(mode[p->first], -deepest(here, count)->point.gap);
            continue;
        }
        for (int k = 0; k < p->modes; k++) {
            const int at = p->first + k;
            values[at] = open ? far
                              : tmli_normal_event(&here[k].law, mode[at], -here[k].point.gap,
                                                  -tmli_contact_gap_rate(&here[k].point, here[k].state.body));
        }
    }
}

// The mode of a point; where a branch ends exactly, the slightly later state selects the next one.
static int update_mode(const tmli_contact_here *h, const tmli_contact_here *later, bool all, double *mode)
{
    double depth = -h->point.gap, rate = -tmli_contact_gap_rate(&h->point, h->state.body);
    if (!tmli_mode_is_watched(*mode)) return 0;
    if (later && tmli_normal_is_at_end(&h->law, *mode, depth, rate)) {
        depth = -later->point.gap;
        rate = -tmli_contact_gap_rate(&later->point, later->state.body);
    }
    if (!all && *mode != TML_SWITCH_UNSET && tmli_normal_event(&h->law, *mode, depth, rate) >= 0) return 0;
    const double before = *mode;
    *mode = tmli_normal_mode(&h->law, all ? TML_SWITCH_UNSET : before, depth, rate);
    return *mode != before;
}

// The mode of a pair, likewise.
static int update_pair(const tmli_contact_here *h, const tmli_contact_here *later, bool all, double *mode)
{
    const tmli_contact_here *at = later && h->point.gap == 0 ? later : h;
    const double depth = -at->point.gap, rate = -tmli_contact_gap_rate(&at->point, at->state.body);
    if (!tmli_mode_is_watched(*mode)) return 0;
    if (!all && *mode != TML_SWITCH_UNSET && tmli_normal_pair_event(*mode, depth) >= 0) return 0;
    const double before = *mode;
    *mode = tmli_normal_pair_mode(all ? TML_SWITCH_UNSET : before, depth, rate);
    return *mode != before;
}

static int update_modes(const tmli_force *f, const tmli_view *v, const tmli_view *later, bool all,
                        double *mode)
{
    const tmli_contact_set *c = f->data;
    tmli_contact_here here[TMLI_PAIR_POINTS], after[TMLI_PAIR_POINTS];
    int changed = 0;
    for (int i = 0; i < c->npairs; i++) {
        const tmli_contact_pair *p = &c->pair[i];
        const int count = tmli_contact_pair_points(c, v, p, here),
                  next = later ? tmli_contact_pair_points(c, later, p, after) : 0;
        if (p->shared) {
            changed +=
                update_pair(deepest(here, count), later ? deepest(after, next) : NULL, all, &mode[p->first]);
            continue;
        }
        for (int k = 0; k < p->modes; k++)
            changed += update_mode(&here[k], later ? &after[k] : NULL, all, &mode[p->first + k]);
    }
    return changed;
}

static bool conservative(const tmli_force *f)
{
    const tmli_contact_set *c = f->data;
    const tmli_tangential_law *t = &c->tangential;
    return c->law.c == 0 && c->law.D == 0 && c->zeta == 0 && !t->slides && !t->bristles &&
           !(t->spin_creep > 0);
}

static double creep(const tmli_force *f)
{
    const tmli_tangential_law *t = &((const tmli_contact_set *)f->data)->tangential;
    return t->slides && !t->bristles ? t->creep : 0;
}

// The deepest pair, if its depth is more than that of contacts at rest.
static bool sunk(const tmli_force *f, const tmli_view *v, char *text, size_t size)
{
    const tmli_contact_set *c = f->data;
    tmli_contact_here here[TMLI_PAIR_POINTS];
    double deepest = 0;
    for (int i = 0; i < c->npairs && c->pair; i++) {  // many shapes have no list of pairs
        const tmli_shape *a = &c->shape[c->pair[i].shape[0]], *b = &c->shape[c->pair[i].shape[1]];
        if (tmli_contact_bound_distance(v, a, b) > 0) continue;
        const int count = tmli_contact_pair_points(c, v, &c->pair[i], here);
        double depth = 0;
        for (int k = 0; k < count; k++) depth = fmax(depth, -apparent_gap(&here[k].point));
        if (depth <= SUNK * fmin(a->bound, b->bound) || depth <= deepest) continue;
        deepest = depth;
        const bool plane = a->type == TML_SHAPE_PLANE;
        snprintf(text, size, "contact '%.80s': '%.80s' is %.3g m deep in '%.80s'", f->name,
                 plane ? b->name : a->name, depth, plane ? a->name : b->name);
    }
    return deepest > 0;
}

static const tmli_force_channel contact_channels[] = {{"gap", "m", TMLI_CHANNEL_VALUE, true},
                                                      {"force", "N", TMLI_CHANNEL_VALUE, true},
                                                      {"friction", "N", TMLI_CHANNEL_VALUE, true},
                                                      {"points", "1", TMLI_CHANNEL_VALUE, true}};

typedef struct outward {
    const tmli_force *f;
    tmli_point_visit *visit;
    void *user;
} outward;

static void show(const tmli_contact_here *h, void *user)
{
    const outward *o = user;
    tmli_near_point p = {.gap = h->point.gap, .place = tmli_point_place(&h->point), .normal = h->point.n};
    for (int k = 0; k < 2; k++) p.node[k] = h->slot[k] < 0 ? -1 : o->f->plan.node[h->slot[k]];
    o->visit(&p, o->user);
}

static void points(const tmli_force *f, const tmli_view *v, tmli_point_visit *visit, void *user)
{
    outward o = {f, visit, user};
    tmli_contact_set_visit(f, v, false, show, &o);
}

const tmli_force_ops tmli_force_contact = {
    .work = TMLI_WORK_CONTACT,
    .size = sizeof(tmli_contact_set),
    .nchannels = 4,
    .channel = contact_channels,
    .force = force,
    .tangent = tangent,
    .energy = energy,
    .channels = channels,
    .contacts = contacts,
    .points = points,
    .event_values = event_values,
    .update_modes = update_modes,
    .conservative = conservative,
    .creep = creep,
    .sunk = sunk,
    .touch = tmli_along_touch,
};
