"""Beams by their section, with the keys of model files (docs/model-file.md).

Generated from docs/trammel.schema.json by python/tools/write_entries.py: do not edit by hand.
"""
# pylint: disable=too-many-arguments,too-many-locals,unused-argument,redefined-builtin
from __future__ import annotations

from typing import Any, Literal, Sequence

from .entries import Entry, Map, Number, Numbers, Value, Vector


class General(Entry):
    r"""Stiffness, mass and inertia of the section are given.

    position: start of the beam, inertial frame [m] (default: [0, 0, 0])
    end: end of a straight beam, inertial frame; instead of length, orientation [m]
    up: with end or points: direction of section axis z at the start, made perpendicular to the beam
        (default: z, or y for a beam along z)
    length: length along the axis, if no end is given [m]
    orientation: with length: section axes at the start; x points along the beam [rad] (default: 0)
    curvature: of the shape without stress: twist and curvatures about y and z, section axes; with end
        or points: only twist [rad/m] (default: [0, 0, 0])
    points: points of a curved beam, inertial frame, joined by a smooth curve; instead of position, end,
        length, orientation [m]
    stations: shares of the length, 0 to 1, at which elements end: the frames NAME.s1, NAME.s2, ...
    elements: number of elements; at least one between two stations (default: 4)
    order: degree of the elements, 1 to 3: an element has order + 1 nodes (default: 3)
    interpolation: what the elements interpolate between their nodes (default: r3so3)
    stiffness: six diagonal entries [EA, GAy, GAz, GJ, EIy, EIz] or a 6 x 6 matrix, symmetric and
        positive definite [N, N m, N m^2] (required)
    mass: per length [kg/m] (required)
    inertia: per length, about the centre of mass in section axes; numbers as those of a body [kg m]
        (required)
    damping: stress = stiffness (strain + damping d(strain)/dt) [s] (default: 0)
    mass_damping: force = -mass_damping times momentum, against motion in space [1/s] (default: 0)
    load: force per length along the whole beam, inertial axes; expressions of t and any state [N/m]
    load_moment: moment per length, inertial axes [N]
    follower_load: force per length in the axes of the moving sections [N/m]
    follower_moment: moment per length in the axes of the moving sections [N]
    velocity: of the start point at the start, inertial frame [m/s] (default: [0, 0, 0])
    angular_velocity: at the start, inertial frame: the beam moves as a rigid body [rad/s] (default: [0,
        0, 0])
    """
    SECTION = "beams"
    TYPE = "general"
    KEYS = ("position", "end", "up", "length", "orientation", "curvature", "points", "stations",
            "elements", "order", "interpolation", "stiffness", "mass", "inertia", "damping",
            "mass_damping", "load", "load_moment", "follower_load", "follower_moment", "velocity",
            "angular_velocity")

    def __init__(self, name: str, *, position: Vector | None = None, end: Vector | None = None,
                 up: Vector | None = None, length: Number | None = None,
                 orientation: Number | Value | Map | None = None,
                 curvature: Number | Vector | None = None, points: Numbers | None = None,
                 stations: Numbers | None = None, elements: Number | None = None,
                 order: Number | None = None, interpolation: Literal["r3so3", "se3"] | None = None,
                 stiffness: Sequence[Any] | None = None, mass: Number | None = None,
                 inertia: Number | Numbers | None = None, damping: Number | None = None,
                 mass_damping: Number | None = None, load: Sequence[Any] | Number | None = None,
                 load_moment: Sequence[Any] | Number | None = None,
                 follower_load: Sequence[Any] | Number | None = None,
                 follower_moment: Sequence[Any] | Number | None = None, velocity: Vector | None = None,
                 angular_velocity: Number | Vector | None = None):
        super().__init__(name, locals())


class Rectangle(Entry):
    r"""Width along y, height along z.

    position: start of the beam, inertial frame [m] (default: [0, 0, 0])
    end: end of a straight beam, inertial frame; instead of length, orientation [m]
    up: with end or points: direction of section axis z at the start, made perpendicular to the beam
        (default: z, or y for a beam along z)
    length: length along the axis, if no end is given [m]
    orientation: with length: section axes at the start; x points along the beam [rad] (default: 0)
    curvature: of the shape without stress: twist and curvatures about y and z, section axes; with end
        or points: only twist [rad/m] (default: [0, 0, 0])
    points: points of a curved beam, inertial frame, joined by a smooth curve; instead of position, end,
        length, orientation [m]
    stations: shares of the length, 0 to 1, at which elements end: the frames NAME.s1, NAME.s2, ...
    elements: number of elements; at least one between two stations (default: 4)
    order: degree of the elements, 1 to 3: an element has order + 1 nodes (default: 3)
    interpolation: what the elements interpolate between their nodes (default: r3so3)
    width: of the section, along y [m] (required)
    height: of the section, along z [m] (required)
    material: E, nu and density by name
    E: Young's modulus [Pa] (default: of the material)
    nu: Poisson's ratio, more than -1 and at most 0.5 (default: of the material)
    density: mass per volume [kg/m^3] (default: of the material)
    damping: stress = stiffness (strain + damping d(strain)/dt) [s] (default: 0)
    mass_damping: force = -mass_damping times momentum, against motion in space [1/s] (default: 0)
    load: force per length along the whole beam, inertial axes; expressions of t and any state [N/m]
    load_moment: moment per length, inertial axes [N]
    follower_load: force per length in the axes of the moving sections [N/m]
    follower_moment: moment per length in the axes of the moving sections [N]
    velocity: of the start point at the start, inertial frame [m/s] (default: [0, 0, 0])
    angular_velocity: at the start, inertial frame: the beam moves as a rigid body [rad/s] (default: [0,
        0, 0])
    """
    SECTION = "beams"
    TYPE = "rectangle"
    KEYS = ("position", "end", "up", "length", "orientation", "curvature", "points", "stations",
            "elements", "order", "interpolation", "width", "height", "material", "E", "nu", "density",
            "damping", "mass_damping", "load", "load_moment", "follower_load", "follower_moment",
            "velocity", "angular_velocity")

    def __init__(self, name: str, *, position: Vector | None = None, end: Vector | None = None,
                 up: Vector | None = None, length: Number | None = None,
                 orientation: Number | Value | Map | None = None,
                 curvature: Number | Vector | None = None, points: Numbers | None = None,
                 stations: Numbers | None = None, elements: Number | None = None,
                 order: Number | None = None, interpolation: Literal["r3so3", "se3"] | None = None,
                 width: Number | None = None, height: Number | None = None,
                 material: Literal["none", "steel", "aluminium", "titanium"] | None = None,
                 E: Number | None = None, nu: Number | None = None, density: Number | None = None,
                 damping: Number | None = None, mass_damping: Number | None = None,
                 load: Sequence[Any] | Number | None = None,
                 load_moment: Sequence[Any] | Number | None = None,
                 follower_load: Sequence[Any] | Number | None = None,
                 follower_moment: Sequence[Any] | Number | None = None, velocity: Vector | None = None,
                 angular_velocity: Number | Vector | None = None):
        super().__init__(name, locals())


class Circle(Entry):
    r"""A full circle.

    position: start of the beam, inertial frame [m] (default: [0, 0, 0])
    end: end of a straight beam, inertial frame; instead of length, orientation [m]
    up: with end or points: direction of section axis z at the start, made perpendicular to the beam
        (default: z, or y for a beam along z)
    length: length along the axis, if no end is given [m]
    orientation: with length: section axes at the start; x points along the beam [rad] (default: 0)
    curvature: of the shape without stress: twist and curvatures about y and z, section axes; with end
        or points: only twist [rad/m] (default: [0, 0, 0])
    points: points of a curved beam, inertial frame, joined by a smooth curve; instead of position, end,
        length, orientation [m]
    stations: shares of the length, 0 to 1, at which elements end: the frames NAME.s1, NAME.s2, ...
    elements: number of elements; at least one between two stations (default: 4)
    order: degree of the elements, 1 to 3: an element has order + 1 nodes (default: 3)
    interpolation: what the elements interpolate between their nodes (default: r3so3)
    radius: outer radius of the section [m] (required)
    material: E, nu and density by name
    E: Young's modulus [Pa] (default: of the material)
    nu: Poisson's ratio, more than -1 and at most 0.5 (default: of the material)
    density: mass per volume [kg/m^3] (default: of the material)
    damping: stress = stiffness (strain + damping d(strain)/dt) [s] (default: 0)
    mass_damping: force = -mass_damping times momentum, against motion in space [1/s] (default: 0)
    load: force per length along the whole beam, inertial axes; expressions of t and any state [N/m]
    load_moment: moment per length, inertial axes [N]
    follower_load: force per length in the axes of the moving sections [N/m]
    follower_moment: moment per length in the axes of the moving sections [N]
    velocity: of the start point at the start, inertial frame [m/s] (default: [0, 0, 0])
    angular_velocity: at the start, inertial frame: the beam moves as a rigid body [rad/s] (default: [0,
        0, 0])
    """
    SECTION = "beams"
    TYPE = "circle"
    KEYS = ("position", "end", "up", "length", "orientation", "curvature", "points", "stations",
            "elements", "order", "interpolation", "radius", "material", "E", "nu", "density", "damping",
            "mass_damping", "load", "load_moment", "follower_load", "follower_moment", "velocity",
            "angular_velocity")

    def __init__(self, name: str, *, position: Vector | None = None, end: Vector | None = None,
                 up: Vector | None = None, length: Number | None = None,
                 orientation: Number | Value | Map | None = None,
                 curvature: Number | Vector | None = None, points: Numbers | None = None,
                 stations: Numbers | None = None, elements: Number | None = None,
                 order: Number | None = None, interpolation: Literal["r3so3", "se3"] | None = None,
                 radius: Number | None = None,
                 material: Literal["none", "steel", "aluminium", "titanium"] | None = None,
                 E: Number | None = None, nu: Number | None = None, density: Number | None = None,
                 damping: Number | None = None, mass_damping: Number | None = None,
                 load: Sequence[Any] | Number | None = None,
                 load_moment: Sequence[Any] | Number | None = None,
                 follower_load: Sequence[Any] | Number | None = None,
                 follower_moment: Sequence[Any] | Number | None = None, velocity: Vector | None = None,
                 angular_velocity: Number | Vector | None = None):
        super().__init__(name, locals())


class Tube(Entry):
    r"""A circular ring.

    position: start of the beam, inertial frame [m] (default: [0, 0, 0])
    end: end of a straight beam, inertial frame; instead of length, orientation [m]
    up: with end or points: direction of section axis z at the start, made perpendicular to the beam
        (default: z, or y for a beam along z)
    length: length along the axis, if no end is given [m]
    orientation: with length: section axes at the start; x points along the beam [rad] (default: 0)
    curvature: of the shape without stress: twist and curvatures about y and z, section axes; with end
        or points: only twist [rad/m] (default: [0, 0, 0])
    points: points of a curved beam, inertial frame, joined by a smooth curve; instead of position, end,
        length, orientation [m]
    stations: shares of the length, 0 to 1, at which elements end: the frames NAME.s1, NAME.s2, ...
    elements: number of elements; at least one between two stations (default: 4)
    order: degree of the elements, 1 to 3: an element has order + 1 nodes (default: 3)
    interpolation: what the elements interpolate between their nodes (default: r3so3)
    radius: outer radius of the section [m] (required)
    inner_radius: of a tube [m] (required)
    material: E, nu and density by name
    E: Young's modulus [Pa] (default: of the material)
    nu: Poisson's ratio, more than -1 and at most 0.5 (default: of the material)
    density: mass per volume [kg/m^3] (default: of the material)
    damping: stress = stiffness (strain + damping d(strain)/dt) [s] (default: 0)
    mass_damping: force = -mass_damping times momentum, against motion in space [1/s] (default: 0)
    load: force per length along the whole beam, inertial axes; expressions of t and any state [N/m]
    load_moment: moment per length, inertial axes [N]
    follower_load: force per length in the axes of the moving sections [N/m]
    follower_moment: moment per length in the axes of the moving sections [N]
    velocity: of the start point at the start, inertial frame [m/s] (default: [0, 0, 0])
    angular_velocity: at the start, inertial frame: the beam moves as a rigid body [rad/s] (default: [0,
        0, 0])
    """
    SECTION = "beams"
    TYPE = "tube"
    KEYS = ("position", "end", "up", "length", "orientation", "curvature", "points", "stations",
            "elements", "order", "interpolation", "radius", "inner_radius", "material", "E", "nu",
            "density", "damping", "mass_damping", "load", "load_moment", "follower_load",
            "follower_moment", "velocity", "angular_velocity")

    def __init__(self, name: str, *, position: Vector | None = None, end: Vector | None = None,
                 up: Vector | None = None, length: Number | None = None,
                 orientation: Number | Value | Map | None = None,
                 curvature: Number | Vector | None = None, points: Numbers | None = None,
                 stations: Numbers | None = None, elements: Number | None = None,
                 order: Number | None = None, interpolation: Literal["r3so3", "se3"] | None = None,
                 radius: Number | None = None, inner_radius: Number | None = None,
                 material: Literal["none", "steel", "aluminium", "titanium"] | None = None,
                 E: Number | None = None, nu: Number | None = None, density: Number | None = None,
                 damping: Number | None = None, mass_damping: Number | None = None,
                 load: Sequence[Any] | Number | None = None,
                 load_moment: Sequence[Any] | Number | None = None,
                 follower_load: Sequence[Any] | Number | None = None,
                 follower_moment: Sequence[Any] | Number | None = None, velocity: Vector | None = None,
                 angular_velocity: Number | Vector | None = None):
        super().__init__(name, locals())


class I(Entry):
    r"""Two flanges along y, a web along z between them.

    position: start of the beam, inertial frame [m] (default: [0, 0, 0])
    end: end of a straight beam, inertial frame; instead of length, orientation [m]
    up: with end or points: direction of section axis z at the start, made perpendicular to the beam
        (default: z, or y for a beam along z)
    length: length along the axis, if no end is given [m]
    orientation: with length: section axes at the start; x points along the beam [rad] (default: 0)
    curvature: of the shape without stress: twist and curvatures about y and z, section axes; with end
        or points: only twist [rad/m] (default: [0, 0, 0])
    points: points of a curved beam, inertial frame, joined by a smooth curve; instead of position, end,
        length, orientation [m]
    stations: shares of the length, 0 to 1, at which elements end: the frames NAME.s1, NAME.s2, ...
    elements: number of elements; at least one between two stations (default: 4)
    order: degree of the elements, 1 to 3: an element has order + 1 nodes (default: 3)
    interpolation: what the elements interpolate between their nodes (default: r3so3)
    width: of the section, along y [m] (required)
    height: of the section, along z [m] (required)
    web: thickness of the web, or of the leg along z [m] (required)
    flange: thickness of the flanges, or of the leg along y [m] (required)
    material: E, nu and density by name
    E: Young's modulus [Pa] (default: of the material)
    nu: Poisson's ratio, more than -1 and at most 0.5 (default: of the material)
    density: mass per volume [kg/m^3] (default: of the material)
    damping: stress = stiffness (strain + damping d(strain)/dt) [s] (default: 0)
    mass_damping: force = -mass_damping times momentum, against motion in space [1/s] (default: 0)
    load: force per length along the whole beam, inertial axes; expressions of t and any state [N/m]
    load_moment: moment per length, inertial axes [N]
    follower_load: force per length in the axes of the moving sections [N/m]
    follower_moment: moment per length in the axes of the moving sections [N]
    velocity: of the start point at the start, inertial frame [m/s] (default: [0, 0, 0])
    angular_velocity: at the start, inertial frame: the beam moves as a rigid body [rad/s] (default: [0,
        0, 0])
    """
    SECTION = "beams"
    TYPE = "i"
    KEYS = ("position", "end", "up", "length", "orientation", "curvature", "points", "stations",
            "elements", "order", "interpolation", "width", "height", "web", "flange", "material", "E",
            "nu", "density", "damping", "mass_damping", "load", "load_moment", "follower_load",
            "follower_moment", "velocity", "angular_velocity")

    def __init__(self, name: str, *, position: Vector | None = None, end: Vector | None = None,
                 up: Vector | None = None, length: Number | None = None,
                 orientation: Number | Value | Map | None = None,
                 curvature: Number | Vector | None = None, points: Numbers | None = None,
                 stations: Numbers | None = None, elements: Number | None = None,
                 order: Number | None = None, interpolation: Literal["r3so3", "se3"] | None = None,
                 width: Number | None = None, height: Number | None = None, web: Number | None = None,
                 flange: Number | None = None,
                 material: Literal["none", "steel", "aluminium", "titanium"] | None = None,
                 E: Number | None = None, nu: Number | None = None, density: Number | None = None,
                 damping: Number | None = None, mass_damping: Number | None = None,
                 load: Sequence[Any] | Number | None = None,
                 load_moment: Sequence[Any] | Number | None = None,
                 follower_load: Sequence[Any] | Number | None = None,
                 follower_moment: Sequence[Any] | Number | None = None, velocity: Vector | None = None,
                 angular_velocity: Number | Vector | None = None):
        super().__init__(name, locals())


class L(Entry):
    r"""An angle: a leg along y (flange) and one along z (web) from a common corner.

    position: start of the beam, inertial frame [m] (default: [0, 0, 0])
    end: end of a straight beam, inertial frame; instead of length, orientation [m]
    up: with end or points: direction of section axis z at the start, made perpendicular to the beam
        (default: z, or y for a beam along z)
    length: length along the axis, if no end is given [m]
    orientation: with length: section axes at the start; x points along the beam [rad] (default: 0)
    curvature: of the shape without stress: twist and curvatures about y and z, section axes; with end
        or points: only twist [rad/m] (default: [0, 0, 0])
    points: points of a curved beam, inertial frame, joined by a smooth curve; instead of position, end,
        length, orientation [m]
    stations: shares of the length, 0 to 1, at which elements end: the frames NAME.s1, NAME.s2, ...
    elements: number of elements; at least one between two stations (default: 4)
    order: degree of the elements, 1 to 3: an element has order + 1 nodes (default: 3)
    interpolation: what the elements interpolate between their nodes (default: r3so3)
    width: of the section, along y [m] (required)
    height: of the section, along z [m] (required)
    web: thickness of the web, or of the leg along z [m] (required)
    flange: thickness of the flanges, or of the leg along y [m] (required)
    material: E, nu and density by name
    E: Young's modulus [Pa] (default: of the material)
    nu: Poisson's ratio, more than -1 and at most 0.5 (default: of the material)
    density: mass per volume [kg/m^3] (default: of the material)
    damping: stress = stiffness (strain + damping d(strain)/dt) [s] (default: 0)
    mass_damping: force = -mass_damping times momentum, against motion in space [1/s] (default: 0)
    load: force per length along the whole beam, inertial axes; expressions of t and any state [N/m]
    load_moment: moment per length, inertial axes [N]
    follower_load: force per length in the axes of the moving sections [N/m]
    follower_moment: moment per length in the axes of the moving sections [N]
    velocity: of the start point at the start, inertial frame [m/s] (default: [0, 0, 0])
    angular_velocity: at the start, inertial frame: the beam moves as a rigid body [rad/s] (default: [0,
        0, 0])
    """
    SECTION = "beams"
    TYPE = "l"
    KEYS = ("position", "end", "up", "length", "orientation", "curvature", "points", "stations",
            "elements", "order", "interpolation", "width", "height", "web", "flange", "material", "E",
            "nu", "density", "damping", "mass_damping", "load", "load_moment", "follower_load",
            "follower_moment", "velocity", "angular_velocity")

    def __init__(self, name: str, *, position: Vector | None = None, end: Vector | None = None,
                 up: Vector | None = None, length: Number | None = None,
                 orientation: Number | Value | Map | None = None,
                 curvature: Number | Vector | None = None, points: Numbers | None = None,
                 stations: Numbers | None = None, elements: Number | None = None,
                 order: Number | None = None, interpolation: Literal["r3so3", "se3"] | None = None,
                 width: Number | None = None, height: Number | None = None, web: Number | None = None,
                 flange: Number | None = None,
                 material: Literal["none", "steel", "aluminium", "titanium"] | None = None,
                 E: Number | None = None, nu: Number | None = None, density: Number | None = None,
                 damping: Number | None = None, mass_damping: Number | None = None,
                 load: Sequence[Any] | Number | None = None,
                 load_moment: Sequence[Any] | Number | None = None,
                 follower_load: Sequence[Any] | Number | None = None,
                 follower_moment: Sequence[Any] | Number | None = None, velocity: Vector | None = None,
                 angular_velocity: Number | Vector | None = None):
        super().__init__(name, locals())
