"""Random mechanisms: a model for every seed, as data; model_file.py writes its file.

The poses at the start are random, and joints are placed where they hold there. Start velocities are the part
of random ones that the joints admit, plus what drivers demand: both by the joint equations of geometry.py,
not by the program. A mechanism has at least one freedom left, or a driver that takes it.
"""
import math
import random

from geometry import (GROUND, IDENTITY, ZERO, Pose, add, column, coordinate, frame_about, from_axes,
                      joint_rows, local, multiply, norm, place, rotation, scale, sub, unit)

PLANAR_TREE = ["revolute"] * 6 + ["prismatic"] * 2 + ["distance", "point-on-line", "fixed"]
PLANAR_LOOP = ["revolute"] * 4 + ["distance"] * 2 + ["prismatic", "point-on-line", "point-on-plane"]
SPATIAL_TREE = ["revolute"] * 5 + ["spherical"] * 2 + ["prismatic", "cylindrical", "universal",
                                                       "constant-velocity", "planar", "screw", "distance",
                                                       "point-on-line", "fixed", "point-on-plane",
                                                       "parallel", "perpendicular"]
SPATIAL_LOOP = ["spherical"] * 3 + ["distance"] * 3 + ["point-on-line", "point-on-plane", "universal",
                                                       "cylindrical", "revolute", "perpendicular",
                                                       "parallel", "constant-velocity", "planar", "screw"]
ANGLE = ("revolute", "cylindrical")
DISTANCE = ("prismatic", "cylindrical")
SIZES = (-3, 3)  # decades of the length [m]
RATIOS = (0, 0, 0, 0.5, 1, 2, 3, 6, 9, 12)  # decades of the masses of one mechanism
DEPENDENT = 1e-7  # of a row of length 1, by construction: less is round-off
MEETING = 1000000  # seeds from here on have impacts, dry friction and drivers that jump (meeting.py)
WELL_POSED = 1e-2  # independent rows have at least this part of their own: no start near a singular one


def rounded(x, digits=4):
    return float(f"{x:.{digits}g}")


class Generator:
    """Builds one mechanism; the seed decides everything."""

    def __init__(self, seed):
        self.random = random.Random(f"mechanism {seed}")
        r = self.random
        self.seed = seed
        self.planar = r.random() < 0.4
        self.length = rounded(10 ** r.uniform(*SIZES), 3)
        self.gravity = 9.81 if r.random() < 0.7 else 0.0
        self.time = math.sqrt(self.length / 9.81) if self.gravity else rounded(10 ** r.uniform(-3, 1), 3)
        self.mass = 10 ** r.uniform(-3, 3)
        self.decades = r.choice(RATIOS)
        self.flat = not self.planar and r.random() < 0.15  # a plane mechanism in space: redundant loops
        self.turned = r.random() < 0.35  # bodies have axes of their own
        self.tol = r.choice([1e-4] * 7 + [1e-3, 1e-5, 1e-6])
        self.bodies, self.joints, self.forces, self.states = [], [], [], []
        self.limits, self.frictions, self.contacts = [], [], []  # of meeting.py
        self.features = []

    # ---- small random things

    def number(self, low, high, digits=4):
        return rounded(self.random.uniform(low, high), digits)

    def decade(self, low, high, digits=3):
        return rounded(10 ** self.random.uniform(low, high), digits)

    def vector(self, size):
        """Of a random direction, in the plane for planar models, with rounded components."""
        while True:
            v = tuple(self.number(-1, 1) for _ in range(3))
            if self.planar or self.flat:
                v = (v[0], v[1], 0.0)
            if 0.1 < norm(v) < 1:
                return tuple(rounded(size * x) for x in v)

    def axis(self):
        if self.planar or self.flat:
            return (0.0, 0.0, 1.0)
        if self.random.random() < 0.4:
            return self.random.choice([(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)])
        return self.vector(1)

    # ---- bodies

    def add_body(self, position, point=False):
        r = self.random
        mass = rounded(self.mass * 10 ** (r.uniform(0, self.decades) if self.decades else 0), 3)
        reach = self.length * r.uniform(0.1, 0.5)
        a, b = r.uniform(0.3, 1), r.uniform(0.3, 1)
        inertia = [rounded(mass * reach ** 2 * x, 3) for x in (a, b, (a + b) * r.uniform(0.6, 0.95))]
        if inertia[2] <= abs(inertia[0] - inertia[1]):
            inertia[2] = rounded(sum(inertia[:2]) * 0.9, 3)
        R, turn = IDENTITY, None
        if self.turned and not point:
            axis = (0.0, 0.0, 1.0) if self.planar or self.flat else self.vector(1)
            turn = (axis, self.number(-2, 2))
            R = rotation(*turn)
        self.bodies.append({"name": f"b{len(self.bodies) + 1}", "mass": mass, "inertia": inertia,
                            "turn": turn, "pose": Pose(position, R), "point": point, "v": ZERO, "w": ZERO})
        return len(self.bodies) - 1

    def pose(self, index):
        return GROUND if index < 0 else self.bodies[index]["pose"]

    def name(self, index):
        return "ground" if index < 0 else self.bodies[index]["name"]

    # ---- joints

    def make_joint(self, kind, a, b, where, axis=None):
        """A joint that holds at the start, or None if this kind cannot be there."""
        joint = {"name": f"j{len(self.joints) + 1}", "type": kind, "a": a, "b": b}
        A, B = self.pose(a), self.pose(b)
        if kind == "distance":
            ends = [self.attachment(a, where), self.attachment(b, where)]
            length = norm(sub(place(B, ends[1]).p, place(A, ends[0]).p))
            if length < 0.1 * self.length:
                return None
            return {**joint, "f": ends[0], "g": ends[1], "length": length}
        z = axis or self.axis()
        in_plane = kind in ("prismatic", "point-on-line", "point-on-plane")
        if self.planar or self.flat:
            if in_plane:
                z = self.vector(1)
            elif kind not in ("revolute", "fixed", "cylindrical", "spherical", "planar", "parallel"):
                return None
        f = Pose(where, frame_about(z))
        g = f
        if self.planar and kind == "revolute":  # a point alone: the axes are those of the bodies
            f, g = Pose(where, A.R), Pose(where, B.R)
        if kind == "universal":
            bend = multiply(rotation((1, 0, 0), self.number(-0.8, 0.8)),
                            rotation((0, 1, 0), self.number(-0.8, 0.8)))
            g = Pose(where, multiply(f.R, bend))
        elif kind == "constant-velocity":
            angle = self.number(0, 6.28)
            bend = rotation((math.cos(angle), math.sin(angle), 0), self.number(0, 0.8))
            g = Pose(where, multiply(f.R, bend))
        elif kind == "perpendicular":
            x, y, z = (column(f.R, i) for i in range(3))
            g = Pose(where, from_axes(y, z, x))
        elif kind == "screw":
            joint["pitch"] = rounded(self.length * self.decade(-1.5, 0) * self.random.choice([-1, 1]), 3)
        return {**joint, "axis": z, "point": where, "f": local(A, f), "g": local(B, g)}

    def attachment(self, index, near):
        """A point on a body, around its centre of mass; on the ground, near a place."""
        if index < 0:
            return Pose(add(near, self.vector(0.5 * self.length)), IDENTITY)
        if self.bodies[index]["point"] or self.random.random() < 0.15:
            return Pose(ZERO, IDENTITY)
        return Pose(self.vector(0.4 * self.length), IDENTITY)

    def between(self, a, b):
        middle = scale(0.5, add(self.pose(a).p, self.pose(b).p)) if a >= 0 else self.pose(b).p
        return tuple(rounded(x) for x in add(middle, self.vector(0.5 * self.length)))

    # ---- equations

    def columns(self):
        return 6 * len(self.bodies)

    def spread(self, parts):
        """A row over all velocities (v in m, w in model lengths) from [(body, v coefficients, w ...)]."""
        row = [0.0] * self.columns()
        for index, v, w in parts:
            if index < 0:
                continue
            plane = self.planar
            point = self.bodies[index]["point"]
            for i in range(3):
                if not (plane and i == 2):
                    row[6 * index + i] += v[i]
                if not (plane and i < 2) and not point:
                    row[6 * index + 3 + i] += w[i] / self.length
        return row

    def rows(self):
        """(row, rate that it demands), both in units of the model; drivers last."""
        found = []
        for joint in sorted(self.joints, key=lambda j: j["type"] == "driver"):
            for row, sides in joint_equations(joint, self.pose):
                factor = 1.0 if row.length else self.length
                parts = [(index, scale(factor * s, v), scale(factor * s, w)) for index, v, w, s in sides]
                found.append((self.spread(parts), factor * joint.get("speed", 0.0)))
        return found

    def basis(self, rows):
        """Orthonormal basis of the rows with their demands (Gram and Schmidt, twice); None: a contradiction,
        or a row whose part of its own is neither clear nor round-off."""
        found = []
        for row, demand in rows:
            size = math.sqrt(sum(x * x for x in row))
            if size < 1e-12:
                continue
            row, demand = [x / size for x in row], demand / size
            for _ in range(2):
                for q, c in found:
                    s = sum(x * y for x, y in zip(row, q))
                    row = [x - s * y for x, y in zip(row, q)]
                    demand -= s * c
            own = math.sqrt(sum(x * x for x in row))
            if own < DEPENDENT:
                if abs(demand) > 1e-9 * self.length / self.time:
                    return None
                continue
            if own < WELL_POSED:
                return None
            found.append(([x / own for x in row], demand / own))
        return found

    def freedom(self):
        """Number of freedoms; None if the start is not acceptable."""
        basis = self.basis(self.rows())
        size = sum((2 if b["point"] else 3) if self.planar else (3 if b["point"] else 6) for b in self.bodies)
        return None if basis is None else size - len(basis)

    def try_joint(self, joint, least):
        """Adds the joint if the mechanism keeps this many freedoms."""
        if joint is None:
            return False
        self.joints.append(joint)
        left = self.freedom()
        if left is None or left < least:
            self.joints.pop()
            return False
        return True

    # ---- the mechanism

    def build(self):
        r = self.random
        count = r.choice([1, 2, 2, 3, 3, 3, 4, 4, 5, 6])
        self.grow_tree(count)
        loops = r.choice([0, 0, 1, 1, 1, 2, 3]) if count > 1 else r.choice([0, 0, 1])
        self.close_loops(loops)
        if r.random() < 0.2:
            self.repeat_joint()
        if r.random() < 0.15:
            self.couple()
        rotors = self.add_rotors(r.choice([1, 1, 2])) if r.random() < 0.15 else []
        for _ in range(r.choice([0, 0, 1, 1, 2, 3])):
            self.add_force()
        if r.random() < 0.1:
            self.add_state()
        if r.random() < 0.2:
            self.add_driver()
        if r.random() < 0.1:
            self.remove_mass()
        self.end = rounded(self.time * r.uniform(0.5, 3), 3)
        self.start_velocities(0.0 if r.random() < 0.3 else r.uniform(0.2, 2), rotors)
        return self

    def grow_tree(self, count):
        r = self.random
        for i in range(count):
            a = -1 if i == 0 else r.randrange(-1, i)
            origin = self.pose(a).p
            where = tuple(rounded(x) for x in add(origin, self.vector(0.6 * self.length)))
            point = r.random() < 0.05
            b = self.add_body(tuple(rounded(x) for x in add(where, self.vector(0.6 * self.length))), point)
            if r.random() < 0.06:
                continue  # a free body
            for _ in range(20):
                kind = r.choice(PLANAR_TREE if self.planar else SPATIAL_TREE)
                if (point or (a >= 0 and self.bodies[a]["point"])) and kind != "distance":
                    continue
                if self.try_joint(self.make_joint(kind, a, b, where), 1):
                    break

    def close_loops(self, count):
        r = self.random
        for _ in range(count):
            for _ in range(12):
                b = r.randrange(len(self.bodies))
                a = r.choice([i for i in range(-1, len(self.bodies)) if i != b])
                kind = r.choice(PLANAR_LOOP if self.planar else SPATIAL_LOOP)
                if (self.bodies[b]["point"] or (a >= 0 and self.bodies[a]["point"])) and kind != "distance":
                    continue
                if self.try_joint(self.make_joint(kind, a, b, self.between(a, b)), 1):
                    self.features.append("loop")
                    break

    def repeat_joint(self):
        """A second joint with the same axis, or the same one again: the rows repeat each other."""
        found = [j for j in self.joints if j["type"] in ("revolute", "prismatic", "cylindrical", "spherical",
                                                         "planar", "parallel", "fixed")]
        if not found:
            return
        first = self.random.choice(found)
        where = first["point"]
        if first["type"] in ("revolute", "cylindrical", "prismatic") and not self.planar:
            offset = scale(0.5 * self.length, unit(first["axis"]))
            where = add(where, offset)
        A, B = self.pose(first["a"]), self.pose(first["b"])
        again = {**first, "name": f"j{len(self.joints) + 1}", "point": where,
                 "f": local(A, Pose(where, place(A, first["f"]).R)),
                 "g": local(B, Pose(where, place(B, first["g"]).R))}
        if self.try_joint(again, 1):
            self.features.append("redundant")

    def couple(self):
        """A gear between two angles or two distances, or a rack."""
        r = self.random
        found = [(j, w) for j in self.joints for w, kinds in (("angle", ANGLE), ("distance", DISTANCE))
                 if j["type"] in kinds]
        if len(found) < 2:
            return
        (first, u), (second, w) = r.sample(found, 2)
        if u == "angle" and w == "distance":
            first, u, second, w = second, w, first, u
        kind = "rack" if (u, w) == ("distance", "angle") else "gear"
        ratio = self.number(0.3, 3) * r.choice([-1, 1])
        joint = {"name": f"j{len(self.joints) + 1}", "type": kind, "first": first, "second": second,
                 "words": (u, w), "ratio": rounded(ratio * self.length if kind == "rack" else ratio, 3)}
        pairs = [(j["a"], j["b"]) for j in (first, second)]
        if kind == "gear" and joint["ratio"] == 1 and pairs[0] == pairs[1] and (self.planar or self.flat):
            return  # both angles are the same one
        if self.try_joint(joint, 1):
            self.features.append(kind)

    def add_rotors(self, count):
        """Bodies that spin about an axis through their centre of mass."""
        found = []
        for _ in range(count):
            a = self.random.randrange(-1, len(self.bodies))
            if a >= 0 and self.bodies[a]["point"]:
                continue
            where = tuple(rounded(x) for x in add(self.pose(a).p, self.vector(0.5 * self.length)))
            b = self.add_body(where)
            upright = self.planar or self.flat or self.random.random() < 0.6
            axis = (0.0, 0.0, 1.0) if upright else self.vector(1)
            joint = self.make_joint("revolute", a, b, where, axis)
            if not self.try_joint(joint, 1):
                self.bodies.pop()
                return found
            found.append((b, axis))
            self.features.append("rotor")
        if len(found) == 2 and self.random.random() < 0.3:
            joints = self.joints[-2:]
            gear = {"name": f"j{len(self.joints) + 1}", "type": "gear", "first": joints[0],
                    "second": joints[1], "words": ("angle", "angle"), "ratio": self.number(0.3, 3)}
            self.try_joint(gear, 1)
        return found

    def add_driver(self):
        r = self.random
        found = [(j, w) for j in self.joints for w, kinds in (("angle", ANGLE), ("distance", DISTANCE))
                 if j["type"] in kinds]
        if not found:
            return
        joint, word = r.choice(found)
        size = self.number(0.1, 1.5) * (self.length if word == "distance" else 1)
        w = rounded(r.uniform(0.5, 4) / self.time, 3)
        size = rounded(size, 3)
        smooth = r.random() < 0.6
        start = coordinate(joint, word, self.pose(joint["a"]), self.pose(joint["b"])).value
        start = 0.0 if abs(start) < 1e-9 * self.length else start
        motion = (f"{start:.15g} + " if start else "") + \
            (f"{size:g}*(1 - cos({w:g}*t))" if smooth else f"{size:g}*sin({w:g}*t)")
        driver = {"name": f"j{len(self.joints) + 1}", "type": "driver", "of": joint, "word": word,
                  "motion": motion, "law": (start, size, w, smooth), "speed": 0.0 if smooth else size * w}
        before = self.freedom()
        if self.try_joint(driver, 0):
            if self.freedom() == before and r.random() < 0.9:
                self.joints.pop()  # other joints hold what it drives; some of these are to be refused
                return
            self.features.append("driver")

    # ---- forces

    def pair_of_bodies(self):
        b = self.random.randrange(len(self.bodies))
        return self.random.choice([i for i in range(-1, len(self.bodies)) if i != b]), b

    def typical_mass(self, a, b):
        return self.bodies[self.random.choice([i for i in (a, b) if i >= 0])]["mass"]

    def add_force(self):
        kind = self.random.choice(["spring", "spring", "spring", "torsion", "bushing", "drag", "applied"])
        force = getattr(self, f"make_{kind}")(f"f{len(self.forces) + 1}")
        if force:
            self.forces.append({**force, "name": f"f{len(self.forces) + 1}", "type": kind})
            self.features.append(kind)

    def make_spring(self, _):
        r = self.random
        a, b = self.pair_of_bodies()
        ends = [self.attachment(a, self.pose(b).p), self.attachment(b, self.pose(b).p)]
        length = norm(sub(place(self.pose(b), ends[1]).p, place(self.pose(a), ends[0]).p))
        if length < 0.1 * self.length:
            return None
        stiffness = self.typical_mass(a, b) / self.time ** 2 * 10 ** r.uniform(-4, 4)
        force = {"a": a, "b": b, "f": ends[0], "g": ends[1], "stiffness": rounded(stiffness, 3),
                 "free": length if stiffness * self.time ** 2 > 10 * self.mass else
                 rounded(length * r.uniform(0.5, 1.3), 3), "damping": 0.0}
        if r.random() < 0.4:
            force["damping"] = rounded(stiffness * self.time * 10 ** r.uniform(-3, 0.5), 3)
        return force

    def make_torsion(self, _):
        r = self.random
        found = [j for j in self.joints if j["type"] in ANGLE]
        if not found:
            return None
        j = r.choice(found)
        reach = 0.3 * self.length
        stiffness = self.typical_mass(j["a"], j["b"]) * reach ** 2 / self.time ** 2 * 10 ** r.uniform(-4, 4)
        force = {"a": j["a"], "b": j["b"], "f": j["f"], "g": j["g"], "stiffness": rounded(stiffness, 3),
                 "free": self.number(-1, 1) if r.random() < 0.4 else 0.0, "damping": 0.0}
        if r.random() < 0.4:
            force["damping"] = rounded(stiffness * self.time * 10 ** r.uniform(-3, 0), 3)
        return force

    def make_bushing(self, _):
        r = self.random
        a, b = self.pair_of_bodies()
        if self.bodies[b]["point"] or (a >= 0 and self.bodies[a]["point"]):
            return None
        frame = Pose(self.between(a, b), IDENTITY)
        k = self.typical_mass(a, b) / self.time ** 2 * 10 ** r.uniform(-3, 4)
        reach = 0.3 * self.length
        stiffness = [rounded(k * r.uniform(0.3, 1) * (1 if i < 3 else reach ** 2), 3) for i in range(6)]
        damping = [0.0] * 6
        if r.random() < 0.5:
            damping = [rounded(x * self.time * 10 ** r.uniform(-3, 0), 3) for x in stiffness]
        return {"a": a, "b": b, "f": local(self.pose(a), frame), "g": local(self.pose(b), frame),
                "stiffness": stiffness, "damping": damping}

    def make_drag(self, _):
        b = self.random.randrange(len(self.bodies))
        m = self.bodies[b]["mass"]
        force = {"body": b, "linear": rounded(m / self.time * self.decade(-2, 0.5), 3), "quadratic": 0.0,
                 "angular_linear": 0.0}
        if self.random.random() < 0.5:
            force["quadratic"] = rounded(m / self.length * self.decade(-2, 0.5), 3)
        if self.random.random() < 0.5 and not self.bodies[b]["point"]:
            least = min(self.bodies[b]["inertia"])
            force["angular_linear"] = rounded(least / self.time * self.decade(-2, 0.5), 3)
        return force

    def make_applied(self, _):
        b = self.random.randrange(len(self.bodies))
        size = self.bodies[b]["mass"] * self.length / self.time ** 2
        amplitude = tuple(rounded(size * x, 3) for x in self.vector(1))
        return {"body": b, "amplitude": amplitude, "w": rounded(self.random.uniform(0.5, 6) / self.time, 3)}

    def add_state(self):
        """A filtered velocity that pushes back: an actuator with a lag."""
        free = [i for i, b in enumerate(self.bodies) if b["mass"] > 0]
        b = self.random.choice(free)
        lag = rounded(self.time * self.decade(-2, 0), 3)
        gain = rounded(self.bodies[b]["mass"] / self.time * self.decade(-1, 0.5), 3)
        speed = rounded(self.length / self.time, 3)
        self.states.append({"name": "lagged", "body": b, "lag": lag, "scale": speed})
        self.forces.append({"name": f"f{len(self.forces) + 1}", "type": "applied", "body": b, "gain": gain})
        self.features.append("state")

    # ---- massless bodies, velocities

    def remove_mass(self):
        """Takes mass and inertia from a body whose motion the others still determine."""
        used = {f.get("body", -1) for f in self.forces}
        found = [i for i, b in enumerate(self.bodies) if i not in used and not b["point"]]
        self.random.shuffle(found)
        for i in found:
            body = self.bodies[i]
            kept = body["mass"], body["inertia"]
            body["mass"], body["inertia"] = 0.0, [0.0, 0.0, 0.0]
            if self.inertia_is_regular():
                self.features.append("massless")
                return
            body["mass"], body["inertia"] = kept

    def inertia_is_regular(self):
        """Whether every velocity that the joints admit has kinetic energy (each mass counts as 1)."""
        basis = [q for q, _ in self.basis(self.rows()) or []]
        free = []
        weights = []
        for b in self.bodies:
            heavy = 1.0 if b["mass"] > 0 else 0.0
            spatial = 0.0 if self.planar else heavy
            weights += [heavy, heavy, spatial] + ([0.0] * 3 if b["point"] else [spatial, spatial, heavy])
        exists = self.spread([(k, (1, 1, 1), (1, 1, 1)) for k in range(len(self.bodies))])
        for i in range(self.columns()):
            if not exists[i]:
                continue
            v = [0.0] * self.columns()
            v[i] = 1.0
            for q in basis + free:
                s = sum(x * y for x, y in zip(v, q))
                v = [x - s * y for x, y in zip(v, q)]
            size = math.sqrt(sum(x * x for x in v))
            if size > 1e-6:
                free.append([x / size for x in v])
        left = []
        for v in free:
            v = [math.sqrt(m) * x for m, x in zip(weights, v)]
            for q in left:
                s = sum(x * y for x, y in zip(v, q))
                v = [x - s * y for x, y in zip(v, q)]
            size = math.sqrt(sum(x * x for x in v))
            if size < 0.03:
                return False
            left.append([x / size for x in v])
        return True

    def project(self, velocity):
        """The nearest velocity that the joints admit, with the demands of drivers."""
        basis = self.basis(self.rows())
        for q, c in basis:
            s = c - sum(x * y for x, y in zip(velocity, q))
            velocity = [x + s * y for x, y in zip(velocity, q)]
        return velocity

    def random_velocity(self):
        parts = [(i, self.vector(1), tuple(self.number(-1, 1) * self.length for _ in range(3)))
                 for i in range(len(self.bodies))]
        return self.spread(parts)

    def start_velocities(self, speed, rotors):
        unit_speed = self.length / self.time
        velocity = [speed * unit_speed * x for x in self.random_velocity()]
        self.velocity = self.project(velocity)
        if rotors:
            basis = self.basis(self.rows())
            for b, axis in rotors:
                turns = self.decade(0.7, 3) * self.random.choice([-1, 1])  # rad in the run
                spin = self.spread([(b, ZERO, scale(self.length ** 2 * turns / self.end, unit(axis)))])
                if all(abs(sum(x * y for x, y in zip(spin, q))) < 1e-9 * abs(turns) * self.length / self.end
                       for q, _ in basis):
                    self.velocity = [x + y for x, y in zip(self.velocity, spin)]
        direction = self.random_velocity()
        self.nudge = [unit_speed * x for x in direction]
        self.assign(self.velocity)

    def assign(self, velocity):
        for i, body in enumerate(self.bodies):
            least = 1e-13 * self.length / self.time  # round-off of the projection
            part = [x if abs(x) > least else 0.0 for x in velocity[6 * i:6 * i + 6]]
            body["v"], body["w"] = tuple(part[:3]), scale(1 / self.length, tuple(part[3:]))

    def perturb(self, size):
        """Start velocities changed by `size` model lengths per time of the model, for the sensitivity."""
        moved = [x + size * y for x, y in zip(self.velocity, self.nudge)]
        self.assign(self.project(moved))


def joint_equations(joint, pose):
    """[(row, [(body, v coefficients, w coefficients, sign)])] of any joint; pose(index) gives poses."""
    kind = joint["type"]
    if kind in ("gear", "rack"):
        first, second = joint["first"], joint["second"]
        u = coordinate(first, joint["words"][0], pose(first["a"]), pose(first["b"]))
        w = coordinate(second, joint["words"][1], pose(second["a"]), pose(second["b"]))
        return [(u, sides(first, u, 1.0) + sides(second, w, -joint["ratio"]))]
    if kind == "driver":
        row = coordinate(joint["of"], joint["word"], pose(joint["of"]["a"]), pose(joint["of"]["b"]))
        return [(row, sides(joint["of"], row, 1.0))]
    return [(row, sides(joint, row, 1.0)) for row in joint_rows(joint, pose(joint["a"]), pose(joint["b"]))]


def sides(joint, row, sign):
    return [(joint["a"], row.va, row.wa, sign), (joint["b"], row.vb, row.wb, sign)]


def mechanism(seed):
    if seed >= MEETING:
        from meeting import Meeting  # pylint: disable=import-outside-toplevel  it extends this file
        return Meeting(seed).build()
    return Generator(seed).build()
