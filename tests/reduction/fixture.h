// A model or user system with a reduction on it, at random consistent states.
#ifndef TEST_REDUCTION_FIXTURE_H
#define TEST_REDUCTION_FIXTURE_H

#include "consistency/index1.h"
#include "consistency/scaling.h"
#include "linalg/rank/columns.h"
#include "reduction/internal.h"
#include "support/support.h"
#include "system/se3/se3.h"

#include <trammel/model.h>
#include <trammel/spec.h>

#define OK(call)                                                                                \
    do {                                                                                        \
        tml_error ok_err = {0}, *err = &ok_err;                                                 \
        if ((call) != TML_OK) fail_msg("%s:%d: %s: %s", __FILE__, __LINE__, #call, ok_err.msg); \
        (void)err;                                                                              \
    } while (0)

// ---- models -----------------------------------------------------------------------------------------------

// RSSR linkage: crank about z, rocker about x, and a rod with spherical joints between them. The rod can
// rotate about its own axis.
static const char rssr[] =
    "title: RSSR\ngravity: 9.81\n"
    "bodies:\n"
    "  crank: {mass: 2, inertia: [0.02, 0.03, 0.04], position: [0.1, 0, 0], angular_velocity: [0, 0, 3]}\n"
    "  rod: {mass: 1.5, inertia: [0.05, 0.01, 0.05], position: [0.2, 0.4, 0.1], orientation: {z: [0.1, 0.2, "
    "1], x: [1, 0, 0]}}\n"
    "  rocker: {mass: 1.2, inertia: [0.03, 0.02, 0.01], position: [0.2, 0.8, 0.1]}\n"
    "joints:\n"
    "  main: {type: revolute, a: ground, b: crank, point: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  one: {type: spherical, a: crank, b: rod, point: [0.2, 0, 0]}\n"
    "  two: {type: spherical, a: rod, b: rocker, point: [0.2, 0.8, 0.2]}\n"
    "  end: {type: revolute, a: ground, b: rocker, point: [0.2, 0.8, 0], axis: [1, 0, 0]}\n"
    "forces:\n"
    "  spring: {type: spring, a: crank, b: rocker, stiffness: 300, damping: 4, length: 0.5}\n"
    "  wind: {type: drag, body: rod, linear: 0.3, angular_linear: 0.02}\n"
    "run: {end: 1}\n";

// A driven shaft, a geared one, a pendulum on a cylindrical joint: drivers and gears in space.
static const char geared[] =
    "title: gears\ngravity: 9.81\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: [0.02, 0.03, 0.04], position: [0.1, 0.2, 0]}\n"
    "  b: {mass: 1.5, inertia: [0.05, 0.01, 0.05], position: [0.6, 0.1, 0.1]}\n"
    "  c: {mass: 1.2, inertia: [0.03, 0.02, 0.01], position: [1, 0.3, 0.1]}\n"
    "  d: {mass: 0.7, inertia: [0.03, 0.02, 0.01], position: [0, -0.4, 0]}\n"
    "joints:\n"
    "  ja: {type: revolute, a: ground, b: a, point: [0, 0, 0], axis: [0.3, 0, 1]}\n"
    "  jb: {type: revolute, a: a, b: b, point: [0.5, 0, 0], axis: [0, 0.4, 1]}\n"
    "  jc: {type: cylindrical, a: b, b: c, point: [0.9, 0, 0], axis: [1, 0.2, 0]}\n"
    "  jd: {type: universal, a: a, b: d, point: [0, -0.2, 0], axis: [1, 0, 0]}\n"
    "  gear: {type: gear, first: jb.angle, second: jc.angle, ratio: 1.7}\n"
    "  motor: {type: driver, of: ja.angle, motion: 0.4*sin(3*t)}\n"
    "forces:\n"
    "  spring: {type: spring, a: ground, b: c, stiffness: 40, damping: 1, length: 0.6}\n"
    "  push: {type: applied, at: c, force: [3*sin(2*t), 0, 1]}\n"
    "run: {end: 1}\n";

static const char geared_planar[] =
    "title: planar gears\nplanar: true\ngravity: 9.81\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: 0.04, position: [0.1, 0.2]}\n"
    "  b: {mass: 1.5, inertia: 0.05, position: [0.6, 0.1]}\n"
    "  c: {mass: 1.2, inertia: 0.03, position: [1, 0.3]}\n"
    "joints:\n"
    "  ja: {type: revolute, a: ground, b: a, point: [0, 0]}\n"
    "  jb: {type: revolute, a: a, b: b, point: [0.5, 0]}\n"
    "  jc: {type: revolute, a: b, b: c, point: [0.9, 0]}\n"
    "  gear: {type: gear, first: ja.angle, second: jc.angle, ratio: 1.7}\n"
    "forces:\n"
    "  spring: {type: spring, a: ground, b: c, stiffness: 40, damping: 1, length: 0.6}\n"
    "run: {end: 1}\n";

// A door on two hinges, with a bell: five of the ten rows of the hinges are redundant.
static const char door[] =
    "title: door\ngravity: [0, -9.81, -1]\n"
    "bodies:\n"
    "  door: {mass: 20, inertia: [3, 3, 1], position: [0.4, 0, 1], angular_velocity: [0, 0, 1], velocity: "
    "[0, 0.4, 0]}\n"
    "  bell: {mass: 1, inertia: [0.01, 0.02, 0.03], position: [0.8, 0, 0.8]}\n"
    "joints:\n"
    "  lower: {type: revolute, a: ground, b: door, point: [0, 0, 0.2], axis: [0, 0, 1]}\n"
    "  upper: {type: revolute, a: ground, b: door, point: [0, 0, 1.8], axis: [0, 0, 1]}\n"
    "  hook: {type: spherical, a: door, b: bell, point: [0.8, 0, 1]}\n"
    "forces:\n"
    "  closer: {type: spring, a: ground, b: door, stiffness: 40, damping: 5, length: 0.2}\n"
    "run: {end: 1}\n";

// Point masses on rods in space: each coordinate becomes dependent at some time.
static const char beads[] = "title: beads\ngravity: 9.81\n"
                            "bodies:\n"
                            "  a: {mass: 1, point: true, position: [1, 0, 0], velocity: [0, 9, 3]}\n"
                            "  b: {mass: 1, point: true, position: [1, 1, 0], velocity: [2, 9, 3]}\n"
                            "  c: {mass: 1, point: true, position: [1, 1, 1], velocity: [2, 1, 3]}\n"
                            "joints:\n"
                            "  ja: {type: distance, a: ground, b: a}\n"
                            "  jb: {type: distance, a: a, b: b}\n"
                            "  jc: {type: distance, a: b, b: c}\n"
                            "run: {end: 1}\n";

static const char loose[] = "title: loose\ngravity: 9.81\n"
                            "bodies:\n"
                            "  a: {mass: 2, inertia: [0.02, 0.03, 0.04], position: [0.1, 0.2, 0]}\n"
                            "  b: {mass: 1.5, inertia: [0.05, 0.01, 0.05], position: [0.6, 0.1, 0.1]}\n"
                            "forces:\n"
                            "  spring: {type: spring, a: a, b: b, stiffness: 40, damping: 1, length: 0.6}\n"
                            "  bush: {type: bushing, a: ground, b: a, stiffness: [30, 40, 50, 3, 4, 5], "
                            "damping: [1, 2, 1, 0.1, 0.2, 0.3]}\n"
                            "run: {end: 1}\n";

/** A subject: a file of models/ or a text. */
typedef struct subject {
    const char *name, *text;
    int dof;
} subject;

static const subject subjects[] = {
    {"models/pendulum.yaml", NULL, 1},
    {"rssr", rssr, 2},
    {"models/heavy_top.yaml", NULL, 3},
    {"models/andrews.yaml", NULL, 1},
    {"geared", geared, 4},
    {"geared, planar", geared_planar, 2},
    {"models/four_bar.yaml", NULL, 1},
    {"door", door, 4},
    {"loose", loose, 12},
    {"beads", beads, 6},
    {"models/suspension.yaml", NULL, 2},
    {"models/slider_crank.yaml", NULL, 0},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static bool rig_cayley;  // map of systems on SE(3)

// ---- rigs -------------------------------------------------------------------------------------------------

typedef struct rig {
    const char *name;
    tml_spec *spec;
    tml_model *model;
    const tml_system *sys;
    tml_system *motion;  // on SE(3)
    tml_integrator_options opt;
    tml_counters count;
    tmli_reduction *red;
    void *work;
    tml_state *x, *y;
    tmli_pivot_choice choice;  // redundant rows at the start
    int n, m;
} rig;

static inline rig *rig_open_system(const tml_system *sys, const char *name, tml_coordinates coordinates)
{
    rig *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->name = name;
    s->sys = sys;
    s->n = sys->n;
    s->m = sys->m;
    s->opt = (tml_integrator_options){.size = sizeof s->opt,
                                      .duration = 1,
                                      .solver = &tml_linsolver_klu,
                                      .run = {.coordinates = coordinates, .threads = 1}};
    s->work = sys->ops->create_work(sys->self, NULL);
    assert_non_null(s->work);
    OK(tml_state_create(sys, &s->x, err));
    OK(tml_state_create(sys, &s->y, err));
    OK(tmli_pivot_choice_create(s->m, s->n, sys->rowptr, sys->rowcol, NULL, &s->choice, err));
    OK(tmli_reduction_create(sys, &s->opt, true, &s->count, &s->red, err));
    return s;
}

/** Find the redundant rows at x, which must be assembled. */
static inline void rig_choose(rig *s, const tml_state *x)
{
    const tml_system *sys = s->sys;
    double *rows = calloc((size_t)(sys->rowptr[s->m] + s->n + s->m) + 1, sizeof *rows);
    double *unit = rows + sys->rowptr[s->m];
    OK(sys->ops->rows(sys->self, s->work, x, rows, err));
    tmli_kernel_units(sys, rows, unit);
    for (int r = 0; r < s->m; r++)
        for (int k = sys->rowptr[r]; k < sys->rowptr[r + 1]; k++)
            rows[k] *= unit[sys->rowcol[k]] / unit[s->n + r];
    OK(tmli_pivot_choice_make(&s->choice, sys->rowptr, sys->rowcol, rows, NULL, 1e-8, err));
    free(rows);
}

static inline rig *rig_open(const subject *k, tml_coordinates coordinates, bool on_se3)
{
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_system *motion = NULL;
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", getenv("TRAMMEL_SOURCE_DIR"), k->name);
    if (k->text) OK(tml_spec_parse(k->text, strlen(k->text), k->name, NULL, 0, NULL, &spec, err));
    else OK(tml_spec_read(path, NULL, 0, NULL, &spec, err));
    OK(tml_model_build(spec, &model, err));
    if (on_se3) OK(tmli_se3_create(tml_model_system(model), rig_cayley, &motion, err));
    rig *s = rig_open_system(motion ? motion : tml_model_system(model), k->name, coordinates);
    s->spec = spec;
    s->model = model;
    s->motion = motion;
    tml_model_start(model, 0, s->x);
    if (on_se3) tmli_se3_from_base(s->sys, s->x->q, s->x->u, s->x->udot, s->x->u, s->x->udot);
    if (s->sys->ops->accept) s->sys->ops->accept(s->sys->self, s->work, s->x);
    rig_choose(s, s->x);
    return s;
}

static inline void rig_close(rig *s)
{
    tmli_reduction_destroy(s->red);
    tmli_pivot_choice_clear(&s->choice);
    tml_state_destroy(s->x, s->sys);
    tml_state_destroy(s->y, s->sys);
    s->sys->ops->destroy_work(s->work);
    if (s->motion) s->motion->ops->destroy(s->motion->self);
    if (s->model) tml_model_destroy(s->model);
    if (s->spec) tml_spec_destroy(s->spec);
    free(s);
}

/** Largest |Phi| and |B u - nu| of x. */
static inline void rig_residuals(rig *s, const tml_state *x, double *position, double *velocity)
{
    double *motion = calloc((size_t)(s->n + s->m + 1), sizeof *motion), *phi = motion + s->n;
    *position = *velocity = 0;
    OK(s->sys->ops->residual(s->sys->self, s->work, x, NULL, motion, phi, err));
    for (int i = 0; i < s->m; i++) *position = fmax(*position, fabs(phi[i]));
    OK(s->sys->ops->velocity(s->sys->self, s->work, x, phi, err));
    for (int i = 0; i < s->m; i++) *velocity = fmax(*velocity, fabs(phi[i]));
    free(motion);
}

/** Project x onto the constraints and compute accelerations. */
static inline void rig_project(rig *s, tml_state *x)
{
    const tml_system *sys = s->sys;
    tmli_index1 c;
    const size_t n = (size_t)s->n, m = (size_t)s->m;
    double *d = calloc(n + m + 1, sizeof *d), *phi = d + n;
    OK(tmli_index1_create(sys, &tml_linsolver_klu, &c, err));
    tmli_index1_leave_out(&c, s->choice.rank < s->m ? s->choice.left_out : NULL);
    for (int it = 0; it < 12; it++) {
        OK(tmli_index1_factor(&c, x, 0, 0, err));
        OK(sys->ops->residual(sys->self, s->work, x, NULL, d, phi, err));
        tmli_index1_solve(&c, NULL, phi, d, NULL);
        for (int j = 0; j < s->n; j++) d[j] = -d[j];
        sys->ops->retract(sys->self, x->q, d, x->q);
    }
    OK(tmli_index1_factor(&c, x, 0, 0, err));
    for (int it = 0; it < 3; it++) {
        OK(sys->ops->velocity(sys->self, s->work, x, phi, err));
        tmli_index1_solve(&c, NULL, phi, d, NULL);
        for (int j = 0; j < s->n; j++) x->u[j] -= d[j];
    }
    OK(tmli_index1_accelerations(&c, x, false, err));
    tmli_index1_clear(&c);
    free(d);
}

/** Move the state by up to `size` model lengths and rad, with random velocities, and project it. */
static inline void rig_random(rig *s, rng *r, double size, double speed)
{
    const tml_system *sys = s->sys;
    double *d = calloc((size_t)s->n, sizeof *d), position, velocity;
    for (int j = 0; j < s->n; j++) {
        const double unit = sys->kind[j] == TML_COORDINATE_TRANSLATION ? sys->length : 1;
        d[j] = rng_range(r, -size, size) * unit;
        s->x->u[j] = rng_range(r, -speed, speed) * unit;
    }
    sys->ops->retract(sys->self, s->x->q, d, s->x->q);
    rig_project(s, s->x);
    if (sys->ops->accept) sys->ops->accept(sys->self, s->work, s->x);
    rig_residuals(s, s->x, &position, &velocity);
    CHECK_SMALL(position, 1e-11);
    CHECK_SMALL(velocity, 1e-9);
    free(d);
}

// v and vd of a consistent state near the centre.
static inline void locate(const tmli_reduction *r, const tml_state *x, double *v, double *vd)
{
    const tml_system *s = r->sys;
    double *d = calloc(2 * (size_t)s->n + 1, sizeof *d), *rate = d + s->n;
    s->ops->local(s->self, r->centre->q, x->q, d);
    s->ops->tangent_inverse(s->self, d, x->u, rate);
    tmli_reduction_extract(r, d, v);
    tmli_reduction_extract(r, rate, vd);
    free(d);
}

#endif
