"""Joints, with the keys of model files (docs/model-file.md).

Generated from docs/trammel.schema.json by python/tools/write_entries.py: do not edit by hand.
"""
# pylint: disable=too-many-arguments,too-many-locals,unused-argument,redefined-builtin
from __future__ import annotations

from typing import Any, Sequence

from .entries import Entry, Expression, Map, Number, Reference, Value, Vector


class Fixed(Entry):
    r"""No relative motion: the frames a and b coincide; with `point` and bodies for a and b: as placed at
    the start.

    a: first frame (required)
    b: second frame; the reaction of the joint acts on its body (required)
    point: origin of both joint frames; inertial frame, at the start [m] (default: origins of a and b)
    axis: direction of the z axes of both joint frames; inertial frame, at the start (default: z axes of
        a and b)
    """
    SECTION = "joints"
    TYPE = "fixed"
    KEYS = ("a", "b", "point", "axis")

    def __init__(self, name: str, *, a: Reference | None = None, b: Reference | None = None,
                 point: Vector | None = None, axis: Vector | None = None):
        super().__init__(name, locals())


class Revolute(Entry):
    r"""One rotation about the common z axis.

    a: first frame (required)
    b: second frame; the reaction of the joint acts on its body (required)
    point: origin of both joint frames; inertial frame, at the start [m] (default: origins of a and b)
    axis: direction of the z axes of both joint frames; inertial frame, at the start (default: z axes of
        a and b)
    angle: angle at the start, if it is beyond half a turn: selects the number of full turns, also for
        torsion springs and other angles about this axis [rad] (default: between -pi and pi)
    stiffness: of a spring along the first coordinate of the joint, its angle or distance [N/m or N
        m/rad] (default: 0)
    damping: force per rate of that coordinate [N s/m or N m s/rad] (default: 0)
    free: coordinate at which the spring has no force [m or rad] (default: value at the start)
    backlash: width about `free` in which stiffness and damping do not act [m or rad] (default: 0)
    torque: torque on the body of b along the angle, an expression of value, rate, t and any state [N m]
    armature: inertia along the coordinate, such as that of the rotor of a motor times the square of its
        gear ratio [kg m2 or kg] (default: 0)
    limits: compliant or rigid limits of the coordinate
    friction: dry friction along the coordinate
    motor: motor with its controller, along the coordinate
    """
    SECTION = "joints"
    TYPE = "revolute"
    KEYS = ("a", "b", "point", "axis", "angle", "stiffness", "damping", "free", "backlash", "torque",
            "armature", "limits", "friction", "motor")

    def __init__(self, name: str, *, a: Reference | None = None, b: Reference | None = None,
                 point: Vector | None = None, axis: Vector | None = None, angle: Number | None = None,
                 stiffness: Number | None = None, damping: Number | None = None,
                 free: Number | None = None, backlash: Number | None = None,
                 torque: Expression | None = None, armature: Number | None = None,
                 limits: Value | Map | None = None, friction: Value | Map | None = None,
                 motor: Value | Map | None = None):
        super().__init__(name, locals())


class Prismatic(Entry):
    r"""One translation along the common z axis.

    a: first frame (required)
    b: second frame; the reaction of the joint acts on its body (required)
    point: origin of both joint frames; inertial frame, at the start [m] (default: origins of a and b)
    axis: direction of the z axes of both joint frames; inertial frame, at the start (default: z axes of
        a and b)
    stiffness: of a spring along the first coordinate of the joint, its angle or distance [N/m or N
        m/rad] (default: 0)
    damping: force per rate of that coordinate [N s/m or N m s/rad] (default: 0)
    free: coordinate at which the spring has no force [m or rad] (default: value at the start)
    backlash: width about `free` in which stiffness and damping do not act [m or rad] (default: 0)
    force: force on the body of b along the coordinate, an expression of value, rate, t and any state
        [N]
    armature: inertia along the coordinate, such as that of the rotor of a motor times the square of its
        gear ratio [kg m2 or kg] (default: 0)
    limits: compliant or rigid limits of the coordinate
    friction: dry friction along the coordinate
    motor: motor with its controller, along the coordinate
    """
    SECTION = "joints"
    TYPE = "prismatic"
    KEYS = ("a", "b", "point", "axis", "stiffness", "damping", "free", "backlash", "force", "armature",
            "limits", "friction", "motor")

    def __init__(self, name: str, *, a: Reference | None = None, b: Reference | None = None,
                 point: Vector | None = None, axis: Vector | None = None,
                 stiffness: Number | None = None, damping: Number | None = None,
                 free: Number | None = None, backlash: Number | None = None,
                 force: Expression | None = None, armature: Number | None = None,
                 limits: Value | Map | None = None, friction: Value | Map | None = None,
                 motor: Value | Map | None = None):
        super().__init__(name, locals())


class Cylindrical(Entry):
    r"""Rotation about and translation along the common z axis.

    a: first frame (required)
    b: second frame; the reaction of the joint acts on its body (required)
    point: origin of both joint frames; inertial frame, at the start [m] (default: origins of a and b)
    axis: direction of the z axes of both joint frames; inertial frame, at the start (default: z axes of
        a and b)
    angle: angle at the start, if it is beyond half a turn: selects the number of full turns, also for
        torsion springs and other angles about this axis [rad] (default: between -pi and pi)
    stiffness: of a spring along the first coordinate of the joint, its angle or distance [N/m or N
        m/rad] (default: 0)
    damping: force per rate of that coordinate [N s/m or N m s/rad] (default: 0)
    free: coordinate at which the spring has no force [m or rad] (default: value at the start)
    backlash: width about `free` in which stiffness and damping do not act [m or rad] (default: 0)
    torque: torque on the body of b along the angle, an expression of value, rate, t and any state [N m]
    armature: inertia along the coordinate, such as that of the rotor of a motor times the square of its
        gear ratio [kg m2 or kg] (default: 0)
    limits: compliant or rigid limits of the coordinate
    friction: dry friction along the coordinate
    motor: motor with its controller, along the coordinate
    """
    SECTION = "joints"
    TYPE = "cylindrical"
    KEYS = ("a", "b", "point", "axis", "angle", "stiffness", "damping", "free", "backlash", "torque",
            "armature", "limits", "friction", "motor")

    def __init__(self, name: str, *, a: Reference | None = None, b: Reference | None = None,
                 point: Vector | None = None, axis: Vector | None = None, angle: Number | None = None,
                 stiffness: Number | None = None, damping: Number | None = None,
                 free: Number | None = None, backlash: Number | None = None,
                 torque: Expression | None = None, armature: Number | None = None,
                 limits: Value | Map | None = None, friction: Value | Map | None = None,
                 motor: Value | Map | None = None):
        super().__init__(name, locals())


class Spherical(Entry):
    r"""Common origin.

    a: first frame (required)
    b: second frame; the reaction of the joint acts on its body (required)
    point: origin of both joint frames; inertial frame, at the start [m] (default: origins of a and b)
    """
    SECTION = "joints"
    TYPE = "spherical"
    KEYS = ("a", "b", "point")

    def __init__(self, name: str, *, a: Reference | None = None, b: Reference | None = None,
                 point: Vector | None = None):
        super().__init__(name, locals())


class Universal(Entry):
    r"""Common origin, x of a perpendicular to y of b.

    a: first frame (required)
    b: second frame; the reaction of the joint acts on its body (required)
    point: origin of both joint frames; inertial frame, at the start [m] (default: origins of a and b)
    axis: direction of the z axes of both joint frames; inertial frame, at the start (default: z axes of
        a and b)
    stiffness: of a spring along the first coordinate of the joint, its angle or distance [N/m or N
        m/rad] (default: 0)
    damping: force per rate of that coordinate [N s/m or N m s/rad] (default: 0)
    free: coordinate at which the spring has no force [m or rad] (default: value at the start)
    backlash: width about `free` in which stiffness and damping do not act [m or rad] (default: 0)
    torque: torque on the body of b along the angle, an expression of value, rate, t and any state [N m]
    armature: inertia along the coordinate, such as that of the rotor of a motor times the square of its
        gear ratio [kg m2 or kg] (default: 0)
    limits: compliant or rigid limits of the coordinate
    friction: dry friction along the coordinate
    motor: motor with its controller, along the coordinate
    """
    SECTION = "joints"
    TYPE = "universal"
    KEYS = ("a", "b", "point", "axis", "stiffness", "damping", "free", "backlash", "torque", "armature",
            "limits", "friction", "motor")

    def __init__(self, name: str, *, a: Reference | None = None, b: Reference | None = None,
                 point: Vector | None = None, axis: Vector | None = None,
                 stiffness: Number | None = None, damping: Number | None = None,
                 free: Number | None = None, backlash: Number | None = None,
                 torque: Expression | None = None, armature: Number | None = None,
                 limits: Value | Map | None = None, friction: Value | Map | None = None,
                 motor: Value | Map | None = None):
        super().__init__(name, locals())


class ConstantVelocity(Entry):
    r"""Common origin, equal rotation about the two z axes.

    a: first frame (required)
    b: second frame; the reaction of the joint acts on its body (required)
    point: origin of both joint frames; inertial frame, at the start [m] (default: origins of a and b)
    axis: direction of the z axes of both joint frames; inertial frame, at the start (default: z axes of
        a and b)
    """
    SECTION = "joints"
    TYPE = "constant-velocity"
    KEYS = ("a", "b", "point", "axis")

    def __init__(self, name: str, *, a: Reference | None = None, b: Reference | None = None,
                 point: Vector | None = None, axis: Vector | None = None):
        super().__init__(name, locals())


class Planar(Entry):
    r"""Origin of b in the x-y plane of a, z axes parallel.

    a: first frame (required)
    b: second frame; the reaction of the joint acts on its body (required)
    point: origin of both joint frames; inertial frame, at the start [m] (default: origins of a and b)
    axis: direction of the z axes of both joint frames; inertial frame, at the start (default: z axes of
        a and b)
    stiffness: of a spring along the first coordinate of the joint, its angle or distance [N/m or N
        m/rad] (default: 0)
    damping: force per rate of that coordinate [N s/m or N m s/rad] (default: 0)
    free: coordinate at which the spring has no force [m or rad] (default: value at the start)
    backlash: width about `free` in which stiffness and damping do not act [m or rad] (default: 0)
    torque: torque on the body of b along the angle, an expression of value, rate, t and any state [N m]
    armature: inertia along the coordinate, such as that of the rotor of a motor times the square of its
        gear ratio [kg m2 or kg] (default: 0)
    limits: compliant or rigid limits of the coordinate
    friction: dry friction along the coordinate
    motor: motor with its controller, along the coordinate
    """
    SECTION = "joints"
    TYPE = "planar"
    KEYS = ("a", "b", "point", "axis", "stiffness", "damping", "free", "backlash", "torque", "armature",
            "limits", "friction", "motor")

    def __init__(self, name: str, *, a: Reference | None = None, b: Reference | None = None,
                 point: Vector | None = None, axis: Vector | None = None,
                 stiffness: Number | None = None, damping: Number | None = None,
                 free: Number | None = None, backlash: Number | None = None,
                 torque: Expression | None = None, armature: Number | None = None,
                 limits: Value | Map | None = None, friction: Value | Map | None = None,
                 motor: Value | Map | None = None):
        super().__init__(name, locals())


class PointOnLine(Entry):
    r"""Origin of b on the z axis of a.

    a: first frame (required)
    b: second frame; the reaction of the joint acts on its body (required)
    point: origin of both joint frames; inertial frame, at the start [m] (default: origins of a and b)
    axis: direction of the z axes of both joint frames; inertial frame, at the start (default: z axes of
        a and b)
    stiffness: of a spring along the first coordinate of the joint, its angle or distance [N/m or N
        m/rad] (default: 0)
    damping: force per rate of that coordinate [N s/m or N m s/rad] (default: 0)
    free: coordinate at which the spring has no force [m or rad] (default: value at the start)
    backlash: width about `free` in which stiffness and damping do not act [m or rad] (default: 0)
    force: force on the body of b along the coordinate, an expression of value, rate, t and any state
        [N]
    armature: inertia along the coordinate, such as that of the rotor of a motor times the square of its
        gear ratio [kg m2 or kg] (default: 0)
    limits: compliant or rigid limits of the coordinate
    friction: dry friction along the coordinate
    motor: motor with its controller, along the coordinate
    """
    SECTION = "joints"
    TYPE = "point-on-line"
    KEYS = ("a", "b", "point", "axis", "stiffness", "damping", "free", "backlash", "force", "armature",
            "limits", "friction", "motor")

    def __init__(self, name: str, *, a: Reference | None = None, b: Reference | None = None,
                 point: Vector | None = None, axis: Vector | None = None,
                 stiffness: Number | None = None, damping: Number | None = None,
                 free: Number | None = None, backlash: Number | None = None,
                 force: Expression | None = None, armature: Number | None = None,
                 limits: Value | Map | None = None, friction: Value | Map | None = None,
                 motor: Value | Map | None = None):
        super().__init__(name, locals())


class PointOnPlane(Entry):
    r"""Origin of b in the x-y plane of a.

    a: first frame (required)
    b: second frame; the reaction of the joint acts on its body (required)
    point: origin of both joint frames; inertial frame, at the start [m] (default: origins of a and b)
    axis: direction of the z axes of both joint frames; inertial frame, at the start (default: z axes of
        a and b)
    stiffness: of a spring along the first coordinate of the joint, its angle or distance [N/m or N
        m/rad] (default: 0)
    damping: force per rate of that coordinate [N s/m or N m s/rad] (default: 0)
    free: coordinate at which the spring has no force [m or rad] (default: value at the start)
    backlash: width about `free` in which stiffness and damping do not act [m or rad] (default: 0)
    force: force on the body of b along the coordinate, an expression of value, rate, t and any state
        [N]
    armature: inertia along the coordinate, such as that of the rotor of a motor times the square of its
        gear ratio [kg m2 or kg] (default: 0)
    limits: compliant or rigid limits of the coordinate
    friction: dry friction along the coordinate
    motor: motor with its controller, along the coordinate
    """
    SECTION = "joints"
    TYPE = "point-on-plane"
    KEYS = ("a", "b", "point", "axis", "stiffness", "damping", "free", "backlash", "force", "armature",
            "limits", "friction", "motor")

    def __init__(self, name: str, *, a: Reference | None = None, b: Reference | None = None,
                 point: Vector | None = None, axis: Vector | None = None,
                 stiffness: Number | None = None, damping: Number | None = None,
                 free: Number | None = None, backlash: Number | None = None,
                 force: Expression | None = None, armature: Number | None = None,
                 limits: Value | Map | None = None, friction: Value | Map | None = None,
                 motor: Value | Map | None = None):
        super().__init__(name, locals())


class Distance(Entry):
    r"""Constant distance between the origins (a massless rod).

    a: first frame (required)
    b: second frame; the reaction of the joint acts on its body (required)
    length: distance between the origins [m] (default: value at the start)
    stiffness: of a spring along the first coordinate of the joint, its angle or distance [N/m or N
        m/rad] (default: 0)
    damping: force per rate of that coordinate [N s/m or N m s/rad] (default: 0)
    free: coordinate at which the spring has no force [m or rad] (default: value at the start)
    backlash: width about `free` in which stiffness and damping do not act [m or rad] (default: 0)
    force: force on the body of b along the coordinate, an expression of value, rate, t and any state
        [N]
    armature: inertia along the coordinate, such as that of the rotor of a motor times the square of its
        gear ratio [kg m2 or kg] (default: 0)
    limits: compliant or rigid limits of the coordinate
    friction: dry friction along the coordinate
    motor: motor with its controller, along the coordinate
    """
    SECTION = "joints"
    TYPE = "distance"
    KEYS = ("a", "b", "length", "stiffness", "damping", "free", "backlash", "force", "armature",
            "limits", "friction", "motor")

    def __init__(self, name: str, *, a: Reference | None = None, b: Reference | None = None,
                 length: Number | None = None, stiffness: Number | None = None,
                 damping: Number | None = None, free: Number | None = None,
                 backlash: Number | None = None, force: Expression | None = None,
                 armature: Number | None = None, limits: Value | Map | None = None,
                 friction: Value | Map | None = None, motor: Value | Map | None = None):
        super().__init__(name, locals())


class Parallel(Entry):
    r"""Z axes parallel.

    a: first frame (required)
    b: second frame; the reaction of the joint acts on its body (required)
    axis: direction of the z axes of both joint frames; inertial frame, at the start (default: z axes of
        a and b)
    stiffness: of a spring along the first coordinate of the joint, its angle or distance [N/m or N
        m/rad] (default: 0)
    damping: force per rate of that coordinate [N s/m or N m s/rad] (default: 0)
    free: coordinate at which the spring has no force [m or rad] (default: value at the start)
    backlash: width about `free` in which stiffness and damping do not act [m or rad] (default: 0)
    torque: torque on the body of b along the angle, an expression of value, rate, t and any state [N m]
    armature: inertia along the coordinate, such as that of the rotor of a motor times the square of its
        gear ratio [kg m2 or kg] (default: 0)
    limits: compliant or rigid limits of the coordinate
    friction: dry friction along the coordinate
    motor: motor with its controller, along the coordinate
    """
    SECTION = "joints"
    TYPE = "parallel"
    KEYS = ("a", "b", "axis", "stiffness", "damping", "free", "backlash", "torque", "armature",
            "limits", "friction", "motor")

    def __init__(self, name: str, *, a: Reference | None = None, b: Reference | None = None,
                 axis: Vector | None = None, stiffness: Number | None = None,
                 damping: Number | None = None, free: Number | None = None,
                 backlash: Number | None = None, torque: Expression | None = None,
                 armature: Number | None = None, limits: Value | Map | None = None,
                 friction: Value | Map | None = None, motor: Value | Map | None = None):
        super().__init__(name, locals())


class Perpendicular(Entry):
    r"""Z axes perpendicular.

    a: first frame (required)
    b: second frame; the reaction of the joint acts on its body (required)
    """
    SECTION = "joints"
    TYPE = "perpendicular"
    KEYS = ("a", "b")

    def __init__(self, name: str, *, a: Reference | None = None, b: Reference | None = None):
        super().__init__(name, locals())


class Screw(Entry):
    r"""Cylindrical, with translation = pitch * turns.

    a: first frame (required)
    b: second frame; the reaction of the joint acts on its body (required)
    point: origin of both joint frames; inertial frame, at the start [m] (default: origins of a and b)
    axis: direction of the z axes of both joint frames; inertial frame, at the start (default: z axes of
        a and b)
    pitch: translation per full turn [m/turn] (required)
    angle: angle at the start, if it is beyond half a turn: selects the number of full turns, also for
        torsion springs and other angles about this axis [rad] (default: between -pi and pi)
    stiffness: of a spring along the first coordinate of the joint, its angle or distance [N/m or N
        m/rad] (default: 0)
    damping: force per rate of that coordinate [N s/m or N m s/rad] (default: 0)
    free: coordinate at which the spring has no force [m or rad] (default: value at the start)
    backlash: width about `free` in which stiffness and damping do not act [m or rad] (default: 0)
    torque: torque on the body of b along the angle, an expression of value, rate, t and any state [N m]
    armature: inertia along the coordinate, such as that of the rotor of a motor times the square of its
        gear ratio [kg m2 or kg] (default: 0)
    limits: compliant or rigid limits of the coordinate
    friction: dry friction along the coordinate
    motor: motor with its controller, along the coordinate
    """
    SECTION = "joints"
    TYPE = "screw"
    KEYS = ("a", "b", "point", "axis", "pitch", "angle", "stiffness", "damping", "free", "backlash",
            "torque", "armature", "limits", "friction", "motor")

    def __init__(self, name: str, *, a: Reference | None = None, b: Reference | None = None,
                 point: Vector | None = None, axis: Vector | None = None, pitch: Number | None = None,
                 angle: Number | None = None, stiffness: Number | None = None,
                 damping: Number | None = None, free: Number | None = None,
                 backlash: Number | None = None, torque: Expression | None = None,
                 armature: Number | None = None, limits: Value | Map | None = None,
                 friction: Value | Map | None = None, motor: Value | Map | None = None):
        super().__init__(name, locals())


class Gear(Entry):
    r"""First - ratio * second stays constant.

    ratio: gear: change of first per change of second; rack: radius of the pinion [m] (required)
    first: gear: one coordinate, `joint.angle` or `joint.distance`; rack: the distance (required)
    second: gear: the other coordinate; rack: the angle (required)
    """
    SECTION = "joints"
    TYPE = "gear"
    KEYS = ("ratio", "first", "second")

    def __init__(self, name: str, *, ratio: Number | None = None, first: Reference | None = None,
                 second: Reference | None = None):
        super().__init__(name, locals())


class Rack(Entry):
    r"""Distance - ratio * angle stays constant.

    ratio: gear: change of first per change of second; rack: radius of the pinion [m] (required)
    first: gear: one coordinate, `joint.angle` or `joint.distance`; rack: the distance (required)
    second: gear: the other coordinate; rack: the angle (required)
    """
    SECTION = "joints"
    TYPE = "rack"
    KEYS = ("ratio", "first", "second")

    def __init__(self, name: str, *, ratio: Number | None = None, first: Reference | None = None,
                 second: Reference | None = None):
        super().__init__(name, locals())


class Driver(Entry):
    r"""A coordinate, or its rate, follows an expression of time.

    of: the driven coordinate: `joint.angle`, `joint.distance`, `frame.x`, `frame.y`, `frame.z` or
        `distance(frame, frame)` (required)
    motion: its value as an expression of t; either this or `speed` [m or rad]
    speed: its rate as an expression of t; the value is free at the start and then the integral [m/s or
        rad/s]
    actuators: coordinates of joints or springs whose forces make the motion, such as `[leg1.distance,
        leg2.distance]`; all drivers with actuators use all of these together (default: the driver
        itself)
    """
    SECTION = "joints"
    TYPE = "driver"
    KEYS = ("of", "motion", "speed", "actuators")

    def __init__(self, name: str, *, of: Reference | None = None, motion: Expression | None = None,
                 speed: Expression | None = None, actuators: Sequence[Any] | str | None = None):
        super().__init__(name, locals())


class Pose(Entry):
    r"""Position and orientation of b relative to a follow expressions of time.

    a: first frame (required)
    b: second frame; the reaction of the joint acts on its body (required)
    x: position of the origin of b along x of a, as an expression of t [m] (default: free)
    y: the same along y of a [m] (default: free)
    z: the same along z of a [m] (default: free)
    roll: rotation of b about x of a, as an expression of t; the first of three rotations about the axes
        of a, then pitch, then yaw [rad] (default: free)
    pitch: rotation about y of a, between -pi/2 and pi/2 [rad] (default: free)
    yaw: rotation about z of a; in planar models the angle [rad] (default: free)
    actuators: coordinates of joints or springs whose forces make the motion, such as `[leg1.distance,
        leg2.distance]`; all drivers with actuators use all of these together (default: the driver
        itself)
    """
    SECTION = "joints"
    TYPE = "pose"
    KEYS = ("a", "b", "x", "y", "z", "roll", "pitch", "yaw", "actuators")

    def __init__(self, name: str, *, a: Reference | None = None, b: Reference | None = None,
                 x: Expression | None = None, y: Expression | None = None, z: Expression | None = None,
                 roll: Expression | None = None, pitch: Expression | None = None,
                 yaw: Expression | None = None, actuators: Sequence[Any] | str | None = None):
        super().__init__(name, locals())


class KnifeEdge(Entry):
    r"""A blade: origin of b in the x-y plane of a, without velocity along y of b.

    a: first frame (required)
    b: second frame; the reaction of the joint acts on its body (required)
    stiffness: of a spring along the first coordinate of the joint, its angle or distance [N/m or N
        m/rad] (default: 0)
    damping: force per rate of that coordinate [N s/m or N m s/rad] (default: 0)
    free: coordinate at which the spring has no force [m or rad] (default: value at the start)
    backlash: width about `free` in which stiffness and damping do not act [m or rad] (default: 0)
    force: force on the body of b along the coordinate, an expression of value, rate, t and any state
        [N]
    armature: inertia along the coordinate, such as that of the rotor of a motor times the square of its
        gear ratio [kg m2 or kg] (default: 0)
    limits: compliant or rigid limits of the coordinate
    friction: dry friction along the coordinate
    motor: motor with its controller, along the coordinate
    """
    SECTION = "joints"
    TYPE = "knife-edge"
    KEYS = ("a", "b", "stiffness", "damping", "free", "backlash", "force", "armature", "limits",
            "friction", "motor")

    def __init__(self, name: str, *, a: Reference | None = None, b: Reference | None = None,
                 stiffness: Number | None = None, damping: Number | None = None,
                 free: Number | None = None, backlash: Number | None = None,
                 force: Expression | None = None, armature: Number | None = None,
                 limits: Value | Map | None = None, friction: Value | Map | None = None,
                 motor: Value | Map | None = None):
        super().__init__(name, locals())


class Wheel(Entry):
    r"""A disc about z of b rolls without slip on the x-y plane of a, on the side of +z.

    a: first frame (required)
    b: second frame; the reaction of the joint acts on its body (required)
    radius: radius of the disc [m] (required)
    tread: radius of the rounded tread: the wheel is a torus whose middle circle has `radius` [m]
        (default: 0: a sharp edge)
    stiffness: of a spring along the first coordinate of the joint, its angle or distance [N/m or N
        m/rad] (default: 0)
    damping: force per rate of that coordinate [N s/m or N m s/rad] (default: 0)
    free: coordinate at which the spring has no force [m or rad] (default: value at the start)
    backlash: width about `free` in which stiffness and damping do not act [m or rad] (default: 0)
    force: force on the body of b along the coordinate, an expression of value, rate, t and any state
        [N]
    armature: inertia along the coordinate, such as that of the rotor of a motor times the square of its
        gear ratio [kg m2 or kg] (default: 0)
    limits: compliant or rigid limits of the coordinate
    friction: dry friction along the coordinate
    motor: motor with its controller, along the coordinate
    """
    SECTION = "joints"
    TYPE = "wheel"
    KEYS = ("a", "b", "radius", "tread", "stiffness", "damping", "free", "backlash", "force",
            "armature", "limits", "friction", "motor")

    def __init__(self, name: str, *, a: Reference | None = None, b: Reference | None = None,
                 radius: Number | None = None, tread: Number | None = None,
                 stiffness: Number | None = None, damping: Number | None = None,
                 free: Number | None = None, backlash: Number | None = None,
                 force: Expression | None = None, armature: Number | None = None,
                 limits: Value | Map | None = None, friction: Value | Map | None = None,
                 motor: Value | Map | None = None):
        super().__init__(name, locals())
