"""The worked scripts run, and print what they promise."""
import os
import subprocess
import sys

from common import SOURCE, Case, unittest

FOLDER = os.path.join(SOURCE, "python", "examples")
PROMISED = {
    "pendulum.py": ["period 1.6665 s, exact 1.6665 s"],
    "suspension_study.py": ["   4.00      11.3"],
    "own_force.py": ["t = 2 s: bob at (-0.8576, -0.5143) m"],
    "controller.py": ["t = 8 s: cart at 0.00", "rod leans 0.000"],
    "environment.py": ["linear policy: 500 to 500 of 500", "no policy: 27 to 63",
                       "last episode: 501 rows to 10 s"],
    "beam_modes.py": ["first mode: oscillation, parts ['beam']"],
    "read_and_plot.py": ["bodies: ", "fastest at"],
}


class Examples(Case):
    def test_all_are_tested(self):
        self.assertEqual(sorted(n for n in os.listdir(FOLDER) if n.endswith(".py")), sorted(PROMISED))

    def test_run(self):
        for name, sentences in PROMISED.items():
            with self.subTest(name):
                done = subprocess.run([sys.executable, "-B", os.path.join(FOLDER, name)], cwd=self.folder(),
                                      env={**os.environ, "PYTHONPATH": os.path.join(SOURCE, "python")},
                                      capture_output=True, text=True, timeout=600, check=False)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertEqual(done.stderr, "")
                for sentence in sentences:
                    self.assertIn(sentence, done.stdout)


if __name__ == "__main__":
    unittest.main()
