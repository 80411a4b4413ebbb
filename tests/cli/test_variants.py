"""trammel methods --all: every value of an option that changes the equations is listed with its source."""
import json
import re

from common import SOURCE, Case, main, run

# options that choose equations, unknowns, scaling, error control or estimate
OPTIONS = {"scaling", "fields", "iterate", "placement", "constraint_point",
           "control", "coordinates", "jacobian", "estimate",
           "redundancy", "group", "kinematics"}


class Variants(Case):
    def setUp(self):
        self.variants = json.loads(self.good("methods", "--all", "--json").stdout)["variants"]

    def test_every_choice_of_the_schema_is_listed(self):
        run = json.loads(self.good("schema").stdout)["$defs"]["run"]["properties"]
        for option in OPTIONS:
            listed = {v["value"] for v in self.variants if v["option"] == option}
            words = run[option].get("enum") or run[option]["anyOf"][0]["enum"]
            self.assertEqual(listed, set(words), option)

    def test_every_variant_has_a_source_and_a_use(self):
        for v in self.variants:
            self.assertTrue(v["citation"] and v["use"] and v["methods"], v)

    def test_text(self):
        """What is printed are options of a run, as they are spelled there."""
        out, options = self.good("methods", "--all").stdout, self.good("run", "--help").stdout
        for v in self.variants:
            option = "--" + v["option"].replace("_", "-")
            self.assertIn("\n  %s %s\n" % (option, v["value"]), out)
            self.assertIn("  %s " % option, options)

    def test_auto(self):
        """What it says of closed loops in the plane is what it does."""
        text = " ".join(self.good("methods").stdout.split())
        self.assertIn("adams, above a tolerance of 1e-3 erk5, for closed loops in the plane", text)
        for tol, method in (("1e-3", "adams"), ("2e-3", "erk5")):
            out = self.good("run", SOURCE + "/models/four_bar.yaml", "--tol", tol, "--out", "none").stdout
            self.assertRegex(out, "method +%s," % method)
        self.assertNotIn("--estimate", self.good("methods").stdout)


class ConstraintPoint(Case):
    MODEL = SOURCE + "/models/four_bar.yaml"

    def try_run(self, *args):
        return run("run", self.MODEL, "--end", "0.05", "--out", "none", *args)

    def test_residuals(self):
        """The mean keeps the constraints to round-off; at the inner point they are violated by O(h^2)."""
        def residual(step, point):
            p = self.try_run("--method", "genalpha", "--placement", "inner", "--constraint-point", point,
                             "--step", step)
            self.assertEqual(p.returncode, 0, p.stderr)
            return float(re.search(r"residual of positions (\S+)", p.stdout).group(1))
        self.assertLess(residual("1e-3", "mean"), 1e-10)
        first, second = residual("5e-4", "inner"), residual("2.5e-4", "inner")
        self.assertGreater(first, 1e-7)
        self.assertAlmostEqual(first / second, 4, delta=0.8)

    def test_methods_without_it(self):
        for args, text in ((("--method", "bdf", "--constraint-point", "mean"), "method bdf does not have it"),
                           (("--method", "genalpha", "--constraint-point", "mean"), "with placement inner"),
                           (("--constraint-point", "inner"), "needs numerical damping"),
                           (("--method", "radau5", "--scaling", "norm"), "by norms is for genalpha")):
            p = self.try_run(*args)
            self.assertEqual(p.returncode, 2, p.stderr)
            self.assertIn(text, p.stderr)

    def test_rolling(self):
        p = run("run", SOURCE + "/models/rolling_disc.yaml", "--method", "midpoint", "--out", "none",
                "--constraint-point", "mean")
        self.assertEqual(p.returncode, 2, p.stderr)
        self.assertIn("constraints of velocities", p.stderr)


class Regularized(Case):
    DOOR = SOURCE + "/models/redundant_door.yaml"
    SHORT = ["--end", "0.2", "-o", "door.csv", "--redundancy", "regularize"]

    def test_regularization_treats_redundant_rows(self):
        for method in "trust-region", "direct-reg":
            for index in "2", "3":
                p = self.good("run", self.DOOR, "--method", method, "--index", index, *self.SHORT)
                self.assertIn("0 .. 0.2 s", p.stdout + p.stderr)

    def test_stabilization_alone_does_not(self):
        p = run("run", self.DOOR, "--method", "baumgarte", *self.SHORT)
        self.assertEqual(p.returncode, 1, p.stderr)
        self.assertIn("singular", p.stderr)

    def test_settings_of_other_methods(self):
        p = run("run", self.DOOR, "--method", "bdf", *self.SHORT)
        self.assertEqual(p.returncode, 2, p.stderr)
        self.assertIn("redundancy regularize is a setting of baumgarte, trust-region", p.stderr)
        p = run("run", self.DOOR, "--index", "4", "-o", "door.csv")
        self.assertEqual(p.returncode, 2, p.stderr)
        self.assertIn("index = 4 is neither 2 nor 3", p.stderr)


if __name__ == "__main__":
    main()
