// Shift and invert: the roots s nearest to a shift h are the largest 1/(s - h) of the operator (2) of
// pencil.h.
//
// The roots near 0 are wanted if no frequency is given, but 0 itself is a root of every free motion. The
// shift must be nonzero, and not much larger than the wanted roots, or all of them look alike. It is found
// by rounds: a coarse solution about the shift h shows roots down to some 1e-3 h; if all wanted ones are
// far smaller than h, the next shift is as small as the largest of them. If others are far larger, the next
// shift is as large. The shift is real and positive: there, stable systems have no root, and of imaginary
// roots the smallest are nearest.
//
// Infinite roots are eigenvalues 0 of the operator, of multiplicity three; round-off makes them finite, but
// far from the shift. A root that far is found again from a shift next to it, or dropped.
#include "analysis/modes/large.h"
#include "analysis/modes/damped.h"
#include "analysis/modes/invariance.h"
#include "analysis/modes/linearize.h"
#include "analysis/modes/pencil.h"
#include "analysis/rank/dependence.h"
#include "linalg/eigen/arnoldi.h"

#include <math.h>
#include <string.h>

#include "analysis/modes/constants.h"

typedef struct search {
    tmli_pencil p;
    tmli_roots *roots;
    int room;  // eigenvalues asked for
    int all;   // roots that there should be, at most as many as are wanted
    double complex *values, *vectors, *list;
    int found;
    int start;                // number of the search from this shift
    double *re, *im;          // (n)
    double complex *applied;  // (2 n)
} search;

// ---- roots ------------------------------------------------------------------------------------------------

// Roots nearest to the shift: to `tolerance`, with at most so many restarts.
static tml_status find_near(search *s, double complex shift, double tolerance, int restarts, tml_error *err)
{
    const tml_status st = tmli_pencil_factor(&s->p, shift, err);
    if (st != TML_OK) return st;
    const tmli_arnoldi_def def = {.n = 2 * s->p.n,
                                  .count = s->room,
                                  .tolerance = tolerance,
                                  .restarts = restarts,
                                  .apply = tmli_pencil_apply,
                                  .user = &s->p,
                                  .enter = tmli_library_enter,
                                  .leave = tmli_library_leave,
                                  .filter = 3,
                                  .start = s->start};
    return tmli_arnoldi_solve(&def, &s->p.sys->env, s->values, s->vectors, &s->found, err);
}

static double complex root_of(const search *s, int i) { return s->p.shift + 1 / s->values[i]; }

static bool is_far(const search *s, int i) { return cabs(s->values[i]) * cabs(s->p.shift) * FAR_ROOT < 1; }

// Sizes of the roots of a coarse solution
typedef struct sizes {
    double largest;  // of those that are not far; 0: none was found
    double far;      // the smallest far one; INFINITY: none
} sizes;

static tml_status find_sizes(search *s, double rate, sizes *out, tml_error *err)
{
    *out = (sizes){0, INFINITY};
    const tml_status st = find_near(s, rate, COARSE_ROOTS, COARSE_RESTARTS, err);
    if (st == TML_ERR_STEP) return TML_OK;  // roots look alike: the shift is too large
    for (int i = 0; i < s->found && st == TML_OK; i++) {
        const double size = cabs(root_of(s, i));
        if (is_far(s, i)) out->far = fmin(out->far, size);
        else out->largest = fmax(out->largest, size);
    }
    return st;
}

// A shift may be so small beside stiff parts that the inertia of free ones is lost in round-off, and the
// matrix is singular: the one before it is the smallest that serves.
static tml_status choose_shift(search *s, double *rate, tml_error *err)
{
    const double fastest = tmli_pencil_fastest(&s->p);
    double before = 0;
    *rate = fastest > 0 ? FIRST_SHIFT * fastest : 1;
    for (int round = 0; round < SHIFT_ROUNDS; round++) {
        sizes found, above = {0};
        tml_status st = find_sizes(s, *rate, &found, err);
        if (st == TML_ERR_SINGULAR && round > 0) {
            *rate = before;
            return TML_OK;
        }
        if (st != TML_OK || found.largest > SMALL_ROOTS * *rate) return st;
        const double far = found.far;
        if (isfinite(far)) {  // true roots, or infinite ones
            st = find_sizes(s, far, &above, err);
            if (st != TML_OK) return st;
            if (above.largest > SMALL_ROOTS * far) *rate = far;
            if (above.largest > SMALL_ROOTS * far || found.largest == 0) return TML_OK;
        }
        before = *rate;
        *rate = fmax(found.largest, COARSE_ROOTS * *rate);
    }
    return TML_OK;
}

// Error of the i-th root that was found; a root verified on its own, i = -1, is simple.
static double error_of(search *s, int i, double complex root, double noise)
{
    if (i < 0) return tmli_root_error(&root, 1, 0, noise);
    for (int k = 0; k < s->found; k++) s->list[k] = s->values[k] != 0 ? root_of(s, k) : INFINITY;
    return tmli_root_error(s->list, s->found, i, noise);
}

// Add a root, the i-th that was found, with its vector (d, e over `rate`).
static void add_root(search *s, int i, double complex root, double complex *d, double rate, double smallest)
{
    const size_t n = (size_t)s->p.n, nz = (size_t)s->p.sys->nz;
    for (size_t j = n - nz; j < n; j++) d[j] = d[n + j] * rate;
    const double noise = tmli_pencil_noise(&s->p, d), size = cabs(root), error = error_of(s, i, root, noise);
    if (size <= fmax(noise, smallest)) root = 0;
    else if (fabs(cimag(root)) <= UNDAMPED_SHARE * size + noise * noise / size) root = creal(root);
    if (cimag(root) < 0) return;
    for (size_t j = 0; j < n; j++) {
        s->re[j] = creal(d[j]);
        s->im[j] = cimag(d[j]);
    }
    const double distance = tmli_roots_distance(s->roots, root);
    const tmli_root value = {root, distance, noise, root == 0 ? 0 : error, s->start > 0};
    tmli_roots_add(s->roots, value, s->re, root == 0 ? NULL : s->im);
    if (root == 0) tmli_roots_add(s->roots, value, s->im, NULL);
}

// One step of inverse iteration from a shift next to a far root. x: its vector, replaced
static tml_status verify(search *s, double complex root, double before, double complex *x, tml_error *err)
{
    const size_t n = (size_t)s->p.n;
    if (tmli_pencil_factor(&s->p, root * (1 + OWN_SHIFT), err) != TML_OK) return TML_OK;
    const double rate = cabs(s->p.shift);
    for (size_t j = n; j < 2 * n; j++) x[j] *= before / rate;
    tmli_pencil_apply(x, s->applied, &s->p);
    double complex product = 0;
    double norm = 0;
    for (size_t j = 0; j < 2 * n; j++) {
        product += conj(x[j]) * s->applied[j];
        norm += creal(conj(x[j]) * x[j]);
    }
    const double complex found = product != 0 ? s->p.shift + norm / product : 0;
    if (cabs(found - root) < OWN_SHIFT / 10 * cabs(root)) add_root(s, -1, found, s->applied, rate, 0);
    return TML_OK;
}

static tml_status collect(search *s, tml_error *err)
{
    const size_t n = (size_t)s->p.n;
    const double rate = cabs(s->p.shift), smallest = sqrt(TMLI_ROUNDOFF) * rate;  // of a double zero
    for (int i = 0; i < s->found; i++)
        if (!is_far(s, i)) add_root(s, i, root_of(s, i), s->vectors + (size_t)i * 2 * n, rate, smallest);
    const double complex shift = s->p.shift;
    tml_status st = TML_OK;
    for (int i = 0; i < s->found && st == TML_OK; i++) {
        const double complex value = s->values[i];
        if (value == 0 || cabs(value) * rate * FAR_ROOT >= 1) continue;
        const double complex root = shift + 1 / value;
        if (cimag(root) >= -UNDAMPED_SHARE * cabs(root) &&
            tmli_roots_wants(s->roots, tmli_roots_distance(s->roots, root)))
            st = verify(s, root, rate, s->vectors + (size_t)i * 2 * n, err);
    }
    return st;
}

// The wanted roots may be far smaller than those that a coarse solution shows: from its shift they look
// alike, and do not converge. Smaller shifts follow then.
static tml_status find_lowest(search *s, tml_error *err)
{
    double rate = 0;
    tml_status st = choose_shift(s, &rate, err);
    bool smallest = false;
    for (int round = 0; st == TML_OK; round++) {
        const bool last = round >= SHIFT_ROUNDS || smallest;
        st = find_near(s, rate, 0, last ? RESTARTS : TRIAL_RESTARTS, err);
        if (st == TML_ERR_SINGULAR && round > 0 && !smallest) {
            smallest = true;
            rate /= SMALLER_SHIFT;
            st = TML_OK;
            continue;
        }
        if (st != TML_OK && st != TML_ERR_STEP) return st;
        if (last || (st == TML_OK && s->found == s->room)) break;
        rate *= SMALLER_SHIFT;
        st = TML_OK;
    }
    return st;
}

static tml_status fail_unknown(tml_error *err)
{
    return tmli_fail(err, TML_ERR_STEP, "no root of the small motions is known for certain");
}

static tml_status find_roots(search *s, const tmli_roots_def *want, tml_error *err)
{
    // a little off the axis, where undamped roots are
    const double complex near = COARSE_ROOTS * want->near + want->near * I;
    tml_status st = want->near == 0 ? find_lowest(s, err) : find_near(s, near, 0, RESTARTS, err);
    const double complex shift = s->p.shift;
    if (st == TML_OK) st = collect(s, err);
    for (s->start = 1; s->start <= MORE_STARTS && st == TML_OK && s->roots->count < s->all; s->start++) {
        st = find_near(s, shift, 0, RESTARTS, err);
        if (st == TML_OK) st = collect(s, err);
    }
    s->start = 0;
    if (st == TML_ERR_STEP && s->roots->count > 0) st = TML_OK;
    return st == TML_OK && s->roots->count == 0 ? fail_unknown(err) : st;
}

// Errors that leave what other searches find
static tml_status unless_shortage(tml_status st) { return tmli_is_shortage(st) ? st : TML_OK; }

// Roots of damped motions near the shift of those without damping, as far as they converge soon: many that
// are nearly equal do not.
static tml_status find_some_damped(search *s, tml_error *err)
{
    const double rate = cabs(s->p.shift) > 0 ? cabs(s->p.shift) : 1;
    const double complex shift = s->roots->near == 0 ? rate : s->p.shift;
    const tml_status st = find_near(s, shift, 0, COARSE_RESTARTS, err);
    return st == TML_OK ? collect(s, err) : st;
}

// The same for damped motions: roots without damping, and some with it, are the start of tmli_damped_roots.
static tml_status find_damped(search *s, const tmli_roots_def *want, tmli_roots *out, tml_error *err)
{
    const tml_env *env = &s->p.sys->env;
    tmli_roots list[2];
    memset(list, 0, sizeof list);
    s->roots = &list[0];
    tml_status st = tmli_roots_init(&list[0], env, s->p.n, want, err);
    if (st == TML_OK) st = tmli_roots_init(&list[1], env, s->p.n, want, err);
    const tml_status first = st == TML_OK ? find_roots(s, want, err) : st;
    tmli_pencil_restore_damping(&s->p);
    s->roots = &list[1];
    if (st == TML_OK) st = unless_shortage(first);
    if (st == TML_OK) st = unless_shortage(find_some_damped(s, err));
    if (st == TML_OK && list[0].count + list[1].count == 0) st = first == TML_OK ? fail_unknown(err) : first;
    if (st == TML_OK) st = tmli_damped_roots(&s->p, &list[0], &list[1], out, err);
    if (st == TML_OK && out->count == 0) st = fail_unknown(err);
    tmli_roots_clear(&list[0]);
    tmli_roots_clear(&list[1]);
    return st;
}

static tml_status allocate(search *s, const tmli_roots_def *want, int freedoms, tml_error *err)
{
    const tml_system *sys = s->p.sys;
    const size_t n = (size_t)sys->n;
    s->all = want->count < freedoms ? want->count : freedoms;
    // conjugates, and a spare pair so that the last wanted root is inside; no more than there are
    s->room = 2 * freedoms + sys->nz;
    if (want->count < freedoms && s->room > 2 * want->count + 2) s->room = 2 * want->count + 2;
    if (s->room > 2 * sys->n - 2) s->room = 2 * sys->n - 2;
    const size_t room = (size_t)s->room + 1;
    if (!tmli_arena_alloc_all(&s->p.arena, TMLI_ARRAY(s->values, room), TMLI_ARRAY(s->list, room),
                              TMLI_ARRAY(s->vectors, 2 * n * room), TMLI_ARRAY(s->applied, 2 * n + 1),
                              TMLI_ARRAY(s->re, 2 * n + 1)))
        return tmli_no_memory(err, "modes");
    s->im = s->re + n;
    return TML_OK;
}

tml_status tmli_large_roots(const tml_system *sys, const tml_model *model, void *w, const tml_state *x,
                            const tmli_roots_def *want, tmli_spectrum *about, tmli_roots *roots,
                            tml_error *err)
{
    search s = {.roots = roots};
    tmli_dependence rows = {0};
    tml_status st = tmli_roots_init(roots, &sys->env, sys->n, want, err);
    if (st == TML_OK) st = tmli_dependence_calc(sys, w, x, &rows, err);
    about->freedoms = sys->n - sys->nz - rows.rank;
    tmli_dependence_clear(&rows);
    if (st == TML_OK) st = tmli_pencil_init(&s.p, sys, w, x, err);
    if (st == TML_OK) st = tmli_invariance_find(&s.p, model, about, err);
    if (st == TML_OK && about->motion == TMLI_MOTION_CHANGING)
        st = tmli_fail(err, TML_ERR_ARG,
                       "the state at t = %g s is neither an equilibrium nor steady: its modes are only found "
                       "for up to %d coordinates, by dense matrices",
                       x->t, TMLI_LINEARIZE_COORDINATES);
    const bool damped = st == TML_OK && tmli_damped_applies(&s.p) && tmli_pencil_remove_damping(&s.p);
    const tmli_roots_def start = tmli_damped_start(want);
    if (st == TML_OK) st = allocate(&s, damped ? &start : want, about->freedoms, err);
    if (st == TML_OK && s.room > 0)
        st = damped ? find_damped(&s, &start, roots, err) : find_roots(&s, want, err);
    tmli_pencil_clear(&s.p);
    return st;
}
