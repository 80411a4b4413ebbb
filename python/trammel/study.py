"""Studies: many runs of one model with different parameters, and the table of what they give."""
from __future__ import annotations

import ctypes
import operator
import os
import tempfile
import weakref
from typing import Any, Callable, Iterable

import numpy as np

from . import _abi, modules
from ._library import ENV, Single, call, encode, error_of, lib, text
from .document import Document, put_value
from .entries import nearest
from .errors import ArgumentError, Error, UnknownNameError
from .interrupts import interrupts
from .model import Model
from .records import Record, record

PREFIX = "trammel-study-"  # of the file of a study that is made in Python


class Study(Single):
    """A study: a model, parameters that vary, and quantities that are taken of each run (docs/studies.md).

    Study.load reads a study file. Study(model="model.yaml", parameters={...}, quantities={...}, ...) has the
    keys of such a file as keywords; the model is relative to `folder`.
    """

    INSTEAD = "Give the study file, or the keys of the study, to the other process."

    def __init__(self, *, folder: str | os.PathLike[str] = ".", **keys: Any):
        if isinstance(keys.get("model"), Model):
            raise TypeError("The model of a study is a file, found a Model: write its `text` to one first.")
        if isinstance(keys.get("model"), (str, os.PathLike)):
            keys["model"] = os.path.abspath(os.path.join(folder, keys["model"]))
        document = Document()
        put_value(document, "", {k: v for k, v in keys.items() if v is not None}, "", "", None)
        # the library reads studies from files
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", prefix=PREFIX, encoding="utf-8") as file:
            file.write(document.text)
            file.flush()
            try:
                self._read(file.name)
            except Error as e:
                if e.file and os.path.basename(e.file) == os.path.basename(file.name):
                    line = min(e.line or 1, len(document.lines)) - 1
                    e.path, e.file, e.line, e.column = document.paths[line] or None, None, None, None
                raise

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Study:
        """Read a study file."""
        study = cls.__new__(cls)
        study._read(path)
        return study

    def _read(self, path: str | os.PathLike[str]) -> None:
        self._handle = ctypes.c_void_p()
        call(lib.tml_study_read, encode(path), ctypes.byref(ENV), ctypes.byref(self._handle))
        weakref.finalize(self, lib.tml_study_destroy, self._handle)

    @property
    def title(self) -> str:
        return text(lib.tml_study_title(self._handle))

    @property
    def parameter_names(self) -> list[str]:
        count = lib.tml_study_parameter_count(self._handle)
        return [text(lib.tml_study_parameter_name(self._handle, i)) for i in range(count)]

    @property
    def quantity_names(self) -> list[str]:
        count = lib.tml_study_quantity_count(self._handle)
        return [text(lib.tml_study_quantity_name(self._handle, i)) for i in range(count)]

    @property
    def in_place(self) -> bool:
        """Whether parameters change in place, without a new model for each member."""
        return lib.tml_study_in_place(self._handle)

    def __len__(self) -> int:
        """The number of members."""
        return lib.tml_study_member_count(self._handle)

    def parameters(self, member: int) -> dict[str, float]:
        """The parameters of a member."""
        values = (ctypes.c_double * max(1, len(self.parameter_names)))()
        call(lib.tml_study_parameters, self._handle, operator.index(member), values)
        return dict(zip(self.parameter_names, values))

    def run_member(self, member: int) -> dict[str, float]:
        """Run one member; its parameters and quantities. An error of its run is raised."""
        worker = ctypes.c_void_p()
        names = self.parameter_names + self.quantity_names
        values = (ctypes.c_double * len(names))()
        call(lib.tml_study_worker_create, self._handle, ctypes.byref(worker))
        try:
            call(lib.tml_study_worker_run, worker, operator.index(member), values)
        finally:
            lib.tml_study_worker_destroy(worker)
        return dict(zip(names, values))

    @property
    def optimizes(self) -> bool:
        """Whether the study searches an optimum (`optimize`) in place of a sampling."""
        return lib.tml_study_optimizes(self._handle)

    def run(self, out: str | os.PathLike[str] | None = None, *, threads: int = 0, resume: bool = False,
            overwrite: bool = False, part: tuple[int, int] | None = None,
            on_progress: Callable[[Record], Any] | None = None) -> StudyTable | None:
        """Run all members, or search the optimum; returns the table.

        out: name of the results without extension: OUT.journal while it runs, OUT.csv and OUT.h5 at the end;
        None: nothing is kept. resume: run what the journal lacks. part=(i, n): part i of n parts of the
        members, for machines that do not know of each other; `merge` puts them together.
        on_progress(progress) is called after members and ends the study by returning False. Ctrl-C ends it
        after the running members.

        In a program that mpirun has started on several processes, all of them call this with the same study.
        Process 0 returns the table, the others None.
        """
        if out is None:
            if resume or overwrite:
                raise ArgumentError("resume and overwrite need `out`, the name of the results")
            with tempfile.TemporaryDirectory() as folder:
                return self.run(os.path.join(folder, "study"), threads=threads, part=part,
                                on_progress=on_progress)
        if resume and overwrite:
            raise ArgumentError("either resume or overwrite: one continues the journal, the other begins it")
        world = modules.ranks()
        raised: list[BaseException] = []
        best = ctypes.c_long(-1)
        with interrupts() as noted:
            definition = lib.tml_study_run_def_default()
            definition.out, definition.threads = encode(out), threads
            definition.resume, definition.overwrite = resume, overwrite
            definition.part, definition.parts = modules.check_part(part)
            if world:
                definition.ranks = ctypes.pointer(world)

            def go_on(progress: Any, _user: Any) -> bool:
                go = True
                try:
                    go = on_progress is None or on_progress(record(progress.contents)) is not False
                except BaseException as e:  # it must not leave the function: there is C around it
                    raised.append(e)
                return not raised and not noted and go

            definition.progress = dict(_abi.tml_study_run_def._fields_)["progress"](go_on)
            err = _abi.tml_error()
            first = not world or world.rank == 0
            if not self.optimizes:
                status = lib.tml_study_run(self._handle, ctypes.byref(definition), None, ctypes.byref(err))
            elif first:
                if part is not None:
                    raise ArgumentError("a search has no parts: its members follow from those before them")
                status = lib.tml_study_optimize(self._handle, ctypes.byref(definition), modules.minimizer(),
                                                None, ctypes.byref(best), ctypes.byref(err))
            else:
                return None
        if raised:
            raise raised[0]
        if status not in (_abi.TML_OK, _abi.TML_ERR_STOPPED):
            raise error_of(status, err)
        return self._table(out, part, best.value) if first else None

    def _table(self, out: str | os.PathLike[str], part: tuple[int, int] | None, best: int) -> StudyTable:
        name = os.fspath(out) + (f".part{part[0]}of{part[1]}" if part and part[1] > 1 else "")
        return StudyTable(self, name + ".journal", best)

    def merge(self, out: str | os.PathLike[str], journals: Iterable[str | os.PathLike[str]]) -> StudyTable:
        """Put the journals of parts together: OUT.journal, and the tables if all members are there."""
        if isinstance(journals, (str, os.PathLike)):
            raise ArgumentError("journals: give a list of files")
        paths = [encode(path) for path in journals]
        array = (ctypes.c_char_p * max(1, len(paths)))(*paths)
        call(lib.tml_study_merge, self._handle, encode(out), array, len(paths), None)
        return self._table(out, None, -1)

    def __repr__(self) -> str:
        title = f" {self.title!r}" if not os.path.basename(self.title).startswith(PREFIX) else ""
        return (f"<Study{title}: {len(self)} members, {len(self.parameter_names)} parameters, "
                f"{len(self.quantity_names)} quantities>")


class StudyTable(Single):
    """The table of a study: a row per member, columns for parameters and quantities.

    values    matrix; table["rise"] is a column
    names     of the columns
    members   numbers of the members
    messages  why members failed, "" for those that did not
    best      of a search: the member with the best value of the goal
    """

    INSTEAD = "Its arrays can: values, names, members, messages, or to_pandas()."

    def __init__(self, study: Study, journal: str, best: int = -1):
        self._study = study
        self._best = best
        self._handle = ctypes.c_void_p()
        call(lib.tml_study_table_read, study._handle, encode(journal), ctypes.byref(self._handle))
        weakref.finalize(self, lib.tml_study_table_destroy, self._handle)
        self.names = study.parameter_names + study.quantity_names
        rows = range(lib.tml_study_table_count(self._handle))
        self.members = np.array([lib.tml_study_table_member(self._handle, i) for i in rows], dtype=int)
        self.messages = [text(lib.tml_study_table_message(self._handle, i)) for i in rows]
        self.values = np.empty((len(rows), len(self.names)))
        for i in rows:
            self.values[i] = np.ctypeslib.as_array(lib.tml_study_table_values(self._handle, i),
                                                   (len(self.names),))
        self.members.flags.writeable = self.values.flags.writeable = False

    def index(self, name: str) -> int:
        if name not in self.names:
            raise UnknownNameError(f"there is no column '{name}'{nearest(name, self.names)}", status="name")
        return self.names.index(name)

    def __getitem__(self, name: str) -> np.ndarray:
        """A column, one number per member: a view."""
        return self.values[:, self.index(name)]

    def __len__(self) -> int:
        return len(self.values)

    @property
    def best(self) -> Record | None:
        """Of a search: `member`, its `goal`, `violation` (the largest constraint, 0 if all are satisfied) and
        its `values` by names. None: no member has a value, or the study searches nothing."""
        rows = np.flatnonzero(self.members == self._best)
        if not len(rows):
            return None
        row = np.ascontiguousarray(self.values[rows[0]])
        goal, violation = ctypes.c_double(), ctypes.c_double()
        call(lib.tml_study_goal, self._study._handle, row.ctypes.data_as(ctypes.POINTER(ctypes.c_double)),
             ctypes.byref(goal), ctypes.byref(violation))
        return Record(member=self._best, goal=goal.value, violation=violation.value,
                      values=dict(zip(self.names, row.tolist())))

    def statistics(self, name: str) -> Record:
        """count, mean, deviation, least, most, low (5 %), median, high (95 %) of a column."""
        out = _abi.tml_study_statistics()
        call(lib.tml_study_table_statistics, self._handle, self.index(name), ctypes.byref(out))
        return record(out)

    def correlation(self, a: str, b: str) -> float:
        """Rank correlation (Spearman) of two columns."""
        out = ctypes.c_double()
        call(lib.tml_study_table_correlation, self._handle, self.index(a), self.index(b), ctypes.byref(out))
        return out.value

    def sobol(self, parameter: str, quantity: str) -> Record:
        """Sobol indices (points, first, total) of a parameter for a quantity; sampling `saltelli`."""
        names = self._study.quantity_names
        if quantity not in names:
            raise UnknownNameError(f"there is no quantity '{quantity}'{nearest(quantity, names)}",
                                   status="name")
        out = _abi.tml_study_indices()
        call(lib.tml_study_sobol, self._study._handle, self._handle, self.index(parameter),
             names.index(quantity), ctypes.byref(out))
        return record(out)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the table: .csv or .h5."""
        call(lib.tml_study_table_write, self._study._handle, self._handle, encode(path))

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with the numbers of members as its index, on the same memory."""
        import pandas
        index = pandas.Index(self.members, name="member")
        return pandas.DataFrame(self.values, index=index, columns=self.names, copy=False)

    def __repr__(self) -> str:
        failed = sum(bool(m) for m in self.messages)
        return f"<StudyTable: {len(self)} members, {failed} failed; {', '.join(self.names)}>"
