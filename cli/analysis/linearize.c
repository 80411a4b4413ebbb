// trammel linearize: the matrices of a model's inputs and outputs about a state.
#define _POSIX_C_SOURCE 200809L
#include "base/csv.h"
#include "base/target.h"
#include "cli/common/cli.h"
#include "cli/common/json.h"
#include "cli/common/print.h"
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

// ---- JSON -------------------------------------------------------------------------------------------------

static void json_quantities(tmli_json *j, const char *key, const tml_linear_quantity *list, int count,
                            bool values)
{
    tmli_json_open(j, key, '[');
    for (int i = 0; i < count; i++) {
        tmli_json_open(j, NULL, '{');
        tmli_json_members(j, "name %s unit %s", list[i].name, list[i].unit);
        if (values) tmli_json_number(j, "value", list[i].value);
        tmli_json_close(j, '}');
    }
    tmli_json_close(j, ']');
}

static void json_matrix(tmli_json *j, const char *key, const double *X, int rows, int columns)
{
    tmli_json_open(j, key, '[');
    for (int i = 0; i < rows; i++) tmli_json_numbers(j, NULL, X + (size_t)i * (size_t)columns, columns);
    tmli_json_close(j, ']');
}

static void print_json(const linearize_values *v, const tml_linear *l, tml_status st, int code,
                       const tml_error *err, FILE *out)
{
    tmli_json j = cli_json_begin(out, "linearize", v->in.model, st, code, st != TML_OK ? err : NULL);
    if (l) {
        tmli_json_members(&j, "t %g rest %u steady %u", l->t, l->rest, l->steady);
        if (l->steady) tmli_json_text(&j, "axes", l->axes);
        json_quantities(&j, "states", l->states, l->state_count, false);
        json_quantities(&j, "inputs", l->inputs, l->input_count, true);
        json_quantities(&j, "outputs", l->outputs, l->output_count, true);
        json_matrix(&j, "A", l->A, l->state_count, l->state_count);
        json_matrix(&j, "B", l->B, l->state_count, l->input_count);
        json_matrix(&j, "C", l->C, l->output_count, l->state_count);
        json_matrix(&j, "D", l->D, l->output_count, l->input_count);
    }
    tmli_json_close(&j, '}');
}

// ---- text and CSV -----------------------------------------------------------------------------------------

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

static void print_matrix(const char *name, const double *X, int rows, int columns)
{
    if (rows == 0 || columns == 0) return;
    printf("\n%s =\n", name);
    for (int i = 0; i < rows; i++) {
        for (int c = 0; c < columns; c++) printf(" %12.6g", X[(size_t)i * (size_t)columns + (size_t)c]);
        putchar('\n');
    }
}

static void print_names(const char *label, const tml_linear_quantity *list, int count)
{
    printf("  %-12s", label);
    for (int i = 0; i < count; i++)
        printf("%s%s%s%s%s", i ? ", " : " ", list[i].name, list[i].unit[0] ? " [" : "", list[i].unit,
               list[i].unit[0] ? "]" : "");
    puts(count ? "" : " none");
}

static void print_text(const linearize_values *v, const cli_state *s, const tml_linear *l)
{
    enum { SHOWN = 12 };
    cli_put_title(s->model, v->in.model, stdout);
    printf("  state        t = %.6g s, ", l->t);
    if (l->rest) puts("at rest in equilibrium");
    else if (l->steady) printf("steady motion, seen in %s\n", l->axes);
    else puts("not steady: matrices of this instant");
    print_names("states x", l->states, l->state_count);
    print_names("inputs u", l->inputs, l->input_count);
    print_names("outputs y", l->outputs, l->output_count);
    if (l->state_count <= SHOWN) {
        print_matrix("A", l->A, l->state_count, l->state_count);
        print_matrix("B", l->B, l->state_count, l->input_count);
        print_matrix("C", l->C, l->output_count, l->state_count);
        print_matrix("D", l->D, l->output_count, l->input_count);
    } else {
        printf("\nA is %d x %d; --json prints the matrices, --out writes them.\n", l->state_count,
               l->state_count);
    }
    if (v->out) printf("\nMatrices: %s\n", v->out);
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
    else print_json(v, l, TML_OK, CLI_EXIT_OK, NULL, d.out);
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
    if (v->json) print_json(v, l, st, code, &c->err, stdout);
    else if (st == TML_OK) print_text(v, &s, l);
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
