"""Entries of a model (bodies, joints, forces, ...) and values with keys of their own: the base classes.

The classes themselves are generated from the schema of model files, so that keys and meanings are those of
docs/model-file.md.
"""
from __future__ import annotations

import difflib
import os
import sys
from typing import Any, Sequence, Union

import numpy as np

Number = Union[float, int, str]  # a text is an expression of parameters: "2*L", "30 deg"
Expression = Union[float, int, str]  # evaluated during the run: "k*arm.angle"
Vector = Union[Sequence[Number], np.ndarray]
Numbers = Union[Sequence[Number], Sequence[Sequence[Number]], np.ndarray]
Reference = Union[str, "Entry"]  # "body.frame", or a body itself
Map = dict[str, Any]


def nearest(word: str, words: Sequence[str]) -> str:
    """ (is it 'x'?), or "". Of 'pin' it is the first value of pin, if there is one."""
    found = [w for w in words if w.startswith(f"{word}.")] or difflib.get_close_matches(word, words, 1, 0.6)
    return f" (is it '{found[0]}'?)" if found else ""


def caller() -> tuple[str, int] | None:
    """File and line of the nearest caller outside of this package."""
    here = os.path.dirname(os.path.abspath(__file__))
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if os.path.dirname(os.path.abspath(name)) != here:
            return name, frame.f_lineno
        frame = frame.f_back
    return None


class Checked(type):
    """Classes whose calls say what is wrong with their keywords."""

    def __call__(cls, *arguments: Any, **values: Any) -> Any:
        keys = cls.KEYS  # type: ignore[attr-defined]
        for key in values:
            if key not in keys and key != "name":
                raise TypeError(f"{cls.__name__} has no key '{key}'{nearest(key, keys)}; it has "
                                f"{', '.join(keys)}.")
        named = issubclass(cls, Entry)
        if len(arguments) > (1 if named else 0):
            after = ", after the name" if named else ""
            raise TypeError(f"{cls.__name__} takes its values by keyword{after}: "
                            f"{cls.__name__}({'name, ' if named else ''}{keys[0]}=...).")
        return super().__call__(*arguments, **values)


class Value(metaclass=Checked):
    """A value with keys: an orientation, a frame, friction."""

    KEYS: tuple[str, ...] = ()
    TYPE: str | None = None  # value of the key `type`

    def __init__(self, values: Map):
        object.__setattr__(self, "_values", {})
        object.__setattr__(self, "_where", caller())
        for key, value in values.items():
            if key in self.KEYS and value is not None:
                self._values[key] = value

    def __getattr__(self, key: str) -> Any:
        if key in type(self).KEYS:
            return self._values.get(key)
        raise AttributeError(f"{type(self).__name__} has no key '{key}'{nearest(key, self.KEYS)}.")

    def __setattr__(self, key: str, value: Any) -> None:
        if key not in self.KEYS and key != "name":
            raise AttributeError(f"{type(self).__name__} has no key '{key}'{nearest(key, self.KEYS)}.")
        if key == "name":
            object.__setattr__(self, key, value)
        elif value is None:
            self._values.pop(key, None)
        else:
            self._values[key] = value

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self._values.items())})"

    def keys_and_values(self) -> Map:
        """The keys that were given, in the order of the schema, with `type` if the class has one."""
        given = {key: self._values[key] for key in self.KEYS if key in self._values}
        return {"type": self.TYPE, **given} if self.TYPE else given


class Entry(Value):
    """An entry of a section of a model, with a name of its own."""

    SECTION = ""
    name: str | None

    def __init__(self, name: str | None, values: Map):
        super().__init__(values)
        if name is not None and not isinstance(name, str):
            raise TypeError(f"The name of {type(self).__name__} is {name!r}, expected a text.")
        object.__setattr__(self, "name", name)

    def __repr__(self) -> str:
        given = [repr(self.name)] + [f"{k}={v!r}" for k, v in self._values.items()]
        return f"{type(self).__name__}({', '.join(given)})"

    def __getitem__(self, frame: str) -> str:
        """A frame of a body, as joints and forces refer to it: arm["tip"] is "arm.tip"."""
        frames = self._values.get("frames", {})
        if self.SECTION == "bodies" and frame not in frames:
            raise KeyError(f"body '{self.name}' has no frame '{frame}'{nearest(frame, list(frames))}")
        return f"{self.name}.{frame}"
