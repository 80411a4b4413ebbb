// Points of contact of all pairs of shapes: forces in balance, the rate of the gap, power, and tangents
// against differences.
//
// Differences are central ones with the step h = 3e-7 in poses and velocities of size 1: truncation
// h^2 f''' < 1e-9 of f (the curvature of creep, 1/0.3^2 per unit of velocity, included), 1e-7 for points
// that fade within 0.02 m, whose force has a derivative of the factor; round-off eps/h = 7e-10.
#include "element/law/kernel.h"
#include "support/support.h"

enum { SAMPLES = 60, FEW = 20, MOST = 2, N = TMLI_CONTACT_COORDS };
static const double step = 3e-7, tolerance = 3e-7;

typedef struct sample {
    tmli_shape shape[2];  // in the order of the pair
    tmli_pose pose[2];
    double u[12], z[2];
    tmli_normal_law normal;
    tmli_tangential_law tangential;
} sample;

static vec3 random_vec(rng *r, double size)
{
    return v3(rng_range(r, -size, size), rng_range(r, -size, size), rng_range(r, -size, size));
}

static mat3 random_rotation(rng *r)
{
    const quat p = {rng_range(r, -1, 1), rng_range(r, -1, 1), rng_range(r, -1, 1), rng_range(r, -1, 1)};
    return q_matrix(q_normalize(p));
}

static tmli_arena arena;

// A core with a wide rounding, so that it is outside of the other one in many samples.
static const tmli_polytope *random_core(rng *r, tmli_shape *s)
{
    tmli_polytope *core = tmli_arena_alloc(&arena, 1, sizeof *core);
    vec3 point[12], centre;
    tmli_hull_loss loss;
    for (int i = 0; i < 12; i++) point[i] = random_vec(r, 0.6);
    if (s->type == TML_SHAPE_MESH) {
        assert_int_equal(tmli_polytope_hull(point, 12, &arena, core, &centre, &loss, NULL), TML_OK);
    } else {
        assert_int_equal(tmli_shape_set_core(s, &arena, NULL), TML_OK);
        if (!s->core) return NULL;
        *core = *s->core;
    }
    core->rounding = rng_range(r, 0.1, 0.2);
    return core;
}

static sample random_sample(rng *r, const tmli_pair_type *type, bool bristles)
{
    sample s = {
        .normal = {.law = TML_CONTACT_HUNT_CROSSLEY, .k = 730, .n = 1.5, .p = 1.5, .c = 0.21, .unit = 1},
        .tangential = {.slides = true,
                       .bristles = bristles,
                       .mu = 0.31,
                       .more = 0.17,
                       .stribeck = 0.8,
                       .viscous = 0.05,
                       .creep = 0.3,
                       .s0 = 7.3,
                       .s1 = 0.4,
                       .rolling = 0.07,
                       .drilling = 0.11,
                       .spin_creep = 0.6}};
    if (rng_unit(r) < 0.5)
        s.normal =
            (tmli_normal_law){.law = TML_CONTACT_HERTZ, .k = 530, .n = 1.5, .p = 0.25, .c = 41, .unit = 1};
    for (int k = 0; k < 2; k++) {
        s.shape[k] = (tmli_shape){.type = k == 0 ? type->first : type->second,
                                  .s = random_vec(r, 0.3),
                                  .C = random_rotation(r),
                                  .radius = rng_range(r, 0.2, 0.5),
                                  .half = {0.3, 0.45, rng_range(r, 0.3, 0.8)}};
        if (s.shape[k].type == TML_SHAPE_BOX) s.shape[k].radius = 0;
        s.shape[k].core = random_core(r, &s.shape[k]);
        s.pose[k] = (tmli_pose){random_vec(r, 0.3), random_rotation(r)};
        s.z[k] = rng_range(r, -0.05, 0.05);
    }
    for (int i = 0; i < 12; i++) s.u[i] = rng_range(r, -1.5, 1.5);
    return s;
}

static sample moved(const sample *s, int j, double t)
{
    sample n = *s;
    tmli_pose *P = &n.pose[j / 6];
    const vec3 e = v3(j % 3 == 0, j % 3 == 1, j % 3 == 2);
    const mat3 turn = q_matrix(tmli_so3_exp(v3_scale(t, e)));
    if (j % 6 < 3) P->r = v3_axpy(t, e, P->r);
    else P->R = m3_mul(&P->R, &turn);
    return n;
}

static int points_of(const tmli_pair_type *type, const sample *s, tmli_contact_point *k)
{
    const tmli_place x = tmli_shape_place(&s->shape[0], &s->pose[0]),
                     y = tmli_shape_place(&s->shape[1], &s->pose[1]);
    return tmli_pair_points(type, &s->shape[0], &x, &s->shape[1], &y, k);
}

// Index of the point of a moved sample that is `like` one at a place nearby.
static int same_point(const tmli_contact_point *k, int count, const tmli_contact_point *like)
{
    int best = -1;
    double least = INFINITY;
    for (int i = 0; i < count; i++) {
        const double away = v3_norm(v3_sub(k[i].b, like->b)) + v3_norm(v3_sub(k[i].n, like->n));
        if (k[i].feature != like->feature || k[i].swapped != like->swapped || away >= least) continue;
        least = away;
        best = i;
    }
    assert_true(best >= 0);
    return best;
}

// out (14) = (Q, zdot) at point i, or at the one `like` another, in the order of the bodies of the sample
static tmli_contact_state evaluate(const tmli_pair_type *type, const sample *s, int i,
                                   const tmli_contact_point *like, tmli_contact_point *k, double *out)
{
    const int count = points_of(type, s, k);
    if (like) i = same_point(k, count, like);
    const int X = k[i].swapped;
    const tmli_place x = tmli_shape_place(&s->shape[X], &s->pose[X]);
    tmli_contact_state c = {.point = &k[i], .normal = &s->normal, .tangential = &s->tangential};
    for (int side = 0; side < 2; side++) {
        const int own = side ^ X;
        const tmli_pose *P = &s->pose[own];
        c.body[side] = (tmli_body_motion){.r = P->r,
                                          .v = v3_from(s->u + 6 * own),
                                          .w = m3_mulv(&P->R, v3_from(s->u + 6 * own + 3)),
                                          .R = &P->R};
        c.z[side] = s->z[side];
        c.axis[side] = m3_col(&x.A, side);
    }
    tmli_contact_eval(&c, 0);
    tmli_contact_wrench(&c, out);
    for (int m = 0; m < 2; m++) out[12 + m] = c.bristle[m];
    return c;
}

// The derivative along coordinate j of (X, Y), by increments or by velocities and bristles
static void difference(const tmli_pair_type *type, const sample *s, const tmli_contact_point *like, int j,
                       bool velocity, double *out)
{
    double side[2][N];
    const int own = j >= 12 ? j : (j + (like->swapped ? 6 : 0)) % 12;
    for (int m = 0; m < 2; m++) {
        const double t = m == 0 ? -step : step;
        tmli_contact_point k[TMLI_PAIR_POINTS];
        sample n = velocity ? *s : moved(s, own, t);
        if (velocity && j < 12) n.u[own] += t;
        if (velocity && j >= 12) n.z[j - 12] += t;
        evaluate(type, &n, 0, like, k, side[m]);
    }
    for (int m = 0; m < N; m++) out[m] = (side[1][m] - side[0][m]) / (2 * step);
}

// Of planar shapes: coordinates out of the plane do not exist.
static bool is_missing(const sample *s, int j)
{
    return s->shape[0].flat && j < 12 && (j % 6 > 1 && j % 6 < 5);
}

static void check_tangents(const tmli_pair_type *type, const sample *s, int i)
{
    tmli_contact_point k[TMLI_PAIR_POINTS];
    double Q[N], H[N * N], D[N * N], want[N], size = 1;
    const tmli_contact_state c = evaluate(type, s, i, NULL, k, Q);
    tmli_contact_tangent(&c, H, D);
    for (int m = 0; m < N * N; m++) size = fmax(size, fmax(fabs(H[m]), fabs(D[m])));
    for (int j = 0; j < N; j++)
        for (int velocity = j >= 12; velocity < 2; velocity++) {
            if ((j >= 12 && !s->tangential.bristles) || is_missing(s, j)) continue;
            difference(type, s, &k[i], j, velocity, want);
            for (int m = 0; m < N; m++) {
                if (is_missing(s, m)) continue;
                const double got = -(velocity ? D : H)[m * N + j];
                if (!(fabs(got - want[m]) <= tolerance * size))
                    fail_msg("types %d %d, point %d, %s %d %d: %g, difference %g of %g", type->first,
                             type->second, i, velocity ? "D" : "H", m, j, got, want[m], size);
            }
        }
}

// Energy of the spring of a point: a potential of its place
static double energy_of(const tmli_contact_point *k, const tmli_normal_law *l)
{
    return (1 - k->fade.v) * tmli_normal_eval(l, 0, -k->gap, 0).energy;
}

// The rate of the gap is that of the kernel; forces and moments about the origin are in balance; the power of
// the forces is that of friction and damping less the change of the potential.
static void check_balance(const tmli_pair_type *type, const sample *s, int i)
{
    tmli_contact_point k[TMLI_PAIR_POINTS], ahead[TMLI_PAIR_POINTS], back[TMLI_PAIR_POINTS];
    double Q[N], power = 0, largest = 0;
    const tmli_contact_state c = evaluate(type, s, i, NULL, k, Q);
    for (int m = 0; m < 12; m++) largest = fmax(largest, fabs(Q[m]));
    sample n[2] = {*s, *s};
    for (int m = 0; m < 2; m++)
        for (int side = 0; side < 2; side++) {
            const double t = m == 0 ? -step : step;
            tmli_pose *P = &n[m].pose[side];
            const mat3 turn = q_matrix(tmli_so3_exp(v3_scale(t, v3_from(s->u + 6 * side + 3))));
            P->r = v3_axpy(t, v3_from(s->u + 6 * side), P->r);
            P->R = m3_mul(&P->R, &turn);
        }
    const int m0 = points_of(type, &n[0], back), m1 = points_of(type, &n[1], ahead);
    const tmli_contact_point *a = &ahead[same_point(ahead, m1, &k[i])],
                             *b = &back[same_point(back, m0, &k[i])];
    CHECK_CLOSE(c.rate, (a->gap - b->gap) / (2 * step), 1e-7);
    vec3 force = v3(0, 0, 0), moment = v3(0, 0, 0);
    for (int side = 0; side < 2; side++) {
        const vec3 F = v3_from(Q + 6 * side), M = m3_mulv(c.body[side].R, v3_from(Q + 6 * side + 3));
        force = v3_add(force, F);
        moment = v3_add(moment, v3_add(M, v3_cross(c.body[side].r, F)));
        power += v3_dot(F, c.body[side].v) + v3_dot(M, c.body[side].w);
    }
    CHECK_SMALL(v3_norm(force), 1e-12);
    CHECK_SMALL(v3_norm(moment), 1e-13 * fmax(100, largest));  // round-off of force times arm
    // bristles give back energy that they stored
    assert_true(c.power + c.lost <= 1e-12 || s->tangential.bristles);
    if (k[i].shallow >= -k[i].gap) CHECK_CLOSE(c.lost, 0, 0);
    // the spring has a potential, apart from what is lost; that of a point which fades may change within
    // 0.01 m: truncation of 1e-6 and more
    const double energy[2] = {energy_of(b, &s->normal), energy_of(a, &s->normal)};
    CHECK_CLOSE(c.energy, energy_of(&k[i], &s->normal), 1e-14 * (1 + c.energy));
    CHECK_CLOSE(power, c.power - (energy[1] - energy[0]) / (2 * step), 1e-6 * (1 + c.energy + fabs(power)));
}

static void all_pairs(void **state)
{
    (void)state;
    rng r = rng_seed(5);
    const int few = less_if_slow("half of the samples of pairs with edges") ? FEW / 2 : FEW;
    for (int a = 0; a < TML_SHAPE_TYPES; a++)
        for (int b = a; b < TML_SHAPE_TYPES; b++) {
            bool swap;
            const tmli_pair_type *type = tmli_pair_find((tml_shape_type)a, (tml_shape_type)b, &swap);
            if (a == TML_SHAPE_PROFILE || b == TML_SHAPE_PROFILE || b == TML_SHAPE_HEIGHT_FIELD)
                continue;  // below
            int touching = 0, fading = 0;
            for (int m = 0; type && m < (type->manifold && type->first != TML_SHAPE_PLANE ? few : SAMPLES);
                 m++) {
                const bool plane = type->first == TML_SHAPE_PLANE && type->points;
                const sample s = random_sample(&r, type, plane && m % 2 == 0);
                tmli_contact_point k[TMLI_PAIR_POINTS];
                const int count = points_of(type, &s, k);
                int checked[2] = {0, 0};  // of whole points, of those that fade
                for (int i = 0; i < count; i++) {
                    // where the feature changes within the step, differences are no derivatives, and where
                    // lines that are almost parallel cross, it changes too fast for them
                    if (k[i].feature == TMLI_FEATURE_LINE && v3_norm(v3_cross(k[i].e, k[i].f)) < 0.3)
                        continue;
                    if (v3_norm(v3_from(k[i].fade.g)) + v3_norm(v3_from(k[i].fade.g + 3)) > 50) continue;
                    // bristles are worn off without contact as well
                    const bool apart = s.tangential.bristles && k[i].gap > 0.01;
                    if ((k[i].gap > -0.01 && !apart) || k[i].inverse > 20 || k[i].fade.v > 0.99) continue;
                    if (type->manifold && ++checked[k[i].fade.v > 0] > MOST) continue;  // it has many
                    touching += !apart;
                    fading += k[i].fade.v > 0.01;
                    check_balance(type, &s, i);
                    check_tangents(type, &s, i);
                }
            }
            if (type && touching < few / 2) fail_msg("types %d %d touch %d times only", a, b, touching);
            const bool edges =
                type && type->manifold && type->first != TML_SHAPE_PLANE && type->second != TML_SHAPE_SPHERE;
            if (edges && fading < (few + 1) / 7) fail_msg("types %d %d fade %d times only", a, b, fading);
        }
}

// A shape of a planar model; corners: a polygon.
static void flatten(rng *r, sample *s, int k, bool corners)
{
    const mat3 plane = m3_from_cols(v3(0, 0, 1), v3(1, 0, 0), v3(0, 1, 0));  // z of its axes along y
    const double a = rng_range(r, -3, 3), b = rng_range(r, -3, 3);
    const mat3 turn = q_matrix((quat){cos(a / 2), 0, 0, sin(a / 2)});
    s->shape[k].flat = true;
    s->shape[k].s.z = s->pose[k].r.z = 0;
    s->shape[k].C = q_matrix((quat){cos(b / 2), 0, 0, sin(b / 2)});
    if (s->shape[k].type == TML_SHAPE_PLANE) s->shape[k].C = m3_mul(&s->shape[k].C, &plane);
    s->pose[k].R = turn;
    for (int i = 0; i < 6; i++)
        if (i > 1 && i < 5) s->u[6 * k + i] = 0;
    if (s->shape[k].type != TML_SHAPE_PROFILE) return;
    enum { POINTS = 9 };
    double point[3 * POINTS];
    tmli_outline *o = tmli_arena_alloc(&arena, 1, sizeof *o);
    for (int i = 0; i < POINTS; i++) {
        const double angle = 6.2831853 * i / POINTS, radius = rng_range(r, 0.38, 0.6);
        point[3 * i] = radius * cos(angle);
        point[3 * i + 1] = radius * sin(angle);
    }
    const tml_status st = corners ? tmli_outline_polygon(point, POINTS, 1, 0.1, &arena, o, NULL)
                                  : tmli_outline_spline(point, POINTS, 1, &arena, o, NULL);
    assert_int_equal(st, TML_OK);
    s->shape[k].outline = o;
}

static void profiles(void **state)
{
    (void)state;
    static const tml_shape_type others[] = {TML_SHAPE_SPHERE, TML_SHAPE_PLANE, TML_SHAPE_PROFILE};
    const bool less = less_if_slow("360 samples with differences");
    rng r = rng_seed(5);
    for (int m = 0; m < 3; m++)
        for (int corners = 0; corners < 4; corners++) {
            bool swap;
            const tmli_pair_type *type = tmli_pair_find(TML_SHAPE_PROFILE, others[m], &swap);
            int touching = 0, concave = 0;
            for (int i = 0; i < (less ? 20 : 40); i++) {
                sample s = random_sample(&r, type, false);
                s.shape[1].radius = rng_range(&r, 0.08, 0.15);  // it fits into hollows
                for (int k = 0; k < 2; k++) flatten(&r, &s, k, corners >> k & 1);
                // beside each other
                const double away = rng_range(&r, 0, 6.28),
                             far = others[m] == TML_SHAPE_PROFILE ? 0.95
                                   : others[m] == TML_SHAPE_PLANE
                                       ? 0
                                       : rng_range(&r, 0.38, 0.5) + s.shape[1].radius;
                vec3 to = v3_scale(far, v3(cos(away), sin(away), 0));
                const tmli_place x = tmli_shape_place(&s.shape[0], &s.pose[0]);
                if (others[m] == TML_SHAPE_PLANE) to = v3_scale(0.45, m3_col(&x.A, 2));
                const tmli_place y = tmli_shape_place(&s.shape[1], &s.pose[1]);
                s.pose[1].r = v3_add(s.pose[1].r, v3_sub(v3_add(x.c, to), y.c));
                tmli_contact_point k[TMLI_PAIR_POINTS];
                const int count = points_of(type, &s, k);
                for (int j = 0; j < count; j++) {
                    if (k[j].gap > -0.005 || k[j].gap < -0.1 || fabs(k[j].inverse) > 20) continue;
                    touching++;
                    concave += k[j].inverse < 0;
                    check_balance(type, &s, j);
                    check_tangents(type, &s, j);
                }
            }
            if (touching < (less ? 5 : 10))
                fail_msg("profile and %d touch %d times only", others[m], touching);
            if (m == 0 && corners == 0 && !less) assert_true(concave > 0);
        }
}

// Rectangles of planar models, at all depths: corners below the middle of a side, and near its ends, where
// the corner of one rectangle takes over from that of the other.
static void rectangles(void **state)
{
    (void)state;
    bool swap;
    const tmli_pair_type *type = tmli_pair_find(TML_SHAPE_BOX, TML_SHAPE_BOX, &swap);
    rng r = rng_seed(5);
    int whole = 0, fading = 0;
    for (int i = 0; i < 200; i++) {
        sample s = random_sample(&r, type, false);
        for (int k = 0; k < 2; k++) flatten(&r, &s, k, false);
        tmli_contact_point k[TMLI_PAIR_POINTS];
        const int count = points_of(type, &s, k);
        assert_int_equal(count, 8);
        for (int j = 0; j < count; j++) {
            const double slope = v3_norm(v3_from(k[j].fade.g)) + v3_norm(v3_from(k[j].fade.g + 3));
            if (k[j].gap > -0.01 || k[j].inverse > 20 || k[j].fade.v > 0.99 || slope > 50) continue;
            whole += k[j].fade.v == 0;
            fading += k[j].fade.v > 0.01;
            check_balance(type, &s, j);
            check_tangents(type, &s, j);
        }
    }
    assert_true(whole > 50 && fading > 20);
}

// Hills about 1 m wide and 0.3 m high, with hollows that spheres fit into.
static const tmli_terrain *random_terrain(rng *r)
{
    enum { NX = 8, NY = 7 };
    double heights[NX * NY];
    tmli_terrain *t = tmli_arena_alloc(&arena, 1, sizeof *t);
    for (int i = 0; i < NX * NY; i++) heights[i] = rng_range(r, -0.15, 0.15);
    assert_int_equal(tmli_terrain_create(NX, NY, heights, 1, 3.4, 2.9, &arena, t, NULL), TML_OK);
    return t;
}

static void height_fields(void **state)
{
    (void)state;
    static const tml_shape_type others[] = {TML_SHAPE_SPHERE, TML_SHAPE_BOX, TML_SHAPE_CAPSULE,
                                            TML_SHAPE_MESH, TML_SHAPE_CYLINDER};
    const int samples = less_if_slow("300 samples with differences") ? 25 : 60;
    rng r = rng_seed(7);
    for (int m = 0; m < 5; m++) {
        bool swap;
        const tmli_pair_type *type = tmli_pair_find(TML_SHAPE_HEIGHT_FIELD, others[m], &swap);
        int touching = 0, concave = 0, edges = 0, circles = 0, fading = 0;
        assert_non_null(type);
        for (int i = 0; i < samples; i++) {
            sample s = random_sample(&r, type, false);
            s.shape[0].terrain = random_terrain(&r);
            s.shape[1].radius = rng_range(&r, 0.1, 0.2);
            if (others[m] == TML_SHAPE_CYLINDER) {
                assert_int_equal(tmli_shape_set_core(&s.shape[1], &arena, NULL), TML_OK);
                ((tmli_polytope *)s.shape[1].core)->rounding = 0.02;
            }
            assert_int_equal(tmli_shape_set_samples(&s.shape[1], 0.4, 0, &arena, NULL), TML_OK);
            // above a point of the field, also beyond its edge
            const tmli_place x = tmli_shape_place(&s.shape[0], &s.pose[0]),
                             y = tmli_shape_place(&s.shape[1], &s.pose[1]);
            const double up = others[m] == TML_SHAPE_SPHERE     ? s.shape[1].radius - 0.05
                              : others[m] == TML_SHAPE_CYLINDER ? s.shape[1].radius
                                                                : rng_range(&r, 0.2, 0.4),
                         px = rng_range(&r, -1.8, 1.8), py = rng_range(&r, -1.5, 1.5);
            const vec3 own = v3(px, py, tmli_terrain_height(s.shape[0].terrain, px, py) + up),
                       to = v3_add(x.c, m3_mulv(&x.A, own));
            s.pose[1].r = v3_add(s.pose[1].r, v3_sub(to, y.c));
            tmli_contact_point k[TMLI_PAIR_POINTS];
            const int count = points_of(type, &s, k);
            int checked[2] = {0, 0};
            for (int j = 0; j < count; j++) {
                if (k[j].gap > -0.004 || k[j].gap < -0.3 || fabs(k[j].inverse) > 10) continue;
                if (k[j].fade.v > 0.99 || ++checked[k[j].feature == TMLI_FEATURE_CIRCLE] > 3) continue;
                const vec3 q = v3_sub(k[j].b, k[j].centre);  // of a circle that has no other minimum nearby
                if (k[j].feature == TMLI_FEATURE_CIRCLE && v3_dot(q, k[j].n) > -0.5 * k[j].rim) continue;
                touching++;
                concave += k[j].inverse < 0;
                circles += k[j].feature == TMLI_FEATURE_CIRCLE;
                fading += k[j].fade.v > 0.01;
                const vec3 place = m3_tmulv(&x.A, v3_sub(tmli_point_place(&k[j]), x.c));
                edges += fabs(place.x) > 1.7 - 0.2 || fabs(place.y) > 1.45 - 0.2;
                check_balance(type, &s, j);
                check_tangents(type, &s, j);
            }
        }
        if (touching < samples / 2) fail_msg("height field and %d touch %d times", others[m], touching);
        if (concave < 3 || edges < 1) fail_msg("%d in hollows, %d at edges", concave, edges);
        if (others[m] == TML_SHAPE_CYLINDER && (circles < 5 || fading < 2))
            fail_msg("%d circles touch, %d fade", circles, fading);
    }
}

// Where they are at rest friction and resistance are smooth.
static void at_rest(void **state)
{
    (void)state;
    rng r = rng_seed(6);
    bool swap;
    const tmli_pair_type *type = tmli_pair_find(TML_SHAPE_PLANE, TML_SHAPE_SPHERE, &swap);
    for (int m = 0; m < SAMPLES; m++) {
        sample s = random_sample(&r, type, false);
        tmli_contact_point k[TMLI_PAIR_POINTS];
        points_of(type, &s, k);
        memset(s.u, 0, sizeof s.u);
        if (k[0].gap < -0.01) check_tangents(type, &s, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_pairs), cmocka_unit_test(rectangles),
                                       cmocka_unit_test(profiles), cmocka_unit_test(height_fields),
                                       cmocka_unit_test(at_rest)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    tmli_arena_clear(&arena);
    return failed;
}
