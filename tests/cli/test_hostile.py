"""Files that were made to do harm: each is refused or harmless, in bounded time and memory."""
import os
import random
import re
import resource
import subprocess

from common import (PATIENCE, PENDULUM, SLOW, TRAMMEL, Case, fewer_if_slow, fewer_unless_long, has_units,
                    main, read, remove, run, table, write)

MEMORY = 1 << 30  # [bytes] of address space; sanitizers need more
SECONDS = 60


def limited(*args, memory=MEMORY, **more):
    def limits():
        if not SLOW:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    return run(*args, preexec_fn=limits, **more)


class Paths(Case):
    """A model reads regular files of its own folder."""

    def refused(self, text, *args):
        p = limited("check", *args)
        self.assertEqual(p.returncode, 2, (args, p.stderr))
        self.assertIn(text, p.stderr)

    def setUp(self):
        for folder in ("in/sub", "out"):
            os.makedirs(folder, exist_ok=True)
        write("out/part.yaml", "parameters: {L: 2}\n")
        write("out/points.csv", "0,0\n1,1\n")
        write("in/sub/part.yaml", "parameters: {L: 2}\n")
        self.text = PENDULUM.replace("parameters: {L: 1.3}\n", "")

    def include(self, path):
        return write("in/m.yaml", f"include: {path}\n" + self.text)

    def test_outside(self):
        outside = "is outside of the model's folder"
        self.good("check", self.include("sub/part.yaml"))
        self.good("check", self.include(os.path.abspath("in/sub/part.yaml")))
        for path in ("../out/part.yaml", os.path.abspath("out/part.yaml"), "sub/../../out/part.yaml",
                     "/etc/passwd", "/dev/zero", "/proc/self/environ"):
            self.refused(outside, self.include(path))
            self.assertIn("--allow-path", run("check", self.include(path)).stderr)
        remove("in/link.yaml", "in/folder")
        os.symlink("../out/part.yaml", "in/link.yaml")
        os.symlink("../out", "in/folder")
        self.refused(outside, self.include("link.yaml"))
        self.refused(outside, self.include("folder/part.yaml"))
        for command in ("check", "run"):
            more = ["--out", "none"] if command == "run" else []
            self.good(command, self.include("folder/part.yaml"), "--allow-path", "out", *more)
        self.refused(outside, self.include("folder/part.yaml"), "--allow-path", "in/sub")
        table_text = ("parameters: {L: 1}\ntables: {f: {file: ../out/points.csv}}\n" + self.text +
                      "events: {e: {when: f(t) - 99}}\n")
        self.refused(outside, write("in/t.yaml", table_text))
        self.good("check", "in/t.yaml", "--allow-path", "out")
        part = ("bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\nmodal_bodies: {p: {part: ../out/rod.part}}\n"
                "run: {end: 1}\n")
        write("out/rod.part", "part\n")
        self.refused(outside, write("in/p.yaml", part))

    def test_project(self):
        """A model includes files of its project: those below the nearest folder above it with a mark."""
        outside = "is outside of the model's folder"
        marks = ("trammel.project", "in/trammel.project", "in/deep/trammel.project")
        os.makedirs("in/deep/models", exist_ok=True)
        remove(*marks)
        model = write("in/deep/models/m.yaml", "include: ../../sub/part.yaml\n" + self.text)
        self.refused(outside, model)
        self.assertIn("an empty file 'trammel.project' in the folder of a project admits all below it",
                      run("check", model).stderr)
        write("in/trammel.project", "")
        self.good("check", model)
        self.good("check", "m.yaml", cwd="in/deep/models")
        self.refused(outside, write("in/deep/models/n.yaml", "include: ../../../out/part.yaml\n" + self.text))
        os.symlink("../../../out/part.yaml", "in/deep/models/l.yaml")
        self.refused(outside, write("in/deep/models/n.yaml", "include: l.yaml\n" + self.text))
        remove("in/deep/models/l.yaml")
        write("in/deep/trammel.project", "")  # the nearest one counts
        self.refused(outside, model)
        remove(*marks)
        for mark in (lambda: os.symlink("../sub/part.yaml", "in/deep/trammel.project"),
                     lambda: os.mkfifo("in/trammel.project")):  # neither is a mark
            mark()
            self.refused(outside, model)
        remove(*marks)
        if os.geteuid() == 0:  # one that another user has put there is none
            write("in/trammel.project", "")
            os.chown("in/trammel.project", 12345, 12345)
            self.refused(outside, model)
            remove(*marks)

    def test_study(self):
        """The folder of a study, which is given on the command line, is one of its model."""
        remove("in/s.csv", "in/s.h5", "in/s.journal", "in/trammel.project")
        os.makedirs("in/models", exist_ok=True)
        model = write("in/models/m.yaml", "include: ../sub/part.yaml\n" + self.text)
        self.refused("is outside of the model's folder", model)
        study = "model: %s\nparameters: {L: [1, 2]}\nquantities: {x: {of: bob.x}}\n"
        write("in/s.yaml", study % "models/m.yaml")
        self.good("study", "in/s.yaml", "--out", "in/s", "--quiet")
        self.good("study", "s.yaml", "--overwrite", "--quiet", cwd="in")
        write("in/models/m.yaml", "include: ../../out/part.yaml\n" + self.text)
        p = self.bad(2, "study", "in/s.yaml", "--out", "in/s", "--overwrite")
        self.assertIn("is outside of", p.stderr)

    def test_meshes(self):
        """Meshes and height fields have the rule of all files, also behind links, whoever reads them."""
        remove("in/a.obj", "in/link.obj", "in/folder", "in/fifo.obj")
        triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
        for name in ("in/a.obj", "out/a.obj"):
            write(name, triangle)
        os.symlink("../out/a.obj", "in/link.obj")
        os.symlink("../out", "in/folder")
        os.mkfifo("in/fifo.obj")
        for use in ("mass: 1, inertia: [1, 1, 1]", "density: 1"):
            def model(path):
                return write("in/m.yaml", "bodies: {b: {%s, shape: {type: mesh, file: %s}}}\n"
                             "run: {end: 0.01}\n" % (use, path))
            for path in ("a.obj", "sub/../a.obj", os.path.abspath("in/a.obj")):
                self.good("run", model(path), "-o", "r.h5")
            for path in ("link.obj", "folder/a.obj", "../out/a.obj", os.path.abspath("out/a.obj")):
                self.refused("is outside of the model's folder", model(path))
                self.assertEqual(limited("run", model(path), "-o", "r.h5").returncode, 2)
                self.good("run", model(path), "--allow-path", "out", "-o", "r.h5")
            self.refused("it is not a regular file", model("fifo.obj"))
            p = limited("run", model("none.obj"), "-o", "r.h5")
            self.assertEqual(p.returncode, 2)
            self.assertRegex(p.stderr, r"in/m\.yaml:1:\d+: error: .*read the mesh 'in/none\.obj': No such")

    def test_pipes(self):
        """A pipe that nobody writes does not keep a command waiting; one that somebody writes is read."""
        remove("fifo", "f.csv", "f.h5", "s.csv", "s.h5", "s.journal")
        for name in ("fifo", "f.csv", "f.h5"):
            os.mkfifo(name)
        write("s.yaml", "model: fifo\nparameters: {L: {values: [1, 2]}}\nquantities: {x: {take: growth}}\n")
        for args in (["check", "fifo"], ["run", "fifo", "-o", "none"], ["study", "s.yaml"], ["study", "fifo"],
                     ["stats", "f.csv"], ["stats", "f.h5"], ["view", "f.csv"], ["view", "f.h5"],
                     ["verify", "fifo"], ["export", "f.h5", "-o", "x.glb"]):
            p = limited(*args)
            self.assertEqual(p.returncode, 2, (args, p.stderr))
            self.assertRegex(p.stderr, "it is a pipe that nobody writes|not a regular file", args)
        write("m.yaml", PENDULUM)
        write("s.yaml", read("s.yaml").replace("fifo", "m.yaml"))
        self.assertIn("it is not a regular file", limited("study", "merge", "s.yaml", "fifo").stderr)
        for text, code in ((PENDULUM, 0), (PENDULUM + "x: 1\n", 2)):
            with subprocess.Popen(["sh", "-c", "sleep 0.3; cat"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE) as slow:
                slow.stdin.write(text.encode())
                slow.stdin.close()
                p = subprocess.run([TRAMMEL, "check", "/dev/stdin"], stdin=slow.stdout, capture_output=True,
                                   timeout=PATIENCE, check=False)
                self.assertEqual(p.returncode, code, p.stderr)

    def test_no_files(self):
        remove("in/fifo", "in/zero")
        os.mkfifo("in/fifo")
        self.refused("it is not a regular file", self.include("fifo"))
        self.refused("it is a directory", self.include("sub"))
        os.symlink("/dev/zero", "in/zero")
        self.refused("outside", self.include("zero"))
        self.refused("it is not a regular file", self.include("zero"), "--allow-path", "/dev")
        with open("in/large.yaml", "wb") as f:
            f.truncate(65 << 20)
        self.refused("it is larger than 64 MB", self.include("large.yaml"))
        self.refused("it is larger than 64 MB", "/dev/zero")
        self.refused("it is larger than 64 MB", "in/large.yaml")
        remove("in/large.yaml")


class Results(Case):
    """Results and references that are read."""

    def refused(self, text, *args):
        p = limited(*args)
        self.assertNotEqual(p.returncode, 0, args)
        self.assertIn(text, p.stderr)

    def test_no_files(self):
        write("p.yaml", PENDULUM)
        for name in ("f.csv", "f.h5", "z.csv", "z.h5"):
            remove(name)
        for name in ("f.csv", "f.h5"):
            os.mkfifo(name)
        for name in ("z.csv", "z.h5"):
            os.symlink("/dev/zero", name)
        for name in ("f.csv", "f.h5", "z.csv", "z.h5"):
            self.refused("it is not a regular file", "compare", "p.yaml", "--methods", "bdf", "--tols",
                         "1e-3", "--reference", name)
            self.refused("", "run", "--resume", name)
        for name in ("f.sim", "z.sim"):
            remove(name)
        os.mkfifo("f.sim")
        os.symlink("/dev/zero", "z.sim")
        for name in ("f.sim", "z.sim"):
            self.refused("it is not a regular file", "run", "p.yaml", "--out", "none", "--continue", name)

    def test_names(self):
        """Names and units of a result reach neither a terminal nor a page as they are."""
        evil = "a\x1b[2J\u202e\x9b<script>&'\x07"
        write("n.csv", f't,"{evil}"\n# [s],[m\x1b]0;x\x07]\n0,1\n1,2\n2,4\n')
        self.good("export", "n.csv", "-o", "n2.csv", "--units")
        self.good("plot", "n.csv", "t", "--title", evil, "-o", "n.svg")
        page = [read("n2.csv"), read("n.svg")]
        self.assertNotIn("<script", page[1])
        for args in (["stats", "n.csv"], ["stats", "n.csv", "nothing"], ["plot", "n.csv", "a", "-o", "n.svg"],
                     ["compare", "p.yaml", "--reference", "n.csv", "--methods", "bdf", "--tols", "1e-3"]):
            p = run(*args)
            page += [p.stdout, p.stderr]
        for text in page:
            for hidden in ("\x1b", "\x07", "\u202e", "\x9b"):
                self.assertNotIn(hidden, text)

    def test_far_values(self):
        """Values at the ends of the range of numbers have axes with labels."""
        for name, values in (("large", (-1.7e308, 1.7e308, 0)), ("small", (5e-324, 0, 5e-324)),
                             ("close", (1e300, 1.0000000000000002e300, 1e300))):
            write("v.csv", "t,x\n" + "".join(f"{i},{x!r}\n" for i, x in enumerate(values)))
            self.good("plot", "v.csv", "x", "-o", "v.svg")
            left = re.findall(r'text-anchor="end"[^>]*>([^<]+)</text>', read("v.svg"))
            self.assertGreaterEqual(len(left), 2, name)

    def test_mark(self):
        """A result that another program saved with a byte order mark has the same times."""
        write("plain.csv", "t,x\n0,1\n2,3\n")
        write("marked.csv", "\ufefft,x\n0,1\n2,3\n")
        for name in ("plain.csv", "marked.csv"):
            self.assertRegex(self.good("stats", name, "x").stdout, r"(?m)^x +1 +0 +3 +2 +2 ")
        remove("plain.csv", "marked.csv")

    def test_formulas(self):
        """Names that begin like a formula of a spreadsheet do not when they are written again."""
        write("formulas.csv", "t,=1+1,@SUM(A1),\"+a,b\"\n0,1,2,3\n")
        self.good("export", "formulas.csv", "-o", "written.csv", "--quiet")
        self.assertEqual(read("written.csv").splitlines()[0], "t,'=1+1,'@SUM(A1),\"'+a,b\"")
        remove("formulas.csv", "written.csv")

    def test_many_members(self):
        write("p.yaml", PENDULUM)
        for more in ("parameters: {L: {from: 1, to: 2, count: 1000000000}}",
                     "parameters: {L: {from: 1, to: 2}}\nsampling: {method: random, members: 1000000000}"):
            write("many.yaml", "model: p.yaml\nquantities: {x: {take: growth}}\n" + more + "\n")
            self.refused("more than 10000000 members", "study", "many.yaml", "--list")

    def test_sparse(self):
        """A file of 100 GB that takes no space."""
        write("p.yaml", PENDULUM)
        for name in ("s.csv", "s.sim"):
            with open(name, "wb") as f:
                f.truncate(100 << 30)
        self.refused("it is larger than", "compare", "p.yaml", "--methods", "bdf", "--tols", "1e-3",
                     "--reference", "s.csv")
        self.refused("it is larger than", "run", "p.yaml", "--out", "none", "--continue", "s.sim")
        remove("s.csv", "s.sim")

    def test_closed_pipe(self):
        write("p.yaml", PENDULUM.replace("end: 0.5", "end: 500"))
        remove("pipe.csv")
        os.mkfifo("pipe.csv")
        p = subprocess.Popen([TRAMMEL, "run", "p.yaml", "--csv", "pipe.csv", "--quiet"],
                             stderr=subprocess.PIPE, text=True)
        with open("pipe.csv", encoding="utf-8") as f:
            f.readline()
        error = p.stderr.read()
        p.stderr.close()
        self.assertEqual(p.wait(), 1)
        self.assertIn("Broken pipe", error)

    def test_file_size_limit(self):
        write("p.yaml", PENDULUM.replace("end: 0.5", "end: 20"))
        for path in ("l.csv", "l.h5"):
            self.good("run", "p.yaml", "-o", "whole." + path, "--quiet")
            remove(path, path + ".resume")

            def limit():
                resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
            p = run("run", "p.yaml", "-o", path, "--quiet", preexec_fn=limit)
            self.assertEqual(p.returncode, 1, p.stderr)
            self.assertIn("File too large", p.stderr)
            self.assertIn("--resume", p.stderr)
            if path == "l.csv":
                self.assertTrue(read("whole.l.csv").startswith(read(path)))
                self.assertTrue(read(path).endswith("\n"))
            self.good("run", "--resume", path, "--quiet")
            if path == "l.csv":
                self.assertEqual(read(path), read("whole.l.csv"))


class Texts(Case):
    """Names, nesting and amounts in model files."""

    def refused(self, text, model, seconds=SECONDS):
        write("h.yaml", model)
        p = limited("check", "h.yaml")
        self.assertEqual(p.returncode, 2, (model[:200], p.stderr))
        self.assertIn("error: ", p.stderr)
        self.assertIn(text, p.stderr)
        for c in p.stderr:
            self.assertTrue(c == "\n" or c.isprintable(), repr(c))

    def test_deep(self):
        for text in ("[" * 100000, "{a: " * 100000, "- " * 100000, "bodies:\n" + "".join(
                " " * i + "a:\n" for i in range(1, 3000)), "&a [*a]", "title: " + "(" * 100000):
            self.refused("", text + "\n")
        self.refused("", PENDULUM.replace("bob.y + L", "(" * 50000 + "L" + ")" * 50000))
        self.refused("", PENDULUM.replace("bob.y + L", "-" * 100000 + "L"))

    def test_aliases(self):
        """A billion laughs."""
        text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for i in range(1, 12):
            text += f"a{i}: &a{i} [" + ", ".join([f"*a{i - 1}"] * 10) + "]\n"
        self.refused("", text + PENDULUM)
        self.refused("", PENDULUM.replace("bodies:", text + "bodies:"))

    def test_repeats(self):
        for count in ("1e9", "2000000", "9007199254740993", "1e300", "nan"):
            self.refused("", PENDULUM + f"repeat:\n  - {{index: i, from: 1, to: {count}, bodies: "
                                        "{\"b{i}\": {mass: 1, inertia: 1}}}\n")

    def test_names(self):
        bad = ["a\\u0007", "a\\u001b[31m", "\\u202eevil", "a\\u2066b", "\\u200fa", "a b", "a,b", "=1+1", "+1",
               "-1", "@SUM(A1)", "a\\nb", "a\\0b", "ground", ""]
        for name in bad:
            self.refused("", PENDULUM.replace("  bob:", f"  \"{name}\":"))
            self.refused("", PENDULUM.replace("  height:", f"  \"{name}\":"))
            self.refused("", PENDULUM.replace("  pin:", f"  \"{name}\":"))

    def test_title(self):
        """Control characters and bidirectional marks of a title do not reach the terminal."""
        for mark in ("\\u001b[2J", "\\u0007", "\\u202e", "\\u2067", "\\u009b31m"):
            write("h.yaml", PENDULUM.replace('Pendulum "of" the tests', f'"x{mark}y"'))
            p = limited("run", "h.yaml", "--out", "h.csv")
            for c in p.stdout + p.stderr:
                self.assertTrue(c in "\n" or c.isprintable(), (mark, repr(c)))

    def test_encodings(self):
        for data in (b"\xff\xfe\x00b", b"title: \xc3\x28\n", b"title: \xed\xa0\x80\n",
                     b"title: \xf8\x88\x80\x80\x80\n", b"title: a\x00b\n", b"\x00" * 1000,
                     b"\x89HDF\r\n\x1a\n" + b"\x00" * 500):
            with open("h.yaml", "wb") as f:
                f.write(data + PENDULUM.split("\n", 1)[1].encode())
            p = limited("check", "h.yaml")
            self.assertEqual(p.returncode, 2, (data, p.stderr, p.stdout))

    def test_formula_in_csv(self):
        """No column name or value of a result begins like a formula of a spreadsheet."""
        write("h.yaml", PENDULUM)
        self.good("run", "h.yaml", "--csv", "h.csv", "--quiet")
        for name in table("h.csv"):
            self.assertTrue(name[0].isalpha() or name[0] == "_", name)
        for unit in ("=1+1", "@SUM(A1)", "+1", "-1"):  # the only texts of a model in a result
            write("h.yaml", PENDULUM + f"inputs: {{push: {{value: 1, unit: '{unit}'}}}}\n"
                  "events: {e: {when: push - 9}}\n")
            self.good("run", "h.yaml", "--csv", "h.csv", "--quiet")
            cells = read("h.csv").splitlines()[1].split(",")
            self.assertIn(f"[{unit}]", cells)
            self.assertEqual({c[0] for c in cells}, {"#", "["})
        for unit in ("m,=1+1", "m\\n=1+1"):
            write("h.yaml", PENDULUM + f'inputs: {{push: {{value: 1, unit: "{unit}"}}}}\n')
            p = limited("run", "h.yaml", "--csv", "h.csv", "--quiet")
            self.assertEqual(p.returncode, 2, p.stderr)

    def test_random_outline(self):
        """Random points are no outline: refused at once, where a check took 10 s, and two of them hours."""
        r = random.Random(3)
        points = ", ".join(f"[{r.choice((-1, 1)) * 10 ** r.uniform(-6, 6)!r}, "
                           f"{r.choice((-1, 1)) * 10 ** r.uniform(-6, 6)!r}]" for _ in range(20000))
        self.refused("profile 's': its outline crosses itself near (",
                     "planar: true\nbodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1}}\nshapes:\n"
                     f"  s: {{type: profile, at: a, points: &p [{points}]}}\n"
                     "  r: {type: profile, at: b, points: *p}\n"
                     "contacts: {c: {a: s, b: r, stiffness: 1e5}}\n")

    def test_many_bodies(self):
        """Free bodies are checked in a time proportional to their number: 7 s for 300,000."""
        count = fewer_if_slow("Texts.test_many_bodies", "6000", fewer_unless_long("60000", "300000"),
                              "builds many bodies")
        write("h.yaml", "gravity: [0, 0, -9.81]\nrepeat:\n  - {index: i, from: 1, to: " + count +
              ", bodies: {\"b{i}\": {mass: 1, inertia: [1, 1, 1], position: [2*i, 0, 0]}}}\nrun: {end: 1}\n")
        p = limited("check", "h.yaml", memory=8 * MEMORY)
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertIn(count, p.stdout.replace(",", ""))


class Terminal(Case):
    """Names of files, in whatever a command says of them, steer no terminal."""
    NAME = "n\x1b[31m\u202e\x9b"
    ROBOT = '<robot name="r"><link name="a"><visual/></link><link name="b"><inertial><mass value="1"/>' \
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="j" ' \
        'type="continuous"><parent link="a"/><child link="b"/></joint></robot>'
    STUDY = "model: n.yaml\nsampling: {method: random, members: 2, seed: 1}\n" \
        "parameters: {L: {from: 1, to: 2}}\nquantities: {far: {of: bob.x, take: final}}\n"
    ARM = "beams: {arm: {type: rectangle, end: [1, 0, 0], width: 0.02, height: 0.01, material: steel, " \
        "elements: 2}}\nrun: {end: 1}\n"

    def clean(self, *args):
        p = subprocess.run([TRAMMEL, *args], capture_output=True, text=True, encoding="utf-8", timeout=600,
                           check=False)
        self.assertEqual(p.returncode, 0, (args, p.stderr))
        said = p.stdout + p.stderr
        self.assertFalse(set("\x1b\u202e\x9b") & set(said), (args, said))

    def test_names_of_files(self):
        model, robot, study, result = (self.NAME + ending for ending in (".yaml", ".urdf", ".study", ".h5"))
        for name, text in ((model, PENDULUM), ("n.yaml", PENDULUM), (robot, self.ROBOT), (study, self.STUDY),
                           ("arm.yaml", self.ARM)):
            write(name, text)
        remove(self.NAME + ".journal")
        told = [("run", model, "-o", result), ("check", model), ("static", model),
                ("import", robot, "-o", self.NAME + "i.yaml"), ("view", result, "-o", self.NAME + ".html"),
                ("export", result, "-o", self.NAME + ".csv"),
                ("study", study, "--overwrite", "--out", self.NAME),
                ("reduce", "arm.yaml", "--interface", "root=arm.start,tip=arm.end", "--modes", "1", "-o",
                 self.NAME + ".part"),
                ("compare", model, "--methods", "bdf"), ("modes", model), ("linearize", model),
                ("stats", result)]
        if has_units():
            told.append(("fmu", model, "-o", self.NAME + ".fmu"))
        for args in told:
            self.clean(*args)


if __name__ == "__main__":
    main()
