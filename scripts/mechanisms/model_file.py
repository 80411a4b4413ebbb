"""A random mechanism of generate.py as a model file."""
import math

from geometry import IDENTITY, Pose, apply, column, transpose

WITH_FRAMES = ("universal", "constant-velocity", "perpendicular", "distance")  # the rest: point and axis


def show(x):
    return f"{x:.15g}"


class Writer:
    """The mechanism as a model file."""

    def __init__(self, mechanism):
        self.m = mechanism
        self.ground = {}
        for body in mechanism.bodies:
            body["frames"] = {}

    def vector(self, v):
        return "[" + ", ".join(show(x) for x in (v[:2] if self.m.planar else v)) + "]"

    def frame(self, index, name, frame, axes=False):
        """Names a frame on a body; returns how a joint refers to it."""
        place_ = self.ground if index < 0 else self.m.bodies[index]["frames"]
        if not axes or frame.R == IDENTITY:
            place_[name] = self.vector(frame.p)
        else:
            z, x = column(frame.R, 2), column(frame.R, 0)
            turn = show(math.atan2(x[1], x[0])) if self.m.planar else \
                f"{{z: {self.vector(z)}, x: {self.vector(x)}}}"
            place_[name] = f"{{position: {self.vector(frame.p)}, orientation: {turn}}}"
        return f"{self.m.name(index)}.{name}"

    def joint(self, j):
        kind, m = j["type"], self.m
        if kind in ("gear", "rack"):
            return (f"{{type: {kind}, first: {j['first']['name']}.{j['words'][0]}, "
                    f"second: {j['second']['name']}.{j['words'][1]}, ratio: {show(j['ratio'])}}}")
        if kind == "driver":
            key = "speed" if j.get("kind") == "speed" else "motion"
            return f"{{type: driver, of: {j['of']['name']}.{j['word']}, {key}: \"{j['motion']}\"}}"
        if kind in WITH_FRAMES or (m.planar and kind == "fixed"):
            axes = kind != "distance"
            return (f"{{type: {kind}, a: {self.frame(j['a'], j['name'], j['f'], axes)}, "
                    f"b: {self.frame(j['b'], j['name'], j['g'], axes)}}}")
        text = f"{{type: {kind}, a: {m.name(j['a'])}, b: {m.name(j['b'])}"
        if kind != "parallel":
            text += f", point: {self.vector(j['point'])}"
        if kind != "spherical" and not (m.planar and kind == "revolute"):
            text += f", axis: {self.vector(j['axis'])}"
        if kind == "screw":
            text += f", pitch: {show(j['pitch'])}"
        return text + "}"

    def force(self, f):
        kind, name, m = f["type"], f["name"], self.m
        if kind == "drag":
            rest = "".join(f", {k}: {show(f[k])}" for k in ("linear", "quadratic", "angular_linear") if f[k])
            return f"{{type: drag, body: {m.name(f['body'])}{rest}}}"
        if kind == "applied":
            if "gain" in f:
                parts = [f"-{show(f['gain'])}*lagged", "0", "0"]
            else:
                parts = [f"{show(x)}*sin({show(f['w'])}*t)" for x in f["amplitude"]]
            shown = ", ".join(parts[:2] if m.planar else parts)
            return f"{{type: applied, at: {m.name(f['body'])}, force: [{shown}]}}"
        axes = kind == "torsion" or (kind == "bushing" and (f["f"].R, f["g"].R) != (IDENTITY, IDENTITY))
        ends = (f"a: {self.frame(f['a'], name, f['f'], axes)}, b: {self.frame(f['b'], name, f['g'], axes)}")
        if kind == "bushing":
            k = "[" + ", ".join(show(x) for x in f["stiffness"]) + "]"
            c = ", damping: [" + ", ".join(show(x) for x in f["damping"]) + "]" if any(f["damping"]) else ""
            return f"{{type: bushing, {ends}, stiffness: {k}{c}}}"
        free = "length" if kind == "spring" else "angle"
        c = f", damping: {show(f['damping'])}" if f["damping"] else ""
        return f"{{type: {kind}, {ends}, stiffness: {show(f['stiffness'])}, {free}: {show(f['free'])}{c}}}"

    def coordinate(self, item):
        if "body" in item:
            return f"{self.m.name(item['body'])}.{item['word']}"
        return f"{item['joint']['name']}.{item['word']}"

    def limit(self, limit):
        ends = "".join(f", {key}: {show(limit[key])}" for key in ("lower", "upper") if key in limit)
        return (f"{{type: limit, of: {self.coordinate(limit)}{ends}, "
                f"restitution: {show(limit['restitution'])}}}")

    def friction(self, friction):
        keys = ("coefficient", "static_coefficient", "radius", "coulomb", "static", "stribeck", "viscous")
        rest = "".join(f", {key}: {show(friction[key])}" for key in keys if key in friction)
        load = ", load: reaction" if "coefficient" in friction else ""
        return f"{{type: friction, of: {self.coordinate(friction)}{rest}{load}}}"

    def shapes(self, contact):
        """Lines of the two shapes of a contact."""
        name = contact["name"]
        keys = "".join(f", {key}: {show(contact[key])}" for key in ("radius", "length") if key in contact)
        if "size" in contact:
            keys += f", size: {self.vector(contact['size'])}"
        at = self.frame(contact["body"], name, contact["frame"])
        if "plane" in contact:
            base = self.frame(contact["other"], f"{name}_plane", Pose(contact["plane"], IDENTITY))
            other = f"{{type: plane, at: {base}, normal: {self.vector(contact['normal'])}}}"
        else:
            other = f"{{type: sphere, at: {self.m.name(contact['other'])}, radius: " \
                    f"{show(contact['other_radius'])}}}"
        return [f"  {name}_a: {{type: {contact['shape']}, at: {at}{keys}}}", f"  {name}_b: {other}"]

    @staticmethod
    def contact(contact):
        name = contact["name"]
        rest = f", friction: {{coefficient: {show(contact['friction'])}}}, impact: {contact['impact']}" \
            if "friction" in contact else ""
        e = show(contact["restitution"])
        return f"{{a: {name}_a, b: {name}_b, law: rigid, restitution: {e}{rest}}}"

    def body(self, b):
        m = self.m
        keys = [f"mass: {show(b['mass'])}"]
        if b["point"]:
            keys.append("point: true")
        elif m.planar:
            keys.append(f"inertia: {show(b['inertia'][2])}")
        else:
            keys.append(f"inertia: [{', '.join(show(x) for x in b['inertia'])}]")
        keys.append(f"position: {self.vector(b['pose'].p)}")
        if b["turn"]:
            axis, angle = b["turn"]
            keys.append(f"orientation: {show(angle)}" if m.planar else
                        f"orientation: {{axis: {self.vector(axis)}, angle: {show(angle)}}}")
        if any(b["v"]):
            keys.append(f"velocity: {self.vector(b['v'])}")
        if any(b["w"]):
            w = apply(transpose(b["pose"].R), b["w"])
            keys.append(f"angular_velocity: {show(w[2]) if m.planar else self.vector(w)}")
        if b["frames"]:
            frames = [f"{k}: {v}" for k, v in b["frames"].items()]
            keys.append("frames: {" + (",\n" + 16 * " ").join(frames) + "}")
        return "{" + (",\n" + 7 * " ").join([", ".join(keys[:3])] + keys[3:]) + "}"

    def text(self):
        m = self.m
        joints = [f"  {j['name']}: {self.joint(j)}" for j in m.joints]
        forces = [f"  {f['name']}: {self.force(f)}" for f in m.forces]
        forces += [f"  {f['name']}: {self.limit(f)}" for f in m.limits]
        forces += [f"  {f['name']}: {self.friction(f)}" for f in m.frictions]
        shapes = [line for c in m.contacts for line in self.shapes(c)]
        lines = [f"title: Random mechanism {m.seed}"]
        if m.features:
            lines.append(f"description: {', '.join(dict.fromkeys(m.features))}")
        if m.planar:
            lines.append("planar: true")
        if m.gravity:
            lines.append(f"gravity: {show(m.gravity)}")
        if self.ground:
            lines += ["ground:", "  frames:"] + [f"    {k}: {v}" for k, v in self.ground.items()]
        lines += ["bodies:"] + [f"  {b['name']}: {self.body(b)}" for b in m.bodies]
        lines += ["joints:"] + joints if joints else []
        lines += ["forces:"] + forces if forces else []
        if m.contacts:
            lines += ["shapes:"] + shapes + ["contacts:"]
            lines += [f"  {c['name']}: {self.contact(c)}" for c in m.contacts]
        if m.states:
            lines.append("states:")
            for s in m.states:
                rate = f"({m.name(s['body'])}.vx - {s['name']})/{show(s['lag'])}"
                lines.append(f"  {s['name']}: {{rate: {rate}, scale: {show(s['scale'])}, unit: m/s}}")
        lines.append(f"run: {{end: {show(m.end)}, output_step: {show(m.end / 100)}, tol: {show(m.tol)}}}")
        return "\n".join(lines) + "\n"


def model_file(mechanism):
    return Writer(mechanism).text()
