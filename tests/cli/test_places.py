"""Places do not matter: a model takes the same steps and moves in the same way wherever it stands, up to
10,000 km from the coordinate origin. Beyond, the command says what round-off leaves of it. Expressions and
results have coordinates of the inertial frame."""
import glob
import json
import re

from common import Case, each, main, read, run, table, write

FAR = ("1e3", "5e6", "-1e7")

# X moves all of a model along all axes. Lengths are about 1 m.
PENDULUM = """\
planar: true
gravity: 9.81
parameters: {X: 0}
ground: {frames: {g: [X, X]}}
bodies:
  a: {mass: 1, inertia: 0.1, position: [X + 0.5, X], frames: {a: [-0.5, 0], b: [0.5, 0]}}
  b: {mass: 1, inertia: 0.1, position: [X + 1.5, X], frames: {a: [-0.5, 0]}}
joints:
  p: {type: revolute, a: ground.g, b: a.a, stiffness: 30}
  q: {type: revolute, a: a.b, b: b.a, stiffness: 30}
outputs: {across: b.x - X, up: b.y - X, turn: b.angle}
run: {end: 1, output_step: 0.1}
"""
# In space, with a closed loop, spring, and joints at points.
LOOP = """\
gravity: [0, 0, -9.81]
parameters: {X: 0}
ground: {frames: {hook: [X + 0.9, X + 0.5, X + 0.3], eye: [X - 0.3, X + 0.2, X + 0.4]}}
bodies:
  upper:
    mass: 1.3
    inertia: [0.031, 0.027, 0.009, 0.002, -0.001, 0.003]
    position: [X + 0.2, X + 0.1, X - 0.15]
    angular_velocity: [0.4, 1.1, 0.3]
    frames: {grip: [0.05, 0.02, 0.04]}
  lower:
    mass: 0.8
    inertia: [0.014, 0.019, 0.011, 0.001, 0.002, -0.001]
    position: [X + 0.5, X + 0.25, X - 0.2]
    angular_velocity: [2.1, -0.7, 1.6]
    frames: {tip: [0.17, 0.03, 0.02]}
joints:
  cross: {type: universal, a: ground, b: upper, point: [X, X, X]}
  ball: {type: spherical, a: upper, b: lower, point: [X + 0.37, X + 0.21, X - 0.24]}
  rod: {type: distance, a: ground.hook, b: lower.tip}
forces:
  spring: {type: spring, a: ground.eye, b: upper.grip, stiffness: 61, damping: 1.7, length: 0.31}
outputs: {across: lower.x - X, up: lower.z - X, turn: lower.q1}
run: {end: 0.5, output_step: 0.05, tol: 1e-5}
"""
# A disc that bounces on a plane, and sticks in the end.
DISC = """\
planar: true
gravity: 9.81
parameters: {X: 0}
ground: {frames: {g: [X, X]}}
bodies:
  b: {mass: 1, inertia: 0.004, position: [X, X + 0.5], velocity: [0.3, 0], angular_velocity: 2}
shapes:
  floor: {at: ground.g, type: plane, normal: [0, 1]}
  disc: {at: b, type: sphere, radius: 0.1}
contacts: {c: {a: disc, b: floor, law: rigid, restitution: 0.7, friction: {coefficient: 0.3}}}
outputs: {across: b.x - X, up: b.y - X, turn: b.angle}
run: {end: 1.2, output_step: 0.1}
"""
# A coordinate of the inertial frame is prescribed, a law and an event use others, and a tyre rolls on a road.
CART = """\
planar: true
gravity: 9.81
parameters: {X: 0}
ground: {frames: {g: [X, X]}}
bodies:
  cart: {mass: 1, inertia: 0.1, position: [X, X]}
  rod: {mass: 1, inertia: 0.1, position: [X, X - 0.5], frames: {p: [0, 0.5]}}
  wheel: {mass: 2, inertia: 0.1, position: [X + 3, X + 0.29], velocity: [1.1, 0], angular_velocity: -3.7}
joints:
  s: {type: prismatic, a: ground.g, b: cart, axis: [1, 0]}
  p: {type: revolute, a: cart, b: rod.p}
  d: {type: driver, of: cart.x, motion: X + 0.2*sin(5*t)}
roads: {bumps: {type: sine, origin: [X, X], amplitude: 0.01, wavelength: 0.7}}
forces:
  pull: {type: applied, at: rod, force: ["-2*(rod.x - X)", 0]}
  tyre: {type: tyre, at: wheel, road: bumps, radius: 0.3, stiffness: 2e3, damping: 50}
outputs: {across: rod.x - X, up: wheel.y - X, turn: rod.angle, rolled: wheel.x - X}
events: {out: {when: rod.x - X - 0.19}}
run: {end: 1, output_step: 0.1}
"""
BEAM = """\
planar: true
gravity: 9.81
parameters: {X: 0}
ground: {frames: {g: [X, X]}}
beams:
  beam:
    {type: rectangle, position: [X, X], end: [X + 2, X], width: 0.02, height: 0.03, E: 2.1e11, nu: 0.3,
     density: 7850, elements: 3}
joints: {wall: {type: fixed, a: ground.g, b: beam.start}}
outputs: {down: X - beam.end.y}
"""
MODELS = {"pendulum": PENDULUM, "loop": LOOP, "disc": DISC, "cart": CART}
METHODS = ("auto", "erk5", "erk8", "adams", "radau5", "ggl-radau5", "genalpha", "decay", "bdf", "bdf2", "ggl",
           "for-sdirk", "for-rosen", "infl-sdirk", "ssp-trap", "baumgarte")


def at(place):
    return ("--set", f"X={place}")


class Far(Case):
    def simulate(self, model, place, *args):
        write("place.yaml", model)
        r = self.report("run", "place.yaml", *at(place), "--csv", "place.csv", *args)
        return r, table("place.csv")

    def compare(self, model, *args, tol=1e-4):
        here, rows = self.simulate(model, 0, *args)
        for place in FAR:
            there, moved = self.simulate(model, place, *args)
            steps = here["counters"]["steps"], there["counters"]["steps"]
            print(f"{args}, X = {place}: {steps[1]} steps ({steps[0]})")
            # given positions are rounded to 2e-9 m there: a chaotic count of many short steps varies by this
            self.assertAlmostEqual(*steps, delta=max(1, 0.04 * steps[0]), msg=(place, args))
            self.assertAlmostEqual(here["t"], there["t"], delta=1e-6)  # an event is located to the tolerance
            self.assertLess(there["residuals"]["position"], 2e-9 + 2 * here["residuals"]["position"])
            self.assertLess(there["energy"]["error"], 2 * here["energy"]["error"] + 1e-6)
            for name in ("across", "up", "turn"):
                for a, b in zip(rows[name], moved[name]):
                    self.assertAlmostEqual(a, b, delta=tol, msg=(place, name, args))

    @each(METHODS)
    def test_method(self, method):
        self.compare(PENDULUM, "--method", method)

    @each(MODELS)
    def test_model(self, name):
        self.compare(MODELS[name])

    def test_tight_tolerance(self):
        # relative to each other positions keep all their digits
        self.compare(PENDULUM, "--tol", "1e-9", "--method", "radau5", tol=1e-8)


class Coordinates(Case):
    def setUp(self):
        write("place.yaml", PENDULUM)
        write("beam.yaml", BEAM)

    def test_results(self):
        self.good("run", "place.yaml", *at("5e6"), "--csv", "place.csv", "--out", "none")
        rows = table("place.csv")
        for i in range(len(rows["t"])):
            self.assertAlmostEqual(rows["b.x"][i] - 5e6, rows["across"][i], delta=2e-9)
            self.assertAlmostEqual(rows["b.y"][i] - 5e6, rows["up"][i], delta=2e-9)
            weight = 9.81 * (rows["a.y"][i] + rows["b.y"][i])
            springs = 15 * (rows["p.angle"][i] ** 2 + rows["q.angle"][i] ** 2)
            # some last bits of 1e8 J
            self.assertAlmostEqual(rows["energy.potential"][i], weight + springs, delta=1e-6)

    def test_check(self):
        found = json.loads(self.good("check", "place.yaml", *at("5e6"), "--json").stdout)
        self.assertEqual([b["position"] for b in found["bodies"]], [[5000000.5, 5e6, 0], [5000001.5, 5e6, 0]])

    def test_statics_and_modes(self):
        def value(place, *command):
            return json.loads(self.good(*command, "beam.yaml", *at(place), "--json").stdout)
        sag = [value(x, "static")["channels"]["down"] for x in ("0", "5e6")]
        self.assertAlmostEqual(*sag, delta=1e-8)
        self.assertGreater(sag[0], 0.01)
        roots = [[m["hz"] for m in value(x, "modes")["modes"]] for x in ("0", "5e6")]
        for a, b in zip(*roots):
            self.assertAlmostEqual(a, b, delta=1e-6 * a)

    def test_continued_run(self):
        self.good("run", "place.yaml", *at("5e6"), "--out", "none", "--csv", "whole.csv", "--save-at", "0.5",
                  "--save", "half.sim")
        self.good("run", "place.yaml", *at("5e6"), "--out", "none", "--csv", "rest.csv", "--continue",
                  "half.sim")
        whole, rest = table("whole.csv"), table("rest.csv")
        for name in ("t", "b.x", "b.y"):
            self.assertEqual(rest[name][-1], whole[name][-1])
        p = self.bad(2, "run", "place.yaml", *at("4e6"), "--out", "none", "--continue", "half.sim")
        self.assertIn("it stands elsewhere", p.stderr)


    def test_exported_surfaces(self):
        # files for graphics have seven digits: they count from the origin of the model
        write("disc.yaml", DISC)
        heights = []
        for place in ("0", "5e6"):
            self.good("run", "disc.yaml", *at(place), "--out", "disc.h5")
            self.good("export", "disc.h5", "--out", "disc.pvd", "--from", "1.2")
            name = min(glob.glob("disc*.vtp") + glob.glob("disc*/*.vtp"))
            points = re.search(r"<Points>\s*<[^>]*>(.*?)</", read(name), re.S).group(1).split()
            up = [float(y) for y in points[1::3]]
            heights.append(max(up) - min(up))
        self.assertAlmostEqual(*heights, delta=1e-6)
        self.assertGreater(heights[0], 0.1)


class RoundOff(Case):
    def setUp(self):
        write("place.yaml", PENDULUM)

    def test_told(self):
        for place, rounding in (("1e9", "3.1e-07"), ("1e12", "0.00031")):
            p = run("run", "place.yaml", *at(place), "--out", "none")
            self.assertEqual(p.returncode, 0, p.stderr)
            self.assertRegex(p.stderr, rf"warning: the model stands .* m from the coordinate origin, where "
                                       rf"positions are rounded to {rounding} m")

    def test_refused(self):
        for place in ("1e13", "1e15", "-1e17", "1e300"):
            p = self.bad(2, "run", "place.yaml", *at(place), "--out", "none")
            self.assertIn("its length of", p.stderr)
            self.assertIn("is lost; give positions from a nearer origin", p.stderr)

    def test_one_body_has_no_dimensions(self):
        write("one.yaml", "bodies: {b: {mass: 1, position: [1.5e13, 0, 0], point: true}}\n")
        self.good("run", "one.yaml", "--out", "none")

    def test_rigid_contact_may_begin_within_rounding(self):
        # the ball touches the plane, but 0.7 + 1e7 and 0.6 + 1e7 are not 0.1 apart
        model = DISC.replace("X + 0.5", "X + 0.7").replace("{g: [X, X]}", "{g: [X, X + 0.6]}")
        write("touch.yaml", model.replace("velocity: [0.3, 0], angular_velocity: 2", "velocity: [0, 0]"))
        for place in ("0", "1e6", "3e6", "1e7"):
            self.good("run", "touch.yaml", *at(place), "--csv", "touch.csv", "--out", "none")
            rows = table("touch.csv")
            self.assertAlmostEqual(rows["up"][-1], 0.7, delta=1e-8)


if __name__ == "__main__":
    main()
