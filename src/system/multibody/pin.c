// Pins of planar models: the x and y rows of a revolute joint at once. Most rows of a planar mechanism are of
// this kind, and their two measures share all intermediate results. With the arms a = R s from the centres of
// mass and the normal z of the plane,
//   Phi = r_B + a_B - r_A - a_A                                                                           (1)
//   B   = [ -1   -z x a_A    1   z x a_B ]                                                                (2)
// and over an increment (dr, th), without cancellation (element/joint/increment.c),
//   da  = sin th (z x a) - (1 - cos th) a = sin th (z x a) - 2 sin^2(th/2) a                              (3)
//
// Balls of spatial models: the x, y and z rows between two points, with which most joints begin, share their
// arms as well. (1) holds; with the rows e_k'R of the rotation matrices
//   B_k = [ -e_k   -s_A x (R_A'e_k)    e_k   s_B x (R_B'e_k) ]                                            (4)
#include "system/multibody/multibody.h"

#include <string.h>

bool tmli_mb_is_pin(const tml_model *m, const tmli_constraint *c)
{
    if (!m->planar || c->nrows != 2 || c->nterms != 2) return false;
    const tmli_row_term *x = &c->term[0], *y = &c->term[1];
    const tmli_measure_use *lx = &m->measure_use[x->use], *ly = &m->measure_use[y->use];
    const tmli_measure *p = &lx->measure, *q = &ly->measure;
    return p->kind == TMLI_COORD && q->kind == TMLI_COORD && x->row == 0 && y->row == 1 && x->coef == 1 &&
           y->coef == 1 && x->slot[0] == y->slot[0] && x->slot[1] == y->slot[1] &&
           lx->node[0] == ly->node[0] && lx->node[1] == ly->node[1] && p->a.x == 1 && p->a.y == 0 &&
           p->a.z == 0 && q->a.x == 0 && q->a.y == 1 && q->a.z == 0 &&
           memcmp(&p->s_A, &q->s_A, sizeof(vec3)) == 0 && memcmp(&p->s_B, &q->s_B, sizeof(vec3)) == 0;
}

bool tmli_mb_is_ball(const tml_model *m, const tmli_constraint *c)
{
    if (m->planar || c->nrows < 3 || c->nterms < 3) return false;
    const tmli_row_term *first = &c->term[0];
    const tmli_measure_use *use = &m->measure_use[first->use];
    for (int k = 0; k < 3; k++) {
        const tmli_row_term *x = &c->term[k];
        const tmli_measure_use *y = &m->measure_use[x->use];
        const double a[3] = {y->measure.a.x, y->measure.a.y, y->measure.a.z};
        for (int i = 0; i < 3; i++)
            if (a[i] != (i == k)) return false;
        if (y->measure.kind != TMLI_COORD || x->row != k || x->coef != 1 || c->rate[k] ||
            x->slot[0] != first->slot[0] || x->slot[1] != first->slot[1] || y->node[0] != use->node[0] ||
            y->node[1] != use->node[1] || memcmp(&y->measure.s_A, &use->measure.s_A, sizeof(vec3)) != 0 ||
            memcmp(&y->measure.s_B, &use->measure.s_B, sizeof(vec3)) != 0)
            return false;
    }
    return true;
}

void tmli_mb_ball_rows(const tml_model *m, tmli_work *w, const tmli_constraint *c, double *phi)
{
    const tmli_measure_use *use = &m->measure_use[c->term[0].use];
    const tmli_pose *const pose[2] = {tmli_pose_of(w->pose, use->node[0]),
                                      tmli_pose_of(w->pose, use->node[1])};
    const vec3 arm[2] = {use->measure.s_A, use->measure.s_B};
    const int width = 6 * c->plan.nslots;
    for (int side = 0; side < 2; side++) {
        const int slot = c->term[0].slot[side];
        const double sign = side == 0 ? -1 : 1;
        for (int k = 0; k < 3 && slot >= 0; k++) {  // (4)
            double *row = w->B + k * width + 6 * slot;
            row[k] += sign;
            const vec3 turn = v3_cross(arm[side], v3_from(pose[side]->R.m + 3 * k));
            v3_store(v3_axpy(sign, turn, v3_from(row + 3)), row + 3);
        }
    }
    if (!phi) return;
    const vec3 d = v3_add(v3_sub(m3_mulv(&pose[1]->R, arm[1]), m3_mulv(&pose[0]->R, arm[0])),
                          v3_sub(pose[1]->r, pose[0]->r));
    phi[0] += d.x;
    phi[1] += d.y;
    phi[2] += d.z;
}

typedef struct arm {
    double x, y;
} arm;

static arm arm_of(const tmli_work *w, int node, const vec3 *s)
{
    if (node < 0) return (arm){s->x, s->y};
    const double *R = w->pose[node].R.m;
    return (arm){R[0] * s->x + R[1] * s->y, R[3] * s->x + R[4] * s->y};
}

// (1), from the arms of both sides
static void pin_residual(const tmli_work *w, const tmli_measure_use *use, const tmli_constraint *c,
                         const arm a[2], double *phi)
{
    const vec3 zero = {0, 0, 0};
    const vec3 *rA = use->node[0] < 0 ? &zero : &w->pose[use->node[0]].r,
               *rB = use->node[1] < 0 ? &zero : &w->pose[use->node[1]].r;
    phi[0] = a[1].x - a[0].x + (rB->x - rA->x) - c->target[0];
    phi[1] = a[1].y - a[0].y + (rB->y - rA->y) - c->target[1];
}

void tmli_mb_pin_value(const tml_model *m, const tmli_work *w, const tmli_constraint *c, double *phi)
{
    const tmli_measure_use *use = &m->measure_use[c->term[0].use];
    const arm a[2] = {arm_of(w, use->node[0], &use->measure.s_A), arm_of(w, use->node[1], &use->measure.s_B)};
    pin_residual(w, use, c, a, phi);
}

// (2) times the velocities; a pin has no rate of its own
void tmli_mb_pin_velocity(const tml_model *m, const tmli_work *w, const tmli_constraint *c, const double *u,
                          double *phidot)
{
    const tmli_measure_use *use = &m->measure_use[c->term[0].use];
    const vec3 *s[2] = {&use->measure.s_A, &use->measure.s_B};
    phidot[0] = phidot[1] = 0;
    for (int side = 0; side < 2; side++) {
        if (use->node[side] < 0) continue;
        const tmli_node *node = &m->node[use->node[side]];
        const double *v = u + node->first, sign = side == 0 ? -1 : 1, turn = node->ncoords > 2 ? v[2] : 0;
        const arm a = arm_of(w, use->node[side], s[side]);
        phidot[0] += sign * (v[0] - turn * a.y);
        phidot[1] += sign * (v[1] + turn * a.x);
    }
}

void tmli_mb_pin_rows(const tml_model *m, tmli_work *w, const tmli_constraint *c, double *phi)
{
    const tmli_measure_use *use = &m->measure_use[c->term[0].use];
    const int width = 6 * c->plan.nslots;
    const arm a[2] = {arm_of(w, use->node[0], &use->measure.s_A), arm_of(w, use->node[1], &use->measure.s_B)};
    memset(w->B, 0, (size_t)(2 * width) * sizeof(double));
    for (int side = 0; side < 2; side++) {
        const double sign = side == 0 ? -1 : 1;
        const int slot = c->term[0].slot[side];
        if (slot < 0) continue;
        double *row = w->B + 6 * slot;  // (2)
        row[0] = sign;
        row[5] = -sign * a[side].y;
        row[width + 1] = sign;
        row[width + 5] = sign * a[side].x;
    }
    if (phi) pin_residual(w, use, c, a, phi);
}

void tmli_mb_pin_increment(const tml_model *m, const tmli_work *w, const tmli_constraint *c, const double *d,
                           double *dphi)
{
    const tmli_measure_use *use = &m->measure_use[c->term[0].use];
    const vec3 *s[2] = {&use->measure.s_A, &use->measure.s_B};
    for (int side = 0; side < 2; side++) {
        if (use->node[side] < 0) continue;
        const double *by = d + m->node[use->node[side]].first, sign = side == 0 ? -1 : 1;
        const arm a = arm_of(w, use->node[side], s[side]);
        const tmli_pose_increment *t = &w->increment[use->node[side]];
        const double th = t->th.z, sine = t->s * th, versine = t->c * th * th;
        dphi[0] += sign * (by[0] - sine * a.y - versine * a.x);  // (3)
        dphi[1] += sign * (by[1] + sine * a.x - versine * a.y);
    }
}
