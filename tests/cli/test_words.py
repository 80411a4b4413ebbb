"""What people write who come from other programs, and everyday names."""
import os
import re

from common import PENDULUM, SOURCE, Case, each, main, read, run, write

MODEL = """\
planar: true
gravity: [0, -9.81]
bodies: {floor: {mass: 1, inertia: 0.1, position: [0.5, 0]}}
joints:
  motor: {type: revolute, a: ground, b: floor, point: [0, 0]}
outputs: {turned: motor.angle}
run: {end: 0.1}
"""


class Words(Case):
    def message(self, old, new, *options):
        self.assertIn(old, MODEL)
        write("m.yaml", MODEL.replace(old, new))
        return self.bad(2, "run", "m.yaml", "--out", "none", *options).stderr

    def test_joints(self):
        for theirs, ours in (("hinge", "revolute"), ("slider", "prismatic"), ("ball", "spherical"),
                             ("weld", "fixed"), ("Hinge", "revolute"), ("hooke", "universal"),
                             ("revolute-joint", "revolute")):
            self.assertIn(f"is '{theirs}' ('{theirs.lower()}' is called '{ours}' here); expected one of: ",
                          self.message("type: revolute", f"type: {theirs}"))

    def test_of_another_section(self):
        """A force among the joints, a joint among the forces, a free body."""
        for word, said in (("bushing", "a force: it stands under 'forces'"),
                           ("free", "a body without joints is free: leave it out")):
            self.assertIn(f"is '{word}' ({said}); expected one of: ",
                          self.message("type: revolute", f"type: {word}"))
        force = "forces: {push: {type: WORD, of: motor.angle}}\noutputs:"
        for word, said in (("driver", "a joint: it stands under 'joints'"),
                           ("motor", "in place of 'motor' try 'coordinate'")):
            self.assertIn(f"is '{word}' ({said}); expected one of: ",
                          self.message("outputs:", force.replace("WORD", word)))

    def test_keys(self):
        for key in ("dt", "step_size", "timestep"):
            message = self.message("end: 0.1", f"end: 0.1, {key}: 0.01")
            self.assertIn("m.yaml:7:17: error: ", message)
            self.assertIn(f"Unknown key '{key}' in 'run' ('{key}' is called 'step' here).", message)
        self.assertIn("Unknown key 'links' in the model ('links' is called 'bodies' here).",
                      self.message("bodies:", "links:"))
        self.assertIn("body 'floor' lacks the key 'mass' [kg], or 'density' [kg/m^3] with shapes.",
                      self.message("mass: 1, ", ""))

    def test_methods_and_options(self):
        for theirs, ours in (("rk4", "erk5"), ("rk45", "erk5"), ("implicit", "radau5"), ("ode15s", "bdf"),
                             ("implicitfast", "radau5"), ("euler", "erk5"), ("implicit_euler", "bdf2"),
                             ("hht-i3", "hht"), ("lsoda", "bdf"), ("crank-nicolson", "newmark"),
                             ("ode23", "erk5"), ("symplectic", "midpoint")):
            hint = f"(in place of '{theirs}' try '{ours}')"
            self.assertIn(hint, self.message("end: 0.1", f"end: 0.1, method: {theirs}"))
            write("m.yaml", MODEL)
            self.assertIn(hint, self.bad(2, "run", "m.yaml", "--method", theirs).stderr)
        self.assertIn("no method 'default' (leave it out, and 'auto' chooses)",
                      self.message("end: 0.1", "end: 0.1, method: default"))
        self.assertIn("There is no option '--dt' ('dt' is called '--step' here).",
                      self.bad(2, "run", "m.yaml", "--dt", "0.1").stderr)
        self.assertIn("(is it '--step'?)", self.bad(2, "run", "m.yaml", "--stpe", "0.1").stderr)

    def test_check_finds_names_of_the_run(self):
        """`check` says what `run` would say of the names in the file."""
        for key, name, near in (("method", "radau6", "radau"), ("solver", "tre", "tree")):
            write("m.yaml", MODEL.replace("end: 0.1", f"end: 0.1, {key}: {name}"))
            for command in ("check", "run"):
                message = self.bad(2, command, "m.yaml").stderr
                self.assertIn(f"m.yaml:7:{19 + len(key)}: error: there is no {key} '{name}' (is it '{near}",
                              message)

    def test_few_names_are_listed(self):
        write("m.yaml", MODEL)
        self.assertIn("The model has no parameter 'far'.",
                      self.bad(2, "run", "m.yaml", "--set", "far=1").stderr)
        write("m.yaml", "parameters: {mass: 1, L: 2}\n" + MODEL)
        self.assertIn("The model has no parameter 'far' (there are L, mass).",
                      self.bad(2, "run", "m.yaml", "--set", "far=1").stderr)
        write("s.yaml", "model: m.yaml\nparameters: {far: {values: [1]}}\nquantities: {q: {of: turned, "
                        "take: max}}\n")
        self.assertIn("no parameter or input 'far' (there are mass, L).",
                      self.bad(2, "study", "s.yaml").stderr)
        self.assertIn("There is no command 'ruun' (is it 'run'?); 'trammel --help' lists them.",
                      self.bad(2, "manual", "ruun").stderr)

    def test_names_of_ones_own(self):
        for value in ("heavy", "2*heavy"):
            self.assertIn("error: unknown name 'heavy'; names of your own stand under 'parameters'",
                          self.message("mass: 1", f"mass: {value}"))
            self.assertIn("error: unknown name 'heavy'; names of your own stand under 'parameters'\n",
                          self.message("motor.angle", value))

    def test_keys_of_other_programs(self):
        """(words, where they stand, what is said of them)"""
        cases = (("angle theta", "mass: 1,", "'WORD' is called 'orientation' here"),
                 ("initial_position", "mass: 1,", "'WORD' is called 'position' here"),
                 ("initial_velocity", "mass: 1,", "'WORD' is called 'velocity' here"),
                 ("vx", "mass: 1,", "in place of 'WORD' try 'velocity'"),
                 ("fixed static", "mass: 1,", "a joint of type 'fixed' holds a body"),
                 ("quaternion euler", "mass: 1,", "a form of it: orientation: {quaternion"),
                 ("geometry mesh", "mass: 1,", "'WORD' is called 'shape' here"),
                 ("length size", "mass: 1,", "a body has no size: 'shape' draws one"),
                 ("color", "mass: 1,", "of a shape: shape: {type: sphere, radius"),
                 ("name", "mass: 1,", "the name of an entry stands before it: NAME: {...}"),
                 ("name", "type: revolute,", "the name of an entry stands before it: NAME: {...}"),
                 ("location anchor pos", "type: revolute,", "'WORD' is called 'point' here"),
                 ("direction", "type: revolute,", "'WORD' is called 'axis' here"),
                 ("from body_a j", "type: revolute,", "'WORD' is called 'a' here"),
                 ("to body_b i", "type: revolute,", "'WORD' is called 'b' here"),
                 ("initial_angle q0", "type: revolute,", "'WORD' is called 'angle' here"),
                 ("stop angle_limits", "type: revolute,", "'WORD' is called 'limits' here"),
                 ("spring", "type: revolute,", "'WORD' is called 'stiffness' here"),
                 ("actuator servo", "type: revolute,", "a joint of type 'driver' prescribes a motion"),
                 ("friction_coefficient mu", "type: revolute,", "of its friction: friction: {coefficient"),
                 ("time t simulation_time", "end: 0.1,", "'WORD' is called 'end' here"),
                 ("fps nsteps samples", "end: 0.1,", "in place of 'WORD' try 'output_step'"),
                 ("output file", "end: 0.1,", "the option --out of 'trammel run' names"),
                 ("gravity", "end: 0.1,", "it stands beside 'run', not in it"),
                 ("initial_step", "end: 0.1,", "the tolerance sets the first step"))
        model = MODEL.replace("end: 0.1", "end: 0.1, tol: 1e-4")
        for words, place, said in cases:
            for word in words.split():
                write("m.yaml", model.replace(place, f"{place} {word}: 1,"))
                self.assertIn(f"({said.replace('WORD', word)}", self.bad(2, "check", "m.yaml").stderr, word)

    def test_sections_of_other_programs(self):
        for word, said in (("settings", "'settings' is called 'run' here"),
                           ("analysis", "'analysis' is called 'run' here"),
                           ("objects", "'objects' is called 'bodies' here"),
                           ("drivers", "a joint of type 'driver' prescribes a motion"),
                           ("units", "all numbers are in SI units"),
                           ("markers", "frames stand in their body"),
                           ("controllers", "a control law is an expression of a force"),
                           ("initial_conditions", "bodies begin with their position"),
                           ("materials", "a body has a mass or a density")):
            write("m.yaml", MODEL + f"{word}: {{a: 1}}\n")
            self.assertIn(f"Unknown key '{word}' in the model ({said}", self.bad(2, "check", "m.yaml").stderr)

    def test_types_of_other_programs(self):
        for theirs, said in (("sliding", "'sliding' is called 'prismatic' here"),
                             ("ball-and-socket", "'ball-and-socket' is called 'spherical' here"),
                             ("slot", "in place of 'slot' try 'point-on-line'"),
                             ("belt", "in place of 'belt' try 'gear'"),
                             ("rope", "in place of 'rope' try 'distance'"),
                             ("rolling", "'rolling' is called 'wheel' here"),
                             ("contact", "shapes that touch stand under 'contacts'")):
            self.assertIn(f"is '{theirs}' ({said}); ", self.message("type: revolute", f"type: {theirs}"))
        force = "forces: {push: {type: WORD}}\noutputs:"
        for theirs, said in (("force", "in place of 'force' try 'applied'"),
                             ("torque", "in place of 'torque' try 'applied'"),
                             ("rotational-spring", "'rotational-spring' is called 'torsion' here"),
                             ("cable", "in place of 'cable' try 'spring'"),
                             ("contact", "shapes that touch stand under 'contacts'"),
                             ("gravity", "'gravity' stands at the top of the model, for all bodies")):
            self.assertIn(f"is '{theirs}' ({said}); ",
                          self.message("outputs:", force.replace("WORD", theirs)))

    def test_keys_of_forces(self):
        force = "forces: {push: {type: spring, a: ground, b: floor, WORD: 1}}\noutputs:"
        for words, ours in (("from", "a"), ("to", "b"), ("unstretched_length", "length"),
                            ("damping_coefficient", "damping"), ("expression function", "law")):
            for word in words.split():
                self.assertIn(f"Unknown key '{word}' in force 'push' ('{word}' is called '{ours}' here)",
                              self.message("outputs:", force.replace("WORD", word)))

    def test_own_names_are_not_words(self):
        """A name of the model is compared with names of the model only."""
        self.assertIn("body 'm' not found (there are ground, floor)", self.message("b: floor", "b: m"))


class Values(Case):
    """A value that a part does not have: the nearest one of it, or all of its values."""

    def message(self, value, **changes):
        text = MODEL.replace("motor.angle", value)
        for old, new in changes.items():
            text = text.replace(old, new)
        write("m.yaml", text)
        return self.bad(2, "check", "m.yaml").stderr

    def test_joint(self):
        self.assertIn("error: unknown name 'motor.torque': joint 'motor' has angle, rate, in outputs also "
                      "fx, fy, fz, mx, my, mz\n", self.message("motor.torque"))
        self.assertIn("unknown name 'motor.angl' (is it 'motor.angle'?)", self.message("motor.angl"))
        self.assertIn("unknown name 'motor.angle': joint 'motor' has distance, speed, in outputs also fx,",
                      self.message("motor.angle", **{"type: revolute": "type: prismatic, axis: [1, 0]"}))

    def test_driver(self):
        drive = "drive: {type: driver, of: motor.angle, motion: t}"
        self.assertIn("unknown name 'drive.torque': joint 'drive' has in outputs 'drive.multiplier'; the "
                      "force or torque that it exerts along its coordinate is the negative of it\n",
                      self.message("drive.torque", **{"outputs:": f"  {drive}\noutputs:"}))

    def test_no_such_part(self):
        self.assertIn("unknown name 'gearbox.x' (no body, frame, joint or force is called 'gearbox')\n",
                      self.message("gearbox.x"))
        self.assertIn("(is it 'floor.x'?)\n", self.message("flor.x"))

    def test_body(self):
        self.assertIn("unknown name 'floor.speed': body 'floor' has x, y, z, vx, vy, vz, angle, rate, wx, "
                      "wy, wz, roll, pitch, yaw, roll_rate, pitch_rate, yaw_rate, in outputs also ax,",
                      self.message("floor.speed"))
        self.assertIn("(is it 'floor.vx'?)", self.message("floor.vxx"))

    def test_force(self):
        spring = "forces: {coil: {type: spring, a: ground, b: floor, stiffness: 1}}"
        self.assertIn("unknown name 'coil.stretch': force 'coil' has length, ",
                      self.message("coil.stretch", **{"outputs:": f"{spring}\noutputs:"}))

    def test_results(self):
        write("m.yaml", MODEL)
        self.good("run", "m.yaml", "--out", "r.h5", "--quiet")
        for command in ("plot", "stats"):
            self.assertRegex(self.bad(2, command, "r.h5", "nosuch").stderr,
                             r"unknown name 'nosuch' .*\('trammel stats RESULT' lists the channels\)")
            self.assertIn("(is it 'motor.angle'?)", self.bad(2, command, "r.h5", "motor.angel").stderr)


class Functions(Case):
    """Functions and names of Python, MATLAB, C and Adams: what is written instead."""
    CALLED = (("ln(2*t)", "log(x)"), ("arctan(t)", "atan(x)"), ("power(t, 2)", "x^y"),
              ("fmod(t, 2)", "mod(a, b)"), ("heaviside(t - 1)", "if(x > 0, 1, 0)"),
              ("degrees(motor.angle)", "x*180/pi"), ("deg(motor.angle)", "30 deg for an angle of 30"),
              ("radians(30)", "x*pi/180, or 30 deg"), ("clip(t, 0, 1)", "clamp(x, lo, hi)"),
              ("where(t > 1, 2, 3)", "if(condition, a, b)"), ("norm(floor.x, floor.y)", "hypot(x, y)"))

    def message(self, value):
        write("m.yaml", MODEL.replace("motor.angle", f'"{value}"'))
        return self.bad(2, "check", "m.yaml").stderr

    def test_functions(self):
        for call, ours in self.CALLED:
            function = call.split("(")[0]
            self.assertIn(f"m.yaml:6:22: error: unknown function '{function}'; write {ours}",
                          self.message("2*" + call), call)
        self.assertIn("unknown function 'der'; rates have names of their own, such as BODY.vx and JOINT.rate",
                      self.message("der(motor.angle)"))
        self.assertIn("unknown function 'rand'; nothing is random", self.message("rand()"))
        self.assertIn("unknown function 'integral'; write an entry of 'states' whose 'rate' is the integrand",
                      self.message("integral(floor.vx^2)"))
        self.assertIn("unknown function 'what'\n", self.message("what(t + 1)"))
        self.assertIn("unknown function 'x'; values of a body are written BODY.x, BODY.vx",
                      self.message("x(floor)"))

    def test_signs(self):
        for value, said in (("motor.angle deg", "'unit: deg' of an output gives degrees"),
                            ("motor.angle in deg", "'unit' of an output converts its value"),
                            ("1 if t > 1 else 2", "write if(condition, a, b)"),
                            ("floor.x, floor.y", "an expression is one value"),
                            ("1.2.3", "a number has one '.'"), ("$t", "write the name alone")):
            self.assertIn(said, self.message(value), value)

    def test_names(self):
        for name, said in (("e", "write exp(1)"), ("inf", "no value is infinite here")):
            self.assertIn(f"unknown name '{name}'; {said}\n", self.message(f"2*{name}"))
        self.assertIn("unknown name 'time': the time is called 't'\n", self.message("2*time"))
        self.assertIn("unknown name 'nose'; names of your own", self.message("nose"))  # not 'cos'
        self.assertIn("unknown name 'energy.kinetic' (energies are channels of every result",
                      self.message("energy.kinetic"))
        self.assertIn("'turned' is an output, which expressions cannot use: repeat its expression",
                      self.message("2*turned"))
        for word in ("t", "time"):
            write("m.yaml", MODEL.replace("mass: 1", f"mass: {word}"))
            self.assertIn("(Numbers do not vary in time; motions, forces and outputs may.)",
                          self.bad(2, "check", "m.yaml").stderr)
        own = MODEL.replace("motor.angle", "time + e + ln")
        write("m.yaml", "parameters: {time: 2, e: 3, ln: 4}\n" + own)
        self.good("check", "m.yaml")


class Everyday(Case):
    """Names of functions are names of parts and parameters where nothing calls them."""

    def test_names(self):
        text = MODEL.replace("motor", "sign").replace("{turned: sign.angle}",
                                                      '{max: "floor(min)*0 + max(step, sign.angle)"}')
        text = "parameters: {min: 0.5, step: -10}\n" + text
        write("m.yaml", text)
        self.good("run", "m.yaml", "--csv", "r.csv", "--out", "none", "--quiet")
        p = self.good("stats", "r.csv", "max", "sign.angle", "--json")
        self.assertEqual(p.stdout.count('"last"'), 2)
        for word in ("t", "pi", "ground", "deg", "and"):
            write("m.yaml", MODEL.replace("floor", word))
            self.assertIn(f"The body name '{word}' is a word of the expression language", self.bad(
                2, "check", "m.yaml").stderr)


class Unused(Case):
    def test_parameters(self):
        text = PENDULUM.replace("{L: 1.3}", "{L: 1.3, spare: 2, of: 3, inner: of*2, late: 1}")
        self.assertNotEqual(text, PENDULUM)
        write("m.yaml", text + "events: {far: {when: t - late}}\n")
        p = run("run", "m.yaml", "--out", "none", "--quiet")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertRegex(p.stderr, r"warning: m\.yaml:\d+:\d+: nothing uses the parameter 'spare'")
        self.assertIn("parameter 'inner'", p.stderr)
        self.assertNotIn("'of'", p.stderr)
        self.assertNotIn("'late'", p.stderr)
        self.assertNotIn("'L'", p.stderr)


class OtherPrograms(Case):
    """Pages for those who come from other programs: our words in them are words of ours."""
    EXAMPLES = set("NAME VALUE BODY FRAME JOINT RESULT i j kp kv target".split())

    @each(("adams", "mujoco", "exudyn", "simscape", "mbdyn"))
    def test_words(self, program):
        docs = os.path.join(SOURCE, "docs")
        known = set(re.findall(r"[a-z][\w-]*", run("schema", "--markdown").stdout + run("--help").stdout +
                               run("methods").stdout + read(os.path.join(docs, "study-file.md"))))
        known |= set("fx fy fz mx my mz vx wz multiplier trammel load".split())
        page = read(os.path.join(docs, "howto", f"from-{program}.md"))
        rows = re.findall(r"^\| .* \| (.*) \|$", page, re.M)
        self.assertGreater(len(rows), 25)
        for code in re.findall(r"`([^`]*)`", " ".join(rows)):
            if code.startswith(("trammel.", "tml_", "--", "model.", "Simulation", "Model")):
                continue
            for word in re.findall(r"[a-zA-Z][\w-]*", code):
                self.assertTrue(word in known or word in self.EXAMPLES, f"{code}: {word}")


if __name__ == "__main__":
    main()
