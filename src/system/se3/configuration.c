// Configurations on SE(3): retraction, its tangent operator, and rows of points that rotate with a body.
#include "math/se3.h"
#include "system/se3/internal.h"

#include "system/se3/constants.h"

void tmli_se3_system_retract(const void *self, const double *q, const double *d, double *out)
{
    const tmli_se3 *s = self;
    tmli_mb_retract_states(s->model, q, d, out);
    for (int i = 0; i < s->model->nbodies; i++) {
        double six[6];
        tmli_node_velocity(s->model, d, i, six);
        const motion6 inc = motion6_from(six);
        const quat p = q_from(q + 7 * i + 3);
        const mat3 R = s->on_se3[i] ? q_matrix(p) : m3_identity();
        v3_store(v3_add(v3_from(q + 7 * i), m3_mulv(&R, s->map->translation(inc))), out + 7 * i);
        q_store(q_normalize(q_mul(p, s->map->rotation(inc.theta))), out + 7 * i + 3);
    }
}

// For large rotations the increments of Cayley's map grow without bound. Distances are then measured by the
// translation and the rotation vector instead.
void tmli_se3_system_local(const void *self, const double *q0, const double *q1, double *d)
{
    const tmli_se3 *s = self;
    tmli_mb_local_states(s->model, q0, q1, d);
    for (int i = 0; i < s->model->nbodies; i++) {
        double six[6] = {0};
        const vec3 t = v3_sub(v3_from(q1 + 7 * i), v3_from(q0 + 7 * i));
        if (s->on_se3[i]) {
            const mat3 R = tmli_se3_attitude(q0, i);
            const quat p = q_mul(q_conj(q_from(q0 + 7 * i + 3)), q_from(q1 + 7 * i + 3));
            const vec3 body = m3_tmulv(&R, t);
            const bool out_of_range =
                s->map->unbounded && CAYLEY_RANGE * p.e0 * p.e0 < 1;  // p0 = 1/sqrt(1 + |theta|^2/4)
            motion6_store(out_of_range ? (motion6){body, tmli_so3_log(p)}
                                       : s->map->increment(body, p, v3(0, 0, 0)),
                          six);
        } else {
            v3_store(t, six);
        }
        tmli_se3_store_coordinates(&s->model->node[i], six, d);
    }
}

typedef motion6 (*pair_function)(const tmli_se3_map *map, motion6 a, motion6 b);

// f(x, y) per node. For points, which have translations only, the functions below are sums and identities.
static void per_node(const tmli_se3 *s, pair_function f, const double *x, const double *y, double *out)
{
    for (int i = 0; i < s->model->nnodes; i++) {
        double a[6], b[6];
        tmli_node_velocity(s->model, x, i, a);
        tmli_node_velocity(s->model, y, i, b);
        motion6_store(f(s->map, motion6_from(a), motion6_from(b)), a);
        tmli_se3_store_coordinates(&s->model->node[i], a, out);
    }
}

static motion6 solve(const tmli_se3_map *map, motion6 d, motion6 v) { return map->tangent_solve(d, v); }

void tmli_se3_system_tangent_inverse(const void *self, const double *d, const double *u, double *out)
{
    per_node(self, solve, d, u, out);
}

void tmli_se3_system_tangent(const void *self, const double *d, const double *v, double *out)
{
    per_node(self, tmli_se3_tangent_mul, d, v, out);
}

void tmli_se3_system_tangent_rate(const void *self, const double *d, const double *v, double *out)
{
    per_node(self, tmli_se3_tangent_rate, d, v, out);
}

void tmli_se3_system_tangent_derivatives(const void *self, const double *x, const double *u, double *first,
                                         double *second)
{
    per_node(self, tmli_se3_tangent_first, x, u, first);
    per_node(self, tmli_se3_tangent_second, x, u, second);
}

void tmli_se3_system_compose(const void *self, const double *d1, const double *d2, double *out)
{
    per_node(self, tmli_se3_compose, d1, d2, out);
}

// Positions of bodies on SE(3) depend on the rotations in d: a motion with other turns has another increment.
void tmli_se3_system_add_turns(const void *self, const double *near, double *d)
{
    const tmli_se3 *s = self;
    for (int i = 0; i < s->model->nbodies; i++) {
        double x[6], y[6];
        tmli_node_velocity(s->model, d, i, x);
        tmli_node_velocity(s->model, near, i, y);
        const motion6 inc = motion6_from(x);
        const vec3 apart = v3_sub(tmli_so3_add_turns(inc.theta, v3_from(y + 3)), inc.theta);
        if (!s->on_se3[i] || s->map->unbounded || v3_dot(apart, apart) == 0) continue;
        motion6_store(
            s->map->increment(s->map->translation(inc), s->map->rotation(inc.theta), v3_from(y + 3)), x);
        tmli_se3_store_coordinates(&s->model->node[i], x, d);
    }
}

void tmli_se3_system_count(const void *self, const tml_state *x0, const double *d, double *angle)
{
    const tmli_se3 *s = self;
    const tml_model *m = s->model;
    for (int i = 0; i < m->nangles; i++) {
        const tmli_measure_use *use = &m->measure_use[m->counted[i]];
        vec3 th[2];
        for (int side = 0; side < 2; side++) {
            double v[6];
            tmli_node_velocity(m, d, use->node[side], v);
            th[side] = s->map->rotation_vector(v3_from(v + 3));
        }
        angle[i] = x0->angle[i] + tmli_mb_turning_by(x0->q, use, th);
    }
}

void tmli_se3_system_transform_rows(const void *self, const double *q0, const double *q1, double *rows)
{
    const tmli_se3 *s = self;
    for (int i = 0; i < s->npoints; i++) {
        const tmli_se3_point *p = &s->point[i];
        const mat3 R0 = tmli_se3_attitude(q0, p->node), R1 = tmli_se3_attitude(q1, p->node);
        double v[3];
        for (int k = 0; k < 3; k++) v[k] = p->row[k] < 0 ? 0 : rows[p->row[k]];
        v3_store(m3_mulv(&R1, m3_tmulv(&R0, v3_from(v))), v);
        for (int k = 0; k < 3; k++)
            if (p->row[k] >= 0) rows[p->row[k]] = v[k];
    }
}
