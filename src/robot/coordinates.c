// The coordinates of a robot: their names, units and limits.
#include "robot/robot.h"

#include <math.h>
#include <string.h>

#include "element/force/force.h"

static const char *join(tml_robot *r, const char *owner, const char *name)
{
    const size_t a = strlen(owner), b = strlen(name);
    char *text = tmli_arena_alloc(&r->arena, a + b + 2, 1);
    if (!text) return NULL;
    memcpy(text, owner, a);
    text[a] = '.';
    memcpy(text + a + 1, name, b + 1);
    return text;
}

// The coordinate of its joint that a measure is; NULL: none.
static const char *suffix_of(const tmli_constraint *c, int use)
{
    for (int k = 0; k < c->ncoords && use >= 0; k++)
        if (c->coord[k] == use) return c->coord_suffix[k];
    return NULL;
}

static const char *name_of(tml_robot *r, const tmli_joint_space_coordinate *x)
{
    static const char *const place[] = {"x", "y", "z"}, *const turn[] = {"wx", "wy", "wz"};
    const tml_model *m = r->model;
    const tmli_constraint *c = x->constraint >= 0 ? &m->constraint[x->constraint] : NULL;
    const char *owner = c ? c->name : m->node[x->node].name;
    const char *suffix = c ? suffix_of(c, x->use) : NULL;
    if (!owner) owner = "state";
    if (suffix) return join(r, owner, suffix);
    if (x->slide) return join(r, owner, place[x->component]);
    if (x->quaternion) return join(r, owner, turn[x->component]);
    return join(r, owner, x->component == 0 ? "angle" : "angle2");
}

static void find_limits(const tml_model *m, int use, double *lower, double *upper)
{
    *lower = -INFINITY;
    *upper = INFINITY;
    for (int i = 0; i < m->nforces && use >= 0; i++) {
        const tmli_force *f = &m->force[i];
        double own[2];
        if (f->use != use || !f->ops->bounds) continue;
        f->ops->bounds(f, &own[0], &own[1]);
        *lower = fmax(*lower, own[0]);
        *upper = fmin(*upper, own[1]);
    }
}

tml_status tmli_robot_name_coordinates(tml_robot *r, tml_error *err)
{
    const int n = r->sys->n;
    r->coords = tmli_arena_alloc(&r->arena, (size_t)n + 1, sizeof *r->coords);
    if (!r->coords) return tmli_no_memory(err, "robot");
    for (int j = 0; j < n; j++) {
        const tmli_joint_space_coordinate x = tmli_joint_space_find_coordinate(r->sys, j);
        tml_robot_coordinate *c = &r->coords[j];
        *c = (tml_robot_coordinate){
            .name = name_of(r, &x), .unit = x.slide ? "m" : "rad", .q = x.q, .quaternion = x.quaternion};
        find_limits(r->model, x.use, &c->lower, &c->upper);
        if (!c->name) return tmli_no_memory(err, "robot");
    }
    return TML_OK;
}
