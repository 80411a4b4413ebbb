"""Studies from Python: the table of the command, members one by one, mistakes."""
import os
import re
import shutil
import subprocess
import sys

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
        with self.assertRaises(ValueError):  # the statistics would not follow
            table["L"][0] = 1
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

    def search(self, **changes):
        return self.study(sampling=None, parameters={"L": {"from": 0.3, "to": 0.9}},
                          quantities={"low": {"of": "bob.y", "take": "min"}},
                          optimize={"minimize": "(low + 0.5)^2", "evaluations": 30, "tolerance": 1e-4,
                                    **changes})

    def test_search(self):
        """A bob on a rod of length L falls to -L within the run: the least (low + 0.5)^2 is at L = 0.5."""
        study = self.search()
        self.assertTrue(study.optimizes)
        out = os.path.join(self.place, "best")
        table = study.run(out)
        best = table.best
        self.assertAlmostEqual(best.values["low"], -0.5, delta=2e-3)
        self.assertEqual((best.violation, best.values["L"]), (0, table["L"][best.member]))
        self.assertLess(best.goal, 1e-5)
        again = study.run(out, resume=True)
        self.same_bits(again.values, table.values)
        self.assertIsNone(self.study().run().best)
        with self.assertRaisesRegex(trammel.ArgumentError, "is it 'cobyla'"):
            self.search(method="cobila").run()
        with self.assertRaisesRegex(trammel.ArgumentError, "a search has no parts"):
            study.run(part=(1, 2))

    def test_parts(self):
        whole = self.study().run()
        study = self.study()
        out = os.path.join(self.place, "p")
        parts = [study.run(out, part=(i, 3)) for i in (1, 2, 3)]
        self.assertEqual(sum(len(p) for p in parts), 12)
        journals = [f"{out}.part{i}of3.journal" for i in (1, 2, 3)]
        self.same_bits(study.merge(os.path.join(self.place, "m"), journals).values, whole.values)
        for part in (3, (0, 3), (4, 3), "ab", (1, 2, 3)):
            with self.assertRaisesRegex(trammel.ArgumentError, "part i of n"):
                study.run(part=part)
        for wrong in ({"resume": True}, {"overwrite": True}):
            with self.assertRaisesRegex(trammel.ArgumentError, "need `out`"):
                study.run(**wrong)

    @unittest.skipUnless(shutil.which("mpirun"), "no mpirun")
    def test_processes(self):
        """Three processes of a script, started by mpirun: the table of one."""
        script = os.path.join(self.place, "script.py")
        with open(script, "w", encoding="utf-8") as f:
            package = os.path.dirname(os.path.dirname(trammel.__file__))
            f.write(f"import sys\nsys.path.insert(0, {package!r})\n"
                    f"from trammel import Study\ntable = Study(folder={self.place!r}, **{KEYS!r}).run('w')\n"
                    "print('None' if table is None else len(table))\n")
        env = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        done = subprocess.run(["mpirun", "--oversubscribe", "-n", "3", sys.executable, "-B", script],
                              cwd=self.place, env=env, capture_output=True, text=True, timeout=100)
        if "built without MPI" in done.stderr:
            self.skipTest("built without MPI")
        found = re.findall("None|[0-9]+", done.stdout)  # lines of different processes may be mixed
        self.assertEqual(sorted(found), ["12", "None", "None"], done.stderr)
        self.study().run(os.path.join(self.place, "one"))
        self.assertEqual(self.read("w.csv"), self.read("one.csv"))

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
