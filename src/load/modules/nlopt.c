// The table of the module 'nlopt': searches of an optimum without derivatives.
#include "load/core/tables.h"

#include <math.h>
#include <nlopt.h>
#include <string.h>

enum { MOST_PARAMETERS = 64, MOST_CONSTRAINTS = 64 };

typedef struct method {
    const char *name;
    nlopt_algorithm algorithm;
    bool constraints;  // it treats them
} method;

static const method methods[] = {
    {"cobyla", NLOPT_LN_COBYLA, true},
    {"bobyqa", NLOPT_LN_BOBYQA, false},
    {"nelder-mead", NLOPT_LN_NELDERMEAD, false},
    {"subplex", NLOPT_LN_SBPLX, false},
    {"direct", NLOPT_GN_DIRECT_L, false},
    {"crs", NLOPT_GN_CRS2_LM, false},
    {"isres", NLOPT_GN_ISRES, true},
};
enum { METHODS = sizeof methods / sizeof *methods };

// NLopt asks for the goal and the constraints one after the other, at the same point.
typedef struct last {
    const tml_study_problem *p;
    nlopt_opt opt;
    bool known;
    double x[MOST_PARAMETERS], f, g[MOST_CONSTRAINTS];
} last;

static void update(last *l, unsigned n, const double *x)
{
    if (l->known && memcmp(l->x, x, n * sizeof *x) == 0) return;
    memcpy(l->x, x, n * sizeof *x);
    l->known = true;
    l->f = HUGE_VAL;
    for (int i = 0; i < l->p->m; i++) l->g[i] = 1;
    if (!l->p->evaluate(x, &l->f, l->g, l->p->user)) nlopt_force_stop(l->opt);
}

static double goal(unsigned n, const double *x, double *gradient, void *user)
{
    last *l = user;
    (void)gradient;
    update(l, n, x);
    return l->f;
}

static void constraints(unsigned m, double *out, unsigned n, const double *x, double *gradient, void *user)
{
    last *l = user;
    (void)gradient;
    update(l, n, x);
    memcpy(out, l->g, m * sizeof *out);
}

static tml_status find_method(const tml_study_problem *p, const method **out, tml_error *err)
{
    const char *names[METHODS];
    for (int i = 0; i < METHODS; i++) {
        names[i] = methods[i].name;
        if (strcmp(p->method, names[i]) != 0) continue;
        *out = &methods[i];
        if (p->m == 0 || methods[i].constraints) return TML_OK;
        return tmli_fail(err, TML_ERR_ARG, "The method '%s' has no constraints: use cobyla or isres.",
                         names[i]);
    }
    return tmli_fail(err, TML_ERR_ARG, "There is no method '%.40s' of optimization%s.", p->method,
                     tmli_hint_of(p->method, names, METHODS).text);
}

static tml_status minimize(const tml_study_problem *p, double *x, tml_error *err)
{
    const method *how = NULL;
    tml_status st = find_method(p, &how, err);
    if (st != TML_OK) return st;
    if (p->n > MOST_PARAMETERS || p->m > MOST_CONSTRAINTS)
        return tmli_fail(err, TML_ERR_ARG, "%d parameters and %d constraints are more than %d and %d.", p->n,
                         p->m, MOST_PARAMETERS, MOST_CONSTRAINTS);
    nlopt_opt opt = nlopt_create(how->algorithm, (unsigned)p->n);
    if (!opt) return tmli_no_memory(err, "NLopt");
    last l = {.p = p, .opt = opt};
    double tolerance[MOST_CONSTRAINTS];
    for (int i = 0; i < MOST_CONSTRAINTS; i++) tolerance[i] = 0;
    nlopt_srand(1);  // the same way every time
    nlopt_set_lower_bounds(opt, p->lower);
    nlopt_set_upper_bounds(opt, p->upper);
    nlopt_set_min_objective(opt, goal, &l);
    if (p->m) nlopt_add_inequality_mconstraint(opt, (unsigned)p->m, constraints, &l, tolerance);
    nlopt_set_xtol_abs1(opt, p->tolerance);
    nlopt_set_maxeval(opt, p->evaluations);
    memcpy(x, p->start, (size_t)p->n * sizeof *x);
    double f = 0;
    const nlopt_result result = nlopt_optimize(opt, x, &f);
    const char *reason = nlopt_get_errmsg(opt);
    if (result == NLOPT_OUT_OF_MEMORY) st = tmli_no_memory(err, "NLopt");
    else if (result == NLOPT_INVALID_ARGS)
        st = tmli_fail(err, TML_ERR_ARG, "NLopt refuses the problem%s%s.", reason ? ": " : "",
                       reason ? reason : "");
    nlopt_destroy(opt);  // other results: the best point of those evaluated
    return st;
}

extern const tmli_module_nlopt tml_module_nlopt;
TMLI_MODULE_EXPORT const tmli_module_nlopt tml_module_nlopt = {{TRAMMEL_VERSION, sizeof tml_module_nlopt},
                                                               minimize};
