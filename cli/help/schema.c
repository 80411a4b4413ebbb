// trammel schema: the contents of a model file, as JSON Schema for editors or as Markdown.
#include "cli/common/cli.h"

#include "spec/schema.h"

#include <stddef.h>

typedef struct schema_values {
    bool markdown;
} schema_values;

static const cli_option options[] = {
    CLI_OPTION_FLAG("--markdown", 0, offsetof(schema_values, markdown), "print the reference page instead"),
};

static void put(const char *piece, void *user) { fputs(piece, user); }

static tml_status run(void *values, cli_call *c)
{
    const schema_values *v = values;
    if (v->markdown) tmli_schema_markdown(put, stdout);
    else tmli_schema_json(put, stdout);
    (void)c;
    return TML_OK;
}

const cli_command cli_command_schema = {
    .name = "schema",
    .summary = "Print the JSON Schema of model files.",
    .notes = "Editors with a YAML language server complete and check a model file that\n"
             "begins with the line\n"
             "  # yaml-language-server: $schema=trammel.schema.json\n",
    CLI_OPTIONS(schema_values),
    .run = run,
};
