// The search of an optimum. The program of optimization is given by the caller; here each of its evaluations
// becomes a member of the table.
//
// It searches the unit cube: u = 0 and 1 are the ends of a parameter's range. The way of a search follows
// from the results on it, which are the same in every run: a search that is resumed asks for the members of
// the journal again, finds their results there, and goes on.
#include "study/crew.h"

#include <math.h>
#include <string.h>

typedef struct search {
    const tml_study *study;
    const tml_study_run_def *def;
    tml_study_table *earlier;  // members of the journal
    tml_study_worker *worker;
    tmli_journal *journal;
    tml_study_progress progress;
    double began, worst;  // largest value of the goal so far, which members that fail exceed
    double *values;       // (parameters, quantities)
    double *x;            // variables of an expression
    char *line;
    bool stopped;
    long row;  // of the journal that comes next
    long best;
    double best_goal, best_violation;
    tml_error err;
} search;

static double evaluate(const tmli_expr *e, const tml_study *s, const double *values, double *x)
{
    for (int k = 0; k < tmli_expr_nvars(e); k++) {
        const int slot = tmli_expr_slot(e, k);
        x[k] = slot >= TMLI_SLOT_QUANTITY ? values[s->nparameters + slot - TMLI_SLOT_QUANTITY]
                                          : values[slot - TMLI_SLOT_PARAMETER];
    }
    return tmli_expr_eval(e, x);
}

static int variables(const tml_study *s)
{
    int most = tmli_expr_nvars(s->optimize.expr);
    for (int i = 0; i < s->optimize.nconstraints; i++) {
        const int n = tmli_expr_nvars(s->optimize.constraint[i].expr);
        if (n > most) most = n;
    }
    return most + 1;
}

// The goal, to be minimized; g (NULL: not wanted): constraints. Returns the largest positive one.
static double goal_of(const tml_study *s, const double *values, double *x, double *goal, double *g)
{
    const tmli_study_optimize *o = &s->optimize;
    const double value = evaluate(o->expr, s, values, x);
    double violation = 0;
    *goal = o->minimize ? value : -value;
    for (int i = 0; i < o->nconstraints; i++) {
        const double c = evaluate(o->constraint[i].expr, s, values, x);
        if (g) g[i] = c;
        if (!(c <= violation)) violation = isnan(c) ? INFINITY : c;
    }
    return violation;
}

tml_status tml_study_goal(const tml_study *s, const double *values, double *goal, double *violation,
                          tml_error *err)
{
    if (!s || !values || !goal || !violation) return tmli_null_argument(err, "tml_study_goal");
    if (!s->optimize.wanted) return tmli_fail(err, TML_ERR_ARG, "the study has no block 'optimize'");
    double *x = tmli_calloc(&s->env, (size_t)variables(s), sizeof *x);
    if (!x) return tmli_no_memory(err, "study");
    *violation = goal_of(s, values, x, goal, NULL);
    if (s->optimize.maximize) *goal = -*goal;
    tmli_free(&s->env, x);
    return TML_OK;
}

tml_status tml_study_constraints(const tml_study *s, const double *values, double *out, tml_error *err)
{
    if (!s || !values || !out) return tmli_null_argument(err, "tml_study_constraints");
    if (!s->optimize.wanted) return tmli_fail(err, TML_ERR_ARG, "the study has no block 'optimize'");
    double goal, *x = tmli_calloc(&s->env, (size_t)variables(s), sizeof *x);
    if (!x) return tmli_no_memory(err, "study");
    goal_of(s, values, x, &goal, out);
    tmli_free(&s->env, x);
    return TML_OK;
}

const char *tml_study_goal_text(const tml_study *s, bool *maximize)
{
    if (!s || !s->optimize.wanted) return NULL;
    if (maximize) *maximize = s->optimize.maximize != NULL;
    return s->optimize.minimize ? s->optimize.minimize : s->optimize.maximize;
}

int tml_study_constraint_count(const tml_study *s) { return s ? s->optimize.nconstraints : 0; }

const char *tml_study_constraint_name(const tml_study *s, int index)
{
    return s && index >= 0 && index < s->optimize.nconstraints ? s->optimize.constraint[index].name : NULL;
}

double tml_study_tolerance(const tml_study *s) { return s && s->optimize.wanted ? s->optimize.tolerance : 0; }

// The search is in the unit cube, see above: its tolerance is a share of the range.
int tml_study_at_bound(const tml_study *s, int parameter, double value, double range[2])
{
    if (range) range[0] = range[1] = NAN;
    if (!s || parameter < 0 || parameter >= s->nparameters) return 0;
    const tmli_study_parameter *p = &s->parameter[parameter];
    const double low = fmin(p->from, p->to), high = fmax(p->from, p->to), tol = tml_study_tolerance(s);
    if (isnan(p->from) || isnan(p->to)) return 0;
    if (range) range[0] = low, range[1] = high;
    const bool log_scale = p->distribution == TMLI_DISTRIBUTION_LOG_UNIFORM;
    const double u = log_scale ? log(value / low) / log(high / low) : (value - low) / (high - low);
    return u <= tol ? -1 : u >= 1 - tol ? 1 : 0;
}

// ---- members ----------------------------------------------------------------------------------------------

// The member of the journal with this number, if the search has come the same way.
static bool find_earlier(search *r, long member)
{
    const tml_study *s = r->study;
    if (tml_study_table_member(r->earlier, r->row) != member) return false;
    const double *row = tml_study_table_values(r->earlier, r->row);
    if (memcmp(row, r->values, (size_t)s->nparameters * sizeof *row) != 0) return false;
    memcpy(r->values, row, (size_t)(s->nparameters + s->nquantities) * sizeof *row);
    r->progress.failed += tml_study_table_message(r->earlier, r->row++)[0] != 0;
    return true;
}

static tml_status run_member(search *r, long member)
{
    const tml_study *s = r->study;
    char message[TML_ERROR_MSG + TML_ERROR_FILE + 64] = "";
    tml_error own = {0};
    if (tml_study_table_member(r->earlier, r->row) == member)
        return tmli_fail(
            &r->err, TML_ERR_ARG,
            "The repeated search does not reach member %ld of the journal. The journal may come from another "
            "kind of machine. --overwrite starts the search again.",
            member);
    const tml_status st = tmli_worker_run_at(r->worker, r->values, &own);
    const bool failed = st != TML_OK;
    if (tmli_is_shortage(st))
        return tmli_fail(&r->err, st, "Member %ld could not be run (%s); --resume continues the search.",
                         member, own.msg);
    if (failed) tmli_member_message(&own, message, sizeof message);
    const size_t n = tmli_journal_line(s, member, r->values, message, r->line, tmli_journal_room(s));
    r->progress.failed += failed;
    r->progress.here++;
    return tmli_journal_append(r->journal, r->line, n, &r->err);
}

// A member that failed, or has no value: worse than all others.
static void replace_missing(search *r, double *f, double *g)
{
    bool missing = !isfinite(*f);
    for (int i = 0; i < r->study->optimize.nconstraints; i++) missing |= !isfinite(g[i]);
    if (!missing) {
        r->worst = isnan(r->worst) ? *f : fmax(r->worst, *f);
        return;
    }
    const double worst = isnan(r->worst) ? 0 : r->worst;
    *f = worst + fabs(worst) + 1;
    for (int i = 0; i < r->study->optimize.nconstraints; i++)
        if (!isfinite(g[i])) g[i] = 1;
}

static bool on_evaluate(const double *u, double *f, double *g, void *user)
{
    search *r = user;
    const tml_study *s = r->study;
    const long member = r->progress.done;
    if (r->stopped || member >= s->members) return false;
    for (int i = 0; i < s->nparameters; i++) r->values[i] = tmli_sample_range(&s->parameter[i], u[i]);
    if (!find_earlier(r, member) && run_member(r, member) != TML_OK) {
        r->stopped = true;
        return false;
    }
    const double violation = goal_of(s, r->values, r->x, f, g);
    if (isfinite(*f) && (r->best < 0 || violation < r->best_violation ||
                         (violation <= r->best_violation && *f < r->best_goal))) {
        r->best = member;
        r->best_goal = *f;
        r->best_violation = violation;
    }
    replace_missing(r, f, g);
    tml_study_progress *p = &r->progress;
    p->done++;
    p->seconds = tmli_wall_time() - r->began;
    p->rate = p->seconds > 0 ? (double)p->here / p->seconds : 0;
    if (r->def->progress && !r->def->progress(p, r->def->user)) r->stopped = true;
    return !r->stopped;
}

// ---- the search -------------------------------------------------------------------------------------------

static tml_status minimize(search *r, tml_study_minimizer minimizer, tml_error *err)
{
    const tml_study *s = r->study;
    double lower[TMLI_STUDY_PARAMETERS], upper[TMLI_STUDY_PARAMETERS], start[TMLI_STUDY_PARAMETERS],
        x[TMLI_STUDY_PARAMETERS];
    for (int i = 0; i < s->nparameters; i++) {
        lower[i] = 0;
        upper[i] = 1;
        start[i] = x[i] = 0.5;
    }
    const tml_study_problem problem = {.n = s->nparameters,
                                       .m = s->optimize.nconstraints,
                                       .lower = lower,
                                       .upper = upper,
                                       .start = start,
                                       .method = s->optimize.method,
                                       .evaluations = s->optimize.evaluations,
                                       .tolerance = s->optimize.tolerance,
                                       .evaluate = on_evaluate,
                                       .user = r};
    const tml_status st = minimizer(&problem, x, err);
    if (r->err.status != TML_OK) {
        if (err) *err = r->err;
        return r->err.status;
    }
    if (st != TML_OK || !r->stopped) return st;
    return tmli_fail(err, TML_ERR_STOPPED, "The search was stopped after %ld members.", r->progress.done);
}

static tml_status prepare(search *r, const char *journal, tmli_journal_mode mode, tml_error *err)
{
    const tml_study *s = r->study;
    r->values = tmli_calloc(&s->env, (size_t)(s->nparameters + s->nquantities) + 1, sizeof *r->values);
    r->x = tmli_calloc(&s->env, (size_t)variables(s), sizeof *r->x);
    r->line = tmli_calloc(&s->env, tmli_journal_room(s), 1);
    if (!r->values || !r->x || !r->line) return tmli_no_memory(err, "study");
    tml_status st = tmli_table_create(s, &r->earlier, err);
    if (st == TML_OK) st = tmli_journal_open(s, journal, mode, r->earlier, &r->journal, err);
    if (st == TML_OK) st = tmli_table_sort(r->earlier, err);
    return st == TML_OK ? tml_study_worker_create(s, &r->worker, err) : st;
}

static void clear(search *r)
{
    const tml_env *env = &r->study->env;
    tml_study_worker_destroy(r->worker);
    tml_study_table_destroy(r->earlier);
    tmli_journal_close(r->journal);
    tmli_free_all(env, r->values, r->x, r->line);
}

tml_status tml_study_optimize(const tml_study *s, const tml_study_run_def *def, tml_study_minimizer minimizer,
                              tml_study_progress *out, long *best, tml_error *err)
{
    if (out) *out = (tml_study_progress){0};
    if (best) *best = -1;
    if (!s || !def || !def->out || !minimizer) return tmli_null_argument(err, "tml_study_optimize");
    if (!s->optimize.wanted) return tmli_fail(err, TML_ERR_ARG, "the study has no block 'optimize'");
    search r = {.study = s, .def = def, .began = tmli_wall_time(), .worst = NAN, .best = -1};
    r.progress.members = s->members;
    char *journal = tmli_study_file(s, def, ".journal");
    tml_status st = journal ? prepare(&r, journal, tmli_study_mode(def), err) : tmli_no_memory(err, "study");
    const bool opened = r.journal != NULL;
    if (st == TML_OK) st = minimize(&r, minimizer, err);
    const long rows = tml_study_table_count(r.earlier) + r.progress.here;
    clear(&r);
    if (opened && (st == TML_OK || st == TML_ERR_STOPPED)) {
        const tml_status written = tmli_study_write_tables(s, def, journal, rows, st == TML_OK ? err : NULL);
        if (st == TML_OK) st = written;
    }
    if (out) *out = r.progress;
    if (best) *best = r.best;
    tmli_free(&s->env, journal);
    return st;
}
