// IDA of SUNDIALS in the comparison. The equations are written by hand for planar bodies on pins, in all
// their coordinates and the form of stabilized index 2 (Gear, Gupta and Leimkuhler):
//   q' = v - B' mu                                                                        (1)
//   M v' + B' lambda = f(q, v)                                                            (2)
//   Phi(q) = 0            point of b minus point of a, for every pin                      (3)
//   B v = 0                                                                               (4)
// for y = (q, v, mu, lambda), 3 + 3 numbers per body and 2 + 2 per pin. mu vanishes on the solution. The
// Jacobian is analytic, without (B' mu)_q, which vanishes with mu; KLU factors it. Andrews' mechanism is also
// solved in its seven angles.
#include "ida_angles.h"
#include "peer.h"
#include "reference.h"

#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_version.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

typedef struct planar_setting {
    bool all;  // the multipliers are in the error test
    // absolute tolerance of mu and lambda, which Newton's convergence test sees: in units of tol
    double loose;
    double newton;  // coefficient of Newton's convergence test; IDA's own: 0.33
    double speed;   // absolute tolerance of velocities in units of tol [1/s]
    bool amd;       // ordering of KLU; else COLAMD
} planar_setting;

typedef struct equations {
    const mechanism *m;
    int n, mc, size;  // coordinates, rows, unknowns
    double *arm;      // (pins x 4): the points of a pin from the centres of mass, turned
    // the matrix: entries in the order in which `jacobian` writes them
    bool collect;         // only note where entries are
    int entries, room;    // written so far
    int *row, *col;       // while collecting
    sunindextype *place;  // (entries) in the values of the sparse matrix
    sunindextype *colptr, *rowind;
    double *value;  // of the sparse matrix
} equations;

static void *make(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (p) return p;
    fputs("no memory\n", stderr);
    exit(1);
}

// ---- residual ---------------------------------------------------------------------------------------------

static void set_arms(equations *e, const double *q)
{
    for (int i = 0; i < e->m->pins; i++) {
        const mech_pin *p = &e->m->pin[i];
        double *r = e->arm + 4 * i;
        if (p->a >= 0) {
            const double c = cos(q[3 * p->a + 2]), s = sin(q[3 * p->a + 2]);
            r[0] = c * p->sa[0] - s * p->sa[1];
            r[1] = s * p->sa[0] + c * p->sa[1];
        }
        const double c = cos(q[3 * p->b + 2]), s = sin(q[3 * p->b + 2]);
        r[2] = c * p->sb[0] - s * p->sb[1];
        r[3] = s * p->sb[0] + c * p->sb[1];
    }
}

// r -= f
static void subtract_forces(const mechanism *m, const double *q, const double *v, double *r)
{
    for (int i = 0; i < m->bodies; i++) r[3 * i + 1] += m->gravity * m->body[i].mass;
    r[2] -= m->torque[0];
    for (int i = 0; i < m->torsions; i++) {
        const mech_torsion *t = &m->torsion[i];
        const int a = m->pin[t->pin].a, b = m->pin[t->pin].b;
        const double angle = q[3 * b + 2] - (a < 0 ? 0 : q[3 * a + 2]);
        const double rate = v[3 * b + 2] - (a < 0 ? 0 : v[3 * a + 2]);
        const double T = -t->stiffness * (angle - t->rest) - t->damping * rate;
        r[3 * b + 2] -= T;
        if (a >= 0) r[3 * a + 2] += T;
    }
    for (int i = 0; i < m->springs; i++) {
        const mech_spring *s = &m->spring[i];
        const double *p = q + 3 * s->b, c = cos(p[2]), d = sin(p[2]);
        const double rx = c * s->sb[0] - d * s->sb[1], ry = d * s->sb[0] + c * s->sb[1];
        const double x = p[0] + rx - s->sa[0], y = p[1] + ry - s->sa[1], length = sqrt(x * x + y * y);
        const double pull = -s->stiffness * (length - s->rest) / length;
        r[3 * s->b] -= pull * x;
        r[3 * s->b + 1] -= pull * y;
        r[3 * s->b + 2] -= pull * (rx * y - ry * x);
    }
}

// A pin's part at one of its bodies; sign: + for b, - for a.
static void add_end(const double *r, double sign, const double *v, const double *mu, const double *lambda,
                    double *r1, double *r2, double *rate)
{
    r1[0] += sign * mu[0];
    r1[1] += sign * mu[1];
    r1[2] += sign * (r[0] * mu[1] - r[1] * mu[0]);
    r2[0] += sign * lambda[0];
    r2[1] += sign * lambda[1];
    r2[2] += sign * (r[0] * lambda[1] - r[1] * lambda[0]);
    rate[0] += sign * (v[0] - v[2] * r[1]);
    rate[1] += sign * (v[1] + v[2] * r[0]);
}

static int residual(double t, N_Vector y_, N_Vector yp_, N_Vector r_, void *user)
{
    (void)t;
    equations *e = user;
    const mechanism *m = e->m;
    const int n = e->n;
    const double *q = N_VGetArrayPointer(y_), *v = q + n, *mu = v + n, *lambda = mu + e->mc;
    const double *qp = N_VGetArrayPointer(yp_), *vp = qp + n;
    double *r1 = N_VGetArrayPointer(r_), *r2 = r1 + n, *phi = r2 + n, *rate = phi + e->mc;
    set_arms(e, q);
    for (int i = 0; i < m->bodies; i++) {
        const double mass[3] = {m->body[i].mass, m->body[i].mass, m->body[i].inertia};
        for (int k = 3 * i, j = 0; j < 3; j++, k++) {
            r1[k] = qp[k] - v[k];
            r2[k] = mass[j] * vp[k];
        }
    }
    subtract_forces(m, q, v, r2);
    for (int i = 0; i < m->pins; i++) {
        const mech_pin *p = &m->pin[i];
        const double *r = e->arm + 4 * i;
        const int k = 2 * i, b = 3 * p->b, a = 3 * p->a;
        phi[k] = q[b] + r[2] - p->sa[0];
        phi[k + 1] = q[b + 1] + r[3] - p->sa[1];
        rate[k] = rate[k + 1] = 0;
        add_end(r + 2, 1, v + b, mu + k, lambda + k, r1 + b, r2 + b, rate + k);
        if (a < 0) continue;
        phi[k] += p->sa[0] - q[a] - r[0];
        phi[k + 1] += p->sa[1] - q[a + 1] - r[1];
        add_end(r, -1, v + a, mu + k, lambda + k, r1 + a, r2 + a, rate + k);
    }
    return 0;
}

// ---- Jacobian ---------------------------------------------------------------------------------------------

static void put(equations *e, int row, int col, double value)
{
    if (e->collect) {
        if (e->entries == e->room) {
            e->room = 2 * e->room + 64;
            e->row = realloc(e->row, (size_t)e->room * sizeof *e->row);
            e->col = realloc(e->col, (size_t)e->room * sizeof *e->col);
            if (!e->row || !e->col) exit(1);
        }
        e->row[e->entries] = row;
        e->col[e->entries++] = col;
    } else e->value[e->place[e->entries++]] += value;
}

// Columns of a body's x, y, angle in all four equations.
static void put_end(equations *e, int pin_index, int b, const double *r, double sign, const double *v,
                    const double *lambda)
{
    const int n = e->n, k = 2 * pin_index, w = 3 * b + 2, mu = 2 * n + k, la = mu + e->mc;
    const double slope[2] = {-sign * r[1], sign * r[0]};
    for (int j = 0; j < 2; j++) {
        put(e, 3 * b + j, mu + j, sign);  // (1)
        put(e, w, mu + j, slope[j]);
        put(e, n + 3 * b + j, la + j, sign);  // (2)
        put(e, n + w, la + j, slope[j]);
        put(e, mu + j, 3 * b + j, sign);  // (3)
        put(e, mu + j, w, slope[j]);
        put(e, la + j, n + 3 * b + j, sign);  // (4)
        put(e, la + j, n + w, slope[j]);
        put(e, la + j, w, -sign * r[j] * v[3 * b + 2]);
    }
    put(e, n + w, w, -sign * (lambda[k] * r[0] + lambda[k + 1] * r[1]));
}

static void put_forces(equations *e, const double *q)
{
    const mechanism *m = e->m;
    const int n = e->n;
    for (int i = 0; i < m->torsions; i++) {
        const mech_torsion *t = &m->torsion[i];
        const int a = m->pin[t->pin].a, at[2] = {3 * m->pin[t->pin].b + 2, 3 * a + 2};
        for (int k = 0; k < (a < 0 ? 1 : 2); k++)
            for (int l = 0; l < (a < 0 ? 1 : 2); l++) {
                const double sign = k == l ? 1 : -1;
                put(e, n + at[k], at[l], sign * t->stiffness);
                put(e, n + at[k], n + at[l], sign * t->damping);
            }
    }
    for (int i = 0; i < m->springs;
         i++) {  // -f = c (1 - l0/l) G' d with d = (x, y), G = d'(q) = [I, (-ry, rx)]
        const mech_spring *s = &m->spring[i];
        const double *p = q + 3 * s->b, c = cos(p[2]), z = sin(p[2]);
        const double rx = c * s->sb[0] - z * s->sb[1], ry = z * s->sb[0] + c * s->sb[1];
        const double d[2] = {p[0] + rx - s->sa[0], p[1] + ry - s->sa[1]},
                     length = sqrt(d[0] * d[0] + d[1] * d[1]);
        const double G[2][3] = {{1, 0, -ry}, {0, 1, rx}};
        const double share = s->stiffness * (1 - s->rest / length),
                     along = s->stiffness * s->rest / (length * length * length);
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) {
                double sum = share * (G[0][j] * G[0][k] + G[1][j] * G[1][k]);
                sum += along * (G[0][j] * d[0] + G[1][j] * d[1]) * (G[0][k] * d[0] + G[1][k] * d[1]);
                if (j == 2 && k == 2) sum -= share * (rx * d[0] + ry * d[1]);
                put(e, n + 3 * s->b + j, 3 * s->b + k, sum);
            }
    }
}

static void put_all(equations *e, double cj, const double *q, const double *v, const double *lambda)
{
    const mechanism *m = e->m;
    e->entries = 0;
    for (int i = 0; i < m->bodies; i++) {
        const double mass[3] = {m->body[i].mass, m->body[i].mass, m->body[i].inertia};
        for (int k = 3 * i, j = 0; j < 3; j++, k++) {
            put(e, k, k, cj);
            put(e, k, e->n + k, -1);
            put(e, e->n + k, e->n + k, cj * mass[j]);
        }
    }
    for (int i = 0; i < m->pins; i++) {
        const mech_pin *p = &m->pin[i];
        put_end(e, i, p->b, e->arm + 4 * i + 2, 1, v, lambda);
        if (p->a >= 0) put_end(e, i, p->a, e->arm + 4 * i, -1, v, lambda);
    }
    put_forces(e, q);
}

static int jacobian(double t, double cj, N_Vector y_, N_Vector yp_, N_Vector r_, SUNMatrix J, void *user,
                    N_Vector t1, N_Vector t2, N_Vector t3)
{
    (void)t, (void)yp_, (void)r_, (void)t1, (void)t2, (void)t3;
    equations *e = user;
    const double *y = N_VGetArrayPointer(y_);
    // IDA has cleared the values and the pattern
    memcpy(SUNSparseMatrix_IndexPointers(J), e->colptr, ((size_t)e->size + 1) * sizeof *e->colptr);
    memcpy(SUNSparseMatrix_IndexValues(J), e->rowind, (size_t)e->colptr[e->size] * sizeof *e->rowind);
    e->value = SUNSparseMatrix_Data(J);
    set_arms(e, y);
    put_all(e, cj, y, y + e->n, y + 2 * e->n + e->mc);
    return 0;
}

// ---- creation ---------------------------------------------------------------------------------------------

static const equations *sorting;

static int by_column(const void *a, const void *b)
{
    const int i = *(const int *)a, j = *(const int *)b;
    const int by_col = sorting->col[i] - sorting->col[j];
    return by_col ? by_col : sorting->row[i] - sorting->row[j];
}

// Compressed columns; entries written more than once share a place.
static void create_pattern(equations *e, const double *q, const double *v, const double *lambda)
{
    e->collect = true;
    put_all(e, 1, q, v, lambda);
    e->collect = false;
    int *order = make((size_t)e->entries, sizeof *order);
    for (int k = 0; k < e->entries; k++) order[k] = k;
    sorting = e;
    qsort(order, (size_t)e->entries, sizeof *order, by_column);
    e->place = make((size_t)e->entries, sizeof *e->place);
    e->colptr = make((size_t)e->size + 1, sizeof *e->colptr);
    e->rowind = make((size_t)e->entries, sizeof *e->rowind);
    sunindextype count = 0;
    for (int k = 0; k < e->entries; k++) {
        const int i = order[k], last = k ? order[k - 1] : -1;
        if (last < 0 || e->row[i] != e->row[last] || e->col[i] != e->col[last]) {
            e->rowind[count++] = e->row[i];
            e->colptr[e->col[i] + 1] = count;
        }
        e->place[i] = count - 1;
    }
    free(order);
}

static void equations_clear(equations *e)
{
    free(e->arm);
    free(e->row);
    free(e->col);
    free(e->place);
    free(e->colptr);
    free(e->rowind);
}

typedef struct session {
    equations e;
    SUNContext context;
    N_Vector y, yp, atol, id;
    SUNMatrix J;
    SUNLinearSolver lin;
    void *ida;
} session;

// Start values and weights. Newton judges the multipliers by what they do: lambda in units of the largest
// force.
static void fill(session *s, const planar_setting *set, double tol)
{
    const mechanism *m = s->e.m;
    const int n = s->e.n, mc = s->e.mc;
    double *y = N_VGetArrayPointer(s->y), *yp = N_VGetArrayPointer(s->yp),
           *atol = N_VGetArrayPointer(s->atol), *id = N_VGetArrayPointer(s->id), force = 0;
    for (int i = 0; i < s->e.size; i++) y[i] = yp[i] = 0;
    for (int i = 0; i < m->bodies; i++) {
        const mech_body *b = &m->body[i];
        const double pose[3] = {b->x, b->y, b->angle}, rate[3] = {b->vx, b->vy, b->w};
        memcpy(y + 3 * i, pose, sizeof pose);
        memcpy(y + n + 3 * i, rate, sizeof rate);
        memcpy(yp + 3 * i, rate, sizeof rate);
    }
    reference_start(m, yp + n, y + 2 * n + mc);
    for (int i = 0; i < mc; i++) force = fmax(force, fabs(y[2 * n + mc + i]));
    for (int i = 0; i < s->e.size; i++) {
        id[i] = i < 2 * n;
        atol[i] = i < n       ? tol
                  : i < 2 * n ? tol * set->speed
                              : tol * set->loose * (i < 2 * n + mc ? set->speed : force);
    }
}

// IDA's own first step, half of a tolerance over the largest slope, is so short that round-off of the
// positions spoils mu.
static double first_step(const session *s, double tol)
{
    const double *a = N_VGetArrayPointer(s->yp) + s->e.n;
    double fastest = 0;
    for (int i = 0; i < s->e.n; i++) fastest = fmax(fastest, fabs(a[i]));
    return fastest > 0 ? 0.3 * sqrt(tol / fastest) : 0;
}

static bool session_init(session *s, const mechanism *m, const planar_setting *set, double tol)
{
    *s = (session){.e = {.m = m, .n = 3 * m->bodies, .mc = 2 * m->pins}};
    equations *e = &s->e;
    e->size = 2 * (e->n + e->mc);
    e->arm = make(4 * (size_t)m->pins, sizeof *e->arm);
    if (SUNContext_Create(NULL, &s->context) != 0) return false;
    s->y = N_VNew_Serial(e->size, s->context);
    s->yp = N_VNew_Serial(e->size, s->context);
    s->atol = N_VNew_Serial(e->size, s->context);
    s->id = N_VNew_Serial(e->size, s->context);
    if (!s->y || !s->yp || !s->atol || !s->id) return false;
    fill(s, set, tol);
    const double *y = N_VGetArrayPointer(s->y);
    create_pattern(e, y, y + e->n, y + 2 * e->n + e->mc);
    s->J = SUNSparseMatrix(e->size, e->size, e->colptr[e->size], CSC_MAT, s->context);
    s->lin = s->J ? SUNLinSol_KLU(s->y, s->J, s->context) : NULL;
    s->ida = IDACreate(s->context);
    if (!s->lin || !s->ida) return false;
    bool ok = SUNLinSol_KLUSetOrdering(s->lin, set->amd ? 0 : 1) == 0;
    ok = ok && IDAInit(s->ida, residual, 0, s->y, s->yp) == IDA_SUCCESS;
    ok = ok && IDASetUserData(s->ida, e) == IDA_SUCCESS;
    ok = ok && IDASVtolerances(s->ida, tol, s->atol) == IDA_SUCCESS;
    ok = ok && IDASetLinearSolver(s->ida, s->lin, s->J) == IDA_SUCCESS;
    ok = ok && IDASetJacFn(s->ida, jacobian) == IDA_SUCCESS;
    ok = ok && IDASetId(s->ida, s->id) == IDA_SUCCESS;
    ok = ok && IDASetSuppressAlg(s->ida, !set->all) == IDA_SUCCESS;
    ok = ok && IDASetNonlinConvCoef(s->ida, set->newton) == IDA_SUCCESS;
    ok = ok && IDASetInitStep(s->ida, first_step(s, tol)) == IDA_SUCCESS;
    ok = ok && IDASetStopTime(s->ida, m->end) == IDA_SUCCESS;
    ok = ok && IDASetMaxNumSteps(s->ida, 200) == IDA_SUCCESS;
    ok = ok && IDASetErrFile(s->ida, NULL) == IDA_SUCCESS;
    return ok;
}

static void session_clear(session *s)
{
    IDAFree(&s->ida);
    if (s->lin) SUNLinSolFree(s->lin);
    if (s->J) SUNMatDestroy(s->J);
    N_Vector const vectors[] = {s->y, s->yp, s->atol, s->id};
    for (size_t i = 0; i < 4; i++)
        if (vectors[i]) N_VDestroy(vectors[i]);
    SUNContext_Free(&s->context);
    equations_clear(&s->e);
}

// ---- the peer ---------------------------------------------------------------------------------------------

static const planar_setting SETTING[] = {
    {false, 1, 0.33, 1, true},    {false, 1e3, 0.33, 1, true},   {false, 1e3, 0.33, 100, true},
    {false, 1e6, 0.33, 1, true},  {false, 1e6, 0.33, 10, true},  {false, 1e6, 0.33, 100, true},
    {false, 1e3, 0.33, 10, true}, {true, 1e3, 0.33, 1, true},    {true, 1e3, 0.33, 100, true},
    {true, 1, 0.33, 1, true},     {false, 1e3, 0.1, 1, true},    {false, 1e3, 0.1, 100, true},
    {false, 1e6, 0.1, 10, true},  {false, 1e3, 0.33, 10, false},
};
enum { SETTINGS = sizeof SETTING / sizeof *SETTING, QUICK_SETTINGS = 6 };

static const char *version(void)
{
    static char text[32];
    SUNDIALSGetVersion(text, sizeof text);
    return text;
}

static bool setting(const mechanism *m, bool quick, int i, char *buf, size_t size)
{
    const int planar = quick ? QUICK_SETTINGS : SETTINGS;
    if (i >= planar) return m->kind == ANDREWS && !quick && ida_angles_setting(i - planar, buf, size);
    const planar_setting *s = &SETTING[i];
    snprintf(buf, size, "%s loose=%g newton=%g speed=%g %s", s->all ? "all" : "motion", s->loose, s->newton,
             s->speed, s->amd ? "amd" : "colamd");
    return true;
}

static const char *reason(int flag)
{
    return flag == IDA_ERR_FAIL      ? "error test fails"
           : flag == IDA_CONV_FAIL   ? "Newton does not converge"
           : flag == IDA_LSETUP_FAIL ? "singular matrix"
                                     : "IDA gives up";
}

static const char *run(const mechanism *m, int index, double accuracy, double limit, samples *out,
                       peer_result *result)
{
    session s;
    if (index >= (int)SETTINGS) return ida_angles_run(index - SETTINGS, accuracy, limit, out, result);
    const double start = cpu_now();
    const char *wrong = session_init(&s, m, &SETTING[index], accuracy) ? NULL : "IDA cannot be set up";
    const double begin = cpu_now();
    result->setup = begin - start;
    for (int i = 0; i < out->room && !wrong; i++) {
        int flag = i ? IDA_TOO_MUCH_WORK : IDA_SUCCESS;
        double t = 0;
        while (flag == IDA_TOO_MUCH_WORK && !wrong) {
            flag = IDASolve(s.ida, i + 1 < out->room ? i * m->sample : m->end, &t, s.y, s.yp, IDA_NORMAL);
            if (cpu_now() - begin > limit) wrong = PEER_LATE;
        }
        if (flag < 0 && !wrong) wrong = reason(flag);
        if (!wrong) memcpy(samples_next(out), N_VGetArrayPointer(s.y), (size_t)s.e.n * sizeof(double));
    }
    result->seconds = cpu_now() - begin;
    if (s.ida) IDAGetNumSteps(s.ida, &result->steps);
    session_clear(&s);
    return wrong;
}

const peer the_peer = {
    .version = version, .setting = setting, .first = 1e-2, .factor = 0.31622776601683794, .run = run};
