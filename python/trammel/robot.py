"""Robots: a model in the coordinates of its joints, with its matrices, Jacobians and inverse kinematics."""
from __future__ import annotations

import ctypes
import threading
import weakref
from dataclasses import dataclass
from typing import Any, Mapping

import numpy as np

from . import _abi
from ._library import Single, call, encode, index_of, lib, text
from .errors import ArgumentError
from .model import Model, check_model
from .state import State, new_state

_POINTER = ctypes.POINTER(ctypes.c_double)


@dataclass(frozen=True)
class Coordinate:
    """A velocity coordinate: its name ("elbow.angle"), its unit, its place in q, and its limits."""

    name: str
    unit: str
    q: int
    quaternion: bool
    lower: float
    upper: float


@dataclass(frozen=True)
class Reached:
    """Where an inverse kinematics has ended: largest distance [m] and angle [rad] of a frame from its target,
    largest residual of a loop; `q` is the configuration."""

    converged: bool
    iterations: int
    distance: float
    angle: float
    opening: float
    q: np.ndarray

    def __bool__(self) -> bool:
        return self.converged


@dataclass(frozen=True)
class ContactPoint:
    """A point at which shapes of two bodies touch or nearly do: the contact of the model, the bodies
    ("ground"), the gap [m] (negative: overlap), the place, the normal from the first body to the second, and
    the Jacobian J (3, n): the velocity of the second relative to the first there, inertial axes, is J u."""

    name: str
    bodies: tuple[str, str]
    gap: float
    position: np.ndarray
    normal: np.ndarray
    jacobian: np.ndarray


class Robot(Single):
    """A model in the coordinates of its joints, at a state (docs/robots.md):

        M(q) udot + h(q, u) = tau + Q(q, u, t) + B' lambda

    `coordinates` are the coordinates in their order, parents before children. Frames are named as in the
    model file: "hand", "hand.tip". A robot begins with its joints at zero and at rest, not at the start of
    the model; set(simulation.state) takes that. Matrices are NumPy arrays of their own. Threads may share a
    robot, each call is whole; but all of them share its state.

    >>> import trammel
    >>> model = trammel.Model.parse('''
    ... planar: true
    ... gravity: 9.81
    ... bodies: {rod: {mass: 2, inertia: 0.1, position: [0.5, 0], frames: {o: [-0.5, 0], tip: [0.5, 0]}}}
    ... joints: {pin: {type: revolute, a: ground, b: rod.o}}
    ... ''')
    >>> robot = trammel.Robot(model)
    >>> robot.names
    ['pin.angle']
    >>> [float(x) for x in robot.mass_matrix()[0]], float(robot.static_torques()[0])
    ([0.6], 9.81)
    """

    INSTEAD = "Robot(model) makes another one."

    def __init__(self, model: Model):
        check_model(model)
        self.model = model
        self._built = model.build()
        self._handle = ctypes.c_void_p()
        self._lock = threading.RLock()
        call(lib.tml_robot_create, self._built.handle, ctypes.byref(self._handle))
        weakref.finalize(self, _destroy, self._handle, self._built)
        self.n: int = lib.tml_robot_n(self._handle)
        self.nq: int = lib.tml_robot_nq(self._handle)
        self.row_count: int = lib.tml_robot_row_count(self._handle)
        self.coordinates = []
        for i in range(self.n):
            c = lib.tml_robot_get_coordinate(self._handle, i).contents
            self.coordinates.append(Coordinate(text(c.name), text(c.unit), c.q, c.quaternion, c.lower,
                                               c.upper))
        self._frames: dict[str, _abi.tml_robot_frame] = {}

    def _call(self, function: Any, *arguments: Any) -> None:
        """Call the library; calls of other threads wait, since all work in the memory of the robot."""
        with self._lock:
            call(function, self._handle, *arguments)

    @property
    def names(self) -> list[str]:
        """Names of the coordinates."""
        return [c.name for c in self.coordinates]

    # ---- state --------------------------------------------------------------------------------------------

    def set(self, q: Any, u: Any = None) -> None:
        """Take a configuration (nq numbers) and velocities (n; None: at rest), or a State of the model."""
        if isinstance(q, State):
            self._call(lib.tml_robot_set_state, q._pointer)
            return
        self._call(lib.tml_robot_set, self._given(q, self.nq, "q"), self._given(u, self.n, "u"))

    @property
    def q(self) -> np.ndarray:
        """Configuration: a copy."""
        with self._lock:
            return np.array(lib.tml_robot_q(self._handle)[:self.nq])

    @property
    def u(self) -> np.ndarray:
        """Velocities: a copy."""
        with self._lock:
            return np.array(lib.tml_robot_u(self._handle)[:self.n])

    def state(self) -> State:
        """The state as one of the model, for `Simulation(model, state=...)`."""
        x = new_state(self._built)
        self._call(lib.tml_robot_get_state, x._pointer)
        return x

    def set_input(self, name: str, value: float) -> None:
        """Set an input of the model."""
        index = index_of(lib.tml_model_input_index, self._built.handle, name)
        self._call(lib.tml_robot_set_input, index, float(value))

    def _given(self, values: Any, count: int, what: str) -> Any:
        if values is None:
            return None
        array = np.ascontiguousarray(values, float)
        if array.shape != (count,):
            raise ArgumentError(f"{what} has the shape {array.shape}, expected {count} numbers")
        return array.ctypes.data_as(_POINTER)

    # ---- dynamics -----------------------------------------------------------------------------------------

    def mass_matrix(self) -> np.ndarray:
        """M (n, n)."""
        out = np.empty((self.n, self.n))
        self._call(lib.tml_robot_mass_matrix, _address(out))
        return out

    def bias(self) -> np.ndarray:
        """h (n): inertia forces at udot = 0 and gravity."""
        out = np.empty(self.n)
        self._call(lib.tml_robot_forces, _address(out), None)
        return out

    def forces(self) -> np.ndarray:
        """Q (n): all force elements of the model."""
        out = np.empty(self.n)
        self._call(lib.tml_robot_forces, None, _address(out))
        return out

    def rows(self) -> tuple[np.ndarray, np.ndarray]:
        """B (rows, n) and gamma (rows) of the loops: B udot = gamma."""
        B, gamma = np.empty((self.row_count, self.n)), np.empty(self.row_count)
        self._call(lib.tml_robot_rows, _address(B), _address(gamma))
        return B, gamma

    def inverse_dynamics(self, udot: Any = None) -> np.ndarray:
        """tau (n) = M udot + h - Q: the forces for these accelerations."""
        out = np.empty(self.n)
        self._call(lib.tml_robot_inverse_dynamics, self._given(udot, self.n, "udot"), _address(out))
        return out

    def static_torques(self) -> np.ndarray:
        """The forces (n) that hold the robot where it is, at rest. Its velocities become 0."""
        self.set(self.q)
        return self.inverse_dynamics()

    def accelerations(self, tau: Any = None) -> np.ndarray:
        """udot (n) under the forces tau."""
        out = np.empty(self.n)
        self._call(lib.tml_robot_accelerations, self._given(tau, self.n, "tau"), _address(out), None)
        return out

    def gradients(self, tau: Any = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Derivatives of the accelerations by q, u and tau, each (n, n), exact. Those by q are by small
        motions in the directions of u."""
        out = [np.empty((self.n, self.n)) for _ in range(3)]
        self._call(lib.tml_robot_gradients, self._given(tau, self.n, "tau"), *map(_address, out))
        return out[0], out[1], out[2]

    # ---- frames -------------------------------------------------------------------------------------------

    def _frame(self, name: str) -> _abi.tml_robot_frame:
        if name not in self._frames:
            frame = _abi.tml_robot_frame()
            call(lib.tml_robot_find_frame, self._built.spec, encode(name), ctypes.byref(frame))
            self._frames[name] = frame
        return self._frames[name]

    def pose(self, frame: str) -> tuple[np.ndarray, np.ndarray]:
        """Position (3) of a frame in the inertial frame [m], and its axes (3, 3) as columns."""
        position, axes = np.empty(3), np.empty((3, 3))
        self._call(lib.tml_robot_pose, ctypes.byref(self._frame(frame)), _address(position),
             _address(axes))
        return position, axes

    def jacobian(self, frame: str) -> np.ndarray:
        """J (6, n): velocity of the origin of a frame, then angular velocity, inertial axes, are J u."""
        return self.jacobian_and_rate(frame)[0]

    def jacobian_and_rate(self, frame: str) -> tuple[np.ndarray, np.ndarray]:
        """J and its derivative by time (6, n): accelerations are J udot + rate u."""
        J, rate = np.empty((6, self.n)), np.empty((6, self.n))
        self._call(lib.tml_robot_jacobian, ctypes.byref(self._frame(frame)), _address(J),
             _address(rate))
        return J, rate

    def contacts(self, reach: float = 0.0) -> list[ContactPoint]:
        """The points of the model's contacts whose gap is at most `reach` [m], with their Jacobians."""
        with self._lock:
            count = ctypes.c_int()
            self._call(lib.tml_robot_contacts, float(reach), None, 0, ctypes.byref(count))
            found = (_abi.tml_robot_contact * max(1, count.value))()
            self._call(lib.tml_robot_contacts, float(reach), found, count.value, ctypes.byref(count))
            return [self._contact(c) for c in found[:count.value]]

    def _contact(self, c: _abi.tml_robot_contact) -> ContactPoint:
        J = np.empty((3, self.n))
        self._call(lib.tml_robot_contact_jacobian, ctypes.byref(c), _address(J))
        names = self.model.body_names
        bodies = ["ground" if i < 0 else names[i] for i in c.body]
        return ContactPoint(text(c.name), (bodies[0], bodies[1]), c.gap, np.array(c.position),
                            np.array(c.normal), J)

    def reach(self, targets: Mapping[str, Any], *, lower: Any = None, upper: Any = None) -> Reached:
        """Move from where it is so that frames are nearest to their targets, by least squares within limits.

        targets: {frame: position}, or {frame: (position, axes)} with axes (3, 3) as columns; None for either
        leaves it free, and a third and fourth entry are the weights of distance and angle (1). lower, upper:
        limits of the coordinates, by default those of the joints.
        """
        given = (_abi.tml_robot_target * max(1, len(targets)))()
        for target, (name, value) in zip(given, targets.items()):
            _fill_target(target, self._frame(name), value)
        out = _abi.tml_robot_reached()
        self._call(lib.tml_robot_reach, given, len(targets), self._given(lower, self.n, "lower"),
             self._given(upper, self.n, "upper"), ctypes.byref(out))
        return Reached(out.converged, out.iterations, out.distance, out.angle, out.opening, self.q)

    def __repr__(self) -> str:
        return f"<Robot of {self.model!r}: {self.n} coordinates, {self.row_count} rows>"


def _address(array: np.ndarray) -> Any:
    return array.ctypes.data_as(_POINTER)


def _fill_target(target: Any, frame: Any, value: Any) -> None:
    """A position, or position, axes and weights."""
    parts = list(value) if isinstance(value, (tuple, list)) and not np.isscalar(value[0]) else [value]
    if isinstance(value, (tuple, list)) and len(value) > 0 and value[0] is None:
        parts = list(value)
    parts += [None] * (2 - len(parts)) + [1.0] * (4 - max(2, len(parts)))
    target.frame = frame
    target.weight = 0.0 if parts[0] is None else float(parts[2])
    target.turn_weight = 0.0 if parts[1] is None else float(parts[3])
    position = np.zeros(3) if parts[0] is None else np.asarray(parts[0], float)
    axes = np.eye(3) if parts[1] is None else np.asarray(parts[1], float)
    if position.shape != (3,) or axes.shape != (3, 3):
        raise ArgumentError(f"a target has a position of 3 numbers and axes of 3 x 3, found "
                            f"{position.shape} and {axes.shape}")
    target.position[:] = position
    target.axes[:] = axes.ravel()


def _destroy(handle: ctypes.c_void_p, _built: Any) -> None:
    lib.tml_robot_destroy(handle)  # before the model, which this function keeps
