"""Results: rows of named channels over time, from a run or from a file, as NumPy arrays."""
from __future__ import annotations

import ctypes
import fnmatch
import html
import os
import tempfile
import weakref
from dataclasses import dataclass
from typing import Any, Iterator, Sequence

import numpy as np

from . import _abi
from ._library import ENV, call, check, encode, extra, index_of, lib, text
from .attributes import Told
from .entries import nearest
from .errors import ArgumentError, Error, UnknownNameError
from .records import Record

FIRST_ROWS = 512  # for which a table has room at first
# tml_sim_channel_values with its pointers as numbers, which costs less
CHANNEL_VALUES = ctypes.CFUNCTYPE(ctypes.c_int, *4 * [ctypes.c_void_p])(("tml_sim_channel_values", lib))


@dataclass(frozen=True)
class Channel:
    """A column of results.

    name        "crank.x", "pin.angle", "t"
    unit        "m", "rad/s", "1"; "" if it is not known
    dataset     group, owner and quantity: "/bodies/crank/position"; "" if it is not known
    component   of the quantity, if it is a vector
    width       number of its components
    determined  reactions: "unique", "shared" or "indeterminate"; None for other channels
    """

    name: str
    unit: str
    dataset: str = ""
    component: int = 0
    width: int = 1
    determined: str | None = None

    @classmethod
    def of(cls, c: _abi.tml_channel) -> Channel:
        return cls(text(c.name), text(c.unit), text(c.dataset), c.component, c.width,
                   text(c.determined) or None)

    def definition(self) -> _abi.tml_channel:
        return _abi.tml_channel(encode(self.name), encode(self.unit), encode(self.dataset), self.component,
                                self.width, encode(self.determined) if self.determined else None)


class Result(Told):
    """Rows of a run: `values` is a matrix with a row per output time and a column per channel.

    result["pin.angle"] is a column (a view of `values`), result.t that of the time. Result.load reads a file;
    `values` is then the memory of the library, which is not to be written to. In a notebook a result shows
    itself: the mechanism moves, beside diagrams of its channels (docs/viewer.md).
    """

    OTHER_NAMES = {
        "time": "`t` has the times", **dict.fromkeys(("keys", "columns"), "`names` has the channels"),
        **dict.fromkeys(("save", "to_csv", "to_hdf5", "export"), "write(path) writes .csv or .h5"),
        **dict.fromkeys(("view", "show", "animate"), "page(path) writes the page of the viewer"),
        **dict.fromkeys(("data", "array"), "`values` has the rows"),
        **dict.fromkeys(("df", "dataframe"), "to_pandas() makes a frame of it")}

    def __init__(self, values: np.ndarray, channels: Sequence[Channel], *,
                 notes: dict[str, str] | None = None, report: Record | None = None,
                 event: str | None = None, model: Any = None):
        self.values = values
        self.channels = list(channels)
        self.notes = {name: note for name, note in (notes or {}).items() if note}
        self.report = report
        self.event = event
        self._model = model  # what the library made of it, for the viewer
        self._index = {c.name: i for i, c in enumerate(self.channels)}
        self._file: _File | None = None

    def instead_of(self, name: str) -> str:
        own = [n for n in self.names if n.startswith(f"{name}.")]
        return f"write result['{own[0]}']" if own else super().instead_of(name)

    def __copy__(self) -> Result:
        other = type(self).__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def __getstate__(self) -> dict[str, Any]:
        """A pickled or deeply copied result has all values, but not the model, which the viewer draws."""
        return {**self.__dict__, "values": np.array(self.values), "_model": None, "_file": None}

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Result:
        """Read a result file (.h5, .csv). The values are not copied."""
        file = _File(path)
        result = cls(file.values(), file.channels(), notes=file.notes())
        result._file = file
        return result

    # ---- columns ------------------------------------------------------------------------------------------

    @property
    def names(self) -> list[str]:
        return [c.name for c in self.channels]

    @property
    def units(self) -> dict[str, str]:
        return {c.name: c.unit for c in self.channels}

    @property
    def title(self) -> str:
        return self.notes.get("title", "")

    @property
    def summary(self) -> str:
        """The closing report of the run; "" if it did not reach its end."""
        return self.notes.get("report", "")

    @property
    def t(self) -> np.ndarray:
        """Times of the rows [s]."""
        return self["t"]

    def index(self, name: str) -> int:
        """The column of a channel."""
        if name in self._index:
            return self._index[name]
        if "*" in name or "?" in name:
            raise UnknownNameError(f"'{name}' is a pattern, expected the name of a channel; find('{name}') "
                                   "lists the channels that are like it", status="name")
        if self._file is not None:
            return index_of(lib.tml_result_channel_index, self._file.handle, name)
        raise UnknownNameError(f"there is no channel '{name}'{nearest(name, self.names)}", status="name")

    def __getitem__(self, name: str) -> np.ndarray:
        """The values of a channel, one per row: a view."""
        if not isinstance(name, str):
            raise TypeError(f"A channel is named by a text, found {name!r}; rows are in `values`.")
        return self.values[:, self.index(name)]

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.values)

    def vector(self, owner: str, quantity: str) -> np.ndarray:
        """All components of a quantity as columns of one view: vector("crank", "position")."""
        ending = f"/{owner}/{quantity}"
        columns = [i for i, c in enumerate(self.channels) if c.dataset.endswith(ending)]
        if not columns:
            known = sorted({".".join(c.dataset.split("/")[2:]) for c in self.channels
                            if c.dataset.count("/") > 2})
            raise UnknownNameError(f"there is no quantity '{owner}.{quantity}'"
                                   f"{nearest(f'{owner}.{quantity}', known)}", status="name")
        return self.values[:, columns[0]:columns[-1] + 1]

    def find(self, pattern: str) -> list[str]:
        """Names of channels like a pattern: "pin.*"."""
        return [name for name in self.names if fnmatch.fnmatchcase(name, pattern)]

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with the times as its index, on the same memory."""
        import pandas
        return pandas.DataFrame(self.values, index=pandas.Index(self.t, name="t"), columns=self.names,
                                copy=False)

    # ---- files --------------------------------------------------------------------------------------------

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a file: .h5, .hdf5 or .csv."""
        if self._file is not None:
            raise ArgumentError(f"The result was read from '{self._file.path}': copy that file.")
        channels = (_abi.tml_channel * len(self.channels))(*(c.definition() for c in self.channels))
        notes = {**self.notes, **({"scene": scene_text(self._model)} if self._model else {})}
        texts = (_abi.tml_result_note * max(1, len(notes)))(
            *((encode(k), v.encode()) for k, v in notes.items()))
        writer = ctypes.c_void_p()
        call(lib.tml_writer_create, encode(path), channels, len(channels), texts, len(notes),
             ctypes.byref(ENV), ctypes.byref(writer))
        rows = np.ascontiguousarray(self.values)
        pointer = ctypes.POINTER(ctypes.c_double)
        err = _abi.tml_error()
        try:
            for row in rows:
                call(lib.tml_writer_row, writer, row.ctypes.data_as(pointer))
        except Error:
            lib.tml_writer_close(writer, ctypes.byref(err))
            raise
        call(lib.tml_writer_close, writer)

    def page(self, path: str | os.PathLike[str], *, size: float = 5e6) -> None:
        """Write the page of the viewer: one HTML file of at most `size` bytes that needs nothing else."""
        if self._file is not None:
            self._file.page(path, size, self.title)
            return
        with tempfile.TemporaryDirectory() as folder:
            for name in ("result.h5", "result.csv"):  # a build may be without HDF5
                try:
                    self.write(os.path.join(folder, name))
                    file = _File(os.path.join(folder, name))
                    break
                except Error:
                    if name.endswith(".csv"):
                        raise
            file.page(path, size, self.title, scene_text(self._model) if self._model else "")

    def _repr_html_(self) -> str:
        """The viewer, inside of a notebook; a list of the channels if it was not built."""
        try:
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "page.html")
                self.page(path)
                with open(path, encoding="utf-8") as f:
                    page = f.read()
        except Error as e:
            names = ", ".join(map(html.escape, self.names))
            return f"<p>{html.escape(repr(self))}</p><p>{names}</p><p><i>{html.escape(str(e))}</i></p>"
        return (f'<iframe srcdoc="{html.escape(page)}" style="width: 100%; height: 600px; border: 0" '
                f'title="{html.escape(self.title)}"></iframe>')

    def plot(self, *names: str, path: str | os.PathLike[str] | None = None, x: str = "t") -> Any:
        """A diagram of channels over another one, by default over time. It shows itself in a notebook;
        with `path` (.svg, .pdf, .png) it is also written to a file."""
        from .plot import Plot  # it needs results
        return Plot(self, names, x, path)

    def __repr__(self) -> str:
        title = f" of {self.title!r}" if self.title else ""
        span = f", {self.t[0]:g} to {self.t[-1]:g} s" if "t" in self and len(self) else ""
        return f"<Result{title}: {len(self)} rows, {len(self.channels)} channels{span}>"


class Table:
    """The rows of a run while it goes on."""

    def __init__(self, sim: Any):
        self._sim = sim
        self._channels = sim.channels
        self._values = np.empty((FIRST_ROWS, len(self._channels)))
        self._address = self._values.ctypes.data
        self._stride = self._values.strides[0]
        self._rows = 0
        self._err = _abi.tml_error()
        self._err_address = ctypes.addressof(self._err)
        self._calculate = CHANNEL_VALUES
        self._handle = sim._handle.value
        self.closing = ""  # the closing report of a run that reached its end

    def add(self, x: int) -> None:
        """A row with the values of all channels at the state with this address."""
        if self._rows == len(self._values):
            values = np.empty((2 * self._rows, len(self._channels)))
            values[:self._rows] = self._values
            self._values = values
            self._address = values.ctypes.data
        row = self._address + self._rows * self._stride
        check(self._calculate(self._handle, x, row, self._err_address), self._err)
        self._rows += 1

    def result(self) -> Result:
        """The rows so far; later rows go to other memory or below them."""
        return _result(self._sim, self._values[:self._rows], self.closing)


def _result(sim: Any, values: np.ndarray, closing: str) -> Result:
    built = sim._built
    notes = {"title": sim.title, "version": text(lib.tml_version()),
             "model": text(lib.tml_spec_text(built.spec)), "report": closing}
    return Result(values, sim.channels, notes=notes, report=sim.report, event=sim.event, model=built)


def recorded(sim: Any) -> Result | None:
    """The rows that a simulation has recorded, as a copy: they move when more of them come. None: it does not
    record."""
    record = lib.tml_sim_recorded(sim._handle)
    if not record:
        return None
    rows, columns = lib.tml_result_row_count(record), lib.tml_result_channel_count(record)
    values = np.empty((rows, columns))
    call(lib.tml_result_read_rows, record, 0, rows, values.ctypes.data_as(ctypes.POINTER(ctypes.c_double)))
    return _result(sim, values, sim.summary)


def scene_text(built: Any) -> str:
    """What of a model is to be seen, as the viewer reads it; "" in a build without the viewer."""
    try:
        view = extra("trammel_view")
        scene = ctypes.c_void_p()
        call(view.tml_scene_create, built.spec, built.handle, None, ctypes.byref(scene))
    except Error:
        return ""
    try:
        return text(view.tml_scene_text(scene))
    finally:
        view.tml_scene_destroy(scene)


class _File:
    """A result file in the memory of the library."""

    def __init__(self, path: str | os.PathLike[str]):
        self.path = os.fspath(path)
        self.handle = ctypes.c_void_p()
        call(lib.tml_result_open, encode(path), ctypes.byref(ENV), ctypes.byref(self.handle))
        weakref.finalize(self, lib.tml_result_close, self.handle)

    def channels(self) -> list[Channel]:
        count = lib.tml_result_channel_count(self.handle)
        return [Channel(text(lib.tml_result_channel_name(self.handle, i)),
                        text(lib.tml_result_channel_unit(self.handle, i))) for i in range(count)]

    def values(self) -> np.ndarray:
        rows, columns = lib.tml_result_row_count(self.handle), lib.tml_result_channel_count(self.handle)
        if rows == 0:
            return np.empty((0, columns))
        first = lib.tml_result_row(self.handle, 0)
        memory = (ctypes.c_double * (rows * columns)).from_address(ctypes.addressof(first.contents))
        memory._owner = self  # type: ignore[attr-defined]
        values = np.frombuffer(memory).reshape(rows, columns)
        values.flags.writeable = False
        return values

    def notes(self) -> dict[str, str]:
        words = ("title", "file", "model", "settings", "version", "report")
        return {word: text(lib.tml_result_note_text(self.handle, word.encode())) for word in words}

    def page(self, path: str | os.PathLike[str], size: float, title: str, scene: str = "") -> None:
        view = extra("trammel_view")
        definition = view.tml_page_def_default()
        definition.bytes = size
        definition.title = title.encode() if title else None
        definition.scene = scene.encode() if scene else None
        call(view.tml_page_write, self.handle, ctypes.byref(definition), encode(path), None, None)
