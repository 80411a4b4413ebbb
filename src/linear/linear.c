// The linear system of a model's inputs and outputs. A comes from exact derivatives
// (analysis/modes/minimal.c). Inputs and outputs are expressions: B, C and D are central differences, over
// consistent neighbours of the state. A neighbour at the distance h along the constraints misses them by
// O(h^2), which the projection removes and which cancels in the difference; outputs may use accelerations
// and reactions.
#include "analysis/modes/minimal.h"
#include "sim/queries/sim.h"
#include "system/state/move.h"
#include "system/state/units.h"
#include <trammel/linear.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct linear {
    tml_linear public;  // first: the caller has its address
    tml_env env;
    tmli_arena arena;
    tml_sim *sim;
    const tml_state *x;
    tml_state *y;    // a neighbour of x
    double *row[2];  // (channels) at two neighbours
    int *channel;    // (outputs) index of a channel
    double *f[2];    // (n + m) of two neighbours
    double *d;       // (n)
} linear;

void tml_linear_destroy(tml_linear *public)
{
    if (!public) return;
    linear *l = (linear *)public;
    tmli_arena_clear(&l->arena);
    const tml_env env = l->env;
    tmli_free(&env, l);
}

static void *alloc(linear *l, size_t count, size_t size)
{
    return tmli_arena_alloc(&l->arena, count + 1, size);
}

// ---- names ------------------------------------------------------------------------------------------------

static tml_status name_states(linear *l, const tmli_minimal *s, tml_error *err)
{
    static const char *const axis[6] = {"x", "y", "z", "rx", "ry", "rz"};
    const tml_model *m = l->sim->model;
    tml_linear_quantity *list = alloc(l, (size_t)s->size, sizeof *list);
    if (!list) return tmli_no_memory(err, "linearize");
    for (int i = 0; i < s->size; i++) {
        const int j = s->coordinate[i];
        const tmli_node *node = &m->node[m->node_of[j]];
        const bool rate = i >= s->positions;
        if (m->node_of[j] >= m->nbodies + m->namplitudes) {  // first-order state
            list[i] = (tml_linear_quantity){node->name, node->unit ? node->unit : "", 0};
            continue;
        }
        const int c = node->local[j - node->first];
        const size_t size = strlen(node->name) + 8;
        char *name = alloc(l, size, 1);
        if (!name) return tmli_no_memory(err, "linearize");
        snprintf(name, size, "%s.%s%s", node->name, axis[c], rate ? "'" : "");
        list[i] = (tml_linear_quantity){name, c < 3 ? (rate ? "m/s" : "m") : (rate ? "rad/s" : "rad"), 0};
    }
    l->public.states = list;
    l->public.state_count = s->size;
    return TML_OK;
}

static tml_status name_inputs_and_outputs(linear *l, tml_error *err)
{
    const tml_model *m = l->sim->model;
    tml_linear_quantity *in = alloc(l, (size_t)m->ninputs, sizeof *in),
                        *out = alloc(l, (size_t)m->noutputs, sizeof *out);
    l->channel = alloc(l, (size_t)m->noutputs, sizeof *l->channel);
    if (!in || !out || !l->channel) return tmli_no_memory(err, "linearize");
    for (int i = 0; i < m->ninputs; i++)
        in[i] =
            (tml_linear_quantity){m->input[i].name, m->input[i].unit ? m->input[i].unit : "",
                                  l->x->input[2 * i] + l->x->input[2 * i + 1] * (l->x->t - l->x->input_t)};
    int count = 0;
    for (int i = 0; i < l->sim->nchannels && count < m->noutputs; i++) {
        const tml_channel *c = &l->sim->channel[i];
        if (strncmp(c->dataset, "/outputs/", 9) != 0) continue;
        l->channel[count] = i;
        out[count++] = (tml_linear_quantity){c->name, c->unit, 0};
    }
    l->public.inputs = in;
    l->public.input_count = m->ninputs;
    l->public.outputs = out;
    l->public.output_count = count;
    const tml_status st = tml_sim_channel_values(l->sim, l->x, l->row[0], err);
    for (int i = 0; i < count; i++) out[i].value = l->row[0][l->channel[i]];
    return st;
}

// ---- differences ------------------------------------------------------------------------------------------

// Outputs at y, made consistent
static tml_status calc_outputs(linear *l, double *row, tml_error *err)
{
    const tml_status st = tmli_consistent_project(&l->sim->consistent, l->y, err);
    if (st == TML_RETRY)
        return tmli_fail(err, TML_ERR_SINGULAR, "outputs cannot be differentiated: the state is singular");
    return st == TML_OK ? tml_sim_channel_values(l->sim, l->y, row, err) : st;
}

// Column of C: positions move by h d, velocities by h e
static tml_status differentiate_by_state(linear *l, const tmli_minimal *s, int state, double *C,
                                         tml_error *err)
{
    const tml_system *sys = l->sim->sys;
    const int n = s->n, nz = sys->nz, j = s->coordinate[state];
    const double *d = s->d + (size_t)state * (size_t)n, *e = s->e + (size_t)state * (size_t)n;
    const double unit = tmli_coordinate_unit(sys, j);
    const double h = cbrt(DBL_EPSILON) * unit;
    tml_status st = TML_OK;
    for (int k = 0; k < 2 && st == TML_OK; k++) {
        const double step = k == 0 ? h : -h;
        tml_state_copy(l->y, l->x);
        for (int i = 0; i < n; i++) l->d[i] = i < n - nz ? step * d[i] : 0;
        tmli_state_move(sys, l->x, l->d, l->y);
        for (int i = 0; i < n; i++) l->y->u[i] += step * e[i];
        st = calc_outputs(l, l->row[k], err);
    }
    for (int i = 0; i < l->public.output_count && st == TML_OK; i++)
        C[(size_t)i * (size_t)s->size + (size_t)state] =
            (l->row[0][l->channel[i]] - l->row[1][l->channel[i]]) / (2 * h);
    return st;
}

// Columns of B and D
static tml_status differentiate_by_input(linear *l, const tmli_minimal *s, int input, double *B, double *D,
                                         tml_error *err)
{
    const tml_system *sys = l->sim->sys;
    const int inputs = l->public.input_count, n = s->n;
    const double h = cbrt(DBL_EPSILON) * fmax(1, fabs(l->public.inputs[input].value));
    tml_status st = TML_OK;
    for (int k = 0; k < 2 && st == TML_OK; k++) {
        tml_state_copy(l->y, l->x);
        l->y->input[2 * input] += k == 0 ? h : -h;
        st = sys->ops->dynamics(sys->self, l->sim->work, l->y, l->f[k], l->f[k] + n, err);
        if (st == TML_OK) st = calc_outputs(l, l->row[k], err);
    }
    if (st != TML_OK) return st;
    for (int i = 0; i < s->size; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += s->force[(size_t)i * (size_t)n + (size_t)j] * (l->f[0][j] - l->f[1][j]);
        B[i * inputs + input] = sum / (2 * h);
    }
    for (int i = 0; i < l->public.output_count; i++)
        D[i * inputs + input] = (l->row[0][l->channel[i]] - l->row[1][l->channel[i]]) / (2 * h);
    return TML_OK;
}

// ---- creation ---------------------------------------------------------------------------------------------

static tml_status allocate(linear *l, tml_error *err)
{
    const tml_system *sys = l->sim->sys;
    for (int k = 0; k < 2; k++) {
        l->row[k] = alloc(l, (size_t)l->sim->nchannels, sizeof(double));
        l->f[k] = alloc(l, (size_t)(sys->n + sys->m), sizeof(double));
        if (!l->row[k] || !l->f[k]) return tmli_no_memory(err, "linearize");
    }
    l->d = alloc(l, (size_t)sys->n, sizeof *l->d);
    return l->d ? tml_state_create(sys, &l->y, err) : tmli_no_memory(err, "linearize");
}

static tml_status fill(linear *l, const tmli_minimal *s, tml_error *err)
{
    tml_linear *p = &l->public;
    const size_t states = (size_t)s->size;
    tml_status st = name_states(l, s, err);
    if (st == TML_OK) st = name_inputs_and_outputs(l, err);
    if (st != TML_OK) return st;
    const size_t inputs = (size_t)p->input_count, outputs = (size_t)p->output_count;
    double *A = alloc(l, states * states, sizeof *A), *B = alloc(l, states * inputs, sizeof *B),
           *C = alloc(l, outputs * states, sizeof *C), *D = alloc(l, outputs * inputs, sizeof *D);
    if (!A || !B || !C || !D) return tmli_no_memory(err, "linearize");
    memcpy(A, s->A, states * states * sizeof *A);
    for (int i = 0; i < s->size && outputs > 0 && st == TML_OK; i++)
        st = differentiate_by_state(l, s, i, C, err);
    for (int i = 0; i < p->input_count && st == TML_OK; i++) st = differentiate_by_input(l, s, i, B, D, err);
    p->A = A;
    p->B = B;
    p->C = C;
    p->D = D;
    p->rest = s->motion == TMLI_MOTION_REST;
    p->steady = s->motion == TMLI_MOTION_STEADY;
    p->axes = p->steady ? tmli_arena_strdup(&l->arena, s->axes) : "";
    return st == TML_OK && !p->axes ? tmli_no_memory(err, "linearize") : st;
}

static tml_status linearize(linear *l, tml_error *err)
{
    const tml_system *sys = l->sim->sys;
    tmli_minimal s = {0};
    tmli_rank rank = {0};
    tml_status st = allocate(l, err);
    if (st == TML_OK) {
        tml_state_copy(l->y, l->x);
        st = tmli_rank_calc(sys, l->sim->work, l->y, &rank, err);
    }
    if (st == TML_OK) st = tmli_minimal_init(&s, sys, l->sim->model, l->sim->work, &rank, l->y, err);
    if (st == TML_OK) st = fill(l, &s, err);
    tmli_minimal_clear(&s);
    tmli_rank_clear(&rank);
    tml_state_destroy(l->y, sys);
    l->y = NULL;
    return st;
}

tml_status tml_linear_create(tml_sim *sim, const tml_state *x, tml_linear **out, tml_error *err)
{
    if (out) *out = NULL;
    if (!sim || !x || !out) return tmli_null_argument(err, "tml_linear_create");
    if (!sim->model)
        return tmli_fail(err, TML_ERR_ARG,
                         "tml_linear_create: a system of callbacks has no inputs and outputs");
    linear *l = tmli_calloc(&sim->env, 1, sizeof *l);
    if (!l) return tmli_no_memory(err, "linearize");
    l->env = sim->env;
    l->arena.env = &l->env;
    l->sim = sim;
    l->x = x;
    l->public.t = x->t;
    const tml_status st = linearize(l, err);
    if (st == TML_OK) *out = &l->public;
    else tml_linear_destroy(&l->public);
    return st;
}
