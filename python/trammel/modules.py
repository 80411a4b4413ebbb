"""Modules beside the library that studies need: NLopt for the search of an optimum, MPI for processes."""
from __future__ import annotations

import atexit
import ctypes
import os
from typing import Any

from . import _abi
from ._library import VERSION, call, folder_of_library
from .errors import ArgumentError, LibraryError

_FOLDER = "trammel-" + ".".join(VERSION.split(".")[:2])
# What launchers tell a process about the number of processes: Open MPI; MPICH and others.
_PROCESSES = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE")
_Minimizer = _abi.FUNCTIONS["trammel"]["tml_study_optimize"][1][2]


class _Head(ctypes.Structure):
    _fields_ = [("version", ctypes.c_char_p), ("size", ctypes.c_size_t)]


class _Nlopt(ctypes.Structure):
    _fields_ = [("head", _Head), ("minimize", _Minimizer)]


class _Mpi(ctypes.Structure):
    _fields_ = [("head", _Head),
                ("open", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_abi.tml_study_ranks),
                                          ctypes.POINTER(_abi.tml_error))),
                ("close", ctypes.CFUNCTYPE(None))]


def _table(name: str, kind: Any, without: str) -> Any:
    """The table of functions of a module. without: what is missing if there is no such module."""
    path = os.path.join(folder_of_library(), _FOLDER, name + ".so")
    if not os.path.exists(path):
        raise LibraryError(f"{without} (there is no '{path}': install it with 'make deps', and build again)",
                           status="io")
    try:
        table = kind.in_dll(ctypes.CDLL(path), "_".join(("tml", "module", name)))
    except (OSError, ValueError) as e:
        raise LibraryError(f"The module '{path}' cannot be loaded: {e}", status="io") from None
    if table.head.version.decode() != VERSION or table.head.size != ctypes.sizeof(kind):
        raise LibraryError(f"The module '{path}' is another version than this package. Build both from one "
                           "checkout.", status="arg")
    return table


def minimizer() -> Any:
    """The search of NLopt."""
    return _table("nlopt", _Nlopt, "The library was built without NLopt: it searches no optimum.").minimize


def _processes() -> int:
    for name in _PROCESSES:
        value = os.environ.get(name, "")
        if value.isdigit() and int(value) > 1:
            return int(value)
    return 1


_ranks: list[_abi.tml_study_ranks] = []


def ranks() -> _abi.tml_study_ranks | None:
    """The processes that mpirun has started together; None: this one alone."""
    if _ranks or _processes() == 1:
        return _ranks[0] if _ranks else None
    table = _table("mpi", _Mpi, f"The library was built without MPI, and {_processes()} processes of the "
                                "program would each run the whole study: use part=(i, n).")
    found = _abi.tml_study_ranks()
    call(table.open, ctypes.byref(found))
    atexit.register(table.close)
    _ranks.append(found)
    return found


def check_part(part: Any) -> tuple[int, int]:
    """(i, n): part i of n, from 1."""
    if part is None:
        return 0, 0
    try:
        i, n = (int(value) for value in part)
    except (TypeError, ValueError):
        i = n = 0
    if not 1 <= i <= n:
        raise ArgumentError(f"part = {part!r}: give two numbers (i, n), part i of n parts, 1 <= i <= n")
    return i, n
