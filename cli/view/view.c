// trammel view: a result as one HTML page to be looked at in a browser; view_serve.c serves it.
#define _POSIX_C_SOURCE 200809L
#include "view.h"
#include "cli/common/cli.h"
#include "cli/common/report.h"

#include "base/base.h"
#include "base/file.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <trammel/view.h>
#include <unistd.h>

typedef struct view_values {
    const char *result, *out, *model, *title;
    cli_list set, with;
    cli_files *files;
    double size;
    int port;
    bool open, serve, quiet;
} view_values;

#define AT(member) offsetof(view_values, member)
static const cli_option options[] = {
    CLI_OPTION_ARGUMENT(
        "RESULT", CLI_ARGUMENT, AT(result), CLI_FILE_READ,
        "result file of 'trammel run' or 'trammel modes' (.h5, .csv), or a robot (URDF, MJCF), which is run "
        "first"),
    CLI_OPTION_TEXT("--out", 'o', AT(out), "FILE", CLI_FILE_WRITTEN,
                    "the page; without it the name of the result with .html, in the current directory"),
    CLI_OPTION_LIST("--with", AT(with), "RESULT", CLI_FILE_READ,
                    "another result, shown beside it: its mechanism transparent, its curves dashed; may be "
                    "repeated, the page then has a slider over them"),
    CLI_OPTION_FLAG("--open", 0, AT(open), "show the page in the browser"),
    CLI_OPTION_FLAG(
        "--serve", 0, AT(serve),
        "write no file: serve the page to browsers of this machine, and follow the result while it is "
        "written or when it is replaced"),
    CLI_OPTION_NUMBER("--port", CLI_INTEGER, TMLI_RANGE_POSITIVE, AT(port), "N", NULL,
                      "with --serve: the port; without it any that is free"),
    CLI_OPTION_TEXT("--model", 0, AT(model), "FILE", CLI_FILE_READ,
                    "model file, for a result that has no scene of its own: CSV, or made by a program"),
    CLI_OPTION_LIST("--set", AT(set), "NAME=VALUE", CLI_FILE_NONE,
                    "with --model: value of a parameter of the model; may be repeated"),
    CLI_OPTION_TEXT("--title", 0, AT(title), "TEXT", CLI_FILE_NONE, "title of the page"),
    CLI_OPTION_NUMBER(
        "--size", CLI_NUMBER, TMLI_RANGE_POSITIVE, AT(size), "MB", "5",
        "largest size of the page: numbers are shortened and rows left out to meet it; the page and this "
        "command say how large the errors are that this causes"),
    CLI_OPTION_FLAG("--quiet", 'q', AT(quiet), "print errors only"),
};
#undef AT

// A robot in a file of another program: its first character is that of XML.
static bool is_robot(const char *path)
{
    char head[64];
    const size_t length = tmli_file_head(path, head, sizeof head);
    size_t i = length >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (i < length && strchr(" \t\r\n", head[i])) i++;
    return i < length && head[i] == '<';
}

// Run a robot: its result has the name of the page with .h5. NULL: it has failed, with the exit status *code.
static char *run_robot(const char *robot, const char *page, int *code)
{
    const char *dot = strrchr(page, '.'), *slash = strrchr(page, '/');
    const size_t n = dot && (!slash || dot > slash) ? (size_t)(dot - page) : strlen(page);
    char *result = malloc(n + 4), *path = strdup(robot), run[] = "run", out[] = "--out", quiet[] = "--quiet";
    *code = CLI_EXIT_FAILED;
    if (result && path) {
        snprintf(result, n + 4, "%.*s.h5", (int)n, page);
        char *words[] = {run, path, out, result, quiet, NULL};
        *code = cli_run_command(&cli_command_run, 4, words + 1);
    }
    free(path);
    if (*code == CLI_EXIT_OK) return result;
    free(result);
    return NULL;
}

static tml_status load_scene(const view_values *v, const tml_env *env, tml_scene **scene, tml_error *err)
{
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_parameter *parameters = NULL;
    tml_status st = cli_parameters(&v->set, &parameters, err);
    if (st == TML_OK) st = tml_spec_read(v->model, parameters, v->set.count, env, &spec, err);
    if (st == TML_OK) st = cli_files_add_model(v->files, spec, err);
    if (st == TML_OK) st = tml_model_build(spec, &model, err);
    if (st == TML_OK) st = tml_scene_create(spec, model, env, scene, err);
    free(parameters);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
    return st;
}

static tml_status check_options(const view_values *v, const char *path, tml_error *err)
{
    if (v->set.count > 0 && !v->model)
        return tmli_fail(err, TML_ERR_ARG, "--set changes a parameter of --model, which is not given.");
    static const char *const others[] = {".pdf", ".png", ".svg", ".gif", ".mp4", ".glb", ".csv", ".h5"};
    for (size_t i = 0; i < sizeof others / sizeof *others && v->out; i++)
        if (tmli_ends_with(v->out, others[i]))
            return tmli_fail(err, TML_ERR_ARG,
                             "--out: '%.200s' does not end in .html; pictures and films are written by "
                             "'trammel export', diagrams by 'trammel plot'.",
                             v->out);
    if (v->serve && v->with.count > 0)
        return tmli_fail(err, TML_ERR_ARG, "--serve shows one result: give no --with.");
    if (v->serve && v->out) return tmli_fail(err, TML_ERR_ARG, "--serve writes no page: give no --out.");
    if (v->port >= 0 && !v->serve) return tmli_fail(err, TML_ERR_ARG, "--port belongs to --serve.");
    if (v->port > 65535) return tmli_fail(err, TML_ERR_ARG, "--port: %d is above 65535.", v->port);
    return v->out || v->serve ? TML_OK : cli_files_add(v->files, CLI_FILE_WRITTEN, "the page", path, err);
}

// Start the browser of the desktop.
tml_status cli_view_open(const char *path, tml_error *err)
{
    const pid_t child = fork();
    if (child == 0) {
        execlp("xdg-open", "xdg-open", path, (char *)NULL);
        execlp("open", "open", path, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return TML_OK;
    return tmli_fail(err, TML_ERR_IO,
                     "--open: no browser could be started (neither by xdg-open nor by open).");
}

static void print_summary(const char *path, const tml_result *result, const tml_page_report *p)
{
    printf("%s: %.1f MB, %d channels, ", CLI_VISIBLE(path), (double)p->bytes / 1e6, p->channels);
    if (p->rows_kept == p->rows) printf("%zu rows\n", p->rows);
    else printf("%zu of %zu rows\n", p->rows_kept, p->rows);
    if (p->value_error > 1e-6 || p->rows_kept < p->rows)
        printf("  errors over the largest value of a channel: at most %.1e of a value%s", p->value_error,
               p->rows_kept < p->rows ? "" : "\n");
    if (p->rows_kept < p->rows)
        printf(", %.1e between rows (%s)\n  (--size allows a larger page with more rows)\n", p->between_error,
               p->between_channel < 0 ? "all"
                                      : CLI_VISIBLE(tml_result_channel_name(result, p->between_channel)));
    if (!p->scene) printf("  no scene in this result: plots only (--model FILE adds one)\n");
}

// The results of --with, opened like the first one. The caller closes those that are there.
static tml_status open_beside(const cli_list *with, const tml_env *env, tml_result ***out, tml_error *err)
{
    *out = calloc((size_t)with->count + 1, sizeof **out);
    tml_status st = *out ? TML_OK : tmli_fail(err, TML_ERR_NOMEM, "No memory for the results.");
    for (int i = 0; i < with->count && st == TML_OK; i++)
        st = tml_result_open_rows(with->items[i], env, &(*out)[i], err);
    return st;
}

static void close_beside(const cli_list *with, tml_result **results)
{
    for (int i = 0; results && i < with->count; i++) tml_result_close(results[i]);
    free(results);
}

// The rows stay in the file, which may be larger than memory. A file that changes meanwhile is read as a
// whole.
static tml_status write_page(const view_values *v, const char *path, const tml_page_def *def, cli_call *c)
{
    const tml_env *env = &c->env;
    tml_error *err = &c->err;
    tml_result *result = NULL, **beside = NULL;
    tml_page_report report = {0};
    tml_page_def all = *def;
    tml_status st = tml_result_open_rows(v->result, env, &result, err);
    if (st == TML_OK) st = open_beside(&v->with, env, &beside, err);
    all.beside = (const tml_result *const *)beside;
    all.beside_names = v->with.items;
    all.beside_count = v->with.count;
    if (st == TML_OK) {
        c->running = true;
        st = tml_page_write(result, &all, path, env, &report, err);
        if (st == TML_ERR_IO && !tml_result_row(result, 0)) {
            tml_result_close(result);
            st = tml_result_open(v->result, env, &result, err);
            if (st == TML_OK) st = tml_page_write(result, &all, path, env, &report, err);
        }
    }
    if (st == TML_OK && !v->quiet) print_summary(path, result, &report);
    fflush(stdout);
    if (st == TML_OK && v->open) st = cli_view_open(path, err);
    close_beside(&v->with, beside);
    tml_result_close(result);
    return st;
}

static tml_status run(void *values, cli_call *c)
{
    view_values *v = values;
    tml_scene *scene = NULL;
    char *own = v->out ? NULL : cli_stem(v->result, ".html");
    const char *path = v->out ? v->out : own;
    c->running = v->serve;
    tml_status st = path ? TML_OK : tmli_fail(&c->err, TML_ERR_NOMEM, "No memory for the name of the page.");
    if (st == TML_OK) st = check_options(v, path, &c->err);
    char *made = NULL;
    if (st == TML_OK && is_robot(v->result)) {
        made = run_robot(v->result, path, &c->exit_status);
        if (!made) {
            free(own);
            return TML_OK;
        }
        c->exit_status = -1;
        v->result = made;
    }
    if (st == TML_OK && v->model) st = load_scene(v, &c->env, &scene, &c->err);
    tml_page_def def = tml_page_def_default();
    def.bytes = 1e6 * v->size;
    def.title = v->title;
    def.scene = scene ? tml_scene_text(scene) : NULL;
    if (st == TML_OK && v->serve)
        st = cli_view_serve(v->result, &def, v->port > 0 ? v->port : 0, v->open, &c->env, &c->err);
    else if (st == TML_OK) st = write_page(v, path, &def, c);
    tml_scene_destroy(scene);
    free(made);
    free(own);
    return st;
}

const cli_command cli_command_view = {
    .name = "view",
    .summary = "Write a result as a page for the browser: the mechanism in motion, values, plots.",
    .notes = "The page is one file that needs no network and no other file.\n"
             "\n"
             "  trammel run hmmwv.yaml && trammel view hmmwv.h5 --open\n"
             "  trammel view soft.h5 --with stiff.h5 --open\n"
             "  trammel view hmmwv.h5 --serve --open & trammel run hmmwv.yaml\n"
             "  trammel view robot.urdf --open\n"
             "  trammel modes arch.yaml --at equilibrium -o modes.h5 && trammel view modes.h5\n",
    CLI_OPTIONS(view_values),
    .files = offsetof(view_values, files),
    .run = run,
};
