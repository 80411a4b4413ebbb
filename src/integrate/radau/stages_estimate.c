// The embedded method's estimate for the stage equations, along the constraints.
//
// With k = h/mu, a = sum_i e_i Z_i/h and M g = f0 - B0'lambda0 + M sum_i e_i V_i/h (e: weights of the
// embedded method; a and g are the defects of X' = inverse(T) u and of M u' + B'lambda = f; f is evaluated
// at u0 projected on the constraints, since accelerations of the last step contain what its Newton
// iteration left, divided by h^2),
//   [M + k Dm + k^2 K] ed + B'.. = k^2 M g + k M a + k^2 Dm a,   B ed = 0                                 (1)
//   [M + k Dm + k^2 K] eu + B'.. = k M g - k^2 K a,              B eu = 0                                 (2)
// is the filtered distance of Hairer and Wanner for the first-order system in X and u, with the velocities
// along the constraints too. Rows at velocity level restrict the velocities only: B ed = k B a in (1),
// because ed = k (eu + a). Two fields: their matrix contains both, stages.h (7).
//
// The right-hand sides contain errors across the constraints of lower order, which must not count:
// 1. lambda0 is of lower order, and u0 is off by M^-1 B0'kappa: the scheme's velocities satisfy B u = nu to
//    order s only. In the directions of B0 this drops out; solve_along uses B0, not the matrix's older B.
// 2. To return to the constraints, stage i has the extra reaction B_i'kappa r_i/h, r = A^-1 1. These
//    reactions change the stage velocities along the constraints: M V_i by -sum_j A_ij r_j B_j'kappa. At the
//    end of the step this cancels; in the estimate it would dominate, with the size of the last step's error.
//    It is removed:
//      M g += (1/h) sum_j (e A)_j r_j B_j'kappa,    M a += sum_j (e A A)_j r_j B_j'kappa                  (3)
// A matrix with a complex eigenvalue filters twice: for real right-hand sides b and f(z) = 1/(1 - z/mu),
//   f(z) f*(z) = Re f - (Re mu/Im mu) Im f                                                                (4)
// Energy that a step takes out of undamped vibrations, s stages, F: divided difference over all of them,
//   loss = e_s/s h^2 (F udot'M F udot + F u'K F u),   e_s = integral (1 - x) prod_(i < s) (x - c_i)^2 dx  (5)
#include "integrate/core/slow_filter.h"
#include "integrate/radau/stages.h"
#include "system/state/first_order.h"

#include <math.h>
#include <string.h>

#include "integrate/radau/constants.h"

// out (n) := part of the matrix times v, in the units of the model.
static void multiply(const tmli_stages *s, const double *values, const double *v, double *out)
{
    const tml_pattern *p = s->sys->pattern;
    const int n = s->sys->n;
    const double *unit = s->measure;
    memset(out, 0, (size_t)n * sizeof(double));
    for (int j = 0; j < n; j++) {
        const double x = v[j] / unit[j];
        for (int i = p->colptr[j]; i < p->colptr[j + 1] && p->rowind[i] < n; i++)
            out[p->rowind[i]] += values[i] * x;
    }
    for (int j = 0; j < n; j++) out[j] /= unit[j];
}

// out (n) += factor B'y.
static void add_reaction(const tml_system *sys, const double *rows, double factor, const double *y,
                         double *out)
{
    for (int r = 0; r < sys->m; r++)
        for (int p = sys->rowptr[r]; p < sys->rowptr[r + 1]; p++)
            out[sys->rowcol[p]] += factor * y[r] * rows[p];
}

// out (n) := M v: the mass part without its augmentation. y (m): scratch.
static void times_mass(const tmli_stages *s, const double *v, double *y, double *out)
{
    const tml_system *sys = s->sys;
    multiply(s, s->mass, v, out);
    for (int r = 0; r < sys->m; r++) {
        y[r] = 0;
        for (int p = sys->rowptr[r]; p < sys->rowptr[r + 1]; p++) y[r] += s->rows[p] * v[sys->rowcol[p]];
        y[r] *= tmli_stages_is_velocity_row(s, r) ? 0 : s->e[r];
    }
    add_reaction(sys, s->rows, -s->augment, y, out);
}

static int width(const tmli_stages *s) { return s->table->eigen[0].pair ? 2 : 1; }

static void clear_right_side(const tmli_stages *s, tmli_stage_matrix *a)
{
    memset(a->rhs, 0, (size_t)(a->times * (s->sys->n + s->sys->m)) * sizeof(double));
}

tml_status tmli_stages_split_velocity(tmli_stages *s, const tml_state *x, tml_error *err)
{
    const tml_system *sys = s->sys;
    const int n = sys->n;
    tmli_stage_matrix *a = &s->matrix[0];
    const bool pair = s->table->eigen[0].pair;
    double *psi = s->phi[0][0];
    tml_state_copy(s->probe, x);
    if (s->fields == 2 || sys->m == 0) return TML_OK;
    tml_status st = tmli_active_velocity(sys, s->work, x, psi, err);
    if (st != TML_OK) return st;
    tmli_stages_transform_rows(s, x, x->q, s->q_parts, psi);
    clear_right_side(s, a);
    for (int r = 0; r < sys->m; r++)
        tmli_stages_store_complex(a->rhs + (n + r) * a->times, pair, a->row * s->e[r] * psi[r]);
    tmli_stages_solve_linear(s, a);
    for (int r = 0; r < sys->m; r++) {
        const double complex y =
            tmli_stages_load_complex(a->rhs + (n + r) * a->times, pair) * a->across / a->m[0][0];
        s->kappa[r] = -s->e[r] * (creal(y) + (tmli_stages_is_velocity_row(s, r) ? 0 : s->augment * psi[r]));
    }
    tmli_stages_transform_rows(s, x, s->q_parts, x->q, s->kappa);
    for (int j = 0; j < n; j++)
        s->probe->u[j] -= creal(tmli_stages_load_complex(a->rhs + j * a->times, pair));
    return TML_OK;
}

// rows_start := B at x0: mostly that of the end of the last step.
static tml_status set_rows_start(tmli_stages *s, const tml_state *x0, tml_error *err)
{
    const tml_system *sys = s->sys;
    const size_t entries = (size_t)sys->rowptr[sys->m];
    if (s->t_rows != x0->t || memcmp(s->q_rows, x0->q, (size_t)sys->nq * sizeof(double)) != 0)
        return tmli_active_rows(sys, s->work, x0, s->rows_start, err);
    memcpy(s->rows_start, s->rows_end, entries * sizeof(double));
    return TML_OK;
}

// weight (3) of B at the start and at the stages 1 and 2 in that of stage 0, by the parabola through them.
static void parabola_at_first(const tmli_radau_table *t, double weight[3])
{
    const double c = t->c[0], b = t->c[1];  // the last stage is at 1
    weight[0] = (c - b) * (c - 1) / b;
    weight[1] = c * (c - 1) / (b * (b - 1));
    weight[2] = c * (c - b) / (1 - b);
}

// (3): remove from Ma and Mg (n) the reactions that bring the velocities of x0 back to the constraints. What
// is left of them must fall with h^3 in eu, as the parabola of the first of three stages does.
static tml_status remove_return_reactions(tmli_stages *s, double h, double *Ma, double *Mg, tml_error *err)
{
    const tml_system *sys = s->sys;
    const tmli_radau_table *t = s->table;
    const bool parabola = t->stages == 3;
    double first[TMLI_RADAU_STAGES] = {0};
    if (parabola) {
        parabola_at_first(t, first);
        add_reaction(sys, s->rows_start, first[0] * t->back_u[0] / h, s->kappa, Mg);
        add_reaction(sys, s->rows_start, first[0] * t->back_d[0], s->kappa, Ma);
    }
    for (int i = parabola; i < t->stages; i++) {
        const tml_state *x = s->stage[i];
        const double u = t->back_u[i] + first[i] * t->back_u[0], d = t->back_d[i] + first[i] * t->back_d[0];
        const tml_status st = tmli_active_rows(sys, s->work, x, s->rows_end, err);
        s->t_rows = st == TML_OK ? x->t : NAN;
        if (st != TML_OK) return st;
        add_reaction(sys, s->rows_end, u / h, s->kappa, Mg);
        add_reaction(sys, s->rows_end, d, s->kappa, Ma);
    }
    memcpy(s->q_rows, s->stage[t->stages - 1]->q, (size_t)sys->nq * sizeof(double));
    return TML_OK;
}

// a->rhs: the rows at velocity level := k B drift, (1).
static void set_velocity_rows(const tmli_stages *s, const double *drift, tmli_stage_matrix *a)
{
    const tml_system *sys = s->sys;
    for (int r = 0; r < sys->m && sys->level; r++) {
        if (!tmli_stages_is_velocity_row(s, r)) continue;
        double sum = 0;
        for (int p = sys->rowptr[r]; p < sys->rowptr[r + 1]; p++) sum += s->rows[p] * drift[sys->rowcol[p]];
        tmli_stages_store_complex(a->rhs + (sys->n + r) * a->times, s->table->eigen[0].pair,
                                  a->row * s->e[r] * a->k * sum);
    }
}

// Solve for the motion rows of a->rhs without the reactions in the directions of the constraints at x0: the
// multipliers of one solve give these reactions, the next solve is made without them. drift (n): of
// set_velocity_rows; NULL: 0.
static void solve_along(tmli_stages *s, const tml_state *x0, const double *drift, tmli_stage_matrix *a)
{
    const tml_system *sys = s->sys;
    for (int sweep = 1;; sweep++) {
        if (drift) set_velocity_rows(s, drift, a);
        for (int c = 0; c < a->times; c++)
            for (int j = 0; j < sys->n; j++) s->motion[0][c][j] = a->rhs[j * a->times + c];
        tmli_stages_solve_linear(s, a);
        if (sweep == TMLI_OLD_MATRIX_SOLVES || sys->m == 0) return;
        for (int c = 0; c < a->times; c++) {
            for (int r = 0; r < sys->m; r++)
                s->phi[0][0][r] = a->across * s->e[r] * a->rhs[(sys->n + r) * a->times + c];
            tmli_stages_transform_rows(s, x0, s->q_parts, x0->q, s->phi[0][0]);
            add_reaction(sys, s->rows_start, -1, s->phi[0][0], s->motion[0][c]);
        }
        clear_right_side(s, a);
        for (int c = 0; c < a->times; c++)
            for (int j = 0; j < sys->n; j++) a->rhs[j * a->times + c] = s->motion[0][c][j];
    }
}

// out (n) := real solution of the first matrix in field f, (4).
static void filtered(const tmli_stages *s, const tmli_stage_matrix *a, int f, double *out)
{
    const bool pair = s->table->eigen[0].pair;
    const double complex mu = s->table->eigen[0].mu;
    for (int j = 0; j < s->sys->n; j++) {
        const double complex x =
            a->column[f] * tmli_stages_load_complex(a->rhs + j * a->times + f * width(s), pair);
        const double complex y = s->table->g0 * mu * x;
        out[j] = pair ? creal(y) - creal(mu) / cimag(mu) * cimag(y) : creal(x);
    }
}

// Both fields at once, stages.h (7); ed: M a, then the estimate; eu: M g.
static void filter_stabilized(tmli_stages *s, tmli_stage_matrix *a, double *ed, double *eu)
{
    const double *Ma = ed, *Mg = eu;
    const bool pair = s->table->eigen[0].pair;
    clear_right_side(s, a);
    for (int j = 0; j < s->sys->n; j++) {
        double *at = a->rhs + j * a->times;
        tmli_stages_store_complex(at, pair, a->force[0] * Ma[j]);
        tmli_stages_store_complex(at + width(s), pair, a->force[1] * Mg[j]);
    }
    tmli_stages_solve_linear(s, a);
    filtered(s, a, 0, ed);
    filtered(s, a, 1, eu);
}

// (1) and (2). drift (n): a; ed (n): M a, then the solution; eu (n): M g, then the solution.
static void filter(tmli_stages *s, const tml_state *x0, const double *drift, double *ed, double *eu)
{
    tmli_stage_matrix *a = &s->matrix[0];
    const bool pair = s->table->eigen[0].pair;
    const int n = s->sys->n;
    double *Ka = s->motion[1][0], *Da = s->motion[1][1];
    if (s->fields == 2) {
        filter_stabilized(s, a, ed, eu);
        return;
    }
    multiply(s, s->stiffness, drift, Ka);
    multiply(s, s->damping, drift, Da);
    clear_right_side(s, a);
    for (int j = 0; j < n; j++)
        tmli_stages_store_complex(a->rhs + j * a->times, pair,
                                  a->force[0] * (eu[j] + ed[j] / a->k + Da[j]));  // (1)
    solve_along(s, x0, drift, a);
    filtered(s, a, 0, ed);
    clear_right_side(s, a);
    for (int j = 0; j < n; j++)
        tmli_stages_store_complex(a->rhs + j * a->times, pair, a->force[0] * (eu[j] / a->k - Ka[j]));  // (2)
    solve_along(s, x0, NULL, a);
    filtered(s, a, 0, eu);
}

tml_status tmli_stages_estimate(tmli_stages *s, const tml_state *x0, double h, double *ed, double *eu,
                                tml_error *err)
{
    const tml_system *sys = s->sys;
    const tmli_radau_table *t = s->table;
    const int n = sys->n;
    tmli_stages_set_coefficients(s, &s->matrix[0], t->eigen[0].mu, h);
    double *drift = s->scratch;  // a
    tml_status st = tmli_stages_split_velocity(s, x0, err);
    if (st != TML_OK) return st;
    for (int j = 0; j < n; j++) {
        double kick = 0;
        drift[j] = 0;
        for (int i = 0; i < t->stages; i++) {
            drift[j] += t->estimate[i] * s->Z[i][j] / h;
            kick += t->estimate[i] * s->V[i][j] / h;
        }
        s->probe->udot[j] =
            -kick;  // so that the residual is -M g, with M at x0 and not that of an older matrix
    }
    double *Ma = ed, *Mg = eu;
    st = tmli_active_residual(sys, s->work, s->probe, NULL, Mg, s->phi[0][0], err);
    s->count->residuals++;
    if (st != TML_OK) return st;
    times_mass(s, drift, s->phi[0][0], Ma);
    for (int j = 0; j < n; j++) Mg[j] = -Mg[j];
    if (s->fields == 1) {
        st = set_rows_start(s, x0, err);
        if (st == TML_OK && sys->m > 0) st = remove_return_reactions(s, h, Ma, Mg, err);
    }
    if (st == TML_OK) filter(s, x0, drift, ed, eu);
    return st;
}

// diagonal (n) of M without its augmentation; 0 where that leaves only round-off.
static void mass_diagonal(const tmli_stages *s, double *diagonal)
{
    const tml_system *sys = s->sys;
    const tml_pattern *p = sys->pattern;
    double *whole = s->scratch;
    for (int j = 0; j < sys->n; j++) {
        whole[j] = 0;
        for (int i = p->colptr[j]; i < p->colptr[j + 1]; i++)
            if (p->rowind[i] == j) whole[j] = s->mass[i] / (s->measure[j] * s->measure[j]);
        diagonal[j] = whole[j];
    }
    for (int r = 0; r < sys->m; r++)
        for (int i = sys->rowptr[r]; i < sys->rowptr[r + 1] && !tmli_stages_is_velocity_row(s, r); i++)
            diagonal[sys->rowcol[i]] -= s->augment * s->e[r] * s->rows[i] * s->rows[i];
    for (int j = 0; j < sys->n; j++)
        if (!(diagonal[j] > MASS_ROUNDOFF * whole[j])) diagonal[j] = 0;
}

static bool is_damped(const tmli_stages *s)
{
    const tml_pattern *p = s->sys->pattern;
    for (int i = 0; i < p->colptr[s->sys->n]; i++)
        if (s->damping[i] != 0) return true;
    return false;
}

// The velocity ut that the constraints admit is found by the matrix M + k Dm + k^2 K: dampers between a body
// that is moved by du = u - ut and a free one give that the impulse k Dm du.
tml_status tmli_stages_passed_on(tmli_stages *s, const tml_state *x, double *eu, tml_error *err)
{
    const int n = s->sys->n;
    const double k = creal(s->matrix[0].k);
    double *across = s->scratch, *Du = s->motion[1][1], *mass = s->motion[0][0];
    memset(eu, 0, (size_t)n * sizeof(double));
    if (s->fields == 2 || s->sys->m == 0 || !is_damped(s)) return TML_OK;
    const tml_status st = tmli_stages_split_velocity(s, x, err);
    if (st != TML_OK) return st;
    for (int j = 0; j < n; j++) across[j] = x->u[j] - s->probe->u[j];
    multiply(s, s->damping, across, Du);
    mass_diagonal(s, mass);
    for (int j = 0; j < n; j++) eu[j] = mass[j] > 0 ? k * Du[j] / mass[j] : 0;
    return TML_OK;
}

static double mechanical_product(const tmli_stages *s, const double *a, const double *b)
{
    double sum = 0;
    for (int j = 0; j < tmli_mechanical(s->sys); j++) sum += a[j] * b[j];
    return sum;
}

tmli_stage_forms tmli_stages_forms(tmli_stages *s, const double *eu)
{
    const double *const part[3] = {s->mass, s->damping, s->stiffness};
    double *product = s->motion[1][0], power[3] = {0};
    for (int i = 0; i < 3; i++) {
        multiply(s, part[i], eu, product);
        power[i] = mechanical_product(s, eu, product);
    }
    return (tmli_stage_forms){power[0], power[1], power[2]};
}

// By the discriminant of e'M e s^2 + e'Dm e s + e'K e. First-order states, such as bristles, have their own
// laws.
bool tmli_stages_is_overdamped(const tmli_stages *s, const tmli_stage_forms *f)
{
    return s->sys->nz == 0 && f->mass > 0 && f->damping > 0 &&
           f->damping * f->damping > 4 * f->mass * fabs(f->stiffness);
}

void tmli_stages_filter_again(tmli_stages *s, const tml_state *x0, double *ed, double *eu)
{
    const double k = creal(s->matrix[0].k);
    double *drift = s->scratch, *Md = s->motion[1][0];
    for (int j = 0; j < s->sys->n; j++) {
        drift[j] = ed[j] / k;
        eu[j] /= k;
    }
    times_mass(s, eu, s->phi[0][0], Md);
    memcpy(eu, Md, (size_t)s->sys->n * sizeof(double));
    times_mass(s, drift, s->phi[0][0], ed);
    filter(s, x0, drift, ed, eu);
}

// ---- vibrations -------------------------------------------------------------------------------------------

double tmli_stages_square(tmli_stages *s, const double *v, double *Mv)
{
    times_mass(s, v, s->phi[0][0], Mv);
    return fmax(0, mechanical_product(s, v, Mv));
}

// Of M u' = -K q and q' = u the method keeps u'M u + q'K q but for the error of its quadrature of the power,
// whose integrand has the degree 2 s - 1: (5), with the divided differences over all stages.
double tmli_stages_loss(tmli_stages *s, double h, double *a, double *Ma)
{
    const tmli_radau_table *t = s->table;
    double *u = s->other, *Ku = s->motion[1][0];
    memset(a, 0, (size_t)s->sys->n * sizeof(double));
    memset(u, 0, (size_t)s->sys->n * sizeof(double));
    for (int i = 0; i < t->stages; i++) {
        double weight = 1;
        for (int l = 0; l < t->stages; l++)
            if (l != i) weight /= t->c[i] - t->c[l];
        for (int j = 0; j < s->sys->n; j++) {
            a[j] += weight * s->stage[i]->udot[j];
            u[j] += weight * s->stage[i]->u[j];
        }
    }
    multiply(s, s->stiffness, u, Ku);
    return t->loss * h * h * (fabs(mechanical_product(s, u, Ku)) + tmli_stages_square(s, a, Ma));
}

// True: factored.
static bool factor_slow(tmli_stages *s, double kappa)
{
    const tml_pattern *p = s->sys->pattern;
    tmli_stage_matrix *a = &s->slow;
    const int n = s->sys->n;
    for (int j = 0; j < p->n; j++)
        for (int i = p->colptr[j]; i < p->colptr[j + 1]; i++) {
            const bool inside = j < n && p->rowind[i] < n;
            a->values[i] = s->mass[i] + (inside ? kappa * (s->damping[i] + kappa * s->stiffness[i]) : 0);
        }
    const bool factored = s->solver->factor(a->lin, a->values, NULL) == TML_OK;
    s->count->factorizations++;
    a->h = factored ? kappa : 0;
    return factored;
}

bool tmli_stages_slow_velocity(tmli_stages *s, double kappa, const double *v, double *out)
{
    tmli_stage_matrix *a = &s->slow;
    const size_t n = (size_t)s->sys->n, m = (size_t)s->sys->m;
    const bool serves = a->h > 0 && kappa >= a->h && kappa <= FACTOR_RATIO * a->h;
    if (!serves && !factor_slow(s, kappa / sqrt(FACTOR_RATIO))) return false;
    memcpy(out, v, n * sizeof(double));
    for (int i = 0; i < TMLI_SLOW_FILTERS; i++) {
        times_mass(s, out, s->phi[0][0], a->rhs);
        memset(a->rhs + n, 0, m * sizeof(double));
        tmli_stages_solve_linear(s, a);
        memcpy(out, a->rhs, n * sizeof(double));
    }
    return true;
}
