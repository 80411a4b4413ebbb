"""The C library: where it is, its functions, and its errors as exceptions.

It is looked for in this order; the first one that is there is taken:
  1. the environment variable TRAMMEL_LIBRARY: the file libtrammel.so, or the folder that holds it
  2. the folder `lib` of this package, where pip puts it
  3. the folders build and build-* of the checkout that holds this package, without those of sanitizers
  4. the folders of the system's loader
"""
from __future__ import annotations

import ctypes
import ctypes.util
import glob
import logging
import os
import threading
from typing import Any

from . import _abi
from .errors import BY_STATUS, Error, LibraryError

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = "libtrammel.so"
VERSION = _abi.VERSION

log = logging.getLogger("trammel")


def candidates() -> list[str]:
    """Files to try, in their order."""
    given = os.environ.get("TRAMMEL_LIBRARY")
    if given:
        return [os.path.join(given, LIBRARY) if os.path.isdir(given) else given]
    found = [os.path.join(HERE, "lib", LIBRARY)]
    root = os.path.dirname(os.path.dirname(HERE))
    if os.path.exists(os.path.join(root, "include", "trammel", "trammel.h")):
        folders = [os.path.join(root, "build")]
        folders += sorted(f for f in glob.glob(os.path.join(root, "build-*")) if "san" not in f)
        found += [os.path.join(folder, LIBRARY) for folder in folders]
    found = [path for path in found if os.path.exists(path)]
    system = ctypes.util.find_library("trammel")
    return found + ([system] if system else [])


def load(name: str, path: str) -> ctypes.CDLL:
    """Load a library and declare its functions."""
    try:
        library = ctypes.CDLL(path)
    except OSError as e:
        raise LibraryError(f"The library '{path}' cannot be loaded: {e}. Build it with 'make', or set "
                           "TRAMMEL_LIBRARY to the file libtrammel.so.", status="io") from None
    for function, (result, arguments) in _abi.FUNCTIONS[name].items():
        try:
            f = getattr(library, function)
        except AttributeError:
            raise LibraryError(f"The library '{path}' has no function {function}: it is another version than "
                               "this package. Build both from one checkout.", status="arg") from None
        f.restype, f.argtypes = result, arguments
    return library


def load_main() -> tuple[ctypes.CDLL, str]:
    tried = candidates()
    if not tried:
        raise LibraryError(f"The library {LIBRARY} was not found. Build it with 'make' at the top of the "
                           "checkout, or set TRAMMEL_LIBRARY to the file.", status="io")
    library = load("trammel", tried[0])
    version = library.tml_version().decode()
    definitions = [name[:-len("_default")] for name in _abi.FUNCTIONS["trammel"] if name.endswith("_default")]
    wrong = [d for d in definitions
             if getattr(library, d + "_default")().size != ctypes.sizeof(getattr(_abi, d))]
    if version != VERSION or wrong:
        raise LibraryError(f"The library '{tried[0]}' is another version ({version}) than this package "
                           f"({VERSION}){': ' + wrong[0] + ' differs' if wrong else ''}. Build both from one "
                           "checkout.", status="arg")
    return library, tried[0]


lib, PATH = load_main()
_extra: dict[str, ctypes.CDLL] = {}
_extra_lock = threading.Lock()


def extra(name: str) -> ctypes.CDLL:
    """A library beside libtrammel.so, loaded when it is first needed: trammel_view, trammel_plot. In packages
    for all systems they are one."""
    with _extra_lock:
        if name not in _extra:
            folder, file = os.path.split(PATH)
            whole = all(hasattr(lib, function) for function in _abi.FUNCTIONS[name])
            path = PATH if whole else os.path.join(folder, file.replace("libtrammel", "lib" + name))
            _extra[name] = load(name, path)
        return _extra[name]


def folder_of_library() -> str:
    """The folder of the library; one that the loader of the system has found has none in PATH."""
    if os.path.dirname(PATH):
        return os.path.dirname(os.path.realpath(PATH))
    with open("/proc/self/maps", encoding="utf-8") as f:
        for line in f:
            mapped = line.rstrip("\n").partition("/")[2]
            if os.path.basename(mapped).startswith(LIBRARY):
                return "/" + os.path.dirname(mapped)
    return ""


# ---- texts ------------------------------------------------------------------------------------------------

def text(value: bytes | None) -> str:
    """A text of the library; "" for NULL."""
    return value.decode("utf-8", "replace") if value else ""


def encode(value: Any) -> bytes:
    """A text for the library."""
    data = os.fsdecode(value).encode("utf-8", "surrogateescape")
    if b"\0" in data:  # the library would end it there
        raise ValueError(f"The text {value!r} contains a NUL character.")
    return data


class Single:
    """An object with memory of the library that cannot be shared: it is neither copied nor pickled."""

    INSTEAD = ""  # what to do

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"A {type(self).__name__} cannot be copied or pickled. {self.INSTEAD}".strip())


# ---- errors -----------------------------------------------------------------------------------------------

def error_of(status: int, err: _abi.tml_error) -> BaseException:
    """The exception of a failed call."""
    message = text(err.msg) or text(lib.tml_status_name(status))
    if status == _abi.TML_ERR_NOMEM:
        return MemoryError(message)
    kind = BY_STATUS.get(status, Error)
    return kind(message, status=text(lib.tml_status_name(status)), file=text(err.file) or None,
                line=err.line or None, column=err.col or None)


def check(status: int, err: _abi.tml_error) -> None:
    """Raise the error of a call that failed."""
    if status != 0:
        raise error_of(status, err)


def call(function: Any, *arguments: Any) -> None:
    """Call a function that returns a status and has a last parameter `tml_error *err`."""
    err = _abi.tml_error()
    status = function(*arguments, ctypes.byref(err))
    if status != 0:
        raise error_of(status, err)


def index_of(function: Any, handle: Any, name: str) -> int:
    """The index of a named thing; the error gives the nearest name."""
    err = _abi.tml_error()
    found = function(handle, encode(name), ctypes.byref(err))
    if found < 0:
        raise error_of(_abi.TML_ERR_NAME, err)
    return found


# ---- log --------------------------------------------------------------------------------------------------

def _on_log(level: int, message: bytes, _user: Any) -> None:
    log.log(logging.WARNING if level == _abi.TML_LOG_WARNING else logging.INFO, "%s", text(message))


# Messages go to the logger "trammel". The function must live as long as anything that may call it.
_log_function = dict(_abi.tml_env._fields_)["log"](_on_log)
ENV = _abi.tml_env(log=_log_function)
