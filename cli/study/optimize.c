// Studies that search an optimum: the program of optimization, and what it has found.
#include "cli/common/html.h"
#include "study.h"

#include "base/base.h"
#include "load/core/tables.h"

#include <math.h>
#include <stdlib.h>
#include <trammel/plot.h>

tml_status study_minimizer(tml_study_minimizer *out, tml_error *err)
{
    *out = NULL;
#ifdef TRAMMEL_HAVE_NLOPT
    const void *table;
    const tml_status st = tmli_module_table("nlopt", sizeof(tmli_module_nlopt), &table, err);
    if (st == TML_OK) *out = ((const tmli_module_nlopt *)table)->minimize;
    return st;
#else
    return tmli_fail(err, TML_ERR_ARG, "This program was built without NLopt: it searches no optimum.");
#endif
}

// ---- what it has found ------------------------------------------------------------------------------------

// A constraint of about 1 is met exactly, within what the tolerance of the parameters leaves of it.
static const double ACTIVE_PER_TOLERANCE = 10;

typedef struct optimum {
    const tml_study *s;
    const double *x;  // the row of the best member; NULL: there is none
    long member, evaluations;
    double goal, violation;
    bool maximize;
    double *constraint;  // (constraints), freed by the caller
} optimum;

static tml_status find_optimum(const tml_study *s, const tml_study_table *t, long best, optimum *o,
                               tml_error *err)
{
    *o = (optimum){.s = s, .member = best, .evaluations = tml_study_table_count(t)};
    tml_study_goal_text(s, &o->maximize);
    o->constraint = calloc((size_t)tml_study_constraint_count(s) + 1, sizeof *o->constraint);
    if (!o->constraint) return tmli_fail(err, TML_ERR_NOMEM, "No memory for the optimum.");
    for (long i = 0; i < o->evaluations && best >= 0; i++)
        if (tml_study_table_member(t, i) == best) o->x = tml_study_table_values(t, i);
    if (!o->x) return TML_OK;
    const tml_status st = tml_study_goal(s, o->x, &o->goal, &o->violation, err);
    return st == TML_OK ? tml_study_constraints(s, o->x, o->constraint, err) : st;
}

static const char *end_text(const optimum *o, char *buf, size_t size)
{
    if (o->evaluations >= tml_study_member_count(o->s))
        snprintf(buf, size,
                 "after %ld members, the most that were allowed ('evaluations'): more may find a better one",
                 o->evaluations);
    else
        snprintf(buf, size,
                 "after %ld members: parameters changed by less than %g of their ranges ('tolerance')",
                 o->evaluations, tml_study_tolerance(o->s));
    return buf;
}

static const char *value_text(const optimum *o, int column, char *buf, size_t size)
{
    const char *unit = tml_study_column_unit(o->s, column);
    double range[2];
    int used = snprintf(buf, size, "%.9g%s%s", o->x[column], unit[0] ? " " : "", unit);
    if (column >= tml_study_parameter_count(o->s)) return buf;
    const int bound = tml_study_at_bound(o->s, column, o->x[column], range);
    snprintf(buf + used, size - (size_t)used, ", of %.6g .. %.6g%s", range[0], range[1],
             bound < 0   ? ": at its lower bound"
             : bound > 0 ? ": at its upper bound"
                         : "");
    return buf;
}

static const char *constraint_text(const optimum *o, int i, char *buf, size_t size)
{
    const double g = o->constraint[i];
    const bool active = fabs(g) <= ACTIVE_PER_TOLERANCE * tml_study_tolerance(o->s);
    snprintf(buf, size, "%.3g%s", g, g > 0 ? ", NOT satisfied" : active ? ", active" : ", satisfied");
    return buf;
}

static const char none[] = "none: no member has a value";

// "  name = value" in a text, a row of the table of a page.
static void put_fact(cli_report *r, const char *name, const char *between, const char *value)
{
    if (r->kind == CLI_REPORT_PAGE) cli_line(r, name, "%s", value);
    else cli_entry(r, "  %s%s%s\n", name, between, value);
}

static void put_goal(cli_report *r, const optimum *o)
{
    const char *const kind = o->maximize ? "largest" : "least", *const goal = tml_study_goal_text(o->s, NULL);
    if (r->kind == CLI_REPORT_PAGE) {
        cli_line(r, o->maximize ? "largest value" : "least value", "%.9g of %s, member %ld", o->goal, goal,
                 o->member);
        return;
    }
    cli_entry(r, "optimum   member %ld, %s %.120s = %.9g", o->member, kind, goal, o->goal);
    if (o->violation > 0) cli_entry(r, "; a constraint is %.3g, not satisfied", o->violation);
    cli_entry(r, "\n");
}

static void put_optimum(cli_report *r, const optimum *o)
{
    const bool page = r->kind == CLI_REPORT_PAGE;
    const int np = tml_study_parameter_count(o->s), n = np + tml_study_quantity_count(o->s);
    char text[200], name[STUDY_LABEL];
    if (o->x) put_goal(r, o);
    else if (page) cli_line(r, "optimum", "%s", none);
    else cli_entry(r, "optimum   %s\n", none);
    for (int k = 0; k < n && o->x; k++)
        put_fact(r, study_column_name(o->s, k), k < np ? " = " : " is ", value_text(o, k, text, sizeof text));
    for (int i = 0; i < tml_study_constraint_count(o->s) && o->x; i++) {
        const char *const own = tml_study_constraint_name(o->s, i);
        snprintf(name, sizeof name, "constraint %.80s", own);
        put_fact(r, page ? name : own, ": ", constraint_text(o, i, text, sizeof text));
    }
    end_text(o, text, sizeof text);
    if (page) cli_line(r, "stopped", "%s", text);
    else cli_entry(r, "stopped   %s\n", text);
}

tml_status study_print_optimum(const tml_study *s, const tml_study_table *t, long best, tml_error *err)
{
    cli_report r = cli_report_text(stdout);
    optimum o;
    const tml_status st = find_optimum(s, t, best, &o, err);
    if (st == TML_OK) cli_entry(&r, "\n");
    if (st == TML_OK) put_optimum(&r, &o);
    free(o.constraint);
    return st;
}

// ---- the page ---------------------------------------------------------------------------------------------

// The goal of each member, and the best one so far of those that satisfy the constraints.
static tml_status write_way(const cli_html *h, const tml_study *s, const tml_study_table *t, bool maximize,
                            tml_error *err)
{
    const long rows = tml_study_table_count(t);
    double *v = calloc(3 * (size_t)rows + 1, sizeof *v), *goal = v + rows, *so_far = goal + rows;
    tml_plot *plot = NULL;
    tml_plot_def def = tml_plot_def_default();
    if (!v) return tmli_fail(err, TML_ERR_NOMEM, "No memory for a diagram.");
    double best = NAN;
    for (long i = 0; i < rows; i++) {
        double violation = INFINITY;
        v[i] = (double)tml_study_table_member(t, i);
        if (tml_study_goal(s, tml_study_table_values(t, i), &goal[i], &violation, NULL) != TML_OK)
            goal[i] = NAN;
        const bool better = isnan(best) || (maximize ? goal[i] > best : goal[i] < best);
        if (!(violation > 0) && !isnan(goal[i]) && better) best = goal[i];
        so_far[i] = best;
    }
    def.x.label = "member";
    def.y.label = tml_study_goal_text(s, NULL);
    def.width = 640;
    def.height = 300;
    tml_series_def series = tml_series_def_default();
    series.count = (int)rows;
    series.x = v;
    series.y = goal;
    series.line = TML_LINE_NONE;
    series.marker = TML_MARKER_CIRCLE;
    series.name = "members";
    tml_status st = tml_plot_create(&def, NULL, &plot, err);
    if (st == TML_OK) st = tml_plot_add(plot, &series, err);
    series.y = so_far;
    series.line = TML_LINE_SOLID;
    series.marker = TML_MARKER_NONE;
    series.name = "best so far";
    if (st == TML_OK && !isnan(best)) st = tml_plot_add(plot, &series, err);
    if (st == TML_OK) st = cli_html_plot(h, plot, err);
    tml_plot_destroy(plot);
    free(v);
    return st;
}

tml_status study_write_optimum(const cli_html *h, const tml_study *s, const tml_study_table *t, long best,
                               tml_error *err)
{
    cli_report r = cli_html_facts(h);
    optimum o;
    tml_status st = find_optimum(s, t, best, &o, err);
    cli_html_heading(h, "Optimum");
    cli_html_raw(h, "<table>\n");
    if (st == TML_OK) put_optimum(&r, &o);
    cli_html_raw(h, "</table>\n");
    if (st == TML_OK && tml_study_table_count(t) > 1) {
        cli_html_heading(h, "Convergence");
        st = write_way(h, s, t, o.maximize, err);
    }
    free(o.constraint);
    return st;
}
