"""A unit of co-simulation in the hands of an importer: the calls of FMI 2.0 by ctypes."""
import ctypes as C
import os
import shutil
import urllib.parse
import xml.etree.ElementTree as ElementTree
import zipfile

OK, WARNING, DISCARD, ERROR = range(4)
MODEL_EXCHANGE, CO_SIMULATION = range(2)
LAST_TIME, TERMINATED = 2, 3  # kinds of status

LOGGER = C.CFUNCTYPE(None, C.c_void_p, C.c_char_p, C.c_int, C.c_char_p, C.c_char_p)


class Callbacks(C.Structure):
    _fields_ = [("logger", LOGGER), ("allocate", C.c_void_p), ("free", C.c_void_p), ("finished", C.c_void_p),
                ("environment", C.c_void_p)]


def unpack(path):
    """The folder beside the archive with its files."""
    folder = os.path.abspath(path) + " unpacked"  # importers may have blanks in their paths
    shutil.rmtree(folder, ignore_errors=True)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        archive.extractall(folder)
    return folder


class Unit:
    """An instance, after fmi2Instantiate; its messages are in `log`."""

    def __init__(self, folder, guid=None, kind=CO_SIMULATION, name="unit", resources=None, logging=True):
        self.page = ElementTree.parse(os.path.join(folder, "modelDescription.xml")).getroot()
        self.variables = {v.get("name"): v for v in self.page.find("ModelVariables")}
        self.reference = {n: int(v.get("valueReference")) for n, v in self.variables.items()}
        identifier = self.page.find("CoSimulation").get("modelIdentifier")
        self.library = C.CDLL(os.path.join(folder, "binaries", "linux64", identifier + ".so"))
        self.library.fmi2Instantiate.restype = C.c_void_p
        self.log = []
        self.callbacks = Callbacks(LOGGER(lambda *a: self.log.append((a[2], a[3].decode(), a[4].decode()))))
        uri = "file://" + urllib.parse.quote(os.path.join(folder, "resources"))
        self.component = C.c_void_p(self.library.fmi2Instantiate(
            name.encode(), kind, (self.page.get("guid") if guid is None else guid).encode(),
            (uri if resources is None else resources).encode(), C.byref(self.callbacks), 0, int(logging)))

    def outputs(self):
        return [n for n, v in self.variables.items() if v.get("causality") == "output"]

    def call(self, name, *args):
        return getattr(self.library, "fmi2" + name)(self.component, *args)

    def set_up(self, start=0.0, stop=None, tolerance=None):
        return self.call("SetupExperiment", int(tolerance is not None), C.c_double(tolerance or 0),
                         C.c_double(start), int(stop is not None), C.c_double(stop or 0))

    def begin(self, start=0.0, stop=None, tolerance=None, **values):
        """Up to the first step; values: set before."""
        states = [self.set_up(start, stop, tolerance), self.set(**values),
                  self.call("EnterInitializationMode"), self.call("ExitInitializationMode")]
        assert states == [OK] * 4, (states, self.log)

    def get_by(self, references):
        n = len(references)
        out = (C.c_double * n)()
        return self.call("GetReal", (C.c_uint * n)(*references), C.c_size_t(n), out), list(out)

    def get(self, *names):
        status, values = self.get_by([self.reference[n] for n in names])
        assert status == OK, self.log
        return values

    def set_by(self, references, values):
        n = len(references)
        return self.call("SetReal", (C.c_uint * n)(*references), C.c_size_t(n), (C.c_double * n)(*values))

    def set(self, **values):
        return self.set_by([self.reference[n] for n in values], list(values.values()))

    def set_rate(self, name, rate, order=1):
        return self.call("SetRealInputDerivatives", (C.c_uint * 1)(self.reference[name]), C.c_size_t(1),
                         (C.c_int * 1)(order), (C.c_double * 1)(rate))

    def step(self, t, h):
        return self.call("DoStep", C.c_double(t), C.c_double(h), 1)

    def run(self, end, steps, first=0):
        """Steps `first` .. steps of `steps` equal ones up to `end`."""
        for i in range(first, steps):
            assert self.step(end * i / steps, end * (i + 1) / steps - end * i / steps) == OK, self.log

    def state(self, old=None):
        state = C.c_void_p(old)
        assert self.call("GetFMUstate", C.byref(state)) == OK, self.log
        return state

    def free(self):
        self.call("FreeInstance")
        self.component = None
