"""Armatures, inertia along a coordinate of a joint: closed solutions in both formulations, in space and in
the plane; what cannot have them says so.
"""
import json
import math

from common import Case, each, main, run, table, write

G = 9.81
MASS, INERTIA, ARM, ARMATURE = 2.0, 0.12, 0.7, 0.61
TOL = 1e-9

PENDULUM = f"""
gravity: [0, 0, -{G}]
bodies:
  rod: {{mass: {MASS}, inertia: [0.1, {INERTIA}, 0.05], position: [-{ARM}, 0, 0]}}
joints:
  pin: {{type: revolute, a: ground, b: rod, point: [0, 0, 0], axis: [0, 1, 0], armature: {ARMATURE}}}
"""
FLAT = f"""
planar: true
gravity: [0, -{G}]
bodies:
  rod: {{mass: {MASS}, inertia: {INERTIA}, position: [{ARM}, 0]}}
joints:
  pin: {{type: revolute, a: ground, b: rod, point: [0, 0], armature: {ARMATURE}}}
"""
# a block of 2 kg on a vertical rail whose motor has 3 kg
SLIDER = f"""
gravity: [0, 0, -{G}]
bodies:
  block: {{mass: 2, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0]}}
joints:
  rail: {{type: prismatic, a: ground, b: block, axis: [0, 0, 1], armature: 3}}
"""
# a cart with a pendulum: an armature between two moving bodies, m x'' is a matter of both
CHAIN = f"""
planar: true
gravity: [0, -{G}]
bodies:
  upper: {{mass: 6, inertia: 0.12, position: [0.22, 0], frames: {{a: [-0.22, 0], b: [0.22, 0]}}}}
  lower: {{mass: 4, inertia: 0.05, position: [0.62, 0], frames: {{a: [-0.18, 0]}}}}
joints:
  j1: {{type: revolute, a: ground, b: upper.a, armature: 0.31}}
  j2: {{type: revolute, a: lower.a, b: upper.b, armature: 0.17}}
"""
WAYS = [(k, m) for k in ("bodies", "joints") for m in ("bdf", "radau5", "erk8")]


class Armature(Case):

    def run_model(self, text, kinematics, method, end=1.0):
        write("model.yaml", f"{text}run: {{end: {end}, output_step: {end / 20}, tol: {TOL}}}\n")
        self.report("run", "model.yaml", "--kinematics", kinematics, "--method", method, "--csv", "model.csv",
                    "--out", "none")
        return table("model.csv")

    @each([(text, *way) for text in (PENDULUM, FLAT) for way in WAYS])
    def test_pendulum(self, case):
        """(I + m l^2 + J) phi'' = m g l cos(phi) from the horizontal: the square of the rate is
        2 m g l sin(phi)/(I + m l^2 + J); and the acceleration at the start."""
        text, kinematics, method = case
        t = self.run_model(text, kinematics, method)
        effective = INERTIA + MASS * ARM ** 2 + ARMATURE
        for phi, rate in zip(t["pin.angle"], t["pin.rate"]):
            want = 2 * MASS * G * ARM * abs(math.sin(phi)) / effective
            self.assertAlmostEqual(rate ** 2, want, delta=1e3 * TOL * 25)  # rates of up to 5 rad/s
        acceleration = t["rod.aly" if text is PENDULUM else "rod.alz"][0]
        self.assertAlmostEqual(abs(acceleration), MASS * G * ARM / effective, delta=1e-9)
        kinetic = [effective * rate ** 2 / 2 for rate in t["pin.rate"]]
        for got, want in zip(t["energy.kinetic"], kinetic):
            self.assertAlmostEqual(got, want, delta=1e-10 * (1 + want))

    @each(WAYS)
    def test_slider(self, case):
        """(m + J) z'' = -m g."""
        t = self.run_model(SLIDER, *case)
        for time, z in zip(t["t"], t["rail.distance"]):
            self.assertAlmostEqual(z, -2 / 5 * G * time ** 2 / 2, delta=1e-7)

    def test_chain_is_the_same_in_all_formulations(self):
        runs = [self.run_model(CHAIN, *way) for way in WAYS]
        for other in runs[1:]:
            for name in ("j1.angle", "j2.angle"):
                for a, b in zip(runs[0][name], other[name]):
                    self.assertAlmostEqual(a, b, delta=1e-5)  # 1e4 tolerances: the chain turns over
        plain = self.run_model(CHAIN.replace("armature: 0.17", "damping: 0"), "joints", "erk8")
        self.assertGreater(abs(plain["j2.angle"][-1] - runs[0]["j2.angle"][-1]), 0.1)

    def test_messages(self):
        write("model.yaml", PENDULUM)
        p = run("run", "model.yaml", "--group", "se3", "--out", "none")
        self.assertNotEqual(p.returncode, 0)
        self.assertIn("armatures", p.stderr)
        write("model.yaml", PENDULUM.replace("armature: 0.61", "armature: -1"))
        p = run("check", "model.yaml")
        self.assertNotEqual(p.returncode, 0)
        self.assertIn("armature", p.stderr)


class Struck(Case):
    """About a fixed axis an armature is inertia of the body: also with friction, and in an impact."""

    def test_as_inertia_of_the_body(self):
        model = """
planar: true
gravity: 9.81
bodies: {arm: {mass: 1, inertia: %g, position: [0.5, 0]}}
joints:
  pin: {type: revolute, a: ground, b: arm, point: [0, 0], armature: %g, friction: {coulomb: 0.3},
        limits: {lower: -0.4, restitution: 0.5}}
run: {end: 1.2, tol: 1e-7}
"""
        for method in ("auto", "bdf", "genalpha", "erk5", "for-sdirk"):
            ends, losses = [], []
            for inertia, armature in ((0.1, 2), (2.1, 0)):
                write("struck.yaml", model % (inertia, armature))
                done = self.good("run", "struck.yaml", "--method", method, "--csv", "struck.csv", "--json")
                losses.append(json.loads(done.stdout)["impact_loss"])
                ends.append(table("struck.csv")["arm.y"][-1])
            with self.subTest(method=method):
                self.assertAlmostEqual(ends[0], ends[1], delta=1e-6)
                self.assertAlmostEqual(losses[0], losses[1], delta=1e-5)
                self.assertGreater(losses[0], 1)


if __name__ == "__main__":
    main()
