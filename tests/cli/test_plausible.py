"""What users write that looks right: conditions as events, angles beside an axis, mechanisms of a millimetre
without a frame, a static start of what drivers move, sliders without mass that rub and strike."""
import math

from _chains import CASES, G, Chain, Closed, first, linear, root
from common import Case, each, main, run, table, write

THROW = f"""
planar: true
gravity: {G}
bodies: {{ball: {{mass: 1, point: true, position: [0, 0], velocity: [2, 5]}}}}
run: {{end: 2}}
events: {{stop: {{when: "WHEN"}}}}
"""


class Conditions(Case):
    def ends(self, when, more=""):
        write("throw.yaml", THROW.replace('"WHEN"', f'"{when}"{more}'))
        return self.report("run", "throw.yaml", "--tol", "1e-9", "--out", "none")["t"]

    def test_become_true(self):
        """y = 5 t - G t^2/2, x = 2 t. 'x > 1' is 0 and 1, and does not cross zero."""
        top, again = 5 / G, (5 + math.sqrt(25 - 2 * G)) / G  # y = 1 on the way down
        for when, t in (("ball.x > 1", 0.5), ("1 <= ball.x", 0.5), ("ball.vy < 0", top),
                        ("ball.y < 1 and t > 0.3", again), ("not (ball.x < 1)", 0.5),
                        ("ball.x > 3 or ball.vy < 0", top), ("ball.x == 1.2", 0.6),
                        ("ball.x > 1 and not (ball.y > 1 or t < 0.1)", again), ("ball.y > 3", 2)):
            self.assertAlmostEqual(self.ends(when), t, delta=1e-8, msg=when)

    def test_become_false(self):
        self.assertAlmostEqual(self.ends("ball.x < 1", ", direction: down"), 0.5, delta=1e-8)

    def test_short(self):
        """True for 2.0 ms around the top: the margin is a parabola, which is examined at its vertex."""
        height = 25 / (2 * G) - G / 2 * 1e-6
        self.assertAlmostEqual(self.ends(f"ball.y > {height!r}"), 5 / G - 1e-3, delta=1e-6)

    def test_refused(self):
        write("throw.yaml", THROW.replace("WHEN", "ball.x > 1 and ball.y == 1"))
        p = self.bad(2, "run", "throw.yaml", "--out", "none")
        self.assertIn("throw.yaml:6:24: error: event 'stop': parts of a condition are <, <=, >, >= and",
                      p.stderr)


class Angles(Case):
    def start(self, joint):
        write("wheel.yaml", f"""
planar: true
bodies: {{wheel: {{mass: 1, inertia: 1, position: [0, 0], orientation: 200 deg}}}}
joints: {{pin: {{type: revolute, a: ground, b: wheel, {joint}}}}}
""")
        p = run("run", "wheel.yaml", "--csv", "wheel.csv", "--out", "none", "--quiet")
        self.assertEqual(p.returncode, 0, p.stderr)
        return math.degrees(table("wheel.csv")["pin.angle"][0]), p.stderr

    def test_another_than_that_of_the_frames(self):
        """An axis places both frames of the joint alike: 200 deg select a full turn."""
        angle, told = self.start("axis: [0, 0, 1], angle: 200 deg")
        self.assertAlmostEqual(angle, 360)
        self.assertIn("wheel.yaml:4:77: 'angle' of joint 'pin' is 200 deg, but its frames are placed at 0 "
                      "deg: it selects full turns alone, and the joint starts at 360 deg", told)

    def test_that_of_the_frames(self):
        for angle in (200, -160, 560, 201):
            found, told = self.start(f"angle: {angle} deg")
            self.assertAlmostEqual(found, round(angle / 360 - 200 / 360) * 360 + 200)
            self.assertEqual(told, "")


class Sizes(Case):
    """A single body has no dimensions."""

    def errors(self, size, tie):
        """x'' = -25 x, by a spring of free length 0 from the origin, or by a rail."""
        write("small.yaml", f"""
planar: true
bodies: {{m: {{mass: 2e-6, inertia: 0, position: [{size}, 0]}}}}
{tie}
""")
        p = run("run", "small.yaml", "--end", "7", "--csv", "small.csv", "--out", "none", "--quiet")
        self.assertEqual(p.returncode, 0, p.stderr)
        rows = table("small.csv")
        return max(abs(x - size * math.cos(5 * t)) / size for t, x in zip(rows["t"], rows["m.x"])), p.stderr

    def test_springs(self):
        for size in (1e-5, 1, 1e4):
            error, told = self.errors(size, "forces: {s: {type: spring, a: ground, b: m, stiffness: 5e-5, "
                                            "length: 0}}")
            self.assertLess(error, 1e-3, size)
            self.assertEqual(told, "")

    def test_rods(self):
        """A pendulum of 0.1 mm moves as one of 1 m, in the time that goes with it."""
        ends = []
        for size in (1, 1e-4):
            write("rod.yaml", f"""
planar: true
gravity: {G}
bodies: {{m: {{mass: 1, point: true, position: [{size}, 0]}}}}
joints: {{rod: {{type: distance, a: ground, b: m}}}}
""")
            end = repr(10 * math.sqrt(size))
            self.good("run", "rod.yaml", "--end", end, "--csv", "rod.csv", "--out", "none", "--quiet")
            ends.append(table("rod.csv")["m.x"][-1] / size)
        self.assertAlmostEqual(ends[0], ends[1], delta=1e-6)

    def test_none(self):
        """Where the length of tolerances is a guess, it is told, and the advice leads to a right answer."""
        rail = "joints: {r: {type: prismatic, a: ground, b: m, axis: [1, 0], stiffness: 5e-5, free: 0}}\n"
        error, told = self.errors(1e-5, rail)
        self.assertGreater(error, 0.1)
        self.assertIn("warning: the model has no dimensions: 1 m counts as its length, and an error of "
                      "0.0001 m as within the tolerance, but nothing moves by more than 2e-05 m; set 'atol' "
                      "to 2e-09", told)
        error, told = self.errors(1e-5, rail + "run: {atol: 2e-9}")
        self.assertLess(error, 1e-3)
        self.assertEqual(told, "")
        error, told = self.errors(1, rail)
        self.assertLess(error, 1e-3)
        self.assertEqual(told, "")


class MovingStart(Case):
    def test_static_start_under_drivers(self):
        """A cart of 2 kg begins with 2 m/s, the mass of 1 kg that hangs on it with none: the energy is that
        of the start, T = 4 J, and what the driver supplies is the change from there."""
        write("cart.yaml", f"""
planar: true
gravity: {G}
bodies:
  cart: {{mass: 2, inertia: 1}}
  load: {{mass: 1, point: true, position: [0.3, -0.9]}}
joints:
  rail: {{type: prismatic, a: ground, b: cart, axis: [1, 0], point: [0, 0]}}
  rope: {{type: distance, a: cart, b: load, length: 1}}
  drive: {{type: driver, of: rail.distance, motion: 2*t}}
run: {{begin: static, end: 2}}
""")
        for method in ("auto", "radau5", "bdf"):
            p = run("run", "cart.yaml", "--method", method, "--csv", "cart.csv", "--out", "none", "--quiet")
            self.assertEqual((p.returncode, p.stderr), (0, ""))
            rows = table("cart.csv")
            self.assertAlmostEqual(rows["energy.kinetic"][0], 4, delta=1e-9)
            self.assertAlmostEqual(rows["energy.dissipated"][0], 0, delta=1e-9)
            end = [rows[f"energy.{part}"][-1] for part in ("kinetic", "potential", "dissipated")]
            self.assertAlmostEqual(sum(end), 4 - G, delta=1e-2)
            # in the frame of the cart the load swings with -2 m/s at the bottom: its energy there stays
            u, y = rows["load.vx"][-1] - 2, rows["load.y"][-1]
            self.assertAlmostEqual((u ** 2 + rows["load.vy"][-1] ** 2) / 2 + G * y, 2 - G, delta=1e-2)


class Massless(Closed):
    cost = 3  # [s]

    @each(CASES)
    def test_slider_without_mass_sticks_where_its_slip_ends(self, case):
        """A spring k to a slider without mass that rubs with F, another spring c: m x'' = -c x - k (x - z)
        with z at rest, and m x'' = -c x - s F while z = x - s F/k follows."""
        m, k, c, F, end = 1.5, 200.0, 20.0, 5.0, 4.0
        text = f"""
planar: true
bodies:
  m: {{mass: {m}, inertia: 0.1, position: [1, 0], velocity: [2, 0]}}
  slider: {{mass: 0, position: [0.4, 0]}}
joints:
  r: {{type: prismatic, a: ground, b: m, axis: [1, 0]}}
  q: {{type: prismatic, a: ground, b: slider, axis: [1, 0], friction: {{coulomb: {F}}}}}
forces:
  s: {{type: spring, a: slider, b: m, stiffness: {k}}}
  c: {{type: spring, a: ground, b: m, stiffness: {c}}}
"""
        chain, t, x, v, z, rubbed, slips = Chain(), 0.0, 0.0, 2.0, 0.0, 0.0, 0
        while t < end:
            if slips:
                X, V = linear(m, 0, c, -slips * F, x=x, v=v, t0=t)
                chain.go(t, x=X, v=V, z=lambda u, X=X, s=slips: X(u) - s * F / k)
                stop, _ = first(end, (root(V, t, end), ""))
                rubbed += F * abs(X(stop) - x)
                z = X(stop) - slips * F / k
            else:
                X, V = linear(m, 0, c + k, k * z, x=x, v=v, t0=t)
                chain.go(t, x=X, v=V, z=z)
                stop, _ = first(end, (root(lambda u, X=X, z=z: F - k * abs(X(u) - z), t, end), ""))
            x, v, t = X(stop), V(stop) if not slips else 0.0, stop
            slips = 0 if slips else int(math.copysign(1, v))
        self.compare(text, case, "bdf", end, chain,
                     {"m.x": chain.of("x", 1), "m.vx": chain.of("v"), "slider.x": chain.of("z", 0.4)},
                     {"dissipated": rubbed, "kinetic": 0.5 * m * V(end) ** 2})

    @each(CASES)
    def test_plate_without_mass_strikes_its_stops(self, case):
        """Two springs in series, k to the mass and c to the ground, with a plate without mass between them,
        whose stops are rigid: m x'' = -k c/(k + c) x, and m x'' = -k (x -+ a) beyond. Nothing is lost."""
        m, k, c, a, end = 1.0, 400.0, 100.0, 0.1, 2.0
        text = f"""
planar: true
bodies:
  plate: {{mass: 0, position: [0.5, 0]}}
  m: {{mass: {m}, inertia: 1, position: [1, 0], velocity: [4, 0]}}
joints:
  r: {{type: prismatic, a: ground, b: m, axis: [1, 0]}}
  q:
    type: prismatic
    a: ground
    b: plate
    axis: [1, 0]
    limits: {{lower: 0.4, upper: 0.6, restitution: 0}}
forces:
  s: {{type: spring, a: plate, b: m, stiffness: {k}}}
  g: {{type: spring, a: ground, b: plate, stiffness: {c}}}
"""
        share = k / (k + c)
        chain, t, x, v, held = Chain(), 0.0, 0.0, 4.0, 0
        while t < end:
            X, V = linear(m, 0, k if held else k * c / (k + c), held * k * a, x=x, v=v, t0=t)
            chain.go(t, x=X, v=V, z=held * a if held else lambda u, X=X: share * X(u))
            stop, _ = first(end, (root(lambda u, X=X: a / share - abs(X(u)), t, end), ""))
            x, v, t = X(stop), V(stop), stop
            held = 0 if held else int(math.copysign(1, x))
        self.compare(text, case, "bdf", end, chain,
                     {"m.x": chain.of("x", 1), "m.vx": chain.of("v"), "plate.x": chain.of("z", 0.5)},
                     {"kinetic": 0.5 * m * V(end) ** 2, "dissipated": 0})


if __name__ == "__main__":
    main()
