// Rows of planar loops, their rates, and their changes over an increment; pins directly, other joints by the
// model's elements.
//
// A pin joins two points; at a body with reference point P the arm to it is rho = c + R s. With signs - for
// A, + for B:
//   Phi' = sum sign (v + w z x rho),    row: force (sign, 0), moment -sign rho_y;  force (0, sign), moment sign rho_x  (1)
// Over an increment a body turns by th, the sum of the turns on its way, and its P moves with the parent's
// arm:
//   d(R a) = sin th (z x R a) - (1 - cos th) R a,    dP = dP_p + d(R_p l) + R_p1 (slides)                 (2)
// without cancellation: 1 - cos th = 2 sin^2(th/2).
#include "system/joint_space/internal.h"

#include <string.h>

typedef struct vec2 {
    double x, y;
} vec2;

static vec2 turned(double co, double si, const vec3 *a)
{
    return (vec2){co * a->x - si * a->y, si * a->x + co * a->y};
}

// The arms of a pin from P at its two sides; at: places in the path, -1: ground.
typedef struct pin {
    int at[2];
    const vec3 *arm[2];
} pin;

static pin pin_of(const tmli_joint_space *s, const tmli_loop *p, const tmli_constraint *c)
{
    const tmli_measure_use *l = &s->model->measure_use[c->term[0].use];
    const int *slot = c->term[0].slot;
    return (pin){{slot[0] < 0 ? -1 : p->slot[slot[0]], slot[1] < 0 ? -1 : p->slot[slot[1]]},
                 {&l->measure.s_A, &l->measure.s_B}};
}

// ---- rows -------------------------------------------------------------------------------------------------

// way (3 per body of the path): force and moment about P of one row
static void row_values(const tmli_joint_space *s, const tmli_joint_space_work *w, const tmli_loop *p,
                       double *way, double *values)
{
    for (int j = 0; j < p->npath; j++) {
        const tmli_planar_joint *b = &s->flat[p->path[j]];
        const tmli_flat *x = &w->flat[p->path[j]];
        const double fx = way[3 * j], fy = way[3 * j + 1], n = way[3 * j + 2];
        double *to = values + p->at[j];
        for (int k = 0; k < b->nslide; k++) to[k] = x->sx[k] * fx + x->sy[k] * fy;
        if (b->turns) to[b->nslide] = b->sign * n;
        if (p->up[j] < 0) continue;
        double *up = way + 3 * p->up[j];
        up[0] += fx;
        up[1] += fy;
        up[2] += n + x->lx * fy - x->ly * fx;
    }
}

void tmli_joint_space_rows_planar(const tmli_joint_space *s, tmli_joint_space_work *w, const double *q,
                                  double *values)
{
    tmli_joint_space_positions_planar(s, w, q);
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        const tmli_constraint *c = &s->model->constraint[p->constraint];
        memset(w->loop_f, 0, 3 * (size_t)(p->nrows * p->npath) * sizeof(double));
        if (c->pin) {
            const pin k = pin_of(s, p, c);
            for (int side = 0; side < 2; side++) {
                if (k.at[side] < 0) continue;
                const tmli_flat *x = &w->flat[p->path[k.at[side]]];
                const vec2 a = turned(x->co, x->si, k.arm[side]);
                const double sign = side == 0 ? -1 : 1;
                double *first = w->loop_f + 3 * k.at[side], *second = first + 3 * p->npath;
                first[0] = second[1] = sign;  // (1)
                first[2] = -sign * (x->cy + a.y);
                second[2] = sign * (x->cx + a.x);
            }
        } else {
            tmli_mb_constraint_rows(s->model, w->base, c);
            for (int r = 0; r < p->nrows; r++)
                for (int k = 0; k < c->plan.nslots; k++) {
                    const double *row = w->base->B + (p->keep + r) * 6 * c->plan.nslots + 6 * k;
                    const tmli_flat *x = &w->flat[p->path[p->slot[k]]];
                    double *to = w->loop_f + 3 * (r * p->npath + p->slot[k]);
                    to[0] = row[0];
                    to[1] = row[1];
                    to[2] =
                        x->cx * row[1] - x->cy * row[0] + (s->limb[p->path[p->slot[k]]].point ? 0 : row[5]);
                }
        }
        for (int r = 0; r < p->nrows; r++)
            row_values(s, w, p, w->loop_f + 3 * r * p->npath, values + p->eps + r * p->width);
    }
}

void tmli_joint_space_velocity_planar(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                                      double *phidot)
{
    tmli_joint_space_velocities_planar(s, w, x->q, x->u);
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        const tmli_constraint *c = &s->model->constraint[p->constraint];
        double *out = phidot + p->first;
        if (c->pin) {
            const pin k = pin_of(s, p, c);
            out[0] = out[1] = 0;
            for (int side = 0; side < 2; side++) {
                if (k.at[side] < 0) continue;
                const tmli_flat *b = &w->flat[p->path[k.at[side]]];
                const vec2 a = turned(b->co, b->si, k.arm[side]);
                const double sign = side == 0 ? -1 : 1;
                out[0] += sign * (b->vx - b->w * (b->cy + a.y));  // (1)
                out[1] += sign * (b->vy + b->w * (b->cx + a.x));
            }
            continue;
        }
        double jet[3];
        tmli_mb_constraint_time(c, x, jet);
        tmli_mb_constraint_rows(s->model, w->base, c);
        for (int r = 0; r < p->nrows; r++) {
            const double *row = w->base->B + (p->keep + r) * 6 * c->plan.nslots;
            out[r] = p->keep + r == 0 ? -jet[1] : 0;
            for (int k = 0; k < c->plan.nact; k++) out[r] += row[c->plan.act[k]] * w->bu[c->plan.global[k]];
        }
    }
}

// ---- increments -------------------------------------------------------------------------------------------

// The start of increments is kept apart from other places: it stays while the ends change.
static void set_start(const tmli_joint_space *s, tmli_joint_space_work *w, const double *q)
{
    if (w->stepped && memcmp(w->q_step, q, (size_t)s->nq * sizeof *q) == 0) return;
    const bool known = w->flat_placed && memcmp(w->q, q, (size_t)s->nq * sizeof *q) == 0;
    if (!known) tmli_joint_space_positions_planar(s, w, q);
    memcpy(w->q_step, q, (size_t)s->nq * sizeof *q);
    w->stepped = true;
    for (int i = 0; i < s->nlimbs; i++) {
        const tmli_flat *x = &w->flat[i];
        w->step[i] = (tmli_flat_step){x->co,         x->si, x->lx, x->ly, x->cx, x->cy, x->Px + x->cx,
                                      x->Py + x->cy, 0,     0,     0,     0,     0};
    }
}

static vec2 change(const tmli_flat_step *b, double x, double y)  // (2)
{
    return (vec2){-b->sine * y - b->versine * x, b->sine * x - b->versine * y};
}

static void step_limb(const tmli_planar_joint *b, const tmli_flat_step *p, const double *d, tmli_flat_step *x)
{
    const vec2 by = change(p, x->lx, x->ly);
    x->dx = p->dx + by.x;
    x->dy = p->dy + by.y;
    for (int k = 0; k < b->nslide; k++) {
        const double sx = d[k] * (p->co * b->sx[k] - p->si * b->sy[k]),
                     sy = d[k] * (p->si * b->sx[k] + p->co * b->sy[k]);
        const vec2 more = change(p, sx, sy);
        x->dx += sx + more.x;
        x->dy += sy + more.y;
    }
    x->th = p->th + (b->turns ? b->sign * d[b->nslide] : 0);
    const double half = sin(x->th / 2);
    x->sine = 2 * half * cos(x->th / 2);
    x->versine = 2 * half * half;
}

// Poses and motions of the model's bodies, for elements that look at them.
static void show_step(const tmli_joint_space *s, tmli_joint_space_work *w, int i)
{
    const tmli_flat_step *x = &w->step[i];
    const tmli_node *node = &s->model->node[s->limb[i].node];
    tmli_pose *pose = &w->base->pose[s->limb[i].node];
    pose->r.x = x->rx;
    pose->r.y = x->ry;
    const vec2 by = change(x, x->cx, x->cy);
    double six[6] = {x->dx + by.x, x->dy + by.y, 0, 0, 0, 0};
    if (!s->limb[i].point) {
        pose->R.m[0] = pose->R.m[4] = x->co;
        pose->R.m[1] = -x->si;
        pose->R.m[3] = x->si;
        six[5] = x->th;
    }
    w->base->increment[s->limb[i].node] = tmli_pose_increment_of(six);
    for (int k = 0; k < node->ncoords; k++) w->budot[node->first + k] = six[node->local[k]];
}

void tmli_joint_space_increment_planar(const tmli_joint_space *s, tmli_joint_space_work *w,
                                       const tml_state *x0, const double *d, double t1, double *dphi)
{
    static const tmli_flat_step ground = {.co = 1};
    set_start(s, w, x0->q);
    for (int i = 0; i < s->nlimbs; i++) {
        const tmli_planar_joint *b = &s->flat[i];
        if (!s->looped[i]) continue;
        step_limb(b, b->parent < 0 ? &ground : &w->step[b->parent], d + b->first, &w->step[i]);
        if (b->seen && !s->only_pins) show_step(s, w, i);
    }
    if (!s->only_pins)
        w->placed = w->moving = w->flat_placed = w->flat_moving = false;  // poses are those of x0
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        const tmli_constraint *c = &s->model->constraint[p->constraint];
        double *out = dphi + p->first, rows[TMLI_JOINT_ROWS];
        if (!c->pin) {
            tmli_mb_constraint_increment(s->model, w->base, x0, c, w->budot, t1, rows);
            for (int r = 0; r < p->nrows; r++) out[r] = rows[p->keep + r];
            continue;
        }
        const pin k = pin_of(s, p, c);
        out[0] = out[1] = 0;
        for (int side = 0; side < 2; side++) {
            if (k.at[side] < 0) continue;
            const tmli_flat_step *x = &w->step[p->path[k.at[side]]];
            const vec2 a = turned(x->co, x->si, k.arm[side]), by = change(x, x->cx + a.x, x->cy + a.y);
            const double sign = side == 0 ? -1 : 1;
            out[0] += sign * (x->dx + by.x);
            out[1] += sign * (x->dy + by.y);
        }
    }
}
