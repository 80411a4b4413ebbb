"""Constraints that repeat others: every method runs the models redundant_*.yaml as they are and moves them
like their twins.

Twins are the same bodies with joints that repeat nothing, one parameter away (the heads of the model files
say how). What is compared is the motion: positions and quaternions of all bodies at all output times, in
metres and 1.
"""
import json
import math
import os
import re
import shutil
import subprocess
import unittest

from common import (SOURCE, Case, each, fewer_if_slow, fewer_unless_long, main, methods_of_runs, remove, run,
                    skip_if_slow, table, write)

ALL = {name: m for name, m in methods_of_runs().items() if m["order"] > 0}
FAMILIES = ("genalpha", "bdf", "radau5", "for-sdirk", "erk8")
RELATIVES = ("hht", "ggl", "radau3", "infl-sdirk", "for-rosen", "adams", "trust-region")
METHODS = fewer_if_slow("all but five methods", {m: ALL[m] for m in FAMILIES},
                        fewer_unless_long({m: ALL[m] for m in (*FAMILIES, *RELATIVES) if m in ALL}, ALL),
                        "minutes; one of each family is left")

# model -> parameter of the twin, repeated rows, time of the comparison [s], fixed step [s]
MODELS = {
    "door": ("hinges=1", 10, 1, 2e-3),
    "four_bar": ("redundant=0", 3, 0.1, 2e-4),     # a third of a turn of the crank
    "parallelogram": ("redundant=0", 1, 1, 2e-3),
    "scott_russell": ("redundant=0", 2, 0.5, 5e-4),
    "platform": ("rods=5", 1, 1, 4e-4),
    "bricard": ("redundant=0", 1, 1, 1e-3),
    "four_bars": ("redundant=0", 30, 0.6, 2e-3),   # upright to nearly flat
    "scissor_lift": ("redundant=0", 21, 1, 1e-2),
}
SMALLER = {"scissor_lift": "N=8"}


def path(model):
    return os.path.join(SOURCE, "models", f"redundant_{model}.yaml")


def small(model, options=()):
    """Fewer cells, if the number is not given."""
    return ("--set", SMALLER[model]) if model in SMALLER and not any(o.startswith("N=")
                                                                     for o in options) else ()


def pendulum(k, x, w, end, trig):
    """x'' = -k trig(x) by the classical Runge-Kutta method; steps of 1e-4 s leave an error of some 1e-13."""
    n = round(end / 1e-4)
    h = end / n
    for _ in range(n):
        a1 = -k * trig(x)
        x2, w2 = x + h / 2 * w, w + h / 2 * a1
        a2 = -k * trig(x2)
        x3, w3 = x + h / 2 * w2, w + h / 2 * a2
        a3 = -k * trig(x3)
        x4, w4 = x + h * w3, w + h * a3
        a4 = -k * trig(x4)
        x, w = x + h / 6 * (w + 2 * w2 + 2 * w3 + w4), w + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    return x


class Redundant(Case):
    def motion(self, model, out, *options):
        p = run("run", path(model), *small(model, options), "--csv", out, "--json", *options)
        self.assertEqual((p.returncode, p.stderr), (0, ""), p.stderr)
        c = table(out)
        for column, values in c.items():
            self.assertTrue(all(map(math.isfinite, values)), column)
        return c, json.loads(p.stdout)

    def apart(self, a, b):
        """The largest distance of the two motions, and where."""
        columns = [c for c in b if c.rsplit(".", 1)[-1] in ("x", "y", "z", "q0", "q1", "q2", "q3")]
        self.assertEqual([c for c in a if c in b and c in columns], columns)
        self.assertEqual(a["t"], b["t"])
        return max((max(abs(x - y) for x, y in zip(a[c], b[c])), c) for c in columns)


class Twins(Redundant):
    """Motions agree to 1e-8 with every method.

    Methods of order 2 and 3 take the same fixed steps on both. Constraint forces act in the range of B',
    which repeated rows do not change, so the discrete motions are the same; index-3 methods then iterate
    until corrections stop falling, so that it does not matter where Newton's iteration ends. (`midpoint`
    evaluates rows in the middle of a step, off the constraints, where repeated rows are no longer repeated
    exactly: O(h^2), hence shorter steps. The trapezoidal methods may choose other independent coordinates on
    the twin: O(h^2) too.) The others run at a tolerance of 1e-9, ten times below what is asked.
    """
    cost = 52  # [s]

    def settings(self, method, h):
        if method["order"] > 3:
            return ("--tol", "1e-9")
        if method["form"] != "index 3":
            return ("--step", str(h / 4))
        return ("--step", str(h / 5 if method["name"] == "midpoint" else h), "--iterate", "saturated")

    @each(MODELS)
    def test_motion(self, model):
        twin, _, end, h = MODELS[model]
        for name, method in METHODS.items():
            with self.subTest(method=name):
                options = ("--method", name, "--end", str(end), "--output-step", str(end / 20),
                           *self.settings(method, h))
                a, _ = self.motion(model, "a.csv", *options)
                b, _ = self.motion(model, "b.csv", *options, "--set", twin)
                self.assertLess(self.apart(a, b), (1e-8, ""))

    def test_planar(self):
        """Other twins: the same linkages as planar models, written by another hand."""
        for model, other, end in (("four_bar", "four_bar", 0.2), ("four_bars", "four_bars", 0.6)):
            options = ("--method", "bdf", "--tol", "1e-9", "--end", str(end), "--output-step", str(end / 20))
            a, _ = self.motion(model, "a.csv", *options)
            p = run("run", os.path.join(SOURCE, "models", other + ".yaml"), "--csv", "b.csv", *options)
            self.assertEqual(p.returncode, 0, p.stderr)
            self.assertLess(self.apart(a, table("b.csv")), (1e-8, ""))

    def test_counts(self):
        for model, (twin, rows, _, _) in MODELS.items():
            with self.subTest(model=model):
                r = self.report("check", path(model), *small(model))
                self.assertEqual((r["degrees_of_freedom"], len(r["dependent_rows"])), (1, rows))
                r = self.report("check", path(model), *small(model), "--set", twin)
                self.assertEqual((r["degrees_of_freedom"], len(r["dependent_rows"])), (1, 0))


def exact_angles():
    """Models that swing like one pendulum -> column and its change from the start to the end of the file's
    run."""
    g, lean, w, d = 9.81, math.radians(10), 0.9, 0.04
    door = g * math.sin(lean) * w / 2 / ((w * w + d * d) / 12 + w * w / 4)
    start = {"door": math.radians(120), "platform": math.radians(50), "parallelogram": math.radians(-30),
             "four_bars": math.pi / 2}
    end = {"door": pendulum(door, start["door"], 0, 4, math.sin),
           "platform": pendulum(g / 1.2, start["platform"], 0, 4, math.sin),
           "parallelogram": pendulum((1.5 + 3) / (1 + 3) * g / 0.4, start["parallelogram"], 0, 3, math.cos),
           "four_bars": pendulum((5.5 + 10) / (11 / 3 + 10) * g, start["four_bars"], -1, 1, math.cos)}
    return {m: ("phi" if m == "platform" else "angle", end[m] - start[m]) for m in start}


class Plain(Redundant):
    """As the files stand: no option but the method. Energy is kept, pendulums swing like pendulums."""
    cost = 24  # [s]

    @each(MODELS)
    def test(self, model):
        exact = exact_angles()
        for method in (*METHODS, "auto"):
            with self.subTest(method=method):
                c, r = self.motion(model, "plain.csv", "--method", method)
                e = r["energy"]
                # half a percent at a tolerance of 1e-4 per second of motion; for-rosen has the largest errors
                self.assertLess(abs(e["error"]), 5e-3 * e["scale"])
                if model in exact:
                    column, change = exact[model]
                    # twenty tolerances per radian turned
                    self.assertLess(abs(c[column][-1] - c[column][0] - change), 20 * 1e-4 * (1 + abs(change)))


class Reactions(Redundant):
    """Unique components are those of the twin; shared ones add up to them. Both to the accuracy of the
    motion, 1e-8."""
    options = ("--method", "bdf", "--tol", "1e-8", "--end", "0.5", "--output-step", "0.05")

    def test_unique(self):
        """Forces in the plane of the four-bar linkage are determined: the same as in the planar model."""
        a, _ = self.motion("four_bar", "a.csv", *self.options)
        p = run("run", os.path.join(SOURCE, "models", "four_bar.yaml"), "--csv", "b.csv", *self.options)
        self.assertEqual(p.returncode, 0, p.stderr)
        b = table("b.csv")
        largest = max(max(map(abs, b[f"pin_{k}.{f}"])) for k in "ABCD" for f in ("fx", "fy"))
        for k in "ABCD":
            for f in ("fx", "fy"):
                for x, y in zip(a[f"pin_{k}.{f}"], b[f"pin_{k}.{f}"]):
                    self.assertLess(abs(x - y), 1e-6 * largest)

    def test_shared(self):
        """The hinges of the door carry together what one hinge would; moments about the first one."""
        a, _ = self.motion("door", "a.csv", *self.options)
        b, _ = self.motion("door", "b.csv", *self.options, "--set", "hinges=1")
        s, c = math.sin(math.radians(10)), math.cos(math.radians(10))
        for i in range(len(b["t"])):
            force, moment = [0] * 3, [0] * 3
            for k, z in ((1, 0.2), (2, 1.8), (3, 1)):
                f = [a[f"hinge{k}.{n}"][i] for n in ("fx", "fy", "fz")]
                m = [a[f"hinge{k}.{n}"][i] for n in ("mx", "my", "mz")]
                d = [(z - 0.2) * s, 0, (z - 0.2) * c]  # from hinge 1 to hinge k
                force = [x + y for x, y in zip(force, f)]
                moment = [moment[j] + m[j] + d[(j + 1) % 3] * f[(j + 2) % 3] - d[(j + 2) % 3] * f[(j + 1) % 3]
                          for j in range(3)]
                # of least norm: no hinge is left out, none is loaded beyond half the weight of 294.3 N
                self.assertGreater(abs(f[2]), 0.25 * 294.3)
                self.assertLess(abs(f[2]), 0.5 * 294.3)
            for x, n in zip(force + moment, ("fx", "fy", "fz", "mx", "my", "mz")):
                self.assertAlmostEqual(x, b[f"hinge1.{n}"][i], delta=1e-6 * 294.3)


class Loaded(Case):
    """A slide with friction that its rail loads is pushed by a rod from a lift that is driven down, near to
    where it locks itself. Two pins of another body share their reactions, which concerns the slide in no way:
    with the unit length of the rod, x and y of its ends and the force S along it
        2 x'' = S x - F,   F = 0.6 (2 g + S y)."""

    MODEL = """\
planar: true
gravity: 9.81
bodies:
  slide: {mass: 2, inertia: 1, position: [0.6, 0], velocity: [0.66666666666666666, 0]}
  lift: {mass: 1, inertia: 1, position: [0, 0.8], velocity: [0, -0.5]}
  spare: {mass: 1, inertia: 1, position: [3, 0]}
joints:
  rail: {type: prismatic, a: ground, b: slide, axis: [1, 0], point: [0.6, 0],
         friction: {coefficient: 0.6, load: reaction}}
  guide: {type: prismatic, a: ground, b: lift, axis: [0, 1], point: [0, 0.8]}
  rod: {type: distance, a: slide, b: lift}
  drive: {type: driver, of: guide.distance, speed: -0.5}
  pin: {type: revolute, a: ground, b: spare, point: [3, 0]}
  again: {type: revolute, a: ground, b: spare, point: [4, 0]}
run: {end: 0.8, output_step: 0.1, tol: 1e-7}
"""

    def test_reactions(self):
        for lines in (self.MODEL, re.sub(r".*spare.*\n", "", self.MODEL)):
            write("loaded.yaml", lines)
            p = run("run", "loaded.yaml", "--csv", "loaded.csv", "--out", "none")
            self.assertEqual(p.returncode, 0, p.stderr)
            t = table("loaded.csv")
            for time, friction, drive in zip(t["t"], t["rail_friction.force"], t["drive.multiplier"]):
                y = 0.8 - 0.5 * time
                x = math.sqrt(1 - y * y)
                a = -((0.5 * y / x)**2 + 0.25) / x
                S = 2 * (a + 0.6 * 9.81) / (x - 0.6 * y)
                self.assertAlmostEqual(friction, 0.6 * (2 * 9.81 + S * y), delta=1e-4 * friction)
                self.assertAlmostEqual(drive, S * y - 9.81, delta=1e-3)


class Told(Redundant):
    """The summary says who repeats whom, result files say which reactions are unique."""
    def test_summary(self):
        said = ("pin_C: displacement along z and rotation about x and y are redundant with pin_A, pin_B and "
                "pin_D; their reactions are shared (minimum-norm values)")
        text = self.good("run", path("four_bar"), "--out", "none", "--end", "0.01").stdout
        self.assertIn("  redundant    pin_C: displacement along z", text)
        self.assertIn(said, " ".join(text.split()))
        r = self.report("run", path("four_bar"), "--out", "none", "--end", "0.01")
        self.assertEqual((r["repeated"], r["counters"]["repeated_constraints"]), ([said], 3))

    def test_twin(self):
        twin = ("run", path("four_bar"), "--out", "none", "--end", "0.01", "--set", "redundant=0")
        self.assertNotIn("  redundant  ", self.good(*twin).stdout)
        self.assertEqual(self.report(*twin)["repeated"], [])

    def test_many(self):
        """At most five joints are named, the rest is counted; programs get all."""
        # bars side by side on one pair of hinges each: the second repeats the first
        for n, more in ((5, None), (6, 2)):
            model = "gravity: 9.81\nbodies:\n" + "".join(
                f"  b{i}: {{mass: 1, inertia: 0.1, position: [0.5, {i}, 0]}}\n"
                for i in range(n)) + "joints:\n" + "".join(
                f"  {k}{i}: {{type: revolute, a: ground, b: b{i}, point: [0, {i + d}, 0], axis: [0, 1, 0]}}\n"
                for i in range(n) for k, d in (("p", 0), ("q", 0.2)))
            write("many.yaml", model + "run: {end: 0.01}\n")
            text = " ".join(self.good("run", "many.yaml", "--out", "none").stdout.split())
            self.assertEqual(text.count("their reactions are shared"), 5 if more is None else 4)
            self.assertEqual(f"... and {more} more; `trammel check --all` lists them" in text,
                             more is not None)
            self.assertEqual(len(self.report("run", "many.yaml", "--out", "none")["repeated"]), n)

    @unittest.skipUnless(shutil.which("h5dump"), "h5dump is not installed")
    def test_file(self):
        def words(joint, what):
            p = subprocess.run(["h5dump", "-d", "/channels", "flags.h5"], capture_output=True, text=True,
                               check=True)
            record = re.compile(r'\{\s*"([^"]*)",\s*"[^"]*",\s*"joints",\s*"%s",\s*"%s",\s*"(\w*)"'
                                % (joint, what))
            return [m.group(2) for m in record.finditer(p.stdout)]
        self.good("run", path("four_bar"), "--out", "flags.h5", "--end", "0.01")
        for pin in ("pin_A", "pin_B", "pin_C", "pin_D"):
            self.assertEqual(words(pin, "force"), ["unique", "unique", "shared"])
            self.assertEqual(words(pin, "moment"), ["shared", "shared", "unique"])
        self.good("run", path("four_bar"), "--out", "flags.h5", "--end", "0.01", "--set", "redundant=0")
        self.assertEqual(words("pin_A", "moment"), ["unique"] * 3)
        remove("flags.h5")


# A parallelogram that starts flat, where forces along its bars are not determined, and turns at the rate w =
# 4 rad/s. Each pin on the ground then carries its crank, of mass m with its centre at r/2, and half of the
# coupler: m w^2 r/2 + m w^2 r/2 = 8 N.
FLAT_START = """\
planar: true
gravity: 0
parameters: {w: 4}
defaults: {bodies: {mass: 1, inertia: 0.02}, joints: {type: revolute}}
bodies:
  crank1: {position: [0.25, 0], velocity: [0, w/4], angular_velocity: w}
  crank2: {position: [1.05, 0], velocity: [0, w/4], angular_velocity: w}
  coupler: {position: [0.9, 0], velocity: [0, w/2]}
joints:
  A: {a: ground, b: crank1, point: [0, 0]}
  D: {a: ground, b: crank2, point: [0.8, 0]}
  B: {a: crank1, b: coupler, point: [0.5, 0]}
  C: {a: crank2, b: coupler, point: [1.3, 0]}
run: {end: 0.3, output_step: 0.02, tol: 1e-6}
"""


class FlatStart(Case):
    def test_reactions(self):
        """Rows that were held at the start come back as soon as they say something, also where reactions are
        computed."""
        write("flat.yaml", FLAT_START)
        for method in ("auto", *METHODS):
            if method in ("baumgarte", "trust-region", "direct-reg"):
                continue  # their errors of reactions are others
            with self.subTest(method=method):
                self.good("run", "flat.yaml", "--method", method, "--csv", "flat.csv")
                c = table("flat.csv")
                for pin in "AD":
                    # the first row has the smallest forces that fit; at 0.02 s, 5 degrees on, pivots of 1e-2
                    # multiply what the tolerance leaves of the motion
                    for t, x, y in list(zip(c["t"], c[pin + ".fx"], c[pin + ".fy"]))[2:]:
                        self.assertAlmostEqual(math.hypot(x, y), 8, delta=0.08, msg=f"{pin} at {t} s")


@skip_if_slow("half a minute; Twins and Told run the same code")
class Many(Redundant):
    cost = 4  # [s]

    def test_four_bars(self):
        for n in (1, 40):
            for method in ("genalpha", "bdf", "radau5", "for-sdirk", "for-rosen", "auto"):
                with self.subTest(n=n, method=method):
                    c, _ = self.motion("four_bars", "many.csv", "--method", method, "--set", f"N={n}")
                    k = ((n + 1) / 2 + n) / ((n + 1) / 3 + n) * 9.81
                    exact = pendulum(k, math.pi / 2, -1, 1, math.cos) - math.pi / 2
                    self.assertLess(abs(c["angle"][-1] - c["angle"][0] - exact), 20 * 1e-4 * abs(exact))


class OutOfLine(Case):
    def test_hinge(self):
        """A hinge 3e-5 m out of line leaves no joint coordinates; auto takes those of the bodies, and the gap
        is reported."""
        model = os.path.join(SOURCE, "tests", "models", "door_out_of_line.yaml")
        r = self.report("run", model, "--out", "none")
        self.assertAlmostEqual(r["residuals"]["position"], 3e-5, delta=1e-6)
        p = self.bad(2, "run", model, "--kinematics", "joints", "--out", "none")
        self.assertIn("Try kinematics: bodies", p.stderr)


@skip_if_slow("half a minute; Twins and Told run the same code")
class Lift(Redundant):
    """A hundred cells, with and without 297 repeated rows, to 1e-8 m with every method; over the file's 2 s
    in test_long_redundant.py.

    Tolerances are relative to the lift's 60 m. Fixed steps as in Twins; `midpoint` shows that the pins of the
    twin are measured in other axes off the constraints, which is O(h^2) and grows with the motion.
    """
    cost = 34  # [s]
    end, step = 0.2, 0.02

    def settings(self, method):
        if method["order"] > 3:
            return ("--tol", "1e-10")
        h = self.step / {"midpoint": 20}.get(method["name"], 1)
        return ("--step", str(h), *(("--iterate", "saturated") if method["form"] == "index 3" else ()))

    @each(method for method in METHODS if method not in ("trust-region", "direct-reg"))
    def test_motion(self, method):
        options = ("--method", method, "--set", "N=100", "--end", str(self.end), "--output-step",
                   str(self.end / 10),
                   *self.settings(METHODS[method]))
        a, _ = self.motion("scissor_lift", "a.csv", *options)
        b, _ = self.motion("scissor_lift", "b.csv", *options, "--set", "redundant=0")
        self.assertLess(self.apart(a, b), (1e-8, ""))


class SoftLift(Redundant):
    cost = 9  # [s]

    @skip_if_slow("a minute")
    def test_scissor_lift(self):
        """A hundred cells with constraints that give way: epsilon must follow from the load on the chain, and
        no option is set but the tolerance of the comparison; the same as bdf, and as the file stands energy
        to some tolerances."""
        options = ("--tol", "1e-9", "--end", "0.5", "--output-step", "0.1", "--set", "N=100")
        other, _ = self.motion("scissor_lift", "c.csv", *options, "--method", "bdf")
        for method in ("trust-region", "direct-reg"):
            with self.subTest(method=method):
                a, _ = self.motion("scissor_lift", "a.csv", *options, "--method", method)
                b, _ = self.motion("scissor_lift", "b.csv", *options, "--method", method, "--set",
                                   "redundant=0")
                self.assertLess(self.apart(a, b), (1e-8, ""))
                self.assertLess(self.apart(a, other), (60 * 1e-9, ""))  # a tolerance of the height of 60 m
                _, r = self.motion("scissor_lift", "a.csv", "--method", method, "--set", "N=100")
                self.assertLess(abs(r["energy"]["error"]), 1e-3 * r["energy"]["scale"])


@skip_if_slow("half a minute; Twins and Told run the same code")
class Flat(Redundant):
    """Rows of four-bars through the flat position, where one row more of each loop is lost, against a twin
    that is regular there: gears in place of the loops. 10 and 40 of them in test_long_redundant.py.

    Fixed steps are short: rows are held and taken back at ends of steps, and methods start anew there.
    """
    cost = 17  # [s]
    loops = (1,)

    def settings(self, method):
        if method["order"] > 3:
            return ("--tol", "1e-9")
        h = {"radau3": 2e-3, "ggl-radau3": 2e-3, "bdf2": 2e-4}.get(method["name"], 5e-4)
        return ("--step", str(h), *(("--iterate", "saturated") if method["form"] == "index 3" else ()))

    @each(METHODS)
    def test_motion(self, method):
        for n in self.loops:
            with self.subTest(n=n):
                options = ("--method", method, "--set", f"N={n}", "--output-step", "0.05",
                           *self.settings(METHODS[method]))
                a, _ = self.motion("four_bars", "a.csv", *options)
                b, _ = self.motion("four_bars", "b.csv", *options, "--set", "geared=1")
                self.assertLess(a["angle"][-1] - a["angle"][0], -math.pi / 2 - 1)  # flat, and 60 deg further
                self.assertLess(self.apart(a, b), (1e-8, ""))

    def test_starts(self):
        """Other speeds at the start end steps at other distances from the flat configuration, some of them
        very close to it. Trials fail there, and the monitor must check the states accepted after them. If
        it does not, half of these motions are 1e-7 m to 1e-4 m off: steps shrink towards the configuration
        until accelerations have lost their digits. Errors are below 1e-8 m in sweeps of hundreds of starts;
        the bound leaves room for the rounding of other machines."""
        options = ("--method", "infl-sdirk", "--tol", "1e-10", "--set", "N=1", "--output-step", "0.05")
        starts = fewer_unless_long(range(1, 6), range(1, 11))
        for k in fewer_if_slow("Flat.test_starts", range(1, 3), starts, "2 of 5 starts"):
            with self.subTest(k=k):
                start = (*options, "--set", f"w={-1 - k / 100}")
                a, _ = self.motion("four_bars", "a.csv", *start)
                b, _ = self.motion("four_bars", "b.csv", *start, "--set", "geared=1")
                self.assertLess(self.apart(a, b), (5e-8, ""))

    @skip_if_slow("a minute")
    def test_many(self):
        """The force in the place of forty rows does no work: else 1e-7 m, whatever the step."""
        options = ("--method", "genalpha", "--set", "N=40", "--output-step", "0.05", "--step", "5e-4",
                   "--iterate", "saturated")
        a, _ = self.motion("four_bars", "a.csv", *options)
        b, _ = self.motion("four_bars", "b.csv", *options, "--set", "geared=1")
        self.assertLess(self.apart(a, b), (1e-8, ""))

    def test_twin(self):
        """The twin has no rows that repeat others, and no singular position on its way."""
        r = self.report("check", path("four_bars"), "--set", "geared=1")
        self.assertEqual((r["degrees_of_freedom"], len(r["dependent_rows"])), (1, 0))
        passed = [self.report("run", path("four_bars"), "--set", f"geared={g}", "--out",
                              "none")["counters"]["singular_positions"]
                  for g in (0, 1)]
        self.assertEqual(passed, [1, 0])


@skip_if_slow("half a minute; Twins and Told run the same code")
class Nearly(Redundant):
    """Assembly errors of 1e-6: exactly rigid parts would lock; these move like the exact ones, up to the
    error.

    The start is put together as well as it can be: some 1e-6 away. That grows with the motion by a small
    factor; to it comes the error of two runs at a tolerance of 1e-5.
    """

    def test_not_locked(self):
        for model in ("door", "four_bar", "parallelogram", "scott_russell", "platform"):
            twin, end = MODELS[model][0], MODELS[model][2]
            for method in ("genalpha", "bdf", "radau5", "for-sdirk", "for-rosen", "erk8", "auto"):
                with self.subTest(model=model, method=method):
                    options = ("--method", method, "--tol", "1e-5", "--end", str(end), "--output-step",
                               str(end / 20))
                    b, _ = self.motion(model, "b.csv", *options, "--set", twin)
                    a, _ = self.motion(model, "a.csv", *options, "--set", "error=1e-6")
                    self.assertLess(self.apart(a, b), (2e-5, ""))

    def test_more_than_a_little(self):
        """Two rows repeat others; errors near the limit enlarge a pivot beyond it, and a row held too few
        would lock all."""
        for way in (("bdf",), ("auto",)):
            with self.subTest(way=way):
                r = self.report("run", path("scott_russell"), "--set", "error=8e-6", "--method", *way,
                                "--out", "none")
                self.assertLess(r["energy"]["error"], 1e-3 * r["energy"]["scale"])

    def test_turning(self):
        """Wheels that turn four times: which row is the one too many changes on the way, and errors are
        enlarged where it does."""
        model = os.path.join(SOURCE, "tests", "models", "coupled_wheels.yaml")
        ways = [("bdf",), ("auto",), ("bdf", "--kinematics", "joints"), ("genalpha",), ("radau5",),
                ("for-sdirk",), ("erk8",),
                ("trust-region",), ("radau5", "--kinematics", "joints"),
                ("for-sdirk", "--kinematics", "joints", "--tol", "1e-6")]
        for way in ways:
            for error in ("3e-7", "3e-6"):
                with self.subTest(way=way, error=error):
                    runs = []
                    for e in ("0", error):
                        r = self.report("run", model, "--method", *way, "--set", f"error={e}", "--out",
                                        f"wheels{e}.csv")
                        self.assertLess(r["energy"]["error"], 2e-4 * r["energy"]["scale"])
                        self.assertEqual(r["counters"]["singular_positions"], 0)
                        runs.append(table(f"wheels{e}.csv")["angle"])
                    self.assertGreater(runs[0][-1] - runs[0][0], 8 * math.pi - 1)
                    self.assertLess(max(abs(a - b) for a, b in zip(*runs)), max(2e-4, 300 * float(error)))


class Loads(Case):
    """Friction loaded by a reaction that two guides share: how they share it is not in the model."""

    GUIDE = "  %s: {type: prismatic, a: ground, b: block, axis: [1, 0, 0]%s}\n"
    RUB = ", friction: {coefficient: 0.1, load: reaction}"

    def warning(self, *guides):
        write("guides.yaml", "gravity: 9.81\nbodies: {block: {mass: 1, inertia: [1, 1, 1], velocity: "
              "[1, 0, 0]}}\njoints:\n" + "".join(guides) + "run: {end: 0.1}\n")
        done = run("run", "guides.yaml", "-o", "none")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_shared_load(self):
        text = self.warning(self.GUIDE % ("one", self.RUB), self.GUIDE % ("two", ""))
        self.assertIn("'one_friction' is loaded by the reaction of joint 'one', which redundant constraints "
                      "leave open", text)
        self.assertNotIn("leave open", self.warning(self.GUIDE % ("one", self.RUB)))


if __name__ == "__main__":
    main()
