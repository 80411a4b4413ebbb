// A ride: a model or user system with one method and the driver on it, started from a consistent state. What
// a simulation does, without anything above src/integrate.
#ifndef TEST_INTEGRATE_FIXTURE_H
#define TEST_INTEGRATE_FIXTURE_H

#include "consistency/consistent.h"
#include "integrate/core/driver.h"
#include "support/support.h"

#include <trammel/integrator.h>
#include <trammel/model.h>
#include <trammel/spec.h>
#include <trammel/system.h>

/** How to ride; zero fields mean: step-size control at tolerance 1e-4. */
typedef struct plan {
    const char *method;  // NULL: genalpha
    double h;            // fixed step [s]
    double tol;
    double duration;  // [s]
    double rho;       // NAN: the method's own
    double alpha;     // NAN: the method's own
    int max_order;
    tml_placement placement;
    tml_constraint_point constraint_point;
    tml_fields fields;
    tml_control control;
    double min_step;  // [s]
    tml_scaling scaling;
    double augment;
    const tml_linsolver_ops *solver;
    tml_iterate iterate;
    bool report;
    tml_group group;
    tml_coordinates coordinates;
    tml_jacobian jacobian;
    tml_estimate estimate;
} plan;

static tml_group plan_group;  // of plan_default

typedef struct ride {
    tml_model *model;  // owned; NULL for a user system
    tml_system *user;  // owned; NULL for a model
    const tml_system *sys;
    tmli_consistent consistent;
    tml_state *x0;  // consistent
    tmli_driver driver;
    void *work;  // of the system, for the test's own questions
} ride;

#define OK(call)                                                                                \
    do {                                                                                        \
        tml_error ok_err = {0}, *err = &ok_err;                                                 \
        if ((call) != TML_OK) fail_msg("%s:%d: %s: %s", __FILE__, __LINE__, #call, ok_err.msg); \
        (void)err;                                                                              \
    } while (0)

static inline plan plan_default(void)
{
    return (plan){.tol = 1e-4,
                  .duration = 1,
                  .rho = NAN,
                  .alpha = NAN,
                  .max_order = 5,
                  .scaling = TML_SCALING_PHYSICAL,
                  .augment = 1,
                  .solver = &tml_linsolver_dense,
                  .group = plan_group};
}

static inline const char *model_path(const char *name)
{
    static char path[600];
    const char *source = getenv("TRAMMEL_SOURCE_DIR");
    snprintf(path, sizeof path, "%s/models/%s.yaml", source ? source : "../..", name);
    return path;
}

static inline tml_model *model_of(tml_spec *spec)  // takes the spec
{
    tml_model *model = NULL;
    OK(tml_model_build(spec, &model, err));
    tml_spec_destroy(spec);
    return model;
}

static inline tml_model *model_read(const char *name, const tml_parameter *set, int count)
{
    tml_spec *spec = NULL;
    OK(tml_spec_read(model_path(name), set, count, NULL, &spec, err));
    return model_of(spec);
}

static inline tml_model *model_parse(const char *text, const tml_parameter *set, int count)
{
    tml_spec *spec = NULL;
    OK(tml_spec_parse(text, strlen(text), "test", set, count, NULL, &spec, err));
    return model_of(spec);
}

static inline void ride_integrator(ride *r, const plan *p)
{
    tml_integrator_options opt = tml_integrator_options_default();
    opt.run.rtol = opt.run.atol = p->tol;
    opt.duration = p->duration;
    opt.fixed_step = p->h > 0;
    opt.run.rho = p->rho;
    opt.run.alpha = p->alpha;
    opt.run.max_order = p->max_order;
    opt.run.placement = p->placement;
    opt.run.constraint_point = p->constraint_point;
    opt.run.fields = p->fields;
    opt.run.control = p->control;
    opt.run.scaling = p->scaling;
    opt.run.augment = p->augment;
    opt.solver = p->solver;
    opt.run.iterate = p->iterate;
    opt.run.report = p->report;
    opt.run.group = p->group;
    opt.run.coordinates = p->coordinates;
    opt.run.jacobian = p->jacobian;
    opt.run.estimate = p->estimate;
    opt.run.kinematics = TML_KINEMATICS_BODIES;  // constraints and multipliers are what most tests look at
    const tml_method_ops *method = tml_method_find(p->method ? p->method : "genalpha");
    if (!method) fail_msg("there is no method '%s'", p->method);
    OK(tml_method_create(method, r->sys, &opt, &r->driver.method, &r->driver.self, err));
    OK(r->driver.method->start(r->driver.self, r->x0, err));
    r->driver.fixed = opt.fixed_step;
    r->driver.h_max = INFINITY;
    r->driver.h_min = p->min_step > 0 ? p->min_step : 1e-15 * p->duration;
    r->driver.h = opt.fixed_step ? p->h : r->driver.method->first_step(r->driver.self);
}

/** Start a model (taken over), at the projection of its start onto the constraints. */
static inline void ride_model(ride *r, tml_model *model, const plan *p)
{
    *r = (ride){.model = model, .sys = tml_model_system(model)};
    r->work = r->sys->ops->create_work(r->sys->self, &r->sys->env);
    OK(tmli_consistent_create(r->sys, p->solver, &r->consistent, err));
    OK(tml_state_create(r->sys, &r->x0, err));
    tml_model_start(model, 0, r->x0);
    OK(tmli_consistent_project(&r->consistent, r->x0, err));
    ride_integrator(r, p);
}

/** Start a system of callbacks (taken over) from q, u. */
static inline void ride_user(ride *r, tml_system *sys, const double *q, const double *u, const plan *p)
{
    *r = (ride){.user = sys, .sys = sys};
    r->work = sys->ops->create_work(sys->self, &sys->env);
    OK(tmli_consistent_create(sys, p->solver, &r->consistent, err));
    OK(tml_state_create(sys, &r->x0, err));
    memcpy(r->x0->q, q, (size_t)sys->nq * sizeof(double));
    memcpy(r->x0->u, u, (size_t)sys->n * sizeof(double));
    OK(tmli_consistent_project(&r->consistent, r->x0, err));
    ride_integrator(r, p);
}

static inline void ride_end(ride *r)
{
    if (r->driver.self) r->driver.method->destroy(r->driver.self);
    tmli_consistent_clear(&r->consistent);
    if (r->work) r->sys->ops->destroy_work(r->work);
    tml_state_destroy(r->x0, r->sys);
    tml_model_destroy(r->model);
    tml_system_destroy(r->user);
    *r = (ride){0};
}

static inline const tml_state *ride_state(const ride *r) { return r->driver.method->state(r->driver.self); }
static inline tml_counters ride_count(const ride *r)
{
    tml_counters out;
    r->driver.method->counters(r->driver.self, &out);
    return out;
}

static inline void ride_to(ride *r, double t)
{
    while (ride_state(r)->t < t) OK(tmli_driver_step(&r->driver, t, err));
}

/** `steps` steps towards a far end, so that none is cut. */
static inline void ride_steps(ride *r, int steps)
{
    for (int i = 0; i < steps; i++) OK(tmli_driver_step(&r->driver, 1e3, err));
}

/** Largest position (model lengths, rad), velocity (the same per second) and multiplier (by the largest)
 * difference. */
static inline void state_distance(const tml_system *s, const tml_state *a, const tml_state *b,
                                  double distance[3])
{
    double *d = calloc((size_t)s->n + 1, sizeof *d), largest = 0;
    distance[0] = distance[1] = distance[2] = 0;
    s->ops->local(s->self, a->q, b->q, d);
    for (int j = 0; j < s->n; j++) {
        const double unit = s->kind[j] == TML_COORDINATE_TRANSLATION ? s->length : 1;
        distance[0] = fmax(distance[0], fabs(d[j]) / unit);
        distance[1] = fmax(distance[1], fabs(a->u[j] - b->u[j]) / unit);
    }
    for (int i = 0; i < s->m; i++) {
        largest = fmax(largest, fabs(a->lambda[i]));
        distance[2] = fmax(distance[2], fabs(a->lambda[i] - b->lambda[i]));
    }
    if (largest > 0) distance[2] /= largest;
    free(d);
}

#endif
