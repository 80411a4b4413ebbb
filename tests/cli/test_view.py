#!/usr/bin/env python3
"""trammel view: pages of results, what is refused, and the pages in a real browser."""
import csv
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import unittest

from common import (FAULTS, PATIENCE, PENDULUM, SOURCE, Case, faulty, main, read, remove, run, skip_if_slow,
                    table, write)

PLAYWRIGHT = os.path.join(SOURCE, "web", "node_modules", "playwright-core", "index.js")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
NODE = shutil.which("node") or shutil.which("nodejs")

HOSTILE = """\
title: '</script><script>window.hacked=1</script><img src=x onerror="window.hacked=1">'
parameters: {L: 1}
bodies:
  bob: {mass: 1, inertia: 1, position: [L, 0, 0]}
joints:
  pin: {type: revolute, a: ground, b: bob, point: [0, 0, 0], axis: [0, 1, 0]}
states:
  z: {rate: "1", unit: '<b onmouseover="window.hacked=1">'}
run: {end: 0.1}
"""
# names of a table of somebody else, and a control character among them
HOSTILE_CSV = ("t,<img src=x onerror=window.hacked=1>.x,</script><script>window.hacked=1</script>,"
               "\"\"\"q\"\".'y'\"\n"
               "0,1,2,3\n1,2,3,4\n")


def has_viewer():
    """False if Trammel was built without the viewer: then only the message can be tested."""
    write("probe.csv", "t,x\n0,1\n1,2\n")
    p = run("view", "probe.csv", "-q")
    return p.returncode == 0


def step_of(path):
    """A step in the middle of a run, as its report has it."""
    with open(path, encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(f))
    row = rows[len(rows) // 2]
    h = float(row["h"])
    return {"t": float(row["t"]) - h / 2, "size": h, "iterations": int(row["iterations"])}


class Command(Case):
    def test_page(self):
        write("p.yaml", PENDULUM)
        remove("p.html")
        self.good("run", "p.yaml", "-q")
        if not has_viewer():
            self.assertIn("npm", self.bad(2, "view", "p.h5").stderr)
            return
        p = self.good("view", "p.h5")
        self.assertRegex(p.stdout, r"^p.html: 0\.\d MB, \d+ channels, 51 rows\n$")
        page = read("p.html")
        self.assertLess(len(page), 1000000)
        self.assertIn("Content-Security-Policy", page)
        # the closing report is written before the file is closed: it cannot say how large it is
        self.assertNotIn("INCOMPLETE", page)
        self.assertNotRegex(page, r"<(script|link|img)[^>]+(src|href)=")
        self.assertEqual(self.good("view", "p.h5", "-q", "-o", "q.html").stdout, "")
        self.assertEqual(read("q.html"), page)  # the same bits

    def test_rows_are_left_out(self):
        if not has_viewer():
            return
        write("p.yaml", PENDULUM)
        self.good("run", "p.yaml", "-q", "--output-step", "1e-4")
        p = self.good("view", "p.h5", "--size", "0.78")
        self.assertRegex(p.stdout, r"\d+ of 5001 rows\n  errors over the largest value of a channel: at most "
                                   r"\d.\de-\d+ of a value, \d.\de[-+]\d+ between rows \(\S+\)\n")
        self.assertLess(os.path.getsize("p.html"), 780000)

    def test_history_of_many_steps(self):
        if not has_viewer():
            return
        write("p.yaml", PENDULUM)
        self.good("run", "p.yaml", "-q", "--step", "1e-4")
        self.good("view", "p.h5", "-q")
        info = json.loads(re.search(r'id="info"[^>]*>(.*?)</script>', read("p.html"), re.S).group(1))
        history = json.loads(info["notes"]["steps"])
        # 5000 steps are more than 512 spans hold: 16 of them are one
        self.assertEqual((history["steps"], len(history["t"]), history["start"]), (16, 313, 0))
        self.assertAlmostEqual(history["t"][0], 16e-4, places=9)
        self.assertEqual(history["t"][-1], 0.5)
        self.assertEqual(set(history["most"]), {1e-4})
        self.assertGreaterEqual(min(history["iterations"]), 1)

    def test_scene_of_a_model(self):
        if not has_viewer():
            return
        write("p.yaml", PENDULUM)
        self.good("run", "p.yaml", "-q", "--csv", "c.csv")
        self.assertIn("plots only", self.good("view", "c.csv").stdout)
        self.assertNotIn("plots only", self.good("view", "c.csv", "--model", "p.yaml", "--set", "L=2").stdout)

    def test_beside(self):
        """Two results in one page, which is as small as asked for."""
        if not has_viewer():
            return
        write("p.yaml", PENDULUM)
        for name, length in (("a", "1.3"), ("b", "2")):
            self.good("run", "p.yaml", "-q", "-o", f"{name}.h5", "--set", f"L={length}", "--output-step",
                      "1e-4")
        self.good("view", "a.h5", "--with", "b.h5", "-q", "--size", "0.85")
        page = read("a.html")
        self.assertLess(len(page), 850000)
        for name in ("info", "scene", "data"):
            self.assertEqual(len(re.findall(f'<script type="[a-z/]*" id="{name}(?:-1)?">', page)), 2, name)
        info = json.loads(re.search(r'id="info-1"[^>]*>(.*?)</script>', page, re.S).group(1))
        self.assertEqual((info["title"], info["rows"]), ("b.h5", 5001))
        self.assertIn("none.h5", self.bad(2, "view", "a.h5", "--with", "none.h5").stderr)
        self.assertIn("--with", self.bad(2, "view", "a.h5", "--with", "b.h5", "--serve").stderr)
        write("c.csv", "x,y\n0,1\n1,2\n")
        self.assertIn("'t'", self.bad(2, "view", "a.h5", "--with", "c.csv", "-o", "no.html").stderr)
        self.assertFalse(os.path.exists("no.html"))

    def test_refused(self):
        write("p.yaml", PENDULUM)
        self.good("run", "p.yaml", "-q", "--csv", "c.csv", "--out", "p.h5")
        self.assertIn("overwrite", self.bad(2, "view", "p.h5", "-o", "p.h5").stderr)
        self.assertIn("--model", self.bad(2, "view", "p.h5", "--set", "L=1").stderr)
        self.assertIn("none.h5", self.bad(2, "view", "none.h5").stderr)
        write("other.h5", "not a result")
        self.assertIn("other.h5", self.bad(2, "view", "other.h5").stderr)


class Pages:
    """Pages with what a person would do on them (tests/view/browser)."""

    def plan_chain(self):
        """More bodies than are drawn one by one."""
        lines = ["gravity: [0, 0, -9.81]", "bodies:"]
        lines += [f"  b{i}: {{mass: 0.1, inertia: 1e-5, position: [{0.1 * i + 0.05:.2f}, 0, 0], "
                  "frames: {a: [-0.05, 0, 0], b: [0.05, 0, 0]}}" for i in range(310)]
        lines += ["joints:", "  j0: {type: spherical, a: ground, b: b0.a}"]
        lines += [f"  j{i}: {{type: spherical, a: b{i - 1}.b, b: b{i}.a}}" for i in range(1, 310)]
        write("chain.yaml", "\n".join(lines) + "\nrun: {end: 0.2, output_step: 0.01, tol: 1e-2}\n")
        return self.plan_run("chain", "chain.yaml")

    def plan_star(self):
        """A body whose shapes are the tips of its spokes."""
        tips = ", ".join(f"tip{i}: {{position: [{x}, {y}], shape: {{type: sphere, radius: 1e-3}}}}"
                         for i, (x, y) in enumerate(((1, 0), (-0.5, 0.9), (-0.5, -0.9))))
        write("star.yaml", "planar: true\ngravity: 9.81\nbodies:\n  star: {mass: 1, inertia: 0.5, "
              f"angular_velocity: 2, frames: {{{tips}}}}}\nrun: {{end: 0.2, output_step: 0.02}}\n")
        return self.plan_run("star", "star.yaml")

    def plan_ball(self):
        """A single body whose way is much longer than itself; it turns."""
        write("ball.yaml", "gravity: 9.81\nbodies:\n  ball: {mass: 0.5, inertia: 0.002, position: [0, 0, 1], "
              "velocity: [3, 0, 2], angular_velocity: [0, 12, 4], shape: {type: sphere, radius: 0.1}}\n"
              "run: {end: 1, output_step: 0.02}\n")
        return dict(self.plan_run("ball", "ball.yaml"), kind="fit", way="ball")

    def plan_contacts(self):
        """A block pushed along a floor: its weight and the friction act where it stands, ahead of its
        middle, because it is pushed above the floor. A ball rests on the other side."""
        write("block.yaml", "gravity: 9.81\nbodies:\n"
              "  block: {mass: 3, inertia: 0.02, position: [0, 0, 0.1]}\n"
              "  ball: {mass: 0.5, inertia: 0.002, position: [0.5, 0.4, 0.05]}\n"
              "shapes:\n  block: {type: box, size: [0.4, 0.3, 0.2]}\n  ball: {type: sphere, radius: 0.05}\n"
              "  floor: {type: plane, at: ground, normal: [0, 0, 1]}\n"
              "forces:\n  push: {type: applied, at: block, force: [12, 0, 0]}\n"
              "contacts:\n  stand: {a: block, b: floor, law: linear, stiffness: 1e6, damping: 3e3, "
              "friction: {law: regularized, coefficient: 0.5, creep: 1e-4}}\n"
              "  rest: {a: ball, b: floor, law: linear, stiffness: 1e6, damping: 1e3}\n"
              "run: {end: 1, output_step: 0.05}\n")
        item = dict(self.plan_run("block", "block.yaml"), kind="fit")
        g, end = 9.81, item["to"]
        rows = table("block.csv")
        at = {c: rows[c][-1] for c in rows}
        # statics: the normal force is ahead of the middle by the moment of the push about the floor
        ahead = at["block.x"] + 12 * at["block.z"] / (3 * g)
        middle = [ahead, 0, 0]
        self.assertAlmostEqual(at["stand.point_x"], ahead, delta=1e-5)
        self.assertAlmostEqual(at["stand.normal_z"], 3 * g, delta=1e-4)
        self.assertAlmostEqual(at["stand.friction_x"], -12, delta=1e-4)
        self.assertAlmostEqual(at["rest.normal_z"], 0.5 * g, delta=1e-6)
        self.assertAlmostEqual(at["rest.point_z"], 0, delta=1e-5)
        arrows = [{"point": middle, "force": [0, 0, 3 * g], "colour": "green"},
                  {"point": middle, "force": [-12, 0, 0], "colour": "orange"},
                  {"point": [0.5, 0.4, 0], "force": [0, 0, 0.5 * g], "colour": "green"}]
        return dict(item, contacts={"t": end, "arrows": arrows, "scale": "29.4 N"})

    def plan_hand(self):
        """Keyboard, labels, a floor with something below it, what is remembered, links."""
        write("hand.yaml", "gravity: 9.81\nbodies:\n"
              "  ball: {mass: 0.5, inertia: 0.002, position: [0.5, 0.4, 0.05]}\n"
              "  block: {mass: 3, inertia: 0.02, position: [-0.5, 0, 0.1]}\n"
              "  cellar: {mass: 3, inertia: 0.02, position: [0, -0.2, -0.4]}\n"
              "shapes:\n  block: {type: box, size: [0.4, 0.3, 0.2]}\n  ball: {type: sphere, radius: 0.05}\n"
              "  cellar: {type: box, size: [0.2, 0.2, 0.2]}\n"
              "  floor: {type: plane, at: ground, normal: [0, 0, 1]}\n"
              "joints:\n  deep: {type: fixed, a: ground, b: cellar, point: [0, -0.2, -0.4]}\n"
              "contacts:\n  stand: {a: block, b: floor, law: linear, stiffness: 1e6, damping: 3e3}\n"
              "  rest: {a: ball, b: floor, law: linear, stiffness: 1e6, damping: 1e3}\n"
              "run: {end: 1, output_step: 0.05}\n")
        return dict(self.plan_run("hand", "hand.yaml"), kind="hand")

    def plan_floor(self):
        return dict(self.plan_run("contact/domino_row"), kind="floor")

    def plan_gears(self):
        """Wheels that are drawn because their joints are coupled reach farther than any body."""
        write("gears.yaml", "planar: true\nbodies:\n"
              "  first: {mass: 1, inertia: 0.1, position: [0.1, 0], velocity: [0, 0.2], "
              "angular_velocity: 2}\n"
              "  second: {mass: 1, inertia: 0.1, position: [0.8, 0], angular_velocity: -6}\n"
              "joints:\n  a: {type: revolute, a: ground, b: first, point: [0, 0]}\n"
              "  b: {type: revolute, a: ground, b: second, point: [0.8, 0]}\n"
              "  mesh: {type: gear, first: a.angle, second: b.angle, ratio: -1/3}\n"
              "run: {end: 1, output_step: 0.02}\n")
        rim = [[0.6 * x, 0.6 * y, 0] for x, y in ((-1, 0), (0, -1), (0, 1))]  # of the first
        return dict(self.plan_run("gears", "gears.yaml"), kind="fit", points=rim)

    def plan_run(self, model, path=None):
        name = os.path.basename(model)
        path = path or os.path.join(SOURCE, "models", f"{model}.yaml")
        end = ("--end", "0.3") if name in ("beam_flying_planar", "spheres_in_box") else ()
        # a method with iterations, which the page shows
        report = ("--report", "steps.csv", "--method", "bdf") if name == "stewart_platform" else ()
        self.good("run", path, "-q", "-o", f"{name}.h5", "--csv", f"{name}.csv", *report, *end)
        self.good("view", f"{name}.h5", "-q")
        rows = table(f"{name}.csv")
        n = len(rows["t"])
        at, other = n // 3, n // 2
        bodies = [c[:-3] for c in rows if c.endswith(".vx")]
        joints = [c[:-3] for c in rows if c.endswith(".fx")]
        # what no motion can change is not in the result
        fixed = [(f"{b}.{c}", int(c == "q0")) for b in bodies for c in ("z", "q0", "q1", "q2", "q3")]
        for column, value in fixed + [(f"{j}.{c}", 0) for j in joints for c in ("fz", "mx", "my")]:
            rows.setdefault(column, n * [value])

        def path_length(body):
            return max(rows[f"{body}.{k}"][i] - rows[f"{body}.{k}"][0] for k in "xyz" for i in range(n))
        bodies.sort(key=path_length, reverse=True)
        # the pen of the trammel is a frame of the bar at which nothing acts
        traced = {"body": "bar", "point": [0.1, 0, 0]} if name == "trammel_of_archimedes" else None
        hit = "star" if name == "star" else None
        widths, ground = ([840, 1400, 1920], 0) if name == "rolling_disc" else ([], None)
        return {"name": name, "hit": hit, "widths": widths, "ground": ground, "kind": "run",
                "page": os.path.abspath(f"{name}.html"), "from": rows["t"][0], "to": rows["t"][-1],
                "t": rows["t"][at], "other_t": rows["t"][other], "moving": bodies[0], "bodies": bodies,
                "joints": joints, "traced": traced, "steps": step_of("steps.csv") if report else None,
                "values": {c: rows[c][at] for c in rows}, "other_values": {c: rows[c][other] for c in rows}}

    def plan_modes(self):
        path = os.path.join(SOURCE, "models", "beam_arch.yaml")
        self.good("modes", path, "-o", "modes.h5", "--count", "4")
        self.good("view", "modes.h5", "-q")
        with open(path, encoding="utf-8") as f:
            self.assertIn("arch", f.read())
        return {"name": "modes", "kind": "modes", "page": os.path.abspath("modes.html"), "moving": "arch"}

    def plan_hostile(self):
        write("hostile.yaml", HOSTILE)
        self.good("run", "hostile.yaml", "-q")
        self.good("view", "hostile.h5", "-q")
        write("table.csv", HOSTILE_CSV)
        self.good("view", "table.csv", "-q")
        return [{"name": "hostile", "kind": "hostile", "page": os.path.abspath("hostile.html"),
                 "words": ["</script><script>window.hacked=1</script>"]},
                {"name": "hostile_names", "kind": "hostile", "page": os.path.abspath("table.html"),
                 "words": ["<img src=x onerror=window.hacked=1>.x",
                           "</script><script>window.hacked=1</script>", "\"q\".'y'"]}]

    def plan_killed(self):
        write("k.yaml", PENDULUM.replace("end: 0.5", "end: 10"))
        self.assertEqual(faulty("run", "k.yaml", "-q", kill=60).returncode, -signal.SIGKILL)
        self.good("view", "k.h5", "-q")
        return {"name": "killed", "kind": "note", "page": os.path.abspath("k.html"),
                "word": "the run did not reach its end"}

    def show(self, plan, name="browser.mjs"):
        with open("plan.json", "w", encoding="utf-8") as f:
            json.dump(plan, f)
        script = os.path.join(SOURCE, "tests", "view", "browser", name)
        p = subprocess.run([NODE, script, CHROMIUM, PLAYWRIGHT, "plan.json"], capture_output=True, text=True,
                           timeout=PATIENCE, check=False)
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertEqual(p.stdout.splitlines(), [f"ok {item['name']}" for item in plan], p.stderr)
        for path in glob.glob("*.html") + glob.glob("*.h5"):
            remove(path)


NEEDS = "needs chromium, playwright and the library of faults"
BROWSER = FAULTS and CHROMIUM and NODE and os.path.exists(PLAYWRIGHT)


@skip_if_slow("the browser is not instrumented")
@unittest.skipUnless(BROWSER, NEEDS)
class Browser(Pages, Case):
    cost = 30  # [s]

    def test_models(self):
        self.show([self.plan_run(model) for model in (
            "hmmwv", "andrews", "trammel_of_archimedes", "stewart_platform", "redundant_bricard",
            "contact/spheres_in_box", "rolling_disc", "beam_flying_planar")])


@skip_if_slow("the browser is not instrumented")
@unittest.skipUnless(BROWSER, NEEDS)
class BrowserHand(Pages, Case):
    """Without a mouse, and with one."""

    def test_hand(self):
        self.show([self.plan_hand()])


@skip_if_slow("the browser is not instrumented")
@unittest.skipUnless(BROWSER, NEEDS)
class BrowserOthers(Pages, Case):
    """Many bodies, modes, names that are no names, a run that was killed."""
    cost = 25  # [s]

    def test_others(self):
        self.show([self.plan_chain(), self.plan_star(), self.plan_ball(), self.plan_gears(),
                   self.plan_floor(), self.plan_contacts(), self.plan_modes(), *self.plan_hostile(),
                   self.plan_killed()])


if __name__ == "__main__":
    main()
