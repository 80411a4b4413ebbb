// A system that leaves out inactive rows; see active_rows.h.
#include "system/active_rows/active_rows.h"
#include "linalg/pattern/pattern.h"

#include <string.h>

typedef struct active_rows {
    tml_system system;
    tml_system_ops ops;  // those that the base has
    const tml_system *base;
} active_rows;

typedef struct active_rows_work {
    tml_env env;
    const tml_system *base;
    void *inner;
    double *p;  // (m) penalties without those of inactive rows
} active_rows_work;

// ---- scratch ----------------------------------------------------------------------------------------------

static void destroy_work(void *work)
{
    active_rows_work *w = work;
    if (!w) return;
    const tml_env env = w->env;
    if (w->inner) w->base->ops->destroy_work(w->inner);
    tmli_free(&env, w->p);
    tmli_free(&env, w);
}

static void *create_work(const void *self, const tml_env *env)
{
    const tml_system *b = ((const active_rows *)self)->base;
    active_rows_work *w = tmli_calloc(env, 1, sizeof *w);
    if (!w) return NULL;
    if (env) w->env = *env;
    w->base = b;
    w->inner = b->ops->create_work(b->self, env);
    w->p = tmli_calloc(env, (size_t)b->m + 1, sizeof(double));
    if (!w->inner || !w->p) {
        destroy_work(w);
        return NULL;
    }
    return w;
}

// ---- inactive rows ----------------------------------------------------------------------------------------

// values (m)
static void zero_inactive(const tml_state *x, double *values)
{
    for (int r = 0; r < x->m && x->inactive->count > 0; r++)
        if (x->inactive->row[r]) values[r] = 0;
}

// rows (entries of B)
static void zero_inactive_rows(const active_rows *s, const tml_state *x, double *rows)
{
    const int *ptr = s->base->rowptr;
    for (int r = 0; r < x->m && x->inactive->count > 0; r++)
        if (x->inactive->row[r]) memset(rows + ptr[r], 0, (size_t)(ptr[r + 1] - ptr[r]) * sizeof(double));
}

// motion += sign (g + (t - t0) g'), without its component along the motion if D is set.
static void add_force(const tml_state *x, double sign, double *motion)
{
    const tml_inactive_rows *rows = x->inactive;
    const int n = rows->has_force ? x->n : 0;
    const double dt = x->t - rows->t0;
    double power = 0, energy = rows->min_energy;
    for (int j = 0; j < n; j++) power += x->u[j] * (rows->force[j] + dt * rows->rate[j]);
    for (int j = 0; j < n; j++) energy += x->u[j] * x->u[j] * rows->inertia[j];
    const double along = power != 0 ? power / energy : 0;
    for (int j = 0; j < n; j++)
        motion[j] += sign * (rows->force[j] + dt * rows->rate[j] - along * rows->inertia[j] * x->u[j]);
}

static const double *active_penalties(active_rows_work *w, const tml_state *x, const double *p)
{
    if (!p || x->inactive->count == 0) return p;
    for (int r = 0; r < x->m; r++) w->p[r] = x->inactive->row[r] ? 0 : p[r];
    return w->p;
}

// ---- equations --------------------------------------------------------------------------------------------

static tml_status residual(const void *self, void *work, const tml_state *x, const double *p, double *motion,
                           double *phi, tml_error *err)
{
    const active_rows *s = self;
    active_rows_work *w = work;
    const tml_status st =
        s->base->ops->residual(s->base->self, w->inner, x, active_penalties(w, x, p), motion, phi, err);
    zero_inactive(x, phi);
    add_force(x, 1, motion);
    return st;
}

static tml_status residual_rows(const void *self, void *work, const tml_state *x, const double *p,
                                double *motion, double *phi, double *rows, tml_error *err)
{
    const active_rows *s = self;
    active_rows_work *w = work;
    const tml_status st = s->base->ops->residual_rows(s->base->self, w->inner, x, active_penalties(w, x, p),
                                                      motion, phi, rows, err);
    zero_inactive(x, phi);
    add_force(x, 1, motion);
    if (rows) zero_inactive_rows(s, x, rows);
    return st;
}

static tml_status mean_residual(const void *self, void *work, const tml_step *step, double *motion,
                                tml_error *err)
{
    const active_rows *s = self;
    const tml_status st =
        s->base->ops->mean_residual(s->base->self, ((active_rows_work *)work)->inner, step, motion, err);
    add_force(step->middle, 1, motion);
    return st;
}

static tml_status increment(const void *self, void *work, const tml_state *x0, const double *d, double t1,
                            double *dphi, tml_error *err)
{
    const active_rows *s = self;
    const tml_status st =
        s->base->ops->increment(s->base->self, ((active_rows_work *)work)->inner, x0, d, t1, dphi, err);
    zero_inactive(x0, dphi);
    return st;
}

static tml_status position(const void *self, void *work, const tml_state *x, double *phi, tml_error *err)
{
    const active_rows *s = self;
    const tml_status st =
        s->base->ops->position(s->base->self, ((active_rows_work *)work)->inner, x, phi, err);
    zero_inactive(x, phi);
    return st;
}

static tml_status velocity(const void *self, void *work, const tml_state *x, double *phidot, tml_error *err)
{
    const active_rows *s = self;
    const tml_status st =
        s->base->ops->velocity(s->base->self, ((active_rows_work *)work)->inner, x, phidot, err);
    zero_inactive(x, phidot);
    return st;
}

static tml_status dynamics(const void *self, void *work, const tml_state *x, double *f, double *gamma,
                           tml_error *err)
{
    const active_rows *s = self;
    const tml_status st =
        s->base->ops->dynamics(s->base->self, ((active_rows_work *)work)->inner, x, f, gamma, err);
    zero_inactive(x, gamma);
    add_force(x, -1, f);
    return st;
}

// The force that replaces inactive rows depends on t, too.
static tml_status time_parts(const void *self, void *work, const tml_state *x, double *f, double *gamma,
                             tml_error *err)
{
    const active_rows *s = self;
    const tml_status st =
        s->base->ops->time_parts(s->base->self, ((active_rows_work *)work)->inner, x, f, gamma, err);
    zero_inactive(x, gamma);
    add_force(x, -1, f);
    return st;
}

// Called only if all rows are active.
static tml_status accelerate(const void *self, void *work, tml_state *x, tml_error *err)
{
    const active_rows *s = self;
    return s->base->ops->accelerate(s->base->self, ((active_rows_work *)work)->inner, x, err);
}

static tml_status assemble(const void *self, void *work, const tml_state *x, const tml_assembly *a,
                           double *values, tml_error *err)
{
    const active_rows *s = self;
    active_rows_work *w = work;
    const tml_system *b = s->base;
    if (x->inactive->count == 0) return b->ops->assemble(b->self, w->inner, x, a, values, err);
    const bool *inactive = x->inactive->row;
    tml_assembly active = *a;
    active.p = active_penalties(w, x, a->p);
    const tml_status st = b->ops->assemble(b->self, w->inner, x, &active, values, err);
    const tml_pattern *p = b->pattern;
    for (int32_t j = 0; j < p->n && st == TML_OK; j++) {
        const bool column = j >= b->n && inactive[j - b->n];
        for (int32_t k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            const int32_t i = p->rowind[k];
            if (!column && !(i >= b->n && inactive[i - b->n])) continue;
            values[k] = i != j ? 0 : a->r && a->r[j - b->n] > 0 ? -a->r[j - b->n] : -1;
        }
    }
    return st;
}

static tml_status assemble_parts(const void *self, void *work, const tml_state *x, double *M, double *D,
                                 double *K, tml_error *err)
{
    const active_rows *s = self;
    return s->base->ops->assemble_parts(s->base->self, ((active_rows_work *)work)->inner, x, M, D, K, err);
}

static tml_status diagonals(const void *self, void *work, const tml_state *x, double *m, double *d, double *k,
                            tml_error *err)
{
    const active_rows *s = self;
    return s->base->ops->diagonals(s->base->self, ((active_rows_work *)work)->inner, x, m, d, k, err);
}

static tml_status rows(const void *self, void *work, const tml_state *x, double *values, tml_error *err)
{
    const active_rows *s = self;
    const tml_status st =
        s->base->ops->rows(s->base->self, ((active_rows_work *)work)->inner, x, values, err);
    zero_inactive_rows(s, x, values);
    return st;
}

static tml_status rows_times(const void *self, void *work, const tml_state *x, const double *v,
                             double *values, tml_error *err)
{
    const active_rows *s = self;
    const tml_status st =
        s->base->ops->rows_times(s->base->self, ((active_rows_work *)work)->inner, x, v, values, err);
    zero_inactive_rows(s, x, values);
    return st;
}

static tml_status gamma_derivatives(const void *self, void *work, const tml_state *x, double *by_d,
                                    double *by_u, tml_error *err)
{
    const active_rows *s = self;
    const tml_status st =
        s->base->ops->gamma_derivatives(s->base->self, ((active_rows_work *)work)->inner, x, by_d, by_u, err);
    zero_inactive_rows(s, x, by_d);
    zero_inactive_rows(s, x, by_u);
    return st;
}

// ---- functions of the base --------------------------------------------------------------------------------

static void retract(const void *self, const double *q, const double *d, double *out)
{
    const tml_system *b = ((const active_rows *)self)->base;
    b->ops->retract(b->self, q, d, out);
}

static void local(const void *self, const double *q0, const double *q1, double *d)
{
    const tml_system *b = ((const active_rows *)self)->base;
    b->ops->local(b->self, q0, q1, d);
}

static void tangent_inverse(const void *self, const double *d, const double *u, double *out)
{
    const tml_system *b = ((const active_rows *)self)->base;
    b->ops->tangent_inverse(b->self, d, u, out);
}

static void tangent(const void *self, const double *d, const double *v, double *out)
{
    const tml_system *b = ((const active_rows *)self)->base;
    b->ops->tangent(b->self, d, v, out);
}

static void tangent_rate(const void *self, const double *d, const double *v, double *out)
{
    const tml_system *b = ((const active_rows *)self)->base;
    b->ops->tangent_rate(b->self, d, v, out);
}

static void tangent_derivatives(const void *self, const double *x, const double *u, double *first,
                                double *second)
{
    const tml_system *b = ((const active_rows *)self)->base;
    b->ops->tangent_derivatives(b->self, x, u, first, second);
}

static void compose(const void *self, const double *d1, const double *d2, double *out)
{
    const tml_system *b = ((const active_rows *)self)->base;
    b->ops->compose(b->self, d1, d2, out);
}

static void transform_rows(const void *self, const double *q0, const double *q1, double *values)
{
    const tml_system *b = ((const active_rows *)self)->base;
    b->ops->transform_rows(b->self, q0, q1, values);
}

static void count(const void *self, const tml_state *x0, const double *d, double *angle)
{
    const tml_system *b = ((const active_rows *)self)->base;
    b->ops->count(b->self, x0, d, angle);
}

static void add_turns(const void *self, const double *near, double *d)
{
    const tml_system *b = ((const active_rows *)self)->base;
    b->ops->add_turns(b->self, near, d);
}

static tml_status check_branch(const void *self, void *work, const tml_state *x, tml_error *err)
{
    const tml_system *b = ((const active_rows *)self)->base;
    return b->ops->check_branch(b->self, ((active_rows_work *)work)->inner, x, err);
}

static void accept(const void *self, void *work, tml_state *x)
{
    const tml_system *b = ((const active_rows *)self)->base;
    b->ops->accept(b->self, ((active_rows_work *)work)->inner, x);
}

static tml_status energy(const void *self, void *work, const tml_state *x, double *kinetic, double *potential,
                         double *power, tml_error *err)
{
    const tml_system *b = ((const active_rows *)self)->base;
    return b->ops->energy(b->self, ((active_rows_work *)work)->inner, x, kinetic, potential, power, err);
}

static tml_status power(const void *self, void *work, const tml_state *x, double *out, tml_error *err)
{
    const tml_system *b = ((const active_rows *)self)->base;
    return b->ops->power(b->self, ((active_rows_work *)work)->inner, x, out, err);
}

static void power_parts(const void *work, double *supplied, double *touching)
{
    const active_rows_work *w = work;
    w->base->ops->power_parts(w->inner, supplied, touching);
}

static void input_change(const void *self, void *work, const tml_state *x, const tml_state *with, double *out)
{
    const tml_system *b = ((const active_rows *)self)->base;
    b->ops->input_change(b->self, ((active_rows_work *)work)->inner, x, with, out);
}

static void event_values(const void *self, void *work, const tml_state *x, double *values)
{
    const tml_system *b = ((const active_rows *)self)->base;
    b->ops->event_values(b->self, ((active_rows_work *)work)->inner, x, values);
}

static void event_of_time(const void *self, int i, double t, const double *mode, double jet[3])
{
    const tml_system *b = ((const active_rows *)self)->base;
    b->ops->event_of_time(b->self, i, t, mode, jet);
}

static int switch_modes(const void *self, void *work, tml_state *x, const tml_state *later, bool all,
                        int *constraint)
{
    const tml_system *b = ((const active_rows *)self)->base;
    return b->ops->switch_modes(b->self, ((active_rows_work *)work)->inner, x, later, all, constraint);
}

static double reach(const void *self, const double *q)
{
    const tml_system *b = ((const active_rows *)self)->base;
    return b->ops->reach(b->self, q);
}

static double soft_mode(const void *self, int i, double width)
{
    const tml_system *b = ((const active_rows *)self)->base;
    return b->ops->soft_mode(b->self, i, width);
}

static const char *coordinate_name(const tml_system *sys, int i, char *buf, size_t size)
{
    const tml_system *b = ((const active_rows *)sys->self)->base;
    return b->coordinate_name(b, i, buf, size);
}

static const char *row_name(const tml_system *sys, int r, char *buf, size_t size)
{
    const tml_system *b = ((const active_rows *)sys->self)->base;
    return b->row_name(b, r, buf, size);
}

static const char *row_unit(const tml_system *sys, int r)
{
    const tml_system *b = ((const active_rows *)sys->self)->base;
    return b->row_unit(b, r);
}

static const char *mode_name(const tml_system *sys, int i, char *buf, size_t size)
{
    const tml_system *b = ((const active_rows *)sys->self)->base;
    return b->mode_name(b, i, buf, size);
}

// ---- the system -------------------------------------------------------------------------------------------

static void destroy(void *self)
{
    const tml_env env = ((active_rows *)self)->system.env;
    tmli_free(&env, self);
}

// Functions that a system may lack are missing here too.
static tml_system_ops make_table(const tml_system_ops *base)
{
    const bool T = base->tangent_rate != NULL;
    return (tml_system_ops){.create_work = create_work,
                            .destroy_work = destroy_work,
                            .residual = residual,
                            .residual_rows = base->residual_rows ? residual_rows : NULL,
                            .mean_residual = base->mean_residual ? mean_residual : NULL,
                            .increment = base->increment ? increment : NULL,
                            .assemble = assemble,
                            .assemble_parts = base->assemble_parts ? assemble_parts : NULL,
                            .position = base->position ? position : NULL,
                            .velocity = velocity,
                            .dynamics = dynamics,
                            .time_parts = base->time_parts ? time_parts : NULL,
                            .accelerate = base->accelerate ? accelerate : NULL,
                            .diagonals = diagonals,
                            .rows = rows,
                            .rows_times = base->rows_times ? rows_times : NULL,
                            .gamma_derivatives = base->gamma_derivatives ? gamma_derivatives : NULL,
                            .retract = retract,
                            .local = local,
                            .tangent_inverse = tangent_inverse,
                            .tangent = tangent,
                            .tangent_rate = T ? tangent_rate : NULL,
                            .tangent_derivatives = base->tangent_derivatives ? tangent_derivatives : NULL,
                            .compose = compose,
                            .count = base->count ? count : NULL,
                            .add_turns = base->add_turns ? add_turns : NULL,
                            .transform_rows = base->transform_rows ? transform_rows : NULL,
                            .check_branch = base->check_branch ? check_branch : NULL,
                            .accept = base->accept ? accept : NULL,
                            .energy = base->energy ? energy : NULL,
                            .power = base->power ? power : NULL,
                            .power_parts = base->power_parts ? power_parts : NULL,
                            .input_change = base->input_change ? input_change : NULL,
                            .event_values = base->event_values ? event_values : NULL,
                            .event_of_time = base->event_of_time ? event_of_time : NULL,
                            .switch_modes = base->switch_modes ? switch_modes : NULL,
                            .soft_mode = base->soft_mode ? soft_mode : NULL,
                            .reach = base->reach ? reach : NULL,
                            .destroy = destroy};
}

tml_status tmli_active_rows_create(const tml_system *base, tml_system **out, tml_error *err)
{
    *out = NULL;
    active_rows *s = tmli_calloc(&base->env, 1, sizeof *s);
    if (!s) return tmli_no_memory(err, "integrator");
    s->base = base;
    s->ops = make_table(base->ops);
    s->system = *base;
    s->system.ops = &s->ops;
    s->system.self = s;
    s->system.selects_rows = true;
    s->system.coordinate_name = coordinate_name;
    s->system.row_name = row_name;
    s->system.row_unit = base->row_unit ? row_unit : NULL;
    s->system.mode_name = base->mode_name ? mode_name : NULL;
    *out = &s->system;
    return TML_OK;
}
