// Messages: errors with their line of the model file, warnings, interrupts, and the exit status.
#define _POSIX_C_SOURCE 200809L
#include "cli.h"
#include "marks.h"
#include "progress.h"
#include "report.h"

#include "base/file.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE_MAX_BYTES = 1 << 16,   // longer lines of a model file are cut
    FILE_MAX_BYTES = 64 << 20,  // of a model file
    SHOWN_COLUMNS = 90          // of a line of a model file; longer ones are shortened around the caret
};

static void print_log(tml_log_level level, const char *text, void *user)
{
    cli_progress *progress = user;
    const bool warning = level == TML_LOG_WARNING;
    if (progress && progress->marks) cli_marks_message(progress->marks, text);
    if (!warning && !(progress && progress->notes)) return;
    if (progress) cli_progress_clear(progress);
    fprintf(stderr, "trammel: %s: ", warning ? "warning" : "note");
    cli_put_visible(text, strlen(text), '\n', stderr);
    fputc('\n', stderr);
}

static volatile sig_atomic_t interrupt_flag;  // the signal handler has access to nothing else

static void on_interrupt(int number)
{
    (void)number;
    interrupt_flag = 1;
}

void cli_interrupts(bool take)
{
    struct sigaction action = {.sa_handler = take ? on_interrupt : SIG_DFL,
                               .sa_flags = take ? (int)SA_RESETHAND : 0};
    sigemptyset(&action.sa_mask);
    if (take) interrupt_flag = 0;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool cli_interrupted(void) { return interrupt_flag != 0; }

tml_env cli_env(struct cli_progress *progress, cli_files *files)
{
    return (tml_env){.log = print_log, .user = progress, .files = files};
}

int cli_exit_status(tml_status status, bool running)
{
    switch (status) {
    case TML_OK: return CLI_EXIT_OK;
    case TML_ERR_ARG:
    case TML_ERR_SYNTAX:
    case TML_ERR_NAME:
    case TML_ERR_MODEL:
    case TML_ERR_ASSEMBLY: return CLI_EXIT_INPUT;
    case TML_ERR_SINGULAR:
    case TML_ERR_NAN:
    case TML_ERR_IO: return running ? CLI_EXIT_FAILED : CLI_EXIT_INPUT;
    case TML_RETRY:
    case TML_ERR_NOMEM:
    case TML_ERR_STEP:
    case TML_ERR_USER:
    case TML_ERR_STOPPED: break;
    }
    return CLI_EXIT_FAILED;
}

// Line `number` of a file without its line end, in buf; false if it has none.
static bool read_line(const char *path, int number, char *buf, size_t size)
{
    tmli_bytes file;
    char reason[TMLI_FILE_REASON];
    if (tmli_file_load(path, NULL, FILE_MAX_BYTES, TMLI_FILE_REGULAR, NULL, &file, reason) != TML_OK)
        return false;
    size_t used = 0;
    int line = 1;
    const char *p = file.data, *end = file.data + file.length;
    for (; line < number && p < end; p++) line += *p == '\n';
    for (; line == number && p < end && *p != '\n' && used + 1 < size; p++) buf[used++] = *p ? *p : ' ';
    tmli_free(NULL, file.data);
    while (used > 0 && buf[used - 1] == '\r') used--;
    buf[used] = 0;
    return line == number;
}

static bool is_continuation(char c) { return ((unsigned char)c & 0xC0) == 0x80; }

// The byte where character `col` (from 1) begins, at most the end.
static const char *character(const char *line, int col)
{
    while (*line && col > 1) {
        line++;
        while (is_continuation(*line)) line++;
        col--;
    }
    return line;
}

static int count_characters(const char *line)
{
    int n = 0;
    for (; *line; line++) n += !is_continuation(*line);
    return n;
}

// Two lines after a column with the line number. Tabs are kept in both, so that the caret is right for any
// tab width.
static void print_snippet(int number, const char *line, int col)
{
    const int total = count_characters(line);
    int first = 1, last = total;
    if (total > SHOWN_COLUMNS) {
        first = col - SHOWN_COLUMNS / 2 > 1 ? col - SHOWN_COLUMNS / 2 : 1;
        if (first > total - SHOWN_COLUMNS + 1) first = total - SHOWN_COLUMNS + 1;
        last = first + SHOWN_COLUMNS - 1;
    }
    const char *begin = character(line, first), *end = character(line, last + 1);
    fprintf(stderr, "%5d | %s", number, first > 1 ? "..." : "");
    cli_put_visible(begin, (size_t)(end - begin), '\t', stderr);
    fprintf(stderr, "%s\n", last < total ? "..." : "");
    if (col < 1) return;
    const char *caret = character(line, col);
    fprintf(stderr, "      | %s", first > 1 ? "   " : "");
    for (const char *s = begin; s < caret; s++)
        if (!is_continuation(*s)) fputc(*s == '\t' ? '\t' : ' ', stderr);
    fputs("^\n", stderr);
}

void cli_print_error(const tml_error *err)
{
    const char *message = err->msg[0] ? err->msg : tml_status_name(err->status);
    // the message of an error about the whole file names it
    if (!err->file[0] || (err->line < 1 && strstr(message, err->file))) {
        fputs("trammel: error: ", stderr);
        cli_put_visible(message, strlen(message), 0, stderr);
        fputc('\n', stderr);
        return;
    }
    cli_put_visible(err->file, strlen(err->file), 0, stderr);
    fputc(':', stderr);
    if (err->line > 0) fprintf(stderr, "%d:", err->line);
    if (err->line > 0 && err->col > 0) fprintf(stderr, "%d:", err->col);
    fputs(" error: ", stderr);
    cli_put_visible(message, strlen(message), '\n', stderr);
    fputc('\n', stderr);
    if (err->line < 1) return;
    char *line = malloc(LINE_MAX_BYTES);
    if (line && read_line(err->file, err->line, line, LINE_MAX_BYTES))
        print_snippet(err->line, line, err->col);
    free(line);
}

// NAME=VALUE is cut at its '=': the name is stored behind the parameters, in the same block.
tml_status cli_parameters(const cli_list *set, tml_parameter **out, tml_error *err)
{
    *out = NULL;
    if (set->count == 0) return TML_OK;
    size_t bytes = (size_t)set->count * sizeof(tml_parameter);
    for (int i = 0; i < set->count; i++) {
        const char *equals = strchr(set->items[i], '=');
        if (!equals || equals == set->items[i] || !equals[1])
            return tmli_fail(err, TML_ERR_ARG, "--set: '%.60s' is not of the form NAME=VALUE.",
                             set->items[i]);
        bytes += (size_t)(equals - set->items[i]) + 1;
    }
    tml_parameter *list = malloc(bytes);
    if (!list) return tmli_fail(err, TML_ERR_NOMEM, "No memory for %d parameters.", set->count);
    char *names = (char *)(list + set->count);
    for (int i = 0; i < set->count; i++) {
        const char *item = set->items[i] + strspn(set->items[i], " "), *value = strchr(item, '=') + 1;
        size_t n = (size_t)(value - item) - 1;
        while (n > 0 && item[n - 1] == ' ') n--;
        memcpy(names, item, n);
        names[n] = 0;
        list[i] = (tml_parameter){names, value};
        names += n + 1;
        for (int k = 0; k < i; k++)
            if (strcmp(list[k].name, list[i].name) == 0) {
                tmli_fail(err, TML_ERR_ARG, "--set: parameter '%.60s' is given twice.", list[i].name);
                free(list);
                return TML_ERR_ARG;
            }
    }
    *out = list;
    return TML_OK;
}

tml_status cli_read_model(const char *path, const cli_list *set, const cli_list *folders, cli_files *files,
                          const tml_env *env, tml_spec **out, tml_error *err)
{
    tml_parameter *parameters = NULL;
    tml_status st = cli_parameters(set, &parameters, err);
    tml_read_def def = tml_read_def_default();
    def.path = path;
    def.parameters = parameters;
    def.parameter_count = set->count;
    def.folders = folders->items;
    def.folder_count = folders->count;
    if (st == TML_OK) st = tml_spec_read_def(&def, env, out, err);
    if (st == TML_OK && files) st = cli_files_add_model(files, *out, err);
    free(parameters);
    return st;
}
