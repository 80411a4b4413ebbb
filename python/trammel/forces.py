"""Forces, with the keys of model files (docs/model-file.md).

Generated from docs/trammel.schema.json by python/tools/write_entries.py: do not edit by hand.
"""
# pylint: disable=too-many-arguments,too-many-locals,unused-argument,redefined-builtin
from __future__ import annotations

from typing import Any, Literal, Sequence

from .entries import Entry, Expression, Map, Number, Numbers, Reference, Value, Vector


class Spring(Entry):
    r"""Spring-damper-actuator between two points.

    a: first frame (required)
    b: second frame (required)
    stiffness: force per elongation (tyre: compression) [N/m or N m/rad] (default: 0)
    damping: force per rate of elongation [N s/m or N m s/rad] (default: 0)
    length: free length [m] (default: value at the start)
    law: additional force as an expression of length or angle, rate, t and any state; a positive force
        pulls b towards a [N or N m]
    table: additional force by a curve through rows [elongation, force] (tyre: [compression, force]),
        ascending, or the name of a table [m or rad, N or N m]
    interpolation: the curve between the rows of `table` (default: monotone, or that of the table)
    outside: the curve before the first and after the last row of `table` (default: extend, or that of
        the table)
    """
    SECTION = "forces"
    TYPE = "spring"
    KEYS = ("a", "b", "stiffness", "damping", "length", "law", "table", "interpolation", "outside")

    def __init__(self, name: str, *, a: Reference | None = None, b: Reference | None = None,
                 stiffness: Number | None = None, damping: Number | None = None,
                 length: Number | None = None, law: Expression | None = None,
                 table: Sequence[Any] | str | None = None,
                 interpolation: Literal["monotone", "linear", "spline"] | None = None,
                 outside: Literal["extend", "hold"] | None = None):
        super().__init__(name, locals())


class Torsion(Entry):
    r"""Rotational spring-damper-actuator about the z axis of a.

    a: first frame (required)
    b: second frame (required)
    stiffness: force per elongation (tyre: compression) [N/m or N m/rad] (default: 0)
    damping: force per rate of elongation [N s/m or N m s/rad] (default: 0)
    angle: free angle; it may differ from the angle at the start by any number of turns [rad] (default:
        value at the start)
    law: additional force as an expression of length or angle, rate, t and any state; a positive force
        pulls b towards a [N or N m]
    table: additional force by a curve through rows [elongation, force] (tyre: [compression, force]),
        ascending, or the name of a table [m or rad, N or N m]
    interpolation: the curve between the rows of `table` (default: monotone, or that of the table)
    outside: the curve before the first and after the last row of `table` (default: extend, or that of
        the table)
    """
    SECTION = "forces"
    TYPE = "torsion"
    KEYS = ("a", "b", "stiffness", "damping", "angle", "law", "table", "interpolation", "outside")

    def __init__(self, name: str, *, a: Reference | None = None, b: Reference | None = None,
                 stiffness: Number | None = None, damping: Number | None = None,
                 angle: Number | None = None, law: Expression | None = None,
                 table: Sequence[Any] | str | None = None,
                 interpolation: Literal["monotone", "linear", "spline"] | None = None,
                 outside: Literal["extend", "hold"] | None = None):
        super().__init__(name, locals())


class Bushing(Entry):
    r"""Spring-damper in all six directions between two frames.

    a: first frame (required)
    b: second frame (required)
    stiffness: six diagonal entries or a 6 x 6 matrix for (x, y, z, rx, ry, rz) in the axes of frame a
        [N/m, N, N m/rad] (default: 0)
    damping: as stiffness, for the rates [N s/m, N s, N m s/rad] (default: 0)
    preload: force and torque at zero deflection [N, N m] (default: 0)
    """
    SECTION = "forces"
    TYPE = "bushing"
    KEYS = ("a", "b", "stiffness", "damping", "preload")

    def __init__(self, name: str, *, a: Reference | None = None, b: Reference | None = None,
                 stiffness: Sequence[Any] | None = None, damping: Sequence[Any] | None = None,
                 preload: Numbers | None = None):
        super().__init__(name, locals())


class Applied(Entry):
    r"""Force and torque given by expressions.

    at: frame at which force and torque act; tyre: the centre of the wheel (required)
    force: components as expressions of t and any state [N]
    torque: components as expressions of t and any state [N m]
    axes: axes of the components (default: inertial)
    """
    SECTION = "forces"
    TYPE = "applied"
    KEYS = ("at", "force", "torque", "axes")

    def __init__(self, name: str, *, at: Reference | None = None,
                 force: Sequence[Any] | Number | None = None,
                 torque: Sequence[Any] | Number | None = None,
                 axes: Literal["inertial", "body"] | None = None):
        super().__init__(name, locals())


class Drag(Entry):
    r"""Resistance to the motion of a body.

    body: the body on which the drag acts (required)
    linear: force = -(linear + quadratic |v|) v [N s/m] (default: 0)
    quadratic: see linear [N s^2/m^2] (default: 0)
    angular_linear: torque = -(angular_linear + angular_quadratic |w|) w [N m s] (default: 0)
    angular_quadratic: see angular_linear [N m s^2] (default: 0)
    """
    SECTION = "forces"
    TYPE = "drag"
    KEYS = ("body", "linear", "quadratic", "angular_linear", "angular_quadratic")

    def __init__(self, name: str, *, body: Reference | None = None, linear: Number | None = None,
                 quadratic: Number | None = None, angular_linear: Number | None = None,
                 angular_quadratic: Number | None = None):
        super().__init__(name, locals())


class Tyre(Entry):
    r"""Spring-damper between the centre of a wheel and the road below it.

    at: frame at which force and torque act; tyre: the centre of the wheel (required)
    road: the road below the wheel (required)
    radius: radius of the unloaded wheel [m] (required)
    contact: the tyre cannot pull and may lift off the road; false: it can also pull (linear) (default:
        true)
    along: direction of the force of the tyre (default: up)
    stiffness: force per elongation (tyre: compression) [N/m or N m/rad] (default: 0)
    damping: force per rate of elongation [N s/m or N m s/rad] (default: 0)
    table: additional force by a curve through rows [elongation, force] (tyre: [compression, force]),
        ascending, or the name of a table [m or rad, N or N m]
    interpolation: the curve between the rows of `table` (default: monotone, or that of the table)
    outside: the curve before the first and after the last row of `table` (default: extend, or that of
        the table)
    """
    SECTION = "forces"
    TYPE = "tyre"
    KEYS = ("at", "road", "radius", "contact", "along", "stiffness", "damping", "table",
            "interpolation", "outside")

    def __init__(self, name: str, *, at: Reference | None = None, road: Reference | None = None,
                 radius: Number | None = None, contact: bool | None = None,
                 along: Literal["up", "normal"] | None = None, stiffness: Number | None = None,
                 damping: Number | None = None, table: Sequence[Any] | str | None = None,
                 interpolation: Literal["monotone", "linear", "spline"] | None = None,
                 outside: Literal["extend", "hold"] | None = None):
        super().__init__(name, locals())


class Friction(Entry):
    r"""Dry friction along a coordinate of a joint.

    of: the coordinate: `joint.angle`, `joint.distance`, `frame.x`, `frame.y`, `frame.z` or
        `distance(frame, frame)` (required)
    law: law of friction ([friction](friction.md)) (default: coulomb)
    coulomb: force while it slips [N or N m] (default: coefficient * load)
    static: largest force while it sticks [N or N m] (default: that of slip)
    coefficient: coefficient of friction, instead of `coulomb`
    static_coefficient: the same for `static` (default: that of slip)
    load: normal load of the coefficients: a constant, or the force that the joint transmits [N]
    radius: along an angle: radius at which the load acts [m]
    stribeck: speed over which the force falls from `static` to `coulomb`; without it: at once [m/s or
        rad/s]
    viscous: additional force per speed [N s/m or N m s/rad] (default: 0)
    bristle_stiffness: lugre: stiffness of the bristles, sigma_0 [N/m or N m/rad]
    bristle_damping: lugre: damping of the bristles, sigma_1 [N s/m or N m s/rad] (default: 0)
    creep: regularized: speed at which 76 % of the force is reached [m/s or rad/s]
    """
    SECTION = "forces"
    TYPE = "friction"
    KEYS = ("of", "law", "coulomb", "static", "coefficient", "static_coefficient", "load", "radius",
            "stribeck", "viscous", "bristle_stiffness", "bristle_damping", "creep")

    def __init__(self, name: str, *, of: Reference | None = None,
                 law: Literal["coulomb", "lugre", "regularized"] | None = None,
                 coulomb: Number | None = None, static: Number | None = None,
                 coefficient: Number | None = None, static_coefficient: Number | None = None,
                 load: Number | None = None, radius: Number | None = None,
                 stribeck: Number | None = None, viscous: Number | None = None,
                 bristle_stiffness: Number | None = None, bristle_damping: Number | None = None,
                 creep: Number | None = None):
        super().__init__(name, locals())


class Coordinate(Entry):
    r"""Spring, damper, limits and drive along a coordinate of a joint.

    of: the coordinate: `joint.angle`, `joint.distance`, `frame.x`, `frame.y`, `frame.z` or
        `distance(frame, frame)` (required)
    force: force or torque along the coordinate, an expression of value, rate, t and any state [N or N
        m]
    free: coordinate at which the spring has no force [m or rad] (default: value at the start)
    backlash: width about `free` in which stiffness and damping do not act [m or rad] (default: 0)
    lower: least value of the coordinate without a force [m or rad]
    upper: greatest value of the coordinate without a force [m or rad]
    limit_stiffness: force per way beyond a limit [N/m or N m/rad]
    limit_damping: force per speed beyond a limit; the sum never pulls [N s/m or N m s/rad] (default: 0)
    stiffness: force per elongation (tyre: compression) [N/m or N m/rad] (default: 0)
    damping: force per rate of elongation [N s/m or N m s/rad] (default: 0)
    """
    SECTION = "forces"
    TYPE = "coordinate"
    KEYS = ("of", "force", "free", "backlash", "lower", "upper", "limit_stiffness", "limit_damping",
            "stiffness", "damping")

    def __init__(self, name: str, *, of: Reference | None = None, force: Expression | None = None,
                 free: Number | None = None, backlash: Number | None = None,
                 lower: Number | None = None, upper: Number | None = None,
                 limit_stiffness: Number | None = None, limit_damping: Number | None = None,
                 stiffness: Number | None = None, damping: Number | None = None):
        super().__init__(name, locals())


class Limit(Entry):
    r"""Rigid limits of a coordinate of a joint, with restitution.

    of: the coordinate: `joint.angle`, `joint.distance`, `frame.x`, `frame.y`, `frame.z` or
        `distance(frame, frame)` (required)
    lower: least value of the coordinate without a force [m or rad]
    upper: greatest value of the coordinate without a force [m or rad]
    restitution: rate after an impact over the rate before it, 0 (none) to 1 (no loss) (required)
    """
    SECTION = "forces"
    TYPE = "limit"
    KEYS = ("of", "lower", "upper", "restitution")

    def __init__(self, name: str, *, of: Reference | None = None, lower: Number | None = None,
                 upper: Number | None = None, restitution: Number | None = None):
        super().__init__(name, locals())


class SlipTyre(Entry):
    r"""Tyre of a wheel that rolls with slip (slip).

    at: frame at which force and torque act; tyre: the centre of the wheel (required)
    road: the road below the wheel (required)
    radius: radius of the unloaded wheel [m] (required)
    axis: axis of the wheel in the axes of `at`; its body turns with the wheel. The wheel rolls forward
        along `direction` of the road, whichever way the axis points (default: y, planar: z)
    law: law of the forces of slip (default: brush)
    load: normal load to which stiffnesses and damping of the slip belong [N] (required)
    load_exponent: exponent p by which all forces of slip are in proportion to N (N/load)^p with the
        normal load N; above -1, of tyres of cars about -0.1 (default: 0)
    coefficient: brush: coefficient of friction
    longitudinal_stiffness: brush: longitudinal force per slip, at `load` [N]
    cornering_stiffness: brush: side force per slip angle, at `load` [N/rad]
    longitudinal: magic formula: longitudinal force by the slip kappa
    lateral: magic formula: side force by the tangent of the slip angle
    longitudinal_relaxation: relaxation length: distance over which the longitudinal slip approaches
        that of the motion [m] (required)
    lateral_relaxation: the same across [m] (required)
    slip_damping: force per rate of the deflection of the tyre along and across the road, at `load`; it
        ends the oscillations of a vehicle that has stopped [N s/m] (default: 0)
    trail: pneumatic trail at small slip: the side force acts that much behind the contact [m] (default:
        0)
    stiffness: force per elongation (tyre: compression) [N/m or N m/rad] (default: 0)
    damping: force per rate of elongation [N s/m or N m s/rad] (default: 0)
    table: additional force by a curve through rows [elongation, force] (tyre: [compression, force]),
        ascending, or the name of a table [m or rad, N or N m]
    interpolation: the curve between the rows of `table` (default: monotone, or that of the table)
    outside: the curve before the first and after the last row of `table` (default: extend, or that of
        the table)
    """
    SECTION = "forces"
    TYPE = "slip-tyre"
    KEYS = ("at", "road", "radius", "axis", "law", "load", "load_exponent", "coefficient",
            "longitudinal_stiffness", "cornering_stiffness", "longitudinal", "lateral",
            "longitudinal_relaxation", "lateral_relaxation", "slip_damping", "trail", "stiffness",
            "damping", "table", "interpolation", "outside")

    def __init__(self, name: str, *, at: Reference | None = None, road: Reference | None = None,
                 radius: Number | None = None, axis: Vector | None = None,
                 law: Literal["brush", "magic-formula"] | None = None, load: Number | None = None,
                 load_exponent: Number | None = None, coefficient: Number | None = None,
                 longitudinal_stiffness: Number | None = None,
                 cornering_stiffness: Number | None = None, longitudinal: Value | Map | None = None,
                 lateral: Value | Map | None = None, longitudinal_relaxation: Number | None = None,
                 lateral_relaxation: Number | None = None, slip_damping: Number | None = None,
                 trail: Number | None = None, stiffness: Number | None = None,
                 damping: Number | None = None, table: Sequence[Any] | str | None = None,
                 interpolation: Literal["monotone", "linear", "spline"] | None = None,
                 outside: Literal["extend", "hold"] | None = None):
        super().__init__(name, locals())


class Armature(Entry):
    r"""Inertia along a coordinate of a joint.

    of: the coordinate: `joint.angle`, `joint.distance`, `frame.x`, `frame.y`, `frame.z` or
        `distance(frame, frame)` (required)
    armature: inertia along the coordinate [kg m2 or kg] (required)
    """
    SECTION = "forces"
    TYPE = "armature"
    KEYS = ("of", "armature")

    def __init__(self, name: str, *, of: Reference | None = None, armature: Number | None = None):
        super().__init__(name, locals())
