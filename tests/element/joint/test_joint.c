// The joint catalogue: what each joint allows closes its rows, what it forbids opens them, its rows are
// independent, and its coordinates read the motion it allows.
#include "element/joint/joint.h"
#include "support/support.h"

enum { SAMPLES = 20 };
static const double pi = 3.14159265358979323846;

typedef struct relative {  // pose of marker b in marker a
    vec3 d;
    quat p;
    double angle, distance, angle2;  // what the coordinates must read
} relative;

static double any(rng *r) { return rng_range(r, -1.3, 1.3); }
static quat about(int axis, double x)
{
    return tmli_so3_exp(v3(axis == 0 ? x : 0, axis == 1 ? x : 0, axis == 2 ? x : 0));
}

static quat random_turn(rng *r)
{
    const double a = any(r), b = any(r), c = any(r);
    return q_normalize((quat){rng_range(r, 0.2, 1), a, b, c});
}

static relative allowed(tml_joint_type type, rng *r)
{
    const double a = any(r), b = any(r), x = any(r), y = any(r), z = any(r);
    const quat one = {1, 0, 0, 0};
    switch (type) {
    case TML_JOINT_FIXED: return (relative){.p = one};
    case TML_JOINT_REVOLUTE: return (relative){.p = about(2, a), .angle = a};
    case TML_JOINT_PRISMATIC: return (relative){.d = v3(0, 0, z), .p = one, .distance = z};
    case TML_JOINT_SCREW:
    case TML_JOINT_CYLINDRICAL:
        return (relative){.d = v3(0, 0, z), .p = about(2, a), .angle = a, .distance = z};
    case TML_JOINT_SPHERICAL: return (relative){.p = random_turn(r)};
    case TML_JOINT_UNIVERSAL:
        return (relative){.p = q_mul(about(0, a), about(1, b)), .angle = a, .angle2 = b};
    case TML_JOINT_CONSTANT_VELOCITY: return (relative){.p = tmli_so3_exp(v3(a, b, 0))};
    case TML_JOINT_PLANAR: return (relative){.d = v3(x, y, 0), .p = about(2, a), .angle = a};
    case TML_JOINT_POINT_ON_LINE: return (relative){.d = v3(0, 0, z), .p = random_turn(r), .distance = z};
    case TML_JOINT_POINT_ON_PLANE: return (relative){.d = v3(x, y, 0), .p = random_turn(r)};
    case TML_JOINT_DISTANCE: {
        const vec3 d = v3(x, y, z + 2);
        return (relative){.d = d, .p = random_turn(r), .distance = v3_norm(d)};
    }
    case TML_JOINT_PARALLEL: return (relative){.d = v3(x, y, z), .p = about(2, a), .angle = a};
    default:
        return (relative){.d = v3(x, y, z), .p = q_mul(q_mul(about(2, a), about(0, pi / 2)), about(2, b))};
    }
}

static const int row_count[] = {
    [TML_JOINT_FIXED] = 6,
    [TML_JOINT_REVOLUTE] = 5,
    [TML_JOINT_PRISMATIC] = 5,
    [TML_JOINT_CYLINDRICAL] = 4,
    [TML_JOINT_SPHERICAL] = 3,
    [TML_JOINT_UNIVERSAL] = 4,
    [TML_JOINT_CONSTANT_VELOCITY] = 4,
    [TML_JOINT_PLANAR] = 3,
    [TML_JOINT_POINT_ON_LINE] = 2,
    [TML_JOINT_POINT_ON_PLANE] = 1,
    [TML_JOINT_DISTANCE] = 1,
    [TML_JOINT_PARALLEL] = 2,
    [TML_JOINT_PERPENDICULAR] = 1,
    [TML_JOINT_SCREW] = 5,
};

typedef struct sample {
    tmli_marker a, b;
    tmli_pose A, B;
    relative rel;
    double length, pitch;
    tmli_joint_rows j;
} sample;

static tmli_marker random_marker(rng *r, int body)
{
    return (tmli_marker){.body = body, .s = v3(any(r), any(r), any(r)), .C = q_matrix(random_turn(r))};
}

// Body A anywhere, both markers anywhere, body B where the relative pose of the markers wants it.
static sample random_sample(rng *r, tml_joint_type type)
{
    sample s = {.a = random_marker(r, 0), .b = random_marker(r, 1), .rel = allowed(type, r), .pitch = 0.83};
    s.A = (tmli_pose){v3(any(r), any(r), any(r)), q_matrix(random_turn(r))};
    const mat3 E_a = m3_mul(&s.A.R, &s.a.C), turn = q_matrix(s.rel.p), E_b = m3_mul(&E_a, &turn);
    const mat3 Ct = m3_transpose(&s.b.C);
    s.B.R = m3_mul(&E_b, &Ct);
    const vec3 P = v3_add(v3_add(s.A.r, m3_mulv(&s.A.R, s.a.s)), m3_mulv(&E_a, s.rel.d));
    s.B.r = v3_sub(P, m3_mulv(&s.B.R, s.b.s));
    s.length = v3_norm(s.rel.d);
    tml_joint_def def = tml_joint_def_default();
    def.type = type;
    def.length = s.length;
    def.pitch = s.pitch;
    tmli_joint_build(&def, &s.a, &s.b, &s.j);
    if (type == TML_JOINT_SCREW) s.j.target[4] = s.rel.distance - s.pitch / (2 * pi) * s.rel.angle;
    return s;
}

static void rows_of(const sample *s, double phi[6], double B[6][12])
{
    for (int r = 0; r < s->j.nrows; r++) phi[r] = -s->j.target[r];
    memset(B, 0, 6 * sizeof B[0]);
    for (int k = 0; k < s->j.nterms; k++) {
        const tmli_term *t = &s->j.term[k];
        double g[12];
        phi[t->row] += t->coef * tmli_measure_grad(&t->measure, &s->A, &s->B, g);
        for (int i = 0; i < 12; i++) B[t->row][i] += t->coef * g[i];
    }
}

static double least_pivot(int m, double B[6][12], int from, int to)
{
    double least = INFINITY;
    for (int k = 0; k < m; k++) {
        int row = k, col = from;
        for (int i = k; i < m; i++)
            for (int j = from; j < to; j++)
                if (fabs(B[i][j]) > fabs(B[row][col])) {
                    row = i;
                    col = j;
                }
        double pivot[12];
        memcpy(pivot, B[row], sizeof pivot);
        memcpy(B[row], B[k], sizeof pivot);
        memcpy(B[k], pivot, sizeof pivot);
        least = fmin(least, fabs(pivot[col]));
        for (int i = k + 1; i < m; i++) {
            const double f = B[i][col] / pivot[col];
            for (int j = from; j < to; j++) B[i][j] -= f * pivot[j];
        }
    }
    return least;
}

static void closed(void **state)
{
    (void)state;
    rng r = rng_seed(515);
    for (int type = 0; type < TML_JOINT_GEAR; type++)
        for (int k = 0; k < SAMPLES; k++) {
            const sample s = random_sample(&r, (tml_joint_type)type);
            double phi[6], B[6][12];
            assert_int_equal(s.j.nrows, row_count[type]);
            rows_of(&s, phi, B);
            for (int i = 0; i < s.j.nrows; i++)
                if (!(fabs(phi[i]) < 1e-14))
                    fail_msg("type %d, row %d: %g", type, i, phi[i]);  // products of numbers near 1
            for (int side = 0; side < 2; side++) {
                rows_of(&s, phi, B);
                const double least = least_pivot(s.j.nrows, B, 6 * side, 6 * side + 6);
                if (!(least > 1e-3)) fail_msg("type %d: rows are dependent, pivot %g", type, least);
            }
        }
}

// No motion that the joint allows changes its rows, and the rest of the six motions of b against a does: rank
// and the count of free motions add up to 6 (with `closed`), and finite motions keep Phi = 0 (two allowed
// poses, same markers).
static void forbidden(void **state)
{
    (void)state;
    rng r = rng_seed(2029);
    for (int type = 0; type < TML_JOINT_GEAR; type++)
        for (int k = 0; k < SAMPLES; k++) {
            sample s = random_sample(&r, (tml_joint_type)type);
            const quat p = random_turn(&r);
            const mat3 Q = q_matrix(p);
            double phi[6], B[6][12], most = 0;
            s.B.R = m3_mul(&s.B.R, &Q);
            s.B.r = v3_add(s.B.r, v3(0.31 + fabs(any(&r)), any(&r), any(&r)));
            rows_of(&s, phi, B);
            for (int i = 0; i < s.j.nrows; i++) most = fmax(most, fabs(phi[i]));
            if (!(most > 1e-4)) fail_msg("type %d: an arbitrary pose closes the joint", type);
        }
}

static void coordinates(void **state)
{
    (void)state;
    rng r = rng_seed(3331);
    int seen = 0;
    for (int type = 0; type < TML_JOINT_GEAR; type++)
        for (int k = 0; k < SAMPLES; k++) {
            const sample s = random_sample(&r, (tml_joint_type)type);
            for (int c = 0; c < s.j.ncoords; c++) {
                const char *name = s.j.coord[c].suffix;
                const double value = tmli_measure_value(&s.j.coord[c].measure, &s.A, &s.B);
                const double want = strcmp(name, "angle") == 0 || strcmp(name, "angle1") == 0 ? s.rel.angle
                                    : strcmp(name, "angle2") == 0                             ? s.rel.angle2
                                    : strcmp(name, "distance") == 0                           ? s.rel.distance
                                    : strcmp(name, "px") == 0                                 ? s.rel.d.x
                                                                                              : s.rel.d.y;
                if (!(fabs(value - want) < 1e-13))
                    fail_msg("type %d: %s = %g, expected %g", type, name, value, want);
                assert_string_equal(s.j.coord[c].unit, strncmp(name, "angle", 5) == 0 ? "rad" : "m");
                seen++;
            }
        }
    assert_int_equal(seen, 16 * SAMPLES);
}

static void couplers_have_no_rows(void **state)
{
    (void)state;
    rng r = rng_seed(9);
    const tmli_marker a = random_marker(&r, 0), b = random_marker(&r, 1);
    for (int type = TML_JOINT_GEAR; type <= TML_JOINT_DRIVER; type++) {
        tmli_joint_rows j;
        tml_joint_def def = tml_joint_def_default();
        def.type = (tml_joint_type)type;
        def.length = def.pitch = 1;
        tmli_joint_build(&def, &a, &b, &j);
        assert_int_equal(j.nrows + j.nterms + j.ncoords, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(closed), cmocka_unit_test(forbidden),
                                       cmocka_unit_test(coordinates),
                                       cmocka_unit_test(couplers_have_no_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
