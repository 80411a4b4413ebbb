"""Roll, pitch and yaw of bodies and their rates, coordinates in any frame: in outputs, forces, and events."""
import math

from common import Case, main, remove, run, table, write

# a body that tumbles without forces
TUMBLING = """
bodies:
  box: {mass: 2, inertia: [0.11, 0.2, 0.27], orientation: {axis: [0.3, -0.2, 1], angle: 0.6},
        angular_velocity: [0.9, -0.7, 1.1]}
outputs:
  roll: box.roll
  pitch: box.pitch
  yaw: box.yaw
  p: box.roll_rate
  q: box.pitch_rate
  r: box.yaw_rate
run: {end: 0.6, output_step: 0.001, tol: 1e-9}
"""
# a torque about the vertical axis of a disc that turns about it alone: I yaw'' = -k yaw - c yaw'
TURNING = """
bodies:
  disc: {mass: 2, inertia: [0.2, 0.2, 0.4], orientation: {axis: [0, 0, 1], angle: 0.5}}
joints:
  axle: {type: revolute, a: ground, b: disc, axis: [0, 0, 1]}
forces:
  motor: {type: applied, at: disc, torque: [0, 0, '-3*disc.yaw - 0.2*disc.yaw_rate']}
events:
  through: {when: disc.yaw}
run: {end: 3, tol: 1e-8, method: %s, kinematics: %s}
"""


class Attitude(Case):
    def test_of_the_quaternion(self):
        """R = Rz(yaw) Ry(pitch) Rx(roll) is the rotation of the quaternion."""
        columns = self.columns(TUMBLING)
        for k in range(0, 600, 50):
            x = {name: values[k] for name, values in columns.items()}
            w, a, b, c = (x[f"box.q{k}"] for k in range(4))
            self.assertAlmostEqual(x["roll"], math.atan2(2 * (w * a + b * c), 1 - 2 * (a * a + b * b)), 12)
            self.assertAlmostEqual(x["pitch"], math.asin(2 * (w * b - c * a)), 12)
            self.assertAlmostEqual(x["yaw"], math.atan2(2 * (w * c + a * b), 1 - 2 * (b * b + c * c)), 12)

    def test_rates(self):
        x = self.columns(TUMBLING)
        for k in range(50, 550, 50):
            for angle, rate in (("roll", "p"), ("pitch", "q"), ("yaw", "r")):
                quotient = (x[angle][k + 1] - x[angle][k - 1]) / 0.002
                self.assertLess(abs(quotient - x[rate][k]), 1e-5)  # h^2/6 times the third derivative

    def test_force_and_event(self):
        """The disc passes yaw = 0 when the damped oscillation does, in all formulations."""
        decay, k = 0.2 / 0.8, 3 / 0.4
        omega = math.sqrt(k - decay * decay)
        wanted = (math.pi - math.atan2(omega, decay)) / omega
        for method, unknowns in (("bdf", "bodies"), ("radau5", "joints"), ("erk5", "joints")):
            end = self.columns(TURNING % (method, unknowns))["t"][-1]
            self.assertLess(abs(end - wanted), 1e-5, method)

    def test_flat(self):
        x = self.columns("""
planar: true
bodies: {rod: {mass: 1, inertia: 0.1, orientation: 0.3, angular_velocity: 2}}
outputs: {yaw: rod.yaw, rate: rod.yaw_rate}
run: {end: 0.5, output_step: 0.5}
""")
        self.assertAlmostEqual(x["yaw"][-1], 1.3, 9)
        self.assertAlmostEqual(x["rate"][-1], 2, 9)

    def test_channels(self):
        """Channels that are written if they are asked for, also at a pitch of 90 degrees."""
        write("attitude.yaml", TUMBLING)
        for channels, there in ((("--channels", "box.*"), True), ((), False)):
            done = run("run", "attitude.yaml", "--csv", "attitude.csv", "--out", "none", "--quiet", *channels)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual("box.yaw_rate" in table("attitude.csv"), there)
        upright = TUMBLING.replace("{axis: [0.3, -0.2, 1], angle: 0.6}", "{axis: [0, 1, 0], angle: pi/2}")
        x = self.columns(upright)
        self.assertAlmostEqual(x["pitch"][0], math.pi / 2, 7)

    def test_components(self):
        """dx(a, b) is the coordinate of b in the frame a, vx(a, b) its rate; with the ground those of b."""
        x = self.columns("""
bodies:
  box: {mass: 2, inertia: [0.11, 0.2, 0.27], position: [0.3, 0.1, -0.2], velocity: [0.4, 0.2, -0.5],
        orientation: {axis: [0.3, -0.2, 1], angle: 0.6}, angular_velocity: [0.9, -0.7, 1.1]}
  ball: {mass: 1, point: true, position: [1, 0.5, 0.2], velocity: [-0.3, 0.6, 0.1]}
outputs:
  a: dx(box, ball)
  b: dy(box, ball)
  c: dz(box, ball)
  va: vx(box, ball)
  gy: dy(ground, ball)
  gv: vy(ground, ball)
run: {end: 0.4, output_step: 0.001, tol: 1e-10}
""")
        for k in (0, 150, 399):
            w, a, b, c = (x[f"box.q{i}"][k] for i in range(4))
            d = [x[f"ball.{i}"][k] - x[f"box.{i}"][k] for i in "xyz"]
            rotation = [[1 - 2 * (b * b + c * c), 2 * (a * b - w * c), 2 * (a * c + w * b)],
                        [2 * (a * b + w * c), 1 - 2 * (a * a + c * c), 2 * (b * c - w * a)],
                        [2 * (a * c - w * b), 2 * (b * c + w * a), 1 - 2 * (a * a + b * b)]]
            for i, name in enumerate("abc"):
                wanted = sum(rotation[j][i] * d[j] for j in range(3))
                self.assertAlmostEqual(x[name][k], wanted, 12)
            self.assertEqual((x["gy"][k], x["gv"][k]), (x["ball.y"][k], x["ball.vy"][k]))
        quotient = (x["a"][151] - x["a"][149]) / 0.002
        self.assertLess(abs(quotient - x["va"][150]), 1e-5)  # h^2/6 times the third derivative

    def test_unknown(self):
        done = run("run", write("attitude.yaml", TUMBLING.replace("box.yaw_rate", "box.yaw_rat")))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("yaw_rate", done.stderr)

    def columns(self, text):
        done = run("run", write("attitude.yaml", text), "--csv", "attitude.csv", "--out", "none", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = table("attitude.csv")
        remove("attitude.yaml", "attitude.csv")
        return found


if __name__ == "__main__":
    main()
