"""Nothing is replaced, left out or skipped without a word: starts, impulses, numbers that are none, forgotten
inertia, degrees, springs that cannot act. And no word where nothing is wrong."""
import json
import math
import os
import signal
import subprocess
import time

from common import SOURCE, TRAMMEL, Case, csv_rows, main, run, write

CRANK = """\
planar: true
gravity: 9.81
bodies:
  crank: {mass: 1, inertia: 0.01, position: [0.5, 0]BODY}
joints:
  pin: {type: revolute, a: ground, b: crank, point: [0, 0]}
MORE
run: {end: 1RUN}
"""


def crank(body="", more="", settings=""):
    return CRANK.replace("BODY", body).replace("MORE", more).replace("RUN", settings)


class Words(Case):
    def warnings(self, text, *args, code=0):
        """Warnings and errors of a run, and its report."""
        write("honest.yaml", text)
        p = run("run", "honest.yaml", "--out", "none", "--json", *args)
        self.assertEqual(p.returncode, code, p.stderr)
        return p.stderr, json.loads(p.stdout)

    def silent(self, text, *args):
        self.assertEqual(self.warnings(text, *args)[0], "")

    def test_start_velocities(self):
        words, r = self.warnings(crank(", angular_velocity: 6.28"))
        self.assertIn("angular velocity of body 'crank' from 6.28 to ", words)
        self.assertEqual(len(r["start_changes"]), 1)
        write("honest.yaml", crank(", angular_velocity: 6.28"))
        p = run("run", "honest.yaml", "--out", "none")
        self.assertIn("  start        changed: angular velocity of body 'crank' from 6.28 to ", p.stdout)
        # consistent, or not given at all: nothing to say
        self.silent(crank(", angular_velocity: 6.28, velocity: [0, 3.14]"))
        self.silent(crank(more="  motor: {type: driver, of: pin.angle, motion: 2*t}"))
        # a change below the tolerance
        self.silent(crank(", angular_velocity: 6.28, velocity: [0, 3.1401]"))
        words, r = self.warnings(crank(", angular_velocity: 6.28, velocity: [0, 3.1401]"), "--tol", "1e-8")
        self.assertEqual(len(r["start_changes"]), 2)

    def test_a_beam_that_stays_behind(self):
        """The hub of a beam turns, the beam is at rest: its first node would be torn away."""
        text = """
planar: true
beams:
  arm: {type: circle, radius: 0.01, material: steel, position: [0.1, 0], end: [0.6, 0], elements: 1%s}
bodies:
  hub: {mass: 1, inertia: 0.01}
joints:
  pin: {type: revolute, a: ground, b: hub}
  weld: {type: fixed, a: hub, b: arm.start, point: [0.1, 0]}
  motor: {type: driver, of: pin.angle, speed: "5"}
run: {end: 1e-5}
"""
        words = self.warnings(text % "")[0]
        self.assertIn("a beam begins deformed motion: joints or drivers move its node 'arm_0' with [0, 0.5]",
                      words)
        self.silent(text % ", velocity: [0, 0.5], angular_velocity: 5")

    def test_start_velocities_against_a_driver(self):
        words, r = self.warnings(crank(", angular_velocity: 1, velocity: [0, 0.5]",
                                       "  motor: {type: driver, of: pin.angle, motion: 2*t}"))
        self.assertIn("'crank'", words)
        self.assertEqual(len(r["start_changes"]), 2)

    def test_a_kink_at_the_start(self):
        """|sin t| is sin t from the start on: the velocities of the start are those of this branch. They were
        those of neither, and the default method went on with others than the rows show."""
        text = """
planar: true
gravity: 9.81
bodies:
  cart: {mass: 0.1, inertia: 0.1}
  pole: {mass: 1, inertia: 0.01, position: [0, -0.5], frames: {top: [0, 0.5]}}
joints:
  rail: {type: prismatic, a: ground, b: cart, axis: [1, 0]}
  pin: {type: revolute, a: cart, b: pole.top}
  shaker: {type: driver, of: rail.distance, motion: "%s"}
run: {end: 1, tol: 1e-6}
"""
        for motion, same in (("abs(sin(3*t))*0.1", "sin(3*t)*0.1"), ("if(t <= 0, -0.2*t, 0.3*t)", "0.3*t")):
            for method in ("auto", "radau5"):
                ends = []
                for law in (motion, same):
                    words, r = self.warnings(text % law, "--method", method, "--csv", "kink.csv")
                    self.assertEqual(words, "")
                    self.assertLess(r["energy"]["error"], 1e-5 * r["energy"]["scale"])
                    with open("kink.csv", encoding="utf-8") as f:
                        ends.append([float(row["pole.wz"]) for row in csv_rows(f)])
                for a, b in zip(*ends):
                    self.assertLess(abs(a - b), 1e-5)  # ten tolerances, wz up to 0.8 rad/s

    def test_impulse_of_a_driver(self):
        motion = "  motor: {type: driver, of: pin.angle, motion: \"if(t < 0.5, t, 0.5 + 3*(t - 0.5))\"}"
        for method in ("auto", "radau5", "genalpha", "bdf"):
            with self.subTest(method=method):
                words, r = self.warnings(crank(more=motion), "--method", method)
                self.assertIn("driver 'motor' prescribes jumps by 2 at t = 0.5 s", words)
                self.assertEqual(r["impulse_count"], 1)
                impulse = r["impulses"][0]
                inertia = 0.01 + 0.5**2
                self.assertAlmostEqual(impulse["t"], 0.5, delta=1e-9)
                self.assertAlmostEqual(impulse["value"], -2*inertia, delta=1e-6)  # as motor.multiplier
                self.assertAlmostEqual(impulse["work"], inertia*(9 - 1)/2, delta=1e-6)
        p = run("run", "honest.yaml", "--out", "none")
        kink = motion.replace("0.5 + 3*(t - 0.5)", "t + 3*(t - 0.5)^2")
        self.silent(crank(more=kink), "--method", "radau5")  # the velocity does not jump
        self.assertRegex(p.stdout, r"(?m)^  impulses     motor at t = 0.5 s: -0.52 ")

    def test_outputs_that_are_no_numbers(self):
        words, _ = self.warnings(crank(more="outputs: {root: sqrt(0.5 - t), pole: 1/(t - 0.5)}"),
                                 "--output-step", "0.1")
        self.assertIn("'root' is not a finite number (NaN) at t = 0.6 s", words)
        self.assertIn("'pole' is not a finite number (inf) at t = 0.5 s", words)
        self.assertEqual(words.count("\n"), 2)  # once each

    def test_events_that_are_no_numbers(self):
        words, _ = self.warnings(crank(more="events: {e: {when: sqrt(0.3 - t) + 1}}"), code=1)
        self.assertIn("event 'e': its expression is not a number at t = 0.3 s", words)
        words, _ = self.warnings(crank(more="events: {e: {when: 0*sqrt(t - 1) - 1}}"), code=1)
        self.assertIn("event 'e': its expression is not a number at t = 0 s", words)
        # the zero is before the end of its range, in the same step
        words, r = self.warnings(crank(more="events: {e: {when: sqrt(0.3 - t) - 0.1}}"))
        self.assertEqual(r["event"], "e")
        self.assertAlmostEqual(r["t"], 0.29, delta=1e-9)

    def test_a_reference_with_holes(self):
        write("honest.yaml", crank())
        self.good("run", "honest.yaml", "--csv", "reference.csv", "--output-step", "0.1")
        with open("reference.csv", encoding="utf-8") as f:
            lines = f.read().splitlines()
        column = lines[0].split(",").index("crank.y")
        row = lines[5].split(",")
        row[column] = "nan"
        lines[5] = ",".join(row)
        write("holes.csv", "\n".join(lines) + "\n")
        compare = ("compare", "honest.yaml", "--methods", "erk8", "--tols", "1e-3", "--output-step", "0.1")
        self.good(*compare, "--reference", "reference.csv")
        p = run(*compare, "--reference", "holes.csv")
        self.assertNotEqual(p.returncode, 0)
        self.assertIn("'crank.y' is not a finite number in row 4 (t = 0.3 s)", p.stderr)

    def test_forgotten_inertia(self):
        words, _ = self.warnings(crank().replace("inertia: 0.01, ", ""))
        self.assertIn("honest.yaml:4:3: body 'crank' has no 'inertia'", words)
        self.silent(crank().replace("inertia: 0.01, ", "inertia: 0, "))
        # a rotation that nothing causes does not matter, nor does that of a point
        free = crank().replace("inertia: 0.01, ", "").replace(
            "type: revolute, a: ground, b: crank, point: [0, 0]", "type: distance, a: ground, b: crank")
        self.silent(free)
        self.silent(free.replace("mass: 1", "mass: 1, point: true"))

    def test_a_start_beyond_a_compliant_limit(self):
        text = crank().replace("point: [0, 0]}", "point: [0, 0], limits: {%s, stiffness: 1e4, damping: 10}}")
        words, _ = self.warnings(text % "lower: 1.2")
        self.assertIn("limits of 'pin_force': the coordinate starts at 0 rad, beyond its lower limit 1.2 by "
                      "1.2, and is pushed back with 1.2e+04 N m", words)
        words, _ = self.warnings(text % "lower: -3, upper: -1")
        self.assertIn("beyond its upper limit -1 by 1", words)
        self.silent(text % "upper: -0.001")  # it rests there

    def test_a_driver_that_begins_elsewhere(self):
        """The assembly moves the bodies to where the driver begins: that is told with both values and the
        place in the file, and nothing is said where it is a matter of digits."""
        text = """planar: true
bodies:
  arm: {mass: 1, inertia: 0.1, position: [0.5, 0], frames: {root: [-0.5, 0]}}
  cart: {mass: 1, inertia: 0.1, position: [0.5, 0]}
joints:
  pin: {type: revolute, a: ground, b: arm.root}
  rail: {type: prismatic, a: ground, b: cart, axis: [1, 0]}
  motor: {type: driver, of: pin.angle, motion: "A + 2*t"}
  slide: {type: driver, of: rail.distance, motion: "B + t^2"}
run: {end: 0.1}
"""
        write("m.yaml", text.replace("A", "0.1").replace("B", "0.47"))
        p = run("run", "m.yaml", "-o", "m.csv", "--quiet")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertIn("warning: m.yaml:8:3: driver 'motor' begins at 0.1 rad, but its coordinate is 0 rad in "
                      "the start that is given: the assembly moves the bodies.", p.stderr)
        self.assertIn("warning: m.yaml:9:3: driver 'slide' begins at 0.47 m, but its coordinate is 0.5 m",
                      p.stderr)
        write("m.yaml", text.replace("A", "1e-5").replace("B", "0.50001"))
        self.good("run", "m.yaml", "-o", "m.csv", "--quiet")

    def test_velocities_of_a_locked_body_are_zero(self):
        """The second hinge is beside the axis of the first. [0, 7.222e-169, 0] m/s was the new velocity."""
        words, _ = self.warnings("""
bodies:
  gate: {mass: 40, inertia: [20, 13, 8], position: [1, 0, 1], velocity: [0, 1, 0],
         angular_velocity: [0, 0, 1]}
joints:
  low: {type: revolute, a: ground, b: gate, point: [0, 0, 0.2], axis: [0, 0, 1]}
  high: {type: revolute, a: ground, b: gate, point: [0.1, 0, 1.8], axis: [0, 0, 1]}
""")
        self.assertIn("velocity of body 'gate' from [0, 1, 0] to [0, 0, 0] m/s", words)

    def test_a_spring_that_pushes_away(self):
        """A wrong sign: it took hours, far beyond the stars."""
        words, r = self.warnings("""
planar: true
bodies:
  sled: {mass: 1, inertia: 1}
  puller: {mass: 0.1, inertia: 0.1, position: [0.5, 0], velocity: [0.1, 0]}
joints:
  rail: {type: prismatic, a: ground, b: sled, axis: [1, 0], friction: {coulomb: 2, static: 3}}
  track: {type: prismatic, a: ground, b: puller, axis: [1, 0], point: [0.5, 0]}
  pull: {type: driver, of: track.distance, motion: 0.1*t}
forces:
  spring: {type: spring, a: sled, b: puller, stiffness: -10}
run: {end: 40}
""", code=1)
        self.assertRegex(words, r"the motion grows without bound: at t = \S+ s 'sled\.x' has the velocity -")
        self.assertLess(r["t"], 20)

    def test_a_run_that_does_not_get_on(self):
        """A force of 1e12 rad/s."""
        words, _ = self.warnings("""
planar: true
bodies: {c: {mass: 1, inertia: 1}}
states: {z: {rate: 1e12*cos(1e12*t)}}
forces: {push: {type: applied, at: c, force: [z, 0]}}
""", code=1)
        self.assertRegex(words, r"the steps fell to \S+ s; the rest of the run needs about \S+ steps")
        self.assertRegex(words, r"the run makes no progress at t = \S+ s: after 50000 steps of about \S+ s")

    def test_a_vibration_that_makes_a_run_long(self):
        """270,000 steps for 3,800 periods: the run says why, early."""
        words, _ = self.warnings("""
planar: true
bodies: {c: {mass: 1, inertia: 1, position: [0.01, 0]}}
joints: {rail: {type: prismatic, a: ground, b: c, axis: [1, 0], point: [0, 0]}}
forces: {spring: {type: applied, at: c, force: ["-4e8*c.x", 0]}}
run: {end: 1.2, method: radau5, tol: 1e-3}
""")
        self.assertRegex(words, r"t = 0.0\S+ s: steps of \S+ s follow the fastest vibration, "
                                r"3.18e\+03 Hz of c.x")

    def test_a_vibration_of_a_beam(self):
        """Whose nodes have the mass that they have: it was advised to give them more."""
        write("bar.yaml", """
gravity: 9.81
beams:
  arm: {type: rectangle, end: [1, 0, 0], width: 0.02, height: 0.01, material: steel, elements: 2}
joints: {wall: {type: fixed, a: ground, b: arm.start}}
run: {end: 1, method: genalpha, control: all}
""")
        with subprocess.Popen([TRAMMEL, "run", "bar.yaml", "--out", "none", "--json"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
            words = p.stderr.readline()
            p.send_signal(signal.SIGINT)
            p.communicate()
        self.assertIn("give the beam some damping", words)
        self.assertNotIn("more mass", words)

    def test_an_end_far_away_is_no_reason_to_stop(self):
        """A pendulum for 30 years. After 20,000 steps "smooth motion ends" was said of it."""
        write("far.yaml", crank(settings="e9, method: genalpha, output_step: 1e7"))
        with subprocess.Popen([TRAMMEL, "run", "far.yaml", "--out", "none", "--json"], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as p:
            self.assertIn("the rest of the run needs about", p.stderr.readline())
            time.sleep(3)  # some more looks at its progress
            p.send_signal(signal.SIGINT)
            r = json.loads(p.stdout.read())
        self.assertTrue(r["interrupted"])

    def test_gravity_upwards(self):
        words, _ = self.warnings(crank().replace("9.81", "-9.81"), code=2)
        self.assertIn("honest.yaml:2:10: error: 'gravity' is -9.81, expected a number >= 0", words)
        self.assertIn("[0, -9.81]", words)
        self.silent(crank().replace("gravity: 9.81", "gravity: [0, -9.81]"))
        self.silent(crank().replace("gravity: 9.81", "gravity: 0"))

    def test_degrees(self):
        for text in ("90", "450", "-45.5", "2*45"):
            with self.subTest(text=text):
                words, _ = self.warnings(crank(f", orientation: {text}"))
                self.assertIn("honest.yaml:4:68: 'orientation' of body 'crank' is ", words)
                self.assertIn(" deg'", words)
        for text in ("450 deg", "3*pi", "6.28", "-1.5"):
            with self.subTest(text=text):
                self.silent(crank(f", orientation: {text}"))
        words, _ = self.warnings(crank(", orientation: {axis: [0, 0, 1], angle: 30}"))
        self.assertIn("is 30 rad", words)
        words, _ = self.warnings(crank(", orientation: {euler: [90, 0, 0]}"))
        self.assertIn("is 90 rad", words)
        spring = "forces: {k: {type: torsion, a: ground, b: crank, stiffness: 1, angle: 90}}"
        words, _ = self.warnings(crank(more=spring))
        self.assertIn("'angle' of force 'k' is 90 rad", words)

    def test_degrees_of_joints(self):
        pin = CRANK.replace("point: [0, 0]}", "point: [0, 0], %s}").replace("BODY", "").replace("RUN", "")
        limits = "limits: {lower: -45, upper: 1, stiffness: 1e3}"
        for text, found in ((limits, "'lower' of limits 'pin' is -45"),
                            ("stiffness: 5, free: 90", "'free' of joint 'pin' is 90 rad")):
            words, _ = self.warnings(pin.replace("MORE", "") % text)
            self.assertIn(found, words)
            self.assertIn(" deg'", words)
        spring = "forces: {f: {type: coordinate, of: pin.angle, stiffness: 1, free: 30}}"
        words, _ = self.warnings(crank(more=spring))
        self.assertIn("'free' of force 'f' is 30 rad", words)
        self.silent(pin.replace("MORE", "") % "limits: {lower: -45 deg, upper: 8*pi, stiffness: 1e3}")
        slide = CRANK.replace("revolute", "prismatic").replace("point: [0, 0]}", "axis: [1, 0], %s}")
        slide = slide.replace("BODY", "").replace("RUN", "").replace("MORE", "")
        self.silent(slide % "limits: {lower: -45, upper: 90, stiffness: 1e3}")

    def test_a_torsion_spring_across_the_axis(self):
        text = crank().replace("planar: true\n", "").replace("[0.5, 0]", "[0.5, 0, 0]") \
            .replace("[0, 0]", "[0, 0, 0], axis: [0, 1, 0]")
        text = text.replace("run:", "forces: {k: {type: torsion, a: ground, b: crank, stiffness: 1}}\nrun:")
        write("honest.yaml", text)
        p = run("run", "honest.yaml", "--out", "none")
        self.assertNotEqual(p.returncode, 0)
        self.assertIn("torsion 'k' acts about (0, 0, 1), across the axis (0, 1, 0) of joint 'pin'", p.stderr)
        # the same between bodies that no joint connects directly: it does nothing
        tag = "  tag: {mass: 0.1, inertia: [1e-3, 1e-3, 1e-3], position: [0.5, 0, 0]}\n"
        between = text.replace("joints:", tag + "joints:\n  glue: {type: fixed, a: crank, b: tag}")
        between = between.replace("b: crank, stiff", "b: tag, stiff")
        words, _ = self.warnings(between, "--end", "0.1")
        self.assertIn("torsion 'k' does nothing", words)
        self.silent(text.replace("[0, 1, 0]", "[0, 0, 1]"), "--end", "0.1")
        # not perpendicular: a part of it acts
        self.silent(text.replace("[0, 1, 0]", "[0, 1, 0.3]"), "--end", "0.1")


LEG = """\
planar: true
gravity: 9.81
bodies:
  thigh: {mass: 8, inertia: 0.12, position: [0, -0.2], frames: {hip: [0, 0.2], knee: [0, -0.2]}}
  shank: {mass: 4, inertia: 0.06, position: [0, -0.6], frames: {knee: [0, 0.2]}}
joints:
  hip: {type: revolute, a: ground, b: thigh.hip}
  knee: {type: revolute, a: thigh.knee, b: shank.knee}
  swing: {type: driver, of: hip.angle, motion: 0.4*sin(2*pi*t)}
  bend: {type: driver, of: knee.angle, motion: -0.5 + 0.5*cos(2*pi*t)}
run: {end: 2, output_step: STEP}
"""

# Mass on a spring, in equilibrium; another spring is preloaded between fixed joints.
REST = """\
planar: true
gravity: 9.81
bodies:
  mass: {mass: 1, inertia: 1, position: [0, -1]}
joints:
  rail: {type: prismatic, a: ground, b: mass, axis: [0, 1]}
forces:
  spring: {type: spring, a: ground, b: mass, stiffness: 1e6, length: 1 - 9.81e-6}
run: {end: 10}
"""


# an arch whose right end turns about a point far above it: it slides
ARCH = """\
planar: true
parameters: {load: 1000, far: 1e15, R: 5.05, half: asin(1/R)}
beams:
  arch: {type: rectangle, position: [-1, 0], length: 2*R*half, orientation: half, curvature: -1/R,
         width: 0.02, height: 0.02, E: 7e10, nu: 0.3, density: 2700, elements: 8}
joints:
  left: {type: revolute, a: ground, b: arch.start, point: [-1, 0]}
  right: {type: revolute, a: ground, b: arch.end, point: [1, far]}
forces: {weight: {type: applied, at: arch.mid, force: [0, -load]}}
outputs: {crown: arch.mid.y}
run: {end: 0.01, begin: static}
"""


class Equilibria(Case):
    def test_what_is_none_is_an_error(self):
        """Positions at 1e15 m are known to 0.1 m: no forces of an arch follow from them."""
        write("arch.yaml", ARCH)
        for far in ("1e12", "1e15"):
            for command in (("static",), ("run", "--out", "none"), ("modes", "--at", "equilibrium")):
                p = run(command[0], "arch.yaml", "--set", f"far={far}", *command[1:])
                self.assertEqual((p.returncode, p.stdout), (1, ""), (command, p.stderr))
                self.assertRegex(p.stderr, "no static equilibrium: forces of .* largest are not balanced")

    def test_what_is_printed_is_judged(self):
        """The share of forces that are not balanced is small also where there are none, or a joint is far."""
        write("arch.yaml", ARCH)
        cases = [("arch.yaml", "--set", f"far={far}") for far in ("1e4", "1e9")]
        cases += [("arch.yaml", "--set", "far=3", "--set", "load=0")]
        cases += [(os.path.join(SOURCE, "models", name + ".yaml"),)
                  for name in ("beam_crank", "beam_spin_up", "trammel_of_archimedes")]
        for case in cases:
            p = run("static", *case, "--json", "--out", "none")
            self.assertEqual(p.returncode, 0, p.stderr)
            self.assertLess(json.loads(p.stdout)["residual"], 1e-7, case)
        # the arch slides on the right, whether the joint is at 10 km or at 1e6 km
        crown = [json.loads(run("static", *case, "--json", "--out", "none").stdout)["channels"]
                 for case in cases[:2]]
        self.assertAlmostEqual(crown[0]["crown"], crown[1]["crown"], delta=1e-6)


class NoWords(Case):
    """Energy balances that are right."""

    def silent(self, text, *args):
        write("right.yaml", text)
        p = run("run", "right.yaml", "--out", "none", *args)
        self.assertEqual((p.returncode, p.stderr), (0, ""))

    def test_two_rows(self):
        """At the end of a period all energies are those of the start."""
        period = 2*math.pi/math.sqrt(9.81*0.5/(0.01 + 0.25))
        text = crank(", orientation: -90 deg + 0.01").replace("[0.5, 0]", "[0.5*sin(0.01), -0.5*cos(0.01)]")
        for method in ("auto", "bdf", "genalpha", "radau5"):
            with self.subTest(method=method):
                self.silent(text, "--end", repr(period), "--output-step", "100", "--method", method)

    def test_a_driven_leg(self):
        for step in ("0.01", "1", "2", "0.5"):
            for method in ("auto", "bdf", "radau5", "for-sdirk"):
                with self.subTest(step=step, method=method):
                    self.silent(LEG.replace("STEP", step), "--method", method)

    def test_a_leg_that_comes_to_rest(self):
        """All energy that drivers supply they take back; rows see only the start and the end."""
        text = LEG.replace("0.4*sin(2*pi*t)", "\"step(t, 0.2, 0, 0.8, 0.2)\"") \
            .replace("-0.5 + 0.5*cos(2*pi*t)", "0").replace("gravity: 9.81", "gravity: 0")
        for step in ("1", "2"):
            with self.subTest(step=step):
                self.silent(text.replace("STEP", step))

    def test_at_rest(self):
        for method in ("auto", "bdf", "genalpha", "radau5"):
            for tol in ("1e-3", "1e-6"):
                with self.subTest(method=method, tol=tol):
                    self.silent(REST, "--method", method, "--tol", tol)
        self.silent(crank().replace("[0.5, 0]", "[0, -0.5]"))

    def test_at_rest_without_any_force(self):
        """Springs at their free lengths and dampers, no weight: the balance of 1e-30 J is no error."""
        self.silent("""
planar: true
bodies:
  crank: {mass: 0.1789, inertia: 0.000102017, position: [0.0278469935, 0.0305762452]}
  rod: {mass: 0.04365, inertia: 0.00178239, position: [0.515796722, 0.231925214]}
  arm: {mass: 0.1496, inertia: 0.00206381, position: [0.946991041, 0.201348968]}
defaults: {joints: {type: revolute}}
joints:
  A: {a: ground, b: crank, point: [0, 0], stiffness: 15.83, damping: 6.169}
  B: {a: crank, b: rod, point: [0.0556939871, 0.0611524904]}
  C: {a: rod, b: arm, point: [0.975899458, 0.402697937], damping: 0.000638}
  D: {a: ground, b: arm, point: [0.918082623, 0]}
run: {end: 3}
""")

    def test_a_first_step_below_the_smallest(self):
        """A satellite is seven orders of magnitude further away than it is large, and adams began with a step
        below the smallest one; so it did with a smallest step of its own. Both failed for 'round-off'."""
        orbit = """
bodies: {craft: {mass: 500, inertia: 100, position: [7e6, 0, 0], velocity: [0, 8604, 0]}}
parameters: {k: 500*3.986004418e14}
forces:
  weight: {type: applied, at: craft, force: ["-k*craft.x/(craft.x^2 + craft.y^2)^1.5",
                                             "-k*craft.y/(craft.x^2 + craft.y^2)^1.5", 0]}
run: {end: 1e4, tol: 1e-6, method: adams}
"""
        self.silent(orbit)
        self.silent(crank(settings=", min_step: 1e-3, method: adams"))

    def test_a_wrong_balance_is_told(self):
        write("wrong.yaml", crank(settings=", step: 0.2, rho: 0, method: genalpha"))
        p = run("run", "wrong.yaml", "--out", "none", "--end", "20")
        self.assertIn("the energy balance error is", p.stderr)


if __name__ == "__main__":
    main()
