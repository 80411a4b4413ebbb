"""Judges impacts, dry friction and jumps of drivers from the rows of a run (meeting.py).

The rows are so close to each other that an impact shows as a jump of velocities between two of them; the sums
of impulses in the results tell where. Nothing of the impact is taken from the program: the struck points are
those of the geometry, and the jump is held against
  momentum     M dv is a combination of the rows of joints, drivers, struck points, friction that reactions
               load and dampers that take a light body's motion between two rows: no other impulse acts
  restitution  the rate of a single struck point without friction turns round, times its restitution (unless
               friction of joints takes part, and the run has told that it uses Poisson's law); no rate
               enters what is closed
  friction     the impulse of a struck sphere is within the cone
  energy       the kinetic energy does not grow, unless a driver jumps or pushes
A difference counts from SLACK of the jump on, and beyond what forces do between two rows.
"""
import math

from generate import joint_equations
from geometry import GROUND, IDENTITY, Pair, Pose, apply, cross, dot, norm, scale, sub, transpose, unit
from judge import ADMITTED, counted, driver_law, energies, integrate
from meeting import jump_times, limit_row, point_row, touching

SLACK = 0.05  # of a jump, for what the motion between two rows does to it
CLOSED = 1e-3  # model lengths or rad: gaps of points that take part in an impact
ROUNDOFF = 1e-12  # of the force that stops the heaviest body within the run
EDGES = 720  # directions of friction in which an impulse on the edge of its cone is looked for
LEAST = 20  # jumps that are less than so many times what forces do between two rows are not judged


class Audit:
    """Of one run: `faults` are sentences, `seen` counts impacts that were judged."""

    def __init__(self, mechanism, table, tol, poisson):
        self.m, self.table, self.tol = mechanism, table, tol
        self.poisson = poisson  # the run has told that Newton's law has no solution for all impacts
        self.faults, self.seen = [], {"impact": 0, "jump": 0, "slip": 0, "stick": 0}
        m = mechanism
        L = m.length
        self.speed = max(max(norm(v), L * norm(w)) for row in table.velocities for v, w in row) + 1e-30
        self.least = ROUNDOFF * max(b["mass"] for b in m.bodies) * self.speed / m.end  # a force [N]
        self.kinetic = []  # of the rows, when needed
        self.elements = [x["name"] for x in m.limits + m.contacts]
        self.jumps = sorted(t for j in m.joints if j["type"] == "driver" for t in jump_times(j, m.end))
        self.driven = any(j["type"] == "driver" for j in m.joints)

    def fault(self, k, text):
        self.faults.append(f"{text} at {self.table.t[k]:.6g} s")

    # ---- vectors over all velocities, as generate.py has them: v, and w in model lengths

    def spread(self, parts):
        return self.m.spread(parts)

    def velocity(self, k):
        out = []
        for (v, w), body in zip(self.table.velocities[k], self.m.bodies):
            out += [*v, *(scale(0.0 if body["point"] else self.m.length, w))]
        return out

    def momentum(self, k, velocity):
        """M times a velocity."""
        out = []
        L = self.m.length
        for i, (body, pose) in enumerate(zip(self.m.bodies, self.table.poses[k])):
            v, w = velocity[6 * i:6 * i + 3], scale(1 / L, velocity[6 * i + 3:6 * i + 6])
            h = apply(pose.R, tuple(J * x for J, x in zip(body["inertia"], apply(transpose(pose.R), w))))
            h = (0.0, 0.0, 0.0) if body["point"] else h
            out += [body["mass"] * x for x in v] + [x / L for x in h]
        return out

    def change(self, k):
        """Change of the momentum between two rows, in inertial axes: of impulses, and of forces."""
        return [b - a for a, b in zip(self.momentum(k, self.velocity(k)),
                                      self.momentum(k + 1, self.velocity(k + 1)))]

    def drift(self, k):
        """What forces may do between the rows k and k + 1, for each body: to its velocity, its momentum and
        its angular momentum over the length. The latter turns with a body that does not turn about a
        principal axis, too."""
        h, L = self.table.t[k + 1] - self.table.t[k], self.m.length
        out = []
        for i, body in enumerate(self.m.bodies):
            a = h * max(norm(self.table.vector(n, body, "ax ay az")) for n in self.near(k))
            if body["point"]:
                out.append((a, body["mass"] * a, 0.0))
                continue
            J = body["inertia"]
            al, turned = 0.0, 0.0
            for n in self.near(k):
                al = max(al, norm(self.table.vector(n, body, "alx aly alz")))
                w = self.table.vector(n, body, "wx wy wz")
                turned = max(turned, norm(cross(w, tuple(x * y for x, y in zip(J, w)))))
            out.append((a + L * h * al, body["mass"] * a, h * (max(J) * al + turned) / L))
        return out

    def turn(self, k, row):
        """How far a rate may change between two rows because its row turns with the bodies, and by forces."""
        h, L = self.table.t[k + 1] - self.table.t[k], self.m.length
        worst = 0.0
        for i, (change, _, _) in enumerate(self.drift(k)):
            if any(row[6 * i:6 * i + 6]):
                w = max(norm(self.table.velocities[n][i][1]) for n in (k, k + 1))
                v = max(norm(self.table.velocities[n][i][0]) for n in (k, k + 1))
                worst = max(worst, change + h * w * (v + L * w))
        return worst

    def near(self, k):
        return range(max(0, k - 1), min(len(self.table.t), k + 3))

    # ---- impacts and jumps

    def struck(self, k):
        """Names of limits and contacts whose impulse grows between two rows."""
        c = self.table.columns
        return [name for name in self.elements
                if abs(c[f"{name}.impulse"][k + 1] - c[f"{name}.impulse"][k]) > 0]

    def points(self, k, names, steps=2.0):
        """(normal row, [tangent rows], element, value) of all points that are struck or touch, or get to do
        so within so many rows."""
        pose, L = self.table.pose(k), self.m.length
        found = []
        for limit in self.m.limits:
            value, parts = limit_row(limit, pose)
            if self.table.columns[f"{limit['name']}.closed"][k] or limit["name"] in names:
                found.append((self.spread(parts), [], limit, value))
        for contact in self.m.contacts:
            moved = steps * self.speed * (self.table.t[1] - self.table.t[0])
            gaps, n = touching(contact, pose, self.m.planar)
            # one that was struck was as near as its nearest point, however fast a plane turns there
            least = max(0.0, min(gap for gap, _ in gaps)) if contact["name"] in names and gaps else 0.0
            for gap, where in gaps:
                if gap < least + CLOSED * L + moved:
                    normal = self.spread(point_row(contact, pose, where, n))
                    tangents = [self.spread(point_row(contact, pose, where, e)) for e in across(n)] \
                        if "friction" in contact else []
                    found.append((normal, tangents, contact, gap))
        return found

    def joint_rows(self, k, without=None, only=None):
        rows = []
        for joint in [only] if only else self.m.joints:
            if joint is without:
                continue
            for row, sides in joint_equations(joint, self.table.pose(k)):
                factor = 1.0 if row.length else self.m.length
                rows.append(self.spread([(i, scale(factor * s, v), scale(factor * s, w))
                                         for i, v, w, s in sides]))
        return rows

    def joint_basis(self, k, points):
        return basis(self.joint_rows(k) + [p for point in points for p in [point[0], *point[1]]])

    def ambiguous(self, k):
        """Whether the rows that hold at a row of results depend on each other beyond what joints do alone: it
        is then not determined which of them carries how much."""
        columns, pose = self.table.columns, self.table.pose(k)
        held = [row for point in self.points(k, [], 0.0) for row in [point[0], *point[1]]]
        held += [self.spread(limit_row(f, pose)[1]) for f in self.m.frictions
                 if columns[f"{f['name']}.sticks"][k]]
        joints = basis(self.joint_rows(k))
        return len(basis(joints + held)) < len(joints) + len(held)

    def open_load(self, f, k):
        """Whether other joints hold some of what the joint that loads friction does: then its reaction, and
        with it the friction, is one of many. The run warns of it."""
        if "coefficient" not in f:
            return False
        every, others = self.joint_rows(k), self.joint_rows(k, without=f["joint"])
        own = self.joint_rows(k, only=f["joint"])  # some are empty: sides that are compared
        return len(basis(every)) < len(basis(others)) + len(basis(own))

    def fast_dampers(self, k):
        """Rows of springs whose damper stops the lighter of its bodies within the time between two rows: what
        it does there is an impulse, and neither row shows its force."""
        h, rows = self.table.t[k + 1] - self.table.t[k], []
        pose = self.table.pose(k)
        for force in self.m.forces:
            if force["type"] != "spring":
                continue
            light = min(self.m.bodies[i]["mass"] for i in (force["a"], force["b"]) if i >= 0)
            if force["damping"] * h > SLACK * light:
                pair = Pair(pose(force["a"]), pose(force["b"]), force["f"], force["g"])
                n = unit(pair.d)
                rows.append(self.spread([(force["a"], n, cross(pair.ra, n)),
                                         (force["b"], scale(-1.0, n), scale(-1.0, cross(pair.rb, n)))]))
        return rows

    def judge_jump(self, k, names, jumps, steps=2.0):
        before, after = self.velocity(k), self.velocity(k + 1)
        change = [b - a for a, b in zip(before, after)]
        dp = self.change(k)
        drift = self.drift(k)
        noise = self.tol * self.speed
        doubt = math.sqrt(sum((p + body["mass"] * noise) ** 2
                              + (h + max(body["inertia"]) / self.m.length ** 2 * noise) ** 2
                              for body, (_, p, h) in zip(self.m.bodies, drift)))
        size = math.sqrt(sum(x * x for x in dp))
        if size < LEAST * doubt:
            return
        self.seen["jump" if jumps else "impact"] += 1
        points = self.points(k, names, steps)
        loaded = [self.spread(limit_row(f, self.table.pose(k))[1]) for f in self.m.frictions
                  if "coefficient" in f]  # by the impulses of joints, too
        rest = project(dp, basis(self.joint_basis(k, points) + loaded + self.fast_dampers(k)))
        missed = math.sqrt(sum(x * x for x in rest))
        if missed > SLACK * size + doubt:
            self.fault(k, f"an impulse, {missed / size:.2g} of all, that neither joints nor {names} exert")
        power = self.speed * doubt
        before_energy = 0.5 * inner(before, self.momentum(k, before))
        after_energy = 0.5 * inner(after, self.momentum(k + 1, after))
        if not self.driven and after_energy > before_energy + SLACK * inner(change, dp) / 2 + 4 * power:
            self.fault(k, f"the kinetic energy grows from {before_energy:.6g} to {after_energy:.6g} J")
        if not jumps:
            self.judge_laws(k, names, points, before, after, dp, doubt)

    def bounces(self, k, names):
        """Whether several elements are struck in turn about row k, several times between two rows: what lies
        between two stops that close in, and comes to rest."""
        near = (n for n in range(k - 4, k + 5) if n != k and 0 <= n < len(self.table.t) - 1)
        return len(names) > 1 and sum(bool(set(self.struck(n)) & set(names)) for n in near) > 1

    def judge_laws(self, k, names, points, before, after, dp, doubt):
        if self.bounces(k, names):
            return
        for normal, _, element, value in points:
            if element["name"] not in names:
                continue
            slack = self.turn(k, normal) + self.tol * self.speed
            ends = sum(key in element for key in ("lower", "upper"))
            sign = 1.0
            if "joint" in element or ("body" in element and "shape" not in element):
                middle = 0.5 * (element["lower"] + element["upper"]) if ends == 2 else \
                    element.get("lower", element.get("upper"))
                sign = 1.0 if ("upper" not in element or (ends == 2 and value < middle)) else -1.0
            size = math.sqrt(sum(x * x for x in normal))
            rates = [sign * inner(normal, v) for v in (before, after)]
            single = "shape" not in element or element["shape"] == "sphere"
            if single and rates[1] < -SLACK * abs(rates[0]) - 4 * slack * size:
                self.fault(k, f"'{element['name']}' is entered at {rates[1]:.3g} behind an impact at "
                              f"{rates[0]:.3g}")
            rubs = any("coefficient" in f for f in self.m.frictions)
            alone = len(names) == 1 and len(points) == 1 and "friction" not in element and \
                not (rubs and self.poisson)
            wanted = -element["restitution"] * rates[0]
            if alone and -rates[0] > LEAST * slack * size and \
                    abs(rates[1] - wanted) > SLACK * abs(rates[0]) + 4 * slack * size:
                self.fault(k, f"'{element['name']}' is struck at {rates[0]:.4g} and left at {rates[1]:.4g}, "
                              f"its restitution is {element['restitution']:g}")
        rubs = any("coefficient" in f for f in self.m.frictions)
        if len(names) == 1 and len(points) == 1 and points[0][1] and not rubs:
            self.judge_cone(k, points[0], dp, doubt)

    def judge_cone(self, k, point, dp, doubt):
        """Impulse of the only point with friction: M dv without the share of the joints."""
        joints = self.joint_basis(k, [])
        normal, *tangents = [project(row, joints) for row in (point[0], *point[1])]
        rows = [normal, *tangents]
        if len(basis(rows)) < (2 if self.m.planar else 3):
            return  # the joints leave the point too little freedom: many impulses do the same
        matrix = [[inner(a, b) for b in rows] for a in rows]
        right = [inner(a, project(dp, joints)) for a in rows]
        found = solve(matrix, right)
        if found is None:
            return
        along, across_ = found[0], math.hypot(*found[1:])
        mu = point[2]["friction"]
        slack = SLACK * abs(along) + 4 * doubt / math.sqrt(matrix[0][0])
        if (along < -slack or across_ > mu * along + slack) and \
                distance_from_cone(project(dp, joints), rows, mu) > doubt:
            self.fault(k, f"'{point[2]['name']}': friction of {across_:.4g} N s at {along:.4g} N s, {mu:g} "
                          "allowed")

    def judge_impacts(self):
        times = iter(self.jumps)
        next_jump = next(times, math.inf)
        t = self.table.t
        for k in range(len(t) - 1):
            jumps = 0
            while next_jump <= t[k + 1]:
                jumps, next_jump = jumps + 1, next(times, math.inf)
            names = self.struck(k)
            if names or jumps:
                self.judge_jump(k, names, jumps)
            elif not self.driven:  # a driver passes dead points, with peaks between rows
                self.judge_smooth(k)

    def rubs(self, k):
        """Names of the contacts with friction that are closed at two rows; None: nothing loads friction."""
        c = self.table.columns
        names = [x["name"] for x in self.m.contacts if "friction" in x
                 and min(c[f"{x['name']}.force"][n] for n in (k, k + 1)) > 0]
        return names if names or any("coefficient" in f for f in self.m.frictions) else None

    def is_damped(self, k):
        """Something takes energy by its rate, and what two rows differ by is booked, not as an impact."""
        lost, T = self.table.columns["energy.dissipated"], self.kinetic
        if lost[k + 1] - lost[k] < 0.5 * (T[k] - T[k + 1]) or T[k + 1] > T[k]:
            return False
        factors = [f.get("viscous", 0.0) for f in self.m.frictions]
        for force in self.m.forces:
            damping = force.get("damping", 1.0 if force["type"] == "drag" else 0.0)
            factors += damping if isinstance(damping, list) else [damping]
        return any(factors)

    def judge_smooth(self, k):
        """No impulse acts: the kinetic energy does not jump. Where a light body passes a dead point its speed
        changes at once, but not the energy, unless the reaction, which turns a heavy one round, loads
        friction: then both obey the laws of an impact. Viscous friction or a damper of the light body takes
        any part of it, c (angle)^2/time; that it is booked is judged with the energies."""
        while len(self.kinetic) < len(self.table.t):
            n = len(self.kinetic)
            v = self.velocity(n)
            self.kinetic.append(0.5 * inner(v, self.momentum(n, v)))
        T = self.kinetic
        jump = abs(T[k + 1] - T[k])
        around = [abs(T[n + 1] - T[n]) for n in (k - 2, k - 1, k + 1, k + 2) if 0 <= n < len(T) - 1]
        if jump <= 30 * self.tol * max(T) + 5 * max(around):
            return
        names = self.rubs(k)
        if names is not None and T[k + 1] < T[k]:
            self.judge_jump(k, names, 0, 0.0)
            return
        if self.is_damped(k):
            return
        for i, (body, (_, p, h)) in enumerate(zip(self.m.bodies, self.drift(k))):
            noise, most = 30 * self.tol * self.speed, max(body["inertia"])
            dp = self.change(k)
            if norm(dp[6 * i:6 * i + 3]) > 3 * p + body["mass"] * noise or \
                    norm(dp[6 * i + 3:6 * i + 6]) > 3 * h + most / self.m.length ** 2 * noise:
                self.fault(k, f"the kinetic energy jumps from {T[k]:.4g} to {T[k + 1]:.4g} J with the speed "
                              f"of {body['name']}, without an impact")
                return

    # ---- gaps and forces of friction

    def values_of(self, limit):
        """The coordinate of a limit over the rows, turns counted; None: rows are too far apart."""
        if limit["word"] == "angle":
            return counted(limit["joint"], "angle", self.table)
        return [limit_row(limit, self.table.pose(k))[0] for k in range(len(self.table.t))]

    def beyond(self, k, closed):
        """Tolerances by which a gap may be negative. What is closed keeps its velocity, not its position,
        which is projected on joints only: at the ends of steps it is as good as a joint, within them it is
        motion, interpolated."""
        return self.tol * (ADMITTED if closed and self.table.within_step(k) else 1.0)

    def judge_gaps(self):
        L, c = self.m.length, self.table.columns
        for limit in self.m.limits:
            size = 1.0 if limit["word"] == "angle" else L
            for k, value in enumerate(self.values_of(limit) or []):
                beyond = max(limit.get("lower", -math.inf) - value, value - limit.get("upper", math.inf))
                if beyond > self.beyond(k, c[f"{limit['name']}.closed"][k]) * size:
                    self.fault(k, f"{beyond:.3g} beyond the limit '{limit['name']}'")
        for k in range(len(self.table.t)):
            pose = self.table.pose(k)
            for contact in self.m.contacts:
                least = min(gap for gap, _ in touching(contact, pose, self.m.planar)[0])
                if least < -self.beyond(k, c[f"{contact['name']}.points"][k]) * L:
                    self.fault(k, f"'{contact['name']}' overlaps by {-least:.3g}")

    def judge_friction(self):
        c = self.table.columns
        for f in self.m.frictions:
            size, arm = (1.0, self.m.length) if f["word"] == "angle" else (self.m.length, 1.0)
            name = f["name"]
            if self.open_load(f, 0):
                continue
            for k in range(1, len(self.table.t)):
                pose = self.table.pose(k)
                v = inner(self.spread(limit_row(f, pose)[1]), self.velocity(k))
                slip, static = self.forces_of(f, k, v)
                force, sticks = c[f"{name}.force"][k], c[f"{name}.sticks"][k]
                creep = self.tol * self.speed / self.m.length * size
                self.seen["stick" if sticks else "slip"] += 1
                most = static * (1 + SLACK) + self.doubt_of_force(f, k)
                if sticks and (abs(force) > most or abs(v) > 10 * creep) and not self.ambiguous(k):
                    self.fault(k, f"'{name}' sticks at {v:.3g} with {force:.4g}, {static:.4g} allowed")
                if not sticks and abs(v) > 10 * creep and \
                        abs(force - math.copysign(slip, v)) > \
                        SLACK * max(slip, abs(force)) + self.least * arm:
                    self.fault(k, f"'{name}' slips at {v:.3g} with {force:.4g}, not {slip:.4g} against it")
        for contact in self.m.contacts:
            if "friction" in contact:
                self.judge_contact_friction(contact)

    def doubt_of_force(self, f, k):
        """What an error of positions of one tolerance does to the force that friction has to hold: that of
        springs at the bodies of its joint, by their stiffness, and their arm about its axis."""
        joint, L = f["joint"], self.m.length
        pose = self.table.pose(k)
        axis = Pair(pose(joint["a"]), pose(joint["b"]), joint["f"], joint["g"]).g.p
        sum_ = 0.0
        for force in self.m.forces:
            if "stiffness" not in force or not {force["a"], force["b"]} & {joint["a"], joint["b"]} - {GROUND}:
                continue
            pair = Pair(pose(force["a"]), pose(force["b"]), force["f"], force["g"])
            K = force["stiffness"]
            push, turn = (0.0, K) if force["type"] == "torsion" else \
                (max(K[:3]), max(K[3:])) if force["type"] == "bushing" else (K, 0.0)
            if f["word"] == "angle":
                sum_ += self.tol * (push * L * norm(sub(pair.g.p, axis)) + turn)
            else:
                sum_ += self.tol * push * L
        return sum_

    def forces_of(self, f, k, v):
        """(force of slip at the rate v, largest force of stick)."""
        if "coefficient" in f:
            c, j = self.table.columns, f["joint"]["name"]
            load = math.hypot(c[f"{j}.fx"][k], c[f"{j}.fy"][k], c[f"{j}.fz"][k]) * f.get("radius", 1.0)
            slip = f["coefficient"] * load
            static = f.get("static_coefficient", f["coefficient"]) * load
        else:
            slip, static = f["coulomb"], f.get("static", f["coulomb"])
        if "stribeck" in f:
            slip += (static - slip) * math.exp(-(v / f["stribeck"]) ** 2)
        return slip + f.get("viscous", 0.0) * abs(v), static

    def judge_contact_friction(self, contact):
        c, name = self.table.columns, contact["name"]
        for k in range(1, len(self.table.t)):
            n = [c[f"{name}.normal_{x}"][k] for x in "xyz"]
            f = [c[f"{name}.friction_{x}"][k] for x in "xyz"]
            most = contact["friction"] * c[f"{name}.force"][k] * (1 + SLACK) + 1e-9 * norm(n) + self.least
            if norm(f) > most and not self.ambiguous(k):
                self.fault(k, f"'{name}': friction {norm(f):.4g} N at {norm(n):.4g} N")

    # ---- the ledger of energies

    def judge_ledger(self, admitted):
        """What impacts and friction take never falls, and what comes in is the work of drivers and applied
        forces: with the admitted error of an energy."""
        c, t = self.table.columns, self.table.t
        lost = c.get("energy.contact_loss", [0.0] * len(t))
        rubbed = [d + s - x for d, s, x in zip(c["energy.dissipated"], c["energy.supplied"], lost)]
        books = [("impacts", lost), ("friction and dampers", rubbed)]
        if any("coefficient" in f for f in self.m.frictions):
            # the impulse of friction in an impact that turns the slip round is that of the slip behind it:
            # its work and that of the impact are defined together only
            books = [("impacts and friction", [a + b for a, b in zip(lost, rubbed)])]
        for name, values in books:
            most = -math.inf
            for k, x in enumerate(values):
                most = max(most, x)
                if most - x > admitted:
                    self.fault(k, f"{name} give {most - x:.3g} J back")
                    break
        work, doubt = self.supplied()
        error = max(abs(w - s) for w, s in zip(work, c["energy.supplied"][::2]))
        if doubt < 0.3 * admitted and error > admitted:
            self.fault(len(t) - 1, f"{error:.3g} J are booked as supplied that nothing supplies")

    def supplied(self):
        """Work of drivers and applied forces over the rows, and the doubt about it."""
        m, table = self.m, self.table
        angles = {n: [0.0] * len(table.t) for n, f in enumerate(m.forces) if f["type"] == "torsion"}
        kept = m.forces
        m.forces = [f for f in kept if f["type"] == "applied"]
        work, doubt = integrate(table.t, [energies(m, table, k, angles)[3] for k in range(len(table.t))])
        m.forces = kept
        t, booked = table.t, table.columns["energy.supplied"]
        drivers = [j for j in m.joints if j["type"] == "driver"]
        loaded = any("coefficient" in f for f in m.frictions) or any("friction" in x for x in m.contacts)
        total, out = 0.0, [0.0]
        for k in range(len(t) - 1):
            jumps = any(t[k] < x <= t[k + 1] for x in self.jumps)
            if jumps and loaded:  # the work depends on where slips end; what friction takes is judged above
                total += booked[k + 1] - booked[k]
            for joint in () if jumps and loaded else drivers:
                sums = table.columns.get(f"{joint['name']}.impulse")
                step = sums[k + 1] - sums[k] if sums else 0.0
                before, after = (driver_law(joint, t[n])[1] for n in (k, k + 1))
                total -= step * 0.5 * (before + after)
                doubt += 0.0 if jumps else abs(step * (after - before))
            if k % 2:
                out.append(total)
        work = [a + b for a, b in zip(work, out)]
        return work, doubt


# ---- linear algebra ----------------------------------------------------------------------------------------


def inner(a, b):
    return sum(x * y for x, y in zip(a, b))


def across(n):
    """Two directions across a normal."""
    e = min(IDENTITY, key=lambda axis: abs(dot(axis, n)))
    u = unit(sub(e, scale(dot(e, n), n)))
    return u, cross(n, u)


def project(row, orthonormal):
    """What is left of a vector across a basis."""
    for _ in range(2):
        for q in orthonormal:
            s = inner(row, q)
            row = [x - s * y for x, y in zip(row, q)]
    return row


def basis(rows):
    found = []
    for row in rows:
        size = math.sqrt(inner(row, row))
        if size < 1e-12:
            continue
        row = project([x / size for x in row], found)
        own = math.sqrt(inner(row, row))
        if own > 1e-6:
            found.append([x / own for x in row])
    return found


def distance_from_cone(momentum, rows, mu):
    """The least part of a momentum that no impulse on the edge of the cone of friction explains. Where the
    joints leave normal and tangents in nearly one direction, impulses within the cone and far beyond it do
    the same, and only this tells them apart."""
    least = math.inf
    for k in range(EDGES):
        c, s = math.cos(2 * math.pi * k / EDGES), math.sin(2 * math.pi * k / EDGES)
        edge = [x + mu * (c * y + s * z) for x, y, z in zip(*rows)]
        push = max(0.0, inner(edge, momentum) / (inner(edge, edge) or 1.0))
        left = [x - push * y for x, y in zip(momentum, edge)]
        least = min(least, math.sqrt(inner(left, left)))
    return least


def solve(matrix, right):
    """Gauss with pivots; rows that depend on others get 0. None: nothing to solve."""
    n = len(right)
    a = [row[:] + [b] for row, b in zip(matrix, right)]
    scale_ = max(abs(matrix[i][i]) for i in range(n))
    if scale_ == 0:
        return None
    free = []
    for i in range(n):
        p = max(range(i, n), key=lambda r, c=i: abs(a[r][c]))
        if abs(a[p][i]) < 1e-9 * scale_:
            free.append(i)
            continue
        a[i], a[p] = a[p], a[i]
        for r in range(n):
            if r != i:
                factor = a[r][i] / a[i][i]
                a[r] = [x - factor * y for x, y in zip(a[r], a[i])]
    return [0.0 if i in free else a[i][n] / a[i][i] for i in range(n)]


def judge(mechanism, table, tol, admitted, poisson):
    """The audit of a run; `admitted`: error of an energy [J] that the tolerance admits."""
    audit = Audit(mechanism, table, tol, poisson)
    audit.judge_gaps()
    audit.judge_impacts()
    audit.judge_friction()
    audit.judge_ledger(admitted)
    return audit
