// The report of a check as text, with tables if all is wanted, and as JSON, whose members are documented in
// docs/check.md.
#include "check.h"
#include "cli/common/options.h"

#include "analysis/rank/dependence.h"
#include "base/base.h"

#include <math.h>
#include <string.h>

enum {
    SHOWN_LINES = 8,   // largest number of sentences in a section
    SHOWN_ROOTS = 12,  // largest number of lines of the spectrum: the slowest and the fastest
    LABEL = 12         // width of the labels before values
};

// Lengths below this part of the model's length are round-off.
static const double ROUNDOFF = 1e-14;

static void put_more(cli_report *r, int count, int shown)
{
    if (count > shown) cli_entry(r, "  ... and %d more (--all lists them)\n", count - shown);
}

// A sentence as an item of a list.
static void put_sentence(cli_report *r, const char *text)
{
    cli_entry(r, "  -");
    cli_wrapped(r, text, 4, 3);
}

// "  label     text"
static void labelled(cli_report *r, const char *label, const char *text)
{
    cli_entry(r, "  %-*s", LABEL - 1, label);
    cli_wrapped(r, text, LABEL + 2, LABEL + 1);
}

static const char *joint_name(const tml_check *c, int joint)
{
    return joint < 0 ? NULL : c->joints[joint].name;
}

// ---- parts ------------------------------------------------------------------------------------------------

static void put_bodies(cli_report *r, const tml_check *c)
{
    const int width = CLI_WIDEST((int)strlen("name"), c->bodies, c->body_count, tml_check_body, name);
    cli_entry(r, "\nBodies: %d\n", c->body_count);
    if (c->body_count > 0)
        cli_entry(r, "  %-*s  %12s  %11s  %s\n", width, "name", "mass [kg]", "coordinates",
                  "centre of mass [m]");
    cli_open(r, "bodies", '[');
    for (int i = 0; i < c->body_count; i++) {
        const tml_check_body *b = &c->bodies[i];
        double p[3];
        for (int k = 0; k < 3; k++) p[k] = fabs(b->position[k]) < ROUNDOFF * c->length ? 0 : b->position[k];
        cli_open(r, NULL, '{');
        cli_entry(r, "  {name %-*s}  {mass %12.6g}  {coordinates %11d}  %.6g, %.6g, %.6g\n", width, b->name,
                  b->mass, b->coordinates, p[0], p[1], p[2]);
        cli_numbers(r, "position", b->position, 3);
        cli_entry(r, "{-moved %g turned %g}", b->moved, b->turned);
        cli_close(r, '}');
    }
    cli_close(r, ']');
}

static void put_joints(cli_report *r, const tml_check *c)
{
    const int name = CLI_WIDEST((int)strlen("name"), c->joints, c->joint_count, tml_check_joint, name),
              type = CLI_WIDEST((int)strlen("type"), c->joints, c->joint_count, tml_check_joint, type),
              between =
                  CLI_WIDEST((int)strlen("between"), c->joints, c->joint_count, tml_check_joint, between);
    cli_entry(r, "\nJoints: %d\n", c->joint_count);
    if (c->joint_count > 0)
        cli_entry(r, "  %-*s  %-*s  %-*s  rows\n", name, "name", type, "type", between, "between");
    cli_open(r, "joints", '[');
    for (int i = 0; i < c->joint_count; i++) {
        const tml_check_joint *j = &c->joints[i];
        cli_object(r, NULL, "  {name %-*s}  {type %-*s}  {between %-*s}  {rows %d}{-dependent_rows %d}", name,
                   j->name, type, j->type, between, j->between, j->rows, j->redundant);
        if (j->redundant) cli_entry(r, " (%d of them redundant)", j->redundant);
        cli_entry(r, "\n");
    }
    cli_close(r, ']');
}

// ---- mobility and constraints -----------------------------------------------------------------------------

static void put_mobility(cli_report *r, const tml_check *c)
{
    cli_entry(r, "{-coordinates %d constraint_rows %d rank %i rank_nearby %i}", c->coordinates, c->rows,
              c->rank, c->rank_nearby);
    cli_entry(r, "{-degrees_of_freedom %i degrees_of_freedom_by_count %d weakest_pivot %g}", c->freedoms,
              c->count_freedoms, c->weakest);
    cli_entry(r, "\nDegrees of freedom: ");
    if (c->rank < 0) cli_entry(r, "not known\n");
    else cli_entry(r, "%d\n", c->freedoms);
    cli_entry(r, "  {%d coordinate} - {%d constraint row}", c->coordinates, c->rows);
    if (c->rank < 0) cli_entry(r, " = %d by the count\n", c->count_freedoms);
    else {
        if (c->dependency_count) cli_entry(r, " + %d redundant", c->dependency_count);
        cli_entry(r, " = %d\n", c->freedoms);
    }
    if (c->rank >= 0 && c->mobility[0]) {
        cli_entry(r, " ");
        cli_wrapped(r, c->mobility, 2, 1);
    }
    cli_open(r, "dependent_rows", '[');
    for (int i = 0; i < c->dependency_count; i++) {
        const tml_check_dependency *d = &c->dependencies[i];
        cli_open(r, NULL, '{');
        cli_entry(r, "{-row %s joint %s empty %u}", d->row, joint_name(c, d->joint), d->empty);
        cli_texts(r, "follows_from", d->others, d->other_count);
        cli_close(r, '}');
    }
    cli_close(r, ']');
}

// Joints with the components of their reactions by kind.
static void put_reactions(cli_report *r, const tml_check *c)
{
    cli_open(r, "reactions", '[');
    for (int i = 0; i < c->rows && c->rank >= 0; i++) {
        const tml_check_row *row = &c->row_list[i];
        const bool first = i == 0 || row->joint < 0 || row->joint != c->row_list[i - 1].joint;
        if (first && row->joint >= 0) cli_entry(r, "  %s\n", c->joints[row->joint].name);
        cli_object(r, NULL, "{-joint %s}    {component %-24s} {kind %s}{-set %i dependent %u}%s\n",
                   joint_name(c, row->joint), row->component, tmli_reaction_words[row->reaction], row->set,
                   row->redundant, row->redundant ? ", redundant" : "");
    }
    cli_close(r, ']');
}

static void put_redundancy(cli_report *r, const tml_check *c, bool all)
{
    cli_entry(r, "{-mobility %s misfit %g}", c->mobility, c->misfit);
    cli_texts(r, "repeated", c->sentences, c->sentence_count);
    cli_open(r, "redundant_sets", '[');
    for (int s = 0; s < c->set_count; s++)
        cli_object(r, NULL, "{-rows %d excess %d only_here %u}", c->sets[s].rows, c->sets[s].excess,
                   c->sets[s].here);
    cli_close(r, ']');
    r->silent = c->rank < 0 || c->rows == 0;
    if (c->dependency_count > 0) {
        const int shown = all || c->sentence_count < SHOWN_LINES ? c->sentence_count : SHOWN_LINES;
        cli_entry(r, "\nRedundant constraint rows: %d\n", c->dependency_count);
        for (int i = 0; i < shown; i++) put_sentence(r, c->sentences[i]);
        put_more(r, c->sentence_count, shown);
        cli_entry(r, "  reactions: %d unique, %d shared, %d indeterminate%s\n", c->unique, c->shared,
                  c->indeterminate, all ? "" : " (--all lists them)");
    } else if (c->rows == 1) cli_entry(r, "\nConstraints: one, whose reaction is unique\n");
    else cli_entry(r, "\nConstraints: no redundant rows; all %d reactions are unique\n", c->rows);
    r->silent = r->silent || !all;
    put_reactions(r, c);
    r->silent = false;
}

static void put_conflicts(cli_report *r, const tml_check *c)
{
    const double degree = 57.29577951308232;
    if (c->conflict_count > 0)
        cli_entry(r, "\nContradicting constraints, and by how much each would be off if the others were "
                     "satisfied\n");
    cli_open(r, "conflicts", '[');
    for (int i = 0; i < c->conflict_count; i++) {
        const tml_check_conflict *k = &c->conflicts[i];
        const bool angle = k->unit[0] == 'r';
        if (i > 0 && k->group != c->conflicts[i - 1].group) cli_entry(r, "  and, independent of these,\n");
        cli_object(r, NULL, "{-group %d joint %s}  {row %-24s} {-gap %g unit %s}%.4g %s%s\n", k->group,
                   joint_name(c, k->joint), k->row, k->gap, k->unit, angle ? k->gap * degree : k->gap,
                   angle ? "deg" : "m", strchr(k->unit, '/') ? "/s" : "");
    }
    cli_close(r, ']');
}

// ---- start and singular configurations --------------------------------------------------------------------

// size: scale of the values, by which round-off is recognized.
static void put_residual(cli_report *r, const char *key, const char *what, const tml_check_residual *x,
                         double size)
{
    cli_object(r, key, "{-value %g unit %s row %s}", x->value, x->unit, x->row);
    if (!what) return;
    if (!x->row) cli_entry(r, "  %-11ssatisfy the constraints exactly\n", what);
    else if (x->value <= ROUNDOFF * size) cli_entry(r, "  %-11ssatisfy the constraints to round-off\n", what);
    else cli_entry(r, "  %-11soff by at most %.3g %s (%s)\n", what, x->value, x->unit, x->row);
}

static void put_assembly(cli_report *r, const tml_check *c)
{
    int moved = -1, turned = -1;
    for (int i = 0; i < c->body_count; i++) {
        if (c->bodies[i].moved > (moved < 0 ? 0 : c->bodies[moved].moved)) moved = i;
        if (c->bodies[i].turned > (turned < 0 ? 0 : c->bodies[turned].turned)) turned = i;
    }
    cli_entry(r, "  assembly   %s", moved < 0 && turned < 0 ? "moves nothing" : "");
    if (moved >= 0)
        cli_entry(r, "moves bodies by at most %.3g m (%s)", c->bodies[moved].moved, c->bodies[moved].name);
    if (turned >= 0)
        cli_entry(r, "%s bodies by at most %.3g rad (%s)", moved >= 0 ? ", turns" : "turns",
                  c->bodies[turned].turned, c->bodies[turned].name);
    cli_entry(r, "\n");
}

static void put_start(cli_report *r, const tml_check *c)
{
    cli_entry(r, "\nStart at t = %g s, as given\n%s", c->t, c->rows == 0 ? "  no constraints\n" : "");
    cli_open(r, "start", '{');
    r->silent = c->rows == 0;
    put_residual(r, "position", "positions", &c->position, c->length);
    put_residual(r, "velocity", "velocities", &c->velocity, 0);
    put_assembly(r, c);
    r->silent = false;
    if (c->assembled) put_residual(r, "left_open", NULL, &c->left_open, 0);
    cli_entry(r, "{-moved %g velocity_changed %g}", c->moved, c->velocity_changed);
    cli_close(r, '}');
}

static void put_sweep(cli_report *r, const tml_check_sweep *s, bool shown)
{
    cli_open(r, NULL, '{');
    cli_entry(r, "{-along %s unit %s driven %u start %g nearest %g end %g}", s->along, s->unit, s->driven,
              s->start, s->least, s->last);
    cli_entry(r, "{-lowest %g highest %g t_nearest %g t_end %g sigma_start %g sigma %g}", s->lowest,
              s->highest, s->driven ? s->t_least : NAN, s->driven ? s->t_last : NAN, s->sigma_start,
              s->sigma);
    cli_entry(r, "{-what %s rank %d rank_there %d closed %u extreme %u text %s}",
              !s->singular ? "regular"
              : s->passes  ? "bifurcation"
                           : "limit",
              s->rank_before, s->rank_there, s->closed, s->extreme, s->text);
    cli_close(r, '}');
    if (shown) put_sentence(r, s->text);
}

static void put_sweeps(cli_report *r, const tml_check *c, bool all)
{
    const bool here = c->rank_nearby > c->rank, swept = !here && c->loops, found = c->nearest >= 0;
    r->silent = !c->assembled || c->rows == 0 || (swept && c->sweep_count == 0);
    cli_entry(r, "\nSingular configurations%s\n",
              here        ? ": the start is one"
              : !c->loops ? ": none, there are no closed loops"
              : !found    ? ": none found"
                          : ", moved without forces: the nearest");
    cli_open(r, "singular", '{');
    cli_entry(r, "{-at_start %u loops %u nearest %i}", here, c->loops, c->nearest);
    cli_open(r, "sweeps", '[');
    for (int i = 0; i < c->sweep_count; i++)
        put_sweep(r, &c->sweeps[i], swept && (all || (found ? i == c->nearest : i < 2)));
    cli_close(r, ']');
    cli_close(r, '}');
    if (swept && !found && !all) put_more(r, c->sweep_count, 2);
    r->silent = false;
}

// ---- spectrum ---------------------------------------------------------------------------------------------

// Zero instead of round-off in the real or imaginary part.
static double clean(double part, double size) { return fabs(part) < 1e-9 * size ? 0 : part; }

static void put_root(cli_report *r, const tml_check_eigenvalue *e)
{
    const double size = hypot(e->re, e->im), re = clean(e->re, size), im = clean(e->im, size);
    char root[64], time[32] = "-", frequency[32] = "-", damping[32] = "-";
    if (im != 0) snprintf(root, sizeof root, "%.5g +- %.5gi", re, fabs(im));
    else snprintf(root, sizeof root, "%.5g", re);
    if (re != 0) snprintf(time, sizeof time, "%.4g", -1 / re);
    if (im != 0) {
        snprintf(frequency, sizeof frequency, "%.5g", fabs(im) / 6.28318530717958647692);
        snprintf(damping, sizeof damping, "%.4g", re == 0 ? 0 : -re / size);
    }
    cli_entry(r, "  %-28s  %14s  %13s  %17s\n", root, frequency, damping, time);
}

// The text has one line per real root or conjugate pair; the zero roots are counted.
static void put_roots(cli_report *r, const tml_check *c, bool all)
{
    int lines = 0, line = 0;
    for (int i = c->zeros; i < c->eigenvalue_count; i++) lines += c->eigenvalues[i].im >= 0;
    if (lines > 0)
        cli_entry(r, "  %-28s  %14s  %13s  %17s\n", "root [1/s]", "frequency [Hz]", "damping ratio",
                  "time constant [s]");
    cli_open(r, "eigenvalues", '[');
    for (int i = 0; i < c->eigenvalue_count; i++) {
        const tml_check_eigenvalue *e = &c->eigenvalues[i];
        cli_numbers(r, NULL, (const double[]){e->re, e->im}, 2);
        if (i < c->zeros || e->im < 0) continue;
        if (all || lines <= SHOWN_ROOTS || line < SHOWN_ROOTS / 2 || line >= lines - SHOWN_ROOTS / 2)
            put_root(r, e);
        else if (line == SHOWN_ROOTS / 2)
            cli_entry(r, "  ... %d more in between (--all lists them)\n", lines - SHOWN_ROOTS);
        line++;
    }
    cli_close(r, ']');
    if (c->zeros)
        cli_entry(r, "  %s{%d zero root}: motions without a restoring force\n", lines > 0 ? "and " : "",
                  c->zeros);
}

static void put_spectrum(cli_report *r, const tml_check *c, bool all)
{
    if (!c->has_spectrum) {
        cli_text(r, "spectrum", NULL);
        return;
    }
    r->silent = c->eigenvalue_count == 0;
    cli_entry(r, "\nSmall motions %s%s\n",
              c->steady ? "beside the steady motion of the start, in " : "about the start",
              c->steady          ? c->axes
              : c->instantaneous ? " (frozen coefficients of this instant: the motion is not steady)"
                                 : "");
    cli_open(r, "spectrum", '{');
    cli_entry(r, "{-instantaneous %u steady %u axes %s massless %d zeros %d zeros_below %g}",
              c->instantaneous, c->steady, c->axes, c->massless, c->zeros, c->zeros_below);
    cli_entry(r, "{-stiffness_ratio %g shortest_time_scale %g highest_frequency_hz %g}", c->stiffness_ratio,
              c->fastest, c->highest_hz);
    put_roots(r, c, all);
    cli_close(r, '}');
    r->silent = r->silent || !(c->stiffness_ratio > 0);
    cli_entry(r, "  stiffness ratio %.4g, shortest time scale %.4g s", c->stiffness_ratio, c->fastest);
    if (c->highest_hz > 0) cli_entry(r, ", highest frequency %.4g Hz", c->highest_hz);
    cli_entry(r, "\n");
    r->silent = false;
}

// ---- suggestions ------------------------------------------------------------------------------------------

static void put_condition(cli_report *r, const char *key, const char *label, double x)
{
    if (isinf(x)) {
        cli_text(r, key, "singular");
        cli_entry(r, "  %-12ssingular to working precision\n", label);
        return;
    }
    cli_number(r, key, x > 0 ? x : NAN);
    if (x > 0) cli_entry(r, "  %-12s%.2g\n", label, x);
}

static void put_matrix(cli_report *r, const tml_advice *a)
{
    r->silent = a->condition_scaled <= 0 && a->condition_plain <= 0;
    cli_open(r, "step_matrix", '{');
    cli_entry(r, "\nIteration matrix of {unknowns %d unknown} at h = %.3g s: condition number\n",
              a->unknown_count, a->step);
    put_condition(r, "condition_scaled", "scaled", a->condition_scaled);
    put_condition(r, "condition_plain", "plain", a->condition_plain);
    cli_close(r, '}');
    r->silent = false;
}

static void put_suggestions(cli_report *r, const tml_advice *a)
{
    char text[600];
    cli_entry(r, "\nSuggested\n");
    cli_open(r, "suggested", '{');
    cli_entry(r, "{-runs %u failure %s}", a->runs, a->runs ? NULL : a->failure);
    cli_entry(r, "{-method %s method_reason %s unknowns %s}", a->method, a->method ? a->method_reason : NULL,
              a->unknowns);
    if (a->method) {
        snprintf(text, sizeof text, "%s on %s: %s", a->method, a->unknowns, a->method_reason);
        labelled(r, "method", text);
    }
    const bool timed = a->step > 0;
    cli_number(r, "step", timed ? a->step : NAN);
    cli_text(r, "step_reason", timed ? a->step_reason : NULL);
    cli_number(r, "tolerance", a->tolerance);
    if (timed) {
        snprintf(text, sizeof text, "about %.2g s, %s", a->step, a->step_reason);
        labelled(r, "step", text);
    }
    cli_entry(r, "{-solver %s solver_reason %s}", a->solver, a->solver ? a->solver_reason : NULL);
    if (a->solver) {
        snprintf(text, sizeof text, "%s: %s", a->solver, a->solver_reason);
        labelled(r, "solver", text);
    }
    if (!a->runs) labelled(r, "warning", a->failure);
    cli_close(r, '}');
}

// The text has the condition first, on which suggestions stand.
static void put_advice(cli_report *r, const tml_advice *a)
{
    if (r->kind == CLI_REPORT_TEXT) put_matrix(r, a);
    put_suggestions(r, a);
    if (r->kind == CLI_REPORT_JSON) put_matrix(r, a);
}

static void put_notes(cli_report *r, const tml_check *c)
{
    if (c->note_count) cli_entry(r, "\nNotes\n");
    cli_open(r, "notes", '[');
    for (int i = 0; i < c->note_count; i++) {
        const tml_check_note *n = &c->notes[i];
        const char *const level = n->level == TML_LOG_WARNING ? "warning" : "info";
        const char *const mark = n->level == TML_LOG_WARNING ? "  warning:" : "  note:";
        cli_object(r, NULL, "{-level %s text %s}%s", level, n->text, mark);
        cli_wrapped(r, n->text, 4, (int)strlen(mark));
    }
    cli_close(r, ']');
}

void cli_check_report(cli_report *r, const tml_check *c, const tml_advice *advice, bool all)
{
    cli_entry(r, "%s\n{-title %s length %g t %g}", c->title[0] ? c->title : "Model", c->title, c->length,
              c->t);
    cli_entry(r, "  {%d body|bodies}, {%d joint}, {%d force}; size %.4g m\n", c->body_count, c->joint_count,
              c->force_count, c->length);
    r->silent = !all;
    put_bodies(r, c);
    put_joints(r, c);
    r->silent = false;
    cli_entry(r, "{-forces %d assembled %u}", c->force_count, c->assembled);
    put_mobility(r, c);
    put_redundancy(r, c, all);
    put_conflicts(r, c);
    put_start(r, c);
    put_sweeps(r, c, all);
    put_spectrum(r, c, all);
    if (advice) put_advice(r, advice);
    else cli_text(r, "suggested", NULL);
    put_notes(r, c);
}
