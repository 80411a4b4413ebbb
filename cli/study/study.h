// Options of `trammel study`.
#ifndef CLI_STUDY_H
#define CLI_STUDY_H

#include "cli/common/cli.h"

#include <trammel/study.h>

struct cli_html;

typedef struct study_values {
    const char *study, *out, *part, *report;
    cli_list parts;  // FILE ...
    cli_files *files;
    int threads;
    bool resume, overwrite, list, quiet, no_progress;
} study_values;

/** The processes that mpirun or srun has started with this one; *out.count 1: there are no others, and MPI is
 * not loaded. */
tml_status study_ranks_open(tml_study_ranks *out, tml_error *err);
void study_ranks_close(const tml_study_ranks *ranks);

/** A column, parameters and then quantities: "k", and with its unit "k [N/m]" in buf. */
const char *study_column_name(const tml_study *s, int column);
enum { STUDY_LABEL = 128 };
const char *study_column_label(const tml_study *s, int column, char buf[STUDY_LABEL]);

/** Few members, statistics, correlations and Sobol indices of the table, on stdout. */
tml_status study_print_table(const tml_study *s, const tml_study_table *t, tml_error *err);
/** The same with diagrams as a page for the browser; it needs no other file. best: member of the optimum, -1:
 * none. */
tml_status study_write_report(const tml_study *s, const tml_study_table *t, long best, const char *path,
                              const tml_env *env, tml_error *err);

/** Quantities over parameters: points, families of curves over a grid of two parameters, maps over two. */
tml_status study_write_diagrams(const struct cli_html *h, const tml_study *s, const tml_study_table *t,
                                tml_error *err);

/** Whether the files of study_record may be written. */
tml_status study_check_records(const study_values *v, const tml_study *s, const char *out, tml_error *err);
/** Time histories of the members that the study file records, as NAME.memberN.h5. best: as above. */
tml_status study_record(const study_values *v, const tml_study *s, const tml_study_table *t, const char *out,
                        long best, const tml_env *env, tml_error *err);

/** NLopt. TML_ERR_ARG: a build without it. */
tml_status study_minimizer(tml_study_minimizer *out, tml_error *err);
/** The optimum: parameters and their bounds, quantities, constraints, why the search has ended. */
tml_status study_print_optimum(const tml_study *s, const tml_study_table *t, long best, tml_error *err);
/** The same as the head of a page, with the way of the search. */
tml_status study_write_optimum(const struct cli_html *h, const tml_study *s, const tml_study_table *t,
                               long best, tml_error *err);

#endif
