"""Studies from Python: the table of the command, members one by one, mistakes."""
import os

import numpy as np

from common import Case, run_command, trammel, unittest
from trammel import Study

MODEL = """\
planar: true
gravity: 9.81
parameters: {L: 0.7, m: 1.3}
bodies: {bob: {mass: m, inertia: 0.01, position: [L, 0], frames: {top: [-L, 0]}}}
joints: {pin: {type: revolute, a: ground, b: bob.top}}
run: {end: 0.4, tol: 1e-6}
"""
KEYS = {"model": "model.yaml", "sampling": {"method": "random", "members": 12, "seed": 3},
        "parameters": {"L": {"from": 0.3, "to": 0.9}, "m": {"from": 1, "to": 2}},
        "quantities": {"low": {"of": "bob.y", "take": "min"}, "ratio": "low/L"}}


class Studies(Case):
    def setUp(self):
        self.place = self.folder()
        with open(os.path.join(self.place, "model.yaml"), "w", encoding="utf-8") as f:
            f.write(MODEL)

    def study(self, **changes):
        return Study(folder=self.place, **{**KEYS, **changes})

    def test_table(self):
        study = self.study()
        self.assertEqual((len(study), study.parameter_names, study.quantity_names),
                         (12, ["L", "m"], ["low", "ratio"]))
        done = []
        table = study.run(threads=2, on_progress=lambda p: done.append(p.done))
        self.assertEqual((len(table), list(table.members), done[-1]), (12, list(range(12)), 12))
        self.assertEqual(table.messages, [""] * 12)
        np.testing.assert_array_equal(table["ratio"], table["low"] / table["L"])
        self.assertEqual(study.parameters(5)["L"], table["L"][5])
        self.assertEqual(study.run_member(5)["low"], table["low"][5])
        statistics = table.statistics("L")
        self.assertEqual((statistics.least, statistics.most), (table["L"].min(), table["L"].max()))
        self.assertGreater(table.correlation("L", "L"), 0.999)
        self.assertTrue(np.shares_memory(table["L"], table.values))

    def test_command(self):
        """The same table as `trammel study` of a file with these keys."""
        path = os.path.join(self.place, "study.yaml")
        with open(path, "w", encoding="utf-8") as f:
            f.write(f"""\
model: model.yaml
sampling: {{method: random, members: 12, seed: 3}}
parameters: {{L: {{from: 0.3, to: 0.9}}, m: {{from: 1, to: 2}}}}
quantities:
  low: {{of: bob.y, take: min}}
  ratio: low/L
""")
        out = os.path.join(self.place, "by_command")
        done = run_command("study", path, "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        table = trammel.Study.load(path).run(os.path.join(self.place, "by_python"))
        self.assertEqual(self.read("by_python.csv"), self.read("by_command.csv"))
        self.same_bits(table.values, self.study().run().values)

    def read(self, name):
        with open(os.path.join(self.place, name), encoding="utf-8") as f:
            return f.read()

    def test_stop_and_resume(self):
        out = os.path.join(self.place, "x")
        whole = self.study().run()
        study = self.study()
        part = study.run(out, threads=1, on_progress=lambda p: p.done < 4)
        self.assertLess(len(part), 12)
        rest = study.run(out, resume=True)
        self.same_bits(rest.values, whole.values)

    def test_exception(self):
        def fail(progress):
            raise RuntimeError("mine")
        with self.assertRaisesRegex(RuntimeError, "mine"):
            self.study().run(on_progress=fail)

    def test_mistakes(self):
        with self.assertRaises(trammel.UnknownNameError) as caught:
            self.study(parameters={"LL": {"from": 1, "to": 2}})
        self.assertEqual(caught.exception.path, "parameters.LL")
        with self.assertRaisesRegex(trammel.UnknownNameError, r"no column 'lwo' \(is it 'low'\?\)"):
            self.study().run()["lwo"]
        with self.assertRaisesRegex(trammel.Error, "12|member"):
            self.study().parameters(12)


if __name__ == "__main__":
    unittest.main()
