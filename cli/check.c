// trammel check: what a model is before it runs: its parts, degrees of freedom, start values and time scales.
#include "cli.h"
#include "json.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/check.h>

typedef struct check_values {
    const char *model;
    cli_list set;
    bool json;
} check_values;

#define AT(member) offsetof(check_values, member)
static const cli_option options[] = {
    {.name = "MODEL", .kind = CLI_ARGUMENT, .offset = AT(model), .doc = "model file (YAML or JSON)"},
    {.name = "--set",
     .kind = CLI_LIST,
     .offset = AT(set),
     .arg = "NAME=VALUE",
     .doc = "value (or expression) of a parameter of the model; may be repeated"},
    {.name = "--json", .kind = CLI_FLAG, .offset = AT(json), .doc = "print the report as JSON, with nothing left out"},
};

enum {
    SHOWN_PARTS = 40,  // lines of a table before it is cut
    SHOWN_ROOTS = 12   // lines of the spectrum: the slowest and the fastest
};

// Lengths below this share of the model's are round-off.
static const double ROUNDOFF = 1e-14;

// ---- for people: parts ------------------------------------------------------------------------------------

static int widest(int width, const char *text)
{
    const int n = (int)strlen(text);
    return n > width ? n : width;
}

static void print_more(int count, int shown)
{
    if (count > shown) printf("  ... and %d more (--json lists them all)\n", count - shown);
}

static void print_bodies(const tml_check *c)
{
    const int shown = c->body_count < SHOWN_PARTS ? c->body_count : SHOWN_PARTS;
    int width = (int)strlen("name");
    for (int i = 0; i < shown; i++) width = widest(width, c->bodies[i].name);
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
    print_more(c->body_count, shown);
}

static void print_joints(const tml_check *c)
{
    const int shown = c->joint_count < SHOWN_PARTS ? c->joint_count : SHOWN_PARTS;
    int name = (int)strlen("name"), type = (int)strlen("type"), between = (int)strlen("between");
    for (int i = 0; i < shown; i++) {
        name = widest(name, c->joints[i].name);
        type = widest(type, c->joints[i].type);
        between = widest(between, c->joints[i].between);
    }
    printf("\nJoints: %d\n", c->joint_count);
    if (shown == 0) return;
    printf("  %-*s  %-*s  %-*s  rows\n", name, "name", type, "type", between, "between");
    for (int i = 0; i < shown; i++) {
        const tml_check_joint *j = &c->joints[i];
        printf("  %-*s  %-*s  %-*s  %d", name, j->name, type, j->type, between, j->between, j->rows);
        if (j->dependent) printf(" (%d of them repeat%s others)", j->dependent, j->dependent == 1 ? "s" : "");
        putchar('\n');
    }
    print_more(c->joint_count, shown);
}

// ---- for people: freedom and start ------------------------------------------------------------------------

static void print_dependency(const tml_check_dependency *d)
{
    printf("  %s", d->row);
    if (d->empty) fputs(" has no effect in this position", stdout);
    else if (d->others_count == 0) fputs(" follows from the other rows of the same joint", stdout);
    else fputs(" follows from", stdout);
    for (int i = 0; i < d->others_count; i++) {
        if (i == 8 && d->others_count > 9) {
            printf(" and %d more", d->others_count - i);
            break;
        }
        printf("%s %s", i ? "," : "", d->others[i]);
    }
    putchar('\n');
}

static void print_freedoms(const tml_check *c)
{
    if (c->rank < 0) {
        printf("\nDegrees of freedom: not computed (too large)\n  %d coordinates - %d constraint rows = %d "
               "by the count\n",
               c->coordinates, c->rows, c->count_freedoms);
        return;
    }
    printf("\nDegrees of freedom: %d\n  %d coordinates - %d constraint row%s", c->freedoms, c->coordinates,
           c->rows, c->rows == 1 ? "" : "s");
    if (c->dependency_count)
        printf(" + %d that repeat%s others", c->dependency_count, c->dependency_count == 1 ? "s" : "");
    printf(" = %d\n", c->freedoms);
    if (c->dependency_count == 0) return;
    printf("\nRepeated constraint rows: %d\n", c->dependency_count);
    const int shown = c->dependency_count < SHOWN_PARTS ? c->dependency_count : SHOWN_PARTS;
    for (int i = 0; i < shown; i++) print_dependency(&c->dependencies[i]);
    print_more(c->dependency_count, shown);
}

// size: what is round-off in the values is a share of.
static void print_residual(const char *what, const tml_check_residual *r, double size)
{
    if (!r->row) printf("  %-11sfulfil the constraints exactly\n", what);
    else if (r->value <= ROUNDOFF * size) printf("  %-11sfulfil the constraints to round-off\n", what);
    else printf("  %-11soff by at most %.3g %s (%s)\n", what, r->value, r->unit, r->row);
}

static void print_start(const tml_check *c)
{
    printf("\nStart at t = %g s, as given\n", c->t);
    if (c->rows == 0) {
        puts("  there are no constraints to fulfil");
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

// ---- for people: spectrum ---------------------------------------------------------------------------------

// Round-off in the part that ought to be zero is not shown.
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

// A line of the table per real root or conjugate pair; zeros are counted apart.
static void print_roots(const tml_check *c)
{
    int lines = 0, line = 0;
    for (int i = c->zeros; i < c->eigenvalue_count; i++) lines += c->eigenvalues[i].im >= 0;
    if (lines > 0)
        printf("  %-28s  %14s  %13s  %17s\n", "root [1/s]", "frequency [Hz]", "damping ratio",
               "time constant [s]");
    for (int i = c->zeros; i < c->eigenvalue_count; i++) {
        if (c->eigenvalues[i].im < 0) continue;
        if (lines <= SHOWN_ROOTS || line < SHOWN_ROOTS / 2 || line >= lines - SHOWN_ROOTS / 2)
            print_root(&c->eigenvalues[i]);
        else if (line == SHOWN_ROOTS / 2)
            printf("  ... %d more in between (--json lists them all)\n", lines - SHOWN_ROOTS);
        line++;
    }
    if (c->zeros)
        printf("  %s%d zero root%s: motions that nothing drives back\n", lines > 0 ? "and " : "", c->zeros,
               c->zeros == 1 ? "" : "s");
}

static void print_spectrum(const tml_check *c)
{
    if (!c->has_spectrum || c->eigenvalue_count == 0) return;
    printf("\nSmall motions about the start%s\n",
           c->instantaneous ? " (of this instant: it is not at rest in equilibrium)" : "");
    print_roots(c);
    if (c->stiffness_ratio > 0)
        printf("  stiffness ratio %.4g, shortest time scale %.4g s", c->stiffness_ratio, c->fastest);
    if (c->stiffness_ratio > 0 && c->highest_hz > 0) printf(", highest frequency %.4g Hz", c->highest_hz);
    if (c->stiffness_ratio > 0) putchar('\n');
}

static void print_text(const tml_check *c)
{
    printf("%s\n", c->title[0] ? c->title : "Model");
    printf("  %d force%s; size %.4g m\n", c->force_count, c->force_count == 1 ? "" : "s", c->length);
    print_bodies(c);
    print_joints(c);
    print_freedoms(c);
    print_start(c);
    print_spectrum(c);
    if (c->note_count) puts("\nNotes");
    for (int i = 0; i < c->note_count; i++) {
        const char *level = c->notes[i].level == TML_LOG_WARNING ? "  warning:" : "  note:";
        fputs(level, stdout);
        cli_wrap(stdout, c->notes[i].text, 4, (int)strlen(level));
    }
}

// ---- JSON -------------------------------------------------------------------------------------------------

static void json_parts(cli_json *j, const tml_check *c)
{
    cli_json_open(j, "bodies", '[');
    for (int i = 0; i < c->body_count; i++) {
        const tml_check_body *b = &c->bodies[i];
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "name", b->name);
        cli_json_number(j, "mass", b->mass);
        cli_json_integer(j, "coordinates", b->coordinates);
        cli_json_open(j, "position", '[');
        for (int k = 0; k < 3; k++) cli_json_number(j, NULL, b->position[k]);
        cli_json_close(j, ']');
        cli_json_number(j, "moved", b->moved);
        cli_json_number(j, "turned", b->turned);
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
    cli_json_open(j, "joints", '[');
    for (int i = 0; i < c->joint_count; i++) {
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "name", c->joints[i].name);
        cli_json_text(j, "type", c->joints[i].type);
        cli_json_text(j, "between", c->joints[i].between);
        cli_json_integer(j, "rows", c->joints[i].rows);
        cli_json_integer(j, "dependent_rows", c->joints[i].dependent);
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
}

static void json_count(cli_json *j, const char *key, int n)  // -1: not computed
{
    if (n < 0) cli_json_null(j, key);
    else cli_json_integer(j, key, n);
}

static void json_freedoms(cli_json *j, const tml_check *c)
{
    cli_json_integer(j, "coordinates", c->coordinates);
    cli_json_integer(j, "constraint_rows", c->rows);
    json_count(j, "rank", c->rank);
    json_count(j, "rank_nearby", c->rank_nearby);
    json_count(j, "degrees_of_freedom", c->freedoms);
    cli_json_integer(j, "degrees_of_freedom_by_count", c->count_freedoms);
    cli_json_number(j, "weakest_pivot", c->weakest);
    cli_json_open(j, "dependent_rows", '[');
    for (int i = 0; i < c->dependency_count; i++) {
        const tml_check_dependency *d = &c->dependencies[i];
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "row", d->row);
        cli_json_text(j, "joint", d->joint < 0 ? NULL : c->joints[d->joint].name);
        cli_json_bool(j, "empty", d->empty);
        cli_json_open(j, "follows_from", '[');
        for (int k = 0; k < d->others_count; k++) cli_json_text(j, NULL, d->others[k]);
        cli_json_close(j, ']');
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
}

static void json_residual(cli_json *j, const char *key, const tml_check_residual *r)
{
    cli_json_open(j, key, '{');
    cli_json_number(j, "value", r->value);
    cli_json_text(j, "unit", r->unit);
    cli_json_text(j, "row", r->row);
    cli_json_close(j, '}');
}

static void json_spectrum(cli_json *j, const tml_check *c)
{
    if (!c->has_spectrum) {
        cli_json_null(j, "spectrum");
        return;
    }
    cli_json_open(j, "spectrum", '{');
    cli_json_bool(j, "instantaneous", c->instantaneous);
    cli_json_integer(j, "massless", c->massless);
    cli_json_integer(j, "zeros", c->zeros);
    cli_json_number(j, "stiffness_ratio", c->stiffness_ratio);
    cli_json_number(j, "shortest_time_scale", c->fastest);
    cli_json_number(j, "highest_frequency_hz", c->highest_hz);
    cli_json_open(j, "eigenvalues", '[');
    for (int i = 0; i < c->eigenvalue_count; i++) {
        cli_json_open(j, NULL, '[');
        cli_json_number(j, NULL, c->eigenvalues[i].re);
        cli_json_number(j, NULL, c->eigenvalues[i].im);
        cli_json_close(j, ']');
    }
    cli_json_close(j, ']');
    cli_json_close(j, '}');
}

static void json_report(cli_json *j, const tml_check *c)
{
    cli_json_text(j, "title", c->title);
    cli_json_number(j, "length", c->length);
    cli_json_number(j, "t", c->t);
    json_parts(j, c);
    cli_json_integer(j, "forces", c->force_count);
    json_freedoms(j, c);
    cli_json_open(j, "start", '{');
    json_residual(j, "position", &c->position);
    json_residual(j, "velocity", &c->velocity);
    cli_json_number(j, "moved", c->moved);
    cli_json_number(j, "velocity_changed", c->velocity_changed);
    cli_json_close(j, '}');
    json_spectrum(j, c);
    cli_json_open(j, "notes", '[');
    for (int i = 0; i < c->note_count; i++) {
        cli_json_open(j, NULL, '{');
        cli_json_text(j, "level", c->notes[i].level == TML_LOG_WARNING ? "warning" : "info");
        cli_json_text(j, "text", c->notes[i].text);
        cli_json_close(j, '}');
    }
    cli_json_close(j, ']');
}

static void print_json(const check_values *v, const tml_check *c, tml_status st, int code, const tml_error *err)
{
    cli_json j = {.out = stdout};
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "trammel", tml_version());
    cli_json_text(&j, "command", "check");
    cli_json_text(&j, "model", v->model);
    cli_json_text(&j, "status", tml_status_name(st));
    cli_json_integer(&j, "exit_status", code);
    if (c) json_report(&j, c);
    else cli_json_error(&j, err);
    cli_json_close(&j, '}');
}

// ---- the command ------------------------------------------------------------------------------------------

static int run(void *values)
{
    const check_values *v = values;
    const tml_env env = cli_env(NULL);
    tml_error err = {0};
    tml_parameter *parameters = NULL;
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_check *check = NULL;
    tml_status st = cli_parameters(&v->set, &parameters, &err);
    if (st == TML_OK) st = tml_spec_read(v->model, parameters, v->set.count, &env, &spec, &err);
    if (st == TML_OK) st = tml_model_build(spec, &model, &err);
    if (st == TML_OK) st = tml_check_create(model, tml_model_run(model)->start, &check, &err);
    const int code = cli_exit_status(st, false);
    if (v->json) print_json(v, check, st, code, &err);
    else if (check) print_text(check);
    fflush(stdout);
    if (st != TML_OK) cli_print_error(&err);
    tml_check_destroy(check);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
    free(parameters);
    return code;
}

const cli_command cli_command_check = {
    .name = "check",
    .summary = "Report degrees of freedom, repeated constraints, start values and time scales of a model.",
    .notes = "The mechanism is assembled at the start time and linearized there; nothing is simulated.\n"
             "\n"
             "  trammel check crank.yaml\n"
             "  trammel check crank.yaml --set length=0.3 --json\n",
    .table = {options, sizeof options / sizeof *options, NULL},
    .values_size = sizeof(check_values),
    .run = run,
};
