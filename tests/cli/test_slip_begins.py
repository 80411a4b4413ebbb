"""Boxes in space that begin to slip on all their corners at once, and impacts where a step happens to end."""
import json
import math

from common import Case, main, table, write

# The force grows from 0 over the friction: m a = 40 (t - t0), t0 = 0.4 m g/40.
PULLED = """\
gravity: 9.81
bodies: {box: {mass: 2, inertia: [0.02, 0.02, 0.02], position: [0, 0, 0.1]}}
forces: {pull: {type: applied, at: box, force: ["40*t", 0, 0]}}
shapes: {box: {type: box, size: [0.2, 0.2, 0.2]}, floor: {type: plane, at: ground}}
contacts: {feet: {a: box, b: floor, law: rigid, restitution: 0, friction: {coefficient: 0.4}}}
run: {end: 1, output_step: 0.1}
"""
# A belt carries it away from a spring, over which it slips then: m x'' = mu m g - k (x - x0).
HELD = """\
gravity: 9.81
bodies:
  belt: {mass: 3, inertia: 1, position: [0, 0, -0.1], velocity: [0.5, 0, 0], frames: {top: [0, 0, 0.1]}}
  box: {mass: 2, inertia: [0.02, 0.02, 0.02], position: [0.25, 0, 0.1], velocity: [0.5, 0, 0]}
joints:
  rail: {type: prismatic, a: ground, b: belt, axis: [1, 0, 0], point: [0, 0, -0.1]}
  drive: {type: driver, of: rail.distance, motion: 0.5*t}
ground: {frames: {wall: [-1, 0, 0.1]}}
forces: {spring: {type: spring, a: ground.wall, b: box, stiffness: 30, length: 1}}
shapes: {box: {type: box, size: [0.2, 0.2, 0.2]}, belt: {type: plane, at: belt.top}}
contacts: {feet: {a: box, b: belt, law: rigid, restitution: 0, friction: {coefficient: 0.4}}}
run: {end: 1, output_step: 0.05}
"""


class Begins(Case):
    """Across the slip, friction damps a point by mu P over its speed: without end where the slip begins.
    Newton's iteration ended there with velocities that were none."""

    def last(self, text, tol, *args):
        path = write("b.yaml", text)
        p = self.good("run", path, "--tol", tol, "-o", "b.csv", "--json", *args)
        row = {name: values[-1] for name, values in table("b.csv").items()}
        return row, json.loads(p.stdout)["counters"]["steps"]

    def test_pulled(self):
        exact = 10 / 3 * (1 - 0.4 * 2 * 9.81 / 40)**3
        for tol in ("1e-4", "1e-5", "1e-6", "1e-7", "1e-8", "1e-10"):
            row, steps = self.last(PULLED, tol)
            self.assertLess(abs(row["box.x"] - exact), 10 * float(tol), tol)
            self.assertLess(abs(row["box.y"]), max(float(tol), 1e-6), tol)
            self.assertLess(steps, 60, tol)
        row, steps = self.last(PULLED, "1e-8", "--method", "for-sdirk")
        self.assertLess(abs(row["box.x"] - exact), 1e-7)
        self.assertLess(steps, 500)

    def test_held_by_a_spring(self):
        w, reach = math.sqrt(15), 0.4 * 2 * 9.81 / 30
        begins = (reach - 0.25) / 0.5
        exact = reach + 0.5 / w * math.sin(w * (1 - begins))
        for tol in ("1e-6", "1e-7", "1e-8"):
            row, steps = self.last(HELD, tol)
            self.assertLess(abs(row["box.x"] - exact), 10 * float(tol), tol)
            self.assertLess(abs(row["box.y"]), 10 * float(tol), tol)
            self.assertLess(abs(row["box.wz"]), 10 * float(tol), tol)
            self.assertLess(steps, 300, tol)


# A ball meets another one, three times as heavy, at t = gap/v: then (1 - 3 e)/4 and (1 + e)/4 of its speed.
MET = """\
planar: true
bodies:
  a: {mass: 1, inertia: 1, velocity: [%.17g, 0]}
  b: {mass: 3, inertia: 1, position: [%.17g, 0]}
shapes: {a: {type: sphere, radius: 0.1}, b: {type: sphere, radius: 0.1}}
contacts: {c: {a: a, b: b, law: rigid, restitution: 0.4}}
run: {end: %.17g, output_step: %.17g}
"""


class Met(Case):
    def test_as_a_step_ends(self):
        """A gap that is 0 where a step ends, and one that is the same before and behind a step in which the
        balls would pass through each other."""
        for speed, gap in ((2, 0.3), (1, 0.25), (4, 0.7), (0.5, 0.4), (3, 0.1)):
            for times in (2, 4):
                end = times * gap / speed
                path = write("met.yaml", MET % (speed, 0.2 + gap, end, end / 6))
                for how in (["--method", "erk8"], ["--method", "erk5"], ["--kinematics", "joints"],
                            ["--method", "erk5", "--kinematics", "joints"], ["--method", "bdf"]):
                    self.good("run", path, "-o", "met.csv", "-q", *how)
                    v = [table("met.csv")[name][-1] / speed for name in ("a.vx", "b.vx")]
                    self.assertAlmostEqual(v[0], (1 - 3 * 0.4) / 4, 3, (speed, gap, times, how))
                    self.assertAlmostEqual(v[1], 1.4 / 4, 3, (speed, gap, times, how))


if __name__ == "__main__":
    main()
