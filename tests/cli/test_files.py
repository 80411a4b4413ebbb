"""What commands write: never over a file that they read or write under another name, whole or not at all."""
import os
import re
import resource

from common import PENDULUM, Case, main, read, remove, run, write

MODEL = PENDULUM.replace("end: 0.5", "end: 0.05")
MODEL = MODEL.replace("outputs:", "shapes: {ball: {type: sphere, at: bob, radius: 0.1}}\noutputs:")
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
    "verify": ("model.yaml",), "view": ("result.h5", "--model", "model.yaml"),
    "plot": ("result.csv", "height"), "stats": ("result.csv",), "export": ("result.h5",),
    "study": ("study.yaml", "--quiet"), "import": ("robot.urdf",), "fmu": ("model.yaml", "--quiet"),
    "reduce": ("model.yaml", "--interface", "top=bob.top"),
}
WITHOUT_FILES = {"methods", "schema", "manual", "completion", "new"}  # they read none


def options_with_values(command):
    """Names of the options that take a value, and the endings of files that are tried with them: of each
    option one, so that no option that writes is left out, of those that speak of files all."""
    found = re.findall(r"^  (?:-\w, )?(--[\w-]+) (\S+)", run(command, "--help").stdout, re.M)
    return [(name, ENDINGS if re.search(r"FILE|NAME$|PREFIX|RESULT", value) else ENDINGS[:1])
            for name, value in found]


def content(name):
    with open(name, "rb") as f:
        return f.read()


def limit():
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20))


class Links(Case):
    """Every option that takes a value, with a link to what the command reads, and on a full disk."""
    cost = 100  # [s]

    def setUp(self):
        remove("result.csv", "result.h5", "result.h5.resume")
        write("model.yaml", MODEL)
        write("study.yaml", STUDY)
        write("robot.urdf", ROBOT)
        self.good("run", "model.yaml", "--csv", "result.csv", "-o", "result.h5", "--quiet")
        self.kept = {name: content(name) for name in ("model.yaml", "study.yaml", "robot.urdf", "result.csv",
                                                      "result.h5")}

    def test_every_command_is_listed(self):
        commands = re.findall(r"^  (\w+) ", run("--help").stdout.partition("Commands:")[2]
                              .partition("Options:")[0], re.M)
        self.assertEqual(set(commands), set(COMMANDS) | WITHOUT_FILES)

    def check(self, name, link, command):
        """The command leaves the file and its link alone."""
        p = run(*command)
        self.assertTrue(content(name) == self.kept[name], (command, p.stdout, p.stderr))
        self.assertTrue(os.path.samefile(name, link), (command, p.stdout, p.stderr))
        return p

    def full(self, name, read_file, command):
        """A file at its limit: an error, and the file of that name is as before. Files that the command
        writes beside it, which no option names, do not replace what it reads either. Whether it writes
        any."""
        before = set(os.listdir("."))
        if run(*command).returncode != 0 or not os.path.exists(name):
            return False
        all_made = set(os.listdir(".")) - before
        remove(*all_made)
        for made in all_made - {name}:
            os.symlink(read_file, made)
            self.check(read_file, made, command)
            remove(name, *all_made)
        write(name, "old")
        p = run(*command, preexec_fn=limit)
        self.assertGreater(p.returncode, 0, (command, p.stderr, "ended by a signal, or status 0"))
        self.assertEqual(content(name), b"old", command)
        left = set(os.listdir(".")) - before - {name}
        self.assertEqual([f for f in left if not f.endswith((".journal", ".resume"))], [], command)
        remove(name, *left)
        return True

    def test_no_option_overwrites_an_input(self):
        refused = written = 0
        for command, given in COMMANDS.items():
            names = [n for n in ("study.yaml", "model.yaml") if command == "study"] or [given[0]]
            for option, endings in options_with_values(command):
                for name in names:
                    for ending in endings:
                        link = f"link.{ending}"
                        remove(link)
                        os.link(name, link)
                        value = link if option != "--out" or command != "study" else "link"
                        rest = [a for i, a in enumerate(given) if not (
                            option in ("--out",) and (a == "-o" or given[i - 1] == "-o"))]
                        p = self.check(name, link, (command, *rest, option, value))
                        remove(link)
                        if "would overwrite" in p.stderr:
                            refused += 1
                            written += self.full(link, name, (command, *rest, option, value))
        self.assertGreater(refused, 200)  # each option that writes, at least with the ending that it wants
        self.assertGreater(written, 80)

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
            self.assertEqual(content(name), self.kept[name])
            remove(link)

    def test_defaults_are_no_links(self):
        """The folder of somebody else's model cannot lead a name that nobody gave to a file of the user."""
        for link, command in (("model.h5", ("run", "model.yaml", "-q")),
                              ("r.csv.resume", ("run", "model.yaml", "-q", "-o", "r.csv")),
                              ("result.html", ("view", "result.h5")), ("study.csv", ("study", "study.yaml")),
                              ("study.journal", ("study", "study.yaml")),
                              ("vtk-0001.vtp", ("export", "result.h5", "-o", "vtk.pvd")),
                              ("robot.yaml", ("import", "robot.urdf")), ("model.fmu", ("fmu", "model.yaml"))):
            for there in (True, False):
                remove("precious", link)
                if there:
                    write("precious", "of the user\n")
                os.symlink("precious", link)
                p = run(*command)
                self.assertIn(p.returncode, (1, 2), (command, p.stderr))
                self.assertIn(f"{link}' is a link", p.stderr)
                self.assertEqual(os.path.exists("precious"), there)
                self.assertTrue(not there or read("precious") == "of the user\n", command)
                remove(link)
        remove("precious")

    def test_imported_model_stays(self):
        """A model that was imported, and changed since, is replaced only if it is named."""
        remove("robot.yaml")
        self.good("import", "robot.urdf")
        write("robot.yaml", "changed")
        self.assertIn("is there already", self.bad(2, "import", "robot.urdf").stderr)
        self.assertEqual(read("robot.yaml"), "changed")
        self.good("import", "robot.urdf", "-o", "robot.yaml")
        self.assertNotEqual(read("robot.yaml"), "changed")
        remove("robot.yaml")

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

    def test_a_link_to_nothing(self):
        """No file is written in the place of the link, which leads elsewhere."""
        for link, to in (("l.svg", "nowhere.svg"), ("l.csv", "no/folder.csv"), ("circle.h5", "circle.h5")):
            remove(link, "nowhere.svg")
            os.symlink(to, link)
            command = ("plot", "result.csv", "height") if link == "l.svg" else ("run", "model.yaml")
            self.assertRegex(self.bad(1, *command, "-o", link).stderr, f"Cannot write '{link}': it is a link")
            self.assertEqual(os.readlink(link), to)
            self.assertFalse(os.path.exists("nowhere.svg"))

    def test_private_files_stay_private(self):
        """A file that replaces another one may be read by nobody who could not read that."""
        names = ("p.h5", "p.csv", "p.csv.resume", "p.sim", "p.svg")
        for mode in (0o600, 0o640, 0o664):
            remove(*names)
            for name in names:
                write(name, "")
                os.chmod(name, mode)
            for name in ("p.h5", "p.csv"):
                self.good("run", "model.yaml", "-o", name, "--save", "p.sim", "--quiet")
            self.good("plot", "result.csv", "height", "-o", "p.svg")
            for name in names:
                self.assertGreater(os.path.getsize(name), 0)
                self.assertEqual(os.stat(name).st_mode & 0o777, mode, name)
        os.chmod("p.h5", 0o600)
        self.good("run", "--resume", "p.h5", "--end", "0.06", "--quiet")
        self.assertEqual(os.stat("p.h5").st_mode & 0o777, 0o600)


if __name__ == "__main__":
    main()
