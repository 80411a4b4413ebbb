// Inactive rows, minimum-norm multipliers of redundant rows, and passages through singular configurations.
#include "sim/queries/sim.h"
#include "sim_fixture.h"
#include "system/active_rows/active_rows.h"
#include "system/state/inactive.h"

#include <math.h>
#include <string.h>

static const char DOOR[] =
    "title: door\ngravity: [0, -9.81, -1]\n"
    "bodies:\n"
    "  door: {mass: 20, inertia: [3, 3, 1], position: [0.4, 0, 1], angular_velocity: [0, 0, 1], "
    "velocity: [0, 0.4, 0]}\n"
    "joints:\n"
    "  lower: {type: revolute, a: ground, b: door, point: [0, 0, 0.2], axis: [0, 0, 1]}\n"
    "  upper: {type: revolute, a: ground, b: door, point: [0, 0, 1.8], axis: [0, 0, 1]}\n"
    "run: {end: 1}\n";

// ---- inactive rows ----------------------------------------------------------------------------------------

typedef struct pair {
    tml_model *model;
    const tml_system *base;
    tml_system active;  // with selects_rows
    void *work;
    tml_state *x;
    double *motion[2], *phi[2], *rows[2], *values[2];
} pair;

static pair pair_of(const char *text)
{
    tml_error err = {0};
    rng random = rng_seed(3);
    pair p = {.model = text_model(text)};
    p.base = tml_model_system(p.model);
    const size_t n = (size_t)p.base->n, m = (size_t)p.base->m;
    p.active = *p.base;
    p.active.selects_rows = true;
    p.work = p.base->ops->create_work(p.base->self, NULL);
    OK(tml_state_create(p.base, &p.x, &err));
    tml_model_start(p.model, 0, p.x);
    for (size_t j = 0; j < n; j++) p.x->u[j] += rng_range(&random, -1, 1);
    for (size_t j = 0; j < n; j++) p.x->udot[j] = rng_range(&random, -1, 1);
    for (size_t r = 0; r < m; r++) p.x->lambda[r] = rng_range(&random, -10, 10);
    for (int k = 0; k < 2; k++) {
        p.motion[k] = calloc(n, sizeof(double));
        p.phi[k] = calloc(m, sizeof(double));
        p.rows[k] = calloc((size_t)p.base->rowptr[m], sizeof(double));
        p.values[k] = calloc((size_t)p.base->pattern->colptr[n + m], sizeof(double));
    }
    return p;
}

static void pair_end(pair *p)
{
    for (int k = 0; k < 2; k++) {
        free(p->motion[k]);
        free(p->phi[k]);
        free(p->rows[k]);
        free(p->values[k]);
    }
    p->base->ops->destroy_work(p->work);
    tml_state_destroy(p->x, p->base);
    tml_model_destroy(p->model);
}

// With all rows active the system is bitwise that of the base. With inactive rows only these rows and the
// force that replaces them differ.
static void inactive_rows(void **state)
{
    (void)state;
    tml_error err = {0};
    pair p = pair_of(DOOR);
    const int n = p.base->n, m = p.base->m;
    double r[16], penalty[16], g[8], force[16];
    for (int i = 0; i < m; i++) {
        r[i] = 1 + 0.1 * i;
        penalty[i] = 3 + i;
    }
    for (int j = 0; j < n; j++) {
        g[j] = force[j] = 0.5 + j;
        force[n + j] = 2 - j;
    }
    const tml_assembly a = {.cm = 1, .cd = 0.1, .ck = 0.2, .cp = 0.2, .r = r, .p = penalty};
    for (int some = 0; some < 2; some++) {
        bool inactive[16] = {0};
        for (int i = 5; i < m && some; i++) inactive[i] = i != 7;
        for (int i = 0; i < m; i++)
            if (inactive[i]) p.x->lambda[i] = 0;
        tmli_inactive_set(p.x, inactive, some ? force : NULL);
        if (some) {
            p.x->inactive->t0 = 0.25;
            p.x->t = 0.75;
            for (int j = 0; j < n; j++) g[j] += 0.5 * force[n + j];
        }
        assert_int_equal(p.x->inactive->count, some ? 4 : 0);
        assert_true(tmli_all_active(&p.active, p.x) == !some);
        assert_true(tmli_all_active(p.base, p.x));
        double active_penalty[16];
        for (int i = 0; i < m; i++) active_penalty[i] = inactive[i] ? 0 : penalty[i];
        OK(p.base->ops->residual(p.base->self, p.work, p.x, active_penalty, p.motion[0], p.phi[0], &err));
        OK(tmli_active_residual(&p.active, p.work, p.x, penalty, p.motion[1], p.phi[1], &err));
        for (int j = 0; j < n; j++) assert_true(p.motion[1][j] == p.motion[0][j] + (some ? g[j] : 0));
        for (int i = 0; i < m; i++) assert_true(p.phi[1][i] == (inactive[i] ? 0 : p.phi[0][i]));
        OK(p.base->ops->dynamics(p.base->self, p.work, p.x, p.motion[0], p.phi[0], &err));
        OK(tmli_active_dynamics(&p.active, p.work, p.x, p.motion[1], p.phi[1], &err));
        for (int j = 0; j < n; j++) assert_true(p.motion[1][j] == p.motion[0][j] - (some ? g[j] : 0));
        for (int i = 0; i < m; i++) assert_true(p.phi[1][i] == (inactive[i] ? 0 : p.phi[0][i]));
        OK(p.base->ops->rows(p.base->self, p.work, p.x, p.rows[0], &err));
        OK(tmli_active_rows(&p.active, p.work, p.x, p.rows[1], &err));
        for (int i = 0; i < m; i++)
            for (int k = p.base->rowptr[i]; k < p.base->rowptr[i + 1]; k++)
                assert_true(p.rows[1][k] == (inactive[i] ? 0 : p.rows[0][k]));
        tml_assembly b = a;
        b.p = active_penalty;
        OK(p.base->ops->assemble(p.base->self, p.work, p.x, &b, p.values[0], &err));
        OK(tmli_active_assemble(&p.active, p.work, p.x, &a, p.values[1], &err));
        const tml_pattern *pat = p.base->pattern;
        for (int j = 0; j < n + m; j++)
            for (int k = pat->colptr[j]; k < pat->colptr[j + 1]; k++) {
                const int i = pat->rowind[k];
                const bool out = (j >= n && inactive[j - n]) || (i >= n && inactive[i - n]);
                assert_true(p.values[1][k] == (!out ? p.values[0][k] : i == j ? -r[j - n] : 0));
            }
    }
    pair_end(&p);
}

// ---- minimum norm -----------------------------------------------------------------------------------------

// Minimum-norm multipliers give the same forces as those of the active rows alone, and are orthogonal to the
// difference of the two.
static void minimum_norm_reactions(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *model = text_model(DOOR);
    tml_sim *sim = start_sim(model, NULL);
    const tml_system *s = sim->sys;
    tml_state *x[2] = {NULL, NULL};
    double motion[2][8], phi[16];
    assert_non_null(sim->minimum_norm.sys);
    for (int k = 0; k < 2; k++) {
        OK(tml_state_create(s, &x[k], &err));
        tml_model_start(model, 0, x[k]);
        OK(tmli_consistent_project(&sim->consistent, x[k], &err));
        if (k == 1) OK(tmli_minimum_norm_set(&sim->minimum_norm, x[k], NULL, &err));
        OK(s->ops->residual(s->self, sim->work, x[k], NULL, motion[k], phi, &err));
        for (int j = 0; j < s->n; j++) CHECK_SMALL(motion[k][j], 1e-10 * 200);
    }
    double product = 0, size[2] = {0, 0};
    int zeros = 0;
    for (int r = 0; r < s->m; r++) {
        const double unit =
            sim->consistent.redundant.unit[s->n + r];  // a force counts as a moment at the model length
        const double a = unit * x[0]->lambda[r], b = unit * x[1]->lambda[r];
        product += (a - b) * b;
        size[0] += a * a;
        size[1] += b * b;
        zeros += x[1]->lambda[r] == 0;
    }
    assert_int_equal(zeros, 0);
    assert_true(size[1] < 0.9 * size[0]);
    CHECK_SMALL(product / size[1], 1e-9);
    for (int k = 0; k < 2; k++) tml_state_destroy(x[k], s);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
}

// ---- passages ---------------------------------------------------------------------------------------------

static tml_sim *from_state(const tml_system *sys, const tml_state *x, const tml_run_def *run)
{
    tml_error err = {0};
    tml_sim *sim = NULL;
    OK(tml_sim_create_system(sys, x, run, &sim, &err));
    return sim;
}

// The midpoint rule is time-reversible. The motion leaves the singular configuration and returns with
// reversed velocities in as many equal steps: it meets the configuration up to the error of starting in it,
// and continues on the other side as its mirror image.
static void reversed_motion(void **state)
{
    (void)state;
    static const char *const names[] = {"singular_slider_crank", "folded_parallelogram"};
    static const tml_parameter start[2][2] = {{{"th1", "0"}, {"w", "-2"}}, {{"theta", "0"}, {"w", "3"}}};
    for (int i = 0; i < 2; i++) {
        char path[4096];
        const char *root = getenv("TRAMMEL_SOURCE_DIR");
        tml_error err = {0};
        tml_spec *spec = NULL;
        snprintf(path, sizeof path, "%s/models/%s.yaml", root ? root : ".", names[i]);
        OK(tml_spec_read(path, start[i], 2, NULL, &spec, &err));
        tml_model *model = model_of(spec);
        const tml_system *s = tml_model_system(model);
        tml_run_def run = *tml_model_run(model);
        run.method = "midpoint";
        run.step = 1.0 / 256;
        run.end = 2;
        tml_sim *sim = start_sim(model, &run);
        OK(tml_sim_run(sim, 0.25, &err));
        tml_state *out = NULL;
        OK(tml_state_create(s, &out, &err));
        tml_state_copy(out, tml_sim_state(sim));
        tml_sim_destroy(sim);
        for (int j = 0; j < s->n; j++) out->u[j] = -out->u[j];
        out->t = 0;
        sim = from_state(s, out, &run);
        OK(tml_sim_run(sim, 0.25, &err));
        const double *at = tml_sim_state(sim)->q;
        tml_state *first = NULL;
        OK(tml_state_create(s, &first, &err));
        tml_model_start(model, 0, first);
        double d[64];
        s->ops->local(s->self, first->q, at, d);
        for (int j = 0; j < s->n; j++) CHECK_SMALL(d[j], 1e-5);
        OK(tml_sim_run(sim, 0.5, &err));
        tml_sim_report report;
        tml_sim_get_report(sim, &report);
        if (!(report.energy_error < 1e-3 * report.energy_scale))
            fail_msg("%s: energy off by %g of %g", names[i], report.energy_error, report.energy_scale);
        s->ops->local(s->self, first->q, tml_sim_state(sim)->q, d);
        double back[64];
        s->ops->local(s->self, first->q, out->q, back);
        for (int j = 0; j < s->n; j++) {
            if (i > 0 || s->kind[j] != TML_COORDINATE_ROTATION)
                continue;                       // the second is not symmetric under gravity
            CHECK_CLOSE(d[j], -back[j], 1e-4);  // the mirror image rotates in the opposite direction
        }
        tml_state_destroy(first, s);
        tml_state_destroy(out, s);
        tml_sim_destroy(sim);
        tml_model_destroy(model);
    }
}

static tml_sim_report report_of_run(const tml_model *model, const tml_run_def *run, double end)
{
    tml_error err = {0};
    tml_sim_report report;
    tml_sim *sim = start_sim(model, run);
    OK(tml_sim_run(sim, end, &err));
    tml_sim_get_report(sim, &report);
    tml_sim_destroy(sim);
    return report;
}

// The slider-crank is singular at 1.03126624 s and every 2.06253249 s after it, five times in 10 s, and each
// is detected.
static void counted(void **state)
{
    (void)state;
    tml_model *model = load_model("singular_slider_crank", (tml_parameter){0}, NULL);
    for (int k = 0; k < 2; k++) {
        tml_run_def run = *tml_model_run(model);
        run.method = k == 0 ? "genalpha" : "bdf";
        run.kinematics = TML_KINEMATICS_BODIES;
        const tml_sim_report report = report_of_run(model, &run, 10);
        assert_int_equal(report.count.singular, 5);
        CHECK_CLOSE(report.count.singular_first, 1.03126624, 5e-3);
        CHECK_CLOSE(report.count.singular_last, 1.03126624 + 4 * 2.06253249, 5e-3);
        assert_int_equal(report.count.rank, 5);
        assert_int_equal(report.count.singular_rank, 4);
    }
    tml_model_destroy(model);
}

// The same for passages of the parallelogram through its flat configurations, every 0.392777 or 0.785 s, with
// long steps.
static void counted_in_long_steps(void **state)
{
    (void)state;
    static const char *const methods[] = {"adams", "erk8", "radau5"};
    tml_model *model = load_model("folded_parallelogram", (tml_parameter){0}, NULL);
    for (int k = 0; k < 3; k++) {
        tml_run_def run = *tml_model_run(model);
        run.method = methods[k];
        const tml_sim_report report = report_of_run(model, &run, NAN);
        assert_int_equal(report.count.singular, 10);
        CHECK_CLOSE(report.count.singular_first, 0.392777, 5e-3);
        CHECK_CLOSE(report.count.singular_last, 5.49907, 5e-3);
    }
    tml_model_destroy(model);
}

// Ten four-bars lie flat at 0.72 s, and their multipliers are unbounded there. Energy is conserved all the
// same.
static void unbounded_multipliers(void **state)
{
    (void)state;
    tml_model *model = load_model("four_bars", (tml_parameter){"N", "10"}, NULL);
    static const char *const methods[] = {"for-sdirk", "ssp-trap", "erk8", "erk8"};
    static const double tol[] = {1e-4, 1e-3, 1e-3, 1e-4};
    for (int k = 0; k < 4; k++) {
        tml_run_def run = *tml_model_run(model);
        run.method = methods[k];
        run.kinematics = TML_KINEMATICS_JOINTS;
        run.tol = tol[k];
        const tml_sim_report report = report_of_run(model, &run, NAN);
        assert_int_equal(report.count.singular, 1);
        if (!(report.energy_error < 5e-4 * report.energy_scale))
            fail_msg("%s: energy off by %g of %g", methods[k], report.energy_error, report.energy_scale);
    }
    tml_model_destroy(model);
}

// Two mechanisms pass their singular configurations slowly against a force in the lost direction, turn back,
// and pass again; the second lags behind. Energy is conserved to a few tolerances only if the force of the
// inactive rows of each of them is replaced.
static void passed_against_force(void **state)
{
    (void)state;
    static const char *const lags[] = {"0", "5e-5", "1e-4"};
    static const char *const methods[] = {"for-sdirk", "genalpha", "radau5"};
    for (int i = 0; i < 9; i++) {
        tml_model *model =
            load_model("../tests/models/two_slider_cranks", (tml_parameter){"lag", lags[i / 3]}, NULL);
        tml_run_def run = *tml_model_run(model);
        run.method = methods[i % 3];
        run.kinematics = TML_KINEMATICS_BODIES;
        const tml_sim_report report = report_of_run(model, &run, NAN);
        assert_true(report.count.singular >= 1);
        if (!(report.energy_error < 5 * run.tol * report.energy_scale))
            fail_msg("%s, lag %s: energy off by %g of %g", run.method, lags[i / 3], report.energy_error,
                     report.energy_scale);
        tml_model_destroy(model);
    }
}

// out := state after ten steps of bdf from the start of sim, with the option `dependent`.
static void ten_steps(const tml_sim *sim, const bool *dependent, tml_state *out)
{
    tml_error err = {0};
    tml_integrator_options opt = tml_integrator_options_default();
    const tml_method_ops *ops;
    void *self;
    double error;
    opt.redundant = dependent;
    OK(tml_method_create(tml_method_find("bdf"), sim->sys, &opt, &ops, &self, &err));
    OK(ops->start(self, sim->out, &err));
    for (int k = 0; k < 10; k++) {
        OK(ops->step(self, 1e-4, &error, &err));
        ops->accept(self, ops->state(self)->t + 1e-4);
    }
    tml_state_copy(out, ops->state(self));
    ops->destroy(self);
}

// Redundant rows are found at a start, or given by the caller.
static void known_rows(void **state)
{
    (void)state;
    tml_error err = {0};
    tml_model *model = text_model(DOOR);
    tml_sim *sim = start_sim(model, tml_model_run(model));
    const bool *found = tmli_consistent_redundant(&sim->consistent);
    const int m = sim->sys->m, n = sim->sys->n;
    tml_state *x[3];
    bool others[10];
    assert_int_equal(m, 10);
    for (int r = 0; r < m; r++) others[r] = r < 5;  // the lower hinge is redundant
    for (int k = 0; k < 3; k++) {
        OK(tml_state_create(sim->sys, &x[k], &err));
        ten_steps(sim, k == 0 ? NULL : k == 1 ? found : others, x[k]);
    }
    for (int j = 0; j < n; j++) {
        assert_true(x[1]->u[j] == x[0]->u[j] && x[1]->udot[j] == x[0]->udot[j]);
        CHECK_CLOSE(x[2]->u[j], x[0]->u[j], 1e-9);  // the same motion
    }
    for (int r = 0; r < m; r++) {
        assert_true(x[1]->lambda[r] == x[0]->lambda[r]);
        assert_true(!found[r] || x[0]->lambda[r] == 0);
        assert_true((x[2]->lambda[r] == 0) == others[r]);
    }
    for (int k = 0; k < 3; k++) tml_state_destroy(x[k], sim->sys);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
}

// Each allocation of a run with redundant rows can fail, and the step loop allocates nothing.
static void memory(void **state)
{
    (void)state;
    counter c = {0};
    const tml_env env = count_env(&c);
    tml_model *model = load_model("redundant_four_bar", (tml_parameter){0}, &env);
    tml_run_def run = *tml_model_run(model);
    run.method = "bdf";
    memory_runs_out(&c, model, &run, 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inactive_rows),
        cmocka_unit_test(minimum_norm_reactions),
        cmocka_unit_test(reversed_motion),
        cmocka_unit_test(counted),
        cmocka_unit_test(counted_in_long_steps),
        cmocka_unit_test(unbounded_multipliers),
        cmocka_unit_test(passed_against_force),
        cmocka_unit_test(memory),
        cmocka_unit_test(known_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
