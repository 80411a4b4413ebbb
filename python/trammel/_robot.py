"""Reading URDF files: links, joints, and where they are at the start."""
from __future__ import annotations

import errno
import math
import os
import re
import stat
from dataclasses import dataclass, field
from difflib import get_close_matches
from xml.parsers import expat

import numpy as np

from .errors import Error, FileError, ModelError, ModelSyntaxError

KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
# words of the expression language, which cannot be names
WORDS = {"t", "ground", "value", "rate", "pi", "e", "deg", "if", "and", "or", "not", "true", "false", "step"}


# ---- the file ---------------------------------------------------------------------------------------------

@dataclass
class Element:
    """An element of the file and its place."""

    tag: str
    attributes: dict[str, str]
    file: str
    line: int
    column: int
    children: list[Element] = field(default_factory=list)

    def find(self, tag: str) -> Element | None:
        return next((c for c in self.children if c.tag == tag), None)

    def all(self, tag: str) -> list[Element]:
        return [c for c in self.children if c.tag == tag]

    def fail(self, text: str, kind: type[Error] = ModelError) -> Error:
        status = "syntax" if kind is ModelSyntaxError else "model"
        return kind(text, status=status, file=self.file, line=self.line, column=self.column)

    def text(self, key: str) -> str:
        if key not in self.attributes:
            raise self.fail(f"<{self.tag}> has no attribute '{key}'.", ModelSyntaxError)
        return self.attributes[key]

    def numbers(self, key: str, default: str | None = None, count: int = 3) -> np.ndarray:
        text = self.attributes.get(key, default) if default is not None else self.text(key)
        try:
            x = np.array([float(w) for w in text.split()])
        except ValueError:
            x = np.array([math.nan])
        if len(x) != count or not np.isfinite(x).all():
            what = "a number" if count == 1 else f"{count} numbers"
            raise self.fail(f"<{self.tag} {key}=\"{text}\">: expected {what}.", ModelSyntaxError)
        return x

    def number(self, key: str, default: str | None = None) -> float:
        return float(self.numbers(key, default, 1)[0])


def read(path: str) -> Element:
    """The element <robot> of a file."""
    parser = expat.ParserCreate()
    stack: list[Element] = []
    roots: list[Element] = []

    def start(tag, attributes):
        e = Element(tag, attributes, path, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)
        (stack[-1].children if stack else roots).append(e)
        stack.append(e)

    def refuse(*_):
        raise ModelSyntaxError("Declarations of entities are not read.", status="syntax", file=path,
                               line=parser.CurrentLineNumber)
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: stack.pop()
    parser.EntityDeclHandler = refuse
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise OSError(errno.EINVAL, "It is no regular file")
        with open(path, "rb") as f:
            parser.ParseFile(f)
    except OSError as e:
        raise FileError(f"'{path}': {e.strerror}.", status="io") from None
    except expat.ExpatError as e:
        raise ModelSyntaxError(f"{expat.ErrorString(e.code).capitalize()}.", status="syntax", file=path,
                               line=e.lineno, column=e.offset + 1) from None
    if roots[0].tag != "robot":
        hint = " Translate it with xacro first." if "xacro" in roots[0].tag else ""
        raise roots[0].fail(f"The file holds <{roots[0].tag}>, expected <robot>.{hint}", ModelSyntaxError)
    return roots[0]


# ---- rotations --------------------------------------------------------------------------------------------

def rotation(rpy: np.ndarray) -> np.ndarray:
    """Roll, pitch and yaw about fixed axes: Rz(yaw) Ry(pitch) Rx(roll)."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    return np.array([[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                     [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
                     [-sp, cp * sr, cp * cr]])


def about(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rodrigues' formula; axis of length 1."""
    x, y, z = axis
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * (k @ k)


def towards(axis: np.ndarray) -> np.ndarray:
    """A rotation that takes z to the axis, by the shortest way."""
    z = np.array([0.0, 0.0, 1.0])
    n = np.cross(z, axis)
    size = float(np.linalg.norm(n))
    if size < 1e-12:
        return np.eye(3) if axis[2] > 0 else np.diag([1.0, -1.0, -1.0])
    return about(n / size, math.atan2(size, float(axis[2])))


def quaternion(r: np.ndarray) -> list[float]:
    """Scalar first; of the four formulae the one with the largest divisor."""
    four = np.array([1 + r[0, 0] + r[1, 1] + r[2, 2], 1 + r[0, 0] - r[1, 1] - r[2, 2],
                     1 - r[0, 0] + r[1, 1] - r[2, 2], 1 - r[0, 0] - r[1, 1] + r[2, 2]])
    k = int(np.argmax(four))
    d = 2 * math.sqrt(four[k])
    a, b, c = r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]
    p, q, s = r[1, 0] + r[0, 1], r[0, 2] + r[2, 0], r[2, 1] + r[1, 2]
    rows = ((d * d / 4, a, b, c), (a, d * d / 4, p, q), (b, p, d * d / 4, s), (c, q, s, d * d / 4))
    return [x / d for x in rows[k]]


@dataclass
class Pose:
    """Axes (columns) and origin of a frame in another."""

    r: np.ndarray = field(default_factory=lambda: np.eye(3))
    p: np.ndarray = field(default_factory=lambda: np.zeros(3))

    def __matmul__(self, other: Pose) -> Pose:
        return Pose(self.r @ other.r, self.p + self.r @ other.p)

    def inverse(self) -> Pose:
        return Pose(self.r.T, -self.r.T @ self.p)


def origin_of(e: Element) -> Pose:
    o = e.find("origin")
    return Pose(rotation(o.numbers("rpy", "0 0 0")), o.numbers("xyz", "0 0 0")) if o else Pose()


# ---- the robot --------------------------------------------------------------------------------------------

@dataclass
class Link:
    element: Element
    name: str
    mass: float = 0
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))  # about the centre, link axes
    centre: np.ndarray = field(default_factory=lambda: np.zeros(3))  # in the frame of the link
    parent: Joint | None = None
    children: list[Joint] = field(default_factory=list)
    place: Pose = field(default_factory=Pose)  # of its frame at the start, in the inertial frame
    holder: Link | None = None  # the link whose body it belongs to: itself, or one it is fixed to


@dataclass
class Joint:
    element: Element
    name: str
    kind: str
    parent: Link
    child: Link
    origin: Pose
    axis: np.ndarray
    start: float = 0  # coordinate at the start
    mimic: tuple[Joint, float] | None = None  # another joint, and the ratio


class Robot:
    def __init__(self, root: Element):
        self.title = root.attributes.get("name", "")
        self.notes: list[str] = []
        self.taken = set(WORDS)
        self.colours = {m.attributes.get("name", ""): m for m in root.all("material")}
        self.links = {}
        for e in root.all("link"):
            if e.text("name") in self.links:
                raise e.fail(f"There are two links '{e.text('name')}'.")
            self.links[e.text("name")] = self.read_link(e)
        if not self.links:
            raise root.fail("The robot has no link.")
        self.joints: dict[str, Joint] = {}
        for e in root.all("joint"):
            if e.text("name") in self.joints:
                raise e.fail(f"There are two joints '{e.text('name')}'.")
            self.joints[e.text("name")] = self.read_joint(e)
        self.root = self.find_root(root)
        self.order: list[Link] = []
        self.sort(self.root)
        self.read_mimics()
        for tag in sorted({c.tag for c in root.children} - {"link", "joint", "material"}):
            self.notes.append(f"<{tag}> is left out")

    def name(self, text: str, suffix: str) -> str:
        """A name of the model: letters, digits and '_', and no other element has it."""
        word = re.sub(r"\W", "_", text, flags=re.ASCII) or suffix
        word = word if not word[0].isdigit() else f"_{word}"
        if word in self.taken:
            word += f"_{suffix}"
        while word in self.taken:
            word += "_"
        self.taken.add(word)
        if word != text:
            self.notes.append(f"{suffix} '{text}' is called {word}")
        return word

    def read_link(self, e: Element) -> Link:
        link = Link(e, self.name(e.text("name"), "link"))
        own = e.find("inertial")
        if own is None:
            return link
        mass, tensor = own.find("mass"), own.find("inertia")
        if mass is None or tensor is None:
            raise own.fail("<inertial> needs <mass> and <inertia>.", ModelSyntaxError)
        link.mass = mass.number("value")
        xx, yy, zz, xy, xz, yz = (tensor.number(k, "0" if k[1] != k[2] else None) for k in
                                  ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
        at = origin_of(own)
        link.inertia = at.r @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ at.r.T
        link.centre = at.p
        if link.mass < 0:
            raise mass.fail(f"The mass of link '{e.text('name')}' is negative.")
        return link

    def link_of(self, e: Element, tag: str) -> Link:
        end = e.find(tag)
        if end is None:
            raise e.fail(f"Joint '{e.text('name')}' has no <{tag}>.", ModelSyntaxError)
        return find(end, end.text("link"), self.links, "link")

    def read_joint(self, e: Element) -> Joint:
        kind = e.text("type")
        if kind not in KINDS:
            raise e.fail(f"A joint has the type '{kind}'{nearest(kind, KINDS)}.")
        parent, child = self.link_of(e, "parent"), self.link_of(e, "child")
        given = e.find("axis")
        axis = given.numbers("xyz") if given else np.array([1.0, 0.0, 0.0])
        size = float(np.abs(axis).max())
        if not size > 0:
            raise e.fail(f"The axis of joint '{e.text('name')}' has no length.")
        axis = axis / size  # so that squares of its numbers are finite
        j = Joint(e, self.name(e.text("name"), "joint"), kind, parent, child, origin_of(e),
                  axis / float(np.linalg.norm(axis)))
        if child.parent:
            raise e.fail(f"Link '{child.element.text('name')}' is the child of two joints; a loop is closed "
                         "by a joint of the model file.")
        child.parent = j
        parent.children.append(j)
        low, high = self.limits(j)
        j.start = min(max(0.0, low), high)
        return j

    @staticmethod
    def limits(j: Joint) -> tuple[float, float]:
        e = j.element.find("limit")
        if e is None or j.kind not in ("revolute", "prismatic"):
            return -math.inf, math.inf
        if not {"lower", "upper"} & set(e.attributes):
            return -math.inf, math.inf
        low, high = e.number("lower", "0"), e.number("upper", "0")
        if low >= high:
            raise e.fail(f"The lower limit {low:g} is not below the upper limit {high:g}; a joint that does "
                         "not move has the type fixed.")
        return low, high

    def find_root(self, root: Element) -> Link:
        roots = [k for k in self.links.values() if k.parent is None]
        if len(roots) == 1:
            return roots[0]
        if not roots:
            raise root.fail("Every link is the child of another: the links form a ring.")
        names = ", ".join(f"'{k.element.text('name')}'" for k in roots)
        raise roots[1].element.fail(f"Links {names} are children of no joint, expected one.")

    def sort(self, link: Link) -> None:
        """Parents before their children, with their holders."""
        stack = [link]
        while stack:
            k = stack.pop()
            self.order.append(k)
            k.holder = k
            if k.parent and k.parent.kind == "fixed" and k.mass == 0:
                k.holder = k.parent.parent.holder
            stack += [j.child for j in reversed(k.children)]
        found = {k.name for k in self.order}
        lost = [k for k in self.links.values() if k.name not in found]
        if lost:
            raise lost[0].element.fail(f"Link '{lost[0].element.text('name')}' is in a ring of joints.")

    def read_mimics(self) -> None:
        for j in self.joints.values():
            e = j.element.find("mimic")
            if e is None:
                continue
            other = find(e, e.text("joint"), self.joints, "joint")
            ratio = e.number("multiplier", "1")
            if other.element.find("mimic"):
                raise e.fail(f"Joint '{j.name}' copies joint '{other.name}', which copies another one.")
            if ratio == 0 or not {j.kind, other.kind} <= {"revolute", "continuous", "prismatic"}:
                raise e.fail(f"Joint '{j.name}' cannot copy joint '{other.name}': both must turn or slide, "
                             "and the multiplier must not be 0.")
            j.mimic = (other, ratio)
            j.start = ratio * other.start + e.number("offset", "0")

    def put_in_place(self) -> None:
        for link in self.order:
            j = link.parent
            if j is None:
                continue
            moved = Pose()
            if j.kind in ("revolute", "continuous"):
                moved = Pose(about(j.axis, j.start))
            elif j.kind == "prismatic":
                moved = Pose(p=j.start * j.axis)
            link.place = j.parent.place @ j.origin @ moved


def nearest(word: str, words) -> str:
    close = get_close_matches(word, list(words), 1)
    return f" (is it '{close[0]}'?)" if close else f", expected one of {', '.join(words)}"


def find(e: Element, name: str, table: dict, what: str):
    if name not in table:
        close = get_close_matches(name, list(table), 1)
        raise e.fail(f"There is no {what} '{name}'" + (f" (is it '{close[0]}'?)." if close else "."))
    return table[name]
