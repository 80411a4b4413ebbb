// Scratch memory of the system in joint coordinates, the base's state in it, and reports of states that are
// not finite.
#include "system/joint_space/internal.h"

#include <stdlib.h>
#include <string.h>

// ---- scratch ----------------------------------------------------------------------------------------------

void tmli_joint_space_destroy_work(void *p)
{
    tmli_joint_space_work *w = p;
    if (!w) return;
    const tml_env env = w->env;
    if (w->base) w->system->ops->destroy_work(w->base);
    tml_state_destroy(w->later, w->system);
    tmli_free_all(&env, w->body, w->planar_body, w->step, w->composite, w->moves, w->memory, w->dense, w);
}

// Numbers that are not set to 0.
static double *allocate_unset(const tml_env *env, size_t count)
{
    const size_t bytes = (count > 0 ? count : 1) * sizeof(double);
    return env && env->alloc ? env->alloc(bytes, env->user) : malloc(bytes);
}

// One block of memory for all arrays of numbers, and one for those of the matrix, which are large and set to
// 0 before each use: most workspaces never assemble a matrix. False: no memory.
static bool allocate_arrays(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_env *env)
{
    const tml_model *model = s->model;
    const size_t n = (size_t)s->n, nq = (size_t)s->nq, m = (size_t)s->m, bodies = (size_t)s->njoints;
    const size_t bn = (size_t)model->n, bm = (size_t)model->m, bq = 7 * (size_t)model->nnodes;
    const size_t rows = (size_t)(model->max_rows > 2 ? model->max_rows : 2);
    const size_t slots = (size_t)(model->max_slots > 2 ? model->max_slots : 2);
    const size_t blocks = 36 * (size_t)s->blocks.count, matrix = s->matrix ? 1 : 0;
    struct {
        double **array;
        size_t count;
    } const all[] = {
        {&w->q, nq},
        {&w->q_step, nq},
        {&w->u, n},
        {&w->scratch, n},
        {&w->zero_udot, n},
        {&w->inv, n},
        {&w->gen, n},
        {&w->bu, bn},
        {&w->budot, bn},
        {&w->force, bn},
        {&w->blambda, bm},
        {&w->bq, bq},
        {&w->gamma, m},
        {&w->opening, m},
        {&w->schur_inv, m},
        {&w->rows, 4 * m},
        {&w->lambda, m},
        {&w->projected, (size_t)s->row_entries},
        {&w->changes, matrix * (size_t)s->row_entries},
        {&w->penalty, matrix * m},
        {&w->schur, (size_t)s->skyline[s->m]},
        {&w->loop_f, 6 * rows * bodies},
        {&w->motions.psi, matrix * 6 * n},
        {&w->motions.first, matrix * 6 * n},
        {&w->motions.second, matrix * 6 * n},
        {&w->motions.by_u, matrix * 6 * n},
        {&w->wrenches, matrix * 12 * bodies},
        {&w->product, matrix * 24 * slots * n},
        {&w->zero_lambda, matrix * m},
    };
    size_t size = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) size += all[i].count;
    w->memory = tmli_calloc(env, size, sizeof *w->memory);
    if (!w->memory) return false;
    w->dense = allocate_unset(env, matrix * (3 * n * n + 2 * blocks));
    if (!w->dense) return false;
    w->blockK = w->dense + matrix * 3 * n * n;
    w->blockD = w->blockK + matrix * blocks;
    double *next = w->memory;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        *all[i].array = next;
        next += all[i].count;
    }
    return true;
}

void *tmli_joint_space_create_work(const void *self, const tml_env *env)
{
    const tmli_joint_space *s = self;
    const size_t bodies = (size_t)s->njoints;
    tmli_joint_space_work *w = tmli_calloc(env, 1, sizeof *w);
    if (!w) return NULL;
    if (env) w->env = *env;
    w->system = s->base;
    w->base = s->base->ops->create_work(s->base->self, env);
    const size_t in_plane = s->planar ? bodies : 1, in_matrix = s->matrix ? bodies : 1;
    const bool parts = tmli_calloc_all(env, TMLI_ARRAY(w->body, bodies), TMLI_ARRAY(w->planar_body, in_plane),
                                       TMLI_ARRAY(w->step, in_plane), TMLI_ARRAY(w->composite, in_matrix),
                                       TMLI_ARRAY(w->moves, in_matrix)),
               arrays = allocate_arrays(s, w, env);
    if (tml_state_create(s->base, &w->later, NULL) != TML_OK || !w->base || !parts || !arrays) {
        tmli_joint_space_destroy_work(w);
        return NULL;
    }
    tmli_mb_forget_measures(s->model, w->base);
    for (int i = 0; i < s->model->nnodes; i++)  // of points and of planar models only parts change
        w->base->pose[i] = tmli_node_start_pose(s->model, i);
    for (int i = 0; i < s->njoints; i++)
        if (s->joint[i].rotation == TMLI_ROTATION_BALL)
            for (int k = 0; k < 3; k++)
                w->body[i].motion[s->joint[i].nslide + k].w = v3(k == 0, k == 1, k == 2);
    return w;
}

tml_state tmli_joint_space_base_state(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                                      bool accelerate)
{
    const tml_model *m = s->model;
    tml_state y = {.t = x->t,
                   .nq = 7 * m->nnodes,
                   .n = m->n,
                   .m = m->m,
                   .na = x->na,
                   .nmode = x->nmode,
                   .ninput = x->ninput,
                   .input_t = x->input_t,
                   .input = x->input,
                   .q = w->bq,
                   .u = w->bu,
                   .udot = w->budot,
                   .lambda = w->blambda,
                   .angle = x->angle,
                   .mode = x->mode};
    if (!accelerate) return y;
    tmli_joint_space_accelerations(s, w, x->udot, w->budot);
    tmli_joint_space_set_multipliers(s, w, x);
    return y;
}

void tmli_joint_space_set_multipliers(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x)
{
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        const int first = s->model->constraint[p->constraint].first + p->keep;
        for (int r = 0; r < p->nrows; r++) w->blambda[first + r] = x->lambda[p->first + r];
    }
}

// ---- states that are not finite ---------------------------------------------------------------------------

tml_status tmli_joint_space_report_nonfinite(const tmli_joint_space *s, tmli_joint_space_work *w,
                                             const tml_state *x, int massless, tml_error *err)
{
    tmli_joint_space_velocities(s, w, x->q, x->u);
    tmli_joint_space_base_positions(s, w);
    const tml_state y = tmli_joint_space_base_state(s, w, x, false);
    tml_status st = s->base->ops->dynamics(s->base->self, w->base, &y, w->force, w->blambda, err);
    memset(w->blambda, 0, (size_t)s->model->m * sizeof *w->blambda);
    w->positions_valid = w->velocities_valid = w->planar_positions_valid = w->planar_velocities_valid = false;
    if (st != TML_OK) return st;
    char name[160];
    if (massless >= 0)
        return tmli_fail(
            err, TML_ERR_SINGULAR,
            "nothing with inertia moves with joint coordinate '%s' at t = %g s; give its body mass and "
            "inertia, or use kinematics: bodies",
            s->system.coordinate_name(&s->system, massless, name, sizeof name), x->t);
    return tmli_fail(err, TML_ERR_NAN, "accelerations or multipliers are not finite at t = %g s", x->t);
}

tml_status tmli_joint_space_check_finite(const tmli_joint_space *s, tmli_joint_space_work *w,
                                         const tml_state *x, tml_error *err)
{
    if (tmli_joint_space_all_finite(x->udot, s->n) && tmli_joint_space_all_finite(x->lambda, s->m))
        return TML_OK;
    return tmli_joint_space_report_nonfinite(s, w, x, -1, err);
}
