"""A body with one freedom that strikes with friction, in a pin that rubs: normal, tangents and pin have all
their rates from that freedom, so that many impulses do the same. The motion does not depend on which."""
import json
import math
import random

from common import Case, fewer_if_slow, main, run, table, write

ARMS = fewer_if_slow("Jammed arms, 5 of 20", 5, 20, "five seconds")
TOL = 1e-6
ARM = """\
gravity: %.15g
ground: {frames: {floor: [0, 0, %.15g]}}
bodies:
  arm: {mass: %.15g, inertia: [0.02, 0.03, 0.04], position: %s, velocity: %s, angular_velocity: %s,
        frames: {tip: %s}}
joints:
  pin: {type: revolute, a: ground, b: arm, point: [0, 0, 0], axis: %s,
        friction: {coefficient: %.15g, radius: %.15g, load: reaction}}
shapes:
  ball: {type: sphere, at: arm.tip, radius: 0.1}
  floor: {type: plane, at: ground.floor, normal: [0, 0, 1]}
contacts:
  hit: {a: ball, b: floor, law: rigid, restitution: 0, friction: {coefficient: %.15g}, impact: poisson}
run: {end: 0.06, output_step: 0.0005}
"""


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def show(v):
    return "[" + ", ".join(f"{x:.15g}" for x in v) + "]"


class JammedArms(Case):
    cost = 10  # [s]

    @staticmethod
    def arm(r):
        """An arm whose tip is to strike the floor within 0.05 s; None: it moves away from it."""
        axis = [r.gauss(0, 1) for _ in range(3)]
        size = math.hypot(*axis)
        w = [2 * x / size for x in axis]
        centre, tip = ([r.uniform(-1, 1) for _ in range(3)] for _ in range(2))
        end = [a + b for a, b in zip(centre, tip)]
        down = cross(w, end)[2]
        if abs(down) < 0.1:
            return None
        if down > 0:
            w, down = [-x for x in w], -down
        return ARM % (9.81, end[2] - 0.1 + 0.02 * down, r.uniform(0.5, 3), show(centre),
                      show(cross(w, centre)), show(w), show(tip), show(axis), r.uniform(0.05, 0.4),
                      r.uniform(0.01, 0.1), r.uniform(0.1, 0.7))

    def test_stops(self):
        r = random.Random(10)
        models = [x for x in (self.arm(r) for _ in range(2 * ARMS)) if x][:ARMS]
        for k, model in enumerate(models):
            with self.subTest(arm=k):
                write("arm.yaml", model)
                done = run("run", "arm.yaml", "--tol", str(TOL), "--out", "none", "--csv", "arm.csv",
                           "--json", "--channels", "*")
                self.assertEqual(done.returncode, 0, done.stderr)
                report, rows = json.loads(done.stdout), table("arm.csv")
                at = next(i for i, x in enumerate(rows["hit.impulse"]) if x > 0)
                # it stops; gravity does less than 9.81 x 0.0005 s until the next row
                self.assertLess(math.hypot(*(rows[f"arm.v{c}"][at] for c in "xyz")), 0.02)
                self.assertLess(report["energy"]["error"], 30 * TOL * report["energy"]["scale"])


if __name__ == "__main__":
    main()
