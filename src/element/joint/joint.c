// The joint catalogue.
//
//   type               rows (all = 0)                                coordinates
//   spherical          d.ex  d.ey  d.ez  (inertial components)       -
//   fixed              spherical, x_a.y_b  y_a.z_b  z_a.x_b          -
//   revolute           spherical, z_a.x_b  z_a.y_b                   angle
//   universal          spherical, x_a.y_b                            angle1 (about x_a), angle2 (about y_b)
//   constant-velocity  spherical, x_a.y_b - y_a.x_b                  -
//   cylindrical        z_a.x_b  z_a.y_b  x_a.d  y_a.d                angle, distance
//   prismatic          cylindrical, x_a.y_b                          distance
//   screw              cylindrical, z_a.d - pitch/(2 pi) angle - start  angle, distance
//   planar             z_a.x_b  z_a.y_b  z_a.d                       angle, x, y
//   point-on-line      x_a.d  y_a.d                                  distance
//   point-on-plane     z_a.d                                         x, y
//   distance           d.d/(2 l) - l/2                               distance
//   parallel           z_a.x_b  z_a.y_b                              angle
//   perpendicular      z_a.z_b                                       -
//
// The rows of each joint have full rank at Phi = 0. The three rotation rows of `fixed` are independent there:
// their gradients are rotations about three different axes. The constant-velocity row states that the
// rotation from a to b has no twist about the bisector of the z axes: its skew part R_12 - R_21 vanishes, so
// its rotation vector has no z component. The rows for common points use inertial axes (d.e), not the axes of
// a: they are linear in the positions.
#include "element/joint/joint.h"

#include <math.h>

static vec3 axis_of(const tmli_marker *m, int k) { return m3_col(&m->C, k); }

static tmli_measure between(tmli_measure_kind kind, const tmli_marker *a, const tmli_marker *b)
{
    return (tmli_measure){.kind = kind, .s_A = a->s, .s_B = b->s};
}

tmli_measure tmli_measure_coord(const tmli_marker *a, const tmli_marker *b, vec3 e)
{
    tmli_measure m = between(TMLI_COORD, a, b);
    m.a = e;
    return m;
}

tmli_measure tmli_measure_distance(const tmli_marker *a, const tmli_marker *b)
{
    return between(TMLI_LENGTH, a, b);
}

tmli_measure tmli_measure_slide(const tmli_marker *a, const tmli_marker *b, int axis)
{
    tmli_measure m = between(TMLI_DOT2, a, b);
    m.a = axis_of(a, axis);
    return m;
}

static tmli_measure dot1(const tmli_marker *a, int ka, const tmli_marker *b, int kb)
{
    tmli_measure m = between(TMLI_DOT1, a, b);
    m.a = axis_of(a, ka);
    m.b = axis_of(b, kb);
    return m;
}

// atan2( sin_a . sin_b, cos_a . cos_b ) with axes given by number
static tmli_measure angle(const tmli_marker *a, const tmli_marker *b, int sin_a, int sin_b, int cos_a,
                          int cos_b)
{
    tmli_measure m = between(TMLI_ANGLE, a, b);
    m.a = axis_of(a, sin_a);
    m.b = axis_of(b, sin_b);
    m.a2 = axis_of(a, cos_a);
    m.b2 = axis_of(b, cos_b);
    return m;
}

tmli_measure tmli_measure_twist(const tmli_marker *a, const tmli_marker *b)
{
    return angle(a, b, 1, 0, 0, 0);  // sin = y_a.x_b, cos = x_a.x_b
}

static void add_term(tmli_joint_rows *out, int row, double coef, tmli_measure m)
{
    out->term[out->nterms++] =
        (tmli_term){.measure = m, .coef = coef, .row = row, .counted = m.kind == TMLI_ANGLE};
}

static void add_row(tmli_joint_rows *out, tmli_measure m) { add_term(out, out->nrows++, 1, m); }

static void add_common_point(tmli_joint_rows *out, const tmli_marker *a, const tmli_marker *b)
{
    add_row(out, tmli_measure_coord(a, b, v3(1, 0, 0)));
    add_row(out, tmli_measure_coord(a, b, v3(0, 1, 0)));
    add_row(out, tmli_measure_coord(a, b, v3(0, 0, 1)));
}

static void add_parallel_z(tmli_joint_rows *out, const tmli_marker *a, const tmli_marker *b)
{
    add_row(out, dot1(a, 2, b, 0));
    add_row(out, dot1(a, 2, b, 1));
}

static void add_on_line(tmli_joint_rows *out, const tmli_marker *a, const tmli_marker *b)
{
    add_row(out, tmli_measure_slide(a, b, 0));
    add_row(out, tmli_measure_slide(a, b, 1));
}

static void add_coord(tmli_joint_rows *out, const char *suffix, const char *rate, const char *unit,
                      tmli_measure m)
{
    out->coord[out->ncoords++] = (tmli_joint_coord){suffix, rate, unit, m};
}

static void add_angle(tmli_joint_rows *out, const tmli_marker *a, const tmli_marker *b)
{
    add_coord(out, "angle", "rate", "rad", tmli_measure_twist(a, b));
}

static void add_slide(tmli_joint_rows *out, const tmli_marker *a, const tmli_marker *b)
{
    add_coord(out, "distance", "speed", "m", tmli_measure_slide(a, b, 2));
}

static void add_in_plane_coords(tmli_joint_rows *out, const tmli_marker *a, const tmli_marker *b)
{
    add_coord(out, "px", "px_rate", "m", tmli_measure_slide(a, b, 0));
    add_coord(out, "py", "py_rate", "m", tmli_measure_slide(a, b, 1));
}

// Joints with a common point.
static void build_common_point(tml_joint_type type, const tmli_marker *a, const tmli_marker *b,
                               tmli_joint_rows *out)
{
    add_common_point(out, a, b);
    switch (type) {
    case TML_JOINT_FIXED:
        add_row(out, dot1(a, 0, b, 1));
        add_row(out, dot1(a, 1, b, 2));
        add_row(out, dot1(a, 2, b, 0));
        break;
    case TML_JOINT_REVOLUTE:
        add_parallel_z(out, a, b);
        add_angle(out, a, b);
        break;
    case TML_JOINT_UNIVERSAL:
        add_row(out, dot1(a, 0, b, 1));
        add_coord(out, "angle1", "rate1", "rad", angle(a, b, 2, 1, 1, 1));  // sin = z_a.y_b, cos = y_a.y_b
        add_coord(out, "angle2", "rate2", "rad", angle(a, b, 0, 2, 0, 0));  // sin = x_a.z_b, cos = x_a.x_b
        break;
    case TML_JOINT_CONSTANT_VELOCITY:
        add_row(out, dot1(a, 0, b, 1));
        add_term(out, out->nrows - 1, -1, dot1(a, 1, b, 0));
        break;
    default: break;  // spherical
    }
}

static void build_sliding(tml_joint_type type, const tmli_marker *a, const tmli_marker *b, double pitch,
                          tmli_joint_rows *out)
{
    const double pi = 3.14159265358979323846;
    add_parallel_z(out, a, b);
    add_on_line(out, a, b);
    if (type == TML_JOINT_PRISMATIC) add_row(out, dot1(a, 0, b, 1));
    if (type != TML_JOINT_PRISMATIC) add_angle(out, a, b);
    add_slide(out, a, b);
    if (type == TML_JOINT_SCREW) {
        add_row(out, tmli_measure_slide(a, b, 2));
        add_term(out, out->nrows - 1, -pitch / (2 * pi), tmli_measure_twist(a, b));
    }
}

void tmli_joint_build(tml_joint_type type, const tmli_marker *a, const tmli_marker *b, double length,
                      double pitch, tmli_joint_rows *out)
{
    *out = (tmli_joint_rows){0};
    switch (type) {
    case TML_JOINT_FIXED:
    case TML_JOINT_REVOLUTE:
    case TML_JOINT_SPHERICAL:
    case TML_JOINT_UNIVERSAL:
    case TML_JOINT_CONSTANT_VELOCITY: build_common_point(type, a, b, out); break;
    case TML_JOINT_PRISMATIC:
    case TML_JOINT_CYLINDRICAL:
    case TML_JOINT_SCREW: build_sliding(type, a, b, pitch, out); break;
    case TML_JOINT_PLANAR:
        add_parallel_z(out, a, b);
        add_row(out, tmli_measure_slide(a, b, 2));
        add_angle(out, a, b);
        add_in_plane_coords(out, a, b);
        break;
    case TML_JOINT_POINT_ON_LINE:
        add_on_line(out, a, b);
        add_slide(out, a, b);
        break;
    case TML_JOINT_POINT_ON_PLANE:
        add_row(out, tmli_measure_slide(a, b, 2));
        add_in_plane_coords(out, a, b);
        break;
    case TML_JOINT_DISTANCE: {
        tmli_measure m = between(TMLI_DIST2, a, b);
        m.l0 = length;
        add_row(out, m);
        out->target[0] = length / 2;
        add_coord(out, "distance", "speed", "m", tmli_measure_distance(a, b));
        break;
    }
    case TML_JOINT_PARALLEL:
        add_parallel_z(out, a, b);
        add_angle(out, a, b);
        break;
    case TML_JOINT_PERPENDICULAR: add_row(out, dot1(a, 2, b, 2)); break;
    case TML_JOINT_GEAR:
    case TML_JOINT_RACK:
    case TML_JOINT_DRIVER:
    case TML_JOINT_TYPES: break;
    }
}
