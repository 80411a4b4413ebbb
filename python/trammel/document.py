"""A model in Python as the text of a model file, with the place of every line in the model.

The text is JSON, which is YAML. Numbers are written in their shortest exact form, so that the library reads
the very bits of the program.
"""
from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .elements import SECTIONS
from .entries import Entry, Value
from .errors import ArgumentError


@dataclass
class Document:
    """A text, and for each of its lines the path in the model and the place in the program."""

    lines: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    places: list[tuple[str, int] | None] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    def put(self, line: str, path: str, place: tuple[str, int] | None) -> None:
        self.lines.append(line)
        self.paths.append(path)
        self.places.append(place)


def is_defined_at(entry: Entry, path: str) -> bool:
    """Whether the entry itself stands at this path; elsewhere its name refers to it."""
    words = path.split(".")
    return words == [entry.SECTION, entry.name] or "shape" in words[-2:]


def plain(value: Any, path: str) -> Any:
    """A value as texts, numbers, lists and maps."""
    if isinstance(value, Entry) and not is_defined_at(value, path):
        if not value.name:
            raise ArgumentError(f"The {type(value).__name__} has no name.", path=path)
        return value.name
    if isinstance(value, (Value, dict)):
        return value
    if isinstance(value, np.ndarray):
        return plain(value.tolist(), path)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (list, tuple)):
        return [plain(v, path) for v in value]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ArgumentError(f"The value is {value}, expected a finite number.", status="arg", path=path)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise ArgumentError(f"The value is of type {type(value).__name__}, expected a number, a text, a list or "
                        "an entry of the model.", path=path)


def scalar(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def is_flat(value: Any) -> bool:
    """Whether a value is written in one line."""
    if isinstance(value, list):
        return all(is_flat(v) for v in value)
    return not isinstance(value, (dict, Value))


def put_value(out: Document, before: str, value: Any, after: str, path: str, place: Any) -> None:
    """Write a value, in as many lines as it has keys."""
    value = plain(value, path)
    if isinstance(value, Value):
        place = value._where or place
        value = value.keys_and_values()
    if isinstance(value, dict):
        if not value:
            out.put(before + "{}" + after, path, place)
            return
        out.put(before + "{", path, place)
        indent = " " * (len(before) - len(before.lstrip()) + 2)
        last = len(value) - 1
        for i, (k, v) in enumerate(value.items()):
            if not isinstance(k, str):
                raise ArgumentError(f"The key {k!r} is not a text.", path=path)
            put_value(out, f"{indent}{scalar(k)}: ", v, "" if i == last else ",",
                      f"{path}.{k}" if path else k, place)
        out.put(indent[2:] + "}" + after, path, place)
    elif is_flat(value):
        out.put(before + scalar(value) + after, path, place)
    else:
        out.put(before + "[", path, place)
        for i, v in enumerate(value):
            put_value(out, "", v, "" if i == len(value) - 1 else ",", f"{path}.{i}", place)
        out.put("]" + after, path, place)


def write(sections: dict[str, Any]) -> Document:
    """The document of a model; sections are in the order of the reference."""
    given = {key: sections[key] for key in SECTIONS if key in sections}
    out = Document()
    filled = {k: v for k, v in given.items() if v is not None and v != {} and v != []}
    put_value(out, "", filled, "", "", None)
    return out
