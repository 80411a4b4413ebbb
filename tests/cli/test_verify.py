"""trammel verify: digits that agree, the verdict and the exit status."""
import json
import os
import re

from common import PENDULUM, SOURCE, Case, main, run, write

ADAPTIVE = PENDULUM.replace("step: 1e-3", "tol: 1e-4")

CHAOS = """\
planar: true
gravity: 9.81
bodies:
  upper: {mass: 1, inertia: 0.4^2/12, position: [0.2, 0], frames: {root: [-0.2, 0], tip: [0.2, 0]}}
  lower: {mass: 1, inertia: 0.4^2/12, position: [0.6, 0], frames: {root: [-0.2, 0]}}
joints:
  shoulder: {type: revolute, a: ground, b: upper.root}
  elbow: {type: revolute, a: upper.tip, b: lower.root}
run: {end: 5, tol: 1e-4}
"""


# A steel bar feels its weight all at once. It swings with 8 Hz, its elements with 150 kHz.
CANTILEVER = """\
gravity: 9.81
beams:
  arm: {type: rectangle, position: [0, 0, 0], end: [1, 0, 0], width: 0.02, height: 0.01, material: steel,
        elements: 8}
joints:
  wall: {type: fixed, a: ground, b: arm.start}
outputs: {push: wall.fz, tip: arm.end.z}
run: {end: 0.1}
"""


class Verdict(Case):
    def setUp(self):
        write("verify.yaml", ADAPTIVE)

    def test_met(self):
        p = self.good("verify", "verify.yaml")
        self.assertIn("tolerance    met: the largest error is 0.", p.stdout)
        self.assertIn("tolerance 0.0001", p.stdout)
        self.assertIn("tolerance 1e-06", p.stdout)
        for kind in ("positions", "orientations", "velocities", "joint coordinates", "reactions", "energies",
                     "outputs"):
            self.assertRegex(p.stdout, rf"(?m)^  {kind} +\d+ +[\d.e-]+ +\d+\.\d ")
        self.assertNotIn("bob.z", p.stdout)

    def test_a_tolerance_that_would_do(self):
        """Errors of a chaotic motion grow; the tolerance that is suggested brings what was asked for."""
        write("chaos.yaml", CHAOS)
        p = run("verify", "chaos.yaml")
        self.assertEqual(p.returncode, 1, p.stdout)
        m = re.search(r"\n +errors accumulate or grow along the motion: use --tol (\S+) to keep 0\.0001\n",
                      p.stdout)
        self.assertTrue(m, p.stdout)
        self.assertLess(float(m.group(1)), 1e-4)
        r = json.loads(run("verify", "chaos.yaml", "--tol", m.group(1), "--json").stdout)
        self.assertLess(r["ratio"] * float(m.group(1)), 1e-4)

    def test_a_steep_law(self):
        """Friction that turns from one force to the other within 0.002 rad/s: the motion is within the
        tolerance, the friction of a slow end is not, and that is said instead of errors that grow."""
        write("steep.yaml", """
title: a rotor that comes to rest
planar: true
bodies:
  rotor: {mass: 1, inertia: 0.2, angular_velocity: 30}
joints:
  axle: {type: revolute, a: ground, b: rotor,
         friction: {law: regularized, coulomb: 4, creep: 0.002}}
run: {end: 2, tol: 1e-4, method: radau5}
""")
        p = run("verify", "steep.yaml")
        self.assertEqual(p.returncode, 1, p.stdout)
        self.assertRegex(p.stdout, r"\n +the motion is within it \(0\.\d+ of what is allowed\); "
                                   r"axle_friction.force changes much with small\n +changes of the motion: "
                                   r"use --tol 1e-0\d to keep 0.0001 in it, too\n")

    def test_at_rest(self):
        """A load at rest on a stiff spring, but for round-off of its position: velocities of 1e-8 m/s move it
        by 1e-10 m in the run. They were measured by themselves, 146 times what was allowed."""
        write("rest.yaml", """
planar: true
gravity: 9.81
parameters: {k: 3e11, m: 0.7}
ground: {frames: {wall: [-0.6, 0.8]}}
bodies:
  load: {mass: m, inertia: 0.01, position: [1e-15, -m*9.81/k]}
forces:
  foot: {type: bushing, a: ground, b: load, stiffness: [k, k, k, k, k, k]}
run: {end: 0.02, tol: 1e-6}
""")
        self.assertIn("tolerance    met", self.good("verify", "rest.yaml").stdout)

    def test_small_reactions(self):
        """A load at rest on a spring; its guide has next to nothing to do. That is measured by the force of
        the spring, 981 N, not by itself."""
        write("hung.yaml", """
gravity: [0, 0, -9.81]
ground: {frames: {ceiling: [0, 0, 1]}}
bodies:
  load: {mass: 100, inertia: [1, 1, 1], position: [0, 0, 0], frames: {hook: [1e-12, 0, 0]}}
joints:
  guide: {type: prismatic, a: ground, b: load}
forces:
  spring: {type: spring, a: ground.ceiling, b: load.hook, stiffness: 1e4, length: 0.9019, damping: 10}
run: {end: 1}
""")
        scale = {s["name"]: s["scale"] for s in self.report("verify", "hung.yaml")["signals"]}
        self.assertAlmostEqual(scale["guide.fx"], 0.981, delta=1e-3)

    def test_a_row_at_a_jump(self):
        """The cart stops, and a side load sets in, at t = 0.5 s, where a row is: whichever side of the jumps
        it shows is right. A load that jumps between the rows is compared in all of them."""
        text = """
planar: true
gravity: 0
bodies:
  cart: {mass: 2, inertia: 0.1, position: [0, 0], velocity: [1, 0]}
joints:
  rail: {type: prismatic, a: ground, b: cart, axis: [1, 0]}
forces:
  push: {type: applied, at: cart, force: [0, "if(t > T, 10, 0)"]}
  brake: {type: friction, of: rail.distance, coulomb: FORCE}
run: {end: 1, output_step: 0.1}
"""
        write("jump.yaml", text.replace("> T", "> 0.5").replace("FORCE", "4"))
        p = self.good("verify", "jump.yaml")
        self.assertIn("at 1 of them forces jump, and are not compared", p.stdout)
        self.assertIn("tolerance    met", p.stdout)
        write("jump.yaml", text.replace("> T", "> 0.55").replace("FORCE", "3"))
        self.assertEqual(self.report("verify", "jump.yaml")["jumps"], 0)

    def test_a_pole(self):
        """Four-bars that pass through their flat position: their loads balance over a lever that vanishes
        there, so that the reactions of an output time beside it are as wrong as its distance from the
        position. That is said instead of errors that grow and a tolerance that would not do."""
        p = run("verify", os.path.join(SOURCE, "models", "four_bars.yaml"))
        self.assertEqual(p.returncode, 1, p.stdout)
        self.assertRegex(p.stdout, r"\n +the singular configuration at t = 0\.7\d+ s was passed: beside it "
                                   r"reactions may\n +grow without bound, and an error of the motion "
                                   r"\(\d\.\d+ of what is allowed\) changes\n +them by as much")
        self.assertNotIn("use --tol", p.stdout)

    def test_vibrations(self):
        """Velocities and forces of vibrations that steps do not resolve are off by hundreds of tolerances,
        which tol does not promise: what it promises is kept. Errors of the motion are still found."""
        write("bar.yaml", CANTILEVER)
        p = self.good("verify", "bar.yaml")
        self.assertIn("tolerance    met", p.stdout)
        self.assertIn("velocities and forces (of tol.) on the time scale of the motion, 0.00", p.stdout)
        r = self.report("verify", "bar.yaml")
        self.assertTrue(1e-3 < r["time_scale"] < 1e-2, r["time_scale"])  # a fifth of 1/(8 Hz 2 pi)
        kinds = {}
        for s in r["signals"]:
            kinds.setdefault(s["kind"], []).append(s)
        for kind in ("velocities", "angular velocities", "reactions", "outputs"):
            self.assertLess(max(s["ratio"] for s in kinds[kind]), 1)
        # differences are still those of the columns of two files, and of positions all of them counts
        self.assertGreater(max(s["difference"]/s["scale"] for s in kinds["velocities"]), 1e-3)
        for s in kinds["positions"]:
            self.assertAlmostEqual(s["ratio"], s["difference"]/(1e-4*r["length"]), delta=0.1*s["ratio"])
        # steps too long for the motion itself
        wrong = json.loads(run("verify", "bar.yaml", "--step", "4e-3", "--method", "radau5", "--json").stdout)
        self.assertFalse(wrong["met"])
        self.assertGreater(max(s["ratio"] for s in wrong["signals"] if s["kind"] == "velocities"), 10)

    def test_vibrations_with_strict_control(self):
        """control: all promises all velocities, and they are judged as they are."""
        write("bar.yaml", CANTILEVER)
        args = ("verify", "bar.yaml", "--end", "1e-3", "--method", "radau5", "--json")
        strict = json.loads(run(*args, "--control", "all").stdout)
        self.assertEqual(strict["time_scale"], 0)
        self.assertGreater(json.loads(run(*args).stdout)["time_scale"], 0)

    def test_not_met(self):
        p = run("verify", "verify.yaml", "--step", "0.05")
        self.assertEqual(p.returncode, 1, p.stdout)
        self.assertEqual(p.stderr, "")
        m = re.search(r"tolerance    NOT met: the largest error is (\S+) times what 0.0001 allows \((\S+) at",
                      p.stdout)
        self.assertTrue(m, p.stdout)
        self.assertGreater(float(m.group(1)), 10)
        self.assertEqual(run("verify", "verify.yaml", "--step", "0.05", "--tol", "0.5").returncode, 0)
        p = run("verify", "verify.yaml", "--step", "0.05", "--quiet")
        self.assertEqual((p.returncode, p.stdout, p.stderr), (1, "", ""))

    def test_a_fixed_step_of_the_file_is_judged(self):
        write("fixed.yaml", PENDULUM.replace("step: 1e-3", "step: 0.05, tol: 1e-5"))
        self.assertEqual(run("verify", "fixed.yaml").returncode, 1)
        write("fixed.yaml", PENDULUM.replace("step: 1e-3", "step: 1e-4, tol: 1e-5"))
        self.assertEqual(run("verify", "fixed.yaml").returncode, 0)

    def test_all_signals_worst_first(self):
        p = self.good("verify", "verify.yaml", "--all")
        line = r"(?m)^  (?:bob|pin|energy|height)\S* +[\d.e-]+ +(\d+\.\d)  "
        digits = [float(x) for x in re.findall(line, p.stdout)]
        self.assertEqual(len(digits), 3 + 1 + 6 + 1 + 6 + 3 + 1)
        self.assertEqual(digits, sorted(digits))
        self.assertRegex(p.stdout, r"(?m)^  bob\.z +0 +16\.0 ")

    def test_json(self):
        r = self.report("verify", "verify.yaml", "--factor", "10", "--with", "genalpha")
        self.assertTrue(r["met"])
        self.assertAlmostEqual(r["against"]["rtol"], 1e-5)
        names = {s["name"]: s for s in r["signals"]}
        self.assertEqual(names["height"]["kind"], "outputs")
        self.assertEqual(names["bob.orientation"]["unit"], "rad")
        worst = r["signals"][0]
        self.assertGreater(worst["difference"], 0)
        self.assertFalse(self.report("verify", "verify.yaml", "--step", "0.05", code=1)["met"])

    def test_groups(self):
        steps = {}
        for group in ("r3so3", "se3", "se3-cayley"):
            r = self.report("verify", "verify.yaml", "--method", "genalpha", "--group", group)
            self.assertTrue(r["met"])
            steps[group] = r["run"]["steps"]
        self.assertEqual(len(set(steps.values())), 3, steps)  # they went different ways

    def test_jobs(self):
        def numbers(jobs):
            r = self.report("verify", "verify.yaml", "--jobs", jobs)
            return r["signals"], r["ratio"]
        self.assertEqual(numbers("1"), numbers("2"))

    def test_a_failing_run(self):
        write("fails.yaml", ADAPTIVE + "forces:\n  f: {type: applied, at: bob, force: [sqrt(0.2 - t), 0]}\n")
        p = self.bad(1, "verify", "fails.yaml")
        self.assertEqual(p.stdout, "")

    def test_wrong_options(self):
        for args, words in [(["--with", "genalfa"], "is it 'genalpha'?"),
                            (["--factor", "0.5"], "1 or greater"),
                            (["--method", "genalfa"], "is it 'genalpha'?"),
                            (["--tol", "0"], "greater than 0"),
                            (["--jobs", "0.5"], "whole number"), (["-j", "65"], "more than 64"),
                            (["--step", "1", "--max-step", "1"], "has no effect"),
                            (["--end", "-1"], "after the start")]:
            with self.subTest(args=args):
                self.assertIn(words, self.bad(2, "verify", "verify.yaml", *args).stderr)
        p = self.bad(2, "verify", "verify.yaml", "--with", "genalfa", "--json")
        self.assertEqual(json.loads(p.stdout)["exit_status"], 2)


STATES = """\
planar: true
bodies:
  mass: {mass: 1, inertia: 1}
joints:
  rail: {type: prismatic, a: ground, b: mass, axis: [1, 0]}
states:
  z: {rate: 100*cos(100*t) - z}
run: {end: 2, step: 0.02, tol: 1e-4, method: genalpha}
"""

# The motion is prescribed; only the work of the damper is integrated. Long fixed steps spoil it.
DISSIPATION = """\
planar: true
bodies:
  mass: {mass: 1, inertia: 1}
joints:
  rail: {type: prismatic, a: ground, b: mass, axis: [1, 0]}
  drive: {type: driver, of: rail.distance, motion: sin(20*t)}
forces:
  damper: {type: applied, at: mass, force: [-10*mass.vx, 0]}
run: {end: 1, step: 0.05, output_step: 0.05, tol: 1e-4, method: genalpha}
"""


class EverySignal(Case):
    """A single signal beyond the tolerance is enough."""

    def verdict(self, text, *args):
        write("signal.yaml", text)
        r = json.loads(run("verify", "signal.yaml", "--json", *args).stdout)
        self.assertEqual(r["met"], r["exit_status"] == 0)
        return r, {s["name"]: s for s in r["signals"]}

    def test_first_order_states(self):
        r, signals = self.verdict(STATES)
        self.assertEqual(r["exit_status"], 1)
        self.assertEqual(r["ratio_signal"], "z")
        self.assertEqual(signals["z"]["kind"], "states")
        self.assertEqual(signals["mass.x"]["ratio"], 0)

    def test_dissipated_energy(self):
        r, signals = self.verdict(DISSIPATION)
        self.assertEqual(r["exit_status"], 1)
        self.assertGreater(signals["energy.dissipated"]["ratio"], 10)
        self.assertLess(signals["mass.x"]["ratio"], 1)

    def test_event_times(self):
        text = ADAPTIVE + "events:\n  down: {when: pin.angle + 0.5}\n"
        r, signals = self.verdict(text)
        self.assertEqual(signals["down"]["kind"], "event times")
        self.assertTrue(r["met"])
        r, signals = self.verdict(text, "--step", "0.05")
        self.assertGreater(signals["down"]["ratio"], 10)
        by_hand = [json.loads(run("run", "signal.yaml", "--out", "none", "--json", *args).stdout)["t"]
                   for args in (["--step", "0.05"], ["--tol", "1e-6"])]
        self.assertEqual(signals["down"]["difference"], abs(by_hand[0] - by_hand[1]))

    def test_an_event_in_one_run_only(self):
        """The pendulum reaches the level of its start; with numerical damping it does not."""
        text = PENDULUM.replace("end: 0.5", "end: 3").replace("step: 1e-3", "step: 0.05, rho: 0.3, tol: 1e-3")
        text += "events:\n  back: {when: pin.angle + pi - 1e-3, direction: down}\n"
        r, _ = self.verdict(text)
        self.assertEqual((r["run"]["event"], r["against"]["event"], r["exit_status"]), (None, "back", 1))
        p = run("verify", "signal.yaml")
        self.assertIn("NOT met: the run ends without event at t = 3 s, the reference by event 'back'",
                      p.stdout)

    def test_outputs_by_any_name(self):
        """What a channel is follows from the model, not from how its name ends."""
        for name in ("supplied", "contact_loss"):
            _, signals = self.verdict(ADAPTIVE.replace("height: bob.y", f"{name}: bob.y"))
            self.assertEqual(signals[name]["kind"], "outputs")

    def test_outputs(self):
        """An output that is zero but for errors is measured by what the motion is allowed."""
        text = ADAPTIVE.replace("height: bob.y + L", "length: hypot(bob.x, bob.y) - L\n  zero: bob.x - bob.x")
        r, signals = self.verdict(text)
        self.assertTrue(r["met"])
        self.assertLess(signals["length"]["ratio"], 1)
        self.assertEqual(signals["length"]["digits"], 0)
        # an output is judged by its own size, too: here the reactions in the denominator are wrong
        r, signals = self.verdict(ADAPTIVE.replace("height: bob.y + L", "ratio: pin.fx/1e3"),
                                  "--step", "0.05", "--method", "genalpha")
        self.assertGreater(signals["ratio"]["ratio"], 1)

    def test_a_reference_that_is_wrong_is_not_believed(self):
        """A given epsilon leaves an error that no tolerance reduces; another method shows it."""
        write("soft.yaml", ADAPTIVE)
        args = ("verify", "soft.yaml", "--method", "trust-region", "--epsilon", "1e-2", "--json")
        p = run(*args)
        r = json.loads(p.stdout)
        if "met" not in r:
            self.skipTest("this build has no method trust-region")
        self.assertFalse(r["confirmed"])
        self.assertEqual(p.returncode, 1)


if __name__ == "__main__":
    main()
