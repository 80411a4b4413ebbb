#!/usr/bin/env python3
"""trammel modes and trammel linearize: numbers, files, modes over a parameter, refused input."""
import csv
import json
import math
import os
import re
import subprocess

from common import SOURCE, Case, main, read, remove, run, table, write

BLADE = """\
title: Turning blade
parameters: {speed: 3, n: 3}
beams:
  blade: {type: general, position: [0, 0, 0], end: [1, 0, 0], stiffness: [1e6, 4e5, 4e5, 0.8, 1, 1], mass: 1,
          inertia: [2e-6, 1e-6, 1e-6], elements: n, angular_velocity: [0, 0, speed]}
joints:
  hub: {type: revolute, a: ground, b: blade.start, point: [0, 0, 0], axis: [0, 0, 1]}
  motor: {type: driver, of: hub.angle, motion: speed*t}
run: {end: 1}
"""

# a shaft that its weight and that of a disk bend; round, unless `b` differs
SHAFT = """\
title: Shaft that sags
gravity: g
parameters: {w: 30, g: 9.81, b: 354.5e3}
beams:
  shaft: {type: general, position: [0, 0, 0], end: [6, 0, 0], elements: 2, mass: 11.64,
          stiffness: [313.4e6, 60.5e6, 60.5e6, 272.7e3, 354.5e3, b], inertia: [26.34e-3, 13.17e-3, 13.17e-3],
          angular_velocity: [w, 0, 0]}
bodies:
  disk: {mass: 70.573, inertia: [2.0325, 1.0163, 1.0163], position: [3, 0, 0], angular_velocity: [w, 0, 0]}
joints:
  left: {type: revolute, a: ground, b: shaft.start, point: [0, 0, 0], axis: [1, 0, 0]}
  right: {type: cylindrical, a: ground, b: shaft.end, point: [6, 0, 0], axis: [1, 0, 0]}
  hub: {type: fixed, a: shaft.mid, b: disk, point: [3, 0, 0]}
  motor: {type: driver, of: left.angle, motion: w*t}
outputs: {y: disk.y, z: disk.z}
run: {end: 1}
"""

# two bodies on springs whose frequencies cross over `k`: 1/(2 pi) sqrt(k/m) and 1/(2 pi) sqrt(100/1)
CROSSING = """\
planar: true
parameters: {k: 50, c: 0}
bodies:
  a: {mass: 0.5, inertia: 0.1, position: [1, 0]}
  b: {mass: 1, inertia: 0.1, position: [1, 1]}
inputs: {push: {value: 2, unit: N}}
joints:
  ra: {type: prismatic, a: ground, b: a, axis: [1, 0]}
  rb: {type: prismatic, a: ground, b: b, axis: [1, 0]}
forces:
  sa: {type: spring, a: ground, b: a, stiffness: k, damping: c, length: 1 - 0.02}
  fa: {type: applied, at: a, force: [-k*0.02, 0]}
  fb: {type: applied, at: b, force: [-100*(b.x - 1) + push - 2, 0]}
outputs: {gap: b.x - a.x}
run: {end: 2}
"""


def modes(*args):
    p = run("modes", *args, "--json")
    return p.returncode, json.loads(p.stdout)


# a wire; at its end a force along the end of the wire, of `load` times EI/l^2
WIRE = """\
title: Wire
gravity: 0
parameters: {r: 1e-3, load: 0}
beams:
  wire: {type: circle, position: [0, 0, 0], end: [1, 0, 0], elements: 4, radius: r, E: 2e11, nu: 0.3,
         density: 8000}
joints: {wall: {type: fixed, a: ground, b: wire.start}}
forces: {push: {type: applied, at: wire.end, axes: body, force: [-load*2e11*pi*r^4/4, 0, 0]}}
run: {end: 1}
"""


class Wire(Case):
    """Slow motions beside those of some MHz that the small inertia of thin sections has."""

    def test_frequencies(self):
        path = write("wire.yaml", WIRE)
        for r in (3e-3, 1e-3, 3e-4, 1e-4, 3e-5):
            out = json.loads(run("modes", path, "--set", f"r={r}", "--count", "4", "--json").stdout)
            frequencies = [m["hz"] for m in out["modes"]]
            for got, beta in zip(frequencies, (1.8751041, 1.8751041, 4.6940911, 4.6940911)):
                want = beta**2 * r / 2 * math.sqrt(2e11 / 8000) / (2 * math.pi)
                self.assertAlmostEqual(got / want, 1, delta=2e-5 + 20 * r**2)  # shear

    def test_both_solvers(self):
        path = write("wire.yaml", WIRE)
        for load in (0, 10, 25):
            options = ["--set", f"load={load}", "--at", "equilibrium", "--count", "6", "--eigen"]
            first = [run("modes", path, *options, kind).stdout.split("moves\n")[1]
                     for kind in ("dense", "sparse")]
            self.assertEqual(first[0], first[1])

    def test_flutter(self):
        """Beck's column loses its stability at 20.05 EI/l^2, though its stiffness stays positive."""
        path = write("wire.yaml", WIRE)
        for r in (3e-3, 1e-3, 1e-4, 3e-5):
            for load, word in ((10, "stable"), (20.0, "stable"), (20.03, "stable"), (20.1, "UNSTABLE")):
                text = run("static", path, "--set", f"r={r}", "--set", f"load={load}").stdout
                self.assertIn(f"; {word}", text)

    def test_flutter_by_any_round_off(self):
        """Kernels of OpenBLAS for other processors round differently (they are ignored elsewhere)."""
        path = write("wire.yaml", WIRE)
        for kernels in ("Prescott", "Haswell", "SkylakeX"):
            for load, word in ((20.0, "stable"), (20.03, "stable"), (20.1, "UNSTABLE")):
                text = run("static", path, "--set", "r=1e-4", "--set", f"load={load}",
                           env={**os.environ, "OPENBLAS_CORETYPE": kernels}).stdout
                self.assertIn(f"; {word}", text)

    def test_check_says_what_it_cannot_see(self):
        path = write("wire.yaml", WIRE)
        self.assertNotIn("counted as zero", run("check", path).stdout)
        self.assertIn("counted as zero", run("check", path, "--set", "r=1e-4").stdout)
        zeros = json.loads(run("check", path, "--set", "r=1e-4", "--json").stdout)["spectrum"]
        self.assertGreater(zeros["zeros"], 0)
        self.assertGreater(zeros["zeros_below"], 1)


class Modes(Case):
    def test_pendulum(self):
        """The bundled pendulum hangs in its equilibrium: w^2 = g/l."""
        model = os.path.join(SOURCE, "models", "pendulum.yaml")
        code, r = modes(model, "--at", "equilibrium")
        self.assertEqual((code, r["rest"], len(r["modes"]), r["freedoms"]), (0, True, 1, 1))
        self.assertAlmostEqual(r["modes"][0]["im"], math.sqrt(9.81), delta=1e-8)
        self.assertEqual(r["modes"][0]["parts"][0]["name"], "bob")
        p = run("modes", model, "--at", "equilibrium")
        self.assertRegex(p.stdout, r"\n +1 +0\.498\d+ +0 +3\.13\d+i +bob 100 %\n")

    def test_limits_and_friction_are_no_motions(self):
        """A cart on a rail and a free body: 1 + 3 rigid motions, whatever stops the cart."""
        for extra, zeros in (("", 8), (", limits: {lower: -1, upper: 1, restitution: 0.5}", 8),
                             (", friction: {coulomb: 2}", 8), (", friction: {coulomb: 2, viscous: 0.1}", 7)):
            model = write("cart.yaml", "planar: true\ngravity: 0\nbodies:\n"
                          "  cart: {mass: 2, inertia: 0.1, position: [0, 0]}\n"
                          "  free: {mass: 1, inertia: 0.1, position: [3, 0]}\njoints:\n"
                          f"  rail: {{type: prismatic, a: ground, b: cart, axis: [1, 0]{extra}}}\n")
            code, r = modes(model)
            self.assertEqual((code, r["rigid"]), (0, 4), extra)
            self.assertTrue(all(m["parts"] for m in r["modes"]), extra)
            self.assertEqual(self.report("check", model)["spectrum"]["zeros"], zeros, extra)

    def test_shapes_in_files(self):
        """Rows are modes; the first two shapes of a blade at rest are its bending, with their poses."""
        write("blade.yaml", BLADE)
        for name in ("m.csv", "m.h5"):
            remove(name)
            p = run("modes", "blade.yaml", "--set", "speed=0", "--count", "4", "--out", name)
            self.assertEqual(p.returncode, 0, p.stderr)
        c = table("m.csv")
        self.assertEqual(c["mode"], [1, 2, 3, 4])
        self.assertAlmostEqual(2 * math.pi * c["hz"][0], 3.51601527, delta=1e-3)
        tip = 9
        self.assertEqual(c[f"blade_{tip}.x"], [1] * 4)
        for i in range(4):
            size = [abs(complex(c[f"blade_{tip}.d{k}.re"][i], c[f"blade_{tip}.d{k}.im"][i])) for k in "xyz"]
            self.assertGreater(max(size), 0.1)
            self.assertLess(size[0], 1e-6)
            # the clamped end does not move
            self.assertLess(abs(c["blade_0.dz.re"][i]) + abs(c["blade_0.dry.re"][i]), 1e-9)
        dump = subprocess.run(["h5dump", "-d", "/channels", "m.h5"], capture_output=True, text=True,
                              check=True).stdout
        self.assertIn('"blade_9.dx.re"', dump)
        self.assertIn('"translation"', dump)

    def test_axes_of_steady_motion(self):
        write("blade.yaml", BLADE)
        code, r = modes("blade.yaml", "--at", "steady", "--count", "2")
        self.assertEqual((code, r["steady"], r["rest"]), (0, True, False))
        self.assertEqual(r["axes"], "axes that turn with (0, 0, 3) rad/s")
        # 4.7973: the turning cantilever of Wright, Smith, Thresher and Wang (1982), flapping
        self.assertAlmostEqual(r["modes"][1]["im"], 4.7973, delta=1e-3)
        self.assertAlmostEqual(r["modes"][0]["im"], math.sqrt(4.7973 ** 2 - 9), delta=2e-3)

    def test_run_begins_in_steady_rotation(self):
        """The blade keeps its length; without the equilibrium it would vibrate by twice the extension."""
        write("blade.yaml", BLADE)
        p = run("run", "blade.yaml", "--begin", "steady", "--end", "0.01", "--method", "radau5", "--out",
                "none", "--csv", "b.csv", "--output-step", "0.001")
        self.assertEqual(p.returncode, 0, p.stderr)
        c = table("b.csv")
        radius = [math.hypot(x, y) - 1 for x, y in zip(c["blade_9.x"], c["blade_9.y"])]
        for r in radius:
            self.assertAlmostEqual(r, 9 / 3e6, delta=1e-9)

    def test_shaft_that_sags(self):
        """It turns about its bent axis: the sag of 3.3 mm stays where it is in space, and the modes are those
        without weight, forward and backward whirl apart, but for the square of the slope, 1e-6."""
        write("shaft.yaml", SHAFT)
        code, r = modes("shaft.yaml", "--at", "steady", "--count", "5")
        self.assertEqual((code, r["steady"], r["axes"]), (0, True, "inertial axes"))
        straight = modes("shaft.yaml", "--at", "steady", "--count", "5", "--set", "g=0")[1]
        for m, n in zip(r["modes"], straight["modes"]):
            self.assertAlmostEqual(m["hz"] / n["hz"], 1, delta=1e-5)
        self.assertGreater(r["modes"][4]["hz"] / r["modes"][3]["hz"], 1.01)  # 0 for shafts that do not turn
        p = run("run", "shaft.yaml", "--begin", "steady", "--end", "0.1", "--method", "radau5",
                "--tol", "1e-6", "--out", "none", "--csv", "s.csv", "--output-step", "0.01")
        self.assertEqual(p.returncode, 0, p.stderr)
        c = table("s.csv")
        for y, z in zip(c["y"], c["z"]):
            self.assertAlmostEqual(y, 0, delta=1e-7)
            self.assertAlmostEqual(z, -0.00331, delta=1e-5)
            self.assertAlmostEqual(z, c["z"][0], delta=1e-7)

    def test_flat_shaft_that_sags(self):
        """With two stiffnesses it shakes: no motion is steady, which is said."""
        write("shaft.yaml", SHAFT)
        code, r = modes("shaft.yaml", "--at", "steady", "--count", "5", "--set", "b=300e3")
        self.assertEqual((code, r["steady"]), (0, False))

    def test_time_of_a_run(self):
        write("crossing.yaml", CROSSING)
        code, r = modes("crossing.yaml", "--at", "0.5")
        self.assertEqual((code, r["t"]), (0, 0.5))
        self.assertAlmostEqual(r["modes"][0]["im"], 10, delta=1e-6)


# a steel rod with damping tau K; `wall` clamps it
ROD = """\
planar: PLANAR
gravity: 0
parameters: {tau: 0}
beams:
  rod: {type: rectangle, position: [0, 0], end: [1, 0], width: 0.02, height: 0.03, material: steel,
        elements: COUNT, damping: tau}
joints: {wall: {type: fixed, a: ground, b: rod.start}}
forces: {dashpot: {type: applied, at: rod.end, force: [0, -DASHPOT*rod.end.vy]}}
run: {end: 1e-6}
"""


def rod(planar=True, elements=2, dashpot=0, clamped=True):
    text = ROD.replace("PLANAR", str(planar).lower()).replace("COUNT", str(elements))
    text = text.replace("DASHPOT", repr(float(dashpot)))
    if not planar:
        text = text.replace("[0, 0]", "[0, 0, 0]").replace("[1, 0]", "[1, 0, 0]").replace("vy]", "vy, 0]")
    return text if clamped else re.sub("joints:.*\n", "", text)


def damped_roots(w, tau):
    """s^2 + tau w^2 s + w^2 = 0: one of a pair, or both real ones"""
    half = tau * w / 2
    if half < 1:
        return [complex(-half * w, w * math.sqrt(1 - half * half))]
    fast = -w * (half + math.sqrt(half * half - 1))
    return [complex(w * w / fast), complex(fast)]


class Damped(Case):
    """Damping tau K of a beam: half of its roots meet at -1/tau, fast ones reach -1e10/s."""

    def roots(self, path, *options):
        code, r = modes(path, *options)
        self.assertEqual((code, r["missing"]), (0, 0), options)
        return [complex(m["re"], m["im"]) for m in r["modes"]], r["rigid"]

    def compare(self, planar, elements, clamped, taus=(1e-6, 1e-3, 1e-2, 3e-2, 0.1, 1)):
        """The modes of the lowest frequencies w without damping, with the roots that their w give."""
        path = write("rod.yaml", rod(planar, elements, clamped=clamped))
        free = 0 if clamped else 3 if planar else 6
        undamped, rigid = self.roots(path, "--count", "14")
        self.assertEqual(rigid, free)
        for tau in taus:
            for solver in ("dense", "sparse"):
                case = (planar, elements, clamped, tau, solver)
                got, rigid = self.roots(path, "--set", f"tau={tau}", "--count", str(free + 6), "--eigen",
                                        solver)
                self.assertEqual((len(got), rigid), (free + 6, free), case)
                want = [s for w in undamped[free:] for s in damped_roots(w.imag, tau)]
                for root in got[free:]:
                    best = min(want, key=lambda s, root=root: abs(s - root))
                    # frequencies near each other may change places: the sixth may be that of the next w
                    self.assertLess(abs(best - root) / abs(root), 1e-7, case)
                    self.assertLess(want.index(best), 12, case)
                    want.remove(best)
                self.assertNotIn(damped_roots(undamped[free].imag, tau)[0], want, case)

    def test_strong_damping_of_a_state_that_is_not_steady(self):
        """The first bending frequency of a beam that begins to sag is found, or its loss is said."""
        beam = ("gravity: 9.81\nbeams:\n  b: {type: rectangle, end: [1, 0, 0], elements: 8, width: 0.02, "
                "height: 0.01, E: 2.1e11, nu: 0.3, density: 7850, damping: %g}\n"
                "joints: {clamp: {type: fixed, a: ground, b: b.start}}\nrun: {end: 1}\n")
        exact = 1.8751**2 * math.sqrt(2.1e11 * 0.01**2 / 12 / 7850) / (2 * math.pi)
        found = self.good("modes", write("sags.yaml", beam % 1e-6), "--json")
        modes = json.loads(found.stdout)["modes"]
        self.assertAlmostEqual(modes[0]["hz"], exact, delta=0.02 * exact)
        p = self.bad(1, "modes", write("sags.yaml", beam % 1e-2))
        self.assertIn("beside the strong damping roots below", p.stderr)
        self.assertIn("--at equilibrium", p.stderr)
        found = self.good("modes", "sags.yaml", "--at", "equilibrium", "--json")
        self.assertAlmostEqual(json.loads(found.stdout)["modes"][0]["hz"], exact, delta=0.05 * exact)

    def test_cantilever(self):
        for planar, elements in ((True, 1), (True, 5), (False, 2)):
            self.compare(planar, elements, True)

    def test_free_beam(self):
        """Three rigid modes in the plane and six in space, whatever the damping is."""
        self.compare(True, 2, False)
        self.compare(False, 1, False, (1e-3, 0.1))

    def test_slow_root(self):
        """Overdamped, the slow root of the first bending is the first mode, and no root is above -1/tau."""
        path = write("rod.yaml", rod(elements=4))
        w = self.roots(path)[0][0].imag
        for solver in ("dense", "sparse"):
            got = self.roots(path, "--set", "tau=0.1", "--eigen", solver)[0]
            slow, fast = damped_roots(w, 0.1)
            self.assertAlmostEqual(got[0] / slow, 1, delta=1e-8)
            self.assertLess(min(abs(s / fast - 1) for s in got), 1e-8)
            self.assertLess(max(s.real for s in got), -10)

    def test_stiff_dashpot(self):
        """At the tip: it creeps with k/c, and beside that the beam is held there."""
        for c, real in ((1e5, 1), (1e8, 1e-3), (1e12, 1e-7)):
            path = write("rod.yaml", rod(elements=3, dashpot=c))
            for solver in ("dense", "sparse"):
                got, rigid = self.roots(path, "--count", "4", "--eigen", solver)
                self.assertEqual(rigid, 0)
                stiffness = 3 * 2.1e11 * 0.02 ** 3 * 0.03 / 12  # steel; the shape is known to 1 %
                self.assertAlmostEqual(got[0].real * c / stiffness / -1, 1, delta=0.05)
                # clamped and pinned: (3.9266/1.8751)^2 = 4.385 times the first frequency of the cantilever
                self.assertAlmostEqual(got[1].imag, 459.7, delta=0.2)
                self.assertLess(abs(got[1].real), real)

    def test_turning_shaft(self):
        """Both solvers; strongly damped, the first bending turns with the shaft."""
        text = SHAFT.replace("elements: 2", "elements: 2, damping: tau").replace("{w: 30", "{tau: 0, w: 30")
        path = write("shaft.yaml", text)
        for tau in (1e-4, 1e-2, 1):
            both = [self.roots(path, "--at", "steady", "--set", "g=0", "--set", f"tau={tau}", "--count", "6",
                               "--eigen", solver)[0] for solver in ("dense", "sparse")]
            self.assertEqual(len(both[0]), 6)
            for a, b in zip(*both):
                self.assertAlmostEqual(a / b, 1, delta=1e-7)
        # overdamped, the first bending moves with the shaft but for its creeping, W = 30 rad/s
        self.assertTrue(any(abs(s.imag - 30) < 0.1 and s.real > -1 for s in both[0][:4]))

    def test_study(self):
        """An overdamped beam has no oscillation: its frequency is missing with a message."""
        path = write("rod.yaml", rod(elements=1))
        w = self.roots(path)[0][0].imag
        write("taus.yaml", "model: rod.yaml\nparameters: {tau: {values: [1e-3, 1e-2, 1]}}\n"
              "quantities: {f: {take: frequency}}\n")
        remove("taus.csv", "taus.h5", "taus.journal")
        p = run("study", "taus.yaml", "--quiet")
        self.assertEqual(p.returncode, 1, p.stderr)
        rows = list(csv.DictReader(line for line in read("taus.csv").splitlines() if line[0] != "#"))
        for row, tau in zip(rows, (1e-3, 1e-2)):
            want = damped_roots(w, tau)[0].imag / (2 * math.pi)
            self.assertAlmostEqual(float(row["f"]) / want, 1, delta=1e-7)
            self.assertEqual(row["message"], "")
        self.assertEqual(rows[2]["f"], "nan")
        self.assertRegex(rows[2]["message"], "quantity 'f': .* 0 oscillate: there is no oscillation 1")


# a platform with two inertias about its lateral axes, and a rotor; each turns about z
DUAL_SPIN = """\
gravity: 0
parameters: {W: 0.3, w: 20, c: 0}
bodies:
  platform: {mass: 200, inertia: [80, 72, 60], position: [0, 0, 0.5], angular_velocity: [0, 0, W]}
  rotor: {mass: 100, inertia: [20, 20, 30], position: [0, 0, -0.5], angular_velocity: [0, 0, w]}
joints: {bearing: {type: revolute, a: platform, b: rotor, point: [0, 0, 0], axis: [0, 0, 1]}}
forces:
  drag: {type: applied, at: rotor, torque: [0, 0, -c*(rotor.wz - platform.wz)]}
  back: {type: applied, at: platform, torque: [0, 0, c*(rotor.wz - platform.wz)]}
run: {end: 1}
"""


def disc_root(turn, lean, m=2, r=0.3, g=9.81):
    """Square of the root of a thin disc that rolls in a steady turn: its equations of motion (Routh, Advanced
    Rigid Dynamics, section 244) for small changes of the lean, with its integrals."""
    A, C = m * r * r / 4, m * r * r / 2
    D = C + m * r * r
    w2, cot = turn * math.sin(lean), 1 / math.tan(lean)
    w3 = (A * turn * w2 * math.cos(lean) - m * g * r * math.cos(lean)) / (D * w2)
    slope2, slope3 = (C * w3 - A * turn * math.cos(lean)) / A, m * r * r * w2 / D
    return (-A * turn ** 2 + m * g * r * math.sin(lean) + (2 * A * w2 * cot - D * w3) * slope2
            - D * w2 * slope3) / (A + m * r * r)


class Steady(Case):
    def test_rolling_disc(self):
        """It is steady as it starts: no steady rotation of a body is sought in its place."""
        path = os.path.join(SOURCE, "models", "rolling_disc.yaml")
        for turn, lean in ((3, 70), (8, 70), (2, 70), (1, 30), (2, 80)):
            square = disc_root(turn, math.radians(lean))
            for at in ("start", "steady"):
                p = run("modes", path, "--at", at, "--json", "--set", f"W={turn}", "--set",
                        f"b={lean}*pi/180")
                r = json.loads(p.stdout)
                self.assertEqual((p.returncode, p.stderr, r["steady"]), (0, "", True), (turn, lean, at))
                self.assertEqual(r["unstable"], 1 if square > 0 else 0)
                want = complex(math.sqrt(square), 0) if square > 0 else complex(0, math.sqrt(-square))
                # how directions turn with it is known by differences, to 1e-9 or so
                miss = min(abs(complex(m["re"], m["im"]) - want) for m in r["modes"])
                self.assertLess(miss, 1e-7 * abs(want))

    def test_run_begins_in_a_steady_turn(self):
        path = os.path.join(SOURCE, "models", "rolling_disc.yaml")
        p = run("run", path, "--begin", "steady", "--end", "1", "--out", "none", "--csv", "disc.csv")
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        self.assertLess(max(abs(x) for x in table("disc.csv")["lean"]), 1e-6)

    def test_double_root_on_the_axis(self):
        """Free motions along x and y are double roots i W in axes that turn with W: round-off splits them."""
        path = write("dual.yaml", DUAL_SPIN)
        for speed in (0.03, 0.3, 3):
            for options in (("dense",), ("sparse",), ("dense", "--count", "4")):
                code, r = modes(path, "--at", "steady", "--set", f"W={speed}", "--eigen", *options)
                self.assertEqual((code, r["steady"], r["rigid"], r["unstable"]), (0, True, 3, 0), options)
                self.assertEqual(r["missing"], 0)
                self.assertTrue(all(m["re"] == 0 for m in r["modes"]))

    def test_many_free_bodies(self):
        """A root 0 of 23 shapes: of these one search shows some, and further ones the others."""
        free = [f"  b{i}: {{mass: {1 + i}, inertia: [1, 2, 2.5], position: [{i}, 0, 0]}}\n" for i in range(4)]
        for stiffness in (1, 100, 1e6, 1e8):  # a small shift is lost beside it, by the kernels of the machine
            path = write("free.yaml", "gravity: 0\nbodies:\n" + "".join(free) + "forces:\n"
                         f"  s: {{type: spring, a: b0, b: b1, stiffness: {stiffness:g}, length: 1}}\n"
                         "run: {end: 1}\n")
            code, r = modes(path, "--eigen", "sparse", "--count", "23")
            self.assertEqual((code, r.get("rigid")), (0, 23), stiffness)

    def test_damped_bearing(self):
        """Both turn together: 3 rigid modes, of which the bearing brakes one: c (1/60 + 1/30)."""
        path = write("dual.yaml", DUAL_SPIN)
        for solver in ("dense", "sparse"):
            code, r = modes(path, "--set", "w=W", "--set", "c=0.5", "--eigen", solver)
            self.assertEqual((code, r["steady"], r["unstable"]), (0, True, 0), solver)
            decays = [m["re"] for m in r["modes"] if m["kind"] == "aperiodic"]
            self.assertEqual(len(decays), 1)
            self.assertAlmostEqual(decays[0], -0.5 * (1 / 60 + 1 / 30), delta=1e-9)


class Sweep(Case):
    def test_followed_through_a_crossing(self):
        """Both lines keep their number where they cross at k = 50; orders meet at w = k."""
        write("crossing.yaml", CROSSING)
        code, r = modes("crossing.yaml", "--over", "k=20:92:10", "--set", "c=0.7", "--orders", "0.25")
        self.assertEqual(code, 0)
        self.assertEqual(len(r["modes"]), 2)
        a, b = r["modes"]
        for k, wa, da, wb in zip(r["values"], a["im"], a["damping"], b["im"]):
            self.assertAlmostEqual(wb, 10, delta=1e-8)
            zeta = 0.7 / (2 * math.sqrt(k * 0.5))
            self.assertAlmostEqual(wa, math.sqrt(2 * k * (1 - zeta ** 2)), delta=1e-8)
            self.assertAlmostEqual(da, zeta, delta=1e-9)
        # k/4 = 10, and k/4 = sqrt(2 k) at 32, interpolated between values
        crossings = sorted((c["mode"], round(c["value"])) for c in r["crossings"])
        self.assertEqual(crossings, [(1, 32), (2, 40)])

    def test_table_and_diagram(self):
        write("crossing.yaml", CROSSING)
        remove("c.csv", "c.svg", "s.svg")
        p = run("modes", "crossing.yaml", "--over", "k=20:80:4", "--out", "c.csv", "--plot", "c.svg",
                "--orders", "0.25,0.3")
        self.assertEqual(p.returncode, 0, p.stderr)
        c = table("c.csv")
        self.assertEqual(c["k"], [20, 40, 60, 80])
        self.assertAlmostEqual(c["mode2.hz"][3], 10 / (2 * math.pi), delta=1e-8)
        svg = read("c.svg")
        self.assertTrue("frequency" in svg)
        self.assertTrue("0.3x" in svg)
        self.assertIn("mode 2", svg)
        self.assertIn("k [rad/s]", svg)
        self.assertRegex(p.stdout, r"\n +20 +1\.00\d+ +1\.59\d+\n")
        p = run("modes", "crossing.yaml", "--plot", "s.svg")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertRegex(read("s.svg"), r"1: x, 1\.59\d Hz")

    def test_equal_shapes(self):
        """A round rod bends in two planes alike: the line below is wider than the one drawn over it."""
        write("rod.yaml", "beams:\n  rod: {type: circle, radius: 0.01, end: [1, 0, 0], elements: 2, "
              "material: steel}\njoints:\n  wall: {type: fixed, a: ground, b: rod.start}\n")
        p = run("modes", "rod.yaml", "--count", "4", "--plot", "rod.svg")
        self.assertEqual(p.returncode, 0, p.stderr)
        widths = [float(w) for w in re.findall(r'stroke-width="([\d.]+)"', read("rod.svg"))]
        self.assertEqual(widths.count(1.5), widths.count(4.5))
        self.assertGreaterEqual(widths.count(4.5), 2)

    def test_not_steady(self):
        """A sweep says, as modes at one state do, where the state is not steady."""
        write("spun.yaml", "parameters: {w: 200}\nbodies: {r: {mass: 3, inertia: [0.02, 0.03, 0.03], "
              "angular_velocity: [w, 0, 0]}}\nforces: {b: {type: bushing, a: ground, b: r, stiffness: [1e4, "
              "2e4, 2e4, 0, 500, 500], damping: [0, 5, 5, 0, 0.1, 0.1]}}\n")
        said = ": modes of the coefficients of the instant"
        p = self.good("modes", "spun.yaml", "--over", "w=100:300:3")
        self.assertIn("\nnot steady" + said + "\n", p.stdout)
        p = self.good("modes", "spun.yaml", "--over", "w=0:200:3")
        self.assertIn("\nnot steady at w = 100, 200" + said + "\n", p.stdout)
        p = self.good("modes", "spun.yaml", "--over", "w=0:11:12")
        self.assertIn("\nnot steady at w = 1, 2, 3, 4, 5, 6, 7, 8, ..." + said + "\n", p.stdout)
        _, r = modes("spun.yaml", "--over", "w=0:200:3")
        self.assertEqual((r["rest"], r["steady"]), ([True, False, False], [False] * 3))
        write("crossing.yaml", CROSSING)
        p = run("modes", "crossing.yaml", "--over", "k=20:80:4", "--at", "equilibrium")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertNotIn("not steady", p.stdout)

    def test_unstable_from_a_value_on(self):
        write("crossing.yaml", CROSSING)
        p = run("modes", "crossing.yaml", "--over", "c=1:-1:3")
        self.assertIn("grows from c = -1 on", p.stdout)


class Linearize(Case):
    def test_matrices(self):
        write("crossing.yaml", CROSSING)
        remove("l.json", "l.csv")
        p = run("linearize", "crossing.yaml", "--set", "c=0.7", "--out", "l.json")
        self.assertEqual(p.returncode, 0, p.stderr)
        r = json.loads(read("l.json"))
        self.assertEqual([s["name"] for s in r["states"]], ["a.x", "b.x", "a.x'", "b.x'"])
        self.assertEqual([s["unit"] for s in r["states"]], ["m", "m", "m/s", "m/s"])
        self.assertEqual((r["inputs"][0]["name"], r["inputs"][0]["value"]), ("push", 2))
        expected = [[0, 0, 1, 0], [0, 0, 0, 1], [-100, 0, -1.4, 0], [0, -100, 0, 0]]
        for row, want in zip(r["A"], expected):
            for x, y in zip(row, want):
                self.assertAlmostEqual(x, y, delta=1e-9)
        for x, y in zip([row[0] for row in r["B"]], (0, 0, 0, 1)):
            self.assertAlmostEqual(x, y, delta=1e-8)
        for x, y in zip(r["C"][0], (-1, 1, 0, 0)):
            self.assertAlmostEqual(x, y, delta=1e-8)
        self.assertAlmostEqual(r["D"][0][0], 0, delta=1e-8)
        p = run("linearize", "crossing.yaml", "--out", "l.csv")
        lines = read("l.csv").splitlines()
        self.assertEqual(lines[0], "row,a.x,b.x,a.x',b.x',push")
        self.assertEqual([line.split(",")[0] for line in lines[1:]],
                         ["d(a.x)/dt", "d(b.x)/dt", "d(a.x')/dt", "d(b.x')/dt", "gap"])
        self.assertIn("\nA =\n", p.stdout)


class Refused(Case):
    def refused(self, pattern, *args):
        p = run(*args)
        self.assertEqual(p.returncode, 2, p.stdout + p.stderr)
        self.assertRegex(p.stderr, pattern)
        self.assertEqual(p.stdout, "")

    def test_options(self):
        write("crossing.yaml", CROSSING)
        m = ("modes", "crossing.yaml")
        self.refused(r"--count: 0 is not greater than 0", *m, "--count", "0")
        self.refused(r"--near: -1 is not 0 or greater", *m, "--near", "-1")
        self.refused(r"'equilibrum' .* \(is it 'equilibrium'\?\)", *m, "--at", "equilibrum")
        self.refused(r"2\.5 s is after the end of the run, 2 s", *m, "--at", "2.5")
        self.refused(r"-1 s is before the start", *m, "--at", "-1")
        write("blade.yaml", BLADE)
        self.refused(r"no parameter 'sped' \(is it 'speed'\?\)", "modes", "blade.yaml", "--over",
                     "sped=1:2:3")
        self.refused(r"not of the form NAME=FROM:TO:N", *m, "--over", "k=1:2")
        self.refused(r"number of values is 1, expected 2 to", *m, "--over", "k=1:2:1")
        self.refused(r"FROM and TO are both 1", *m, "--over", "k=1:1:4")
        self.refused(r"parameter 'k' is given twice", *m, "--over", "k=1:2:4", "--set", "k=3")
        self.refused(r"--orders: 'x' is not a number", *m, "--over", "k=1:2:4", "--orders", "1,x")
        self.refused(r"--orders needs --over", *m, "--orders", "1")
        self.refused(r"would overwrite the model", *m, "--out", "crossing.yaml")
        self.refused(r"does not end in \.json or \.csv", "linearize", "crossing.yaml", "--out", "a.h5")
        self.refused(r"'st' is not|is it 'start'", "linearize", "crossing.yaml", "--at", "star")

    def test_coordinates_change(self):
        write("blade.yaml", BLADE)
        self.refused(r"'n' changes the number of coordinates from 24 to 42", "modes", "blade.yaml", "--over",
                     "n=1:2:2", "--set", "speed=0")

    def test_json_of_an_error(self):
        write("crossing.yaml", CROSSING)
        p = run("modes", "crossing.yaml", "--at", "9", "--json")
        self.assertEqual(p.returncode, 2)
        self.assertTrue(re.search("after the end", json.loads(p.stdout)["error"]["message"]))


class Bicycle(Case):
    """The Whipple bicycle with the parameters of the benchmark of Meijaard et al. 2007, and its Table 2."""

    def test_eigenvalues(self):
        path = os.path.join(SOURCE, "models", "contact", "bicycle.yaml")
        modes = json.loads(run("modes", path, "--json").stdout)["modes"]
        roots = [complex(m["re"], m["im"]) for m in modes]
        for value in (-0.32286642900409, -0.77534188219585 + 4.46486771378823j, -14.07838969279822):
            self.assertLess(min(abs(r - value) for r in roots), 1e-8)  # some differences in the linearization

    def test_stable_between_weave_and_capsize(self):
        path = os.path.join(SOURCE, "models", "contact", "bicycle.yaml")
        for speed, grows in ((4, True), (5, False), (7, True)):
            modes = json.loads(run("modes", path, "--set", f"v={speed}", "--json").stdout)["modes"]
            self.assertEqual(any(m["re"] > 0 for m in modes), grows, speed)

    def test_zeros(self):
        """Place, heading and speed along the road are six zero roots, two of them double: no motion grows."""
        path = os.path.join(SOURCE, "models", "contact", "bicycle.yaml")
        for speed, zeros, grows in ((4, 6, True), (5, 6, False), (6, 6, False), (10, 6, True)):
            r = json.loads(run("check", path, "--set", f"v={speed}", "--no-trial", "--json").stdout)
            self.assertIn(f"and {zeros} zero roots", run("check", path, "--set", f"v={speed}",
                                                         "--no-trial").stdout)
            self.assertEqual(any("Small motions grow" in n["text"] for n in r["notes"]), grows, speed)


if __name__ == "__main__":
    main()
