// trammel methods: the integration methods and linear solvers of this build.
#include "cli/common/cli.h"
#include "cli/common/json.h"
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

static void print_json_variants(tmli_json *j)
{
    tmli_json_open(j, "variants", '[');
    for (const cli_variant *v = cli_variants; v->option; v++)
        tmli_json_object(j, NULL, "option %s value %s methods %s order %s citation %s use %s", v->option,
                         v->value, v->methods, v->order, v->source, v->use);
    tmli_json_close(j, ']');
}

static void print_json(bool all)
{
    tmli_json j = {.out = stdout, .style = TMLI_JSON_LINES};
    tmli_json_open(&j, NULL, '{');
    tmli_json_open(&j, "methods", '[');
    for (int i = 0; method_at(i); i++) {
        const tml_method_ops *m = method_at(i);
        tmli_json_object(&j, NULL, "name %s order %d form %s stability %s summary %s citation %s", m->name,
                         m->order, m->form, m->stability, m->summary, m->citation);
    }
    tmli_json_close(&j, ']');
    tmli_json_open(&j, "solvers", '[');
    for (int i = 0; tml_linsolvers[i]; i++)
        tmli_json_object(&j, NULL, "name %s summary %s", tml_linsolvers[i]->name, tml_linsolvers[i]->summary);
    tmli_json_close(&j, ']');
    if (all) print_json_variants(&j);
    tmli_json_close(&j, '}');
}

static int widest(int width, const char *name)
{
    return (int)strlen(name) > width ? (int)strlen(name) : width;
}

static void print_variants(void)
{
    const int indent = 6;
    puts("\nVariants (options of a run; 'comparison' marks what is there only for that):");
    for (const cli_variant *v = cli_variants; v->option; v++) {
        char text[400];
        cli_settings_option(v->option, text, sizeof text);
        printf("\n  %s %s\n", text, v->value);
        cli_wrap(stdout, v->use, indent, 0);
        snprintf(text, sizeof text, "methods: %s", v->methods);
        cli_wrap(stdout, text, indent, 0);
        if (v->order[0]) {
            snprintf(text, sizeof text, "order: %s", v->order);
            cli_wrap(stdout, text, indent, 0);
        }
        cli_wrap(stdout, v->source, indent, 0);
    }
}

static void print_text(bool all)
{
    int width = (int)strlen("auto");
    for (int i = 0; method_at(i); i++) width = widest(width, method_at(i)->name);
    for (int i = 0; tml_linsolvers[i]; i++) width = widest(width, tml_linsolvers[i]->name);
    const int indent = width + 4;

    puts("Integration methods (--method):\n");
    for (int i = 0; method_at(i); i++) {
        const tml_method_ops *m = method_at(i);
        char nature[300];
        snprintf(nature, sizeof nature, "order %d; %s; %s", m->order, m->form, m->stability);
        printf("  %-*s  ", width, m->name);
        cli_wrap(stdout, nature, indent, indent);
        cli_wrap(stdout, m->summary, indent, 0);
        cli_wrap(stdout, m->citation, indent, 0);
        putchar('\n');
    }
    printf("  %-*s  ", width, "auto");
    cli_wrap(stdout,
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
    puts("\nLinear solvers (--solver):\n");
    for (int i = 0; tml_linsolvers[i]; i++) {
        printf("  %-*s  ", width, tml_linsolvers[i]->name);
        cli_wrap(stdout, tml_linsolvers[i]->summary, indent, indent);
    }
    printf("  %-*s  ", width, "auto");
    cli_wrap(stdout,
             "tree for methods that solve for accelerations; otherwise block with scaling and augmentation, "
             "which make it stable, or klu without them",
             indent, indent);
    if (all) print_variants();
}

static tml_status run(void *values, cli_call *c)
{
    const methods_values *v = values;
    if (v->json) print_json(v->all);
    else print_text(v->all);
    (void)c;
    return TML_OK;
}

const cli_command cli_command_methods = {
    .name = "methods",
    .summary = "List the integration methods and the linear solvers.",
    CLI_OPTIONS(methods_values),
    .run = run,
};
