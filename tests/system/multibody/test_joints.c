// Joints of models: closed at the start, independent rows, reactions in balance with forces.
#include "system/multibody_fixture.h"

static bool is_joint(const subject *k)
{
    return k->add == mb_add_joint && k->detail != TML_JOINT_PERPENDICULAR;
}

// Smallest pivot of an elimination of the rows with full pivoting.
static double least_pivot(int m, int n, double *B)
{
    double least = INFINITY;
    bool used[MB_N] = {0};
    for (int k = 0; k < m; k++) {
        int row = k, col = -1;
        for (int i = k; i < m; i++)
            for (int j = 0; j < n; j++)
                if (!used[j] && (col < 0 || fabs(B[i * n + j]) > fabs(B[row * n + col]))) {
                    row = i;
                    col = j;
                }
        used[col] = true;
        for (int j = 0; j < n; j++) {
            const double swap = B[k * n + j];
            B[k * n + j] = B[row * n + j];
            B[row * n + j] = swap;
        }
        least = fmin(least, fabs(B[k * n + col]));
        for (int i = k + 1; i < m; i++) {
            const double f = B[i * n + col] / B[k * n + col];
            for (int j = 0; j < n; j++) B[i * n + j] -= f * B[k * n + j];
        }
    }
    return least;
}

// A joint placed by point and axis is closed at the start, whatever the poses of its bodies, and its rows are
// independent, in the coordinates of either body alone.
static void closed_and_independent(void **state)
{
    (void)state;
    for (int i = 0; i < MB_SUBJECTS; i++)
        for (int place = 0; place < 3; place++)
            for (int planar = 0; planar <= mb_subjects[i].plane; planar++) {
                if (!is_joint(&mb_subjects[i])) continue;
                mb *s = mb_open(&mb_subjects[i], place, planar, true, (uint64_t)(611 + 7 * i + place));
                double phi[MB_NM], motion[MB_N], B[MB_NM * MB_N];
                tml_error err = {0};
                assert_int_equal(s->ops->residual(s->self, s->w, s->x, NULL, motion, phi, &err), TML_OK);
                CHECK_SMALL(mb_largest(phi, s->m), 1e-14);  // products of a few numbers near 1
                for (int only = -1; only < 2; only++) {
                    mb_rows_dense(s, s->x, B);
                    bool present = only < 0;
                    for (int j = 0; j < s->n; j++)
                        for (int r = 0; r < s->m; r++) {
                            if (s->sys->node[j] == only) present = present || B[r * s->n + j] != 0;
                            else if (only >= 0) B[r * s->n + j] = 0;
                        }
                    const double least = present ? least_pivot(s->m, s->n, B) : 1;
                    if (!(least > 0.02)) fail_msg("%s: rows are dependent, pivot %g", s->name, least);
                }
                mb_close(s);
            }
}

// ---- reactions --------------------------------------------------------------------------------------------

// -B' lambda is the wrench `reaction` on b's body at b's marker and its opposite on a's body, for any lambda.
// Closed joints only: the rows of a common point are along inertial axes, and balanced where the points are
// one.
static void check_balance(mb *s, rng *r)
{
    const tml_model *m = s->model;
    const tmli_constraint *c = &m->constraint[0];
    tmli_work *w = s->w;
    double B[MB_NM * MB_N], out[6], Q[MB_N] = {0};
    for (int i = 0; i < s->m; i++) s->x->lambda[i] = rng_range(r, -8, 8);
    mb_rows_dense(s, s->x, B);
    for (int i = 0; i < s->m; i++)
        for (int j = 0; j < s->n; j++) Q[j] -= B[i * s->n + j] * s->x->lambda[i];
    tmli_mb_set_poses(m, w, s->x->q);
    tmli_mb_reaction(m, w, s->x, c, out);
    const int a = m->measure_use[c->term[0].use].node[0], b = c->node_b;
    assert_int_equal(b, m->measure_use[c->term[0].use].node[1]);
    const tmli_pose *pose_b = tmli_pose_of(w->pose, b);
    const vec3 at = v3_add(pose_b->r, m3_mulv(&pose_b->R, c->s_b)), force = v3_from(out),
               moment = v3_from(out + 3);
    for (int side = 0; side < 2; side++) {
        const int node = side ? b : a;
        const double sign = side ? 1 : -1;
        if (node < 0) continue;
        const tmli_pose *P = &w->pose[node];
        double want[6];
        v3_store(v3_scale(sign, force), want);
        const vec3 about = v3_add(moment, v3_cross(v3_sub(at, P->r), force));
        v3_store(m3_tmulv(&P->R, v3_scale(sign, about)), want + 3);
        for (int i = 0; i < m->node[node].ncoords; i++)
            if (!(fabs(Q[m->node[node].first + i] - want[i]) <= 1e-12))  // sums of a few products up to 1e2
                fail_msg("%s: side %d, component %d: %g, expected %g", s->name, side, i,
                         Q[m->node[node].first + i], want[i]);
    }
}

static void balance(void **state)
{
    (void)state;
    rng r = rng_seed(8117);
    for (int i = 0; i < MB_SUBJECTS; i++)
        for (int place = 0; place < MB_PLACES; place++) {
            if (mb_subjects[i].add != mb_add_joint || !(mb_subjects[i].where >> place & 1)) continue;
            mb *s = mb_open(&mb_subjects[i], place, false, true, (uint64_t)(271 + 7 * i + place));
            check_balance(s, &r);
            mb_close(s);
        }
}

static double output(mb *s, const char *name)
{
    for (int i = 0; i < s->model->noutputs; i++)
        if (strcmp(s->model->output[i].name, name) == 0)
            return tmli_mb_expression(s->model, s->w, s->x, &s->model->output[i].value);
    fail_msg("no output %s", name);
    return 0;
}

// A body at rest on a fixed joint: the joint carries its weight. Reactions are those on the second body.
static void hanging(void **state)
{
    (void)state;
    const double mass = 2.31, g[3] = {1.3, -9.7, 2.9}, point[3] = {0.41, 0.77, -0.35},
                 centre[3] = {1.23, -0.54, 0.87};
    for (int order = 0; order < 2; order++) {
        tml_error err = {0};
        tml_spec *spec;
        assert_int_equal(tml_spec_create(NULL, &spec, &err), TML_OK);
        tml_spec_set_gravity(spec, g);
        tml_body_def body = tml_body_def_default();
        body.name = "load";
        body.mass = mass;
        memcpy(body.position, centre, sizeof centre);
        for (int i = 0; i < 3; i++) body.inertia[i] = 0.71 + 0.1 * i;
        q_store(q_normalize((quat){0.4, -0.3, 0.7, 0.2}), body.orientation);
        assert_int_equal(tml_spec_add_body(spec, &body, &err), TML_OK);
        tml_joint_def joint = tml_joint_def_default();
        joint.name = "hook";
        joint.type = TML_JOINT_FIXED;
        joint.a = order ? "load" : "ground";
        joint.b = order ? "ground" : "load";
        joint.has_point = joint.has_axis = true;
        memcpy(joint.point, point, sizeof point);
        joint.axis[0] = 0.3;
        joint.axis[1] = -1.2;
        joint.axis[2] = 0.8;
        assert_int_equal(tml_spec_add_joint(spec, &joint, &err), TML_OK);
        static const char *const names[6] = {"fx", "fy", "fz", "mx", "my", "mz"};
        for (int i = 0; i < 6; i++) {
            char value[16];
            snprintf(value, sizeof value, "hook.%s", names[i]);
            tml_output_def out = tml_output_def_default();
            out.name = names[i];
            out.value = value;
            assert_int_equal(tml_spec_add_output(spec, &out, &err), TML_OK);
        }
        mb *s = mb_open_spec(spec, "hanging");
        double A[MB_NM * MB_NM], b[MB_NM];
        assert_int_equal(s->m, 6);
        mb_assemble_dense(s, s->x, &(tml_assembly){.cm = 1}, A);
        assert_int_equal(s->ops->dynamics(s->self, s->w, s->x, b, b + 6, &err), TML_OK);
        assert_true(dense_solve(12, A, b) > 1e-6);
        for (int i = 0; i < 6; i++) CHECK_SMALL(b[i], 1e-13);  // it stays at rest
        memcpy(s->x->lambda, b + 6, 6 * sizeof(double));
        tmli_mb_set_poses(s->model, s->w, s->x->q);
        const double sign =
            order ? 1 : -1;  // the weight goes into the ground; the joint holds the load against it
        const vec3 weight = v3_scale(sign * mass, v3_from(g));
        const vec3 moment = v3_cross(v3_sub(v3_from(centre), v3_from(point)), weight);
        const double want[6] = {weight.x, weight.y, weight.z, moment.x, moment.y, moment.z};
        for (int i = 0; i < 6; i++) CHECK_CLOSE(output(s, names[i]), want[i], 1e-12);
        mb_close(s);
    }
}

static double coordinate(mb *s, const tml_state *x, int joint)
{
    tmli_mb_set_poses(s->model, s->w, x->q);
    return tmli_mb_measure_value(
        s->model, s->w, x, s->model->constraint[joint].coord[s->model->constraint[joint].ncoords - 1], NULL);
}

// first - ratio second keeps its value at the start; the coordinates coupled are the last of joints j and k.
static void couplers(void **state)
{
    (void)state;
    for (int i = 0; i < MB_SUBJECTS; i++) {
        if (mb_subjects[i].add != mb_add_coupler) continue;
        mb *s = mb_open(&mb_subjects[i], 0, false, true, (uint64_t)(733 + i));
        rng r = rng_seed(67);
        double phi[MB_NM], motion[MB_N];
        tml_error err = {0};
        const double first = coordinate(s, s->x, 0), second = coordinate(s, s->x, 1);
        mb_random_state(s, &r);
        assert_int_equal(s->ops->residual(s->self, s->w, s->x, NULL, motion, phi, &err), TML_OK);
        const double change = coordinate(s, s->x, 0) - first + 0.73 * (coordinate(s, s->x, 1) - second);
        assert_true(fabs(change) > 1e-3);
        CHECK_CLOSE(phi[s->m - 1], change, 1e-14 * 20);
        mb_close(s);
    }
}

// A driver that starts turns away from (-pi, pi] picks the turn of its angle, also for the gear or screw
// defined before it.
static void driven_from_afar(void **state)
{
    (void)state;
    for (int screw = 0; screw < 2; screw++) {
        draft d = mb_draft(1237, false, true);
        mb_add_body(&d, "A", false);
        mb_add_body(&d, "B", false);
        mb_add_joint_between(&d, screw ? TML_JOINT_SCREW : TML_JOINT_REVOLUTE, "j", "ground", "A");
        mb_add_joint_between(&d, TML_JOINT_REVOLUTE, "k", "ground", "B");
        tml_error err = {0};
        tml_joint_def gear = tml_joint_def_default(), driver = gear;
        gear.name = "gear";
        gear.type = TML_JOINT_GEAR;
        gear.first = "k.angle";
        gear.second = "j.angle";
        gear.ratio = 2.3;
        assert_int_equal(tml_spec_add_joint(d.spec, &gear, &err), TML_OK);
        driver.name = "driver";
        driver.type = TML_JOINT_DRIVER;
        driver.of = "j.angle";
        driver.motion = "6*pi + 0.1*t";
        assert_int_equal(tml_spec_add_joint(d.spec, &driver, &err), TML_OK);
        mb *s = mb_open_spec(d.spec, "driven");
        double motion[MB_N], phi[MB_NM];
        s->x->t = 0;
        assert_int_equal(s->ops->residual(s->self, s->w, s->x, NULL, motion, phi, &err), TML_OK);
        CHECK_SMALL(mb_largest(phi, s->m), 1e-13);  // the joint closes at the angle 0, which is 6 pi
        mb_close(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(closed_and_independent), cmocka_unit_test(balance),
                                       cmocka_unit_test(hanging), cmocka_unit_test(couplers),
                                       cmocka_unit_test(driven_from_afar)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
