// Keys of the maps `friction`, `limits` and `motor` of joints.
#include "spec/schema_tables.h"

#define FRICTION(m) offsetof(tml_friction_def, m)
#define LIMITS(m) offsetof(tml_limits_def, m)
#define MOTOR(m) offsetof(tml_motor_def, m)

const tmli_key_choice tmli_friction_laws[] = {
    {"coulomb", TML_FRICTION_COULOMB,
     "sticks exactly, slips with a force of its own; Stribeck and viscous parts"},
    {"lugre", TML_FRICTION_LUGRE, "bristles with a state of their own"},
    {"regularized", TML_FRICTION_REGULARIZED,
     "a smooth function of the speed, which creeps instead of sticking"},
    {NULL, 0, NULL},
};

static const tmli_field friction_fields[] = {
    FIELD("law", CHOICE, ANY, "", "coulomb", FRICTION(law), "law of friction ([friction](friction.md))",
          .choices = tmli_friction_laws),
    FIELD("coulomb", NUMBER, NONNEGATIVE, "N or N m", "coefficient * load", FRICTION(coulomb),
          "force while it slips"),
    FIELD("static", NUMBER, NONNEGATIVE, "N or N m", "that of slip", FRICTION(static_force),
          "largest force while it sticks"),
    FIELD("coefficient", NUMBER, NONNEGATIVE, "", "none", FRICTION(coefficient),
          "coefficient of friction, instead of `coulomb`"),
    FIELD("static_coefficient", NUMBER, NONNEGATIVE, "", "that of slip", FRICTION(static_coefficient),
          "the same for `static`"),
    FIELD("load", LOAD, NONNEGATIVE, "N", "none", FRICTION(load),
          "normal load of the coefficients: a constant, or the force that the joint transmits",
          .flag = FRICTION(load_of_reaction)),
    FIELD("radius", NUMBER, POSITIVE, "m", "none", FRICTION(radius),
          "along an angle: radius at which the load acts"),
    FIELD("stribeck", NUMBER, POSITIVE, "m/s or rad/s", "none", FRICTION(stribeck),
          "speed over which the force falls from `static` to `coulomb`; without it: at once"),
    FIELD("viscous", NUMBER, NONNEGATIVE, "N s/m or N m s/rad", "0", FRICTION(viscous),
          "additional force per speed"),
    FIELD("bristle_stiffness", NUMBER, POSITIVE, "N/m or N m/rad", "none", FRICTION(bristle_stiffness),
          "lugre: stiffness of the bristles, sigma_0"),
    FIELD("bristle_damping", NUMBER, NONNEGATIVE, "N s/m or N m s/rad", "0", FRICTION(bristle_damping),
          "lugre: damping of the bristles, sigma_1"),
    FIELD("creep", NUMBER, POSITIVE, "m/s or rad/s", "none", FRICTION(creep),
          "regularized: speed at which 76 % of the force is reached"),
};
const tmli_schema tmli_schema_friction =
    SCHEMA(VALUE, "friction", NULL, friction_fields, sizeof(tml_friction_def), NULL,
           "Friction along the first coordinate of a joint, the value of its key `friction` "
           "([friction](friction.md)).");

static const tmli_field limit_fields[] = {
    FIELD("lower", NUMBER, ANY, "m or rad", "none", LIMITS(lower),
          "least value of the coordinate without a force"),
    FIELD("upper", NUMBER, ANY, "m or rad", "none", LIMITS(upper),
          "greatest value of the coordinate without a force"),
    FIELD("stiffness", NUMBER, POSITIVE, "N/m or N m/rad", "none", LIMITS(stiffness),
          "compliant limits: force per way beyond a limit"),
    FIELD("damping", NUMBER, NONNEGATIVE, "N s/m or N m s/rad", "0", LIMITS(damping),
          "compliant limits: force per speed beyond a limit; the sum never pulls"),
    FIELD("restitution", NUMBER, UNIT, "", "none", LIMITS(restitution),
          "rigid limits: rate after an impact over the rate before it, 0 (none) to 1 (no loss)"),
};
const tmli_schema tmli_schema_limits =
    SCHEMA(VALUE, "limits", NULL, limit_fields, sizeof(tml_limits_def), NULL,
           "Limits of the first coordinate of a joint, the value of its key `limits`: compliant with "
           "`stiffness`, rigid with `restitution` ([friction](friction.md)).");

static const tmli_field motor_fields[] = {
    FIELD("position", EXPRESSION, ANY, "m or rad", "none", MOTOR(position),
          "target of the coordinate, an expression of t and any state, input or coordinate"),
    FIELD("speed", EXPRESSION, ANY, "m/s or rad/s", "0", MOTOR(speed), "target of its rate, the same"),
    FIELD("command", EXPRESSION, ANY, "N or N m", "none", MOTOR(command), "force or torque, the same"),
    FIELD("stiffness", NUMBER, NONNEGATIVE, "N/m or N m/rad", "0", MOTOR(stiffness),
          "force per deviation from `position`"),
    FIELD("damping", NUMBER, NONNEGATIVE, "N s/m or N m s/rad", "0", MOTOR(damping),
          "force per deviation of the rate from `speed`"),
    FIELD("limit", NUMBER, POSITIVE, "N or N m", "none", MOTOR(limit), "largest force or torque"),
    FIELD("lag", NUMBER, NONNEGATIVE, "s", "0", MOTOR(lag),
          "time constant with which the force follows, by the state JOINT_motor_lag"),
};
const tmli_schema tmli_schema_motor =
    SCHEMA(VALUE, "motor", NULL, motor_fields, sizeof(tml_motor_def), NULL,
           "A motor with its controller, the value of the key `motor` of a joint: the force "
           "stiffness (position - coordinate) + damping (speed - rate) + command, within `limit`, as the "
           "channel JOINT_motor.force, whose sign is that of a spring: positive against the coordinate.");
