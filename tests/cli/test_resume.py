"""trammel run --resume: the result of a run that was killed, interrupted, met a full disk or had an earlier
end becomes that of a run without all this, bit by bit."""
import fcntl
import os
import re
import resource
import signal
import subprocess
import unittest

from common import (FAULTS, PENDULUM, SLOW, SOURCE, TRAMMEL, Case, csv_lines, each, faulty,
                    fewer_unless_long, main, read, remove, run, skip_if_slow, table, write)

FORMATS = ("csv", "h5")
# rows of some steps, rows within one step
MODEL = PENDULUM.replace("end: 0.5, output_step: 0.01, step: 1e-3", "end: 0.4, output_step: 4e-4, step: 1e-3")
# two bars that a stiff spring keeps in line, under their weight: steps do not resolve its vibrations
STIFF = """\
planar: true
gravity: 10
bodies:
  a: {mass: 1, inertia: 0.08, position: [0.5, 0], frames: {left: [-0.5, 0], right: [0.5, 0]}}
  b: {mass: 1, inertia: 0.08, position: [1.5, 0], frames: {left: [-0.5, 0]}}
joints:
  pin1: {type: revolute, a: ground, b: a.left}
  pin2: {type: revolute, a: a.right, b: b.left}
forces: {spring: {type: coordinate, of: pin2.angle, stiffness: 1e9}}
run: {end: 1, output_step: 0.001, method: radau5, kinematics: %s}
"""
METHODS = ("genalpha", "hht", "midpoint", "bdf", "radau5", "erk8", "ggl", "adams", "for-sdirk",
           "trust-region")


def values(path):
    """The rows of a result file as bytes that can be compared."""
    if path.endswith(".csv"):
        with open(path, "rb") as f:
            return f.read()
    out = path + ".raw"
    remove(out)
    p = subprocess.run(["h5dump", "-d", "/values", "-b", "LE", "-o", out, path], capture_output=True,
                       text=True, check=False)
    assert p.returncode == 0, p.stderr
    if not os.path.exists(out):
        return b""
    with open(out, "rb") as f:
        return f.read()


def whole(path):
    """The rows without an incomplete last line (CSV), or without rows that are announced only (HDF5)."""
    data = values(path)
    if path.endswith(".csv"):
        return data[:data.rfind(b"\n") + 1]
    nan = bytes.fromhex("000000000000f87f")
    while data.endswith(nan):
        data = data[:-8]
    return data


def clean(path):
    remove(path, path + ".resume")
    for name in os.listdir("."):
        if name.startswith(path + ".") and "part" in name:
            remove(name)


@unittest.skipUnless(FAULTS, "no library of faults in this build")
class Killed(Case):
    def setUp(self):
        write("m.yaml", MODEL)

    def uncut(self, path):
        """Values of the whole run, and the number of changes of files that it makes."""
        clean(path)
        remove("log")
        p = faulty("run", "m.yaml", "-o", path, "--quiet", log="log")
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        found = re.search(r"changes (\d+)", read("log"))
        return values(path), int(found.group(1))

    def check(self, path, good, **faults):
        clean(path)
        p = faulty("run", "m.yaml", "-o", path, "--quiet", **faults)
        self.assertIn(p.returncode, (-signal.SIGKILL, 0), p.stderr)
        if os.path.exists(path):
            self.assertTrue(good.startswith(whole(path)), faults)
        elif not os.path.exists(path + ".resume"):
            q = self.bad(2, "run", "--resume", path)
            self.assertIn("There is no result", q.stderr)
            return 0
        rows = len(whole(path)) if os.path.exists(path) else 0
        q = run("run", "--resume", path, "--quiet")
        self.assertEqual(q.returncode, 0, (faults, q.stderr))
        self.assertTrue(values(path) == good, faults)
        return rows

    @each(FORMATS)
    def test_at_changes(self, form):
        """At every change of a file, also amid a write; in brief: about the first rows and at some more."""
        path = "a." + form
        good, changes = self.uncut(path)
        self.assertGreater(changes, 100)
        some = sorted({2, 21, 22, 23, 24, changes - 1, changes} | set(range(30, changes, changes // 3)))
        found = [self.check(path, good, kill=k) for k in fewer_unless_long(some, range(1, changes + 1))]
        self.assertGreater(found[-1], 0.9 * len(good))
        self.assertGreater(len(set(found)), 3)
        for k in fewer_unless_long(some[3::3], range(1, changes + 1)):
            self.check(path, good, kill=k, torn=1)

    def test_outputs_of_a_stiff_model(self):
        """Accelerations and reactions without unresolved vibrations depend on matrices, too."""
        for kind in "joints", "bodies":
            write("m.yaml", STIFF % kind)
            good, changes = self.uncut("d.csv")
            for k in range(5, changes, changes // 5):
                self.check("d.csv", good, kill=k)

    @each(FORMATS)
    def test_resumed_run_is_killed(self, form):
        path = "b." + form
        good, changes = self.uncut(path)
        clean(path)
        for k in (changes // 3, 40, 3, 1):
            args = ["run", "m.yaml", "-o", path] if k == changes // 3 else ["run", "--resume", path]
            self.assertEqual(faulty(*args, "--quiet", kill=k).returncode, -signal.SIGKILL)
            self.assertTrue(good.startswith(whole(path)), k)
        self.good("run", "--resume", path, "--quiet")
        self.assertTrue(values(path) == good)

    @each(FORMATS)
    def test_full_disk(self, form):
        path = "c." + form
        good, _ = self.uncut(path)
        most = len(good) + 20000
        for full in (100, *range(most // 16, most - 20000, most // 16)):
            clean(path)
            p = faulty("run", "m.yaml", "-o", path, "--quiet", full=full)
            self.assertEqual(p.returncode, 1, (full, p.stderr))
            self.assertIn("No space left on device", p.stderr)
            if not os.path.exists(path):
                continue
            rows = values(path)
            if form == "csv":
                self.assertTrue(rows.endswith(b"\n"))
            self.assertTrue(good.startswith(whole(path)), full)
            q = run("run", "--resume", path, "--quiet")
            if q.returncode != 0:  # there was no room for the first checkpoint
                self.assertIn("There is nothing to continue", q.stderr)
                self.assertLess(full, most // 4)
                continue
            self.assertTrue(values(path) == good, full)


@skip_if_slow("needs many runs")
class Ended(Case):
    def by_continue(self, model, method, path, first, last):
        """A run with the end `first`, resumed twice, against a saved simulation of it that never saw this
        end."""
        self.good("run", model, "--method", method, "--end", first, "--output-step", "0.01", "-o", path,
                  "--quiet", "--save", "s.sim", "--save-at", "0.1")
        middle = str((float(first) + float(last)) / 2 + 0.0031)
        self.good("run", "--resume", path, "--end", middle, "--quiet")
        self.good("run", "--resume", path, "--end", last, "--quiet")
        self.good("run", model, "--continue", "s.sim", "--end", last, "-o", "tail.csv", "--quiet")
        tail = csv_lines("tail.csv")[1:]
        self.assertTrue(read(path).splitlines()[-len(tail):] == tail, method)
        clean(path)

    def test_later_end(self):
        model = os.path.join(SOURCE, "models", "slider_crank.yaml")
        for method in fewer_unless_long(("genalpha", "bdf", "erk8"), METHODS):
            self.by_continue(model, method, "d.csv", "0.313", "0.5")

    @each(FORMATS)
    def test_complete(self, form):
        path = write("p.yaml", PENDULUM) and "e." + form
        clean(path)
        self.good("run", "p.yaml", "-o", path, "--quiet")
        before = values(path)
        p = run("run", "--resume", path)
        self.assertEqual(p.returncode, 0)
        self.assertIn("the run is complete", p.stderr)
        self.assertEqual(values(path), before)
        self.assertEqual(os.path.exists(path + ".resume"), form == "csv")

    def test_kinematics(self):
        model = os.path.join(SOURCE, "models", "stewart_platform.yaml")
        self.good("kinematics", model, "--csv", "k.csv", "--end", "0.2", "--output-step", "0.01", "--quiet")
        self.good("run", "--resume", "k.csv", "--end", "0.4", "--quiet")
        self.good("kinematics", model, "--csv", "l.csv", "--end", "0.4", "--output-step", "0.01", "--quiet")
        a, b = table("k.csv"), table("l.csv")
        # the time of the run scales the first step of the search: the last digits differ
        for name in a.keys() - {"step"}:
            for u, v in zip(a[name], b[name], strict=True):
                self.assertAlmostEqual(u, v, delta=1e-9 * (1 + abs(v)))


@unittest.skipUnless(FAULTS, "no library of faults in this build")
class Stopped(Case):
    def interrupt(self, *args):
        """A run that receives SIGINT at its 60th change of a file, whatever the machine's speed."""
        p = faulty(*args, kill=60, signal=int(signal.SIGINT))
        self.assertEqual(p.returncode, 1, p.stderr)
        self.assertIn("--resume continues the run", p.stderr)

    def test_interrupted(self):
        """The model and its files are changed and gone when the run is continued, elsewhere."""
        os.makedirs("sub", exist_ok=True)
        os.makedirs("other", exist_ok=True)
        write("sub/part.yaml", "parameters: {L: 1.3}\n")
        write("sub/points.csv", "x,y\n0,0\n1,0.1\n2,0\n")
        bump = ("tables: {bump: {file: points.csv, interpolation: spline, outside: hold}}\n"
                "forces: {push: {type: applied, at: bob, force: [bump(t), 0]}}\n")
        text = PENDULUM.replace("parameters: {L: 1.3}\n", "include: part.yaml\n" + bump)
        write("sub/m.yaml", text.replace("end: 0.5", "end: 10"))
        for form in FORMATS:
            good, path = "good." + form, "other/i." + form
            remove(good, path, path + ".resume")
            args = ["run", "sub/m.yaml", "--set", "L=1.4", "--quiet", "-o"]
            with open("sub/points.csv", encoding="utf-8") as f:
                points = f.read()
            self.good(*args, good)
            self.interrupt(*args, path)
            self.assertLess(len(values(path)), len(values(good)))
            remove("sub/points.csv")
            os.rename("sub/m.yaml", "sub/gone.yaml")
            self.good("run", "--resume", "i." + form, "--quiet", cwd="other")
            self.assertTrue(values(path) == values(good))
            write("sub/points.csv", points)
            os.rename("sub/gone.yaml", "sub/m.yaml")

    def test_replaced(self):
        """A new run on top of an unfinished one says so, and is a whole run."""
        write("p.yaml", PENDULUM)
        write("long.yaml", PENDULUM.replace("end: 0.5", "end: 10"))
        for form in FORMATS:
            path = "r." + form
            clean(path)
            self.interrupt("run", "long.yaml", "-o", path, "--quiet")
            q = run("run", "p.yaml", "-o", path, "--quiet")
            self.assertEqual(q.returncode, 0)
            self.assertIn("had not reached its end; it is replaced", q.stderr)
            self.good("run", "p.yaml", "-o", path, "--quiet")

    def test_attribute(self):
        """The file says whether its run has reached its end, among its first bytes, also when it is taken to
        a later one. Where they do not say it, as in files of earlier versions, its checkpoint does."""
        write("p.yaml", PENDULUM)
        clean("a.h5")
        for again in (False, True):
            self.good("run", "p.yaml", "-o", "a.h5", "--quiet")
            self.assertIn('"trammel run complete"', self.dump("run"))
            if again:  # moved by a block before them
                write("block", 4096 * "x")
                subprocess.run(["h5jam", "-i", "a.h5", "-u", "block"], check=True)
            with open("a.h5", "rb") as f:
                self.assertEqual(b"trammel run complete" in f.read(2048), not again)
            self.assertEqual(run("run", "p.yaml", "-o", "a.h5", "--quiet").stderr, "")
            self.assertIn('"trammel run complete"', self.dump("run"))
            self.interrupt("run", "--resume", "a.h5", "--end", "10", "--quiet")
            self.assertIn('"trammel run open"', self.dump("run"))
            q = run("run", "p.yaml", "-o", "a.h5", "--quiet")
            self.assertIn("had not reached its end; it is replaced", q.stderr)

    def test_attribute_alone(self):
        """It says so, too, if nothing could be kept to continue from."""
        write("p.yaml", PENDULUM)
        clean("a.h5")
        os.mkdir("a.h5.resume")
        p = run("run", "p.yaml", "-o", "a.h5", "--quiet")
        os.rmdir("a.h5.resume")
        self.assertEqual(p.returncode, 0)
        self.assertIn("cannot be continued later", p.stderr)
        self.assertIn('"trammel run complete"', self.dump("run"))
        self.assertIn("nothing to continue", self.bad(2, "run", "--resume", "a.h5").stderr)

    def dump(self, attribute):
        p = subprocess.run(["h5dump", "-a", attribute, "a.h5"], capture_output=True, text=True, check=False)
        self.assertEqual(p.returncode, 0, p.stderr)
        return p.stdout


TOUCHING = """\
gravity: 9.81
bodies:
  stone: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0.3], shape: {type: mesh, file: tri.obj}}
  ball: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [3, 0, 0.3], shape: {type: mesh, file: seen.obj}}
  far: {density: 1, position: [6, 0, 0.3], shape: {type: mesh, file: heavy.obj}}
shapes:
  floor: {type: plane, at: ground, normal: [0, 0, 1]}
  hills: {type: height-field, at: ground, length: 2, width: 2, file: hills.csv}
contacts:
  c: {a: stone, b: floor, stiffness: 1e5, damping: 0.1}
  d: {a: stone, b: hills, stiffness: 1e5, damping: 0.1}
run: {end: 0.1, output_step: 0.01}
"""
TRIANGLES = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


class Meshes(Case):
    """A run goes on with the meshes that it began with, or not at all."""

    def setUp(self):
        write("m.yaml", TOUCHING)
        write("hills.csv", "0,0\n0,0\n")
        for name in ("tri.obj", "seen.obj", "heavy.obj"):
            write(name, TRIANGLES)

    def test_meshes(self):
        self.good("run", "m.yaml", "-o", "whole.csv", "--quiet")
        self.good("run", "--resume", "whole.csv", "--end", "0.4", "--quiet")
        for form in FORMATS:
            name = f"r.{form}"
            clean(name)
            self.good("run", "m.yaml", "-o", name, "--quiet")
            kept = values(name)
            for mesh in ("tri.obj", "heavy.obj"):
                for text, said in ((TRIANGLES.replace("v 1 0 0", "v 2 0 0"), f"'{mesh}' has changed"),
                                   (TRIANGLES + "# the same\n", f"'{mesh}' has changed"),
                                   ("", f"'{mesh}' has changed"), (None, f"Cannot read the mesh '{mesh}'")):
                    remove(mesh)
                    if text is not None:
                        write(mesh, text)
                    p = self.bad(2, "run", "--resume", name, "--end", "0.4", "--quiet")
                    self.assertIn(said, p.stderr)
                    self.assertRegex(p.stderr, "put the file back|needs it as it was")
                    self.assertEqual(values(name), kept)
                write(mesh, TRIANGLES)
            remove("seen.obj")  # which nothing touches, and which weighs nothing
            self.good("run", "--resume", name, "--end", "0.4", "--quiet")
            write("seen.obj", TRIANGLES)
        self.assertEqual(read("r.csv"), read("whole.csv"))

    def test_saved(self):
        for mesh, text in (("tri.obj", TRIANGLES.replace("v 1 0 0", "v 2 0 0")), ("hills.csv", "0,0\n0,1\n")):
            self.setUp()
            self.good("run", "m.yaml", "-o", "none", "--save", "c.sim", "--end", "0.05", "--quiet")
            again = ("run", "m.yaml", "--continue", "c.sim", "-o", "none", "--quiet")
            self.good(*again, "--end", "0.1")
            write(mesh, text)
            p = self.bad(2, *again, "--end", "0.4")
            self.assertIn("has changed since", p.stderr)
            self.assertIn(mesh, p.stderr)

    def test_missing(self):
        """A mesh that is only seen may be missing, but not without a word."""
        remove("seen.obj")
        self.assertIn("m.yaml:4: the mesh 'seen.obj' is not there", run("check", "m.yaml").stderr)


class Refused(Case):
    def refused(self, text, *args):
        self.assertIn(text, self.bad(2, *args).stderr)

    def test_end_beyond_an_event(self):
        """The summary names the end that was asked for, not that of the model."""
        write("e.yaml", PENDULUM + "events: {there: {when: \"t - 0.3\"}}\n")
        p = self.good("run", "e.yaml", "-o", "e.csv")
        self.assertIn(" of 0.5 s: ended by event 'there'", p.stdout)
        p = self.good("run", "--resume", "e.csv", "--end", "0.8")
        self.assertIn(" of 0.8 s: ended by event 'there'", p.stdout)

    def test_refused(self):
        write("p.yaml", PENDULUM)
        self.good("run", "p.yaml", "-o", "a.csv", "--quiet")
        resume = ["run", "--resume", "a.csv"]
        self.refused("There is no result 'none.h5'", "run", "--resume", "none.h5")
        self.refused("is no result file", "run", "--resume", "p.yaml")
        self.refused("--set cannot be given", *resume, "--set", "L=1")
        self.refused("--out cannot be given", *resume, "--out", "b.csv")
        self.refused("--tol cannot be given", *resume, "--tol", "1e-3")
        text = read("a.csv")
        with open("a.csv.resume", "rb") as f:
            data = f.read()
        later = [*resume, "--end", "1", "--quiet"]
        for new, message in ((text.replace("bob.x", "bob.X"), "its channels are not those of the run"),
                             ("".join(text.splitlines(True)[:5]), "it has fewer rows"),
                             (text.replace(",", ",1", 500), "its channels are not"),
                             (text.replace("\n0.4", "\n0.40"), "its rows are not those of the run")):
            write("a.csv", new)
            p = run(*later)
            self.assertNotEqual(p.returncode, 0)
            self.assertIn(message, p.stderr)
            self.assertEqual(read("a.csv"), new)
        write("a.csv", text)
        for new, message in ((data[:1000], "truncated"), (data[:-9] + b"x" + data[-8:], "checksum"),
                             (b"", "not a saved simulation")):
            with open("a.csv.resume", "wb") as f:
                f.write(new)
            self.refused(message, *later)
        remove("a.csv.resume")
        self.refused("the file '.resume' beside it is missing", *later)
        with open("a.csv.resume", "wb") as f:
            f.write(data)
        self.good(*later)

    @unittest.skipUnless(FAULTS, "needs the library of faults")
    def test_two_programs_begin(self):
        """One that comes too late to write its result takes its checkpoint away again."""
        write("p.yaml", PENDULUM)
        self.good("run", "p.yaml", "-o", "two.h5", "--quiet")
        environment = dict(os.environ, LD_PRELOAD=FAULTS, FAULT_SIGNAL=str(int(signal.SIGSTOP)))
        write("two.h5.resume", "")
        for k in range(1, 100):  # stopped when its checkpoint gets its name, before its result does
            late = subprocess.Popen([TRAMMEL, "run", "p.yaml", "-o", "two.h5", "--set", "L=0.9", "-q"],
                                    env=dict(environment, FAULT_KILL=str(k)), text=True,
                                    stderr=subprocess.PIPE)
            os.waitpid(late.pid, os.WUNTRACED)
            if any(name.startswith("two.h5.resume.part") for name in os.listdir(".")):
                break
            late.kill()
            late.communicate()
        with open("two.h5", "rb") as other:
            fcntl.flock(other, fcntl.LOCK_EX)
            late.send_signal(signal.SIGCONT)
            self.assertIn("another program is writing it", late.communicate()[1])
        self.assertEqual(late.returncode, 1)
        self.good("run", "--resume", "two.h5", "--end", "1", "--quiet")
        self.good("run", "p.yaml", "-o", "one.h5", "--quiet")
        self.good("run", "--resume", "one.h5", "--end", "1", "--quiet")
        self.assertEqual(values("two.h5"), values("one.h5"))

    def test_no_room_for_a_checkpoint(self):
        """The checkpoint of an earlier run does not stay beside a result that it does not belong to."""
        write("p.yaml", PENDULUM)
        few = ("run", "p.yaml", "-o", "n.csv", "--output-step", "0.5", "--channels", "bob.x", "--quiet")
        self.good(*few, "--set", "L=0.9")
        self.assertGreater(os.path.getsize("n.csv.resume"), 1000)
        p = run(*few, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertIn("this run cannot be continued later", p.stderr)
        self.assertFalse(os.path.exists("n.csv.resume"))
        self.refused("the file '.resume' beside it is missing", "run", "--resume", "n.csv", "--end", "1")

    def test_damaged(self):
        """A damaged HDF5 file is not written on unless what comes of it can be read."""
        write("p.yaml", PENDULUM)
        self.good("run", "p.yaml", "-o", "whole.h5", "--quiet")
        with open("whole.h5", "rb") as f:
            data = f.read()
        refused = 0
        for at in (*range(600, 1100, 9), *range(0, 9000, 163)):
            damaged = bytearray(data)
            damaged[at] ^= 4
            with open("a.h5", "wb") as f:
                f.write(damaged)
            p = run("run", "--resume", "a.h5", "--end", "1", "--quiet")
            # the checker of leaks ends with 1 where HDF5 cannot close what is damaged
            refused += p.returncode == 2 or (SLOW and p.returncode == 1 and "Result file" in p.stderr)
            if p.returncode == 0:
                self.assertIn(" 1  ", self.good("stats", "a.h5", "t").stdout)
            self.assertIn(p.returncode, (0, 1, 2))
        self.assertGreater(refused, 20)


main()
