"""Works that the ledger of energies shows: of drivers, of friction and of dampers, each against its integral
by hand. The sum of them balances the motion and tells nothing about how it is shared.
"""
import json
import math

from common import Case, main, run, table, write

TOL = 1e-6
# an arm whose prescribed rate jumps from w0 to w1; the impulse in its pin loads the friction there
ARM = """\
planar: true
gravity: 0
bodies:
  arm: {mass: 1.7, inertia: 0.31, position: [0.83, 0], velocity: [0, %g], angular_velocity: %g}
%s
joints:
  pin: {type: revolute, a: ground, b: arm, point: [0, 0]}
  drive: {type: driver, of: pin.angle, speed: "if(t < 0.3, %g, %g)"}
forces: {rub: {type: friction, of: pin.angle, coefficient: 0.4, radius: 0.12, load: reaction}}
run: {end: 0.30000001, output_step: 0.1}
"""
FREE = "  free: {mass: 1, inertia: 1, position: [5, 5]}"


class Works(Case):
    def rows(self, model):
        write("works.yaml", model)
        done = run("run", "works.yaml", "--tol", str(TOL), "--out", "none", "--csv", "works.csv", "--json",
                   "--channels", "*")
        self.assertEqual(done.returncode, 0, done.stderr)
        return table("works.csv"), json.loads(done.stdout)


class PrescribedSlip(Works):
    """Friction of a joint that is driven: its impulse acts against the slip that there is, also where the
    jump turns it round, and the driver exerts what it takes, whether drivers prescribe all motion or not."""

    def check(self, w0, w1, free):
        mass, inertia, arm, bound = 1.7, 0.31, 0.83, 0.4 * 0.12
        rows, _ = self.rows(ARM % (arm * w0, w0, free, w0, w1))
        about_pin = inertia + mass * arm * arm
        # before the jump friction takes bound m arm w0^2 |w0| for 0.3 s, by the force in the pin
        taken = bound * mass * arm * abs(w0) ** 3 * 0.3
        driver, supplied = 0.0, taken
        for a, b in ((w0, 0.0), (0.0, w1)) if w0 * w1 < 0 else ((w0, w1),):
            mean, rubbed = 0.5 * (a + b), bound * mass * arm * abs(b - a)
            part = about_pin * (b - a) + math.copysign(rubbed, mean)
            driver += part
            supplied += part * mean
            taken += rubbed * abs(mean)
        self.assertAlmostEqual(-rows["drive.impulse"][-1], driver, delta=1e-9 * abs(driver))
        self.assertAlmostEqual(rows["energy.supplied"][-1], supplied, delta=1e-5 * abs(supplied))
        self.assertAlmostEqual(rows["energy.dissipated"][-1] + rows["energy.supplied"][-1], taken,
                               delta=1e-5 * taken)

    def test_turns_round(self):
        for free in ("", FREE):
            self.check(3.0, -1.0, free)
            self.check(1.0, -3.0, free)

    def test_goes_on(self):
        for free in ("", FREE):
            self.check(1.0, 2.0, free)
            self.check(-3.0, -1.0, free)


class SharedLoad(Works):
    """Friction loaded by a reaction that two guides share: it is the one that the results show, with the
    reactions beside it."""

    MODEL = ("gravity: 9.81\nbodies: {block: {mass: 1.3, inertia: [1, 1, 1], velocity: [1, 0, 0]}}\njoints:\n"
             "  one: {type: prismatic, a: ground, b: block, axis: [1, 0, 0], friction: {coefficient: 0.1, "
             "load: reaction}}\n  two: {type: prismatic, a: ground, b: block, axis: [1, 0, 0]}\n")

    def test_slides(self):
        rows, report = self.rows(self.MODEL + "run: {end: 0.1}\n")
        for force, a, y in zip(rows["one_friction.force"], rows["block.ax"], rows["one.fz"]):
            self.assertAlmostEqual(abs(force), 1.3 * abs(a), delta=1e-9)
            self.assertAlmostEqual(abs(force), 0.1 * abs(y), delta=1e-9)
        self.assertIn("redundant rows have none", " ".join(report["repeated"]))

    def test_driven(self):
        drive = "  drive: {type: driver, of: two.distance, motion: 1*t}\n"
        rows, _ = self.rows(self.MODEL + drive + "run: {end: 0.1}\n")
        work = -rows["drive.multiplier"][-1] * 0.1
        self.assertAlmostEqual(rows["energy.supplied"][-1], work, delta=1e-9)
        self.assertAlmostEqual(rows["one_friction.force"][-1] * 0.1, work, delta=1e-9)


class LongSteps(Works):
    """A crank that turns at a prescribed rate, past a damper: nothing limits the steps, and the power peaks
    within them."""

    def test_crank(self):
        rate, radius, at, c = 3.36, 0.5, 0.8, 40.0
        rows, report = self.rows(
            f"planar: true\ngravity: 0\nground: {{frames: {{post: [{at}, 0]}}}}\nbodies:\n"
            f"  crank: {{mass: 1, inertia: 0.1, angular_velocity: {rate}, frames: {{tip: [0, -{radius}]}}}}\n"
            f"{FREE}\njoints:\n  pin: {{type: revolute, a: ground, b: crank, point: [0, 0]}}\n"
            f"  drive: {{type: driver, of: pin.angle, speed: {rate}}}\nforces:\n"
            f"  damp: {{type: spring, a: ground.post, b: crank.tip, stiffness: 0, length: 1, damping: {c}}}\n"
            "run: {end: 1.2, output_step: 0.3, method: ggl-radau5}\n")

        def power(t):
            x, y = radius * math.sin(rate * t), -radius * math.cos(rate * t)
            dx, dy = rate * -y, rate * x
            speed = ((x - at) * dx + y * dy) / math.hypot(x - at, y)
            return c * speed * speed
        n = 4000
        times = [1.2 * i / n for i in range(n + 1)]
        work = sum((1 if i in (0, n) else 4 if i % 2 else 2) * power(t)
                   for i, t in enumerate(times)) * 1.2 / n / 3
        self.assertLess(report["counters"]["steps"], 40)  # or the case tells nothing
        self.assertAlmostEqual(rows["energy.supplied"][-1], work, delta=10 * TOL * work)

    def test_close_ends(self):
        """The ends of a spring pass close to each other: its force turns round within a small part of a step,
        near the middle of it. What the driver supplies is in the spring, at all rows."""
        rate, radius = 1.93, 0.5
        for method in ("radau5", "ggl-radau5", "for-sdirk", "bdf"):
            with self.subTest(method):
                rows, report = self.rows(
                    f"planar: true\ngravity: 0\nground: {{frames: {{post: [{1.02 * radius}, 0]}}}}\nbodies:\n"
                    f"  crank: {{mass: 1, inertia: 0.1, angular_velocity: {rate}, frames: {{tip: [0, "
                    f"-{radius}]}}}}\n{FREE}\njoints:\n"
                    "  pin: {type: revolute, a: ground, b: crank, point: [0, 0]}\n"
                    f"  drive: {{type: driver, of: pin.angle, speed: {rate}}}\nforces:\n"
                    "  pull: {type: spring, a: ground.post, b: crank.tip, stiffness: 100, length: 0.6}\n"
                    f"run: {{end: 1.6, output_step: 0.01, method: {method}}}\n")
                self.assertLess(report["counters"]["steps"], 250)  # or the case tells nothing
                stored = rows["energy.potential"]
                for k, supplied in enumerate(rows["energy.supplied"]):
                    self.assertAlmostEqual(supplied, stored[k] - stored[0], delta=10 * TOL * max(stored))


class Laws(Works):
    """A slider that a law pulls against a damper: the work of a law that does not see the rate is supplied,
    that of one that does is dissipated."""
    MODEL = """\
planar: true
bodies: {block: {mass: 1.3, inertia: 1, position: [1, 0]}}
joints: {rail: {type: prismatic, a: ground, b: block, axis: [1, 0], DAMPING}}
forces: {pull: {type: spring, a: ground, b: block, law: LAW}}
run: {end: 0.4, output_step: 0.1}
"""

    def energy(self, law, damping="damping: 0.7"):
        rows, report = self.rows(self.MODEL.replace("LAW", law).replace("DAMPING", damping))
        return rows, report["energy"]

    def test_constant(self):
        rows, energy = self.energy("3.1")
        work = 3.1 * (rows["block.x"][0] - rows["block.x"][-1])
        self.assertGreater(work, 0.1)
        self.assertAlmostEqual(energy["supplied"], work, delta=1e-5 * work)
        self.assertGreater(energy["dissipated"] + energy["supplied"], 0.01)  # of the damper

    def test_of_the_length(self):
        rows, energy = self.energy("2.3*length")
        work = 1.15 * (rows["block.x"][0]**2 - rows["block.x"][-1]**2)
        self.assertAlmostEqual(energy["supplied"], work, delta=1e-5 * work)

    def test_of_the_rate(self):
        _, energy = self.energy("0.9*rate", "stiffness: 5, free: 0.5")
        self.assertEqual(energy["supplied"], 0)
        self.assertGreater(energy["dissipated"], 0.01)


class SharedElement(Works):
    """A damper, a limit and a drive in one element: each has its own work, whatever the others do. States
    integrate the powers of the damper and of the drive; what else is missing is that of the limit."""
    ARM = """\
planar: true
gravity: 9.81
bodies: {p: {mass: 1, inertia: 0.05, position: [0.5, 0]}}
inputs: {motor: {value: 0, unit: N m}}
joints: {h: {type: revolute, a: ground, b: p, point: [0, 0], damping: 0.4, LIMITS DRIVE}}
states: {damped: {rate: "0.4*h.rate^2", unit: J}, driven: {rate: "(TORQUE)*h.rate", unit: J}}
run: {end: 1, output_step: 0.25, OPTIONS}
"""
    LIMITS = "limits: {lower: -1.2, stiffness: 300, damping: 20},"
    OPTIONS = ("method: auto", "method: radau5", "method: bdf, kinematics: joints",
               "method: for-sdirk", "method: ggl-radau5", "method: genalpha, step: 2e-4, kinematics: joints")

    def check(self, model, delta, limit=True):
        rows, report = self.rows(model)
        energy = report["energy"]
        change = energy["kinetic"] + energy["potential"] - energy["start"]
        damped, driven = rows["damped"][-1], rows["driven"][-1]
        self.assertGreater(damped, 0.05)
        self.assertAlmostEqual(energy["supplied"], driven, delta=delta)
        self.assertAlmostEqual(energy["contact_loss"], driven - damped - change, delta=delta)
        self.assertAlmostEqual(energy["dissipated"] + energy["supplied"] - energy["contact_loss"], damped,
                               delta=delta)
        self.assertGreater(energy["contact_loss"], 1 if limit else -delta)
        for name in ("supplied", "contact_loss"):
            self.assertAlmostEqual(rows[f"energy.{name}"][-1], energy[name], delta=1e-12)
        return energy

    def test_limit_of_a_joint(self):
        for drive in ("0", "motor", "0.3*sin(t)"):
            for options in self.OPTIONS:
                with self.subTest(drive=drive, options=options):
                    torque = "" if drive == "0" else f'torque: "{drive}"'
                    model = self.ARM.replace("LIMITS", self.LIMITS).replace("DRIVE", torque)
                    energy = self.check(model.replace("TORQUE", drive).replace("OPTIONS", options), 1e-4)
                    if drive != "0.3*sin(t)":
                        self.assertEqual(energy["supplied"], 0)

    def test_springs(self):
        """With laws, of time or none."""
        models = ("bodies: {b: {mass: 2, inertia: 1, position: [1, 0], velocity: [1, 0]}}\n"
                  "joints: {g: {type: prismatic, a: ground, b: b, axis: [1, 0], point: [1, 0]}}\n"
                  "forces: {s: {type: spring, a: ground, b: b, stiffness: 4, length: 1, damping: 0.5, LAW}}\n"
                  "states: {damped: {rate: 0.5*b.vx^2}, driven: {rate: -(VALUE)*b.vx}}\n",
                  "bodies: {b: {mass: 2, inertia: 1, angular_velocity: 1}}\n"
                  "joints: {g: {type: revolute, a: ground, b: b}}\n"
                  "forces: {s: {type: torsion, a: ground, b: b, stiffness: 4, damping: 0.5, LAW}}\n"
                  "states: {damped: {rate: 0.5*g.rate^2}, driven: {rate: -(VALUE)*g.rate}}\n")
        for model in models:
            for law in ("0*t", "0.1*sin(t)"):
                for options in ("tol: 1e-7", "method: conserve, step: 2e-3"):
                    with self.subTest(model=model, law=law, options=options):
                        text = model.replace("LAW", f'law: "{law}"').replace("VALUE", law)
                        text += "run: {end: 3, output_step: 0.5, %s}\n" % options
                        self.check("planar: true\n" + text, 1e-5, False)

    def test_limit_alone(self):
        """It is counted with the contacts, also if there is no other work to tell it from."""
        model = self.ARM.replace("damping: 0.4, LIMITS DRIVE", self.LIMITS).replace("TORQUE", "0")
        _, report = self.rows(model.replace("OPTIONS", "tol: 1e-7"))
        energy = report["energy"]
        lost = energy["start"] - energy["kinetic"] - energy["potential"]
        self.assertGreater(lost, 1)
        self.assertAlmostEqual(energy["contact_loss"], lost, delta=1e-5)
        self.assertEqual(energy["supplied"], 0)


if __name__ == "__main__":
    main()
