"""trammel run --save and --continue: a run continued by another process has the same rows, digit by digit."""
import os
import signal
import subprocess
import time

from common import PATIENCE, PENDULUM, SOURCE, TRAMMEL, Case, csv_lines, main, remove, run, write

METHODS = ["genalpha", "hht", "newmark", "midpoint", "decay", "conserve", "bdf", "bdf2", "radau3", "radau5",
           "ggl", "ggl-radau3", "ggl-radau5", "ssp-trap", "ssp-sdirk", "infl-trap", "infl-sdirk", "for-sdirk",
           "for-rosen", "erk5", "erk8", "adams", "baumgarte", "trust-region", "direct-reg", "auto"]


class Continued(Case):
    def check_model(self, model, end, methods):
        path = os.path.join(SOURCE, "models", model + ".yaml")
        for i, method in enumerate(methods):
            cut = end * (0.2 + 0.6 * ((i * 0.618) % 1))
            whole = run("run", path, "--method", method, "--end", str(end), "--csv", "a.csv", "--quiet",
                        "--save", "a.sim", "--save-at", str(cut))
            if "this build of Trammel has no" in whole.stderr:
                continue
            self.assertEqual(whole.returncode, 0, (model, method, whole.stderr))
            self.good("run", path, "--continue", "a.sim", "--csv", "b.csv", "--quiet")
            a, b = csv_lines("a.csv"), csv_lines("b.csv")
            self.assertEqual(a[0], b[0])
            self.assertGreater(len(b), 2)
            self.assertLess(len(b), len(a))
            self.assertEqual(a[-len(b) + 1:], b[1:], (model, method))
            remove("a.csv", "b.csv", "a.sim")

    def test_every_method(self):
        self.check_model("slider_crank", 0.13, METHODS)

    def test_redundant_and_singular(self):
        self.check_model("redundant_parallelogram", 0.8,
                         ["genalpha", "bdf", "radau5", "trust-region", "auto"])
        self.check_model("four_bars", 1, ["genalpha", "bdf", "radau5", "auto"])

    def test_in_space(self):
        self.check_model("governor", 0.4, ["genalpha", "bdf", "radau5", "erk8", "adams", "for-sdirk", "auto"])

    def test_discontinuities(self):
        self.check_model("impact", 0.9, ["genalpha", "bdf", "radau5", "auto"])


class Options(Case):
    def test_end(self):
        write("p.yaml", PENDULUM)
        self.good("run", "p.yaml", "--csv", "a.csv", "--save", "p.sim")
        self.good("run", "p.yaml", "--csv", "b.csv", "--continue", "p.sim", "--end", "0.7")
        a, b = csv_lines("a.csv"), csv_lines("b.csv")
        self.assertEqual(a[-1].split(",")[0], "0.5")
        self.assertEqual(a[-1].split(",")[0], b[1].split(",")[0])
        self.assertEqual(b[-1].split(",")[0], "0.7")
        self.assertEqual(len(b), 22)

    def refused(self, text, *args):
        p = run(*args)
        self.assertNotEqual(p.returncode, 0)
        self.assertIn(text, p.stderr)

    def test_refused(self):
        write("p.yaml", PENDULUM)
        self.good("run", "p.yaml", "--csv", "a.csv", "--save", "p.sim")
        command = ["run", "p.yaml", "--csv", "b.csv"]
        self.refused("tol cannot be changed", *command, "--continue", "p.sim", "--tol", "1e-3")
        self.refused("--save-at needs a file", *command, "--save-at", "0.1")
        self.refused("none.sim", *command, "--continue", "none.sim")
        self.refused("not a saved simulation", *command, "--continue", "p.yaml")
        self.refused("differ", *command, "--continue", "p.sim", "--set", "L=1.4")
        self.refused("without it", *command, "--continue", "p.sim", "--report", "r.csv")
        with open("p.sim", "rb") as f:
            data = f.read()
        with open("q.sim", "wb") as f:
            f.write(data[:1000])
        self.refused("truncated", *command, "--continue", "q.sim")

    def test_interrupted(self):
        write("long.yaml", PENDULUM.replace("end: 0.5", "end: 1e6"))
        remove("l.csv", "l.sim")
        with subprocess.Popen([TRAMMEL, "run", "long.yaml", "--csv", "l.csv", "--quiet", "--save", "l.sim"],
                              stderr=subprocess.PIPE) as p:
            while not (os.path.exists("l.csv") and os.path.getsize("l.csv") > 5000) and p.poll() is None:
                time.sleep(0.05)
            p.send_signal(signal.SIGINT)
            p.communicate(timeout=PATIENCE)
        last = float(csv_lines("l.csv")[-1].split(",")[0])
        self.good("run", "long.yaml", "--csv", "b.csv", "--continue", "l.sim", "--end", str(last + 1))
        first = float(csv_lines("b.csv")[1].split(",")[0])
        self.assertAlmostEqual(first - last, 0.01, delta=1e-9)


if __name__ == "__main__":
    main()
