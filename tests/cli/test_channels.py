"""Channels of results: units, those that change, accelerations and impulses; --channels and `record`, in both
formats, also of a run that is continued."""
import math
import os
import re
import subprocess

from common import PENDULUM, SOURCE, Case, main, read, remove, run, table, write

BOUNCE = """\
gravity: [0, -9.81, 0]
bodies:
  ball: {mass: 0.7, inertia: 0.02, position: [0, 1.2, 0]}
  wheel: {mass: 1, inertia: [0.3, 0.3, 0.3], position: [3, 0, 0]}
joints:
  axle: {type: revolute, a: ground, b: wheel, point: [3, 0, 0], axis: [0, 0, 1]}
  rail: {type: prismatic, a: ground, b: ball, point: [0, 0.2, 0], axis: [0, 1, 0]}
  motor: {type: driver, of: axle.angle, motion: 'if(t < 0.2, 0, 2.5*(t - 0.2))'}
forces:
  bumper: {type: limit, of: rail.distance, lower: -1, restitution: 0.5}
run: {end: 1, output_step: 0.01}
"""


class Channels(Case):
    def setUp(self):
        write("p.yaml", PENDULUM)

    def test_columns(self):
        self.good("run", "p.yaml", "--channels", "*", "-o", "all.csv", "--quiet")
        every = table("all.csv")
        for patterns, names in (("bob.*", [n for n in every if n.startswith("bob.")]),
                                ("*.force", ["pin.fx", "pin.fy", "pin.fz"]),
                                ("bob.position, height", ["bob.x", "bob.y", "bob.z", "height"]),
                                ("bob.v?", ["bob.vx", "bob.vy", "bob.vz"]),
                                ("*.y", ["bob.y"]), ("t", []), ("*", [n for n in every if n != "t"])):
            self.good("run", "p.yaml", "--channels", patterns, "-o", "some.csv", "--quiet")
            some = table("some.csv")
            self.assertEqual(list(some), ["t"] + names, patterns)
            for name in some:
                self.assertEqual(some[name], every[name])

    def test_those_that_change(self):
        """What no motion of the model can change is left out unless it is asked for."""
        for form in ("csv", "h5"):
            self.good("run", "p.yaml", "-o", "d." + form, "--quiet")
            self.good("export", "d." + form, "-o", "d_out.csv")
            names = list(table("d_out.csv"))
            self.assertEqual([n for n in names if n.startswith(("bob.", "pin."))],
                             ["bob." + c for c in "x y q0 q3 vx vy wz ax ay alz".split()] +
                             ["pin." + c for c in "angle rate fx fy mz".split()])
        write("point.yaml", """\
gravity: [0, 0, -9.81]
bodies: {ball: {mass: 1, point: true, position: [0, 0, 2]}, brick: {mass: 1, inertia: 0.1}}
run: {end: 0.1}
""")
        self.good("run", "point.yaml", "-o", "point.csv", "--quiet")
        names = list(table("point.csv"))
        self.assertEqual([n[5:] for n in names if n.startswith("ball.")],
                         "x y z vx vy vz ax ay az".split())
        self.assertEqual(len([n for n in names if n.startswith("brick.")]), 19)

    def test_contact_forces(self):
        """Those of more than six pairs of shapes, and of more than the bodies, are written if one asks for
        them."""
        for count, bodies in ((6, 1), (7, 1), (7, 7)):
            balls = "".join(f"  s{i}: {{type: sphere, radius: 0.1, at: b{i % bodies}, group: balls}}\n"
                            for i in range(count))
            write("balls.yaml", "gravity: 9.81\nbodies:\n" +
                  "".join(f"  b{i}: {{mass: 1, inertia: 0.1, position: [{i}, 0, 0.1]}}\n"
                          for i in range(bodies)) +
                  f"shapes:\n{balls}  floor: {{type: plane, at: ground}}\n"
                  "contacts: {c: {a: balls, b: floor, stiffness: 1e5}}\nrun: {end: 0.01}\n")
            for chosen, expected in (((), 6 * count if count <= max(6, bodies) else 0),
                                     (("--channels", "c.*"), 6 * count)):
                self.good("run", "balls.yaml", "-o", "balls.csv", "--quiet", *chosen)
                found = [n for n in table("balls.csv") if "_floor_" in n]
                self.assertEqual(len(found), expected)
                self.assertIn("c.force", table("balls.csv"))

    def test_units(self):
        self.good("run", "p.yaml", "-o", "u.csv", "--quiet")
        lines = read("u.csv").splitlines()
        units = dict(zip(lines[0].split(","), lines[1][2:].split(",")))
        self.assertEqual(lines[1][:2], "# ")
        for name, unit in (("t", "[s]"), ("bob.x", "[m]"), ("bob.ay", "[m/s^2]"), ("bob.alz", "[rad/s^2]"),
                           ("pin.fx", "[N]"), ("pin.mz", "[N m]"), ("step", "[s]")):
            self.assertEqual(units[name], unit)
        p = self.good("stats", "u.csv", "pin.fy")
        self.assertRegex(p.stdout, r"pin\.fy +.*N")
        # files of earlier versions have no units
        write("old.csv", "\n".join(lines[:1] + lines[2:]) + "\n")
        self.assertEqual(table("old.csv"), table("u.csv"))
        self.good("compare", "p.yaml", "--methods", "bdf", "--tols", "1e-3", "--reference", "old.csv")

    def test_readers(self):
        """The Python lines of docs/results.md."""
        python = "/usr/bin/python3"
        if subprocess.run([python, "-c", "import numpy, pandas"], capture_output=True).returncode != 0:
            self.skipTest("NumPy or pandas is not installed")
        code = read(os.path.join(SOURCE, "docs", "results.md")).split("```python\n", 1)[1].split("```", 1)[0]
        self.good("run", "p.yaml", "-o", "pendulum.csv", "--quiet")
        want = table("pendulum.csv")
        write("read.py", code + "print(list(frame['bob.x']), list(rows['bob.x']), units['bob.ay'])\n")
        p = subprocess.run([python, "read.py"], capture_output=True, text=True, check=False)
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        numbers = ", ".join(map(repr, want["bob.x"]))
        self.assertEqual(re.sub(r"np\.float64\((.*?)\)", r"\1", p.stdout.strip()),
                         f"[{numbers}] [{numbers}] m/s^2")

    def test_accelerations(self):
        """At the start of a horizontal pendulum, from its inertia about the pin."""
        self.good("run", "p.yaml", "-o", "a.csv", "--quiet")
        c = table("a.csv")
        angular = -0.7 * 9.81 * 1.3 / (0.02 + 0.7 * 1.3**2)
        self.assertAlmostEqual(c["bob.alz"][0], angular, delta=1e-12)
        self.assertAlmostEqual(c["bob.ay"][0], 1.3 * angular, delta=1e-12)
        for k, x in enumerate(c["bob.x"]):  # Newton's law, with the reaction of the same row
            self.assertAlmostEqual(0.7 * c["bob.ax"][k], c["pin.fx"][k], delta=1e-11)
            self.assertAlmostEqual(0.7 * (c["bob.ay"][k] + 9.81), c["pin.fy"][k], delta=1e-11)

    def test_impulses(self):
        """A ball of 0.7 kg that bounces, and a driver that starts a wheel of 0.3 kg m^2 with a jerk."""
        write("bounce.yaml", BOUNCE)
        for form in ("csv", "h5"):
            p = run("run", "bounce.yaml", "-o", "b." + form, "--quiet")
            self.assertEqual(p.returncode, 0, p.stderr)
            self.assertIn("an impulse of", p.stderr)
            self.good("export", "b." + form, "-o", "b_out.csv")
            c = table("b_out.csv")
            first = next(k for k, x in enumerate(c["bumper.impulse"]) if x > 0)
            speed = math.sqrt(2 * 9.81 * 1)
            self.assertAlmostEqual(c["t"][first], speed / 9.81, delta=0.011)
            self.assertAlmostEqual(c["bumper.impulse"][first], 0.7 * 1.5 * speed, delta=1e-6)
            self.assertTrue(all(b >= a for a, b in zip(c["bumper.impulse"], c["bumper.impulse"][1:])))
            k = next(k for k, t in enumerate(c["t"]) if t > 0.199)
            self.assertEqual(c["motor.impulse"][k - 1], 0)
            self.assertAlmostEqual(abs(c["motor.impulse"][k + 1]), 0.3 * 2.5, delta=1e-9)
        # smooth motion has none: the channel is there if it is asked for
        write("smooth.yaml", BOUNCE.replace("if(t < 0.2, 0, 2.5*(t - 0.2))", "2.5*t^2").split("forces:")[0] +
              "run: {end: 0.1}\n")
        self.good("run", "smooth.yaml", "-o", "s.csv", "--quiet")
        self.assertNotIn("motor.impulse", table("s.csv"))
        self.good("run", "smooth.yaml", "--channels", "motor.*", "-o", "s.csv", "--quiet")
        self.assertEqual(set(table("s.csv")["motor.impulse"]), {0})

    def test_unknown(self):
        p = self.bad(2, "run", "p.yaml", "--channels", "bob.*,bib.x", "-o", "none.csv")
        self.assertIn("no channel is like 'bib.x' (is it 'bob.x'?)", p.stderr)
        self.assertFalse(os.path.exists("none.csv"))

    def test_records(self):
        """A single component keeps its place in its vector."""
        self.good("run", "p.yaml", "--channels", "bob.y", "-o", "one.h5", "--quiet")
        text = subprocess.run(["h5dump", "-d", "/channels", "one.h5"], capture_output=True, text=True,
                              check=True).stdout
        report = subprocess.run(["h5dump", "-d", "/meta/report", "one.h5"], capture_output=True, text=True,
                                check=True).stdout
        codes = re.findall(r"\d+", re.sub(r"\(\d+\):", "", report.split("DATA {")[1]))
        report = bytes(int(c) for c in codes).decode()
        self.assertIn("0 .. 0.5 s", report)
        self.assertNotIn("INCOMPLETE", report)
        record = text.split('"bob.y"')[1].split("}")[0].replace(",", " ").split()
        self.assertEqual(record, ['"m"', '"bodies"', '"bob"', '"position"', '""', "1"])

    def test_of_the_model(self):
        write("r.yaml", PENDULUM.replace("run: {", "run: {record: 'bob.y, *.force', "))
        self.good("run", "r.yaml", "-o", "r.csv", "--quiet")
        self.assertEqual(list(table("r.csv")), ["t", "bob.y", "pin.fx", "pin.fy", "pin.fz"])
        self.good("run", "--resume", "r.csv", "--end", "0.6", "--quiet")
        self.assertEqual(len(table("r.csv")["t"]), 61)
        self.good("run", "r.yaml", "--channels", "height", "-o", "r.csv", "--quiet")
        self.assertEqual(list(table("r.csv")), ["t", "height"])
        remove("r.csv", "r.csv.resume")
        write("w.yaml", PENDULUM.replace("run: {", "run: {record: bib.x, "))
        p = self.bad(2, "run", "w.yaml", "-o", "none.csv")
        self.assertIn("w.yaml:11:15: error: record: no channel is like 'bib.x' (is it 'bob.x'?)", p.stderr)

    def test_continued(self):
        self.good("run", "p.yaml", "--channels", "bob.y,height", "-o", "c.csv", "--quiet")
        self.good("run", "--resume", "c.csv", "--end", "0.8", "--quiet")
        found = table("c.csv")
        self.assertEqual(list(found), ["t", "bob.y", "height"])
        self.assertAlmostEqual(found["t"][-1], 0.8)
        self.assertEqual(len(found["t"]), 81)
        self.bad(2, "run", "--resume", "c.csv", "--end", "1", "--channels", "bob.x")
        remove("c.csv", "c.csv.resume")


if __name__ == "__main__":
    main()
