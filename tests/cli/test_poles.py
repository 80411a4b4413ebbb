"""Forces, rates and motions that grow without bound: no method steps over what has no integral."""
from common import Case, fewer_if_slow, main, table, write

METHODS = fewer_if_slow("Poles, 6 of 26 methods", ("auto", "radau3", "radau5", "ggl-radau5", "bdf", "erk8"),
                        ("auto", "genalpha", "hht", "newmark", "midpoint", "decay", "conserve", "bdf", "bdf2",
                         "radau3", "radau5", "ggl", "ggl-radau3", "ggl-radau5", "ssp-trap", "ssp-sdirk",
                         "infl-trap", "infl-sdirk", "for-sdirk", "for-rosen", "erk5", "erk8", "adams",
                         "baumgarte", "trust-region", "direct-reg"), "ten seconds")


def body(force, speed=0):
    return (f"planar: true\nbodies: {{b: {{mass: 1, inertia: 1, velocity: [{speed}, 0]}}}}\n"
            f"forces: {{push: {{type: applied, at: b, force: ['{force}', 0]}}}}\nrun: {{end: 1}}\n")


class Poles(Case):
    def refused(self, model, time, name, *options):
        write("pole.yaml", model)
        said = self.bad(1, "run", "pole.yaml", "--csv", "pole.csv", *options).stderr
        self.assertIn("grows without bound", said)
        self.assertIn(name, said)
        self.assertIn(f"t = {time}", said)
        self.assertLessEqual(table("pole.csv")["t"][-1], float(time.split()[0]) + 1e-2)

    def end(self, model, *options):
        write("pole.yaml", model)
        self.good("run", "pole.yaml", "--csv", "pole.csv", "--channels", "*", *options)
        return {name: column[-1] for name, column in table("pole.csv").items()}

    def test_every_method(self):
        for method in METHODS:
            with self.subTest(method=method):
                self.refused(body("1/(0.5 - t)"), "0.5 s", "force 'push'", "--method", method)

    def test_kinds(self):
        """Of any order and any size: also where no error shows that a step has passed it."""
        for force, time in (("(0.5 - t)^(-1)", "0.5 s"), ("1e-6/(0.5 - t)", "0.5 s"),
                            ("1e-9/(0.5 - t)^2", "0.5 s"), ("tan(3*t)", "0.52359878 s"),
                            ("1/tan(3*(t - 0.3))", "0.3 s"), ("1/((t - 0.2)*(t - 0.8))", "0.2 s"),
                            ("1e-5*sin(t - 0.5)/(t - 0.5)^2", "0.5 s"),
                            ("1e-6/sin(40*t + 0.1)", "0.0760398")):
            for method in ("auto", "radau5"):
                with self.subTest(force=force, method=method):
                    self.refused(body(force), time, "force 'push'", "--method", method)

    def test_fixed_step(self):
        self.refused(body("1/(0.5 - t)"), "0.5 s", "force 'push'", "--method", "genalpha", "--step", "0.03")

    def test_of_a_position(self):
        """A pole that attracts is reached; one that repels is not."""
        for method in ("auto", "radau5", "bdf"):
            with self.subTest(method=method):
                self.refused(body("1/(0.3 - b.x)", 1), "0.19670", "force 'push'", "--method", method)
        self.assertAlmostEqual(self.end(body("1/(b.x - 0.3)", 1))["b.x"], -0.89105, delta=1e-4)

    def test_rate_and_motion(self):
        head = "planar: true\nbodies: {b: {mass: 1, inertia: 1}}\n"
        self.refused(head + "states: {z: {rate: '1e-3/(t - 0.4)'}}\nrun: {end: 1, method: radau5}\n", "0.4 s",
                     "the rate of state 'z'")
        self.refused(head + "joints:\n  s: {type: prismatic, a: ground, b: b, axis: [1, 0]}\n"
                     "  d: {type: driver, of: s.distance, motion: '0.1/(0.5 - t)'}\nrun: {end: 1}\n", "0.5 s",
                     "the motion of joint 'd'")

    def test_no_pole(self):
        """Divisors that are zero where the value is bounded, or not used; exact ends by series."""
        for force, end in (("sin(t - 0.5)/(t - 0.5)", 0.493107), ("(1 - cos(t - 0.5))/(t - 0.5)^2", 0.248272),
                           ("if(abs(t - 0.5) < 0.1, 0, sin(t - 0.5)/(t - 0.5))", 0.393163),
                           ("tan(t)", 0.187538)):
            with self.subTest(force=force):
                self.assertAlmostEqual(self.end(body(force))["b.x"], end, delta=1e-4)


if __name__ == "__main__":
    main()
