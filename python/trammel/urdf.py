"""Robots in URDF files as model files of Trammel, by the library (`trammel import`).

    python3 -m trammel.urdf robot.urdf -o robot.yaml     # or, in a program:
    text, notes = trammel.urdf.translate("robot.urdf")
"""
from __future__ import annotations

import argparse
import ctypes
import os
import sys
import tempfile
from collections.abc import Iterable

from ._library import ENV, call, encode, lib, text as decode
from .errors import Error


class Note(str):
    """Something that the model leaves out, has otherwise or calls otherwise; `line` of the robot's file."""

    line: int


def translate(path: str | os.PathLike, *, floating: bool = False, motors: bool = False, mend: bool = False,
              start: str | None = None, folder: str | None = None,
              folders: Iterable[str] = ()) -> tuple[str, list[Note]]:
    """The text of a model file, and notes about what it leaves out or changes.

    floating  the first link is a body that nothing holds; otherwise it is the ground
    motors    every joint that turns or slides has an input tau_JOINT, its torque [N m] or force [N], within
              the limits of its effort
    mend      the nearest possible inertia in place of one that no body can have
    start     name of the keyframe of an MJCF file at which the model starts
    folder    where the model file will be: meshes must be in it or below (default: the folder of the file)
    folders   more folders in which meshes may be
    """
    definition = lib.tml_import_def_default()
    names = [encode(f) for f in folders]
    definition.path = encode(path)
    definition.model = encode(os.path.join(folder, "model.yaml")) if folder is not None else None
    definition.floating, definition.motors, definition.mend = floating, motors, mend
    definition.start = encode(start) if start is not None else None
    definition.folders = (ctypes.c_char_p * len(names))(*names)
    definition.folder_count = len(names)
    spec = ctypes.c_void_p()
    call(lib.tml_spec_import, ctypes.byref(definition), ctypes.byref(ENV), ctypes.byref(spec))
    try:
        notes = []
        for i in range(lib.tml_spec_note_count(spec)):
            one = lib.tml_spec_note(spec, i).contents
            notes.append(Note(decode(one.text)))
            notes[-1].line = one.line
        return decode(lib.tml_spec_text(spec)), notes
    finally:
        lib.tml_spec_destroy(spec)


def visible(text: str) -> str:
    """A text in one line: what a terminal would obey becomes blanks."""
    return "".join(c if c.isprintable() else " " for c in text)


def replace(path: str, text: str) -> None:
    """The file has its name when it is whole."""
    folder, name = os.path.split(os.path.realpath(path))
    descriptor, part = tempfile.mkstemp(prefix=name + ".", suffix=".part", dir=folder)
    try:
        with open(descriptor, "w", encoding="utf-8") as f:
            f.write(text)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(part, 0o666 & ~mask)
        os.replace(part, os.path.join(folder, name))
    except BaseException:
        os.remove(part)
        raise


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m trammel.urdf",
                                     description="Translate a URDF file to a model file of Trammel.")
    parser.add_argument("robot", metavar="ROBOT.urdf")
    parser.add_argument("-o", "--out", metavar="MODEL.yaml", help="default: ROBOT.yaml in this folder")
    parser.add_argument("--floating", action="store_true", help="the first link is held by nothing")
    parser.add_argument("--motors", action="store_true", help="joints have inputs tau_JOINT")
    parser.add_argument("--mend", action="store_true", help="the nearest possible of impossible inertias")
    options = parser.parse_args(arguments)
    out = options.out or os.path.splitext(os.path.basename(options.robot))[0] + ".yaml"
    try:
        text, notes = translate(options.robot, floating=options.floating, motors=options.motors,
                                mend=options.mend, folder=os.path.dirname(os.path.abspath(out)))
        if os.path.exists(out) and os.path.samefile(out, options.robot):
            raise Error(f"'{out}' would overwrite the robot.")
        replace(out, text)
    except (Error, OSError) as e:
        print(visible(f"trammel.urdf: {e}"), file=sys.stderr)
        return 2
    for note in notes:
        print(f"note: line {note.line}: {note}")
    print(visible(f"{out}: written; next: trammel check {out}"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
