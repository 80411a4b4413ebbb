// The parameters of a member: a function of the study and of the number of the member. Which are recorded.
#include "study/file/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Streams of random numbers: one per parameter for values, one for orders, one for shifts.
enum { STREAM_VALUE = 0, STREAM_ORDER = 1 << 16, STREAM_SHIFT = 2 << 16 };

// ---- checks -----------------------------------------------------------------------------------------------

static bool has_range(const tmli_study_parameter *p) { return !isnan(p->from) && !isnan(p->to); }
static bool is_normal(const tmli_study_parameter *p)
{
    return p->distribution == TMLI_DISTRIBUTION_NORMAL || p->distribution == TMLI_DISTRIBUTION_LOG_NORMAL;
}
static bool is_log(const tmli_study_parameter *p)
{
    return p->distribution == TMLI_DISTRIBUTION_LOG_UNIFORM ||
           p->distribution == TMLI_DISTRIBUTION_LOG_NORMAL;
}

static int axis_length(const tmli_study_parameter *p) { return p->count ? p->count : p->steps; }

static tml_status check_parameter(const tml_study *s, const tmli_study_parameter *p, tml_error *err)
{
    const bool listed = s->sampling == TMLI_SAMPLING_GRID || s->sampling == TMLI_SAMPLING_LIST;
    if (p->count) return TML_OK;
    if (!listed && is_normal(p)) {
        if (isnan(p->mean) || isnan(p->deviation))
            return tmli_fail_at(err, TML_ERR_SYNTAX, p->at,
                                "parameter '%s': a normal distribution needs 'mean' and 'deviation'.",
                                p->name);
        if (is_log(p) && !(p->mean > 0))
            return tmli_fail_at(err, TML_ERR_MODEL, p->at,
                                "parameter '%s': the mean of a log-normal distribution is its median, > 0; "
                                "it is %g.",
                                p->name, p->mean);
        return TML_OK;
    }
    if (!has_range(p))
        return tmli_fail_at(err, TML_ERR_SYNTAX, p->at,
                            "parameter '%s' needs 'from' and 'to', or a list of 'values'.", p->name);
    if (listed && !p->steps)
        return tmli_fail_at(err, TML_ERR_SYNTAX, p->at,
                            "parameter '%s' needs 'count', the number of values from 'from' to 'to'.",
                            p->name);
    if (is_log(p) && !(p->from > 0 && p->to > 0))
        return tmli_fail_at(err, TML_ERR_MODEL, p->at,
                            "parameter '%s': 'from' and 'to' of a logarithmic range are %g and %g, expected "
                            "numbers > 0.",
                            p->name, p->from, p->to);
    return TML_OK;
}

static tml_status check_ranges(tml_study *s, tml_error *err)
{
    for (int i = 0; i < s->nparameters; i++) {
        const tmli_study_parameter *p = &s->parameter[i];
        if (!has_range(p) || !(p->from < p->to))
            return tmli_fail_at(err, TML_ERR_SYNTAX, p->at,
                                "parameter '%s': an optimum is searched between 'from' and 'to', from < to.",
                                p->name);
        if (is_log(p) && !(p->from > 0))
            return tmli_fail_at(err, TML_ERR_MODEL, p->at,
                                "parameter '%s': 'from' of a logarithmic range is %g, expected a number > 0.",
                                p->name, p->from);
    }
    s->members = s->optimize.evaluations;
    return TML_OK;
}

static tml_status count_listed(tml_study *s, tml_error *err)
{
    s->members = 1;
    for (int i = 0; i < s->nparameters; i++) {
        const tmli_study_parameter *p = &s->parameter[i];
        const long n = axis_length(p);
        if (s->sampling == TMLI_SAMPLING_LIST) {
            if (i > 0 && n != s->members)
                return tmli_fail_at(err, TML_ERR_MODEL, p->at,
                                    "parameter '%s' has %ld values, but '%s' has %ld: a list takes the k-th "
                                    "value of each.",
                                    p->name, n, s->parameter[0].name, s->members);
            s->members = n;
        } else {
            s->members = n > TMLI_STUDY_MEMBERS / s->members ? TMLI_STUDY_MEMBERS + 1L : s->members * n;
        }
    }
    return TML_OK;
}

static tml_status count_members(tml_study *s, tml_error *err)
{
    const tml_mark at = {s->path, 0, 0};
    if (s->optimize.wanted) return check_ranges(s, err);
    for (int i = 0; i < s->nparameters; i++) {
        const tml_status st = check_parameter(s, &s->parameter[i], err);
        if (st != TML_OK) return st;
    }
    if (s->sampling == TMLI_SAMPLING_GRID || s->sampling == TMLI_SAMPLING_LIST) return count_listed(s, err);
    if (s->wanted < 1)
        return tmli_fail_at(err, TML_ERR_SYNTAX, at,
                            "'sampling' lacks the key 'members': how many runs to make.");
    const int per_parameter = s->sampling == TMLI_SAMPLING_SALTELLI ? 2 : 1;
    const bool sobol = s->sampling == TMLI_SAMPLING_SOBOL || s->sampling == TMLI_SAMPLING_SALTELLI;
    if (sobol && s->nparameters * per_parameter > TMLI_SOBOL_DIMENSIONS)
        return tmli_fail_at(err, TML_ERR_MODEL, at,
                            "The study has %d parameters; Sobol samples are for at most %d here.",
                            s->nparameters, TMLI_SOBOL_DIMENSIONS / per_parameter);
    s->members = s->wanted;
    if (s->sampling == TMLI_SAMPLING_SALTELLI) s->members = (long)s->wanted * (s->nparameters + 2);
    return TML_OK;
}

tml_status tmli_sample_check(tml_study *s, tml_error *err)
{
    const tml_status st = count_members(s, err);
    if (st != TML_OK || s->members <= TMLI_STUDY_MEMBERS) return st;
    return tmli_fail_at(err, TML_ERR_MODEL, (tml_mark){s->path, 0, 0},
                        "The study has more than %d members: its table would not fit into memory.",
                        TMLI_STUDY_MEMBERS);
}

// ---- values -----------------------------------------------------------------------------------------------

// A value of an axis of a grid or list.
static double axis_value(const tmli_study_parameter *p, long k)
{
    if (p->count) return p->values[k];
    if (k == 0) return p->from;
    if (k == p->steps - 1) return p->to;
    const double w = (double)k / (double)(p->steps - 1);
    return is_log(p) ? p->from * pow(p->to / p->from, w) : p->from + w * (p->to - p->from);
}

double tmli_sample_range(const tmli_study_parameter *p, double u)
{
    if (u <= 0) return p->from;
    if (u >= 1) return p->to;
    return is_log(p) ? p->from * pow(p->to / p->from, u) : p->from + u * (p->to - p->from);
}

// The quantile u of the parameter's distribution.
static double quantile(const tmli_study_parameter *p, double u)
{
    if (p->count) return p->values[(int)fmin(u * p->count, p->count - 1)];
    switch (p->distribution) {
    case TMLI_DISTRIBUTION_UNIFORM: break;
    case TMLI_DISTRIBUTION_LOG_UNIFORM: return p->from * pow(p->to / p->from, u);
    case TMLI_DISTRIBUTION_NORMAL: return p->mean + p->deviation * tmli_normal_quantile(u);
    case TMLI_DISTRIBUTION_LOG_NORMAL: return p->mean * exp(p->deviation * tmli_normal_quantile(u));
    }
    return p->from + u * (p->to - p->from);
}

// Sobol's sequence with a random digital shift: the points stay as even, and none of them is at 0.
static double sobol_unit(const tml_study *s, long point, int dimension)
{
    const uint32_t shift =
        (uint32_t)(tmli_random_bits((uint64_t)s->seed, 0, (uint64_t)(STREAM_SHIFT + dimension)) >> 32);
    return ((double)(tmli_sobol((uint32_t)point, dimension) ^ shift) + 0.5) * 0x1p-32;
}

// Saltelli's design (Comput. Phys. Commun. 145, 2002): for each of N points of two independent samples A and
// B the members A, B, and A with parameter j from B for each j.
static double saltelli_unit(const tml_study *s, long member, int j)
{
    const int n = s->nparameters;
    const long point = member / (n + 2), which = member % (n + 2);
    const bool from_b = which == 1 || which == 2 + j;
    return sobol_unit(s, point, from_b ? n + j : j);
}

static double unit(const tml_study *s, long member, int j)
{
    const uint64_t seed = (uint64_t)s->seed, i = (uint64_t)member, stream = (uint64_t)j;
    const double random = tmli_random_unit(tmli_random_bits(seed, i, STREAM_VALUE + stream));
    switch (s->sampling) {
    case TMLI_SAMPLING_LATIN_HYPERCUBE: {  // each of N layers of every parameter has one member
        const uint64_t layer = tmli_random_place(seed, STREAM_ORDER + stream, (uint64_t)s->members, i);
        return fmin(((double)layer + random) / (double)s->members, 1 - 0x1p-53);
    }
    case TMLI_SAMPLING_SOBOL: return sobol_unit(s, member, j);
    case TMLI_SAMPLING_SALTELLI: return saltelli_unit(s, member, j);
    default: return random;
    }
}

void tmli_sample(const tml_study *s, long member, double *values)
{
    long rest = member;
    for (int j = s->nparameters - 1; j >= 0; j--) {  // of a grid the last parameter changes fastest
        const tmli_study_parameter *p = &s->parameter[j];
        if (s->sampling == TMLI_SAMPLING_GRID) {
            values[j] = axis_value(p, rest % axis_length(p));
            rest /= axis_length(p);
        } else if (s->sampling == TMLI_SAMPLING_LIST) {
            values[j] = axis_value(p, member);
        } else {
            values[j] = quantile(p, unit(s, member, j));
        }
    }
}

// ---- which of them are recorded ---------------------------------------------------------------------------

// The next number of a list; *text moves behind it. -1: something else, or the end.
static long next_number(const char **text)
{
    *text += strspn(*text, " ,");
    if (**text < '0' || **text > '9') return -1;
    char *end = NULL;
    const long number = strtol(*text, &end, 10);
    *text = end;
    return number;
}

static bool is_list(const char *text)
{
    return text[strspn(text, "0123456789 ,")] == '\0' && text[0] != '\0';
}

tml_status tmli_record_check(const tml_study *s, tml_error *err)
{
    if (!s->record || strcmp(s->record, "all") == 0) return TML_OK;
    if (strcmp(s->record, "best") == 0) {
        if (s->optimize.wanted) return TML_OK;
        return tmli_fail_at(err, TML_ERR_SYNTAX, s->record_at,
                            "record: the study searches no optimum; name members by their numbers, or all.");
    }
    if (!is_list(s->record))
        return tmli_fail_at(err, TML_ERR_SYNTAX, s->record_at,
                            "record: '%.60s' is neither all nor best nor numbers of members such as 0 3 7.",
                            s->record);
    const char *text = s->record;
    for (long k = next_number(&text); k >= 0; k = next_number(&text))
        if (k >= s->members)
            return tmli_fail_at(err, TML_ERR_SYNTAX, s->record_at,
                                "record: there is no member %ld, the study has 0 .. %ld.", k, s->members - 1);
    return TML_OK;
}

bool tml_study_records(const tml_study *study, long member, long best)
{
    if (!study || !study->record || member < 0) return false;
    if (strcmp(study->record, "all") == 0) return true;
    if (strcmp(study->record, "best") == 0) return member == best;
    const char *text = study->record;
    for (long k = next_number(&text); k >= 0; k = next_number(&text))
        if (k == member) return true;
    return false;
}
