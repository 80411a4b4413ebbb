// Keys of the maps `friction` and `limits` of joints.
#include "spec/schema_tables.h"

#define FRICTION(m) offsetof(tml_friction_def, m)
#define LIMITS(m) offsetof(tml_limits_def, m)

const tmli_key_choice tmli_friction_laws[] = {
    {"coulomb", TML_FRICTION_COULOMB,
     "sticks exactly, slips with a force of its own; Stribeck and viscous parts"},
    {"lugre", TML_FRICTION_LUGRE, "bristles with a state of their own"},
    {"regularized", TML_FRICTION_REGULARIZED,
     "a smooth function of the speed, which creeps instead of sticking"},
    {NULL, 0, NULL},
};

static const tmli_field friction_fields[] = {
    {"law", TMLI_FIELD_CHOICE, TMLI_RANGE_ANY, "", "coulomb", ALL, 0, FRICTION(law), 0, tmli_friction_laws,
     NULL, "law of friction ([friction](friction.md))"},
    {"coulomb", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "N or N m", "coefficient * load", ALL, 0,
     FRICTION(coulomb), 0, NULL, NULL, "force while it slips"},
    {"static", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "N or N m", "that of slip", ALL, 0,
     FRICTION(static_force), 0, NULL, NULL, "largest force while it sticks"},
    {"coefficient", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "", "none", ALL, 0, FRICTION(coefficient), 0,
     NULL, NULL, "coefficient of friction, instead of `coulomb`"},
    {"static_coefficient", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "", "that of slip", ALL, 0,
     FRICTION(static_coefficient), 0, NULL, NULL, "the same for `static`"},
    {"load", TMLI_FIELD_LOAD, TMLI_RANGE_NONNEGATIVE, "N", "none", ALL, 0, FRICTION(load),
     FRICTION(load_of_reaction), NULL, NULL,
     "normal load of the coefficients: a constant, or the force that the joint transmits"},
    {"radius", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "m", "none", ALL, 0, FRICTION(radius), 0, NULL, NULL,
     "along an angle: radius at which the load acts"},
    {"stribeck", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "m/s or rad/s", "none", ALL, 0, FRICTION(stribeck),
     0, NULL, NULL, "speed over which the force falls from `static` to `coulomb`; without it: at once"},
    {"viscous", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "N s/m or N m s/rad", "0", ALL, 0,
     FRICTION(viscous), 0, NULL, NULL, "additional force per speed"},
    {"bristle_stiffness", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "N/m or N m/rad", "none", ALL, 0,
     FRICTION(bristle_stiffness), 0, NULL, NULL, "lugre: stiffness of the bristles, sigma_0"},
    {"bristle_damping", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "N s/m or N m s/rad", "0", ALL, 0,
     FRICTION(bristle_damping), 0, NULL, NULL, "lugre: damping of the bristles, sigma_1"},
    {"creep", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "m/s or rad/s", "none", ALL, 0, FRICTION(creep), 0,
     NULL, NULL, "regularized: speed at which 76 % of the force is reached"},
};
const tmli_schema tmli_schema_friction = {TMLI_SCHEMA_VALUE,
                                          "friction",
                                          "Friction along the first coordinate of a joint, the value of its "
                                          "key `friction` ([friction](friction.md)).",
                                          NULL,
                                          COUNT(friction_fields),
                                          friction_fields,
                                          sizeof(tml_friction_def),
                                          NULL};

static const tmli_field limit_fields[] = {
    {"lower", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "m or rad", "none", ALL, 0, LIMITS(lower), 0, NULL, NULL,
     "least value of the coordinate without a force"},
    {"upper", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "m or rad", "none", ALL, 0, LIMITS(upper), 0, NULL, NULL,
     "greatest value of the coordinate without a force"},
    {"stiffness", TMLI_FIELD_NUMBER, TMLI_RANGE_POSITIVE, "N/m or N m/rad", "none", ALL, 0, LIMITS(stiffness),
     0, NULL, NULL, "compliant limits: force per way beyond a limit"},
    {"damping", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "N s/m or N m s/rad", "0", ALL, 0, LIMITS(damping),
     0, NULL, NULL, "compliant limits: force per speed beyond a limit; the sum never pulls"},
    {"restitution", TMLI_FIELD_NUMBER, TMLI_RANGE_UNIT, "", "none", ALL, 0, LIMITS(restitution), 0, NULL,
     NULL, "rigid limits: rate after an impact over the rate before it, 0 (none) to 1 (no loss)"},
};
const tmli_schema tmli_schema_limits = {TMLI_SCHEMA_VALUE,
                                        "limits",
                                        "Limits of the first coordinate of a joint, the value of its key "
                                        "`limits`: compliant with `stiffness`, rigid "
                                        "with `restitution` ([friction](friction.md)).",
                                        NULL,
                                        COUNT(limit_fields),
                                        limit_fields,
                                        sizeof(tml_limits_def),
                                        NULL};
