"""Shapes of bodies and of the ground, with the keys of model files (docs/model-file.md).

Generated from docs/trammel.schema.json by python/tools/write_entries.py: do not edit by hand.
"""
# pylint: disable=too-many-arguments,too-many-locals,unused-argument,redefined-builtin
from __future__ import annotations

from typing import Literal

from .entries import Entry, Number, Numbers, Reference, Vector


class Sphere(Entry):
    r"""A sphere about the origin of `at`; in planar models a disc.

    at: frame to which the shape is fixed (default: the body of the same name)
    group: a name for several shapes, to be used in contacts
    radius: radius; of a torus, of the circle in its tube [m] (required)
    colour: `"#rrggbb"`, or one of white, silver, grey, black, red, orange, yellow, green, teal, blue,
        purple, pink, brown, gold, steel (default: chosen by the viewer)
    opacity: 1: solid, 0: not to be seen (default: 1)
    hidden: it is not drawn (default: false)
    youngs_modulus: Young's modulus, for contacts of spheres without `stiffness` [Pa]
    poisson: Poisson's ratio (default: 0.3)
    """
    SECTION = "shapes"
    TYPE = "sphere"
    KEYS = ("at", "group", "radius", "colour", "opacity", "hidden", "youngs_modulus", "poisson")

    def __init__(self, name: str | None = None, *, at: Reference | None = None,
                 group: Reference | None = None, radius: Number | None = None,
                 colour: str | None = None, opacity: Number | None = None, hidden: bool | None = None,
                 youngs_modulus: Number | None = None, poisson: Number | None = None):
        super().__init__(name, locals())


class Plane(Entry):
    r"""All that lies below the plane through the origin of `at`.

    at: frame to which the shape is fixed (default: the body of the same name)
    group: a name for several shapes, to be used in contacts
    normal: outward normal in the axes of `at` (default: z, planar: y)
    colour: `"#rrggbb"`, or one of white, silver, grey, black, red, orange, yellow, green, teal, blue,
        purple, pink, brown, gold, steel (default: chosen by the viewer)
    opacity: 1: solid, 0: not to be seen (default: 1)
    hidden: it is not drawn (default: false)
    youngs_modulus: Young's modulus, for contacts of spheres without `stiffness` [Pa]
    poisson: Poisson's ratio (default: 0.3)
    """
    SECTION = "shapes"
    TYPE = "plane"
    KEYS = ("at", "group", "normal", "colour", "opacity", "hidden", "youngs_modulus", "poisson")

    def __init__(self, name: str | None = None, *, at: Reference | None = None,
                 group: Reference | None = None, normal: Vector | None = None,
                 colour: str | None = None, opacity: Number | None = None, hidden: bool | None = None,
                 youngs_modulus: Number | None = None, poisson: Number | None = None):
        super().__init__(name, locals())


class Box(Entry):
    r"""A box along the axes of `at`; in planar models a rectangle.

    at: frame to which the shape is fixed (default: the body of the same name)
    group: a name for several shapes, to be used in contacts
    size: lengths of the edges [m] (required)
    colour: `"#rrggbb"`, or one of white, silver, grey, black, red, orange, yellow, green, teal, blue,
        purple, pink, brown, gold, steel (default: chosen by the viewer)
    opacity: 1: solid, 0: not to be seen (default: 1)
    hidden: it is not drawn (default: false)
    youngs_modulus: Young's modulus, for contacts of spheres without `stiffness` [Pa]
    poisson: Poisson's ratio (default: 0.3)
    """
    SECTION = "shapes"
    TYPE = "box"
    KEYS = ("at", "group", "size", "colour", "opacity", "hidden", "youngs_modulus", "poisson")

    def __init__(self, name: str | None = None, *, at: Reference | None = None,
                 group: Reference | None = None, size: Vector | None = None, colour: str | None = None,
                 opacity: Number | None = None, hidden: bool | None = None,
                 youngs_modulus: Number | None = None, poisson: Number | None = None):
        super().__init__(name, locals())


class Cylinder(Entry):
    r"""A cylinder, its ends slightly domed.

    at: frame to which the shape is fixed (default: the body of the same name)
    group: a name for several shapes, to be used in contacts
    radius: radius; of a torus, of the circle in its tube [m] (required)
    length: length along `axis`, of a capsule without its half spheres; of a height field along x [m]
        (required)
    axis: axis in the axes of `at` (default: z, planar: x, of a torus z)
    colour: `"#rrggbb"`, or one of white, silver, grey, black, red, orange, yellow, green, teal, blue,
        purple, pink, brown, gold, steel (default: chosen by the viewer)
    opacity: 1: solid, 0: not to be seen (default: 1)
    hidden: it is not drawn (default: false)
    youngs_modulus: Young's modulus, for contacts of spheres without `stiffness` [Pa]
    poisson: Poisson's ratio (default: 0.3)
    """
    SECTION = "shapes"
    TYPE = "cylinder"
    KEYS = ("at", "group", "radius", "length", "axis", "colour", "opacity", "hidden", "youngs_modulus",
            "poisson")

    def __init__(self, name: str | None = None, *, at: Reference | None = None,
                 group: Reference | None = None, radius: Number | None = None,
                 length: Number | None = None, axis: Vector | None = None, colour: str | None = None,
                 opacity: Number | None = None, hidden: bool | None = None,
                 youngs_modulus: Number | None = None, poisson: Number | None = None):
        super().__init__(name, locals())


class Capsule(Entry):
    r"""A cylinder with half spheres at its ends.

    at: frame to which the shape is fixed (default: the body of the same name)
    group: a name for several shapes, to be used in contacts
    radius: radius; of a torus, of the circle in its tube [m] (required)
    length: length along `axis`, of a capsule without its half spheres; of a height field along x [m]
        (required)
    axis: axis in the axes of `at` (default: z, planar: x, of a torus z)
    colour: `"#rrggbb"`, or one of white, silver, grey, black, red, orange, yellow, green, teal, blue,
        purple, pink, brown, gold, steel (default: chosen by the viewer)
    opacity: 1: solid, 0: not to be seen (default: 1)
    hidden: it is not drawn (default: false)
    youngs_modulus: Young's modulus, for contacts of spheres without `stiffness` [Pa]
    poisson: Poisson's ratio (default: 0.3)
    """
    SECTION = "shapes"
    TYPE = "capsule"
    KEYS = ("at", "group", "radius", "length", "axis", "colour", "opacity", "hidden", "youngs_modulus",
            "poisson")

    def __init__(self, name: str | None = None, *, at: Reference | None = None,
                 group: Reference | None = None, radius: Number | None = None,
                 length: Number | None = None, axis: Vector | None = None, colour: str | None = None,
                 opacity: Number | None = None, hidden: bool | None = None,
                 youngs_modulus: Number | None = None, poisson: Number | None = None):
        super().__init__(name, locals())


class Cone(Entry):
    r"""A cone, its tip towards `axis`, its middle at the origin of `at`; drawn only.

    at: frame to which the shape is fixed (default: the body of the same name)
    group: a name for several shapes, to be used in contacts
    radius: radius; of a torus, of the circle in its tube [m] (required)
    length: length along `axis`, of a capsule without its half spheres; of a height field along x [m]
        (required)
    axis: axis in the axes of `at` (default: z, planar: x, of a torus z)
    colour: `"#rrggbb"`, or one of white, silver, grey, black, red, orange, yellow, green, teal, blue,
        purple, pink, brown, gold, steel (default: chosen by the viewer)
    opacity: 1: solid, 0: not to be seen (default: 1)
    hidden: it is not drawn (default: false)
    """
    SECTION = "shapes"
    TYPE = "cone"
    KEYS = ("at", "group", "radius", "length", "axis", "colour", "opacity", "hidden")

    def __init__(self, name: str | None = None, *, at: Reference | None = None,
                 group: Reference | None = None, radius: Number | None = None,
                 length: Number | None = None, axis: Vector | None = None, colour: str | None = None,
                 opacity: Number | None = None, hidden: bool | None = None):
        super().__init__(name, locals())


class Torus(Entry):
    r"""A ring about `axis`; drawn only.

    at: frame to which the shape is fixed (default: the body of the same name)
    group: a name for several shapes, to be used in contacts
    radius: radius; of a torus, of the circle in its tube [m] (required)
    tube: radius of the tube [m] (required)
    axis: axis in the axes of `at` (default: z, planar: x, of a torus z)
    colour: `"#rrggbb"`, or one of white, silver, grey, black, red, orange, yellow, green, teal, blue,
        purple, pink, brown, gold, steel (default: chosen by the viewer)
    opacity: 1: solid, 0: not to be seen (default: 1)
    hidden: it is not drawn (default: false)
    """
    SECTION = "shapes"
    TYPE = "torus"
    KEYS = ("at", "group", "radius", "tube", "axis", "colour", "opacity", "hidden")

    def __init__(self, name: str | None = None, *, at: Reference | None = None,
                 group: Reference | None = None, radius: Number | None = None,
                 tube: Number | None = None, axis: Vector | None = None, colour: str | None = None,
                 opacity: Number | None = None, hidden: bool | None = None):
        super().__init__(name, locals())


class Mesh(Entry):
    r"""Triangles of an STL, OBJ or glTF file in the axes of `at`; its hull touches.

    at: frame to which the shape is fixed (default: the body of the same name)
    group: a name for several shapes, to be used in contacts
    file: inside the folder of the model file: STL (text or binary), OBJ or glTF (.glb, or .gltf with
        its data in it); of a height field rows of [columns](tables.md) (required)
    scale: length of a unit of the file, or of `heights`: 0.001 for millimetres [m] (default: 1)
    colour: `"#rrggbb"`, or one of white, silver, grey, black, red, orange, yellow, green, teal, blue,
        purple, pink, brown, gold, steel (default: chosen by the viewer)
    opacity: 1: solid, 0: not to be seen (default: 1)
    hidden: it is not drawn (default: false)
    youngs_modulus: Young's modulus, for contacts of spheres without `stiffness` [Pa]
    poisson: Poisson's ratio (default: 0.3)
    """
    SECTION = "shapes"
    TYPE = "mesh"
    KEYS = ("at", "group", "file", "scale", "colour", "opacity", "hidden", "youngs_modulus", "poisson")

    def __init__(self, name: str | None = None, *, at: Reference | None = None,
                 group: Reference | None = None, file: str | None = None, scale: Number | None = None,
                 colour: str | None = None, opacity: Number | None = None, hidden: bool | None = None,
                 youngs_modulus: Number | None = None, poisson: Number | None = None):
        super().__init__(name, locals())


class Profile(Entry):
    r"""Planar models: what a closed curve through points encloses.

    at: frame to which the shape is fixed (default: the body of the same name)
    group: a name for several shapes, to be used in contacts
    points: points of the curve in the axes of `at`, in one sense of rotation [m] (required)
    interpolation: the curve between the points (default: spline)
    rounding: linear: radius of the rounded corners [m] (default: 1 % of the farthest point)
    repeat: number of equal sectors about the origin, of which the points describe one, such as the
        teeth of a gear (default: 1)
    colour: `"#rrggbb"`, or one of white, silver, grey, black, red, orange, yellow, green, teal, blue,
        purple, pink, brown, gold, steel (default: chosen by the viewer)
    opacity: 1: solid, 0: not to be seen (default: 1)
    hidden: it is not drawn (default: false)
    """
    SECTION = "shapes"
    TYPE = "profile"
    KEYS = ("at", "group", "points", "interpolation", "rounding", "repeat", "colour", "opacity",
            "hidden")

    def __init__(self, name: str | None = None, *, at: Reference | None = None,
                 group: Reference | None = None, points: Numbers | None = None,
                 interpolation: Literal["spline", "linear"] | None = None,
                 rounding: Number | None = None, repeat: Number | None = None,
                 colour: str | None = None, opacity: Number | None = None, hidden: bool | None = None):
        super().__init__(name, locals())


class HeightField(Entry):
    r"""All below a smooth surface through a grid of heights over a rectangle about the origin of `at`.

    at: frame to which the shape is fixed (default: the body of the same name)
    group: a name for several shapes, to be used in contacts
    length: length along `axis`, of a capsule without its half spheres; of a height field along x [m]
        (required)
    width: width along y [m] (required)
    heights: rows of heights along z at equal distances: a row is along x, the first one at the least y
        [`scale`] (default: those of `file`)
    file: inside the folder of the model file: STL (text or binary), OBJ or glTF (.glb, or .gltf with
        its data in it); of a height field rows of [columns](tables.md)
    scale: length of a unit of the file, or of `heights`: 0.001 for millimetres [m] (default: 1)
    colour: `"#rrggbb"`, or one of white, silver, grey, black, red, orange, yellow, green, teal, blue,
        purple, pink, brown, gold, steel (default: chosen by the viewer)
    opacity: 1: solid, 0: not to be seen (default: 1)
    hidden: it is not drawn (default: false)
    """
    SECTION = "shapes"
    TYPE = "height-field"
    KEYS = ("at", "group", "length", "width", "heights", "file", "scale", "colour", "opacity", "hidden")

    def __init__(self, name: str | None = None, *, at: Reference | None = None,
                 group: Reference | None = None, length: Number | None = None,
                 width: Number | None = None, heights: Numbers | None = None, file: str | None = None,
                 scale: Number | None = None, colour: str | None = None, opacity: Number | None = None,
                 hidden: bool | None = None):
        super().__init__(name, locals())
