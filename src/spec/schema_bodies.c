// Keys of bodies, their frames and orientations.
#include "spec/schema_tables.h"

#define BODY(m) offsetof(tml_body_def, m)
#define FRAME(m) offsetof(tml_frame_def, m)

static const tmli_field body_fields[] = {
    FIELD("mass", NUMBER, NONNEGATIVE, "kg", "by `density`", BODY(mass),
          "mass; required, unless the body has a density"),
    FIELD("density", NUMBER, NONNEGATIVE, "kg/m^3", "none", BODY(density),
          "instead of mass and inertia: they follow from the shapes of the body, and so does its centre of "
          "mass; position, velocity, frames and shapes are then relative to a frame of your choice, `origin` "
          "of the body; planar: kg/m^2"),
    FIELD("inertia", INERTIA, ANY, "kg m^2", "0", BODY(inertia),
          "about the centre of mass in body axes: one number (planar: Jzz; spatial: the same about every "
          "axis), three [Jxx, Jyy, Jzz] or six [Jxx, Jyy, Jzz, Jxy, Jxz, Jyz] entries of the tensor; 0: all "
          "mass in one point (say so: a body with mass and without this key gets a warning if its rotation "
          "matters); rotations that no force or joint determines are kept at rest"),
    FIELD("position", VECTOR, ANY, "m", "[0, 0, 0]", BODY(position),
          "centre of mass at the start, inertial frame"),
    FIELD("orientation", ROTATION, ANY, "rad", "0", BODY(orientation),
          "body axes at the start, relative to the inertial axes"),
    FIELD("velocity", VECTOR, ANY, "m/s", "[0, 0, 0]", BODY(velocity),
          "of the centre of mass at the start, inertial frame"),
    FIELD("angular_velocity", SPIN, ANY, "rad/s", "[0, 0, 0]", BODY(angular_velocity),
          "at the start, body frame"),
    FIELD("point", BOOL, ANY, "", "false", BODY(point),
          "a point mass: it has no rotation and no inertia, and 3 unknowns instead of 6"),
    FIELD("fixed_at_start", BOOL, ANY, "", "false", BODY(fixed_at_start),
          "the assembly of the start does not move this body"),
    FIELD("frames", FRAMES, ANY, "", "none", 0,
          "named points with axes, fixed to the body, relative to its centre of mass, in body axes",
          .sub = &tmli_schema_frame),
    FIELD("shape", SHAPES, ANY, "", "none", 0,
          "how it is drawn, short for entries of `shapes` named after the body (BODY, BODY_2, ...)",
          .sub = &tmli_schema_shape),
};
const tmli_schema tmli_schema_body =
    SCHEMA(ENTRY, "body", NULL, body_fields, sizeof(tml_body_def), &tmli_kind_body,
           "A rigid body. The origin of its frame is the centre of mass. The motion of a body without mass "
           "(`mass: 0`) must be determined by joints or forces.");

static const tmli_field frame_fields[] = {
    FIELD("position", VECTOR, ANY, "m", "[0, 0, 0]", FRAME(position),
          "relative to the origin of the body frame, in body axes"),
    FIELD("orientation", ROTATION, ANY, "rad", "0", FRAME(orientation),
          "frame axes, relative to the body axes"),
    FIELD("shape", SHAPES, ANY, "", "none", 0,
          "short for entries of `shapes` at this frame, named BODY_FRAME, BODY_FRAME_2, ...",
          .sub = &tmli_schema_shape),
};
const tmli_schema tmli_schema_frame = SCHEMA(
    MEMBER, "frame", NULL, frame_fields, sizeof(tml_frame_def), &tmli_kind_frame,
    "A named point with axes on a body or on the ground. `NAME: [x, y, z]` is short for a position alone.");

static const tmli_field rotation_fields[] = {
    FIELD("axis", AXIS, ANY, "", "", 0, "rotation axis, any length; with angle"),
    FIELD("angle", NUMBER, ANY, "rad", "", 0, "rotation angle about axis"),
    FIELD("quaternion", QUATERNION, ANY, "", "", 0, "[e0, e1, e2, e3], scalar first; normalized"),
    FIELD("euler", ANGLES, ANY, "rad", "", 0,
          "three rotations, each about an axis of the frame after the preceding ones"),
    FIELD("sequence", SEQUENCE, ANY, "", "zyx", 0,
          "axes of the three rotations of euler, such as zxz, xyz, zyx"),
    FIELD("x", AXIS, ANY, "", "", 0, "direction of the x axis of the frame; give two of x, y, z"),
    FIELD("y", AXIS, ANY, "", "", 0, "direction of the y axis of the frame"),
    FIELD("z", AXIS, ANY, "", "", 0,
          "direction of the z axis of the frame; it is used exactly (x, if z is not given), and the other "
          "one is made perpendicular to it"),
};
const tmli_schema tmli_schema_rotation =
    SCHEMA(VALUE, "orientation", NULL, rotation_fields, 0, NULL,
           "One number (angle about z), or a map in one of four forms: axis and angle; quaternion; euler "
           "with sequence; two of x, y, z.");
