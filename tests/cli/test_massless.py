"""Closed loops of bodies without mass, in which forces alone determine a motion."""
from common import Case, main, run, table, write

# The springs hold the angle of the middle joint, and nothing else acts on the link with mass, which turns on
# at the velocity of its start.
FIVE_BAR = """\
planar: true
bodies:
  b0: {{mass: 0, inertia: 0, position: [0, 0.5]}}
  b1: {{mass: 0, inertia: 0, position: [0.5, 1.1]}}
  b2: {{mass: 0, inertia: 0, position: [1.5, 1.1]}}
  b3: {{mass: 0.3, inertia: 1e-3, position: [2, 0.25], angular_velocity: 2}}
joints:
  j0: {{type: revolute, a: ground, b: b0, point: [0, 0]}}
  j1: {{type: revolute, a: b0, b: b1, point: [0, 1]}}
  j2: {{type: revolute, a: b1, b: b2, point: [1, 1.2]}}
  j3: {{type: revolute, a: b2, b: b3, point: [2, 0.5]}}
  j4: {{type: revolute, a: ground, b: b3, point: [2, 0.25]}}
forces:
  hold: {{type: torsion, a: b1, b: b2, stiffness: {stiffness}, angle: 0}}
run: {{end: 0.5}}
"""
SPATIAL = """\
bodies:
  b0: {mass: 0, inertia: 0, position: [0, 0.5e-3, 0]}
  b1: {mass: 0, inertia: 0, position: [0.5e-3, 1.1e-3, 0], frames: {top: [0, 0.4e-3, 0]}}
  b2: {mass: 0, inertia: 0, position: [1.5e-3, 1.1e-3, 0], frames: {top: [0, 0.4e-3, 0]}}
  b3:
    mass: 1.6e-11
    inertia: [6e-18, 7e-18, 5e-18]
    position: [2e-3, 0.25e-3, 0]
    angular_velocity: [0, 0, 71]
joints:
  j0: {type: revolute, a: ground, b: b0, point: [0, 0, 0]}
  j1: {type: revolute, a: b0, b: b1, point: [0, 1e-3, 0]}
  j2: {type: revolute, a: b1, b: b2, point: [1e-3, 1.2e-3, 0]}
  j3: {type: revolute, a: b2, b: b3, point: [2e-3, 0.5e-3, 0]}
  j4: {type: revolute, a: ground, b: b3, point: [2e-3, 0.25e-3, 0]}
forces:
  near: {type: spring, a: b1, b: b2, stiffness: 78, length: 1.1e-3}
  far: {type: spring, a: b1.top, b: b2.top, stiffness: 35000, length: 0.9e-3}
run: {end: 0.012}
"""


class Loops(Case):
    def speeds(self, model, *options):
        """Of the link with mass, at the start and at the end."""
        write("loop.yaml", model)
        p = run("run", "loop.yaml", "--csv", "loop.csv", "--channels", "b3.*", *options)  # the start is noted
        self.assertEqual(p.returncode, 0, p.stderr)
        speed = table("loop.csv")["b3.wz"]
        return speed[0], speed[-1]

    def test_stiffness(self):
        """The stiffness over the inertia has no effect on the motion, up to 1e15 1/s^2."""
        for stiffness in ("1e4", "1e6", "1e8", "1e10", "1e12"):
            for tol in (1e-4, 1e-6):
                with self.subTest(stiffness=stiffness, tol=tol):
                    start, end = self.speeds(FIVE_BAR.format(stiffness=stiffness), "--tol", str(tol))
                    # velocities are good to the tolerance in rad per duration of the run; ten times that
                    self.assertAlmostEqual(end, start, delta=10 * tol / 0.5)

    def test_in_space(self):
        for tol in (1e-3, 1e-5):
            with self.subTest(tol=tol):
                start, end = self.speeds(SPATIAL, "--tol", str(tol))
                self.assertAlmostEqual(end, start, delta=10 * tol / 0.012)


if __name__ == "__main__":
    main()
