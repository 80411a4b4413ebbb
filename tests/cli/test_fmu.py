"""trammel fmu: archives of units of co-simulation, driven by the calls of FMI 2.0 and 3.0 as an importer
would."""
import ctypes as C
import math
import os
import shutil
import subprocess
import unittest
from random import Random

import _fmi2 as fmi2
import _fmi3 as fmi3
from _fmi2 import DISCARD, ERROR, OK, Unit, unpack
from common import PENDULUM, SOURCE, TRAMMEL, Case, has_units, main, read, run, table, write

MODELS = os.path.join(SOURCE, "models")
HERE = os.uname().machine

EVENT = PENDULUM.replace("outputs:", "events:\n  low: {when: bob.y + 0.5*L, direction: down}\noutputs:")


def model(name):
    return os.path.join(MODELS, name + ".yaml")


@unittest.skipUnless(has_units(), "built without the library of units")
class FmuCase(Case):
    def make(self, path, *args):
        name = os.path.splitext(os.path.basename(path))[0] + ".fmu"
        p = run("fmu", path, "-o", name, *args)
        self.assertEqual(p.returncode, 0, p.stderr)
        if HERE == "x86_64" or "3" in args:  # FMI 2 has no name for others, and the command says so
            self.assertEqual(p.stderr, "")
        return unpack(name)

    def unit(self, path, *args, **more):
        unit = Unit(self.make(path, *args), **more)
        self.assertTrue(unit.component, unit.log)
        self.addCleanup(unit.free)
        return unit


class Archive(FmuCase):
    def test_same_bytes(self):
        self.make(model("hmmwv"))
        with open("hmmwv.fmu", "rb") as f:
            first = f.read()
        os.makedirs("elsewhere/models", exist_ok=True)
        shutil.copy(model("hmmwv"), "elsewhere/models/hmmwv.yaml")
        shutil.copytree(os.path.join(MODELS, "parts"), "elsewhere/models/parts", dirs_exist_ok=True)
        p = run("fmu", "models/hmmwv.yaml", "-o", "hmmwv.fmu", cwd="elsewhere")
        self.assertEqual(p.returncode, 0, p.stderr)
        with open("elsewhere/hmmwv.fmu", "rb") as f:
            self.assertEqual(first, f.read())

    def test_token_follows_the_model(self):
        write("m.yaml", PENDULUM)
        first = Unit(self.make("m.yaml")).page.get("guid")
        self.assertRegex(first, r"^\{[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}$")
        write("m.yaml", PENDULUM.replace("0.7", "0.8"))
        self.assertNotEqual(first, Unit(self.make("m.yaml")).page.get("guid"))

    def test_library_needs_nothing(self):
        if not shutil.which("readelf"):
            self.skipTest("there is no readelf")
        for path in (f"{self.make(model('pendulum'))}/binaries/linux64/pendulum.so",
                     os.path.join(os.path.dirname(TRAMMEL), "libtrammel_core.so")):
            text = subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout
            needed = [line.split("[")[1].split("]")[0] for line in text.splitlines() if "(NEEDED)" in line]
            self.assertIn("libc.so.6", needed)
            for name in needed:
                self.assertRegex(name, r"^(libc\.so\.|libm\.so\.|ld-linux)", path)
            self.assertNotIn("RPATH", text)
            self.assertNotIn("RUNPATH", text)
            symbols = subprocess.run(["readelf", "-W", "--dyn-syms", path], capture_output=True, text=True,
                                     check=True).stdout
            self.assertNotIn(" dlopen", symbols)

    def test_description(self):
        unit = self.unit(model("controlled_cart"))
        kinds = [v.get("causality") for v in unit.variables.values()]
        self.assertEqual(kinds.count("input"), 1)
        self.assertEqual(kinds.count("parameter"), 5)
        self.assertEqual(len(unit.page.find("ModelVariables")), len(unit.variables))  # names are unique
        push, error = (unit.variables[n].find("Real") for n in ("push", "error"))
        self.assertEqual((push.get("unit"), push.get("start")), ("N", "1"))
        self.assertEqual(error.get("unit"), "m")
        self.assertEqual(unit.variables["Kp"].find("Real").get("start"), "40")
        self.assertEqual(unit.variables["Kp"].get("variability"), "tunable")
        newton = unit.page.find("UnitDefinitions/Unit[@name='N']/BaseUnit")
        self.assertEqual(newton.attrib, {"kg": "1", "m": "1", "s": "-2"})
        defaults = unit.page.find("DefaultExperiment").attrib
        self.assertEqual((defaults["startTime"], defaults["stopTime"]), ("0", "3"))
        self.assertEqual(len(unit.page.findall("ModelStructure/Outputs/Unknown")), len(unit.outputs()))

    def test_names_are_unique(self):
        write("m.yaml", PENDULUM.replace("{L: 1.3}", "{L: 1.3, time: 2, height: 3}").replace(
            "mass: 0.7", "mass: 0.1*time*height"))
        unit = self.unit("m.yaml")
        self.assertEqual(set(unit.variables) & {"time", "time_", "height", "parameter.height"},
                         {"time", "time_", "height", "parameter.height"})
        self.assertEqual(unit.variables["time_"].get("causality"), "independent")

    def test_markup_and_names_of_files(self):
        write("1 \N{GREEK SMALL LETTER ALPHA}&.yaml", PENDULUM.replace("title: Pendulum", "title: <&>"))
        p = run("fmu", "1 \N{GREEK SMALL LETTER ALPHA}&.yaml")
        self.assertEqual(p.returncode, 0, p.stderr)
        unit = Unit(unpack("1 \N{GREEK SMALL LETTER ALPHA}&.fmu"))
        unit.begin()
        self.assertEqual(unit.page.get("modelName"), "1 \N{GREEK SMALL LETTER ALPHA}&")
        unit.free()

    def test_outputs_and_set(self):
        write("m.yaml", PENDULUM)
        unit = self.unit("m.yaml", "--channels", "bob.x,height", "--set", "L=2*1.1")
        self.assertEqual(unit.outputs(), ["bob.x", "height"])
        self.assertEqual(unit.variables["L"].find("Real").get("start"), "2.2")
        unit.begin()
        self.assertEqual(unit.get("bob.x", "L"), [2.2, 2.2])

    def test_files_of_a_model(self):
        """Includes, tables and meshes are in the archive: the model itself may be gone."""
        os.makedirs("gone/parts", exist_ok=True)
        shutil.copy(model("contact/tetrahedron"), "gone")
        shutil.copy(os.path.join(MODELS, "contact", "tetrahedron.obj"), "gone")
        folder = self.make("gone/tetrahedron.yaml")
        shutil.rmtree("gone")
        unit = Unit(folder)
        unit.begin()
        unit.free()

    def test_mesh_outside(self):
        os.makedirs("sub", exist_ok=True)
        text = read(model("contact/tetrahedron")).replace("tetrahedron.obj", "../tetrahedron.obj")
        write("sub/m.yaml", text)
        shutil.copy(os.path.join(MODELS, "contact", "tetrahedron.obj"), ".")
        p = run("fmu", "sub/m.yaml", "--allow-path", ".", "-o", "m_mesh.fmu")
        self.assertNotEqual(p.returncode, 0)
        self.assertIn("is not below the folder of the model", p.stderr)
        self.assertFalse(os.path.exists("m_mesh.fmu"))

    def test_without_library(self):
        shutil.rmtree("alone", ignore_errors=True)
        os.makedirs("alone")
        shutil.copy(TRAMMEL, "alone")
        write("m.yaml", PENDULUM)
        p = subprocess.run(["alone/trammel", "fmu", "m.yaml", "-o", "none.fmu"], capture_output=True,
                           text=True, check=False)
        self.assertNotEqual(p.returncode, 0)
        self.assertIn("There is no library for units", p.stderr)
        self.assertFalse(os.path.exists("none.fmu"))


class Runs(FmuCase):
    # Shares of the largest value of a channel: command and unit have steps of their own, each with an error
    # within the tolerance of 1e-4. Wheels of the vehicle and the beam are stiff: their errors add up.
    MODELS = {"pendulum": 1e-4, "controlled_cart": 1e-4, "suspension": 1e-4, "hmmwv": 5e-4,
              "contact/robot_arm": 1e-4, "contact/bicycle": 1e-4, "beam_flying_planar": 1e-3,
              "contact/tetrahedron": 1e-4, "contact/rigid_ball": 1e-4, "modal_crank": 1e-4}

    def test_as_native(self):
        for name, most in self.MODELS.items():
            with self.subTest(name):
                unit = self.unit(model(name))
                end = min(0.5, float(unit.page.find("DefaultExperiment").get("stopTime")))
                p = run("run", model(name), "--end", repr(end), "--output-step", repr(end / 50), "-o",
                        "n.csv", "-q")
                self.assertEqual(p.returncode, 0, p.stderr)
                rows = table("n.csv")
                motion = [n for n in unit.outputs() if n.endswith((".x", ".y", ".z", ".vx", ".vy", ".vz"))]
                self.assertTrue(motion)
                unit.begin(stop=end)
                at = [unit.get(*motion)]
                unit.run(end, 50)
                at.append(unit.get(*motion))
                for k, n in enumerate(motion):
                    scale = max(max(abs(x) for x in rows[n]), 1e-3)
                    self.assertAlmostEqual(at[0][k], rows[n][0], delta=1e-9 * scale, msg=n)
                    self.assertAlmostEqual(at[-1][k], rows[n][-1], delta=most * scale, msg=n)

    def test_reactions(self):
        """Reactions are those of the rows of a run, also where the method has no multipliers."""
        unit = self.unit(model("suspension"))
        p = run("run", model("suspension"), "--end", "0.3", "--output-step", "0.01", "-o", "n.csv", "-q")
        self.assertEqual(p.returncode, 0, p.stderr)
        rows = table("n.csv")
        unit.begin()
        unit.run(0.3, 30)
        for n in ("upper_hinge.fy", "lower_hinge.fz", "guide.mx", "energy.dissipated"):
            most = max(abs(x) for x in rows[n])
            self.assertAlmostEqual(unit.get(n)[0], rows[n][-1], delta=1e-3 * most, msg=n)

    def test_inputs(self):
        """A push at the start acts from the first instant on, a later one from its step on."""
        unit = self.unit(model("controlled_cart"))
        unit.begin(push=7.0)
        self.assertAlmostEqual(unit.get("cart.ax")[0], 3.5, delta=1e-12)
        write("c.yaml", read(model("controlled_cart")).replace("push: {value: 1", "push: {value: 7"))
        p = run("run", "c.yaml", "--end", "0.5", "--output-step", "0.05", "-o", "c.csv")
        self.assertEqual(p.returncode, 0, p.stderr)
        unit.run(0.5, 10)
        self.assertAlmostEqual(unit.get("cart.x")[0], table("c.csv")["cart.x"][-1], delta=1e-5)
        before = unit.get("cart.vx")[0]
        self.assertEqual(unit.set(push=100.0), OK)
        self.assertEqual(unit.step(0.5, 0.01), OK)
        self.assertGreater(unit.get("cart.vx")[0] - before, 0.4)

    def test_rates(self):
        """A force that grows as 10 t: the free cart has x = 10 t^3/12, which steps at rates have exactly."""
        write("f.yaml", "planar: true\nbodies: {cart: {mass: 2, inertia: 1}}\ninputs: {push: {unit: N}}\n"
              "joints: {rail: {type: prismatic, a: ground, b: cart, axis: [1, 0]}}\n"
              "forces: {drive: {type: applied, at: cart, force: [push, 0]}}\nrun: {end: 1, tol: 1e-8}\n")
        unit = self.unit("f.yaml")
        unit.begin()
        self.assertEqual(unit.set_rate("push", 10.0), OK)
        unit.run(0.6, 6)
        self.assertAlmostEqual(unit.get("push")[0], 6.0, delta=1e-12)
        self.assertAlmostEqual(unit.get("cart.x")[0], 10 * 0.6**3 / 12, delta=1e-7)

    def test_parameters(self):
        """Before the start a parameter makes another model; within the run it goes on from where it is."""
        write("m.yaml", PENDULUM)
        unit = self.unit("m.yaml")
        unit.begin(L=0.9)
        self.assertEqual(unit.get("bob.x", "L"), [0.9, 0.9])
        cart = self.unit(model("controlled_cart"))
        cart.begin()
        cart.run(0.5, 10)
        x = cart.get("cart.x", "cart.vx", "motor")
        self.assertEqual(cart.set(target=2.0), OK)
        self.assertEqual(cart.get("cart.x", "cart.vx", "motor"), x)
        self.assertAlmostEqual(cart.get("error")[0], 2 - x[0], delta=1e-12)
        for i in range(100):
            self.assertEqual(cart.step(0.5 + 0.05 * i, 0.05), OK, cart.log)
        self.assertAlmostEqual(cart.get("cart.x")[0], 2.0, delta=0.05)

    def test_tolerance(self):
        """A tolerance of the importer takes effect."""
        ends = []
        for tolerance in (1e-3, 1e-9):
            unit = self.unit(model("pendulum"))
            unit.begin(tolerance=tolerance)
            unit.run(1.0, 2)
            ends.append(unit.get("bob.x")[0])
        exact = self.unit(model("pendulum"))
        exact.begin(tolerance=1e-11)
        exact.run(1.0, 2)
        errors = [abs(x - exact.get("bob.x")[0]) for x in ends]
        self.assertLess(errors[1], 0.01 * errors[0])

    def test_event(self):
        write("e.yaml", EVENT)
        p = run("run", "e.yaml", "-o", "e.csv", "-q")
        self.assertEqual(p.returncode, 0, p.stderr)
        at = table("e.csv")["t"][-1]
        unit = self.unit("e.yaml")
        unit.begin()
        status, t = OK, 0.0
        while status == OK and t < 2:
            status = unit.step(t, 0.1)
            t += 0.1
        self.assertEqual(status, DISCARD)
        self.assertIn("The event 'low' has ended the run", unit.log[-1][2])
        last, ended = C.c_double(), C.c_int()
        self.assertEqual(unit.call("GetRealStatus", fmi2.LAST_TIME, C.byref(last)), OK)
        self.assertEqual(unit.call("GetBooleanStatus", fmi2.TERMINATED, C.byref(ended)), OK)
        self.assertAlmostEqual(last.value, at, delta=1e-4)
        self.assertEqual(ended.value, 1)
        self.assertAlmostEqual(unit.get("height")[0], 0.65, delta=1e-4)
        self.assertEqual(unit.step(last.value, 0.1), ERROR)
        self.assertEqual(unit.call("Terminate"), OK)

    def test_reset(self):
        unit = self.unit(model("controlled_cart"))
        unit.begin(push=5.0, Kp=50.0)
        unit.run(0.5, 5)
        self.assertEqual(unit.call("Reset"), OK)
        unit.begin()
        self.assertEqual(unit.get("push", "Kp", "cart.x"), [1.0, 40.0, 0.0])


class States(FmuCase):
    MODELS = ("controlled_cart", "suspension", "hmmwv", "contact/rigid_ball", "contact/tetrahedron")

    def test_restored(self):
        """A restored state goes on with the same bits, in the same unit and in another one."""
        for name in self.MODELS:
            with self.subTest(name):
                folder = self.make(model(name))
                unit, other = Unit(folder), Unit(folder)
                names = unit.outputs()
                unit.begin()
                unit.run(0.3, 6)
                state = unit.state()
                size = C.c_size_t()
                self.assertEqual(unit.call("SerializedFMUstateSize", state, C.byref(size)), OK)
                data = (C.c_char * size.value)()
                self.assertEqual(unit.call("SerializeFMUstate", state, data, size), OK)
                here = unit.get(*names)
                unit.run(0.5, 10, 6)
                first = unit.get(*names)
                self.assertNotEqual(first, here)
                self.assertEqual(unit.call("SetFMUstate", state), OK, unit.log)
                self.assertEqual(unit.get(*names), here)
                unit.run(0.5, 10, 6)
                self.assertEqual(unit.get(*names), first)
                copy = C.c_void_p()
                self.assertEqual(other.call("DeSerializeFMUstate", data, size, C.byref(copy)), OK)
                self.assertEqual(other.call("SetFMUstate", copy), OK, other.log)
                self.assertEqual(other.get(*names), here)
                other.run(0.5, 10, 6)
                self.assertEqual(other.get(*names), first)
                for u, s in ((unit, state), (other, copy)):
                    self.assertEqual(u.call("FreeFMUstate", C.byref(s)), OK)
                    self.assertIsNone(s.value)
                    u.free()

    def test_parameters_and_inputs(self):
        """They are part of the state."""
        unit = self.unit(model("controlled_cart"))
        unit.begin(Kp=55.0, push=3.0)
        unit.run(0.2, 4)
        state = unit.state()
        unit.run(0.4, 8, 4)
        first = unit.get("cart.x", "motor")
        self.assertEqual(unit.set(Kp=10.0, push=-4.0), OK)
        self.assertEqual(unit.step(0.4, 0.2), OK)
        self.assertEqual(unit.call("SetFMUstate", state), OK)
        self.assertEqual(unit.get("Kp", "push"), [55.0, 3.0])
        unit.run(0.4, 8, 4)
        self.assertEqual(unit.get("cart.x", "motor"), first)
        self.assertEqual(unit.call("FreeFMUstate", C.byref(state)), OK)

    def test_rejected_steps(self):
        """An importer that makes each step twice has the bits of one that makes it once."""
        unit, plain = self.unit(model("pendulum")), self.unit(model("pendulum"))
        unit.begin()
        plain.begin()
        state = C.c_void_p()
        for i in range(20):
            self.assertEqual(unit.call("GetFMUstate", C.byref(state)), OK)
            self.assertEqual(unit.step(0.05 * i, 0.05), OK)
            self.assertEqual(unit.call("SetFMUstate", state), OK)
            self.assertEqual(unit.step(0.05 * i, 0.05), OK)
            self.assertEqual(plain.step(0.05 * i, 0.05), OK)
        self.assertEqual(unit.get(*unit.outputs()), plain.get(*unit.outputs()))
        unit.call("FreeFMUstate", C.byref(state))


class Misuse(FmuCase):
    """What an importer must not do has the status of the standard and a message, and changes nothing."""

    def expect(self, unit, status, expected, words):
        self.assertEqual(status, expected, unit.log)
        self.assertTrue(unit.log, words)
        kind, category, text = unit.log.pop()
        self.assertEqual(kind, expected)
        self.assertEqual(category, {DISCARD: "logStatusDiscard", ERROR: "logStatusError"}[expected])
        self.assertIn(words, text)

    def test_instances(self):
        folder = self.make(model("controlled_cart"))
        for more, words in (({"guid": "{other}"}, "another one than the importer has read"),
                            ({"kind": fmi2.MODEL_EXCHANGE}, "for co-simulation"),
                            ({"resources": "file:///nowhere"}, "Cannot read '/nowhere/unit.json'"),
                            ({"resources": "http://x/y"}, "no folder of resources"),
                            ({"name": ""}, "has no name")):
            unit = Unit(folder, **more)
            self.assertFalse(unit.component)
            self.assertIn(words, unit.log[-1][2])
        with open(os.path.join(folder, "resources", "unit.json"), "w", encoding="utf-8") as f:
            f.write("{}")
        unit = Unit(folder)
        self.assertFalse(unit.component)
        self.assertIn("has no valid 'format'", unit.log[-1][2])

    def test_order(self):
        unit = self.unit(model("controlled_cart"))
        not_yet = "not allowed before the initialization"
        self.expect(unit, unit.step(0, 0.1), ERROR, not_yet)
        self.expect(unit, unit.get_by([2])[0], ERROR, not_yet)
        self.expect(unit, unit.call("ExitInitializationMode"), ERROR, not_yet)
        self.expect(unit, unit.call("Terminate"), ERROR, not_yet)
        self.expect(unit, unit.call("EnterInitializationMode"), ERROR, "not set up")
        self.assertEqual(unit.set_up(), OK)
        self.assertEqual(unit.call("EnterInitializationMode"), OK)
        self.expect(unit, unit.set_up(), ERROR, "not allowed in the initialization")
        self.expect(unit, unit.step(0, 0.1), ERROR, "not allowed in the initialization")
        self.expect(unit, unit.call("EnterInitializationMode"), ERROR, "not allowed in the initialization")
        self.assertEqual(unit.call("ExitInitializationMode"), OK)
        self.expect(unit, unit.call("ExitInitializationMode"), ERROR, "not allowed between two steps")
        self.expect(unit, unit.call("CancelStep"), ERROR, "does not offer")
        self.assertEqual(unit.step(0, 0.1), OK)
        self.assertEqual(unit.call("Terminate"), OK)
        self.expect(unit, unit.step(0.1, 0.1), ERROR, "not allowed after the end")
        self.expect(unit, unit.set(push=2.0), ERROR, "not allowed after the end")
        self.assertAlmostEqual(unit.get("time")[0], 0.1)

    def test_any_order(self):
        """Random calls with values of all kinds: none crashes, and after a reset the motion is the same."""
        folder = self.make(model("controlled_cart"))
        random = Random(7)

        def motion(unit):
            unit.begin()
            rows = []
            for i in range(3):
                self.assertEqual(unit.step(0.02 * i, 0.02), OK, unit.log)
                rows.append(unit.get(*unit.outputs()))
            return rows

        first = Unit(folder)
        expected = motion(first)
        first.free()
        statuses = set()
        for _ in range(20):
            unit = Unit(folder)
            known = list(unit.reference.values())
            for _ in range(random.randrange(5, 60)):
                value = random.choice((0, 0.02, 0.04, -1, 1e308, 5e-324, math.nan, math.inf, random.random()))
                some = [random.choice((*known, 12345, 0xFFFFFFFF)) for _ in range(random.randrange(3))]
                statuses.add(random.choice((
                    lambda: unit.set_up(0, value, value), lambda: unit.call("EnterInitializationMode"),
                    lambda: unit.call("ExitInitializationMode"), lambda: unit.get_by(some)[0],
                    lambda: unit.set_by(some, [value] * len(some)), lambda: unit.step(value, 0.02),
                    lambda: unit.step(0, value), lambda: unit.call("Terminate"), lambda: unit.call("Reset"),
                    lambda: unit.call("GetReal", None, C.c_size_t(2), None),
                    lambda: unit.call("SetFMUstate", None)))())
            self.assertEqual(unit.call("Reset"), OK, unit.log)
            self.assertEqual(motion(unit), expected)
            unit.free()
        self.assertTrue({OK, ERROR} <= statuses)

    def test_values(self):
        unit = self.unit(model("controlled_cart"))
        unit.begin()
        unit.run(0.1, 2)
        before = unit.get(*unit.outputs(), "push", "Kp")
        push, x = unit.reference["push"], unit.reference["cart.x"]
        self.expect(unit, unit.set(push=math.nan), DISCARD, "'push' cannot be NaN")
        self.expect(unit, unit.set(push=math.inf), DISCARD, "'push' cannot be infinite")
        self.expect(unit, unit.set(Kp=math.nan), DISCARD, "'Kp' cannot be NaN")
        self.expect(unit, unit.set_by([push, 9999], [3.0, 1.0]), ERROR, "no variable with the reference 9999")
        self.expect(unit, unit.get_by([x, 4000000000])[0], ERROR, "no variable with the reference 4000000000")
        self.expect(unit, unit.set_by([x], [1.0]), ERROR, "'cart.x' is an output")
        self.expect(unit, unit.set_by([0], [1.0]), ERROR, "The time cannot be set")
        self.expect(unit, unit.set_rate("push", math.nan), DISCARD, "'push' cannot be NaN")
        self.expect(unit, unit.set_rate("push", 1.0, 2), ERROR, "order 2 is not offered")
        self.expect(unit, unit.set_rate("Kp", 1.0), ERROR, "'Kp' is a parameter")
        integer = (C.c_int * 1)()
        for kind in ("Integer", "Boolean", "String"):
            for verb in ("Get", "Set"):
                self.expect(unit, unit.call(verb + kind, (C.c_uint * 1)(push), C.c_size_t(1), integer), ERROR,
                            "no variables of the type " + kind)
                self.assertEqual(unit.call(verb + kind, None, C.c_size_t(0), None), OK)
        self.expect(unit, unit.call("GetReal", None, C.c_size_t(2), None), ERROR, "An array is NULL")
        self.expect(unit, unit.call("SetReal", None, C.c_size_t(2), None), ERROR, "An array is NULL")
        none = C.c_size_t(0)
        self.expect(unit, unit.call("GetDirectionalDerivative", None, none, None, none, None, None), ERROR,
                    "does not offer")
        self.assertEqual(unit.get(*unit.outputs(), "push", "Kp"), before)
        self.assertEqual(unit.step(0.1, 0.1), OK)

    def test_steps(self):
        unit = self.unit(model("controlled_cart"))
        unit.begin(stop=1.0)
        unit.run(0.2, 2)
        short, elsewhere = "must be longer than 0", "but the unit is at 0.2 s"
        for t, h, words in ((0.2, 0.0, short), (0.2, -0.1, short), (0.2, math.nan, short),
                            (math.nan, 0.1, short), (0.2, math.inf, short), (0.1, 0.1, elsewhere),
                            (0.3, 0.1, elsewhere), (0.2, 0.9, "after the end 1 s")):
            self.expect(unit, unit.step(t, h), ERROR, words)
        self.assertEqual(unit.step(0.2, 0.8), OK)

    def test_experiments(self):
        unit = self.unit(model("controlled_cart"))
        self.expect(unit, unit.set_up(math.nan), ERROR, "not finite")
        self.expect(unit, unit.set_up(2.0, 1.0), ERROR, "not after the start")
        self.expect(unit, unit.set_up(0.0, math.nan), ERROR, "NaN")
        self.expect(unit, unit.set_up(0.0, None, -1.0), ERROR, "not between 0 and 1")
        words = (C.c_char_p * 1)(b"logPoetry")
        self.expect(unit, unit.call("SetDebugLogging", 1, C.c_size_t(1), words), ERROR, "'logPoetry'")

    def test_states(self):
        unit = self.unit(model("controlled_cart"))
        unit.begin()
        state, none = unit.state(), C.c_void_p()
        size = C.c_size_t()
        unit.call("SerializedFMUstateSize", state, C.byref(size))
        data = (C.c_char * size.value)()
        self.expect(unit, unit.call("SerializeFMUstate", state, data, C.c_size_t(size.value - 1)), ERROR,
                    "there is room for")
        self.expect(unit, unit.call("SetFMUstate", None), ERROR, "NULL")
        self.expect(unit, unit.call("DeSerializeFMUstate", b"garbage", C.c_size_t(7), C.byref(none)), ERROR,
                    "no state of a unit")
        self.assertEqual(unit.call("SerializeFMUstate", state, data, size), OK)
        data[size.value // 2] = bytes([data[size.value // 2][0] ^ 1])
        self.assertEqual(unit.call("DeSerializeFMUstate", data, size, C.byref(none)), OK)
        self.expect(unit, unit.call("SetFMUstate", none), ERROR, "damaged")
        unit.call("FreeFMUstate", C.byref(none))
        self.assertEqual(unit.call("FreeFMUstate", C.byref(none)), OK)  # NULL: nothing
        unit.call("FreeFMUstate", C.byref(state))
        self.assertEqual(unit.step(0, 0.1), OK)

    def test_bad_parameter(self):
        """A model that cannot be is told when it is built; the unit can be reset."""
        write("m.yaml", PENDULUM.replace("mass: 0.7", "mass: L - 1"))
        unit = self.unit("m.yaml")
        self.assertEqual(unit.set_up(), OK)
        self.assertEqual(unit.set(L=0.5), OK)
        self.assertEqual(unit.call("EnterInitializationMode"), OK)
        self.expect(unit, unit.call("ExitInitializationMode"), ERROR, "mass")
        self.assertEqual(unit.set(L=2.0), OK)
        self.assertEqual(unit.call("ExitInitializationMode"), OK)

    def test_silent(self):
        unit = self.unit(model("controlled_cart"), logging=False)
        self.assertEqual(unit.step(0, 0.1), ERROR)
        self.assertEqual(unit.log, [])
        words = (C.c_char_p * 1)(b"logStatusDiscard")
        self.assertEqual(unit.call("SetDebugLogging", 1, C.c_size_t(1), words), OK)
        self.assertEqual(unit.step(0, 0.1), ERROR)
        self.assertEqual(unit.log, [])
        self.assertEqual(unit.call("SetDebugLogging", 1, C.c_size_t(0), None), OK)
        self.assertEqual(unit.step(0, 0.1), ERROR)
        self.assertEqual(len(unit.log), 1)

    def test_no_instance(self):
        unit = self.unit(model("pendulum"))
        for name in ("Reset", "Terminate", "EnterInitializationMode"):
            self.assertEqual(getattr(unit.library, "fmi2" + name)(None), ERROR)
        unit.library.fmi2FreeInstance(None)


class Fmi3(FmuCase):
    """FMI 3.0 has other names for the same calls."""

    def unit3(self, path, *args, **more):
        unit = fmi3.Unit(self.make(path, "--fmi", "3", *args), HERE, **more)
        self.assertTrue(unit.component, unit.log)
        self.addCleanup(unit.free)
        return unit

    def test_same_as_fmi2(self):
        for name in ("controlled_cart", "hmmwv"):
            with self.subTest(name):
                two, three = self.unit(model(name)), self.unit3(model(name))
                two.begin()
                three.begin()
                for i in range(10):
                    t = 0.05 * i
                    self.assertEqual(two.step(t, 0.05), OK)
                    status, *flags, reached = three.step(t, 0.05)
                    self.assertEqual((status, flags, reached), (OK, [False] * 3, t + 0.05))
                self.assertEqual(two.outputs(), three.outputs())
                self.assertEqual(two.get(*two.outputs()), three.get(*two.outputs()))

    def test_description(self):
        unit = self.unit3(model("controlled_cart"))
        push = unit.variables["push"]
        self.assertEqual((push.tag, push.get("unit"), push.get("start")), ("Float64", "N", "1"))
        self.assertEqual(unit.variables["time"].get("causality"), "independent")
        for kind in ("Output", "InitialUnknown"):
            self.assertEqual(len(unit.page.findall("ModelStructure/" + kind)), len(unit.outputs()))
        self.assertEqual(self.library_version(unit), b"3.0")

    def library_version(self, unit):
        unit.library.fmi3GetVersion.restype = C.c_char_p
        return unit.library.fmi3GetVersion()

    def test_event(self):
        write("e.yaml", EVENT)
        unit = self.unit3("e.yaml")
        unit.begin()
        t, terminate = 0.0, False
        while not terminate and t < 2:
            status, _, terminate, _, reached = unit.step(t, 0.1)
            self.assertEqual(status, OK)
            t += 0.1
        self.assertTrue(terminate)
        self.assertLess(reached, t)
        self.assertAlmostEqual(unit.get("height")[0], 0.65, delta=1e-4)
        self.assertEqual(unit.call("Terminate"), OK)

    def test_state(self):
        unit = self.unit3(model("suspension"))
        unit.begin()
        self.assertEqual(unit.step(0, 0.1)[0], OK)
        state, size, ends = C.c_void_p(), C.c_size_t(), []
        self.assertEqual(unit.call("GetFMUState", C.byref(state)), OK)
        self.assertEqual(unit.call("SerializedFMUStateSize", state, C.byref(size)), OK)
        data = (C.c_uint8 * size.value)()
        self.assertEqual(unit.call("SerializeFMUState", state, data, size), OK)
        self.assertEqual(unit.call("FreeFMUState", C.byref(state)), OK)
        for _ in range(2):
            self.assertEqual(unit.call("DeserializeFMUState", data, size, C.byref(state)), OK)
            self.assertEqual(unit.call("SetFMUState", state), OK)
            self.assertEqual(unit.call("FreeFMUState", C.byref(state)), OK)
            self.assertEqual(unit.step(0.1, 0.1)[0], OK)
            ends.append(unit.get(*unit.outputs()))
        self.assertEqual(*ends)

    def test_misuse(self):
        folder = self.make(model("controlled_cart"), "--fmi", "3")
        for more, words in (({"token": "{other}"}, "another one"), ({"event_mode": True}, "no event mode")):
            unit = fmi3.Unit(folder, HERE, **more)
            self.assertFalse(unit.component)
            self.assertIn(words, unit.log[-1][2])
        unit = self.unit3(model("controlled_cart"))
        one, out, first = C.c_size_t(1), (C.c_double * 2)(), (C.c_uint32 * 1)(1)
        for status, expected, words in (
                (lambda: unit.step(0, 0.1)[0], ERROR, "before the initialization"),
                (lambda: unit.call("ExitInitializationMode"), ERROR, "before the initialization"),
                (lambda: unit.begin() or unit.set(push=math.nan), DISCARD, "cannot be NaN"),
                (lambda: unit.step(0, 0.0)[0], ERROR, "must be longer than 0"),
                (lambda: unit.call("GetFloat64", (C.c_uint32 * 1)(999), one, out, one), ERROR, "999"),
                (lambda: unit.call("GetFloat64", first, one, out, C.c_size_t(2)), ERROR,
                 "2 values for 1 references"),
                (lambda: unit.call("GetInt32", first, one, out, one), ERROR, "of the type Int32"),
                (lambda: unit.call("EnterEventMode"), ERROR, "does not offer"),
                (lambda: unit.call("EnterInitializationMode", C.c_bool(False), C.c_double(0), C.c_double(0),
                                   C.c_bool(False), C.c_double(0)), ERROR, "between two steps")):
            self.assertEqual(status(), expected, words)
            self.assertIn(words, unit.log[-1][2])
        self.assertEqual(unit.call("Reset"), OK)
        unit.begin()


if __name__ == "__main__":
    main()
