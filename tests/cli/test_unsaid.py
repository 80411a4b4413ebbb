"""What a run tells without being asked: bodies that the assembly moves away from where their joints were
placed, outputs that never change, a model at rest, rows too rare for the motion."""
import glob
import os

from common import PENDULUM, SOURCE, Case, each, fewer_unless_long, main, run, write

LINKAGE = """\
planar: true
gravity: [0, -9.81]
bodies:
  crank: {mass: 1, inertia: 0.1, position: [0.5, 0], frames: {tip: [0.5, 0]}}
  rod: {mass: 1, inertia: 0.1, position: [1.5, HEIGHT], frames: {tip: [-0.5, 0]}}
joints:
  pin: {type: revolute, a: ground, b: crank, point: [0, 0]}
  knee: {type: revolute, a: crank.tip, b: rod.tip}
  slide: {type: point-on-line, a: ground, b: rod, point: [2, HEIGHT], axis: [1, 0]}
run: {end: 0.1}
"""
# bundled models of which something is told, which is true of each
TOLD = {"beam_arch": "nothing moves", "beam_princeton": "nothing moves",  # for `trammel static`
        "heavy_top": "too far apart", "tippe_top": "too far apart",  # 5 rows per turn of the top, and fewer
        "impact": "output 'push' is 0 in all"}  # contacts that last 0.1 ms, between the rows


class Assembly(Case):
    def test_moved(self):
        write("m.yaml", LINKAGE.replace("HEIGHT", "0.2"))
        p = run("run", "m.yaml", "--out", "none", "--quiet")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertRegex(p.stderr, r"^trammel: warning: m\.yaml:9:3: joint 'slide' was placed by its point "
                                   r"where the bodies start, but the assembly moves body 'rod' by 0\.05\d* m "
                                   r"and turns it by 0\.1 rad: joint 'knee' is open by 0\.2 m in the start "
                                   r"that is given\. Give a start that fits it\n$")

    def test_not_moved(self):
        write("m.yaml", LINKAGE.replace("HEIGHT", "0.0001"))  # a matter of digits
        self.good("run", "m.yaml", "--out", "none", "--quiet")

    def test_frames(self):
        """Who gives frames alone leaves it to the assembly where the bodies are."""
        write("m.yaml", LINKAGE.replace("HEIGHT", "0.2").replace(", point: [0, 0]", ".back").replace(
            "{tip: [0.5, 0]}", "{tip: [0.5, 0], back: [-0.5, 0]}").replace(", point: [2, 0.2]", ""))
        self.good("run", "m.yaml", "--out", "none", "--quiet")


class Outputs(Case):
    def warning(self, text, value):
        write("m.yaml", text.replace("bob.y + L", value))
        p = run("check", "m.yaml")
        self.assertEqual(p.returncode, 0, p.stderr)
        return p.stderr

    def test_planar(self):
        for value in ("bob.z", "bob.vz + bob.az", "bob.wx", "bob.q1 + bob.q2", "pin.fz", "2 + pin.mx"):
            self.assertIn("m.yaml:10:11: output 'height' never changes: a planar model has no motion or "
                          "force out of x-y", self.warning(PENDULUM, value), value)
        for value in ("bob.wz", "bob.z + bob.x", "pin.fx", "3", "bob.q3"):
            self.assertEqual(self.warning(PENDULUM, value), "", value)

    def test_free_axis(self):
        said = "never changes: joint 'pin' exerts nothing along or about the axis that it leaves free"
        spatial = PENDULUM.replace("planar: true\n", "").replace("gravity: 9.81", "gravity: [0, -9.81, 0]")
        spatial = spatial.replace("[L, 0]", "[L, 0, 0]").replace("[-L, 0]", "[-L, 0, 0]")
        self.assertIn(said, self.warning(PENDULUM, "pin.mz"))
        self.assertIn(said, self.warning(PENDULUM, "2 + pin.mz"))  # which is not 0
        self.assertIn(said, self.warning(spatial, "pin.mz"))
        self.assertEqual(self.warning(spatial, "pin.mx"), "")
        self.assertEqual(self.warning(spatial, "pin.mz + pin.my"), "")
        tilted = spatial.replace("b: bob.top}", "b: bob, point: [0, 0, 0], axis: [0, 1, 1]}")
        self.assertEqual(self.warning(tilted, "pin.mz"), "")
        self.assertIn(said, self.warning(spatial.replace("revolute", "spherical"), "pin.mx"))
        rail = spatial.replace("revolute", "prismatic")
        self.assertIn(said, self.warning(rail, "pin.fz"))
        self.assertEqual(self.warning(rail, "pin.mz"), "")

    def test_constant(self):
        write("m.yaml", PENDULUM.replace("bob.y + L", "max(3.5, bob.y)"))
        p = self.good("run", "m.yaml", "--out", "none")
        self.assertIn("  note         output 'height' is 3.5 in all 51 rows\n", p.stdout)
        self.assertEqual(self.report("run", "m.yaml", "--out", "none")["notes"],
                         ["output 'height' is 3.5 in all 51 rows"])
        write("m.yaml", PENDULUM)
        self.assertEqual(self.report("run", "m.yaml", "--out", "none")["notes"], [])


class NoEffect(Case):
    """What is in the model, and cannot do what somebody wants of it."""

    def warnings(self, text, command="check"):
        write("m.yaml", text)
        p = run(command, "m.yaml", *(["--out", "none", "-q"] if command == "run" else ["--no-trial"]))
        self.assertEqual(p.returncode, 0, p.stderr)
        return p.stderr

    def test_forces(self):
        roads = "roads: {way: {type: flat}}\n"
        for force, keys in (("type: spring, a: ground, b: bob", "'stiffness', 'damping', 'law', 'table'"),
                            ("type: torsion, a: ground, b: bob", "'stiffness', 'damping', 'law', 'table'"),
                            ("type: bushing, a: ground, b: bob", "'stiffness', 'damping', 'preload'"),
                            ("type: applied, at: bob", "'force', 'torque'"),
                            ("type: drag, body: bob", "'linear', 'quadratic', 'angular_linear', "
                                                      "'angular_quadratic'"),
                            ("type: tyre, at: bob, road: way, radius: 0.1",
                             "'stiffness', 'damping', 'table'")):
            said = self.warnings(PENDULUM + roads + f"forces: {{push: {{{force}}}}}\n")
            self.assertIn(f": force 'push' does nothing: it has none of {keys}\n", said)
        spring = PENDULUM + "forces: {s: {type: spring, a: ground, b: bob, KEY}}\n"
        for key in ("stiffness: 0", "law: 0", "table: [[0, 0], [1, 1]]"):  # a study may set them
            self.assertEqual(self.warnings(spring.replace("KEY", key)), "", key)
        self.assertRegex(self.warnings(spring.replace("KEY", "damping: -3")),
                         r"m\.yaml:\d+:\d+: force 's' has a negative damping, -3: it drives the motion\n")

    def test_inputs_and_tables(self):
        text = PENDULUM + "inputs: {push: {unit: m}}\ntables: {hill: {points: [[0, 0], [1, 1]]}}\n"
        said = self.warnings(text)
        self.assertRegex(said, r"m\.yaml:\d+:10: nothing uses the input 'push'\n")
        self.assertRegex(said, r"m\.yaml:\d+:10: nothing uses the table 'hill'\n$")
        self.assertEqual(self.warnings(text.replace("bob.y + L", "bob.y + L + push + hill(t)")), "")
        three = text.replace("{hill:", "{flat: {points: [[0, 1], [1, 1]]}, "
                                       "dale: {points: [[0, 3], [1, 2]]}, hill:")
        said = self.warnings(three.replace("bob.y + L", "bob.y + L + push + dale(t)"))
        self.assertEqual([line.split("'")[1] for line in said.splitlines()], ["flat", "hill"])
        self.assertEqual(self.warnings(text.replace("bob.y + L", "bob.y + L + push") +
                                       "forces: {s: {type: spring, a: ground, b: bob, table: hill}}\n"), "")

    def test_road(self):
        self.assertRegex(self.warnings(PENDULUM + "roads: {way: {type: flat}}\n"),
                         r"m\.yaml:\d+:9: nothing uses the road 'way'\n$")

    def test_contacts(self):
        ball = """\
gravity: 9.81
bodies: {ball: {mass: 1, inertia: 0.1, position: [0, 0, 1], shape: {type: sphere, radius: 0.1}}}
shapes: {floor: {type: plane, at: ground}}
"""
        self.assertIn("m.yaml:2:10: nothing holds body 'ball', and its shape touches nothing: shapes touch "
                      "where 'contacts' say so, and there are none\n", self.warnings(ball))
        for more in ("contacts: {c: {a: ball, b: floor, stiffness: 1e5}}\n",
                     "joints: {j: {type: point-on-plane, a: ground, b: ball, axis: [1, 0, 0]}}\n"):
            self.assertEqual(self.warnings(ball + more), "", more)
        self.assertEqual(self.warnings(ball.replace("gravity: 9.81\n", "")), "")

    def test_event(self):
        """A condition that holds already does not become true."""
        said = "event 'low' is true at the start: it happens when its condition becomes true again\n"
        event = PENDULUM + "events: {low: {when: WHEN}}\n"
        self.assertIn(said, self.warnings(event.replace("WHEN", "bob.y < 1"), "run"))
        for when in ("bob.y < -1", "bob.y - 1", "bob.y < 1, direction: down"):
            self.assertEqual(self.warnings(event.replace("WHEN", when), "run"), "", when)


class Rows(Case):
    def test_rare(self):
        """A pendulum of 1.3 m and small swing has a period of 2.3 s."""
        write("m.yaml", PENDULUM.replace("position: [L, 0]",
                                         "position: [L*sin(0.1), -L*cos(0.1)], orientation: 0.1 - 90 deg"))
        notes = self.report("run", "m.yaml", "--out", "none", "--end", "40", "--output-step", "0.6")["notes"]
        self.assertEqual(len(notes), 1, notes)
        self.assertRegex(notes[0], r"^the rows are too far apart for the motion: body 'bob' has 3\.[789] of "
                                   r"them per period; an output_step of 0\.1 s shows it$")
        notes = self.report("run", "m.yaml", "--out", "none", "--end", "40", "--output-step", "0.4")["notes"]
        self.assertEqual(notes, [])

    def test_turning(self):
        """A wheel at 100 rad/s: 62.8 ms per turn, seen every 20 ms and once in two turns."""
        write("m.yaml", """
bodies: {wheel: {mass: 1, inertia: [1, 1, 1], angular_velocity: [0, 0, 100]}}
joints: {axle: {type: revolute, a: ground, b: wheel, point: [0, 0, 0], axis: [0, 0, 1]}}
run: {end: 2}
""")
        for step, per_turn in (("0.02", "3.1 of"), ("0.12566370614359174", "fewer than 2 of")):
            notes = self.report("run", "m.yaml", "--out", "none", "--output-step", step)["notes"]
            self.assertRegex(notes[0], f"body 'wheel' has {per_turn}")
        self.assertEqual(self.report("run", "m.yaml", "--out", "none", "--output-step", "0.01")["notes"], [])

    def test_at_rest(self):
        write("m.yaml", PENDULUM.replace("gravity: 9.81", "gravity: 0"))
        self.assertEqual(self.report("run", "m.yaml", "--out", "none")["notes"],
                         ["nothing moves: the model stays as it begins"])


MODELS = {os.path.splitext(os.path.basename(m))[0]: m for m in
          glob.glob(os.path.join(SOURCE, "models", "*.yaml")) +
          glob.glob(os.path.join(SOURCE, "models", "contact", "*.yaml"))}


class Bundled(Case):
    @each(fewer_unless_long(sorted([*TOLD, "pendulum", "four_bar", "hmmwv"]), sorted(MODELS)))
    def test_model(self, name):
        p = run("run", MODELS[name], "--out", "none")
        said = TOLD.get(name)
        self.assertNotIn("warning: " + MODELS[name], p.stderr)
        self.assertIn(said or "", p.stdout)
        self.assertEqual(p.stdout.count("  note  "), bool(said), p.stdout)


if __name__ == "__main__":
    main()
