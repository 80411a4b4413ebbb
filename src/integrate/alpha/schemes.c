// The schemes of the alpha family: parameters and tables.
//
//             am                      af              gamma                  beta               order
//   genalpha  (2 rho - 1)/(rho + 1)   rho/(rho + 1)   1/2 - am + af          (gamma + 1/2)^2/4  2
//   hht       0                       -alpha          1/2 - alpha            (1 - alpha)^2/4    2
//   newmark   0                       0               (3 - rho)/(2 + 2 rho)  as genalpha       2, 1 (rho < 1)
//   midpoint  1/2                     1/2             1/2                    1/4                2   (inner)
#include "integrate/alpha/alpha.h"
#include "integrate/core/methods.h"

#include <math.h>

#include "integrate/alpha/constants.h"

static tml_status rho_of(const tml_integrator_options *opt, double own, double *rho, tml_error *err)
{
    *rho = isnan(opt->run.rho) ? own : opt->run.rho;
    if (!(*rho >= 0 && *rho <= 1))
        return tmli_fail(err, TML_ERR_ARG, "rho = %g is outside of its range 0 .. 1", *rho);
    return TML_OK;
}

static double beta_of(double gamma) { return (gamma + 0.5) * (gamma + 0.5) / 4; }

static tml_status create_genalpha(const tml_system *sys, const tml_integrator_options *opt, void **self,
                                  tml_error *err)
{
    double rho;
    *self = NULL;
    tml_status st = rho_of(opt, DEFAULT_RHO, &rho, err);
    if (st != TML_OK) return st;
    tmli_alpha_scheme s = {.am = (2 * rho - 1) / (rho + 1),
                           .af = rho / (rho + 1),
                           .inner = opt->run.placement == TML_PLACEMENT_INNER};
    // without damping a = udot holds at the start and stays: the trapezoidal rule, without the round-off of
    // its differences
    if (rho == 1 && !s.inner) s.am = s.af = 0;
    s.gamma = 0.5 - s.am + s.af;
    s.beta = beta_of(s.gamma);
    return tmli_alpha_create(sys, opt, &s, self, err);
}

static tml_status create_hht(const tml_system *sys, const tml_integrator_options *opt, void **self,
                             tml_error *err)
{
    *self = NULL;
    const double alpha = isnan(opt->run.alpha) ? -DEFAULT_HHT_SHARE / 3 : opt->run.alpha;
    if (!(alpha >= -1.0 / 3 && alpha <= 0))
        return tmli_fail(err, TML_ERR_ARG, "alpha = %g is outside of its range -1/3 .. 0", alpha);
    const tmli_alpha_scheme s = {.af = -alpha,
                                 .gamma = 0.5 - alpha,
                                 .beta = beta_of(0.5 - alpha),
                                 .inner = opt->run.placement == TML_PLACEMENT_INNER};
    return tmli_alpha_create(sys, opt, &s, self, err);
}

static tml_status create_newmark(const tml_system *sys, const tml_integrator_options *opt, void **self,
                                 tml_error *err)
{
    double rho;
    *self = NULL;
    tml_status st = rho_of(opt, 1, &rho, err);
    if (st != TML_OK) return st;
    const double gamma = (3 - rho) / (2 * (1 + rho));
    const tmli_alpha_scheme s = {.gamma = gamma, .beta = beta_of(gamma)};
    return tmli_alpha_create(sys, opt, &s, self, err);
}

static tml_status create_midpoint(const tml_system *sys, const tml_integrator_options *opt, void **self,
                                  tml_error *err)
{
    const tmli_alpha_scheme s = {.am = 0.5, .af = 0.5, .gamma = 0.5, .beta = 0.25, .inner = true};
    return tmli_alpha_create(sys, opt, &s, self, err);
}

static double genalpha_radius(const tml_integrator_options *opt)
{
    return isnan(opt->run.rho) ? DEFAULT_RHO : opt->run.rho;
}
static double newmark_radius(const tml_integrator_options *opt)
{
    return isnan(opt->run.rho) ? 1 : opt->run.rho;
}
static double hht_radius(const tml_integrator_options *opt)
{
    const double alpha = isnan(opt->run.alpha) ? -DEFAULT_HHT_SHARE / 3 : opt->run.alpha;
    return (1 + alpha) / (1 - alpha);
}
static double midpoint_radius(const tml_integrator_options *opt)
{
    (void)opt;
    return 1;
}

#define ALPHA_FUNCTIONS                                                                                    \
    .start = tmli_alpha_start, .first_step = tmli_alpha_first_step, .step = tmli_alpha_step,               \
    .next_step = tmli_alpha_next_step, .accept = tmli_alpha_accept, .interpolate = tmli_alpha_interpolate, \
    .state = tmli_alpha_state, .counters = tmli_alpha_counters, .condition = tmli_alpha_condition,         \
    .conditioning = tmli_alpha_conditioning, .destroy = tmli_alpha_destroy, .archive = tmli_alpha_archive, \
    .inputs_changed = tmli_alpha_inputs_changed

const tml_method_ops tmli_method_genalpha = {
    .name = "genalpha",
    .one_step = true,
    .summary = "generalized-alpha with adjustable numerical damping (rho)",
    .form = "index 3",
    .stability = "A-stable, spectral radius rho at infinity",
    .citation = "Arnold & Bruels 2007; Chung & Hulbert 1993; Dymore user's manual, (5) - (14)",
    .order = 2,
    .equations = TML_EQUATIONS_INDEX3,
    .inner_point = true,
    .radius_at_infinity = genalpha_radius,
    .create = create_genalpha,
    ALPHA_FUNCTIONS,
};

const tml_method_ops tmli_method_hht = {
    .name = "hht",
    .one_step = true,
    .summary = "HHT-alpha with adjustable numerical damping (alpha)",
    .form = "index 3",
    .stability = "A-stable, spectral radius (1 + alpha)/(1 - alpha) at infinity",
    .citation = "Hilber, Hughes & Taylor 1977; Negrut et al. 2007",
    .order = 2,
    .equations = TML_EQUATIONS_INDEX3,
    .inner_point = true,
    .radius_at_infinity = hht_radius,
    .create = create_hht,
    ALPHA_FUNCTIONS,
};

const tml_method_ops tmli_method_newmark = {
    .name = "newmark",
    .one_step = true,
    .summary = "Newmark's trapezoidal rule; with rho < 1 damped, of first order",
    .form = "index 3",
    .stability = "A-stable, spectral radius rho at infinity",
    .citation = "Newmark 1959",
    .order = 2,
    .equations = TML_EQUATIONS_INDEX3,
    .radius_at_infinity = newmark_radius,
    .create = create_newmark,
    ALPHA_FUNCTIONS,
};

const tml_method_ops tmli_method_midpoint = {
    .name = "midpoint",
    .one_step = true,
    .summary = "implicit midpoint rule",
    .form = "index 3",
    .stability = "A-stable, no damping",
    .citation = "Bauchau, Epple & Bottasso 2009, (9), (19)",
    .order = 2,
    .equations = TML_EQUATIONS_INDEX3,
    .inner_point = true,
    .radius_at_infinity = midpoint_radius,
    .create = create_midpoint,
    ALPHA_FUNCTIONS,
};
