"""The functions that a run calls."""
from __future__ import annotations

import ctypes
import threading
from typing import Any, Callable

from . import _abi
from .result import Table
from .state import State

OnStep = Callable[[Any, float, float], Any]
OnOutput = Callable[[Any, State], Any]
_HOOKS = dict(_abi.tml_sim_hooks._fields_)
# on_output with its pointers as numbers, which costs less
_OUTPUT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


class Hooks:
    """The functions that a run calls."""

    def __init__(self, sim: Any, table: Table, on_step: OnStep | None, on_output: OnOutput | None,
                 interrupted: list[int] | None):
        self.exception: BaseException | None = None
        self.stopped = False
        self._sim, self._table = sim, table
        self._on_step, self._on_output, self._interrupted = on_step, on_output, interrupted
        self._views: dict[int, State] = {}
        self._kept: Any = None

    def definition(self, motion_only: bool) -> _abi.tml_sim_hooks:
        hooks = _abi.tml_sim_hooks(motion_only=motion_only)
        if self._on_step is not None or self._sim._built.functions:
            hooks.on_step = _HOOKS["on_step"](self._step)
        elif self._interrupted is not None:
            hooks.on_step = _HOOKS["on_step"](self._test_interrupt)
        output = _OUTPUT(self._output)
        hooks.on_output = _HOOKS["on_output"](ctypes.cast(output, ctypes.c_void_p).value)
        self._kept = hooks, output  # the library copies the addresses of the functions, not the functions
        return hooks

    def release(self) -> None:
        """The library calls no more: the functions need not live. They refer to this object in turn."""
        self._kept = None
        self._views.clear()

    def _test_interrupt(self, _sim: int, _t: float, _h: float, _user: Any) -> int:
        try:
            return self._end() if self._interrupted else _abi.TML_OK
        except BaseException as e:
            self.exception = self.exception or e
            return _abi.TML_ERR_STOPPED

    def _step(self, _sim: int, t: float, h: float, _user: Any) -> int:
        try:
            go = True if self._on_step is None else self._calls(self._on_step, t, h)
            if go is False or self._interrupted or self._sim._built.has_raised():
                return self._end()
            return _abi.TML_OK
        except BaseException as e:  # it must not leave the function: there is C around it
            self.exception = self.exception or e
            return _abi.TML_ERR_STOPPED

    def _output(self, _sim: int, address: int, _user: Any) -> int:
        try:
            self._table.add(address)
            if self._on_output is None:
                return _abi.TML_OK
            if address not in self._views:
                pointer = ctypes.cast(address, ctypes.POINTER(_abi.tml_state))
                self._views[address] = State(pointer, self._sim, self._sim._built, writeable=False)
            go = self._calls(self._on_output, self._views[address])
            return self._end() if go is False else _abi.TML_OK
        except BaseException as e:
            self.exception = self.exception or e
            return _abi.TML_ERR_STOPPED

    def _calls(self, function: Any, *arguments: Any) -> Any:
        """Call a function of the user, which may set inputs."""
        self._sim._hook_thread = threading.get_ident()
        try:
            return function(self._sim, *arguments)
        finally:
            self._sim._hook_thread = None

    def _end(self) -> int:
        self.stopped = True
        return _abi.TML_ERR_STOPPED
