// The power of forces without a potential and of driven constraints, for the energy balance. In many models
// it depends on few nodes: those of a motor or of a damper. Only these are given poses here, and only these
// are moved to points within a step.
#include "system/multibody/multibody.h"
#include "system/state/accepted.h"
#include "system/state/quintic.h"

#include <string.h>

tml_status tmli_mb_list_power(tml_model *m, tml_error *err)
{
    const size_t nodes = (size_t)m->nnodes + 1, uses = (size_t)m->nmeasure_uses + 1;
    const bool room = tmli_arena_alloc_all(
        &m->arena, TMLI_ARRAY(m->power, (size_t)m->nforces + 1), TMLI_ARRAY(m->power_node, nodes),
        TMLI_ARRAY(m->driven, (size_t)m->nconstraints + 1), TMLI_ARRAY(m->power_measure, uses),
        TMLI_ARRAY(m->power_angle, uses));
    bool *used = tmli_calloc(&m->env, nodes, sizeof *used);
    if (!room || !used) {
        tmli_free(&m->env, used);
        return tmli_no_memory(err, "model");
    }
    for (int i = 0; i < m->nforces; i++) {
        const tmli_force *f = &m->force[i];
        if (f->ops->conservative && f->ops->conservative(f)) continue;
        m->power[m->npowers++] = i;
        if (f->ops->works) f->ops->works(f, m->works);
        else m->works[f->work] = true;
        for (int s = 0; s < f->plan.nslots; s++) used[f->plan.node[s]] = true;
    }
    m->power_of_bodies = !m->loads;
    for (int i = 0; i < m->nnodes; i++) {
        if (!used[i]) continue;
        m->power_node[m->npower_nodes++] = i;
        m->power_of_bodies = m->power_of_bodies && i < m->nbodies;
    }
    for (int i = 0; i < m->nmeasure_uses; i++) {
        const tmli_measure_use *use = &m->measure_use[i];
        if ((use->node[0] >= 0 && !used[use->node[0]]) || (use->node[1] >= 0 && !used[use->node[1]]))
            continue;
        m->power_measure[m->npower_measures++] = i;
        if (use->angle >= 0) m->power_angle[m->npower_angles++] = use->angle;
    }
    for (int i = 0; i < m->nconstraints; i++)
        if (m->constraint[i].motion) m->driven[m->ndriven++] = i;
    if (m->ndriven > 0) m->works[TMLI_WORK_SUPPLIED] = true;
    if (m->unilateral) m->works[TMLI_WORK_CONTACT] = true;
    tmli_free(&m->env, used);
    return TML_OK;
}

// -lambda' B u with B u = target'
double tmli_mb_driven_power(const tml_model *m, const tml_state *x, const double *lambda)
{
    double power = 0;
    for (int i = 0; i < m->ndriven; i++) {
        const tmli_constraint *c = &m->constraint[m->driven[i]];
        for (int r = 0; r < c->nrows; r++) {
            double jet[3];
            tmli_mb_row_time(c, x, r, jet);
            power -= lambda[c->first + r] * jet[1];
        }
    }
    return power;
}

void tmli_mb_add_driven_power(const tml_model *m, tmli_work *w, const tml_state *x, double *power)
{
    const double driven = tmli_mb_driven_power(m, x, x->lambda);
    *power += driven;
    w->supplied += driven;
}

tml_status tmli_mb_power(const void *self, void *work, const tml_state *x, double *power, tml_error *err)
{
    const tml_model *m = self;
    tmli_work *w = work;
    double potential = 0;
    (void)err;
    *power = w->supplied = w->touching = 0;
    for (int i = 0; i < m->npower_nodes && !w->poses_given; i++)
        tmli_mb_node_pose(x->q, m->power_node[i], w->pose);
    for (int i = 0; i < m->npower_measures && !w->poses_given; i++) w->known[2 * m->power_measure[i]] = NAN;
    for (int i = 0; i < m->npowers; i++)
        tmli_mb_force_energy(m, w, x, &m->force[m->power[i]], &potential, power);
    tmli_mb_add_driven_power(m, w, x, power);
    return TML_OK;
}

void tmli_mb_power_parts(const void *work, double *supplied, double *touching)
{
    const tmli_work *w = work;
    *supplied = w->supplied;
    *touching = w->touching;
}

// ---- within a step ----------------------------------------------------------------------------------------

// Increments of body i from a to x, h [s] later, with its turns, and their derivatives at x; quintic.h, (1).
static void increments_of(const tml_model *m, int i, const tml_state *a, const tml_state *x, double h,
                          double d[3][6])
{
    double u0[6], udot0[6];
    tmli_node_velocity(m, a->u, i, u0);
    tmli_node_velocity(m, a->udot, i, udot0);
    tmli_node_velocity(m, x->u, i, d[1]);
    tmli_node_velocity(m, x->udot, i, d[2]);
    const double *q0 = a->q + 7 * i, *q1 = x->q + 7 * i;
    double near[3];  // as in tmli_state_local
    for (int k = 0; k < 3; k++)
        near[k] = h / 2 * (u0[3 + k] + d[1][3 + k]) + h * h / 12 * (udot0[3 + k] - d[2][3 + k]);
    const vec3 turn =
        tmli_so3_add_turns(tmli_so3_log(q_mul(q_conj(q_from(q0 + 3)), q_from(q1 + 3))), v3_from(near));
    v3_store(v3_sub(v3_from(q1), v3_from(q0)), d[0]);
    v3_store(turn, d[0] + 3);
    if (m->planar) return;  // T = 1
    const mat3 Tinv = tmli_so3_tangent_inverse(turn);
    v3_store(m3_mulv(&Tinv, v3_from(d[1] + 3)), d[1] + 3);
    const vec3 rest = v3_sub(v3_from(d[2] + 3), tmli_so3_tangent_rate(turn, v3_from(d[1] + 3)));
    v3_store(m3_mulv(&Tinv, rest), d[2] + 3);
}

// The polynomials of body i of a planar model, whose quaternions are (e0, 0, 0, e3).
static void fit_in_plane(const tml_model *m, int i, const tml_state *a, const tml_state *x, double h,
                         double *memory)
{
    const int first = m->node[i].first;
    const double *u0 = a->u + first, *udot0 = a->udot + first, *u1 = x->u + first, *udot1 = x->udot + first,
                 *q0 = a->q + 7 * i, *q1 = x->q + 7 * i;
    const double near = h / 2 * (u0[2] + u1[2]) + h * h / 12 * (udot0[2] - udot1[2]);
    const quat turned = {q0[3] * q1[3] + q0[6] * q1[6], 0, 0, q0[3] * q1[6] - q0[6] * q1[3]};
    const double d[3] = {q1[0] - q0[0], q1[1] - q0[1],
                         tmli_so3_add_turns(tmli_so3_log(turned), v3(0, 0, near)).z};
    for (int j = 0; j < 3; j++) {
        const double end[3] = {d[j], u1[j], udot1[j]};
        tmli_quintic_coefficients(h, u0[j], udot0[j], end, memory + 3 * j);
    }
}

void tmli_mb_power_fit(const tml_model *m, const tml_state *a, const tml_state *x, double h, double *memory)
{
    for (int k = 0; k < m->npower_nodes; k++, memory += 18) {
        const int i = m->power_node[k];
        const tmli_node *node = &m->node[i];
        double d[3][6];
        if (m->planar && node->ncoords == 3) {
            fit_in_plane(m, i, a, x, h, memory);
            continue;
        }
        increments_of(m, i, a, x, h, d);
        for (int j = 0; j < node->ncoords; j++) {
            const int at = node->local[j];
            const double end[3] = {d[0][at], d[1][at], d[2][at]};
            tmli_quintic_coefficients(h, a->u[node->first + j], a->udot[node->first + j], end,
                                      memory + 3 * j);
        }
    }
}

void tmli_mb_power_move(const tml_model *m, const tml_state *a, const tml_state *x, double h, double theta,
                        const double *memory, tml_state *out)
{
    out->t = a->t + theta * h;
    memcpy(out->mode, a->mode, (size_t)m->nmodes * sizeof *out->mode);
    tmli_state_copy_inputs(out, a);
    for (int k = 0; k < m->npower_angles; k++) {  // they say which turn an angle is on, nothing else
        const int i = m->power_angle[k];
        out->angle[i] = a->angle[i] + theta * (x->angle[i] - a->angle[i]);
    }
    for (int k = 0; k < m->npower_nodes; k++, memory += 18) {
        const int i = m->power_node[k];
        const tmli_node *node = &m->node[i];
        double d[6] = {0}, *v = out->u + node->first;
        for (int j = 0; j < node->ncoords; j++)
            tmli_quintic_value(h, a->u[node->first + j], a->udot[node->first + j], memory + 3 * j, theta,
                               &d[node->local[j]], &v[j]);
        tmli_mb_node_retract(m, i, a->q + 7 * i, d, out->q + 7 * i);
        if (node->ncoords == 6) {
            const mat3 T = tmli_so3_tangent(v3_from(d + 3));
            v3_store(m3_mulv(&T, v3_from(v + 3)), v + 3);
        }
    }
}
