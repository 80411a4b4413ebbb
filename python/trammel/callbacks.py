"""Forces given by functions: of Python, or compiled ones by their address."""
from __future__ import annotations

import ctypes
from typing import Any, Callable, NamedTuple, Sequence

import numpy as np

from . import _abi
from ._library import call, encode, lib
from .entries import Entry, Reference, caller
from .errors import ArgumentError

MOTION = 18  # numbers of tml_frame_motion
FIELD = dict(_abi.tml_force_def._fields_)["function"]
# the same function with its pointers as numbers
FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
PLACES = 64  # of the library's memory whose views are kept


class FrameMotion(NamedTuple):
    """The motion of a frame, in inertial axes. Its arrays hold the motion while the function runs; later
    calls write over them, so copy what is to be kept.

    position          of the origin [m]
    axes              axes of the frame in the columns of a 3 x 3 matrix
    velocity          of the origin [m/s]
    angular_velocity  [rad/s]
    """

    position: np.ndarray
    axes: np.ndarray
    velocity: np.ndarray
    angular_velocity: np.ndarray


class ForceFunction:
    """A force on frames of bodies, by a function that is called at every evaluation of the equations.

    function  one of
              - a Python function f(t, frames) that gets the time [s] and a FrameMotion per frame. It returns
                the force on a single frame (3 numbers [N]), or with its moment (6 numbers [N, N m]), at the
                origin of the frame in inertial axes; for several frames, a row for each.
              - the address of a compiled `tml_force_function` (trammel/forces.h): a number, a function of
                ctypes, or an object with the attribute `address` (cfunc of numba). It is called without
                the interpreter's lock.
    frames    1 to 4 frames: "arm.tip", "ground.magnet", or bodies
    user      compiled functions: address of their last argument

    The function must depend on its arguments alone and be smooth, since it is called at trial states. An
    exception in it ends the run and is raised from there.
    """

    SECTION = "forces"

    def __init__(self, name: str, function: Callable[[float, list[FrameMotion]], Any] | int | Any, *,
                 frames: Sequence[Reference] | Reference, user: int | None = None):
        self.name = name
        self.frames = [frames] if isinstance(frames, (str, Entry)) else list(frames)
        self.user = user
        self.where = caller()
        self.error = _Raised()
        if not 1 <= len(self.frames) <= _abi.TML_CALLBACK_FRAMES:
            raise ArgumentError(f"force '{name}': {len(self.frames)} frames, expected 1 to "
                                f"{_abi.TML_CALLBACK_FRAMES}.")
        address = getattr(function, "address", function)
        if isinstance(function, ctypes._CFuncPtr):
            address = ctypes.cast(function, ctypes.c_void_p).value
        if isinstance(address, int) and not isinstance(address, bool):
            if address == 0:
                raise ArgumentError(f"force '{name}': the address of the function is 0.")
            self.compiled = FIELD(address)
        elif callable(function):
            self._called = FUNCTION(self._wrapped(function))
            self.compiled = FIELD(ctypes.cast(self._called, ctypes.c_void_p).value)
        else:
            raise TypeError(f"force '{name}': the function is of type {type(function).__name__}, expected a "
                            "function f(t, frames) or the address of a compiled one.")
        self.function = function  # both must live as long as the model

    def _wrapped(self, function: Callable[[float, list[FrameMotion]], Any]) -> Callable[..., None]:
        """What the library calls: views of its memory, and exceptions kept for the end of the run."""
        count, name, error = len(self.frames), self.name, self.error
        places: dict[tuple[int, int], tuple[list[FrameMotion], int, np.ndarray]] = {}

        def wrapped(t: float, motion: int, wrench: int, _user: Any) -> None:
            place = places.get((motion, wrench))
            if place is None:  # the library calls from few places: their views are kept
                if len(places) == PLACES:
                    places.clear()
                place = places[motion, wrench] = *frames_of(count), memory(wrench, 6 * count)
            frames, copy, out = place
            ctypes.memmove(copy, motion, 8 * MOTION * count)
            try:
                returned = function(t, frames)
                if returned is None:
                    raise ArgumentError(f"force '{name}': the function returned nothing: is a `return` "
                                        "missing?", status="user")
                value = np.asarray(returned, float)
                if value.size == 6 * count:
                    out[:] = value.reshape(-1)
                elif value.size == 3 * count:
                    out.reshape(count, 6)[:, :3] = value.reshape(count, 3)
                else:
                    raise ArgumentError(
                        f"force '{name}': the function returned {value.size} numbers, expected {3 * count} "
                        f"(forces) or {6 * count} (forces and moments).", status="user")
            except BaseException as e:  # it must not leave the function: there is C around it
                error.keep(e)
                out[:] = np.nan

        return wrapped

    def add_to(self, spec: Any) -> None:
        """Add it to a specification of the library."""
        definition = lib.tml_force_def_default()
        definition.name = encode(self.name)
        definition.type = _abi.TML_FORCE_CALLBACK
        definition.frame_count = len(self.frames)
        names = [f.name if isinstance(f, Entry) else f for f in self.frames]
        for i, frame in enumerate(names):
            definition.frame[i] = encode(frame)
        definition.function = self.compiled
        definition.user = self.user
        call(lib.tml_spec_add_force, spec, ctypes.byref(definition))

    def __repr__(self) -> str:
        return f"ForceFunction({self.name!r}, {self.function!r}, frames={self.frames!r})"


def memory(address: int, count: int) -> np.ndarray:
    """Numbers of the library, as they are while a function runs."""
    return np.frombuffer((ctypes.c_double * count).from_address(address))


def frames_of(count: int) -> tuple[list[FrameMotion], int]:
    """Motions of frames in memory of Python, which lives as long as one of their arrays; its address."""
    rows = np.zeros((count, MOTION))
    address = rows.ctypes.data
    rows.flags.writeable = False
    return [FrameMotion(row[0:3], row[3:12].reshape(3, 3), row[12:15], row[15:18]) for row in rows], address


class _Raised:
    """The first exception of a function since it was last taken. Any thread of the library may call it."""

    def __init__(self) -> None:
        self.exception: BaseException | None = None

    def keep(self, exception: BaseException) -> None:
        if self.exception is None:
            self.exception = exception

    def take(self) -> BaseException | None:
        exception, self.exception = self.exception, None
        return exception
