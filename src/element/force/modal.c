// A modal body as one element between its interface nodes and the nodes of its amplitudes.
//
// The nodes of the interface are bodies, with the shares of the mass that the model shows. The element has
// the rest: its mass matrix is that of the body minus these shares, and likewise its weight.
#include "element/force/force.h"
#include "element/modal/nodes.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NODES = 200, FIXED_CHANNELS = 1 };

typedef struct modal {
    tmli_modal body;
    int *node;  // (slots) the reference node, the other interface nodes, amplitudes
    int slots;
    double *share;    // (1 + nodes) mass that a node has by itself [kg]
    double *inertia;  // (1 + nodes) moment of inertia, about any axis [kg m^2]
    bool damped;
} modal;

// ---- building ---------------------------------------------------------------------------------------------

static tml_status find_nodes(const tmli_force_builder *b, const tmli_force_entry *e, int reference, modal *k)
{
    const tml_modal_def *d = e->def.modal;
    const tml_part *part = d->part;
    const int count = part->nnodes + (part->nmodes + 2) / 3;
    k->node = tmli_arena_alloc(&b->m->arena, (size_t)count, sizeof *k->node);
    k->share = tmli_arena_alloc(&b->m->arena, (size_t)part->nnodes, sizeof *k->share);
    k->inertia = tmli_arena_alloc(&b->m->arena, (size_t)part->nnodes, sizeof *k->inertia);
    if (!k->node || !k->share || !k->inertia) return tmli_no_memory(b->err, "model");
    for (int i = 0; i < part->nnodes; i++) {
        const int at = i == reference ? 0 : i < reference ? i + 1 : i;
        const char *name = tmli_arena_format(&b->m->arena, "%s_%s", d->name, part->name[i]);
        const tml_status st = name ? tmli_model_find_body(b->spec, name, e->at.at, &k->node[at], b->err)
                                   : tmli_no_memory(b->err, "model");
        if (st != TML_OK) return st;
        k->share[at] = b->m->node[k->node[at]].mass;
        k->inertia[at] = b->m->node[k->node[at]].J.m[8];
    }
    int next = b->m->nbodies;
    for (const tmli_force_entry *other = b->spec->forces; other < e; other++)
        next += tmli_model_amplitude_nodes(&other->def);
    for (int i = part->nnodes; i < count; i++) k->node[i] = next++;
    k->slots = count;
    return TML_OK;
}

// The strain energy, and as many amplitudes as there is room for.
static tml_status name_channels(const tmli_force_builder *b, tmli_force *f, int modes)
{
    int count = FIXED_CHANNELS + modes;
    if (count > TMLI_FORCE_CHANNELS) count = TMLI_FORCE_CHANNELS;
    tmli_force_channel *channel = tmli_arena_alloc(&b->m->arena, (size_t)count, sizeof *channel);
    if (!channel) return tmli_no_memory(b->err, "model");
    channel[0] = (tmli_force_channel){"energy", "J", TMLI_CHANNEL_VALUE, true};
    for (int j = FIXED_CHANNELS; j < count; j++) {
        char *name = tmli_arena_alloc(&b->m->arena, 16, 1);
        if (!name) return tmli_no_memory(b->err, "model");
        snprintf(name, 16, "mode%d", j - FIXED_CHANNELS + 1);
        channel[j] = (tmli_force_channel){name, "m", TMLI_CHANNEL_VALUE, true};
    }
    f->channel = channel;
    f->nchannels = count;
    return TML_OK;
}

static tml_status build(const tmli_force_builder *b, const tmli_force_entry *e, tmli_force *f)
{
    modal *k = f->data;
    const tml_modal_def *d = e->def.modal;
    if (!d || !d->part)
        return tmli_fail_at(b->err, TML_ERR_ARG, e->at.at,
                            "force '%s': a modal element is made by a modal body", e->def.name);
    int reference = d->part->reference;
    for (int i = 0; i < d->part->nnodes && d->reference; i++)
        if (strcmp(d->part->name[i], d->reference) == 0) reference = i;
    const tmli_modal_damping damping = {d->damping_count, d->damping, d->mass_damping, d->stiffness_damping};
    tml_status st = find_nodes(b, e, reference, k);
    if (st == TML_OK)
        st = tmli_modal_build(d->part, reference, &damping, d->stiffening && d->part->nstiffening > 0,
                              &b->m->arena, &k->body, b->err);
    if (st == TML_OK) st = name_channels(b, f, k->body.modes);
    if (st != TML_OK) return st;
    k->damped = k->body.C != NULL;
    const int n = k->body.n;
    f->scratch =
        (size_t)(tmli_modal_motion_size(&k->body) + 9 * n * n + 3 * n + 7 * n + 3 * k->body.modes + n) *
        sizeof(double);
    int *slot = tmli_arena_alloc(&b->m->arena, (size_t)k->slots, sizeof *slot);
    if (!slot) return tmli_no_memory(b->err, "model");
    return tmli_force_plan(b, f, k->slots, k->node, slot);  // the slots are the nodes, in their order
}

// ---- evaluation -------------------------------------------------------------------------------------------

/** The element at a state. */
typedef struct evaluation {
    tmli_modal_motion x;
    tmli_modal_node node[MAX_NODES];
    double *F;                      // (n) on the coordinates of nodes and amplitudes
    double *Mr, *J, *by_nu, *by_q;  // (n x n)
    double *nu_by_d, *nudot_by_d, *nudot_by_u, *X, *Y;
    double *by_g;  // (n x 3)
} evaluation;

// Index of coordinate i (of n) of nodes and amplitudes among the 6 per slot.
static int local_of(const tmli_modal *b, int i)
{
    const int nodes = 6 * (1 + b->nodes), j = i - nodes;
    return i < nodes ? i : nodes + 6 * (j / 3) + j % 3;
}

// u: with velocities; a (6 slots; NULL: 0): accelerations; forces: with strain, damping and gravity.
static void evaluate(const tmli_force *f, const tmli_view *v, bool u, const double *a, bool forces,
                     evaluation *e)
{
    const modal *k = f->data;
    const tmli_modal *b = &k->body;
    const int n = b->n, nodes = 1 + b->nodes;
    double *at = tmli_modal_motion_init(b, (double *)(void *)(v->w->scratch + f->scratch_at), &e->x);
    double **const square[] = {&e->Mr,         &e->J,          &e->by_nu, &e->by_q, &e->nu_by_d,
                               &e->nudot_by_d, &e->nudot_by_u, &e->X,     &e->Y};
    for (size_t i = 0; i < sizeof square / sizeof *square; i++, at += n * n) *square[i] = at;
    e->by_g = at;
    e->F = at + 3 * n;
    double *velocity = e->F + n, *amplitude = velocity + 6 * nodes, *rate = amplitude + b->modes,
           *acceleration = rate + b->modes;
    for (int i = 0; i < nodes; i++) {
        if (u) tmli_node_velocity(v->m, v->x->u, k->node[i], velocity + 6 * i);
        e->node[i] =
            (tmli_modal_node){v->x->q + 7 * k->node[i], u ? velocity + 6 * i : NULL, a ? a + 6 * i : NULL};
    }
    for (int j = 0; j < b->modes; j++) {
        const int node = k->node[nodes + j / 3];
        amplitude[j] = v->x->q[7 * node + j % 3];
        rate[j] = u ? v->x->u[v->m->node[node].first + j % 3] : 0;
        acceleration[j] = a ? a[6 * (nodes + j / 3) + j % 3] : 0;
    }
    e->x.forces = forces;
    tmli_modal_see(b, e->node, amplitude, rate, acceleration, forces ? v->m->gravity : v3(0, 0, 0), &e->x);
    tmli_modal_calc(b, &e->x);
}

static void add_to_slots(const modal *k, evaluation *e, double *Q)
{
    const tmli_modal *b = &k->body;
    tmli_modal_to_nodes(b, e->node, e->x.f, e->F);
    for (int i = 0; i < b->n; i++) Q[local_of(b, i)] -= e->F[i];
}

static void force(const tmli_force *f, const tmli_view *v, double *Q)
{
    const modal *k = f->data;
    evaluation e;
    evaluate(f, v, true, NULL, true, &e);
    add_to_slots(k, &e, Q);
    for (int i = 0; i <= k->body.nodes; i++)  // their own weight acts already
        v3_store(v3_axpy(-k->share[i], v->m->gravity, v3_from(Q + 6 * i)), Q + 6 * i);
}

static void inertia(const tmli_force *f, const tmli_view *v, const double *a, double *Q)
{
    const modal *k = f->data;
    evaluation e;
    evaluate(f, v, false, a, false, &e);
    add_to_slots(k, &e, Q);
    for (int i = 0; i <= k->body.nodes; i++)
        for (int c = 0; c < 6; c++) Q[6 * i + c] += (c < 3 ? k->share[i] : k->inertia[i]) * a[6 * i + c];
}

// X (n x n) += A B, A (n x m), B (m x n): the first m rows of a larger matrix.
static void add_product(int n, int m, const double *A, const double *B, double *X)
{
    for (int r = 0; r < m; r++)
        for (int j = 0; j < n; j++) {
            const double x = B[r * n + j];
            if (x == 0) continue;
            for (int i = 0; i < n; i++) X[i * n + j] += A[i * m + r] * x;
        }
}

// to (6 slots square) += J'X.
static void add_mapped(const modal *k, const double *J, const double *X, int width, double *to)
{
    const tmli_modal *b = &k->body;
    const int n = b->n;
    for (int r = 0; r < n; r++)
        for (int i = 0; i < n; i++) {
            const double c = J[r * n + i];
            double *row = to + local_of(b, i) * width;
            for (int j = 0; j < n && c != 0; j++) row[local_of(b, j)] += c * X[r * n + j];
        }
}

// H, D (D may be NULL) += derivatives of the forces J'f by increments and by velocities.
static void add_derivatives(const modal *k, evaluation *e, int width, double *H, double *D)
{
    const tmli_modal *b = &k->body;
    const int n = b->n;
    const size_t square = (size_t)n * (size_t)n * sizeof(double);
    tmli_modal_mass(b, &e->x, e->Mr);
    tmli_modal_derivatives(b, &e->x, e->Mr, e->by_nu, e->by_q, e->by_g);
    tmli_modal_map(b, e->node, e->J);
    tmli_modal_map_derivatives(b, e->node, e->nu_by_d, e->nudot_by_d, e->nudot_by_u);
    memset(e->X, 0, square);
    add_product(n, b->nq, e->by_q, e->J + 6 * n, e->X);  // q moves as its rates do
    add_product(n, n, e->by_nu, e->nu_by_d, e->X);
    add_product(n, n, e->Mr, e->nudot_by_d, e->X);
    const mat3 g = m3_skew(e->x.g);  // delta (R'g) = (R'g)~ th
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++)
            for (int j = 0; j < 3; j++) e->X[i * n + 3 + j] += e->by_g[3 * i + c] * g.m[3 * c + j];
    add_mapped(k, e->J, e->X, width, H);
    memset(e->Y, 0, square);
    tmli_modal_add_force_derivative(b, e->node, e->x.f, e->Y);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) H[local_of(b, i) * width + local_of(b, j)] += e->Y[i * n + j];
    if (!D) return;
    memset(e->X, 0, square);
    add_product(n, n, e->by_nu, e->J, e->X);
    add_product(n, n, e->Mr, e->nudot_by_u, e->X);
    add_mapped(k, e->J, e->X, width, D);
}

static void tangent(const tmli_force *f, const tmli_view *v, double *H, double *D)
{
    const modal *k = f->data;
    evaluation e;
    evaluate(f, v, true, NULL, true, &e);
    add_derivatives(k, &e, 6 * f->plan.nslots, H, D);
}

static void mass_tangent(const tmli_force *f, const tmli_view *v, const double *a, double *H)
{
    const modal *k = f->data;
    evaluation e;
    evaluate(f, v, false, a, false, &e);
    add_derivatives(k, &e, 6 * f->plan.nslots, H, NULL);
}

static void mass(const tmli_force *f, const tmli_view *v, double *M)
{
    const modal *k = f->data;
    const tmli_modal *b = &k->body;
    const int n = b->n, width = 6 * f->plan.nslots;
    evaluation e;
    evaluate(f, v, false, NULL, false, &e);
    tmli_modal_mass(b, &e.x, e.Mr);
    tmli_modal_map(b, e.node, e.J);
    memset(e.X, 0, (size_t)n * (size_t)n * sizeof(double));
    add_product(n, n, e.Mr, e.J, e.X);
    add_mapped(k, e.J, e.X, width, M);
    for (int i = 0; i <= b->nodes; i++)
        for (int c = 0; c < 6; c++) M[(6 * i + c) * (width + 1)] -= c < 3 ? k->share[i] : k->inertia[i];
}

static void energy(const tmli_force *f, const tmli_view *v, double *potential, double power[TMLI_WORK_KINDS])
{
    const modal *k = f->data;
    const tmli_modal *b = &k->body;
    evaluation e;
    evaluate(f, v, true, NULL, true, &e);
    *potential += tmli_modal_strain_energy(b, &e.x) - v3_dot(e.x.g, tmli_modal_moments(b, e.x.q)) -
                  b->mass * v3_dot(v->m->gravity, tmli_model_place(v->m, v3_from(e.node[0].q)));
    for (int i = 0; i <= b->nodes; i++)
        *potential += k->share[i] * v3_dot(v->m->gravity, tmli_model_place(v->m, v3_from(e.node[i].q)));
    power[f->work] -= tmli_modal_dissipation(b, &e.x);
}

static void channels(const tmli_force *f, const tmli_view *v, double *values)
{
    const modal *k = f->data;
    evaluation e;
    evaluate(f, v, true, NULL, true, &e);
    values[0] = tmli_modal_strain_energy(&k->body, &e.x);
    for (int j = FIXED_CHANNELS; j < f->nchannels; j++)
        values[j] = e.x.q[6 * k->body.nodes + j - FIXED_CHANNELS];
}

static bool conservative(const tmli_force *f) { return !((const modal *)f->data)->damped; }

static tmli_touch touch(const tmli_force *f, int node, vec3 *point)
{
    const modal *k = f->data;
    (void)point;
    for (int i = 0; i <= k->body.nodes; i++)
        if (k->node[i] == node) return TMLI_TOUCH_TORQUE;
    return TMLI_TOUCH_NONE;
}

const tmli_force_ops tmli_force_modal = {
    .work = TMLI_WORK_DAMPED,
    .size = sizeof(modal),
    .build = build,
    .force = force,
    .tangent = tangent,
    .energy = energy,
    .mass = mass,
    .inertia = inertia,
    .mass_tangent = mass_tangent,
    .channels = channels,
    .conservative = conservative,
    .touch = touch,
};
