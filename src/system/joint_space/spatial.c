// Accelerations of a tree in O(N) by the articulated-body algorithm: inertias and forces are passed from
// the tips to the ground, accelerations back (Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 7).
// Multipliers of the loops come from a Schur complement (loops.c).
//
// A body and its subtree, accelerated by (a, alpha) at its reference point P, react with the wrench
//   f = M a + H alpha - f_0,   n = H'a + J alpha - n_0                                                    (1)
// A coordinate with the unit motion (v, w) has no reaction along it. With (U_f, U_n) = (M v + H w, H'v + J
// w) it is eliminated by
//   D = v.U_f + w.U_n + armature,   u = v.f_0 + w.n_0                                                     (2)
//   M -= U_f U_f'/D,  H -= U_f U_n'/D,  J -= U_n U_n'/D,   f_0 -= U_f u/D,  n_0 -= U_n u/D                (3)
// The remaining wrench acts on the parent at P_p = P - l:
//   M_p += M,  H_p += H - M l~,  J_p += J + l~(H - M l~) - H'l~,   f_p += f_0,  n_p += n_0 + l x f_0      (4)
// From the ground to the tips, with the acceleration of the body before this coordinate is added:
//   udot = (u - U_f.a - U_n.alpha)/D                                                                      (5)
// In matrix terms the mass matrix is W^-1 D W^-T and (2) computes u = W f. The same recursion maps each row
// g of the loops to e:
//   e = W g',   B inverse(M) B' = sum e e'/D,   u -= e lambda                                             (6)
#include "system/joint_space/internal.h"

#include <math.h>
#include <string.h>

static inline vec3 sym_mulv(const sym3 *S, vec3 x)
{
    return v3(S->xx * x.x + S->xy * x.y + S->xz * x.z, S->xy * x.x + S->yy * x.y + S->yz * x.z,
              S->xz * x.x + S->yz * x.y + S->zz * x.z);
}

static inline void sym_sub_outer(sym3 *S, double s, vec3 a)
{
    const vec3 b = v3_scale(s, a);
    S->xx -= a.x * b.x;
    S->xy -= a.x * b.y;
    S->xz -= a.x * b.z;
    S->yy -= a.y * b.y;
    S->yz -= a.y * b.z;
    S->zz -= a.z * b.z;
}

static inline vec3 h_mulv(const double *H, vec3 x)
{
    return v3(H[0] * x.x + H[1] * x.y + H[2] * x.z, H[3] * x.x + H[4] * x.y + H[5] * x.z,
              H[6] * x.x + H[7] * x.y + H[8] * x.z);
}

static inline vec3 h_tmulv(const double *H, vec3 x)
{
    return v3(H[0] * x.x + H[3] * x.y + H[6] * x.z, H[1] * x.x + H[4] * x.y + H[7] * x.z,
              H[2] * x.x + H[5] * x.y + H[8] * x.z);
}

// R J R'
static sym3 rotated_inertia(const mat3 *R, const mat3 *J)
{
    const mat3 A = m3_mul(R, J);
    const double *a = A.m, *r = R->m;
    return (sym3){a[0] * r[0] + a[1] * r[1] + a[2] * r[2], a[0] * r[3] + a[1] * r[4] + a[2] * r[5],
                  a[0] * r[6] + a[1] * r[7] + a[2] * r[8], a[3] * r[3] + a[4] * r[4] + a[5] * r[5],
                  a[3] * r[6] + a[4] * r[7] + a[5] * r[8], a[6] * r[6] + a[7] * r[7] + a[8] * r[8]};
}

// J: inertia of the body itself about its centre of mass. Wrench of gravity, forces and its acceleration at
// udot = 0.
static inline void set_wrench(const tmli_joint_space *s, const tmli_tree_joint *b, const sym3 *J,
                              const double *force, tmli_tree_body *x)
{
    const vec3 c = x->c, a = v3_add(x->acc, v3_add(v3_cross(x->alpha, c), v3_cross(x->w, v3_cross(x->w, c))));
    const vec3 gravity = b->state ? v3(0, 0, 0) : s->model->gravity;
    vec3 f = v3_scale(s->model->node[b->node].mass, v3_sub(gravity, a));
    vec3 n = v3_cross(sym_mulv(J, x->w), x->w);
    n = v3_sub(n, sym_mulv(J, x->alpha));
    if (force) {
        double six[6];
        tmli_node_velocity(s->model, force, b->node, six);
        f = v3_sub(f, v3_from(six));
        n = v3_sub(n, s->planar ? v3_from(six + 3) : m3_mulv(&x->R, v3_from(six + 3)));
    }
    x->f = f;
    x->n = v3_add(n, v3_cross(c, f));
}

static inline sym3 own_inertia(const tmli_joint_space *s, const tmli_tree_joint *b, const tmli_tree_body *x)
{
    return b->point ? (sym3){0} : rotated_inertia(&x->R, &s->model->node[b->node].J);
}

// Inertia of the body itself at P.
static inline void set_inertia(const tmli_joint_space *s, const tmli_tree_joint *b, sym3 J, tmli_tree_body *x)
{
    const double mass = s->model->node[b->node].mass;
    const vec3 c = x->c, mc = v3_scale(mass, c);
    x->M = (sym3){mass, 0, 0, mass, 0, mass};
    const double H[9] = {0, mc.z, -mc.y, -mc.z, 0, mc.x, mc.y, -mc.x, 0};  // -mass c~
    memcpy(x->H, H, sizeof H);
    const double cc = v3_dot(mc, c);
    x->J = (sym3){J.xx + cc - mc.x * c.x, J.xy - mc.x * c.y, J.xz - mc.x * c.z,
                  J.yy + cc - mc.y * c.y, J.yz - mc.y * c.z, J.zz + cc - mc.z * c.z};
}

// Inertia of the body itself at P, and the wrench.
static void init_body(const tmli_joint_space *s, const tmli_tree_joint *b, const double *force,
                      tmli_tree_body *x)
{
    const sym3 J = own_inertia(s, b, x);
    set_wrench(s, b, &J, force, x);
    set_inertia(s, b, J, x);
}

static void eliminate_motion(tmli_tree_body *x, tmli_motion *k, bool slides, bool turns, bool pass,
                             double armature)
{
    vec3 f = {0, 0, 0}, n = {0, 0, 0};
    double D = 0, u = 0;
    if (turns) {
        f = h_mulv(x->H, k->w);
        n = sym_mulv(&x->J, k->w);
        u = v3_dot(k->w, x->n);
    }
    if (slides) {
        f = v3_add(f, sym_mulv(&x->M, k->v));
        n = v3_add(n, h_tmulv(x->H, k->v));
        u += v3_dot(k->v, x->f);
    }
    D = v3_dot(k->v, f) + v3_dot(k->w, n) + armature;  // (2)
    k->f = f;
    k->n = n;
    k->u = u;
    k->inv = 1 / D;
    if (!pass) return;
    sym_sub_outer(&x->M, k->inv, f);  // (3)
    sym_sub_outer(&x->J, k->inv, n);
    const vec3 g = v3_scale(k->inv, n);
    const double fi[3] = {f.x, f.y, f.z};
    for (int i = 0; i < 3; i++) {
        x->H[3 * i] -= fi[i] * g.x;
        x->H[3 * i + 1] -= fi[i] * g.y;
        x->H[3 * i + 2] -= fi[i] * g.z;
    }
    x->f = v3_axpy(-k->inv * u, f, x->f);
    x->n = v3_axpy(-k->inv * u, n, x->n);
}

static void add_to_parent(const tmli_tree_body *x, tmli_tree_body *p)  // (4)
{
    const vec3 l = x->l;
    const sym3 *M = &x->M;
    const double *H = x->H;
    const vec3 r0 = v3_add(v3(H[0], H[1], H[2]), v3_cross(l, v3(M->xx, M->xy, M->xz)));  // rows of H - M l~
    const vec3 r1 = v3_add(v3(H[3], H[4], H[5]), v3_cross(l, v3(M->xy, M->yy, M->yz)));
    const vec3 r2 = v3_add(v3(H[6], H[7], H[8]), v3_cross(l, v3(M->xz, M->yz, M->zz)));
    p->M.xx += M->xx;
    p->M.xy += M->xy;
    p->M.xz += M->xz;
    p->M.yy += M->yy;
    p->M.yz += M->yz;
    p->M.zz += M->zz;
    const vec3 rows[3] = {r0, r1, r2};
    for (int i = 0; i < 3; i++) {
        p->H[3 * i] += rows[i].x;
        p->H[3 * i + 1] += rows[i].y;
        p->H[3 * i + 2] += rows[i].z;
    }
    // (i, j) of l~ (H - M l~) is (l x column j)_i, of -H'l~ it is (l x column i of H)_j
    const vec3 g0 = v3_cross(l, v3(r0.x, r1.x, r2.x)), g1 = v3_cross(l, v3(r0.y, r1.y, r2.y));
    const vec3 g2 = v3_cross(l, v3(r0.z, r1.z, r2.z));
    const vec3 h0 = v3_cross(l, v3(H[0], H[3], H[6])), h1 = v3_cross(l, v3(H[1], H[4], H[7]));
    const vec3 h2 = v3_cross(l, v3(H[2], H[5], H[8]));
    p->J.xx += x->J.xx + g0.x + h0.x;
    p->J.xy += x->J.xy + g1.x + h0.y;
    p->J.xz += x->J.xz + g2.x + h0.z;
    p->J.yy += x->J.yy + g1.y + h1.y;
    p->J.yz += x->J.yz + g2.y + h1.z;
    p->J.zz += x->J.zz + g2.z + h2.z;
    p->f = v3_add(p->f, x->f);
    p->n = v3_add(p->n, v3_add(x->n, v3_cross(l, x->f)));
}

static int inward_pass(const tmli_joint_space *s, tmli_joint_space_work *w)
{
    for (int i = s->njoints - 1; i >= 0; i--) {
        const tmli_tree_joint *b = &s->joint[i];
        tmli_tree_body *x = &w->body[i];
        for (int k = b->nu - 1; k >= 0; k--) {
            eliminate_motion(x, &x->motion[k], k < b->nslide || b->pitch != 0, k >= b->nslide,
                             k > 0 || b->parent >= 0, s->armature[b->first + k]);
            if (!(x->motion[k].inv > 0 && isfinite(x->motion[k].inv))) return b->first + k;
        }
        if (b->parent >= 0) add_to_parent(x, &w->body[b->parent]);
    }
    return -1;
}

// The wrenches alone, with the inertias of the last inward_pass.
static void inward_pass_of_wrenches(const tmli_joint_space *s, tmli_joint_space_work *w)
{
    for (int i = s->njoints - 1; i >= 0; i--) {
        const tmli_tree_joint *b = &s->joint[i];
        tmli_tree_body *x = &w->body[i];
        for (int k = b->nu - 1; k >= 0; k--) {
            tmli_motion *t = &x->motion[k];
            t->u = (k >= b->nslide ? v3_dot(t->w, x->n) : 0) +
                   (k < b->nslide || b->pitch != 0 ? v3_dot(t->v, x->f) : 0);  // (2)
            x->f = v3_axpy(-t->inv * t->u, t->f, x->f);                        // (3)
            x->n = v3_axpy(-t->inv * t->u, t->n, x->n);
        }
        if (b->parent >= 0) tmli_joint_space_pass_wrench(x, &w->body[b->parent]);  // (4)
    }
}

static void outward_pass(const tmli_joint_space *s, tmli_joint_space_work *w, double *udot)
{
    for (int i = 0; i < s->njoints; i++) {
        const tmli_tree_joint *b = &s->joint[i];
        const tmli_tree_body *p = tmli_parent_body(w, b);
        tmli_tree_body *x = &w->body[i];
        vec3 a = v3_add(p->dacc, v3_cross(p->dalpha, x->l)), alpha = p->dalpha;
        double *out = udot + b->first;
        for (int k = 0; k < b->nu; k++) {
            const tmli_motion *t = &x->motion[k];
            out[k] = t->inv * (t->u - v3_dot(t->f, a) - v3_dot(t->n, alpha));  // (5)
            if (k < b->nslide || b->pitch != 0) a = v3_axpy(out[k], t->v, a);
            if (k >= b->nslide) alpha = v3_axpy(out[k], t->w, alpha);
        }
        if (b->rotation == TMLI_ROTATION_BALL)
            v3_store(m3_tmulv(&x->R, v3_from(out + b->nslide)), out + b->nslide);
        x->dacc = a;
        x->dalpha = alpha;
    }
}

// ---- loops ------------------------------------------------------------------------------------------------

// e of (6) for the rows of one loop; B as in the base
static void project_rows(const tmli_joint_space *s, tmli_joint_space_work *w, const tmli_loop *p,
                         const double *B)
{
    const tmli_plan *plan = &s->model->constraint[p->constraint].plan;
    for (int r = 0; r < p->nrows; r++) {
        const double *row = B + (p->keep + r) * 6 * plan->nslots;
        double *wrench = w->loop_f, *e_row = w->projected + p->offset + r * p->width;
        memset(wrench, 0, 6 * (size_t)p->npath * sizeof *wrench);
        for (int k = 0; k < plan->nslots; k++) {
            const int i = p->path[p->slot[k]];
            const tmli_tree_body *x = &w->body[i];
            const vec3 f = v3_from(row + 6 * k);
            vec3 n = v3_cross(x->c, f);
            if (s->planar) n.z += s->joint[i].point ? 0 : row[6 * k + 5];
            else if (!s->joint[i].point) n = v3_add(n, m3_mulv(&x->R, v3_from(row + 6 * k + 3)));
            v3_store(f, wrench + 6 * p->slot[k]);
            v3_store(n, wrench + 6 * p->slot[k] + 3);
        }
        for (int j = 0; j < p->npath; j++) {
            const tmli_tree_joint *b = &s->joint[p->path[j]];
            const tmli_tree_body *x = &w->body[p->path[j]];
            vec3 f = v3_from(wrench + 6 * j), n = v3_from(wrench + 6 * j + 3);
            for (int k = b->nu - 1; k >= 0; k--) {
                const tmli_motion *t = &x->motion[k];
                const double e = v3_dot(t->v, f) + v3_dot(t->w, n);
                e_row[p->at[j] + k] = e;
                f = v3_axpy(-e * t->inv, t->f, f);
                n = v3_axpy(-e * t->inv, t->n, n);
            }
            if (p->up[j] < 0) continue;
            double *to = wrench + 6 * p->up[j];
            v3_store(v3_add(v3_from(to), f), to);
            v3_store(v3_add(v3_from(to + 3), v3_add(n, v3_cross(x->l, f))), to + 3);
        }
    }
}

// Sets opening = B a - gamma with the accelerations a at udot = 0. project: and the rows' e.
static void find_openings(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *y,
                          bool project)
{
    tmli_work *base = w->base;
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        const tmli_constraint *c = &s->model->constraint[p->constraint];
        double gamma[TMLI_JOINT_ROWS];
        tmli_mb_rows_at(s->model, base, y, c);
        tmli_mb_constraint_gamma(s->model, base, y, c, gamma);
        if (project) project_rows(s, w, p, base->B);
        for (int r = 0; r < p->nrows; r++) {
            const double *row = base->B + (p->keep + r) * 6 * c->plan.nslots;
            double sum = -gamma[p->keep + r];
            for (int k = 0; k < c->plan.nact; k++) sum += row[c->plan.act[k]] * w->budot[c->plan.global[k]];
            w->opening[p->first + r] = sum;
        }
    }
}

static void gather_inertias(const tmli_joint_space *s, tmli_joint_space_work *w)
{
    for (int i = 0; i < s->njoints; i++)
        for (int k = 0, j = s->joint[i].first; k < s->joint[i].nu; k++, j++)
            w->inv[j] = w->body[i].motion[k].inv;
}

// Solve for the multipliers of the loops, whose openings are known, and add their forces.
static void close_loops(const tmli_joint_space *s, tmli_joint_space_work *w)
{
    for (int i = 0; i < s->njoints; i++)
        for (int k = 0; k < s->joint[i].nu; k++) w->gen[s->joint[i].first + k] = w->body[i].motion[k].u;
    tmli_joint_space_solve_loops(s, w);
    for (int i = 0; i < s->njoints; i++)
        for (int k = 0; k < s->joint[i].nu; k++) w->body[i].motion[k].u = w->gen[s->joint[i].first + k];
}

// A force along a coordinate is a moment about the axis on the child, and its reaction on the parent.
static void apply_along(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                        const tml_state *y)
{
    for (int i = 0; i < s->nscalar; i++) {
        const tmli_tree_joint *b = &s->joint[s->scalar[i].joint];
        tmli_tree_body *body = &w->body[s->scalar[i].joint];
        const double F = tmli_joint_space_along_force(s, w, x, y, i);
        const vec3 axis = body->motion[b->nslide].w;
        body->n = v3_axpy(-F, axis, body->n);
        if (b->parent >= 0) w->body[b->parent].n = v3_axpy(F, axis, w->body[b->parent].n);
    }
}

// w->force; NULL: there are none
static const double *find_forces(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *y)
{
    const tml_model *m = s->model;
    if (m->nforces == 0) return NULL;
    memset(w->force, 0, (size_t)m->n * sizeof *w->force);
    tmli_mb_add_forces(m, w->base, y, s->is_scalar, w->force);
    return w->force;
}

tml_status tmli_joint_space_accelerate(const void *self, void *work, tml_state *x, tml_error *err)
{
    const tmli_joint_space *s = self;
    tmli_joint_space_work *w = work;
    if (s->planar) return tmli_joint_space_accelerate_planar(s, w, x, err);
    tmli_joint_space_velocities(s, w, x->q, x->u);
    tml_state y = tmli_joint_space_base_state(s, w, x, false);
    const double *force = find_forces(s, w, &y);
    for (int i = 0; i < s->njoints; i++) init_body(s, &s->joint[i], force, &w->body[i]);
    apply_along(s, w, x, &y);
    const int massless = inward_pass(s, w);
    if (massless >= 0) return tmli_joint_space_report_nonfinite(s, w, x, massless, err);
    if (s->nloops > 0) {
        tmli_joint_space_accelerations(s, w, NULL, w->budot);
        find_openings(s, w, &y, true);
        gather_inertias(s, w);
        tmli_joint_space_factor_loops(s, w);
        close_loops(s, w);
        memcpy(x->lambda, w->lambda, (size_t)s->m * sizeof *x->lambda);
    }
    outward_pass(s, w, x->udot);
    return tmli_joint_space_check_finite(s, w, x, err);
}

// ---- by one factorization ---------------------------------------------------------------------------------

bool tmli_joint_space_articulate(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x)
{
    tmli_joint_space_positions(s, w, x->q);
    for (int i = 0; i < s->njoints; i++) {
        tmli_tree_body *body = &w->body[i];
        set_inertia(s, &s->joint[i], own_inertia(s, &s->joint[i], body), body);
        body->f = body->n = v3(0, 0, 0);
    }
    if (inward_pass(s, w) >= 0) return false;
    for (int i = 0; i < s->nloops; i++) {
        tmli_mb_rows_at(s->model, w->base, x, &s->model->constraint[s->loop[i].constraint]);
        project_rows(s, w, &s->loop[i], w->base->B);
    }
    gather_inertias(s, w);
    if (s->nloops > 0) tmli_joint_space_factor_loops(s, w);
    return true;
}

void tmli_joint_space_close(const tmli_joint_space *s, tmli_joint_space_work *w, const double *value,
                            double *d)
{
    memcpy(w->opening, value, (size_t)s->m * sizeof *w->opening);
    for (int i = 0; i < s->njoints; i++)
        for (int k = 0; k < s->joint[i].nu; k++) w->body[i].motion[k].u = 0;
    close_loops(s, w);
    outward_pass(s, w, d);
}

tml_status tmli_joint_space_accelerate_nearby(const tmli_joint_space *s, tmli_joint_space_work *w,
                                              tml_state *x, tml_error *err)
{
    tmli_joint_space_velocities(s, w, x->q, x->u);
    tml_state y = tmli_joint_space_base_state(s, w, x, false);
    const double *force = find_forces(s, w, &y);
    for (int i = 0; i < s->njoints; i++) {
        const sym3 J = own_inertia(s, &s->joint[i], &w->body[i]);
        set_wrench(s, &s->joint[i], &J, force, &w->body[i]);
    }
    apply_along(s, w, x, &y);
    inward_pass_of_wrenches(s, w);
    if (s->nloops > 0) {
        tmli_joint_space_accelerations(s, w, NULL, w->budot);
        find_openings(s, w, &y, false);
        close_loops(s, w);
        memcpy(x->lambda, w->lambda, (size_t)s->m * sizeof *x->lambda);
    }
    outward_pass(s, w, x->udot);
    return tmli_joint_space_check_finite(s, w, x, err);
}
