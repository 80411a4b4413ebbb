// The head of reports as JSON.
#include "json.h"

// Null if there is none, else status, message, file, line, column (null if unknown) and t.
static void put_error(tmli_json *j, const tml_error *err)
{
    if (err->status == TML_OK) {
        tmli_json_value(j, "error", NULL);
        return;
    }
    tmli_json_object(j, "error", "status %s message %s file %s line %i column %i t %g",
                     tml_status_name(err->status), err->msg, err->file[0] ? err->file : NULL,
                     err->line > 0 ? err->line : -1, err->line > 0 && err->col > 0 ? err->col : -1, err->t);
}

tmli_json cli_json_begin(FILE *out, const char *command, const char *model, tml_status st, int exit_status,
                         const tml_error *err)
{
    tmli_json j = {.out = out, .style = TMLI_JSON_LINES};
    tmli_json_open(&j, NULL, '{');
    tmli_json_members(&j, "trammel %s command %s", tml_version(), command);
    if (model) tmli_json_text(&j, "model", model);
    tmli_json_members(&j, "status %s exit_status %d", tml_status_name(st), exit_status);
    if (err) put_error(&j, err);
    return j;
}
