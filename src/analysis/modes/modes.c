// Modes for users: the choice of the solver, the scale and the kind of each mode, and who moves.
//
// The share of a part in the kinetic energy is that of its terms in d* M d, which for a harmonic motion is
// the energy over time. Beams count as one part: their nodes are bodies of no interest on their own.
#include "analysis/modes/damped.h"
#include "analysis/modes/invariance.h"
#include "analysis/modes/large.h"
#include "analysis/modes/linearize.h"
#include "element/force/force.h"
#include "linalg/eigen/arnoldi.h"
#include <trammel/modes.h>

#include <math.h>
#include <string.h>

#include "analysis/modes/constants.h"

typedef struct modes {
    tml_modes public;  // first: the caller has its address
    tml_env env;
    tmli_arena arena;
    const tml_model *model;
    int parts;
    const char **part_name;  // (parts)
    int *part_of;            // (nodes) -1: none
    double *mass;            // values of the mass matrix; NULL: bodies alone have inertia
} modes;

tml_modes_def tml_modes_def_default(void)
{
    return (tml_modes_def){.size = sizeof(tml_modes_def), .count = 10};
}

void tml_modes_destroy(tml_modes *public)
{
    if (!public) return;
    modes *m = (modes *)public;
    tmli_arena_clear(&m->arena);
    const tml_env env = m->env;
    tmli_free(&env, m);
}

static void *alloc(modes *m, size_t count, size_t size)
{
    return tmli_arena_alloc(&m->arena, count + 1, size);
}

// ---- parts ------------------------------------------------------------------------------------------------

// Bodies are parts, and so are beams and modal bodies: the elements of beam NAME are called NAME_e1, NAME_e2,
// ..., that of a modal body NAME_part.
static tml_status find_parts(modes *m, tml_error *err)
{
    const tml_model *model = m->model;
    const size_t bodies = (size_t)model->nbodies, nodes = (size_t)model->nnodes;
    m->part_of = alloc(m, nodes, sizeof *m->part_of);
    m->part_name = alloc(m, bodies, sizeof *m->part_name);
    if (!m->part_of || !m->part_name) return tmli_no_memory(err, "modes");
    for (size_t i = 0; i < nodes; i++) m->part_of[i] = -1;
    const char *last = NULL;
    for (int k = 0; k < model->nuser_forces; k++) {
        const tmli_force *f = &model->force[k];
        const char *end = strrchr(f->name, '_');
        const bool beam = f->ops == tmli_force_type(TML_FORCE_BEAM);
        if ((!beam && f->ops != tmli_force_type(TML_FORCE_MODAL)) || !end) continue;
        const size_t size = (size_t)(end - f->name);
        if (!last || strncmp(last, f->name, size) != 0 || last[size]) {
            char *name = alloc(m, size, 1);
            if (!name) return tmli_no_memory(err, "modes");
            memcpy(name, f->name, size);
            m->part_name[m->parts++] = last = name;
        }
        for (int i = 0; i < f->plan.nslots; i++)
            if (m->part_of[f->plan.node[i]] < 0) m->part_of[f->plan.node[i]] = m->parts - 1;
    }
    for (int i = 0; i < model->nbodies; i++) {
        if (m->part_of[i] >= 0) continue;
        m->part_name[m->parts] = model->node[i].name;
        m->part_of[i] = m->parts++;
    }
    return TML_OK;
}

static double energy_of(const tmli_node *node, const double complex *d)
{
    double complex x[6] = {0};
    for (int c = 0; c < node->ncoords; c++) x[node->local[c]] = d[node->first + c];
    double complex sum = 0;
    for (int i = 0; i < 3; i++) {
        sum += node->mass * conj(x[i]) * x[i];
        for (int j = 0; j < 3; j++) sum += conj(x[3 + i]) * node->J.m[3 * i + j] * x[3 + j];
    }
    return creal(sum);
}

// share (parts) += energies by the rows of the whole mass matrix; their sum.
static double add_energies(const modes *m, const double complex *d, double *share)
{
    const tml_model *model = m->model;
    const tml_pattern *p = model->pattern;
    double total = 0;
    for (int j = 0; j < model->n; j++)
        for (int32_t e = p->colptr[j]; e < p->colptr[j + 1] && p->rowind[e] < model->n; e++) {
            const int part = m->part_of[model->node_of[p->rowind[e]]];
            const double energy = creal(conj(d[p->rowind[e]]) * m->mass[e] * d[j]);
            if (part >= 0) share[part] += energy;
            total += part >= 0 ? energy : 0;
        }
    return total;
}

static tml_status find_shares(modes *m, const double complex *d, tml_mode *mode, tml_error *err)
{
    double *share = alloc(m, (size_t)m->parts, sizeof *share), total = 0;
    if (!share) return tmli_no_memory(err, "modes");
    if (m->mass) total = add_energies(m, d, share);
    for (int i = 0; i < m->model->nbodies && !m->mass; i++) {
        const double energy = energy_of(&m->model->node[i], d);
        share[m->part_of[i]] += energy;
        total += energy;
    }
    for (int k = 0; k < TML_MODE_PARTS && total > 0; k++) {
        int best = -1;
        for (int i = 0; i < m->parts; i++)
            if (share[i] > 0 && (best < 0 || share[i] > share[best])) best = i;
        if (best < 0) break;
        mode->part[k] = m->part_name[best];
        mode->share[k] = share[best] / total;
        share[best] = 0;
    }
    return TML_OK;
}

// ---- modes ------------------------------------------------------------------------------------------------

// Scale d so that its largest coordinate in units is 1, and turn it to metres.
static void scale_shape(const modes *m, double complex *d)
{
    const tml_system *sys = &m->model->system;
    int largest = 0;
    // one of several equal ones: round-off does not choose another
    for (int j = 1; j < sys->n - sys->nz; j++)
        if (cabs(d[j]) > (1 + UNDAMPED_SHARE) * cabs(d[largest])) largest = j;
    const double complex by = d[largest];
    for (int j = 0; j < sys->n; j++) {
        if (cabs(by) > 0) d[j] /= by;
        if (sys->kind[j] == TML_COORDINATE_TRANSLATION) d[j] *= sys->length;
    }
}

static tml_status add_mode(modes *m, double complex s, double error, double complex *d, tml_mode *mode,
                           tml_error *err)
{
    const size_t n = (size_t)m->public.n;
    const double size = cabs(s);
    double *re = alloc(m, 2 * n, sizeof *re), *im = re + n;
    if (!re) return tmli_no_memory(err, "modes");
    *mode = (tml_mode){.re = creal(s), .im = cimag(s), .shape_re = re, .shape_im = im};
    if (mode->im > 0 && fabs(mode->re) <= UNDAMPED_SHARE * size + error) mode->re = 0;
    mode->hz = mode->im / 6.28318530717958647692;
    mode->damping = size > 0 && mode->re != 0 ? -mode->re / size : 0;
    mode->kind = size == 0 ? TML_MODE_RIGID : mode->im > 0 ? TML_MODE_OSCILLATION : TML_MODE_APERIODIC;
    mode->unstable = mode->re > 0;
    scale_shape(m, d);
    for (size_t j = 0; j < n; j++) {
        re[j] = creal(d[j]);
        im[j] = cimag(d[j]);
    }
    m->public.rigid += mode->kind == TML_MODE_RIGID;
    m->public.unstable += mode->unstable;
    return find_shares(m, d, mode, err);
}

static double place_of(const tmli_roots *r, int i) { return r->near == 0 ? r->distance[i] : cabs(r->s[i]); }

// Positions of the roots: by the order of the search, near 0, and those whose sizes differ by round-off only
// by their real part.
static void sort_roots(const tmli_roots *r, int *order)
{
    for (int i = 0; i < r->count; i++) {
        int k = i;
        const double place = place_of(r, i);
        for (; k > 0 && place < place_of(r, order[k - 1]); k--) order[k] = order[k - 1];
        order[k] = i;
    }
    for (int first = 0, end; first < r->count; first = end) {
        for (end = first + 1; end < r->count; end++) {
            const double size = place_of(r, order[end - 1]), noise = r->noise[order[end - 1]];
            const double round = TMLI_AGREEMENT * size + (size > 0 ? noise * noise / size : 0);
            if (place_of(r, order[end]) - size > round) break;
        }
        for (int i = first + 1; i < end; i++) {
            const int root = order[i];
            int k = i;
            for (; k > first && creal(r->s[root]) < creal(r->s[order[k - 1]]); k--) order[k] = order[k - 1];
            order[k] = root;
        }
    }
}

static tml_status store_roots(modes *m, tmli_roots *r, tml_error *err)
{
    tml_mode *list = alloc(m, (size_t)r->count, sizeof *list);
    double *weight = alloc(m, (size_t)r->n, sizeof *weight);
    int *order = alloc(m, (size_t)r->count, sizeof *order);
    if (!list || !weight || !order) return tmli_no_memory(err, "modes");
    sort_roots(r, order);
    for (int i = 0; i < m->model->nbodies; i++) {
        const tmli_node *node = &m->model->node[i];
        for (int c = 0; c < node->ncoords; c++) {
            const int k = node->local[c];
            weight[node->first + c] = k < 3 ? node->mass : node->J.m[4 * (k - 3)];
        }
    }
    for (int j = 0; j < m->model->n && m->mass; j++)
        weight[j] = m->mass[tmli_pattern_find(m->model->pattern, j, j)];
    tml_status st = find_parts(m, err);
    for (int i = 0; i < r->count && st == TML_OK; i++)
        st = add_mode(m, r->s[order[i]], r->error[order[i]], r->d + (size_t)order[i] * (size_t)r->n, &list[i],
                      err);
    m->public.count = r->count;
    m->public.modes = list;
    m->public.weight = weight;
    return st;
}

// Whether ARPACK is the better choice: it needs more roots than are wanted.
static bool is_large(const tml_system *sys, int count)
{
    if (!tmli_arnoldi_available()) return false;
    return sys->n > TMLI_LINEARIZE_COORDINATES || sys->n - sys->nz - sys->m > SPARSE_SHARE * count;
}

// All roots by LAPACK
static tml_status find_all(const tml_system *sys, const tml_model *model, void *w, tml_state *x,
                           const tmli_roots_def *want, tmli_spectrum *about, tmli_roots *roots,
                           tml_error *err)
{
    tmli_rank rank = {0};
    tml_status st = tmli_rank_calc(sys, w, x, &rank, err);
    if (st == TML_OK) st = tmli_linearize_roots(sys, model, w, &rank, x, want, about, roots, err);
    tmli_rank_clear(&rank);
    return st;
}

// Roots of damped motions beside rest or steady motion in axes of the pencil: from those without damping, and
// from `roots`, in place of these.
static tml_status improve_damped(tmli_pencil *p, const modes *m, tml_state *x, const tmli_roots_def *want,
                                 const char *axes, tmli_roots *roots, tml_error *err)
{
    const tml_system *sys = &m->model->system;
    tmli_spectrum about = {0}, same = {0};
    tmli_roots start = {0}, better = {0};
    tmli_roots_def undamped = tmli_damped_start(want);
    undamped.undamped = true;
    tml_status st = tmli_invariance_find(p, m->model, &same, err);
    const bool applies = same.motion == TMLI_MOTION_REST ||
                         (same.motion == TMLI_MOTION_STEADY && strcmp(same.axes, axes) == 0);
    if (st == TML_OK && applies) {
        st = find_all(sys, m->model, p->w, x, &undamped, &about, &start, err);
        if (st != TML_OK && !tmli_is_shortage(st)) st = TML_OK;  // parts without mass may need damping
        if (st == TML_OK) st = tmli_roots_init(&better, &sys->env, sys->n, want, err);
        if (st == TML_OK) st = tmli_damped_roots(p, &start, roots, &better, err);
        tmli_roots *const out = st == TML_OK && better.count > 0 ? roots : &better;
        tmli_roots_clear(out);
        if (out == roots) *roots = better;
    }
    tmli_roots_clear(&start);
    tmli_spectrum_clear(&about);
    return st;
}

// Beside strong damping the ranks of the matrix of all roots lose slow ones: their shapes have stiffness,
// more than the forces have, by turning with the parts, that accelerate this state.
static tml_status refuse_lost(const tmli_pencil *p, const tmli_spectrum *about, const tmli_roots *roots,
                              tml_error *err)
{
    const tml_pattern *a = p->sys->pattern;
    for (int i = 0; i < roots->count; i++) {
        const double complex *d = roots->d + (size_t)i * (size_t)p->n;
        double stiffness = 0, inertia = 0;
        for (int j = 0; j < p->n && roots->s[i] == 0; j++)
            for (int32_t k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
                const int r = a->rowind[k];
                if (r >= p->n) continue;
                stiffness += creal(conj(d[r]) * p->K[k] * d[j]);
                inertia += creal(conj(d[r]) * p->M[k] * d[j]);
            }
        const double w = inertia > 0 ? sqrt(fabs(stiffness) / inertia) : 0;
        if (w > tmli_pencil_noise(p, d) && w * w > LOST_STIFFNESS * about->acceleration &&
            w <= about->resolved)
            return tmli_fail(
                err, TML_ERR_STEP,
                "beside the strong damping roots below %.2g 1/s are not found at this state, "
                "which is neither an equilibrium nor steady, and there is one of about %.2g 1/s; "
                "take the modes at an equilibrium (--at equilibrium), or give less damping",
                about->resolved, w);
    }
    return TML_OK;
}

static tml_status find_dense(modes *m, void *w, tml_state *x, const tmli_roots_def *want,
                             tmli_spectrum *about, tmli_roots *roots, tml_error *err)
{
    const tml_system *sys = &m->model->system;
    tmli_pencil p = {0};
    tml_status st = find_all(sys, m->model, w, x, want, about, roots, err);
    if (st == TML_OK && about->freedoms > 0) {
        st = tmli_pencil_init(&p, sys, w, x, err);
        if (st == TML_OK && tmli_damped_applies(&p) && tmli_pencil_remove_damping(&p)) {
            tmli_pencil_restore_damping(&p);
            st = about->motion == TMLI_MOTION_CHANGING
                     ? refuse_lost(&p, about, roots, err)
                     : improve_damped(&p, m, x, want, about->axes, roots, err);
        }
        tmli_pencil_clear(&p);
    }
    return st;
}

// A direction with inertia has one mode, or two.
static int count_missing(const tmli_roots_def *want, const tmli_spectrum *about, const tmli_roots *roots)
{
    const int all = about->freedoms - about->massless;
    const int missing = (want->count < all ? want->count : all) - roots->count;
    return missing > 0 ? missing : 0;
}

// By the chosen solver. If that is left to us, what ARPACK does not find is left to LAPACK.
static tml_status find_roots(modes *m, void *w, tml_state *x, tml_mode_solver solver,
                             const tmli_roots_def *want, tmli_spectrum *about, tmli_roots *roots,
                             tml_error *err)
{
    const tml_system *sys = &m->model->system;
    const bool automatic = solver == TML_MODE_SOLVER_AUTO;
    m->public.sparse = solver == TML_MODE_SOLVER_SPARSE || (automatic && is_large(sys, want->count));
    if (m->public.sparse) {
        const tml_status st = tmli_large_roots(sys, m->model, w, x, want, about, roots, err);
        // not steady, or nothing has converged
        const bool other = st == TML_ERR_ARG || st == TML_ERR_STEP || st == TML_ERR_SINGULAR ||
                           (st == TML_OK && count_missing(want, about, roots) > 0);
        if (!other || !automatic || sys->n > TMLI_LINEARIZE_COORDINATES) return st;
        tmli_roots_clear(roots);
        m->public.sparse = false;
    }
    return find_dense(m, w, x, want, about, roots, err);
}

static tml_status find_modes(modes *m, const tml_state *at, const tml_modes_def *def, tml_error *err)
{
    const tml_system *sys = &m->model->system;
    // no more modes than velocities and positions
    const int most = def->count < 2 * sys->n ? def->count : 2 * sys->n;
    const tmli_roots_def want = {.count = most, .near = 6.28318530717958647692 * def->near};
    tmli_roots roots = {0};
    tmli_spectrum about = {0};
    tml_state *x = NULL;
    void *w = sys->ops->create_work(sys->self, &sys->env);
    tml_status st = w ? tml_state_create(sys, &x, err) : tmli_no_memory(err, "modes");
    if (st == TML_OK) tml_state_copy(x, at);
    if (st == TML_OK && m->model->has_inertia) {
        const tml_assembly mass = {.cm = 1};
        m->mass = alloc(m, (size_t)tmli_pattern_nnz(sys->pattern), sizeof *m->mass);
        st =
            m->mass ? sys->ops->assemble(sys->self, w, x, &mass, m->mass, err) : tmli_no_memory(err, "modes");
    }
    if (st == TML_OK) st = find_roots(m, w, x, def->solver, &want, &about, &roots, err);
    if (st == TML_OK) {
        m->public.missing = count_missing(&want, &about, &roots);
        m->public.freedoms = about.freedoms;
        m->public.rest = about.motion == TMLI_MOTION_REST;
        m->public.steady = about.motion == TMLI_MOTION_STEADY;
        m->public.axes = tmli_arena_strdup(&m->arena, m->public.steady ? about.axes : "");
        st = m->public.axes ? store_roots(m, &roots, err) : tmli_no_memory(err, "modes");
    }
    tmli_roots_clear(&roots);
    tmli_spectrum_clear(&about);
    tml_state_destroy(x, sys);
    if (w) sys->ops->destroy_work(w);
    return st;
}

tml_status tml_modes_create(const tml_model *model, const tml_state *x, const tml_modes_def *def,
                            tml_modes **out, tml_error *err)
{
    if (out) *out = NULL;
    if (!model || !x || !out) return tmli_null_argument(err, "tml_modes_create");
    const tml_modes_def standard = tml_modes_def_default();
    if (!def) def = &standard;
    if (def->size != sizeof *def)
        return tmli_fail(err, TML_ERR_ARG, "tml_modes_create: start from tml_modes_def_default()");
    if (def->count < 1)
        return tmli_fail(err, TML_ERR_ARG, "modes: count is %d, expected at least 1", def->count);
    if (!(def->near >= 0) || !isfinite(def->near))
        return tmli_fail(err, TML_ERR_ARG, "modes: the frequency %g Hz is not a number from 0 on", def->near);
    modes *m = tmli_calloc(&model->env, 1, sizeof *m);
    if (!m) return tmli_no_memory(err, "modes");
    m->env = model->env;
    m->arena.env = &m->env;
    m->model = model;
    m->public = (tml_modes){.t = x->t, .freedoms = -1, .n = model->n, .axes = ""};
    const tml_status st = find_modes(m, x, def, err);
    if (st == TML_OK) *out = &m->public;
    else tml_modes_destroy(&m->public);
    return st;
}

double tml_modes_assurance(const tml_modes *a, int i, const tml_modes *b, int j)
{
    if (!a || !b || a->n != b->n || i < 0 || i >= a->count || j < 0 || j >= b->count) return NAN;
    const tml_mode *p = &a->modes[i], *q = &b->modes[j];
    double re = 0, im = 0, pp = 0, qq = 0;
    for (int k = 0; k < a->n; k++) {
        const double w = a->weight[k], pr = p->shape_re[k], pi = p->shape_im[k], qr = q->shape_re[k],
                     qi = q->shape_im[k];
        re += w * (pr * qr + pi * qi);
        im += w * (pr * qi - pi * qr);
        pp += w * (pr * pr + pi * pi);
        qq += w * (qr * qr + qi * qi);
    }
    return pp > 0 && qq > 0 ? (re * re + im * im) / (pp * qq) : 0;
}
