// trammel fmu: a model as a unit of co-simulation (FMI) for other programs.
#include "base/base.h"
#include "cli/common/cli.h"
#include "cli/common/patterns.h"
#include "cli/common/report.h"
#include "fmu/write/write.h"
#include "load/module.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct fmu_values {
    const char *model, *out, *channels;
    int fmi;
    bool quiet;
    cli_list set, folders;
    cli_files *files;
} fmu_values;

static const tmli_key_choice versions[] = {
    {"2", 2, "FMI 2.0: understood by nearly all programs; x86-64 only"},
    {"3", 3, "FMI 3.0: also for aarch64"},
    {NULL, 0, NULL}};

#define AT(member) offsetof(fmu_values, member)
static const cli_option options[] = {
    CLI_OPTION_ARGUMENT("MODEL", CLI_ARGUMENT, AT(model), CLI_FILE_READ, "model file (YAML or JSON)"),
    CLI_OPTION_TEXT("--out", 'o', AT(out), "FILE", CLI_FILE_WRITTEN,
                    "the archive; default: the name of the model with .fmu, in the working directory"),
    CLI_OPTION_CHOICE("--fmi", AT(fmi), "VERSION", versions, "2", "version of the standard"),
    CLI_OPTION_TEXT("--channels", 0, AT(channels), "PATTERNS", CLI_FILE_NONE,
                    "outputs, as 'chassis.*,*.force'; * stands for any characters, ? for one; without it "
                    "those of `record` in the model, or all channels that can change"),
    CLI_SET(AT(set)),
    CLI_ALLOW_PATH(AT(folders)),
    {.kind = CLI_HEADING, .doc = "Messages"},
    CLI_OPTION_FLAG("--quiet", 'q', AT(quiet), "print errors only"),
};
#undef AT

// Kinds of machines: the library beside the modules and its folder in archives of FMI 3.
static const struct {
    const char *file, *folder;
} machines[] = {{"fmu-x86_64.so", "x86_64-linux"}, {"fmu-aarch64.so", "aarch64-linux"}};
enum { MACHINES = sizeof machines / sizeof *machines, X86_64 = 0 };

// The libraries that are there. FMI 2 has a name for x86-64 only (linux64). An installation for aarch64 alone
// puts its own there, for importers on such machines: they look for no other.
static tml_status find_binaries(int fmi, char path[MACHINES][TMLI_MODULE_PATH], tmli_fmu_binary *binary,
                                int *count, const char **note, tml_error *err)
{
    bool there[MACHINES];
    *count = 0;
    *note = NULL;
    for (int i = 0; i < MACHINES; i++) there[i] = tmli_module_file(machines[i].file, path[i]);
    if (fmi == 2) {
        const int i = there[X86_64] ? X86_64 : 1;
        if (there[i]) binary[(*count)++] = (tmli_fmu_binary){"linux64", path[i]};
        if (there[i] && i != X86_64)
            *note = "FMI 2.0 has no name for aarch64: its library is in binaries/linux64, where importers on "
                    "aarch64 look, and not of use on x86-64; --fmi 3 has names for both";
    }
    for (int i = 0; i < MACHINES && fmi == 3; i++)
        if (there[i]) binary[(*count)++] = (tmli_fmu_binary){machines[i].folder, path[i]};
    if (*count > 0) return TML_OK;
    return tmli_fail(err, TML_ERR_IO,
                     "There is no library for units (%s, %s) beside the modules of Trammel: it was built "
                     "without the archives of LAPACK, KLU and libfyaml (docs/fmu.md).",
                     machines[0].file, machines[1].file);
}

// An identifier of C: names of libraries in the archive, and of functions in units in sources.
static char *identifier_of(const char *name)
{
    char *out = malloc(strlen(name) + 3), *to = out;
    if (!out) return NULL;
    if (!isalpha((unsigned char)*name) || (unsigned char)*name > 127) *to++ = 'm', *to++ = '_';
    for (; *name; name++) *to++ = (unsigned char)*name < 128 && isalnum((unsigned char)*name) ? *name : '_';
    *to = 0;
    return out;
}

static tml_status write_unit(const fmu_values *v, const tmli_fmu_def *of, const char *out, const tml_env *env,
                             tml_error *err)
{
    tmli_fmu_def def = *of;
    char path[MACHINES][TMLI_MODULE_PATH];
    tmli_fmu_binary binary[MACHINES];
    const char *note;
    tmli_fmu_counts n = {0};
    const int channels = tml_sim_channel_count(def.sim);
    const char *record = tml_sim_settings(def.sim)->record;
    const cli_wanted w = {.patterns = v->channels ? v->channels
                                      : record    ? record
                                                  : "",
                          .origin = v->channels ? "--channels" : "record"};
    bool *chosen = calloc((size_t)channels + 1, sizeof *chosen);
    tml_status st = chosen ? cli_choose_channels(&w, tml_sim_channels(def.sim), channels, chosen, err)
                           : tmli_no_memory(err, "fmu");
    if (st == TML_OK) st = find_binaries(v->fmi, path, binary, &def.binary_count, &note, err);
    def.chosen = chosen;
    def.binary = binary;
    if (st == TML_OK) st = tmli_fmu_write(&def, out, env, &n, err);
    if (st == TML_OK && note) fprintf(stderr, "trammel: warning: %s\n", CLI_VISIBLE(note));
    if (st == TML_OK && !v->quiet && v->fmi == 2 && tmli_module_file(machines[1].file, path[1]) && !note)
        puts("FMI 2.0 has no name for aarch64: the archive is for x86-64; --fmi 3 has names for both");
    if (st == TML_OK && !v->quiet)
        printf(
            "%s: FMI %d.0, co-simulation; %d input%s, %d output%s, %d parameter%s, %d file%s of the model\n",
            CLI_VISIBLE(out), v->fmi, n.inputs, tmli_plural(n.inputs), n.outputs, tmli_plural(n.outputs),
            n.parameters, tmli_plural(n.parameters), n.files, tmli_plural(n.files));
    free(chosen);
    return st;
}

static tml_status make_unit(const fmu_values *v, const char *name, const char *out, cli_call *c)
{
    tml_error *err = &c->err;
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_sim *sim = NULL;
    tml_parameter *set = NULL;
    char *identifier = identifier_of(name);
    tml_status st = identifier ? cli_parameters(&v->set, &set, err) : tmli_no_memory(err, "fmu");
    if (st == TML_OK) st = cli_read_model(v->model, &v->set, &v->folders, v->files, &c->env, &spec, err);
    if (st == TML_OK) st = tml_model_build(spec, &model, err);
    c->running = st == TML_OK;
    if (st == TML_OK) st = tml_sim_create(model, NULL, &sim, err);
    if (st == TML_OK) {
        const tmli_fmu_def def = {.fmi = v->fmi,
                                  .identifier = identifier,
                                  .name = name,
                                  .spec = spec,
                                  .sim = sim,
                                  .set = set,
                                  .set_count = v->set.count};
        st = write_unit(v, &def, out, &c->env, err);
    }
    tml_sim_destroy(sim);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
    free(identifier);
    free(set);
    return st;
}

static tml_status run(void *values, cli_call *c)
{
    const fmu_values *v = values;
    char *name = cli_stem(v->model, ""), *own = v->out ? NULL : cli_stem(v->model, ".fmu");
    const char *out = v->out ? v->out : own;
    tml_status st = name && out ? TML_OK : tmli_no_memory(&c->err, "fmu");
    if (st == TML_OK && own) st = cli_files_add(v->files, CLI_FILE_WRITTEN, "the unit", own, &c->err);
    if (st == TML_OK) st = make_unit(v, name, out, c);
    free(own);
    free(name);
    return st;
}

const cli_command cli_command_fmu = {
    .name = "fmu",
    .summary = "Write a model as a unit of co-simulation (FMU) for Simulink, OpenModelica and others.",
    .notes = "Inputs, outputs (channels) and parameters of the model are variables of the unit. The\n"
             "archive has all that it needs: a library on nothing but libc and libm, and the files of\n"
             "the model.\n",
    CLI_OPTIONS(fmu_values),
    .files = offsetof(fmu_values, files),
    .run = run,
};
