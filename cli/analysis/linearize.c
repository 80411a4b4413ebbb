// trammel linearize: the matrices of a model's inputs and outputs about a state.
#define _POSIX_C_SOURCE 200809L
#include "base/csv.h"
#include "base/target.h"
#include "cli/common/cli.h"
#include "cli/common/state_at.h"

#include <stddef.h>
#include <trammel/linear.h>

typedef struct linearize_values {
    cli_input in;
    const char *at, *out;
    bool json;
} linearize_values;

#define AT(member) offsetof(linearize_values, member)
static const cli_option options[] = {
    CLI_INPUT_MODEL,
    CLI_INPUT_SET,
    CLI_STATE_AT(AT(at)),
    CLI_OPTION_TEXT("--out", 'o', AT(out), "FILE", CLI_FILE_WRITTEN,
                    "write the matrices: .json, or .csv with the rows [A B; C D]"),
    CLI_OPTION_FLAG("--json", 0, AT(json), "print the result as JSON"),
    {.kind = CLI_HEADING, .doc = "Run up to a time of --at ('trammel run --help' explains them)"},
    CLI_INPUT_SETTINGS(CLI_GROUP_TIME, true),
    CLI_INPUT_SETTINGS(CLI_GROUP_METHOD, true),
    CLI_INPUT_SETTINGS(CLI_GROUP_ACCURACY, true),
};
#undef AT

// ---- the report -------------------------------------------------------------------------------------------

static void put_quantities(cli_report *r, const char *key, const char *label, const tml_linear_quantity *list,
                           int count, bool values)
{
    cli_label(r, label);
    cli_open(r, key, '[');
    for (int i = 0; i < count; i++) {
        const char *const unit = list[i].unit;
        cli_open(r, NULL, '{');
        cli_entry(r, "%s{name %s}{-unit %s}%s%s%s", i ? ", " : "", list[i].name, unit, unit[0] ? " [" : "",
                  unit, unit[0] ? "]" : "");
        if (values) cli_entry(r, "{-value %g}", list[i].value);
        cli_close(r, '}');
    }
    cli_close(r, ']');
    cli_entry(r, count ? "\n" : "none\n");
}

static void put_matrix(cli_report *r, const char *name, const double *X, int rows, int columns)
{
    const bool silent = r->silent;
    r->silent = silent || rows == 0 || columns == 0;
    cli_entry(r, "\n%s =\n", name);
    cli_open(r, name, '[');
    for (int i = 0; i < rows; i++, X += columns) {
        for (int c = 0; c < columns; c++) cli_entry(r, " %12.6g", X[c]);
        cli_entry(r, "\n");
        cli_numbers(r, NULL, X, columns);
    }
    cli_close(r, ']');
    r->silent = silent;
}

static void put_report(cli_report *r, const tml_linear *l)
{
    enum { SHOWN = 12 };
    const int n = l->state_count, m = l->input_count, p = l->output_count;
    cli_state_report(r, l->t, l->rest, l->steady, l->axes, "matrices");
    put_quantities(r, "states", "states x", l->states, n, false);
    put_quantities(r, "inputs", "inputs u", l->inputs, m, true);
    put_quantities(r, "outputs", "outputs y", l->outputs, p, true);
    r->silent = n > SHOWN;
    put_matrix(r, "A", l->A, n, n);
    put_matrix(r, "B", l->B, n, m);
    put_matrix(r, "C", l->C, p, n);
    put_matrix(r, "D", l->D, p, m);
    r->silent = false;
    if (n > SHOWN) cli_entry(r, "\nA is %d x %d; --json prints the matrices, --out writes them.\n", n, n);
}

// ---- CSV --------------------------------------------------------------------------------------------------

static void print_row(FILE *out, const double *a, int na, const double *b, int nb)
{
    for (int i = 0; i < na; i++) tmli_csv_put_number(out, a[i], i + 1 < na + nb ? ',' : '\n');
    for (int i = 0; i < nb; i++) tmli_csv_put_number(out, b[i], i + 1 < nb ? ',' : '\n');
}

// A row for each rate and output, a column for each state and input
static void print_csv(const tml_linear *l, FILE *out)
{
    const int n = l->state_count, m = l->input_count;
    const char first = n + m > 0 ? ',' : '\n';
    tmli_csv_put_text(out, "row", TMLI_CSV_IF_NEEDED, first);
    for (int i = 0; i < n + m; i++)
        tmli_csv_put_text(out, i < n ? l->states[i].name : l->inputs[i - n].name, TMLI_CSV_IF_NEEDED,
                          i + 1 < n + m ? ',' : '\n');
    for (int i = 0; i < n; i++) {
        fprintf(out, "d(%s)/dt%c", l->states[i].name, first);
        print_row(out, l->A + (size_t)i * (size_t)n, n, l->B + (size_t)i * (size_t)m, m);
    }
    for (int i = 0; i < l->output_count; i++) {
        tmli_csv_put_text(out, l->outputs[i].name, TMLI_CSV_IF_NEEDED, first);
        print_row(out, l->C + (size_t)i * (size_t)n, n, l->D + (size_t)i * (size_t)m, m);
    }
}

static tml_status check_file(const linearize_values *v, tml_error *err)
{
    if (!v->out || tmli_ends_with(v->out, ".json") || tmli_ends_with(v->out, ".csv")) return TML_OK;
    return tmli_fail(err, TML_ERR_ARG, "--out: '%s' does not end in .json or .csv.", v->out);
}

static tml_status write_file(const linearize_values *v, const tml_linear *l, const tml_env *env,
                             tml_error *err)
{
    tmli_draft d;
    const tml_status st = tmli_draft_open(&d, v->out, env, err);
    if (st != TML_OK) return st;
    if (tmli_ends_with(v->out, ".csv")) print_csv(l, d.out);
    else {
        cli_report r = cli_report_json(d.out, "linearize", v->in.model, TML_OK, CLI_EXIT_OK, NULL);
        put_report(&r, l);
        cli_report_end(&r);
    }
    return tmli_draft_close(&d, TML_OK, err);
}

static tml_status run(void *values, cli_call *c)
{
    const linearize_values *v = values;
    cli_state s = {0};
    tml_linear *l = NULL;
    tml_status st = check_file(v, &c->err);
    if (st == TML_OK) st = cli_state_load(&s, &v->in, v->at, &c->env, &c->err);
    if (st == TML_OK) st = tml_linear_create(s.sim, s.x, &l, &c->err);
    if (st == TML_OK && v->out) st = write_file(v, l, &c->env, &c->err);
    c->running = s.simulated;
    const int code = cli_exit_status(st, c->running);
    cli_report r =
        cli_report_begin(v->json, "linearize", v->in.model, st, code, st != TML_OK ? &c->err : NULL);
    if (st == TML_OK) cli_entry(&r, "%s\n", cli_title(s.model, v->in.model));
    if (l && (v->json || st == TML_OK)) put_report(&r, l);
    if (st == TML_OK && v->out) cli_entry(&r, "\nMatrices: %s\n", v->out);
    cli_report_end(&r);
    tml_linear_destroy(l);
    cli_state_clear(&s);
    return st;
}

const cli_command cli_command_linearize = {
    .name = "linearize",
    .summary = "Write the matrices A, B, C, D of a model's inputs and outputs about a state.",
    .notes =
        "States are minimal coordinates: displacements x, y, z [m] and rotations rx, ry, rz [rad] of some\n"
        "bodies, as many as there are degrees of freedom, and their rates. Inputs and outputs are those\n"
        "of the model file.\n"
        "\n"
        "  trammel linearize models/controlled_cart.yaml\n"
        "  trammel linearize arm.yaml --at equilibrium --out arm.json\n",
    CLI_OPTIONS(linearize_values),
    .files = offsetof(linearize_values, in.files),
    .run = run,
};
