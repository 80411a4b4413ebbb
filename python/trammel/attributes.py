"""Attributes that an object does not have: what takes their place."""
from __future__ import annotations

from typing import Any, Mapping

from .entries import nearest


class Told:
    """Objects that say what there is in place of an attribute that they lack."""
    OTHER_NAMES: Mapping[str, str] = {}  # other names of what is there, as other packages have them

    def instead_of(self, name: str) -> str:
        """What to write in place of the attribute; "" if nobody knows."""
        return self.OTHER_NAMES.get(name, "")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or hasattr(type(self), name):  # a property has failed: let it say why
            return object.__getattribute__(self, name)
        said = self.instead_of(name)
        names = [n for n in dir(self) if n.islower() and not n.startswith("_") and n != "instead_of"]
        hint = f"; {said}" if said else nearest(name, names)
        raise AttributeError(f"{type(self).__name__} has no '{name}'{hint}")
