// The convergence monitor; equation numbers as in convergence.h.
#include "integrate/newton/convergence.h"
#include "base/layout.h"

#include "integrate/newton/constants.h"

tmli_newton tmli_newton_create(bool fixed, tml_scaling scaling)
{
    return (tmli_newton){.fixed = fixed,
                         .unscaled = scaling == TML_SCALING_NONE || scaling == TML_SCALING_LEFT,
                         .rate = TMLI_SLOW_RATE};
}

void tmli_newton_begin(tmli_newton *m, double tol, double roundoff, bool fresh, bool exact)
{
    m->tol = tol;
    m->roundoff = roundoff;
    m->fresh = fresh;
    m->exact = exact;
    m->renewed = false;
    m->iterations = 0;
    m->size = m->first = m->worst = 0;
    m->exact_size = m->exact_rate = 0;
    m->remaining = m->exact_remaining = INFINITY;
}

double tmli_newton_remaining(const tmli_newton *m) { return m->rate / (1 - m->rate); }

// (4) With the matrix of an exact correction before it, the rate still obeys the law, but the next rate will
// not be smaller.
static void add_exact(tmli_newton *m)
{
    const double rate = m->exact_size > 0 ? m->size / m->exact_size : 0;
    const bool law = m->exact_rate > 0 && rate > 0 && rate <= QUADRATIC_SLACK * m->exact_rate * m->exact_rate;
    m->exact_remaining = law ? QUADRATIC_SLACK * rate * (m->exact ? rate : 1) * m->size : (double)INFINITY;
    m->exact_rate = m->exact ? rate : 0;
    m->exact_size = m->exact ? m->size : 0;
}

// (4) One more iteration with the present matrix would leave more than the tolerance; false if not known.
static bool exact_wants_matrix(const tmli_newton *m)
{
    const double next = m->exact_rate * m->exact_rate, slack = QUADRATIC_SLACK * QUADRATIC_SLACK;
    return m->exact_rate > 0 && m->exact_rate < 1 && slack * next * next * m->exact_size > m->tol;
}

// (3)
static bool wants_matrix(const tmli_newton *m, double rate)
{
    const double left = log(m->tol / m->remaining) / log(fmin(rate, SLOWEST_RATE));
    if (left > (m->fixed ? FACTOR_COST_FIXED : FACTOR_COST)) return true;
    return m->fixed && (m->size > TMLI_NEWTON_LARGE_CORRECTION || exact_wants_matrix(m));
}

tmli_verdict tmli_newton_judge(tmli_newton *m, double size, double weighed)
{
    m->iterations++;
    m->last = m->size;
    m->size = size;
    if (m->iterations == 1) m->first = size;
    const double ratio = m->iterations > 1 ? size / m->last : 0, rate = m->renewed ? 0 : ratio;
    const double level = TMLI_NEWTON_RATE_FROM * m->roundoff;
    if (m->iterations > 1 && m->last > level) {
        const double least = m->renewed ? (m->unscaled ? 0 : m->last) : RATE_MEMORY * m->rate;  // (5)
        m->rate = fmin(fmax(least, ratio), SLOWEST_RATE);
        if (size > m->roundoff) m->worst = fmax(m->worst, rate);
    }
    const bool slow = rate > TMLI_STALLED_RATE && size < fmax(STAGNATION * m->roundoff, STAGNATION_OF_FORCES);
    const bool at_roundoff = size < m->roundoff || (slow && m->fresh);
    const bool stuck = m->iterations > PATIENCE && rate > SLOWEST_RATE;
    // at a fixed step the first correction with a new matrix may bring more in than it takes out
    const bool early = m->fixed && m->fresh && m->iterations <= PATIENCE;
    if (!at_roundoff && ((rate > TMLI_NEWTON_DIVERGENCE && !early) || stuck)) return TMLI_DIVERGED;
    if (!m->fixed && !m->unscaled && size > 1) return TMLI_DIVERGED;
    m->remaining = tmli_newton_remaining(m) * (at_roundoff ? fmin(weighed, m->remaining) : weighed);
    add_exact(m);
    if (m->fixed) m->remaining = fmin(m->remaining, m->exact_remaining);
    const bool unexpected =
        m->iterations == 1 && (m->fixed || (size > UNEXPECTED * m->usual && size > m->roundoff));
    if (m->remaining <= m->tol && !unexpected) return TMLI_CONVERGED;
    if (at_roundoff && m->fresh && m->iterations >= MAX_ROUNDOFF_ITERATIONS - m->fixed) return TMLI_CONVERGED;
    if (m->iterations >= (m->fixed ? MAX_ITERATIONS_FIXED : MAX_ITERATIONS)) return TMLI_DIVERGED;
    m->exact = m->renewed = false;
    // what looks like round-off may be the slow convergence of an old matrix
    const bool suspect = slow || m->iterations >= MAX_ROUNDOFF_ITERATIONS - 2 * m->fixed;
    if (suspect && !m->fresh) return TMLI_RENEW;
    return !at_roundoff && wants_matrix(m, rate) ? TMLI_RENEW : TMLI_ITERATE;
}

void tmli_newton_renewed(tmli_newton *m, bool exact)
{
    m->fresh = m->renewed = true;
    m->exact = exact;
}

bool tmli_newton_end(tmli_newton *m, int *max_iterations)
{
    if (m->iterations > *max_iterations) *max_iterations = m->iterations;
    if (m->iterations == 1) m->rate = fmin(RATE_AGEING * m->rate, SLOWEST_RATE);
    m->usual = m->first;
    return m->worst > (m->fixed ? REFACTOR_RATE_FIXED : TMLI_SLOW_RATE) ||
           (m->fixed && m->first > FIRST_CORRECTION);
}

static const char *scaling_hint(const tmli_newton *m)
{
    return m->unscaled    ? "; the equations are not scaled (option scaling)"
           : m->step_free ? "; their scaling does not grow as the step falls (m of the option scaling)"
                          : "";
}

tml_status tmli_newton_fail(const tmli_newton *m, double t, tml_error *err)
{
    return tmli_fail(
        err, TML_RETRY,
        "Newton's corrections went from %g to %g lengths in iteration %d at t = %g s, wanted %g%s", m->last,
        m->size, m->iterations, t, m->tol, scaling_hint(m));
}

bool tmli_newton_at_limit(const tmli_newton *m) { return m->iterations >= MAX_ITERATIONS_FIXED; }

tml_status tmli_newton_check_saturated(const tmli_newton *m, double size, double gyration_ratio, double t,
                                       tml_error *err)
{
    // with k < 1 in kernel.h (2) corrections far below the round-off of the positions may still fall slowly
    const double limit =
        tmli_newton_at_limit(m) ? STAGNATION * TMLI_NEWTON_ROUNDOFF * gyration_ratio : SATURATED_LIMIT;
    if (size <= limit) return TML_OK;
    return tmli_fail(err, TML_RETRY,
                     "Newton's corrections are %g lengths after %d iterations at t = %g s: no convergence%s",
                     size, m->iterations, t, scaling_hint(m));
}

static const tmli_span FIELDS[] = {TMLI_NUMBERS(tmli_newton, fresh, exact),
                                   TMLI_NUMBERS(tmli_newton, iterations, iterations),
                                   TMLI_NUMBERS(tmli_newton, rate, exact_remaining),
                                   {0}};

void tmli_newton_archive(tmli_newton *m, tml_archive *a) { tmli_spans_archive(FIELDS, NULL, m, a); }
