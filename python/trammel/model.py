"""Models: read from files or built in Python, and what the library makes of them."""
from __future__ import annotations

import ctypes
import os
import weakref
from typing import Any, Iterable, Mapping

from . import _abi
from ._library import ENV, Single, call, encode, lib, text
from .attributes import Told
from .callbacks import ForceFunction
from .document import Document, scalar, write
from .elements import SECTIONS, SETTINGS
from .entries import nearest
from .errors import ArgumentError, Error

PYTHON = "<python>"  # name of the file of a model that is built in Python
NAMES = {"body": (lib.tml_model_body_count, lib.tml_model_body_name),
         "joint": (lib.tml_model_joint_count, lib.tml_model_joint_name),
         "force": (lib.tml_model_force_count, lib.tml_model_force_name),
         "state": (lib.tml_model_state_count, lib.tml_model_state_name),
         "input": (lib.tml_model_input_count, lib.tml_model_input_name)}


class Model(Told):
    """A mechanism: bodies, joints, forces, ... with the settings of its runs.

    Model.load reads a file; Model() begins an empty one, to which `add` adds entries:

    >>> import trammel
    >>> model = trammel.Model("Pendulum", planar=True, gravity=9.81)
    >>> arm = model.add(trammel.Body("arm", mass=2.0, inertia=0.1, position=[0.5, 0],
    ...                              frames={"root": [-0.5, 0]}))
    >>> pin = model.add(trammel.joints.Revolute("pin", a="ground", b=arm["root"]))
    >>> model.body_names, model.joint_names
    (['arm'], ['pin'])
    >>> result = model.run(end=1.0)
    >>> float(result["pin.angle"][0])
    0.0

    The keywords are the keys of a model file (docs/model-file.md): title, planar, gravity, parameters,
    ground, run, outputs, ... Numbers may be texts with expressions of parameters ("2*L"). Entries can be
    changed until the model is used: the next simulation is made of what they are then. `folder` is the folder
    of the files that a model names (tables, meshes, parts).
    """

    OTHER_NAMES = {
        **dict.fromkeys(("set", "set_parameter", "parameters"),
                        "with_parameters(NAME=VALUE) is the model with another value of a parameter"),
        **dict.fromkeys(("add_body", "add_joint", "add_force"), "add(trammel.Body(...)) adds an entry"),
        **dict.fromkeys(("save", "write", "to_yaml", "dump"), "`text` is its model file"),
        **dict.fromkeys(("simulation", "sim"), "simulate() makes a Simulation, run() a Result"),
        **dict.fromkeys(("modes", "static", "linearize", "kinematics", "check", "verify", "compare"),
                        "analyses are functions, such as trammel.modes(model)")}

    def __init__(self, title: str | None = None, *, folder: str | os.PathLike[str] = ".", **sections: Any):
        self._sections: dict[str, Any] = {}
        self._functions: list[ForceFunction] = []
        self._file: str | None = None
        self._text: str | None = None  # of a model that was given as a text
        self._folder = os.fspath(folder)
        self._folders: list[str] = []
        self._parameters: dict[str, Any] = {}
        self._built: tuple[Any, Built] | None = None
        if title is not None and title.endswith((".yaml", ".yml", ".json", ".urdf", ".xml")):
            raise ArgumentError(f"Model('{title}') begins an empty model with that title; "
                                f"Model.load('{title}') reads the file.")
        if title is not None:
            sections["title"] = title
        for key, value in sections.items():
            if key not in SECTIONS:
                raise TypeError(f"A model has no key '{key}'{nearest(key, SECTIONS)}; it has "
                                f"{', '.join(SECTIONS)}.")
            self._sections[key] = dict(value) if isinstance(value, Mapping) else value

    def instead_of(self, name: str) -> str:
        if name in SECTIONS and name not in self.OTHER_NAMES:
            return f"section('{name}') has the entries that were added in Python"
        return super().instead_of(name)

    def __setattr__(self, name: str, value: Any) -> None:
        """A public attribute would have no effect: model.gravity = 9.81."""
        if not name.startswith("_"):
            said = f"give it to Model({name}=...), or change the model file" if name in SECTIONS else \
                "its public attributes cannot be set"
            raise AttributeError(f"Model has no '{name}' that could be set: {said}")
        super().__setattr__(name, value)

    # ---- making one ---------------------------------------------------------------------------------------

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, folders: Iterable[str | os.PathLike[str]] = (),
             parameters: Mapping[str, float | str] | None = None, **more: float | str) -> Model:
        """Read a model file (YAML or JSON). Parameters replace those of the file: a mapping, or keywords.

        Files that the model names are read from its folder, or below, and from `folders`.
        """
        model = cls()
        model._file = os.fspath(path)
        model._folder = os.path.dirname(model._file)
        model._folders = [os.fspath(f) for f in folders]
        model._parameters = {**(parameters or {}), **more}
        model.build()
        return model

    @classmethod
    def parse(cls, content: str, *, name: str = "model.yaml",
              parameters: Mapping[str, float | str] | None = None, **more: float | str) -> Model:
        """Read a model from the text of a model file; `name` stands for its path in messages."""
        model = cls()
        model._file, model._text = name, content
        model._folder = os.path.dirname(name)
        model._parameters = {**(parameters or {}), **more}
        model.build()
        return model

    def with_parameters(self, parameters: Mapping[str, float | str] | None = None,
                        **more: float | str) -> Model:
        """The same model with other values of its parameters."""
        model = Model()
        model.__dict__.update(self.__dict__)
        model._sections = {k: dict(v) if isinstance(v, dict) else v for k, v in self._sections.items()}
        model._functions = list(self._functions)
        model._parameters = {**self._parameters, **(parameters or {}), **more}
        model._built = None
        model.build()
        return model

    def add(self, *entries: Any) -> Any:
        """Add entries: bodies, joints, forces, functions, ... Returns the entry, or a tuple of them."""
        for entry in entries:
            section = getattr(entry, "SECTION", "")
            if not section or isinstance(entry, type):
                raise TypeError(f"{entry!r} is not an entry of a model: expected a body, joint, force, ...")
            if not isinstance(entry.name, str) or not entry.name:
                raise ArgumentError(f"{entry!r} needs a name.")
            others = self._sections.get(section, {})
            if entry.name in others or any(f.name == entry.name for f in self._functions):
                raise ArgumentError(f"The model already has '{entry.name}' among its {section}.",
                                    status="name")
            if isinstance(entry, ForceFunction):
                self._functions.append(entry)
            else:
                self._sections.setdefault(section, {})[entry.name] = entry
        return entries[0] if len(entries) == 1 else entries

    def section(self, name: str) -> dict[str, Any]:
        """The entries of a section that were added in Python, by their name; it can be changed."""
        if name not in SECTIONS:
            raise KeyError(f"A model has no section '{name}'{nearest(name, SECTIONS)}.")
        return self._sections.setdefault(name, {})

    def frame(self, name: str, value: Any) -> str:
        """Add a frame of the ground; returns "ground.NAME"."""
        self._sections.setdefault("ground", {}).setdefault("frames", {})[name] = value
        return f"ground.{name}"

    def output(self, name: str, expression: str | float, unit: str | None = None) -> None:
        """Add a column of the results."""
        value = expression if unit is None else {"value": expression, "unit": unit}
        self._sections.setdefault("outputs", {})[name] = value

    def settings(self, **settings: Any) -> None:
        """Settings of the runs, as in the block `run` of a file: end, tol, method, ..."""
        check_settings(settings)
        self._sections.setdefault("run", {}).update(settings)

    # ---- using it -----------------------------------------------------------------------------------------

    def build(self) -> Built:
        """What the library makes of the model; it is kept until an entry is changed."""
        document = self._document()
        key = (document.text if document else None, tuple(self._parameters.items()), tuple(self._functions))
        if self._built is None or self._built[0] != key:
            self._built = (key, Built(self, document))
        return self._built[1]

    def run(self, end: float | None = None, **settings: Any) -> Any:
        """Simulate from the start to the end; returns the Result. Settings: those of `simulate`."""
        return self.simulate(end=end, **settings).run()

    def simulate(self, **settings: Any) -> Any:
        """A Simulation of this model. Settings replace those of the model: end, tol, method, ..."""
        from .simulation import Simulation  # it needs models
        return Simulation(self, **settings)

    def _document(self) -> Document | None:
        """The text of what was said in Python; None for a file alone."""
        sections = self._sections
        if self._file is not None:
            if not sections:
                return None
            sections = {"include": os.path.basename(self._file), **sections}
        return write(sections)

    @property
    def text(self) -> str:
        """The model as the text of a model file."""
        document = self._document()
        if document is not None:
            return document.text
        return text(lib.tml_spec_text(self.build().spec))

    @property
    def title(self) -> str:
        return text(lib.tml_model_title(self.build().handle))

    @property
    def body_names(self) -> list[str]:
        return self.build().names("body")

    @property
    def joint_names(self) -> list[str]:
        return self.build().names("joint")

    @property
    def force_names(self) -> list[str]:
        return self.build().names("force")

    @property
    def state_names(self) -> list[str]:
        return self.build().names("state")

    @property
    def input_names(self) -> list[str]:
        return self.build().names("input")

    def __getstate__(self) -> dict[str, Any]:
        """For copies and other processes: all but what the library made of it."""
        return {**self.__dict__, "_built": None}

    def __repr__(self) -> str:
        return f"<Model {self._sections.get('title') or self._file or ''!r}>"


class Built(Single):
    """A model of the library, with the specification it came from. It does not change, and threads may share
    it."""

    def __init__(self, model: Model, document: Document | None):
        self.document = document
        self.name = os.path.join(model._folder, PYTHON)
        self.functions = tuple(model._functions)
        self.spec = ctypes.c_void_p()
        self.handle = ctypes.c_void_p()
        try:
            self._read(model)
            weakref.finalize(self, lib.tml_spec_destroy, self.spec)
            for function in self.functions:
                self._add(function)
            call(lib.tml_model_build, self.spec, ctypes.byref(self.handle))
            weakref.finalize(self, lib.tml_model_destroy, self.handle)
        except Error as e:
            raise self.located(e) from None

    def _read(self, model: Model) -> None:
        values = [(encode(k), encode(v if isinstance(v, str) else scalar(float(v))))
                  for k, v in model._parameters.items()]
        parameters = (_abi.tml_parameter * max(1, len(values)))(*values)
        out, env = ctypes.byref(self.spec), ctypes.byref(ENV)
        definition = lib.tml_read_def_default()
        definition.parameters, definition.parameter_count = parameters, len(values)
        in_memory = model._text is not None or bool(model._folders)
        if self.document is not None and in_memory:
            self._read_with_sources(model, definition)
            return
        content = self.document.text if self.document else model._text
        if content is not None:
            data = content.encode()
            name = encode(self.name if self.document else model._file)
            call(lib.tml_spec_parse, data, len(data), name, parameters, len(values), env, out)
            return
        definition.path = encode(model._file)
        folders = (ctypes.c_char_p * max(1, len(model._folders)))(*map(encode, model._folders))
        definition.folders, definition.folder_count = folders, len(model._folders)
        call(lib.tml_spec_read_def, ctypes.byref(definition), env, out)

    def _read_with_sources(self, model: Model, definition: Any) -> None:
        """A text and entries of Python that were added: the files are those of the text alone."""
        alone = Model()
        alone.__dict__.update(model.__dict__)
        alone._sections, alone._functions, alone._built = {}, [], None
        spec = alone.build().spec
        count = lib.tml_spec_source_count(spec)
        sources = (_abi.tml_source * (count + 1))()
        data = self.document.text.encode() if self.document else b""
        sources[0] = _abi.tml_source(encode(self.name), data, len(data))
        for i in range(count):
            sources[i + 1] = lib.tml_spec_source(spec, i).contents
        definition.path = encode(self.name)
        definition.sources, definition.source_count = sources, count + 1
        call(lib.tml_spec_read_def, ctypes.byref(definition), ctypes.byref(ENV), ctypes.byref(self.spec))

    def _add(self, function: ForceFunction) -> None:
        try:
            function.add_to(self.spec)
        except Error as e:
            e.path = f"forces.{function.name}"
            e.file, e.line = function.where or (None, None)
            raise

    def located(self, e: Error) -> Error:
        """The error with its place in the program instead of that in the text made from it."""
        if self.document is None or e.file != self.name or not e.line:
            return e
        line = min(e.line, len(self.document.lines)) - 1
        e.path = self.document.paths[line] or None
        e.file, e.line = self.document.places[line] or (None, None)
        e.column = None
        return e

    def names(self, kind: str) -> list[str]:
        """Names of the bodies, joints, ... in their order."""
        count, name = NAMES[kind]
        return [text(name(self.handle, i)) for i in range(count(self.handle))]

    def has_raised(self) -> bool:
        """Whether a Python function that was called has raised an exception."""
        return any(function.error.exception is not None for function in self.functions)

    def raise_from_functions(self) -> None:
        """Raise the exception of a Python function that was called, if there is one."""
        for function in self.functions:
            exception = function.error.take()
            if exception is not None:
                raise exception


def check_model(model: Any) -> None:
    if not isinstance(model, Model):
        raise TypeError(f"A Model is wanted, found {type(model).__name__}: Model.load(path) reads one from a "
                        "file.")


# ---- settings ---------------------------------------------------------------------------------------------

# of other programs
OTHER_SETTINGS = {**dict.fromkeys(("dt", "h", "timestep", "time_step", "step_size"), "step"),
                  **dict.fromkeys(("t_end", "tend", "duration", "t_final", "stop_time", "T"), "end"),
                  **dict.fromkeys(("tolerance", "accuracy"), "tol"), "integrator": "method"}


def check_settings(settings: Mapping[str, Any]) -> None:
    for key in settings:
        if key in SETTINGS:
            continue
        ours = OTHER_SETTINGS.get(key)
        hint = f" (it is called '{ours}' here)" if ours else nearest(key, list(SETTINGS))
        hint = hint or " (a parameter of the model is set by Model.load or with_parameters)"
        raise TypeError(f"A run has no setting '{key}'{hint}; it has {', '.join(SETTINGS)}.")


class Run:
    """Settings of a run: those of the model, with some of them replaced."""

    def __init__(self, built: Built, settings: Mapping[str, Any]):
        check_settings(settings)
        given = {key: value for key, value in settings.items() if value is not None}
        self.definition = _abi.tml_run_def.from_buffer_copy(lib.tml_model_run(built.handle).contents)
        self._keep = built
        if given:
            self._replace(given)

    def _replace(self, given: dict[str, Any]) -> None:
        """The library reads and checks the settings, as it does those of a file."""
        document = write({"run": given})
        self._spec = ctypes.c_void_p()
        data = document.text.encode()
        try:
            call(lib.tml_spec_parse, data, len(data), PYTHON.encode(), None, 0, None,
                 ctypes.byref(self._spec))
        except Error as e:
            if e.line:
                e.path = document.paths[min(e.line, len(document.lines)) - 1]
            e.file = e.line = e.column = None
            raise
        weakref.finalize(self, lib.tml_spec_destroy, self._spec)
        read = lib.tml_spec_run(self._spec).contents
        for key in given:
            setattr(self.definition, key, getattr(read, key))
            if key == "scaling":
                self.definition.scale = read.scale
