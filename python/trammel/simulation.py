"""Simulations: a model, a method and a state that advances in time."""
from __future__ import annotations

import contextlib
import ctypes
import math
import operator
import os
import threading
import weakref
from typing import Any, Iterator, Mapping, Sequence

import numpy as np

from . import _abi
from ._library import Single, call, encode, error_of, index_of, lib, text
from .attributes import Told
from .errors import ArgumentError, Error
from .hooks import Hooks, OnOutput, OnStep
from .interrupts import interrupts
from .model import Built, Model, Run, check_model
from .records import Record, record
from .reading import ALL, Handle
from .result import Channel, Result, Table, recorded
from .state import State, new_state
from .summary import of_simulation

_RUNNING = ("The simulation is running: a function called by its run, or another thread, cannot advance or "
            "change it. Stop the run, or make a second Simulation.")


class Simulation(Told, Single):
    """A model that is advanced in time.

    Simulation(model, end=5, tol=1e-6) starts at the start of the model. Settings are those of the block `run`
    of model files; what is not given is as the model says. `state`: begin at this state and its time instead.
    `record`: keep rows of all channels with this step [s] from the start on (True: output_step of the
    settings), whatever advances the simulation; `result` has them.

    A loop of one's own:

    >>> import trammel
    >>> sim = trammel.Simulation(trammel.Model.parse('''
    ... planar: true
    ... bodies: {cart: {mass: 2, inertia: 1}}
    ... joints: {rail: {type: prismatic, a: ground, b: cart, axis: [1, 0]}}
    ... inputs: {push: {value: 0, unit: N}}
    ... forces: {drive: {type: applied, at: cart, force: [push, 0]}}
    ... '''), end=1)
    >>> cart = sim.body("cart")         # arrays that follow the simulation
    >>> for tick in range(10):
    ...     sim.set_input("push", 4 * (1 - cart.position[0]))
    ...     reached = sim.advance(0.1 * (tick + 1))
    >>> round(float(cart.position[0]), 6) == round(sim["cart.x"], 6)
    True
    """

    INSTEAD = ("sim.save(path) writes it, Simulation.load(model, path) makes another one of that; "
               "Simulation(model, state=sim.state) begins at its state.")

    OTHER_NAMES = {
        "time": "`t` is the time", "reset": "restart(state) goes to a state, such as one that `state` gave",
        "set": "set_input(NAME, VALUE) sets an input",
        **dict.fromkeys(("get", "channel", "value"), "sim['pin.angle'] is the value of a channel"),
        **dict.fromkeys(("plot", "view", "show", "write"), "`result` has the rows that were recorded")}

    def __init__(self, model: Model, *, state: State | None = None, record: float | bool = False,
                 **settings: Any):
        check_model(model)
        if record and not isinstance(record, bool):
            if settings.get("output_step") is not None:
                raise ArgumentError("record: the step is given twice, also as output_step")
            settings["output_step"] = float(record)
        if state is not None:
            check_state(state)
            settings.setdefault("start", state.t)
        self.model = model
        self._built = model.build()
        self._handle = ctypes.c_void_p()
        run = Run(self._built, settings)
        definition = lib.tml_sim_def_default()
        definition.model = self._built.handle
        definition.run = ctypes.pointer(run.definition)
        if state is not None:
            definition.x0 = state._pointer
        self._define(definition)
        handle = ctypes.c_void_p()
        try:
            self._calling(lib.tml_sim_create_def, ctypes.byref(definition), ctypes.byref(handle))
        finally:
            if handle:
                self._adopt(handle)
        if record:
            self.record()

    def _define(self, definition: Any) -> None:
        """For simulations of another kind."""

    def _adopt(self, handle: ctypes.c_void_p) -> None:
        self._handle = handle
        self._lock = threading.Lock()
        self._error = ctypes.byref(_abi.tml_error())  # of advance
        self._state: State | None = None
        self._inputs: dict[str, int] = {}
        self._handles: dict[Any, Handle] = {}
        self._hook_thread: int | None = None  # which is in a function that a run has called
        self._token = object()  # of handles
        self._input_row = np.empty(lib.tml_model_input_count(self._built.handle))
        self._input_address = self._input_row.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
        self._table: Table | None = None
        self._channels: list[Channel] | None = None
        weakref.finalize(self, _destroy, handle, self._built)

    def _calling(self, function: Any, *arguments: Any) -> None:
        """Call the library; an exception of a Python force comes before the error that it caused."""
        try:
            call(function, *arguments)
        except Error as e:
            self._built.raise_from_functions()
            raise self._timed(e) from None
        self._built.raise_from_functions()  # smaller steps may have hidden it

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """One call at a time: neither another thread nor a function that a run has called."""
        if not self._lock.acquire(blocking=False):
            raise ArgumentError(_RUNNING)
        try:
            yield
        finally:
            self._lock.release()

    # ---- state --------------------------------------------------------------------------------------------

    @property
    def t(self) -> float:
        """Time of the last accepted state [s]."""
        return lib.tml_sim_time(self._handle)

    @property
    def state(self) -> State:
        """The last accepted state, read-only. Its arrays follow the simulation: they are the same memory
        after every step."""
        if self._state is None:
            self._state = new_state(self._built, writeable=False)
            self._refresh()
        return self._state

    def _refresh(self) -> None:
        if self._state is not None:
            lib.tml_state_copy(self._state._pointer, lib.tml_sim_state(self._handle))

    @property
    def q(self) -> np.ndarray:
        return self.state.q

    @property
    def u(self) -> np.ndarray:
        return self.state.u

    def body(self, name: str) -> Any:
        """The motion of a body: arrays that follow the simulation."""
        return self.state.body(name)

    # ---- inputs -------------------------------------------------------------------------------------------

    def set_input(self, name: str | int, value: float, rate: float = 0.0) -> None:
        """Set an input from the present time on: value + rate (t - present time). In on_output that is the
        time of the output, at which the steps of the run end then."""
        index = self._input(name) if isinstance(name, str) else operator.index(name)
        self._set(lib.tml_sim_set_input, index, float(value), float(rate))

    def set_inputs(self, values: Sequence[float] | np.ndarray | Mapping[str, float]) -> None:
        """Set all inputs, in the order of `model.input_names`, or some of them by their names. A wrong value
        changes none of them."""
        if isinstance(values, Mapping):
            indices = (ctypes.c_int * max(1, len(values)))(*map(self._input, values))
            numbers = (ctypes.c_double * max(1, len(values)))(*values.values())
            self._set(lib.tml_sim_set_inputs, indices, len(values), numbers)
            return
        given = np.asarray(values, float)
        if given.shape != self._input_row.shape:
            raise ArgumentError(f"set_inputs: values of shape {given.shape}, expected one for each of the "
                                f"{self._input_row.size} inputs")
        self._input_row[:] = given
        self._set(lib.tml_sim_set_inputs, None, self._input_row.size, self._input_address)

    def _set(self, function: Any, *arguments: Any) -> None:
        """Call a function that sets inputs: between steps, or in a function that the run has called."""
        locked = self._lock.acquire(False)  # as _alone, which costs more than the call
        if not locked and self._hook_thread != threading.get_ident():
            raise ArgumentError(_RUNNING)
        try:
            err = self._error
            status = function(self._handle, *arguments, err)
            if status != 0:
                raise error_of(status, err._obj)
        finally:
            if locked:
                self._lock.release()

    def input(self, name: str | int) -> float:
        """The present value of an input."""
        return lib.tml_sim_input(self._handle,
                                 self._input(name) if isinstance(name, str) else operator.index(name))

    def _input(self, name: str) -> int:
        if name not in self._inputs:
            self._inputs[name] = index_of(lib.tml_model_input_index, self._built.handle, name)
        return self._inputs[name]

    def set_parameter(self, name: str, value: float) -> None:
        """Set a number of the model by its name: an input. Parameters are fixed; the error says what to
        do."""
        with self._alone():
            call(lib.tml_sim_set_parameter, self._handle, encode(name), float(value))

    # ---- time ---------------------------------------------------------------------------------------------

    def _not_behind(self, end: float) -> None:
        now = lib.tml_sim_time(self._handle)
        if not end >= now:
            raise ArgumentError(f"the simulation is at t = {now:g} s and cannot go back to {end:g} s")

    def step(self, end: float = math.inf) -> float:
        """One step of the method's own size, not beyond `end` [s], by default the end of the settings;
        returns the time reached."""
        with self._alone():
            limit = end if math.isfinite(end) else lib.tml_sim_settings(self._handle).contents.end
            self._not_behind(limit)
            self._calling(lib.tml_sim_step, self._handle, limit)
            self._refresh()
        return lib.tml_sim_time(self._handle)

    def advance(self, end: float) -> bool:
        """Steps up to exactly `end` [s]. False: an event ended them before (`event`)."""
        end = float(end)
        if end == math.inf:
            raise ArgumentError("advance: the end is infinite, expected a time [s]")
        handle, time, step = self._handle, lib.tml_sim_time, lib.tml_sim_step
        if not self._lock.acquire(False):
            raise ArgumentError(_RUNNING)
        try:
            now = time(handle)
            if not end >= now:
                self._not_behind(end)
            err = self._error
            while now < end:
                status = step(handle, end, err)
                if status != 0:
                    self._built.raise_from_functions()
                    raise self._timed(error_of(status, err._obj))
                now = time(handle)
                if now < end and self.event is not None:
                    return False
            self._built.raise_from_functions()
        finally:
            self._refresh()
            self._lock.release()
        return True

    def state_at(self, t: float) -> State:
        """Consistent state at t [s]: steps of the method's own size until t lies within the last one."""
        x = new_state(self._built)
        with self._alone():
            self._calling(lib.tml_sim_advance_to, self._handle, t, x._pointer)
            self._refresh()
        return x

    def restart(self, state: State) -> None:
        """Continue from another state: its t, q and u, made consistent."""
        check_state(state)
        with self._alone():
            self._calling(lib.tml_sim_restart, self._handle, state._pointer)
            self._refresh()

    def run(self, end: float | None = None, *, on_step: OnStep | None = None,
            on_output: OnOutput | None = None, motion_only: bool = False) -> Result:
        """Advance to `end` [s], or to the end of the settings; returns the rows of all channels.

        on_step(sim, t, h)     after every accepted step
        on_output(sim, state)  at every output time; its arrays are valid while it runs
        Either stops the run by returning False. motion_only: reactions are those of the integrator, which
        costs less. Both may set inputs. The interpreter's lock is released while the library computes. Ctrl-C
        stops the run after the step at hand; the simulation is then at this step, and run() continues it.
        """
        for name, function in (("on_step", on_step), ("on_output", on_output)):
            if function is not None and not callable(function):
                raise TypeError(f"{name} is of type {type(function).__name__}, expected a function")
        with self._alone():
            table = self._table = Table(self)
            with interrupts() as interrupted:
                hooks = Hooks(self, table, on_step, on_output, interrupted)
                lib.tml_sim_set_hooks(self._handle, ctypes.byref(hooks.definition(motion_only)))
                err = _abi.tml_error()
                target = math.nan if end is None else float(end)
                status = lib.tml_sim_run(self._handle, target, ctypes.byref(err))
                lib.tml_sim_set_hooks(self._handle, ctypes.byref(_abi.tml_sim_hooks()))
                hooks.release()
                self._refresh()
            if hooks.exception is not None:
                raise hooks.exception
            self._built.raise_from_functions()
            if status != 0 and not hooks.stopped:
                raise self._timed(error_of(status, err))
        table.closing = self.summary if status == 0 else ""
        return table.result()

    def record(self) -> None:
        """Keep rows of all channels from now on, at multiples of output_step; `restart` begins them anew."""
        with self._alone():
            self._calling(lib.tml_sim_record, self._handle)

    @property
    def result(self) -> Result:
        """The rows that were recorded so far; without a record those of the last run, also of one that failed
        or was interrupted."""
        found = recorded(self)
        if found is not None:
            return found
        if self._table is None:
            raise ArgumentError("The simulation has no rows: it has not run yet, and was made without "
                                "`record`.")
        return self._table.result()

    def _timed(self, error: BaseException) -> BaseException:
        """The error with the time reached and, of a model built in Python, the place of the entry."""
        if isinstance(error, Error):
            error.time = self.t if self._handle else None
            return self._built.located(error)
        return error

    # ---- channels -----------------------------------------------------------------------------------------

    @property
    def channels(self) -> list[Channel]:
        """The columns of results: names, units."""
        if self._channels is None:
            count = lib.tml_sim_channel_count(self._handle)
            pointer = lib.tml_sim_channels(self._handle)
            self._channels = [Channel.of(pointer[i]) for i in range(count)]
        return self._channels

    @property
    def values(self) -> np.ndarray:
        """Values of all channels at the present state: a row as those of `result.values`, of its own."""
        return self[ALL]

    def index(self, name: str) -> int:
        """The column of a channel, in `values` and in those of results."""
        return index_of(lib.tml_sim_channel_index, self._handle, name)

    def handle(self, *names: str) -> Handle:
        """Channels to be read often, in less than a microsecond: `angle = sim.handle("pin.angle")`, then
        `sim[angle]` is a number. Several names or a pattern ("*.angle") make a handle whose value is an
        array."""
        return Handle(self, names)

    def __getitem__(self, channel: Any) -> Any:
        """The present value of a channel: sim["pin.angle"]; an array for several names, or for a handle of
        several."""
        try:
            handle = channel if type(channel) is Handle else self._handles[channel]
        except (KeyError, TypeError):
            handle = self._new_handle(channel)
        return handle._read(self._token)

    def _new_handle(self, channel: Any) -> Handle:
        if channel is ALL or isinstance(channel, str):
            handle = Handle(self, channel if channel is ALL else (channel,))
            self._handles[channel] = handle
            return handle
        if isinstance(channel, (list, tuple)) and channel and all(isinstance(c, str) for c in channel):
            handle = Handle(self, tuple(channel), array=True)
            self._handles.setdefault(tuple(channel), handle)
            return handle
        raise TypeError(f"sim[...]: expected the name of a channel, several names or a handle, found "
                        f"{channel!r}")

    # ---- saved simulations --------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the simulation to a file, to be continued with the same bits by Simulation.load."""
        with self._alone():
            call(lib.tml_sim_save, self._handle, encode(path))

    def save_bytes(self) -> bytes:
        """The same in memory."""
        size = ctypes.c_size_t()
        with self._alone():
            call(lib.tml_sim_save_memory, self._handle, None, 0, ctypes.byref(size))
            data = ctypes.create_string_buffer(size.value)
            call(lib.tml_sim_save_memory, self._handle, data, size.value, ctypes.byref(size))
        return data.raw

    @classmethod
    def load(cls, model: Model, saved: str | os.PathLike[str] | bytes, *, record: bool = False) -> Simulation:
        """Continue a saved simulation of the same model: a file, or the bytes of save_bytes. Rows are not
        saved; `record`: keep those from now on."""
        sim = cls.__new__(cls)
        sim.model, sim._built = model, model.build()
        handle = ctypes.c_void_p()
        if isinstance(saved, bytes):
            definition = lib.tml_sim_def_default()
            definition.model = sim._built.handle
            call(lib.tml_sim_load_memory, ctypes.byref(definition), saved, len(saved), ctypes.byref(handle))
        else:
            call(lib.tml_sim_load, sim._built.handle, encode(saved), ctypes.byref(handle))
        sim._adopt(handle)
        if record:
            sim.record()
        return sim

    # ---- report -------------------------------------------------------------------------------------------

    @property
    def report(self) -> Record:
        """Statistics up to now: steps, energies, residuals, method, ... (tml_sim_report)."""
        report = _abi.tml_sim_report()
        lib.tml_sim_get_report(self._handle, ctypes.byref(report))
        return record(report, {"start_changes": "start_change_count", "impulses": "impulses_kept",
                               "sentences": "sentence_count"})

    @property
    def summary(self) -> str:
        """The closing report of `trammel run`, up to now."""
        return of_simulation(self)

    @property
    def title(self) -> str:
        return text(lib.tml_model_title(self._built.handle))

    @property
    def event(self) -> str | None:
        """Name of the event that ended the last run or step; None if there was none."""
        report = _abi.tml_sim_report()
        lib.tml_sim_get_report(self._handle, ctypes.byref(report))
        return text(report.event) or None

    @property
    def settings(self) -> Record:
        """Settings in use, with defaults resolved."""
        return record(lib.tml_sim_settings(self._handle).contents)

    def __repr__(self) -> str:
        return f"<Simulation of {self.model!r} at {self.t:g} s>"


def check_state(state: Any) -> None:
    if not isinstance(state, State):
        raise TypeError(f"A state of a simulation is wanted (sim.state, sim.state_at(t)), found "
                        f"{type(state).__name__}.")


def _destroy(handle: ctypes.c_void_p, _built: Built) -> None:
    lib.tml_sim_destroy(handle)  # before the model, which this function keeps
