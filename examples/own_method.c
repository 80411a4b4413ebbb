// An integration method of one's own: the explicit midpoint rule (Runge-Kutta, two stages), for any model.
//
//   k1 = a(t, q, u)      um = u + h/2 k1, qm = q (+) h/2 u      k2 = a(t + h/2, qm, um)
//   q1 = q (+) h um      u1 = u + h k2                          error ~ h^2 (k2 - k1)
//
// Accelerations a and multipliers solve M a + B' lambda = f, B a = gamma with the linear solver of the run.
// The method leaves small errors in the constraints, which the outputs do not show: they are projected.
// tml_sim gives it step-size control, outputs, events and channels; its function `archive` lets it be saved.
// Expected: the pendulum of models/double_pendulum.yaml keeps its energy within the tolerance. Exit status 0
// if this holds and a saved run continues with the same bits.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/trammel.h>

typedef struct midpoint {
    const tml_system *sys;
    tml_integrator_options opt;
    tml_counters count;
    const tml_linsolver_ops *solver;
    void *lin, *work;
    double *values, *rhs;              // matrix (entries of the pattern), right-hand side (n + m)
    double *k1, *k2, *um, *d, *dense;  // (n); dense: k1 and k2 of the last accepted step (2 n)
    tml_state *x, *previous, *trial;
    double h_trial, h_last;
} midpoint;

static void destroy(void *self)
{
    midpoint *s = (midpoint *)self;
    if (!s) return;
    if (s->lin) s->solver->destroy(s->lin);
    if (s->work) s->sys->ops->destroy_work(s->work);
    tml_state_destroy(s->x, s->sys);
    tml_state_destroy(s->previous, s->sys);
    tml_state_destroy(s->trial, s->sys);
    free(s->values);
    free(s);
}

// All memory is taken here: steps must not allocate.
static tml_status create(const tml_system *sys, const tml_integrator_options *opt, void **self,
                         tml_error *err)
{
    const size_t n = (size_t)sys->n, m = (size_t)sys->m;
    const size_t nnz = (size_t)sys->pattern->colptr[sys->pattern->n];
    midpoint *s = (midpoint *)calloc(1, sizeof *s);
    *self = NULL;
    if (!s) return TML_ERR_NOMEM;
    s->sys = sys;
    s->opt = *opt;
    s->solver = &tml_linsolver_klu;  // pivots: the matrix is indefinite
    s->values = (double *)calloc(nnz + (n + m) + 6 * n, sizeof(double));
    s->work = sys->ops->create_work(sys->self, &sys->env);
    tml_status st = s->values && s->work ? TML_OK : TML_ERR_NOMEM;
    if (st == TML_OK) st = s->solver->create(sys->pattern, &sys->env, &s->lin, err);
    if (st == TML_OK) st = tml_state_create(sys, &s->x, err);
    if (st == TML_OK) st = tml_state_create(sys, &s->previous, err);
    if (st == TML_OK) st = tml_state_create(sys, &s->trial, err);
    if (st != TML_OK) {
        destroy(s);
        return st;
    }
    s->rhs = s->values + nnz;
    s->k1 = s->rhs + n + m;
    s->k2 = s->k1 + n;
    s->um = s->k2 + n;
    s->d = s->um + n;
    s->dense = s->d + n;
    *self = s;
    return TML_OK;
}

static tml_status start(void *self, const tml_state *x, tml_error *err)
{
    midpoint *s = (midpoint *)self;
    (void)err;
    tml_state_copy(s->x, x);
    tml_state_copy(s->previous, x);
    s->h_last = 0;
    return TML_OK;
}

static double first_step(void *self) { return 1e-4 * ((midpoint *)self)->opt.duration; }

// udot and lambda of x; k (n) := udot
static tml_status accelerate(midpoint *s, tml_state *x, double *k, tml_error *err)
{
    const tml_system *sys = s->sys;
    const size_t n = (size_t)sys->n;
    tml_assembly mass;
    memset(&mass, 0, sizeof mass);
    mass.cm = 1;
    tml_status st = sys->ops->dynamics(sys->self, s->work, x, s->rhs, s->rhs + n, err);
    if (st == TML_OK) st = sys->ops->assemble(sys->self, s->work, x, &mass, s->values, err);
    if (st == TML_OK) st = s->solver->factor(s->lin, s->values, err);
    s->count.residuals++;
    s->count.factorizations++;
    if (st != TML_OK) return st;
    s->solver->solve(s->lin, s->rhs);
    memcpy(x->udot, s->rhs, n * sizeof(double));
    memcpy(x->lambda, s->rhs + n, (size_t)sys->m * sizeof(double));
    memcpy(k, s->rhs, n * sizeof(double));
    return TML_OK;
}

// A trial step works on `trial` and leaves x alone.
static tml_status step(void *self, double h, double *error, tml_error *err)
{
    midpoint *s = (midpoint *)self;
    const tml_system *sys = s->sys;
    tml_state *y = s->trial;
    s->h_trial = h;
    memcpy(s->k1, s->x->udot, (size_t)sys->n * sizeof(double));  // known from the end of the last step
    tml_state_copy(y, s->x);
    y->t = s->x->t + h / 2;
    for (int j = 0; j < sys->n; j++) {
        s->d[j] = h / 2 * s->x->u[j];
        s->um[j] = y->u[j] = s->x->u[j] + h / 2 * s->k1[j];
    }
    sys->ops->retract(sys->self, s->x->q, s->d, y->q);
    tml_status st = accelerate(s, y, s->k2, err);
    if (st != TML_OK) return st;
    y->t = s->x->t + h;
    for (int j = 0; j < sys->n; j++) {
        s->d[j] = h * s->um[j];
        y->u[j] = s->x->u[j] + h * s->k2[j];
    }
    sys->ops->retract(sys->self, s->x->q, s->d, y->q);
    double *unused = s->d;
    st = accelerate(s, y, unused, err);
    // error per unit step, so that the errors of all steps add up to the tolerance; of the order h^3
    const double allowed = s->opt.run.rtol * sys->length * h / s->opt.duration;
    *error = 0;
    for (int j = 0; j < sys->n; j++) {
        const double e = h * fabs(s->k2[j] - s->k1[j]) * h;
        if (!(e <= *error)) *error = e;
    }
    *error = s->opt.fixed_step ? 0 : *error / allowed;
    return st;
}

static double next_step(void *self, double h, double error, bool accepted)
{
    (void)self;
    const double factor = 0.9 / sqrt(fmax(error, 1e-6));  // h^3 over what h allows
    return h * fmin(accepted ? 2 : 0.9, fmax(0.2, factor));
}

static void accept(void *self, double t)
{
    midpoint *s = (midpoint *)self;
    const size_t bytes = (size_t)s->sys->n * sizeof(double);
    tml_state *old = s->previous;
    s->previous = s->x;
    s->x = s->trial;
    s->trial = old;
    s->x->t = t;
    if (s->sys->ops->accept) s->sys->ops->accept(s->sys->self, s->work, s->x);
    memcpy(s->dense, s->k1, bytes);
    memcpy(s->dense + s->sys->n, s->k2, bytes);
    s->h_last = s->h_trial;
    s->count.steps++;
}

// q(theta) = q (+) theta h (u + theta h/2 k1), u(theta) = u + theta h k2
static void interpolate(void *self, double theta, tml_state *out)
{
    const midpoint *s = (const midpoint *)self;
    const tml_state *a = s->previous;
    const double h = theta * s->h_last;
    tml_state_copy(out, s->x);
    if (s->h_last == 0 || theta >= 1) return;
    out->t = a->t + h;
    memcpy(out->angle, a->angle, (size_t)s->sys->na * sizeof(double));
    for (int j = 0; j < s->sys->n; j++) s->d[j] = h * (a->u[j] + h / 2 * s->dense[j]);
    s->sys->ops->retract(s->sys->self, a->q, s->d, out->q);
    for (int j = 0; j < s->sys->n; j++) out->u[j] = a->u[j] + h * s->dense[s->sys->n + j];
}

static const tml_state *state(const void *self) { return ((const midpoint *)self)->x; }
static void counters(const void *self, tml_counters *out) { *out = ((const midpoint *)self)->count; }
static double condition(void *self)
{
    (void)self;
    return 0;  // not known
}

// What later steps and outputs depend on; the same calls write and read.
static void archive(void *self, tml_archive *a)
{
    midpoint *s = (midpoint *)self;
    tml_counters_archive(&s->count, a);
    tml_state_archive(s->x, a);
    tml_state_archive(s->previous, a);
    tml_archive_doubles(a, s->dense, 2 * (size_t)s->sys->n);
    tml_archive_doubles(a, &s->h_last, 1);
    s->solver->archive(s->lin, a);  // it keeps its pivots
}

static tml_method_ops make_method(void)
{
    tml_method_ops m;
    memset(&m, 0, sizeof m);
    m.name = "midpoint-rk";
    m.summary = "explicit midpoint rule on the coordinates of the bodies";
    m.form = "index 1";
    m.stability = "explicit";
    m.citation = "Runge 1895";
    m.order = 2;
    m.equations = TML_EQUATIONS_STATE_SPACE;
    m.create = create;
    m.start = start;
    m.first_step = first_step;
    m.step = step;
    m.next_step = next_step;
    m.accept = accept;
    m.interpolate = interpolate;
    m.state = state;
    m.counters = counters;
    m.condition = condition;
    m.destroy = destroy;
    m.archive = archive;
    return m;
}

// The rest of a run that was saved half-way, by another simulation; 1: it ends in the same state.
static int continues(const tml_sim_def *def, tml_error *err)
{
    static unsigned char data[1 << 20];
    size_t size = 0;
    tml_sim *a = NULL, *b = NULL;
    tml_status st = tml_sim_create_def(def, &a, err);
    while (st == TML_OK && tml_sim_time(a) < 0.5) st = tml_sim_step(a, 1, err);
    if (st == TML_OK) st = tml_sim_save_memory(a, data, sizeof data, &size, err);
    if (st == TML_OK) st = tml_sim_load_memory(def, data, size, &b, err);
    while (st == TML_OK && tml_sim_time(a) < 1) st = tml_sim_step(a, 1, err);
    while (st == TML_OK && tml_sim_time(b) < 1) st = tml_sim_step(b, 1, err);
    const tml_state *x = tml_sim_state(a), *y = tml_sim_state(b);
    const int same = st == TML_OK && memcmp(x->q, y->q, (size_t)x->nq * sizeof(double)) == 0;
    tml_sim_destroy(a);
    tml_sim_destroy(b);
    return same;
}

int main(void)
{
    tml_error err;
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_sim *sim = NULL;
    const tml_method_ops method = make_method();
    tml_status st = tml_spec_read("models/double_pendulum.yaml", NULL, 0, NULL, &spec, &err);
    if (st == TML_OK) st = tml_model_build(spec, &model, &err);
    if (st != TML_OK) {
        fprintf(stderr, "%s\n", err.msg);
        return 1;
    }
    tml_run_def run = *tml_model_run(model);
    run.end = 1;
    run.tol = 1e-4;
    tml_sim_def def = tml_sim_def_default();
    def.model = model;
    def.run = &run;
    def.method = &method;
    st = tml_sim_create_def(&def, &sim, &err);
    if (st == TML_OK) st = tml_sim_run(sim, NAN, &err);
    tml_sim_report report;
    tml_sim_get_report(sim, &report);
    int good = 0;
    if (st == TML_OK) {
        printf("method %s: %ld steps, energy error %.1e of %.3g J\n", report.method, report.count.steps,
               report.energy_error, report.energy_scale);
        good = report.energy_error < 1e-3 * report.energy_scale;
    }
    if (good && !continues(&def, &err)) good = 0;
    if (!good) fprintf(stderr, "%s\n", err.msg[0] ? err.msg : "the pendulum does not move as it should");
    tml_sim_destroy(sim);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
    return good ? 0 : 1;
}
