// Studies: many runs of one model with different parameters, and a table of what each of them gives
// (docs/studies.md).
#ifndef TRAMMEL_STUDY_H
#define TRAMMEL_STUDY_H

#include <stdbool.h>
#include <trammel/spec.h>

TML_C_BEGIN

/** A study file that has been read and checked. It does not change: threads may share it. */
typedef struct tml_study tml_study;

/** Read a study file, and the model that it names; build the model once to check names and expressions. env
 * may be NULL. The caller destroys *out. Errors: TML_ERR_IO, TML_ERR_SYNTAX, TML_ERR_NAME, TML_ERR_MODEL,
 * TML_ERR_NOMEM, with file, line and column. */
TML_API tml_status tml_study_read(const char *path, const tml_env *env, tml_study **out, tml_error *err);
TML_API void tml_study_destroy(tml_study *study);  ///< accepts NULL

TML_API const char *tml_study_title(const tml_study *study);  ///< never NULL; borrowed
/** The model as in its file, with the values that the study sets. Borrowed; NULL: no study. */
TML_API const tml_spec *tml_study_spec(const tml_study *study);
/** Number of members: runs with parameters of their own. They are numbered from 0. */
TML_API long tml_study_member_count(const tml_study *study);
TML_API int tml_study_parameter_count(const tml_study *study);
TML_API const char *tml_study_parameter_name(const tml_study *study, int index);  ///< NULL: out of range
TML_API int tml_study_quantity_count(const tml_study *study);
TML_API const char *tml_study_quantity_name(const tml_study *study, int index);  ///< NULL: out of range
/** The unit of a column, parameters and then quantities: as given, or as inferred from channels; "": none is
 * known, or out of range. Borrowed. */
TML_API const char *tml_study_column_unit(const tml_study *study, int column);
/** Whether parameters change in place: one model and one simulation per thread serve all members. False: each
 * member builds the model with its parameters. */
TML_API bool tml_study_in_place(const tml_study *study);
/** The parameters of a member; they depend on the study and the number alone. values: (parameters).
 * TML_ERR_ARG: there is no such member. */
TML_API tml_status tml_study_parameters(const tml_study *study, long member, double *values, tml_error *err);

/** The model of a member, to be run by itself: with the parameters and inputs of the member and the settings
 * of the study. parameters: (parameters) as in the table. The caller destroys *out. Errors: those of reading
 * the model. */
TML_API tml_status tml_study_member_spec(const tml_study *study, const double *parameters, tml_spec **out,
                                         tml_error *err);
/** Whether the study file wants the time history of a member (key `record`); best: that of the optimum, -1:
 * none. */
TML_API bool tml_study_records(const tml_study *study, long member, long best);

// ---- one member -------------------------------------------------------------------------------------------

/** What runs members, one after the other; one per thread. */
typedef struct tml_study_worker tml_study_worker;

/** The study must outlive the worker; the caller destroys *out. */
TML_API tml_status tml_study_worker_create(const tml_study *study, tml_study_worker **out, tml_error *err);
TML_API void tml_study_worker_destroy(tml_study_worker *worker);  ///< accepts NULL
/** Run a member. values: (parameters), then (quantities). The result has the same bits in every worker and
 * after every other member. On failure parameters are set, quantities are NAN, and err tells why; the worker
 * can run further members. */
TML_API tml_status tml_study_worker_run(tml_study_worker *worker, long member, double *values,
                                        tml_error *err);

// ---- all members ------------------------------------------------------------------------------------------

/** How far a study has come, for progress. */
typedef struct tml_study_progress {
    long members;    ///< to be run, with those that earlier runs have done
    long done;       ///< of them
    long failed;     ///< of those done
    long here;       ///< done by this run
    double seconds;  ///< of this run up to now
    double rate;     ///< members per second in this run
} tml_study_progress;

/** Messages between the processes of a study, as MPI has them. The functions are called from one thread. A
 * message arrives whole, and messages of one process arrive in their order. */
typedef struct tml_study_ranks {
    int rank, count;  ///< this process, 0 .. count - 1
    tml_status (*send)(int to, const void *data, size_t size, void *user, tml_error *err);
    /** Whether a message waits: from whom, and its bytes. Does not wait itself. */
    bool (*probe)(int *from, size_t *size, void *user);
    tml_status (*receive)(int from, void *data, size_t size, void *user, tml_error *err);
    void *user;
} tml_study_ranks;

typedef struct tml_study_run_def {
    size_t size;  ///< set by tml_study_run_def_default()
    /** Name of the results without extension: NAME.journal while it runs, NAME.csv and NAME.h5 at the end. */
    const char *out;
    int threads;      ///< 0: one per processor
    int part, parts;  ///< part 1 .. parts of the members; parts 0 or 1: all
    bool resume;      ///< continue the journal; otherwise it must not exist, or `overwrite`
    bool overwrite;
    /** Called after members, from one thread at a time; false: start no further members. NULL: none. */
    bool (*progress)(const tml_study_progress *p, void *user);
    void *user;
    /** Processes that share the work, all of which call tml_study_run with the same study; NULL: this one
     * alone. Process 0 writes the files; of the others nothing but `progress` is called. */
    const tml_study_ranks *ranks;
} tml_study_run_def;

TML_API tml_study_run_def tml_study_run_def_default(void);
/** Run the members that the journal lacks. Each is appended to the journal as it ends; a process that is
 * killed loses those that were running. When all members of the part are there, and also after a stop, the
 * tables are written, in the order of members. out_progress may be NULL. Errors: TML_ERR_ARG (a journal of
 * another study, one that exists), TML_ERR_IO, TML_ERR_STOPPED (progress returned false), TML_ERR_NOMEM. A
 * member that fails is no error: the table has its message, and out_progress the number of them. A member
 * that could not be run for lack of memory or of a file is one, after all others were run: the journal lacks
 * it, and `resume` runs it. Lines of the journal that were changed since are computed again; the log says so.
 */
TML_API tml_status tml_study_run(const tml_study *study, const tml_study_run_def *def,
                                 tml_study_progress *out_progress, tml_error *err);
/** Put the journals of parts together: out.journal, and the tables if all members are there. Members that
 * several of them have must be equal. */
TML_API tml_status tml_study_merge(const tml_study *study, const char *out, const char *const *journals,
                                   int count, tml_study_progress *out_progress, tml_error *err);

// ---- an optimum -------------------------------------------------------------------------------------------

/** A problem for a program of optimization: the least f(x), lower <= x <= upper, g_i(x) <= 0. */
typedef struct tml_study_problem {
    int n, m;                             ///< length of x, number of constraints
    const double *lower, *upper, *start;  ///< (n)
    const char *method;                   ///< "cobyla", ...
    int evaluations;                      ///< most of them
    double tolerance;                     ///< change of x at which the search ends
    /** f, and g (m); false: end the search. */
    bool (*evaluate)(const double *x, double *f, double *g, void *user);
    void *user;
} tml_study_problem;

/** A program of optimization, such as NLopt; x: (n) the start, then the best one. TML_ERR_ARG: a method that
 * it does not have, or one that cannot treat constraints. */
typedef tml_status (*tml_study_minimizer)(const tml_study_problem *problem, double *x, tml_error *err);

/** Whether the study searches an optimum: tml_study_optimize in place of tml_study_run. */
TML_API bool tml_study_optimizes(const tml_study *study);
/** Search the optimum. Each evaluation is a member, in the order of the search, which takes the same way when
 * it is resumed: members of the journal are not run again. def as of tml_study_run; threads, parts and ranks
 * do not apply. best (NULL: not wanted): the member with the best value of those that satisfy the
 * constraints, or the one that comes nearest to it. */
TML_API tml_status tml_study_optimize(const tml_study *study, const tml_study_run_def *def,
                                      tml_study_minimizer minimizer, tml_study_progress *out_progress,
                                      long *best, tml_error *err);
/** Value of the goal at a row of the table, and the largest constraint (0: none is positive). */
TML_API tml_status tml_study_goal(const tml_study *study, const double *values, double *goal,
                                  double *violation, tml_error *err);

/** The expression of the goal as in the file; NULL: the study searches no optimum. Borrowed. maximize (may be
 * NULL): its largest value is searched. */
TML_API const char *tml_study_goal_text(const tml_study *study, bool *maximize);
TML_API int tml_study_constraint_count(const tml_study *study);
TML_API const char *tml_study_constraint_name(const tml_study *study, int index);  ///< NULL: out of range
/** Constraints at a row of the table: (constraints), positive ones are violated. */
TML_API tml_status tml_study_constraints(const tml_study *study, const double *values, double *out,
                                         tml_error *err);
/** Whether the value of a parameter is at an end of its range, to within the tolerance of the search: -1 the
 * lower, 1 the upper, 0 none. range (may be NULL): both ends, NAN if it has none. */
TML_API int tml_study_at_bound(const tml_study *study, int parameter, double value, double range[2]);
/** The tolerance of the search; 0: there is none. */
TML_API double tml_study_tolerance(const tml_study *study);

// ---- the table --------------------------------------------------------------------------------------------

/** The rows of a journal, by ascending numbers of members. */
typedef struct tml_study_table tml_study_table;

/** Read a journal of the study. The caller destroys *out. Errors: TML_ERR_IO, TML_ERR_ARG (of another study),
 * TML_ERR_NOMEM. */
TML_API tml_status tml_study_table_read(const tml_study *study, const char *journal, tml_study_table **out,
                                        tml_error *err);
TML_API void tml_study_table_destroy(tml_study_table *table);  ///< accepts NULL
TML_API long tml_study_table_count(const tml_study_table *table);
TML_API long tml_study_table_member(const tml_study_table *table, long row);  ///< -1: out of range
/** (parameters, then quantities); borrowed; NULL: out of range. */
TML_API const double *tml_study_table_values(const tml_study_table *table, long row);
/** Why the member failed; "" if it did not; NULL: out of range. */
TML_API const char *tml_study_table_message(const tml_study_table *table, long row);
/** Write the table as CSV (.csv: columns member, parameters, quantities, message) or HDF5 (.h5). */
TML_API tml_status tml_study_table_write(const tml_study *study, const tml_study_table *table,
                                         const char *path, tml_error *err);

/** Statistics of the finite values of a column. */
typedef struct tml_study_statistics {
    long count;
    double mean, deviation;  ///< deviation with count - 1
    double least, most;
    double low, median, high;  ///< quantiles 0.05, 0.5, 0.95
} tml_study_statistics;

/** column: parameters, then quantities, from 0. TML_ERR_ARG: there is no such column. */
TML_API tml_status tml_study_table_statistics(const tml_study_table *table, int column,
                                              tml_study_statistics *out, tml_error *err);
/** Rank correlation (Spearman) of two columns, -1 .. 1; NAN: one of them is constant, or there are fewer than
 * 3 rows. */
TML_API tml_status tml_study_table_correlation(const tml_study_table *table, int a, int b, double *out,
                                               tml_error *err);

/** Sobol indices: the share of the variance of a quantity that a parameter causes. */
typedef struct tml_study_indices {
    long points;   ///< of the design that are complete
    double first;  ///< by itself; an estimate, which may be slightly negative
    double total;  ///< with all its interactions
} tml_study_indices;

/** Whether the sampling is the design for Sobol indices, `saltelli`. */
TML_API bool tml_study_has_indices(const tml_study *study);
/** TML_ERR_ARG: another design, or no such parameter or quantity. */
TML_API tml_status tml_study_sobol(const tml_study *study, const tml_study_table *table, int parameter,
                                   int quantity, tml_study_indices *out, tml_error *err);

TML_C_END
#endif
