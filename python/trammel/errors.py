"""The exceptions of the package: one class for each status of the C library, with its sentence."""
from __future__ import annotations


class Error(Exception):
    """A call failed. Its text is the sentence of the library, after the position if there is one.

    status   one word: "name", "syntax", "singular", ...
    message  the sentence or sentences, without the position
    file     model file, or the Python file that made the entry; None if it is not known
    line     line of the file, from 1; None if it is not known
    column   column of the line, from 1; None if it is not known
    path     of a model built in Python: the keys that lead to the value, "joints.pin.a"; None otherwise
    time     errors of a run: simulated time [s]; None otherwise
    """

    def __init__(self, message: str, *, status: str = "arg", file: str | None = None, line: int | None = None,
                 column: int | None = None, path: str | None = None, time: float | None = None):
        self.message = message
        self.status = status
        self.file = file
        self.line = line
        self.column = column
        self.path = path
        self.time = time
        super().__init__(message)

    def __str__(self) -> str:
        place = ":".join(str(p) for p in (self.file, self.line, self.column) if p is not None)
        parts = [place, self.path or "", self.message]
        return ": ".join(p for p in parts if p)


class ArgumentError(Error, ValueError):
    """An argument or option is outside of its range."""


class ModelSyntaxError(Error, ValueError):
    """A model file or an expression cannot be read."""


class UnknownNameError(Error, LookupError):
    """A name is unknown or not unique."""


class ModelError(Error, ValueError):
    """The model is invalid."""


class AssemblyError(Error):
    """No configuration near the start satisfies the constraints."""


class SingularError(Error, ArithmeticError):
    """A matrix is singular: redundant constraints, or massless motion."""


class StepError(Error, ArithmeticError):
    """The step size fell below its minimum."""


class NotFiniteError(Error, ArithmeticError):
    """An evaluation gave NaN or infinity."""


class FileError(Error, OSError):
    """A file cannot be opened, read or written."""

    # OSError has a text of its own
    __str__ = Error.__str__


class CallbackError(Error):
    """A function of the user failed."""


class StoppedError(Error):
    """A function of the user stopped the run."""


class LibraryError(Error, ImportError):
    """The C library was not found, or is another version."""

    __str__ = Error.__str__


BY_STATUS: dict[int, type[Error]] = {
    -1: ArgumentError, -3: ModelSyntaxError, -4: UnknownNameError, -5: ModelError, -6: AssemblyError,
    -7: SingularError, -8: StepError, -9: NotFiniteError, -10: FileError, -11: CallbackError,
    -12: StoppedError,
}
