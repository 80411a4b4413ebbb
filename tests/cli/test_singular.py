"""Positions in which constraints come to depend on each other: passed on the smooth branch, with no option
set.

The slider-crank with equal arms and the parallelogram have one freedom on the smooth branch, and an equation
of one unknown each; it is integrated here by the classical Runge-Kutta method, far more accurately than what
it is compared with.
"""
import json
import math
import os
import random
import re
import unittest

from common import SOURCE, Case, fewer_if_slow, main, methods_of_runs, run, table, write

SLIDER = os.path.join(SOURCE, "models", "singular_slider_crank.yaml")
FOLDED = os.path.join(SOURCE, "models", "folded_parallelogram.yaml")
NAMED = ("genalpha", "bdf", "radau5", "for-sdirk", "for-rosen")
ALL = [name for name, m in methods_of_runs().items() if m["order"] > 0] + ["auto"]
MOST = fewer_if_slow("Slider and Folded.test_repeated_rows, all but five methods", NAMED, ALL, "two minutes")
STARTS = fewer_if_slow("Sweep, 32 of 40 starts", 8, 40, "half a minute")
TOL = 1e-4  # of both models
G = 9.8     # of the slider-crank


def slider_rate(x, w):
    """(3 + 2 cos 2x) x'' = 2 sin(2x) x'^2 - g sin x, branch A."""
    return (2 * math.sin(2 * x) * w * w - G * math.sin(x)) / (3 + 2 * math.cos(2 * x))


def slider_energy(x, w):
    return (3 + 2 * math.cos(2 * x)) * w * w / 2 - G * math.cos(x)


def rail_force(x, w):
    """On the rod, upwards; smooth at x = 0."""
    c = math.cos(x)
    return 2 * c * w * w + G - 2 * c * c * (4 * c * w * w - G) / (3 + 2 * math.cos(2 * x))


def folded_rate(x, _):
    """(2/3 mc + mb) L x'' = -(mc + mb) g cos x with mc = 1, mb = 2, L = 0.5."""
    return -3 * 9.81 * math.cos(x) / ((2 / 3 + 2) * 0.5)


def integrate(rate, x, w, times):
    """x, x' at the times, by steps of at most 1e-3 s."""
    out, t = [], 0
    for end in times:
        n = math.ceil((end - t) / 1e-3)
        h = (end - t) / n if n else 0
        for _ in range(n):
            a1 = rate(x, w)
            x2, w2 = x + h / 2 * w, w + h / 2 * a1
            a2 = rate(x2, w2)
            x3, w3 = x + h / 2 * w2, w + h / 2 * a2
            a3 = rate(x3, w3)
            x4, w4 = x + h * w3, w + h * a3
            a4 = rate(x4, w4)
            x, w = x + h / 6 * (w + 2 * w2 + 2 * w3 + w4), w + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        t = end
        out.append((x, w))
    return out


def crossings(t, x, w):
    """Times where x changes its sign, by Hermite interpolation between rows (error h^4/384 x'''', here
    1e-9)."""
    out = []
    for i in range(1, len(x)):
        if x[i - 1] * x[i] < 0:
            h, lo, hi = t[i] - t[i - 1], 0, 1
            for _ in range(50):
                s = (lo + hi) / 2
                y = ((1 + 2 * s) * (1 - s)**2 * x[i - 1] + s * (1 - s)**2 * h * w[i - 1] + s * s * (3 - 2 * s)
                     * x[i]
                     + s * s * (s - 1) * h * w[i])
                lo, hi = (s, hi) if y * x[i - 1] > 0 else (lo, s)
            out.append(t[i - 1] + h * s)
    return out


class Singular(Case):
    def ride(self, model, *options):
        p = run("run", model, "--csv", "singular.csv", "--json", *options)
        self.assertEqual(p.returncode, 0, p.stderr)
        c = table("singular.csv")
        for column, values in c.items():
            self.assertTrue(all(map(math.isfinite, values)), column)
        return c, json.loads(p.stdout)


class Reference(unittest.TestCase):
    def test_slider(self):
        """Known values, converged to 1e-12: DOP853 and Radau IIA."""
        known = {0.5: (0.536591485960, -0.868948028177, 13.7891504447),
                 1: (0.033496515783, -1.070967610540, 14.1780629666),
                 2: (-0.780894392619, -0.143650689106, 13.0861292642),
                 5: (0.166790060261, -1.057545682926, 14.1490037993)}
        for (x, w), (a, b, f) in zip(integrate(slider_rate, math.pi / 4, 0, known), known.values()):
            self.assertAlmostEqual(x, a, delta=1e-10)
            self.assertAlmostEqual(w, b, delta=1e-10)
            self.assertAlmostEqual(rail_force(x, w), f, delta=1e-8)


class Slider(Singular):
    cost = 24  # [s]

    def test_passes(self):
        """21 passes in 44 s. Angles, rates, times of passing and the rail's force against the smooth
        branch."""
        exact = None
        for method in MOST:
            with self.subTest(method=method):
                c, r = self.ride(SLIDER, "--method", method)
                exact = exact or integrate(slider_rate, math.pi / 4, 0, c["t"])
                # errors per second of motion are a tolerance; they grow by the shear of a pendulum's motion
                # over 44 s
                self.assertLess(max(abs(a - x) for a, (x, _) in zip(c["theta1"], exact)), 20 * TOL)
                self.assertLess(max(abs(a - w) for a, (_, w) in zip(c["crank.wz"], exact)), 40 * TOL)
                self.assertLess(max(map(abs, c["branch"])), 1e-6)
                self.assertLess(abs(r["energy"]["error"]),
                                (1 if method in NAMED else 10) * TOL * r["energy"]["scale"])
                passed = crossings(c["t"], c["theta1"], c["crank.wz"])
                self.assertEqual(len(passed), 21)
                for i, t in enumerate(passed):
                    self.assertAlmostEqual(t, 1.03126624 + 2.06253249 * i, delta=20 * TOL)
                # no peak of the reaction where rows are held or come back
                self.assertLess(max(abs(f - rail_force(x, w)) for f, (x, w) in zip(c["rail.fy"], exact)),
                                0.02 * 14)

    def test_tolerances(self):
        """The error follows the tolerance through the singular positions."""
        for method in (*NAMED, "trust-region", "direct-reg"):
            if method == "genalpha":  # order 2: a million steps at 1e-6
                continue
            for tol in (1e-3, 1e-5, 1e-6):
                with self.subTest(method=method, tol=tol):
                    c, _ = self.ride(SLIDER, "--method", method, "--tol", str(tol), "--end", "10")
                    exact = integrate(slider_rate, math.pi / 4, 0, c["t"])
                    self.assertLess(max(abs(a - x) for a, (x, _) in zip(c["theta1"], exact)), 20 * tol)

    def test_exactly_at_the_singular_position(self):
        """A step ends where the rank is lost: t is no round number, so the start is moved there by time."""
        for method in NAMED:
            with self.subTest(method=method):
                c, _ = self.ride(SLIDER, "--method", method, "--end", "3", "--output-step", "1.0312662434")
                exact = integrate(slider_rate, math.pi / 4, 0, c["t"])
                self.assertLess(max(abs(a - x) for a, (x, _) in zip(c["theta1"], exact)), 20 * TOL)

    def test_small_swings(self):
        """All time is spent close to the singular position: rows are held for a tenth of a second at a time,
        and the upright rod must not leave the branch meanwhile. (The regularized methods give way a little:
        docs/theory/regularization.md)"""
        firm = [m for m in MOST if m not in ("trust-region", "direct-reg")]
        for start, methods in ((0.01, MOST), (0.003, NAMED), (0.001, firm)):
            exact = None
            for method in methods:
                with self.subTest(start=start, method=method):
                    c, _ = self.ride(SLIDER, "--method", method, "--set", f"th1={start}")
                    exact = exact or integrate(slider_rate, start, 0, c["t"])
                    most = TOL if method in firm else 3 * TOL
                    self.assertLess(max(abs(a - x) for a, (x, _) in zip(c["theta1"], exact)), most)
                    self.assertLess(max(map(abs, c["branch"])), most)


class Folded(Singular):
    cost = 9  # [s]

    def test_passes(self):
        exact = None
        for method in ALL:
            with self.subTest(method=method):
                c, r = self.ride(FOLDED, "--method", method)
                exact = exact or integrate(folded_rate, math.pi / 3, 0, c["t"])
                start = c["angle"][0]
                self.assertLess(max(abs(a - start + math.pi / 3 - x) for a, (x, _) in zip(c["angle"], exact)),
                                20 * TOL * 8)
                self.assertLess(max(map(abs, c["fold"])), 1e-6)
                self.assertLess(abs(r["energy"]["error"]), 10 * TOL * r["energy"]["scale"])

    def test_repeated_rows(self):
        """Three cranks: a row repeats others everywhere, and every passage is counted, in long steps too."""
        model = os.path.join(SOURCE, "tests", "models", "three_cranks.yaml")
        exact = None
        for method in MOST:
            for tol in (1e-3, 1e-4) if method != "genalpha" else (1e-3,):
                with self.subTest(method=method, tol=tol):
                    c, r = self.ride(model, "--method", method, "--tol", str(tol))
                    exact = exact or integrate(lambda x, _: -6 * 9.81 * math.cos(x) / (5 * 0.4), math.pi / 3,
                                               8, c["t"])
                    self.assertLess(max(abs(a - x) for a, (x, _) in zip(c["angle"], exact)), 100 * tol)
                    self.assertLess(max(map(abs, c["fold"])), 1e-6)
                    self.assertEqual(r["counters"]["singular_positions"], 10)

    def test_told(self):
        """--verbose tells each passage in a line of its own, in time; without it there is none."""
        for option, count in ((["--verbose"], 3), ([], 0)):
            p = run("run", FOLDED, "--method", "bdf", "--end", "1.6", "--quiet", "--out", "none", *option)
            told = re.findall(r"note: singular configuration at t = (\S+) s: rank 8 -> 7, the smooth branch "
                              r"is kept", p.stderr)
            self.assertEqual(len(told), count, p.stderr)
            for t, exact in zip(told, (0.392777, 0.785556, 1.57118)):
                self.assertAlmostEqual(float(t), exact, delta=2e-3)


class Rows(Case):
    def path(self, name):
        return os.path.join(SOURCE, "tests", "models", name)

    def test_branch_of_rows(self):
        """Rows of results within a step that passes a singular position are on its branch: energy tells, in
        every one."""
        model = self.path("folding_four_bar.yaml")
        for method in ("adams", "erk5", "erk8", "for-sdirk", "radau5"):
            for tol, step in (("1e-3", "0.002"), ("1e-4", "0.01"), ("1e-6", "0.002"), ("1e-6", "0.01")):
                with self.subTest(method=method, tol=tol, step=step):
                    r = self.report("run", model, "--method", method, "--tol", tol, "--output-step", step,
                                    "--out", "none")
                    self.assertLess(r["energy"]["error"], max(1e-4, float(tol)) * r["energy"]["scale"])

    def test_exchanged_rows(self):
        """Where rows that repeat others are exchanged, within a step or at its end, rows of results are
        right."""
        for method in ("adams", "erk5", "erk8"):
            for kinematics in ("joints", "bodies"):
                with self.subTest(method=method, kinematics=kinematics):
                    r = self.report("run", self.path("two_cognates.yaml"), "--method", method, "--kinematics",
                                    kinematics,
                                    "--output-step", "0.001", "--out", "none")
                    self.assertLess(r["energy"]["error"], 1e-4 * r["energy"]["scale"])

    def test_driven(self):
        """Driven through singular positions there are no independent coordinates: steps keep to the branch
        nevertheless."""
        model, a, b, phi, w = self.path("kite.yaml"), 0.4, 0.7, 1.2, -2
        for method in ("adams", "erk5", "erk8", "bdf", "for-sdirk"):
            with self.subTest(method=method):
                self.good("run", model, "--method", method, "--set", "driven=1", "--set", f"phi={phi}",
                          "--set", f"w={w}",
                          "--end", "7", "--output-step", "0.01", "--csv", "kite.csv", "--quiet")
                c = table("kite.csv")
                for t, x, y in zip(c["t"], c["rocker.x"], c["rocker.y"]):
                    half = (phi + w * t) / 2
                    angle = half + math.asin(a / b * math.sin(half))
                    self.assertLess(math.hypot(x - a - b / 2 * math.cos(angle), y - b / 2 * math.sin(angle)),
                                    1e-5)

    def test_start_in_singular_position(self):
        """A start in a singular position with a velocity: the row that is lost only there is missed for a
        short while."""
        for method in ("adams", "erk5", "erk8", "bdf", "for-sdirk"):
            with self.subTest(method=method):
                r = self.report("run", self.path("kite.yaml"), "--method", method, "--out", "none")
                self.assertLess(r["energy"]["error"], 1e-5 * r["energy"]["scale"])

    def test_regularized(self):
        """Methods that could pass by themselves give way before; with rows held they do not."""
        for model, method, most in (("kite", "trust-region", 2e-6),
                                    ("folding_four_bar", "trust-region", 2e-6),
                                    ("two_slider_cranks", "direct-reg", 5e-5)):
            with self.subTest(model=model):
                start = ("--set", "phi=1.2", "--set", "w=-1") if model == "kite" else ()
                r = self.report("run", os.path.join(SOURCE, "tests", "models", model + ".yaml"), "--method",
                                method, "--tol", "1e-6",
                                "--out", "none", *start)
                self.assertGreater(r["counters"]["singular_positions"], 0)
                self.assertLess(r["energy"]["error"], most * r["energy"]["scale"])

    def test_regularized_branch(self):
        """A slow passage at a tight tolerance: constraints give way, but the cranks stay on their branch. The
        other one is a length away."""
        model = self.path("two_slider_cranks.yaml")
        end = {}
        for method, tol in (("radau5", "1e-8"), ("trust-region", "1e-6")):
            self.good("run", model, "--method", method, "--tol", tol, "--end", "0.8", "--csv", "slow.csv")
            end[method] = {c: v[-1] for c, v in table("slow.csv").items() if c.endswith((".x", ".y"))}
        self.assertLess(max(abs(end["trust-region"][c] - v) for c, v in end["radau5"].items()), 1e-2)

    def test_at_rest(self):
        """At rest in a singular position nothing says which way: the run does not begin, and tells."""
        model = os.path.join(SOURCE, "tests", "models", "flat_at_rest.yaml")
        for method in ("auto", "genalpha", "bdf", "radau5", "for-sdirk", "adams"):
            with self.subTest(method=method):
                p = self.bad(2, "run", model, "--method", method, "--out", "none")
                self.assertIn("starts at rest in a singular configuration, in which joint 'D' (row 1 of 2) "
                              "depends on other joints, and its accelerations are on none of the branches",
                              p.stderr)

    def test_no_branch(self):
        """A bead held by two rods in line cannot move, but its velocity across them violates no row. A run
        of a thousandth of a second ended with status 0, the joints open by 1e-6 m."""
        bead = """
planar: true
ground: {frames: {l: [-1, 0], r: [1, 0]}}
parameters: {w: 1, g: 0}
gravity: g
bodies:
  bead: {mass: 1, point: true, velocity: [0, w]}
joints:
  left: {type: distance, a: ground.l, b: bead}
  right: {type: distance, a: ground.r, b: bead}
run: {end: 0.001}
"""
        write("bead.yaml", bead)
        p = self.bad(2, "run", "bead.yaml", "--out", "none")
        self.assertIn("starts in a singular configuration, in which joint 'right' depends on other joints, "
                      "and its velocities are on none of the branches", p.stderr)
        self.assertIn("accelerations are on none", self.bad(
            2, "run", "bead.yaml", "--out", "none", "--set", "w=0", "--set", "g=9.81", "--end", "1").stderr)
        self.good("run", "bead.yaml", "--out", "none", "--set", "w=0")  # in equilibrium

    def test_a_branch(self):
        """A flat parallelogram, started along each of its branches. Closed to second order it satisfies (w1 -
        w2) (3 w1 + w2) = 0. With other velocities it goes nowhere."""
        flat = """
planar: true
parameters: {w1: 1, w2: 1}
defaults: {joints: {type: revolute}}
bodies:
  crank: {mass: 1, inertia: 0.1, position: [0.5, 0], velocity: [0, w1/2], angular_velocity: w1}
  coupler: {mass: 1, inertia: 0.4, position: [2, 0], velocity: [0, (w1 + w2)/2],
            angular_velocity: (w2 - w1)/2}
  rocker: {mass: 1, inertia: 0.1, position: [2.5, 0], velocity: [0, w2/2], angular_velocity: w2}
joints:
  A: {a: ground, b: crank, point: [0, 0]}
  B: {a: crank, b: coupler, point: [1, 0]}
  C: {a: coupler, b: rocker, point: [3, 0]}
  D: {a: ground, b: rocker, point: [2, 0]}
run: {end: 0.3}
"""
        write("flat.yaml", flat)
        for w2 in (1, -3):
            with self.subTest(w2=w2):
                self.good("run", "flat.yaml", "--csv", "flat.csv", "--set", f"w2={w2}")
                rows = table("flat.csv")
                self.assertAlmostEqual(rows["energy.kinetic"][-1] / rows["energy.kinetic"][0], 1, places=4)
                crank, rocker = (2*math.atan2(rows[f"{b}.q3"][-1], rows[f"{b}.q0"][-1])
                                 for b in ("crank", "rocker"))
                self.assertGreater(crank, 0.1)
                self.assertGreater(rocker*w2, 0.1)
        p = self.bad(2, "run", "flat.yaml", "--out", "none", "--set", "w2=0.3")
        self.assertIn("velocities are on none of the branches", p.stderr)


class Sweep(Singular):
    """Random starts with the default method; the thousand of each are `make bench-sweep`."""
    cost = 5  # [s]

    def starts(self, count):
        rng = random.Random(20250)
        return [(rng.uniform(-math.pi, math.pi), rng.uniform(-6, 6)) for _ in range(count)]

    def explained(self, p):
        self.assertEqual(p.returncode, 1, p.stderr)
        self.assertRegex(p.stderr, "sing|lock|step fell")

    def test_slider(self):
        good = 0
        starts = self.starts(STARTS)
        for x, w in starts:
            p = run("run", SLIDER, "--csv", "sweep.csv", "--set", f"th1={x}", "--set", f"w={w}", "--end",
                    "10")
            if p.returncode:
                self.explained(p)
                continue
            c = table("sweep.csv")
            energy = [slider_energy(a, b) for a, b in zip(c["theta1"], c["crank.wz"])]
            scale = max(G, energy[0] + G)
            good += max(map(abs, c["branch"])) < 1e-3 and max(abs(e - energy[0])
                                                              for e in energy) < 0.01 * scale
        self.assertGreaterEqual(good, 0.995 * len(starts))

    def test_folded(self):
        good = 0
        starts = self.starts(STARTS)
        for x, w in starts:
            p = run("run", FOLDED, "--csv", "sweep.csv", "--set", f"theta={x}", "--set", f"w={w}")
            if p.returncode:
                self.explained(p)
                continue
            c = table("sweep.csv")
            total = [a + b for a, b in zip(c["energy.kinetic"], c["energy.potential"])]
            good += max(map(abs, c["fold"])) < 1e-3 and max(abs(e - total[0])
                                                            for e in total) < 0.01 * 3 * 9.81
        self.assertGreaterEqual(good, 0.995 * len(starts))


class Regular(Case):
    """Mechanisms that look as if they passed a singular configuration, and do not."""

    def model(self, name):
        return os.path.join(SOURCE, "tests", "models", name + ".yaml")

    def test_far_slide(self):
        """Bodies slide far apart: singular values are small, and no row may be given up for that."""
        self.good("run", self.model("far_slide"), "--method", "erk8", "--tol", "1e-9", "--csv", "exact.csv")
        exact = table("exact.csv")
        for method in ("auto", *NAMED):
            with self.subTest(method=method):
                r = self.report("run", self.model("far_slide"), "--method", method, "--csv", "far.csv")
                self.assertEqual(r["counters"]["singular_positions"], 0)
                self.assertLess(r["energy"]["error"], 10 * TOL * r["energy"]["scale"])
                c = table("far.csv")
                for x in ("b1.z", "b2.z", "b3.z", "b3.q3"):  # 30 model lengths from the start
                    self.assertAlmostEqual(c[x][-1], exact[x][-1], delta=10 * TOL, msg=x)

    def test_rows_that_turn(self):
        """The rows turn by more than a right angle from one check to the next; none passes zero."""
        for method in ("auto", "adams", "erk8", *NAMED):
            with self.subTest(method=method):
                r = self.report("run", self.model("short_crank"), "--method", method, "--out", "none")
                self.assertEqual(r["counters"]["singular_positions"], 0)


class Refused(Case):
    """Inputs that have no motion say so, and where."""
    OPEN = r"joint 'pin_\w' .* was open by (\S+) model lengths or rad, \S+ times the tolerance"

    def file(self, name):
        return os.path.join(SOURCE, "tests", "models", name + ".yaml")

    def test_open_joint(self):
        """Constraints that are softened until the joints open by many tolerances: no result, whatever the
        step-size control says."""
        p = self.bad(1, "run", os.path.join(SOURCE, "models", "four_bar.yaml"), "--method", "trust-region",
                     "--epsilon", "0.1", "--out", "none")
        self.assertRegex(p.stderr, self.OPEN)

    def test_open_joint_of_a_small_model(self):
        """The same linkage in metres and in millimetres: joints are open by the same part of it."""
        found = []
        for size in (1, 0.001):
            write("linkage.yaml", f"""\
planar: true
gravity: {9.81 * size}
parameters: {{L: {size}}}
bodies:
  crank: {{mass: 1, inertia: 0.1*L*L, position: [0, 0.5*L], angular_velocity: 3, velocity: [-1.5*L, 0]}}
  rod: {{mass: 1, inertia: 0.3*L*L, position: [L, L], velocity: [-3*L, 0]}}
  rocker: {{mass: 1, inertia: 0.1*L*L, position: [2*L, 0.5*L], angular_velocity: 3,
           velocity: [-1.5*L, 0]}}
joints:
  pin_a: {{type: revolute, a: ground, b: crank, point: [0, 0]}}
  pin_b: {{type: revolute, a: crank, b: rod, point: [0, L]}}
  pin_c: {{type: revolute, a: rod, b: rocker, point: [2*L, L]}}
  pin_d: {{type: revolute, a: rocker, b: ground, point: [2*L, 0]}}
run: {{end: 1, tol: 1e-4}}
""")
            p = self.bad(1, "run", "linkage.yaml", "--method", "trust-region", "--epsilon", "0.1",
                         "--out", "none")
            self.assertRegex(p.stderr, self.OPEN)
            found.append(float(re.search(self.OPEN, p.stderr).group(1)))
        self.assertAlmostEqual(found[0], found[1], delta=0.01 * found[0])

    def test_conflicting_rods(self):
        for command in (("run",), ("run", "--method", "bdf"), ("run", "--method", "for-sdirk"), ("check",)):
            p = run(command[0], self.file("conflicting_rods"), *command[1:])
            self.assertNotEqual(p.returncode, 0)
            self.assertIn("'short_rod'", p.stdout + p.stderr)
            self.assertIn("'long_rod'", p.stdout + p.stderr)

    def test_lock_up(self):
        """The driven crank stops where coupler and rocker are in line."""
        a, b, c, d, phi, w = 0.3, 0.25, 0.35, 0.5, math.radians(40), 2
        exact = (math.acos((a * a + d * d - (b + c)**2) / (2 * a * d)) - phi) / w  # 0.46969039 s
        for method in ALL:
            with self.subTest(method=method):
                p = self.bad(1, "run", self.file("locked_crank"), "--method", method, "--csv", "lock.csv")
                m = re.search(r"locks up at t = (\S+) s: .*'motor'", p.stderr)
                self.assertTrue(m, p.stderr)
                self.assertAlmostEqual(float(m.group(1)), exact, delta=1e-3)
                t = table("lock.csv")["t"]  # the last good state is there
                self.assertGreater(t[-1], 0.45)
                self.assertLessEqual(t[-1], exact)

    def test_driven_through(self):
        """A driver that turns the crank through the flat positions on the smooth branch is no lock-up."""
        with open(FOLDED, encoding="utf-8") as f:
            text = f.read()
        joint = "  C: {a: crank2.tip, b: coupler.C}\n"
        self.assertIn(joint, text)
        write("driven.yaml", text.replace(joint,
                                          joint + "  motor: {type: driver, of: A.angle, motion: theta + "
                                                  "2*t}\n"))
        for method in ALL:
            with self.subTest(method=method):
                self.good("run", "driven.yaml", "--method", method, "--set", "w=2", "--csv", "driven.csv")
                c = table("driven.csv")
                self.assertEqual(c["t"][-1], 6)
                # what the regularized methods let go of in passing is off by some tolerances there
                self.assertLess(max(map(abs, c["fold"])),
                                10 * TOL if method in ("trust-region", "direct-reg") else 1e-6)

    def test_speeds_that_part(self):
        """A motor that prescribes a speed has no position: its rate contradicts that of another one."""
        text = ("planar: true\nbodies:\n  d: {mass: 1, inertia: 0.1}\njoints:\n"
                "  j: {type: revolute, a: ground, b: d}\n  m1: {type: driver, of: j.angle, %s}\n"
                "  m2: {type: driver, of: j.angle, speed: %s}\nrun: {end: 1}\n")
        for first in ("motion: t", "speed: 1"):
            for method in ("auto", *NAMED, "trust-region", "direct-reg"):
                with self.subTest(first=first, method=method):
                    write("speeds.yaml", text % (first, "1 + 0.01*t"))
                    p = self.bad(1, "run", "speeds.yaml", "--method", method, "--csv", "speeds.csv")
                    m = re.search(r"contradict each other at t = (\S+) s: joint 'm2' depends on joint 'm1' "
                                  r"but is violated by (\S+) deg/s\n", p.stderr)
                    self.assertTrue(m, p.stderr)
                    self.assertLess(float(m[1]), 0.1)  # a thousandth of the speed
                    off = math.degrees(0.01 * float(m[1]))
                    self.assertAlmostEqual(float(m[2]), off, delta=0.01 * off)  # three digits are told
            write("speeds.yaml", text % (first, "1 + 1e-7*sin(t)"))
            self.good("run", "speeds.yaml", "--csv", "speeds.csv")

    def test_motors_that_part(self):
        """The second motor repeats the first one up to t = 0.5 s; rows of results do not go far beyond it."""
        for method in (*NAMED, "trust-region", "direct-reg"):
            with self.subTest(method=method):
                p = self.bad(1, "run", self.file("overdriven_parallelogram"), "--method", method, "--csv",
                             "part.csv")
                m = re.search(r"contradict each other at t = (\S+) s: joint 'motor2' depends on joint "
                              r"'motor1'(?:, joint 'C', joint 'B', joint 'D')? and joint '[AC]' but is "
                              r"violated by (\S+) deg\n", p.stderr)
                self.assertTrue(m, p.stderr)
                off = math.degrees(0.3 * (float(m[1]) - 0.5)**2)  # three digits are told
                self.assertAlmostEqual(float(m[2]), off, delta=0.01 * off)
                # 0.3 (t - 0.5)^2 is a tolerance at t = 0.518 s
                t = table("part.csv")["t"]
                self.assertGreaterEqual(t[-1], 0.49)
                self.assertLess(t[-1], 0.56)


if __name__ == "__main__":
    main()
