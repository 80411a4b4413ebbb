// See along.h.
#include "element/force/along.h"

#include <math.h>
#include <string.h>

#include "element/force/constants.h"

void tmli_along_of(const tmli_view *w, int index, tmli_along *k)
{
    const tmli_measure_use *use = &w->m->measure_use[index];
    k->measure = &use->measure;
    k->A = tmli_pose_of(w->pose, use->node[0]);
    k->B = tmli_pose_of(w->pose, use->node[1]);
    k->x = tmli_counted_angle(use, w->x, tmli_measure_grad(k->measure, k->A, k->B, k->g));
    tmli_node_velocity(w->m, w->x->u, use->node[0], k->u);
    tmli_node_velocity(w->m, w->x->u, use->node[1], k->u + 6);
    k->v = 0;
    for (int i = 0; i < 12; i++) k->v += k->g[i] * k->u[i];
}

void tmli_along_values(const tmli_view *w, int index, double *x, double *v)
{
    const tmli_measure_use *use = &w->m->measure_use[index];
    double own[2], u[12];
    const double *at = w->known ? w->known + 2 * index : own;
    if (!w->known || isnan(at[0])) {
        tmli_node_velocity(w->m, w->x->u, use->node[0], u);
        tmli_node_velocity(w->m, w->x->u, use->node[1], u + 6);
        own[0] = tmli_counted_angle(use, w->x,
                                    tmli_measure_rate(&use->measure, tmli_pose_of(w->pose, use->node[0]),
                                                      tmli_pose_of(w->pose, use->node[1]), u, &own[1]));
        at = own;
        if (w->known && !w->w->posed) memcpy(w->known + 2 * index, own, sizeof own);
    }
    if (x) *x = at[0];
    if (v) *v = at[1];
}

tmli_touch tmli_along_touch(const tmli_force *f, int node, vec3 *point)
{
    (void)f, (void)node, (void)point;
    return TMLI_TOUCH_TORQUE;
}

double tmli_along_rest(const tml_model *m, int use)
{
    return AT_REST * (use < 0 || m->measure_use[use].measure.kind == TMLI_ANGLE ? 1 : m->length);
}

double tmli_along_inertia(const tml_model *m, int use)
{
    double mass = 0;
    for (int i = 0; i < m->nbodies; i++) mass += m->node[i].mass / m->nbodies;
    return m->measure_use[use].measure.kind == TMLI_ANGLE ? mass * m->length * m->length : mass;
}
