"""Diagrams of results, drawn by the library."""
from __future__ import annotations

import ctypes
import os
import tempfile
from typing import Any, Sequence

import numpy as np

from . import _abi
from ._library import call, encode, extra
from .errors import ArgumentError


class Plot:
    """A diagram of channels of a result. It shows itself in a notebook; `svg` is its text."""

    def __init__(self, result: Any, names: Sequence[str], x: str, path: str | os.PathLike[str] | None):
        if not names:
            raise ArgumentError("A diagram needs at least one channel: result.plot(\"pin.angle\").")
        self._library = extra("trammel_plot")
        units = {result.channels[result.index(name)].unit for name in names}
        definition = self._library.tml_plot_def_default()
        definition.x.label, definition.x.unit = encode(x), encode(result.channels[result.index(x)].unit)
        definition.y.label = encode(names[0] if len(names) == 1 else "")
        definition.y.unit = encode(units.pop() if len(units) == 1 else "")
        plot = ctypes.c_void_p()
        call(self._library.tml_plot_create, ctypes.byref(definition), None, ctypes.byref(plot))
        try:
            for name in names:
                self._add(plot, name, result[x], result[name])
            if path is not None:
                call(self._library.tml_plot_write, plot, encode(path))
            with tempfile.TemporaryDirectory() as folder:
                picture = os.path.join(folder, "plot.svg")
                call(self._library.tml_plot_write, plot, encode(picture))
                with open(picture, encoding="utf-8") as f:
                    self.svg = f.read()
        finally:
            self._library.tml_plot_destroy(plot)

    def _add(self, plot: Any, name: str, x: np.ndarray, y: np.ndarray) -> None:
        pointer = ctypes.POINTER(ctypes.c_double)
        x, y = np.ascontiguousarray(x), np.ascontiguousarray(y)
        series = self._library.tml_series_def_default()
        series.name = encode(name)
        series.count = len(x)
        series.x, series.y = x.ctypes.data_as(pointer), y.ctypes.data_as(pointer)
        series.marker = _abi.TML_MARKER_NONE
        call(self._library.tml_plot_add, plot, ctypes.byref(series))

    def _repr_svg_(self) -> str:
        return self.svg
