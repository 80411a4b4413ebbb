// Rows of planar loops, their rates, and their changes over an increment: pins directly, other joints from
// the model's elements.
//
// A pin joins two points; at a body with reference point P the arm to it is rho = c + R s. With signs - for
// A, + for B:
//   Phi' = sum sign (v + w z x rho)                                                                       (1)
//   rows: force (sign, 0), moment -sign rho_y;  force (0, sign), moment sign rho_x
// Over an increment a body rotates by th, the sum of the rotations on its path, and its P moves with the
// parent's arm:
//   d(R a) = sin th (z x R a) - (1 - cos th) R a,    dP = dP_p + d(R_p l) + R_p1 (slides)                 (2)
// without cancellation: 1 - cos th = 2 sin^2(th/2).
#include "system/joint_space/internal.h"

#include <string.h>

typedef struct vec2 {
    double x, y;
} vec2;

static vec2 rotate(double co, double si, const vec3 *a)
{
    return (vec2){co * a->x - si * a->y, si * a->x + co * a->y};
}

// The arms of a pin from P at its two sides; at: indices in the path, -1: ground.
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

// wrench (3 per body of the path): force and moment about P of one row
static void row_values(const tmli_joint_space *s, const tmli_joint_space_work *w, const tmli_loop *p,
                       double *wrench, double *values)
{
    for (int j = 0; j < p->npath; j++) {
        const tmli_planar_joint *b = &s->planar_joint[p->path[j]];
        const tmli_planar_body *x = &w->planar_body[p->path[j]];
        const double fx = wrench[3 * j], fy = wrench[3 * j + 1], n = wrench[3 * j + 2];
        double *to = values + p->at[j];
        for (int k = 0; k < b->nslide; k++) to[k] = x->sx[k] * fx + x->sy[k] * fy;
        if (b->turns) to[b->nslide] = b->sign * n;
        if (p->up[j] < 0) continue;
        double *up = wrench + 3 * p->up[j];
        up[0] += fx;
        up[1] += fy;
        up[2] += n + x->lx * fy - x->ly * fx;
    }
}

void tmli_joint_space_rows_planar(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                                  double *values)
{
    tmli_joint_space_positions_planar(s, w, x->q);
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        const tmli_constraint *c = &s->model->constraint[p->constraint];
        memset(w->loop_f, 0, 3 * (size_t)(p->nrows * p->npath) * sizeof(double));
        if (c->pin) {
            const pin k = pin_of(s, p, c);
            for (int side = 0; side < 2; side++) {
                if (k.at[side] < 0) continue;
                const tmli_planar_body *b = &w->planar_body[p->path[k.at[side]]];
                const vec2 a = rotate(b->co, b->si, k.arm[side]);
                const double sign = side == 0 ? -1 : 1;
                double *first = w->loop_f + 3 * k.at[side], *second = first + 3 * p->npath;
                first[0] = second[1] = sign;  // (1)
                first[2] = -sign * (b->cy + a.y);
                second[2] = sign * (b->cx + a.x);
            }
        } else {
            tmli_mb_rows_at(s->model, w->base, x, c);
            for (int r = 0; r < p->nrows; r++)
                for (int k = 0; k < c->plan.nslots; k++) {
                    const double *row = w->base->B + (p->keep + r) * 6 * c->plan.nslots + 6 * k;
                    const tmli_planar_body *b = &w->planar_body[p->path[p->slot[k]]];
                    double *to = w->loop_f + 3 * (r * p->npath + p->slot[k]);
                    to[0] = row[0];
                    to[1] = row[1];
                    to[2] =
                        b->cx * row[1] - b->cy * row[0] + (s->joint[p->path[p->slot[k]]].point ? 0 : row[5]);
                }
        }
        for (int r = 0; r < p->nrows; r++)
            row_values(s, w, p, w->loop_f + 3 * r * p->npath, values + p->offset + r * p->width);
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
                const tmli_planar_body *b = &w->planar_body[p->path[k.at[side]]];
                const vec2 a = rotate(b->co, b->si, k.arm[side]);
                const double sign = side == 0 ? -1 : 1;
                out[0] += sign * (b->vx - b->w * (b->cy + a.y));  // (1)
                out[1] += sign * (b->vy + b->w * (b->cx + a.x));
            }
            continue;
        }
        tmli_mb_rows_at(s->model, w->base, x, c);
        for (int r = 0; r < p->nrows; r++) {
            const double *row = w->base->B + (p->keep + r) * 6 * c->plan.nslots;
            double jet[3];
            tmli_mb_row_time(c, x, p->keep + r, jet);
            out[r] = -jet[1];
            for (int k = 0; k < c->plan.nact; k++) out[r] += row[c->plan.act[k]] * w->bu[c->plan.global[k]];
        }
    }
}

// ---- increments -------------------------------------------------------------------------------------------

// The start of increments has arrays of its own: it remains the same while their ends change.
static void set_start(const tmli_joint_space *s, tmli_joint_space_work *w, const double *q)
{
    if (w->step_valid && memcmp(w->q_step, q, (size_t)s->nq * sizeof *q) == 0) return;
    const bool known = w->planar_positions_valid && memcmp(w->q, q, (size_t)s->nq * sizeof *q) == 0;
    if (!known) tmli_joint_space_positions_planar(s, w, q);
    memcpy(w->q_step, q, (size_t)s->nq * sizeof *q);
    w->step_valid = true;
    for (int i = 0; i < s->njoints; i++) {
        const tmli_planar_body *x = &w->planar_body[i];
        w->step[i] = (tmli_planar_step){x->co,         x->si, x->lx, x->ly, x->cx, x->cy, x->Px + x->cx,
                                        x->Py + x->cy, 0,     0,     0,     0,     0};
    }
}

static vec2 rotation_change(const tmli_planar_step *b, double x, double y)  // (2)
{
    return (vec2){-b->sine * y - b->versine * x, b->sine * x - b->versine * y};
}

static void step_joint(const tmli_planar_joint *b, const tmli_planar_step *p, const double *d,
                       tmli_planar_step *x)
{
    const vec2 by = rotation_change(p, x->lx, x->ly);
    x->dx = p->dx + by.x;
    x->dy = p->dy + by.y;
    for (int k = 0; k < b->nslide; k++) {
        const double sx = d[k] * (p->co * b->sx[k] - p->si * b->sy[k]),
                     sy = d[k] * (p->si * b->sx[k] + p->co * b->sy[k]);
        const vec2 more = rotation_change(p, sx, sy);
        x->dx += sx + more.x;
        x->dy += sy + more.y;
    }
    x->th = p->th + (b->turns ? b->sign * d[b->nslide] : 0);
    const double half = sin(x->th / 2);
    x->sine = 2 * half * cos(x->th / 2);
    x->versine = 2 * half * half;
}

// Pose and displacement of the model's body, for elements that use them.
static void set_base_step(const tmli_joint_space *s, tmli_joint_space_work *w, int i)
{
    const tmli_planar_step *x = &w->step[i];
    const tmli_node *node = &s->model->node[s->joint[i].node];
    tmli_pose *pose = &w->base->pose[s->joint[i].node];
    pose->r.x = x->rx;
    pose->r.y = x->ry;
    const vec2 by = rotation_change(x, x->cx, x->cy);
    double six[6] = {x->dx + by.x, x->dy + by.y, 0, 0, 0, 0};
    if (!s->joint[i].point) {
        pose->R.m[0] = pose->R.m[4] = x->co;
        pose->R.m[1] = -x->si;
        pose->R.m[3] = x->si;
        six[5] = x->th;
    }
    w->base->increment[s->joint[i].node] = tmli_pose_increment_of(six);
    for (int k = 0; k < node->ncoords; k++) w->budot[node->first + k] = six[node->local[k]];
}

void tmli_joint_space_increment_planar(const tmli_joint_space *s, tmli_joint_space_work *w,
                                       const tml_state *x0, const double *d, double t1, double *dphi)
{
    static const tmli_planar_step ground = {.co = 1};
    set_start(s, w, x0->q);
    for (int i = 0; i < s->njoints; i++) {
        const tmli_planar_joint *b = &s->planar_joint[i];
        if (!s->in_loop[i]) continue;
        step_joint(b, b->parent < 0 ? &ground : &w->step[b->parent], d + b->first, &w->step[i]);
        if (b->pose_used && !s->loops_are_pins) set_base_step(s, w, i);
    }
    if (!s->loops_are_pins)
        w->positions_valid = w->velocities_valid = w->planar_positions_valid = w->planar_velocities_valid =
            false;  // poses are those of x0
    if (!s->loops_are_pins) tmli_joint_space_set_turned(s, w, x0, d);
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
            const tmli_planar_step *x = &w->step[p->path[k.at[side]]];
            const vec2 a = rotate(x->co, x->si, k.arm[side]),
                       by = rotation_change(x, x->cx + a.x, x->cy + a.y);
            const double sign = side == 0 ? -1 : 1;
            out[0] += sign * (x->dx + by.x);
            out[1] += sign * (x->dy + by.y);
        }
    }
}
