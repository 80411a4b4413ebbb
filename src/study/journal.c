// The journal: a line per member, appended as it ends. A process that is killed leaves whole lines and at
// most one torn one, which the next opening cuts off. Each line ends with the checksum of what is before it:
// a line that was changed since does not count, and the next opening makes a comment of it.
//
//   # trammel study 0.2.0 SIGNATURE
//   member,k,c,peak,message,check
//   17,3.5,0.2,0.731,,2f0a5c1e9b3d7a46
//   18,3.5,0.4,nan,"the step size fell below its minimum",91c4e0d25b7f3a68
#define _DEFAULT_SOURCE  // flock
#include "study/study.h"

#include "base/csv.h"
#include "base/file.h"
#include "base/register.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct tmli_journal {
    tml_env env;
    int file;
    char path[TML_ERROR_FILE];
};

// ---- lines ------------------------------------------------------------------------------------------------

enum { CHECK = 17 };  // bytes of ",", and a checksum in hexadecimal digits

size_t tmli_journal_room(const tml_study *s)
{
    return 32 + 33 * (size_t)(s->nparameters + s->nquantities) + 2 * TML_ERROR_MSG + TML_ERROR_FILE + 64;
}

size_t tmli_study_row(const tml_study *s, long member, const double *values, const char *message, char *out,
                      size_t room)
{
    size_t used = (size_t)snprintf(out, room, "%ld", member);
    for (int i = 0; i < s->nparameters + s->nquantities; i++) {
        out[used++] = ',';
        used += tmli_print_double(values[i], out + used);
    }
    out[used++] = ',';
    if (message[0]) used += tmli_csv_print(message, TMLI_CSV_ALWAYS, out + used, room - CHECK - 2 - used);
    out[used++] = '\n';
    return used;
}

static void print_check(const char *line, size_t length, char out[CHECK + 1])
{
    snprintf(out, CHECK + 1, ",%016" PRIx64, tmli_checksum(line, length));
}

size_t tmli_journal_line(const tml_study *s, long member, const double *values, const char *message,
                         char *out, size_t room)
{
    const size_t used = tmli_study_row(s, member, values, message, out, room) - 1;
    print_check(out, used, out + used);
    out[used + CHECK] = '\n';
    return used + CHECK + 1;
}

static bool read_number(const char **p, double *x)
{
    const char *begin = *p;
    *x = tmli_csv_read_number(begin, p);
    return *p != begin;
}

// The message, which is all that is left of the line; false: it is none.
static bool read_message(const char *p, const char *end, char *out, size_t room)
{
    size_t length = 0;
    const bool whole = p == end || (tmli_csv_read_quoted(&p, out, room - 1, &length) && p == end);
    out[length] = 0;
    return whole;
}

// A line of a member of this study, as it was written: its parameters are those of its number.
static bool read_line(const tml_study *s, const char *p, const char *end, long *member, double *values,
                      double *expected, char *message, size_t room)
{
    double x = -1;
    char check[CHECK + 1];
    const int count = s->nparameters + s->nquantities;
    if (end - p < CHECK) return false;
    end -= CHECK;
    print_check(p, (size_t)(end - p), check);
    if (memcmp(end, check, CHECK) != 0) return false;
    if (!read_number(&p, &x) || !(x >= 0 && x < (double)s->members)) return false;
    *member = (long)x;
    for (int i = 0; i < count; i++)
        if (*p++ != ',' || !read_number(&p, &values[i])) return false;
    if (*p++ != ',' || p > end || !read_message(p, end, message, room)) return false;
    if (s->optimize.wanted) return true;  // the search finds the parameters again (optimize.c)
    tmli_sample(s, *member, expected);
    return memcmp(values, expected, (size_t)s->nparameters * sizeof *values) == 0;
}

// ---- reading ----------------------------------------------------------------------------------------------

static size_t head_text(const tml_study *s, char *out, size_t room)
{
    size_t used =
        (size_t)snprintf(out, room, "# trammel study %s %016" PRIx64 "\nmember", tml_version(), s->signature);
    for (int i = 0; i < s->nparameters + s->nquantities && used < room; i++)
        used += (size_t)snprintf(out + used, room - used, ",%s",
                                 i < s->nparameters ? s->parameter[i].name
                                                    : s->quantity[i - s->nparameters].name);
    if (used < room) used += (size_t)snprintf(out + used, room - used, ",message,check\n");
    return used;
}

static size_t head_room(const tml_study *s)
{
    size_t room = 128;
    for (int i = 0; i < s->nparameters; i++) room += strlen(s->parameter[i].name) + 1;
    for (int i = 0; i < s->nquantities; i++) room += strlen(s->quantity[i].name) + 1;
    return room;
}

// Rows of the text go to the table. Lines that are not as they were written become comments. *whole: bytes up
// to the end of the last line; *damaged: lines that have become comments.
static tml_status read_text(const tml_study *s, const char *path, char *text, size_t length,
                            tml_study_table *t, size_t *whole, long *damaged, tml_error *err)
{
    const size_t room = tmli_journal_room(s), width = (size_t)(s->nparameters + s->nquantities);
    char *head = tmli_calloc(&s->env, head_room(s) + room, 1), *message = head ? head + head_room(s) : NULL;
    double *values = tmli_calloc(&s->env, width + (size_t)s->nparameters + 1, sizeof *values);
    tml_status st = head && values ? TML_OK : tmli_no_memory(err, "study");
    const size_t first = st == TML_OK ? head_text(s, head, head_room(s)) : 0;
    *whole = 0;
    if (st == TML_OK && length < first && memcmp(head, text, length) == 0) length = 0;  // torn at its birth
    else if (st == TML_OK && (length < first || memcmp(head, text, first) != 0))
        st = tmli_fail(err, TML_ERR_ARG,
                       "'%s' belongs to another study, model or version of Trammel: its members cannot be "
                       "continued.",
                       path);
    else *whole = first;
    while (st == TML_OK && *whole < length) {
        char *line = text + *whole, *end = memchr(line, '\n', length - *whole);
        long member;
        if (!end) break;
        if (read_line(s, line, end, &member, values, values + width, message, room))
            st = tmli_table_add(t, member, values, message, err);
        else if (end > line && line[0] != '#') {
            line[0] = '#';
            ++*damaged;
        }
        *whole += (size_t)(end - line) + 1;
    }
    tmli_free_all(&s->env, head, values);
    return st;
}

static tml_status fail_writing(const char *path, tml_error *err)
{
    return tmli_fail(err, TML_ERR_IO, "Cannot write to '%s': %s.", path, strerror(errno));
}

// repair: lines that were changed become comments in the file, too.
static tml_status read_file(const tml_study *s, int file, const char *path, bool repair, tml_study_table *t,
                            size_t *whole, tml_error *err)
{
    struct stat info;
    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode))
        return tmli_fail(err, TML_ERR_IO, "Cannot read '%s': it is not a regular file.", path);
    const size_t size = (size_t)info.st_size;
    char *text = tmli_calloc(&s->env, size + 1, 1);
    if (!text) return tmli_no_memory(err, "study");
    size_t used = 0;
    ssize_t n = 1;
    while (used < size && (n = pread(file, text + used, size - used, (off_t)used)) > 0) used += (size_t)n;
    long damaged = 0;
    tml_status st = n < 0 ? tmli_fail(err, TML_ERR_IO, "Cannot read '%s': %s.", path, strerror(errno))
                          : read_text(s, path, text, used, t, whole, &damaged, err);
    if (st == TML_OK && damaged)
        tmli_log(&s->env, TML_LOG_WARNING, "'%s' has damaged lines (%ld, by their checksums): %s", path,
                 damaged, repair ? "the members are computed again" : "the members are missing");
    // the same bytes but for marks: a process that is killed here loses nothing
    if (st == TML_OK && damaged && repair && pwrite(file, text, *whole, 0) != (ssize_t)*whole)
        st = fail_writing(path, err);
    tmli_free(&s->env, text);
    return st;
}

tml_status tml_study_table_read(const tml_study *s, const char *journal, tml_study_table **out,
                                tml_error *err)
{
    if (out) *out = NULL;
    if (!s || !journal || !out) return tmli_null_argument(err, "tml_study_table_read");
    const int file = open(journal, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return tmli_fail(err, TML_ERR_IO, "Cannot read '%s': %s.", journal, strerror(errno));
    tml_study_table *t = NULL;
    size_t whole;
    struct stat info;
    char reason[TMLI_FILE_REASON] = "";
    tml_status st = tmli_table_create(s, &t, err);
    if (st == TML_OK && fstat(file, &info) == 0 &&
        tmli_files_read(&s->env, journal, &info, reason, sizeof reason) != TML_OK)
        st = tmli_fail(err, TML_ERR_IO, "Cannot read '%s': %s.", journal, reason);
    if (st == TML_OK) st = read_file(s, file, journal, false, t, &whole, err);
    if (st == TML_OK) st = tmli_table_sort(t, err);
    close(file);
    if (st == TML_OK) *out = t;
    else tml_study_table_destroy(t);
    return st;
}

// ---- writing ----------------------------------------------------------------------------------------------

tml_status tmli_journal_append(tmli_journal *j, const char *text, size_t length, tml_error *err)
{
    while (length > 0) {
        const ssize_t n = write(j->file, text, length);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return fail_writing(j->path, err);
        text += n;
        length -= (size_t)n;
    }
    return TML_OK;
}

static tml_status write_head(const tml_study *s, tmli_journal *j, tml_error *err)
{
    char *head = tmli_calloc(&s->env, head_room(s), 1);
    if (!head) return tmli_no_memory(err, "study");
    const tml_status st = tmli_journal_append(j, head, head_text(s, head, head_room(s)), err);
    tmli_free(&s->env, head);
    return st;
}

// Members that are there go to the table; what is behind the last whole line is cut off.
static tml_status continue_file(const tml_study *s, tmli_journal *j, tml_study_table *t, tml_error *err)
{
    size_t whole = 0;
    tml_status st = read_file(s, j->file, j->path, true, t, &whole, err);
    if (st != TML_OK) return st;
    if (ftruncate(j->file, (off_t)whole) != 0 || lseek(j->file, 0, SEEK_END) < 0)
        return fail_writing(j->path, err);
    return whole ? TML_OK : write_head(s, j, err);
}

tml_status tmli_journal_open(const tml_study *s, const char *path, tmli_journal_mode mode, tml_study_table *t,
                             tmli_journal **out, tml_error *err)
{
    *out = NULL;
    tmli_journal *j = tmli_calloc(&s->env, 1, sizeof *j);
    if (!j) return tmli_no_memory(err, "study");
    j->env = s->env;
    snprintf(j->path, sizeof j->path, "%.*s", (int)sizeof j->path - 1, path);
    const int create = mode == TMLI_JOURNAL_NEW ? O_EXCL : 0;
    struct stat info;
    tml_status st = tmli_files_write(&s->env, path, path, NULL, err);
    j->file = st == TML_OK ? open(path, O_RDWR | O_CREAT | O_CLOEXEC | create, 0666) : -1;
    if (st == TML_OK && j->file >= 0 && fstat(j->file, &info) == 0)
        st = tmli_files_write(&s->env, path, path, &info, err);
    if (st != TML_OK) {
        tmli_journal_close(j);
        return st;
    }
    if (j->file < 0 && errno == EEXIST)
        st = tmli_fail(err, TML_ERR_ARG,
                       "'%s' exists: --resume continues the study, --overwrite begins it anew.", path);
    else if (j->file < 0) st = fail_writing(path, err);
    else if (flock(j->file, LOCK_EX | LOCK_NB) != 0)
        st = tmli_fail(err, TML_ERR_IO, "'%s' is being written by another process.", path);
    if (st == TML_OK && mode == TMLI_JOURNAL_OVERWRITE && ftruncate(j->file, 0) != 0)
        st = fail_writing(path, err);
    if (st == TML_OK) st = continue_file(s, j, t, err);
    if (st == TML_OK) *out = j;
    else tmli_journal_close(j);
    return st;
}

void tmli_journal_close(tmli_journal *j)
{
    if (!j) return;
    if (j->file >= 0) close(j->file);
    tmli_free(&j->env, j);
}
