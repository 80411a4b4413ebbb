// The check as a whole: counts, names, start values, notes; systems of callbacks; failures.
#include "analysis/check_models.h"

#include <trammel/check.h>

static tml_check *check_of(const tml_model *model)
{
    tml_check *c = NULL;
    OK(tml_check_create(model, 0, &c, err));
    return c;
}

static bool has_note(const tml_check *c, const char *word)
{
    for (int i = 0; i < c->note_count; i++)
        if (strstr(c->notes[i].text, word)) return true;
    return false;
}

static void spatial_four_bar(void **state)
{
    (void)state;
    tml_model *model = four_bar(false, TML_JOINT_REVOLUTE);
    tml_check *c = check_of(model);
    assert_int_equal(c->body_count, 3);
    assert_int_equal(c->joint_count, 4);
    assert_int_equal(c->coordinates, 18);
    assert_int_equal(c->rows, 20);
    assert_int_equal(c->count_freedoms, -2);
    assert_int_equal(c->rank, 17);
    assert_int_equal(c->rank_nearby, 17);  // everywhere, not only here
    assert_int_equal(c->freedoms, 1);
    assert_int_equal(c->dependency_count, 3);
    bool seen[3] = {false};
    static const char *const names[3] = {"pin_a", "pin_b", "pin_c"};
    for (int i = 0; i < 3; i++) {
        const tml_check_dependency *d = &c->dependencies[i];
        assert_string_equal(c->joints[d->joint].name, "pin_d");
        assert_non_null(strstr(d->row, "joint 'pin_d' (row "));
        assert_false(d->empty);
        assert_true(d->other_count >= 1 && d->other_count <= 3);
        for (int k = 0; k < d->other_count; k++)
            for (int n = 0; n < 3; n++) seen[n] |= strcmp(d->others[k], names[n]) == 0;
    }
    for (int n = 0; n < 3; n++) assert_true(seen[n]);
    assert_int_equal(c->joints[3].redundant, 3);
    assert_int_equal(c->joints[0].redundant, 0);
    assert_string_equal(c->joints[0].type, "revolute");
    assert_string_equal(c->joints[0].between, "ground, crank");
    assert_string_equal(c->joints[3].between, "rocker, ground");
    assert_true(c->has_spectrum);
    assert_int_equal(c->eigenvalue_count, 2);
    assert_non_null(strstr(c->mobility, "gives -2; 3 of the 20 rows are redundant: the mechanism is planar"));
    assert_int_equal(c->sentence_count, 1);
    assert_non_null(
        strstr(c->sentences[0], "are redundant with pin_a, pin_b and pin_c; their reactions are shared"));
    assert_int_equal(c->unique, 8);
    assert_int_equal(c->shared, 12);
    assert_int_equal(c->indeterminate, 0);
    assert_string_equal(c->row_list[15].component, "displacement along x");
    assert_string_equal(c->row_list[19].component, "rotation about x");
    assert_false(has_note(c, "singular"));
    CHECK_SMALL(c->moved, 1e-12);  // the corners are given to 1e-16
    tml_check_destroy(c);
    tml_model_destroy(model);
}

// The names outlive the pendulum's numbers: one row of everything, known values.
static void hanging_pendulum(void **state)
{
    (void)state;
    tml_model *model = pendulum(0);
    tml_check *c = check_of(model);
    const double J = PENDULUM_JZ + PENDULUM_MASS * PENDULUM_ARM * PENDULUM_ARM;
    const double rate = sqrt(PENDULUM_MASS * PENDULUM_G * PENDULUM_ARM / J);
    assert_int_equal(c->freedoms, 1);
    assert_int_equal(c->dependency_count, 0);
    assert_int_equal(c->rank_nearby, -1);
    assert_int_equal(c->note_count, 0);
    assert_false(c->instantaneous);
    CHECK_CLOSE(c->stiffness_ratio, 1, 1e-12);
    CHECK_CLOSE(c->fastest, 1 / rate, 1e-12);
    CHECK_CLOSE(c->highest_hz, rate / 6.28318530717958647692, 1e-12);
    CHECK_CLOSE(c->bodies[0].mass, PENDULUM_MASS, 0);
    CHECK_CLOSE(c->bodies[0].position[1], -PENDULUM_ARM, 1e-15);
    assert_int_equal(c->bodies[0].coordinates, 6);
    tml_check_destroy(c);
    tml_model_destroy(model);
}

// A parallelogram lying flat: one row is dependent in this position only.
static void singular_position(void **state)
{
    (void)state;
    tml_spec *spec = new_spec(0, 0, 0);
    tml_spec_set_planar(spec, true);
    add_body(spec, bar("crank", 1.31, 0, 0, 0.4, 0));
    add_body(spec, bar("coupler", 2.07, 0.4, 0, 1.5, 0));
    add_body(spec, bar("rocker", 1.73, 1.5, 0, 1.1, 0));
    add_joint(spec, "pin_a", TML_JOINT_REVOLUTE, "ground", "crank", 0, 0, 0);
    add_joint(spec, "pin_b", TML_JOINT_REVOLUTE, "crank", "coupler", 0.4, 0, 0);
    add_joint(spec, "pin_c", TML_JOINT_REVOLUTE, "coupler", "rocker", 1.5, 0, 0);
    add_joint(spec, "pin_d", TML_JOINT_REVOLUTE, "rocker", "ground", 1.1, 0, 0);
    tml_model *model = build(spec);
    tml_check *c = check_of(model);
    assert_int_equal(c->rank, 7);
    assert_int_equal(c->rank_nearby, 8);
    assert_int_equal(c->freedoms, 2);
    assert_true(has_note(c, "singular configuration"));
    tml_check_destroy(c);
    tml_model_destroy(model);
}

// Wrong start values are found, named, and moved onto the constraints.
static void start_off_the_constraints(void **state)
{
    (void)state;
    tml_spec *spec = new_spec(0, -9.81, 0);
    tml_body_def b = bar("rod", 1.2, 0, 0, 1, 0);
    b.velocity[0] = 0.37;
    add_body(spec, b);
    tml_frame_def end = tml_frame_def_default();
    end.body = "rod";
    end.name = "end";
    end.position[0] = -0.5;
    OK(tml_spec_add_frame(spec, &end, err));
    tml_frame_def post = end;
    post.body = "ground";
    post.name = "post";
    post.position[0] = 0;
    post.position[1] = 0.013;
    OK(tml_spec_add_frame(spec, &post, err));
    tml_joint_def j = tml_joint_def_default();
    j.name = "hinge";
    j.type = TML_JOINT_REVOLUTE;
    j.a = "ground.post";
    j.b = "rod.end";
    OK(tml_spec_add_joint(spec, &j, err));
    add_body(spec, bar("stone", 0.7, 3, 3, 3.2, 3));
    tml_model *model = build(spec);
    tml_check *c = check_of(model);
    CHECK_CLOSE(c->position.value, 0.013, 1e-12);
    assert_string_equal(c->position.unit, "m");
    assert_non_null(strstr(c->position.row, "joint 'hinge'"));
    CHECK_CLOSE(c->velocity.value, 0.37, 1e-12);
    assert_string_equal(c->velocity.unit, "m/s");
    assert_true(c->moved > 1e-4 && c->velocity_changed > 1e-2);
    assert_true(c->bodies[0].moved > 1e-4 && c->bodies[0].moved < 0.02);
    CHECK_SMALL(c->bodies[1].moved, 0);
    assert_true(c->bodies[0].connected && !c->bodies[1].connected);
    assert_true(c->instantaneous);
    assert_true(has_note(c, "joint 'hinge'"));
    assert_true(has_note(c, "moves body 'rod'"));
    assert_true(has_note(c, "initial velocities"));
    assert_true(has_note(c, "Nothing holds body 'stone'"));
    tml_check_destroy(c);
    tml_model_destroy(model);
}

// An angle that a driver wants elsewhere is off by radians, not by metres; with it nothing is free.
static void driven(void **state)
{
    (void)state;
    tml_spec *spec = new_spec(0, 0, 0);
    add_body(spec, bar("arm", 1.2, 0, 0, 1, 0));
    add_joint(spec, "pin", TML_JOINT_REVOLUTE, "ground", "arm", 0, 0, 0);
    tml_joint_def j = tml_joint_def_default();
    j.name = "motor";
    j.type = TML_JOINT_DRIVER;
    j.of = "pin.angle";
    j.motion = "0.13 + 2.7*t";
    OK(tml_spec_add_joint(spec, &j, err));
    tml_model *model = build(spec);
    tml_check *c = check_of(model);
    CHECK_CLOSE(c->position.value, 0.13, 1e-14);
    assert_string_equal(c->position.unit, "rad");
    CHECK_CLOSE(c->velocity.value, 2.7, 1e-14);
    assert_string_equal(c->velocity.unit, "rad/s");
    CHECK_CLOSE(c->bodies[0].turned, 0.13, 1e-9);  // the assembly converges to 1e-10
    assert_int_equal(c->freedoms, 0);
    assert_int_equal(c->eigenvalue_count, 0);
    assert_true(has_note(c, "No degree of freedom"));
    tml_check_destroy(c);
    tml_model_destroy(model);
}

// Two joints that contradict each other: the assembly's error as it is.
static void cannot_be_assembled(void **state)
{
    (void)state;
    tml_spec *spec = new_spec(0, 0, 0);
    add_body(spec, bar("rod", 1.2, 0, 0, 1, 0));
    add_joint(spec, "left", TML_JOINT_SPHERICAL, "ground", "rod", 0, 0, 0);
    tml_frame_def far = tml_frame_def_default();
    far.body = "ground";
    far.name = "far";
    far.position[0] = 1.4;
    OK(tml_spec_add_frame(spec, &far, err));
    tml_frame_def end = tml_frame_def_default();
    end.body = "rod";
    end.name = "end";
    end.position[0] = 0.5;
    OK(tml_spec_add_frame(spec, &end, err));
    tml_joint_def j = tml_joint_def_default();
    j.name = "right";
    j.type = TML_JOINT_SPHERICAL;
    j.a = "ground.far";
    j.b = "rod.end";
    OK(tml_spec_add_joint(spec, &j, err));
    tml_model *model = build(spec);
    tml_check *c = (tml_check *)&spec;
    tml_error err = {0};
    assert_int_equal(tml_check_create(model, 0, &c, &err), TML_ERR_ASSEMBLY);
    assert_non_null(c);
    assert_false(c->assembled);
    assert_non_null(strstr(err.msg, "joint 'left' and joint 'right' contradict each other by 0.4 m"));
    assert_int_equal(c->conflict_count, 2);
    for (int i = 0; i < 2; i++) {
        CHECK_CLOSE(c->conflicts[i].gap, 0.4, 1e-6);
        assert_string_equal(c->conflicts[i].unit, "m");
        assert_int_equal(c->conflicts[i].group, 0);
    }
    tml_check_destroy(c);
    tml_model_destroy(model);
}

// ---- systems of callbacks ---------------------------------------------------------------------------------

static tml_status mass3(double t, const double *q, double *M, void *user)
{
    (void)t, (void)q, (void)user;
    M[0] = 1.7;
    M[4] = 0.9;
    M[8] = 0;  // no inertia
    return TML_OK;
}
static tml_status force3(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t, (void)user;
    f[0] = -1.7e6 * q[0];
    f[1] = -0.9 * q[1] - 0.09 * u[1];
    f[2] = -23 * (q[2] - 0.4);
    return TML_OK;
}
static tml_status sphere3(double t, const double *q, double *phi, void *user)
{
    (void)t, (void)user;
    phi[0] = q[2] - 0.4 - 0.3 * q[1];
    phi[1] = -2 * phi[0];
    return TML_OK;
}

static void callbacks(void **state)
{
    (void)state;
    tml_user_system_def def = tml_user_system_def_default();
    def.n = 3;
    def.m = 2;
    def.mass = mass3;
    def.force = force3;
    def.constraint = sphere3;
    tml_system *sys = NULL;
    tml_state *x = NULL;
    tml_check *c = NULL;
    OK(tml_system_create_user(&def, NULL, &sys, err));
    OK(tml_state_create(sys, &x, err));
    x->q[2] = 0.4;
    OK(tml_check_create_system(sys, x, &c, err));
    assert_int_equal(c->body_count, 0);
    assert_int_equal(c->freedoms, 2);
    assert_int_equal(c->dependency_count, 1);
    assert_string_equal(c->dependencies[0].row, "constraint[1]");
    assert_int_equal(c->dependencies[0].other_count, 1);
    assert_string_equal(c->dependencies[0].others[0], "constraint[0]");
    assert_int_equal(c->massless, 0);  // q[2] is carried along by q[1]
    // 1e3 rad/s against sqrt((0.9 + 0.09 * 23)/0.9); derivatives by differences
    CHECK_CLOSE(c->stiffness_ratio, 1e3 / sqrt((0.9 + 0.09 * 23) / 0.9), 1e-3);
    assert_int_equal(c->eigenvalue_count, 4);
    CHECK_CLOSE(c->eigenvalues[0].re, -0.05, 1e-6);
    tml_check_destroy(c);
    def.m = 0;
    def.constraint = NULL;
    tml_state_destroy(x, sys);
    tml_system_destroy(sys);
    OK(tml_system_create_user(&def, NULL, &sys, err));
    OK(tml_state_create(sys, &x, err));
    OK(tml_check_create_system(sys, x, &c, err));
    assert_int_equal(c->freedoms, 3);
    assert_int_equal(c->massless, 1);
    assert_true(has_note(c, "no inertia"));
    assert_int_equal(c->eigenvalue_count, 4);
    tml_check_destroy(c);
    tml_state_destroy(x, sys);
    tml_system_destroy(sys);
}

static tml_status no_resistance(double t, const double *q, const double *u, double *f, void *user)
{
    (void)t, (void)u, (void)user;
    f[0] = -3.1 * q[0];
    f[1] = -0.7 * q[1];
    f[2] = 0;
    return TML_OK;
}

// A massless part that nothing holds: no spectrum, and a note that says so; the rest is there.
static void no_spectrum(void **state)
{
    (void)state;
    tml_user_system_def def = tml_user_system_def_default();
    def.n = 3;
    def.mass = mass3;
    def.force = no_resistance;
    tml_system *sys = NULL;
    tml_state *x = NULL;
    tml_check *c = NULL;
    OK(tml_system_create_user(&def, NULL, &sys, err));
    OK(tml_state_create(sys, &x, err));
    OK(tml_check_create_system(sys, x, &c, err));
    assert_int_equal(c->freedoms, 3);
    assert_false(c->has_spectrum);
    assert_true(has_note(c, "without mass"));
    tml_check_destroy(c);
    tml_state_destroy(x, sys);
    tml_system_destroy(sys);
}

// ---- memory -----------------------------------------------------------------------------------------------

typedef struct budget {
    long left, live;
} budget;

static void *limited(size_t bytes, void *user)
{
    budget *b = user;
    if (b->left-- <= 0) return NULL;
    b->live++;
    return malloc(bytes);
}
static void release(void *p, void *user)
{
    ((budget *)user)->live--;
    free(p);
}

// Allocation number k fails, for every k: an error or a check, and nothing leaks.
static void memory_runs_out(void **state)
{
    (void)state;
    budget b = {.left = 1L << 40};
    const tml_env env = {.alloc = limited, .free = release, .user = &b};
    tml_user_system_def def = tml_user_system_def_default();
    def.n = 3;
    def.m = 2;
    def.mass = mass3;
    def.force = force3;
    def.constraint = sphere3;
    tml_system *sys = NULL;
    tml_state *x = NULL;
    OK(tml_system_create_user(&def, &env, &sys, err));
    OK(tml_state_create(sys, &x, err));
    x->q[2] = 0.4;
    const long before = b.live;
    bool done = false;
    for (long k = 0; k < 2000 && !done; k++) {
        tml_check *c = NULL;
        tml_error err = {0};
        b.left = k;
        const tml_status st = tml_check_create_system(sys, x, &c, &err);
        done = b.left > 0;
        if (st != TML_OK) {
            assert_int_equal(st, TML_ERR_NOMEM);
            assert_null(c);
        }
        tml_check_destroy(c);
        assert_int_equal(b.live, before);
    }
    assert_true(done);
    b.left = 1L << 40;
    tml_state_destroy(x, sys);
    tml_system_destroy(sys);
    assert_int_equal(b.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spatial_four_bar),
        cmocka_unit_test(hanging_pendulum),
        cmocka_unit_test(singular_position),
        cmocka_unit_test(start_off_the_constraints),
        cmocka_unit_test(driven),
        cmocka_unit_test(cannot_be_assembled),
        cmocka_unit_test(callbacks),
        cmocka_unit_test(no_spectrum),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
