"""Motors of joints: the force of the controller, its limit and its lag, against closed solutions and against
the same laws written as forces and states.
"""
import math

from common import Case, each, main, table, write

CART = """
planar: true
parameters: {{mass: 2}}
bodies: {{cart: {{mass: mass, inertia: 1, position: [0, 0]}}}}
joints:
  rail: {{type: prismatic, a: ground, b: cart, axis: [1, 0], {}}}
{}run: {{end: 1, tol: 1e-9, output_step: 0.05}}
"""
ARM = """
gravity: [0, 0, -9.81]
bodies:
  one: {{mass: 1, inertia: [0.01, 0.1, 0.1], position: [0.4, 0, 0], frames: {{tip: [0.4, 0, 0]}}}}
  two: {{mass: 0.5, inertia: [0.01, 0.04, 0.04], position: [1.1, 0, 0], frames: {{root: [-0.3, 0, 0]}}}}
joints:
  first: {{type: revolute, a: ground, b: one, point: [0, 0, 0], axis: [0, 1, 0], {}}}
  second: {{type: universal, a: one.tip, b: two.root, {}}}
{}run: {{end: 1, tol: 1e-9, output_step: 0.05}}
"""


SERVO = "motor: {position: 0.3*sin(t), speed: 0.3*cos(t), stiffness: 40, damping: 3, limit: 8LAG}"
# motors of both joints, and what says the same
SAME = {
    "direct": (SERVO.replace("LAG", ""), "motor: {position: -0.2, stiffness: 9, command: -t, limit: 2}",
               "torque: 'clamp(40*(0.3*sin(t) - value) + 3*(0.3*cos(t) - rate), -8, 8)'",
               "torque: 'clamp(-t + 9*(-0.2 - value), -2, 2)'", ""),
    "lag": (SERVO.replace("LAG", ", lag: 0.05"),
            "motor: {position: first.angle, stiffness: 9, damping: 1, lag: 0.1}",
            "torque: a", "torque: b",
            "states:\n  a: {rate: '(clamp(40*(0.3*sin(t) - first.angle) + 3*(0.3*cos(t) - first.rate), -8, 8)"
            " - a)/0.05'}\n"
            "  b: {rate: '(9*(first.angle - second.angle1) - second.rate1 - b)/0.1'}\n")}
MISTAKES = {
    "{stiffness: 3}": "its motor has nothing to follow: give 'position', 'speed' or 'command'",
    "{position: 1}": "its motor has a 'position', but no 'stiffness'",
    "{command: 1, stiffness: 2}": "its motor has a 'stiffness', but no 'position'",
    "{speed: 1}": "its motor has a 'speed', but no 'damping'",
    "{command: 1, limit: -2}": "'limit'",
    "{command: 1, lag: -3}": "'lag'",
    "{command: 2*gaol}": "'gaol'",
    "{command: 2*gaol, lag: 0.1}": "'gaol'",
    "{comand: 1}": "is it 'command'?"}


class Motors(Case):
    def result(self, text):
        self.good("run", write("motor.yaml", text), "--csv", "motor.csv", "--out", "none", "--quiet")
        return table("motor.csv")

    def test_position(self):
        """A servo without friction swings about its goal: x = goal (1 - cos w t), w^2 = k/m."""
        for motor, more in (("position: goal, stiffness: 50", "inputs: {goal: {value: 0.3, unit: m}}\n"),
                            ("position: 0.3, stiffness: 25*mass", "")):
            rows = self.result(CART.format(f"motor: {{{motor}}}", more))
            for t, x in zip(rows["t"], rows["rail.distance"]):
                self.assertLess(abs(x - 0.3 * (1 - math.cos(5 * t))), 2e-7)

    def test_speed(self):
        """v = speed (1 - exp(-c t/m)), and a force besides."""
        rows = self.result(CART.format("motor: {speed: 0.7, damping: 8, command: 2*t}", ""))
        for t, v in zip(rows["t"], rows["rail.speed"]):
            rate, push = 4, 1 / 4  # dv/dt = 4 (0.7 - v) + t
            wanted = (0.7 - push / rate) * (1 - math.exp(-rate * t)) + push * t
            self.assertLess(abs(v - wanted), 2e-7)

    def test_limit(self):
        """At the limit it accelerates evenly."""
        rows = self.result(CART.format("motor: {position: 100, stiffness: 50, limit: 6}", ""))
        for t, x, force in zip(rows["t"], rows["rail.distance"], rows["rail_motor.force"]):
            self.assertLess(abs(x - 1.5 * t * t), 1e-8)
            self.assertEqual(force, -6)  # against the coordinate

    def test_lag(self):
        """The force of a constant command: F (1 - exp(-t/T)), integrated."""
        rows = self.result(CART.format("motor: {command: 3, lag: 0.2}", ""))
        for t, v, force in zip(rows["t"], rows["rail.speed"], rows["rail_motor.force"]):
            grown = 1 - math.exp(-t / 0.2)
            self.assertLess(abs(v - 1.5 * (t - 0.2 * grown)), 2e-7)
            self.assertLess(abs(force + 3 * grown), 2e-6)

    @each(SAME)
    def test_same(self, case):
        """As forces and states that say the same."""
        one, two, first, second, states = SAME[case]
        found = self.result(ARM.format(one, two, ""))
        wanted = self.result(ARM.format(first, second, states))
        for name in ("first.angle", "second.angle1", "second.angle2", "first.rate"):
            for a, b in zip(found[name], wanted[name]):
                self.assertLess(abs(a - b), 2e-7, name)

    @each(MISTAKES)
    def test_mistakes(self, motor):
        p = self.bad(2, "check", write("mistake.yaml", CART.format(f"motor: {motor}", "")))
        self.assertIn(MISTAKES[motor], p.stderr)
        self.assertIn("mistake.yaml:6:", p.stderr)


if __name__ == "__main__":
    main()
