"""trammel methods --all: every value of an option that changes the equations is listed with its source."""
import json

from common import Case, main

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
            self.assertEqual(listed, set(run[option]["enum"]), option)

    def test_every_variant_has_a_source_and_a_use(self):
        for v in self.variants:
            self.assertTrue(v["citation"] and v["use"] and v["methods"], v)

    def test_text(self):
        out = self.good("methods", "--all").stdout
        for v in self.variants:
            self.assertIn("--%s %s" % (v["option"], v["value"]), out)
        self.assertNotIn("--estimate", self.good("methods").stdout)


if __name__ == "__main__":
    main()
