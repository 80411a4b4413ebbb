"""Results: columns that share memory, files, pandas, pages and diagrams."""
import os

import numpy as np

from common import Case, model_file, pendulum, run_command, trammel, unittest
from trammel import Result


class Columns(Case):
    @classmethod
    def setUpClass(cls):
        cls.result = pendulum().run()

    def test_views(self):
        r = self.result
        for name in ("t", "bob.x", "pin.angle", "height"):
            self.assertTrue(np.shares_memory(r[name], r.values), name)
        self.assertTrue(np.shares_memory(r.vector("bob", "position"), r.values))
        self.same_bits(np.ascontiguousarray(r.vector("bob", "position")[:, 1]), np.array(r["bob.y"]))
        self.assertEqual(r.units["bob.x"], "m")
        self.assertEqual((len(r), r.t[0], r.t[-1]), (51, 0.0, 0.5))
        self.assertEqual(r.find("pin.a*")[0], "pin.angle")
        self.assertIn("height", r)

    def test_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        frame = self.result.to_pandas()
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertTrue(np.shares_memory(frame.to_numpy(), self.result.values))
        self.assertEqual(frame.index.name, "t")
        self.assertEqual(frame["bob.x"].iloc[-1], self.result["bob.x"][-1])

    def test_files(self):
        folder = self.folder()
        for name in ("x.csv", "x.h5"):
            path = os.path.join(folder, name)
            self.result.write(path)
            read = Result.load(path)
            self.same_bits(np.array(read.values), self.result.values)
            self.assertEqual(read.names, self.result.names)
            self.assertFalse(read.values.flags.writeable)
            self.assertFalse(read.values.flags.owndata)
        self.assertEqual(read.units, self.result.units)
        self.assertEqual(read.title, "Pendulum of the tests")
        column = read["bob.x"]
        del read
        self.assertEqual(column[0], 1.3)

    def test_summary(self):
        """A run that reached its end has a closing report, also in its file."""
        self.assertIn("1 body, 1 joint, 1 force", self.result.summary)
        self.assertIn("simulated    0 .. 0.5 s", self.result.summary)
        stopped = pendulum().simulate().run(on_step=lambda s, t, h: t < 0.2)
        self.assertEqual(stopped.summary, "")
        path = os.path.join(self.folder(), "x.h5")
        self.result.write(path)
        self.assertEqual(Result.load(path).summary, self.result.summary)

    def test_command(self):
        """The file of the command has the same notes of title and model."""
        path = os.path.join(self.folder(), "x.h5")
        done = run_command("run", model_file("pendulum.yaml"), "--out", path, "-q", "--end=0.1")
        self.assertEqual(done.returncode, 0, done.stderr)
        read = Result.load(path)
        self.assertEqual(read.title, "Simple pendulum")
        self.assertIn("bodies:", read.notes["model"])

    def test_plot(self):
        path = os.path.join(self.folder(), "x.svg")
        plot = self.result.plot("bob.x", "bob.y", path=path)
        with open(path, encoding="utf-8") as f:
            self.assertEqual(f.read(), plot.svg)
        self.assertIn("bob.y", plot._repr_svg_())

    def test_notebook(self):
        """A result shows the page of the viewer; without it, its channels and the reason."""
        shown = self.result._repr_html_()
        try:
            self.result.page(os.path.join(self.folder(), "x.html"))
        except trammel.Error as e:
            self.assertIn("viewer", str(e))
            self.assertIn("pin.angle", shown)
            self.skipTest("a build without the viewer")
        self.assertTrue(shown.startswith("<iframe srcdoc="))
        self.assertIn("pin.angle", shown)
        self.assertEqual(shown.count("<iframe"), 1)
        self.assertNotIn("<script", shown)  # all of it is quoted


if __name__ == "__main__":
    unittest.main()
