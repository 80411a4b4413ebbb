"""Structures of the library as Python objects."""
from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any, Mapping

from . import _abi
from ._library import text


class Record(SimpleNamespace):
    """Fields of a structure of the library, by their names in its header (include/trammel).

    Texts are str, constants of enumerations are words, arrays are lists, structures are records.
    """

    def as_dict(self) -> dict[str, Any]:
        """The fields, and those of inner records, as maps."""
        def plain(value: Any) -> Any:
            if isinstance(value, Record):
                return value.as_dict()
            if isinstance(value, list):
                return [plain(v) for v in value]
            return value
        return {key: plain(value) for key, value in vars(self).items()}


def convert(value: Any, counts: Mapping[str, str]) -> Any:
    """A value of a field."""
    if isinstance(value, bytes):
        return text(value)
    if isinstance(value, ctypes.Structure):
        return record(value, counts)
    if isinstance(value, ctypes.Array):
        return [convert(v, counts) for v in value]
    return value


def record(structure: Any, counts: Mapping[str, str] | None = None) -> Record:
    """A structure, copied. counts: {field that points to an array: field with its length}. Other pointers and
    the fields `size` and `own` are left out."""
    counts = counts or {}
    fields: dict[str, Any] = {}
    for name, kind in structure._fields_:
        value = getattr(structure, name)
        if name in counts:
            length = getattr(structure, counts[name])
            fields[name] = [convert(value[i], counts) for i in range(length)]
        elif name in ("size", "own", "user") or issubclass(kind, (ctypes._Pointer, ctypes._CFuncPtr)):
            continue
        elif kind is ctypes.c_char_p and value is None:
            fields[name] = None
        elif (type(structure).__name__, name) in _abi.ENUM_FIELDS:
            words = _abi.ENUMS[_abi.ENUM_FIELDS[type(structure).__name__, name]]
            fields[name] = words.get(value, value)
        else:
            fields[name] = convert(value, counts)
    return Record(**fields)
