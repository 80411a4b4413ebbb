// Consistent states: disturbed positions and velocities are projected onto the constraints, a second
// projection changes nothing, and accelerations and multipliers satisfy the index-1 equations.
#include "integrate/fixture.h"

static const char *const MODELS[] = {"andrews",      "governor",        "heavy_top",
                                     "slider_crank", "spring_pendulum", "suspension"};
enum { COUNT = sizeof MODELS / sizeof *MODELS };
static const tml_linsolver_ops *const SOLVERS[] = {&tml_linsolver_dense, &tml_linsolver_klu,
                                                   &tml_linsolver_block};

static double unit_of(const tml_system *s, int j)
{
    return s->kind[j] == TML_COORDINATE_TRANSLATION ? s->length : 1;
}

// Largest velocity [model lengths or rad per s]; at least 1, as a scale at rest.
static double speed(const tml_system *s, const tml_state *x)
{
    double v = 1;
    for (int j = 0; j < s->n; j++) v = fmax(v, fabs(x->u[j]) / unit_of(s, j));
    return v;
}

static void begin(ride *r, int model, const tml_linsolver_ops *solver)
{
    plan p = plan_default();
    p.solver = solver;
    ride_model(r, model_read(MODELS[model], NULL, 0), &p);
}

static void disturb(const ride *r, rng *random, double size, tml_state *x)
{
    const tml_system *s = r->sys;
    double *d = calloc((size_t)s->n, sizeof *d);
    const double v = speed(s, x);
    for (int j = 0; j < s->n; j++) {
        d[j] = size * unit_of(s, j) * rng_range(random, -1, 1);
        x->u[j] += size * v * unit_of(s, j) * rng_range(random, -1, 1);
    }
    s->ops->retract(s->self, x->q, d, x->q);
    free(d);
}

static void projection_meets_the_constraints(void **state)
{
    (void)state;
    rng random = rng_seed(71);
    for (int m = 0; m < COUNT; m++)
        for (int k = 0; k < 3; k++) {
            ride r;
            begin(&r, m, SOLVERS[k]);
            tml_state *x = NULL, *again = NULL;
            OK(tml_state_create(r.sys, &x, err));
            OK(tml_state_create(r.sys, &again, err));
            tml_state_copy(x, r.x0);
            disturb(&r, &random, 1e-4, x);
            double before[2], after[2], d[3];
            OK(tmli_consistent_residuals(&r.consistent, x, &before[0], &before[1], NULL, NULL, err));
            OK(tmli_consistent_project(&r.consistent, x, err));
            OK(tmli_consistent_residuals(&r.consistent, x, &after[0], &after[1], NULL, NULL, err));
            const double v = speed(r.sys, x), length = fmax(r.sys->length, 1);
            tml_state_copy(again, x);
            OK(tmli_consistent_project(&r.consistent, again, err));
            state_distance(r.sys, x, again, d);
            printf("%-16s %-5s residuals %7.1e -> %7.1e, %7.1e -> %7.1e; again: %7.1e %7.1e %7.1e\n",
                   MODELS[m], SOLVERS[k]->name, before[0], after[0], before[1], after[1], d[0], d[1], d[2]);
            assert_true(before[0] > 1e-7 && before[1] > 1e-7);
            // round-off of sums of positions up to a length, of products of these with velocities
            CHECK_SMALL(after[0], 1e-13 * length);
            CHECK_SMALL(after[1], 1e-13 * length * v);
            CHECK_SMALL(d[0], 1e-13);
            CHECK_SMALL(d[1], 1e-12 * v);
            // Reactions follow the positions' last bits through the stiffest force: the suspension's tyre,
            // 3e5 N/m against 5e3 N, and the stiffness of a mechanism near a dead centre.
            CHECK_SMALL(d[2], 1e-9);
            tml_state_destroy(x, r.sys);
            tml_state_destroy(again, r.sys);
            ride_end(&r);
        }
}

// Equations (1) and (4) of trammel/system.h, with B written out row by row. After a small disturbance the
// matrix is that of the disturbed state.
static void accelerations_satisfy_the_equations(void **state)
{
    (void)state;
    rng random = rng_seed(72);
    static const double SIZES[] = {1e-3, 1e-7, 1e-9};
    for (int i = 0; i < 3 * COUNT; i++) {
        const int m = i / 3;
        ride r;
        begin(&r, m, SOLVERS[m % 3]);
        const tml_system *s = r.sys;
        tml_state *x = NULL;
        OK(tml_state_create(s, &x, err));
        tml_state_copy(x, r.x0);
        disturb(&r, &random, SIZES[i % 3], x);
        OK(tmli_consistent_project(&r.consistent, x, err));
        const size_t n = (size_t)s->n, rows = (size_t)s->m;
        double *f = calloc(2 * n + 2 * rows + (size_t)s->rowptr[s->m], sizeof *f);
        double *gamma = f + n, *motion = gamma + rows, *phi = motion + n, *B = phi + rows;
        OK(s->ops->dynamics(s->self, r.work, x, f, gamma, err));
        OK(s->ops->residual(s->self, r.work, x, NULL, motion, phi, err));
        OK(s->ops->rows(s->self, r.work, x, B, err));
        double force = 0, miss = 0, acceleration = 9.81,
               off = 0;  // 9.81: scale at rest
        for (int j = 0; j < s->n; j++) {
            force = fmax(force, fabs(f[j]) * unit_of(s, j));
            miss = fmax(miss, fabs(motion[j]) * unit_of(s, j));
        }
        for (int row = 0; row < s->m; row++) {
            double sum = -gamma[row], size = fabs(gamma[row]);
            for (int k = s->rowptr[row]; k < s->rowptr[row + 1]; k++) {
                sum += B[k] * x->udot[s->rowcol[k]];
                size = fmax(size, fabs(B[k] * x->udot[s->rowcol[k]]));
                force = fmax(force, fabs(B[k] * x->lambda[row]) * unit_of(s, s->rowcol[k]));
            }
            acceleration = fmax(acceleration, size);
            off = fmax(off, fabs(sum));
        }
        printf("%-16s %.0e: motion %7.1e of %7.1e N m, constraints %7.1e of %7.1e\n", MODELS[m], SIZES[i % 3],
               miss, force, off, acceleration);
        assert_true(force > 0);
        CHECK_SMALL(miss, 1e-12 * force);
        CHECK_SMALL(off, 1e-12 * acceleration);
        free(f);
        tml_state_destroy(x, s);
        ride_end(&r);
    }
}

// Projection without accelerations gives the same motion, and a consistent state does not change.
static void motion_alone(void **state)
{
    (void)state;
    rng random = rng_seed(74);
    for (int m = 0; m < COUNT; m++) {
        ride r;
        begin(&r, m, SOLVERS[m % 3]);
        tml_state *x = NULL, *full = NULL;
        OK(tml_state_create(r.sys, &x, err));
        OK(tml_state_create(r.sys, &full, err));
        tml_state_copy(x, r.x0);
        disturb(&r, &random, 1e-4, x);
        tml_state_copy(full, x);
        OK(tmli_consistent_project(&r.consistent, full, err));
        OK(tmli_consistent_project_motion(&r.consistent, x, err));
        double d[3];
        const double v = speed(r.sys, full);
        state_distance(r.sys, x, full, d);
        // the mass matrix belongs to a configuration 1e-4 away: 1e-4 of a change of 1e-4
        CHECK_SMALL(d[0], 1e-13);
        CHECK_SMALL(d[1], 1e-6 * v);
        OK(tmli_consistent_residuals(&r.consistent, x, &d[0], &d[1], NULL, NULL, err));
        CHECK_SMALL(d[1], 1e-12 * fmax(r.sys->length, 1) * v);
        tml_state_copy(full, x);
        OK(tmli_consistent_project_motion(&r.consistent, x, err));
        state_distance(r.sys, x, full, d);
        CHECK_SMALL(d[0], 1e-13);
        CHECK_SMALL(d[1], 1e-12 * v);
        tml_state_destroy(x, r.sys);
        tml_state_destroy(full, r.sys);
        ride_end(&r);
    }
}

// P of tmli_consistent_constrain: B P y = y.
static void constrain_is_a_right_inverse(void **state)
{
    (void)state;
    rng random = rng_seed(73);
    for (int m = 0; m < COUNT; m++) {
        ride r;
        begin(&r, m, SOLVERS[m % 3]);
        const tml_system *s = r.sys;
        double *y = calloc((size_t)(s->m + s->n + s->rowptr[s->m]), sizeof *y);
        double *d = y + s->m, *B = d + s->n;
        for (int i = 0; i < s->m; i++) y[i] = rng_range(&random, -1, 1);
        OK(tmli_consistent_factor(&r.consistent, r.x0, err));
        tmli_consistent_constrain(&r.consistent, y, d);
        OK(s->ops->rows(s->self, r.work, r.x0, B, err));
        for (int i = 0; i < s->m; i++) {
            double sum = -y[i], size = 1;
            for (int k = s->rowptr[i]; k < s->rowptr[i + 1]; k++) {
                sum += B[k] * d[s->rowcol[k]];
                size = fmax(size, fabs(B[k] * d[s->rowcol[k]]));
            }
            CHECK_SMALL(sum,
                        1e-11 * size);  // the matrix is augmented: condition number up to 1e4 in these models
        }
        free(y);
        ride_end(&r);
    }
}

// Far from the constraints the matrix of the start contracts slowly; that of a state on the way ends it.
static void projection_from_far_converges(void **state)
{
    (void)state;
    rng random = rng_seed(5);
    for (int m = 0; m < COUNT; m++)
        for (int trial = 0; trial < 20; trial++) {
            ride r;
            begin(&r, m, SOLVERS[2]);
            tml_state *x = NULL;
            OK(tml_state_create(r.sys, &x, err));
            tml_state_copy(x, r.x0);
            disturb(&r, &random, 0.015, x);
            double after[2];
            OK(tmli_consistent_project(&r.consistent, x, err));
            OK(tmli_consistent_residuals(&r.consistent, x, &after[0], &after[1], NULL, NULL, err));
            CHECK_SMALL(after[0],
                        1e-10 * fmax(r.sys->length, 1));  // corrections end at TMLI_ROUNDOFF_CORRECTION
            tml_state_destroy(x, r.sys);
            ride_end(&r);
        }
}

// A door on two hinges is an error unless redundant rows are allowed; then the projected state satisfies all
// rows.
static void redundant_rows(void **state)
{
    (void)state;
    static const char door[] =
        "title: door\ngravity: [0, -9.81, -1]\n"
        "bodies:\n"
        "  door: {mass: 20, inertia: [3, 3, 1], position: [0.4, 0, 1], angular_velocity: [0, 0, 1], "
        "velocity: [0, 0.4, 0]}\n"
        "joints:\n"
        "  lower: {type: revolute, a: ground, b: door, point: [0, 0, 0.2], axis: [0, 0, 1]}\n"
        "  upper: {type: revolute, a: ground, b: door, point: [0, 0, 1.8], axis: [0, 0, 1]}\n"
        "run: {end: 1}\n";
    tml_model *model = model_parse(door, NULL, 0);
    const tml_system *s = tml_model_system(model);
    tml_state *x = NULL;
    OK(tml_state_create(s, &x, err));
    for (int k = 0; k < 3; k++) {
        tmli_consistent c;
        tml_error why = {0};
        rng random = rng_seed(9);
        double position, velocity, *d = calloc((size_t)s->n, sizeof *d);
        OK(tmli_consistent_create(s, SOLVERS[k], &c, err));
        tml_model_start(model, 0, x);
        assert_int_equal(tmli_consistent_accelerations(&c, x, &why), TML_ERR_SINGULAR);
        tmli_consistent_clear(&c);
        OK(tmli_consistent_create_redundant(s, SOLVERS[k], &c, err));
        OK(tmli_consistent_accelerations(&c, x, err));
        for (int j = 0; j < s->n; j++) {
            d[j] = 1e-3 * rng_range(&random, -1, 1);
            x->u[j] += 1e-3 * rng_range(&random, -1, 1);
        }
        s->ops->retract(s->self, x->q, d, x->q);
        OK(tmli_consistent_project(&c, x, err));
        OK(tmli_consistent_residuals(&c, x, &position, &velocity, NULL, NULL, err));
        CHECK_SMALL(position, 1e-14);
        CHECK_SMALL(velocity, 1e-14);
        int zeros = 0;
        for (int i = 0; i < s->m; i++) zeros += x->lambda[i] == 0;
        assert_int_equal(zeros, 5);
        // about the hinges' axis: (J + m r^2) wdot = -m g r
        CHECK_CLOSE(x->udot[5], -20 * 9.81 * 0.4 / (1 + 20 * 0.16), 2e-2);  // the door was rotated a little
        free(d);
        tmli_consistent_clear(&c);
    }
    tml_state_destroy(x, s);
    tml_model_destroy(model);
}

// 1e-7 rad from a singular configuration, with the rod rotated about its pin by another 1e-7: the row of the
// rail, violated by 1e-14, requires th2' = -th1'/2 there instead of the -th1' of the motion. Its direction is
// unreliable, so it is inactive; the other rows are satisfied.
static void velocities_near_a_singular_configuration(void **state)
{
    (void)state;
    static const tml_parameter start[] = {{"th1", "1e-7"}, {"w", "2"}};
    tml_model *model = model_read("singular_slider_crank", start, 2),
              *far = model_read("singular_slider_crank", NULL, 0);
    const tml_system *s = tml_model_system(model);
    const double rotation[6] = {0, 0, 0, -0.8e-7, 0, 1e-7};
    tml_state *x = NULL, *given = NULL;
    OK(tml_state_create(s, &x, err));
    OK(tml_state_create(s, &given, err));
    for (int k = 0; k < 3; k++)
        for (int motion = 0; motion < 2; motion++) {
            tmli_consistent c;
            rng random = rng_seed(5);
            double phidot[8];
            OK(tmli_consistent_create_redundant(s, SOLVERS[k], &c, err));
            tml_model_start(far, 0, given);
            OK(tmli_consistent_accelerations(&c, given, err));  // no row is redundant
            tml_model_start(model, 0, given);
            s->ops->retract(s->self, given->q, rotation, given->q);
            for (int j = 0; j < s->n; j++) given->u[j] += 1e-5 * rng_range(&random, -1, 1);
            tml_state_copy(x, given);
            if (motion) OK(tmli_consistent_project_motion(&c, x, err));
            else OK(tmli_consistent_project(&c, x, err));
            assert_true(c.near_singular);
            for (int j = 0; j < s->n; j++) {
                CHECK_SMALL(x->u[j] - given->u[j], 1e-4);
                assert_true(x->udot[j] == given->udot[j]);
            }
            OK(s->ops->velocity(s->self, c.redundant.work, x, phidot, err));
            for (int r = 0; r < s->m; r++) CHECK_SMALL(phidot[r], x->inactive->row[r] ? 1e-4 : 1e-12);
            tmli_consistent_clear(&c);
        }
    tml_state_destroy(given, s);
    tml_state_destroy(x, s);
    tml_model_destroy(far);
    tml_model_destroy(model);
}

// Two that share memory find what each finds by itself, in turn, and one of them alone after the other is
// cleared. With another solver nothing is shared.
static void shared_memory(void **state)
{
    (void)state;
    tml_model *model = model_read("four_bar", NULL, 0);
    const tml_system *s = tml_model_system(model);
    tml_state *x[3] = {NULL};
    for (int i = 0; i < 3; i++) OK(tml_state_create(s, &x[i], err));
    for (int k = 0; k < 3; k++)
        for (int first = 0; first < 2; first++) {
            tmli_consistent alone, c[2], other;
            OK(tmli_consistent_create(s, SOLVERS[k], &alone, err));
            OK(tmli_consistent_create(s, SOLVERS[k], &c[0], err));
            OK(tmli_consistent_create_shared(s, SOLVERS[k], &c[0], &c[1], err));
            OK(tmli_consistent_create_shared(s, SOLVERS[(k + 1) % 3], &c[0], &other, err));
            assert_ptr_equal(c[1].matrix.lin, c[0].matrix.lin);
            assert_ptr_equal(c[1].matrix.values, c[0].matrix.values);
            assert_ptr_not_equal(other.matrix.lin, c[0].matrix.lin);
            assert_ptr_not_equal(other.matrix.values, c[0].matrix.values);
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 3; i++) tml_model_start(model, 0, x[i]);
                for (int i = 0; i < 3; i++) x[i]->u[0] += 1e-3 * round;
                OK(tmli_consistent_project(&alone, x[0], err));
                if (round < 2) OK(tmli_consistent_project(&c[first], x[1], err));
                OK(tmli_consistent_project(&c[1 - first], x[2], err));
                for (int i = 1; i < 3; i++) {
                    if (i == 1 && round == 2) continue;
                    assert_memory_equal(x[i]->u, x[0]->u, (size_t)s->n * sizeof(double));
                    assert_memory_equal(x[i]->udot, x[0]->udot, (size_t)s->n * sizeof(double));
                    assert_memory_equal(x[i]->lambda, x[0]->lambda, (size_t)s->m * sizeof(double));
                }
                if (round == 1) tmli_consistent_clear(&c[first]);
            }
            tmli_consistent_clear(&other);
            tmli_consistent_clear(&c[1 - first]);
            tmli_consistent_clear(&alone);
        }
    for (int i = 0; i < 3; i++) tml_state_destroy(x[i], s);
    tml_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projection_meets_the_constraints),
        cmocka_unit_test(projection_from_far_converges),
        cmocka_unit_test(accelerations_satisfy_the_equations),
        cmocka_unit_test(motion_alone),
        cmocka_unit_test(constrain_is_a_right_inverse),
        cmocka_unit_test(redundant_rows),
        cmocka_unit_test(velocities_near_a_singular_configuration),
        cmocka_unit_test(shared_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
