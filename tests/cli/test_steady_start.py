#!/usr/bin/env python3
"""Runs that begin in a steady rotation: point masses turn with the body whose motion is theirs, and an arm
that centrifugal forces lift goes to the position next to it."""
import math

from common import Case, each, main, table, write

TURN = """\
parameters: {W: 20}
bodies:
  hub: {mass: 5, inertia: 1, angular_velocity: [0, 0, W],
        frames: {a: {orientation: {z: [1, 0, 0], x: [0, 1, 0]}}}}
  s: {mass: 2, point: true, position: [0.3, 0, 0], velocity: [0, %s, 0]}
joints:
  axle: {type: revolute, a: ground, b: hub}
  rail: {type: point-on-line, a: hub.a, b: s}
forces: {k: {type: spring, a: hub, b: s, stiffness: 3000, length: 0.25}}
outputs: {r: "hypot(s.x, s.y)"}
run: {end: 1, begin: steady}
"""

FREE = """\
%sgravity: 0
bodies:
  hub: {mass: 1, inertia: %s, angular_velocity: %s}
  tip: {mass: 0.5, position: %s, velocity: %s, %s}
joints: {bearing: {type: revolute, a: ground, b: hub}}
forces: {s: {type: spring, a: hub, b: tip, stiffness: 200, length: 0.8}}
outputs: {r: "hypot(tip.x, tip.y)"}
run: {end: 1, begin: steady}
"""


class Steady(Case):
    def test_point_mass(self):
        """r = k L/(k - m W^2)"""
        write("m.yaml", TURN % "0.3*W")
        self.good("run", "m.yaml", "--csv", "m.csv", "--quiet")
        for r in table("m.csv")["r"]:
            self.assertAlmostEqual(r, 3000 * 0.25 / (3000 - 2 * 20**2), delta=1e-5)

    def test_alone(self):
        write("m.yaml", """\
bodies: {s: {mass: 2, point: true, position: [0.3, 0, 0], velocity: [0, 6, 0]}}
forces: {k: {type: spring, a: ground, b: s, stiffness: 3000, length: 0.25}}
run: {end: 1, begin: steady}
""")
        p = self.bad(2, "run", "m.yaml", "--out", "none")
        self.assertIn("'s' is a point mass that moves with no body that turns", p.stderr)

    @each(("", "planar"))
    def test_no_inertia(self, kind):
        """A mass without inertia turns with the hub as a point mass does: r = k L/(k - m W^2) again."""
        write("m.yaml", FREE % ("planar: true\n", "0.1", "5", "[0.8, 0]", "[0, 4]", "") if kind else
              FREE % ("", "[0.1, 0.1, 0.1]", "[0, 0, 5]", "[0.8, 0, 0]", "[0, 4, 0]", ""))
        self.good("run", "m.yaml", "--csv", "m.csv", "--quiet")
        for r in table("m.csv")["r"]:
            self.assertAlmostEqual(r, 200 * 0.8 / (200 - 0.5 * 5**2), delta=1e-5)

    def test_moves_straight_on(self):
        """A body that has an inertia keeps its own angular velocity, which is none: not a steady rotation."""
        write("m.yaml", FREE % ("", "0.1", "[0, 0, 5]", "[0.8, 0, 0]", "[0, 4, 0]", "inertia: 0.001"))
        p = self.bad(2, "run", "m.yaml", "--out", "none")
        self.assertIn("'tip' moves straight on beside bodies that turn", p.stderr)

    def test_governor(self):
        """An arm on a hinge of a turning shaft: cos(al) = g/(W^2 L), whether or not the shaft is driven."""
        shaft = """\
gravity: 9.81
parameters: {W: 8, L: 0.4, al: %g deg}
bodies:
  shaft: {mass: 2, inertia: 0.1, angular_velocity: [0, 0, W],
          frames: {p: {orientation: {z: [0, 1, 0], x: [1, 0, 0]}}}}
  arm:
    mass: 1
    inertia: 1e-9
    position: [L*sin(al), 0, -L*cos(al)]
    orientation: {axis: [0, -1, 0], angle: al}
    velocity: [0, W*L*sin(al), 0]
    angular_velocity: [W*sin(al), 0, W*cos(al)]
    frames: {o: {position: [0, 0, L], orientation: {z: [0, 1, 0], x: [1, 0, 0]}}}
joints:
  axle: {type: revolute, a: ground, b: shaft}
%s  hinge: {type: revolute, a: shaft.p, b: arm.o}
outputs: {al: "atan2(hypot(arm.x, arm.y), -arm.z)"}
run: {end: 0.5, begin: steady}
"""
        for start in (55, 60, 67, 67.4, 72, 80):
            for drive in ("", "  drive: {type: driver, of: axle.angle, motion: W*t}\n"):
                write("m.yaml", shaft % (start, drive))
                self.good("run", "m.yaml", "--csv", "m.csv", "--quiet")
                for al in table("m.csv")["al"]:
                    self.assertAlmostEqual(al, math.acos(9.81 / (8**2 * 0.4)), delta=1e-4, msg=f"{start} deg")


if __name__ == "__main__":
    main()
