"""Handles of channels: what a program in a loop reads, without looking for names."""
from __future__ import annotations

import ctypes
import fnmatch
from typing import Any, Sequence

import numpy as np

from . import _abi
from ._library import error_of, index_of, lib
from .errors import ArgumentError, UnknownNameError

ALL = ()  # the names that stand for all channels
# tml_sim_read with its pointers as numbers and within the lock of the interpreter, which costs less
READ = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p,
                         ctypes.c_void_p)(("tml_sim_read", lib))


class Handle:
    """Channels of a simulation: sim[handle] is their present value, a number for one name, an array for
    several names or a pattern.

    names   of the channels, in the order of the array
    units   of these
    """

    def __init__(self, sim: Any, names: Sequence[str], *, array: bool = False):
        columns: list[int] = []
        for name in names:
            columns += _columns(sim, name)
        if names is ALL:
            columns = list(range(len(sim.channels)))
        self.names = [sim.channels[i].name for i in columns]
        self.units = [sim.channels[i].unit for i in columns]
        self._single = len(names) == 1 and "*" not in names[0] and not array
        self._token = sim._token
        self._columns = (ctypes.c_int * len(columns))(*columns)
        self._values = np.empty(len(columns))
        self._one = ctypes.c_double.from_buffer(self._values) if self._single else None
        self._error = _abi.tml_error()
        self._arguments = (sim._handle.value, ctypes.addressof(self._columns), len(columns),
                           self._values.ctypes.data, ctypes.addressof(self._error))

    def _read(self, token: object) -> Any:
        if token is not self._token:
            raise ArgumentError("The handle is of another simulation.")
        status = READ(*self._arguments)
        if status != 0:
            raise error_of(status, self._error)
        return self._one.value if self._single else self._values.copy()  # type: ignore[union-attr]

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"<Handle of {', '.join(self.names)}>"


def _columns(sim: Any, name: str) -> list[int]:
    """The columns of a name or of a pattern."""
    if "*" not in name:
        return [index_of(lib.tml_sim_channel_index, sim._handle, name)]
    found = [i for i, c in enumerate(sim.channels) if fnmatch.fnmatchcase(c.name, name)]
    if not found:
        raise UnknownNameError(f"there is no channel like '{name}'", status="name")
    return found
