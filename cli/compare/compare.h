// Shared by `trammel compare` and `trammel verify`: the progress line, warnings of several threads, options.
#ifndef CLI_COMPARE_H
#define CLI_COMPARE_H

#include "cli/run/run.h"

#include <pthread.h>
#include <trammel/compare.h>
#include <trammel/plot.h>

enum { COMPARE_WARNINGS = 8 };

/** Progress line and warnings of parallel runs. */
typedef struct compare_ui {
    pthread_mutex_t lock;
    cli_progress progress;
    int nseen;
    char seen[COMPARE_WARNINGS][300];  // warnings already printed, which further runs may log again
} compare_ui;

void compare_ui_init(compare_ui *ui, bool progress_wanted);
void compare_ui_clear(compare_ui *ui);
tml_env compare_ui_env(compare_ui *ui, cli_files *files);
/** For on_progress; user is the compare_ui. Stops after an interrupt. */
tml_status compare_ui_progress(const tml_compare_progress *p, void *user);

/** Values of a list with ranges: "1e-2..1e-5" (by decades), "1e-3,1e-5". Freed by the caller with free(). */
tml_status compare_parse_values(const char *option, const char *text, double **out, int *count,
                                tml_error *err);
/** The number of --jobs; negative: 0, as many as there are processors. */
tml_status compare_jobs(int value, int *out, tml_error *err);

/** The table as a report and as CSV, and the diagram. */
void compare_report(cli_report *out, const tml_comparison *c, const char *title, int threads);
tml_status compare_write_csv(const tml_comparison *c, const char *path, const tml_env *env, tml_error *err);
/** The work-precision diagram as a picture. */
tml_status compare_draw(const tml_comparison *c, const char *title, int error_kind, const char *path,
                        const tml_env *env, tml_error *err);

/** The table and three diagrams as HTML. file: of the model. */
tml_status compare_write_html(const tml_comparison *c, const char *title, const char *file, int threads,
                              const char *path, const tml_env *env, tml_error *err);

enum { COMPARE_POSITION, COMPARE_VELOCITY, COMPARE_MULTIPLIER };

#endif
