// trammel new: write a commented model, and a study of it, to begin with.
#define _POSIX_C_SOURCE 200809L
#include "cli/common/cli.h"
#include "templates.h"

#include "base/base.h"
#include "base/target.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define STUDY_ENDING "_study.yaml"
enum { KINDS_MAX = 64, NAME_MAX_BYTES = 200, KIND_COLUMNS = 14 };

typedef struct new_values {
    cli_list kind;
    const char *as;
    bool list;
} new_values;

static const cli_option options[] = {
    CLI_OPTION_ARGUMENT("KIND", CLI_ARGUMENTS, offsetof(new_values, kind), CLI_FILE_NONE,
                        "what to begin with; --list prints the kinds"),
    CLI_OPTION_FLAG("--list", 'l', offsetof(new_values, list), "print the kinds with their titles"),
    CLI_OPTION_TEXT("--as", 0, offsetof(new_values, as), "NAME", CLI_FILE_NONE,
                    "write NAME.yaml and NAME_study.yaml; default: the kind"),
};

static const char *find_text(const char *kind, const char *ending)
{
    const size_t n = strlen(kind);
    for (const cli_template *t = cli_templates; t->name; t++)
        if (strncmp(t->name, kind, n) == 0 && strcmp(t->name + n, ending) == 0) return t->text;
    return NULL;
}

// The kinds: names of models without their ending. Returns their number; the caller frees them.
static int list_kinds(char *kind[KINDS_MAX])
{
    int count = 0;
    for (const cli_template *t = cli_templates; t->name && count < KINDS_MAX; t++) {
        if (tmli_ends_with(t->name, STUDY_ENDING)) continue;
        const size_t n = strlen(t->name) - strlen(".yaml");
        char *copy = malloc(n + 1);
        if (!copy) break;
        memcpy(copy, t->name, n);
        copy[n] = 0;
        kind[count++] = copy;
    }
    return count;
}

static void print_kinds(char *const *kind, int count)
{
    for (int i = 0; i < count; i++) {
        const char *title = strstr(find_text(kind[i], ".yaml"), "\ntitle: ");
        title = title ? title + strlen("\ntitle: ") : "";
        printf("%-*s%.*s\n", KIND_COLUMNS, kind[i], (int)strcspn(title, "\n"), title);
    }
}

// A name of a file beside others: not a path, not hidden, nothing that a shell or the study would misread.
static bool is_plain(const char *name)
{
    const size_t n = strlen(name);
    return n > 0 && n < NAME_MAX_BYTES && name[0] != '.' && name[0] != '-' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == n;
}

// `text` with NAME in place of the kind wherever one of its files is named; freed by the caller. NULL: no
// memory.
static char *rename_files(const char *text, const char *kind, const char *name)
{
    const size_t n = strlen(kind), more = strlen(name);
    size_t count = 0;
    for (const char *p = strstr(text, kind); p; p = strstr(p + n, kind)) count++;
    char *out = malloc(strlen(text) + count * more + 1), *to = out;
    while (out && *text) {
        const char *after = text + n;
        const bool named = strncmp(text, kind, n) == 0 &&
                           (strncmp(after, ".yaml", 5) == 0 || strncmp(after, ".h5", 3) == 0 ||
                            strncmp(after, STUDY_ENDING, strlen(STUDY_ENDING)) == 0);
        if (named) {
            memcpy(to, name, more);
            to += more;
            text = after;
        } else *to++ = *text++;
    }
    if (out) *to = 0;
    return out;
}

static tml_status write_text(const char *path, const char *text, const char *kind, const char *name,
                             const tml_env *env, tml_error *err)
{
    char *own = rename_files(text, kind, name);
    if (!own) return tmli_fail(err, TML_ERR_NOMEM, "No memory for '%s'.", path);
    const tml_status st = tmli_file_write(path, own, strlen(own), false, env, err);
    free(own);
    return st;
}

// Both files, or none if one of them is there already.
static tml_status write_kind(const char *kind, const char *name, const tml_env *env, tml_error *err)
{
    static const char *const ending[2] = {".yaml", STUDY_ENDING};
    char path[2][NAME_MAX_BYTES + 16];
    for (int i = 0; i < 2; i++) {
        struct stat info;
        snprintf(path[i], sizeof path[i], "%s%s", name, ending[i]);
        if (lstat(path[i], &info) == 0)
            return tmli_fail(err, TML_ERR_ARG,
                             "'%s' is there already; nothing was written. Give another name: trammel new %s "
                             "--as NAME.",
                             path[i], kind);
    }
    tml_status st = TML_OK;
    for (int i = 0; i < 2 && st == TML_OK; i++)
        st = write_text(path[i], find_text(kind, ending[i]), kind, name, env, err);
    if (st == TML_OK)
        printf("written: %s, %s\n"
               "next:    trammel run %s\n"
               "         trammel view %s.h5 --open\n"
               "         trammel study %s\n",
               path[0], path[1], path[0], name, path[1]);
    return st;
}

static tml_status begin(const new_values *v, char *const *kind, int count, const tml_env *env, tml_error *err)
{
    if (v->kind.count == 0)
        return tmli_fail(err, TML_ERR_ARG,
                         "Which kind? 'trammel new --list' prints them; 'trammel new pendulum' begins.");
    if (v->kind.count > 1) return tmli_fail(err, TML_ERR_ARG, "One kind at a time: '%s'.", v->kind.items[1]);
    const char *wanted = v->kind.items[0], *name = v->as ? v->as : wanted;
    int found = 0;
    while (found < count && strcmp(kind[found], wanted) != 0) found++;
    if (found == count) {
        const char *same = tmli_usage_word(wanted, (const char *const *)kind, (size_t)count);
        const tmli_hint hint = tmli_hint_of(same ? same : wanted, (const char *const *)kind, (size_t)count);
        return tmli_fail(err, TML_ERR_ARG, "There is no kind '%.60s'%s. 'trammel new --list' prints them.",
                         wanted, hint.text);
    }
    if (!is_plain(name))
        return tmli_fail(err, TML_ERR_ARG,
                         "--as: '%.60s' is not a plain name; use letters, digits, '_' and '-'.", name);
    return write_kind(wanted, name, env, err);
}

static tml_status run(void *values, cli_call *c)
{
    const new_values *v = values;
    char *kind[KINDS_MAX];
    const int count = list_kinds(kind);
    tml_status st = TML_OK;
    if (v->list) print_kinds(kind, count);
    else st = begin(v, kind, count, &c->env, &c->err);
    for (int i = 0; i < count; i++) free(kind[i]);
    c->running = st == TML_ERR_IO;
    return st;
}

const cli_command cli_command_new = {
    .name = "new",
    .summary = "Write a commented model to begin with, and a study of it.",
    .notes = "The files are written into the working directory; none is replaced.\n"
             "\n"
             "  trammel new --list\n"
             "  trammel new pendulum\n"
             "  trammel new quarter-car --as corner\n",
    CLI_OPTIONS(new_values),
    .run = run,
};
