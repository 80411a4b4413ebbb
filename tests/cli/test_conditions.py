#!/usr/bin/env python3
"""Events by conditions: the run ends where the condition becomes true, also where its two sides are equal for
a while, before or after."""
from common import Case, each, main, run, table, write

MODEL = """\
planar: true
bodies: {b: {mass: 1, inertia: 1, velocity: [1, 0]}}
events: {e: {when: "%s"}}
run: {end: 1}
"""
TRUE_AT_START = ("trammel: warning: event 'e' is true at the start: it happens when its condition becomes "
                 "true again\n")


class Conditions(Case):
    def end(self, *options, warning=""):
        p = run("run", "m.yaml", "--csv", "m.csv", "--quiet", *options)
        self.assertEqual((p.returncode, p.stderr), (0, warning))
        return table("m.csv")["t"][-1]

    # x = t
    @each((("floor(b.x*7) > 3", 4 / 7), ("floor(b.x*7) >= 4", 4 / 7), ("not(floor(b.x*7) <= 3)", 4 / 7),
           ("floor(t*7) > 3", 4 / 7), ("round(b.x*7) > 3", 0.5), ("ceil(b.x*7) > 3", 3 / 7),
           ("mod(floor(b.x*10), 3) > 1", 0.2), ("if(b.x < 0.3, 0, if(b.x < 0.6, 1, 2)) > 1", 0.6),
           ("max(b.x, 0.4) > 0.4", 0.4), ("clamp(b.x, 0.2, 0.6) > 0.2", 0.2),
           ("max(b.x, 0.4) > 0.4 and b.x > 0.7", 0.7), ("b.x > 0.31 and b.x < 0.33", 0.31),
           ("b.x >= 0.5 or b.x < -1", 0.5), ("min(b.x, 0.6) < 0.6", None), ("b.x < 0.5", None)))
    def test_condition(self, case):
        when, time = case
        write("m.yaml", MODEL % when)
        for method in ("auto", "bdf", "radau5", "erk5"):
            end = self.end("--method", method, warning="" if time else TRUE_AT_START)
            self.assertAlmostEqual(end, time or 1, delta=1e-9, msg=method)

    def test_rest(self):
        """A block that friction holds: its round-off does not cross zero. It begins to move at 0.4 s."""
        model = """\
planar: true
bodies: {a: {mass: 1, inertia: 1}}
ground: {frames: {far: [1, 0]}}
joints:
  j: {type: prismatic, a: ground, b: a, axis: [1, 0], force: "10*t", friction: {coulomb: 3, static: 4}}
events: {e: {when: "%s"}}
run: {end: 1.5}
"""
        for when, time in (("a.vx > 0", 0.4), ("a.x > 0", 0.4), ("a.vx < 0", 1.5), ("a.vx > 1e-6", 0.4)):
            write("m.yaml", model % when)
            for method in ("auto", "bdf", "erk5", "radau5", "genalpha", "ggl-radau5"):
                self.assertAlmostEqual(self.end("--method", method, "--tol", "1e-6"), time, delta=2e-5,
                                       msg=f"{when}, {method}")

    def test_start(self):
        """What is equal at the start: the condition becomes true as soon as it is left."""
        write("m.yaml", """\
planar: true
gravity: 9.81
bodies: {b: {mass: 1, inertia: 1, position: [0, 1]}}
events: {e: {when: b.y < 1}}
run: {end: 1}
""")
        self.assertLess(self.end(), 1e-5)


if __name__ == "__main__":
    main()
