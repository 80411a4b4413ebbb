// Values of measures and laws at a state, and their derivatives; see view.h.
#include "model/view.h"

#include <math.h>

const tmli_pose tmli_ground_pose = {.R = {{1, 0, 0, 0, 1, 0, 0, 0, 1}}};

double tmli_measure_of(const tml_model *m, const tmli_pose *pose, const tml_state *x, int index, double *u12)
{
    const tmli_measure_use *use = &m->measure_use[index];
    const tmli_pose *A = tmli_pose_of(pose, use->node[0]), *B = tmli_pose_of(pose, use->node[1]);
    const double value = tmli_counted_angle(use, x, tmli_measure_value(&use->measure, A, B));
    if (u12) {
        tmli_node_velocity(m, x->u, use->node[0], u12);
        tmli_node_velocity(m, x->u, use->node[1], u12 + 6);
    }
    return value;
}

// ---- attitudes --------------------------------------------------------------------------------------------

// R = Rz(yaw) Ry(pitch) Rx(roll), body axes to inertial axes. With the angular velocity w in body axes,
//   roll' = wx + tan(pitch) k,   pitch' = cos(roll) wy - sin(roll) wz,   yaw' = k / cos(pitch)
//   k = sin(roll) wy + cos(roll) wz                                                                       (1)
// and small rotations about the body axes change the angles in the same way. At pitch = +-90 degrees roll and
// yaw are not determined, and their rates have no bound.

// row: those of (1), d(angle k)/d(rotation). angle: the three at this pose.
static void attitude_rows(const tmli_pose *x, vec3 row[3], double angle[3])
{
    const double *R = x->R.m;
    const double cp = hypot(R[7], R[8]);
    angle[0] = atan2(R[7], R[8]);
    angle[1] = atan2(-R[6], cp);
    angle[2] = atan2(R[3], R[0]);
    const double s = sin(angle[0]), c = cos(angle[0]);
    row[0] = v3(1, -s * R[6] / cp, -c * R[6] / cp);
    row[1] = v3(0, c, -s);
    row[2] = v3(0, s / cp, c / cp);
}

void tmli_attitude(const tmli_pose *x, vec3 w, double out[6])
{
    vec3 row[3];
    attitude_rows(x, row, out);
    for (int k = 0; k < 3; k++) out[3 + k] = v3_dot(row[k], w);
}

static double attitude_value(const tmli_view *v, const tmli_var *var)
{
    double all[6], u[6];
    tmli_node_velocity(v->m, v->x->u, var->node, u);
    tmli_attitude(tmli_pose_of(v->pose, var->node), v3_from(u + 3), all);
    return all[var->component];
}

// Of a rate also those of the row (1), by roll and pitch.
static void add_attitude_derivative(const tmli_view *v, const tmli_var *var, double weight, double *gd,
                                    double *gu)
{
    double angle[3], u[6];
    const tmli_pose *x = tmli_pose_of(v->pose, var->node);
    vec3 row[3];
    attitude_rows(x, row, angle);
    if (var->slot[0] < 0) return;
    double *to = (var->component < 3 ? gd : gu) + 6 * var->slot[0] + 3;
    v3_store(v3_axpy(weight, row[var->component % 3], v3_from(to)), to);
    if (var->component < 3) return;
    tmli_node_velocity(v->m, v->x->u, var->node, u);
    const double s = sin(angle[0]), c = cos(angle[0]), cp = cos(angle[1]), sp = sin(angle[1]);
    const double k = s * u[4] + c * u[5], dk = c * u[4] - s * u[5];
    const double of_roll[3] = {sp / cp * dk, -k, dk / cp},
                 of_pitch[3] = {k / (cp * cp), 0, k * sp / (cp * cp)};
    const int i = var->component - 3;
    to = gd + 6 * var->slot[0] + 3;
    const vec3 sum = v3_axpy(of_roll[i], row[0], v3_scale(of_pitch[i], row[1]));
    v3_store(v3_axpy(weight, sum, v3_from(to)), to);
}

// ---- laws -------------------------------------------------------------------------------------------------

static double measure_rate(const tmli_view *v, int index)
{
    const tmli_measure_use *use = &v->m->measure_use[index];
    double u12[12], g[12], rate = 0;
    for (int side = 0; side < 2; side++) tmli_node_velocity(v->m, v->x->u, use->node[side], u12 + 6 * side);
    tmli_measure_grad(&use->measure, tmli_pose_of(v->pose, use->node[0]), tmli_pose_of(v->pose, use->node[1]),
                      g);
    for (int i = 0; i < 12; i++) rate += g[i] * u12[i];
    return rate;
}

double tmli_variable_value(const tmli_view *v, const tmli_var *var, const double *local)
{
    double u[6];
    switch (var->kind) {
    case TMLI_VAR_TIME: return v->x->t;
    case TMLI_VAR_INPUT: {
        const double *input = v->x->input + 2 * var->component;
        return input[0] + input[1] * (v->x->t - v->x->input_t);
    }
    case TMLI_VAR_STATE: return v->x->u[v->m->node[var->node].first];
    case TMLI_VAR_MEASURE: return tmli_measure_of(v->m, v->pose, v->x, var->use, NULL);
    case TMLI_VAR_RATE: return measure_rate(v, var->use);
    case TMLI_VAR_OMEGA: tmli_node_velocity(v->m, v->x->u, var->node, u); return u[3 + var->component];
    case TMLI_VAR_ATTITUDE: return attitude_value(v, var);
    case TMLI_VAR_LOCAL: return local[var->component];
    case TMLI_VAR_QUAT:
    case TMLI_VAR_SECOND:
    case TMLI_VAR_ALPHA:
    case TMLI_VAR_REACTION:
    case TMLI_VAR_MULTIPLIER:
    case TMLI_VAR_ACTUATOR:
    case TMLI_VAR_CHANNEL:
    case TMLI_VAR_CONTACT: break;  // of outputs
    }
    return 0;
}

double tmli_law_value(const tmli_view *v, const tmli_expr_vars *law, const double *local)
{
    double values[TMLI_MAX_VARS];
    for (int k = 0; k < law->nvars; k++) values[k] = tmli_variable_value(v, &law->var[k], local);
    return tmli_expr_eval_mode(law->expr, values, tmli_modes(v->x, law->mode));
}

// gd, gu (6 per slot) += derivatives of one variable
static void add_variable_derivative(const tmli_view *v, const tmli_var *var, double weight, double *gd,
                                    double *gu)
{
    if (var->kind == TMLI_VAR_STATE) {
        gu[6 * var->slot[0]] += weight;
        return;
    }
    if (var->kind == TMLI_VAR_OMEGA) {
        if (var->slot[0] >= 0) gu[6 * var->slot[0] + 3 + var->component] += weight;
        return;
    }
    if (var->kind == TMLI_VAR_ATTITUDE) add_attitude_derivative(v, var, weight, gd, gu);
    if (var->kind != TMLI_VAR_MEASURE && var->kind != TMLI_VAR_RATE) return;
    const tmli_measure_use *use = &v->m->measure_use[var->use];
    const tmli_pose *A = tmli_pose_of(v->pose, use->node[0]), *B = tmli_pose_of(v->pose, use->node[1]);
    double g[12], u12[12], row[12];
    tmli_measure_grad(&use->measure, A, B, g);
    double *by_value = var->kind == TMLI_VAR_MEASURE ? gd : gu;
    for (int side = 0; side < 2; side++) tmli_add_slot(by_value, var->slot[side], g + 6 * side, weight);
    if (var->kind == TMLI_VAR_MEASURE) return;
    tmli_measure_of(v->m, v->pose, v->x, var->use, u12);
    tmli_measure_row(&use->measure, A, B, u12, row);
    for (int side = 0; side < 2; side++) tmli_add_slot(gd, var->slot[side], row + 6 * side, weight);
}

double tmli_law_gradient(const tmli_view *v, const tmli_expr_vars *law, const double *local, double *by_local,
                         double *gd, double *gu)
{
    double *const values = v->w->vx, *const by = v->w->vg;
    for (int k = 0; k < law->nvars; k++) values[k] = tmli_variable_value(v, &law->var[k], local);
    const double value = tmli_expr_grad_mode(law->expr, values, tmli_modes(v->x, law->mode), by);
    for (int k = 0; k < law->nvars; k++) {
        if (law->var[k].kind == TMLI_VAR_LOCAL) by_local[law->var[k].component] += by[k];
        else add_variable_derivative(v, &law->var[k], by[k], gd, gu);
    }
    return value;
}
