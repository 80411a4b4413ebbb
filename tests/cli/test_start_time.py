#!/usr/bin/env python3
"""Runs that begin before t = 0: what depends on the time happens at its time."""
from common import Case, each, fewer_if_slow, main, run, table, write

MASS = """\
tables: {ramp: {points: [[-2, 0], [-1, 1], [0, 1], [3, 1]], interpolation: linear, outside: hold}}
bodies: {b: {mass: 1, point: true}}
forces: {push: {type: applied, at: b, force: [0, 0, "%s"]}}
outputs: {unused: ramp(t)}
run: {start: %g, end: 3, output_step: 0.5}
"""
METHODS = fewer_if_slow("Start, 2 of 7 methods", ("auto", "bdf"),
                        ("auto", "bdf", "radau5", "genalpha", "erk8", "adams", "for-sdirk"), "seconds")


class Start(Case):
    # force, start, velocity at 3 s: its integral
    @each((("floor(t)", -5, -12), ("if(t < -1, 1, 2)", -2, 9), ("abs(t + 1)", -2, 8.5),
           ("max(t, -1)", -2, 3), ("ramp(t)", -2, 4.5), ("ramp(t)", -3, 4.5), ("floor(t)", 1, 3)))
    def test_force(self, case):
        force, start, velocity = case
        write("m.yaml", MASS % (force, start))
        for method in METHODS:
            self.good("run", "m.yaml", "--method", method, "--csv", "m.csv", "--quiet", "--tol", "1e-6")
            self.assertAlmostEqual(table("m.csv")["b.vz"][-1], velocity, delta=2e-5, msg=method)

    def test_driver(self):
        """A motion that begins at -1 s: its speed jumps there, its place does not."""
        write("m.yaml", """\
planar: true
bodies: {b: {mass: 1, inertia: 1}}
joints:
  rail: {type: prismatic, a: ground, b: b, axis: [1, 0]}
  go: {type: driver, of: rail.distance, motion: "if(t < -1, 0, 3*(t + 1))"}
run: {start: -2, end: 1, output_step: 0.25}
""")
        for command in ("run", "kinematics"):
            p = run(command, "m.yaml", "--csv", "m.csv", "--quiet")
            self.assertEqual(p.returncode, 0, p.stderr)
            self.assertIn("driver 'go' prescribes jumps by 3 at t = -1 s", p.stderr)
            found = table("m.csv")
            for t, x in zip(found["t"], found["b.x"]):
                self.assertAlmostEqual(x, 3 * max(t + 1, 0), delta=1e-6, msg=f"{command} at {t} s")

    def test_state_at(self):
        """A pendulum of 0.49 Hz."""
        write("m.yaml", """\
planar: true
gravity: 9.81
bodies: {b: {mass: 1, inertia: 0.02, position: [0, -1]}}
joints: {pin: {type: revolute, a: ground, b: b, point: [0, 0]}}
run: {start: -1, end: 1}
""")
        for at in ("-0.5", "0.5"):
            self.assertIn("0.4935766", self.good("modes", "m.yaml", "--at", at).stdout)


if __name__ == "__main__":
    main()
