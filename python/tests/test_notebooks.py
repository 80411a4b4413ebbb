"""The notebooks run from the first cell to the last, and hold what their cells print."""
import glob
import json
import os
import shutil
import subprocess
import sys

from common import SOURCE, Case, unittest

FILES = sorted(glob.glob(os.path.join(SOURCE, "python", "notebooks", "*.ipynb")))


class Notebooks(Case):
    def run_them(self, *files):
        return subprocess.run([sys.executable, "-B", os.path.join(SOURCE, "scripts", "notebooks"), *files],
                              cwd=self.folder(), capture_output=True, text=True, timeout=900, check=False,
                              env={**os.environ, "PYTHONPATH": os.path.join(SOURCE, "python")})

    def test_outputs(self):
        self.assertGreaterEqual(len(FILES), 5)
        done = self.run_them(*FILES)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_difference(self):
        """A stored number that is not the one printed is found."""
        copy = os.path.join(self.folder(), "beam.ipynb")
        shutil.copy(os.path.join(SOURCE, "python", "notebooks", "beam.ipynb"), copy)
        with open(copy, encoding="utf-8") as f:
            text = f.read()
        with open(copy, "w", encoding="utf-8") as f:
            f.write(text.replace("static deflection -5.50 mm", "static deflection -5.51 mm"))
        done = self.run_them(copy)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("cell 4 gives", done.stdout)

    def test_pictures(self):
        """Each has text, code and a picture, and all cells were executed in order."""
        for name in FILES:
            with open(name, encoding="utf-8") as f:
                cells = json.load(f)["cells"]
            code = [c for c in cells if c["cell_type"] == "code"]
            self.assertEqual([c["execution_count"] for c in code], list(range(1, len(code) + 1)), name)
            kinds = [kind for c in code for o in c["outputs"] for kind in o.get("data", {})]
            self.assertIn("image/svg+xml", kinds, name)
            self.assertEqual(cells[0]["cell_type"], "markdown")


if __name__ == "__main__":
    unittest.main()
