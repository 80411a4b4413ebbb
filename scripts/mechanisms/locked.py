"""Whether what a run refuses is impossible, from the last row of the results.

A driver locks up at a dead point of its coordinate: what else holds the mechanism there, joints and closed
limits and contacts, holds it too, so that its row depends on theirs (is_dead_point).

An impact that has no solution: the law of impact by enumeration (docs/theory/discontinuities.md). Of each
point that takes part the impulse p and the rate u after a compression satisfy one of
  open     p = 0, u_N >= 0
  sticks   u = 0, |p_T| <= mu p_N
  slips    u_N = 0, p_T = -mu p_N d, u_T = s d, s > 0
with u = W p + b. In the plane d is 1 or -1, in space it is searched over all angles. Where drivers prescribe
motion, or joints lock, there may be none: nothing can stop what is struck. Friction in a joint that its
reaction loads has the impulse T and the rate u of its coordinate,
  sticks   u = 0, |T| <= c |R|
  slips    T = -c |R| d, u = s d, d = 1 or -1, s > 0
where R, the impulse of the force in the joint, is linear in all other impulses and T: with the states of the
others R = R_0 + R_1 T, and T^2 = c^2 |R|^2 has two roots. Not judged are several of such frictions, reactions
that redundant joints leave open, and states whose impulses depend on each other, if neither those of least
norm nor those without friction (presses, idle: as sticks, T = 0) are a solution: another of many may be one.
"""
import itertools
import math

from audit import CLOSED, Audit, across, basis, inner, project, solve
from generate import joint_equations
from geometry import GROUND, apply, scale, transpose
from meeting import limit_row, point_row, touching

ZERO = 1e-7  # of the largest rate, or impulse times W
RUBBING = ("sticks", "idle", "forward", "backward")  # states of the friction of a joint
ANGLES = 720  # directions of slip in space that are tried
SWEEPS = 400  # of the frictionless impact
MASSLESS = 1e-6  # of the least mass, for a body without one
TOUCHES = 1e-6  # of the length: a gap of what is closed in the last row
DEAD = 0.1  # of the part of a row that is free elsewhere: it falls with the root of the time that is left


class Weighed(Audit):
    """Rows of constraints in row k of a run, in coordinates in which the inertia is 1."""

    def __init__(self, mechanism, table, k):
        super().__init__(mechanism, table, mechanism.tol, False)
        self.k = k

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

    def closed_rows(self):
        """Of limits and contacts that touch."""
        pose, rows = self.table.pose(self.k), []
        for limit in self.m.limits:
            value, parts = limit_row(limit, pose)
            gap = min(abs(value - limit.get("lower", -math.inf)), abs(value - limit.get("upper", math.inf)))
            if gap < TOUCHES * (1.0 if limit["word"] == "angle" else self.m.length):
                rows.append(self.spread(parts))
        for contact in self.m.contacts:
            gaps, n = touching(contact, pose, self.m.planar)
            rows += [self.spread(point_row(contact, pose, where, n)) for gap, where in gaps
                     if gap < TOUCHES * self.m.length]
        return rows

    def free_part(self, joint, closed):
        """The part of the rows of a joint that all others leave free, over its size: of motion alone, because
        beside bodies of 1e10 times its mass a light one seems to be held."""
        others = self.joint_rows(self.k, without=joint) + (self.closed_rows() if closed else [])
        held, own = basis(others), self.joint_rows(self.k, only=joint)
        return max(math.sqrt(inner(p, p) / inner(row, row)) for row in own for p in [project(row, held)])


def is_dead_point(mechanism, table, name):
    """Whether the driver `name` can go no farther than the last row."""
    joint, last = next(j for j in mechanism.joints if j["name"] == name), len(table.t) - 1
    most = max(Weighed(mechanism, table, k).free_part(joint, False) for k in (0, last // 2, last))
    return Weighed(mechanism, table, last).free_part(joint, True) < DEAD * most


class Impact(Weighed):
    """The impact at `time` in which `name` is struck, behind the last row of a run."""

    def __init__(self, mechanism, table, name, time):
        super().__init__(mechanism, table, len(table.t) - 1)
        self.name, self.ahead = name, time - table.t[-1]
        self.joints = basis([self.by_inertia(row) for row in self.joint_rows(self.k)])

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
            normals = [self.spread(point_row(contact, pose, where, n)) for _, where in gaps]
            fastest = max(abs(self.rate(normal)) for normal in normals)  # of ends that strike in turn
            near = CLOSED * self.m.length + 2 * self.ahead * fastest
            for (gap, where), normal in zip(gaps, normals):
                if gap < near or (contact["name"] == self.name and gap == least):
                    mu = contact.get("friction", 0.0)
                    tangents = across(n)[:1] if self.m.planar else across(n)
                    if self.m.planar:
                        tangents = [(-n[1], n[0], 0.0)]
                    found.append((normal, [self.spread(point_row(contact, pose, where, e))
                                           for e in tangents if mu > 0], mu))
        return self.distinct(found)

    def distinct(self, groups):
        """Groups without those that do the same as one before, as the joints let them: two corners of a box
        on an edge along the axis of a pin."""
        kept = []
        for group in groups:
            rows = [project(self.by_inertia(row), self.joints) for row in [group[0], *group[1]]]
            if not any(mu == group[2] and len(rows) == len(known) and all(map(is_same, rows, known))
                       for (_, _, mu), known in kept):
                kept.append((group, rows))
        return [group for group, _ in kept]

    def row_of(self, f):
        return self.spread(limit_row(f, self.table.pose(self.k))[1])

    def loaded(self):
        """Friction that takes part and that reactions load, of a coordinate that can move."""
        return [f for f in self.m.frictions if "coefficient" in f and
                len(basis(self.joints + [self.by_inertia(self.row_of(f))])) > len(self.joints)]

    def reactions(self, joint, rows):
        """Impulses of the force that a joint exerts, of unit impulses of rows: three numbers for each."""
        every, own, at = self.joint_rows(self.k), [], 0
        body = joint["b"] if joint["b"] != GROUND else joint["a"]
        for j in self.m.joints:
            count = len(list(joint_equations(j, self.table.pose(self.k))))
            if j is joint:
                own = range(at, at + count)
            at += count
        scaled = [self.by_inertia(row) for row in every]
        sizes = [math.sqrt(inner(row, row)) or 1.0 for row in scaled]
        columns = [list(x) for x in zip(*([x / s for x in row] for row, s in zip(scaled, sizes)))]
        found = []
        for row in rows:
            a = self.by_inertia(row)
            L = least_squares(columns, [y - x for x, y in zip(a, project(a, self.joints))])
            found.append([sum(L[r] / sizes[r] * every[r][6 * body + i] for r in own) for i in range(3)])
        return found

    def has_solution(self):
        """None: not judged."""
        groups, rubs = self.groups(), self.loaded()
        rows = [row for normal, tangents, _ in groups for row in [normal, *tangents]]
        rows += [self.row_of(f) for f in rubs]
        free = [self.by_inertia(row) for row in rows]
        held = [project(row, self.joints) for row in free]
        W = [[inner(a, b) for b in held] for a in held]
        for i, row in enumerate(free):  # what the joints hold
            if W[i][i] < ZERO ** 2 * inner(row, row):
                W[i] = [0.0] * len(rows)
                for other in W:
                    other[i] = 0.0
        rates = [self.rate(row) for row in rows]
        at, normals = 0, []
        for _, tangents, _ in groups:
            normals.append(at)
            at += 1 + len(tangents)
        if is_squeezed([[W[i][j] for j in normals] for i in normals], [rates[i] for i in normals]):
            return False
        if len(rubs) > 1 or any(self.open_load(f, self.k) for f in rubs):
            return None
        rub = [(f["coefficient"] * f.get("radius", 1.0), self.reactions(f["joint"], rows)) for f in rubs]
        law = Law(groups, W, rates, rub[0] if rub else None)
        space = [2 if len(tangents) == 2 else 1 for _, tangents, _ in groups]
        known = ("open", "sticks", "presses", "slips")
        for states in itertools.product(*(known if tangents else known[:2] for _, tangents, _ in groups)):
            if sum(s == "slips" and n == 2 for s, n in zip(states, space)) > 1:
                return None
            for rubbing in RUBBING if rubs else RUBBING[:1]:
                law.rubbing = rubbing
                if law.try_states(states):
                    return True
        return None if law.many else False


def is_same(a, b):
    return max(abs(x - y) for x, y in zip(a, b)) <= ZERO * max(abs(x) for x in a)


def is_squeezed(W, b):
    """Whether no motion keeps all gaps open, whatever friction does: there are weights y >= 0 of the normals
    with W y = 0 and b.y < 0, along which their impulses grow without end in the frictionless impact, solved
    one after the other. W and b of the normals alone: rates of other coordinates may be in other units."""
    normals = range(len(b))
    most, scale = max(W[i][i] for i in normals), max(abs(x) for x in b)
    p, y = [0.0] * len(b), [0.0] * len(b)
    for sweep in range(SWEEPS):
        if sweep == SWEEPS // 2:
            y = p[:]
        for i in normals:
            if W[i][i] == 0.0:
                if b[i] < -ZERO * scale:
                    return True
                continue
            p[i] = max(0.0, p[i] - (b[i] + inner(W[i], p)) / W[i][i])
    y = [a - b for a, b in zip(p, y)]
    size = sum(y)
    return min(y) >= -ZERO * size and inner(b, y) < -1e-3 * scale * size and \
        max(abs(inner(row, y)) for row in W) <= ZERO * most * size


class Law:
    """The groups (normal, tangents, mu) with u = W p + b. rub: (c, impulses of the force in its joint by
    unit impulses of all rows) of the friction of a joint, whose row is the last one; None: there is none."""

    def __init__(self, groups, W, b, rub=None):
        self.groups, self.W, self.b, self.rub = groups, W, b, rub
        self.rubbing = RUBBING[0]
        self.many = False  # some states have many impulses
        self.first, at = [], 0
        for _, tangents, _ in groups:
            self.first.append(at)
            at += 1 + len(tangents)
        self.size = at + (1 if rub else 0)
        self.scale = max(abs(x) for x in b) or 1.0

    def rates(self, p):
        return [b + inner(row, p) for row, b in zip(self.W, self.b)]

    def impulses(self, states, directions, given):
        """p for which all that are closed have u_N = 0, and those that stick u_T = 0, with the impulses that
        are given; None: there is none."""
        columns, rows = [], []  # unknowns: impulses as vectors; rows that vanish
        if self.rub and self.rubbing == "sticks":
            columns.append([float(j == self.size - 1) for j in range(self.size)])
        if self.rub and self.rubbing in ("sticks", "idle"):
            rows.append(self.size - 1)
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
            rows += [at + 1 + i for i in range(len(tangents) if state in ("sticks", "presses") else 0)]
        if not columns:
            u = self.rates(given)
            return given[:] if all(abs(u[r]) <= ZERO * self.scale for r in rows) else None
        matrix = [[inner(self.W[r], column) for column in columns] for r in rows]
        found = least_squares(matrix, [-x for x in (self.rates(given)[r] for r in rows)])
        p = [g + sum(x * column[j] for x, column in zip(found, columns)) for j, g in enumerate(given)]
        u = self.rates(p)
        least = ZERO * max(self.scale, *(abs(x) for x in self.rates(given)))
        if any(abs(u[r]) > least for r in rows):
            return None
        self.many = self.many or len(basis(matrix)) < len(columns)
        return p

    def load(self, p):
        """The impulse of the force in the joint that rubs."""
        return [sum(x * unit[i] for x, unit in zip(p, self.rub[1])) for i in range(3)]

    def solutions(self, states, directions):
        """Impulses of the states, without and with those of friction that slips."""
        none = [0.0] * self.size
        without = self.impulses(states, directions, none)
        if without is None or not self.rub or self.rubbing in ("sticks", "idle"):
            return [without]
        # T = t x with t, the impulse that stops the friction alone
        t = self.scale / (self.W[-1][-1] or 1.0)
        with_ = self.impulses(states, directions, [*none[:-1], t])
        if with_ is None:
            self.many = True
            return [None]
        step = [b - a for a, b in zip(without, with_)]
        c, R0, R1 = self.rub[0], self.load(without), self.load(step)
        roots = quadratic(t * t - c * c * inner(R1, R1), -2 * c * c * inner(R0, R1), -c * c * inner(R0, R0))
        sign = -1.0 if self.rubbing == "forward" else 1.0
        return [[a + x * b for a, b in zip(without, step)] if x * sign >= 0 else None for x in roots]

    def rubs_as_said(self, p):
        if not self.rub:
            return True
        bound = self.rub[0] * math.sqrt(inner(self.load(p), self.load(p)))
        u, least = self.rates(p)[-1], ZERO * self.scale
        if self.rubbing in ("sticks", "idle"):
            return abs(p[-1]) <= bound * (1 + ZERO) + least / (self.W[-1][-1] or 1.0)
        return u * (1.0 if self.rubbing == "forward" else -1.0) >= -least

    def holds(self, states, directions, p, aligned=True):
        if not self.rubs_as_said(p):
            return False
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
            beyond = math.hypot(*T, 0.0) > mu * push * (1 + ZERO) + least / weight
            if state in ("sticks", "presses") and beyond:
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
            if any(p and self.holds(states, directions, p) for p in self.solutions(states, directions)):
                return True
        return False

    def turn(self, states, directions, which):
        """Whether a direction of slip of group `which` is that of its rate."""
        at, last = self.first[which], {}
        for k in range(ANGLES + 1):
            angle = 2 * math.pi * k / ANGLES
            directions[which] = d = (math.cos(angle), math.sin(angle))
            before, last = last, {}
            for root, p in enumerate(self.solutions(states, directions)):
                if p is None or not self.holds(states, directions, p, False):
                    continue
                u = self.rates(p)
                last[root] = aside = u[at + 1] * d[1] - u[at + 2] * d[0]
                if aside == 0 or (root in before and (aside < 0) != (before[root] < 0)):
                    return True
        return False


def quadratic(a, b, c):
    """The real roots of a x^2 + b x + c, the smaller one first; with a = 0 the one there is."""
    if abs(a) * abs(c) < 1e-14 * b * b:
        return [-c / b] if b else []
    below = b * b - 4 * a * c
    if below < 0:
        return []
    q = -0.5 * (b + math.copysign(math.sqrt(below), b))
    return sorted([q / a, c / q] if q else [0.0])


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
