// The report of a check as text: a summary, and tables with --all.
#include "check.h"
#include "cli/common/options.h"
#include "cli/common/print.h"

#include "analysis/rank/dependence.h"
#include "base/base.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    SHOWN_LINES = 8,   // largest number of sentences in a section
    SHOWN_ROOTS = 12,  // largest number of lines of the spectrum: the slowest and the fastest
    LABEL = 12         // width of the labels before values
};

// Lengths below this part of the model's length are round-off.
static const double ROUNDOFF = 1e-14;

static void print_more(int count, int shown)
{
    if (count > shown) printf("  ... and %d more (--all lists them)\n", count - shown);
}

// A sentence as an item of a list.
static void item(const char *text)
{
    fputs("  -", stdout);
    cli_wrap(stdout, text, 4, 3);
}

// "  label     text"
static void labelled(const char *label, const char *text)
{
    printf("  %-*s", LABEL - 1, label);
    cli_wrap(stdout, text, LABEL + 2, LABEL + 1);
}

// ---- parts (--all) ----------------------------------------------------------------------------------------

static void print_bodies(const tml_check *c)
{
    const int shown = c->body_count;
    const int width = CLI_WIDEST((int)strlen("name"), c->bodies, shown, tml_check_body, name);
    printf("\nBodies: %d\n", c->body_count);
    if (shown == 0) return;
    printf("  %-*s  %12s  %11s  %s\n", width, "name", "mass [kg]", "coordinates", "centre of mass [m]");
    for (int i = 0; i < shown; i++) {
        const tml_check_body *b = &c->bodies[i];
        double r[3];
        for (int k = 0; k < 3; k++) r[k] = fabs(b->position[k]) < ROUNDOFF * c->length ? 0 : b->position[k];
        printf("  %-*s  %12.6g  %11d  %.6g, %.6g, %.6g\n", width, b->name, b->mass, b->coordinates, r[0],
               r[1], r[2]);
    }
}

static void print_joints(const tml_check *c)
{
    const int shown = c->joint_count;
    const int name = CLI_WIDEST((int)strlen("name"), c->joints, shown, tml_check_joint, name),
              type = CLI_WIDEST((int)strlen("type"), c->joints, shown, tml_check_joint, type),
              between = CLI_WIDEST((int)strlen("between"), c->joints, shown, tml_check_joint, between);
    printf("\nJoints: %d\n", c->joint_count);
    if (shown == 0) return;
    printf("  %-*s  %-*s  %-*s  rows\n", name, "name", type, "type", between, "between");
    for (int i = 0; i < shown; i++) {
        const tml_check_joint *j = &c->joints[i];
        printf("  %-*s  %-*s  %-*s  %d", name, j->name, type, j->type, between, j->between, j->rows);
        if (j->redundant) printf(" (%d of them redundant)", j->redundant);
        putchar('\n');
    }
}

// ---- mobility and constraints -----------------------------------------------------------------------------

static void print_mobility(const tml_check *c)
{
    if (c->rank < 0) {
        printf("\nDegrees of freedom: not known\n  %d coordinate%s - %d constraint row%s = %d by the count\n",
               c->coordinates, tmli_plural(c->coordinates), c->rows, tmli_plural(c->rows), c->count_freedoms);
        return;
    }
    printf("\nDegrees of freedom: %d\n  %d coordinate%s - %d constraint row%s", c->freedoms, c->coordinates,
           tmli_plural(c->coordinates), c->rows, tmli_plural(c->rows));
    if (c->dependency_count) printf(" + %d redundant", c->dependency_count);
    printf(" = %d\n", c->freedoms);
    if (c->mobility[0]) {
        fputs(" ", stdout);
        cli_wrap(stdout, c->mobility, 2, 1);
    }
}

// Joints with the components of their reactions by kind.
static void print_reactions(const tml_check *c)
{
    for (int r = 0; r < c->rows; r++) {
        const tml_check_row *row = &c->row_list[r];
        const bool first = r == 0 || row->joint < 0 || row->joint != c->row_list[r - 1].joint;
        if (first && row->joint >= 0) printf("  %s\n", c->joints[row->joint].name);
        printf("    %-24s %s%s\n", row->component, tmli_reaction_words[row->reaction],
               row->redundant ? ", redundant" : "");
    }
}

static void print_redundancy(const tml_check *c, bool all)
{
    if (c->rank < 0 || c->rows == 0) return;
    if (c->dependency_count == 0) {
        if (c->rows == 1) puts("\nConstraints: one, whose reaction is unique");
        else printf("\nConstraints: no redundant rows; all %d reactions are unique\n", c->rows);
        if (all) print_reactions(c);
        return;
    }
    printf("\nRedundant constraint rows: %d\n", c->dependency_count);
    const int shown = all || c->sentence_count < SHOWN_LINES ? c->sentence_count : SHOWN_LINES;
    for (int i = 0; i < shown; i++) item(c->sentences[i]);
    print_more(c->sentence_count, shown);
    printf("  reactions: %d unique, %d shared, %d indeterminate%s\n", c->unique, c->shared, c->indeterminate,
           all ? "" : " (--all lists them)");
    if (all) print_reactions(c);
}

static void print_conflicts(const tml_check *c)
{
    const double degree = 57.29577951308232;
    if (c->conflict_count == 0) return;
    puts("\nContradicting constraints, and by how much each would be off if the others were satisfied");
    for (int i = 0; i < c->conflict_count; i++) {
        const tml_check_conflict *k = &c->conflicts[i];
        const bool angle = k->unit[0] == 'r';
        if (i > 0 && k->group != c->conflicts[i - 1].group) puts("  and, independent of these,");
        printf("  %-24s %.4g %s%s\n", k->row, angle ? k->gap * degree : k->gap, angle ? "deg" : "m",
               strchr(k->unit, '/') ? "/s" : "");
    }
}

// ---- start and singular configurations --------------------------------------------------------------------

// size: scale of the values, by which round-off is recognized.
static void print_residual(const char *what, const tml_check_residual *r, double size)
{
    if (!r->row) printf("  %-11ssatisfy the constraints exactly\n", what);
    else if (r->value <= ROUNDOFF * size) printf("  %-11ssatisfy the constraints to round-off\n", what);
    else printf("  %-11soff by at most %.3g %s (%s)\n", what, r->value, r->unit, r->row);
}

static void print_start(const tml_check *c)
{
    printf("\nStart at t = %g s, as given\n", c->t);
    if (c->rows == 0) {
        puts("  no constraints");
        return;
    }
    print_residual("positions", &c->position, c->length);
    print_residual("velocities", &c->velocity, 0);
    int moved = -1, turned = -1;
    for (int i = 0; i < c->body_count; i++) {
        if (c->bodies[i].moved > (moved < 0 ? 0 : c->bodies[moved].moved)) moved = i;
        if (c->bodies[i].turned > (turned < 0 ? 0 : c->bodies[turned].turned)) turned = i;
    }
    fputs("  assembly   ", stdout);
    if (moved < 0 && turned < 0) fputs("moves nothing", stdout);
    if (moved >= 0)
        printf("moves bodies by at most %.3g m (%s)", c->bodies[moved].moved, c->bodies[moved].name);
    if (turned >= 0)
        printf("%s bodies by at most %.3g rad (%s)", moved >= 0 ? ", turns" : "turns",
               c->bodies[turned].turned, c->bodies[turned].name);
    putchar('\n');
}

static void print_sweeps(const tml_check *c, bool all)
{
    if (!c->assembled || c->rows == 0) return;
    if (c->rank_nearby > c->rank) {
        puts("\nSingular configurations: the start is one");
        return;
    }
    if (!c->loops) {
        puts("\nSingular configurations: none, there are no closed loops");
        return;
    }
    if (c->sweep_count == 0) return;
    if (c->nearest < 0) puts("\nSingular configurations: none found");
    else puts("\nSingular configurations, moved without forces: the nearest");
    if (c->nearest >= 0 && !all) {
        item(c->sweeps[c->nearest].text);
        return;
    }
    for (int i = 0; i < c->sweep_count; i++)
        if (all || i < 2) item(c->sweeps[i].text);
    if (!all) print_more(c->sweep_count, 2);
}

// ---- spectrum ---------------------------------------------------------------------------------------------

// Print zero instead of round-off in the real or imaginary part.
static double clean(double part, double size) { return fabs(part) < 1e-9 * size ? 0 : part; }

static void print_root(const tml_check_eigenvalue *e)
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
    printf("  %-28s  %14s  %13s  %17s\n", root, frequency, damping, time);
}

// One line per real root or conjugate pair; the zero roots are counted.
static void print_roots(const tml_check *c, bool all)
{
    int lines = 0, line = 0;
    for (int i = c->zeros; i < c->eigenvalue_count; i++) lines += c->eigenvalues[i].im >= 0;
    if (lines > 0)
        printf("  %-28s  %14s  %13s  %17s\n", "root [1/s]", "frequency [Hz]", "damping ratio",
               "time constant [s]");
    for (int i = c->zeros; i < c->eigenvalue_count; i++) {
        if (c->eigenvalues[i].im < 0) continue;
        if (all || lines <= SHOWN_ROOTS || line < SHOWN_ROOTS / 2 || line >= lines - SHOWN_ROOTS / 2)
            print_root(&c->eigenvalues[i]);
        else if (line == SHOWN_ROOTS / 2)
            printf("  ... %d more in between (--all lists them)\n", lines - SHOWN_ROOTS);
        line++;
    }
    if (c->zeros)
        printf("  %s%d zero root%s: motions without a restoring force\n", lines > 0 ? "and " : "", c->zeros,
               tmli_plural(c->zeros));
}

static void print_spectrum(const tml_check *c, bool all)
{
    if (!c->has_spectrum || c->eigenvalue_count == 0) return;
    if (c->steady) printf("\nSmall motions beside the steady motion of the start, in %s\n", c->axes);
    else
        printf("\nSmall motions about the start%s\n",
               c->instantaneous ? " (frozen coefficients of this instant: the motion is not steady)" : "");
    print_roots(c, all);
    if (c->stiffness_ratio > 0)
        printf("  stiffness ratio %.4g, shortest time scale %.4g s", c->stiffness_ratio, c->fastest);
    if (c->stiffness_ratio > 0 && c->highest_hz > 0) printf(", highest frequency %.4g Hz", c->highest_hz);
    if (c->stiffness_ratio > 0) putchar('\n');
}

// ---- suggestions ------------------------------------------------------------------------------------------

static void print_condition(const tml_advice *a)
{
    if (a->condition_scaled <= 0 && a->condition_plain <= 0) return;
    printf("\nIteration matrix of %d unknown%s at h = %.3g s: condition number\n", a->unknown_count,
           tmli_plural(a->unknown_count), a->step);
    const double value[2] = {a->condition_scaled, a->condition_plain};
    static const char *const label[2] = {"scaled", "plain"};
    for (int i = 0; i < 2; i++) {
        if (value[i] <= 0) continue;
        if (isinf(value[i])) printf("  %-12ssingular to working precision\n", label[i]);
        else printf("  %-12s%.2g\n", label[i], value[i]);
    }
}

static void print_advice(const tml_advice *a)
{
    char text[600];
    print_condition(a);
    puts("\nSuggested");
    if (a->method) {
        snprintf(text, sizeof text, "%s on %s: %s", a->method, a->unknowns, a->method_reason);
        labelled("method", text);
    }
    if (a->step > 0) {
        snprintf(text, sizeof text, "about %.2g s, %s", a->step, a->step_reason);
        labelled("step", text);
    }
    if (a->solver) {
        snprintf(text, sizeof text, "%s: %s", a->solver, a->solver_reason);
        labelled("solver", text);
    }
    if (!a->runs) labelled("warning", a->failure);
}

static void print_notes(const tml_check *c)
{
    if (c->note_count) puts("\nNotes");
    for (int i = 0; i < c->note_count; i++) {
        const char *level = c->notes[i].level == TML_LOG_WARNING ? "  warning:" : "  note:";
        fputs(level, stdout);
        cli_wrap(stdout, c->notes[i].text, 4, (int)strlen(level));
    }
}

static const char *ies_of(int count) { return count == 1 ? "y" : "ies"; }

void cli_check_text(const tml_check *c, const tml_advice *advice, bool all)
{
    printf("%s\n", c->title[0] ? c->title : "Model");
    printf("  %d bod%s, %d joint%s, %d force%s; size %.4g m\n", c->body_count, ies_of(c->body_count),
           c->joint_count, tmli_plural(c->joint_count), c->force_count, tmli_plural(c->force_count),
           c->length);
    if (all) {
        print_bodies(c);
        print_joints(c);
    }
    print_mobility(c);
    print_conflicts(c);
    print_redundancy(c, all);
    print_start(c);
    print_sweeps(c, all);
    print_spectrum(c, all);
    if (advice) print_advice(advice);
    print_notes(c);
}
