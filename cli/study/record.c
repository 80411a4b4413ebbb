// Time histories of members (key `record` of study files): each is run once more, with rows, and written as
// the result NAME.memberN.h5 with its scene. Of a search the best one gets its page too.
#include "study.h"

#include "base/base.h"
#include "base/stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/result.h>
#include <trammel/sim.h>
#include <trammel/view.h>

typedef struct recording {
    tml_writer *writer;
    double *row;  // (channels)
    tml_error err;
} recording;

static tml_status on_output(const tml_sim *sim, const tml_state *x, void *user)
{
    recording *r = user;
    tml_status st = tml_sim_channel_values(sim, x, r->row, &r->err);
    if (st == TML_OK) st = tml_writer_row(r->writer, r->row, &r->err);
    if (st == TML_OK) return TML_OK;
    r->err.status = st;
    return TML_ERR_STOPPED;
}

// What the page of the result shows as the report of its run; freed by the caller. NULL: no memory.
static char *report_text(const tml_study *s, long member, const double *values)
{
    char *text = NULL, label[STUDY_LABEL];
    size_t size = 0;
    FILE *const out = tmli_memory_stream(NULL, &text, &size);
    if (!out) return NULL;
    fprintf(out, "%s\n  %-18s  %ld\n", tml_study_title(s), "member", member);
    const int n = tml_study_parameter_count(s) + tml_study_quantity_count(s);
    for (int i = 0; i < n; i++) fprintf(out, "  %-18s  %.9g\n", study_column_label(s, i, label), values[i]);
    return fclose(out) == 0 ? text : NULL;
}

static tml_status open_writer(recording *r, const char *path, const tml_spec *spec, const tml_model *model,
                              const tml_sim *sim, const tml_env *env, tml_error *err)
{
    tml_scene *scene = NULL;
    const char *text = tml_spec_text(spec);
    tml_status st = tml_scene_create(spec, model, NULL, &scene, err);
    const tml_result_note notes[] = {{"title", tml_model_title(model)},
                                     {"file", tml_spec_source(spec, 0)->path},
                                     {"model", text ? text : ""},
                                     {"scene", scene ? tml_scene_text(scene) : ""},
                                     {"version", tml_version()}};
    if (st == TML_OK)
        st = tml_writer_create(path, tml_sim_channels(sim), tml_sim_channel_count(sim), notes,
                               sizeof notes / sizeof *notes, env, &r->writer, err);
    tml_scene_destroy(scene);
    return st;
}

// From the start to the end of the member, every row into the file.
static tml_status simulate(recording *r, tml_sim *sim, const char *report, tml_error *err)
{
    const tml_sim_hooks hooks = {.on_output = on_output, .user = r};
    tml_sim_set_hooks(sim, &hooks);
    tml_status st = tml_sim_run(sim, NAN, err);
    if (st != TML_OK && r->err.status != TML_OK) {
        *err = r->err;
        st = r->err.status;
    }
    if (st == TML_OK) st = tml_writer_note(r->writer, &(tml_result_note){"report", report}, err);
    const tml_status closed = tml_writer_close(r->writer, st == TML_OK ? err : NULL);
    return st == TML_OK ? closed : st;
}

static tml_status record(const tml_study *s, long member, const double *values, const char *path,
                         const tml_env *env, tml_error *err)
{
    tml_spec *spec = NULL;
    tml_model *model = NULL;
    tml_sim *sim = NULL;
    recording r = {0};
    char *report = report_text(s, member, values);
    tml_status st = tml_study_member_spec(s, values, &spec, err);
    if (st == TML_OK) st = tml_model_build(spec, &model, err);
    if (st == TML_OK) st = tml_sim_create(model, NULL, &sim, err);
    if (st == TML_OK) r.row = calloc((size_t)tml_sim_channel_count(sim) + 1, sizeof *r.row);
    if (st == TML_OK && (!r.row || !report))
        st = tmli_fail(err, TML_ERR_NOMEM, "No memory for member %ld.", member);
    if (st == TML_OK) st = open_writer(&r, path, spec, model, sim, env, err);
    if (st == TML_OK) st = simulate(&r, sim, report, err);
    tml_sim_destroy(sim);
    tml_model_destroy(model);
    tml_spec_destroy(spec);
    free(r.row);
    free(report);
    return st;
}

// The page of a result; TML_ERR_ARG, a build without the viewer, is no failure of the study.
static tml_status write_page(const char *result, const char *page, const tml_env *env, bool *written,
                             tml_error *err)
{
    tml_result *r = NULL;
    tml_error own = {0};
    tml_status st = tml_result_open(result, NULL, &r, err);
    if (st == TML_OK) {
        const tml_status page_st = tml_page_write(r, NULL, page, env, NULL, &own);
        *written = page_st == TML_OK;
        if (page_st != TML_OK && page_st != TML_ERR_ARG) {
            *err = own;
            st = page_st;
        }
    }
    tml_result_close(r);
    return st;
}

// Before anything runs. A search may take any member for the best one, and of very many only those are looked
// at whose files there is time to look for: the others are refused when they are written.
tml_status study_check_records(const study_values *v, const tml_study *s, const char *out, tml_error *err)
{
    enum { MOST = 100000 };
    static const char *const endings[] = {"h5", "html"};
    const size_t room = strlen(out) + 48;
    char *path = calloc(room, 1);
    tml_status st = path ? TML_OK : tmli_fail(err, TML_ERR_NOMEM, "No memory for the names of the results.");
    for (long member = 0; member < tml_study_member_count(s) && member < MOST && st == TML_OK; member++) {
        if (!tml_study_records(s, member, member)) continue;
        for (int i = 0; i < 2 && st == TML_OK; i++) {
            snprintf(path, room, "%s.member%ld.%s", out, member, endings[i]);
            st = cli_files_check(v->files, "the time history of a member", path, err);
        }
    }
    free(path);
    return st;
}

tml_status study_record(const study_values *v, const tml_study *s, const tml_study_table *t, const char *out,
                        long best, const tml_env *env, tml_error *err)
{
    const size_t room = strlen(out) + 48;
    char *path = calloc(2, room), *page = path ? path + room : NULL;
    tml_status st = path ? TML_OK : tmli_fail(err, TML_ERR_NOMEM, "No memory for the names of the results.");
    long count = 0;
    bool paged = false;
    for (long i = 0; i < tml_study_table_count(t) && st == TML_OK; i++) {
        const long member = tml_study_table_member(t, i);
        if (!tml_study_records(s, member, best) || tml_study_table_message(t, i)[0]) continue;
        snprintf(path, room, "%s.member%ld.h5", out, member);
        st = cli_files_add(v->files, CLI_FILE_WRITTEN, "the time history of a member", path, err);
        if (st == TML_OK) st = record(s, member, tml_study_table_values(t, i), path, env, err);
        if (st == TML_OK) count++;
        if (st != TML_OK || member != best) continue;
        snprintf(page, room, "%s.member%ld.html", out, member);
        st = cli_files_add(v->files, CLI_FILE_WRITTEN, "the page of a member", page, err);
        if (st == TML_OK) st = write_page(path, page, env, &paged, err);
    }
    if (st == TML_OK && count > 0 && !v->quiet) {
        printf("records   %s.memberN.h5, %ld of them", out, count);
        if (paged) printf("; the best one is shown by %s", page);
        putchar('\n');
    }
    free(path);
    return st;
}
