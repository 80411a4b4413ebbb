// Systems of callbacks: the user provides M, f and Phi; this file implements the system contract with them.
//
// The configuration space is a vector space: q (+) d = q + d, u = qdot, and the tangent operator T is the
// identity. All matrices are dense. With mu = lambda + p Phi,
//
//   motion = M udot + B' mu - f                                   (1)
//   A      = [ cm M + cd D + ck K + cp B' p B   B' r ]            (2)
//            [ r B                              0    ]
//   K      = d/dq [M udot + B' mu] - f_q,   D = -f_u              (3)
//
// where K is taken at constant mu, and B' p B is the derivative of mu by q (cp = ck in the Newton matrix).
// Outputs are set to 0 before a callback is called, so that it may write the nonzero entries only. evaluate.c
// replaces missing derivatives by differences and describes their accuracy.
//
// First-order states are the velocities of nz more coordinates, after the n of the user: in their rows M is
// the identity and f the rate of z. N = n + nz. The rows of B have the n columns of the user only.
//
// The last k rows are those at velocity level: phi = B u - nu, with (B + (B u - nu)_q/cv) instead of B in the
// last row of (2) and in the second factor of B' p B.
#include "system/callbacks/internal.h"

#include "linalg/pattern/pattern.h"
#include "system/state/first_order.h"
#include "system/state/inactive.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_UNKNOWNS = 46340 };  // the square of N + m must fit 31 bits

static const tml_system_ops callback_ops;
static tml_status check_def(const tml_user_system_def *def, tml_error *err);
static tml_status check_callbacks(const tml_user_system_def *def, tml_error *err);
static tml_status build(tmli_callback_system *s, tml_error *err);
static void callback_destroy(void *self);
static const char *coordinate_name(const tml_system *sys, int i, char *buf, size_t size);
static const char *row_name(const tml_system *sys, int r, char *buf, size_t size);

tml_user_system_def tml_user_system_def_default(void)
{
    return (tml_user_system_def){.size = sizeof(tml_user_system_def), .length = 1};
}

tml_status tml_system_create_user(const tml_user_system_def *def, const tml_env *env, tml_system **out,
                                  tml_error *err)
{
    if (out) *out = NULL;
    if (!def || !out) return tmli_null_argument(err, "tml_system_create_user");
    tml_status st = check_def(def, err);
    if (st != TML_OK) return st;
    tmli_callback_system *s = tmli_calloc(env, 1, sizeof *s);
    if (!s) return tmli_fail(err, TML_ERR_NOMEM, "There is no memory for a user system.");
    s->def = *def;
    s->ops = callback_ops;
    if (!def->constraint_increment && !def->constraint_jacobian) s->ops.increment = NULL;
    s->sys = (tml_system){.ops = &s->ops,
                          .self = s,
                          .env = env ? *env : (tml_env){0},
                          .nq = def->n + 2 * def->nz,
                          .n = def->n + def->nz,
                          .m = def->m,
                          .nz = def->nz,
                          .length = def->length,
                          .noise = tmli_callback_noise(def),
                          .loops = def->m > 0,
                          .coordinate_name = coordinate_name,
                          .row_name = row_name};
    st = build(s, err);
    if (st != TML_OK) {
        callback_destroy(s);
        return st;
    }
    *out = &s->sys;
    return TML_OK;
}

static tml_status check_def(const tml_user_system_def *def, tml_error *err)
{
    if (!def) return tmli_fail(err, TML_ERR_ARG, "The definition of a user system is NULL.");
    if (def->size != sizeof *def)
        return tmli_fail(err, TML_ERR_ARG,
                         "The definition of a user system has size %zu, expected %zu; start from "
                         "tml_user_system_def_default().",
                         def->size, sizeof *def);
    if (def->nz < 0)
        return tmli_fail(err, TML_ERR_ARG, "A user system has nz = %d states, expected nz >= 0.", def->nz);
    if (def->n < (def->nz > 0 ? 0 : 1))
        return tmli_fail(err, TML_ERR_ARG, "A user system has n = %d coordinates, expected n >= %d.", def->n,
                         def->nz > 0 ? 0 : 1);
    if (def->m < 0)
        return tmli_fail(err, TML_ERR_ARG, "A user system has m = %d constraints, expected m >= 0.", def->m);
    const long long unknowns = (long long)def->n + def->m + def->nz;
    if (unknowns > MAX_UNKNOWNS)
        return tmli_fail(
            err, TML_ERR_ARG,
            "A user system has n + m = %lld unknowns; its matrices are dense, and at most %d are possible.",
            unknowns, MAX_UNKNOWNS);
    if (!(isfinite(def->length) && def->length > 0)) {
        char text[32];
        return tmli_fail(err, TML_ERR_ARG, "The length of a user system is %s, expected a finite number > 0.",
                         tmli_dtoa(def->length, text));
    }
    return check_callbacks(def, err);
}

static tml_status check_callbacks(const tml_user_system_def *def, tml_error *err)
{
    if (def->n > 0 && !def->mass)
        return tmli_fail(err, TML_ERR_ARG, "A user system needs the callback 'mass'.");
    if (def->n > 0 && !def->force)
        return tmli_fail(err, TML_ERR_ARG, "A user system needs the callback 'force'.");
    if (def->velocity_rows < 0 || def->velocity_rows > def->m)
        return tmli_fail(err, TML_ERR_ARG,
                         "A user system has velocity_rows = %d, expected 0 to m = %d constraints.",
                         def->velocity_rows, def->m);
    if (def->m > def->velocity_rows && !def->constraint)
        return tmli_fail(err, TML_ERR_ARG,
                         "A user system with m = %d constraints needs the callback 'constraint'.", def->m);
    if (def->velocity_rows > 0 && !def->velocity_jacobian)
        return tmli_fail(err, TML_ERR_ARG,
                         "A user system with velocity_rows = %d needs the callback 'velocity_jacobian'.",
                         def->velocity_rows);
    if (def->nz > 0 && !def->rate)
        return tmli_fail(err, TML_ERR_ARG, "A user system with nz = %d states needs the callback 'rate'.",
                         def->nz);
    for (int i = 0; i < def->nz && def->state_scale; i++)
        if (!(isfinite(def->state_scale[i]) && def->state_scale[i] > 0)) {
            char text[32];
            return tmli_fail(err, TML_ERR_ARG,
                             "state_scale[%d] of a user system is %s, expected a finite "
                             "number > 0.",
                             i, tmli_dtoa(def->state_scale[i], text));
        }
    return TML_OK;
}

static const char *block_name(int32_t block, void *user)
{
    (void)user;
    return block == 0 ? "the coordinates of the user system" : "the constraints of the user system";
}

// Set kinds, nodes and patterns: full rows, and a full iteration matrix with two blocks.
static tml_status build(tmli_callback_system *s, tml_error *err)
{
    const int n = s->def.n, m = s->def.m, nz = s->def.nz, N = n + nz;
    const tml_env *env = &s->sys.env;
    tml_coordinate_kind *kind = tmli_calloc(env, (size_t)N, sizeof *kind);
    s->sys.kind = kind;
    int *node = tmli_calloc(env, (size_t)N, sizeof *node);
    s->sys.node = node;
    double *scale = tmli_calloc(env, (size_t)nz, sizeof *scale);
    s->sys.state_scale = scale;
    int *rowptr = tmli_calloc(env, (size_t)m + 1, sizeof *rowptr);
    s->sys.rowptr = rowptr;
    int *rowcol = tmli_calloc(env, (size_t)m * (size_t)n, sizeof *rowcol);
    s->sys.rowcol = rowcol;
    unsigned char *level = s->def.velocity_rows > 0 ? tmli_calloc(env, (size_t)m, 1) : NULL;
    s->sys.level = level;
    if (!kind || !node || !scale || !rowptr || !rowcol || (s->def.velocity_rows > 0 && !level))
        return tmli_fail(err, TML_ERR_NOMEM, "There is no memory for a user system of %d coordinates.", N);
    for (int i = 0; i < N; i++) kind[i] = i < n ? TML_COORDINATE_TRANSLATION : TML_COORDINATE_STATE;
    for (int i = 0; i < N; i++) node[i] = i;
    for (int r = 0; r < m && level; r++)
        level[r] = r < m - s->def.velocity_rows ? TML_LEVEL_POSITION : TML_LEVEL_VELOCITY;
    for (int i = 0; i < nz; i++) scale[i] = s->def.state_scale ? s->def.state_scale[i] : 1;
    s->def.state_scale = scale;
    for (int r = 0; r <= m; r++) rowptr[r] = r * n;
    for (int k = 0; k < m * n; k++) rowcol[k] = k % n;

    const int32_t sizes[2] = {N, m}, edges[2] = {0, 1}, afterptr[3] = {0, 0, 1}, afterind[1] = {0};
    const uint8_t multiplier[2] = {0, 1};
    const bool rows = m > 0;
    tml_pattern *pattern = NULL;
    const tml_status st = tmli_pattern_create(rows ? 2 : 1, sizes, multiplier, rows ? 1 : 0,
                                              rows ? edges : NULL, rows ? afterptr : NULL,
                                              rows ? afterind : NULL, block_name, NULL, env, &pattern, err);
    s->sys.pattern = pattern;
    return st;
}

static void callback_destroy(void *self)
{
    tmli_callback_system *s = self;
    const tml_env env = s->sys.env;
    tmli_pattern_destroy((tml_pattern *)s->sys.pattern);
    tmli_free_all(&env, (void *)s->sys.rowcol, (void *)s->sys.rowptr, (void *)s->sys.level,
                  (void *)s->sys.state_scale, (void *)s->sys.node, (void *)s->sys.kind, s);
}

static const char *coordinate_name(const tml_system *sys, int i, char *buf, size_t size)
{
    const int n = sys->n - sys->nz;
    if (i < n) snprintf(buf, size, "q[%d]", i);
    else snprintf(buf, size, "z[%d]", i - n);
    return buf;
}

static const char *row_name(const tml_system *sys, int r, char *buf, size_t size)
{
    (void)sys;
    snprintf(buf, size, "constraint[%d]", r);
    return buf;
}

// ---- scratch ----------------------------------------------------------------------------------------------

_Static_assert(sizeof(tmli_callback_work) % sizeof(double) == 0,
               "the buffers follow the struct in one block");

static double *carve(double **next, size_t count)
{
    double *p = *next;
    *next += count;
    return p;
}

static void *callback_create_work(const void *self, const tml_env *env)
{
    const tmli_callback_system *s = self;
    const size_t n = (size_t)s->def.n, m = (size_t)s->def.m, N = (size_t)s->sys.n;
    const size_t large = m * n > N ? m * n : N;
    const size_t count = 4 * N + 5 * m + 2 * large + 3 * n * n + N * n + N * N + 4 * m * n;
    tmli_callback_work *w = tmli_calloc(env, sizeof *w / sizeof(double) + count, sizeof(double));
    if (!w) return NULL;
    if (env) w->env = *env;
    double *next = (double *)(w + 1);
    w->inner = (tmli_difference_buffers){carve(&next, N), carve(&next, m), carve(&next, m)};
    w->outer = (tmli_difference_buffers){carve(&next, N), carve(&next, large), carve(&next, large)};
    w->M_at = carve(&next, n * n);
    w->B_at = carve(&next, m * n);
    w->M = carve(&next, n * n);
    w->fq = carve(&next, N * n);
    w->fu = carve(&next, N * N);
    w->K = carve(&next, n * n);
    w->B = carve(&next, m * n);
    w->Bdot = carve(&next, m * n);
    w->phi_q = carve(&next, m * n);
    w->moved = carve(&next, n);
    w->f = carve(&next, N);
    w->phi = carve(&next, m);
    w->mu = carve(&next, m);
    w->rate = carve(&next, m);
    return w;
}

static void callback_destroy_work(void *work)
{
    tmli_callback_work *w = work;
    if (!w) return;
    const tml_env env = w->env;
    tmli_free(&env, w);
}

// ---- the operations ---------------------------------------------------------------------------------------

// A diverging iteration may produce any state; callbacks get finite numbers only.
static tml_status check_state(const tml_state *x, bool dynamics, tml_error *err)
{
    if (!isfinite(x->t)) return tmli_fail(err, TML_ERR_NAN, "The time of a state is not finite.");
    tml_status st = tmli_callback_check_finite("q", x->t, x->q, x->nq, err);
    if (st == TML_OK) st = tmli_callback_check_finite("u", x->t, x->u, x->n, err);
    if (st == TML_OK && dynamics) st = tmli_callback_check_finite("udot", x->t, x->udot, x->n, err);
    if (st == TML_OK && dynamics) st = tmli_callback_check_finite("lambda", x->t, x->lambda, x->m, err);
    return st;
}

// mu = lambda + p Phi
static void augment(const tml_state *x, const double *p, const double *phi, double *mu)
{
    for (int r = 0; r < x->m; r++)
        mu[r] = p ? x->lambda[r] + tmli_active_penalty(x, p, r) * phi[r] : x->lambda[r];
}

static tml_status callback_residual_rows(const void *self, void *work, const tml_state *x, const double *p,
                                         double *motion, double *phi, double *rows, tml_error *err)
{
    const tmli_callback_system *s = self;
    tmli_callback_work *w = work;
    const int n = s->def.n, m = s->def.m;
    tml_status st = check_state(x, true, err);
    if (st == TML_OK) st = tmli_callback_constraint(s, x->t, x->q, phi, err);
    if (st == TML_OK) st = tmli_callback_mass(s, x->t, x->q, w->M, err);
    if (st == TML_OK) st = tmli_callback_force(s, x, w->f, err);
    if (st == TML_OK) st = tmli_callback_jacobian(s, w, x->t, x->q, rows, err);
    if (st == TML_OK) st = tmli_callback_velocity_rows(s, w, x, rows, phi, err);
    if (st != TML_OK) return st;
    augment(x, p, phi, w->mu);
    for (int i = 0; i < x->n; i++) motion[i] = -w->f[i];
    for (int i = n; i < x->n; i++) motion[i] += x->udot[i];
    tmli_callback_add_product(1, w->M, n, n, x->udot, motion);  // (1)
    tmli_callback_add_transposed(1, rows, m, n, w->mu, motion);
    return tmli_callback_check_finite("the residual of motion", x->t, motion, x->n, err);
}

static tml_status callback_residual(const void *self, void *work, const tml_state *x, const double *p,
                                    double *motion, double *phi, tml_error *err)
{
    return callback_residual_rows(self, work, x, p, motion, phi, ((tmli_callback_work *)work)->B, err);
}

static tml_status callback_increment(const void *self, void *work, const tml_state *x0, const double *d,
                                     double t1, double *dphi, tml_error *err)
{
    tml_status st = tmli_callback_check_finite("q", x0->t, x0->q, x0->nq, err);
    if (st == TML_OK) st = tmli_callback_check_finite("the increment d", t1, d, x0->n, err);
    return st == TML_OK ? tmli_callback_increment(self, work, x0, d, t1, dphi, err) : st;
}

// w->phi_q := derivative of Phi, or of (B u - nu)/cv with the velocities changing by cv times q; needs w->B.
static tml_status evaluate_derivative(const tmli_callback_system *s, tmli_callback_work *w,
                                      const tml_state *x, double cv, tml_error *err)
{
    const size_t n = (size_t)s->def.n, m = (size_t)s->def.m, k = (size_t)s->def.velocity_rows;
    double *rows = w->phi_q + (m - k) * n;
    memcpy(w->phi_q, w->B, m * n * sizeof *w->B);
    if (k == 0 || cv == 0) return TML_OK;
    const tml_status st = tmli_callback_velocity_by_q(s, w, x, rows, err);
    for (size_t i = 0; i < k * n; i++) rows[i] = w->B[(m - k) * n + i] + rows[i] / cv;
    return st;
}

// Parts of (2) with a zero factor are not evaluated.
static tml_status evaluate_parts(const tmli_callback_system *s, tmli_callback_work *w, const tml_state *x,
                                 const tml_assembly *a, tml_error *err)
{
    tml_status st = check_state(x, a->ck != 0, err);
    if (st == TML_OK) st = tmli_callback_jacobian(s, w, x->t, x->q, w->B, err);
    if (st == TML_OK && a->cm != 0) st = tmli_callback_mass(s, x->t, x->q, w->M, err);
    if (st == TML_OK && a->cd != 0) st = tmli_callback_force_by_u(s, w, x, w->fu, err);
    if (st == TML_OK) st = evaluate_derivative(s, w, x, a->cv, err);
    if (st != TML_OK || a->ck == 0) return st;
    if (a->p) st = tmli_callback_constraint(s, x->t, x->q, w->phi, err);
    if (st == TML_OK && a->p) st = tmli_callback_velocity_rows(s, w, x, w->B, w->phi, err);
    if (st != TML_OK) return st;
    for (int r = s->def.m - s->def.velocity_rows; r < s->def.m && a->p; r++)
        w->phi[r] = a->cv > 0 ? w->phi[r] / a->cv : 0;
    augment(x, a->p, w->phi, w->mu);
    st = tmli_callback_stiffness(s, w, x, w->mu, w->K, err);
    if (st == TML_OK) st = tmli_callback_force_by_q(s, w, x, w->fq, err);
    return st;
}

// Entry (i, j) of the first block of (2).
static double motion_entry(const tmli_callback_system *s, const tmli_callback_work *w, const tml_state *x,
                           const tml_assembly *a, size_t i, size_t j)
{
    const size_t n = (size_t)s->def.n, m = (size_t)s->def.m, N = (size_t)s->sys.n;
    const bool motion = i < n && j < n;
    double sum = 0;
    if (a->cm != 0 && motion) sum += a->cm * w->M[i * n + j];
    if (a->cm != 0 && i >= n && i == j) sum += a->cm;
    if (a->cd != 0) sum -= a->cd * w->fu[i * N + j];
    if (a->ck != 0 && motion) sum += a->ck * (w->K[i * n + j] - w->fq[i * n + j]);
    if (a->ck != 0 && i >= n && j < n) sum -= a->ck * w->fq[i * n + j];
    if (a->cp != 0 && a->p && motion)
        for (size_t r = 0; r < m; r++)
            sum += a->cp * tmli_active_penalty(x, a->p, (int)r) * w->B[r * n + i] * w->phi_q[r * n + j];
    return sum;
}

static tml_status callback_assemble(const void *self, void *work, const tml_state *x, const tml_assembly *a,
                                    double *values, tml_error *err)
{
    const tmli_callback_system *s = self;
    tmli_callback_work *w = work;
    const tml_status st = evaluate_parts(s, w, x, a, err);
    if (st != TML_OK) return st;
    const size_t n = (size_t)s->def.n, m = (size_t)s->def.m, N = (size_t)s->sys.n, size = N + m;
    memset(values, 0, size * size * sizeof *values);
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++) values[j * size + i] = motion_entry(s, w, x, a, i, j);
    for (size_t r = 0; r < m; r++)
        for (size_t j = 0; j < n; j++) {
            values[j * size + N + r] = (a->r ? a->r[r] : 1) * w->phi_q[r * n + j];
            values[(N + r) * size + j] = (a->r ? a->r[r] : 1) * w->B[r * n + j];
        }
    return TML_OK;
}

static tml_status callback_velocity(const void *self, void *work, const tml_state *x, double *phidot,
                                    tml_error *err)
{
    const tmli_callback_system *s = self;
    tmli_callback_work *w = work;
    tml_status st = check_state(x, false, err);
    if (st == TML_OK) st = tmli_callback_jacobian(s, w, x->t, x->q, w->B, err);
    if (st == TML_OK) st = tmli_callback_constraint_rate(s, w, x, phidot, err);
    if (st != TML_OK) return st;
    const int m = s->def.m - s->def.velocity_rows;
    tmli_callback_add_product(1, w->B, m, s->def.n, x->u, phidot);
    st = tmli_callback_velocity_rows(s, w, x, w->B, phidot, err);
    if (st != TML_OK) return st;
    return tmli_callback_check_finite("the rate of the constraints", x->t, phidot, s->def.m, err);
}

static tml_status callback_dynamics(const void *self, void *work, const tml_state *x, double *f,
                                    double *gamma, tml_error *err)
{
    tml_status st = check_state(x, false, err);
    if (st == TML_OK) st = tmli_callback_force(self, x, f, err);
    if (st == TML_OK) st = tmli_callback_gamma(self, work, x, gamma, err);
    return st;
}

static tml_status callback_diagonals(const void *self, void *work, const tml_state *x, double *m, double *d,
                                     double *k, tml_error *err)
{
    const tmli_callback_system *s = self;
    tmli_callback_work *w = work;
    tml_status st = check_state(x, false, err);
    if (st == TML_OK) st = tmli_callback_mass(s, x->t, x->q, w->M, err);
    if (st == TML_OK) st = tmli_callback_force_by_u(s, w, x, w->fu, err);
    if (st == TML_OK) st = tmli_callback_force_by_q(s, w, x, w->fq, err);
    if (st != TML_OK) return st;
    const size_t n = (size_t)s->def.n, N = (size_t)s->sys.n;
    for (size_t i = 0; i < N; i++) {
        m[i] = i < n ? fabs(w->M[i * n + i]) : 1;
        d[i] = fabs(w->fu[i * N + i]);
        k[i] = i < n ? fabs(w->fq[i * n + i]) : 0;
    }
    return TML_OK;
}

static tml_status callback_rows(const void *self, void *work, const tml_state *x, double *values,
                                tml_error *err)
{
    const tml_status st = check_state(x, false, err);
    return st == TML_OK ? tmli_callback_jacobian(self, work, x->t, x->q, values, err) : st;
}

static tml_status callback_rows_times(const void *self, void *work, const tml_state *x, const double *v,
                                      double *values, tml_error *err)
{
    tml_status st = check_state(x, false, err);
    if (st == TML_OK) st = tmli_callback_check_finite("the vector v", x->t, v, x->n, err);
    return st == TML_OK ? tmli_callback_rows_times(self, work, x, v, values, err) : st;
}

static tml_status callback_gamma_derivatives(const void *self, void *work, const tml_state *x, double *by_d,
                                             double *by_u, tml_error *err)
{
    tml_status st = check_state(x, false, err);
    if (st == TML_OK) st = tmli_callback_gamma_by_q(self, work, x, by_d, err);
    if (st == TML_OK) st = tmli_callback_gamma_by_u(self, work, x, by_u, err);
    return st;
}

static void callback_retract(const void *self, const double *q, const double *d, double *out)
{
    const tml_user_system_def *def = &((const tmli_callback_system *)self)->def;
    const int n = def->n;
    for (int i = 0; i < n; i++) out[i] = q[i] + d[i];
    tmli_integral_retract(def->nz, q + n, d + n, out + n);
}

static void callback_local(const void *self, const double *q0, const double *q1, double *d)
{
    const tml_user_system_def *def = &((const tmli_callback_system *)self)->def;
    const int n = def->n;
    for (int i = 0; i < n; i++) d[i] = q1[i] - q0[i];
    tmli_integral_local(def->nz, q0 + n, q1 + n, d + n);
}

static void callback_tangent_inverse(const void *self, const double *d, const double *u, double *out)
{
    (void)d;
    memmove(out, u, (size_t)((const tmli_callback_system *)self)->sys.n * sizeof *out);
}

static void callback_compose(const void *self, const double *d1, const double *d2, double *out)
{
    const int n = ((const tmli_callback_system *)self)->sys.n;
    for (int i = 0; i < n; i++) out[i] = d1[i] + d2[i];
}

static tml_status callback_energy(const void *self, void *work, const tml_state *x, double *kinetic,
                                  double *potential, double *power, tml_error *err)
{
    const tml_status st = check_state(x, true, err);
    return st == TML_OK ? tmli_callback_energy(self, work, x, kinetic, potential, power, err) : st;
}

static const tml_system_ops callback_ops = {
    .create_work = callback_create_work,
    .destroy_work = callback_destroy_work,
    .residual = callback_residual,
    .residual_rows = callback_residual_rows,
    .increment = callback_increment,
    .assemble = callback_assemble,
    .velocity = callback_velocity,
    .dynamics = callback_dynamics,
    .diagonals = callback_diagonals,
    .rows = callback_rows,
    .rows_times = callback_rows_times,
    .gamma_derivatives = callback_gamma_derivatives,
    .retract = callback_retract,
    .local = callback_local,
    .tangent_inverse = callback_tangent_inverse,
    .tangent = callback_tangent_inverse,  // both are the identity
    .compose = callback_compose,
    .energy = callback_energy,
    .destroy = callback_destroy,
};
