// Forces along coordinates of the tree. An angle of a joint with one axis is a coordinate q here: a force F
// along it, which depends on q, u = qdot, time and inputs alone, is
//   motion_q += F,   K_qq += F_q,   D_qq += F_u                                                          (1)
// without the gradient of the angle by the motions of the bodies and its second derivative. Likewise an
// inertia J along a coordinate, an angle or a distance, is
//   M_qq += J                                                                                            (2)
#include "system/joint_space/internal.h"

// The velocity coordinate of the tree that is the measure `use`; -1: none.
static int coordinate_of(const tmli_joint_space *s, int use)
{
    const tml_model *m = s->model;
    for (int i = 0; i < s->njoints; i++) {
        const tmli_tree_joint *b = &s->joint[i];
        for (int k = 0; k < b->nu - b->nslide && k < 2; k++)
            if (b->rotation != TMLI_ROTATION_BALL && b->counted_angle[k] == use)
                return b->first + b->nslide + k;
        if (b->constraint < 0 || b->nslide != 1 || tmli_measure_is_angle(m->measure_use[use].measure.kind))
            continue;
        const tmli_constraint *c = &m->constraint[b->constraint];
        for (int k = 0; k < c->ncoords; k++)
            if (c->coord[k] == use) return b->first;
    }
    return -1;
}

static tml_status find_armatures(tmli_joint_space *s, tml_error *err)
{
    const tml_model *m = s->model;
    s->armature = tmli_arena_alloc(&s->arena, (size_t)s->n + 1, sizeof *s->armature);
    if (!s->armature) return tmli_no_memory(err, "joint coordinates");
    for (int i = 0; i < m->nforces && m->has_inertia; i++) {
        const tmli_force *f = &m->force[i];
        if (!f->ops->mass) continue;
        const int j = f->armature > 0 ? coordinate_of(s, f->use) : -1;
        if (j < 0 && f->armature > 0)
            return tmli_fail_at(err, TML_ERR_MODEL, f->at,
                                "'%s' acts along a coordinate that is none of the tree of joints; use "
                                "kinematics: bodies",
                                f->name);
        if (j >= 0) s->armature[j] += f->armature;  // (2)
        s->is_scalar[i] = true;
    }
    return TML_OK;
}

tml_status tmli_joint_space_find_along(tmli_joint_space *s, tml_error *err)
{
    const tml_model *m = s->model;
    s->scalar = tmli_arena_alloc(&s->arena, (size_t)m->nforces + 1, sizeof *s->scalar);
    s->is_scalar = tmli_arena_alloc(&s->arena, (size_t)m->nforces + 1, sizeof *s->is_scalar);
    if (!s->scalar || !s->is_scalar) return tmli_no_memory(err, "joint coordinates");
    for (int i = 0; i < m->nforces; i++) {
        const bool inputs = tmli_mb_uses_inputs(&m->force[i]);
        const bool own = m->force[i].is_scalar && m->force[i].stick < 0;
        for (int j = 0; j < s->njoints && own && !s->is_scalar[i]; j++) {
            const tmli_tree_joint *b = &s->joint[j];
            if (b->rotation != TMLI_ROTATION_AXIS || b->counted_angle[0] != m->force[i].use) continue;
            s->is_scalar[i] = true;
            s->scalar[s->nscalar++] = (tmli_coordinate_force){.force = i,
                                                              .joint = j,
                                                              .q = b->firstq + b->nslide,
                                                              .u = b->first + b->nslide,
                                                              .input = inputs};
        }
        s->input_wrenches = s->input_wrenches || (inputs && !s->is_scalar[i]);
    }
    s->events_along = true;
    for (int i = 0; i < m->ndiscontinuities; i++) {
        const int force = m->discontinuity[i].force;
        s->events_along = s->events_along && (force < 0 || s->is_scalar[force]);
    }
    return find_armatures(s, err);
}

void tmli_joint_space_add_armature(const tmli_joint_space *s, const double *udot, double *motion)
{
    for (int j = 0; j < s->n; j++) motion[j] += s->armature[j] * udot[j];
}

static double force_of(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                       const tml_state *y, const tmli_coordinate_force *a, double by[2])
{
    const tmli_force *f = &s->model->force[a->force];
    const tmli_view v = {.m = s->model, .x = y, .pose = w->base->pose, .w = w->base};
    return f->ops->scalar_force(f, &v, x->q[a->q], x->u[a->u], by);
}

double tmli_joint_space_along_force(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                                    const tml_state *y, int i)
{
    return force_of(s, w, x, y, &s->scalar[i], NULL);
}

void tmli_joint_space_add_along(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x,
                                const tml_state *y, bool of_inputs, int sign, double *motion)
{
    for (int i = 0; i < s->nscalar; i++)
        if (!of_inputs || s->scalar[i].input)
            motion[s->scalar[i].u] += sign * force_of(s, w, x, y, &s->scalar[i], NULL);  // (1)
}

void tmli_joint_space_add_along_tangent(const tmli_joint_space *s, tmli_joint_space_work *w,
                                        const tml_state *x, const tml_state *y, double ck, double cd,
                                        double *matrix)
{
    for (int i = 0; i < s->nscalar && (ck != 0 || cd != 0); i++) {
        double by[2];
        force_of(s, w, x, y, &s->scalar[i], by);
        matrix[(size_t)s->scalar[i].u * ((size_t)s->n + 1)] += ck * by[0] + cd * by[1];  // (1)
    }
}

void tmli_joint_space_set_known(const tmli_joint_space *s, tmli_joint_space_work *w, const tml_state *x)
{
    for (int i = 0; i < s->nscalar; i++) {
        const int use = s->model->force[s->scalar[i].force].use;
        w->base->known[2 * use] = x->q[s->scalar[i].q];
        w->base->known[2 * use + 1] = x->u[s->scalar[i].u];
    }
}
