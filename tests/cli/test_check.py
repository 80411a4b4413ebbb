"""trammel check: the report of all bundled models, as text and as JSON; repeated constraints by name."""
import glob
import json
import os
import unittest

from common import SOURCE, Case, run, write

MODELS = [p for p in sorted(glob.glob(os.path.join(SOURCE, "models", "*.yaml")))
          if not p.endswith("scissor_lift.yaml")]  # with fewer cells in test_redundant

# A parallelogram in the x-y plane of a spatial model: four hinges about z hold it in its plane three times too often.
FOUR_BAR = """\
gravity: [0, -9.81, 0]
ground: {frames: {D: [0.61, 0, 0]}}
bodies:
  crank: {mass: 1, inertia: [0.01, 0.02, 0.02], position: [0, 0.13, 0], frames: {A: [0, -0.13, 0], B: [0, 0.13, 0]}}
  coupler: {mass: 2, inertia: [0.01, 0.05, 0.05], position: [0.305, 0.26, 0],
            frames: {B: [-0.305, 0, 0], C: [0.305, 0, 0]}}
  rocker: {mass: 1, inertia: [0.01, 0.02, 0.02], position: [0.61, 0.13, 0], frames: {D: [0, -0.13, 0], C: [0, 0.13, 0]}}
joints:
  pin_A: {type: revolute, a: ground, b: crank.A}
  pin_B: {type: revolute, a: crank.B, b: coupler.B}
  pin_C: {type: revolute, a: coupler.C, b: rocker.C}
  pin_D: {type: revolute, a: ground.D, b: rocker.D}
"""


class Models(Case):
    def check(self, path):
        p = run("check", path, "--json")
        self.assertEqual((p.returncode, p.stderr), (0, ""), p.stdout)
        return json.loads(p.stdout)

    def test_json(self):
        self.assertGreaterEqual(len(MODELS), 11)
        for path in MODELS:
            with self.subTest(model=os.path.basename(path)):
                r = self.check(path)
                self.assertEqual((r["command"], r["status"], r["exit_status"]), ("check", "ok", 0))
                self.assertEqual(bool(r["dependent_rows"]), os.path.basename(path).startswith("redundant_"))
                self.assertEqual(r["rank"], r["constraint_rows"] - len(r["dependent_rows"]))
                self.assertEqual(r["constraint_rows"], sum(j["rows"] for j in r["joints"]))
                self.assertEqual(r["coordinates"], sum(b["coordinates"] for b in r["bodies"]))
                self.assertEqual(r["degrees_of_freedom"], r["coordinates"] - r["rank"])
                # bundled models start closed: the assembly has nothing to do but round off
                self.assertLess(r["start"]["moved"], 1e-12)
                self.assertLess(r["start"]["velocity"]["value"], 1e-9)
                self.assertGreater(r["length"], 0)

    def test_text(self):
        for path in MODELS:
            with self.subTest(model=os.path.basename(path)):
                r = self.check(path)
                text = self.good("check", path).stdout
                self.assertTrue(text.startswith(r["title"] + "\n"))
                self.assertIn(f"\nDegrees of freedom: {r['degrees_of_freedom']}\n", text)
                self.assertIn(f"\nBodies: {len(r['bodies'])}\n", text)
                self.assertIn(f"\nJoints: {len(r['joints'])}\n", text)
                self.assertLess(max(map(len, text.splitlines())), 121)

    def test_freedoms(self):
        known = {"andrews": 1, "chain": 10, "double_pendulum": 2, "four_bar": 1, "governor": 2, "heavy_top": 3,
                 "hmmwv": 18, "hmmwv_revolute": 11, "pendulum": 1, "slider_crank": 0, "spring_pendulum": 1,
                 "stiff_double_pendulum": 2, "suspension": 2}
        for name, freedoms in known.items():
            with self.subTest(model=name):
                r = self.check(os.path.join(SOURCE, "models", name + ".yaml"))
                self.assertEqual(r["degrees_of_freedom"], freedoms)

    def test_start_to_round_off(self):
        text = self.good("check", os.path.join(SOURCE, "models", "four_bar.yaml")).stdout
        self.assertIn("\n  positions  fulfil the constraints to round-off\n", text)
        self.assertRegex(text, r"\n  crank +0\.3 +3  0, 0\.075, 0\n")  # not 4.6e-18
        text = self.good("check", os.path.join(SOURCE, "models", "chain.yaml")).stdout
        self.assertIn("\n  20 zero roots: ", text)

    def test_set(self):
        p = self.good("check", os.path.join(SOURCE, "models", "chain.yaml"), "--set", "N=37", "--json")
        r = json.loads(p.stdout)
        self.assertEqual((len(r["bodies"]), r["degrees_of_freedom"]), (37, 37))


class Redundant(Case):
    def test_names(self):
        """18 coordinates and 20 rows, but one freedom: three rows repeat what the others say."""
        write("bars.yaml", FOUR_BAR)
        r = json.loads(self.good("check", "bars.yaml", "--json").stdout)
        self.assertEqual((r["coordinates"], r["constraint_rows"], r["rank"]), (18, 20, 17))
        self.assertEqual(r["degrees_of_freedom"], 1)
        self.assertEqual(len(r["dependent_rows"]), 3)
        named = " ".join(json.dumps(row) for row in r["dependent_rows"])
        self.assertRegex(named, r"pin_[A-D]")
        self.assertEqual(sum(j["dependent_rows"] for j in r["joints"]), 3)
        text = self.good("check", "bars.yaml").stdout
        blamed = [j["name"] for j in r["joints"] if j["dependent_rows"]]
        self.assertTrue(blamed)
        for name in blamed:
            self.assertIn(f"'{name}'", text)

    def test_cured(self):
        """Room for errors of manufacture: a cylindrical and a spherical joint in the loop, and no row is repeated."""
        text = FOUR_BAR.replace("pin_B: {type: revolute", "pin_B: {type: cylindrical")
        text = text.replace("pin_C: {type: revolute", "pin_C: {type: spherical")
        write("cured.yaml", text)
        r = json.loads(self.good("check", "cured.yaml", "--json").stdout)
        self.assertEqual((r["constraint_rows"], r["rank"], r["degrees_of_freedom"]), (17, 17, 1))
        self.assertEqual(r["dependent_rows"], [])


if __name__ == "__main__":
    unittest.main()
