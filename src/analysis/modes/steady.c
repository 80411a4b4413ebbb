// Steady motion, a relative equilibrium: the state moves, but nothing changes for an observer moving along.
//
// Let body i move with rdot (inertial axes) and w (body axes), and let axes turn with the angular velocity
// O_t for its translations and O_r for its rotations (both inertial axes). A vector that is constant in these
// axes has components with the rates
//
//   dr' = O_t x dr,      dth' = (R'O_r - w) x dth                                    (1)
//
// because dr has inertial and dth has body components. (1) is x' = g x with a skew matrix g of all
// coordinates. The motion is steady in these axes if after any time s the state is
//
//   u(s) = exp(g s) u,   R(s) = exp(O_r~ s) R exp(v~ s), v = w - R'O_r,
//   r(s) = r + (integral of exp(O_t~ s)) rdot                                        (2)
//
// and the variational equations at that state, in bases exp(g s) Z and exp(g s) Y, have the matrices that
// they have at s = 0. Both are tested at two times s. O_r - R w is not 0 where a body spins about its own
// axis of symmetry: a wheel, a sleeping top. Necessary for (2) is udot = g u, for O_t = O_r = O
//
//   O x rdot = rddot,    O x (R w) = R wdot                                          (3)
//
// Axes are tried for each connected part of the model on its own, in this order:
//   1. O of least size that fulfils (3) best: inertial axes for a truck on a straight road or a sleeping top,
//      the precession for a top, the rotation of a governor
//   2. O_t = 0, O_r = R w: inertial axes for translations, body axes for rotations, as in u: a free body that
//      spins about a principal axis
//   3. O of 1 plus that part of R w of a body which (3) does not determine: an unsymmetric rotor
//   4. O_t = O_r = R w of each body: geared unsymmetric rotors on fixed axes
//
// First-order states are continued with their rates. They and systems of callbacks have no axes.
#include "analysis/modes/steady.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/modes/constants.h"

/** The part of a model to which a body belongs. */
typedef struct part {
    bool settled;  // steady axes are found
    tmli_axes kind;
    vec3 least;       // O of 1
    mat3 free;        // projection on the directions of O that (3) does not determine
    int body;         // the body of the last try 3
    bool exhausted;   // nothing is left to try
    double mismatch;  // of the present try: largest change over the allowed one
} part;

typedef struct search {
    tmli_variation *v;
    const tml_model *model;
    tmli_steady *out;
    int nodes, parts;
    int *part_of;             // (nodes) part of a node
    int *part_of_coordinate;  // (n)
    part *part;               // (parts)
    tmli_body_axes *axes;     // (nodes)
    double rate;              // of the motion [1/s]
    double noise;             // STEADY_NOISE, or that of difference quotients
    tml_state *y;
    double *d, *x;  // (n) scratch
} search;

static void *alloc(search *s, int count, size_t size)
{
    return tmli_arena_alloc(&s->v->arena, (size_t)count + 1, size);
}

// ---- parts of the model -----------------------------------------------------------------------------------

static void join_nodes(search *s, const tmli_plan *p)
{
    for (int i = 1; i < p->nslots; i++) {
        const int from = s->part_of[p->node[i]], to = s->part_of[p->node[0]];
        for (int k = 0; k < s->nodes; k++)
            if (s->part_of[k] == from) s->part_of[k] = to;
    }
}

// Number the connected parts. Everything in a system of callbacks is one part.
static tml_status find_parts(search *s, tml_error *err)
{
    const tml_model *m = s->model;
    s->nodes = m ? m->nnodes : 1;
    s->part_of = alloc(s, s->nodes, sizeof *s->part_of);
    s->part_of_coordinate = alloc(s, s->v->n, sizeof *s->part_of_coordinate);
    s->part = alloc(s, s->nodes, sizeof *s->part);
    s->axes = alloc(s, s->nodes, sizeof *s->axes);
    if (!s->part_of || !s->part_of_coordinate || !s->part || !s->axes) return tmli_no_memory(err, "check");
    for (int i = 0; i < s->nodes; i++) s->part_of[i] = i;
    for (int i = 0; m && i < m->nconstraints; i++) join_nodes(s, &m->constraint[i].plan);
    for (int i = 0; m && i < m->nforces; i++) join_nodes(s, &m->force[i].plan);
    for (int i = 0; i < s->nodes; i++) {  // a part has the name of one of its nodes; now count them
        if (s->part_of[i] < 0) continue;
        const int name = s->part_of[i];
        for (int k = i; k < s->nodes; k++)
            if (s->part_of[k] == name) s->part_of[k] = -1 - s->parts;
        s->parts++;
    }
    for (int i = 0; i < s->nodes; i++) s->part_of[i] = -1 - s->part_of[i];
    for (int j = 0; j < s->v->n; j++) s->part_of_coordinate[j] = m ? s->part_of[m->node_of[j]] : 0;
    return TML_OK;
}

// ---- axes -------------------------------------------------------------------------------------------------

// O of a body in try 3
static vec3 rotation_of_body(const search *s, const part *p, int body)
{
    return v3_add(p->least, m3_mulv(&p->free, v3_sub(tmli_node_spin(s->model, s->v->x, body), p->least)));
}

// False: O of the body equals `least`, or O of an earlier body.
static bool is_new_rotation(const search *s, const part *p, int body)
{
    const vec3 O = rotation_of_body(s, p, body);
    const double same = TMLI_INPUT_ERROR * s->rate;
    if (v3_norm(v3_sub(O, p->least)) <= same) return false;
    for (int i = 0; i < body; i++)
        if (s->part_of[i] == s->part_of[body] && v3_norm(v3_sub(rotation_of_body(s, p, i), O)) <= same)
            return false;
    return true;
}

static void set_axes(search *s, int p, vec3 translation, const vec3 *rotation)
{
    for (int i = 0; i < s->model->nbodies; i++)
        if (s->part_of[i] == p)
            s->axes[i] =
                (tmli_body_axes){translation, rotation ? *rotation : tmli_node_spin(s->model, s->v->x, i)};
}

// The next axes to try for a part; sets `exhausted` if there are none.
static void next_axes(search *s, int p, int attempt)
{
    part *const q = &s->part[p];
    if (attempt == 0) {
        q->kind = TMLI_AXES_FIXED;
        if (!s->model) return;
        q->least = tmli_steady_rotation(s->model, s->v->x, s->part_of, p, s->rate, &q->free);
        if (v3_norm(q->least) > 0) q->kind = TMLI_AXES_TURNING;
        q->body = -1;
        set_axes(s, p, q->least, &q->least);
        return;
    }
    if (!s->model || q->kind == TMLI_AXES_OWN) {
        q->exhausted = true;
        return;
    }
    if (attempt == 1) {
        q->kind = TMLI_AXES_BODIES;
        set_axes(s, p, v3(0, 0, 0), NULL);
        return;
    }
    q->kind = TMLI_AXES_TURNING;
    while (++q->body < s->model->nbodies && attempt < STEADY_TRIES) {
        if (s->part_of[q->body] != p || !is_new_rotation(s, q, q->body)) continue;
        const vec3 O = rotation_of_body(s, q, q->body);
        set_axes(s, p, O, &O);
        return;
    }
    q->kind = TMLI_AXES_OWN;
    for (int i = 0; i < s->model->nbodies; i++) {
        if (s->part_of[i] != p) continue;
        const vec3 w = s->model->node[i].ncoords > 3 || s->model->planar
                           ? tmli_node_spin(s->model, s->v->x, i)
                           : q->least;
        s->axes[i] = (tmli_body_axes){w, w};
    }
}

// (1) for all bodies
static void fill_turns(search *s)
{
    s->out->count = 0;
    for (int i = 0; s->model && i < s->model->nbodies; i++)
        tmli_steady_add(s->out, s->model, s->v->x, i, s->axes[i].translation, s->axes[i].rotation);
}

// ---- test -------------------------------------------------------------------------------------------------

static void report(search *s, int coordinate, double change, double allowed)
{
    part *const p = &s->part[s->part_of_coordinate[coordinate]];
    const double size = change <= 0 ? 0 : change / fmax(allowed, DBL_MIN);
    if (!(size <= p->mismatch)) p->mismatch = size;  // true for NAN
}

// change[j]: of an acceleration
static void report_accelerations(search *s, const double *change)
{
    const tmli_variation *v = s->v;
    for (int j = 0; j < v->n - v->sys->nz; j++)
        report(s, j, fabs(change[j]) / v->k->unit[j], STEADY_ERROR * fmax(1, s->rate * s->rate));
}

// udot = g u at the start, but for what errors of the data explain
static tml_status test_start(search *s, tml_error *err)
{
    const tmli_variation *v = s->v;
    for (int p = 0; p < s->parts; p++) s->part[p].mismatch = 0;
    tmli_steady_rate(s->out, v->n, v->x->u, s->d);
    for (int j = 0; j < v->n; j++) s->d[j] = v->x->udot[j] - s->d[j];
    const tml_status st = tmli_variation_unexplained(s->v, s->rate, s->d, err);
    if (st == TML_OK) report_accelerations(s, s->d);
    return st;
}

// udot(s) = exp(g s) udot
static void compare_accelerations(search *s, double time)
{
    const tmli_variation *v = s->v;
    memcpy(s->d, v->x->udot, (size_t)v->n * sizeof *s->d);
    tmli_steady_turn(s->out, time, s->d);
    for (int j = 0; j < v->n; j++) s->d[j] = s->y->udot[j] - s->d[j];
    report_accelerations(s, s->d);
}

// y: the state (2) after a time
static void move_state(search *s, double time)
{
    const tmli_variation *v = s->v;
    tmli_steady_move(v->sys, s->model, s->axes, s->out, v->x, time, s->d, s->x, s->y);
    if (v->sys->ops->accept) v->sys->ops->accept(v->sys->self, v->w, s->y);
}

// |X - Y| row by row, for matrices (p x columns) in an orthonormal basis P (n x p) of their rows
static tml_status compare_rows(search *s, const double *P, int p, int columns, const double *X,
                               const double *Y, const double *extra, double weight, tml_error *err)
{
    const int n = s->v->n;
    const size_t size = (size_t)p * (size_t)columns;
    double *diff = alloc(s, (int)size, sizeof(double)), *PX = alloc(s, n * columns, sizeof(double)),
           *PD = alloc(s, n * columns, sizeof(double)), *own = alloc(s, n, sizeof(double));
    if (!diff || !PX || !PD || !own) return tmli_no_memory(err, "check");
    for (size_t i = 0; i < size; i++) diff[i] = Y[i] - X[i];
    tmli_dense_multiply("N", "N", n, columns, p, P, n, X, p, 0, PX);
    tmli_dense_multiply("N", "N", n, columns, p, P, n, diff, p, 0, PD);
    double largest = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < n; i++) {
            double change = 0;
            own[i] = pass == 0 ? 0 : own[i];
            for (int c = 0; c < columns; c++) {
                const size_t k = (size_t)c * (size_t)n + (size_t)i;
                if (pass == 0) own[i] = hypot(own[i], PX[k]);
                else change = hypot(change, PD[k]);
            }
            if (pass == 0) {
                own[i] += weight * (extra ? extra[i] : 1);
                largest = fmax(largest, own[i]);
            } else {
                report(s, i, change, STEADY_ERROR * own[i] + s->noise * largest);
            }
        }
    return TML_OK;
}

// Phi, B u - nu, and B exp(g s) Y = 0 at y; rows of B diag(unit) are normalized
static tml_status compare_rows_of_constraints(search *s, const tmli_variation *z, double *motion, double *phi,
                                              double *rows, tml_error *err)
{
    const tml_system *sys = z->sys;
    tml_status st = sys->ops->residual(sys->self, z->w, z->x, NULL, motion, phi, err);
    if (st == TML_OK) st = sys->ops->rows(sys->self, z->w, z->x, rows, err);
    if (st != TML_OK) return st;
    for (int i = 0; i < z->m; i++) {
        if (sys->rowptr[i + 1] == sys->rowptr[i]) continue;
        const bool rate = sys->level && sys->level[i] == TML_LEVEL_VELOCITY;
        const int coordinate = sys->rowcol[sys->rowptr[i]];
        report(s, coordinate, fabs(phi[i]) / z->k->norm[i], STEADY_ERROR * (rate ? fmax(1, s->rate) : 1));
        for (int c = 0; c < z->ra; c++) {
            double sum = 0;
            for (int e = sys->rowptr[i]; e < sys->rowptr[i + 1]; e++)
                sum += rows[e] * z->k->unit[sys->rowcol[e]] *
                       z->Y[(size_t)c * (size_t)z->n + (size_t)sys->rowcol[e]];
            if (!rate) report(s, coordinate, fabs(sum) / z->k->norm[i], STEADY_ERROR);
        }
    }
    st = sys->ops->velocity(sys->self, z->w, z->x, phi, err);
    for (int i = 0; i < z->m && st == TML_OK; i++)
        if (sys->rowptr[i + 1] > sys->rowptr[i])
            report(s, sys->rowcol[sys->rowptr[i]], fabs(phi[i]) / z->k->norm[i],
                   STEADY_ERROR * fmax(1, s->rate));
    return st;
}

// Sizes of the rows of Mr, which give the terms of inertia in Dr and Kr their scale.
static tml_status size_inertia(search *s, double **out, tml_error *err)
{
    const tmli_variation *v = s->v;
    double *ZM = alloc(s, v->n * v->r, sizeof(double)), *size = alloc(s, v->n, sizeof(double));
    if (!ZM || !size) return tmli_no_memory(err, "check");
    tmli_dense_multiply("N", "N", v->n, v->r, v->r, v->Z, v->n, v->Mr, v->r, 0, ZM);
    for (int c = 0; c < v->r; c++)
        for (int i = 0; i < v->n; i++) size[i] = hypot(size[i], ZM[(size_t)c * (size_t)v->n + (size_t)i]);
    *out = size;
    return TML_OK;
}

// The matrices of z, at y, against those of v
static tml_status compare_matrices(search *s, const tmli_variation *z, tml_error *err)
{
    const tmli_variation *v = s->v;
    double *inertia = NULL, *none = alloc(s, v->n * v->ra, sizeof(double)),
           *back = alloc(s, v->n * v->ra, sizeof(double));
    if (!none || !back) return tmli_no_memory(err, "check");
    tml_status st = size_inertia(s, &inertia, err);
    if (st == TML_OK) st = compare_rows(s, v->Z, v->r, v->r, v->Mr, z->Mr, NULL, 0, err);
    if (st == TML_OK) st = compare_rows(s, v->Z, v->r, v->r, v->Dr, z->Dr, inertia, s->rate, err);
    if (st == TML_OK) st = compare_rows(s, v->Z, v->r, v->ra, v->Kr, z->Kr, inertia, s->rate * s->rate, err);
    if (st == TML_OK) st = compare_rows(s, v->Y, v->ra, v->ra, v->Cr, z->Cr, NULL, s->rate, err);
    if (st != TML_OK) return st;
    for (int c = 0; c < v->ra; c++) {  // U, turned back
        memcpy(s->d, z->U + (size_t)c * (size_t)v->n, (size_t)v->n * sizeof(double));
        tmli_steady_turn(s->out, v->x->t - z->x->t, s->d);
        for (int i = 0; i < v->n; i++) {
            const size_t k = (size_t)c * (size_t)v->n + (size_t)i;
            report(s, i, fabs(s->d[i] - v->U[k]), STEADY_ERROR * fmax(s->rate, fabs(v->U[k])));
        }
    }
    return TML_OK;
}

// One evaluation of the variational equations at y, in the bases of v, moved.
static tml_status test_moved(search *s, double time, tml_error *err)
{
    tmli_variation z = {0};
    tmli_rank rank = {0};
    const tmli_variation *v = s->v;
    const size_t n = (size_t)v->n;
    double *motion = alloc(s, v->n, sizeof(double)), *phi = alloc(s, v->m, sizeof(double)),
           *rows = alloc(s, v->sys->rowptr[v->m], sizeof(double));
    if (!motion || !phi || !rows) return tmli_no_memory(err, "check");
    move_state(s, time);
    tml_status st = tmli_rank_calc(v->sys, v->w, s->y, &rank, err);
    if (st == TML_OK) st = tmli_variation_init(&z, v->sys, v->w, &rank, s->y, v->nu_of_time, err);
    z.undamped = v->undamped;
    if (st == TML_OK && (z.r != v->r || z.ra != v->ra))
        st = tmli_fail(err, TML_ERR_SINGULAR, "the rank of the constraints changes");
    if (st == TML_OK) {
        memcpy(z.Z, v->Z, n * (size_t)v->r * sizeof(double));
        memcpy(z.Y, v->Y, n * (size_t)v->ra * sizeof(double));
        for (int c = 0; c < v->r; c++) tmli_steady_turn(s->out, time, z.Z + (size_t)c * n);
        for (int c = 0; c < v->ra; c++) tmli_steady_turn(s->out, time, z.Y + (size_t)c * n);
        st = compare_rows_of_constraints(s, &z, motion, phi, rows, err);
    }
    if (st == TML_OK) st = tmli_variation_dynamics(&z, err);
    if (st == TML_OK) compare_accelerations(s, time);
    if (st == TML_OK) st = tmli_variation_reduce(&z, err);
    if (st == TML_OK) st = compare_matrices(s, &z, err);
    tmli_variation_clear(&z);
    tmli_rank_clear(&rank);
    return st;
}

// ---- search -----------------------------------------------------------------------------------------------

static bool all_settled(const search *s)
{
    for (int p = 0; p < s->parts; p++)
        if (!s->part[p].settled) return false;
    return true;
}

static bool is_exhausted(const search *s)
{
    for (int p = 0; p < s->parts; p++)
        if (s->part[p].exhausted) return true;
    return false;
}

static bool is_open(const search *s)  // some part may still be steady in its present axes
{
    for (int p = 0; p < s->parts; p++)
        if (!s->part[p].settled && s->part[p].mismatch <= 1) return true;
    return false;
}

static tml_status try_axes(search *s, tml_error *err)
{
    tml_error why = {0};
    fill_turns(s);
    tml_status st = test_start(s, &why);
    for (int k = 1; k <= 2 && is_open(s) && st == TML_OK; k++)
        st = test_moved(s, k * STEADY_ANGLE / fmax(s->rate, DBL_MIN), &why);
    if (tmli_is_shortage(st)) {
        if (err) *err = why;
        return st;
    }
    for (int p = 0; p < s->parts && st == TML_OK; p++)
        if (s->part[p].mismatch <= 1) s->part[p].settled = true;
    return TML_OK;
}

static void describe(search *s)
{
    const part *first = NULL;
    tmli_steady *const out = s->out;
    out->axes = TMLI_AXES_FIXED;
    for (int i = 0; s->model && i < s->model->nbodies; i++) {
        const part *p = &s->part[s->part_of[i]];
        const vec3 O = s->axes[i].rotation;
        bool moves = false;  // axes do not matter for what is at rest
        for (int c = 0; c < s->model->node[i].ncoords; c++)
            moves |= s->v->x->u[s->model->node[i].first + c] != 0;
        if (!moves || p == first) continue;
        if (!first) {
            out->axes = p->kind;
            out->omega = O;
        } else if (p->kind != out->axes || (p->kind == TMLI_AXES_TURNING &&
                                            v3_norm(v3_sub(O, out->omega)) > TMLI_INPUT_ERROR * s->rate)) {
            out->axes = TMLI_AXES_OWN;
        }
        first = p;
    }
}

static double rate_of_motion(const tmli_variation *v)
{
    double rate = 0;
    for (int j = 0; j < v->n - v->sys->nz; j++) rate = fmax(rate, fabs(v->x->u[j]) / v->k->unit[j]);
    for (int j = v->n - v->sys->nz; j < v->n; j++) {
        const double *scale = v->sys->state_scale;
        const double unit = scale ? scale[j - (v->n - v->sys->nz)] : 1;
        rate = fmax(rate, fabs(v->x->udot[j]) / unit);
    }
    return rate;
}

tml_status tmli_steady_find(tmli_variation *v, const tml_model *model, tmli_steady *out, tml_error *err)
{
    search s = {.v = v,
                .model = model,
                .out = out,
                .rate = rate_of_motion(v),
                .noise = model ? STEADY_NOISE : STEADY_DIFFERENCES};
    *out = (tmli_steady){0};
    tml_status st = find_parts(&s, err);
    if (st != TML_OK) return st;
    s.d = alloc(&s, v->n, sizeof *s.d);
    s.x = alloc(&s, v->n, sizeof *s.x);
    out->turn = alloc(&s, 2 * s.nodes, sizeof *out->turn);
    if (!s.d || !s.x || !out->turn) return tmli_no_memory(err, "check");
    st = tml_state_create(v->sys, &s.y, err);
    for (int attempt = 0; st == TML_OK && !all_settled(&s); attempt++) {
        for (int p = 0; p < s.parts; p++)
            if (!s.part[p].settled) next_axes(&s, p, attempt);
        if (is_exhausted(&s)) break;
        st = try_axes(&s, err);
    }
    tml_state_destroy(s.y, v->sys);
    if (st != TML_OK) return st;
    out->found = all_settled(&s);
    if (out->found) describe(&s);
    fill_turns(&s);
    return TML_OK;
}
