// trammel static: a static equilibrium of a model.
#include "static.h"
#include "cli/common/cli.h"
#include "cli/run/run.h"

#include "base/base.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct static_values {
    cli_input in;
    const char *out, *plot;
    bool json, all;
} static_values;

#define AT(member) offsetof(static_values, member)
static const cli_option options[] = {
    CLI_INPUT_MODEL,
    CLI_INPUT_SET,
    CLI_OPTION_TEXT("--out", 0, AT(out), "FILE", CLI_FILE_WRITTEN,
                    "write all channels at the equilibrium, one row (.csv, .h5); 'none' writes none"),
    CLI_OPTION_TEXT("--plot", 0, AT(plot), "FILE", CLI_FILE_WRITTEN,
                    "diagram of the bodies at the start and in equilibrium (.svg, .pdf, .png)"),
    CLI_OPTION_FLAG("--all", 0, AT(all), "print all channels, not only outputs"),
    CLI_OPTION_FLAG("--json", 0, AT(json), "print the result as JSON"),
};
#undef AT

static void put_report(cli_report *r, const static_values *v, const tml_sim *sim, const double *row)
{
    tml_sim_report report;
    tml_sim_get_report(sim, &report);
    cli_entry(r, "%s\n", cli_title(tml_sim_model(sim), v->in.model));
    run_put_equilibrium(r, &report.equilibrium);
    bool any = false;
    cli_open(r, "channels", '{');
    for (int i = 0; i < tml_sim_channel_count(sim); i++) {
        const tml_channel *c = &tml_sim_channels(sim)[i];
        cli_number(r, c->name, row[i]);
        if (!v->all && strncmp(c->dataset, "/outputs/", 9) != 0) continue;
        cli_entry(r, "%s  %-24s %18.10g %s\n", any ? "" : "\n", c->name, row[i], c->unit);
        any = true;
    }
    cli_close(r, '}');
    if (!any)
        cli_entry(r, "\nNo outputs in the model; --all prints all channels, --out writes them to a file.\n");
    if (v->plot) cli_entry(r, "\nDiagram: %s\n", v->plot);
}

static tml_status write_file(const static_values *v, const tml_sim *sim, const double *row, tml_error *err)
{
    const tml_result_note notes[] = {
        {"title", tml_model_title(tml_sim_model(sim))}, {"file", v->in.model}, {"version", tml_version()}};
    tml_writer *writer = NULL;
    const tml_env env = cli_env(NULL, v->in.files);
    tml_status st = tml_writer_create(v->out, tml_sim_channels(sim), tml_sim_channel_count(sim), notes,
                                      sizeof notes / sizeof *notes, &env, &writer, err);
    if (st == TML_OK) st = tml_writer_row(writer, row, err);
    return cli_writer_close(writer, st, err);
}

static tml_status run(void *values, cli_call *c)
{
    const static_values *v = values;
    tml_model *model = NULL;
    tml_sim *sim = NULL;
    double *row = NULL;
    tml_status st = cli_input_load(&v->in, CLI_STEPS_CHOSEN, &c->env, NULL, &model, &c->err);
    if (st == TML_OK) {
        tml_run_def def = *tml_model_run(model);
        def.begin = TML_BEGIN_STATIC;
        c->running = true;
        st = tml_sim_create(model, &def, &sim, &c->err);
    }
    if (st == TML_OK) {
        row = calloc((size_t)tml_sim_channel_count(sim) + 1, sizeof *row);
        if (!row)
            st = tmli_fail(&c->err, TML_ERR_NOMEM, "No memory for %d channels.", tml_sim_channel_count(sim));
    }
    if (st == TML_OK) st = tml_sim_channel_values(sim, tml_sim_state(sim), row, &c->err);
    if (st == TML_OK && v->out && strcmp(v->out, "none") != 0) st = write_file(v, sim, row, &c->err);
    if (st == TML_OK && v->plot) st = static_draw(v->plot, sim, &c->env, &c->err);
    const int code = cli_exit_status(st, c->running);
    cli_report r = cli_report_begin(v->json, "static", v->in.model, st, code, st != TML_OK ? &c->err : NULL);
    if (st == TML_OK) put_report(&r, v, sim, row);
    cli_report_end(&r);
    free(row);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
    return st;
}

const cli_command cli_command_static = {
    .name = "static",
    .summary = "Find a static equilibrium: its outputs, and whether it is stable.",
    .notes = "Loads are applied in steps, from the positions of the model on; steps along the path of\n"
             "equilibria pass limit points (snap-through). Mechanisms that only loads hold are relaxed.\n"
             "`begin: static` in the run block begins a simulation there.\n"
             "\n"
             "  trammel static arch.yaml\n"
             "  trammel static arch.yaml --set load=120 --plot arch.svg\n",
    CLI_OPTIONS(static_values),
    .files = offsetof(static_values, in.files),
    .run = run,
};
