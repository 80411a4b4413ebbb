// Force and tangents of a point of contact. The tangents are directional derivatives of the force along each
// coordinate: every line of `evaluate` has its differential in `differential`.
#include "element/law/kernel.h"

#include <string.h>

static vec3 across(vec3 n, vec3 x) { return v3_axpy(-v3_dot(n, x), n, x); }

static vec3 velocity_at(const tmli_body_motion *b, vec3 p)
{
    return v3_add(b->v, v3_cross(b->w, v3_sub(p, b->r)));
}

double tmli_contact_gap_rate(const tmli_contact_point *k, const tmli_body_motion body[2])
{
    const vec3 p = tmli_point_place(k);
    return v3_dot(k->n, v3_sub(velocity_at(&body[1], p), velocity_at(&body[0], p)));
}

// (3) and (5) of friction.h
static void set_bristles(tmli_contact_state *s, vec3 w)
{
    const tmli_tangential_law *l = s->tangential;
    const double wear = tmli_bristle_wear(l, v3_norm(w), s->N.touches).h, bends = s->N.touches;
    vec3 T = v3_scale(l->viscous, w);
    for (int i = 0; i < 2; i++) {
        s->bristle[i] = bends * v3_dot(s->axis[i], w) - wear * s->z[i];
        T = v3_axpy(l->s0 * s->z[i] + l->s1 * s->bristle[i], s->axis[i], T);
    }
    s->T = v3_scale(-s->N.N, T);
}

static double dot6(const double *a, vec3 x, vec3 y)
{
    return a[0] * x.x + a[1] * x.y + a[2] * x.z + a[3] * y.x + a[4] * y.y + a[5] * y.z;
}

// Rate of the fade of a point by the motion of the bodies [1/s].
static double fade_rate(const tmli_contact_state *s)
{
    const vec3 c = s->point->pivot, move = v3_sub(velocity_at(&s->body[1], c), velocity_at(&s->body[0], c));
    return dot6(s->point->fade.g, move, s->spin);
}

// The force of a point that fades.
static void weaken(tmli_contact_state *s)
{
    const tmli_graded *fade = &s->point->fade;
    const double part = 1 - fade->v;
    const double shallow = tmli_normal_spring(s->normal, s->point->shallow);
    s->whole = s->N.N;
    s->stored = fmin(s->N.energy, shallow);
    s->spring = s->N.energy > shallow ? 0 : s->N.spring;
    s->lost = (s->N.energy - s->stored) * fade_rate(s);
    s->G = v3_scale(s->stored, v3_from(fade->g));
    s->C = v3_scale(s->stored, v3_from(fade->g + 3));
    s->N.N *= part;
    s->N.N_d *= part;
    s->N.N_v *= part;
    s->N.spring *= part;
    s->N.energy *= part;
}

void tmli_contact_eval(tmli_contact_state *s, double mode)
{
    const tmli_contact_point *k = s->point;
    const tmli_tangential_law *l = s->tangential;
    s->p = tmli_point_place(k);
    s->slip = v3_sub(velocity_at(&s->body[1], s->p), velocity_at(&s->body[0], s->p));
    s->spin = v3_sub(s->body[1].w, s->body[0].w);
    s->rate = v3_dot(k->n, s->slip);
    s->N = tmli_normal_eval(s->normal, mode, -k->gap, -s->rate);
    s->G = s->C = v3(0, 0, 0);
    s->lost = 0;
    if (k->fade.v > 0) weaken(s);
    s->T = s->M = v3(0, 0, 0);
    const double N = s->N.N;
    const vec3 w = across(k->n, s->slip), W = across(k->n, s->spin);
    if (l->bristles) set_bristles(s, w);
    else if (l->slides && N != 0) s->T = v3_scale(-N * tmli_friction_regularized(l, v3_norm(w)).h, w);
    if (l->spin_creep > 0 && N != 0) {
        const double about = v3_dot(k->n, s->spin);
        s->M = v3_scale(-N * l->rolling * tmli_saturation(v3_norm(W), l->spin_creep).h, W);
        s->M = v3_axpy(-N * l->drilling * tmli_saturation(about, l->spin_creep).h * about, k->n, s->M);
    }
    s->F = v3_axpy(N, k->n, s->T);
    s->energy = s->N.energy;
    s->power = (N - s->N.spring) * s->rate + v3_dot(s->T, s->slip) + v3_dot(s->M, s->spin) - s->lost;
}

// The torque of the point about the centre of mass of a body, as it is on Y
static vec3 torque_on(const tmli_contact_state *s, const tmli_body_motion *b)
{
    const vec3 torque = v3_add(v3_cross(v3_sub(s->p, b->r), s->F), s->M);
    return v3_add(torque, v3_add(v3_cross(v3_sub(s->point->pivot, b->r), s->G), s->C));
}

void tmli_contact_wrench(const tmli_contact_state *s, double Q[12])
{
    for (int side = 0; side < 2; side++) {
        const double sign = side == 0 ? -1 : 1;
        const tmli_body_motion *b = &s->body[side];
        const vec3 torque = torque_on(s, b);
        v3_store(v3_scale(sign, v3_add(s->F, s->G)), Q + 6 * side);
        v3_store(v3_scale(sign, m3_tmulv(b->R, torque)), Q + 6 * side + 3);
    }
}

// ---- tangents ---------------------------------------------------------------------------------------------

/** A change of the state: motion of the bodies, and changes of their velocities. */
typedef struct change {
    tmli_pair_motion d;
    vec3 dv[2], dw[2];
} change;

/** The changes of the results. */
typedef struct result {
    vec3 F, M, p;
    vec3 G, C, pivot;
    double bristle[2];
} result;

static vec3 slip_change(const tmli_contact_state *s, const change *c, vec3 dp)
{
    vec3 sum = v3(0, 0, 0);
    for (int side = 0; side < 2; side++) {
        const tmli_body_motion *b = &s->body[side];
        const vec3 arm = v3_sub(s->p, b->r), darm = v3_sub(dp, c->d.dr[side]);
        const vec3 dv = v3_add(v3_add(c->dv[side], v3_cross(c->dw[side], arm)), v3_cross(b->w, darm));
        sum = side == 0 ? v3_scale(-1, dv) : v3_add(sum, dv);
    }
    return sum;
}

// d(across(n, x)) with the change dn of n and dx of x
static vec3 across_change(vec3 n, vec3 x, vec3 dn, vec3 dx)
{
    const double along = v3_dot(n, x), dalong = v3_dot(dn, x) + v3_dot(n, dx);
    return v3_sub(v3_axpy(-along, dn, dx), v3_scale(dalong, n));
}

// d(-N h(|w|) w)
static vec3 resist(double N, double dN, tmli_slope h, vec3 w, vec3 dw)
{
    const vec3 grow = v3_axpy(h.h_s * v3_dot(w, dw), w, v3_scale(h.h, dw));
    return v3_sub(v3_scale(-dN * h.h, w), v3_scale(N, grow));
}

static vec3 bristle_change(const tmli_contact_state *s, vec3 w, vec3 dw, vec3 th, double dN, double *rate)
{
    const tmli_tangential_law *l = s->tangential;
    const double dwear = tmli_bristle_wear(l, v3_norm(w), s->N.touches).h_s * v3_dot(w, dw),
                 bends = s->N.touches;
    vec3 T = v3_scale(l->viscous, w), dT = v3_scale(l->viscous, dw);
    for (int i = 0; i < 2; i++) {
        const vec3 turned = v3_cross(th, s->axis[i]);
        rate[i] = bends * (v3_dot(turned, w) + v3_dot(s->axis[i], dw)) - dwear * s->z[i];
        const double bend = l->s0 * s->z[i] + l->s1 * s->bristle[i];
        T = v3_axpy(bend, s->axis[i], T);
        dT = v3_axpy(l->s1 * rate[i], s->axis[i], v3_axpy(bend, turned, dT));
    }
    return v3_sub(v3_scale(-dN, T), v3_scale(s->N.N, dT));
}

static vec3 couple_change(const tmli_contact_state *s, vec3 dn, vec3 dspin, double dN)
{
    const tmli_tangential_law *l = s->tangential;
    const vec3 n = s->point->n, W = across(n, s->spin), dW = across_change(n, s->spin, dn, dspin);
    const double about = v3_dot(n, s->spin), dabout = v3_dot(dn, s->spin) + v3_dot(n, dspin);
    tmli_slope roll = tmli_saturation(v3_norm(W), l->spin_creep),
               drill = tmli_saturation(about, l->spin_creep);
    roll = (tmli_slope){l->rolling * roll.h, l->rolling * roll.h_s};
    const double moment = l->drilling * drill.h * about,
                 dmoment = l->drilling * (drill.h + drill.h_s * about * about) * dabout;
    vec3 dM = resist(s->N.N, dN, roll, W, dW);
    dM = v3_axpy(-dN * moment - s->N.N * dmoment, n, dM);
    return v3_axpy(-s->N.N * moment, dn, dM);
}

// Changes of G, C; returns that of fade. With its gradient (g, t) and matrix H of second derivatives in the
// variables of graded.h, the gradient changes by H (d, th), and t, that of rotations after th, by th x t/2
// besides.
static double fade_change(const tmli_contact_state *s, const tmli_pair_motion *d, double dgap, result *out)
{
    const tmli_graded *fade = &s->point->fade;
    const vec3 arm[2] = {v3_sub(s->point->pivot, s->body[0].r), v3_sub(s->point->pivot, s->body[1].r)},
               th = v3_sub(d->th[1], d->th[0]), g = v3_from(fade->g), t = v3_from(fade->g + 3);
    out->pivot = v3_add(d->dr[1], v3_cross(d->th[1], arm[1]));
    const vec3 move = v3_sub(out->pivot, v3_add(d->dr[0], v3_cross(d->th[0], arm[0])));
    double H[6][6], dg[6];
    for (int i = 0, k = 0; i < 6; i++)
        for (int j = 0; j <= i; j++, k++) H[i][j] = H[j][i] = fade->H[k];
    for (int i = 0; i < 6; i++) dg[i] = dot6(H[i], move, th);
    const vec3 own = v3_axpy(0.5, v3_cross(th, t), v3_from(dg + 3));
    const double dE = -s->spring * dgap;
    out->G = v3_axpy(dE, g, v3_add(v3_scale(s->stored, v3_from(dg)), v3_cross(d->th[0], s->G)));
    out->C = v3_axpy(dE, t, v3_add(v3_scale(s->stored, own), v3_cross(d->th[0], s->C)));
    return dot6(fade->g, move, th);
}

static result differential(const tmli_contact_state *s, const change *c)
{
    const tmli_contact_point *k = s->point;
    const tmli_tangential_law *l = s->tangential;
    const vec3 r[2] = {s->body[0].r, s->body[1].r}, n = k->n;
    result out = {0};
    vec3 dn;
    tmli_point_move(k, r, &c->d, &dn, &out.p);
    vec3 moved[2];
    for (int side = 0; side < 2; side++)
        moved[side] = v3_add(c->d.dr[side], v3_cross(c->d.th[side], v3_sub(s->p, r[side])));
    const double dgap = v3_dot(n, v3_sub(moved[1], moved[0]));
    const vec3 dslip = slip_change(s, c, out.p), dspin = v3_sub(c->dw[1], c->dw[0]);
    const double drate = v3_dot(dn, s->slip) + v3_dot(n, dslip);
    const double dN = -s->N.N_d * dgap - s->N.N_v * drate -
                      (k->fade.v > 0 ? s->whole * fade_change(s, &c->d, dgap, &out) : 0);
    const vec3 w = across(n, s->slip), dw = across_change(n, s->slip, dn, dslip);
    out.F = v3_axpy(dN, n, v3_scale(s->N.N, dn));
    if (l->bristles) out.F = v3_add(out.F, bristle_change(s, w, dw, c->d.th[0], dN, out.bristle));
    else if (l->slides)
        out.F = v3_add(out.F, resist(s->N.N, dN, tmli_friction_regularized(l, v3_norm(w)), w, dw));
    if (l->spin_creep > 0) out.M = couple_change(s, dn, dspin, dN);
    return out;
}

// Column j of A (14 x 14) -= the change of (Q, zdot)
static void put_column(const tmli_contact_state *s, const change *c, const result *d, int j, double *A)
{
    for (int side = 0; side < 2; side++) {
        const double sign = side == 0 ? -1 : 1;
        const tmli_body_motion *b = &s->body[side];
        const vec3 arm = v3_sub(s->p, b->r), darm = v3_sub(d->p, c->d.dr[side]);
        const vec3 torque = torque_on(s, b), lever = v3_sub(s->point->pivot, b->r);
        vec3 change_ = v3_add(v3_cross(darm, s->F), v3_cross(arm, d->F));
        change_ = v3_add(change_, v3_cross(v3_sub(d->pivot, c->d.dr[side]), s->G));
        change_ = v3_add(change_, v3_add(v3_cross(lever, d->G), d->C));
        change_ = v3_sub(v3_add(change_, d->M), v3_cross(c->d.th[side], torque));
        double out[6];
        v3_store(v3_add(d->F, d->G), out);
        v3_store(m3_tmulv(b->R, change_), out + 3);
        for (int i = 0; i < 6; i++) A[(6 * side + i) * TMLI_CONTACT_COORDS + j] -= sign * out[i];
    }
    for (int i = 0; i < 2; i++) A[(12 + i) * TMLI_CONTACT_COORDS + j] -= d->bristle[i];
}

static void bristle_columns(const tmli_contact_state *s, double *D)
{
    const tmli_tangential_law *l = s->tangential;
    const double speed = v3_norm(across(s->point->n, s->slip)),
                 wear = tmli_bristle_wear(l, speed, s->N.touches).h;
    const change none = {0};
    for (int i = 0; i < 2; i++) {
        result d = {.F = v3_scale(-s->N.N * (l->s0 - l->s1 * wear), s->axis[i])};
        d.bristle[i] = -wear;
        put_column(s, &none, &d, 12 + i, D);
    }
}

void tmli_contact_tangent(const tmli_contact_state *s, double *H, double *D)
{
    memset(H, 0, TMLI_CONTACT_COORDS * TMLI_CONTACT_COORDS * sizeof *H);
    memset(D, 0, TMLI_CONTACT_COORDS * TMLI_CONTACT_COORDS * sizeof *D);
    for (int j = 0; j < 12; j++) {
        const int side = j / 6, axis = j % 3;
        const bool turns = j % 6 >= 3;
        const tmli_body_motion *b = &s->body[side];
        const vec3 e = turns ? m3_col(b->R, axis) : v3(axis == 0, axis == 1, axis == 2);
        change c = {0}, u = {0};
        if (turns) {
            c.d.th[side] = e;
            c.dw[side] = v3_cross(e, b->w);  // the body turns with constant components of w
            u.dw[side] = e;
        } else {
            c.d.dr[side] = e;
            u.dv[side] = e;
        }
        result d = differential(s, &c);
        put_column(s, &c, &d, j, H);
        d = differential(s, &u);
        put_column(s, &u, &d, j, D);
    }
    if (s->tangential->bristles) bristle_columns(s, D);
}
