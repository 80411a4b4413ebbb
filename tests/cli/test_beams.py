#!/usr/bin/env python3
"""Flexible beams and statics: references of the literature, every implicit method, bad input."""
import json
import os

from common import SOURCE, Case, fewer_if_slow, main, run, table, write

MODELS = os.path.join(SOURCE, "models")
FLYING = os.path.join(MODELS, "beam_flying.yaml")
# displacements of the loaded and the free end at t = 1.5 s, converged spectral elements (5e-7)
AT_1_5 = (-1.108607334049, -0.520650027198, 0.395340234615, 0.517773294688, -0.058172048751, -0.092860894468)

METHODS = fewer_if_slow("all methods but radau5", (("radau5", "1e-5"),), (
    ("radau5", "1e-5"), ("bdf", "1e-4"), ("ggl", "1e-4"), ("genalpha", "1e-4"), ("hht", "1e-4"),
    ("radau3", "1e-3"), ("for-sdirk", "1e-4"), ("erk8", "1e-5"), ("auto", "1e-4")), "minutes")

CANTILEVER = """\
gravity: 9.81
beams:
  arm: {type: %s, position: [0, 0, 0], end: [2, 0, 0], elements: 2, %s}
joints:
  wall: {type: fixed, a: ground, b: arm.start}
outputs: {tip: arm.end.z, root: arm_e1.My}
"""


def equilibrium(path, *options):
    p = run("static", path, "--json", *options)
    return p.returncode, json.loads(p.stdout)


class Flying(Case):
    def test_every_implicit_method(self):
        for method, tol in METHODS:
            with self.subTest(method=method):
                p = run("run", FLYING, "--method", method, "--tol", tol, "--end", "1.5", "--output-step",
                        "0.5", "--out", "none", "--csv", "fly.csv")
                self.assertEqual(p.returncode, 0, p.stderr)
                c = table("fly.csv")
                last = 18
                got = [c[f"beam_{i}.{k}"][-1] - c[f"beam_{i}.{k}"][0] for i in (0, last) for k in "xyz"]
                error = max(abs(a - b) for a, b in zip(got, AT_1_5)) / 10
                self.assertLess(error, 1e-5 if tol == "1e-5" else 2e-4 if tol == "1e-4" else 2e-3)
                # momentum of the load, without other forces: integral of T/10 = 80 t/10
                mass = [1 / 6 * 10 / 6 / 2, *[5 / 6 * 10 / 6 / 2] * 2]
                weights = [mass[i % 3] * (2 if i % 3 == 0 and 0 < i < last else 1) for i in range(last + 1)]
                momentum = sum(w * c[f"beam_{i}.vx"][-1] for i, w in enumerate(weights))
                self.assertLess(abs(momentum - 4 * 1.5 ** 2), 1e-3)


class Static(Case):
    def test_princeton(self):
        """13.345 N at 60 deg: solution of the boundary-value problem."""
        code, r = equilibrium(os.path.join(MODELS, "beam_princeton.yaml"))
        self.assertEqual((code, r["unstable_roots"]), (0, 0))
        for name, value in (("u", -0.041207236321657), ("v", 0.181923439992722), ("w", 0.011716496169942)):
            self.assertAlmostEqual(r["channels"][name], value, delta=1e-9)

    def test_arch_snaps_through(self):
        arch = os.path.join(MODELS, "beam_arch.yaml")
        code, above = equilibrium(arch, "--set", "load=1000")
        self.assertEqual((code, above["limit_points"]), (0, 0))
        self.assertGreater(above["channels"]["crown"], 0.05)
        code, below = equilibrium(arch, "--set", "load=20000")
        self.assertEqual((code, below["unstable_roots"]), (0, 0))
        self.assertLess(below["channels"]["crown"], -0.1)

    def test_linear_cantilever(self):
        """Small loads: the tip sinks by q L^4/(8 EI) + q L^2/(2 GA); the root carries q L^2/2."""
        general = "stiffness: [1e9, 1e6, 1e6, 1e6, 1e6, 1e6], mass: 2, inertia: 1e-3"
        code, r = equilibrium(write("c.yaml", CANTILEVER % ("general", general)))
        q, L = 2 * 9.81, 2
        self.assertEqual(code, 0)
        self.assertAlmostEqual(r["channels"]["tip"], -(q * L**4 / 8e6 + q * L**2 / 2e6), delta=1e-9)
        self.assertAlmostEqual(r["channels"]["root"], q * (0.75 * L) ** 2 / 2, delta=1e-5)

    def test_sections(self):
        """Bending stiffness by the tip under gravity; A, I of each form by hand."""
        pi = 3.141592653589793
        forms = {"rectangle": ("width: 0.05, height: 0.02", 0.05 * 0.02, 0.05 * 0.02**3 / 12),
                 "circle": ("radius: 0.02", pi * 0.02**2, pi * 0.02**4 / 4),
                 "tube": ("radius: 0.02, inner_radius: 0.01", pi * 3e-4, pi * (0.02**4 - 0.01**4) / 4),
                 "i": ("width: 0.05, height: 0.1, web: 0.005, flange: 0.01", 0.05 * 0.1 - 0.045 * 0.08,
                       (0.05 * 0.1**3 - 0.045 * 0.08**3) / 12)}
        for form, (keys, A, I) in forms.items():
            with self.subTest(form=form):
                code, r = equilibrium(write("s.yaml", CANTILEVER % (form, keys + ", material: steel")))
                self.assertEqual(code, 0)
                bending = 7850 * A * 9.81 * 2**4 / (8 * 210e9 * I)
                self.assertAlmostEqual(r["channels"]["tip"] / -bending, 1, delta=0.02)

    def test_begin_at_rest(self):
        path = write("c.yaml", CANTILEVER % ("circle", "radius: 0.01, material: aluminium") +
                     "run: {end: 0.2, begin: static}\n")
        p = run("run", path, "--csv", "c.csv", "--out", "none")
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        self.assertIn("equilibrium", p.stdout)
        tip = table("c.csv")["tip"]
        self.assertLess(tip[0], -0.02)
        self.assertLess(max(tip) - min(tip), 1e-7)

    def test_no_equilibrium(self):
        p = run("static", write("free.yaml", "gravity: 9.81\nbodies: {a: {mass: 1, inertia: 1}}\n"))
        self.assertEqual(p.returncode, 1)
        self.assertIn("equilibrium", p.stderr)


class Wrong(Case):
    def test_messages(self):
        good = "width: 0.05, height: 0.02, material: steel"
        for form, keys, text in (
                ("rectangle", "width: 0, height: 0.02, material: steel",
                 "'width' is 0, expected a number > 0"),
                ("rectangle", "width: 0.05, height: 0.02", "'E' is missing (or give a material)"),
                ("rectangle", good + ", order: 4", "'order' is 4, expected 1, 2 or 3"),
                ("rectangle", good + ", length: 2", "give either 'end' or 'length', not both"),
                ("rectangle", good + ", up: [1, 0, 0]", "'up' points along the beam"),
                ("rectangle", good + ", radius: 1", "'radius' does not apply to a rectangle beam"),
                ("tube", "radius: 0.01, inner_radius: 0.02, material: steel", "expected less than 'radius'"),
                ("general", "stiffness: [1, 1, 1, -1, 1, 1], mass: 1, inertia: 1", "not positive definite"),
                ("general", "stiffness: [1, 1, 1, 1, 1, 1], mass: 1, inertia: 0", "must be > 0"),
                ("rectangle", good + ", curvature: [0, 1, 0]", "a beam with 'end' is straight")):
            with self.subTest(text=text):
                p = run("static", write("w.yaml", CANTILEVER % (form, keys)))
                self.assertEqual(p.returncode, 2)
                self.assertIn(text, p.stderr)
                self.assertIn("w.yaml:3:", p.stderr)
        p = run("static", write("w.yaml", (CANTILEVER % ("rectangle", good)).replace("arm.start", "arm")))
        self.assertIn("'arm' is a beam: give one of its frames", p.stderr)
        short = (CANTILEVER % ("rectangle", good)).replace("end: [2, 0, 0]", "end: [0, 0, 0]")
        p = run("static", write("w.yaml", short))
        self.assertIn("start and end of the beam are the same point", p.stderr)


if __name__ == "__main__":
    main()
