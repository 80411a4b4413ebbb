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


_OTHERS = {"Hinge": "Revolute", "Pin": "Revolute", "Slider": "Prismatic", "Ball": "Spherical",
           "Weld": "Fixed", "Rigid": "Fixed", "Motor": "Driver", "Damper": "Spring", "Force": "Applied",
           "Torque": "Applied", "Cube": "Box"}  # of other programs


def _classes(module: Any) -> list[str]:
    return [key for key, value in vars(module).items() if getattr(value, "SECTION", "")]


def _no_class(module: Any, name: str) -> Any:
    """joints.Hinge: the classes that there are."""
    classes = _classes(module)
    ours = _OTHERS.get(name)
    hint = f" (it is called '{ours}' here)" if ours in classes else nearest(name, classes)
    raise AttributeError(f"{module.__name__} has no '{name}'{hint}; it has {', '.join(classes)}.")


for _module in (beams, forces, joints, roads, shapes):
    setattr(_module, "__getattr__", functools.partial(_no_class, _module))


def __getattr__(name: str) -> Any:
    if name == "urdf":  # also run as a program, `python3 -m trammel.urdf`, and not imported before
        return importlib.import_module(".urdf", __name__)
    names = [key for key in globals() if not key.startswith("_")]
    hint = {"load": "; write trammel.Model.load(path)", "read": "; write trammel.Model.load(path)",
            "run": "; write trammel.Model.load(path).run()",
            "simulate": "; write trammel.Model.load(path).run()"}.get(name) or nearest(name, names)
    for module in (joints, forces, shapes, beams, roads):
        for key in (name, _OTHERS.get(name)):
            if key in _classes(module):
                hint = f"; it is {module.__name__}.{key}"
    raise AttributeError(f"module 'trammel' has no attribute '{name}'{hint}")
