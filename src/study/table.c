// The table of a study: rows by members, as CSV and HDF5.
#include "base/csv.h"
#include "base/target.h"
#include "study/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trammel/result.h>

tml_status tmli_table_create(const tml_study *s, tml_study_table **out, tml_error *err)
{
    tml_study_table *t = *out = tmli_calloc(&s->env, 1, sizeof *t);
    if (!t) return tmli_no_memory(err, "study");
    t->env = s->env;
    t->width = s->nparameters + s->nquantities;
    return TML_OK;
}

void tml_study_table_destroy(tml_study_table *t)
{
    if (!t) return;
    const tml_env env = t->env;
    for (long i = 0; i < t->count; i++) tmli_free(&env, t->row[i].message);
    tmli_free_all(&env, t->row, t->values, t);
}

static tml_status make_room(tml_study_table *t, tml_error *err)
{
    if (t->count < t->room) return TML_OK;
    const size_t old = (size_t)t->room, room = old ? 2 * old : 64, width = (size_t)t->width;
    tmli_table_row *row = tmli_regrow(&t->env, t->row, old, room, sizeof *row);
    if (row) t->row = row;
    double *values = row ? tmli_regrow(&t->env, t->values, old * width, room * width, sizeof *values) : NULL;
    if (!values) return tmli_no_memory(err, "study");
    t->values = values;
    t->room = (long)room;
    return TML_OK;
}

tml_status tmli_table_add(tml_study_table *t, long member, const double *values, const char *message,
                          tml_error *err)
{
    const tml_status st = make_room(t, err);
    if (st != TML_OK) return st;
    char *text = message[0] ? tmli_strdup(&t->env, message) : NULL;
    if (message[0] && !text) return tmli_no_memory(err, "study");
    memcpy(t->values + (size_t)t->count * (size_t)t->width, values, (size_t)t->width * sizeof *values);
    t->row[t->count] = (tmli_table_row){member, t->count, text};
    t->count++;
    return TML_OK;
}

static int by_member(const void *x, const void *y)
{
    const tmli_table_row *a = x, *b = y;
    return a->member != b->member ? (a->member > b->member) - (a->member < b->member)
                                  : (a->place > b->place) - (a->place < b->place);
}

static const double *values_of(const tml_study_table *t, const tmli_table_row *r)
{
    return t->values + (size_t)r->place * (size_t)t->width;
}

static bool same_text(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

tml_status tmli_table_sort(tml_study_table *t, tml_error *err)
{
    long kept = 0;
    if (t->count) qsort(t->row, (size_t)t->count, sizeof *t->row, by_member);
    for (long i = 0; i < t->count; i++) {
        tmli_table_row *r = &t->row[i], *last = kept ? &t->row[kept - 1] : NULL;
        if (!last || last->member != r->member) {
            t->row[kept++] = *r;
            continue;
        }
        const bool same = memcmp(values_of(t, last), values_of(t, r), (size_t)t->width * sizeof(double)) == 0;
        if (!same || !same_text(last->message, r->message)) {
            for (; i < t->count; i++) t->row[kept++] = t->row[i];  // all texts are freed with the table
            t->count = kept;
            return tmli_fail(err, TML_ERR_ARG,
                             "Member %ld is there twice with different results: were the parts made by the "
                             "same program on the same kind of machine?",
                             last->member);
        }
        tmli_free(&t->env, r->message);
    }
    t->count = kept;
    return TML_OK;
}

long tml_study_table_count(const tml_study_table *t) { return t ? t->count : 0; }

static const tmli_table_row *row_of(const tml_study_table *t, long row)
{
    return t && row >= 0 && row < t->count ? &t->row[row] : NULL;
}

long tml_study_table_member(const tml_study_table *t, long row)
{
    const tmli_table_row *r = row_of(t, row);
    return r ? r->member : -1;
}

const double *tml_study_table_values(const tml_study_table *t, long row)
{
    const tmli_table_row *r = row_of(t, row);
    return r ? values_of(t, r) : NULL;
}

const char *tml_study_table_message(const tml_study_table *t, long row)
{
    const tmli_table_row *r = row_of(t, row);
    return !r ? NULL : r->message ? r->message : "";
}

// ---- files ------------------------------------------------------------------------------------------------

// The rows of the journal in order.
static tml_status write_csv(const tml_study *s, const tml_study_table *t, const char *path, tml_error *err)
{
    const size_t room = tmli_journal_room(s);
    char *line = tmli_calloc(&s->env, room, 1);
    if (!line) return tmli_no_memory(err, "study");
    tmli_draft d;
    tml_status st = tmli_draft_open(&d, path, &s->env, err);
    if (st == TML_OK) fputs("member,", d.out);
    for (int i = 0; i < s->nparameters && st == TML_OK; i++)
        tmli_csv_put_text(d.out, s->parameter[i].name, TMLI_CSV_IF_NEEDED, ',');
    for (int i = 0; i < s->nquantities && st == TML_OK; i++)
        tmli_csv_put_text(d.out, s->quantity[i].name, TMLI_CSV_IF_NEEDED, ',');
    if (st == TML_OK) fputs("message\n", d.out);
    for (long i = 0; i < t->count && st == TML_OK; i++) {
        const size_t n = tmli_study_row(s, t->row[i].member, tml_study_table_values(t, i),
                                        tml_study_table_message(t, i), line, room);
        fwrite(line, 1, n, d.out);
    }
    if (st == TML_OK) st = tmli_draft_close(&d, st, err);
    tmli_free(&s->env, line);
    return st;
}

// "17: the step size fell ..." for every member that failed; NULL: no memory.
static char *failures(const tml_study_table *t)
{
    size_t room = 1;
    for (long i = 0; i < t->count; i++)
        if (t->row[i].message) room += strlen(t->row[i].message) + 32;
    char *text = tmli_calloc(&t->env, room, 1);
    size_t used = 0;
    for (long i = 0; i < t->count && text; i++)
        if (t->row[i].message)
            used +=
                (size_t)snprintf(text + used, room - used, "%ld: %s\n", t->row[i].member, t->row[i].message);
    return text;
}

static tml_status write_hdf5(const tml_study *s, const tml_study_table *t, const char *path, tml_error *err)
{
    const size_t width = (size_t)t->width + 1;
    tml_channel *channel = tmli_calloc(&s->env, width, sizeof *channel);
    double *row = tmli_calloc(&s->env, width, sizeof *row);
    char *text = failures(t);
    tmli_arena texts = {.env = &s->env};
    tml_writer *w = NULL;
    tml_status st = channel && row && text ? TML_OK : tmli_no_memory(err, "study");
    for (size_t i = 0; i < width && st == TML_OK; i++) {
        const int k = (int)i - 1;
        const bool parameter = k < s->nparameters;
        const char *name = k < 0       ? "member"
                           : parameter ? s->parameter[k].name
                                       : s->quantity[k - s->nparameters].name;
        const char *group = k < 0 ? "" : parameter ? "parameters/" : "quantities/";
        const char *dataset = tmli_arena_format(&texts, "/%s%s", group, name);
        if (!dataset) st = tmli_no_memory(err, "study");
        const char *unit = tml_study_column_unit(s, k);
        channel[i] =
            (tml_channel){.name = name, .unit = unit[0] ? unit : "1", .dataset = dataset, .width = 1};
    }
    const tml_result_note notes[] = {{"title", s->title}, {"failures", text}};
    if (st == TML_OK) st = tml_writer_create(path, channel, (int)width, notes, 2, &s->env, &w, err);
    for (long i = 0; i < t->count && st == TML_OK; i++) {
        row[0] = (double)t->row[i].member;
        memcpy(row + 1, tml_study_table_values(t, i), (size_t)t->width * sizeof *row);
        st = tml_writer_row(w, row, err);
    }
    if (w) {
        const tml_status closed = tml_writer_close(w, st == TML_OK ? err : NULL);
        if (st == TML_OK) st = closed;
    }
    tmli_free_all(&s->env, channel, row);
    tmli_arena_clear(&texts);
    tmli_free(&s->env, text);
    return st;
}

tml_status tml_study_table_write(const tml_study *s, const tml_study_table *t, const char *path,
                                 tml_error *err)
{
    if (!s || !t || !path) return tmli_null_argument(err, "tml_study_table_write");
    const size_t length = strlen(path);
    if (length > 4 && strcmp(path + length - 4, ".csv") == 0) return write_csv(s, t, path, err);
    return write_hdf5(s, t, path, err);
}
