// Spring and torsion: a scalar force F along a measure x (length or angle) between two frames, with gradient
// g and second derivative N:
//   F = k (x - x0) + c xdot + law + table(x - x0),      Q = -F g                              (1)
//   -Q_d = F N + g (F_x g + F_v u'N + law_d)',          -Q_u = g (F_v g + law_u)'             (2)
// where law_d and law_u are the derivatives of the law by other variables of the state.
#include "element/force/along.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/tolerances.h"
#include "element/force/constants.h"

typedef struct spring {
    tmli_marker at[2];  // frames a and b
    int slot[2];        // of their nodes
    double stiffness, damping, free;
    const tmli_curve *table;  // NULL: none
} spring;

enum { X, RATE };  // variables of the law that are its own

// A torsion whose axis is perpendicular to that of the joint between its bodies does not see their rotation.
// The axis of a joint that turns about one axis is z of its frames.
static tml_status check_axis(const tmli_force_builder *b, const tmli_force_entry *e, const tmli_marker at[2])
{
    const tml_model *m = b->m;
    for (int i = 0; i < m->njoints; i++) {
        const tmli_constraint *c = &m->constraint[i];
        const int a = c->marker[0].body, other = c->marker[1].body;
        const bool same =
            (a == at[0].body && other == at[1].body) || (a == at[1].body && other == at[0].body);
        if (!c->has_reaction || !same || c->ops->motion.rotation != TMLI_ROTATION_AXIS) continue;
        const tmli_pose own = tmli_node_start_pose(m, at[0].body), frame = tmli_node_start_pose(m, a);
        const vec3 z = m3_mulv(&own.R, m3_col(&at[0].C, 2)),
                   axis = m3_mulv(&frame.R, m3_col(&c->marker[0].C, 2));
        if (fabs(v3_dot(z, axis)) > ACROSS_AXIS) continue;
        return tmli_fail_at(
            b->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "a"),
            "torsion '%s' acts about (%.3g, %.3g, %.3g), across the axis (%.3g, %.3g, %.3g) of "
            "joint '%s', about which its bodies turn; turn its frames, or give joint '%s' a "
            "'stiffness'",
            e->def.name, z.x, z.y, z.z, axis.x, axis.y, axis.z, c->name, c->name);
    }
    return TML_OK;
}

static tml_status build(const tmli_force_builder *b, const tmli_force_entry *e, tmli_force *f, bool torsion)
{
    static const char *const of_spring[] = {"length", "rate", NULL}, *const of_torsion[] = {"angle", "rate",
                                                                                            NULL};
    spring *s = f->data;
    tml_model *m = b->m;
    tmli_marker *const at = s->at;
    tml_status st = tmli_force_find_frames(b, e, at);
    for (int side = 0; side < 2 && torsion && st == TML_OK; side++)
        st = tmli_force_check_torque(b, e, at[side].body);
    if (st == TML_OK && torsion && !m->planar) st = check_axis(b, e, at);
    if (st != TML_OK) return st;
    const int node[2] = {at[0].body, at[1].body};
    f->use = tmli_model_add_measure_use(
        m, torsion ? tmli_measure_twist(&at[0], &at[1]) : tmli_measure_distance(&at[0], &at[1]), node[0],
        node[1]);
    if (f->use < 0) return tmli_no_memory(b->err, "model");
    s->stiffness = e->def.stiffness;
    s->damping = e->def.damping;
    s->free = e->def.free;
    const tmli_pose A = tmli_node_start_pose(m, node[0]), B = tmli_node_start_pose(m, node[1]);
    tmli_measure_use *use = &m->measure_use[f->use];
    if (torsion && !isnan(s->free) && !tmli_model_stated_start(m, use, &use->start))
        use->start = tmli_model_wound_start(m, use);
    const double x = torsion ? tmli_model_start_value(m, use) : tmli_measure_value(&use->measure, &A, &B);
    if (isnan(s->free)) s->free = x;
    if (!torsion && !(x > TMLI_AGREEMENT * m->length))
        return tmli_fail_at(b->err, TML_ERR_MODEL, e->at.at,
                            "spring '%s': its two ends coincide at the start, so its direction is undefined",
                            e->def.name);
    st = tmli_force_alloc_laws(b, f, 1);
    if (st == TML_OK)
        st = tmli_force_compile(b, e, f, 0, e->def.law, "law", torsion ? of_torsion : of_spring);
    if (st == TML_OK) st = tmli_force_table(b, e, &s->table);
    f->nmodes = s->table && tmli_curve_smoothness(s->table) < 1;  // kinks of the force
    return st == TML_OK ? tmli_force_plan(b, f, 2, node, s->slot) : st;
}

static tml_status build_spring(const tmli_force_builder *b, const tmli_force_entry *e, tmli_force *f)
{
    return build(b, e, f, false);
}

static tml_status build_torsion(const tmli_force_builder *b, const tmli_force_entry *e, tmli_force *f)
{
    return build(b, e, f, true);
}

// The branch of the table that the mode fixes; -1: none.
static int branch_of(const tmli_force *f, const tmli_view *v)
{
    const double *mode = f->nmodes > 0 ? tmli_modes(v->x, f->mode) : NULL;
    return mode && tmli_mode_fixes_branch(mode[0]) ? (int)mode[0] - 1 : -1;
}

static double scalar_force(const tmli_force *f, const tmli_view *v, const tmli_along *k)
{
    const spring *s = f->data;
    const double e = k->local[X] - s->free;
    double F = s->stiffness * e + s->damping * k->local[RATE];  // (1)
    if (f->law[0].expr) F += tmli_law_value(v, &f->law[0], k->local);
    if (s->table) F += tmli_curve_eval_branch(s->table, branch_of(f, v), e, NULL, NULL);
    return F;
}

static void force(const tmli_force *f, const tmli_view *v, double *Q)
{
    const spring *s = f->data;
    tmli_along k;
    tmli_along_of(v, f->use, &k);
    const double F = scalar_force(f, v, &k);
    for (int side = 0; side < 2; side++) tmli_add_slot(Q, s->slot[side], k.g + 6 * side, -F);
}

// (2) of the force F with the derivatives `by` of all but its law.
static void add_tangent(const tmli_force *f, const tmli_view *v, const tmli_along *k, double F, double by[2],
                        double *H, double *D)
{
    const spring *s = f->data;
    const int width = 6 * f->plan.nslots;
    double *const gd = v->w->gd, *const gu = v->w->gu;
    double row[12];
    memset(gd, 0, (size_t)width * sizeof(double));
    memset(gu, 0, (size_t)width * sizeof(double));
    if (f->law[0].expr) tmli_law_gradient(v, &f->law[0], k->local, by, gd, gu);
    tmli_measure_row(k->measure, k->A, k->B, k->u, row);
    for (int side = 0; side < 2; side++) {
        tmli_add_slot(gd, s->slot[side], k->g + 6 * side, by[X]);
        tmli_add_slot(gd, s->slot[side], row + 6 * side, by[RATE]);
        tmli_add_slot(gu, s->slot[side], k->g + 6 * side, by[RATE]);
    }
    double N[144] = {0};
    tmli_measure_add_hessian(k->measure, k->A, k->B, F, N);
    for (int si = 0; si < 2; si++) {
        if (s->slot[si] < 0) continue;
        for (int i = 0; i < 6; i++) {
            const int at = (6 * s->slot[si] + i) * width;
            for (int j = 0; j < width; j++) {
                H[at + j] += k->g[6 * si + i] * gd[j];  // (2)
                D[at + j] += k->g[6 * si + i] * gu[j];
            }
            for (int sj = 0; sj < 2; sj++)
                for (int j = 0; j < 6 && s->slot[sj] >= 0; j++)
                    H[at + 6 * s->slot[sj] + j] += N[12 * (6 * si + i) + 6 * sj + j];
        }
    }
}

static void tangent(const tmli_force *f, const tmli_view *v, double *H, double *D)
{
    const spring *s = f->data;
    tmli_along k;
    tmli_along_of(v, f->use, &k);
    double by[2] = {s->stiffness, s->damping}, slope;
    if (s->table) {
        tmli_curve_eval_branch(s->table, branch_of(f, v), k.local[X] - s->free, &slope, NULL);
        by[X] += slope;
    }
    add_tangent(f, v, &k, scalar_force(f, v, &k), by, H, D);
}

// ---- mean force over a step -------------------------------------------------------------------------------
//   F = (U1 - U0)/(x1 - x0) + decay s (x1 - x0) + c xdot + law,   Q = -F g at the middle                (3)
// and a force along the motion that makes up for x1 - x0 - g.d. s >= 0 is the stiffness of the secant.

typedef struct mean_motion {
    tmli_along middle;
    double change;     // x1 - x0
    double stiffness;  // of the secant
    double elastic;    // first two terms of F
    double force;      // F
    double g_end[12];  // gradient at the end
} mean_motion;

// x1 - x0 without cancellation; near: the same with it, on the right turn of an angle.
static double change_of(const tmli_force *f, const tmli_step_view *v, double near)
{
    static const tmli_pose_increment none = {.s = 1, .c = 0.5};  // of the ground
    const double two_pi = 6.28318530717958647692;
    const tmli_measure_use *use = &v->middle.m->measure_use[f->use];
    const tmli_pose_increment *by[2];
    for (int side = 0; side < 2; side++)
        by[side] = use->node[side] < 0 ? &none : &v->middle.w->increment[use->node[side]];
    const double change = tmli_measure_increment(&use->measure, tmli_pose_of(v->start.pose, use->node[0]),
                                                 tmli_pose_of(v->start.pose, use->node[1]), by[0], by[1]);
    return use->angle < 0 ? change : change + two_pi * round((near - change) / two_pi);
}

// The table's part of the mean force and of the stiffness between the elongations e0 and e1. (U1 - U0)/(x1 -
// x0) loses its digits where the change is small; there the middle is as good.
static void add_table(const tmli_force *f, const tmli_step_view *v, double e0, double e1, mean_motion *k)
{
    const tmli_curve *table = ((const spring *)f->data)->table;
    const int branch = branch_of(f, &v->middle);
    double slope;
    if (fabs(k->change) > cbrt(DBL_EPSILON) * (fabs(e0) + fabs(e1))) {
        k->elastic += (tmli_curve_integral(table, e1) - tmli_curve_integral(table, e0)) / k->change;
        slope = (tmli_curve_eval_branch(table, branch, e1, NULL, NULL) -
                 tmli_curve_eval_branch(table, branch, e0, NULL, NULL)) /
                k->change;
    } else {
        k->elastic += tmli_curve_eval_branch(table, branch, (e0 + e1) / 2, &slope, NULL);
    }
    k->stiffness += slope;
}

static void mean_motion_of(const tmli_force *f, const tmli_step_view *v, mean_motion *k)
{
    const spring *s = f->data;
    tmli_along start, end;
    tmli_along_of(&v->start, f->use, &start);
    tmli_along_of(&v->end, f->use, &end);
    tmli_along_of(&v->middle, f->use, &k->middle);
    memcpy(k->g_end, end.g, sizeof k->g_end);
    const double x0 = start.local[X], x1 = end.local[X];
    k->change = change_of(f, v, x1 - x0);
    k->elastic = s->stiffness * ((x0 + x1) / 2 - s->free);
    k->stiffness = s->stiffness;
    if (s->table) add_table(f, v, x0 - s->free, x1 - s->free, k);
    k->elastic += v->decay * fmax(0, k->stiffness) * k->change;
    k->force = k->elastic + s->damping * k->middle.local[RATE];
    if (f->law[0].expr) k->force += tmli_law_value(&v->middle, &f->law[0], k->middle.local);
}

static void mean(const tmli_force *f, const tmli_step_view *v, double *Q)
{
    const spring *s = f->data;
    const tmli_measure_use *use = &v->middle.m->measure_use[f->use];
    mean_motion k;
    double d[12], F[12] = {0}, moved = 0;
    mean_motion_of(f, v, &k);
    for (int side = 0; side < 2; side++) tmli_node_velocity(v->middle.m, v->d, use->node[side], d + 6 * side);
    for (int i = 0; i < 12; i++) moved += k.middle.g[i] * d[i];
    // the elastic part has to take up U1 - U0 + decay s change^2, which is its mean force times the change
    tmli_force_add_work(2, d, tmli_force_arm(2, k.middle.g), true, k.elastic * (k.change - moved), 0, F);
    for (int i = 0; i < 12; i++) F[i] += k.force * k.middle.g[i];
    for (int side = 0; side < 2; side++) tmli_add_slot(Q, s->slot[side], F + 6 * side, -1);
}

// Without the derivatives of the force along the motion.
static void mean_tangent(const tmli_force *f, const tmli_step_view *v, double *H_end, double *H, double *D)
{
    const spring *s = f->data;
    mean_motion k;
    mean_motion_of(f, v, &k);
    const double slope = k.stiffness / 2 + v->decay * fmax(0, k.stiffness);
    const int width = 6 * f->plan.nslots;
    for (int si = 0; si < 2; si++)
        for (int i = 0; i < 6 && s->slot[si] >= 0; i++)
            for (int sj = 0; sj < 2; sj++)
                for (int j = 0; j < 6 && s->slot[sj] >= 0; j++)
                    H_end[(6 * s->slot[si] + i) * width + 6 * s->slot[sj] + j] +=
                        slope * k.middle.g[6 * si + i] * k.g_end[6 * sj + j];
    double by[2] = {0, s->damping};
    add_tangent(f, &v->middle, &k.middle, k.force, by, H, D);
}

static void energy(const tmli_force *f, const tmli_view *v, double *potential, double power[TMLI_WORK_KINDS])
{
    const spring *s = f->data;
    tmli_along k;
    tmli_along_of(v, f->use, &k);
    const double e = k.local[X] - s->free, rate = k.local[RATE];
    *potential += s->stiffness * e * e / 2 + (s->table ? tmli_curve_integral(s->table, e) : 0);
    power[TMLI_WORK_DAMPED] -= s->damping * rate * rate;
    if (f->law[0].expr) power[f->work] -= tmli_law_value(v, &f->law[0], k.local) * rate;
}

static void works(const tmli_force *f, bool works[TMLI_WORK_KINDS])
{
    if (((const spring *)f->data)->damping != 0) works[TMLI_WORK_DAMPED] = true;
    if (f->law[0].expr) works[f->work] = true;
}

static void channels(const tmli_force *f, const tmli_view *v, double *values)
{
    tmli_along k;
    tmli_along_of(v, f->use, &k);
    values[2] = scalar_force(f, v, &k);
}

static void locals(const tmli_force *f, const tmli_view *v, double *local)
{
    tmli_along k;
    tmli_along_of(v, f->use, &k);
    local[X] = k.local[X];
    local[RATE] = k.local[RATE];
}

static double elongation(const tmli_force *f, const tmli_view *v)
{
    tmli_along k;
    tmli_along_of(v, f->use, &k);
    return k.local[X] - ((const spring *)f->data)->free;
}

static void tables(const tmli_force *f, const tmli_view *v, tmli_table_visit *visit, void *user)
{
    const spring *s = f->data;
    if (s->table) visit(s->table, elongation(f, v), user);
}

static double table_event(const tmli_curve *table, double mode, double e)
{
    double low, high;
    if (!tmli_mode_fixes_branch(mode)) return INFINITY;
    tmli_curve_branch_ends(table, (int)mode - 1, &low, &high);
    return fmin(e - low, high - e);
}

static void event_values(const tmli_force *f, const tmli_view *v, const double *mode, double *values)
{
    values[0] = table_event(((const spring *)f->data)->table, mode[0], elongation(f, v));
}

static int update_modes(const tmli_force *f, const tmli_view *v, const tmli_view *later, bool all,
                        double *mode)
{
    const tmli_curve *table = ((const spring *)f->data)->table;
    if (!tmli_mode_is_watched(mode[0])) return 0;
    double e = elongation(f, v);
    if (later && table_event(table, 1 + tmli_curve_branch(table, e), e) == 0) e = elongation(f, later);
    if (!all && mode[0] != TML_SWITCH_UNSET && table_event(table, mode[0], e) >= 0) return 0;
    const double next = 1 + tmli_curve_branch(table, e);
    const int changed = next != mode[0];
    mode[0] = next;
    return changed;
}

static bool conservative(const tmli_force *f)
{
    return ((const spring *)f->data)->damping == 0 && !f->law[0].expr;
}

static tmli_touch touch_spring(const tmli_force *f, int node, vec3 *point)
{
    const spring *s = f->data;
    for (int side = 0; side < 2; side++) {
        if (s->at[side].body != node) continue;
        *point = s->at[side].s;
        return TMLI_TOUCH_POINT;
    }
    return TMLI_TOUCH_NONE;
}

static tmli_touch touch_torsion(const tmli_force *f, int node, vec3 *point)
{
    return touch_spring(f, node, point) == TMLI_TOUCH_NONE ? TMLI_TOUCH_NONE : TMLI_TOUCH_TORQUE;
}

static const tmli_force_channel spring_channels[] = {{"length", "m", TMLI_CHANNEL_MEASURE, true},
                                                     {"rate", "m/s", TMLI_CHANNEL_RATE, false},
                                                     {"force", "N", TMLI_CHANNEL_VALUE, true}};
static const tmli_force_channel torsion_channels[] = {{"angle", "rad", TMLI_CHANNEL_MEASURE, true},
                                                      {"rate", "rad/s", TMLI_CHANNEL_RATE, false},
                                                      {"force", "N m", TMLI_CHANNEL_VALUE, true}};

#define SPRING_OPS(kind)                                                                                  \
    {                                                                                                     \
        .size = sizeof(spring), .nchannels = 3, .channel = kind##_channels, .build = build_##kind,        \
        .force = force, .tangent = tangent, .energy = energy, .mean = mean, .mean_tangent = mean_tangent, \
        .works = works, .channels = channels, .locals = locals, .tables = tables,                         \
        .event_values = event_values, .update_modes = update_modes, .conservative = conservative,         \
        .touch = touch_##kind                                                                             \
    }
const tmli_force_ops tmli_force_spring = SPRING_OPS(spring), tmli_force_torsion = SPRING_OPS(torsion);
