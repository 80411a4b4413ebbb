"""Vectors, rotations and the equations of the joints, written for the campaign: nothing is shared with the
program that it judges.

A joint has a frame on each of its two bodies. Its rows are scalar functions of the two frames that are zero,
each with the coefficients of its rate:
  rate = row.va . v_a + row.wa . w_a + row.vb . v_b + row.wb . w_b
with the velocities of the centres of mass and the angular velocities in inertial axes. Lengths in m.
"""
import math
from collections import namedtuple

Row = namedtuple("Row", "value length va wa vb wb")  # length: the value is a length, otherwise an angle
Pose = namedtuple("Pose", "p R")  # position and rotation matrix (rows), body axes to inertial axes
IDENTITY = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
ZERO = (0.0, 0.0, 0.0)
GROUND = Pose(ZERO, IDENTITY)


def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale(s, a):
    return (s * a[0], s * a[1], s * a[2])


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def norm(a):
    return math.sqrt(dot(a, a))


def unit(a):
    return scale(1 / norm(a), a)


def apply(R, a):
    return (dot(R[0], a), dot(R[1], a), dot(R[2], a))


def transpose(R):
    return tuple(zip(*R))


def multiply(P, Q):
    columns = transpose(Q)
    return tuple(tuple(dot(row, column) for column in columns) for row in P)


def column(R, i):
    return (R[0][i], R[1][i], R[2][i])


def from_axes(x, y, z):
    return transpose((x, y, z))


def frame_about(z, hint=(0.36, 0.48, -0.8)):
    """A right-handed frame with this z axis."""
    z = unit(z)
    if abs(dot(z, hint)) > 0.95:
        hint = (hint[2], hint[0], hint[1])
    x = unit(sub(hint, scale(dot(hint, z), z)))
    return from_axes(x, cross(z, x), z)


def rotation(axis, angle):
    """Rodrigues' formula."""
    x, y, z = unit(axis)
    c, s = math.cos(angle), math.sin(angle)
    d = 1 - c
    return ((c + d * x * x, d * x * y - s * z, d * x * z + s * y),
            (d * x * y + s * z, c + d * y * y, d * y * z - s * x),
            (d * x * z - s * y, d * y * z + s * x, c + d * z * z))


def from_quaternion(q):
    length = math.sqrt(sum(x * x for x in q))
    w, x, y, z = (a / length for a in q)
    return ((1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)))


def to_quaternion(R):
    """Of a rotation matrix; the largest component decides about the form."""
    t = R[0][0] + R[1][1] + R[2][2]
    squares = (1 + t, 1 + 2 * R[0][0] - t, 1 + 2 * R[1][1] - t, 1 + 2 * R[2][2] - t)  # 4 q_i^2
    k = squares.index(max(squares))
    s = 2 * math.sqrt(squares[k])
    c = (R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1])
    if k == 0:
        q = (s / 4, c[0] / s, c[1] / s, c[2] / s)
    else:
        i, j, m = ((0, 1, 2), (1, 2, 0), (2, 0, 1))[k - 1]
        q = [c[i] / s, 0, 0, 0]
        q[1 + i], q[1 + j], q[1 + m] = s / 4, (R[j][i] + R[i][j]) / s, (R[m][i] + R[i][m]) / s
    return q if q[0] >= 0 else [-x for x in q]


def rotation_vector(R):
    q = to_quaternion(R)
    s = math.sqrt(q[1] ** 2 + q[2] ** 2 + q[3] ** 2)
    factor = 2 * math.atan2(s, q[0]) / s if s > 1e-300 else 2.0
    return (factor * q[1], factor * q[2], factor * q[3])


def angle_between(P, Q):
    """Angle of the rotation from P to Q [rad]."""
    return norm(rotation_vector(multiply(transpose(P), Q)))


def place(body, frame):
    """The frame of a body in inertial axes."""
    return Pose(add(body.p, apply(body.R, frame.p)), multiply(body.R, frame.R))


def local(body, frame):
    """An inertial frame relative to a body."""
    back = transpose(body.R)
    return Pose(apply(back, sub(frame.p, body.p)), multiply(back, frame.R))


class Pair:
    """Two joint frames f, g on bodies with the poses A, B, and the rows that joints are made of."""

    def __init__(self, A, B, f, g):
        self.f, self.g = place(A, f), place(B, g)
        self.d = sub(self.g.p, self.f.p)
        self.rb = sub(self.g.p, B.p)
        self.ra_to_b = sub(self.g.p, A.p)  # origin of g from the centre of mass of A
        self.ra = sub(self.f.p, A.p)

    def meet(self, direction):
        """Origins coincide along a direction fixed in the inertial frame."""
        e = direction
        return Row(dot(e, self.d), True, scale(-1, e), scale(-1, cross(self.ra, e)), e, cross(self.rb, e))

    def along(self, i):
        """Origin of g in the plane across axis i of f: u.d, whose rate contains the rotation of u."""
        u = column(self.f.R, i)
        return Row(dot(u, self.d), True, scale(-1, u), scale(-1, cross(self.ra_to_b, u)), u,
                   cross(self.rb, u))

    def square(self, i, j):
        """Axis i of f perpendicular to axis j of g."""
        u, w = column(self.f.R, i), column(self.g.R, j)
        n = cross(u, w)
        return Row(dot(u, w), False, ZERO, n, ZERO, scale(-1, n))

    def same_side(self, i):
        """Not a row of its own: axis i of f and g point to the same side, a half turn is not accepted."""
        ok = dot(column(self.f.R, i), column(self.g.R, i)) > 0
        return Row(0.0 if ok else 2.0, False, ZERO, ZERO, ZERO, ZERO)

    def origins(self):
        return [self.meet(column(IDENTITY, i)) for i in range(3)]

    def parallel(self):
        return [self.square(0, 2), self.square(1, 2), self.same_side(2)]

    def aligned(self):
        return [self.square(0, 1), self.square(1, 2), self.square(2, 0)] + \
            [self.same_side(i) for i in range(3)]

    def angle(self):
        """Angle about z from f to g in (-pi, pi]; the rate is that of parallel axes."""
        x = column(self.g.R, 0)
        z = column(self.f.R, 2)
        value = math.atan2(dot(column(self.f.R, 1), x), dot(column(self.f.R, 0), x))
        return Row(value, False, ZERO, scale(-1, z), ZERO, z)

    def distance(self, length):
        d = norm(self.d)
        e = unit(self.d)
        row = self.meet(e)
        return row._replace(value=d - length)


def combine(first, factor, second):
    """first + factor second, where both are rows of the same two bodies."""
    return Row(first.value + factor * second.value, first.length,
               *(add(a, scale(factor, b)) for a, b in zip(first[2:], second[2:])))


def constant_velocity(pair):
    """Equal rotation about both z axes: the twist 2 atan2(q3, q0) of the relative rotation is zero; the row
    x_a.y_b - y_a.x_b, which the twist of a half turn also satisfies, gives the rate."""
    row = combine(pair.square(0, 1), -1, pair.square(1, 0))
    q = to_quaternion(multiply(transpose(pair.f.R), pair.g.R))
    return row._replace(value=2 * math.atan2(q[3], q[0]))


def screw(pair, pitch):
    """Translation = pitch * turns; the number of turns is not seen here, so modulo one turn."""
    row = combine(pair.along(2), -pitch / (2 * math.pi), pair.angle())
    return row._replace(value=row.value - pitch * round(row.value / pitch))


def joint_rows(joint, A, B):
    """The rows of a joint of two frames, at two poses."""
    kind = joint["type"]
    pair = Pair(A, B, joint["f"], joint["g"])
    return {
        "fixed": lambda: pair.origins() + pair.aligned(),
        "revolute": lambda: pair.origins() + pair.parallel(),
        "prismatic": lambda: [pair.along(0), pair.along(1)] + pair.aligned(),
        "cylindrical": lambda: [pair.along(0), pair.along(1)] + pair.parallel(),
        "spherical": pair.origins,
        "universal": lambda: pair.origins() + [pair.square(0, 1)],
        "constant-velocity": lambda: pair.origins() + [constant_velocity(pair)],
        "planar": lambda: [pair.along(2)] + pair.parallel(),
        "point-on-line": lambda: [pair.along(0), pair.along(1)],
        "point-on-plane": lambda: [pair.along(2)],
        "distance": lambda: [pair.distance(joint["length"])],
        "parallel": pair.parallel,
        "perpendicular": lambda: [pair.square(2, 2)],
        "screw": lambda: [pair.along(0), pair.along(1)] + pair.parallel() + [screw(pair, joint["pitch"])],
    }[kind]()


def coordinate(joint, word, A, B):
    """`joint.angle` (modulo a turn) or `joint.distance` as a row."""
    pair = Pair(A, B, joint["f"], joint["g"])
    return pair.angle() if word == "angle" else pair.along(2)
