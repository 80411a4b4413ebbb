// Force callback: forces F and moments M on frames by a function of the program, at the origin of each frame
// s on its body, inertial axes:
//   Q = (F, s x R'F + R'M)                                                                              (1)
// Its tangents are central differences of (1), since a function has no derivatives.
#include "element/force/force.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Differences of force callbacks over the model length, one rad, or these per second: the cube root of
// round-off balances the truncation of central differences with round-off.
#define CALLBACK_DIFFERENCE cbrt(DBL_EPSILON)

typedef struct callback {
    tml_force_function function;
    void *user;
    int count;
    tmli_marker at[TML_CALLBACK_FRAMES];
    int slot[TML_CALLBACK_FRAMES];
    double length;  // of the model [m]
} callback;

static tml_status build(const tmli_force_builder *b, const tmli_force_entry *e, tmli_force *f)
{
    callback *c = f->data;
    int node[TML_CALLBACK_FRAMES];
    *c = (callback){.function = e->def.function,
                    .user = e->def.user,
                    .count = e->def.frame_count,
                    .length = b->m->length};
    for (int i = 0; i < c->count; i++) {
        const tml_status st = tmli_model_find_frame(b->spec, e->def.frame[i], e->at.at, &c->at[i], b->err);
        if (st != TML_OK) return st;
        node[i] = c->at[i].body;
        for (int k = 0; k < i; k++)
            if (node[k] == node[i])
                return tmli_fail_at(b->err, TML_ERR_MODEL, e->at.at,
                                    "force '%s': frames %d and %d are on the same body", e->def.name, k + 1,
                                    i + 1);
    }
    return tmli_force_plan(b, f, c->count, node, c->slot);
}

// Pose and velocity of the body of a frame.
typedef struct body {
    tmli_pose pose;
    double u[6];
} body;

static void bodies_of(const callback *c, const tmli_view *v, body *b)
{
    for (int i = 0; i < c->count; i++) {
        b[i].pose = *tmli_pose_of(v->pose, c->at[i].body);
        tmli_node_velocity(v->m, v->x->u, c->at[i].body, b[i].u);
    }
}

// Q (6 per frame) of (1).
static void evaluate(const callback *c, double t, const body *b, double *Q)
{
    tml_frame_motion frame[TML_CALLBACK_FRAMES];
    double wrench[6 * TML_CALLBACK_FRAMES] = {0};
    for (int i = 0; i < c->count; i++) {
        const tmli_pose *P = &b[i].pose;
        const vec3 s = c->at[i].s, w = v3_from(b[i].u + 3);
        const mat3 axes = m3_mul(&P->R, &c->at[i].C);
        v3_store(v3_add(P->r, m3_mulv(&P->R, s)), frame[i].position);
        v3_store(v3_add(v3_from(b[i].u), m3_mulv(&P->R, v3_cross(w, s))), frame[i].velocity);
        v3_store(m3_mulv(&P->R, w), frame[i].angular_velocity);
        memcpy(frame[i].axes, axes.m, sizeof frame[i].axes);
    }
    c->function(t, frame, wrench, c->user);
    for (int i = 0; i < c->count; i++) {
        const vec3 F = v3_from(wrench + 6 * i), M = v3_from(wrench + 6 * i + 3);
        const mat3 *R = &b[i].pose.R;
        v3_store(F, Q + 6 * i);
        v3_store(v3_add(v3_cross(c->at[i].s, m3_tmulv(R, F)), m3_tmulv(R, M)), Q + 6 * i + 3);
    }
}

static void force(const tmli_force *f, const tmli_view *v, double *Q)
{
    const callback *c = f->data;
    double local[6 * TML_CALLBACK_FRAMES];
    body b[TML_CALLBACK_FRAMES];
    bodies_of(c, v, b);
    evaluate(c, v->x->t, b, local);
    for (int i = 0; i < c->count; i++) tmli_add_slot(Q, c->slot[i], local + 6 * i, 1);
}

// Move coordinate k of a body: its pose by `by`, or its velocity.
static void change(body *b, int k, bool velocity, double by)
{
    if (velocity) {
        b->u[k] += by;
        return;
    }
    const double d[3] = {k % 3 == 0 ? by : 0, k % 3 == 1 ? by : 0, k % 3 == 2 ? by : 0};
    if (k < 3) {
        b->pose.r = v3_add(b->pose.r, v3_from(d));
    } else {
        const mat3 turn = q_matrix(tmli_so3_exp(v3_from(d)));
        b->pose.R = m3_mul(&b->pose.R, &turn);
    }
}

static void tangent(const tmli_force *f, const tmli_view *v, double *H, double *D)
{
    const callback *c = f->data;
    const int width = 6 * f->plan.nslots;
    double plus[6 * TML_CALLBACK_FRAMES], minus[6 * TML_CALLBACK_FRAMES];
    body b[TML_CALLBACK_FRAMES];
    bodies_of(c, v, b);
    for (int j = 0; j < 12 * c->count; j++) {
        const bool velocity = j >= 6 * c->count;
        const int i = j % (6 * c->count) / 6, k = j % 6;
        if (c->slot[i] < 0) continue;
        const body at = b[i];
        const double unit = k < 3 ? c->length : 1, size = velocity ? fmax(unit, fabs(at.u[k])) : unit;
        const double h = CALLBACK_DIFFERENCE * size;
        change(&b[i], k, velocity, h);
        evaluate(c, v->x->t, b, plus);
        b[i] = at;
        change(&b[i], k, velocity, -h);
        evaluate(c, v->x->t, b, minus);
        b[i] = at;
        for (int r = 0; r < c->count; r++)
            for (int q = 0; q < 6 && c->slot[r] >= 0; q++)
                (velocity ? D : H)[(6 * c->slot[r] + q) * width + 6 * c->slot[i] + k] -=
                    (plus[6 * r + q] - minus[6 * r + q]) / (2 * h);
    }
}

static tmli_touch touch(const tmli_force *f, int node, vec3 *point)
{
    const callback *c = f->data;
    (void)point;
    for (int i = 0; i < c->count; i++)
        if (c->at[i].body == node) return TMLI_TOUCH_TORQUE;
    return TMLI_TOUCH_NONE;
}

const tmli_force_ops tmli_force_callback = {
    .size = sizeof(callback),
    .uses_time = true,
    .build = build,
    .force = force,
    .tangent = tangent,
    .touch = touch,
};
