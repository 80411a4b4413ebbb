// trammel modes: small motions of a model about a state.
#include "modes.h"

#include "base/base.h"
#include "cli/common/cli.h"

#include <stddef.h>

static const tmli_key_choice eigen_words[] = {
    {"auto", TML_MODE_SOLVER_AUTO, "by the size of the model"},
    {"dense", TML_MODE_SOLVER_DENSE, "all roots by LAPACK, then those that are wanted"},
    {"sparse", TML_MODE_SOLVER_SPARSE, "only those that are wanted, by ARPACK: for large models"},
    {NULL, 0, NULL},
};

#define AT(member) offsetof(modes_values, member)
static const cli_option options[] = {
    CLI_INPUT_MODEL,
    {.kind = CLI_HEADING, .doc = "State and modes"},
    CLI_INPUT_SET,
    CLI_STATE_AT(AT(at)),
    CLI_OPTION_NUMBER("--count", CLI_INTEGER, TMLI_RANGE_POSITIVE, AT(count), "N", "10",
                      "number of modes; a conjugate pair is one"),
    CLI_OPTION_NUMBER("--near", CLI_NUMBER, TMLI_RANGE_NONNEGATIVE, AT(near), "HZ", "0",
                      "those nearest to this frequency [Hz] instead of the lowest"),
    CLI_OPTION_CHOICE("--eigen", AT(eigen), "KIND", eigen_words, "auto", "how roots are found"),
    {.kind = CLI_HEADING, .doc = "Modes over a parameter"},
    CLI_OPTION_TEXT(
        "--over", 0, AT(over), "NAME=FROM:TO:N", CLI_FILE_NONE,
        "modes at N values of a parameter of the model, followed by their shapes (Campbell diagram)"),
    CLI_OPTION_TEXT(
        "--orders", 0, AT(orders), "K,...", CLI_FILE_NONE,
        "with --over, for a parameter in rad/s: where the frequency of a mode is K times the parameter"),
    {.kind = CLI_HEADING, .doc = "Results"},
    CLI_OPTION_TEXT(
        "--out", 'o', AT(out), "FILE", CLI_FILE_WRITTEN,
        "write frequencies and shapes, a row for each mode (.h5, .csv); with --over: frequencies and "
        "damping, a row for each value"),
    CLI_OPTION_TEXT("--plot", 0, AT(plot), "FILE", CLI_FILE_WRITTEN,
                    "diagram of the shapes, with --over of the frequencies (.svg, .pdf, .png)"),
    CLI_OPTION_FLAG("--json", 0, AT(json), "print the result as JSON"),
    {.kind = CLI_HEADING, .doc = "Run up to a time of --at ('trammel run --help' explains them)"},
    CLI_INPUT_SETTINGS(CLI_GROUP_TIME, true),
    CLI_INPUT_SETTINGS(CLI_GROUP_METHOD, true),
    CLI_INPUT_SETTINGS(CLI_GROUP_ACCURACY, true),
};
#undef AT

tml_modes_def modes_definition(const modes_values *v)
{
    tml_modes_def def = tml_modes_def_default();
    def.count = v->count;
    def.near = v->near;
    def.solver = (tml_mode_solver)v->eigen;
    return def;
}

static tml_status check_options(const modes_values *v, tml_error *err)
{
    if (v->orders && !v->over) return tmli_fail(err, TML_ERR_ARG, "--orders needs --over NAME=FROM:TO:N.");
    return TML_OK;
}

static tml_status run(void *values, cli_call *c)
{
    const modes_values *v = values;
    cli_state s = {0};
    tml_modes *m = NULL;
    tml_status st = check_options(v, &c->err);
    if (st == TML_OK && v->over) return modes_run_sweep(v, c);
    if (st == TML_OK) st = cli_state_load(&s, &v->in, v->at, &c->env, &c->err);
    const tml_modes_def def = modes_definition(v);
    if (st == TML_OK) st = tml_modes_create(s.model, s.x, &def, &m, &c->err);
    if (st == TML_OK && v->out) st = modes_write_shapes(v, &s, m, &c->err);
    if (st == TML_OK && v->plot) st = modes_draw_shapes(v, &s, m, &c->err);
    c->running = s.simulated;
    const int code = cli_exit_status(st, c->running);
    cli_report r = cli_report_begin(v->json, "modes", v->in.model, st, code, st != TML_OK ? &c->err : NULL);
    if (m && (v->json || st == TML_OK)) modes_report(&r, v, &s, m);
    cli_report_end(&r);
    tml_modes_destroy(m);
    cli_state_clear(&s);
    return st;
}

const cli_command cli_command_modes = {
    .name = "modes",
    .summary = "Find frequencies, damping and shapes of small motions about a state; also over a parameter.",
    .notes =
        "Constraints, damping, gyroscopic forces and the stiffness of loaded parts are all included. If the\n"
        "state is neither at rest in equilibrium nor steady, modes are those of this instant.\n"
        "\n"
        "  trammel modes arch.yaml --at equilibrium\n"
        "  trammel modes rotor.yaml --over speed=0:300:31 --orders 1 --plot campbell.svg\n",
    CLI_OPTIONS(modes_values),
    .files = offsetof(modes_values, in.files),
    .run = run,
};
