// The turn on which a counted angle starts.
//
// Poses tell an angle up to full turns. What the user states decides: the angle of a joint at the start, or
// the first value of a driver, holds for every angle about the same axis between the same two bodies.
// Otherwise angles start between -pi and pi, but a body that is given rotated by more than half a turn
// relative to an unrotated one, by 200 deg or -270 deg, has that angle to it: the sign of its quaternion
// tells.
#include "element/joint/turning.h"
#include "model/model.h"

#include <math.h>

#include "base/tolerances.h"

static const double TWO_PI = 6.28318530717958647692;

typedef struct angle_at_start {
    double value;  // between -pi and pi [rad]
    vec3 axis;     // inertial
} angle_at_start;

static angle_at_start angle_of(const tml_model *m, const tmli_measure_use *use)
{
    const tmli_pose A = tmli_node_start_pose(m, use->node[0]), B = tmli_node_start_pose(m, use->node[1]);
    return (angle_at_start){tmli_measure_value(&use->measure, &A, &B),
                            tmli_turning_axis(&use->measure, &A.R, &B.R)};
}

double tmli_model_start_value(const tml_model *m, const tmli_measure_use *use)
{
    const double x = angle_of(m, use).value;
    return x + TWO_PI * round((use->start - x) / TWO_PI);
}

bool tmli_model_stated_start(const tml_model *m, const tmli_measure_use *use, double *start)
{
    const angle_at_start own = angle_of(m, use);
    for (int i = 0; i < m->nmeasure_uses; i++) {
        const tmli_measure_use *other = &m->measure_use[i];
        const bool same = other->node[0] == use->node[0] && other->node[1] == use->node[1],
                   reversed = other->node[0] == use->node[1] && other->node[1] == use->node[0];
        if (other == use || !other->stated || !(same || reversed)) continue;
        const angle_at_start at = angle_of(m, other);
        const double along = v3_dot(own.axis, at.axis) * (same ? 1 : -1);
        if (fabs(along) < 1 - TMLI_AGREEMENT) continue;
        const double turns = round((tmli_model_start_value(m, other) - at.value) / TWO_PI);
        *start = own.value + copysign(TWO_PI * turns, along * turns);
        return true;
    }
    return false;
}

// Unit quaternion of a node at the start, as given.
static quat given(const tml_model *m, int node)
{
    return node < 0 ? (quat){1, 0, 0, 0} : q_from(m->node[node].q0 + 3);
}

double tmli_model_wound_start(const tml_model *m, const tmli_measure_use *use, double free)
{
    const quat a = given(m, use->node[0]), p = q_mul(q_conj(a), given(m, use->node[1]));
    const angle_at_start own = angle_of(m, use);
    const mat3 R = q_matrix(a);
    const vec3 axis = m3_tmulv(&R, own.axis);
    // the rotation about the axis by -2 pi .. 2 pi, and the angle of the same frames without it
    const double rotation = 2 * atan2(v3_dot(axis, v3(p.e1, p.e2, p.e3)), p.e0);
    const tmli_pose A = tmli_node_start_pose(m, use->node[0]);
    const double without = tmli_measure_value(&use->measure, &A, &A);
    const double stated = own.value + TWO_PI * round((without + rotation - own.value) / TWO_PI);
    const bool unrotated = a.e0 == 1;
    return unrotated || fabs(stated - free) < fabs(own.value - free) ? stated : own.value;
}
