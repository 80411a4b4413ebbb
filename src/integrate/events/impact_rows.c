// See impact_rows.h.
#include "base/modes.h"
#include "integrate/events/impact_rows_internal.h"

#include <math.h>
#include <string.h>

#include "integrate/events/constants.h"

tml_status tmli_impact_rows_create(const tml_system *sys, tmli_consistent *consistent, void *work,
                                   tmli_impact_rows *r, tml_error *err)
{
    *r = (tmli_impact_rows){.sys = sys, .consistent = consistent, .work = work};
    int rows = 0;
    for (int i = 0; i < sys->nmode; i++) rows += sys->switches[i].row >= 0;
    const size_t modes = (size_t)sys->nmode, n = (size_t)sys->n, m = (size_t)sys->m, k = (size_t)rows + 1;
    const bool lists = tmli_calloc_block(&sys->env, TMLI_ARRAY(r->row, k), TMLI_ARRAY(r->owner, k)),
               room = tmli_calloc_block(
                   &sys->env, TMLI_ARRAY(r->sign, k), TMLI_ARRAY(r->before, k), TMLI_ARRAY(r->at_start, k),
                   TMLI_ARRAY(r->p, k), TMLI_ARRAY(r->compression, k), TMLI_ARRAY(r->force_sum, n),
                   TMLI_ARRAY(r->start, k), TMLI_ARRAY(r->idle, k), TMLI_ARRAY(r->value, modes),
                   TMLI_ARRAY(r->kept, modes), TMLI_ARRAY(r->c, m), TMLI_ARRAY(r->gamma, m),
                   TMLI_ARRAY(r->last, m), TMLI_ARRAY(r->force, n), TMLI_ARRAY(r->f, n), TMLI_ARRAY(r->f0, n),
                   TMLI_ARRAY(r->du, n), TMLI_ARRAY(r->R, n), TMLI_ARRAY(r->diagonal, 3 * n),
                   TMLI_ARRAY(r->mode, k), TMLI_ARRAY(r->load, k), TMLI_ARRAY(r->held_mode, modes),
                   TMLI_ARRAY(r->held_lambda, m), TMLI_ARRAY(r->lack, m), TMLI_ARRAY(r->jump, k),
                   TMLI_ARRAY(r->missing, m), TMLI_ARRAY(r->change, m), TMLI_ARRAY(r->more, n),
                   TMLI_ARRAY(r->B, (size_t)sys->rowptr[sys->m]));
    tml_status st = lists && room ? TML_OK : tmli_no_memory(err, "simulation");
    if (st == TML_OK) st = tmli_impact_law_create(&sys->env, rows, &r->law, err);
    if (st != TML_OK) tmli_impact_rows_clear(r);
    return st;
}

void tmli_impact_rows_clear(tmli_impact_rows *r)
{
    if (!r->sys) return;
    const tml_system *sys = r->sys;
    tmli_free_all(&sys->env, r->row, r->sign);
    tmli_impact_law_clear(&r->law);
    *r = (tmli_impact_rows){0};
}

// ---- which rows take part ---------------------------------------------------------------------------------

void tmli_impact_rows_add(tmli_impact_rows *r, int mode)
{
    r->row[r->law.rows] = r->sys->switches[mode].row;
    r->sign[r->law.rows++] = 1;
}

// The groups of the law; the modes of their rows become HELD.
static void list_groups(tmli_impact_rows *r, tml_state *x)
{
    const tml_system *s = r->sys;
    tmli_impact_law *law = &r->law;
    law->rows = law->groups = 0;
    law->error = LAW_ERROR;
    law->outside = 0;
    r->loads = false;
    for (int i = 0; i < s->nmode; i++) {
        const bool alone = s->loads && s->switches[i].loaded_by == s->nmode;
        if (!alone && !(tmli_is_unilateral(s, i) && tmli_holds_row(s, x, i))) continue;
        tmli_impact_group *g = &law->group[law->groups];
        *g = (tmli_impact_group){.first = law->rows, .normals = !alone, .tangents = alone};
        r->mode[law->groups] = tmli_mode_is_driven(x->mode[i]) ? x->mode[i] : TML_SWITCH_RELEASED;
        r->owner[law->groups++] = i;
        tmli_impact_rows_add(r, i);
        x->mode[i] = TML_SWITCH_HELD;
        r->loads = r->loads || alone;
        for (int j = 0; j < s->nmode && s->loads && !alone; j++) {
            if (s->switches[j].loaded_by != i) continue;
            tmli_impact_rows_add(r, j);
            x->mode[j] = TML_SWITCH_HELD;
            g->tangents++;
        }
    }
}

// By the event functions of closed constraints and sticking friction: they are P = -sign lambda, and
// mu P - |T|, but for a constant, where nothing moves.
void tmli_impact_rows_find_signs(tmli_impact_rows *r, tml_state *x)
{
    const tml_system *s = r->sys;
    const size_t bytes = (size_t)s->n * sizeof *x->u;
    memcpy(r->f, x->u, bytes);
    memcpy(r->f0, x->udot, bytes);
    memset(x->u, 0, bytes);
    memset(x->udot, 0, bytes);
    tmli_impact_law *law = &r->law;
    double *const zero = r->value, *const one = r->kept;
    memset(x->lambda, 0, (size_t)s->m * sizeof *x->lambda);
    s->ops->event_values(s->self, r->work, x, zero);
    for (int k = 0; k < law->groups; k++)
        if (law->group[k].normals) x->lambda[r->row[law->group[k].first]] = 1;
    s->ops->event_values(s->self, r->work, x, one);
    for (int k = 0; k < law->groups; k++) {
        const int first = law->group[k].first, i = r->owner[k];
        if (!law->group[k].normals) continue;
        r->sign[first] = one[i] < zero[i] ? 1 : -1;
        x->lambda[r->row[first]] = -r->sign[first];
    }
    s->ops->event_values(s->self, r->work, x, one);
    for (int k = 0; k < law->groups; k++) {
        tmli_impact_group *g = &law->group[k];
        for (int j = s->nmode - 1; j >= 0 && g->normals && g->tangents > 0; j--)  // the first one of a point
            if (s->switches[j].loaded_by == r->owner[k]) g->mu = one[j] - zero[j];
    }
    memset(x->lambda, 0, (size_t)s->m * sizeof *x->lambda);
    memcpy(x->u, r->f, bytes);
    memcpy(x->udot, r->f0, bytes);
}

void tmli_impact_rows_open(const tmli_impact_rows *r, tml_state *x)
{
    const tml_system *s = r->sys;
    for (int k = 0; k < r->law.groups; k++) {
        x->mode[r->owner[k]] = r->mode[k];
        for (int j = 0; j < s->nmode && s->loads; j++)
            if (s->switches[j].loaded_by == r->owner[k]) x->mode[j] = TML_SWITCH_RELEASED;
    }
}

// ---- W ----------------------------------------------------------------------------------------------------

// r->missing (m): c - B du, by which the other rows are not met. False: none is missed beyond round-off.
static bool misses(tmli_impact_rows *r, const double *c, const double *du)
{
    const tml_system *s = r->sys;
    const tmli_index1 *matrix = &r->consistent->matrix;
    bool any = false;
    for (int i = 0; i < s->m; i++) {
        double sum = c ? c[i] : 0, terms = fabs(sum);
        r->missing[i] = 0;
        if (matrix->off[i] || (matrix->left_out && matrix->left_out[i])) continue;
        for (int e = s->rowptr[i]; e < s->rowptr[i + 1]; e++) {
            const double term = r->B[e] * du[s->rowcol[e]];
            sum -= term;
            terms += fabs(term);
        }
        r->missing[i] = sum;
        any = any || fabs(sum) > IMPULSE_CHANGE * terms;
    }
    return any;
}

// Of a light body that a joint holds to one of 1e11 times its mass the solution misses the rows of the joint
// by the round-off of the impulse on the heavy one, divided by the light mass: a second one for what is
// missing, as in iterative refinement.
void tmli_impact_rows_move(tmli_impact_rows *r, const double *a, const double *c, double *du, double *lambda)
{
    const tml_system *s = r->sys;
    tmli_index1 *matrix = &r->consistent->matrix;
    tmli_index1_solve(matrix, a, c, du, lambda);
    if (!misses(r, c, du)) return;
    tmli_index1_solve(matrix, NULL, r->missing, r->more, lambda ? r->change : NULL);
    for (int j = 0; j < s->n; j++) du[j] += r->more[j];
    for (int i = 0; i < s->m && lambda; i++) lambda[i] += r->change[i];
}

void tmli_impact_rows_add_gradient(const tmli_impact_rows *r, int k, double a, double *force)
{
    const tml_system *s = r->sys;
    for (int e = s->rowptr[r->row[k]]; e < s->rowptr[r->row[k] + 1]; e++)
        force[s->rowcol[e]] += a * r->sign[k] * r->B[e];
}

double tmli_impact_rows_rate(const tmli_impact_rows *r, int k, const double *v)
{
    const tml_system *s = r->sys;
    double sum = 0;
    for (int e = s->rowptr[r->row[k]]; e < s->rowptr[r->row[k] + 1]; e++) sum += r->B[e] * v[s->rowcol[e]];
    return r->sign[k] * sum;
}

double tmli_impact_rows_terms(const tmli_impact_rows *r, int k, const double *v)
{
    const tml_system *s = r->sys;
    double sum = 0;
    for (int e = s->rowptr[r->row[k]]; e < s->rowptr[r->row[k] + 1]; e++)
        sum += fabs(r->B[e] * v[s->rowcol[e]]);
    return sum;
}

// A row that other constraints hold has W = 0 but for round-off; compared with what it is without them.
static bool is_held(const tmli_impact_rows *r, int k, double W)
{
    const tml_system *s = r->sys;
    double free = 0;
    for (int e = s->rowptr[r->row[k]]; e < s->rowptr[r->row[k] + 1]; e++) {
        const double mass = r->diagonal[s->rowcol[e]];
        if (mass > 0) free += r->B[e] * r->B[e] / mass;
    }
    return !(W > HELD_ROW * free);
}

bool tmli_impact_rows_prescribed(const tmli_impact_rows *r, int k)
{
    const tmli_impact_group *g = &r->law.group[k];
    return !g->normals && r->law.W[g->first * (r->law.rows + 1)] == 0;
}

void tmli_impact_rows_add_slip(tmli_impact_rows *r, int k, double a, tml_state *x, double *force)
{
    const tml_system *s = r->sys;
    double *const lambda = &x->lambda[r->row[k]];
    *lambda = -r->sign[k];
    if (tmli_active_dynamics(s, r->work, x, r->f, r->last, NULL) == TML_OK)
        for (int j = 0; j < s->n; j++) force[j] += a * (r->f[j] - r->f0[j]);
    *lambda = 0;
}

void tmli_impact_rows_find_W(tmli_impact_rows *r, tml_state *at_rest)
{
    tmli_impact_law *law = &r->law;
    const int rows = law->rows;
    const bool slips = at_rest && r->sys->loads;
    double *W = law->W;
    for (int k = 0; k < rows; k++) {
        memset(r->force, 0, (size_t)r->sys->n * sizeof *r->force);
        tmli_impact_rows_add_gradient(r, k, 1, r->force);
        if (slips) tmli_impact_rows_add_slip(r, k, 1, at_rest, r->force);
        tmli_impact_rows_move(r, r->force, NULL, r->du, NULL);
        for (int i = 0; i < rows; i++) W[i * rows + k] = tmli_impact_rows_rate(r, i, r->du);
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < i; j++) {
            double *const a = W + i * rows + j, *const b = W + j * rows + i;
            const double roundoff = IMPULSE_CHANGE * fmax(W[i * rows + i], W[j * rows + j]);
            if (!slips || fabs(*a - *b) <= roundoff) *a = *b = (*a + *b) / 2;
        }
    for (int k = 0; k < rows; k++)
        for (int i = 0; i < rows && is_held(r, k, W[k * rows + k]); i++)
            W[i * rows + k] = W[k * rows + i] = 0;
}

tml_status tmli_impact_rows_find(tmli_impact_rows *r, tml_state *x, tml_error *err)
{
    const tml_system *s = r->sys;
    list_groups(r, x);
    tmli_impact_rows_find_signs(r, x);
    tml_status st = tmli_active_rows(s, r->work, x, r->B, err);
    if (st == TML_OK) st = tmli_active_velocity(s, r->work, x, r->c, err);
    for (int k = 0; k < r->law.rows; k++) {
        r->at_start[k] = r->sign[k] * r->c[r->row[k]];
        r->law.terms[k] = tmli_impact_rows_terms(r, k, x->u);
    }
    tmli_impact_rows_open(r, x);
    if (st == TML_OK) st = tmli_active_velocity(s, r->work, x, r->c, err);
    double *const m = r->diagonal;
    if (st == TML_OK) st = s->ops->diagonals(s->self, r->work, x, m, m + s->n, m + 2 * s->n, err);
    tmli_consistent_rows_changed(r->consistent);
    if (st == TML_OK) st = tmli_consistent_factor(r->consistent, x, err);
    if (st != TML_OK) return st;
    for (int i = 0; i < s->m; i++) r->lack[i] = -r->c[i];
    tmli_impact_rows_move(r, NULL, r->lack, r->du, NULL);
    for (int k = 0; k < r->law.rows; k++) r->jump[k] = tmli_impact_rows_rate(r, k, r->du);
    tmli_impact_rows_take(r, 1);
    tmli_impact_rows_find_W(r, NULL);
    return TML_OK;
}

void tmli_impact_rows_take(tmli_impact_rows *r, double share)
{
    for (int i = 0; i < r->sys->m; i++) r->c[i] = share * r->lack[i];
    for (int k = 0; k < r->law.rows; k++) r->before[k] = r->at_start[k] + share * r->jump[k];
}

void tmli_impact_rows_advance(tmli_impact_rows *r, double share, const double *after)
{
    for (int i = 0; i < r->sys->m; i++) r->lack[i] *= 1 - share;
    for (int k = 0; k < r->law.rows; k++) {
        r->jump[k] *= 1 - share;
        r->at_start[k] = after[k];
    }
    tmli_impact_rows_take(r, 1);
}

// ---- impulses ---------------------------------------------------------------------------------------------

static void solve_rows(tmli_impact_rows *r, const double *p, const double *R, const double *c, double *du,
                       double *lambda)
{
    for (int j = 0; j < r->sys->n; j++) r->force[j] = R ? R[j] : 0;
    for (int k = 0; k < r->law.rows; k++) tmli_impact_rows_add_gradient(r, k, p[k], r->force);
    tmli_impact_rows_move(r, r->force, c, du, lambda);
    for (int k = 0; k < r->law.rows; k++) lambda[r->row[k]] = -r->sign[k] * p[k];
}

void tmli_impact_rows_apply(tmli_impact_rows *r, const double *p, const double *R, double *du, double *lambda)
{
    solve_rows(r, p, R, r->c, du, lambda);
}

// The forces f with friction j alone in slip (-1: none is), the others without a force of their own.
static tml_status forces_with(tmli_impact_rows *r, tml_state *x, int j, double *f, tml_error *err)
{
    const tml_system *s = r->sys;
    for (int i = 0; i < s->nmode; i++) {
        r->kept[i] = x->mode[i];
        if (s->switches[i].loaded_by >= 0) x->mode[i] = i == j ? TML_SWITCH_RELEASED : TML_SWITCH_HELD;
    }
    const tml_status st = tmli_active_dynamics(s, r->work, x, f, r->gamma, err);
    memcpy(x->mode, r->kept, (size_t)s->nmode * sizeof *x->mode);
    return st;
}

// The force of the friction alone k in slip along its row, by x->lambda; r->f: the forces without it.
static tml_status slip_force(tmli_impact_rows *r, tml_state *x, int k, double *F, tml_error *err)
{
    const tml_system *s = r->sys;
    const int row = r->row[r->law.group[k].first];
    double size = 0;
    const tml_status st = forces_with(r, x, r->owner[k], r->force, err);
    *F = 0;
    for (int e = s->rowptr[row]; e < s->rowptr[row + 1]; e++) {
        size += r->B[e] * r->B[e];
        *F += r->B[e] * (r->force[s->rowcol[e]] - r->f[s->rowcol[e]]);
    }
    if (size > 0) *F /= size;
    return st;
}

// Bounds of the friction of joints, and R, by the impulses x->lambda. share: of the way to them; 0: they
// begin, without impulses.
static tml_status load_friction(tmli_impact_rows *r, tml_state *x, double share, tml_error *err)
{
    tml_status st = forces_with(r, x, -1, r->f, err);
    if (share == 0) memcpy(r->f0, r->f, (size_t)r->sys->n * sizeof *r->f0);
    for (int j = 0; j < r->sys->n; j++) r->R[j] = (1 - share) * r->R[j] + share * (r->f[j] - r->f0[j]);
    for (int k = 0; k < r->law.groups && st == TML_OK; k++) {
        tmli_impact_group *g = &r->law.group[k];
        double F = 0;
        if (g->normals) continue;
        st = slip_force(r, x, k, &F, err);
        if (share == 0) r->idle[k] = F;
        r->load[k] = fabs(F - r->idle[k]);
        g->bound = share == 0 ? 0 : (1 - share) * g->bound + share * r->load[k];
    }
    return st;
}

// The impulses of the last solution of the law satisfy it with the bounds that they load themselves: those of
// friction that holds are within them, those of slip are equal to them.
static bool loads_agree(const tmli_impact_rows *r)
{
    const tmli_impact_law *law = &r->law;
    for (int k = 0; k < law->groups; k++) {
        const tmli_impact_group *g = &law->group[k];
        const double p = fabs(law->p[g->first]), load = r->load[k], W = law->W[g->first * (law->rows + 1)],
                     rate = fabs(law->u[g->first]);
        if (g->normals) continue;
        const bool holds = rate <= fmax(IMPULSE_NOISE * fabs(law->b[g->first]), IMPULSE_CHANGE * W * load);
        if (p > load * (1 + IMPULSE_NOISE) || (!holds && p < load * (1 - IMPULSE_NOISE))) return false;
    }
    return true;
}

// The largest change of x->lambda since the last pass, over the largest of them
static double change_of(tmli_impact_rows *r, const tml_state *x)
{
    double change = 0, largest = 0;
    for (int i = 0; i < r->sys->m; i++) {
        change = fmax(change, fabs(x->lambda[i] - r->last[i]));
        largest = fmax(largest, fabs(x->lambda[i]));
        r->last[i] = x->lambda[i];
    }
    return largest > 0 ? change / largest : 0;
}

static bool is_zero(const double *v, int n)
{
    for (int i = 0; i < n; i++)
        if (v[i] != 0) return false;
    return true;
}

// How passes begin and end: without a load, until impulses do not change; or as soon as they satisfy the law
// by themselves; or with friction that sticks whatever its load is.
typedef enum passes { CONVERGE, ANY_SOLUTION, FROM_STICKING } passes;

// Friction that can stick gets a bound beyond all impulses.
static void begin_sticking(tmli_impact_rows *r)
{
    tmli_impact_law *law = &r->law;
    for (int k = 0; k < law->groups; k++)
        if (!law->group[k].normals && !tmli_impact_rows_prescribed(r, k)) law->group[k].bound = NO_BOUND;
}

// Each pass loads the friction of joints by the impulses of the last: that of slip converges, or grows until
// it sticks. If impulses swing, passes take half of the way. They end in round-off, where the changes of the
// impulses fall no more. Impulses that grow beyond all numbers solve nothing.
static tml_status iterate(tmli_impact_rows *r, tml_state *x, bool expands, passes kind, bool *solved,
                          tml_error *err)
{
    const tml_system *s = r->sys;
    tmli_impact_law *law = &r->law;
    const size_t rows = (size_t)law->rows;
    tml_status st = TML_OK;
    double before = INFINITY;
    memset(x->lambda, 0, (size_t)s->m * sizeof *x->lambda);
    memset(r->last, 0, (size_t)s->m * sizeof *r->last);
    memset(r->R, 0, (size_t)s->n * sizeof *r->R);
    memcpy(law->b, r->start, rows * sizeof *law->b);
    if (s->loads) st = load_friction(r, x, 0, err);
    if (kind == FROM_STICKING) begin_sticking(r);
    *solved = false;
    for (int pass = 0; pass < TMLI_LOAD_ITERATIONS && st == TML_OK && !*solved; pass++) {
        if (!tmli_impact_law_solve(law, expands)) return TML_OK;
        solve_rows(r, law->p, r->R, expands ? NULL : r->c, r->du, x->lambda);
        if (s->loads) st = load_friction(r, x, pass < TMLI_LOAD_ITERATIONS / 2 ? 1 : 0.5, err);
        if (st == TML_ERR_NAN) return TML_OK;
        const double change = change_of(r, x);
        *solved = (!r->loads && is_zero(r->R, s->n)) || change <= IMPULSE_CHANGE ||
                  (change <= IMPULSE_NOISE && change >= before / 2) ||
                  (kind == ANY_SOLUTION && is_zero(r->R, s->n) && loads_agree(r));
        before = change;
        if (*solved || st != TML_OK) break;
        tmli_impact_rows_move(r, r->R, NULL, r->du, NULL);
        for (int k = 0; k < law->rows; k++) law->b[k] = r->start[k] + tmli_impact_rows_rate(r, k, r->du);
    }
    return st;
}

// Where rows depend on each other (a body with one freedom that touches with friction) there are many
// impulses for one motion, and those of the passes may wander among them without end: then the first are
// taken that satisfy the law. Where friction sticks at impulses that are larger by orders of magnitude than
// those of slip (the line of a blow passes through the friction circle of a pin, and what drives the pin is
// heavy), passes come to them too slowly from below.
tml_status tmli_impact_rows_solve(tmli_impact_rows *r, tml_state *x, bool expands, bool *solved,
                                  tml_error *err)
{
    memcpy(r->start, r->law.b, (size_t)r->law.rows * sizeof *r->start);
    tml_status st = iterate(r, x, expands, CONVERGE, solved, err);
    for (passes kind = ANY_SOLUTION; kind <= FROM_STICKING && st == TML_OK && !*solved && r->loads; kind++)
        st = iterate(r, x, expands, kind, solved, err);
    return st;
}
