// See impact_law.h.
//
// Each group alone has a solution (local_solve): for a given p_N the tangents minimize a quadratic function
// on a disc, and u_N(p_N) has a zero, because W is positive on the cone as p_N grows. All groups at once are
// solved by steps with the model
//   u_c + H_c (p_c' - p_c),   H_c = W_cc + s 1 + sum over other groups d of |W_cd| 1                      (4)
// of each group c alone. H exceeds W, so that steps descend where the law is that of a minimum (without
// friction); a fixed point satisfies (2) and (3) in any case. A single group is solved in one step but for s
// (below). All groups step at the same time: their order has no effect.
// Steps find out which contacts open, stick and slip; Newton's method on
//   u_N = 0 or p_N = l,   u_T = 0 or p_T = r t/|t|,   t = p_T - u_T                                       (5)
// (P. Alart, A. Curnier, Comput. Methods Appl. Mech. Engrg. 92 (1991) 353-375) then ends in round-off. It is
// tried after each step, later more rarely, and taken if its result satisfies the law. Dependent rows (the
// corners of a box, a point of a body with one freedom) make W singular, and many impulses do the same. W has
// a small diagonal s more in steps and in the matrix of Newton's method: of them the first step selects the
// least ones, and Newton's method leaves those that do nothing where they are. Else round-off would select
// them, and an expansion by Poisson's law shows which they are. To the same end W and b are freed from the
// round-off by which b is beyond the range of W (remove_noise). With large coefficients of friction steps may
// go round in circles (0.2 % of random W); then groups step one after the other, by different shares. Of
// 60,000 compressions with random W 27 were not solved, all that were looked at in the plane.
#include "integrate/events/impact_law.h"

#include <math.h>
#include <string.h>

#include "integrate/events/constants.h"

tml_status tmli_impact_law_create(const tml_env *env, int max_rows, tmli_impact_law *s, tml_error *err)
{
    const size_t n = (size_t)max_rows + 1;
    *s = (tmli_impact_law){.env = env, .error = LAW_ERROR};
    const bool room = tmli_calloc_block(
        env, TMLI_ARRAY(s->W, n * n), TMLI_ARRAY(s->J, n * n), TMLI_ARRAY(s->kept, n * n),
        TMLI_ARRAY(s->b, n), TMLI_ARRAY(s->terms, n), TMLI_ARRAY(s->p, n), TMLI_ARRAY(s->u, n),
        TMLI_ARRAY(s->scale, n), TMLI_ARRAY(s->radius, n), TMLI_ARRAY(s->step, n), TMLI_ARRAY(s->x, n));
    s->group = tmli_calloc(env, n, sizeof *s->group);
    if (room && s->group) return TML_OK;
    tmli_impact_law_clear(s);
    return tmli_no_memory(err, "simulation");
}

void tmli_impact_law_clear(tmli_impact_law *s)
{
    if (!s->env) return;
    tmli_free(s->env, s->group);
    tmli_free(s->env, s->W);
    *s = (tmli_impact_law){0};
}

static double length2(const double *t, int count)
{
    return count == 2 ? hypot(t[0], t[1]) : count == 1 ? fabs(t[0]) : 0;
}

static int size_of(const tmli_impact_group *g) { return g->normals + g->tangents; }

// r of (2) or (3)
static double cone_radius(const tmli_impact_group *g, double p_N)
{
    return g->normals ? g->mu * fmax(p_N, 0) : g->bound;
}

// ---- one group --------------------------------------------------------------------------------------------

// The minimum of T'H T/2 + q'T on the disc |T| <= r: T = -inverse(H + s) q, s >= 0.
static void minimize_on_disc(const double *H, const double *q, int count, double r, double *T)
{
    if (count == 1) {
        const double free = H[0] > 0 ? -q[0] / H[0] : q[0] == 0 ? 0 : -copysign(INFINITY, q[0]);
        T[0] = fmin(fmax(free, -r), r);
        return;
    }
    // principal axes of H
    const double mean = (H[0] + H[3]) / 2, half = (H[0] - H[3]) / 2, off = (H[1] + H[2]) / 2,
                 spread = hypot(half, off), angle = 0.5 * atan2(off, half), c = cos(angle), s = sin(angle);
    const double k[2] = {mean + spread, fmax(mean - spread, 0)};
    const double a[2] = {c * q[0] + s * q[1], -s * q[0] + c * q[1]};
    double low = 0, high = hypot(a[0], a[1]) / r, at = 0, y[2] = {0, 0};
    if (!(r > 0)) {
        T[0] = T[1] = 0;
        return;
    }
    for (int pass = 0; pass < LOCAL_ITERATIONS; pass++) {  // |T(s)| falls with s
        double slope = 0;
        for (int i = 0; i < 2; i++) {
            y[i] = a[i] == 0 ? 0 : -a[i] / (k[i] + at);
            slope += y[i] == 0 ? 0 : y[i] * y[i] / (k[i] + at);
        }
        const double size = hypot(y[0], y[1]);
        if (size <= r && at == 0) break;
        if (size > r) low = at;
        else high = at;
        if (fabs(size - r) <= LOCAL_ERROR * r) break;
        const double next =
            isfinite(size) ? at + size * size * (size - r) / (r * slope) : high;  // Newton on 1/|T|
        at = next > low && next < high ? next : low + (high - low) / 2;
    }
    T[0] = c * y[0] - s * y[1];
    T[1] = s * y[0] + c * y[1];
}

// T of a contact with p_N; returns u_N. H (3 x 3, in rows of size), q: u = H p + q
static double tangents_of(const tmli_impact_group *g, const double *H, const double *q, double p_N, double *T)
{
    const int t = g->tangents, size = 1 + t;
    double H_T[4] = {0}, q_T[2] = {0}, sum = H[0] * p_N + q[0];
    for (int i = 0; i < t; i++) {
        q_T[i] = q[1 + i] + H[(1 + i) * size] * p_N;
        for (int j = 0; j < t; j++) H_T[t * i + j] = H[(1 + i) * size + 1 + j];
    }
    if (t > 0) minimize_on_disc(H_T, q_T, t, cone_radius(g, p_N), T);
    for (int i = 0; i < t; i++) sum += H[1 + i] * T[i];
    return sum;
}

// p (size) of a group alone, with u = H p + q; regula falsi with halved ends (Illinois) for u_N = 0.
static void local_solve(const tmli_impact_group *g, const double *H, const double *q, double *p)
{
    if (!g->normals) {
        minimize_on_disc(H, q, g->tangents, g->bound, p);
        return;
    }
    double low = g->least, at_low = tangents_of(g, H, q, low, p + 1);
    p[0] = low;
    if (at_low >= 0 || !(H[0] > 0)) return;
    double high = fmax(2 * low, -q[0] / H[0]), at_high;
    for (int k = 0; (at_high = tangents_of(g, H, q, high, p + 1)) < 0 && k < LOCAL_ITERATIONS; k++) {
        low = high;
        at_low = at_high;
        high *= 2;
    }
    for (int k = 0, side = 0; k < LOCAL_ITERATIONS && high - low > LOCAL_ERROR * high; k++) {
        const double share = k % BISECTION_PERIOD == BISECTION_PERIOD - 1 ? 0.5 : at_low / (at_low - at_high);
        const double middle = low + (high - low) * share, value = tangents_of(g, H, q, middle, p + 1);
        if (value < 0) {
            low = middle;
            at_low = value;
            if (side < 0) at_high /= 2;
            side = -1;
        } else {
            high = middle;
            at_high = value;
            if (side > 0) at_low /= 2;
            side = 1;
        }
        if (value == 0) break;
    }
    p[0] = high;
    tangents_of(g, H, q, high, p + 1);
}

// ---- all groups -------------------------------------------------------------------------------------------

// u of p by (1)
static void set_rates(tmli_impact_law *s)
{
    const int n = s->rows;
    for (int i = 0; i < n; i++) {
        s->u[i] = s->b[i];
        for (int j = 0; j < n; j++) s->u[i] += s->W[i * n + j] * s->p[j];
    }
}

// Units in which the mean diagonal of W in each group is 1: impulses and rates of all groups compare.
// direction 1: into them, -1: back. W and l come back without round-off, so that the same law has the same
// solution once more: of many, round-off would select another.
static void rescale(tmli_impact_law *s, int direction)
{
    const int n = s->rows;
    const size_t bytes = (size_t)n * (size_t)n * sizeof *s->W;
    if (direction > 0) memcpy(s->kept, s->W, bytes);
    else memcpy(s->W, s->kept, bytes);
    for (int i = 0; i < n; i++) {
        const double a = direction > 0 ? s->scale[i] : 1 / s->scale[i];
        for (int j = 0; j < n && direction > 0; j++) s->W[i * n + j] /= a * s->scale[j];
        s->b[i] /= a;
        s->u[i] /= a;
        s->p[i] *= a;
    }
    for (int k = 0; k < s->groups; k++) {
        const double a = direction > 0 ? s->scale[s->group[k].first] : 1 / s->scale[s->group[k].first];
        if (direction > 0) s->group[k].kept = s->group[k].least;
        s->group[k].least = direction > 0 ? s->group[k].least * a : s->group[k].kept;
        s->group[k].bound *= a;
    }
}

static void set_scale(tmli_impact_law *s)
{
    const int n = s->rows;
    for (int k = 0; k < s->groups; k++) {
        const tmli_impact_group *g = &s->group[k];
        const double rate = fabs(s->b[g->first]), bound = g->normals ? 0 : g->bound;
        double sum = 0;
        for (int i = g->first; i < g->first + size_of(g); i++) sum += s->W[i * n + i];
        // friction of what others hold: its bound and its rate become alike
        const double held = bound > 0 && rate > 0 ? sqrt(rate / bound) : 1;
        for (int i = g->first; i < g->first + size_of(g); i++)
            s->scale[i] = sum > 0 ? sqrt(sum / size_of(g)) : held;
    }
}

// The damping of (4), in scaled units
static void set_damping(tmli_impact_law *s)
{
    const int n = s->rows;
    for (int c = 0; c < s->groups; c++) {
        const tmli_impact_group *g = &s->group[c];
        s->radius[c] = 0;
        for (int d = 0; d < s->groups; d++) {
            const tmli_impact_group *o = &s->group[d];
            double sum = 0;
            for (int i = g->first; d != c && i < g->first + size_of(g); i++)
                for (int j = o->first; j < o->first + size_of(o); j++)
                    sum += s->W[i * n + j] * s->W[i * n + j];
            s->radius[c] += sqrt(sum);
        }
    }
}

// The solution of group c alone by (4), with the damping `radius`, into s->step.
static void solve_group(tmli_impact_law *s, int c, double radius)
{
    const tmli_impact_group *g = &s->group[c];
    const int n = s->rows, size = size_of(g), at = g->first;
    double H[9], q[3];
    for (int i = 0; i < size; i++) {
        q[i] = s->u[at + i];
        for (int j = 0; j < size; j++) {
            H[size * i + j] = s->W[(at + i) * n + at + j] + (i == j ? radius + DEPENDENT_SHIFT : 0);
            q[i] -= H[size * i + j] * s->p[at + j];
        }
    }
    local_solve(g, H, q, s->step + at);
}

// One step of all groups at once.
static void step_together(tmli_impact_law *s)
{
    for (int c = 0; c < s->groups; c++) solve_group(s, c, s->radius[c]);
    memcpy(s->p, s->step, (size_t)s->rows * sizeof *s->p);
    set_rates(s);
}

// One group after the other, each by a share of its step.
static void step_in_turn(tmli_impact_law *s, double share)
{
    const int n = s->rows;
    for (int c = 0; c < s->groups; c++) {
        const tmli_impact_group *g = &s->group[c];
        solve_group(s, c, 0);
        for (int i = g->first; i < g->first + size_of(g); i++) {
            const double change = share * (s->step[i] - s->p[i]);
            s->p[i] += change;
            for (int j = 0; j < n; j++) s->u[j] += s->W[j * n + i] * change;
        }
    }
    set_rates(s);
}

// The violation that round-off of the equations and of the rates b leaves; scaled. Rows that depend on each
// other have rates that differ by theirs.
static double allowed_violation(const tmli_impact_law *s)
{
    double most = 0;
    for (int i = 0; i < s->rows; i++)
        most = fmax(most, fmax(s->error * fabs(s->b[i]), RATE_ROUNDOFF * s->terms[i] / s->scale[i]));
    return most;
}

// What b may be beyond the range of W; scaled.
static double noise_of(const tmli_impact_law *s)
{
    double most = 0;
    for (int i = 0; i < s->rows; i++)
        most = fmax(most, fmax(IMPULSE_NOISE * fabs(s->b[i]), s->outside * s->terms[i] / s->scale[i]));
    return most;
}

// The larger one; NAN if one is.
static double larger(double a, double b) { return isnan(a) || b <= a ? a : b; }

// How far (5) is from being satisfied; scaled. NAN if p or u is.
static double violation(const tmli_impact_law *s)
{
    double most = 0;
    for (int c = 0; c < s->groups; c++) {
        const tmli_impact_group *g = &s->group[c];
        const double *p = s->p + g->first, *u = s->u + g->first;
        if (g->normals) most = larger(most, fabs(larger(g->least - p[0], -u[0])));
        double t[2] = {0, 0};
        for (int i = 0; i < g->tangents; i++) t[i] = p[g->normals + i] - u[g->normals + i];
        const double size = length2(t, g->tangents), r = cone_radius(g, p[0]),
                     share = size > r ? r / size : 1;
        for (int i = 0; i < g->tangents; i++) most = larger(most, fabs(p[g->normals + i] - share * t[i]));
    }
    return most;
}

// ---- Newton's method --------------------------------------------------------------------------------------

// The rows i of (5) that are u_i = 0, with a small diagonal for those that depend on others.
static void put_rate_row(tmli_impact_law *s, int i)
{
    const int n = s->rows;
    memcpy(s->J + i * n, s->W + i * n, (size_t)n * sizeof *s->J);
    s->J[i * n + i] += DEPENDENT_SHIFT;
    s->x[i] = -s->u[i];
}

// The rows of (5) of the tangents of a group
static void put_tangent_rows(tmli_impact_law *s, const tmli_impact_group *g)
{
    const int n = s->rows, at = g->first + g->normals, count = g->tangents;
    const double *p = s->p + at, *u = s->u + at;
    double t[2] = {0, 0};
    for (int i = 0; i < count; i++) t[i] = p[i] - u[i];
    const double size = length2(t, count), r = cone_radius(g, s->p[g->first]);
    for (int i = 0; i < count && size <= r; i++) put_rate_row(s, at + i);
    for (int i = 0; i < count && size > r; i++) {
        double *row = s->J + (at + i) * n;
        memset(row, 0, (size_t)n * sizeof *row);
        // d(r t/|t|) = t/|t| dr + r/|t| (1 - t t'/|t|^2) (dp - (W + s) dp)
        for (int k = 0; k < count; k++) {
            const double turn = r / size * ((i == k) - t[i] * t[k] / (size * size));
            row[at + k] -= turn * (1 - DEPENDENT_SHIFT);
            for (int j = 0; j < n; j++) row[j] += turn * s->W[(at + k) * n + j];
        }
        row[at + i] += 1;
        if (g->normals && s->p[g->first] > 0) row[g->first] -= g->mu * t[i] / size;
        s->x[at + i] = r * t[i] / size - p[i];
    }
}

// x := inverse(J) x by Gaussian elimination with row exchanges. False: J is singular.
static bool eliminate(tmli_impact_law *s)
{
    const int n = s->rows;
    double *A = s->J, *x = s->x;
    for (int k = 0; k < n; k++) {
        int at = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[at * n + k])) at = i;
        if (!(fabs(A[at * n + k]) > 0)) return false;
        for (int j = k; j < n && at != k; j++) {
            const double a = A[k * n + j];
            A[k * n + j] = A[at * n + j];
            A[at * n + j] = a;
        }
        const double b = x[k];
        x[k] = x[at];
        if (at != k) x[at] = b;
        for (int i = k + 1; i < n; i++) {
            const double f = A[i * n + k] / A[k * n + k];
            for (int j = k + 1; j < n && f != 0; j++) A[i * n + j] -= f * A[k * n + j];
            x[i] -= f * x[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) x[i] -= A[i * n + j] * x[j];
        x[i] /= A[i * n + i];
    }
    return true;
}

// Impulses that are outside of their bounds by round-off
static void clip(tmli_impact_law *s)
{
    for (int c = 0; c < s->groups; c++) {
        const tmli_impact_group *g = &s->group[c];
        double *const p = s->p + g->first, *const T = p + g->normals;
        if (g->normals) p[0] = fmax(p[0], g->least);
        const double size = length2(T, g->tangents), r = cone_radius(g, p[0]);
        for (int i = 0; i < g->tangents && size > r; i++) T[i] *= r / size;
    }
    set_rates(s);
}

// Newton's method on (5) from p. True: it satisfies the law; else p is as it was.
static bool polish(tmli_impact_law *s, double allowed)
{
    const int n = s->rows;
    double last = violation(s);
    memcpy(s->step, s->p, (size_t)n * sizeof *s->p);
    for (int pass = 0; pass < NEWTON_PASSES; pass++) {
        for (int c = 0; c < s->groups; c++) {
            const tmli_impact_group *g = &s->group[c];
            if (g->normals && s->p[g->first] - g->least > s->u[g->first]) put_rate_row(s, g->first);
            else if (g->normals) {
                memset(s->J + g->first * n, 0, (size_t)n * sizeof *s->J);
                s->J[g->first * n + g->first] = 1;
                s->x[g->first] = g->least - s->p[g->first];
            }
            put_tangent_rows(s, g);
        }
        if (!eliminate(s)) break;
        for (int i = 0; i < n; i++) s->p[i] += s->x[i];
        set_rates(s);
        const double now = violation(s);
        if (!isfinite(now)) break;
        if (now <= allowed && now >= last / 2) return true;  // round-off
        last = now;
    }
    if (last <= allowed) return true;
    memcpy(s->p, s->step, (size_t)n * sizeof *s->p);
    set_rates(s);
    return false;
}

// Dependent rows are found by the Cholesky decomposition W = L L' with the largest pivots, which ends at r
// pivots where those left are round-off. Then W := L L' with r columns, and the rates b of the dependent rows
// become those that follow from the others: a body with one freedom that touches with friction has many
// impulses for one motion, and what is left in b over the shift would select one of them. Not where b differs
// by more than round-off: such a rate is prescribed.
static void remove_noise(tmli_impact_law *s, double noise)
{
    const int n = s->rows;
    double *const L = s->J, *const left = s->x, *const y = s->step;
    int rank = 0, at = -1;
    for (int i = 0; i < n; i++) {
        left[i] = s->W[i * n + i];
        for (int j = 0; j < i; j++)
            if (s->W[i * n + j] != s->W[j * n + i]) return;  // of forces that slip
    }
    for (; rank < n; rank++, at = -1) {
        for (int i = 0; i < n; i++)
            if (left[i] > DEPENDENT_SHIFT && (at < 0 || left[i] > left[at])) at = i;
        if (at < 0) break;
        const double pivot = sqrt(left[at]);
        y[rank] = s->b[at];
        for (int k = 0; k < rank; k++) y[rank] -= L[at * n + k] * y[k];
        y[rank] /= pivot;
        for (int i = 0; i < n; i++) {
            double sum = s->W[i * n + at];
            for (int k = 0; k < rank; k++) sum -= L[i * n + k] * L[at * n + k];
            L[i * n + rank] = left[i] < 0 ? 0 : sum / pivot;
            if (left[i] >= 0) left[i] = fmax(left[i] - L[i * n + rank] * L[i * n + rank], 0);
        }
        left[at] = -1;  // a pivot
    }
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < rank; k++) sum += L[i * n + k] * y[k];
        if (left[i] >= 0 && s->W[i * n + i] > 0) {
            if (!(fabs(sum - s->b[i]) <= noise)) return;
            left[i] = sum;
        } else left[i] = s->b[i];
    }
    for (int i = 0; i < n && rank < n; i++) {
        s->b[i] = left[i];
        for (int j = 0; j < n; j++) {
            s->W[i * n + j] = 0;
            for (int k = 0; k < rank; k++) s->W[i * n + j] += L[i * n + k] * L[j * n + k];
        }
    }
}

// Steps from p = 0 until Newton's method finds a solution; share 0: of all groups at once.
static bool search(tmli_impact_law *s, double share, int steps, double allowed)
{
    memset(s->p, 0, (size_t)s->rows * sizeof *s->p);
    set_rates(s);
    for (int k = 1, next = 1; k <= steps; k++) {
        if (share > 0) step_in_turn(s, share);
        else step_together(s);
        if (k < next) continue;
        if (polish(s, allowed)) {
            clip(s);
            return true;
        }
        next = k + 1 + k / STEPS_BETWEEN_TRIALS;
    }
    return false;
}

bool tmli_impact_law_solve(tmli_impact_law *s, bool expands)
{
    static const double shares[] = {1, 0.5, 0.2, 1.5};
    set_scale(s);
    rescale(s, 1);
    if (!expands) s->allowed = allowed_violation(s);
    if (!expands) s->noise = noise_of(s);
    remove_noise(s, s->noise);
    set_damping(s);
    bool solved = search(s, 0, LAW_STEPS, s->allowed);
    for (size_t k = 0; k < sizeof shares / sizeof *shares && !solved; k++)
        solved = search(s, shares[k], LAW_STEPS / 4, s->allowed);
    rescale(s, -1);
    return solved;
}
