// Spring, damper, limits and drive along a coordinate x with the rate v (a measure with gradient g and second
// derivative N):
//   F = k gap(x - x0) + c v + L - drive,      Q = -F g                                                    (1)
//   -Q_d = F N + g (F_x g + F_v u'N - drive_d)',   -Q_u = g (F_v g - drive_u)'                            (2)
// gap: the deflection beyond a backlash b about x0, e - b/2 above, e + b/2 below, 0 between, where the damper
// does not act either. L: beyond a limit by e the force kl e + cl edot, as long as it pushes.
//
// Backlash and limits have a mode each: WITHIN, ABOVE or BELOW.
//   event functions   within: distance to the nearer end;  beyond: the way beyond it;
//                     at a limit, with the pushing force P: min(e, P) beyond it, max(-e, -P) within       (3)
#include "element/force/along.h"

#include <math.h>
#include <string.h>

#include "element/force/constants.h"

enum { X, RATE };                   // variables of the drive that are its own
enum { WITHIN = 1, ABOVE, BELOW };  // modes

typedef struct coordinate {
    int slot[2];
    double stiffness, damping, free, half;  // half: half of the backlash
    double lower, upper;                    // infinite: none
    double limit_stiffness, limit_damping;
    int gap_mode, limit_mode;  // index among its modes; -1: none
} coordinate;

static tml_status check_limits(const tmli_force_builder *b, const tmli_force_entry *e)
{
    const tml_limits_def *l = &e->def.limits;
    const bool given = !isnan(l->lower) || !isnan(l->upper);
    if (given && isnan(l->stiffness))
        return tmli_fail_at(b->err, TML_ERR_MODEL,
                            tmli_entry_mark(&e->at, isnan(l->lower) ? "upper" : "lower"),
                            "force '%s' has limits without 'limit_stiffness'", e->def.name);
    if (!given && !isnan(l->stiffness))
        return tmli_fail_at(b->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "limit_stiffness"),
                            "force '%s' has 'limit_stiffness' without 'lower' or 'upper'", e->def.name);
    if (l->lower >= l->upper)
        return tmli_fail_at(b->err, TML_ERR_MODEL, tmli_entry_mark(&e->at, "lower"),
                            "force '%s': its lower limit %g is not below the upper, %g", e->def.name,
                            l->lower, l->upper);
    return TML_OK;
}

// A coordinate that starts far beyond a limit is thrown back: the signs or units of one of them are wrong.
static void warn_of_start(const tml_model *m, const char *name, const coordinate *d, double x, bool angle)
{
    const double below = d->lower - x, above = x - d->upper, beyond = fmax(below, above);
    if (!(beyond > START_BEYOND * (angle ? 1 : m->length))) return;
    tmli_log(
        &m->env, TML_LOG_WARNING,
        "limits of '%s': the coordinate starts at %.4g %s, beyond its %s limit %.4g by %.3g, and is pushed "
        "back with %.3g %s",
        name, x, angle ? "rad" : "m", below > above ? "lower" : "upper", below > above ? d->lower : d->upper,
        beyond, d->limit_stiffness * beyond, angle ? "N m" : "N");
}

static tml_status build(const tmli_force_builder *b, const tmli_force_entry *e, tmli_force *f)
{
    static const char *const own[] = {"value", "rate", NULL};
    coordinate *d = f->data;
    tml_model *m = b->m;
    const tml_limits_def *l = &e->def.limits;
    tml_status st =
        tmli_model_find_coordinate(b->spec, m, e->def.of, tmli_entry_mark(&e->at, "of"), &f->use, b->err);
    if (st == TML_OK) st = check_limits(b, e);
    if (st != TML_OK) return st;
    const tmli_measure_use *use = &m->measure_use[f->use];
    const tmli_pose A = tmli_node_start_pose(m, use->node[0]), B = tmli_node_start_pose(m, use->node[1]);
    const bool limits = !isnan(l->lower) || !isnan(l->upper);
    *d = (coordinate){.stiffness = e->def.stiffness,
                      .damping = e->def.damping,
                      .free = e->def.free,
                      .half = e->def.backlash / 2,
                      .lower = isnan(l->lower) ? -INFINITY : l->lower,
                      .upper = isnan(l->upper) ? INFINITY : l->upper,
                      .limit_stiffness = limits ? l->stiffness : 0,
                      .limit_damping = limits ? l->damping : 0,
                      .gap_mode = -1,
                      .limit_mode = -1};
    const double start =
        use->angle >= 0 ? tmli_model_start_value(m, use) : tmli_measure_value(&use->measure, &A, &B);
    if (isnan(d->free)) d->free = start;
    if (limits) warn_of_start(m, e->def.name, d, start, tmli_measure_is_angle(use->measure.kind));
    if (d->half > 0) d->gap_mode = f->nmodes++;
    if (limits) d->limit_mode = f->nmodes++;
    st = tmli_force_alloc_laws(b, f, 1);
    if (st == TML_OK) st = tmli_force_compile(b, e, f, 0, e->def.drive, "force", own);
    f->is_scalar = tmli_force_laws_are_own(f);
    return st == TML_OK ? tmli_force_plan(b, f, 2, use->node, d->slot) : st;
}

// Its value and rate alone.
static void values_of(const tmli_force *f, const tmli_view *w, tmli_along *k)
{
    tmli_along_values(w, f->use, &k->local[X], &k->local[RATE]);
}

// ---- backlash and limits ----------------------------------------------------------------------------------

// Way beyond a limit (negative: before it) and the force that pushes back.
static double beyond(const coordinate *d, int side, const tmli_along *k, double *push)
{
    const double e = side == ABOVE ? k->local[X] - d->upper : d->lower - k->local[X],
                 rate = side == ABOVE ? k->local[RATE] : -k->local[RATE];
    *push = isinf(e) ? -INFINITY : d->limit_stiffness * e + d->limit_damping * rate;
    return e;
}

static int limit_of(const coordinate *d, const tmli_along *k)
{
    double push;
    if (beyond(d, ABOVE, k, &push) > 0 && push > 0) return ABOVE;
    if (beyond(d, BELOW, k, &push) > 0 && push > 0) return BELOW;
    return WITHIN;
}

static int gap_of(const coordinate *d, const tmli_along *k)
{
    const double e = k->local[X] - d->free;
    return e > d->half ? ABOVE : e < -d->half ? BELOW : WITHIN;
}

// The branch in force: that of the mode, or the one at the state.
static int branch(const tmli_force *f, const tmli_view *w, int index, int present)
{
    const double *mode = tmli_modes(w->x, f->mode);
    return mode && tmli_mode_fixes_branch(mode[index]) ? (int)mode[index] : present;
}

// (1) without the drive; by: derivatives by x and v. *potential (may be NULL) += energy of the spring.
static double passive_force(const tmli_force *f, const tmli_view *w, const tmli_along *k, double by[2],
                            double *potential)
{
    const coordinate *d = f->data;
    const int gap = d->gap_mode < 0 ? 0 : branch(f, w, d->gap_mode, gap_of(d, k)),
              limit = d->limit_mode < 0 ? WITHIN : branch(f, w, d->limit_mode, limit_of(d, k));
    double e = k->local[X] - d->free, F = 0;
    by[X] = by[RATE] = 0;
    if (gap == ABOVE) e -= d->half;
    if (gap == BELOW) e += d->half;
    if (gap != WITHIN) {
        F = d->stiffness * e + d->damping * k->local[RATE];
        by[X] = d->stiffness;
        by[RATE] = d->damping;
        if (potential) *potential += d->stiffness * e * e / 2;
    }
    if (limit != WITHIN) {
        double push;
        beyond(d, limit, k, &push);
        F += limit == ABOVE ? push : -push;
        by[X] += d->limit_stiffness;
        by[RATE] += d->limit_damping;
    }
    return F;
}

static double limit_force(const tmli_force *f, const tmli_view *w, const tmli_along *k)
{
    const coordinate *d = f->data;
    const int limit = d->limit_mode < 0 ? WITHIN : branch(f, w, d->limit_mode, limit_of(d, k));
    double push = 0;
    if (limit == WITHIN) return 0;
    beyond(d, limit, k, &push);
    return limit == ABOVE ? push : -push;
}

static double drive_of(const tmli_force *f, const tmli_view *w, const tmli_along *k)
{
    return f->law[0].expr ? tmli_law_value(w, &f->law[0], k->local) : 0;
}

static double scalar_force(const tmli_force *f, const tmli_view *w, double x, double v, double by[2])
{
    const tmli_along k = {.local = {x, v}};
    double own[2], of_drive[2] = {0};
    const double F = passive_force(f, w, &k, own, NULL);
    if (!by) return F - drive_of(f, w, &k);
    // no law of its depends on nodes
    const double drive = f->law[0].expr ? tmli_law_gradient(w, &f->law[0], k.local, of_drive, NULL, NULL) : 0;
    by[0] = own[X] - of_drive[X];
    by[1] = own[RATE] - of_drive[RATE];
    return F - drive;
}

// ---- of the contract --------------------------------------------------------------------------------------

static void force(const tmli_force *f, const tmli_view *w, double *Q)
{
    const coordinate *d = f->data;
    tmli_along k;
    double by[2];
    tmli_along_of(w, f->use, &k);
    const double F = passive_force(f, w, &k, by, NULL) - drive_of(f, w, &k);
    for (int side = 0; side < 2; side++) tmli_add_slot(Q, d->slot[side], k.g + 6 * side, -F);
}

static void tangent(const tmli_force *f, const tmli_view *w, double *H, double *D)
{
    const coordinate *d = f->data;
    const int width = 6 * f->plan.nslots;
    double *const gd = w->w->gd, *const gu = w->w->gu, by[2], of_drive[2] = {0}, row[12], N[144] = {0};
    tmli_along k;
    tmli_along_of(w, f->use, &k);
    double F = passive_force(f, w, &k, by, NULL);
    memset(gd, 0, (size_t)width * sizeof(double));
    memset(gu, 0, (size_t)width * sizeof(double));
    if (f->law[0].expr) F -= tmli_law_gradient(w, &f->law[0], k.local, of_drive, gd, gu);
    for (int j = 0; j < width; j++) {
        gd[j] = -gd[j];
        gu[j] = -gu[j];
    }
    by[X] -= of_drive[X];
    by[RATE] -= of_drive[RATE];
    tmli_measure_row(k.measure, k.A, k.B, k.u, row);
    for (int side = 0; side < 2; side++) {
        tmli_add_slot(gd, d->slot[side], k.g + 6 * side, by[X]);
        tmli_add_slot(gd, d->slot[side], row + 6 * side, by[RATE]);
        tmli_add_slot(gu, d->slot[side], k.g + 6 * side, by[RATE]);
    }
    tmli_measure_add_hessian(k.measure, k.A, k.B, F, N);
    for (int i = 0; i < 12; i++) {
        if (d->slot[i / 6] < 0) continue;
        const int at = (6 * d->slot[i / 6] + i % 6) * width;
        for (int j = 0; j < width; j++) {
            H[at + j] += k.g[i] * gd[j];  // (2)
            D[at + j] += k.g[i] * gu[j];
        }
        for (int j = 0; j < 12; j++)
            if (d->slot[j / 6] >= 0) H[at + 6 * d->slot[j / 6] + j % 6] += N[12 * i + j];
    }
}

// The spring has a potential. A limit, whose damping may end its contact early, has none.
static void energy(const tmli_force *f, const tmli_view *w, double *potential, double power[TMLI_WORK_KINDS])
{
    const coordinate *d = f->data;
    tmli_along k;
    double by[2];
    values_of(f, w, &k);
    passive_force(f, w, &k, by, potential);
    const bool within = d->gap_mode >= 0 && branch(f, w, d->gap_mode, gap_of(d, &k)) == WITHIN;
    const double damping = within ? 0 : d->damping * k.local[RATE];
    power[TMLI_WORK_DAMPED] -= damping * k.local[RATE];
    power[TMLI_WORK_CONTACT] -= limit_force(f, w, &k) * k.local[RATE];
    power[f->work] += drive_of(f, w, &k) * k.local[RATE];
}

static void works(const tmli_force *f, bool works[TMLI_WORK_KINDS])
{
    const coordinate *d = f->data;
    if (d->damping != 0) works[TMLI_WORK_DAMPED] = true;
    if (d->limit_mode >= 0) works[TMLI_WORK_CONTACT] = true;
    if (f->law[0].expr) works[f->work] = true;
}

static void channels(const tmli_force *f, const tmli_view *w, double *values)
{
    tmli_along k;
    double by[2];
    values_of(f, w, &k);
    values[0] = passive_force(f, w, &k, by, NULL) - drive_of(f, w, &k);
    values[1] = limit_force(f, w, &k);
}

static void locals(const tmli_force *f, const tmli_view *w, double *local)
{
    tmli_along k;
    values_of(f, w, &k);
    memcpy(local, k.local, sizeof k.local);
}

// (3)
static double gap_event(const coordinate *d, const tmli_along *k, double mode)
{
    const double e = k->local[X] - d->free;
    return mode == ABOVE ? e - d->half : mode == BELOW ? -e - d->half : d->half - fabs(e);
}

static double limit_event(const coordinate *d, const tmli_along *k, double mode)
{
    double push[2];
    const double e[2] = {beyond(d, ABOVE, k, &push[0]), beyond(d, BELOW, k, &push[1])};
    if (mode == ABOVE) return fmin(e[0], push[0]);
    if (mode == BELOW) return fmin(e[1], push[1]);
    return fmin(fmax(-e[0], -push[0]), fmax(-e[1], -push[1]));
}

static void event_values(const tmli_force *f, const tmli_view *w, const double *mode, double *values)
{
    const coordinate *d = f->data;
    tmli_along k;
    values_of(f, w, &k);
    for (int i = 0; i < f->nmodes; i++)
        values[i] = !tmli_mode_fixes_branch(mode[i]) ? INFINITY
                    : i == d->gap_mode               ? gap_event(d, &k, mode[i])
                                                     : limit_event(d, &k, mode[i]);
}

static int update_modes(const tmli_force *f, const tmli_view *w, const tmli_view *later, bool all,
                        double *mode)
{
    const coordinate *d = f->data;
    int changed = 0;
    tmli_along k, after;
    values_of(f, w, &k);
    if (later) values_of(f, later, &after);
    for (int i = 0; i < f->nmodes; i++) {
        if (!tmli_mode_is_watched(mode[i])) continue;
        const bool gap = i == d->gap_mode, unset = mode[i] == TML_SWITCH_UNSET;
        const double value = unset ? 0 : gap ? gap_event(d, &k, mode[i]) : limit_event(d, &k, mode[i]);
        if (!all && !unset && value > 0) continue;
        const tmli_along *at = later && value == 0 ? &after : &k;
        const double next = gap ? gap_of(d, at) : limit_of(d, at);
        changed += next != mode[i];
        mode[i] = next;
    }
    return changed;
}

static bool conservative(const tmli_force *f)
{
    const coordinate *d = f->data;
    return d->damping == 0 && d->limit_mode < 0 && !f->law[0].expr;
}

static const tmli_force_channel coordinate_channels[] = {{"force", "N or N m", TMLI_CHANNEL_VALUE, true},
                                                         {"limit", "N or N m", TMLI_CHANNEL_VALUE, true}};

static void bounds(const tmli_force *f, double *lower, double *upper)
{
    const coordinate *d = f->data;
    *lower = d->lower;
    *upper = d->upper;
}

const tmli_force_ops tmli_force_coordinate = {
    .size = sizeof(coordinate),
    .nchannels = 2,
    .channel = coordinate_channels,
    .build = build,
    .bounds = bounds,
    .scalar_force = scalar_force,
    .force = force,
    .tangent = tangent,
    .energy = energy,
    .works = works,
    .channels = channels,
    .locals = locals,
    .event_values = event_values,
    .update_modes = update_modes,
    .conservative = conservative,
    .touch = tmli_along_touch,
};
