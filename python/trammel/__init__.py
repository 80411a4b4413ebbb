"""Dynamics of constrained multibody systems.

    import trammel
    model = trammel.Model.load("pendulum.yaml")
    result = model.run(end=5)
    result["pin.angle"]                      # a NumPy array

docs/python.md is a tour of ten minutes.
"""
from . import beams, forces, joints, roads, shapes
from ._library import PATH as library_path
from ._library import VERSION as __version__
from .analyses import (Check, Comparison, Equilibrium, Linear, Mode, Modes, Verification, advise, check,
                       compare, kinematics, linearize, modes, static, verify)
from .callbacks import ForceFunction, FrameMotion
from .elements import (Body, Contact, Event, Frame, Friction, Input, Limits, ModalBody, Orientation,
                       Scaling, State, Table)
from .errors import (ArgumentError, AssemblyError, CallbackError, Error, FileError, LibraryError, ModelError,
                     ModelSyntaxError, NotFiniteError, SingularError, StepError, StoppedError,
                     UnknownNameError)
from .model import Model
from .reading import Handle
from .result import Channel, Result
from .robot import Robot
from .simulation import Simulation
from .study import Study, StudyTable
