// Hessenberg systems by callbacks, regularized and integrated by IDA: the public part; see
// hessenberg.h.
#include "hessenberg/internal.h"

#include "integrate/regularized/ida.h"
#include "linalg/pattern/pattern.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "hessenberg/constants.h"

struct tml_hessenberg {
    tml_env env;
    tmli_hessenberg_eq eq;
    tml_pattern *pattern;
    tmli_ida *ida;
    bool *unjudged;
    double t;
    double *u;  // (size) X and y at t
};

bool tml_hessenberg_available(void) { return tmli_ida_available(); }

tml_hessenberg_def tml_hessenberg_def_default(void)
{
    return (tml_hessenberg_def){.size = sizeof(tml_hessenberg_def),
                                .order = 1,
                                .regularization = TML_REGULARIZATION_TRUST_REGION,
                                .gamma = 1e3,
                                .epsilon = 1e-6,
                                .rtol = 1e-5,
                                .atol = 1e-5,
                                .max_order = 5,
                                .max_steps = 1000000};
}

static tml_status check_numbers(const tml_hessenberg_def *d, tml_error *err)
{
    const struct {
        const char *name;
        double value;
        bool zero;
    } number[] = {{"gamma", d->gamma, true},      {"epsilon", d->epsilon, true},
                  {"radius", d->radius, true},    {"mass_shift", d->mass_shift, true},
                  {"rtol", d->rtol, true},        {"atol", d->atol, false},
                  {"max_step", d->max_step, true}};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        if (!(isfinite(number[i].value) && (number[i].value > 0 || (number[i].zero && number[i].value == 0))))
            return tmli_fail(err, TML_ERR_ARG, "a Hessenberg system has %s = %g, expected a number %s 0",
                             number[i].name, number[i].value, number[i].zero ? ">=" : ">");
    return TML_OK;
}

static tml_status check(const tml_hessenberg_def *d, tml_error *err)
{
    if (!d || d->size != sizeof *d)
        return tmli_fail(err, TML_ERR_ARG,
                         "the definition of a Hessenberg system is not one of tml_hessenberg_def_default()");
    if (d->order < 1 || d->order > TML_HESSENBERG_ORDER)
        return tmli_fail(err, TML_ERR_ARG, "a Hessenberg system has order %d, expected 1 .. %d", d->order,
                         TML_HESSENBERG_ORDER);
    if (d->level < 0 || d->level >= d->order)
        return tmli_fail(err, TML_ERR_ARG, "a Hessenberg system of order %d has level %d, expected 0 .. %d",
                         d->order, d->level, d->order - 1);
    if (d->nx < 1 || d->ny < 1 || d->nx > LARGEST_SYSTEM || d->ny > LARGEST_SYSTEM)
        return tmli_fail(err, TML_ERR_ARG, "a Hessenberg system has nx = %d and ny = %d, expected 1 .. %d",
                         d->nx, d->ny, LARGEST_SYSTEM);
    if (!d->force || !d->input || !d->constraint || !d->x0)
        return tmli_fail(err, TML_ERR_ARG, "a Hessenberg system needs force, input, constraint and x0");
    if (d->judged < 0 || d->judged > d->order)
        return tmli_fail(err, TML_ERR_ARG,
                         "a Hessenberg system of order %d judges %d blocks, expected 0 .. %d", d->order,
                         d->judged, d->order);
    if (d->max_order < 1 || d->max_order > 5)
        return tmli_fail(err, TML_ERR_ARG, "max_order = %d is outside of its range 1 .. 5", d->max_order);
    const bool trust = d->regularization == TML_REGULARIZATION_TRUST_REGION;
    if (d->radius > 0 && !(trust && d->epsilon > 0 && d->gamma > 0))
        return tmli_fail(err, TML_ERR_ARG,
                         "a Hessenberg system has radius = %g, which needs the trust-region regularization "
                         "with gamma > 0 and epsilon > 0, the least epsilon",
                         d->radius);
    return check_numbers(d, err);
}

// ---- callbacks of IDA -------------------------------------------------------------------------------------

static tml_status residual(double t, const double *y, const double *yp, double *r, void *user, tml_error *err)
{
    return tmli_hessenberg_residual(user, t, y, yp, r, err);
}

static tml_status matrix(double t, double cj, const double *y, const double *yp, double *values, void *user,
                         tml_error *err)
{
    return tmli_hessenberg_matrix(user, t, cj, y, yp, values, err);
}

static void weigh(const double *y, double *allowed, void *user)
{
    const tmli_hessenberg_eq *e = user;
    for (int i = 0; i < e->size; i++) allowed[i] = e->def.rtol * fabs(y[i]) + e->def.atol;
}

// ---- creation ---------------------------------------------------------------------------------------------

static tml_status build(tml_hessenberg *h, const tml_hessenberg_def *def, tml_error *err)
{
    tml_status st = tmli_hessenberg_eq_init(def, &h->env, &h->eq, err);
    if (st != TML_OK) return st;
    const int size = h->eq.size, judged = (def->judged ? def->judged : def->level + 1) * def->nx;
    h->u = tmli_calloc(&h->env, (size_t)size, sizeof *h->u);
    h->unjudged = tmli_calloc(&h->env, (size_t)size, sizeof *h->unjudged);
    if (!h->u || !h->unjudged) return tmli_no_memory(err, "Hessenberg system");
    for (int i = judged; i < size; i++) h->unjudged[i] = true;
    st = tmli_pattern_create(1, &(int32_t){size}, &(uint8_t){0}, 0, NULL, NULL, NULL, NULL, NULL, &h->env,
                             &h->pattern, err);
    if (st != TML_OK) return st;
    const tmli_ida_def ida = {.env = h->env,
                              .size = size,
                              .max_order = def->max_order,
                              .max_step = def->max_step,
                              .pattern = h->pattern,
                              .solver = &tml_linsolver_dense,
                              .unjudged = h->unjudged,
                              .residual = residual,
                              .matrix = matrix,
                              .weigh = weigh,
                              .user = &h->eq};
    return tmli_ida_create(&ida, &h->ida, err);
}

static tml_status begin(tml_hessenberg *h, const tml_hessenberg_def *def, tml_error *err)
{
    double *u = tmli_ida_y(h->ida), *up = tmli_ida_yp(h->ida);
    memcpy(u, def->x0, (size_t)(def->order * def->nx) * sizeof *u);
    h->eq.def.x0 = NULL;  // the caller's
    h->t = def->t0;
    tml_status st = tmli_hessenberg_begin(&h->eq, h->t, u, up, err);
    memcpy(h->u, u, (size_t)h->eq.size * sizeof *u);
    return st == TML_OK ? tmli_ida_start(h->ida, h->t, 0, err) : st;
}

tml_status tml_hessenberg_create(const tml_hessenberg_def *def, const tml_env *env, tml_hessenberg **out,
                                 tml_error *err)
{
    if (out) *out = NULL;
    if (!def || !out) return tmli_null_argument(err, "tml_hessenberg_create");
    tml_status st = check(def, err);
    if (st != TML_OK) return st;
    tml_hessenberg *h = tmli_calloc(env, 1, sizeof *h);
    if (!h) return tmli_no_memory(err, "Hessenberg system");
    if (env) h->env = *env;
    st = build(h, def, err);
    if (st == TML_OK) st = begin(h, def, err);
    if (st != TML_OK) {
        tml_hessenberg_destroy(h);
        return st;
    }
    *out = h;
    return TML_OK;
}

void tml_hessenberg_destroy(tml_hessenberg *h)
{
    if (!h) return;
    const tml_env env = h->env;
    tmli_ida_destroy(h->ida);
    tmli_pattern_destroy(h->pattern);
    tmli_hessenberg_eq_clear(&h->eq, &env);
    tmli_free_all(&env, h->unjudged, h->u, h);
}

// ---- runs -------------------------------------------------------------------------------------------------

static tml_status advance(tml_hessenberg *h, tml_error *err)
{
    tml_status st = tmli_ida_step(h->ida, INFINITY, err);
    if (st != TML_OK && err) err->t = tmli_ida_time(h->ida);
    return st == TML_RETRY ? tmli_fail(err, TML_ERR_STEP, "%s", (err ? *err : (tml_error){0}).msg) : st;
}

tml_status tml_hessenberg_step(tml_hessenberg *h, tml_error *err)
{
    if (!h) return tmli_null_argument(err, "tml_hessenberg_step");
    tml_error local = {0};
    tml_status st = advance(h, err ? err : &local);
    if (st != TML_OK) return st;
    h->t = tmli_ida_time(h->ida);
    tmli_ida_get(h->ida, h->t, 0, h->u);
    return TML_OK;
}

tml_status tml_hessenberg_run(tml_hessenberg *h, double t, tml_error *err)
{
    if (!h) return tmli_null_argument(err, "tml_hessenberg_run");
    tml_error local = {0};
    tml_status st = TML_OK;
    if (!(t >= h->t))
        return tmli_fail(err, TML_ERR_ARG, "a Hessenberg system at t = %g s cannot go back to %g s", h->t, t);
    for (long i = 0; tmli_ida_time(h->ida) < t && st == TML_OK; i++) {
        st = i < h->eq.def.max_steps ? advance(h, err ? err : &local)
                                     : tmli_fail(err, TML_ERR_STEP, "%ld steps were not enough; t = %g s", i,
                                                 tmli_ida_time(h->ida));
    }
    h->t = st == TML_OK ? t : tmli_ida_time(h->ida);
    tmli_ida_get(h->ida, h->t, 0, h->u);
    return st;
}

double tml_hessenberg_time(const tml_hessenberg *h) { return h ? h->t : NAN; }
const double *tml_hessenberg_x(const tml_hessenberg *h) { return h ? h->u : NULL; }
const double *tml_hessenberg_y(const tml_hessenberg *h)
{
    return h ? h->u + h->eq.def.order * h->eq.def.nx : NULL;
}

tml_counters tml_hessenberg_counters(const tml_hessenberg *h)
{
    tml_counters c = {0};
    if (h) tmli_ida_count(h->ida, &c);
    return c;
}

tml_status tml_hessenberg_residual(tml_hessenberg *h, double *out, tml_error *err)
{
    if (!h || !out) return tmli_null_argument(err, "tml_hessenberg_residual");
    *out = 0;
    tml_status st = tmli_hessenberg_constraint(&h->eq, h->t, h->u, h->eq.g, err);
    for (int r = 0; r < h->eq.def.ny && st == TML_OK; r++) *out = fmax(*out, fabs(h->eq.g[r]));
    return st;
}

// ---- derivatives ------------------------------------------------------------------------------------------

static double deviation(const double *a, const double *b, int count)
{
    double largest = 0, off = 0;
    for (int i = 0; i < count; i++) {
        largest = fmax(largest, fabs(b[i]));
        off = fmax(off, fabs(a[i] - b[i]));
    }
    return off / (1 + largest);
}

// e->c := curvature for level 0, j = 2: d/dt (G x' + g_t) along x with x'' = 0, by differences of g itself.
static tml_status difference_curvature(tmli_hessenberg_eq *e, double t, const double *X, tml_error *err)
{
    const tml_hessenberg_def *d = &e->def;
    const double s = sqrt(sqrt(DBL_EPSILON));  // [s] truncation s^2 and round-off eps/s^2 are equal
    static const double weight[3] = {1, -2, 1};
    memcpy(e->X, X, (size_t)(d->order * d->nx) * sizeof *X);
    memset(e->minus, 0, (size_t)e->size * sizeof *e->minus);
    tml_status st = TML_OK;
    for (int i = 0; i < 3 && st == TML_OK; i++) {
        for (int q = 0; q < d->nx; q++) e->X[q] = X[q] + (i - 1) * s * X[d->nx + q];
        st = tmli_hessenberg_constraint(e, t + (i - 1) * s, e->X, e->c, err);
        for (int r = 0; r < d->ny; r++) e->minus[r] += weight[i] * e->c[r] / (s * s);
    }
    memcpy(e->c, e->minus, (size_t)d->ny * sizeof *e->c);
    return st;
}

tml_status tml_hessenberg_check(tml_hessenberg *h, double t, const double *X, double *out, tml_error *err)
{
    if (!h || !X || !out) return tmli_null_argument(err, "tml_hessenberg_check");
    tmli_hessenberg_eq *e = &h->eq;
    const tml_hessenberg_def *d = &e->def;
    const int ny = d->ny, entries = ny * (d->level + 1) * d->nx;
    *out = 0;
    double *keep = tmli_calloc(&h->env, (size_t)(entries + ny), sizeof *keep);
    if (!keep) return tmli_no_memory(err, "Hessenberg system");
    tml_status st = tmli_hessenberg_slopes(e, t, X, false, err);
    memcpy(keep, e->G, (size_t)entries * sizeof *keep);
    memcpy(keep + entries, e->gt, (size_t)ny * sizeof *keep);
    if (st == TML_OK) st = tmli_hessenberg_slopes(e, t, X, true, err);
    if (st == TML_OK) *out = fmax(deviation(keep, e->G, entries), deviation(keep + entries, e->gt, ny));
    if (st == TML_OK && d->curvature && d->level == 0 && e->k >= 2) {
        st = difference_curvature(e, t, X, err);
        memset(e->g, 0, (size_t)ny * sizeof *e->g);
        if (st == TML_OK) st = d->curvature(t, X, 2, e->g, d->user);
        if (st == TML_OK) *out = fmax(*out, deviation(e->g, e->c, ny));
    }
    tmli_free(&h->env, keep);
    return st;
}
