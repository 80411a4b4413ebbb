"""Random mechanisms in which impacts, dry friction and jumps of drivers meet: seeds from
generate.MEETING on.

Besides the parts of generate.py these have at least one of
  limits     rigid limits with restitution, of angles, distances and coordinates of bodies
  frictions  Coulomb friction in joints: given, with a larger static one, Stribeck and viscous parts, or
             loaded by the reaction of the joint
  contacts   rigid contacts: a sphere, box or capsule with a plane on the ground or on a body, with or without
             friction, or two spheres
  jumps      drivers whose motion has kinks or whose speed jumps
"""
import math

from generate import ANGLE, DISTANCE, WELL_POSED, Generator, rounded
from geometry import IDENTITY, ZERO, Pose, add, apply, coordinate, cross, dot, local, norm, place, rotation, \
    scale, sub, transpose, unit

RESTITUTIONS = (0.0, 0.0, 0.3, 0.5, 0.5, 0.7, 0.8, 1.0)
LOADED = ("revolute", "prismatic", "cylindrical")  # joints whose reaction may load friction


class Meeting(Generator):
    """A mechanism with impacts, friction and jumps."""

    def build(self):
        r = self.random
        self.grow_tree(r.choice([1, 1, 2, 2, 3, 3, 4, 5]))
        self.close_loops(r.choice([0, 0, 0, 1, 1, 2]) if len(self.bodies) > 1 else 0)
        if r.random() < 0.1:
            self.repeat_joint()
        if r.random() < 0.25:
            self.couple()
        rotors = self.add_rotors(1) if r.random() < 0.1 else []
        for _ in range(r.choice([0, 0, 1, 1, 2])):
            self.add_force()
        if r.random() < 0.1:
            self.add_state()
        if r.random() < 0.05:
            self.remove_mass()
        driven = self.add_jump() if r.random() < 0.35 else None
        while True:
            for _ in range(r.choice([0, 1, 1, 2])):
                self.add_limit(driven)
            for _ in range(r.choice([0, 1, 1, 2])):
                self.add_friction()
            for _ in range(r.choice([0, 0, 1, 1, 2])):
                self.add_contact()
            if driven or self.limits or self.frictions or self.contacts:
                break
        self.end = rounded(self.time * r.uniform(0.5, 3), 3)
        self.start_velocities(r.uniform(0.2, 2), rotors)
        self.throw_free_bodies()
        return self

    # ---- drivers that jump

    def coordinates(self):
        return [(j, w) for j in self.joints for w, kinds in (("angle", ANGLE), ("distance", DISTANCE))
                if j["type"] in kinds]

    def add_jump(self):
        """A driver of two lines with a kink, of the absolute value of a sine, or with a speed that jumps;
        returns what it drives."""
        r = self.random
        found = self.coordinates()
        if not found:
            return None
        joint, word = r.choice(found)
        size = self.length if word == "distance" else 1.0
        start = coordinate(joint, word, self.pose(joint["a"]), self.pose(joint["b"])).value
        start = 0.0 if abs(start) < 1e-9 * self.length else start
        kind = r.choice(["kink", "speed", "sine"])
        if kind == "sine":
            amplitude, w = rounded(size * r.uniform(0.1, 0.6), 3), rounded(r.uniform(1, 4) / self.time, 3)
            law, speed = (start, amplitude, w), amplitude * w
            motion = f"{start:.15g} + {amplitude:g}*abs(sin({w:g}*t))"
        else:
            when = rounded(self.time * r.uniform(0.1, 1), 5)
            speeds = [rounded(size / self.time * r.uniform(-1, 1), 3) for _ in range(2)]
            law, speed = (start, when, *speeds), speeds[0]
            motion = f"if(t < {when:g}, {speeds[0]:g}, {speeds[1]:g})" if kind == "speed" else \
                f"{start:.15g} + if(t < {when:g}, {speeds[0]:g}*t, {speeds[0]:g}*{when:g} + " \
                f"{speeds[1]:g}*(t - {when:g}))"
        driver = {"name": f"j{len(self.joints) + 1}", "type": "driver", "of": joint, "word": word,
                  "motion": motion, "law": law, "speed": speed, "kind": kind}
        before = self.freedom()
        if not self.try_joint(driver, 0):
            return None
        if self.freedom() == before:
            self.joints.pop()
            return None
        self.features.append("jump")
        return joint, word

    # ---- rigid limits

    def parts_of(self, item):
        """The row of a limit or friction, or of the lowest point of a contact."""
        if "shape" not in item:
            return limit_row(item, self.pose)[1]
        gaps, n = touching(item, self.pose, self.planar)
        return point_row(item, self.pose, min(gaps)[1], n)

    def moves(self, item, driven):
        """Whether the joints, and with `driven` the drivers, leave the coordinate of a limit or friction, or
        a contact, its motion."""
        kept = self.joints
        if not driven:
            self.joints = [j for j in kept if j["type"] != "driver"]
        basis = self.basis(self.rows())
        self.joints = kept
        row = self.spread(self.parts_of(item))
        size = math.sqrt(sum(x * x for x in row))
        for q, _ in basis:
            s = sum(x * y for x, y in zip(row, q))
            row = [x - s * y for x, y in zip(row, q)]
        return math.sqrt(sum(x * x for x in row)) > WELL_POSED * size

    def add_limit(self, driven):
        r = self.random
        found = [item for item in self.coordinates() if item != driven]
        if found and r.random() < 0.7:
            joint, word = r.choice(found)
            limit = {"joint": joint, "word": word}
            value = coordinate(joint, word, self.pose(joint["a"]), self.pose(joint["b"])).value
            size = self.length if word == "distance" else 1.0
        else:
            free = [i for i, b in enumerate(self.bodies) if b["mass"] > 0]
            limit = {"body": r.choice(free), "word": r.choice("xy" if self.planar or self.flat else "xyz")}
            value = self.pose(limit["body"]).p["xyz".index(limit["word"])]
            size = self.length
        if any(other.get("joint") is limit.get("joint") and other.get("body") == limit.get("body")
               and other["word"] == limit["word"] for other in self.limits):
            return
        if not self.moves(limit, True) and r.random() < 0.95:
            return  # some are kept: where a driver strikes a limit the run is to be refused
        ends = r.choice(["lower", "upper", "both"])
        for key, sign in (("lower", -1), ("upper", 1)):
            if ends in (key, "both"):
                limit[key] = rounded(value + sign * size * self.decade(-2, -0.2), 6)
        if not limit.get("lower", -math.inf) < value < limit.get("upper", math.inf):
            return  # rounding of a large value
        limit |= {"name": f"l{len(self.limits) + 1}", "restitution": r.choice(RESTITUTIONS)}
        self.limits.append(limit)
        self.features.append("limit")

    # ---- dry friction in joints

    def add_friction(self):
        r = self.random
        found = [(j, w) for j, w in self.coordinates()
                 if not any(f["joint"] is j and f["word"] == w for f in self.frictions)]
        if not found:
            return
        joint, word = r.choice(found)
        friction = {"name": f"r{len(self.frictions) + 1}", "joint": joint, "word": word}
        if not self.moves(friction, False):
            return
        arm = 0.3 * self.length if word == "angle" else 1.0
        if r.random() < 0.3 and joint["type"] in LOADED:
            friction["coefficient"] = self.number(0.05, 0.4, 2)
            if word == "angle":
                friction["radius"] = rounded(self.length * self.decade(-2, -1), 2)
            if r.random() < 0.3:
                friction["static_coefficient"] = rounded(friction["coefficient"] * r.uniform(1, 1.5), 3)
            self.features.append("loaded friction")
        else:
            force = self.typical_mass(joint["a"], joint["b"]) * self.length / self.time ** 2
            friction["coulomb"] = rounded(force * arm * self.decade(-2, 0), 3)
            if not friction["coulomb"]:
                return
            if r.random() < 0.5:
                friction["static"] = rounded(friction["coulomb"] * r.uniform(1, 1.6), 3)
            if "static" in friction and r.random() < 0.3:
                friction["stribeck"] = rounded(0.1 * self.length / arm / self.time * self.decade(-1, 0.5), 3)
            if r.random() < 0.2:
                speed = (1.0 if word == "angle" else self.length) / self.time
                friction["viscous"] = rounded(friction["coulomb"] / speed * self.decade(-1, 0), 3)
            self.features.append("friction")
        self.frictions.append(friction)

    # ---- rigid contacts

    def heavy_bodies(self):
        return [i for i, b in enumerate(self.bodies) if b["mass"] > 0 and not b["point"]]

    def add_contact(self):
        r = self.random
        if r.random() < 0.6 or not self.heavy_bodies():
            origin = r.choice(self.bodies)["pose"].p if self.bodies else ZERO
            self.add_body(tuple(rounded(x) for x in add(origin, self.vector(self.length))))
        b = r.choice(self.heavy_bodies()[-2:])
        contact = {"name": f"c{len(self.contacts) + 1}", "body": b, "restitution": r.choice(RESTITUTIONS)}
        made = self.two_spheres(contact) if r.random() < 0.25 else self.on_plane(contact)
        if made and (self.moves(contact, True) or r.random() < 0.05):
            self.contacts.append(contact)
            self.features.append(contact["shape"] if "plane" in contact else "spheres")
            if "friction" in contact:
                self.features.append("contact friction")

    def two_spheres(self, contact):
        r = self.random
        others = [i for i in self.heavy_bodies() if i != contact["body"]]
        if not others:
            return False
        other = r.choice(others)
        d = norm(sub(self.pose(contact["body"]).p, self.pose(other).p))
        if d < 0.05 * self.length:
            return False
        first = r.uniform(0.1, 0.8)
        contact |= {"shape": "sphere", "frame": Pose(ZERO, IDENTITY), "other": other,
                    "radius": rounded(d * first, 3),
                    "other_radius": rounded(d * (1 - first) * r.uniform(0.3, 0.95), 3)}
        return contact["radius"] + contact["other_radius"] < 0.99 * d

    def on_plane(self, contact):
        r = self.random
        shape = r.choice(["sphere", "sphere", "box", "capsule"])
        size = self.length * r.uniform(0.05, 0.25)
        centre = ZERO if r.random() < 0.6 else self.vector(0.2 * self.length)
        contact |= {"shape": shape, "frame": Pose(centre, IDENTITY)}
        if shape == "box":
            contact["size"] = tuple(rounded(size * r.uniform(0.5, 2), 3) for _ in range(3))
        else:
            contact["radius"] = rounded(size, 3)
        if shape == "capsule":
            contact["length"] = rounded(size * r.uniform(0.5, 4), 3)
        if self.planar or self.flat:
            n = apply(rotation((0, 0, 1), self.number(-0.5, 0.5)), (0.0, 1.0, 0.0))
        else:
            lean = self.vector(1)
            n = unit(add((0.0, 0.0, 1.0), scale(0.5, lean)) if self.gravity else lean)
        if not self.gravity and self.planar:
            n = apply(rotation((0, 0, 1), self.number(-3, 3)), n)
        others = [i for i in self.heavy_bodies() if i != contact["body"]]
        contact["other"] = r.choice(others) if others and r.random() < 0.25 else -1
        centre = place(self.pose(contact["body"]), contact["frame"]).p
        lowest = min(dot(n, p) - radius for p, radius in points_of(contact, self.pose, self.planar))
        where = add(centre, scale(lowest - dot(n, centre) - self.length * self.decade(-2, -0.3), n))
        base = self.pose(contact["other"])
        contact["plane"] = local(base, Pose(where, IDENTITY)).p
        contact["normal"] = apply(transpose(base.R), n)
        if r.random() < 0.5:
            contact["friction"] = self.number(0.05, 0.7, 2)
            contact["impact"] = r.choice(["newton", "newton", "poisson"])
        return True

    def throw_free_bodies(self):
        """Bodies without joints and with a contact move towards it."""
        held = {i for j in self.joints for i in (j.get("a", -1), j.get("b", -1))}
        for contact in self.contacts:
            b = contact["body"]
            if b in held:
                continue
            n = normal_of(contact, self.pose)
            push = scale(-self.number(0.2, 2) * self.length / self.time, n)
            for i in range(3):
                self.velocity[6 * b + i] += push[i]
        self.assign(self.velocity)


# ---- geometry of the contacts ------------------------------------------------------------------------------


def normal_of(contact, pose):
    """Direction in which the other body pushes, inertial axes."""
    if "normal" in contact:
        return apply(pose(contact["other"]).R, contact["normal"])
    return unit(sub(place(pose(contact["body"]), contact["frame"]).p, pose(contact["other"]).p))


def points_of(contact, pose, planar):
    """[(centre, radius)] of the spheres, or corners, with which the shape touches a plane."""
    frame = place(pose(contact["body"]), contact["frame"])
    if contact["shape"] == "sphere":
        return [(frame.p, contact["radius"])]
    if contact["shape"] == "capsule":
        axis = (1.0, 0.0, 0.0) if planar else (0.0, 0.0, 1.0)
        half = scale(contact["length"] / 2, apply(frame.R, axis))
        return [(add(frame.p, half), contact["radius"]), (sub(frame.p, half), contact["radius"])]
    sx, sy, sz = contact["size"]
    return [(add(frame.p, apply(frame.R, (x * sx / 2, y * sy / 2, 0.0 if planar else z * sz / 2))), 0.0)
            for x in (-1, 1) for y in (-1, 1) for z in ((1,) if planar else (-1, 1))]


def touching(contact, pose, planar):
    """[(gap, place)] of all points of a contact, and the normal."""
    n = normal_of(contact, pose)
    if "plane" not in contact:
        c, d = place(pose(contact["body"]), contact["frame"]).p, pose(contact["other"]).p
        return [(norm(sub(c, d)) - contact["radius"] - contact["other_radius"],
                 sub(c, scale(contact["radius"], n)))], n
    base = pose(contact["other"])
    origin = add(base.p, apply(base.R, contact["plane"]))
    return [(dot(n, sub(p, origin)) - radius, sub(p, scale(radius, n)))
            for p, radius in points_of(contact, pose, planar)], n


def point_row(contact, pose, where, direction):
    """[(body, v coefficients, w coefficients)] of the velocity of the body over the other one at a place."""
    rb, ra = sub(where, pose(contact["body"]).p), sub(where, pose(contact["other"]).p)
    return [(contact["body"], direction, cross(rb, direction)),
            (contact["other"], scale(-1, direction), scale(-1, cross(ra, direction)))]


def limit_row(limit, pose):
    """(value, [(body, v coefficients, w coefficients)]) of the coordinate of a limit or friction."""
    if "body" in limit:
        i = "xyz".index(limit["word"])
        return pose(limit["body"]).p[i], [(limit["body"], IDENTITY[i], ZERO)]
    joint = limit["joint"]
    row = coordinate(joint, limit["word"], pose(joint["a"]), pose(joint["b"]))
    return row.value, [(joint["a"], row.va, row.wa), (joint["b"], row.vb, row.wb)]


def jump_times(joint, end):
    """Times within the run at which the speed that a driver prescribes jumps."""
    if joint.get("kind") in ("kink", "speed"):
        return [joint["law"][1]] if joint["law"][1] < end else []
    if joint.get("kind") == "sine":
        w = joint["law"][2]
        return [math.pi * k / w for k in range(1, int(end * w / math.pi) + 1)]
    return []
