// Keys of bodies, their frames and orientations.
#include "spec/schema_tables.h"

#define BODY(m) offsetof(tml_body_def, m)
#define FRAME(m) offsetof(tml_frame_def, m)

static const tmli_field body_fields[] = {
    {"mass", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "kg", "by `density`", ALL, 0, BODY(mass), 0, NULL,
     NULL, "mass; required, unless the body has a density"},
    {"density", TMLI_FIELD_NUMBER, TMLI_RANGE_NONNEGATIVE, "kg/m^3", "none", ALL, 0, BODY(density), 0, NULL,
     NULL,
     "instead of mass and inertia: they follow from the shapes of the body, and so does its centre of mass; "
     "position, velocity, frames and shapes are then relative to a frame of your choice, `origin` of the "
     "body; planar: kg/m^2"},
    {"inertia", TMLI_FIELD_INERTIA, TMLI_RANGE_ANY, "kg m^2", "0", ALL, 0, BODY(inertia), 0, NULL, NULL,
     "about the centre of mass in body axes: one number (planar: Jzz; spatial: the same about every axis), "
     "three [Jxx, Jyy, Jzz] or six [Jxx, Jyy, Jzz, Jxy, Jxz, Jyz] entries of the tensor; 0: all mass in one "
     "point (say so: a body with mass and without this key gets a warning if its rotation matters); "
     "rotations that no force or joint determines are kept at rest"},
    {"position", TMLI_FIELD_VECTOR, TMLI_RANGE_ANY, "m", "[0, 0, 0]", ALL, 0, BODY(position), 0, NULL, NULL,
     "centre of mass at the start, inertial frame"},
    {"orientation", TMLI_FIELD_ROTATION, TMLI_RANGE_ANY, "rad", "0", ALL, 0, BODY(orientation), 0, NULL, NULL,
     "body axes at the start, relative to the inertial axes"},
    {"velocity", TMLI_FIELD_VECTOR, TMLI_RANGE_ANY, "m/s", "[0, 0, 0]", ALL, 0, BODY(velocity), 0, NULL, NULL,
     "of the centre of mass at the start, inertial frame"},
    {"angular_velocity", TMLI_FIELD_SPIN, TMLI_RANGE_ANY, "rad/s", "[0, 0, 0]", ALL, 0,
     BODY(angular_velocity), 0, NULL, NULL, "at the start, body frame"},
    {"point", TMLI_FIELD_BOOL, TMLI_RANGE_ANY, "", "false", ALL, 0, BODY(point), 0, NULL, NULL,
     "a point mass: it has no rotation and no inertia, and 3 unknowns instead of 6"},
    {"fixed_at_start", TMLI_FIELD_BOOL, TMLI_RANGE_ANY, "", "false", ALL, 0, BODY(fixed_at_start), 0, NULL,
     NULL, "the assembly of the start does not move this body"},
    {"frames", TMLI_FIELD_FRAMES, TMLI_RANGE_ANY, "", "none", ALL, 0, 0, 0, NULL, &tmli_schema_frame,
     "named points with axes, fixed to the body, relative to its centre of mass, in body axes"},
    {"shape", TMLI_FIELD_SHAPES, TMLI_RANGE_ANY, "", "none", ALL, 0, 0, 0, NULL, &tmli_schema_shape,
     "how it is drawn, short for entries of `shapes` named after the body (BODY, BODY_2, ...)"},
};
const tmli_schema tmli_schema_body = {
    TMLI_SCHEMA_ENTRY,
    "body",
    "A rigid body. The origin of its frame is the centre of mass. The motion of a "
    "body without mass (`mass: 0`) must be determined by joints or forces.",
    NULL,
    COUNT(body_fields),
    body_fields,
    sizeof(tml_body_def),
    &tmli_kind_body};

static const tmli_field frame_fields[] = {
    {"position", TMLI_FIELD_VECTOR, TMLI_RANGE_ANY, "m", "[0, 0, 0]", ALL, 0, FRAME(position), 0, NULL, NULL,
     "relative to the origin of the body frame, in body axes"},
    {"orientation", TMLI_FIELD_ROTATION, TMLI_RANGE_ANY, "rad", "0", ALL, 0, FRAME(orientation), 0, NULL,
     NULL, "frame axes, relative to the body axes"},
    {"shape", TMLI_FIELD_SHAPES, TMLI_RANGE_ANY, "", "none", ALL, 0, 0, 0, NULL, &tmli_schema_shape,
     "short for entries of `shapes` at this frame, named BODY_FRAME, BODY_FRAME_2, ..."},
};
const tmli_schema tmli_schema_frame = {
    TMLI_SCHEMA_MEMBER,
    "frame",
    "A named point with axes on a body or on the ground. `NAME: [x, y, z]` is short for a position alone.",
    NULL,
    COUNT(frame_fields),
    frame_fields,
    sizeof(tml_frame_def),
    &tmli_kind_frame};

static const tmli_field rotation_fields[] = {
    {"axis", TMLI_FIELD_AXIS, TMLI_RANGE_ANY, "", "", ALL, 0, 0, 0, NULL, NULL,
     "rotation axis, any length; with angle"},
    {"angle", TMLI_FIELD_NUMBER, TMLI_RANGE_ANY, "rad", "", ALL, 0, 0, 0, NULL, NULL,
     "rotation angle about axis"},
    {"quaternion", TMLI_FIELD_QUATERNION, TMLI_RANGE_ANY, "", "", ALL, 0, 0, 0, NULL, NULL,
     "[e0, e1, e2, e3], scalar first; normalized"},
    {"euler", TMLI_FIELD_ANGLES, TMLI_RANGE_ANY, "rad", "", ALL, 0, 0, 0, NULL, NULL,
     "three rotations, each about an axis of the frame after the preceding ones"},
    {"sequence", TMLI_FIELD_SEQUENCE, TMLI_RANGE_ANY, "", "zyx", ALL, 0, 0, 0, NULL, NULL,
     "axes of the three rotations of euler, such as zxz, xyz, zyx"},
    {"x", TMLI_FIELD_AXIS, TMLI_RANGE_ANY, "", "", ALL, 0, 0, 0, NULL, NULL,
     "direction of the x axis of the frame; give two of x, y, z"},
    {"y", TMLI_FIELD_AXIS, TMLI_RANGE_ANY, "", "", ALL, 0, 0, 0, NULL, NULL,
     "direction of the y axis of the frame"},
    {"z", TMLI_FIELD_AXIS, TMLI_RANGE_ANY, "", "", ALL, 0, 0, 0, NULL, NULL,
     "direction of the z axis of the frame; it is used exactly (x, if z is not given), and the other one is "
     "made "
     "perpendicular to it"},
};
const tmli_schema tmli_schema_rotation = {TMLI_SCHEMA_VALUE,
                                          "orientation",
                                          "One number (angle about z), or a map in one of four "
                                          "forms: axis and angle; quaternion; euler with sequence; two of "
                                          "x, y, z.",
                                          NULL,
                                          COUNT(rotation_fields),
                                          rotation_fields,
                                          0,
                                          NULL};
