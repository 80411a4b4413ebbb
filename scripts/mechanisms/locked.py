"""Whether an impact that a run refuses has a solution: the law of impact by enumeration (docs/theory/
discontinuities.md), from the last row of the results.

Of each point that takes part the impulse p and the rate u after a compression satisfy one of
  open     p = 0, u_N >= 0
  sticks   u = 0, |p_T| <= mu p_N
  slips    u_N = 0, p_T = -mu p_N d, u_T = s d, s > 0
with u = W p + b. In the plane d is 1 or -1, in space it is searched over all angles. Where drivers prescribe
motion, or joints lock, there may be none: nothing can stop what is struck. Friction in joints that reactions
load makes the law one of all impulses, which is not judged here.
"""
import itertools
import math

from audit import CLOSED, Audit, across, basis, inner, project, solve
from geometry import apply, scale, transpose
from meeting import limit_row, point_row, touching

ZERO = 1e-7  # of the largest rate, or impulse times W
ANGLES = 720  # directions of slip in space that are tried
SWEEPS = 400  # of the frictionless impact
MASSLESS = 1e-6  # of the least mass, for a body without one


class Impact(Audit):
    """The impact at `time` in which `name` is struck, behind the last row of a run."""

    def __init__(self, mechanism, table, name, time):
        super().__init__(mechanism, table, mechanism.tol, False)
        self.k, self.name = len(table.t) - 1, name
        self.ahead = time - table.t[-1]
        self.joints = basis([self.by_inertia(row) for row in self.joint_rows(self.k)])

    def by_inertia(self, row):
        """A row in the coordinates (sqrt(m) v, sqrt(J) w in body axes), in which the inertia is 1."""
        out, L = [], self.m.length
        least = min(b["mass"] for b in self.m.bodies if b["mass"] > 0)
        for i, (body, pose) in enumerate(zip(self.m.bodies, self.table.poses[self.k])):
            mass = body["mass"] or MASSLESS * least
            turn = apply(transpose(pose.R), scale(L, row[6 * i + 3:6 * i + 6]))
            out += [x / math.sqrt(mass) for x in row[6 * i:6 * i + 3]]
            out += [0.0 if body["point"] else x / math.sqrt(J or mass * L * L)
                    for x, J in zip(turn, body["inertia"])]
        return out

    def rate(self, row):
        return inner(row, self.velocity(self.k))

    def groups(self):
        """[(normal, [tangents], mu)] of what is struck and of what is closed, or nearly so: a driver that
        presses a body between two stops makes it strike both ever faster. Normals push."""
        pose, found = self.table.pose(self.k), []
        for limit in self.m.limits:
            value, parts = limit_row(limit, pose)
            row = self.spread(parts)
            gap, other = value - limit.get("lower", -math.inf), limit.get("upper", math.inf) - value
            near = CLOSED * (1.0 if limit["word"] == "angle" else self.m.length)
            if limit["name"] == self.name or min(gap, other) < near + 2 * self.ahead * abs(self.rate(row)):
                found.append((row if gap < other else [-x for x in row], [], 0.0))
        for contact in self.m.contacts:
            gaps, n = touching(contact, pose, self.m.planar)
            least = min(gap for gap, _ in gaps)
            for gap, where in gaps:
                normal = self.spread(point_row(contact, pose, where, n))
                near = CLOSED * self.m.length + 2 * self.ahead * abs(self.rate(normal))
                if gap < near or (contact["name"] == self.name and gap == least):
                    mu = contact.get("friction", 0.0)
                    tangents = across(n)[:1] if self.m.planar else across(n)
                    if self.m.planar:
                        tangents = [(-n[1], n[0], 0.0)]
                    found.append((normal, [self.spread(point_row(contact, pose, where, e))
                                           for e in tangents if mu > 0], mu))
        return found

    def is_loaded(self):
        """Whether friction takes part that reactions load, of a coordinate that can move."""
        for f in self.m.frictions:
            row = self.by_inertia(self.spread(limit_row(f, self.table.pose(self.k))[1]))
            if "coefficient" in f and len(basis(self.joints + [row])) > len(self.joints):
                return True
        return False

    def has_solution(self):
        """None: not judged."""
        if self.is_loaded():
            return None
        groups = self.groups()
        rows = [row for normal, tangents, _ in groups for row in [normal, *tangents]]
        free = [self.by_inertia(row) for row in rows]
        held = [project(row, self.joints) for row in free]
        W = [[inner(a, b) for b in held] for a in held]
        for i, row in enumerate(free):  # what the joints hold
            if W[i][i] < ZERO ** 2 * inner(row, row):
                W[i] = [0.0] * len(rows)
                for other in W:
                    other[i] = 0.0
        law = Law(groups, W, [self.rate(row) for row in rows])
        if law.is_squeezed():
            return False
        space = [2 if len(tangents) == 2 else 1 for _, tangents, _ in groups]
        for states in itertools.product(*([["open", "sticks", "slips"] if tangents else ["open", "sticks"]
                                           for _, tangents, _ in groups])):
            if sum(s == "slips" and n == 2 for s, n in zip(states, space)) > 1:
                return None
            if law.try_states(states):
                return True
        return False


class Law:
    """The groups (normal, tangents, mu) with u = W p + b."""

    def __init__(self, groups, W, b):
        self.groups, self.W, self.b = groups, W, b
        self.first, at = [], 0
        for _, tangents, _ in groups:
            self.first.append(at)
            at += 1 + len(tangents)
        self.size = at
        self.scale = max(abs(x) for x in b) or 1.0

    def is_squeezed(self):
        """Whether no motion keeps all gaps open, whatever friction does: there are weights y >= 0 of the
        normals with W y = 0 and b.y < 0, along which their impulses grow without end in the frictionless
        impact, solved one after the other."""
        normals = self.first
        most = max(self.W[i][i] for i in normals)
        p, y = [0.0] * self.size, [0.0] * self.size
        for sweep in range(SWEEPS):
            if sweep == SWEEPS // 2:
                y = p[:]
            for i in normals:
                if self.W[i][i] == 0.0:
                    if self.b[i] < -ZERO * self.scale:
                        return True
                    continue
                p[i] = max(0.0, p[i] - (self.b[i] + inner(self.W[i], p)) / self.W[i][i])
        y = [a - b for a, b in zip(p, y)]
        size = sum(y)
        return min(y) >= -ZERO * size and inner(self.b, y) < -1e-3 * self.scale * size and \
            max(abs(inner(self.W[i], y)) for i in normals) <= ZERO * most * size

    def rates(self, p):
        return [b + inner(row, p) for row, b in zip(self.W, self.b)]

    def impulses(self, states, directions):
        """p for which all that are closed have u_N = 0, and those that stick u_T = 0; None: there is none."""
        columns, rows = [], []  # unknowns: impulses as vectors; rows that vanish
        for (_, tangents, mu), at, state, d in zip(self.groups, self.first, states, directions):
            if state == "open":
                continue
            column = [0.0] * self.size
            column[at] = 1.0
            for i in range(len(tangents) if state == "slips" else 0):
                column[at + 1 + i] = -mu * d[i]
            columns.append(column)
            rows.append(at)
            for i in range(len(tangents) if state == "sticks" else 0):
                columns.append([float(j == at + 1 + i) for j in range(self.size)])
                rows.append(at + 1 + i)
        if not columns:
            return [0.0] * self.size
        matrix = [[inner(self.W[r], column) for column in columns] for r in rows]
        found = least_squares(matrix, [-self.b[r] for r in rows])
        p = [sum(x * column[j] for x, column in zip(found, columns)) for j in range(self.size)]
        u = self.rates(p)
        return p if all(abs(u[r]) <= ZERO * self.scale for r in rows) else None

    def holds(self, states, directions, p, aligned=True):
        u = self.rates(p)
        least = ZERO * self.scale
        for (_, tangents, mu), at, state, d in zip(self.groups, self.first, states, directions):
            count = len(tangents)
            push, T, slip = p[at], p[at + 1:at + 1 + count], u[at + 1:at + 1 + count]
            weight = self.W[at][at] or 1.0
            if state == "open" and u[at] < -least:
                return False
            if state != "open" and push * weight < -least:
                return False
            if state == "sticks" and math.hypot(*T, 0.0) > mu * push * (1 + ZERO) + least / weight:
                return False
            if state == "slips" and inner(slip, d[:count]) < -least:
                return False
            if state == "slips" and count == 2 and aligned and \
                    abs(slip[0] * d[1] - slip[1] * d[0]) > ZERO * self.scale:
                return False
        return True

    def try_states(self, states):
        which = [i for i, s in enumerate(states) if s == "slips"]
        turning = [i for i in which if len(self.groups[i][1]) == 2]
        flat = [i for i in which if i not in turning]
        for signs in itertools.product((1.0, -1.0), repeat=len(flat)):
            directions = [(0.0, 0.0)] * len(states)
            for i, s in zip(flat, signs):
                directions[i] = (s, 0.0)
            if turning:
                if self.turn(states, directions, turning[0]):
                    return True
                continue
            p = self.impulses(states, directions)
            if p and self.holds(states, directions, p):
                return True
        return False

    def turn(self, states, directions, which):
        """Whether a direction of slip of group `which` is that of its rate."""
        at, last = self.first[which], None
        for k in range(ANGLES + 1):
            angle = 2 * math.pi * k / ANGLES
            directions[which] = d = (math.cos(angle), math.sin(angle))
            p = self.impulses(states, directions)
            if p is None or not self.holds(states, directions, p, False):
                last = None
                continue
            u = self.rates(p)
            aside = u[at + 1] * d[1] - u[at + 2] * d[0]
            if last is not None and (aside == 0 or (aside < 0) != (last < 0)):
                return True
            last = aside
        return False


def least_squares(matrix, right):
    """The smallest solution of equations that may depend on each other."""
    rows = basis(matrix)  # of the row space
    if not rows:
        return [0.0] * len(matrix[0])
    small = [[inner(row, q) for q in rows] for row in matrix]
    normal = [[sum(row[i] * row[j] for row in small) for j in range(len(rows))] for i in range(len(rows))]
    back = [sum(row[i] * b for row, b in zip(small, right)) for i in range(len(rows))]
    y = solve(normal, back) or [0.0] * len(rows)
    return [sum(a * q[j] for a, q in zip(y, rows)) for j in range(len(matrix[0]))]
