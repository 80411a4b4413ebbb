"""The command without one of its modules: a reason and a report, not an answer."""
import json
import os
import shutil
import subprocess

from common import PATIENCE, PENDULUM, SOURCE, TRAMMEL, Case, main, module_folder, write

FOLDER = module_folder()
MODELS = os.path.join(SOURCE, "models")
BRICARD, FOUR_BAR, CRANK, BEAM, CART, GOVERNOR, ELLIPSE = (os.path.join(MODELS, f + ".yaml") for f in (
    "redundant_bricard", "four_bar", "slider_crank", "beam_crank", "controlled_cart", "governor",
    "trammel_of_archimedes"))
# what needs the module, one of each room that calls it
NEED = {
    "lapack": [["check", "m.yaml"], ["static", "m.yaml"], ["modes", "m.yaml"], ["linearize", CART],
               ["run", FOUR_BAR, "--end", "0.1", "--solver", "dense"], ["run", GOVERNOR, "--end", "0.1"],
               ["run", FOUR_BAR, "--method", "ggl", "--report", "r.csv"],
               ["kinematics", CRANK, "--end", "0.1"], ["verify", BEAM, "--end", "0.01"]],
    "klu": [["run", "m.yaml", "--solver", "klu"], ["check", FOUR_BAR], ["modes", BEAM],
            ["run", BRICARD, "--end", "0.1", "--method", "adams"], ["static", ELLIPSE]],
}


MADE = set()


def without(module, text=None):
    """A copy of the command whose modules lack this one, or have this text in its place."""
    folder = os.path.abspath("without_" + module)
    modules = os.path.join(folder, os.path.basename(FOLDER))
    if folder not in MADE:
        MADE.add(folder)
        shutil.rmtree(folder, ignore_errors=True)  # of an earlier build
        os.makedirs(modules)
        shutil.copy(TRAMMEL, folder)
        for name in os.listdir(FOLDER):
            if name != module + ".so":
                os.symlink(os.path.join(FOLDER, name), os.path.join(modules, name))
    path = os.path.join(modules, module + ".so")
    if os.path.exists(path):
        os.remove(path)
    if text is not None:
        write(path, text)
    return os.path.join(folder, "trammel")


def run(command, *args):
    return subprocess.run([command, *args], capture_output=True, text=True, timeout=PATIENCE, check=False)


class Missing(Case):
    def setUp(self):
        if not FOLDER:
            self.skipTest("built without modules")
        write("m.yaml", PENDULUM)

    def test_reports(self):
        for module, commands in NEED.items():
            command = without(module)
            for args in commands:
                with self.subTest(module=module, args=args):
                    p = run(command, *args, "--json")
                    self.assertIn(p.returncode, (1, 2), p.stderr)
                    self.assertIn(f"module '{module}' is not installed", p.stderr)
                    self.assertNotIn("memory", p.stderr)
                    report = json.loads(p.stdout)
                    self.assertEqual(report["exit_status"], p.returncode)
                    self.assertIn(f"module '{module}' is not installed", report["error"]["message"])

    def test_unreadable(self):
        for module, commands in NEED.items():
            p = run(without(module, "no shared object"), *commands[0], "--json")
            self.assertIn(p.returncode, (1, 2))
            self.assertIn(f"The module '{module}' cannot be loaded: ", p.stderr)
            self.assertIn("cannot be loaded", json.loads(p.stdout)["error"]["message"])

    def test_not_needed(self):
        for module in NEED:
            p = run(without(module), "run", "m.yaml", "-o", "out.csv")
            self.assertEqual((p.returncode, p.stderr), (0, ""))


if __name__ == "__main__":
    main()
