// Applied wrench at a point s of a body: force f and torque tau by expressions,
//   inertial axes: Q = (f, s x R'f + R'tau);    frame axes C: Q = (R C f, s x C f + C tau)    (1)
#include "element/force/force.h"

#include <string.h>

enum { COMPONENTS = 6 };  // fx fy fz, mx my mz: one law each

typedef struct applied {
    tmli_marker at;
    int slot;
    bool body_axes;
} applied;

static tml_status build(const tmli_force_builder *b, const tmli_force_entry *e, tmli_force *f)
{
    static const char *const keys[COMPONENTS] = {"force[0]",  "force[1]",  "force[2]",
                                                 "torque[0]", "torque[1]", "torque[2]"};
    applied *d = f->data;
    d->body_axes = e->def.body_axes;
    tml_status st =
        tmli_model_find_frame(b->spec, b->m, e->def.b, tmli_entry_mark(&e->at, "at"), &d->at, b->err);
    if (st == TML_OK) st = tmli_force_check_moves(b, e, "at", d->at.body);
    if (st == TML_OK) st = tmli_force_alloc_laws(b, f, COMPONENTS);
    for (int k = 0; k < COMPONENTS && st == TML_OK; k++) {
        const char *text = k < 3 ? e->def.force[k] : e->def.torque[k - 3];
        if (text && k >= 3) st = tmli_force_check_torque(b, e, d->at.body);
        if (st == TML_OK) st = tmli_force_compile(b, e, f, k, text, keys[k], NULL);
    }
    return st == TML_OK ? tmli_force_plan(b, f, 1, &d->at.body, &d->slot) : st;
}

// Generalized force (6) of a unit of component k of the wrench.
static void wrench_direction(const applied *d, const tmli_pose *P, int k, double g[6])
{
    const vec3 e = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    const vec3 body = d->body_axes ? m3_mulv(&d->at.C, e) : m3_tmulv(&P->R, e);
    const vec3 world = d->body_axes ? m3_mulv(&P->R, body) : e;
    v3_store(k < 3 ? world : v3(0, 0, 0), g);
    v3_store(k < 3 ? v3_cross(d->at.s, body) : body, g + 3);
}

static void force(const tmli_force *f, const tmli_view *v, double *Q)
{
    const applied *d = f->data;
    const tmli_pose *P = &v->pose[d->at.body];
    for (int k = 0; k < COMPONENTS; k++) {
        if (!f->law[k].expr) continue;
        double g[6];
        wrench_direction(d, P, k, g);
        tmli_add_slot(Q, d->slot, g, tmli_law_value(v, &f->law[k], NULL));  // (1)
    }
}

static double power(const tmli_force *f, const tmli_view *v)
{
    const applied *d = f->data;
    const tmli_pose *P = &v->pose[d->at.body];
    double u[6], sum = 0;
    tmli_node_velocity(v->m, v->x->u, d->at.body, u);
    for (int k = 0; k < COMPONENTS; k++) {
        if (!f->law[k].expr) continue;
        double g[6], rate = 0;
        wrench_direction(d, P, k, g);
        for (int i = 0; i < 6; i++) rate += g[i] * u[i];
        sum += tmli_law_value(v, &f->law[k], NULL) * rate;
    }
    return sum;
}

// H -= value d(direction of component k)/dth: over a rotation dth of the body, R'e changes by (R'e)~ dth and
// R c by -R c~ dth.
static void add_rotation(const applied *d, const tmli_pose *P, int k, double value, int width, double *H)
{
    const vec3 e = v3(k % 3 == 0, k % 3 == 1, k % 3 == 2);
    mat3 turn;
    int row = 3;
    if (d->body_axes) {
        if (k >= 3) return;
        const mat3 c = m3_skew(m3_mulv(&d->at.C, e));
        turn = m3_mul(&P->R, &c);
        turn = m3_scale(-1, &turn);
        row = 0;
    } else {
        turn = m3_skew(m3_tmulv(&P->R, e));
        const mat3 arm = m3_skew(d->at.s);
        if (k < 3) turn = m3_mul(&arm, &turn);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            H[(6 * d->slot + row + i) * width + 6 * d->slot + 3 + j] -= value * turn.m[3 * i + j];
}

static void tangent(const tmli_force *f, const tmli_view *v, double *H, double *D)
{
    const applied *d = f->data;
    const tmli_pose *P = &v->pose[d->at.body];
    const int width = 6 * f->plan.nslots;
    double *const gd = v->w->gd, *const gu = v->w->gu;
    for (int k = 0; k < COMPONENTS; k++) {
        if (!f->law[k].expr) continue;
        double g[6];
        memset(gd, 0, (size_t)width * sizeof(double));
        memset(gu, 0, (size_t)width * sizeof(double));
        const double value = tmli_law_gradient(v, &f->law[k], NULL, NULL, gd, gu);
        wrench_direction(d, P, k, g);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < width; j++) {
                H[(6 * d->slot + i) * width + j] -= g[i] * gd[j];
                D[(6 * d->slot + i) * width + j] -= g[i] * gu[j];
            }
        add_rotation(d, P, k, value, width, H);
    }
}

static tmli_touch touch(const tmli_force *f, int node, vec3 *point)
{
    const applied *d = f->data;
    if (d->at.body != node) return TMLI_TOUCH_NONE;
    *point = d->at.s;
    for (int k = 3; k < COMPONENTS; k++)
        if (f->law[k].expr) return TMLI_TOUCH_TORQUE;
    return TMLI_TOUCH_POINT;
}

const tmli_force_ops tmli_force_applied = {
    .work = TMLI_WORK_SUPPLIED,
    .size = sizeof(applied),
    .build = build,
    .force = force,
    .power = power,
    .tangent = tangent,
    .touch = touch,
};
