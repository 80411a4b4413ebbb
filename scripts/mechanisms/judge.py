"""Judges the results of a run of a random mechanism from the poses and velocities that it wrote.

Nothing here uses the program's own residuals or energies: joints are evaluated by geometry.py, energies from
masses and stiffnesses, work by quadrature of powers over the rows of results. One exception: where a driver
passes a dead point its power has peaks that are shorter than a millionth of the run, and no rows resolve
them. The energies are then held against the work that the run has added up over its own steps.
"""
import csv
import math

from generate import joint_equations
from geometry import (GROUND, IDENTITY, ZERO, Pair, Pose, add, angle_between, apply, cross, dot,
                      from_quaternion, multiply, norm, rotation_vector, scale, sub, transpose)

ADMITTED = 30  # tolerances: a wrong motion, not an inaccurate one
HALF = 2.5  # [rad] between two rows beyond which turns cannot be counted from poses


class Table:
    """Rows of results: poses and velocities of all bodies (angular velocities in inertial axes)."""

    def __init__(self, path, mechanism, stride=1):
        with open(path, encoding="utf-8") as f:
            reader = csv.reader(line for line in f if not line.startswith("#"))
            names = next(reader)
            rows = [[float(x) for x in row] for k, row in enumerate(reader) if k % stride == 0]
        self.columns = {name: [row[i] for row in rows] for i, name in enumerate(names)}
        self.t = self.columns["t"]
        self.finite = all(math.isfinite(x) for row in rows for x in row)
        self.poses, self.velocities = [], []
        for k in range(len(rows)):
            poses, velocities = [], []
            for body in mechanism.bodies:
                p, v = self.vector(k, body, "x y z"), self.vector(k, body, "vx vy vz")
                R, w = IDENTITY, ZERO
                if not body["point"]:
                    R = from_quaternion([self.columns[f"{body['name']}.q{i}"][k] for i in range(4)])
                    w = apply(R, self.vector(k, body, "wx wy wz"))
                poses.append(Pose(p, R))
                velocities.append((v, w))
            self.poses.append(poses)
            self.velocities.append(velocities)

    def within_step(self, k):
        """Whether a step (or one as long) has a row before or after this one too, and the run goes on: rows
        are not placed at the ends of steps, so that the first and the last of a step are interpolated."""
        step = self.columns["step"]
        return 0 < k < len(step) - 1 and step[k] in (step[k - 1], step[k + 1])

    def vector(self, k, body, words):
        return tuple(self.columns[f"{body['name']}.{word}"][k] for word in words.split())

    def pose(self, k):
        return lambda index: GROUND if index < 0 else self.poses[k][index]

    def velocity(self, k, index):
        return (ZERO, ZERO) if index < 0 else self.velocities[k][index]


# ---- joints ------------------------------------------------------------------------------------------------


def driver_law(joint, t):
    """(value, rate) of the driven coordinate."""
    kind = joint.get("kind")
    if kind == "sine":  # its absolute value
        start, size, w = joint["law"]
        side = math.copysign(1, math.sin(w * t))
        return start + size * abs(math.sin(w * t)), side * size * w * math.cos(w * t)
    if kind:
        start, when, first, second = joint["law"]
        return start + first * min(t, when) + second * max(0.0, t - when), first if t < when else second
    start, size, w, smooth = joint["law"]
    if smooth:
        return start + size * (1 - math.cos(w * t)), size * w * math.sin(w * t)
    return start + size * math.sin(w * t), size * w * math.cos(w * t)


def counted(joint, word, table):
    """A joint coordinate over all rows, turns counted; None if rows are too far apart."""
    values, last, turns, before = [], 0.0, 0.0, 0.0
    for k in range(len(table.t)):
        pose = table.pose(k)
        pair = Pair(pose(joint["a"]), pose(joint["b"]), joint["f"], joint["g"])
        x = (pair.angle() if word == "angle" else pair.along(2)).value
        if word == "angle":
            (_, wa), (_, wb) = table.velocity(k, joint["a"]), table.velocity(k, joint["b"])
            step = table.t[k] - table.t[k - 1] if k else 0.0
            speed = norm(sub(wb, wa))
            if max(speed, before) * step > HALF:
                return None
            before = speed
            turns += 2 * math.pi * round((last - x) / (2 * math.pi) - turns / (2 * math.pi)) if k else 0.0
        last = x + turns
        values.append(last)
    return values


def coupling_values(joint, table):
    """Residuals of gears, racks and drivers over the rows; None: turns cannot be counted."""
    if joint["type"] == "driver":
        x = counted(joint["of"], joint["word"], table)
        return x and [a - driver_law(joint, t)[0] for a, t in zip(x, table.t)]
    u = counted(joint["first"], joint["words"][0], table)
    w = counted(joint["second"], joint["words"][1], table)
    return u and w and [a - u[0] - joint["ratio"] * (b - w[0]) for a, b in zip(u, w)]


def joint_residuals(mechanism, table):
    """(largest residual of positions, of velocities, joint of the first): lengths in model lengths, angles in
    rad, rates in units of the fastest motion. Where a driver prescribes a speed its position is no constraint
    but an integral: at the ends of steps it counts as one, within them as motion, interpolated."""
    L = mechanism.length
    fastest = max(max(norm(v) / L, norm(w)) for row in table.velocities for v, w in row) + 1e-30
    fastest = max(fastest, 1e-3 / mechanism.time)
    worst, where, rate_worst = 0.0, "", 0.0
    for joint in mechanism.joints:
        coupling = joint["type"] in ("gear", "rack", "driver")
        if coupling:
            length = (joint["word"] if joint["type"] == "driver" else joint["words"][0]) == "distance"
            values = coupling_values(joint, table) or [0.0]
            share = 1 / ADMITTED if joint.get("kind") == "speed" else 1.0
            residual = max(abs(x) * (share if table.within_step(k) else 1.0)
                           for k, x in enumerate(values)) / (L if length else 1.0)
            if residual > worst:
                worst, where = residual, joint["name"]
        for k, t in enumerate(table.t):
            for row, sides in joint_equations(joint, table.pose(k)):
                unit_ = L if row.length else 1.0
                if not coupling and abs(row.value) / unit_ > worst:
                    worst, where = abs(row.value) / unit_, joint["name"]
                rate = sum(s * (dot(v, table.velocity(k, i)[0]) + dot(w, table.velocity(k, i)[1]))
                           for i, v, w, s in sides)
                if joint["type"] == "driver":
                    rate -= driver_law(joint, t)[1]
                rate_worst = max(rate_worst, abs(rate) / unit_ / fastest)
    return worst, rate_worst, where


# ---- energy ------------------------------------------------------------------------------------------------


def force_state(force, table, k):
    """Elongation and its rate of a spring, a torsion spring or (six of each) a bushing."""
    pose = table.pose(k)
    A, B = pose(force["a"]), pose(force["b"])
    (va, wa), (vb, wb) = table.velocity(k, force["a"]), table.velocity(k, force["b"])
    pair = Pair(A, B, force["f"], force["g"])
    if force["type"] == "spring":
        rate = sub(add(vb, cross(wb, pair.rb)), add(va, cross(wa, pair.ra)))
        d = norm(pair.d)
        return d - force["free"], dot(pair.d, rate) / d
    if force["type"] == "torsion":
        return None, dot(apply(pair.f.R, (0, 0, 1)), sub(wb, wa))
    back = transpose(pair.f.R)
    y = apply(back, pair.d)
    theta = rotation_vector(multiply(back, pair.g.R))
    ydot = apply(back, sub(add(vb, cross(wb, pair.rb)), add(va, cross(wa, pair.ra_to_b))))
    # rate of the rotation vector: inverse tangent operator on the relative angular velocity in axes of f
    w = apply(back, sub(wb, wa))
    size = norm(theta)
    factor = (1 - size / 2 / math.tan(size / 2)) / size ** 2 if size > 1e-4 else 1 / 12
    turn = cross(theta, w)
    thetadot = add(add(w, scale(-0.5, turn)), scale(factor, cross(theta, turn)))
    return tuple(y) + tuple(theta), tuple(ydot) + tuple(thetadot)


def energies(mechanism, table, k, angles):
    """(kinetic, [potentials], [(stiffness, elongation)], power into the mechanism) at a row."""
    kinetic, potentials, loaded, power = 0.0, [], [], 0.0
    up = 1 if mechanism.planar else 2
    for body, pose, (v, w) in zip(mechanism.bodies, table.poses[k], table.velocities[k]):
        wb = apply(transpose(pose.R), w)
        kinetic += 0.5 * body["mass"] * dot(v, v)
        if not body["point"]:
            kinetic += 0.5 * sum(J * x * x for J, x in zip(body["inertia"], wb))
        potentials.append(body["mass"] * mechanism.gravity * pose.p[up])
    for n, force in enumerate(mechanism.forces):
        kind = force["type"]
        if kind == "drag":
            v, w = table.velocities[k][force["body"]]
            power -= (force["linear"] + force["quadratic"] * norm(v)) * dot(v, v)
            power -= force["angular_linear"] * dot(w, w)
        elif kind == "applied":
            v = table.velocities[k][force["body"]][0]
            if "gain" in force:
                power -= force["gain"] * table.columns["lagged"][k] * v[0]
            else:
                f = scale(math.sin(force["w"] * table.t[k]), force["amplitude"])
                power += dot(f, v)
        else:
            x, rate = force_state(force, table, k)
            if kind == "torsion":
                x = angles[n][k] - force["free"]
            if kind != "bushing":
                x, rate = [x], [rate]
            stiffness = force["stiffness"] if kind == "bushing" else [force["stiffness"]]
            damping = force["damping"] if kind == "bushing" else [force["damping"]]
            potentials.append(sum(0.5 * K * a * a for K, a in zip(stiffness, x)))
            loaded += [(K, abs(a), kind != "spring" and (kind == "torsion" or i > 2))
                       for i, (K, a) in enumerate(zip(stiffness, x))]
            power -= sum(c * a * a for c, a in zip(damping, rate))
    for joint in mechanism.joints:
        if joint["type"] == "driver":  # the multiplier acts against the coordinate
            power -= table.columns[f"{joint['name']}.multiplier"][k] * driver_law(joint, table.t[k])[1]
    return kinetic, potentials, loaded, power


def integrate(t, power):
    """Integral over the rows by Simpson's rule, at every second row, and the doubt about it: the difference
    from the rule of twice the spacing."""
    def simpson(stride):
        total, out = 0.0, [0.0]
        for k in range(0, len(t) - 2 * stride, 2 * stride):
            h = t[k + 2 * stride] - t[k]
            total += h / 6 * (power[k] + 4 * power[k + stride] + power[k + 2 * stride])
            out.append(total)
        return out
    fine, coarse = simpson(1), simpson(2)
    return fine, max([abs(a - b) for a, b in zip(fine[::2], coarse)] + [0.0])


def energy_errors(mechanism, table, tol):
    """Errors of the energy balance over what the tolerance admits: with work by quadrature over the rows,
    None where that cannot be judged, and with the work that the run has counted. Both None: turns of a
    torsion spring cannot be counted.

    Positions may err by tol model lengths, velocities by tol of the fastest: heavy bodies, weights and stiff
    springs make energies of that, also where little moves.
    """
    rows = energy_rows(mechanism, table)
    if rows is None:
        return None, None
    work, doubt = integrate(table.t, [row[3] for row in rows])
    total = [row[0] + sum(row[1]) for row in rows]
    error = max(abs(total[2 * i] - total[0] - w) for i, w in enumerate(work))
    lost = table.columns["energy.dissipated"]  # by all that has no potential, drivers included
    counted_error = max(abs(e - total[0] + w) for e, w in zip(total, lost))
    admitted = admitted_energy(mechanism, table, tol, rows, max(abs(w) for w in work))
    return None if doubt > admitted else error / admitted, counted_error / admitted


def energy_rows(mechanism, table):
    """energies() of all rows; None: turns of a torsion spring cannot be counted."""
    angles = {n: counted(f, "angle", table) for n, f in enumerate(mechanism.forces) if f["type"] == "torsion"}
    if any(x is None for x in angles.values()):
        return None
    return [energies(mechanism, table, k, angles) for k in range(len(table.t))]


def admitted_energy(mechanism, table, tol, rows, work):
    """Error of an energy [J] that the tolerance admits."""
    L = mechanism.length
    potentials = zip(*(row[1] for row in rows))
    admitted = tol * (max(row[0] for row in rows) + sum(max(column) - min(column) for column in potentials))
    admitted += tol * work
    fastest = max(norm(v) for row in table.velocities for v, _ in row)
    turning = max(norm(w) for row in table.velocities for _, w in row)
    for i, body in enumerate(mechanism.bodies):
        admitted += tol * body["mass"] * mechanism.gravity * L
        admitted += tol * body["mass"] * max(norm(row[i][0]) for row in table.velocities) * fastest
        admitted += tol * max(body["inertia"]) * max(norm(row[i][1]) for row in table.velocities) * turning
    for loads in zip(*(row[2] for row in rows)):
        K, _, angular = loads[0]
        slack = tol * (1.0 if angular else L)
        admitted += K * slack * (max(x for _, x, _ in loads) + slack)
    heaviest = max(body["mass"] for body in mechanism.bodies)
    admitted += 1e-12 * heaviest * (L / mechanism.time) ** 2  # a mechanism at rest: round-off
    return admitted


# ---- two runs ----------------------------------------------------------------------------------------------


def distance(mechanism, one, two):
    """Largest distance of two runs at a row: positions over the model's length and the path, orientations
    over 1 rad and the turns made."""
    worst, L = 0.0, mechanism.length
    if len(one.t) != len(two.t):
        return math.inf
    path = [[0.0, 0.0] for _ in mechanism.bodies]
    for k in range(len(two.t)):
        h = two.t[k] - two.t[k - 1] if k else 0.0
        for i, body in enumerate(mechanism.bodies):
            v, w = two.velocities[k][i]
            path[i][0] += h * norm(v)
            path[i][1] += h * norm(w)
            d = norm(sub(one.poses[k][i].p, two.poses[k][i].p)) / (L + path[i][0])
            if not body["point"]:
                d = max(d, angle_between(one.poses[k][i].R, two.poses[k][i].R) / (1 + path[i][1]))
            worst = max(worst, d)
    return worst
