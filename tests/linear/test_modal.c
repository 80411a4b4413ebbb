// Modal bodies: tangents against differences, momentum and energy, and the same parts made of beams.
#include "linear/modal_fixture.h"

#include "model/model.h"

// A curved arm with a heavy section, and a lump beside its start: all couplings of its inertia are there.
static const char arm_text[] =
    "beams: {arm: {type: general, length: 1.1, curvature: [0.3, -0.6, 0.8], order: 2, elements: 2,\n"
    "  stiffness: [3e5, 1e5, 1.2e5, 400, 500, 300], mass: 2.1, inertia: [0.02, 0.013, 0.009]}}\n"
    "bodies: {lump: {mass: 0.7, inertia: [0.02, 0.03, 0.04, 0.001, 0.002, 0.003], position: [0.1, 0.3, "
    "0.2],\n"
    "  frames: {foot: [-0.1, -0.3, -0.2]}}}\n"
    "forces: {tie: {type: bushing, a: arm.start, b: lump.foot, stiffness: [3e4, 2e4, 4e4, 300, 200, 400]}}\n";

static const char *const arm_names[] = {"lump", "middle", "right"};
static const char *const arm_loads[] = {"right.x", "right.y", "middle.rz", "spin.xy", "spin.zz"};
static const char *const arm_frames[] = {"lump", "arm.mid", "arm.end"};

typedef struct fixture {
    tml_part *part;
    tml_model *model;
    const tml_system *sys;
    void *work;
    tml_state *x;
} fixture;

static fixture make(const char *reference, bool stiffening, bool damped, bool gravity)
{
    fixture f = {.part = reduce(arm_text, 3, arm_names, arm_frames, 5, stiffening ? 5 : 0, arm_loads)};
    tml_spec *spec = parse(gravity ? "gravity: [1.1, -2.3, 9.3]" : "gravity: 0");
    tml_modal_def d = tml_modal_def_default();
    const double ratio[2] = {0.02, 0.05};
    d.name = "m";
    d.part = f.part;
    d.reference = reference;
    d.damping_count = damped ? 2 : 0;
    d.damping = ratio;
    d.mass_damping = damped ? 0.3 : 0;
    d.stiffness_damping = damped ? 1e-4 : 0;
    OK(tml_spec_add_modal(spec, &d, &err));
    OK(tml_model_build(spec, &f.model, &err));
    tml_spec_destroy(spec);
    f.sys = tml_model_system(f.model);
    f.work = f.sys->ops->create_work(f.sys->self, NULL);
    OK(tml_state_create(f.sys, &f.x, &err));
    return f;
}

static void clear(fixture *f)
{
    tml_state_destroy(f->x, f->sys);
    f->sys->ops->destroy_work(f->work);
    tml_model_destroy(f->model);
    tml_part_destroy(f->part);
}

// Moved as a rigid body by any rotation, then strained a little; any velocity.
static void randomize(fixture *f, rng *r, double strain)
{
    const tml_model *m = f->model;
    tml_model_start(m, 0, f->x);
    const double turn[3] = {rng_range(r, -2, 2), rng_range(r, -2, 2), rng_range(r, -2, 2)};
    const quat p = tmli_so3_exp(v3_from(turn));
    const mat3 R = q_matrix(p);
    for (int i = 0; i < m->nbodies; i++) {
        double *q = f->x->q + 7 * i;
        v3_store(v3_add(m3_mulv(&R, v3_from(q)), v3(0.3, -0.7, 1.1)), q);
        q_store(q_mul(p, q_from(q + 3)), q + 3);
    }
    double d[64];
    for (int j = 0; j < f->sys->n; j++) {
        d[j] = rng_range(r, -strain, strain);
        f->x->u[j] = rng_range(r, -3, 3);
        f->x->udot[j] = rng_range(r, -9, 9);
    }
    f->sys->ops->retract(f->sys->self, f->x->q, d, f->x->q);
}

static void residual(fixture *f, const tml_state *x, double *out)
{
    double phi[1];
    OK(f->sys->ops->residual(f->sys->self, f->work, x, NULL, out, phi, &err));
}

// Derivative of the residual along coordinate j of increments (0), velocities (1), accelerations (2): the
// differences of two step sizes, extrapolated.
static void difference(fixture *f, int what, int j, double *out)
{
    double sum[64] = {0}, value[64];
    tml_state *y = NULL;
    OK(tml_state_create(f->sys, &y, &err));
    for (int k = 0; k < 4; k++) {
        // the residual is of second degree in velocities, of first in accelerations
        const double h = (k < 2 ? 1 : 2) * (what == 0 ? 1e-4 : 0.1), step = k % 2 ? -h : h;
        const double weight = (k < 2 ? 4.0 : -1.0) / 3 / (2 * step);
        double d[64] = {0};
        tml_state_copy(y, f->x);
        d[j] = step;
        if (what == 0) f->sys->ops->retract(f->sys->self, f->x->q, d, y->q);
        else (what == 1 ? y->u : y->udot)[j] += step;
        residual(f, y, value);
        for (int i = 0; i < f->sys->n; i++) sum[i] += weight * value[i];
    }
    memcpy(out, sum, (size_t)f->sys->n * sizeof *out);
    tml_state_destroy(y, f->sys);
}

static void check_tangents(fixture *f)
{
    static const tml_assembly part[3] = {{.ck = 1}, {.cd = 1}, {.cm = 1}};
    const tml_pattern *p = f->sys->pattern;
    const int n = f->sys->n;
    double *values = calloc((size_t)p->colptr[p->n], sizeof *values), column[64];
    for (int what = 0; what < 3; what++) {
        double scale = 0, force = 0;
        residual(f, f->x, column);
        for (int i = 0; i < n; i++) force = fmax(force, fabs(column[i]));
        OK(f->sys->ops->assemble(f->sys->self, f->work, f->x, &part[what], values, &err));
        for (int k = 0; k < p->colptr[p->n]; k++) scale = fmax(scale, fabs(values[k]));
        for (int j = 0; j < n; j++) {
            difference(f, what, j, column);
            // error h^4 of increments; round-off of forces over h
            const double allowed = 1e-10 * scale + 1e-15 * force / (what == 0 ? 1e-4 : 0.1);
            for (int e = p->colptr[j]; e < p->colptr[j + 1]; e++)
                if (fabs(values[e] - column[p->rowind[e]]) > allowed)
                    fail_msg("part %d, entry (%d, %d): %.12g, difference quotient %.12g, scale %g", what,
                             p->rowind[e], j, values[e], column[p->rowind[e]], scale);
        }
    }
    free(values);
}

static void tangents(void **state)
{
    (void)state;
    rng r = rng_seed(7);
    for (int k = 0; k < 3; k++) {
        fixture f = make(k == 0 ? "right" : NULL, k != 0, k != 1, true);
        for (int round = 0; round < 2; round++) {
            randomize(&f, &r, 0.05);
            check_tangents(&f);
        }
        clear(&f);
    }
}

// ---- momentum and energy ----------------------------------------------------------------------------------

// out (6) = momentum and angular momentum about the origin: e'M u for rigid motion e.
static void momentum(fixture *f, const tml_state *x, double out[6])
{
    const tml_model *m = f->model;
    const tml_pattern *p = f->sys->pattern;
    double *values = calloc((size_t)p->colptr[p->n], sizeof *values), Mu[64] = {0};
    OK(f->sys->ops->assemble(f->sys->self, f->work, x, &(tml_assembly){.cm = 1}, values, &err));
    for (int j = 0; j < f->sys->n; j++)
        for (int e = p->colptr[j]; e < p->colptr[j + 1]; e++) Mu[p->rowind[e]] += values[e] * x->u[j];
    vec3 P = v3(0, 0, 0), L = P;
    for (int i = 0; i < m->nbodies; i++) {
        const mat3 R = q_matrix(q_from(x->q + 7 * i + 3));
        const double *at = Mu + m->node[i].first;
        P = v3_add(P, v3_from(at));
        L = v3_add(L, v3_add(v3_cross(v3_from(x->q + 7 * i), v3_from(at)), m3_mulv(&R, v3_from(at + 3))));
    }
    v3_store(P, out);
    v3_store(L, out + 3);
    free(values);
}

// Accelerations of x, by elimination.
static void accelerate(fixture *f, tml_state *x)
{
    const tml_pattern *p = f->sys->pattern;
    const int n = f->sys->n;
    double *A = calloc((size_t)(n * n), sizeof *A), gamma[1], b[64];
    double *values = calloc((size_t)p->colptr[p->n], sizeof *values);
    OK(f->sys->ops->dynamics(f->sys->self, f->work, x, b, gamma, &err));
    OK(f->sys->ops->assemble(f->sys->self, f->work, x, &(tml_assembly){.cm = 1}, values, &err));
    for (int j = 0; j < n; j++)
        for (int e = p->colptr[j]; e < p->colptr[j + 1]; e++) A[p->rowind[e] * n + j] = values[e];
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            const double l = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; j++) A[i * n + j] -= l * A[k * n + j];
            b[i] -= l * b[k];
        }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) b[i] -= A[i * n + j] * b[j];
        x->udot[i] = b[i] /= A[i * n + i];
    }
    free(A);
    free(values);
}

// Rates of momentum, angular momentum and energy along the motion: the weight, its moment, minus damping.
static void conservation(void **state)
{
    (void)state;
    rng r = rng_seed(11);
    for (int k = 0; k < 2; k++) {
        fixture f = make(k ? NULL : "middle", k == 1, k == 1, k == 1);
        tml_part_info info;
        OK(tml_part_get_info(f.part, &info, &err));
        randomize(&f, &r, 0.05);
        accelerate(&f, f.x);
        double rate[7] = {0}, size[7] = {0}, power = 0;
        for (int side = 0; side < 4; side++) {
            const double h = side < 2 ? 1e-5 : 2e-5, step = side % 2 ? -h : h;
            const double weight = (side < 2 ? 4.0 : -1.0) / 3 / (2 * step);
            tml_state *y = NULL;
            double d[64], value[7], kinetic, potential;
            OK(tml_state_create(f.sys, &y, &err));
            tml_state_copy(y, f.x);
            for (int j = 0; j < f.sys->n; j++) {  // to second order in the step: it cancels
                d[j] = step * f.x->u[j];
                y->u[j] += step * f.x->udot[j];
            }
            f.sys->ops->retract(f.sys->self, f.x->q, d, y->q);
            momentum(&f, y, value);
            OK(f.sys->ops->energy(f.sys->self, f.work, y, &kinetic, &potential, &power, &err));
            value[6] = kinetic + potential;
            for (int i = 0; i < 7; i++) {
                rate[i] += weight * value[i];
                size[i] = fmax(size[i], fabs(value[i]));
            }
            tml_state_destroy(y, f.sys);
        }
        double kinetic, potential;
        OK(f.sys->ops->energy(f.sys->self, f.work, f.x, &kinetic, &potential, &power, &err));
        assert_true(k == 0 ? power == 0 : power < 0);
        const double g[3] = {1.1, -2.3, 9.3};
        // errors: h^4 times the fifth power of the highest frequency, 1e4/s; round-off 1e-16/h
        for (int i = 0; i < 3; i++) CHECK_CLOSE(rate[i], k * info.mass * g[i], 1e-7 * size[i]);
        for (int i = 3; i < 6 && k == 0; i++) CHECK_SMALL(rate[i], 1e-7 * size[i]);
        CHECK_CLOSE(rate[6], power, 1e-6 * size[6]);
        clear(&f);
    }
}

// A free part that spins and vibrates keeps momentum, angular momentum and energy: the equations conserve
// them exactly, so what is left is the tolerance of the run.
static void free_flight(void **state)
{
    (void)state;
    rng r = rng_seed(5);
    fixture f = make(NULL, true, false, false);
    tml_sim *sim = NULL;
    tml_sim_report report;
    double before[6], after[6];
    randomize(&f, &r, 1e-3);
    for (int j = 0; j < f.sys->n; j++) f.x->u[j] *= 0.1;
    tml_run_def run = *tml_model_run(f.model);
    run.method = "radau5";
    run.tol = 1e-8;
    run.end = less_if_slow("a tenth of the time") ? 0.002 : 0.02;
    OK(tml_sim_create(f.model, &run, &sim, &err));
    OK(tml_sim_restart(sim, f.x, &err));
    momentum(&f, f.x, before);
    OK(tml_sim_run(sim, run.end, &err));
    momentum(&f, tml_sim_state(sim), after);
    tml_sim_get_report(sim, &report);
    const double P = v3_norm(v3_from(before)), L = v3_norm(v3_from(before + 3));
    for (int i = 0; i < 6; i++) CHECK_CLOSE(after[i], before[i], 1e-7 * (i < 3 ? P : L));
    CHECK_SMALL(report.energy_error, 1e-7 * report.energy_scale);
    tml_sim_destroy(sim);
    clear(&f);
}

// ---- models -----------------------------------------------------------------------------------------------

// What a file may get wrong, with the position.
static void refused_models(void **state)
{
    (void)state;
    tml_part *part = reduce(arm_text, 3, arm_names, arm_frames, 2, 1, arm_loads);
    OK(tml_part_write(part, "arm.part", &err));
    tml_part_destroy(part);
    static const struct {
        const char *text;
        tml_status status;
        int line, col;
        const char *message;
    } cases[] = {
        {"modal_bodies:\n  a: {part: no.part}\n", TML_ERR_IO, 2, 13, "Cannot read 'no.part'"},
        {"modal_bodies:\n  a: {}\n", TML_ERR_MODEL, 2, 3, "it needs 'part'"},
        {"modal_bodies:\n  a: {part: arm.part, stiffness: k.mtx}\n", TML_ERR_MODEL, 2, 34, "both 'part' and"},
        {"modal_bodies:\n  a: {stiffness: k.mtx, mass: m.mtx}\n", TML_ERR_MODEL, 2, 3,
         "lacks the key 'nodes'"},
        {"modal_bodies:\n  a: {part: arm.part, reference: rigth, stiffening: false}\n", TML_ERR_NAME, 2, 34,
         "has no node 'rigth' (is it 'right'?)"},
        {"modal_bodies:\n  a: {part: arm.part, reference: right}\n", TML_ERR_MODEL, 2, 34,
         "the load cases of the part hold for its reference node 'lump'"},
        {"modal_bodies:\n  a: {part: arm.part, damping: [-0.1]}\n", TML_ERR_MODEL, 2, 32, "damping"},
        {"modal_bodies:\n  a: {part: arm.part}\njoints:\n  j: {type: fixed, a: ground, b: a}\n", TML_ERR_NAME,
         4, 34, "'a' is a modal body"},
        {"planar: true\nmodal_bodies:\n  a: {part: arm.part}\n", TML_ERR_MODEL, 3, 13, "in a planar model"},
        {"modal_bodies:\n  a: {part: arm.part}\nbodies: {a_right: {mass: 1}}\n", TML_ERR_NAME, 0, 0,
         "'a_right' is already used"},
        {"forces:\n  a: {type: modal}\n", TML_ERR_MODEL, 2, 0, "made by the section 'modal_bodies'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tml_spec *spec = NULL;
        tml_model *model = NULL;
        tml_status st =
            tml_spec_parse(cases[i].text, strlen(cases[i].text), "test.yaml", NULL, 0, NULL, &spec, &err);
        if (st == TML_OK) st = tml_model_build(spec, &model, &err);
        if (st != cases[i].status || !strstr(err.msg, cases[i].message))
            fail_msg("case %zu: status %d, %s", i, st, err.msg);
        if (cases[i].line > 0 && err.line != cases[i].line) fail_msg("case %zu: line %d", i, err.line);
        if (cases[i].col > 0 && err.col != cases[i].col) fail_msg("case %zu: column %d", i, err.col);
        tml_model_destroy(model);
        tml_spec_destroy(spec);
    }
}

// A mesh in a model: its matrices are reduced while it is read.
static void mesh_in_model(void **state)
{
    (void)state;
    tml_spec *from = parse(arm_text), *spec = NULL;
    tml_mesh *mesh = NULL;
    tml_model *model = NULL;
    tml_mesh_def def = tml_mesh_def_default();
    def.spec = from;
    def.interface_count = 3;
    def.interface = arm_frames;
    def.names = arm_names;
    OK(tml_mesh_of_spec(&def, &mesh, &err));
    OK(tml_mesh_write(mesh, "arm", &err));
    tml_mesh_destroy(mesh);
    tml_spec_destroy(from);
    spec =
        parse("modal_bodies: {m: {stiffness: arm_stiffness.mtx, mass: arm_mass.mtx, nodes: arm_nodes.csv,\n"
              "  interface: 'lump, right', modes: 4, damping: [0.02]}}\n"
              "joints: {pin: {type: revolute, a: ground, b: m.lump}}\n"
              "outputs: {e: m_part.energy, one: m_part.mode1}\n");
    OK(tml_model_build(spec, &model, &err));
    assert_int_equal(tml_model_system(model)->n, 12 + 4);
    assert_true(tml_model_system(model)->coupled);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
}

// Every method runs a free part that spins and vibrates, and keeps its energy to its tolerance; forms of the
// equations that need the inertia of single bodies are refused.
static void methods(void **state)
{
    (void)state;
    tml_part *part = reduce(arm_text, 3, arm_names, arm_frames, 4, 0, NULL);
    OK(tml_part_write(part, "free.part", &err));
    tml_part_destroy(part);
    static const char *const name[] = {"genalpha",   "bdf",      "radau5", "erk5",
                                       "infl-sdirk", "ssp-trap", "decay"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        char text[400];
        tml_model *model = NULL;
        tml_sim *sim = NULL;
        tml_sim_report report;
        snprintf(text, sizeof text,
                 "modal_bodies: {m: {part: free.part, angular_velocity: [1, 9, 4], velocity: [1, 2, 3]}}\n"
                 "run: {end: 0.02, method: %s, tol: 1.0e-5}\n",
                 name[i]);
        tml_spec *spec = parse(text);
        OK(tml_model_build(spec, &model, &err));
        OK(tml_sim_create(model, tml_model_run(model), &sim, &err));
        OK(tml_sim_run(sim, 0.02, &err));
        tml_sim_get_report(sim, &report);
        if (!(report.energy_error <= 1e-4 * report.energy_scale))
            fail_msg("%s: energy %g of %g", name[i], report.energy_error, report.energy_scale);
        tml_sim_destroy(sim);
        tml_run_def run = *tml_model_run(model);
        run.kinematics = TML_KINEMATICS_JOINTS;
        assert_int_equal(tml_sim_create(model, &run, &sim, &err), TML_ERR_MODEL);
        assert_non_null(strstr(err.msg, "joint coordinates do not support"));
        run.kinematics = TML_KINEMATICS_BODIES;
        run.group = TML_GROUP_SE3;
        assert_int_equal(tml_sim_create(model, &run, &sim, &err), TML_ERR_ARG);
        tml_model_destroy(model);
        tml_spec_destroy(spec);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangents),       cmocka_unit_test(conservation),  cmocka_unit_test(free_flight),
        cmocka_unit_test(refused_models), cmocka_unit_test(mesh_in_model), cmocka_unit_test(methods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
