// trammel study: many runs of one model, and a table of what they give.
#include "study.h"
#include "cli/common/cli.h"
#include "cli/common/report.h"

#include "base/csv.h"

#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AT(member) offsetof(study_values, member)
static const cli_option options[] = {
    CLI_OPTION_ARGUMENT("STUDY", CLI_ARGUMENT, AT(study), CLI_FILE_READ,
                        "study file (YAML or JSON), or 'merge'"),
    CLI_OPTION_ARGUMENT("FILE", CLI_ARGUMENTS, AT(parts), CLI_FILE_READ,
                        "after 'merge': the study file and the journals of its parts"),
    CLI_OPTION_TEXT(
        "--out", 0, AT(out), "NAME", CLI_FILE_NONE,
        "name of the results without extension: NAME.csv, NAME.h5, NAME.journal; default: that of the "
        "study file, in the working directory"),
    CLI_OPTION_NUMBER("--threads", CLI_INTEGER, TMLI_RANGE_POSITIVE, AT(threads), "N", NULL,
                      "threads, each running a member at a time, at most 64; default: one per processor"),
    CLI_OPTION_FLAG("--resume", 0, AT(resume),
                    "continue a study that was stopped or killed: run the members that its journal lacks"),
    CLI_OPTION_FLAG("--overwrite", 0, AT(overwrite), "begin anew, also if there are results"),
    CLI_OPTION_TEXT("--part", 0, AT(part), "I/N", CLI_FILE_NONE,
                    "run the I-th of N parts of the members; results are NAME.partIofN.*"),
    CLI_OPTION_TEXT("--report", 0, AT(report), "FILE", CLI_FILE_WRITTEN,
                    "write statistics, correlations and diagrams as a page for the browser (.html)"),
    CLI_OPTION_FLAG("--list", 0, AT(list), "print the parameters of the members as CSV, run nothing"),
    CLI_OPTION_FLAG("--quiet", 'q', AT(quiet), "print errors only"),
    CLI_OPTION_FLAG("--no-progress", 0, AT(no_progress), "no progress line on a terminal"),
};
#undef AT

// ---- progress ---------------------------------------------------------------------------------------------

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

typedef struct line {
    bool wanted, shown;
    double next;  // time of the next one [s]
} line;

static bool show(const tml_study_progress *p, void *user)
{
    line *l = user;
    if (l->wanted && p->seconds >= l->next) {
        const double left = p->rate > 0 ? (double)(p->members - p->done) / p->rate : NAN;
        fprintf(stderr, "\r%ld of %ld members, %ld failed, %.4g per second, %.0f s to go\033[K", p->done,
                p->members, p->failed, p->rate, left);
        l->shown = true;
        l->next = p->seconds + 0.1;
    }
    return !interrupted;
}

static tml_status read_part(const char *text, tml_study_run_def *def, tml_error *err)
{
    char rest;
    if (!text) return TML_OK;
    if (sscanf(text, "%d/%d%c", &def->part, &def->parts, &rest) == 2 && def->part >= 1 &&
        def->part <= def->parts)
        return TML_OK;
    return tmli_fail(err, TML_ERR_ARG, "--part: '%.40s' is not a part such as 2/8.", text);
}

// ---- output -----------------------------------------------------------------------------------------------

static void list_members(const tml_study *s)
{
    const int n = tml_study_parameter_count(s);
    double *x = calloc((size_t)n + 1, sizeof *x);
    const char first = n > 0 ? ',' : '\n';
    tmli_csv_put_text(stdout, "member", TMLI_CSV_IF_NEEDED, first);
    for (int i = 0; i < n; i++)
        tmli_csv_put_text(stdout, tml_study_parameter_name(s, i), TMLI_CSV_IF_NEEDED, i + 1 < n ? ',' : '\n');
    for (long m = 0; m < tml_study_member_count(s) && x; m++) {
        tml_study_parameters(s, m, x, NULL);
        printf("%ld%c", m, first);
        for (int i = 0; i < n; i++) tmli_csv_put_number(stdout, x[i], i + 1 < n ? ',' : '\n');
    }
    free(x);
}

static void print_summary(const tml_study *s, const char *out, const tml_study_run_def *def,
                          const tml_study_progress *p)
{
    char part[48] = "";
    if (def->parts > 1) snprintf(part, sizeof part, ".part%dof%d", def->part, def->parts);
    printf("%s\n", CLI_VISIBLE(tml_study_title(s)));
    printf("members   %ld of %s%ld, %ld failed", p->done, tml_study_optimizes(s) ? "at most " : "",
           p->members, p->failed);
    if (p->here > 0) printf("; %ld in %.3g s, %.4g per second", p->here, p->seconds, p->rate);
    printf("\nmodel     %s\n",
           tml_study_in_place(s) ? "built once: all parameters are inputs" : "built for every member");
    printf("tables    %s%s.csv, %s%s.h5\n", CLI_VISIBLE(out), part, CLI_VISIBLE(out), part);
}

// Exit status 1 and a line, also with --quiet, if members failed or are missing. A search takes members that
// fail for bad ones: it fails if it finds no optimum.
static int judge(const tml_study *s, const tml_study_progress *p, long best)
{
    const long missing = tml_study_optimizes(s) ? 0 : p->members - p->done;
    if (tml_study_optimizes(s) ? best >= 0 : p->failed == 0 && missing == 0) return CLI_EXIT_OK;
    if (p->failed > 0)
        fprintf(stderr, "trammel: error: %ld of %ld members failed: the table has their messages\n",
                p->failed, p->done);
    return CLI_EXIT_FAILED;
}

// What the table says, the page of --report, and the time histories that are wanted.
static tml_status report(const study_values *v, const tml_study *s, const char *out,
                         const tml_study_run_def *def, long best, const tml_env *env, tml_error *err)
{
    char part[48] = "";
    const size_t room = strlen(out) + sizeof part + 16;
    char *path = calloc(room, 1);
    tml_study_table *t = NULL;
    if (!path) return tmli_fail(err, TML_ERR_NOMEM, "No memory for the report.");
    if (def->parts > 1) snprintf(part, sizeof part, ".part%dof%d", def->part, def->parts);
    snprintf(path, room, "%s%s.journal", out, part);
    tml_status st = tml_study_table_read(s, path, &t, err);
    if (st == TML_OK && !v->quiet && tml_study_optimizes(s)) st = study_print_optimum(s, t, best, err);
    else if (st == TML_OK && !v->quiet) st = study_print_table(s, t, err);
    if (st == TML_OK && v->report) st = study_write_report(s, t, best, v->report, env, err);
    if (st == TML_OK) st = study_record(v, s, t, out, best, env, err);
    tml_study_table_destroy(t);
    free(path);
    return st;
}

// The results: NAME.csv, NAME.h5 and NAME.journal, with the part before the ending.
static tml_status add_files(const study_values *v, const char *out, const tml_study *s,
                            const tml_study_run_def *def, tml_error *err)
{
    static const char *const endings[] = {"csv", "h5", "journal"};
    const size_t room = strlen(out) + 64;
    char *path = calloc(room, 1), part[48] = "";
    tml_status st = path ? cli_files_add_model(v->files, tml_study_spec(s), err)
                         : tmli_fail(err, TML_ERR_NOMEM, "No memory for the names of the results.");
    if (def->parts > 1) snprintf(part, sizeof part, ".part%dof%d", def->part, def->parts);
    for (int i = 0; i < 3 && st == TML_OK; i++) {
        snprintf(path, room, "%s%s.%s", out, part, endings[i]);
        st = cli_files_add(v->files, CLI_FILE_KEPT, "a result of the study", path, err);
    }
    free(path);
    return st == TML_OK ? study_check_records(v, s, out, err) : st;
}

// ---- the command ------------------------------------------------------------------------------------------

static tml_status merge(const study_values *v, const char *out, const tml_study *s, tml_study_progress *p,
                        tml_error *err)
{
    const tml_status st = tml_study_merge(s, out, v->parts.items + 1, v->parts.count - 1, p, err);
    if (st == TML_OK && p->done < p->members)
        fprintf(stderr, "trammel: error: %ld of %ld members are missing: --resume --out %s runs them\n",
                p->members - p->done, p->members, CLI_VISIBLE(out));
    return st;
}

static tml_status run_study(const study_values *v, const char *out, const tml_study *s,
                            tml_study_run_def *def, tml_study_progress *p, long *best, tml_error *err)
{
    line l = {.wanted = !v->quiet && !v->no_progress && (!def->ranks || def->ranks->rank == 0) &&
                        isatty(STDERR_FILENO),
              .next = 0.2};
    def->out = out;
    def->threads = v->threads > 0 ? v->threads : 0;
    def->resume = v->resume;
    def->overwrite = v->overwrite;
    def->progress = show;
    def->user = &l;
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    tml_study_minimizer minimizer = NULL;
    tml_status st = tml_study_optimizes(s) ? study_minimizer(&minimizer, err) : TML_OK;
    if (st == TML_OK && minimizer && v->part)
        st =
            tmli_fail(err, TML_ERR_ARG, "--part: a search has no parts, its members follow from each other.");
    else if (st == TML_OK && minimizer) st = tml_study_optimize(s, def, minimizer, p, best, err);
    else if (st == TML_OK) st = tml_study_run(s, def, p, err);
    signal(SIGINT, SIG_DFL);  // from here on nothing is lost
    signal(SIGTERM, SIG_DFL);
    def->progress = NULL;
    def->user = NULL;
    if (l.shown) fputs("\r\033[K", stderr);
    return st;
}

static tml_status run(void *values, cli_call *c)
{
    const study_values *v = values;
    const bool merges = strcmp(v->study, "merge") == 0;
    tml_error *err = &c->err;
    tml_study *s = NULL;
    tml_study_progress p = {0};
    tml_study_run_def def = tml_study_run_def_default();
    tml_study_ranks ranks = {.count = 1};
    tml_status st = study_ranks_open(&ranks, err);
    const bool first = ranks.rank == 0;  // the other processes leave messages to this one
    if (st == TML_OK) st = read_part(v->part, &def, err);
    if (ranks.count > 1) def.ranks = &ranks;
    if (st == TML_OK && merges && v->parts.count < 2)
        st = tmli_fail(err, TML_ERR_ARG, "merge: name the study file and the journals of its parts.");
    else if (st == TML_OK && !merges && v->parts.count > 0)
        st = tmli_fail(err, TML_ERR_ARG, "There is no argument '%.60s' here: one study at a time.",
                       v->parts.items[0]);
    const char *path = st == TML_OK && merges ? v->parts.items[0] : v->study;
    char *own = cli_stem(path, "");
    const char *out = v->out ? v->out : own;
    if (st == TML_OK) st = tml_study_read(path, &c->env, &s, err);
    if (st == TML_OK && !v->list) st = add_files(v, out, s, &def, err);
    long best = -1;
    if (st == TML_OK && v->list && tml_study_optimizes(s))
        st = tmli_fail(err, TML_ERR_ARG, "--list: the members of a search follow from each other.");
    if (st == TML_OK && v->list) {
        if (first) list_members(s);
    }
    if (st == TML_OK && !v->list && (first || !(merges || tml_study_optimizes(s)))) {
        c->running = true;
        st = merges ? merge(v, out, s, &p, err) : run_study(v, out, s, &def, &p, &best, err);
        if ((st == TML_OK || st == TML_ERR_STOPPED) && !v->quiet && first) print_summary(s, out, &def, &p);
        if (st == TML_OK && first) st = report(v, s, out, &def, best, &c->env, err);
    }
    fflush(stdout);
    if (st == TML_ERR_STOPPED)
        fprintf(stderr, "trammel: interrupted after %ld of %ld members; --resume continues the study\n",
                p.done, p.members);
    else if (st != TML_OK && (first || c->running)) cli_print_error(err);
    c->exit_status = st == TML_ERR_ARG ? CLI_EXIT_INPUT : cli_exit_status(st, c->running);
    if (st == TML_OK && c->running && first) c->exit_status = judge(s, &p, best);
    study_ranks_close(&ranks);
    tml_study_destroy(s);
    tmli_free(NULL, own);
    return TML_OK;  // with all said
}

const cli_command cli_command_study = {
    .name = "study",
    .summary = "Run a model many times with different parameters and tabulate what the runs give.",
    .notes = "A study file names the model, the parameters with their values, and the quantities that are "
             "taken of each run (docs/studies.md). A member that fails keeps its message in the table and "
             "stops nothing. Ctrl-C ends after the running members.\n"
             "Exit status: 0 all members are there and none has failed, 1 some or all have failed or are "
             "missing (the counts are on standard error), 2 the input is wrong. A search: 0 it has found an "
             "optimum.\n"
             "\n"
             "  trammel study bump.yaml\n"
             "  trammel study bump.yaml --threads 8 --resume\n"
             "  trammel study bump.yaml --part 2/8\n"
             "  trammel study merge bump.yaml bump.part*.journal\n",
    CLI_OPTIONS(study_values),
    .files = offsetof(study_values, files),
    .run = run,
};
