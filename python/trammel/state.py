"""States: everything that changes with time, as NumPy arrays on the memory of the library."""
from __future__ import annotations

import ctypes
import weakref
from typing import Any

import numpy as np

from . import _abi
from ._library import call, index_of, lib


def view(address: Any, count: int, owner: Any, writeable: bool) -> np.ndarray:
    """An array on memory of the library, which `owner` keeps alive."""
    if count == 0:
        return np.empty(0)
    memory = (ctypes.c_double * count).from_address(ctypes.addressof(address.contents))
    memory._owner = owner  # type: ignore[attr-defined]
    array = np.frombuffer(memory)
    array.flags.writeable = writeable
    return array


class State:
    """A state of a model. The arrays are views: they share the memory of the library, and writing to them
    changes the state. The state of a simulation cannot be written: change a copy and restart with it,
    `x = sim.state.copy()`, `x.q[0] = 0.1`, `sim.restart(x)`.

    t         time [s]
    q         configuration: 7 numbers per body, its centre of mass from `origin` [m] and a unit quaternion,
              scalar first
    origin    point of the inertial frame from which q counts positions [m]: 0 unless the model stands far
              from there, compared with its length
    u         velocities: of centres of mass in inertial axes [m/s], of rotations in body axes [rad/s]
    udot      accelerations
    lambda_   multipliers of the constraint rows
    z         first-order states (the end of u)
    angle     continuously counted angles [rad]
    """

    def __init__(self, pointer: Any, owner: Any, model: Any, writeable: bool = True):
        self._writeable = writeable
        self._pointer = pointer
        self._owner = owner
        self._model = model  # Built
        x = pointer.contents
        self._x = x
        self.q = view(x.q, x.nq, owner, writeable)
        self.origin = np.array(x.origin)
        self.u = view(x.u, x.n, owner, writeable)
        self.udot = view(x.udot, x.n, owner, writeable)
        self.lambda_ = view(getattr(x, "lambda"), x.m, owner, writeable)
        self.z = self.u[x.n - x.nz:]
        self.angle = view(x.angle, x.na, owner, writeable)

    @property
    def t(self) -> float:
        return self._x.t

    @t.setter
    def t(self, value: float) -> None:
        if not self._writeable:
            raise AttributeError("the time of a simulation is read-only; copy() its state, change the copy "
                                 "and restart with it")
        self._x.t = value

    def body(self, name: str) -> BodyMotion:
        """The part of a body, as views."""
        return BodyMotion(self, name)

    def copy(self) -> State:
        """A state of its own."""
        other = new_state(self._model)
        lib.tml_state_copy(other._pointer, self._pointer)
        return other

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> State:
        return self.copy()

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("A State cannot be pickled: its arrays t, q, u, z can, and sim.save(path) writes a "
                        "simulation.")

    def __repr__(self) -> str:
        return f"<State t={self.t:g} s, {self.q.size // 7} bodies and states, {self.lambda_.size} rows>"


class BodyMotion:
    """The motion of a body in a state; arrays are views.

    position          centre of mass, inertial frame [m]; where the origin of the state is not 0 it is a copy,
                      and to be assigned as a whole
    quaternion        body to inertial axes, scalar first
    velocity          components of velocity that the body has, as in u: of the centre of mass in inertial
                      axes [m/s], then of the rotation in body axes [rad/s]
    acceleration      the same of udot
    components        names of these components: "vx", "vy", "wz"
    """

    def __init__(self, state: State, name: str):
        built = state._model
        index = index_of(lib.tml_model_body_index, built.handle, name)
        layout = lib.tml_model_body_layout(built.handle, index)
        self.name = name
        self._local = state.q[layout.q:layout.q + 3]
        self._origin = state.origin
        self.quaternion = state.q[layout.q + 3:layout.q + 7]
        self.velocity = state.u[layout.u:layout.u + layout.u_count]
        self.acceleration = state.udot[layout.u:layout.u + layout.u_count]
        words = _abi.ENUMS["tml_body_component"]
        self.components = [words[layout.component[i]] for i in range(layout.u_count)]

    @property
    def position(self) -> np.ndarray:
        if not self._origin.any():
            return self._local
        place = self._local + self._origin
        place.flags.writeable = False
        return place

    @position.setter
    def position(self, value: Any) -> None:
        self._local[:] = np.asarray(value, float) - self._origin

    def __repr__(self) -> str:
        return f"<BodyMotion {self.name!r} at {self.position}>"


class _Memory:
    """A state that the library has allocated."""

    def __init__(self, built: Any):
        self.built = built
        system = lib.tml_model_system(built.handle)
        self.pointer = ctypes.POINTER(_abi.tml_state)()
        call(lib.tml_state_create, system, ctypes.byref(self.pointer))
        weakref.finalize(self, _destroy, self.pointer, system, built)


def _destroy(pointer: Any, system: Any, _built: Any) -> None:
    lib.tml_state_destroy(pointer, system)  # before the model, which this function keeps


def new_state(built: Any, writeable: bool = True) -> State:
    """A state of a model with memory of its own."""
    memory = _Memory(built)
    return State(memory.pointer, memory, built, writeable)
