// Convex hulls of points and the cores made from them.
#include "element/convex/hull.h"
#include "element/convex/polytope.h"
#include "support/support.h"

static vec3 random_vec(rng *r, double size)
{
    return v3(rng_range(r, -size, size), rng_range(r, -size, size), rng_range(r, -size, size));
}

// Euler's formula, every edge between two triangles, and no point outside.
static void check_hull(const tmli_hull *h, const vec3 *p, int count, double near)
{
    assert_int_equal(h->ntriangles, 2 * h->ncorners - 4);
    for (int f = 0; f < h->ntriangles; f++) {
        const int *t = h->triangle[f];
        const vec3 n = v3_cross(v3_sub(p[t[1]], p[t[0]]), v3_sub(p[t[2]], p[t[0]]));
        for (int k = 0; k < 3; k++) {
            int twins = 0;
            for (int g = 0; g < 3 * h->ntriangles; g++)
                twins += h->triangle[g / 3][g % 3] == t[(k + 1) % 3] &&
                         h->triangle[g / 3][(g % 3 + 1) % 3] == t[k];
            assert_int_equal(twins, 1);
        }
        for (int i = 0; i < count; i++)
            assert_true(v3_dot(n, v3_sub(p[i], p[t[0]])) <= near * v3_norm(n) + 1e-15);
    }
}

static void random_points(void **state)
{
    (void)state;
    rng r = rng_seed(11);
    for (int m = 0; m < 40; m++) {
        vec3 p[60];
        tmli_hull h;
        for (int i = 0; i < 60; i++) p[i] = random_vec(&r, 1);
        assert_int_equal(tmli_hull_build(p, 60, 60, 1e-12, NULL, &h, NULL), TML_OK);
        check_hull(&h, p, 60, 1e-12);
        CHECK_SMALL(h.left, 0);
        tmli_hull_clear(&h, NULL);
    }
}

// The corners that stand out farthest come first; what is left out is said.
static void few_corners(void **state)
{
    (void)state;
    rng r = rng_seed(12);
    vec3 p[500];
    tmli_hull h;
    for (int i = 0; i < 500; i++) {
        p[i] = random_vec(&r, 1);
        p[i] = v3_scale(1 / v3_norm(p[i]), p[i]);
    }
    assert_int_equal(tmli_hull_build(p, 500, 100, 1e-9, NULL, &h, NULL), TML_OK);
    assert_int_equal(h.ncorners, 100);
    check_hull(&h, p, 500, h.left);
    // a cap of the share 1/100 of a sphere is 0.02 high; the corners are not spread that evenly
    assert_true(h.left > 0.005 && h.left < 0.06);
    tmli_hull_clear(&h, NULL);
}

static void in_a_plane(void **state)
{
    (void)state;
    tml_error err = {0};
    tmli_hull h;
    vec3 p[20];
    rng r = rng_seed(13);
    for (int i = 0; i < 20; i++) {
        p[i] = random_vec(&r, 1);
        p[i].z = 0.3 * p[i].x - 0.2;
    }
    assert_int_equal(tmli_hull_build(p, 20, 20, 1e-9, NULL, &h, &err), TML_ERR_MODEL);
    assert_non_null(strstr(err.msg, "in a plane"));
    assert_int_equal(tmli_hull_build(p, 3, 20, 1e-9, NULL, &h, &err), TML_ERR_MODEL);
    assert_non_null(strstr(err.msg, "four points"));
}

// A box as a grid of points on its faces, in single precision and turned, has the core of a box.
static void box_of_points(void **state)
{
    (void)state;
    tmli_arena arena = {0};
    tmli_polytope core, want;
    tmli_hull_loss loss;
    vec3 p[343], centre;
    int n = 0;
    const double h[3] = {0.31, 0.22, 0.53};
    const mat3 R = q_matrix(q_normalize((quat){0.3, -0.5, 0.7, 0.1}));
    for (int i = 0; i < 343; i++) {
        const int k[3] = {i % 7, i / 7 % 7, i / 49};
        const vec3 own = v3((k[0] / 3.0 - 1) * h[0], (k[1] / 3.0 - 1) * h[1], (k[2] / 3.0 - 1) * h[2]);
        const vec3 x = v3_add(v3(2, 3, -1), m3_mulv(&R, own));
        p[n++] = v3((float)x.x, (float)x.y, (float)x.z);
    }
    assert_int_equal(tmli_polytope_hull(p, n, &arena, &core, &centre, &loss, NULL), TML_OK);
    assert_int_equal(tmli_polytope_box(h, false, &arena, &want, NULL), TML_OK);
    assert_int_equal(core.nvertices, 8);
    assert_int_equal(core.nedges, 12);
    assert_int_equal(core.nfaces, 6);
    CHECK_CLOSE(core.rounding, want.rounding, 1e-7);
    CHECK_SMALL(v3_norm(v3_sub(centre, v3(2, 3, -1))), 1e-6);
    CHECK_CLOSE(loss.hollow, 0.22, 1e-5);  // the point in the middle
    rng r = rng_seed(14);
    for (int i = 0; i < 300; i++) {  // equal distances from both
        const vec3 x = random_vec(&r, 1);
        const tmli_nearest_point a = tmli_polytope_nearest(&want, x),
                                 b = tmli_polytope_nearest(&core, m3_mulv(&R, x));
        CHECK_CLOSE(a.distance, b.distance, 2e-6);
        assert_true(tmli_polytope_bound_distance(&want, x) <= a.distance + 1e-12);
        if (a.distance > 0.01) CHECK_SMALL(v3_norm(v3_sub(m3_mulv(&R, a.n), b.n)), 1e-4);
    }
    tmli_arena_clear(&arena);
}

// The point of a core at the distance and along the normal is in it, and no vertex is nearer along n.
static void nearest_points(void **state)
{
    (void)state;
    rng r = rng_seed(15);
    tmli_arena arena = {0};
    for (int m = 0; m < 20; m++) {
        tmli_polytope P;
        tmli_hull_loss loss;
        vec3 p[30], centre;
        for (int i = 0; i < 30; i++) p[i] = random_vec(&r, 1);
        assert_int_equal(tmli_polytope_hull(p, 30, &arena, &P, &centre, &loss, NULL), TML_OK);
        // the rounded core reaches the faces of the hull, and nothing of it is beyond them
        for (int i = 0; i < 200; i++) {
            const vec3 x = random_vec(&r, 2);
            const tmli_nearest_point k = tmli_polytope_nearest(&P, x);
            if (k.distance <= 0) continue;
            const vec3 foot = v3_axpy(-k.distance, k.n, x);
            double most = -INFINITY;
            for (int j = 0; j < P.nvertices; j++) most = fmax(most, v3_dot(k.n, P.vertex[j]));
            CHECK_CLOSE(v3_dot(k.n, foot), most, 2e-5);  // n is a normal of the core there
            CHECK_SMALL(fmax(tmli_polytope_bound_distance(&P, foot), 0), 2e-5);
        }
    }
    tmli_arena_clear(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_points), cmocka_unit_test(few_corners),
                                       cmocka_unit_test(in_a_plane), cmocka_unit_test(box_of_points),
                                       cmocka_unit_test(nearest_points)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
