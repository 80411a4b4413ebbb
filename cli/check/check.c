// trammel check: properties of a model before a run: degrees of freedom, redundant and contradicting
// constraints, singular configurations, conditioning and time scales, and a suggested method.
#include "check.h"
#include "cli/common/cli.h"

#include <stddef.h>

typedef struct check_values {
    const char *model, *html;
    cli_list set, folders;
    cli_files *files;
    bool all, json, brief;
} check_values;

#define AT(member) offsetof(check_values, member)
static const cli_option options[] = {
    CLI_OPTION_ARGUMENT("MODEL", CLI_ARGUMENT, AT(model), CLI_FILE_READ, "model file (YAML or JSON)"),
    CLI_SET(AT(set)),
    CLI_ALLOW_PATH(AT(folders)),
    CLI_OPTION_FLAG("--all", 0, AT(all), "list every body, joint, reaction, sweep and root"),
    CLI_OPTION_FLAG("--no-trial", 0, AT(brief),
                    "omit the trial steps: no suggestions, no condition number of the iteration matrix"),
    CLI_OPTION_TEXT("--html", 0, AT(html), "FILE", CLI_FILE_WRITTEN,
                    "also write a report with diagrams: graph of bodies and joints, spectrum, matrix"),
    CLI_OPTION_FLAG("--json", 0, AT(json), "print the complete report as JSON"),
};

typedef struct gate {
    tml_env env;  // that prints
    bool open;
} gate;

// Warnings of the model; the report contains those of the trial steps.
static void log_while_open(tml_log_level level, const char *text, void *user)
{
    const gate *g = user;
    if (g->open) g->env.log(level, text, g->env.user);
}

static tml_status run(void *values, cli_call *c)
{
    const check_values *v = values;
    gate warnings = {c->env, true};
    const tml_env env = {.log = log_while_open, .user = &warnings, .files = c->env.files};
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_check *check = NULL;
    tml_advice advice;
    tml_status st = cli_read_model(v->model, &v->set, &v->folders, v->files, &env, &spec, &c->err);
    if (st == TML_OK) st = tml_model_build(spec, &model, &c->err);
    warnings.open = false;
    if (st == TML_OK) st = tml_check_create(model, tml_model_run(model)->start, &check, &c->err);
    const bool tried = st == TML_OK && !v->brief;
    if (tried) st = tml_advise(model, NULL, &advice, &c->err);
    const bool writing = check && v->html && (st == TML_OK || st == TML_ERR_ASSEMBLY);
    if (writing) {
        const tml_status written = cli_check_html(check, tried && st == TML_OK ? &advice : NULL, model,
                                                  v->model, v->html, &c->env, st == TML_OK ? &c->err : NULL);
        if (st == TML_OK) st = written;
    }
    c->running = writing && st == TML_ERR_IO;
    const int code = cli_exit_status(st, c->running);
    cli_report r = cli_report_begin(v->json, "check", v->model, st, code, st != TML_OK ? &c->err : NULL);
    if (check) cli_check_report(&r, check, tried ? &advice : NULL, v->all);
    cli_report_end(&r);
    tml_check_destroy(check);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
    return st;
}

const cli_command cli_command_check = {
    .name = "check",
    .summary = "Examine a model: freedom, redundant and contradicting constraints, singular configurations, "
               "time scales.",
    .notes =
        "The mechanism is assembled at the start time, moved along its freedom (or by its drivers)\n"
        "without forces in search of singular configurations, linearized, and run for some trial steps.\n"
        "\n"
        "  trammel check crank.yaml\n"
        "  trammel check crank.yaml --all\n"
        "  trammel check crank.yaml --set length=0.3 --json\n",
    CLI_OPTIONS(check_values),
    .files = offsetof(check_values, files),
    .run = run,
};
