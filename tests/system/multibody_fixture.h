// A subject as a system with its scratch and a state, and difference quotients along curves of states.
//
// Differences are five-point central ones: error h^4/30 f^(5) + 1.5 eps |f|/h. With h = 3e-4 and forces |f|
// up to 1e3 the second part is 1e-9; f^(5) of lengths and angles grows like 5!/l^5 with l the distance from
// their singular point, kept above 0.4 here (mb_regular): with weights of 1e2 below 2e6, hence 5e-10. MB_TOL
// covers both, in units of the largest number it is compared with.
#ifndef TEST_MULTIBODY_FIXTURE_H
#define TEST_MULTIBODY_FIXTURE_H

#include "multibody_subjects.h"
#include "support/support.h"
#include "system/joint_space/joint_space.h"
#include "system/multibody/multibody.h"
#include "system/se3/se3.h"

#include <trammel/model.h>
#include <trammel/spec.h>
#include <trammel/system.h>

enum { MB_N = 32, MB_NM = 56 };  // room for every subject
#define MB_TOL 1e-8

// True in a file that wants every subject in the motion formalism.
#ifdef MB_ON_SE3
static const bool mb_on_se3 = true;
#else
static const bool mb_on_se3 = false;
#endif
static bool mb_cayley;  // with Cayley's map
// True in a file that wants every subject in joint coordinates.
#ifdef MB_ON_JOINTS
static const bool mb_on_joints = true;
#else
static const bool mb_on_joints = false;
#endif

typedef struct mb {
    char name[96];
    tml_spec *spec;
    tml_model *model;
    const tml_system *sys;
    const tml_system_ops *ops;
    const void *self;
    void *w;
    tmli_work *poses;  // of the model itself, for mb_regular
    tml_state *x;
    tml_state *whole;  // of the model itself, where the system has other coordinates
    int n, m;
} mb;

// ---- opening and closing ----------------------------------------------------------------------------------

static inline mb *mb_open_spec(tml_spec *spec, const char *name)
{
    tml_error err = {0};
    mb *s = calloc(1, sizeof *s);
    assert_non_null(s);
    snprintf(s->name, sizeof s->name, "%s", name);
    s->spec = spec;
    if (tml_model_build(spec, &s->model, &err) != TML_OK) fail_msg("%s: %s", name, err.msg);
    s->sys = tml_model_system(s->model);
    s->poses = s->sys->ops->create_work(s->sys->self, NULL);
    assert_non_null(s->poses);
    tml_system *motion = NULL;
    if (mb_on_se3) assert_int_equal(tmli_se3_create(s->sys, mb_cayley, &motion, &err), TML_OK);
    if (mb_on_joints && tmli_joint_space_create(s->sys, true, INFINITY, &motion, &err) != TML_OK)
        fail_msg("%s: %s", name, err.msg);
    assert_int_equal(tml_state_create(s->sys, &s->whole, &err), TML_OK);
    if (motion) s->sys = motion;
    s->ops = s->sys->ops;
    s->self = s->sys->self;
    s->n = s->sys->n;
    s->m = s->sys->m;
    assert_true(s->n <= MB_N && s->n + s->m <= MB_NM);
    s->w = s->ops->create_work(s->self, NULL);
    assert_non_null(s->w);
    assert_int_equal(tml_state_create(s->sys, &s->x, &err), TML_OK);
    tml_model_start(s->model, 0.613, s->whole);
    if (mb_on_joints) tmli_joint_space_zero(s->sys, s->x->q);
    else tml_state_copy(s->x, s->whole);
    s->x->t = s->whole->t;
    if (mb_on_se3) tmli_se3_from_base(s->sys, s->x->q, s->x->u, s->x->udot, s->x->u, s->x->udot);
    s->ops->accept(s->self, s->w, s->x);
    return s;
}

static inline draft mb_draft(uint64_t seed, bool planar, bool assembled)
{
    tml_error err = {0};
    draft d = {.r = rng_seed(seed), .planar = planar, .assembled = assembled, .turn = {1, 0, 0, 0}};
    assert_int_equal(tml_spec_create(NULL, &d.spec, &err), TML_OK);
    tml_spec_set_planar(d.spec, planar);
    return d;
}

static inline mb *mb_finish(draft *d, const subject *k, int place)
{
    static const char *const a[] = {"A.f", "ground.f", "A.f", "A.f", "P.f", "ground.f"};
    static const char *const b[] = {"B.f", "B.f", "ground.f", "P.f", "B.f", "P.f"};
    static const char *const bodies[] = {"A", "B", "C", "P", "ground"};
    double g[3];
    char name[96];
    v3_store(mb_turn(d, mb_vec(d, 7)), g);
    tml_spec_set_gravity(d->spec, g);
    for (int i = 0; i < 4; i++) mb_add_body(d, bodies[i], i == 3);
    for (int i = 0; i < 5; i++) {
        mb_add_frame(d, bodies[i], "f");
        mb_add_frame(d, bodies[i], "g");
    }
    d->a = a[place];
    d->b = b[place];
    k->add(d, k->detail);
    snprintf(name, sizeof name, "%s %s-%s%s", k->name, d->a, d->b, d->planar ? ", planar" : "");
    return mb_open_spec(d->spec, name);
}

static inline mb *mb_open(const subject *k, int place, bool planar, bool assembled, uint64_t seed)
{
    draft d = mb_draft(seed, planar, assembled);
    return mb_finish(&d, k, place);
}

static inline void mb_close(mb *s)
{
    tml_state_destroy(s->x, s->sys);
    tml_state_destroy(s->whole, tml_model_system(s->model));
    s->ops->destroy_work(s->w);
    tml_model_system(s->model)->ops->destroy_work(s->poses);
    if (mb_on_se3 || mb_on_joints) s->ops->destroy((void *)s->self);
    tml_model_destroy(s->model);
    tml_spec_destroy(s->spec);
    free(s);
}

/** Calls test for every subject at every place, spatial and planar. */
static inline void mb_for_all(void (*test)(mb *s, const subject *k, rng *r))
{
    for (int i = 0; i < MB_SUBJECTS; i++)
        for (int place = 0; place < MB_PLACES; place++)
            for (int planar = 0; planar <= mb_subjects[i].plane; planar++) {
                if (!(mb_subjects[i].where >> place & 1)) continue;
                if (mb_on_se3 && mb_subjects[i].add == mb_add_armature) continue;  // not possible there
                rng r = rng_seed((uint64_t)(1000 + 100 * i + 10 * place + planar));
                mb *s = mb_open(&mb_subjects[i], place, planar, false, (uint64_t)(17 + 31 * i + 7 * place));
                test(s, &mb_subjects[i], &r);
                mb_close(s);
            }
}

// ---- states -----------------------------------------------------------------------------------------------

/** Far enough from where lengths, angles and bushings have no derivatives. */
static inline bool mb_regular(mb *s)
{
    const tml_model *m = s->model;
    tmli_work *w = s->poses;
    if (mb_on_joints) tmli_joint_space_to_base(s->sys, s->w, s->x, s->whole);
    tmli_mb_set_poses(m, w, mb_on_joints ? s->whole->q : s->x->q);
    for (int i = 0; i < m->nmeasure_uses; i++) {
        const tmli_measure *k = &m->measure_use[i].measure;
        const tmli_pose *A = tmli_pose_of(w->pose, m->measure_use[i].node[0]),
                        *B = tmli_pose_of(w->pose, m->measure_use[i].node[1]);
        if (k->kind == TMLI_LENGTH && tmli_measure_value(k, A, B) < 0.4) return false;
        const double sine = v3_dot(m3_mulv(&A->R, k->a), m3_mulv(&B->R, k->b));
        const double cosine = v3_dot(m3_mulv(&A->R, k->a2), m3_mulv(&B->R, k->b2));
        if (k->kind == TMLI_ANGLE && hypot(sine, cosine) < 0.4) return false;
        if (k->kind == TMLI_ARCSINE && fabs(sine) > 0.9) return false;
    }
    for (int i = 0; i < m->nforces; i++) {
        const tmli_force *f = &m->force[i];
        if (f->ops != tmli_force_type(TML_FORCE_BUSHING)) continue;
        double z[TMLI_FORCE_CHANNELS];
        tmli_mb_force_channels(m, w, mb_on_joints ? s->whole : s->x, f, z);
        if (v3_norm(v3_from(z + 3)) > 2.2) return false;
    }
    return true;
}

/** Everything random; positions on the manifold, not on the constraints. */
static inline void mb_random_state(mb *s, rng *r)
{
    double d[MB_N], q0[7 * 8];
    memcpy(q0, s->x->q, (size_t)s->sys->nq * sizeof *q0);
    int tries = 0;
    do {
        for (int i = 0; i < s->n; i++) d[i] = rng_range(r, -0.9, 0.9);
        s->ops->retract(s->self, q0, d, s->x->q);
        assert_true(++tries < 300);
    } while (!mb_regular(s));
    s->x->t = rng_range(r, 0.2, 1.9);
    for (int i = 0; i < s->n; i++) {
        s->x->u[i] = rng_range(r, -1.4, 1.4);
        s->x->udot[i] = rng_range(r, -2.3, 2.3);
    }
    for (int i = 0; i < s->m; i++) s->x->lambda[i] = rng_range(r, -8, 8);
    s->ops->accept(s->self, s->w, s->x);
}

// ---- difference quotients ---------------------------------------------------------------------------------

/** How a state moves with tau: q = q0 (+) (D + tau d), the rest + tau times its direction. NULL: held. */
typedef struct mb_curve {
    const double *q0, *D;  // NULL: the state's own q, no increment
    const double *d, *u, *udot, *lambda;
    double t;
} mb_curve;

typedef void (*mb_function)(mb *s, const tml_state *x, const void *context, double *out);

static inline void mb_derivative(mb *s, const mb_curve *c, mb_function f, const void *context, int count,
                                 double *out)
{
    static const double weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12}, at[4] = {-2, -1, 1, 2};
    const double h = 3e-4;
    double value[MB_NM], inc[MB_N];
    tml_error err = {0};
    tml_state *x;
    assert_int_equal(tml_state_create(s->sys, &x, &err), TML_OK);
    memset(out, 0, (size_t)count * sizeof *out);
    for (int k = 0; k < 4; k++) {
        const double tau = at[k] * h;
        tml_state_copy(x, s->x);
        for (int i = 0; i < s->n; i++) {
            inc[i] = (c->D ? c->D[i] : 0) + (c->d ? tau * c->d[i] : 0);
            if (c->u) x->u[i] += tau * c->u[i];
            if (c->udot) x->udot[i] += tau * c->udot[i];
        }
        for (int i = 0; i < s->m && c->lambda; i++) x->lambda[i] += tau * c->lambda[i];
        x->t += tau * c->t;
        s->ops->retract(s->self, c->q0 ? c->q0 : s->x->q, inc, x->q);
        f(s, x, context, value);
        for (int i = 0; i < count; i++) out[i] += weight[k] * value[i] / h;
    }
    tml_state_destroy(x, s->sys);
}

static inline void mb_compare(const mb *s, const char *what, int row, int col, double got, double want,
                              double scale)
{
    if (!(fabs(got - want) <= MB_TOL * (1 + scale)))
        fail_msg("%s: %s (%d, %d) is %.12g, expected %.12g (difference %.3g)", s->name, what, row, col, got,
                 want, got - want);
}

static inline double mb_largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/** B as a dense matrix (m x n). */
static inline void mb_rows_dense(mb *s, const tml_state *x, double *B)
{
    double values[MB_NM * MB_N];
    tml_error err = {0};
    assert_int_equal(s->ops->rows(s->self, s->w, x, values, &err), TML_OK);
    memset(B, 0, (size_t)(s->m * s->n) * sizeof *B);
    for (int r = 0; r < s->m; r++)
        for (int k = s->sys->rowptr[r]; k < s->sys->rowptr[r + 1]; k++)
            B[r * s->n + s->sys->rowcol[k]] = values[k];
}

/** The assembled matrix as a dense one, (n + m)^2 row-major. */
static inline void mb_assemble_dense(mb *s, const tml_state *x, const tml_assembly *a, double *A)
{
    const tml_pattern *p = s->sys->pattern;
    tml_error err = {0};
    double *values = calloc((size_t)p->colptr[p->n], sizeof *values);
    assert_non_null(values);
    assert_int_equal(p->n, s->n + s->m);
    assert_int_equal(s->ops->assemble(s->self, s->w, x, a, values, &err), TML_OK);
    memset(A, 0, (size_t)(p->n * p->n) * sizeof *A);
    for (int j = 0; j < p->n; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) A[p->rowind[k] * p->n + j] = values[k];
    free(values);
}

#endif
