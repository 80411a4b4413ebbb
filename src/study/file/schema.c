// Keys of study files; the same tables drive the reader and the reference (docs/study-file.md).
#include "spec/schema_tables.h"
#include "study/file/study.h"

#define HEAD(m) offsetof(tmli_study_head, m)
#define SAMPLING(m) offsetof(tmli_study_sampling, m)
#define PARAMETER(m) offsetof(tmli_study_parameter, m)
#define QUANTITY(m) offsetof(tmli_study_quantity, m)

static const tmli_key_choice samplings[] = {
    {"grid", TMLI_SAMPLING_GRID, "every combination of the values; the last parameter changes fastest"},
    {"list", TMLI_SAMPLING_LIST, "member k has the k-th value of every parameter"},
    {"random", TMLI_SAMPLING_RANDOM, "independent random numbers"},
    {"latin-hypercube", TMLI_SAMPLING_LATIN_HYPERCUBE,
     "random, with one member in each of as many layers of every parameter as there are members"},
    {"sobol", TMLI_SAMPLING_SOBOL, "Sobol's sequence, randomly shifted; best with a power of 2 of members"},
    {"saltelli", TMLI_SAMPLING_SALTELLI, "design for Sobol indices: `members` times (parameters + 2) runs"},
    {NULL, 0, NULL},
};
static const tmli_key_choice distributions[] = {
    {"uniform", TMLI_DISTRIBUTION_UNIFORM, "between `from` and `to`"},
    {"log-uniform", TMLI_DISTRIBUTION_LOG_UNIFORM,
     "the logarithm is uniform between those of `from` and "
     "`to`; in a grid: equal ratios"},
    {"normal", TMLI_DISTRIBUTION_NORMAL, "with `mean` and `deviation`"},
    {"log-normal", TMLI_DISTRIBUTION_LOG_NORMAL,
     "the logarithm is normal: `mean` is the median, `deviation` that of the logarithm"},
    {NULL, 0, NULL},
};
static const tmli_key_choice takes[] = {
    {"final", TMLI_TAKE_FINAL, "value at the end of the run"},
    {"initial", TMLI_TAKE_INITIAL, "value at the start"},
    {"min", TMLI_TAKE_MIN, "least value, located within the steps"},
    {"max", TMLI_TAKE_MAX, "largest value, located within the steps"},
    {"time_of_min", TMLI_TAKE_TIME_OF_MIN, "time of the least value [s]"},
    {"time_of_max", TMLI_TAKE_TIME_OF_MAX, "time of the largest value [s]"},
    {"mean", TMLI_TAKE_MEAN, "mean over time"},
    {"rms", TMLI_TAKE_RMS, "root of the mean square over time"},
    {"time_of_zero", TMLI_TAKE_TIME_OF_ZERO,
     "first time at which the value changes its sign, or reaches 0 [s]; a start at 0 is none"},
    {"event_time", TMLI_TAKE_EVENT_TIME, "time at which an event of the model ended the run [s]"},
    {"frequency", TMLI_TAKE_FREQUENCY, "damped frequency of an oscillation [Hz]"},
    {"damping", TMLI_TAKE_DAMPING, "damping ratio of an oscillation"},
    {"least_damped", TMLI_TAKE_LEAST_DAMPED, "smallest damping ratio of all oscillations"},
    {"growth", TMLI_TAKE_GROWTH, "largest real part of all eigenvalues [1/s]: > 0 is unstable"},
    {"value", TMLI_TAKE_VALUE, "an expression of other quantities and parameters"},
    {NULL, 0, NULL},
};
static const tmli_key_choice times[] = {
    {"start", TMLI_AT_START, "at the start of the run"},
    {"end", TMLI_AT_END, "at its end"},
    {NULL, 0, NULL},
};

static const tmli_field parameter_fields[] = {
    FIELD("values", LIST, ANY, "", "", PARAMETER(values),
          "the values, one after the other; in random samples all equally likely. `NAME: [...]` is the same",
          .flag = PARAMETER(count)),
    FIELD("from", NUMBER, ANY, "", "", PARAMETER(from), "one end of the range"),
    FIELD("to", NUMBER, ANY, "", "", PARAMETER(to), "the other end"),
    FIELD("count", INTEGER, POSITIVE, "", "", PARAMETER(steps),
          "grid and list: number of values of the range, ends included"),
    FIELD("distribution", CHOICE, ANY, "", "uniform", PARAMETER(distribution), "how values are distributed",
          .choices = distributions),
    FIELD("mean", NUMBER, ANY, "", "", PARAMETER(mean),
          "mean of a normal distribution, median of a log-normal one"),
    FIELD("deviation", NUMBER, NONNEGATIVE, "", "", PARAMETER(deviation),
          "standard deviation; log-normal: of the natural logarithm"),
    FIELD("unit", TEXT, ANY, "", "that of an input", PARAMETER(unit), "unit of the values, for labels"),
};
const tmli_schema tmli_schema_study_parameter =
    SCHEMA(ENTRY, "parameter", NULL, parameter_fields, sizeof(tmli_study_parameter), NULL,
           "A parameter or an input of the model, and the values it takes. One that is an input changes in "
           "place: if all are, the model is built once.");

#define BIT(x) (1u << (x))
static const tmli_field quantity_fields[] = {
    FIELD("take", CHOICE, ANY, "", "final", QUANTITY(take), "what is taken of the run", .choices = takes),
    TYPED("of", EXPRESSION, ANY, "", "", TMLI_TAKES_CURVE | BIT(TMLI_TAKE_VALUE),
          TMLI_TAKES_CURVE | BIT(TMLI_TAKE_VALUE), QUANTITY(of),
          "a channel, or an expression of channels and of the study's parameters; of a `value`: of other "
          "quantities and parameters. `NAME: EXPRESSION` is a `value`"),
    TYPED("event", WORD, ANY, "", "any event", BIT(TMLI_TAKE_EVENT_TIME), 0, QUANTITY(event),
          "name of the event; a run that it does not end gives nan"),
    TYPED("mode", INTEGER, POSITIVE, "", "1", TMLI_TAKES_MODE, 0, QUANTITY(mode),
          "number of the oscillation, by ascending frequency"),
    TYPED("at", CHOICE, ANY, "", "start", TMLI_TAKES_ROOTS, 0, QUANTITY(when),
          "the state beside which the motion is linearized", .choices = times),
    FIELD("unit", TEXT, ANY, "", "inferred", QUANTITY(unit),
          "unit of the value, for labels; without it that of the channels and quantities that it is made of"),
};
const tmli_schema tmli_schema_study_quantity =
    SCHEMA(ENTRY, "quantity", takes, quantity_fields, sizeof(tmli_study_quantity), NULL,
           "A number per member: a column of the table.");

static const tmli_field sampling_fields[] = {
    FIELD("method", CHOICE, ANY, "", "grid", SAMPLING(method), "how the parameters of members are chosen",
          .choices = samplings),
    FIELD("members", INTEGER, POSITIVE, "", "", SAMPLING(members), "number of members of a random sample"),
    FIELD("seed", INTEGER, NONNEGATIVE, "", "1", SAMPLING(seed), "another number gives another sample"),
};
const tmli_schema tmli_schema_study_sampling =
    SCHEMA(BLOCK, "sampling", NULL, sampling_fields, sizeof(tmli_study_sampling), NULL,
           "How the members are chosen. A member's parameters follow from seed and number alone.");

#define OPTIMIZE(m) offsetof(tmli_study_optimize, m)
static const tmli_field optimize_fields[] = {
    FIELD("minimize", EXPRESSION, ANY, "", "", OPTIMIZE(minimize),
          "a quantity, or an expression of quantities and parameters"),
    FIELD("maximize", EXPRESSION, ANY, "", "", OPTIMIZE(maximize), "the same, for the largest value"),
    FIELD("constraints", EXPRESSIONS, ANY, "", "none", 0,
          "expressions by name that must not be positive: `load: 500 - least_load`"),
    FIELD("method", WORD, ANY, "", "cobyla", OPTIMIZE(method),
          "search of NLopt without derivatives: cobyla (linear models; constraints), bobyqa (quadratic "
          "models), nelder-mead, subplex; in the whole range: direct, crs, isres (constraints)"),
    FIELD("evaluations", INTEGER, POSITIVE, "", "200", OPTIMIZE(evaluations), "most members"),
    FIELD("tolerance", NUMBER, POSITIVE, "", "1e-4", OPTIMIZE(tolerance),
          "the search ends when parameters change by less than this share of their ranges"),
};
const tmli_schema tmli_schema_study_optimize =
    SCHEMA(BLOCK, "optimize", NULL, optimize_fields, sizeof(tmli_study_optimize), NULL,
           "The search of the parameters with the least or largest value of a quantity, between `from` and "
           "`to`. Each evaluation is a member of the table.");

static const tmli_field study_fields[] = {
    FIELD("title", TEXT, ANY, "", "name of the file", HEAD(title), "one line, for reports"),
    TYPED("model", TEXT, ANY, "", "", ALL, ALL, HEAD(model),
          "model file, as seen from the folder of the study file"),
    FIELD("record", TEXT, ANY, "", "none", HEAD(record),
          "members whose time histories are written as results, NAME.memberN.h5: `all`, `best` (of a "
          "search), or their numbers, `0 3 7`"),
    FIELD("set", NUMBERS, ANY, "", "none", 0,
          "values of parameters of the model that are the same for all members"),
    FIELD("settings", BLOCK, ANY, "", "those of the model", 0,
          "settings of the runs: keys of the block `run` of a model file", .sub = &tmli_schema_run),
    FIELD("sampling", BLOCK, ANY, "", "grid", 0, "how members are chosen",
          .sub = &tmli_schema_study_sampling),
    FIELD("optimize", BLOCK, ANY, "", "", 0, "search an optimum, in place of a sampling",
          .sub = &tmli_schema_study_optimize),
    TYPED("parameters", ENTRIES, ANY, "", "", ALL, ALL, 0, "parameters by name, and the values they take",
          .sub = &tmli_schema_study_parameter),
    TYPED("quantities", ENTRIES, ANY, "", "", ALL, ALL, 0, "what each run gives, by name",
          .sub = &tmli_schema_study_quantity),
};
const tmli_schema tmli_schema_study = SCHEMA(MODEL, "study", NULL, study_fields, sizeof(tmli_study_head),
                                             NULL, "A model, what varies, and what is wanted of each run.");
