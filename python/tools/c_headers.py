"""The declarations of the public C headers: constants, structures and functions, for write_abi.py.

The C preprocessor does its part; what is left is the plain C of include/trammel: enumerations, structures,
types of functions, and prototypes. Anything else is an error, so that nothing is left out in silence.
"""
from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass, field


@dataclass
class Type:
    """A C type: the name of its base, the number of `*`, the lengths of its arrays, or a function."""

    base: str
    stars: int = 0
    lengths: list[int] = field(default_factory=list)
    result: "Type | None" = None  # of a pointer to a function
    parameters: list["Type"] = field(default_factory=list)


@dataclass
class Headers:
    constants: dict[str, int] = field(default_factory=dict)
    enums: dict[str, list[str]] = field(default_factory=dict)
    structs: dict[str, list[tuple[str, Type]] | None] = field(default_factory=dict)  # None: opaque
    callbacks: dict[str, Type] = field(default_factory=dict)  # typedef void (*name)(...), or void name(...)
    functions: dict[str, tuple[Type, list[Type], str]] = field(default_factory=dict)  # with their header
    variables: list[str] = field(default_factory=list)


TOKEN = re.compile(r"\s*(?:(0x[0-9a-fA-F]+|\d+)|(\w+)|(\.\.\.|.))", re.S)
IGNORED = {"const", "extern", "struct", "enum", "inline"}
UNSIGNED = {"unsigned": "unsigned int", "long": "long"}


def preprocess(include: str, compiler: str) -> list[tuple[str, str]]:
    """[(header, piece of its text)] of the headers of Trammel, in the order in which a compiler sees them,
    without comments and macros."""
    names = sorted(n for n in os.listdir(os.path.join(include, "trammel")) if n.endswith(".h"))
    source = "".join(f"#include <trammel/{name}>\n" for name in names)
    done = subprocess.run([compiler, "-E", "-I", include, "-x", "c", "-"], input=source, text=True,
                          capture_output=True, check=True)
    folder = os.path.abspath(os.path.join(include, "trammel"))
    pieces: list[tuple[str, list[str]]] = []
    header = ""
    for line in done.stdout.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            path = os.path.abspath(marker[1])
            header = os.path.basename(path) if os.path.dirname(path) == folder else ""
        elif header and not line.startswith("#"):
            if not pieces or pieces[-1][0] != header:
                pieces.append((header, []))
            pieces[-1][1].append(line)
    return [(name, "\n".join(lines)) for name, lines in pieces]


class Parser:
    """Reads the tokens of one header into `out`."""

    def __init__(self, text: str, header: str, out: Headers):
        text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", text)
        self.tokens = ["".join(m.groups("")) for m in TOKEN.finditer(text) if "".join(m.groups("")).strip()]
        self.at = 0
        self.header = header
        self.out = out

    def peek(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self, wanted: str | None = None) -> str:
        token = self.peek()
        if wanted is not None and token != wanted:
            raise ValueError(f"{self.header}: found '{token}', expected '{wanted}' near "
                             f"{' '.join(self.tokens[max(0, self.at - 8):self.at + 8])}")
        self.at += 1
        return token

    def read(self) -> None:
        while self.peek():
            if self.peek() == ";":
                self.take()
            elif self.peek() == "typedef":
                self.take()
                self.typedef()
            elif self.peek() == "enum" and self.peek(1) == "{":
                self.take()
                self.enumeration()
                self.take(";")
            elif self.peek() == "struct" and self.peek(2) == "{":
                tag = self.peek(1)
                self.at += 2
                self.out.structs[tag] = self.members()
                self.take(";")
            else:
                self.function()

    def number(self) -> int:
        """A constant: a number or a constant of an enumeration, with a sign, shifted or added."""
        sign = -1 if self.peek() == "-" else 1
        if sign < 0:
            self.take()
        token = self.take()
        value = sign * (int(token, 0) if token[0].isdigit() else self.out.constants[token])
        if self.peek() == "+":
            self.take()
            value += self.number()
        return value

    def enumeration(self) -> list[str]:
        names, value = [], 0
        self.take("{")
        while self.peek() != "}":
            name = self.take()
            if self.peek() == "=":
                self.take()
                value = self.number()
            self.out.constants[name] = value
            names.append(name)
            value += 1
            if self.peek() == ",":
                self.take()
        self.take("}")
        return names

    def typedef(self) -> None:
        kind = self.peek()
        if kind == "enum" and self.peek(2) == "{":
            self.at += 2
            names = self.enumeration()
            self.out.enums[self.take()] = names
        elif kind == "struct" and self.peek(2) == "{":
            tag = self.peek(1)
            self.at += 2
            self.out.structs[tag] = self.members()
            self.take(tag)
        elif kind == "struct" and self.peek(3) == ";":
            self.out.structs.setdefault(self.peek(2), None)
            self.at += 3
        else:
            name, type_ = self.declarator(self.base())
            if type_.result is None and self.peek() == "(":  # a function; pointers to it are passed
                type_ = Type("", result=type_, parameters=self.parameters())
            if type_.result is None:
                raise ValueError(f"{self.header}: typedef {name} is of a kind that is not known")
            self.out.callbacks[name] = type_
        self.take(";")

    def base(self) -> Type:
        while self.peek() in IGNORED:
            self.take()
        base = self.take()
        base = UNSIGNED.get(base, base)
        if base == "unsigned int" and self.peek() in ("int", "long", "char"):
            base = "unsigned " + self.take()
        while self.peek() in IGNORED:
            self.take()
        return Type(base)

    def declarator(self, base: Type) -> tuple[str, Type]:
        """The name (may be "") and the type of what follows a base type."""
        stars = 0
        while self.peek() in ("*", *IGNORED):
            stars += self.take() == "*"
        plain = Type(base.base, base.stars + stars)
        if self.peek() == "(" and self.peek(1) == "*":
            self.at += 2
            name = self.take() if self.peek() != ")" else ""
            self.take(")")
            return name, Type("", result=plain, parameters=self.parameters())
        name = self.take() if re.match(r"[A-Za-z_]", self.peek()) else ""
        while self.peek() == "[":
            self.take()
            plain.lengths.append(self.number() if self.peek() != "]" else 0)
            self.take("]")
        return name, plain

    def parameters(self) -> list[Type]:
        found = []
        self.take("(")
        while self.peek() != ")":
            if self.peek() == "...":
                self.take()
                found.append(Type("..."))
                continue
            name, type_ = self.declarator(self.base())
            if type_.lengths:  # an array is passed as a pointer
                type_ = Type(type_.base, type_.stars + 1)
            found.append(type_)
            if self.peek() == ",":
                self.take()
        self.take(")")
        return [] if len(found) == 1 and found[0] == Type("void") else found

    def members(self) -> list[tuple[str, Type]]:
        found = []
        self.take("{")
        while self.peek() != "}":
            base = self.base()
            while True:
                found.append(self.declarator(base))
                if self.peek() != ",":
                    break
                self.take()
            self.take(";")
        self.take("}")
        return found

    def function(self) -> None:
        name, result = self.declarator(self.base())
        if self.peek() == "(":
            self.out.functions[name] = (result, self.parameters(), self.header)
        else:
            self.out.variables.append(name)
        self.take(";")


def read(include: str, compiler: str) -> Headers:
    """The declarations of all headers of include/trammel."""
    out = Headers()
    for header, text in preprocess(include, compiler):
        Parser(text, header, out).read()
    return out
