// The path of a sweep. sweep_point.c has the matrix (1) behind every point of it.
//
// Steps are at most MAX_STEP long. They follow the tangent with the curvature of the last step, so that the
// residual to correct is of third order: near a singular configuration a correction is larger by 1/sigma. eps
// damps it there (sigma < 1e-3), and the path continues straight, on the smooth branch. A minimum of sigma
// between two steps is located by golden section. Whether rows are dependent there is decided by the rank,
// since another choice of dependent rows may suit better there.
//
// |sigma| = c d at a small distance d from a zero. Let the middle one of three points be nearest to the zero.
// Its distance is then d <= h/2 with the step h that crosses the zero, and the other step is at least h/2 (a
// step is at most doubled, and rarely halved twice). The point beyond that one gives
//   largest over smallest sigma >= (h/2 + d)/d >= 2                                             (2)
#include "analysis/check/sweep.h"
#include "analysis/check/sweep_point.h"

#include <math.h>
#include <string.h>

#include "analysis/check/constants.h"

// Sigma at the distance h from x along the path; infinite if the step fails.
static double sigma_at(tmli_sweep_work *w, double h)
{
    return tmli_sweep_move(w, h) && tmli_sweep_factor(w, w->y, TMLI_SWEEP_EPSILON, NULL) == TML_OK
               ? tmli_sweep_smallest_singular_value(w)
               : INFINITY;
}

// Minimum of sigma within the distance h along the path; returns its distance.
static double search_minimum(tmli_sweep_work *w, double h, double *least)
{
    const double golden = 0.61803398874989485;
    double a = 0, b = h, c = h * (1 - golden), d = h * golden;
    double fc = sigma_at(w, c), fd = sigma_at(w, d);
    const double speed = w->def->driven ? w->speed : 1;
    while ((b - a) * speed > TMLI_INPUT_ERROR) {
        if (fc < fd) {
            b = d, d = c, fd = fc;
            c = b - golden * (b - a);
            fc = sigma_at(w, c);
        } else {
            a = c, c = d, fc = fd;
            d = a + golden * (b - a);
            fd = sigma_at(w, d);
        }
    }
    *least = fmin(fc, fd);
    return fc < fd ? c : d;
}

typedef struct step_record {  // a configuration from which the path can be continued
    tml_state *x;
    double *tangent, *curvature;
    double length, sigma, speed;
} step_record;

static void save_point(const tmli_sweep_work *w, step_record *k)
{
    const size_t n = (size_t)w->sys->n;
    tml_state_copy(k->x, w->x);
    memcpy(k->tangent, w->tangent, n * sizeof(double));
    memcpy(k->curvature, w->curvature, n * sizeof(double));
    k->length = w->length;
    k->sigma = w->sigma;
    k->speed = w->speed;
}

static void restore_point(tmli_sweep_work *w, const step_record *k)
{
    const size_t n = (size_t)w->sys->n;
    tml_state_copy(w->x, k->x);
    memcpy(w->tangent, k->tangent, n * sizeof(double));
    memcpy(w->curvature, k->curvature, n * sizeof(double));
    w->length = k->length;
    w->sigma = k->sigma;
    w->speed = k->speed;
}

// *singular: the rank at y, where sigma is nearly zero, is lower than at the start. If it is not, only the
// choice of dependent rows was unsuitable, and w->dependent gets a new one.
static tml_status check_rank(tmli_sweep_work *w, const tmli_dependence *rows, tmli_sweep_result *out,
                             bool *singular, tml_error *err)
{
    const tml_system *s = w->sys;
    bool any = false;
    tml_status st = tmli_dependent_rows(s, w->work, w->y, w->dependent, &any, err);
    if (st != TML_OK) return st;
    int rank = 0;
    for (int r = 0; r < s->m; r++) rank += !w->dependent[r];
    *singular = rank < rows->rank;
    if (*singular) out->rank = rank;
    return TML_OK;
}

// True if the drivers push along the direction n that is lost at y, where sigma vanishes: n'nu != 0.
static bool drivers_lock(tmli_sweep_work *w, bool *dependent_before)
{
    const tml_system *s = w->sys;
    double along = 0, size = 0, nu = 0;
    bool *const now = w->dependent;
    w->dependent = dependent_before;  // n is a combination of the rows that were independent up to here
    const bool known = tmli_sweep_factor(w, w->y, TMLI_SWEEP_EPSILON, NULL) == TML_OK &&
                       tmli_sweep_smallest_singular_value(w) < TMLI_NEARLY_DEPENDENT &&
                       s->ops->velocity(s->self, w->work, w->y, w->phi, NULL) == TML_OK;
    for (int r = 0; r < s->m && known; r++) {
        const double b = w->row_scale[r] * w->phi[r];
        along += w->V[r] * b;
        size += w->V[r] * w->V[r];
        nu += b * b;
    }
    w->dependent = now;
    return known && fabs(along) > TMLI_AMPLIFIED_TOLERANCE * sqrt(size * nu);
}

// Locate the minimum of sigma within the distance h from `before`; x does not change. Sets out->least and, if
// the configuration is singular, out->singular.
static tml_status locate_minimum(tmli_sweep_work *w, const tmli_dependence *rows, const step_record *before,
                                 double h, step_record *here, tmli_sweep_result *out, tml_error *err)
{
    double least = 0;
    tml_status st = TML_OK;
    save_point(w, here);
    restore_point(w, before);
    const double at = search_minimum(w, h, &least);
    if (least < out->least.sigma && tmli_sweep_move(w, at)) {
        const double length = w->length + (w->def->driven ? at * w->speed : at);
        bool singular = false;
        memcpy(w->earlier, w->dependent, (size_t)w->sys->m * sizeof *w->dependent);
        if (least < TMLI_NEARLY_DEPENDENT) st = check_rank(w, rows, out, &singular, err);
        if (st == TML_OK && singular && w->def->driven && drivers_lock(w, w->earlier))
            out->end = TMLI_SWEEP_STUCK;
        if (st == TML_OK && (least >= TMLI_NEARLY_DEPENDENT || singular)) {
            tml_state_copy(w->x, w->y);
            w->length = length;
            w->sigma = singular ? 0 : least;
            out->least = tmli_sweep_report_point(w);
            out->singular = singular;
        }
    }
    restore_point(w, here);
    return st;
}

// Step of at most h, and of at most MAX_STEP along the path.
static double next_step(const tmli_sweep_work *w, double h)
{
    if (!w->def->driven) return fmin(MAX_STEP, h);
    h = fmin(h, w->def->end - w->x->t);
    return w->speed * h > MAX_STEP ? MAX_STEP / w->speed : h;
}

static bool is_closed(tmli_sweep_work *w, const double *start)
{
    const tml_system *s = w->sys;
    if (w->length < 2 * MAX_STEP) return false;  // still near the start
    s->ops->local(s->self, start, w->x->q, w->scratch);
    for (int j = 0; j < s->n; j++) w->scratch[j] /= w->unit[j];
    // steps pass the start within half a step along the path and, as it is curved, less than that beside
    return tmli_sweep_largest(s->n, w->scratch) < sqrt(0.5) * MAX_STEP &&
           tmli_sweep_dot(s->n, w->tangent, w->start_tangent) > 0;
}

// The path ends. The end is singular if sigma is small there.
static void end_path(const tmli_sweep_work *w, tmli_sweep_result *out)
{
    out->end = TMLI_SWEEP_STUCK;
    if (w->sigma < TMLI_NEAR_SINGULAR) {
        out->least = tmli_sweep_report_point(w);
        out->singular = true;
        out->rank--;
    }
}

typedef struct extremes {  // of the coordinate, from its last three values y at path lengths s
    double s[3], y[3];
    int count;
} extremes;

// Add the next point. Between three points that rise and fall the extreme is the vertex of a parabola.
static void update_extremes(extremes *e, const tmli_sweep_point *p, tmli_sweep_result *out)
{
    e->s[0] = e->s[1], e->s[1] = e->s[2], e->s[2] = p->length;
    e->y[0] = e->y[1], e->y[1] = e->y[2], e->y[2] = p->coordinate;
    out->lowest = fmin(out->lowest, p->coordinate);
    out->highest = fmax(out->highest, p->coordinate);
    if (++e->count < 3 || (e->y[1] - e->y[0]) * (e->y[2] - e->y[1]) >= 0) return;
    const double a = (e->y[1] - e->y[0]) / (e->s[1] - e->s[0]), b = (e->y[2] - e->y[1]) / (e->s[2] - e->s[1]);
    const double curvature = (b - a) / (e->s[2] - e->s[0]),
                 slope = a + curvature * (e->s[1] - e->s[0]);  // at s[1]
    const double vertex = e->y[1] - slope * slope / (4 * curvature);
    out->lowest = fmin(out->lowest, vertex);
    out->highest = fmax(out->highest, vertex);
}

static tml_status follow_path(tmli_sweep_work *w, const tmli_dependence *rows, step_record *room,
                              const double *start, tmli_sweep_result *out, tml_error *err)
{
    const tmli_sweep_def *def = w->def;
    const double span = def->driven ? def->end - w->x->t : 1,
                 whole = def->driven ? span / MIN_DRIVEN_STEPS : MAX_STEP;
    step_record *before = &room[0], *last = &room[1];  // the two configurations before x
    double h = whole, h_last = 0;
    extremes seen = {0};
    tml_status st = TML_OK;
    save_point(w, last);
    out->lowest = out->highest = out->start.coordinate;
    update_extremes(&seen, &out->start, out);
    for (out->steps = 0; out->steps < def->steps && st == TML_OK && !out->singular; out->steps++) {
        if (def->driven ? w->x->t >= def->end - TMLI_ROUNDOFF * span : w->length >= def->range) break;
        h = next_step(w, h);
        if (!tmli_sweep_move(w, h)) {
            h /= 2;
            if (h > TMLI_INPUT_ERROR * whole) continue;
            end_path(w, out);
            break;
        }
        step_record *const free = before;
        const double length = def->driven ? h * w->speed : h;
        before = last;
        last = free;
        save_point(w, last);
        tml_state_copy(w->x, w->y);
        w->length += length;
        st = tmli_sweep_analyse_point(w, length, err);
        if (st != TML_OK) break;
        if (out->steps > 0 && before->sigma > last->sigma && w->sigma >= last->sigma &&
            fmax(before->sigma, w->sigma) >= 2 * last->sigma)  // (2)
            st = locate_minimum(w, rows, before, h_last + h, &room[2], out, err);
        // if sigma vanishes here, the next step locates the minimum between its neighbours
        if (w->sigma < out->least.sigma && w->sigma >= TMLI_NEARLY_DEPENDENT && !out->singular)
            out->least = tmli_sweep_report_point(w);
        const tmli_sweep_point here = tmli_sweep_report_point(w);
        update_extremes(&seen, &here, out);
        h_last = h;
        h = fmin(2 * h, whole);
        if (def->gradient && w->allowed < MAX_STEP / 2 * w->first) {
            out->end = TMLI_SWEEP_EXTREME;
            break;
        }
        if (!out->singular && is_closed(w, start)) {
            out->end = TMLI_SWEEP_CLOSED;
            break;
        }
    }
    out->last = tmli_sweep_report_point(w);
    return st;
}

tml_status tmli_sweep(const tml_system *sys, const tmli_dependence *rows, const tml_state *x,
                      const tmli_sweep_def *def, tmli_sweep_result *out, bool *moved, tml_error *err)
{
    tmli_sweep_work w = {.sys = sys, .def = def, .solver = &tml_linsolver_block};
    step_record room[3] = {{0}};
    const size_t n = (size_t)sys->n;
    *out = (tmli_sweep_result){.rank = rows->rank};
    *moved = false;
    double *memory = tmli_calloc(&sys->env, 6 * n + (size_t)sys->nq + 1, sizeof *memory);
    tml_status st = memory ? tmli_sweep_prepare(&w, rows, x, err) : tmli_no_memory(err, "check");
    for (size_t i = 0; i < 3 && st == TML_OK; i++) {
        st = tml_state_create(sys, &room[i].x, err);
        room[i].tangent = memory + 2 * i * n;
        room[i].curvature = room[i].tangent + n;
    }
    if (st == TML_OK) {
        double *start = memory + 6 * n, size = 0;
        memcpy(start, w.x->q, (size_t)sys->nq * sizeof(double));
        for (int j = 0; j < sys->n && !def->driven; j++) w.tangent[j] = def->direction[j] / w.unit[j];
        size = sqrt(tmli_sweep_dot(sys->n, w.tangent, w.tangent));
        for (int j = 0; j < sys->n && size > 0; j++) w.tangent[j] /= size;
        st = tmli_sweep_analyse_point(&w, 0, err);
        w.first = w.allowed;
        *moved = def->driven || w.allowed > TMLI_INPUT_ERROR;
        memcpy(w.start_tangent, w.tangent, n * sizeof(double));
        if (st == TML_OK && *moved) {
            out->start = out->least = tmli_sweep_report_point(&w);
            st = follow_path(&w, rows, room, start, out, err);
        }
    }
    for (int i = 0; i < 3; i++) tml_state_destroy(room[i].x, sys);
    tmli_free(&sys->env, memory);
    tmli_sweep_clear(&w);
    return st;
}

tml_status tmli_sweep_allowed(const tml_system *sys, const tmli_dependence *rows, const tml_state *x,
                              const double *v, double *out, tml_error *err)
{
    const tmli_sweep_def def = {.direction = v};
    tmli_sweep_work w = {.sys = sys, .def = &def, .solver = &tml_linsolver_block};
    tml_status st = tmli_sweep_prepare(&w, rows, x, err);
    for (int j = 0; j < sys->n && st == TML_OK; j++) w.tangent[j] = v[j] / w.unit[j];
    if (st == TML_OK) st = tmli_sweep_analyse_point(&w, 0, err);
    for (int j = 0; j < sys->n && st == TML_OK; j++) out[j] = w.rhs[j] * w.unit[j];
    tmli_sweep_clear(&w);
    return st;
}
