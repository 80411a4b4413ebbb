"""Velocities that jump, by an impact or because a prescribed one does: all that depends on them follows the
state after it.

Dry friction of a finite force has no impulse: what slips or sticks goes on with the velocity that the
impulses of others leave to it, and the friction turns against that. Every case has a closed solution.
"""
import json
import math

from common import Case, fewer_if_slow, main, run, table, write

METHODS = fewer_if_slow("Jumps, 3 of 7 methods", ("auto", "bdf", "erk5"),
                        ("auto", "radau5", "bdf", "genalpha", "erk5", "ggl", "infl-sdirk"), "ten seconds")
LOADED = ("auto", "erk5", "trust-region")  # those that compute reactions well enough to load friction
TOL = 1e-6


def rebound(force=1.0, restitution=0.5, end=0.2):
    """Speed at the end of a block of 1 kg that slides 0.1 m against friction to a stop, from 1 m/s on."""
    struck = math.sqrt(1 - 2 * force * 0.1)
    return -restitution * struck + force * (end - (1 - struck) / force)


STOP = "limits: {upper: 0.1, restitution: 0.5}"
SLOW_END = "outputs: {v: %s}\nrun: {end: 0.2}\n"
RAIL = "joints: {rub: {type: prismatic, a: ground, b: block, axis: [1, 0], %s}}\n"
PLANAR = "planar: true\ngravity: %s\nbodies: {block: {mass: 1, inertia: 1, %s}}\n"
BELT = """\
planar: true
gravity: 0
bodies: {belt: {mass: 5, inertia: 1}, block: {mass: 2, inertia: 1, velocity: [%g, 0]}}
joints:
  track: {type: prismatic, a: ground, b: belt, axis: [1, 0]}
  drive: {type: driver, of: track.distance, speed: "if(t < 0.3, 1, %g)"}
  rub: {type: prismatic, a: belt, b: block, axis: [1, 0], friction: {coulomb: 1}}
outputs: {v: block.vx}
run: {end: 1}
"""
BOX_ON_BELT = """\
planar: true
gravity: 10
bodies: {box: {mass: 1, inertia: 0.01, position: [0, 0.1], velocity: [%g, 0]}, belt: {mass: 1, inertia: 1}}
shapes: {box: {type: box, size: [0.2, 0.2]}, floor: {type: plane, at: belt}}
joints:
  track: {type: prismatic, a: ground, b: belt, axis: [1, 0]}
  drive: {type: driver, of: track.distance, speed: "if(t < 0.3, 1, %g)"}
contacts: {rest: {a: box, b: floor, law: rigid, restitution: 0, friction: {coefficient: 0.1}}}
outputs: {v: box.vx}
run: {end: 1}
"""
BOUNCING = """\
planar: true
gravity: 9.81
bodies: {b: {mass: 1, inertia: 0.01, position: [0, 1.1]}}
shapes: {b: {type: sphere, radius: 0.1}, floor: {type: plane, at: ground}}
contacts: {hit: {a: b, b: floor, law: rigid, restitution: %g}}
states: {z: {rate: "%s"}}
run: {end: %g}
"""


class Jumps(Case):
    def end(self, model, method="auto", tol=TOL):
        """The last row, and the report."""
        write("jump.yaml", model)
        done = run("run", "jump.yaml", "--method", method, "--tol", str(tol), "--csv", "jump.csv", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return {name: column[-1] for name, column in table("jump.csv").items()}, json.loads(done.stdout)

    def check(self, model, exact, methods=METHODS, tolerances=30):
        for method in methods:
            with self.subTest(method=method):
                row, report = self.end(model, method)
                for name, value in exact.items():
                    self.assertAlmostEqual(row[name], value, delta=tolerances * TOL)
                energy = report["energy"]
                self.assertLess(energy["error"], 100 * TOL * max(energy["scale"], TOL))


class Impacts(Jumps):
    """A block that slides against friction is struck."""

    def test_prismatic(self):
        for force in (1, 1e-3):
            self.check(PLANAR % (0, "velocity: [1, 0]") + RAIL % f"friction: {{coulomb: {force}}}, {STOP}" +
                       SLOW_END % "block.vx", {"v": rebound(force)})

    def test_energy(self):
        """The loss in the stop, 0.75 of what came there, and the work of friction are all there is."""
        row, report = self.end(PLANAR % (0, "velocity: [1, 0]") + RAIL % f"friction: {{coulomb: 1}}, {STOP}" +
                               SLOW_END % "block.vx")
        self.assertAlmostEqual(report["energy"]["contact_loss"], 0.75 * 0.4, delta=TOL)
        self.assertAlmostEqual(report["energy"]["supplied"], 0, delta=TOL)
        self.assertAlmostEqual(report["energy"]["dissipated"], 0.5 - row["v"]**2 / 2, delta=TOL)

    def test_revolute(self):
        self.check(PLANAR % (0, "angular_velocity: 1") +
                   "joints: {rub: {type: revolute, a: ground, b: block, friction: {coulomb: 1}, " + STOP +
                   "}}\n" + SLOW_END % "rub.rate", {"v": rebound()})

    def test_gear(self):
        """The friction of a wheel of 2 kg m^2 that turns half as fast as the wheel that is struck."""
        inertia, torque = 1 + 2 / 4, 0.3 / 2
        struck = math.sqrt(1 - 0.2 * torque / inertia)
        left = 0.2 - (1 - struck) * inertia / torque
        self.check("planar: true\nbodies:\n  a: {mass: 1, inertia: 1, angular_velocity: 1}\n"
                   "  b: {mass: 1, inertia: 2, position: [1, 0], angular_velocity: 0.5}\njoints:\n"
                   f"  first: {{type: revolute, a: ground, b: a, {STOP}}}\n"
                   "  second: {type: revolute, a: ground, b: b, point: [1, 0], friction: {coulomb: 0.3}}\n"
                   "  gear: {type: gear, first: first.angle, second: second.angle, ratio: 2}\n" +
                   SLOW_END % "a.wz", {"v": -0.5 * struck + torque / inertia * left})

    def test_space(self):
        space = "gravity: [0, 0, 0]\nbodies: {block: {mass: 1, inertia: [1, 1, 1], %s: [1, 0, 0]}}\n"
        for kind, motion, rate in (("prismatic", "velocity", "block.vx"),
                                   ("revolute", "angular_velocity", "rub.rate")):
            self.check(space % motion +
                       f"joints: {{rub: {{type: {kind}, a: ground, b: block, axis: [1, 0, 0], "
                       f"friction: {{coulomb: 1}}, {STOP}}}}}\n" + SLOW_END % rate, {"v": rebound()})
        self.check(space % "velocity" +
                   "joints: {rub: {type: cylindrical, a: ground, b: block, axis: [1, 0, 0]}}\n"
                   "forces:\n  f: {type: friction, of: rub.distance, coulomb: 1}\n"
                   "  l: {type: limit, of: rub.distance, upper: 0.1, restitution: 0.5}\n" +
                   SLOW_END % "block.vx", {"v": rebound()})

    def test_wheel(self):
        """A wheel rolls, with friction in its axle, whose carriage strikes the stop: 2 + 1 + 0.5 kg."""
        inertia = 3.5
        struck = math.sqrt(1 - 0.2 * 0.4 / inertia)
        left = 0.2 - (1 - struck) * inertia / 0.4
        self.check("gravity: 10\nbodies:\n  disc: {mass: 1, inertia: [0.25, 0.25, 0.5], position: [0, 0, 1], "
                   "orientation: {axis: [1, 0, 0], angle: 90 deg}, velocity: [1, 0, 0], "
                   "angular_velocity: [0, 0, -1]}\n"
                   "  cart: {mass: 2, inertia: [1, 1, 1], position: [0, 0, 1], velocity: [1, 0, 0]}\n"
                   "joints:\n"
                   "  roll: {type: wheel, a: ground, b: disc, radius: 1}\n"
                   "  axle: {type: revolute, a: cart, b: disc, axis: [0, 1, 0], point: [0, 0, 1], "
                   "friction: {coulomb: 0.4}}\n"
                   "  rail: {type: prismatic, a: ground, b: cart, axis: [1, 0, 0], point: [0, 0, 1], " +
                   STOP + "}\n" + SLOW_END % "cart.vx", {"v": -0.5 * struck + 0.4 / inertia * left},
                   ("auto", "bdf", "genalpha"))

    def test_laws_of_the_velocity(self):
        for law in ("-sign(block.vx)", "if(block.vx > 0, -1, 1)", "-block.vx/abs(block.vx)"):
            self.check(PLANAR % (0, "velocity: [1, 0]") + RAIL % STOP +
                       f"forces: {{f: {{type: applied, at: block, force: ['{law}', 0]}}}}\n" +
                       SLOW_END % "block.vx", {"v": rebound()})

    def test_ball(self):
        """A ball of 2 kg at -3 m/s strikes the sliding block, 0.3 m ahead: 4 t - t^2/2 = 0.3."""
        t = 4 - math.sqrt(16 - 0.6)
        gained = 1.5 * (-3 - (1 - t)) * 2 / 3
        self.check("planar: true\ngravity: 0\nbodies:\n  block: {mass: 1, inertia: 1, velocity: [1, 0]}\n"
                   "  ball: {mass: 2, inertia: 1, position: [0.5, 0], velocity: [-3, 0]}\n"
                   "shapes: {block: {type: sphere, radius: 0.1}, ball: {type: sphere, radius: 0.1}}\n"
                   "joints:\n"
                   "  rub: {type: prismatic, a: ground, b: block, axis: [1, 0], friction: {coulomb: 1}}\n"
                   "  free: {type: prismatic, a: ground, b: ball, axis: [1, 0]}\n"
                   "contacts: {hit: {a: block, b: ball, law: rigid, restitution: 0.5}}\n"
                   "outputs: {v: block.vx, w: ball.vx}\nrun: {end: 0.2}\n",
                   {"v": 1 - t + gained + 0.2 - t, "w": -3 - gained / 2})

    def test_two_frictions(self):
        """The upper block sticks to the lower one, which is struck: both slip then."""
        struck = math.sqrt(1 - 0.1 / 3)
        left = 0.2 - (1 - struck) * 6
        self.check("planar: true\n"
                   "bodies: {lower: {mass: 1, inertia: 1, velocity: [1, 0]}, "
                   "upper: {mass: 2, inertia: 1, velocity: [1, 0]}}\njoints:\n"
                   "  rub: {type: prismatic, a: ground, b: lower, axis: [1, 0], friction: {coulomb: 0.5}, "
                   "limits: {upper: 0.1, restitution: 0.6}}\n"
                   "  top: {type: prismatic, a: lower, b: upper, axis: [1, 0], friction: {coulomb: 1}}\n"
                   "outputs: {v: lower.vx, w: upper.vx}\nrun: {end: 0.2}\n",
                   {"v": -0.6 * struck + 1.5 * left, "w": struck - 0.5 * left})

    def test_loaded_friction(self):
        self.check(PLANAR % (10, "velocity: [1, 0]") +
                   RAIL % f"friction: {{coefficient: 0.1, load: reaction}}, {STOP}" + SLOW_END % "block.vx",
                   {"v": rebound()}, LOADED)
        self.check(PLANAR % (10, "position: [0, 0.1], velocity: [1, 0]") +
                   "shapes: {block: {type: box, size: [0.2, 0.2]}, floor: {type: plane, at: ground}}\n"
                   "contacts: {rest: {a: block, b: floor, law: rigid, restitution: 0, "
                   "friction: {coefficient: 0.1}}}\n"
                   "forces: {stop: {type: limit, of: block.x, upper: 0.1, restitution: 0.5}}\n" +
                   SLOW_END % "block.vx", {"v": rebound()}, LOADED)

    def test_racket(self):
        """A driven plate gives energy to the ball that it strikes, with friction or without."""
        for friction, slip in (("", 3), (", friction: {coefficient: 0.1}", 3 - 0.1 * 4.5)):
            model = ("planar: true\ngravity: 0\nbodies:\n"
                     "  ball: {mass: 1, inertia: 0.004, position: [0, 0.3], velocity: [3, -1]}\n"
                     "  plate: {mass: 1, inertia: 1}\n"
                     "shapes: {ball: {type: sphere, radius: 0.1}, face: {type: plane, at: plate}}\njoints:\n"
                     "  lift: {type: prismatic, a: ground, b: plate, axis: [0, 1]}\n"
                     "  drive: {type: driver, of: lift.distance, speed: 2}\n"
                     f"contacts: {{hit: {{a: ball, b: face, law: rigid, restitution: 0.5{friction}}}}}\n"
                     "outputs: {v: ball.vy, s: ball.vx}\nrun: {end: 0.2}\n")
            self.check(model, {"v": 2 + 0.5 * 3, "s": slip}, LOADED)
            _, report = self.end(model)
            self.assertAlmostEqual(report["energy"]["supplied"], 4.5 * 2, delta=TOL)


class Drivers(Jumps):
    """The speed of a belt jumps at 0.3 s; the block on it has its own."""

    def test_slip(self):
        for speed, exact in ((-1, 0.15 - 0.35), (3, 0.5), (0.15, 0.15)):
            with self.subTest(speed=speed):
                self.check(BELT % (0, speed), {"v": exact})

    def test_stick(self):
        for speed, exact in ((-1, 1 - 0.35), (0, 1 - 0.35), (1.2, 1.2), (3, 1.35)):
            with self.subTest(speed=speed):
                self.check(BELT % (1, speed), {"v": exact})

    def test_kinks(self):
        """The same by positions."""
        for motion, start, side in (("if(t < 0.3, t, 0.6 - t)", 1, 1), ("abs(t - 0.3)", -1, -1)):
            model = BELT % (start, 0)
            model = model.replace('speed: "if(t < 0.3, 1, 0)"', f'motion: "{motion}"')
            self.check(model, {"v": side * (1 - 0.35)})

    def test_plate(self):
        """A plate with a ball on it drops, or brakes: the contact does not pull."""
        model = ("planar: true\ngravity: 10\n"
                 "bodies:\n  ball: {mass: 1, inertia: 0.004, position: [0, 0.1]}\n"
                 "  plate: {mass: 1, inertia: 1}\n"
                 "shapes: {ball: {type: sphere, radius: 0.1}, face: {type: plane, at: plate}}\njoints:\n"
                 "  lift: {type: prismatic, a: ground, b: plate, axis: [0, 1]}\n"
                 "  drive: {type: driver, of: lift.distance, motion: 'if(t < 0.1, 0, %s)'}\n"
                 "contacts: {hit: {a: ball, b: face, law: rigid, restitution: 0.5%s}}\n"
                 "outputs: {v: ball.vy, y: ball.y}\nrun: {end: 0.3}\n")
        for friction, methods in (("", METHODS), (", friction: {coefficient: 0.2}", LOADED)):
            self.check(model % ("-3*(t - 0.1)", friction), {"v": -2, "y": 0.1 - 0.2}, methods)
            self.check(model % ("3*(t - 0.1)", friction), {"v": 3, "y": 0.1 + 0.6}, methods)
            self.check(model % ("if(t < 0.2, 3*(t - 0.1), 0.3)", friction), {"v": 2, "y": 0.4 + 0.25},
                       methods)

    def test_energy(self):
        """The drive takes the belt from 1 to -1 m/s, which needs no work, and 1 N all the time: 0.3 m before,
        -0.7 m after it. Friction takes 1 N along the slip."""
        row, report = self.end(BELT % (0, -1))
        slip = 0.3 - 0.5 * 0.5 * 0.3**2 + 0.7 + 0.15 * 0.7 - 0.5 * 0.5 * 0.7**2
        self.assertAlmostEqual(report["energy"]["supplied"], 0.3 + 0.7, delta=10 * TOL)
        self.assertAlmostEqual(report["energy"]["dissipated"], slip - 1, delta=10 * TOL)
        self.assertAlmostEqual(row["drive.impulse"], 10, delta=10 * TOL)

    def test_loaded_friction(self):
        """A slide on the block is driven across its rail: the impulse of 1 kg times its speed loads the
        friction of the block, 2 kg with the slide."""
        for start, speed in ((1, 1), (1, -1), (0.05, 1), (-1, 2)):
            left = max(abs(start) - 0.2 * abs(speed) / 2, 0)
            with self.subTest(start=start, speed=speed):
                self.check("planar: true\ngravity: 0\nbodies:\n"
                           f"  block: {{mass: 1, inertia: 1, velocity: [{start}, 0]}}\n"
                           f"  slide: {{mass: 1, inertia: 1, velocity: [{start}, 0]}}\njoints:\n"
                           "  rub: {type: prismatic, a: ground, b: block, axis: [1, 0], "
                           "friction: {coefficient: 0.2, load: reaction}}\n"
                           "  lift: {type: prismatic, a: block, b: slide, axis: [0, 1]}\n"
                           "  drive: {type: driver, of: lift.distance, "
                           f"speed: 'if(t < 0.1, 0, {speed})'}}\n" + SLOW_END % "block.vx",
                           {"v": math.copysign(left, start)}, LOADED)

    def test_loads_in_round_off(self):
        """A body of 1e12 kg on one of 523 kg: the loads of friction are known to 1e-9 only."""
        write("heavy.yaml", """\
gravity: 9.81
bodies:
  light: {mass: 523, inertia: [143, 171, 243], position: [-2.078, -2.646, -0.1447]}
  heavy: {mass: 1.16e12, inertia: [7.59e11, 4.74e11, 1.12e12], position: [-3.424, -2.264, -0.969]}
joints:
  ball: {type: spherical, a: ground, b: light, point: [-1.643, -1.508, -0.4095]}
  pin: {type: revolute, a: light, b: heavy, point: [-3.424, -2.264, -0.969], axis: [0.2365, -0.854, -0.085]}
  motor: {type: driver, of: pin.angle, speed: "if(t < 0.2, 1.29, -1.51)"}
forces:
  rub: {type: friction, of: pin.angle, coefficient: 0.22, radius: 0.25, load: reaction}
run: {end: 0.4, tol: 0.001}
""")
        p = run("run", "heavy.yaml", "--csv", "heavy.csv", "--quiet")
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertAlmostEqual(table("heavy.csv")["pin.rate"][-1], -1.51, delta=1e-6)

    def test_rigid_contact(self):
        for start, speed, exact in ((0, -1, 0.3 - 0.7), (1, -1, 1 - 0.7), (0, 0.3, 0.3)):
            with self.subTest(start=start, speed=speed):
                self.check(BOX_ON_BELT % (start, speed), {"v": exact}, LOADED)

    def test_space(self):
        """The belt jumps along the slip of the box, or across it: friction of 1 m/s^2 turns to it."""
        box = ("gravity: 10\nbodies:\n"
               "  box: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0.1], velocity: [%g, 0, 0]}\n"
               "  belt: {mass: 1, inertia: [1, 1, 1]}\n"
               "shapes: {box: {type: box, size: [0.2, 0.2, 0.2]}, floor: {type: plane, at: belt}}\njoints:\n"
               "  track: {type: prismatic, a: ground, b: belt, axis: [%s]}\n"
               "  drive: {type: driver, of: track.distance, speed: 'if(t < 0.3, %g, %g)'}\n"
               "contacts: {rest: {a: box, b: floor, law: rigid, restitution: 0, "
               "friction: {coefficient: 0.1}}}\n"
               "outputs: {v: box.vx, w: box.vy}\nrun: {end: 0.5}\n")
        for values, exact in (((0, "1, 0, 0", 1, -1), {"v": 0.3 - 0.2, "w": 0}),
                              ((1, "1, 0, 0", 1, -1), {"v": 1 - 0.2, "w": 0}),
                              ((0, "0, 1, 0", 0, 2), {"v": 0, "w": 0.2}),
                              ((0.3, "0, 1, 0", 0, -2), {"v": 0, "w": -0.2})):
            with self.subTest(values=values):
                self.check(box % values, exact, LOADED)

    def test_impact_at_the_same_time(self):
        """The block strikes a stop when the belt turns round."""
        for speed, exact in ((-2, -0.5 - 0.1), (-0.2, -0.5 + 0.1)):
            with self.subTest(speed=speed):
                self.check("planar: true\ngravity: 0\n"
                           "bodies:\n  belt: {mass: 5, inertia: 1}\n"
                           "  block: {mass: 1, inertia: 1, velocity: [1, 0]}\n"
                           "joints:\n  track: {type: prismatic, a: ground, b: belt, axis: [1, 0]}\n"
                           "  drive: {type: driver, of: track.distance, "
                           f"speed: 'if(t < 0.1, 1, {speed})'}}\n"
                           "  rub: {type: prismatic, a: belt, b: block, axis: [1, 0], "
                           "friction: {coulomb: 1}}\n"
                           "forces: {stop: {type: limit, of: block.x, upper: 0.1, restitution: 0.5}}\n"
                           "outputs: {v: block.vx}\nrun: {end: 0.2}\n", {"v": exact})


class Transitions(Jumps):
    """The jump of a drive that turns a slip round, which loads its own friction: it is the limit of short
    transitions, in which friction first brakes the slip and then the one that follows."""

    WEDGE = ("planar: true\ngravity: 0\nbodies:\n  wedge: {{mass: 3, inertia: 1, velocity: [1, 0]}}\n"
             "  block: {{mass: 2, inertia: {inertia}, position: [{x}, {y}], velocity: [{vx}, {vy}]}}\n"
             "joints:\n  track: {{type: prismatic, a: ground, b: wedge, axis: [1, 0]}}\n"
             "  drive: {{type: driver, of: track.distance, speed: 'if(t < 0.1, 1, {speed})'}}\n{rub}"
             "outputs: {{v: block.vx, w: block.vy}}\nrun: {{end: 0.2}}\n")
    JOINT = ("  rub: {{type: prismatic, a: wedge, b: block, axis: [{c}, {s}], "
             "friction: {{coefficient: {mu}, load: reaction}}}}\n")
    CONTACT = ("shapes:\n  face: {{type: plane, at: wedge, normal: [{s}, {n}]}}\n"
               "  ball: {{type: sphere, at: block, radius: 0.1}}\n"
               "contacts: {{rub: {{a: ball, b: face, law: rigid, restitution: 0, "
               "friction: {{coefficient: {mu}}}}}}}\n")

    @staticmethod
    def slip(slip, jump, c, s, mu):
        """Slip after a jump of the wedge along x: each m/s of it changes the slip by -c, and loads the
        friction by s times the mass."""
        stop = slip / (c + mu * s)
        return slip - jump * (c + mu * s) if jump < stop else -(jump - stop) * max(c - mu * s, 0)

    def wedge(self, rub, angle, mu, jump):
        c, s = math.cos(angle), math.sin(angle)
        contact = rub is self.CONTACT  # a ball that cannot turn, in front of the face
        model = self.WEDGE.format(
            inertia=1e9 if contact else 1, x=0.1 * s if contact else 0, y=-0.1 * c if contact else 0,
            vx=1 + c, vy=s, speed=1 + jump, rub=rub.format(c=c, s=s, n=-c, mu=mu))
        slip = self.slip(1, jump, c, s, mu)
        self.check(model, {"v": 1 + jump + slip * c, "w": slip * s}, LOADED)
        # work of the drive: what the kinetic energy gains, and what friction takes of both slips
        stop = min(jump, 1 / (c + mu * s))
        rubbed = 2 * mu * s * ((1 + max(slip, 0)) / 2 * stop + max(-slip, 0) / 2 * (jump - stop))
        squares = (1 + jump + slip * c)**2 + (slip * s)**2 - (1 + c)**2 - s**2
        energy = self.end(model)[1]["energy"]
        self.assertAlmostEqual(energy["supplied"], 1.5 * ((1 + jump)**2 - 1) + squares + rubbed, delta=1e-5)

    def test_joint(self):
        for angle, mu, jump in ((0.5, 0.3, 2), (0.5, 0.3, 0.5), (1.2, 0.5, 3), (0.5, 0.8, 4)):
            with self.subTest(angle=angle, mu=mu, jump=jump):
                self.wedge(self.JOINT, angle, mu, jump)

    def test_contact(self):
        for angle, mu, jump in ((0.5, 0.3, 2), (0.5, 0.3, 0.5), (1.2, 0.5, 3)):
            with self.subTest(angle=angle, mu=mu, jump=jump):
                self.wedge(self.CONTACT, angle, mu, jump)

    def test_slip_that_turns_in_space(self):
        """A plate jumps by 2 m/s along (0.6, 0, 0.8); the ball on it slips across that. The path of the slip
        is integrated here; its direction is followed in parts of 0.01 rad."""
        mu, parts = 0.3, 20000
        sx, sy, dv = 0.0, 1.0, 2 / parts
        for _ in range(parts):
            size = math.hypot(sx, sy)
            sx, sy = sx - dv * 0.6 - mu * 0.8 * dv * sx / size, sy - mu * 0.8 * dv * sy / size
        row, _ = self.end(
            "gravity: [0, 0, 0]\nbodies:\n  plate: {mass: 3, inertia: [1, 1, 1]}\n"
            "  block: {mass: 2, inertia: [1e9, 1e9, 1e9], position: [0, 0, 0.1], velocity: [0, 1, 0]}\n"
            "joints:\n  track: {type: prismatic, a: ground, b: plate, axis: [0.6, 0, 0.8]}\n"
            "  drive: {type: driver, of: track.distance, speed: 'if(t < 0.1, 0, 2)'}\n"
            "shapes:\n  face: {type: plane, at: plate}\n  ball: {type: sphere, at: block, radius: 0.1}\n"
            f"contacts: {{rub: {{a: ball, b: face, law: rigid, restitution: 0, "
            f"friction: {{coefficient: {mu}}}}}}}\n"
            "outputs: {v: block.vx, w: block.vy}\nrun: {end: 0.2}\n")
        self.assertAlmostEqual(row["v"], 1.2 + sx, delta=2e-3)
        self.assertAlmostEqual(row["w"], sy, delta=2e-3)

    def test_driven_slip(self):
        """Both bodies of a joint are driven, so that its friction changes no motion: the drives bear it. Of a
        slip from 1 to -3 m/s a quarter is braked, and the rest the other way."""
        for speed in (-3, 0.5):
            _, report = self.end(
                "planar: true\ngravity: 0\nbodies:\n  a: {mass: 1, inertia: 1}\n"
                "  b: {mass: 2, inertia: 1, velocity: [1, 0]}\njoints:\n"
                "  lift: {type: prismatic, a: ground, b: a, axis: [0, 1]}\n"
                "  raise: {type: driver, of: lift.distance, speed: 'if(t < 0.1, 0, 1)'}\n"
                "  rub: {type: prismatic, a: a, b: b, axis: [1, 0], "
                "friction: {coefficient: 0.2, load: reaction}}\n"
                f"  push: {{type: driver, of: rub.distance, speed: 'if(t < 0.1, 1, {speed})'}}\n"
                "run: {end: 0.2}\n")
            # friction brakes with 0.2 of 2 kg times the rise, evenly along the change of the slip
            rubbed = 0.2 * 2 * (abs(1 + speed) / 2 if speed > 0 else (1 + speed**2) / 2 / (1 - speed))
            self.assertAlmostEqual(report["energy"]["supplied"],
                                   0.5 * 3 + 0.5 * 2 * (speed**2 - 1) + rubbed, delta=1e-5)

    def test_driven_slip_that_ends_in_round_off(self):
        """Where the slip ends, its rate is that of differences: the drive turns all the same."""
        for k in range(8):
            before, after = 8.88 + 0.37 * k, -1.93 - 0.1 * k
            row, _ = self.end(
                "gravity: 9.81\nbodies:\n"
                "  arm: {mass: 41.6, inertia: [1e-4, 1e-4, 2e-4], position: [-0.0018, 0.0041, 0.0028]}\n"
                "  bob: {mass: 54.7, inertia: [3e-4, 3e-4, 4e-4], position: [-0.005, -0.0032, 0.0045]}\n"
                "joints:\n  pin: {type: revolute, a: ground, b: arm, point: [-0.0011, -0.0016, -0.0002], "
                "axis: [0.62, 0.3, -0.04]}\n"
                "  ball: {type: spherical, a: arm, b: bob, point: [-0.0074, -0.0001, 0.0037]}\n"
                f"  drive: {{type: driver, of: pin.angle, speed: 'if(t < 0.02, {before}, {after})'}}\n"
                "forces: {rub: {type: friction, of: pin.angle, coefficient: 0.37, radius: 0.0012, "
                "load: reaction}}\nrun: {end: 0.03}\n")
            self.assertAlmostEqual(row["pin.rate"], after, delta=1e-6)


class Switches(Jumps):
    """Comparisons of a velocity that impacts reverse, as the rate of a state."""

    @staticmethod
    def time_above(speed, restitution, end):
        """For how long a ball that falls 1 m is faster than `speed` upwards."""
        g = 9.81
        t = math.sqrt(2 / g)
        v, total = g * t, min(max(-speed / g, 0), t)
        while t < end and v > 1e-12:
            v *= restitution
            total += max(min(end, t + 2 * v / g, t + (v - speed) / g) - t, 0)
            t += 2 * v / g
        return total + (max(end - t, 0) if speed < 0 else 0)

    def test_bounces(self):
        for speed in (0, 1e-3, 0.7, -0.4):
            for restitution, end in ((0.5, 2), (0.8, 2)):
                with self.subTest(speed=speed, restitution=restitution):
                    self.check(BOUNCING % (restitution, f"if(b.vy > {speed}, 1, 0)", end),
                               {"z": self.time_above(speed, restitution, end)})

    def test_tolerances(self):
        """Also at those where the ball comes to rest with velocities that are round-off."""
        exact = self.time_above(0, 0.5, 2)
        for method in METHODS:
            for tol in (1e-3, 1e-8):
                with self.subTest(method=method, tol=tol):
                    row, _ = self.end(BOUNCING % (0.5, "if(b.vy > 0, 1, 0)", 2), method, tol)
                    self.assertAlmostEqual(row["z"], exact, delta=1e-6)

    def test_many_bounces(self):
        """So many in the end that the comparison changes more often than it would if the motion slid along
        it."""
        self.check(BOUNCING % (0.9, "if(b.vy > 0, 1, 0)", 10), {"z": self.time_above(0, 0.9, 10)},
                   ("auto", "erk5"))

    def test_stop(self):
        """A block that friction stops, from either side, is then on neither side of `v > 0`."""
        for start in (0.4, -0.4):
            for comparison, moves, rests in ((">", start > 0, 0), (">=", start > 0, 1), ("<", start < 0, 0),
                                             ("<=", start < 0, 1)):
                with self.subTest(start=start, comparison=comparison):
                    self.check(PLANAR % (0, f"velocity: [{start}, 0]") + RAIL % "friction: {coulomb: 1}" +
                               f"states: {{z: {{rate: 'if(block.vx {comparison} 0, 1, 0)'}}}}\n"
                               "run: {end: 1}\n",
                               {"z": 0.4 * moves + 0.6 * rests})


if __name__ == "__main__":
    main()
