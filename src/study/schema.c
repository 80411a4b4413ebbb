// Keys of study files; the same tables drive the reader and the reference (docs/study-file.md).
#include "spec/schema_tables.h"
#include "study/study.h"

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
    {"time_of_zero", TMLI_TAKE_TIME_OF_ZERO, "first time at which the value changes its sign [s]"},
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
    {"values", TMLI_FIELD_LIST, TMLI_RANGE_ANY, "", "", ALL, 0, PARAMETER(values), PARAMETER(count), NULL,
     NULL,
     "the values, one after the other; in random samples all equally likely. `NAME: [...]` is the same"},
    {"from", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "", "", ALL, 0, PARAMETER(from), 0, NULL, NULL,
     "one end of the range"},
    {"to", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "", "", ALL, 0, PARAMETER(to), 0, NULL, NULL, "the other end"},
    {"count", TMLI_FIELD_INTEGER, TMLI_RANGE_POSITIVE, "", "", ALL, 0, PARAMETER(steps), 0, NULL, NULL,
     "grid and list: number of values of the range, ends included"},
    {"distribution", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "uniform", ALL, 0, PARAMETER(distribution), 0,
     distributions, NULL, "how values are distributed"},
    {"mean", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "", "", ALL, 0, PARAMETER(mean), 0, NULL, NULL,
     "mean of a normal distribution, median of a log-normal one"},
    {"deviation", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "", "", ALL, 0, PARAMETER(deviation), 0, NULL,
     NULL, "standard deviation; log-normal: of the natural logarithm"},
    {"unit", TMLI_FIELD_TEXT, TMLI_RANGE_ANY, "", "that of an input", ALL, 0, PARAMETER(unit), 0, NULL, NULL,
     "unit of the values, for labels"},
};
const tmli_schema tmli_schema_study_parameter = {
    TMLI_SCHEMA_ENTRY,
    "parameter",
    "A parameter or an input of the model, and the values it takes. One that is an input changes in place: "
    "if all are, the model is built once.",
    NULL,
    COUNT(parameter_fields),
    parameter_fields,
    sizeof(tmli_study_parameter),
    NULL};

#define BIT(x) (1u << (x))
static const tmli_field quantity_fields[] = {
    {"take", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "final", ALL, 0, QUANTITY(take), 0, takes, NULL,
     "what is taken of the run"},
    {"of", TMLI_FIELD_EXPRESSION, TMLI_RANGE_ANY, "", "", TMLI_TAKES_CURVE | BIT(TMLI_TAKE_VALUE),
     TMLI_TAKES_CURVE | BIT(TMLI_TAKE_VALUE), QUANTITY(of), 0, NULL, NULL,
     "a channel, or an expression of channels and of the study's parameters; of a `value`: of other "
     "quantities and parameters. `NAME: EXPRESSION` is a `value`"},
    {"event", TMLI_FIELD_WORD, TMLI_RANGE_ANY, "", "any event", BIT(TMLI_TAKE_EVENT_TIME), 0, QUANTITY(event),
     0, NULL, NULL, "name of the event; a run that it does not end gives nan"},
    {"mode", TMLI_FIELD_INTEGER, TMLI_RANGE_POSITIVE, "", "1", TMLI_TAKES_MODE, 0, QUANTITY(mode), 0, NULL,
     NULL, "number of the oscillation, by ascending frequency"},
    {"at", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "start", TMLI_TAKES_ROOTS, 0, QUANTITY(when), 0, times,
     NULL, "the state beside which the motion is linearized"},
    {"unit", TMLI_FIELD_TEXT, TMLI_RANGE_ANY, "", "inferred", ALL, 0, QUANTITY(unit), 0, NULL, NULL,
     "unit of the value, for labels; without it that of the channels and quantities that it is made of"},
};
const tmli_schema tmli_schema_study_quantity = {TMLI_SCHEMA_ENTRY,
                                                "quantity",
                                                "A number per member: a column of the table.",
                                                takes,
                                                COUNT(quantity_fields),
                                                quantity_fields,
                                                sizeof(tmli_study_quantity),
                                                NULL};

static const tmli_field sampling_fields[] = {
    {"method", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "grid", ALL, 0, SAMPLING(method), 0, samplings, NULL,
     "how the parameters of members are chosen"},
    {"members", TMLI_FIELD_INTEGER, TMLI_RANGE_POSITIVE, "", "", ALL, 0, SAMPLING(members), 0, NULL, NULL,
     "number of members of a random sample"},
    {"seed", TMLI_FIELD_INTEGER, TMLI_RANGE_NONNEGATIVE, "", "1", ALL, 0, SAMPLING(seed), 0, NULL, NULL,
     "another number gives another sample"},
};
const tmli_schema tmli_schema_study_sampling = {TMLI_SCHEMA_BLOCK,
                                                "sampling",
                                                "How the members are chosen. A member's parameters follow "
                                                "from seed and number alone.",
                                                NULL,
                                                COUNT(sampling_fields),
                                                sampling_fields,
                                                sizeof(tmli_study_sampling),
                                                NULL};

#define OPTIMIZE(m) offsetof(tmli_study_optimize, m)
static const tmli_field optimize_fields[] = {
    {"minimize", TMLI_FIELD_EXPRESSION, TMLI_RANGE_ANY, "", "", ALL, 0, OPTIMIZE(minimize), 0, NULL, NULL,
     "a quantity, or an expression of quantities and parameters"},
    {"maximize", TMLI_FIELD_EXPRESSION, TMLI_RANGE_ANY, "", "", ALL, 0, OPTIMIZE(maximize), 0, NULL, NULL,
     "the same, for the largest value"},
    {"constraints", TMLI_FIELD_EXPRESSIONS, TMLI_RANGE_ANY, "", "none", ALL, 0, 0, 0, NULL, NULL,
     "expressions by name that must not be positive: `load: 500 - least_load`"},
    {"method", TMLI_FIELD_WORD, TMLI_RANGE_ANY, "", "cobyla", ALL, 0, OPTIMIZE(method), 0, NULL, NULL,
     "search of NLopt without derivatives: cobyla (linear models; constraints), bobyqa (quadratic models), "
     "nelder-mead, subplex; in the whole range: direct, crs, isres (constraints)"},
    {"evaluations", TMLI_FIELD_INTEGER, TMLI_RANGE_POSITIVE, "", "200", ALL, 0, OPTIMIZE(evaluations), 0,
     NULL, NULL, "most members"},
    {"tolerance", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "", "1e-4", ALL, 0, OPTIMIZE(tolerance), 0, NULL,
     NULL, "the search ends when parameters change by less than this share of their ranges"},
};
const tmli_schema tmli_schema_study_optimize = {
    TMLI_SCHEMA_BLOCK,
    "optimize",
    "The search of the parameters with the least or largest value of a quantity, between `from` and `to`. "
    "Each evaluation is a member of the table.",
    NULL,
    COUNT(optimize_fields),
    optimize_fields,
    sizeof(tmli_study_optimize),
    NULL};

static const tmli_field study_fields[] = {
    {"title", TMLI_FIELD_TEXT, TMLI_RANGE_ANY, "", "name of the file", ALL, 0, HEAD(title), 0, NULL, NULL,
     "one line, for reports"},
    {"model", TMLI_FIELD_TEXT, TMLI_RANGE_ANY, "", "", ALL, ALL, HEAD(model), 0, NULL, NULL,
     "model file, as seen from the folder of the study file"},
    {"record", TMLI_FIELD_TEXT, TMLI_RANGE_ANY, "", "none", ALL, 0, HEAD(record), 0, NULL, NULL,
     "members whose time histories are written as results, NAME.memberN.h5: `all`, `best` (of a search), or "
     "their numbers, `0 3 7`"},
    {"set", TMLI_FIELD_NUMBERS, TMLI_RANGE_ANY, "", "none", ALL, 0, 0, 0, NULL, NULL,
     "values of parameters of the model that are the same for all members"},
    {"settings", TMLI_FIELD_BLOCK, TMLI_RANGE_ANY, "", "those of the model", ALL, 0, 0, 0, NULL,
     &tmli_schema_run, "settings of the runs: keys of the block `run` of a model file"},
    {"sampling", TMLI_FIELD_BLOCK, TMLI_RANGE_ANY, "", "grid", ALL, 0, 0, 0, NULL,
     &tmli_schema_study_sampling, "how members are chosen"},
    {"optimize", TMLI_FIELD_BLOCK, TMLI_RANGE_ANY, "", "", ALL, 0, 0, 0, NULL, &tmli_schema_study_optimize,
     "search an optimum, in place of a sampling"},
    {"parameters", TMLI_FIELD_ENTRIES, TMLI_RANGE_ANY, "", "", ALL, ALL, 0, 0, NULL,
     &tmli_schema_study_parameter, "parameters by name, and the values they take"},
    {"quantities", TMLI_FIELD_ENTRIES, TMLI_RANGE_ANY, "", "", ALL, ALL, 0, 0, NULL,
     &tmli_schema_study_quantity, "what each run gives, by name"},
};
const tmli_schema tmli_schema_study = {TMLI_SCHEMA_MODEL,
                                       "study",
                                       "A model, what varies, and what is wanted of each run.",
                                       NULL,
                                       COUNT(study_fields),
                                       study_fields,
                                       sizeof(tmli_study_head),
                                       NULL};
