"""trammel check: the report of all bundled models, as text and as JSON; repeated constraints by name."""
import glob
import json
import math
import os
import re

from common import SOURCE, Case, main, read, run, skip_if_slow, write

MODELS = [p for p in sorted(glob.glob(os.path.join(SOURCE, "models", "*.yaml")))
          if not p.endswith("scissor_lift.yaml")]  # with fewer cells in test_redundant

# A parallelogram in the x-y plane of a spatial model: four hinges about z hold it in its plane three times
# too often.
FOUR_BAR = """\
gravity: [0, -9.81, 0]
ground: {frames: {D: [0.61, 0, 0]}}
bodies:
  crank: {mass: 1, inertia: [0.01, 0.02, 0.02], position: [0, 0.13, 0],
          frames: {A: [0, -0.13, 0], B: [0, 0.13, 0]}}
  coupler: {mass: 2, inertia: [0.01, 0.05, 0.05], position: [0.305, 0.26, 0],
            frames: {B: [-0.305, 0, 0], C: [0.305, 0, 0]}}
  rocker: {mass: 1, inertia: [0.01, 0.02, 0.02], position: [0.61, 0.13, 0],
           frames: {D: [0, -0.13, 0], C: [0, 0.13, 0]}}
joints:
  pin_A: {type: revolute, a: ground, b: crank.A}
  pin_B: {type: revolute, a: crank.B, b: coupler.B}
  pin_C: {type: revolute, a: coupler.C, b: rocker.C}
  pin_D: {type: revolute, a: ground.D, b: rocker.D}
"""

DOOR = """\
gravity: [0, 0, -9.81]
bodies:
  door: {mass: 20, inertia: [5, 6, 2], position: [0.4, 0, 0]}
joints:
  hinge_A: {type: revolute, a: ground, b: door, point: [0, 0, -0.7]}
  hinge_B: {type: revolute, a: ground, b: door, point: [0, 0, 0]}
  hinge_C: {type: revolute, a: ground, b: door, point: [0, 0, 0.7]}
"""

# Crank of length 1 and rod of length L; equal, they can both turn about the same point when the slider is
# there.
EQUAL_ARMS = """\
planar: true
gravity: 9.81
parameters: {A0: 45 deg, L: 1, B0: asin(sin(A0)/L), X0: cos(A0) + L*cos(B0)}
bodies:
  crank: {mass: 1, inertia: 0.1, position: [0.5*cos(A0), 0.5*sin(A0)], orientation: A0,
          frames: {A: [-0.5, 0], B: [0.5, 0]}}
  rod: {mass: 1, inertia: 0.1, position: [X0 - 0.5*L*cos(B0), 0.5*sin(A0)], orientation: -B0,
        frames: {B: [-L/2, 0], C: [L/2, 0]}}
  slider: {mass: 1, inertia: 0.1, position: [X0, 0]}
joints:
  main: {type: revolute, a: ground, b: crank.A}
  pin: {type: revolute, a: crank.B, b: rod.B}
  wrist: {type: revolute, a: rod.C, b: slider}
  guide: {type: prismatic, a: ground, b: slider, axis: [1, 0]}
"""

# A crank that cannot turn round: its tip is at most 2 from the pin of the rocker.
ROCKING = """\
planar: true
gravity: 9.81
parameters: {a: 1.2, b: 1, d: 1.5, th: 50 deg, x: a*cos(th), y: a*sin(th), e: "sqrt((d - x)^2 + y^2)",
             g: "atan2(-y, d - x) + acos(e/(2*b))", bx: x + b*cos(g), by: y + b*sin(g)}
ground: {frames: {D: [d, 0]}}
bodies:
  crank: {mass: 1, inertia: 0.1, position: [x/2, y/2], orientation: th, frames: {l: [-a/2, 0], r: [a/2, 0]}}
  rod: {mass: 1, inertia: 0.1, position: [(x + bx)/2, (y + by)/2], orientation: g,
        frames: {l: [-b/2, 0], r: [b/2, 0]}}
  rocker: {mass: 1, inertia: 0.1, position: [(d + bx)/2, by/2], orientation: "atan2(by, bx - d)",
           frames: {l: [-b/2, 0], r: [b/2, 0]}}
joints:
  O: {type: revolute, a: ground, b: crank.l}
  A: {type: revolute, a: crank.r, b: rod.l}
  B: {type: revolute, a: rod.r, b: rocker.r}
  D: {type: revolute, a: ground.D, b: rocker.l}
"""

RODS = """\
bodies:
  ball: {mass: 1, point: true, position: [1, 0, 0]}
joints:
  short: {type: distance, a: ground, b: ball, length: 1}
  long: {type: distance, a: ground, b: ball, length: 1.1}
"""


DRIVEN = """\
planar: true
gravity: 9.81
bodies:
  bar: {{mass: 1, inertia: 0.1, position: [0.5, 0], frames: {{l: [-0.5, 0]}}}}
joints:
  pin: {{type: revolute, a: ground, b: bar.l}}
  d1: {{type: driver, of: pin.angle, motion: "{}"}}
  d2: {{type: driver, of: pin.angle, motion: "{}"}}
"""

# Two arms on pins and a rod between their tips, which coincide, or are `gap` apart.
ROD = """\
planar: true
gravity: 9.81
parameters: {gap: 0}
ground: {frames: {B: [2, 0]}}
bodies:
  left: {mass: 1, inertia: 0.1, position: [0.5, 0], frames: {pin: [-0.5, 0], tip: [0.5, 0]}}
  right: {mass: 1, inertia: 0.1, position: [1.5, -gap], frames: {pin: [0.5, 0], tip: [-0.5, 0]}}
joints:
  A: {type: revolute, a: ground, b: left.pin}
  B: {type: revolute, a: ground.B, b: right.pin}
  rod: {type: distance, a: left.tip, b: right.tip, length: 0.3}
"""


@skip_if_slow("twenty seconds; other classes check models of all kinds")
class Models(Case):
    reports = {}

    def check(self, path):
        if path not in self.reports:
            self.reports[path] = json.loads(self.good("check", path, "--json").stdout)
        return self.reports[path]

    def test_json(self):
        self.assertGreaterEqual(len(MODELS), 11)
        for path in MODELS:
            with self.subTest(model=os.path.basename(path)):
                r = self.check(path)
                self.assertEqual((r["command"], r["status"], r["exit_status"]), ("check", "ok", 0))
                self.assertEqual(bool(r["dependent_rows"]), os.path.basename(path).startswith("redundant_"))
                self.assertEqual(r["rank"], r["constraint_rows"] - len(r["dependent_rows"]))
                self.assertEqual(r["constraint_rows"], sum(j["rows"] for j in r["joints"]))
                # a modal body has an amplitude for each of its modes
                parts = re.findall(r"part: (\S+),", read(path))
                modes = sum(int(re.search(r"^modes (\d+)", read(os.path.join(os.path.dirname(path), part)),
                                          re.MULTILINE)[1]) for part in parts)
                self.assertEqual(r["coordinates"], sum(b["coordinates"] for b in r["bodies"]) + modes)
                self.assertEqual(r["degrees_of_freedom"], r["coordinates"] - r["rank"])
                # bundled models start closed: the assembly has nothing to do but round off
                self.assertLess(r["start"]["moved"], 1e-12)
                self.assertLess(r["start"]["velocity"]["value"], 1e-9)
                self.assertGreater(r["length"], 0)

    def test_text(self):
        for path in MODELS:
            with self.subTest(model=os.path.basename(path)):
                r = self.check(path)
                text = self.good("check", path).stdout
                self.assertTrue(text.startswith(r["title"] + "\n"))
                self.assertIn(f"\nDegrees of freedom: {r['degrees_of_freedom']}\n", text)
                self.assertRegex(text, rf"\n  {len(r['bodies'])} bod(y|ies), {len(r['joints'])} joints?, ")
                self.assertLess(max(map(len, text.splitlines())), 121)
                self.assertLess(len(text.splitlines()), 75)  # short first
                text = self.good("check", path, "--all", "--no-trial").stdout
                self.assertIn(f"\nBodies: {len(r['bodies'])}\n", text)
                self.assertIn(f"\nJoints: {len(r['joints'])}\n", text)

    def test_freedoms(self):
        known = {"andrews": 1, "chain": 10, "double_pendulum": 2, "flail": 9, "four_bar": 1, "governor": 2,
                 "heavy_top": 3, "hmmwv": 18, "hmmwv_revolute": 11, "pendulum": 1, "slider_crank": 0,
                 "spring_pendulum": 1,
                 "stiff_double_pendulum": 2, "suspension": 2}
        for name, freedoms in known.items():
            with self.subTest(model=name):
                r = self.check(os.path.join(SOURCE, "models", name + ".yaml"))
                self.assertEqual(r["degrees_of_freedom"], freedoms)

    def test_held_rotations(self):
        notes = [n["text"] for n in self.check(os.path.join(SOURCE, "models", "flail.yaml"))["notes"]]
        self.assertTrue(any("Body 'ball' has no rotational inertia" in n for n in notes), notes)
        self.assertTrue(any("Body 'link' has no inertia about its axis [0, 0, -1]" in n for n in notes),
                        notes)
        self.assertFalse(any("'bar'" in n or "'cross'" in n for n in notes), notes)

    def test_start_to_round_off(self):
        text = self.good("check", os.path.join(SOURCE, "models", "four_bar.yaml"), "--all").stdout
        self.assertIn("\n  positions  satisfy the constraints to round-off\n", text)
        self.assertRegex(text, r"\n  crank +0\.3 +3  0, 0\.075, 0\n")  # not 4.6e-18
        text = self.good("check", os.path.join(SOURCE, "models", "chain.yaml")).stdout
        self.assertIn("\n  20 zero roots: ", text)

    def test_set(self):
        p = self.good("check", os.path.join(SOURCE, "models", "chain.yaml"), "--set", "N=37", "--json")
        r = json.loads(p.stdout)
        self.assertEqual((len(r["bodies"]), r["degrees_of_freedom"]), (37, 37))


class Redundant(Case):
    def test_names(self):
        """18 coordinates and 20 rows, but one freedom: three rows are redundant."""
        write("bars.yaml", FOUR_BAR)
        r = json.loads(self.good("check", "bars.yaml", "--json").stdout)
        self.assertEqual((r["coordinates"], r["constraint_rows"], r["rank"]), (18, 20, 17))
        self.assertEqual(r["degrees_of_freedom"], 1)
        self.assertEqual(len(r["dependent_rows"]), 3)
        named = " ".join(json.dumps(row) for row in r["dependent_rows"])
        self.assertRegex(named, r"pin_[A-D]")
        self.assertEqual(sum(j["dependent_rows"] for j in r["joints"]), 3)
        text = self.good("check", "bars.yaml").stdout
        blamed = [j["name"] for j in r["joints"] if j["dependent_rows"]]
        self.assertTrue(blamed)
        for name in blamed:
            self.assertIn(f"- {name}: ", text)

    def test_cured(self):
        """Room for errors of manufacture: a cylindrical and a spherical joint in the loop, and no row is
        repeated."""
        text = FOUR_BAR.replace("pin_B: {type: revolute", "pin_B: {type: cylindrical")
        text = text.replace("pin_C: {type: revolute", "pin_C: {type: spherical")
        write("cured.yaml", text)
        r = json.loads(self.good("check", "cured.yaml", "--json").stdout)
        self.assertEqual((r["constraint_rows"], r["rank"], r["degrees_of_freedom"]), (17, 17, 1))
        self.assertEqual(r["dependent_rows"], [])

    def test_reactions(self):
        """In the plane the reactions are unique, out of it they are shared; the sentence names all."""
        write("bars.yaml", FOUR_BAR)
        r = json.loads(self.good("check", "bars.yaml", "--json").stdout)
        self.assertEqual(r["repeated"],
                         ["pin_D: displacement along z and rotation about x and y are redundant with pin_A, "
                          "pin_B and pin_C; their reactions are shared (minimum-norm values)"])
        shared = {(x["joint"], x["component"]) for x in r["reactions"] if x["kind"] == "shared"}
        out = ["displacement along z", "rotation about x", "rotation about y"]
        self.assertEqual(shared, {(f"pin_{j}", c) for j in "ABCD" for c in out})
        self.assertEqual({x["kind"] for x in r["reactions"]}, {"unique", "shared"})
        self.assertIn("gives -2; 3 of the 20 rows are redundant: the mechanism is planar", r["mobility"])
        self.assertEqual(sum(s["excess"] for s in r["redundant_sets"]), 3)
        self.assertFalse(any(s["only_here"] for s in r["redundant_sets"]))
        self.assertIn("\n    rotation about x         shared",
                      self.good("check", "bars.yaml", "--all").stdout)

    def test_door(self):
        write("door.yaml", DOOR)
        r = json.loads(self.good("check", "door.yaml", "--json").stdout)
        self.assertEqual((r["rank"], r["degrees_of_freedom"], r["degrees_of_freedom_by_count"]), (5, 1, -9))
        self.assertIn("several joints connect the same two bodies", r["mobility"])
        self.assertIn("hinge_C: displacement along x, y and z and rotation about x and y are redundant with "
                      "hinge_A and hinge_B; their reactions are shared (minimum-norm values)", r["repeated"])
        self.assertEqual(r["singular"]["nearest"], None)
        self.assertTrue(r["singular"]["sweeps"][0]["closed"])

    def test_bundled(self):
        """Models with more constraints than needed: freedoms, why, and where they become singular."""
        known = {"bricard": (1, 0, "special dimensions"), "door": (1, -9, "same two bodies"),
                 "four_bar": (1, -2, "is planar"),
                 "four_bars": (1, -29, "is planar"), "parallelogram": (1, 0, "special dimensions"),
                 "platform": (1, 0, "same two bodies"), "scissor_lift": (1, -296, "is planar"),
                 "scott_russell": (1, -1, "special dimensions")}
        for name, (freedoms, count, why) in known.items():
            with self.subTest(model=name):
                path = os.path.join(SOURCE, "models", f"redundant_{name}.yaml")
                r = json.loads(self.good("check", path, "--json", "--no-trial").stdout)
                self.assertEqual((r["degrees_of_freedom"], r["degrees_of_freedom_by_count"]),
                                 (freedoms, count))
                self.assertEqual(r["rank_nearby"], r["rank"])
                self.assertIn(why, r["mobility"])
                self.assertTrue(r["repeated"])
                self.assertNotIn("indeterminate", {x["kind"] for x in r["reactions"]})


class Singular(Case):
    def test_equal_arms(self):
        """The slider-crank with equal arms: from 45 deg the crank reaches its singular
        configuration at 90 deg."""
        write("arms.yaml", EQUAL_ARMS)
        r = json.loads(self.good("check", "arms.yaml", "--json").stdout)
        self.assertEqual((r["rank"], r["degrees_of_freedom"]), (8, 1))
        near = r["singular"]["sweeps"][r["singular"]["nearest"]]
        self.assertEqual((near["along"], near["what"], near["rank"], near["rank_there"]),
                         ("main.angle", "bifurcation", 8, 7))
        self.assertAlmostEqual(near["start"], math.pi / 4, 9)
        self.assertAlmostEqual(near["nearest"], math.pi / 2, 4)
        both = sorted(s["nearest"] for s in r["singular"]["sweeps"])
        self.assertAlmostEqual(both[0], -math.pi / 2, 4)
        self.assertIn("main.angle = 90 deg, 45 deg from the start: singular, rank 8 -> 7",
                      self.flat(self.good("check", "arms.yaml").stdout))

    def test_start(self):
        """From the singular configuration itself: said so, and the reactions lost there are indeterminate."""
        write("arms.yaml", EQUAL_ARMS.replace("A0: 45 deg", "A0: 90 deg"))
        r = json.loads(self.good("check", "arms.yaml", "--json", "--no-trial").stdout)
        self.assertEqual((r["rank"], r["rank_nearby"]), (7, 8))
        self.assertTrue(r["singular"]["at_start"])
        self.assertIn("indeterminate", {x["kind"] for x in r["reactions"]})
        self.assertIn("1 row is dependent only in this singular configuration", r["mobility"])

    def test_driven(self):
        """A slider that is pushed beyond the reach of its crank locks up; a driven crank does not."""
        write("push.yaml", EQUAL_ARMS.replace("A0: 45 deg, L: 1", "A0: 45 deg, L: 1.2") +
              "  push: {type: driver, of: slider.x, motion: X0 + 0.5*t}\nrun: {end: 3}\n")
        r = json.loads(self.good("check", "push.yaml", "--json", "--no-trial").stdout)
        (sweep,) = r["singular"]["sweeps"]
        x0 = math.cos(math.pi / 4) + math.sqrt(1.44 - 0.5)
        self.assertEqual((sweep["driven"], sweep["what"], sweep["along"]), (True, "limit", "push"))
        self.assertAlmostEqual(sweep["t_nearest"], (2.2 - x0) / 0.5, 3)
        self.assertAlmostEqual(sweep["nearest"], 2.2, 4)
        write("turn.yaml", EQUAL_ARMS
              + "  motor: {type: driver, of: main.angle, motion: 45 deg + 2*t}\nrun: {end: 3}\n")
        r = json.loads(self.good("check", "turn.yaml", "--json", "--no-trial").stdout)
        (sweep,) = r["singular"]["sweeps"]
        self.assertEqual((sweep["driven"], sweep["what"]), (True, "bifurcation"))
        self.assertAlmostEqual(sweep["t_nearest"], math.pi / 8, 4)

    def test_four_bars(self):
        """A row of parallelograms: flat, every one of them could turn over, so the rank falls by their
        number."""
        r = json.loads(self.good("check", os.path.join(SOURCE, "models", "four_bars.yaml"), "--json",
                                 "--no-trial").stdout)
        near = r["singular"]["sweeps"][r["singular"]["nearest"]]
        self.assertEqual((near["rank"], near["rank_there"]), (62, 52))
        self.assertAlmostEqual(abs(near["nearest"] - near["start"]), math.pi / 2, 4)

    def test_rocks(self):
        """A crank that goes there and back: no full cycle, but the range that was reached."""
        write("rock.yaml", ROCKING)
        r = self.report("check", "rock.yaml", "--no-trial")
        s, = r["singular"]["sweeps"]
        most = math.degrees(math.acos((1.2**2 + 1.5**2 - 4) / (2 * 1.2 * 1.5)))  # rod and rocker in line
        self.assertEqual((s["along"], s["closed"]), ("O.angle", True))
        # parabolas over steps of 0.04 rad
        self.assertAlmostEqual(math.degrees(s["highest"]), most, delta=0.01)
        self.assertAlmostEqual(math.degrees(s["lowest"]), -most, delta=0.01)
        m = re.match(r"O.angle between (\S+) deg and (\S+) deg \(there and back\): not singular;", s["text"])
        self.assertTrue(m, s["text"])
        self.assertAlmostEqual(float(m[1]), -most, delta=0.02)
        self.assertAlmostEqual(float(m[2]), most, delta=0.02)

    @staticmethod
    def flat(text):
        return " ".join(text.split())


class Conflicts(Case):
    def test_rods(self):
        """Two rods of different length between the same points: run and check say the same."""
        write("rods.yaml", RODS)
        p = self.bad(2, "check", "rods.yaml", "--json")
        r = json.loads(p.stdout)
        self.assertEqual((r["status"], r["assembled"], r["exit_status"]), ("assembly", False, 2))
        self.assertEqual({c["joint"] for c in r["conflicts"]}, {"short", "long"})
        for c in r["conflicts"]:
            self.assertAlmostEqual(c["gap"], 0.1, 6)
            self.assertEqual((c["unit"], c["group"]), ("m", 0))
        sentence = "joint 'short' and joint 'long' contradict each other by 0.1 m"
        self.assertIn(sentence, r["error"]["message"])
        self.assertEqual(self.bad(2, "run", "rods.yaml").stderr, p.stderr)
        self.assertIn("joint 'long'", self.bad(2, "check", "rods.yaml").stdout)

    def test_apart(self):
        """Two conflicts that have nothing to do with each other, and a third rod that takes part in none."""
        write("rods.yaml", RODS.replace("joints:",
                                        "  peg: {mass: 1, point: true, position: [0, 2, 0]}\njoints:") +
              "  near: {type: distance, a: ground, b: peg, length: 2}\n"
              "  far: {type: distance, a: ground, b: peg, length: 2.02}\n")
        r = json.loads(self.bad(2, "check", "rods.yaml", "--json").stdout)
        groups = {}
        for c in r["conflicts"]:
            groups.setdefault(c["group"], set()).add(c["joint"])
        self.assertEqual(sorted(map(sorted, groups.values())), [["far", "near"], ["long", "short"]])

    def test_angles(self):
        """Hinges whose axes are two degrees apart: the gap is an angle."""
        write("door.yaml", DOOR.replace("point: [0, 0, 0.7]}", "point: [0, 0, 0.7], axis: [0, 0, 1]}")
              .replace("hinge_B: {type: revolute, a: ground", "hinge_B: {type: revolute, a: ground.tilted")
              .replace("bodies:", "ground: {frames: {tilted: {orientation: {axis: [1, 0, 0], angle: 2 "
                                  "deg}}}}\nbodies:"))
        r = json.loads(run("check", "door.yaml", "--json").stdout)
        self.assertEqual(r["status"], "assembly", r.get("error"))
        self.assertIn("rad", {c["unit"] for c in r["conflicts"]})


    def test_one_against_two(self):
        """A door on three hinges, the middle one out of line: it is named, by how much, and the others are
        not to blame."""
        door = os.path.join(SOURCE, "tests", "models", "door_out_of_line.yaml")
        for e in ("1e-4", "1e-3", "0.1"):
            with self.subTest(e=e):
                p = self.bad(2, "check", door, "--set", "e=" + e, "--json")
                r = json.loads(p.stdout)
                self.assertEqual(r["conflicts"][0]["joint"], "middle")
                self.assertAlmostEqual(r["conflicts"][0]["gap"], float(e), delta=1e-6 * float(e))
                self.assertIn(f"joint 'middle' contradicts joint 'low' and joint 'high', which agree with "
                              f"each other: "
                              f"it is off by {float(e):.4g} m", r["error"]["message"])

    def test_one_rod_against_two(self):
        write("rods.yaml", RODS + "  again: {type: distance, a: ground, b: ball, length: 1}\n")
        self.assertIn("joint 'long' contradicts joint 'short' and joint 'again', which agree with each "
                      "other: it is off by 0.1 m",
                      self.bad(2, "run", "rods.yaml").stderr)

    def test_all_alike(self):
        """Without any of three rods of three lengths two are left that contradict each other: none is better
        than the others."""
        write("rods.yaml", RODS + "  longest: {type: distance, a: ground, b: ball, length: 1.3}\n")
        message = json.loads(self.bad(2, "check", "rods.yaml", "--json").stdout)["error"]["message"]
        self.assertIn("joint 'longest', joint 'short' and joint 'long' contradict each other", message)

    def test_one_velocity_against_two(self):
        write("drivers.yaml",
              DRIVEN.format("2*t", "t") + "  d3: {type: driver, of: pin.angle, motion: 2*t}\n")
        self.assertIn("the velocity of joint 'd2' contradicts those of joint 'd1' and joint 'd3', which "
                      "agree with each other: it is "
                      "off by 57.3 deg/s", self.bad(2, "run", "drivers.yaml").stderr)


class Counts(Case):
    """One row, two rows."""

    def test_one(self):
        write("rod.yaml", RODS[:RODS.index("  long:")])
        text = self.good("check", "rod.yaml").stdout
        self.assertIn("  3 coordinates - 1 constraint row = 2\n", text)
        self.assertIn("\nConstraints: one, whose reaction is unique\n", text)
        self.assertRegex(self.good("run", "rod.yaml", "--csv", "rod.csv", "--end", "0.01").stdout,
                         r"; 1 factorization\n")

    def test_one_that_cannot_be(self):
        write("rod.yaml", RODS[:RODS.index("  short:")]
              + '  d: {type: driver, of: "distance(ground, ball)", motion: "-1"}\n')
        self.assertIn("  3 coordinates - 1 constraint row = 2 by the count\n",
                      self.bad(2, "check", "rod.yaml").stdout)

    def test_singular(self):
        """A parallelogram that lies flat: one row depends on others there."""
        path = os.path.join(SOURCE, "tests", "models", "flat_at_rest.yaml")
        self.assertIn("1 constraint row is dependent here, 0 in nearby configurations",
                      " ".join(n["text"] for n in self.report("check", path, "--no-trial")["notes"]))


class Met(Case):
    def test_exactly(self):
        """A place of the sweep is the singular configuration itself."""
        kite = os.path.join(SOURCE, "tests", "models", "kite.yaml")
        for phi in (0.4, 0.6, 1, 1.2):
            r = self.report("check", kite, "--no-trial", "--set", f"phi={phi}", "--set", "w=-4", "--set",
                            "driven=1")
            sweep = r["singular"]["sweeps"][0]
            self.assertIn("singular, rank 9 -> 8", sweep["text"])
            self.assertAlmostEqual(sweep["t_nearest"], phi / 4, places=5)


class NotQuite(Case):
    """Joints that are out of line by a little: a note says by how much, and what."""

    def warnings(self, path, *options):
        r = self.report("check", path, "--no-trial", *options)
        return [n["text"] for n in r["notes"] if "aligned" in n["text"]], r["start"]["left_open"]

    def test_displaced(self):
        door = os.path.join(SOURCE, "tests", "models", "door_out_of_line.yaml")
        for e in (1e-6, 3e-5):
            with self.subTest(e=e):
                notes, left = self.warnings(door, "--set", f"e={e}")
                self.assertEqual(len(notes), 1)
                self.assertIn(f"joint 'middle' contradicts joint 'low' and joint 'high', which agree with "
                              f"each other: it is off by "
                              f"{e:.3g} m.", notes[0])
                self.assertAlmostEqual(left["value"], e, delta=1e-3 * e)
        self.assertEqual(self.warnings(door, "--set", "e=0")[0], [])

    def test_turned(self):
        write("door.yaml", DOOR.replace("hinge_B: {type: revolute, a: ground",
                                        "hinge_B: {type: revolute, a: ground.tilted")
              .replace("bodies:", "ground: {frames: {tilted: {orientation: {axis: [1, 0, 0], angle: "
                                  "2e-6}}}}\nbodies:"))
        notes, left = self.warnings("door.yaml")
        self.assertEqual((len(notes), left["unit"]), (1, "rad"))
        self.assertIn("joint 'hinge_B' contradicts joint 'hinge_A' and joint 'hinge_C', which agree with "
                      "each other: it is off by "
                      "0.0001146 deg.", notes[0])


class Advice(Case):
    """What to do about repeated rows fits the model."""

    def advice(self, path, *options):
        notes = [n["text"] for n in self.report("check", path, "--no-trial", *options)["notes"]]
        found = [n for n in notes if n.startswith("Redundant rows do not change the motion.")]
        self.assertEqual(len(found), 1, notes)
        return found[0]

    def bundled(self, name, *options):
        return self.advice(os.path.join(SOURCE, "models", f"redundant_{name}.yaml"), *options)

    def test_spatial(self):
        text = self.bundled("four_bar")
        self.assertIn("spherical or cylindrical instead of revolute", text)
        self.assertIn("or make the mechanism planar", text)
        self.assertNotIn("planar", self.bundled("bricard"))
        self.assertIn("remove a joint, or give one more freedom (spherical or cylindrical",
                      self.bundled("door"))
        self.assertTrue(self.bundled("platform").endswith("unique, remove one of the rods."))

    def test_planar(self):
        text = self.bundled("parallelogram")
        self.assertIn("remove a joint or a part of the loop", text)
        self.assertIn("point-on-line", text)
        self.assertNotIn("spherical", text)
        self.assertNotIn("mechanism planar", text)

    def test_drivers(self):
        write("driven.yaml", DRIVEN.format("t", "t"))
        self.assertTrue(self.advice("driven.yaml").endswith(
            "unique, remove all but one of the 2 drivers that prescribe the same motion (d1, d2)."))
        text = self.advice(os.path.join(SOURCE, "tests", "models", "overdriven_parallelogram.yaml"))
        self.assertIn("(motor1, motor2)", text)
        self.assertNotIn("revolute", text)

    def test_driver_of_what_is_held(self):
        write("held.yaml", DRIVEN.format("0", "0").replace("d1: {type: driver, of: pin.angle",
                                                           "d1: {type: fixed, a: ground, b: bar.l}  #"))
        self.assertTrue(self.advice("held.yaml").startswith(
            "Redundant rows do not change the motion. To make the shared reactions unique, remove driver "
            "'d2', "))


class Coincident(Case):
    """A rod whose points coincide at the start has no direction: it is assembled all the same, and on the
    side that is written."""

    def ends(self, *options):
        p = self.good("check", "rod.yaml", "--json", "--no-trial", *options)
        return {b["name"]: b["position"] for b in json.loads(p.stdout)["bodies"]}

    def test_assembled(self):
        write("rod.yaml", ROD)
        for gap in ("0", "1e-12", "1e-8", "1e-5", "-1e-5", "1e-3"):
            with self.subTest(gap=gap):
                y = {name: position[1] for name, position in self.ends("--set", "gap=" + gap).items()}
                # both turn by a: 2 sin(a) = 0.3, centres 0.5 from the pins; nearest, so that both take half
                # of the way
                if abs(float(gap)) > 1e-9:
                    side = math.copysign(1, float(gap))
                    self.assertAlmostEqual(y["left"], 0.075 * side, delta=1e-3)
                    self.assertAlmostEqual(y["right"], -0.075 * side, delta=1e-3)
        self.assertEqual(self.ends(), self.ends())

    def test_runs(self):
        write("rod.yaml", ROD)
        self.good("run", "rod.yaml", "--end", "0.2", "--csv", "rod.csv")


class Suggestions(Case):
    def test_conditions(self):
        r = json.loads(self.good("check", os.path.join(SOURCE, "models", "four_bar.yaml"), "--json").stdout)
        self.assertTrue(r["suggested"]["runs"])
        self.assertEqual(r["suggested"]["method"], "adams")
        self.assertGreater(r["suggested"]["step"], 0)
        for key in ("method_reason", "step_reason", "solver_reason"):
            self.assertTrue(r["suggested"][key])
        self.assertLess(r["step_matrix"]["condition_scaled"], 1e5)
        self.assertGreater(r["step_matrix"]["condition_plain"], 1e8)

    def test_no_trial(self):
        r = json.loads(self.good("check", os.path.join(SOURCE, "models", "four_bar.yaml"), "--json",
                                 "--no-trial").stdout)
        self.assertIsNone(r["suggested"])


class Odd(Case):
    def test_many_free_bodies(self):
        """One note for all of them."""
        for count, notes in ((5, 5), (6, 1), (2000, 1)):
            bodies = "".join(f"  b{i}: {{mass: 1, inertia: 1, position: [{i}, 0]}}\n" for i in range(count))
            path = write("free.yaml", "planar: true\nbodies:\n" + bodies)
            p = run("check", path)
            self.assertEqual(p.stdout.count("Nothing holds"), notes)
            self.assertIn("'b2'", p.stdout)

    def test_nothing(self):
        for name, text in {"one": "bodies: {stone: {mass: 1, point: true}}\n",
                           "massless": "bodies: {ghost: {mass: 0, inertia: [0, 0, 0]}}\n",
                           "pinned": "bodies: {a: {mass: 0, inertia: [0, 0, 0]}}\n"
                                     "joints: {j: {type: fixed, a: ground, b: a}}\n"}.items():
            with self.subTest(model=name):
                write("odd.yaml", text)
                for more in ((), ("--all",), ("--json",)):
                    p = run("check", "odd.yaml", *more)
                    self.assertEqual(p.returncode, 0, p.stderr)

    def test_large(self):
        for model, n in (("chain", 5000), ("four_bars", 400)):
            with self.subTest(model=model):
                r = json.loads(self.good("check", os.path.join(SOURCE, "models", model + ".yaml"), "--set",
                                         f"N={n}",
                                         "--json").stdout)
                self.assertEqual(r["degrees_of_freedom"], n if model == "chain" else 1)
                if model == "four_bars":
                    self.assertEqual(r["singular"]["sweeps"][r["singular"]["nearest"]]["rank_there"],
                                     r["rank"] - n)


if __name__ == "__main__":
    main()
