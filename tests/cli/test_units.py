"""Units, masses and places do not matter: the same mechanism in metres and kilograms, millimetres and tonnes,
kilometres and grams takes the same steps; masses of twelve decades in one chain cost no iterations; far from
the origin only round-off grows."""

from common import Case, main, table, write

# l, m: length and mass units per metre and kilogram. Forces are then m*l times as large, torques m*l^2,
# stiffnesses m. A spatial pendulum of two rods (universal and spherical joint), its end held to the ground by
# a massless rod (a closed loop), with a spring-damper, a torsion-free applied force and drag. far moves all
# of it.
MODEL = """\
gravity: [0, 0, -9.81*l]
parameters: {l: 1, m: 1, far: 0}
ground: {frames: {hook: [far + 0.9*l, 0.5*l, 0.3*l], eye: [far - 0.3*l, 0.2*l, 0.4*l]}}
bodies:
  upper:
    mass: 1.3*m
    inertia: [0.031*m*l^2, 0.027*m*l^2, 0.009*m*l^2, 0.002*m*l^2, -0.001*m*l^2, 0.003*m*l^2]
    position: [far + 0.2*l, 0.1*l, -0.15*l]
    angular_velocity: [0.4, 1.1, 0.3]
    frames: {grip: [0.05*l, 0.02*l, 0.04*l]}
  lower:
    mass: 0.8*m
    inertia: [0.014*m*l^2, 0.019*m*l^2, 0.011*m*l^2, 0.001*m*l^2, 0.002*m*l^2, -0.001*m*l^2]
    position: [far + 0.5*l, 0.25*l, -0.2*l]
    angular_velocity: [2.1, -0.7, 1.6]
    frames: {tip: [0.17*l, 0.03*l, 0.02*l]}
joints:
  cross: {type: universal, a: ground, b: upper, point: [far, 0, 0]}
  ball: {type: spherical, a: upper, b: lower, point: [far + 0.37*l, 0.21*l, -0.24*l]}
  rod: {type: distance, a: ground.hook, b: lower.tip}
forces:
  spring: {type: spring, a: ground.eye, b: upper.grip, stiffness: 61*m, damping: 1.7*m, length: 0.31*l}
  push: {type: applied, at: lower, force: ["0.9*m*l*sin(7*t)", 0, 0], torque: [0, "0.1*m*l^2*cos(5*t)", 0]}
  air: {type: drag, body: lower, linear: 0.2*m, angular_linear: 0.003*m*l^2}
run: {end: 0.5, output_step: 0.05, tol: 1e-5}
"""
UNITS = {"mm-t-s": (1e3, 1e-3), "km-g-s": (1e-3, 1e3), "um-Gg-s": (1e6, 1e-6)}

# A zigzag of rods; exponent: of the mass of rod i, as an expression of i. (A straight chain would be a poor
# example: light rods under a heavy end are a string, and a taut string feels the square root of every
# rounding error.)
CHAIN = """\
planar: true
gravity: 9.81
parameters: {{N: 13, L: 0.31, a: 50 deg, far: 0}}
joints:
  pin1: {{type: revolute, a: ground, b: rod1.left, point: [far, 0]}}
repeat:
  - index: i
    from: 1
    to: N
    bodies:
      "rod{{i}}":
        mass: 10^({exponent})
        inertia: 10^({exponent})*L^2/12
        position: [far + (i - 1/2)*L*cos(a), L/2*sin(a)]
        orientation: a*(-1)^(i + 1)
        frames: {{left: [-L/2, 0], right: [L/2, 0]}}
  - index: i
    from: 2
    to: N
    joints: {{"pin{{i}}": {{type: revolute, a: "rod{{i-1}}.right", b: "rod{{i}}.left"}}}}
run: {{end: 0.2, output_step: 0.02, tol: 1e-5}}
"""
MASSES = {"ramping up": "i - 7", "ramping down": "7 - i", "alternating": "6*(-1)^i", "light": "-6",
          "heavy": "6"}


def parameters(l, m):
    return ("--set", f"l={l}", "--set", f"m={m}")


def dimension(name):
    """Powers of length and mass in a column; None: not compared."""
    if name == "t" or ".q" in name or ".w" in name:
        return 0, 0
    what = name.split(".")[-1]
    if what in ("x", "y", "z", "vx", "vy", "vz"):
        return 1, 0
    if what in ("fx", "fy", "fz"):
        return 1, 1
    if what in ("mx", "my", "mz") or name in ("energy.kinetic", "energy.potential", "energy.dissipated"):
        return 2, 1
    return None


class Units(Case):
    def setUp(self):
        write("units.yaml", MODEL)

    def simulate(self, unit, *args):
        r = self.report("run", "units.yaml", *parameters(*unit), "--csv", "units.csv", *args)
        return r["counters"], table("units.csv")

    def compare(self, name, base, other, tol):
        l, m = UNITS[name]
        # a component is judged by the largest of its kind: one that is zero but for round-off says nothing
        kinds = {c: dimension(c) + (c.split(".")[-1][0],) for c in base if dimension(c) is not None}
        size = {}
        for column, kind in kinds.items():
            size[kind] = max(size.get(kind, 0), *(abs(x) for x in base[column]))
        worst = 0
        for column, kind in kinds.items():
            scale = l ** kind[0] * m ** kind[1]
            miss = max(abs(a / scale - b) for a, b in zip(other[column], base[column])) / size[kind]
            worst = max(worst, miss)
            self.assertLess(miss, tol, (name, column))
        self.assertGreater(len(kinds), 40)
        return worst

    def test_fixed_step(self):
        base, values = self.simulate((1, 1), "--step", "2e-3")
        for name, unit in UNITS.items():
            counters, other = self.simulate(unit, "--step", "2e-3")
            self.assertEqual(counters["steps"], 250)
            for key in ("steps", "iterations", "factorizations"):
                # a correction may meet its tolerance by a last bit
                self.assertAlmostEqual(counters[key], base[key], delta=0.01 * base[key], msg=(name, key))
            # Newton stops at 1e-10 of a length at the latest
            worst = self.compare(name, values, other, 1e-9)
            print(f"{name}, fixed step: {counters['iterations']} iterations ({base['iterations']}), "
                  f"largest difference {worst:.1e}")

    def test_tolerance(self):
        base, values = self.simulate((1, 1))
        for name, unit in UNITS.items():
            counters, other = self.simulate(unit)
            # Step sizes follow error estimates with round-off in them, and whether a matrix is renewed now or
            # a step later hangs on a last bit: changing the length by a tenth changes the counts by as much.
            for key, share in (("steps", 0.02), ("iterations", 0.04), ("factorizations", 0.2)):
                self.assertAlmostEqual(counters[key], base[key], delta=share * base[key], msg=(name, key))
            self.assertAlmostEqual(counters["rejected_error"], base["rejected_error"], delta=2)
            # so the results agree within the tolerance
            worst = self.compare(name, values, other, 1e-5)
            print(f"{name}, tolerance: {counters['steps']} steps ({base['steps']}), largest difference "
                  f"{worst:.1e}")


class Masses(Case):
    def simulate(self, exponent, *args):
        write("chain.yaml", CHAIN.format(exponent=exponent))
        return self.report("run", "chain.yaml", "--out", "none", *args)

    def test_fixed_step(self):
        for step, steps in (("1e-4", 200), ("1e-6", 200)):
            end = str(float(step) * steps)
            args = ("--step", step, "--end", end, "--output-step", end)
            base = self.simulate("0", *args)["counters"]
            for name, exponent in MASSES.items():
                c = self.simulate(exponent, *args)["counters"]
                self.assertEqual((c["steps"], base["steps"]), (steps, steps))
                per_step = c["iterations"] / c["steps"], base["iterations"] / base["steps"]
                print(f"h = {step}, masses {name}: {per_step[0]:.2f} iterations per step (uniform "
                      f"{per_step[1]:.2f}), "
                      f"{c['factorizations']} factorizations ({base['factorizations']})")
                self.assertAlmostEqual(*per_step, delta=0.5, msg=(name, step))

    def test_tolerance(self):
        for name, exponent in MASSES.items():
            r = self.simulate(exponent)
            c = r["counters"]
            print(f"tolerance, masses {name}: {c['steps']} steps, {c['rejected_error']} + "
                  f"{c['rejected_newton']} rejected, "
                  f"{c['iterations'] / c['steps']:.2f} iterations per step, position residual "
                  f"{r['residuals']['position']:.1e}")
            self.assertEqual(r["t"], 0.2)
            self.assertEqual(c["rejected_newton"], 0)
            self.assertLess(r["residuals"]["position"], 1e-9)
            # energy is conserved, so its balance shows the error; 1e-5 of lengths and speeds over a swing
            self.assertLess(r["energy"]["error"], 1e-3 * r["energy"]["scale"])


class Places(Case):
    def test_far_from_the_origin(self):
        write("units.yaml", MODEL)
        rows = {}
        for far in ("0", "1e3"):
            r = self.report("run", "units.yaml", "--set", f"far={far}", "--csv", "far.csv")
            rows[far] = table("far.csv")
            c = r["counters"]
            print(f"far = {far} m: {c['steps']} steps, {c['rejected_error']} + {c['rejected_newton']} "
                  f"rejected, "
                  f"{c['iterations'] / c['steps']:.2f} iterations per step, position residual "
                  f"{r['residuals']['position']:.1e}")
            self.assertEqual(r["t"], 0.5)
            self.assertLess(r["residuals"]["position"], 1e-9)
        for column in ("upper.x", "upper.z", "lower.x", "lower.y", "lower.z"):
            shift = 1e3 if column.endswith(".x") else 0
            for a, b in zip(rows["0"][column], rows["1e3"][column]):
                # the tolerance of the run, in a model of 0.6 m
                self.assertAlmostEqual(a, b - shift, delta=1e-5)

    def test_chain_far_from_the_origin(self):
        write("chain.yaml", CHAIN.format(exponent="0"))
        for far in ("0", "4e3"):  # 1000 lengths
            r = self.report("run", "chain.yaml", "--out", "none", "--set", f"far={far}")
            c = r["counters"]
            print(f"chain, far = {far} m: {c['steps']} steps, {c['rejected_error']} + "
                  f"{c['rejected_newton']} rejected, "
                  f"{c['iterations'] / c['steps']:.2f} iterations per step, position residual "
                  f"{r['residuals']['position']:.1e}")
            self.assertEqual(r["t"], 0.2)


if __name__ == "__main__":
    main()
