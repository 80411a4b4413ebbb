"""Dynamics of constrained multibody systems.

    import trammel
    model = trammel.Model.load("pendulum.yaml")
    result = model.run(end=5)
    result["pin.angle"]                      # a NumPy array

docs/python.md is a tour of ten minutes.
"""
import functools
import importlib
from typing import Any

from . import beams, forces, joints, roads, shapes
from ._library import PATH as library_path
from ._library import VERSION as __version__
from .analyses import (Check, Comparison, Equilibrium, Linear, Mode, Modes, Verification, advise, check,
                       compare, kinematics, linearize, modes, static, verify)
from .callbacks import ForceFunction, FrameMotion
from .elements import (Body, Contact, Event, Frame, Friction, Input, Limits, ModalBody, Motor,
                       Orientation, Scaling, State, Table)
from .entries import nearest
from .errors import (ArgumentError, AssemblyError, CallbackError, Error, FileError, LibraryError, ModelError,
                     ModelSyntaxError, NotFiniteError, SingularError, StepError, StoppedError,
                     UnknownNameError)
from .model import Model
from .reading import Handle
from .result import Channel, Result
from .robot import Robot
from .simulation import Simulation
from .study import Study, StudyTable


def _no_class(module: Any, name: str) -> Any:
    """joints.Hinge: the classes that there are."""
    classes = [key for key, value in vars(module).items() if getattr(value, "SECTION", "")]
    raise AttributeError(f"{module.__name__} has no '{name}'{nearest(name, classes)}; it has "
                         f"{', '.join(classes)}.")


for _module in (beams, forces, joints, roads, shapes):
    setattr(_module, "__getattr__", functools.partial(_no_class, _module))


def __getattr__(name: str) -> Any:
    if name == "urdf":  # also run as a program, `python3 -m trammel.urdf`, and not imported before
        return importlib.import_module(".urdf", __name__)
    names = [key for key in globals() if not key.startswith("_")]
    raise AttributeError(f"module 'trammel' has no attribute '{name}'{nearest(name, names)}")
