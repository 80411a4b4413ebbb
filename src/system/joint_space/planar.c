// Accelerations of planar trees: spatial.c with two components of force and one of moment.
//
// A body on a pin transmits no moment: after elimination of its rotation by (3) of spatial.c, h = 0, J = 0
// and n = 0, and a 2 x 2 inertia M and a force f at the pin act on the parent. With t = z x l,
//   M -= h h'/J,   f -= h n/J,        M_p += M,  h_p += M t,  J_p += t.M t,   f_p += f,  n_p += t.f       (1)
// With an armature A along the angle, D = J + A replaces J in (1), and what remains of J, h and n is
//   J A/D,   h A/D,   n A/D                                                                               (2)
// Angular accelerations at udot = 0 are zero in the plane: all axes are parallel to z.
#include "system/joint_space/internal.h"

#include <math.h>
#include <string.h>

static const tmli_planar_body ground = {.co = 1};

tml_status tmli_joint_space_plan_planar(tmli_joint_space *s, tml_error *err)
{
    s->planar_joint = tmli_arena_alloc(&s->arena, (size_t)s->njoints, sizeof *s->planar_joint);
    if (!s->planar_joint) return tmli_no_memory(err, "joint coordinates");
    for (int i = 0; i < s->njoints; i++) {
        const tmli_tree_joint *b = &s->joint[i];
        tmli_planar_joint *f = &s->planar_joint[i];
        *f = (tmli_planar_joint){.parent = b->parent,
                                 .first = b->first,
                                 .firstq = b->firstq,
                                 .node = b->node,
                                 .nslide = b->nslide,
                                 .turns = b->rotation == TMLI_ROTATION_AXIS,
                                 .pose_used = s->pose_used[i],
                                 .sign = b->axis.z < 0 ? -1 : 1,
                                 .phi = atan2(b->C.m[3], b->C.m[0]),
                                 .ax = b->arm.x,
                                 .ay = b->arm.y,
                                 .cx = -b->origin.x,
                                 .cy = -b->origin.y,
                                 .mass = s->model->node[b->node].mass,
                                 .J = b->point ? 0 : s->model->node[b->node].J.m[8]};
        for (int k = 0; k < b->nslide && k < 2; k++) {
            f->sx[k] = b->slide[k].x;
            f->sy[k] = b->slide[k].y;
        }
    }
    return TML_OK;
}

// ---- kinematics -------------------------------------------------------------------------------------------

static void set_base_pose(const tmli_joint_space *s, tmli_joint_space_work *w, const tmli_planar_joint *b,
                          int i, const tmli_planar_body *x)
{
    tmli_pose *pose = &w->base->pose[b->node];
    pose->r.x = x->Px + x->cx;
    pose->r.y = x->Py + x->cy;
    if (s->joint[i].point) return;
    pose->R.m[0] = pose->R.m[4] = x->co;
    pose->R.m[1] = -x->si;
    pose->R.m[3] = x->si;
}

static void set_positions(const tmli_joint_space *s, tmli_joint_space_work *w, const double *q)
{
    for (int i = 0; i < s->njoints; i++) {
        const tmli_planar_joint *b = &s->planar_joint[i];
        const tmli_planar_body *p = b->parent < 0 ? &ground : &w->planar_body[b->parent];
        tmli_planar_body *x = &w->planar_body[i];
        const double *qi = q + b->firstq;
        double ax = b->ax, ay = b->ay;
        for (int k = 0; k < b->nslide; k++) {
            ax += b->sx[k] * qi[k];
            ay += b->sy[k] * qi[k];
            x->sx[k] = p->co * b->sx[k] - p->si * b->sy[k];
            x->sy[k] = p->si * b->sx[k] + p->co * b->sy[k];
        }
        x->lx = p->co * ax - p->si * ay;
        x->ly = p->si * ax + p->co * ay;
        x->Px = p->Px + x->lx;
        x->Py = p->Py + x->ly;
        x->phi = p->phi + b->phi + (b->turns ? b->sign * qi[b->nslide] : 0);
        x->co = cos(x->phi);
        x->si = sin(x->phi);
        x->cx = x->co * b->cx - x->si * b->cy;
        x->cy = x->si * b->cx + x->co * b->cy;
        if (b->pose_used) set_base_pose(s, w, b, i, x);
    }
}

static void set_base_velocity(const tmli_joint_space *s, tmli_joint_space_work *w, const tmli_planar_joint *b,
                              int i, const tmli_planar_body *x)
{
    const int first = s->model->node[b->node].first;
    w->bu[first] = x->vx - x->w * x->cy;
    if (s->joint[i].state) return;
    w->bu[first + 1] = x->vy + x->w * x->cx;
    if (!s->joint[i].point) w->bu[first + 2] = x->w;
}

static void set_velocities(const tmli_joint_space *s, tmli_joint_space_work *w, const double *u)
{
    for (int i = 0; i < s->njoints; i++) {
        const tmli_planar_joint *b = &s->planar_joint[i];
        const tmli_planar_body *p = b->parent < 0 ? &ground : &w->planar_body[b->parent];
        tmli_planar_body *x = &w->planar_body[i];
        const double *ui = u + b->first, w2 = p->w * p->w;
        x->vx = p->vx - p->w * x->ly;
        x->vy = p->vy + p->w * x->lx;
        x->ax = p->ax - w2 * x->lx;
        x->ay = p->ay - w2 * x->ly;
        for (int k = 0; k < b->nslide; k++) {
            const double vx = x->sx[k] * ui[k], vy = x->sy[k] * ui[k];
            x->vx += vx;
            x->vy += vy;
            x->ax -= 2 * p->w * vy;
            x->ay += 2 * p->w * vx;
        }
        x->w = p->w + (b->turns ? b->sign * ui[b->nslide] : 0);
        if (b->pose_used) set_base_velocity(s, w, b, i, x);
    }
}

void tmli_joint_space_positions_planar(const tmli_joint_space *s, tmli_joint_space_work *w, const double *q)
{
    tmli_joint_space_check_cache(s, w, q, NULL);
    if (!w->planar_positions_valid) set_positions(s, w, q);
    w->planar_positions_valid = true;
}

void tmli_joint_space_velocities_planar(const tmli_joint_space *s, tmli_joint_space_work *w, const double *q,
                                        const double *u)
{
    tmli_joint_space_check_cache(s, w, q, u);
    tmli_joint_space_positions_planar(s, w, q);
    if (!w->planar_velocities_valid) set_velocities(s, w, u);
    w->planar_velocities_valid = true;
}

// ---- inertia and forces to the ground ---------------------------------------------------------------------

static void init_bodies(const tmli_joint_space *s, tmli_joint_space_work *w)
{
    for (int i = 0; i < s->njoints; i++) {
        const double gx = s->joint[i].state ? 0 : s->model->gravity.x,
                     gy = s->joint[i].state ? 0 : s->model->gravity.y;
        const tmli_planar_joint *b = &s->planar_joint[i];
        tmli_planar_body *x = &w->planar_body[i];
        const double m = b->mass, w2 = x->w * x->w;
        x->fx = m * (gx - x->ax + w2 * x->cx);
        x->fy = m * (gy - x->ay + w2 * x->cy);
        x->n = x->cx * x->fy - x->cy * x->fx;
        x->mxx = x->myy = m;
        x->mxy = 0;
        x->hx = -m * x->cy;
        x->hy = m * x->cx;
        x->J = b->J + m * (x->cx * x->cx + x->cy * x->cy);
    }
}

static void add_forces(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *y)
{
    memset(w->force, 0, (size_t)s->model->n * sizeof *w->force);
    tmli_mb_add_forces(s->model, w->base, y, s->is_scalar, w->force);
    for (int i = 0; i < s->njoints; i++) {
        const double *f = w->force + s->model->node[s->planar_joint[i].node].first;
        tmli_planar_body *x = &w->planar_body[i];
        if (!s->planar_joint[i].pose_used) continue;
        x->fx -= f[0];
        if (s->joint[i].state) continue;
        x->fy -= f[1];
        x->n -= x->cx * f[1] - x->cy * f[0];
        if (!s->joint[i].point) x->n -= f[2];
    }
}

// A force along a coordinate is a moment on the child, and its reaction on the parent.
static void apply_along(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                        const tml_state *y)
{
    for (int i = 0; i < s->nscalar; i++) {
        const tmli_planar_joint *b = &s->planar_joint[s->scalar[i].joint];
        const double moment = -b->sign * tmli_joint_space_along_force(s, w, x, y, i);
        w->planar_body[s->scalar[i].joint].n += moment;
        if (b->parent >= 0) w->planar_body[b->parent].n -= moment;
    }
}

// Eliminates slide k from the inertia at P; returns the inverse of its inertia. *u: its generalized force.
static double eliminate_slide(tmli_planar_body *x, int k, double armature, double *u)
{
    const double sx = x->sx[k], sy = x->sy[k];
    const double Ux = x->mxx * sx + x->mxy * sy, Uy = x->mxy * sx + x->myy * sy, Un = x->hx * sx + x->hy * sy;
    const double inv = 1 / (sx * Ux + sy * Uy + armature), f = sx * x->fx + sy * x->fy, g = inv * f;
    x->Ux[k] = Ux;
    x->Uy[k] = Uy;
    x->Un[k] = Un;
    x->mxx -= inv * Ux * Ux;
    x->mxy -= inv * Ux * Uy;
    x->myy -= inv * Uy * Uy;
    x->hx -= inv * Ux * Un;
    x->hy -= inv * Uy * Un;
    x->J -= inv * Un * Un;
    x->fx -= g * Ux;
    x->fy -= g * Uy;
    x->n -= g * Un;
    *u = f;
    return inv;
}

// Articulated inertias and forces, from the tips to the ground. Returns a coordinate that moves nothing with
// inertia, -1: none.
static int inward_pass(const tmli_joint_space *s, tmli_joint_space_work *w)
{
    for (int i = s->njoints - 1; i >= 0; i--) {
        const tmli_planar_joint *b = &s->planar_joint[i];
        tmli_planar_body *x = &w->planar_body[i];
        tmli_planar_body *p = b->parent < 0 ? NULL : &w->planar_body[b->parent];
        double *inv = w->inv + b->first, *gen = w->gen + b->first;
        const int turn = b->nslide;
        if (b->turns) {
            const double armature = s->armature[b->first + turn], D = x->J + armature, one = 1 / D,
                         kx = x->hx * one, ky = x->hy * one;
            inv[turn] = one;
            gen[turn] = x->n;
            x->Ux[turn] = x->hx;
            x->Uy[turn] = x->hy;
            x->Un[turn] = x->J;
            if (!(D > 0)) return b->first + turn;
            const double mxx = x->mxx - kx * x->hx, mxy = x->mxy - kx * x->hy, myy = x->myy - ky * x->hy;
            const double fx = x->fx - kx * x->n, fy = x->fy - ky * x->n;
            if (turn == 0 && armature == 0) {  // (1)
                if (!p) continue;
                const double tx = -x->ly, ty = x->lx, hx = mxx * tx + mxy * ty, hy = mxy * tx + myy * ty;
                p->mxx += mxx;
                p->mxy += mxy;
                p->myy += myy;
                p->hx += hx;
                p->hy += hy;
                p->J += tx * hx + ty * hy;
                p->fx += fx;
                p->fy += fy;
                p->n += tx * fx + ty * fy;
                continue;
            }
            x->mxx = mxx;
            x->mxy = mxy;
            x->myy = myy;
            x->fx = fx;
            x->fy = fy;
            const double left = armature * one;  // (2)
            x->hx *= left;
            x->hy *= left;
            x->J *= left;
            x->n *= left;
        }
        for (int k = b->nslide - 1; k >= 0; k--) {
            inv[k] = eliminate_slide(x, k, s->armature[b->first + k], &gen[k]);
            if (!(inv[k] > 0 && isfinite(inv[k]))) return b->first + k;
        }
        if (!p) continue;
        const double tx = -x->ly, ty = x->lx;
        const double hx = x->hx + x->mxx * tx + x->mxy * ty, hy = x->hy + x->mxy * tx + x->myy * ty;
        p->mxx += x->mxx;
        p->mxy += x->mxy;
        p->myy += x->myy;
        p->J += x->J + tx * (hx + x->hx) + ty * (hy + x->hy);
        p->hx += hx;
        p->hy += hy;
        p->fx += x->fx;
        p->fy += x->fy;
        p->n += x->n + tx * x->fx + ty * x->fy;
    }
    return -1;
}

static void outward_pass(const tmli_joint_space *s, tmli_joint_space_work *w, double *udot)
{
    for (int i = 0; i < s->njoints; i++) {
        const tmli_planar_joint *b = &s->planar_joint[i];
        const tmli_planar_body *p = b->parent < 0 ? &ground : &w->planar_body[b->parent];
        tmli_planar_body *x = &w->planar_body[i];
        const double *inv = w->inv + b->first, *gen = w->gen + b->first;
        double dx = p->dx - p->dw * x->ly, dy = p->dy + p->dw * x->lx, dw = p->dw;
        for (int k = 0; k < b->nslide; k++) {
            const double a = inv[k] * (gen[k] - x->Ux[k] * dx - x->Uy[k] * dy - x->Un[k] * dw);
            dx += a * x->sx[k];
            dy += a * x->sy[k];
            udot[b->first + k] = a;
        }
        if (b->turns) {
            const int k = b->nslide;
            const double a = inv[k] * (gen[k] - x->Ux[k] * dx - x->Uy[k] * dy - x->Un[k] * dw);
            dw += a;
            udot[b->first + k] = b->sign * a;
        }
        x->dx = dx;
        x->dy = dy;
        x->dw = dw;
    }
}

// ---- loops ------------------------------------------------------------------------------------------------

// e of one row; wrench (3 per body of the path): the row's force and moment about P at its bodies.
static void project(const tmli_joint_space *s, const tmli_joint_space_work *w, const tmli_loop *p,
                    double *wrench, double *e_row)
{
    for (int j = 0; j < p->npath; j++) {
        const tmli_planar_joint *b = &s->planar_joint[p->path[j]];
        const tmli_planar_body *x = &w->planar_body[p->path[j]];
        const double *inv = w->inv + b->first;
        double fx = wrench[3 * j], fy = wrench[3 * j + 1], n = wrench[3 * j + 2], *e = e_row + p->at[j];
        if (b->turns) {
            const int k = b->nslide;
            const double g = inv[k] * n;
            e[k] = n;
            fx -= g * x->Ux[k];
            fy -= g * x->Uy[k];
            n *= s->armature[b->first + k] * inv[k];  // (2)
        }
        for (int k = b->nslide - 1; k >= 0; k--) {
            e[k] = x->sx[k] * fx + x->sy[k] * fy;
            const double g = inv[k] * e[k];
            fx -= g * x->Ux[k];
            fy -= g * x->Uy[k];
            n -= g * x->Un[k];
        }
        if (p->up[j] < 0) continue;
        double *to = wrench + 3 * p->up[j];
        to[0] += fx;
        to[1] += fy;
        to[2] += n + x->lx * fy - x->ly * fx;
    }
}

// Rows of a pin (system/multibody/pin.c): unit forces along x and along y. residual: relative acceleration at
// udot = 0.
static void pin_rows(const tmli_joint_space *s, tmli_joint_space_work *w, const tmli_loop *p,
                     const tmli_constraint *c, double residual[2])
{
    const tmli_measure_use *l = &s->model->measure_use[c->term[0].use];
    double *wrench[2] = {w->loop_f, w->loop_f + 3 * p->npath};
    memset(w->loop_f, 0, 6 * (size_t)p->npath * sizeof(double));
    residual[0] = residual[1] = 0;
    for (int side = 0; side < 2; side++) {
        const int slot = c->term[0].slot[side];
        if (slot < 0) continue;
        const int at = p->slot[slot];
        const tmli_planar_body *x = &w->planar_body[p->path[at]];
        const vec3 *arm = side == 0 ? &l->measure.s_A : &l->measure.s_B;
        const double sign = side == 0 ? -1 : 1, w2 = x->w * x->w;
        const double rx = x->cx + x->co * arm->x - x->si * arm->y,
                     ry = x->cy + x->si * arm->x + x->co * arm->y;
        wrench[0][3 * at] = sign;
        wrench[0][3 * at + 2] = -sign * ry;
        wrench[1][3 * at + 1] = sign;
        wrench[1][3 * at + 2] = sign * rx;
        residual[0] += sign * (x->ax - w2 * rx);
        residual[1] += sign * (x->ay - w2 * ry);
    }
}

// Rows of any other joint, from the model's element.
static void other_rows(const tmli_joint_space *s, tmli_joint_space_work *w, const tmli_loop *p,
                       const tmli_constraint *c, const tml_state *y, double *residual)
{
    double gamma[TMLI_JOINT_ROWS];
    const int width = 6 * c->plan.nslots;
    tmli_mb_rows_at(s->model, w->base, y, c);
    tmli_mb_constraint_gamma(s->model, w->base, y, c, gamma);
    memset(w->loop_f, 0, 3 * (size_t)(p->nrows * p->npath) * sizeof(double));
    for (int r = 0; r < p->nrows; r++) {
        const double *row = w->base->B + (p->keep + r) * width;
        residual[r] = -gamma[p->keep + r];
        for (int k = 0; k < c->plan.nslots; k++) {
            const int at = p->slot[k];
            const tmli_planar_body *x = &w->planar_body[p->path[at]];
            double *to = w->loop_f + 3 * (r * p->npath + at);
            to[0] = row[6 * k];
            to[1] = row[6 * k + 1];
            residual[r] += to[0] * (x->ax - x->w * x->w * x->cx) + to[1] * (x->ay - x->w * x->w * x->cy);
            to[2] = x->cx * to[1] - x->cy * to[0] + (s->joint[p->path[at]].point ? 0 : row[6 * k + 5]);
        }
    }
}

static void close_loops(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *y)
{
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        const tmli_constraint *c = &s->model->constraint[p->constraint];
        double residual[TMLI_JOINT_ROWS];
        if (c->pin) pin_rows(s, w, p, c, residual);
        else other_rows(s, w, p, c, y, residual);
        for (int r = 0; r < p->nrows; r++) {
            project(s, w, p, w->loop_f + 3 * r * p->npath, w->projected + p->offset + r * p->width);
            w->opening[p->first + r] = residual[r];
        }
    }
    tmli_joint_space_factor_loops(s, w);
    tmli_joint_space_solve_loops(s, w);
}

tml_status tmli_joint_space_accelerate_planar(const tmli_joint_space *s, tmli_joint_space_work *w,
                                              tml_state *x, tml_error *err)
{
    tmli_joint_space_velocities_planar(s, w, x->q, x->u);
    const tml_state y = tmli_joint_space_base_state(s, w, x, false);
    init_bodies(s, w);
    if (s->model->nforces > s->nscalar) add_forces(s, w, &y);
    apply_along(s, w, x, &y);
    const int massless = inward_pass(s, w);
    if (massless >= 0) return tmli_joint_space_report_nonfinite(s, w, x, massless, err);
    if (s->nloops > 0) {
        close_loops(s, w, &y);
        memcpy(x->lambda, w->lambda, (size_t)s->m * sizeof *x->lambda);
    }
    outward_pass(s, w, x->udot);
    return tmli_joint_space_check_finite(s, w, x, err);
}
