// trammel methods: the integration methods and linear solvers of this build.
#include "cli/common/cli.h"
#include "cli/common/report.h"
#include "cli/common/settings.h"
#include "variants.h"

#include <stddef.h>
#include <string.h>
#include <trammel/integrator.h>
#include <trammel/linsolver.h>

typedef struct methods_values {
    bool json, all;
} methods_values;

static const cli_option options[] = {
    CLI_OPTION_FLAG("--json", 0, offsetof(methods_values, json), "print the table as JSON"),
    CLI_OPTION_FLAG("--all", 0, offsetof(methods_values, all),
                    "also list the variants that options choose: scalings, forms, controls, estimates"),
};

// The i-th method, at last that of captured contacts; NULL: there are no more.
static const tml_method_ops *method_at(int i)
{
    int count = 0;
    while (tml_methods[count]) count++;
    return i < count ? tml_methods[i] : i == count ? &tml_method_moreau : NULL;
}

static int widest(int width, const char *name)
{
    return (int)strlen(name) > width ? (int)strlen(name) : width;
}

// A line below an entry of a list.
static void put_below(cli_report *r, const char *what, const char *text)
{
    const int indent = 6;
    char line[400];
    if (!text[0]) return;
    snprintf(line, sizeof line, "%s%s", what, text);
    cli_wrapped(r, line, indent, 0);
}

static void put_variants(cli_report *r)
{
    cli_entry(r, "\nVariants (options of a run; 'comparison' marks what is there only for that):\n");
    cli_open(r, "variants", '[');
    for (const cli_variant *v = cli_variants; v->option; v++) {
        char option[64];
        cli_settings_option(v->option, option, sizeof option);
        cli_object(r, NULL, "\n  %s{-option %s} {value %s}\n{-methods %s order %s citation %s use %s}",
                   option, v->option, v->value, v->methods, v->order, v->source, v->use);
        put_below(r, "", v->use);
        put_below(r, "methods: ", v->methods);
        put_below(r, "order: ", v->order);
        put_below(r, "", v->source);
    }
    cli_close(r, ']');
}

static void put_methods(cli_report *r, int width)
{
    const int indent = width + 4;
    cli_entry(r, "Integration methods (--method):\n\n");
    cli_open(r, "methods", '[');
    for (int i = 0; method_at(i); i++) {
        const tml_method_ops *m = method_at(i);
        char nature[300];
        snprintf(nature, sizeof nature, "order %d; %s; %s", m->order, m->form, m->stability);
        cli_object(r, NULL, "  {name %-*s}  {-order %d form %s stability %s summary %s citation %s}", width,
                   m->name, m->order, m->form, m->stability, m->summary, m->citation);
        cli_wrapped(r, nature, indent, indent);
        cli_wrapped(r, m->summary, indent, 0);
        cli_wrapped(r, m->citation, indent, 0);
        cli_entry(r, "\n");
    }
    cli_close(r, ']');
    cli_entry(r, "  %-*s  ", width, "auto");
    cli_wrapped(
        r,
        "the default: ggl-radau5 for friction that is loaded by reactions; genalpha for fixed steps; "
        "radau5 for models with discontinuities, with weakly damped fast vibrations, with motions "
        "without inertia, or with stiff forces and few unknowns; for-sdirk if drivers prescribe all "
        "motion; erk8 for open chains and rolling, and adams, above a tolerance of 1e-3 erk5, for "
        "closed loops in the plane if they are not stiff, replaced by an implicit method if they become "
        "stiff; otherwise bdf. Joint coordinates are used where they are faster. A setting that belongs "
        "to one method or a few (rho, alpha, placement, constraint_point, max_order, gamma, epsilon, "
        "index: 2, redundancy: regularize) selects the method, and bdf is taken for settings that the "
        "others lack (fields: three, iterate: saturated, scaling: norm or given). The closing report "
        "gives the reason",
        indent, indent);
}

static void put_solvers(cli_report *r, int width)
{
    const int indent = width + 4;
    cli_entry(r, "\nLinear solvers (--solver):\n\n");
    cli_open(r, "solvers", '[');
    for (int i = 0; tml_linsolvers[i]; i++) {
        cli_object(r, NULL, "  {name %-*s}  {-summary %s}", width, tml_linsolvers[i]->name,
                   tml_linsolvers[i]->summary);
        cli_wrapped(r, tml_linsolvers[i]->summary, indent, indent);
    }
    cli_close(r, ']');
    cli_entry(r, "  %-*s  ", width, "auto");
    cli_wrapped(
        r,
        "tree for methods that solve for accelerations; otherwise block with scaling and augmentation, "
        "which make it stable, or klu without them",
        indent, indent);
}

static tml_status run(void *values, cli_call *c)
{
    const methods_values *v = values;
    int width = (int)strlen("auto");
    for (int i = 0; method_at(i); i++) width = widest(width, method_at(i)->name);
    for (int i = 0; tml_linsolvers[i]; i++) width = widest(width, tml_linsolvers[i]->name);
    cli_report r = cli_report_bare(v->json);
    cli_open(&r, NULL, '{');
    put_methods(&r, width);
    put_solvers(&r, width);
    if (v->all) put_variants(&r);
    cli_close(&r, '}');
    (void)c;
    return TML_OK;
}

const cli_command cli_command_methods = {
    .name = "methods",
    .summary = "List the integration methods and the linear solvers.",
    CLI_OPTIONS(methods_values),
    .run = run,
};
