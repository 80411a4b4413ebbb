"""What commands write: never over a file that they read or write under another name, whole or not at all."""
import os
import re
import resource

from common import PENDULUM, Case, main, read, remove, run, write

MODEL = PENDULUM.replace("end: 0.5", "end: 0.05")
STUDY = """\
model: model.yaml
parameters: {L: {values: [1, 1.5]}}
quantities: {low: {of: height, take: min}}
"""
ROBOT = """\
<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/></joint></robot>
"""
ENDINGS = ("csv", "h5", "html", "svg", "png", "pdf", "json", "glb", "pvd", "part", "sim", "yaml", "mtx")
# a command and the arguments without which it does not run
COMMANDS = {
    "run": ("model.yaml", "--quiet", "-o", "none"), "kinematics": ("model.yaml", "--quiet"),
    "check": ("model.yaml",), "compare": ("model.yaml", "--methods", "bdf", "--tols", "1e-2", "--quiet"),
    "static": ("model.yaml",), "modes": ("model.yaml", "--at", "equilibrium"), "linearize": ("model.yaml",),
    "verify": ("model.yaml",), "view": ("result.csv", "--model", "model.yaml"),
    "plot": ("result.csv", "height"), "stats": ("result.csv",), "export": ("result.csv",),
    "study": ("study.yaml", "--quiet"), "import": ("robot.urdf",), "fmu": ("model.yaml", "--quiet"),
    "reduce": ("model.yaml", "--interface", "top=bob.top"),
}
WITHOUT_FILES = {"methods", "schema", "manual", "completion", "new"}  # they read none


def options_with_files(command):
    """Names of the options that take a name of a file."""
    found = re.findall(r"^  (?:-\w, )?(--[\w-]+) (\S+)", run(command, "--help").stdout, re.M)
    return [name for name, value in found if re.search(r"FILE|NAME$|PREFIX|RESULT", value)
            and name not in ("--method", "--solver", "--allow-path")]


class Links(Case):
    """Every option that takes a file, with a link to what the command reads."""
    cost = 60  # [s]

    def setUp(self):
        remove("result.csv")
        write("model.yaml", MODEL)
        write("study.yaml", STUDY)
        write("robot.urdf", ROBOT)
        self.good("run", "model.yaml", "--csv", "result.csv", "-o", "none", "--quiet")
        self.kept = {name: read(name) for name in ("model.yaml", "study.yaml", "robot.urdf", "result.csv")}

    def test_every_command_is_listed(self):
        commands = re.findall(r"^  (\w+) ", run("--help").stdout.partition("Commands:")[2]
                              .partition("Options:")[0], re.M)
        self.assertEqual(set(commands), set(COMMANDS) | WITHOUT_FILES)

    def check(self, name, link, command):
        """The command leaves the file and its link alone."""
        p = run(*command)
        self.assertEqual(read(name), self.kept[name], (command, p.stdout, p.stderr))
        self.assertTrue(os.path.samefile(name, link), (command, p.stdout, p.stderr))
        return p

    def test_no_option_overwrites_an_input(self):
        refused = 0
        for command, given in COMMANDS.items():
            names = [n for n in ("study.yaml", "model.yaml") if command == "study"] or [given[0]]
            for option in options_with_files(command):
                for name in names:
                    for ending in ENDINGS:
                        link = f"link.{ending}"
                        remove(link)
                        os.link(name, link)
                        value = link if option != "--out" or command != "study" else "link"
                        rest = [a for i, a in enumerate(given) if not (
                            option in ("--out",) and (a == "-o" or given[i - 1] == "-o"))]
                        p = self.check(name, link, (command, *rest, option, value))
                        refused += "would overwrite" in p.stderr
                        remove(link)
        self.assertGreater(refused, 20)  # each option that writes, at least with the ending that it wants

    def test_defaults(self):
        """Names that no option gives."""
        for name, link, command in (("model.yaml", "model.h5", ("run", "model.yaml")),
                                    ("result.csv", "result.html", ("view", "result.csv")),
                                    ("model.yaml", "study.csv", ("study", "study.yaml")),
                                    ("model.yaml", "study.journal", ("study", "study.yaml", "--overwrite")),
                                    ("model.yaml", "r.h5.resume", ("run", "model.yaml", "-o", "r.h5"))):
            remove(link)
            os.symlink(name, link)
            p = run(*command)
            self.assertEqual(p.returncode, 2, (command, p.stderr))
            self.assertIn("would overwrite", p.stderr)
            self.assertEqual(read(name), self.kept[name])
            remove(link)

    def test_two_outputs(self):
        remove("a.h5", "a.csv")
        for options in (("--csv", "a.csv", "-o", "a.h5", "--save", "a.h5"),
                        ("--csv", "a.csv", "--report", "./a.csv")):
            p = self.bad(2, "run", "model.yaml", *options)
            self.assertRegex(p.stderr, "name the same file")
            self.assertFalse(os.path.exists("a.h5") or os.path.exists("a.csv"))

    def test_tables_of_the_model(self):
        write("table.csv", "x,y\n0,0\n1,1\n2,4\n")
        write("model.yaml", MODEL + "tables: {curve: {file: table.csv}}\n")
        kept = read("table.csv")
        p = run("run", "model.yaml", "--csv", "table.csv")
        self.assertEqual((p.returncode, read("table.csv")), (2, kept), p.stderr)
        self.assertIn("would overwrite a file of the model", p.stderr)

    def test_a_link_stays_a_link(self):
        remove("real.svg", "l.svg")
        write("real.svg", "old")
        os.symlink("real.svg", "l.svg")
        self.good("plot", "result.csv", "height", "-o", "l.svg")
        self.assertTrue(os.path.islink("l.svg"))
        self.assertIn("<svg", read("real.svg"))


class FullDisk(Case):
    """A file at its limit: an error, and the file of that name is as before."""

    def setUp(self):
        write("model.yaml", MODEL)
        write("study.yaml", STUDY)
        self.good("run", "model.yaml", "--csv", "result.csv", "-o", "none", "--quiet")

    def test_every_kind(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
        for command in (("view", "result.csv", "--model", "model.yaml", "-o", "old.html"),
                        ("export", "result.csv", "-o", "old.csv"),
                        ("plot", "result.csv", "height", "-o", "old.svg"),
                        ("check", "model.yaml", "--html", "old.html"),
                        ("linearize", "model.yaml", "-o", "old.json"),
                        ("run", "model.yaml", "-o", "none", "--save", "old.sim"),
                        ("run", "model.yaml", "-o", "none", "--report", "old.csv")):
            before = set(os.listdir("."))
            write(command[-1], "old")
            p = run(*command, preexec_fn=limit)
            self.assertNotEqual(p.returncode, 0, command)
            self.assertGreater(p.returncode, 0, (command, "ended by a signal"))
            self.assertIn(command[-1], p.stderr)
            self.assertEqual(read(command[-1]), "old", command)
            remove(command[-1])
            self.assertEqual(set(os.listdir(".")) - before, set(), command)


if __name__ == "__main__":
    main()
