// The smallest singular value of the active rows along a motion; see singular_value.h.
#include "integrate/constraints/singular_value.h"
#include "linalg/dense/determinant.h"
#include "linalg/dense/lapack.h"
#include "linalg/dense/routines.h"
#include "linalg/dense/skyline.h"
#include "system/state/fields.h"
#include "system/state/first_order.h"
#include "system/state/inactive.h"

#include <math.h>
#include <string.h>

#include "integrate/constraints/constants.h"

static const tmli_fields FIELDS = {
    "singular value", offsetof(tmli_singular_value, memory),
    (const tmli_span[]){TMLI_NUMBERS(tmli_singular_value, known, failed),
                        TMLI_NUMBERS(tmli_singular_value, reuses, skipped),
                        TMLI_NUMBERS(tmli_singular_value, s, stretch),
                        TMLI_KEPT(tmli_singular_value, n, v, TMLI_BY_M, 1),
                        TMLI_KEPT(tmli_singular_value, w, dense_row, TMLI_BY_N, 1),
                        TMLI_KEPT(tmli_singular_value, B_values, B_last, TMLI_BY_ENTRIES, 1),
                        TMLI_SCRATCH(tmli_singular_value, S, S, TMLI_BY_OWN, 1),
                        TMLI_SCRATCH(tmli_singular_value, first, first, TMLI_BY_NM, 1),
                        {0}}};

void tmli_singular_value_clear(tmli_singular_value *p)
{
    if (p->sys) tmli_object_clear(&FIELDS, p->sys, p);
    *p = (tmli_singular_value){0};
}

// Row r of B B' begins with the first row that shares a column with it.
static void find_skyline(tmli_singular_value *p)
{
    const tml_system *s = p->sys;
    int *first_of = p->first + s->m;  // (n) first row with an entry in a column
    for (int j = 0; j < s->n; j++) first_of[j] = s->m;
    for (int r = 0; r < s->m; r++) {
        p->first[r] = r;
        for (int k = s->rowptr[r]; k < s->rowptr[r + 1]; k++) {
            int *first = &first_of[s->rowcol[k]];
            if (*first > r) *first = r;
            if (*first < p->first[r]) p->first[r] = *first;
        }
    }
}

tml_status tmli_singular_value_create(const tmli_redundant_rows *redundant, tmli_singular_value *p,
                                      tml_error *err)
{
    const tml_system *sys = redundant->system;
    *p = (tmli_singular_value){.sys = sys, .unit = redundant->unit, .stretch = 1, .rate = 1};
    p->use_gram = sys->coupled && sys->m <= MAX_GRAM_ROWS;
    p->track_all = sys->m <= MAX_TRACKED_ROWS;
    tmli_sizes sizes = tmli_sizes_of(sys);
    sizes.of[TMLI_BY_OWN] = p->use_gram || p->track_all ? sizes.of[TMLI_BY_M] * sizes.of[TMLI_BY_M] : 0;
    const tml_status st = tmli_fields_create(&FIELDS, &sizes, p, err);
    if (st != TML_OK) {
        tmli_singular_value_clear(p);
        return st;
    }
    for (int r = 0; r < sys->m; r++) p->test_vector[r] = 0.5 + fmod(0.6180339887498949 * (r + 1), 1);
    find_skyline(p);
    return TML_OK;
}

// B_values := B at x in units
static tml_status evaluate_rows(tmli_singular_value *p, void *work, const tml_state *x)
{
    const tml_system *s = p->sys;
    const tml_status st = tmli_active_rows(s, work, x, p->B_values, NULL);
    p->x = x;
    for (int r = 0; r < s->m && st == TML_OK; r++) {
        const double per_unit = 1 / p->unit[s->n + r];
        for (int k = s->rowptr[r]; k < s->rowptr[r + 1]; k++)
            p->B_values[k] *= p->unit[s->rowcol[k]] * per_unit;
    }
    return st;
}

// n' B w
static double bilinear_form(const tmli_singular_value *p)
{
    const tml_system *s = p->sys;
    double sum = 0;
    for (int r = 0; r < s->m; r++) {
        double row = 0;
        for (int k = s->rowptr[r]; k < s->rowptr[r + 1]; k++) row += p->B_values[k] * p->w[s->rowcol[k]];
        sum += p->n[r] * row;
    }
    return sum;
}

// False: v is zero or not finite, and becomes zero.
static bool normalize(double *v, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += v[i] * v[i];
    const bool valid = isfinite(sum) && sum > 0;
    for (int i = 0; i < n; i++) v[i] = valid ? v[i] / sqrt(sum) : 0;
    return valid;
}

// ---- singular vectors -------------------------------------------------------------------------------------

// w := B'n
static void multiply_transposed(tmli_singular_value *p)
{
    const tml_system *s = p->sys;
    for (int j = 0; j < s->n; j++) p->w[j] = 0;
    for (int r = 0; r < s->m; r++)
        for (int k = s->rowptr[r]; k < s->rowptr[r + 1]; k++) p->w[s->rowcol[k]] += p->B_values[k] * p->n[r];
}

// Inverse iteration with B B', where that costs less than the inertia of all joints. False: B B' is singular
// to working precision.
static bool iterate_gram(tmli_singular_value *p, int iterations)
{
    const tml_system *s = p->sys;
    const int m = s->m;
    for (int j = 0; j < s->n; j++) p->w[j] = 0;
    for (int r = 0; r < m; r++) {
        for (int k = s->rowptr[r]; k < s->rowptr[r + 1]; k++) p->w[s->rowcol[k]] = p->B_values[k];
        for (int i = p->first[r]; i <= r; i++) {
            double sum = 0;
            for (int k = s->rowptr[i]; k < s->rowptr[i + 1]; k++) sum += p->B_values[k] * p->w[s->rowcol[k]];
            p->S[r * m + i] = sum;
        }
        for (int k = s->rowptr[r]; k < s->rowptr[r + 1]; k++) p->w[s->rowcol[k]] = 0;
        if (tmli_is_row_off(s, p->x, r)) p->S[r * m + r] = 1;
    }
    if (!tmli_skyline_factor(m, p->first, p->S)) return false;
    for (int i = 0; i < iterations; i++) {
        for (int r = 0; r < m; r++)
            p->n[r] = tmli_is_row_off(s, p->x, r)
                          ? 0
                          : p->n[r] + (i == 0 ? TEST_VECTOR_WEIGHT * p->test_vector[r] : 0);
        tmli_skyline_solve(m, p->first, p->S, p->n);
        if (!normalize(p->n, m)) return false;
    }
    multiply_transposed(p);
    return normalize(p->w, s->n);
}

// New singular vectors at x, with B_values there. The iteration starts from the last vectors.
static void update_vectors(tmli_singular_value *p, tmli_consistent *c, const tml_state *x)
{
    const tml_system *s = p->sys;
    const double *row_unit = p->unit + s->n;
    const int iterations = p->known && p->s < WEAK_PIVOT && !p->use_gram ? 1 : ITERATIONS;
    p->known =
        p->use_gram ? iterate_gram(p, iterations) : tmli_index1_factor(&c->matrix, x, 0, 0, NULL) == TML_OK;
    for (int i = 0; i < iterations && p->known && !p->use_gram; i++) {
        for (int r = 0; r < s->m; r++)
            p->v[r] = row_unit[r] * (p->n[r] + (i == 0 ? TEST_VECTOR_WEIGHT * p->test_vector[r] : 0));
        tmli_index1_solve(&c->matrix, NULL, p->v, p->w, p->n);  // B w = v, M w + B'n = 0
        for (int r = 0; r < s->m; r++) p->n[r] *= row_unit[r];
        for (int j = 0; j < s->n; j++) p->w[j] /= p->unit[j];
        p->known = normalize(p->n, s->m) && normalize(p->w, s->n);
    }
    p->s_first = p->known ? bilinear_form(p) : INFINITY;
    for (int r = 0; r < s->m && p->s_first < 0; r++) p->n[r] = -p->n[r];
    p->s_first = fabs(p->s_first);
    p->reuses = 0;
}

// n'Bw = now at the present state; s: the singular value of the last check.
static bool can_reuse_vectors(const tmli_singular_value *p, double now, double s)
{
    if (p->use_gram || p->reuses >= MAX_PARTS - 1 || !(s < WEAK_PIVOT) || p->x->inactive->count > 0)
        return false;
    return now > REUSE_RATIO * p->s_first && REUSE_RATIO * now < p->s_first;
}

bool tmli_singular_value_refresh(tmli_singular_value *p, tmli_consistent *c, const tml_state *x)
{
    if (evaluate_rows(p, c->matrix.work, x) != TML_OK) {
        p->known = false;
        return false;
    }
    update_vectors(p, c, x);
    p->s = p->s_first;
    return p->known && isfinite(p->s);
}

double tmli_singular_value_signed(tmli_singular_value *p, void *work, const tml_state *x)
{
    return evaluate_rows(p, work, x) == TML_OK ? bilinear_form(p) : NAN;
}

// ---- all singular values ----------------------------------------------------------------------------------

// S := A B' of two sets of rows; rows that are off get 1 on the diagonal.
static void multiply_rows(tmli_singular_value *p, const double *A, const double *B)
{
    const tml_system *s = p->sys;
    double *row = p->dense_row;
    for (int r = 0; r < s->m; r++) {
        for (int j = 0; j < s->n; j++) row[j] = 0;
        for (int k = s->rowptr[r]; k < s->rowptr[r + 1]; k++) row[s->rowcol[k]] = A[k];
        for (int i = 0; i < s->m; i++) {
            double sum = i == r && tmli_is_row_off(s, p->x, r);
            for (int k = s->rowptr[i]; k < s->rowptr[i + 1]; k++) sum += B[k] * row[s->rowcol[k]];
            p->S[i * s->m + r] = sum;
        }
    }
}

// Negative if singular values have passed zero between two sets of rows: det(A B'), if their number is odd.
// With redundant rows two may pass at once, since other active rows would be the better ones there. Then it
// is the smallest real part of an eigenvalue, as if each singular value had kept its vectors.
static double compare_rows(tmli_singular_value *p, const double *A, const double *B)
{
    const int m = p->sys->m;
    multiply_rows(p, A, B);
    if (p->x->inactive->count > 0) {
        if (tmli_lapack_load(&p->shortage) != TML_OK) return INFINITY;
        int info = 0;
        double re[MAX_TRACKED_ROWS] = {0}, im[MAX_TRACKED_ROWS], work[4 * MAX_TRACKED_ROWS], none = 0,
               least = INFINITY;
        const int lwork = 4 * MAX_TRACKED_ROWS, one = 1;
        tmli_dgeev("N", "N", &m, p->S, &m, re, im, &none, &one, &none, &one, work, &lwork, &info, 1, 1);
        for (int i = 0; i < m && info == 0; i++) least = fmin(least, re[i]);
        return least;
    }
    return tmli_determinant(m, p->S);
}

// Whether a singular value may have passed zero since the last comparison, up to the rows of B_values at the
// time t [s]. If not, these are kept for the next comparison.
static bool compare_with_last(tmli_singular_value *p, double t)
{
    const bool comparable = p->known && p->path_now - p->path_last < 3 * FAR_DISTANCE;
    if (comparable && compare_rows(p, p->B_values, p->B_last) < 0) return true;
    tmli_singular_value_keep_rows(p, t);
    return false;
}

void tmli_singular_value_keep_rows(tmli_singular_value *p, double t)
{
    p->t_last = t;
    p->path_last = p->path_now;
    memcpy(p->B_last, p->B_values, (size_t)p->sys->rowptr[p->sys->m] * sizeof(double));
}

bool tmli_singular_value_same_side(tmli_singular_value *p, void *work, const tml_state *x)
{
    return evaluate_rows(p, work, x) == TML_OK && compare_rows(p, p->B_values, p->B_last) > 0;
}

// ---- checks -----------------------------------------------------------------------------------------------

// The singular value is s at x and was `before` (infinite: unknown) at the last check, `distance` away.
static void store_value(tmli_singular_value *p, const tml_state *x, double s, double before, double distance)
{
    p->t = x->t;
    p->path_check = p->path_now;
    p->s = s;
    if (!p->known) return;
    p->rate = fmax(isfinite(before) && distance > 0 ? fabs(s - before) / distance : 0, RATE_DECAY * p->rate);
    p->stretch = fmin(fmax(CHECK_DISTANCE_SHARE / p->rate, 1), MAX_STRETCH);
}

int tmli_singular_value_begin_step(tmli_singular_value *p, const tml_state *x, double h)
{
    const double before = p->speed_end;
    p->path_step += p->speed * p->step;
    p->t_step = x->t - h;
    p->step = h;
    p->speed_end = 0;
    // in joint coordinates a body rotates with all joints before it
    for (int j = 0; j < tmli_mechanical(p->sys); j++) {
        const double rate = fabs(x->u[j]) / p->unit[j];
        p->speed_end = p->track_all && p->sys->coupled ? p->speed_end + rate : fmax(p->speed_end, rate);
    }
    p->speed = fmax(before, p->speed_end);
    if (p->sys->coupled && !p->track_all) return 1;  // a check costs as much as several accelerations
    return 1 +
           (int)fmin(p->speed * h / (p->track_all ? FAR_DISTANCE : p->stretch * FAR_DISTANCE), MAX_PARTS - 1);
}

bool tmli_singular_value_check(tmli_singular_value *p, tmli_consistent *c, const tml_state *x,
                               double *crossed)
{
    p->path_now = p->path_step + p->speed * (x->t - p->t_step);
    const double distance = p->path_now - p->path_check;
    *crossed = NAN;
    if (x->inactive->count == p->sys->m) {  // no row is active
        p->known = false;
        return false;
    }
    // Where another singular value has become the smallest, a few iterations from the old vectors may still
    // give the old one, and s is too large. After a failed trial s is not relied upon.
    const double usual = p->stretch * fmin(CHECK_DISTANCE_SHARE * p->s, FAR_DISTANCE);
    const double least = DEACTIVATION_SHARE * RELIABLE_PIVOT;  // no rows are deactivated at smaller pivots
    const double due = p->failed ? least : fmax(usual, least);
    const bool early = p->known && distance < due && ++p->skipped < MAX_SKIPPED;
    const double compare_distance = p->speed * p->step > FAR_DISTANCE / 2 ? FAR_DISTANCE / 2 : FAR_DISTANCE;
    if (early && !(p->track_all && p->path_now - p->path_last > compare_distance)) return false;
    if (evaluate_rows(p, c->matrix.work, x) != TML_OK) {
        p->known = false;
        return false;
    }
    const double before = p->known ? p->s : INFINITY;
    // Over long distances the sign may mislead; the caller looks at the pivots where s seems to pass zero.
    const double now = p->known ? bilinear_form(p) : 0;
    if (now < 0) *crossed = p->t + (x->t - p->t) * p->s / (p->s - now);
    if (p->track_all) {
        *crossed = compare_with_last(p, x->t) ? x->t : NAN;
        if (early && isnan(*crossed)) return false;
    }
    p->skipped = 0;
    const bool reuse = !early && can_reuse_vectors(p, now, before);
    if (reuse) p->reuses++;
    else update_vectors(p, c, x);
    store_value(p, x, reuse ? now : p->s_first, before, distance);
    p->within_reach = !(before + p->s > fmin(1, p->rate / CHECK_DISTANCE_SHARE) * distance);
    return true;
}

void tmli_singular_value_archive(tmli_singular_value *p, tml_archive *a)
{
    tmli_object_archive(&FIELDS, p->sys, p, a);
}
