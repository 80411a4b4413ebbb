// Models with one joint or one force each ("subjects") among three bodies A, B, C, a point mass P and the ground, all
// numbers random with a fixed seed, and difference quotients along curves of states.
//
// Differences are five-point central ones: error h^4/30 f^(5) + 1.5 eps |f|/h. With h = 3e-4 and forces |f| up to 1e3
// the second part is 1e-9; f^(5) of lengths and angles grows like 5!/l^5 with l the distance from their singular
// point, kept above 0.4 here (regular()): with weights of 1e2 below 2e6, hence 5e-10. MB_TOL covers both, in units of the
// largest number it is compared with.
#ifndef TEST_MULTIBODY_FIXTURE_H
#define TEST_MULTIBODY_FIXTURE_H

#include "support/support.h"
#include "system/multibody.h"

#include <trammel/model.h>
#include <trammel/spec.h>
#include <trammel/system.h>

enum { MB_N = 32, MB_NM = 56 };  // room for every subject
#define MB_TOL 1e-8

/** A draft of a model. move: a rigid motion of the whole world. */
typedef struct draft {
    tml_spec *spec;
    rng r;
    bool planar, assembled;
    quat turn;
    vec3 shift;
    const char *a, *b;  // frames of the subject
} draft;

typedef struct subject {
    const char *name;
    void (*add)(draft *d, int detail);
    int detail;
    int where;  // sum of the MB_ places below
    int plane;  // 1: also in planar models
} subject;

/** Frames a and b of a subject. */
enum { MB_AB = 1, MB_GB = 2, MB_AG = 4, MB_AP = 8, MB_PB = 16, MB_GP = 32, MB_ALL = 7, MB_PLACES = 6 };

typedef struct mb {
    char name[96];
    tml_spec *spec;
    tml_model *model;
    const tml_system *sys;
    const tml_system_ops *ops;
    const void *self;
    void *w;
    tml_state *x;
    int n, m;
} mb;

// ---- drafts ---------------------------------------------------------------------------------------------------------

static inline vec3 mb_vec(draft *d, double size)
{
    const double x = rng_range(&d->r, -size, size), y = rng_range(&d->r, -size, size);
    const double z = rng_range(&d->r, -size, size);
    return v3(x, y, d->planar ? 0 : z);
}

static inline quat mb_quat(draft *d)
{
    const double a = rng_range(&d->r, -1, 1), b = rng_range(&d->r, -1, 1), c = rng_range(&d->r, -1, 1);
    const double e = rng_range(&d->r, 0.2, 1);
    return q_normalize(d->planar ? (quat){a, 0, 0, e} : (quat){a, b, c, e});
}

static inline vec3 mb_turn(const draft *d, vec3 x)
{
    const mat3 Q = q_matrix(d->turn);
    return m3_mulv(&Q, x);
}

static inline void mb_add_body(draft *d, const char *name, bool point)
{
    tml_error err = {0};
    tml_body_def def = tml_body_def_default();
    const mat3 R = q_matrix(mb_quat(d));
    const double I[3] = {rng_range(&d->r, 0.5, 0.7), rng_range(&d->r, 0.5, 0.7), rng_range(&d->r, 0.6, 0.9)};
    def.name = name;
    def.mass = rng_range(&d->r, 0.7, 3.1);
    def.point = point;
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    for (int k = 0; k < 6 && !point; k++)
        for (int i = 0; i < 3; i++) def.inertia[k] += R.m[3 * at[k][0] + i] * I[i] * R.m[3 * at[k][1] + i];
    v3_store(v3_add(mb_turn(d, mb_vec(d, 1.4)), d->shift), def.position);
    v3_store(mb_turn(d, mb_vec(d, 1.1)), def.velocity);
    const quat p = mb_quat(d);
    const vec3 w = d->planar ? v3(0, 0, rng_range(&d->r, -1.3, 1.3)) : mb_vec(d, 1.3);
    if (!point) q_store(q_mul(d->turn, p), def.orientation);
    if (!point) v3_store(w, def.angular_velocity);
    assert_int_equal(tml_spec_add_body(d->spec, &def, &err), TML_OK);
}

static inline void mb_add_frame(draft *d, const char *body, const char *name)
{
    tml_error err = {0};
    tml_frame_def def = tml_frame_def_default();
    const bool ground = strcmp(body, "ground") == 0;
    const vec3 s = mb_vec(d, 0.8);
    const quat p = mb_quat(d);
    def.body = body;
    def.name = name;
    v3_store(ground ? v3_add(mb_turn(d, s), d->shift) : s, def.position);
    q_store(ground ? q_mul(d->turn, p) : p, def.orientation);
    assert_int_equal(tml_spec_add_frame(d->spec, &def, &err), TML_OK);
}

/** A joint of the draft; assembled drafts place it by point and axis. In the plane axes are Z or, for sliding, in it. */
static inline void mb_add_joint_between(draft *d, tml_joint_type type, const char *name, const char *a, const char *b)
{
    tml_error err = {0};
    tml_joint_def def = tml_joint_def_default();
    def.name = name;
    def.type = type;
    def.a = a;
    def.b = b;
    if (type == TML_JOINT_SCREW) def.pitch = 0.37;
    const bool rod = type == TML_JOINT_DISTANCE, spins = type == TML_JOINT_PARALLEL || type == TML_JOINT_PERPENDICULAR;
    const bool slides = type == TML_JOINT_PRISMATIC || type == TML_JOINT_CYLINDRICAL || type == TML_JOINT_POINT_ON_LINE ||
                        type == TML_JOINT_POINT_ON_PLANE || type == TML_JOINT_SCREW;
    const bool sets = d->assembled || d->planar;
    vec3 axis = mb_vec(d, 1);
    const vec3 point = mb_vec(d, 1.2);
    if (d->planar && !slides) axis = v3(0, 0, 1.7);
    def.has_point = sets && !rod && !spins;
    def.has_axis = sets && !rod && type != TML_JOINT_PERPENDICULAR && type != TML_JOINT_SPHERICAL;
    if (def.has_point) v3_store(v3_add(mb_turn(d, point), d->shift), def.point);
    if (def.has_axis) v3_store(mb_turn(d, axis), def.axis);
    if (rod && !d->assembled) def.length = 1.37;
    const tml_status st = tml_spec_add_joint(d->spec, &def, &err);
    if (st != TML_OK) fail_msg("%s", err.msg);
}

static inline void mb_add_joint(draft *d, int detail)
{
    mb_add_joint_between(d, (tml_joint_type)detail, "j", d->a, d->b);
}

static inline void mb_add_coupler(draft *d, int detail)
{
    tml_error err = {0};
    tml_joint_def def = tml_joint_def_default();
    const bool rack = detail == 2, slide = detail == 1;  // 0: angle and angle, 1: two distances, 2: rack, 3: angle, distance
    mb_add_joint_between(d, rack ? TML_JOINT_PRISMATIC : slide ? TML_JOINT_CYLINDRICAL : TML_JOINT_REVOLUTE, "j", d->a, d->b);
    mb_add_joint_between(d, slide || detail == 3 ? TML_JOINT_PRISMATIC : TML_JOINT_REVOLUTE, "k", "C.f", "B.g");
    def.name = "coupler";
    def.type = rack ? TML_JOINT_RACK : TML_JOINT_GEAR;
    def.first = rack || slide ? "j.distance" : "j.angle";
    def.second = slide || detail == 3 ? "k.distance" : "k.angle";
    def.ratio = -0.73;
    const tml_status st = tml_spec_add_joint(d->spec, &def, &err);
    if (st != TML_OK) fail_msg("%s", err.msg);
}

static inline void mb_add_driver(draft *d, int detail)
{
    static const char *const of[] = {"j.angle", "j.distance", "B.f.x", "distance(A.f, C.g)", "angle(A.f, B.f)", "B.angle"};
    tml_error err = {0};
    tml_joint_def def = tml_joint_def_default();
    if (detail < 2)
        mb_add_joint_between(d, detail ? TML_JOINT_PRISMATIC : TML_JOINT_REVOLUTE, "j", d->a, d->b);
    def.name = "driver";
    def.type = TML_JOINT_DRIVER;
    def.of = of[detail];
    def.motion = "0.41 + 0.3*sin(2.3*t) + 0.17*t^2";
    const tml_status st = tml_spec_add_joint(d->spec, &def, &err);
    if (st != TML_OK) fail_msg("%s", err.msg);
}

// detail: 0 linear, 1 law, 2 table; 3..5 the same of a torsion
static inline void mb_add_scalar(draft *d, int detail)
{
    static const double table[] = {-1.1, -31, -0.3, -7, 0.21, 2, 0.83, 29, 1.9, 53};
    static const char *const laws[] = {
        "17*sin(1.3*length)*rate + 3*t*A.x - 2*B.vy*C.f.x + 5*distance(B.f, C.g) + speed(A, C.f) + 2*rate^2",
        "9*cos(angle)*rate + 3*t*A.x - 2*B.vy*C.f.y + 5*angle(A.f, C.g) + 4*C.wz*B.rate - rate^2",
    };
    tml_error err = {0};
    tml_force_def def = tml_force_def_default();
    const bool torsion = detail >= 3;
    def.name = "s";
    def.type = torsion ? TML_FORCE_TORSION : TML_FORCE_SPRING;
    def.a = d->a;
    def.b = d->b;
    def.stiffness = 37.3;
    def.damping = 2.9;
    def.free = torsion ? 0.31 : 0.77;
    if (detail % 3 == 1) def.law = laws[torsion];
    if (detail % 3 == 2) {
        def.table = table;
        def.table_count = 5;
    }
    const tml_status st = tml_spec_add_force(d->spec, &def, &err);
    if (st != TML_OK) fail_msg("%s", err.msg);
}

static inline void mb_add_bushing(draft *d, int detail)
{
    (void)detail;
    tml_error err = {0};
    tml_force_def def = tml_force_def_default();
    def.name = "s";
    def.type = TML_FORCE_BUSHING;
    def.a = d->a;
    def.b = d->b;
    for (int i = 0; i < 6; i++) {
        def.preload6[i] = rng_range(&d->r, -3, 3);
        for (int j = 0; j <= i; j++) {
            def.stiffness6[6 * i + j] = rng_range(&d->r, -9, 9) + 30 * (i == j);
            def.stiffness6[6 * j + i] = rng_range(&d->r, -9, 9) + 30 * (i == j);
            def.damping6[6 * i + j] = rng_range(&d->r, -1, 1) + 3 * (i == j);
            def.damping6[6 * j + i] = rng_range(&d->r, -1, 1) + 3 * (i == j);
        }
    }
    assert_int_equal(tml_spec_add_force(d->spec, &def, &err), TML_OK);
}

// detail: 1 body axes, 2 with expressions of the state, 4 with torques
static inline void mb_add_applied(draft *d, int detail)
{
    tml_error err = {0};
    tml_force_def def = tml_force_def_default();
    const bool state = detail & 2;
    def.name = "s";
    def.type = TML_FORCE_APPLIED;
    def.b = d->b;
    def.body_axes = detail & 1;
    def.force[0] = state ? "3*t + 4*C.x*A.vy - distance(A.f, C.f)^2" : "3.1 + 2*sin(1.7*t)";
    def.force[1] = state ? "2.3 - 5*B.f.x*A.wz + C.vx^2" : "4.7*t";
    if (detail & 4) def.torque[2] = state ? "1.9*A.y - 3*C.rate*B.wz + 2*t" : "2.7 - t";
    if (!d->planar) def.force[2] = state ? "sin(A.f.z) + 3*B.g.vz" : "-1.3*t^2";
    if (!d->planar && (detail & 4)) def.torque[0] = state ? "4*B.wx*B.wy + angle(B.f, C.g)" : "5.9";
    assert_int_equal(tml_spec_add_force(d->spec, &def, &err), TML_OK);
}

static inline void mb_add_drag(draft *d, int detail)
{
    tml_error err = {0};
    tml_force_def def = tml_force_def_default();
    def.name = "s";
    def.type = TML_FORCE_DRAG;
    def.b = d->b[0] == 'P' ? "P" : "B";
    if (detail & 1) def.linear = 1.31;
    if (detail & 2) def.quadratic = 0.83;
    if ((detail & 1) && d->b[0] != 'P') def.angular_linear = 0.57;
    if ((detail & 2) && d->b[0] != 'P') def.angular_quadratic = 0.39;
    assert_int_equal(tml_spec_add_force(d->spec, &def, &err), TML_OK);
}

static const subject mb_subjects[] = {
    {"fixed", mb_add_joint, TML_JOINT_FIXED, MB_ALL, 1},
    {"revolute", mb_add_joint, TML_JOINT_REVOLUTE, MB_ALL, 1},
    {"prismatic", mb_add_joint, TML_JOINT_PRISMATIC, MB_ALL, 1},
    {"cylindrical", mb_add_joint, TML_JOINT_CYLINDRICAL, MB_ALL, 1},
    {"spherical", mb_add_joint, TML_JOINT_SPHERICAL, MB_ALL + MB_AP + MB_PB + MB_GP, 1},
    {"universal", mb_add_joint, TML_JOINT_UNIVERSAL, MB_ALL, 1},
    {"constant-velocity", mb_add_joint, TML_JOINT_CONSTANT_VELOCITY, MB_ALL, 1},
    {"planar", mb_add_joint, TML_JOINT_PLANAR, MB_ALL, 0},
    {"point-on-line", mb_add_joint, TML_JOINT_POINT_ON_LINE, MB_ALL + MB_AP + MB_GP, 1},
    {"point-on-plane", mb_add_joint, TML_JOINT_POINT_ON_PLANE, MB_ALL + MB_AP + MB_GP, 1},
    {"distance", mb_add_joint, TML_JOINT_DISTANCE, MB_ALL + MB_AP + MB_PB + MB_GP, 1},
    {"parallel", mb_add_joint, TML_JOINT_PARALLEL, MB_ALL, 0},
    {"perpendicular", mb_add_joint, TML_JOINT_PERPENDICULAR, MB_ALL, 0},
    {"screw", mb_add_joint, TML_JOINT_SCREW, MB_ALL, 0},
    {"gear of angles", mb_add_coupler, 0, MB_ALL, 1},
    {"gear of distances", mb_add_coupler, 1, MB_ALL, 1},
    {"rack", mb_add_coupler, 2, MB_ALL, 1},
    {"gear of angle and distance", mb_add_coupler, 3, MB_ALL, 1},
    {"driver of angle", mb_add_driver, 0, MB_ALL, 1},
    {"driver of distance", mb_add_driver, 1, MB_ALL, 1},
    {"driver of frame", mb_add_driver, 2, MB_AB, 1},
    {"driver of distance()", mb_add_driver, 3, MB_AB, 1},
    {"driver of angle()", mb_add_driver, 4, MB_AB, 1},
    {"driver of body angle", mb_add_driver, 5, MB_AB, 1},
    {"spring linear", mb_add_scalar, 0, MB_ALL + MB_AP + MB_PB + MB_GP, 1},
    {"spring law", mb_add_scalar, 1, MB_ALL + MB_AP + MB_PB, 1},
    {"spring table", mb_add_scalar, 2, MB_ALL + MB_AP, 1},
    {"torsion linear", mb_add_scalar, 3, MB_ALL, 1},
    {"torsion law", mb_add_scalar, 4, MB_ALL, 1},
    {"torsion table", mb_add_scalar, 5, MB_ALL, 1},
    {"bushing", mb_add_bushing, 0, MB_ALL, 1},
    {"applied of t", mb_add_applied, 4, MB_AB, 1},
    {"applied of t, body axes", mb_add_applied, 5, MB_AB, 1},
    {"applied of state", mb_add_applied, 6, MB_AB, 1},
    {"applied of state, body axes", mb_add_applied, 7, MB_AB, 1},
    {"applied to a point", mb_add_applied, 2, MB_AP, 1},
    {"drag linear", mb_add_drag, 1, MB_AB + MB_AP, 1},
    {"drag quadratic", mb_add_drag, 2, MB_AB + MB_AP, 1},
    {"drag", mb_add_drag, 3, MB_AB + MB_AP, 1},
};
enum { MB_SUBJECTS = sizeof mb_subjects / sizeof *mb_subjects };

// ---- opening and closing --------------------------------------------------------------------------------------------

static inline mb *mb_open_spec(tml_spec *spec, const char *name)
{
    tml_error err = {0};
    mb *s = calloc(1, sizeof *s);
    assert_non_null(s);
    snprintf(s->name, sizeof s->name, "%s", name);
    s->spec = spec;
    if (tml_model_build(spec, &s->model, &err) != TML_OK) fail_msg("%s: %s", name, err.msg);
    s->sys = tml_model_system(s->model);
    s->ops = s->sys->ops;
    s->self = s->sys->self;
    s->n = s->sys->n;
    s->m = s->sys->m;
    assert_true(s->n <= MB_N && s->n + s->m <= MB_NM);
    s->w = s->ops->create_work(s->self, NULL);
    assert_non_null(s->w);
    assert_int_equal(tml_state_create(s->sys, &s->x, &err), TML_OK);
    tml_model_start(s->model, 0.613, s->x);
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
    s->ops->destroy_work(s->w);
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
                rng r = rng_seed((uint64_t)(1000 + 100 * i + 10 * place + planar));
                mb *s = mb_open(&mb_subjects[i], place, planar, false, (uint64_t)(17 + 31 * i + 7 * place));
                test(s, &mb_subjects[i], &r);
                mb_close(s);
            }
}

// ---- states ---------------------------------------------------------------------------------------------------------

/** Far enough from where lengths, angles and bushings have no derivatives. */
static inline bool mb_regular(mb *s)
{
    const tml_model *m = s->model;
    tmli_mbwork *w = s->w;
    const tmli_pose ground = {.R = m3_identity()};
    tmli_mb_set_poses(m, w, s->x->q);
    for (int i = 0; i < m->nlinks; i++) {
        const tmli_measure *k = &m->link[i].measure;
        const tmli_pose *A = tmli_pose_of(w, &ground, m->link[i].node[0]), *B = tmli_pose_of(w, &ground, m->link[i].node[1]);
        if (k->kind == TMLI_LENGTH && tmli_measure_value(k, A, B) < 0.4) return false;
        const double sine = v3_dot(m3_mulv(&A->R, k->a), m3_mulv(&B->R, k->b));
        const double cosine = v3_dot(m3_mulv(&A->R, k->a2), m3_mulv(&B->R, k->b2));
        if (k->kind == TMLI_ANGLE && hypot(sine, cosine) < 0.4) return false;
    }
    for (int i = 0; i < m->nforces; i++) {
        const tmli_force *f = &m->force[i];
        const double u[12] = {0};
        double z[6];
        if (f->type != TML_FORCE_BUSHING) continue;
        const int a = f->slot[0] < 0 ? -1 : f->plan.node[f->slot[0]], b = f->slot[1] < 0 ? -1 : f->plan.node[f->slot[1]];
        tmli_bushing_deflection(&f->bushing, tmli_pose_of(w, &ground, a), tmli_pose_of(w, &ground, b), u, z, NULL);
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

// ---- difference quotients -------------------------------------------------------------------------------------------

/** How a state moves with tau: q = q0 (+) (D + tau d), the rest + tau times its direction. NULL: held. */
typedef struct mb_curve {
    const double *q0, *D;  // NULL: the state's own q, no increment
    const double *d, *u, *udot, *lambda;
    double t;
} mb_curve;

typedef void (*mb_function)(mb *s, const tml_state *x, const void *context, double *out);

static inline void mb_derivative(mb *s, const mb_curve *c, mb_function f, const void *context, int count, double *out)
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

static inline void mb_compare(const mb *s, const char *what, int row, int col, double got, double want, double scale)
{
    if (!(fabs(got - want) <= MB_TOL * (1 + scale)))
        fail_msg("%s: %s (%d, %d) is %.12g, expected %.12g (difference %.3g)", s->name, what, row, col, got, want, got - want);
}

static inline double mb_largest(const double *x, int n)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/** x (n) = inverse(A) b, A (n x n) row-major is overwritten. Returns the smallest pivot / the largest entry. */
static inline double mb_solve(int n, double *A, double *b)
{
    double least = INFINITY;
    const double most = mb_largest(A, n * n);
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[p * n + k])) p = i;
        for (int j = 0; j < n; j++) {
            const double swap = A[k * n + j];
            A[k * n + j] = A[p * n + j];
            A[p * n + j] = swap;
        }
        const double swap = b[k];
        b[k] = b[p];
        b[p] = swap;
        least = fmin(least, fabs(A[k * n + k]));
        for (int i = k + 1; i < n; i++) {
            const double f = A[i * n + k] / A[k * n + k];
            for (int j = k; j < n; j++) A[i * n + j] -= f * A[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) b[k] -= A[k * n + j] * b[j];
        b[k] /= A[k * n + k];
    }
    return least / most;
}

/** B as a dense matrix (m x n). */
static inline void mb_rows_dense(mb *s, const tml_state *x, double *B)
{
    double values[MB_NM * MB_N];
    tml_error err = {0};
    assert_int_equal(s->ops->rows(s->self, s->w, x, values, &err), TML_OK);
    memset(B, 0, (size_t)(s->m * s->n) * sizeof *B);
    for (int r = 0; r < s->m; r++)
        for (int k = s->sys->rowptr[r]; k < s->sys->rowptr[r + 1]; k++) B[r * s->n + s->sys->rowcol[k]] = values[k];
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
