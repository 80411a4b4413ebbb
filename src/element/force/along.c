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
        if (w->known && !w->w->poses_given) memcpy(w->known + 2 * index, own, sizeof own);
    }
    if (x) *x = at[0];
    if (v) *v = at[1];
}

double tmli_along_acceleration(const tmli_view *w, int index, const tmli_along *k, double by_multipliers,
                               double force)
{
    const tmli_measure_use *use = &w->m->measure_use[index];
    double a[12], sum = tmli_measure_quad(k->measure, k->A, k->B, k->u), size = fabs(sum), largest = 0;
    tmli_node_velocity(w->m, w->x->udot, use->node[0], a);
    tmli_node_velocity(w->m, w->x->udot, use->node[1], a + 6);
    for (int i = 0; i < 12; i++) {
        sum += k->g[i] * a[i];
        size += fabs(k->g[i] * a[i]);
    }
    // a coordinate whose terms cancel is held; one that has a single term is held if that is tiny
    if (fabs(sum) <= HELD_ACCELERATION * size) return 0;
    for (int r = 0; r < w->m->m; r++) largest = fmax(largest, fabs(w->x->lambda[r]));
    const double mean = tmli_along_inertia(w->m, index), by_friction = mean > 0 ? HELD_BY_FRICTION / mean : 0;
    return fabs(sum) <= by_friction * force + by_multipliers * largest ? 0 : sum;
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

double tmli_along_stop(const tml_model *m, int use)
{
    return STOPS * (m->measure_use[use].measure.kind == TMLI_ANGLE ? 1 : m->length);
}

double tmli_along_inertia(const tml_model *m, int use)
{
    double mass = 0;
    for (int side = 0; side < 2; side++) {
        const int node = m->measure_use[use].node[side];
        if (node >= 0) mass = fmax(mass, m->joined[node]);
    }
    return m->measure_use[use].measure.kind == TMLI_ANGLE ? mass * m->length * m->length : mass;
}

double tmli_along_noise_of(const tml_model *m, int use)
{
    double lightest = INFINITY;
    for (int side = 0; side < 2; side++) {
        const int node = m->measure_use[use].node[side];
        const double mass = node >= 0 ? m->node[node].mass : 0;
        if (mass > 0) lightest = fmin(lightest, mass);
    }
    if (m->measure_use[use].measure.kind == TMLI_ANGLE) lightest *= m->length * m->length;
    return HELD_BY_MULTIPLIERS / lightest;
}
