"""Short pulses of forces and motions, smooth functions of time, where nothing else asks for short steps."""
import math

from common import Case, fewer_if_slow, main, table, write

METHODS = fewer_if_slow("Pulses, 6 of 9 methods", ("auto", "bdf", "radau5"),
                        ("auto", "bdf", "radau5", "genalpha", "erk8", "adams", "infl-sdirk", "ggl",
                         "trust-region"), "ten seconds")
BODY = "planar: true\nbodies: {b: {mass: 2, inertia: 0.3}}\nrun: {end: 10, tol: 1e-5}\n"
WIDTHS = (0.1, 0.03, 0.01)  # [s] the time between two outputs is 0.02 s


def pulse(width):
    """Its integral is 1; it acts at t = 4.3 s, where no step ends."""
    return f"{1 / (width * math.sqrt(math.pi)):.15g}*exp(-((t - 4.3)/{width})^2)"


class Pulses(Case):
    def end(self, model, method, *options):
        write("pulse.yaml", model)
        self.good("run", "pulse.yaml", "--method", method, "--csv", "pulse.csv", "--channels", "*", *options)
        return {name: column[-1] for name, column in table("pulse.csv").items()}

    def test_force(self):
        for width in WIDTHS:
            for method in METHODS:
                with self.subTest(width=width, method=method):
                    model = BODY + f"forces: {{f: {{type: applied, at: b, force: ['{pulse(width)}', 0]}}}}\n"
                    self.assertAlmostEqual(self.end(model, method)["b.vx"], 0.5, delta=1e-4)

    def test_torque_and_few_outputs(self):
        model = BODY + f"forces: {{f: {{type: applied, at: b, torque: '{pulse(0.03)}'}}}}\n"
        self.assertAlmostEqual(self.end(model, "auto", "--output-step", "10")["b.wz"], 1 / 0.3, delta=1e-4)

    def test_rate_of_a_state(self):
        model = BODY + f"states: {{z: {{rate: '{pulse(0.03)}'}}}}\n"
        for method in METHODS:
            with self.subTest(method=method):
                self.assertAlmostEqual(self.end(model, method)["z"], 1, delta=1e-4)

    def test_motion(self):
        """A cart that jerks once sets its pendulum in motion."""
        model = ("planar: true\ngravity: 9.81\n"
                 "bodies: {cart: {mass: 1, inertia: 1}, bob: {mass: 1, inertia: 0.01, position: [0, -1]}}\n"
                 "joints:\n  rail: {type: prismatic, a: ground, b: cart, axis: [1, 0]}\n"
                 "  pin: {type: revolute, a: cart, b: bob, point: [0, 0]}\n"
                 f"  motor: {{type: driver, of: rail.distance, motion: '0.02*{pulse(0.03)}'}}\n"
                 "run: {end: 10, tol: 1e-5}\n")
        exact = self.end(model, "radau5", "--max-step", "0.003", "--tol", "1e-8")["bob.x"]
        self.assertGreater(abs(exact), 1e-3)
        for method in METHODS:
            with self.subTest(method=method):
                self.assertAlmostEqual(self.end(model, method)["bob.x"], exact, delta=1e-4)


if __name__ == "__main__":
    main()
