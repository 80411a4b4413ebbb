"""What commands write: never over a file that they read or write under another name, whole or not at all."""
import os
import re
import resource
import shutil

from common import PENDULUM, SOURCE, Case, main, read, remove, run, write

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

# What commands read without being given it: files that models, robots and studies name. A model of each kind,
# its files, and those of them that no output may replace.
TRIANGLES = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
EVERYTHING = """\
include: in.yaml
parameters: {L: 1}
outputs: {height: bob.z}
bodies:
  bob: {mass: 1, inertia: [1, 1, 1], frames: {top: [0, 0, 1]}}
  stone: {density: 1, shape: {type: mesh, file: heavy.obj}}
  ball: {mass: 1, inertia: [1, 1, 1], position: [9, 0, 2], shape: {type: mesh, file: touch.obj}}
modal_bodies: {rod: {part: rod.part, position: [5, 0, 0]}}
tables: {curve: {file: table.csv}}
shapes:
  hills: {type: height-field, at: ground, length: 2, width: 2, file: hills.csv}
  seen: {type: mesh, at: bob, file: seen.obj}
  floor: {type: plane, at: ground, normal: [0, 0, 1]}
contacts: {touch: {a: ball, b: floor, stiffness: 1e4}}
run: {end: 0.01}
"""
MUJOCO = """\
<mujoco><asset><mesh name="m" file="mujoco.obj"/></asset><include file="more.xml"/></mujoco>
"""
MORE = """\
<mujoco><worldbody><body name="b"><freejoint/><inertial pos="0 0 0" mass="1"
diaginertia="1 1 1"/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>
"""
VISUAL = ROBOT.replace("</inertial>", '</inertial><visual><geometry><mesh filename="seen.obj"/></geometry>'
                                      "</visual>")
NAMED = {
    "everything.yaml": ("in.yaml", "heavy.obj", "touch.obj", "seen.obj", "rod.part", "table.csv",
                        "hills.csv"),
    "mujoco.xml": ("more.xml", "mujoco.obj"), "visual.urdf": ("seen.obj",),
}


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
        for name, text in (("everything.yaml", EVERYTHING), ("in.yaml", "outputs: {more: t}\n"),
                           ("table.csv", "x,y\n0,0\n1,1\n2,4\n"), ("hills.csv", "0,0\n0,0\n"),
                           ("mujoco.xml", MUJOCO), ("more.xml", MORE), ("visual.urdf", VISUAL)):
            write(name, text)
        for name in ("heavy.obj", "touch.obj", "seen.obj", "mujoco.obj"):
            write(name, TRIANGLES + f"# {name}\n")
        shutil.copy(os.path.join(SOURCE, "models", "parts", "rod.part"), "rod.part")
        self.kept = {name: content(name) for name in ("model.yaml", "study.yaml", "robot.urdf", "result.csv",
                                                      "result.h5", *(n for named in NAMED.values()
                                                                     for n in named))}

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

    def named(self, command, given, option, ending):
        """An output does not replace a file that the model, robot or study of the command names. The number
        of those that were tried."""
        count = 0
        for model, files in NAMED.items():
            if command == ("import" if model == "everything.yaml" else "study"):
                continue  # robots have no parameters
            write("other.yaml", STUDY.replace("model.yaml", model))
            names = {"model.yaml": model, "robot.urdf": model, "study.yaml": "other.yaml"}
            words = [names.get(a, a) for a in given]
            if words == list(given):  # a result alone
                continue
            for name in files:
                link = f"link.{ending}"
                remove(link)
                os.link(name, link)
                value = link if option != "--out" or command != "study" else "link"
                p = self.check(name, link, (command, *words, option, value))
                self.assertEqual(p.returncode, 2, (command, words, option, name, p.stdout, p.stderr))
                self.assertRegex(p.stderr, "would overwrite", (command, words, option, name))
                remove(link)
                count += 1
        return count

    def test_no_option_overwrites_an_input(self):
        refused = written = named = 0
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
                            if self.full(link, name, (command, *rest, option, value)):
                                written += 1
                                named += self.named(command, rest, option, ending)
        self.assertGreater(refused, 200)  # each option that writes, at least with the ending that it wants
        self.assertGreater(written, 80)
        self.assertGreater(named, 400)

    def test_default_names(self):
        """Names that a command makes: of the result, its checkpoint, a unit, a model."""
        for mesh, name, command in (("tri.h5", "tri.yaml", ("run",)), ("tri.fmu", "tri.yaml", ("fmu",)),
                                    ("o.csv.resume", "tri.yaml", ("run", "-o", "o.csv")),
                                    ("s.csv", "tri.yaml", ("study", "s.yaml")),
                                    ("s.journal", "tri.yaml", ("study", "s.yaml"))):
            text = MODEL.replace("planar: true\n", "").replace("{type: sphere, at: bob, radius: 0.1}",
                                                               f"{{type: mesh, at: bob, file: {mesh}}}")
            write(name, text.replace("inertia: 0.02", "inertia: [1, 1, 1]").replace("[L, 0]", "[L, 0, 0]")
                  .replace("[-L, 0]", "[-L, 0, 0]"))
            write("s.yaml", STUDY.replace("model.yaml", name))
            write(mesh, TRIANGLES)
            p = self.bad(2, command[0], *(() if command[0] == "study" else (name,)), *command[1:])
            self.assertIn("would overwrite", p.stderr)
            self.assertEqual(read(mesh), TRIANGLES)
            remove(mesh)

    def test_checkpoints(self):
        """What a run is continued from is read and written: no output may have its name."""
        for result in ("c.csv", "c.h5"):
            remove(result, result + ".resume", "c.sim", "link.csv", "link.sim")
            self.good("run", "model.yaml", "-o", result, "--save", "c.sim", "--report", "any.csv", "--quiet")
            for name in {result, result + ".resume"} & set(os.listdir(".")):
                kept = content(name)
                for option, link in (("--report", "link.csv"), ("--save", "link.sim"), ("--save", name)):
                    if link != name:
                        os.symlink(name, link)
                    p = self.bad(2, "run", "--resume", result, option, link, "--end", "0.1")
                    self.assertRegex(p.stderr, "would overwrite|name the same file|is a result")
                    self.assertTrue(content(name) == kept, (result, name, option))
                    if link != name:
                        remove(link)
            kept = content("c.sim")
            for option in ("--csv", "--out", "--report", "--save"):
                os.symlink("c.sim", "link.csv")
                p = self.bad(2, "run", "model.yaml", "--continue", "c.sim", option, "link.csv",
                             *(() if option in ("--out", "--csv") else ("-o", "none")))
                self.assertIn("would overwrite", p.stderr)
                self.assertTrue(content("c.sim") == kept, option)
                remove("link.csv")
            self.good("run", "--resume", result, "--end", "0.1", "--quiet")
        self.good("study", "study.yaml", "--quiet", "--overwrite")
        for name in ("study.journal", "study.csv", "study.h5"):
            kept = content(name)
            os.symlink(name, "link.html")
            self.assertIn("name the same file",
                          self.bad(2, "study", "study.yaml", "--resume", "--report", "link.html").stderr)
            self.assertTrue(content(name) == kept, name)
            remove("link.html")
        remove("study.journal", "study.csv", "study.h5")

    def test_files_of_a_continued_run(self):
        """The model comes from the checkpoint, but its files are those on disk."""
        remove("e.csv", "e.csv.resume", "link.csv")
        write("e.yaml", MODEL.replace("planar: true\n", "planar: true\ninclude: in.yaml\n") +
              "tables: {curve: {file: table.csv}}\nevents: {far: {when: curve(t) - 99}}\n")
        self.good("run", "e.yaml", "-o", "e.csv", "--quiet")
        for name in ("e.yaml", "table.csv", "in.yaml"):
            kept = content(name)
            os.link(name, "link.csv")
            p = self.bad(2, "run", "--resume", "e.csv", "--end", "0.1", "--save", "link.csv")
            self.assertIn("would overwrite", p.stderr)
            self.assertEqual(content(name), kept)
            remove("link.csv")

    def test_members(self):
        """Files of members are known before the first of them runs."""
        write("s.yaml", STUDY + "record: all\n")
        os.link("model.yaml", "s.member1.h5")
        p = self.bad(2, "study", "s.yaml")
        self.assertIn("would overwrite", p.stderr)
        self.assertFalse(os.path.exists("s.csv") or os.path.exists("s.member0.h5"))
        remove("s.member1.h5")

    def test_manual_pages_are_no_links(self):
        remove("pages/trammel.1", "precious")
        os.makedirs("pages", exist_ok=True)
        write("precious", "of the user\n")
        os.symlink("../precious", "pages/trammel.1")
        self.assertIn("is a link", self.bad(2, "manual", "--all", "pages").stderr)
        self.assertEqual(read("precious"), "of the user\n")
        remove("pages/trammel.1")
        self.good("manual", "--all", "pages")

    def test_reasons(self):
        """A file at its limit: all commands say so, with the status of what could not be written."""
        os.makedirs("other", exist_ok=True)
        for command in (("view", "result.h5", "--out", "w.html", "--quiet"),
                        ("export", "result.h5", "-o", "w.glb"), ("export", "result.h5", "-o", "w.csv"),
                        ("plot", "result.csv", "height", "-o", "w.svg"),
                        ("run", "model.yaml", "-o", "none", "--save", "w.sim", "--quiet"),
                        ("manual", "--all", "other"), ("import", "robot.urdf", "-o", "w.yaml"),
                        ("check", "model.yaml", "--html", "w.html"), ("new", "pendulum", "--as", "w")):
            p = run(*command, preexec_fn=limit)
            self.assertEqual(p.returncode, 1, (command, p.stderr))
            self.assertIn("File too large", p.stderr, command)

    def test_shown_names(self):
        """A name cannot steer the terminal."""
        name = "e\x1b[31m\u202e.yaml"
        write(name, MODEL.replace('title: Pendulum "of" the tests\n', ""))
        p = self.good("run", name)
        for text in (p.stdout, p.stderr):
            self.assertNotRegex(text, "[\x1b\u202e]")
        remove(name, name.replace(".yaml", ".h5"))

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
        self.assertIn("--csv would overwrite it", p.stderr)

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
