// Coulomb friction of rigid contacts. The normal row of a point pushes with P = -lambda_n. The velocity of
// slip s has one component per tangent row, or two (element/joint/slip.c), with gradients g_k.
//   slip:   Q = -mu P c_k g_k,   c: unit vector along s                                                   (1)
//   stick:  the rows s_k = 0 are in force, with the multipliers T_k
//   event function:   s.d in slip,   mu P - |T| in stick; each with a margin for round-off                (2)
// The mode of a point that slips holds a direction d, that of slip when the mode began: its angle + SLIPS. In
// (1) the component of s along d is not less than a speed that is none, so that c is smooth beyond the end of
// a branch where slip turns, and is d where slip begins: mu P over the round-off of speeds would be a damping
// across d that no step of a slip that begins could follow. Where slip stops, s passes zero and returns: more
// against d than across it c is -s/|s|, which is smooth there. Where s.d passes zero the point sticks if it
// has stopped; else s has turned, and d follows it. It begins to slip along T, against the force that is too
// large for it; or, where its rows depend on others that move it, such as at a dead point of the mechanism,
// with this motion.
// With a = s.d, b = s.p, p perpendicular to d, and c = (a d + b p)/|s|:
//   c_s = (b d - a p)(b d - a p)'/|s|^3                                                                   (3)
//   -Q_d = mu P (c_k N_k + g_k c_s s_d),   -Q_u = mu P g_k c_s g',   -Q_lambda_n = -mu c_k g_k            (4)
// If a mode is not located, because it changes back and forth within a negligible time (integrate/events), c
// is smooth:
//   c = s/w,   c_s = (1 - c c')/w,   w = sqrt(s.s + stop^2)                                               (5)
#include "element/contact/rigid.h"
#include "element/force/along.h"

#include <math.h>

// Offset of the angle in a mode: those of tml_switch_mode are from -3 to 4.
#define SLIPS 16.0

// A point with its friction at a state.
typedef struct slip {
    tmli_along k[2];
    double s[2];   // velocity of slip [m/s]
    double push;   // P [N]; 0: open
    double T[2];   // multipliers of its rows
    double least;  // a force that is zero but for round-off [N]
    double a[2];   // sticks: accelerations that other constraints give it in spite of its rows
    double d[2];   // the direction that the mode holds
    double c[2], c_s[2][2];
} slip;

static double point_mode(const tmli_rigid *r, const double *mode, int i)
{
    return mode[r->count + r->tangents * i];
}

static void held_direction(double mode, double d[2])
{
    const double angle = fabs(mode) < TML_SWITCH_STRUCK ? (mode < 0 ? acos(-1) : 0) : mode - SLIPS;
    d[0] = cos(angle);
    d[1] = sin(angle);
}

static double mode_along(const double s[2]) { return SLIPS + atan2(s[1], s[0]); }

// (5)
static void set_smooth(const tmli_rigid *r, slip *p)
{
    const double w = sqrt(p->s[0] * p->s[0] + p->s[1] * p->s[1] + r->stop * r->stop);
    for (int i = 0; i < 2; i++) p->c[i] = p->s[i] / w;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) p->c_s[i][j] = ((i == j) - p->c[i] * p->c[j]) / w;
}

static void set_direction(const tmli_rigid *r, double mode, slip *p)
{
    if (!tmli_mode_is_watched(mode)) {
        set_smooth(r, p);
        return;
    }
    held_direction(mode, p->d);
    p->c[0] = p->d[0];
    p->c[1] = r->tangents > 1 ? p->d[1] : 0;
    if (r->tangents == 1) p->c[0] = p->d[0] < 0 ? -1 : 1;
    if (r->tangents == 1) return;
    const double *d = p->d, along = p->s[0] * d[0] + p->s[1] * d[1], over = p->s[1] * d[0] - p->s[0] * d[1];
    const bool back = along < -r->stop && fabs(over) < -along;
    const double a = back ? -along : fmax(along, r->stop), b = back ? -over : over, size = hypot(a, b),
                 cube = (back ? -1 : 1) * size * size * size;
    const double across[2] = {-d[1], d[0]},  // p of (3)
        e[2] = {b * d[0] + a * d[1], b * d[1] - a * d[0]};
    p->c[0] = (a * d[0] - b * d[1]) / size;
    p->c[1] = (a * d[1] + b * d[0]) / size;
    for (int i = 0; i < 2; i++)  // (3); where a is held, c depends on b alone
        for (int j = 0; j < 2; j++) p->c_s[i][j] = e[i] * (back || along >= a ? e[j] : -a * across[j]) / cube;
}

static slip slip_of(const tmli_force *f, const tmli_view *v, const double *mode, int i)
{
    const tmli_rigid *r = f->data;
    const tml_model *m = v->m;
    slip p = {.least = tmli_unilateral_least(m, m->constraint[f->stick + i].term[0].use)};
    for (int k = 0; k < r->tangents; k++) {
        const tmli_constraint *c = &m->constraint[f->stick + r->count + r->tangents * i + k];
        tmli_along_of(v, c->term[0].use, &p.k[k]);
        p.s[k] = p.k[k].v;
        p.T[k] = v->x->lambda[c->first];
    }
    if (!mode || mode[i] == TML_SWITCH_HELD) p.push = -v->x->lambda[m->constraint[f->stick + i].first];
    for (int k = 0; k < r->tangents && mode && point_mode(r, mode, i) == TML_SWITCH_HELD; k++)
        p.a[k] =
            tmli_along_acceleration(v, m->constraint[f->stick + r->count + r->tangents * i + k].term[0].use,
                                    &p.k[k], r->noise, r->friction * fmax(p.push, 0));
    set_direction(r, mode ? point_mode(r, mode, i) : TML_SWITCH_RELEASED, &p);
    return p;
}

// The points that are closed and slip have a force.
static bool slips(const tmli_rigid *r, const double *mode, int i)
{
    return r->tangents > 0 && mode && mode[i] == TML_SWITCH_HELD && point_mode(r, mode, i) != TML_SWITCH_HELD;
}

void tmli_rigid_slip_force(const tmli_force *f, const tmli_view *v, double *Q)
{
    const tmli_rigid *r = f->data;
    const double *mode = tmli_modes(v->x, f->mode);
    for (int i = 0; i < r->count; i++) {
        if (!slips(r, mode, i)) continue;
        const slip p = slip_of(f, v, mode, i);
        for (int k = 0; k < r->tangents; k++)
            for (int side = 0; side < 2; side++)
                tmli_add_slot(Q, r->slot[2 * i + side], p.k[k].g + 6 * side,
                              -r->friction * p.push * p.c[k]);  // (1)
    }
}

void tmli_rigid_slip_tangent(const tmli_force *f, const tmli_view *v, double *H, double *D)
{
    const tmli_rigid *r = f->data;
    const double *mode = tmli_modes(v->x, f->mode);
    const int width = 6 * f->plan.nslots;
    for (int i = 0; i < r->count; i++) {
        if (!slips(r, mode, i)) continue;
        const slip p = slip_of(f, v, mode, i);
        const int *slot = r->slot + 2 * i;
        const double load = r->friction * p.push;
        double second[144] = {0}, row[2][12];
        for (int k = 0; k < r->tangents; k++) {
            tmli_measure_add_hessian(p.k[k].measure, p.k[k].A, p.k[k].B, load * p.c[k], second);
            tmli_measure_row(p.k[k].measure, p.k[k].A, p.k[k].B, p.k[k].u, row[k]);
        }
        for (int a = 0; a < 12; a++)
            for (int b = 0; b < 12 && slot[a / 6] >= 0; b++) {  // (4)
                if (slot[b / 6] < 0) continue;
                const int at = (6 * slot[a / 6] + a % 6) * width + 6 * slot[b / 6] + b % 6;
                H[at] += second[12 * a + b];
                for (int k = 0; k < r->tangents; k++)
                    for (int l = 0; l < r->tangents; l++) {
                        H[at] += load * p.k[k].g[a] * p.c_s[k][l] * row[l][b];
                        D[at] += load * p.k[k].g[a] * p.c_s[k][l] * p.k[l].g[b];
                    }
            }
    }
}

void tmli_rigid_slip_by_multipliers(const tmli_force *f, const tmli_view *v, double *C)
{
    const tmli_rigid *r = f->data;
    const double *mode = tmli_modes(v->x, f->mode);
    for (int i = 0; i < r->count; i++) {
        if (!slips(r, mode, i)) continue;
        const slip p = slip_of(f, v, mode, i);
        for (int k = 0; k < r->tangents; k++)
            for (int side = 0; side < 2; side++)
                tmli_add_slot(C + i * 6 * f->plan.nslots, r->slot[2 * i + side], p.k[k].g + 6 * side,
                              -r->friction * p.c[k]);  // (4)
    }
}

double tmli_rigid_slip_size(const tmli_force *f, const tmli_view *v)
{
    const tmli_rigid *r = f->data;
    const double *mode = tmli_modes(v->x, f->mode);
    double sum = 0;
    for (int i = 0; i < r->count; i++) {
        if (!mode || mode[i] != TML_SWITCH_HELD) continue;
        const slip p = slip_of(f, v, mode, i);
        sum += slips(r, mode, i) ? r->friction * p.push : hypot(p.T[0], p.T[1]);
    }
    return sum;
}

vec3 tmli_rigid_slip_vector(const tmli_force *f, const tmli_view *v, int i)
{
    const tmli_rigid *r = f->data;
    const double *mode = tmli_modes(v->x, f->mode);
    vec3 sum = v3(0, 0, 0);
    if (r->tangents == 0 || !mode || mode[i] != TML_SWITCH_HELD) return sum;
    const slip p = slip_of(f, v, mode, i);
    for (int k = 0; k < r->tangents; k++)
        sum =
            v3_axpy(slips(r, mode, i) ? -r->friction * p.push * p.c[k] : -p.T[k], v3_from(p.k[k].g + 6), sum);
    return sum;
}

// ---- stick and slip ---------------------------------------------------------------------------------------

// (2) of a point
static double event_of(const tmli_rigid *r, const slip *p, double mode)
{
    if (!tmli_mode_fixes_branch(mode)) return INFINITY;
    if (mode == TML_SWITCH_HELD && (p->a[0] != 0 || p->a[1] != 0)) return -fmax(r->friction * p->push, 1);
    if (mode == TML_SWITCH_HELD) return r->friction * p->push - hypot(p->T[0], p->T[1]) + p->least;
    return p->s[0] * p->d[0] + (r->tangents > 1 ? p->s[1] * p->d[1] : 0) + r->roundoff.rest;
}

void tmli_rigid_slip_events(const tmli_force *f, const tmli_view *v, const double *mode, double *values)
{
    const tmli_rigid *r = f->data;
    for (int i = 0; i < r->count && r->tangents > 0; i++) {
        const int at = r->count + r->tangents * i;
        for (int k = 0; k < r->tangents; k++) values[at + k] = INFINITY;
        if (mode[i] != TML_SWITCH_HELD && mode[at] != TML_SWITCH_HELD) continue;
        const slip p = slip_of(f, v, mode, i);
        values[at] = event_of(r, &p, mode[at]);
    }
}

// The mode that follows; found: by the motion alone.
static double next_mode(const tmli_rigid *r, const slip *p, double mode, bool found)
{
    const double speed = hypot(p->s[0], p->s[1]);
    if (found) return speed <= r->roundoff.rest ? TML_SWITCH_HELD : mode_along(p->s);
    if (!(event_of(r, p, mode) < 0)) return mode;
    if (mode == TML_SWITCH_HELD && p->a[0] == 0 && p->a[1] == 0) return mode_along(p->T);
    if (mode == TML_SWITCH_HELD) return mode_along(speed > r->stop ? p->s : p->a);
    return r->tangents == 1 || speed <= r->stop ? TML_SWITCH_HELD : mode_along(p->s);
}

static void set_mode(const tmli_rigid *r, int i, double to, double *mode)
{
    const int at = r->count + r->tangents * i;
    mode[at] = to;
    for (int k = 1; k < r->tangents; k++)
        mode[at + k] = to == TML_SWITCH_HELD ? TML_SWITCH_HELD : TML_SWITCH_RELEASED;
}

// A point has stopped. Those of a box that slides and turns stop at the same time, but for the error of the
// located state: others that are as slow stick with it, and the forces tell which of them hold. One by one
// none would, as long as the others are taken to slip.
static int stop_others(const tmli_force *f, const tmli_view *v, double *mode)
{
    const tmli_rigid *r = f->data;
    int changed = 0;
    for (int i = 0; i < r->count; i++) {
        if (mode[i] != TML_SWITCH_HELD || !slips(r, mode, i) || !tmli_mode_is_watched(point_mode(r, mode, i)))
            continue;
        const slip p = slip_of(f, v, mode, i);
        if (hypot(p.s[0], p.s[1]) > r->stop) continue;
        set_mode(r, i, TML_SWITCH_HELD, mode);
        changed++;
    }
    return changed;
}

int tmli_rigid_slip_update(const tmli_force *f, const tmli_view *v, bool all, double *mode)
{
    const tmli_rigid *r = f->data;
    int changed = 0;
    bool stops = false;
    for (int i = 0; i < r->count && r->tangents > 0; i++) {
        const int at = r->count + r->tangents * i;
        const double before = mode[at];
        if (!tmli_mode_is_watched(before)) continue;
        const bool open = mode[i] == TML_SWITCH_RELEASED || mode[i] == TML_SWITCH_STRUCK,
                   found = all || before == TML_SWITCH_UNSET;
        const slip p = slip_of(f, v, mode, i);
        set_mode(r, i, open ? TML_SWITCH_RELEASED : next_mode(r, &p, before, found), mode);
        changed += mode[at] != before;
        stops = stops || (!found && mode[at] == TML_SWITCH_HELD && before != TML_SWITCH_HELD);
    }
    return changed + (stops ? stop_others(f, v, mode) : 0);
}
