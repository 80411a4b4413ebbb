"""trammel new: models and studies to begin with run without a word of warning; nothing is replaced."""
import os
import re

from common import SOURCE, Case, each, main, read, remove, run, skip_if_slow, table, write

FOLDER = os.path.join(SOURCE, "cli", "help", "templates")
KINDS = sorted(name[:-5] for name in os.listdir(FOLDER) if not name.endswith("_study.yaml"))
WANTED = ("pendulum", "four-bar", "slider-crank", "quarter-car", "car", "robot-arm", "cantilever", "rotor",
          "gripper", "conveyor")


def new(kind, *options, name=None):
    remove(*(f"{name or kind}{end}" for end in (".yaml", "_study.yaml", ".h5", "_study.csv", "_study.h5",
                                                "_study.journal")))
    return run("new", kind, *options)


class New(Case):
    def test_list(self):
        self.assertLessEqual(set(WANTED), set(KINDS))
        lines = self.good("new", "--list").stdout.splitlines()
        self.assertEqual([line.split()[0] for line in lines], KINDS)
        for line in lines:
            self.assertGreater(len(line.split()), 1, line)
            self.assertIn(f"`{line.split()[0]}`", read(os.path.join(SOURCE, "docs", "new.md")))

    def test_files(self):
        p = new("pendulum")
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        self.assertIn("trammel run pendulum.yaml", p.stdout)
        for name in ("pendulum.yaml", "pendulum_study.yaml"):
            self.assertEqual(read(name), read(os.path.join(FOLDER, name)))

    def test_nothing_is_replaced(self):
        for there in ("pendulum.yaml", "pendulum_study.yaml"):
            remove("pendulum.yaml", "pendulum_study.yaml")
            write(there, "mine\n")
            self.assertIn(f"'{there}' is there already; nothing was written",
                          self.bad(2, "new", "pendulum").stderr)
            self.assertEqual(read(there), "mine\n")
            self.assertEqual(sum(map(os.path.exists, ("pendulum.yaml", "pendulum_study.yaml"))), 1)
        remove("pendulum.yaml", "pendulum_study.yaml")
        os.symlink("nowhere", "pendulum.yaml")
        self.bad(2, "new", "pendulum")
        remove("pendulum.yaml")

    def test_other_name(self):
        self.assertEqual(new("four-bar", "--as", "mine-2", name="mine-2").returncode, 0)
        self.assertIn("\nmodel: mine-2.yaml\n", read("mine-2_study.yaml"))
        self.assertNotIn("four-bar.", read("mine-2.yaml") + read("mine-2_study.yaml"))
        self.good("check", "mine-2.yaml")
        for name in ("../x", ".x", "-x", "a b", "a/b", "a\nb", "x" * 300):
            self.assertIn("is not a plain name", self.bad(2, "new", "car", f"--as={name}").stderr)

    def test_wrong(self):
        self.assertIn("(is it 'pendulum'?)", self.bad(2, "new", "pendulm").stderr)
        self.assertIn("trammel new --list", self.bad(2, "new").stderr)
        self.bad(2, "new", "car", "rotor")

    def test_full(self):
        os.makedirs("closed", exist_ok=True)
        os.chmod("closed", 0o500)
        if os.geteuid() != 0:  # root may write there
            self.bad(1, "new", "car", cwd="closed")


@skip_if_slow("ten models and their studies")
class Runs(Case):
    @each(KINDS)
    def test(self, kind):
        self.assertEqual(new(kind).returncode, 0)
        p = self.good("run", kind + ".yaml")
        self.assertNotIn("  note  ", p.stdout)
        self.good("check", kind + ".yaml", "--no-trial")
        self.good("study", kind + "_study.yaml", "--no-progress")
        for command in re.findall(r"^#   trammel (\w+ [^ ].*?)(?:   |$)", read(kind + ".yaml"), re.M):
            args = command.split()
            if args[0] in ("plot", "modes", "static", "kinematics"):
                self.assertEqual(run(*args, *(["-o", "x.svg"] if args[0] == "plot" else [])).returncode, 0,
                                 command)
            self.assertIn(args[1].split("_study")[0].split(".")[0], kind)

    def test_figures(self):
        """Numbers that the comments promise."""
        new("rotor")
        self.good("run", "rotor.yaml", "--csv", "rotor.csv", "--out", "none", "--quiet")
        rotor = table("rotor.csv")
        speed = rotor["speed"][max(range(len(rotor["t"])), key=lambda i: rotor["whirl"][i])]
        self.assertTrue(1 < speed / 306 < 1.15, speed)  # largest beyond the critical speed
        new("pendulum")
        self.good("study", "pendulum_study.yaml", "--no-progress", "--quiet")
        first = read("pendulum_study.csv").split("\n0,")[1].split(",")
        self.assertLess(abs(float(first[2]) / 1.638 - 1), 2e-3)


if __name__ == "__main__":
    main()
