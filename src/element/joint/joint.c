// The joint catalogue, and what its types share.
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
//   pose               those given of its coordinates                x, y, z, roll, pitch, yaw
//   knife-edge         z_a.d, and at velocity level y_b.v            px, py
//   wheel              z_a.d - r |z_a x z_b| - tread, and at velocity level x_a.s  y_a.s      px, py
//
// v is the velocity of the origin of b relative to a, s that of the material point of b at the contact.
//
// The rows of each joint have full rank at Phi = 0. The three rotation rows of `fixed` are independent there:
// their gradients are rotations about three different axes. The constant-velocity row states that the
// rotation from a to b has no twist about the bisector of the z axes: its skew part R_12 - R_21 vanishes, so
// its rotation vector has no z component. The rows for common points use inertial axes (d.e), not the axes of
// a: they are linear in the positions.
#include "element/joint/joint.h"

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

tmli_measure tmli_measure_dot(const tmli_marker *a, int ka, const tmli_marker *b, int kb)
{
    tmli_measure m = between(TMLI_DOT1, a, b);
    m.a = axis_of(a, ka);
    m.b = axis_of(b, kb);
    return m;
}

tmli_measure tmli_measure_angle(const tmli_marker *a, const tmli_marker *b, int sin_a, int sin_b, int cos_a,
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
    return tmli_measure_angle(a, b, 1, 0, 0, 0);  // sin = y_a.x_b, cos = x_a.x_b
}

tmli_measure tmli_measure_tilt(const tmli_marker *a, int ka, const tmli_marker *b, int kb)
{
    tmli_measure m = between(TMLI_ARCSINE, a, b);
    m.a = v3_scale(-1, axis_of(a, ka));
    m.b = axis_of(b, kb);
    return m;
}

tmli_measure tmli_measure_rolling(const tmli_marker *a, const tmli_marker *b, int axis, double radius,
                                  double tread)
{
    tmli_measure m = between(TMLI_SLIP, a, b);
    m.a = axis_of(a, axis);
    m.a2 = axis_of(a, 2);
    m.b2 = axis_of(b, 2);
    m.l0 = radius;
    m.l1 = tread;
    return m;
}

tmli_measure tmli_measure_skid(const tmli_marker *a, const tmli_marker *b, int axis)
{
    tmli_measure m = between(TMLI_SLIP, a, b);
    m.b = axis_of(b, axis);
    return m;
}

tmli_measure tmli_measure_sine(const tmli_marker *a, const tmli_marker *b)
{
    tmli_measure m = tmli_measure_dot(a, 2, b, 2);
    m.kind = TMLI_SINE;
    return m;
}

tmli_measure tmli_measure_squared(const tmli_marker *a, const tmli_marker *b, double length)
{
    tmli_measure m = between(TMLI_DIST2, a, b);
    m.l0 = length;
    return m;
}

// ---- rows and coordinates ---------------------------------------------------------------------------------

void tmli_joint_add_term(tmli_joint_rows *out, int row, double coef, tmli_measure m)
{
    out->term[out->nterms++] =
        (tmli_term){.measure = m, .coef = coef, .row = row, .coord = m.kind == TMLI_ANGLE ? 0 : -1};
}

void tmli_joint_add_row(tmli_joint_rows *out, tmli_measure m)
{
    tmli_joint_add_term(out, out->nrows++, 1, m);
}

void tmli_joint_add_rate_row(tmli_joint_rows *out, tmli_measure m)
{
    out->rate[out->nrows] = true;
    tmli_joint_add_row(out, m);
}

void tmli_joint_add_common_point(tmli_joint_rows *out, const tmli_marker *a, const tmli_marker *b)
{
    tmli_joint_add_row(out, tmli_measure_coord(a, b, v3(1, 0, 0)));
    tmli_joint_add_row(out, tmli_measure_coord(a, b, v3(0, 1, 0)));
    tmli_joint_add_row(out, tmli_measure_coord(a, b, v3(0, 0, 1)));
}

void tmli_joint_add_parallel_z(tmli_joint_rows *out, const tmli_marker *a, const tmli_marker *b)
{
    tmli_joint_add_row(out, tmli_measure_dot(a, 2, b, 0));
    tmli_joint_add_row(out, tmli_measure_dot(a, 2, b, 1));
    tmli_joint_set_branch(out, a, b, 2, 2, 0);
}

void tmli_joint_set_branch(tmli_joint_rows *out, const tmli_marker *a, const tmli_marker *b, int first,
                           int last, double least)
{
    out->branch = (tmli_joint_branch){.count = last - first + 1, .least = least};
    for (int k = first; k <= last; k++) out->branch.dot[k - first] = tmli_measure_dot(a, k, b, k);
}

void tmli_joint_add_on_line(tmli_joint_rows *out, const tmli_marker *a, const tmli_marker *b)
{
    tmli_joint_add_row(out, tmli_measure_slide(a, b, 0));
    tmli_joint_add_row(out, tmli_measure_slide(a, b, 1));
}

void tmli_joint_add_coord(tmli_joint_rows *out, const char *suffix, const char *rate, const char *unit,
                          tmli_measure m)
{
    out->coord[out->ncoords++] = (tmli_joint_coord){suffix, rate, unit, m};
}

void tmli_joint_add_angle(tmli_joint_rows *out, const tmli_marker *a, const tmli_marker *b)
{
    tmli_joint_add_coord(out, "angle", "rate", "rad", tmli_measure_twist(a, b));
}

void tmli_joint_add_slide(tmli_joint_rows *out, const tmli_marker *a, const tmli_marker *b)
{
    tmli_joint_add_coord(out, "distance", "speed", "m", tmli_measure_slide(a, b, 2));
}

void tmli_joint_add_in_plane(tmli_joint_rows *out, const tmli_marker *a, const tmli_marker *b)
{
    tmli_joint_add_coord(out, "px", "px_rate", "m", tmli_measure_slide(a, b, 0));
    tmli_joint_add_coord(out, "py", "py_rate", "m", tmli_measure_slide(a, b, 1));
}

// ---- the catalogue ----------------------------------------------------------------------------------------

#define DECLARE(NAME, name) extern const tmli_joint_ops tmli_joint_##name;
TML_JOINT_TYPE_LIST(DECLARE)
#undef DECLARE

const tmli_joint_ops *tmli_joint_type(tml_joint_type type)
{
#define ENTRY(NAME, name) [TML_JOINT_##NAME] = &tmli_joint_##name,
    static const tmli_joint_ops *const types[TML_JOINT_TYPES] = {TML_JOINT_TYPE_LIST(ENTRY)};
#undef ENTRY
    return types[type];
}

void tmli_joint_build(const tml_joint_def *def, const tmli_marker *a, const tmli_marker *b,
                      tmli_joint_rows *out)
{
    const tmli_joint_ops *ops = tmli_joint_type(def->type);
    *out = (tmli_joint_rows){0};
    if (ops->rows) ops->rows(def, a, b, out);
}
