#!/usr/bin/env python3
"""Writes python/trammel/_abi.py: structures and prototypes of the C library, from include/trammel.

usage: write_abi.py [--check] [--compiler CC]

Only what the package names is written: functions and constants, and the structures that they need.

--check writes nothing and fails if the file is not what would be written.
"""
from __future__ import annotations

import glob
import os
import re
import sys
import textwrap

from c_headers import Headers, Type, read

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TARGET = os.path.join(ROOT, "python", "trammel", "_abi.py")

LIBRARIES = {"plot.h": "trammel_plot", "view.h": "trammel_view"}  # of functions that are not in libtrammel
OPAQUE = {"tml_system", "tml_method_ops", "tml_linsolver_ops", "tml_part"}

PLAIN = {"int": "c_int", "long": "c_long", "double": "c_double", "_Bool": "c_bool", "size_t": "c_size_t",
         "uint32_t": "c_uint32", "int32_t": "c_int32", "uint64_t": "c_uint64",
         "unsigned int": "c_uint", "char": "c_char"}

HEAD = '''"""Structures and prototypes of the C library.

Generated from include/trammel and CMakeLists.txt by python/tools/write_abi.py: do not edit by hand.
"""
# pylint: disable=invalid-name,missing-class-docstring,too-few-public-methods,line-too-long
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_long,
                    c_size_t, c_uint64, c_void_p)
'''


class Writer:
    def __init__(self, headers: Headers):
        self.h = headers
        named = names_in_package()
        unknown = sorted(n for n in named if n.startswith("tml_") and n not in headers.functions
                         and n not in headers.structs and n not in headers.enums
                         and n not in headers.callbacks and n not in headers.variables)
        if unknown:
            raise ValueError(f"the headers do not declare {', '.join(unknown)}")
        self.functions = {name: f for name, f in headers.functions.items() if name in named}
        self.constants = {name: value for name, value in headers.constants.items() if name in named}
        self.wanted: set[str] = set()
        for result, parameters, _ in self.functions.values():
            for type_ in (result, *parameters):
                self.want(type_)
        for name in named & set(headers.structs):
            self.want(Type(name))

    def want(self, type_: Type) -> None:
        """Note the structures that a type needs."""
        if type_.result is not None:
            for t in (type_.result, *type_.parameters):
                self.want(t)
            return
        name = type_.base
        if name in self.h.callbacks:
            self.want(self.h.callbacks[name])
        if name in OPAQUE or name in self.wanted or self.h.structs.get(name) is None:
            return
        self.wanted.add(name)
        for _, member in self.h.structs[name] or []:
            self.want(member)

    def text_of(self, type_: Type) -> str:
        """A type in the words of ctypes."""
        if type_.result is not None:
            return self.callback(type_)
        if type_.base in self.h.callbacks:
            return self.callback(self.h.callbacks[type_.base])
        text, stars = self.pointed(type_)
        text = "POINTER(" * stars + text + ")" * stars
        for length in reversed(type_.lengths):
            text = f"{text} * {length}"
        return text

    def pointed(self, type_: Type) -> tuple[str, int]:
        """The type without its pointers, and their number; some pointers are types of their own."""
        base, stars = type_.base, type_.stars
        if base == "char" and stars:
            return "c_char_p", stars - 1
        if (base == "void" or base in OPAQUE or base in self.h.structs and self.h.structs[base] is None):
            return ("c_void_p", stars - 1) if stars else ("None", 0)
        if base in self.h.enums:
            return "c_int", stars
        if base in self.h.structs:
            return base, stars
        return PLAIN[base], stars

    def callback(self, type_: Type) -> str:
        assert type_.result is not None
        return f"CFUNCTYPE({', '.join(map(self.text_of, (type_.result, *type_.parameters)))})"

    def write(self) -> str:
        lines = [HEAD, f'VERSION = "{version()}"  # of the headers']
        structs = [name for name in self.h.structs if name in self.wanted]
        lines += [f"\n\nclass {name}(Structure):\n    pass" for name in structs]
        lines.append("\n")
        for name in structs:
            lines.append(f"{name}._fields_ = [")
            lines += [f"    ({member!r}, {self.text_of(type_)})," for member, type_ in self.h.structs[name]]
            lines.append("]")
        lines.append("")
        lines += [f"{name} = {value}" for name, value in self.constants.items()]
        lines += ["", "# names of the constants of an enumeration, in lower case, by value", "ENUMS = {"]
        fields = {(struct, member): type_.base for struct in structs
                  for member, type_ in self.h.structs[struct]
                  if type_.base in self.h.enums and not type_.lengths and not type_.stars}
        for enum in sorted(set(fields.values()) | names_in_package() & set(self.h.enums)):
            names = self.h.enums[enum]
            prefix = os.path.commonprefix(names)
            prefix = prefix[:prefix.rfind("_") + 1]
            words = {self.h.constants[n]: n[len(prefix):].lower() for n in names}
            lines.append(f"    {enum!r}: {words!r},")
        lines += ["}", "", "# enumeration of a field, by structure and field", "ENUM_FIELDS = {"]
        lines += [f"    {key!r}: {enum!r}," for key, enum in fields.items()]
        lines += ["}", "", "# library: function: (result, arguments)", "FUNCTIONS = {"]
        for library in ("trammel", *LIBRARIES.values()):
            lines.append(f"    {library!r}: {{")
            for name, (result, parameters, header) in self.functions.items():
                if LIBRARIES.get(header, "trammel") == library:
                    arguments = ", ".join(map(self.text_of, parameters))
                    lines.append(f"        {name!r}: ({self.text_of(result)}, [{arguments}]),")
            lines.append("    },")
        lines.append("}")
        return "\n".join(fold(line) for line in "\n".join(lines).split("\n")) + "\n"


def version() -> str:
    """The version of the project."""
    with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as f:
        found = re.search(r"^project\(trammel VERSION ([0-9.]+) ", f.read(), re.M)
    assert found is not None
    return found[1]


def names_in_package() -> set[str]:
    """Names of the C library that the package uses."""
    found: set[str] = set()
    for path in glob.glob(os.path.join(os.path.dirname(TARGET), "*.py")):
        if path != TARGET:
            with open(path, encoding="utf-8") as f:
                found.update(re.findall(r"\b(?:tml|TML)_\w+", f.read()))
    return found


def fold(line: str) -> str:
    """A long line as several."""
    if len(line) <= 110:
        return line
    indent = len(line) - len(line.lstrip())
    return textwrap.fill(line, 110, subsequent_indent=" " * (indent + 4), break_long_words=False,
                         break_on_hyphens=False)


def main() -> int:
    arguments = sys.argv[1:]
    compiler = arguments[arguments.index("--compiler") + 1] if "--compiler" in arguments else "cc"
    text = Writer(read(os.path.join(ROOT, "include"), compiler)).write()
    if "--check" in arguments:
        with open(TARGET, encoding="utf-8") as f:
            if f.read() == text:
                return 0
        print(f"{TARGET} does not fit include/trammel: run python/tools/write_abi.py", file=sys.stderr)
        return 1
    with open(TARGET, "w", encoding="utf-8") as f:
        f.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
