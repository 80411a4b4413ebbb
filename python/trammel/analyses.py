"""Questions about a model: check, static, kinematics, modes, linearize, compare, verify, advise."""
from __future__ import annotations

import ctypes
import weakref
from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np

from . import _abi
from ._library import Single, call, error_of, lib, text
from .entries import nearest
from .errors import ArgumentError, Error
from .interrupts import interrupts
from .model import Model, Run, check_model
from .records import Record, record
from .result import Result
from .simulation import Simulation

BEGINS = {"start": None, "equilibrium": "static", "steady": "steady"}


def state_at(model: Model, at: str | float, settings: dict[str, Any]) -> tuple[Simulation, Any]:
    """A simulation and its state: at the "start", in an "equilibrium", in "steady" rotation, or at a time
    [s]."""
    if isinstance(at, str):
        if at not in BEGINS:
            raise ArgumentError(f"at: '{at}' is not start, equilibrium, steady or a time [s]"
                                f"{nearest(at, list(BEGINS))}.")
        begin = {"begin": BEGINS[at]} if BEGINS[at] else {}
        sim = Simulation(model, **{**settings, **begin})
        return sim, sim.state
    sim = Simulation(model, **settings)
    start, end = sim.settings.start, sim.settings.end
    if not start <= at <= end:
        raise ArgumentError(f"at: {at:g} s is not within the run, {start:g} to {end:g} s.")
    state = sim.state_at(at)
    if sim.event is not None:
        raise ArgumentError(f"at: the event '{sim.event}' ends the run at {state.t:g} s, before {at:g} s.")
    return sim, state


# ---- check ------------------------------------------------------------------------------------------------

class Check(Record):
    """What the library finds about a model at its start (tml_check): freedoms, redundant rows, residuals,
    conflicts, sweeps, notes. `eigenvalues` is a complex array; `error` is None, or the sentence that says why
    the constraints contradict each other (`assembled` is then False)."""

    def __repr__(self) -> str:
        return f"<Check of {self.title!r}: {self.freedoms} freedoms, {len(self.notes)} notes>"


CHECK_COUNTS = {"bodies": "body_count", "joints": "joint_count", "row_list": "rows",
                "conflicts": "conflict_count", "dependencies": "dependency_count", "others": "other_count",
                "sets": "set_count", "sentences": "sentence_count", "sweeps": "sweep_count",
                "eigenvalues": "eigenvalue_count", "notes": "note_count"}


def check(model: Model, t: float | None = None) -> Check:
    """Properties of a model at time t [s], by default at the start of its run."""
    check_model(model)
    built = model.build()
    time = lib.tml_model_run(built.handle).contents.start if t is None else t
    out = ctypes.POINTER(_abi.tml_check)()
    err = _abi.tml_error()
    status = lib.tml_check_create(built.handle, time, ctypes.byref(out), ctypes.byref(err))
    if not out:
        built.raise_from_functions()
        raise error_of(status, err)
    try:
        found = Check(**vars(record(out.contents, CHECK_COUNTS)))
    finally:
        lib.tml_check_destroy(out)
    found.eigenvalues = np.array([complex(e.re, e.im) for e in found.eigenvalues])
    found.error = text(err.msg) if status else None
    return found


# ---- static -----------------------------------------------------------------------------------------------

class Equilibrium(Record):
    """A static equilibrium (tml_equilibrium), with `channels`, the values of all channels by name, and
    `state`, from which a simulation can begin."""

    def __getitem__(self, channel: str) -> float:
        """The value of a channel."""
        if channel not in self.channels:
            raise KeyError(f"there is no channel '{channel}'{nearest(channel, list(self.channels))}")
        return self.channels[channel]


def static(model: Model, **settings: Any) -> Equilibrium:
    """A static equilibrium near the positions of the model."""
    sim = Simulation(model, **{**settings, "begin": "static"})
    found = Equilibrium(**vars(sim.report.equilibrium))
    found.limit_load = found.limit_load[:min(found.limit_points, len(found.limit_load))]
    found.channels = dict(zip((c.name for c in sim.channels), map(float, sim.values)))
    found.state = sim.state
    return found


# ---- kinematics -------------------------------------------------------------------------------------------

class _Kinematics(Simulation):
    """The motion that drivers prescribe."""

    def _define(self, definition: Any) -> None:
        definition.method = ctypes.addressof(ctypes.c_char.in_dll(lib, "tml_method_kinematics"))


def kinematics(model: Model, *, end: float | None = None, **settings: Any) -> Result:
    """The motion that drivers prescribe and the forces that it takes, without integration: for models whose
    drivers leave no degree of freedom."""
    return _Kinematics(model, end=end, **settings).run()


# ---- modes ------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Mode:
    """A small motion exp(s t).

    s         root [1/s]; of a conjugate pair the one with a positive imaginary part
    hz        damped frequency [Hz]
    damping   damping ratio
    kind      "rigid", "oscillation" or "aperiodic"
    unstable  it grows
    shape     complex increments of the coordinates, as in `u` of a state; the largest is 1
    parts     (name, share of the kinetic energy) of the parts with the largest shares
    """

    s: complex
    hz: float
    damping: float
    kind: str
    unstable: bool
    shape: np.ndarray
    parts: list[tuple[str, float]]


class Modes(Single, Sequence[Mode]):
    """The modes of a model at a state, by ascending |s|: a sequence of Mode.

    t, rest, steady, axes, freedoms, rigid, unstable, missing: as in tml_modes. assurance(i, other, j): how
    alike two shapes are, 0 to 1.
    """

    def __init__(self, model: Any, pointer: Any):
        self._pointer = pointer
        m = pointer.contents
        self.t, self.rest, self.steady, self.axes = m.t, m.rest, m.steady, text(m.axes)
        self.freedoms, self.rigid, self.unstable = m.freedoms, m.rigid, m.unstable
        self.missing = m.missing
        self._model = model  # it must outlive the modes
        weakref.finalize(self, lib.tml_modes_destroy, pointer)
        words = _abi.ENUMS["tml_mode_kind"]
        self._modes = [_mode(m.modes[i], m.n, words) for i in range(m.count)]

    def __getitem__(self, index: Any) -> Any:
        return self._modes[index]

    def __len__(self) -> int:
        return len(self._modes)

    @property
    def hz(self) -> np.ndarray:
        """Frequencies [Hz]."""
        return np.array([mode.hz for mode in self._modes])

    def assurance(self, i: int, other: Modes, j: int) -> float:
        """Modal assurance criterion of mode i and mode j of `other`."""
        return lib.tml_modes_assurance(self._pointer, i, other._pointer, j)

    def __repr__(self) -> str:
        return f"<Modes: {len(self)} at {self.t:g} s, {', '.join(f'{f:.4g}' for f in self.hz)} Hz>"


def _mode(m: Any, n: int, words: dict[int, str]) -> Mode:
    shape = np.array(m.shape_re[:n]) + 1j * np.array(m.shape_im[:n])
    parts = [(text(m.part[i]), m.share[i]) for i in range(_abi.TML_MODE_PARTS) if m.part[i]]
    return Mode(complex(m.re, m.im), m.hz, m.damping, words[m.kind], m.unstable, shape, parts)


def modes(model: Model, *, at: str | float = "start", count: int = 10, near: float = 0.0,
          solver: str = "auto", **settings: Any) -> Modes:
    """Modes of a model: the lowest `count`, or those nearest to the frequency `near` [Hz]."""
    solvers = {"auto": _abi.TML_MODE_SOLVER_AUTO, "dense": _abi.TML_MODE_SOLVER_DENSE,
               "sparse": _abi.TML_MODE_SOLVER_SPARSE}
    if solver not in solvers:
        raise ArgumentError(f"solver: '{solver}' is not auto, dense or sparse"
                            f"{nearest(solver, list(solvers))}.")
    sim, state = state_at(model, at, settings)
    definition = lib.tml_modes_def_default()
    definition.count, definition.near, definition.solver = count, near, solvers[solver]
    out = ctypes.POINTER(_abi.tml_modes)()
    call(lib.tml_modes_create, sim._built.handle, state._pointer, ctypes.byref(definition), ctypes.byref(out))
    return Modes(sim._built, out)


# ---- linearize --------------------------------------------------------------------------------------------

class _LinearMemory:
    """A linear system of the library. Arrays refer to it and not to the object that has them: NumPy's arrays
    are no part of the search for cycles."""

    def __init__(self, pointer: Any):
        weakref.finalize(self, lib.tml_linear_destroy, pointer)


class Linear:
    """The linear system x' = A x + B u, y = C x + D u of small motions about a state.

    A, B, C, D              matrices, on the memory of the library
    states, inputs, outputs names
    units                   {name: unit}
    values                  {name: value at the state} of inputs and outputs
    t, rest, steady, axes   as in tml_linear
    """

    def __init__(self, pointer: Any):
        x = pointer.contents
        self._memory = _LinearMemory(pointer)
        self.t, self.rest, self.steady, self.axes = x.t, x.rest, x.steady, text(x.axes)
        lists = [(x.states, x.state_count), (x.inputs, x.input_count), (x.outputs, x.output_count)]
        self.states, self.inputs, self.outputs = ([text(q[i].name) for i in range(n)] for q, n in lists)
        self.units = {text(q[i].name): text(q[i].unit) for q, n in lists for i in range(n)}
        self.values = {text(q[i].name): q[i].value for q, n in lists[1:] for i in range(n)}
        n, m, p = x.state_count, x.input_count, x.output_count
        self.A, self.B = self._matrix(x.A, n, n), self._matrix(x.B, n, m)
        self.C, self.D = self._matrix(x.C, p, n), self._matrix(x.D, p, m)

    def _matrix(self, data: Any, rows: int, columns: int) -> np.ndarray:
        if rows * columns == 0:
            return np.empty((rows, columns))
        memory = (ctypes.c_double * (rows * columns)).from_address(ctypes.addressof(data.contents))
        memory._owner = self._memory  # type: ignore[attr-defined]
        matrix = np.frombuffer(memory).reshape(rows, columns)
        matrix.flags.writeable = False
        return matrix

    def __repr__(self) -> str:
        return f"<Linear: {len(self.states)} states, {len(self.inputs)} inputs, {len(self.outputs)} outputs>"


def linearize(model: Model, *, at: str | float = "start", **settings: Any) -> Linear:
    """The linear system of a model about a state; inputs and outputs are those of the model."""
    sim, state = state_at(model, at, settings)
    out = ctypes.POINTER(_abi.tml_linear)()
    call(lib.tml_linear_create, sim._handle, state._pointer, ctypes.byref(out))
    return Linear(out)


# ---- compare and verify -----------------------------------------------------------------------------------

class Comparison(Record):
    """Runs of a model by several methods (tml_comparison): `rows`, `reference`, `uncertainty`, ..."""


class Verification(Record):
    """A run compared with a more accurate one (tml_verification): `met`, `ratio`, `signals`, `asked`, ..."""

    def __bool__(self) -> bool:
        return self.met


def _progress(definition: Any, noted: list[int] | None) -> Any:
    """Set on_progress so that Ctrl-C stops the runs; the function must live as long as they do."""
    kind = dict(definition._fields_)["on_progress"]
    function = kind(lambda _p, _user: _abi.TML_ERR_STOPPED if noted else _abi.TML_OK)
    if noted is not None:
        definition.on_progress = function
    return function


def _numbers(values: Sequence[float]) -> tuple[Any, int]:
    return (ctypes.c_double * len(values))(*values), len(values)


def compare(model: Model, methods: Sequence[str] | str | None = None, *, tols: Sequence[float] | None = None,
            steps: Sequence[float] | None = None, reference: str | None = None,
            reference_file: str | None = None, threads: int = 0, budget: float = 50.0, limit: float = 0.0,
            **settings: Any) -> Comparison:
    """Run a model with several methods at several tolerances, and compare each run with a reference.

    methods: all that can run the model, if None. tols: 1e-2 to 1e-8, if None; or fixed `steps` [s]. budget:
    wall time of all runs [s]; limit: CPU time of each run [s].
    """
    check_model(model)
    built = model.build()
    definition = lib.tml_compare_def_default()
    run = Run(built, settings)
    definition.run = ctypes.pointer(run.definition)
    methods = [methods] if isinstance(methods, str) else methods
    if methods:
        definition.methods = (ctypes.c_char_p * len(methods))(*(m.encode() for m in methods))
        definition.method_count = len(methods)
    if tols:
        definition.tols, definition.tol_count = _numbers(tols)
    if steps:
        definition.steps, definition.step_count = _numbers(steps)
    definition.reference_method = reference.encode() if reference else None
    definition.reference_file = reference_file.encode() if reference_file else None
    definition.threads, definition.budget, definition.limit = threads, budget, limit
    out = ctypes.POINTER(_abi.tml_comparison)()
    _call_interruptible(built, definition, lib.tml_compare, ctypes.byref(out))
    try:
        return Comparison(**vars(record(out.contents, {"rows": "row_count", "skipped": "skipped_count"})))
    finally:
        lib.tml_comparison_destroy(out)


def verify(model: Model, *, method: str | None = None, factor: float = 100.0, threads: int = 0,
           **settings: Any) -> Verification:
    """Run a model as its settings say and once more with higher accuracy; judge every signal.

    method: of the more accurate run, by default the same. factor: its tolerance is divided by it. The result
    is true if the run meets its tolerance.
    """
    check_model(model)
    built = model.build()
    definition = lib.tml_verify_def_default()
    run = Run(built, settings)
    definition.run = ctypes.pointer(run.definition)
    with_method = method.encode() if method else None
    setattr(definition, "with", with_method)
    definition.factor, definition.threads = factor, threads
    out = ctypes.POINTER(_abi.tml_verification)()
    _call_interruptible(built, definition, lib.tml_verify, ctypes.byref(out))
    try:
        return Verification(**vars(record(out.contents, {"signals": "signal_count"})))
    finally:
        lib.tml_verification_destroy(out)


def _call_interruptible(built: Any, definition: Any, function: Any, out: Any) -> None:
    with interrupts() as noted:
        _kept = _progress(definition, noted)
        try:
            call(function, built.handle, ctypes.byref(definition), out)
        except Error:
            if not noted:
                built.raise_from_functions()
                raise


def advise(model: Model, **settings: Any) -> Record:
    """Method, step size and solver that suit a model (tml_advice)."""
    check_model(model)
    built = model.build()
    run = Run(built, settings)
    out = _abi.tml_advice()
    call(lib.tml_advise, built.handle, ctypes.byref(run.definition), ctypes.byref(out))
    return record(out)
