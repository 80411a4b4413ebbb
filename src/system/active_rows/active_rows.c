// See active_rows.h. Systems leave the penalties of inactive rows out by themselves.
#include "system/active_rows/active_rows.h"

#include <string.h>

// ---- inactive rows ----------------------------------------------------------------------------------------

static bool any_inactive(const tml_system *s, const tml_state *x)
{
    return s->selects_rows && x->inactive->count > 0;
}

// x with the rows that are inactive for s. Both share their arrays.
static tml_state seen(const tml_system *s, const tml_state *x)
{
    tml_state y = *x;
    if (!s->selects_rows) y.inactive = NULL;
    return y;
}

// values (m)
static void clear_values(const tml_system *s, const tml_state *x, double *values)
{
    for (int r = 0; r < s->m && any_inactive(s, x); r++)
        if (x->inactive->row[r]) values[r] = 0;
}

// rows (entries of B)
static void clear_rows(const tml_system *s, const tml_state *x, double *rows)
{
    const int *ptr = s->rowptr;
    for (int r = 0; r < s->m && any_inactive(s, x); r++)
        if (x->inactive->row[r]) memset(rows + ptr[r], 0, (size_t)(ptr[r + 1] - ptr[r]) * sizeof(double));
}

// motion += sign (g + (t - t0) g'), without its component along the motion if D is set.
static void add_force(const tml_system *s, const tml_state *x, double sign, double *motion)
{
    if (!s->selects_rows || !x->inactive->has_force) return;
    const tml_inactive_rows *rows = x->inactive;
    const double dt = x->t - rows->t0;
    double power = 0, energy = rows->min_energy;
    for (int j = 0; j < x->n; j++) power += x->u[j] * (rows->force[j] + dt * rows->rate[j]);
    for (int j = 0; j < x->n; j++) energy += x->u[j] * x->u[j] * rows->inertia[j];
    const double along = power != 0 ? power / energy : 0;
    for (int j = 0; j < x->n; j++)
        motion[j] += sign * (rows->force[j] + dt * rows->rate[j] - along * rows->inertia[j] * x->u[j]);
}

// ---- equations --------------------------------------------------------------------------------------------

tml_status tmli_active_residual(const tml_system *s, void *w, const tml_state *x, const double *p,
                                double *motion, double *phi, tml_error *err)
{
    const tml_state y = seen(s, x);
    const tml_status st = s->ops->residual(s->self, w, &y, p, motion, phi, err);
    clear_values(s, x, phi);
    add_force(s, x, 1, motion);
    return st;
}

tml_status tmli_active_residual_rows(const tml_system *s, void *w, const tml_state *x, const double *p,
                                     double *motion, double *phi, double *rows, tml_error *err)
{
    const tml_state y = seen(s, x);
    const tml_status st = s->ops->residual_rows(s->self, w, &y, p, motion, phi, rows, err);
    clear_values(s, x, phi);
    clear_rows(s, x, rows);
    add_force(s, x, 1, motion);
    return st;
}

tml_status tmli_active_mean_residual(const tml_system *s, void *w, const tml_step *step, double *motion,
                                     tml_error *err)
{
    const tml_status st = s->ops->mean_residual(s->self, w, step, motion, err);
    add_force(s, step->middle, 1, motion);
    return st;
}

tml_status tmli_active_increment(const tml_system *s, void *w, const tml_state *x0, const double *d,
                                 double t1, double *dphi, tml_error *err)
{
    const tml_status st = s->ops->increment(s->self, w, x0, d, t1, dphi, err);
    clear_values(s, x0, dphi);
    return st;
}

tml_status tmli_active_position(const tml_system *s, void *w, const tml_state *x, double *motion, double *phi,
                                tml_error *err)
{
    const tml_status st = s->ops->position ? s->ops->position(s->self, w, x, phi, err)
                                           : s->ops->residual(s->self, w, x, NULL, motion, phi, err);
    clear_values(s, x, phi);
    return st;
}

tml_status tmli_active_velocity(const tml_system *s, void *w, const tml_state *x, double *phidot,
                                tml_error *err)
{
    const tml_status st = s->ops->velocity(s->self, w, x, phidot, err);
    clear_values(s, x, phidot);
    return st;
}

tml_status tmli_active_dynamics(const tml_system *s, void *w, const tml_state *x, double *f, double *gamma,
                                tml_error *err)
{
    const tml_status st = s->ops->dynamics(s->self, w, x, f, gamma, err);
    clear_values(s, x, gamma);
    add_force(s, x, -1, f);
    return st;
}

// The force that replaces inactive rows depends on t, too.
tml_status tmli_active_time_parts(const tml_system *s, void *w, const tml_state *x, double *f, double *gamma,
                                  tml_error *err)
{
    if (!s->ops->time_parts) return tmli_active_dynamics(s, w, x, f, gamma, err);
    const tml_status st = s->ops->time_parts(s->self, w, x, f, gamma, err);
    clear_values(s, x, gamma);
    add_force(s, x, -1, f);
    return st;
}

tml_status tmli_active_assemble(const tml_system *s, void *w, const tml_state *x, const tml_assembly *a,
                                double *values, tml_error *err)
{
    const tml_state y = seen(s, x);
    const tml_status st = s->ops->assemble(s->self, w, &y, a, values, err);
    if (st != TML_OK || !any_inactive(s, x)) return st;
    const bool *inactive = x->inactive->row;
    const tml_pattern *p = s->pattern;
    for (int32_t j = 0; j < p->n; j++) {
        const bool column = j >= s->n && inactive[j - s->n];
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            const int32_t i = p->rowind[k];
            if (!column && !(i >= s->n && inactive[i - s->n])) continue;
            values[k] = i != j ? 0 : a->r && a->r[j - s->n] > 0 ? -a->r[j - s->n] : -1;
        }
    }
    return TML_OK;
}

tml_status tmli_active_rows(const tml_system *s, void *w, const tml_state *x, double *values, tml_error *err)
{
    const tml_status st = s->ops->rows(s->self, w, x, values, err);
    clear_rows(s, x, values);
    return st;
}

tml_status tmli_active_rows_times(const tml_system *s, void *w, const tml_state *x, const double *v,
                                  double *values, tml_error *err)
{
    const tml_status st = s->ops->rows_times(s->self, w, x, v, values, err);
    clear_rows(s, x, values);
    return st;
}

tml_status tmli_active_gamma_derivatives(const tml_system *s, void *w, const tml_state *x, double *by_d,
                                         double *by_u, tml_error *err)
{
    const tml_status st = s->ops->gamma_derivatives(s->self, w, x, by_d, by_u, err);
    clear_rows(s, x, by_d);
    clear_rows(s, x, by_u);
    return st;
}
