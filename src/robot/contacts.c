// The points of contact of a robot and their Jacobians.
#include "robot/robot.h"

#include <math.h>
#include <string.h>

typedef struct listing {
    const tml_robot *r;
    const char *name;
    double reach;
    tml_robot_contact *out;
    int room, count;
} listing;

static void add(const tmli_near_point *p, void *user)
{
    listing *l = user;
    if (!(p->gap <= l->reach)) return;
    const int i = l->count++;
    if (!l->out || i >= l->room) return;
    l->out[i] = (tml_robot_contact){.name = l->name, .body = {p->node[0], p->node[1]}, .gap = p->gap};
    v3_store(tmli_model_place(l->r->model, p->place), l->out[i].position);
    v3_store(p->normal, l->out[i].normal);
}

tml_status tml_robot_contacts(tml_robot *r, double reach, tml_robot_contact *out, int room, int *count,
                              tml_error *err)
{
    if (!r || !count) return tmli_null_argument(err, "tml_robot_contacts");
    *count = 0;
    if (isnan(reach) || room < 0)
        return tmli_fail(err, TML_ERR_ARG, "tml_robot_contacts: reach and room are %g and %d", reach, room);
    listing l = {.r = r, .reach = reach, .out = out, .room = room};
    for (int i = 0; i < r->model->nforces; i++) {
        l.name = r->model->force[i].name;
        tmli_joint_space_visit_points(r->sys, r->work, r->y, i, add, &l);
    }
    *count = l.count;
    return TML_OK;
}

tml_status tml_robot_contact_jacobian(tml_robot *r, const tml_robot_contact *c, double *J, tml_error *err)
{
    if (!r || !c || !J) return tmli_null_argument(err, "tml_robot_contact_jacobian");
    const size_t n = (size_t)r->n, all = (size_t)r->sys->n;
    memset(J, 0, 3 * n * sizeof *J);
    for (int side = 0; side < 2; side++) {
        if (c->body[side] < -1 || c->body[side] >= r->model->nbodies)
            return tmli_fail(err, TML_ERR_ARG, "contact: there is no body %d; the model has %d",
                             c->body[side], r->model->nbodies);
        tmli_pose x;
        tmli_joint_space_pose(r->sys, r->work, r->y->q, c->body[side], &x);
        const vec3 p = v3_sub(v3_from(c->position), r->model->origin), arm = v3_sub(p, x.r);
        double *own = r->jacobian;
        tmli_joint_space_jacobian(r->sys, r->work, r->y, c->body[side], m3_tmulv(&x.R, arm), own,
                                  own + 6 * all);
        for (size_t k = 0; k < 3; k++)
            for (size_t j = 0; j < n; j++) J[k * n + j] += side ? own[k * all + j] : -own[k * all + j];
    }
    return TML_OK;
}
