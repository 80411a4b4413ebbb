// Force callback: forces F and moments M on frames by a function of the program, at the origin of each frame
// s on its body, inertial axes:
//   Q = (F, s x R'F + R'M)                                                                              (1)
// Its tangents are by the derivatives that came with the function, or by central differences of (1).
#include "element/force/force.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Differences of force callbacks over the model length, one rad, or these per second: the cube root of
// round-off balances the truncation of central differences with round-off.
#define CALLBACK_DIFFERENCE cbrt(DBL_EPSILON)

typedef struct callback {
    tml_force_function function;
    tml_force_derivatives derivatives;  // or NULL
    void *user;
    int count;
    tmli_marker at[TML_CALLBACK_FRAMES];
    int slot[TML_CALLBACK_FRAMES];
    double length;  // of the model [m]
    vec3 origin;    // of the model [m]
} callback;

static tml_status build(const tmli_force_builder *b, const tmli_force_entry *e, tmli_force *f)
{
    callback *c = f->data;
    int node[TML_CALLBACK_FRAMES];
    *c = (callback){.function = e->def.function,
                    .derivatives = e->def.derivatives,
                    .user = e->def.user,
                    .count = e->def.frame_count,
                    .length = b->m->length,
                    .origin = b->m->origin};
    for (int i = 0; i < c->count; i++) {
        const tml_status st =
            tmli_model_find_frame(b->spec, b->m, e->def.frame[i], e->at.at, &c->at[i], b->err);
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
    const tmli_pose *pose;  // borrowed, or &turned
    double u[6];
    tmli_pose turned;
} body;

static void bodies_of(const callback *c, const tmli_view *v, body *b)
{
    for (int i = 0; i < c->count; i++) {
        b[i].pose = tmli_pose_of(v->pose, c->at[i].body);
        tmli_node_velocity(v->m, v->x->u, c->at[i].body, b[i].u);
    }
}

// Origin and axes of frame i, inertial frame.
static void set_place(const callback *c, int i, const body *b, tml_frame_motion *f)
{
    const mat3 axes = m3_mul(&b->pose->R, &c->at[i].C);
    const vec3 r = v3_add(b->pose->r, m3_mulv(&b->pose->R, c->at[i].s));
    v3_store(v3_add(r, c->origin), f->position);
    memcpy(f->axes, axes.m, sizeof f->axes);
}

static void set_velocity(const callback *c, int i, const body *b, tml_frame_motion *f)
{
    const vec3 w = v3_from(b->u + 3);
    v3_store(v3_add(v3_from(b->u), m3_mulv(&b->pose->R, v3_cross(w, c->at[i].s))), f->velocity);
    v3_store(m3_mulv(&b->pose->R, w), f->angular_velocity);
}

static void set_frames(const callback *c, const body *b, tml_frame_motion *frame)
{
    for (int i = 0; i < c->count; i++) {
        set_place(c, i, &b[i], &frame[i]);
        set_velocity(c, i, &b[i], &frame[i]);
    }
}

// Q (6 per frame) of (1); that of frames on the ground is not needed.
static void evaluate(const callback *c, double t, const body *b, const tml_frame_motion *frame, double *Q)
{
    double wrench[6 * TML_CALLBACK_FRAMES] = {0};
    c->function(t, frame, wrench, c->user);
    for (int i = 0; i < c->count; i++) {
        if (c->slot[i] < 0) continue;
        const vec3 F = v3_from(wrench + 6 * i), M = v3_from(wrench + 6 * i + 3);
        const mat3 *R = &b[i].pose->R;
        v3_store(F, Q + 6 * i);
        v3_store(v3_add(v3_cross(c->at[i].s, m3_tmulv(R, F)), m3_tmulv(R, M)), Q + 6 * i + 3);
    }
}

static void force(const tmli_force *f, const tmli_view *v, double *Q)
{
    const callback *c = f->data;
    double local[6 * TML_CALLBACK_FRAMES];
    body b[TML_CALLBACK_FRAMES];
    tml_frame_motion frame[TML_CALLBACK_FRAMES];
    bodies_of(c, v, b);
    set_frames(c, b, frame);
    evaluate(c, v->x->t, b, frame, local);
    for (int i = 0; i < c->count; i++)
        if (c->slot[i] >= 0) tmli_add_slot(Q, c->slot[i], local + 6 * i, 1);
}

// Move coordinate k of the body b of frame i: its pose by `by`, or its velocity. What this does not move in
// the frame f is kept.
static void change(const callback *c, int i, int k, bool velocity, double by, body *b, tml_frame_motion *f)
{
    if (velocity) {
        b->u[k] += by;
        set_velocity(c, i, b, f);
    } else if (k < 3) {
        double *const r = f->position;
        r[k] += by;
    } else {
        const double d[3] = {k == 3 ? by : 0, k == 4 ? by : 0, k == 5 ? by : 0};
        const mat3 turn = q_matrix(tmli_so3_exp(v3_from(d)));
        b->turned.r = b->pose->r;
        b->turned.R = m3_mul(&b->pose->R, &turn);
        b->pose = &b->turned;
        set_place(c, i, b, f);
        set_velocity(c, i, b, f);
    }
}

// Element (row of frame r's wrench, column of frame i's motion) of the derivatives that a function gave.
static const double *given(const callback *c, const double *G, int row, int i)
{
    return G + (size_t)row * 12 * (size_t)c->count + 12 * (size_t)i;
}

// Derivatives of the wrench by the increments (d, a) of the body of frame i in its six position (velocity:
// its six velocity) coordinates, from those by the motion of the frame, with x~ y = x x y:
//   positions:  displacement d - R s~ a, rotation R a, velocity -R (w x s)~ a, angular velocity -R w~ a  (2)
//   velocities: velocity d - R s~ a, angular velocity R a                                                (3)
static void to_body(const callback *c, int i, const body *b, bool velocity, const double *g, double out[6])
{
    const mat3 *R = &b->pose->R;
    const vec3 s = c->at[i].s, w = v3_from(b->u + 3);
    const vec3 by_place = m3_tmulv(R, v3_from(g + (velocity ? 6 : 0)));
    const vec3 by_turn = m3_tmulv(R, v3_from(g + (velocity ? 9 : 3)));
    memcpy(out, g + (velocity ? 6 : 0), 3 * sizeof *out);
    // g . (-R s~ a) = (s x R'g) . a
    vec3 a = v3_add(v3_cross(s, by_place), by_turn);
    if (!velocity) {
        const vec3 by_velocity = m3_tmulv(R, v3_from(g + 6)), by_rate = m3_tmulv(R, v3_from(g + 9));
        a = v3_add(a, v3_add(v3_cross(v3_cross(w, s), by_velocity), v3_cross(w, by_rate)));
    }
    v3_store(a, out + 3);
}

// Rows of Q of frame r from those G (6 x 6) of its wrench: F and s x R'F + R'M.
static void to_generalized(const callback *c, int r, const body *b, double G[6][6])
{
    const mat3 *R = &b->pose->R;
    for (int k = 0; k < 6; k++) {
        const vec3 F = {G[0][k], G[1][k], G[2][k]}, M = {G[3][k], G[4][k], G[5][k]};
        double m[3];
        v3_store(v3_add(v3_cross(c->at[r].s, m3_tmulv(R, F)), m3_tmulv(R, M)), m);
        for (int q = 0; q < 3; q++) G[3 + q][k] = m[q];
    }
}

// What the rotation a of body r itself changes in R'F and R'M of (1): (R'F)~ a and (R'M)~ a.
static void add_own_rotation(const callback *c, int r, const body *b, const double *wrench, double G[6][6])
{
    const vec3 F = m3_tmulv(&b->pose->R, v3_from(wrench)), M = m3_tmulv(&b->pose->R, v3_from(wrench + 3));
    for (int k = 0; k < 3; k++) {
        const vec3 a = {k == 0, k == 1, k == 2};
        double m[3];
        v3_store(v3_add(v3_cross(c->at[r].s, v3_cross(F, a)), v3_cross(M, a)), m);
        for (int q = 0; q < 3; q++) G[3 + q][3 + k] += m[q];
    }
}

static void given_tangent(const tmli_force *f, const tmli_view *v, double *H, double *D)
{
    enum { N = TML_CALLBACK_FRAMES };
    const callback *c = f->data;
    const int width = 6 * f->plan.nslots;
    double wrench[6 * N] = {0}, by_motion[72 * N * N] = {0};
    body b[N];
    tml_frame_motion frame[N];
    bodies_of(c, v, b);
    set_frames(c, b, frame);
    c->function(v->x->t, frame, wrench, c->user);
    c->derivatives(v->x->t, frame, by_motion, c->user);
    for (int block = 0; block < 2 * c->count * c->count; block++) {
        const bool velocity = block % 2;
        const int r = block / 2 / c->count, i = block / 2 % c->count;
        double G[6][6];
        if (c->slot[r] < 0 || c->slot[i] < 0) continue;
        for (int q = 0; q < 6; q++) to_body(c, i, &b[i], velocity, given(c, by_motion, 6 * r + q, i), G[q]);
        to_generalized(c, r, &b[r], G);
        if (!velocity && r == i) add_own_rotation(c, r, &b[r], wrench + 6 * r, G);
        for (int q = 0; q < 36; q++)
            (velocity ? D : H)[(6 * c->slot[r] + q / 6) * width + 6 * c->slot[i] + q % 6] -= G[q / 6][q % 6];
    }
}

static void difference_tangent(const tmli_force *f, const tmli_view *v, double *H, double *D)
{
    const callback *c = f->data;
    const int width = 6 * f->plan.nslots;
    double Q[2][6 * TML_CALLBACK_FRAMES];
    body b[TML_CALLBACK_FRAMES];
    tml_frame_motion frame[TML_CALLBACK_FRAMES];
    bodies_of(c, v, b);
    set_frames(c, b, frame);
    for (int j = 0; j < 12 * c->count; j++) {
        const bool velocity = j >= 6 * c->count;
        const int i = j % (6 * c->count) / 6, k = j % 6;
        if (c->slot[i] < 0) continue;
        const body at = b[i];
        const tml_frame_motion there = frame[i];
        const double unit = k < 3 ? c->length : 1, size = velocity ? fmax(unit, fabs(at.u[k])) : unit;
        const double h = CALLBACK_DIFFERENCE * size;
        for (int side = 0; side < 2; side++) {
            change(c, i, k, velocity, side == 0 ? h : -h, &b[i], &frame[i]);
            evaluate(c, v->x->t, b, frame, Q[side]);
            b[i] = at;
            frame[i] = there;
        }
        for (int r = 0; r < c->count; r++)
            for (int q = 0; q < 6 && c->slot[r] >= 0; q++)
                (velocity ? D : H)[(6 * c->slot[r] + q) * width + 6 * c->slot[i] + k] -=
                    (Q[0][6 * r + q] - Q[1][6 * r + q]) / (2 * h);
    }
}

static void tangent(const tmli_force *f, const tmli_view *v, double *H, double *D)
{
    const callback *c = f->data;
    (c->derivatives ? given_tangent : difference_tangent)(f, v, H, D);
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
    .work = TMLI_WORK_SUPPLIED,
    .size = sizeof(callback),
    .uses_time = true,
    .build = build,
    .force = force,
    .tangent = tangent,
    .touch = touch,
};
