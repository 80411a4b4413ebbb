// The residual and the Jacobian of the stabilized equations for IDA; see ida_solver.h.
#define _POSIX_C_SOURCE 200809L
#include "ida_solver.h"

#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <time.h>

double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Where the entries of a block go in the values of the matrix: block row and column of (1) .. (4).
enum { BLOCK_K, BLOCK_M, BLOCK_TURN, BLOCK_MU, BLOCK_LAMBDA, BLOCK_PHI, BLOCK_RATE, BLOCK_SPEED, BLOCKS };

typedef struct equations {
    const ida_problem *p;
    bool sparse;
    int n, m, size, entries;  // entries of B
    void *work;
    tml_state *x;
    double *motion, *phi, *rows, *rates;  // rates: (B u)_d
    double *assembled[2];                 // (nnz of the system's pattern): K; cj M + D
    int nk;                               // entries of the pattern in the block of coordinates
    int *from;                            // (nk) their places in the pattern
    sunindextype *place[BLOCKS];          // K, M: (nk); TURN: (2 n); the others: (entries)
    sunindextype *colptr, *rowind;        // of the sparse matrix
} equations;

// ---- residual ---------------------------------------------------------------------------------------------

static void set_state(equations *q, double t, const double *y, const double *yp)
{
    const size_t n = (size_t)q->n, m = (size_t)q->m;
    q->x->t = t;
    q->p->sys->ops->retract(q->p->sys->self, q->p->start->q, y, q->x->q);
    memcpy(q->x->u, y + n, n * sizeof *y);
    memcpy(q->x->udot, yp + n, n * sizeof *y);
    memcpy(q->x->lambda, y + 2 * n + m, m * sizeof *y);
}

static int residual(double t, N_Vector y_, N_Vector yp_, N_Vector r_, void *user)
{
    equations *q = user;
    const tml_system *s = q->p->sys;
    const int n = q->n, m = q->m;
    const double *y = N_VGetArrayPointer(y_), *yp = N_VGetArrayPointer(yp_);
    double *r = N_VGetArrayPointer(r_), *phi = r + 2 * n, *rate = phi + m;
    set_state(q, t, y, yp);
    if (q->p->evaluate) q->p->evaluate(q->x, r + n, phi, q->rows);
    else if (s->ops->residual_rows(s->self, q->work, q->x, NULL, r + n, phi, q->rows, NULL) != TML_OK)
        return 1;
    const double *u = y + n, *mu = y + 2 * n;
    for (int j = 0; j < n; j++) r[j] = yp[j] - u[j];
    for (int i = 0; i < m; i++) {
        double sum = 0;
        for (int k = s->rowptr[i]; k < s->rowptr[i + 1]; k++) {
            sum += q->rows[k] * u[s->rowcol[k]];
            r[s->rowcol[k]] += q->rows[k] * mu[i];
        }
        rate[i] = sum;
    }
    return 0;
}

// ---- Jacobian ---------------------------------------------------------------------------------------------

static int jacobian(double t, double cj, N_Vector y_, N_Vector yp_, N_Vector r_, SUNMatrix J, void *user,
                    N_Vector t1, N_Vector t2, N_Vector t3)
{
    (void)r_, (void)t1, (void)t2, (void)t3;
    equations *q = user;
    const tml_system *s = q->p->sys;
    set_state(q, t, N_VGetArrayPointer(y_), N_VGetArrayPointer(yp_));
    const tml_assembly position = {.ck = 1}, velocity = {.cm = cj, .cd = 1};
    tml_status st = s->ops->assemble(s->self, q->work, q->x, &position, q->assembled[0], NULL);
    if (st == TML_OK) st = s->ops->assemble(s->self, q->work, q->x, &velocity, q->assembled[1], NULL);
    if (st == TML_OK) st = s->ops->rows(s->self, q->work, q->x, q->rows, NULL);
    if (st == TML_OK && q->p->rows_times) q->p->rows_times(q->x->q, q->x->u, q->rates);
    else if (st == TML_OK) st = s->ops->rows_times(s->self, q->work, q->x, q->x->u, q->rates, NULL);
    if (st != TML_OK) return 1;
    double *a = q->sparse ? SUNSparseMatrix_Data(J) : SUNDenseMatrix_Data(J);
    if (q->sparse) {  // IDA has cleared the pattern too
        const size_t columns = (size_t)q->size + 1, nnz = (size_t)q->colptr[q->size];
        memcpy(SUNSparseMatrix_IndexPointers(J), q->colptr, columns * sizeof *q->colptr);
        memcpy(SUNSparseMatrix_IndexValues(J), q->rowind, nnz * sizeof *q->rowind);
    }
    for (int k = 0; k < q->nk; k++) {
        a[q->place[BLOCK_K][k]] = q->assembled[0][q->from[k]];
        a[q->place[BLOCK_M][k]] = q->assembled[1][q->from[k]];
    }
    for (int j = 0; j < q->n; j++) {
        a[q->place[BLOCK_TURN][2 * j]] = cj;
        a[q->place[BLOCK_TURN][2 * j + 1]] = -1;
    }
    for (int k = 0; k < q->entries; k++) {
        a[q->place[BLOCK_MU][k]] = a[q->place[BLOCK_LAMBDA][k]] = q->rows[k];
        a[q->place[BLOCK_PHI][k]] = a[q->place[BLOCK_SPEED][k]] = q->rows[k];
        a[q->place[BLOCK_RATE][k]] = q->rates[k];
    }
    return 0;
}

// ---- creation ---------------------------------------------------------------------------------------------

static void *make(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (!p) {
        fputs("no memory\n", stderr);
        exit(1);
    }
    return p;
}

typedef struct entry_list {
    int count;
    sunindextype *row, *col, **at;  // at: where to note the place
} entry_list;

static void list(entry_list *l, int row, int col, sunindextype *at)
{
    l->row[l->count] = row;
    l->col[l->count] = col;
    l->at[l->count++] = at;
}

static void list_blocks(equations *q, entry_list *l)
{
    const tml_system *s = q->p->sys;
    const int n = q->n, m = q->m;
    for (int j = 0; j < n; j++) {
        list(l, j, j, &q->place[BLOCK_TURN][2 * j]);
        list(l, j, n + j, &q->place[BLOCK_TURN][2 * j + 1]);
        for (int k = s->pattern->colptr[j]; k < s->pattern->colptr[j + 1]; k++) {
            const int i = s->pattern->rowind[k];
            if (i >= n) continue;
            q->from[q->nk] = k;
            list(l, n + i, j, &q->place[BLOCK_K][q->nk]);
            list(l, n + i, n + j, &q->place[BLOCK_M][q->nk++]);
        }
    }
    for (int i = 0; i < m; i++)
        for (int k = s->rowptr[i]; k < s->rowptr[i + 1]; k++) {
            const int j = s->rowcol[k];
            list(l, j, 2 * n + i, &q->place[BLOCK_MU][k]);
            list(l, n + j, 2 * n + m + i, &q->place[BLOCK_LAMBDA][k]);
            list(l, 2 * n + i, j, &q->place[BLOCK_PHI][k]);
            list(l, 2 * n + m + i, j, &q->place[BLOCK_RATE][k]);
            list(l, 2 * n + m + i, n + j, &q->place[BLOCK_SPEED][k]);
        }
}

// Compressed columns, rows in ascending order: counting sort by row, then by column.
static void place_sparse(equations *q, const entry_list *l)
{
    const int size = q->size;
    sunindextype *next = make((size_t)size + 1, sizeof *next);
    int *by_row = make((size_t)l->count, sizeof *by_row);
    for (int k = 0; k < l->count; k++) next[l->row[k] + 1]++;
    for (int i = 0; i < size; i++) next[i + 1] += next[i];
    for (int k = 0; k < l->count; k++) by_row[next[l->row[k]]++] = k;
    for (int k = 0; k < l->count; k++) q->colptr[l->col[k] + 1]++;
    for (int j = 0; j < size; j++) q->colptr[j + 1] += q->colptr[j];
    memcpy(next, q->colptr, ((size_t)size + 1) * sizeof *next);
    for (int i = 0; i < l->count; i++) {
        const int k = by_row[i];
        *l->at[k] = next[l->col[k]]++;
        q->rowind[*l->at[k]] = l->row[k];
    }
    free(by_row);
    free(next);
}

static void create_places(equations *q)
{
    const int pattern = q->p->sys->pattern->colptr[q->p->sys->pattern->n];
    const size_t count = (size_t)(2 * pattern + 2 * q->n + 5 * q->entries);
    for (int b = 0; b < BLOCKS; b++) {
        const int length = b <= BLOCK_M ? pattern : b == BLOCK_TURN ? 2 * q->n : q->entries;
        q->place[b] = make((size_t)length, sizeof **q->place);
    }
    q->from = make((size_t)pattern, sizeof *q->from);
    q->colptr = make((size_t)q->size + 1, sizeof *q->colptr);
    q->rowind = make(count, sizeof *q->rowind);
    entry_list l = {.row = make(count, sizeof *l.row),
                    .col = make(count, sizeof *l.col),
                    .at = make(count, sizeof *l.at)};
    list_blocks(q, &l);
    if (q->sparse) place_sparse(q, &l);
    else
        for (int k = 0; k < l.count; k++) *l.at[k] = l.col[k] * q->size + l.row[k];
    if (!q->sparse) q->colptr[q->size] = l.count;
    free(l.row);
    free(l.col);
    free(l.at);
}

static void equations_init(equations *q, const ida_problem *p, bool sparse)
{
    const tml_system *s = p->sys;
    const size_t nnz = (size_t)s->pattern->colptr[s->pattern->n];
    *q = (equations){.p = p,
                     .sparse = sparse,
                     .n = s->n,
                     .m = s->m,
                     .size = 2 * (s->n + s->m),
                     .entries = s->rowptr[s->m]};
    q->work = s->ops->create_work(s->self, NULL);
    if (!q->work || tml_state_create(s, &q->x, NULL) != TML_OK) exit(1);
    tml_state_copy(q->x, p->start);
    q->rows = make((size_t)q->entries, sizeof(double));
    q->rates = make((size_t)q->entries, sizeof(double));
    q->motion = make((size_t)q->n, sizeof(double));
    q->phi = make((size_t)q->m, sizeof(double));
    for (int i = 0; i < 2; i++) q->assembled[i] = make(nnz, sizeof(double));
    create_places(q);
}

static void equations_clear(equations *q)
{
    q->p->sys->ops->destroy_work(q->work);
    tml_state_destroy(q->x, q->p->sys);
    double *const numbers[] = {q->rows, q->rates, q->motion, q->phi, q->assembled[0], q->assembled[1]};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) free(numbers[i]);
    for (int b = 0; b < BLOCKS; b++) free(q->place[b]);
    free(q->from);
    free(q->colptr);
    free(q->rowind);
}

// ---- a run ------------------------------------------------------------------------------------------------

typedef struct session {
    equations q;
    SUNContext context;
    N_Vector y, yp, atol, id;
    SUNMatrix J;
    SUNLinearSolver lin;
    void *ida;
} session;

static void session_clear(session *s)
{
    IDAFree(&s->ida);
    SUNLinSolFree(s->lin);
    SUNMatDestroy(s->J);
    N_VDestroy(s->y);
    N_VDestroy(s->yp);
    N_VDestroy(s->atol);
    N_VDestroy(s->id);
    SUNContext_Free(&s->context);
    equations_clear(&s->q);
}

// Start values and weights. Tolerances are in the same units as ours: lengths of the model, rad.
static void fill(session *s, const ida_setting *set, double tol)
{
    const ida_problem *p = s->q.p;
    const int n = s->q.n, m = s->q.m;
    double *y = N_VGetArrayPointer(s->y), *yp = N_VGetArrayPointer(s->yp),
           *atol = N_VGetArrayPointer(s->atol), *id = N_VGetArrayPointer(s->id);
    memset(y, 0, (size_t)s->q.size * sizeof *y);
    memset(yp, 0, (size_t)s->q.size * sizeof *y);
    double force = 0, length = 0;
    for (int r = 0; r < m; r++) force = fmax(force, fabs(p->start->lambda[r]));
    for (int j = 0; j < n; j++) {
        const double unit = p->sys->kind[j] == TML_COORDINATE_TRANSLATION ? p->sys->length : 1;
        length = fmax(length, unit);
        y[n + j] = yp[j] = p->start->u[j];
        yp[n + j] = p->start->udot[j];
        atol[j] = tol * unit;
        atol[n + j] = tol * unit * set->speed;
        id[j] = id[n + j] = 1;
    }
    for (int r = 0; r < m; r++) {
        y[2 * n + m + r] = p->start->lambda[r];
        atol[2 * n + r] = set->loose * tol * length * set->speed;
        atol[2 * n + m + r] = set->loose * tol * force;
        id[2 * n + r] = id[2 * n + m + r] = 0;
    }
}

// IDA's own first step, half of a tolerance over the largest slope, is so short that the round-off of the
// positions over it spoils mu. This one has a local error of the positions below the tolerance.
static double first_step(const ida_problem *p, double tol)
{
    double fastest = 0;
    for (int j = 0; j < p->sys->n; j++) {
        const double unit = p->sys->kind[j] == TML_COORDINATE_TRANSLATION ? p->sys->length : 1;
        fastest = fmax(fastest, fabs(p->start->udot[j]) / unit);
    }
    return fastest > 0 ? 0.3 * sqrt(tol / fastest) : 0;
}

static bool session_init(session *s, const ida_problem *p, const ida_setting *set, double tol)
{
    *s = (session){0};
    equations_init(&s->q, p, set->sparse);
    const int size = s->q.size;
    if (SUNContext_Create(NULL, &s->context) != 0) return false;
    s->y = N_VNew_Serial(size, s->context);
    s->yp = N_VNew_Serial(size, s->context);
    s->atol = N_VNew_Serial(size, s->context);
    s->id = N_VNew_Serial(size, s->context);
    s->J = set->sparse ? SUNSparseMatrix(size, size, s->q.colptr[size], CSC_MAT, s->context)
                       : SUNDenseMatrix(size, size, s->context);
    s->lin = set->sparse ? SUNLinSol_KLU(s->y, s->J, s->context) : SUNLinSol_Dense(s->y, s->J, s->context);
    s->ida = IDACreate(s->context);
    if (!s->y || !s->yp || !s->atol || !s->id || !s->J || !s->lin || !s->ida) return false;
    fill(s, set, tol);
    bool ok = IDAInit(s->ida, residual, p->start->t, s->y, s->yp) == IDA_SUCCESS;
    ok = ok && IDASetUserData(s->ida, &s->q) == IDA_SUCCESS;
    ok = ok && IDASVtolerances(s->ida, tol, s->atol) == IDA_SUCCESS;
    ok = ok && IDASetLinearSolver(s->ida, s->lin, s->J) == IDA_SUCCESS;
    ok = ok && IDASetJacFn(s->ida, jacobian) == IDA_SUCCESS;
    ok = ok && IDASetId(s->ida, s->id) == IDA_SUCCESS;
    ok = ok && IDASetSuppressAlg(s->ida, !set->all) == IDA_SUCCESS;
    ok = ok && IDASetMaxOrd(s->ida, set->max_order) == IDA_SUCCESS;
    ok = ok && IDASetNonlinConvCoef(s->ida, set->newton) == IDA_SUCCESS;
    ok = ok && IDASetInitStep(s->ida, first_step(p, tol)) == IDA_SUCCESS;
    ok = ok && IDASetStopTime(s->ida, p->end) == IDA_SUCCESS;
    ok = ok && IDASetMaxNumSteps(s->ida, 1000) == IDA_SUCCESS;
    ok = ok && IDASetErrFile(s->ida, NULL) == IDA_SUCCESS;
    return ok;
}

static void measure(session *s, ida_result *out)
{
    const tml_system *sys = s->q.p->sys;
    const double *y = N_VGetArrayPointer(s->y);
    long evaluations_for_j;
    IDAGetNumSteps(s->ida, &out->steps);
    IDAGetNumErrTestFails(s->ida, &out->rejected);
    IDAGetNumResEvals(s->ida, &out->evaluations);
    IDAGetNumLinSolvSetups(s->ida, &out->factorizations);
    IDAGetNumNonlinSolvIters(s->ida, &out->iterations);
    IDAGetNumLinResEvals(s->ida, &evaluations_for_j);
    out->evaluations += evaluations_for_j;
    set_state(&s->q, s->q.p->end, y, N_VGetArrayPointer(s->yp));
    sys->ops->residual(sys->self, s->q.work, s->q.x, NULL, s->q.motion, s->q.phi, NULL);
    out->position = out->velocity = out->mu = 0;
    for (int r = 0; r < s->q.m; r++) out->position = fmax(out->position, fabs(s->q.phi[r]));
    sys->ops->velocity(sys->self, s->q.work, s->q.x, s->q.phi, NULL);
    for (int r = 0; r < s->q.m; r++) {
        out->velocity = fmax(out->velocity, fabs(s->q.phi[r]));
        out->mu = fmax(out->mu, fabs(y[2 * s->q.n + r]));
    }
}

const char *ida_run(const ida_problem *p, const ida_setting *set, double tol, double limit, double *q,
                    ida_result *out)
{
    session s;
    const char *wrong = NULL;
    *out = (ida_result){0};
    if (!session_init(&s, p, set, tol)) wrong = "IDA cannot be set up";
    const double begin = cpu_seconds();
    const int count = p->take ? (int)lround((p->end - p->start->t) / p->sample) : 1;
    int flag = IDA_SUCCESS;
    for (int i = 1; i <= count && !wrong && flag >= 0; i++) {
        const double until = i < count ? p->start->t + i * p->sample : p->end;
        double t;
        do {
            flag = IDASolve(s.ida, until, &t, s.y, s.yp, IDA_NORMAL);
            if (flag == IDA_TOO_MUCH_WORK && cpu_seconds() - begin > limit) wrong = "time limit";
        } while (flag == IDA_TOO_MUCH_WORK && !wrong);
        if (!p->take || wrong || flag < 0) continue;
        p->sys->ops->retract(p->sys->self, p->start->q, N_VGetArrayPointer(s.y), s.q.x->q);
        p->take(s.q.x->q, p->user);
    }
    out->seconds = cpu_seconds() - begin;
    if (!wrong && flag < 0)
        wrong = flag == IDA_ERR_FAIL    ? "error test fails"
                : flag == IDA_CONV_FAIL ? "Newton does not converge"
                                        : "IDA gives up";
    if (!wrong) {
        measure(&s, out);
        memcpy(q, s.q.x->q, (size_t)p->sys->nq * sizeof *q);
    }
    session_clear(&s);
    return wrong;
}

const char *ida_setting_name(const ida_setting *s, char *buf, size_t size)
{
    snprintf(buf, size, "%s loose=%g order=%d newton=%g speed=%g %s", s->all ? "all" : "motion", s->loose,
             s->max_order, s->newton, s->speed, s->sparse ? "klu" : "dense");
    return buf;
}

// ---- self-test --------------------------------------------------------------------------------------------

static double entry(const session *s, int i, int j)
{
    if (!s->q.sparse) return SUNDenseMatrix_Data(s->J)[(size_t)j * (size_t)s->q.size + (size_t)i];
    for (sunindextype k = s->q.colptr[j]; k < s->q.colptr[j + 1]; k++)
        if (s->q.rowind[k] == i) return SUNSparseMatrix_Data(s->J)[k];
    return 0;
}

// Residual at y + step e_j (and, as a step of IDA does, y' + cj step e_j).
static bool shifted(session *s, double cj, int j, double step, N_Vector r)
{
    double *y = N_VGetArrayPointer(s->y), *yp = N_VGetArrayPointer(s->yp);
    const double keep = y[j], keep_p = yp[j];
    y[j] += step;
    yp[j] += cj * step;
    const bool ok = residual(0, s->y, s->yp, r, &s->q) == 0;
    y[j] = keep;
    yp[j] = keep_p;
    return ok;
}

double ida_check_jacobian(const ida_problem *p, bool sparse)
{
    session s;
    const ida_setting set = {.loose = 1, .max_order = 5, .newton = 0.33, .speed = 1, .sparse = sparse};
    double worst = session_init(&s, p, &set, 1e-6) ? 0 : -1;
    N_Vector plus = N_VNew_Serial(s.q.size, s.context), minus = N_VNew_Serial(s.q.size, s.context);
    double *y = N_VGetArrayPointer(s.y), *yp = N_VGetArrayPointer(s.yp);
    const int n = s.q.n, m = s.q.m, size = s.q.size;
    const double cj = 300;
    for (int i = 0; i < size; i++) {  // anywhere but on the solution; mu = 0
        if (i < 2 * n || i >= 2 * n + m) y[i] += (i < n ? 0.1 : 10) * sin(1.0 + i);
        yp[i] += 100 * cos(2.0 * i);
    }
    if (worst == 0 && jacobian(0, cj, s.y, s.yp, NULL, s.J, &s.q, NULL, NULL, NULL) != 0) worst = -1;
    for (int j = 0; j < size && worst >= 0; j++) {
        const double step = 1e-6;
        if (!shifted(&s, cj, j, step, plus) || !shifted(&s, cj, j, -step, minus)) worst = -1;
        // each of (1) .. (4) by itself: their entries are of very different size
        const int end[] = {n, 2 * n, 2 * n + m, size};
        for (int b = 0, i = 0; b < 4; b++) {
            double largest = 0, off = 0;
            for (; i < end[b]; i++) {
                const double slope =
                    (N_VGetArrayPointer(plus)[i] - N_VGetArrayPointer(minus)[i]) / (2 * step);
                largest = fmax(largest, fabs(slope));
                off = fmax(off, fabs(slope - entry(&s, i, j)));
            }
            if (worst >= 0 && off > 0) worst = fmax(worst, off / largest);
        }
    }
    N_VDestroy(plus);
    N_VDestroy(minus);
    session_clear(&s);
    return worst;
}
