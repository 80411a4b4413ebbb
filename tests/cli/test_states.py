#!/usr/bin/env python3
"""First-order states and inputs of a model: every method integrates them with the motion, and check, verify,
compare and results know of them.

The cart with PI control is linear: its motion is compared with the exponential of its matrix.
"""
import json
import math
import os

from common import SOURCE, Case, main, methods_of_runs, read, run, table, write

CART = os.path.join(SOURCE, "models", "controlled_cart.yaml")
METHODS = [name for name, m in methods_of_runs().items() if m["order"] > 0]
M, TARGET, KP, KI, KD, LAG, PUSH = 2, 0.5, 40, 30, 8, 0.05, 1


def rates(y):
    """Rates of x, v, error_sum, motor."""
    x, v, s, f = y
    return [v, (f + PUSH) / M, TARGET - x, (KP * (TARGET - x) + KI * s - KD * v - f) / LAG]


def exact(t):
    """The solution at t, by the classical Runge-Kutta method: 1e-12 with these steps."""
    n = 20000
    y, h = [0.0] * 4, t / n
    for _ in range(n):
        k1 = rates(y)
        k2 = rates([a + h / 2 * b for a, b in zip(y, k1)])
        k3 = rates([a + h / 2 * b for a, b in zip(y, k2)])
        k4 = rates([a + h * b for a, b in zip(y, k3)])
        y = [a + h / 6 * (b + 2 * c + 2 * d + e) for a, b, c, d, e in zip(y, k1, k2, k3, k4)]
    return y


class States(Case):
    @classmethod
    def setUpClass(cls):
        cls.end = exact(3)

    def test_every_method(self):
        for method in METHODS:
            with self.subTest(method=method):
                path = "states.csv"
                p = run("run", CART, "--method", method, "--tol", "1e-6", "--out", "none", "--csv", path)
                self.assertEqual(p.returncode, 0, p.stderr)  # explicit methods may warn of stiffness
                t = table(path)
                got = [t[k][-1] for k in ("cart.x", "cart.vx", "error_sum", "motor")]
                for name, value, wanted, scale in zip("xvsf", got, self.end, (0.5, 1, 1, 10)):
                    self.assertLess(abs(value - wanted), 2e-5 * scale, name)
                self.assertEqual(set(t["push"]), {1})
                self.assertEqual(t["motor"][0], 0)

    def test_order_of_fixed_steps(self):
        """States converge as velocities do."""
        for method, order in (("genalpha", 2), ("radau5", 3), ("for-sdirk", 3), ("erk5", 4)):
            errors = []
            for h in ("0.02", "0.01"):
                path = "states.csv"
                self.good("run", CART, "--method", method, "--step", h, "--out", "none", "--csv", path)
                errors.append(abs(table(path)["error_sum"][-1] - self.end[2]))
            with self.subTest(method=method, errors=errors):
                self.assertGreater(math.log2(errors[0] / errors[1]), order - 0.4)

    def test_check(self):
        r = json.loads(self.good("check", CART, "--json").stdout)
        self.assertEqual(r["degrees_of_freedom"], 1)
        roots = [complex(*e) for e in r["spectrum"]["eigenvalues"]]
        self.assertEqual(len(roots), 4)  # two of the motion, two of the states; none of their integrals
        for root in roots:  # of the characteristic polynomial
            p = LAG * M * root ** 4 + M * root ** 3 + KD * root ** 2 + KP * root + KI
            self.assertLess(abs(p), 1e-6 * max(1, abs(root)) ** 4)

    def test_verify_and_compare(self):
        self.good("verify", CART)
        text = run("compare", CART, "--methods", "bdf,genalpha,for-sdirk", "--tols", "1e-3,1e-5").stdout
        self.assertIn("for-sdirk  1.0e-05", text)

    def test_groups(self):
        for group in ("se3", "se3-cayley"):
            path = "states.csv"
            self.good("run", CART, "--method", "genalpha", "--group", group, "--tol", "1e-6", "--out", "none",
                      "--csv", path)
            self.assertAlmostEqual(table(path)["error_sum"][-1], self.end[2], delta=2e-5)

    def test_stiff_state(self):
        path = "states.csv"
        self.good("run", CART, "--set", "lag=1e-7", "--tol", "1e-5", "--out", "none", "--csv", path)
        self.assertLess(abs(table(path)["error_sum"][-1]), 1)

    def test_messages(self):
        path = write("states.yaml", read(CART).replace("error_sum - Kd", "eror_sum - Kd"))
        self.assertIn("is it 'error_sum'?", self.bad(2, "run", path).stderr)
        path = write("states.yaml", read(CART).replace("  motor: {", "  cart: {"))
        self.assertIn("'cart' is already used", self.bad(2, "run", path).stderr)


REST = """planar: true
gravity: 9.81
bodies:
  upper: {mass: 0.9, inertia: 0.1, position: [0, -0.5]}
  lower: {mass: 1.1, inertia: 0.2, position: [0, -1.5]}
joints:
  hook: {type: revolute, a: ground, b: upper, point: [0, 0]}
  knee: {type: revolute, a: upper, b: lower, point: [0, -1]}
states:
  lag: {rate: (2 - lag)/0.2}
run: {end: 1.6, output_step: 0.05}
"""
STUCK = """planar: true
ground:
  frames:
    anchor: [-1.6, -1.2]
bodies:
  block: {mass: 1, inertia: 1}
joints:
  rail: {type: prismatic, a: ground, b: block, axis: [0.8, 0.6]}
roads:
  waves: {type: sine, origin: [0.174, -0.232], direction: [0.8, 0.6], up: [-0.6, 0.8], amplitude: 0.004,
          wavelength: 0.5}
forces:
  spring: {type: spring, a: ground.anchor, b: block, stiffness: 20, length: 2.4}
  rub: {type: friction, of: rail.distance, coulomb: 2, static: 3}
  drive: {type: applied, at: block, force: [0.8*lag, 0.6*lag]}
  tyre: {type: tyre, at: block, road: waves, radius: 0.3, stiffness: 20000, along: normal}
states:
  lag: {rate: (2 - lag)/0.2, unit: N}
run: {end: 1.6, output_step: 0.05}
"""


class Rest(Case):
    """A state, 2 (1 - exp(-t/0.2)), beside mechanisms at rest, whose accelerations are round-off of forces in
    balance: a chain that hangs straight down, and a block that friction holds on its rail."""

    def check(self, name, text, tol):
        path = write(name + ".yaml", text)
        for method in METHODS:
            with self.subTest(method=method):
                r = self.report("run", path, "--method", method, "--tol", tol, "--out", "none", "--csv",
                                "rest.csv")
                rows = table("rest.csv")
                off = max(abs(z - 2 * (1 - math.exp(-t / 0.2))) for t, z in zip(rows["t"], rows["lag"]))
                self.assertLess(off, 3 * float(tol))  # as in a model that moves: 1.1 at most
                self.assertLess(r["counters"]["steps"], 7000)  # of order 2: bdf2 takes most, 5984

    def test_hanging_chain(self):
        self.check("hanging", REST, "1e-6")

    def test_stuck_block(self):
        self.check("stuck", STUCK, "1e-6")


class Arm(Case):
    def test_circle(self):
        """The arm of the bundled model keeps to its circle, as its head says."""
        self.good("run", os.path.join(SOURCE, "models", "contact", "controlled_arm.yaml"), "-q", "--csv",
                  "arm.csv")
        rows = table("arm.csv")
        for name in ("off_circle", "off_wall"):
            off = max(abs(x) for t, x in zip(rows["t"], rows[name]) if t >= 1)
            self.assertLess(off, 0.007)
        self.assertGreater(max(rows["load.y"]) - min(rows["load.y"]), 0.38)


if __name__ == "__main__":
    main()
