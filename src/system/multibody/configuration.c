// The configuration space of a multibody model: per node, positions in R^3 and rotations in SO(3).
//   q (+) d:  r + d_r,   p exp(d_th)      d_r in the inertial frame [m], d_th in the body frame [rad]   (1)
//   u = (rdot, w) = (d_r', T(d_th) d_th')                                                       (2)
// p is the unit quaternion of the body, T the tangent operator of SO(3) (math/so3.c). In a planar model all
// rotations are about z and commute: T = 1, and increments add up.
#include "element/joint/turning.h"
#include "system/multibody/multibody.h"
#include "system/state/first_order.h"

#include <math.h>
#include <string.h>

// (1) for a body of a planar model: its quaternion is (e0, 0, 0, e3).
static void retract_in_plane(const double *q, double x, double y, double angle, double *out)
{
    const quat turn = tmli_so3_exp(v3(0, 0, angle));
    const double e0 = q[3] * turn.e0 - q[6] * turn.e3, e3 = q[3] * turn.e3 + q[6] * turn.e0,
                 s = 1 / sqrt(e0 * e0 + e3 * e3);
    out[0] = q[0] + x;
    out[1] = q[1] + y;
    out[2] = q[2];
    out[3] = s * e0;
    out[4] = out[5] = 0;
    out[6] = s * e3;
}

static bool moves_in_plane(const tml_model *m, int i)
{
    return m->planar && i < m->nbodies && m->node[i].ncoords == 3;
}

void tmli_mb_node_retract(const tml_model *m, int i, const double q[7], const double d[6], double out[7])
{
    if (moves_in_plane(m, i)) {
        retract_in_plane(q, d[0], d[1], d[5], out);
        return;
    }
    v3_store(v3_add(v3_from(q), v3_from(d)), out);
    q_store(q_normalize(q_mul(q_from(q + 3), tmli_so3_exp(v3_from(d + 3)))), out + 3);
}

void tmli_mb_retract(const void *self, const double *q, const double *d, double *out)
{
    const tml_model *m = self;
    for (int i = 0; i < m->nbodies + m->namplitudes; i++) {
        double v[6];
        if (moves_in_plane(m, i)) {
            const double *at = d + m->node[i].first;  // x, y, rz
            retract_in_plane(q + 7 * i, at[0], at[1], at[2], out + 7 * i);
            continue;
        }
        if (tmli_node_translates(&m->node[i])) {
            if (out != q) memcpy(out + 7 * i, q + 7 * i, 7 * sizeof *out);
            for (int k = 0; k < m->node[i].ncoords; k++) out[7 * i + k] += d[m->node[i].first + k];
            continue;
        }
        tmli_node_velocity(m, d, i, v);
        tmli_mb_node_retract(m, i, q + 7 * i, v, out + 7 * i);
    }
    tmli_mb_retract_states(m, q, d, out);
}

void tmli_mb_retract_states(const tml_model *m, const double *q, const double *d, double *out)
{
    for (int i = m->nnodes - m->nz; i < m->nnodes; i++) {
        memmove(out + 7 * i, q + 7 * i, 7 * sizeof *out);
        tmli_integral_retract(1, q + 7 * i, d + m->node[i].first, out + 7 * i);
    }
}

void tmli_mb_local_states(const tml_model *m, const double *q0, const double *q1, double *d)
{
    for (int i = m->nnodes - m->nz; i < m->nnodes; i++)
        tmli_integral_local(1, q0 + 7 * i, q1 + 7 * i, d + m->node[i].first);
}

double tmli_mb_reach(const void *self, const double *q)
{
    const tml_model *m = self;
    double far = m->near;
    for (int i = 0; i < m->nbodies; i++)
        for (int k = 0; k < 3; k++) far = fmax(far, fabs(q[7 * i + k]));
    return far / m->near;
}

void tmli_mb_local(const void *self, const double *q0, const double *q1, double *d)
{
    const tml_model *m = self;
    tmli_mb_local_states(m, q0, q1, d);
    for (int i = 0; i < m->nbodies + m->namplitudes; i++) {
        const tmli_node *node = &m->node[i];
        double v[6];
        if (tmli_node_translates(node)) {
            for (int k = 0; k < node->ncoords; k++) d[node->first + k] = q1[7 * i + k] - q0[7 * i + k];
            continue;
        }
        v3_store(v3_sub(v3_from(q1 + 7 * i), v3_from(q0 + 7 * i)), v);
        v3_store(tmli_so3_log(q_mul(q_conj(q_from(q0 + 7 * i + 3)), q_from(q1 + 7 * i + 3))), v + 3);
        for (int k = 0; k < node->ncoords; k++) d[node->first + k] = v[node->local[k]];
    }
}

// out := v with the rotations of every node multiplied by T of that of d
static void multiply(const tml_model *m, mat3 (*T_of)(vec3 rotation), const double *d, const double *v,
                     double *out)
{
    if (m->planar) {
        memmove(out, v, (size_t)m->n * sizeof *out);
        return;
    }
    for (int i = 0; i < m->nnodes; i++) {
        const tmli_node *node = &m->node[i];
        double y[6], x[6];
        tmli_node_velocity(m, v, i, y);
        tmli_node_velocity(m, d, i, x);
        const mat3 T = T_of(v3_from(x + 3));
        v3_store(m3_mulv(&T, v3_from(y + 3)), y + 3);
        for (int k = 0; k < node->ncoords; k++) out[node->first + k] = y[node->local[k]];
    }
}

void tmli_mb_tangent_inverse(const void *self, const double *d, const double *u, double *out)
{
    multiply(self, tmli_so3_tangent_inverse, d, u, out);
}

void tmli_mb_tangent(const void *self, const double *d, const double *v, double *out)
{
    multiply(self, tmli_so3_tangent, d, v, out);
}

void tmli_mb_tangent_rate(const void *self, const double *d, const double *v, double *out)
{
    const tml_model *m = self;
    memset(out, 0, (size_t)m->n * sizeof *out);
    for (int i = 0; i < m->nnodes && !m->planar; i++) {
        const tmli_node *node = &m->node[i];
        double y[6], x[6], rate[6] = {0};
        tmli_node_velocity(m, v, i, y);
        tmli_node_velocity(m, d, i, x);
        v3_store(tmli_so3_tangent_rate(v3_from(x + 3), v3_from(y + 3)), rate + 3);
        for (int k = 0; k < node->ncoords; k++) out[node->first + k] = rate[node->local[k]];
    }
}

// From T = 1 - d~/2 + d~ d~/6 - ...
void tmli_mb_tangent_derivatives(const void *self, const double *x, const double *u, double *first,
                                 double *second)
{
    const tml_model *m = self;
    memset(first, 0, (size_t)m->n * sizeof *first);
    memset(second, 0, (size_t)m->n * sizeof *second);
    for (int i = 0; i < m->nnodes && !m->planar; i++) {
        const tmli_node *node = &m->node[i];
        double a[6], b[6], one[6] = {0}, two[6] = {0};
        tmli_node_velocity(m, x, i, a);
        tmli_node_velocity(m, u, i, b);
        const vec3 cross = v3_cross(v3_from(a + 3), v3_from(b + 3));
        v3_store(v3_scale(-0.5, cross), one + 3);
        v3_store(v3_scale(1 / 6.0, v3_cross(v3_from(b + 3), cross)), two + 3);
        for (int k = 0; k < node->ncoords; k++) {
            first[node->first + k] = one[node->local[k]];
            second[node->first + k] = two[node->local[k]];
        }
    }
}

void tmli_mb_compose(const void *self, const double *d1, const double *d2, double *out)
{
    const tml_model *m = self;
    if (m->planar) {
        for (int i = 0; i < m->n; i++) out[i] = d1[i] + d2[i];
        return;
    }
    for (int i = 0; i < m->nnodes; i++) {
        const tmli_node *node = &m->node[i];
        double a[6], b[6];
        tmli_node_velocity(m, d1, i, a);
        tmli_node_velocity(m, d2, i, b);
        v3_store(v3_add(v3_from(a), v3_from(b)), a);
        v3_store(tmli_so3_compose(v3_from(a + 3), v3_from(b + 3)), a + 3);
        for (int k = 0; k < node->ncoords; k++) out[node->first + k] = a[node->local[k]];
    }
}

void tmli_mb_add_turns(const void *self, const double *near, double *d)
{
    const tml_model *m = self;
    for (int i = 0; i < m->nbodies; i++) {
        const tmli_node *node = &m->node[i];
        double x[6], y[6];
        tmli_node_velocity(m, d, i, x);
        tmli_node_velocity(m, near, i, y);
        v3_store(tmli_so3_add_turns(v3_from(x + 3), v3_from(y + 3)), x + 3);
        for (int k = 0; k < node->ncoords; k++)
            if (node->local[k] >= 3) d[node->first + k] = x[node->local[k]];
    }
}

// ---- counted angles ---------------------------------------------------------------------------------------

// Bodies rotate by a and b (body frames) at constant angular velocities, from the attitudes A and B.
typedef struct rotations {
    vec3 a, b;
    mat3 A, B;
} rotations;

static void attitudes(const void *user, double s, mat3 *A, mat3 *B)
{
    const rotations *r = user;
    const mat3 a = q_matrix(tmli_so3_exp(v3_scale(s, r->a))), b = q_matrix(tmli_so3_exp(v3_scale(s, r->b)));
    *A = m3_mul(&r->A, &a);
    *B = m3_mul(&r->B, &b);
}

static vec3 rotation_of(const tml_model *m, const double *d, int node)
{
    double v[6];
    tmli_node_velocity(m, d, node, v);
    return v3_from(v + 3);
}

static mat3 attitude_of(const double *q, int node)
{
    return node < 0 ? m3_identity() : q_matrix(q_from(q + 7 * node + 3));
}

double tmli_mb_turning_by(const double *q, const tmli_measure_use *use, const vec3 th[2])
{
    rotations r = {.a = th[0], .b = th[1]};
    const double two_pi = 6.28318530717958647692, size_a = v3_norm(r.a), size_b = v3_norm(r.b);
    if (tmli_turning_is_small(size_a + size_b)) return 0;
    r.A = attitude_of(q, use->node[0]);
    r.B = attitude_of(q, use->node[1]);
    const vec3 n = tmli_turning_axis(&use->measure, &r.A, &r.B), a = m3_mulv(&r.A, r.a),
               b = m3_mulv(&r.B, r.b);
    const double along_a = v3_dot(n, a), along_b = v3_dot(n, b);
    // seen from A, B rotates with the angular velocity exp(-s a) (b - a), whose size is constant: bodies that
    // rotate together do not turn relative to each other
    const tmli_turning path = {.size = v3_norm(v3_sub(b, a)),
                               .along = along_b - along_a,
                               .across = v3_norm(v3_axpy(-along_a, n, a)) + v3_norm(v3_axpy(-along_b, n, b)),
                               .period = size_a == 0 || size_b == 0 ? two_pi / (size_a + size_b) : 0,
                               .attitudes = attitudes,
                               .user = &r};
    return tmli_turning_change(&use->measure, &path);
}

double tmli_mb_turning(const tml_model *m, const double *q, const double *d, const tmli_measure_use *use)
{
    const vec3 th[2] = {rotation_of(m, d, use->node[0]), rotation_of(m, d, use->node[1])};
    return tmli_mb_turning_by(q, use, th);
}

// No angle can turn far over the increment d: the sum of all rotations of its bodies is small.
bool tmli_mb_turns_little(const tml_model *m, const double *d)
{
    double sum = 0;
    for (int i = 0; i < m->nrotations; i++) sum += fabs(d[m->rotation[i]]);
    return tmli_turning_is_small(sum);
}

void tmli_mb_count(const void *self, const tml_state *x0, const double *d, double *angle)
{
    const tml_model *m = self;
    const bool little = tmli_mb_turns_little(m, d);
    if (little) {
        if (angle == x0->angle) return;
        memcpy(angle, x0->angle, (size_t)m->nangles * sizeof *angle);
        return;
    }
    for (int i = 0; i < m->nangles; i++)
        angle[i] = x0->angle[i] + tmli_mb_turning(m, x0->q, d, &m->measure_use[m->counted[i]]);
}
