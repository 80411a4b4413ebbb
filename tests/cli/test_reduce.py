#!/usr/bin/env python3
"""trammel reduce: parts from models and matrices, the bundled slider-crank against beams, refused input."""
import math
import os
import re

from common import SOURCE, Case, main, read, run, table, write

ARM = """\
parameters: {n: 4}
beams:
  arm: {type: rectangle, end: [1, 0, 0], width: 0.02, height: 0.01, material: steel, elements: n}
run: {end: 1}
"""
INTERFACE = ("--interface", "root=arm.start,tip=arm.end")


def frequencies(text):
    rows = re.findall(r"^ +\d+ +(\S+) +(\S+)$", text, re.MULTILINE)
    return [[float(x) for x in column if x != "-"] for column in zip(*rows)]


class Reduce(Case):
    def test_model_and_matrices(self):
        """A model and the matrices it writes give the same part; free frequencies are those of `modes`."""
        write("arm.yaml", ARM)
        p = run("reduce", "arm.yaml", *INTERFACE, "--modes", "12", "--matrices", "arm", "-o", "a.part")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertIn("Mass       1.57 kg, centre [0.5, 0, 0] m", p.stdout)
        q = run("reduce", "arm_stiffness.mtx", "--mass", "arm_mass.mtx", "--nodes", "arm_nodes.csv",
                "--interface", "root,tip", "--modes", "12", "-o", "b.part")
        self.assertEqual(q.returncode, 0, q.stderr)
        fixed, free = frequencies(p.stdout)
        for a, b in zip(fixed + free, sum(frequencies(q.stdout), [])):
            self.assertAlmostEqual(a, b, delta=1e-5 * a)
        m = run("modes", "arm.yaml")
        exact = [float(x) for x in re.findall(r"^ +\d+ +([\d.]+) +0 ", m.stdout, re.MULTILINE)]
        self.assertGreaterEqual(len(exact), 3)
        for a, b in zip(free, exact):  # modes that were left out
            self.assertAlmostEqual(a, b, delta=2e-3 * b)
            self.assertGreater(a, b * (1 - 1e-6))

    def test_frequency(self):
        write("arm.yaml", ARM)
        p = run("reduce", "arm.yaml", *INTERFACE, "--frequency", "300")
        fixed, _ = frequencies(p.stdout)
        self.assertEqual(len(fixed), 5)
        self.assertLess(max(fixed), 300)
        p = run("reduce", "arm.yaml", *INTERFACE, "--frequency", "300", "--modes", "3")
        self.assertEqual(len(frequencies(p.stdout)[0]), 3)

    def test_soft_loads(self):
        """Loads across a rod bend it, which geometric stiffening must not count again: a warning tells."""
        write("arm.yaml", ARM)
        loads = [x for name in ("tip.x", "tip.rx", "tip.y", "tip.rz", "spin.yy") for x in ("--load", name)]
        p = run("reduce", "arm.yaml", *INTERFACE, "--modes", "4", *loads, "-o", "a.part")
        self.assertEqual(p.returncode, 0, p.stderr)
        told = re.findall(r"load case '(\S+)' is soft: it deforms the part as at (\S+) Hz, and the lowest "
                          r"frequency of the part with 'root' clamped is (\S+) Hz", p.stderr)
        self.assertEqual([x[0] for x in told], ["tip.y", "tip.rz"])
        # a cantilever, by its first mode and by Rayleigh's quotient of w = 3 x^2 - x^3 and of w = x^2
        c, lower = (2.1e11/7850)**0.5, 0.01/12**0.5
        lowest = 1.8751**2*c*lower/(2*math.pi)
        for (_, own, least), factor in zip(told, ((12/(33/35))**0.5, 20**0.5)):
            self.assertAlmostEqual(float(least), lowest, delta=5e-3*lowest)
            wanted = 2*c*lower*factor/(2*math.pi)
            self.assertAlmostEqual(float(own), wanted, delta=5e-3*wanted)

    def test_crank(self):
        """The slider follows that of a rod of beams: errors of second order, most of them from shortening."""
        text = read(os.path.join(SOURCE, "models", "modal_crank.yaml"))
        rod = re.search(r"modal_bodies:\n  rod: \{.*\}\n", text).group(0)
        self.assertIn("damping: [0.02]", rod)
        place = "velocity: [0, speed*r, 0], angular_velocity: -speed*r/0.5"
        part = os.path.join(SOURCE, "models", "parts", "rod.part")
        beams = (f"beams:\n  rod: {{type: rectangle, position: [r, 0, 0], end: [r + 0.5, 0, 0], width: "
                 f"0.005, height: 0.02, material: steel, elements: 6, {place}, damping: 1e-5}}\n")
        modal = (f"modal_bodies:\n  rod: {{part: {part}, position: [r, 0, 0], {place}, stiffening: %s, "
                 f"stiffness_damping: 1e-5}}\n")
        found = []
        for name, body in (("beam", beams), ("plain", modal % "false"), ("stiff", modal % "true")):
            new = text.replace(rod, body)
            if name == "beam":
                new = new.replace("rod.crank", "rod.start").replace("rod.pin", "rod.end")
            write(name + ".yaml", new)
            p = run("run", name + ".yaml", "--method", "genalpha", "--step", "1e-4", "--csv", name + ".csv",
                    "--out", "none", "--allow-path", os.path.dirname(part))
            self.assertEqual(p.returncode, 0, p.stderr)
            found.append(table(name + ".csv")["slider"])
        beam, plain, stiff = found
        self.assertLess(max(abs(a - b) for a, b in zip(plain, beam)), 1e-4)
        self.assertLess(max(abs(a - b) for a, b in zip(stiff, beam)), 3e-6)

    def test_bundled_part(self):
        """models/parts/rod.part is what the command in rod.yaml makes."""
        source = os.path.join(SOURCE, "models", "parts", "rod.yaml")
        command = re.search(r"trammel reduce rod.yaml (.*) -o rod.part", read(source)).group(1)
        p = run("reduce", source, *command.split(), "-o", "rod.part")
        self.assertEqual(p.returncode, 0, p.stderr)
        bundled = os.path.join(SOURCE, "models", "parts", "rod.part")
        old, new = (read(f).split() for f in (bundled, "rod.part"))
        self.assertEqual(len(old), len(new))
        for a, b in zip(old, new):
            try:
                x, y = float(a), float(b)
            except ValueError:
                self.assertEqual(a, b)
                continue
            self.assertAlmostEqual(x, y, delta=1e-6 * abs(x) + 1e-4)  # round-off of 1e8 N/m, signs of zeros

    def test_refused(self):
        write("arm.yaml", ARM)
        write("held.yaml", ARM + "joints: {wall: {type: fixed, a: ground, b: arm.start}}\n")
        run("reduce", "arm.yaml", *INTERFACE, "--modes", "1", "--matrices", "arm")
        matrices = ("--mass", "arm_mass.mtx", "--nodes", "arm_nodes.csv")
        write("bad_mass.mtx", read("arm_mass.mtx").replace("\n1 1 ", "\n1 1 -", 1))
        for args, text in (
                (("arm.yaml",), "--interface is missing"),
                (("arm.yaml", "--interface", "root=arm.strat"), "'arm' is a beam: give one of its frames"),
                (("arm.yaml", *INTERFACE, "--load", "tip.w"), "the load case 'tip.w' is neither"),
                (("arm.yaml", *INTERFACE, "--mass", "m.mtx"), "--mass is for matrices"),
                (("held.yaml", *INTERFACE), "held.yaml:5:10: error: a part is made of a free model"),
                (("arm_stiffness.mtx", "--interface", "root"), "--mass is missing"),
                (("arm_stiffness.mtx", *matrices, "--interface", "toot"), "no node 'toot' (is it 'root'?)"),
                (("arm_stiffness.mtx", "--mass", "bad_mass.mtx", "--nodes", "arm_nodes.csv", "--interface",
                  "root"), "bad_mass.mtx:3:1: error: the mass matrix is not positive: entry (1, 1)"),
                (("arm.yaml", *INTERFACE, "--tie", "a=arm_1"), "--tie is for matrices"),
                (("arm_stiffness.mtx", *matrices, "--interface", "root", "--tie", "a"), "not NAME=NODES"),
                (("no.mtx", *matrices, "--interface", "root"), "'no.mtx' cannot be opened"),
                (("arm.yaml", *INTERFACE, "--reference", "mid"), "'mid' is not an interface node")):
            p = run("reduce", *args)
            self.assertEqual(p.returncode, 2, args)
            self.assertIn(text, p.stderr)


if __name__ == "__main__":
    main()
