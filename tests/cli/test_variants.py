"""trammel methods --all: every value of an option that changes the equations is listed with its source."""
import json

from common import SOURCE, Case, main, run

# options that choose equations, unknowns, scaling, error control or estimate
OPTIONS = {"scaling", "fields", "iterate", "placement", "control", "coordinates", "jacobian", "estimate",
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
        out = self.good("methods", "--all").stdout
        for v in self.variants:
            self.assertIn("--%s %s" % (v["option"], v["value"]), out)
        self.assertNotIn("--estimate", self.good("methods").stdout)


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
