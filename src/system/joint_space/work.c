// Scratch memory of the system in joint coordinates, the base's state in it, and reports of states that are
// not finite.
#include "system/joint_space/internal.h"

#include <string.h>

// ---- scratch ----------------------------------------------------------------------------------------------

void tmli_joint_space_destroy_work(void *p)
{
    tmli_joint_space_work *w = p;
    if (!w) return;
    const tml_env env = w->env;
    if (w->base) w->system->ops->destroy_work(w->base);
    tml_state_destroy(w->later, w->system);
    tmli_free(&env, w->body);
    tmli_free(&env, w->planar_body);
    tmli_free(&env, w->step);
    tmli_free(&env, w->q);
    tmli_free(&env, w);
}

static double *carve(double **next, size_t count)
{
    double *p = *next;
    *next += count;
    return p;
}

void *tmli_joint_space_create_work(const void *self, const tml_env *env)
{
    const tmli_joint_space *s = self;
    const tml_model *model = s->model;
    tmli_joint_space_work *w = tmli_calloc(env, 1, sizeof *w);
    if (!w) return NULL;
    if (env) w->env = *env;
    w->system = s->base;
    const size_t n = (size_t)s->n, nq = (size_t)s->nq, m = (size_t)s->m, bodies = (size_t)s->njoints;
    const size_t bn = (size_t)model->n, bm = (size_t)model->m, bq = 7 * (size_t)model->nnodes;
    const size_t slots = (size_t)(model->max_slots > 2 ? model->max_slots : 2);
    const size_t blocks = 36 * (size_t)s->blocks.count;
    const size_t matrix = s->matrix ? 24 * n + 3 * n * n + 24 * slots * n + 2 * blocks + m : 0;
    w->base = s->base->ops->create_work(s->base->self, env);
    w->body = tmli_calloc(env, bodies, sizeof *w->body);
    w->planar_body = tmli_calloc(env, s->planar ? bodies : 1, sizeof *w->planar_body);
    w->step = tmli_calloc(env, s->planar ? bodies : 1, sizeof *w->step);
    w->q = tmli_calloc(env,
                       2 * nq + 5 * n + 3 * bn + bm + bq + 4 * m + (size_t)s->row_entries +
                           (size_t)s->skyline[s->m] +
                           6 * (size_t)(model->max_rows > 2 ? model->max_rows : 2) * bodies + matrix,
                       sizeof(double));
    if (tml_state_create(s->base, &w->later, NULL) != TML_OK || !w->base || !w->body || !w->planar_body ||
        !w->step || !w->q) {
        tmli_joint_space_destroy_work(w);
        return NULL;
    }
    double *next = w->q;
    carve(&next, nq);
    w->q_step = carve(&next, nq);
    w->u = carve(&next, n);
    w->scratch = carve(&next, n);
    w->zero_udot = carve(&next, n);
    w->inv = carve(&next, n);
    w->gen = carve(&next, n);
    w->bu = carve(&next, bn);
    w->budot = carve(&next, bn);
    w->force = carve(&next, bn);
    w->blambda = carve(&next, bm);
    w->bq = carve(&next, bq);
    w->gamma = carve(&next, m);
    w->opening = carve(&next, m);
    w->schur_inv = carve(&next, m);
    w->lambda = carve(&next, m);
    w->projected = carve(&next, (size_t)s->row_entries);
    w->schur = carve(&next, (size_t)s->skyline[s->m]);
    w->loop_f = carve(&next, 6 * (size_t)(model->max_rows > 2 ? model->max_rows : 2) * bodies);
    if (s->matrix) {
        w->Hc = carve(&next, 6 * n);
        w->dU = carve(&next, 6 * n);
        w->dA = carve(&next, 6 * n);
        w->dAu = carve(&next, 6 * n);
        w->dense = carve(&next, 3 * n * n);
        w->product = carve(&next, 24 * slots * n);
        w->blockK = carve(&next, blocks);
        w->blockD = carve(&next, blocks);
        w->zero_lambda = carve(&next, m);
    }
    for (int i = 0; i < model->nnodes; i++) {  // of points and of planar models only parts change
        const tmli_pose start = tmli_node_start_pose(model, i);
        w->base->pose[i] = start;
    }
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
                   .q = w->bq,
                   .u = w->bu,
                   .udot = w->budot,
                   .lambda = w->blambda,
                   .angle = x->angle,
                   .mode = x->mode};
    if (!accelerate) return y;
    tmli_joint_space_accelerations(s, w, x->udot, w->budot);
    for (int i = 0; i < s->nloops; i++) {
        const tmli_loop *p = &s->loop[i];
        const int first = m->constraint[p->constraint].first + p->keep;
        for (int r = 0; r < p->nrows; r++) w->blambda[first + r] = x->lambda[p->first + r];
    }
    return y;
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
