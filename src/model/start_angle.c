// The turn on which a counted angle starts.
//
// Poses tell an angle up to full turns. What the user states decides: the angle of a joint at the start, or
// the first value of a driver, holds for every angle about the same axis between the same two bodies.
// Otherwise angles start between -pi and pi. For springs, a body that is given rotated by more than half a
// turn relative to an unrotated one, by 200 deg or -270 deg, has that angle to it: the sign of its quaternion
// tells.
#include "element/joint/turning.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>

#include "base/tolerances.h"
#include "model/constants.h"

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

// A stated angle selects full turns alone: another one than that of the poses is not taken.
void tmli_model_warn_of_angle(const tml_model *m, int use, const char *joint, tml_mark at)
{
    const tmli_measure_use *u = &m->measure_use[use];
    const double placed = angle_of(m, u).value, counted = tmli_model_start_value(m, u), deg = 360 / TWO_PI;
    if (!(fabs(counted - u->start) > OTHER_ANGLE)) return;
    char place[TML_ERROR_FILE + 32] = "";
    if (at.file) snprintf(place, sizeof place, "%s:%d:%d: ", at.file, at.line, at.col);
    tmli_log(
        &m->env, TML_LOG_WARNING,
        "%s'angle' of joint '%s' is %.4g deg, but its frames are placed at %.4g deg: it selects full turns "
        "alone, and the joint starts at %.4g deg",
        place, joint, deg * u->start, deg * placed, deg * counted);
}

bool tmli_model_stated_start(const tml_model *m, const tmli_measure_use *use, double *start)
{
    const angle_at_start own = angle_of(m, use);
    bool found = false;
    // the lists descend: the last one found was stated first
    for (int i = tmli_model_first_use(m, use->node[0], use->node[1]); i >= 0; i = m->measure_use[i].next) {
        const tmli_measure_use *other = &m->measure_use[i];
        const bool same = other->node[0] == use->node[0] && other->node[1] == use->node[1],
                   reversed = other->node[0] == use->node[1] && other->node[1] == use->node[0];
        if (other == use || !other->stated || !(same || reversed)) continue;
        const angle_at_start at = angle_of(m, other);
        const double along = v3_dot(own.axis, at.axis) * (same ? 1 : -1);
        if (fabs(along) < 1 - TMLI_AGREEMENT) continue;
        const double turns = round((tmli_model_start_value(m, other) - at.value) / TWO_PI);
        *start = own.value + copysign(TWO_PI * turns, along * turns);
        found = true;
    }
    return found;
}

double tmli_model_wound_start(const tml_model *m, const tmli_measure_use *use)
{
    const tmli_pose A = tmli_node_start_pose(m, use->node[0]);
    const double x = angle_of(m, use).value;
    const bool unrotated = use->node[0] < 0 || m->node[use->node[0]].q0[3] == 1;
    // the frames agree without the rotation of b: it is the angle
    const bool agree = fabs(tmli_measure_value(&use->measure, &A, &A)) < TMLI_AGREEMENT;
    if (!unrotated || !agree || use->node[1] < 0) return x;
    const quat p = q_from(m->node[use->node[1]].q0 + 3);
    const double rotation = 2 * atan2(v3_dot(angle_of(m, use).axis, v3(p.e1, p.e2, p.e3)), p.e0);
    return x + TWO_PI * round((rotation - x) / TWO_PI);
}
