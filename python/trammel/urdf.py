"""Robots in URDF files as model files of Trammel.

    python3 -m trammel.urdf robot.urdf -o robot.yaml     # or, in a program:
    text, notes = trammel.urdf.translate("robot.urdf")

A URDF link has its frame at its joint; the frame of a body is at its centre of mass, with the axes of the
link. Each joint becomes a frame on both bodies whose z is the axis of the joint, so that angles and distances
are those of the robot: both frames agree where they are 0. What a file says and a model cannot hold is
refused with a sentence, or, if it does not move the robot, named among the notes.
"""
from __future__ import annotations

import argparse
import math
import os
import sys
import tempfile

import numpy as np

from ._robot import Element, Joint, Link, Pose, Robot, origin_of, quaternion, read, towards
from .document import scalar
from .errors import Error

MESHES = (".stl", ".obj", ".glb")
COORDINATE = {"revolute": "angle", "continuous": "angle", "prismatic": "distance"}


def translate(path: str | os.PathLike, *, floating: bool = False, motors: bool = False,
              folder: str | None = None) -> tuple[str, list[str]]:
    """The text of a model file, and notes about what it leaves out or calls otherwise.

    floating  the first link is a body that nothing holds; otherwise it is the ground
    motors    every joint that turns or slides has an input tau_JOINT, its torque [N m] or force [N], within
              the limits of its effort
    folder    where the model file will be: meshes must be in it or below (default: the folder of the file)
    """
    path = os.fspath(path)
    return Writer(Robot(read(path)), path, floating, motors, folder or os.path.dirname(path)).write()


def number(x: float) -> str:
    """15 digits."""
    return f"{float(x) or 0:.15g}"


def numbers(x, scale: float = 1) -> str:
    """A vector; what is round-off of a rotation is 0."""
    return "[" + ", ".join(number(v if abs(v) >= 1e-14 * scale else 0) for v in x) + "]"


def visible(text: str) -> str:
    """A text in one line: line feeds, and what a terminal or a reader of YAML would obey, become blanks."""
    return "".join(c if c.isprintable() else " " for c in text)


class Writer:
    def __init__(self, robot: Robot, path: str, floating: bool, motors: bool, folder: str):
        self.robot = robot
        self.path = path
        self.folder = folder
        self.motors = motors
        self.notes = robot.notes
        self.ground = None if floating else robot.root
        self.frames: dict[str, list[str]] = {}  # by the name of the body, or ground
        self.bodies: list[str] = []
        self.joints: list[str] = []
        self.joint_names = {j.name for j in robot.joints.values()}
        self.inputs: list[str] = []
        if self.ground and self.ground.mass > 0:
            self.notes.append(f"link '{robot.root.name}' is the ground (--floating: nothing holds it)")
        robot.put_in_place()

    def write(self) -> tuple[str, list[str]]:
        for link in self.robot.order:
            if link is link.holder and link is not self.ground and not link.mass > 0:
                raise link.element.fail(f"Link '{link.name}' moves and has no mass: give it an <inertial>.")
            self.put_visuals(link)
        for joint in self.robot.joints.values():
            self.put_joint(joint)
        for link in self.robot.order:
            if link is link.holder and link is not self.ground:
                self.put_body(link)
        if any(j.element.find("limit") is not None and j.element.find("limit").attributes.get("velocity")
               for j in self.robot.joints.values()):
            self.notes.append("limits of velocities are left out")
        notes = [visible(n) for n in self.notes]
        lines = ["# " + visible(f"translated from {os.path.basename(self.path)} by trammel.urdf")]
        lines += [f"# {n}" for n in notes]
        lines += [f"title: {scalar(visible(self.robot.title))}", "gravity: [0, 0, -9.81]"]
        if self.frames.get("ground"):
            lines += ["ground:", "  frames:", *("    " + f for f in self.frames["ground"])]
        for section, entries in (("inputs", self.inputs), ("bodies", self.bodies), ("joints", self.joints)):
            lines += [f"{section}:", *("  " + e for e in entries)] if entries else []
        return "\n".join([*lines, "run: {end: 5, output_step: 0.01}"]) + "\n", notes

    # ---- frames -------------------------------------------------------------------------------------------

    def body_of(self, link: Link) -> str:
        return "ground" if link.holder is self.ground else link.holder.name

    def place_on_body(self, link: Link, inside: Pose) -> Pose:
        """A pose in the frame of a link, in the frame of its body."""
        if link.holder is self.ground:
            return link.place @ inside
        at = link.holder.place.inverse() @ link.place @ inside
        return Pose(at.r, at.p - link.holder.centre)

    def put_frame(self, link: Link, name: str, inside: Pose, shape: str = "") -> str:
        at = self.place_on_body(link, inside)
        keys = [f"position: {numbers(at.p)}"]
        if not np.allclose(at.r, np.eye(3), atol=1e-14):
            keys.append(f"orientation: {{quaternion: {numbers(quaternion(at.r))}}}")
        if shape:
            keys.append(f"shape: {shape}")
        list_ = self.frames.setdefault(self.body_of(link), [])
        list_.append(f"{name}: {{{', '.join(keys)}}}")
        return f"{self.body_of(link)}.{name}"

    # ---- bodies and joints --------------------------------------------------------------------------------

    def put_body(self, link: Link) -> None:
        i = link.inertia
        centre = link.place @ Pose(p=link.centre)
        self.bodies += [f"{link.name}:", f"  mass: {number(link.mass)}",
                        "  inertia: " + numbers((i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]),
                                                  float(np.abs(i).max())),
                        f"  position: {numbers(centre.p)}"]
        if not np.allclose(centre.r, np.eye(3), atol=1e-14):
            self.bodies.append(f"  orientation: {{quaternion: {numbers(quaternion(centre.r))}}}")
        if self.frames.get(link.name):
            self.bodies += ["  frames:", *("    " + f for f in self.frames[link.name])]

    def put_joint(self, j: Joint) -> None:
        if j.kind == "floating" or j.child.holder is not j.child:
            return
        turn = Pose(np.eye(3) if j.kind == "fixed" else towards(j.axis))
        a = self.put_frame(j.parent, j.name, j.origin @ turn)
        b = self.put_frame(j.child, j.name, turn)
        kind = "revolute" if j.kind == "continuous" else j.kind
        keys = [f"type: {kind}", f"a: {a}", f"b: {b}"]
        if kind == "revolute" and abs(j.start) > math.pi:
            keys.append(f"angle: {number(j.start)}")
        if j.kind != "fixed":
            keys += self.laws(j)
        self.joints.append(f"{j.name}: {{{', '.join(keys)}}}")
        if j.mimic:
            other, ratio = j.mimic
            name = self.robot.name(f"{j.name}_mimic", "gear")
            self.joints.append(f"{name}: {{type: gear, first: {j.name}.{COORDINATE[j.kind]}, "
                               f"second: {other.name}.{COORDINATE[other.kind]}, ratio: {number(ratio)}}}")

    def laws(self, j: Joint) -> list[str]:
        """Damping, friction, limits and the motor of a joint."""
        keys = []
        dynamics, limit = j.element.find("dynamics"), j.element.find("limit")
        damping = dynamics.number("damping", "0") if dynamics else 0
        friction = dynamics.number("friction", "0") if dynamics else 0
        if damping:
            keys.append(f"damping: {number(damping)}")
        if friction:
            keys.append(f"friction: {{law: coulomb, coulomb: {number(friction)}}}")
        low, high = self.robot.limits(j)
        if j.mimic and low > -math.inf:
            self.notes.append(f"limits of '{j.name}' are left out: it copies '{j.mimic[0].name}'")
        elif low > -math.inf:
            keys.append(f"limits: {{lower: {number(low)}, upper: {number(high)}, restitution: 0}}")
        if self.motors and j.kind in COORDINATE and not j.mimic:
            effort = limit.number("effort", "0") if limit else 0
            turns = COORDINATE[j.kind] == "angle"
            tau = self.robot.name(f"tau_{j.name}", "input")
            self.inputs.append(f"{tau}: {{unit: {'N m' if turns else 'N'}}}")
            law = f"clamp({tau}, -{number(effort)}, {number(effort)})" if effort > 0 else tau
            keys.append(f"{'torque' if turns else 'force'}: \"{law}\"")
        return keys

    # ---- shapes -------------------------------------------------------------------------------------------

    def put_visuals(self, link: Link) -> None:
        for k, e in enumerate(link.element.all("visual") or link.element.all("collision")):
            shape = self.shape_of(e, link)
            if shape:
                own = link.holder is link and link is not self.ground
                name = f"{'' if own else link.name + '_'}shape{k + 1 if k else ''}"
                while name in self.joint_names:
                    name += "_"
                self.put_frame(link, name, origin_of(e), shape)

    def shape_of(self, e: Element, link: Link) -> str | None:
        geometry = e.find("geometry")
        if geometry is None or not geometry.children:
            raise e.fail(f"<{e.tag}> needs a <geometry> with a shape.")
        g = geometry.children[0]
        if g.tag == "box":
            keys = f"type: box, size: {numbers(g.numbers('size'))}"
        elif g.tag == "sphere":
            keys = f"type: sphere, radius: {number(g.number('radius'))}"
        elif g.tag in ("cylinder", "capsule"):
            keys = (f"type: {g.tag}, radius: {number(g.number('radius'))}, "
                    f"length: {number(g.number('length'))}")
        elif g.tag == "mesh":
            keys = self.mesh(g, link)
        else:
            raise g.fail(f"A geometry is <{g.tag}>, expected box, cylinder, sphere, capsule or mesh.")
        return f"{{{keys}{self.colour_of(e)}}}" if keys else None

    def mesh(self, g: Element, link: Link) -> str | None:
        file = g.text("filename")
        scale = g.numbers("scale", "1 1 1")

        def leave_out(why: str) -> None:
            self.notes.append(f"mesh '{file}' of link '{link.name}' is left out: {why}")
        if not file.lower().endswith(MESHES):
            return leave_out("it is no STL, OBJ or GLB file")
        if not np.allclose(scale, scale[0]) or not scale[0] > 0:
            return leave_out("its scale differs by direction")
        here = os.path.dirname(os.path.abspath(self.path))
        inner = file.split("://", 1)[-1]
        package = inner.split("/", 1)[-1] if file.startswith("package://") else inner
        places = [os.path.join(d, n) for n in (inner, package) for d in (here, os.path.dirname(here))]
        found = next((p for p in places if os.path.isfile(p)), None)
        if found is None:
            return leave_out("it is not found beside the file")
        inside = os.path.relpath(os.path.realpath(found), os.path.realpath(self.folder or "."))
        if inside.startswith(".."):
            return leave_out("it is outside of the folder of the model file")
        if inside != visible(inside):
            return leave_out("its name has characters that are not visible")
        return f"type: mesh, file: {scalar(inside)}, scale: {number(scale[0])}"

    def colour_of(self, e: Element) -> str:
        m = e.find("material")
        colour = m.find("color") if m else None
        if m and colour is None:
            m = self.robot.colours.get(m.attributes.get("name", ""))
            colour = m.find("color") if m else None
        if colour is None:
            return ""
        rgba = np.clip(colour.numbers("rgba", count=4), 0, 1)
        red, green, blue = (round(255 * float(x)) for x in rgba[:3])
        opacity = "" if rgba[3] == 1 else f", opacity: {number(rgba[3])}"
        return f', colour: "#{red:02x}{green:02x}{blue:02x}"{opacity}'


def replace(path: str, text: str) -> None:
    """The file has its name when it is whole."""
    folder, name = os.path.split(os.path.realpath(path))
    descriptor, part = tempfile.mkstemp(prefix=name + ".", suffix=".part", dir=folder)
    try:
        with open(descriptor, "w", encoding="utf-8") as f:
            f.write(text)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(part, 0o666 & ~mask)
        os.replace(part, os.path.join(folder, name))
    except BaseException:
        os.remove(part)
        raise


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m trammel.urdf",
                                     description="Translate a URDF file to a model file of Trammel.")
    parser.add_argument("robot", metavar="ROBOT.urdf")
    parser.add_argument("-o", "--out", metavar="MODEL.yaml", help="default: ROBOT.yaml in this folder")
    parser.add_argument("--floating", action="store_true", help="the first link is held by nothing")
    parser.add_argument("--motors", action="store_true", help="joints have inputs tau_JOINT")
    options = parser.parse_args(arguments)
    out = options.out or os.path.splitext(os.path.basename(options.robot))[0] + ".yaml"
    try:
        text, notes = translate(options.robot, floating=options.floating, motors=options.motors,
                                folder=os.path.dirname(os.path.abspath(out)))
        if os.path.exists(out) and os.path.samefile(out, options.robot):
            raise Error(f"'{out}' would overwrite the robot.")
        replace(out, text)
    except (Error, OSError) as e:
        print(visible(f"trammel.urdf: {e}"), file=sys.stderr)
        return 2
    for note in notes:
        print(f"note: {note}")
    print(visible(f"{out}: written; next: trammel check {out}"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
