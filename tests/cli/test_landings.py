"""Boxes that fall on a face: both of its corners strike at the same instant, whatever the errors of the steps
have made of the edge that it turns about."""
from common import Case, main, run, table, write

# It turns by 0.3 rad about the edge on which it stands, on a plate that rocks about an oblique axis.
TIPPING = """\
gravity: [0, 0, -9.81]
bodies:
  plate: {mass: 50, inertia: [3, 3, 5], frames: {top: [0, 0, 0.05]}}
  box: {mass: 7, inertia: [0.12, 0.23, 0.3], position: [0.25704892607154783, 0.07, 0.23418971091096247],
        orientation: {x: [0.95533648912560598, 0, 0.29552020666133955], y: [0, 1, 0]}}
joints:
  pivot: {type: revolute, a: ground, b: plate, point: [0.1, 0.2, -0.3], axis: [0.3, 0.5, 0.8]}
  drive: {type: driver, of: pivot.angle, motion: 0.2*sin(9*t)}
shapes:
  floor: {type: plane, at: plate.top}
  brick: {type: box, at: box, size: [0.6, 0.4, 0.2]}
contacts:
  touch: {a: brick, b: floor, law: rigid, restitution: 0.3, friction: {coefficient: 0.3}, impact: poisson}
run: {end: 0.6, output_step: 0.1}
"""
AT_END = {"box.x": 0.1362868, "box.y": 0.0696941, "box.z": 0.1613359}  # three methods at 1e-7


class Landings(Case):
    def test_corners_of_an_edge_strike_together(self):
        write("box.yaml", TIPPING)
        for method, tol in (("erk8", 1e-4), ("for-sdirk", 1e-4), ("erk8", 1e-6)):
            with self.subTest(method=method, tol=tol):
                done = run("run", "box.yaml", "--method", method, "--tol", str(tol), "--csv", "box.csv")
                self.assertEqual(done.returncode, 0, done.stderr)
                rows = table("box.csv")
                for name, value in AT_END.items():
                    self.assertAlmostEqual(rows[name][-1], value, delta=tol)


if __name__ == "__main__":
    main()
