"""A unit of co-simulation in the hands of an importer: the calls of FMI 3.0 by ctypes, as far as they differ
from those of FMI 2.0."""
import ctypes as C
import os
import xml.etree.ElementTree as ElementTree

OK, WARNING, DISCARD, ERROR = range(4)
LOGGER = C.CFUNCTYPE(None, C.c_void_p, C.c_int, C.c_char_p, C.c_char_p)


class Unit:
    """An instance, after fmi3InstantiateCoSimulation; its messages are in `log`."""

    def __init__(self, folder, machine, token=None, event_mode=False):
        self.page = ElementTree.parse(os.path.join(folder, "modelDescription.xml")).getroot()
        self.variables = {v.get("name"): v for v in self.page.find("ModelVariables")}
        self.reference = {n: int(v.get("valueReference")) for n, v in self.variables.items()}
        identifier = self.page.find("CoSimulation").get("modelIdentifier")
        self.library = C.CDLL(os.path.join(folder, "binaries", machine + "-linux", identifier + ".so"))
        self.library.fmi3InstantiateCoSimulation.restype = C.c_void_p
        self.log = []
        self.logger = LOGGER(lambda *a: self.log.append((a[1], a[2].decode(), a[3].decode())))
        token = self.page.get("instantiationToken") if token is None else token
        self.component = C.c_void_p(self.library.fmi3InstantiateCoSimulation(
            b"unit", token.encode(), os.path.join(folder, "resources", "").encode(), C.c_bool(False),
            C.c_bool(True), C.c_bool(event_mode), C.c_bool(False), None, C.c_size_t(0), None, self.logger,
            None))

    def outputs(self):
        return [n for n, v in self.variables.items() if v.get("causality") == "output"]

    def call(self, name, *args):
        return getattr(self.library, "fmi3" + name)(self.component, *args)

    def begin(self, start=0.0):
        states = [self.call("EnterInitializationMode", C.c_bool(False), C.c_double(0), C.c_double(start),
                            C.c_bool(False), C.c_double(0)), self.call("ExitInitializationMode")]
        assert states == [OK, OK], self.log

    def get(self, *names):
        n = len(names)
        out = (C.c_double * n)()
        status = self.call("GetFloat64", (C.c_uint32 * n)(*(self.reference[x] for x in names)), C.c_size_t(n),
                           out, C.c_size_t(n))
        assert status == OK, self.log
        return list(out)

    def set(self, **values):
        n = len(values)
        return self.call("SetFloat64", (C.c_uint32 * n)(*(self.reference[x] for x in values)), C.c_size_t(n),
                         (C.c_double * n)(*values.values()), C.c_size_t(n))

    def step(self, t, h):
        """(status, event handling needed, terminate, early return, time reached)"""
        flags = [C.c_bool() for _ in range(3)]
        reached = C.c_double()
        status = self.call("DoStep", C.c_double(t), C.c_double(h), C.c_bool(True), *map(C.byref, flags),
                           C.byref(reached))
        return (status, *(f.value for f in flags), reached.value)

    def free(self):
        self.call("FreeInstance")
        self.component = None
