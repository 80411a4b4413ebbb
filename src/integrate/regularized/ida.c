// IDA behind our own contracts of matrix and linear solver; see ida.h.
#include "integrate/regularized/ida.h"
#include "linalg/solver/archive.h"

#ifdef TRAMMEL_HAVE_IDA

#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_version.h>
#if defined(__has_include) && SUNDIALS_VERSION_MAJOR == 6
#if __has_include(<ida/ida_impl.h>)
#include <ida/ida_impl.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>
#define IDA_MEMORY_KNOWN
#endif
#endif

struct tmli_ida {
    tmli_ida_def def;
    SUNContext context;
    N_Vector y, yp, out;
    SUNMatrix matrix;     // content: the values
    SUNLinearSolver lin;  // content: this
    void *ida;
    void *solver;         // of def.solver
    double *values;       // (entries of the pattern)
    tml_error err;        // of the last callback or factorization that failed
    tml_counters before;  // of earlier starts
    long factored;
    double t, h_last, h_next;
    int order;
    bool begun;
};

bool tmli_ida_available(void) { return true; }

static tml_counters counters(const tmli_ida *s)
{
    tml_counters c = {.factorizations = s->factored};
    long more = 0;
    if (!s->begun) return c;
    IDAGetNumSteps(s->ida, &c.steps);
    IDAGetNumErrTestFails(s->ida, &c.rejected_error);
    IDAGetNumNonlinSolvConvFails(s->ida, &c.rejected_newton);
    IDAGetNumNonlinSolvIters(s->ida, &c.iterations);
    IDAGetNumResEvals(s->ida, &c.residuals);
    if (IDAGetNumLinResEvals(s->ida, &more) == 0) c.residuals += more;
    return c;
}

void tmli_ida_count(const tmli_ida *s, tml_counters *out)
{
    const tml_counters now = counters(s), old = s->before;
    *out = (tml_counters){.steps = now.steps + old.steps,
                          .rejected_error = now.rejected_error + old.rejected_error,
                          .rejected_newton = now.rejected_newton + old.rejected_newton,
                          .iterations = now.iterations + old.iterations,
                          .residuals = now.residuals + old.residuals,
                          .factorizations = now.factorizations,
                          .max_iterations = 4};  // IDA's own limit
}

// ---- what IDA calls ---------------------------------------------------------------------------------------

static int ida_status(tml_status st)
{
    return st == TML_OK ? 0 : st > 0 || st == TML_ERR_NAN || st == TML_ERR_SINGULAR ? 1 : -1;
}

static int residual(sunrealtype t, N_Vector y, N_Vector yp, N_Vector r, void *user)
{
    tmli_ida *s = user;
    return ida_status(s->def.residual(t, N_VGetArrayPointer(y), N_VGetArrayPointer(yp), N_VGetArrayPointer(r),
                                      s->def.user, &s->err));
}

static int jacobian(sunrealtype t, sunrealtype cj, N_Vector y, N_Vector yp, N_Vector r, SUNMatrix J,
                    void *user, N_Vector a, N_Vector b, N_Vector c)
{
    (void)r, (void)J, (void)a, (void)b, (void)c;
    tmli_ida *s = user;
    return ida_status(
        s->def.matrix(t, cj, N_VGetArrayPointer(y), N_VGetArrayPointer(yp), s->values, s->def.user, &s->err));
}

static int weigh(N_Vector y, N_Vector w, void *user)
{
    tmli_ida *s = user;
    double *x = N_VGetArrayPointer(w);
    s->def.weigh(N_VGetArrayPointer(y), x, s->def.user);
    for (int i = 0; i < s->def.size; i++) {
        if (!(x[i] > 0)) return -1;
        x[i] = 1 / x[i];
    }
    return 0;
}

static SUNMatrix_ID matrix_id(SUNMatrix A)
{
    (void)A;
    return SUNMATRIX_CUSTOM;
}
static int matrix_zero(SUNMatrix A)
{
    (void)A;
    return 0;  // def.matrix sets every value
}

static SUNLinearSolver_Type solver_type(SUNLinearSolver L)
{
    (void)L;
    return SUNLINEARSOLVER_DIRECT;
}
static SUNLinearSolver_ID solver_id(SUNLinearSolver L)
{
    (void)L;
    return SUNLINEARSOLVER_CUSTOM;
}
static int solver_setup(SUNLinearSolver L, SUNMatrix A)
{
    (void)A;
    tmli_ida *s = L->content;
    s->factored++;
    if (!s->def.pattern) return 0;
    return s->def.solver->factor(s->solver, s->values, &s->err) == TML_OK ? 0 : 1;  // a shorter step may help
}
static int solver_solve(SUNLinearSolver L, SUNMatrix A, N_Vector x, N_Vector b, sunrealtype tol)
{
    (void)A, (void)tol;
    tmli_ida *s = L->content;
    double *v = N_VGetArrayPointer(x);
    if (x != b) memcpy(v, N_VGetArrayPointer(b), (size_t)s->def.size * sizeof *v);
    if (s->def.pattern) s->def.solver->solve(s->solver, v);
    else s->def.solve(v, s->def.user);
    for (int i = 0; i < s->def.size; i++)
        if (!isfinite(v[i])) return 1;
    return 0;
}

// ---- creation ---------------------------------------------------------------------------------------------

static bool make_context(tmli_ida *s)
{
#if SUNDIALS_VERSION_MAJOR >= 7
    if (SUNContext_Create(SUN_COMM_NULL, &s->context) != 0) return false;
    SUNContext_ClearErrHandlers(s->context);  // we report the errors ourselves
    return true;
#else
    return SUNContext_Create(NULL, &s->context) == 0;
#endif
}

static bool make_parts(tmli_ida *s)
{
    if (!make_context(s)) return false;
    s->y = N_VNew_Serial(s->def.size, s->context);
    s->yp = N_VNew_Serial(s->def.size, s->context);
    s->out = N_VNew_Serial(s->def.size, s->context);
    s->matrix = SUNMatNewEmpty(s->context);
    s->lin = SUNLinSolNewEmpty(s->context);
    s->ida = IDACreate(s->context);
    if (!s->y || !s->yp || !s->out || !s->matrix || !s->lin || !s->ida) return false;
    s->matrix->ops->getid = matrix_id;
    s->matrix->ops->zero = matrix_zero;
    s->lin->content = s;
    s->lin->ops->gettype = solver_type;
    s->lin->ops->getid = solver_id;
    s->lin->ops->setup = solver_setup;
    s->lin->ops->solve = solver_solve;
    return true;
}

static bool set_up(tmli_ida *s)
{
    N_Vector id = s->out;
    for (int i = 0; i < s->def.size; i++)
        N_VGetArrayPointer(id)[i] = s->def.unjudged && s->def.unjudged[i] ? 0 : 1;
#if SUNDIALS_VERSION_MAJOR < 7
    if (IDASetErrFile(s->ida, NULL) != IDA_SUCCESS) return false;
#endif
    return IDAInit(s->ida, residual, 0, s->y, s->yp) == IDA_SUCCESS &&
           IDASetUserData(s->ida, s) == IDA_SUCCESS && IDAWFtolerances(s->ida, weigh) == IDA_SUCCESS &&
           IDASetLinearSolver(s->ida, s->lin, s->matrix) == IDA_SUCCESS &&
           IDASetJacFn(s->ida, jacobian) == IDA_SUCCESS && IDASetId(s->ida, id) == IDA_SUCCESS &&
           IDASetSuppressAlg(s->ida, 1) == IDA_SUCCESS &&
           IDASetMaxOrd(s->ida, s->def.max_order) == IDA_SUCCESS &&
           IDASetMaxStep(s->ida, s->def.max_step) == IDA_SUCCESS;
}

tml_status tmli_ida_create(const tmli_ida_def *def, tmli_ida **out, tml_error *err)
{
    *out = NULL;
    tmli_ida *s = tmli_calloc(&def->env, 1, sizeof *s);
    if (!s) return tmli_no_memory(err, "integrator");
    s->def = *def;
    tml_status st = TML_OK;
    if (def->pattern) {
        s->values = tmli_calloc(&def->env, (size_t)def->pattern->colptr[def->pattern->n], sizeof(double));
        st = s->values ? def->solver->create(def->pattern, &def->env, &s->solver, err)
                       : tmli_no_memory(err, "integrator");
    }
    if (st == TML_OK && !(make_parts(s) && set_up(s)))
        st = tmli_fail(err, TML_ERR_NOMEM, "SUNDIALS IDA cannot be set up for %d unknowns", def->size);
    if (st != TML_OK) {
        tmli_ida_destroy(s);
        return st;
    }
    *out = s;
    return TML_OK;
}

void tmli_ida_destroy(tmli_ida *s)
{
    if (!s) return;
    const tml_env env = s->def.env;
    if (s->ida) IDAFree(&s->ida);
    if (s->lin) SUNLinSolFreeEmpty(s->lin);
    if (s->matrix) SUNMatFreeEmpty(s->matrix);
    if (s->y) N_VDestroy(s->y);
    if (s->yp) N_VDestroy(s->yp);
    if (s->out) N_VDestroy(s->out);
    if (s->context) SUNContext_Free(&s->context);
    if (s->solver) s->def.solver->destroy(s->solver);
    tmli_free(&env, s->values);
    tmli_free(&env, s);
}

// ---- running ----------------------------------------------------------------------------------------------

double *tmli_ida_y(tmli_ida *s) { return N_VGetArrayPointer(s->y); }
double *tmli_ida_yp(tmli_ida *s) { return N_VGetArrayPointer(s->yp); }
double tmli_ida_time(const tmli_ida *s) { return s->t; }
double tmli_ida_next_step(const tmli_ida *s) { return s->h_next; }
tml_status tmli_ida_start(tmli_ida *s, double t, double h, tml_error *err)
{
    tmli_ida_count(s, &s->before);
    s->begun = true;
    s->t = t;
    s->h_last = 0;
    s->h_next = h;
    s->order = 1;
    if (IDAReInit(s->ida, t, s->y, s->yp) == IDA_SUCCESS && IDASetInitStep(s->ida, h) == IDA_SUCCESS)
        return TML_OK;
    return tmli_fail(err, TML_ERR_ARG, "SUNDIALS IDA cannot be started at t = %g s", t);
}

// Translate IDA's reason for giving up into a message; the last failure of a callback or factorization
// explains it.
static tml_status report_failure(tmli_ida *s, int flag, tml_error *err)
{
    const char *what = flag == IDA_ERR_FAIL    ? "the error test fails repeatedly or with the smallest step"
                       : flag == IDA_CONV_FAIL ? "Newton's iteration does not converge with the smallest step"
                       : flag == IDA_LSETUP_FAIL    ? "the iteration matrix cannot be factored"
                       : flag == IDA_REP_RES_ERR    ? "the equations cannot be evaluated"
                       : flag == IDA_RES_FAIL       ? "the equations cannot be evaluated"
                       : flag == IDA_FIRST_RES_FAIL ? "the equations cannot be evaluated at the start"
                       : flag == IDA_TOO_MUCH_ACC   ? "the tolerance is below what round-off allows"
                                                    : "it gives up";
    tmli_fail(err, TML_RETRY, "IDA at t = %g s, step %.2g s: %s", s->t, s->h_next, what);
    if (s->err.msg[0]) tmli_error_append(err, "(%s)", s->err.msg);
    return flag == IDA_RES_FAIL && s->err.status < 0 ? s->err.status : TML_RETRY;
}

tml_status tmli_ida_step(tmli_ida *s, double stop, tml_error *err)
{
    sunrealtype t;
    s->err = (tml_error){0};
    const double beyond = s->t + fmax(1, fabs(s->t));  // direction of the integration
    if (isfinite(stop) && IDASetStopTime(s->ida, stop) != IDA_SUCCESS)
        return tmli_fail(err, TML_RETRY, "IDA at t = %g s: it cannot stop at %g s", s->t, stop);
    const int flag = IDASolve(s->ida, beyond, &t, s->y, s->yp, IDA_ONE_STEP);
    IDAGetCurrentStep(s->ida, &s->h_next);
    if (flag < 0) return report_failure(s, flag, err);
    s->t = t;
    IDAGetLastStep(s->ida, &s->h_last);
    IDAGetLastOrder(s->ida, &s->order);
    return TML_OK;
}

void tmli_ida_get(tmli_ida *s, double t, int k, double *out)
{
    const size_t bytes = (size_t)s->def.size * sizeof *out;
    if (s->h_last > 0 && IDAGetDky(s->ida, t, k, s->out) == IDA_SUCCESS)
        memcpy(out, N_VGetArrayPointer(s->out), bytes);
    else memcpy(out, N_VGetArrayPointer(k == 0 ? s->y : s->yp), bytes);
}

// ---- archive ----------------------------------------------------------------------------------------------

#ifdef IDA_MEMORY_KNOWN

static void archive_vector(tmli_ida *s, N_Vector v, tml_archive *a)
{
    tml_archive_doubles(a, N_VGetArrayPointer(v), (size_t)s->def.size);
}

static void archive_flag(booleantype *flag, tml_archive *a)
{
    bool value = *flag;
    tml_archive_bools(a, &value, 1);
    *flag = value;
}

// Divided differences, coefficients, step and order, and what the next step tests about the matrix.
static void archive_memory(tmli_ida *s, IDAMem m, tml_archive *a)
{
    double *const arrays[] = {m->ida_psi, m->ida_alpha, m->ida_beta, m->ida_sigma, m->ida_gamma};
    double *const numbers[] = {
        &m->ida_tstop, &m->ida_hin,      &m->ida_h0u,     &m->ida_hh,     &m->ida_hused, &m->ida_eta,
        &m->ida_tn,    &m->ida_tretlast, &m->ida_cj,      &m->ida_cjlast, &m->ida_cjold, &m->ida_cjratio,
        &m->ida_ss,    &m->ida_oldnrm,   &m->ida_epsNewt, &m->ida_toldel, &m->ida_tolsf};
    long *const counts[] = {&m->ida_nst, &m->ida_nre, &m->ida_ncfn,   &m->ida_netf,
                            &m->ida_nni, &m->ida_nnf, &m->ida_nsetups};
    N_Vector const vectors[] = {m->ida_ewt, m->ida_yypredict, m->ida_yppredict, m->ida_delta, m->ida_ee};
    for (int i = 0; i <= m->ida_maxord_alloc; i++) archive_vector(s, m->ida_phi[i], a);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tml_archive_doubles(a, arrays[i], MXORDP1);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) tml_archive_doubles(a, numbers[i], 1);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) tml_archive_longs(a, counts[i], 1);
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) archive_vector(s, vectors[i], a);
    tml_archive_indices(a, &m->ida_kk, 1, 0, m->ida_maxord_alloc);
    tml_archive_indices(a, &m->ida_kused, 1, 0, m->ida_maxord_alloc);
    tml_archive_indices(a, &m->ida_knew, 1, 0, m->ida_maxord_alloc);
    tml_archive_ints(a, &m->ida_phase, 1);
    tml_archive_ints(a, &m->ida_ns, 1);
    archive_flag(&m->ida_tstopset, a);
    archive_flag(&m->ida_SetupDone, a);  // false from a start to its first step, which sets the weights
}

void tmli_ida_archive(tmli_ida *s, tml_archive *a)
{
    IDAMem m = s->ida;
    SUNNonlinearSolverContent_Newton newton = m->NLS->content;
    const size_t entries = s->def.pattern ? (size_t)s->def.pattern->colptr[s->def.pattern->n] : 0;
    tmli_archive_mark(a, "ida");
    archive_memory(s, m, a);
    archive_flag(&newton->jcur, a);
    tml_archive_longs(a, &newton->niters, 1);
    tml_archive_longs(a, &newton->nconvfails, 1);
    archive_vector(s, s->y, a);
    archive_vector(s, s->yp, a);
    tml_archive_doubles(a, s->values, entries);
    if (s->solver) tmli_linsolver_archive(s->def.solver, s->solver, a);
    tml_counters_archive(&s->before, a);
    tml_archive_longs(a, &s->factored, 1);
    double *const numbers[] = {&s->t, &s->h_last, &s->h_next};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) tml_archive_doubles(a, numbers[i], 1);
    tml_archive_ints(a, &s->order, 1);
    tml_archive_bools(a, &s->begun, 1);
}

#else

void tmli_ida_archive(tmli_ida *s, tml_archive *a)
{
    (void)s;
    tml_archive_fail(a, TML_ERR_ARG,
                     "methods of SUNDIALS IDA can be saved only if the library was built with SUNDIALS 6 and "
                     "its header ida/ida_impl.h");
}

#endif

#else

bool tmli_ida_available(void) { return false; }

tml_status tmli_ida_create(const tmli_ida_def *def, tmli_ida **out, tml_error *err)
{
    (void)def;
    *out = NULL;
    return tmli_fail(
        err, TML_ERR_ARG,
        "this build of Trammel has no SUNDIALS IDA, which integrates regularized equations; install "
        "libsundials-dev (make deps) and build again");
}

void tmli_ida_destroy(tmli_ida *s) { (void)s; }
double *tmli_ida_y(tmli_ida *s) { return (void)s, (double *)0; }
double *tmli_ida_yp(tmli_ida *s) { return (void)s, (double *)0; }
tml_status tmli_ida_start(tmli_ida *s, double t, double h, tml_error *err)
{
    (void)s, (void)t, (void)h;
    return tmli_fail(err, TML_ERR_ARG, "this build of Trammel has no SUNDIALS IDA");
}
tml_status tmli_ida_step(tmli_ida *s, double stop, tml_error *err) { return tmli_ida_start(s, stop, 0, err); }
void tmli_ida_get(tmli_ida *s, double t, int k, double *out) { (void)s, (void)t, (void)k, (void)out; }
double tmli_ida_time(const tmli_ida *s) { return (void)s, 0.0; }
double tmli_ida_next_step(const tmli_ida *s) { return (void)s, 0.0; }
void tmli_ida_count(const tmli_ida *s, tml_counters *out) { (void)s, *out = (tml_counters){0}; }
void tmli_ida_archive(tmli_ida *s, tml_archive *a) { (void)s, (void)a; }

#endif
