"""trammel study: tables do not depend on threads, parts, order or on how often the study was killed."""
import json
import math
import os
import re
import signal
import unittest

from _studies import MODEL, NAMES, STUDY, begin, rows
from common import (FAULTS, PENDULUM, Case, each, faulty, fewer_if_slow, fewer_unless_long, main, read,
                    remove, run, table, write)


class Study(Case):
    def setUp(self):
        begin()

    def test_members_are_runs(self):
        """A row is what `trammel run` and `trammel stats` say about a model with these parameters."""
        self.good("study", "s.yaml")
        for row in rows("s.csv")[:3]:
            self.good("run", "m.yaml", "--set", f"L={row[1]!r}", "--csv", "r.csv", "--quiet")
            p = self.good("stats", "r.csv", "height", "--json")
            for key, value in (("min", row[2]), ("t_min", row[3]), ("last", row[4])):
                self.assertIn(f'"{key}": {value!r}', p.stdout.replace("e-0", "e-").replace("e+0", "e+"), row)
        self.good("stats", "s.h5", "low", "last")

    def test_threads_and_parts(self):
        self.good("study", "s.yaml", "--threads", "1")
        whole = read("s.csv")
        self.assertEqual([int(x.split(",")[0]) for x in whole.splitlines()[1:]], list(range(16)))
        self.good("study", "s.yaml", "--threads", "3", "--out", "t")
        self.assertEqual(read("t.csv"), whole)
        for i in (1, 2, 3):
            self.good("study", "s.yaml", "--part", f"{i}/3")
        parts = [f"s.part{i}of3.journal" for i in (3, 1, 2)]
        self.good("study", "merge", "s.yaml", *parts, "--out", "u")
        self.assertEqual(read("u.csv"), whole)
        p = run("study", "merge", "s.yaml", *parts[:2], "--out", "v")
        self.assertEqual(p.returncode, 1)
        self.assertIn("5 of 16 members are missing", p.stderr)
        self.good("study", "s.yaml", "--out", "v", "--resume")
        self.assertEqual(read("v.csv"), whole)

    def test_list_is_the_table(self):
        p = self.good("study", "s.yaml", "--list")
        self.good("study", "s.yaml")
        self.assertEqual([x.split(",")[:2] for x in read("s.csv").splitlines()],
                         [x.split(",") for x in p.stdout.splitlines()])

    def test_summary_and_report(self):
        p = self.good("study", "s.yaml", "--report", "r.html")
        column = [row[2] for row in rows("s.csv")]
        line = re.search(r"^low \[m\] +(\S+) +(\S+) +(\S+)", p.stdout, re.M)
        for found, expected in zip(line.groups(), (min(column), sum(column) / 16, max(column))):
            self.assertAlmostEqual(float(found), expected, delta=1e-5 * abs(expected))
        self.assertRegex(p.stdout, r"(?m)^correlation +L\n")
        page = read("r.html")
        self.assertEqual(page.count("<svg"), 3)  # a diagram for each quantity over L; `when` is constant
        self.assertIn("<h1>Pendulums</h1>", page)
        for link in ("src=", "href=", "@import", "url("):
            self.assertNotIn(link, page.replace('xmlns="http', ""))
        write("s.yaml", STUDY.replace("method: sobol", "method: saltelli"))
        p = self.good("study", "s.yaml", "--overwrite", "--report", "r.html")
        self.assertIn("48 of 48", p.stdout)
        self.assertRegex(p.stdout, r"(?m)^low +1\.0\d$|^low +0\.9\d$")  # one parameter: all of the variance
        self.assertIn("Share of variance", read("r.html"))
        self.assertFalse([name for name in os.listdir(".") if "draft" in name])

    def test_two_parameters(self):
        """Over a grid a curve for each value of the other parameter, and where in their plane a quantity is
        how large."""
        write("m.yaml", MODEL.replace("{L: 1.3}", "{L: 1.3, g: 9.81}").replace("gravity: 9.81", "gravity: g"))
        grid = "parameters: {L: {from: 0.5, to: 2, count: 5, unit: m}, g: {values: [2, 4.5, 9]}}\n"
        study = "model: m.yaml\n" + grid + "quantities: {low: {of: height, take: min}}\n"
        write("s.yaml", study)
        self.good("study", "s.yaml", "--report", "r.html")
        page = read("r.html")
        over_length, over_gravity, plane = re.findall(r"<svg.*?</svg>", page, re.S)
        texts = [re.findall(r"<text[^>]*>([^<]*)<", svg) for svg in (over_length, over_gravity, plane)]
        for text, names in zip(texts, (("L [m]", "low [m]", "g", "2", "4.5", "9"),
                                       ("g", "low [m]", "L [m]", "0.5", "0.875", "2"),
                                       ("L [m]", "g", "low [m]"))):
            self.assertLessEqual(set(names), set(text))
        self.assertEqual(len([x for x in texts[2] if ".." in x]), 6)  # bands
        # a random sample has no curves
        write("s.yaml", study.replace(grid, "sampling: {method: sobol, members: 16}\n"
                                      "parameters: {L: {from: 0.5, to: 2}, g: {from: 2, to: 9}}\n"))
        self.good("study", "s.yaml", "--overwrite", "--report", "r.html")
        self.assertEqual(read("r.html").count("<svg"), 3)

    def test_record(self):
        """Members as results of their own, with what the table has of them."""
        grid = STUDY.replace("sobol, members: 16", "grid").replace("to: 2}", "to: 2, count: 4}")
        write("s.yaml", "record: 1 3\nsettings: {output_step: 0.002}\n" + grid)
        p = self.good("study", "s.yaml")
        self.assertIn("\nrecords   s.memberN.h5, 2 of them\n", p.stdout)
        self.assertEqual(sorted(n for n in os.listdir(".") if "member" in n),
                         ["s.member1.h5", "s.member3.h5"])
        for member in (1, 3):
            self.good("export", f"s.member{member}.h5", "-o", "r.csv")
            history, row = table("r.csv"), rows("s.csv")[member]
            self.assertEqual(len(history["t"]), 101)  # 0.2 s
            # rows see the same minimum as steps: it is at the end
            self.assertAlmostEqual(history["height"][-1], row[4], delta=1e-12)
            self.assertAlmostEqual(min(history["height"]), row[2], delta=1e-9)
        for wrong, message in (("best", "searches no optimum"), ("4", "no member 4, the study has 0 .. 3"),
                               ("some", "'some' is neither all nor best nor numbers")):
            write("s.yaml", f"record: {wrong}\n" + grid)
            self.assertIn(message, self.bad(2, "study", "s.yaml", "--overwrite").stderr)
        write("s.yaml", "record: all\n" + grid)
        self.good("study", "s.yaml", "--overwrite", "-q")
        self.assertEqual(len([n for n in os.listdir(".") if ".member" in n]), 4)

    def test_few_rows(self):
        write("s.yaml", STUDY.replace("members: 16", "members: 4").replace("L: {", "L: {unit: m, "))
        p = self.good("study", "s.yaml")
        head, *lines = re.search(r"\n(member  .*(?:\n +\d.*)+)", p.stdout).group(1).splitlines()
        self.assertEqual(len(lines), 4)
        self.assertEqual(head.split()[:5], ["member", "L", "[m]", "low", "[m]"])
        for line, row in zip(lines, rows("s.csv")):
            for shown, value in zip(line.split(), row):
                self.assertAlmostEqual(float(shown), value, delta=1e-5 * abs(value) + 1e-300)
        write("s.yaml", STUDY.replace("members: 16", "members: 32"))
        self.assertNotIn("\nmember ", self.good("study", "s.yaml", "--overwrite").stdout)

    def test_units(self):
        write("s.yaml", STUDY.replace("quantities:", """quantities:
  energy: {of: energy.kinetic, take: max}
  force: {of: "hypot(pin.fx, pin.fy)", take: max}
  when_high: {of: bob.x, take: time_of_max}
  swing: {take: frequency}
  given: {of: bob.x*L, unit: m^2}
  ratio: energy/force"""))
        p = run("study", "s.yaml")
        self.assertRegex(p.stdout, r"(?m)^energy \[J\] ")
        for name in ("force [N]", "when_high [s]", "swing [Hz]", "given [m^2]", "ratio [m]"):
            self.assertIn(f"\n{name} ", p.stdout)
        p = self.good("stats", "s.h5", "force", "when_high", "--json")
        self.assertEqual([x["unit"] for x in json.loads(p.stdout)], ["N", "s"])

    @each([1e-4, 1e-7, 1e-10])
    def test_time_of_peak(self, tol):
        """The time of a peak is as exact as the motion, also beside a curve that has a kink there."""
        write("apex.yaml", f"""\
planar: true
gravity: 9.81
parameters: {{v: 3}}
bodies: {{b: {{mass: 1, inertia: 1, position: [0, 0], velocity: [v, 4]}}}}
run: {{end: 1, tol: {tol}}}
""")
        write("s.yaml", """\
model: apex.yaml
parameters: {v: [1, 2, 3]}
quantities:
  top: {of: b.y, take: time_of_max}
  low: {of: -b.y, take: time_of_min}
  far: {of: b.x, take: time_of_max}
  kink: {of: abs(b.vy), take: time_of_min}
  mean: {of: abs(b.vy), take: mean}
""")
        self.good("study", "s.yaml", "--overwrite")
        for line in read("s.csv").splitlines()[1:]:
            top, low, far, kink = map(float, line.split(",")[2:6])
            self.assertAlmostEqual(top, 4/9.81, delta=1e-11)
            self.assertAlmostEqual(low, 4/9.81, delta=1e-11)
            self.assertAlmostEqual(far, 1, delta=1e-15)
            self.assertAlmostEqual(kink, 4/9.81, delta=1e-5)

    def test_units_asked_for(self):
        """Values are converted to the unit of a quantity, of whatever is taken; else a warning tells."""
        of = [("of: pin.angle, take: min", "rad", "deg", 180/math.pi),
              ("of: 2*pin.angle, take: min", "rad", "deg", 180/math.pi),
              ("of: L*pin.angle, take: min", "", "deg", 180/math.pi),  # a parameter is a number
              ("of: pin.angle, take: rms", "rad", "deg", 180/math.pi),
              ("of: bob.x, take: time_of_max", "s", "ms", 1000),
              ("of: bob.x, take: initial", "m", "in", 1/0.0254),
              ("of: x0, take: value", "m", "mm", 1000),
              ("of: bob.x, take: final", "m", "N", 1),
              ("of: bob.x, take: final", "m", "rods", 1),
              ("take: growth", "1/s", "rpm", 1)]
        lines = ["  x0: {of: bob.x, take: initial}"]
        for i, (what, _, unit, _) in enumerate(of):
            lines += [f"  a{i}: {{{what}}}", f"  b{i}: {{{what}, unit: {unit}}}"]
        write("s.yaml", STUDY.replace("quantities:", "quantities:\n" + "\n".join(lines)))
        p = run("study", "s.yaml", "--overwrite")
        names, values = (line.split(",") for line in read("s.csv").splitlines()[:2])
        row = dict(zip(names, values))
        for i, (_, _, unit, factor) in enumerate(of):
            self.assertIn(f"\nb{i} [{unit}] ", p.stdout)
            wanted = factor*float(row[f"a{i}"])
            self.assertAlmostEqual(float(row[f"b{i}"]), wanted, delta=1e-9*abs(wanted))
        told = [line for line in p.stderr.splitlines() if "quantity 'b" in line]
        self.assertEqual(len(told), 3, p.stderr)
        for line, words in zip(told, ("'b7' has the unit 'N', but its value is in m",
                                      "'b8' has the unit 'rods', which is not known: its value stays in m",
                                      "'b9' has the unit 'rpm', but its value is in 1/s")):
            self.assertRegex(line, rf"s\.yaml:\d+:\d+: quantity {words}")

    def test_failed_members(self):
        write("s.yaml", STUDY.replace("sampling: {method: sobol, members: 16}", "sampling: list")
              .replace("{from: 0.5, to: 2}", "[1, 0.9, 2]").replace("L: ", "mass: "))
        model = MODEL.replace("mass: 0.7, i", "mass: mass - 0.95, i")
        write("m.yaml", model.replace("{L: 1.3}", "{L: 1.3, mass: 0.7}"))
        p = self.bad(2, "study", "s.yaml")  # the model as it stands has to be one
        write("m.yaml", model.replace("{L: 1.3}", "{L: 1.3, mass: 2}"))
        write("s.yaml", read("s.yaml").replace("share: (last - L)/L", "share: last/mass"))
        p = self.bad(1, "study", "s.yaml")
        self.assertIn("3 of 3, 1 failed", p.stdout)
        self.assertIn("1 of 3 members failed", p.stderr)
        lines = read("s.csv").splitlines()
        self.assertRegex(lines[2], r'^1,0\.9,nan,nan,nan,nan,"m\.yaml:6:\d+: .*mass')
        self.assertTrue(lines[1].endswith(",") and lines[3].endswith(","))
        write("s.yaml", read("s.yaml").replace("[1, 0.9, 2]", "[0.9, 0.8]"))
        for more in (["--overwrite"], ["--resume"]):
            p = self.bad(1, "study", "s.yaml", "-q", *more)
            self.assertEqual(p.stdout, "")
            self.assertEqual(p.stderr,
                             "trammel: error: 2 of 2 members failed: the table has their messages\n")

    def test_integrals(self):
        """Means of expressions with kinks and jumps, and of some that vary faster than the motion x = v t."""
        write("m.yaml", "planar: true\nparameters: {v: 1.7}\n"
              "bodies: {b: {mass: 1, inertia: 1, velocity: [v, 0]}}\nrun: {end: 1}\n")
        e, w = 1.7, 200 * 1.7
        cases = (("max(b.x, 0.93)", "mean", (0.93**2 + (e**2 - 0.93**2) / 2) / e, e),
                 ("max(b.x, 0.93)", "rms", ((0.93**3 + (e**3 - 0.93**3) / 3) / e)**0.5, e),
                 ("if(b.x > 0.37, 1, 0)", "mean", (e - 0.37) / e, 1),
                 ("sin(200*b.x)", "mean", (1 - math.cos(w)) / w, 2),
                 ("sin(200*b.x)", "rms", (0.5 - math.sin(2 * w) / (4 * w))**0.5, 2),
                 ("cos(3*b.x)", "mean", math.sin(3 * e) / (3 * e), 2),
                 ("abs(sin(30*b.x))", "mean", (16 * 2 + 1 - math.cos(30 * e - 16 * math.pi)) / (30 * e), 1),
                 ("-abs(b.x - 0.93)", "max", 0, 1), ("abs(b.x - 0.93)", "min", 0, 1))
        for tol in (1e-4, 1e-7):
            write("s.yaml", "model: m.yaml\nparameters: {v: {values: [1.7]}}\nsettings: {tol: %g}\n" % tol +
                  "quantities:\n" + "".join(f'  q{i}: {{of: "{of}", take: {take}}}\n'
                                            for i, (of, take, _, _) in enumerate(cases)))
            for only in [None, *range(len(cases))]:  # whatever else is asked for
                if only is not None:
                    of, take = cases[only][:2]
                    write("s.yaml", "model: m.yaml\nparameters: {v: {values: [1.7]}}\n"
                          f'settings: {{tol: {tol}}}\nquantities: {{q: {{of: "{of}", take: {take}}}}}\n')
                self.good("study", "s.yaml", "--overwrite", "--quiet")
                found = rows("s.csv")[0][2:]
                for case, value in zip(cases if only is None else [cases[only]], found):
                    self.assertAlmostEqual(value, case[2], delta=2 * tol * case[3], msg=f"{case}, {tol}")

    def test_zero_at_the_start(self):
        """A value that begins with 0 has not changed its sign yet: the next zero is the first."""
        write("m.yaml", "planar: true\nparameters: {w: 3}\n"
              "bodies: {b: {mass: 1, inertia: 1, velocity: [0.5*w, 0]}, p: {mass: 1, inertia: 0.01, "
              "position: [7.5, 0]}}\njoints: {g: {type: prismatic, a: ground, b: b, axis: [1, 0], stiffness: "
              "w^2, free: 0}, h: {type: revolute, a: ground, b: p, point: [7, 0]}}\ngravity: 9.81\n"
              "run: {start: 0.5, end: 3.1, output_step: 0.5, tol: 1e-8}\nevents: {turn: {when: h.rate}}\n")
        turned = json.loads(self.good("run", "m.yaml", "--out", "none", "--json").stdout)["t"]
        self.assertGreater(turned, 1)
        write("m.yaml", read("m.yaml").replace("events: {turn: {when: h.rate}}\n", ""))
        write("s.yaml", "model: m.yaml\nparameters: {w: {values: [3]}}\nquantities:\n"
              "  x: {of: b.x, take: time_of_zero}\n  twice: {of: 2*b.x + 0, take: time_of_zero}\n"
              "  other: {of: b.x - 0.1, take: time_of_zero}\n"
              "  jump: {of: \"if(b.vx > 0.3, 0, -1)\", take: time_of_zero}\n"
              "  over: {of: \"if(b.vx > 0.3, 1, -1)\", take: time_of_zero}\n"
              "  turn: {of: h.rate, take: time_of_zero}\n")
        self.good("study", "s.yaml", "--quiet")
        half, slow = 0.5 + math.pi / 3, math.acos(0.2)
        exact = (half, half, 0.5 + math.asin(0.2) / 3, 0.5 + (2 * math.pi - slow) / 3, 0.5 + slow / 3,
                 turned)
        for value, time in zip(rows("s.csv")[0][2:], exact):
            self.assertAlmostEqual(value, time, delta=1e-6)

    def test_gaps(self):
        """A curve that is no number for a while gives no quantity: the least of the rest is another one."""
        write("gaps.yaml", PENDULUM.replace("bob.y + L", "sqrt(bob.x - 1)"))
        for take in ("min", "max", "mean", "rms", "time_of_max", "initial", "final"):
            write("gap.yaml", "model: gaps.yaml\nparameters: {L: {values: [0.9, 1.3]}}\n"
                  "settings: {end: 0.3}\nquantities: {q: {of: height, take: %s}}\n" % take)
            p = run("study", "gap.yaml", "--out", "gaps", "--overwrite", "--quiet")
            self.assertEqual((p.returncode, p.stderr.count("1 of 2 members failed")), (1, 1), p.stderr)
            failed, good = read("gaps.csv").splitlines()[1:]
            self.assertRegex(failed, r"0,0\.9,nan,.*quantity 'q'.*is not a finite number")
            self.assertNotIn("nan", good)

    def test_existing_results(self):
        self.good("study", "s.yaml")
        p = self.bad(2, "study", "s.yaml")
        self.assertIn("--resume continues", p.stderr)
        self.good("study", "s.yaml", "--resume")
        self.good("study", "s.yaml", "--overwrite")
        write("m.yaml", MODEL.replace("0.7", "0.8"))
        p = self.bad(2, "study", "s.yaml", "--resume")
        self.assertIn("another study, model or version", p.stderr)

    def test_changed_mesh(self):
        """Members with another mesh are those of another study."""
        triangles = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
        write("tri.obj", triangles)
        write("m.yaml", "parameters: {L: 1}\ngravity: 9.81\nbodies:\n"
              "  b: {mass: L, inertia: [1, 1, 1], shape: {type: mesh, file: tri.obj}}\n"
              "shapes: {floor: {type: plane, at: ground, normal: [0, 0, 1]}}\n"
              "contacts: {c: {a: b, b: floor, stiffness: 1e4}}\n"
              "outputs: {height: b.z}\nrun: {end: 0.05}\n")
        write("s.yaml", STUDY.replace("share: (last - L)/L", ""))
        self.good("study", "s.yaml", "--threads", "1")
        whole, journal = read("s.csv"), read("s.journal")
        write("s.journal", "".join(journal.splitlines(keepends=True)[:8]))
        write("tri.obj", triangles.replace("v 1 0 0", "v 2 0 0"))
        p = self.bad(2, "study", "s.yaml", "--resume")
        self.assertIn("another study, model or version", p.stderr)
        self.assertEqual(read("s.csv"), whole)
        write("tri.obj", triangles)
        self.good("study", "s.yaml", "--resume", "--threads", "1")
        self.assertEqual(read("s.csv"), whole)

    def test_torn_journal(self):
        """Any length of the journal resumes to the same table."""
        self.good("study", "s.yaml", "--threads", "1")
        whole, journal = read("s.csv"), read("s.journal")
        middle = len(journal) // 2
        for cut in (0, 5, 30, middle, middle + 1, middle + 7, len(journal) - 1):
            write("s.journal", journal[:cut])
            self.good("study", "s.yaml", "--resume", "--threads", "1")
            self.assertEqual(read("s.csv"), whole)
            self.assertEqual(read("s.journal"), journal)

    def test_damaged_journal(self):
        """A line that was changed does not reach the table: its member is computed again, and told."""
        self.good("study", "s.yaml", "--threads", "1")
        whole, journal = read("s.csv"), read("s.journal")
        lines = journal.splitlines(keepends=True)
        changes = [lines[9][:k] + chr(ord(lines[9][k]) ^ 1) + lines[9][k + 1:]
                   for k in range(0, len(lines[9]) - 1, 3)]
        for new in (*changes, lines[9].replace(",", "\n", 2), "\n", lines[9].rstrip("\n")):
            write("s.journal", "".join([*lines[:9], new, *lines[10:]]))
            p = run("study", "s.yaml", "--resume", "-q")
            self.assertEqual((p.returncode, read("s.csv")), (0, whole), (new, p.stderr))
            if new != "\n":
                self.assertRegex(p.stderr, r"warning: 's\.journal' has damaged lines .*computed again")
            self.good("study", "s.yaml", "--resume", "-q")  # it is told once
            self.assertEqual(read("s.csv"), whole)
        write("s.journal", "".join([*lines[:9], changes[3], *lines[10:]]))
        p = self.bad(1, "study", "merge", "s.yaml", "s.journal", "--out", "t")
        self.assertRegex(p.stderr, r"damaged lines .*missing\n(.|\n)*1 of 16 members are missing")

    @unittest.skipUnless(FAULTS, "no library of faults in this build")
    def test_no_memory(self):
        """A member that fails for lack of memory is not done: status 1, and --resume runs it."""
        self.good("study", "s.yaml", "--threads", "1", "-q")
        whole = read("s.csv")
        remove("log", *NAMES)
        faulty("study", "s.yaml", "--threads", "1", "-q", log="log")
        last = int(re.search(r"allocations (\d+)", read("log")).group(1))
        lacking = 0
        # the first members, which take the memory that others use again; later ones are of libraries
        for k in range(last // 20, last // 6, fewer_unless_long(last // 120, 3)):
            remove(*NAMES)
            p = faulty("study", "s.yaml", "--threads", "1", "-q", alloc=k)
            if p.returncode == 0:
                self.assertEqual(read("s.csv"), whole, k)
                continue
            lacking += "members could not be run" in p.stderr
            self.good("study", "s.yaml", "--threads", "1", "-q", "--resume")
            self.assertEqual(read("s.csv"), whole, k)
        self.assertGreater(lacking, 0)

    @unittest.skipUnless(FAULTS, "no library of faults in this build")
    def test_killed(self):
        """Killed in place of any change of a file, and resumed: nothing is lost, nothing is there twice."""
        self.good("study", "s.yaml", "--threads", "1")
        whole, journal = read("s.csv"), read("s.journal")
        for k in fewer_if_slow("test_killed", (3, 19), (1, 2, 3, 5, 8, 13, 17, 18, 19, 20), "two kills only"):
            remove(*NAMES)
            p = faulty("study", "s.yaml", "--threads", "1", kill=k)
            self.assertEqual(p.returncode, -signal.SIGKILL, k)
            before = read("s.journal")
            self.assertTrue(journal.startswith(before[:before.rfind("\n") + 1]))
            self.good("study", "s.yaml", "--resume", "--threads", "2")
            self.assertEqual(read("s.csv"), whole)
            self.assertEqual(sorted(read("s.journal").splitlines()), sorted(journal.splitlines()))

    @unittest.skipUnless(FAULTS, "no library of faults in this build")
    def test_interrupted(self):
        """Ctrl-C ends after the running members; tables have those that are done."""
        p = faulty("study", "s.yaml", "--threads", "1", kill=5, signal=int(signal.SIGINT))
        self.assertEqual(p.returncode, 1)
        done = int(re.search(r"interrupted after (\d+) of 16 members", p.stderr).group(1))
        self.assertTrue(0 < done < 16)
        self.assertEqual(len(rows("s.csv")), done)
        self.good("study", "s.yaml", "--resume")
        self.assertEqual(len(rows("s.csv")), 16)

    @unittest.skipUnless(FAULTS, "no library of faults in this build")
    def test_full_disk(self):
        p = faulty("study", "s.yaml", "--threads", "1", full=400)
        self.assertEqual(p.returncode, 1)
        self.assertRegex(p.stderr, r"Cannot write to 's\.journal'")
        self.good("study", "s.yaml", "--resume")
        self.assertEqual(len(rows("s.csv")), 16)


class Mistakes(Case):
    """Mistakes, each with its place and what to do."""
    CASES = (
        ("model: m.yaml", "modell: m.yaml", r"s\.yaml:2:1: .*'modell'.*is it 'model'"),
        ("model: m.yaml", "", r"lacks the key 'model'"),
        ("model: m.yaml", "model: n.yaml", r"s\.yaml:2:8: .*n\.yaml.*No such file"),
        ("method: sobol", "method: sobl", r"s\.yaml:3:20: .*is it 'sobol'"),
        (", members: 16", "", r"s\.yaml:3:11: .*lacks the key 'members': how many runs to make, such as"),
        ("{method: sobol, members: 16}", "random", r"s\.yaml:3:11: .*lacks the key 'members'"),
        ("members: 16", "samples: 16", r"s\.yaml:3:27: .*'samples' is called 'members' here"),
        ("from: 0.5, to: 2", "min: 0.5, max: 2", r"s\.yaml:5:7: .*'min' is called 'from' here"),
        ("{from: 0.5, to: 2}", "linspace(1, 2, 3)", r"expected a map such as \{from: 1, to: 2, count: 5\}"),
        ("take: min", "take: minimum", r"s\.yaml:7:27: .*'minimum' is called 'min' here"),
        ("model: m.yaml", "model: m.yaml\nrun: {end: 1}", r"s\.yaml:3:1: .*'run' is called 'settings' here"),
        ("model: m.yaml", "bodies: {}", r"s\.yaml:1:1: .*This is a model file; a study is a file of its own"),
        ("members: 16", "members: 0", r"s\.yaml:3:36: .*expected a number > 0"),
        ("members: 16", "members: 1.5", r"s\.yaml:3:36: .*whole number"),
        ("  L: {from", "  l: {from", r"s\.yaml:5:3: .*no parameter or input 'l' \(is it 'L'"),
        ("to: 2}", "too: 2}", r"s\.yaml:5:18: .*'too'.*is it 'to'"),
        ("to: 2}", "to: two}", r"s\.yaml:5:22: .*two"),
        (", to: 2}", "}", r"s\.yaml:5:3: .*needs 'from' and 'to'"),
        ("{from: 0.5, to: 2}", "7", r"s\.yaml:5:6: .*expected a map"),
        ("take: min", "take: mean_of", r"s\.yaml:7:27: .*is it 'mean'"),
        ("{of: height, take: min}", "{take: min}", r"s\.yaml:7:8: .*lacks the key 'of'"),
        ("{of: height, take: min}", "{of: heigth, take: min}",
         r"s\.yaml:7:13: .*heigth.*'height'.*quantity 'low'"),
        ("take: min}", "take: min, mode: 2}", r"s\.yaml:7:32: .*'mode' does not apply"),
        ("take: min}", "take: event_time}", r"s\.yaml:7:9: .*'of' does not apply"),
        ("(last - L)/L", "(last - L)/M", r"s\.yaml:10:21: .*'M'"),
        ("(last - L)/L", "(lost - L)/L", r"s\.yaml:10:11: .*is it 'last'"),
        ("  low: ", "  L: ", r"s\.yaml:7:3: .*name of a parameter"),
        ("model: m.yaml", "model: m.yaml\nsettings: {metod: bdf}", r"s\.yaml:3:12: .*is it 'method'"),
        ("model: m.yaml", "model: m.yaml\nset: {l: 2}", r"no parameter 'l' \(is it 'L'"),
        ("model: m.yaml", "model: m.yaml\nset: {L: 2}", r"also in 'set'"),
        ("sobol, members: 16", "lhs", r"is 'lhs' \('lhs' is called 'latin-hypercube' here\)"),
        ("sobol, members: 16", "monte-carlo", r"'monte-carlo' is called 'random' here"),
        ("to: 2}", "to: 2, step: 0.5}", r"in place of 'step' try 'count'"),
        ("{of: height, take: min}", "{max: height}", r"\(write \{of: CHANNEL, take: max\}\)"),
        ("{of: height, take: min}", "{channel: height, take: min}", r"'channel' is called 'of' here"),
        ("{of: height, take: min}", "height", r"unknown name 'height' \(In quantity 'low'\.\) \(A quantity "
         r"of a channel is \{of: CHANNEL, take: max\}\.\)"),
        ("take: min", "take: range", r"take max and min, and the difference: NAME: high - low"),
        ("take: min", "take: integral", r"a state of the model integrates its rate"),
        ("model: m.yaml", "model: m.yaml\nseed: 3", r"it belongs to sampling: \{method: random"),
        ("model: m.yaml", "model: m.yaml\nreport: a.html", r"an option of 'trammel study': --report"),
        ("model: m.yaml", "model: m.yaml\nminimize: low", r"it belongs to optimize: \{minimize: QUAN"),
        ("model: m.yaml", "model: m.yaml\nrecord: [0, 1]", r"is a list of 2, expected a text"),
    )

    def test_messages(self):
        write("m.yaml", MODEL)
        for old, new, message in self.CASES:
            self.assertIn(old, STUDY)
            write("s.yaml", STUDY.replace(old, new, 1))
            p = self.bad(2, "study", "s.yaml", "--overwrite")
            self.assertRegex(p.stderr, message, new)

    def test_usage(self):
        write("m.yaml", MODEL)
        write("s.yaml", STUDY)
        for args, message in ((("s.yaml", "--part", "4/3"), "not a part such as 2/8"),
                              (("s.yaml", "more"), "one study at a time"),
                              (("merge", "s.yaml"), "journals of its parts"),
                              (("s.yaml", "--threads", "0"), "--threads")):
            p = self.bad(2, "study", *args)
            self.assertIn(message, p.stderr)


if __name__ == "__main__":
    main()
