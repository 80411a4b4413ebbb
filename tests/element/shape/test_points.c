// Points of contact of each pair of shapes, by hand.
#include "element/shape/manifold.h"
#include "support/support.h"

#define HALF 0.70710678118654752440  // its square is 1/2

static const mat3 upright = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
static const mat3 along_x = {{0, 0, 1, 0, 1, 0, -1, 0, 0}};  // z of the shape is x
static const mat3 along_y = {{1, 0, 0, 0, 0, 1, 0, -1, 0}};  // z of the shape is y

static const tmli_shape sphere = {.type = TML_SHAPE_SPHERE, .radius = 0.3};
static const tmli_shape plane = {.type = TML_SHAPE_PLANE};
static tmli_shape box = {.type = TML_SHAPE_BOX, .half = {0.2, 0.5, 0.7}};
static tmli_shape cube = {.type = TML_SHAPE_BOX, .half = {0.5, 0.5, 0.5}};
static const mat3 about_y = {{HALF, 0, HALF, 0, 1, 0, -HALF, 0, HALF}};  // by 45 degrees
static const mat3 about_x = {{1, 0, 0, 0, HALF, -HALF, 0, HALF, HALF}};
static tmli_shape capsule = {.type = TML_SHAPE_CAPSULE, .radius = 0.1, .half = {0, 0, 0.6}};
static const tmli_shape cylinder = {.type = TML_SHAPE_CYLINDER, .radius = 0.4, .half = {0, 0, 0.9}};

static tmli_shape wedge = {.type = TML_SHAPE_MESH};  // z from 0 to 1, an edge along y at the top
static tmli_arena arena;

static int set_cores(void **state)
{
    (void)state;
    static tmli_polytope core;
    const vec3 corner[] = {{-1, -1, 0}, {1, -1, 0}, {-1, 1, 0}, {1, 1, 0}, {0, -1, 1}, {0, 1, 1}};
    tmli_shape *const all[] = {&box, &cube, &capsule};
    tmli_hull_loss loss;
    for (int i = 0; i < 3; i++)
        if (tmli_shape_set_core(all[i], &arena, NULL) != TML_OK) return 1;
    wedge.core = &core;
    return tmli_polytope_hull(corner, 6, &arena, &core, &wedge.s, &loss, NULL);
}

static int clear_cores(void **state)
{
    (void)state;
    tmli_arena_clear(&arena);
    return 0;
}

typedef struct expectation {
    const tmli_shape *X, *Y;
    const mat3 *AX, *AY;
    vec3 at;  // of Y; X is at the origin
    int point;
    double gap;
    vec3 n, p;
} expectation;

enum { ANY = -1 };  // the points of a pair with one mode have no order

static tmli_place place_at(const tmli_shape *s, vec3 at, const mat3 *A)
{
    return (tmli_place){v3_add(at, m3_mulv(A, s->s)), *A};
}

static void by_hand(void **state)
{
    (void)state;
    const expectation all[] = {
        {&sphere, &sphere, &upright, &upright, {0.5, 0, 0}, 0, -0.1, {1, 0, 0}, {0.25, 0, 0}},
        {&plane, &sphere, &upright, &upright, {3, 4, 0.25}, 0, -0.05, {0, 0, 1}, {3, 4, -0.025}},
        // the plane x = 0, its normal is x
        {&plane, &sphere, &along_x, &upright, {0.4, 1, 2}, 0, 0.1, {1, 0, 0}, {0.05, 1, 2}},
        {&plane, &capsule, &upright, &along_x, {1, 0, 0.08}, 0, -0.02, {0, 0, 1}, {0.4, 0, -0.01}},
        {&plane, &capsule, &upright, &along_x, {1, 0, 0.08}, 1, -0.02, {0, 0, 1}, {1.6, 0, -0.01}},
        {&plane, &capsule, &upright, &upright, {1, 0, 0.65}, 0, -0.05, {0, 0, 1}, {1, 0, -0.025}},
        // beside the middle of a capsule, and beyond its end
        {&capsule, &sphere, &upright, &upright, {0.38, 0, 0.5}, 0, -0.02, {1, 0, 0}, {0.09, 0, 0.5}},
        {&capsule, &sphere, &upright, &upright, {0, 0, 0.98}, 0, -0.02, {0, 0, 1}, {0, 0, 0.69}},
        // crossing, side by side beyond the ends, end to end
        {&capsule, &capsule, &along_x, &along_y, {0.2, 0.3, 0.18}, 0, -0.02, {0, 0, 1}, {0.2, 0, 0.09}},
        {&capsule, &capsule, &upright, &upright, {0, 0, 1.39}, 0, -0.01, {0, 0, 1}, {0, 0, 0.695}},
        {&plane, &box, &upright, &upright, {1, 2, 0.69}, 0, -0.01, {0, 0, 1}, {0.8, 1.5, -0.005}},
        {&plane, &box, &upright, &upright, {1, 2, 0.69}, 3, -0.01, {0, 0, 1}, {1.2, 2.5, -0.005}},
        {&plane, &box, &upright, &upright, {1, 2, 0.69}, 4, 1.39, {0, 0, 1}, {0.8, 1.5, 0.695}},
        // beside a face, an edge, a corner of a box, and inside of it
        {&box, &sphere, &upright, &upright, {-0.4, 0.1, 0.2}, 0, -0.1, {-1, 0, 0}, {-0.15, 0.1, 0.2}},
        {&box, &sphere, &upright, &upright, {0.4, 0.7, 0}, 0, 0.2 / HALF - 0.3, {HALF, HALF, 0}, {0, 0, 0}},
        {&box,
         &sphere,
         &upright,
         &upright,
         {0.3, 0.6, 0.8},
         0,
         0.17320508075688773 - 0.3,
         {0.57735026918962576, 0.57735026918962576, 0.57735026918962576},
         {0, 0, 0}},
        {&box, &sphere, &upright, &upright, {0.15, 0.1, 0.2}, 0, -0.35, {1, 0, 0}, {0.025, 0.1, 0.2}},
        // a corner of the second box in the top of the first, and a corner of the first in the second; the
        // points are at the vertices of the cores, 0.002 m inside
        {&box, &box, &upright, &upright, {0.1, 0.3, 1.39}, ANY, -0.01, {0, 0, 1}, {-0.098, -0.198, 0.695}},
        {&box, &box, &upright, &upright, {0.1, 0.3, 1.39}, ANY, -0.01, {0, 0, -1}, {0.198, 0.498, 0.695}},
        // edges that cross, rounded by 0.005 m: 2 (sqrt(2) - 1) 0.005 m less deep
        {&cube,
         &cube,
         &about_y,
         &about_x,
         {0.1, 0.2, 2 * HALF - 0.02},
         ANY,
         -0.02 + 0.01 * (2 * HALF - 1),
         {0, 0, 1},
         {0, 0.2, HALF - 0.01}},
        // beams across each other: four crossings
        {&box, &box, &along_y, &along_x, {0, 0, 0.69}, ANY, -0.01, {0, 0, 1}, {0.198, 0.498, 0.495}},
        // a capsule on a box: its ends, and where it is longer, the edges of the box
        {&box, &capsule, &along_x, &along_y, {0.1, -0.1, 0.29}, ANY, -0.01, {0, 0, 1}, {0.1, 0.498, 0.195}},
        {&box, &capsule, &along_x, &along_x, {0.05, -0.1, 0.29}, ANY, -0.01, {0, 0, 1}, {0.65, -0.1, 0.195}},
        {&wedge, &capsule, &upright, &along_x, {0.05, 0, -0.09}, ANY, -0.01, {0, 0, -1}, {0.65, 0, 0.005}},
        // the faces of a wedge, through the centre of its top edge and of its slant
        {&wedge, &sphere, &upright, &upright, {0, 0, -0.29}, 0, -0.01, {0, 0, -1}, {0, 0, 0.005}},
        {&wedge,
         &sphere,
         &upright,
         &upright,
         {0.5 + 0.29 * HALF, 0, 0.5 + 0.29 * HALF},
         0,
         -0.01,
         {HALF, 0, HALF},
         {0.5 - 0.005 * HALF, 0, 0.5 - 0.005 * HALF}},
        // a lying cylinder touches with its radius at both ends; the side, the end, the rim beside a sphere
        {&plane, &cylinder, &upright, &along_x, {0, 0, 0.38}, 0, -0.02, {0, 0, 1}, {-0.9, 0, -0.01}},
        {&plane, &cylinder, &upright, &along_x, {0, 0, 0.38}, 1, -0.02, {0, 0, 1}, {0.9, 0, -0.01}},
        {&plane, &cylinder, &upright, &upright, {0, 0, 0.89}, 0, -0.01, {0, 0, 1}, {0, 0, -0.005}},
        {&cylinder, &sphere, &upright, &upright, {0, 0.6, 0.3}, 0, -0.1, {0, 1, 0}, {0, 0.35, 0.3}},
        {&cylinder, &sphere, &upright, &upright, {0.1, 0.2, -1.15}, 0, -0.05, {0, 0, -1}, {0.1, 0.2, -0.875}},
        {&cylinder,
         &sphere,
         &upright,
         &upright,
         {0.5, 0, 1},
         0,
         0.1 / HALF - 0.3,
         {HALF, 0, HALF},
         {0, 0, 0}},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const expectation *e = &all[i];
        bool swap;
        const tmli_pair_type *type = tmli_pair_find(e->X->type, e->Y->type, &swap);
        tmli_contact_point k[TMLI_PAIR_POINTS];
        assert_true(type && !swap);
        const tmli_place x = place_at(e->X, v3(0, 0, 0), e->AX), y = place_at(e->Y, e->at, e->AY);
        const int count = tmli_pair_points(type, e->X, &x, e->Y, &y, k);
        const bool place = v3_norm(e->p) > 0;
        const tmli_contact_point *found = &k[e->point == ANY ? 0 : e->point];
        for (int m = 0; m < count && e->point == ANY; m++)  // the one nearest to what is expected
            if (v3_norm(v3_sub(tmli_point_place(&k[m]), e->p)) + v3_norm(v3_sub(k[m].n, e->n)) <
                v3_norm(v3_sub(tmli_point_place(found), e->p)) + v3_norm(v3_sub(found->n, e->n)))
                found = &k[m];
        const vec3 p = tmli_point_place(found);
        if (!(fabs(found->gap - e->gap) < 1e-12) || !(v3_norm(v3_sub(found->n, e->n)) < 1e-12) ||
            (place && !(v3_norm(v3_sub(p, e->p)) < 1e-12)))
            fail_msg("%zu: gap %.9g, expected %.9g; n %g %g %g, p %g %g %g", i, found->gap, e->gap,
                     found->n.x, found->n.y, found->n.z, p.x, p.y, p.z);
    }
}

// No pair of a plane and a plane; the order of the types does not matter.
static void order(void **state)
{
    (void)state;
    bool swap;
    assert_null(tmli_pair_find(TML_SHAPE_PLANE, TML_SHAPE_PLANE, &swap));
    assert_null(tmli_pair_find(TML_SHAPE_BOX, TML_SHAPE_TORUS, &swap));
    const tmli_pair_type *type = tmli_pair_find(TML_SHAPE_SPHERE, TML_SHAPE_PLANE, &swap);
    assert_true(type && swap && type->first == TML_SHAPE_PLANE);
}

// Rims that are rounded leave side and ends where they are, and cut off the rim: at 45 degrees by the
// rounding times sqrt(2) - 1.
static void rounded_rims(void **state)
{
    (void)state;
    const tmli_place x = {v3(0, 0, 0), upright};
    const double m = 0.07, radius = 0.02;
    const vec3 side = v3(0.3, 0.4, -0.2), end = v3(0.1, 0.2, -1.15), rim = v3(0.4 + 0.3, 0, 0.9 + 0.3);
    CHECK_CLOSE(tmli_cylinder_beside(&cylinder, &x, m, side, radius).gap, 0.5 - 0.4 - radius, 1e-15);
    CHECK_CLOSE(tmli_cylinder_beside(&cylinder, &x, m, end, radius).gap, 1.15 - 0.9 - radius, 1e-15);
    const double sharp = tmli_cylinder_beside(&cylinder, &x, 0, rim, radius).gap;
    CHECK_CLOSE(sharp, 0.3 / HALF - radius, 1e-15);
    CHECK_CLOSE(tmli_cylinder_beside(&cylinder, &x, m, rim, radius).gap, sharp + m * (1 / HALF - 1), 1e-15);
}

// Of more points than a pair has room for, the deepest are kept.
static void deepest_points(void **state)
{
    (void)state;
    enum { MORE = 3 * TMLI_PAIR_POINTS };
    tmli_contact_point out[TMLI_PAIR_POINTS];
    tmli_manifold m = {.out = out, .gap = INFINITY};
    for (int i = 0; i < MORE; i++) {  // gaps -1 ... -MORE, in another order: 7 and MORE have no common factor
        const tmli_contact_point k = {.gap = -1.0 - 7 * i % MORE};
        tmli_manifold_put(&m, &k);
    }
    assert_int_equal(tmli_manifold_count(&m), TMLI_PAIR_POINTS);
    for (int i = 0; i < TMLI_PAIR_POINTS; i++) {
        assert_true(out[i].gap < -(MORE - TMLI_PAIR_POINTS));
        for (int k = 0; k < i; k++) assert_true(out[i].gap != out[k].gap);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(order),
                                       cmocka_unit_test(rounded_rims), cmocka_unit_test(deepest_points)};
    return cmocka_run_group_tests(tests, set_cores, clear_cores);
}
