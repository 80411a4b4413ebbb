// trammel import: a robot of another program as a model file.
#include "base/base.h"
#include "base/target.h"
#include "cli/common/cli.h"
#include "cli/common/files.h"
#include "cli/common/report.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/import.h>
#include <unistd.h>

typedef struct import_values {
    const char *robot, *out, *start;
    bool floating, motors, mend;
    cli_list folders;
    cli_files *files;
} import_values;

#define AT(member) offsetof(import_values, member)
static const cli_option options[] = {
    CLI_OPTION_ARGUMENT("ROBOT", CLI_ARGUMENT, AT(robot), CLI_FILE_READ, "URDF or MJCF file"),
    CLI_OPTION_TEXT("--out", 'o', AT(out), "FILE", CLI_FILE_WRITTEN,
                    "the model file; default: the name of ROBOT with .yaml, in the working directory"),
    CLI_OPTION_FLAG("--floating", 0, AT(floating),
                    "nothing holds the first link; otherwise it is the ground"),
    CLI_OPTION_FLAG("--motors", 0, AT(motors),
                    "joints have inputs tau_JOINT, their torque or force, within the limits of their effort"),
    CLI_OPTION_FLAG("--mend", 0, AT(mend), "take the nearest possible inertia for one that no body can have"),
    CLI_OPTION_TEXT("--start", 0, AT(start), "KEY", CLI_FILE_NONE,
                    "name of the keyframe of an MJCF file at which the model starts"),
    CLI_ALLOW_PATH(AT(folders)),
};
#undef AT

static tml_status import_robot(const import_values *v, const char *out, cli_call *c)
{
    tml_error *err = &c->err;
    tml_spec *spec = NULL;
    tml_import_def def = tml_import_def_default();
    def.path = v->robot;
    def.model = out;
    def.floating = v->floating;
    def.motors = v->motors;
    def.mend = v->mend;
    def.start = v->start;
    def.folders = v->folders.items;
    def.folder_count = v->folders.count;
    tml_status st = tml_spec_import(&def, &c->env, &spec, err);
    const char *text = tml_spec_text(spec);
    c->running = st == TML_OK;  // what fails from here on is writing
    if (st == TML_OK) st = tmli_file_write(out, text, strlen(text), false, &c->env, err);
    for (int i = 0; i < tml_spec_note_count(spec) && st == TML_OK; i++) {
        const tml_note *n = tml_spec_note(spec, i);
        printf("%s:%d: %s\n", CLI_VISIBLE(n->file), n->line, CLI_VISIBLE(n->text));
    }
    if (st == TML_OK) printf("%s: written; next: trammel check %s\n", CLI_VISIBLE(out), CLI_VISIBLE(out));
    tml_spec_destroy(spec);
    return st;
}

static tml_status run(void *values, cli_call *c)
{
    const import_values *v = values;
    char *own = v->out ? NULL : cli_stem(v->robot, ".yaml");
    const char *out = v->out ? v->out : own;
    tml_status st = out ? TML_OK : tmli_no_memory(&c->err, "import");
    if (st == TML_OK && own) st = cli_files_add(v->files, CLI_FILE_WRITTEN, "the model", own, &c->err);
    if (st == TML_OK && own && access(own, F_OK) == 0)
        st = tmli_fail(&c->err, TML_ERR_ARG,
                       "'%s' is there already, and may have been changed; -o %s replaces it.", own, own);
    if (st == TML_OK) st = import_robot(v, out, c);
    free(own);
    return st;
}

const cli_command cli_command_import = {
    .name = "import",
    .summary = "Write the model file of a robot (URDF, MJCF).",
    .notes = "What the model leaves out, has otherwise or calls otherwise is printed, with the\n"
             "line of the robot's file, and stands at the head of the model. Meshes must be in\n"
             "the folder of the model file or below. run, check and view also take a robot.\n",
    CLI_OPTIONS(import_values),
    .files = offsetof(import_values, files),
    .run = run,
};
