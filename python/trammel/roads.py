"""Roads for tyres, with the keys of model files (docs/model-file.md).

Generated from docs/trammel.schema.json by python/tools/write_entries.py: do not edit by hand.
"""
# pylint: disable=too-many-arguments,too-many-locals,unused-argument,redefined-builtin
from __future__ import annotations

from typing import Any, Literal, Sequence

from .entries import Entry, Number, Vector


class Flat(Entry):
    r"""Height 0 everywhere.

    origin: origin of the distance s along the road and of the height, inertial frame [m] (default: [0,
        0, 0])
    direction: direction of s, inertial frame; the road is constant across it (default: [1, 0, 0])
    up: direction of the height, perpendicular to `direction` (default: z, planar: y)
    """
    SECTION = "roads"
    TYPE = "flat"
    KEYS = ("origin", "direction", "up")

    def __init__(self, name: str, *, origin: Vector | None = None, direction: Vector | None = None,
                 up: Vector | None = None):
        super().__init__(name, locals())


class Bump(Entry):
    r"""A half cylinder across the road; wheels roll over it.

    origin: origin of the distance s along the road and of the height, inertial frame [m] (default: [0,
        0, 0])
    direction: direction of s, inertial frame; the road is constant across it (default: [1, 0, 0])
    up: direction of the height, perpendicular to `direction` (default: z, planar: y)
    position: s of the middle of the bump, of the edge of the step or the start of its ramp, of a zero
        of the sine with positive slope, or where a random road with a `length` begins [m] (default: 0)
    diameter: diameter of the half cylinder; its height is half of it [m] (required)
    """
    SECTION = "roads"
    TYPE = "bump"
    KEYS = ("origin", "direction", "up", "position", "diameter")

    def __init__(self, name: str, *, origin: Vector | None = None, direction: Vector | None = None,
                 up: Vector | None = None, position: Number | None = None,
                 diameter: Number | None = None):
        super().__init__(name, locals())


class Step(Entry):
    r"""A sharp edge that wheels roll over, or a smooth ramp.

    origin: origin of the distance s along the road and of the height, inertial frame [m] (default: [0,
        0, 0])
    direction: direction of s, inertial frame; the road is constant across it (default: [1, 0, 0])
    up: direction of the height, perpendicular to `direction` (default: z, planar: y)
    position: s of the middle of the bump, of the edge of the step or the start of its ramp, of a zero
        of the sine with positive slope, or where a random road with a `length` begins [m] (default: 0)
    height: height of the step; negative: down. A sharp edge must be lower than the radius of the wheels
        [m] (required)
    length: length of the ramp, whose height is height x^2 (3 - 2 x) with x from 0 to 1; random: so the
        road becomes uneven, and it is flat before [m] (default: 0: a sharp edge, uneven everywhere)
    """
    SECTION = "roads"
    TYPE = "step"
    KEYS = ("origin", "direction", "up", "position", "height", "length")

    def __init__(self, name: str, *, origin: Vector | None = None, direction: Vector | None = None,
                 up: Vector | None = None, position: Number | None = None, height: Number | None = None,
                 length: Number | None = None):
        super().__init__(name, locals())


class Sine(Entry):
    r"""Waves.

    origin: origin of the distance s along the road and of the height, inertial frame [m] (default: [0,
        0, 0])
    direction: direction of s, inertial frame; the road is constant across it (default: [1, 0, 0])
    up: direction of the height, perpendicular to `direction` (default: z, planar: y)
    position: s of the middle of the bump, of the edge of the step or the start of its ramp, of a zero
        of the sine with positive slope, or where a random road with a `length` begins [m] (default: 0)
    amplitude: height = amplitude sin(2 pi (s - position)/wavelength) [m] (required)
    wavelength: see amplitude [m] (required)
    waves: number of waves from `position` on; the height is constant before and after them (default:
        unlimited)
    """
    SECTION = "roads"
    TYPE = "sine"
    KEYS = ("origin", "direction", "up", "position", "amplitude", "wavelength", "waves")

    def __init__(self, name: str, *, origin: Vector | None = None, direction: Vector | None = None,
                 up: Vector | None = None, position: Number | None = None,
                 amplitude: Number | None = None, wavelength: Number | None = None,
                 waves: Number | None = None):
        super().__init__(name, locals())


class Table(Entry):
    r"""A curve through points.

    origin: origin of the distance s along the road and of the height, inertial frame [m] (default: [0,
        0, 0])
    direction: direction of s, inertial frame; the road is constant across it (default: [1, 0, 0])
    up: direction of the height, perpendicular to `direction` (default: z, planar: y)
    table: curve through rows [s, height], s ascending, or the name of a table [m, m] (required)
    interpolation: the curve between the rows (default: monotone, or that of the table)
    outside: the curve before the first and after the last row (default: extend, or that of the table)
    """
    SECTION = "roads"
    TYPE = "table"
    KEYS = ("origin", "direction", "up", "table", "interpolation", "outside")

    def __init__(self, name: str, *, origin: Vector | None = None, direction: Vector | None = None,
                 up: Vector | None = None, table: Sequence[Any] | str | None = None,
                 interpolation: Literal["monotone", "linear", "spline"] | None = None,
                 outside: Literal["extend", "hold"] | None = None):
        super().__init__(name, locals())


class Random(Entry):
    r"""Uneven by chance, with the spectrum of ISO 8608 (classes).

    origin: origin of the distance s along the road and of the height, inertial frame [m] (default: [0,
        0, 0])
    direction: direction of s, inertial frame; the road is constant across it (default: [1, 0, 0])
    up: direction of the height, perpendicular to `direction` (default: z, planar: y)
    position: s of the middle of the bump, of the edge of the step or the start of its ramp, of a zero
        of the sine with positive slope, or where a random road with a `length` begins [m] (default: 0)
    length: length of the ramp, whose height is height x^2 (3 - 2 x) with x from 0 to 1; random: so the
        road becomes uneven, and it is flat before [m] (default: 0: a sharp edge, uneven everywhere)
    roughness: spectral density of the height at 0.1 waves per metre; the middle of class A of ISO 8608
        is 16e-6, and each further class has 4 times as much [m^3] (required)
    shortest: shortest wavelength [m] (default: 0.35)
    longest: longest wavelength [m] (default: 90)
    seed: whole number; other numbers give other roads of the same kind, such as that of the other track
        (default: 1)
    """
    SECTION = "roads"
    TYPE = "random"
    KEYS = ("origin", "direction", "up", "position", "length", "roughness", "shortest", "longest",
            "seed")

    def __init__(self, name: str, *, origin: Vector | None = None, direction: Vector | None = None,
                 up: Vector | None = None, position: Number | None = None, length: Number | None = None,
                 roughness: Number | None = None, shortest: Number | None = None,
                 longest: Number | None = None, seed: Number | None = None):
        super().__init__(name, locals())
