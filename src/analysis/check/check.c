// The check of a model at the start of a run. See trammel/check.h for the quantities.
#include "analysis/check/check.h"
#include "analysis/assembly/assembly.h"
#include "analysis/assembly/nearby.h"
#include "model/model.h"
#include "spec/schema.h"
#include "system/state/units.h"

#include <math.h>
#include <stdio.h>

const char *tmli_check_text(tmli_checker *k, const char *text)
{
    const char *copy = tmli_arena_strdup(&k->arena, text);
    if (!copy) k->failed = true;
    return copy;
}

// ---- given and assembled start ----------------------------------------------------------------------------

static void find_worst_row(tmli_checker *k, const double *rows, const double *phi, bool rate,
                           tml_check_residual *out)
{
    const tml_system *s = k->sys;
    int worst = -1;
    double size = 0;
    for (int r = 0; r < s->m; r++) {
        const double x = fabs(phi[r]) / (tmli_conflict_is_length(s, rows, r) ? s->length : 1);
        if (x > size || isnan(x)) {
            size = x;
            worst = r;
        }
    }
    if (worst < 0) {
        out->unit = rate ? "m/s" : "m";
        return;
    }
    char name[160];
    out->value = fabs(phi[worst]);
    out->row = tmli_check_text(k, s->row_name(s, worst, name, sizeof name));
    if (tmli_conflict_is_length(s, rows, worst)) out->unit = rate ? "m/s" : "m";
    else out->unit = rate ? "rad/s" : "rad";
}

// Worst residuals of x; velocity may be NULL.
static tml_status calc_residuals(tmli_checker *k, const tml_state *x, tml_check_residual *position,
                                 tml_check_residual *velocity, tml_error *err)
{
    const tml_system *s = k->sys;
    double *motion = tmli_arena_alloc(&k->arena, (size_t)s->n + (size_t)s->m + 1, sizeof(double));
    double *rows = tmli_arena_alloc(&k->arena, (size_t)s->rowptr[s->m] + 1, sizeof(double));
    if (!motion || !rows) return tmli_no_memory(err, "check");
    double *phi = motion + s->n;
    tml_status st = s->ops->rows(s->self, k->work, x, rows, err);
    if (st == TML_OK) st = s->ops->residual(s->self, k->work, x, NULL, motion, phi, err);
    if (st != TML_OK) return st;
    find_worst_row(k, rows, phi, false, position);
    if (velocity) st = s->ops->velocity(s->self, k->work, x, phi, err);
    if (st == TML_OK && velocity) find_worst_row(k, rows, phi, true, velocity);
    return st;
}

static tml_status assemble(tmli_checker *k, tml_state *x, double *moved, tmli_conflicts *conflicts,
                           tml_error *err)
{
    const tml_system *s = k->sys;
    double *weight = NULL;
    if (k->model && !tmli_assembly_weights(k->model, &weight)) return tmli_no_memory(err, "check");
    tml_status st = tmli_assemble(s, weight, x, moved, conflicts, err);
    tmli_free(&k->env, weight);
    if (st == TML_OK && s->ops->accept) s->ops->accept(s->self, k->work, x);
    return st;
}

// Residual after the assembly, and the joints that cause it.
static tml_status find_gaps(tmli_checker *k, tml_error *err)
{
    const tml_check_residual *left = &k->check.left_open;
    char text[900];
    tml_status st = calc_residuals(k, k->x, &k->check.left_open, NULL, err);
    if (st != TML_OK || left->value <= TMLI_AGREEMENT * (left->unit[0] == 'r' ? 1 : k->check.length))
        return st;
    st = tmli_assembly_gaps(k->sys, k->x, text, sizeof text, err);
    if (st == TML_OK) k->gaps = tmli_check_text(k, text);
    return st;
}

static tml_status check_start(tmli_checker *k, tml_error *err)
{
    const tml_system *s = k->sys;
    tmli_conflicts conflicts = {0};
    tml_status st = calc_residuals(k, k->given, &k->check.position, &k->check.velocity, err);
    if (st == TML_OK) st = assemble(k, k->x, &k->check.moved, &conflicts, err);
    if (st == TML_ERR_ASSEMBLY && tmli_check_conflicts(k, &conflicts, NULL) != TML_OK)
        st = tmli_no_memory(err, "check");
    tmli_conflicts_clear(&conflicts);
    if (st == TML_OK) st = find_gaps(k, err);
    if (st != TML_OK) return st;
    k->check.assembled = true;
    for (int j = 0; j < s->n; j++) {
        const double unit = tmli_coordinate_unit(s, j);
        k->check.velocity_changed = fmax(k->check.velocity_changed, fabs(k->x->u[j] - k->given->u[j]) / unit);
    }
    return TML_OK;
}

// ---- bodies and joints ------------------------------------------------------------------------------------

static void mark_connected(const tmli_plan *p, int count, tml_check_body *bodies)
{
    for (int i = 0; i < p->nslots; i++)
        if (p->node[i] < count) bodies[p->node[i]].connected = true;
}

static tml_status list_bodies(tmli_checker *k, tml_error *err)
{
    const tml_model *m = k->model;
    tml_check_body *bodies = tmli_arena_alloc(&k->arena, (size_t)m->nbodies + 1, sizeof *bodies);
    double *d = tmli_arena_alloc(&k->arena, (size_t)m->n + 1, sizeof *d);
    if (!bodies || !d) return tmli_no_memory(err, "check");
    k->sys->ops->local(k->sys->self, k->given->q, k->x->q, d);
    for (int i = 0; i < m->nbodies; i++) {
        const tmli_node *node = &m->node[i];
        double squares[2] = {0};  // squares of translation and rotation
        for (int c = 0; c < node->ncoords; c++) {
            const double x = d[node->first + c];
            squares[node->local[c] >= 3] += x * x;
        }
        bodies[i] = (tml_check_body){.name = node->name,
                                     .mass = node->mass,
                                     .coordinates = node->ncoords,
                                     .moved = sqrt(squares[0]),
                                     .turned = sqrt(squares[1])};
        v3_store(tmli_model_place(m, v3_from(k->x->q + 7 * i)), bodies[i].position);
    }
    for (int i = 0; i < m->nconstraints; i++) mark_connected(&m->constraint[i].plan, m->nbodies, bodies);
    for (int i = 0; i < m->nuser_forces; i++) mark_connected(&m->force[i].plan, m->nbodies, bodies);
    k->check.bodies = bodies;
    k->check.body_count = m->nbodies;
    k->check.force_count = m->nuser_forces;
    return TML_OK;
}

// "ground, crank": bodies that a joint connects.
static const char *name_bodies(tmli_checker *k, const tmli_constraint *c)
{
    const tml_model *m = k->model;
    int seen[2 * TMLI_JOINT_TERMS + 2], count = 0;
    char text[512] = "";
    size_t used = 0;
    for (int i = 0; i < c->nterms + (c->nterms == 0 && c->ncoords > 0); i++) {
        const tmli_measure_use *l = &m->measure_use[c->nterms ? c->term[i].use : c->coord[0]];
        for (int side = 0; side < 2; side++) {
            int at = 0;
            while (at < count && seen[at] != l->node[side]) at++;
            if (at < count || count == (int)(sizeof seen / sizeof *seen)) continue;
            seen[count++] = l->node[side];
            const char *name = l->node[side] < 0 ? "ground" : m->node[l->node[side]].name;
            const int written = snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "", name);
            if (written > 0 && used + (size_t)written < sizeof text) used += (size_t)written;
        }
    }
    return tmli_check_text(k, text);
}

static tml_status list_joints(tmli_checker *k, tml_error *err)
{
    const tml_model *m = k->model;
    tml_check_joint *joints = tmli_arena_alloc(&k->arena, (size_t)m->nconstraints + 1, sizeof *joints);
    if (!joints) return tmli_no_memory(err, "check");
    for (int i = 0; i < m->nconstraints; i++) {
        const tmli_constraint *c = &m->constraint[i];
        joints[i] = (tml_check_joint){
            .name = c->name,
            .rows = c->nrows,
            .between = name_bodies(k, c),
            .type = c->stick ? c->stick : tmli_schema_type_name(&tmli_schema_joint, (int)c->type)};
    }
    k->check.joints = k->joints = joints;
    k->check.joint_count = m->njoints;
    return TML_OK;
}

// ---- dependent rows ---------------------------------------------------------------------------------------

// Dependent rows at a nearby configuration: if there are fewer, the start is a singular configuration.
static tml_status find_dependence_nearby(tmli_checker *k, tmli_dependence *out, bool *found, tml_error *err)
{
    double *weight = NULL;
    tml_state *y = NULL;
    tml_status st = tml_state_create(k->sys, &y, err);
    if (st == TML_OK && k->model && !tmli_assembly_weights(k->model, &weight))
        st = tmli_no_memory(err, "check");
    if (st == TML_OK) st = tmli_dependence_nearby(k->sys, k->work, k->x, weight, y, out, found, err);
    tmli_free(&k->env, weight);
    tml_state_destroy(y, k->sys);
    return st;
}

static tml_status check_dependent_rows(tmli_checker *k, tml_error *err)
{
    tmli_dependence nearby = {0};
    bool found = false;
    tml_status st = tmli_dependence_calc(k->sys, k->work, k->x, &k->dependence, err);
    if (st == TML_OK && k->dependence.count > 0) st = find_dependence_nearby(k, &nearby, &found, err);
    if (st == TML_OK) st = tmli_check_dependence(k, found ? &nearby : NULL, err);
    tmli_dependence_clear(&nearby);
    return st;
}

// Rows of switches are the last ones, and released at the start.
static int rows_in_force(const tml_system *s)
{
    int count = 0;
    while (count < s->m && !(s->switch_of_row && s->switch_of_row[count] >= 0)) count++;
    return count;
}

// ---- spectrum ---------------------------------------------------------------------------------------------

static tml_status store_spectrum(tmli_checker *k, const tmli_spectrum *s, tml_error *err)
{
    tml_check *c = &k->check;
    tml_check_eigenvalue *list = tmli_arena_alloc(&k->arena, (size_t)s->count + 1, sizeof *list);
    if (!list) return tmli_no_memory(err, "check");
    for (int i = 0; i < s->count; i++) {
        list[i] = (tml_check_eigenvalue){s->re[i], s->im[i]};
        c->highest_hz = fmax(c->highest_hz, fabs(s->im[i]) / 6.28318530717958647692);
    }
    c->has_spectrum = true;
    c->instantaneous = s->motion == TMLI_MOTION_CHANGING;
    c->steady = s->motion == TMLI_MOTION_STEADY;
    if (c->steady) c->axes = tmli_check_text(k, s->axes);
    c->massless = s->massless;
    c->eigenvalues = list;
    c->eigenvalue_count = s->count;
    c->zeros = s->zeros;
    c->zeros_below = s->resolved;
    c->stiffness_ratio = s->slowest > 0 ? s->fastest / s->slowest : 0;
    c->fastest = s->fastest > 0 ? 1 / s->fastest : 0;
    return TML_OK;
}

static tml_status check_spectrum(tmli_checker *k, tml_error *err)
{
    tmli_spectrum s = {0};
    tmli_rank rank = {0};
    tml_error why = {0};
    tml_status st = TML_OK;
    if (k->sys->n > TMLI_LINEARIZE_COORDINATES)
        st = tmli_fail(&why, TML_ERR_ARG, "the eigenvalues of %d coordinates are not computed: at most %d",
                       k->sys->n, TMLI_LINEARIZE_COORDINATES);
    if (st == TML_OK) st = tmli_rank_calc(k->sys, k->work, k->x, &rank, &why);
    if (st == TML_OK && rank.rank > 0) k->check.weakest = rank.pivot[rank.rank - 1] / rank.pivot[0];
    if (st == TML_OK) st = tmli_linearize(k->sys, k->model, k->work, &rank, k->x, &s, &why);
    tmli_rank_clear(&rank);
    if (st == TML_ERR_ARG || st == TML_ERR_SINGULAR) {
        tmli_check_note(k, TML_LOG_INFO, "No spectrum: %s.", why.msg);
        return TML_OK;
    }
    if (st == TML_OK) st = store_spectrum(k, &s, err);
    else if (err) *err = why;
    tmli_spectrum_clear(&s);
    return st;
}

// ---- creation ---------------------------------------------------------------------------------------------

void tml_check_destroy(tml_check *check)
{
    if (!check) return;
    tmli_checker *k = (tmli_checker *)check;
    if (k->work) k->sys->ops->destroy_work(k->work);
    tml_state_destroy(k->given, k->sys);
    tml_state_destroy(k->x, k->sys);
    tmli_dependence_clear(&k->dependence);
    tmli_free(&k->env, k->notes);
    tmli_arena_clear(&k->arena);
    const tml_env env = k->env;
    tmli_free(&env, k);
}

static tml_status run_check(tmli_checker *k, tml_error *err)
{
    tml_status st = k->model ? list_joints(k, err) : TML_OK;
    if (st == TML_OK) st = tmli_check_list_rows(k, err);
    if (st == TML_OK) st = check_start(k, err);
    const bool open = st == TML_ERR_ASSEMBLY;
    if ((st == TML_OK || open) && k->model && list_bodies(k, NULL) != TML_OK)
        st = tmli_no_memory(err, "check");
    if (st == TML_OK) st = check_dependent_rows(k, err);
    if (st == TML_OK) st = tmli_check_sweeps(k, err);
    if (st == TML_OK) st = check_spectrum(k, err);
    if (st == TML_OK) tmli_check_add_notes(k);
    if ((st == TML_OK || open) && k->failed) st = tmli_no_memory(err, "check");
    k->check.notes = k->notes;
    return st;
}

static tml_status create(const tml_model *model, const tml_system *sys, const tml_state *x0, double t,
                         tml_check **out, tml_error *err)
{
    *out = NULL;
    tmli_checker *k = tmli_calloc(&sys->env, 1, sizeof *k);
    if (!k) return tmli_no_memory(err, "check");
    k->env = sys->env;
    k->arena.env = &k->env;
    k->model = model;
    k->sys = sys;
    k->check = (tml_check){.nearest = -1,
                           .weakest = 1,
                           .mobility = "",
                           .axes = "",
                           .title = model ? tml_model_title(model) : "",
                           .length = sys->length,
                           .coordinates = sys->n - sys->nz,
                           .rows = rows_in_force(sys),
                           .count_freedoms = sys->n - sys->nz - rows_in_force(sys),
                           .rank = -1,
                           .freedoms = -1,
                           .rank_nearby = -1};
    k->work = sys->ops->create_work(sys->self, &sys->env);
    tml_status st = k->work ? tml_state_create(sys, &k->given, err) : tmli_no_memory(err, "check");
    if (st == TML_OK) st = tml_state_create(sys, &k->x, err);
    if (st == TML_OK) {
        if (model) tml_model_start(model, t, k->given);
        else tml_state_copy(k->given, x0);
        tml_state_copy(k->x, k->given);
        k->check.t = k->x->t;
        st = run_check(k, err);
    }
    if (st != TML_OK && st != TML_ERR_ASSEMBLY) {
        tml_check_destroy(&k->check);
        return st;
    }
    *out = &k->check;
    return st;
}

tml_status tml_check_create(const tml_model *model, double t, tml_check **out, tml_error *err)
{
    if (out) *out = NULL;
    if (!model || !out) return tmli_null_argument(err, "tml_check_create");
    if (!isfinite(t)) return tmli_fail(err, TML_ERR_ARG, "t = %g s, expected a finite time", t);
    return create(model, tml_model_system(model), NULL, t, out, err);
}

tml_status tml_check_create_system(const tml_system *sys, const tml_state *x0, tml_check **out,
                                   tml_error *err)
{
    if (out) *out = NULL;
    if (!sys || !x0 || !out) return tmli_null_argument(err, "tml_check_create_system");
    return create(NULL, sys, x0, x0->t, out, err);
}
