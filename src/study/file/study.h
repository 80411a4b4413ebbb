// A study as its file says it, and the parameters of its members. Files of this room:
//   schema.c      keys of study files
//   page.c        their reference page
//   read.c        a study file to a study: keys, sampling, quantities
//   random.c      random numbers by counter, quantiles, permutations
//   sobol.c       Sobol's sequence
//   sample.c      parameters of a member; which members are recorded
#ifndef TMLI_STUDY_FILE_STUDY_H
#define TMLI_STUDY_FILE_STUDY_H

#include "base/base.h"
#include "expr/expr.h"
#include "spec/schema.h"
#include <trammel/sim.h>
#include <trammel/study.h>

enum {
    TMLI_STUDY_PARAMETERS = 64,  // most parameters of a study
    TMLI_STUDY_QUANTITIES = 256,
    TMLI_SOBOL_DIMENSIONS = 21,
    // Most members of a study [-].
    // Origin: a table of so many members with 20 columns takes 1.6 GB.
    TMLI_STUDY_MEMBERS = 10000000
};

typedef enum tmli_sampling {
    TMLI_SAMPLING_GRID,
    TMLI_SAMPLING_LIST,
    TMLI_SAMPLING_RANDOM,
    TMLI_SAMPLING_LATIN_HYPERCUBE,
    TMLI_SAMPLING_SOBOL,
    TMLI_SAMPLING_SALTELLI
} tmli_sampling;

typedef enum tmli_distribution {
    TMLI_DISTRIBUTION_UNIFORM,
    TMLI_DISTRIBUTION_LOG_UNIFORM,
    TMLI_DISTRIBUTION_NORMAL,
    TMLI_DISTRIBUTION_LOG_NORMAL
} tmli_distribution;

/** A parameter of the study; fields of its schema. */
typedef struct tmli_study_parameter {
    const char *name;
    tml_mark at;
    int count;             // of values; 0: none
    const double *values;  // (count)
    double from, to;       // NAN: not given
    int steps;             // of a grid from..to; 0: not given
    tmli_distribution distribution;
    double mean, deviation;  // NAN: not given
    int input;               // number of the model's input; -1: a parameter of the model file
    const char *unit;        // NULL: not known
} tmli_study_parameter;

/** What a quantity takes of a run. */
typedef enum tmli_take {
    TMLI_TAKE_FINAL,
    TMLI_TAKE_INITIAL,
    TMLI_TAKE_MIN,
    TMLI_TAKE_MAX,
    TMLI_TAKE_TIME_OF_MIN,
    TMLI_TAKE_TIME_OF_MAX,
    TMLI_TAKE_MEAN,
    TMLI_TAKE_RMS,
    TMLI_TAKE_TIME_OF_ZERO,
    TMLI_TAKE_EVENT_TIME,
    TMLI_TAKE_FREQUENCY,
    TMLI_TAKE_DAMPING,
    TMLI_TAKE_LEAST_DAMPED,
    TMLI_TAKE_GROWTH,
    TMLI_TAKE_VALUE
} tmli_take;
enum {  // types to which the keys of a quantity apply, by bits
    TMLI_TAKES_CURVE = (1 << TMLI_TAKE_EVENT_TIME) - 1,
    TMLI_TAKES_MODE = 1 << TMLI_TAKE_FREQUENCY | 1 << TMLI_TAKE_DAMPING,
    TMLI_TAKES_ROOTS = TMLI_TAKES_MODE | 1 << TMLI_TAKE_LEAST_DAMPED | 1 << TMLI_TAKE_GROWTH
};

typedef enum tmli_study_when { TMLI_AT_START, TMLI_AT_END } tmli_study_when;

typedef struct tmli_study_quantity {
    const char *name;
    tml_mark at, of_at;
    tmli_take take;
    const char *of;     // expression of channels and parameters; of quantities and parameters (value)
    const char *event;  // name; NULL: any
    int mode;           // number of an oscillation, from 1
    tmli_study_when when;
    const char *unit;  // NULL: not known
    double factor;     // to that unit
    tmli_expr *expr;   // of `of`: slots below
} tmli_study_quantity;

/** A limit of the optimum: an expression of quantities and parameters that must not be positive. */
typedef struct tmli_study_constraint {
    const char *name, *text;
    tml_mark at;
    tmli_expr *expr;
} tmli_study_constraint;

/** The block `optimize`. */
typedef struct tmli_study_optimize {
    const char *minimize, *maximize;  // expression of quantities and parameters; NULL: not given
    const char *method;
    int evaluations;
    double tolerance;
    // beside the fields of the file
    bool wanted;
    tml_mark at;
    tmli_expr *expr;
    int nconstraints;
    tmli_study_constraint *constraint;
} tmli_study_optimize;

/** Settings of the run that the study gives. */
typedef struct tmli_study_settings {
    tml_run_def def;
    uint64_t given;  // bit i: field i of tmli_schema_run
} tmli_study_settings;

struct tml_study {
    tml_env env;
    tmli_arena arena, nodes, scratch;  // own; of the file; lists of numbers
    const char *path;
    const char *title;
    const char *record;  // members whose time histories are wanted: "all", "best", numbers; NULL: none
    tml_mark record_at;
    const char *model;  // path, as seen from the working directory
    tml_mark model_at;
    int nset;
    tml_parameter *set;  // (nset) values of other parameters
    tmli_study_settings settings;
    tmli_study_optimize optimize;
    tmli_sampling sampling;
    int wanted;  // members of random samples; 0: not given
    int seed;
    long members;
    int nparameters, nquantities;
    tmli_study_parameter *parameter;
    tmli_study_quantity *quantity;
    // the model
    tml_spec *spec;              // as in its file, with `set`
    struct tmli_parsed *parsed;  // its text, which is read with the values of members
    tml_model *built;            // with the same values
    bool in_place;               // all parameters are inputs of the model
    bool needs_modes;
    int nused;           // channels that quantities use
    const char **used;   // (nused) their names
    int *used_index;     // (nused) in the channels of the built model
    uint64_t signature;  // of the study file, the files of the model and the version
};

/** Slots of expressions: channel k of those used, parameter k, quantity k. */
enum { TMLI_SLOT_CHANNEL = 0, TMLI_SLOT_PARAMETER = 1 << 20, TMLI_SLOT_QUANTITY = 2 << 20 };

// schema.c
extern const tmli_schema tmli_schema_study, tmli_schema_study_parameter, tmli_schema_study_quantity,
    tmli_schema_study_sampling, tmli_schema_study_optimize;

// page.c
/** The reference page of study files. */
void tmli_study_markdown(tmli_text_sink *sink, void *user);

/** The block `sampling`. */
typedef struct tmli_study_sampling {
    tmli_sampling method;
    int members, seed;
} tmli_study_sampling;

/** Root keys that are plain values. */
typedef struct tmli_study_head {
    const char *title, *model, *record;
} tmli_study_head;

// read.c
/** Read the file into s; s->env is set. The caller destroys s also after an error. */
tml_status tmli_study_parse(const char *path, tml_study *s, tml_error *err);
uint64_t tmli_study_hash(uint64_t hash, const char *bytes, size_t length);

// random.c
/** 64 random bits: a function of seed, member and stream alone. */
uint64_t tmli_random_bits(uint64_t seed, uint64_t member, uint64_t stream);
/** A number between 0 and 1, both excluded, from random bits. */
double tmli_random_unit(uint64_t bits);
/** The place of `index` in a random order of 0 .. count - 1. */
uint64_t tmli_random_place(uint64_t seed, uint64_t stream, uint64_t count, uint64_t index);
/** Quantile of the standard normal distribution; 0 < p < 1. */
double tmli_normal_quantile(double p);

// sobol.c
/** The 32 leading bits of component `dimension` (0 .. TMLI_SOBOL_DIMENSIONS - 1) of point `index`. */
uint32_t tmli_sobol(uint32_t index, int dimension);

// sample.c
/** The value of parameter j at 0 <= u <= 1 of its range, for the search of an optimum. */
double tmli_sample_range(const tmli_study_parameter *p, double u);
/** Check that every parameter has what the sampling needs, and count the members. */
tml_status tmli_sample_check(tml_study *s, tml_error *err);
void tmli_sample(const tml_study *s, long member, double *values);
/** Check the key `record`: "all", "best" of a search, or numbers of members. */
tml_status tmli_record_check(const tml_study *s, tml_error *err);

#endif
